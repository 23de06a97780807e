/* Times of single steps, and the test of two runs by them. */
#include "document/step_samples.h"

#include <math.h>

#include "document/claims.h"
#include "document/schema.h"
#include "document/times.h"
#include "stats/rank_test.h"

#define ERRORS      2  /* of the difference of two medians that matters */
#define FEW_PERIODS 12 /* by which the error is less certain: added, divided by their number */

/* ---- reading ---- */

static struct az_sv excluded_step(const struct az_document *d)
{
    return az_fact_text(d, "verdict_facts", "excluded_step", "Text");
}

static double time_of(const struct az_table *t, size_t row, const char *stem)
{
    const ptrdiff_t at = az_time_column(t, stem);
    return at < 0 ? 0 : az_time_at(t, row, at);
}

static struct az_step_sample sample_of(const struct az_table *t, size_t row, double period)
{
    const double comm = time_of(t, row, "exposed_comm"), copies = time_of(t, row, "exposed_memcpy"),
                 busy = time_of(t, row, "computation") + comm + copies;
    const ptrdiff_t rank = az_schema_find(t, AZ_SV("rank"));
    struct az_step_sample s = { .part = { [AZ_STEP_TOTAL] = period,
                                          [AZ_STEP_BUSY] = busy,
                                          [AZ_STEP_COMMUNICATION] = comm,
                                          [AZ_STEP_COPIES] = copies,
                                          [AZ_STEP_IDLE] = fmax(period - busy, 0) } };
    if (rank >= 0) {
        const double x = az_cell_number(az_table_at(t, row, (size_t)rank));
        s.rank = isnan(x) ? 0 : (int64_t)x;
    }
    return s;
}

int az_step_samples_read(const struct az_document *doc, struct az_step_samples *out)
{
    const struct az_table *t = az_document_table(doc, "steps");
    const ptrdiff_t period = t ? az_time_column(t, "period") : -1,
                    step = t ? az_schema_find(t, AZ_SV("step")) : -1;
    const struct az_sv excluded = excluded_step(doc);
    int rc = AZ_OK;

    for (size_t r = 0; !rc && period >= 0 && az_is_read(t) && r < t->rows; r++) {
        const double ns = az_time_at(t, r, period);
        const bool out_of_scope = excluded.n && step >= 0 &&
                                  az_sv_eq(az_cell_text(az_table_at(t, r, (size_t)step)), excluded);
        if (ns > 0 && !out_of_scope)
            rc = az_vec_push(out, sample_of(t, r, ns));
    }
    return rc;
}

/* ---- blocks ---- */

/* The part's values of one rank into v; their number. */
static size_t of_rank(const struct az_step_samples *s, int64_t rank, bool all, size_t part,
                      double *v)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (all || s->v[i].rank == rank)
            v[n++] = s->v[i].part[part];
    return n;
}

static bool has_rank(const struct az_step_samples *s, int64_t rank, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (s->v[i].rank == rank)
            return true;
    return false;
}

double az_step_samples_scatter(const struct az_step_samples *s, size_t part, size_t least)
{
    double *v = az_mem_alloc(NULL, (2 * s->n + 1) * sizeof *v), sum = 0, out = NAN;
    if (!v)
        return NAN;
    const size_t n = of_rank(s, 0, true, part, v);
    const double center = az_gate_center(v, n);
    double *off = v + s->n;
    size_t k = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (has_rank(s, s->v[i].rank, i))
            continue;
        const size_t m = of_rank(s, s->v[i].rank, false, part, v);
        const double own = az_gate_center(v, m);
        for (size_t j = 0; j < m; j++)
            off[k++] = fabs(v[j] - own);
    }
    sum = az_gate_median(off, k);
    if (n >= least && center > 0)
        out = 1.2533 * 1.4826 * sum / sqrt((double)n) / center;
    az_mem_free(NULL, v, (2 * s->n + 1) * sizeof *v);
    return out;
}

int az_step_spread_of(const struct az_document *a, const struct az_document *b,
                      struct az_step_spread *out)
{
    const struct az_document *const side[2] = { a, b };
    double of[2] = { NAN, NAN };
    size_t n = 0;
    int rc = AZ_OK;

