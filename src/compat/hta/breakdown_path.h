/* The graph whose longest path is the critical path of a rank (docs/formulas-collectives.md 6.2).
 * Nodes are starts and ends of operators, calls and device work of one window. Private to
 * breakdown_path*.c and its test. */
#ifndef AZ_COMPAT_HTA_BREAKDOWN_PATH_H
#define AZ_COMPAT_HTA_BREAKDOWN_PATH_H

#include "compat/hta/breakdown.h"

enum az_hta_path_type {
    AZ_HTA_PATH_OPERATOR,     /* time within an operator, a call or device work */
    AZ_HTA_PATH_DEPENDENCY,   /* order on a host thread, no time */
    AZ_HTA_PATH_LAUNCH_DELAY, /* from the start of a call to the start of what it launched */
    AZ_HTA_PATH_KERNEL_DELAY, /* from the end of one to the start of the next on a stream */
    AZ_HTA_PATH_SYNC          /* waiting, no time */
};

struct az_hta_path_event {
    int64_t start, end;
    uint32_t name, lane, uid;
    uint32_t at; /* host node of the call tree, or index of az_hta.op */
    bool gpu;
    bool loads; /* loads data */
    bool waits; /* a call that waits for the device: its time is not its own */
};
struct az_hta_path_edge {
    uint32_t from, to; /* nodes: 2 x event, + 1 for its end */
    uint32_t event;    /* to which the time belongs */
    uint8_t type;
    int64_t weight;
};
AZ_VEC(struct az_hta_path_event, az_hta_path_events);
AZ_VEC(struct az_hta_path_edge, az_hta_path_edges);

struct az_hta_path_graph {
    struct az_hta *b;
    struct az_job *job;
    int64_t lo, hi; /* window: what starts in [lo, hi) on the host, and what that launched */
    /* Host events by thread in nesting order, then device work by start. */
    struct az_hta_path_events ev;
    uint32_t n_host;
    uint32_t *of_call; /* call row -> event + 1 */
    uint32_t *of_op;   /* index of az_hta.op -> event + 1 */
    uint32_t *after;   /* index of az_hta.op -> of the one that it waited for, as recorded for
                          nodes   of graphs; AZ_NO_ROW: unknown. NULL: of none */
    size_t exact;      /* of these, edges of the window */
    struct az_hta_path_edges edges;
    struct az_vec_u32 path; /* edges of the longest path, in its order */
    size_t inferred;        /* waits whose stream is not recorded */
};
void az_hta_path_init(struct az_hta_path_graph *g, struct az_job *job, struct az_hta *b, int64_t lo,
                      int64_t hi);
void az_hta_path_release(struct az_hta_path_graph *g);
/* Events and edges. */
int az_hta_path_build(struct az_hta_path_graph *g) AZ_MUST_USE;
/* An edge that goes back in time, or from a node to itself, is skipped. */
int az_hta_path_edge(struct az_hta_path_graph *g, uint32_t from, uint32_t to,
                     enum az_hta_path_type type, int64_t weight, uint32_t event) AZ_MUST_USE;
/* Fills `after`. */
int az_hta_path_nodes(struct az_hta_path_graph *g) AZ_MUST_USE;
/* Edges of waiting calls (breakdown_path_sync.c). */
int az_hta_path_syncs(struct az_hta_path_graph *g) AZ_MUST_USE;
/* Fills path. Of equal lengths, the edge that was added first, and the end that comes last. */
int az_hta_path_longest(struct az_hta_path_graph *g) AZ_MUST_USE;

static inline int64_t az_hta_path_time(const struct az_hta_path_graph *g, uint32_t node)
{
    return node & 1 ? g->ev.v[node / 2].end : g->ev.v[node / 2].start;
}

#endif
