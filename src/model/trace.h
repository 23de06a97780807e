/* The common model of one profile: columns of events, names, lanes. Filled by a format, then sealed
 * (sorted by start, stable; names classified), then read-only. A profile of several ranks or files
 * is several traces. Times are int64 ticks: 1 ns, or 1 ps where the file has picoseconds
 * (`ticks_per_ns` = 1 or 1000). */
#ifndef AZ_MODEL_TRACE_H
#define AZ_MODEL_TRACE_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/interval.h"
#include "base/vec.h"
#include "classify/kernels.h"
#include "model/geometry.h"
#include "model/samples.h"

enum az_kind {
    AZ_KERNEL,    /* device kernel */
    AZ_MEMCPY,    /* device copy; side: az_copy */
    AZ_MEMSET,    /* device fill; side: az_copy (bytes only) */
    AZ_GRAPH,     /* one row per graph launch, its kernels are not recorded */
    AZ_HOST_OP,   /* framework operator */
    AZ_CALL,      /* runtime or driver API call */
    AZ_OSRT,      /* operating system call */
    AZ_RANGE,     /* host range or annotation; side: az_range */
    AZ_GPU_RANGE, /* device-side projection of an annotation; never counts as work */
    AZ_FRAME,     /* interpreter frame */
    AZ_SYNC,      /* device-side synchronization */
    AZ_OVERHEAD,  /* profiler overhead */
    AZ_ALLOC,     /* memory allocated or freed (model/dispatch.h) */
    AZ_CAPTURED,  /* a call while a graph was captured, under a launch of it (model/capture.h) */
    AZ_GAP_FRAME, /* interpreter frame of a trace whose frames are not stored, long enough to
                     explain idle time: in no call tree and in no table */
    AZ_MODULE,    /* call of a module of a model, as its framework names it: regions; frames that
                     are kept have it too. In no call tree */
    AZ_KIND_COUNT
};
const char *az_kind_text(enum az_kind k);

#define AZ_NO_ROW UINT32_MAX

/* Times are within +-AZ_TIME_MAX ticks (73 years of ns), so that the difference of any two of them
 * fits. */
#define AZ_TIME_MAX (INT64_C(1) << 61)

/* Columns a kind may carry next to start, end, name, lane. */
enum { AZ_COL_CORR = 1, AZ_COL_SIDE = 2, AZ_COL_UID = 4, AZ_COL_NODE = 8, AZ_COL_GEO = 16 };

struct az_events {
    size_t n, cap;
    unsigned cols;        /* AZ_COL_* present */
    int64_t *start, *end; /* ticks, end >= start */
    uint32_t *name;       /* id in trace.names; AZ_NO_ID: none */
    uint32_t *lane;       /* index into trace.lanes */
    uint64_t *corr;       /* correlation id, unique in one process; 0: none */
    uint32_t *side;       /* row of the kind's side table; AZ_NO_ROW: none */
    uint32_t *uid;        /* position in the file (order of appearance) */
    uint64_t *node;       /* graph node id; 0: none */
    uint32_t *geo;        /* row of trace.geometries + 1; 0: none */
};

struct az_event {
    int64_t start, end;
    uint32_t name, lane, side, uid;
    uint64_t corr, node;
    uint32_t geo;
};

/* A lane is where events follow each other: a host thread, or a stream or queue of a device. */
struct az_lane {
    bool device_side;
    uint64_t pid, tid; /* host: process, thread. device: process (0 unknown), stream */
    int64_t device;    /* device number; -1 on the host or unknown */
    uint64_t context;
    uint64_t proc;   /* process identity for correlation (globalPid, or pid) */
    uint64_t thread; /* host: whole thread identity (globalTid); device: 0 */
    uint32_t label;  /* name id; AZ_NO_ID */
};
AZ_VEC(struct az_lane, az_lanes);

struct az_copy {
    int64_t bytes; /* -1: not recorded */
    double gbps;   /* rate in GB/s in the profile; 0: it does not */
    int16_t op;    /* copy kind of the profiler, -1 unknown */
    /* Memory kinds: 0 pageable, 1 pinned, 2 device, 3 array, 4 managed; -1 unknown. */
    int16_t src, dst;
    bool migration; /* of pages of managed memory, by its driver: on no stream, without a launch */
};
AZ_VEC(struct az_copy, az_copies);

