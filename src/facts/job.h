/* Context of the analysis of one input: finalized traces, options, the result document, and facts
 * that are computed once and shared by all analyses. */
#ifndef AZ_FACTS_JOB_H
#define AZ_FACTS_JOB_H

#include "classify/classmap.h"
#include "document/document.h"
#include "model/options.h"
#include "model/trace.h"

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
    struct az_table *coverage; /* rows added by az_cover(); finished by the run */
    struct az_table *findings; /* rows added by az_finding() */
    /* Of a rank being reduced: az_rank_text (analyses/ranks/ranks.h); NULL: none. */
    struct az_intern *texts;
    bool alone; /* a rank being reduced whose trace is the only one: of it only its devices may
                   become ranks */
    const char *record_host; /* how more of the host is recorded, an imperative; NULL: not known */
    unsigned threads;        /* that the finishing of ranks may use by itself; 0: one */
    bool lasting; /* the traces live as long as the document, which may borrow their texts */
    size_t draw;  /* marks that a drawing of these traces may have; 0: none is requested */
    struct az_job_slots *slots; /* facts made on first use: az_job_slot */
    struct az_job_slots *views; /* of a part of a job: what it has for itself, az_job_view */
    struct az_shared *shared;   /* the fact that is read at every event: facts/lazy_cache.c */
};

/* The place of a fact: `what` is the address of something only its maker has. *slot is NULL until
 * the maker sets it, and lives as long as job->arena. NULL on failure, which the arena remembers.
 * Another part of the job that requests the same place waits until it is released (NULL is fine);
 * until then no other thread reads or writes it. */
void **az_job_slot(struct az_job *job, const void *what);
void az_job_leave(struct az_job *job, void **slot);

/* Parts of a job that are worked on by several threads share its facts. Each has an arena, a diag,
 * a document and tables of findings and coverage of its own, and one thread. az_job_share prepares
 * the facts of the whole, az_job_unshare ends it: the parts are then no more. Errors of the arena.
 */
int az_job_share(struct az_job *whole) AZ_MUST_USE;
void az_job_unshare(struct az_job *whole);
/* A copy of the whole that shares its facts; the caller passes its own. */
struct az_job az_job_part(const struct az_job *whole);
/* A place like az_job_slot's that a part does not share: for what is changed where it is used.
 * NULL: the job is no part (it has the facts for itself), or on failure. */
void **az_job_view(struct az_job *job, const void *what);
bool az_job_is_part(const struct az_job *job);

/* A row of `coverage`: item, value, unit text, note; of no kind. */
void az_cover(struct az_job *job, const char *item, double value, const char *unit,
              struct az_sv note);
/* A row of dropped events, with their kind. */
void az_cover_drop(struct az_job *job, const struct az_drop *d, struct az_sv note);
/* One row of `findings`: rule (lower case, words joined by `_`), severity ("info", "warning",
 * "error"), subject, count, time in ns (-1: none), advice. */
void az_finding(struct az_job *job, const char *rule, const char *severity, struct az_sv subject,
                int64_t count, int64_t ns, struct az_sv advice);
/* The same with the estimated saving (docs/verdict.md 3). */
struct az_finding_row {
    const char *rule, *severity; /* constants */
    bool lasting;                /* the texts live as long as the job, else they are copied */
    struct az_sv subject;
    int64_t count, ns, recoverable; /* -1: none */
    double share;               /* of recoverable in the total; NaN: az_verdict_report reports it */
    struct az_sv evidence, row; /* id of the table that proves it, the row there */
    struct az_sv overlaps;      /* rules that count the same time */
    struct az_sv advice;
};
void az_finding_put(struct az_job *job, const struct az_finding_row *f);
/* Columns of the table, for who reads it. */
enum {
    AZ_FINDING_RULE,
    AZ_FINDING_SEVERITY,
    AZ_FINDING_SUBJECT,
    AZ_FINDING_COUNT,
    AZ_FINDING_NS,
    AZ_FINDING_RECOVERABLE,
    AZ_FINDING_SHARE,
    AZ_FINDING_EVIDENCE,
    AZ_FINDING_ROW,
    AZ_FINDING_OVERLAPS,
    AZ_FINDING_ADVICE
};
/* The two tables with their columns and no rows, for the creator of the job. NULL on failure (the
 * arena has the reason). */
struct az_table *az_coverage_table(struct az_arena *arena);
struct az_table *az_findings_table(struct az_arena *arena);

/* Of a column of ranks (document/record.h): are there several traces? */
bool az_job_has_ranks(const void *job);

/* Adds the table to the document if rc is 0, else frees it; the first error. */
int az_job_add(struct az_job *job, struct az_table *t, int rc) AZ_MUST_USE;

#endif
