/* Replays of captured traces: the table `replays`, one row per replay, and which of them is the
 * median one (docs/formats-tracy.md 3.3). */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "base/num.h"
#include "base/sort.h"
#include "document/record.h"

struct replay {
    int64_t ops;
    struct az_sv trace, session;
    double time, gap, after; /* us; after: from the start of the one before of its trace; NaN */
    int64_t start;           /* ns */
    bool median;
};
AZ_VEC(struct replay, replays);

static const struct az_record_column replay_columns[] = {
    { "Trace", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct replay, trace) },
    { "Session", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct replay, session) },
    { "Device Ops", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct replay, ops) },
    { "Device Time", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER, AZ_FIELD(struct replay, time) },
    { "Op-to-Op Gap", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER, AZ_FIELD(struct replay, gap) },
    { "Start to Start", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER,
      AZ_FIELD(struct replay, after) },
    { "Median", AZ_BOOL, AZ_FIELD(struct replay, median) },
};

static int add_row(struct az_op_report *t, struct az_map *index, struct replays *v,
                   const struct az_op_report_row *row)
{
    const struct az_oprow *r = az_op_report_oprow(t, row);
    uint32_t *at;
    bool added;
    int rc = az_map_put(index, r->replay, 0, (uint32_t)v->n, &at, &added);
    if (rc == 0 && added) {
        struct az_sv session = az_op_report_text(t, r->replay), trace = az_sv_cut(&session, '/');
        rc = az_vec_push(
            v, ((struct replay){
                   .trace = trace, .session = session, .start = INT64_MAX, .after = NAN }));
    }
    if (rc)
        return rc;
    struct replay *x = &v->v[*at];
    x->ops++;
    x->time += az_op_report_row_ns(t, row); /* whole ns until measure() */
    x->gap += az_op_report_row_gap_ns(t, row);
    if (az_oprow_counts(r) && r->at < x->start)
        x->start = r->at;
    return 0;
}

/* Microseconds; distances of starts within each trace. */
static void measure(struct replays *v)
{
    for (size_t i = 0; i < v->n; i++) {
        v->v[i].time /= 1000;
        v->v[i].gap /= 1000;
    }
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = i; k-- > 0;) {
            if (!az_sv_eq(v->v[k].trace, v->v[i].trace))
                continue;
            if (v->v[i].start < INT64_MAX && v->v[k].start < INT64_MAX)
                v->v[i].after = (double)(v->v[i].start - v->v[k].start) / 1000;
            break;
        }
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const struct replay *v = ctx, *x = &v[*(const uint32_t *)a], *y = &v[*(const uint32_t *)b];
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The replays of the trace of v[first]: marks the median one by device time (of an even number the
 * lower of the two in the middle), and prints them. */
static void find_median(struct az_op_report *t, struct replays *v, size_t first, uint32_t *row)
{
    const struct az_sv trace = v->v[first].trace;
    size_t n = 0;
    for (size_t i = first; i < v->n; i++)
        if (az_sv_eq(v->v[i].trace, trace))
            row[n++] = (uint32_t)i;
    az_sort_cmp(row, n, sizeof *row, by_time, v->v, t->job->mem);
    struct replay *middle = &v->v[row[(n - 1) / 2]];
    middle->median = true;
    az_op_report_note(
        t,
        "trace %.*s: %zu replay%s, median %.1f us of device time (session %.*s), %.1f "
        "to %.1f us",
        AZ_SVF(trace), n, n == 1 ? "" : "s", (middle->time + v->v[row[n / 2]].time) / 2,
        AZ_SVF(middle->session), v->v[row[0]].time, v->v[row[n - 1]].time);
}

static int find_medians(struct az_op_report *t, struct replays *v)
{
    uint32_t *row = az_arena_array(t->job->arena, v->n + 1, sizeof *row);
    int rc = row ? 0 : az_arena_error(t->job->arena);
    for (size_t i = 0; rc == 0 && i < v->n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = az_sv_eq(v->v[k].trace, v->v[i].trace);
        if (!seen)
            find_median(t, v, i, row);
    }
    return rc;
}

int az_op_report_replays(struct az_op_report *t)
{
    struct az_map index;
    struct replays v;
    if (!t->r->replayed)
        return 0;
    az_vec_init(&v, t->job->mem);
    int rc = 0;
    az_map_init(&index, t->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < t->rows.n; i++)
        if (az_op_report_oprow(t, &t->rows.v[i])->replay != AZ_NO_ID)
            rc = add_row(t, &index, &v, &t->rows.v[i]);
    if (rc == 0 && v.n) {
        struct az_table *x = AZ_RECORD_TABLE(t->job->arena, "replays", "Trace replays",
                                             AZ_TABLE_SUMMARY, replay_columns);
        measure(&v);
        rc = find_medians(t, &v);
        if (x && rc == 0)
            AZ_PUT_ROWS(x, v.v, v.n);
        rc = az_op_report_emit(t, x, rc);
    }
    az_vec_release(&v);
    az_map_release(&index);
    return rc;
}
