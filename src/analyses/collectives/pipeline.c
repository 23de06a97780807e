/* The schedule of a pipeline: stages by who sends to whom, and the time that they wait for each
 * other. Ranks that send to each other are a chain, or a ring where stages are interleaved; the
 * first to send of its ends is stage 0. */
#include "analyses/collectives/waiting.h"

#define LEAST_STAGES 2
#define SHARE        0.01 /* of the run: below, nothing is found */

struct chains {
    const struct az_coll_run *c;
    uint32_t (*peer)[2]; /* by rank: whom it exchanges with; AZ_NO_ROW */
    uint8_t *sends;      /* by rank: bits of the peers that it sends to */
    int64_t *first_send; /* by rank: when, on the common clock; INT64_MAX: it only receives */
    bool *branches;      /* by rank: it exchanges with more than two */
    uint32_t *chain;     /* by rank: + 1; 0: in none */
};

static void add_peer(struct chains *h, uint32_t r, uint32_t q, bool sends)
{
    for (int i = 0; i < 2; i++) {
        if (h->peer[r][i] == AZ_NO_ROW)
            h->peer[r][i] = q;
        if (h->peer[r][i] != q)
            continue;
        h->sends[r] |= (uint8_t)(sends << i);
        return;
    }
    h->branches[r] = true;
}

/* The members of a pair: who sends, who receives. */
static bool pair_of(const struct az_coll_run *c, const struct az_coll_coll *x, uint32_t *from,
                    uint32_t *to)
{
    if (!(x->flags & AZ_COLL_PAIR) || x->n != 2)
        return false;
    const uint32_t a = az_coll_member(c, x, 0), b = az_coll_member(c, x, 1);
    const bool first = az_coll_what(c, a)->kind == AZ_COLL_SEND;
    *from = first ? a : b;
    *to = first ? b : a;
    return az_coll_what(c, *from)->kind == AZ_COLL_SEND &&
           az_coll_what(c, *to)->kind == AZ_COLL_RECV;
}

static void exchange(struct chains *h)
{
    const struct az_coll_run *c = h->c;
    for (size_t i = 0; i < c->colls.n; i++) {
        uint32_t from, to;
        if (!pair_of(c, &c->colls.v[i], &from, &to))
            continue;
        const uint32_t r = c->rank[from], q = c->rank[to];
        const int64_t start = az_coll_start(c, from);
        add_peer(h, r, q, true);
        add_peer(h, q, r, false);
        h->first_send[r] = start < h->first_send[r] ? start : h->first_send[r];
    }
}

/* Follows a chain from one of its ends; its length, 0: it branches. */
static uint32_t follow(const struct chains *h, uint32_t from, uint32_t *order)
{
    uint32_t n = 0, at = from, before = AZ_NO_ROW;
    while (at != AZ_NO_ROW && (n == 0 || at != from)) {
        if (h->branches[at] || n > h->c->ranks->n)
            return 0;
        order[n++] = at;
        const uint32_t *p = h->peer[at];
        const uint32_t next = p[0] != before ? p[0] : p[1];
        before = at;
        at = next == before ? AZ_NO_ROW : next;
    }
    return n;
}

/* Numbers the ranks of one chain from its first stage on. */
static uint32_t number_chain(struct chains *h, uint32_t from, uint32_t *order, uint32_t chain,
                             struct az_coll_stages *out)
{
    uint32_t n = follow(h, from, order);
    for (uint32_t i = 0; i < n; i++)
        h->chain[order[i]] = chain;
    if (n < LEAST_STAGES)
        return 0;
    const bool ring = n > 2 && h->peer[from][1] != AZ_NO_ROW;
    for (uint32_t i = 0; ring && i < n; i++)
        if (h->sends[order[i]] != 3) /* what goes around one way is no pipeline */
            return 0;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < n; i++) /* of a chain the ends, of a ring anyone */
        if ((ring || i == 0 || i == n - 1) && h->first_send[order[i]] < h->first_send[order[begin]])
            begin = i;
    const bool back = ring && n > 2 && begin + 1 < n && begin > 0 &&
                      h->first_send[order[begin - 1]] < h->first_send[order[begin + 1]];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t stage = ring         ? (back ? (begin + n - i) % n : (i + n - begin) % n)
                               : begin == 0 ? i
                                            : n - 1 - i;
        out->of[order[i]] = stage;
    }
    return n;
}

