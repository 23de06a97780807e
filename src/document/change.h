/* The change from one result to another, as data: whether they can be compared, on what basis, and
 * by how much they differ (object `change` of comparisons and gates; spec in docs/compare.md 2).
 * Results are read by the tables of their claims (document/claims.h), so that saved ones
 * serve as well. */
#ifndef AZ_DOCUMENT_CHANGE_H
#define AZ_DOCUMENT_CHANGE_H

#include "document/claims.h"

enum az_change_reason { /* why two results are not comparable, most telling first */
                        AZ_CHANGE_COMPARABLE,
                        AZ_CHANGE_UNREADABLE_INPUT,
                        AZ_CHANGE_TRUNCATED_INPUT,
                        AZ_CHANGE_LOST_DEVICE_EVENTS,
                        AZ_CHANGE_MISSING_RANKS,
                        AZ_CHANGE_DEVICE_DIFFERS,
                        AZ_CHANGE_STEPS_ON_ONE_SIDE,
                        AZ_CHANGE_DIFFERENT_LENGTH,
                        AZ_CHANGE_REASONS
};
const char *az_change_reason_id(enum az_change_reason r); /* AZ_CHANGE_COMPARABLE: NULL */

/* What a comparison needs of one result. Texts are those of its tables. */
struct az_change_side {
    bool claimed;     /* it has the tables of claims: results of older versions have not */
    bool known;       /* it has an account, or sums of kernels */
    bool has_account; /* else `whole` is the sum of its kernels, without parts */
    bool has_steps;
    int64_t steps, counted;        /* all of them; without one excluded as warm-up */
    int64_t kernels;               /* events, or launches that came summed; 0: not known */
    struct az_claim_account whole; /* ns: of the scope */
    struct az_claim_account step;  /* ns: of the median step, or the scope divided by its steps */
    bool single;                   /* `step` is the only one: it ends with its last event */
    int64_t last_idle; /* ns: idle time of the last step, up to its last event; -1: not known */
    int64_t devices;
    int64_t gpus; /* of a classic configuration, whose sums are of so many devices; else 1 */
    struct az_sv source, device;
    struct az_sv ranks, missing; /* numbers with blanks between them */
    struct az_check_result trust[AZ_CHECKS];
};
/* Idle time between the last event of a step and the next step that x has and y, a single step,
 * does not; negative: the other way round. */
int64_t az_change_gap(const struct az_change_side *x, const struct az_change_side *y);
/* The step of x as it is compared with y: without that time. */
struct az_claim_account az_change_step(const struct az_change_side *x,
                                       const struct az_change_side *y);
/* What steps found by this are called: "repeat" of kernels without marks, which may be a part of a
 * step, or several; else "step". */
const char *az_change_step_noun(struct az_sv source);
/* What steps were found by, for readers: "ProfilerStep" of "profiler_step". */
struct az_sv az_change_source_text(struct az_sv id);
/* doc NULL: the input could not be read. */
void az_change_side_of(const struct az_document *doc, struct az_change_side *out);

enum {
    AZ_CHANGE_COMPUTING,
    AZ_CHANGE_COMMUNICATION,
    AZ_CHANGE_COPY,
    AZ_CHANGE_IDLE,
    AZ_CHANGE_PARTS
};
const char *az_change_part_id(size_t part);

struct az_change {
    struct az_sv input; /* title of the second one */
    bool per_step;      /* the basis: a step, else the recording */
    const char *noun;   /* of the steps: az_change_step_noun */
    bool comparable;
    enum az_change_reason reason;
    int64_t a_ns, b_ns;       /* of the basis; 0: not known */
    double share;             /* b / a - 1; NaN */
    int64_t a_steps, b_steps; /* 0: none */
    int64_t counted[2];       /* of these, without those excluded as warm-up */
    double unmatched_share; /* of device time under names that only one side has; NaN: not known */
    bool has_parts;
    int64_t part[AZ_CHANGE_PARTS][2];
};
/* What times per step are of where both sides have few steps: "one period each", "one step each",
 * "one repeat each"; NULL: of the median step. */
const char *az_change_single_step(const struct az_change *c);
struct az_changes {
    const struct az_change *v;
    size_t n;
};
/* by_device: another device is a reason (gates and histories). by_recording: the whole recordings
 * are compared whatever their steps (--basis recording). */
struct az_change_opts {
    bool by_device, by_recording;
};
void az_change_make(const struct az_change_side *a, const struct az_change_side *b,
                    const struct az_change_opts *opts, struct az_change *out);
/* Why they cannot be compared, as a phrase: "the candidate is truncated". In the arena. */
struct az_sv az_change_text(struct az_arena *a, const struct az_change *c,
                            const struct az_change_side *x, const struct az_change_side *y);
/* So, with these words for the two, where nobody chose a baseline: "b is truncated". */
struct az_sv az_change_text_of(struct az_arena *a, const struct az_change *c,
                               const struct az_change_side *x, const struct az_change_side *y,
                               struct az_sv x_name, struct az_sv y_name);

#endif
