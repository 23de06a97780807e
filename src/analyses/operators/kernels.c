/* kernel_summary (docs/formulas-pytorch.md 10.1) and the kernels by class. */
#include "analyses/operators/kernels.h"

#include <math.h>

#include "analyses/registry_list.h"
#include "tables/keys.h"

static int kernels_of(struct az_framework_kernels *k, struct az_job *job, void **slot)
{
    k->ev = &k->fw->trace->ev[AZ_KERNEL];
    k->gpu = slot ? *slot : NULL;
    if (k->gpu)
        return 0;
    uint32_t *gpu = slot ? az_arena_array(job->arena, k->ev->n + 1, sizeof *gpu) : NULL;
    if (!gpu)
        return az_arena_error(job->arena);
    for (uint32_t g = 0; g < k->fw->tree->n_gpu; g++)
        if (k->fw->tree->gpu_kind[g] == AZ_KERNEL)
            gpu[k->fw->tree->gpu_row[g]] = g;
    k->gpu = *slot = gpu;
    return 0;
}

int az_framework_kernels_get(struct az_framework_kernels *k, struct az_job *job)
{
    int rc;
    k->fw = az_framework_get(job, &rc);
    if (!k->fw)
        return rc;
    static const char what; /* made once a job: several analyses request it */
    void **slot = az_job_slot(job, &what);
    rc = kernels_of(k, job, slot);
    az_job_leave(job, slot);
    return rc;
}

uint32_t az_framework_kernel_owner(const struct az_framework_kernels *k, size_t kernel,
                                   uint32_t *call)
{
    *call = k->fw->tree->gpu_node[k->gpu[kernel]];
    return *call == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(k->fw->tree, *call);
}

struct az_sv az_framework_owner_category(const struct az_framework *fw, uint32_t call, uint32_t op)
{
    if (call == AZ_NO_ROW)
        return AZ_SV("");
    if (op != AZ_NO_ROW)
        return az_framework_op_category(fw, op);
    struct az_sv name = az_node_name(fw->tree, call);
    bool graph =
        az_sv_ifind(name, AZ_SV("cudagraph")) >= 0 || az_sv_ifind(name, AZ_SV("graphlaunch")) >= 0;
    return graph ? AZ_SV("graph") : AZ_SV("runtime");
}

static const struct az_framework *fw_of(const struct az_scope *r)
{
    return ((const struct az_framework_kernels *)r->ctx)->fw;
}

static struct az_sv category_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_framework_kernels *k = r->ctx;
    uint32_t call, op = az_framework_kernel_owner(k, i->row, &call);
    return az_framework_owner_category(k->fw, call, op);
}

static uint32_t owner_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_framework_kernels *k = r->ctx;
    uint32_t call, op = az_framework_kernel_owner(k, i->row, &call);
    return call == AZ_NO_ROW ? AZ_NO_ID
                             : az_framework_node(k->fw, op != AZ_NO_ROW ? op : call).name;
}

static int64_t stream_of(const struct az_scope *r, const struct az_item *i)
{
    return az_lane_stream(fw_of(r)->trace, az_item_events(r, i)->lane[i->row]);
}

static struct az_sv class_of(const struct az_scope *r, const struct az_item *i)
{
    return az_framework_kernel_class(((const struct az_framework_kernels *)r->ctx)->fw,
                                     az_item_events(r, i)->name[i->row]);
}

/* Kernels of one name and lane whose owners have one name and category are in one row. */
struct same_row {
    uint32_t name, lane, owner;
    uint32_t category; /* 0: the place is free; else one of those below, or an id after them */
};
enum { UNLINKED = 1, OF_CALL, OF_NAME, OF_LAUNCHER, ALIKE_BITS = 11 };
struct summary {
    struct az_framework_kernels k;
    struct same_row same_row[1 << ALIKE_BITS];
};

