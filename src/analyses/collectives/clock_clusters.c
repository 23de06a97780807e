/* Clocks of clusters. Ranks of one group may compare their ends ten times for one collective that
 * joins the group with others; each rank alone then keeps to its group, and what the groups are off
 * each other stays. So groups are moved as one, too, by the collectives between them alone: level
 * by level, from the groups with most collectives. */
#include "analyses/collectives/clock.h"
#include "base/sort.h"

/* Messages and all-to-all of own sizes end less together than others: they count where these are
 * missing or few. */
bool az_coll_counts(const struct az_clocks *k, const struct az_coll_coll *x)
{
    if (x->flags & AZ_COLL_PAIR)
        return x->n == 2 && (k->scarce || (k->pairs && k->synced[az_coll_unit_at(k, x, 0)] !=
                                                           k->synced[az_coll_unit_at(k, x, 1)]));
    if (x->flags & AZ_COLL_INCOMPLETE)
        return false;
    return (x->flags & AZ_COLL_SYNC) || (k->scarce && x->kind == AZ_COLL_ALLTOALLV && x->n > 1);
}

#define STILL_NS   50
#define SMALL_PART 8 /* of a collective: its own ends do not move the middle of all */

static bool spans(const struct az_clocks *k, const uint32_t *of, const struct az_coll_coll *x)
{
    bool more = false;
    if (!az_coll_counts(k, x))
        return false;
    for (uint32_t i = 1; !more && i < x->n; i++)
        more = of[az_coll_unit_at(k, x, i)] != of[az_coll_unit_at(k, x, 0)];
    return more;
}

/* From clusters `of` to those that are joined by the group in which each has most collectives with
 * others. */
static void join_clocks(const struct az_clocks *k, const uint32_t *of, uint32_t *next,
                        uint32_t *count, uint32_t *best)
{
    const struct az_coll_run *c = k->c;
    memset(count, 0, c->groups.n * sizeof *count);
    for (size_t r = 0; r < k->units; r++) {
        best[r] = AZ_NO_ROW;
        next[r] = of[r];
    }
    for (size_t i = 0; i < c->colls.n; i++)
        count[c->colls.v[i].group] += spans(k, of, &c->colls.v[i]);
    for (size_t i = 0; i < c->colls.n; i++) {
        const struct az_coll_coll *x = &c->colls.v[i];
        const uint32_t n = spans(k, of, x) ? x->n : 0;
        for (uint32_t m = 0; m < n; m++) {
            uint32_t *most = &best[of[az_coll_unit_at(k, x, m)]];
            *most = *most == AZ_NO_ROW || count[x->group] > count[*most] ? x->group : *most;
        }
    }
    for (size_t i = 0; i < c->colls.n; i++) {
        const struct az_coll_coll *x = &c->colls.v[i];
        const uint32_t n = spans(k, of, x) ? x->n : 0;
        for (uint32_t m = 0; m < n; m++) {
            const uint32_t own = of[az_coll_unit_at(k, x, m)];
            if (best[own] != x->group)
                continue;
            const uint32_t a = az_coll_root(next, own),
                           b = az_coll_root(next, of[az_coll_unit_at(k, x, 0)]);
            next[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t r = 0; r < k->units; r++)
        next[r] = az_coll_root(next, r);
}

int az_coll_clusters(struct az_clocks *k, struct az_arena *a)
{
    uint32_t *count = az_arena_array(a, k->c->groups.n + 1, sizeof *count);
    uint32_t *best = az_arena_array(a, k->units + 1, sizeof *best);
    uint32_t *of = az_arena_array(a, k->units + 1, sizeof *of);
    bool more = true;
    if (!count || !best || !of)
        return az_arena_error(a);
    for (uint32_t r = 0; r < k->units; r++)
        of[r] = r;
    while (k->levels < AZ_COLL_MOST_LEVELS) {
        uint32_t *next = az_arena_array(a, k->units + 1, sizeof *next);
        if (!next)
            return az_arena_error(a);
        join_clocks(k, of, next, count, best);
        more = false;
        for (size_t i = 0; !more && i < k->c->colls.n; i++)
            more = spans(k, next, &k->c->colls.v[i]);
        if (!more)
            break;
        of = k->cluster[k->levels++] = next;
    }
    return 0;
}

/* Middle of the ends of a cluster's members of a collective, and of all others'; where it is a
 * small part of them, of all. */
static int64_t sides(struct az_clocks *k, const uint32_t *of, const struct az_coll_coll *x,
                     uint32_t one, int64_t *other)
{
    size_t n = 0, m = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t g = az_coll_member(k->c, x, i);
        if (of[az_coll_unit_of(k->c, g)] == one)
            k->scratch[n++] = az_coll_true_end(k, g);
    }
    const int64_t own = az_coll_median(k->scratch, n);
    *other = k->middle[x - k->c->colls.v];
    if (n * SMALL_PART <= x->n)
        return own;
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t g = az_coll_member(k->c, x, i);
        if (of[az_coll_unit_of(k->c, g)] != one)
            k->scratch[m++] = az_coll_true_end(k, g);
    }
    *other = az_coll_median(k->scratch, m);
    return own;
}

