/* Device side of an SQLite export: kernels, copies, fills, graph launches, synchronization
 * (docs/formats-nsight.md 3.2, 3.3). */
#include <inttypes.h>

#include "base/num.h"
#include "formats/nsys/nsys_sqlite.h"
#include "formats/shared/shown_names.h"

/* The first columns of every device table, in this order in its query. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORR, PID, FIRST_OWN };
#define COMMON_COLUMNS                                                                             \
    { "start", true }, { "end", true }, { "deviceId", false }, { "contextId", false },             \
        { "streamId", false }, { "correlationId", false },                                         \
    {                                                                                              \
        "globalPid", false                                                                         \
    }

static int common(struct az_nsys_db *x, const struct az_nsys_row *q, struct az_event *e)
{
    *e = (struct az_event){ .start = az_nsys_i64(q, START),
                            .end = az_nsys_i64(q, END),
                            .name = AZ_NO_ID,
                            .side = AZ_NO_ROW,
                            .corr = (uint64_t)az_nsys_i64(q, CORR) };
    x->t->read++;
    return az_nsys_device_lane(x, (uint64_t)az_nsys_i64(q, PID), az_nsys_i64(q, DEVICE),
                               (uint64_t)az_nsys_i64(q, CONTEXT),
                               (uint64_t)az_nsys_i64(q, STREAM) & 0xffffffff, &e->lane);
}

/* ---- labels of enumerations ---- */

struct labels {
    const char *prefix, *suffix;
    const char *const *fallback; /* labels of 0 .. n-1 where the table is absent */
    size_t n;
    struct az_map known; /* (code, 0) -> name id */
};

static int add_label(struct az_nsys_db *x, struct labels *l, int64_t code, struct az_sv label)
{
    uint32_t *value;
    bool added;
    struct az_sv name =
        az_arena_printf(&x->scratch, "%s%.*s%s", l->prefix, AZ_SVF(label), l->suffix);
    if (!name.p)
        return az_arena_error(&x->scratch);
    return az_map_put(&l->known, (uint64_t)code, 0, az_trace_name(x->t, name), &value, &added);
}

static int take_label(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    return az_nsys_is_null(r, 1) ? 0 : add_label(x, ctx, az_nsys_i64(r, 0), az_nsys_text(r, 1));
}

/* Codes and labels of an ENUM_ table (NULL: there is none); codes that it lacks are left to the
 * fallback. */
static int open_labels(struct az_nsys_db *x, struct labels *l, const char *table)
{
    static const struct az_nsys_column want[] = { { "id", true }, { "label", true } };
    az_map_init(&l->known, x->job->mem, 0);
    return table ? az_nsys_each(x, table, want, 2, take_label, l) : 0;
}

static int label_of(struct az_nsys_db *x, struct labels *l, int64_t code, uint32_t *id)
{
    *id = az_map_get(&l->known, (uint64_t)code, 0);
    if (*id != AZ_NO_ID)
        return 0;
    struct az_sv text = code >= 0 && (size_t)code < l->n
                            ? az_sv_str(l->fallback[code])
                            : az_arena_printf(&x->scratch, "kind %" PRId64, code);
    int rc = add_label(x, l, code, text);
    *id = az_map_get(&l->known, (uint64_t)code, 0);
    return rc;
}

static const char *const copy_labels[] = { "Unknown",
                                           "Host-to-Device",
                                           "Device-to-Host",
                                           "Host-to-Array",
                                           "Array-to-Host",
                                           "Array-to-Array",
                                           "Array-to-Device",
                                           "Device-to-Array",
                                           "Device-to-Device",
                                           "Host-to-Host",
                                           "Peer-to-Peer",
                                           "Unified Host-to-Device",
                                           "Unified Device-to-Host",
                                           "Unified Device-to-Device" };
/* What the report scripts printed when databases had no table of labels (before 2023). */
static const char *const old_copy_labels[] = { "memcpy Unknown",
                                               "memcpy HtoD",
                                               "memcpy DtoH",
                                               "memcpy HtoA",
                                               "memcpy AtoH",
                                               "memcpy AtoA",
                                               "memcpy AtoD",
                                               "memcpy DtoA",
                                               "memcpy DtoD",
                                               "memcpy HtoH",
                                               "memcpy PtoP",
                                               "Unified Memory memcpy HtoD",
                                               "Unified Memory memcpy DtoH",
                                               "Unified Memory memcpy DtoD" };
