/* Where each operation stands under the device's roofline, and how much of the kernel time has a
 * model at all. */
#include "analyses/operators/metrics.h"
#include "analyses/operators/unified.h"
#include "analyses/rates.h"
#include "analyses/roofline_chart.h"
#include "base/sort.h"
#include "document/record.h"
#include "tables/views.h"

#define NAMED  10  /* operators without an estimate named in `coverage` */
#define GOOD   65  /* percent of the roofline from which a row counts as efficient */
#define POINTS 400 /* operations in the chart */

struct line {                           /* rows of one estimate */
    const struct az_unified_row *first; /* its estimate is that of all: estimate_of */
    uint64_t count;
    int64_t time;
    uint32_t next; /* line of the estimate, plus one; 0: none */
    bool copies;   /* nothing but copies on the device: its rates are those of the link */
};
AZ_VEC(struct line, lines);

struct gap { /* kernel time without an estimate */
    struct az_sv name, why;
    int64_t time;
    uint64_t count;
};
AZ_VEC(struct gap, gaps);

struct work {
    struct az_job *job;
    struct az_framework *fw;
    const struct az_unified *u;
    struct az_framework_metrics *metrics;
    struct az_unified_keys keys;
    struct az_unified_recent *recent;
    struct az_map gap_map;
    struct lines lines;
    struct az_vec_u32 first; /* az_unified_chain */
    struct gaps gaps;
    int64_t all, modelled, shaped, shaped_modelled; /* ticks of computing kernels */
    uint64_t unreadable;                            /* rows whose arguments are malformed */
    struct az_peaks limits;
    bool has_limits;
};

static int line_of(struct work *w, const struct az_unified_row *r,
                   const struct az_framework_estimate *e, uint32_t *line)
{
    uint32_t *chain = az_unified_chain(&w->first, e, r), k = chain ? *chain : 0;
    const uint32_t name = az_unified_group(w->u, r);
    while (k && (az_unified_group(w->u, w->lines.v[k - 1].first) != name ||
                 w->lines.v[k - 1].first->category != r->category))
        k = w->lines.v[k - 1].next;
    if (!chain ||
        (k == 0 && az_vec_push(&w->lines,
                               ((struct line){ .first = r,
                                               .next = *chain,
                                               .copies = az_unified_only_copies(w->fw, r) })) != 0))
        return az_mem_error(w->job->mem);
    if (k == 0)
        *chain = k = (uint32_t)w->lines.n;
    *line = k - 1;
    return 0;
}

static int estimate_of(const struct work *w, const struct line *l, struct az_framework_estimate *e)
{
    return az_unified_estimate(w->metrics, w->u, (size_t)(l->first - w->u->rows.v), e);
}

/* Why a row has no estimate. */
static struct az_sv reason(const struct work *w, const struct az_unified_row *r,
                           const struct az_framework_estimate *e)
{
    const struct az_calltree *c = w->fw->tree;
    uint32_t call = r->synthetic ? c->gpu_node[r->of] : AZ_NO_ROW, row;
    if (call != AZ_NO_ROW && az_node_kind(c, call, &row) == AZ_CALL && c->graph_launch[row])
        return AZ_SV("graph launch");
    const struct az_sv name = az_unified_name(w->u, r);
    if (az_sv_find(name, AZ_SV("Torch-Compiled Region")) >= 0 ||
        az_sv_starts(name, AZ_SV("CompiledFunction")))
        return AZ_SV("compiled region");
    if (e->why)
        return az_sv_str(e->why);
    return r->synthetic ? AZ_SV("kernel outside modeled operators") : AZ_SV("unknown operator");
}

static int gap_of(struct work *w, struct az_sv name, struct az_sv why, uint32_t *gap)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->gap_map, az_hash(name.p, name.n), az_hash(why.p, why.n),
                        (uint32_t)w->gaps.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&w->gaps, ((struct gap){ .name = name, .why = why }));
    *gap = rc ? 0 : *at;
    return rc;
}

static void add_to_gap(struct work *w, uint32_t gap, int64_t time)
{
    w->gaps.v[gap].time += time;
    w->gaps.v[gap].count++;
}

/* Some argument has a shape: `[[],[]]` has none. */
static bool has_shapes(const struct work *w, const struct az_op_args *a)
{
    struct az_sv dims = a && a->dims != AZ_NO_ID ? az_trace_text(w->fw->trace, a->dims) : AZ_SV("");
    for (size_t i = 0; i < dims.n; i++)
        if (dims.p[i] >= '0' && dims.p[i] <= '9')
            return true;
    return false;
}

