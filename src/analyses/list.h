/* The analyses of this folder, for registry.c, in report order. `findings` ranks what all others found: it comes last
 * but for `coverage`. */
#ifndef AZ_ANALYSES_LIST_H
#define AZ_ANALYSES_LIST_H

#include "analyses/analysis.h"
#include "analyses/ranks/ranks.h"

extern const struct az_analysis az_analysis_classic;
extern const struct az_analysis az_analysis_device_iterations;
extern const struct az_analysis az_analysis_kern_sum;
extern const struct az_analysis az_analysis_mem_time_sum;
extern const struct az_analysis az_analysis_mem_size_sum;
extern const struct az_analysis az_analysis_api_sum;
extern const struct az_analysis az_analysis_osrt_sum;
extern const struct az_analysis az_analysis_nvtx_sum;
extern const struct az_analysis az_analysis_nvtx_gpu_proj_sum;
extern const struct az_analysis az_analysis_nvtx_gpu_proj_trace;
extern const struct az_analysis az_analysis_nvtx_kern_sum;
extern const struct az_analysis az_analysis_kern_exec_sum;
extern const struct az_analysis az_analysis_gpu_gaps;
extern const struct az_analysis az_analysis_gpu_utilization;
extern const struct az_analysis az_analysis_gpu_timeline;
extern const struct az_analysis az_analysis_fw_ops;
extern const struct az_analysis az_analysis_fw_kernels;
extern const struct az_analysis az_analysis_fw_short;
extern const struct az_analysis az_analysis_fw_coll;
extern const struct az_analysis az_analysis_fw_phases;
extern const struct az_analysis az_analysis_fw_quality;
extern const struct az_analysis az_analysis_fw_gaps;
extern const struct az_analysis az_analysis_fw_unified;
extern const struct az_analysis az_analysis_tt;
extern const struct az_analysis az_analysis_amd_timeline;
extern const struct az_analysis az_analysis_amd_kernels;
extern const struct az_analysis az_analysis_amd_details;
extern const struct az_analysis az_analysis_amd_short;
extern const struct az_analysis az_analysis_amd_copies;
extern const struct az_analysis az_analysis_amd_calls;
extern const struct az_analysis az_analysis_amd_call_sums;
extern const struct az_analysis az_analysis_amd_ranges;
extern const struct az_analysis az_analysis_amd_counters;
extern const struct az_analysis az_analysis_amd_activity;
extern const struct az_analysis az_analysis_hlo_timeline;
extern const struct az_analysis az_analysis_hlo_kernels;
extern const struct az_analysis az_analysis_hlo_perf;
extern const struct az_analysis az_analysis_hlo_coll;
extern const struct az_analysis az_analysis_hlo_host;
extern const struct az_analysis az_analysis_hlo_events;
extern const struct az_analysis az_analysis_hlo_tpu;
extern const struct az_analysis az_analysis_fw_families;
extern const struct az_analysis az_analysis_fw_extension;
extern const struct az_analysis az_analysis_fw_diff;
extern const struct az_analysis az_analysis_kernel_names;
extern const struct az_analysis az_analysis_unmatched;
extern const struct az_analysis az_analysis_findings;
extern const struct az_analysis az_analysis_coverage;

/* over ranks */
extern const struct az_rank_analysis az_rank_analysis_kernels;
extern const struct az_rank_analysis az_rank_analysis_groups;
extern const struct az_rank_analysis az_rank_analysis_sheets;
extern const struct az_rank_analysis az_rank_analysis_breakdown;
extern const struct az_rank_analysis az_rank_analysis_idle;
extern const struct az_rank_analysis az_rank_analysis_queue;
extern const struct az_rank_analysis az_rank_analysis_memory;
extern const struct az_rank_analysis az_rank_analysis_launch;
extern const struct az_rank_analysis az_rank_analysis_ops;
extern const struct az_rank_analysis az_rank_analysis_stragglers;
extern const struct az_rank_analysis az_rank_analysis_counters;
extern const struct az_rank_analysis az_rank_analysis_critical_path;
extern const struct az_rank_analysis az_rank_analysis_collectives;
extern const struct az_rank_analysis az_rank_analysis_ranks;
extern const struct az_rank_analysis az_rank_analysis_rank_summary;

#endif
