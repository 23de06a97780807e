/* Levels of detail of a timeline (see tracks.h). */
#include "document/tracks.h"

#include "base/sort.h"

#define PLACES 1024 /* of level 0 */
#define STEP   4    /* from level to level */
#define FINEST 200  /* ns: below that every event is by itself */

struct az_lod_open {
    int64_t start, end, busy, longest;
    int64_t drawn; /* end of the lane's last mark of one event */
    int64_t family[AZ_FAMILIES];
    uint32_t name, count;
};

void az_tracks_init(struct az_tracks *t, struct az_mem *mem)
{
    *t = (struct az_tracks){ .begin = -1 };
    az_vec_init(&t->lanes, mem);
    az_vec_init(&t->levels, mem);
    az_vec_init(&t->marks, mem);
    az_vec_init(&t->names, mem);
    az_vec_init(&t->families, mem);
}

void az_tracks_release(struct az_tracks *t)
{
    az_vec_release(&t->lanes);
    az_vec_release(&t->levels);
    az_vec_release(&t->marks);
    az_vec_release(&t->names);
    az_vec_release(&t->families);
}

/* Level 0 must fit with whatever lanes there are. A lane has two marks a place at most: its
 * densities begin a resolution apart, and what is drawn by itself is a resolution long and does not
 * overlap. */
static size_t places_of(size_t lanes, size_t budget)
{
    const size_t most = budget / (4 * (lanes ? lanes : 1));
    return most > PLACES ? PLACES : most > 2 ? most : 2;
}

int az_lod_init(struct az_lod *l, int64_t from, int64_t to, size_t lanes, size_t budget,
                struct az_mem *mem)
{
    *l = (struct az_lod){ .from = from, .to = to, .lanes = lanes, .budget = budget, .mem = mem };
    int64_t r = (to - from) / (int64_t)places_of(lanes, budget);
    for (; r >= FINEST && l->n_levels + 1 < AZ_TRACK_LEVELS; r /= STEP)
        l->resolution[l->n_levels++] = r;
    l->resolution[l->n_levels++] = 0;
    for (size_t i = 0; i < l->n_levels; i++)
        az_vec_init(&l->level[i], mem);
    l->open = az_mem_alloc(mem, (lanes + 1) * l->n_levels * sizeof *l->open);
    if (!l->open)
        return az_mem_error(mem);
    memset(l->open, 0, (lanes + 1) * l->n_levels * sizeof *l->open);
    return 0;
}

void az_lod_release(struct az_lod *l)
{
    for (size_t i = 0; i < l->n_levels; i++)
        az_vec_release(&l->level[i]);
    if (l->open)
        az_mem_free(l->mem, l->open, (l->lanes + 1) * l->n_levels * sizeof *l->open);
    l->open = NULL;
}

/* A level that grows over the budget costs more than it shows. */
static int put_mark(struct az_lod *l, size_t level, const struct az_track_mark *m)
{
    if (l->level[level].n < l->budget)
        return az_vec_push(&l->level[level], *m);
    l->dead[level] = true;
    az_vec_release(&l->level[level]);
    return 0;
}

static int flush(struct az_lod *l, size_t level, uint32_t lane)
{
    struct az_lod_open *o = &l->open[level * l->lanes + lane];
    struct az_track_mark m = { .start = o->start,
                               .duration = o->end - o->start,
                               .lane = lane,
                               .name = o->name,
                               .count = o->count };
    if (o->count == 0)
        return 0;
    for (int f = 1; f < AZ_FAMILIES; f++)
        if (o->family[f] > o->family[m.family])
            m.family = (uint8_t)f;
    m.busy = o->busy < m.duration ? o->busy : m.duration;
    *o = (struct az_lod_open){ .drawn = o->drawn };
    return put_mark(l, level, &m);
}

