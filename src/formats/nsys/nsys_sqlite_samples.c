/* What an SQLite export has sampled, as counters: metrics of the GPUs, and the memory that is in
 * use by its allocations (docs/formats-nsight.md 3.6). */
#include "base/num.h"
#include "base/sort.h"
#include "formats/nsys/nsys_sqlite.h"

/* ---- metrics of GPUs ---- */
#define METRIC_GPU(type) ((int64_t)((uint64_t)(type)&0xff)) /* of a typeId */

struct metrics {
    struct az_map name; /* (typeId, metricId) -> name id */
    size_t first;       /* counters of the trace before */
};

static int take_metric_name(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct metrics *m = ctx;
    const uint32_t id = az_trace_name(x->t, az_sv_trim(az_nsys_text(r, 2)));
    uint32_t *at;
    bool added;
    return az_map_put(&m->name, (uint64_t)az_nsys_i64(r, 0), (uint64_t)az_nsys_i64(r, 1), id, &at,
                      &added);
}

/* Of a metric that the list does not have: by its number. */
static int unnamed(struct az_nsys_db *x, struct metrics *m, const struct az_nsys_row *r,
                   uint32_t *name)
{
    const int64_t metric = az_nsys_i64(r, 2);
    const struct az_sv text = az_arena_printf(&x->scratch, "metric %lld", (long long)metric);
    uint32_t *at;
    bool added;
    if (!text.p)
        return az_arena_error(&x->scratch);
    *name = az_trace_name(x->t, text);
    return az_map_put(&m->name, (uint64_t)az_nsys_i64(r, 1), (uint64_t)metric, *name, &at, &added);
}

static int take_metric(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct metrics *m = ctx;
    const int64_t type = az_nsys_i64(r, 1);
    uint32_t name = az_map_get(&m->name, (uint64_t)type, (uint64_t)az_nsys_i64(r, 2));
    x->t->read++;
    if (!az_nsys_is_number(r, 0) || !az_nsys_is_number(r, 3)) {
        az_trace_dropped(x->t, AZ_DROP_LOST, "samples of counters without a number", 1, 0);
        return 0;
    }
    const int rc = name == AZ_NO_ID ? unnamed(x, m, r, &name) : 0;
    return rc ? rc
              : az_trace_sample(x->t, name, METRIC_GPU(type), az_nsys_i64(r, 0), az_nsys_f64(r, 3));
}

static bool among(const struct az_vec_i64 *list, int64_t x)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i] == x)
            return true;
    return false;
}

static int ascending(const void *a, const void *b, void *ctx)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

/* Devices with events, and those that metrics were read of; ascending. */
static int list_devices(struct az_nsys_db *x, const struct metrics *m, struct az_vec_i64 *work,
                        struct az_vec_i64 *sampled)
{
    const struct az_trace *t = x->t;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->lanes.n; i++)
        if (t->lanes.v[i].device_side && !among(work, t->lanes.v[i].device))
            rc = az_vec_push(work, t->lanes.v[i].device);
    for (size_t i = m->first; rc == 0 && i < t->samples.counters.n; i++)
        if (!among(sampled, t->samples.counters.v[i].device))
            rc = az_vec_push(sampled, t->samples.counters.v[i].device);
    az_sort_cmp(work->v, work->n, sizeof *work->v, ascending, NULL, x->job->mem);
    az_sort_cmp(sampled->v, sampled->n, sizeof *sampled->v, ascending, NULL, x->job->mem);
    return rc;
}

/* The number in a typeId is that of the GPU among those of the machine, which a process may number
 * otherwise: where the numbers do not agree, but as many GPUs were sampled as have work, they are
 * the same ones in the same order. */
static int match_devices(struct az_nsys_db *x, const struct metrics *m)
{
    struct az_vec_i64 work, sampled;
    bool known = true;
    az_vec_init(&work, x->job->mem);
    az_vec_init(&sampled, x->job->mem);
    const int rc = list_devices(x, m, &work, &sampled);
    for (size_t i = 0; rc == 0 && i < sampled.n; i++)
        known &= among(&work, sampled.v[i]);
    for (size_t i = m->first;
         rc == 0 && !known && work.n == sampled.n && i < x->t->samples.counters.n; i++) {
        int64_t *device = &x->t->samples.counters.v[i].device;
        size_t at = 0;
        while (sampled.v[at] != *device)
            at++;
        *device = work.v[at];
    }
    az_vec_release(&work);
    az_vec_release(&sampled);
    return rc;
}

