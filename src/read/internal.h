/* Private parts of reading: an input on its way to its document. */
#ifndef AZ_READ_INTERNAL_H
#define AZ_READ_INTERNAL_H

#include "analyses/ranks/ranks.h"
#include "io/digest.h"
#include "read/result.h"
#include "tables/views.h"

/* ---- analyze_input.c ---- */
/* Threads that jobs may have: each running job uses one, and a job of ranks starts more while some
 * are free. Below 0 where a job has begun meanwhile: whoever is started goes after the rank at
 * hand. */
struct az_seats {
    _Atomic int free;
    unsigned all;
};

/* An input on its way to its document. */
struct az_input_run {
    const struct az_plan_job *job;
    struct az_result *res;
    struct az_diag *diag;
    unsigned threads;
    _Atomic uint64_t *progress;
    struct az_sv at;   /* file that messages name; empty: the first of the input */
    unsigned caps;     /* of all traces */
    bool devices_only; /* one trace: only analyses that treat its devices as ranks */
    int hook_failed;   /* the user's hook into a trace; the trace is as it was read */
    /* Of the one file being read, where res->digests are not for it; NULL: none. */
    struct az_digest *digest;
    struct az_rank_run *ranks; /* of the input */
    uint64_t part_key;         /* of its options, where parts are read */
    bool has_part_key;
    const uint64_t *layouts; /* of parts, by analysis; NULL: where none are read */
    struct az_map_run *map;  /* ranks are read for their part files (read/part_file.h); NULL */
    struct az_seats *seats;
};
/* Reports an error, unless whoever failed has reported it (more errors than `errors_before`);
 * the error. */
int az_input_report_error(const struct az_input_run *o, int rc, size_t errors_before,
                          const char *what);
/* Which tables of the input are shown. */
struct az_view_choice az_input_views(const struct az_input_run *o);
/* Marks that a drawing of the input may have; 0: none of its reports draws. */
size_t az_input_draw(const struct az_plan_job *job);
/* Events, and cells of a report, from which on threads are worth their start. */
#if defined(__SANITIZE_THREAD__) && !defined(AZ_LEAST_EVENTS)
#define AZ_LEAST_EVENTS 1 /* what may run side by side does, so that races are seen */
#elif !defined(AZ_LEAST_EVENTS)
#define AZ_LEAST_EVENTS ((size_t)1 << 15)
#endif
size_t az_input_events(const struct az_trace *t); /* of all kinds */
/* Is a trace worth the start of threads, and are there some? */
bool az_input_is_large(const struct az_input_run *o, const struct az_trace *t);
/* May the digest of a file be computed by reading it once more? */
bool az_input_can_digest(struct az_sv path);
/* Parses files into an initialized trace and seals it. */
int az_input_read(struct az_input_run *o, struct az_trace *t, const struct az_file *files,
                  size_t n) AZ_MUST_USE;
/* ---- make_tables.c ---- */
/* Tables of all analyses into the document, on the threads of the input where it is large: what
 * comes out is the same. AZ_ENOMEM, AZ_ELIMIT and AZ_EINTR end it; else the last failure. */
int az_input_analyse(struct az_input_run *o, struct az_job *job) AZ_MUST_USE;
/* az_analyze_input with seats that are shared with other jobs. */
int az_analyze_input_of(const struct az_plan_job *job, const struct az_run_opts *opts,
                        unsigned threads, struct az_seats *seats, struct az_result *res,
                        struct az_diag *diag, _Atomic uint64_t *progress) AZ_MUST_USE;

/* ---- search.c ---- */
/* Written by a run of this program: a result, by its content, the verdict of gates, the record of a
 * replay folder. Such a file may have the name of a rank in it, and is no trace. */
bool az_is_own_output(struct az_sv path);

