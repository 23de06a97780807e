/* Keys of the events of a PyTorch trace, and which form of their reader this processor uses
 * (docs/formats-pytorch.md 1.3, 1.4). */
#define AZ_PYTORCH_EVENT az_pytorch_event_any
#include "base/cpu.h"
#include "formats/pytorch/pytorch_event_impl.h"

/* Numbered from K_PH. */
static const char *const event_keys[] = { "ph", "cat", "name", "pid", "tid", "id",
                                          "ts", "dur", "args", "bp",  "s",   NULL };

/* Unused keys are listed so that the scanner predicts what follows them. */
static const struct {
    const char *key;
    uint8_t arg;
} arg_keys[] = {
    { NULL, IGNORED }, /* AZ_JSON_UNKNOWN */
    { "correlation", AZ_PYTORCH_CORR },
    { "External id", AZ_PYTORCH_EXT },
    { "stream", AZ_PYTORCH_STREAM },
    { "original_stream", AZ_PYTORCH_ORIGINAL },
    { "sycl queue", AZ_PYTORCH_SYCL_QUEUE },
    { "l0 queue", AZ_PYTORCH_L0_QUEUE },
    { "device", AZ_PYTORCH_DEVICE },
    { "Input Dims", AZ_PYTORCH_DIMS },
    { "Input dims", AZ_PYTORCH_DIMS }, /* the profiler of PyTorch 1.8 */
    { "Input type", AZ_PYTORCH_TYPES },
    { "Input Strides", AZ_PYTORCH_STRIDES },
    { "Concrete Inputs", AZ_PYTORCH_CONCRETE },
    { "Sequence number", AZ_PYTORCH_SEQ },
    { "Fwd thread id", AZ_PYTORCH_FWD },
    { "bytes", AZ_PYTORCH_BYTES },
    { "Collective name", AZ_PYTORCH_COLL },
    { "In msg nelems", AZ_PYTORCH_COLL + 1 },
    { "Out msg nelems", AZ_PYTORCH_COLL + 2 },
    { "Group size", AZ_PYTORCH_COLL + 3 },
    { "dtype", AZ_PYTORCH_COLL + 4 },
    { "In split size", AZ_PYTORCH_COLL + 5 },
    { "Out split size", AZ_PYTORCH_COLL + 6 },
    { "Process Group Name", AZ_PYTORCH_COLL + 7 },
    { "Process Group Description", AZ_PYTORCH_COLL + 8 },
    { "Process Group Ranks", AZ_PYTORCH_COLL + 9 },
    { "Seq", AZ_PYTORCH_COLL_SEQ },
    { "seq", AZ_PYTORCH_COLL_SEQ },
    { "Collective sequence number", AZ_PYTORCH_COLL_SEQ },
    { "Dst Rank", AZ_PYTORCH_PEER },
    { "Src Rank", AZ_PYTORCH_PEER },
    { "name", AZ_PYTORCH_NAME },
    { "labels", AZ_PYTORCH_LABELS },
    { "memory bandwidth (GB/s)", AZ_PYTORCH_GBPS },
    { "wait_on_stream", AZ_PYTORCH_WAIT_STREAM },
    { "wait_on_cuda_event_record_corr_id", AZ_PYTORCH_WAIT_CORR },
    { "kernel_file", AZ_PYTORCH_KERNEL_FILE },
    { "copy kind", AZ_PYTORCH_COPY_KIND },
    { "src kind", AZ_PYTORCH_COPY_SRC },
    { "dst kind", AZ_PYTORCH_COPY_DST },
    { "Record function id", IGNORED },
    { "Ev Idx", IGNORED },
    { "finished", IGNORED },
    { "cbid", IGNORED },
    { "cid", IGNORED },
    { "queued", IGNORED },
    { "context", IGNORED },
    { "registers per thread", AZ_PYTORCH_REGISTERS },
    { "shared memory", AZ_PYTORCH_SHARED },
    { "blocks per SM", IGNORED },
    { "warps per SM", IGNORED },
    { "grid", AZ_PYTORCH_GRID },
    { "block", AZ_PYTORCH_BLOCK },
    { "est. achieved occupancy %", IGNORED },
    { "Python id", IGNORED },
    { "Python parent id", IGNORED },
    { "Python module id", IGNORED },
    { "kind", IGNORED },
    { "kernel", AZ_PYTORCH_KERNEL },
    { "sort_index", IGNORED },
    { "scope", IGNORED },
    { "src", IGNORED },
    { "dst", IGNORED },
    { "ptr", IGNORED },
    { "Addr", IGNORED },
    { "Bytes", IGNORED },
    { "Device Id", AZ_PYTORCH_MEMORY_DEVICE },
    { "Device Type", AZ_PYTORCH_MEMORY_KIND },
    { "Total Allocated", AZ_PYTORCH_ALLOCATED },
    { "Total Reserved", AZ_PYTORCH_RESERVED },
    { "graph node id", AZ_PYTORCH_GRAPH_NODE },
    { "graph id", IGNORED },
    { "annotation", AZ_PYTORCH_ANNOTATION },
    { "module", AZ_PYTORCH_MODULE },
    { "layer", AZ_PYTORCH_MODULE },
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

void az_pytorch_event_keys(struct az_pytorch_reader *r)
{
    const char *names[ARG_KEYS] = { NULL };
    for (size_t i = 1; i < ARG_KEYS; i++)
        names[i - 1] = arg_keys[i].key;
    for (size_t i = 0; i < ARG_KEYS; i++)
        r->arg_of[i] = arg_keys[i].arg;
    az_jkeys_init(&r->event_keys, event_keys);
    az_jkeys_init(&r->arg_keys, names);
}

unsigned az_pytorch_arg_of(struct az_sv key)
{
    for (size_t i = 1; i < ARG_KEYS; i++)
        if (az_sv_is(key, arg_keys[i].key))
            return arg_keys[i].arg;
    return IGNORED;
}

az_pytorch_record *az_pytorch_event_reader(void)
{
#ifdef AZ_V3
    if (az_cpu_v3())
        return az_pytorch_event_v3;
#endif
    return az_pytorch_event_any;
}
