/* category_summary, xla_top, kernel_summary_by_shape, hip_summary: the activity report of a trace of dispatches, made from
 * the common model (docs/formats-rocprof.md 7.3 A; overlap by unions). */
#include "analyses/device/dispatch.h"
#include "analyses/list.h"
#include "base/interval.h"
#include "facts/groups.h"
#include "classify/rules.h"

/* In the order of the rows; the last three rows are sums. */
static const char *const classes[] = { "xla",   "aiterfwd", "aiterbwd",      "gemm",       "ckbwd",
                                       "ckfwd", "te",       "memcpy/memset", "fillBuffer", "rccl" };
enum { CLASSES = sizeof classes / sizeof *classes, RCCL = CLASSES - 1, ROWS = CLASSES + 4, TOP = 30 };
static const char *const sums[] = { "overlapped_comm", "non_overlapped_comm", "compute_total", "total_incl_comm" };

struct work {
    struct az_job *job;
    struct amd_list kernels;
    struct amd_gpus gpus;
    uint8_t *class_of;      /* kernel item -> place in `classes` */
    uint32_t *whole;        /* kernel item -> number in `names` */
    struct az_intern names; /* whole names, without digits where merge_kernels asks for it */
    int64_t total_incl;     /* ns, all GPUs */
};

static bool long_enough(const struct work *w, int64_t ns) { return ns >= w->job->opts->min_event_ns; }

static int class_number(const struct az_trace *t, uint32_t kernel, struct az_sv whole)
{
    if (az_trace_is_comm(t, t->ev[AZ_KERNEL].name[kernel]))
        return RCCL;
    const struct az_sv c = az_rules_class("amd_activity.rules", "activity", whole);
    for (int i = 0; i < CLASSES; i++)
        if (az_sv_is(c, classes[i]))
            return i;
    return 0;
}

/* Text without its digits, in the arena. */
static struct az_sv without_digits(struct az_arena *a, struct az_sv s)
{
    char *out = az_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; out && i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            out[n++] = s.p[i];
    return az_sv_make(out, out ? n : 0);
}

/* Decides class and name once a shape's name, not once a kernel. */
static int prepare_trace(struct work *w, size_t trace, size_t *item)
{
    const struct az_trace *t = w->job->traces[trace];
    size_t n = t->names.text.n + 1;
    uint8_t *cls = az_arena_array(w->job->arena, n, 1);
    uint32_t *number = az_arena_array(w->job->arena, n, sizeof *number);
    int rc = cls && number ? 0 : az_arena_error(w->job->arena);
    for (size_t k = 0; rc == 0 && k < t->ev[AZ_KERNEL].n; k++, ++*item) {
        uint32_t id = amd_shape(t, (uint32_t)k)->whole;
        struct az_sv name = az_trace_text(t, id);
        if (!cls[id]) {
            cls[id] = (uint8_t)(1 + class_number(t, (uint32_t)k, name));
            rc = az_intern(&w->names, w->job->opts->merge_kernels ? without_digits(w->job->arena, name) : name,
                           &number[id]);
        }
        w->class_of[*item] = (uint8_t)(cls[id] - 1);
        w->whole[*item] = number[id];
    }
    return rc;
}

static int prepare(struct work *w)
{
    size_t item = 0;
    int rc = amd_list_make(w->job, AZ_KERNEL, &w->kernels);
    if (rc == 0)
        rc = amd_gpus_make(w->job, &w->gpus);
    w->class_of = az_arena_array(w->job->arena, w->kernels.n + 1, 1);
    w->whole = az_arena_array(w->job->arena, w->kernels.n + 1, sizeof *w->whole);
    if (rc == 0 && (!w->class_of || !w->whole))
        rc = az_arena_error(w->job->arena);
    for (size_t i = 0; rc == 0 && i < w->job->n_traces; i++)
        if (amd_has(w->job->traces[i]))
            rc = prepare_trace(w, i, &item);
    return rc;
}

/* ---- category_summary ---- */

struct figures {
    double ms[ROWS], count[ROWS];
};

