/* Which events of different ranks are one collective: by sequence number (sequence.c); else by
 * their order of launch, as long as name, type and size agree, and the profiler's steps
 * (match_steps.c); else by an alignment of what they are (merge.c), of each step where they
 * are numbered. docs/formulas-collectives.md 2. */
#include "analyses/collectives/match.h"
#include "base/sort.h"

/* ---- launch order ---- */
/* Room for the events of one rank in one group. */
struct run {
    int64_t *key;
    uint32_t *order, *g;
};

/* Sorts them by launch where every one has it, else by start; ties by start, as they are numbered.
 */
static void order_run(struct az_coll_run *c, uint32_t *g, size_t n, const struct run *x)
{
    const struct az_coll_part *p = c->part[c->rank[g[0]]];
    const uint32_t base = c->base[c->rank[g[0]]];
    bool lacks = false, sorted = true;
    for (size_t i = 0; i < n && !lacks; i++) {
        x->key[i] = az_coll_part_launch(p, g[i] - base);
        lacks = x->key[i] == INT64_MIN;
    }
    for (size_t i = 0; lacks && i < n; i++)
        x->key[i] = az_coll_part_start(p, g[i] - base);
    for (size_t i = 1; i < n && sorted; i++)
        sorted = x->key[i - 1] <= x->key[i];
    if (!sorted) {
        az_sort_order(x->key, n, x->order, c->job->mem);
        for (size_t i = 0; i < n; i++)
            x->g[i] = g[x->order[i]];
        memcpy(g, x->g, n * sizeof *g);
    }
    for (uint32_t i = 0; i < n; i++)
        az_packed_set(&c->index, g[i], i);
}

/* Events by group, in each as they are numbered. */
static int sort_by_group(struct az_coll_matching *m)
{
    const struct az_coll_run *c = m->c;
    size_t *first = m->first = az_arena_array(c->arena, c->groups.n + 2, sizeof *first);
    m->item = az_mem_alloc(c->job->mem, (c->n + 1) * sizeof *m->item);
    if (!first || !m->item)
        return az_mem_error(c->job->mem);
    for (uint32_t g = 0; g < c->n; g++)
        first[az_coll_group_of(c, g) + 2]++;
    for (size_t i = 2; i < c->groups.n + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t g = 0; g < c->n; g++) /* leaves first[i] at the start of group i */
        m->item[first[az_coll_group_of(c, g) + 1]++] = g;
    return 0;
}

static int order_events(struct az_coll_matching *m)
{
    struct az_coll_run *c = m->c;
    size_t most = 0;
    for (size_t r = 0; r < c->ranks->n; r++)
        most = c->base[r + 1] - c->base[r] > most ? c->base[r + 1] - c->base[r] : most;
    const struct run x = { .key = az_arena_array(&m->room, most + 1, sizeof *x.key),
                           .order = az_arena_array(&m->room, most + 1, sizeof *x.order),
                           .g = az_arena_array(&m->room, most + 1, sizeof *x.g) };
    if (!x.key || !x.order || !x.g)
        return az_arena_error(&m->room);
    int rc = az_packed_room(&c->index, c->n, most, c->arena);
    if (rc == 0)
        rc = sort_by_group(m);
    uint32_t *g = m->item;
    for (size_t k = 0; rc == 0 && k < c->groups.n; k++)
        for (size_t i = m->first[k], end; i < m->first[k + 1]; i = end) {
            for (end = i; end < m->first[k + 1] && c->rank[g[end]] == c->rank[g[i]];)
                end++;
            order_run(c, g + i, end - i, &x);
        }
    az_arena_reset(&m->room);
    return rc;
}

/* ---- what must agree ---- */
/* Sizes that ranks may differ in do not count. */
static bool sizes_agree(const struct az_coll_what *w)
{
    switch (w->kind) {
    case AZ_COLL_ALLREDUCE:
    case AZ_COLL_REDUCESCATTER:
    case AZ_COLL_ALLGATHER:
    case AZ_COLL_BROADCAST:
    case AZ_COLL_REDUCE:
        return true;
    case AZ_COLL_ALLTOALL: /* an annotation does not distinguish it from the variable one */
        return az_sv_is(az_sv_str(w->source), "kernel");
    default:
        return false;
    }
}

