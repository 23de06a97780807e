/* Straggler detection: ranks that delay the others by their own work, with confidence.
 *
 * Model. Of a step, a rank spends its own time (kernels, its host) and time in which it does
 * nothing but communicate. Steps are equally long for ranks that communicate, so who spends more of
 * its own time spends less of the other: a delay of D us a step is a lack of D us of exposed
 * communication against the other ranks. A delay that came from elsewhere was waited for inside one
 * collective or the next, of whatever group: the rank that received it has that wait and lacks
 * nothing, however late it then arrives elsewhere. All this is measured on each rank's own clock:
 * no verdict rests on the alignment of clocks.
 *
 * Estimator. E(r,b): time of rank r in block b (a step, or several; without steps, as many
 * collectives) in which a collective, send or recv runs and no other kernel. x(r,b): median of E
 * over the other ranks with the same program (as many events of each kind), less E(r,b). A
 * collective whose event is lost counts as the median of its members; a block in which other events
 * are missing does not count. delay(r): mean of the middle third of x(r,b) over the blocks, so that
 * a few long steps make no straggler.
 *
 * Error. s(r), from two: within ranks, deviation of the winsorized blocks (median over the ranks),
 * with (1 + c) / (1 - c) times the variance for a correlation c of neighboring blocks; between
 * ranks, from 7 of them: the deviation of the delays of all others without the outermost, which
 * holds lasting differences, too. Both together; the second alone where it is more than twice the
 * first.
 *
 * Verdict. A rank is a straggler if its delay is above AZ_COLL_STEP_SHARE of the step and above q
 * s(r), where q (Student's t) leaves a chance of FAMILY for all ranks of the run together, and if
 * the others do wait longer in collectives; in more than half of the blocks the delay is above HALF
 * of that, or ranks that are late in turns would be named where few steps are recorded. A rank that
 * is late in some steps only is one if the mean over all blocks but the outermost is above
 * OFTEN_SHARE of the step and above what the scatter of all blocks of the others, long ones and
 * all, explains. From the first + 1.645 s(r) a delay in two thirds of the steps is found in 95 % of
 * runs (found_from), from the second, also, one in SELDOM blocks more than are skipped
 * (found_seldom, a mean over all steps): who is slow in fewer is unknown from a rank that had bad
 * luck. Below AZ_COLL_LEAST_BLOCKS blocks there is no verdict. Measured rates:
 * src/docs/stragglers.md. */
#include "analyses/collectives/straggler_attrib.h"
#include "base/sort.h"

#define FAMILY      0.002
#define LEAST_OFTEN 5
#define OFTEN_SHARE 0.04 /* of the step, for a rank that is late in some steps only */
#define SELDOM      3
#define HALF        0.5  /* of what flags it: the delay in more than half of the blocks */
#define WAITED      0.25 /* of the delay: what the others wait longer at least */
#define BETWEEN     6    /* others, for an estimate of the error by the differences between ranks */
#define SMALL_SET   256  /* ranks that are examined one by one */
#define DIFFER      2    /* times more than expected: ranks differ lastingly */

struct sums { /* of one rank */
    size_t n;
    double delay, error; /* ns a block; error: of its own blocks, without correlation */
    double correlation;
    double half; /* lower median of the blocks */
    double most,
        scatter; /* mean of all blocks but the outermost; mean square of all about their median */
};
struct verdicts {
    struct az_coll_blame m;
    struct sums *of;
    struct peers *peers; /* by component, then by class */
    double *v, *w;       /* scratch: ranks + blocks */
    size_t judged;
    size_t kept; /* for which `factor` holds: deviation of a normal sample without its ends -> of
                    all */
    double factor;
};

/* ---- quantiles ---- */
/* x with P(X > x) = p for a normal X, p < 0.5: bisection of erfc. */
static double normal_above(double p)
{
    double lo = 0, hi = 40;
    for (int i = 0; i < 80; i++) {
        const double mid = (lo + hi) / 2;
        if (erfc(mid / 1.4142135623730951) / 2 > p)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

double az_coll_t_above(double p, double dof)
{
    const double z = normal_above(p) * (8 * dof + 3) / (8 * dof + 1); /* Wallace's approximation */
    return sqrt(dof * expm1(z * z / dof));
}

/* ---- one rank ---- */
/* Blocks at each end that do not count for a rank that is late in some steps only. */
static size_t outermost(size_t n) { return 1 + n / 16; }

/* Correlation of neighboring blocks, about `mean`. */
static double correlation(const double *x, size_t n, double mean)
{
    double both = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = isnan(x[i]) ? 0 : x[i] - mean;
        all += d * d;
        both += i && !isnan(x[i - 1]) ? d * (x[i - 1] - mean) : 0;
    }
    return all > 0 ? both / all : 0;
}

/* Deviation of the mean of blocks without the g outermost at each end; v is sorted. */
static double winsorised(const double *v, size_t n, size_t g)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i < g ? g : i >= n - g ? n - 1 - g : i];
    for (size_t i = 0; i < n; i++) {
        const double d = v[i < g ? g : i >= n - g ? n - 1 - g : i] - sum / (double)n;
        squares += d * d;
    }
    return sqrt(squares / (double)(n - 1) / (double)n) / (1 - 2 * (double)g / (double)n);
}

