/* Lazy rows, created when they are read. A table of every event of a run has more in its cells (16
 * bytes each) than there is in what they are made of, and writers go through it once, from top to
 * bottom: such a table has a maker of rows instead of cells. Random access to the rows requires to
 * materialize them first. */
#ifndef AZ_DOCUMENT_ROWS_H
#define AZ_DOCUMENT_ROWS_H

#include <math.h>

#include "document/table.h"

/* Sets the rows of a table without rows to so many, made by `make` of `of`; any other gets an
 * error and none. `make` puts the row that it is called for, and may put some of those that follow,
 * in their order: for millions of equal rows a block takes less time than each alone. `of` is
 * borrowed and must live as long as the table (az_document_own). What `make` reads must not change
 * meanwhile. */
void az_table_make(struct az_table *t, size_t rows, az_row_maker *make, const void *of);
/* Makes cells of the first n rows (at most all), which then stay, for az_table_at. Nothing to do
 * for other tables. 0 or the table's error, which stays too. */
int az_table_store_rows(struct az_table *t, size_t n) AZ_MUST_USE;

/* Reading rows one by one, of any table, which is borrowed. */
struct az_rows {
    const struct az_table *t;
    struct az_table one; /* the row being read, of a made table, and those made with it */
    size_t first;        /* of `one` */
    struct az_arena texts;
};
void az_rows_open(struct az_rows *r, const struct az_table *t, struct az_mem *mem);
/* Cells of a row, one a column, until the next call; NULL on failure (az_rows_error). */
const struct az_cell *az_rows_at(struct az_rows *r, size_t row);
static inline int az_rows_error(const struct az_rows *r) { return r->one.error; }
void az_rows_close(struct az_rows *r);

/* ---- single cells of a row that is being made ---- */
static const struct az_cell az_empty_cell = { .type = AZ_EMPTY };

/* NaN and infinity are empty. */
static inline struct az_cell az_cell_of_f64(double x)
{
    return isfinite(x) ? (struct az_cell){ .type = AZ_REAL, .f = x } : az_empty_cell;
}

/* A text that cannot be had, or is too long, is an error of the table. */
static inline struct az_cell az_cell_of_text(struct az_table *t, struct az_sv s)
{
    if (s.n > AZ_CELL_TEXT_MOST)
        t->error = t->error ? t->error : AZ_ERANGE;
    else if (!s.p && t->arena->failed) /* this text, or another of the row */
        t->error = t->error ? t->error : az_arena_error(t->arena);
    return (struct az_cell){ .type = AZ_TEXT, .len = AZ_CELL_LENGTH(s.n), .s = s.p ? s.p : "" };
}

/* The next cell of the current row; an error where its column has none of this type. */
void az_put_cell(struct az_table *t, struct az_cell c);

#endif
