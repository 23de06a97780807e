/* Metadata of an SQLite export: versions, session, messages of the profiler, devices
 * (docs/formats-nsight.md 3.1, 3.2).
 */
#include <inttypes.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "formats/nsys/nsys_sqlite.h"

#define SHOWN_DIAGNOSTICS 5
#define SEVERITY_WARNING  2

/* ---- versions ---- */

static void take_version(struct az_nsys_db *x, struct az_sv key, struct az_sv value)
{
    int64_t *part = az_sv_is(key, "EXPORT_SCHEMA_VERSION_MAJOR")   ? &x->major
                    : az_sv_is(key, "EXPORT_SCHEMA_VERSION_MINOR") ? &x->minor
                                                                   : NULL;
    if (part && az_parse_i64(value, part) != 0)
        *part = 0;
    if (az_sv_is(key, "EXPORT_PRODUCT_VERSION"))
        az_trace_fact(x->t, "nsys version", value);
    else if (az_sv_is(key, "EXPORT_SCHEMA_VERSION"))
        az_trace_fact(x->t, "nsys export schema", value);
    else if (az_sv_is(key, "EXPORT_PARAM_TIME_SHIFT") && !az_sv_is(value, "0"))
        az_trace_fact(x->t, "time shift (ns)", value);
    else if (az_sv_is(key, "EXPORT_PARAM_TIME_NORMALIZE") && az_sv_is(value, "true"))
        az_trace_fact(x->t, "times normalized", value);
}

static int take_meta(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    (void)ctx;
    take_version(x, az_nsys_text(r, 0), az_nsys_text(r, 1));
    return 0;
}

/* "/opt/nvidia/nsight-systems/2023.2.3/target-linux-x64" -> "2023.2.3"; empty if no folder is named
 * like a version. */
static struct az_sv version_in_path(struct az_sv path)
{
    size_t from = 0;
    for (size_t i = 0; i <= path.n; i++) {
        if (i < path.n && path.p[i] != '/' && path.p[i] != '\\')
            continue;
        struct az_sv part = az_sv_make(path.p + from, i - from);
        if (part.n >= 6 && az_sv_starts(part, AZ_SV("20")) && part.p[4] == '.')
            return part;
        from = i + 1;
    }
    return az_sv_make("", 0);
}

static int take_environment(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct az_sv name = az_nsys_text(r, 0), value = az_nsys_text(r, 1);
    (void)ctx;
    if (az_sv_is(name, "TargetInstallDir") && x->major == 0 && version_in_path(value).n)
        az_trace_fact(x->t, "nsys version", version_in_path(value));
    else if (az_sv_is(name, "Hostname") && value.n)
        az_trace_fact(x->t, "host", value);
    return 0;
}

/* Times of the events are relative to this instant. */
static int take_session(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    char text[AZ_NUM_MAX];
    (void)ctx;
    if (r->number == 1)
        az_trace_fact(x->t, "session start (UTC ns)",
                      az_sv_make(text, az_format_i64(az_nsys_i64(r, 0), text)));
    return 0;
}

struct messages {
    struct az_sv text[SHOWN_DIAGNOSTICS]; /* each once */
    uint64_t times[SHOWN_DIAGNOSTICS];
    size_t n;
    uint64_t all, further;
};

/* Warnings and errors of the profiler, such as dropped events: what it lost is missing here too. */
static int take_diagnostic(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct messages *m = ctx;
    const struct az_sv text = az_nsys_text(r, 1);
    size_t i = 0;
    if (az_nsys_i64(r, 0) < SEVERITY_WARNING)
        return 0;
    m->all++;
    while (i < m->n && !az_sv_eq(m->text[i], text))
        i++;
    if (i == SHOWN_DIAGNOSTICS) {
        m->further++;
        return 0;
    }
    if (i == m->n) {
        m->text[m->n++] = az_arena_dup(&x->scratch, text);
        m->times[i] = 0;
    }
    m->times[i]++;
    return m->text[i].p ? 0 : az_arena_error(&x->scratch);
}

