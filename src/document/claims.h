/* What the first screen of a report asserts, as data: the object `verdict` of the JSON report
 * (schemas/verdict.schema.json). Every sentence of the verdict (document/verdict_table.h) is made
 * from these fields, every field rests on evidence that is named here, and every claim has a check
 * that can deny it (`trust`).
 *
 * All times are whole nanoseconds. Values of several devices or ranks are means, so that
 * computing + exposed_communication + exposed_copy + idle = span is exact (idle gets the rounding
 * error). Identifiers are lower case words joined by `_`; they are stable. */
#ifndef AZ_DOCUMENT_CLAIMS_H
#define AZ_DOCUMENT_CLAIMS_H

#include "document/document.h"

/* ---- trust checks ---- */
enum az_check {
    AZ_CHECK_LOST_DEVICE_EVENTS,
    AZ_CHECK_UNLINKED_DEVICE_WORK,
    AZ_CHECK_IMPOSSIBLE_TIMES,
    AZ_CHECK_STREAM_OVERLAP,
    AZ_CHECK_LAUNCH_ORDER,
    AZ_CHECK_STEP_MARKS,
    AZ_CHECK_SKIPPED_DEVICE_WORK,
    AZ_CHECK_TRUNCATED_INPUT,
    AZ_CHECK_MISSING_RANKS,
    AZ_CHECK_CORRELATION_COLLISIONS,
    AZ_CHECK_UNKNOWN_KERNELS,
    AZ_CHECK_GRAPH_UNRECORDED,
    AZ_CHECK_DEVICE_PEAKS,
    AZ_CHECK_IMPOSSIBLE_RATES,
    AZ_CHECK_EARLIER_WORK,
    AZ_CHECKS
};
enum az_check_status {                          /* from the best to the worst */
                       AZ_CHECK_NOT_APPLICABLE, /* the input cannot have what is tested */
                       AZ_CHECK_PASS,
                       AZ_CHECK_WARN,
                       AZ_CHECK_FAIL,
                       AZ_CHECK_STATUSES
};
struct az_check_result {
    enum az_check_status status;
    int64_t count, of, time_ns; /* what was found, of how many, and its time */
};
const char *az_check_id(enum az_check c);
const char *az_check_status_id(enum az_check_status s);

/* ---- the account ---- */
enum az_account_scope { AZ_SCOPE_RECORDING, AZ_SCOPE_STEPS, AZ_SCOPE_WINDOW, AZ_SCOPES };
const char *az_account_scope_id(enum az_account_scope s);

struct az_claim_account { /* ns; of one device, or the mean of several */
    int64_t span, computing, exposed_communication, exposed_copy, idle;
    int64_t communication, copy; /* busy time, overlapped or not */
};

/* ---- findings ---- */
/* Why a device had nothing to do; also why a rank arrives late (the last two). */
enum az_cause {
    AZ_CAUSE_NONE,
    AZ_CAUSE_PAGE_FAULT,
    AZ_CAUSE_UNKNOWN,
    AZ_CAUSE_GRAPH_GAP,
    AZ_CAUSE_DEVICE_GAP,
    AZ_CAUSE_DEPENDENCY,
    AZ_CAUSE_PROFILER_OVERHEAD,
    AZ_CAUSE_BLOCKING_COPY,
    AZ_CAUSE_ALLOCATION,
    AZ_CAUSE_BLOCKING_CALL,
    AZ_CAUSE_MODULE_LOADING,
    AZ_CAUSE_DATA_LOADING,
    AZ_CAUSE_CHECKPOINT,
    AZ_CAUSE_COMPILATION,
    AZ_CAUSE_SYNCHRONIZATION,
    AZ_CAUSE_LAUNCH_BOUND,
    AZ_CAUSE_HOST_RANGE,
    AZ_CAUSE_HOST_FRAME,
    AZ_CAUSE_HOST_COMPUTE,
    AZ_CAUSE_UNKNOWN_HOST,
    AZ_CAUSE_SLOW_KERNELS,
    AZ_CAUSE_MORE_WORK,
    AZ_CAUSES
};
const char *az_cause_id(enum az_cause c); /* AZ_CAUSE_NONE: NULL */
/* "GPU idle during page faults": how findings begin. Never NULL. */
const char *az_cause_words(enum az_cause cause);

