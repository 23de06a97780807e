/* Identifiers of the verdict's data, and the texts of advice. */
#include "document/claims.h"

#define OUTSIDE 0.01 /* of the scope: device activity around it that is worth a line */

const char *az_check_id(enum az_check c)
{
    static const char *const id[AZ_CHECKS] = {
        [AZ_CHECK_LOST_DEVICE_EVENTS] = "lost_device_events",
        [AZ_CHECK_UNLINKED_DEVICE_WORK] = "unlinked_device_work",
        [AZ_CHECK_IMPOSSIBLE_TIMES] = "impossible_times",
        [AZ_CHECK_STREAM_OVERLAP] = "stream_overlap",
        [AZ_CHECK_LAUNCH_ORDER] = "launch_order",
        [AZ_CHECK_STEP_MARKS] = "step_marks",
        [AZ_CHECK_SKIPPED_DEVICE_WORK] = "skipped_device_work",
        [AZ_CHECK_TRUNCATED_INPUT] = "truncated_input",
        [AZ_CHECK_MISSING_RANKS] = "missing_ranks",
        [AZ_CHECK_CORRELATION_COLLISIONS] = "correlation_collisions",
        [AZ_CHECK_UNKNOWN_KERNELS] = "unknown_kernels",
        [AZ_CHECK_GRAPH_UNRECORDED] = "graph_unrecorded",
        [AZ_CHECK_DEVICE_PEAKS] = "device_peaks",
        [AZ_CHECK_IMPOSSIBLE_RATES] = "impossible_rates",
        [AZ_CHECK_EARLIER_WORK] = "earlier_work",
    };
    return c < AZ_CHECKS ? id[c] : NULL;
}

const char *az_check_status_id(enum az_check_status s)
{
    static const char *const id[AZ_CHECK_STATUSES] = { "not_applicable", "pass", "warn", "fail" };
    return s < AZ_CHECK_STATUSES ? id[s] : NULL;
}

const char *az_account_scope_id(enum az_account_scope s)
{
    static const char *const id[AZ_SCOPES] = { "recording", "steps", "window" };
    return s < AZ_SCOPES ? id[s] : NULL;
}

bool az_claims_is_outside(const struct az_claims *c, const struct az_claim_account *a)
{
    return a->span > 0 && (double)a->span >= OUTSIDE * (double)c->account.span;
}

bool az_claims_has_outside(const struct az_claims *c)
{
    return c->has_account &&
           (az_claims_is_outside(c, &c->before) || az_claims_is_outside(c, &c->after));
}

const char *az_cause_id(enum az_cause c)
{
    static const char *const id[AZ_CAUSES] = {
        [AZ_CAUSE_PAGE_FAULT] = "page_fault",
        [AZ_CAUSE_UNKNOWN] = "unknown",
        [AZ_CAUSE_GRAPH_GAP] = "graph_gap",
        [AZ_CAUSE_DEVICE_GAP] = "device_gap",
        [AZ_CAUSE_DEPENDENCY] = "dependency",
        [AZ_CAUSE_PROFILER_OVERHEAD] = "profiler_overhead",
        [AZ_CAUSE_BLOCKING_COPY] = "blocking_copy",
        [AZ_CAUSE_ALLOCATION] = "allocation",
        [AZ_CAUSE_BLOCKING_CALL] = "blocking_call",
        [AZ_CAUSE_MODULE_LOADING] = "module_loading",
        [AZ_CAUSE_DATA_LOADING] = "data_loading",
        [AZ_CAUSE_CHECKPOINT] = "checkpoint",
        [AZ_CAUSE_COMPILATION] = "compilation",
        [AZ_CAUSE_SYNCHRONIZATION] = "synchronization",
        [AZ_CAUSE_LAUNCH_BOUND] = "launch_bound",
        [AZ_CAUSE_HOST_RANGE] = "host_range",
        [AZ_CAUSE_HOST_FRAME] = "host_frame",
        [AZ_CAUSE_HOST_COMPUTE] = "host_compute",
        [AZ_CAUSE_UNKNOWN_HOST] = "unknown_host",
        [AZ_CAUSE_SLOW_KERNELS] = "slow_kernels",
        [AZ_CAUSE_MORE_WORK] = "more_work",
    };
    return c < AZ_CAUSES ? id[c] : NULL;
}

