/* Captured graphs: what a graph launch runs, from the trace of its capture (docs/graphs.md).
 *
 * A graph's kernels are recorded as device events of one launch; which operators made them is in
 * another trace, recorded while the graph was captured. A format reads such traces into
 * `az_captures` (formats/pytorch/pytorch_capture.h) before the trace is sealed. Sealing then,
 * launch by launch,
 *   1. chooses the captured root that the launch replays (model/graph_capture_attach.c),
 *   2. pairs the captured launches with the device events (model/pairing.h),
 *   3. puts a copy of the captured operators, calls and frames below the launch, so that the call
 *      tree, launchers and every table of operators see them as if they had launched the events.
 * The launching call of such an event stays the graph launch (az_calltree.gpu_call); its place in
 * the tree is the captured call (az_calltree.gpu_node). Copies cost the host nothing: each is one
 * tick per node long, from the launch on.
 */
#ifndef AZ_MODEL_CAPTURE_H
#define AZ_MODEL_CAPTURE_H

#include "base/vec.h"
#include "model/pairing.h"

/* How an engine captured a shape: as one graph, or in parts around what cannot be captured. */
enum az_capture_mode { AZ_CAPTURE_ANY, AZ_CAPTURE_FULL, AZ_CAPTURE_PIECEWISE, AZ_CAPTURE_MODES };

/* An operator, a launching call or a frame of a capture; those above a launch only. Preorder. */
struct az_captured_node {
    uint8_t kind;        /* AZ_HOST_OP, AZ_CAPTURED, AZ_FRAME */
    uint32_t name;       /* id */
    uint32_t last;       /* the last node below it, else itself; counted from the root's first */
    uint32_t launch;     /* AZ_CAPTURED: its launch, same numbering */
    uint32_t side;       /* AZ_HOST_OP: row of optrace.ops; AZ_NO_ROW */
    uint32_t coll, args; /* row of its collective (az_coll_source); AZ_NO_ROW */
    uint32_t file;       /* of its kernel (az_op_file); AZ_NO_ID */
};
AZ_VEC(struct az_captured_node, az_captured_nodes);

/* What is between the begin and the end of one capture: runs of nodes and of launches. */
struct az_capture_root {
    int64_t batch; /* -1: not known */
    uint8_t mode;  /* az_capture_mode */
    uint32_t first_node, n_nodes;
    uint32_t first_launch, n_launches; /* none: it could not be read */
};
AZ_VEC(struct az_capture_root, az_capture_roots);

struct az_captures {
    struct az_capture_roots roots; /* by (batch, mode), in the order of their capture */
    struct az_captured_nodes nodes;
    struct az_vec_u32 launches; /* what each launched: keys of model/pairing.h, in order */
};

/* A launch under which captured nodes were put. Their uids are a run. */
struct az_graft {
    uint32_t call;      /* row of AZ_CALL */
    uint32_t root;      /* number of the captured root */
    uint32_t first_uid; /* up to the next one's, or optrace.graft_end */
};
AZ_VEC(struct az_graft, az_grafts);

/* Graph launches that have device events, by shape and by what became of them. */
struct az_capture_attach_row {
    int64_t batch; /* of the capture, else of the step; -1: not known */
    uint8_t mode;  /* az_capture_mode, the same */
    uint8_t by;    /* az_pair_by */
    uint64_t launches, events;
    int64_t ticks;
};
AZ_VEC(struct az_capture_attach_row, az_capture_attach_rows);

/* What became of the graph launches that have device events, by az_pair_by. */
struct az_capture_attach_sums {
    uint64_t launches[AZ_PAIR_COUNT], events[AZ_PAIR_COUNT];
    int64_t ticks[AZ_PAIR_COUNT];   /* of the device events, each counted whole */
    int64_t kernels[AZ_PAIR_COUNT]; /* ticks of kernels only */
    uint64_t surplus;               /* captured launches that had no device event */
    uint64_t unread;                /* traces that should have one and have none that can be read */
};

#endif
