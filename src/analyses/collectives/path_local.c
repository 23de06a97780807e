/* What one rank contributes to the critical path over ranks (docs/formulas-collectives.md 7). */
#include "analyses/collectives/path.h"
#include "base/sort.h"

#define NONE SIZE_MAX

struct item { /* an operation, a piece of one, or the begin of a step */
    int64_t start, end;
    uint32_t event;
    uint8_t family, order; /* among those that end together: work, collectives, begins of steps */
    size_t index;
    int64_t launch;
};
enum { WORK, COMM, STEP };
AZ_VEC(struct item, items);

struct local {
    struct items v;
    size_t *pred, *stop, *root; /* what came before; the collective or begin that a chain of work
                                   meets; the first of a chain that meets none */
    int64_t *sum;
    struct az_coll_part *p;
    struct az_coll_local *out; /* in the order of queries */
    struct az_arena *scratch;
};

static int by_end(const void *x, const void *y, void *ctx)
{
    const struct item *a = x, *b = y;
    (void)ctx;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* First step that begins after t. */
static size_t step_after(const struct az_coll_part *p, int64_t t)
{
    return AZ_UPPER_BY(p->steps, p->n_steps, start, t);
}

/* Work is truncated where a step begins, so that what is before it is not mixed with what is after.
 */
static int add_op(struct local *l, const struct az_coll_op *op, size_t index)
{
    struct item x = { .start = op->start,
                      .end = op->end,
                      .event = op->event,
                      .family = op->family,
                      .order = op->event == AZ_NO_ROW ? WORK : COMM,
                      .index = index,
                      .launch = op->launch };
    int rc = 0;
    for (size_t k = step_after(l->p, x.start);
         rc == 0 && x.order == WORK && k < l->p->n_steps && l->p->steps[k].start < op->end; k++) {
        x.end = l->p->steps[k].start;
        rc = az_vec_push(&l->v, x);
        x.start = x.end;
        x.end = op->end;
        x.launch = INT64_MIN; /* nothing was waited for */
    }
    return rc ? rc : az_vec_push(&l->v, x);
}

static int list_path_local(struct local *l, const struct az_coll_op *op, size_t n)
{
    struct az_coll_part *p = l->p;
    int rc = 0;
    p->first = INT64_MAX;
    p->last = INT64_MIN;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        p->first = op[i].start < p->first ? op[i].start : p->first;
        p->last = op[i].end > p->last ? op[i].end : p->last;
        rc = add_op(l, &op[i], i);
    }
    for (size_t k = 0; rc == 0 && k < p->n_steps; k++)
        rc = az_vec_push(&l->v, ((struct item){ .start = p->steps[k].start,
                                                .end = p->steps[k].start,
                                                .event = AZ_NO_ROW,
                                                .order = STEP,
                                                .index = n + k }));
    az_sort_cmp(l->v.v, l->v.n, sizeof *l->v.v, by_end, NULL, l->v.mem);
    return rc;
}

/* The last item that ends no later; NONE. */
static size_t before(const struct local *l, int64_t t)
{
    const size_t low = AZ_UPPER_BY(l->v.v, l->v.n, end, t);
    return low ? low - 1 : NONE;
}

static int chain(struct local *l)
{
    const size_t n = l->v.n;
    l->pred = az_arena_array(l->scratch, n + 1, sizeof *l->pred);
    l->stop = az_arena_array(l->scratch, n + 1, sizeof *l->stop);
    l->root = az_arena_array(l->scratch, n + 1, sizeof *l->root);
    l->sum = az_arena_array(l->scratch, n + 1, sizeof *l->sum);
    if (!l->pred || !l->stop || !l->root || !l->sum)
        return az_arena_error(l->scratch);
    for (size_t i = 0; i < n; i++) {
        size_t q = before(l, l->v.v[i].start);
        if (q != NONE && q >= i) /* it takes no time */
            q = i ? i - 1 : NONE;
        l->pred[i] = q;
        l->stop[i] = q == NONE ? NONE : l->v.v[q].order != WORK ? q : l->stop[q];
        l->root[i] = q == NONE || l->v.v[q].order != WORK ? i : l->root[q];
    }
    return 0;
}

/* Item that a query begins with: 0..n - 1 before an event, then before the end of a step, then
 * before the end of all. */
static size_t resolve(const struct local *l, const size_t *of_event, size_t query, int64_t *t)
{
    const struct az_coll_part *p = l->p;
    if (query < p->n) {
        *t = az_coll_part_start(p, query);
        return of_event[query] == NONE ? before(l, *t) : l->pred[of_event[query]];
    }
    *t = query < p->n + p->n_steps ? p->steps[query - p->n].end : p->last;
    size_t item = before(l, *t);
    while (item != NONE && l->v.v[item].order == STEP && l->v.v[item].end == *t)
        item = item ? item - 1 : NONE; /* the next step begins where this one ends */
    return item;
}

