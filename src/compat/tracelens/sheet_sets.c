/* Sheets of the programs of TraceLens: which table of ours each is made from, and its columns. */
#include "compat/tracelens/sheet_sets.h"

#include "base/vec.h"

#define SET(of, program, others)                                                                   \
    const struct az_sheet_set az_tracelens_##of = {                                                \
        .name = "tracelens-" program, .sheets = of, .n = AZ_LENGTH(of), .rest = others             \
    }

/* ---- inference: the report of one framework trace in its newer form ---- */

#define SUMS                                                                                       \
    { .name = "Percentage (%)" }, { .name = "Cumulative Percentage (%)" }, { .name = NULL }

static const struct az_sheet_column inference_summary[] = {
    { .name = "name" },
    { .name = "parent_module", .if_there = true },
    { .name = "total_direct_kernel_time_sum" },
    { .name = "total_subtree_kernel_time_sum" },
    { .name = "total_subtree_kernel_time_count", .from = "Count" },
    { .name = "total_direct_kernel_time_ms" },
    { .name = "Count" },
    { .name = "Categories" },
    { .name = "call_stack_first", .if_there = true },
    SUMS,
};

#define STATISTICS(of)                                                                             \
    { .name = "total_direct_kernel_time_" of }, { .name = "total_subtree_kernel_time_" of }
static const struct az_sheet_column inference_args[] = {
    { .name = "name" },
    { .name = "op category" },
    { .name = "parent_module", .if_there = true },
    { .name = "process_name" },
    { .name = "process_label" },
    { .name = "thread_name" },
    { .name = "Input Dims" },
    { .name = "Input type" },
    { .name = "Input Strides" },
    { .name = "Concrete Inputs" },
    { .name = "num_kernels", .if_there = true },
    { .name = "operation_count" },
    STATISTICS("mean"),
    STATISTICS("median"),
    STATISTICS("std"),
    STATISTICS("min"),
    STATISTICS("max"),
    STATISTICS("sum"),
    { .name = "ex_UID" },
    { .name = "call_stack", .if_there = true },
    { .name = "kernel_details_summary" },
    { .name = "trunc_kernel_details" },
    SUMS,
};

static const struct az_sheet inference[] = {
    { .table = "gpu_timeline" },
    { .table = "ops_summary_by_category" },
    { .table = "ops_summary", .columns = inference_summary },
    { .name = "ops_unique_args", .table = "ops_all", .columns = inference_args },
    { .name = "ops_unique_args_kl_overlap", .table = "ops_all_kl_overlap" },
    { .table = "unified_perf_summary" },
    { .table = "unified_perf_summary_kl_overlap" },
    { .table = "diff_stats" },
    { .name = "Normalization_fwd", .table = "Normalization" },
    { .table = "families" },
    { .table = "kernel_summary" },
    { .name = "short_kernel_histogram", .table = "short_kernels_histogram" },
    { .name = "short_kernels_summary", .table = "short_kernels_all_details" },
};
SET(inference, "inference", true);

/* ---- rocprofv3 traces of Perfetto ---- */

static const struct az_sheet hip_api[] = { { .table = "api_kernel_summary" } };
SET(hip_api, "pftrace-hip-api", false);

static const struct az_sheet hip_activity[] = {
    { .table = "category_summary" },
    { .table = "xla_top" },
    { .name = "kernel_summary", .table = "kernel_summary_by_shape" },
    { .table = "hip_summary" },
};
SET(hip_activity, "pftrace-hip-activity", false);

static const struct az_sheet memory_copy[] = { { .table = "memory_copy_by_copy_bytes" } };
SET(memory_copy, "pftrace-memory-copy", false);

/* ---- ranks ---- */

static const struct az_sheet collectives[] = {
    { .table = "nccl_summary_implicit_sync",
      .before = "algo bw (GiB/s)_mean|partial",
      .measured = "comm_latency|skew in start time|skew in end time|algo bw (GB/s)|bus bw (GB/s)" },
    { .table = "nccl_summary_long" },
    { .table = "nccl_summary_all2allv",
      .before = "throughput (GiB/s)_mean|partial",
      .measured = "total data communicated (MB)|wall_time (us)|throughput (GB/s)" },
    { .table = "nccl_all2allv_heatmap" },
    { .table = "nccl_long", .before = "wait_us" },
    { .table = "nccl_implicit_sync", .before = "last arrival rank" },
    { .table = "nccl_all2allv", .before = "throughput (GiB/s)" },
    { .table = "straggler_summary", .before = "collectives_of_rank" },
};
SET(collectives, "collectives", false);

