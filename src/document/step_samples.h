/* Times of the single steps of a run, and the test that compares the steps of two single runs
 * (docs/formulas-compare.md 4.3). */
#ifndef AZ_DOCUMENT_STEP_SAMPLES_H
#define AZ_DOCUMENT_STEP_SAMPLES_H

#include "document/document.h"

enum {
    AZ_STEP_TOTAL, /* the period: from the first device event to that of the next step */
    AZ_STEP_BUSY,
    AZ_STEP_COMMUNICATION, /* exposed */
    AZ_STEP_COPIES,        /* exposed */
    AZ_STEP_IDLE,          /* the rest of the period */
    AZ_STEP_PARTS
};
struct az_step_sample { /* ns; one step of one rank */
    int64_t rank;
    double part[AZ_STEP_PARTS];
};
AZ_VEC(struct az_step_sample, az_step_samples);

/* The steps of a result that have a period, from its table `steps`, without the one that its claims
 * exclude. Appends; 0 or AZ_ENOMEM. */
int az_step_samples_read(const struct az_document *doc, struct az_step_samples *out) AZ_MUST_USE;
/* Standard error of the median of a part, as part of it: 1.2533 sigma / sqrt n, with the robust
 * sigma 1.4826 x the median deviation from the median of the rank; NaN for fewer than `least`
 * steps. */
double az_step_samples_scatter(const struct az_step_samples *s, size_t part, size_t least);

/* How certain the difference of the median steps of two results is. */
struct az_step_spread {
    double error; /* standard error, as part of them; 0: too few steps */
    double least; /* a smaller difference, as part of them, may be none */
};
int az_step_spread_of(const struct az_document *a, const struct az_document *b,
                      struct az_step_spread *out) AZ_MUST_USE;

struct az_steps_test {
    size_t n_a, n_b;
    double effect;              /* Cliff's delta, -1 to 1: b larger where > 0 */
    double p_larger, p_smaller; /* that b is not larger, not smaller */
    double floor;               /* the least p that is possible with so many steps */
};
/* Ranks the steps of two runs within each rank (van Elteren 1960): ranks differ in speed, steps of
 * one do not. Ranks that only one run has are one block together. false: a run has no steps.
 * *rc: AZ_ENOMEM. */
bool az_steps_differ(const struct az_step_samples *a, const struct az_step_samples *b, size_t part,
                     struct az_steps_test *out, int *rc);

#endif
