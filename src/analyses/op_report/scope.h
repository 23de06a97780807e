/* What of a report of operations its verdict is about: a part of the timeline of its devices, the
 * account of each in it, and the gaps between operations. Private to this folder. */
#ifndef AZ_ANALYSES_OP_REPORT_SCOPE_H
#define AZ_ANALYSES_OP_REPORT_SCOPE_H

#include "analyses/op_report/opreport.h"
#include "analyses/op_report/totals.h"
#include "base/interval.h"

struct az_steps;

struct az_op_report_scope {
    struct az_op_report *t;
    size_t trace; /* its place in the job */
    const struct az_steps *steps;
    enum az_account_scope scope;
    struct az_span window, all; /* ns; of all devices: the scope, all operations */
    uint32_t *row;              /* operations that count, by device and start */
    size_t n;
    uint8_t *skip;                      /* by place in `row`: of an idle device */
    struct az_op_report_device *device; /* by number */
    size_t *first;                      /* n_devices + 1: where each begins in `row` */
    size_t n_devices, working;          /* working: not idle */
};
/* All in the job's arena. n is 0 where no operation has possible times. */
int az_op_report_scope_make(struct az_op_report_scope *s, struct az_op_report *t) AZ_MUST_USE;

/* Is a row of the report in its tables: in the window of the signposts and in the range of ids? */
bool az_op_report_in_tables(const struct az_op_report_scope *s, uint32_t row);

/* Operations of a device in the order of their calls. */
struct az_op_report_calls {
    uint32_t *place; /* by row: place in that order */
    int64_t *lost;   /* by place: operations before it, of all devices, without possible times */
};
int az_op_report_calls_make(struct az_op_report_calls *c,
                            const struct az_op_report_scope *s) AZ_MUST_USE;
/* Was an operation without possible times called between two rows of one device? */
static inline bool az_op_report_has_lost(const struct az_op_report_calls *c, uint32_t a, uint32_t b)
{
    const uint32_t x = c->place[a], y = c->place[b];
    return x < y ? c->lost[y] > c->lost[x + 1] : c->lost[x] > c->lost[y + 1];
}

struct az_op_report_gap {
    uint32_t before, next; /* rows of the report */
    int64_t ns;
};
AZ_VEC(struct az_op_report_gap, az_op_report_gap_list);
/* Of devices that are not idle, inside the window, by device and time. */
int az_op_report_gaps_find(const struct az_op_report_scope *s,
                           struct az_op_report_gap_list *out) AZ_MUST_USE;

#endif
