/* Limits from repeated runs of one thing: how far do metrics move although nothing changed?
 * (features: gate statistics, the rule of tt-metal#53763.) */
#ifndef AZ_REGRESSION_CALIBRATE_H
#define AZ_REGRESSION_CALIBRATE_H

#include "regression/series.h"

struct az_calibrated {
    struct az_sv sheet, name, unit;
    double rel, abs; /* no metric of this table and column moves by more than both; rounded up to
                        two digits, rel at least 0.1 % */
    size_t figures, runs;
    double worst_rel, worst_abs; /* the largest moves seen */
};
AZ_VEC(struct az_calibrated, az_calibrated_list);

/* One row per table and column, in order of first appearance; metrics of fewer than two runs are
 * skipped. A move is (max - min) of the runs, relative to their median. Of all pairs (rel, abs)
 * without a false alarm it is the one whose two parts are the smallest shares of the largest moves.
 */
int az_calibrate(const struct az_series *s, struct az_calibrated_list *out) AZ_MUST_USE;

#endif
