/* The tables of a rocpd database into the model (docs/formats-rocprof.md 4). Rows with NULL ids are
 * used: nothing is joined but by LEFT JOIN on a row number. */
#include <inttypes.h>

#include "base/num.h"
#include "formats/rocm/rocpd.h"
#include "text/jsonscan.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static int64_t column_i64(sqlite3_stmt *r, int i) { return sqlite3_column_int64(r, i); }
static bool is_null(sqlite3_stmt *r, int i) { return sqlite3_column_type(r, i) == SQLITE_NULL; }
static struct az_sv column_text(sqlite3_stmt *r, int i)
{
    const char *p = (const char *)sqlite3_column_text(r, i);
    int n = sqlite3_column_bytes(r, i);
    return p && n > 0 ? az_sv_make(p, (size_t)n) : AZ_SV("");
}

/* SELECT columns FROM table: the simple case. */
static int each_row(struct az_rocpd *x, const char *table, const char *const *columns, size_t n,
                    int (*fn)(struct az_rocpd *, sqlite3_stmt *))
{
    struct az_sv list;
    if (!az_rocpd_columns(x, table, "T", columns, n, &list))
        return 0;
    return az_rocpd_each(x, table,
                         az_arena_printf(&x->arena, "SELECT %.*s FROM %.*s T%.*s", AZ_SVF(list),
                                         AZ_SVF(az_rocpd_table(x, table)),
                                         AZ_SVF(az_rocpd_where(x, "T"))),
                         fn);
}

/* ---- ids ---- */

/* Name id of a row of rocpd_string; `none` for NULL and for ids that are not there. */
static int string(struct az_rocpd *x, sqlite3_stmt *row, int i, const char *none, uint32_t *id)
{
    uint32_t *at;
    bool added, null = is_null(row, i);
    int64_t key = null ? INT64_MIN : column_i64(row, i);
    int rc = az_map_put(&x->string_of, (uint64_t)key, (uintptr_t)none, AZ_NO_ID, &at, &added);
    if (rc)
        return rc;
    if (added) {
        struct az_sv s = az_sv_str(none);
        if (x->string && !null) {
            (void)sqlite3_reset(x->string);
            (void)sqlite3_bind_int64(x->string, 1, key);
            if (az_sqlite_step(&x->file, x->string) == SQLITE_ROW)
                s = column_text(x->string, 0);
            x->zero_strings += s.n > 0 && memchr(s.p, 0, s.n) != NULL;
        }
        *at = az_trace_name(x->r->t, s);
    }
    *id = *at;
    return 0;
}

static int32_t agent(struct az_rocpd *x, sqlite3_stmt *row, int i)
{
    uint32_t known =
        is_null(row, i) ? AZ_NO_ID : az_map_get(&x->agent_of, (uint64_t)column_i64(row, i), 0);
    int64_t id = column_i64(row, i);
    if (known != AZ_NO_ID)
        return (int32_t)known;
    return is_null(row, i) || id < 0 || id > INT32_MAX ? AZ_NO_AGENT : (int32_t)id;
}

/* OS id of a row of rocpd_info_thread. */
static int64_t thread(struct az_rocpd *x, sqlite3_stmt *row, int i)
{
    uint32_t at = az_map_get(&x->thread_of, (uint64_t)column_i64(row, i), 0);
    return at == AZ_NO_ID ? column_i64(row, i) : x->threads.v[at];
}

/* ---- info tables ---- */

static void add_fact(struct az_rocpd *x, const char *key, struct az_sv value)
{
    for (size_t i = 0; i < x->r->t->facts.n; i++)
        if (az_sv_is(x->r->t->facts.v[i].key, key))
            return;
    if (value.n)
        az_trace_fact(x->r->t, key, value);
}

static int take_metadata(struct az_rocpd *x, sqlite3_stmt *r)
{
    if (az_sv_is(column_text(r, 0), "schema_version"))
        add_fact(x, "schema_version", column_text(r, 1));
    return 0;
}

static int take_node(struct az_rocpd *x, sqlite3_stmt *r)
{
    add_fact(x, "hostname", column_text(r, 0));
    add_fact(x, "machine_id", column_text(r, 1));
    add_fact(x, "system_name", column_text(r, 2));
    add_fact(x, "release", column_text(r, 3));
    return 0;
}

