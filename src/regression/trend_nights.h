/* The nights of a metric in a trend, and what their marks are once the nights after them are known.
 */
#ifndef AZ_REGRESSION_TREND_NIGHTS_H
#define AZ_REGRESSION_TREND_NIGHTS_H

#include "base/sv.h"
#include "base/vec.h"

struct az_trend_night {
    int64_t run;
    struct az_sv created, label, commit;
    struct az_sv mark; /* status of the gate, blanks between several; empty: passed */
    double value;
    bool good, accepted;
    double level, low, high; /* of the nights before it; NaN: too few */
};
AZ_VEC(struct az_trend_night, az_trend_nights);

/* A regression of two nights or more that ended. */
struct az_trend_recovered {
    size_t first, last; /* nights of it */
    double part;        /* change, of the level before; the median of its nights */
};
AZ_VEC(struct az_trend_recovered, az_trend_recoveries);

/* Replaces marks that later nights disproved: a night that was first an outlier begins a regression
 * where the next ones are as far off and fail, and one that failed alone, with the next one back at
 * the level, was an outlier. Adds the regressions that ended. */
int az_trend_correct_marks(struct az_trend_nights *n, struct az_trend_recoveries *out) AZ_MUST_USE;

/* Marks nights that passed, beyond the range of the nights before them. */
void az_trend_mark_outside(struct az_trend_nights *n);

/* Gradual changes of the metrics of an input are one change where they go on for about as many
 * nights: a fit finds the beginning of a slope within a few nights, later in a metric with more
 * noise. `earlier` and `later` are these numbers of nights; true: the change of `later` began with
 * that of `earlier`. */
bool az_trend_is_one_change(size_t earlier, size_t later);

#endif
