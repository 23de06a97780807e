/* What traces of AMD-style dispatches add to the model (AZ_CAP_DISPATCHES): agents, how each kernel
 * was dispatched, copies between agents, allocations, hardware counters, and when the profiled
 * processes ran.
 *
 * Columns by kind:
 *   AZ_KERNEL  corr, side = row of `rows`; its lane: device = index of the agent, context = stream,
 *              tid = queue
 *   AZ_MEMCPY  corr, side = row of trace.copies and of `routes`; its lane's device is the
 *              destination if that is a GPU, else the source
 *   AZ_CALL    corr, side = name id of its domain ("HIP_RUNTIME_API_EXT")
 *   AZ_RANGE   corr, side = row of trace.ranges
 *   AZ_ALLOC   corr, side = row of `allocs`
 * The lane's proc distinguishes the processes of one trace (1, 2, ... in order of
 * appearance); correlation ids, agents and dispatch ids are scoped to it. */
#ifndef AZ_MODEL_DISPATCH_H
#define AZ_MODEL_DISPATCH_H

#include "model/trace.h"

#define AZ_NO_AGENT INT32_MIN /* not in the file */

struct az_agent {
    uint32_t proc; /* lane.proc */
    int64_t index; /* logical index in its node: what the tables show */
    bool gpu;
};
AZ_VEC(struct az_agent, az_agents);

/* What dispatches of one kind share; rows are unique. */
struct az_dispatch_shape {
    uint32_t whole; /* name id of the whole name, as the file has it (mangling undone, parameters,
                       suffix) */
    uint32_t grid[3], block[3]; /* work-items; only the products are known where y and z are 1 */
    uint32_t lds, scratch; /* bytes of a work-group (some files: in steps of 512), of a work-item */
    uint32_t vgpr, agpr, sgpr;
};
AZ_VEC(struct az_dispatch_shape, az_dispatch_shapes);

struct az_dispatch {
    uint64_t id; /* of the dispatch in its process; 0: not recorded */
    int64_t thread;
    uint32_t shape;
};
AZ_VEC(struct az_dispatch, az_dispatch_rows);

struct az_route { /* agents of a copy: indexes, AZ_NO_AGENT */
    int32_t src, dst;
};
AZ_VEC(struct az_route, az_routes);

struct az_alloc {
    int64_t bytes; /* 0 for frees */
    uint64_t address;
    int32_t agent; /* AZ_NO_AGENT */
};
AZ_VEC(struct az_alloc, az_allocs);

/* A hardware counter of one dispatch; the instances of one counter are added up by who reads the
 * table. */
struct az_counter {
    uint32_t proc;
    uint32_t kernel, counter; /* name ids */
    uint64_t dispatch;
    double value;
};
AZ_VEC(struct az_counter, az_counters);

/* Calls or copies that came summed, without a trace of them: in file order, the rows of a domain
 * together. */
struct az_call_sum {
    uint32_t domain; /* name id */
    struct az_sum sum;
};
AZ_VEC(struct az_call_sum, az_call_sums);

/* What a call was passed; 0 where it has none. */
struct az_call_note {
    int64_t stream, operation;
};
AZ_VEC(struct az_call_note, az_call_notes);

struct az_process {
    int64_t pid;
    int64_t init, fini; /* ns; fini <= init: not recorded */
};
AZ_VEC(struct az_process, az_processes);

struct az_dispatches {
    struct az_agents agents;
    struct az_dispatch_shapes shapes;
    struct az_dispatch_rows rows;
    struct az_routes routes; /* parallel to trace.copies */
    struct az_allocs allocs;
    struct az_counters counters;
    struct az_call_sums call_sums;
    struct az_call_notes
        call_notes; /* by uid of AZ_CALL; only where hip_summary_group requires them */
    struct az_processes processes; /* proc - 1 -> process */
    struct az_map shape_of;        /* building: unique shapes */
};

/* Creates trace->ext; az_trace_release frees it. Chooses the columns of the kinds above. */
int az_dispatches_init(struct az_trace *t) AZ_MUST_USE;
static inline struct az_dispatches *az_dispatches(const struct az_trace *t) { return t->ext; }
/* Row of an equal shape, added if new. */
int az_dispatch_shape(struct az_dispatches *d, const struct az_dispatch_shape *s,
                      uint32_t *row) AZ_MUST_USE;
/* Is the agent of this index a GPU? The caller counts unknown agents that ran something as one. */
const struct az_agent *az_agent_find(const struct az_dispatches *d, uint32_t proc, int64_t index);
/* Removes the counters of dispatches that are no kernel of the trace: a window left them out. */
int az_dispatches_filter_counters(struct az_trace *t) AZ_MUST_USE;
static inline const struct az_dispatch *az_dispatch_of(const struct az_trace *t, size_t kernel)
{
    return &az_dispatches(t)->rows.v[t->ev[AZ_KERNEL].side[kernel]];
}

/* Last identifier of a whole kernel name, as AMD's tools shorten it: from the end, balanced (), <>
 * and [] groups are skipped, the rest starts after the last blank or colon; one trailing ".kd" is
 * dropped; text without these characters stays whole (docs/formats-rocprof.md 2.3). A view into
 * `whole`; empty for an empty name. */
struct az_sv az_kernel_short_name(struct az_sv whole);

#endif
