/* memory_copy_summary, memory_copy_by_copy_bytes, memory_allocations (docs/formats-rocprof.md 6, 7.3 C).
 */
#include "analyses/device/dispatch.h"
#include "analyses/list.h"
#include "base/num.h"

struct copy_sum {
    uint32_t direction; /* number */
    struct az_route route;
    size_t trace;
    int64_t count, ns, bytes;
    bool unknown; /* some copy without its bytes */
};
AZ_VEC(struct copy_sum, copy_sums);

static const struct az_copy *copy_of(const struct az_job *job, const struct amd_list *l, size_t i)
{
    const struct az_trace *t = amd_trace(job, l, i);
    return &t->copies.v[t->ev[AZ_MEMCPY].side[l->row[i]]];
}

static struct az_route route_of(const struct az_job *job, const struct amd_list *l, size_t i)
{
    const struct az_trace *t = amd_trace(job, l, i);
    return az_dispatches(t)->routes.v[t->ev[AZ_MEMCPY].side[l->row[i]]];
}

static void put_agent(struct az_table *t, int32_t agent)
{
    if (agent == AZ_NO_AGENT)
        az_put_empty(t);
    else
        az_put_i64(t, agent);
}

static int sum_copies(struct az_job *job, const struct amd_list *l, struct copy_sums *sums)
{
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 64);
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        struct az_route r = route_of(job, l, i);
        uint32_t *at;
        bool added;
        rc = az_map_put(&map, (uint64_t)(uint32_t)r.src << 32 | (uint32_t)r.dst,
                        (uint64_t)l->trace[i] << 32 | l->name[i], (uint32_t)sums->n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(sums, ((struct copy_sum){ .direction = l->name[i], .route = r, .trace = l->trace[i] }));
        if (rc)
            break;
        struct copy_sum *s = &sums->v[*at];
        int64_t bytes = copy_of(job, l, i)->bytes;
        s->count++;
        s->ns = az_add_sat(s->ns, l->length[i]);
        s->bytes = az_add_sat(s->bytes, bytes > 0 ? bytes : 0);
        s->unknown |= bytes < 0;
    }
    az_map_release(&map);
    return rc;
}

static int summary(struct az_job *job, const struct amd_list *l)
{
    struct az_table *t = az_table_new(job->arena, "memory_copy_summary", "Memory copies", AZ_TABLE_SUMMARY);
    struct copy_sums sums;
    if (!t)
        return az_arena_error(job->arena);
    az_vec_init(&sums, job->mem);
    amd_rank_column(job, t);
    az_table_column(t, "direction", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "src", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "dst", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_SHARE);
    az_table_column(t, "bytes", AZ_INT, AZ_UNIT_BYTES, 0);
    az_table_column(t, "GB/s", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER);
    int rc = sum_copies(job, l, &sums);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        const struct copy_sum *s = &sums.v[i];
        amd_put_rank(job, t, s->trace);
        az_put_text(t, az_job_text(job, s->direction));
        put_agent(t, s->route.src);
        put_agent(t, s->route.dst);
        az_put_i64(t, s->count);
        az_put_f64(t, amd_us(s->ns));
        if (s->unknown)
            az_put_empty(t);
        else
            az_put_i64(t, s->bytes);
        if (s->unknown || s->ns == 0)
            az_put_empty(t);
        else
            az_put_f64(t, (double)s->bytes / (double)s->ns);
    }
    az_vec_release(&sums);
    int at = (int)az_table_find(t, "total_us");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -(at + 1), at - 4, at - 3, at - 2, 0 }, 5);
    return amd_emit(job, t, rc);
}

/* The agents that the direction names: which of the hosts took part does not matter. */
static struct az_route named_agents(struct az_sv name, struct az_route r)
{
    if (az_sv_ends(name, AZ_SV("HOST_TO_DEVICE")) || az_sv_ends(name, AZ_SV("HOST_TO_HOST")))
        r.src = AZ_NO_AGENT;
    if (az_sv_ends(name, AZ_SV("TO_HOST")))
        r.dst = AZ_NO_AGENT;
    return r;
}

static struct az_sv gpu_text(struct az_job *job, int32_t agent)
{
    return agent == AZ_NO_AGENT ? AZ_SV("GPU ?") : az_arena_printf(job->arena, "GPU %d", agent);
}

/* "h2d (GPU 1)", "d2d (GPU 2 -> GPU 3)" */
static struct az_sv direction_text(struct az_job *job, struct az_sv name, struct az_route r)
{
    const struct az_sv src = gpu_text(job, r.src), dst = gpu_text(job, r.dst);
    if (az_sv_ends(name, AZ_SV("HOST_TO_DEVICE")))
        return az_arena_printf(job->arena, "h2d (%.*s)", AZ_SVF(dst));
    if (az_sv_ends(name, AZ_SV("DEVICE_TO_HOST")))
        return az_arena_printf(job->arena, "d2h (%.*s)", AZ_SVF(src));
    if (az_sv_ends(name, AZ_SV("DEVICE_TO_DEVICE")))
        return az_arena_printf(job->arena, "d2d (%.*s -> %.*s)", AZ_SVF(src), AZ_SVF(dst));
    return az_sv_ends(name, AZ_SV("HOST_TO_HOST")) ? AZ_SV("h2h") : name;
}

