/* Tests the newest night of one metric (docs/formulas-nightly.md). */
#include "stats/baseline_stats.h"

#include <math.h>
#include <string.h>

#include "stats/rank_test.h"

#define LIMIT_JUMP    4.2 /* standard deviations of a single night; grows for short series */
#define SMALL_MOST    2.0 /* ... by so much: PRIOR covers the rest */
#define RUN_Z         0.5 /* there are more ways to be several nights */
#define SAME_Z        3.0 /* a level nearer to the accepted one is that level again */
#define YOUNG_Z       3.0 /* a level after one of few nights must be farther off */
#define ALIKE_LESS    0.5 /* of both where neighbors are correlated: a split is one by less there */
#define PRIOR         0.01 /* noise that is assumed while fewer than PRIOR_RUNS nights are known */
#define PRIOR_RUNS    8
#define FIRST         4     /* nights of a first level, the reference of the others */
#define RARE          0.1   /* what a larger part of the nights has is no outlier but a mode */
#define PRONE         0.002 /* outliers by metric-night of a history in which they are usual */
#define OFTEN         0.1   /* so, for several in succession */
#define CENTER_CLIP   1.5
#define CENTER_LEAST  6 /* nights; of fewer the median: their noise is not known */
#define CENTER_ROUNDS 8
#define CENTER_NEAR   1e-4 /* standard deviations: near enough */
#define SURE          1.28 /* of a change that is called visible, nine in ten are seen */
#define DAY           86400.0
#define NEWEST        5 /* nights that the newest level is of, at most */
#define SEGMENTS      64
#define OWN_ERROR     2.0
#define POOL_ERROR    1.25
#define NEWS_ALIKE    0.06 /* correlation by differences from which on no level is accepted, */
#define FLAT_ALIKE    0.12 /* and without drifts */
#define SURE_RHO      2.0  /* standard errors by which a correlation is one; */
#define RHO_UP        0.65 /* then it may be so many larger */
#define RHO_UP_OWN    0.2

struct work {
    const struct az_baseline_in *in;
    struct az_baseline *out;
    size_t n;
    double *y;       /* logarithms, or parts of the usual size */
    double *clean;   /* without single outlier nights */
    double *weight;  /* of each; NULL: all the same */
    double *scratch; /* 3 n */
    bool *odd;
    size_t *base;
    size_t n_base;
    bool logs;
    double unit;                  /* of y, where it is no logarithm */
    double noise, rho, center;    /* noise: of a night of weight 1 */
    double within;                /* standard error of a usual night by its steps; 0: not known */
    double known;                 /* nights that the noise is known from */
    size_t cut[SEGMENTS + 1];     /* starts of segments, then n */
    double split_z[SEGMENTS + 1]; /* of the split that begins a segment; 0: none */
    size_t segments;
};

/* ---- scale ---- */

static double value(const struct work *w, double y)
{
    return w->logs ? w->unit * exp(y) : w->unit * y;
}

/* A small difference of y near the level, in the metric's unit. */
static double amount(const struct work *w, double dy)
{
    return w->logs ? fabs(value(w, w->center)) * dy : w->unit * dy;
}

/* ---- weights ---- */

static double weight_of(const struct work *w, size_t i) { return w->weight ? w->weight[i] : 1; }

/* Variance of the mean of nights in units of that of one of weight 1. */
static double variance_of(const struct work *w, size_t from, size_t to)
{
    const double plain = az_baseline_mean_variance(to > from ? to - from : 1, w->rho);
    double all = 0;

    if (!w->weight || to <= from)
        return plain;
    for (size_t i = from; i < to; i++)
        all += w->weight[i];
    return plain * (double)(to - from) / all;
}

/* So, of the accepted level. */
static double variance_of_base(const struct work *w)
{
    const double plain = az_baseline_mean_variance(w->n_base ? w->n_base : 1, w->rho);
    double all = 0;

    if (!w->weight || !w->n_base)
        return plain;
    for (size_t i = 0; i < w->n_base; i++)
        all += w->weight[w->base[i]];
    return plain * (double)w->n_base / all;
}

/* ---- noise ---- */

