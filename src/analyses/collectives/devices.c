/* Devices as ranks: one process, or one recording of several processes, that drives several devices
 * and does not record the members of a collective. Each device with collectives becomes a rank of
 * its own before anything is matched; elsewhere the kernels that one collective runs on each device
 * would be taken for as many collectives. */
#include "analyses/collectives/collectives.h"

struct split {
    struct az_coll_run *c;
    struct az_rank *rank;
    const struct az_coll_part **part;
    size_t *of; /* place among the traces */
    size_t n;
    uint32_t most; /* devices with collectives of one trace */
};

/* Is there a trace of several devices, none of which has its rank or its groups? */
static bool wanted(const struct az_coll_run *c, uint32_t *most)
{
    for (size_t r = 0; r < c->ranks->n; r++) {
        const struct az_coll_part *p = c->part[r];
        if (!p || p->n_devices < 2)
            continue;
        *most = p->n_devices > *most ? p->n_devices : *most;
        if (c->ranks->v[r].world_size > 0)
            return false;
        for (size_t i = 0; i < p->n_what; i++)
            if (p->what[i].group.n && strcmp(p->what[i].source, AZ_COLL_FROM_PAYLOAD) != 0)
                return false;
    }
    return *most > 1;
}

static void device_times(struct az_coll_part *p)
{
    int64_t until = INT64_MIN;
    p->one_stream = true;
    for (size_t i = 0; i < p->n; i++) { /* by start */
        const struct az_coll_event e = az_coll_part_event(p, i);
        const int64_t from = e.start > until ? e.start : until;
        p->busy += e.end > from ? e.end - from : 0;
        until = e.end > until ? e.end : until;
        p->one_stream &= p->lane[e.lane].stream == p->lane[az_coll_part_lane(p, 0)].stream;
    }
    p->overlap = az_packed_at(&p->compute->before, p->compute->n);
}

/* Events and lanes of a part by device: first[d] is where those of device d begin. */
struct by_device {
    uint32_t *first_event, *event, *first_lane,
        *local; /* local: lane -> its number on its device */
};

/* first[d + 2]: items of device d; becomes where the items of device d + 1 begin. */
static void begin(uint32_t *first, uint32_t devices)
{
    for (uint32_t d = 1; d < devices + 2; d++)
        first[d] += first[d - 1];
}

static int sort_by_device(struct by_device *b, struct az_arena *a, const struct az_coll_part *p)
{
    uint32_t lanes = 0;
    for (size_t i = 0; i < p->n; i++) {
        const uint32_t lane = az_coll_part_lane(p, i);
        lanes = lane >= lanes ? lane + 1 : lanes;
    }
    b->first_event = az_arena_array(a, (size_t)p->n_devices + 2, sizeof *b->first_event);
    b->first_lane = az_arena_array(a, (size_t)p->n_devices + 2, sizeof *b->first_lane);
    b->event = az_arena_array(a, p->n + 1, sizeof *b->event);
    b->local = az_arena_array(a, (size_t)lanes + 1, sizeof *b->local);
    if (!b->first_event || !b->first_lane || !b->event || !b->local)
        return az_arena_error(a);
    for (size_t i = 0; i < p->n; i++)
        b->first_event[az_coll_part_device(p, i) + 2]++;
    for (uint32_t l = 0; l < lanes; l++)
        b->local[l] = b->first_lane[p->lane[l].device + 1]++;
    begin(b->first_event, p->n_devices);
    for (size_t i = 0; i < p->n; i++)
        b->event[b->first_event[az_coll_part_device(p, i) + 1]++] = (uint32_t)i;
    return 0;
}

/* The part of one device. */
static int part_of(struct az_arena *a, const struct by_device *b, const struct az_coll_part *from,
                   uint32_t device, struct az_mem *mem, const struct az_coll_part **out)
{
    struct az_coll_part *p = az_arena_alloc(a, sizeof *p);
    const uint32_t first = b->first_event[device], end = b->first_event[device + 1];
    const size_t bytes = ((size_t)(end - first) + 1) * sizeof(struct az_coll_event);
    struct az_coll_event *ev = az_mem_alloc(mem, bytes);
    struct az_coll_lane_of *lane =
        az_arena_array(a, (size_t)b->first_lane[device + 1] + 1, sizeof *lane);
    int rc = p && ev && lane ? 0 : az_mem_error(mem);
    for (uint32_t i = first; rc == 0 && i < end; i++) {
        struct az_coll_event *e = &ev[i - first];
        *e = az_coll_part_event(from, b->event[i]);
        lane[b->local[e->lane]].stream = from->lane[e->lane].stream; /* of the only device */
        e->lane = b->local[e->lane];
    }
    if (rc == 0) {
        *p = *from;
        p->lane = lane;
        p->compute = &from->compute[device];
        p->device_id = &from->device_id[device];
        p->n_devices = 1;
        p->n_local = 0; /* it is of the whole rank */
        p->n_lanes = b->first_lane[device + 1];
        p->busy = p->overlap = 0;
        rc = az_coll_part_set_events(p, ev, end - first, a, mem);
    }
    if (rc == 0)
        device_times(p);
    az_mem_free(mem, ev, bytes);
    *out = p;
    return rc;
}

