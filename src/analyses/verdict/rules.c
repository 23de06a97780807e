/* The rules, one row each, by their worth: of equal time the first is reported. A function may find
 * for the rows after it too, where one pass over the events does; those have none. `within` is the
 * part of the account that a finding's time is in; `denied_by` the checks whose failure withdraws
 * its findings (docs/verdict.md 4). Rules without advice are reported by the analysis that computes
 * their metrics and sets the advice. */
#include "analyses/verdict/verdict.h"

#define TREE (AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS)
/* Evidence: see document/evidence.h. */
#define OPERATORS "unified_perf_summary kernel_launchers"
#define KERNELS   "kernel_summary tpu_op_summary ops kern_sum kernels_by_name kernel_launchers"
#define COPIES                                                                                     \
    "memcpy_summary mem_time_sum memory_copy_summary " KERNELS                                     \
    " unified_perf_summary gpu_timeline gpu_timelines_by_rank"
#define COMM                                                                                       \
    KERNELS " exposed_communication nccl_exposure comm_overlap gpu_timeline gpu_timelines_by_rank"
#define STEPS "steps device_iterations gpu_timeline gpu_timelines_by_rank"
#define DEVICES                                                                                    \
    "gpu_timeline_by_device gpu_timeline_by_agent gpu_timelines_by_rank steps gpu_timeline"

/* Checks whose failure withdraws findings. Of gaps with a lost launch there are no findings to
 * begin with, so that a failure of lost_device_events leaves those of the others. */
#define BIT(check)  (1u << AZ_CHECK_##check)
#define IDLE_CHECKS (BIT(IMPOSSIBLE_TIMES) | BIT(GRAPH_UNRECORDED))
#define TIME_CHECKS BIT(STREAM_OVERLAP)
#define RATE_CHECKS (BIT(STREAM_OVERLAP) | BIT(IMPOSSIBLE_RATES))
#define COMM_CHECKS BIT(UNKNOWN_KERNELS)
#define STEP_CHECKS BIT(STEP_MARKS)

