/* Rules about operators whose work is known: roofline_headroom, misaligned_shape, precision; and
 * the rate of the whole (docs/verdict.md 3.4). */
#include <math.h>

#include "analyses/hlo/rates.h"
#include "analyses/operators/metrics.h"
#include "analyses/operators/unified.h"
#include "analyses/rates.h"
#include "analyses/verdict/verdict.h"
#include "base/num.h"
#include "model/geometry.h"

#define REACHED    0.80 /* of a data sheet's peak can be reached, */
#define ATTENTION  0.65 /* by attention bound by FLOPs, whose exponentials take time, too: */
#define NARROW     0.50 /* of heads of at most 64 (arXiv 2407.08608) */
#define LEAST      1.0  /* percent of the total from which an operator is worth a word */
#define RATES      8    /* precisions of which the rate of aligned products is stored */
#define WIDE       64   /* dimensions of products from which alignment matters */
#define KERNEL_NS  3e3  /* that any kernel needs on the device */
#define SMALL      4    /* times that, up to which a kernel counts as small */
#define MANY       1000 /* lines from which small findings are not stored */
#define IMPOSSIBLE 0.05 /* of the kernels with known work: then rates mean nothing */

struct line {                           /* operations of one name and estimate */
    const struct az_unified_row *first; /* its estimate is that of all: estimate_of */
    const struct az_perf *perf;         /* these are of the estimate; NULL: no model */
    double flops, bytes;
    int64_t count, ticks; /* of those with possible rates */
    double possible;      /* the shortest time that is possible, us */
    double blocks;        /* of its kernel, if it has one; NaN unknown */
    int64_t odd;          /* dimension that is not aligned */
    uint32_t next;        /* line of the estimate, plus one; 0: none */
    uint32_t kernels;     /* of one operation */
    bool product, aligned, copies;
    bool certain, certain_flops, certain_bytes; /* what is compared with the limits */
};
AZ_VEC(struct line, lines);

struct work {
    struct az_verdict *v;
    struct az_framework *fw;
    const struct az_unified *u;
    struct az_framework_metrics *metrics;
    struct az_unified_keys keys;
    struct az_unified_recent *recent;
    struct lines lines;
    struct az_vec_u32 first; /* az_unified_chain */
    struct az_arena texts;   /* of one finding */
    struct {                 /* what aligned_rate found: precisions are few */
        struct az_sv spec;
        double rate;
    } rates[RATES];
    size_t n_rates;
    bool own; /* peaks were measured, or are the user's: they can be reached */
    struct az_peaks limits;
    bool has_limits;
};

/* ---- products ---- */
static double param(const struct az_framework_estimate *e, const char *name)
{
    struct az_perf_param p[AZ_PERF_PARAMS];
    const unsigned n = az_framework_params_of(e, p);
    for (unsigned i = 0; i < n; i++)
        if (strcmp(p[i].name, name) == 0)
            return p[i].number;
    return NAN;
}

/* Elements of which a row should have a multiple. */
static int64_t multiple(struct az_sv prec)
{
    if (az_sv_is(prec, "bf16") || az_sv_is(prec, "fp16"))
        return 8;
    if (az_sv_is(prec, "fp8") || az_sv_is(prec, "int8"))
        return 16;
    return az_sv_is(prec, "fp32") || az_sv_is(prec, "tf32") ? 4 : 0;
}

/* `..._align1`, `..._align2_...` in the name of a kernel of the operation. */
static bool said_misaligned(const struct work *w, uint32_t node)
{
    uint32_t first, end;
    az_node_gpu(w->fw->tree, node, &first, &end);
    for (uint32_t i = first; i < end && i < first + 8; i++) {
        const uint32_t id = az_gpu_event(w->fw->tree, w->fw->tree->linked[i]).name;
        const struct az_sv name = az_framework_text(w->fw, id, "");
        const ptrdiff_t at = az_sv_find(name, AZ_SV("_align"));
        const size_t digit = (size_t)at + sizeof "_align" - 1;
        if (at >= 0 && digit < name.n && (name.p[digit] == '1' || name.p[digit] == '2') &&
            (digit + 1 == name.n || name.p[digit + 1] < '0' || name.p[digit + 1] > '9'))
            return true;
    }
    return false;
}