/* The same from few blocks: of the distances from their median, but for the least. */
static int scattered(struct verdicts *k, double *v, size_t n, double *error)
{
    const double mid = az_coll_middle(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - mid);
    const int rc = az_coll_sorted(&k->m, v, n);
    *error = 1.25 * 1.4826 * az_coll_middle(v + 1, n - 1) / sqrt((double)n);
    return rc;
}

static int sum_up(struct verdicts *k, size_t r)
{
    const double *x = k->m.lack + r * k->m.blocks;
    struct sums *s = &k->of[r];
    for (size_t b = 0; b < k->m.blocks; b++)
        if (!isnan(x[b]))
            k->v[s->n++] = x[b];
    if (s->n < AZ_COLL_LEAST_BLOCKS)
        return 0;
    int rc = az_coll_sorted(&k->m, k->v, s->n);
    const size_t g = s->n < 5 ? 1 : (s->n + 2) / 3;
    s->half = k->v[(s->n - 1) / 2];
    for (size_t i = g; i < s->n - g; i++)
        s->delay += k->v[i] / (double)(s->n - 2 * g);
    const size_t few = outermost(s->n);
    for (size_t i = few; s->n >= LEAST_OFTEN && i < s->n - few; i++)
        s->most += k->v[i] / (double)(s->n - 2 * few);
    for (size_t i = 0; i < s->n; i++)
        s->scatter += (k->v[i] - az_coll_middle(k->v, s->n)) *
                      (k->v[i] - az_coll_middle(k->v, s->n)) / (double)s->n;
    s->correlation = correlation(x, k->m.blocks, s->delay);
    const double error = s->n > 5 ? winsorised(k->v, s->n, g) : 0;
    if (rc == 0)
        rc = scattered(k, k->v, s->n, &s->error);
    s->error = s->error > error ? s->error : error;
    k->judged++;
    return rc;
}

/* ---- all ranks ---- */
/* What the ranks of a set have in common, so that judging each of many does not check all again:
 * medians over all of them, and their delays with sums from the least on, of which one can be
 * omitted. */
struct peers {
    bool made;
    size_t n;
    double error, correlation;
    long double scatter;
    double *delay;             /* sorted; NULL: the set is small and is examined each time */
    long double *sum, *square; /* of delay - middle, before each place */
    double middle;
};

static int sum_delays(struct verdicts *k, struct peers *p, const uint32_t *q, size_t all)
{
    size_t n = 0;
    p->delay = az_arena_array(k->m.a, p->n + 1, sizeof *p->delay);
    p->sum = az_arena_array(k->m.a, p->n + 1, sizeof *p->sum);
    p->square = az_arena_array(k->m.a, p->n + 1, sizeof *p->square);
    if (!p->delay || !p->sum || !p->square)
        return az_arena_error(k->m.a);
    for (size_t i = 0; i < all; i++)
        if (k->of[q[i]].n >= AZ_COLL_LEAST_BLOCKS)
            p->delay[n++] = k->of[q[i]].delay;
    const int rc = az_coll_sorted(&k->m, p->delay, n);
    p->middle = az_coll_middle(p->delay, n);
    for (size_t i = 0; i < n; i++) {
        const long double d = (long double)p->delay[i] - p->middle;
        p->sum[i + 1] = p->sum[i] + d;
        p->square[i + 1] = p->square[i] + d * d;
    }
    return rc;
}

static int peers_of(struct verdicts *k, size_t r, struct peers **out)
{
    size_t all = 0, n = 0;
    struct peers *p = &k->peers[k->m.has_class[r] ? k->m.ranks + k->m.class[r] : k->m.component[r]];
    const uint32_t *q = az_coll_compared(&k->m, r, &all);
    *out = p;
    if (p->made)
        return 0;
    p->made = true;
    for (size_t i = 0; i < all; i++) {
        if (k->of[q[i]].n < AZ_COLL_LEAST_BLOCKS)
            continue;
        k->v[n] = k->of[q[i]].error * sqrt((double)k->of[q[i]].n);
        k->w[n++] = k->of[q[i]].correlation;
        p->scatter += k->of[q[i]].scatter;
    }
    p->n = n;
    int rc = az_coll_sorted(&k->m, k->v, n);
    if (rc == 0)
        rc = az_coll_sorted(&k->m, k->w, n);
    p->error = az_coll_middle(k->v, n);
    p->correlation = az_coll_middle(k->w, n);
    return rc || n <= SMALL_SET ? rc : sum_delays(k, p, q, all);
}