static int measure(struct work *w, size_t gpu, struct figures *f)
{
    struct az_spans comm, compute;
    int64_t ns[ROWS] = { 0 };
    int rc = 0;
    *f = (struct figures){ .ms = { 0 } };
    az_vec_init(&comm, w->job->mem);
    az_vec_init(&compute, w->job->mem);
    for (size_t i = 0; rc == 0 && i < w->kernels.n; i++) {
        const struct amd_gpu *g = &w->gpus.v[gpu];
        const struct az_events *e = &amd_trace(w->job, &w->kernels, i)->ev[AZ_KERNEL];
        if (w->kernels.trace[i] != g->trace || amd_lane(w->job, AZ_KERNEL, &w->kernels, i)->device != g->agent ||
            !long_enough(w, w->kernels.length[i]))
            continue;
        int c = w->class_of[i];
        struct az_span s = { e->start[w->kernels.row[i]], e->end[w->kernels.row[i]] };
        ns[c] += w->kernels.length[i];
        f->count[c]++;
        rc = c == RCCL ? az_vec_push(&comm, s) : az_vec_push(&compute, s);
    }
    az_spans_union(&comm); /* in start order: the list of a trace is sealed */
    az_spans_union(&compute);
    ns[CLASSES] = az_spans_overlap(&comm, &compute);
    ns[CLASSES + 1] = ns[RCCL] - ns[CLASSES];
    for (int c = 0; c < RCCL; c++)
        ns[CLASSES + 2] += ns[c];
    ns[CLASSES + 3] = ns[CLASSES + 2] + ns[RCCL];
    w->total_incl += ns[CLASSES + 3];
    for (int c = 0; c < ROWS; c++)
        f->ms[c] = amd_ms(ns[c]);
    az_vec_release(&comm);
    az_vec_release(&compute);
    return rc;
}

