/* What came before a run: of each metric one value per night. Read from a history; the judgment of
 * nights (stats/baseline_stats.h) sees no database. */
#ifndef AZ_REGRESSION_HISTORY_SERIES_H
#define AZ_REGRESSION_HISTORY_SERIES_H

#include "regression/series.h"

#define AZ_METRIC_PAST_RUNS 1000

struct az_metric_past_run {
    int64_t id, time; /* time: seconds since 1970 */
    struct az_sv created, commit;
};
AZ_VEC(struct az_metric_past_run, az_metric_past_runs);

/* What changed in these metrics up to a run was accepted. */
struct az_metric_past_accepted {
    int64_t run;         /* number; */
    int64_t time;        /* of it */
    struct az_sv figure; /* as a user names it; empty: all */
};
AZ_VEC(struct az_metric_past_accepted, az_metric_past_accepts);

/* Steps of the runs of an input that a night has. */
struct az_metric_past_steps {
    struct az_sv input;
    uint32_t run; /* index in the runs of the past */
    double steps;
};
AZ_VEC(struct az_metric_past_steps, az_metric_past_steps_list);

struct az_metric_past {
    struct az_series s; /* values: the center of a run's samples; reps: its index in runs */
    struct az_metric_past_runs runs; /* oldest first */
    struct az_metric_past_accepts accepted;
    struct az_metric_past_steps_list steps; /* in the order of runs */
    int64_t now;                            /* time of the current run; */
    struct az_sv commit;                    /* its commit */
};

/* "input / table / key / column" as a user names it: a part of it, a glob for a part, or the key of
 * the row; nothing meets all. */
bool az_metric_matches(struct az_sv key, struct az_sv text, struct az_sv of_row,
                       struct az_arena *a);

/* Steps of an input in a run, by its index; NaN: not known. */
double az_metric_past_steps_of(const struct az_metric_past *p, struct az_sv input, uint32_t run);

int az_metric_past_init(struct az_metric_past *p, struct az_arena *arena) AZ_MUST_USE;
void az_metric_past_release(struct az_metric_past *p);

#endif
