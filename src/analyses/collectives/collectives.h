/* Collectives across ranks: events of each rank -> groups -> collectives with the events of their
 * members -> figures. Private to this folder and its tests. Rules: docs/formulas-collectives.md.
 *   reduce.c, source.c        one rank's trace -> its part
 *   part_columns.c            the part's events, chains of work and kernels, packed
 *   devices.c                 devices of one trace -> ranks
 *   gather.c                  parts -> events of all ranks, groups
 *   align.c                   two sequences -> which elements are the same
 *   match.c, match_steps.c, sequence.c, merge.c
 *                             events of a group -> collectives, pairs of send and recv
 *   clock.c, clock_fit.c, clock_clusters.c
 *                             offsets, drifts and steps of the ranks' clocks
 *   measure.c                 metrics of a collective, exposed time
 *   blocks.c, straggler_attrib.c, verdict.c
 *                             who is waited for because of its own work, and how sure that is
 *   waiting.c, sibling_groups.c, absent.c, pipeline.c
 *                             sets of ranks that are late, slow groups, late ranks without a file,
 *                             stages of a pipeline
 *   path.c, path_local.c      the critical path over the ranks
 *   *_table.c                 tables
 * Times are nanoseconds. */
#ifndef AZ_ANALYSES_COLLECTIVES_COLLECTIVES_H
#define AZ_ANALYSES_COLLECTIVES_COLLECTIVES_H

#include "analyses/collectives/packed.h"
#include "analyses/ranks/ranks.h"
#include "base/interval.h"
#include "base/num.h"
#include "classify/collectives.h"
#include "stats/stats.h"

#define AZ_COLL_MOST_CELLS 8000000 /* of a table; columns of each rank are skipped above this */

/* ---- one rank's part ---- */
/* The description of a collective. Rows of a part are unique. */
struct az_coll_what {
    struct az_sv name; /* as written, or by the kernel's name; empty: unknown */
    struct az_sv dtype, in_split, out_split;
    /* As written, ranks packed (rank_list.h); of a compiled program all replica groups,
     * "[[0,2],[1,3]]", without a name. Empty: unknown. */
    struct az_sv group, ranks;
    int64_t in, out; /* elements; -1: not known */
    int64_t size;    /* of the group; -1: unknown */
    int64_t peer;    /* send, recv: the other rank; -1 */
    enum az_coll_kind kind;
    /* "kernel", "operation", "annotation", "kernel name", AZ_COLL_FROM_PAYLOAD. */
    const char *source;
};
#define AZ_COLL_FROM_PAYLOAD "payload" /* names the communicator, and not who is in it */

struct az_coll_event {
    int64_t start, end;  /* as in the file */
    int64_t launch;      /* start of the call; INT64_MIN: unknown */
    int64_t seq;         /* -1 unknown */
    uint32_t what, lane; /* rows of its part */
};
struct az_coll_lane_of { /* where collectives run */
    int64_t stream;      /* -1 unknown */
    uint32_t device;     /* place among the devices with collectives */
};

struct az_coll_step {
    int64_t start, end, number; /* number: -1 unknown */
};

/* Other kernels of a device, merged; only what is within its collectives. */
struct az_coll_busy_span {
    int64_t start, before; /* before: length of all before it, so the next one's has its own */
};
struct az_coll_busy {
    struct az_packed start;  /* n */
    struct az_packed before; /* n + 1 */
    size_t n;
};

/* The way back from a moment to the collective, or the begin of a step, that its chain of work
 * meets (path.h). */
struct az_coll_local {
    int64_t from;      /* when that ended, where it is no collective */
    uint32_t event;    /* which it is; AZ_NO_ROW: none */
    uint32_t first, n; /* of the part's shares: time of the chain by family */
};
struct az_coll_share {
    int64_t ns;
    uint8_t family;
};

/* Of a run of many ranks this is most of the memory: what there is one of for each event is packed
 * (part_columns.c). */