/* Arguments that the collectives library recorded in the range of its call; -1: unknown. */
struct az_comm_note {
    uint64_t comm; /* of the communicator, equal on all its ranks; 0: unknown */
    /* As passed to the call: of what one rank passes on, or gets of a reduce-scatter. */
    int64_t bytes;
    int64_t peer, ranks, rank;
};
AZ_VEC(struct az_comm_note, az_comm_notes);

struct az_range {
    uint64_t id;   /* profiler's range id (nsys: rowid) */
    uint32_t note; /* number of its az_comm_note, from 1 on; 0: none */
    uint8_t style; /* 0 push/pop, 1 start/end */
    bool open;     /* had no end in the file */
    bool crosses;  /* ended on another thread */
};
AZ_VEC(struct az_range, az_ranges);

struct az_device {
    int64_t id;
    struct az_sv name; /* arena */
    int64_t sm_count, memory_bytes;
};
AZ_VEC(struct az_device, az_devices);

/* Rows that are already summed (nsys stats CSV), in file order. Values that the file lacks are NaN
 * / AZ_SUM_NONE. */
struct az_sum {
    uint32_t name;
    double total;     /* as written, in `unit_to_ns` units: the classic arithmetic works on it */
    int64_t total_ns; /* exact where the unit allows */
    int64_t count;
    double avg, med, min, max, std; /* ns or bytes; NaN: absent */
};
AZ_VEC(struct az_sum, az_sums);

struct az_proj {          /* one row of an NVTX projection that came summed or was computed */
    uint32_t name, style; /* name ids */
    int64_t start, duration, orig_start, orig_duration; /* ns; start INT64_MIN: absent */
    int64_t pid, tid, gpu_ops, level, children, range_id, parent_id; /* -1: none */
    uint32_t stack; /* name id of "1:2:3"; AZ_NO_ID */
};
AZ_VEC(struct az_proj, az_projs);

/* Facts that a trace has, and that an analysis needs. Derived from its contents when it is sealed
 * (az_trace_facts).
 */
enum az_cap {
    AZ_CAP_KERNEL_SUMS = 1 << 0, /* kernel time per name: summed or from events */
    AZ_CAP_TIMELINE = 1 << 1,    /* device events with times */
    AZ_CAP_CALLS = 1 << 2,       /* API calls */
    AZ_CAP_RANGES = 1 << 3,      /* host ranges */
    AZ_CAP_PROJ = 1 << 4,        /* projected ranges (recorded or computable) */
    AZ_CAP_MEM = 1 << 5,         /* memory operations: summed or events */
    AZ_CAP_HOST_OPS = 1 << 6,    /* operators of a framework */
    AZ_CAP_LAUNCHES = 1 << 7,    /* calls that are linked to device events by correlation ids */
    AZ_CAP_OSRT = 1 << 8,
    AZ_CAP_CLASSIC = 1 << 9, /* the classic block can be printed: users of the format expect it */
    AZ_CAP_CALLTREE =
        1 << 10, /* who called and launched what: trace.ext is an az_optrace (model/optrace.h) */
    AZ_CAP_OPREPORT =
        1 << 11, /* a report of operations: trace.ext is an az_opreport (model/opreport.h) */
    AZ_CAP_DISPATCHES =
        1 << 12, /* how kernels were dispatched: trace.ext is an az_dispatches (model/dispatch.h) */
    AZ_CAP_PROGRAMS =
        1 << 13, /* operations of compiled programs: trace.ext is an az_xtrace (model/xtrace.h) */
    AZ_CAP_GEOMETRY = 1 << 14, /* grid and block of kernels (model/geometry.h) */
    AZ_CAP_SAMPLES = 1 << 15   /* counters sampled over time (model/samples.h) */
};
/* Facts that only one kind of format can have. */
#define AZ_CAP_OWN (AZ_CAP_CLASSIC | AZ_CAP_OPREPORT | AZ_CAP_DISPATCHES | AZ_CAP_PROGRAMS)
const char *az_cap_text(unsigned one_cap);