static const char *const sync_labels[] = { "Unknown", "Event sync", "Stream wait sync",
                                           "Stream sync", "Context sync" };

/* ---- tables ---- */

#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define COPIES  "CUPTI_ACTIVITY_KIND_MEMCPY"
#define FILLS   "CUPTI_ACTIVITY_KIND_MEMSET"
#define GRAPHS  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
#define SYNCS   "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"

static const char *kernel_name_column(struct az_nsys_db *x)
{
    struct az_sv form = x->job->opts->kernel_names;
    const char *column = az_sv_ieq(form, AZ_SV("short"))     ? "shortName"
                         : az_sv_ieq(form, AZ_SV("mangled")) ? "mangledName"
                                                             : "demangledName";
    if (!az_nsys_has_table(x, KERNELS) || az_nsys_has_column(x, KERNELS, column))
        return column;
    const char *other =
        az_nsys_has_column(x, KERNELS, "demangledName") ? "demangledName" : "shortName";
    az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                "table '" KERNELS "' has no column '%s': '%s' is used", column, other);
    return other;
}

enum { KERNEL_NAME = FIRST_OWN, KERNEL_OWN_N }; /* then the columns of geometry and node */
static const char *const geometry_columns[] = { "gridX",
                                                "gridY",
                                                "gridZ",
                                                "blockX",
                                                "blockY",
                                                "blockZ",
                                                "registersPerThread",
                                                "staticSharedMemory",
                                                "dynamicSharedMemory" };
struct kernel_places { /* of optional columns */
    int geometry;      /* 0: not read */
    int node;          /* most files have none but NULL: stored from the first that is there */
    int full;          /* the whole name, where a short one is shown; 0: not read */
    struct az_shown_names shown;
};

static uint32_t size_of(const struct az_nsys_row *r, int column)
{
    return az_nsys_is_null(r, column) ? AZ_NO_SIZE
                                      : az_geometry_figure(az_nsys_i64(r, column), AZ_NO_SIZE);
}

static int take_geometry(struct az_nsys_db *x, const struct az_nsys_row *r, int first,
                         uint32_t *number)
{
    struct az_geometry g = { .registers = az_geometry_figure(az_nsys_i64(r, first + 6), 0),
                             .static_shared = size_of(r, first + 7),
                             .dynamic_shared = size_of(r, first + 8) };
    for (int i = 0; i < 3; i++) {
        g.grid[i] = az_geometry_figure(az_nsys_i64(r, first + i), 0);
        g.block[i] = az_geometry_figure(az_nsys_i64(r, first + 3 + i), 0);
    }
    return az_geometries_put(&x->t->geometries, &g, number);
}

static int take_kernel(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct az_event e;
    struct kernel_places *at = ctx;
    uint32_t full;
    if (az_nsys_without_time(x, r, START, END, AZ_KERNEL))
        return 0;
    int rc = common(x, r, &e);
    if (rc == 0)
        rc = az_nsys_name(x, &x->names, az_nsys_i64(r, KERNEL_NAME), &e.name);
    if (rc == 0 && at->full)
        rc = az_nsys_name(x, &x->names, az_nsys_i64(r, at->full), &full);
    if (rc == 0 && at->full)
        rc = az_shown_name(&at->shown, full, e.name, &e.name);
    if (rc == 0 && at->geometry)
        rc = take_geometry(x, r, at->geometry, &e.geo);
    e.node = (uint64_t)az_nsys_i64(r, at->node);
    if (rc == 0 && e.node)
        rc = az_trace_add_node(x->t, AZ_KERNEL);
    return rc == 0 ? az_nsys_add(x, AZ_KERNEL, &e) : rc;
}

static int read_kernels(struct az_nsys_db *x)
{
    struct az_nsys_column want[NSYS_MAX_WANT] = { COMMON_COLUMNS, { kernel_name_column(x), true } };
    struct kernel_places at = { .geometry = 0 };
    int n = KERNEL_OWN_N;
    az_trace_columns(x->t, AZ_KERNEL, AZ_COL_CORR);
    az_geometry_column(x->t);
    if (az_geometry_read(x->t)) {
        at.geometry = n;
        for (size_t i = 0; i < AZ_LENGTH(geometry_columns); i++)
            want[n++] = (struct az_nsys_column){ geometry_columns[i], false };
    }
    at.node = n;
    want[n++] = (struct az_nsys_column){ "graphNodeId", false };
    if (az_sv_ieq(x->job->opts->kernel_names, AZ_SV("short")) && az_nsys_has_table(x, KERNELS) &&
        az_nsys_has_column(x, KERNELS, "demangledName")) {
        at.full = n;
        want[n++] = (struct az_nsys_column){ "demangledName", false };
    }
    az_shown_names_init(&at.shown, x->t);
    const int rc = az_nsys_each_numbers(x, KERNELS, want, (size_t)n, take_kernel, &at);
    az_shown_names_release(&at.shown);
    return rc;
}

