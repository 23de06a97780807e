/* Regions over the ranks of a run (docs/regions.md 9): the spread of each over all ranks, and each
 * region of each rank. */
#include "analyses/regions/region_rates.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "document/claims.h"
#include "document/record.h"
#include "facts/regions.h"

#define MOST 200 /* regions of a rank: those with the most device time, then host time */

struct region { /* ns; -1: not known */
    struct az_sv path;
    int64_t source; /* enum az_region_source */
    int64_t instances, device, own, backward, idle, exposed, host;
    int64_t cause, number; /* enum az_cause; of the region in its rank */
    double tflops, gbps;   /* NaN: not known */
};
struct part {
    struct region *v;
    size_t n;
};

static int more_time_first(const void *x, const void *y, void *ctx)
{
    const struct region *a = x, *b = y;
    (void)ctx;
    if (a->device != b->device)
        return a->device > b->device ? -1 : 1;
    if (a->host != b->host)
        return a->host > b->host ? -1 : 1;
    return az_sv_cmp(a->path, b->path);
}

static int64_t known_ns(const struct az_trace *t, int64_t ticks)
{
    return ticks < 0 ? -1 : az_ns(t, ticks);
}

/* All regions of a rank; in the job's arena. */
static int list_regions(struct az_job *job, const struct az_regions *r, struct region **out)
{
    const struct az_trace *t = job->traces[0];
    struct region *v = az_arena_array(job->arena, r->n, sizeof *v);
    struct az_region_work *work = NULL;
    if (!v)
        return az_arena_error(job->arena);
    const int rc = r->total.device > 0 ? az_regions_work(job, 0, r, &work) : AZ_OK;
    for (uint32_t i = 0; rc == 0 && i < r->n; i++) {
        const struct az_region *x = &r->v[i];
        v[i] = (struct region){ .path = az_region_path(job, r, i),
                                .source = x->source,
                                .instances = x->instances,
                                .device = x->ns.device,
                                .own = x->ns.own,
                                .backward = az_ns(t, x->all.backward),
                                .idle = known_ns(t, x->idle),
                                .exposed = az_ns(t, x->all.exposed_comm),
                                .host = known_ns(t, x->host),
                                .number = i };
        az_region_rates(work ? &work[i] : NULL, (double)x->all.device / (double)t->ticks_per_ns,
                        &v[i].tflops, &v[i].gbps);
    }
    az_mem_free(job->mem, work, (r->n + 1) * sizeof *work);
    *out = v;
    return rc;
}

/* The verdict of the rank, which comes later, has the causes of idle time. */
static int want_causes(struct az_job *job, const struct az_regions *r, struct part *p)
{
    int64_t **places = az_arena_array(job->arena, r->n, sizeof *places);
    if (!places)
        return az_arena_error(job->arena);
    memset(places, 0, r->n * sizeof *places);
    for (size_t i = 0; i < p->n; i++)
        places[p->v[i].number] = &p->v[i].cause;
    return az_regions_reserve_causes(job, places);
}

static int reduce(struct az_job *job, struct az_arena *keep, void **out)
{
    int rc;
    const struct az_regions *r = az_job_regions(job, 0, &rc);
    if (!r || !r->n)
        return rc;
    struct region *v = NULL;
    struct part *p = az_arena_alloc(keep, sizeof *p);
    if (!p)
        return az_arena_error(keep);
    rc = list_regions(job, r, &v);
    if (rc)
        return rc;
    az_sort_cmp(v, r->n, sizeof *v, more_time_first, NULL, job->mem);
    p->n = r->n < MOST ? r->n : MOST;
    p->v = az_arena_array(keep, p->n, sizeof *p->v);
    if (!p->v)
        return az_arena_error(keep);
    memcpy(p->v, v, p->n * sizeof *v);
    for (size_t i = 0; i < p->n; i++) {
        p->v[i].path = az_rank_text(job, keep, v[i].path);
        if (!p->v[i].path.p)
            return az_arena_error(keep);
    }
    *out = p;
    return want_causes(job, r, p);
}

/* ---- tables ---- */

struct row {
    int64_t rank;
    struct region r;
};
struct spread {
    struct az_sv path;
    const char *source;
    int64_t ranks, mean, least, most, slowest, host, exposed; /* host, exposed: means */
    double percent;                                           /* of most less least in the mean */
};

#define NS(header, field)                                                                          \
    {                                                                                              \
        header, AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct row, field)                   \
    }
AZ_TEXT_OF_RECORD(source_of, struct row,
                  az_sv_str(az_region_source_text((enum az_region_source)r->r.source)))
