/* The rules, one row each, by their worth. */
#include "analyses/verdict/verdict.h"

/* clang-format off */
const struct az_vd_rule az_vd_rules[] = {
    { "idle", AZ_CAP_TIMELINE, az_vd_find_idle, AZ_VD_GAPS, false, "idle_causes", "",
      "keep the device fed: launch ahead of it, load data and copy while it computes, avoid calls that wait for it" },
    { "exposed_communication", AZ_CAP_TIMELINE, az_vd_find_exposed, AZ_VD_TIMES, false, "exposed_communication", "",
      "overlap it with computation, send less, or balance the ranks that wait in it" },
    { "exposed_copy", AZ_CAP_TIMELINE, NULL, AZ_VD_TIMES, false, "mem_time_sum", "", /* by the function above */
      "copy from pinned memory on a stream of its own while the device computes" },
    { "graph_unrecorded", AZ_CAP_TIMELINE, NULL, AZ_VD_PLAIN, true, "data_quality", "",
      "idle time holds what their kernels took, and no table has these kernels: record the device while graphs are replayed" },
    { "warm_up", AZ_CAP_TIMELINE, az_vd_find_warm_up, AZ_VD_PLAIN, false, "gpu_timeline", "idle",
      "leave the first step out of what is measured, or compile and allocate before it" },
    { "step_jitter", AZ_CAP_TIMELINE, az_vd_find_jitter, AZ_VD_PLAIN, false, "gpu_timeline", "idle",
      "find what differs between fast and slow steps: data loading, synchronisation, other processes, clocks" },
    { NULL, 0, NULL, AZ_VD_PLAIN, false, NULL, NULL, NULL }
};
/* clang-format on */

const struct az_vd_rule *az_vd_rule_of(struct az_sv name)
{
    for (const struct az_vd_rule *r = az_vd_rules; r->name; r++)
        if (az_sv_is(name, r->name))
            return r;
    return NULL;
}
