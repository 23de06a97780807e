/* Spans of a trace that begin and end in two events (phases B and E), as other writers of the
 * format have them (docs/formats-pytorch.md 1.3). They nest within a thread. Only those of the
 * device become events: the profiler writes host spans as one event. */
#include "formats/pytorch/pytorch.h"
#include "model/clean.h"

static void use_innermost(struct az_pytorch_reader *r)
{
    if (r->has_innermost)
        return;
    az_map_init(&r->innermost, r->trace->mem, 16);
    az_vec_init(&r->begins, r->trace->mem);
    az_vec_init(&r->ends, r->trace->mem);
    r->has_innermost = true;
}

static int push_begin(struct az_pytorch_reader *r, struct az_pytorch_begin b)
{
    uint32_t *top;
    bool added;
    if (r->begins.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    int rc = az_map_put(&r->innermost, b.pid, b.tid, AZ_NO_ROW, &top, &added);
    b.below = rc == 0 ? *top : AZ_NO_ROW;
    if (rc == 0)
        rc = az_vec_push(&r->begins, b);
    if (rc == 0)
        *top = (uint32_t)r->begins.n - 1;
    return rc;
}

static bool is_device(enum az_kind k) { return k == AZ_KERNEL || k == AZ_MEMCPY || k == AZ_MEMSET; }

int az_pytorch_begin_span(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          int (*add)(struct az_pytorch_reader *r, const struct az_pytorch_event *e))
{
    const enum az_kind kind = az_pytorch_kind_of(e->cat);
    struct az_pytorch_begin b = { .kind = AZ_KIND_COUNT };
    use_innermost(r);
    int rc = az_pytorch_identity(r, &e->pid, &b.pid);
    if (rc == 0)
        rc = az_pytorch_identity(r, &e->tid, &b.tid);
    if (rc == 0 && is_device(kind)) {
        struct az_pytorch_event span = *e;
        const size_t n = r->trace->ev[kind].n;
        span.dur = 0;
        span.has_dur = true;
        rc = add(r, &span);
        if (r->trace->ev[kind].n > n) {
            b.kind = kind;
            b.row = (uint32_t)n;
        }
    } else {
        r->phase[AZ_PYTORCH_HALVES_PH]++;
    }
    return rc ? rc : push_begin(r, b);
}

/* The innermost begin of the thread gets its end. False: it has none. */
static bool close_span(struct az_pytorch_reader *r, const struct az_pytorch_end *end)
{
    const uint32_t at = az_map_get(&r->innermost, end->pid, end->tid);
    uint32_t *top;
    bool added;
    if (at == AZ_NO_ROW || az_map_put(&r->innermost, end->pid, end->tid, at, &top, &added) != 0)
        return false;
    struct az_pytorch_begin *b = &r->begins.v[at];
    *top = b->below;
    b->closed = true;
    if (b->kind == AZ_KIND_COUNT) {
        r->phase[AZ_PYTORCH_HALVES_PH]++;
    } else if (end->ts >= r->trace->ev[b->kind].start[b->row]) {
        b->timed = true;
        r->trace->ev[b->kind].end[b->row] = end->ts;
    }
    return true;
}

int az_pytorch_end_span(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_pytorch_end end = { .ts = e->has_ts ? e->ts : INT64_MIN };
    use_innermost(r);
    int rc = az_pytorch_identity(r, &e->pid, &end.pid);
    if (rc == 0)
        rc = az_pytorch_identity(r, &e->tid, &end.tid);
    return rc || close_span(r, &end) ? rc : az_vec_push(&r->ends, end);
}

int az_pytorch_begins_join(struct az_pytorch_reader *r, const struct az_pytorch_reader *part,
                           const uint32_t *name, const size_t *rows)
{
    int rc = 0;
    if (part->has_innermost)
        use_innermost(r);
    for (size_t i = 0; rc == 0 && i < part->ends.n; i++) {
        struct az_pytorch_end end = part->ends.v[i];
        end.pid = az_pytorch_joined_identity(name, end.pid);
        end.tid = az_pytorch_joined_identity(name, end.tid);
        rc = close_span(r, &end) ? 0 : az_vec_push(&r->ends, end);
    }
    for (size_t i = 0; rc == 0 && i < part->begins.n; i++) {
        struct az_pytorch_begin b = part->begins.v[i];
        if (b.closed && (b.timed || b.kind == AZ_KIND_COUNT))
            continue;
        b.pid = az_pytorch_joined_identity(name, b.pid);
        b.tid = az_pytorch_joined_identity(name, b.tid);
        b.row += b.kind == AZ_KIND_COUNT ? 0 : (uint32_t)rows[b.kind];
        rc = b.closed ? az_vec_push(&r->begins, b) : push_begin(r, b);
    }
    return rc;
}

/* Removes the events of a kind that got no end. */
static int remove_unended(struct az_pytorch_reader *r, enum az_kind k)
{
    struct az_trace *t = r->trace;
    const size_t n = t->ev[k].n;
    uint8_t *gone = n ? az_mem_alloc(t->mem, n) : NULL;
    uint64_t lost = 0;
    if (!gone)
        return n ? az_mem_error(t->mem) : 0;
    memset(gone, 0, n);
    for (size_t i = 0; i < r->begins.n; i++) {
        const struct az_pytorch_begin *b = &r->begins.v[i];
        if (b->timed || b->kind != k)
            continue;
        lost++;
        gone[b->row] = 1;
    }
    if (lost) {
        az_trace_remove_first(t, k, gone, n);
        t->kept -= t->kept < lost ? t->kept : lost;
        az_trace_lost(t, k, "begins of device spans without an end (phases B and E)", lost, 0);
    }
    az_mem_free(t->mem, gone, n);
    return 0;
}

int az_pytorch_begins_finish(struct az_pytorch_reader *r)
{
    int rc = 0;
    r->phase[AZ_PYTORCH_HALVES_PH] += r->ends.n;
    for (enum az_kind k = AZ_KERNEL; rc == 0 && r->begins.n && k <= AZ_MEMSET; k++)
        rc = remove_unended(r, k);
    return rc;
}

void az_pytorch_begins_release(struct az_pytorch_reader *r)
{
    if (!r->has_innermost)
        return;
    az_map_release(&r->innermost);
    az_vec_release(&r->begins);
    az_vec_release(&r->ends);
}
