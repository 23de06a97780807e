/* The one table of keys and values (docs/formulas-compare.md 1 and 1.1). */
#include "document/table_kinds.h"

#include "document/schema.h"

#define TEXT   AZ_SPEC_TEXT
#define ALL    AZ_SPEC_ALL
#define SPLIT  AZ_SPEC_SPLIT
#define SKIP   AZ_SPEC_SKIP
#define NUMBER AZ_SPEC_NUMBER
#define FAMILY AZ_SPEC_FAMILY
#define RENAME AZ_SPEC_RENAME
#define TREE   AZ_SPEC_TREE
#define MIXED  AZ_SPEC_MIXED

#define CALL_KEY                                                                                   \
    "operation|input_type|input_dims|input_strides|concrete_inputs|is_recompute?|parent_module?"
#define COLL_KEY "collective|dtype?|in_message_elements?|group_size?"

/* clang-format off */
static const struct az_compare_spec specs[] = {
    /* sheets, with, keys, values, drop, why, total, flags */

    /* what describes a run, and tables of single events */
    {
      "verdict|verdict_facts|trust_checks|coverage|facts|findings|advice|data_quality|unmatched_kernels|kernels_by_name|signposts|roofline_chart|ops_stacked_chart|"
      "ranks|rank_summary|clock_offsets", NULL, NULL, NULL, NULL, "not compared: describes the run", NULL, SKIP },
    { "nccl_summary_long", "Collective name", "rank?|" COLL_KEY, "time|time_mean|count", NULL, NULL, NULL, 0 },
    {
      "kernel_details|gpu_events|nvtx_gpu_proj_trace|device_iterations|replays|gpu_utilization|idle_gaps|gpu_gaps|iteration_gaps|"
      "kernels_[0-9]*|*_trace|*_long", NULL, NULL, NULL, NULL, "not compared: single events", NULL, SKIP },
    { "diff_by_op|diff_stats|diff_stats_unique_args_summary|op_kernel_map|merged_tree|names_diff", NULL, NULL, NULL,
      NULL, "not compared: already a difference", NULL, SKIP | TREE },

    { "gpu_timeline|gpu_events_averages", NULL, "device?|rank?|is_recompute?|type", "time", NULL, NULL, "total_time",
      TEXT | ALL | NUMBER },
    { "gpu_timeline_by_device|gpu_timeline_by_agent|gpu_timeline_by_step|gpu_timeline_by_rank|tpu_timeline", NULL,
      "rank?|device?|agent?|step?|is_recompute?|type", "time", NULL, NULL, "total_time", NUMBER },
    { "gpu_timelines", NULL, "type|is_recompute?", "time_mean|time_max|time_min", NULL, NULL, "total_time", TEXT | ALL |
      NUMBER },
    { "gpu_timelines_by_rank", "total_time", "rank", "total_time|busy_time|computation_time|exposed_comm_time|idle_time",
      NULL, NULL, NULL, 0 },
    { "temporal_breakdown", NULL, "rank", "window_time|compute_time|non_compute_time|idle_time", NULL, NULL, NULL, 0 },
    { "nccl_exposure", NULL, "collective", "time|exposed_transfer|exposed_wait_ms|kernels", NULL, NULL, "all", TEXT | ALL
      },
    { "grouped_breakdown", "Group", "group", "time|exposed", NULL, NULL, "Total", TEXT | ALL },
    { "kernel_breakdown", "kernel_type", "kernel|kernel_type?|rank?", "kernel_time|kernel_time_mean|count", NULL, NULL,
      NULL, 0 },
    { "classes|nccl|memops", "TimePerIter(ms)", "category", "kernel_time_per_iteration|kernel_time|count", NULL, NULL,
      NULL, TEXT | ALL },

    /* ranges nest, and so do the parts of a recording: their rows do not add up */
    { "account|regions|regions_by_family", NULL, NULL, NULL, NULL, NULL, NULL, MIXED },

    /* PyTorch, and what has its form */
    { "kernel_summary", NULL, "kernel|parent_operation?", "kernel_time|kernel_time_mean|count",
      "Kernel duration (\xc2\xb5s)_min|Kernel duration (\xc2\xb5s)_max|Parent op category|Cumulative Percentage (%)+|"
      "cum_percent+", NULL, NULL, TEXT | RENAME },
    { "ops_summary", NULL, "operation|category?|is_recompute?", "kernel_time_ms|count",
      "total_direct_kernel_time_sum|Cumulative Percentage (%)+", NULL, NULL, TEXT },
    { "ops_summary_prefill|ops_summary_decode|ops_summary_*", NULL, "operation", "kernel_time_ms|count",
      "total_direct_kernel_time_sum|Cumulative Percentage (%)+", NULL, NULL, 0 },
    { "ops_summary_by_category|kernel_summary_by_category|kernel_class_summary|category_summary", NULL,
      "device?|is_recompute?|category", "kernel_time_ms=kernel_time|count", "Cumulative Percentage (%)+|cum_percent+",
      NULL, NULL, TEXT },
    { "ops_all|ops_unique_args", NULL, CALL_KEY, "kernel_time|kernel_time_mean|count", "Cumulative Percentage (%)+",
      NULL, NULL, SPLIT },
    { "unified_perf_summary", NULL, CALL_KEY, "kernel_time|kernel_time_mean|count", "Cumulative Percentage (%)+", NULL,
      NULL, SPLIT },
    { "roofline", "Pct Roofline", "operation|category?|input_dims?|input_type?",
      "kernel_time|compute_rate|bandwidth|roofline", NULL, NULL, NULL, 0 },
    { "*", "name_count", "operation=name|param_*|is_recompute?",
      "kernel_time=kernel_time_us|kernel_time_mean|count|compute_rate_mean|bandwidth_mean",
      "GFLOPS_first+|Data Moved (MB)_first+|FLOPS/Byte_first+|Input Dims_first+|Input type_first+|Input Strides_first+|"
      "Concrete Inputs_first+", NULL, NULL, SPLIT | FAMILY },
    { "inference_phases", NULL, "phase|decided_by?", "time|launches", "Cumulative Percentage (%)+", NULL, NULL, TEXT },
    { "short_kernels_all_details", NULL, "parent_operation|kernel|input_dims?", "kernel_time|count", NULL, NULL, NULL, 0
      },
    { "short_kernels_histogram|short_kernel_histogram|gpu_gaps_histogram", NULL, "bin_start", "count", NULL, NULL, NULL,
      0 },

    { "idle_causes", NULL, "rank?|device?|cause|range?|frame?|host_call?|host_op?|after?",
      "idle|gaps_count|time_median|longest", NULL, NULL, NULL, 0 },

    /* Nsight Systems */
    { "kern_sum", NULL, "kernel", "kernel_time|kernel_time_mean|count", NULL, NULL, NULL, TEXT | RENAME },
    { "mem_time_sum", NULL, "operation", "time|time_mean|count", NULL, NULL, NULL, TEXT },
    { "mem_size_sum", NULL, "operation", "size|size_mean|count", NULL, NULL, NULL, 0 },
    { "api_sum|osrt_sum", NULL, "name", "time|time_mean|count", NULL, NULL, NULL, 0 },
    { "nvtx_sum", NULL, "range|style?", "time|time_mean|count", NULL, NULL, NULL, 0 },
    { "nvtx_gpu_proj_sum", NULL, "range|style?", "projected_time|projected_mean|count", NULL, NULL, NULL, TEXT },
    { "nvtx_kern_sum", NULL, "range|kernel", "kernel_time|kernel_time_mean|kernel_count", NULL, NULL, NULL, 0 },
    { "kern_exec_sum|api_kernel_summary", NULL, "kernel|api_name|device?",
      "time|kernel_time_mean|queue_time_mean|api_time_mean|count", NULL, NULL, NULL, 0 },
    { "device_iterations_summary", NULL, "device?|figure", "time_median|time_mean|iterations", NULL, NULL, NULL, TEXT |
      MIXED },
    { "iterations", "Metric", "metric|unit?", "value", NULL, NULL, NULL, TEXT | ALL | MIXED },

    /* rocprof, rocpd */
    { "short_kernels_summary", NULL, "kernel", "kernel_time|count", NULL, NULL, NULL, 0 },
    { "memory_copy_summary", NULL, "direction|src?|dst?", "time|size|count|bandwidth", NULL, NULL, NULL, TEXT },
    { "api_stats", NULL, "name|domain", "time|time_mean|count", NULL, NULL, NULL, 0 },
    { "api_summary", NULL, "name|domain?", "time|time_mean|count", NULL, NULL, NULL, 0 },
    { "roctx_summary", NULL, "name", "time|kernel_time_inside|count", NULL, NULL, NULL, 0 },
    { "comm_overlap", NULL, "agent?", "exposed|communication|overlapped_ms", NULL, NULL, NULL, 0 },
    { "xla_top", NULL, "kernel", "kernel_time|count", NULL, NULL, NULL, 0 },
    { "kernel_summary_by_shape|hip_summary", "Total Time (ns)", "kernel|grid_xyz?|block_xyz?",
      "kernel_time|kernel_time_mean|count", NULL, NULL, NULL, 0 },
    { "counter_summary", NULL, "counter|kernel?", "sum|mean|dispatches", NULL, NULL, NULL, 0 },

    /* XLA: the category and the name of an operation; numbers of programs differ from run to run */
    { "hlo_op_summary", NULL, "category|operation", "kernel_time|kernel_time_mean|count", "cum_percent+", NULL, NULL,
      TEXT },
    { "hlo_op_perf", NULL, "operation|kind?", "kernel_time_per_execution|compute_rate|bandwidth|executions", NULL, NULL,
      NULL, 0 },
    { "hlo_roofline", NULL, "operation|kind?", "kernel_time_per_execution|roofline_percent|compute_rate", NULL, NULL,
      NULL, 0 },
    { "xla_summary", NULL, "name_without_digits", "kernel_time|count", "cum_percent+", NULL, NULL, 0 },
    { "step_times", NULL, "device?|program", "time_median|time|count", NULL, NULL, NULL, TEXT },
    { "tpu_op_summary", NULL, "category|operation", "kernel_time|subtree_kernel_time|count", NULL, NULL, NULL, TEXT },
    { "tpu_category_summary", NULL, "category", "kernel_time|count", NULL, NULL, NULL, TEXT },
    { "tpu_modules", NULL, "module", "time|count", NULL, NULL, NULL, 0 },
    { "host_compile|host_summary", NULL, "name", "time|count", NULL, NULL, NULL, 0 },
    { "memcpy_summary", NULL, "device?|name|size?", "time|count|bandwidth", NULL, NULL, NULL, 0 },

    /* collectives */
    { "coll_analysis", NULL, COLL_KEY, "time|time_mean|count", NULL, NULL, NULL, TEXT },
    { "collectives_by_type", NULL, "collective", "time|time_mean|count|alg_bandwidth_mean|bus_bandwidth_mean", NULL,
      NULL, NULL, TEXT },
    { "collectives_by_op", NULL, "collective|operation", "time|time_mean|count|bus_bandwidth_mean", NULL, NULL, NULL, 0
      },
    { "collectives", "collective_name", "collective|group_size?|data?", "time_max|time_min|bus_bandwidth", NULL, NULL,
      NULL, NUMBER },
    { "nccl_summary_*|*coll*", "Collective name", COLL_KEY, NULL, NULL, NULL, NULL, TEXT },

    /* Tenstorrent: the code of an operation contains its shapes */
    { "ops", "OP Code", "operation|device?|input_0_memory?", "kernel_time|gap|cores|dram_gb_per_s|compute_rate",
      "Total %+", NULL, NULL, TEXT | NUMBER },
    { "ops_stacked", NULL, "operation|category?", "kernel_time|count", NULL, NULL, NULL, TEXT },
    { "op_models", NULL, "operation|math_fidelity?|input_0_memory?|cores?",
      "kernel_time|kernel_time_median|count|compute_rate", NULL, NULL, NULL, 0 },

    { "*", NULL, NULL, NULL, NULL, NULL, NULL, 0 }, /* all others: by the flags of their columns */
};

