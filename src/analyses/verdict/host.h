/* What the host did at a time: calls, operators and ranges of a thread by start. */
#ifndef AZ_ANALYSES_VERDICT_HOST_H
#define AZ_ANALYSES_VERDICT_HOST_H

#include "analyses/verdict/verdict.h"
#include "classify/rules.h"
#include "model/optrace.h"

/* Classes of calls by configs/trace_names.rules, group host_call. */
enum az_vd_call {
    AZ_VD_CALL_OTHER,
    AZ_VD_CALL_LAUNCH,
    AZ_VD_CALL_SYNC,
    AZ_VD_CALL_GRAPH,
    AZ_VD_CALL_PREPARE,
    AZ_VD_CALL_COPY,
    AZ_VD_CALL_FILL,
    AZ_VD_CALL_ALLOCATE,
    AZ_VD_CALL_LOAD,
    AZ_VD_CALLS
};

struct az_vd_rows {        /* rows of one kind by thread, by start within one */
    uint32_t *row, *first; /* row NULL: in order as they are; first: threads + 1 entries */
};
struct az_vd_host {
    struct az_vd *v;
    struct az_arena arena; /* of all below */
    const struct az_trace *t;
    const struct az_link *link;
    const struct az_calltree *tree; /* NULL: none */
    uint32_t *thread;               /* lane -> thread */
    size_t threads;
    struct az_vd_rows calls, ops, ranges;
    uint8_t *call_class;                      /* name id -> az_vd_call + 1; 0: not looked up */
    uint8_t *op_cause;                        /* name id -> az_vd_cause + 1 */
    struct az_rule_list call_rules, op_rules; /* read once, those of operators when asked for */
    bool op_rules_read;
    uint32_t *bare; /* graph launches without device events, rows by start */
    size_t n_bare, n_graphs;
};
/* To be released also when it fails. */
int az_vd_host_make(struct az_vd_host *h, struct az_vd *v) AZ_MUST_USE;
void az_vd_host_release(struct az_vd_host *h);

/* Class of a call's name; empty: none. */
struct az_sv az_vd_call_class(const struct az_vd_host *h, struct az_sv name);
enum az_vd_call az_vd_call_of(struct az_vd_host *h, uint32_t call);
/* Call of a device operation (az_op word); AZ_NO_ROW. */
static inline uint32_t az_vd_launch(const struct az_vd_host *h, uint32_t op)
{
    const uint32_t *of = h->link->call[az_op_kind(op)];
    return of ? of[az_op_row(op)] : AZ_NO_ROW;
}
static inline uint32_t az_vd_thread(const struct az_vd_host *h, uint32_t call)
{
    return h->thread[h->t->ev[AZ_CALL].lane[call]];
}
/* Call of a thread that is running at a time, the longest where calls are in calls; AZ_NO_ROW. */
uint32_t az_vd_running(const struct az_vd_host *h, uint32_t thread, int64_t at);
/* Call of a thread that takes most of [from, to]; *share: its part of it, ticks. */
uint32_t az_vd_busiest(const struct az_vd_host *h, uint32_t thread, int64_t from, int64_t to,
                       int64_t *share);
/* Name id of the operator, else the range, of a thread that covers most of [from, to] (the
 * innermost such); AZ_NO_ID. */
uint32_t az_vd_doing(const struct az_vd_host *h, uint32_t thread, int64_t from, int64_t to);
/* Name id of the operator or range that a call is in; AZ_NO_ID. */
uint32_t az_vd_op_of(const struct az_vd_host *h, uint32_t call);
/* What the name of an operator says of a gap; AZ_IDLE_UNKNOWN: nothing. */
enum az_vd_cause az_vd_op_cause(struct az_vd_host *h, uint32_t name);
/* A graph without recorded kernels was launched in [from, to). */
bool az_vd_bare(const struct az_vd_host *h, int64_t from, int64_t to);

#endif
