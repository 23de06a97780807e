/* Records of a results.json: dispatches, copies, allocations, calls, ROCTx ranges, counters, kernel
 * symbols (docs/formats-rocprof.md 2.3 to 2.5). */
#include "base/num.h"
#include "formats/rocm/rocprof_json.h"
#include "formats/shared/cut_records.h"

enum {
    R_KIND = 1,
    R_OPERATION,
    R_THREAD,
    R_CORR,
    R_START,
    R_END,
    R_DISPATCH,
    R_STREAM,
    R_SRC,
    R_DST,
    R_BYTES,
    R_AGENT,
    R_QUEUE,
    R_ADDRESS,
    R_ALLOC,
    R_DATA,
    R_RECORDS,
    R_VGPR,
    R_AGPR,
    R_SGPR
};
static const char *const record_keys[] = { "kind",
                                           "operation",
                                           "thread_id",
                                           "correlation_id",
                                           "start_timestamp",
                                           "end_timestamp",
                                           "dispatch_info",
                                           "stream_id",
                                           "src_agent_id",
                                           "dst_agent_id",
                                           "bytes",
                                           "agent_id",
                                           "queue_id",
                                           "address",
                                           "allocation_size",
                                           "dispatch_data",
                                           "records",
                                           "arch_vgpr_count",
                                           "accum_vgpr_count",
                                           "sgpr_count",
                                           "size",
                                           "flags",
                                           "args",
                                           "retval",
                                           "src_address",
                                           "dst_address",
                                           "lds_block_size_v",
                                           NULL };
enum { D_AGENT = 1, D_QUEUE, D_KERNEL, D_DISPATCH, D_SCRATCH, D_LDS, D_BLOCK, D_GRID };
static const char *const dispatch_keys[] = {
    "agent_id",           "queue_id",       "kernel_id", "dispatch_id", "private_segment_size",
    "group_segment_size", "workgroup_size", "grid_size", "size",        NULL
};
enum { C_INTERNAL = 1 };
static const char *const corr_keys[] = { "internal", "external", "ancestor", NULL };
static const char *const handle_keys[] = { "handle", NULL };
static const char *const xyz_keys[] = { "x", "y", "z", NULL };
/* One record as read. */
struct record {
    int64_t kind, operation, thread, start, end, bytes, alloc;
    int64_t vgpr, agpr, sgpr, scratch, lds, block[3], grid[3];
    uint64_t corr, stream, src, dst, agent, queue, kernel, dispatch;
    bool has_start, has_end, has_src, has_dst, has_agent, has_bytes;
    struct az_sv address, records;
};

void az_rocprof_json_record_keys_init(struct az_rocprof_json *j)
{
    az_jkeys_init(&j->record_keys, record_keys);
    az_jkeys_init(&j->dispatch_keys, dispatch_keys);
    az_jkeys_init(&j->handle_keys, handle_keys);
    az_jkeys_init(&j->corr_keys, corr_keys);
    az_jkeys_init(&j->xyz_keys, xyz_keys);
}

/* ---- values ---- */

int az_rocprof_json_number(struct az_jscan *s, int64_t *out, bool *has)
{
    const unsigned digit = (unsigned)(*s->p - '0');
    bool missing;
    if (digit <= 9 && az_json_ends_number(s->p[1])) { /* as most numbers of a record are */
        *out = digit;
        *has = true;
        s->p++;
        return AZ_JSON_OK;
    }
    int rc = az_json_i64(s, out, &missing);
    if (rc == AZ_JSON_OK && missing)
        *out = 0;
    *has = rc == AZ_JSON_OK && !missing;
    return rc;
}

/* Up to 2^64 - 1: handles and ids are opaque. */
int az_rocprof_json_unsigned(struct az_jscan *s, uint64_t *out)
{
    const char *from = s->p;
    int64_t v;
    bool has;
    int rc = az_rocprof_json_number(s, &v, &has);
    *out = (uint64_t)v;
    if (rc == AZ_JSON_OK && !has && az_parse_u64(az_sv_make(from, (size_t)(s->p - from)), out) != 0)
        *out = 0;
    return rc;
}

static size_t place_in(const struct az_rocprof_json *j, const void *out)
{
    return (size_t)((const char *)out - (const char *)j->now);
}