static int join_mark(struct az_lod *l, size_t level, const struct az_track_mark *e)
{
    struct az_lod_open *o = &l->open[level * l->lanes + e->lane];
    const int64_t r = l->resolution[level], end = e->start + e->duration;
    if (o->count && (e->start - o->end >= r || e->start - o->start >= r)) {
        int rc = flush(l, level, e->lane);
        if (rc)
            return rc;
    }
    if (o->count == 0)
        *o = (struct az_lod_open){
            .start = e->start, .end = e->start, .longest = -1, .drawn = o->drawn
        };
    if (e->duration > o->longest) {
        o->longest = e->duration;
        o->name = e->name;
    }
    o->end = end > o->end ? end : o->end;
    o->busy += e->busy;
    o->family[e->family] += e->duration;
    o->count += e->count;
    return 0;
}

int az_lod_add(struct az_lod *l, const struct az_track_mark *event)
{
    struct az_track_mark e = *event;
    int rc = 0;
    if (e.start >= l->to || e.start + e.duration < l->from)
        return 0;
    if (e.start < l->from) {
        e.duration -= l->from - e.start;
        e.start = l->from;
    }
    e.duration = e.duration < l->to - e.start ? e.duration : l->to - e.start;
    e.busy = e.busy < e.duration ? e.busy : e.duration;
    for (size_t i = 0; rc == 0 && i < l->n_levels; i++) {
        if (l->dead[i])
            continue;
        int64_t *drawn = &l->open[i * l->lanes + e.lane].drawn;
        if (l->resolution[i] && (e.duration < l->resolution[i] || e.start < *drawn)) {
            rc = join_mark(l, i, &e);
            continue;
        }
        *drawn = e.start + e.duration;
        rc = flush(l, i, e.lane);
        if (rc == 0 && !l->dead[i])
            rc = put_mark(l, i, &e);
    }
    return rc;
}

static int by_lane(const void *pa, const void *pb, void *ctx)
{
    const struct az_track_mark *a = pa, *b = pb;
    (void)ctx;
    return a->lane != b->lane ? (a->lane < b->lane ? -1 : 1)
                              : (a->start > b->start) - (a->start < b->start);
}

static int give_level(struct az_lod *l, size_t i, struct az_tracks *out)
{
    struct az_track_marks *m = &l->level[i];
    size_t at = 0;
    int rc = 0;
    az_sort_cmp(m->v, m->n, sizeof *m->v, by_lane, NULL, l->mem);
    for (uint32_t lane = 0; rc == 0 && lane < l->lanes; lane++) {
        struct az_track_level of = { lane, l->resolution[i], l->from, l->to, out->marks.n + at, 0 };
        for (; at < m->n && m->v[at].lane == lane; at++)
            of.n++;
        rc = az_vec_push(&out->levels, of);
    }
    if (rc == 0)
        rc = az_vec_reserve(&out->marks, m->n);
    if (rc == 0 && m->n) {
        memcpy(out->marks.v + out->marks.n, m->v, m->n * sizeof *m->v);
        out->marks.n += m->n;
    }
    return rc;
}

/* The finest that leaves room for the coarsest, then from fine to coarse each that fits and has at
 * most half the marks of the one before. */
static void choose(const struct az_lod *l, bool *take, bool *exact)
{
    const size_t first = l->dead[0] ? 0 : l->level[0].n;
    size_t left = l->budget, last = SIZE_MAX;
    *exact = false;
    for (size_t i = l->n_levels; i-- > 0;) {
        const size_t n = l->level[i].n, reserve = i && n > first ? first : 0;
        const bool useful = last == SIZE_MAX || n <= last / 2 || (i == 0 && n < last);
        take[i] = !l->dead[i] && n + reserve <= left && useful;
        if (!take[i])
            continue;
        *exact |= l->resolution[i] == 0;
        left -= n;
        last = n;
    }
}

int az_lod_finish(struct az_lod *l, struct az_tracks *out, bool *exact)
{
    bool take[AZ_TRACK_LEVELS] = { false };
    int rc = 0;
    for (size_t i = 0; i < l->n_levels; i++)
        for (uint32_t lane = 0; rc == 0 && lane < l->lanes && !l->dead[i]; lane++)
            rc = flush(l, i, lane);
    choose(l, take, exact);
    for (size_t i = 0; rc == 0 && i < l->n_levels; i++)
        if (take[i])
            rc = give_level(l, i, out);
    return rc;
}