static void show_messages(struct az_nsys_db *x, const struct messages *m)
{
    const struct az_where at = AZ_AT_FILE(x->path);
    for (size_t i = 0; i < m->n; i++) {
        const struct az_sv text = az_utf8_one_line(&x->scratch, m->text[i]);
        if (m->times[i] > 1)
            az_diag_add(x->job->diag, AZ_WARNING, at, "profiler message, %" PRIu64 " times: %.*s",
                        m->times[i], AZ_SVF(text));
        else
            az_diag_add(x->job->diag, AZ_WARNING, at, "profiler message: %.*s", AZ_SVF(text));
    }
    if (m->further)
        az_diag_add(x->job->diag, AZ_WARNING, at,
                    "%" PRIu64 " further messages of the profiler (table 'DIAGNOSTIC_EVENT')",
                    m->further);
}

static int read_diagnostics(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[] = { { "severity", true }, { "text", true } };
    struct messages m = { .n = 0 };
    char text[AZ_NUM_MAX];
    int rc = az_nsys_each(x, "DIAGNOSTIC_EVENT", want, 2, take_diagnostic, &m);
    show_messages(x, &m);
    if (m.all)
        az_trace_fact(x->t, "profiler warnings",
                      az_sv_make(text, az_format_i64((int64_t)m.all, text)));
    return rc;
}

static int take_thread_name(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    uint32_t id, *value;
    bool added;
    (void)ctx;
    int rc = az_nsys_name(x, &x->names, az_nsys_i64(r, 0), &id);
    return rc == 0
               ? az_map_put(&x->thread_names, (uint64_t)az_nsys_i64(r, 1), 0, id, &value, &added)
               : rc;
}

int az_nsys_read_meta(struct az_nsys_db *x)
{
    static const struct az_nsys_column pair[] = { { "name", true }, { "value", true } };
    static const struct az_nsys_column session[] = { { "utcEpochNs", true } };
    static const struct az_nsys_column thread[] = { { "nameId", true }, { "globalTid", true } };
    /* Schema 3.1 calls the table EXPORT_META_DATA, 3.4 and later META_DATA_EXPORT. */
    const char *versions =
        az_nsys_has_table(x, "META_DATA_EXPORT") ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
    int rc = az_nsys_each(x, versions, pair, 2, take_meta, NULL);
    if (rc == 0)
        rc = az_nsys_each(x, "TARGET_INFO_SYSTEM_ENV", pair, 2, take_environment, NULL);
    if (rc == 0)
        rc = az_nsys_each(x, "TARGET_INFO_SESSION_START_TIME", session, 1, take_session, NULL);
    if (rc == 0)
        rc = read_diagnostics(x);
    return rc == 0 ? az_nsys_each(x, "ThreadNames", thread, 2, take_thread_name, NULL) : rc;
}

/* ---- devices ---- */

struct gpu {
    int64_t id, cuda, sm_count, memory;
    struct az_sv name;
};
AZ_VEC(struct gpu, gpus);

struct cuda_device { /* CUDA's own number of a GPU in one process */
    int64_t gpu, cuda;
    uint64_t pid;
};
AZ_VEC(struct cuda_device, cuda_devices);

static int take_gpu(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct gpus *list = ctx;
    struct gpu g = { .id = az_nsys_i64(r, 0),
                     .cuda = az_nsys_is_null(r, 4) ? -1 : az_nsys_i64(r, 4),
                     .sm_count = az_nsys_i64(r, 2),
                     .memory = az_nsys_i64(r, 3),
                     /* a long one is truncated, maybe after a blank */
                     .name = az_arena_dup(&x->t->arena, az_sv_trim(az_nsys_text(r, 1))) };
    return g.name.p ? az_vec_push(list, g) : az_arena_error(&x->t->arena);
}

static int take_cuda_device(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct cuda_devices *list = ctx;
    struct cuda_device d = { .gpu = az_nsys_i64(r, 0),
                             .cuda = az_nsys_i64(r, 1),
                             .pid = (uint64_t)az_nsys_i64(r, 2) };
    (void)x;
    return az_vec_push(list, d);
}

