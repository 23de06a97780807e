/* Who keeps the others waiting: waits, last and first arrivals, blame by rank; waits by rank and
 * kind. docs/formulas-collectives.md 3.2. */
#include "analyses/collectives/waiting.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

struct rank_sums {
    size_t r;
    int64_t wait, blame, caused; /* caused: waits of all others added */
    double caused_each;          /* of one other rank, on average */
    int64_t last, first, n;
    int64_t busy; /* all collective kernels */
    double odds;  /* sum of 1 / members */
    double chance, share;
    struct az_coll_verdict verdict;
    int64_t rank, node, all; /* all: collectives of the run */
    const struct az_coll_clock *clock;
};

double az_coll_binomial_tail(int64_t n, double p, int64_t k)
{
    if (k <= 0)
        return 1;
    if (k > n || p <= 0)
        return 0;
    if (p >= 1)
        return 1;
    /* Logarithms of the terms, one from the other: lgamma() writes a global. */
    double sum = 0, log_term = (double)k * log(p) + (double)(n - k) * log1p(-p);
    for (int64_t j = 1; j <= k; j++)
        log_term += log((double)(n - k + j) / (double)j);
    for (int64_t i = k; i <= n; i++) {
        const double term = exp(log_term);
        sum += term;
        if ((double)i > (double)n * p && term < sum * 1e-17) /* the rest is smaller still */
            break;
        log_term += log((double)(n - i) / (double)(i + 1)) + log(p) - log1p(-p);
    }
    return sum > 1 ? 1 : sum;
}

static void add_collective(const struct az_coll_run *c, const struct az_coll_coll *x,
                           struct rank_sums *of)
{
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t g = az_coll_member(c, x, i);
        struct rank_sums *s = &of[c->rank[g]];
        s->n++;
        s->odds += 1.0 / (double)x->n;
        s->first += i == x->first_in;
        if (i != x->last)
            continue;
        s->last++;
        s->blame = az_add_sat(s->blame, x->delay);
        s->caused = az_add_sat(s->caused, x->wait_sum);
        s->caused_each += (double)x->wait_sum / (double)(x->n - 1);
    }
}

static void shares(const struct az_coll_run *c, struct rank_sums *s)
{
    const struct az_coll_part *p = c->part[s->r];
    const double steps = p->n_steps ? (double)p->n_steps : 1,
                 step = (double)(c->step ? c->step : p->span);
    s->chance = s->n ? az_coll_binomial_tail(s->n, s->odds / (double)s->n, s->last) : NAN;
    s->share = step > 0 ? s->caused_each / steps / step : NAN;
    s->rank = c->ranks->v[s->r].rank;
    s->node = c->node[s->r];
    s->clock = &c->clock[s->r];
}

static int by_wait(const void *p, const void *q, void *ctx)
{
    const struct rank_sums *a = p, *b = q;
    (void)ctx;
    if (a->wait != b->wait)
        return a->wait < b->wait ? -1 : 1;
    return a->r < b->r ? -1 : a->r > b->r;
}

/* Of the verdict: empty cells where there is none. */
static double judged_us(const struct rank_sums *r, double ns)
{
    return r->verdict.judged ? ns * 1e-3 : NAN;
}

#define ROW struct rank_sums
AZ_OF_RECORD(double, mean_wait, ROW, r->n ? (double)r->wait / (double)r->n / 1e3 : NAN)
AZ_OF_RECORD(double, percent_last, ROW, r->n ? 100.0 * (double)r->last / (double)r->n : NAN)
AZ_OF_RECORD(double, percent_caused, ROW, 100.0 * r->share)
AZ_OF_RECORD(double, own_delay, ROW, judged_us(r, r->verdict.delay))
AZ_OF_RECORD(double, own_error, ROW, judged_us(r, r->verdict.error))
AZ_OF_RECORD(double, flag_from, ROW, judged_us(r, r->verdict.flag_from))
AZ_OF_RECORD(double, found_from, ROW, judged_us(r, r->verdict.found_from))
AZ_OF_RECORD(double, found_seldom, ROW, judged_us(r, r->verdict.found_seldom))
AZ_OF_RECORD(int64_t, seldom_steps, ROW,
             r->verdict.seldom_steps ? (int64_t)r->verdict.seldom_steps : -1)
