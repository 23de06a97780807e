/* Fit of a clock from differences to a common one: one drift, and pieces between the steps of the
 * clock, by dynamic programming over medians of bins. A clock drifts by its crystal: no more than
 * MOST_DRIFT, and the same before and after a step but for VARIES, so that a short piece uses the
 * drift of the whole and contributes its offset only. A piece more must better the sum of squares
 * by MORE_PIECE deviations squared; deviations of a bin's median are those within the bins, of at
 * least LEAST_NS. */
#include "analyses/collectives/clock.h"

#include <math.h>

#include "base/num.h"
#include "stats/stats.h"

#define FEW        24 /* are sorted by hand */
#define BINS       64
#define IN_BIN     4 /* differences at least */
#define MORE_PIECE 60.0
#define MOST_DRIFT 100e-6
#define USUAL      20e-6 /* deviation of the drifts of clocks */
#define VARIES     1e-6  /* of the drift of one clock, from step to step */
#define PASSES     3     /* drift and steps, each by the other */
#define LEAST_NS   1000.0
#define MOVES_NS   1000 /* a course that differs by this has not settled, however much it is */

int64_t az_coll_median(int64_t *v, size_t n)
{
    int64_t m[2];
    if (n == 0)
        return 0;
    if (n <= FEW) {
        for (size_t i = 1; i < n; i++) {
            const int64_t x = v[i];
            size_t at = i;
            for (; at > 0 && v[at - 1] > x; at--)
                v[at] = v[at - 1];
            v[at] = x;
        }
        return v[(n - 1) / 2] + az_coll_minus(v[n / 2], v[(n - 1) / 2]) / 2;
    }
    const int64_t base = v[0]; /* halves go towards it */
    az_middle_i64(v, n, m);
    return base + (az_coll_minus(m[0], base) + az_coll_minus(m[1], base)) / 2;
}

int64_t az_coll_ahead_of_pieces(const struct az_coll_track *k, int64_t t)
{
    if (k->n == 0)
        return 0;
    uint32_t i = k->n - 1;
    while (i > 0 && t < k->piece[i].from)
        i--;
    return az_coll_piece_ahead(&k->piece[i], t);
}

/* ---- bins ---- */
struct bins {
    size_t n, first[BINS + 1];
    double drift;            /* taken away from y */
    double t[BINS], y[BINS]; /* against those of the first difference */
    double deviation;        /* of a median */
    /* sums of the bins before: 1, t, t t, y, t y, y y; t in `scale`, y in `deviation` */
    double s[BINS + 1][6], scale;
};

/* n differences without a drift since `from`; times ascend from there. Most of a fit: rounded as
 * az_llround does it. */
static void without(double drift, int64_t from, const int64_t *t, const int64_t *y, size_t n,
                    int64_t *out)
{
    const double half = drift < 0 ? -0.49999999999999994 : 0.49999999999999994;
    if (drift == 0)
        memcpy(out, y, n * sizeof *out);
    else if (n > 0 && az_coll_minus(t[n - 1], from) < AZ_COLL_MOST_NS)
        for (size_t i = 0; i < n; i++)
            out[i] = az_coll_minus(y[i], (int64_t)(drift * (double)(t[i] - from) + half));
    else
        for (size_t i = 0; i < n; i++)
            out[i] = az_coll_minus(y[i], az_llround(drift * (double)az_coll_minus(t[i], from)));
}

/* Median of what n sorted values are off their median. */
static int64_t sorted_scatter(const int64_t *v, size_t n, int64_t mid)
{
    size_t low = 0;
    while (low < n && v[low] < mid)
        low++;
    int64_t last = 0, far = 0; /* the nearest n / 2 + 1, from the middle to both sides */
    for (size_t k = 0, high = low; k <= n / 2; k++) {
        last = far;
        if (low > 0 && (high == n || az_coll_minus(mid, v[low - 1]) < az_coll_minus(v[high], mid)))
            far = az_coll_minus(mid, v[--low]);
        else
            far = az_coll_minus(v[high++], mid);
    }
    return n % 2 ? far : last + az_coll_minus(far, last) / 2;
}