static const struct { const char *theirs, *ours; } aliases[] = {
    { "ops_unique_args", "ops_all" },
    { "short_kernel_histogram", "short_kernels_histogram" },
    { "summary_nccl_implicit_sync_cat", "nccl_summary_implicit_sync" }, /* collective_sheets: historic */
    { "nccl_implicit_sync_cat_detailed", "nccl_implicit_sync" },
    { "long", "nccl_long" },
};

static const struct { const char *word, *sheets; } groups[] = {
    { "all", "*" },
    { "ops_all", "ops_all|unified_perf_summary" },
    { "roofline", "roofline|GEMM|GroupedGEMM|CONV*|SDPA*|UnaryElementwise|BinaryElementwise|Normalization*|RMSNorm*|Reduce*|"
                  "RoPE*|MoE*|Embedding*|CrossEntropy*|SSM*|MultiTensor|*_fwd|*_bwd" },
};
/* clang-format on */

/* Does one of the globs of a list fit? */
static bool matches_any(const char *list, struct az_sv id)
{
    struct az_sv rest = az_sv_str(list);

    while (rest.n)
        if (az_sv_glob(az_sv_cut(&rest, '|'), id))
            return true;
    return false;
}

const struct az_compare_spec *az_compare_spec_of(struct az_sv id, const struct az_table *t)
{
    const struct az_compare_spec *s = specs;

    id = az_compare_alias(id);
    while (!matches_any(s->sheets, id) || (s->with && az_table_find(t, s->with) < 0))
        s++; /* the last one fits all */
    return s;
}