/* A metric's own correlation is known badly, with a standard error of about 2 / sqrt n: the
 * estimate of the others replaces it unless it clearly differs. What is not surely there is none.
 */
static double correlation(const struct work *w, double own, size_t n)
{
    const double error = OWN_ERROR / sqrt((double)n), others = w->in->others.correlation;
    const bool alone = !(w->in->others.all > 0);
    /* metrics of one run are not independent: half of them count */
    const double known = POOL_ERROR / sqrt((double)n + w->in->others.all / 2);
    const bool own_one = alone || own > others + 3 * error || own < others - 5 * error;
    const double rho = own_one ? own : others, doubt = own_one ? error : known;

    return rho > (own_one ? 1 : SURE_RHO) * doubt
               ? fmin(0.95, rho + (own_one ? RHO_UP_OWN : RHO_UP) * doubt)
               : 0;
}

static void find_noise(struct work *w)
{
    const size_t past = w->n - 1;

    if (w->weight) /* differences of nights that weigh the same */
        az_baseline_even(w->y, w->weight, w->n, w->clean);
    else
        memcpy(w->clean, w->y, w->n * sizeof *w->y);
    w->noise = az_baseline_noise(w->clean, past, w->scratch, &w->rho);
    if (az_baseline_clean(w->clean, NULL, w->n, w->noise, w->odd))
        (void)az_baseline_noise(w->clean, past, w->scratch, &w->rho);
    if (!(w->in->others.all > 0) && az_baseline_is_changing(w->clean, past, w->scratch))
        w->rho = 0;
    w->rho = correlation(w, w->rho, past);
    w->noise = az_baseline_moderate(w->noise, past, &w->in->others, &w->known) / sqrt(1 - w->rho);
    if (past < PRIOR_RUNS)
        w->noise = fmax(w->noise, PRIOR * (1 - (double)(past - 1) / PRIOR_RUNS));
    if (w->within > w->noise) {
        w->noise = w->within;
        w->out->within = true;
    }
    /* rounding is no change */
    w->noise = fmax(w->noise, 1e-7);
}

/* Scatter about the accepted level: it includes what differences do not show (two modes, slow
 * wandering). */
static void widen_noise(struct work *w)
{
    double *d = w->scratch, sum = 0;
    size_t k = 0;

    if (w->n_base < PRIOR_RUNS)
        return;
    for (size_t i = 0; i < w->n_base; i++)
        d[k++] = fabs(w->y[w->base[i]] - w->center) * sqrt(weight_of(w, w->base[i]));
    const double most = fmax(3 * 1.4826 * az_gate_median(d, k), 3 * w->noise);
    for (size_t i = 0; i < k; i++)
        sum += fmin(d[i], most) * fmin(d[i], most);
    w->noise = fmax(w->noise, sqrt(sum / (double)(k - 1)));
}

/* ---- levels ---- */

/* Splits as long as there is something to split, newest part first, and stores the splits in order.
 */
static void segment(struct work *w)
{
    size_t from[SEGMENTS], to[SEGMENTS], open = 1;
    double z[SEGMENTS];

    from[0] = 0;
    to[0] = w->n;
    z[0] = 0;
    w->segments = 0;
    while (open) {
        struct az_split s;
        const size_t a = from[--open], b = to[open];
        const double here = z[open];
        if (w->segments + open + 3 < SEGMENTS && b - a >= 4 &&
            az_baseline_split(
                &(struct az_baseline_series){ .v = w->clean + a,
                                              .raw = w->y + a,
                                              .weight = w->weight ? w->weight + a : NULL,
                                              .n = b - a,
                                              .noise = w->noise,
                                              .correlation = w->rho,
                                              .known = w->known * (double)(b - a) / (double)w->n },
                w->in->seed, &s)) {
            if (s.to < b - a) {
                z[open] = 0;
                from[open] = a + s.to;
                to[open++] = b;
            }
            z[open] = s.z;
            from[open] = a + s.at;
            to[open++] = a + s.to;
            z[open] = here;
            from[open] = a;
            to[open++] = a + s.at;
        } else {
            w->split_z[w->segments] = here;
            w->cut[w->segments++] = a;
        }
    }
    w->cut[w->segments] = w->n;
}