enum { KNOWN, UNREADABLE }; /* flags: it has an estimate; its arguments are malformed */

/* Where a row belongs: a line, or a gap. */
static int find_place(struct work *w, const struct az_unified_row *r, struct az_unified_recent *x)
{
    struct az_framework_estimate e;
    int rc = az_unified_estimate(w->metrics, w->u, (size_t)(r - w->u->rows.v), &e);
    if (rc)
        return rc;
    x->flag[KNOWN] = !isnan(e.flops) || !isnan(e.bytes);
    x->flag[UNREADABLE] = az_framework_unreadable(&e);
    return x->flag[KNOWN] ? line_of(w, r, &e, &x->at)
                          : gap_of(w, az_unified_name(w->u, r), reason(w, r, &e), &x->at);
}

static int add_row(struct work *w, const struct az_unified_row *r)
{
    const size_t row = (size_t)(r - w->u->rows.v);
    const bool shaped = has_shapes(w, az_framework_args(w->fw, r->node));
    const int64_t time = az_unified_time(w->u, r), kernels = az_unified_kernel_time(w->fw, r, time);
    struct az_unified_recent *x;
    bool seen;
    int rc = az_unified_recall(&w->keys, w->recent, w->u, row, &x, &seen);
    if (rc == 0 && !seen)
        rc = find_place(w, r, x);
    if (rc)
        return rc;
    w->unreadable += x->flag[UNREADABLE];
    w->all += kernels;
    w->shaped += shaped ? kernels : 0;
    if (!x->flag[KNOWN]) {
        if (kernels > 0)
            add_to_gap(w, x->at, kernels);
        return 0;
    }
    w->modelled += kernels;
    w->shaped_modelled += shaped ? kernels : 0;
    w->lines.v[x->at].count++;
    w->lines.v[x->at].time += time;
    return 0;
}

/* Kernels that no call launched have no operator at all. */
static int add_unlinked(struct work *w)
{
    int64_t time = 0;
    for (uint32_t g = 0; g < w->fw->tree->n_gpu; g++)
        time += az_unified_unlinked_time(w->fw, g);
    w->all += time;
    uint32_t gap;
    const int rc = time ? gap_of(w, AZ_SV("unlinked kernels"), AZ_SV("unlinked"), &gap) : 0;
    if (rc == 0 && time)
        add_to_gap(w, gap, time);
    return rc;
}

/* "peak", "achievable", "own": which rates count. */
static struct az_sv basis(const struct az_peaks *p)
{
    if (p->basis.n == 0)
        return AZ_SV("own");
    if (!p->own)
        return p->basis;
    return az_sv_is(p->basis, "peak") ? AZ_SV("peak and user") : AZ_SV("achievable and user");
}

/* ", scaled to 12.5% of the device"; empty: the rates are of the whole device. */
static struct az_sv scaled(struct az_arena *a, const struct az_peaks *p)
{
    if (p->source != AZ_PEAKS_SCALED)
        return AZ_SV("");
    return az_arena_printf(a, ", scaled to %.3g%% of the device", 100 * p->share);
}

/* ---- coverage ---- */
static double ns_of_ticks(const struct work *w, int64_t ticks)
{
    return (double)ticks / (double)w->fw->trace->ticks_per_ns;
}
static double percent(int64_t part, int64_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 0;
}

static int order_gaps(struct work *w, uint32_t *perm)
{
    int64_t *key = az_mem_alloc(w->job->mem, (w->gaps.n + 1) * sizeof *key);
    if (!key)
        return az_mem_error(w->job->mem);
    for (size_t i = 0; i < w->gaps.n; i++)
        key[i] = -w->gaps.v[i].time;
    az_sort_order(key, w->gaps.n, perm, w->job->mem);
    az_mem_free(w->job->mem, key, (w->gaps.n + 1) * sizeof *key);
    return 0;
}

static void cover_reasons(struct work *w)
{
    for (size_t i = 0; i < w->gaps.n; i++) {
        int64_t time = 0;
        uint64_t count = 0;
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = az_sv_eq(w->gaps.v[k].why, w->gaps.v[i].why);
        for (size_t k = i; k < w->gaps.n && !seen; k++)
            if (az_sv_eq(w->gaps.v[k].why, w->gaps.v[i].why)) {
                time += w->gaps.v[k].time;
                count += w->gaps.v[k].count;
            }
        if (seen || time == 0)
            continue;
        struct az_sv item =
            az_arena_printf(w->job->arena, "no model: %.*s", AZ_SVF(w->gaps.v[i].why));
        struct az_sv note =
            az_arena_printf(w->job->arena, "%.2f%% of compute kernel time, %llu operations",
                            percent(time, w->all), (unsigned long long)count);
        if (item.p && note.p)
            az_cover(w->job, item.p, ns_of_ticks(w, time), "ns", note);
    }
}

