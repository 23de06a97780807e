/* Tables of sums by name: kernels, memory operations, calls, host ranges (docs/formats-nsight.md 2.2, 3.3). */
#include <math.h>

#include "analyses/list.h"
#include "facts/shared.h"

enum { WITH_CLASS = 1, WITH_TAILS = 2, WITH_STYLE = 4, NO_PERCENT = 8 };

struct form {
    const char *id, *title;
    const char *total, *count, *name; /* titles */
    const char *stat[5];              /* Avg, Med, Min, Max, StdDev */
    enum az_unit unit;
    unsigned with;
};

#define NS_STATS                                                                                                       \
    {                                                                                                                  \
        "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"                                                  \
    }

static struct az_table *new_table(struct az_job *job, const struct form *f, bool exact)
{
    struct az_table *t = az_table_new(job->arena, f->id, f->title, AZ_TABLE_SUMMARY);
    if (!t)
        return NULL;
    if (!(f->with & NO_PERCENT))
        az_table_column(t, "Time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, f->total, AZ_INT, f->unit, AZ_LOWER_BETTER);
    az_table_column(t, f->count, AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < 5; i++) {
        bool extreme = i == 2 || i == 3;
        az_table_column(t, f->stat[i], extreme && exact ? AZ_INT : AZ_REAL, f->unit,
                        i == 0 ? AZ_LOWER_BETTER : AZ_DETAIL);
    }
    if (f->with & WITH_STYLE)
        az_table_column(t, "Style", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    az_table_column(t, f->name, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (f->with & WITH_TAILS) {
        az_table_column(t, "P95 (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL);
        az_table_column(t, "P99 (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL);
    }
    if (f->with & WITH_CLASS)
        az_table_column(t, "Class", AZ_TEXT, AZ_UNIT_NONE, 0);
    return t;
}

static void put_whole(struct az_table *t, int64_t x)
{
    if (x == INT64_MIN)
        az_put_empty(t);
    else
        az_put_i64(t, x);
}

/* A minimum or maximum: whole where it is known to be. */
static void put_extreme(struct az_table *t, double x, bool exact)
{
    if (exact && isfinite(x))
        az_put_i64(t, (int64_t)x);
    else
        az_put_f64(t, x);
}

static void put_row(struct az_job *job, struct az_table *t, const struct form *f, const struct az_name_sum *r,
                    double all, bool exact)
{
    if (!(f->with & NO_PERCENT))
        az_put_f64(t, az_percent((double)r->total, all));
    put_whole(t, r->total);
    put_whole(t, r->count);
    if (!isfinite(r->avg) && r->count > 0 && r->total != INT64_MIN)
        az_put_f64(t, (double)r->total / (double)r->count);
    else
        az_put_f64(t, r->avg);
    az_put_f64(t, r->med);
    put_extreme(t, r->min, exact);
    put_extreme(t, r->max, exact);
    az_put_f64(t, r->std);
    if (f->with & WITH_STYLE)
        az_put_text(t, r->style ? AZ_SV("StartEnd") : AZ_SV("PushPop"));
    az_put_text(t, az_job_text(job, r->name));
    if (f->with & WITH_TAILS) {
        az_put_f64(t, r->p95);
        az_put_f64(t, r->p99);
    }
    if (f->with & WITH_CLASS)
        az_put_text(t, az_job_class_text(job, r->name));
}

static int emit(struct az_job *job, const struct form *f, const struct az_name_sums *sums)
{
    struct az_table *t = new_table(job, f, sums->exact);
    double all = 0;
    if (!t)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < sums->n; i++)
        all += sums->v[i].total != INT64_MIN ? (double)sums->v[i].total : 0.0;
    for (size_t i = 0; i < sums->n; i++)
        put_row(job, t, f, &sums->v[i], all, sums->exact);
    return az_document_add(job->doc, t);
}

static int sum_events(struct az_job *job, const struct form *f, const enum az_kind *kinds, size_t n,
                      enum az_sum_of what)
{
    struct az_name_sums sums;
    int rc = az_job_sum(job, kinds, n, what, &sums);
    return rc == 0 ? emit(job, f, &sums) : rc;
}

static int run_kernels(struct az_job *job)
{
    static const struct form f = { "kern_sum", "Kernels", "Total Time (ns)", "Instances",
                                   "Name",     NS_STATS,  AZ_UNIT_NS,        WITH_CLASS | WITH_TAILS };
    struct az_name_sums sums;
    int rc = az_job_kernels(job, &sums);
    return rc == 0 ? emit(job, &f, &sums) : rc;
}

static int run_mem_time(struct az_job *job)
{
    static const struct form f = {
        "mem_time_sum", "Memory operations by time", "Total Time (ns)", "Count", "Operation", NS_STATS, AZ_UNIT_NS, 0
    };
    struct az_name_sums sums;
    int rc = az_job_memops(job, &sums);
    return rc == 0 ? emit(job, &f, &sums) : rc;
}

static int run_mem_size(struct az_job *job)
{
    static const struct form f = { "mem_size_sum", "Memory operations by size",
                                   "Total (B)",    "Count",
                                   "Operation",    { "Avg (B)", "Med (B)", "Min (B)", "Max (B)", "StdDev (B)" },
                                   AZ_UNIT_BYTES,  NO_PERCENT };
    static const enum az_kind kinds[] = { AZ_MEMCPY, AZ_MEMSET };
    struct az_name_sums sums;
    int rc = az_job_given_sizes(job, &sums);
    if (rc == 0 && sums.n == 0)
        return sum_events(job, &f, kinds, 2, AZ_SUM_BYTES);
    return rc == 0 ? emit(job, &f, &sums) : rc;
}

static int run_api(struct az_job *job)
{
    static const struct form f = { "api_sum", "API calls", "Total Time (ns)", "Num Calls",
                                   "Name",    NS_STATS,    AZ_UNIT_NS,        WITH_TAILS };
    static const enum az_kind kinds[] = { AZ_CALL };
    return sum_events(job, &f, kinds, 1, AZ_SUM_DURATION);
}

static int run_osrt(struct az_job *job)
{
    static const struct form f = {
        "osrt_sum", "Operating system calls", "Total Time (ns)", "Num Calls", "Name", NS_STATS, AZ_UNIT_NS, WITH_TAILS
    };
    static const enum az_kind kinds[] = { AZ_OSRT };
    return sum_events(job, &f, kinds, 1, AZ_SUM_DURATION);
}

static int run_ranges(struct az_job *job)
{
    static const struct form f = { "nvtx_sum", "Host ranges", "Total Time (ns)", "Instances",
                                   "Range",    NS_STATS,      AZ_UNIT_NS,        WITH_STYLE | WITH_TAILS };
    static const enum az_kind kinds[] = { AZ_RANGE };
    return sum_events(job, &f, kinds, 1, AZ_SUM_STYLE);
}

const struct az_analysis az_analysis_kern_sum = { .name = "kern_sum",
                                                  .tables = { "kern_sum" },
                                                  .help = "kernel time by name",
                                                  .needs = AZ_CAP_KERNEL_SUMS,
                                                  .run = run_kernels };
const struct az_analysis az_analysis_mem_time_sum = { .name = "mem_time_sum",
                                                      .tables = { "mem_time_sum" },
                                                      .help = "copies and fills by time",
                                                      .needs = AZ_CAP_MEM,
                                                      .run = run_mem_time };
const struct az_analysis az_analysis_mem_size_sum = { .name = "mem_size_sum",
                                                      .tables = { "mem_size_sum" },
                                                      .help = "copies and fills by size",
                                                      .needs = AZ_CAP_MEM,
                                                      .run = run_mem_size };
const struct az_analysis az_analysis_api_sum = { .name = "api_sum",
                                                 .tables = { "api_sum" },
                                                 .help = "runtime and driver calls by name",
                                                 .needs = AZ_CAP_CALLS,
                                                 .run = run_api };
const struct az_analysis az_analysis_osrt_sum = { .name = "osrt_sum",
                                                  .tables = { "osrt_sum" },
                                                  .help = "operating system calls by name",
                                                  .needs = AZ_CAP_OSRT,
                                                  .run = run_osrt };
const struct az_analysis az_analysis_nvtx_sum = { .name = "nvtx_sum",
                                                  .tables = { "nvtx_sum" },
                                                  .help = "host ranges by name and style",
                                                  .needs = AZ_CAP_RANGES,
                                                  .run = run_ranges };