struct az_coll_part {
    size_t n; /* events, by start */
    struct az_packed start, length, lead, seq, event_what, event_lane;
    struct az_packed event_busy; /* first kernel of its device that ends after it begins */
    bool launches_lacking; /* then lead is 0 where the launch is unknown, and 1 more elsewhere */
    struct az_coll_what *what;
    size_t n_what;
    struct az_coll_lane_of *lane;
    size_t n_lanes;
    struct az_coll_busy *compute;     /* by device */
    int64_t busy;                     /* union of the collectives on each device, added up */
    int64_t overlap;                  /* of which other kernels ran on the same device */
    const struct az_coll_step *steps; /* the profiler's, by start */
    size_t n_steps;
    int64_t span;             /* first start to last end of device work */
    uint32_t n_devices;       /* with collectives */
    const int64_t *device_id; /* their numbers in the file; ascending */
    bool one_stream;          /* all collectives are on one stream */
    size_t n_local;           /* before each event, the end of each step, the end of all; 0: not
                                 known */
    /* Of those: the event that is met, or n + a place in local_from; where its shares begin. */
    struct az_packed local_event, local_first /* n_local + 1 */, local_from;
    size_t n_from, n_shares;
    struct az_packed share_ns, share_family;
    int64_t first, last; /* device work */
};

static inline int64_t az_coll_part_start(const struct az_coll_part *p, size_t i)
{
    return az_packed_at(&p->start, i);
}
static inline int64_t az_coll_part_length(const struct az_coll_part *p, size_t i)
{
    return az_packed_at(&p->length, i);
}
static inline int64_t az_coll_part_end(const struct az_coll_part *p, size_t i)
{
    return az_coll_part_start(p, i) + az_coll_part_length(p, i);
}
static inline int64_t az_coll_part_launch(const struct az_coll_part *p, size_t i)
{
    const uint64_t raw = az_packed_raw(&p->lead, i);
    return p->launches_lacking && raw == 0
               ? INT64_MIN
               : az_coll_part_start(p, i) - (int64_t)(p->lead.base + raw);
}
static inline uint32_t az_coll_part_what(const struct az_coll_part *p, size_t i)
{
    return (uint32_t)az_packed_at(&p->event_what, i);
}
static inline uint32_t az_coll_part_lane(const struct az_coll_part *p, size_t i)
{
    return (uint32_t)az_packed_at(&p->event_lane, i);
}
static inline uint32_t az_coll_part_device(const struct az_coll_part *p, size_t i)
{
    return p->lane[az_coll_part_lane(p, i)].device;
}
/* The i-th event. One of its members alone: as above, which reads one or two columns. */
static inline struct az_coll_event az_coll_part_event(const struct az_coll_part *p, size_t i)
{
    return (struct az_coll_event){ .start = az_coll_part_start(p, i),
                                   .end = az_coll_part_end(p, i),
                                   .launch = az_coll_part_launch(p, i),
                                   .seq = az_packed_at(&p->seq, i),
                                   .what = az_coll_part_what(p, i),
                                   .lane = az_coll_part_lane(p, i) };
}
static inline struct az_coll_local az_coll_part_local(const struct az_coll_part *p, size_t i)
{
    const uint64_t event = (uint64_t)az_packed_at(&p->local_event, i);
    const uint32_t first = (uint32_t)az_packed_at(&p->local_first, i);
    return (struct az_coll_local){ .event = event < p->n ? (uint32_t)event : AZ_NO_ROW,
                                   .from = event < p->n
                                               ? 0
                                               : az_packed_at(&p->local_from, (size_t)event - p->n),
                                   .first = first,
                                   .n = (uint32_t)az_packed_at(&p->local_first, i + 1) - first };
}
static inline struct az_coll_share az_coll_part_share(const struct az_coll_part *p, size_t i)
{
    return (struct az_coll_share){ .ns = az_packed_at(&p->share_ns, i),
                                   .family = (uint8_t)az_packed_at(&p->share_family, i) };
}
/* Fill the columns of a part, in `keep`. */
int az_coll_part_set_events(struct az_coll_part *p, const struct az_coll_event *ev, size_t n,
                            struct az_arena *keep, struct az_mem *mem) AZ_MUST_USE;
/* The shares of each local piece follow those of the one before it. Events are there. */
int az_coll_part_set_local(struct az_coll_part *p, const struct az_coll_local *v, size_t n,
                           const struct az_coll_share *share, size_t n_shares,
                           struct az_arena *keep, struct az_mem *mem) AZ_MUST_USE;