static int number(struct az_coll_matching *m, const struct az_coll_what *w, bool size,
                  uint32_t *sig)
{
    const struct az_coll_what *x = w;
    const bool sized = size && (m->pair || sizes_agree(x));
    struct {
        uint64_t name, dtype;
        int64_t in, out, kind;
    } k = { .name = x->kind == AZ_COLL_UNKNOWN && !m->pair ? az_hash(x->name.p, x->name.n) : 0,
            .dtype = az_hash(x->dtype.p, x->dtype.n),
            .in = sized ? x->in : -2,
            .out = sized && !m->pair ? x->out : -2,
            .kind = m->pair ? -1 : (int64_t)x->kind };
    uint32_t *at;
    bool added;
    int rc = az_map_put(&m->sigs, az_hash(&k, sizeof k), az_hash(&k.dtype, sizeof k - 8),
                        (uint32_t)m->sigs.n, &at, &added);
    if (rc == 0)
        *sig = *at;
    return rc;
}

static int add_lane(struct az_coll_matching *m, size_t rank, const uint32_t *g, size_t n)
{
    return az_vec_push(&m->lanes, ((struct az_coll_lane){ .rank = rank, .g = g, .n = n }));
}

static size_t events_of(const struct az_coll_matching *m)
{
    size_t all = 0;
    for (size_t l = 0; l < m->lanes.n; l++)
        all += m->lanes.v[l].n;
    return all;
}

/* Room for the numbers of the collectives of all lanes. */
static int make_room(struct az_coll_matching *m)
{
    uint32_t *at = az_arena_array(&m->room, events_of(m) + 1, sizeof *at);
    for (size_t l = 0; at && l < m->lanes.n; l++) {
        m->lanes.v[l].at = at;
        at += m->lanes.v[l].n;
    }
    return at ? 0 : az_arena_error(&m->room);
}

/* Number of a description, and of it without its size. */
static int signature(struct az_coll_matching *m, const struct az_coll_what *w, uint32_t *sig)
{
    uint32_t kind;
    int rc = number(m, w, true, sig);
    if (rc == 0)
        rc = number(m, w, false, &kind);
    while (rc == 0 && m->kind.n <= *sig)
        rc = az_vec_push(&m->kind, AZ_NO_ROW);
    if (rc == 0)
        m->kind.v[*sig] = kind;
    return rc;
}

/* What the events of a lane are, where no number links those that belong together: of each
 * description once. */
static int signatures(struct az_coll_matching *m, struct az_coll_lane *l, uint32_t *sig)
{
    const struct az_coll_part *p = m->c->part[l->rank];
    const bool few = p->n_what <= l->n;
    uint32_t *known = az_arena_array(&m->room, few ? p->n_what + 1 : 1, sizeof *known); /* + 1 */
    int rc = known ? 0 : az_arena_error(&m->room);
    l->sig = sig;
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        const uint32_t what = az_coll_part_what(p, az_coll_place(m->c, l->g[i]));
        if (few && known[what])
            l->sig[i] = known[what] - 1;
        else
            rc = signature(m, &p->what[what], &l->sig[i]);
        if (rc == 0 && few)
            known[what] = l->sig[i] + 1;
    }
    return rc;
}

/* ---- collectives ---- */
static bool differ(const struct az_coll_run *c, const struct az_coll_coll *x)
{
    const struct az_coll_what *a = az_coll_what(c, az_coll_member(c, x, 0));
    for (uint32_t i = 1; i < x->n; i++) {
        const struct az_coll_what *b = az_coll_what(c, az_coll_member(c, x, i));
        if (b->kind == a->kind && a->kind && b->in == a->in && b->dtype.p == a->dtype.p &&
            b->dtype.n == a->dtype.n) /* texts that one thread read are one copy */
            continue;
        const bool sized = (x->flags & AZ_COLL_PAIR) || (sizes_agree(a) && sizes_agree(b));
        const bool kinds = (x->flags & AZ_COLL_PAIR) ||
                           (a->kind == b->kind && (a->kind || az_sv_eq(a->name, b->name)));
        if (!kinds || !az_sv_eq(a->dtype, b->dtype) || (sized && a->in != b->in))
            return true;
    }
    return false;
}