/* clang-format off */
const struct az_verdict_rule az_verdict_rules[] = {
    { "idle", AZ_CAP_TIMELINE, az_verdict_find_idle, AZ_VERDICT_GAPS, AZ_VERDICT_IN_IDLE, IDLE_CHECKS,
      "GPU idle", "idle_causes", "", AZ_ADVICE_NONE },
    { "exposed_communication", AZ_CAP_TIMELINE, az_verdict_find_exposed, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMM, COMM_CHECKS,
      "exposed communication", COMM, "", AZ_ADVICE_OVERLAP_COMMUNICATION },
    { "exposed_copy", AZ_CAP_TIMELINE, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COPY, 0,
      "exposed copies", COPIES, "", AZ_ADVICE_SEPARATE_STREAM },
    { "page_faults", AZ_CAP_TIMELINE, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, 0,
      "kernels stall on page migrations", COPIES, "", AZ_ADVICE_PREFETCH_MANAGED_MEMORY },
    { "graph_unrecorded", AZ_CAP_TIMELINE, NULL, AZ_VERDICT_TRUST, AZ_VERDICT_IN_ANY, 0,
      "graph launches without kernels", "data_quality coverage", "", AZ_ADVICE_RECORD_GRAPH_NODES },
    { "graph_hidden", AZ_CAP_TIMELINE, NULL, AZ_VERDICT_TRUST, AZ_VERDICT_IN_ANY, 0,
      "graph launches without operators", "data_quality coverage", "", AZ_ADVICE_RECORD_GRAPH_NODES },
    { "warm_up", AZ_CAP_TIMELINE, az_verdict_find_warm_up, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_ANY, STEP_CHECKS,
      "warm-up", STEPS, "", AZ_ADVICE_EXCLUDE_WARM_UP },
    { "clock_drop", AZ_CAP_TIMELINE, az_verdict_find_clock, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "kernels slow down over time", KERNELS, "", AZ_ADVICE_CHECK_CLOCKS },
    { "step_jitter", AZ_CAP_TIMELINE, az_verdict_find_jitter, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_ANY, STEP_CHECKS | BIT(LOST_DEVICE_EVENTS),
      "uneven steps", STEPS, "idle", AZ_ADVICE_STEADY_STEPS },
    { "roofline_headroom", TREE, az_verdict_find_work, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, RATE_CHECKS,
      "below roofline", OPERATORS, "misaligned_shape precision unfused_attention fusible_chain", AZ_ADVICE_FASTER_KERNEL },
    { "low_parallelism", AZ_CAP_TIMELINE, az_verdict_find_parallelism, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "low parallelism", KERNELS, "", AZ_ADVICE_MORE_BLOCKS },
    { "misaligned_shape", TREE, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "misaligned GEMM shape", OPERATORS, "roofline_headroom", AZ_ADVICE_PAD_SHAPES },
    { "precision", AZ_CAP_TIMELINE, az_verdict_find_products, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "FP32 GEMM without TF32", OPERATORS " " KERNELS, "roofline_headroom", AZ_ADVICE_LOWER_PRECISION },
    { "unfused_attention", AZ_CAP_TIMELINE, az_verdict_find_chains, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "unfused attention", OPERATORS " " KERNELS, "roofline_headroom fusible_chain", AZ_ADVICE_FUSE_ATTENTION },
    { "fusible_chain", TREE, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "fusible op chain", OPERATORS, "roofline_headroom unfused_attention", AZ_ADVICE_FUSE_KERNELS },
    { "device_imbalance", AZ_CAP_TIMELINE, az_verdict_find_imbalance, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_WAITING, COMM_CHECKS,
      "device imbalance", DEVICES, "exposed_communication", AZ_ADVICE_BALANCE_DEVICES },
    { "straggler", 0, NULL, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_WAITING, COMM_CHECKS,
      "straggler", "straggler_summary", "exposed_communication", AZ_ADVICE_FIX_STRAGGLER },
    { "slow_group", 0, NULL, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_WAITING, COMM_CHECKS,
      "slow process group", COMM, "exposed_communication", AZ_ADVICE_FIX_LINK },
    { "pipeline_bubble", 0, NULL, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_WAITING, COMM_CHECKS,
      "pipeline bubble", COMM, "exposed_communication idle", AZ_ADVICE_MORE_MICROBATCHES },
    { "stage_imbalance", 0, NULL, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_WAITING, COMM_CHECKS,
      "pipeline stage imbalance", COMM, "exposed_communication pipeline_bubble", AZ_ADVICE_BALANCE_STAGES },
    { "recompute", TREE, az_verdict_find_recompute, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "recomputation", OPERATORS, "", AZ_ADVICE_LESS_RECOMPUTE },
    { "op_to_op_gaps", AZ_CAP_OPREPORT, NULL, AZ_VERDICT_GAPS, AZ_VERDICT_IN_IDLE, IDLE_CHECKS,
      "device idle between operations", "ops", "", AZ_ADVICE_CAPTURE_TRACE },
    { "tt_slow", AZ_CAP_OPREPORT, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, RATE_CHECKS,
      "", "ops", "tt_low_cores", AZ_ADVICE_NONE },
    { "tt_dram", AZ_CAP_OPREPORT, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, RATE_CHECKS,
      "", "ops", "tt_low_cores", AZ_ADVICE_SHARD_DRAM },
    { "tt_low_cores", AZ_CAP_OPREPORT, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "", "ops", "tt_slow tt_dram", AZ_ADVICE_MORE_CORES },
    { "tt_fidelity", AZ_CAP_OPREPORT, NULL, AZ_VERDICT_TIMES, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "", "ops", "", AZ_ADVICE_LOWER_FIDELITY },
    { "clock_samples", AZ_CAP_TIMELINE, az_verdict_find_clock_samples, AZ_VERDICT_PLAIN, AZ_VERDICT_IN_COMPUTE, TIME_CHECKS,
      "low device clock", "counters", "clock_drop", AZ_ADVICE_CHECK_CLOCKS },
    { .name = NULL }
};
/* clang-format on */

const struct az_verdict_rule *az_verdict_rule_of(struct az_sv name)
{
    for (const struct az_verdict_rule *r = az_verdict_rules; r->name; r++)
        if (name.n && *name.p == *r->name && az_sv_is(name, r->name))
            return r;
    return NULL;
}
