/* api_stats: calls and copies that the profiler itself summed (`..._stats.csv`), where it wrote no
 * trace of them. */
#include <math.h>

#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "base/time_units.h"
#include "document/record.h"

static const struct { /* metrics in the order of their columns */
    const char *title;
    unsigned flags;
} figures[] = { { "Mean (µs)", AZ_LOWER_BETTER },
                { "Min (µs)", AZ_DETAIL },
                { "Max (µs)", AZ_DETAIL },
                { "Std (µs)", AZ_DETAIL } };

static void put_us(struct az_table *t, double ns) { az_put_f64(t, ns / 1e3); }

static double domain_total(const struct az_dispatches *d, uint32_t domain)
{
    double all = 0;
    for (size_t i = 0; i < d->call_sums.n; i++)
        all += d->call_sums.v[i].domain == domain ? d->call_sums.v[i].sum.total : 0;
    return all;
}

static void trace_rows(struct az_job *job, struct az_table *t, size_t trace)
{
    const struct az_trace *tr = job->traces[trace];
    const struct az_dispatches *d = az_dispatches(tr);
    double all = 0;
    for (size_t i = 0; i < d->call_sums.n; i++) {
        const struct az_call_sum *c = &d->call_sums.v[i];
        if (i == 0 ||
            c->domain != d->call_sums.v[i - 1].domain) /* a domain's rows come from one file */
            all = domain_total(d, c->domain);
        az_dispatch_put_rank(job, t, trace);
        az_put_copy(t, az_trace_text(tr, c->domain));
        az_put_copy(t, az_trace_text(tr, c->sum.name));
        az_put_i64(t, c->sum.count);
        az_put_f64(t, az_us_from_ns(c->sum.total_ns));
        az_put_f64(t, az_percent(c->sum.total, all));
        put_us(t, c->sum.avg);
        put_us(t, c->sum.min);
        put_us(t, c->sum.max);
        put_us(t, c->sum.std);
    }
}

static const struct az_record_column api_stats_columns[] = {
    { "domain", AZ_TEXT, .flags = AZ_KEY },
    { "name", AZ_TEXT, .flags = AZ_KEY },
    { "Count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Total (µs)", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_SHARE },
};

static int run(struct az_job *job)
{
    struct az_table *t =
        az_table_new(job->arena, "api_stats", "API and copy totals", AZ_TABLE_SUMMARY);
    az_dispatch_rank_column(job, t);
    az_record_columns(t, api_stats_columns, AZ_LENGTH(api_stats_columns)); /* of its domain */
    for (size_t i = 0; i < AZ_LENGTH(figures); i++)
        az_table_column(t, figures[i].title, AZ_REAL, AZ_UNIT_US, figures[i].flags);
    for (size_t i = 0; i < job->n_traces; i++)
        if (az_dispatch_has(job->traces[i]))
            trace_rows(job, t, i);
    return az_job_add(job, t, 0);
}

const struct az_analysis az_analysis_amd_call_sums = {
    .name = "dispatch_call_sums",
    .help = "API call and copy totals from summary files",
    .needs = AZ_CAP_DISPATCHES,
    .run = run,
};
