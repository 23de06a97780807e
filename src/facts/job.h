/* What one input is worked on with: sealed traces, options, where results go, and facts that are
 * computed once and shared by whoever asks. */
#ifndef AZ_FACTS_JOB_H
#define AZ_FACTS_JOB_H

#include "classify/classmap.h"
#include "model/options.h"
#include "model/trace.h"
#include "results/document.h"

struct az_job {
    const struct az_options *opts;
    const struct az_trace *const *traces; /* sealed; one per rank or file */
    size_t n_traces;
    const struct az_trace *other; /* sealed; what the first trace is compared with; NULL: nothing */
    const struct az_classifier *classes;
    struct az_arena *arena; /* results live here, as long as the document */
    struct az_mem *mem;
    struct az_diag *diag;
    struct az_document *doc;   /* emit: az_document_add(job->doc, table) */
    struct az_table *coverage; /* rows added by az_cover(); finished by the driver */
    struct az_table *findings; /* rows added by az_finding() */
    struct az_intern
        *texts;  /* of a rank being reduced: az_rank_text (analyses/ranks/ranks.h); NULL: none */
    size_t draw; /* marks that a drawing of these traces may have; 0: none is asked for */
    struct az_job_slot *slots; /* facts made on first use: az_job_slot */
    struct az_shared *shared;  /* the fact that is asked for at every event: facts/shared.c */
};

/* The place of a fact: `what` is the address of something only its maker has. *slot is NULL until
 * the maker sets it, and lives as long as job->arena. NULL on failure, which the arena remembers.
 */
void **az_job_slot(struct az_job *job, const void *what);

/* One row of `coverage`: item, value, unit text, note. */
void az_cover(struct az_job *job, const char *item, double value, const char *unit,
              struct az_sv note);
/* One row of `findings`: rule (lower case, words joined by `_`), severity ("info", "warning",
 * "error"), subject, count, time in ns (-1: none), advice. */
void az_finding(struct az_job *job, const char *rule, const char *severity, struct az_sv subject,
                int64_t count, int64_t ns, struct az_sv advice);
/* The two tables with their columns and no rows, for whoever makes the job. NULL on failure (the
 * arena knows why). */
struct az_table *az_coverage_table(struct az_arena *arena);
struct az_table *az_findings_table(struct az_arena *arena);

#endif
