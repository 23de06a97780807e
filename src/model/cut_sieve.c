/* Which events of a file are inside a window, without storing them: see the header. */
#include "model/cut_sieve.h"

#define MOST_GROUPS ((size_t)1 << 17)
#define BITS        6 /* a group of 2^BITS ids has a bit for each */

enum { OUTSIDE = 0, MIXED = UINT32_MAX }; /* else the number of the part, from 1 on */

struct az_sieve_group {
    uint64_t process, id;               /* id >> shift */
    uint64_t calls, works;              /* ids that have some, a bit each */
    int64_t call_first, call_last;      /* starts */
    int64_t work_first, work_last, end; /* starts; the last end */
    bool waits;                         /* there are synchronizations, in no figure above */
    bool odd;                           /* so there are, or some work has no length */
    /* when the window is known: */
    uint32_t part;
    bool other; /* outside, and all its work runs next to that of the window */
};

void az_sieve_init(struct az_sieve *s, const struct az_window *w, struct az_mem *mem)
{
    *s = (struct az_sieve){ .mem = mem,
                            .window = w,
                            .finding = true,
                            .first = INT64_MAX,
                            .last = INT64_MIN,
                            .met = AZ_NO_ID,
                            .most = MOST_GROUPS,
                            .unlinked = { INT64_MAX, INT64_MIN, 0 } };
    az_window_parts_init(&s->parts, mem);
    az_vec_init(&s->groups, mem);
    az_map_init(&s->at, mem, 0);
    az_vec_init(&s->work, mem);
    az_vec_init(&s->near, mem);
    az_vec_init(&s->sure, mem);
}