/* The same of values in any order, which are then the sizes. */
static int64_t scatter(int64_t *v, size_t n, int64_t mid)
{
    if (n <= FEW) /* az_coll_median sorted them */
        return sorted_scatter(v, n, mid);
    for (size_t k = 0; k < n; k++)
        v[k] = az_coll_size(az_coll_minus(v[k], mid));
    return az_coll_median(v, n);
}

static void sum_clock_fit(struct bins *b)
{
    b->scale = b->t[b->n - 1] > 0 ? b->t[b->n - 1] : 1;
    for (size_t i = 0; i < b->n; i++) {
        const double x = b->t[i] / b->scale, v = b->y[i] / b->deviation;
        const double add[6] = { 1, x, x * x, v, x * v, v * v };
        for (size_t k = 0; k < 6; k++)
            b->s[i + 1][k] = b->s[i][k] + add[k];
    }
}

static void fill_clock_fit(struct bins *b, const int64_t *t, const int64_t *y, size_t n,
                           int64_t *scratch)
{
    double spread[BINS];
    b->n = n / IN_BIN < BINS ? n / IN_BIN : BINS;
    for (size_t i = 0; i <= b->n; i++)
        b->first[i] = n / b->n * i + n % b->n * i / b->n;
    for (size_t i = 0; i < b->n; i++) {
        const size_t from = b->first[i], m = b->first[i + 1] - from;
        without(b->drift, t[0], t + from, y + from, m, scratch);
        const int64_t mid = az_coll_median(scratch, m); /* in another order now */
        spread[i] = 1.25 * 1.4826 * (double)scatter(scratch, m, mid) / sqrt((double)m);
        b->y[i] = (double)az_coll_minus(mid, y[0]);
        b->t[i] = ((double)az_coll_minus(t[from + (m - 1) / 2], t[0]) +
                   (double)az_coll_minus(t[from + m / 2], t[0])) /
                  2;
    }
    b->deviation = az_percentile_f64(spread, b->n, 50);
    b->deviation = b->deviation < LEAST_NS ? LEAST_NS : b->deviation;
    sum_clock_fit(b);
}

/* ---- drift ---- */
static double bounded(double drift)
{
    return drift > MOST_DRIFT ? MOST_DRIFT : drift < -MOST_DRIFT ? -MOST_DRIFT : drift;
}

/* What minimizes the sum of |dy - drift dt| from bin to bin, so that a step spoils one of them
 * only; nearer to 0 the more the scatter hides it. */
static double first_drift(const struct bins *b)
{
    double slope[BINS], weight[BINS], all = 0, sum = 0;
    size_t n = 0;
    for (size_t i = 1; i < b->n; i++) {
        const double dt = b->t[i] - b->t[i - 1], v = dt > 0 ? (b->y[i] - b->y[i - 1]) / dt : 0;
        size_t at = n;
        if (dt <= 0)
            continue;
        for (; at > 0 && slope[at - 1] > v; at--) {
            slope[at] = slope[at - 1];
            weight[at] = weight[at - 1];
        }
        slope[at] = v;
        weight[at] = dt;
        all += dt;
        n++;
    }
    size_t mid = 0;
    while (mid + 1 < n && (sum += weight[mid]) < all / 2)
        mid++;
    const double error = n ? 1.25 * 1.4142 * b->deviation * sqrt((double)n) / all : 0;
    return n ? bounded(slope[mid] * USUAL * USUAL / (USUAL * USUAL + error * error)) : 0;
}

/* Squares about the best line through bins i to j - 1, of a drift near that of the whole; *slope:
 * beyond that. */
