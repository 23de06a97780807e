/* gpu_timeline: where device time goes (docs/formulas-pytorch.md 4), of all devices pooled, per device,
 * and per profiler step. */
#include "analyses/ops/timeline.h"

#include "analyses/list.h"
#include "base/sort.h"
#include "facts/shared.h"

struct sets {
    struct az_spans of[3], all, tmp, tmp2; /* by az_gpu_class */
};

static void sets_init(struct sets *s, struct az_mem *mem)
{
    for (int i = 0; i < 3; i++)
        az_vec_init(&s->of[i], mem);
    az_vec_init(&s->all, mem);
    az_vec_init(&s->tmp, mem);
    az_vec_init(&s->tmp2, mem);
}

static void sets_reset(struct sets *s)
{
    for (int i = 0; i < 3; i++)
        az_vec_reset(&s->of[i]);
    az_vec_reset(&s->all);
}

static void sets_release(struct sets *s)
{
    for (int i = 0; i < 3; i++)
        az_vec_release(&s->of[i]);
    az_vec_release(&s->all);
    az_vec_release(&s->tmp);
    az_vec_release(&s->tmp2);
}

/* Gaps of the merged list shorter than the threshold. */
static int64_t micro_gaps(const struct az_spans *all, int64_t threshold)
{
    int64_t sum = 0;
    for (size_t i = 1; i < all->n; i++) {
        int64_t gap = all->v[i].start - all->v[i - 1].end;
        sum += gap < threshold ? gap : 0;
    }
    return sum;
}

static int measure(struct sets *s, int64_t micro_threshold, struct az_fw_figures *f)
{
    struct az_spans *c = &s->of[AZ_WORK_COMPUTE], *n = &s->of[AZ_WORK_COMM], *m = &s->of[AZ_WORK_COPY];
    *f = (struct az_fw_figures){ .events = s->all.n };
    int rc = az_spans_sort(&s->all);
    for (int i = 0; rc == 0 && i < 3; i++) {
        rc = az_spans_sort(&s->of[i]);
        az_spans_union(&s->of[i]);
    }
    if (rc)
        return rc;
    az_spans_union(&s->all);
    f->compute = az_spans_length(c);
    f->comm = az_spans_length(n);
    f->memcpy_time = az_spans_length(m);
    f->busy = az_spans_length(&s->all);
    rc = az_spans_subtract(n, c, &s->tmp);
    f->exposed_comm = az_spans_length(&s->tmp);
    if (rc == 0)
        rc = az_spans_subtract(m, c, &s->tmp);
    if (rc == 0)
        rc = az_spans_subtract(&s->tmp, n, &s->tmp2);
    f->exposed_memcpy = az_spans_length(&s->tmp2);
    if (s->all.n) {
        f->first = s->all.v[0].start;
        f->last = s->all.v[s->all.n - 1].end;
        f->total = f->last - f->first;
    }
    f->micro = micro_gaps(&s->all, micro_threshold);
    return rc;
}

struct work {
    struct az_job *job;
    struct az_fw *fw;
    struct sets sets;
};

static int take(struct work *w, uint32_t gpu, int64_t lo, int64_t hi)
{
    struct az_event e = az_gpu_event(w->fw->tree, gpu);
    struct az_span s = { e.start < lo ? lo : e.start, e.end > hi ? hi : e.end };
    if (s.end < s.start)
        return 0;
    int rc = az_vec_push(&w->sets.all, s);
    return rc ? rc : az_vec_push(&w->sets.of[w->fw->gpu_class[gpu]], s);
}

static int64_t micro_threshold(const struct work *w)
{
    return w->job->opts->micro_idle_us == AZ_UNSET_I64
               ? 0
               : w->job->opts->micro_idle_us * 1000 * w->fw->trace->ticks_per_ns;
}

/* The rows of one block; `lead` puts the cells before `type`. */
static void rows(struct work *w, struct az_table *t, const struct az_fw_figures *f,
                 void (*lead)(struct az_table *, const void *), const void *ctx, const char *recompute)
{
    bool split = w->job->opts->micro_idle_us != AZ_UNSET_I64;
    int64_t idle = f->total - f->busy;
    const struct {
        const char *name;
        int64_t ticks;
        bool shown;
    } r[] = { { "computation_time", f->compute, true },
              { "exposed_comm_time", f->exposed_comm, true },
              { "exposed_memcpy_time", f->exposed_memcpy, true },
              { "busy_time", f->busy, true },
              { "idle_time", idle, !split },
              { "micro_idle_time", f->micro, split },
              { "macro_idle_time", idle - f->micro, split },
              { "total_time", f->total, true },
              { "total_comm_time", f->comm, true },
              { "total_memcpy_time", f->memcpy_time, true } };
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        if (!r[i].shown)
            continue;
        if (lead)
            lead(t, ctx);
        az_put_text(t, az_sv_str(r[i].name));
        az_put_f64(t, az_ms(w->fw->trace, r[i].ticks));
        az_put_f64(t, f->total ? (double)r[i].ticks / (double)f->total * 100.0 : 0.0);
        if (recompute)
            az_put_text(t, az_sv_str(recompute));
    }
}

