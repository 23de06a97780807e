/* The study of short kernels (docs/formulas-pytorch.md 10.2). */
#include "analyses/device/short.h"
#include "analyses/list.h"
#include "analyses/ops/kernels.h"
#include "tables/engine.h"

#include <math.h>

struct work {
    struct az_fw_kernels k;
    int64_t limit; /* ticks */
};

static const struct az_fw *fw_of(const struct az_scope *r) { return ((const struct work *)r->ctx)->k.fw; }

static bool is_short(const struct az_scope *r, const struct az_item *i)
{
    const struct work *w = r->ctx;
    return w->k.length[i->row] < w->limit;
}

static uint32_t owner_of(const struct az_scope *r, const struct az_item *i)
{
    uint32_t call;
    return az_fw_kernel_owner(&((const struct work *)r->ctx)->k, i->row, &call);
}

/* Kernels without an owner have empty keys. */
static bool op_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const uint32_t op = owner_of(r, i);
    *number = op == AZ_NO_ROW ? AZ_NO_ID : az_fw_node(fw_of(r), op).name;
    return true;
}

static void put_op(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    const uint32_t op = owner_of(r, i);
    az_put_given(t, op == AZ_NO_ROW ? AZ_SV("") : az_node_name(fw_of(r)->tree, op));
}

#define ARGUMENT(what)                                                                                                 \
    static bool what##_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)                         \
    {                                                                                                                  \
        const uint32_t op = owner_of(r, i);                                                                            \
        const struct az_op_args *a = op == AZ_NO_ROW ? NULL : az_fw_args(fw_of(r), op);                                \
        *number = a ? a->what : UINT64_MAX;                                                                            \
        return true;                                                                                                   \
    }                                                                                                                  \
    static void put_##what(const struct az_scope *r, const struct az_item *i, struct az_table *t)                      \
    {                                                                                                                  \
        uint64_t number;                                                                                               \
        what##_of(r, i, &number);                                                                                      \
        az_put_given(t, az_fw_text(fw_of(r), (uint32_t)number, ""));                                                   \
    }                                                                                                                  \
    static const struct az_key what = { AZ_TEXT, .of = what##_of, .put = put_##what };
ARGUMENT(dims)
ARGUMENT(strides)
ARGUMENT(concrete)

static bool kernel_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    *number = az_item_events(r, i)->name[i->row];
    return true;
}

static void put_kernel(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, az_fw_text(fw_of(r), az_item_events(r, i)->name[i->row], ""));
}

static const struct az_key owner = { AZ_TEXT, .of = op_of, .put = put_op };
static const struct az_key kernel = { AZ_TEXT, .of = kernel_of, .put = put_kernel };

static bool has_ops(const struct az_scope *r) { return fw_of(r)->ops->has_ops; }
static double all_time(const struct az_scope *r) { return fw_of(r)->total ? (double)fw_of(r)->total : NAN; }
static int64_t top(const struct az_options *o) { return o->topk_short_kernels; }

static const struct az_table_spec short_kernels = {
    "short_kernels_all_details", "Short kernels", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY,
    .needs = AZ_CAP_CALLTREE, .n_kinds = 1, .kinds = { AZ_KERNEL }, .keep = is_short,
    .columns = { { "Parent cpu_op", &owner, .flags = AZ_KEY, .when = has_ops },
                 { "Input dims", &dims, .flags = AZ_KEY | AZ_DETAIL, .when = has_ops },
                 { "Input strides", &strides, .flags = AZ_KEY | AZ_DETAIL, .when = has_ops },
                 { "Concrete Inputs", &concrete, .flags = AZ_KEY | AZ_DETAIL, .when = has_ops },
                 { "Kernel name", &kernel, .flags = AZ_KEY },
                 { "Short Kernel duration (µs) sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "Short Kernel count", .figure = AZ_FIG_COUNT, .flags = AZ_LOWER_BETTER, .sort = 2 },
                 { "Short Kernel duration (µs) mean", .figure = AZ_FIG_MEAN, .unit = AZ_UNIT_US, .flags = AZ_DETAIL,
                   .sort = 3 },
                 { "Short Kernel duration (µs) percent of total time", .figure = AZ_FIG_SHARE,
                   .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE | AZ_DETAIL, .whole = all_time } },
    .option_top = top,
    .option = "topk_short_kernels",
};

static int run(struct az_job *job)
{
    struct work w = { .limit = 0 };
    struct az_fw_kernels *k = &w.k;
    if (!job->opts->short_kernel_study)
        return 0;
    int rc = az_fw_kernels_get(k, job);
    if (rc == 0)
        rc = az_short_histogram(job, "short_kernels_histogram", k->length, k->ev->n, k->fw->trace->ticks_per_ns);
    if (rc == 0)
        w.limit = az_short_limit(job, k->fw->trace->ticks_per_ns);
    if (rc == 0)
        rc = az_spec_make(job, &short_kernels, &w, NULL);
    if (rc)
        return rc;
    return az_job_chart(job, AZ_CHART_COLUMN, "short_kernels_histogram", "Short kernels (duration in µs)", "bin_start",
                        (const char *const[]){ "count", NULL }, "kernels");
}

const struct az_analysis az_analysis_fw_short = {
    .name = "short_kernels",
    .help = "kernels below short_kernel_threshold_us: histogram and table (short_kernel_study)",
    .needs = AZ_CAP_CALLTREE,
    .run = run,
};
