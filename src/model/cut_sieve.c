/* Which events of a file are inside a window, without storing them: see the header. */
#include "model/cut_sieve.h"

#define MOST_PAGES ((size_t)20 << 10)
enum { CELLS = 64, PAGE_BITS = 6 };
enum { BITS = 4 }; /* a cell of 2^BITS ids has a bit for each */

enum { OUTSIDE = 0, MIXED = UINT32_MAX }; /* else the number of the part, from 1 on */

/* 2^shift ids. Times are in units of their page from its origin, the first ones rounded down, the
 * last ones up: in nanoseconds for a page of some seconds. */
struct cell {
    union {
        int32_t call_first; /* start */
        uint32_t part;      /* when the window is known */
    };
    int32_t call_last;             /* start */
    int32_t work_first, work_last; /* starts */
    int32_t end;                   /* the last one */
    uint16_t calls, works;         /* ids that have some, a bit each */
};

struct az_sieve_page {
    uint64_t process, id; /* id >> shift >> PAGE_BITS */
    int64_t origin;       /* units */
    unsigned unit;        /* 2^unit ticks */
    /* A bit for each cell: */
    uint64_t timed;   /* some work has times: synchronizations have none here */
    uint64_t several; /* and it may be more than one */
    uint64_t waits;   /* there are synchronizations */
    uint64_t odd;     /* so there are, or some work has no length */
    uint64_t again;   /* calls begin at different times */
    /* when the window is known: */
    uint64_t other; /* outside, and all its work runs next to that of the window */
    uint64_t near;  /* outside, and some of it may */
    struct cell cell[CELLS];
};

void az_sieve_init(struct az_sieve *s, const struct az_window *w, struct az_mem *mem)
{
    *s = (struct az_sieve){ .mem = mem,
                            .window = w,
                            .finding = true,
                            .first = INT64_MAX,
                            .last = INT64_MIN,
                            .met = AZ_NO_ID,
                            .most = MOST_PAGES,
                            .unlinked = { INT64_MAX, INT64_MIN, 0 } };
    az_window_parts_init(&s->parts, mem);
    az_vec_init(&s->pages, mem);
    az_map_init(&s->at, mem, 0);
    az_vec_init(&s->work, mem);
    az_vec_init(&s->near, mem);
    az_vec_init(&s->sure, mem);
}

