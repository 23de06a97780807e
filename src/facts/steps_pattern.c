/* The search for a pattern (docs/steps.md 3): which kinds of kernels may begin what is repeated,
 * and which of the loops is the step. A few passes over the kernels, whatever repeats. */
#include "base/sort.h"
#include "facts/steps_internal.h"
#include "stats/stats.h"

#define LEAST        3  /* repetitions */
#define SHORTEST     4  /* kernels of a repetition */
#define EACH         4  /* anchors examined of those in equal number */
#define ANCHORS_MOST 64 /* anchors examined */

AZ_VEC(struct az_anchor, anchors);

/* ---- anchors ---- */
static uint64_t spacing(const struct az_kernels *k, const uint32_t *p)
{
    return k->sum[p[1]] - k->sum[p[0]];
}

/* Spacings of one kind: their median length, and how many have the same content. */
static bool survey(const struct az_kernels *k, uint32_t kind, int64_t *scratch, struct az_anchor *a)
{
    const uint32_t *p = k->at + k->first[kind];
    const size_t n = az_kernel_count(k, kind);
    size_t best = 0, votes = 0, same = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        const bool equal = spacing(k, p + i) == spacing(k, p + best);
        best = votes == 0 ? i : best;
        votes = votes == 0 || equal ? votes + 1 : votes - 1;
        scratch[i] = (int64_t)(p[i + 1] - p[i]);
    }
    for (size_t i = 0; i + 1 < n; i++)
        same += spacing(k, p + i) == spacing(k, p + best);
    const double median = az_percentile_i64(scratch, n - 1, 50);
    *a = (struct az_anchor){
        .kind = kind, .n = n, .period = (size_t)median, .same = (double)same / (double)(n - 1)
    };
    if (median < SHORTEST || (double)n * median < 0.5 * (double)k->n)
        return false;
    return a->same >= 0.5 ||
           az_percentile_i64(scratch, n - 1, 75) - az_percentile_i64(scratch, n - 1, 25) <=
               0.1 * median;
}

/* The longest period first; then those with the most similar spacings; then by place. */
static int by_period(const void *x, const void *y, void *ctx)
{
    const struct az_anchor *a = x, *b = y;
    (void)ctx;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    if (a->same < b->same || a->same > b->same)
        return a->same > b->same ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int list_anchors(struct az_kernels *k, struct anchors *out)
{
    size_t most = 0, kept = 0, equal = 0;
    int rc = 0;
    for (uint32_t i = 0; i < k->kinds; i++)
        most = az_kernel_count(k, i) > most ? az_kernel_count(k, i) : most;
    const size_t bytes = (most + 1) * sizeof(int64_t);
    int64_t *scratch = az_mem_alloc(k->job->mem, bytes);
    if (!scratch)
        return az_mem_error(k->job->mem);
    for (uint32_t i = 0; rc == 0 && i < k->kinds; i++) {
        const size_t n = az_kernel_count(k, i);
        struct az_anchor a;
        if (n >= LEAST && n * SHORTEST <= k->n && survey(k, i, scratch, &a))
            rc = az_vec_push(out, a);
    }
    az_mem_free(k->job->mem, scratch, bytes);
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_period, NULL, k->job->mem);
    for (size_t i = 0; rc == 0 && i < out->n && kept < ANCHORS_MOST; i++) {
        equal = kept && out->v[kept - 1].n == out->v[i].n ? equal + 1 : 0;
        if (equal < EACH)
            out->v[kept++] = out->v[i];
    }
    out->n = kept;
    return rc;
}

/* ---- loops ---- */
struct best {
    struct az_loop loop;
    struct az_cuts cuts;
    double inside;
    bool found;
};

/* Is the shorter loop the step, and the longer one only what is done every few steps (a test run, a
 * line in a log)? A layer is no step: it lacks what a step has. */
static bool is_step_of(const struct az_loop *shorter, const struct az_loop *longer)
{
    if (shorter->n < 2 * longer->n)
        return false;
    if (longer->optimizer)
        return shorter->optimizer;
    return shorter->nested || (shorter->copies && longer->copies);
}

/* Another anchor of the same loop that finds more of it: the first one may be missing in some
 * steps, or be elsewhere, too. */
static bool is_better(const struct az_loop *l, const struct az_cuts *c, const struct best *b)
{
    const size_t a = l->len, z = b->loop.len;
    double have = 0, had = 0;
    if (10 * (a > z ? a - z : z - a) > z)
        return false;
    for (size_t i = 0; i < c->n; i++)
        have += c->v[i].agreement;
    for (size_t i = 0; i < b->cuts.n; i++)
        had += b->cuts.v[i].agreement;
    return have > had + 0.5;
}

static int search(struct az_kernels *k, struct best *b)
{
    struct anchors anchors;
    struct az_cuts cuts;
    az_vec_init(&anchors, k->job->mem);
    az_vec_init(&cuts, k->job->mem);
    int rc = list_anchors(k, &anchors);
    for (size_t i = 0; rc == 0 && i < anchors.n; i++) {
        struct az_loop l;
        double inside = 0;
        bool good;
        rc = az_loop_judge(k, &anchors.v[i], &l, &good);
        const bool inner = !b->found || is_step_of(&l, &b->loop);
        if (rc || !good || (b->found && !inner && (b->loop.exact || l.n >= 2 * b->loop.n)))
            continue;
        rc = az_loop_cut(k, &l, &cuts, &inside, &good);
        if (rc || !good || (!inner && !is_better(&l, &cuts, b)))
            continue;
        const struct az_cuts old = b->cuts;
        *b = (struct best){ l, cuts, inside, true };
        cuts = old;
    }
    az_vec_release(&cuts);
    az_vec_release(&anchors);
    return rc;
}