static int add_side(struct az_nsys_db *x, const struct az_copy *c, struct az_event *e)
{
    if (x->t->copies.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    e->side = (uint32_t)x->t->copies.n;
    return az_vec_push(&x->t->copies, *c);
}

static int16_t small_code(const struct az_nsys_row *r, int column)
{
    int64_t v = az_nsys_is_null(r, column) ? -1 : az_nsys_i64(r, column);
    return (int16_t)(v >= -1 && v <= INT16_MAX ? v : -1);
}

static int64_t byte_count(const struct az_nsys_row *r, int column)
{
    int64_t v = az_nsys_is_null(r, column) ? -1 : az_nsys_i64(r, column);
    return v < 0 ? -1 : v;
}

enum { FIRST_MIGRATION = 11, LAST_MIGRATION = 13 }; /* copyKind: "Unified ..." above */
enum { COPY_BYTES = FIRST_OWN, COPY_KIND, COPY_SRC, COPY_DST, COPY_N };

static int take_copy(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct az_event e;
    struct az_copy c = { .bytes = byte_count(r, COPY_BYTES),
                         .op = small_code(r, COPY_KIND),
                         .src = small_code(r, COPY_SRC),
                         .dst = small_code(r, COPY_DST) };
    if (az_nsys_without_time(x, r, START, END, AZ_MEMCPY))
        return 0;
    c.migration = c.op >= FIRST_MIGRATION && c.op <= LAST_MIGRATION;
    int rc = common(x, r, &e);
    if (rc == 0)
        rc = label_of(x, ctx, az_nsys_i64(r, COPY_KIND), &e.name);
    if (rc == 0)
        rc = add_side(x, &c, &e);
    return rc == 0 ? az_nsys_add(x, AZ_MEMCPY, &e) : rc;
}

static int read_copies(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[COPY_N] = { COMMON_COLUMNS,
                                                        { "bytes", false },
                                                        { "copyKind", true },
                                                        { "srcKind", false },
                                                        { "dstKind", false } };
    struct labels labels = {
        "[CUDA memcpy ", "]", copy_labels, AZ_LENGTH(copy_labels), { .n = 0 }
    };
    struct labels old = { "[CUDA ", "]", old_copy_labels, AZ_LENGTH(old_copy_labels), { .n = 0 } };
    if (!az_nsys_has_table(x, "ENUM_CUDA_MEMCPY_OPER"))
        labels = old;
    az_trace_columns(x->t, AZ_MEMCPY, AZ_COL_CORR | AZ_COL_SIDE);
    int rc = open_labels(x, &labels, "ENUM_CUDA_MEMCPY_OPER");
    if (rc == 0)
        rc = az_nsys_each_numbers(x, COPIES, want, COPY_N, take_copy, &labels);
    az_map_release(&labels.known);
    return rc;
}

enum { FILL_BYTES = FIRST_OWN, FILL_KIND, FILL_N };

static int take_fill(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct az_event e;
    struct az_copy c = {
        .bytes = byte_count(r, FILL_BYTES), .op = -1, .src = -1, .dst = small_code(r, FILL_KIND)
    };
    (void)ctx;
    if (az_nsys_without_time(x, r, START, END, AZ_MEMSET))
        return 0;
    int rc = common(x, r, &e);
    e.name = az_trace_name(x->t, AZ_SV("[CUDA memset]"));
    if (rc == 0)
        rc = add_side(x, &c, &e);
    return rc == 0 ? az_nsys_add(x, AZ_MEMSET, &e) : rc;
}

static int read_fills(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[FILL_N] = { COMMON_COLUMNS,
                                                        { "bytes", false },
                                                        { "memKind", false } };
    az_trace_columns(x->t, AZ_MEMSET, AZ_COL_CORR | AZ_COL_SIDE);
    return az_nsys_each_numbers(x, FILLS, want, FILL_N, take_fill, NULL);
}

enum { CODE = FIRST_OWN, CODE_N };

/* One row per launch of a graph profiled as a whole: its kernels are not in the kernel table. */
static int take_graph(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct labels *l = ctx;
    struct az_event e;
    int64_t graph = az_nsys_i64(r, CODE);
    if (az_nsys_without_time(x, r, START, END, AZ_GRAPH))
        return 0;
    int rc = common(x, r, &e);
    e.name = az_map_get(&l->known, (uint64_t)graph, 0);
    if (rc == 0 && e.name == AZ_NO_ID) {
        rc = add_label(x, l, graph, az_arena_printf(&x->scratch, "%" PRId64, graph));
        e.name = az_map_get(&l->known, (uint64_t)graph, 0);
    }
    return rc == 0 ? az_nsys_add(x, AZ_GRAPH, &e) : rc;
}

static int read_graphs(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[CODE_N] = { COMMON_COLUMNS, { "graphId", false } };
    struct labels labels = { "[CUDA graph ", "]", NULL, 0, { .n = 0 } };
    az_trace_columns(x->t, AZ_GRAPH, AZ_COL_CORR);
    int rc = open_labels(x, &labels, NULL);
    if (rc == 0)
        rc = az_nsys_each_numbers(x, GRAPHS, want, CODE_N, take_graph, &labels);
    az_map_release(&labels.known);
    return rc;
}

static int take_sync(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct az_event e;
    if (az_nsys_without_time(x, r, START, END, AZ_SYNC))
        return 0;
    int rc = common(x, r, &e);
    if (rc == 0)
        rc = label_of(x, ctx, az_nsys_i64(r, CODE), &e.name);
    return rc == 0 ? az_nsys_add(x, AZ_SYNC, &e) : rc;
}

static int read_syncs(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[CODE_N] = { COMMON_COLUMNS, { "syncType", false } };
    struct labels labels = { "", "", sync_labels, AZ_LENGTH(sync_labels), { .n = 0 } };
    az_trace_columns(x->t, AZ_SYNC, AZ_COL_CORR);
    int rc = open_labels(x, &labels, "ENUM_CUPTI_SYNC_TYPE");
    if (rc == 0)
        rc = az_nsys_each_numbers(x, SYNCS, want, CODE_N, take_sync, &labels);
    az_map_release(&labels.known);
    return rc;
}

/* Work of graphics queues, which is in no account: events and their time. */
struct workload {
    uint64_t events;
    int64_t ns;
};

static int take_workload(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct workload *w = ctx;
    int64_t ns;
    (void)x;
    if (!az_nsys_is_number(r, 0) || !az_nsys_is_number(r, 1))
        return 0;
    w->events++;
    if (!__builtin_sub_overflow(az_nsys_i64(r, 1), az_nsys_i64(r, 0), &ns) && ns > 0)
        w->ns = az_add_sat(w->ns, ns);
    return 0;
}

static int skip_workloads(struct az_nsys_db *x)
{
    static const char *const tables[] = { "VULKAN_WORKLOAD", "OPENGL_WORKLOAD", "DX12_WORKLOAD" };
    static const struct az_nsys_column want[] = { { "start", true }, { "end", true } };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(tables); i++) {
        struct workload w = { 0 };
        rc = az_nsys_each_numbers(x, tables[i], want, AZ_LENGTH(want), take_workload, &w);
        if (rc == 0 && w.events)
            az_trace_skipped_work(x->t, az_sv_str(tables[i]), w.events, w.ns);
    }
    return rc;
}

void az_nsys_find_processes(struct az_nsys_db *x)
{
    static const char *const with_process[] = { KERNELS, COPIES, FILLS, GRAPHS };
    for (size_t i = 0; i < AZ_LENGTH(with_process); i++)
        if (az_nsys_has_table(x, with_process[i]) &&
            !az_nsys_has_column(x, with_process[i], "globalPid"))
            x->one_process = true;
}

int az_nsys_read_gpu(struct az_nsys_db *x)
{
    az_nsys_find_processes(x);
    int rc = read_kernels(x);
    if (rc == 0)
        rc = read_copies(x);
    if (rc == 0)
        rc = read_fills(x);
    if (rc == 0)
        rc = read_graphs(x);
    if (rc == 0)
        rc = read_syncs(x);
    return rc ? rc : skip_workloads(x);
}
