/* Rules of the canonical columns: a new spelling of a metric is a row here. */
#include "document/schema_rules.h"

/* clang-format off */
const char *const az_schema_suffixes[AZ_SCHEMA_SUFFIXES] = {
    [AZ_UNIT_COUNT] = "_count",   [AZ_UNIT_PS] = "_ps",         [AZ_UNIT_NS] = "_ns",
    [AZ_UNIT_US] = "_us",         [AZ_UNIT_MS] = "_ms",         [AZ_UNIT_S] = "_s",
    [AZ_UNIT_BYTES] = "_bytes",   [AZ_UNIT_KB] = "_kb",         [AZ_UNIT_MB] = "_mb",
    [AZ_UNIT_GB] = "_gb",         [AZ_UNIT_PERCENT] = "_percent", [AZ_UNIT_RATIO] = "_ratio",
    [AZ_UNIT_FLOP] = "_flop",     [AZ_UNIT_GFLOP] = "_gflop",   [AZ_UNIT_GBPS] = "_gb_per_s",
    [AZ_UNIT_TBPS] = "_tb_per_s", [AZ_UNIT_TFLOPS] = "_tflop_per_s",
    [AZ_UNIT_FLOP_PER_BYTE] = "_flop_per_byte", [AZ_UNIT_PER_S] = "_per_s",
};

const struct az_schema_unit az_schema_units[] = { /* those of one unit together */
    { "ps", AZ_UNIT_PS, true },
    { "ns", AZ_UNIT_NS, true },
    { "us", AZ_UNIT_US, true },
    { "\xc2\xb5s", AZ_UNIT_US, false }, /* micro sign */
    { "\xce\xbcs", AZ_UNIT_US, false }, /* Greek mu */
    { "ms", AZ_UNIT_MS, true },
    { "s", AZ_UNIT_S, false },
    { "B", AZ_UNIT_BYTES, false },
    { "bytes", AZ_UNIT_BYTES, true },
    { "KB", AZ_UNIT_KB, true },
    { "MB", AZ_UNIT_MB, true }, /* as TraceLens calls MiB */
    { "MiB", AZ_UNIT_MB, true },
    { "GB", AZ_UNIT_GB, true },
    { "%", AZ_UNIT_PERCENT, true },
    { "pct", AZ_UNIT_PERCENT, true },
    { "pctg", AZ_UNIT_PERCENT, true },
    { "percent", AZ_UNIT_PERCENT, true },
    { "percentage", AZ_UNIT_PERCENT, true },
    { "ratio", AZ_UNIT_RATIO, true },
    { "x", AZ_UNIT_RATIO, true },
    { "pct", AZ_UNIT_RATIO, true }, /* as a tool calls shares of 0 to 1 */
    { "flops", AZ_UNIT_FLOP, true },
    { "gflop", AZ_UNIT_GFLOP, true },
    { "gflops", AZ_UNIT_GFLOP, true },
    { "GB/s", AZ_UNIT_GBPS, false },
    { "GBps", AZ_UNIT_GBPS, true },
    { "TB/s", AZ_UNIT_TBPS, false },
    { "TFLOPS/s", AZ_UNIT_TFLOPS, false },
    { "TFLOP/s", AZ_UNIT_TFLOPS, false },
    { "FLOPS/Byte", AZ_UNIT_FLOP_PER_BYTE, false },
    { NULL, AZ_UNIT_NONE, false },
};

const struct az_schema_word az_schema_phrases[] = {
    { "TFLOPS/s", "compute rate" },
    { "TFLOP/s", "compute rate" },
    { "tflops_per_s", "compute rate" },
    { "TB/s", "bandwidth" },
    { "tb_per_s", "bandwidth" },
    { "GB/s", "bandwidth" },
    { "gb_per_s", "bandwidth" },
    { "25%", "p25" },
    { "50%", "median" },
    { "75%", "p75" },
    { "GiB/s", "gib per s" },
    { "FLOPS/Byte", "intensity" },
    { "flops_per_byte", "intensity" },
    { "Non-Data-Mov", "compute only" },
    { NULL, NULL },
};