static void look_at_product(const struct work *w, struct line *l,
                            const struct az_framework_estimate *e)
{
    static const char *const dims[] = { "M", "N", "K" };
    const struct az_perf *p = l->perf;
    const int64_t by = p ? multiple(p->prec) : 0;
    double smallest = INFINITY;
    l->product = p && strcmp(p->unit, "matrix") == 0 && by && !isnan(l->flops);
    l->aligned = true;
    for (size_t i = 0; l->product && i < 3; i++) {
        const double d = param(e, dims[i]);
        l->product = !isnan(d);
        smallest = d < smallest ? d : smallest;
        if (l->product && (int64_t)d % by && (!l->odd || d > (double)l->odd)) {
            l->odd = (int64_t)d;
            l->aligned = false;
        }
    }
    l->product &= smallest >= WIDE; /* narrower ones are bound by memory */
    if (l->product && said_misaligned(w, l->first->node))
        l->aligned = false;
}

/* ---- impossible rates ---- */
static bool kernel_says(const struct work *w, uint32_t node, struct az_sv word)
{
    uint32_t first, end;
    az_node_gpu(w->fw->tree, node, &first, &end);
    for (uint32_t i = first; i < end && i < first + 8; i++) {
        const uint32_t id = az_gpu_event(w->fw->tree, w->fw->tree->linked[i]).name;
        if (az_sv_ifind(az_framework_text(w->fw, id, ""), word) >= 0)
            return true;
    }
    return false;
}

/* An argument is expanded: its elements are fewer than in its shape. */
static bool has_zero_stride(const struct work *w, uint32_t node)
{
    const struct az_op_args *a = az_framework_args(w->fw, node);
    const struct az_sv s =
        a && a->strides != AZ_NO_ID ? az_trace_text(w->fw->trace, a->strides) : AZ_SV("");
    for (size_t i = 1; i + 1 < s.n; i++)
        if (s.p[i] == '0' && (s.p[i - 1] == '[' || s.p[i - 1] == ',') &&
            (s.p[i + 1] == ']' || s.p[i + 1] == ','))
            return true;
    return false;
}

/* The work that is certain: not of sizes that are not in the trace, nor of algorithms that multiply
 * less than the definition. */
static void certain_work(const struct work *w, struct line *l)
{
    const struct az_perf *p = l->perf;
    l->certain = p && !p->assumed && !l->copies;
    if (!l->certain)
        return;
    l->certain_flops = !kernel_says(w, l->first->node, AZ_SV("winograd")) &&
                       !kernel_says(w, l->first->node, AZ_SV("fft"));
    l->certain_bytes = !has_zero_stride(w, l->first->node);
}

/* True: it is impossible. */
static bool check_rate(struct work *w, struct line *l, int64_t ticks)
{
    struct az_verdict_part *p = w->v->part;
    if (!w->has_limits)
        return false;
    const struct az_rate rate = { .unit = l->certain ? l->perf->unit : "",
                                  .prec = l->certain ? l->perf->prec : (struct az_sv){ NULL, 0 },
                                  .flops = l->certain_flops ? l->flops : NAN,
                                  .bytes = l->certain_bytes ? l->bytes : NAN,
                                  .us = az_us(w->fw->trace, ticks) };
    const enum az_rate_result r =
        rate.us >= l->possible ? AZ_RATE_POSSIBLE : az_rate_check(&w->limits, &rate);
    if (r == AZ_RATE_POSSIBLE)
        l->possible = fmin(l->possible, rate.us);
    p->rated_kernels += r != AZ_RATE_UNKNOWN;
    p->impossible_rates += r == AZ_RATE_IMPOSSIBLE;
    return r == AZ_RATE_IMPOSSIBLE;
}

