/* A database with some rows of another one: the same schema, row numbers, indexes, views and
 * triggers. SQLite makes the schema and copies what is not plain; rows of plain tables, which are
 * nearly all, are copied as they are stored (formats/shared/sqlite_append.h). */
#ifndef AZ_FORMATS_SHARED_SQLITE_CUT_H
#define AZ_FORMATS_SHARED_SQLITE_CUT_H

#include "formats/shared/sqlite_rows.h"
#include "model/window.h"

struct az_sqlite_cut {
    struct az_cut *job;
    struct az_sqlite *file; /* the input, open */
    struct az_arena *arena;
    struct az_sqlite_columns columns; /* those that any rule requires */
    /* The rule of a table, from 1 on; 0: all rows are kept. */
    int (*rule_of)(void *ctx, const char *table);
    unsigned (*wants)(void *ctx, int rule); /* columns of a rule, a bit each */
    /* 1: the row is kept; 0; or an error. Called once for each row, in their order. */
    int (*keeps)(void *ctx, int rule, const struct az_sqlite_row *row);
    void *ctx;
    /* A table that is added, with the spans of the window: its name, the name of its column with
     * the process, and one more column with the same number in each row. */
    const char *window, *process;
    const struct az_window_parts *parts;
    const char *more; /* NULL: no such column */
    int64_t more_value;
};
/* Writes a new database, job->out, which appears when it is complete. Errors have their messages in
 * job->diag, and so has damage that was seen, which is a warning. */
int az_sqlite_cut_write(const struct az_sqlite_cut *cut) AZ_MUST_USE;

#endif