static struct az_sv text_of_cause(enum az_cause c)
{
    const char *id = az_cause_id(c);
    return az_sv_str(id ? id : "");
}
AZ_TEXT_OF_RECORD(cause_of, struct row, text_of_cause((enum az_cause)r->r.cause))
static const struct az_record_column rank_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct row, rank) },
    { "path", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct row, r.path) },
    { "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL, .text = source_of },
    { "instances", AZ_INT, AZ_UNIT_COUNT, 0, AZ_KNOWN(struct row, r.instances) },
    NS("device_ns", r.device),
    NS("device_self_ns", r.own),
    NS("backward_ns", r.backward),
    NS("idle_ns", r.idle),
    { "idle_cause", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, .text = cause_of },
    NS("exposed_comm_ns", r.exposed),
    NS("host_ns", r.host),
    { "tflops", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER | AZ_DETAIL,
      AZ_FIELD(struct row, r.tflops) },
    { "gbps", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER | AZ_DETAIL, AZ_FIELD(struct row, r.gbps) },
};
static const struct az_record_column spread_columns[] = {
    { "path", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct spread, path) },
    { "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL, AZ_FIELD(struct spread, source) },
    { "ranks", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(struct spread, ranks) },
    { "mean_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct spread, mean) },
    { "min_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct spread, least) },
    { "max_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct spread, most) },
    { "spread_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_LOWER_BETTER,
      AZ_FIELD(struct spread, percent) },
    { "max_rank", AZ_INT, AZ_UNIT_ID, 0, AZ_FIELD(struct spread, slowest) },
    { "exposed_comm_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER | AZ_DETAIL,
      AZ_FIELD(struct spread, exposed) },
    { "host_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_KNOWN(struct spread, host) },
};

static int by_path(const void *x, const void *y, void *ctx)
{
    const struct row *a = x, *b = y;
    const int order = az_sv_cmp(a->r.path, b->r.path);
    (void)ctx;
    if (order)
        return order;
    if (a->r.source != b->r.source)
        return a->r.source < b->r.source ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct spread spread_of(const struct row *v, size_t n)
{
    struct spread s = { .path = v[0].r.path,
                        .source = az_region_source_text((enum az_region_source)v[0].r.source),
                        .ranks = (int64_t)n,
                        .least = INT64_MAX,
                        .most = -1 };
    int64_t sum = 0, host = 0, exposed = 0;
    bool known = true;
    for (size_t i = 0; i < n; i++) {
        const struct region *r = &v[i].r;
        sum = az_add_sat(sum, r->device);
        exposed = az_add_sat(exposed, r->exposed);
        host = az_add_sat(host, r->host);
        known &= r->host >= 0;
        s.least = r->device < s.least ? r->device : s.least;
        if (r->device > s.most) {
            s.most = r->device;
            s.slowest = v[i].rank;
        }
    }
    s.mean = sum / (int64_t)n;
    s.exposed = exposed / (int64_t)n;
    s.host = known ? host / (int64_t)n : -1;
    s.percent = sum ? (double)(s.most - s.least) * (double)n / (double)sum * 100 : 0;
    return s;
}

static int by_mean(const void *x, const void *y, void *ctx)
{
    const struct spread *a = x, *b = y;
    (void)ctx;
    if (a->mean != b->mean)
        return a->mean > b->mean ? -1 : 1;
    if (a->host != b->host)
        return a->host > b->host ? -1 : 1;
    return az_sv_cmp(a->path, b->path);
}

static int add_spread(struct az_job *job, struct row *v, size_t n)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "region_spread", "Regions over ranks",
                                         AZ_TABLE_SUMMARY, spread_columns);
    struct spread *s = az_arena_array(job->arena, n + 1, sizeof *s);
    size_t rows = 0;
    int rc = s ? 0 : az_arena_error(job->arena);
    az_sort_cmp(v, n, sizeof *v, by_path, NULL, job->mem);
    for (size_t i = 0, k; rc == 0 && i < n; i = k) {
        for (k = i + 1;
             k < n && az_sv_eq(v[k].r.path, v[i].r.path) && v[k].r.source == v[i].r.source;)
            k++;
        s[rows++] = spread_of(v + i, k - i);
    }
    if (rc == 0)
        az_sort_cmp(s, rows, sizeof *s, by_mean, NULL, job->mem);
    if (rc == 0)
        AZ_PUT_ROWS(t, s, rows);
    return az_job_add(job, t, rc);
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "regions_by_rank", "Regions of each rank", 0, rank_columns);
    size_t most = 0, n = 0;
    for (size_t r = 0; r < ranks->n; r++)
        most += parts[r] ? ((const struct part *)parts[r])->n : 0;
    struct row *v = az_arena_array(job->arena, most + 1, sizeof *v);
    for (size_t r = 0; v && r < ranks->n; r++) {
        const struct part *p = parts[r];
        for (size_t i = 0; p && i < p->n; i++) {
            v[n] = (struct row){ ranks->v[r].rank, p->v[i] };
            v[n].r.path = az_arena_dup(job->arena, p->v[i].path);
            n += v[n].r.path.p != NULL;
        }
    }
    if (v)
        AZ_PUT_ROWS(t, v, n);
    int rc = az_job_add(job, t, v && n == most ? AZ_OK : az_arena_error(job->arena));
    return rc ? rc : add_spread(job, v, n);
}

/* ---- the part as bytes ---- */

static bool region_valid(const void *of)
{
    const struct region *r = of;
    return (uint64_t)r->source < AZ_REGION_SOURCES && (uint64_t)r->cause < AZ_CAUSES;
}
static const struct az_shape_field region_fields[] = {
    AZ_TEXT_OF(struct region, path),    AZ_PLAIN(struct region, source),
    AZ_PLAIN(struct region, instances), AZ_PLAIN(struct region, device),
    AZ_PLAIN(struct region, own),       AZ_PLAIN(struct region, backward),
    AZ_PLAIN(struct region, idle),      AZ_PLAIN(struct region, exposed),
    AZ_PLAIN(struct region, host),      AZ_PLAIN(struct region, cause),
    AZ_PLAIN(struct region, number),    AZ_PLAIN(struct region, tflops),
    AZ_PLAIN(struct region, gbps)
};
static const struct az_shape region_shape = AZ_SHAPE_IF(struct region, region_fields, region_valid);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct part, v, n, region_shape) };
static const struct az_shape part_shape = AZ_SHAPE(struct part, part_fields);

const struct az_rank_analysis az_rank_analysis_regions = {
    .name = "rank_regions",
    .help = "device time by region: spread over ranks, each rank",
    .any = AZ_CAP_RANGES | AZ_CAP_CALLTREE | AZ_CAP_PROGRAMS,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