/* Rates of the whole mean something. */
static bool rates_hold(const struct az_verdict_part *p)
{
    return (double)p->impossible_rates < IMPOSSIBLE * (double)p->rated_kernels ||
           p->impossible_rates == 0;
}

/* ---- lines ---- */
static void count_kernels(const struct work *w, struct line *l)
{
    const struct az_calltree *c = w->fw->tree;
    uint32_t first, end;
    az_node_gpu(c, l->first->node, &first, &end);
    l->kernels = end - first;
    l->blocks = NAN;
    if (l->kernels != 1 || c->gpu_kind[c->linked[first]] != AZ_KERNEL)
        return;
    const struct az_geometry *g = az_geometry_of(w->fw->trace, c->gpu_row[c->linked[first]]);
    if (g)
        l->blocks = az_geometry_blocks(g);
}

static int new_line(struct work *w, const struct az_unified_row *r,
                    const struct az_framework_estimate *e, uint32_t next)
{
    struct line l = { .first = r,
                      .next = next,
                      .perf = e->perf,
                      .flops = e->flops,
                      .bytes = e->bytes,
                      .possible = INFINITY,
                      .copies = az_unified_only_copies(w->fw, r) };
    look_at_product(w, &l, e);
    certain_work(w, &l);
    count_kernels(w, &l);
    return az_vec_push(&w->lines, l);
}

static int line_of(struct work *w, const struct az_unified_row *r,
                   const struct az_framework_estimate *e, uint32_t *line)
{
    uint32_t *chain = az_unified_chain(&w->first, e, r), k = chain ? *chain : 0;
    const uint32_t name = az_unified_group(w->u, r);
    while (k && az_unified_group(w->u, w->lines.v[k - 1].first) != name)
        k = w->lines.v[k - 1].next;
    if (!chain || (k == 0 && new_line(w, r, e, *chain) != 0))
        return az_mem_error(w->v->job->mem);
    if (k == 0)
        *chain = k = (uint32_t)w->lines.n;
    *line = k - 1;
    return 0;
}

/* The estimate of a line. Products of fp32 ran as TF32 where they took less time than fp32 needs,
 * though no kernel shows it. */
static int estimate_of(const struct work *w, const struct line *l, struct az_framework_estimate *e)
{
    const double full = az_verdict_peak_rate(az_framework_peaks(w->metrics), "matrix_fp32"),
                 ns = (double)az_verdict_ns(w->v, l->ticks);
    const int rc = az_unified_estimate(w->metrics, w->u, (size_t)(l->first - w->u->rows.v), e);
    if (rc == 0 && l->product && az_sv_is(l->perf->prec, "fp32"))
        e->tf32 |= l->flops * (double)l->count > full * 1e3 * ns;
    return rc;
}

/* Where a row belongs: a line, if it has an estimate (the first flag). */
static int find_place(struct work *w, const struct az_unified_row *r, struct az_unified_recent *x)
{
    struct az_framework_estimate e;
    int rc = az_unified_estimate(w->metrics, w->u, (size_t)(r - w->u->rows.v), &e);
    if (rc)
        return rc;
    x->flag[0] = !isnan(e.flops) || !isnan(e.bytes);
    return x->flag[0] ? line_of(w, r, &e, &x->at) : 0;
}

/* The first device event of a row; AZ_NO_ROW: none. */
static uint32_t first_work(const struct work *w, const struct az_unified_row *r)
{
    const struct az_calltree *c = w->fw->tree;
    uint32_t gpu = az_unified_gpu(r), first, end;
    if (gpu != AZ_NO_ROW)
        return gpu;
    az_node_gpu(c, r->node, &first, &end);
    return first == end ? AZ_NO_ROW : c->linked[first];
}

static bool in_scope(const struct work *w, uint32_t gpu)
{
    return gpu != AZ_NO_ROW && az_verdict_in_scope(w->v, az_gpu_event(w->fw->tree, gpu).start);
}

