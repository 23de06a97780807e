/* api_stats: calls and copies that the profiler itself summed (`..._stats.csv`), where it wrote no
 * trace of them. */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "document/record.h"

struct call_row {
    int64_t rank;
    struct az_sv domain, name;
    const struct az_call_sum *of;
    double percent; /* of its domain */
};
#define ROW struct call_row
#define US(header, flag, field)                                                                    \
    {                                                                                              \
        header, AZ_REAL, AZ_UNIT_US, flag, AZ_VIA(ROW, of, sum.field), .ns = true                  \
    }
static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
    { "domain", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, domain), .copy = true },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name), .copy = true },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, sum.count) },
    US("Total (µs)", AZ_LOWER_BETTER, total_ns),
    { "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) },
    US("Mean (µs)", AZ_LOWER_BETTER, avg),
    US("Min (µs)", AZ_DETAIL, min),
    US("Max (µs)", AZ_DETAIL, max),
    US("Std (µs)", AZ_DETAIL, std),
};

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
        az_put_row(t, &(ROW){ az_job_rank(job, trace), az_trace_text(tr, c->domain),
                              az_trace_text(tr, c->sum.name), c, az_percent(c->sum.total, all) });
    }
}

static int run_dispatch_call_sums(struct az_job *job)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "api_stats", "API and copy totals",
                                            AZ_TABLE_SUMMARY, columns, job);
    for (size_t i = 0; i < job->n_traces; i++)
        if (az_dispatch_has(job->traces[i]))
            trace_rows(job, t, i);
    return az_job_add(job, t, 0);
}

const struct az_analysis az_analysis_amd_call_sums = {
    .name = "dispatch_call_sums",
    .help = "API call and copy totals from summary files",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_dispatch_call_sums,
};
