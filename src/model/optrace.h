/* What framework traces add to the model: operators with arguments, the host call tree, launches
 * and who launched them. Rules: docs/formulas-pytorch.md 2, 3, 5; the recommended forms, the other
 * tool's linking on request.
 */
#ifndef AZ_MODEL_OPTRACE_H
#define AZ_MODEL_OPTRACE_H

#include "base/rank_bitmap.h"
#include "model/capture.h"
#include "model/options.h"
#include "model/trace.h"

/* Arguments of an operator: ids of compact JSON text (white space outside strings removed),
 * AZ_NO_ID where not recorded. Rows are unique: equal arguments share one row, so a row number
 * stands for the whole set. */
struct az_op_args {
    uint32_t dims, types, strides, concrete;
    uint32_t facts; /* of an operator that a hook put in: lines `name=value`; else AZ_NO_ID */
};
AZ_VEC(struct az_op_args, az_op_arg_rows);

/* The arguments of a collective kernel; ids of text as written (numbers too), AZ_NO_ID where
 * absent. Unique rows. */
struct az_coll_args {
    uint32_t name, in_nelems, out_nelems, group_size, dtype, in_split, out_split, pg_name, pg_desc,
        pg_ranks;
    int64_t seq;  /* -1: none */
    int64_t peer; /* send, recv: rank of the other side; -1: none */
};
AZ_VEC(struct az_coll_args, az_coll_rows);

/* The collective that a host event starts, for kernels without arguments of their own:
 * `record_param_comms` with a description, annotations `nccl:<op>` with arguments. */
struct az_coll_source {
    uint32_t uid;  /* of the event */
    uint32_t coll; /* row of `colls`; AZ_NO_ROW */
    uint32_t args; /* row of `args`; AZ_NO_ROW */
};
AZ_VEC(struct az_coll_source, az_coll_sources);

/* The file that the code of an operator's kernel was generated into (`kernel_file`, of
 * torch.compile). */
struct az_op_file {
    uint32_t uid;  /* of the operator's event */
    uint32_t path; /* id of text */
};
AZ_VEC(struct az_op_file, az_op_files);

/* The node of a graph that a device event ran, if recorded. */
struct az_graph_node {
    uint32_t uid;    /* of the event */
    uint32_t module; /* id of what it was marked with when it was captured: the layer or module that
                        it belongs to; AZ_NO_ID */
    uint64_t id;     /* rises in the order in which the nodes were captured */
};
AZ_VEC(struct az_graph_node, az_graph_nodes);

/* An end of an arrow between nodes of a graph: the later node waits for the earlier one. */
struct az_graph_wait {
    uint64_t id;   /* of the arrow */
    int64_t at;    /* ticks: end of the earlier node, start of the later one */
    uint32_t lane; /* of that node */
    bool start;    /* the earlier node */
};
AZ_VEC(struct az_graph_wait, az_graph_waits);

/* A node of a graph that is no device work: it records an event, or runs a function on the host.
 * Others wait for it, and through it. */
struct az_graph_pass {
    int64_t start, end;
    uint32_t lane;
};
AZ_VEC(struct az_graph_pass, az_graph_passes);

/* Per process and thread: names from metadata events. AZ_NO_ID: unknown. By lane. */
struct az_lane_names {
    uint32_t process_name, process_label, thread_name;
};
AZ_VEC(struct az_lane_names, az_lane_name_rows);

/* A flow arrow's end on the host or the device, stored only for link_by = flow. */
struct az_flow {
    uint64_t id;
    uint32_t lane; /* of the `f` event; AZ_NO_ROW for an `s` event */
};
AZ_VEC(struct az_flow, az_flows);

/* Forward-to-backward arrow: the host events that begin at these places. */
struct az_fwdbwd {
    uint64_t id;
    int64_t at; /* ticks */
    uint32_t lane;
    bool start; /* `s`: forward side */
};
AZ_VEC(struct az_fwdbwd, az_fwdbwds);

/* What an operator row has beyond its times. Most events of a dense trace have one: small. */
struct az_op {
    uint32_t args; /* row of optrace.args; AZ_NO_ROW: none recorded */
    int32_t seq; /* sequence number; -1: none; one that does not fit: -2 - its place in long_seqs */
};
AZ_VEC(struct az_op, az_ops);

