/* Statistics, exact and in a fixed order. */
#ifndef AZ_STATS_STATS_H
#define AZ_STATS_STATS_H

#include "base/vec.h"

/* Five-number summary of integers. std is the sample deviation (n - 1), NaN for n < 2 (a table
 * leaves the cell empty or prints 0 as its users expect). median is the midpoint of the two central
 * values for even n. */
struct az_stats {
    size_t n;
    int64_t sum, min, max; /* sum saturates */
    double mean, median, std;
};

/* Reorders v (selection); n = 0 returns zeros and NaN. mean = (double)sum / n; std by two passes
 * about the mean. */
void az_stats_i64(int64_t *v, size_t n, struct az_stats *out);
/* A value that occurs `times` times. */
struct az_repeated {
    int64_t value;
    uint32_t times;
};
/* az_stats_i64 of what v[] stands for; v is sorted by value. All zero times: as for n = 0. */
void az_stats_repeated(const struct az_repeated *v, size_t n, struct az_stats *out);
/* The two central values of n > 0 (odd n: one, twice). Reorders v. */
void az_middle_i64(int64_t *v, size_t n, int64_t middle[2]);
/* Percentile p in 0..100 by linear interpolation between closest ranks (numpy's default); reorders
 * v. NaN for n = 0. */
double az_percentile_i64(int64_t *v, size_t n, double p);
/* The same for doubles, which must not contain NaN. */
double az_percentile_f64(double *v, size_t n, double p);
double az_mean_f64(const double *v, size_t n);
/* ddof 1 sample, 0 population; NaN where undefined. */
double az_std_f64(const double *v, size_t n, unsigned ddof);

/* Mean and squared deviations as values come, in constant room (Welford); parts are merged (Chan).
 * Equal values leave m2 at exactly 0. The result depends on the order by rounding alone. */
struct az_moments {
    uint64_t n;
    double mean, m2;
};
void az_moments_add(struct az_moments *m, double x);
void az_moments_merge(struct az_moments *into, const struct az_moments *from);
/* ddof 1 sample, 0 population; NaN where undefined. */
double az_moments_std(const struct az_moments *m, unsigned ddof);

#endif
