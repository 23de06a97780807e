/* What the operations of a report could save, one finding per cause and kind of operation
 * (docs/formats-tracy.md 18). The savings of an operation count once, by the largest. */
#include "analyses/op_report/findings.h"

#include <math.h>

#include "base/sort.h"
#include "stats/stats.h"

#define REACHED  80.0 /* percent of a peak that can be reached */
#define FEWER    0.5  /* of the worker cores: an operation on less is reported */
#define FIDELITY 0.5  /* of the time of a FLOP-bound product, with one step less of fidelity */

#define SLOW_TEXT " neither DRAM- nor FLOP-bound"

enum cause {
    GAPS,
    OUTSIDE,
    REPLAYS,
    INSIDE,
    COMPILE,
    HOST,
    SLOW,
    SLOW_INPUT,
    SLOW_BLOCKS,
    SLOW_BOTH,
    DRAM,
    CORES,
    FIDELE,
    COMM,
    CAUSES
};
static const struct {
    const char *rule, *what;
    enum az_cause cause;
    enum az_advice advice;
} causes[CAUSES] = {
    [GAPS] = { "op_to_op_gaps", "between operations", AZ_CAUSE_NONE, AZ_ADVICE_CAPTURE_TRACE },
    [OUTSIDE] = { "op_to_op_gaps", "outside trace replays", AZ_CAUSE_NONE,
                  AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD },
    /* a replay is one launch: the host waits for the last one, or prepares the next too late */
    [REPLAYS] = { "op_to_op_gaps", "before trace replays", AZ_CAUSE_NONE, AZ_ADVICE_DEFER_SYNC },
    [INSIDE] = { "idle", "inside trace replays", AZ_CAUSE_GRAPH_GAP, AZ_ADVICE_CHECK_DEPENDENCIES },
    [COMPILE] = { "idle", "", AZ_CAUSE_COMPILATION, AZ_ADVICE_COMPILE_AHEAD },
    [HOST] = { "idle", "", AZ_CAUSE_HOST_COMPUTE, AZ_ADVICE_MOVE_HOST_WORK },
    [SLOW] = { "tt_slow", SLOW_TEXT, AZ_CAUSE_NONE, AZ_ADVICE_NONE },
    [SLOW_INPUT] = { "tt_slow", SLOW_TEXT ", input 0 not in L1", AZ_CAUSE_NONE,
                     AZ_ADVICE_PLACE_INPUT },
    [SLOW_BLOCKS] = { "tt_slow", SLOW_TEXT ", blocks small or not set", AZ_CAUSE_NONE,
                      AZ_ADVICE_LARGER_BLOCKS },
    [SLOW_BOTH] = { "tt_slow", SLOW_TEXT ", input 0 not in L1, blocks small or not set",
                    AZ_CAUSE_NONE, AZ_ADVICE_TUNE_PROGRAM_CONFIG },
    [DRAM] = { "tt_dram", " DRAM-bound, not DRAM-sharded", AZ_CAUSE_NONE, AZ_ADVICE_SHARD_DRAM },
    [CORES] = { "tt_low_cores", " on few cores", AZ_CAUSE_NONE, AZ_ADVICE_MORE_CORES },
    [FIDELE] = { "tt_fidelity", " at a higher fidelity than required", AZ_CAUSE_NONE,
                 AZ_ADVICE_LOWER_FIDELITY },
    [COMM] = { "exposed_communication", "", AZ_CAUSE_NONE, AZ_ADVICE_OVERLAP_COMMUNICATION },
};

struct tally {
    enum cause cause;
    uint32_t code;
    double count, time, gain; /* ns */
    struct az_vec_f64 each;   /* ns */
};
AZ_VEC(struct tally, tallies);

struct work {
    struct az_op_report_scope *s;
    struct az_op_report *t;
    struct az_map index;
    struct tallies v;
    struct az_op_report_calls calls;
    struct az_op_report_gap_rules rules;
};

static int add_cause(struct work *w, enum cause cause, uint32_t code, double time, double gain,
                     double each)
{
    uint32_t *at;
    bool added;
    if (!(gain > 0))
        return 0;
    int rc = az_map_put(&w->index, code, cause, (uint32_t)w->v.n, &at, &added);
    if (rc == 0 && added) {
        struct tally x = { .cause = cause, .code = code };
        az_vec_init(&x.each, w->t->job->mem);
        rc = az_vec_push(&w->v, x);
    }
    if (rc)
        return rc;
    struct tally *x = &w->v.v[*at];
    x->count++;
    x->time += time;
    x->gain += gain;
    return az_vec_push(&x->each, each);
}

