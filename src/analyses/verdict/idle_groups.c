/* Groups of gaps by device, cause and place. Memory is that of the groups: gaps of a group are
 * counted by classes of length, 32 an octave, each with the shortest and the longest. From the
 * longest down, gaps that differ by at most a factor of four are one row; those of a cause that the
 * device or the launching itself is are one row whatever their length. */
#include "analyses/verdict/idle.h"
#include "base/sort.h"
#include "classify/steps.h"
#include "stats/log_buckets.h"

#define KEPT   60 /* rows of a part; the smaller ones are one by cause */
#define ALIKE  4  /* the longest gap of a row by the shortest */
#define NONE   UINT32_MAX
#define RECENT 256

enum field { F_RANGE, F_FRAME, F_CALL, F_OP, F_NEXT, FIELDS };

struct tally {           /* time of gaps of a class with one name in a field */
    uint32_t name, next; /* next: of the class; NONE */
    int64_t ticks;
    uint8_t field;
};
AZ_VEC(struct tally, tallies);
struct bucket {                               /* a class of lengths of a group */
    uint32_t group, length, next;             /* next: of the group */
    uint32_t tally;                           /* the first of its list */
    int64_t count, ticks, least, most, start; /* start: of the longest */
    int64_t first_use;                        /* ticks of such gaps */
};
AZ_VEC(struct bucket, buckets);
struct group {
    enum az_cause cause;
    uint32_t slot, bucket; /* bucket: the last of its list */
    uint32_t names;        /* the bucket that has the names of all, where the group is one row */
    uint32_t place;        /* name that all its gaps have in field `placed`; AZ_NO_ID: none */
    enum field placed;
    /* ticks of gaps: dependencies after work of another stream, page faults of the host */
    int64_t across;
};
AZ_VEC(struct group, groups);

/* A map, and what was looked up in it lately, by a part of the key. */
struct recent {
    uint64_t k0;
    uint32_t k1, at; /* at: value + 1; 0: nothing */
};
struct lookup {
    struct az_map map;
    struct recent recent[RECENT];
};

struct az_verdict_groups {
    struct az_verdict *v;
    struct lookup index, bucket_of, tally_of;
    struct groups groups;
    struct buckets buckets;
    struct tallies tallies;
};

struct az_verdict_groups *az_verdict_groups_new(struct az_verdict *v)
{
    struct az_mem *mem = v->job->mem;
    struct az_verdict_groups *g = az_arena_alloc(v->job->arena, sizeof *g);
    if (!g)
        return NULL;
    *g = (struct az_verdict_groups){ .v = v };
    az_vec_init(&g->groups, mem);
    az_vec_init(&g->buckets, mem);
    az_vec_init(&g->tallies, mem);
    az_map_init(&g->index.map, mem, 64);
    az_map_init(&g->bucket_of.map, mem, 256);
    az_map_init(&g->tally_of.map, mem, 512);
    return g;
}

void az_verdict_groups_free(struct az_verdict_groups *g)
{
    az_map_release(&g->index.map);
    az_map_release(&g->bucket_of.map);
    az_map_release(&g->tally_of.map);
    az_vec_release(&g->groups);
    az_vec_release(&g->buckets);
    az_vec_release(&g->tallies);
}

/* ---- adding ---- */
/* Causes that the work after the gap explains. */
static bool shows_next(enum az_cause c)
{
    return c == AZ_CAUSE_UNKNOWN || c == AZ_CAUSE_DEPENDENCY || c == AZ_CAUSE_BLOCKING_COPY;
}

/* The value of a key, where there is none `fresh`. */
static inline int look_up(struct lookup *l, uint64_t k0, uint32_t k1, uint32_t fresh,
                          uint32_t *value, bool *added)
{
    struct recent *r = &l->recent[(k0 * UINT64_C(0x9e3779b97f4a7c15) >> 32 ^ k1) % RECENT];
    uint32_t *at;
    *added = false;
    if (!r->at || r->k0 != k0 || r->k1 != k1) {
        const int rc = az_map_put(&l->map, k0, k1, fresh, &at, added);
        if (rc)
            return rc;
        *r = (struct recent){ k0, k1, *at + 1 };
    }
    *value = r->at - 1;
    return 0;
}

