/* Runs a plan on the pool: parse, seal, analyse, write; prints text and messages in config order;
 * exit code. */
#ifndef AZ_DRIVER_RUN_H
#define AZ_DRIVER_RUN_H

#include "base/log.h"
#include "driver/plan.h"

enum az_when { AZ_AUTO, AZ_ALWAYS, AZ_NEVER };
enum {
    AZ_EXIT_OK = 0,
    AZ_EXIT_GATE = 1,
    AZ_EXIT_USAGE = 2,
    AZ_EXIT_PARTIAL = 3,
    AZ_EXIT_INTERNAL = 4,
    AZ_EXIT_INTERRUPTED = 130
};

struct az_run_opts {
    unsigned workers; /* 0: processors */
    enum az_when color, progress;
    uint64_t memory_limit; /* bytes an input; 0: three quarters of az_memory_given() */
    struct az_log log;
    bool strict;       /* a warning makes its input a failed one */
    bool text_full;    /* -v: everything, not only the classic block */
    bool terminal;     /* standard output is one: verdicts come before classic blocks */
    bool text_classic; /* never anything but the classic block where there is one */
    bool quiet;        /* no text on stdout, no warnings */
};

/* Exit code by product rules: 0, 1 (a gate failed), 3 (some input, output or step failed), 4, 130.
 * stdout is flushed and checked. */
int az_run(const struct az_plan *plan, const struct az_run_opts *opts);

/* What came of one input: the document, and the traces whose texts it borrows; all charged to one
 * budget. */
struct az_result {
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
    struct az_trace *traces; /* in the arena */
    size_t n_traces;
    struct az_trace *other;     /* comparison_json_path; NULL: none */
    struct az_digest **digests; /* by file of the job, taken while it was read; NULL: none */
    size_t n_digests;
    struct az_arena
        *keeps; /* what is kept of ranks, by the threads that reduced them; in the arena */
    size_t n_keeps;
    struct az_arena *parts; /* what their part files hold, by thread and analysis; in the arena */
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
int az_run_one(const struct az_plan_job *job, const struct az_run_opts *opts, unsigned threads,
               struct az_result *res, struct az_diag *diag, _Atomic uint64_t *progress) AZ_MUST_USE;
/* Only reads the input and keeps its traces, those of ranks that a report would read one by one,
 * too; of a saved result its document. az_run_one with the same result then makes the report
 * without reading again, but of a run of ranks (az_job_is_run), which takes a result of its own. */
int az_read_one(const struct az_plan_job *job, unsigned threads, struct az_result *res,
                struct az_diag *diag) AZ_MUST_USE;

/* Prints all messages through the log: errors always, warnings unless quiet, notes when verbose. */
void az_diag_print(const struct az_diag *d, const struct az_log *log);

/* Installs the handlers: SIGINT and SIGTERM set a flag, the second one exits at once with 130;
 * SIGPIPE is ignored. Returns what asks the flag, for az_config.cancel. */
struct az_cancel az_signals_install(void);
bool az_interrupted(void);
/* Colour wanted on this descriptor: --color, NO_COLOR, TERM=dumb, terminal. */
bool az_want_color(enum az_when when, int fd);
/* Columns of a line of text for people: COLUMNS, else the terminal's, 80 to 200; 100 where neither
 * is known. */
size_t az_text_columns(void);

#endif