/* v: n + 1. */
int az_coll_busy_set(struct az_coll_busy *b, const struct az_coll_busy_span *v, size_t n,
                     struct az_arena *keep, struct az_mem *mem) AZ_MUST_USE;
/* Descriptions of the collectives of a trace (source.c). Scratch in job->arena. */
struct az_coll_reader;
int az_coll_source_open(struct az_coll_reader **s, struct az_job *job,
                        struct az_arena *keep) AZ_MUST_USE;
/* Of a kernel row: row of its description (of `what`), launch and seq of e. given: what a name
 * pattern has; empty. */
int az_coll_source_of(struct az_coll_reader *s, uint32_t row, struct az_sv given,
                      struct az_coll_event *e) AZ_MUST_USE;
/* The descriptions, in `keep`; ends the source. */
int az_coll_source_close(struct az_coll_reader *s, struct az_coll_part *part) AZ_MUST_USE;
/* Elements and type of an operator's tensors from its recorded dims and types (JSON texts); false
 * if they have none. */
bool az_coll_tensor_size(struct az_sv dims, struct az_sv types, int64_t *nelems,
                         struct az_sv *dtype);
extern const struct az_shape az_coll_part_shape;
int az_coll_reduce(struct az_job *job, struct az_arena *keep, void **part) AZ_MUST_USE;
/* Length of a device's other kernels within [from, to], which is within its collectives. */
int64_t az_coll_compute_in(const struct az_coll_busy *b, int64_t from, int64_t to);
/* The same within an event of the part, and from its start at the earliest. */
int64_t az_coll_part_compute(const struct az_coll_part *p, size_t event, int64_t from, int64_t to);

/* ---- all ranks ---- */
struct az_coll_group {
    struct az_sv name;      /* "all", "Unknown_Group" where unknown */
    struct az_sv ranks;     /* as written first */
    struct az_sv id;        /* in front of collective ids; empty: none */
    const int64_t *members; /* ascending; NULL: not known */
    size_t n_members;
    int64_t size;      /* as recorded; -1 */
    int64_t expected;  /* members, size, or all ranks of the run */
    int64_t present;   /* of these, ranks with a part */
    bool one_way_pair; /* two members, one of them only sends to the other */
    const char *span;  /* intra_node, inter_node, unknown */
    bool by_duration;  /* members on different hosts: waits by duration, not by clock */
};
AZ_VEC(struct az_coll_group, az_coll_groups);

enum {
    AZ_COLL_PARTIAL = 1,     /* not all members are there */
    AZ_COLL_INCOMPLETE = 2,  /* a member with a file has no event */
    AZ_COLL_ARGS_DIFFER = 4, /* members do not agree on type or size */
    AZ_COLL_PAIR = 8,        /* a send and its recv */
    AZ_COLL_SYNC = 16        /* implicitly synchronizing: enters stragglers and clocks */
};

struct az_coll_coll {
    uint32_t group, first, n; /* run of `member`: events by rank */
    uint32_t k;               /* ordinal in the group (pairs: of the send in its direction) */
    unsigned flags;
    enum az_coll_kind kind;
    int64_t expected;
    /* metrics (measure.c) */
    int64_t latency, skew_start, skew_end, wall, wait_sum,
        earliest;                    /* earliest: first start, aligned */
    int64_t clock_sum, duration_sum; /* of both kinds of waits (az_coll_wait_clock and _duration) */
    double usual;            /* median of the latter; of two the longer; synchronizing only */
    int64_t longest;         /* duration */
    uint32_t last, first_in; /* place among the members */
    int64_t delay;           /* of the last arriver after the one before it; 0 for one member */
    int64_t hidden, exposed_wait, exposed_transfer; /* sums over members */
    int64_t bytes;                                  /* full message; -1 not known */
    double gbps, bus_gbps;                          /* GB/s of 1e9; NaN */
};
AZ_VEC(struct az_coll_coll, az_coll_colls);

