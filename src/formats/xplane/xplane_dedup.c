/* XPlane: kernels repeat the same stats, but for the correlation: equal
 * bytes are read once. As programs repeat themselves, what follows in a line mostly is what
 * followed the last time, so that it is compared and not searched. */
#include "formats/xplane/xplane.h"

enum { MOST_TOLD = 1 << 16 };

bool az_xplane_dedup_full(const struct az_xplane *r) { return r->stats.n >= MOST_TOLD; }

/* Stats without the correlation. */
static struct az_xplane_stats stats_of(const struct az_xplane_event *x)
{
    struct az_xplane_stats t = {
        .at = { x->stats.p, x->stats.end }, .meta = x->meta, .name = AZ_NO_ID, .next = AZ_NO_ROW
    };
    if (x->mark)
        t.at[1] = x->mark + 2 + x->mark[1];
    t.n[0] = (size_t)((x->mark ? x->mark : x->stats.end) - x->stats.p);
    t.n[1] = (size_t)(x->stats.end - t.at[1]);
    return t;
}

static bool same_told(const struct az_xplane_stats *a, const struct az_xplane_stats *b)
{
    return a->meta == b->meta && a->n[0] == b->n[0] && a->n[1] == b->n[1] &&
           memcmp(a->at[0], b->at[0], a->n[0]) == 0 && memcmp(a->at[1], b->at[1], a->n[1]) == 0;
}

static int find_told(struct az_xplane *r, const struct az_xplane_stats *t, uint32_t *index,
                     bool *added)
{
    const uint64_t hash =
        az_hash(t->at[0], t->n[0]) + 31 * az_hash(t->at[1], t->n[1]) + 1009 * t->meta;
    int rc = AZ_OK;
    if (!r->has_told)
        az_map_init(&r->stats_of, r->job->mem, 64);
    r->has_told = true;
    for (uint64_t probe = 0; rc == 0; probe++) {
        uint32_t *at;
        rc = az_map_put(&r->stats_of, hash, probe, (uint32_t)r->stats.n, &at, added);
        if (rc)
            break;
        *index = *at;
        if (*added)
            return az_vec_push(&r->stats, *t);
        if (same_told(&r->stats.v[*at], t))
            return AZ_OK;
    }
    return rc;
}

int az_xplane_dedup_stats(struct az_xplane *r, const struct az_xplane_event *x, uint32_t *index,
                          bool *added)
{
    const struct az_xplane_stats t = stats_of(x);
    const int rc = find_told(r, &t, index, added);
    if (rc == 0 && r->stats_last != AZ_NO_ROW)
        r->stats.v[r->stats_last].next = *index;
    r->stats_last = rc ? AZ_NO_ROW : *index;
    return rc;
}

const struct az_xplane_stats *
az_xplane_dedup_next(struct az_xplane *r, const struct az_xplane_event *x, uint64_t *correlation)
{
    const uint32_t next = r->stats_last == AZ_NO_ROW ? AZ_NO_ROW : r->stats.v[r->stats_last].next;
    if (next == AZ_NO_ROW)
        return NULL;
    const struct az_xplane_stats *t = &r->stats.v[next];
    const size_t n = (size_t)(x->stats.end - x->stats.p);
    struct az_protobuf m = { x->stats.p + t->n[0], x->stats.end, 0 };
    struct az_xplane_value v = { .number = 0 };
    unsigned id;
    if (t->meta != x->meta || t->name == AZ_NO_ID || n < t->n[0] + t->n[1] ||
        memcmp(x->stats.p, t->at[0], t->n[0]) != 0)
        return NULL;
    if (n > t->n[0] + t->n[1] && (!az_xplane_short_stat(r, &m, 4, &id, &v) || !r->look[id]))
        return NULL;
    if ((size_t)(m.end - m.p) != t->n[1] || memcmp(m.p, t->at[1], t->n[1]) != 0)
        return NULL;
    *correlation = v.number;
    r->stats_last = next;
    return t;
}
