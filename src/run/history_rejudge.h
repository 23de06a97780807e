/* Verdicts of a history made again, as if its runs had come in the order of their own times. */
#ifndef AZ_RUN_HISTORY_REJUDGE_H
#define AZ_RUN_HISTORY_REJUDGE_H

#include "config/config.h"
#include "regression/history.h"

/* Tests every run by the rules of `c` against the runs before it, and replaces its verdict; *n:
 * runs, *changed: those whose outcome is another. Rules have the metrics that the history stores.
 */
int az_history_rejudge(struct az_history *h, const struct az_config *c, size_t *n, size_t *failed,
                       struct az_diag *diag) AZ_MUST_USE;

#endif
