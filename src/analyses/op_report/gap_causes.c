/* Why a device waited between two operations: what was replayed, compiled or run on the host
 * (docs/formats-tracy.md 18). */
#include <math.h>

#include "analyses/op_report/findings.h"
#include "stats/stats.h"

#define COMPILES 1e5 /* ns: gaps from here on before an operation that runs first compile it */
#define UNLIKE   4   /* x the median of the other gaps: a gap before a first run is another */

static int find_first_runs(struct az_op_report_gap_rules *r)
{
    const struct az_oprows *rows = &r->t->r->rows;
    struct az_map seen;
    int rc = 0;
    az_map_init(&seen, r->t->job->mem, 256);
    r->first = az_arena_array(r->t->job->arena, rows->n + 1, 1);
    if (!r->first)
        rc = az_arena_error(r->t->job->arena);
    for (size_t i = 0; rc == 0 && i < rows->n; i++) {
        const struct az_oprow *x = &rows->v[i];
        uint32_t *at;
        bool added = false;
        if (x->kind == AZ_OPROW_DEVICE)
            rc = az_map_put(&seen, (uint64_t)x->code << 32 | x->args, (uint64_t)x->device, 0, &at,
                            &added);
        r->first[i] = added;
        r->replayed |= x->kind == AZ_OPROW_DEVICE && x->replay != AZ_NO_ID;
    }
    az_map_release(&seen);
    return rc;
}

static int find_others(struct az_op_report_gap_rules *r, const struct az_op_report_gap_list *gaps)
{
    struct az_vec_f64 v;
    int rc = 0;
    az_vec_init(&v, r->t->job->mem);
    for (size_t i = 0; rc == 0 && i < gaps->n; i++)
        if (!r->first[gaps->v[i].next])
            rc = az_vec_push(&v, (double)gaps->v[i].ns);
    r->others = v.n ? az_percentile_f64(v.v, v.n, 50) : NAN;
    az_vec_release(&v);
    return rc;
}

int az_op_report_gap_rules_make(struct az_op_report_gap_rules *r, struct az_op_report *t,
                                const struct az_op_report_gap_list *gaps)
{
    *r = (struct az_op_report_gap_rules){ .t = t };
    const int rc = find_first_runs(r);
    return rc ? rc : find_others(r, gaps);
}

static bool compiles(const struct az_op_report_gap_rules *r, const struct az_op_report_gap *g)
{
    const uint8_t cached = r->t->r->rows.v[g->next].cached;
    /* a miss is also recorded of programs that ran before */
    if ((double)g->ns < COMPILES || cached == AZ_FLAG_TRUE)
        return false;
    return r->first[g->next] && !((double)g->ns < UNLIKE * r->others);
}

/* The host operation with the most time of those called between two operations, where all of them
 * take half of the gap; AZ_NO_ID. */
static uint32_t host_work(const struct az_op_report_gap_rules *r, const struct az_op_report_gap *g)
{
    const struct az_events *e = &r->t->trace->ev[AZ_HOST_OP];
    const int64_t from = r->t->r->rows.v[g->before].start, to = r->t->r->rows.v[g->next].start;
    size_t lo = 0, hi = e->n;
    int64_t sum = 0, most = -1;
    uint32_t name = AZ_NO_ID;
    if (from == INT64_MIN || to <= from || r->t->r->files.n > 1)
        return AZ_NO_ID;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (e->start[mid] <= from)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < e->n && e->start[lo] < to; lo++) {
        const int64_t ns = e->end[lo] - e->start[lo];
        sum += ns;
        name = ns > most ? e->name[lo] : name;
        most = ns > most ? ns : most;
    }
    return 2 * sum >= g->ns ? name : AZ_NO_ID;
}

enum az_gap_cause az_op_report_gap_cause(const struct az_op_report_gap_rules *r,
                                         const struct az_op_report_gap *g, uint32_t *host)
{
    const struct az_oprow *v = r->t->r->rows.v, *a = &v[g->before], *b = &v[g->next];
    *host = host_work(r, g);
    if (*host != AZ_NO_ID)
        return AZ_GAP_HOST;
    if (b->replay != AZ_NO_ID)
        return a->replay == b->replay ? AZ_GAP_INSIDE : AZ_GAP_REPLAYS;
    if (compiles(r, g))
        return AZ_GAP_COMPILE;
    return r->replayed ? AZ_GAP_OUTSIDE : AZ_GAP_BETWEEN;
}