void az_sieve_release(struct az_sieve *s)
{
    az_window_parts_release(&s->parts);
    az_vec_release(&s->groups);
    az_map_release(&s->at);
    az_vec_release(&s->work);
    az_vec_release(&s->near);
    az_vec_release(&s->sure);
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static bool is_device(enum az_kind k) { return k <= AZ_GRAPH || k == AZ_SYNC; }

/* ---- groups ---- */

/* The bits of two groups of 2^shift ids, as one of twice as many has them. */
static uint64_t joined_bits(uint64_t low, uint64_t high, unsigned shift)
{
    uint64_t both = 0;
    if (shift < BITS)
        return low | high << (1u << shift);
    for (unsigned i = 0; i < 64; i++) {
        both |= (low >> i & 1) << (i / 2);
        both |= (high >> i & 1) << (32 + i / 2);
    }
    return both;
}

static void join_groups(struct az_sieve_group *to, const struct az_sieve_group *g)
{
    to->calls |= g->calls;
    to->works |= g->works;
    to->call_first = earlier(to->call_first, g->call_first);
    to->call_last = later(to->call_last, g->call_last);
    to->work_first = earlier(to->work_first, g->work_first);
    to->work_last = later(to->work_last, g->work_last);
    to->end = later(to->end, g->end);
    to->odd |= g->odd;
    to->waits |= g->waits;
}

/* Groups of twice as many ids. */
static int widen(struct az_sieve *s)
{
    size_t n = 0;
    int rc = AZ_OK;
    az_map_release(&s->at);
    az_map_init(&s->at, s->mem, 0);
    for (size_t i = 0; rc == 0 && i < s->groups.n; i++) {
        struct az_sieve_group g = s->groups.v[i];
        const bool high = g.id & 1;
        uint32_t *at;
        bool added;
        g.id >>= 1;
        g.calls = joined_bits(high ? 0 : g.calls, high ? g.calls : 0, s->shift);
        g.works = joined_bits(high ? 0 : g.works, high ? g.works : 0, s->shift);
        rc = az_map_put(&s->at, g.process, g.id, (uint32_t)n, &at, &added);
        if (rc == 0 && added)
            s->groups.v[n++] = g;
        else if (rc == 0)
            join_groups(&s->groups.v[*at], &g);
    }
    s->groups.n = n;
    s->shift++;
    s->met = AZ_NO_ID;
    return rc;
}

static uint64_t bit_of(const struct az_sieve *s, uint64_t id)
{
    const unsigned coarse = s->shift > BITS ? s->shift - BITS : 0;
    return UINT64_C(1) << (id >> coarse & ((UINT64_C(1) << (s->shift - coarse)) - 1));
}

/* NULL: none is known. Ids mostly ascend, as the groups then do. */
static struct az_sieve_group *group_of(struct az_sieve *s, uint64_t process, uint64_t id)
{
    const uint64_t key = id >> s->shift;
    for (size_t i = s->met; i < s->groups.n && i <= (size_t)s->met + 1; i++) {
        struct az_sieve_group *g = &s->groups.v[i];
        if (g->id != key || g->process != process)
            continue;
        s->met = (uint32_t)i;
        return g;
    }
    const uint32_t at = az_map_get(&s->at, process, key);
    if (at == AZ_NO_ID)
        return NULL;
    s->met = at;
    return &s->groups.v[at];
}

static struct az_sieve_group *add_group(struct az_sieve *s, uint64_t process, uint64_t id)
{
    struct az_sieve_group *g = group_of(s, process, id);
    uint32_t *at;
    bool added;
    while (!g && !s->error && s->groups.n >= s->most && s->shift < 63) {
        s->error = widen(s);
        g = group_of(s, process, id);
    }
    if (g || s->error)
        return g;
    const struct az_sieve_group fresh = { .process = process,
                                          .id = id >> s->shift,
                                          .call_first = INT64_MAX,
                                          .call_last = INT64_MIN,
                                          .work_first = INT64_MAX,
                                          .work_last = INT64_MIN,
                                          .end = INT64_MIN };
    s->error = az_vec_push(&s->groups, fresh);
    if (!s->error)
        s->error = az_map_put(&s->at, process, fresh.id, (uint32_t)s->groups.n - 1, &at, &added);
    return s->error ? NULL : group_of(s, process, id);
}

/* ---- the first reading ---- */

static void see_linked(struct az_sieve *s, enum az_kind kind, uint64_t process,
                       const struct az_event *e)
{
    struct az_sieve_group *g = add_group(s, process, e->corr);
    if (!g)
        return;
    if (kind == AZ_CALL) {
        g->calls |= bit_of(s, e->corr);
        g->call_first = earlier(g->call_first, e->start);
        g->call_last = later(g->call_last, e->start);
        return;
    }
    g->works |= bit_of(s, e->corr);
    g->odd |= kind == AZ_SYNC || e->end == e->start;
    g->waits |= kind == AZ_SYNC;
    if (kind == AZ_SYNC)
        return;
    g->work_first = earlier(g->work_first, e->start);
    g->work_last = later(g->work_last, e->start);
    g->end = later(g->end, e->end);
}

static enum az_sieve_verdict see_event(struct az_sieve *s, enum az_kind kind, uint64_t process,
                                       const struct az_event *e)
{
    const struct az_window *w = s->window;
    const bool wants_marks = w->range.n || w->step >= 0 || w->from.range.n || w->to.range.n,
               mark =
                   kind == AZ_RANGE || kind == AZ_MODULE || kind == AZ_FRAME || kind == AZ_HOST_OP;
    if (kind < AZ_GAP_FRAME) {
        s->first = earlier(s->first, e->start);
        s->last = later(s->last, e->end);
    }
    if ((kind == AZ_CALL || is_device(kind)) && e->corr) {
        see_linked(s, kind, process, e);
    } else if (is_device(kind)) {
        s->unlinked.first = earlier(s->unlinked.first, e->start);
        s->unlinked.last = later(s->unlinked.last, e->start);
        s->unlinked.longest = later(s->unlinked.longest, e->end - e->start);
    }
    return mark && wants_marks ? AZ_SIEVE_STORE : AZ_SIEVE_OUTSIDE;
}

/* ---- between ---- */

/* Parts [from, to) of a process that times from `first` to `last` may be in. */
static void parts_of(const struct az_sieve *s, uint64_t process, int64_t first, int64_t last,
                     size_t *from, size_t *to)
{
    const struct az_window_parts *p = &s->parts;
    size_t lo = 0, hi = p->spans.n;
    bool own = false;
    for (size_t i = 0; i < p->process.n; i++) {
        const bool is = p->process.v[i] == process;
        lo = is && !own ? i : lo;
        hi = is ? i + 1 : hi;
        own |= is;
    }
    *from = lo;
    *to = hi;
    if (p->process.n && !own) /* those of all others, in no order */
        return;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (p->spans.v[mid].end <= first)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (hi = *to, *from = *to = lo; *to < hi && p->spans.v[*to].start <= last; ++*to)
        ;
}

static void extend(struct az_span *s, int64_t start, int64_t end)
{
    s->start = earlier(s->start, start);
    s->end = later(s->end, end);
}

/* The part that times from `first` to `last` are in, all of them; each part that some may be in is
 * extended by the work of the group. */
static uint32_t part_of(struct az_sieve *s, const struct az_sieve_group *g, int64_t first,
                        int64_t last, struct az_spans *may)
{
    const struct az_spans *spans = &s->parts.spans;
    size_t from, to;
    uint32_t part = OUTSIDE;
    parts_of(s, g->process, first, last, &from, &to);
    for (size_t i = from; i < to; i++) {
        const struct az_span *x = &spans->v[i];
        if (last < x->start || first >= x->end)
            continue;
        if (g->end != INT64_MIN)
            extend(&may->v[i], g->work_first, g->end);
        part = part == OUTSIDE && first >= x->start && last < x->end ? (uint32_t)i + 1 : MIXED;
    }
    return part;
}

/* By the calls of its ids, and by its work where an id has none. */
static void settle_group(struct az_sieve *s, struct az_sieve_group *g, struct az_spans *may)
{
    const uint64_t alone = s->shift > BITS ? g->works : g->works & ~g->calls;
    const uint32_t calls = g->calls ? part_of(s, g, g->call_first, g->call_last, may) : MIXED,
                   works = alone && g->end != INT64_MIN
                               ? part_of(s, g, g->work_first, g->work_last, may)
                               : MIXED;
    g->part = !alone ? calls : g->waits ? MIXED : !g->calls || calls == works ? works : MIXED;
    if (g->part != OUTSIDE && g->part != MIXED && g->end != INT64_MIN)
        extend(&s->work.v[g->part - 1], g->work_first, g->end);
}

/* The whole work of a group begins where some of the window runs. */
static void settle_other(const struct az_sieve *s, struct az_sieve_group *g)
{
    const uint32_t at = g->part == OUTSIDE && g->works && !g->odd && s->shift <= BITS
                            ? az_span_at(&s->sure, g->work_first)
                            : 0;
    g->other = at && g->work_last < s->sure.v[at - 1].end;
}

int az_sieve_settle(struct az_sieve *s)
{
    const struct az_span none = { INT64_MAX, INT64_MIN };
    struct az_spans may;
    int rc = s->error;
    az_vec_init(&may, s->mem);
    for (size_t i = 0; rc == 0 && i < s->parts.spans.n; i++) {
        rc = az_vec_push(&may, none);
        if (rc == 0)
            rc = az_vec_push(&s->work, none);
    }
    for (size_t i = 0; rc == 0 && i < s->groups.n; i++)
        settle_group(s, &s->groups.v[i], &may);
    for (size_t i = 0; rc == 0 && i < s->parts.spans.n; i++) {
        const struct az_span *p = &s->parts.spans.v[i];
        const int64_t first = later(p->start, s->unlinked.first),
                      last = earlier(p->end, s->unlinked.last);
        if (first <= last)
            extend(&may.v[i], first, last + s->unlinked.longest);
        if (may.v[i].start <= may.v[i].end)
            rc = az_vec_push(&s->near, may.v[i]);
        if (rc == 0 && s->work.v[i].start < s->work.v[i].end)
            rc = az_vec_push(&s->sure, s->work.v[i]);
    }
    az_spans_sort(&s->near);
    az_spans_union(&s->near);
    az_spans_sort(&s->sure);
    az_spans_union(&s->sure);
    for (size_t i = 0; rc == 0 && i < s->groups.n; i++)
        settle_other(s, &s->groups.v[i]);
    az_vec_release(&may);
    s->finding = false;
    return rc;
}

/* ---- the second reading ---- */

/* A call outside is kept where its work runs next to that of the window. */
static enum az_sieve_verdict take_call(struct az_sieve *s, uint64_t process,
                                       const struct az_event *e)
{
    const struct az_sieve_group *g = e->corr ? group_of(s, process, e->corr) : NULL;
    if (!g)
        return az_window_part_at(&s->parts, process, e->start) ? AZ_SIEVE_INSIDE : AZ_SIEVE_OUTSIDE;
    if (g->part != OUTSIDE)
        return g->part == MIXED ? AZ_SIEVE_STORE : AZ_SIEVE_INSIDE;
    if (g->other)
        return g->works & bit_of(s, e->corr) ? AZ_SIEVE_BESIDE : AZ_SIEVE_OUTSIDE;
    return g->works && g->end != INT64_MIN && az_spans_touch(&s->near, g->work_first, g->end)
               ? AZ_SIEVE_STORE
               : AZ_SIEVE_OUTSIDE;
}

static enum az_sieve_verdict take_work(struct az_sieve *s, enum az_kind kind, uint64_t process,
                                       const struct az_event *e)
{
    const struct az_sieve_group *g = e->corr ? group_of(s, process, e->corr) : NULL;
    const bool open = g ? g->part == MIXED : az_window_part_at(&s->parts, process, e->start) != 0;
    if (open)
        return AZ_SIEVE_STORE;
    if (g && (g->part != OUTSIDE || g->other))
        return g->other ? AZ_SIEVE_BESIDE : AZ_SIEVE_INSIDE;
    return kind != AZ_SYNC && e->end > e->start && az_spans_touch(&s->near, e->start, e->end)
               ? AZ_SIEVE_STORE
               : AZ_SIEVE_OUTSIDE;
}

enum az_sieve_verdict az_sieve_take(struct az_sieve *s, enum az_kind kind, uint64_t process,
                                    const struct az_event *e)
{
    if (s->finding)
        return see_event(s, kind, process, e);
    if (kind == AZ_CALL)
        return take_call(s, process, e);
    if (is_device(kind))
        return take_work(s, kind, process, e);
    return az_window_parts_touch(&s->parts, process, e->start, e->end) ? AZ_SIEVE_INSIDE
                                                                       : AZ_SIEVE_OUTSIDE;
}
