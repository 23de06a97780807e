/* Between the files of the fact of steps. */
#ifndef AZ_FACTS_STEPS_INTERNAL_H
#define AZ_FACTS_STEPS_INTERNAL_H

#include "facts/account.h"
#include "facts/steps.h"

/* Steps found without a step name must contain this part of the busy time, and be equally long to
 * this degree: robust deviation as a part of the median. */
#define AZ_STEP_INSIDE 0.8
#define AZ_STEP_SPREAD 0.25
/* The quartiles of a normal distribution are so many standard deviations apart. */
#define AZ_STEP_QUARTILES 1.349

AZ_VEC(struct az_step, az_step_list);

struct az_step_search {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    struct az_step_list found; /* by mark_start; by start in the end */
    struct az_vec_u64 process; /* of host marks, parallel to found; empty: marks of a device */
    bool linked;               /* work is linked to the marks by its launches */
    size_t zero_marks;         /* marks without length, next to those found */
    size_t only_zero;          /* marks of a kind of which none has a length */
    struct az_span *by_device; /* work of the first step and of the others, by device slot */
    size_t n_devices;
    struct az_steps *out; /* how, mark, agreement, inside: set by who finds steps */
};
/* Ranges of the host that are named as warm-up, merged; and is an interval inside one of them? */
int az_steps_warm_ups(struct az_step_search *s, struct az_spans *out) AZ_MUST_USE;
bool az_steps_in_warm_up(const struct az_spans *warm, int64_t start, int64_t end);
/* Sets the device work of each step from its mark_start and mark_end. */
int az_steps_attach(struct az_step_search *s) AZ_MUST_USE;
/* After that: lengths, period, excluded first step, scope, number of marks. */
int az_steps_measure(struct az_step_search *s) AZ_MUST_USE;
/* Each adds steps to `found`, or none. */
int az_steps_by_tag(struct az_step_search *s) AZ_MUST_USE;
int az_steps_by_framework(struct az_step_search *s) AZ_MUST_USE;
/* Of an operation report. named: only signposts that the user's tag or their text calls steps. */
int az_steps_by_signposts(struct az_step_search *s, bool named) AZ_MUST_USE;
int az_steps_by_replays(struct az_step_search *s) AZ_MUST_USE;
int az_steps_by_pattern(struct az_step_search *s) AZ_MUST_USE;
/* Names "WHAT 0", "WHAT 1", ... and numbers from 0 on. */
int az_steps_number(struct az_step_search *s, const char *what) AZ_MUST_USE;

/* ---- the pattern (docs/steps.md 3) ---- */
/* Kernels that follow each other. A kind is what kernels of one name are, numbered in order of
 * first appearance. */
struct az_kernels {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    size_t n, kinds;
    uint32_t *op;   /* az_op_code, az_op_row */
    uint32_t *kind; /* parallel */
    uint64_t *sum;  /* n + 1: weights of the kinds before each; the multiset of a stretch */
    int64_t *gap;   /* ticks in which the device did nothing before each */
    int64_t *busy;  /* n + 1: ticks of the kernels before each; they may be at the same time */
    uint32_t *at, *first;     /* places by kind; kinds + 1 */
    uint32_t *name;           /* by kind: id in the trace */
    uint8_t *optimizer;       /* by kind */
    uint32_t *ref, *used;     /* by kind, scratch: counts in the reference, in a stretch; all 0 */
    struct az_vec_i64 copies; /* starts of copies between host and device */
};
static inline int64_t az_kernel_start(const struct az_kernels *k, size_t i)
{
    return k->t->ev[az_op_kind(k->op[i])].start[az_op_row(k->op[i])];
}
static inline int64_t az_kernel_end(const struct az_kernels *k, size_t i)
{
    return k->t->ev[az_op_kind(k->op[i])].end[az_op_row(k->op[i])];
}
static inline size_t az_kernel_count(const struct az_kernels *k, uint32_t kind)
{
    return k->first[kind + 1] - k->first[kind];
}
/* Those that count on one lane, or with AZ_NO_ID on all lanes of the device of `like`. */
int az_kernels_make(struct az_kernels *k, struct az_job *job, size_t trace, uint32_t lane,
                    uint32_t like) AZ_MUST_USE;
void az_kernels_release(struct az_kernels *k);
/* The lane with the most computation; AZ_NO_ID: none. *others: lanes of its device with
 * kernels, too. */
int az_kernels_lane(struct az_job *job, size_t trace, uint32_t *lane, size_t *others) AZ_MUST_USE;

/* Kernels of one kind that may begin what is repeated. */
struct az_anchor {
    uint32_t kind;
    size_t n, period; /* median of the kernels between two */
    double same;      /* part of the spacings with the commonest multiset */
};
/* What an anchor was found to repeat. */
struct az_loop {
    const uint32_t *p; /* places of the anchor */
    size_t n;
    size_t from, len;                   /* reference: one spacing */
    bool optimizer, copies, nested;     /* each repetition has this */
    bool head_clean, tail_clean, whole; /* what is before and after is part of a repetition */
    bool exact;                         /* and both together are one, to the kernel */
    size_t head, tail;
    size_t at; /* place in the reference where a step begins */
};
struct az_cut { /* one step: kernels [from, end) */
    size_t from, end;
    double agreement;
    bool apart; /* it does not reach to the next step */
};
AZ_VEC(struct az_cut, az_cuts);

/* Kernels of [from, to) that the reference has, each as often at most; *last: place of the last.
 * k->ref has the counts of the reference. */
size_t az_loop_matched(struct az_kernels *k, size_t from, size_t to, size_t *last);
/* What contains the launches of all repeats. Of a block of a model there are no steps: they become
 * `repeats`. Sets in_loop. */
int az_steps_in_scope(struct az_step_search *s, const struct az_kernels *k,
                      const struct az_cuts *c) AZ_MUST_USE;
/* k->ref for the reference, and back to 0. */
void az_loop_set_reference(struct az_kernels *k, const struct az_loop *l);
void az_loop_drop(struct az_kernels *k, const struct az_loop *l);
/* Does the anchor repeat a loop, according to its spacings? */
int az_loop_judge(struct az_kernels *k, const struct az_anchor *a, struct az_loop *l,
                  bool *good) AZ_MUST_USE;
/* Where its steps begin, and the steps; *good: they are those of a loop. */
int az_loop_cut(struct az_kernels *k, struct az_loop *l, struct az_cuts *out, double *inside,
                bool *good) AZ_MUST_USE;

#endif