/* Are there nights in it that are no outliers, without the newest? */
static bool has_nights(const struct work *w, size_t from, size_t to)
{
    for (size_t i = from; i < to && i + 1 < w->n; i++)
        if (!w->odd[i])
            return true;
    return false;
}

/* There is always a night of the accepted level: the first where all are outliers. */
static void take_base(struct work *w, size_t from, size_t to)
{
    for (size_t i = from; i < to && i + 1 < w->n; i++)
        if (!w->odd[i])
            w->base[w->n_base++] = i;
    if (!w->n_base)
        w->base[w->n_base++] = from;
}

/* Huber's estimate of location: the mean, where no night counts for more than CENTER_CLIP
 * deviations. The median is that of one mode where there are two. */
static double level_of(const double *v, const double *weight, size_t n, double noise)
{
    double m = az_gate_center(v, n), all = 0;

    for (size_t i = 0; i < n; i++)
        all += weight ? weight[i] : 1;
    /* the median of nights that weigh differently is that of the worst */
    for (unsigned round = 0; (n >= CENTER_LEAST || weight) && round < CENTER_ROUNDS; round++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            const double d = v[i] - m, one = weight ? weight[i] : 1,
                         most = CENTER_CLIP * noise / sqrt(one);
            sum += one * (d > most ? most : d < -most ? -most : d);
        }
        m += sum / all;
        if (fabs(sum) <= CENTER_NEAR * noise * all)
            break;
    }
    return m;
}

/* Level of the nights with these numbers. */
static double level_of_nights(const struct work *w, const size_t *of, size_t n)
{
    double *v = w->scratch, *weight = w->scratch + w->n;

    for (size_t i = 0; i < n; i++) {
        v[i] = w->y[of[i]];
        weight[i] = weight_of(w, of[i]);
    }
    return level_of(v, w->weight ? weight : NULL, n, w->noise);
}

static double center_of(const struct work *w) { return level_of_nights(w, w->base, w->n_base); }

static bool is_accepted(const struct work *w, size_t from, size_t to)
{
    if (w->in->hold && to - from >= w->in->hold)
        return true;
    for (size_t i = from; w->in->accepted && i < w->n; i++)
        if (w->in->accepted[i])
            return true;
    return false;
}

/* By how much less than usual is a level another? */
static double outlier_margin(const struct work *w)
{
    return w->rho > AZ_BASELINE_ALIKE ? ALIKE_LESS : 0;
}

/* Is a level known from too few nights for another, z standard deviations off, to be worse? */
static bool is_young(const struct work *w, double z)
{
    return w->n_base < FIRST ||
           z < YOUNG_Z - outlier_margin(w) +
                   az_baseline_small(w->known * (double)w->n_base / (double)w->n, w->rho / 2);
}

/* The accepted level: the first one; then one that is better, was accepted, or is the same again.
 */
static void follow_level(struct work *w)
{
    struct az_baseline *out = w->out;
    bool next = true;

    take_base(w, 0, w->cut[1]);
    w->center = center_of(w);
    for (size_t s = 1; s < w->segments; s++) {
        const size_t a = w->cut[s], b = w->cut[s + 1];
        const double level =
            level_of(w->clean + a, w->weight ? w->weight + a : NULL, b - a, w->noise);
        const double d = level - w->center;
        const double means =
            fabs(d) / (w->noise * sqrt(variance_of(w, a, b) + variance_of_base(w)));
        /* the split itself is more exact where the accepted level was left */
        const double z = fmax(means, next ? w->split_z[s] : 0);
        next = false;
        out->changed = a;
        out->changed_from = az_gate_median(w->in->v + w->cut[s - 1], a - w->cut[s - 1]);
        out->changed_to = az_gate_median(w->in->v + a, b - a);
        const int side = w->in->worse == 0 ? 1 : d * w->in->worse > 0 ? 1 : -1;
        const bool other = z > SAME_Z - outlier_margin(w);
        out->side = 0;
        out->kind = AZ_BASELINE_SAME;
        if (other && side > 0 && !is_accepted(w, a, b) && !is_young(w, z)) {
            out->kind = AZ_BASELINE_STEP;
            out->side = side;
            out->z = z;
            out->at = a;
            out->before = value(w, w->center);
            out->level = value(w, level);
            continue;
        }
        /* an outlier night and a lucky one after it are no level */
        if (other && (side > 0 ? !is_young(w, z) : has_nights(w, a, b))) {
            w->n_base = 0;
            out->at = a;
            out->before = value(w, w->center);
        }
        next = true;
        take_base(w, a, b);
        w->center = center_of(w);
        out->level = value(w, w->center);
    }
}