enum az_advice {
    AZ_ADVICE_NONE,
    AZ_ADVICE_OVERLAP_COMMUNICATION,
    AZ_ADVICE_REDUCE_MESSAGE_SIZE,
    AZ_ADVICE_FIX_STRAGGLER,
    AZ_ADVICE_BALANCE_RANKS,
    AZ_ADVICE_BALANCE_DEVICES,
    AZ_ADVICE_BALANCE_STAGES,
    AZ_ADVICE_FIX_LINK,
    AZ_ADVICE_MORE_MICROBATCHES,
    AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD,
    AZ_ADVICE_USE_GRAPHS,
    AZ_ADVICE_DEFER_SYNC,
    AZ_ADVICE_PREFETCH_DATA,
    AZ_ADVICE_MOVE_HOST_WORK,
    AZ_ADVICE_RECORD_STACKS,
    AZ_ADVICE_RECORD_HOST_CALLS,
    AZ_ADVICE_RECORD_GRAPH_NODES,
    AZ_ADVICE_PIN_MEMORY,
    AZ_ADVICE_SEPARATE_STREAM,
    AZ_ADVICE_OVERLAP_COPIES,
    AZ_ADVICE_KEEP_ON_DEVICE,
    AZ_ADVICE_AVOID_DEVICE_COPIES,
    AZ_ADVICE_AVOID_FILLS,
    AZ_ADVICE_PREFETCH_MANAGED_MEMORY,
    AZ_ADVICE_PREALLOCATE,
    AZ_ADVICE_PRELOAD_MODULES,
    AZ_ADVICE_COMPILE_AHEAD,
    AZ_ADVICE_ASYNC_CHECKPOINT,
    AZ_ADVICE_CHECK_DEPENDENCIES,
    AZ_ADVICE_CHECK_CLOCKS,
    AZ_ADVICE_RERUN_WITHOUT_PROFILER,
    AZ_ADVICE_CAPTURE_TRACE,
    AZ_ADVICE_MORE_CORES,
    AZ_ADVICE_SHARD_DRAM,
    AZ_ADVICE_LOWER_FIDELITY,
    AZ_ADVICE_TUNE_PROGRAM_CONFIG,
    AZ_ADVICE_PLACE_INPUT,
    AZ_ADVICE_LARGER_BLOCKS,
    AZ_ADVICE_EXCLUDE_WARM_UP,
    AZ_ADVICE_STEADY_STEPS,
    AZ_ADVICE_FASTER_KERNEL,
    AZ_ADVICE_BATCH_SMALL_KERNELS,
    AZ_ADVICE_MORE_BLOCKS,
    AZ_ADVICE_PAD_SHAPES,
    AZ_ADVICE_LOWER_PRECISION,
    AZ_ADVICE_FUSE_ATTENTION,
    AZ_ADVICE_FUSE_KERNELS,
    AZ_ADVICE_LESS_RECOMPUTE,
    AZ_ADVICES
};
const char *az_advice_id(enum az_advice a); /* AZ_ADVICE_NONE: NULL */
/* The advice as an imperative sentence without its full stop. */
const char *az_advice_text(enum az_advice a);

/* Where the host is while a device is idle. */
enum az_place { AZ_PLACE_CALL, AZ_PLACE_FRAME, AZ_PLACE_RANGE, AZ_PLACE_OPERATOR, AZ_PLACES };

#define AZ_NO_RANK INT64_MIN /* of `rank` and `device`: none is meant */