/* ---- rank_read.c: each rank by itself ---- */
enum az_rank_state { AZ_RANK_UNREAD, AZ_RANK_THERE, AZ_RANK_FAILED, AZ_RANK_LEFT };
/* One file on its way. */
struct az_input_rank {
    struct az_rank about;
    int64_t by_name; /* -1: none */
    enum az_rank_state state;
    int error;
    struct az_sv why; /* it is skipped */
    void **part;      /* by analysis; NULL: it is not there */
    unsigned caps;
    bool active;
    struct az_message *messages; /* messages about it, to be reported in rank order */
    size_t n_messages, errors, warnings, dropped;
    int hook_failed;
    bool has_digest;
    char hex[AZ_DIGEST_HEX];
    uint64_t size;
};
/* All parts of one sealed trace. keep: of the calling thread; texts may be NULL. */
int az_rank_reduce(struct az_input_run *o, const struct az_trace *t, struct az_sv path,
                   struct az_arena *keep, struct az_intern *texts,
                   struct az_input_rank *x) AZ_MUST_USE;
/* Reads and reduces all files of the input, on as many threads as there are seats. What is wrong
 * with one is in it; an error ends them all (AZ_EINTR, AZ_ENOMEM, AZ_ELIMIT). */
int az_ranks_read(struct az_input_run *o, struct az_input_rank *ranks) AZ_MUST_USE;

/* ---- ranks.c: together ---- */
/* Analyses over the ranks of one input (analyses/ranks/ranks.h). */
struct az_rank_run {
    struct az_input_run *one;
    struct az_ranks set;
    void ***parts; /* by analysis of az_rank_analyses, by rank of the set; NULL: no part */
    size_t n_analyses;
    /* In the order of the input's files; NULL: traces that are retained. */
    const struct az_input_rank *files;
    size_t *file;    /* by rank of the set: its place among files */
    bool read_again; /* parts that are retained, of part files */
    bool active;     /* some rank has accelerator activity */
};
void az_ranks_init(struct az_rank_run *r, struct az_input_run *one); /* also one->ranks */
/* Reads each file of the input as a rank, reduces it and frees it. What is wrong with one rank
 * is in the diag and returned; the others are there. */
int az_ranks_reduce(struct az_rank_run *r) AZ_MUST_USE;
/* Ranks of the files by their names. */
int az_ranks_names(struct az_input_run *o, struct az_input_rank *ranks) AZ_MUST_USE;
/* The same for traces that are retained (res->traces). */
int az_ranks_of_traces(struct az_rank_run *r) AZ_MUST_USE;
/* Tables of all parts, into job->doc. */
int az_ranks_finish(struct az_rank_run *r, struct az_job *job) AZ_MUST_USE;

/* ---- group_ranks.c ---- */
struct az_rank_name;
/* The path without its rank, and after that without what packs it and long numbers (times); the
 * empty view if its name has no rank. In the arena. */
struct az_sv az_group_without_rank(struct az_arena *a, const struct az_rank_name *name,
                                   struct az_sv path);
/* The path with the host in its base name (host0, h1, node-2, rank_3, host_b) as `#`; the empty
 * view if it has none.
 */
struct az_sv az_group_without_host(struct az_arena *a, struct az_sv path);
/* Title of such files: what their names have without the host, "ops_host0.csv" -> "ops",
 * else the folder's name; empty: it has none. */
struct az_sv az_group_hosts_title(struct az_arena *a, struct az_sv path);
/* Ranks of one run that became inputs of their own: how they are reported together. */
int az_group_hint(struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
/* A hint for files of a folder without a rank in their names that differ in one number only. */
int az_group_pattern_hint(struct az_config *c, const struct az_rank_name *name,
                          struct az_diag *diag) AZ_MUST_USE;

/* ---- facts.c ---- */
/* ranks: of an input whose traces are freed; else its `files` is NULL. */
struct az_table *az_facts_table(const struct az_plan_job *job, const struct az_result *res,
                                const struct az_rank_run *ranks);

/* ---- group.c ---- */
/* Do the files of this folder belong to the traces next to it (az_format.companions)? */
bool az_folder_belongs(struct az_sv path);

#endif
