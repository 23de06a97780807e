/* The columns of a part, packed: the parts of a run of many ranks are most of its memory, and are
 * read from files as they are. */
#include "analyses/collectives/path.h"

#define MOST AZ_SHAPE_I64_MOST

/* ---- kernels next to collectives ---- */

/* What is done for each event, several times: each use has a copy of its own. */
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS int64_t before(const struct az_coll_busy *b, size_t i)
{
    return az_packed_at(&b->before, i);
}
ALWAYS int64_t busy_start(const struct az_coll_busy *b, size_t i)
{
    return az_packed_at(&b->start, i);
}
ALWAYS int64_t busy_end(const struct az_coll_busy *b, size_t i)
{
    return busy_start(b, i) + (before(b, i + 1) - before(b, i));
}

#define NEAR 6 /* kernels that a collective overlaps, in most runs */

/* First from `at` on of which this moment, its end or its start, is later than t: one by one, as it
 * is near, then by steps that double, then by halves. */
ALWAYS size_t first_after(const struct az_coll_busy *b, size_t at, int64_t t,
                          int64_t (*moment)(const struct az_coll_busy *b, size_t i))
{
    size_t step = 1, high;
    for (int i = 0; i < NEAR; i++, at++)
        if (at >= b->n || moment(b, at) > t)
            return at;
    while (at < b->n && step <= b->n - at && moment(b, at + step - 1) <= t) {
        at += step;
        step *= 2;
    }
    high = at >= b->n ? b->n : b->n - at < step ? b->n : at + step - 1;
    while (at < high) {
        const size_t mid = at + (high - at) / 2;
        if (moment(b, mid) <= t)
            at = mid + 1;
        else
            high = mid;
    }
    return at;
}

ALWAYS int64_t compute_in(const struct az_coll_busy *b, size_t at, int64_t from, int64_t to)
{
    if (to <= from || b->n == 0)
        return 0;
    const size_t first = first_after(b, at, from, busy_end),
                 end = first_after(b, first, to - 1, busy_start);
    if (end == first)
        return 0;
    const int64_t start = busy_start(b, first), done = before(b, first), all = before(b, end),
                  last = end - 1 == first ? start : busy_start(b, end - 1),
                  done_last = end - 1 == first ? done : before(b, end - 1),
                  over = last + (all - done_last) - to;
    return all - done - (start < from ? from - start : 0) - (over > 0 ? over : 0);
}

int64_t az_coll_compute_in(const struct az_coll_busy *b, int64_t from, int64_t to)
{
    return compute_in(b, 0, from, to);
}

int64_t az_coll_part_compute(const struct az_coll_part *p, size_t event, int64_t from, int64_t to)
{
    const uint32_t device = p->n_devices == 1 ? 0 : az_coll_part_device(p, event);
    return compute_in(&p->compute[device], (size_t)az_packed_at(&p->event_busy, event), from, to);
}

/* ---- packing ---- */

/* One number of each row, in memory of its own. */
struct packing {
    struct az_arena *keep;
    struct az_mem *mem;
    int64_t *v;
    size_t most;
    int error;
};

static void begin(struct packing *k, size_t most, struct az_arena *keep, struct az_mem *mem)
{
    *k = (struct packing){ .keep = keep, .mem = mem, .most = most + 1 };
    k->v = az_mem_alloc(mem, k->most * sizeof *k->v);
    k->error = k->v ? 0 : az_mem_error(mem);
}

static void put_column(struct packing *k, struct az_packed *to, size_t n, bool counts)
{
    if (!k->error)
        k->error = az_packed_make(to, k->v, n, counts, k->keep);
}

static int end_packing(struct packing *k)
{
    az_mem_free(k->mem, k->v, k->most * sizeof *k->v);
    return k->error;
}