/* Why events were skipped. */
enum az_drop_kind {
    AZ_DROP_LOST,         /* should have been there: truncated, malformed, damaged, impossible */
    AZ_DROP_FILTERED,     /* by a filter or window of the user */
    AZ_DROP_NOT_MODELLED, /* of a kind that no table is made of */
    AZ_DROP_OUT_OF_SCOPE  /* of what happened outside of the recording */
};
const char *az_drop_kind_text(enum az_drop_kind kind);

struct az_drop { /* skipped events, by kind and reason */
    struct az_sv reason;
    uint64_t count;
    int64_t ticks; /* their time */
    enum az_drop_kind kind;
    uint64_t device; /* lost events of a device among `count` */
};
AZ_VEC(struct az_drop, az_drops);

/* Calls of one process with one correlation id; rows of AZ_CALL, first: the first of them. */
struct az_same_id {
    uint32_t first, other;
};
AZ_VEC(struct az_same_id, az_same_ids);

struct az_fact {
    struct az_sv key, value;
};
AZ_VEC(struct az_fact, az_facts);

struct az_note {
    struct az_sv item, text;
    uint64_t count;
};
AZ_VEC(struct az_note, az_notes);

/* What is wrong with the times of device events: kernels, copies, fills, graph rows. */
struct az_trace_quality {
    uint64_t device_events; /* also those that were skipped; set by az_trace_finalize */
    uint64_t impossible;    /* skipped: start of 0 or less, or end before start */
    uint64_t clipped;       /* clipped at the next start of their stream (model/clean.h) */
    int64_t impossible_ticks, clipped_ticks;
};

/* Device work outside a window that ran at the same time as the work in it, clipped to that. */
struct az_other_work {
    int64_t start, end;
    uint32_t name, lane;
    uint8_t kind; /* AZ_KERNEL to AZ_GRAPH */
};
AZ_VEC(struct az_other_work, az_other_works);

struct az_trace;
/* Called at the end of az_trace_finalize and of az_trace_release for a trace that has `ext`. */
struct az_trace_ext {
    unsigned caps; /* AZ_CAP_* that it brings */
    int (*seal)(struct az_trace *t);
    void (*release)(struct az_trace *t);
};

/* The user's hook into the tree of a framework trace, run while it is sealed (model/treeedit.h)
 * where extension_file, enable_pseudo_ops or captures of graphs require it. */
struct az_window;
struct az_cut_log;
struct az_tree_edits;
struct az_trace_hook {
    int (*run)(struct az_trace *t, struct az_tree_edits *edits, void *ctx); /* NULL: none */
    void *ctx;
};

struct az_trace {
    struct az_mem *mem;
    struct az_arena arena;
    struct az_intern names;
    unsigned caps; /* AZ_CAP_*, set by az_trace_finalize */
    int64_t ticks_per_ns;
    int64_t rank;       /* -1: none */
    int64_t world_size; /* of the run this is a rank of; -1: unknown */
    int64_t base_ns;    /* nanoseconds since 1970 of tick 0, if recorded; 0: unknown */
    struct az_sv path;
    struct az_events ev[AZ_KIND_COUNT];
    struct az_lanes lanes;
    struct az_map lane_of; /* hash of a lane's fields -> index */
    struct az_copies copies;
    struct az_geometries geometries; /* of kernels */
    struct az_samples samples;       /* of counters */
    struct az_ranges ranges;
    struct az_comm_notes comm_notes;
    struct az_devices devices;
    struct az_sums kernel_sums, mem_sums, mem_sizes; /* formats of sums only */
    struct az_projs proj;                            /* given by the file */
    bool classic;                        /* of a format whose users expect the classic block */
    bool has_kernels, has_nvtx, has_mem; /* its reports were present, even if empty */
    uint64_t read, kept;                 /* events (rows) read and stored */
    struct az_drops drops;
    /* Device work that is in no account, by where: az_trace_skipped_work. */
    struct az_drops skipped;
    struct az_trace_quality quality;
    unsigned in_order; /* bits 1 << az_kind: device events of these kinds follow each other on their
                          lane; kernels, unless the format sets another kind */
    bool relative;     /* tick 0 is where the recording begins: an event may start there */
    struct az_notes notes; /* what must be known of what was read: rows of `coverage` */
    struct az_facts facts; /* metadata of the file: product version, schema, host... */
    bool truncated;        /* the input ends in the middle; complete events were stored */
    bool sealed;
    struct az_vec_u8 lane_kinds; /* az_trace_lane_kinds, of a sealed trace */
    /* Of a sealed trace: kernels, copies, fills and graph rows merged by start (of equal starts in
     * that order of kinds), as runs of rows of one kind: their number << 2 | the kind. */
    struct az_vec_u32 runs;
    void *ext;                          /* what a family of formats adds (model/optrace.h) */
    const struct az_trace_ext *ext_ops; /* NULL without ext */
    struct az_trace_hook hook;          /* set before the trace is sealed */
    struct az_user_names user_names;    /* set before the trace is sealed */
    const struct az_window *window;     /* the same: what is kept (model/window.h); NULL: all */
    struct az_cut_log
        *cut_log;         /* the same: which records of its file that is; NULL: not requested */
    unsigned window_miss; /* enum az_window_miss, when it is sealed */
    bool windowed;        /* it holds a window of its recording */
    int64_t recorded;     /* ticks of the recording that `window` is a part of */
    struct az_spans recorded_window;  /* of a file that holds a window: host time, ticks, merged */
    struct az_vec_u64 window_process; /* parallel: whose calls it holds; empty: of all processes */
    struct az_spans window_work; /* of each instance of a window: from the first start to the last
                                    end of its device work, merged; else empty */
    struct az_other_works window_others; /* by start: makes the device busy, and is in no table */
    struct az_name_classes classes; /* of the names of kernels and fills; made when it is sealed */
    struct az_vec_u32 full_name; /* name id -> id of the whole name that decides its class, where a
                                    short one is shown; AZ_NO_ID, or beyond the end: the same */
};