AZ_OF_RECORD(double, clock_error, ROW, r->clock->n ? az_us_from_ns(r->clock->error) : NAN)
AZ_OF_RECORD(int64_t, is_straggler, ROW, r->verdict.judged ? r->verdict.straggler : -1)
static double delay_percent(const void *row)
{
    const struct az_coll_verdict *v = &((const struct rank_sums *)row)->verdict;
    return v->judged && v->step > 0 ? 100 * v->delay / v->step : NAN;
}

static const struct az_record_column straggler_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank) },
    { "total_wait_time_us", AZ_REAL, AZ_UNIT_US, AZ_SHARE, AZ_FIELD(ROW, wait) },
    { "mean_wait_time_us", AZ_REAL, AZ_UNIT_US, .real = mean_wait },
    { "times_arrived_last", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_FIELD(ROW, last) },
    { "times_arrived_first", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, first) },
    { "pct_arrived_last", AZ_REAL, AZ_UNIT_PERCENT, AZ_LOWER_BETTER, .real = percent_last },
    { "num_collectives", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, all) },
    { "total_nccl_dur_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, busy) },
    { "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN(ROW, node) },
    { "collectives_of_rank", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, n) },
    { "blame_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, blame) },
    { "caused_wait_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, caused) },
    { "caused_share_of_step (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, .real = percent_caused },
    { "chance_of_so_many", AZ_REAL, .flags = AZ_DETAIL, AZ_FIELD(ROW, chance) },
    { "own_delay_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = own_delay },
    { "own_delay_error_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = own_error },
    { "own_delay_of_step (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, .real = delay_percent },
    { "straggler_from_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = flag_from },
    { "found_from_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = found_from },
    { "found_seldom_from_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = found_seldom },
    { "seldom_steps", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, .integer = seldom_steps, .known = true },
    { "steps_judged", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, verdict.blocks) },
    { "clock_error_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = clock_error },
    { "straggler", AZ_BOOL, .integer = is_straggler, .known = true },
};

#define UNTESTED "; their place in the straggler ranking is not tested against noise"

/* What the test of ranks lacks. */
static struct az_sv lacking(const struct az_coll_run *c, const struct az_coll_blame *m)
{
    if (m->n_numbers && m->n_numbers < AZ_COLL_LEAST_BLOCKS)
        return az_arena_printf(c->arena,
                               "record at least %d complete steps (this run: %zu)" UNTESTED,
                               AZ_COLL_LEAST_BLOCKS, m->n_numbers);
    return AZ_SV("record at least 3 complete steps (without ProfilerStep: 24 collectives) and "
                 "another rank to compare with" UNTESTED);
}

/* Why there is no verdict, and on whom none is possible. */
static void tell_limits(const struct az_coll_run *c, const struct az_coll_blame *m,
                        const struct rank_sums *of, size_t n, int64_t all)
{
    size_t judged = 0;
    for (size_t i = 0; i < n; i++)
        judged += of[i].verdict.judged;
    if (all && n > 1 && judged < n)
        az_finding(c->job, "stragglers_not_judged", "info",
                   az_arena_printf(c->arena, "%zu of %zu ranks", n - judged, n), -1, -1,
                   lacking(c, m));
}

static int chart(struct az_coll_run *c, enum az_chart_kind kind, const char *table,
                 const char *title, const char *x, const struct az_sv *y, size_t n,
                 const char *y_title)
{
    struct az_chart out = { .kind = kind,
                            .table = az_sv_str(table),
                            .title = az_sv_str(title),
                            .x = az_sv_str(x),
                            .x_title = az_sv_str(x),
                            .y_title = az_sv_str(y_title),
                            .max_rows = kind == AZ_CHART_HEAT ? 0 : 64 };
    if (!az_document_table(c->job->doc, table))
        return 0;
    az_vec_init(&out.y, c->job->doc->mem);
    for (size_t i = 0; i < n; i++) {
        int rc = az_vec_push(&out.y, y[i]);
        if (rc) {
            az_vec_release(&out.y);
            return rc;
        }
    }
    return az_document_chart(c->job->doc, out);
}

#define WAITS                                                                                      \
    "Wait time: from a rank's arrival to the last one's, overlapped with compute or not; device "  \
    "imbalance counts exposed waiting only."

static int stragglers(struct az_coll_run *c, struct rank_sums *of,
                      const struct az_coll_verdict *verdict, const struct az_coll_blame *blame)
{
    struct az_table *t = AZ_RECORD_TABLE(c->arena, "straggler_summary", "Straggler ranking",
                                         AZ_TABLE_SUMMARY, straggler_columns);
    int64_t all = 0;
    bool any = false;
    size_t n = 0;
    for (size_t r = 0; r < c->ranks->n; r++)
        of[r].r = r;
    for (size_t i = 0; i < c->colls.n; i++) {
        if (!(c->colls.v[i].flags & AZ_COLL_SYNC))
            continue;
        add_collective(c, &c->colls.v[i], of);
        all++;
    }
    for (uint32_t g = 0; g < c->n; g++)
        of[c->rank[g]].busy = az_add_sat(of[c->rank[g]].busy, az_coll_length(c, g));
    for (size_t r = 0; r < c->ranks->n; r++) {
        if (!c->part[r])
            continue;
        of[n] = of[r];
        of[n].wait = c->sync_wait[r];
        of[n].verdict = verdict[r];
        of[n].all = all;
        shares(c, &of[n++]);
    }
    for (size_t i = 0; i < n; i++)
        any |= of[i].verdict.judged;
    tell_limits(c, blame, of, n, all);
    az_sort_cmp(of, n, sizeof *of, by_wait, NULL, c->job->mem);
    if (t)
        t->note = AZ_SV(WAITS);
    if (all || any)
        AZ_PUT_ROWS(t, of, n);
    const int rc = az_job_add(c->job, t, AZ_OK);
    const struct az_sv y = AZ_SV("total_wait_time_us");
    return rc ? rc
              : chart(c, AZ_CHART_BAR, "straggler_summary", "Wait time by rank", "rank", &y, 1,
                      "us");
}

/* Time that ranks wait, by kind of collective. */
static int wait_heat(struct az_coll_run *c)
{
    struct az_table *t =
        az_table_new(c->arena, "nccl_wait_heatmap", "Wait by rank and collective", 0);
    bool there[AZ_COLL_KINDS] = { false };
    struct az_sv y[AZ_COLL_KINDS];
    size_t n = 0;
    for (size_t i = 0; i < c->colls.n; i++)
        there[c->colls.v[i].kind] |= c->colls.v[i].n > 1;
    az_table_column(t, "rank", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (int k = 0; k < AZ_COLL_KINDS; k++) {
        if (!there[k])
            continue;
        y[n++] = az_sv_str(az_coll_kind_text((enum az_coll_kind)k));
        az_table_columnsv(t, y[n - 1], AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    }
    for (size_t r = 0; n && r < c->ranks->n; r++) {
        if (!c->part[r])
            continue;
        az_put_text(t, az_arena_printf(c->arena, "rank %lld", (long long)c->ranks->v[r].rank));
        for (int k = 0; k < AZ_COLL_KINDS; k++)
            if (there[k])
                az_put_f64(t, az_ms_from_ns(c->wait[r * AZ_COLL_KINDS + (size_t)k]));
    }
    const int rc = az_job_add(c->job, t, 0);
    return rc ? rc
              : chart(c, AZ_CHART_HEAT, "nccl_wait_heatmap", "Wait by rank and collective", "rank",
                      y, n, "kind");
}

int az_coll_straggler_tables(struct az_coll_run *c)
{
    struct az_arena a;
    az_arena_init(&a, c->job->mem);
    struct rank_sums *of = az_arena_array(&a, c->ranks->n + 1, sizeof *of);
    struct az_coll_verdict *verdict = az_arena_array(&a, c->ranks->n + 1, sizeof *verdict);
    struct az_coll_blame blame = { 0 };
    int rc = of && verdict ? az_coll_verdicts(c, verdict, &a, &blame) : az_arena_error(&a);
    if (rc == 0)
        rc = az_coll_waiting(c, &blame, verdict);
    if (rc == 0)
        rc = stragglers(c, of, verdict, &blame);
    if (rc == 0)
        rc = wait_heat(c);
    az_arena_release(&a);
    return rc;
}
