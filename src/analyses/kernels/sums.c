/* Tables of sums by name: kernels, memory operations, calls, host ranges
 * (docs/formats-nsight.md 2.2, 3.3). */
#include "analyses/registry_list.h"
#include "facts/families.h"
#include "tables/keys.h"

/* clang-format off */
#define STATS(u, as)                                                                                                 \
    { "Avg (" u ")", .figure = AZ_FIG_MEAN, .unit = as, .flags = AZ_LOWER_BETTER },                                  \
    { "Med (" u ")", .figure = AZ_FIG_MEDIAN, .unit = as, .flags = AZ_DETAIL },                                      \
    { "Min (" u ")", .figure = AZ_FIG_MIN, .unit = as, .flags = AZ_DETAIL },                                         \
    { "Max (" u ")", .figure = AZ_FIG_MAX, .unit = as, .flags = AZ_DETAIL },                                         \
    { "StdDev (" u ")", .figure = AZ_FIG_STD, .unit = as, .flags = AZ_DETAIL }
#define SUMS(total, u, as, count)                                                                                    \
    { total, .figure = AZ_FIG_SUM, .unit = as, .flags = AZ_LOWER_BETTER },                                           \
    { count, .figure = AZ_FIG_COUNT },                                                                                 \
    STATS(u, as)
#define TIMES(count)                                                                                                   \
    { "Time (%)", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE },                                \
    SUMS("Total Time (ns)", "ns", AZ_UNIT_NS, count)
#define TAILS                                                                                                          \
    { "P95 (ns)", .figure = AZ_FIG_P95, .unit = AZ_UNIT_NS, .flags = AZ_DETAIL },                                      \
    { "P99 (ns)", .figure = AZ_FIG_P99, .unit = AZ_UNIT_NS, .flags = AZ_DETAIL }
/* clang-format on */

static int memory_sizes(struct az_job *job, struct az_name_sums *out)
{
    static const enum az_kind kinds[] = { AZ_MEMCPY, AZ_MEMSET };
    const int rc = az_job_summed_sizes(job, out);
    return rc == 0 && out->n == 0 ? az_job_sum(job, kinds, 2, AZ_SUM_BYTES, out) : rc;
}

static int calls(struct az_job *job, struct az_name_sums *out)
{
    return az_job_sum(job, (const enum az_kind[]){ AZ_CALL }, 1, AZ_SUM_DURATION, out);
}

static int system_calls(struct az_job *job, struct az_name_sums *out)
{
    return az_job_sum(job, (const enum az_kind[]){ AZ_OSRT }, 1, AZ_SUM_DURATION, out);
}

static int ranges(struct az_job *job, struct az_name_sums *out)
{
    return az_job_sum(job, (const enum az_kind[]){ AZ_RANGE }, 1, AZ_SUM_STYLE, out);
}

/* Rows in the order of the sums: by total, or as in the file. */
static const struct az_table_spec specs[] = {
    { "time_by_family", "Device time by family", AZ_TABLE_SUMMARY,
      .help = "device time by kernel family (gemm, attention, communication, copy, ...)",
      .any = AZ_CAP_KERNEL_SUMS | AZ_CAP_TIMELINE | AZ_CAP_MEM | AZ_CAP_OPREPORT,
      .sums = az_job_families,
      .columns = { { "family", &az_key_row_family, .flags = AZ_KEY },
                   { "count", .figure = AZ_FIG_COUNT },
                   { "time_ms", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS,
                     .flags = AZ_LOWER_BETTER },
                   { "percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                     .flags = AZ_SHARE },
                   { "cumulative_percent", .figure = AZ_FIG_CUMULATIVE, .unit = AZ_UNIT_PERCENT,
                     .flags = AZ_DETAIL } },
      .shares = AZ_SHARES_CELLS,
      /* the only chart of kinds of work: categories of operators count copies as what launched them
       */
      .charts = { { AZ_CHART_PIE, "Device time by family", "family", "time_ms", "ms" } } },
    { "kern_sum", "Kernels", AZ_TABLE_SUMMARY, .help = "kernel time by name",
      .needs = AZ_CAP_KERNEL_SUMS, .sums = az_job_kernels,
      .columns = { TIMES("Instances"),
                   { "Name", &az_key_name, .flags = AZ_KEY },
                   TAILS,
                   { "Class", &az_key_class },
                   { "Family", &az_key_family } } },
    { "mem_time_sum", "Memory operations by time", AZ_TABLE_SUMMARY,
      .help = "copies and fills by time", .needs = AZ_CAP_MEM, .sums = az_job_memops,
      .columns = { TIMES("Count"), { "Operation", &az_key_name, .flags = AZ_KEY } } },
    { "mem_size_sum", "Memory operations by size", AZ_TABLE_SUMMARY,
      .help = "copies and fills by size", .needs = AZ_CAP_MEM, .sums = memory_sizes,
      .columns = { SUMS("Total (B)", "B", AZ_UNIT_BYTES, "Count"),
                   { "Operation", &az_key_name, .flags = AZ_KEY } } },
    { "api_sum", "API calls", AZ_TABLE_SUMMARY, .help = "runtime and driver calls by name",
      .needs = AZ_CAP_CALLS, .sums = calls,
      .columns = { TIMES("Num Calls"), { "Name", &az_key_name, .flags = AZ_KEY }, TAILS } },
    { "osrt_sum", "Operating system calls", AZ_TABLE_SUMMARY,
      .help = "operating system calls by name", .needs = AZ_CAP_OSRT, .sums = system_calls,
      .columns = { TIMES("Num Calls"), { "Name", &az_key_name, .flags = AZ_KEY }, TAILS } },
    { "nvtx_sum", "Host ranges", AZ_TABLE_SUMMARY, .help = "host ranges by name and style",
      .needs = AZ_CAP_RANGES, .sums = ranges,
      .columns = { TIMES("Instances"),
                   { "Style", &az_key_style, .flags = AZ_KEY | AZ_DETAIL },
                   { "Range", &az_key_name, .flags = AZ_KEY },
                   TAILS } },
    { NULL }
};

const struct az_analysis az_analysis_sums = { .specs = specs, .after = true, .part = 3 };
