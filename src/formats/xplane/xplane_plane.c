/* XPlane: planes, lines, events, stats. Lines may precede the metadata they use, so that a plane is
 * read in two passes.
 */
#include "formats/xplane/xplane.h"

int az_xplane_bad(struct az_xplane *r, const uint8_t *at, const char *what)
{
    if (!r->bad) {
        r->bad = (const uint8_t *)r->bytes.p + az_xplane_offset_of(&r->block, at);
        r->what = what;
    }
    return AZ_EFORMAT;
}

static const struct {
    const char *name;
    enum az_xplane_role role;
} roles[] = {
    { "correlation_id", XP_CORRELATION },
    { "program_id", XP_PROGRAM },
    { "hlo_op", XP_HLO_OP },
    { "hlo_module", XP_HLO_MODULE },
    { "name", XP_SCOPE },
    { "kernel_details", XP_KERNEL_DETAILS },
    { "memcpy_details", XP_COPY_DETAILS },
    { "Memset_details", XP_COPY_DETAILS },
    { "memset_details", XP_COPY_DETAILS },
    { "device_id", XP_DEVICE },
    { "step_num", XP_STEP },
    { "hlo_category", XP_CATEGORY },
    { "flops", XP_FLOPS },
    { "bytes_accessed", XP_BYTES },
    { "tf_op", XP_TF_OP },
    { "Hlo Proto", XP_HLO_PROTO },
    { "hlo_proto", XP_HLO_PROTO },
    { "device_vendor", XP_VENDOR },
    { "core_count", XP_UNITS },
    { "clock_rate", XP_CLOCK },
    { "memory_bandwidth", XP_MEMORY_BANDWIDTH },
    { "memory_size", XP_MEMORY_SIZE },
    { "device_type_string", XP_DEVICE_TYPE },
    { "gpu_device_name", XP_DEVICE_TYPE },
    { "peak_teraflops_per_second", XP_PEAK_TFLOPS },
    { "peak_hbm_bw_gigabytes_per_second", XP_PEAK_HBM },
    { "profile_start_time", XP_START_TIME },
    { "profile_stop_time", XP_STOP_TIME },
};

static uint8_t role_of(struct az_sv name)
{
    for (size_t i = 0; i < AZ_LENGTH(roles); i++)
        if (az_sv_is(name, roles[i].name))
            return (uint8_t)roles[i].role;
    return XP_NONE;
}

/* ---- ids ---- */
uint32_t az_xplane_find_sparse(const struct az_xplane_ids *ids, uint64_t id)
{
    return az_map_get(&ids->sparse, id, 0);
}

static int put_id(struct az_xplane_ids *ids, uint64_t id, uint32_t row, size_t expected)
{
    if (id < 1024 + 4 * (uint64_t)expected) {
        while (ids->dense.n <= id) {
            int rc = az_vec_push(&ids->dense, AZ_NO_ID);
            if (rc)
                return rc;
        }
        ids->dense.v[id] = row;
        return AZ_OK;
    }
    uint32_t *at;
    bool added;
    int rc = AZ_OK;
    if (!ids->is_sparse)
        az_map_init(&ids->sparse, ids->dense.mem, expected);
    ids->is_sparse = ids->is_sparse || rc == 0;
    if (rc == 0)
        rc = az_map_put(&ids->sparse, id, 0, row, &at, &added);
    if (rc == 0)
        *at = row;
    return rc;
}

static void reset_ids(struct az_xplane_ids *ids)
{
    az_vec_reset(&ids->dense);
    if (ids->is_sparse)
        az_map_release(&ids->sparse);
    ids->is_sparse = false;
}

void az_xplane_plane_init(struct az_xplane *r)
{
    az_vec_init(&r->fields, r->job->mem);
    az_xplane_block_init(&r->block, &r->map, r->bytes, r->job->mem);
    az_vec_init(&r->metas, r->job->mem);
    az_vec_init(&r->stat_names, r->job->mem);
    az_vec_init(&r->lines, r->job->mem);
    az_vec_init(&r->plane_stats, r->job->mem);
    az_vec_init(&r->meta_ids.dense, r->job->mem);
    az_vec_init(&r->stat_ids.dense, r->job->mem);
    az_vec_init(&r->modules, r->job->mem);
    az_vec_init(&r->geometry, r->job->mem);
    az_vec_init(&r->stats, r->job->mem);
}