static int by_bytes(struct az_job *job, const struct amd_list *l)
{
    struct az_table *t = az_table_new(job->arena, "memory_copy_by_copy_bytes", "Copies by size", 0);
    struct az_map map;
    struct az_vec_u32 first;
    struct az_vec_i64 count;
    if (!t)
        return az_arena_error(job->arena);
    az_table_column(t, "copy_bytes", AZ_INT, AZ_UNIT_BYTES, AZ_KEY);
    az_table_column(t, "direction", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, AZ_SHARE);
    az_vec_init(&first, job->mem);
    az_vec_init(&count, job->mem);
    int rc = az_map_init(&map, job->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < l->n; i++) {
        int64_t bytes = copy_of(job, l, i)->bytes;
        const struct az_route r = named_agents(az_job_text(job, l->name[i]), route_of(job, l, i));
        const struct {
            struct az_route route;
            uint32_t name, none;
        } key = { r, l->name[i], 0 };
        uint32_t *at;
        bool added;
        if (bytes < 0)
            continue;
        rc = az_map_put(&map, (uint64_t)bytes, az_hash(&key, sizeof key), (uint32_t)first.n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(&first, i);
        if (rc == 0 && added)
            rc = az_vec_push(&count, 0);
        if (rc == 0)
            count.v[*at]++;
    }
    for (size_t k = 0; rc == 0 && k < first.n; k++) {
        az_put_i64(t, copy_of(job, l, first.v[k])->bytes);
        az_put_text(t, direction_text(job, az_job_text(job, l->name[first.v[k]]), route_of(job, l, first.v[k])));
        az_put_i64(t, count.v[k]);
    }
    az_map_release(&map);
    az_vec_release(&first);
    az_vec_release(&count);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ 0, 1 }, 2);
    return amd_emit(job, t, rc);
}

/* ---- allocations, scratch ---- */

struct alloc_sum {
    uint32_t name;
    int32_t agent;
    size_t trace;
    int64_t count, bytes, largest, ns;
};
AZ_VEC(struct alloc_sum, alloc_sums);

static int allocations(struct az_job *job, const struct amd_list *l)
{
    struct az_table *t = az_table_new(job->arena, "memory_allocations", "Allocations, scratch memory too", 0);
    struct alloc_sums sums;
    struct az_map map;
    if (!t)
        return az_arena_error(job->arena);
    az_vec_init(&sums, job->mem);
    amd_rank_column(job, t);
    az_table_column(t, "operation", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "bytes", AZ_INT, AZ_UNIT_BYTES, AZ_SHARE);
    az_table_column(t, "largest bytes", AZ_INT, AZ_UNIT_BYTES, 0);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    int rc = az_map_init(&map, job->mem, 16);
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        const struct az_trace *tr = amd_trace(job, l, i);
        const struct az_alloc *a = &az_dispatches(tr)->allocs.v[tr->ev[AZ_ALLOC].side[l->row[i]]];
        uint32_t *at;
        bool added;
        rc = az_map_put(&map, (uint64_t)(uint32_t)a->agent << 32 | l->name[i], l->trace[i], (uint32_t)sums.n, &at,
                        &added);
        if (rc == 0 && added)
            rc =
                az_vec_push(&sums, ((struct alloc_sum){ .name = l->name[i], .agent = a->agent, .trace = l->trace[i] }));
        if (rc)
            break;
        struct alloc_sum *s = &sums.v[*at];
        s->count++;
        s->bytes = az_add_sat(s->bytes, a->bytes);
        s->largest = a->bytes > s->largest ? a->bytes : s->largest;
        s->ns = az_add_sat(s->ns, l->length[i]);
    }
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        amd_put_rank(job, t, sums.v[i].trace);
        az_put_text(t, az_job_text(job, sums.v[i].name));
        put_agent(t, sums.v[i].agent);
        az_put_i64(t, sums.v[i].count);
        az_put_i64(t, sums.v[i].bytes);
        az_put_i64(t, sums.v[i].largest);
        az_put_f64(t, amd_us(sums.v[i].ns));
    }
    az_map_release(&map);
    az_vec_release(&sums);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ 0, 1, 2 }, 3);
    return amd_emit(job, t, rc);
}

static int run(struct az_job *job)
{
    struct amd_list l;
    int rc = amd_list_make(job, AZ_MEMCPY, &l);
    if (rc == 0)
        rc = summary(job, &l);
    if (rc == 0)
        rc = by_bytes(job, &l);
    amd_list_release(&l);
    if (rc)
        return rc;
    rc = amd_list_make(job, AZ_ALLOC, &l);
    if (rc == 0)
        rc = allocations(job, &l);
    amd_list_release(&l);
    return rc;
}

const struct az_analysis az_analysis_amd_copies = {
    .name = "dispatch_copies",
    .help = "copies by direction and agents, and by size; allocations",
    .needs = AZ_CAP_DISPATCHES,
    .run = run,
};
