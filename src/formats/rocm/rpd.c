/* Databases of rocmProfileData (.rpd): calls, their operations on devices and what joins them
 * (docs/formats-rocprof.md 4.1). */
#include <inttypes.h>

#include "base/num.h"
#include "formats/rocm/rocpd.h"

enum launch {
    L_NAME,
    L_PID,
    L_STREAM,
    L_GRID,
    L_BLOCK = 6,
    L_LDS = 9,
    L_SCRATCH,
    L_BYTES,
    L_COPY_STREAM
};

struct az_rpd {
    struct az_rocpd *x;
    struct az_map link_of;   /* id of an operation -> number in `links` */
    struct az_vec_i64 links; /* ids of calls */
    struct az_map name_of;   /* id of a string -> name id */
    struct az_map stream_of; /* name id of its handle -> its number */
    sqlite3_stmt *launch, *string, *args;
    uint32_t domain[3]; /* of calls without one: of the recorder, of HIP, of CUDA */
    bool work_items;    /* grids count work-items, whatever the call */
};

static int64_t number(sqlite3_stmt *r, int i) { return sqlite3_column_int64(r, i); }
static bool is_null(sqlite3_stmt *r, int i) { return sqlite3_column_type(r, i) == SQLITE_NULL; }
/* A time: neither NULL nor text. */
static bool is_time(sqlite3_stmt *r, int i)
{
    const int type = sqlite3_column_type(r, i);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}
static struct az_sv column_text(sqlite3_stmt *r, int i)
{
    const char *p = (const char *)sqlite3_column_text(r, i);
    const int n = sqlite3_column_bytes(r, i);
    return p && n > 0 ? az_sv_make(p, (size_t)n) : AZ_SV("");
}

/* The one row of a statement for this id; false: none. */
static bool find_row(struct az_rpd *p, sqlite3_stmt *st, int64_t id)
{
    if (!st)
        return false;
    (void)sqlite3_reset(st);
    (void)sqlite3_bind_int64(st, 1, id);
    return az_sqlite_step(&p->x->file, st) == SQLITE_ROW;
}

/* Name id of a string; AZ_NO_ID: there is none of this id, or it is empty. */
static int string(struct az_rpd *p, int64_t id, uint32_t *name)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&p->name_of, (uint64_t)id, 0, AZ_NO_ID, &at, &added);
    if (rc == 0 && added && find_row(p, p->string, id)) {
        const struct az_sv s = column_text(p->string, 0);
        p->x->zero_strings += s.n > 0 && memchr(s.p, 0, s.n) != NULL;
        *at = s.n ? az_trace_name(p->x->r->t, s) : AZ_NO_ID;
    }
    *name = rc ? AZ_NO_ID : *at;
    return rc;
}

static struct az_sv name_text(const struct az_rpd *p, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_SV("") : az_trace_text(p->x->r->t, name);
}

/* ---- operations ---- */

static int take_link(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rpd *p = x->rpd;
    uint32_t *at;
    bool added;
    if (is_null(r, 0) || is_null(r, 1))
        return 0;
    int rc = az_map_put(&p->link_of, (uint64_t)number(r, 1), 0, (uint32_t)p->links.n, &at, &added);
    return rc || !added ? rc : az_vec_push(&p->links, number(r, 0));
}

/* "0x7f9f3915ad70" -> 1, 2, ... in order of appearance; the default stream is 0. */
static int stream_number(struct az_rpd *p, struct az_sv handle, int64_t *stream)
{
    uint32_t *at;
    bool added;
    *stream = 0;
    if (handle.n == 0 || az_sv_is(handle, "0x0") || az_sv_is(handle, "(nil)"))
        return 0;
    const int rc = az_map_put(&p->stream_of, az_trace_name(p->x->r->t, handle), 0,
                              (uint32_t)p->stream_of.n + 1, &at, &added);
    *stream = rc ? 0 : *at;
    return rc;
}

