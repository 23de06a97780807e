/* Host side of an SQLite export: API calls, operating system calls, profiler overhead (spec/nsys.md 3.2, 3.3). */
#include "formats/nsys_sqlite.h"

#define OSRT_CLASS 27 /* eventClass of calls; others are periods the profiler made up */

enum { START, END, THREAD, NAME, CORR, CLASS, N };

static int read_table(struct nsys_db *x, const char *table, enum az_kind kind, struct nsys_names *names,
                      const struct nsys_want *want)
{
    struct nsys_query q;
    int rc = nsys_query_open(x, &q, table, want, N);
    if (rc <= 0)
        return rc;
    while ((rc = nsys_query_next(x, &q)) == 1) {
        x->t->read++;
        if (kind == AZ_OSRT && q.at[CLASS] >= 0 && nsys_i64(&q, CLASS) != OSRT_CLASS) {
            az_trace_dropped(x->t, "operating system event that is no call", 1, 0);
            continue;
        }
        struct az_event e = { .start = nsys_i64(&q, START),
                              .end = nsys_i64(&q, END),
                              .side = AZ_NO_ROW,
                              .corr = (uint64_t)nsys_i64(&q, CORR) };
        rc = nsys_host_lane(x, (uint64_t)nsys_i64(&q, THREAD), &e.lane);
        if (rc == 0)
            rc = nsys_name(x, names, nsys_i64(&q, NAME), &e.name);
        if (rc == 0)
            rc = nsys_add(x, kind, &e);
        if (rc != 0)
            break;
    }
    nsys_query_close(&q);
    return rc;
}

int nsys_read_host(struct nsys_db *x)
{
    /* A column that does not exist anywhere stands for "not asked". */
    static const struct nsys_want calls[N] = { { "start", true },  { "end", true },            { "globalTid", false },
                                               { "nameId", true }, { "correlationId", false }, { "-", false } };
    static const struct nsys_want os[N] = { { "start", true },  { "end", true }, { "globalTid", false },
                                            { "nameId", true }, { "-", false },  { "eventClass", false } };
    static const struct nsys_want overhead[N] = { { "start", true },  { "end", true }, { "globalTid", false },
                                                  { "nameId", true }, { "-", false },  { "-", false } };
    az_trace_columns(x->t, AZ_CALL, AZ_COL_CORR);
    int rc = read_table(x, "CUPTI_ACTIVITY_KIND_RUNTIME", AZ_CALL, &x->api_names, calls);
    if (rc == 0)
        rc = read_table(x, "OSRT_API", AZ_OSRT, &x->names, os);
    if (rc == 0)
        rc = read_table(x, "PROFILER_OVERHEAD", AZ_OVERHEAD, &x->names, overhead);
    return rc;
}
