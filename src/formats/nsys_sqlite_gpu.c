/* Device side of an SQLite export: kernels, copies, fills, graph launches, synchronisation (spec/nsys.md 3.2, 3.3). */
#include <inttypes.h>

#include "formats/nsys_sqlite.h"

/* The first columns of every device table, in this order in its query. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORR, PID, FIRST_OWN };
#define COMMON_COLUMNS                                                                                                 \
    { "start", true }, { "end", true }, { "deviceId", false }, { "contextId", false }, { "streamId", false },          \
        { "correlationId", false }, { "globalPid", false }

static int common(struct nsys_db *x, const struct nsys_query *q, struct az_event *e)
{
    *e = (struct az_event){ .start = nsys_i64(q, START),
                            .end = nsys_i64(q, END),
                            .name = AZ_NO_ID,
                            .side = AZ_NO_ROW,
                            .corr = (uint64_t)nsys_i64(q, CORR) };
    x->t->read++;
    return nsys_device_lane(x, (uint64_t)nsys_i64(q, PID), nsys_i64(q, DEVICE), (uint64_t)nsys_i64(q, CONTEXT),
                            (uint64_t)nsys_i64(q, STREAM) & 0xffffffff, &e->lane);
}

/* ---- labels of enumerations ---- */

struct labels {
    const char *prefix, *suffix;
    const char *const *fallback; /* labels of 0 .. n-1 where the table is absent */
    size_t n;
    struct az_map known; /* (code, 0) -> name id */
};

static int add_label(struct nsys_db *x, struct labels *l, int64_t code, struct az_sv label)
{
    uint32_t id = AZ_NO_ID, *value;
    bool added;
    struct az_sv name = az_arena_printf(&x->scratch, "%s%.*s%s", l->prefix, AZ_SVF(label), l->suffix);
    if (!name.p)
        return az_arena_error(&x->scratch);
    int rc = az_trace_name(x->t, name, &id);
    return rc == 0 ? az_map_put(&l->known, (uint64_t)code, 0, id, &value, &added) : rc;
}

/* Codes and labels of an ENUM_ table; codes that it lacks are left to the fallback. */
static int open_labels(struct nsys_db *x, struct labels *l, const char *table)
{
    static const struct nsys_want want[] = { { "id", true }, { "label", true } };
    struct nsys_query q;
    int rc = az_map_init(&l->known, x->job->mem, 0);
    if (rc == 0)
        rc = nsys_query_open(x, &q, table, want, 2);
    if (rc <= 0)
        return rc;
    while ((rc = nsys_query_next(x, &q)) == 1) {
        rc = nsys_is_null(&q, 1) ? 0 : add_label(x, l, nsys_i64(&q, 0), nsys_text(&q, 1));
        if (rc != 0)
            break;
    }
    nsys_query_close(&q);
    return rc;
}

static int label_of(struct nsys_db *x, struct labels *l, int64_t code, uint32_t *id)
{
    *id = az_map_get(&l->known, (uint64_t)code, 0);
    if (*id != AZ_NO_ID)
        return 0;
    struct az_sv text = code >= 0 && (size_t)code < l->n ? az_sv_str(l->fallback[code])
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
static const char *const sync_labels[] = { "Unknown", "Event sync", "Stream wait sync", "Stream sync", "Context sync" };

/* ---- tables ---- */

#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define COPIES  "CUPTI_ACTIVITY_KIND_MEMCPY"
#define FILLS   "CUPTI_ACTIVITY_KIND_MEMSET"
#define GRAPHS  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
#define SYNCS   "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"

static const char *kernel_name_column(struct nsys_db *x)
{
    struct az_sv form = x->job->opts->kernel_names;
    const char *column = az_sv_ieq(form, AZ_SV("short"))     ? "shortName"
                         : az_sv_ieq(form, AZ_SV("mangled")) ? "mangledName"
                                                             : "demangledName";
    if (!nsys_has_table(x, KERNELS) || nsys_has_column(x, KERNELS, column))
        return column;
    const char *other = nsys_has_column(x, KERNELS, "demangledName") ? "demangledName" : "shortName";
    az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path), "table '" KERNELS "' has no column '%s': '%s' is used",
                column, other);
    return other;
}

