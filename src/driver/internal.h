/* Private parts of the driver room. */
#ifndef AZ_DRIVER_INTERNAL_H
#define AZ_DRIVER_INTERNAL_H

#include "analyses/ranks.h"
#include "driver/run.h"

/* ---- one.c ---- */
/* An input on its way to its document. */
struct az_one {
    const struct az_plan_job *job;
    struct az_result *res;
    struct az_diag *diag;
    unsigned threads;
    _Atomic uint64_t *progress;
    unsigned caps;             /* of all traces */
    int hook_failed;           /* the user's hook into a trace; the trace is as it was read */
    struct az_rank_run *ranks; /* of the input */
};
/* Gives an error its message, unless whoever failed has said it (more errors than `errors_before`); the error. */
int az_one_explain(const struct az_one *o, int rc, size_t errors_before, const char *what);
/* Parses files into an initialised trace and seals it. */
int az_one_read(struct az_one *o, struct az_trace *t, const struct az_file *files, size_t n) AZ_MUST_USE;

/* ---- ranks.c ---- */
/* Analyses over the ranks of one input (analyses/ranks.h). */
struct az_rank_run {
    struct az_one *one;
    struct az_ranks set;
    void ***parts; /* by analysis of az_rank_analyses, by rank of the set; NULL: no part */
    size_t n_analyses;
    bool active; /* some rank has accelerator activity */
};
void az_ranks_init(struct az_rank_run *r, struct az_one *one); /* also one->ranks */
/* Reads each file of the input as a rank, reduces it and gives it back. What is wrong with one rank is in the diag and
 * returned; the others are there. */
int az_ranks_reduce(struct az_rank_run *r) AZ_MUST_USE;
/* The same for traces that are kept (res->traces). */
int az_ranks_of_traces(struct az_rank_run *r) AZ_MUST_USE;
/* Tables of all parts, into job->doc. */
int az_ranks_finish(struct az_rank_run *r, struct az_job *job) AZ_MUST_USE;

/* ---- outputs.c ---- */
/* A title as part of a file name: separators, control bytes and what shells or file systems refuse become `_`; not
 * empty, no leading dot, at most 100 bytes. In the arena. */
struct az_sv az_name_safe(struct az_arena *a, struct az_sv title);
/* Base name of an input's reports: its format's stem of the first file, "stdin" for standard input. */
struct az_sv az_report_base(const struct az_plan_job *job);
/* Writers and output paths of all jobs; AZ_ECONFIG for collisions. */
int az_outputs_plan(struct az_plan *p, const struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
/* Refuses a directory of tables in which a table's file would replace one of the run's inputs. AZ_ECONFIG. */
int az_outputs_guard(const struct az_plan *p, const struct az_target *t, const struct az_document *doc,
                     struct az_diag *diag) AZ_MUST_USE;

/* ---- replay.c ---- */
/* Writes the replay folder of a reported input, `<stem of its first output>_node_replay`, from the tables `gemm` and
 * `conv`, or, where there is neither, from `unified_perf_summary`; the kept rows are appended to `text`. Errors as
 * az_replay_emit. */
int az_outputs_replay(const struct az_plan_job *job, const struct az_document *doc, bool force,
                      struct az_vec_char *text, struct az_diag *diag) AZ_MUST_USE;

/* ---- inputs.c ---- */
/* Format, size, cost of one job; piped inputs of unknown format are copied to the plan's spool. The job's own trouble
 * is in job->error and job->diag; AZ_EINTR, AZ_ENOMEM are returned. */
int az_inputs_resolve(struct az_plan *p, struct az_plan_job *job) AZ_MUST_USE;
/* Standard input, a pipe, a device: has no name to write beside and can be read once. */
bool az_path_is_stream(struct az_sv path);

/* ---- facts.c ---- */
struct az_table *az_facts_table(const struct az_plan_job *job, const struct az_result *res);

/* ---- signals.c ---- */
/* Ends the process with 130 from an ordinary thread: a worker hangs in a read that no flag can end. */
_Noreturn void az_signals_quit(void);

/* ---- progress.c ---- */
struct az_progress_item {
    struct az_sv title;
    uint64_t bytes;         /* on disk; 0: unknown */
    _Atomic uint64_t *read; /* so far */
    int64_t started_ns;     /* monotonic */
};
struct az_progress {
    bool on, drawn;
    size_t done, total;
    int64_t last_ns;
};
void az_progress_init(struct az_progress *p, enum az_when when, size_t total);
/* Draws one line of the running items, at most 6 times a second. */
void az_progress_draw(struct az_progress *p, const struct az_progress_item *running, size_t n);
void az_progress_clear(void *p); /* struct az_progress; the `before` of a log */
int64_t az_now_ns(void);         /* monotonic */

#endif