/* ---- this night ---- */

static double limit_of(const struct work *w)
{
    return (w->in->limit > 0 ? w->in->limit : LIMIT_JUMP) +
           fmin(SMALL_MOST, az_baseline_small((double)w->n_base + 1, 0));
}

/* Is the history one in which single nights are off now and then, and come back? So many in
 * succession are not. */
static bool is_prone(const struct work *w, size_t before, size_t run)
{
    const double odd = w->out->spikes + w->in->others.spikes,
                 all = (double)w->n + w->in->others.all;
    const double rate = fmax(odd / all, (double)before / (double)w->n);

    return (before > 0 || odd >= 1) && rate >= (run > 1 ? OFTEN : PRONE);
}

/* Nights up to this one, this one included, that are all as far off, on this side. */
static size_t run_of(const struct work *w, int way, double off)
{
    size_t k = 1;

    while (k + 1 < w->n &&
           way * (w->y[w->n - 1 - k] - w->center) * sqrt(weight_of(w, w->n - 1 - k)) > off)
        k++;
    return k;
}

/* A level that is worse, but of which this night is no more? */
static bool is_back(const struct work *w)
{
    const double y = w->y[w->n - 1],
                 level = w->logs ? log(w->out->level / w->unit) : w->out->level / w->unit;
    const double own = 1 / weight_of(w, w->n - 1);
    const double one = w->noise * sqrt(own + variance_of_base(w));

    return fabs(y - w->center) <= limit_of(w) * one &&
           fabs(y - level) > limit_of(w) * w->noise * sqrt(own);
}

/* What is new in this night where neighbors are correlated and the one before was at the level, in
 * standard deviations of that. */
static double news_of(const struct work *w)
{
    const double before = w->y[w->n - 2] - w->center, d = w->y[w->n - 1] - w->center;

    if (fabs(before) > SAME_Z * w->noise)
        return 0;
    return fabs(d - w->rho * before) * sqrt(weight_of(w, w->n - 1)) /
           (w->noise * sqrt(1 - w->rho * w->rho));
}

static void judge_night(struct work *w)
{
    struct az_baseline *out = w->out;
    const double y = w->y[w->n - 1], d = y - w->center;
    const int way = d > 0 ? 1 : -1;
    const bool worse = out->kind == AZ_BASELINE_STEP;
    size_t before = 0;

    if (worse && !is_back(w))
        return;
    out->kind = AZ_BASELINE_SAME;
    out->side = 0;
    /* the nights of a level that was left are not in succession with this one */
    const size_t run = worse ? 1 : run_of(w, way, limit_of(w) / 2 * w->noise);
    const double base = variance_of_base(w), own = weight_of(w, w->n - 1),
                 one = fabs(d) / w->noise * sqrt(own);
    double sum = 0, all = 0;
    /* successive nights are more evidence than the newest alone */
    for (size_t i = w->n - run; i < w->n; i++) {
        sum += weight_of(w, i) * fabs(w->y[i] - w->center) / w->noise;
        all += weight_of(w, i);
    }
    out->z =
        fmax(fmax(one, news_of(w)) / sqrt(1 + base * own),
             sum / all / sqrt(variance_of(w, w->n - run, w->n) + base) - (run > 1 ? RUN_Z : 0));
    if (out->z <= limit_of(w) || one <= limit_of(w) / 2)
        return;
    for (size_t i = w->base[0]; i + run < w->n; i++)
        before += way * (w->y[i] - y) >= -w->noise;
    if (before > 1 && (double)before > RARE * (double)w->n_base)
        return;
    out->kind = is_prone(w, before, run) ? AZ_BASELINE_OUTLIER : AZ_BASELINE_JUMP;
    out->side = w->in->worse == 0 || way == w->in->worse ? 1 : -1;
    out->at = w->n - run;
}

