/* The study of short kernels (docs/formulas-pytorch.md 10.2). */
#include "analyses/short.h"
#include "analyses/operators/kernels.h"
#include "analyses/registry_list.h"
#include "tables/keys.h"

#include <math.h>

struct work {
    struct az_framework_kernels k;
    int64_t limit; /* ticks */
};

static const struct az_framework *fw_of(const struct az_scope *r)
{
    return ((const struct work *)r->ctx)->k.fw;
}

static bool is_short(const struct az_scope *r, const struct az_item *i)
{
    const struct work *w = r->ctx;
    return az_framework_kernel_ticks(&w->k, i->row) < w->limit;
}

static uint32_t owner_of(const struct az_scope *r, const struct az_item *i)
{
    uint32_t call;
    return az_framework_kernel_owner(&((const struct work *)r->ctx)->k, i->row, &call);
}

static uint32_t op_of(const struct az_scope *r, const struct az_item *i)
{
    const uint32_t op = owner_of(r, i);
    return op == AZ_NO_ROW ? AZ_NO_ID : az_framework_node(fw_of(r), op).name;
}

#define ARGUMENT(what)                                                                             \
    static uint32_t what##_of(const struct az_scope *r, const struct az_item *i)                   \
    {                                                                                              \
        const uint32_t op = owner_of(r, i);                                                        \
        const struct az_op_args *a = op == AZ_NO_ROW ? NULL : az_framework_args(fw_of(r), op);     \
        return a ? a->what : AZ_NO_ID;                                                             \
    }                                                                                              \
    static const struct az_key what = { AZ_TEXT, .name = what##_of };
ARGUMENT(dims)
ARGUMENT(strides)
ARGUMENT(concrete)

static const struct az_key owner = { AZ_TEXT, .name = op_of };

static bool has_ops(const struct az_scope *r) { return fw_of(r)->ops->has_ops; }
static double all_time(const struct az_scope *r)
{
    return fw_of(r)->total ? (double)fw_of(r)->total : NAN;
}
static int64_t top_rows(const struct az_options *o) { return o->topk_short_kernels; }

static const struct az_table_spec short_kernels = {
    "short_kernels_all_details",
    "Short kernels",
    AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY,
    .needs = AZ_CAP_CALLTREE,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .keep = is_short,
    .columns = { { "Parent cpu_op", &owner, .flags = AZ_KEY, .when = has_ops },
                 { "Input dims", &dims, .flags = AZ_KEY | AZ_DETAIL, .when = has_ops },
                 { "Input strides", &strides, .flags = AZ_KEY | AZ_DETAIL, .when = has_ops },
                 { "Concrete Inputs", &concrete, .flags = AZ_KEY | AZ_DETAIL, .when = has_ops },
                 { "Kernel name", &az_key_name, .flags = AZ_KEY },
                 { "Short Kernel duration (µs) sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "Short Kernel count", .figure = AZ_FIG_COUNT, .flags = AZ_LOWER_BETTER,
                   .sort = 2 },
                 { "Short Kernel duration (µs) mean", .figure = AZ_FIG_MEAN, .unit = AZ_UNIT_US,
                   .flags = AZ_DETAIL, .sort = 3 },
                 { "Short Kernel duration (µs) percent of total time", .figure = AZ_FIG_SHARE,
                   .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE | AZ_DETAIL, .whole = all_time } },
    .option_top = top_rows,
    .option = "topk_short_kernels",
};

static int histogram(struct az_job *job, const struct az_framework_kernels *k)
{
    const size_t n = k->ev->n, bytes = (n + 1) * sizeof(int64_t);
    int64_t *length = az_mem_alloc(job->mem, bytes);
    if (!length)
        return az_mem_error(job->mem);
    for (size_t i = 0; i < n; i++)
        length[i] = az_framework_kernel_ticks(k, i);
    const int rc =
        az_short_histogram(job, "short_kernels_histogram", length, n, k->fw->trace->ticks_per_ns);
    az_mem_free(job->mem, length, bytes);
    return rc;
}

static int run_short(struct az_job *job)
{
    struct work w = { .limit = 0 };
    struct az_framework_kernels *k = &w.k;
    if (!job->opts->short_kernel_study)
        return 0;
    int rc = az_framework_kernels_get(k, job);
    if (rc == 0)
        rc = histogram(job, k);
    if (rc == 0)
        w.limit = az_short_limit(job, k->fw->trace->ticks_per_ns);
    if (rc == 0)
        rc = az_spec_make(job, &short_kernels, &w, NULL);
    if (rc)
        return rc;
    return az_job_chart(job, AZ_CHART_COLUMN, "short_kernels_histogram",
                        "Short kernels (duration in µs)", "bin_start",
                        (const char *const[]){ "count", NULL }, "kernels");
}

const struct az_analysis az_analysis_fw_short = {
    .name = "short_kernels",
    .help = "histogram and table of kernels below short_kernel_threshold_us (short_kernel_study)",
    .needs = AZ_CAP_CALLTREE,
    .run = run_short,
};
