/* Choice of the tables of the first screen, by ids and canonical columns. */
#include "document/summary_view.h"

#include "document/claims.h"
#include "document/schema.h"

enum {
    MAX_TABLES = 12,
    RANK_ROWS = 8,
    FAMILY_ROWS = 8,
    REGION_ROWS = 6,
    TOP_ROWS = 8,
    COMPARED_ROWS = 12
};

struct question {
    const char *tables[MAX_TABLES]; /* ids, the best table first */
    size_t rows, least; /* shown at most; a table with fewer than `least` rows is not useful */
    const char *columns[AZ_SCREEN_COLUMNS]; /* stems, or alternatives; missing ones are skipped */
};

#define TOP_COLUMNS                                                                                \
    {                                                                                              \
        "kernel", "operation", "device", "input_dims", "kernel_time", "share", "count",            \
            "parent_operation", "category|family", "cores"                                         \
    }

#define FAMILY_COLUMNS                                                                             \
    {                                                                                              \
        "family", "category", "device", "kernel_time", "share", "count"                            \
    }

static const struct question families = { { "time_by_family" }, FAMILY_ROWS, 1, FAMILY_COLUMNS };
static const struct question classes = { { "kernel_class_summary", "kernel_summary_by_category",
                                           "category_summary", "ops_summary_by_category",
                                           "tpu_category_summary" },
                                         FAMILY_ROWS,
                                         2,
                                         FAMILY_COLUMNS };
/* What ran as one launch of a recorded graph has kernels, but no operators. */
static const struct question operations = {
    { "unified_perf_summary", "kernel_summary", "kern_sum", "tpu_op_summary", "op_models",
      "ops_stacked", "kernel_launchers", "kernels_by_name", "xla_top", "ops_summary" },
    TOP_ROWS,
    1,
    TOP_COLUMNS
};
static const struct question kernels = { { "kernel_summary", "kern_sum", "unified_perf_summary",
                                           "kernels_by_name" },
                                         TOP_ROWS,
                                         1,
                                         TOP_COLUMNS };
/* Where the host launches too slowly: what it does. */
static const struct question host_operators = {
    { "host_operators" }, TOP_ROWS, 2, { "name", "self", "total", "count", "threads" }
};
/* By what the user named. */
static const struct question regions = { { "regions" },
                                         REGION_ROWS,
                                         2,
                                         { "rank", "path", "count", "device_ns", "share", "idle_ns",
                                           "idle_cause", "host_ns" } };
static const struct question ranks = { { "gpu_timelines_by_rank" }, RANK_ROWS, 2, { NULL } };

/* Of comparisons: below the result, which has what changed most. */
static const struct question both = {
    { "side_by_side_families", "side_by_side_classes" }, TOP_ROWS, 1, { NULL }
};
static const struct question tree = { { "diff_by_op" }, TOP_ROWS, 1, { NULL } }; /* on request */
static const struct question pairs = { { "compare_summary" }, COMPARED_ROWS, 1, { NULL } };

/* Do graphs hide what ran, by the document? */
static bool hidden_by_graphs(const struct az_document *d)
{
    const struct az_table *t = az_document_table(d, "findings");
    const ptrdiff_t rule = t ? az_schema_find(t, AZ_SV("rule")) : -1;

    for (size_t r = 0; rule >= 0 && r < t->rows; r++)
        if (az_sv_starts(az_cell_text(az_table_at(t, r, (size_t)rule)), AZ_SV("graph_")))
            return true;
    return false;
}

/* Is the largest saving that of a device which waits for launches? */
static bool is_launch_bound(const struct az_document *d)
{
    const struct az_claims *c = d->claims;
    return c && c->n_findings && c->findings[0].cause == AZ_CAUSE_LAUNCH_BOUND;
}

/* Has the user named more than the steps, which the first line has? */
static bool has_names(const struct az_document *d)
{
    const struct az_table *t = az_document_table(d, "regions");
    const ptrdiff_t source = t ? az_schema_find(t, AZ_SV("source")) : -1;

    for (size_t r = 0; source >= 0 && !t->make && r < t->rows; r++) {
        const struct az_sv text = az_cell_text(az_table_at(t, r, (size_t)source));
        if (text.n && !az_sv_is(text, "step"))
            return true;
    }
    return false;
}