/* The number at the cursor into the record, and its place in the text. */
static int flagged(struct az_rocprof_json *j, struct az_jscan *s, int64_t *out, bool *has)
{
    az_json_template_place(&j->form, s->p, place_in(j, out));
    return az_rocprof_json_number(s, out, has);
}

static int number(struct az_rocprof_json *j, struct az_jscan *s, int64_t *out)
{
    bool has;
    return flagged(j, s, out, &has);
}

static int opaque(struct az_rocprof_json *j, struct az_jscan *s, uint64_t *out)
{
    az_json_template_place(&j->form, s->p, place_in(j, out));
    return az_rocprof_json_unsigned(s, out);
}

static int skip_value(struct az_rocprof_json *j, struct az_jscan *s)
{
    struct az_sv raw;
    az_json_template_place(&j->form, s->p, AZ_JSON_TEMPLATE_NOWHERE);
    return az_json_skip(s, &raw);
}

static int read_view(struct az_rocprof_json *j, struct az_jscan *s, struct az_sv *out)
{
    az_json_template_unfit(&j->form);
    return az_json_skip(s, out);
}

/* Where an object that begins at p is stored. */
static struct az_rocprof_json_object *place_of(struct az_rocprof_json_object *seen, const char *p)
{
    uint64_t from, to; /* the digits of both kinds of objects begin in these */
    memcpy(&from, p + 5, sizeof from);
    memcpy(&to, p + 10, sizeof to);
    return &seen[((from ^ to * 31) * UINT64_C(0x9e3779b97f4a7c15)) >> 59];
}

static bool is_seen(const struct az_rocprof_json_object *x, const char *p)
{
    return x->mask && az_equal32(p, x->text, x->mask);
}

static void keep_seen(struct az_rocprof_json_object *x, const char *p, const char *end,
                      const int64_t *v, size_t values)
{
    const size_t n = (size_t)(end - p);
    if (n > sizeof x->text)
        return;
    memset(x->text, 0, sizeof x->text);
    memcpy(x->text, p, n);
    memcpy(x->v, v, values * sizeof *v);
    x->mask = n == 32 ? UINT32_MAX : ((uint32_t)1 << n) - 1;
    x->len = (uint8_t)n;
}

