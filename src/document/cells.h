/* Single cells of a table that is being made. Private to table.c and record.c. */
#ifndef AZ_DOCUMENT_CELLS_H
#define AZ_DOCUMENT_CELLS_H

#include <math.h>

#include "document/table.h"

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