/* One trace: its devices by their own numbers. Several: as many ranks for each, so that the trace
 * follows from the number. */
static int split_rank(struct split *s, size_t r)
{
    const struct az_ranks *rs = s->c->ranks;
    const struct az_coll_part *p = s->c->part[r];
    const uint32_t devices = p && p->n_devices ? p->n_devices : 1;
    s->c->uneven_devices |= rs->n > 1 && devices != s->most;
    struct by_device by = { 0 };
    int rc = devices > 1 ? sort_by_device(&by, s->c->arena, p) : 0;
    for (uint32_t d = 0; rc == 0 && d < devices; d++) {
        struct az_rank *x = &s->rank[s->n];
        *x = rs->v[r];
        x->devices = x->devices > s->most ? x->devices : s->most; /* of its node */
        x->rank = rs->n == 1 ? p->device_id[d] : rs->v[r].rank * (int64_t)s->most + d;
        s->of[s->n] = r;
        s->part[s->n] = p;
        if (devices > 1)
            rc = part_of(s->c->arena, &by, p, d, s->c->job->mem, &s->part[s->n]);
        s->n++;
    }
    return rc;
}

static void note_devices(const struct split *s)
{
    struct az_coll_run *c = s->c;
    const size_t traces = c->traces->n;
    struct az_sv subject =
        traces == 1 ? az_arena_printf(c->arena, "%zu devices", s->n)
                    : az_arena_printf(c->arena, "%zu devices of %zu traces", s->n, traces);
    struct az_sv how =
        AZ_SV("collectives connect devices of one trace: ranks in collective tables are devices");
    if (traces > 1)
        how = az_arena_printf(c->arena,
                              "collectives connect devices: rank in collective tables = trace "
                              "number x %u + device index",
                              s->most);
    if (subject.p && how.p)
        az_finding(c->job, "devices_as_ranks", "info", subject, (int64_t)s->n, -1, how);
}

static int split(struct split *s)
{
    struct az_coll_run *c = s->c;
    const struct az_ranks *rs = c->ranks;
    struct az_ranks *set = az_arena_alloc(c->arena, sizeof *set);
    const size_t most = rs->n * s->most + 1;
    s->rank = az_arena_array(c->arena, most, sizeof *s->rank);
    s->part = az_arena_array(c->arena, most, sizeof *s->part);
    s->of = az_arena_array(c->arena, most, sizeof *s->of);
    int64_t *missing = az_arena_array(c->arena, rs->n_missing * s->most + 1, sizeof *missing);
    if (!set || !s->rank || !s->part || !s->of || !missing)
        return az_arena_error(c->arena);
    for (size_t r = 0; r < rs->n; r++) {
        const int rc = split_rank(s, r);
        if (rc)
            return rc;
    }
    *set = *rs;
    set->v = s->rank;
    set->n = s->n;
    set->missing = missing;
    set->n_missing = rs->n > 1 ? rs->n_missing * s->most : 0;
    for (size_t i = 0; i < set->n_missing; i++)
        missing[i] = rs->missing[i / s->most] * (int64_t)s->most + (int64_t)(i % s->most);
    set->world_size = (int64_t)(set->n + set->n_missing);
    c->ranks = set;
    c->part = s->part;
    c->of = s->of;
    note_devices(s);
    return AZ_OK;
}

int az_coll_split_devices(struct az_coll_run *c)
{
    struct split s = { .c = c };
    c->traces = c->ranks;
    return wanted(c, &s.most) ? split(&s) : AZ_OK;
}

struct az_sv az_coll_rank_name(const struct az_coll_run *c, size_t r)
{
    const long long number = (long long)c->ranks->v[r].rank;
    if (!c->of || !c->part[r] || !c->part[r]->device_id)
        return az_arena_printf(c->arena, "rank %lld", number);
    const long long device = (long long)*c->part[r]->device_id;
    if (c->traces->n == 1)
        return az_arena_printf(c->arena, "device %lld", device);
    return az_arena_printf(c->arena, "rank %lld (device %lld of trace %lld)", number, device,
                           (long long)c->traces->v[c->of[r]].rank);
}
