/* Device events by the region that their launch begins in. */
#include "base/sort.h"
#include "facts/account.h"
#include "facts/forward_links.h"
#include "facts/regions/regions_internal.h"
#include "model/optrace.h"

/* What is known of a call. */
struct launch_place {
    uint32_t inside;  /* instance; AZ_NO_ID */
    uint32_t forward; /* of the operator that it runs the gradient of; AZ_NO_ID: none, or in none */
    bool backward;    /* it runs a gradient */
    bool counted;     /* among the launches */
};

/* The forward operator of the backward operator around a call; AZ_NO_ROW. */
static uint32_t forward_op(const struct az_calltree *c, const struct az_forward *f, size_t call)
{
    uint32_t op = az_node_op(c, c->first_call + (uint32_t)call);
    while (op != AZ_NO_ROW) {
        const uint32_t from = az_forward_of(f, op);
        if (from != AZ_NO_ROW)
            return from;
        const uint32_t up = c->parent[op];
        op = up == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(c, up);
    }
    return AZ_NO_ROW;
}

/* ---- steps ---- */

struct step_mark { /* by process, then start */
    uint64_t process;
    int64_t start, end;
    uint32_t instance, thread;
};
AZ_VEC(struct step_mark, step_marks);

static int by_process(const void *x, const void *y, void *ctx)
{
    const struct step_mark *a = x, *b = y;
    (void)ctx;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Of each process the thread with the most marks, as for table `steps`; what is inside another step
 * goes. */
static void keep_main_threads(struct step_marks *m)
{
    size_t kept = 0;
    for (size_t i = 0, next; i < m->n; i = next) {
        size_t best = i, most = 0, to;
        for (next = i; next < m->n && m->v[next].process == m->v[i].process; next = to) {
            for (to = next; to < m->n && m->v[to].process == m->v[next].process &&
                            m->v[to].thread == m->v[next].thread;
                 to++)
                ;
            best = to - next > most ? next : best;
            most = to - next > most ? to - next : most;
        }
        const size_t first = kept;
        for (size_t k = best; k < best + most; k++)
            if (kept == first || m->v[k].start >= m->v[kept - 1].end)
                m->v[kept++] = m->v[k];
    }
    m->n = kept;
}

static int list_steps(const struct az_region_search *s, struct step_marks *m)
{
    uint64_t *process = az_arena_array(s->job->arena, s->n_threads + 1, sizeof *process);
    int rc = process ? AZ_OK : az_arena_error(s->job->arena);
    for (size_t i = 0; rc == 0 && i < s->t->lanes.n; i++)
        if (!s->t->lanes.v[i].device_side)
            process[s->thread_of_lane[i]] = s->t->lanes.v[i].proc;
    for (uint32_t i = 0; rc == 0 && i < s->instances.n; i++) {
        const struct az_instance *x = &s->instances.v[i];
        if (x->source == AZ_REGION_STEP || x->source == AZ_REGION_ENGINE)
            rc = az_vec_push(
                m, ((struct step_mark){ process[x->thread], x->start, x->end, i, x->thread }));
    }
    az_sort_cmp(m->v, m->n, sizeof *m->v, by_process, NULL, s->job->mem);
    keep_main_threads(m);
    return rc;
}

/* The step of a process that is open at a time; AZ_NO_ID. */
static uint32_t step_at(const struct step_marks *m, uint64_t process, int64_t at)
{
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const struct step_mark *x = &m->v[mid];
        if (x->process < process || (x->process == process && x->start <= at))
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct step_mark *x = lo ? &m->v[lo - 1] : NULL;
    return x && x->process == process && at < x->end ? x->instance : AZ_NO_ID;
}

/* What a thread without a region of its own launches belongs to the step of its process. */
static int place_in_steps(const struct az_region_search *s, struct launch_place *place)
{
    const struct az_events *calls = &s->t->ev[AZ_CALL];
    struct step_marks m;
    az_vec_init(&m, s->job->mem);
    const int rc = list_steps(s, &m);
    for (size_t i = 0; rc == 0 && m.n && i < calls->n; i++)
        if (place[i].inside == AZ_NO_ID)
            place[i].inside = step_at(&m, s->t->lanes.v[calls->lane[i]].proc, calls->start[i]);
    az_vec_release(&m);
    return rc;
}

/* Calls of a thread that begin one after the other are mostly in the same instance. */
struct thread_place {
    uint32_t thread, inside;
    int64_t until; /* up to where no instance begins or ends */
};

static int place_calls(struct az_region_search *s, struct launch_place *place)
{
    const struct az_events *calls = &s->t->ev[AZ_CALL], *ops = &s->t->ev[AZ_HOST_OP];
    int rc;
    const struct az_forward *f = az_job_forward(s->job, s->trace, &rc);
    uint32_t *at = az_arena_array(s->job->arena, s->n_threads + 1, sizeof *at);
    if (rc == 0 && !at)
        rc = az_arena_error(s->job->arena);
    struct thread_place last = { .thread = AZ_NO_ID };
    for (size_t i = 0; rc == 0 && i < calls->n; i++) {
        const uint32_t thread = s->thread_of_lane[calls->lane[i]];
        if (thread != last.thread || calls->start[i] >= last.until) {
            last.thread = thread;
            last.inside = az_regions_next(s, at, thread, calls->start[i], &last.until);
        }
        struct launch_place p = { last.inside, AZ_NO_ID, false, false };
        const uint32_t op =
            f && s->serves[thread] != AZ_NO_ID ? forward_op(az_tree(s->t), f, i) : AZ_NO_ROW;
        if (op != AZ_NO_ROW) {
            p.backward = true;
            p.forward = az_regions_at(s, s->thread_of_lane[ops->lane[op]], ops->start[op]);
        }
        place[i] = p;
    }
    return rc ? rc : place_in_steps(s, place);
}

static uint32_t region_of(const struct az_region_search *s, uint32_t instance)
{
    return instance == AZ_NO_ID ? AZ_NO_ID : s->instances.v[instance].region;
}

static void extend_work(struct az_instance *x, int64_t start, int64_t end, uint32_t slot)
{
    x->first = start < x->first ? start : x->first;
    x->last = end > x->last ? end : x->last;
    x->slot = x->slot == -1 || x->slot == (int32_t)slot ? (int32_t)slot : -2;
}

struct placing {
    struct az_region_search *s;
    struct launch_place *place;
    const struct az_counted *counted;
    const struct az_link *link;
    const struct az_devices_of *devices;
};

static void place_kind(const struct placing *p, enum az_kind kind)
{
    struct az_region_search *s = p->s;
    const struct az_events *e = &s->t->ev[kind];
    const uint32_t *call_of = p->link->call[kind];
    const uint8_t *skip = p->counted->skip[kind];
    for (size_t i = 0; i < e->n; i++) {
        const uint32_t call = call_of ? call_of[i] : AZ_NO_ROW;
        if (skip && skip[i])
            continue;
        struct launch_place *at = call == AZ_NO_ROW ? NULL : &p->place[call];
        const uint32_t instance = at ? at->inside : AZ_NO_ID, region = region_of(s, instance);
        const int64_t length = e->end[i] - e->start[i];
        struct az_region_sums *sums = az_regions_sums(s, region);
        s->of[kind][i] = region;
        sums->device += length;
        sums->kernels += kind == AZ_KERNEL;
        if (!at)
            continue;
        sums->launches += !at->counted;
        at->counted = true;
        if (at->backward)
            az_regions_sums(s, region_of(s, at->forward))->backward += length;
        if (instance != AZ_NO_ID)
            extend_work(&s->instances.v[instance], e->start[i], e->end[i],
                        p->devices->slot_of_lane.v[e->lane[i]]);
    }
}

int az_regions_of_launches(struct az_region_search *s)
{
    const size_t bytes = (s->t->ev[AZ_CALL].n + 1) * sizeof(struct launch_place);
    struct az_devices_of devices;
    struct placing p = { .s = s, .devices = &devices };
    int rc = az_devices_make(&devices, s->t, AZ_BY_DEVICE, s->job->mem);
    if (rc == 0)
        p.counted = az_job_counted(s->job, s->trace, AZ_ALL_WORK, &rc);
    if (rc == 0)
        p.link = az_job_link(s->job, s->trace, &rc);
    p.place = rc ? NULL : az_mem_alloc(s->job->mem, bytes);
    if (rc == 0)
        rc = p.place ? place_calls(s, p.place) : az_mem_error(s->job->mem);
    for (int k = 0; rc == 0 && k <= AZ_GRAPH; k++)
        place_kind(&p, (enum az_kind)k);
    az_mem_free(s->job->mem, p.place, bytes);
    az_devices_release(&devices);
    return rc;
}