/* The place of a kernel's like, if no others have it. */
static uint32_t alike_of(const struct az_scope *r, const struct az_item *i)
{
    struct summary *s = r->ctx;
    const struct az_framework *fw = s->k.fw;
    uint32_t call, op = az_framework_kernel_owner(&s->k, i->row, &call), launcher = AZ_NO_ROW;
    struct same_row a = { s->k.ev->name[i->row], s->k.ev->lane[i->row], AZ_NO_ID, UNLINKED };
    if (op != AZ_NO_ROW)
        launcher = az_framework_launcher_of(fw, op);
    if (call != AZ_NO_ROW) {
        a.owner = az_framework_node(fw, op != AZ_NO_ROW ? op : call).name;
        a.category = op == AZ_NO_ROW         ? OF_CALL
                     : launcher == AZ_NO_ROW ? OF_NAME
                                             : OF_LAUNCHER + fw->category[launcher];
    }
    const uint64_t mixed =
        ((uint64_t)a.name << 32 ^ (uint64_t)a.owner << 16 ^ (uint64_t)a.category << 8 ^ a.lane) *
        UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t at = (uint32_t)(mixed >> (64 - ALIKE_BITS));
    struct same_row *there = &s->same_row[at];
    if (there->category == 0)
        *there = a;
    return there->name == a.name && there->lane == a.lane && there->owner == a.owner &&
                   there->category == a.category
               ? at
               : AZ_NO_ID;
}

static bool has_ops(const struct az_scope *r) { return fw_of(r)->ops->has_ops; }
static double all_kernels(const struct az_scope *r) { return (double)fw_of(r)->kernels; }
static double all_time(const struct az_scope *r)
{
    return fw_of(r)->total ? (double)fw_of(r)->total : NAN;
}

static const struct az_key category = { AZ_TEXT, .text = category_of };
static const struct az_key owner = { AZ_TEXT, .name = owner_of };
static const struct az_key stream = { AZ_INT, AZ_UNIT_ID, .integer = stream_of };
static const struct az_key class = { AZ_TEXT, .text = class_of, .by_name = true };

#define US(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_US, flag)
static const struct az_table_spec kernel_summary = {
    "kernel_summary",
    "Kernels by launching operation",
    AZ_TABLE_SUMMARY,
    .needs = AZ_CAP_CALLTREE,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .number_of = alike_of,
    .columns = { { "Parent op category", &category, .flags = AZ_KEY | AZ_DETAIL, .sort = 2 },
                 { "Parent cpu_op", &owner, .flags = AZ_KEY, .when = has_ops, .sort = 3 },
                 { "Kernel name", &az_key_name, .flags = AZ_KEY, .sort = 4 },
                 { "kernel class", &class, .follows = true },
                 { "Family", &az_key_family, .follows = true, .flags = AZ_DETAIL },
                 { "Kernel stream", &stream, .flags = AZ_KEY | AZ_DETAIL, .sort = 5 },
                 { "Kernel duration (µs)_sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "Kernel duration (µs)_count", .figure = AZ_FIG_COUNT },
                 US("Kernel duration (µs)_mean", AZ_FIG_MEAN, AZ_LOWER_BETTER | AZ_DETAIL),
                 US("Kernel duration (µs)_min", AZ_FIG_MIN, AZ_DETAIL),
                 US("Kernel duration (µs)_max", AZ_FIG_MAX, AZ_DETAIL),
                 { "Percent of kernels time (%)", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                   .flags = AZ_SHARE, .whole = all_kernels },
                 { "Percent of total time (%)", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                   .flags = AZ_DETAIL, .whole = all_time } },
};

/* Kernel time by class of kernel name: what graph launches hide from the tables of operations. */
static const struct az_table_spec class_summary = {
    "kernel_class_summary",
    "Kernels by class",
    AZ_TABLE_SUMMARY,
    .needs = AZ_CAP_CALLTREE,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .columns = { { "kernel class", &class, .flags = AZ_KEY, .sort = 2 },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "Kernel duration (ms)_sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 AZ_SHARE_COLUMNS },
    .shares = AZ_SHARES_CELLS,
};

static int run_kernels(struct az_job *job)
{
    if (!job->opts->enable_kernel_summary)
        return 0;
    struct summary *s = az_mem_alloc(job->mem, sizeof *s);
    if (!s)
        return az_mem_error(job->mem);
    memset(s, 0, sizeof *s);
    int rc = az_framework_kernels_get(&s->k, job);
    if (rc == 0)
        rc = az_spec_make(job, &class_summary, s, NULL);
    if (rc == 0)
        rc = az_spec_make(job, &kernel_summary, s, NULL);
    az_mem_free(job->mem, s, sizeof *s);
    return rc;
}

const struct az_analysis az_analysis_fw_kernels = {
    .name = "kernel_summary",
    .help = "kernels by class, and by launching operation, name and stream",
    .needs = AZ_CAP_CALLTREE,
    .run = run_kernels,
    .part = 9,
};