/* All chains are equally long, or there is no pipeline. */
static void find_stages(struct chains *h, uint32_t *order, struct az_coll_stages *out)
{
    const struct az_coll_run *c = h->c;
    uint32_t chains = 0;
    for (int rings = 0; rings < 2; rings++)
        for (uint32_t r = 0; r < c->ranks->n; r++) {
            const bool has = h->peer[r][0] != AZ_NO_ROW, end = h->peer[r][1] == AZ_NO_ROW;
            if (h->chain[r] || !has || (!rings && !end))
                continue;
            const uint32_t n = number_chain(h, r, order, ++chains, out);
            if (n == 0 || (out->n && n != out->n)) {
                out->n = 0;
                return;
            }
            out->n = n;
        }
}

/* Batches of a step: what stage 0 sends to stage 1. */
static double micro_batches(const struct az_coll_run *c, const struct az_coll_blame *m,
                            const struct az_coll_stages *s)
{
    double sent = 0, senders = 0;
    for (uint32_t r = 0; r < c->ranks->n; r++)
        senders += s->of[r] == 0;
    for (size_t i = 0; i < c->colls.n; i++) {
        uint32_t from, to;
        if (pair_of(c, &c->colls.v[i], &from, &to) && s->of[c->rank[from]] == 0 &&
            s->of[c->rank[to]] == 1)
            sent++;
    }
    return m->n_numbers && senders > 0 ? sent / senders / (double)m->n_numbers : NAN;
}

/* Time of all ranks that only waits for the other side of a pair. */
static double waits(const struct az_coll_run *c, int64_t *count)
{
    double sum = 0;
    for (size_t i = 0; i < c->colls.n; i++) {
        const struct az_coll_coll *x = &c->colls.v[i];
        if (!(x->flags & AZ_COLL_PAIR) || x->n != 2)
            continue;
        sum += (double)x->exposed_wait;
        *count += x->exposed_wait > 0;
    }
    return sum;
}

static int put_waits(struct az_coll_run *c, struct az_coll_waits *w)
{
    const struct az_coll_stages *s = &w->stages;
    uint32_t *member = az_arena_array(c->arena, c->ranks->n + 1, sizeof *member);
    int64_t count = 0, span = 0;
    size_t n = 0;
    if (!member)
        return az_arena_error(c->arena);
    for (uint32_t r = 0; r < c->ranks->n; r++) {
        if (s->of[r] == AZ_NO_ROW)
            continue;
        member[n++] = r;
        span = c->part[r]->span > span ? c->part[r]->span : span;
    }
    const double saving = waits(c, &count) / (double)c->ranks->n;
    if (saving < SHARE * (double)span)
        return 0;
    const struct az_coll_late l = {
        .kind = AZ_LATE_PIPELINE,
        .member = member,
        .n = n,
        .subject = az_arena_printf(c->arena, "%u stages", s->n),
        .group = AZ_SV(""),
        .count = count,
        .each = 0,
        .saving = (int64_t)saving,
        .detail = s->micro >= 1
                      ? az_arena_printf(
                            c->arena,
                            ", %.0f micro-batches; minimum for this schedule: %.0f%% of compute",
                            s->micro, 100 * (s->n - 1) / s->micro)
                      : AZ_SV("")
    };
    return az_vec_push(&w->late, l);
}

int az_coll_pipeline(struct az_coll_run *c, const struct az_coll_blame *m, struct az_coll_waits *w)
{
    const size_t n = c->ranks->n;
    struct chains h = { .c = c };
    struct az_coll_stages *s = &w->stages;
    uint32_t *order = az_arena_array(m->a, n + 2, sizeof *order);
    h.peer = az_arena_array(m->a, n + 1, sizeof *h.peer);
    h.first_send = az_arena_array(m->a, n + 1, sizeof *h.first_send);
    h.sends = az_arena_array(m->a, n + 1, sizeof *h.sends);
    h.branches = az_arena_array(m->a, n + 1, sizeof *h.branches);
    h.chain = az_arena_array(m->a, n + 1, sizeof *h.chain);
    s->of = az_arena_array(c->arena, n + 1, sizeof *s->of);
    s->micro = NAN;
    if (!order || !h.peer || !h.first_send || !h.sends || !h.branches || !h.chain || !s->of)
        return az_arena_error(s->of ? m->a : c->arena);
    for (size_t r = 0; r < n; r++) {
        h.peer[r][0] = h.peer[r][1] = s->of[r] = AZ_NO_ROW;
        h.first_send[r] = INT64_MAX;
    }
    exchange(&h);
    find_stages(&h, order, s);
    if (s->n < LEAST_STAGES) {
        s->n = 0;
        return 0;
    }
    s->micro = micro_batches(c, m, s);
    return put_waits(c, w);
}