/* Median over the steps. */
static int agreement(struct az_step_search *s, const struct az_cuts *c, double *out)
{
    const size_t bytes = (c->n + 1) * sizeof(double);
    double *v = az_mem_alloc(s->job->mem, bytes);
    if (!v)
        return az_mem_error(s->job->mem);
    for (size_t i = 0; i < c->n; i++)
        v[i] = c->v[i].agreement;
    *out = az_percentile_f64(v, c->n, 50);
    az_mem_free(s->job->mem, v, bytes);
    return 0;
}

/* When the first kernel of a step with a launch was launched; -1: none is recorded. */
static int64_t launched_at(const struct az_link *link, const struct az_kernels *k,
                           const struct az_cut *c)
{
    for (size_t i = c->from; i < c->end; i++) {
        const enum az_kind kind = az_op_kind(k->op[i]);
        const uint32_t call = link->call[kind] ? link->call[kind][az_op_row(k->op[i])] : AZ_NO_ROW;
        if (call != AZ_NO_ROW)
            return k->t->ev[AZ_CALL].start[call];
    }
    return -1;
}

static bool is_warm_up(const struct az_link *link, const struct az_kernels *k,
                       const struct az_spans *warm, const struct az_cut *c)
{
    const int64_t at = launched_at(link, k, c);
    return at >= 0 && az_steps_in_warm_up(warm, at, at);
}

/* Without the steps that are launched in a range named as warm-up, where a loop is left. */
static int drop_warm_ups(struct az_step_search *s, const struct az_kernels *k, struct az_cuts *c)
{
    int rc = 0;
    const struct az_link *link =
        s->t->caps & AZ_CAP_LAUNCHES ? az_job_link(s->job, s->trace, &rc) : NULL;
    struct az_spans warm;
    size_t others = 0, kept = 0;
    if (!link)
        return rc;
    az_vec_init(&warm, s->job->mem);
    rc = az_steps_warm_ups(s, &warm);
    for (size_t i = 0; rc == 0 && warm.n && i < c->n; i++)
        others += !is_warm_up(link, k, &warm, &c->v[i]);
    for (size_t i = 0; others >= LEAST && i < c->n; i++)
        if (!is_warm_up(link, k, &warm, &c->v[i]))
            c->v[kept++] = c->v[i];
    c->n = kept ? kept : c->n;
    az_vec_release(&warm);
    return rc;
}

static int keep_best(struct az_step_search *s, const struct az_kernels *k, struct best *b)
{
    int rc = drop_warm_ups(s, k, &b->cuts);
    if (rc == 0)
        rc = agreement(s, &b->cuts, &s->out->agreement);
    for (size_t i = 0; rc == 0 && i < b->cuts.n; i++) {
        const struct az_cut *c = &b->cuts.v[i];
        const bool joined = !c->apart && i + 1 < b->cuts.n;
        struct az_step x = { .start = az_kernel_start(k, c->from), .mark = AZ_SV("") };
        for (size_t e = c->from; e < c->end; e++)
            x.end = az_kernel_end(k, e) > x.end || e == c->from ? az_kernel_end(k, e) : x.end;
        x.end = joined ? az_kernel_start(k, b->cuts.v[i + 1].from) : x.end;
        x.mark_start = x.start;
        x.mark_end = x.end;
        rc = az_vec_push(&s->found, x);
    }
    s->out->how = AZ_STEPS_PATTERN;
    s->out->mark = az_trace_text(s->t, k->name[k->kind[b->cuts.v[0].from]]);
    s->out->inside = b->inside;
    if (rc == 0)
        rc = az_steps_attach(s);
    if (rc == 0)
        rc = az_steps_number(s, "step");
    return rc ? rc : az_steps_in_scope(s, k, &b->cuts);
}

static int search_lane(struct az_step_search *s, uint32_t lane, uint32_t like)
{
    struct az_kernels k;
    struct best b = { .found = false };
    az_vec_init(&b.cuts, s->job->mem);
    int rc = az_kernels_make(&k, s->job, s->trace, lane, like);
    if (rc == 0 && k.n >= (size_t)LEAST * SHORTEST)
        rc = search(&k, &b);
    if (rc == 0 && b.found)
        rc = keep_best(s, &k, &b);
    az_vec_release(&b.cuts);
    az_kernels_release(&k);
    return rc;
}

/* On the busiest lane, where order is certain; else on all lanes of its device together. */
int az_steps_by_pattern(struct az_step_search *s)
{
    uint32_t lane;
    size_t others;
    int rc = az_kernels_lane(s->job, s->trace, &lane, &others);
    if (rc || lane == AZ_NO_ID)
        return rc;
    rc = search_lane(s, lane, lane);
    return rc || s->found.n || !others ? rc : search_lane(s, AZ_NO_ID, lane);
}
