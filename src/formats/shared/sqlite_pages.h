/* Columns of whole numbers of a table, read from its pages without SQLite's machine, which is most
 * of the cost of the rows of a large table (docs/performance.md 3). Only what is plain is read
 * here; where something is not, the table is left to SQLite, so that it alone reports damage. */
#ifndef AZ_FORMATS_SHARED_SQLITE_PAGES_H
#define AZ_FORMATS_SHARED_SQLITE_PAGES_H

#include "formats/shared/sqlite_open.h"

enum { AZ_PAGES_COLUMNS = 20, AZ_PAGES_PLACES = 256 };

struct az_pages_row {
    int64_t value[AZ_PAGES_COLUMNS]; /* in the order of the requested columns; 0: NULL */
    uint32_t null;                   /* one bit a column */
    /* The row as it is stored, valid until the function returns: its cell, the record in it, and
     * the end of what is on the page; the first page of the rest, 0: there is none. */
    const unsigned char *cell, *record, *end;
    uint64_t payload; /* bytes of the record */
    int64_t rowid;
    uint32_t overflow;
};
/* An error (below 0) ends the reading; 1 leaves this row and those after it to SQLite. */
typedef int (*az_pages_fn)(void *ctx, const struct az_pages_row *row);

struct az_pages {
    struct az_sqlite *x;
    sqlite3_file *file; /* of the connection: another descriptor, closed, would end its locks */
    uint32_t page_size, usable, root;
    uint64_t pages;             /* of the file */
    bool utf8;                  /* texts */
    bool cells_only;            /* read no values */
    int8_t of[AZ_PAGES_PLACES]; /* place in a record -> number of the column; -1: not required */
    size_t columns;
    unsigned places; /* up to the last required one, and numbers that follow it */
    int alias;       /* the required column that is the row number; -1: none is */
};
/* The first page of a table, and the file's data about its pages. False: there is no such table in
 * a file without a write-ahead log. */
bool az_pages_find(struct az_pages *p, struct az_sqlite *x, const char *table);
/* Can the table be read so: one with rowids, in a file without a write-ahead log, and are all these
 * columns, each named once, declared as INTEGER or BIGINT? One may be the INTEGER PRIMARY KEY. The
 * connection has to be in a transaction. */
bool az_pages_open(struct az_pages *p, struct az_sqlite *x, const char *table,
                   const char *const *columns, size_t n);
/* Place of a column in the records of a table that is open; -1: it has none. */
int az_pages_place(const struct az_pages *p, const char *table, const char *column);
/* How much of a record is on its page: all, or what is not in its overflow pages. */
uint64_t az_pages_local(const struct az_pages *p, uint64_t payload);
/* Returns the rows in their order. 0: all of them; 1: there are rows that only SQLite can read,
 * after the first *given of the table. Else what fn returned, AZ_EINTR, AZ_ENOMEM or AZ_ELIMIT. */
int az_pages_read(struct az_pages *p, az_pages_fn fn, void *ctx, uint64_t *given) AZ_MUST_USE;
/* Of a table that SQLite reads: x->suspect, if its pages contradict their headers. Reads
 * the pages once more, but no value. 0, AZ_EINTR, AZ_ENOMEM or AZ_ELIMIT. */
int az_pages_check(struct az_sqlite *x, const char *table) AZ_MUST_USE;
/* The last row number that pages of a table name, where its last rows are damaged: it is at most
 * that of the last row. False: none can be read. */
bool az_pages_last_key(struct az_sqlite *x, const char *table, int64_t *rowid);

/* ---- sqlite_record.c ---- */
/* The text, or the number, at a place of a record of which `end` is the end on its page. False: it
 * is of another type, or not on this page. NULL is an empty text without a pointer. */
bool az_record_text(const unsigned char *record, const unsigned char *end, int place,
                    struct az_sv *text);
bool az_record_number(const unsigned char *record, const unsigned char *end, int place, int64_t *v,
                      bool *null);
/* Has a record as many bytes as its types require? Yes, if not all of these are on its page. */
bool az_record_is_whole(const struct az_pages_row *row);

#endif
