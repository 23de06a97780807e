/* The one table of keys and values (docs/formulas-compare.md 1 and 1.1). */
#include "results/compare_spec.h"

#define TEXT   AZ_SPEC_TEXT
#define ALL    AZ_SPEC_ALL
#define SPLIT  AZ_SPEC_SPLIT
#define SKIP   AZ_SPEC_SKIP
#define TOTAL  AZ_SPEC_TOTAL
#define NUMBER AZ_SPEC_NUMBER
#define FAMILY AZ_SPEC_FAMILY
#define RENAME AZ_SPEC_RENAME
#define TREE   AZ_SPEC_TREE
#define SECOND AZ_SPEC_SECOND
#define MIXED  AZ_SPEC_MIXED

#define US       "(\xc2\xb5s)"
#define CALL_KEY "name|Input type|Input Dims|Input Strides|Concrete Inputs|is_recompute?|parent_module?"
#define COLL_KEY "Collective name|dtype?|In msg nelems?|Group size?"

/* clang-format off */
static const struct az_compare_spec specs[] = {
    /* sheets, with, keys, values, drop, category, total, flags */

    /* what describes a run, and tables of single events */
    { "coverage|facts|findings|advice|data_quality|unmatched_kernels|kernels_by_name|signposts|roofline_chart|ops_stacked_chart|"
      "ranks|rank_summary|clock_offsets", NULL,
      NULL, NULL, NULL, "not compared: says what the run was", NULL, SKIP },
    { "nccl_summary_long", "Collective name", "rank?|" COLL_KEY, "dur_sum|dur_mean|operation_count", NULL, NULL, NULL, 0 },
    { "kernel_details|gpu_events|nvtx_gpu_proj_trace|device_iterations|gpu_utilization|idle_gaps|gpu_gaps|iteration_gaps|"
      "kernels_[0-9]*|*_trace|*_long", NULL, NULL, NULL, NULL, "not compared: single events", NULL, SKIP },
    { "diff_by_op|diff_stats|diff_stats_unique_args_summary|op_kernel_map|merged_tree|names_diff", NULL, NULL, NULL, NULL,
      "not compared: a difference to another trace", NULL, SKIP | TREE },

    { "gpu_timeline|gpu_events_averages", NULL, "device?|rank?|is_recompute?|type", "time ms=time_ms", NULL, NULL,
      "total_time", TEXT | ALL | NUMBER },
    { "gpu_timeline_by_device|gpu_timeline_by_agent|gpu_timeline_by_step|gpu_timeline_by_rank|tpu_timeline", NULL,
      "rank?|device?|agent?|step?|is_recompute?|type", "time ms=time_ms", NULL, NULL, "total_time", NUMBER },
    { "gpu_timelines", NULL, "type|is_recompute?", "time_ms_avg|time_ms_max|time_ms_min", NULL, NULL, "total_time",
      TEXT | ALL | NUMBER },
    { "gpu_timelines_by_rank", "total_time", "rank", "total_time|busy_time|computation_time|exposed_comm_time|idle_time", NULL,
      NULL, NULL, 0 },
    { "temporal_breakdown", NULL, "rank", "kernel_time(us)|compute_time(us)|non_compute_time(us)|idle_time(us)", NULL, NULL,
      NULL, 0 },
    { "nccl_exposure", NULL, "Collective", "time_ms|exposed_transfer_ms|exposed_wait_ms|kernels", NULL, NULL, "all", TEXT | ALL },
    { "grouped_breakdown", "Group", "Group", "Time (s)|Exposed (s)", NULL, "Group", "Total",
      TEXT | ALL | TOTAL | SECOND },
    { "kernel_breakdown", "kernel_type", "name|kernel_type?|rank?", "sum (us)|mean (us)|count", NULL, "kernel_type", NULL,
      TOTAL },
    { "classes|nccl|memops", "TimePerIter(ms)", "Class", "TimePerIter(ms)|TotalTime(ms)|TotalInstance", NULL, "Class", NULL,
      TEXT | ALL },

    /* PyTorch, and what has its form */
    { "kernel_summary", NULL, "Kernel name=KernelName=name=Name|Parent cpu_op=Parent op?",
      "Kernel duration " US "_sum=Total Kernel Time (ms)=total_us=Total Time (ns)|"
      "Kernel duration " US "_mean=Mean Kernel Time " US "=mean_us=Avg (ns)|"
      "Kernel duration " US "_count=Count=count=Instances",
      "Kernel duration " US "_min|Kernel duration " US "_max|Parent op category|Cumulative Percentage (%)+|cum_percent+",
      "kernel class=Category=category=Parent op category=Class", NULL, TEXT | TOTAL | RENAME },
    { "ops_summary", NULL, "name|op category?|is_recompute?", "total_direct_kernel_time_ms|Count",
      "total_direct_kernel_time_sum|Cumulative Percentage (%)+", "op category=Categories", NULL, TEXT | TOTAL },
    { "ops_summary_prefill|ops_summary_decode|ops_summary_*", NULL, "name", "total_direct_kernel_time_ms|Count",
      "total_direct_kernel_time_sum|Cumulative Percentage (%)+", "Kernel categories=Categories", NULL, 0 },
    { "ops_summary_by_category|kernel_summary_by_category|kernel_class_summary|category_summary", NULL,
      "GPU ID?|is_recompute?|op category=category=kernel class=Category",
      "total_direct_kernel_time_ms=Kernel duration (ms)_sum=total_us=Total runtime (ms)|Count=count=Total count",
      "Cumulative Percentage (%)+|cum_percent+", NULL, NULL, TEXT },
    { "ops_all|ops_unique_args", NULL, CALL_KEY,
      "total_direct_kernel_time_sum|total_direct_kernel_time_mean|operation_count", "Cumulative Percentage (%)+", NULL,
      NULL, SPLIT },
    { "unified_perf_summary", NULL, CALL_KEY, "Kernel Time " US "_sum|Kernel Time " US "_mean|operation_count",
      "Cumulative Percentage (%)+", NULL, NULL, SPLIT },
    { "roofline", "Pct Roofline", "name|op category?|Input Dims?|Input type?",
      "Kernel Time " US "_sum|TFLOPS/s|TB/s|Pct Roofline", NULL, NULL, NULL, 0 },
    { "*", "name_count", "name|param: *|is_recompute?",
      "Kernel Time " US "_sum|Kernel Time " US "_mean|name_count|TFLOPS/s_mean|TB/s_mean",
      "GFLOPS_first+|Data Moved (MB)_first+|FLOPS/Byte_first+|Input Dims_first+|Input type_first+|Input Strides_first+|"
      "Concrete Inputs_first+", NULL, NULL, SPLIT | FAMILY },
    { "inference_phases", NULL, "Phase|Decided by?", "time ms|Launches", "Cumulative Percentage (%)+", NULL, NULL, TEXT },
    { "short_kernels_all_details", NULL, "Parent cpu_op|Kernel name|Input dims?",
      "Short Kernel duration " US " sum|Short Kernel count", NULL, NULL, NULL, 0 },
    { "short_kernels_histogram|short_kernel_histogram|gpu_gaps_histogram", NULL, "bin_start=From (ns)", "count=Gaps", NULL,
      NULL, NULL, 0 },

    /* Nsight Systems */
    { "kern_sum", NULL, "Name", "Total Time (ns)|Avg (ns)|Instances", NULL, "Class", NULL, TEXT | TOTAL | RENAME },
    { "mem_time_sum", NULL, "Operation", "Total Time (ns)|Avg (ns)|Count", NULL, NULL, NULL, TEXT },
    { "mem_size_sum", NULL, "Operation", "Total (B)|Avg (B)|Count", NULL, NULL, NULL, 0 },
    { "api_sum|osrt_sum", NULL, "Name", "Total Time (ns)|Avg (ns)|Num Calls", NULL, NULL, NULL, 0 },
    { "nvtx_sum", NULL, "Range|Style?", "Total Time (ns)|Avg (ns)|Instances", NULL, NULL, NULL, 0 },
    { "nvtx_gpu_proj_sum", NULL, "Range|Style?", "Total Proj Time (ns)|Proj Avg (ns)|Range Instances", NULL, NULL, NULL,
      TEXT },
    { "nvtx_kern_sum", NULL, "NVTX Range|Kernel Name", "Total Time (ns)|Avg (ns)|Kern Inst", NULL, NULL, NULL, 0 },
    { "kern_exec_sum|api_kernel_summary", NULL, "Kernel Name|API Name|DevId?",
      "Total (ns)|KAvg (ns)=KAvg_ns|QAvg (ns)=QAvg_ns|AAvg (ns)=AAvg_ns|Count", NULL, NULL, NULL, 0 },
    { "device_iterations_summary", NULL, "Device?|Figure", "Median (ns)|Mean (ns)|Iterations", NULL, NULL, NULL,
      TEXT | MIXED },
    { "iterations", "Metric", "Metric|Unit?", "Value", NULL, NULL, NULL, TEXT | ALL | MIXED },

    /* rocprof, rocpd */
    { "short_kernels_summary", NULL, "name", "Short Kernel duration " US " sum|Short Kernel count", NULL, NULL, NULL, 0 },
    { "memory_copy_summary", NULL, "direction|src?|dst?", "total_us|bytes|count|GB/s", NULL, NULL, NULL, TEXT },
    { "api_stats", NULL, "name|domain", "Total " US "|Mean " US "|Count", NULL, NULL, NULL, 0 },
    { "api_summary", NULL, "name|domain?", "Total " US "|Mean " US "|Count", NULL, NULL, NULL, 0 },
    { "roctx_summary", NULL, "name", "Total " US "|Kernel time inside " US "|Count", NULL, NULL, NULL, 0 },
    { "comm_overlap", NULL, "agent?", "exposed ms|communication ms|overlapped ms", NULL, NULL, NULL, 0 },
    { "xla_top", NULL, "Kernel", "Total time (ms)|Count", NULL, NULL, NULL, 0 },
    { "kernel_summary_by_shape|hip_summary", "Total Time (ns)", "Name|GridXYZ?|BlockXYZ?", "Total Time (ns)|Avg (ns)|Instances",
      NULL, NULL, NULL, 0 },
    { "counter_summary", NULL, "counter|kernel?", "Sum|Mean|Dispatches", NULL, NULL, NULL, 0 },

    /* XLA: the category and the name of an operation; numbers of programs differ from run to run */
    { "hlo_op_summary", NULL, "category|hlo_op", "total_us|mean_us|count", "cum_percent+", "category", NULL, TEXT },
    { "hlo_op_perf", NULL, "hlo_op|kind?", "us_per_execution|tflops_per_s|tb_per_s|executions", NULL, NULL, NULL, 0 },
    { "hlo_roofline", NULL, "hlo_op|kind?", "us_per_execution|percent_of_roofline|tflops_per_s", NULL, NULL, NULL, 0 },
    { "xla_summary", NULL, "name_without_digits", "total_us|count", "cum_percent+", NULL, NULL, 0 },
    { "step_times", NULL, "device?|program", "median_us|total_us|count", NULL, NULL, NULL, TEXT },
    { "tpu_op_summary", NULL, "hlo_category|op", "self_us|total_us|count", NULL, "hlo_category", NULL, TEXT | TOTAL },
    { "tpu_category_summary", NULL, "hlo_category", "self_us|count", NULL, NULL, NULL, TEXT },
    { "tpu_modules", NULL, "module", "total_us|count", NULL, NULL, NULL, 0 },
    { "host_compile|host_summary", NULL, "name", "total_us|count", NULL, NULL, NULL, 0 },
    { "memcpy_summary", NULL, "device?|name|size_bytes?", "total_us|count|gb_per_s", NULL, NULL, NULL, 0 },

    /* collectives */
    { "coll_analysis", NULL, COLL_KEY, "dur_sum|dur_mean|operation_count", NULL, NULL, NULL, TEXT },
    { "collectives_by_type", NULL, "collective_name",
      "total_us|dur_us_mean|count|alg_bw_GBps_mean|bus_bw_GBps_mean", NULL, NULL, NULL, TEXT },
    { "collectives_by_op", NULL, "collective_name|hlo_op", "total_us|dur_us_mean|count|bus_bw_GBps_mean", NULL, NULL, NULL,
      0 },
    { "collectives", "collective_name", "collective_name|group_size?|data_bytes?", "max_dur_us|min_dur_us|bus_bw_GBps", NULL,
      NULL, NULL, NUMBER },
    { "nccl_summary_*|*coll*", "Collective name", COLL_KEY, NULL, NULL, NULL, NULL, TEXT },

    /* Tenstorrent: the code of an operation holds its shapes */
    { "ops", "OP Code", "OP Code|Device?|Input 0 Memory?", "Device Time|Op-to-Op Gap|Cores|DRAM|FLOPs", "Total %+", "OP Code",
      NULL, TEXT | NUMBER | TOTAL },
    { "ops_stacked", NULL, "Op Code=OP Code|Op Category?", "Device Time Sum [\xce\xbcs]|Op Count", NULL, NULL, NULL, TEXT },
    { "op_models", NULL, "OP Code|Math Fidelity?|Input 0 Memory?|Cores?", "Device Time Sum|Device Time Median|Count|TFLOPS",
      NULL, NULL, NULL, 0 },

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
static bool fits(const char *list, struct az_sv id)
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
    while (!fits(s->sheets, id) || (s->with && az_table_find(t, s->with) < 0))
        s++; /* the last one fits all */
    return s;
}

bool az_compare_knows(struct az_sv id)
{
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct az_sv rest = az_sv_str(specs[i].sheets);
        while (rest.n)
            if (az_sv_eq(az_sv_cut(&rest, '|'), id))
                return true;
    }
    return false;
}

bool az_compare_of_tree(struct az_sv id)
{
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        if ((specs[i].flags & TREE) && fits(specs[i].sheets, id))
            return true;
    return false;
}

struct az_sv az_compare_alias(struct az_sv id)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (az_sv_is(id, aliases[i].theirs))
            return az_sv_str(aliases[i].ours);
    return id;
}

const char *az_compare_group(struct az_sv word)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (az_sv_is(word, groups[i].word))
            return groups[i].sheets;
    return NULL;
}

ptrdiff_t az_compare_column(const struct az_table *t, struct az_sv names)
{
    while (names.n) {
        struct az_sv one = az_sv_cut(&names, '=');
        for (size_t c = 0; c < t->columns.n; c++)
            if (az_sv_eq(t->columns.v[c].name, one))
                return (ptrdiff_t)c;
    }
    return -1;
}