/* ---- drift ---- */

static void find_drift(struct work *w)
{
    struct az_baseline *out = w->out;
    const struct az_baseline_series s = { .v = w->clean,
                                          .day = w->scratch,
                                          .weight = w->weight,
                                          .n = w->n,
                                          .noise = w->noise,
                                          .correlation = w->rho,
                                          .known = w->known };
    size_t from = w->n - 1;
    double slope;

    for (size_t i = 0; i < w->n; i++)
        w->scratch[i] = w->in->time ? (double)(w->in->time[i] - w->in->time[w->n - 1]) / DAY
                                    : (double)i - (double)(w->n - 1);
    if (w->in->drift_days <= 0)
        return;
    while (from > 0 && from > w->base[0] && s.day[from - 1] >= -(double)w->in->drift_days)
        from--;
    if (!az_baseline_drift(&s, from, &slope))
        return;
    out->drift = true;
    out->drift_at = from;
    out->slope = amount(w, slope);
    out->drifted = w->logs ? fabs(value(w, w->center)) * (exp(slope * -s.day[from]) - 1)
                           : amount(w, slope * -s.day[from]);
}

/* ---- gradual changes ---- */

/* Correlation of neighbors where a drift of this metric is none: what is not surely there is none.
 */
static double correlation_about_drift(const struct work *w)
{
    if (w->n < PRIOR_RUNS)
        return w->rho;
    const double doubt = POOL_ERROR / sqrt((double)w->n),
                 rho = w->in->others.all > 0 ? w->in->others.flat
                                             : az_baseline_flat(w->clean, w->n, w->scratch);
    if (isnan(rho))
        return w->rho;
    return rho > doubt ? fmin(w->rho, rho + RHO_UP * doubt) : 0;
}

/* A slope is cut into steps by the search for levels. */
static void find_ramp(struct work *w)
{
    struct az_baseline *out = w->out;
    const double rho = fmin(w->rho, correlation_about_drift(w));
    const struct az_baseline_series s = { .v = w->clean,
                                          .weight = w->weight,
                                          .n = w->n,
                                          .noise = w->noise * sqrt((1 - w->rho) / (1 - rho)),
                                          .correlation = rho,
                                          .known = w->known };
    struct az_ramp r;

    if (!w->in->gradual && out->kind != AZ_BASELINE_STEP)
        return;
    if (!az_baseline_ramp(&s, w->cut, w->segments, &r))
        return;
    out->gradual = true;
    out->changed = r.at;
    out->changed_end = r.end;
    out->changed_from = value(w, r.level);
    out->changed_to = value(w, r.newest);
}

/* The level of the last nights next to that of the nights before them, since the newest change. */
static void find_newest(struct work *w)
{
    struct az_baseline *out = w->out;
    const size_t begin = out->gradual ? out->changed_end : out->changed, n = w->n - begin,
                 last = n < 2 * NEWEST ? n / 2 : NEWEST, at = w->n - last;

    out->newest_level = out->earlier_level = out->center;
    if (last == 0)
        return;
    out->newest_level =
        value(w, level_of(w->clean + at, w->weight ? w->weight + at : NULL, last, w->noise));
    out->earlier_level = value(
        w, level_of(w->clean + begin, w->weight ? w->weight + begin : NULL, at - begin, w->noise));
}

/* ---- what lasts ---- */

/* The accepted level as it was when nights began to fail: it does not follow them. */
static double center_before(struct work *w, double *known)
{
    size_t from = w->n - 1, n = 0;

    while (from > 0 && w->in->failed && w->in->failed[from - 1])
        from--;
    while (n < w->n_base && w->base[n] < from)
        n++;
    const size_t count = n ? n : w->n_base;
    *known = 0;
    for (size_t i = 0; i < count; i++)
        *known += weight_of(w, w->base[i]);
    return n ? level_of_nights(w, w->base, n) : w->center;
}

/* Where neighbors are correlated a level that drifts stays one for too long:
 * no level is accepted there. */
