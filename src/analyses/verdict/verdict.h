/* The verdict of a report (docs/verdict.md): findings and their estimated savings.
 *
 * The rules read one trace and produce a part: its account of time, the trust checks, and findings
 * with estimated savings. Parts of several ranks are one by rule and subject. When all tables of a
 * report are made, the parts become the rows of `findings` and the table `verdict`
 * (document/verdict_table.h). Private to this folder but for az_verdict_report. */
#ifndef AZ_ANALYSES_VERDICT_VERDICT_H
#define AZ_ANALYSES_VERDICT_VERDICT_H

#include "analyses/ranks/ranks.h"
#include "classify/rules.h"
#include "document/claims.h"
#include "facts/account.h"
#include "facts/steps.h"

/* How the sentence of a finding is built. */
enum az_verdict_form {
    AZ_VERDICT_PLAIN, /* "TITLE: SUBJECT DETAIL" */
    AZ_VERDICT_GAPS,  /* "TITLE: 4 gaps, median 141 ms, SUBJECT DETAIL" */
    AZ_VERDICT_TIMES, /* "TITLE: SUBJECT DETAIL, 4 calls, mean 1.2 ms" */
    AZ_VERDICT_TRUST, /* about the metrics, not about time: in no line */
    AZ_VERDICT_SUMS   /* adds up what others report by cause: in no line */
};
/* What part of the account a finding's time is in: findings of a part add up to no more than it. */
enum az_verdict_within {
    AZ_VERDICT_IN_IDLE,
    AZ_VERDICT_IN_COMM,
    AZ_VERDICT_IN_COPY,
    AZ_VERDICT_IN_COMPUTE,
    AZ_VERDICT_IN_WAITING, /* exposed communication, and idle time after it */
    AZ_VERDICT_IN_ANY,
    AZ_VERDICT_WITHINS
};

struct az_peaks;
struct az_verdict;
struct az_verdict_rule {
    const char *name;
    unsigned needs; /* AZ_CAP_*; a trace that lacks one is in `coverage` */
    int (*find)(struct az_verdict *v);
    enum az_verdict_form form;
    enum az_verdict_within within;
    uint32_t denied_by; /* bits 1 << enum az_check: a failure withdraws its findings */
    const char *title;
    const char *evidence;  /* ids of tables that prove it (document/evidence.h) */
    const char *overlaps;  /* rules that count the same time; "": none */
    enum az_advice advice; /* of a finding that has none of its own */
};
extern const struct az_verdict_rule az_verdict_rules[]; /* by their worth; ends with a NULL name */
/* NULL: no rule of that name. */
const struct az_verdict_rule *az_verdict_rule_of(struct az_sv name);

struct az_verdict_found {
    const struct az_verdict_rule *rule;
    struct az_sv subject; /* with the rule it is the key: findings of several ranks are one */
    struct az_sv detail;  /* what follows the subject in the line; that of the largest counts */
    struct az_sv row;     /* the row of the evidence */
    struct az_sv call, range, frame, operation; /* where; empty: none */
    struct az_sv overlaps; /* rules that count the same time; no text: as in its rule */
    enum az_cause cause;
    enum az_advice advice;    /* az_verdict_add uses the rule's where there is none */
    struct az_sv advice_text; /* of another analysis, where `advice` is none */
    bool has_device, has_rank;
    int64_t device;       /* number; none where the trace has only one */
    int64_t rank;         /* who is waited for; of idle time the rank that is idle */
    const int64_t *ranks; /* where more than one is meant */
    size_t n_ranks;
    struct az_sv group;          /* node or process group: "node1", "3,11" */
    int64_t groups;              /* equal groups that are meant; 0: none */
    int64_t median;              /* ns, of one event; 0: not known */
    int64_t smallest, largest;   /* the same */
    int64_t in_place[AZ_PLACES]; /* ns of its time in its call, frame, ...; 0: not known */
    bool first_use;              /* most of it is in the first call of a name, or loads code */
    bool outside_scope;          /* its time is not in the account */
    double reached;    /* percent of the peak that the detail names, over all; 0: of none */
    int64_t count, ns; /* how often, and its time; -1: none */
    int64_t gain;      /* ns that the total could shrink by; -1: none */
    int64_t faster;    /* copies from pageable memory: ns of gain at the rate of the link; -1 */
    size_t parts;      /* of how many traces it is */
    /* of communication: a kind (enum az_coll_kind), ranks of a group, bytes of a message; 0: not
     * recorded */
    int64_t coll_kind, members, bytes;
    /* of copies: bytes of the smallest and the largest one; 0: of none, -1: not of all */
    int64_t size_least, size_most;
};
AZ_VEC(struct az_verdict_found, az_verdict_founds);
/* Findings with the same key are one. */
uint64_t az_verdict_key(const struct az_verdict_found *f);