struct az_coll_clock {
    int64_t offset, iqr; /* ns: in the middle of its record; scatter about its course */
    int64_t furthest;    /* ns: greatest size of the offset */
    int64_t error;       /* ns: its times on the common clock are right to about this */
    double drift;        /* ns per ns; in the middle */
    uint32_t steps;
    uint32_t component; /* times are comparable among those with the same */
    size_t n;           /* collectives it rests on; 0: not known */
    bool applied;
    bool by_pairs;                     /* known by ends of send and recv */
    const struct az_coll_track *track; /* applied, and more than an offset; NULL */
};

/* Time of an event that other kernels of its rank ran at the same time as, that it waited for the
 * last to arrive, and the rest: all three add up to its duration. */
struct az_coll_exposed {
    int64_t hidden, wait, transfer;
};
struct az_coll_exposures { /* of several events */
    int64_t n, time;
    struct az_coll_exposed part;
};

struct az_coll_run {
    struct az_job *job; /* NULL once the tables are there; the rest lives as long as they do */
    const struct az_ranks *ranks;
    const struct az_coll_part *const *part; /* by rank index; NULL where none */
    /* As they were read: `ranks`, or the traces whose devices are the ranks. */
    const struct az_ranks *traces;
    const size_t *of; /* rank index -> of its trace; NULL: the same */
    struct az_arena *arena;
    size_t n;               /* events of all ranks */
    uint32_t *base;         /* rank index -> its first event; ranks + 1 */
    uint32_t *rank;         /* event -> rank index */
    struct az_packed group; /* event -> group */
    struct az_packed index; /* event -> place among those of its rank and group, launch order */
    uint32_t *coll;         /* event -> collective; AZ_NO_ROW: unmatched */
    struct az_coll_groups groups;
    struct az_coll_colls colls; /* by first start, then group and ordinal */
    struct az_vec_u32 member;
    struct az_coll_exposures *exposed; /* by rank index; after them by kind; of all */
    int64_t *wait;                     /* rank index x kind: in collectives of several members */
    int64_t *sync_wait;                /* by rank index: in those that synchronize */
    struct az_coll_clock *clock;       /* by rank index */
    int64_t *shift;                    /* by rank index: from its file's time to the common clock */
    int64_t *node;                     /* by rank index; -1 unknown */
    int64_t gpus_per_node;             /* 0 unknown */
    bool simplified;                   /* no group names, one stream: group `all` */
    bool mixed_bases;    /* the start of the clock is recorded for some ranks only: not used */
    bool uneven_devices; /* of the traces: ranks are not numbered as in compiled programs */
    bool nodes_by_host;
    uint64_t unmatched;
    unsigned compat; /* of the options: rows are made when the job is over */
    int64_t step;    /* median of the profiler's steps; 0: not known */
};
static inline uint32_t az_coll_group_of(const struct az_coll_run *c, uint32_t g)
{
    return (uint32_t)az_packed_raw(&c->group, g);
}
/* Of event g: its part, and its place in it. */
static inline const struct az_coll_part *az_coll_part_of(const struct az_coll_run *c, uint32_t g)
{
    return c->part[c->rank[g]];
}
static inline size_t az_coll_place(const struct az_coll_run *c, uint32_t g)
{
    return g - c->base[c->rank[g]];
}
/* Times as in its file. */
static inline int64_t az_coll_file_start(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_part_start(az_coll_part_of(c, g), az_coll_place(c, g));
}
static inline int64_t az_coll_file_end(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_part_end(az_coll_part_of(c, g), az_coll_place(c, g));
}
static inline int64_t az_coll_length(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_part_length(az_coll_part_of(c, g), az_coll_place(c, g));
}
static inline int64_t az_coll_launch(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_part_launch(az_coll_part_of(c, g), az_coll_place(c, g));
}
static inline const struct az_coll_what *az_coll_what(const struct az_coll_run *c, uint32_t g)
{
    const struct az_coll_part *p = az_coll_part_of(c, g);
    return &p->what[az_coll_part_what(p, az_coll_place(c, g))];
}
static inline const struct az_coll_lane_of *az_coll_lane_of(const struct az_coll_run *c, uint32_t g)
{
    const struct az_coll_part *p = az_coll_part_of(c, g);
    return &p->lane[az_coll_part_lane(p, az_coll_place(c, g))];
}
static inline int64_t az_coll_rank(const struct az_coll_run *c, uint32_t g)
{
    return c->ranks->v[c->rank[g]].rank;
}
static inline uint32_t az_coll_member(const struct az_coll_run *c, const struct az_coll_coll *x,
                                      uint32_t i)
{
    return c->member.v[x->first + i];
}
/* Start and end on the common clock: the rank's offset taken away where it is applied. */
int64_t az_coll_start(const struct az_coll_run *c, uint32_t g);
int64_t az_coll_end(const struct az_coll_run *c, uint32_t g);
/* Waits of an event inside its collective: until the last start (clock), and beyond the shortest
 * (clock-free). */
