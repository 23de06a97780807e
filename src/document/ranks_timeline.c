#include "document/ranks_timeline.h"

#include <math.h>

#include "document/record.h"
#include "document/schema.h"

static bool is_figure(const struct az_column *c)
{
    return c->type == AZ_REAL && az_unit_same_dimension(c->unit, AZ_UNIT_NS);
}

struct figure_row {
    struct az_sv type;
    double mean, std, least, most; /* ms; NaN: none */
    int64_t rank;                  /* with the most */
};
#define ROW struct figure_row
static const struct az_record_column figure_columns[] = {
    { "type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, type) },
    { "time_ms_avg", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, mean) },
    { "time_ms_std", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(ROW, std) },
    { "time_ms_min", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(ROW, least) },
    { "time_ms_max", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(ROW, most) },
    { "rank_max", AZ_INT, AZ_UNIT_ID, AZ_FIELD(ROW, rank) },
};

static void put_figure(struct az_table *t, const struct az_table *wide, size_t column,
                       ptrdiff_t rank)
{
    const struct az_column *c = &wide->columns.v[column];
    const double in_ms = az_unit_base(c->unit) / az_unit_base(AZ_UNIT_MS);
    double sum = 0, squares = 0, min = INFINITY, max = -INFINITY;
    size_t n = 0;
    const struct az_cell *rank_of_max = NULL;
    for (size_t r = 0; r < wide->rows; r++) {
        const double x = az_cell_number(az_table_at(wide, r, column)) * in_ms;
        if (isnan(x))
            continue;
        n++;
        sum += x;
        min = x < min ? x : min;
        if (x > max)
            rank_of_max = az_table_at(wide, r, (size_t)rank);
        max = x > max ? x : max;
    }
    const double mean = n ? sum / (double)n : NAN;
    for (size_t r = 0; r < wide->rows; r++) {
        const double d = az_cell_number(az_table_at(wide, r, column)) * in_ms - mean;
        squares += isnan(d) ? 0 : d * d;
    }
    az_put_row(t, &(ROW){ c->stem.n ? c->stem : c->name, mean, n ? sqrt(squares / (double)n) : NAN,
                          n ? min : NAN, n ? max : NAN,
                          rank_of_max ? (int64_t)az_cell_number(rank_of_max) : INT64_MIN });
}

static struct az_table *by_figure(struct az_arena *a, const struct az_table *wide, ptrdiff_t rank)
{
    struct az_table *t = AZ_RECORD_TABLE(a, "gpu_timelines", "GPU timelines of all ranks",
                                         AZ_TABLE_SUMMARY, figure_columns);
    for (size_t c = 0; c < wide->columns.n; c++)
        if (is_figure(&wide->columns.v[c]))
            put_figure(t, wide, c, rank);
    return t;
}

/* Nobody releases the table: its content moves into the arena. */
static bool settle(struct az_arena *a, struct az_table *t)
{
    struct az_column *columns = az_arena_array(a, t->columns.n, sizeof *columns);
    struct az_cell *cells = az_arena_array(a, t->cells.n + 1, sizeof *cells);
    const size_t n = t->columns.n, n_cells = t->cells.n;
    if (columns && cells) {
        memcpy(columns, t->columns.v, n * sizeof *columns);
        memcpy(cells, t->cells.v, n_cells * sizeof *cells);
    }
    az_vec_release(&t->columns);
    az_vec_release(&t->cells);
    t->columns.v = columns;
    t->columns.n = n;
    t->cells.v = cells;
    t->cells.n = n_cells;
    return columns && cells;
}

/* The table by rank, where there is none by figure. */
static const struct az_table *alone(const struct az_document *d, ptrdiff_t *rank)
{
    const struct az_table *wide = az_document_table(d, "gpu_timelines_by_rank");
    *rank = wide ? az_table_find_nocase(wide, "rank") : -1;
    return *rank < 0 || wide->rows == 0 || wide->make || az_document_has(d, AZ_SV("gpu_timelines"))
               ? NULL
               : wide;
}

int az_ranks_timeline_add(struct az_document *d)
{
    ptrdiff_t rank;
    const struct az_table *wide = alone(d, &rank);
    return wide ? az_document_add(d, by_figure(d->arena, wide, rank)) : 0;
}

const struct az_document *az_ranks_timeline(struct az_arena *a, const struct az_document *d)
{
    ptrdiff_t rank;
    const struct az_table *wide = alone(d, &rank);
    if (!wide)
        return d;
    struct az_document *own = az_arena_alloc(a, sizeof *own);
    struct az_table **v = az_arena_array(a, d->tables.n + 1, sizeof(struct az_table *));
    struct az_table *t = by_figure(a, wide, rank);
    const struct az_schema_index *names = d->names ? d->names : az_schema_index_new(a);
    if (!t)
        return NULL;
    const bool good = names && az_table_finish(t) == 0 && az_schema_apply(t, names) == 0;
    if (!settle(a, t) || !good || !own || !v)
        return NULL;
    *own = *d;
    own->tables = (struct az_table_list){ .v = v };
    for (size_t i = 0; i < d->tables.n; i++) {
        if (d->tables.v[i] == wide)
            v[own->tables.n++] = t;
        v[own->tables.n++] = d->tables.v[i];
    }
    return own;
}
