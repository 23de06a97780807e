/* modules: forward and backward device time by module of a model (docs/regions.md 6). */
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/regions.h"

struct row {
    int64_t rank, instances, both, forward, backward, own, kernels, host, host_own;
    struct az_sv path;
    double share;
};

static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct row, rank), .when = az_job_has_ranks },
    { "path", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct row, path) },
    { "instances", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct row, instances) },
    { "device_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, both) },
    { "forward_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, forward) },
    { "backward_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, backward) },
    { "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct row, share) },
    { "forward_self_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, own) },
    { "host_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct row, host) },
    { "host_self_ns", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(struct row, host_own) },
    { "kernels", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN(struct row, kernels) },
};

static struct row row_of(struct az_job *job, size_t trace, const struct az_regions *r, uint32_t i)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_region *x = &r->v[i];
    const bool device = r->total.device > 0;
    const int64_t both = x->all.device + x->all.backward;
    return (struct row){
        .rank = az_job_rank(job, trace),
        .path = az_region_path(job, r, i),
        .instances = x->instances,
        .both = device ? az_ns(t, both) : -1,
        .forward = device ? az_ns(t, x->all.device) : -1,
        .backward = r->total.backward ? az_ns(t, x->all.backward) : -1,
        .own = device ? az_ns(t, x->own.device) : -1,
        .kernels = device ? x->all.kernels : -1,
        .host = az_ns(t, x->host),
        .host_own = az_ns(t, x->host_own),
        .share = device ? az_percent((double)both, (double)r->total.device) : 0.0 / 0.0,
    };
}

static int by_time(const void *x, const void *y, void *ctx)
{
    const struct row *a = x, *b = y;
    (void)ctx;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->both != b->both)
        return a->both > b->both ? -1 : 1;
    if (a->host != b->host)
        return a->host > b->host ? -1 : 1;
    return az_sv_cmp(a->path, b->path);
}

static int add_trace(struct az_job *job, size_t trace, struct az_table *t, bool *any_device)
{
    int rc;
    const struct az_regions *r = az_job_modules(job, trace, &rc);
    if (!r || !r->n)
        return rc;
    *any_device |= r->total.device > 0;
    struct row *v = az_mem_alloc(job->mem, r->n * sizeof *v);
    if (!v)
        return az_mem_error(job->mem);
    for (uint32_t i = 0; i < r->n; i++)
        v[i] = row_of(job, trace, r, i);
    az_sort_cmp(v, r->n, sizeof *v, by_time, NULL, job->mem);
    AZ_PUT_ROWS(t, v, r->n);
    az_mem_free(job->mem, v, r->n * sizeof *v);
    return rc ? rc : job->arena->failed ? az_arena_error(job->arena) : AZ_OK;
}

static int make_modules(struct az_job *job)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "modules", "Device time by module",
                                            AZ_TABLE_SUMMARY, columns, job);
    bool device = false;
    int rc = t ? AZ_OK : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = add_trace(job, i, t, &device);
    if (t && t->rows && !device)
        t->title = AZ_SV("Host time by module");
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_modules = {
    .name = "modules",
    .tables = { "modules" },
    .help = "forward and backward device time by module",
    .any = AZ_CAP_RANGES | AZ_CAP_CALLTREE,
    .run = make_modules,
};
