/* Where the steps of a loop begin and end (docs/steps.md 3.5). An anchor only marks that steps
 * repeat; a step begins where the recorded loop does, else after the optimizer, else where the
 * device waits longest. */
#include "facts/steps_internal.h"
#include "stats/stats.h"

#define AGREES  0.9  /* as in steps_loop.c */
#define MOST    0.65 /* of the steps that must agree */
#define LEAST   3    /* steps that must agree */
#define NEAR    10   /* after the optimizer: within a tenth of a step */
#define SAMPLES 9    /* repetitions whose gaps are examined */
#define CONTEXT 8    /* kernels from a place on by which it is recognized */

/* ---- gaps ---- */
/* Can the gaps of the repetition be put next to those of the reference? It has the same kernels,
 * or, where few have (some kernels depend on the data), as many. Nothing is known of the time
 * before the first kernel of all. */
static bool comparable(const struct az_kernels *k, const struct az_loop *l, size_t i, bool same)
{
    const uint64_t hash = k->sum[l->from + l->len] - k->sum[l->from];
    return l->p[i] > 0 &&
           (same ? k->sum[l->p[i + 1]] - k->sum[l->p[i]] == hash : l->p[i + 1] - l->p[i] == l->len);
}

static size_t count(const struct az_kernels *k, const struct az_loop *l, bool same)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < l->n; i++)
        n += comparable(k, l, i, same);
    return n;
}

/* Places in the sequence where such repetitions begin, evenly among all. */
static size_t sample(const struct az_kernels *k, const struct az_loop *l, size_t place[SAMPLES])
{
    const bool same = count(k, l, true) >= LEAST;
    const size_t every = count(k, l, same) / SAMPLES + 1;
    size_t n = 0, seen = 0;
    for (size_t i = 0; i + 1 < l->n && n < SAMPLES; i++)
        if (comparable(k, l, i, same) && seen++ % every == 0)
            place[n++] = l->p[i];
    return n;
}

/* Time the device did nothing before each kernel of the reference: medians. gap: SAMPLES times the
 * length. */
static void median_gaps(const struct az_kernels *k, const struct az_loop *l, int64_t *gap)
{
    size_t place[SAMPLES];
    const size_t n = sample(k, l, place);
    for (size_t s = 0; s < n; s++)
        for (size_t i = 0; i < l->len && place[s] + i < k->n; i++)
            gap[i * SAMPLES + s] = k->gap[place[s] + i];
    for (size_t i = 0; i < l->len; i++)
        gap[i] = n ? (int64_t)az_percentile_i64(gap + i * SAMPLES, n, 50) : 0;
}

static size_t longest(const struct az_loop *l, const int64_t *gap, size_t from, size_t n)
{
    size_t best = from % l->len;
    for (size_t i = 0; i < n; i++)
        if (gap[(from + i) % l->len] > gap[best])
            best = (from + i) % l->len;
    return best;
}

/* ---- where a step begins ---- */
/* The first kernel after the optimizer: before the longest stretch without it. */
static size_t after_optimizer(const struct az_kernels *k, const struct az_loop *l)
{
    size_t best = 0, most = 0, run = 0;
    for (size_t i = 0; i < 2 * l->len; i++) {
        run = k->optimizer[k->kind[l->from + i % l->len]] ? 0 : run + 1;
        if (run > most && run <= l->len) {
            most = run;
            best = (i + 1 + l->len - run) % l->len;
        }
    }
    return best;
}

