/* regions_by_family: device time of regions by family of work. */
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/account.h"
#include "facts/families.h"
#include "facts/regions.h"

struct row {
    int64_t rank, region_time, device, own, events;
    struct az_sv path, family;
    const char *source;
    double share; /* of the region */
    bool repeats; /* what another region, or the whole recording, has */
};

static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct row, rank), .when = az_job_has_ranks },
    { "path", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct row, path) },
    { "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL, AZ_FIELD(struct row, source) },
    { "family", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct row, family) },
    { "device_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct row, device) },
    { "device_self_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct row, own) },
    { "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct row, share) },
    { "count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct row, events) },
};

struct sums { /* ticks and events of one region, by family */
    int64_t own[AZ_FAMILIES], all[AZ_FAMILIES], events[AZ_FAMILIES];
};

/* Events by region; the last of `sums` is what is outside. */
static int sum_events(struct az_job *job, size_t trace, const struct az_regions *r,
                      struct sums *sums, uint8_t *family)
{
    const struct az_trace *t = job->traces[trace];
    int rc = az_job_kernel_families(job, trace, family);
    const struct az_counted *c = rc ? NULL : az_job_counted(job, trace, AZ_ALL_WORK, &rc);
    const bool nested = (t->caps & AZ_CAP_PROGRAMS) && az_has_tpu(t);
    const int64_t *self = c && nested ? az_job_self_ticks(job, trace, &rc) : NULL;
    for (int k = 0; rc == 0 && k <= AZ_GRAPH; k++) {
        const struct az_events *e = &t->ev[k];
        const enum az_family one = k == AZ_MEMCPY   ? AZ_FAMILY_COPY
                                   : k == AZ_MEMSET ? AZ_FAMILY_FILL
                                                    : AZ_FAMILY_OTHER;
        for (size_t i = 0; i < e->n; i++) {
            const uint32_t region = r->of[k][i];
            struct sums *to = &sums[region == AZ_NO_ID ? r->n : region];
            const enum az_family f = k == AZ_KERNEL ? (enum az_family)family[i] : one;
            if (c->skip[k] && c->skip[k][i])
                continue;
            to->own[f] += self && k == AZ_KERNEL ? self[i] : e->end[i] - e->start[i];
            to->events[f]++;
        }
    }
    return rc;
}

static void sum_up(const struct az_regions *r, struct sums *sums)
{
    for (size_t i = 0; i <= r->n; i++)
        memcpy(sums[i].all, sums[i].own, sizeof sums[i].all);
    for (size_t i = r->n; i-- > 0;) {
        const uint32_t up = r->v[i].parent;
        for (int f = 0; up != AZ_NO_ID && f < AZ_FAMILIES; f++) {
            sums[up].all[f] += sums[i].all[f];
            sums[up].events[f] += sums[i].events[f];
        }
    }
}

AZ_VEC(struct row, rows);

/* Regions whose work is that of the recording, or of one region in them: a step around everything.
 */
static uint8_t *list_repeats(struct az_job *job, const struct az_regions *r)
{
    uint8_t *repeats = az_mem_alloc(job->mem, r->n + 1);
    for (uint32_t i = 0; repeats && i <= r->n; i++)
        repeats[i] = i < r->n && !r->v[i].own.device && r->v[i].all.device == r->total.device;
    for (uint32_t i = 0; repeats && i < r->n; i++) {
        const uint32_t up = r->v[i].parent;
        if (up != AZ_NO_ID && r->v[i].all.device == r->v[up].all.device)
            repeats[up] = 1;
    }
    return repeats;
}

static int list_rows(struct az_job *job, size_t trace, const struct az_regions *r,
                     const struct sums *sums, const uint8_t *repeats, struct rows *out)
{
    const struct az_trace *t = job->traces[trace];
    int rc = AZ_OK;
    for (uint32_t i = 0; rc == 0 && i <= r->n; i++) {
        const bool outside = i == r->n;
        const int64_t whole = outside ? r->outside.device : r->v[i].all.device;
        const struct az_sv path = !whole    ? AZ_SV("")
                                  : outside ? AZ_SV("(outside)")
                                            : az_region_path(job, r, i);
        for (int f = 0; rc == 0 && f < AZ_FAMILIES; f++) {
            if (!sums[i].events[f])
                continue;
            rc =
                az_vec_push(out, ((struct row){
                                     .rank = az_job_rank(job, trace),
                                     .region_time = whole,
                                     .device = az_ns(t, sums[i].all[f]),
                                     .own = az_ns(t, sums[i].own[f]),
                                     .events = sums[i].events[f],
                                     .path = path,
                                     .family = az_family_text((enum az_family)f),
                                     .repeats = repeats[i],
                                     .source = outside ? "" : az_region_source_text(r->v[i].source),
                                     .share = az_percent((double)sums[i].all[f], (double)whole),
                                 }));
        }
    }
    return rc;
}

/* Regions in the order of the table `regions`, the most time of each first; repeats are last. */
static int by_time(const void *x, const void *y, void *ctx)
{
    const struct row *a = x, *b = y;
    (void)ctx;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->repeats != b->repeats)
        return a->repeats ? 1 : -1;
    if (a->region_time != b->region_time)
        return a->region_time > b->region_time ? -1 : 1;
    const int order = az_sv_cmp(a->path, b->path);
    if (order)
        return order;
    if (a->device != b->device)
        return a->device > b->device ? -1 : 1;
    return az_sv_cmp(a->family, b->family);
}

static int add_trace(struct az_job *job, size_t trace, struct rows *rows)
{
    int rc;
    const struct az_regions *r = az_job_regions(job, trace, &rc);
    if (!r || !r->n || !r->total.device)
        return rc;
    const size_t bytes = (r->n + 1) * sizeof(struct sums),
                 kernels = job->traces[trace]->ev[AZ_KERNEL].n + 1;
    struct sums *sums = az_mem_alloc(job->mem, bytes);
    uint8_t *family = az_mem_alloc(job->mem, kernels);
    uint8_t *repeats = list_repeats(job, r);
    rc = sums && family && repeats ? AZ_OK : az_mem_error(job->mem);
    if (rc == 0) {
        memset(sums, 0, bytes);
        rc = sum_events(job, trace, r, sums, family);
    }
    if (rc == 0) {
        sum_up(r, sums);
        rc = list_rows(job, trace, r, sums, repeats, rows);
    }
    az_mem_free(job->mem, sums, bytes);
    az_mem_free(job->mem, family, kernels);
    az_mem_free(job->mem, repeats, r->n + 1);
    return rc;
}

static int make_region_families(struct az_job *job)
{
    struct rows rows;
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "regions_by_family", "Regions by family of work",
                           AZ_TABLE_SUMMARY, columns, job);
    int rc = t ? AZ_OK : az_arena_error(job->arena);
    az_vec_init(&rows, job->mem);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (!(job->traces[i]->caps & AZ_CAP_OPREPORT)) /* families by its own rules */
            rc = add_trace(job, i, &rows);
    az_sort_cmp(rows.v, rows.n, sizeof *rows.v, by_time, NULL, job->mem);
    if (rc == 0)
        AZ_PUT_ROWS(t, rows.v, rows.n);
    az_vec_release(&rows);
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_regions_by_family = {
    .name = "regions_by_family",
    .tables = { "regions_by_family" },
    .help = "device time of regions by kernel family",
    .any = AZ_CAP_RANGES | AZ_CAP_CALLTREE | AZ_CAP_PROGRAMS,
    .run = make_region_families,
};