static int add_row(struct work *w, const struct az_unified_row *r)
{
    const size_t row = (size_t)(r - w->u->rows.v);
    struct az_verdict_part *p = w->v->part;
    const int64_t time = az_unified_time(w->u, r);
    struct az_unified_recent *x;
    bool seen;
    const uint32_t gpu = first_work(w, r);
    const bool counts = in_scope(w, gpu);
    const int64_t kernels =
        counts ? az_verdict_ns(w->v, az_unified_kernel_time(w->fw, r, time)) : 0;
    p->rateable += kernels;
    int rc = az_unified_recall(&w->keys, w->recent, w->u, row, &x, &seen);
    if (rc == 0 && !seen)
        rc = find_place(w, r, x);
    if (rc)
        return rc;
    if (!x->flag[0])
        return 0;
    struct line *l = &w->lines.v[x->at];
    const bool impossible = check_rate(w, l, time);
    if (!counts)
        return 0;
    p->rated += kernels;
    p->flops += l->flops > 0 && !l->copies ? l->flops : 0; /* a copy computes nothing */
    if (impossible)
        return 0;
    l->count++;
    l->ticks += time;
    return 0;
}

static void add_unlinked(struct work *w)
{
    for (uint32_t g = 0; g < w->fw->tree->n_gpu; g++)
        if (in_scope(w, g))
            w->v->part->rateable += az_verdict_ns(w->v, az_unified_unlinked_time(w->fw, g));
}

/* `[[8],[4,8]]` as `[8] [4,8]`. */
static struct az_sv shapes(struct az_arena *a, struct az_sv dims)
{
    if (dims.n < 4 || !az_sv_starts(dims, AZ_SV("[[")) || !az_sv_ends(dims, AZ_SV("]]")))
        return dims;
    char *out = az_arena_array(a, dims.n, 1);
    size_t n = 0;
    for (size_t i = 1; out && i + 1 < dims.n; i++)
        out[n++] = dims.p[i] == ',' && dims.p[i - 1] == ']' ? ' ' : dims.p[i];
    return out ? az_sv_make(out, n) : AZ_SV("");
}

/* "aten::mm [4096,4096] [4096,4096]" */
static struct az_sv name_of(struct work *w, const struct line *l)
{
    const struct az_op_args *a = az_framework_args(w->fw, l->first->node);
    struct az_sv dims = a && a->dims != AZ_NO_ID ? az_trace_text(w->fw->trace, a->dims) : AZ_SV("");
    while (dims.n > 3 && az_sv_ends(dims, AZ_SV(",[]]"))) { /* arguments that are no tensors */
        dims.n -= 4;
        dims = az_arena_printf(&w->texts, "%.*s]", AZ_SVF(dims));
    }
    dims = shapes(&w->texts, dims);
    const bool cut = dims.n > 70;
    return az_arena_printf(&w->texts, "%.*s%s%.*s%s", AZ_SVF(az_unified_name(w->u, l->first)),
                           dims.n ? " " : "", (int)(cut ? 70 : dims.n), dims.p, cut ? "..." : "");
}

static int emit_finding(struct work *w, const char *rule, const struct line *l, struct az_sv detail,
                        double reached, int64_t gain, enum az_advice advice)
{
    const struct az_verdict_found f = { .subject = name_of(w, l),
                                        .detail = detail,
                                        .reached = reached,
                                        .row = az_unified_name(w->u, l->first),
                                        .count = l->count,
                                        .ns = az_verdict_ns(w->v, l->ticks),
                                        .advice = advice,
                                        .gain = gain };
    int rc = w->texts.failed ? az_arena_error(&w->texts) : 0;
    if (rc == 0)
        rc = az_verdict_add(w->v, rule, &f);
    az_arena_reset(&w->texts);
    return rc;
}

struct judged {
    const struct line *line;
    struct az_framework_estimate e;
    struct az_roofline roof;
};
static int judged_of(const struct work *w, const struct line *l, struct judged *x)
{
    x->line = l;
    const int rc = estimate_of(w, l, &x->e);
    if (rc == 0)
        x->roof = az_framework_roofline(w->metrics, &x->e);
    return rc;
}

