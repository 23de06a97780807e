/* Tables of prefill and decode (inference_phase_analysis; docs/formulas-pytorch.md 11.2). */
#include "analyses/operators/kernels.h"
#include "analyses/phases/phase.h"
#include "analyses/registry_list.h"
#include "document/record.h"
#include "facts/groups.h"

static const struct {
    enum az_phase phase;
    const char *ops, *kernels, *title_ops, *title_kernels;
} shown[] = {
    { AZ_PHASE_PREFILL, "ops_summary_prefill", "kernel_summary_prefill", "Operations in prefill",
      "Kernels in prefill" },
    { AZ_PHASE_DECODE, "ops_summary_decode", "kernel_summary_decode", "Operations in decode",
      "Kernels in decode" },
};

/* Sorted distinct classes of a launcher's kernels, joined by ", ". */
static struct az_sv classes_of(struct az_job *job, struct az_framework *fw, uint32_t launcher)
{
    const struct az_launcher *l = &fw->launchers->rows.v[launcher];
    struct az_sv text = AZ_SV(""), last = AZ_SV("");
    for (bool more = true;
         more && text.p;) { /* the least class greater than the last one, each time */
        struct az_sv next = AZ_SV("");
        for (uint32_t i = 0; i < az_launcher_count(l); i++) {
            struct az_sv c = az_framework_kernel_class(
                fw, az_gpu_event(fw->tree, fw->launchers->own.v[l->first + i]).name);
            if (az_sv_cmp(c, last) > 0 && (next.n == 0 || az_sv_cmp(c, next) < 0))
                next = c;
        }
        more = next.n != 0;
        if (more)
            text = text.n ? az_arena_printf(job->arena, "%.*s, %.*s", AZ_SVF(text), AZ_SVF(next))
                          : next;
        last = next;
    }
    return text;
}

struct work {
    struct az_framework *fw;
    const struct az_phases *p;
    enum az_phase phase;
    uint32_t *gpu;  /* of kernels: row -> gpu number */
    int64_t *ticks; /* of a launcher or kernel */
};

static int same_name(void *ctx, size_t i, uint64_t key[2])
{
    const struct work *w = ctx;
    key[0] = az_framework_node(w->fw, w->fw->launchers->rows.v[i].node).name;
    key[1] = 0;
    return w->p->phase[i] == w->phase;
}

struct op_row {
    const struct az_trace *trace;
    struct az_sv classes, name;
    int64_t ticks, count;
};
static const struct az_record_column ops_columns[] = {
    { "Kernel categories", AZ_TEXT, AZ_FIELD(struct op_row, classes) },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct op_row, name), .sort = 2 },
    { "total_direct_kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL,
      AZ_FIELD(struct op_row, ticks), AZ_TICKS(struct op_row, trace, ticks_per_ns), .sort = -1 },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct op_row, count) },
    { "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER,
      AZ_FIELD(struct op_row, ticks), AZ_TICKS(struct op_row, trace, ticks_per_ns) },
};

static int ops_rows(struct az_job *job, struct az_framework *fw, const struct az_phases *p,
                    enum az_phase phase, struct az_table *t)
{
    const size_t n = fw->launchers->rows.n;
    struct az_groups g = { 0 };
    struct work w = { .fw = fw,
                      .p = p,
                      .phase = phase,
                      .ticks = az_arena_array(job->arena, n + 1, sizeof *w.ticks) };
    if (!w.ticks)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < n; i++)
        w.ticks[i] = az_launcher_times(fw->launchers, fw->tree, i).direct;
    int rc = az_groups_by(&g, n, same_name, &w, job->mem);
    for (size_t k = 0; rc == 0 && k < g.groups; k++) {
        struct az_stats s;
        const uint32_t first = az_groups_first(&g, k);
        az_groups_stats(&g, k, w.ticks, &s);
        az_put_row(t, &(struct op_row){ fw->trace, classes_of(job, fw, first),
                                        az_node_name(fw->tree, fw->launchers->rows.v[first].node),
                                        s.sum, (int64_t)s.n });
        az_framework_put_share(t);
    }
    az_groups_release(&g);
    return rc;
}

