/* Analyses over the ranks of one run: reduce, then finish.
 *
 * Each rank's trace is reduced to a part as soon as it is sealed (on any thread, ranks side by side) and is then given
 * back; when all ranks are in, the parts of all are finished into tables, on one thread, in rank order. So memory grows
 * with what is kept of a rank and not with its events, and a part could as well come from another machine. */
#ifndef AZ_ANALYSES_RANKS_H
#define AZ_ANALYSES_RANKS_H

#include "analyses/analysis.h"

/* A rank that is there. Texts live as long as the document. */
struct az_rank {
    int64_t rank;
    struct az_sv path;
    struct az_sv host;    /* as its file says; empty: unknown */
    struct az_sv device;  /* name of its first device; empty: unknown */
    int64_t devices;      /* devices that its file describes; 0: unknown */
    int64_t world_size;   /* as its file says; -1: unknown */
    int64_t base_ns;      /* nanoseconds since 1970 of its time 0; 0: unknown */
    int64_t ticks_per_ns; /* of its trace */
    uint64_t read, kept;  /* events */
};

struct az_ranks {
    const struct az_rank *v; /* ascending, each rank once */
    size_t n;
    int64_t world_size;     /* of the run: present and missing ranks; at least n */
    const int64_t *missing; /* ascending */
    size_t n_missing;
};
/* Index in v of a rank number, -1 if it is not there. */
ptrdiff_t az_ranks_find(const struct az_ranks *r, int64_t rank);
/* A rank's tick on the clock of the run: ns since 1970 where the file has a base, else its own ns. */
static inline int64_t az_rank_ns(const struct az_rank *r, int64_t tick) { return r->base_ns + tick / r->ticks_per_ns; }

struct az_rank_analysis {
    const char *name;
    const char *help;
    unsigned needs, any; /* AZ_CAP_*, of the rank's trace; a rank that lacks them has no part */
    /* job: one trace; job->arena is given back after the call, job->diag is the rank's own, nothing may be emitted.
     * *part: made in `keep` (charged to the input's budget), texts copied: nothing may point into the trace. */
    int (*reduce)(struct az_job *job, struct az_arena *keep, void **part) AZ_MUST_USE;
    /* parts: one per rank of `ranks`, NULL where there is none; at least one is there. Emits tables; job has no trace.
     * az_cover and az_finding go here. */
    int (*finish)(struct az_job *job, const struct az_ranks *ranks, void *const *parts) AZ_MUST_USE;
};

#endif