static uint32_t size_of(sqlite3_stmt *r, int i) { return az_rocprof_u32(number(r, i)); }

/* Sizes of a launch. HIP counts a grid in blocks but for hipExt... and hipHcc... calls. */
static int read_shape(struct az_rpd *p, struct az_rocprof_kernel *k)
{
    sqlite3_stmt *r = p->launch;
    uint32_t name;
    int rc = string(p, number(r, L_NAME), &name);
    const struct az_sv call = name_text(p, name);
    const bool items =
        p->work_items || az_sv_starts(call, AZ_SV("hipExt")) || az_sv_starts(call, AZ_SV("hipHcc"));
    for (int i = 0; i < 3; i++) {
        const uint64_t block = size_of(r, L_BLOCK + i), grid = size_of(r, L_GRID + i),
                       all = items ? grid : grid * block;
        k->shape.block[i] = (uint32_t)block;
        k->shape.grid[i] = all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
    }
    k->shape.lds = size_of(r, L_LDS);
    k->shape.scratch = size_of(r, L_SCRATCH);
    const struct az_sv stream = column_text(r, L_STREAM);
    return rc ? rc
              : stream_number(p, stream.n ? stream : column_text(r, L_COPY_STREAM), &k->stream);
}

static bool has_either(struct az_sv text, const char *a, const char *b)
{
    return az_sv_find(text, az_sv_str(a)) >= 0 || az_sv_find(text, az_sv_str(b)) >= 0;
}

bool az_rpd_is_barrier(struct az_sv type) { return has_either(type, "Barrier", "Marker"); }

/* The direction of a copy, from its type or description, as rocprofv3 names it. */
static const char *direction(struct az_sv text)
{
    return has_either(text, "HostToDevice", "HOST_TO_DEVICE")       ? "MEMORY_COPY_HOST_TO_DEVICE"
           : has_either(text, "DeviceToHost", "DEVICE_TO_HOST")     ? "MEMORY_COPY_DEVICE_TO_HOST"
           : has_either(text, "DeviceToDevice", "DEVICE_TO_DEVICE") ? "MEMORY_COPY_DEVICE_TO_DEVICE"
           : has_either(text, "PeerToPeer", "PEER")                 ? "MEMORY_COPY_DEVICE_TO_DEVICE"
           : has_either(text, "HostToHost", "HOST_TO_HOST")         ? "MEMORY_COPY_HOST_TO_HOST"
                                                                    : NULL;
}

static int add_copy(struct az_rpd *p, const struct az_rocprof_kernel *k, struct az_sv type,
                    struct az_sv description, int64_t bytes)
{
    const char *known = direction(type);
    known = known ? known : direction(description);
    struct az_rocprof_copy c = { .start = k->start,
                                 .end = k->end,
                                 .queue = k->queue,
                                 .stream = k->stream,
                                 .bytes = bytes,
                                 .src = (int32_t)k->agent,
                                 .dst = (int32_t)k->agent,
                                 .corr = k->corr };
    const struct az_sv name = known ? az_sv_str(known) : type;
    c.dst = az_sv_ends(name, AZ_SV("TO_HOST")) ? AZ_NO_AGENT : c.dst;
    c.src = known && az_sv_find(name, AZ_SV("HOST_TO")) >= 0 ? AZ_NO_AGENT : c.src;
    c.name = az_trace_name(p->x->r->t, name);
    return az_rocprof_copy(p->x->r, &c);
}

/* The call of an operation: its process, and sizes of what it launched or copied. */
static int read_call(struct az_rpd *p, int64_t op, struct az_rocprof_kernel *k, int64_t *bytes)
{
    const uint32_t link = az_map_get(&p->link_of, (uint64_t)op, 0);
    if (link == AZ_NO_ID)
        return az_rocprof_select(p->x->r, 0);
    k->corr = (uint64_t)p->links.v[link];
    if (!find_row(p, p->launch, p->links.v[link]))
        return az_rocprof_select(p->x->r, 0);
    const int rc = az_rocprof_select(p->x->r, number(p->launch, L_PID));
    if (sqlite3_column_type(p->launch, L_BYTES) == SQLITE_INTEGER)
        *bytes = number(p->launch, L_BYTES);
    return rc ? rc : read_shape(p, k);
}

