/* Instances of regions on the threads of the host: which is inside which, and which is open when a
 * launch begins. */
#include "base/sort.h"
#include "classify/rules.h"
#include "classify/steps.h"
#include "facts/forward_links.h"
#include "facts/regions/regions_internal.h"
#include "facts/threads.h"

#define ROUNDED_NS 1000 /* ends of nested events differ by as much in files of microseconds */
#define MODULE     "nn.Module: "

/* ---- what is listed ---- */

static enum az_region_source source_of(const struct az_region_search *s, enum az_kind kind,
                                       struct az_sv name)
{
    struct az_sv stem;
    int64_t number;
    if (kind == AZ_MODULE || az_sv_starts(name, AZ_SV(MODULE)))
        return AZ_REGION_MODULE;
    if (kind == AZ_FRAME)
        return AZ_REGION_FRAME;
    switch (az_step_mark_of(name, &stem, &number)) {
    case AZ_MARK_ENGINE:
        return AZ_REGION_ENGINE;
    case AZ_MARK_PROFILER:
    case AZ_MARK_RANGE:
        return AZ_REGION_STEP;
    default:
        break;
    }
    return s->t->caps & AZ_CAP_CALLTREE     ? AZ_REGION_RECORD_FUNCTION
           : s->t->caps & AZ_CAP_DISPATCHES ? AZ_REGION_ROCTX
                                            : AZ_REGION_NVTX;
}

/* Is an event of this name an instance of a region? Of frames those of the user's own files,
 * without which every helper of the framework would be one. */
static bool is_region(const struct az_region_search *s, enum az_kind kind, struct az_sv name)
{
    if (kind == AZ_FRAME)
        return az_rules_class("trace_names.rules", "host_frame", name).n == 0;
    if (kind == AZ_HOST_OP)
        return source_of(s, kind, name) == AZ_REGION_STEP &&
               az_sv_ifind(name, AZ_SV("ProfilerStep")) == 0;
    return !s->modules || source_of(s, kind, name) == AZ_REGION_MODULE;
}

/* One byte per name id: 0 not yet, 1 no region, else source + 2. */
static int list_kind(struct az_region_search *s, enum az_kind kind)
{
    const struct az_events *e = &s->t->ev[kind];
    const size_t names = s->t->names.text.n + 1;
    int rc = AZ_OK;
    uint8_t *what = e->n ? az_mem_alloc(s->job->mem, names) : NULL;
    if (!what)
        return e->n ? az_mem_error(s->job->mem) : AZ_OK;
    memset(what, 0, names);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t name = e->name[i];
        if (name == AZ_NO_ID || e->end[i] <= e->start[i])
            continue;
        if (!what[name]) {
            const struct az_sv text = az_trace_text(s->t, name);
            what[name] = is_region(s, kind, text) ? (uint8_t)(source_of(s, kind, text) + 2) : 1;
        }
        if (what[name] == 1)
            continue;
        rc = az_vec_push(&s->instances,
                         ((struct az_instance){ .start = e->start[i],
                                                .end = e->end[i],
                                                .covered = e->start[i],
                                                .first = INT64_MAX,
                                                .last = INT64_MIN,
                                                .thread = s->thread_of_lane[e->lane[i]],
                                                .name = name,
                                                .up = AZ_NO_ID,
                                                .region = AZ_NO_ID,
                                                .slot = -1,
                                                .source = (uint8_t)(what[name] - 2) }));
    }
    az_mem_free(s->job->mem, what, names);
    return rc;
}

/* Frames are regions of who recorded nothing else. */
static int list_instances(struct az_region_search *s)
{
    int rc = s->modules && !s->t->ev[AZ_MODULE].n && !s->t->ev[AZ_RANGE].n ? AZ_OK
                                                                           : list_kind(s, AZ_RANGE);
    if (rc == 0)
        rc = list_kind(s, AZ_MODULE);
    if (rc == 0 && !s->modules && s->t->caps & AZ_CAP_CALLTREE && !s->t->ev[AZ_RANGE].n)
        rc = list_kind(s, AZ_HOST_OP);
    if (rc == 0 && !s->modules && !s->t->ev[AZ_MODULE].n)
        rc = list_kind(s, AZ_FRAME);
    return rc;
}

/* ---- threads ---- */

/* The thread of the first forward operator that a thread runs the gradient of. */
static int find_served(struct az_region_search *s)
{
    int rc;
    const struct az_forward *f = az_job_forward(s->job, s->trace, &rc);
    const struct az_events *op = &s->t->ev[AZ_HOST_OP];
    s->serves = az_arena_array(s->job->arena, s->n_threads + 1, sizeof *s->serves);
    if (!s->serves)
        return az_arena_error(s->job->arena);
    memset(s->serves, 0xff, (s->n_threads + 1) * sizeof *s->serves);
    for (uint32_t i = 0; f && i < op->n; i++) {
        const uint32_t from = az_forward_of(f, i);
        if (from == AZ_NO_ROW)
            continue;
        const uint32_t by = s->thread_of_lane[op->lane[i]], of = s->thread_of_lane[op->lane[from]];
        if (by != of && s->serves[by] == AZ_NO_ID && s->serves[of] == AZ_NO_ID)
            s->serves[by] = of;
    }
    return rc;
}