#define PUT_COUNTED(k, to, n, value, counts)                                                       \
    do {                                                                                           \
        for (size_t i = 0; !(k)->error && i < (n); i++)                                            \
            (k)->v[i] = (value);                                                                   \
        put_column((k), (to), (n), (counts));                                                      \
    } while (0)

#define PUT_COLUMN(k, to, n, value) PUT_COUNTED(k, to, n, value, false)

/* What stands for an unknown launch: one less than the least time from a launch to its start. */
static int64_t no_launch(struct az_coll_part *p, const struct az_coll_event *ev, size_t n)
{
    int64_t least = INT64_MAX;
    p->launches_lacking = false;
    for (size_t i = 0; i < n; i++) {
        p->launches_lacking |= ev[i].launch == INT64_MIN;
        if (ev[i].launch != INT64_MIN && ev[i].start - ev[i].launch < least)
            least = ev[i].start - ev[i].launch;
    }
    return least == INT64_MAX ? 0 : least - 1;
}

/* Kernels next to the collectives of each device, and lanes, are there. */
int az_coll_part_set_events(struct az_coll_part *p, const struct az_coll_event *ev, size_t n,
                            struct az_arena *keep, struct az_mem *mem)
{
    const int64_t none = no_launch(p, ev, n);
    struct packing k;
    begin(&k, n, keep, mem);
    p->n = n;
    PUT_COUNTED(&k, &p->start, n, ev[i].start, true);
    PUT_COLUMN(&k, &p->length, n, ev[i].end - ev[i].start);
    PUT_COLUMN(&k, &p->lead, n, ev[i].launch == INT64_MIN ? none : ev[i].start - ev[i].launch);
    PUT_COLUMN(&k, &p->seq, n, ev[i].seq);
    PUT_COLUMN(&k, &p->event_what, n, ev[i].what);
    PUT_COLUMN(&k, &p->event_lane, n, ev[i].lane);
    PUT_COLUMN(
        &k, &p->event_busy, n,
        (int64_t)first_after(&p->compute[p->lane[ev[i].lane].device], 0, ev[i].start, busy_end));
    return end_packing(&k);
}

int az_coll_part_set_local(struct az_coll_part *p, const struct az_coll_local *v, size_t n,
                           const struct az_coll_share *share, size_t n_shares,
                           struct az_arena *keep, struct az_mem *mem)
{
    struct packing k;
    size_t from = 0;
    begin(&k, n > n_shares ? n + 1 : n_shares + 1, keep, mem);
    p->n_local = n;
    p->n_shares = n_shares;
    PUT_COLUMN(&k, &p->local_event, n,
               v[i].event == AZ_NO_ROW ? (int64_t)(p->n + from++) : (int64_t)v[i].event);
    PUT_COLUMN(&k, &p->local_first, n + 1, i < n ? v[i].first : (int64_t)n_shares);
    PUT_COUNTED(&k, &p->share_ns, n_shares, share[i].ns, true);
    PUT_COLUMN(&k, &p->share_family, n_shares, share[i].family);
    from = 0;
    for (size_t i = 0; !k.error && i < n; i++)
        if (v[i].event == AZ_NO_ROW)
            k.v[from++] = v[i].from;
    p->n_from = from;
    put_column(&k, &p->local_from, from, false);
    return end_packing(&k);
}

int az_coll_busy_set(struct az_coll_busy *b, const struct az_coll_busy_span *v, size_t n,
                     struct az_arena *keep, struct az_mem *mem)
{
    struct packing k;
    begin(&k, n + 1, keep, mem);
    b->n = n;
    PUT_COUNTED(&k, &b->start, n, v[i].start, true);
    PUT_COLUMN(&k, &b->before, n + 1, v[i].before);
    return end_packing(&k);
}

/* ---- the part as bytes ---- */