    *out = (struct az_step_spread){ 0, 0 };
    for (size_t i = 0; !rc && i < 2; i++) {
        struct az_step_samples s;
        az_vec_init(&s, side[i]->mem);
        rc = az_step_samples_read(side[i], &s);
        of[i] = rc ? NAN : az_step_samples_scatter(&s, AZ_STEP_TOTAL, 2);
        n += s.n;
        az_vec_release(&s);
    }
    if (rc || isnan(of[0]) || isnan(of[1]))
        return rc;
    out->error = hypot(of[0], of[1]);
    out->least = out->error * (ERRORS + FEW_PERIODS / (double)(n - 2));
    return AZ_OK;
}

/* ---- the test ---- */

struct blocks {
    double sum, variance, half; /* of weighted U about its mean; half: continuity */
    double u, pairs, floor;
    size_t n, n_a, n_b;
    double p_larger, p_smaller; /* of the only block */
};

/* Variance of U with ties: m n / 12 (N + 1 - sum(t^3 - t) / (N (N - 1))). */
static double variance_of(const double *a, size_t m, const double *b, size_t n)
{
    const double all = (double)(m + n), mn = (double)m * (double)n;
    double ties = 0;
    for (size_t i = 0; i < m + n; i++) { /* each value counts its ties: sum of t^2 - 1 over them */
        const double x = i < m ? a[i] : b[i - m];
        double t = 0;
        for (size_t k = 0; k < m + n; k++)
            t += !(fabs((k < m ? a[k] : b[k - m]) - x) > 0);
        ties += t * t - 1;
    }
    return mn / 12 * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0));
}

static int add_block(struct blocks *w, const double *a, size_t m, const double *b, size_t n)
{
    struct az_mwu t;
    if (m == 0 || n == 0)
        return AZ_OK;
    int rc = az_mann_whitney(a, m, b, n, AZ_TAIL_LESS, &t);
    w->p_smaller = t.p;
    if (!rc)
        rc = az_mann_whitney(a, m, b, n, AZ_TAIL_GREATER, &t);
    w->p_larger = t.p;
    const double weight = 1 / (double)(m + n + 1), mn = (double)m * (double)n;
    w->sum += weight * (t.u - mn / 2);
    w->variance += weight * weight * variance_of(a, m, b, n);
    w->half += weight / 2;
    w->u += t.u;
    w->pairs += mn;
    w->floor *= az_mann_whitney_floor(m, n);
    w->n++;
    w->n_a += m;
    w->n_b += n;
    return rc;
}

static int add_ranks(struct blocks *w, const struct az_step_samples *a,
                     const struct az_step_samples *b, size_t part, double *x, double *y)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < a->n; i++) {
        const int64_t rank = a->v[i].rank;
        if (has_rank(a, rank, i))
            continue;
        const size_t m = of_rank(a, rank, false, part, x), n = of_rank(b, rank, false, part, y);
        rc = add_block(w, x, m, y, n);
    }
    if (!rc && w->n == 0) {
        const size_t m = of_rank(a, 0, true, part, x), n = of_rank(b, 0, true, part, y);
        rc = add_block(w, x, m, y, n);
    }
    return rc;
}

static double upper_tail(double z) { return 0.5 * erfc(z / sqrt(2)); }

bool az_steps_differ(const struct az_step_samples *a, const struct az_step_samples *b, size_t part,
                     struct az_steps_test *out, int *rc)
{
    struct blocks w = { .floor = 1, .p_larger = 1, .p_smaller = 1 };
    const size_t size = (a->n + b->n + 1) * sizeof(double);
    double *room = az_mem_alloc(NULL, size);

    *rc = room ? add_ranks(&w, a, b, part, room, room + a->n) : AZ_ENOMEM;
    if (room)
        az_mem_free(NULL, room, size);
    if (*rc || w.n == 0)
        return false;
    if (w.n > 1) {
        const double sd = sqrt(w.variance);
        w.p_larger = sd > 0 ? upper_tail((w.sum - w.half) / sd) : 1;
        w.p_smaller = sd > 0 ? upper_tail((-w.sum - w.half) / sd) : 1;
    }
    *out = (struct az_steps_test){ .n_a = w.n_a,
                                   .n_b = w.n_b,
                                   .effect = 2 * w.u / w.pairs - 1,
                                   .p_larger = w.p_larger,
                                   .p_smaller = w.p_smaller,
                                   .floor = w.floor };
    return true;
}
