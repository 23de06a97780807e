/* The metrics of a history and their nights, with the levels and the marks that a trend has. */
#ifndef AZ_REGRESSION_TREND_METRICS_H
#define AZ_REGRESSION_TREND_METRICS_H

#include "regression/history.h"
#include "regression/trend_nights.h"
#include "stats/baseline_stats.h"

struct az_trend_metric {
    int64_t id;
    struct az_sv text, key, unit, name, input;
    int worse; /* +1: larger is, -1: smaller is, 0: not known */
};
AZ_VEC(struct az_trend_metric, az_trend_metrics);

/* Metrics that the key matches (az_metric_matches), key metrics first. */
int az_trend_find_metrics(struct az_history *h, struct az_sv key, struct az_arena *a,
                          struct az_trend_metrics *out) AZ_MUST_USE;
/* Noise of the key metrics together, as in the gate. Others may be several columns of one time. */
int az_trend_pool(struct az_history *h, struct az_arena *a,
                  struct az_baseline_others *out) AZ_MUST_USE;
/* The nights of a metric, oldest first: their values, levels and the status of the gate. */
int az_trend_load(struct az_history *h, const struct az_trend_metric *m,
                  const struct az_baseline_others *others, struct az_arena *a,
                  struct az_trend_nights *out) AZ_MUST_USE;
/* Replaces the numbers of failed metrics and outliers of runs by those that later runs prove
 * (az_trend_correct_marks). */
int az_history_correct_counts(struct az_history *h, struct az_arena *a,
                              struct az_history_runs *runs) AZ_MUST_USE;

#endif