struct az_verdict_sum { /* of the findings with one key */
    uint64_t key;
    int64_t gain;
};
AZ_VEC(struct az_verdict_sum, az_verdict_sums);

/* Shortest and longest of some events, ticks; 0 and 0: of none. */
struct az_verdict_lengths {
    int64_t least, most;
};
static inline void az_verdict_lengths_add(struct az_verdict_lengths *x, int64_t ticks)
{
    x->least = x->most == 0 || ticks < x->least ? ticks : x->least;
    x->most = ticks > x->most ? ticks : x->most;
}
static inline void az_verdict_lengths_join(struct az_verdict_lengths *x,
                                           const struct az_verdict_lengths *y)
{
    if (y->most == 0)
        return;
    az_verdict_lengths_add(x, y->least);
    az_verdict_lengths_add(x, y->most);
}

/* Kernels of one name, for a comparison of ranks. */
struct az_verdict_kernel {
    struct az_sv name;
    int64_t count, ns;
    double blocks; /* of all their grids; 0: not recorded */
};

struct az_verdict_idle { /* gaps of one device, cause and place, of like length */
    enum az_cause cause; /* AZ_CAUSE_NONE: work in them is not recorded */
    int64_t device;      /* AZ_NO_RANK: the trace has only one */
    struct az_sv range, frame, call, op, next; /* that most of their time has; empty: none */
    int64_t in_place[AZ_PLACES];               /* ns in them */
    int64_t count, ns, median, longest;        /* ns; median 0: not known */
    int64_t start;                             /* of the longest, ns */
    int64_t first_use;                         /* ns in the first call of a name, or loading code */
    /* ns of all gaps of the cause and place: dependency: after work of another stream; page fault:
     * of the host; host code: whose place launches the work before and after */
    int64_t across;
};
struct az_verdict_idles {
    struct az_verdict_idle *v; /* most time first */
    size_t n;
};

struct az_verdict_other { /* times of a device that the account in the scope does not have */
    struct az_claim_account before, after; /* outside the scope */
    struct az_claim_account step;          /* of the median step; span 0: there is none */
};
struct az_verdict_device {     /* one device of a trace */
    int64_t device;            /* number */
    bool idle;                 /* busy for less than 1 % of the busiest device's time */
    uint32_t n_other;          /* 0 or 1 */
    struct az_claim_account a; /* in the scope */
    struct az_verdict_other *other;
};
/* The other times of a device; zero where the scope is all and there is no median step. */
static inline struct az_verdict_other az_verdict_other_of(const struct az_verdict_device *d)
{
    return d->n_other ? *d->other : (struct az_verdict_other){ 0 };
}