static int choose_start(struct az_kernels *k, struct az_loop *l)
{
    const size_t bytes = SAMPLES * l->len * sizeof(int64_t);
    const size_t by_tail = l->tail % l->len, by_head = (l->len - l->head % l->len) % l->len;
    if (l->exact) {
        l->at = by_head;
        return 0;
    }
    int64_t *gap = az_mem_alloc(k->job->mem, bytes);
    if (!gap)
        return az_mem_error(k->job->mem);
    memset(gap, 0, bytes);
    median_gaps(k, l, gap);
    const size_t widest = longest(l, gap, 0, l->len), behind = after_optimizer(k, l);
    const bool tail = l->tail_clean && l->tail <= l->len;
    if (l->optimizer) {
        const size_t off = (by_tail + l->len - behind) % l->len;
        l->at = longest(l, gap, behind, l->len / NEAR + 1);
        if (tail && off <= l->len / NEAR && 2 * gap[by_tail] >= gap[l->at])
            l->at = by_tail;
    } else if (tail && 2 * gap[by_tail] >= gap[widest]) {
        l->at = by_tail;
    } else {
        l->at = gap[widest] > 0 ? widest : tail ? by_tail : l->head_clean ? by_head : 0;
    }
    az_mem_free(k->job->mem, gap, bytes);
    return 0;
}

/* ---- boundaries ---- */
/* The kernel near `expect` that begins a step, by what follows it. What comes before a step may
 * differ, as after a test run. Where just what the reference has follows, in whatever order (lanes
 * of a device alternate in any order), it is the one that is expected. */
static size_t locate(const struct az_kernels *k, const struct az_loop *l, int64_t expect,
                     int64_t width, int64_t lo, int64_t hi)
{
    int64_t best = expect < lo ? lo : expect > hi ? hi : expect, off = INT64_MAX;
    int score = -1;
    const size_t at = (size_t)best;
    if (best == expect && at + l->len <= k->n && k->kind[at] == k->kind[l->from + l->at] &&
        k->sum[at + l->len] - k->sum[at] == k->sum[l->from + l->len] - k->sum[l->from])
        return at;
    const int64_t from = expect - width < lo ? lo : expect - width,
                  to = expect + width > hi ? hi : expect + width;
    for (int64_t i = from; i <= to && i < (int64_t)k->n; i++) {
        int s = 0;
        const int64_t d = i < expect ? expect - i : i - expect;
        for (int64_t c = 0; c < CONTEXT && i + c < (int64_t)k->n; c++)
            s += k->kind[i + c] == k->kind[l->from + (l->at + (size_t)c) % l->len];
        s += k->kind[i] == k->kind[l->from + l->at] ? CONTEXT : 0;
        if (s > score || (s == score && d < off)) {
            score = s;
            best = i;
            off = d;
        }
    }
    return (size_t)best;
}

static int boundaries(struct az_kernels *k, const struct az_loop *l, struct az_vec_u64 *out)
{
    const int64_t len = (int64_t)l->len, before = l->at ? len - (int64_t)l->at : 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < l->n; i++) { /* the one before each anchor */
        const int64_t lo = i ? (int64_t)l->p[i - 1] + 1 : 0, p = l->p[i];
        const int64_t length = i ? p - lo + 1 : p + len - before, /* of the first: if it is whole */
            width = (length > len ? length - len : len - length) + 8;
        if (before == 0)
            rc = az_vec_push(out, (uint64_t)p);
        else if (p - before >= lo - len / NEAR)
            rc = az_vec_push(out, locate(k, l, p - before, width, lo, p));
    }
    const int64_t last = (int64_t)l->p[l->n - 1] + (int64_t)l->at;
    if (rc == 0 && l->at && last < (int64_t)k->n)
        rc =
            az_vec_push(out, locate(k, l, last, 8, (int64_t)l->p[l->n - 1] + 1, (int64_t)k->n - 1));
    return rc;
}

/* One step between two boundaries; false: it is none. */
static bool cut_step(struct az_kernels *k, const struct az_loop *l, size_t from, size_t to,
                     bool end, struct az_cut *c)
{
    size_t last = from;
    const size_t n = to - from, m = az_loop_matched(k, from, to, &last);
    const size_t most = n > l->len ? n : l->len;
    *c = (struct az_cut){ from, to, (double)m / (double)most, false };
    if (c->agreement >= AGREES)
        return true;
    if ((double)m >= AGREES * (double)l->len) { /* and something else, in it or after it */
        c->apart = (double)(to - last - 1) > (1 - AGREES) * (double)l->len;
        c->end = c->apart ? last + 1 : to;
        c->agreement = (double)m / (double)(c->end - from > l->len ? c->end - from : l->len);
        return true;
    }
    return !end && 2 * n >= l->len && n <= 2 * l->len;
}

