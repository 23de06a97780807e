/* Where the difference of two results comes from: parts of the account of time, and kernels,
 * operators or families, which add up to it exactly (docs/formulas-compare.md 1.2). Private to
 * compare*.c. */
#ifndef AZ_COMPARE_COMPARE_CAUSES_H
#define AZ_COMPARE_COMPARE_CAUSES_H

#include "compare/compare_internal.h"
#include "document/change.h"
#include "document/name_words.h"
#include "document/times.h"

#define AZ_CAUSES_SHOWN 8 /* of a comparison; the others are one, "the rest" */

enum az_cause_kind {
    AZ_CAUSE_WORK,    /* a row of the key: kernel, operator, family */
    AZ_CAUSE_MOVED,   /* rows of one family that have other names on the other side */
    AZ_CAUSE_COMM,    /* exposed communication */
    AZ_CAUSE_COPY,    /* exposed copies */
    AZ_CAUSE_OVERLAP, /* busy time less the sum of the rows */
    AZ_CAUSE_IDLE,
    AZ_CAUSE_REST
};
struct az_change_cause {
    enum az_cause_kind kind;
    struct az_sv name, label; /* label: the name in a form for sentences */
    int64_t ns[2];            /* baseline, variant */
};
AZ_VEC(struct az_change_cause, az_cause_list);

/* Time of work by a name on both sides. */
struct az_work_sums {
    double ns[2]; /* 0: that side does not have it */
    enum az_family family;
    bool copied; /* by the account: a part of its own */
};

enum az_pairing { AZ_BY_NONE, AZ_BY_KERNEL, AZ_BY_OPERATOR, AZ_BY_FAMILY, AZ_BY_GROUP };

struct az_causes {
    struct az_change_side read[2]; /* claims of the baseline and the variant */
    struct az_change change;
    struct az_sum_of_time side[2]; /* baseline, variant */
    bool timed;                    /* both have an account; else total is the sum of the rows */
    int64_t total[2];
    enum az_pairing by;
    struct az_sv table; /* of the baseline, whose rows are paired */
    bool unfit;         /* the rows are not of the timeline: far more than it, or a part */
    bool outside;       /* so, as they list work outside of the steps */
    bool like;          /* may both be the same work? */
    bool by_shape; /* what decides it is of operators with equal shapes, not of kernel names: */
    double common; /* part of the kernel time that both have in common; NaN: none */
    double shared; /* lesser part of the kernel time with a name of both; NaN: none */
    struct az_cause_list list; /* that changed, largest first; the last may be the rest */
    size_t rest;               /* causes in the rest */
};

/* ---- compare_causes.c ---- */
/* "kernel", "operator", ... */
const char *az_pairing_text(enum az_pairing by);
/* Fills `out`, whose list is released with az_vec_release. An empty result (by AZ_BY_NONE, not
 * timed) if the inputs have no time in common. */
int az_compare_causes(const struct az_comparison *c, size_t variant,
                      struct az_causes *out) AZ_MUST_USE;

/* ---- compare_functions.c ---- */
/* n kernels, in place: two of which each side has one only, and whose names differ in the
 * parameters of the function alone, become the first of them, named without parameters; the other
 * has no time left. AZ_ENOMEM, AZ_ELIMIT. */
int az_compare_pair_functions(struct az_sv *name, struct az_work_sums *sums, size_t n,
                              struct az_mem *mem) AZ_MUST_USE;

/* ---- compare_idle.c ---- */
/* "most of the change: idle between host calls, in load_batch": of the idle time of the baseline
 * and the variant; empty where no cause has more than half of it. In the arena of the comparison.
 */
int az_compare_idle(const struct az_comparison *c, const struct az_causes *o, size_t variant,
                    struct az_sv *text) AZ_MUST_USE;

/* ---- compare_top.c, compare_waterfall.c, compare_verdict.c ---- */
int az_compare_top(struct az_comparison *c, const struct az_causes *o, size_t variant) AZ_MUST_USE;
int az_compare_waterfall(struct az_comparison *c, const struct az_causes *o,
                         size_t variant) AZ_MUST_USE;
/* The verdict, which becomes the first table of the document. causes: one a variant, in the order
 * of inputs; that of the baseline is empty. */
int az_compare_verdict(struct az_comparison *c, const struct az_causes *causes) AZ_MUST_USE;

#endif