static int cover(struct work *w)
{
    uint32_t *perm = az_arena_array(w->job->arena, w->gaps.n + 1, sizeof *perm);
    int rc = perm ? order_gaps(w, perm) : az_arena_error(w->job->arena);
    if (rc || w->all == 0)
        return rc;
    az_cover(w->job, "compute kernel time with FLOPs or bytes known", percent(w->modelled, w->all),
             "%", AZ_SV("of all compute kernels read, not only those of steps"));
    az_cover(w->job, "compute kernel time with FLOPs or bytes known, shapes recorded",
             w->shaped > 0 ? percent(w->shaped_modelled, w->shaped) : NAN, "%",
             az_arena_printf(w->job->arena,
                             "of the %.2f%% launched by operations with recorded shapes",
                             percent(w->shaped, w->all)));
    cover_reasons(w);
    for (size_t i = 0; i < w->gaps.n && i < NAMED && w->gaps.v[perm[i]].time > 0; i++) {
        const struct gap *g = &w->gaps.v[perm[i]];
        struct az_sv item =
            az_arena_printf(w->job->arena, "no model: %.*s%s",
                            AZ_SVF(az_sv_make(g->name.p, g->name.n < 96 ? g->name.n : 96)),
                            g->name.n < 96 ? "" : "...");
        if (item.p)
            az_cover(
                w->job, item.p, percent(g->time, w->all), "%",
                az_arena_printf(w->job->arena, "of compute kernel time; %.*s", AZ_SVF(g->why)));
    }
    const struct az_peaks *p = az_framework_peaks(w->metrics);
    if (p)
        az_cover(w->job, "roofline", p->bw, "GB/s",
                 az_arena_printf(
                     w->job->arena, "memory bandwidth of %.*s, %.*s rates, matched by %s%.*s%s%.*s",
                     AZ_SVF(p->name), AZ_SVF(basis(p)), p->how, AZ_SVF(scaled(w->job->arena, p)),
                     p->uncertain.n ? "; not confirmed by a vendor document: " : "",
                     AZ_SVF(p->uncertain)));
    else
        az_cover(w->job, "roofline", 0, "",
                 AZ_SV("no peak rates for this device, roofline skipped; set \"device\" or "
                       "\"device_peaks\""));
    return 0;
}

/* ---- tables ---- */
static double seconds(const struct work *w, int64_t ticks) { return ns_of_ticks(w, ticks) * 1e-9; }
static double per_second(const struct work *w, double amount, const struct line *l)
{
    return l->time > 0 ? amount * (double)l->count / seconds(w, l->time) : NAN;
}

/* On average faster than the device can be: no efficiency, but a mistake somewhere. */
static bool is_impossible(const struct work *w, const struct line *l,
                          const struct az_framework_estimate *e, double us)
{
    if (!w->has_limits || !e->perf || l->copies || e->perf->assumed || l->count == 0)
        return false;
    const struct az_rate rate = { e->perf->unit, e->perf->prec, e->flops, e->bytes,
                                  us / (double)l->count };
    return az_rate_check(&w->limits, &rate) == AZ_RATE_IMPOSSIBLE;
}

struct point { /* a row of the table */
    struct az_sv name, category, dims, types;
    const struct line *line;
    struct az_framework_estimate e;
    struct az_roofline roof;
    double us, share, flop_rate, byte_rate; /* share: percent of the roofline; NaN unknown */
    double ridge;
    bool impossible;
};
#define POINT_REAL(name, value) AZ_OF_RECORD(double, name, struct point, value)
#define POINT_TEXT(name, value) AZ_TEXT_OF_RECORD(name, struct point, value)
POINT_REAL(point_gflops, r->e.flops / 1e9)
POINT_REAL(point_megabytes, r->e.bytes / 1048576)
POINT_REAL(point_intensity, r->e.bytes > 0 ? r->e.flops / r->e.bytes : NAN)
POINT_REAL(point_tflops, r->flop_rate / 1e12)
POINT_REAL(point_tbytes, r->byte_rate / 1e12)
POINT_TEXT(point_class, isnan(r->share) || r->impossible ? AZ_SV("")
                        : r->share >= GOOD               ? AZ_SV("OK")
                                                         : AZ_SV("LOW"))
POINT_TEXT(point_assumed, !*r->roof.peak    ? AZ_SV("")
                          : r->roof.assumed ? AZ_SV("True")
                                            : AZ_SV("False"))
