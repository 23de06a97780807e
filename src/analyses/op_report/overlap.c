/* How much of an operation runs under others of its device: operations of sub devices run at the
 * same time (docs/formats-tracy.md 6.1). */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "base/sort.h"

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx, *a = &v[*(const uint32_t *)x], *b = &v[*(const uint32_t *)y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

/* Do the rows shown name sub devices, or several numbers of worker cores? */
static void find_partitions(struct az_op_report *t)
{
    int32_t budget = -1;
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct az_oprow *r = az_op_report_oprow(t, &t->rows.v[i]);
        t->names_sub |= r->sub != AZ_NO_ID;
        t->partitioned |= r->budget > 0 && budget > 0 && r->budget != budget;
        budget = r->budget > 0 ? r->budget : budget;
    }
    t->partitioned |= t->names_sub;
}

/* In the window and the range of ids, with cycles. */
static bool has_interval(const struct az_op_report *t, size_t i)
{
    const struct az_oprow *r = &t->r->rows.v[i];
    return az_oprow_counts(r) && r->first >= 0 && r->last > r->first && r->device >= 0 &&
           (!t->in_window || t->in_window[i]) &&
           (t->o->id_range.n == 0 || (r->line >= t->range_low && r->line <= t->range_high));
}

int az_op_report_overlap(struct az_op_report *t)
{
    const struct az_oprow *v = t->r->rows.v;
    const size_t all = t->r->rows.n;
    struct az_arena *a = t->job->arena;
    uint32_t *row = az_arena_array(a, all + 1, sizeof *row);
    double *overlap = az_arena_array(a, all + 1, sizeof *overlap);
    size_t n = 0;
    int64_t until = INT64_MIN;
    bool any = false;
    find_partitions(t);
    if (!t->partitioned)
        return 0;
    if (!row || !overlap)
        return az_arena_error(a);
    for (size_t i = 0; i < all; i++)
        if (has_interval(t, i))
            row[n++] = (uint32_t)i;
    az_sort_cmp(row, n, sizeof *row, by_start, t->r->rows.v, t->job->mem);
    for (size_t i = 0; i < n; i++) {
        const struct az_oprow *r = &v[row[i]];
        const int64_t end = r->at + llround(r->kernel);
        if (i == 0 || r->device != v[row[i - 1]].device)
            until = INT64_MIN;
        if (until > r->at)
            overlap[row[i]] = (double)((until < end ? until : end) - r->at);
        any |= overlap[row[i]] >= 1;
        until = end > until ? end : until;
    }
    t->overlap = any ? overlap : NULL;
    if (n == 0)
        az_op_report_note(t,
                          "no device cycles: overlap of sub devices unknown, sums of device time "
                          "may count time twice");
    else if (!any)
        az_op_report_note(t, "operations of sub devices do not overlap");
    return 0;
}

double az_op_report_row_overlap_ns(const struct az_op_report *t, const struct az_op_report_row *row)
{
    const double overlap = t->overlap ? t->overlap[row->row] : 0;
    if (!(overlap >= 1) || !(row->kernel > 0))
        return 0;
    return overlap > row->kernel ? row->kernel : overlap;
}