static int group_of(struct az_verdict_groups *g, const struct az_verdict_why *why, uint32_t slot,
                    uint32_t *group)
{
    const uint32_t place = az_verdict_is_whole(why->cause) ? AZ_NO_ID : why->place;
    bool added;
    const bool frame = why->place_frame && place != AZ_NO_ID;
    const int rc = look_up(&g->index, (uint64_t)slot << 32 | place,
                           (uint32_t)why->cause << 1 | frame, (uint32_t)g->groups.n, group, &added);
    const struct group fresh = { .cause = why->cause,
                                 .slot = slot,
                                 .bucket = NONE,
                                 .names = NONE,
                                 .place = place,
                                 .placed = frame ? F_FRAME : F_RANGE };
    return rc || !added ? rc : az_vec_push(&g->groups, fresh);
}

static int bucket_of(struct az_verdict_groups *g, uint32_t group, uint32_t length, uint32_t *bucket)
{
    bool added;
    int rc = look_up(&g->bucket_of, (uint64_t)group << 32 | length, 0, (uint32_t)g->buckets.n,
                     bucket, &added);
    if (rc || !added)
        return rc;
    struct group *of = &g->groups.v[group];
    struct bucket b = {
        .group = group, .length = length, .next = of->bucket, .tally = NONE, .least = INT64_MAX
    };
    rc = az_vec_push(&g->buckets, b);
    if (rc)
        return rc;
    of->names = of->bucket == NONE && az_verdict_is_whole(of->cause) ? *bucket : of->names;
    of->bucket = *bucket;
    return 0;
}

static int count_name(struct az_verdict_groups *g, uint32_t bucket, enum field f, uint32_t name,
                      int64_t ticks)
{
    uint32_t at;
    bool added;
    const int rc = look_up(&g->tally_of, (uint64_t)bucket << 32 | name, f, (uint32_t)g->tallies.n,
                           &at, &added);
    if (rc)
        return rc;
    if (!added) {
        g->tallies.v[at].ticks += ticks;
        return 0;
    }
    struct bucket *b = &g->buckets.v[bucket];
    const struct tally t = { name, b->tally, ticks, (uint8_t)f };
    b->tally = at;
    return az_vec_push(&g->tallies, t);
}

int az_verdict_groups_add(struct az_verdict_groups *g, const struct az_verdict_why *why,
                          uint32_t slot, uint32_t next, int64_t start, int64_t length)
{
    const uint32_t name[FIELDS] = { why->range, why->frame, why->call, why->op,
                                    shows_next(why->cause) ? next : AZ_NO_ID };
    const bool host = why->cause != AZ_CAUSE_DEVICE_GAP && why->cause != AZ_CAUSE_GRAPH_GAP;
    uint32_t group = 0, bucket = 0;
    int rc = group_of(g, why, slot, &group);
    if (rc == 0)
        rc = bucket_of(g, group, az_log_bucket(length), &bucket);
    if (rc)
        return rc;
    const struct group *of = &g->groups.v[group];
    const uint32_t names = of->names == NONE ? bucket : of->names;
    for (enum field f = 0; rc == 0 && host && f < FIELDS; f++)
        if (name[f] != AZ_NO_ID && /* else the rest of the bucket */
            !(f == of->placed && of->place != AZ_NO_ID))
            rc = count_name(g, names, f, name[f], length);
    if (rc)
        return rc;
    struct bucket *b = &g->buckets.v[bucket];
    g->groups.v[group].across +=
        why->waits_stream || why->host_access || why->launches ? length : 0;
    b->count++;
    b->ticks += length;
    b->first_use += why->first_use ? length : 0;
    b->least = length < b->least ? length : b->least;
    if (length > b->most) {
        b->most = length;
        b->start = start;
    }
    return 0;
}

/* ---- rows ---- */
struct row { /* classes [first, end) of the list `order` */
    uint32_t group, first, end;
    int64_t count, ticks, first_use;
};
AZ_VEC(struct row, rows);

