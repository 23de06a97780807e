/* What comes of one input, and the reading of it without a pool. */
#ifndef AZ_READ_RESULT_H
#define AZ_READ_RESULT_H

#include "base/log.h"
#include "read/input_job.h"

enum az_when { AZ_AUTO, AZ_ALWAYS, AZ_NEVER };

struct az_run_opts {
    unsigned workers; /* 0: processors */
    enum az_when color, progress;
    uint64_t memory_limit; /* bytes an input; 0: three quarters of az_memory_available() */
    struct az_log log;
    bool strict;       /* a warning makes its input a failed one */
    bool text_full;    /* -v: the main tables, not only the classic block or first screen */
    bool text_all;     /* -vv: every table */
    bool terminal;     /* standard output is one: verdicts come before classic blocks */
    bool text_classic; /* never anything but the classic block where there is one */
    bool quiet;        /* no text on stdout, no warnings */
};

/* What came of one input: the document, and the traces whose texts it borrows; all charged to one
 * budget. */
struct az_result {
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
    struct az_trace *traces; /* in the arena */
    size_t n_traces;
    struct az_trace *other;     /* comparison_json_path; NULL: none */
    struct az_digest **digests; /* by file of the job, computed while it was read; NULL: none */
    size_t n_digests;
    /* Reduced data of ranks, by the threads that reduced them; in the arena. */
    struct az_arena *keeps;
    size_t n_keeps;
    struct az_arena *parts; /* content of their part files, by thread and analysis; in the arena */
    size_t n_parts;
    struct az_arena *sides; /* of analyses that ran side by side; in the arena */
    size_t n_sides;
    bool read;       /* the traces are there, by az_read_one */
    bool reportable; /* doc is complete (also of an input without activity, which counts as failed)
                      */
};
void az_result_init(struct az_result *r, uint64_t memory_limit);
void az_result_release(struct az_result *r);
/* One input, without a pool: the building block, also for tests. 0, or why the input has failed
 * (message in diag). threads: that it may use itself. progress: bytes read so far, may be NULL. */
int az_analyze_input(const struct az_plan_job *job, const struct az_run_opts *opts,
                     unsigned threads, struct az_result *res, struct az_diag *diag,
                     _Atomic uint64_t *progress) AZ_MUST_USE;
/* Only reads the input and retains its traces, also those of ranks that a report would read one by
 * one; of a saved result its document. az_analyze_input with the same result then makes the report
 * without reading again, but of a run of ranks (az_job_is_run), which needs a result of its own. */
int az_read_one(const struct az_plan_job *job, unsigned threads, struct az_result *res,
                struct az_diag *diag) AZ_MUST_USE;

/* Columns of a line of text for readers: COLUMNS, else the terminal's, 80 to 200; 100 where neither
 * is known. */
size_t az_text_columns(void);

#endif
