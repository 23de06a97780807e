/* Statistics by which a change is distinguished from noise: rank test, effect size, bootstrap,
 * spread, correction for many tests. Pure functions of numbers; no value may be
 * NaN. Results do not depend on the order of equal values. */
#ifndef AZ_STATS_RANK_TEST_H
#define AZ_STATS_RANK_TEST_H

#include "base/vec.h"

/* Median: midpoint of the two central values for even n; NaN for n = 0. v is not changed.
 * AZ_ENOMEM: NaN. */
double az_gate_median(const double *v, size_t n);
/* What stands for a vector of runs: the median of three or more, else the mean. */
double az_gate_center(const double *v, size_t n);
/* Median of the absolute deviations from the median, unscaled (times 1.4826 it estimates a standard
 * deviation). */
double az_gate_mad(const double *v, size_t n);

enum az_tail { AZ_TAIL_GREATER, AZ_TAIL_LESS, AZ_TAIL_TWO };
struct az_mwu {
    double u;      /* of the candidate: pairs (c, b) with c > b, ties count half */
    double p;      /* of the alternative "candidate is greater" (or less, or different) */
    double effect; /* Cliff's delta, 2 u / (nb nc) - 1: -1 all smaller, 1 all greater */
    bool exact;
};
/* Mann-Whitney U test. Exact without ties and with at most 8 values on a side (counts by the
 * recurrence f(n,m,u) = f(n-1,m,u-m) + f(n,m-1,u)), else the normal approximation with tie and
 * continuity correction; exact counting stops at nb * nc = 65536. Two-sided: twice the smaller
 * tail, at most 1, as SciPy has it. Both n >= 1. AZ_ENOMEM. */
int az_mann_whitney(const double *b, size_t nb, const double *c, size_t nc, enum az_tail tail,
                    struct az_mwu *out) AZ_MUST_USE;
/* Smallest one-sided p that is possible for samples of these sizes: 1 / C(nb + nc, nb). */
double az_mann_whitney_floor(size_t nb, size_t nc);

/* Seeded random numbers: xoshiro256** (Blackman and Vigna), its state from splitmix64. */
struct az_rng {
    uint64_t s[4];
};
void az_rng_init(struct az_rng *r, uint64_t seed);
/* Index below n, which is below 2^32; the bias of the product is below n / 2^32. */
size_t az_rng_below(struct az_rng *r, size_t n);

/* Interval of median(C*) / median(B*) over `rounds` resamples: its quantiles alpha and 1 - alpha
 * (linear between ranks). The generator is xoshiro256** seeded from `seed` alone, so that a result
 * can be had again. AZ_ERANGE: a resampled median of the baseline is 0. AZ_ENOMEM. */
int az_bootstrap_ratio(const double *b, size_t nb, const double *c, size_t nc, double alpha,
                       unsigned rounds, uint64_t seed, double *low, double *high) AZ_MUST_USE;
/* FNV-1a of a text: a seed that is the same everywhere and always. */
uint64_t az_gate_seed(struct az_sv text);

/* Holm's step-down correction in place: p[i] becomes the corrected p, at most 1. AZ_ENOMEM. */
int az_holm(double *p, size_t n) AZ_MUST_USE;

#endif