void az_sieve_release(struct az_sieve *s)
{
    az_window_parts_release(&s->parts);
    az_vec_release(&s->pages);
    az_map_release(&s->at);
    az_vec_release(&s->work);
    az_vec_release(&s->near);
    az_vec_release(&s->sure);
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static bool is_device(enum az_kind k) { return k <= AZ_GRAPH || k == AZ_SYNC; }

/* ---- times of a page ---- */

static int64_t units_down(int64_t ticks, unsigned unit) { return ticks >> unit; }
static int64_t units_up(int64_t ticks, unsigned unit)
{
    return (ticks >> unit) + (ticks & ((INT64_C(1) << unit) - 1) ? 1 : 0);
}

static int64_t ticks_of(const struct az_sieve_page *p, int32_t at)
{
    const int64_t units = p->origin + at, most = INT64_MAX >> p->unit;
    return units > most ? INT64_MAX : units * (INT64_C(1) << p->unit);
}

static int32_t halved_down(int64_t origin, int32_t at)
{
    return (int32_t)(units_down(origin + at, 1) - units_down(origin, 1));
}
static int32_t halved_up(int64_t origin, int32_t at)
{
    return (int32_t)(units_up(origin + at, 1) - units_down(origin, 1));
}

/* Twice the unit. */
static void coarsen(struct az_sieve_page *p)
{
    for (unsigned i = 0; i < CELLS; i++) {
        struct cell *c = &p->cell[i];
        c->call_first = halved_down(p->origin, c->call_first);
        c->call_last = halved_up(p->origin, c->call_last);
        c->work_first = halved_down(p->origin, c->work_first);
        c->work_last = halved_up(p->origin, c->work_last);
        c->end = halved_up(p->origin, c->end);
    }
    p->origin = units_down(p->origin, 1);
    p->unit++;
}

static bool page_fits(const struct az_sieve_page *p, int64_t ticks)
{
    int64_t at;
    return !__builtin_sub_overflow(units_down(ticks, p->unit), p->origin, &at) && at > INT32_MIN &&
           at < INT32_MAX;
}

static void make_fit(struct az_sieve_page *p, int64_t first, int64_t last)
{
    while (!page_fits(p, first) || !page_fits(p, last))
        coarsen(p);
}

static int32_t place_down(const struct az_sieve_page *p, int64_t ticks)
{
    return (int32_t)(units_down(ticks, p->unit) - p->origin);
}
static int32_t place_up(const struct az_sieve_page *p, int64_t ticks)
{
    return (int32_t)(units_up(ticks, p->unit) - p->origin);
}

static void lower(int32_t *at, int32_t to) { *at = to < *at ? to : *at; }
static void raise(int32_t *at, int32_t to) { *at = to > *at ? to : *at; }

/* Calls that begin between two times. */
static void add_calls(struct az_sieve_page *p, unsigned i, uint16_t bits, int64_t first,
                      int64_t last)
{
    struct cell *c = &p->cell[i];
    make_fit(p, first, last);
    const int32_t from = place_down(p, first), to = place_up(p, last);
    if (!c->calls) {
        c->call_first = from;
        c->call_last = to;
    }
    lower(&c->call_first, from);
    raise(&c->call_last, to);
    c->calls |= bits;
    if (c->call_first != c->call_last)
        p->again |= UINT64_C(1) << i;
}

/* Work that starts between two times and runs to a third. */
static void add_work(struct az_sieve_page *p, unsigned i, int64_t first, int64_t last, int64_t end)
{
    struct cell *c = &p->cell[i];
    const uint64_t bit = UINT64_C(1) << i;
    make_fit(p, first, later(last, end));
    const int32_t from = place_down(p, first), to = place_up(p, last), until = place_up(p, end);
    if (p->timed & bit) {
        p->several |= bit;
    } else {
        c->work_first = from;
        c->work_last = to;
        c->end = until;
    }
    lower(&c->work_first, from);
    raise(&c->work_last, to);
    raise(&c->end, until);
    p->timed |= bit;
}

/* ---- pages ---- */

/* The bits of two cells of 2^shift ids, as one of twice as many has them. */
static uint16_t joined_bits(unsigned low, unsigned high, unsigned shift)
{
    unsigned both = 0;
    if (shift < BITS)
        return (uint16_t)(low | high << (1u << shift));
    for (unsigned i = 0; i < 16; i++) {
        both |= (low >> i & 1) << (i / 2);
        both |= (high >> i & 1) << (8 + i / 2);
    }
    return (uint16_t)both;
}

/* A page becomes one half of another, whose cells have twice as many ids. */
static void add_half(struct az_sieve_page *to, const struct az_sieve_page *g, unsigned shift)
{
    while (to->unit < g->unit)
        coarsen(to);
    for (unsigned k = 0; k < CELLS; k++) {
        const struct cell *c = &g->cell[k];
        const unsigned i = (g->id & 1 ? CELLS / 2 : 0) + k / 2;
        const uint64_t from = UINT64_C(1) << k, bit = UINT64_C(1) << i;
        const bool high = k % 2;
        if (c->calls)
            add_calls(to, i, joined_bits(high ? 0 : c->calls, high ? c->calls : 0, shift),
                      ticks_of(g, c->call_first), ticks_of(g, c->call_last));
        if (g->timed & from)
            add_work(to, i, ticks_of(g, c->work_first), ticks_of(g, c->work_last),
                     ticks_of(g, c->end));
        to->cell[i].works |= joined_bits(high ? 0 : c->works, high ? c->works : 0, shift);
        to->several |= g->several & from ? bit : 0;
        to->waits |= g->waits & from ? bit : 0;
        to->odd |= g->odd & from ? bit : 0;
        to->again |= g->again & from ? bit : 0;
    }
}

/* Cells of twice as many ids. */
static int widen(struct az_sieve *s)
{
    size_t n = 0;
    int rc = AZ_OK;
    az_map_release(&s->at);
    az_map_init(&s->at, s->mem, 0);
    for (size_t i = 0; rc == 0 && i < s->pages.n; i++) {
        const struct az_sieve_page g = s->pages.v[i];
        uint32_t *at;
        bool added;
        rc = az_map_put(&s->at, g.process, g.id >> 1, (uint32_t)n, &at, &added);
        if (rc == 0 && added)
            s->pages.v[n++] = (struct az_sieve_page){
                .process = g.process, .id = g.id >> 1, .origin = g.origin, .unit = g.unit
            };
        if (rc == 0)
            add_half(&s->pages.v[*at], &g, s->shift);
    }
    s->pages.n = n;
    s->shift++;
    s->met = AZ_NO_ID;
    return rc;
}

static uint16_t bit_of(const struct az_sieve *s, uint64_t id)
{
    const unsigned coarse = s->shift > BITS ? s->shift - BITS : 0;
    return (uint16_t)(1u << (id >> coarse & ((UINT64_C(1) << (s->shift - coarse)) - 1)));
}
static unsigned cell_of(const struct az_sieve *s, uint64_t id)
{
    return id >> s->shift & (CELLS - 1);
}

/* NULL: none is known. Ids mostly ascend, as the pages then do. */
static struct az_sieve_page *page_of(struct az_sieve *s, uint64_t process, uint64_t id)
{
    const uint64_t key = id >> s->shift >> PAGE_BITS;
    for (size_t i = s->met; i < s->pages.n && i <= (size_t)s->met + 1; i++) {
        struct az_sieve_page *p = &s->pages.v[i];
        if (p->id != key || p->process != process)
            continue;
        s->met = (uint32_t)i;
        return p;
    }
    const uint32_t at = az_map_get(&s->at, process, key);
    if (at == AZ_NO_ID)
        return NULL;
    s->met = at;
    return &s->pages.v[at];
}

static struct az_sieve_page *add_page(struct az_sieve *s, uint64_t process, uint64_t id,
                                      int64_t time)
{
    struct az_sieve_page *p = page_of(s, process, id);
    uint32_t *at;
    bool added;
    while (!p && !s->error && s->pages.n >= s->most && s->shift < 63 - PAGE_BITS) {
        s->error = widen(s);
        p = page_of(s, process, id);
    }
    if (p || s->error)
        return p;
    const uint64_t key = id >> s->shift >> PAGE_BITS;
    const struct az_sieve_page fresh = { .process = process, .id = key, .origin = time };
    s->error = az_vec_push(&s->pages, fresh);
    if (!s->error)
        s->error = az_map_put(&s->at, process, key, (uint32_t)s->pages.n - 1, &at, &added);
    return s->error ? NULL : page_of(s, process, id);
}

/* ---- the first reading ---- */

static void see_linked(struct az_sieve *s, enum az_kind kind, uint64_t process,
                       const struct az_event *e)
{
    struct az_sieve_page *p = add_page(s, process, e->corr, e->start);
    const unsigned i = cell_of(s, e->corr);
    const uint64_t bit = UINT64_C(1) << i;
    if (!p)
        return;
    if (kind == AZ_CALL) {
        add_calls(p, i, bit_of(s, e->corr), e->start, e->start);
        return;
    }
    p->cell[i].works |= bit_of(s, e->corr);
    p->odd |= kind == AZ_SYNC || e->end == e->start ? bit : 0;
    p->waits |= kind == AZ_SYNC ? bit : 0;
    if (kind != AZ_SYNC)
        add_work(p, i, e->start, e->start, e->end);
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

struct settling {
    struct az_sieve *s;
    struct az_spans may,
        sure; /* by part: of work that may be in it, and that is; end < start: none */
};

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
 * extended by the work of the cell. */
static uint32_t part_of(struct settling *x, const struct az_sieve_page *p, unsigned i,
                        int64_t first, int64_t last)
{
    const struct az_spans *spans = &x->s->parts.spans;
    const struct cell *c = &p->cell[i];
    const bool timed = p->timed >> i & 1;
    size_t from, to;
    uint32_t part = OUTSIDE;
    parts_of(x->s, p->process, first, last, &from, &to);
    for (size_t k = from; k < to; k++) {
        const struct az_span *s = &spans->v[k];
        if (last < s->start || first >= s->end)
            continue;
        if (timed)
            extend(&x->may.v[k], ticks_of(p, c->work_first), ticks_of(p, c->end));
        part = part == OUTSIDE && first >= s->start && last < s->end ? (uint32_t)k + 1 : MIXED;
    }
    return part;
}

/* Times are those of the events, of one id: it is its first call that counts. */
static bool is_exact(const struct az_sieve *s, const struct az_sieve_page *p)
{
    return s->shift == 0 && p->unit == 0;
}

/* By the calls of its ids, and by its work where an id has none. */
static void settle_cell(struct settling *x, struct az_sieve_page *p, unsigned i)
{
    struct cell *c = &p->cell[i];
    const bool exact = is_exact(x->s, p), timed = p->timed >> i & 1, waits = p->waits >> i & 1;
    const uint16_t alone = x->s->shift > BITS ? c->works : (uint16_t)(c->works & ~c->calls);
    const int64_t first = ticks_of(p, c->call_first),
                  last = exact ? first : ticks_of(p, c->call_last);
    const uint32_t calls = c->calls ? part_of(x, p, i, first, last) : MIXED,
                   works = alone && timed ? part_of(x, p, i, ticks_of(p, c->work_first),
                                                    ticks_of(p, c->work_last))
                                          : MIXED;
    c->part = !alone ? calls : waits ? MIXED : !c->calls || calls == works ? works : MIXED;
    const int32_t inner = p->unit ? 1 : 0;
    if (c->part != OUTSIDE && c->part != MIXED && timed && c->work_first + inner < c->end - inner)
        extend(&x->sure.v[c->part - 1], ticks_of(p, c->work_first + inner),
               ticks_of(p, c->end - inner));
}

/* What its work is next to: one for sure, or the whole work of a cell that begins where some of the
 * window runs. */
static void settle_other(const struct az_sieve *s, struct az_sieve_page *p, unsigned i)
{
    const struct cell *c = &p->cell[i];
    const uint64_t bit = UINT64_C(1) << i;
    if (c->part != OUTSIDE || !(p->timed & bit))
        return;
    const int64_t first = ticks_of(p, c->work_first), last = ticks_of(p, c->work_last),
                  end = ticks_of(p, c->end);
    if (end <= first || !az_spans_touch(&s->near, first, end)) {
        p->near |= end <= first ? bit : 0;
        return;
    }
    p->near |= bit;
    if ((p->odd & bit) || s->shift > BITS)
        return;
    const uint32_t at = az_span_at(&s->sure, first);
    if ((at && last < s->sure.v[at - 1].end) ||
        (is_exact(s, p) && !(p->several & bit) && az_spans_touch(&s->sure, first, end)))
        p->other |= bit;
}

/* Spans of parts, merged; `points`: also those without length. */
static int merge_parts(const struct az_spans *parts, bool points, struct az_spans *out)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < parts->n; i++)
        if (points ? parts->v[i].start <= parts->v[i].end : parts->v[i].start < parts->v[i].end)
            rc = az_vec_push(out, parts->v[i]);
    az_spans_sort(out);
    az_spans_union(out);
    return rc;
}