static int ops_table(struct az_job *job, struct az_framework *fw, const struct az_phases *p,
                     size_t which)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, shown[which].ops, shown[which].title_ops,
                                         AZ_TABLE_SUMMARY, ops_columns);
    az_framework_share_columns(t);
    int rc = ops_rows(job, fw, p, shown[which].phase, t);
    if (rc == 0)
        rc = az_record_sort(t);
    az_framework_shares(t, 2);
    return az_job_add(job, t, rc);
}

/* Operator (or call without one above it) that a kernel was launched under, as in kernel_summary,
 * and its category. */
static uint32_t parent_of(const struct az_framework *fw, uint32_t gpu, struct az_sv *category)
{
    uint32_t call = fw->tree->gpu_node[gpu], op = az_node_op(fw->tree, call);
    *category = az_framework_owner_category(fw, call, op);
    return op != AZ_NO_ROW ? op : call;
}

/* A kernel has the phase of its launcher. */
static int same_kernel(void *ctx, size_t i, uint64_t key[2])
{
    const struct work *w = ctx;
    const struct az_events *ev = &w->fw->trace->ev[AZ_KERNEL];
    const uint32_t l = az_framework_launcher_of(w->fw, az_launcher_node(w->fw->tree, w->gpu[i]));
    struct az_sv category;
    if (l == AZ_NO_ROW || w->p->phase[l] != w->phase)
        return 0;
    const uint64_t parent = az_framework_node(w->fw, parent_of(w->fw, w->gpu[i], &category)).name;
    key[0] = parent << 32 | ev->name[i];
    key[1] = (az_hash(category.p, category.n) & 0xffffffff) << 32 |
             (uint32_t)az_lane_stream(w->fw->trace, ev->lane[i]);
    return 1;
}

struct kernel_row {
    const struct az_trace *trace;
    struct az_sv class_name, category, parent, name;
    int64_t stream;
    const struct az_stats *s; /* ticks */
    double percent;
};
#define ROW struct kernel_row
/* clang-format off */
#define TIME(header, flag, field)                                                                  \
    { header, AZ_REAL, AZ_UNIT_US, flag, AZ_VIA(ROW, s, field), AZ_TICKS(ROW, trace, ticks_per_ns) }
/* clang-format on */
static const struct az_record_column kernel_columns[] = {
    { "Kernel category", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, class_name), .sort = 2 },
    { "Parent op category", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, category), .sort = 3 },
    { "Parent cpu_op", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, parent), .sort = 4 },
    { "Kernel name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name), .sort = 5 },
    { "Kernel stream", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, stream), .sort = 6 },
    { "Kernel duration (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, s, sum),
      AZ_TICKS(ROW, trace, ticks_per_ns), .sort = -1 },
    { "Kernel duration (µs)_count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, s, n) },
    TIME("Kernel duration (µs)_mean", 0, mean),
    TIME("Kernel duration (µs)_min", 0, min),
    TIME("Kernel duration (µs)_max", 0, max),
    { "Percent of kernels time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) },
};

static void put_kernel(const struct work *w, struct az_table *t, uint32_t i,
                       const struct az_stats *s, int64_t all)
{
    struct az_framework *fw = w->fw;
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    struct az_sv category;
    const uint32_t parent = parent_of(fw, w->gpu[i], &category);
    az_put_row(t, &(ROW){ fw->trace, az_framework_kernel_class(fw, ev->name[i]), category,
                          az_node_name(fw->tree, parent), az_framework_text(fw, ev->name[i], ""),
                          az_lane_stream(fw->trace, ev->lane[i]), s,
                          all ? (double)s->sum / (double)all * 100.0 : 0.0 });
}

static int kernel_rows(struct az_job *job, struct az_framework *fw, const struct az_phases *p,
                       enum az_phase phase, struct az_table *t)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    struct az_groups g = { 0 };
    struct work w = { .fw = fw,
                      .p = p,
                      .phase = phase,
                      .gpu = az_arena_array(job->arena, ev->n + 1, sizeof *w.gpu),
                      .ticks = az_arena_array(job->arena, ev->n + 1, sizeof *w.ticks) };
    int64_t all = 0;
    if (!w.gpu || !w.ticks)
        return az_arena_error(job->arena);
    for (uint32_t x = 0; x < fw->tree->n_gpu; x++)
        if (fw->tree->gpu_kind[x] == AZ_KERNEL)
            w.gpu[fw->tree->gpu_row[x]] = x;
    for (size_t i = 0; i < ev->n; i++)
        w.ticks[i] = ev->end[i] - ev->start[i];
    int rc = az_groups_by(&g, ev->n, same_kernel, &w, job->mem);
    for (size_t i = 0; rc == 0 && i < ev->n; i++)
        all += g.of[i] != AZ_NO_ID ? w.ticks[i] : 0;
    for (size_t k = 0; rc == 0 && k < g.groups; k++) {
        struct az_stats s;
        az_groups_stats(&g, k, w.ticks, &s);
        put_kernel(&w, t, az_groups_first(&g, k), &s, all);
    }
    az_groups_release(&g);
    return rc;
}