static const struct az_sheet multirank[] = {
    { .table = "kernels_*" },
    { .table = "gemm" },
    { .table = "gemm_node_replay" },
    { .table = "conv" },
    { .table = "conv_node_replay" },
    { .table = "attn" },
    { .table = "un_elemwise" },
    { .table = "bin_elemwise" },
    { .table = "kernel_launchers" },
    { .table = "gpu_timelines" },
    { .table = "linked_and_short_kernels" },
    { .table = "unlinked_short_kernels_summary" },
    { .table = "short_cpu_op_counts" },
    { .table = "cuda_events_summary" },
    { .table = "grouped_breakdown" },
    { .table = "summary_nccl_implicit_sync_cat" },
    { .table = "long" },
    { .table = "nccl_implicit_sync_cat" },
    { .table = "nccl_implicit_sync_cat_detailed" },
    { .table = "nccl_all2allv" },
};
SET(multirank, "multirank", true);

/* ---- comparison: without what only ours has ---- */

#define OURS "status|contribution|counterpart|*_x"
#define SPLIT(of)                                                                                  \
    { .table = of "_intersect_*", .without = OURS },                                               \
        { .table = of "_only_baseline_*", .without = OURS },                                       \
    {                                                                                              \
        .table = of "_only_variant_*", .without = OURS                                             \
    }
static const struct az_sheet compare[] = {
    { .table = "gpu_timeline", .without = OURS },
    { .table = "ops_summary", .without = OURS },
    { .table = "kernel_summary", .without = OURS },
    { .name = "ops_unique_args_intersect_*", .table = "ops_all_intersect_*", .without = OURS },
    { .name = "ops_unique_args_only_baseline_*",
      .table = "ops_all_only_baseline_*",
      .without = OURS },
    { .name = "ops_unique_args_only_variant_*",
      .table = "ops_all_only_variant_*",
      .without = OURS },
    SPLIT("ops_all"),
    SPLIT("ops_unique_args"), /* of its own reports, which have no ops_all */
    SPLIT("unified_perf_summary"),
    SPLIT("GEMM"),
    SPLIT("SDPA_fwd"),
    SPLIT("SDPA_bwd"),
    SPLIT("CONV_fwd"),
    SPLIT("CONV_bwd"),
    SPLIT("un_eltwise"),
    SPLIT("bin_eltwise"),
};
SET(compare, "compare", false);

/* ---- JAX ---- */

static const struct az_sheet_column jax_timeline[] = {
    { .name = "type" },    { .name = "time ms", .from = "time_ms" },
    { .name = "percent" }, { .name = "gpu_pid", .from = "device", .plus = 1 },
    { .name = NULL },
};
static const struct az_sheet_column jax_averages[] = {
    { .name = "type" },
    { .name = "time ms", .from = "time_ms" },
    { .name = "percent" },
    { .name = NULL },
};
static const struct az_sheet jax[] = {
    { .table = "gpu_timeline", .columns = jax_timeline },
    { .table = "gpu_events_averages", .columns = jax_averages },
    { .name = "kernel_launchers", .table = "jax_kernel_launchers" },
    { .name = "kernel_launchers_summary", .table = "jax_kernel_launchers_summary" },
    { .name = "kernel_launchers_summary_by_category", .table = "jax_kernel_launchers_by_category" },
    { .name = "kernel_launchers_unique_args", .table = "jax_kernel_launchers_unique_args" },
    { .name = "df_xla_perf", .table = "jax_xla_perf" },
    { .name = "xla_summary", .table = "jax_xla_summary" },
    { .table = "op_*" },
};
SET(jax, "jax", true);

/* ---- Genesis ---- */

static const struct az_sheet genesis[] = {
    { .name = "gpu_timeline", .table = "genesis_timeline" },
    { .table = "kernel_summary" },
    { .table = "kernel_summary_by_category" },
    { .table = "short_kernels_summary" },
    { .table = "short_kernel_histogram" },
    { .table = "kernel_details" },
    { .name = "pftrace_hip_activity_category_summary", .table = "category_summary" },
    { .name = "pftrace_hip_activity_xla_top", .table = "xla_top" },
    { .name = "pftrace_hip_activity_kernel_summary", .table = "kernel_summary_by_shape" },
    { .name = "pftrace_hip_activity_hip_summary", .table = "hip_summary" },
    { .name = "pftrace_memory_copy_memory_copy_by_copy_bytes",
      .table = "memory_copy_by_copy_bytes" },
};
SET(genesis, "genesis", false);