static bool what_valid(const void *of)
{
    const struct az_coll_what *w = of;
    return (unsigned)w->kind < AZ_COLL_KINDS && w->source;
}
static bool counts(const struct az_packed *p, size_t n, int64_t least)
{
    return (n == 0 || p->bits >= AZ_PACKED_BYTE) && az_packed_is(p, n, least, MOST);
}
static bool local_valid(const struct az_coll_part *p)
{
    const size_t n = p->n_local;
    if (n == 0)
        return true;
    if (n != p->n + p->n_steps + 1 || p->n_from > n || p->n_shares > UINT32_MAX ||
        !az_packed_is(&p->local_event, n, 0, (int64_t)(p->n + p->n_from) - 1) ||
        !az_packed_is(&p->local_from, p->n_from, -MOST, MOST) ||
        !az_packed_is(&p->local_first, n + 1, 0, (int64_t)p->n_shares) ||
        !counts(&p->share_ns, p->n_shares, -MOST) ||
        !az_packed_is(&p->share_family, p->n_shares, 0, AZ_COLL_PARTS - 1))
        return false;
    for (size_t i = 0; i < n; i++)
        if (az_packed_raw(&p->local_first, i) > az_packed_raw(&p->local_first, i + 1))
            return false;
    return true;
}
/* Greatest value of a column, by its width; MOST at most. */
static int64_t bound_of(const struct az_packed *p)
{
    const int64_t base = (int64_t)p->base;
    return p->mask > (uint64_t)MOST || base > MOST - (int64_t)p->mask ? MOST
                                                                      : base + (int64_t)p->mask;
}
/* Ends and launches are times, too: by the bounds of the columns, or one by one. */
static bool times_valid(const struct az_coll_part *p)
{
    const int64_t least = (int64_t)p->start.base, most = bound_of(&p->start),
                  longest = bound_of(&p->length), lead = bound_of(&p->lead), half = MOST / 2;
    if (least > -half && most < half && (int64_t)p->length.base > -half && longest < half &&
        (int64_t)p->lead.base > -half && lead < half)
        return true;
    for (size_t i = 0; i < p->n; i++) {
        const int64_t start = az_coll_part_start(p, i), end = start + az_packed_at(&p->length, i),
                      launch = az_coll_part_launch(p, i);
        if (end < -MOST || end > MOST || (launch != INT64_MIN && (launch < -MOST || launch > MOST)))
            return false;
    }
    return true;
}
static bool events_valid(const struct az_coll_part *p)
{
    return p->n < AZ_NO_ROW && counts(&p->start, p->n, -MOST) &&
           az_packed_is(&p->length, p->n, -2 * MOST, 2 * MOST) &&
           az_packed_is(&p->lead, p->n, -2 * MOST - 1, 2 * MOST) &&
           az_packed_is(&p->seq, p->n, -MOST, MOST) &&
           az_packed_is(&p->event_what, p->n, 0, (int64_t)p->n_what - 1) &&
           az_packed_is(&p->event_lane, p->n, 0, (int64_t)p->n_lanes - 1) &&
           az_packed_is(&p->event_busy, p->n, 0, MOST) && times_valid(p);
}
static bool busy_valid(const void *of)
{
    const struct az_coll_busy *b = of;
    return b->n < UINT32_MAX && counts(&b->start, b->n, -MOST) &&
           az_packed_is(&b->before, b->n + 1, 0, MOST);
}
static bool is_time(int64_t t) { return t >= -MOST && t <= MOST; }
static bool step_valid(const void *of)
{
    const struct az_coll_step *s = of;
    return is_time(s->start) && is_time(s->end) && s->number >= -1 && s->number <= MOST;
}
static bool is_length(int64_t ns) { return ns >= 0 && ns <= 2 * MOST; }
static bool part_valid(const void *of)
{
    const struct az_coll_part *p = of;
    if (!events_valid(p) || !local_valid(p) || !is_length(p->busy) || !is_length(p->overlap) ||
        !is_length(p->span))
        return false;
    if (p->n_devices && (!p->compute || !p->device_id))
        return false;
    for (size_t i = 0; i < p->n_lanes; i++)
        if (p->lane[i].device >= p->n_devices)
            return false;
    return true;
}
static const struct az_shape_field what_fields[] = {
    AZ_TEXT_OF(struct az_coll_what, name),     AZ_TEXT_OF(struct az_coll_what, dtype),
    AZ_TEXT_OF(struct az_coll_what, in_split), AZ_TEXT_OF(struct az_coll_what, out_split),
    AZ_TEXT_OF(struct az_coll_what, group),    AZ_TEXT_OF(struct az_coll_what, ranks),
    AZ_PLAIN(struct az_coll_what, in),         AZ_PLAIN(struct az_coll_what, out),
    AZ_PLAIN(struct az_coll_what, size),       AZ_PLAIN(struct az_coll_what, peer),
    AZ_PLAIN(struct az_coll_what, kind),       AZ_WORD_OF(struct az_coll_what, source)
};
static const struct az_shape what_shape = AZ_SHAPE_IF(struct az_coll_what, what_fields, what_valid);
static const struct az_shape_field lane_fields[] = { AZ_PLAIN(struct az_coll_lane_of, stream),
                                                     AZ_PLAIN(struct az_coll_lane_of, device) };
