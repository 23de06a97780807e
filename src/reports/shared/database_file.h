/* An SQLite 3 database file, written from front to back: trees of rows and of keys, and the schema
 * (https://www.sqlite.org/fileformat2.html). SQLite would compile a statement for every table,
 * which is most of the time of a small database. Whoever reads the file compiles the schema:
 * statements and names must be correct. */
#ifndef AZ_REPORTS_SHARED_DATABASE_FILE_H
#define AZ_REPORTS_SHARED_DATABASE_FILE_H

#include "document/table.h"
#include "io/outfile.h"

enum { AZ_DBFILE_LEVELS = 16 };
enum az_dbfile_kind { AZ_DBFILE_ROWS, AZ_DBFILE_KEYS };

struct az_dbfile_level;

struct az_dbfile_entry { /* a row of sqlite_schema */
    const char *type;    /* "table" or "index" */
    struct az_sv name, table, sql;
    uint32_t root;
};
AZ_VEC(struct az_dbfile_entry, az_dbfile_entries);

struct az_dbfile {
    struct az_outfile *out;
    struct az_mem *mem;
    uint32_t pages; /* written */
    /* The tree being written: pages that are not full, from the leaf up. */
    enum az_dbfile_kind kind;
    struct az_dbfile_level *level[AZ_DBFILE_LEVELS];
    unsigned depth;
    bool first; /* its root is page 1 */
    uint64_t rows;
    struct az_vec_char record;
    struct az_vec_u64 types;
    struct az_dbfile_entries entries;
    int error; /* the first of memory; errors of the file are those of `out` */
};

/* The file is written to `out`, which stays the caller's and must not be a pipe. */
void az_dbfile_init(struct az_dbfile *f, struct az_outfile *out, struct az_mem *mem);
/* One tree after the other: rows, which are numbered from 1 on; or keys, which come in their order
 * (NULL, numbers, texts by bytes), those of an index with the number of the row as the last cell.
 * A number that is not one is NULL. Returns the root page. */
void az_dbfile_begin(struct az_dbfile *f, enum az_dbfile_kind kind);
void az_dbfile_row(struct az_dbfile *f, const struct az_cell *cells, size_t n);
uint32_t az_dbfile_end(struct az_dbfile *f);
/* A table or an index of the schema; its texts are borrowed until the end. */
void az_dbfile_add(struct az_dbfile *f, struct az_dbfile_entry e);
/* Writes the schema and the header: 0, AZ_ENOMEM or AZ_ELIMIT. */
int az_dbfile_finish(struct az_dbfile *f, uint32_t application_id, uint32_t version) AZ_MUST_USE;
void az_dbfile_release(struct az_dbfile *f);

#endif