static int kernel_table(struct az_job *job, struct az_framework *fw, const struct az_phases *p,
                        size_t which)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, shown[which].kernels,
                                         shown[which].title_kernels, 0, kernel_columns);
    int rc = kernel_rows(job, fw, p, shown[which].phase, t);
    if (rc == 0)
        rc = az_record_sort(t);
    return az_job_add(job, t, rc);
}

struct phase_row {
    const struct az_trace *trace;
    const char *phase, *by;
    int64_t launches, ticks;
};
static const struct az_record_column phase_columns[] = {
    { "Phase", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct phase_row, phase), .sort = 2 },
    { "Decided by", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct phase_row, by), .sort = 3 },
    { "Launches", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct phase_row, launches) },
    { "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct phase_row, ticks),
      AZ_TICKS(struct phase_row, trace, ticks_per_ns), .sort = -1 },
};

/* Launchers of one phase decided in one way; no row if there are none. */
static void overview_row(const struct az_framework *fw, const struct az_phases *p,
                         struct az_table *t, unsigned phase, unsigned by)
{
    static const char *const phase_name[] = { "Mixed", "Prefill", "Decode" };
    int64_t count = 0, ticks = 0;
    for (size_t l = 0; l < fw->launchers->rows.n; l++) {
        if (p->phase[l] != phase || p->by[l] != by)
            continue;
        count++;
        ticks += az_launcher_times(fw->launchers, fw->tree, l).direct;
    }
    if (!count)
        return;
    az_put_row(
        t, &(struct phase_row){ fw->trace, phase_name[phase], az_phase_by_text(by), count, ticks });
    az_framework_put_share(t);
}

/* Launchers and time by phase and by what decided it, the undecided too, so that totals add up. */
static int overview(struct az_job *job, struct az_framework *fw, const struct az_phases *p)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "inference_phases", "Prefill and decode",
                                         AZ_TABLE_SUMMARY, phase_columns);
    az_framework_share_columns(t);
    for (unsigned phase = AZ_PHASE_MIXED; phase <= AZ_PHASE_DECODE; phase++)
        for (unsigned by = 0; by < AZ_BY_COUNT; by++)
            overview_row(fw, p, t, phase, by);
    int rc = az_record_sort(t);
    az_framework_shares(t, 3);
    return az_job_add(job, t, rc);
}

static int run_phase_tables(struct az_job *job)
{
    int rc;
    struct az_phases p;
    struct az_framework *fw = az_framework_get(job, &rc);
    if (!fw || !job->opts->inference_phase_analysis || fw->launchers->rows.n == 0 ||
        !fw->ops->has_ops)
        return rc;
    rc = az_framework_phases(job, fw, &p);
    if (rc == 0)
        rc = overview(job, fw, &p);
    for (size_t i = 0; rc == 0 && i < 2; i++) {
        rc = ops_table(job, fw, &p, i);
        if (rc == 0 && job->opts->enable_kernel_summary)
            rc = kernel_table(job, fw, &p, i);
    }
    return rc;
}

const struct az_analysis az_analysis_fw_phases = {
    .name = "inference_phases",
    .help = "operations and kernels in prefill and decode (inference_phase_analysis)",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .run = run_phase_tables,
};
