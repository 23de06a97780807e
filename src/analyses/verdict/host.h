/* Host activity at a time: calls, operators, ranges and frames of a thread by start, each with its
 * parent; classes of their names (configs/trace_names.rules). */
#ifndef AZ_ANALYSES_VERDICT_HOST_H
#define AZ_ANALYSES_VERDICT_HOST_H

#include "analyses/verdict/verdict.h"
#include "classify/rules.h"
#include "model/optrace.h"

/* Classes of calls, group host_call. */
enum az_verdict_call {
    AZ_VERDICT_CALL_OTHER,
    AZ_VERDICT_CALL_LAUNCH,
    AZ_VERDICT_CALL_GRAPH,
    AZ_VERDICT_CALL_ASYNC_COPY,
    AZ_VERDICT_CALL_FILL,
    AZ_VERDICT_CALL_COPY,
    AZ_VERDICT_CALL_SYNC,
    AZ_VERDICT_CALL_ALLOCATE,
    AZ_VERDICT_CALL_LOAD,
    AZ_VERDICT_CALL_PREPARE, /* a graph */
    AZ_VERDICT_CALL_PROFILER,
    AZ_VERDICT_CALLS
};

/* Events by thread, by start within one. A place is an index into that order. */
struct az_verdict_nest {
    const struct az_events *e;
    uint32_t *row;    /* NULL: in order as they are */
    uint32_t *first;  /* threads + 1 entries */
    uint32_t *up;     /* place -> place of the event that contains it; AZ_NO_ROW */
    uint32_t *last;   /* thread -> what az_verdict_find_place returned last, */
    int64_t *last_at; /* and for which time; at first INT64_MIN */
};
struct az_verdict_host {
    struct az_verdict *v;
    struct az_arena arena; /* of all below */
    const struct az_trace *t;
    const struct az_link *link;
    const struct az_calltree *tree; /* NULL: none */
    uint32_t *thread;               /* lane -> thread */
    uint32_t *main;                 /* thread -> main thread of its process; AZ_NO_ROW */
    size_t threads;
    struct az_verdict_nest calls, ops, ranges,
        frames,                         /* ops.row stays empty where there is a tree */
        system;                         /* calls of the operating system */
    uint32_t *first_of;                 /* name id -> row of its first call + 1; 0: not looked up */
    uint8_t *call_class;                /* call -> az_verdict_call */
    uint8_t *op_cause;                  /* name id -> az_cause + 1 */
    uint8_t *range_class, *frame_class; /* name id -> what it is + 1 */
    uint32_t *given; /* name id of a range -> the first of its given name + 1; 0 */
    struct az_rule_list call_rules, op_rules, frame_rules;
    /* Call -> it launches a kernel that its process launched before; NULL: unknown. */
    uint8_t *loaded;
    uint32_t *bare;                       /* graph launches without device events, rows by start */
    size_t n_bare, n_graphs, graph_calls; /* graph_calls: with those inside others */
    int64_t slow;                         /* ticks: a longer call does more than to launch */
    struct az_spans profiler, loads;      /* merged: overhead of the profiler, of loading code */
};
/* To be released also when it fails. */
int az_verdict_host_make(struct az_verdict_host *h, struct az_verdict *v) AZ_MUST_USE;
void az_verdict_host_release(struct az_verdict_host *h);