int64_t az_coll_wait_clock(const struct az_coll_run *c, const struct az_coll_coll *x, uint32_t g);
int64_t az_coll_wait_duration(const struct az_coll_run *c, const struct az_coll_coll *x,
                              uint32_t g);
static inline int64_t az_coll_wait(const struct az_coll_run *c, const struct az_coll_coll *x,
                                   uint32_t g)
{
    return c->groups.v[x->group].by_duration ? az_coll_wait_duration(c, x, g)
                                             : az_coll_wait_clock(c, x, g);
}

/* After az_colls_measure. */
struct az_coll_exposed az_coll_exposed(const struct az_coll_run *c, uint32_t g);

/* First: where a trace has several devices and does not have the members of its collectives, its
 * devices become the ranks (c->ranks, c->part, c->of), and a finding reports it. */
int az_coll_split_devices(struct az_coll_run *c) AZ_MUST_USE;
/* "rank 3", or where ranks are devices "device 1", "rank 3 (device 1 of trace 1)". In the arena. */
struct az_sv az_coll_rank_name(const struct az_coll_run *c, size_t r);
int az_coll_gather(struct az_coll_run *c) AZ_MUST_USE;
int az_coll_match(struct az_coll_run *c) AZ_MUST_USE;
int az_coll_align_clocks(struct az_coll_run *c) AZ_MUST_USE;
int az_colls_measure(struct az_coll_run *c) AZ_MUST_USE;
void az_coll_release(void *c); /* struct az_coll_run */

/* ---- align.c ---- */
struct az_coll_seq {
    const uint32_t *sig; /* equal numbers may be the same collective */
    const int64_t *t;    /* when each ended, on its own clock */
    size_t n;
};
/* b_to_a[j]: index in a of the same collective, AZ_NO_ROW: a has none. Fewest elements without a
 * partner; among such the one in which ends differ least from a constant offset (*offset: of b's
 * clock against a's). Time and memory are bounded: beyond that only equal beginnings and ends are
 * paired. */
int az_coll_align(const struct az_coll_seq *a, const struct az_coll_seq *b, uint32_t *b_to_a,
                  int64_t *offset, struct az_mem *mem) AZ_MUST_USE;

/* ---- tables ---- */
struct az_sv az_coll_id(const struct az_coll_run *c, const struct az_coll_coll *x,
                        struct az_arena *a);                     /* "0_13" */
struct az_sv az_coll_name(const struct az_coll_what *w);         /* its name or "unknown" */
double az_coll_mb(const struct az_coll_what *w, int64_t nelems); /* 2^20 bytes; NaN */
/* Mean of `count` messages, rounded to three digits, so that peer groups have equal ones. */
int64_t az_coll_message(double bytes, int64_t count);
/* Of the numbers that are known (not NaN); NaN where none is. v is used up. */
struct az_coll_spread {
    double mean, median, least, most, deviation; /* deviation: of the sample */
};
struct az_coll_spread az_coll_spread(double *v, size_t n);
static inline double az_coll_gib(double gbps) { return gbps / 1.073741824; }

/* What rows of these tables show: an event, a collective by its first member, events of a kind by
 * their first. */
struct az_coll_row {
    const struct az_coll_run *run;
    struct az_coll_event event; /* times as in the file; its start INT64_MIN: none */
    const struct az_coll_what *what;
    const struct az_coll_group *group;
    const struct az_coll_lane_of *lane;
    const struct az_coll_coll *coll; /* NULL: in none */
    const struct az_stats *sum;      /* durations of all, ns; NULL */
    uint32_t g, group_id;
    int64_t rank, index, node; /* index: -1: no event */
};
/* Of event g; coll may be NULL. */
struct az_coll_row az_coll_row(const struct az_coll_run *c, uint32_t g,
                               const struct az_coll_coll *coll);