enum operation { O_ID, O_GPU, O_QUEUE, O_START, O_END, O_DESCRIPTION, O_TYPE };
static const char *const operation_columns[] = { "id",  "gpuId",          "queueId",  "start",
                                                 "end", "description_id", "opType_id" };

static int add_operation(struct az_rpd *p, struct az_rocprof_kernel *k, struct az_sv type,
                         uint32_t description, int64_t bytes)
{
    struct az_rocprof *r = p->x->r;
    int rc = az_rocprof_agent(r, k->agent, true, AZ_SV(""), 0, 0);
    if (rc)
        return rc;
    if (has_either(type, "Copy", "COPY") || az_sv_starts(type, AZ_SV("Memcpy")))
        return add_copy(p, k, type, name_text(p, description), bytes);
    k->shape.whole = description;
    if (description == AZ_NO_ID) /* "FillBuffer"; "Task": a kernel of a graph without a name */
        k->shape.whole = az_trace_name(r->t, type.n ? type : AZ_SV("unknown"));
    else
        k->shape.whole =
            az_trace_name(r->t, az_rocprof_formatted(az_trace_text(r->t, description)));
    return az_rocprof_kernel(r, k);
}

static int take_operation(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rpd *p = x->rpd;
    struct az_rocprof_kernel k = { .start = number(r, O_START),
                                   .end = number(r, O_END),
                                   .agent = number(r, O_GPU),
                                   .queue = number(r, O_QUEUE),
                                   .dispatch = (uint64_t)number(r, O_ID),
                                   .name = AZ_NO_ID };
    uint32_t description, type;
    int64_t bytes = -1;
    if (!is_time(r, O_START) || !is_time(r, O_END)) {
        az_trace_lost(x->r->t, AZ_KERNEL, "events without timestamps", 1, 0);
        return 0;
    }
    if (k.agent < 0 || k.agent > INT32_MAX)
        k.agent = 0;
    int rc = string(p, number(r, O_DESCRIPTION), &description);
    if (rc == 0)
        rc = string(p, number(r, O_TYPE), &type);
    if (rc == 0)
        rc = read_call(p, k.dispatch > INT64_MAX ? 0 : (int64_t)k.dispatch, &k, &bytes);
    const struct az_sv kind = rc ? AZ_SV("") : name_text(p, type);
    if (rc == 0 && az_rpd_is_barrier(kind)) {
        az_trace_dropped(x->r->t, AZ_DROP_NOT_MODELLED, "barriers of queues", 1, 0);
        return 0;
    }
    return rc ? rc : add_operation(p, &k, kind, description, bytes);
}

/* ---- calls ---- */

enum call { A_ID, A_PID, A_TID, A_START, A_END, A_NAME, A_ARGS, A_DOMAIN };
static const char *const call_columns[] = { "id",  "pid",        "tid",     "start",
                                            "end", "apiName_id", "args_id", "domain_id" };

bool az_rpd_is_own_function(struct az_sv name)
{
    static const char *const runtime[] = { "hip", "__hip", "hsa",  "cu",  "__cu",
                                           "roc", "nccl",  "rccl", "rpd", "hcc_" };
    for (size_t i = 0; i < AZ_LENGTH(runtime); i++)
        if (az_sv_starts(name, az_sv_str(runtime[i])))
            return false;
    return name.n > 0 && !az_sv_ends(name, AZ_SV("Table::writeRows"));
}

/* A marker is a range or an instant mark with its text, a function of the program a range; as long
 * as the recorder's schema is below 3 there are no domains. */