/* Error by the blocks of those that are compared with r, and of r; often: of a mean of all blocks,
 * long ones and all, by those of the others. */
static int within(struct verdicts *k, size_t r, double *error, double *often)
{
    struct peers *p;
    double c = 0, scatter = 0;
    size_t all;
    const uint32_t *q = az_coll_compared(&k->m, r, &all);
    const int rc = peers_of(k, r, &p);
    for (size_t i = 0; !p->delay && i < all; i++)
        if (k->of[q[i]].n >= AZ_COLL_LEAST_BLOCKS && q[i] != r)
            scatter += k->of[q[i]].scatter;
    if (p->delay)
        scatter = (double)(p->scatter - k->of[r].scatter);
    scatter = scatter < 0 ? 0 : scatter;
    c = p->correlation + 1.5 / (double)k->of[r].n; /* that of a short row is too small */
    c = c < 0.2 ? 0.2 : c > 0.8 ? 0.8 : c;
    const double fewer = sqrt((1 + c) / (1 - c) / (double)k->of[r].n);
    *error = p->error * fewer;
    *often = p->n > 1 ? sqrt(scatter / (double)(p->n - 1)) * fewer : INFINITY;
    return rc;
}

/* Deviation of n normal values over that of the middle n - 2 g of them, by their expected places.
 */
static double widening(struct verdicts *k, size_t n, size_t g)
{
    double squares = 0;
    if (k->kept == n)
        return k->factor;
    for (size_t i = g; i < n - g; i++) {
        const double p = ((double)i + 0.625) / ((double)n + 0.25),
                     z = p < 0.5 ? normal_above(p) : normal_above(1 - p);
        squares += z * z;
    }
    k->kept = n;
    k->factor = sqrt((double)(n - 2 * g) / squares);
    return k->factor;
}

/* The same as between() by the sums of a large set, r omitted. */
static int between_many(struct verdicts *k, const struct peers *p, size_t r, double *error,
                        double *dof)
{
    const size_t n = p->n - 1, g = n / 8, kept = n - 2 * g;
    size_t from = g, to = n - g; /* of those without r */
    const size_t low = AZ_LOWER(p->delay, p->n, k->of[r].delay);
    const bool inside = low >= from && low < to;
    from += low < from;
    to += low < to;
    long double sum = p->sum[to] - p->sum[from], squares = p->square[to] - p->square[from];
    const long double own = (long double)k->of[r].delay - p->middle;
    sum -= inside ? own : 0;
    squares -= inside ? own * own : 0;
    squares -= sum * sum / (long double)kept;
    *error = squares > 0 ? sqrt((double)(squares / (long double)kept)) * widening(k, n, g) : 0;
    *dof = (double)kept - 1;
    return 0;
}

/* Error by the differences between the others; dof 0: too few of them. */
static int between(struct verdicts *k, size_t r, double *error, double *dof)
{
    size_t n = 0, all;
    double sum = 0, squares = 0;
    struct peers *p;
    const uint32_t *q = az_coll_compared(&k->m, r, &all);
    const int made = peers_of(k, r, &p);

    if (made || p->delay)
        return made ? made : between_many(k, p, r, error, dof);
    for (size_t i = 0; i < all; i++)
        if (q[i] != r && k->of[q[i]].n >= AZ_COLL_LEAST_BLOCKS)
            k->v[n++] = k->of[q[i]].delay;
    if (n < BETWEEN)
        return 0;
    const int rc = az_coll_sorted(&k->m, k->v, n);
    const size_t g = n < 16 ? 1 : n / 8, kept = n - 2 * g;
    for (size_t i = g; i < n - g; i++)
        sum += k->v[i];
    for (size_t i = g; i < n - g; i++)
        squares += (k->v[i] - sum / (double)kept) * (k->v[i] - sum / (double)kept);
    *error = sqrt(squares / (double)kept) * widening(k, n, g);
    *dof = (double)kept - 1;
    return rc;
}

/* Do others wait for it? Only collectives that wait for all members are evidence. */
static bool waited(const struct verdicts *k, size_t r)
{
    return k->m.synced[r] == 0 || k->m.caused[r] >= WAITED * k->of[r].delay;
}

/* Delay that the error leaves no more than `chance` for. Where ranks differ no more than their
 * blocks let expect, both errors are of the same size and are known better together. */