/* Cells of such a row (document/record.h). */
struct az_sv az_coll_cell_id(const void *row, struct az_arena *texts); /* empty: in none */
struct az_sv az_coll_cell_name(const void *row, struct az_arena *texts);
double az_coll_cell_in_mb(const void *row);
double az_coll_cell_out_mb(const void *row);
double az_coll_cell_dur(const void *row);        /* us; NaN: no event */
int64_t az_coll_cell_last_rank(const void *row); /* that arrived last; -1: there was one only */
bool az_coll_lists_in_rows(const void *run);     /* the list of a group's ranks: see long_table.c */

/* Requested table names (collective_sheets). */
static inline bool az_coll_current_names(const struct az_coll_run *c)
{
    return !az_sv_is(c->job->opts->coll_sheets, "historic");
}
static inline bool az_coll_historic_names(const struct az_coll_run *c)
{
    return !az_coll_current_names(c) || az_sv_is(c->job->opts->coll_sheets, "both");
}
/* Do the statistics of summaries include the standard deviation (collective_metrics)? */
static inline bool az_coll_has_std(const struct az_coll_run *c)
{
    return az_sv_find(c->job->opts->collective_metrics, AZ_SV("std")) >= 0;
}
int az_coll_long_tables(struct az_coll_run *c) AZ_MUST_USE;
int az_coll_sync_tables(struct az_coll_run *c) AZ_MUST_USE;
int az_coll_a2av_tables(struct az_coll_run *c) AZ_MUST_USE;
/* Data by sender and receiver (flow_table.c). */
struct az_coll_flows;
int az_coll_flows_open(struct az_coll_flows **f, struct az_coll_run *c) AZ_MUST_USE;
/* The splits of one event of an all-to-all. *own: bytes that its rank keeps; -1 where the splits
 * are unknown. */
int az_coll_flows_add(struct az_coll_flows *f, uint32_t g, int64_t *own) AZ_MUST_USE;
int az_coll_flow_tables(struct az_coll_flows *f) AZ_MUST_USE;
void az_coll_flows_close(struct az_coll_flows *f); /* NULL is fine */
int az_coll_straggler_tables(struct az_coll_run *c) AZ_MUST_USE;
/* Index of the step of its rank in which the i-th event was launched; SIZE_MAX: in none. */
size_t az_coll_step_at(const struct az_coll_part *p, size_t i);

/* ---- verdicts (verdict.c) ---- */
#define AZ_COLL_STEP_SHARE 0.03 /* of a step that a straggler must cost at least */

/* Of a rank; ns a step. */
struct az_coll_verdict {
    double delay, error;          /* its own, against its peers; standard error */
    double flag_from, found_from; /* it is a straggler above this; one of this size in two thirds of
                                   * the steps is found in 95 % of runs */
    /* The same, as a mean over all steps, of one in seldom_steps of them; NaN. */
    double found_seldom;
    size_t seldom_steps;
    size_t steps; /* that were tested */
    double step;
    size_t blocks; /* that it rests on */
    bool judged, straggler;
};
/* blame: what they rest on, in `a`. */
struct az_coll_blame;
int az_coll_verdicts(struct az_coll_run *c, struct az_coll_verdict *out, struct az_arena *a,
                     struct az_coll_blame *blame) AZ_MUST_USE;
/* x with P(T > x) = p for Student's t. */
double az_coll_t_above(double p, double dof);
int az_coll_exposure_tables(struct az_coll_run *c) AZ_MUST_USE;
int az_coll_unmatched_table(struct az_coll_run *c) AZ_MUST_USE;
/* Far enough off to be reported: as docs/formulas-collectives.md 3.1 requires for a shift. */
bool az_coll_clock_off(const struct az_coll_clock *k);
int az_coll_clock_table(struct az_coll_run *c) AZ_MUST_USE;
/* P(X >= k) of a binomial distribution. */
double az_coll_binomial_tail(int64_t n, double p, int64_t k);

#endif
