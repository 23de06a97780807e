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
      "keep the device fed: launch ahead of it, avoid calls that wait for it" },
    { "exposed_communication", AZ_CAP_TIMELINE, az_vd_find_exposed, AZ_VD_TIMES, false, false, "communication that nothing hides",
      COMM, "", "overlap it with computation, send less, or balance the ranks that wait in it" },
    { "exposed_copy", AZ_CAP_TIMELINE, NULL, AZ_VD_TIMES, false, false, "copies that nothing hides", COPIES, "",
      "copy from pinned memory on a stream of its own while the device computes" },
    { "graph_unrecorded", AZ_CAP_TIMELINE, NULL, AZ_VD_PLAIN, true, false, "", "data_quality coverage", "",
      "record the kernels of graphs: what they took counts as idle, and no table has them" },
    { "graph_hidden", AZ_CAP_TIMELINE, NULL, AZ_VD_PLAIN, true, false, "", "data_quality coverage", "",
      "go by kernels, or record a run without graphs: operators and shapes are not in the trace" },
    { "warm_up", AZ_CAP_TIMELINE, az_vd_find_warm_up, AZ_VD_PLAIN, false, false, "", STEPS, "",
      "leave the first step out of what is measured, or compile and allocate before it" },
    { "clock_drop", AZ_CAP_TIMELINE, az_vd_find_clock, AZ_VD_PLAIN, false, false, "", KERNELS, "",
      "look at clocks, temperature and power of the device, and at who else uses it" },
    { "step_jitter", AZ_CAP_TIMELINE, az_vd_find_jitter, AZ_VD_PLAIN, false, false, "", STEPS, "idle",
      "find what differs between fast and slow steps: data, waiting, other processes, clocks" },
    { "sync_in_step", AZ_CAP_CALLS, NULL, AZ_VD_GAPS, false, false, "idle", "idle_causes", "idle",
      "queue the next work before that call, and read results later" },
    { "launch_bound", AZ_CAP_CALLS, NULL, AZ_VD_GAPS, false, true, "idle", "idle_causes", "idle",
      "launch less: fuse, batch, compile, or put more of the step into one graph" },
    { "small_work", AZ_CAP_TIMELINE, NULL, AZ_VD_GAPS, false, true, "idle", "idle_causes", "idle launch_bound",
      "the device waits longer for such kernels than they take: fuse them, batch more, or replay a graph" },
    { "roofline_headroom", TREE, az_vd_find_work, AZ_VD_TIMES, false, false, "slower than the device allows", OPERATORS,
      "misaligned_shape precision unfused_attention fusible_chain",
      "try another kernel, layout or data type; 80 % of the data sheet's peak is in reach" },
    { "misaligned_shape", TREE, NULL, AZ_VD_TIMES, false, false, "misaligned product", OPERATORS, "roofline_headroom",
      "pad the dimensions to a multiple: 8 elements of 16 bits, 16 of 8, 4 of 32" },
    { "precision", TREE, NULL, AZ_VD_TIMES, false, false, "precision", OPERATORS, "roofline_headroom",
      "allow TF32 for products, or compute in 16 bits" },
    { "unfused_attention", AZ_CAP_TIMELINE, az_vd_find_chains, AZ_VD_TIMES, false, false, "attention that is not fused",
      OPERATORS " " KERNELS, "roofline_headroom fusible_chain",
      "a fused attention (flash, memory-efficient, cuDNN) does not write the scores to memory" },
    { "fusible_chain", TREE, NULL, AZ_VD_TIMES, false, false, "chain that one kernel could do", OPERATORS,
      "roofline_headroom unfused_attention", "fuse them: torch.compile, a fused operator, or a kernel of your own" },
    { "device_imbalance", AZ_CAP_TIMELINE, az_vd_find_imbalance, AZ_VD_PLAIN, false, false, "", DEVICES,
      "exposed_communication", "give the slow device less, or look for what slows it: clocks, a busy host, more data" },
    { "straggler", 0, NULL, AZ_VD_PLAIN, false, false, "the others wait for", "straggler_summary", "exposed_communication",
      "look there for slower kernels, a busy host or a larger share of the data" },
    { "recompute", TREE, az_vd_find_recompute, AZ_VD_TIMES, false, false, "", OPERATORS, "",
      "checkpoint fewer or cheaper parts where memory allows" },
    { "op_to_op_gaps", AZ_CAP_OPREPORT, NULL, AZ_VD_GAPS, false, false, "idle", "ops", "", "" },
    { "tt_slow", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "tt_low_cores", "" },
    { "tt_dram", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "tt_low_cores", "" },
    { "tt_low_cores", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "tt_slow tt_dram", "" },
    { "tt_fidelity", AZ_CAP_OPREPORT, NULL, AZ_VD_TIMES, false, false, "", "ops", "", "" },
    { "clock_samples", AZ_CAP_TIMELINE, az_vd_find_clock_samples, AZ_VD_PLAIN, false, false, "", "counters", "clock_drop",
      "look at temperature, power limit and cooling of the device, and at who else uses it" },
    { NULL, 0, NULL, AZ_VD_PLAIN, false, false, NULL, NULL, NULL, NULL }
};
/* clang-format on */

const struct az_vd_rule *az_vd_rule_of(struct az_sv name)
{
    for (const struct az_vd_rule *r = az_vd_rules; r->name; r++)
        if (name.n && *name.p == *r->name && az_sv_is(name, r->name))
            return r;
    return NULL;
}