static int take_call(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rpd *p = x->rpd;
    struct az_rocprof_span s = { .start = number(r, A_START),
                                 .end = number(r, A_END),
                                 .thread = number(r, A_TID),
                                 .corr = (uint64_t)number(r, A_ID) };
    if (!is_time(r, A_START) || !is_time(r, A_END)) {
        az_trace_lost(x->r->t, AZ_CALL, "events without timestamps", 1, 0);
        return 0;
    }
    int rc = az_rocprof_select(x->r, number(r, A_PID));
    if (rc == 0)
        rc = string(p, number(r, A_NAME), &s.name);
    if (rc == 0)
        rc = string(p, is_null(r, A_DOMAIN) ? -1 : number(r, A_DOMAIN), &s.domain);
    if (rc)
        return rc;
    const struct az_sv name = name_text(p, s.name);
    if (az_sv_is(name, "UserMarker")) {
        const struct az_sv args =
            find_row(p, p->args, number(r, A_ARGS)) ? column_text(p->args, 0) : AZ_SV("");
        s.name = az_trace_name(x->r->t, args.n ? args : name);
        return az_rocprof_range(x->r, &s);
    }
    if (az_rpd_is_own_function(name))
        return az_rocprof_range(x->r, &s);
    if (s.name == AZ_NO_ID)
        s.name = az_trace_name(x->r->t, AZ_SV("unknown"));
    if (s.domain == AZ_NO_ID)
        s.domain = p->domain[az_sv_starts(name, AZ_SV("hip"))  ? 1
                             : az_sv_starts(name, AZ_SV("cu")) ? 2
                                                               : 0];
    return az_rocprof_call(x->r, &s);
}

/* ---- the database ---- */

static int each_row(struct az_rocpd *x, const char *table, const char *const *columns, size_t n,
                    int (*fn)(struct az_rocpd *, sqlite3_stmt *))
{
    struct az_sv list;
    if (!az_rocpd_columns(x, table, "T", columns, n, &list))
        return 0;
    return az_rocpd_each(
        x, table, az_arena_printf(&x->arena, "SELECT %.*s FROM %s T", AZ_SVF(list), table), fn);
}

static int prepare(struct az_rpd *p, struct az_sv sql, sqlite3_stmt **st)
{
    if (!sql.p)
        return az_arena_error(&p->x->arena);
    /* a table that is missing: nothing is found */
    return az_sqlite_prepare(&p->x->file, sql.p, st) == SQLITE_NOMEM ? AZ_ENOMEM : 0;
}

static int prepare_all(struct az_rpd *p)
{
    static const char *const kernel[] = { "stream",
                                          "gridX",
                                          "gridY",
                                          "gridZ",
                                          "workgroupX",
                                          "workgroupY",
                                          "workgroupZ",
                                          "groupSegmentSize",
                                          "privateSegmentSize" };
    static const char *const copy[] = { "size", "stream" };
    struct az_arena *a = &p->x->arena;
    struct az_sv k, c;
    const bool kernels = az_rocpd_columns(p->x, "rocpd_kernelapi", "K", kernel, 9, &k),
               copies = az_rocpd_columns(p->x, "rocpd_copyapi", "C", copy, 2, &c),
               own = az_rocpd_columns(p->x, "rocpd_ustring", "U", (const char *[]){ "string" }, 1,
                                      &(struct az_sv){ NULL, 0 });
    int rc = prepare(
        p,
        az_arena_printf(a, "SELECT P.apiName_id,P.pid,%.*s,%.*s FROM rocpd_api P%s%s WHERE P.id=?1",
                        AZ_SVF(k), AZ_SVF(c),
                        kernels ? " LEFT JOIN rocpd_kernelapi K ON K.api_ptr_id=P.id" : "",
                        copies ? " LEFT JOIN rocpd_copyapi C ON C.api_ptr_id=P.id" : ""),
        &p->launch);
    if (rc == 0)
        rc = prepare(p, AZ_SV("SELECT string FROM rocpd_string WHERE id=?1"), &p->string);
    if (rc == 0)
        rc = prepare(p,
                     own ? AZ_SV("SELECT string FROM rocpd_ustring WHERE id=?1")
                         : AZ_SV("SELECT string FROM rocpd_string WHERE id=?1"),
                     &p->args);
    static const char *const domains[] = { "RPD", "HIP_API", "CUDA_API" };
    for (int i = 0; i < 3; i++)
        p->domain[i] = az_trace_name(p->x->r->t, az_sv_str(domains[i]));
    return rc;
}