static int most_time(const void *x, const void *y, void *ctx)
{
    const struct row *a = x, *b = y;
    (void)ctx;
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The classes of each group, from the longest gaps down. */
static int classify_rows(struct az_verdict_groups *g, const uint32_t *order, struct rows *out)
{
    const struct bucket *b = g->buckets.v;
    int rc = 0;
    int64_t most = 0;
    for (uint32_t i = 0; rc == 0 && i < g->buckets.n; i++) {
        const struct bucket *x = &b[order[i]];
        struct row *r = out->n ? &out->v[out->n - 1] : NULL;
        const bool same = r && r->group == x->group &&
                          (az_verdict_is_whole(g->groups.v[x->group].cause) ||
                           (most + ALIKE - 1) / ALIKE <= x->least);
        if (!same) {
            rc = az_vec_push(out, ((struct row){ x->group, i, i, 0, 0, 0 }));
            if (rc)
                return rc;
            r = &out->v[out->n - 1];
            most = x->most;
        }
        r->end = i + 1;
        r->count += x->count;
        r->ticks += x->ticks;
        r->first_use += x->first_use;
    }
    return rc;
}

/* The k-th longest gap of a row, from 0: exact at the ends of its class, else half way. */
static int64_t length_at(const struct az_verdict_groups *g, const uint32_t *order,
                         const struct row *r, int64_t k)
{
    for (uint32_t i = r->first; i < r->end; i++) {
        const struct bucket *b = &g->buckets.v[order[i]];
        if (k == 0 && b->count > 0)
            return b->most;
        if (k < b->count)
            return k == b->count - 1 ? b->least : b->least + (b->most - b->least) / 2;
        k -= b->count;
    }
    return 0;
}

static int64_t median_of(const struct az_verdict_groups *g, const uint32_t *order,
                         const struct row *r)
{
    const int64_t a = length_at(g, order, r, (r->count - 1) / 2),
                  b = length_at(g, order, r, r->count / 2);
    return b + (a - b) / 2;
}

static struct az_sv plain_name(struct az_verdict_groups *g, uint32_t name)
{
    return name == AZ_NO_ID
               ? AZ_SV("")
               : az_verdict_copy_text(g->v, az_range_plain_name(az_trace_text(g->v->t, name)));
}

/* The tallies of a row: their numbers, and keys by which they are in order of name and field. */
static int tallies_of(const struct az_verdict_groups *g, const uint32_t *order, const struct row *r,
                      struct az_vec_u32 *tally, struct az_vec_i64 *key)
{
    int rc = 0;
    for (uint32_t i = r->first; rc == 0 && i < r->end; i++)
        for (uint32_t k = g->buckets.v[order[i]].tally; rc == 0 && k != NONE;
             k = g->tallies.v[k].next) {
            const struct tally *t = &g->tallies.v[k];
            rc = az_vec_push(tally, k);
            if (rc == 0)
                rc = az_vec_push(key, (int64_t)t->name * FIELDS + t->field);
        }
    return rc;
}

/* In each field the name with the most time, and its ticks: of tallies in order `perm` by `key`. */
static void most_common(const struct az_verdict_groups *g, const struct az_vec_u32 *tally,
                        const int64_t *key, const uint32_t *perm, int64_t ticks,
                        uint32_t name[FIELDS], int64_t most[FIELDS])
{
    int64_t unnamed[FIELDS];
    for (enum field f = 0; f < FIELDS; f++) {
        name[f] = AZ_NO_ID;
        most[f] = 0;
        unnamed[f] = ticks;
    }
    for (size_t i = 0; i < tally->n;) {
        const int64_t of = key[perm[i]];
        const size_t field = (size_t)(of % FIELDS);
        int64_t sum = 0;
        for (; i < tally->n && key[perm[i]] == of; i++)
            sum += g->tallies.v[tally->v[perm[i]]].ticks;
        unnamed[field] -= sum;
        if (sum > most[field]) {
            most[field] = sum;
            name[field] = (uint32_t)(of / FIELDS);
        }
    }
    for (enum field f = 0; f < FIELDS; f++)
        if (unnamed[f] > most[f])
            name[f] = AZ_NO_ID;
}

static int common_names(struct az_verdict_groups *g, const uint32_t *order, const struct row *r,
                        uint32_t name[FIELDS], int64_t most[FIELDS])
{
    struct az_mem *mem = g->v->job->mem;
    struct az_vec_u32 tally, perm;
    struct az_vec_i64 key;
    az_vec_init(&tally, mem);
    az_vec_init(&perm, mem);
    az_vec_init(&key, mem);
    int rc = tallies_of(g, order, r, &tally, &key);
    if (rc == 0)
        rc = az_vec_reserve(&perm, tally.n);
    if (rc == 0)
        az_sort_order(key.v, key.n, perm.v, mem);
    if (rc == 0)
        most_common(g, &tally, key.v, perm.v, r->ticks, name, most);
    const struct group *of = &g->groups.v[r->group];
    if (of->place != AZ_NO_ID) {
        name[of->placed] = of->place;
        most[of->placed] = r->ticks;
    }
    az_vec_release(&tally);
    az_vec_release(&perm);
    az_vec_release(&key);
    return rc;
}

/* Sums of the small rows of one cause, without their names. */
static void fold_small_row(struct az_verdict_idles *out, const struct az_verdict_idle *s)
{
    size_t i = KEPT;
    while (i < out->n && out->v[i].cause != s->cause)
        i++;
    if (i == out->n) {
        out->v[out->n++] = *s;
        return;
    }
    struct az_verdict_idle *o = &out->v[i];
    o->count += s->count;
    o->ns += s->ns;
    o->first_use += s->first_use;
    o->median = 0;
    o->device = AZ_NO_RANK;
    if (s->longest > o->longest) {
        o->longest = s->longest;
        o->start = s->start;
    }
}

static int keep_row(struct az_verdict_groups *g, const uint32_t *order, const struct row *r,
                    const struct az_device_slots *slots, bool named)
{
    struct az_verdict_idles *out = &g->v->part->idles;
    const struct group *of = &g->groups.v[r->group];
    const struct bucket *longest = &g->buckets.v[order[r->first]];
    static const enum field field_of[AZ_PLACES] = { [AZ_PLACE_CALL] = F_CALL,
                                                    [AZ_PLACE_FRAME] = F_FRAME,
                                                    [AZ_PLACE_RANGE] = F_RANGE,
                                                    [AZ_PLACE_OPERATOR] = F_OP };
    uint32_t name[FIELDS];
    int64_t most[FIELDS];
    struct az_verdict_idle s = { .cause = of->cause,
                                 .device = slots->n > 1 ? slots->v[of->slot].device : AZ_NO_RANK,
                                 .count = r->count,
                                 .ns = az_verdict_ns(g->v, r->ticks),
                                 .median = az_verdict_ns(g->v, median_of(g, order, r)),
                                 .longest = az_verdict_ns(g->v, longest->most),
                                 .start = az_verdict_ns(g->v, longest->start),
                                 .first_use = az_verdict_ns(g->v, r->first_use),
                                 .across = az_verdict_ns(g->v, of->across) };
    if (!named) {
        fold_small_row(out, &s);
        return 0;
    }
    const int rc = common_names(g, order, r, name, most);
    if (rc)
        return rc;
    s.range = plain_name(g, name[F_RANGE]);
    s.frame = plain_name(g, name[F_FRAME]);
    s.call = plain_name(g, name[F_CALL]);
    s.op = plain_name(g, name[F_OP]);
    s.next = plain_name(g, name[F_NEXT]);
    for (enum az_place p = 0; p < AZ_PLACES; p++)
        s.in_place[p] = name[field_of[p]] == AZ_NO_ID ? 0 : az_verdict_ns(g->v, most[field_of[p]]);
    out->v[out->n++] = s;
    return 0;
}

static int make_rows(struct az_verdict_groups *g, uint32_t *order, struct rows *rows)
{
    struct az_mem *mem = g->v->job->mem;
    const size_t n = g->buckets.n;
    int64_t *key = az_mem_alloc(mem, n * sizeof *key); /* by group, from the longest gaps down */
    if (!key)
        return az_mem_error(mem);
    for (uint32_t i = 0; i < n; i++)
        key[i] = ((int64_t)g->buckets.v[i].group + 1) * AZ_LOG_BUCKETS - g->buckets.v[i].length;
    az_sort_order(key, n, order, mem);
    az_mem_free(mem, key, n * sizeof *key);
    int rc = classify_rows(g, order, rows);
    az_sort_cmp(rows->v, rows->n, sizeof *rows->v, most_time, NULL, mem);
    return rc;
}

int az_verdict_groups_finish(struct az_verdict_groups *g, const struct az_device_slots *slots)
{
    struct az_verdict_idles *out = &g->v->part->idles;
    struct az_mem *mem = g->v->job->mem;
    const size_t bytes = (g->buckets.n + 1) * sizeof(uint32_t);
    struct rows rows;
    uint32_t *order = az_mem_alloc(mem, bytes);
    if (!order)
        return az_mem_error(mem);
    az_vec_init(&rows, mem);
    int rc = make_rows(g, order, &rows);
    out->v = az_arena_array(g->v->keep, KEPT + AZ_CAUSES, sizeof *out->v);
    if (rc == 0 && !out->v)
        rc = az_arena_error(g->v->keep);
    for (size_t i = 0; rc == 0 && i < rows.n; i++)
        rc = keep_row(g, order, &rows.v[i], slots, i < KEPT);
    az_vec_release(&rows);
    az_mem_free(mem, order, bytes);
    return rc ? rc : g->v->keep->failed ? az_arena_error(g->v->keep) : 0;
}