/* Part of the peak that the operation can reach. */
static double reachable(const struct work *w, const struct az_framework_estimate *e,
                        const struct az_roofline *roof)
{
    const double head = param(e, "d_h_qk");
    if (w->own)
        return 1;
    if (isnan(head) || roof->bound[0] == 'M')
        return REACHED;
    return head > 64 ? ATTENTION : NARROW;
}

static double units_of(const struct work *w)
{
    const struct az_peaks *p = az_framework_peaks(w->metrics);
    return p->units * p->share;
}

/* The minimum duration of an operation, ns: the time of the roofline that is in reach, longer where
 * its blocks do not fill the device; and the minimum of its kernels. *small: it is that which
 * counts. *few: its blocks do not fill the device, but its kernels are long. */
static double least_time(const struct work *w, const struct judged *x, double ns, bool *small,
                         bool *few)
{
    const struct line *l = x->line;
    const double units = units_of(w), floor_ns = KERNEL_NS * l->kernels,
                 roof = x->roof.time_us * 1e3 / reachable(w, &x->e, &x->roof);
    const bool less = l->blocks < units, memory = x->roof.bound[0] == 'M';
    double filled = 1; /* of the units over the waves of blocks */
    if (less || (l->blocks > 0 && units > 0 && !memory))
        filled = l->blocks / (ceil(l->blocks / units) * units);
    *few = less && ns >= AZ_LONG_KERNEL_NS * (double)l->kernels;
    *small = !*few && (less || (roof < floor_ns && ns < SMALL * floor_ns));
    return fmax(roof / filled, floor_ns);
}

/* FLOP/s of the aligned products of one precision; NaN: there are none. */
static double aligned_rate(struct work *w, struct az_sv spec)
{
    double flops = 0, ns = 0;
    for (size_t i = 0; i < w->n_rates; i++)
        if (az_sv_eq(w->rates[i].spec, spec))
            return w->rates[i].rate;
    for (size_t i = 0; i < w->lines.n; i++) {
        const struct line *l = &w->lines.v[i];
        struct az_framework_estimate e;
        if (!l->product || !l->aligned || estimate_of(w, l, &e) != 0 || !az_sv_eq(e.spec, spec))
            continue;
        flops += l->flops * (double)l->count;
        ns += (double)az_verdict_ns(w->v, l->ticks);
    }
    const double rate = ns > 0 ? flops / ns : NAN;
    if (w->n_rates < RATES) {
        w->rates[w->n_rates].spec = spec;
        w->rates[w->n_rates++].rate = rate;
    }
    return rate;
}

/* " (~80% achievable, min 3 us)": what the saving is counted from, of the peak and for each
 * operation; each only where it is. */
static struct az_sv reach_text(struct work *w, const struct judged *x, bool share, double least)
{
    const double floor_ns = KERNEL_NS * x->line->kernels;
    struct az_sv text = AZ_SV("");
    if (share)
        text =
            az_arena_printf(&w->texts, "~%.0f%% achievable", 100 * reachable(w, &x->e, &x->roof));
    if (least <= floor_ns)
        text = az_arena_printf(&w->texts, "%.*s%smin %.0f us", AZ_SVF(text), text.n ? ", " : "",
                               floor_ns / 1e3);
    return text.n ? az_arena_printf(&w->texts, " (%.*s)", AZ_SVF(text)) : text;
}