static void figure_columns(struct az_table *t)
{
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
}

/* Gathers the events that count and (with detect_recompute) are on the given side. */
static int gather(struct work *w, int recompute)
{
    sets_reset(&w->sets);
    for (uint32_t i = 0; i < w->fw->tree->n_gpu; i++) {
        const uint32_t g = w->fw->order[i]; /* by start: nothing is left to sort */
        if (!az_fw_counts(w->fw, g) || (recompute >= 0 && az_fw_gpu_recompute(w->fw, g) != (recompute == 1)))
            continue;
        int rc = take(w, g, INT64_MIN, INT64_MAX);
        if (rc)
            return rc;
    }
    return 0;
}

/* The identity that every report checks of itself: exact in integers. */
static void self_check(struct work *w, const struct az_fw_figures *f)
{
    int64_t rest = f->total - (f->compute + f->exposed_comm + f->exposed_memcpy + (f->total - f->busy));
    az_cover(w->job, "gpu_timeline: total - (computation + exposed_comm + exposed_memcpy + idle)",
             (double)rest / (double)w->fw->trace->ticks_per_ns, "ns",
             rest ? AZ_SV("must be 0: a defect of this program") : AZ_SV("holds exactly"));
}

static int whole(struct work *w)
{
    struct az_table *t =
        az_table_new(w->job->arena, "gpu_timeline", "GPU time line", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    struct az_fw_figures f;
    if (!t)
        return az_arena_error(w->job->arena);
    figure_columns(t);
    bool split = w->job->opts->detect_recompute;
    if (split)
        az_table_column(t, "is_recompute", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    int rc = 0;
    for (int side = 0; rc == 0 && side < (split ? 2 : 1); side++) {
        rc = gather(w, split ? side : -1);
        if (rc == 0)
            rc = measure(&w->sets, micro_threshold(w), &f);
        if (rc == 0) {
            rows(w, t, &f, NULL, NULL, split ? (side ? "True" : "False") : NULL);
            self_check(w, &f);
        }
    }
    return az_fw_emit(w->job, t, rc);
}

static void lead_device(struct az_table *t, const void *ctx) { az_put_i64(t, *(const int64_t *)ctx); }

static int64_t device_of(const struct work *w, uint32_t gpu)
{
    return w->fw->trace->lanes.v[az_gpu_event(w->fw->tree, gpu).lane].device;
}

/* The events of one device, a run of `order`. */
static int one_device(struct work *w, struct az_table *t, const uint32_t *gpu, size_t n)
{
    struct az_fw_figures f;
    int64_t device = device_of(w, gpu[0]);
    int rc = 0;
    sets_reset(&w->sets);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (az_fw_counts(w->fw, gpu[i]))
            rc = take(w, gpu[i], INT64_MIN, INT64_MAX);
    if (rc == 0)
        rc = measure(&w->sets, micro_threshold(w), &f);
    if (rc == 0 && f.events)
        rows(w, t, &f, lead_device, &device, NULL);
    return rc;
}

static int device_rows(struct work *w, struct az_table *t, const int64_t *device, uint32_t *order)
{
    size_t n = w->fw->tree->n_gpu, devices = 0;
    memcpy(order, w->fw->order, n * sizeof *order); /* by start within a device */
    int rc = az_sort_by(device, order, n, w->job->mem);
    for (size_t i = 0; rc == 0 && i < n; devices++) {
        size_t j = i + 1;
        while (j < n && device[order[j]] == device[order[i]])
            j++;
        rc = one_device(w, t, order + i, j - i);
        i = j;
    }
    if (rc == 0 && devices > 1)
        az_finding(w->job, "several_devices", "info", AZ_SV("gpu_timeline"), (int64_t)devices, -1,
                   AZ_SV("the trace holds several devices; gpu_timeline pools them, gpu_timeline_by_device does not"));
    return rc;
}

static int by_device(struct work *w)
{
    size_t n = w->fw->tree->n_gpu;
    struct az_table *t = az_table_new(w->job->arena, "gpu_timeline_by_device", "GPU time line by device", 0);
    struct az_mem *mem = w->job->mem;
    uint32_t *order = az_mem_alloc(mem, (n + 1) * sizeof *order);
    int64_t *device = az_mem_alloc(mem, (n + 1) * sizeof *device);
    int rc = !t ? az_arena_error(w->job->arena) : order && device ? 0 : az_mem_error(mem);
    if (rc)
        goto out;
    az_table_column(t, "device", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    figure_columns(t);
    for (uint32_t g = 0; g < n; g++)
        device[g] = device_of(w, g);
    rc = device_rows(w, t, device, order);
out:
    az_mem_free(mem, order, (n + 1) * sizeof *order);
    az_mem_free(mem, device, (n + 1) * sizeof *device);
    return t ? az_fw_emit(w->job, t, rc) : rc;
}

/* ---- by step: one pass over steps and events, both in order of start ---- */
struct steps {
    struct az_vec_u32 open; /* events begun that had not ended at the start of the last step */
    uint32_t next;          /* of fw->order */
};

/* Gathers the events that touch the window, cut to it. */
static int gather_window(struct work *w, struct steps *s, int64_t lo, int64_t hi)
{
    const struct az_fw *fw = w->fw;
    size_t kept = 0;
    int rc = 0;
    sets_reset(&w->sets);
    while (rc == 0 && s->next < fw->tree->n_gpu && az_gpu_event(fw->tree, fw->order[s->next]).start < hi) {
        uint32_t g = fw->order[s->next++];
        rc = az_fw_counts(fw, g) ? az_vec_push(&s->open, g) : 0;
    }
    for (size_t i = 0; rc == 0 && i < s->open.n; i++) {
        struct az_event e = az_gpu_event(fw->tree, s->open.v[i]);
        if (e.end <= lo)
            continue;
        if (e.start < hi)
            rc = take(w, s->open.v[i], lo, hi);
        s->open.v[kept++] = s->open.v[i];
    }
    s->open.n = kept;
    return rc;
}

static void lead_step(struct az_table *t, const void *ctx) { az_put_text(t, *(const struct az_sv *)ctx); }

static int step_rows(struct work *w, struct az_table *t, struct steps *s)
{
    const struct az_events *a = &w->fw->trace->ev[AZ_RANGE];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < a->n; i++) {
        struct az_sv name = az_fw_text(w->fw, a->name[i], "");
        struct az_fw_figures f;
        if (!az_sv_starts(name, AZ_SV("ProfilerStep#")))
            continue;
        rc = gather_window(w, s, a->start[i], a->end[i]);
        if (rc == 0)
            rc = measure(&w->sets, micro_threshold(w), &f);
        if (rc == 0) { /* the step is the whole, idle at its ends included */
            f.total = a->end[i] - a->start[i];
            rows(w, t, &f, lead_step, &name, NULL);
        }
    }
    return rc;
}

static int by_step(struct work *w)
{
    struct steps s = { .next = 0 };
    struct az_table *t = az_table_new(w->job->arena, "gpu_timeline_by_step", "GPU time line by profiler step", 0);
    if (!t)
        return az_arena_error(w->job->arena);
    az_vec_init(&s.open, w->job->mem);
    az_table_column(t, "step", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    figure_columns(t);
    int rc = w->fw->tree->n_gpu ? step_rows(w, t, &s) : 0;
    az_vec_release(&s.open);
    return az_fw_emit(w->job, t, rc);
}

static int charts(struct az_job *job)
{
    static const struct az_sv parts[] = { { "computation_time", 16 },    { "exposed_comm_time", 17 },
                                          { "exposed_memcpy_time", 19 }, { "idle_time", 9 },
                                          { "micro_idle_time", 15 },     { "macro_idle_time", 15 } };
    const size_t n = sizeof parts / sizeof *parts;
    int rc =
        az_job_chart_parts(job, AZ_CHART_BAR, "gpu_timeline", "GPU time line", "time ms", "is_recompute", parts, n);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_device", "GPU time line by device",
                                "time ms", "device", parts, n);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_step", "GPU time line by profiler step",
                                "time ms", "step", parts, n);
    return rc;
}

int az_fw_timeline(struct az_job *job, struct az_fw *fw, struct az_fw_figures *f)
{
    struct work w = { .job = job, .fw = fw };
    sets_init(&w.sets, job->mem);
    int rc = gather(&w, -1);
    if (rc == 0)
        rc = measure(&w.sets, 0, f);
    sets_release(&w.sets);
    return rc;
}

static int run(struct az_job *job)
{
    struct work w = { .job = job };
    int rc;
    w.fw = az_fw_get(job, &rc);
    if (!w.fw)
        return rc;
    if (w.fw->tree->n_gpu && w.fw->tree->n_linked == 0 && !job->opts->include_unlinked_kernels)
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(w.fw->trace->path),
                    "no launch of its %u device events is in the trace: gpu_timeline is all zeros "
                    "(option include_unlinked_kernels counts them)",
                    w.fw->tree->n_gpu);
    sets_init(&w.sets, job->mem);
    rc = whole(&w);
    if (rc == 0)
        rc = by_device(&w);
    if (rc == 0)
        rc = by_step(&w);
    sets_release(&w.sets);
    return rc ? rc : charts(job);
}

const struct az_analysis az_analysis_gpu_timeline = {
    .name = "gpu_timeline",
    .help = "device time by computation, communication, copies and idle: all, per device, per profiler step",
    .needs = AZ_CAP_CALLTREE,
    .run = run,
};
