/* The rules, one row each, by their worth: of equal time the first is reported. A function may find
 * for the rows after it too, where one pass over the events does; those have none. The advice is a
 * sentence without its capital and full stop, of a line's length at most: lines of the verdict end
 * with it. Rules without advice are reported by the analysis that has the figures, which says it.
 */
#include "analyses/verdict/verdict.h"

#define TREE (AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS)
/* Evidence: see results/evidence.h. */
#define OPERATORS "unified_perf_summary kernel_launchers"
#define KERNELS   "kernel_summary kern_sum kernels_by_name tpu_op_summary ops kernel_launchers"
#define COPIES                                                                                     \
    "mem_time_sum memory_copy_summary memcpy_summary " KERNELS                                     \
    " unified_perf_summary gpu_timeline gpu_timelines_by_rank"
#define COMM                                                                                       \
    KERNELS " exposed_communication nccl_exposure comm_overlap gpu_timeline gpu_timelines_by_rank"
#define STEPS "steps device_iterations gpu_timeline gpu_timelines_by_rank"
#define DEVICES                                                                                    \
    "gpu_timeline_by_device gpu_timeline_by_agent gpu_timelines_by_rank steps gpu_timeline"

/* clang-format off */
const struct az_vd_rule az_vd_rules[] = {
    { "idle", AZ_CAP_TIMELINE, az_vd_find_idle, AZ_VD_GAPS, false, false, "idle", "idle_causes", "",
      AZ_ADVICE_NONE },
    { "exposed_communication", AZ_CAP_TIMELINE, az_vd_find_exposed, AZ_VD_TIMES, false, false, "communication that nothing hides",
      COMM, "", AZ_ADVICE_OVERLAP_COMMUNICATION },
    { "exposed_copy", AZ_CAP_TIMELINE, NULL, AZ_VD_TIMES, false, false, "copies that nothing hides", COPIES, "",
      AZ_ADVICE_SEPARATE_STREAM },
    { "page_faults", AZ_CAP_TIMELINE, NULL, AZ_VD_TIMES, false, false, "kernels stall on page migrations", COPIES, "",
      AZ_ADVICE_PREFETCH_MANAGED_MEMORY },
    { "graph_unrecorded", AZ_CAP_TIMELINE, NULL, AZ_VD_PLAIN, true, false, "", "data_quality coverage", "",
      AZ_ADVICE_RECORD_GRAPH_NODES },
    { "graph_hidden", AZ_CAP_TIMELINE, NULL, AZ_VD_PLAIN, true, false, "", "data_quality coverage", "",
      AZ_ADVICE_RECORD_GRAPH_NODES },
    { "warm_up", AZ_CAP_TIMELINE, az_vd_find_warm_up, AZ_VD_PLAIN, false, false, "", STEPS, "",
      AZ_ADVICE_EXCLUDE_WARM_UP },
    { "clock_drop", AZ_CAP_TIMELINE, az_vd_find_clock, AZ_VD_PLAIN, false, false, "", KERNELS, "",
      AZ_ADVICE_CHECK_CLOCKS },
    { "step_jitter", AZ_CAP_TIMELINE, az_vd_find_jitter, AZ_VD_PLAIN, false, false, "", STEPS, "idle",
      AZ_ADVICE_STEADY_STEPS },
    { "sync_in_step", AZ_CAP_CALLS, NULL, AZ_VD_GAPS, false, false, "idle", "idle_causes", "idle",
      AZ_ADVICE_DEFER_SYNC },
    { "launch_bound", AZ_CAP_CALLS, NULL, AZ_VD_GAPS, false, true, "idle", "idle_causes", "idle",
      AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD },
    { "small_work", AZ_CAP_TIMELINE, NULL, AZ_VD_GAPS, false, true, "idle", "idle_causes", "idle launch_bound",
      AZ_ADVICE_USE_GRAPHS },
    { "roofline_headroom", TREE, az_vd_find_work, AZ_VD_TIMES, false, false, "slower than the device allows", OPERATORS,
      "misaligned_shape precision unfused_attention fusible_chain",
      AZ_ADVICE_FASTER_KERNEL },
    { "misaligned_shape", TREE, NULL, AZ_VD_TIMES, false, false, "misaligned product", OPERATORS, "roofline_headroom",
      AZ_ADVICE_PAD_SHAPES },
    { "precision", TREE, NULL, AZ_VD_TIMES, false, false, "precision", OPERATORS, "roofline_headroom",
      AZ_ADVICE_LOWER_PRECISION },
    { "unfused_attention", AZ_CAP_TIMELINE, az_vd_find_chains, AZ_VD_TIMES, false, false, "attention that is not fused",
      OPERATORS " " KERNELS, "roofline_headroom fusible_chain",
      AZ_ADVICE_FUSE_ATTENTION },
    { "fusible_chain", TREE, NULL, AZ_VD_TIMES, false, false, "chain that one kernel could do", OPERATORS,
      "roofline_headroom unfused_attention", AZ_ADVICE_FUSE_KERNELS },
    { "device_imbalance", AZ_CAP_TIMELINE, az_vd_find_imbalance, AZ_VD_PLAIN, false, false, "", DEVICES,
      "exposed_communication", AZ_ADVICE_BALANCE_DEVICES },
    { "straggler", 0, NULL, AZ_VD_PLAIN, false, false, "the others wait for", "straggler_summary", "exposed_communication",
      AZ_ADVICE_FIX_STRAGGLER },
    { "recompute", TREE, az_vd_find_recompute, AZ_VD_TIMES, false, false, "", OPERATORS, "",
      AZ_ADVICE_LESS_RECOMPUTE },
    { "op_to_op_gaps", AZ_CAP_OPREPORT, NULL, AZ_VD_GAPS, false, false, "idle", "ops", "", AZ_ADVICE_CAPTURE_TRACE },
    { "tt_slow", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "tt_low_cores", AZ_ADVICE_NONE },
    { "tt_dram", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "tt_low_cores", AZ_ADVICE_SHARD_DRAM },
    { "tt_low_cores", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "tt_slow tt_dram", AZ_ADVICE_MORE_CORES },
    { "tt_fidelity", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "", AZ_ADVICE_LOWER_FIDELITY },
    { "clock_samples", AZ_CAP_TIMELINE, az_vd_find_clock_samples, AZ_VD_PLAIN, false, false, "", "counters", "clock_drop",
      AZ_ADVICE_CHECK_CLOCKS },
    { NULL, 0, NULL, AZ_VD_PLAIN, false, false, NULL, NULL, NULL,
      AZ_ADVICE_NONE }
};
/* clang-format on */

const struct az_vd_rule *az_vd_rule_of(struct az_sv name)
{
    for (const struct az_vd_rule *r = az_vd_rules; r->name; r++)
        if (name.n && *name.p == *r->name && az_sv_is(name, r->name))
            return r;
    return NULL;
}
