/* The spans of a window, of all processes or by process: lookups, and what two windows have in
 * common. */
#include "model/window.h"

void az_window_parts_init(struct az_window_parts *p, struct az_mem *mem)
{
    az_vec_init(&p->spans, mem);
    az_vec_init(&p->process, mem);
}

void az_window_parts_release(struct az_window_parts *p)
{
    az_vec_release(&p->spans);
    az_vec_release(&p->process);
}

/* Spans [*from, *to) of a process; of all where it has none. */
static void of_process(const struct az_window_parts *p, uint64_t process, size_t *from, size_t *to)
{
    size_t lo = 0, hi = p->process.n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (p->process.v[mid] < process)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (hi = lo; hi < p->process.n && p->process.v[hi] == process; hi++)
        ;
    *from = lo < hi ? lo : 0;
    *to = lo < hi ? hi : p->spans.n;
}

uint32_t az_window_part_at(const struct az_window_parts *p, uint64_t process, int64_t at)
{
    size_t from, to;
    if (!p->process.n)
        return az_span_at(&p->spans, at);
    of_process(p, process, &from, &to);
    for (size_t i = from; i < to; i++)
        if (p->spans.v[i].start <= at && at < p->spans.v[i].end)
            return (uint32_t)i + 1;
    return 0;
}

bool az_window_parts_touch(const struct az_window_parts *p, uint64_t process, int64_t start,
                           int64_t end)
{
    size_t from, to;
    if (!p->process.n)
        return az_spans_touch(&p->spans, start, end);
    of_process(p, process, &from, &to);
    for (size_t i = from; i < to; i++)
        if (end <= start ? p->spans.v[i].start <= start && start < p->spans.v[i].end
                         : p->spans.v[i].start < end && start < p->spans.v[i].end)
            return true;
    return false;
}

/* What a span of a process has in common with parts, added to `to`. */
static int add_common(struct az_window_parts *to, struct az_span x, const uint64_t *process,
                      const struct az_window_parts *parts)
{
    size_t from = 0, end = parts->spans.n;
    int rc = AZ_OK;
    if (process && parts->process.n)
        of_process(parts, *process, &from, &end);
    for (size_t hi = end; !parts->process.n && from < hi;) { /* they are sorted and apart */
        const size_t mid = from + (hi - from) / 2;
        if (parts->spans.v[mid].end <= x.start)
            from = mid + 1;
        else
            hi = mid;
    }
    for (size_t i = from; rc == 0 && i < end; i++) {
        struct az_span both = parts->spans.v[i];
        if (!parts->process.n && both.start >= x.end)
            break;
        both.start = both.start > x.start ? both.start : x.start;
        both.end = both.end < x.end ? both.end : x.end;
        if (both.start >= both.end)
            continue;
        rc = az_vec_push(&to->spans, both);
        if (rc == 0 && process)
            rc = az_vec_push(&to->process, *process);
    }
    return rc;
}

int az_window_parts_clip(struct az_window_parts *p, const struct az_window_parts *own,
                         struct az_mem *mem)
{
    const bool by_own = own->process.n && !p->process.n;
    const struct az_window_parts *each = by_own ? own : p, *other = by_own ? p : own;
    struct az_window_parts both;
    int rc = AZ_OK;
    az_window_parts_init(&both, mem);
    for (size_t i = 0; rc == 0 && i < each->spans.n; i++)
        rc = add_common(&both, each->spans.v[i], each->process.n ? &each->process.v[i] : NULL,
                        other);
    if (rc) {
        az_window_parts_release(&both);
        return rc;
    }
    az_window_parts_release(p);
    *p = both;
    return AZ_OK;
}
