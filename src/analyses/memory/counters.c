/* Counters that were sampled over time: each over the whole trace, over the time that its device
 * was busy, and by step (docs/formulas-pytorch.md 16). */
#include "analyses/memory/counters.h"
#include "analyses/registry_list.h"
#include "base/interval.h"
#include "document/record.h"
#include "facts/devices.h"
#include "facts/nvtx_projection.h"
#include "facts/steps.h"

#define RANK                                                                                       \
    {                                                                                              \
        "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct az_counter_row, rank)                  \
    }
#define DEVICE                                                                                     \
    {                                                                                              \
        "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN(struct az_counter_row, device)              \
    }
#define NAME                                                                                       \
    {                                                                                              \
        "counter", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct az_counter_row, counter)         \
    }
#define UNIT                                                                                       \
    {                                                                                              \
        "unit", AZ_TEXT, AZ_UNIT_NONE, 0, AZ_KNOWN(struct az_counter_row, unit)                    \
    }
#define VALUE(header, field, flags)                                                                \
    {                                                                                              \
        header, AZ_REAL, AZ_UNIT_NONE, flags, AZ_FIELD(struct az_counter_row, field)               \
    }
#define COVERED                                                                                    \
    {                                                                                              \
        "covered_ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, AZ_FIELD(struct az_counter_row, covered_ms)  \
    }

/* clang-format off */
static const struct az_record_column whole[] = {
    RANK, DEVICE, NAME, UNIT,
    { "samples", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct az_counter_row, samples) },
    VALUE("value_mean", mean, 0), VALUE("value_min", least, 0), VALUE("value_max", most, 0),
    VALUE("busy_value_mean", busy, 0), COVERED,
};
static const struct az_record_column by_step[] = {
    RANK, { "step", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct az_counter_row, step) },
    DEVICE, NAME, UNIT,
    VALUE("value_mean", mean, 0), VALUE("value_min", least, 0), VALUE("value_max", most, 0), COVERED,
};
/* clang-format on */

enum az_unit az_counter_unit(struct az_sv name)
{
    return az_sv_find(name, AZ_SV("(%)")) >= 0 || az_sv_find(name, AZ_SV("%]")) >= 0
               ? AZ_UNIT_PERCENT
               : AZ_UNIT_NONE;
}

struct az_sv az_counter_unit_text(struct az_sv name)
{
    name = az_sv_trim(name);
    const char last = name.n ? name.p[name.n - 1] : 0;
    size_t from = name.n;
    while (from > 0 && name.p[from - 1] != (last == ')' ? '(' : '['))
        from--;
    return (last == ')' || last == ']') && from > 1 ? az_sv_make(name.p + from, name.n - 1 - from)
                                                    : AZ_SV("");
}

/* When work ran on the devices that a counter is of, merged. */
static int busy_spans(const struct az_trace *t, const struct az_sampled *c, struct az_spans *out)
{
    struct az_sweep sweep = { .t = t };
    uint32_t op;
    int rc = 0;
    az_vec_reset(out);
    while (rc == 0 && az_sweep_next(&sweep, &op)) { /* by start: joined as they come */
        const struct az_events *e = &t->ev[az_op_kind(op)];
        const uint32_t i = az_op_row(op);
        struct az_span *last = out->n ? &out->v[out->n - 1] : NULL;
        if (!az_counter_of(c, t->lanes.v[e->lane[i]].device))
            continue;
        if (last && e->start[i] <= last->end)
            last->end = e->end[i] > last->end ? e->end[i] : last->end;
        else
            rc = az_vec_push(out, ((struct az_span){ e->start[i], e->end[i] }));
    }
    return rc;
}

static void figures(struct az_job *job, size_t trace, uint32_t counter,
                    const struct az_sample_sum *sum, struct az_counter_row *r)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_sampled *c = &t->samples.counters.v[counter];
    r->rank = az_job_rank(job, trace);
    r->device = c->device;
    r->counter = az_job_text(job, az_job_name(job, trace, c->name));
    r->unit = az_counter_unit_text(r->counter);
    r->samples = c->n;
    r->mean = az_sample_mean(sum);
    r->least = sum->least;
    r->most = sum->most;
    r->covered_ms = (double)sum->ticks / (double)t->ticks_per_ns / 1e6;
}

/* Of all samples; one alone, or several of one time, have no length, and their last value is the
 * mean. */
