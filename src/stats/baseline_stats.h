/* One metric over nights: its level, its scatter, and whether the newest night still belongs to
 * that level (docs/formulas-nightly.md). Pure functions of numbers: seeded, deterministic, without
 * a database.
 *
 * Noise comes from successive differences, so that a step or a drift is not noise (von Neumann
 * 1941, made robust). Change points: binary segmentation by the energy statistic with a permutation
 * test (E-divisive: Matteson and James, JASA 109, 2014), where a standardized difference of means
 * and a rank test agree. */
#ifndef AZ_STATS_BASELINE_STATS_H
#define AZ_STATS_BASELINE_STATS_H

#include "base/vec.h"

/* Correlation of neighbors above which they count as correlated: no rank test or order of nights
 * separates chance from change then. */
#define AZ_BASELINE_ALIKE 0.2

/* Estimates from the other metrics of the same runs; all 0 where there are none. */
struct az_baseline_others {
    double spikes, all; /* single outlier nights, of so many metric-nights */
    double correlation; /* of neighbors, the median of theirs, bounded by that of differences */
    double news;        /* correlation by differences alone, the median: no level adds to it */
    double flat;        /* the usual one without the drift of each: no drift of all adds to it */
    double noise;       /* median of the logarithms of their noise, as part of each level */
    double apart;       /* standard deviation of these beyond their own errors */
    size_t figures;     /* that noise and apart are of; few: neither is used */
};

struct az_baseline_in {
    const double *v; /* oldest first, no NaN; the last one is tested */
    size_t n;
    double within; /* standard error of a night's value as the spread within runs has it, part of
                      the value; 0: not known */
    const double *error;  /* so, of each night by the number of its steps, NaN: not known; NULL: of
                             none. Stands for `within` where one is known */
    double limit;         /* standard deviations by which a single night is off; 0: the default */
    const int64_t *time;  /* seconds since 1970; NULL: a day apart */
    const bool *accepted; /* what changed up to this night, this one included, was accepted; NULL:
                             nothing was */
    const bool *failed;   /* nights that failed; NULL: none did */
    size_t hold;          /* nights after which a worse level is accepted by itself; 0: never */
    int worse;            /* +1: larger is worse, -1: smaller, 0: any change */
    int64_t drift_days;   /* of the window in which a slope is searched; 0: none */
    struct az_baseline_others others;
    bool gradual; /* describe the newest change also where no night fails */
    uint64_t seed;
};

enum az_baseline_kind {
    AZ_BASELINE_SAME,
    AZ_BASELINE_JUMP,    /* this night alone is off */
    AZ_BASELINE_OUTLIER, /* so, in a history where single nights are off now and then */
    AZ_BASELINE_STEP     /* the level changed, and stayed for two nights or more */
};

struct az_baseline {
    size_t *base; /* nights of the accepted level, oldest first; released by the caller */
    size_t n_base, room;
    double center;      /* of them, robust */
    double noise;       /* standard deviation of one night, in the metric's unit */
    double newest;      /* so, of this one by its steps */
    double correlation; /* of one night with the next, 0 to 0.95 */
    double spikes;      /* single outlier nights before this one */
    bool within;        /* the noise is that within runs: it is larger than that between them */
    enum az_baseline_kind kind;
    int side;       /* +1: to the worse, -1: to the better; 0: neither */
    double z;       /* of this night, or of the step, in standard deviations */
    double p;       /* of the step's rank test; NaN: none */
    size_t at;      /* first night of the level that the newest night belongs to */
    double before;  /* level before that night */
    double level;   /* level from there on */
    size_t changed; /* first night of the newest level, whether it is accepted or not; 0: the only
                       one */
    double changed_from, changed_to; /* medians before and from then on; */
    bool gradual; /* where it is not: `changed` is the first night of a slope between these levels,
                   */
    size_t changed_end;                 /* and this one the last */
    double newest_level, earlier_level; /* of the last nights, and of those before them since the
                                           newest change */
    bool drift;                         /* a slope explains the window better than a step */
    double slope;    /* per day, in the metric's unit; to the worse where > 0 with worse = 1 */
    double drifted;  /* over the window, in the metric's unit */
    size_t drift_at; /* first night of the window */
    bool held;       /* the night before failed, and this one does not show that its level ended */
    double total; /* what was lost since the accepted level, in the metric's unit; 0: nothing that
                     is sure */
    double least; /* change that one more night would show, in the metric's unit; NaN: not known */
    double least_run; /* so, that five nights would show */
};

/* AZ_ENOMEM. `out->base` is released with az_baseline_release. */
int az_baseline_judge(const struct az_baseline_in *in, struct az_baseline *out) AZ_MUST_USE;
void az_baseline_release(struct az_baseline *n);

/* ---- noise_pool.c ---- */
/* Estimates from the nights of one metric, without the newest, for the others. */
struct az_baseline_estimates {
    size_t n;
    double spikes;      /* single outlier nights */
    double correlation; /* of neighbors, by differences */
    double plain;       /* so, the usual one: known better, too large where levels change;
                           NaN: not known */
    double flat;        /* so, without a drift */
    double noise;       /* logarithm of the noise as part of the level; NaN: there is none */
};
/* error: as in az_baseline_in, or NULL. AZ_ENOMEM. */
int az_baseline_estimate(const double *v, const double *error, size_t n,
                         struct az_baseline_estimates *out) AZ_MUST_USE;
