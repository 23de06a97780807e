/* The analyses: one row each, a const struct az_analysis az_analysis_NAME, in report order. A table
 * that is a specification alone is a row of one of their lists (`specs`, analyses/analysis.h).
 * `findings` ranks what all others found: it comes last but for `coverage`. */
#ifndef AZ_ANALYSES_REGISTRY_LIST_H
#define AZ_ANALYSES_REGISTRY_LIST_H

#include "analyses/analysis.h"
#include "analyses/ranks/ranks.h"

/* clang-format off */
#define AZ_ANALYSES(X) \
    X(classic) \
    X(device_iterations) \
    X(gpu_timeline) \
    X(fw_ops) \
    X(fw_unified) \
    X(fw_diff) \
    X(fw_families) \
    X(fw_kernels) \
    X(fw_short) \
    X(fw_phases) \
    X(fw_coll) \
    X(fw_quality) \
    X(fw_captures) \
    X(fw_extension) \
    X(fw_gaps) \
    X(host_operators) \
    X(tt) \
    X(amd_timeline) \
    X(amd_kernels) \
    X(amd_details) \
    X(amd_short) \
    X(amd_copies) \
    X(amd_calls) \
    X(amd_call_sums) \
    X(amd_ranges) \
    X(amd_counters) \
    X(amd_activity) \
    X(genesis) \
    X(hlo_timeline) \
    X(hlo_kernels) \
    X(hlo_perf) \
    X(hlo_coll) \
    X(hlo_host) \
    X(hlo_events) \
    X(hlo_tpu) \
    X(jax_kernels) \
    X(steps) \
    X(regions) \
    X(regions_by_family) \
    X(modules) \
    /* after those of a format's own vocabulary, which have the same content (tables/views.h) */ \
    X(sums) \
    X(nvtx_gpu_proj_sum) \
    X(nvtx_gpu_proj_trace) \
    X(nvtx_kern_sum) \
    X(kern_exec_sum) \
    X(gpu_gaps) \
    X(gpu_utilization) \
    X(counters) \
    X(kernels) \
    X(unmatched) \
    X(tracks) \
    X(flame) \
    X(findings) \
    X(coverage)

/* over the ranks of one run: a const struct az_rank_analysis az_rank_analysis_NAME */
#define AZ_RANK_ANALYSES(X) \
    X(ranks) \
    X(kernels) \
    X(groups) \
    X(sheets) \
    X(families) \
    X(regions) \
    X(breakdown) \
    X(idle) \
    X(queue) \
    X(memory) \
    X(samples) \
    X(launch) \
    X(ops) \
    X(stragglers) \
    X(counters) \
    X(critical_path) \
    X(collectives) \
    X(verdict) \
    X(tracks) \
    X(rank_summary) /* last: of what the others found */
/* clang-format on */

#define AZ_ANALYSIS_DECLARE(name) extern const struct az_analysis az_analysis_##name;
AZ_ANALYSES(AZ_ANALYSIS_DECLARE)
#define AZ_RANK_ANALYSIS_DECLARE(name) extern const struct az_rank_analysis az_rank_analysis_##name;
AZ_RANK_ANALYSES(AZ_RANK_ANALYSIS_DECLARE)

#endif
