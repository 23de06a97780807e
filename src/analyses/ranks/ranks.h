/* Analyses over the ranks of one run: reduce, then finish.
 *
 * Each rank's trace is reduced to a part as soon as it is finalized (on any thread, ranks in
 * parallel) and is then freed; when all ranks are in, the parts of all are finished into tables, on
 * one thread, in rank order. So memory grows with the size of the parts, not with the number of
 * events, and a part can also come from another machine. */
#ifndef AZ_ANALYSES_RANKS_RANKS_H
#define AZ_ANALYSES_RANKS_RANKS_H

#include "analyses/analysis.h"
#include "base/struct_layout.h"

/* A rank that is there. Texts live as long as the document. */
struct az_rank {
    int64_t rank;
    struct az_sv path;
    struct az_sv host;    /* from its file; empty: unknown */
    struct az_sv device;  /* name of its first device; empty: unknown */
    int64_t devices;      /* devices that its file describes; 0: unknown */
    int64_t world_size;   /* from its file; -1: unknown */
    int64_t base_ns;      /* nanoseconds since 1970 of its time 0; 0: unknown */
    int64_t ticks_per_ns; /* of its trace */
    uint64_t read, kept;  /* events */
    /* Metadata of its file, its devices among them ("device 0"). */
    const struct az_fact *facts;
    size_t n_facts, warnings; /* messages about it */
};

/* A file of the run that is not among the ranks. */
struct az_rank_failure {
    int64_t rank; /* by its name; -1: unknown */
    struct az_sv path, why;
};

struct az_ranks {
    const struct az_rank *v; /* ascending, each rank once */
    size_t n;
    int64_t world_size;     /* of the run: present and missing ranks; at least n */
    const int64_t *missing; /* ascending */
    size_t n_missing;
    /* In order of rank and path; their ranks are missing too. */
    const struct az_rank_failure *failed;
    size_t n_failed;
    /* Files that are no rank of their own, with their rank if it is known. */
    const struct az_rank_failure *left;
    size_t n_left;
};
/* Index in v of a rank number, -1 if it is not there. */
ptrdiff_t az_ranks_find(const struct az_ranks *r, int64_t rank);

/* For `reduce`: a text kept for the part. Equal texts of all ranks that a worker reduces are one
 * copy, so names cost little however many ranks there are. {NULL,0} on failure. */
struct az_sv az_rank_text(struct az_job *job, struct az_arena *keep, struct az_sv text);
/* "0-3, 5": ascending numbers as text, cut after about 200 bytes. In the arena. */
struct az_sv az_rank_list(struct az_arena *a, const int64_t *v, size_t n);
/* For `finish`: fills the column `offset` of the table `ranks` for index i of the set: ns to add to
 * that rank's times. Nothing if there is no such table. */
void az_rank_set_offset(struct az_job *job, const struct az_ranks *r, size_t i, int64_t ns);
/* Shapes of what several parts hold. */
extern const struct az_shape az_rank_shape_drop, az_rank_shape_fact;

struct az_rank_analysis {
    const char *name;
    const char *help;
    bool of_devices;     /* also of one trace alone that has several devices: they are its ranks */
    bool keeps_parts;    /* parts are read after finish, too: rows are made of them */
    unsigned needs, any; /* AZ_CAP_*, of the rank's trace; a rank that lacks them has no part */
    /* job: one trace; job->arena is freed after the call, job->diag is the rank's own, nothing
     * may be emitted. *part: made in `keep` (charged to the input's budget), texts copied: nothing
     * may point into the trace. */
    int (*reduce)(struct az_job *job, struct az_arena *keep, void **part) AZ_MUST_USE;
    /* What a part is, so that it can be kept in a file and finished elsewhere (read/part_file.h).
     * What reduce leaves is described wholly: nothing else of it is there when a part comes from a
     * file.
     */
    const struct az_shape *shape;
    /* parts: one per rank of `ranks`, NULL where there is none; at least one is there. Emits
     * tables; job has no trace. az_cover and az_finding go here. ranks and texts live as long as
     * the document, parts if keeps_parts is set; else those of part files are freed when this
     * returns. */
    int (*finish)(struct az_job *job, const struct az_ranks *ranks, void *const *parts) AZ_MUST_USE;
};

/* Their error, or that of a request of an arena that failed anywhere in them. */
int az_rank_analysis_reduce(const struct az_rank_analysis *an, struct az_job *job,
                            struct az_arena *keep, void **part) AZ_MUST_USE;
int az_rank_analysis_finish(const struct az_rank_analysis *an, struct az_job *job,
                            const struct az_ranks *ranks, void *const *parts) AZ_MUST_USE;

#endif
