/* Private to pftrace*.c: slices of a Perfetto trace that rocprofv3 wrote, from protobuf or JSON
 * (docs/formats-rocprof.md 7). Every slice carries what it stands for in its annotations; the clock
 * of its packet is not needed. */
#ifndef AZ_FORMATS_ROCM_PFTRACE_H
#define AZ_FORMATS_ROCM_PFTRACE_H

#include "formats/rocm/rocprof.h"

enum az_pftrace_key {
    PF_NONE, /* not one of those below: a counter where the slice is a kernel */
    PF_BEGIN,
    PF_END,
    PF_DELTA,
    PF_TID,
    PF_CORR,
    PF_STREAM,
    PF_AGENT,
    PF_SRC,
    PF_DST,
    PF_BYTES,
    PF_QUEUE,
    PF_SCRATCH,
    PF_LDS,
    PF_VGPR,
    PF_AGPR,
    PF_SGPR,
    PF_BLOCK,
    PF_GRID,
    PF_OPERATION,
    PF_IGNORED, /* known and not used */
    PF_KEYS
};
enum az_pftrace_key az_pftrace_key_of(struct az_sv name);

struct az_pftrace_value {
    bool is_text, is_real;
    int64_t i;
    double f;
    struct az_sv text;
};

#define PF_MAX_COUNTERS 64
struct az_pftrace_slice {
    struct az_sv category;
    uint32_t name; /* name id */
    int64_t number[PF_KEYS];
    bool has[PF_KEYS];
    int32_t agent[3]; /* PF_AGENT, PF_SRC, PF_DST */
    struct {
        uint32_t name;
        double value;
    } counter[PF_MAX_COUNTERS];
    size_t n_counters;
    int64_t pid, thread; /* thread: of its track */
    bool has_thread;     /* else: args.tid, the thread that launched it */
};
void az_pftrace_slice_init(struct az_pftrace_slice *s);
/* One annotation; `name` is its name id, required for counters. */
void az_pftrace_annotate(struct az_pftrace_slice *s, enum az_pftrace_key key, uint32_t name,
                         const struct az_pftrace_value *v);

struct az_pftrace {
    struct az_rocprof *r;
    struct az_sv path;
    uint64_t no_time, no_device_time, other_threads;
    struct az_vec_u64 other; /* name id << 32 | slices of categories skipped */
};
/* Adds a slice to the model. */
int az_pftrace_add(struct az_pftrace *p, struct az_pftrace_slice *s) AZ_MUST_USE;
int az_pftrace_finish(struct az_pftrace *p) AZ_MUST_USE;

int az_pftrace_json_file(struct az_pftrace *p) AZ_MUST_USE;
int az_pftrace_wire_file(struct az_pftrace *p) AZ_MUST_USE;

#endif