static double share(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

struct row {
    double ms, count, of_compute, of_total;
};

static void put_row(struct az_table *t, struct az_sv gpu, const char *category, const struct row *r)
{
    az_put_text(t, gpu);
    az_put_text(t, az_sv_str(category));
    az_put_f64(t, r->ms);
    az_put_f64(t, r->count);
    az_put_f64(t, r->of_compute);
    az_put_f64(t, r->of_total);
}

static const char *row_name(int c) { return c < CLASSES ? classes[c] : sums[c - CLASSES]; }

/* Rows of the means over the GPUs, by the byte order of the category. */
static void put_means(struct work *w, struct az_table *t, const struct row *mean)
{
    bool done[ROWS] = { false };
    for (int n = 0; n < ROWS; n++) {
        int next = -1;
        for (int c = 0; c < ROWS; c++)
            if (!done[c] && (next < 0 || strcmp(row_name(c), row_name(next)) < 0))
                next = c;
        done[next] = true;
        double d = (double)w->gpus.n;
        put_row(t, AZ_SV("Avg"), row_name(next),
                &(struct row){ mean[next].ms / d, mean[next].count / d, mean[next].of_compute / d,
                               mean[next].of_total / d });
    }
}

static int category_summary(struct work *w)
{
    struct az_table *t = az_table_new(w->job->arena, "category_summary", "Kernel time by class and GPU", 0);
    struct row mean[ROWS] = { { .ms = 0 } };
    struct figures f;
    int rc = 0;
    if (!t)
        return az_arena_error(w->job->arena);
    az_table_column(t, "GPU ID", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Total runtime (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "Total count", AZ_REAL, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Fraction of compute runtime", AZ_REAL, AZ_UNIT_RATIO, 0);
    az_table_column(t, "Fraction of total runtime", AZ_REAL, AZ_UNIT_RATIO, AZ_SHARE);
    for (size_t g = 0; rc == 0 && g < w->gpus.n; g++) {
        rc = measure(w, g, &f);
        struct az_sv id = az_arena_printf(w->job->arena, "%zu", g);
        for (int c = 0; rc == 0 && c < ROWS; c++) {
            struct row r = { f.ms[c], f.count[c], share(f.ms[c], f.ms[CLASSES + 2]),
                             share(f.ms[c], f.ms[CLASSES + 3]) };
            put_row(t, id, row_name(c), &r);
            mean[c].ms += r.ms;
            mean[c].count += r.count;
            mean[c].of_compute += r.of_compute;
            mean[c].of_total += r.of_total;
        }
    }
    if (rc == 0 && w->gpus.n)
        put_means(w, t, mean);
    return amd_emit(w->job, t, rc);
}

/* ---- xla_top: kernels of no class, however short ---- */

static int xla_top(struct work *w)
{
    struct az_table *t = az_table_new(w->job->arena, "xla_top", "The biggest kernels of no other class", 0);
    size_t names = w->names.text.n;
    int64_t all = 0, *sum = az_arena_array(w->job->arena, names + 1, sizeof *sum),
            *count = az_arena_array(w->job->arena, names + 1, sizeof *count);
    if (!t || !sum || !count)
        return az_arena_error(w->job->arena);
    az_table_column(t, "Kernel", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Total time (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Fraction of XLA", AZ_REAL, AZ_UNIT_RATIO, AZ_SHARE);
    for (size_t i = 0; i < w->kernels.n; i++) {
        if (w->class_of[i] != 0)
            continue;
        all += w->kernels.length[i];
        sum[w->whole[i]] += w->kernels.length[i];
        count[w->whole[i]]++;
    }
    for (uint32_t k = 0; k < names; k++) {
        if (!count[k])
            continue;
        az_put_copy(t, az_intern_text(&w->names, k));
        az_put_f64(t, amd_ms(sum[k]));
        az_put_i64(t, count[k]);
        az_put_f64(t, share((double)sum[k], (double)all));
    }
    int rc = az_table_sort(t, (int[]){ -2, 0 }, 2);
    az_table_keep(t, TOP);
    return amd_emit(w->job, t, rc);
}

/* ---- statistics by name and shape ---- */

/* "982 ns", "13.555 μs", "1.210 ms", "2.000 s" */
static struct az_sv time_text(struct az_arena *a, double ns)
{
    if (ns < 1e3)
        return az_arena_printf(a, "%lld ns", (long long)ns);
    if (ns < 1e6)
        return az_arena_printf(a, "%.3f μs", ns / 1e3);
    return ns < 1e9 ? az_arena_printf(a, "%.3f ms", ns / 1e6) : az_arena_printf(a, "%.3f s", ns / 1e9);
}

struct figures5 {
    struct az_stats s;
    double std, percent; /* population deviation */
};

static void stats_of(struct az_groups *g, size_t group, const int64_t *length, int64_t all, struct figures5 *f)
{
    size_t n = az_groups_take(g, group, length);
    az_stats_i64(g->value, n, &f->s);
    f->std = n < 2 ? 0.0 : f->s.std * __builtin_sqrt((double)(n - 1) / (double)n);
    f->percent = az_percent((double)f->s.sum, (double)all);
}

static void text_columns(struct az_table *t)
{
    static const char *const names[] = { "Time", "Total Time", "Instances", "Avg", "Med", "Min", "Max", "StdDev" };
    for (size_t i = 0; i < 8; i++)
        az_table_column(t, names[i], i == 2 ? AZ_INT : AZ_TEXT, i == 2 ? AZ_UNIT_COUNT : AZ_UNIT_NONE, AZ_DETAIL);
}

static void put_texts(struct az_arena *a, struct az_table *t, const struct figures5 *f)
{
    az_put_text(t, az_arena_printf(a, "%.1f%%", f->percent));
    az_put_text(t, time_text(a, (double)f->s.sum));
    az_put_i64(t, (int64_t)f->s.n);
    az_put_text(t, time_text(a, f->s.mean));
    az_put_text(t, time_text(a, f->s.median));
    az_put_text(t, time_text(a, (double)f->s.min));
    az_put_text(t, time_text(a, (double)f->s.max));
    az_put_text(t, time_text(a, f->std));
}

static void number_columns(struct az_table *t)
{
    static const char *const names[] = { "Total Time (ns)", "Avg (ns)", "Med (ns)",
                                         "Min (ns)",        "Max (ns)", "StdDev (ns)" };
    az_table_column(t, "Time %", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (size_t i = 0; i < 6; i++) {
        bool whole = i == 0 || i == 3 || i == 4;
        az_table_column(t, names[i], whole ? AZ_INT : AZ_REAL, AZ_UNIT_NS, i ? AZ_DETAIL : AZ_LOWER_BETTER);
    }
}

static void put_numbers(struct az_table *t, const struct figures5 *f)
{
    az_put_f64(t, f->percent);
    az_put_i64(t, f->s.sum);
    az_put_f64(t, f->s.mean);
    az_put_f64(t, f->s.median);
    az_put_i64(t, f->s.min);
    az_put_i64(t, f->s.max);
    az_put_f64(t, f->std);
}

static int64_t product(const uint32_t v[3])
{
    int64_t p = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(p, v[i] ? (int64_t)v[i] : 1, &p))
            return INT64_MAX;
    return p;
}

struct shape { /* what a row stands for */
    int64_t name, grid, block, vgpr, agpr, sgpr, lds, scratch;
};
AZ_VEC(struct shape, shapes);

static struct shape shape_of(const struct work *w, size_t item)
{
    const struct az_dispatch_shape *s = amd_shape(amd_trace(w->job, &w->kernels, item), w->kernels.row[item]);
    return (struct shape){ w->whole[item], product(s->grid), product(s->block), s->vgpr, s->agpr,
                           s->sgpr,        s->lds,           s->scratch };
}

static int group_shapes(struct work *w, uint32_t *of, struct shapes *out)
{
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 256);
    for (size_t i = 0; rc == 0 && i < w->kernels.n; i++) {
        struct shape s = shape_of(w, i);
        uint32_t *at;
        bool added;
        of[i] = AZ_NO_ID;
        if (w->class_of[i] == RCCL || !long_enough(w, w->kernels.length[i]))
            continue;
        rc = az_map_put(&map, az_hash(&s, sizeof s), (uint64_t)s.name << 32 | (uint32_t)s.grid, (uint32_t)out->n, &at,
                        &added);
        if (rc == 0)
            of[i] = *at;
        if (rc == 0 && added)
            rc = az_vec_push(out, s);
    }
    az_map_release(&map);
    return rc;
}

static void shape_row(struct work *w, struct az_table *t, const struct shape *s, const struct figures5 *f)
{
    struct az_arena *a = w->job->arena;
    const int64_t five[] = { s->vgpr, s->agpr, s->sgpr, s->lds, s->scratch };
    put_texts(a, t, f);
    az_put_text(t, az_arena_printf(a, "%7lld%5d%5d", (long long)s->grid, 1, 1));
    az_put_text(t, az_arena_printf(a, "%7lld%5d%5d", (long long)s->block, 1, 1));
    for (int i = 0; i < 5; i++)
        az_put_i64(t, five[i]);
    az_put_copy(t, az_intern_text(&w->names, (uint32_t)s->name));
    put_numbers(t, f);
    for (int i = 0; i < 3; i++)
        az_put_i64(t, i ? 1 : s->grid);
    for (int i = 0; i < 3; i++)
        az_put_i64(t, i ? 1 : s->block);
}

static int by_shape(struct work *w)
{
    static const char *const five[] = { "VGPR", "AccumVGPR", "SGPR", "LDS", "Scratch" };
    static const char *const six[] = { "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ" };
    struct az_table *t =
        az_table_new(w->job->arena, "kernel_summary_by_shape",
                     "Kernels by size and registers, communication left out (grid: product, work-items)", 0);
    uint32_t *of = az_arena_array(w->job->arena, w->kernels.n + 1, sizeof *of);
    struct shapes rows;
    struct az_groups g;
    if (!t || !of)
        return az_arena_error(w->job->arena);
    text_columns(t);
    az_table_column(t, "GridXYZ", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "BlockXYZ", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < 5; i++)
        az_table_column(t, five[i], AZ_INT, i < 3 ? AZ_UNIT_COUNT : AZ_UNIT_BYTES, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    number_columns(t);
    for (size_t i = 0; i < 6; i++)
        az_table_column(t, six[i], AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_vec_init(&rows, w->job->mem);
    int rc = group_shapes(w, of, &rows), made = -1;
    if (rc == 0)
        rc = made = az_groups_make(&g, of, w->kernels.n, rows.n, w->job->mem);
    for (size_t k = 0; rc == 0 && k < rows.n; k++) {
        struct figures5 f;
        stats_of(&g, k, w->kernels.length, w->total_incl, &f);
        shape_row(w, t, &rows.v[k], &f);
    }
    if (made == 0)
        az_groups_release(&g);
    az_vec_release(&rows);
    int sum = (int)az_table_find(t, "Total Time (ns)"), name = (int)az_table_find(t, "Name"),
        grid = (int)az_table_find(t, "GridX"), vgpr = (int)az_table_find(t, "VGPR");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -(sum + 1), name, grid, grid + 3, vgpr, vgpr + 1, vgpr + 2, vgpr + 3, vgpr + 4 },
                           9);
    return amd_emit(w->job, t, rc);
}

/* ---- hip_summary: calls of the HIP domain by name ---- */

static int hip_table(struct work *w, const struct amd_list *l)
{
    struct az_table *t = az_table_new(w->job->arena, "hip_summary", "HIP calls", 0);
    struct az_groups g;
    int64_t all = 0;
    int made, rc;
    if (!t)
        return az_arena_error(w->job->arena);
    text_columns(t);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    number_columns(t);
    for (size_t i = 0; i < l->n; i++) {
        const struct az_trace *tr = amd_trace(w->job, l, i);
        struct az_sv domain = az_trace_text(tr, tr->ev[AZ_CALL].side[l->row[i]]);
        bool hip = domain.n >= 3 && az_sv_ieq(az_sv_make(domain.p, 3), AZ_SV("hip"));
        if (!hip || !long_enough(w, l->length[i]))
            l->name[i] = AZ_NO_ID;
        else
            all += l->length[i];
    }
    rc = made = az_groups_make(&g, l->name, l->n, az_job_names(w->job), w->job->mem);
    for (uint32_t k = 0; rc == 0 && k < g.groups; k++) {
        struct figures5 f;
        if (g.first[k] == g.first[k + 1])
            continue;
        stats_of(&g, k, l->length, all, &f);
        put_texts(w->job->arena, t, &f);
        az_put_text(t, az_job_text(w->job, k));
        put_numbers(t, &f);
    }
    if (made == 0)
        az_groups_release(&g);
    int sum = (int)az_table_find(t, "Total Time (ns)");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -(sum + 1), 8 }, 2);
    return amd_emit(w->job, t, rc);
}

static int hip_summary(struct work *w)
{
    struct amd_list l;
    int rc = amd_list_make(w->job, AZ_CALL, &l);
    if (rc == 0)
        rc = hip_table(w, &l);
    amd_list_release(&l);
    return rc;
}

static int run(struct az_job *job)
{
    struct work w = { .job = job };
    az_vec_init(&w.gpus, job->mem);
    int rc = az_intern_init(&w.names, job->arena, job->mem);
    if (rc)
        return rc;
    rc = prepare(&w);
    if (rc == 0)
        rc = category_summary(&w);
    if (rc == 0)
        rc = xla_top(&w);
    if (rc == 0)
        rc = by_shape(&w);
    amd_list_release(&w.kernels);
    if (rc == 0)
        rc = hip_summary(&w);
    az_vec_release(&w.gpus);
    az_intern_release(&w.names);
    return rc;
}

const struct az_analysis az_analysis_amd_activity = {
    .name = "dispatch_activity",
    .help = "kernel time by class and GPU, the biggest kernels, kernels by size and registers, HIP calls",
    .needs = AZ_CAP_DISPATCHES,
    .run = run,
};