void az_xplane_plane_release(struct az_xplane *r)
{
    reset_ids(&r->meta_ids);
    reset_ids(&r->stat_ids);
    az_vec_release(&r->fields);
    az_xplane_block_release(&r->block);
    az_vec_release(&r->metas);
    az_vec_release(&r->stat_names);
    az_vec_release(&r->lines);
    az_vec_release(&r->plane_stats);
    az_vec_release(&r->meta_ids.dense);
    az_vec_release(&r->stat_ids.dense);
    az_vec_release(&r->modules);
    az_vec_release(&r->geometry);
    az_vec_release(&r->stats);
    if (r->has_told)
        az_map_release(&r->stats_of);
    r->has_told = false;
}

/* ---- first pass ---- */

/* A map entry {1: key, 2: value}. */
static int entry(struct az_xplane *r, struct az_sv bytes, uint64_t *key, struct az_sv *value)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v = 0;
    int rc;
    *key = 0;
    *value = (struct az_sv){ "", 0 };
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0) {
        if (field == 1 && wire == AZ_PROTOBUF_INT)
            *key = v;
        else if (field == 2 && wire == AZ_PROTOBUF_BYTES)
            *value = b;
    }
    return rc < 0 ? az_xplane_bad(r, m.p, "a metadata entry") : AZ_OK;
}

static int add_meta(struct az_xplane *r, struct az_sv bytes)
{
    struct az_xplane_meta row = { .text = AZ_NO_ID, .min = INT64_MAX, .max = INT64_MIN };
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    int rc = entry(r, bytes, &row.id, &row.body);
    if (rc)
        return rc;
    struct az_protobuf m = az_protobuf_of(row.body);
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0) {
        if (wire != AZ_PROTOBUF_BYTES)
            continue;
        if (field == 2)
            row.name = b;
        else if (field == 4)
            row.display = b;
    }
    return rc < 0 ? az_xplane_bad(r, m.p, "event metadata") : az_vec_push(&r->metas, row);
}

static int add_stat_name(struct az_xplane *r, struct az_sv bytes)
{
    struct az_xplane_stat_name row = { .text = AZ_NO_ID };
    struct az_sv value, b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    int rc = entry(r, bytes, &row.id, &value);
    if (rc)
        return rc;
    struct az_protobuf m = az_protobuf_of(value);
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0)
        if (field == 2 && wire == AZ_PROTOBUF_BYTES)
            row.name = b;
    if (rc < 0)
        return az_xplane_bad(r, m.p, "stat metadata");
    row.role = role_of(row.name);
    if (row.id < sizeof r->look)
        r->look[row.id] =
            row.role == XP_CORRELATION || row.role == XP_DEVICE || row.role == XP_STEP;
    return az_vec_push(&r->stat_names, row);
}

static int index_ids(struct az_xplane *r)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->metas.n; i++)
        rc = put_id(&r->meta_ids, r->metas.v[i].id, (uint32_t)i, r->metas.n);
    for (size_t i = 0; rc == 0 && i < r->stat_names.n; i++)
        rc = put_id(&r->stat_ids, r->stat_names.v[i].id, (uint32_t)i, r->stat_names.n);
    return rc;
}

