/* Rows that are made when they are read. */
#include "document/rows.h"

void az_table_make(struct az_table *t, size_t rows, az_row_maker *make, const void *of)
{
    if (!t)
        return;
    if (!t->error && (t->rows || t->columns.n == 0))
        t->error = AZ_EINTERNAL;
    if (t->error)
        return;
    t->rows = rows;
    t->make = make;
    t->of = of;
}

static size_t held_rows(const struct az_table *t) { return t->cells.n / t->columns.n; }

/* Makes one row after those of `into`: exactly one, whole. */
static int make_row(const struct az_table *t, size_t row, struct az_table *into)
{
    const size_t before = into->rows;

    t->make(t->of, row, into);
    if (!into->error && into->arena->failed) /* a text of the row */
        into->error = az_arena_error(into->arena);
    if (!into->error && (into->rows != before + 1 || into->at != 0))
        into->error = AZ_EINTERNAL;
    return into->error;
}

int az_table_hold(struct az_table *t, size_t n)
{
    const size_t rows = t->rows;
    int rc = t->error;

    if (!t->make)
        return rc;
    n = n < rows ? n : rows;
    if (n <= held_rows(t))
        return rc;
    t->rows = held_rows(t); /* az_put_* append */
    az_table_reserve(t, n - t->rows);
    while (rc == 0 && t->rows < n)
        rc = make_row(t, t->rows, t);
    t->rows = rows;
    return rc;
}

void az_rows_open(struct az_rows *r, const struct az_table *t, struct az_mem *mem)
{
    *r = (struct az_rows){ .t = t };
    az_arena_init(&r->texts, mem);
    r->one = (struct az_table){ .columns = t->columns, .arena = &r->texts, .mem = mem };
    az_vec_init(&r->one.cells, mem);
}

const struct az_cell *az_rows_at(struct az_rows *r, size_t row)
{
    if (!r->t->make || row < held_rows(r->t))
        return az_table_at(r->t, row, 0);
    az_arena_reset(&r->texts);
    az_vec_reset(&r->one.cells);
    r->one.rows = 0;
    return make_row(r->t, row, &r->one) ? NULL : r->one.cells.v;
}

void az_rows_close(struct az_rows *r)
{
    az_vec_release(&r->one.cells);
    az_arena_release(&r->texts);
}