static int take_process(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_process *p = az_rocprof_current(x->r);
    bool further = p->pid != 0; /* several rows: the span of all */
    int64_t init = column_i64(r, 1), fini = column_i64(r, 2);
    p->pid = x->r->pid = further ? p->pid : column_i64(r, 0);
    p->init = !further || (init > 0 && init < p->init) ? init : p->init;
    p->fini = !further || fini > p->fini ? fini : p->fini;
    add_fact(x, "command", column_text(r, 3));
    return 0;
}

static int take_thread(struct az_rocpd *x, sqlite3_stmt *r)
{
    uint32_t *at;
    bool added = false;
    if (is_null(r, 1))
        return 0;
    int rc = az_map_put(&x->thread_of, (uint64_t)column_i64(r, 0), 0, (uint32_t)x->threads.n, &at,
                        &added);
    return rc || !added ? rc : az_vec_push(&x->threads, column_i64(r, 1));
}

/* A number of an object in JSON text; 0 if it has none of that name. */
static int64_t json_number(struct az_sv json, const char *key)
{
    struct az_jview o;
    struct az_sv k, v;
    int64_t x;
    if (!az_jview_object(&o, json))
        return 0;
    while (az_jview_member(&o, &k, &v))
        if (az_sv_is(k, key) && az_parse_i64(v, &x) == 0)
            return x;
    return 0;
}

static struct az_sv json_text(struct az_rocpd *x, struct az_sv json, const char *key)
{
    struct az_jview o;
    struct az_sv k, v;
    if (!az_jview_object(&o, json))
        return AZ_SV("");
    while (az_jview_member(&o, &k, &v))
        if (az_sv_is(k, key) && v.n >= 2 && v.p[0] == '"')
            return az_json_unescape(&x->r->scratch, az_sv_make(v.p + 1, v.n - 2));
    return AZ_SV("");
}

static int take_agent(struct az_rocpd *x, sqlite3_stmt *r)
{
    int64_t index = !is_null(r, 2)   ? column_i64(r, 2)
                    : !is_null(r, 3) ? column_i64(r, 3)
                                     : column_i64(r, 0);
    uint32_t *at;
    bool added = false;
    if (index < 0 || index > INT32_MAX)
        return 0;
    int rc = az_map_put(&x->agent_of, (uint64_t)column_i64(r, 0), 0, (uint32_t)index, &at, &added);
    if (rc)
        return rc;
    bool gpu = az_sv_ieq(column_text(r, 1), AZ_SV("GPU"));
    struct az_sv product = az_arena_dup(&x->arena, column_text(r, 5)),
                 name = az_arena_dup(&x->arena, column_text(r, 4));
    return az_rocprof_agent(x->r, index, gpu, product.n ? product : name,
                            json_number(column_text(r, 6), "cu_count"), 0);
}

static int take_symbol(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rocpd_symbol y = { .vgpr = column_i64(r, 4),
                                 .agpr = column_i64(r, 5),
                                 .sgpr = column_i64(r, 6) };
    struct az_sv whole, shown, extra = column_text(r, 3);
    uint32_t *at;
    bool added = false;
    struct az_rocprof_symbol_names n = { .mangled = column_text(r, 1),
                                         .formatted = column_text(r, 2),
                                         .demangled = json_text(x, extra, "demangled_kernel_name"),
                                         .truncated =
                                             json_text(x, extra, "truncated_kernel_name") };
    if (n.formatted.n == 0)
        n.formatted = json_text(x, extra, "formatted_kernel_name");
    az_rocprof_choose_names(x->r, &n, &whole, &shown);
    y.shown = shown.n ? az_trace_name(x->r->t, shown)
                      : az_rocprof_unknown_kernel(x->r, (uint64_t)column_i64(r, 0));
    y.whole = whole.n ? az_trace_name(x->r->t, whole) : y.shown;
    const int rc = az_map_put(&x->symbol_of, (uint64_t)column_i64(r, 0), 0, (uint32_t)x->symbols.n,
                              &at, &added);
    az_arena_reset(&x->r->scratch);
    return rc || !added ? rc : az_vec_push(&x->symbols, y);
}

