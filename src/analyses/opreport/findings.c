/* What the operations of a report could save, one finding a cause and kind of operation
 * (docs/verdict.md 3.8). */
#include <math.h>

#include "analyses/opreport/opreport.h"
#include "analyses/opreport/totals.h"
#include "base/num.h"

#define REACHED  80.0 /* percent of a peak that can be reached */
#define FIRST    1e5  /* ns: before an operation that runs first a gap compiles it from here on */
#define COMPILES 1e7  /* ns: a gap before an operation that ran before; longer ones compile, too */
#define FEWER    0.5  /* of the workers: an operation on less is worth a word */
#define FIDELITY                                                                                   \
    0.5 /* of the time of a product that is bound by FLOPs, one step of fidelity down */

enum cause { GAPS, SLOW, DRAM, CORES, FIDELE, COMM, CAUSES };
static const struct {
    const char *rule, *what, *advice, *overlaps;
} causes[CAUSES] = {
    [GAPS] = { "op_to_op_gaps", "", "capture a trace, or keep the host ahead of the device", "" },
    [SLOW] = { "tt_slow", "neither DRAM nor FLOPs bound",
               "place input 0 in L1, with in0_block_w and an output subblock of 2 or more",
               "tt_low_cores" },
    [DRAM] = { "tt_dram", "bound by DRAM and not DRAM-sharded",
               "a DRAM-sharded program config reads faster", "tt_low_cores" },
    [CORES] = { "tt_low_cores", "on few cores",
                "use more cores: shard over the whole grid, or batch", "tt_slow tt_dram" },
    [FIDELE] = { "tt_fidelity", "in a higher fidelity than its types need",
                 "take a math fidelity one step lower", "" },
    [COMM] = { "exposed_communication", "", "overlap it with computation, or send less",
               "" }, /* one runs after another */
};

struct tally {
    enum cause cause;
    uint32_t code;
    int64_t count;
    double time, gain; /* ns */
};
AZ_VEC(struct tally, tallies);

struct work {
    struct az_tt *t;
    size_t trace; /* its place in the job */
    struct az_map index;
    struct tallies v;
    struct az_opr_totals *totals;
    uint8_t *ran; /* by signature */
};

struct az_opr_totals *az_opr_totals_of(struct az_job *job)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    if (slot && !*slot)
        *slot = az_arena_alloc(job->arena, sizeof(struct az_opr_totals));
    az_job_leave(job, slot);
    return slot ? *slot : NULL;
}

static int add(struct work *w, enum cause cause, size_t row, double time, double gain)
{
    const uint32_t code = cause == GAPS ? AZ_NO_ID : az_opr_sig_of(w->t, &w->t->rows.v[row])->code;
    uint32_t *at;
    bool added;
    if (!(gain > 0))
        return 0;
    int rc = az_map_put(&w->index, code, cause, (uint32_t)w->v.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&w->v, ((struct tally){ .cause = cause, .code = code }));
    if (rc)
        return rc;
    w->v.v[*at].count++;
    w->v.v[*at].time += time;
    w->v.v[*at].gain += gain;
    return 0;
}

/* A product by its bound. */
static int product(struct work *w, size_t i, const struct az_opr_sig *s,
                   const struct az_opr_figures *f, double time)
{
    const struct az_opargs *x = az_opr_args_of(w->t, &w->t->rows.v[i]);
    const double dram = isnan(f->dram_percent) ? 0 : f->dram_percent,
                 flops = isnan(f->flops_percent) ? 0 : f->flops_percent;
    if (f->bound == TT_SLOW)
        return add(w, SLOW, i, time, time * (1 - (dram > flops ? dram : flops) / REACHED));
    if (f->bound == TT_DRAM && !x->dram_sharded)
        return add(w, DRAM, i, time, time * (1 - dram / REACHED));
    if (f->bound == TT_FLOP && s->verdict == AZ_FIT_TOO_HIGH)
        return add(w, FIDELE, i, time, time * FIDELITY);
    return 0;
}

static bool communicates(const struct work *w, size_t i)
{
    struct az_job *job = w->t->job;
    const uint32_t code = az_opr_oprow(w->t, &w->t->rows.v[i])->code;
    return az_job_family(job, az_job_name(job, w->trace, code)) == AZ_FAMILY_COMMUNICATION;
}

