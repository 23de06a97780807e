/* Host side of an SQLite export: API calls, operating system calls, profiler overhead
 * (docs/formats-nsight.md 3.2, 3.3). */
#include "formats/nsys/nsys_sqlite.h"

#define OSRT_CLASS 27 /* eventClass of calls; others are periods the profiler made up */

/* The fifth column differs: correlation of API calls, class of operating system events. */
enum { START, END, THREAD, NAME, OVERHEAD_N, CORR = OVERHEAD_N, CLASS = OVERHEAD_N, CALLS_N };

#define COMMON_COLUMNS                                                                             \
    { "start", true }, { "end", true }, { "globalTid", false }, { "nameId", true }
static const struct az_nsys_column calls[] = { COMMON_COLUMNS, { "correlationId", false } };
static const struct az_nsys_column os_calls[] = { COMMON_COLUMNS, { "eventClass", false } };
static const struct az_nsys_column overheads[] = { COMMON_COLUMNS };

struct kind_of_table {
    enum az_kind kind;
    struct az_nsys_names *names;
};

static int take_row(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    const struct kind_of_table *k = ctx;
    if (az_nsys_without_time(x, r, START, END, k->kind))
        return 0;
    x->t->read++;
    if (k->kind == AZ_OSRT && r->at[CLASS] >= 0 && az_nsys_i64(r, CLASS) != OSRT_CLASS) {
        az_trace_dropped(x->t, AZ_DROP_NOT_MODELLED, "operating system event other than a call", 1,
                         0);
        return 0;
    }
    struct az_event e = { .start = az_nsys_i64(r, START),
                          .end = az_nsys_i64(r, END),
                          .side = AZ_NO_ROW,
                          .corr = k->kind == AZ_CALL ? (uint64_t)az_nsys_i64(r, CORR) : 0 };
    int rc = az_nsys_host_lane(x, (uint64_t)az_nsys_i64(r, THREAD), &e.lane);
    if (rc == 0)
        rc = az_nsys_name(x, k->names, az_nsys_i64(r, NAME), &e.name);
    return rc == 0 ? az_nsys_add(x, k->kind, &e) : rc;
}

int az_nsys_read_host(struct az_nsys_db *x)
{
    struct kind_of_table call = { AZ_CALL, &x->api_names }, os = { AZ_OSRT, &x->names },
                         overhead = { AZ_OVERHEAD, &x->names };
    az_trace_columns(x->t, AZ_CALL, AZ_COL_CORR);
    int rc =
        az_nsys_each_numbers(x, "CUPTI_ACTIVITY_KIND_RUNTIME", calls, CALLS_N, take_row, &call);
    if (rc == 0)
        rc = az_nsys_each_numbers(x, "OSRT_API", os_calls, CALLS_N, take_row, &os);
    if (rc == 0)
        rc = az_nsys_each_numbers(x, "PROFILER_OVERHEAD", overheads, OVERHEAD_N, take_row,
                                  &overhead);
    return rc;
}