/* Threads that serve others come after these. */
static int64_t turn_of(const struct az_region_search *s, uint32_t thread)
{
    return (int64_t)thread + (s->serves[thread] == AZ_NO_ID ? 0 : (int64_t)s->n_threads);
}

static int in_order(struct az_region_search *s, const uint32_t *perm)
{
    struct az_instance_list *l = &s->instances;
    const size_t bytes = l->n * sizeof *l->v;
    struct az_instance *copy = az_mem_alloc(s->job->mem, bytes);
    if (!copy)
        return az_mem_error(s->job->mem);
    memcpy(copy, l->v, bytes);
    for (size_t i = 0; i < l->n; i++)
        l->v[i] = copy[perm[i]];
    az_mem_free(s->job->mem, copy, bytes);
    return AZ_OK;
}

static int sort_instances(struct az_region_search *s)
{
    const struct az_instance_list *l = &s->instances;
    const size_t keys = l->n * sizeof(int64_t), places = l->n * sizeof(uint32_t);
    int64_t *key = az_mem_alloc(s->job->mem, keys);
    uint32_t *perm = az_mem_alloc(s->job->mem, places);
    int rc = key && perm ? AZ_OK : az_mem_error(s->job->mem);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        key[i] = ~l->v[i].end; /* the longest first */
    if (rc == 0)
        az_sort_order(key, l->n, perm, s->job->mem);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        key[i] = l->v[i].start;
    if (rc == 0)
        az_sort_by(key, perm, l->n, s->job->mem);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        key[i] = turn_of(s, l->v[i].thread);
    if (rc == 0)
        az_sort_by(key, perm, l->n, s->job->mem);
    if (rc == 0)
        rc = in_order(s, perm);
    az_mem_free(s->job->mem, key, keys);
    az_mem_free(s->job->mem, perm, places);
    return rc;
}

static void index_threads(struct az_region_search *s)
{
    const struct az_instance_list *l = &s->instances;
    for (size_t i = 0; i <= s->n_threads; i++)
        s->first[i] = s->last[i] = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const uint32_t thread = l->v[i].thread;
        if (i == 0 || l->v[i - 1].thread != thread)
            s->first[thread] = i;
        s->last[thread] = i + 1;
    }
}

/* ---- inside ---- */

/* The innermost of an instance and those around it that is open at a time and ends at or after
 * another one. */
static uint32_t open_around(const struct az_region_search *s, uint32_t i, int64_t at, int64_t end)
{
    const struct az_instance *v = s->instances.v;
    while (i != AZ_NO_ID && (v[i].end <= at || v[i].end < end))
        i = v[i].up;
    return i;
}

static uint32_t last_begun(const struct az_region_search *s, uint32_t thread, int64_t at)
{
    const struct az_instance *v = s->instances.v;
    const uint32_t first = s->first[thread];
    const size_t n = AZ_UPPER_BY(v + first, s->last[thread] - first, start, at);
    return n ? first + (uint32_t)n - 1 : AZ_NO_ID;
}

uint32_t az_regions_at(const struct az_region_search *s, uint32_t thread, int64_t at)
{
    uint32_t i = open_around(s, last_begun(s, thread, at), at, INT64_MIN);
    if (i == AZ_NO_ID && s->serves[thread] != AZ_NO_ID) {
        thread = s->serves[thread];
        i = open_around(s, last_begun(s, thread, at), at, INT64_MIN);
    }
    return i;
}

uint32_t az_regions_next(const struct az_region_search *s, uint32_t *at, uint32_t thread,
                         int64_t time, int64_t *until)
{
    const struct az_instance *v = s->instances.v + s->first[thread];
    const uint32_t n = s->last[thread] - s->first[thread];
    uint32_t k = at[thread];
    while (k < n && v[k].start <= time)
        k++;
    at[thread] = k;
    const uint32_t i = k ? open_around(s, s->first[thread] + k - 1, time, INT64_MIN) : AZ_NO_ID;
    *until = k < n ? v[k].start : INT64_MAX;
    if (i != AZ_NO_ID)
        *until = s->instances.v[i].end < *until ? s->instances.v[i].end : *until;
    else if (s->serves[thread] != AZ_NO_ID) /* those of the other thread are not followed */
        *until = time;
    return i != AZ_NO_ID || s->serves[thread] == AZ_NO_ID
               ? i
               : az_regions_at(s, s->serves[thread], time);
}