const char *az_cause_words(enum az_cause cause)
{
    static const char *const words[AZ_CAUSES] = {
        [AZ_CAUSE_PAGE_FAULT] = "GPU idle during page faults",
        [AZ_CAUSE_UNKNOWN] = "GPU idle, launch not recorded",
        [AZ_CAUSE_GRAPH_GAP] = "GPU idle between graph nodes",
        [AZ_CAUSE_DEVICE_GAP] = "GPU idle between queued kernels",
        [AZ_CAUSE_DEPENDENCY] = "GPU idle with work already queued",
        [AZ_CAUSE_PROFILER_OVERHEAD] = "GPU idle during profiler overhead",
        [AZ_CAUSE_BLOCKING_COPY] = "GPU idle during a blocking copy",
        [AZ_CAUSE_ALLOCATION] = "GPU idle during memory allocation",
        [AZ_CAUSE_BLOCKING_CALL] = "GPU idle during a blocking call",
        [AZ_CAUSE_MODULE_LOADING] = "GPU idle during module loading",
        [AZ_CAUSE_DATA_LOADING] = "GPU idle during data loading",
        [AZ_CAUSE_CHECKPOINT] = "GPU idle during checkpointing",
        [AZ_CAUSE_COMPILATION] = "GPU idle during compilation",
        [AZ_CAUSE_SYNCHRONIZATION] = "GPU idle after synchronization",
        [AZ_CAUSE_LAUNCH_BOUND] = "launch-bound",
        [AZ_CAUSE_HOST_RANGE] = "host-bound, GPU idle during a host range",
        [AZ_CAUSE_HOST_FRAME] = "host-bound, GPU idle during Python code",
        [AZ_CAUSE_HOST_COMPUTE] = "host-bound, GPU idle between host calls",
        [AZ_CAUSE_UNKNOWN_HOST] = "GPU idle, host calls not recorded",
    };
    return cause < AZ_CAUSES && words[cause] ? words[cause] : "GPU idle";
}