struct az_claim {
    struct az_sv rule;        /* "idle" */
    int64_t saving_ns, count; /* -1: not known */
    double share;             /* of the account's span, 0 to 1; NaN: there is none */
    int64_t rank;             /* AZ_NO_RANK */
    const int64_t *ranks;     /* where more than one is meant; else none */
    size_t n_ranks;
    int64_t device;                             /* number; AZ_NO_RANK */
    struct az_sv group;                         /* node or process group: "node1", "3,11" */
    int64_t groups;                             /* equal groups that are meant; -1 */
    enum az_cause cause;                        /* of idle time and of waiting */
    struct az_sv call, range, frame, operation; /* empty: none */
    int64_t part_of;                            /* index of the finding that counts its time; -1 */
    bool outside_scope;                         /* its time is not in the account */
    bool first_use; /* most of it is in the first call of a name, or loads code */
    enum az_advice advice;
    struct az_sv table, row; /* the evidence */
    /* for the sentence */
    struct az_sv subject; /* what: a kernel, an operator, who is waited for; may be empty */
    struct az_sv detail;  /* what follows the sentence's metrics, with its own comma */
    int64_t time_ns;      /* of all its events, not only what can be saved; -1: not known */
    int64_t exposed_ns;   /* the saving before time of other findings is subtracted */
    int64_t faster_ns;    /* copies from pageable memory: of it at the rate of the link; -1 */
    int64_t median_ns;    /* of one event of it; -1: not known */
    int64_t smallest_ns;  /* of one; -1: not known */
    int64_t largest_ns;
    /* ns: of time_ns, what is in its call, frame, range and operator; -1: not known */
    int64_t in_place[AZ_PLACES];
    struct az_sv severity; /* "error", "warning", "info" */
};

/* Texts and lists live as long as the document. */
struct az_claims {
    struct {
        int64_t count;
        const struct az_sv *idle; /* ids, of ranks "RANK:ID" */
        size_t n_idle;
        struct az_sv name;  /* empty: unknown */
        struct az_sv peaks; /* "data sheet", "scaled", "user", "unknown" */
    } devices;
    struct {
        const int64_t *present, *missing; /* ascending */
        size_t n_present, n_missing;
        int64_t world; /* -1: unknown */
    } ranks;
    bool has_account;
    enum az_account_scope scope;
    struct az_claim_account account;
    struct az_sv tables_scope; /* of the tables of a report of operations; empty: the same */
    struct az_claim_account before, after; /* of device activity outside the scope; span 0: none */
    /* Of the median step, from its first device event to that of the next, so that its span is the
     * period; of ranks, of those with the median period. Span 0: no period. */
    struct az_claim_account step;
    uint32_t qualified_by; /* bits 1 << enum az_check of the checks that failed */
    struct {
        int64_t count;       /* 0: no steps */
        int64_t period_ns;   /* -1: one step */
        struct az_sv source; /* "profiler_step" */
        struct az_sv first;  /* name of the first */
        const struct az_sv *excluded;
        size_t n_excluded;
        struct az_sv excluded_phase; /* "prefill", for which; empty: warm-up */
    } steps;
    struct {
        double flops_per_s, flops_known_share, mfu; /* NaN: not known */
        struct az_sv precision;
    } rates;
    struct {
        int64_t operator_ns, threads;
    } host;
    int64_t kernels;           /* kernel and graph events, or those that came summed */
    int64_t kernel_ns;         /* of formats with sums only: their time; 0: there is an account */
    struct az_claim *findings; /* largest saving first, those outside the scope last */
    size_t n_findings;
    struct az_check_result trust[AZ_CHECKS];
};
/* Adds the tables `account`, `trust_checks` and `verdict_facts`, which have the claims except the
 * findings (those are the table `findings`). */
int az_claims_tables(struct az_document *doc, const struct az_claims *c) AZ_MUST_USE;
/* The same of a report or a saved result: the account of its scope and that of a step, unchanged
 * where there is none (false: no time is known); results of checks that the table has. */
bool az_claims_accounts(const struct az_document *doc, struct az_claim_account *scope,
                        struct az_claim_account *step);
void az_claims_trust(const struct az_document *doc, struct az_check_result trust[AZ_CHECKS]);
/* Cell of a fact in "facts" (column "Value") or "verdict_facts" ("Value" or "Text"): an empty one
 * where there is none. */
const struct az_cell *az_fact_cell(const struct az_document *d, const char *table, const char *fact,
                                   const char *column);
static inline struct az_sv az_fact_text(const struct az_document *d, const char *table,
                                        const char *fact, const char *column)
{
    return az_cell_text(az_fact_cell(d, table, fact, column));
}
/* Checks on which the account depends, as bits. */
uint32_t az_checks_of_account(void);

/* Is device activity before or after the scope at least a percent of it? */
bool az_claims_is_outside(const struct az_claims *c, const struct az_claim_account *a);
/* Any of them: tables and charts of the whole recording differ from the account then. */
bool az_claims_has_outside(const struct az_claims *c);

#endif