/* Where an anchor is missing two steps seem to be one: the end of the first, or `to`. */
static size_t split(struct az_kernels *k, const struct az_loop *l, size_t from, size_t to)
{
    const double least = AGREES * (double)l->len;
    size_t last;
    if ((double)(to - from) < least + (double)l->len)
        return to;
    const size_t y = locate(k, l, (int64_t)(from + l->len), (int64_t)(l->len / NEAR + 8),
                            (int64_t)from + 1, (int64_t)to - 1);
    return (double)az_loop_matched(k, from, y, &last) >= least &&
                   (double)az_loop_matched(k, y, to, &last) >= least
               ? y
               : to;
}

/* ---- are they those of a loop? ---- */
static int64_t busy_ticks(const struct az_kernels *k, size_t from, size_t to)
{
    return k->busy[to] - k->busy[from];
}

static int judge(struct az_kernels *k, const struct az_loop *l, const struct az_cuts *c,
                 double *inside, bool *good)
{
    const size_t bytes = (c->n + 1) * sizeof(int64_t);
    int64_t *v = az_mem_alloc(k->job->mem, bytes), sum = 0;
    size_t agree = 0;
    if (!v)
        return az_mem_error(k->job->mem);
    for (size_t i = 0; i < c->n; i++) {
        const struct az_cut *x = &c->v[i];
        const bool joined = !x->apart && i + 1 < c->n;
        const int64_t stop =
            joined ? az_kernel_start(k, c->v[i + 1].from) : az_kernel_end(k, x->end - 1);
        sum += busy_ticks(k, x->from, x->end);
        if (x->agreement >= AGREES)
            v[agree++] = stop - az_kernel_start(k, x->from);
    }
    if (c->n && l->head_clean) /* what is truncated at the profile's ends is inside, too */
        sum += busy_ticks(k, 0, c->v[0].from);
    if (c->n && l->tail_clean && !c->v[c->n - 1].apart)
        sum += busy_ticks(k, c->v[c->n - 1].end, k->n);
    *inside = (double)sum / (double)busy_ticks(k, 0, k->n);
    *good = agree >= LEAST && (double)agree >= MOST * (double)c->n && *inside >= AZ_STEP_INSIDE;
    if (*good) {
        const double low = az_percentile_i64(v, agree, 25), high = az_percentile_i64(v, agree, 75);
        *good = high - low < AZ_STEP_SPREAD * AZ_STEP_QUARTILES * az_percentile_i64(v, agree, 50);
    }
    az_mem_free(k->job->mem, v, bytes);
    return 0;
}

/* The steps from one boundary to the next; usually one. */
static int cut_all(struct az_kernels *k, const struct az_loop *l, size_t from, size_t to, bool end,
                   struct az_cuts *out)
{
    int rc = 0;
    for (size_t stop; rc == 0 && from < to; from = stop) {
        struct az_cut c;
        stop = split(k, l, from, to);
        if (cut_step(k, l, from, stop, end && stop == to, &c))
            rc = az_vec_push(out, c);
        else if (out->n && !(end && stop == to))
            out->v[out->n - 1].apart = true; /* what follows is no step */
    }
    return rc;
}

int az_loop_cut(struct az_kernels *k, struct az_loop *l, struct az_cuts *out, double *inside,
                bool *good)
{
    struct az_vec_u64 at;
    int rc = choose_start(k, l);
    az_vec_reset(out);
    az_vec_init(&at, k->job->mem);
    if (rc == 0)
        rc = boundaries(k, l, &at);
    az_loop_set_reference(k, l);
    for (size_t i = 0; rc == 0 && i < at.n; i++) {
        const bool end = i + 1 == at.n;
        rc = cut_all(k, l, at.v[i], end ? k->n : at.v[i + 1], end, out);
    }
    az_loop_drop(k, l);
    if (rc == 0)
        rc = judge(k, l, out, inside, good);
    az_vec_release(&at);
    return rc;
}