static double squares(const struct bins *b, size_t i, size_t j, double *slope)
{
    double d[6];
    for (size_t k = 0; k < 6; k++)
        d[k] = b->s[j][k] - b->s[i][k];
    const double tt = d[2] - d[1] * d[1] / d[0], ty = d[4] - d[1] * d[3] / d[0],
                 yy = d[5] - d[3] * d[3] / d[0];
    const double unit = b->deviation / b->scale, known = unit * unit / (VARIES * VARIES);
    *slope = bounded(b->drift + ty / (tt + known) * unit) - b->drift;
    const double x = *slope / unit, line = yy - 2 * x * ty + x * x * (tt + known);
    return line > 0 ? line : 0;
}

/* The drift of all pieces together. */
static double common_drift(const struct bins *b, const size_t *begin, size_t n)
{
    const double unit = b->deviation / b->scale, known = unit * unit / (USUAL * USUAL);
    double tt = known, ty = -known * b->drift / unit;
    for (size_t k = 0; k < n; k++) {
        const size_t i = begin[k], j = k + 1 < n ? begin[k + 1] : b->n;
        double d[6];
        for (size_t q = 0; q < 6; q++)
            d[q] = b->s[j][q] - b->s[i][q];
        tt += d[2] - d[1] * d[1] / d[0];
        ty += d[4] - d[1] * d[3] / d[0];
    }
    return bounded(b->drift + ty / tt * unit);
}

/* Where pieces begin, in bins; their number. */
static size_t cut_bins(const struct bins *b, size_t *begin)
{
    double best[BINS + 1] = { 0 }, slope;
    size_t from[BINS + 1] = { 0 }, n = 0;
    begin[0] = 0;
    if (b->n < 2 || squares(b, 0, b->n, &slope) < MORE_PIECE)
        return 1;
    for (size_t j = 1; j <= b->n; j++) {
        best[j] = INFINITY;
        for (size_t i = 0; i + 2 <= j; i++) {
            const double cost = best[i] + squares(b, i, j, &slope) + MORE_PIECE;
            if (cost < best[j]) {
                best[j] = cost;
                from[j] = i;
            }
        }
    }
    for (size_t j = b->n; j > 0; j = from[j])
        n++;
    if (n > AZ_COLL_MOST_PIECES)
        return 1;
    for (size_t j = b->n, k = n; j > 0; j = from[j])
        begin[--k] = from[j];
    return n;
}

/* ---- pieces ---- */
/* A piece through differences lo to hi - 1 with this drift. */
static struct az_coll_piece through(const int64_t *t, const int64_t *y, size_t lo, size_t hi,
                                    double drift, int64_t *scratch)
{
    without(drift, t[lo], t + lo, y + lo, hi - lo, scratch);
    return (struct az_coll_piece){ t[lo], (double)az_coll_median(scratch, hi - lo), drift };
}

static double clock_error(const struct az_coll_piece *p, int64_t t, int64_t y)
{
    return fabs((double)az_coll_minus(y, (int64_t)p->offset) -
                p->drift * (double)az_coll_minus(t, p->from));
}

/* First difference of the later piece, among those of the two bins at the cut. */
static size_t boundary(const struct az_coll_piece *a, const struct az_coll_piece *b,
                       const int64_t *t, const int64_t *y, size_t lo, size_t hi)
{
    double sum = 0, least = 0;
    size_t best = lo;
    for (size_t i = lo; i < hi; i++) { /* i + 1 begins the later one */
        sum += clock_error(a, t[i], y[i]) - clock_error(b, t[i], y[i]);
        if (sum < least) {
            least = sum;
            best = i + 1;
        }
    }
    return best;
}

/* Drift and steps, each by the other; pieces begin at begin[i]. Their number. */
static size_t seek_pieces(struct bins *b, const int64_t *t, const int64_t *y, size_t n, bool steps,
                          size_t *begin, int64_t *scratch)
{
    size_t pieces = 1;
    fill_clock_fit(b, t, y, n, scratch);
    double drift = first_drift(b);
    if (!steps) /* nothing of the bins is used but where they begin */
        b->drift = drift;
    for (int pass = 0; steps && pass <= PASSES; pass++) {
        if (drift != b->drift) {
            b->drift = drift;
            fill_clock_fit(b, t, y, n, scratch);
        } else if (pass > 0) {
            break; /* the same bins */
        }
        if (pass == PASSES)
            break;
        pieces = cut_bins(b, begin);
        drift = common_drift(b, begin, pieces);
    }
    return pieces;
}