static void settle_unlinked(struct settling *x)
{
    const struct az_sieve *s = x->s;
    for (size_t i = 0; i < s->parts.spans.n; i++) {
        const struct az_span *p = &s->parts.spans.v[i];
        const int64_t first = later(p->start, s->unlinked.first),
                      last = earlier(p->end, s->unlinked.last);
        if (first <= last)
            extend(&x->may.v[i], first, last + s->unlinked.longest);
    }
}

static int settle_pages(struct settling *x)
{
    struct az_sieve *s = x->s;
    for (size_t i = 0; i < s->pages.n; i++)
        for (unsigned k = 0; k < CELLS; k++)
            if (s->pages.v[i].cell[k].calls | s->pages.v[i].cell[k].works)
                settle_cell(x, &s->pages.v[i], k);
    settle_unlinked(x);
    int rc = merge_parts(&x->may, true, &s->near);
    if (rc == 0)
        rc = merge_parts(&x->sure, false, &s->sure);
    for (size_t i = 0; rc == 0 && i < s->pages.n; i++)
        for (unsigned k = 0; k < CELLS; k++)
            settle_other(s, &s->pages.v[i], k);
    return rc;
}

int az_sieve_settle(struct az_sieve *s)
{
    const struct az_span none = { INT64_MAX, INT64_MIN };
    struct settling x = { .s = s };
    int rc = s->error;
    az_vec_init(&x.may, s->mem);
    az_vec_init(&x.sure, s->mem);
    for (size_t i = 0; rc == 0 && i < s->parts.spans.n; i++) {
        rc = az_vec_push(&x.may, none);
        rc = rc ? rc : az_vec_push(&x.sure, none);
        rc = rc ? rc : az_vec_push(&s->work, none);
    }
    if (rc == 0)
        rc = settle_pages(&x);
    az_vec_release(&x.may);
    az_vec_release(&x.sure);
    s->finding = false;
    return rc;
}