static const struct az_shape lane_shape = AZ_SHAPE(struct az_coll_lane_of, lane_fields);
static const struct az_shape_field busy_fields[] = {
    AZ_PLAIN(struct az_coll_busy, n), AZ_NEST_OF(struct az_coll_busy, start, az_packed_shape),
    AZ_NEST_OF(struct az_coll_busy, before, az_packed_shape)
};
static const struct az_shape busy_shape = AZ_SHAPE_IF(struct az_coll_busy, busy_fields, busy_valid);
static const struct az_shape_field step_fields[] = { AZ_PLAIN(struct az_coll_step, start),
                                                     AZ_PLAIN(struct az_coll_step, end),
                                                     AZ_PLAIN(struct az_coll_step, number) };
static const struct az_shape step_shape = AZ_SHAPE_IF(struct az_coll_step, step_fields, step_valid);
#define PACKED(m) AZ_NEST_OF(struct az_coll_part, m, az_packed_shape)
static const struct az_shape_field part_fields[] = {
    AZ_PLAIN(struct az_coll_part, n),
    PACKED(start),
    PACKED(length),
    PACKED(lead),
    PACKED(seq),
    PACKED(event_what),
    PACKED(event_lane),
    PACKED(event_busy),
    AZ_PLAIN(struct az_coll_part, launches_lacking),
    AZ_LIST_OF(struct az_coll_part, what, n_what, what_shape),
    AZ_LIST_OF(struct az_coll_part, lane, n_lanes, lane_shape),
    AZ_LIST_OF(struct az_coll_part, compute, n_devices, busy_shape),
    AZ_PLAIN(struct az_coll_part, busy),
    AZ_PLAIN(struct az_coll_part, overlap),
    AZ_LIST_OF(struct az_coll_part, steps, n_steps, step_shape),
    AZ_PLAIN(struct az_coll_part, span),
    AZ_LIST_OF(struct az_coll_part, device_id, n_devices, az_shape_i64),
    AZ_PLAIN(struct az_coll_part, one_stream),
    AZ_PLAIN(struct az_coll_part, n_local),
    AZ_PLAIN(struct az_coll_part, n_from),
    AZ_PLAIN(struct az_coll_part, n_shares),
    PACKED(local_event),
    PACKED(local_first),
    PACKED(local_from),
    PACKED(share_ns),
    PACKED(share_family),
    AZ_PLAIN(struct az_coll_part, first),
    AZ_PLAIN(struct az_coll_part, last)
};
const struct az_shape az_coll_part_shape =
    AZ_SHAPE_IF(struct az_coll_part, part_fields, part_valid);