static int handle_object(struct az_rocprof_json *j, struct az_jscan *s, uint64_t *out)
{
    s->p++;
    int k = az_json_first_key(s, &j->handle_keys);
    while (k >= 0) {
        int rc = k == 1 ? opaque(j, s, out) : skip_value(j, s);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->handle_keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

/* {"handle": N}, or a bare number */
static int handle(struct az_rocprof_json *j, struct az_jscan *s, uint64_t *out)
{
    const char *from = s->p;
    if (*from != '{')
        return opaque(j, s, out);
    struct az_rocprof_json_object *x = place_of(j->seen_handle, from);
    if (!j->form.learning && is_seen(x, from)) {
        *out = (uint64_t)x->v[0];
        s->p += x->len;
        return AZ_JSON_OK;
    }
    *out = 0;
    az_json_template_clear(&j->form, place_in(j, out));
    const int rc = handle_object(j, s, out);
    const int64_t v = (int64_t)*out;
    if (rc == AZ_JSON_OK)
        keep_seen(x, from, s->p, &v, 1);
    return rc;
}

static int correlation(struct az_rocprof_json *j, struct az_jscan *s, uint64_t *out)
{
    if (*s->p != '{')
        return opaque(j, s, out);
    s->p++;
    int k = az_json_first_key(s, &j->corr_keys);
    while (k >= 0) {
        int rc = k == C_INTERNAL ? opaque(j, s, out) : skip_value(j, s);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->corr_keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static int xyz_object(struct az_rocprof_json *j, struct az_jscan *s, int64_t out[3])
{
    s->p++;
    int k = az_json_first_key(s, &j->xyz_keys);
    while (k >= 0) {
        int rc = k > 0 ? number(j, s, &out[k - 1]) : skip_value(j, s);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->xyz_keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static int read_xyz(struct az_rocprof_json *j, struct az_jscan *s, int64_t out[3])
{
    const char *from = s->p;
    if (*from != '{')
        return skip_value(j, s);
    struct az_rocprof_json_object *x = place_of(j->seen_xyz, from);
    if (!j->form.learning && is_seen(x, from)) {
        memcpy(out, x->v, sizeof x->v);
        s->p += x->len;
        return AZ_JSON_OK;
    }
    memset(out, 0, sizeof x->v);
    for (int i = 0; i < 3; i++)
        az_json_template_clear(&j->form, place_in(j, &out[i]));
    const int rc = xyz_object(j, s, out);
    if (rc == AZ_JSON_OK)
        keep_seen(x, from, s->p, out, 3);
    return rc;
}

static int dispatch_info(struct az_rocprof_json *j, struct az_jscan *s, struct record *e)
{
    if (*s->p != '{')
        return skip_value(j, s);
    s->p++;
    int k = az_json_first_key(s, &j->dispatch_keys);
    while (k >= 0) {
        int rc;
        switch (k) {
        case D_AGENT:
            rc = handle(j, s, &e->agent);
            e->has_agent = true;
            break;
        case D_QUEUE:
            rc = handle(j, s, &e->queue);
            break;
        case D_KERNEL:
            rc = opaque(j, s, &e->kernel);
            break;
        case D_DISPATCH:
            rc = opaque(j, s, &e->dispatch);
            break;
        case D_SCRATCH:
            rc = number(j, s, &e->scratch);
            break;
        case D_LDS:
            rc = number(j, s, &e->lds);
            break;
        case D_BLOCK:
            rc = read_xyz(j, s, e->block);
            break;
        case D_GRID:
            rc = read_xyz(j, s, e->grid);
            break;
        default:
            rc = skip_value(j, s);
        }
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->dispatch_keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static int members(struct az_rocprof_json *j, struct az_jscan *s, struct record *e, bool inner);

/* "dispatch_data" of a counter record: the members of a dispatch record. */
static int dispatch_data(struct az_rocprof_json *j, struct az_jscan *s, struct record *e,
                         bool inner)
{
    if (inner || *s->p != '{')
        return skip_value(j, s);
    s->p++;
    return members(j, s, e, true);
}

static int member(struct az_rocprof_json *j, struct az_jscan *s, struct record *e, int key,
                  bool inner)
{
    switch (key) {
    case R_KIND:
        return number(j, s, &e->kind);
    case R_OPERATION:
        return number(j, s, &e->operation);
    case R_THREAD:
        return number(j, s, &e->thread);
    case R_CORR:
        return correlation(j, s, &e->corr);
    case R_START:
        return flagged(j, s, &e->start, &e->has_start);
    case R_END:
        return flagged(j, s, &e->end, &e->has_end);
    case R_DISPATCH:
        return dispatch_info(j, s, e);
    case R_STREAM:
        return handle(j, s, &e->stream);
    case R_SRC:
        e->has_src = true;
        return handle(j, s, &e->src);
    case R_DST:
        e->has_dst = true;
        return handle(j, s, &e->dst);
    case R_BYTES:
        return flagged(j, s, &e->bytes, &e->has_bytes);
    case R_AGENT:
        e->has_agent = true;
        return handle(j, s, &e->agent);
    case R_QUEUE:
        return handle(j, s, &e->queue);
    case R_ADDRESS:
        return read_view(j, s, &e->address);
    case R_ALLOC:
        return number(j, s, &e->alloc);
    case R_DATA:
        return dispatch_data(j, s, e, inner);
    case R_RECORDS:
        return read_view(j, s, &e->records);
    case R_VGPR:
        return number(j, s, &e->vgpr);
    case R_AGPR:
        return number(j, s, &e->agpr);
    case R_SGPR:
        return number(j, s, &e->sgpr);
    default:
        return skip_value(j, s);
    }
}

static int members(struct az_rocprof_json *j, struct az_jscan *s, struct record *e, bool inner)
{
    int k = az_json_first_key(s, &j->record_keys);
    while (k >= 0) {
        int rc = member(j, s, e, k, inner);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->record_keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

/* ---- into the model ---- */
enum { AGENTS_LATE = 4096 };

/* Number of a handle whose agent is still to be read. A file has few agents; more than AGENTS_LATE
 * are not distinguished.
 */
static int64_t late_number(struct az_rocprof_json *j, uint64_t handle)
{
    size_t i = 0;
    while (i < j->handles.n && j->handles.v[i] != handle)
        i++;
    if (i < j->handles.n)
        return (int64_t)i;
    if (i == AGENTS_LATE)
        return -1;
    az_vec_add(&j->handles, handle);
    return (int64_t)i;
}

int64_t az_rocprof_json_agent_index(const struct az_rocprof_json *j, uint64_t agent)
{
    uint32_t known = az_map_get(&j->agent_of, agent, 0);
    if (known != AZ_NO_ID)
        return known;
    return agent <= INT32_MAX ? (int64_t)agent
                              : -1; /* an agent that the file does not list: its handle */
}

static int64_t agent_number(struct az_rocprof_json *j, uint64_t agent)
{
    return j->late_agents ? late_number(j, agent) : az_rocprof_json_agent_index(j, agent);
}

static int32_t route_end(struct az_rocprof_json *j, bool has, uint64_t agent)
{
    return has ? (int32_t)agent_number(j, agent) : AZ_NO_AGENT;
}

int az_rocprof_json_kernel_number(struct az_rocprof_json *j, uint64_t id, uint32_t *number)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&j->kernel_of, id, 0, (uint32_t)j->symbols.n, &at, &added);
    if (rc)
        return rc;
    *number = *at;
    return added ? az_vec_push(&j->symbols, ((struct az_rocprof_json_symbol){
                                                .whole_id = AZ_NO_ID, .shown_id = AZ_NO_ID }))
                 : 0;
}

int az_rocprof_json_counter_number(struct az_rocprof_json *j, uint64_t id, uint32_t *number)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&j->counter_of, id, 0, (uint32_t)j->counter_names.n, &at, &added);
    if (rc)
        return rc;
    *number = *at;
    return added ? az_vec_push(&j->counter_names,
                               ((struct az_rocprof_json_counter){ .id = id, .name = AZ_NO_ID }))
                 : 0;
}

/* Kind and operation in one number, replaced when the process ends. */
static uint32_t operation_code(const struct record *e)
{
    bool fits = e->kind >= 0 && e->kind < 4095 && e->operation >= 0 && e->operation < 1 << 20;
    return fits ? (uint32_t)(e->kind << 20 | e->operation) : UINT32_MAX - 1;
}

static int add_kernel(struct az_rocprof_json *j, const struct record *e)
{
    struct az_rocprof_kernel k = { .start = e->start,
                                   .end = e->end,
                                   .thread = e->thread,
                                   .agent = agent_number(j, e->agent),
                                   .queue = (int64_t)e->queue,
                                   .stream = (int64_t)e->stream,
                                   .corr = e->corr,
                                   .dispatch = e->dispatch };
    uint32_t shape;
    int rc = az_rocprof_json_kernel_number(j, e->kernel, &k.name);
    k.shape.whole = k.name;
    k.shape.scratch = az_rocprof_u32(e->scratch);
    k.shape.lds = az_rocprof_u32(e->lds);
    for (int i = 0; i < 3; i++) {
        k.shape.grid[i] = az_rocprof_u32(e->grid[i]);
        k.shape.block[i] = az_rocprof_u32(e->block[i]);
    }
    if (rc == 0 && j->array == RJ_COUNTERS && !az_rocprof_is_counted_cut(j->r))
        return az_rocprof_counted(j->r, &k);
    if (rc == 0)
        rc = az_dispatch_shape(&j->shapes, &k.shape, &shape);
    return rc ? rc : az_rocprof_kernel_row(j->r, &k, shape);
}

static int add_counters(struct az_rocprof_json *j, const struct record *e)
{
    struct az_counter c = { .proc = j->r->proc, .dispatch = e->dispatch };
    struct az_jview list, object, inner;
    struct az_sv item, key, value, name;
    int rc = az_rocprof_json_kernel_number(j, e->kernel, &c.kernel);
    if (rc || !az_jview_array(&list, e->records))
        return rc;
    while (rc == 0 && az_jview_next(&list, &item) && az_jview_object(&object, item)) {
        uint64_t id = 0;
        c.value = 0;
        while (az_jview_member(&object, &key, &value)) {
            if (az_sv_is(key, "value") && az_parse_f64(value, &c.value) != 0)
                c.value = 0;
            if (!az_sv_is(key, "counter_id") || !az_jview_object(&inner, value))
                continue;
            while (az_jview_member(&inner, &name, &value))
                if (az_sv_is(name, "handle") && az_parse_u64(value, &id) != 0)
                    id = 0;
        }
        rc = az_rocprof_json_counter_number(j, id, &c.counter);
        if (rc == 0 && !j->r->t->cut_log)
            rc = az_vec_push(&j->r->d->counters, c);
    }
    return rc;
}

/* "0x00007f..." in quotes, or a number */
static uint64_t address(struct az_sv raw)
{
    uint64_t v = 0;
    if (raw.n >= 2 && raw.p[0] == '"')
        raw = az_sv_make(raw.p + 1, raw.n - 2);
    if (!az_sv_starts(raw, AZ_SV("0x")))
        return az_parse_u64(raw, &v) == 0 ? v : 0;
    for (size_t i = 2; i < raw.n; i++) {
        char c = raw.p[i];
        unsigned digit =
            c >= '0' && c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 32u) - 'a' + 10u;
        if (digit > 15)
            return 0;
        v = v << 4 | digit;
    }
    return v;
}

static int add_record(struct az_rocprof_json *j, const struct record *e)
{
    struct az_rocprof_span span = { .start = e->start,
                                    .end = e->end,
                                    .thread = e->thread,
                                    .corr = e->corr,
                                    .name = operation_code(e),
                                    .domain = (uint32_t)(e->kind & 0xfff) };
    switch (j->array) {
    case RJ_KERNELS:
        return add_kernel(j, e);
    case RJ_COUNTERS: {
        int rc = add_counters(j, e);
        return rc ? rc : add_kernel(j, e);
    }
    case RJ_COPIES: {
        struct az_rocprof_copy c = { .start = e->start,
                                     .end = e->end,
                                     .stream = (int64_t)e->stream,
                                     .corr = e->corr,
                                     .bytes = e->has_bytes ? e->bytes : -1,
                                     .src = route_end(j, e->has_src, e->src),
                                     .dst = route_end(j, e->has_dst, e->dst),
                                     .name = span.name };
        return az_rocprof_copy(j->r, &c);
    }
    case RJ_ALLOCS:
    case RJ_SCRATCH: {
        const bool known =
            e->has_agent && (j->late_agents || az_map_get(&j->agent_of, e->agent, 0) != AZ_NO_ID);
        struct az_rocprof_alloc a = { .at = span,
                                      .what = { .bytes = e->alloc,
                                                .address = address(e->address),
                                                .agent = known ? (int32_t)agent_number(j, e->agent)
                                                               : AZ_NO_AGENT } };
        return az_rocprof_alloc(j->r, &a);
    }
    case RJ_MARKERS:
        return az_rocprof_range(j->r, &span);
    case RJ_CALLS:
        break;
    }
    return az_rocprof_call(j->r, &span);
}

/* The record at the cursor by its keys. */
static int read_members(struct az_rocprof_json *j, struct az_jscan *s, struct record *e)
{
    const char *from = s->p;
    *e = (struct record){ .kind = -1, .operation = -1 };
    j->now = e;
    az_json_template_begin(&j->form);
    const int rc = members(j, s, e, false);
    if (rc == AZ_JSON_OK)
        az_json_template_end(&j->form, from, s->p, e, sizeof *e);
    return rc;
}

static int read_record(void *ctx, struct az_jscan *s)
{
    struct az_rocprof_json *j = ctx;
    struct record e;
    if (!az_json_template_read(&j->form, s, &e, sizeof e)) {
        const int rc = read_members(j, s, &e);
        if (rc != AZ_JSON_OK)
            return rc;
    }
    if (e.has_start && e.has_end)
        return add_record(j, &e);
    const bool device = j->array == RJ_KERNELS || j->array == RJ_COUNTERS || j->array == RJ_COPIES;
    j->no_time += !device;
    j->no_device_time += device;
    return AZ_JSON_OK;
}

int az_rocprof_json_record(void *ctx, struct az_jscan *s)
{
    struct az_rocprof_json *j = ctx;
    return az_cut_json_record(j->r->t->cut_log, s, read_record, j);
}
