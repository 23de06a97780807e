/* Of each rank and block, the time without anything but communication, against that of the ranks
 * with the same program. What it means is described in verdict.c. */
#include "analyses/collectives/straggler_attrib.h"
#include "base/intern.h"
#include "base/sort.h"

#define IMPUTED    0.25 /* of a block's collectives at most */
#define FREE_SHARE 0.8  /* of the usual events, in a block that is no step */
#define ALIKE      3    /* ranks with the same program, to be compared with none else */

static int compare_ascending(const void *a, const void *b, void *ctx)
{
    const double x = *(const double *)a, y = *(const double *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

int az_coll_sorted(const struct az_coll_blame *m, double *v, size_t n)
{
    az_sort_cmp(v, n, sizeof *v, compare_ascending, NULL, m->c->job->mem);
    return 0;
}

/* ---- exposed communication ---- */
/* Time of one rank without anything but communication; at which an event counts is when it began.
 * kinds: most events of each kind in a block. */
static uint64_t expose(struct az_coll_blame *m, size_t r, uint32_t *kinds)
{
    const struct az_coll_run *c = m->c;
    const struct az_coll_part *p = c->part[r];
    int64_t until = INT64_MIN;
    uint64_t program = 0;
    memset(kinds, 0, m->blocks * AZ_COLL_KINDS * sizeof *kinds);
    for (size_t i = 0; i < p->n; i++) {
        const uint32_t g = c->base[r] + (uint32_t)i, b = az_coll_block_of(m, g);
        const int64_t start = az_coll_part_start(p, i), end = az_coll_part_end(p, i),
                      from = start > until ? start : until;
        const int64_t alone = end > from ? end - from - az_coll_part_compute(p, i, from, end) : 0;
        until = end > until ? end : until;
        if (b == AZ_NO_ROW)
            continue;
        m->exposed[r * m->blocks + b] += (double)alone;
        m->count[r * m->blocks + b]++;
        kinds[b * AZ_COLL_KINDS + p->what[az_coll_part_what(p, i)].kind]++;
    }
    for (size_t k = 0; k < AZ_COLL_KINDS; k++) {
        uint32_t most = 0;
        for (size_t b = 0; b < m->blocks; b++)
            most = kinds[b * AZ_COLL_KINDS + k] > most ? kinds[b * AZ_COLL_KINDS + k] : most;
        program = (program + most) * UINT64_C(0x9e3779b97f4a7c15) + k + 1;
    }
    return program;
}

/* Ranks that have events in each group: ascending in each; group -> its first. */
struct attendance {
    uint32_t *rank;
    size_t *first;
};
static int attend(struct az_coll_blame *m, struct attendance *t)
{
    const struct az_coll_run *c = m->c;
    const size_t groups = c->groups.n;
    uint32_t *last = az_arena_array(m->a, groups + 1, sizeof *last);
    t->first = az_arena_array(m->a, groups + 2, sizeof *t->first);
    if (!last || !t->first)
        return az_arena_error(m->a);
    for (int pass = 0; pass < 2; pass++) { /* counted, then put; events are by rank */
        memset(last, 0, groups * sizeof *last);
        for (uint32_t g = 0; g < c->n; g++) {
            const uint32_t i = az_coll_group_of(c, g), r = c->rank[g];
            if (last[i] == r + 1)
                continue;
            last[i] = r + 1;
            if (pass)
                t->rank[t->first[i + 1]++] = r;
            else
                t->first[i + 2]++;
        }
        for (size_t i = 2; pass == 0 && i < groups + 2; i++)
            t->first[i] += t->first[i - 1];
        if (pass == 0 &&
            !(t->rank = az_arena_array(m->a, t->first[groups + 1] + 1, sizeof *t->rank)))
            return az_arena_error(m->a);
    }
    return 0;
}

/* Puts the median of its members where the event of a collective is lost. */
static int impute(struct az_coll_blame *m, double *v)
{
    const struct az_coll_run *c = m->c;
    struct attendance t;
    const int made = attend(m, &t);
    if (made)
        return made;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *k = &c->colls.v[x];
        if (!(k->flags & AZ_COLL_INCOMPLETE) || m->block[x] == AZ_NO_ROW)
            continue;
        for (uint32_t i = 0; i < k->n; i++) {
            const uint32_t g = az_coll_member(c, k, i);
            const struct az_coll_exposed e = az_coll_exposed(c, g);
            v[i] = (double)(e.wait + e.transfer);
        }
        const int rc = az_coll_sorted(m, v, k->n);
        if (rc)
            return rc;
        const double usual = az_coll_middle(v, k->n);
        size_t i = 0;
        for (size_t q = t.first[k->group]; q < t.first[k->group + 1]; q++) {
            const uint32_t r = t.rank[q];
            while (i < k->n && c->rank[az_coll_member(c, k, (uint32_t)i)] < r)
                i++;
            if (i < k->n && c->rank[az_coll_member(c, k, (uint32_t)i)] == r)
                continue;
            const size_t at = r * m->blocks + m->block[x];
            m->exposed[at] += usual;
            m->count[at]++;
            m->imputed[at]++;
        }
    }
    return 0;
}

/* Events of one rank in synchronizing collectives of a block, in the order of these. */
struct synced {
    int64_t *coll;
    uint32_t *event, *order;
};

static size_t list_synced(const struct az_coll_blame *m, size_t r, const struct synced *s)
{
    const struct az_coll_run *c = m->c;
    bool sorted = true;
    size_t n = 0;
    for (size_t i = 0; c->part[r] && i < c->part[r]->n; i++) {
        const uint32_t x = c->coll[c->base[r] + i];
        if (x == AZ_NO_ROW || !(c->colls.v[x].flags & AZ_COLL_SYNC) || m->block[x] == AZ_NO_ROW)
            continue;
        sorted &= n == 0 || s->coll[n - 1] < x;
        s->order[n] = (uint32_t)n;
        s->event[n] = (uint32_t)i;
        s->coll[n++] = x;
    }
    if (!sorted)
        az_sort_order(s->coll, n, s->order, c->job->mem);
    return n;
}

/* What the members of collectives wait longer than each of them, where they do. Rank by rank: its
 * events are next to each other. */
static int waits(struct az_coll_blame *m)
{
    const struct az_coll_run *c = m->c;
    size_t most = 0;
    for (size_t r = 0; r < m->ranks; r++)
        most = c->part[r] && c->part[r]->n > most ? c->part[r]->n : most;
    const struct synced s = { .coll = az_arena_array(m->a, most + 1, sizeof *s.coll),
                              .event = az_arena_array(m->a, most + 1, sizeof *s.event),
                              .order = az_arena_array(m->a, most + 1, sizeof *s.order) };
    if (!s.coll || !s.event || !s.order)
        return az_arena_error(m->a);
    for (size_t r = 0; r < m->ranks; r++) {
        const size_t n = list_synced(m, r, &s);
        for (size_t i = 0; i < n; i++) {
            const struct az_coll_coll *x = &c->colls.v[s.coll[s.order[i]]];
            const int64_t length = az_coll_part_length(c->part[r], s.event[s.order[i]]);
            const double less = x->usual - (double)(length - x->latency);
            m->caused[r] += less > 0 ? less / (double)m->blocks : 0;
        }
        m->synced[r] = (uint32_t)n;
    }
    return 0;
}

/* ---- who is compared with whom ---- */
static uint32_t root_of(uint32_t *of, uint32_t r)
{
    while (of[r] != r)
        r = of[r] = of[of[r]];
    return r;
}

static void components(struct az_coll_blame *m)
{
    const struct az_coll_run *c = m->c;
    uint32_t *of = m->component;
    for (uint32_t r = 0; r < m->ranks; r++)
        of[r] = r;
    for (size_t x = 0; x < c->colls.n; x++)
        for (uint32_t i = 1; i < c->colls.v[x].n; i++) {
            const uint32_t a = root_of(of, c->rank[az_coll_member(c, &c->colls.v[x], 0)]),
                           b = root_of(of, c->rank[az_coll_member(c, &c->colls.v[x], i)]);
            of[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t r = 0; r < m->ranks; r++)
        of[r] = root_of(of, r);
    for (uint32_t r = 0; r < m->ranks; r++)
        of[r] = c->part[r] ? of[r] : AZ_NO_ROW;
}

/* The class of a rank is the first one with its component and program. */
static int classes(struct az_coll_blame *m, const uint64_t *program)
{
    uint32_t *same = az_arena_array(m->a, m->ranks + 1, sizeof *same);
    struct az_map first;
    az_map_init(&first, m->c->job->mem, m->ranks);
    int rc = same ? 0 : az_arena_error(m->a);
    for (uint32_t r = 0; rc == 0 && r < m->ranks; r++) {
        uint32_t *at;
        bool added;
        m->class[r] = r;
        if (m->component[r] == AZ_NO_ROW)
            continue;
        rc = az_map_put(&first, m->component[r], program[r], r, &at, &added);
        if (rc == 0)
            same[m->class[r] = *at]++;
    }
    for (uint32_t r = 0; rc == 0 && r < m->ranks; r++)
        m->has_class[r] = same[m->class[r]] >= ALIKE;
    az_map_release(&first);
    return rc;
}

/* Ranks by what they are in: `of` is a rank's number itself. */
static int list_sets(struct az_coll_blame *m, const uint32_t *of, uint32_t **list, uint32_t **first)
{
    uint32_t *at = az_arena_array(m->a, m->ranks + 2, sizeof *at);
    uint32_t *v = az_arena_array(m->a, m->ranks + 1, sizeof *v);
    if (!at || !v)
        return az_arena_error(m->a);
    for (size_t r = 0; r < m->ranks; r++)
        if (m->component[r] != AZ_NO_ROW)
            at[of[r] + 1]++;
    for (size_t r = 0; r < m->ranks; r++)
        at[r + 1] += at[r];
    *first = az_arena_array(m->a, m->ranks + 2, sizeof **first);
    if (!*first)
        return az_arena_error(m->a);
    memcpy(*first, at, (m->ranks + 1) * sizeof *at);
    for (uint32_t r = 0; r < m->ranks; r++)
        if (m->component[r] != AZ_NO_ROW)
            v[at[of[r]]++] = r;
    *list = v;
    return 0;
}

static int list_peers(struct az_coll_blame *m)
{
    const int rc = list_sets(m, m->component, &m->by_component, &m->of_component);
    return rc ? rc : list_sets(m, m->class, &m->by_class, &m->of_class);
}

/* ---- what a rank lacks against its peers ---- */
static uint32_t most_events(const struct az_coll_blame *m, size_t r)
{
    uint32_t most = 0;
    for (size_t b = 0; b < m->blocks; b++)
        most = m->count[r * m->blocks + b] > most ? m->count[r * m->blocks + b] : most;
    return most;
}

/* As many events as most ranks with the same program have in this block; without such ranks, as
 * many as it ever has. */
static int usual(const struct az_coll_blame *m, size_t r, size_t b, double *v, uint32_t *n)
{
    size_t k = 0, peers = 0;
    const uint32_t *q = az_coll_compared(m, r, &peers);
    *n = m->has_class[r] ? 0 : most_events(m, r);
    for (size_t i = 0; m->has_class[r] && i < peers; i++)
        if (m->count[q[i] * m->blocks + b])
            v[k++] = m->count[q[i] * m->blocks + b];
    if (k == 0)
        return 0;
    const int rc = az_coll_sorted(m, v, k);
    *n = (uint32_t)v[k / 2];
    return rc;
}

/* Blocks that do not hold all that they should count for nothing. */
static int drop_blame(struct az_coll_blame *m, double *v)
{
    for (size_t b = 0; b < m->blocks; b++)
        for (size_t r = 0; r < m->ranks; r++) {
            const size_t at = r * m->blocks + b;
            uint32_t n = 0;
            if (m->component[r] == AZ_NO_ROW)
                continue;
            const int rc = m->has_class[r] && r != m->class[r] ? 0 : usual(m, r, b, v, &n);
            if (rc)
                return rc;
            if (m->has_class[r] && r == m->class[r])
                m->usual[r] = n;
            n = m->has_class[r] ? m->usual[m->class[r]] : n;
            const uint32_t least = m->n_numbers ? n : (uint32_t)(FREE_SHARE * (double)n);
            if (m->count[at] == 0 || m->count[at] < least || (m->n_numbers && m->count[at] != n) ||
                (double)m->imputed[at] > IMPUTED * (double)n)
                m->exposed[at] = NAN;
        }
    return 0;
}

/* Median of sorted values without one that equals x; NaN. */
static double middle_without(const double *v, size_t n, double x)
{
    if (n < 2)
        return NAN;
    const size_t low = AZ_LOWER(v, n, x);
    const size_t a = (n - 2) / 2, b = (n - 1) / 2; /* of n - 1 values */
    return (v[a + (a >= low)] + v[b + (b >= low)]) / 2;
}

/* What those of a block lack that are compared with the same ranks as `first`: all of its class, or
 * of its component those that have no class. */
static int lacks_of(struct az_coll_blame *m, size_t first, size_t b, double *v)
{
    size_t n = 0, peers;
    const uint32_t *q = az_coll_compared(m, first, &peers);
    for (size_t i = 0; i < peers; i++)
        if (!isnan(m->exposed[q[i] * m->blocks + b]))
            v[n++] = m->exposed[q[i] * m->blocks + b];
    const int rc = az_coll_sorted(m, v, n);
    for (size_t i = 0; rc == 0 && i < peers; i++) {
        const size_t at = q[i] * m->blocks + b;
        if (m->has_class[q[i]] == m->has_class[first])
            m->lack[at] = middle_without(v, n, m->exposed[at]) - m->exposed[at];
    }
    return rc;
}

/* Of each set once: by the first rank that is compared with it. */
static int lacks_in(struct az_coll_blame *m, size_t b, double *v, uint32_t *done)
{
    int rc = 0;
    for (size_t r = 0; rc == 0 && r < m->ranks; r++) {
        if (m->component[r] == AZ_NO_ROW) {
            m->lack[r * m->blocks + b] = NAN;
            continue;
        }
        if (m->has_class[r] ? m->class[r] != r : done[m->component[r]] == b + 1)
            continue;
        if (!m->has_class[r])
            done[m->component[r]] = (uint32_t)b + 1;
        rc = lacks_of(m, r, b, v);
    }
    return rc;
}

int az_coll_lacks(struct az_coll_blame *m)
{
    const size_t cells = m->ranks * m->blocks + 1;
    uint64_t *program = az_arena_array(m->a, m->ranks + 1, sizeof *program);
    uint32_t *kinds = az_arena_array(m->a, m->blocks * AZ_COLL_KINDS + 1, sizeof *kinds);
    double *v = az_arena_array(m->a, m->ranks + 1, sizeof *v);
    m->exposed = az_arena_array(m->a, cells, sizeof *m->exposed);
    m->lack = az_arena_array(m->a, cells, sizeof *m->lack);
    m->count = az_arena_array(m->a, cells, sizeof *m->count);
    m->imputed = az_arena_array(m->a, cells, sizeof *m->imputed);
    m->component = az_arena_array(m->a, m->ranks + 1, sizeof *m->component);
    m->class = az_arena_array(m->a, m->ranks + 1, sizeof *m->class);
    m->usual = az_arena_array(m->a, m->ranks + 1, sizeof *m->usual);
    m->synced = az_arena_array(m->a, m->ranks + 1, sizeof *m->synced);
    m->has_class = az_arena_array(m->a, m->ranks + 1, sizeof *m->has_class);
    m->caused = az_arena_array(m->a, m->ranks + 1, sizeof *m->caused);
    if (m->a->failed)
        return az_arena_error(m->a);
    uint32_t *done = az_arena_array(m->a, m->ranks + 1, sizeof *done);
    if (!done)
        return az_arena_error(m->a);
    components(m);
    for (size_t r = 0; r < m->ranks; r++)
        program[r] = m->c->part[r] ? expose(m, r, kinds) : 0;
    int rc = classes(m, program);
    if (rc == 0)
        rc = list_peers(m);
    if (rc == 0)
        rc = waits(m);
    if (rc == 0)
        rc = impute(m, v);
    if (rc == 0)
        rc = drop_blame(m, v);
    for (size_t b = 0; rc == 0 && b < m->blocks; b++)
        rc = lacks_in(m, b, v, done);
    return rc;
}