/* Hardware counters that the profiler collected over one kernel (cuda_profiler_range events), in
 * file order. */
struct az_counter_range {
    uint32_t name, uid;
    int64_t start, end;
    uint32_t first, n; /* its run of counter_values */
};
AZ_VEC(struct az_counter_range, az_counter_ranges);
struct az_counter_value {
    uint32_t name;
    double value;
};
AZ_VEC(struct az_counter_value, az_counter_values);

/* What a synchronization on the device waits for; AZ_SYNC side rows. */
struct az_sync {
    int64_t wait_stream;  /* -1: not recorded */
    uint64_t record_corr; /* correlation of the call that recorded the event; 0: none */
};
AZ_VEC(struct az_sync, az_syncs);

/* One of the longest Python frames, of a trace whose frames are not stored. */
struct az_long_frame {
    int64_t start, end; /* ticks */
    uint32_t lane;
    struct az_sv name; /* of the function, without its file */
};
AZ_VEC(struct az_long_frame, az_long_frames);

struct az_calltree;
struct az_launchers;

/* trace.ext of a framework trace. Columns by kind (corr and node are freed while the trace is
 * sealed: the links have them; AZ_CALL and AZ_SYNC retain corr for launch_details, critical_path):
 *   AZ_HOST_OP   corr = External id (0 none), side = row of `ops` (AZ_NO_ROW none; see ops_by_row)
 *   AZ_CALL      corr = correlation, node = External id + 1 (0 none)
 *   AZ_CAPTURED  node = uid of its device event + 1
 *   AZ_KERNEL    corr, same node, side = row of `colls`; AZ_MEMCPY, AZ_MEMSET: of trace.copies
 *   AZ_SYNC      corr, side = row of `syncs` (AZ_NO_ROW none)
 * uid is the index in the file's event array, of every kind. */
struct az_optrace {
    struct az_ops ops;
    struct az_vec_i64 long_seqs;
    bool ops_by_row; /* each operator has the row of its own number, and no side column: where most
                        have one, when the trace is sealed */
    struct az_op_arg_rows args;
    struct az_coll_rows colls;
    struct az_coll_sources coll_sources; /* by uid */
    struct az_op_files op_files;         /* by uid */
    struct az_graph_nodes graph_nodes;   /* by uid */
    struct az_graph_waits graph_waits;
    struct az_graph_passes graph_passes;
    uint64_t logical_lanes; /* device events whose lane is not the stream that they ran on */
    struct az_lane_name_rows lane_names; /* parallel to trace.lanes */
    struct az_vec_u32 lane_scopes; /* the same, of ranks merged into one file: lanes of one rank
                                      have one number; empty: one rank */
    struct az_flows flows;         /* only for link_by = flow */
    struct az_fwdbwds fwdbwd;
    struct az_counter_ranges counters;
    struct az_counter_values counter_values;
    struct az_syncs syncs;
    struct az_same_ids same_ids;       /* of calls, when the trace is sealed */
    struct az_long_frames long_frames; /* by start; empty where frames are stored */
    bool has_flows;                    /* any CPU-to-GPU arrow in the file */
    bool key_is_ext; /* link key (docs/formulas-pytorch.md 3): launch calls have no correlation, so
                        External id */
    bool has_ops;    /* any operator: else a GPU-only trace */
    uint64_t n_events;   /* elements of the event array; operators that a hook put in are numbered
                            after them */
    uint32_t first_made; /* row of `ops` from which they were put in by a hook */
    struct az_captures captures;              /* freed when the trace is sealed */
    struct az_capture_attach_sums grafted;    /* the same, made when the trace is sealed */
    struct az_capture_attach_rows graft_rows; /* by batch, mode and az_pair_by */
    struct az_grafts grafts;                  /* by first_uid; */
    uint32_t graft_end;                       /* uid after those of the last */
    /* made when the trace is sealed */
    struct az_calltree *tree;
    struct az_launchers *launchers;
    struct az_map driver_calls; /* name ids of calls of the driver's own interface, as keys */
    /* building: unique rows */
    struct az_map arg_map, coll_map;
    /* Name id of a text as written -> of its compact form + 1; 0: not known. */
    struct az_vec_u32 compact;
    const struct az_options *opts; /* of the input; as long-lived as the trace */
};
/* Creates trace->ext, which az_trace_finalize completes (call tree, links, launchers) and
 * az_trace_release frees. */