int az_regions_child(struct az_region_search *s, uint32_t parent, struct az_sv name,
                     enum az_region_source source, uint32_t *region)
{
    const uint32_t depth = parent == AZ_NO_ID ? 0 : s->regions.v[parent].depth + 1;
    uint32_t id, *at;
    bool added = false;
    *region = parent;
    int rc = az_intern(&s->names, name, &id);
    if (rc)
        return rc;
    const uint64_t key[2] = { (uint64_t)parent + 1, (uint64_t)id << 8 | source };
    if (depth >= AZ_REGION_DEPTH ||
        (s->regions.n >= AZ_REGIONS_MOST && az_map_get(&s->children, key[0], key[1]) == AZ_NO_ID)) {
        s->out->merged++;
        return AZ_OK;
    }
    rc = az_map_put(&s->children, key[0], key[1], (uint32_t)s->regions.n, &at, &added);
    if (rc)
        return rc;
    *region = *at;
    return added ? az_vec_push(&s->regions,
                               ((struct az_region){ .name = az_intern_text(&s->names, id),
                                                    .parent = parent,
                                                    .depth = depth,
                                                    .source = source }))
                 : AZ_OK;
}

/* The name as it is shown: folded, without the words that its source repeats. */
static int shown_name(struct az_region_search *s, const struct az_instance *x, struct az_sv *out)
{
    struct az_sv name = az_trace_text(s->t, x->name);
    if (s->name_of[x->name]) {
        *out = az_intern_text(&s->names, s->name_of[x->name] - 1);
        return AZ_OK;
    }
    if (az_sv_starts(name, AZ_SV(MODULE)))
        name = az_sv_make(name.p + strlen(MODULE), name.n - strlen(MODULE));
    name = az_range_plain_name(name);
    char *text = az_mem_alloc(s->job->mem, name.n + 1);
    uint32_t id;
    if (!text)
        return az_mem_error(s->job->mem);
    size_t n = name.n;
    memcpy(text, name.p, n);
    if (!s->modules)
        n = az_region_fold(name, (enum az_region_source)x->source, text);
    const int rc = az_intern(&s->names, az_sv_make(text, n), &id);
    az_mem_free(s->job->mem, text, name.n + 1);
    if (rc)
        return rc;
    s->name_of[x->name] = id + 1;
    *out = az_intern_text(&s->names, id);
    return AZ_OK;
}

/* Host time of an instance, less what those inside it take. */
static void count_host(struct az_region_search *s, const struct az_instance *x)
{
    struct az_instance *up = x->up == AZ_NO_ID ? NULL : &s->instances.v[x->up];
    struct az_region *r = &s->regions.v[x->region];
    r->instances++;
    r->host += x->end - x->start;
    r->host_own += x->end - x->start;
    if (!up || up->thread != x->thread)
        return;
    const int64_t from = x->start > up->covered ? x->start : up->covered,
                  to = x->end < up->end ? x->end : up->end;
    if (to <= from)
        return;
    s->regions.v[up->region].host_own -= to - from;
    up->covered = to;
}

static int nest_instance(struct az_region_search *s, uint32_t i)
{
    struct az_instance *x = &s->instances.v[i];
    const uint32_t thread = x->thread, served = s->serves[thread];
    const int64_t end = x->end - ROUNDED_NS * s->t->ticks_per_ns;
    struct az_sv name;
    uint32_t region;
    x->up = i > s->first[thread] ? open_around(s, i - 1, x->start, end) : AZ_NO_ID;
    if (x->up == AZ_NO_ID && served != AZ_NO_ID)
        x->up = open_around(s, last_begun(s, served, x->start), x->start, end);
    const uint32_t parent = x->up == AZ_NO_ID ? AZ_NO_ID : s->instances.v[x->up].region;
    int rc = shown_name(s, x, &name);
    if (rc == 0)
        rc = az_regions_child(s, parent, name, (enum az_region_source)x->source, &region);
    if (rc)
        return rc;
    x->region = region;
    if (region != parent)
        count_host(s, x);
    return AZ_OK;
}

int az_regions_nest(struct az_region_search *s)
{
    int rc;
    s->thread_of_lane = az_threads_of_lanes(s->t, s->job->arena, s->job->mem, &s->n_threads, &rc);
    if (rc == 0)
        rc = list_instances(s);
    if (rc || !s->instances.n)
        return rc;
    s->first = az_arena_array(s->job->arena, s->n_threads + 1, sizeof *s->first);
    s->last = az_arena_array(s->job->arena, s->n_threads + 1, sizeof *s->last);
    rc = s->first && s->last ? find_served(s) : az_arena_error(s->job->arena);
    if (rc == 0)
        rc = sort_instances(s);
    if (rc)
        return rc;
    index_threads(s);
    for (uint32_t i = 0; rc == 0 && i < s->instances.n; i++)
        rc = nest_instance(s, i);
    return rc;
}