/* In the order of enum az_advice. */
static const struct {
    const char *id, *text;
} advice[AZ_ADVICES] = {
    [AZ_ADVICE_OVERLAP_COMMUNICATION] = { "overlap_communication",
                                          "start it earlier to overlap it with compute" },
    [AZ_ADVICE_REDUCE_MESSAGE_SIZE] = { "reduce_message_size",
                                        "reduce the message size or the number of collectives" },
    [AZ_ADVICE_FIX_STRAGGLER] = { "fix_straggler", "find the cause of the delay there" },
    [AZ_ADVICE_BALANCE_RANKS] = { "balance_ranks", "balance the work across ranks" },
    [AZ_ADVICE_BALANCE_DEVICES] = { "balance_devices", "balance the work across devices" },
    [AZ_ADVICE_BALANCE_STAGES] = { "balance_stages", "balance the pipeline stages" },
    [AZ_ADVICE_FIX_LINK] = { "fix_link", "check the network links of that group" },
    [AZ_ADVICE_MORE_MICROBATCHES] = { "more_microbatches",
                                      "use more micro-batches or an interleaved schedule" },
    [AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD] = { "reduce_launch_overhead",
                                           "reduce launch overhead: compile, fuse kernels, use "
                                           "graphs or larger batches" },
    [AZ_ADVICE_USE_GRAPHS] = { "use_graphs", "use graphs, or fuse small kernels" },
    [AZ_ADVICE_DEFER_SYNC] = { "defer_sync",
                               "queue the next work before synchronizing; read results later" },
    [AZ_ADVICE_PREFETCH_DATA] = { "prefetch_data", "load data ahead: more loader workers or a "
                                                   "larger prefetch factor" },
    [AZ_ADVICE_MOVE_HOST_WORK] = { "move_host_work",
                                   "move this host work out of the step or to another thread" },
    [AZ_ADVICE_RECORD_STACKS] = { "record_stacks", "record stacks (with_stack=True) or ranges to "
                                                   "find the host work" },
    [AZ_ADVICE_RECORD_HOST_CALLS] = { "record_host_calls",
                                      "record host API calls to find the cause" },
    [AZ_ADVICE_RECORD_GRAPH_NODES] = { "record_graph_nodes",
                                       "record graph nodes (nsys: --cuda-graph-trace=node)" },
    [AZ_ADVICE_PIN_MEMORY] = { "pin_memory", "use pinned memory and asynchronous copies" },
    [AZ_ADVICE_SEPARATE_STREAM] = { "separate_stream",
                                    "copy on a separate stream, overlapped with compute" },
    [AZ_ADVICE_OVERLAP_COPIES] = { "overlap_copies", "start copies earlier, on a stream without "
                                                     "kernels, to overlap them with compute" },
    [AZ_ADVICE_KEEP_ON_DEVICE] = { "keep_on_device", "keep the data on the device between steps" },
    [AZ_ADVICE_AVOID_DEVICE_COPIES] = { "avoid_device_copies",
                                        "avoid device-to-device copies: write results in place" },
    [AZ_ADVICE_AVOID_FILLS] = { "avoid_fills", "avoid fills: clear buffers inside the "
                                               "kernels that use them" },
    [AZ_ADVICE_PREFETCH_MANAGED_MEMORY] = { "prefetch_managed_memory",
                                            "prefetch managed memory or set memory advice" },
    [AZ_ADVICE_PREALLOCATE] = { "preallocate",
                                "allocate before the first step, or use a caching allocator" },
    [AZ_ADVICE_PRELOAD_MODULES] = { "preload_modules", "load modules before the first step: run "
                                                       "warm-up steps, or load eagerly" },
    [AZ_ADVICE_COMPILE_AHEAD] = { "compile_ahead",
                                  "compile before the measured steps, and cache the result" },
    [AZ_ADVICE_ASYNC_CHECKPOINT] = { "async_checkpoint", "write checkpoints asynchronously" },
    [AZ_ADVICE_CHECK_DEPENDENCIES] = { "check_dependencies",
                                       "check stream and event dependencies, and other "
                                       "processes on the device" },
    [AZ_ADVICE_CHECK_CLOCKS] = { "check_clocks", "check clocks, temperature, power limit, and "
                                                 "other processes on the device" },
    [AZ_ADVICE_RERUN_WITHOUT_PROFILER] = { "rerun_without_profiler",
                                           "measure again with fewer profiler options" },
    [AZ_ADVICE_CAPTURE_TRACE] = { "capture_trace", "capture a trace (metal trace) and replay it" },
    [AZ_ADVICE_MORE_CORES] = { "more_cores", "use more cores" },
    [AZ_ADVICE_SHARD_DRAM] = { "shard_dram", "shard the weights over DRAM banks" },
    [AZ_ADVICE_LOWER_FIDELITY] = { "lower_fidelity", "use a lower math fidelity" },
    [AZ_ADVICE_TUNE_PROGRAM_CONFIG] = { "tune_program_config",
                                        "place input 0 in L1, with in0_block_w and an output "
                                        "subblock of 2 or more" },
    [AZ_ADVICE_PLACE_INPUT] = { "place_input", "place input 0 in L1 if it fits" },
    [AZ_ADVICE_LARGER_BLOCKS] = { "larger_blocks",
                                  "set in0_block_w and an output subblock of 2 or more" },
    [AZ_ADVICE_EXCLUDE_WARM_UP] = { "exclude_warm_up", "exclude warm-up steps from profiling" },
    [AZ_ADVICE_STEADY_STEPS] = { "steady_steps", "compare slow and fast steps: input data, "
                                                 "waiting, clocks, other processes" },
    [AZ_ADVICE_FASTER_KERNEL] = { "faster_kernel", "try another kernel, layout or data type" },
    [AZ_ADVICE_BATCH_SMALL_KERNELS] = { "batch_small_kernels",
                                        "fuse or batch kernels that are too small for the device" },
    [AZ_ADVICE_MORE_BLOCKS] = { "more_blocks",
                                "launch more blocks: divide the work further, or run other "
                                "kernels at the same time" },
    [AZ_ADVICE_PAD_SHAPES] = { "pad_shapes", "pad dimensions to a multiple of 8 (16-bit), 16 "
                                             "(8-bit), or 4 (32-bit) elements" },
    [AZ_ADVICE_LOWER_PRECISION] = { "lower_precision",
                                    "enable TF32, or compute in 16-bit precision" },
    [AZ_ADVICE_FUSE_ATTENTION] = { "fuse_attention", "use a fused attention kernel" },
    [AZ_ADVICE_FUSE_KERNELS] = { "fuse_kernels",
                                 "fuse small kernels, by a compiler or with fused operators" },
    [AZ_ADVICE_LESS_RECOMPUTE] = { "less_recompute",
                                   "checkpoint fewer or cheaper modules where memory allows" },
};

const char *az_advice_id(enum az_advice a) { return a < AZ_ADVICES ? advice[a].id : NULL; }

const char *az_advice_text(enum az_advice a)
{
    return a > AZ_ADVICE_NONE && a < AZ_ADVICES ? advice[a].text : "";
}

uint32_t az_checks_of_account(void)
{
    return 1u << AZ_CHECK_LOST_DEVICE_EVENTS | 1u << AZ_CHECK_IMPOSSIBLE_TIMES |
           1u << AZ_CHECK_STREAM_OVERLAP | 1u << AZ_CHECK_SKIPPED_DEVICE_WORK |
           1u << AZ_CHECK_TRUNCATED_INPUT | 1u << AZ_CHECK_UNKNOWN_KERNELS |
           1u << AZ_CHECK_GRAPH_UNRECORDED | 1u << AZ_CHECK_EARLIER_WORK;
}