const struct az_schema_word az_schema_words[] = {
    { "dur", "duration" },     { "bw", "bandwidth" },  { "algo", "alg" },      { "cum", "cumulative" },
    { "num", "n" },            { "dev", "device" },    { "lvl", "level" },     { "idx", "index" },
    { "kern", "kernel" },      { "msg", "message" },   { "nelems", "elements" }, { "inst", "count" },
    { "instance", "count" },   { "instances", "count" }, { "calls", "count" }, { "iter", "iteration" },
    { "comm", "communication" }, { "proj", "projected" }, { "orig", "original" }, { "cat", "category" },
    { "util", "utilization" }, { "ts", "start" },      { "mem", "memory" },    { "coll", "collective" },
    { NULL, NULL },
};

const struct az_schema_summary az_schema_summaries[] = {
    { "sum", "" },       { "total", "" },     { "mean", "mean" }, { "avg", "mean" },  { "average", "mean" },
    { "median", "median" }, { "med", "median" }, { "std", "std" }, { "stddev", "std" }, { "min", "min" },
    { "max", "max" },    { "p25", "p25" },    { "p75", "p75" },   { "p95", "p95" },   { "p99", "p99" },
    { NULL, NULL },
};

#define KERNELS "kern_sum|kernel_*|kernels_*|hip_summary|xla_top|xla_summary|category_summary|short_kernel*|nvtx_kern_sum"
#define OPS     "ops|ops_*|op_models|unified_perf_summary*|roofline|hlo_op_*|hlo_roofline|tpu_op_summary|tpu_category_summary|" \
                "advice|signposts|iterations|replays|op_kernel_map"
#define FAMILIES "GEMM|gemm|GroupedGEMM|CONV*|SDPA*|*Elementwise|*_elemwise|*_eltwise|Normalization*|RMSNorm*|Reduce*|" \
                 "RoPE*|MoE*|Embedding*|CrossEntropy*|SSM*|MultiTensor*|*_fwd|*_bwd"
#define CLASSES "classes|nccl|memops|time_by_family"