static int take_pmc(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_sv name = column_text(r, 1).n ? column_text(r, 1) : column_text(r, 2);
    uint32_t *at;
    bool added = false;
    return az_map_put(&x->pmc_of, (uint64_t)column_i64(r, 0), 0, az_trace_name(x->r->t, name), &at,
                      &added);
}

static int read_info(struct az_rocpd *x)
{
    static const char *const metadata[] = { "tag", "value" };
    static const char *const node[] = { "hostname", "machine_id", "system_name", "release" };
    static const char *const process[] = { "pid", "init", "fini", "command" };
    static const char *const threads[] = { "id", "tid" };
    static const char *const agents[] = { "id",   "type",         "logical_index", "absolute_index",
                                          "name", "product_name", "extdata" };
    static const char *const symbols[] = { "id",        "kernel_name",     "display_name",
                                           "extdata",   "arch_vgpr_count", "accum_vgpr_count",
                                           "sgpr_count" };
    static const char *const pmc[] = { "id", "symbol", "name" };
    static const struct {
        const char *table, *const *columns;
        size_t n;
        int (*take)(struct az_rocpd *, sqlite3_stmt *);
    } own_tables[] = {
        { "rocpd_info_node", node, COUNT(node), take_node },
        { "rocpd_info_process", process, COUNT(process), take_process },
        { "rocpd_info_thread", threads, COUNT(threads), take_thread },
        { "rocpd_info_agent", agents, COUNT(agents), take_agent },
        { "rocpd_info_kernel_symbol", symbols, COUNT(symbols), take_symbol },
        { "rocpd_info_pmc", pmc, COUNT(pmc), take_pmc },
    };
    struct az_rocpd_set all = *x->set;
    const struct az_rocpd_set *own = x->set;
    all.guid = AZ_SV("");
    x->set = &all; /* metadata has no guid */
    int rc = each_row(x, "rocpd_metadata", metadata, COUNT(metadata), take_metadata);
    x->set = own;
    for (size_t i = 0; rc == 0 && i < COUNT(own_tables); i++)
        rc = each_row(x, own_tables[i].table, own_tables[i].columns, own_tables[i].n,
                      own_tables[i].take);
    return rc;
}

/* ---- events ---- */

/* Columns of a table of events, then stack id and category of the row of rocpd_event that it names.
 */
static int each_event(struct az_rocpd *x, const char *table, const char *const *columns, size_t n,
                      int (*fn)(struct az_rocpd *, sqlite3_stmt *))
{
    static const char *const event[] = { "stack_id", "category_id" };
    struct az_sv list, of_event, join = AZ_SV("");
    if (!az_rocpd_columns(x, table, "T", columns, n, &list))
        return 0;
    if (az_rocpd_columns(x, "rocpd_event", "E", event, 2, &of_event) &&
        az_sv_find(list, AZ_SV("\"event_id\"")) >= 0)
        join = az_arena_printf(&x->arena, " LEFT JOIN %.*s E ON E.id=T.event_id%s",
                               AZ_SVF(az_rocpd_table(x, "rocpd_event")),
                               x->set->guid.n ? " AND E.guid=T.guid" : "");
    else
        of_event = AZ_SV("NULL,NULL");
    return az_rocpd_each(x, table,
                         az_arena_printf(&x->arena, "SELECT %.*s,%.*s FROM %.*s T%.*s%.*s",
                                         AZ_SVF(list), AZ_SVF(of_event),
                                         AZ_SVF(az_rocpd_table(x, table)), AZ_SVF(join),
                                         AZ_SVF(az_rocpd_where(x, "T"))),
                         fn);
}

enum {
    K_START,
    K_END,
    K_TID,
    K_AGENT,
    K_KERNEL,
    K_DISPATCH,
    K_QUEUE,
    K_STREAM,
    K_SCRATCH,
    K_LDS,
    K_BLOCK,
    K_GRID = K_BLOCK + 3,
    K_EVENT = K_GRID + 3,
    K_CORR
};
static const char *const kernel_columns[] = { "start",
                                              "end",
                                              "tid",
                                              "agent_id",
                                              "kernel_id",
                                              "dispatch_id",
                                              "queue_id",
                                              "stream_id",
                                              "private_segment_size",
                                              "group_segment_size",
                                              "workgroup_size_x",
                                              "workgroup_size_y",
                                              "workgroup_size_z",
                                              "grid_size_x",
                                              "grid_size_y",
                                              "grid_size_z",
                                              "event_id" };