/* present: members whose file is there. */
static int add_coll(struct az_coll_matching *m, uint32_t at, size_t *next, int64_t present,
                    int64_t expected)
{
    struct az_coll_run *c = m->c;
    struct az_coll_coll x = { .group = m->group,
                              .first = (uint32_t)c->member.n,
                              .k = at,
                              .expected = expected,
                              .flags = m->pair ? AZ_COLL_PAIR : 0 };
    int rc = 0;
    for (size_t l = 0; rc == 0 && l < m->lanes.n; l++) {
        const struct az_coll_lane *lane = &m->lanes.v[l];
        if (next[l] == lane->n || lane->at[next[l]] != at)
            continue;
        rc = az_vec_push(&c->member, lane->g[next[l]++]);
        x.n++;
    }
    if (rc || x.n == 0)
        return rc;
    if (x.n == 1 && present > 1) { /* the others have nothing of it */
        c->unmatched++;
        c->member.n--;
        return 0;
    }
    x.kind = az_coll_what(c, c->member.v[x.first])->kind;
    x.flags |= (int64_t)x.n < expected ? AZ_COLL_PARTIAL : 0;
    x.flags |= (int64_t)x.n < present ? AZ_COLL_INCOMPLETE : 0;
    x.flags |= differ(c, &x) ? AZ_COLL_ARGS_DIFFER : 0;
    x.flags |= !m->pair && x.n > 1 && az_coll_synchronises(x.kind) ? AZ_COLL_SYNC : 0;
    for (uint32_t i = 0; i < x.n; i++)
        c->coll[c->member.v[x.first + i]] = (uint32_t)c->colls.n;
    return az_vec_push(&c->colls, x);
}

static int match_lanes(struct az_coll_matching *m, int64_t present, int64_t expected)
{
    bool done = false;
    int rc = make_room(m);
    if (rc == 0 && m->lanes.n)
        rc = az_coll_match_by_sequence(m, &done);
    uint32_t *sig = rc || done ? NULL : az_arena_array(&m->room, events_of(m) + 1, sizeof *sig);
    if (rc == 0 && !done && !sig)
        rc = az_arena_error(&m->room);
    for (size_t l = 0; rc == 0 && !done && l < m->lanes.n; l++) {
        rc = signatures(m, &m->lanes.v[l], sig);
        sig += m->lanes.v[l].n;
    }
    const bool ordinal = rc == 0 && !done && m->lanes.n && az_coll_match_by_ordinal(m);
    if (rc == 0 && !done && m->lanes.n)
        rc = az_coll_match_by_steps(m, ordinal, &done);
    if (rc == 0 && !done && !ordinal && m->lanes.n)
        rc = az_coll_match_by_alignment(m);
    size_t *next = rc ? NULL : az_arena_array(&m->room, m->lanes.n + 1, sizeof *next);
    if (rc == 0 && !next)
        rc = az_arena_error(&m->room);
    for (uint32_t at = 0; rc == 0 && m->lanes.n && at < m->n_at; at++)
        rc = add_coll(m, at, next, present, expected);
    az_vec_reset(&m->lanes);
    az_arena_reset(&m->room);
    return rc;
}

/* ---- send and recv ---- */
struct p2p {
    int64_t src, dst;
    uint32_t g;
};
AZ_VEC(struct p2p, p2ps);

static bool is_p2p(const struct az_coll_run *c, uint32_t g)
{
    const enum az_coll_kind k = az_coll_what(c, g)->kind;
    return k == AZ_COLL_SEND || k == AZ_COLL_RECV;
}

/* Who sends to whom; the recorded peer, or the only other member. */
static bool direction(const struct az_coll_run *c, uint32_t g, struct p2p *p)
{
    const struct az_coll_group *group = &c->groups.v[az_coll_group_of(c, g)];
    const int64_t own = az_coll_rank(c, g);
    int64_t peer = az_coll_what(c, g)->peer;
    if (peer < 0 && group->n_members == 2)
        peer = group->members[group->members[0] == own];
    const bool sends = az_coll_what(c, g)->kind == AZ_COLL_SEND;
    *p = (struct p2p){ .src = sends ? own : peer, .dst = sends ? peer : own, .g = g };
    return peer >= 0 && peer != own;
}

/* Equal pairs keep launch order; the sender's events come first. */
static int by_direction(const void *x, const void *y, void *ctx)
{
    const struct p2p *a = x, *b = y;
    const struct az_coll_run *c = ctx;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    const bool as = az_coll_what(c, a->g)->kind == AZ_COLL_SEND,
               bs = az_coll_what(c, b->g)->kind == AZ_COLL_SEND;
    return as == bs ? 0 : as ? -1 : 1;
}

