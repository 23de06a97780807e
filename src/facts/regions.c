/* Regions: see the header. The tree, and the sums of it; who lists instances and device events is
 * in the other files. */
#include "facts/regions/regions_internal.h"

#include <string.h>

static void add_sums(struct az_region_sums *to, const struct az_region_sums *from)
{
    to->device += from->device;
    to->backward += from->backward;
    to->exposed_comm += from->exposed_comm;
    to->launches += from->launches;
    to->kernels += from->kernels;
}

/* Children come after their parents. */
static void sum_up(struct az_region_search *s)
{
    struct az_region *v = s->regions.v;
    add_sums(&s->out->total, &s->out->outside);
    for (size_t i = 0; i < s->regions.n; i++) {
        add_sums(&s->out->total, &v[i].own);
        v[i].all = v[i].own;
    }
    for (size_t i = s->regions.n; i-- > 0;)
        if (v[i].parent != AZ_NO_ID)
            add_sums(&v[v[i].parent].all, &v[i].all);
}

/* The time of each region follows that of the one before it, which is outside for the first one:
 * its own, then that of those in it. Rounded are the places where they begin. */
static int round_times(struct az_region_search *s)
{
    struct az_region *v = s->regions.v;
    const size_t bytes = (s->regions.n + 1) * sizeof(int64_t);
    int64_t *next = az_mem_alloc(s->job->mem, bytes), root = s->out->outside.device;
    if (!next)
        return az_mem_error(s->job->mem);
    for (size_t i = 0; i < s->regions.n; i++) {
        int64_t *at = v[i].parent == AZ_NO_ID ? &root : &next[v[i].parent];
        const int64_t from = *at, own = from + v[i].own.device, to = from + v[i].all.device;
        v[i].ns.own = az_ns(s->t, own) - az_ns(s->t, from);
        v[i].ns.device = az_ns(s->t, to) - az_ns(s->t, from);
        next[i] = own;
        *at = to;
    }
    az_mem_free(s->job->mem, next, bytes);
    return AZ_OK;
}

static int open_search(struct az_region_search *s)
{
    const struct az_trace *t = s->t;
    const size_t names = t->names.text.n;
    az_vec_init(&s->regions, s->job->mem);
    az_vec_init(&s->instances, s->job->mem);
    az_map_init(&s->children, s->job->mem, 64);
    int rc = 0;
    az_intern_init(&s->names, s->job->arena, s->job->mem);
    s->name_of = az_mem_alloc(s->job->mem, (names + 1) * sizeof *s->name_of);
    if (!s->name_of)
        rc = az_mem_error(s->job->mem);
    if (s->name_of)
        memset(s->name_of, 0, (names + 1) * sizeof *s->name_of);
    for (int k = 0; rc == 0 && k <= AZ_GRAPH; k++) {
        if (!t->ev[k].n)
            continue;
        s->of[k] = az_arena_array(s->job->arena, t->ev[k].n, sizeof *s->of[k]);
        if (!s->of[k])
            return az_arena_error(s->job->arena);
        memset(s->of[k], 0xff, t->ev[k].n * sizeof *s->of[k]);
        s->out->of[k] = s->of[k];
    }
    return rc;
}

static void close_search(struct az_region_search *s)
{
    az_vec_release(&s->regions);
    az_vec_release(&s->instances);
    az_map_release(&s->children);
    az_intern_release(&s->names);
    az_mem_free(s->job->mem, s->name_of, (s->t->names.text.n + 1) * sizeof *s->name_of);
}

static int find_regions(struct az_region_search *s)
{
    const unsigned caps = s->t->caps;
    if (caps & AZ_CAP_OPREPORT)
        return s->modules ? AZ_OK : az_regions_of_signposts(s);
    if (caps & AZ_CAP_PROGRAMS)
        return s->modules ? AZ_OK : az_regions_of_scopes(s);
    int rc = az_regions_nest(s);
    return rc || !s->regions.n ? rc : az_regions_of_launches(s);
}

static int keep_regions(struct az_region_search *s)
{
    struct az_region *v = az_arena_array(s->job->arena, s->regions.n + 1, sizeof *v);
    if (!v)
        return az_arena_error(s->job->arena);
    sum_up(s);
    const int rc = round_times(s);
    if (rc)
        return rc;
    memcpy(v, s->regions.v, s->regions.n * sizeof *v);
    s->out->v = v;
    s->out->n = s->regions.n;
    return AZ_OK;
}

static int make_tree(struct az_job *job, size_t trace, bool modules, struct az_regions *out)
{
    struct az_region_search s = {
        .job = job, .trace = trace, .t = job->traces[trace], .modules = modules, .out = out
    };
    int rc = open_search(&s);
    if (rc == 0)
        rc = find_regions(&s);
    if (rc == 0 && s.regions.n)
        rc = az_regions_measure(&s);
    if (rc == 0 && s.regions.n)
        rc = keep_regions(&s);
    close_search(&s);
    return rc;
}

static const struct az_regions *cached_tree(struct az_job *job, size_t trace, bool modules,
                                            const char *what, int *rc)
{
    void **slot = az_job_slot(job, what);
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    void **of = slot ? *slot : NULL;
    *rc = of ? AZ_OK : az_arena_error(job->arena);
    if (of && !of[trace]) {
        struct az_regions *x = az_arena_alloc(job->arena, sizeof *x);
        *rc = x ? make_tree(job, trace, modules, x) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : x;
    }
    const struct az_regions *made = of ? of[trace] : NULL;
    az_job_leave(job, slot);
    return made;
}

const struct az_regions *az_job_regions(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    return cached_tree(job, trace, false, &what, rc);
}

const struct az_regions *az_job_modules(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    return cached_tree(job, trace, true, &what, rc);
}

/* ---- requested causes ---- */

static const char wanted_causes;

int az_regions_reserve_causes(struct az_job *job, int64_t **places)
{
    void **slot = az_job_slot(job, &wanted_causes);
    if (slot)
        *slot = places;
    az_job_leave(job, slot);
    return slot ? AZ_OK : az_arena_error(job->arena);
}

int64_t **az_regions_wanted_causes(struct az_job *job)
{
    void **slot = az_job_slot(job, &wanted_causes);
    int64_t **places = slot ? *slot : NULL;
    az_job_leave(job, slot);
    return places;
}
