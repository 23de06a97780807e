/* A clock's course from differences to a common one: piecewise straight, by dynamic programming over medians of bins.
 * A piece more must better the sum of squares by MORE_PIECE deviations squared, a drift by DRIFT, so that scatter
 * makes neither; deviations of a bin's median are those within the bins, of at least LEAST_NS. */
#include "analyses/collectives/clock.h"

#include <math.h>

#include "base/stats.h"

#define BINS       64
#define IN_BIN     4 /* differences at least */
#define MORE_PIECE 60.0
#define DRIFT      20.0
#define LEAST_NS   1000.0
#define MOST_NS    (INT64_C(1) << 61)

int64_t cr_minus(int64_t a, int64_t b)
{
    const __int128 d = (__int128)a - b;
    return d > MOST_NS ? MOST_NS : d < -MOST_NS ? -MOST_NS : (int64_t)d;
}

int64_t cr_median(int64_t *v, size_t n)
{
    struct az_stats s;
    if (n == 0)
        return 0;
    const int64_t base = v[0]; /* small numbers: a double holds their midpoint exactly */
    for (size_t i = 0; i < n; i++)
        v[i] = cr_minus(v[i], base);
    az_stats_i64(v, n, &s);
    return base + (int64_t)s.median;
}

int64_t cr_ahead(const struct cr_track *k, int64_t t)
{
    if (k->n == 0)
        return 0;
    uint32_t i = k->n - 1;
    while (i > 0 && t < k->piece[i].from)
        i--;
    const struct cr_piece *p = &k->piece[i];
    return (int64_t)llround(p->offset + (p->drift != 0 ? p->drift * (double)cr_minus(t, p->from) : 0));
}

/* ---- bins ---- */
struct bins {
    size_t n, first[BINS + 1];
    double t[BINS], y[BINS]; /* against those of the first difference */
    double deviation;        /* of a median */
    /* sums of the bins before: 1, t, t t, y, t y, y y */
    double s[BINS + 1][6];
};

static double size_of(int64_t v) { return v < 0 ? -(double)v : (double)v; }

static void fill(struct bins *b, const int64_t *t, const int64_t *y, size_t n, int64_t *scratch)
{
    double spread[BINS];
    b->n = n / IN_BIN < BINS ? n / IN_BIN : BINS;
    for (size_t i = 0; i <= b->n; i++)
        b->first[i] = n / b->n * i + n % b->n * i / b->n;
    for (size_t i = 0; i < b->n; i++) {
        const size_t from = b->first[i], m = b->first[i + 1] - from;
        for (size_t k = 0; k < m; k++)
            scratch[k] = y[from + k];
        const int64_t mid = cr_median(scratch, m);
        for (size_t k = 0; k < m; k++)
            scratch[k] = (int64_t)size_of(cr_minus(y[from + k], mid));
        spread[i] = 1.25 * 1.4826 * (double)cr_median(scratch, m) / sqrt((double)m);
        b->y[i] = (double)cr_minus(mid, y[0]);
        b->t[i] = (double)cr_minus(t[from + m / 2], t[0]);
    }
    b->deviation = az_percentile_f64(spread, b->n, 50);
    b->deviation = b->deviation < LEAST_NS ? LEAST_NS : b->deviation;
    const double scale = b->t[b->n - 1] > 0 ? b->t[b->n - 1] : 1;
    for (size_t i = 0; i < b->n; i++) {
        const double x = b->t[i] / scale, v = b->y[i] / b->deviation;
        const double add[6] = { 1, x, x * x, v, x * v, v * v };
        for (size_t k = 0; k < 6; k++)
            b->s[i + 1][k] = b->s[i][k] + add[k];
    }
}

/* Squares about the mean, and about a straight line, of bins i to j - 1; *slope in ns per ns. */
static double squares(const struct bins *b, size_t i, size_t j, double *flat, double *slope)
{
    double d[6];
    for (size_t k = 0; k < 6; k++)
        d[k] = b->s[j][k] - b->s[i][k];
    const double tt = d[2] - d[1] * d[1] / d[0], ty = d[4] - d[1] * d[3] / d[0], yy = d[5] - d[3] * d[3] / d[0];
    const double scale = b->t[b->n - 1] > 0 ? b->t[b->n - 1] : 1, line = tt > 1e-12 ? yy - ty * ty / tt : yy;
    *flat = yy > 0 ? yy : 0;
    *slope = tt > 1e-12 ? ty / tt * b->deviation / scale : 0;
    return line > 0 ? line : 0;
}