void az_coll_fit(const int64_t *t, const int64_t *y, size_t n, bool steps, int64_t *scratch,
                 struct az_coll_track *out)
{
    struct bins b = { 0 };
    size_t begin[AZ_COLL_MOST_PIECES] = { 0 }, at[AZ_COLL_MOST_PIECES + 1] = { 0 };
    double drift[AZ_COLL_MOST_PIECES] = { 0 };
    const bool binned = n / IN_BIN > 1;
    out->n = n > 0;
    if (n == 0)
        return;
    const size_t k = binned ? seek_pieces(&b, t, y, n, steps, begin, scratch) : 1;
    for (size_t i = 0; binned && steps && i < k; i++)
        squares(&b, begin[i], i + 1 < k ? begin[i + 1] : b.n, &drift[i]);
    for (size_t i = 0; i < k; i++)
        drift[i] += b.drift;
    out->n = (uint32_t)k;
    for (size_t i = 0; i < k; i++)
        out->piece[i] = through(t, y, b.n ? b.first[begin[i]] : 0,
                                i + 1 < k ? b.first[begin[i + 1]] : n, drift[i], scratch);
    at[k] = n;
    for (size_t i = 1; i < k; i++)
        at[i] = boundary(&out->piece[i - 1], &out->piece[i], t, y, b.first[begin[i] - 1],
                         b.first[begin[i] + 1]);
    for (size_t i = 0; i < k; i++)
        if (k > 1 && at[i + 1] > at[i])
            out->piece[i] = through(t, y, at[i], at[i + 1], drift[i], scratch);
}

int64_t az_coll_unfit(const int64_t *t, const int64_t *y, size_t n, int64_t *scratch,
                      const struct az_coll_track *k)
{
    const size_t bins = n / IN_BIN < 1 ? 1 : n / IN_BIN < BINS ? n / IN_BIN : BINS;
    int64_t most = 0;
    for (size_t i = 0; n && i < bins; i++) {
        const size_t from = n / bins * i + n % bins * i / bins,
                     to = n / bins * (i + 1) + n % bins * (i + 1) / bins;
        for (size_t j = from; j < to; j++)
            scratch[j - from] = az_coll_minus(y[j], az_coll_ahead(k, t[j]));
        const int64_t m = az_coll_median(scratch, to - from), far = m < 0 ? -m : m;
        most = far > most ? far : most;
    }
    return most;
}

static bool is_offset(const struct az_coll_track *k)
{
    return k->n == 0 || (k->n == 1 && k->piece[0].drift == 0);
}

int64_t az_coll_apart(const struct az_clocks *k, size_t n, const struct az_coll_track *a,
                      const struct az_coll_track *b)
{
    int64_t most = 0;
    if (is_offset(a) && is_offset(b)) /* by the same at any time */
        n = n ? 1 : 0;
    for (size_t i = n; i > 0 && most < MOVES_NS; i--) {
        const int64_t t = k->t[i - 1],
                      d = az_coll_size(az_coll_minus(az_coll_ahead(a, t), az_coll_ahead(b, t)));
        most = d > most ? d : most;
    }
    return most;
}

void az_coll_course(struct az_clocks *k, size_t n, enum az_coll_course how,
                    struct az_coll_track *out)
{
    *out = (struct az_coll_track){ .n = 1 };
    if (how == AZ_COLL_OFFSET)
        out->piece[0].offset = (double)az_coll_median(k->y, n);
    else
        az_coll_fit(k->t, k->y, n, how == AZ_COLL_STEPS, k->scratch, out);
}
