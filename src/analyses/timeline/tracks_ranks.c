/* The tracks of a run whose ranks are reduced one by one: each rank's tracks get its share of the
 * marks, one rank below the other. Ranks with a recorded start time keep their offset; the others
 * start together. */
#include "analyses/registry_list.h"
#include "analyses/timeline/tracks.h"

struct part {
    struct az_tracks t; /* vectors in the arena of the part */
    int64_t begin_ns;
};

#define KEEP(keep, vec) keep_bytes((keep), (void **)&(vec).v, (vec).n * sizeof *(vec).v, &(vec).cap)

static bool keep_bytes(struct az_arena *keep, void **v, size_t bytes, size_t *cap)
{
    void *copy = az_arena_alloc(keep, bytes);
    if (copy && bytes)
        memcpy(copy, *v, bytes);
    *v = copy;
    *cap = 0;
    return copy != NULL;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **out)
{
    struct part *p = job->draw ? az_arena_alloc(keep, sizeof *p) : NULL;
    struct az_tracks t;
    if (!p)
        return job->draw ? az_arena_error(keep) : 0;
    az_tracks_init(&t, job->mem);
    int rc = az_tracks_make(job, &t, &p->begin_ns);
    p->t = t;
    for (size_t i = 0; rc == 0 && i < t.names.n; i++) {
        t.names.v[i] = az_rank_text(job, keep, t.names.v[i]);
        rc = t.names.v[i].p ? 0 : az_arena_error(keep);
    }
    if (rc == 0 && !(KEEP(keep, p->t.lanes) && KEEP(keep, p->t.levels) && KEEP(keep, p->t.marks) &&
                     KEEP(keep, p->t.names) && KEEP(keep, p->t.families)))
        rc = az_arena_error(keep);
    az_tracks_release(&t);
    *out = rc == 0 && p->t.marks.n ? p : NULL;
    return rc;
}

/* Names of a part -> names of all. */
static int join_names(struct az_tracks *t, struct az_intern *names, const struct part *p,
                      uint32_t *map)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->t.names.n; i++) {
        rc = az_intern(names, p->t.names.v[i], &map[i]);
        if (rc == 0 && map[i] == t->names.n) {
            rc = az_vec_push(&t->names, p->t.names.v[i]);
            if (rc == 0)
                rc = az_vec_push(&t->families, p->t.families.v[i]);
        }
    }
    return rc;
}

/* A rank for which there are no lanes left: it is only counted. */
static void hide_rank(struct az_tracks *t, const struct part *p)
{
    t->hidden_ranks++;
    for (size_t i = 0; i < p->t.lanes.n; i++)
        t->hidden_events += p->t.lanes.v[i].kind == AZ_TRACK_STREAM ? p->t.lanes.v[i].events : 0;
}

static int join_part(struct az_tracks *t, const struct part *p, int64_t rank, int64_t offset,
                     const uint32_t *map)
{
    const uint32_t lane = (uint32_t)t->lanes.n;
    const size_t mark = t->marks.n;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->t.lanes.n; i++) {
        struct az_track_lane l = p->t.lanes.v[i];
        l.rank = rank;
        rc = az_vec_push(&t->lanes, l);
    }
    for (size_t i = 0; rc == 0 && i < p->t.levels.n; i++) {
        struct az_track_level l = p->t.levels.v[i];
        const bool whole = l.from == 0 && l.to == p->t.span;
        l.lane += lane;
        l.first += mark;
        l.from = whole ? 0 : l.from + offset;
        l.to = whole ? t->span : l.to + offset;
        rc = az_vec_push(&t->levels, l);
    }
    for (size_t i = 0; rc == 0 && i < p->t.marks.n; i++) {
        struct az_track_mark m = p->t.marks.v[i];
        m.lane += lane;
        m.start += offset;
        m.name = m.name == AZ_NO_ID ? AZ_NO_ID : map[m.name];
        rc = az_vec_push(&t->marks, m);
    }
    return rc;
}

/* First begin of all; INT64_MAX: the start of a rank's clock is unknown, so none is shifted. */
static int64_t first_begin(const struct az_ranks *ranks, void *const *parts)
{
    int64_t first = INT64_MAX;
    for (size_t k = 0; k < ranks->n; k++) {
        const struct part *p = parts[k];
        if (p && ranks->v[k].base_ns == 0)
            return INT64_MAX;
        first = p && p->begin_ns < first ? p->begin_ns : first;
    }
    return first;
}

static int64_t offset_of(const struct part *p, int64_t first)
{
    return first == INT64_MAX ? 0 : p->begin_ns - first;
}

