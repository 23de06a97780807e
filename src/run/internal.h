/* Private parts of a run. */
#ifndef AZ_RUN_INTERNAL_H
#define AZ_RUN_INTERNAL_H

#include "read/internal.h"
#include "run/run.h"

/* ---- outputs.c ---- */
/* A title as part of a file name: separators, control bytes and what shells or file systems reject
 * become `_`; not empty, no leading dot, at most 100 bytes. In the arena. */
struct az_sv az_name_safe(struct az_arena *a, struct az_sv title);
/* Writers and output paths of all jobs; AZ_ECONFIG for collisions. */
int az_outputs_plan(struct az_plan *p, const struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
/* Where the input is in the configuration; nowhere for a path of the command line. */
static inline struct az_where az_input_place(const struct az_input *in)
{
    return in->where.file.n ? in->where : AZ_NOWHERE;
}

/* ---- output_collisions.c ---- */
/* Would an output of the planned run replace another one, or an input? AZ_ECONFIG with a message
 * that names both. */
int az_outputs_collide(struct az_plan *p, const struct az_config *c,
                       struct az_diag *diag) AZ_MUST_USE;

/* ---- output_sources.c ---- */
/* Folder of the commands that node_replay writes: `<stem of the first output>_node_replay`; without
 * outputs that of the run, or of the first file. In the arena. */
struct az_sv az_outputs_replay_folder(struct az_arena *a, const struct az_plan_job *job);
/* Rejects a directory of tables in which a table's file would replace one of the run's inputs.
 * AZ_ECONFIG. */
int az_outputs_guard(const struct az_plan *p, const struct az_target *t,
                     const struct az_document *doc, struct az_diag *diag) AZ_MUST_USE;

/* ---- table_files.c ---- */
/* The single tables of options.csv and summary_file become outputs of the job. AZ_ECONFIG
 * for one file of several inputs. */
int az_outputs_tables(struct az_plan *p, struct az_plan_job *job, const struct az_outputs *o,
                      struct az_diag *diag) AZ_MUST_USE;

/* ---- unused_options.c ---- */
/* Warns of options that mean nothing to the formats of the jobs. */
void az_set_options_check(struct az_plan *p, const struct az_config *c, struct az_diag *diag);

/* ---- replay.c ---- */
/* Writes the outputs of a job, on that many threads where its document is large; a note names what
 * was written. The last error; the others are messages. */
int az_outputs_write(const struct az_plan *plan, const struct az_plan_job *job,
                     struct az_result *res, unsigned threads, struct az_diag *diag) AZ_MUST_USE;
/* Writes the replay folder of a reported input from the tables `gemm` and `conv`, or, where there
 * is neither, from `unified_perf_summary`; the stored rows are appended to `text`. With run_replay
 * the commands are run, and the document gets the tables of their times. Errors as az_replay_emit.
 */
int az_outputs_replay(const struct az_plan_job *job, struct az_document *doc, bool force,
                      struct az_vec_char *text, struct az_diag *diag) AZ_MUST_USE;

/* ---- inputs.c ---- */
/* Format, size, cost of one job; piped inputs of unknown format are copied to the plan's spool. The
 * job's own trouble is in job->error and job->diag; AZ_EINTR, AZ_ENOMEM are returned. */
int az_inputs_resolve(struct az_plan *p, struct az_plan_job *job) AZ_MUST_USE;
/* ---- signals.c ---- */
/* Ends the process with 130 from an ordinary thread: a worker hangs in a read that no flag can end.
 */
_Noreturn void az_signals_quit(void);

/* ---- run.c ---- */
unsigned az_processors(void);

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