static const struct gpu *gpu_by_id(const struct gpus *gpus, int64_t id)
{
    for (size_t i = 0; i < gpus->n; i++)
        if (gpus->v[i].id == id)
            return &gpus->v[i];
    return NULL;
}

/* The GPU after a deviceId. The profiler's own reports use the GPU of that id. On machines with
 * several kinds of GPU ids and CUDA numbers differ, and deviceId may be the CUDA number: it is
 * where the process has a GPU of that CUDA number but none of that id. Without that table the GPU's
 * own CUDA number decides, if no GPU has the id. */
static const struct gpu *gpu_of(const struct gpus *gpus, const struct cuda_devices *cuda,
                                int64_t device, uint64_t pid)
{
    const struct gpu *by_cuda = NULL;
    bool by_id = false;
    for (size_t i = 0; i < cuda->n; i++) {
        if (cuda->v[i].pid != pid && cuda->v[i].pid != 0)
            continue;
        by_id = by_id || cuda->v[i].gpu == device;
        if (cuda->v[i].cuda == device && !by_cuda)
            by_cuda = gpu_by_id(gpus, cuda->v[i].gpu);
    }
    if (by_cuda && !by_id)
        return by_cuda;
    const struct gpu *g = gpu_by_id(gpus, device);
    if (g)
        return g;
    for (size_t i = 0; i < gpus->n; i++)
        if (gpus->v[i].cuda == device)
            return &gpus->v[i];
    return NULL;
}

static int add_device(struct az_trace *t, int64_t id, const struct gpu *g)
{
    for (size_t i = 0; i < t->devices.n; i++)
        if (t->devices.v[i].id == id)
            return 0;
    struct az_device d = { .id = id,
                           .name = g ? g->name : az_sv_make("", 0),
                           .sm_count = g ? g->sm_count : 0,
                           .memory_bytes = g ? g->memory : 0 };
    return az_vec_push(&t->devices, d);
}

static int compare_devices(const void *a, const void *b, void *ctx)
{
    const struct az_device *p = a, *q = b;
    (void)ctx;
    return p->id < q->id ? -1 : p->id > q->id;
}

int az_nsys_read_devices(struct az_nsys_db *x)
{
    /* old exports have no id of the GPU, but that of its device */
    const bool has_id = az_nsys_has_column(x, "TARGET_INFO_GPU", "id");
    const struct az_nsys_column gpu[] = { { has_id ? "id" : "deviceId", true },
                                          { "name", false },
                                          { "smCount", false },
                                          { "totalMemory", false },
                                          { "cuDevice", false } };
    static const struct az_nsys_column device[] = { { "gpuId", true },
                                                    { "cudaId", true },
                                                    { "pid", false } };
    struct az_trace *t = x->t;
    struct gpus gpus;
    struct cuda_devices cuda;
    az_vec_init(&gpus, x->job->mem);
    az_vec_init(&cuda, x->job->mem);
    int rc = az_nsys_each(x, "TARGET_INFO_GPU", gpu, 5, take_gpu, &gpus);
    if (rc == 0)
        rc = az_nsys_each(x, "TARGET_INFO_CUDA_DEVICE", device, 3, take_cuda_device, &cuda);
    for (size_t i = 0; i < t->lanes.n && rc == 0; i++)
        if (t->lanes.v[i].device_side)
            rc = add_device(t, t->lanes.v[i].device,
                            gpu_of(&gpus, &cuda, t->lanes.v[i].device, t->lanes.v[i].pid));
    if (t->devices.n == 0) /* nothing ran: all that the machine has */
        for (size_t i = 0; i < gpus.n && rc == 0; i++)
            rc = add_device(t, gpus.v[i].id, &gpus.v[i]);
    az_sort_cmp(t->devices.v, t->devices.n, sizeof *t->devices.v, compare_devices, NULL,
                x->job->mem);
    az_vec_release(&gpus);
    az_vec_release(&cuda);
    return rc;
}