int az_xplane_plane(struct az_xplane *r, struct az_sv plane)
{
    struct az_protobuf m = az_protobuf_of(plane);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    int rc, did = AZ_OK;
    az_vec_reset(&r->metas);
    az_vec_reset(&r->stat_names);
    az_vec_reset(&r->lines);
    az_vec_reset(&r->plane_stats);
    reset_ids(&r->meta_ids);
    reset_ids(&r->stat_ids);
    az_vec_reset(&r->stats);
    if (r->has_told)
        az_map_release(&r->stats_of);
    r->has_told = false;
    r->plane_name = (struct az_sv){ "", 0 };
    memset(r->look, 0, sizeof r->look);
    while (did == 0 && (rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0) {
        if (wire != AZ_PROTOBUF_BYTES)
            continue;
        if (field == 2)
            r->plane_name = b;
        else if (field == 3)
            did = az_vec_push(&r->lines, b);
        else if (field == 4)
            did = add_meta(r, b);
        else if (field == 5)
            did = add_stat_name(r, b);
        else if (field == 6)
            did = az_vec_push(&r->plane_stats, b);
    }
    if (did)
        return did;
    if (rc < 0 && !r->cut)
        return az_xplane_bad(r, m.p, "a plane");
    return index_ids(r);
}

/* ---- lines, events, stats ---- */

/* Name, id and time. They precede the events in every file seen, but need not: where one is missing
 * at the first event, the events are skipped by their length. */
int az_xplane_line(struct az_xplane *r, struct az_sv line, struct az_xplane_line *out)
{
    struct az_protobuf m = az_protobuf_of(line);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v = 0;
    bool timed = false, known = false;
    int rc;
    *out = (struct az_xplane_line){ .body = line };
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0) {
        if (field == 4 && out->name.n && timed &&
            known) /* the rest are events; fields may come in any order */
            return AZ_OK;
        if (field == 1 && wire == AZ_PROTOBUF_INT) {
            known = true;
            out->id = (int64_t)v;
        } else if (field == 2 && wire == AZ_PROTOBUF_BYTES)
            out->name = b;
        else if (field == 3 && wire == AZ_PROTOBUF_INT && (timed = true))
            out->timestamp_ns = (int64_t)v;
        else if (field == 11 && wire == AZ_PROTOBUF_BYTES)
            out->display = b;
    }
    return rc < 0 ? az_xplane_bad(r, m.p, "a line") : AZ_OK;
}

struct az_sv az_xplane_text(const struct az_xplane *r, const struct az_xplane_value *v)
{
    if (v->kind != 7)
        return v->bytes;
    const uint32_t i = az_xplane_find(&r->stat_ids, v->number);
    return i == AZ_NO_ID ? (struct az_sv){ "", 0 } : r->stat_names.v[i].name;
}

uint32_t az_xplane_name(struct az_xplane *r, const struct az_xplane_value *v)
{
    if (v->kind == 5 || v->kind == 6)
        return v->bytes.n ? az_trace_name(r->t, v->bytes) : AZ_NO_ID;
    const uint32_t i = v->kind == 7 ? az_xplane_find(&r->stat_ids, v->number) : AZ_NO_ID;
    if (i == AZ_NO_ID)
        return AZ_NO_ID;
    struct az_xplane_stat_name *s = &r->stat_names.v[i];
    if (s->text == AZ_NO_ID && s->name.n)
        s->text = az_trace_name(r->t, s->name);
    return s->text;
}

uint32_t az_xplane_meta_name(struct az_xplane *r, struct az_xplane_meta *m)
{
    if (m->text == AZ_NO_ID)
        m->text = az_trace_name(r->t, m->name);
    return m->text;
}

bool az_xplane_times(struct az_xplane *r, const struct az_xplane_line *l,
                     const struct az_xplane_event *e, int64_t *start, int64_t *end)
{
    const int64_t most = INT64_C(1)
                         << 61; /* 26 days: what differences of times may not overflow by */
    int64_t base;
    if (!__builtin_sub_overflow(l->timestamp_ns, r->origin_ns, &base) &&
        !__builtin_mul_overflow(base, 1000, &base) &&
        !__builtin_add_overflow(base, e->offset, start) &&
        !__builtin_add_overflow(*start, e->duration, end) && e->duration >= 0 && *start > -most &&
        *end < most)
        return true;
    r->bad_times[r->of_device]++;
    return false;
}

int az_xplane_lane(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane,
                   enum az_xlane_role role, uint32_t *lane)
{
    const bool device = role != AZ_XLANE_HOST;
    struct az_lane row = { .device_side = device,
                           .tid = (uint64_t)l->id,
                           .device = device ? r->x->planes.v[plane].ordinal : -1,
                           .context = device ? plane : 0 };
    row.label = az_trace_name(r->t, l->name.n ? l->name : l->display);
    return az_xtrace_lane(r->t, &row, role, lane);
}