static int headroom(struct work *w, const struct judged *x)
{
    const struct line *l = x->line;
    const struct az_roofline *r = &x->roof;
    const double count = (double)l->count, ns = (double)az_verdict_ns(w->v, l->ticks),
                 roof = r->time_us * 1e3 * count;
    if (isnan(roof) || l->copies || ns <= 0 || ns * 100 < LEAST * (double)w->v->part->total ||
        ns < w->v->job->opts->short_kernel_us * 1e3 * count) /* its start-up cost */
        return 0;
    bool small, few;
    const double each = least_time(w, x, ns / count, &small, &few), least = each * count;
    if (least >= ns || (few && 2 * l->blocks <= units_of(w))) /* the latter: low_parallelism */
        return 0;
    const bool memory = r->bound[0] == 'M';
    const bool pad = l->odd && !small && isnan(aligned_rate(w, x->e.spec));
    const char *of = strchr(r->peak, '_'); /* matrix_bf16 */
    of = memory ? "bandwidth" : of ? of + 1 : r->peak;
    struct az_sv detail = az_arena_printf(&w->texts, " of the %s%speak", of, *of ? " " : "");
    if (small || few)
        detail = az_arena_printf(&w->texts, "%.*s, too %s for the device", AZ_SVF(detail),
                                 small ? "small" : "few blocks");
    detail = az_arena_printf(&w->texts, "%.*s%.*s", AZ_SVF(detail),
                             AZ_SVF(reach_text(w, x, !small && !few && !w->own, each)));
    if (pad)
        detail = az_arena_printf(&w->texts, "%.*s, %lld is not a multiple of %lld", AZ_SVF(detail),
                                 (long long)l->odd, (long long)multiple(l->perf->prec));
    return emit_finding(w, "roofline_headroom", l, detail, 100 * roof / ns, llround(ns - least),
                        small ? AZ_ADVICE_BATCH_SMALL_KERNELS
                        : pad ? AZ_ADVICE_PAD_SHAPES
                              : AZ_ADVICE_NONE);
}

static int misaligned(struct work *w, const struct judged *x)
{
    const struct line *l = x->line;
    const struct az_roofline *r = &x->roof;
    if (!l->product || l->aligned)
        return 0;
    const double ns = (double)az_verdict_ns(w->v, l->ticks), count = (double)l->count;
    double at_rate = l->flops * count / aligned_rate(w, x->e.spec);
    if (!isnan(at_rate) && r->bound[0] == 'M') /* aligned it still has to move its bytes */
        at_rate = fmax(at_rate, r->time_us * 1e3 * count);
    const int64_t by = multiple(l->perf->prec);
    if (isnan(at_rate) ? ns * 100 < LEAST * (double)w->v->part->total : at_rate >= ns)
        return 0;
    struct az_arena *a = &w->texts;
    const struct az_sv detail = l->odd ? az_arena_printf(a, ": %lld is not a multiple of %lld",
                                                         (long long)l->odd, (long long)by)
                                       : az_arena_printf(a, ": kernel for unaligned operands");
    return emit_finding(w, "misaligned_shape", l, detail, 0,
                        isnan(at_rate) ? -1 : llround(ns - at_rate), AZ_ADVICE_NONE);
}

static int precision(struct work *w, const struct judged *x)
{
    const struct line *l = x->line;
    const struct az_peaks *p = az_framework_peaks(w->metrics);
    const double full = az_verdict_peak_rate(p, "matrix_fp32"),
                 less = az_verdict_peak_rate(p, "matrix_tf32");
    const double ns = (double)az_verdict_ns(w->v, l->ticks);
    if (!l->product || x->e.tf32 || !az_sv_is(l->perf->prec, "fp32") || !(less > full) ||
        strcmp(x->roof.peak, "matrix_tf32") == 0)
        return 0;
    return emit_finding(w, "precision", l, AZ_SV(" in 32 bits; the device has TF32"), 0,
                        llround(ns * (1 - full / less)), AZ_ADVICE_NONE);
}

/* The peak of the precision that does most of the work; none if a rate is impossible. */
static int find_peak(struct work *w)
{
    const struct line *most = NULL;
    struct az_roofline roof = { .peak = "" };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->lines.n; i++) {
        const struct line *l = &w->lines.v[i];
        const double f = l->flops * (double)l->count;
        struct judged x;
        if (!(f > 0) || (most && f <= most->flops * (double)most->count))
            continue;
        rc = judged_of(w, l, &x);
        if (rc == 0 && !isnan(x.roof.tflops)) {
            most = l;
            roof = x.roof;
        }
    }
    if (!most)
        return rc;
    const char *of = strchr(roof.peak, '_'); /* matrix_tf32 */
    if (w->v->part->impossible_rates == 0)
        w->v->part->peak = roof.tflops * 1e12;
    w->v->part->precision = az_verdict_copy_text(w->v, of ? az_sv_str(of + 1) : most->perf->prec);
    return rc;
}