POINT_TEXT(point_note, r->impossible        ? AZ_SV("above peak: check device, model, or clock")
                       : r->line->copies    ? AZ_SV("copy engine only: no roofline")
                       : r->e.perf->assumed ? AZ_SV("based on an assumed size")
                                            : AZ_SV(""))

static const struct az_record_column roofline_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct point, name), .sort = 2 },
    { "op category", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_FIELD(struct point, category) },
    { "Input Dims", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(struct point, dims), .sort = 3 },
    { "Input type", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_KNOWN(struct point, types) },
    { "Compute Spec", AZ_TEXT, AZ_KNOWN(struct point, e.spec) },
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct point, line, count) },
    { "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct point, us),
      .sort = -1 },
    { "GFLOPS", AZ_REAL, AZ_UNIT_GFLOP, AZ_DETAIL, .real = point_gflops },
    { "Data Moved (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = point_megabytes },
    { "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, .real = point_intensity },
    { "TFLOPS/s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, .real = point_tflops },
    { "TB/s", AZ_REAL, AZ_UNIT_TBPS, AZ_HIGHER_BETTER, .real = point_tbytes },
    { "Roofline Time (µs)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(struct point, roof.time_us) },
    { "Roofline Bound", AZ_TEXT, AZ_KNOWN(struct point, roof.bound) },
    { "Pct Roofline", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(struct point, share) },
    { "Efficiency class", AZ_TEXT, .text = point_class, .known = true },
    { "Peak", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(struct point, roof.peak) },
    { "Peak (TFLOPS/s)", AZ_REAL, AZ_UNIT_TFLOPS, AZ_DETAIL, AZ_FIELD(struct point, roof.tflops) },
    { "Ridge (FLOPS/Byte)", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL,
      AZ_FIELD(struct point, ridge) },
    { "Peak assumed", AZ_TEXT, .flags = AZ_DETAIL, .text = point_assumed, .known = true },
    { "Note", AZ_TEXT, .flags = AZ_DETAIL, .text = point_note, .known = true },
};

static int point_of(struct work *w, const struct line *l, struct point *out)
{
    struct az_framework_estimate e;
    const int rc = estimate_of(w, l, &e);
    if (rc)
        return rc;
    const struct az_op_args *a = az_framework_args(w->fw, l->first->node);
    const struct az_peaks *p = az_framework_peaks(w->metrics);
    struct point x = { .name = az_unified_name(w->u, l->first),
                       .category = az_unified_category(w->u, l->first),
                       .dims = az_framework_text(w->fw, a ? a->dims : AZ_NO_ID, ""),
                       .types = az_framework_text(w->fw, a ? a->types : AZ_NO_ID, ""),
                       .line = l,
                       .e = e,
                       .roof = az_framework_roofline(w->metrics, &e),
                       .us = ns_of_ticks(w, l->time) * 1e-3,
                       .flop_rate = per_second(w, e.flops, l),
                       .byte_rate = per_second(w, e.bytes, l) };
    x.share = x.us > 0 ? 100 * x.roof.time_us * (double)l->count / x.us : NAN;
    x.impossible = is_impossible(w, l, &e, x.us);
    if (l->copies) { /* a copy across the link is not bound by the device's memory */
        x.roof = (struct az_roofline){ .time_us = NAN, .tflops = NAN, .bound = "", .peak = "" };
        x.share = NAN;
    }
    x.ridge = p ? x.roof.tflops * 1e3 / p->bw : NAN;
    *out = x;
    return 0;
}

/* Is the table shown next to unified_perf_summary? */
static bool is_shown(const struct az_job *job)
{
    const struct az_view_choice choice = { .compat = job->opts->compat };
    return !az_sv_is(job->opts->sheets_as, "own") || az_views_wanted(job->doc, "roofline", choice);
}

static int roofline_table(struct work *w)
{
    const struct az_peaks *p = az_framework_peaks(w->metrics);
    struct az_sv title =
        p ? az_arena_printf(w->job->arena, "Roofline: %.*s, %.*s rates%.*s", AZ_SVF(p->name),
                            AZ_SVF(basis(p)), AZ_SVF(scaled(w->job->arena, p)))
          : AZ_SV("Operation rates");
    struct az_table *t = title.p ? AZ_RECORD_TABLE(w->job->arena, "roofline", title.p,
                                                   AZ_TABLE_SUMMARY, roofline_columns)
                                 : NULL;
    int rc = 0;
    if (t && w->lines.n && !is_shown(w->job))
        t->flags |= AZ_TABLE_KEEP_EMPTY; /* reported as one on request */
    else
        for (size_t i = 0; rc == 0 && i < w->lines.n; i++) {
            struct point x;
            rc = point_of(w, &w->lines.v[i], &x);
            if (rc == 0)
                az_put_row(t, &x);
        }
    return az_job_add(w->job, t, rc ? rc : az_record_sort(t));
}

/* Rates that some operation is compared with. */
static int put_roofs(struct work *w, const struct az_peaks *p, struct az_roofs *out)
{
    bool used[AZ_RATES] = { false };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->lines.n; i++) {
        struct az_framework_estimate e;
        rc = estimate_of(w, &w->lines.v[i], &e);
        const char *peak = rc ? "" : az_framework_roofline(w->metrics, &e).peak;
        for (size_t k = 0; k < AZ_RATES; k++)
            used[k] = used[k] || strcmp(peak, az_rate_name[k]) == 0;
    }
    for (size_t k = 0; rc == 0 && k < AZ_RATES; k++)
        if (used[k])
            rc = az_vec_push(out,
                             ((struct az_roof){ az_sv_str(az_rate_name[k]), p->rate[k], p->bw }));
    return rc;
}

/* Operations in order of appearance. */
static int put_dots(struct work *w, struct az_roofline_dots *out)
{
    size_t more = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->lines.n; i++) {
        const struct line *l = &w->lines.v[i];
        struct az_framework_estimate e;
        rc = estimate_of(w, l, &e);
        if (rc || !(e.flops > 0) || !(e.bytes > 0) || l->time <= 0 || l->copies)
            continue;
        if (out->n == POINTS) {
            more++;
            continue;
        }
        rc = az_vec_push(out, ((struct az_roofline_dot){ .name = az_unified_name(w->u, l->first),
                                                         .intensity = e.flops / e.bytes,
                                                         .tflops = per_second(w, e.flops, l) / 1e12,
                                                         .us = ns_of_ticks(w, l->time) * 1e-3 }));
    }
    if (more)
        az_cover(w->job, "roofline_chart: operations skipped", (double)more, "count",
                 AZ_SV("last in order; all are in table roofline"));
    return rc;
}

/* Points of the chart: operations, then one roof line for each precision in use. */
static int chart(struct work *w)
{
    const struct az_peaks *p = az_framework_peaks(w->metrics);
    struct az_roofline_dots dots;
    struct az_roofs roofs;
    int rc;

    if (!p || !(p->bw > 0))
        return AZ_OK;
    az_vec_init(&dots, w->job->mem);
    az_vec_init(&roofs, w->job->mem);
    rc = put_roofs(w, p, &roofs);
    if (rc == 0 && roofs.n)
        rc = put_dots(w, &dots);
    if (rc == 0)
        rc = az_roofline_chart(w->job, &dots, &roofs, "Kernel Time (µs)_sum");
    az_vec_release(&dots);
    az_vec_release(&roofs);
    return rc;
}

int az_unified_roofline(struct az_job *job, struct az_framework *fw, const struct az_unified *u)
{
    int rc;
    struct work w = {
        .job = job, .fw = fw, .u = u, .metrics = az_framework_metrics_get(job, fw, &rc)
    };
    if (rc == 0)
        rc = az_unified_keys_get(&w.keys, w.metrics, u);
    if (rc)
        return rc;
    const struct az_device_facts facts = az_trace_device(fw->trace);
    w.has_limits = az_job_limits(job, &facts, &w.limits);
    az_vec_init(&w.lines, job->mem);
    az_vec_init(&w.gaps, job->mem);
    az_vec_init(&w.first, job->mem);
    az_map_init(&w.gap_map, job->mem, 64);
    w.recent = az_unified_recent_new(job->mem);
    if (!w.recent)
        rc = az_mem_error(job->mem);
    for (size_t i = 0; rc == 0 && i < u->rows.n; i++)
        rc = add_row(&w, &u->rows.v[i]);
    if (rc == 0)
        rc = add_unlinked(&w);
    if (rc == 0 && w.unreadable)
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(fw->trace->path),
                    "unified_perf_summary: %llu of %zu operations have a malformed argument list "
                    "(times only)",
                    (unsigned long long)w.unreadable, u->rows.n);
    az_vec_release(&w.first); /* before the rows of many lines */
    if (rc == 0)
        rc = cover(&w);
    if (rc == 0)
        rc = roofline_table(&w);
    if (rc == 0)
        rc = chart(&w);
    az_unified_recent_free(w.recent, job->mem);
    az_vec_release(&w.first);
    az_map_release(&w.gap_map);
    az_vec_release(&w.lines);
    az_vec_release(&w.gaps);
    return rc;
}