int az_trace_init(struct az_trace *t, struct az_mem *mem) AZ_MUST_USE;
void az_trace_release(struct az_trace *t);
/* The class of a name that is shown is that of its whole name. AZ_ENOMEM, AZ_ELIMIT. */
int az_trace_full_name(struct az_trace *t, uint32_t shown, uint32_t whole) AZ_MUST_USE;
/* Chooses the optional columns of a kind; before its first event. */
void az_trace_columns(struct az_trace *t, enum az_kind k, unsigned cols);
/* Adds the column of nodes, if the kind has it not yet: 0 for the events so far. AZ_ENOMEM,
 * AZ_ELIMIT. */
int az_trace_add_node(struct az_trace *t, enum az_kind k) AZ_MUST_USE;
/* Appends an event; fields of columns the kind does not carry are ignored. One that starts or ends
 * beyond AZ_TIME_MAX is counted as dropped ("times out of range") and not added: 0. AZ_ENOMEM,
 * AZ_ELIMIT; AZ_EFORMAT if it ends before it starts (a format drops such events first, with a
 * reason); AZ_ERANGE beyond 2^32 - 2 rows. */
int az_trace_add(struct az_trace *t, enum az_kind k, const struct az_event *e) AZ_MUST_USE;
/* Makes room for `more` further events of a kind. AZ_ENOMEM, AZ_ELIMIT, AZ_ERANGE. */
int az_trace_reserve(struct az_trace *t, enum az_kind k, size_t more) AZ_MUST_USE;
/* Frees optional columns (AZ_COL_*) of a kind that are no longer needed. */
void az_trace_drop_columns(struct az_trace *t, enum az_kind k, unsigned cols);
/* Frees the events of one kind. */
void az_trace_clear(struct az_trace *t, enum az_kind k);
/* Id of a name; AZ_NO_ID without memory: the trace remembers that in names.error, and
 * az_trace_finalize fails (before it, adding events does, as soon as their columns grow). Who adds
 * names to a finalized trace, or indexes by them, checks names.error. */
static inline uint32_t az_trace_name(struct az_trace *t, struct az_sv text)
{
    return az_intern_id(&t->names, text);
}
/* Index of the equal lane, added if new. */
int az_trace_lane(struct az_trace *t, const struct az_lane *lane, uint32_t *index) AZ_MUST_USE;
/* Counts skipped events; the same kind and reason add up. ticks: their time. */
void az_trace_dropped(struct az_trace *t, enum az_drop_kind kind, const char *reason,
                      uint64_t count, int64_t ticks);
/* AZ_DROP_LOST of events of a kind. Those of a device are warned of when the input is read. */
void az_trace_lost(struct az_trace *t, enum az_kind k, const char *reason, uint64_t count,
                   int64_t ticks);