/* The first row that fits counts; cores have no unit and no summary any more. */
const struct az_schema_rule az_schema_rules[] = {
    /* counts */
    { NULL, AZ_UNIT_COUNT, "|count|n_count|operation_count|name_count|op_count|range_count|short_kernel_count|"
                           "kernel_duration_count|events_count", "count" },
    { "*histogram", AZ_UNIT_COUNT, "gaps", "count" },

    /* shares; of times, whatever the time is called */
    { "kernel_summary*", AZ_UNIT_PERCENT, "time", "window_share" },
    { CLASSES, AZ_UNIT_PERCENT, "time_per_iteration", "share_per_iteration" },
    { NULL, AZ_UNIT_PERCENT, "|time|share|total|kernels_time|share_of_kernel_time|short_kernel_duration_of_time",
      "share" },
    { NULL, AZ_UNIT_PERCENT, "cumulative", "cumulative_share" },
    { NULL, AZ_UNIT_RATIO, "fraction_of_runtime|fraction_of_xla|kernel_time", "share" },
    { NULL, AZ_UNIT_RATIO, "kernel_time_cumulative", "cumulative_share" },

    { "host_operators|host_ranges|python_functions", AZ_UNIT_NS, "|time", "total" }, /* on the host, next to "self" */
    /* the time that the device spends in a row's work */
    { "tpu_op_summary|tpu_category_summary", AZ_UNIT_NS, "self", "kernel_time" },
    { "tpu_op_summary|tpu_category_summary", AZ_UNIT_NS, "|time", "subtree_kernel_time" },
    { "kern_exec_sum|api_kernel_summary", AZ_UNIT_NS, "k", "kernel_time" },
    { "kern_exec_sum|api_kernel_summary", AZ_UNIT_NS, "q", "queue_time" },
    { "kern_exec_sum|api_kernel_summary", AZ_UNIT_NS, "a", "api_time" },
    { "kern_exec_sum|api_kernel_summary", AZ_UNIT_NS, "|t", "time" },
    { "kern_exec_sum|api_kernel_summary", AZ_UNIT_COUNT, "q|q_count", "queue_count" },
    { "temporal_breakdown", AZ_UNIT_NS, "kernel_time", "window_time" },
    { KERNELS, AZ_UNIT_NS, "|time|duration|runtime|kernel_duration|kernel_time|short_kernel_duration", "kernel_time" },
    { CLASSES, AZ_UNIT_NS, "|time", "kernel_time" },
    { CLASSES, AZ_UNIT_NS, "time_per_iteration", "kernel_time_per_iteration" },
    { OPS "|" KERNELS, AZ_UNIT_NS, "per_execution", "kernel_time_per_execution" },
    { OPS "|" KERNELS, AZ_UNIT_NS, "time_per_device", "kernel_time_per_device" },
    { OPS, AZ_UNIT_NS, "|device_time|kernel_time|direct_kernel_time", "kernel_time" },
    { NULL, AZ_UNIT_NS, "direct_kernel_time|kernel_duration", "kernel_time" },
    { NULL, AZ_UNIT_NS, "gpu_time|gpu_duration", "kernel_time" },
    { NULL, AZ_UNIT_NS, "op_to_op_gap", "gap" },

    /* what a metric without a name is: by its unit */
    { NULL, AZ_UNIT_NS, "|time|duration|runtime", "time" },
    { NULL, AZ_UNIT_BYTES, "|size", "size" },
    { NULL, AZ_UNIT_BYTES, "per_execution", "size_per_execution" },
    { NULL, AZ_UNIT_RATIO, "|ratio", "ratio" },
    { NULL, AZ_UNIT_FLOP, "|work", "work" },
    { NULL, AZ_UNIT_FLOP, "first", "work_first" },
    { NULL, AZ_UNIT_FLOP, "per_execution", "work_per_execution" },
    { NULL, AZ_UNIT_GBPS, "|bandwidth", "bandwidth" },
    { NULL, AZ_UNIT_TFLOPS, "|flops|tflops", "compute_rate" },

    /* ranges of a histogram */
    { "*histogram", AZ_UNIT_NONE, "from|bin_start", "bin_start" },
    { "*histogram", AZ_UNIT_NONE, "to|bin_end", "bin_end" },

    /* names */
    { NULL, AZ_UNIT_NONE, "kernel_categories", "categories" },
    { "kernel_launchers*", AZ_UNIT_NONE, "name", "operation" },
    { KERNELS, AZ_UNIT_NONE, "name|kernel_name|kernel", "kernel" },
    { NULL, AZ_UNIT_NONE, "kernel_name", "kernel" },
    { OPS "|" FAMILIES, AZ_UNIT_NONE, "name", "operation" },
    { NULL, AZ_UNIT_ID, "global_call_count", "global_call" },
    { NULL, AZ_UNIT_NONE, "op|op_code|op_name|hlo_op", "operation" },
    { NULL, AZ_UNIT_NONE, "kernel_class|class|kernel_category|category|op_category|hlo_category", "category" },
    { NULL, AZ_UNIT_NONE, "parent_op_category", "parent_category" },
    { NULL, AZ_UNIT_NONE, "parent_cpu_op|parent_op", "parent_operation" },
    { NULL, AZ_UNIT_NONE, "nvtx_range", "range" },
    { NULL, AZ_UNIT_NONE, "device_id|gpu_id|gpu", "device" },
    { NULL, AZ_UNIT_NONE, "agent_id", "agent" },
    { NULL, AZ_UNIT_NONE, "collective_name", "collective" },
    { NULL, AZ_UNIT_NONE, "kernel_stream", "stream" },
    { NULL, AZ_UNIT_NONE, NULL, NULL },
};
#undef KERNELS
#undef OPS
#undef FAMILIES
#undef CLASSES

const char *const az_schema_whole_words[] = { "FLOPs", "GBps", "TFLOPS", "GFLOPS", NULL };

const char *const az_schema_acronyms[] = { "api", "ccl",  "cpu", "dram", "eth", "flops", "fpu", "gpu", "hip", "hlo",
                                           "id",  "lds",  "nccl", "noc", "nvtx", "p25", "p75", "p95", "p99", "pid",
                                           "pm",  "sgpr", "tid", "uid",  "vgpr", "xla", "xyz", NULL };

const char az_schema_open_tables[] = "gpu_timelines_by_rank|counters_of_*|side_by_side_*|*_chart|*_heatmap|*_diagram|compare_*";
const char az_schema_worded_tables[] = "compare_summary|compare_unmatched|compare_inputs";
/* clang-format on */