int az_optrace_init(struct az_trace *t, const struct az_options *opts) AZ_MUST_USE;
static inline struct az_optrace *az_optrace(const struct az_trace *t) { return t->ext; }
/* Id of JSON text without white space outside strings; AZ_NO_ID for the empty view. *raw becomes
 * the trace's own copy of the text as written. */
int az_optrace_text(struct az_trace *t, struct az_sv *raw, uint32_t *id) AZ_MUST_USE;
int az_optrace_args(struct az_trace *t, const struct az_op_args *a, uint32_t *row) AZ_MUST_USE;
/* A new row of `ops`. */
int az_optrace_op(struct az_optrace *o, uint32_t args, int64_t seq, uint32_t *side) AZ_MUST_USE;
static inline int64_t az_seq_of(const struct az_op *op, const int64_t *long_seqs)
{
    return op->seq >= -1 ? op->seq : long_seqs[-2 - op->seq];
}
static inline int64_t az_op_seq(const struct az_optrace *o, uint32_t side)
{
    return az_seq_of(&o->ops.v[side], o->long_seqs.v);
}
/* Row of `ops` of an operator; AZ_NO_ROW: it has none. */
static inline uint32_t az_op_side(const struct az_trace *t, uint32_t op)
{
    const uint32_t *side = t->ev[AZ_HOST_OP].side;
    return side ? side[op] : az_optrace(t)->ops_by_row ? op : AZ_NO_ROW;
}
int az_optrace_coll(struct az_trace *t, const struct az_coll_args *a, uint32_t *row) AZ_MUST_USE;
/* Marks the name of a call as one of the driver's interface, below the runtime's; and whether a
 * name is. */
int az_optrace_driver(struct az_trace *t, uint32_t name) AZ_MUST_USE;
static inline bool az_is_driver_call(const struct az_optrace *o, uint32_t name)
{
    return az_map_get(&o->driver_calls, name, 0) != AZ_NO_ID;
}
/* The collective that the host event of that uid starts; NULL for none. */
const struct az_coll_source *az_optrace_coll_source(const struct az_optrace *o, uint32_t uid);
/* The file of the operator of that uid: id of text; AZ_NO_ID if it names none. */
uint32_t az_optrace_op_file(const struct az_optrace *o, uint32_t uid);
/* The graph node that the device event of that uid ran; 0 for none. */
uint64_t az_optrace_graph_node(const struct az_optrace *o, uint32_t uid);
/* Id of the module that it was marked with; AZ_NO_ID. */
uint32_t az_optrace_graph_module(const struct az_optrace *o, uint32_t uid);

/* ---- call tree ---- */
/* Host nodes are numbered: operators 0.., then calls, captured calls, and frames (if stored), each
 * in row order. */
struct az_calltree {
    const struct az_trace *trace;
    uint32_t n;                                       /* host nodes */
    uint32_t first_call, first_captured, first_frame; /* where calls, captured ones, frames begin */
    uint32_t *parent;                                 /* node -> parent node, AZ_NO_ROW: root */
    uint32_t *pre, *last; /* preorder number of a node, largest preorder number in its subtree */
    uint32_t *by_pre;     /* preorder number -> node */
    uint32_t *op;         /* node from first_call on -> operator above it; NULL: climb */
    uint64_t clamped;     /* events whose end was clipped to their parent's */
    int64_t clamped_ticks;
    /* device events, in file order (uid): kernels, copies, fills together */
    uint32_t n_gpu;
    uint8_t *gpu_kind;  /* AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET */
    uint32_t *gpu_row;  /* row of that kind */
    uint32_t *gpu_call; /* node of the launching call; AZ_NO_ROW: unlinked */
    uint32_t *gpu_node; /* where the event is in the tree: its captured call, else gpu_call */
    uint8_t *gpu_ext;   /* 1 where the event has an External id */
    uint32_t *linked; /* the linked ones sorted by (pre of their gpu_node, position in the launch):
                         gpu numbers */
    struct az_rank_word *launching; /* preorder numbers of the nodes that `linked` is of */
    uint32_t *linked_from;          /* by their rank: where theirs begin; one more at the end */
    uint32_t n_launching;
    uint32_t n_linked;
    uint8_t *graph_launch; /* by call row: 1 where the call launched more than one device event */
};
static inline const struct az_calltree *az_tree(const struct az_trace *t)
{
    return az_optrace(t)->tree;
}

