/* steps: each step of a trace and where its device time goes (docs/steps.md), and how the steps
 * were found, in `coverage`. */
#include "facts/steps.h"
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "document/record.h"
#include "facts/account.h"

static const struct az_record_column steps_columns[] = {
    { "step", AZ_TEXT, .flags = AZ_KEY },
    { "start_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_DETAIL },
    { "duration_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "computation_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "exposed_comm_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "exposed_memcpy_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "idle_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "host_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_DETAIL },
    { "mark", AZ_TEXT, .flags = AZ_DETAIL },
    { "period_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_DETAIL },
};

static struct az_table *new_table(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "steps", "Device time by step", AZ_TABLE_SUMMARY);
    if (!t)
        return NULL;
    if (job->n_traces > 1)
        az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_record_columns(t, steps_columns, AZ_LENGTH(steps_columns));
    return t;
}

static void put(struct az_job *job, struct az_table *t, size_t trace, const struct az_steps *all,
                size_t i, const struct az_account *a, int64_t origin)
{
    const struct az_trace *tr = job->traces[trace];
    const struct az_step *s = &all->v[i];
    const int64_t period = az_step_period(all, i);
    if (job->n_traces > 1)
        az_put_i64(t, az_job_rank(job, trace));
    az_put_text(t, s->name);
    az_put_f64(t, az_ms(tr, s->start - origin));
    az_put_f64(t, az_ms(tr, a->total));
    az_put_f64(t, az_ms(tr, a->compute));
    az_put_f64(t, az_ms(tr, a->exposed_comm));
    az_put_f64(t, az_ms(tr, a->exposed_copies));
    az_put_f64(t, az_ms(tr, a->idle));
    if (all->how != AZ_STEPS_PATTERN)
        az_put_f64(t, az_ms(tr, s->mark_end - s->mark_start));
    else
        az_put_empty(t);
    az_put_text(t, s->mark);
    if (period >= 0)
        az_put_f64(t, az_ms(tr, period));
    else
        az_put_empty(t);
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
    struct az_table *t = new_table(job);
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
            put(job, t, i, s, k, &a->step[k].a, a->all.first);
    }
    if (rc == 0) /* an empty one is dropped there; one that failed is empty, too */
        return az_document_add(job->doc, t);
    az_table_free(t);
    return rc;
}

const struct az_analysis az_analysis_steps = {
    .name = "steps",
    .help = "device time by step, step detection method",
    .needs = AZ_CAP_TIMELINE,
    .run = run,
};