static int join_all(struct az_job *job, const struct az_ranks *ranks, void *const *parts,
                    struct az_tracks *t)
{
    const int64_t first = first_begin(ranks, parts);
    struct az_intern names;
    int rc = 0;
    az_intern_init(&names, job->arena, job->mem);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct part *p = parts[i];
        const int64_t end = p ? p->t.span + offset_of(p, first) : 0;
        t->span = end > t->span ? end : t->span;
    }
    for (size_t i = 0; rc == 0 && i < ranks->n; i++) {
        const struct part *p = parts[i];
        if (!p)
            continue;
        t->streams += p->t.streams;
        t->devices += p->t.devices;
        if (t->lanes.n && t->lanes.n + p->t.lanes.n > AZ_TRACK_LANES_MOST) {
            hide_rank(t, p);
            continue;
        }
        uint32_t *map = az_arena_array(job->arena, p->t.names.n + 1, sizeof *map);
        rc = map ? join_names(t, &names, p, map) : az_arena_error(job->arena);
        if (rc == 0)
            rc = join_part(t, p, ranks->v[i].rank, offset_of(p, first), map);
    }
    az_intern_release(&names);
    return rc;
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_tracks *t = job->draw ? az_arena_alloc(job->arena, sizeof *t) : NULL;
    if (!t)
        return job->draw ? az_arena_error(job->arena) : 0;
    az_tracks_init(t, job->mem);
    return az_tracks_attach(job, t, join_all(job, ranks, parts, t));
}

/* ---- the part as bytes ---- */

static bool part_valid(const void *of)
{
    const struct az_tracks *t = &((const struct part *)of)->t;
    bool ok = t->families.n == t->names.n;
    for (size_t i = 0; i < t->marks.n; i++) {
        const struct az_track_mark *m = &t->marks.v[i];
        ok = ok && m->lane < t->lanes.n && (m->name == AZ_NO_ID || m->name < t->names.n) &&
             m->family < AZ_FAMILIES;
    }
    for (size_t i = 0; i < t->levels.n; i++) {
        const struct az_track_level *l = &t->levels.v[i];
        ok = ok && l->lane < t->lanes.n && l->first <= t->marks.n && l->n <= t->marks.n - l->first;
    }
    for (size_t i = 0; i < t->lanes.n; i++)
        ok = ok && (unsigned)t->lanes.v[i].kind < AZ_TRACK_KINDS;
    return ok;
}
static const struct az_shape_field lane_fields[] = {
    AZ_PLAIN(struct az_track_lane, kind),   AZ_PLAIN(struct az_track_lane, rank),
    AZ_PLAIN(struct az_track_lane, device), AZ_PLAIN(struct az_track_lane, stream),
    AZ_PLAIN(struct az_track_lane, busy),   AZ_PLAIN(struct az_track_lane, events),
    AZ_PLAINS(struct az_track_lane, family)
};
static const struct az_shape lane_shape = AZ_SHAPE(struct az_track_lane, lane_fields);
static const struct az_shape_field mark_fields[] = {
    AZ_PLAIN(struct az_track_mark, start), AZ_PLAIN(struct az_track_mark, duration),
    AZ_PLAIN(struct az_track_mark, busy),  AZ_PLAIN(struct az_track_mark, lane),
    AZ_PLAIN(struct az_track_mark, name),  AZ_PLAIN(struct az_track_mark, count),
    AZ_PLAIN(struct az_track_mark, family)
};
static const struct az_shape mark_shape = AZ_SHAPE(struct az_track_mark, mark_fields);
static const struct az_shape_field level_fields[] = {
    AZ_PLAIN(struct az_track_level, lane),  AZ_PLAIN(struct az_track_level, resolution),
    AZ_PLAIN(struct az_track_level, from),  AZ_PLAIN(struct az_track_level, to),
    AZ_PLAIN(struct az_track_level, first), AZ_PLAIN(struct az_track_level, n)
};
static const struct az_shape level_shape = AZ_SHAPE(struct az_track_level, level_fields);
static const struct az_shape_field tracks_fields[] = {
    AZ_PLAIN(struct az_tracks, span),
    AZ_VEC_OF(struct az_tracks, lanes, lane_shape),
    AZ_VEC_OF(struct az_tracks, levels, level_shape),
    AZ_VEC_OF(struct az_tracks, marks, mark_shape),
    AZ_VEC_OF(struct az_tracks, names, az_shape_text),
    AZ_VEC_OF(struct az_tracks, families, az_shape_u8),
    AZ_PLAIN(struct az_tracks, streams),
    AZ_PLAIN(struct az_tracks, devices)
};
static const struct az_shape tracks_shape = AZ_SHAPE(struct az_tracks, tracks_fields);
static const struct az_shape_field part_fields[] = { AZ_NEST_OF(struct part, t, tracks_shape),
                                                     AZ_PLAIN(struct part, begin_ns) };
static const struct az_shape part_shape = AZ_SHAPE_IF(struct part, part_fields, part_valid);

const struct az_rank_analysis az_rank_analysis_tracks = {
    .name = "tracks",
    .help = "timeline by rank",
    .needs = AZ_CAP_TIMELINE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
