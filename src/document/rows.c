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

/* Makes a row, and maybe some that follow it, after those of `into`: all of them whole. */
static int make_rows(const struct az_table *t, size_t row, size_t rows, struct az_table *into)
{
    const size_t before = into->rows;

    t->make(t->of, row, into);
    if (!into->error && into->arena->failed) /* a text of a row */
        into->error = az_arena_error(into->arena);
    if (!into->error && (into->rows <= before || into->rows - before > rows - row || into->at != 0))
        into->error = AZ_EINTERNAL;
    return into->error;
}

int az_table_store_rows(struct az_table *t, size_t n)
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
        rc = make_rows(t, t->rows, rows, t);
    if (t->rows > n) /* the last ones came together */
        t->cells.n = n * t->columns.n;
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
    if (row < r->first || row - r->first >= r->one.rows || r->one.error) {
        az_arena_reset(&r->texts);
        az_vec_reset(&r->one.cells);
        r->one.rows = 0;
        r->first = row;
        if (r->one.error || make_rows(r->t, row, r->t->rows, &r->one))
            return NULL;
    }
    return az_table_at(&r->one, row - r->first, 0);
}

void az_rows_close(struct az_rows *r)
{
    az_vec_release(&r->one.cells);
    az_arena_release(&r->texts);
}