/* Findings from the rows of operators; those with an impossible rate are in none. */
static int judge_line(struct work *w, const struct line *l)
{
    struct judged x;
    if (l->count == 0)
        return 0;
    int rc = judged_of(w, l, &x);
    if (rc == 0 && rates_hold(w->v->part))
        rc = headroom(w, &x);
    if (rc == 0)
        rc = misaligned(w, &x);
    return rc ? rc : precision(w, &x);
}

static int judge_lines(struct work *w)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->lines.n; i++)
        rc = judge_line(w, &w->lines.v[i]);
    return rc;
}

/* Of many lines most findings are too small for any list: those are not stored, unless findings of
 * other ranks add to them. */
static int store_listed(struct work *w)
{
    struct az_verdict_sums sums;
    az_vec_init(&sums, w->v->job->mem);
    w->v->sums = &sums;
    w->v->summing = true;
    int rc = judge_lines(w);
    w->v->summing = false;
    az_verdict_sums_list(w->v, &sums);
    if (rc == 0)
        rc = judge_lines(w);
    w->v->sums = NULL;
    az_vec_release(&sums);
    return rc;
}

static int judge(struct work *w)
{
    struct az_verdict_part *p = w->v->part;
    const struct az_peaks *peaks = az_framework_peaks(w->metrics);
    const struct az_device_facts facts = az_trace_device(w->fw->trace);
    int rc = 0;
    w->has_limits = az_job_limits(w->v->job, &facts, &w->limits);
    w->own = peaks && (peaks->own || az_sv_is(peaks->basis, "achievable"));
    p->flops = 0;
    if (peaks && peaks->bw > 0)
        w->v->bandwidth = peaks->bw * (w->own ? 1 : REACHED);
    for (size_t i = 0; rc == 0 && i < w->u->rows.n; i++)
        rc = add_row(w, &w->u->rows.v[i]);
    add_unlinked(w);
    az_vec_release(&w->first); /* there may be a finding for each line */
    if (rc == 0)
        rc = w->v->alone && w->lines.n >= MANY ? store_listed(w) : judge_lines(w);
    return rc ? rc : find_peak(w);
}

int az_verdict_find_work(struct az_verdict *v)
{
    struct work w = { .v = v };
    int rc;
    w.fw = az_framework_get(v->job, &rc);
    if (!w.fw || !w.fw->ops->has_ops || w.fw->launchers->rows.n == 0)
        return rc;
    w.u = az_unified_of(v->job, w.fw, &rc);
    w.metrics = w.u ? az_framework_metrics_get(v->job, w.fw, &rc) : NULL;
    if (!w.metrics)
        return rc;
    rc = az_unified_keys_get(&w.keys, w.metrics, w.u);
    if (rc)
        return rc;
    az_vec_init(&w.lines, v->job->mem);
    az_vec_init(&w.first, v->job->mem);
    az_arena_init(&w.texts, v->job->mem);
    w.recent = az_unified_recent_new(v->job->mem);
    if (rc == 0 && !w.recent)
        rc = az_mem_error(v->job->mem);
    if (rc == 0)
        rc = judge(&w);
    az_unified_recent_free(w.recent, v->job->mem);
    az_arena_release(&w.texts);
    az_vec_release(&w.first);
    az_vec_release(&w.lines);
    return rc;
}

int az_verdict_program_rates(struct az_verdict *v)
{
    struct az_verdict_part *p = v->part;
    struct az_hlo_rates r;
    const int rc = az_hlo_rates(v->job, &v->window, &r);
    if (rc)
        return rc;
    p->flops = r.flops;
    p->rated = r.rated;
    p->rateable = r.rateable;
    p->impossible_rates = r.impossible;
    p->rated_kernels = r.of;
    if (r.impossible == 0)
        p->peak = r.peak;
    p->precision = az_verdict_copy_text(v, r.precision);
    return 0;
}
