/* Numbers, and one text, of the rows of a table: from its pages where it is plain, else by SQLite;
 * of all rows, or of a row by its number. For what reads a database several times and stores none
 * of it. */
#ifndef AZ_FORMATS_SHARED_SQLITE_ROWS_H
#define AZ_FORMATS_SHARED_SQLITE_ROWS_H

#include "formats/shared/sqlite_bytes.h"
#include "formats/shared/sqlite_pages.h"

enum { AZ_ROW_NUMBERS = 10 };
struct az_sqlite_columns {
    const char *const *number; /* names of columns of numbers */
    size_t n;
    const char *text; /* one of texts; NULL: none */
};
struct az_sqlite_row {
    int64_t v[AZ_ROW_NUMBERS]; /* in the order of the columns; 0: NULL, or no such column */
    uint32_t null;             /* one bit a column, also of those that the table lacks */
    uint32_t odd;              /* one bit a column: neither a number nor NULL */
    struct az_sv text;         /* empty: NULL, or no such column; valid until the next row */
};
/* 0 or an error, which ends the reading. */
typedef int (*az_sqlite_row_fn)(void *ctx, const struct az_sqlite_row *row);

struct az_sqlite_table {
    struct az_sqlite *x;
    const char *name;
    const struct az_sqlite_columns *columns;
    unsigned has; /* columns, a bit each, of those that are requested */
    bool has_text;
    bool plain; /* `pages` are open */
    struct az_pages pages;
    int8_t at[AZ_ROW_NUMBERS]; /* place among the columns of `pages`; -1: none */
    int place[AZ_ROW_NUMBERS]; /* of a lookup: place in a record; -1: none */
    int text_place;
};
/* A table or a view, and those of its columns that are in `wants`, a bit each; name and columns are
 * borrowed. False: there is none. */
bool az_sqlite_table_open(struct az_sqlite_table *t, struct az_sqlite *x, const char *name,
                          const struct az_sqlite_columns *columns, unsigned wants);
/* A row of its pages. False: SQLite has to read it. */
bool az_sqlite_row_parse(const struct az_sqlite_table *t, const struct az_pages_row *stored,
                         struct az_sqlite_row *row);
/* A number of a row that SQLite reads, of its column `at`; below 0: NULL. */
void az_sqlite_row_number(struct az_sqlite_row *row, size_t k, sqlite3_stmt *st, int at);
/* All rows in their order; messages are in the job's diag. A table that is missing has none. */
int az_sqlite_table_rows(struct az_sqlite *x, const char *name,
                         const struct az_sqlite_columns *columns, unsigned wants,
                         az_sqlite_row_fn fn, void *ctx) AZ_MUST_USE;

/* Rows by their numbers, which mostly ascend: a page is read once for all of them. */
struct az_sqlite_lookup {
    struct az_sqlite_table table;
    bool open;
    int key_place;
    sqlite3_stmt *st;
    unsigned char *level[AZ_PAGE_DEPTH]; /* pages from the root down to that of the last row */
    uint32_t number[AZ_PAGE_DEPTH];      /* of these pages; 0: none */
    unsigned leaf;                       /* the last of them, if `cells` */
    unsigned cells, cell;                /* of that page, and of the last row */
    int64_t first, last;                 /* its row numbers */
};
/* `key` is the column of the number. A table that is missing has no rows. */
int az_sqlite_lookup_open(struct az_sqlite_lookup *l, struct az_sqlite *x, const char *name,
                          const char *key, const struct az_sqlite_columns *columns) AZ_MUST_USE;
/* 1; 0: there is no such row; or an error with its message. */
int az_sqlite_lookup_find(struct az_sqlite_lookup *l, int64_t number,
                          struct az_sqlite_row *row) AZ_MUST_USE;
void az_sqlite_lookup_close(struct az_sqlite_lookup *l);

#endif
