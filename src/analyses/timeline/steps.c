/* steps: each step of a trace and where its device time goes (docs/steps.md), and how the steps
 * were found, in `coverage`. */
#include "facts/steps.h"
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/human.h"
#include "classify/engine_marks.h"
#include "classify/steps.h"
#include "document/record.h"
#include "facts/account.h"

#include <math.h>

struct step_row {
    const struct az_trace *trace;
    const struct az_step *step;
    const struct az_account *account;
    int64_t rank, start, host, period; /* ticks; host, period: -1: not known */
    struct az_engine_mark mark;
    struct az_sv phase;
};
#define ROW struct step_row
static double known_ms(const ROW *r, int64_t ticks)
{
    return ticks < 0 ? NAN : az_ms(r->trace, ticks);
}
AZ_OF_RECORD(double, start, ROW, az_ms(r->trace, r->start))
AZ_OF_RECORD(double, duration, ROW, az_ms(r->trace, r->account->total))
AZ_OF_RECORD(double, computation, ROW, az_ms(r->trace, r->account->compute))
AZ_OF_RECORD(double, exposed_comm, ROW, az_ms(r->trace, r->account->exposed_comm))
AZ_OF_RECORD(double, exposed_copies, ROW, az_ms(r->trace, r->account->exposed_copies))
AZ_OF_RECORD(double, idle_time, ROW, az_ms(r->trace, r->account->idle))
AZ_OF_RECORD(double, host_time, ROW, known_ms(r, r->host))
AZ_OF_RECORD(double, period, ROW, known_ms(r, r->period))
static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
    { "step", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, step, name) },
    { "start_ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, .real = start },
    { "duration_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = duration },
    { "computation_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = computation },
    { "exposed_comm_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = exposed_comm },
    { "exposed_memcpy_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = exposed_copies },
    { "idle_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = idle_time },
    { "host_ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, .real = host_time },
    { "mark", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, step, mark) },
    { "period_ms", AZ_REAL, AZ_UNIT_MS, .real = period },
};

/* Contents of the marks of a serving engine. */
static const struct az_record_column engine_columns[] = {
    { "phase", AZ_TEXT, AZ_UNIT_NONE, 0, AZ_KNOWN(ROW, phase) },
    { "batch", AZ_INT, AZ_UNIT_COUNT, 0, AZ_KNOWN(ROW, mark.batch) },
    { "tokens", AZ_INT, AZ_UNIT_COUNT, 0, AZ_KNOWN(ROW, mark.tokens) },
    { "context_tokens", AZ_INT, AZ_UNIT_COUNT, 0, AZ_KNOWN(ROW, mark.context) },
};

static int has_engine_marks(struct az_job *job, bool *has)
{
    int rc = 0;
    *has = false;
    for (size_t i = 0; rc == 0 && i < job->n_traces && !*has; i++) {
        const struct az_steps *s = az_job_steps(job, i, &rc);
        *has = s && s->how == AZ_STEPS_ENGINE;
    }
    return rc;
}

static void put_step(struct az_job *job, struct az_table *t, size_t trace,
                     const struct az_steps *all, size_t i, const struct az_account *a,
                     int64_t origin)
{
    const struct az_step *s = &all->v[i];
    struct az_engine_mark mark;
    (void)az_engine_mark_read(az_step_mark_name(s->mark), &mark);
    az_put_row(t, &(ROW){ .mark = mark,
                          .phase = az_sv_str(az_engine_phase_text(mark.phase)),
                          .trace = job->traces[trace],
                          .step = s,
                          .account = a,
                          .rank = az_job_rank(job, trace),
                          .start = s->start - origin,
                          .host = all->how != AZ_STEPS_PATTERN ? s->mark_end - s->mark_start : -1,
                          .period = az_step_period(all, i) });
}

/* Count, method of detection, similarity. */
static void cover(struct az_job *job, size_t trace, const struct az_steps *s)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_sv how = az_steps_text(job, s);
    const struct az_sv note =
        s->how != AZ_STEPS_PATTERN
            ? how
            : az_arena_printf(job->arena,
                              "%.*s; %.1f%% of kernels match, %.1f%% of busy time covered",
                              AZ_SVF(how), s->agreement * 100, s->inside * 100);
    az_cover(job, "steps", (double)s->n, "count", note.p ? note : AZ_SV(""));
    if (s->cut)
        az_cover(job, "steps cut by the window", (double)s->cut, "count",
                 AZ_SV("not whole: excluded from the steps"));
    if (s->n < 2)
        return;
    char median[AZ_HUMAN_MAX], spread[AZ_HUMAN_MAX];
    az_human_time(az_ns(t, s->median), median);
    az_human_time(az_ns(t, s->spread), spread);
    az_cover(job, "steps: median device span", az_ms(t, s->median), "ms",
             az_arena_printf(job->arena,
                             "%s from a step's first to its last device event (the verdict: from "
                             "one step's first to the next one's); robust standard deviation %s",
                             median, spread));
}

/* ---- by phase ---- */

struct phase_row {
    int64_t rank, steps, requests, tokens; /* requests, tokens: sums; -1: unknown */
    const char *phase;
    double total, mean, least, most, share, tokens_per_s; /* ms, percent */
    /* Of the steps that another one follows: the last has its own work only, no time up to a next.
     */
    int64_t followed, followed_tokens;
    double followed_time;
};
AZ_OF_RECORD(double, mean_batch, struct phase_row,
             r->requests < 0 ? NAN : (double)r->requests / (double)r->steps)
static const struct az_record_column phase_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct phase_row, rank),
      .when = az_job_has_ranks },
    { "phase", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct phase_row, phase) },
    { "steps", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct phase_row, steps) },
    { "total_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct phase_row, total) },
    { "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct phase_row, share) },
    { "mean_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct phase_row, mean) },
    { "min_ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, AZ_FIELD(struct phase_row, least) },
    { "max_ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, AZ_FIELD(struct phase_row, most) },
    { "mean_batch", AZ_REAL, AZ_UNIT_COUNT, .real = mean_batch },
    { "tokens", AZ_INT, AZ_UNIT_COUNT, 0, AZ_KNOWN(struct phase_row, tokens) },
    { "tokens_per_s", AZ_REAL, AZ_UNIT_PER_S, AZ_HIGHER_BETTER,
      AZ_FIELD(struct phase_row, tokens_per_s) },
};

static void add_step(struct phase_row *r, const struct az_engine_mark *m, double ms, bool last)
{
    if (!last || !r->followed) {
        r->least = !r->followed || ms < r->least ? ms : r->least;
        r->most = ms > r->most ? ms : r->most;
        r->followed_tokens += m->tokens < 0 ? 0 : m->tokens;
        r->followed_time += ms;
        r->followed++;
    }
    r->requests = m->batch < 0 || r->requests < 0 ? -1 : r->requests + m->batch;
    r->tokens = m->tokens < 0 || r->tokens < 0 ? -1 : r->tokens + m->tokens;
    r->total += ms;
    r->steps++;
}

/* Ticks: where the time of a step begins. Without device work at its mark, but not before the work
 * of the step before it ends. */
static int64_t wall_begin(const struct az_steps *s, size_t i)
{
    if (!s->linked || s->v[i].work_end >= 0)
        return az_step_begin(s, i);
    const int64_t before = i ? s->v[i - 1].work_end : -1;
    return before > s->v[i].mark_start ? before : s->v[i].mark_start;
}

/* Ticks up to the next step; of the last one its mark or its work. */
static int64_t wall_time(const struct az_steps *s, size_t i)
{
    if (i + 1 == s->n)
        return s->v[i].length;
    const int64_t time = wall_begin(s, i + 1) - wall_begin(s, i);
    return time > 0 ? time : 0;
}

static void put_phases(struct az_job *job, size_t trace, const struct az_steps *s,
                       struct az_table *t)
{
    struct phase_row row[AZ_ENGINE_PHASES] = { { 0 } };
    double whole = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct az_engine_mark m;
        const double ms = az_ms(job->traces[trace], wall_time(s, i));
        (void)az_engine_mark_read(az_step_mark_name(s->v[i].mark), &m);
        add_step(&row[m.phase], &m, ms, i + 1 == s->n);
        whole += ms;
    }
    for (int p = 1; p <= AZ_ENGINE_PHASES; p++) { /* steps of no known phase last */
        struct phase_row *r = &row[p % AZ_ENGINE_PHASES];
        if (!r->steps)
            continue;
        const char *text = az_engine_phase_text((enum az_engine_phase)(p % AZ_ENGINE_PHASES));
        r->phase = *text ? text : "other";
        r->mean = r->followed_time / (double)r->followed;
        r->share = az_percent(r->total, whole);
        r->tokens_per_s = r->tokens < 0 || r->followed_time <= 0
                              ? NAN
                              : (double)r->followed_tokens / r->followed_time * 1000;
        r->rank = az_job_rank(job, trace);
        az_put_row(t, r);
    }
}

static int by_phase(struct az_job *job)
{
    bool engine;
    int rc = has_engine_marks(job, &engine);
    if (rc || !engine)
        return rc;
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "steps_by_phase", "Wall time of steps by phase",
                           AZ_TABLE_SUMMARY, phase_columns, job);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_steps *s = az_job_steps(job, i, &rc);
        if (s && s->how == AZ_STEPS_ENGINE)
            put_phases(job, i, s, t);
    }
    return az_job_add(job, t, rc);
}

static int run_steps(struct az_job *job)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "steps", "Device time by step",
                                            AZ_TABLE_SUMMARY, columns, job);
    bool engine = false;
    int rc = t ? has_engine_marks(job, &engine) : az_arena_error(job->arena);
    if (engine)
        AZ_RECORD_COLUMNS(t, engine_columns);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_accounts *a = az_job_accounts(job, i, AZ_ALL_WORK, &rc);
        const struct az_steps *s = a && a->all.events ? az_job_steps(job, i, &rc) : NULL;
        if (!s)
            continue;
        if (a->n_devices > 1)
            t->title = AZ_SV("Device time by step, pooled");
        cover(job, i, s);
        /* operations of a report have the start of their host: what a device did when is not known
         */
        const size_t n = job->traces[i]->caps & AZ_CAP_OPREPORT ? 0 : a->n_steps;
        az_table_reserve(t, n);
        for (size_t k = 0; k < n; k++)
            put_step(job, t, i, s, k, &a->step[k].a, a->all.first);
    }
    rc = az_job_add(job, t, rc);
    return rc ? rc : by_phase(job);
}

const struct az_analysis az_analysis_steps = {
    .name = "steps",
    .help = "device time by step, step detection method",
    .needs = AZ_CAP_TIMELINE,
    .run = run_steps,
};
