/* Keys of the events of a PyTorch trace, and which form of their reader this processor takes
 * (docs/formats-pytorch.md 1.3, 1.4). */
#define AZ_PT_EVENT az_pt_event_any
#include "base/cpu.h"
#include "formats/pytorch/pytorch_event_impl.h"

/* Numbered from K_PH. */
static const char *const event_keys[] = { "ph", "cat", "name", "pid", "tid", "id",
                                          "ts", "dur", "args", "bp",  "s",   NULL };

/* Keys that are not wanted are listed so that the scanner predicts what follows them. */
static const struct {
    const char *key;
    uint8_t arg;
} arg_keys[] = {
    { NULL, IGNORED }, /* AZ_J_UNKNOWN */
    { "correlation", AZ_PT_CORR },
    { "External id", AZ_PT_EXT },
    { "stream", AZ_PT_STREAM },
    { "original_stream", AZ_PT_ORIGINAL },
    { "sycl queue", AZ_PT_SYCL_QUEUE },
    { "l0 queue", AZ_PT_L0_QUEUE },
    { "device", AZ_PT_DEVICE },
    { "Input Dims", AZ_PT_DIMS },
    { "Input dims", AZ_PT_DIMS }, /* the profiler of PyTorch 1.8 */
    { "Input type", AZ_PT_TYPES },
    { "Input Strides", AZ_PT_STRIDES },
    { "Concrete Inputs", AZ_PT_CONCRETE },
    { "Sequence number", AZ_PT_SEQ },
    { "Fwd thread id", AZ_PT_FWD },
    { "bytes", AZ_PT_BYTES },
    { "Collective name", AZ_PT_COLL },
    { "In msg nelems", AZ_PT_COLL + 1 },
    { "Out msg nelems", AZ_PT_COLL + 2 },
    { "Group size", AZ_PT_COLL + 3 },
    { "dtype", AZ_PT_COLL + 4 },
    { "In split size", AZ_PT_COLL + 5 },
    { "Out split size", AZ_PT_COLL + 6 },
    { "Process Group Name", AZ_PT_COLL + 7 },
    { "Process Group Description", AZ_PT_COLL + 8 },
    { "Process Group Ranks", AZ_PT_COLL + 9 },
    { "Seq", AZ_PT_COLL_SEQ },
    { "seq", AZ_PT_COLL_SEQ },
    { "Collective sequence number", AZ_PT_COLL_SEQ },
    { "Dst Rank", AZ_PT_PEER },
    { "Src Rank", AZ_PT_PEER },
    { "name", AZ_PT_NAME },
    { "labels", AZ_PT_LABELS },
    { "memory bandwidth (GB/s)", AZ_PT_GBPS },
    { "wait_on_stream", AZ_PT_WAIT_STREAM },
    { "wait_on_cuda_event_record_corr_id", AZ_PT_WAIT_CORR },
    { "kernel_file", AZ_PT_KERNEL_FILE },
    { "copy kind", AZ_PT_COPY_KIND },
    { "src kind", AZ_PT_COPY_SRC },
    { "dst kind", AZ_PT_COPY_DST },
    { "Record function id", IGNORED },
    { "Ev Idx", IGNORED },
    { "finished", IGNORED },
    { "cbid", IGNORED },
    { "cid", IGNORED },
    { "queued", IGNORED },
    { "context", IGNORED },
    { "registers per thread", AZ_PT_REGISTERS },
    { "shared memory", AZ_PT_SHARED },
    { "blocks per SM", IGNORED },
    { "warps per SM", IGNORED },
    { "grid", AZ_PT_GRID },
    { "block", AZ_PT_BLOCK },
    { "est. achieved occupancy %", IGNORED },
    { "Python id", IGNORED },
    { "Python parent id", IGNORED },
    { "Python module id", IGNORED },
    { "kind", IGNORED },
    { "kernel", AZ_PT_KERNEL },
    { "sort_index", IGNORED },
    { "scope", IGNORED },
    { "src", IGNORED },
    { "dst", IGNORED },
    { "ptr", IGNORED },
    { "Addr", IGNORED },
    { "Bytes", IGNORED },
    { "Device Id", AZ_PT_MEMORY_DEVICE },
    { "Device Type", AZ_PT_MEMORY_KIND },
    { "Total Allocated", AZ_PT_ALLOCATED },
    { "Total Reserved", AZ_PT_RESERVED },
    { "graph node id", AZ_PT_GRAPH_NODE },
    { "graph id", IGNORED },
    { "annotation", AZ_PT_ANNOTATION },
    { "module", AZ_PT_MODULE },
    { "layer", AZ_PT_MODULE },
    { "priority", IGNORED },
    { "Comms Id", IGNORED },
    { "kernel_name", IGNORED },
    { "kernel_hash", IGNORED },
    { "kernel_backend", IGNORED },
    { "kernel_kwargs", IGNORED },
    { "num_warps", IGNORED },
    { "num_stages", IGNORED },
};
enum { ARG_KEYS = AZ_LENGTH(arg_keys) };

void az_pt_event_keys(struct az_pt_reader *r)
{
    const char *names[ARG_KEYS] = { NULL };
    for (size_t i = 1; i < ARG_KEYS; i++)
        names[i - 1] = arg_keys[i].key;
    for (size_t i = 0; i < ARG_KEYS; i++)
        r->arg_of[i] = arg_keys[i].arg;
    az_jkeys_init(&r->event_keys, event_keys);
    az_jkeys_init(&r->arg_keys, names);
}

unsigned az_pt_arg_of(struct az_sv key)
{
    for (size_t i = 1; i < ARG_KEYS; i++)
        if (az_sv_is(key, arg_keys[i].key))
            return arg_keys[i].arg;
    return IGNORED;
}

az_pt_record *az_pt_event_reader(void)
{
#ifdef AZ_V3
    if (az_cpu_v3())
        return az_pt_event_v3;
#endif
    return az_pt_event_any;
}
