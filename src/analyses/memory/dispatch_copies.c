/* memory_copy_summary, memory_copy_by_copy_bytes, memory_allocations (docs/formats-rocprof.md
 * 6, 7.3 C).
 */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "tables/keys.h"

static struct az_route route_of(const struct az_scope *r, const struct az_item *i)
{
    return az_dispatches(az_item_trace(r, i))->routes.v[az_item_events(r, i)->side[i->row]];
}

static int64_t known_agent(int32_t agent) { return agent == AZ_NO_AGENT ? AZ_UNKNOWN : agent; }
static int64_t source_of(const struct az_scope *r, const struct az_item *i)
{
    return known_agent(route_of(r, i).src);
}
static int64_t target_of(const struct az_scope *r, const struct az_item *i)
{
    return known_agent(route_of(r, i).dst);
}

static const struct az_key source = { AZ_INT, AZ_UNIT_ID, .integer = source_of };
static const struct az_key target = { AZ_INT, AZ_UNIT_ID, .integer = target_of };

static void put_rate(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    (void)r;
    if (g->value[1].sum == AZ_UNKNOWN || g->value[0].sum == 0)
        az_put_empty(t);
    else
        az_put_f64(t, (double)g->value[1].sum / (double)g->value[0].sum);
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

static bool agents_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const struct az_route a = named_agents(az_job_text(r->job, az_item_name(r, i)), route_of(r, i));
    *number = (uint64_t)(uint32_t)a.src << 32 | (uint32_t)a.dst;
    return true;
}

static void put_direction(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, direction_text(r->job, az_job_text(r->job, az_item_name(r, i)), route_of(r, i)));
}

static const struct az_key direction = { AZ_TEXT, AZ_UNIT_NONE, .of = agents_of,
                                         .put = put_direction };

/* ---- allocations, scratch ---- */

static const struct az_alloc *alloc_of(const struct az_scope *r, const struct az_item *i)
{
    return &az_dispatches(az_item_trace(r, i))->allocs.v[az_item_events(r, i)->side[i->row]];
}

static int64_t agent_of(const struct az_scope *r, const struct az_item *i)
{
    return known_agent(alloc_of(r, i)->agent);
}
static int64_t allocated(const struct az_scope *r, const struct az_item *i)
{
    return alloc_of(r, i)->bytes;
}

static const struct az_key agent = { AZ_INT, AZ_UNIT_ID, .integer = agent_of };

static const struct az_table_spec specs[] = {
    {
        "memory_copy_summary",
        "Memory copies",
        AZ_TABLE_SUMMARY,
        .help = "copies by direction and agents",
        .needs = AZ_CAP_DISPATCHES,
        .n_kinds = 1,
        .kinds = { AZ_MEMCPY },
        .values = { { NULL }, { az_value_bytes } },
        .columns = { { "rank", &az_key_rank, .flags = AZ_KEY, .when = az_when_ranks, .sort = 5 },
                     { "direction", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                     { "src", &source, .flags = AZ_KEY, .sort = 3 },
                     { "dst", &target, .flags = AZ_KEY, .sort = 4 },
                     { "count", .figure = AZ_FIG_COUNT },
                     { "total_us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US,
                       .flags = AZ_LOWER_BETTER | AZ_SHARE, .sort = -1 },
                     { "bytes", .figure = AZ_FIG_SUM, .value = 1, .unit = AZ_UNIT_BYTES },
                     { "GB/s", .figure = AZ_FIG_OWN, .unit = AZ_UNIT_GBPS,
                       .flags = AZ_HIGHER_BETTER, .put = put_rate } },
    },
    {
        "memory_copy_by_copy_bytes",
        "Copies by size",
        .help = "copies by size",
        .needs = AZ_CAP_DISPATCHES,
        .n_kinds = 1,
        .kinds = { AZ_MEMCPY },
        .columns = { { "copy_bytes", &az_key_bytes, .flags = AZ_KEY, .sort = 1 },
                     { "direction", &direction, .flags = AZ_KEY, .sort = 2 },
                     { NULL, &az_key_name },
                     { "count", .figure = AZ_FIG_COUNT, .flags = AZ_SHARE } },
    },
    {
        "memory_allocations",
        "Allocations",
        .help = "allocations, including scratch memory",
        .needs = AZ_CAP_DISPATCHES,
        .n_kinds = 1,
        .kinds = { AZ_ALLOC },
        .values = { { NULL }, { allocated } },
        .columns = { { "rank", &az_key_rank, .flags = AZ_KEY, .when = az_when_ranks, .sort = 1 },
                     { "operation", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                     { "agent", &agent, .flags = AZ_KEY, .sort = 3 },
                     { "count", .figure = AZ_FIG_COUNT, .sort = 4 },
                     { "bytes", .figure = AZ_FIG_SUM, .value = 1, .unit = AZ_UNIT_BYTES,
                       .flags = AZ_SHARE },
                     { "largest bytes", .figure = AZ_FIG_MAX, .value = 1, .unit = AZ_UNIT_BYTES },
                     { "total_us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US,
                       .flags = AZ_LOWER_BETTER } },
    },
    { NULL }
};

const struct az_analysis az_analysis_amd_copies = { .specs = specs };
