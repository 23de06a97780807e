/* Rows of a timeline: an account with the row names of gpu_timeline (docs/account.md 1). */
#ifndef AZ_ANALYSES_TIMELINE_H
#define AZ_ANALYSES_TIMELINE_H

#include "facts/account.h"

enum { AZ_TIMELINE_ROWS = 10 };
struct az_timeline_row {
    const char *type;
    int64_t ticks;
};
/* The rows in their order; with `split` idle time as micro and macro idle time. Returns how many.
 */
size_t az_timeline_rows(const struct az_account *a, bool split,
                        struct az_timeline_row row[AZ_TIMELINE_ROWS]);
/* A chart of the parts of a table with these rows; `stack`: its key column, NULL: none. */
int az_timeline_chart(struct az_job *job, enum az_chart_kind kind, const char *table,
                      const char *title, const char *time, const char *stack) AZ_MUST_USE;

#endif