static int read_kernels(struct nsys_db *x)
{
    enum { NAME = FIRST_OWN, NODE, N };
    struct nsys_want want[N] = { COMMON_COLUMNS, { kernel_name_column(x), true }, { "graphNodeId", false } };
    struct nsys_query q;
    struct az_event e;
    int rc = nsys_query_open(x, &q, KERNELS, want, N);
    if (rc <= 0)
        return rc;
    az_trace_columns(x->t, AZ_KERNEL, AZ_COL_CORR | (q.at[NODE] >= 0 ? AZ_COL_NODE : 0u));
    while ((rc = nsys_query_next(x, &q)) == 1) {
        rc = common(x, &q, &e);
        if (rc == 0)
            rc = nsys_name(x, &x->names, nsys_i64(&q, NAME), &e.name);
        e.node = (uint64_t)nsys_i64(&q, NODE);
        if (rc == 0)
            rc = nsys_add(x, AZ_KERNEL, &e);
        if (rc != 0)
            break;
    }
    nsys_query_close(&q);
    return rc;
}

static int add_side(struct nsys_db *x, const struct az_copy *c, struct az_event *e)
{
    if (x->t->copies.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    e->side = (uint32_t)x->t->copies.n;
    return az_vec_push(&x->t->copies, *c);
}

static int16_t small_code(const struct nsys_query *q, int column)
{
    int64_t v = nsys_is_null(q, column) ? -1 : nsys_i64(q, column);
    return (int16_t)(v >= -1 && v <= INT16_MAX ? v : -1);
}

static int64_t byte_count(const struct nsys_query *q, int column)
{
    int64_t v = nsys_is_null(q, column) ? -1 : nsys_i64(q, column);
    return v < 0 ? -1 : v;
}

static int read_copies(struct nsys_db *x)
{
    enum { BYTES = FIRST_OWN, KIND, SRC, DST, N };
    static const struct nsys_want want[N] = { COMMON_COLUMNS, { "bytes", false }, { "copyKind", true },
                                              { "srcKind", false }, { "dstKind", false } };
    struct labels labels = { "[CUDA memcpy ", "]", copy_labels, sizeof copy_labels / sizeof *copy_labels, { .n = 0 } };
    struct nsys_query q;
    struct az_event e;
    int rc = nsys_query_open(x, &q, COPIES, want, N);
    if (rc <= 0)
        return rc;
    rc = open_labels(x, &labels, "ENUM_CUDA_MEMCPY_OPER");
    az_trace_columns(x->t, AZ_MEMCPY, AZ_COL_CORR | AZ_COL_SIDE);
    while (rc == 0 && (rc = nsys_query_next(x, &q)) == 1) {
        struct az_copy c = { .bytes = byte_count(&q, BYTES),
                             .op = small_code(&q, KIND),
                             .src = small_code(&q, SRC),
                             .dst = small_code(&q, DST) };
        rc = common(x, &q, &e);
        if (rc == 0)
            rc = label_of(x, &labels, nsys_i64(&q, KIND), &e.name);
        if (rc == 0)
            rc = add_side(x, &c, &e);
        if (rc == 0)
            rc = nsys_add(x, AZ_MEMCPY, &e);
    }
    az_map_release(&labels.known);
    nsys_query_close(&q);
    return rc;
}

static int read_fills(struct nsys_db *x)
{
    enum { BYTES = FIRST_OWN, KIND, N };
    static const struct nsys_want want[N] = { COMMON_COLUMNS, { "bytes", false }, { "memKind", false } };
    struct nsys_query q;
    struct az_event e;
    uint32_t name;
    int rc = nsys_query_open(x, &q, FILLS, want, N);
    if (rc <= 0)
        return rc;
    rc = az_trace_name(x->t, AZ_SV("[CUDA memset]"), &name);
    az_trace_columns(x->t, AZ_MEMSET, AZ_COL_CORR | AZ_COL_SIDE);
    while (rc == 0 && (rc = nsys_query_next(x, &q)) == 1) {
        struct az_copy c = { .bytes = byte_count(&q, BYTES), .op = -1, .src = -1, .dst = small_code(&q, KIND) };
        rc = common(x, &q, &e);
        e.name = name;
        if (rc == 0)
            rc = add_side(x, &c, &e);
        if (rc == 0)
            rc = nsys_add(x, AZ_MEMSET, &e);
    }
    nsys_query_close(&q);
    return rc;
}

/* One row per launch of a graph profiled as a whole: its kernels are not in the kernel table. */
static int read_graphs(struct nsys_db *x)
{
    enum { GRAPH = FIRST_OWN, N };
    static const struct nsys_want want[N] = { COMMON_COLUMNS, { "graphId", false } };
    struct labels labels = { "[CUDA graph ", "]", NULL, 0, { .n = 0 } };
    struct nsys_query q;
    struct az_event e;
    int rc = nsys_query_open(x, &q, GRAPHS, want, N);
    if (rc <= 0)
        return rc;
    rc = az_map_init(&labels.known, x->job->mem, 0);
    az_trace_columns(x->t, AZ_GRAPH, AZ_COL_CORR);
    while (rc == 0 && (rc = nsys_query_next(x, &q)) == 1) {
        int64_t graph = nsys_i64(&q, GRAPH);
        rc = common(x, &q, &e);
        e.name = az_map_get(&labels.known, (uint64_t)graph, 0);
        if (rc == 0 && e.name == AZ_NO_ID) {
            rc = add_label(x, &labels, graph, az_arena_printf(&x->scratch, "%" PRId64, graph));
            e.name = az_map_get(&labels.known, (uint64_t)graph, 0);
        }
        if (rc == 0)
            rc = nsys_add(x, AZ_GRAPH, &e);
    }
    az_map_release(&labels.known);
    nsys_query_close(&q);
    return rc;
}

static int read_syncs(struct nsys_db *x)
{
    enum { TYPE = FIRST_OWN, N };
    static const struct nsys_want want[N] = { COMMON_COLUMNS, { "syncType", false } };
    struct labels labels = { "", "", sync_labels, sizeof sync_labels / sizeof *sync_labels, { .n = 0 } };
    struct nsys_query q;
    struct az_event e;
    int rc = nsys_query_open(x, &q, SYNCS, want, N);
    if (rc <= 0)
        return rc;
    rc = open_labels(x, &labels, "ENUM_CUPTI_SYNC_TYPE");
    az_trace_columns(x->t, AZ_SYNC, AZ_COL_CORR);
    while (rc == 0 && (rc = nsys_query_next(x, &q)) == 1) {
        rc = common(x, &q, &e);
        if (rc == 0)
            rc = label_of(x, &labels, nsys_i64(&q, TYPE), &e.name);
        if (rc == 0)
            rc = nsys_add(x, AZ_SYNC, &e);
    }
    az_map_release(&labels.known);
    nsys_query_close(&q);
    return rc;
}

int nsys_read_gpu(struct nsys_db *x)
{
    static const char *const with_process[] = { KERNELS, COPIES, FILLS, GRAPHS };
    for (size_t i = 0; i < sizeof with_process / sizeof *with_process; i++)
        if (nsys_has_table(x, with_process[i]) && !nsys_has_column(x, with_process[i], "globalPid"))
            x->one_process = true;
    int rc = read_kernels(x);
    if (rc == 0)
        rc = read_copies(x);
    if (rc == 0)
        rc = read_fills(x);
    if (rc == 0)
        rc = read_graphs(x);
    if (rc == 0)
        rc = read_syncs(x);
    return rc;
}