/* What the rules leave of one trace. Everything is in the arena that the part was made in. */
struct az_verdict_part {
    /* the account: sums over the devices, ns */
    int64_t total, compute, comm, copies, idle;
    size_t devices;
    size_t streams;        /* with work, of the device that has the most; 0: not known */
    struct az_sv device;   /* name; empty: unknown */
    int64_t kernels;       /* time of kernels, ns */
    int64_t launches;      /* kernel and graph events, or those that came summed */
    size_t names;          /* of kernels that came summed */
    struct az_sv families; /* of these and of copies: shares of device time */
    /* steps */
    size_t steps; /* all of them */
    /* work; NaN and 0: unknown */
    double flops, peak;       /* FLOP; FLOP/s */
    int64_t rated;            /* kernel time of which FLOPs or bytes are known, ns */
    int64_t rateable;         /* kernel time of which they could be known, ns */
    int64_t impossible_rates; /* kernels faster than a peak of the device */
    int64_t rated_kernels;    /* of these: their FLOPs or bytes are known, and its peaks */
    struct az_sv precision;
    /* trust */
    uint64_t read, dropped, events, unlinked, graphs, bare, hidden;
    int64_t captured, calls; /* launches in graph captures, which run nothing; all launch calls */
    bool linked;             /* launches are recorded: events without one are counted */
    int64_t unlinked_ns, other, hidden_ns;
    int64_t by_order_ns;          /* their operators are of graph captures that name no kernels */
    struct az_sv drop;            /* the most frequent reason */
    int64_t first_runs, first_ns; /* of a report of operations: gaps before what runs first */
    int64_t suspects, suspect_ns; /* and operations with impossible times */
    int64_t bad_gaps;             /* and impossible gaps */
    int64_t operations;           /* that count; 0: no report of operations */
    struct az_sv after;           /* the signpost before which operations do not count */
    bool merged;                  /* equal operations of several devices are one */
    struct az_sv tables;          /* scope of its tables; empty: that of the account */
    int64_t host;                 /* what the host recorded, first start to last end, ns */
    /* the account by device, in the scope; those that did next to nothing are marked */
    enum az_account_scope scope;
    struct az_verdict_device *device_accounts;
    size_t n_device_accounts;
    /* steps as claims */
    int64_t period;              /* ns; -1: none */
    struct az_sv source;         /* "profiler_step"; empty: no steps */
    struct az_sv first;          /* name of the first step */
    struct az_sv excluded;       /* name of the step outside the account; empty: none */
    struct az_sv excluded_phase; /* "prefill", for which it is; empty: it warms up */
    int64_t step_ns;             /* median length of a step, for one without a period */
    size_t repeats;              /* of kernels inside one range or frame, which are no steps */
    int64_t repeat_ns;
    struct az_sv repeats_inside;
    int64_t operator_ns, host_threads;
    struct az_sv peaks;    /* "data sheet", "scaled", "user", "unknown" */
    struct az_sv peaks_of; /* the device whose data sheet is scaled; else empty */
    struct az_check_result check[AZ_CHECKS];
    struct az_verdict_idles idles;
    struct az_verdict_kernel *top; /* of a rank: computing, most time first, in the scope */
    size_t n_top;
    struct az_verdict_founds found;
    unsigned lacking; /* AZ_CAP_* that rules required and the trace lacks */
};

struct az_verdict_steps {
    const struct az_steps *all; /* NULL: none */
    const struct az_span *v;    /* by start, ticks: those that are not excluded */
    size_t n;
};

/* A trace under analysis. */
struct az_verdict {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    const struct az_accounts *accounts; /* NULL: no device events with times */
    struct az_verdict_steps steps;
    struct az_span window; /* ticks: the scope; findings are about work in it */
    struct az_arena *keep;
    struct az_verdict_part *part;
    bool alone;                   /* no findings of other parts are added to its own */
    bool summing;                 /* findings are only added to `sums` */
    struct az_verdict_sums *sums; /* NULL: all findings are stored, else those with a key in it */
    bool drop;                    /* kernels get slower */
    double bandwidth;             /* bytes a ns that the device can reach; NaN: unknown */
    struct az_rule_list models;   /* ranges and frames of models; v: NULL before they are read */
};
/* Adds to the part; subject, detail and row are copied. rule: its name. */
int az_verdict_add(struct az_verdict *v, const char *rule,
                   const struct az_verdict_found *f) AZ_MUST_USE;
/* The sums by key of the findings large enough for a list remain. */
void az_verdict_sums_list(const struct az_verdict *v, struct az_verdict_sums *s);
static inline int64_t az_verdict_ns(const struct az_verdict *v, int64_t ticks)
{
    return az_ns(v->t, ticks);
}
/* Is a time in the scope? Device work is analyzed if it starts in it. */
static inline bool az_verdict_in_scope(const struct az_verdict *v, int64_t tick)
{
    return tick >= v->window.start && tick < v->window.end;
}
/* A kernel's name for a sentence. */
struct az_sv az_verdict_short(struct az_sv name);
/* A text stored with the part. */
struct az_sv az_verdict_copy_text(struct az_verdict *v, struct az_sv s);

/* alone: the part is the only one of the verdict, and has no findings too small for it. */
int az_verdict_part_make(struct az_job *job, size_t trace, struct az_arena *keep, bool alone,
                         struct az_verdict_part **out) AZ_MUST_USE;
int az_verdict_steps_make(struct az_verdict *v) AZ_MUST_USE;
/* Fills `top` of the part of a rank. */
int az_verdict_top_kernels(struct az_verdict *v) AZ_MUST_USE;
/* Stores other times of a device with the part; false without memory. */
bool az_verdict_set_other(struct az_verdict *v, struct az_verdict_device *d,
                          const struct az_verdict_other *other) AZ_MUST_USE;
/* The sums over the devices that are not idle: total, compute, comm, copies, idle, devices. */
void az_verdict_sum_devices(struct az_verdict_part *p);

/* ---- operation_report.c ---- */
/* The account, checks and findings of a report of operations; nothing for other traces. */
int az_verdict_operation_report(struct az_verdict *v) AZ_MUST_USE;
/* Of the steps those inside signposts that the user chose, which may be none. */
void az_verdict_operation_steps(const struct az_verdict *v);

