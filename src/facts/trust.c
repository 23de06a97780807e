/* The trust checks of a trace. */
#include "facts/trust.h"

static int make(struct az_job *job, size_t trace, struct az_trust *r)
{
    (void)job;
    (void)trace;
    (void)r; /* every check is not_applicable */
    return 0;
}

const struct az_trust *az_job_trust(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    void **of = slot ? *slot : NULL;
    *rc = of ? 0 : az_arena_error(job->arena);
    if (of && !of[trace]) {
        struct az_trust *r = az_arena_alloc(job->arena, sizeof *r);
        *rc = r ? make(job, trace, r) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : r;
    }
    const struct az_trust *made = of ? of[trace] : NULL;
    az_job_leave(job, slot);
    return made;
}

/* The first of the rows whose call begins at `tick` or later. */
static size_t first_from(const uint32_t *row, size_t n, const int64_t *start, int64_t tick)
{
    size_t lo = 0;
    while (lo < n) {
        const size_t mid = lo + (n - lo) / 2;
        if (start[row[mid]] < tick)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

static bool gap_holds(const uint32_t *row, size_t n, const struct az_trace *t, int64_t gap_start,
                      int64_t gap_end, uint32_t before, uint32_t after)
{
    const int64_t *start = t->ev[AZ_CALL].start;
    if (n == 0)
        return false;
    size_t i = first_from(row, n, start, gap_start);
    if (i < n && start[row[i]] < gap_end)
        return true;
    if (before == AZ_NO_ROW || after == AZ_NO_ROW)
        return false;
    const int64_t a = start[before], b = start[after];
    const int64_t from = a < b ? a : b, to = a < b ? b : a;
    i = from < INT64_MAX ? first_from(row, n, start, from + 1) : n;
    return i < n && start[row[i]] < to;
}

bool az_trust_gap_holds_lost(const struct az_trust *r, const struct az_trace *t, int64_t gap_start,
                             int64_t gap_end, uint32_t launch_before, uint32_t launch_after)
{
    return gap_holds(r->lost, r->n_lost, t, gap_start, gap_end, launch_before, launch_after);
}

bool az_trust_gap_holds_graph(const struct az_trust *r, const struct az_trace *t, int64_t gap_start,
                              int64_t gap_end, uint32_t launch_before, uint32_t launch_after)
{
    return gap_holds(r->bare, r->n_bare, t, gap_start, gap_end, launch_before, launch_after);
}
