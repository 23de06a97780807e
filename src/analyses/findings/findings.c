/* The rules in one analysis. Rules and thresholds:
 * docs/formats-nsight.md 6. */
#include "analyses/findings/findings.h"

#include <inttypes.h>

#include "analyses/registry_list.h"
#include "base/num.h"

struct az_sv az_finding_rank(struct az_job *job, size_t trace)
{
    if (job->n_traces < 2)
        return AZ_SV("");
    return az_arena_printf(job->arena, " (rank %" PRId64 ")", az_job_rank(job, trace));
}

int64_t az_kind_ticks(const struct az_trace *t, enum az_kind kind)
{
    const struct az_events *e = &t->ev[kind];
    int64_t sum = 0;
    for (size_t i = 0; i < e->n; i++)
        sum = az_add_sat(sum, e->end[i] - e->start[i]);
    return sum;
}

int64_t az_device_ticks(const struct az_trace *t)
{
    return az_add_sat(az_add_sat(az_kind_ticks(t, AZ_KERNEL), az_kind_ticks(t, AZ_MEMCPY)),
                      az_add_sat(az_kind_ticks(t, AZ_MEMSET), az_kind_ticks(t, AZ_GRAPH)));
}

typedef int per_trace(struct az_job *job, size_t trace);
typedef int per_job(struct az_job *job);

static int run_findings(struct az_job *job)
{
    static per_trace *const by_trace[] = { az_find_blocking_copies, az_find_blocking_calls,
                                           az_find_low_use,         az_find_graphs,
                                           az_find_mixed_streams,   az_find_outside_ranges };
    static per_job *const by_job[] = { az_find_tag_trouble, az_find_long_gaps,
                                       az_find_exposed_nccl };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(by_job); i++)
        rc = by_job[i](job);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++) {
        for (size_t i = 0; rc == 0 && i < AZ_LENGTH(by_trace); i++)
            rc = by_trace[i](job, k);
    }
    return rc;
}

const struct az_analysis az_analysis_findings = {
    .name = "findings",
    .help = "findings ranked by time",
    .any = AZ_CAP_KERNEL_SUMS | AZ_CAP_TIMELINE | AZ_CAP_CALLS | AZ_CAP_PROJ | AZ_CAP_RANGES |
           AZ_CAP_CALLTREE,
    .run = run_findings,
    .alone = true,
};