static bool is_number(sqlite3_stmt *r, int i)
{
    const int type = sqlite3_column_type(r, i);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static bool without_time(struct az_rocpd *x, sqlite3_stmt *r, enum az_kind k)
{
    if (is_number(r, 0) && is_number(r, 1))
        return false;
    az_trace_lost(x->r->t, k, "rows without a start or an end", 1, 0);
    return true;
}

static int take_kernel(struct az_rocpd *x, sqlite3_stmt *r)
{
    int32_t a = agent(x, r, K_AGENT);
    uint32_t y = az_map_get(&x->symbol_of, (uint64_t)column_i64(r, K_KERNEL), 0);
    struct az_rocprof_kernel k = { .start = column_i64(r, K_START),
                                   .end = column_i64(r, K_END),
                                   .thread = thread(x, r, K_TID),
                                   .agent = a == AZ_NO_AGENT ? -1 : a,
                                   .queue = column_i64(r, K_QUEUE),
                                   .stream = column_i64(r, K_STREAM),
                                   .corr = (uint64_t)column_i64(r, K_CORR),
                                   .dispatch = (uint64_t)column_i64(r, K_DISPATCH) };
    int rc = 0;
    if (without_time(x, r, AZ_KERNEL))
        return 0;
    if (y == AZ_NO_ID) {
        k.name = az_rocprof_unknown_kernel(x->r, (uint64_t)column_i64(r, K_KERNEL));
        k.shape.whole = k.name;
        x->r->unnamed++;
    } else {
        rc = az_rocprof_shown_name(x->r, x->symbols.v[y].whole, x->symbols.v[y].shown, &k.name);
        k.shape = (struct az_dispatch_shape){ .whole = x->symbols.v[y].whole,
                                              .vgpr = az_rocprof_u32(x->symbols.v[y].vgpr),
                                              .agpr = az_rocprof_u32(x->symbols.v[y].agpr),
                                              .sgpr = az_rocprof_u32(x->symbols.v[y].sgpr) };
    }
    k.shape.scratch = az_rocprof_u32(column_i64(r, K_SCRATCH));
    k.shape.lds = az_rocprof_u32(column_i64(r, K_LDS));
    for (int i = 0; i < 3; i++) {
        k.shape.block[i] = az_rocprof_u32(column_i64(r, K_BLOCK + i));
        k.shape.grid[i] = az_rocprof_u32(column_i64(r, K_GRID + i));
    }
    return rc ? rc : az_rocprof_kernel(x->r, &k);
}

static int take_copy(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rocprof_copy c = { .start = column_i64(r, 0),
                                 .end = column_i64(r, 1),
                                 .src = agent(x, r, 3),
                                 .dst = agent(x, r, 4),
                                 .bytes = is_null(r, 5) ? -1 : column_i64(r, 5),
                                 .queue = column_i64(r, 6),
                                 .stream = column_i64(r, 7),
                                 .corr = (uint64_t)column_i64(r, 9) };
    if (without_time(x, r, AZ_MEMCPY))
        return 0;
    int rc = string(x, r, 2, az_rocprof_direction(x->r, c.src, c.dst), &c.name);
    return rc ? rc : az_rocprof_copy(x->r, &c);
}

/* The operation that the JSON output of the profiler calls it. */
static const char *alloc_name(struct az_sv type, struct az_sv level)
{
    bool free_it = az_sv_is(type, "FREE");
    if (az_sv_is(level, "SCRATCH"))
        return free_it                     ? "SCRATCH_MEMORY_FREE"
               : az_sv_is(type, "RECLAIM") ? "SCRATCH_MEMORY_ASYNC_RECLAIM"
                                           : "SCRATCH_MEMORY_ALLOC";
    if (az_sv_is(level, "VIRTUAL"))
        return free_it ? "MEMORY_ALLOCATION_VMEM_FREE" : "MEMORY_ALLOCATION_VMEM_ALLOCATE";
    return free_it ? "MEMORY_ALLOCATION_FREE" : "MEMORY_ALLOCATION_ALLOCATE";
}

static int take_alloc(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rocprof_alloc a = { .at = { .start = column_i64(r, 0),
                                          .end = column_i64(r, 1),
                                          .thread = thread(x, r, 2),
                                          .corr = (uint64_t)column_i64(r, 9) },
                                  .what = { .agent = agent(x, r, 3),
                                            .address = (uint64_t)column_i64(r, 6),
                                            .bytes = column_i64(r, 7) } };
    if (without_time(x, r, AZ_ALLOC))
        return 0;
    a.at.name = az_trace_name(x->r->t, az_sv_str(alloc_name(column_text(r, 4), column_text(r, 5))));
    return az_rocprof_alloc(x->r, &a);
}

static int add_span(struct az_rocpd *x, struct az_rocprof_span *s)
{
    bool marker = az_sv_starts(az_trace_text(x->r->t, s->domain), AZ_SV("MARKER"));
    return marker ? az_rocprof_range(x->r, s) : az_rocprof_call(x->r, s);
}

static int take_region(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rocprof_span s = { .start = column_i64(r, 0),
                                 .end = column_i64(r, 1),
                                 .thread = thread(x, r, 2),
                                 .corr = (uint64_t)column_i64(r, 5) };
    if (without_time(x, r, AZ_CALL))
        return 0;
    int rc = string(x, r, 3, "[unknown]", &s.name);
    if (rc == 0)
        rc = string(x, r, 6, "UNKNOWN", &s.domain);
    return rc ? rc : add_span(x, &s);
}

static int take_sample(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rocprof_span s = { .start = column_i64(r, 0),
                                 .end = column_i64(r, 0),
                                 .thread = thread(x, r, 1),
                                 .corr = (uint64_t)column_i64(r, 3) };
    if (!is_number(r, 0)) {
        az_trace_lost(x->r->t, AZ_CALL, "instant marks without a time", 1, 0);
        return 0;
    }
    int rc = string(x, r, 2, "[unknown]", &s.name);
    if (rc == 0)
        rc = string(x, r, 4, "UNKNOWN", &s.domain);
    return rc ? rc : add_span(x, &s);
}

static int take_counter(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_counter c = { .proc = x->r->proc,
                            .dispatch = (uint64_t)column_i64(r, 0),
                            .value = sqlite3_column_double(r, 3) };
    uint32_t y = az_map_get(&x->symbol_of, (uint64_t)column_i64(r, 1), 0);
    int rc = 0;
    if (is_null(r, 0)) {
        az_trace_dropped(x->r->t, AZ_DROP_LOST, "counters without a dispatch", 1, 0);
        return 0;
    }
    c.counter = az_map_get(&x->pmc_of, (uint64_t)column_i64(r, 2), 0);
    if (y != AZ_NO_ID)
        rc = az_rocprof_shown_name(x->r, x->symbols.v[y].whole, x->symbols.v[y].shown, &c.kernel);
    else
        c.kernel = az_rocprof_unknown_kernel(x->r, (uint64_t)column_i64(r, 1));
    if (c.counter == AZ_NO_ID)
        c.counter = az_trace_name(x->r->t,
                                  az_arena_printf(&x->arena, "counter_%" PRId64, column_i64(r, 2)));
    return rc ? rc : az_vec_push(&x->r->d->counters, c);
}

/* Instant marks: a row of a track. */
static int read_samples(struct az_rocpd *x)
{
    static const char *const sample[] = { "timestamp", "track_id", "event_id" },
                             *const track[] = { "name_id", "tid" },
                             *const event[] = { "stack_id", "category_id" };
    struct az_sv list;
    if (!az_rocpd_columns(x, "rocpd_sample", "T", sample, 3, &list) ||
        !az_rocpd_columns(x, "rocpd_track", "K", track, 2, &list) ||
        !az_rocpd_columns(x, "rocpd_event", "E", event, 2, &list))
        return 0;
    const char *guid = x->set->guid.n ? " AND K.guid=T.guid" : "",
               *same = x->set->guid.n ? " AND E.guid=T.guid" : "";
    struct az_sv sql = az_arena_printf(
        &x->arena,
        "SELECT T.timestamp,K.tid,K.name_id,E.stack_id,E.category_id FROM %.*s T LEFT JOIN %.*s "
        "K ON K.id=T.track_id%s "
        "LEFT JOIN %.*s E ON E.id=T.event_id%s%.*s",
        AZ_SVF(az_rocpd_table(x, "rocpd_sample")), AZ_SVF(az_rocpd_table(x, "rocpd_track")), guid,
        AZ_SVF(az_rocpd_table(x, "rocpd_event")), same, AZ_SVF(az_rocpd_where(x, "T")));
    return az_rocpd_each(x, "rocpd_sample", sql, take_sample);
}

static int read_counters(struct az_rocpd *x)
{
    static const char *const pmc[] = { "event_id", "pmc_id", "value" }, *const kernel[] = {
        "dispatch_id", "kernel_id", "event_id"
    };
    struct az_sv list;
    if (!az_rocpd_columns(x, "rocpd_pmc_event", "P", pmc, 3, &list) ||
        !az_rocpd_columns(x, "rocpd_kernel_dispatch", "K", kernel, 3, &list))
        return 0;
    struct az_sv sql =
        az_arena_printf(&x->arena,
                        "SELECT K.dispatch_id,K.kernel_id,P.pmc_id,P.value FROM %.*s P LEFT JOIN "
                        "%.*s K ON K.event_id=P.event_id%s%.*s",
                        AZ_SVF(az_rocpd_table(x, "rocpd_pmc_event")),
                        AZ_SVF(az_rocpd_table(x, "rocpd_kernel_dispatch")),
                        x->set->guid.n ? " AND K.guid=P.guid" : "", AZ_SVF(az_rocpd_where(x, "P")));
    return az_rocpd_each(x, "rocpd_pmc_event", sql, take_counter);
}

static int read_events(struct az_rocpd *x)
{
    static const char *const copy[] = { "start",        "end",          "name_id",
                                        "src_agent_id", "dst_agent_id", "size",
                                        "queue_id",     "stream_id",    "event_id" };
    static const char *const alloc[] = { "start", "end",     "tid",  "agent_id", "type",
                                         "level", "address", "size", "event_id" };
    static const char *const region[] = { "start", "end", "tid", "name_id", "event_id" };
    int rc =
        each_event(x, "rocpd_kernel_dispatch", kernel_columns, COUNT(kernel_columns), take_kernel);
    if (rc == 0)
        rc = each_event(x, "rocpd_memory_copy", copy, COUNT(copy), take_copy);
    if (rc == 0)
        rc = each_event(x, "rocpd_memory_allocate", alloc, COUNT(alloc), take_alloc);
    if (rc == 0)
        rc = each_event(x, "rocpd_region", region, COUNT(region), take_region);
    if (rc == 0)
        rc = read_samples(x);
    return rc == 0 ? read_counters(x) : rc;
}

int az_rocpd_read_set(struct az_rocpd *x)
{
    struct az_map *maps[] = { &x->string_of, &x->agent_of, &x->thread_of, &x->symbol_of,
                              &x->pmc_of };
    int rc = 0;
    az_vec_init(&x->threads, x->r->job->mem);
    az_vec_init(&x->symbols, x->r->job->mem);
    x->string = NULL;
    for (size_t i = 0; i < COUNT(maps); i++)
        az_map_init(maps[i], x->r->job->mem, 64);
    struct az_sv sql = az_arena_printf(&x->arena, "SELECT string FROM %.*s S WHERE S.id=?1%s%.*s%s",
                                       AZ_SVF(az_rocpd_table(x, "rocpd_string")),
                                       x->set->guid.n ? " AND S.guid='" : "", AZ_SVF(x->set->guid),
                                       x->set->guid.n ? "'" : "");
    if (rc == 0)
        rc = az_rocprof_process(x->r, 0, 0, 0);
    if (rc == 0 && sql.p)
        rc = az_sqlite_prepare(&x->file, sql.p, &x->string) == SQLITE_NOMEM
                 ? AZ_ENOMEM
                 : 0; /* no such table: no names */
    if (rc == 0)
        rc = read_info(x);
    if (rc == 0)
        rc = read_events(x);
    sqlite3_finalize(x->string);
    for (size_t i = 0; i < COUNT(maps); i++)
        az_map_release(maps[i]);
    az_vec_release(&x->threads);
    az_vec_release(&x->symbols);
    return rc;
}