/* ---- the second reading ---- */

static enum az_sieve_verdict take_call(struct az_sieve *s, uint64_t process,
                                       const struct az_event *e)
{
    const struct az_sieve_page *p = e->corr ? page_of(s, process, e->corr) : NULL;
    if (!p)
        return az_window_part_at(&s->parts, process, e->start) ? AZ_SIEVE_INSIDE : AZ_SIEVE_OUTSIDE;
    const unsigned i = cell_of(s, e->corr);
    const struct cell *c = &p->cell[i];
    if (c->part == MIXED)
        return AZ_SIEVE_STORE;
    const bool inside = is_exact(s, p) && p->again >> i & 1
                            ? az_window_part_at(&s->parts, process, e->start) != 0
                            : c->part != OUTSIDE;
    if (inside)
        return AZ_SIEVE_INSIDE;
    /* A call outside is kept where its work runs next to that of the window. */
    if (c->part == OUTSIDE && p->other >> i & 1)
        return c->works & bit_of(s, e->corr) ? AZ_SIEVE_BESIDE : AZ_SIEVE_OUTSIDE;
    return c->part == OUTSIDE && p->near >> i & 1 ? AZ_SIEVE_STORE : AZ_SIEVE_OUTSIDE;
}

/* Of an id, which is its call's part. */
static enum az_sieve_verdict take_linked(struct az_sieve *s, const struct az_sieve_page *p,
                                         enum az_kind kind, const struct az_event *e)
{
    const unsigned i = cell_of(s, e->corr);
    const uint32_t part = p->cell[i].part;
    if (part == MIXED)
        return AZ_SIEVE_STORE;
    if (part != OUTSIDE && kind != AZ_SYNC)
        extend(&s->work.v[part - 1], e->start, e->end);
    if (part != OUTSIDE)
        return AZ_SIEVE_INSIDE;
    if (p->other >> i & 1)
        return AZ_SIEVE_BESIDE;
    return kind != AZ_SYNC && p->near >> i & 1 && e->end > e->start &&
                   az_spans_touch(&s->near, e->start, e->end)
               ? AZ_SIEVE_STORE
               : AZ_SIEVE_OUTSIDE;
}

static enum az_sieve_verdict take_work(struct az_sieve *s, enum az_kind kind, uint64_t process,
                                       const struct az_event *e)
{
    const struct az_sieve_page *p = e->corr ? page_of(s, process, e->corr) : NULL;
    if (p)
        return take_linked(s, p, kind, e);
    const uint32_t part = az_window_part_at(&s->parts, process, e->start);
    if (part && kind != AZ_SYNC)
        extend(&s->work.v[part - 1], e->start, e->end);
    if (part)
        return AZ_SIEVE_INSIDE;
    const bool near =
        kind != AZ_SYNC && e->end > e->start && az_spans_touch(&s->near, e->start, e->end);
    return near ? AZ_SIEVE_STORE : AZ_SIEVE_OUTSIDE;
}

enum az_sieve_verdict az_sieve_event(struct az_sieve *s, enum az_kind kind, uint64_t process,
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