bool az_compare_has_spec(struct az_sv id)
{
    for (size_t i = 0; i < AZ_LENGTH(specs); i++) {
        struct az_sv rest = az_sv_str(specs[i].sheets);
        while (rest.n)
            if (az_sv_eq(az_sv_cut(&rest, '|'), id))
                return true;
    }
    return false;
}

bool az_compare_of_tree(struct az_sv id)
{
    for (size_t i = 0; i < AZ_LENGTH(specs); i++)
        if ((specs[i].flags & TREE) && matches_any(specs[i].sheets, id))
            return true;
    return false;
}

struct az_sv az_compare_alias(struct az_sv id)
{
    for (size_t i = 0; i < AZ_LENGTH(aliases); i++)
        if (az_sv_is(id, aliases[i].theirs))
            return az_sv_str(aliases[i].ours);
    return id;
}

const char *az_compare_group(struct az_sv word)
{
    for (size_t i = 0; i < AZ_LENGTH(groups); i++)
        if (az_sv_is(word, groups[i].word))
            return groups[i].sheets;
    return NULL;
}

ptrdiff_t az_compare_column(const struct az_table *t, struct az_sv ids)
{
    ptrdiff_t at = -1;

    while (ids.n && at < 0)
        at = az_schema_find(t, az_sv_cut(&ids, '='));
    return at;
}

ptrdiff_t az_compare_like(const struct az_table *t, const struct az_column *column)
{
    for (size_t c = 0; c < t->columns.n; c++)
        if (az_sv_eq(t->columns.v[c].name, column->name))
            return (ptrdiff_t)c;
    return -1;
}
