/* Kernels that are shorter than a threshold: the histogram of their durations. */
#include "analyses/short.h"

#include <math.h>

#include "base/num.h"
#include "document/record.h"

int64_t az_short_limit(const struct az_job *job, int64_t ticks_per_ns)
{
    const double ticks = job->opts->short_kernel_us * 1e3 * (double)ticks_per_ns;
    if (!(ticks < 9e18))
        return INT64_MAX;
    const double whole = round(ticks); /* 2.3 * 1e3 is a little less than 2300 */
    return (int64_t)(fabs(ticks - whole) < 1e-6 ? whole : ceil(ticks));
}

struct bin {
    double from, to; /* us */
    int64_t count;
};
static const struct az_record_column columns[] = {
    { "bin_start", AZ_REAL, AZ_UNIT_US, AZ_KEY, AZ_FIELD(struct bin, from) },
    { "bin_end", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct bin, to) },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_SHARE, AZ_FIELD(struct bin, count) },
};

static void put_bins(struct az_table *t, int64_t lo, int64_t hi, const int64_t *count, int64_t bins,
                     double per_us)
{
    const double margin = hi == lo ? 0.5 : 0, from = (double)lo / per_us - margin,
                 to = (double)hi / per_us + margin;
    const double width = (hi == lo ? 1.0 : (double)(hi - lo) / per_us) / (double)bins;

    for (int64_t b = 0; b < bins; b++)
        az_put_row(t,
                   &(struct bin){ from + width * (double)b,
                                  b + 1 == bins ? to : from + width * (double)(b + 1), count[b] });
}

int az_short_histogram(struct az_job *job, const char *id, const int64_t *length, size_t n,
                       int64_t ticks_per_ns)
{
    const int64_t bins = job->opts->short_kernel_histogram_bins,
                  limit = az_short_limit(job, ticks_per_ns);
    struct az_table *t = AZ_RECORD_TABLE(job->arena, id, "Short kernel durations (µs)",
                                         AZ_TABLE_KEEP_EMPTY, columns);
    int64_t *count = az_arena_array(job->arena, (size_t)bins, sizeof *count), lo = INT64_MAX,
            hi = INT64_MIN;

    if (!t || !count)
        return az_job_add(job, t, az_arena_error(job->arena));
    for (size_t i = 0; i < n; i++) {
        if (length[i] >= limit)
            continue;
        lo = length[i] < lo ? length[i] : lo;
        hi = length[i] > hi ? length[i] : hi;
    }
    for (size_t i = 0; i < n; i++) {
        if (length[i] >= limit)
            continue;
        const int64_t b = hi == lo ? bins / 2 : az_muldiv(length[i] - lo, bins, hi - lo);
        count[b < bins ? b : bins - 1]++;
    }
    if (lo <= hi)
        put_bins(t, lo, hi, count, bins, 1e3 * (double)ticks_per_ns);
    return az_document_add(job->doc, t);
}