/* Impossible times are added up, too. */
static void put(int64_t *sum, double ns) { *sum = az_add_sat(*sum, az_whole(round(ns))); }

static int operation(struct work *w, size_t i)
{
    struct az_tt *t = w->t;
    const struct az_opr_row *r = &t->rows.v[i];
    const struct az_opr_sig *s = az_opr_sig_of(t, r);
    struct az_opr_figures f;
    const double time = az_opr_row_ns(t, r), gap = az_opr_row_gap_ns(t, r);
    const bool first = !w->ran[r->sig];
    int rc = 0;
    if (s->kind == TT_SIGNPOST || s->kind == TT_HOST)
        return 0;
    if (r->suspect & TT_SUSPECT_KERNEL) {
        w->totals->suspects++;
        put(&w->totals->suspect, time > 0 ? time : 0);
        return 0;
    }
    w->ran[r->sig] = 1;
    w->totals->rows++;
    put(&w->totals->time, time);
    const bool comm = communicates(w, i);
    put(&w->totals->comm, comm ? time : 0);
    if (gap > (first ? FIRST : COMPILES)) {
        put(&w->totals->first, gap);
        w->totals->firsts++;
    } else if (r->suspect && gap != 0) {
        w->totals->gaps++;
    } else {
        put(&w->totals->gap, gap > 0 ? gap : 0);
        if (gap > t->o->op_to_op_gap_us * 1000)
            rc = add(w, GAPS, i, gap, gap - t->o->traced_gap_us * 1000);
    }
    az_opr_figures(t, r, &f);
    if (rc == 0 && s->kind == TT_MATMUL)
        rc = product(w, i, s, &f, time);
    if (rc == 0 && comm)
        return add(w, COMM, i, time, time);
    if (rc == 0 && t->workers > 0 && f.cores > 0 && f.cores < FEWER * (double)t->workers)
        rc = add(w, CORES, i, time, time * (1 - f.cores / (double)t->workers));
    return rc;
}

/* Is another cause that overlaps this one found of operations of the same name? */
static bool shares_time(const struct work *w, const struct tally *x)
{
    for (size_t i = 0; i < w->v.n; i++) {
        const struct tally *y = &w->v.v[i];
        if (y->code == x->code &&
            az_sv_find(az_sv_str(causes[x->cause].overlaps), az_sv_str(causes[y->cause].rule)) >= 0)
            return true;
    }
    return false;
}

static int tell(struct work *w, const struct tally *x)
{
    struct az_arena *a = w->t->job->arena;
    const struct az_sv code = az_opr_text(w->t, x->code);
    const struct az_finding_row f = {
        .rule = causes[x->cause].rule,
        .severity = "info",
        .subject = x->cause == GAPS
                       ? az_arena_printf(a, "between operations, those above %g us",
                                         w->t->o->op_to_op_gap_us)
                       : az_arena_printf(a, "%.*s%s%s", AZ_SVF(code),
                                         *causes[x->cause].what ? " " : "", causes[x->cause].what),
        .count = x->count,
        .ns = llround(x->time),
        .recoverable = llround(x->gain),
        .share = NAN,
        .evidence = AZ_SV("ops"),
        .row = code,
        .overlaps = az_sv_str(shares_time(w, x) ? causes[x->cause].overlaps : ""),
        .advice = az_sv_str(causes[x->cause].advice)
    };
    if (!f.subject.p)
        return az_arena_error(a);
    az_finding_put(w->t->job, &f);
    return 0;
}

int az_opr_findings(struct az_tt *t)
{
    struct work w = { .t = t, .totals = az_opr_totals_of(t->job) };
    if (w.totals && t->last_mark != AZ_NO_ID)
        w.totals->after = az_opr_text(t, t->last_mark);
    w.ran = az_arena_array(t->job->arena, t->sigs.n + 1, 1);
    if (!w.totals || !w.ran)
        return az_arena_error(t->job->arena);
    while (t->job->traces[w.trace] != t->trace)
        w.trace++;
    az_vec_init(&w.v, t->job->mem);
    int rc = az_map_init(&w.index, t->job->mem, 32);
    for (size_t i = 0; rc == 0 && i < t->rows.n; i++)
        rc = operation(&w, i);
    for (size_t i = 0; rc == 0 && i < w.v.n; i++)
        rc = tell(&w, &w.v.v[i]);
    az_map_release(&w.index);
    az_vec_release(&w.v);
    return rc;
}