/* Where pieces begin, in bins; their number. */
static size_t cut(const struct bins *b, size_t *begin)
{
    double best[BINS + 1] = { 0 }, flat, slope;
    size_t from[BINS + 1] = { 0 }, n = 0;
    for (size_t j = 1; j <= b->n; j++) {
        best[j] = INFINITY;
        for (size_t i = 0; i + 2 <= j; i++) {
            const double cost = best[i] + squares(b, i, j, &flat, &slope) + MORE_PIECE;
            if (cost < best[j]) {
                best[j] = cost;
                from[j] = i;
            }
        }
    }
    for (size_t j = b->n; j > 0; j = from[j])
        n++;
    if (n > CR_MOST_PIECES || b->n < 2) {
        begin[0] = 0;
        return 1;
    }
    for (size_t j = b->n, k = n; j > 0; j = from[j])
        begin[--k] = from[j];
    return n;
}

/* ---- pieces ---- */
/* A piece through differences lo to hi - 1 with this drift. */
static struct cr_piece through(const int64_t *t, const int64_t *y, size_t lo, size_t hi, double drift, int64_t *scratch)
{
    for (size_t i = lo; i < hi; i++)
        scratch[i - lo] = cr_minus(y[i], (int64_t)llround(drift * (double)cr_minus(t[i], t[lo])));
    return (struct cr_piece){ t[lo], (double)cr_median(scratch, hi - lo), drift };
}

static double off(const struct cr_piece *p, int64_t t, int64_t y)
{
    return fabs((double)cr_minus(y, (int64_t)p->offset) - p->drift * (double)cr_minus(t, p->from));
}

/* First difference of the later piece, among those of the two bins at the cut. */
static size_t boundary(const struct cr_piece *a, const struct cr_piece *b, const int64_t *t, const int64_t *y,
                       size_t lo, size_t hi)
{
    double sum = 0, least = 0;
    size_t best = lo;
    for (size_t i = lo; i < hi; i++) { /* i + 1 begins the later one */
        sum += off(a, t[i], y[i]) - off(b, t[i], y[i]);
        if (sum < least) {
            least = sum;
            best = i + 1;
        }
    }
    return best;
}

/* Drift of each piece: its own where that is clear, else that of the longest. */
static void drifts(const struct bins *b, const size_t *begin, size_t n, double *drift)
{
    double longest = -1, common = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t i = begin[k], j = k + 1 < n ? begin[k + 1] : b->n;
        double flat, slope;
        const double line = squares(b, i, j, &flat, &slope), span = b->t[j - 1] - b->t[i];
        const bool clear = j - i > 2 && flat - line > DRIFT * (1 + line / (double)(j - i));
        drift[k] = clear ? slope : NAN;
        if (clear && span > longest) {
            longest = span;
            common = slope;
        }
    }
    for (size_t k = 0; k < n; k++)
        drift[k] = isnan(drift[k]) ? common : drift[k];
}

void cr_fit(const int64_t *t, const int64_t *y, size_t n, bool steps, int64_t *scratch, struct cr_track *out)
{
    struct bins b = { 0 };
    size_t begin[CR_MOST_PIECES] = { 0 }, at[CR_MOST_PIECES + 1] = { 0 };
    double drift[CR_MOST_PIECES] = { 0 };
    out->n = n > 0;
    if (n / IN_BIN > 1)
        fill(&b, t, y, n, scratch);
    const size_t k = n / IN_BIN > 1 && steps ? cut(&b, begin) : 1;
    if (n / IN_BIN > 1)
        drifts(&b, begin, k, drift);
    if (n == 0)
        return;
    out->n = (uint32_t)k;
    for (size_t i = 0; i < k; i++)
        out->piece[i] =
            through(t, y, b.n ? b.first[begin[i]] : 0, i + 1 < k ? b.first[begin[i + 1]] : n, drift[i], scratch);
    at[k] = n;
    for (size_t i = 1; i < k; i++)
        at[i] = boundary(&out->piece[i - 1], &out->piece[i], t, y, b.first[begin[i] - 1], b.first[begin[i] + 1]);
    for (size_t i = 0; i < k; i++)
        if (k > 1 && at[i + 1] > at[i])
            out->piece[i] = through(t, y, at[i], at[i + 1], drift[i], scratch);
}

int64_t cr_unfit(const int64_t *t, const int64_t *y, size_t n, int64_t *scratch, const struct cr_track *k)
{
    const size_t bins = n / IN_BIN < 1 ? 1 : n / IN_BIN < BINS ? n / IN_BIN : BINS;
    int64_t most = 0;
    for (size_t i = 0; n && i < bins; i++) {
        const size_t from = n / bins * i + n % bins * i / bins, to = n / bins * (i + 1) + n % bins * (i + 1) / bins;
        for (size_t j = from; j < to; j++)
            scratch[j - from] = cr_minus(y[j], cr_ahead(k, t[j]));
        const int64_t m = cr_median(scratch, to - from), far = m < 0 ? -m : m;
        most = far > most ? far : most;
    }
    return most;
}