/* For az_verdict_host_make. First: the class of each call, and from when on a launch is slow. */
int az_verdict_read_calls(struct az_verdict_host *h) AZ_MUST_USE;
/* When events are in order by thread: loaded code, overhead, graphs without kernels. */
int az_verdict_finish_calls(struct az_verdict_host *h) AZ_MUST_USE;
static inline enum az_verdict_call az_verdict_call_of(const struct az_verdict_host *h,
                                                      uint32_t call)
{
    return (enum az_verdict_call)h->call_class[call];
}
/* The call is another thing than launching: by its class, or it takes much longer than that. */
static inline bool az_verdict_is_slow(const struct az_verdict_host *h, uint32_t call)
{
    return h->t->ev[AZ_CALL].end[call] - h->t->ev[AZ_CALL].start[call] > h->slow;
}
static inline bool az_verdict_launches(enum az_verdict_call c)
{
    return c >= AZ_VERDICT_CALL_LAUNCH && c <= AZ_VERDICT_CALL_COPY;
}
/* Call of a device operation (az_op word); AZ_NO_ROW. */
static inline uint32_t az_verdict_launch(const struct az_verdict_host *h, uint32_t op)
{
    const uint32_t *of = h->link->call[az_op_kind(op)];
    return of ? of[az_op_row(op)] : AZ_NO_ROW;
}
static inline uint32_t az_verdict_thread(const struct az_verdict_host *h, uint32_t call)
{
    return h->thread[h->t->ev[AZ_CALL].lane[call]];
}
static inline uint32_t az_verdict_row(const struct az_verdict_nest *n, size_t place)
{
    return n->row ? n->row[place] : (uint32_t)place;
}
static inline size_t az_verdict_nest_size(const struct az_verdict_nest *n, size_t threads)
{
    return n->first[threads];
}
/* One past the last place of a thread that starts at `at` or before. */
size_t az_verdict_find_place(const struct az_verdict_nest *n, uint32_t thread, int64_t at);
static inline size_t az_verdict_place_at(const struct az_verdict_nest *n, uint32_t thread,
                                         int64_t at)
{
    const uint32_t last = n->last[thread]; /* often nothing has started since */
    if (n->last_at[thread] == at ||
        (n->last_at[thread] < at &&
         (last == n->first[thread + 1] || n->e->start[az_verdict_row(n, last)] > at)))
        return last;
    return az_verdict_find_place(n, thread, at);
}
/* The place of the outermost event of a thread that runs at `from`, else that of the first one
 * after it. */
static inline size_t az_verdict_first_place(const struct az_verdict_nest *n, uint32_t thread,
                                            int64_t from)
{
    const size_t place = az_verdict_place_at(n, thread, from);
    size_t first = place;
    if (place == n->first[thread])
        return place;
    for (uint32_t p = (uint32_t)place - 1; p != AZ_NO_ROW; p = n->up[p])
        if (n->e->end[az_verdict_row(n, p)] >= from)
            first = p;
    return first;
}
/* Does an event cover at least half of [from, to]? */
static inline bool az_verdict_covers(int64_t start, int64_t end, int64_t from, int64_t to)
{
    const int64_t lo = start > from ? start : from, hi = end < to ? end : to;
    return hi - lo >= to - from - (hi - lo);
}

/* What a thread was in for at least half of an interval, innermost: rows, AZ_NO_ROW for none. */
struct az_verdict_doing {
    uint32_t range; /* row of AZ_RANGE that is no step mark */
    uint32_t frame; /* place of h->frames: of a file of its own, if there is such a one */
    bool own_frame; /* it is of such a file */
    uint32_t op;    /* row of AZ_HOST_OP */
    /* The innermost of any name: places of h->ranges, h->frames and h->ops. */
    uint32_t range_at, frame_at, op_at;
};
void az_verdict_find_doing(struct az_verdict_host *h, uint32_t thread, int64_t from, int64_t to,
                           struct az_verdict_doing *out);
/* The cause of a name; AZ_CAUSE_NONE. Classifies a name that has been met for the first time.
 */
enum az_cause az_verdict_name_cause(struct az_verdict_host *h, uint32_t name);
static inline enum az_cause az_verdict_cause_of_name(struct az_verdict_host *h, uint32_t name)
{
    return name == AZ_NO_ID    ? AZ_CAUSE_NONE
           : h->op_cause[name] ? (enum az_cause)(h->op_cause[name] - 1)
                               : az_verdict_name_cause(h, name);
}
/* The cause that a range, operator or frame over at least half of [from, to] is named after, the
 * innermost such of what the thread did there; AZ_CAUSE_NONE. */
enum az_cause az_verdict_named_cause(struct az_verdict_host *h,
                                     const struct az_verdict_doing *doing, int64_t from,
                                     int64_t to);
/* The call of the operating system that a thread was in for at least half of [from, to], as several
 * of one name may be: its name id; AZ_NO_ID. */
uint32_t az_verdict_system_call(const struct az_verdict_host *h, uint32_t thread, int64_t from,
                                int64_t to);
/* A graph without recorded kernels was launched in [from, to). */
bool az_verdict_bare(const struct az_verdict_host *h, int64_t from, int64_t to);
/* Part of [from, to] that is in a merged list, ticks; of an empty list 0. */
int64_t az_verdict_sum_in(const struct az_spans *s, int64_t from, int64_t to);
static inline int64_t az_verdict_part_in(const struct az_spans *s, int64_t from, int64_t to)
{
    return s->n ? az_verdict_sum_in(s, from, to) : 0;
}

#endif