/* ---- gaps ---- */
static int add_gap(struct work *w, const struct az_op_report_gap *g)
{
    static const enum cause causes_of[] = {
        [AZ_GAP_BETWEEN] = GAPS,  [AZ_GAP_OUTSIDE] = OUTSIDE, [AZ_GAP_REPLAYS] = REPLAYS,
        [AZ_GAP_INSIDE] = INSIDE, [AZ_GAP_COMPILE] = COMPILE, [AZ_GAP_HOST] = HOST
    };
    const double ns = (double)g->ns, gain = ns - w->t->o->traced_gap_us * 1000;
    uint32_t host;
    if (!(ns > w->t->o->op_to_op_gap_us * 1000) ||
        az_op_report_has_lost(&w->calls, g->before, g->next))
        return 0;
    const enum cause cause = causes_of[az_op_report_gap_cause(&w->rules, g, &host)];
    return add_cause(w, cause, host, ns, gain, ns);
}

static int find_gaps(struct work *w)
{
    struct az_op_report_gap_list gaps;
    az_vec_init(&gaps, w->t->job->mem);
    int rc = az_op_report_gaps_find(w->s, &gaps);
    if (rc == 0)
        rc = az_op_report_gap_rules_make(&w->rules, w->t, &gaps);
    if (rc == 0)
        rc = az_op_report_calls_make(&w->calls, w->s);
    for (size_t i = 0; rc == 0 && i < gaps.n; i++)
        rc = add_gap(w, &gaps.v[i]);
    az_vec_release(&gaps);
    return rc;
}

/* ---- operations ---- */

/* By what could be changed in this call. */
static enum cause slow_cause(struct work *w, const struct az_op_report_row *r)
{
    const struct az_opargs *x = az_op_report_args_of(w->t, r);
    const bool input = az_op_report_input_elsewhere(w->t, x).n > 0,
               blocks = az_op_report_small_blocks(x);

    if (input)
        return blocks ? SLOW_BOTH : SLOW_INPUT;
    return blocks ? SLOW_BLOCKS : SLOW;
}

/* A product by its bound: what part of its time could be saved. */
static double product_gain(struct work *w, const struct az_op_report_row *r,
                           const struct az_op_report_figures *f, enum cause *cause)
{
    const struct az_op_report_sig *s = az_op_report_sig_of(w->t, r);
    const bool sharded = s->sharded || s->sparse;
    const double dram = isnan(f->dram_percent) ? 0 : f->dram_percent,
                 flops = isnan(f->flops_percent) ? 0 : f->flops_percent;
    if (f->bound == TT_SLOW) {
        *cause = slow_cause(w, r);
        return 1 - (dram > flops ? dram : flops) / REACHED;
    }
    if (f->bound == TT_DRAM && !sharded) {
        *cause = DRAM;
        return 1 - dram / REACHED;
    }
    *cause = FIDELE;
    return f->bound == TT_FLOP && s->verdict == AZ_FIT_TOO_HIGH ? FIDELITY : 0;
}

static bool communicates(const struct work *w, const struct az_op_report_row *r)
{
    struct az_job *job = w->t->job;
    return az_job_family(job, az_job_name(job, w->s->trace, az_op_report_oprow(w->t, r)->code)) ==
           AZ_FAMILY_COMMUNICATION;
}

static int operation(struct work *w, const struct az_op_report_row *r, bool rates, double scale[2])
{
    const struct az_op_report_sig *s = az_op_report_sig_of(w->t, r);
    const double time = az_op_report_row_ns(w->t, r), cores = az_op_report_budget(w->t, r);
    struct az_op_report_figures f;
    enum cause cause = CORES;
    double gain = 0;
    if (communicates(w, r))
        return add_cause(w, COMM, s->code, time, time * scale[1], time);
    az_op_report_figures(w->t, r, &f);
    if (s->kind == TT_MATMUL && rates && !az_op_report_rate_impossible(&f))
        gain = product_gain(w, r, &f, &cause);
    if (!s->sharded && cores > 0 && f.cores > 0 && f.cores < FEWER * cores &&
        1 - f.cores / cores > gain) {
        cause = CORES;
        gain = 1 - f.cores / cores;
    }
    return add_cause(w, cause, s->code, time, time * gain * scale[0], time);
}