static bool has_text(const struct az_table *t, size_t col, size_t rows)
{
    for (size_t r = 0; r < rows && r < t->rows; r++)
        if (az_table_at(t, r, col)->type != AZ_EMPTY)
            return true;
    return false;
}

/* Has the column, of numbers, two values? */
static bool differs(const struct az_table *t, size_t col)
{
    for (size_t r = 1; r < t->rows; r++)
        if (az_table_at(t, r, col)->i != az_table_at(t, 0, col)->i)
            return true;
    return false;
}

static bool among(const struct az_screen_part *p, size_t col)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->col[i] == col)
            return true;
    return false;
}

static bool is_place(const char *column)
{
    return strcmp(column, "device") == 0 || strcmp(column, "rank") == 0;
}

/* The first of the alternatives that the table has; -1: none. */
static ptrdiff_t find_column(const struct az_table *t, const char *stems)
{
    struct az_sv rest = az_sv_str(stems);
    ptrdiff_t c = -1;
    while (c < 0 && rest.n)
        c = az_schema_find(t, az_sv_cut(&rest, '|'));
    return c;
}

/* A device or rank is named where there are several; columns that are empty in all rows are
 * skipped. */
static void choose_columns(const struct question *q, struct az_screen_part *p)
{
    for (size_t i = 0; i < AZ_SCREEN_COLUMNS && q->columns[i]; i++) {
        const ptrdiff_t c = find_column(p->table, q->columns[i]);
        if (c >= 0 && !among(p, (size_t)c) && has_text(p->table, (size_t)c, p->rows) &&
            (!is_place(q->columns[i]) || differs(p->table, (size_t)c)))
            p->col[p->n++] = (size_t)c;
    }
    if (p->n < 2)
        p->n = 0;
}

/* Names alone: at least three in four of the rows shown have one of their own. */
static bool told_apart(const struct az_screen_part *p)
{
    const struct az_table *t = p->table;
    const size_t rows = p->rows < t->rows ? p->rows : t->rows;
    size_t own = 0;

    if (!az_sv_is(t->id, "op_models") || p->n == 0)
        return true;
    for (size_t r = 0; r < rows; r++) {
        size_t k = 0;
        while (k < r && !az_sv_eq(az_cell_text(az_table_at(t, k, p->col[0])),
                                  az_cell_text(az_table_at(t, r, p->col[0]))))
            k++;
        own += k == r;
    }
    return 4 * own >= 3 * rows;
}

static size_t add_parts(const struct az_document *d, const struct question *q,
                        struct az_screen_part out[AZ_SCREEN_PARTS], size_t n)
{
    for (size_t i = 0; i < MAX_TABLES && q->tables[i] && n < AZ_SCREEN_PARTS; i++) {
        const struct az_table *t = az_document_table(d, q->tables[i]);
        if (!t || t->make || t->rows < q->least)
            continue;
        out[n] = (struct az_screen_part){ .table = t, .rows = q->rows };
        choose_columns(q, &out[n]);
        if (told_apart(&out[n]))
            return n + 1;
    }
    return n;
}

size_t az_screen_choose(const struct az_document *d, struct az_screen_part out[AZ_SCREEN_PARTS])
{
    size_t n = 0;

    if (az_sv_is(d->format, "comparison")) {
        if (!az_document_table(d, "verdict"))
            return 0;
        n = add_parts(d, &tree, out, n);
        n = add_parts(d, &both, out, n);
        return add_parts(d, &pairs, out, n);
    }
    n = add_parts(d, &families, out, n);
    n = n ? n : add_parts(d, &classes, out, n);
    if (n && has_names(d))
        n = add_parts(d, &regions, out, n);
    if (n && is_launch_bound(d))
        n = add_parts(d, &host_operators, out, n);
    n = add_parts(d, hidden_by_graphs(d) ? &kernels : &operations, out, n);
    return n ? add_parts(d, &ranks, out, n) : 0;
}