static int read_metrics(struct az_nsys_db *x)
{
    static const struct az_nsys_column names[] = { { "typeId", true },
                                                   { "metricId", true },
                                                   { "metricName", true } };
    static const struct az_nsys_column rows[] = {
        { "timestamp", true }, { "typeId", false }, { "metricId", true }, { "value", true }
    };
    struct metrics m = { .first = x->t->samples.counters.n };
    az_map_init(&m.name, x->job->mem, 64);
    int rc = az_nsys_each(x, "TARGET_INFO_GPU_METRICS", names, 3, take_metric_name, &m);
    if (rc == 0)
        rc = az_nsys_each_numbers(x, "GPU_METRICS", rows, 4, take_metric, &m);
    if (rc == 0)
        rc = match_devices(x, &m);
    az_map_release(&m.name);
    return rc;
}

/* ---- memory in use ---- */
enum { START, DEVICE, BYTES, KIND, OPERATION, MEMORY_N };
enum { ALLOCATED, FREED };

struct change {
    int64_t at, device, bytes, kind; /* bytes: negative when freed */
};
AZ_VEC(struct change, changes);

static int take_change(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    const int64_t operation = az_nsys_i64(r, OPERATION), bytes = az_nsys_i64(r, BYTES);
    if (az_nsys_without_time(x, r, START, START, AZ_ALLOC))
        return 0;
    x->t->read++;
    if ((operation != ALLOCATED && operation != FREED) || bytes < 0) {
        az_trace_dropped(x->t, AZ_DROP_NOT_MODELLED,
                         "memory event that neither allocates nor frees", 1, 0);
        return 0;
    }
    return az_vec_push((struct changes *)ctx,
                       ((struct change){ .at = az_nsys_i64(r, START),
                                         .device = az_nsys_i64(r, DEVICE),
                                         .bytes = operation == FREED ? -bytes : bytes,
                                         .kind = az_nsys_i64(r, KIND) }));
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const int64_t x = ((const struct change *)a)->at, y = ((const struct change *)b)->at;
    (void)ctx;
    return (x > y) - (x < y);
}

static int new_sum(struct az_nsys_db *x, const char *kind, struct az_vec_i64 *sums,
                   struct az_vec_u32 *names)
{
    const struct az_sv text = az_arena_printf(&x->scratch, "Memory in use: %s [B]", kind);
    if (!text.p)
        return az_arena_error(&x->scratch);
    az_vec_add(sums, 0);
    az_vec_add(names, az_trace_name(x->t, text));
    return sums->failed ? az_vec_error(sums) : az_vec_error(names);
}

/* What is in use after each change; what was allocated before the recording began is not known, so
 * its release does not make it less than nothing. */
static int run_through(struct az_nsys_db *x, const struct changes *c)
{
    static const char *const kinds[] = { "pageable", "pinned",        "device",         "array",
                                         "managed",  "device static", "managed static", "unknown" };
    struct az_map sum_of; /* (device, kind) -> index */
    struct az_vec_i64 sums;
    struct az_vec_u32 names;
    int rc = 0;
    az_map_init(&sum_of, x->job->mem, 16);
    az_vec_init(&sums, x->job->mem);
    az_vec_init(&names, x->job->mem);
    for (size_t i = 0; rc == 0 && i < c->n; i++) {
        const struct change *d = &c->v[i];
        const size_t kind = d->kind >= 0 && d->kind < 7 ? (size_t)d->kind : 7;
        uint32_t *at;
        bool added;
        rc = az_map_put(&sum_of, (uint64_t)d->device, kind, (uint32_t)sums.n, &at, &added);
        if (rc == 0 && added)
            rc = new_sum(x, kinds[kind], &sums, &names);
        if (rc)
            break;
        int64_t *sum = &sums.v[*at];
        *sum = az_add_sat(*sum, d->bytes);
        if (*sum < 0) {
            az_trace_dropped(x->t, AZ_DROP_OUT_OF_SCOPE,
                             "memory freed that was allocated before the recording", 1, 0);
            *sum = 0;
        }
        rc = az_trace_sample(x->t, names.v[*at], d->device, d->at, (double)*sum);
    }
    az_vec_release(&sums);
    az_vec_release(&names);
    az_map_release(&sum_of);
    return rc;
}

static int read_memory(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[MEMORY_N] = { { "start", true },
                                                          { "deviceId", false },
                                                          { "bytes", true },
                                                          { "memKind", false },
                                                          { "memoryOperationType", true } };
    struct changes c;
    az_vec_init(&c, x->job->mem);
    int rc =
        az_nsys_each_numbers(x, "CUDA_GPU_MEMORY_USAGE_EVENTS", want, MEMORY_N, take_change, &c);
    az_sort_cmp(c.v, c.n, sizeof *c.v, by_time, NULL, x->job->mem);
    if (rc == 0)
        rc = run_through(x, &c);
    az_vec_release(&c);
    return rc;
}

int az_nsys_read_samples(struct az_nsys_db *x)
{
    int rc = read_metrics(x);
    if (rc == 0)
        rc = az_nsys_read_nics(x);
    return rc ? rc : read_memory(x);
}