static void answer(const struct local *l, size_t item, int64_t t, struct az_coll_local *out)
{
    const size_t stop = item == NONE ? NONE : l->v.v[item].order != WORK ? item : l->stop[item];
    *out = (struct az_coll_local){ .event = AZ_NO_ROW, .from = t };
    if (stop != NONE) {
        out->event = l->v.v[stop].event;
        out->from = l->v.v[stop].end;
    } else if (item != NONE) {
        out->from = l->v.v[l->root[item]].start;
    }
}

/* Time between an item and t, when something begins that was launched at `launch`, until then: the
 * host had not requested it yet. */
static int64_t host_time(const struct local *l, size_t item, int64_t t, int64_t launch)
{
    if (item == NONE)
        return 0;
    const int64_t from = l->v.v[item].end, to = launch < t ? launch : t;
    return to > from ? to - from : 0;
}

static int64_t event_host_time(const struct local *l, size_t item, size_t event)
{
    return host_time(l, item, az_coll_part_start(l->p, event), az_coll_part_launch(l->p, event));
}

/* The host's time before the operation, or the operation's own, if it is of what is added up. */
static int64_t own_time(const struct local *l, size_t i, unsigned what)
{
    const struct item *x = &l->v.v[i];
    if (x->order != WORK)
        return 0;
    if (what == AZ_COLL_HOST)
        return host_time(l, l->pred[i], x->start, x->launch);
    return x->family == what ? x->end - x->start : 0;
}

/* Time of one family, or of the host, along each chain, since where it stops. */
static bool add_up(struct local *l, unsigned what)
{
    bool any = false;
    for (size_t i = 0; i < l->v.n; i++) {
        const size_t q = l->pred[i];
        const int64_t own = own_time(l, i, what);
        l->sum[i] = (q != NONE && l->v.v[q].order == WORK ? l->sum[q] : 0) + own;
        any |= own > 0;
    }
    return any;
}

static int shares(struct local *l, const size_t *item, size_t queries, struct az_arena *keep)
{
    int64_t *of = az_arena_array(l->scratch, queries * AZ_COLL_PARTS + 1, sizeof *of);
    size_t n = 0;
    if (!of)
        return az_arena_error(l->scratch);
    for (unsigned f = 0; f < AZ_COLL_PARTS; f++) {
        if (!add_up(l, f) && f != AZ_COLL_HOST)
            continue;
        for (size_t q = 0; q < queries; q++) {
            of[q * AZ_COLL_PARTS + f] =
                item[q] != NONE && l->v.v[item[q]].order == WORK ? l->sum[item[q]] : 0;
            if (f == AZ_COLL_HOST && q < l->p->n) /* before the event itself */
                of[q * AZ_COLL_PARTS + f] += event_host_time(l, item[q], q);
            n += of[q * AZ_COLL_PARTS + f] > 0;
        }
    }
    struct az_coll_share *share = az_arena_array(l->scratch, n + 1, sizeof *share);
    if (!share || n > UINT32_MAX)
        return az_arena_error(l->scratch);
    n = 0;
    for (size_t q = 0; q < queries; q++) {
        l->out[q].first = (uint32_t)n;
        for (unsigned f = 0; f < AZ_COLL_PARTS; f++)
            if (of[q * AZ_COLL_PARTS + f] > 0)
                share[n++] = (struct az_coll_share){ of[q * AZ_COLL_PARTS + f], (uint8_t)f };
    }
    return az_coll_part_set_local(l->p, l->out, queries, share, n, keep, l->v.mem);
}

static int answer_all(struct local *l, struct az_arena *keep)
{
    struct az_coll_part *p = l->p;
    const size_t queries = p->n + p->n_steps + 1;
    size_t *of_event = az_arena_array(l->scratch, p->n + 1, sizeof *of_event);
    size_t *item = az_arena_array(l->scratch, queries, sizeof *item);
    l->out = az_arena_array(l->scratch, queries, sizeof *l->out);
    if (!of_event || !item || !l->out)
        return az_arena_error(l->scratch);
    for (size_t i = 0; i < p->n; i++)
        of_event[i] = NONE;
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].event != AZ_NO_ROW)
            of_event[l->v.v[i].event] = i;
    for (size_t q = 0; q < queries; q++) {
        int64_t t;
        item[q] = resolve(l, of_event, q, &t);
        answer(l, item[q], t, &l->out[q]);
    }
    return shares(l, item, queries, keep);
}

int az_coll_local_make(const struct az_coll_op *op, size_t n, struct az_coll_part *p,
                       struct az_arena *scratch, struct az_arena *keep, struct az_mem *mem)
{
    struct local l = { .p = p, .scratch = scratch };
    int rc;
    az_vec_init(&l.v, mem);
    rc = list_path_local(&l, op, n);
    if (rc == 0)
        rc = chain(&l);
    if (rc == 0)
        rc = answer_all(&l, keep);
    az_vec_release(&l.v);
    return rc;
}