static bool has_part(const struct az_coll_run *c, int64_t rank)
{
    const ptrdiff_t r = az_ranks_find(c->ranks, rank);
    return r >= 0 && c->part[r];
}

/* One direction: sends of one rank, recvs of the other. */
static int match_pair(struct az_coll_matching *m, const struct p2p *v, size_t n)
{
    uint32_t *g = az_arena_array(&m->room, n + 1, sizeof *g);
    size_t sends = 0;
    int rc = g ? 0 : az_arena_error(&m->room);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        g[i] = v[i].g;
        sends += az_coll_what(m->c, g[i])->kind == AZ_COLL_SEND;
    }
    if (rc == 0 && sends)
        rc = add_lane(m, m->c->rank[g[0]], g, sends);
    if (rc == 0 && sends < n)
        rc = add_lane(m, m->c->rank[g[sends]], g + sends, n - sends);
    m->pair = true;
    return rc ? rc : match_lanes(m, has_part(m->c, v->src) + has_part(m->c, v->dst), 2);
}

static int match_pairs(struct az_coll_matching *m, const uint32_t *g, size_t n, bool alone)
{
    struct p2ps v;
    struct p2p p;
    int rc = 0;
    az_vec_init(&v, m->c->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (direction(m->c, g[i], &p))
            rc = az_vec_push(&v, p);
        else
            m->c->unmatched++;
    }
    if (rc == 0)
        az_sort_cmp(v.v, v.n, sizeof *v.v, by_direction, m->c, m->c->job->mem);
    size_t directions = 0;
    m->pair = true;
    for (size_t i = 0, end; rc == 0 && i < v.n; i = end) {
        for (end = i; end < v.n && v.v[end].src == v.v[i].src && v.v[end].dst == v.v[i].dst;)
            end++;
        directions++;
        rc = match_pair(m, v.v + i, end - i);
    }
    m->c->groups.v[m->group].one_way_pair = alone && directions == 1;
    m->pair = false;
    az_vec_release(&v);
    return rc;
}

/* What is no send or recv first, both in their order; how many. */
static int partition(struct az_coll_matching *m, uint32_t *g, size_t n, size_t *others)
{
    struct az_vec_u32 pairs;
    size_t k = 0;
    int rc = 0;
    az_vec_init(&pairs, m->c->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (is_p2p(m->c, g[i]))
            rc = az_vec_push(&pairs, g[i]);
        else
            g[k++] = g[i];
    }
    if (pairs.n)
        memcpy(g + k, pairs.v, pairs.n * sizeof *g);
    az_vec_release(&pairs);
    *others = k;
    return rc;
}

static int match_group(struct az_coll_matching *m, size_t from, size_t end)
{
    const struct az_coll_run *c = m->c;
    const struct az_coll_group *group = &c->groups.v[m->group];
    uint32_t *g = m->item + from;
    size_t others = 0;
    int rc = partition(m, g, end - from, &others);
    for (size_t i = 0, next; rc == 0 && i < others; i = next) {
        for (next = i; next < others && c->rank[g[next]] == c->rank[g[i]];)
            next++;
        rc = add_lane(m, c->rank[g[i]], g + i, next - i);
    }
    if (rc == 0)
        rc = match_lanes(m, group->present, group->expected);
    return rc || others == end - from
               ? rc
               : match_pairs(m, g + others, end - from - others, others == 0);
}

int az_coll_match(struct az_coll_run *c)
{
    struct az_coll_matching m = { .c = c };
    az_vec_init(&m.lanes, c->job->mem);
    az_arena_init(&m.room, c->job->mem);
    az_map_init(&m.sigs, c->job->mem, 64);
    az_vec_init(&m.kind, c->job->mem);
    for (size_t g = 0; g < c->n; g++)
        c->coll[g] = AZ_NO_ROW;
    int rc = order_events(&m);
    for (m.group = 0; rc == 0 && m.group < c->groups.n; m.group++)
        rc = match_group(&m, m.first[m.group], m.first[m.group + 1]);
    az_mem_free(c->job->mem, m.item, (c->n + 1) * sizeof *m.item);
    az_map_release(&m.sigs);
    az_vec_release(&m.kind);
    az_vec_release(&m.lanes);
    az_arena_release(&m.room);
    return rc;
}