int az_counters_whole(struct az_job *job, size_t trace, struct az_counter_rows *rows)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_samples *s = &t->samples;
    const struct az_sampled *of = NULL; /* whose device the spans are of */
    struct az_spans spans;
    int rc = 0;
    az_vec_init(&spans, job->mem);
    for (uint32_t i = 0; rc == 0 && i < s->counters.n; i++) {
        const struct az_sampled *c = &s->counters.v[i];
        const struct az_sample *v = s->rows.v + c->first;
        struct az_sample_sum sum = AZ_SAMPLE_SUM, busy = AZ_SAMPLE_SUM;
        struct az_counter_row r = { .step = AZ_SV("") };
        uint32_t near = 0;
        if (c->n == 0)
            continue;
        az_sample_add(s, i, v[0].at, v[c->n - 1].at, &near, &sum);
        for (uint32_t k = 0; k < c->n; k++) { /* the last one, too */
            sum.least = v[k].value < sum.least || k == 0 ? v[k].value : sum.least;
            sum.most = v[k].value > sum.most || k == 0 ? v[k].value : sum.most;
        }
        figures(job, trace, i, &sum, &r);
        if (sum.ticks == 0)
            r.mean = v[c->n - 1].value;
        if (!of || of->device != c->device)
            rc = busy_spans(t, c, &spans);
        of = c;
        near = 0;
        for (size_t k = 0; rc == 0 && k < spans.n; k++)
            az_sample_add(s, i, spans.v[k].start, spans.v[k].end, &near, &busy);
        r.busy = az_sample_mean(&busy);
        if (rc == 0)
            rc = az_vec_push(rows, r);
    }
    az_vec_release(&spans);
    return rc;
}

static int step_rows(struct az_job *job, size_t trace, struct az_counter_rows *rows)
{
    const struct az_samples *s = &job->traces[trace]->samples;
    int rc = 0;
    const struct az_steps *steps =
        job->traces[trace]->caps & AZ_CAP_TIMELINE ? az_job_steps(job, trace, &rc) : NULL;
    for (uint32_t i = 0; steps && rc == 0 && i < s->counters.n; i++) {
        uint32_t near = 0;
        for (size_t k = 0; rc == 0 && k < steps->n; k++) {
            struct az_sample_sum sum = AZ_SAMPLE_SUM;
            struct az_counter_row r = { .step = steps->v[k].name };
            az_sample_add(s, i, steps->v[k].start, steps->v[k].end, &near, &sum);
            figures(job, trace, i, &sum, &r);
            if (sum.ticks > 0)
                rc = az_vec_push(rows, r);
        }
    }
    return rc;
}

/* Without the column of ranks where there is one trace. */
struct az_table *az_counters_table(struct az_job *job, bool ranks)
{
    return az_record_table(job->arena, "counters", "Sampled counters", AZ_TABLE_SUMMARY,
                           whole + !ranks, AZ_LENGTH(whole) - !ranks, NULL);
}

void az_counters_put(struct az_table *t, const struct az_counter_row *row)
{
    struct az_counter_row named = *row; /* parts of ranks hold the name only */
    named.unit = az_counter_unit_text(row->counter);
    az_put_row(t, &named);
}

static int whole_table(struct az_job *job)
{
    const bool ranks = job->n_traces > 1;
    struct az_table *t = az_counters_table(job, ranks);
    struct az_counter_rows rows;
    int rc = 0;
    az_vec_init(&rows, job->mem);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = az_counters_whole(job, i, &rows);
    for (size_t i = 0; rc == 0 && i < rows.n; i++)
        az_counters_put(t, &rows.v[i]);
    az_vec_release(&rows);
    return az_job_add(job, t, rc);
}

static int step_table(struct az_job *job)
{
    const size_t skip = job->n_traces > 1 ? 0 : 1;
    struct az_table *t = az_record_table(job->arena, "counters_by_step", "Sampled counters by step",
                                         0, by_step + skip, AZ_LENGTH(by_step) - skip, NULL);
    struct az_counter_rows rows;
    int rc = 0;
    az_vec_init(&rows, job->mem);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = step_rows(job, i, &rows);
    if (rc == 0)
        AZ_PUT_ROWS(t, rows.v, rows.n);
    az_vec_release(&rows);
    return az_job_add(job, t, rc);
}

static int run_counters(struct az_job *job)
{
    int rc = whole_table(job);
    if (rc == 0)
        rc = step_table(job);
    return rc ? rc : az_counters_of_names(job);
}

const struct az_analysis az_analysis_counters = {
    .name = "counters",
    .help = "sampled counters: clocks, power, unit utilization, memory",
    .needs = AZ_CAP_SAMPLES,
    .run = run_counters,
};