/* Of all metrics together. AZ_ENOMEM. */
int az_baseline_pool(const struct az_baseline_estimates *of, size_t n,
                     struct az_baseline_others *out) AZ_MUST_USE;
/* Noise of a metric from n nights, drawn to that of the others as far as theirs are similar;
 * *known: nights that are as much evidence as these and the others together. */
double az_baseline_moderate(double noise, size_t n, const struct az_baseline_others *others,
                            double *known);
/* Is most of the scatter of y that of a few changes, levels from some night on or slopes from
 * there? Then neighbors are correlated by the changes. Least squares at some nights, one after
 * another. room: n values. */
bool az_baseline_is_changing(const double *y, size_t n, double *room);
/* Logarithms of v where all is of one order, so that noise is relative on either side of a step,
 * else parts of the usual size; true: logarithms. y and scratch: n values. *unit: what 0 or 1 of y
 * is. */
bool az_baseline_scale(const double *v, size_t n, double *y, double *scratch, double *unit);

/* ---- nights_even.c ---- */
/* Weights of nights: the variance of a usual one over that of each, by their errors (as in
 * az_baseline_in) and by the remaining scatter of nights, from the differences of all but the
 * newest. false: nights weigh the same, and weight[] is 1. *usual: the usual error; 0: none is
 * known. scratch: 2 n values. */
bool az_baseline_weigh(const double *y, const double *error, size_t n, double *weight,
                       double *scratch, double *usual);
/* The nights as they would scatter if they weighed the same: each drawn to where those around it
 * are, or away from there. */
void az_baseline_even(const double *y, const double *weight, size_t n, double *out);

/* ---- noise_estimate.c ---- */
/* Standard deviation from successive differences: the larger of 1.4826 x median |d - median d| /
 * sqrt 2 and Winsorized squares (Huber) about the median. *correlation of neighbors by the ratio
 * of the squared scales of differences two and one apart (Cressie and Hawkins 1980), 1 + rho, after
 * slopes over some nights were removed; as it is measured, -0.5 to 0.95; 0 for few nights. v has n
 * >= 2 values; scratch 3 n. */
double az_baseline_noise(const double *v, size_t n, double *scratch, double *correlation);
/* The usual correlation of neighbors about the mean, clipped, corrected for the short series
 * (Marriott and Pope 1954). Steps and slopes make it larger, never smaller: it is a bound where a
 * pattern (two slow nights of each week) is no autoregression. far: n values of room; NaN: not
 * known.
 */
double az_baseline_plain(const double *v, size_t n, double *far);
/* So, without the drift from some night on that explains the nights best; a bound is none where
 * they drift. far: 2 n values of room. */
double az_baseline_flat(const double *v, size_t n, double *far);
/* Variance of the mean of k neighbors in units of that of one, first order autoregression. */
double az_baseline_mean_variance(size_t k, double correlation);
/* Replaces single nights that are off both neighbors, the newest excepted; their number. weight of
 * each, or NULL. */
size_t az_baseline_clean(double *v, const double *weight, size_t n, double noise, bool *odd);
/* What limits grow by where the noise itself is known from n nights only, which count for fewer
 * where neighbors are correlated. */
double az_baseline_small(double n, double correlation);

/* ---- drift_test.c ---- */
struct az_baseline_series {
    const double *v;      /* without outlier nights */
    const double *raw;    /* with them; for a split */
    const double *day;    /* of each, the newest 0; for a slope */
    const double *weight; /* of each; NULL: all the same */
    size_t n;
    double noise, correlation; /* of a night, and of neighbors */
    double known;              /* nights that the noise is known from */
};
/* Does a slope explain v[from..n) better than a step, and is it one? *slope: a day. */
bool az_baseline_drift(const struct az_baseline_series *s, size_t from, double *slope);

/* ---- level_hold.c ---- */
struct az_level_hold {
    const double *v;      /* without outlier nights */
    const double *weight; /* of each; NULL: all the same */
    const bool *failed;
    size_t n;
    double center, noise;
    double of_center; /* nights that the accepted level is known from, by their weight */
    int worse;
};
/* Are the newest nights at the accepted level, where nights up to the one before this failed? The
 * sum of the logarithms of the odds of the two levels, from the night on for which it is largest
 * (Page 1954). True where the night before did not fail. */
bool az_baseline_is_back(const struct az_level_hold *h);
/* Change along a line through v[from..n), where its slope is one. */
double az_baseline_total(const struct az_level_hold *h, size_t from, double known);

/* ---- gradual_change.c ---- */
struct az_ramp {
    size_t at, end;       /* first and last night of the slope */
    double level, newest; /* before and after it */
};
/* Does the series end in a slope, or in a level that a slope led to, rather than in the last of the
 * levels that begin at cut[0..segments)? cut[segments] is its end. */
bool az_baseline_ramp(const struct az_baseline_series *of, const size_t *cut, size_t segments,
                      struct az_ramp *out);

/* ---- change_points.c ---- */
struct az_split {
    size_t at;   /* first index of the right part, or of a level that changed back */
    size_t to;   /* n, or the end of such a level */
    double z, p; /* p: of the rank test; NaN: none was made */
};
/* The split of a series that explains it best; false: none is significant. */
bool az_baseline_split(const struct az_baseline_series *of, uint64_t seed, struct az_split *out);

#endif
