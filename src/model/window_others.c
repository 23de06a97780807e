/* Device work that a window leaves out, but that runs while the work of the window does: the device
 * is busy with it, and it may hide communication. */
#include "model/cut_sieve.h"
#include "model/window.h"

#include "base/sort.h"

/* The pieces of work in the parts, which are merged. */
static int add_pieces(struct az_trace *t, const struct az_other_work *w)
{
    const struct az_spans *parts = &t->window_work;
    int rc = AZ_OK;
    size_t lo = AZ_UPPER_BY(parts->v, parts->n, end, w->start);
    for (; rc == 0 && lo < parts->n && parts->v[lo].start < w->end; lo++) {
        const struct az_span *p = &parts->v[lo];
        struct az_other_work x = *w;
        x.start = x.start > p->start ? x.start : p->start;
        x.end = x.end < p->end ? x.end : p->end;
        rc = x.start < x.end ? az_vec_push(&t->window_others, x) : AZ_OK;
    }
    return rc;
}

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_other_work *a = x, *b = y;
    (void)ctx;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->lane != b->lane ? (a->lane < b->lane ? -1 : 1) : 0;
}

int az_window_mark_others(struct az_trace *t, uint8_t *const gone[4])
{
    struct az_other_works before = t->window_others; /* of the window that this is a part of */
    int rc = AZ_OK;
    az_vec_init(&t->window_others, t->mem);
    for (size_t i = 0; rc == 0 && i < before.n; i++)
        rc = add_pieces(t, &before.v[i]);
    az_vec_release(&before);
    for (unsigned k = AZ_KERNEL; k <= AZ_GRAPH; k++) {
        const struct az_events *e = &t->ev[k];
        for (size_t i = 0; rc == 0 && i < e->n; i++)
            if (gone[k][i])
                rc = add_pieces(t, &(struct az_other_work){ e->start[i], e->end[i], e->name[i],
                                                            e->lane[i], (uint8_t)k });
    }
    az_sort_cmp(t->window_others.v, t->window_others.n, sizeof *t->window_others.v, by_start, NULL,
                t->mem);
    return rc;
}

/* ---- records of a file that is cut ---- */

void az_cut_log_init(struct az_cut_log *log, struct az_mem *mem)
{
    *log = (struct az_cut_log){ .now = 0 };
    az_vec_init(&log->what, mem);
    az_vec_init(&log->from, mem);
    az_vec_init(&log->to, mem);
    az_vec_init(&log->count, mem);
    az_vec_init(&log->ids, mem);
}

void az_cut_log_release(struct az_cut_log *log)
{
    az_vec_release(&log->what);
    az_vec_release(&log->from);
    az_vec_release(&log->to);
    az_vec_release(&log->count);
    az_vec_release(&log->ids);
}

int az_cut_log_begin(struct az_cut_log *log, uint64_t from, uint64_t to)
{
    if (log->sieve && log->sieve->finding)
        return AZ_OK;
    az_cut_log_settle(log);
    int rc = log->what.n < AZ_NO_ID - 1 ? az_vec_push(&log->what, 0) : AZ_ERANGE;
    if (rc == 0 && log->sieve)
        rc = az_vec_push(&log->count, 1);
    const bool same = log->runs && log->from.n && log->from.v[log->from.n - 1] == from;
    if (rc == 0 && !same)
        rc = az_vec_push(&log->from, from);
    if (rc == 0 && !same)
        rc = az_vec_push(&log->to, log->runs ? log->what.n - 1 : to);
    log->now = (uint32_t)log->what.n;
    log->open = true;
    log->stored = false;
    log->joins = log->joins && (!log->runs || same);
    return rc;
}

void az_cut_log_settle(struct az_cut_log *log)
{
    const size_t n = log->what.n;
    if (!log->sieve || !log->open)
        return;
    log->open = false;
    if (!log->stored && log->joins &&
        !((log->what.v[n - 1] ^ log->what.v[n - 2]) & ~AZ_RECORD_APART) &&
        log->count.v[n - 1] <= UINT32_MAX - log->count.v[n - 2]) {
        log->count.v[n - 2] += log->count.v[n - 1];
        log->what.v[n - 2] |= log->what.v[n - 1];
        if (!log->runs && log->from.v[n - 1] > log->to.v[n - 2] + 1)
            log->what.v[n - 2] |= AZ_RECORD_APART;
        log->what.n--;
        log->count.n--;
        if (!log->runs) {
            log->to.v[n - 2] = log->to.v[n - 1];
            log->from.n--;
            log->to.n--;
        }
        return;
    }
    log->joins = !log->stored;
}

bool az_cut_log_sift(struct az_cut_log *log, enum az_kind kind, uint64_t process,
                     const struct az_event *e)
{
    log->seen[kind] = true;
    if (!log->sieve)
        return false;
    const enum az_sieve_verdict v = az_sieve_event(log->sieve, kind, process, e);
    log->stored |= v == AZ_SIEVE_STORE;
    log->inside = v == AZ_SIEVE_INSIDE;
    if (log->now && v != AZ_SIEVE_STORE)
        log->what.v[log->now - 1] |=
            v == AZ_SIEVE_OUTSIDE ? AZ_RECORD_EVENT : AZ_RECORD_EVENT | AZ_RECORD_KEPT;
    return v != AZ_SIEVE_STORE;
}