/* The input ends in the middle: `truncated`, and a lost row. */
void az_trace_truncated(struct az_trace *t, const char *reason);
/* The same of a device event whose times are impossible. */
void az_trace_impossible(struct az_trace *t, enum az_kind k, int64_t start, int64_t end);
/* Device work that was recorded but is in no account: a plane, a track, a section of the file (the
 * same adds up), its events and their time. */
void az_trace_skipped_work(struct az_trace *t, struct az_sv what, uint64_t events, int64_t ticks);
/* Adds a count of another trace; its reason is copied. */
void az_trace_drop_add(struct az_trace *t, const struct az_drop *d);
/* A remark about a number of events that were read. */
void az_trace_note(struct az_trace *t, const char *item, uint64_t count, const char *text);
void az_trace_fact(struct az_trace *t, const char *key, struct az_sv value);
static inline struct az_sv az_trace_text(const struct az_trace *t, uint32_t id)
{
    return az_intern_text(&t->names, id);
}
/* Sorts every kind by start (stable, so file order breaks ties), frees unused memory, classifies
 * the names of device events and sets `sealed`. After an error (AZ_ENOMEM, AZ_ELIMIT) the trace can
 * only be released. */
int az_trace_finalize(struct az_trace *t) AZ_MUST_USE;
/* Removes the marked rows (gone[row] != 0) from a sealed kind and inserts others, before rows of
 * equal start; before anything refers to row numbers. Errors as az_trace_finalize. */
int az_trace_replace(struct az_trace *t, enum az_kind k, const uint8_t *gone,
                     const struct az_event *add, size_t n) AZ_MUST_USE;
/* Capabilities of the trace, from its content: AZ_CAP_*. az_trace_finalize leaves it in t->caps. */
unsigned az_trace_facts(const struct az_trace *t);
/* Which kinds of device work a lane of a sealed trace has: bits 1 << AZ_KERNEL, AZ_MEMCPY,
 * AZ_MEMSET, AZ_GRAPH. */
static inline unsigned az_trace_lane_kinds(const struct az_trace *t, size_t lane)
{
    return lane < t->lane_kinds.n ? t->lane_kinds.v[lane] : 0;
}
/* Makes lane_kinds and runs. Called where events of a sealed trace were changed, and by
 * az_trace_finalize. */
int az_trace_index_work(struct az_trace *t) AZ_MUST_USE;
/* Class of a kernel's or fill's name in a sealed trace; `others` for AZ_NO_ID and names of other
 * events. */
static inline const struct az_kernel_class *az_trace_class(const struct az_trace *t, uint32_t name)
{
    return az_name_class(&t->classes, name);
}
static inline bool az_trace_is_comm(const struct az_trace *t, uint32_t name)
{
    return az_trace_class(t, name)->family == AZ_FAMILY_COMMUNICATION;
}
/* What a device event does, for every account of time. A copy is one whatever its name. */
enum az_work { AZ_WORK_COMPUTE, AZ_WORK_COMM, AZ_WORK_COPY };
static inline enum az_work az_trace_work(const struct az_trace *t, enum az_kind k, uint32_t name)
{
    const struct az_kernel_class *c = az_trace_class(t, name);
    if (k == AZ_MEMCPY || (k == AZ_KERNEL && c->copies))
        return AZ_WORK_COPY;
    return c->family == AZ_FAMILY_COMMUNICATION ? AZ_WORK_COMM : AZ_WORK_COMPUTE;
}
/* Called by az_trace_finalize. */
int az_trace_classify(struct az_trace *t) AZ_MUST_USE;
/* Any device work at all: kernels, copies, fills, graph rows, or sums with a row; for an operation
 * report also operations that ran on the host, which are what it is about. */
bool az_trace_has_activity(const struct az_trace *t);
/* Is there a call whose name contains this part, ignoring case? */
bool az_trace_has_call(const struct az_trace *t, struct az_sv part);

/* az_trace_finalize with kinds of events sorted and names classified in parallel. The trace does
 * not depend on the threads. */
int az_trace_finalize_on(struct az_trace *t, unsigned threads) AZ_MUST_USE;
int az_trace_classify_on(struct az_trace *t, unsigned threads) AZ_MUST_USE;

#endif
