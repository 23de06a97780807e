/* The tables of operators to be replayed, from the report of one input. */
#include "base/sort.h"
#include "document/record.h"
#include "replay/parts.h"

enum { NAME, DIMS, TYPES, STRIDES, CONCRETE, COUNT, SUM, KERNELS, COLUMNS };
static const char *const source[COLUMNS] = {
    "name",
    "Input Dims",
    "Input type",
    "Input Strides",
    "Concrete Inputs",
    "operation_count",
    "Kernel Time (µs)_sum",
    "trunc_kernel_details",
};

struct op {
    struct az_sv text[CONCRETE + 1], kernels;
    int64_t count;
    double sum;
};
AZ_VEC(struct op, ops);

struct reading {
    const struct az_table *t;
    ptrdiff_t at[COLUMNS];
    struct ops ops[GROUPS];
};

static bool wanted(struct az_sv name, enum az_parts_group *g)
{
    enum az_replay_tool tool = az_replay_tool(name);
    *g = tool == AZ_REPLAY_CONV ? CONV : GEMM;
    return tool == AZ_REPLAY_GEMM || az_sv_is(name, "aten::convolution");
}

static int read_operation(struct reading *r, size_t row)
{
    struct op o = { .count = 0 };
    enum az_parts_group g;
    for (int i = NAME; i <= CONCRETE; i++)
        o.text[i] = az_cell_text(az_table_at(r->t, row, (size_t)r->at[i]));
    if (!wanted(o.text[NAME], &g))
        return 0;
    o.kernels = r->at[KERNELS] < 0 ? o.kernels
                                   : az_cell_text(az_table_at(r->t, row, (size_t)r->at[KERNELS]));
    o.sum = az_cell_number(az_table_at(r->t, row, (size_t)r->at[SUM]));
    double count = az_cell_number(az_table_at(r->t, row, (size_t)r->at[COUNT]));
    o.count = count > 0 ? (int64_t)count : 0;
    if (!(o.sum > 0)) /* never ran on the device */
        return 0;
    return az_vec_push(&r->ops[g], o);
}

static int by_text(const void *a, const void *b, void *ctx)
{
    const struct op *x = a, *y = b;
    int order = 0;
    (void)ctx;
    for (int k = NAME; order == 0 && k <= CONCRETE; k++)
        order = az_sv_cmp(x->text[k], y->text[k]);
    return order;
}

/* Rows of one operator and one set of arguments become one; the sort is stable, so sums keep the
 * order of the table. */
static void unite(struct ops *ops)
{
    size_t n = 0;
    az_sort_cmp(ops->v, ops->n, sizeof *ops->v, by_text, NULL, NULL);
    for (size_t i = 0; i < ops->n; i++) {
        if (n && by_text(&ops->v[n - 1], &ops->v[i], NULL) == 0) {
            ops->v[n - 1].count += ops->v[i].count;
            ops->v[n - 1].sum += ops->v[i].sum;
        } else {
            ops->v[n++] = ops->v[i];
        }
    }
    ops->n = n;
}

static int longest_first(const void *a, const void *b, void *ctx)
{
    const struct op *x = a, *y = b;
    if (x->sum > y->sum || x->sum < y->sum)
        return x->sum > y->sum ? -1 : 1;
    return by_text(a, b, ctx);
}

struct op_row {
    const struct op *op;
    double mean, running; /* NaN: none */
};
#define ROW struct op_row
#define TEXT(header, field, flag)                                                                  \
    {                                                                                              \
        header, AZ_TEXT, .flags = flag, AZ_VIA(ROW, op, field)                                     \
    }
static const struct az_record_column columns[] = {
    TEXT("name", text[NAME], AZ_KEY),
    TEXT("kernel_details__summarize_kernel_stats", kernels, AZ_DETAIL),
    TEXT("Input Dims_first", text[DIMS], AZ_KEY),
    TEXT("Input type_first", text[DIMS + 1], AZ_KEY),
    TEXT("Input Strides_first", text[DIMS + 2], AZ_KEY),
    TEXT("Concrete Inputs_first", text[CONCRETE], AZ_KEY),
    { "Kernel Time (µs)_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, mean) },
    { "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, op, sum) },
    { "name_count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, op, count) },
    { "kernel_time_sum_cum_pct", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(ROW, running) },
};

static struct az_table *make_tables(struct az_arena *a, enum az_parts_group g,
                                    const struct ops *ops)
{
    struct az_table *t = AZ_RECORD_TABLE(
        a, az_replay_group[g], g == GEMM ? "Matrix products" : "Convolutions", 0, columns);
    double total = 0, run = 0;
    for (size_t i = 0; i < ops->n; i++)
        total += ops->v[i].sum;
    for (size_t i = 0; i < ops->n; i++) {
        const struct op *o = &ops->v[i];
        run += o->sum;
        az_put_row(t, &(ROW){ o, o->count ? o->sum / (double)o->count : (double)NAN, run / total });
    }
    return t;
}

static int put_group(struct reading *r, enum az_parts_group g, struct az_document *out)
{
    struct ops *ops = &r->ops[g];
    unite(ops);
    az_sort_cmp(ops->v, ops->n, sizeof *ops->v, longest_first, NULL, NULL);
    if (ops->n == 0)
        return 0;
    struct az_table *t = make_tables(out->arena, g, ops);
    int rc = t ? az_table_finish(t) : az_arena_error(out->arena);
    if (rc) {
        az_table_free(t);
        return rc;
    }
    return az_document_add(out, t);
}

int az_replay_tables(const struct az_document *report, struct az_document *out,
                     struct az_diag *diag)
{
    struct reading r = { .t = az_document_table(report, "unified_perf_summary") };
    bool whole = r.t != NULL;
    int rc = 0;
    for (int i = 0; whole && i < COLUMNS; i++) {
        r.at[i] = az_table_find(r.t, source[i]);
        whole = r.at[i] >= 0 || i == KERNELS;
    }
    for (size_t i = 0; whole && rc == 0 && i < r.t->rows; i++)
        rc = read_operation(&r, i);
    if (rc == 0 && r.ops[GEMM].n + r.ops[CONV].n == 0)
        rc = az_diag_fail(
            diag, AZ_EEMPTY, AZ_AT_FILE(report->input),
            "nothing to replay: no GEMMs or convolutions with its shapes (record_shapes=True)");
    for (int g = 0; rc == 0 && g < GROUPS; g++)
        rc = put_group(&r, (enum az_parts_group)g, out);
    for (int g = 0; g < GROUPS; g++)
        az_vec_release(&r.ops[g]);
    return rc;
}