/* In two steps: device events and the calls that launched them, which is all that ids of links are
 * needed for; then the tree. After an error there is nothing to release. */
int az_calltree_link(struct az_calltree *c, const struct az_trace *t,
                     const struct az_options *o) AZ_MUST_USE;
int az_calltree_nest(struct az_calltree *c) AZ_MUST_USE;
int az_calltree_build(struct az_calltree *c, const struct az_trace *t,
                      const struct az_options *o) AZ_MUST_USE;
void az_calltree_release(struct az_calltree *c);
/* Kind and row of a host node. */
static inline enum az_kind az_node_kind(const struct az_calltree *c, uint32_t node, uint32_t *row)
{
    const bool op = node < c->first_call, call = node < c->first_captured,
               captured = node < c->first_frame;
    *row = node - (op ? 0 : call ? c->first_call : captured ? c->first_captured : c->first_frame);
    return op ? AZ_HOST_OP : call ? AZ_CALL : captured ? AZ_CAPTURED : AZ_FRAME;
}
struct az_sv az_node_name(const struct az_calltree *c, uint32_t node);
/* Range of `linked` that is under a node (its own and its descendants' calls): first, end. */
static inline void az_node_gpu(const struct az_calltree *c, uint32_t node, uint32_t *first,
                               uint32_t *end)
{
    *first = c->linked_from[az_rank(c->launching, c->pre[node])];
    *end = c->linked_from[az_rank(c->launching, (size_t)c->last[node] + 1)];
}
/* Nearest operator at or above a node; AZ_NO_ROW if none. */
uint32_t az_node_op(const struct az_calltree *c, uint32_t node);
/* Start, end (ticks), name id, stream (lane), side row and uid of a device event by its number. */
static inline struct az_event az_gpu_event(const struct az_calltree *c, uint32_t gpu)
{
    const struct az_events *e = &c->trace->ev[c->gpu_kind[gpu]];
    const uint32_t i = c->gpu_row[gpu];
    return (struct az_event){ .start = e->start[i],
                              .end = e->end[i],
                              .name = e->name[i],
                              .lane = e->lane[i],
                              .side = e->side[i],
                              .uid = e->uid[i] };
}

/* ---- launchers (docs/formulas-pytorch.md 5) ---- */
struct az_launcher { /* as many as launches: small */
    uint32_t node;   /* operator, or the call itself */
    uint32_t first;  /* own device events: run of `own`, ordered by (start, file order), that ends
                        where the next one's begins */
};
AZ_VEC(struct az_launcher, az_launcher_rows);
struct az_launcher_times {
    int64_t direct;  /* union of its own events, ticks */
    int64_t subtree; /* union of all events below it, communication too, ticks */
};
struct az_launchers {
    struct az_launcher_rows rows;  /* ordered by start of the node, ties by its first device event;
                                      one more after them, which ends the last one's run */
    struct az_vec_u32 own;         /* gpu numbers */
    struct az_rank_word *measured; /* rows with more than one event below them */
    struct az_launcher_times *times; /* by their rank */
    size_t n_times;
    struct az_mem *mem;
};
static inline uint32_t az_launcher_count(const struct az_launcher *l)
{
    return l[1].first - l->first;
}
static inline struct az_launcher_times az_launcher_times(const struct az_launchers *l,
                                                         const struct az_calltree *c, size_t i)
{
    if (az_rank_has(l->measured, i))
        return l->times[az_rank(l->measured, i)];
    const struct az_event e = az_gpu_event(c, l->own.v[l->rows.v[i].first]);
    return (struct az_launcher_times){ e.end - e.start, e.end - e.start };
}
/* The node of the launcher of a device event; AZ_NO_ROW: unlinked, or communication. */
uint32_t az_launcher_node(const struct az_calltree *c, uint32_t gpu);
int az_launchers_build(struct az_launchers *l, const struct az_calltree *c) AZ_MUST_USE;
void az_launchers_release(struct az_launchers *l);

#endif