/* How much later than others a cluster ends, by time; in t, y. */
static void differences(struct az_clocks *k, const uint32_t *of, uint32_t one, size_t *count)
{
    size_t n = 0;
    for (uint32_t r = one; r != AZ_NO_ROW; r = k->chain[r])
        for (size_t i = k->first[r]; i < k->first[r + 1]; i++) {
            const struct az_coll_coll *x = &k->c->colls.v[k->c->coll[k->event[i]]];
            uint32_t m = 0;
            int64_t other;
            while (of[az_coll_unit_at(k, x, m)] != one)
                m++;
            if (az_coll_member(k->c, x, m) != k->event[i] || !spans(k, of, x))
                continue;
            k->left[n] = sides(k, of, x, one, &other);
            k->y[n] = az_coll_minus(k->left[n], other);
            n++;
        }
    *count = n;
    az_sort_order(k->left, n, k->order, k->c->job->mem);
    for (size_t i = 0; i < n; i++) {
        k->t[i] = k->left[k->order[i]];
        k->scratch[i] = k->y[k->order[i]];
    }
    memcpy(k->y, k->scratch, n * sizeof *k->y);
}

int az_coll_settle_clusters(struct az_clocks *k, const uint32_t *of, enum az_coll_course how,
                            int64_t *moved)
{
    int rc = 0;
    az_coll_chain(k, of);
    for (uint32_t one = 0; rc == 0 && one < k->units; one++) {
        struct az_coll_track by = { .n = 1 };
        size_t n = 0;
        if (of[one] == one)
            differences(k, of, one, &n);
        if (n == 0)
            continue;
        az_coll_course(k, n, how, &by);
        if (az_coll_apart(k, n, &by, &(struct az_coll_track){ .n = 1 }) < STILL_NS)
            continue;
        for (uint32_t r = one; r != AZ_NO_ROW; r = k->chain[r]) {
            struct az_coll_track new = { .n = 1 };
            const size_t m = k->first[r + 1] - k->first[r];
            for (size_t i = 0; i < m; i++) {
                const uint32_t g = k->event[k->first[r] + i];
                k->t[i] = az_coll_end_of(k->c, g);
                k->y[i] = az_coll_ahead(&k->track[r], k->t[i]) +
                          az_coll_ahead(&by, az_coll_true_end(k, g));
            }
            if (m == 0)
                continue;
            az_coll_course(k, m, how, &new);
            const int64_t far = az_coll_apart(k, m, &new, &k->track[r]);
            *moved = far > *moved ? far : *moved;
            k->track[r] = new;
        }
    }
    return rc;
}
