/* regions: device and host time by what the user named, as a tree (docs/regions.md). */
#include <math.h>
#include <string.h>

#include "analyses/regions/region_rates.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/steps.h"

struct row {
    int64_t rank, instances, device, own, backward, launches, kernels, idle, host, host_own,
        exposed, per_step;
    struct az_sv path, cause;
    const char *source;
    double share, tflops, gbps;
};

static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct row, rank), .when = az_job_has_ranks },
    { "path", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct row, path) },
    { "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL, AZ_FIELD(struct row, source) },
    { "instances", AZ_INT, AZ_UNIT_COUNT, 0, AZ_KNOWN(struct row, instances) },
    { "device_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, device) },
    { "device_self_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, own) },
    { "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct row, share) },
    { "backward_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, backward) },
    { "idle_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, idle) },
    { "idle_cause", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, AZ_FIELD(struct row, cause) },
    { "exposed_comm_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER | AZ_DETAIL,
      AZ_KNOWN(struct row, exposed) },
    { "host_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, host) },
    { "host_self_ns", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_KNOWN(struct row, host_own) },
    { "device_per_step_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER | AZ_DETAIL,
      AZ_KNOWN(struct row, per_step) },
    { "tflops", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER | AZ_DETAIL,
      AZ_FIELD(struct row, tflops) },
    { "gbps", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER | AZ_DETAIL, AZ_FIELD(struct row, gbps) },
    { "launches", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN(struct row, launches) },
    { "kernels", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN(struct row, kernels) },
};

static int64_t known_ns(const struct az_trace *t, int64_t ticks)
{
    return ticks < 0 ? -1 : az_ns(t, ticks);
}

static struct row row_of(struct az_job *job, size_t trace, const struct az_regions *r, uint32_t i,
                         int64_t steps)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_region *x = &r->v[i];
    const bool device = r->total.device > 0;
    return (struct row){
        .rank = az_job_rank(job, trace),
        .path = az_region_path(job, r, i),
        .source = az_region_source_text(x->source),
        .instances = x->instances,
        .device = device ? x->ns.device : -1,
        .own = device ? x->ns.own : -1,
        .share = device ? az_percent((double)x->all.device, (double)r->total.device) : 0.0 / 0.0,
        .backward = r->total.backward ? az_ns(t, x->all.backward) : -1,
        .launches = device ? x->all.launches : -1,
        .kernels = device ? x->all.kernels : -1,
        .idle = known_ns(t, x->idle),
        .exposed = device ? az_ns(t, x->all.exposed_comm) : -1,
        .host = known_ns(t, x->host),
        .host_own = known_ns(t, x->host_own),
        .per_step = steps ? az_ns(t, x->all.device / steps) : -1,
    };
}

/* Work in no region, so that exclusive times add up to the device time. */
static struct row outside_of(struct az_job *job, size_t trace, const struct az_regions *r,
                             int64_t steps)
{
    const struct az_trace *t = job->traces[trace];
    return (struct row){
        .rank = az_job_rank(job, trace),
        .path = AZ_SV("(outside)"),
        .source = "",
        .instances = -1,
        .device = az_ns(t, r->outside.device),
        .own = az_ns(t, r->outside.device),
        .share = az_percent((double)r->outside.device, (double)r->total.device),
        .backward = r->total.backward ? az_ns(t, r->outside.backward) : -1,
        .launches = r->outside.launches,
        .kernels = r->outside.kernels,
        .idle = -1,
        .exposed = az_ns(t, r->outside.exposed_comm),
        .tflops = NAN,
        .gbps = NAN,
        .host = -1,
        .host_own = -1,
        .per_step = steps ? az_ns(t, r->outside.device / steps) : -1,
    };
}

/* Most device time first, then most host time; a region is before those in it. */
static int by_time(const void *x, const void *y, void *ctx)
{
    const struct row *a = x, *b = y;
    (void)ctx;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->device != b->device)
        return a->device > b->device ? -1 : 1;
    if (a->host != b->host)
        return a->host > b->host ? -1 : 1;
    return az_sv_cmp(a->path, b->path);
}

#define COUNTED 64 /* names with a counter that are compared with those without */

/* Is `all` the name with a counter: "step *", "step[*]" of "step"? */
static bool is_counted_name(struct az_sv all, struct az_sv name)
{
    bool star = false;
    if (!name.n || !az_sv_starts(all, name))
        return false;
    for (size_t i = name.n; i < all.n; i++) {
        if (!memchr("* _.#:[]()-", all.p[i], 11))
            return false;
        star |= all.p[i] == '*';
    }
    return star;
}

/* Outermost ranges of one name, some with a number and some without, are two rows. */
static struct az_sv note_of(struct az_job *job, const struct az_regions *r)
{
    for (size_t i = 0, n = 0; i < r->n && n < COUNTED; i++) {
        if (r->v[i].depth > 0 || az_sv_find(r->v[i].name, AZ_SV("*")) < 0)
            continue;
        n++;
        for (size_t k = 0; k < r->n; k++)
            if (r->v[k].depth == 0 && is_counted_name(r->v[i].name, r->v[k].name))
                return az_arena_printf(job->arena,
                                       "'%.*s': ranges with a number in their name; '%.*s': those "
                                       "without.",
                                       AZ_SVF(r->v[i].name), AZ_SVF(r->v[k].name));
    }
    return AZ_SV("");
}

static int add_trace(struct az_job *job, size_t trace, struct az_table *t, bool *any_device,
                     bool *any_host)
{
    int rc;
    const struct az_regions *r = az_job_regions(job, trace, &rc);
    if (!r || !r->n)
        return rc;
    const bool device = r->total.device > 0;
    *any_device |= device;
    const struct az_steps *steps = device ? az_job_steps(job, trace, &rc) : NULL;
    struct az_region_work *work = NULL;
    if (rc == 0 && device)
        rc = az_regions_work(job, trace, r, &work);
    struct row *v = az_mem_alloc(job->mem, (r->n + 1) * sizeof *v);
    if (rc == 0 && !v)
        rc = az_mem_error(job->mem);
    if (rc) {
        az_mem_free(job->mem, v, (r->n + 1) * sizeof *v);
        az_mem_free(job->mem, work, (r->n + 1) * sizeof *work);
        return rc;
    }
    const int64_t n_steps = steps ? (int64_t)steps->n : 0;
    for (uint32_t i = 0; i < r->n; i++) {
        v[i] = row_of(job, trace, r, i, n_steps);
        az_region_rates(work ? &work[i] : NULL,
                        (double)r->v[i].all.device / (double)job->traces[trace]->ticks_per_ns,
                        &v[i].tflops, &v[i].gbps);
        *any_host |= v[i].host >= 0;
    }
    v[r->n] = outside_of(job, trace, r, n_steps);
    const size_t n = r->n + (r->outside.device > 0);
    az_sort_cmp(v, n, sizeof *v, by_time, NULL, job->mem);
    AZ_PUT_ROWS(t, v, n);
    t->note = t->note.n ? t->note : note_of(job, r);
    az_mem_free(job->mem, v, (r->n + 1) * sizeof *v);
    az_mem_free(job->mem, work, (r->n + 1) * sizeof *work);
    if (r->merged)
        az_cover(job, "regions: instances merged into their parent", (double)r->merged, "count",
                 AZ_SV("nested too deeply, or too many names"));
    return rc ? rc : job->arena->failed ? az_arena_error(job->arena) : AZ_OK;
}

static int make_regions(struct az_job *job)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "regions", "Device time by region",
                                            AZ_TABLE_SUMMARY, columns, job);
    bool device = false, host = false;
    int rc = t ? AZ_OK : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = add_trace(job, i, t, &device, &host);
    if (t && t->rows && !device)
        t->title = host ? AZ_SV("Host time by region") : AZ_SV("Regions");
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_regions = {
    .name = "regions",
    .tables = { "regions" },
    .help = "device and host time by range, module, scope or signpost",
    .any = AZ_CAP_RANGES | AZ_CAP_CALLTREE | AZ_CAP_PROGRAMS | AZ_CAP_OPREPORT,
    .run = make_regions,
};