static int take_version(struct az_rocpd *x, sqlite3_stmt *r)
{
    if (az_sv_is(column_text(r, 0), "schema_version"))
        az_trace_fact(x->r->t, "schema_version", az_arena_dup(&x->r->t->arena, column_text(r, 1)));
    return 0;
}

static int take_source(struct az_rocpd *x, sqlite3_stmt *r)
{
    struct az_rpd *p = x->rpd;
    p->work_items |= number(r, 0) > 0;
    return 0;
}

static int take_samples(struct az_rocpd *x, sqlite3_stmt *r)
{
    if (number(r, 0) > 0)
        az_trace_dropped(x->r->t, AZ_DROP_NOT_MODELLED, "samples of clocks and power",
                         (uint64_t)number(r, 0), 0);
    return 0;
}

static int read_tables(struct az_rpd *p)
{
    static const char *const version[] = { "tag", "value" }, *const link[] = { "api_id", "op_id" };
    struct az_rocpd *x = p->x;
    struct az_sv list;
    int rc = prepare_all(p);
    if (rc == 0)
        rc = each_row(x, "rocpd_metadata", version, 2, take_version);
    if (rc == 0) /* the names that rocprofiler-sdk gives copies: it counts work-items */
        rc = az_rocpd_each(x, "rocpd_string",
                           AZ_SV("SELECT count(*) FROM rocpd_string WHERE "
                                 "substr(string,1,12)='MEMORY_COPY_'"),
                           take_source);
    if (rc == 0)
        rc = each_row(x, "rocpd_api", call_columns, AZ_LENGTH(call_columns), take_call);
    if (rc == 0)
        rc = each_row(x, "rocpd_api_ops", link, 2, take_link);
    if (rc == 0)
        rc = each_row(x, "rocpd_op", operation_columns, AZ_LENGTH(operation_columns),
                      take_operation);
    if (rc == 0 && az_rocpd_columns(x, "rocpd_monitor", "T", (const char *[]){ "id" }, 1, &list))
        rc = az_rocpd_each(x, "rocpd_monitor", AZ_SV("SELECT count(*) FROM rocpd_monitor"),
                           take_samples);
    return rc;
}

bool az_rpd_is(struct az_rocpd *x)
{
    static const struct az_rocpd_set plain = { { "", 0 }, { "", 0 } };
    static const char *const operation[] = { "gpuId", "opType_id" }, *const string_id[] = { "id" };
    struct az_sv list;
    x->set = &plain;
    return az_rocpd_columns(x, "rocpd_op", "T", operation, 2, &list) &&
           az_sv_find(list, AZ_SV("NULL")) < 0 &&
           az_rocpd_columns(x, "rocpd_string", "T", string_id, 1, &list);
}

int az_rpd_read(struct az_rocpd *x)
{
    struct az_rpd p = { .x = x };
    struct az_map *maps[] = { &p.link_of, &p.name_of, &p.stream_of };
    x->rpd = &p;
    az_vec_init(&p.links, x->r->job->mem);
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_init(maps[i], x->r->job->mem, 64);
    int rc = az_rocprof_process(x->r, 0, 0, 0);
    if (rc == 0)
        rc = read_tables(&p);
    sqlite3_finalize(p.launch);
    sqlite3_finalize(p.string);
    sqlite3_finalize(p.args);
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_release(maps[i]);
    az_vec_release(&p.links);
    x->rpd = NULL;
    return rc;
}