static double certain(const struct verdicts *k, size_t r, double chance, double inner, double outer,
                      double dof, double *error)
{
    if (dof == 0) {
        *error = inner;
        return normal_above(chance) * inner;
    }
    if (outer > DIFFER * inner) {
        *error = outer;
        return az_coll_t_above(chance, dof) * outer;
    }
    double more = (double)k->of[r].n * (dof + 1) / 4;
    more = more > 30 ? 30 : more;
    const double both = sqrt((dof * outer * outer + more * inner * inner) / (dof + more));
    *error = both > inner ? both : inner;
    return az_coll_t_above(chance, dof + more) * *error;
}

/* Mean over all steps but the outermost, above which a rank is late in some. */
static double often_from(const struct verdicts *k, size_t r, double chance, double often,
                         const struct az_coll_verdict *out)
{
    const double by_chance =
        az_coll_t_above(chance, (double)k->of[r].n) * often / (double)k->m.merged;
    const double share = OFTEN_SHARE * out->step;
    const double least = share > out->flag_from ? share : out->flag_from;
    return least > by_chance ? least : by_chance;
}

/* What is found of a rank that is late in few steps: mean over all, and how many must be late. */
static void seldom(const struct verdicts *k, size_t r, double from, double often,
                   struct az_coll_verdict *out)
{
    const size_t n = k->of[r].n, few = outermost(n), late = few + SELDOM;
    out->found_seldom = NAN;
    if (n < LEAST_OFTEN || late > n || !(from < INFINITY))
        return;
    const double kept = (double)(late - few) / (double)(n - 2 * few),
                 all = (double)late / (double)n;
    out->found_seldom = (from + 1.645 * often / (double)k->m.merged) * all / kept;
    out->seldom_steps = late * k->m.merged;
}

static int judge(struct verdicts *k, size_t r, struct az_coll_verdict *out)
{
    const struct az_coll_run *c = k->m.c;
    const double chance = FAMILY / 2 / (double)k->judged, steps = (double)k->m.merged;
    double inner = 0, outer = 0, dof = 0, error = 0, often = 0;
    int rc = within(k, r, &inner, &often);
    if (rc == 0)
        rc = between(k, r, &outer, &dof);
    out->step = c->step ? (double)c->step
                        : (double)c->part[r]->span /
                              (double)(k->m.n_numbers ? k->m.n_numbers : k->m.blocks);
    const double sure = certain(k, r, chance, inner, outer, dof, &error);
    out->blocks = k->of[r].n;
    out->steps = k->of[r].n * k->m.merged;
    out->delay = k->of[r].delay / steps;
    out->error = error / steps;
    out->flag_from = sure / steps > AZ_COLL_STEP_SHARE * out->step ? sure / steps
                                                                   : AZ_COLL_STEP_SHARE * out->step;
    out->found_from = out->flag_from + 1.645 * out->error;
    out->judged = true;
    out->straggler = waited(k, r) && out->delay > out->flag_from &&
                     k->of[r].half / steps > HALF * out->flag_from;
    const double from = often_from(k, r, chance, often, out), most = k->of[r].most / steps;
    seldom(k, r, from, often, out);
    if (!out->straggler && waited(k, r) && k->of[r].n >= LEAST_OFTEN && most > from) {
        out->delay = most;
        out->straggler = true;
    }
    return rc;
}

int az_coll_verdicts(struct az_coll_run *c, struct az_coll_verdict *out, struct az_arena *a,
                     struct az_coll_blame *blame)
{
    struct verdicts k = { .m = { .c = c, .a = a, .ranks = c->ranks->n } };
    for (size_t r = 0; r < c->ranks->n; r++)
        out[r] = (struct az_coll_verdict){ 0 };
    int rc = az_coll_blocks(&k.m);
    *blame = k.m;
    if (rc || k.m.blocks < AZ_COLL_LEAST_BLOCKS)
        return rc;
    k.of = az_arena_array(a, k.m.ranks + 1, sizeof *k.of);
    k.v = az_arena_array(a, k.m.ranks + k.m.blocks + 1, sizeof *k.v);
    k.w = az_arena_array(a, k.m.ranks + 1, sizeof *k.w);
    k.peers = az_arena_array(a, 2 * k.m.ranks + 1, sizeof *k.peers);
    rc = k.of && k.v && k.w && k.peers ? az_coll_lacks(&k.m) : az_arena_error(a);
    *blame = k.m;
    for (size_t r = 0; rc == 0 && r < k.m.ranks; r++)
        rc = sum_up(&k, r);
    for (size_t r = 0; rc == 0 && r < k.m.ranks; r++)
        if (k.of[r].n >= AZ_COLL_LEAST_BLOCKS)
            rc = judge(&k, r, &out[r]);
    return rc;
}