/* Operations of sub devices run at the same time, and without a merge those of all devices are
 * there: their times are more than the busy time of a device. */
static void find_scales(const struct work *w, const struct az_op_report_rows *rows, double scale[2])
{
    double sum[2] = { 0, 0 }, busy[2] = { 0, 0 };
    for (size_t i = 0; i < rows->n; i++)
        sum[communicates(w, &rows->v[i])] += az_op_report_row_ns(w->t, &rows->v[i]);
    for (size_t d = 0; d < w->s->n_devices; d++) {
        const struct az_claim_account *a = &w->s->device[d].a;
        busy[0] += w->s->device[d].idle ? 0 : (double)a->computing;
        busy[1] += w->s->device[d].idle ? 0 : (double)a->exposed_communication;
    }
    for (int i = 0; i < 2; i++) {
        busy[i] /= w->s->working > 0 ? (double)w->s->working : 1;
        scale[i] = sum[i] > busy[i] ? busy[i] / sum[i] : 1;
    }
}

/* ---- findings ---- */
static struct az_sv subject_of(const struct work *w, const struct tally *x)
{
    struct az_arena *a = w->t->job->arena;
    const struct az_sv code = az_op_report_text(w->t, x->code);
    if (x->cause == HOST) /* its operation names it */
        return AZ_SV("");
    if (x->cause == GAPS)
        return az_arena_printf(a, "%sabove %g us", x->each.n > 1 ? "each " : "",
                               w->t->o->op_to_op_gap_us);
    return az_arena_printf(a, "%.*s%s", AZ_SVF(code), causes[x->cause].what);
}

static bool is_gap(enum cause c) { return c < SLOW; }

static int put_finding(struct work *w, struct tally *x, struct az_op_report_finding *f)
{
    /* gaps are of all devices; operations are merged */
    const double devices = !is_gap(x->cause) && w->s->working > 1 ? (double)w->s->working : 1;
    double largest = 0;
    for (size_t i = 0; i < x->each.n; i++)
        largest = x->each.v[i] > largest ? x->each.v[i] : largest;
    *f = (struct az_op_report_finding){
        .rule = causes[x->cause].rule,
        .cause = causes[x->cause].cause,
        .advice = causes[x->cause].advice,
        .subject = subject_of(w, x),
        .row = is_gap(x->cause) ? AZ_SV("") : az_op_report_text(w->t, x->code),
        .operation = x->cause == HOST ? az_op_report_text(w->t, x->code) : AZ_SV(""),
        .count = llround(x->count * devices),
        .ns = llround(x->time * devices),
        .gain = llround(x->gain * devices),
        .median = llround(az_percentile_f64(x->each.v, x->each.n, 50)),
        .largest = llround(largest)
    };
    return f->subject.p ? 0 : az_arena_error(w->t->job->arena);
}

int az_op_report_find(struct az_op_report_scope *s, const struct az_op_report_rows *rows, bool gaps,
                      bool rates, struct az_op_report_totals *out)
{
    struct work w = { .s = s, .t = s->t };
    double scale[2];
    az_vec_init(&w.v, s->t->job->mem);
    int rc = 0;
    az_map_init(&w.index, s->t->job->mem, 32);
    if (rc == 0 && gaps)
        rc = find_gaps(&w);
    find_scales(&w, rows, scale);
    for (size_t i = 0; rc == 0 && i < rows->n; i++)
        rc = operation(&w, &rows->v[i], rates, scale);
    struct az_op_report_finding *f = az_arena_array(s->t->job->arena, w.v.n + 1, sizeof *f);
    if (rc == 0 && !f)
        rc = az_arena_error(s->t->job->arena);
    for (size_t i = 0; rc == 0 && i < w.v.n; i++)
        rc = put_finding(&w, &w.v.v[i], &f[i]);
    out->finding = f;
    out->n_findings = rc == 0 ? w.v.n : 0;
    for (size_t i = 0; i < w.v.n; i++)
        az_vec_release(&w.v.v[i].each);
    az_vec_release(&w.v);
    az_map_release(&w.index);
    return rc;
}