/* ---- of all parts ---- */
struct az_verdict_ranks {
    const struct az_ranks *ranks; /* NULL: no ranks */
    void *const *part;            /* in the order of the ranks; NULL where there is none */
};
/* Where the parts of ranks wait until all tables are made. NULL on failure. */
struct az_verdict_ranks *az_verdict_ranks_of(struct az_job *job);
struct az_verdict_whole {
    struct az_job *job;
    const struct az_ranks *ranks;  /* NULL: one trace, or devices of one */
    struct az_verdict_part **part; /* never NULL */
    int64_t *rank;                 /* of the parts */
    size_t n;
    struct az_verdict_part sum; /* metrics of all added up; texts of the first */
    size_t devices;             /* of which the times are a sum: means are by it */
};
int az_verdict_idle_table(struct az_verdict_whole *w) AZ_MUST_USE;
/* Idle time of the account that is in no gap: of several devices, one may begin later than the
 * scope or end before it does. */
int64_t az_verdict_edges(const struct az_verdict_part *p);
/* A mean over the devices. */
static inline int64_t az_verdict_mean(const struct az_verdict_whole *w, int64_t ns)
{
    return w->devices > 1 && ns > 0 ? ns / (int64_t)w->devices : ns;
}
/* Sizes of copies in a sentence, " of 8 B to 4.2 MB", or where they are similar " of" their mean.
 */
#define AZ_VERDICT_ALIKE 2 /* sizes that differ by at most this factor are similar */
struct az_sv az_verdict_sizes_text(struct az_arena *a, int64_t least, int64_t most, double mean);
/* Adds the table `step_work` of the only trace; nothing where there is no median step. */
int az_verdict_step_work(struct az_job *job) AZ_MUST_USE;
/* Is the gain of a finding large enough for a list? span: of the account (az_verdict_span). */
bool az_verdict_counts(const struct az_verdict_whole *w, int64_t span,
                       const struct az_verdict_found *f);
int64_t az_verdict_span(const struct az_verdict_whole *w);
/* What the parts claim together. found: of all parts, by worth (az_verdict_merge). */
int az_verdict_merge(struct az_verdict_whole *w, struct az_verdict_founds *out) AZ_MUST_USE;
/* Who the others wait for, with causes; communication that waits counts no time twice. */
int az_verdict_find_waiting(struct az_verdict_whole *w,
                            struct az_verdict_founds *found) AZ_MUST_USE;
int az_verdict_claims_make(struct az_verdict_whole *w, const struct az_verdict_founds *found,
                           struct az_claims **out) AZ_MUST_USE;
/* The lines of the verdict, made from the claims and from nothing else but metrics of the parts
 * that no claim rests on. */
/* The sentence of a finding without its advice. In the job's arena. */
struct az_sv az_verdict_finding_text(struct az_verdict_whole *w, const struct az_claims *c,
                                     const struct az_claim *f);
/* The remedy of a claim as an imperative sentence; what to record by the format of the input. */
struct az_sv az_verdict_advice_text(const struct az_verdict_whole *w, const struct az_claim *c);
int az_verdict_put_lines(struct az_verdict_whole *w, const struct az_claims *c,
                         struct az_table *out) AZ_MUST_USE;

/* ---- the rules ---- */
#define AZ_LONG_KERNEL_NS 60000 /* a kernel is bound by its work, not by its start */
int az_verdict_find_idle(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_exposed(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_warm_up(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_jitter(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_work(struct az_verdict *v) AZ_MUST_USE;
/* The same for the rates alone, of a trace with AZ_CAP_PROGRAMS. */
int az_verdict_program_rates(struct az_verdict *v) AZ_MUST_USE;
/* TFLOP/s of a name of az_rate_name; NaN: none. */
double az_verdict_peak_rate(const struct az_peaks *p, const char *name);
/* FP32 GEMMs of traces without operators. */
int az_verdict_find_products(struct az_verdict *v) AZ_MUST_USE;
/* Kernels with few blocks; those of operations too, which are no roofline_headroom then. */
int az_verdict_find_parallelism(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_chains(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_clock(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_clock_samples(struct az_verdict *v)
    AZ_MUST_USE; /* after az_verdict_find_clock */
int az_verdict_find_imbalance(struct az_verdict *v) AZ_MUST_USE;
int az_verdict_find_recompute(struct az_verdict *v) AZ_MUST_USE;

#endif
