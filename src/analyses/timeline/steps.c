/* steps: each step of a trace and where its device time goes (docs/steps.md), and how the steps
 * were found, in `coverage`. */
#include "facts/steps.h"
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "document/record.h"
#include "facts/account.h"

#include <math.h>

struct step_row {
    const struct az_trace *trace;
    const struct az_step *step;
    const struct az_account *account;
    int64_t rank, start, host, period; /* ticks; host, period: -1: not known */
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
    { "period_ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, .real = period },
};

static void put_step(struct az_job *job, struct az_table *t, size_t trace,
                     const struct az_steps *all, size_t i, const struct az_account *a,
                     int64_t origin)
{
    const struct az_step *s = &all->v[i];
    az_put_row(t, &(ROW){ .trace = job->traces[trace],
                          .step = s,
                          .account = a,
                          .rank = az_job_rank(job, trace),
                          .start = s->start - origin,
                          .host = all->how != AZ_STEPS_PATTERN ? s->mark_end - s->mark_start : -1,
                          .period = az_step_period(all, i) });
}

/* How many, how found, how alike. */
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
    if (s->n < 2)
        return;
    az_cover(job, "steps: median duration", az_ms(t, s->median), "ms",
             az_arena_printf(job->arena, "robust standard deviation %.6g ms", az_ms(t, s->spread)));
}

static int run(struct az_job *job)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "steps", "Device time by step",
                                            AZ_TABLE_SUMMARY, columns, job);
    int rc = t ? 0 : az_arena_error(job->arena);
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
        for (size_t k = 0; !(job->traces[i]->caps & AZ_CAP_OPREPORT) && k < a->n_steps; k++)
            put_step(job, t, i, s, k, &a->step[k].a, a->all.first);
    }
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_steps = {
    .name = "steps",
    .help = "device time by step, step detection method",
    .needs = AZ_CAP_TIMELINE,
    .run = run,
};