static void find_total(struct work *w)
{
    struct az_baseline *out = w->out;
    struct az_level_hold h = { .v = w->clean,
                               .weight = w->weight,
                               .failed = w->in->failed,
                               .n = w->n,
                               .noise = w->noise,
                               .worse = w->in->worse };
    const bool step = out->kind == AZ_BASELINE_STEP && out->side > 0;

    const struct az_baseline_others *o = &w->in->others;
    /* levels and drifts that all metrics share correlate them */
    const bool changing = o->all > 0 && (o->news < NEWS_ALIKE || o->flat < FLAT_ALIKE);
    const bool correlated = (w->rho > 0 || o->correlation >= AZ_BASELINE_ALIKE) && !changing;
    if (!correlated) {
        const bool odd = out->kind == AZ_BASELINE_JUMP || out->kind == AZ_BASELINE_OUTLIER;
        h.n -= odd; /* a night that is off is no evidence of a slope */
        const double line = az_baseline_total(&h, w->base[0], w->known);
        const double change = w->in->worse ? line * w->in->worse : fabs(line);
        h.n = w->n;
        h.center = center_before(w, &h.of_center);
        out->total = change > 0 ? amount(w, change) : 0;
        out->held = !az_baseline_is_back(&h);
    }
    if (step)
        out->total = fmax(out->total, fabs(out->level - out->before));
}

/* ---- all of it ---- */

static void finish(struct work *w)
{
    struct az_baseline *out = w->out;
    const double m = variance_of_base(w), own = 1 / weight_of(w, w->n - 1);

    out->center = value(w, w->center);
    out->noise = amount(w, w->noise);
    out->newest = out->noise * sqrt(own);
    out->correlation = w->rho;
    out->least = amount(w, (limit_of(w) + SURE) * w->noise * sqrt(own + m));
    out->least_run = amount(w, (LIMIT_JUMP + az_baseline_small((double)w->n + 5, w->rho) + SURE) *
                                   w->noise * sqrt(az_baseline_mean_variance(5, w->rho) + m));
    if (out->kind == AZ_BASELINE_SAME && out->level == 0)
        out->level = out->center;
    out->base = w->base;
    out->n_base = w->n_base;
    out->room = w->n;
    w->base = NULL;
}

static void judge(struct work *w)
{
    double between;

    w->logs = az_baseline_scale(w->in->v, w->n, w->y, w->scratch, &w->unit);
    w->within = w->in->within;
    if (w->in->error) {
        double usual;
        if (!az_baseline_weigh(w->y, w->in->error, w->n, w->weight, w->scratch, &usual))
            w->weight = NULL;
        w->within = usual > 0 ? usual : w->within;
    } else {
        w->weight = NULL;
    }
    find_noise(w);
    memcpy(w->clean, w->y, w->n * sizeof *w->y);
    w->out->spikes = (double)az_baseline_clean(w->clean, w->weight, w->n, w->noise, w->odd);
    segment(w);
    follow_level(w);
    between = w->noise;
    widen_noise(w);
    judge_night(w);
    w->noise = between;
    find_drift(w);
    find_total(w);
    find_ramp(w);
    widen_noise(w);
    finish(w);
    find_newest(w);
}

int az_baseline_judge(const struct az_baseline_in *in, struct az_baseline *out)
{
    struct work w = { .in = in, .out = out, .n = in->n };
    const size_t size = in->n * (6 * sizeof(double) + sizeof(bool));
    double *room = az_mem_alloc(NULL, size);

    *out = (struct az_baseline){ .p = NAN, .least = NAN, .least_run = NAN, .center = NAN };
    w.base = az_mem_alloc(NULL, in->n * sizeof *w.base);
    if (room && w.base && in->n >= 2) {
        w.y = room;
        w.clean = room + in->n;
        w.scratch = room + 2 * in->n;
        w.weight = room + 5 * in->n;
        void *odd = room + 6 * in->n;
        w.odd = odd;
        judge(&w);
    }
    const int rc = room && (w.base || out->base) ? AZ_OK : AZ_ENOMEM;
    if (room)
        az_mem_free(NULL, room, size);
    if (w.base)
        az_mem_free(NULL, w.base, in->n * sizeof *w.base);
    return rc;
}

void az_baseline_release(struct az_baseline *n)
{
    if (n->base)
        az_mem_free(NULL, n->base, n->room * sizeof *n->base);
    n->base = NULL;
}
