/* XPlane profiles (JAX, TensorFlow; GPU and TPU): the file, its planes, and messages. */
#include <inttypes.h>

#include "base/human.h"
#include "base/num.h"
#include "base/utf8.h"
#include "formats/list.h"
#include "formats/xplane/xplane.h"

#include "formats/shared/cut_records.h"
#include "io/path.h"
#include "io/unpacked.h"

/* A complete, valid top level of an XSpace: fields 1 to 4, all length-delimited. */
static bool top_level(uint32_t field, unsigned wire)
{
    return field >= 1 && field <= 4 && wire == AZ_PROTOBUF_BYTES;
}

/* ---- planes ---- */

/* "/device:GPU:7" -> 7. False for variants such as " SparseCore". */
bool az_xplane_ordinal(struct az_sv name, struct az_sv prefix, int64_t *ordinal)
{
    return az_sv_starts(name, prefix) && name.n > prefix.n && name.p[prefix.n] != '-' &&
           name.p[prefix.n] != '+' &&
           az_parse_i64(az_sv_make(name.p + prefix.n, name.n - prefix.n), ordinal) == 0;
}

static int text_stat(struct az_xplane *r, const struct az_xplane_value *v, struct az_sv *out)
{
    *out = az_arena_dup(&r->t->arena, az_xplane_text(r, v));
    return out->p ? AZ_OK : az_arena_error(&r->t->arena);
}

static int plane_stat(struct az_xplane *r, const struct az_xplane_value *v, struct az_plane *p)
{
    switch (v->role) {
    case XP_VENDOR:
        return text_stat(r, v, &p->vendor);
    case XP_DEVICE_TYPE:
        return text_stat(r, v, &p->type);
    case XP_UNITS:
        p->units =
            az_xplane_real(v) >= 0 && az_xplane_real(v) < 1e9 ? (int64_t)az_xplane_real(v) : 0;
        break;
    case XP_CLOCK:
        p->clock_khz = (int64_t)v->number;
        break;
    case XP_MEMORY_SIZE:
        p->memory_bytes = (int64_t)v->number;
        break;
    case XP_MEMORY_BANDWIDTH:
        p->memory_bandwidth = (int64_t)v->number;
        break;
    case XP_PEAK_TFLOPS:
        p->peak_tflops = az_xplane_real(v);
        break;
    case XP_PEAK_HBM:
        p->peak_hbm_gbps = az_xplane_real(v);
        break;
    default:
        break;
    }
    return AZ_OK;
}

/* The device of this plane; planes of one name are one device (files put together have several). */
int az_xplane_device(struct az_xplane *r, enum az_plane_kind kind, int64_t ordinal, uint32_t *index)
{
    struct az_plane p = {
        .kind = kind, .ordinal = ordinal, .vendor = { "", 0 }, .type = { "", 0 }
    };
    for (size_t i = 0; i < r->x->planes.n; i++) {
        if (r->x->planes.v[i].kind == kind && r->x->planes.v[i].ordinal == ordinal) {
            *index = (uint32_t)i;
            return AZ_OK;
        }
    }
    for (size_t i = 0; i < r->plane_stats.n; i++) {
        struct az_xplane_value v;
        int rc = az_xplane_stat(r, r->plane_stats.v[i], &v);
        if (rc > 0)
            rc = plane_stat(r, &v, &p);
        if (rc)
            return rc;
    }
    *index = (uint32_t)r->x->planes.n;
    return az_vec_push(&r->x->planes, p);
}

static int environment(struct az_xplane *r)
{
    for (size_t i = 0; i < r->plane_stats.n; i++) {
        struct az_xplane_value v;
        const int rc = az_xplane_stat(r, r->plane_stats.v[i], &v);
        if (rc < 0)
            return rc;
        if (v.role == XP_START_TIME && !r->x->profile_start_ns)
            r->x->profile_start_ns = (int64_t)v.number;
        else if (v.role == XP_STOP_TIME)
            r->x->profile_stop_ns = (int64_t)v.number;
    }
    return AZ_OK;
}

/* Time of the events of a line (ps), where they overlap once: they are in sequence or nested. */
static int64_t line_time(struct az_xplane *r, const struct az_xplane_line *l, uint64_t *events)
{
    struct az_protobuf m = az_protobuf_of(l->body);
    struct az_xplane_event x;
    struct az_cut_log *log = r->t->cut_log;
    int64_t time = 0, until = INT64_MIN, end;
    r->t->cut_log = NULL; /* nothing is made of the events */
    while (az_xplane_next_event(r, &m, &x) > 0) {
        ++*events;
        if (__builtin_add_overflow(x.offset, x.duration, &end) || end <= until)
            continue;
        time = az_add_sat(time, end - (x.offset > until ? x.offset : until));
        until = end;
    }
    r->t->cut_log = log;
    return time;
}

/* A plane of a device that is in no account. Of its lines those of operations count, where it has
 * any: others (steps, modules) cover them. */
static int skipped_device(struct az_xplane *r)
{
    const uint8_t *bad = r->bad;
    const char *what = r->what;
    int64_t time[2] = { 0, 0 };
    uint64_t events[2] = { 0, 0 };
    for (size_t i = 0; i < r->lines.n; i++) {
        struct az_xplane_line l;
        uint64_t n = 0;
        if (az_xplane_line(r, r->lines.v[i], &l) < 0)
            continue; /* damage is found when the line is skipped */
        const bool ops = az_sv_ends(l.name, AZ_SV("Ops"));
        const int64_t ps = line_time(r, &l, &n);
        time[ops] = ps > time[ops] ? ps : time[ops];
        events[ops] += n;
    }
    r->bad = bad;
    r->what = what;
    const bool ops = events[1] > 0;
    if (events[ops])
        az_trace_skipped_work(r->t, r->plane_name, events[ops], time[ops]);
    return r->t->arena.failed ? az_arena_error(&r->t->arena) : AZ_OK;
}

static int skip_plane(struct az_xplane *r)
{
    int rc = az_sv_starts(r->plane_name, AZ_SV("/device:")) ? skipped_device(r) : AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->lines.n; i++) {
        const struct az_xplane_line l = { .body = r->lines.v[i] };
        rc = az_xplane_skip_line(r, &l, "planes other than GPUs, TPU cores and hosts");
    }
    return rc;
}

int az_xplane_read_plane(struct az_xplane *r, struct az_sv bytes)
{
    int64_t ordinal;
    uint32_t index;
    const struct az_sv loaded = az_xplane_load(&r->block, bytes);
    int rc = az_xplane_plane(r, loaded);
    r->used = (const uint8_t *)loaded.p;
    if (rc == 0 && az_sv_is(r->plane_name, "/host:metadata")) { /* views of it are kept */
        az_xplane_unload(&r->block);
        rc = az_xplane_plane(r, bytes);
        return rc ? rc : az_xplane_modules(r);
    }
    if (rc)
        return rc;
    const bool gpu = az_xplane_ordinal(r->plane_name, AZ_SV("/device:GPU:"), &ordinal);
    r->of_device = gpu || az_xplane_ordinal(r->plane_name, AZ_SV("/device:TPU:"), &ordinal);
    if (r->of_device) {
        rc = az_xplane_device(r, gpu ? AZ_PLANE_GPU : AZ_PLANE_TPU, ordinal, &index);
        return rc ? rc : gpu ? az_xplane_gpu(r, index) : az_xplane_tpu(r, index);
    }
    if (az_sv_starts(r->plane_name, AZ_SV("/host:")))
        return az_xplane_host(r);
    if (az_sv_is(r->plane_name, "Task Environment"))
        return environment(r);
    return skip_plane(r);
}

/* ---- the file ---- */

/* The smallest timestamp of a line: relative to it, times fit into 64 bits of picoseconds. */
static int find_origin(struct az_xplane *r, struct az_sv plane_bytes)
{
    struct az_protobuf m = az_protobuf_of(az_xplane_load(&r->block, plane_bytes));
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int rc;
    while ((rc = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0) {
        struct az_xplane_line l;
        if (f != 3 || wire != AZ_PROTOBUF_BYTES)
            continue;
        rc = az_xplane_line(r, b, &l);
        if (rc)
            return rc;
        /* a line without events has no effect, and one without a time may only be empty */
        if (l.timestamp_ns < r->origin_ns && az_protobuf_find(b, 4).p)
            r->origin_ns = l.timestamp_ns;
    }
    return rc < 0 && !r->cut ? az_xplane_bad(r, m.p, "a plane") : AZ_OK;
}

static bool stopped(struct az_xplane *r, struct az_sv at)
{
    if (r->job->progress)
        atomic_store_explicit(r->job->progress, (uint64_t)(at.p - r->bytes.p),
                              memory_order_relaxed);
    return r->job->cancelled && r->job->cancelled(r->job->ctx);
}

static void message(struct az_xplane *r, uint32_t field, struct az_sv text)
{
    if (field == 4) {
        if (!r->x->host_name.n)
            r->x->host_name = az_arena_dup(&r->t->arena, text);
        return;
    }
    az_diag_add(r->job->diag, AZ_WARNING, AZ_AT_FILE(r->path), "profiler message: %s: %.*s",
                field == 2 ? "error" : "warning", AZ_SVF(az_utf8_one_line(&r->t->arena, text)));
}

/* Does the file end inside the field at `tag`? Then what is left of it if it is a plane. False:
 * damage of another kind.
 */
static bool rest_of_plane(const struct az_xplane *r, const uint8_t *tag, struct az_sv *rest)
{
    struct az_protobuf m = { tag, (const uint8_t *)r->bytes.p + r->bytes.n, 0 };
    uint64_t key, length;
    *rest = (struct az_sv){ "", 0 };
    if (az_protobuf_varint(&m, &key) != 0)
        return m.p == m.end;
    if (key >= 5 << 3 || !top_level((uint32_t)(key >> 3), (unsigned)(key & 7)))
        return false;
    if (az_protobuf_varint(&m, &length) != 0)
        return m.p == m.end;
    if (key >> 3 == 1)
        *rest = az_sv_make((const char *)m.p, (size_t)(m.end - m.p));
    return length > (uint64_t)(m.end - m.p);
}

static size_t count_planes(const struct az_xplane *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->fields.n; i++)
        n += r->fields.v[i].number == AZ_XPLANE_PLANE_FIELD;
    return n;
}

/* The file ends inside the plane at `tag`, or is damaged there. */
static int end_in_plane(struct az_xplane *r, const char *tag)
{
    if (!count_planes(r) || r->job->opts->strict ||
        !rest_of_plane(r, (const uint8_t *)tag, &r->rest))
        return az_xplane_bad(r, (const uint8_t *)tag, "the file");
    const struct az_xplane_field last = { .tag = tag, .bytes = { "", 0 } };
    r->cut = true;
    const int rc = az_vec_push(&r->fields, last);
    return rc ? rc : find_origin(r, r->rest);
}

int az_xplane_next_field(struct az_protobuf *m, struct az_xplane_field *out)
{
    unsigned wire;
    uint64_t v;
    *out = (struct az_xplane_field){ .tag = (const char *)m->p, .bytes = { "", 0 } };
    const int rc = az_protobuf_next(m, &out->number, &wire, &v, &out->bytes);
    if (rc > 0 && !top_level(out->number, wire) &&
        (out->number != AZ_XPLANE_WINDOW_FIELD || wire != AZ_PROTOBUF_BYTES))
        out->number = 0; /* unknown fields are skipped */
    return rc;
}

/* One pass for the fields and the origin: with each pass of a large file its pages are mapped
 * again. */
static int list_fields(struct az_xplane *r)
{
    struct az_protobuf m = az_protobuf_of(r->bytes);
    struct az_xplane_field f;
    const char *used = r->bytes.p;
    int rc = AZ_OK, next;
    while (rc == 0 && (next = az_xplane_next_field(&m, &f)) > 0) {
        rc = f.number ? az_vec_push(&r->fields, f) : AZ_OK;
        if (rc || f.number != AZ_XPLANE_PLANE_FIELD)
            continue;
        rc = stopped(r, f.bytes) ? AZ_EINTR : find_origin(r, f.bytes);
        az_xplane_passed(r, &used, f.bytes.p + f.bytes.n);
    }
    return rc || next == 0 ? rc : end_in_plane(r, f.tag);
}

static int read_rest(struct az_xplane *r, int (*each)(struct az_xplane *, struct az_sv), bool say)
{
    const struct az_xplane_field *last = &r->fields.v[r->fields.n - 1];
    if (say) {
        az_diag_add(r->job->diag, AZ_WARNING, AZ_AT_OFFSET(r->path, last->tag - r->bytes.p),
                    "truncated: %zu complete planes read, and the complete part of the plane that "
                    "begins here; check whether the profiler was stopped while writing",
                    count_planes(r));
        az_trace_truncated(r->t, AZ_XPLANE_CUT);
    }
    r->cut = true;
    return each(r, r->rest);
}

int az_xplane_each_plane(struct az_xplane *r, int (*each)(struct az_xplane *, struct az_sv),
                         bool say)
{
    const char *used = r->bytes.p;
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->fields.n; i++) {
        const struct az_xplane_field *f = &r->fields.v[i];
        if (say && f->number > AZ_XPLANE_PLANE_FIELD && f->number != AZ_XPLANE_WINDOW_FIELD)
            message(r, f->number, f->bytes);
        if (f->number != AZ_XPLANE_PLANE_FIELD)
            continue;
        if (stopped(r, f->bytes))
            return AZ_EINTR;
        rc = each(r, f->bytes);
        az_xplane_passed(r, &used, f->bytes.p + f->bytes.n);
    }
    if (rc == 0 && r->rest.p)
        return read_rest(r, each, say);
    if (rc == 0 && say && r->damaged) /* a gzip stream broke off between two planes */
        az_trace_truncated(r->t, AZ_XPLANE_CUT);
    return rc;
}

/* The file's name without its extensions, for a profile that does not name its host. */
static struct az_sv host_by_file(struct az_sv path)
{
    struct az_sv host = path;
    for (size_t i = path.n; i-- > 0 && host.n == path.n;)
        if (path.p[i] == '/')
            host = az_sv_make(path.p + i + 1, path.n - i - 1);
    static const char *const ends[] = { ".xplane.pb", ".trace.json" };
    for (size_t i = 0; i < AZ_LENGTH(ends); i++) {
        const ptrdiff_t dot = az_sv_find(host, az_sv_str(ends[i]));
        if (dot > 0)
            host.n = (size_t)dot;
    }
    return host;
}

static void facts(struct az_xplane *r)
{
    struct az_arena *a = &r->t->arena;
    struct az_xtrace *x = r->x;
    if (x->host_name.n)
        az_trace_fact(r->t, "host name", x->host_name);
    else
        x->host_name = az_arena_dup(a, host_by_file(r->path));
    if (x->profile_start_ns)
        az_trace_fact(r->t, "profile start (Unix ns)",
                      az_arena_printf(a, "%" PRId64, x->profile_start_ns));
    if (x->profile_stop_ns)
        az_trace_fact(r->t, "profile stop (Unix ns)",
                      az_arena_printf(a, "%" PRId64, x->profile_stop_ns));
    for (size_t i = 0; i < x->planes.n; i++) {
        const struct az_plane *p = &x->planes.v[i];
        struct az_sv key = az_arena_printf(a, "device %s:%" PRId64,
                                           p->kind == AZ_PLANE_GPU ? "GPU" : "TPU", p->ordinal);
        char memory[AZ_HUMAN_MAX];
        az_human_bytes((double)p->memory_bytes, memory);
        struct az_sv value = az_arena_printf(a, "%.*s, %" PRId64 " cores, %" PRId64 " MHz, %s",
                                             AZ_SVF(p->type.n ? p->type : p->vendor), p->units,
                                             p->clock_khz / 1000, memory);
        if (p->kind == AZ_PLANE_TPU)
            value = az_arena_printf(a, "%.*s, %.6g TFLOP/s, %.6g GB/s", AZ_SVF(p->type),
                                    p->peak_tflops, p->peak_hbm_gbps);
        if (key.p && value.p)
            az_trace_fact(r->t, key.p, value);
    }
}

static void cover(struct az_xplane *r)
{
    for (int device = 0; device < 2; device++) {
        const enum az_kind k = device ? AZ_KERNEL : AZ_CALL;
        if (r->unknown_meta[device])
            az_trace_lost(r->t, k, "events whose metadata is missing", r->unknown_meta[device], 0);
        if (r->bad_times[device])
            az_trace_lost(r->t, k, "events with invalid timestamps", r->bad_times[device], 0);
        if (device)
            r->t->quality.impossible += r->bad_times[device];
    }
    for (size_t k = 0; k < AZ_KIND_COUNT; k++)
        if (k != AZ_CALL && k != AZ_RANGE && r->t->ev[k].n)
            return;
    const bool later = r->t->cut_log && r->t->recorded_window.n; /* read again, as a whole */
    if (r->x->planes.n == 0 && !later)
        az_diag_add(r->job->diag, AZ_WARNING, AZ_AT_FILE(r->path),
                    "no plane of a GPU or TPU in this profile");
}

int az_xplane_finish(struct az_xplane *r)
{
    facts(r);
    cover(r);
    return az_xplane_empty_containers(r);
}

static int verdict(struct az_xplane *r, int rc)
{
    if (rc == AZ_EFORMAT && r->bad)
        return az_diag_fail(r->job->diag, rc,
                            AZ_AT_OFFSET(r->path, (const char *)r->bad - r->bytes.p),
                            "invalid XSpace protobuf: %s is truncated or damaged at byte %" PRId64
                            "; copy the file again in binary mode",
                            r->what, (int64_t)((const char *)r->bad - r->bytes.p));
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(r->job->diag, rc, AZ_AT_FILE(r->path), r->job->mem);
    return rc;
}

static int read_space(struct az_xplane *r, struct az_cut *cut_job)
{
    r->origin_ns = INT64_MAX;
    int rc = list_fields(r);
    r->cut = false;
    if (rc == 0)
        rc = az_xplane_read_window(r);
    r->x->origin_ns = r->origin_ns;
    if (rc == 0 && cut_job)
        return r->t->recorded_window.n ? AZ_OK : az_xplane_cut_space(r, cut_job);
    if (rc == 0)
        rc = az_xplane_each_plane(r, az_xplane_read_plane, true);
    r->cut = false;
    if (rc == 0)
        rc = az_xplane_join(r);
    if (rc == 0)
        rc = az_xplane_filter(r);
    return rc;
}

/* A gzip stream that breaks off: what came before is used. */
static int use_damaged(struct az_xplane *r, size_t bytes)
{
    r->damaged = true;
    return bytes ? 0
                 : az_diag_fail(r->job->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                                "nothing before the damage");
}

/* A compressed file that is cut is read several times: it is unpacked next to the output. AZ_EUSAGE
 * where that is a pipe. */
static int load_unpacked(struct az_xplane *r, struct az_source *src, const char *out)
{
    const int rc = az_map_unpacked(&r->map, src, out, r->job->mem, r->job->diag);
    r->bytes = r->map.bytes;
    return rc == AZ_EFORMAT && !r->job->opts->strict ? use_damaged(r, r->bytes.n) : rc;
}

/* Mapped if it is a plain file, else whole in memory (gzip, a pipe). */
static int load_bytes(struct az_xplane *r, struct az_source *src, struct az_vec_char *text,
                      struct az_sv *bytes)
{
    struct az_parse *job = r->job;
    int rc = 0;
    if (az_source_size(src) && !az_source_is_gzip(src) && !az_sv_is(job->files[0].path, "-") &&
        az_map_file(&r->map, job->files[0].path.p, NULL) == 0) {
        *bytes = r->map.bytes;
    } else {
        rc = az_source_rest(src, text);
        *bytes = az_text_view(text);
        if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
            rc = az_diag_memory(job->diag, rc, AZ_AT_FILE(job->files[0].path), job->mem);
        else if (rc == AZ_EFORMAT && !job->opts->strict)
            rc = use_damaged(r, bytes->n);
    }
    return rc;
}

static int read_protobuf(struct az_xplane *r, struct az_source *src, struct az_cut *cut_job)
{
    struct az_vec_char text; /* the bytes of a file that cannot be mapped */
    az_vec_init(&text, r->job->mem);
    int rc = cut_job && az_source_is_gzip(src) ? load_unpacked(r, src, cut_job->out) : AZ_EUSAGE;
    if (rc == AZ_EUSAGE)
        rc = load_bytes(r, src, &text, &r->bytes);
    if (rc == 0 && r->bytes.n == 0)
        rc = az_diag_fail(r->job->diag, AZ_EEMPTY, AZ_AT_FILE(r->path),
                          "empty file (the profiler wrote nothing)");
    else if (rc == 0) {
        r->used = (const uint8_t *)r->bytes.p;
        az_xplane_block_init(&r->block, &r->map, r->bytes, r->job->mem);
        rc = verdict(r, read_space(r, cut_job));
    }
    az_unmap_file(&r->map);
    az_vec_release(&text);
    return rc;
}

/* A file of planes begins with a line feed (the tag of its first field), so that white space before
 * a bracket does not make it JSON. */
static int is_json(struct az_source *src, bool *json)
{
    struct az_sv head = AZ_SV("");
    int rc = az_source_peek(src, 4096, &head);
    *json = head.n && (head.p[0] == '{' || az_xplane_json_probe(head));
    return rc == AZ_EFORMAT ? 0 : rc; /* found again by who reads it */
}

/* With `cut_job` the window of a protobuf is written, unless the file is a window itself. */
static int read_file(struct az_parse *job, struct az_cut *cut_job)
{
    struct az_xplane r = { .job = job,
                           .t = job->trace,
                           .path = job->files[0].path,
                           .no_row = AZ_NO_ROW,
                           .map = { .bytes = { "", 0 } } };
    struct az_source_opts so = { .mem = job->mem,
                                 .diag = job->diag,
                                 .digest = az_parse_digest(job, 0),
                                 .keeps_parts = !job->opts->strict };
    struct az_source *src = NULL;
    bool json = false;
    int rc = az_source_open(&src, job->files[0].path.p, &so);
    if (rc)
        return rc;
    az_xplane_plane_init(&r);
    rc = az_xtrace_init(job->trace);
    az_geometry_column(job->trace);
    r.x = job->trace->ext;
    if (rc == 0)
        rc = is_json(src, &json);
    if (rc)
        rc = verdict(&r, rc);
    else if (json)
        rc = az_xplane_json(&r, src);
    else
        rc = read_protobuf(&r, src, cut_job);
    if (rc == 0)
        rc = az_xplane_finish(&r);
    az_xplane_plane_release(&r);
    az_source_close(src);
    return rc;
}

static int parse(struct az_parse *job) { return read_file(job, NULL); }

static int find_form(struct az_cut *job, bool *json)
{
    const struct az_source_opts so = { .mem = job->mem, .diag = job->diag };
    struct az_source *src = NULL;
    int rc = az_source_open(&src, job->in.p, &so);
    if (rc == 0)
        rc = is_json(src, json);
    az_source_close(src);
    return rc;
}

static bool is_json_name(struct az_sv path)
{
    return az_sv_ends(az_path_unpacked(path), AZ_SV(".json"));
}

/* *whole: nothing was written, as the file is a window itself, which is read whole. */
static int cut_in_passes(struct az_cut *job, bool *whole)
{
    const struct az_file file = { .path = job->in };
    struct az_trace t;
    struct az_cut_log log;
    struct az_parse p = az_cut_parse(job, &file, &t);
    int rc = az_cut_begin(job, &t, &log);
    if (rc == 0)
        rc = az_cut_reject_option(job);
    if (rc == 0)
        rc = read_file(&p, job);
    *whole = rc == 0 && job->read == 0 && t.recorded_window.n;
    az_trace_release(&t);
    az_cut_log_release(&log);
    return rc;
}

static int cut_whole(struct az_cut *job, bool json)
{
    struct az_trace t;
    struct az_cut_log log;
    int rc = json ? az_cut_read_journal(job, parse, &t, &log) : az_cut_read(job, parse, &t, &log);
    if (rc == 0)
        rc = json ? az_cut_json(job, &t, &log) : az_xplane_write_cut(job, &t, &log);
    az_trace_release(&t);
    az_cut_log_release(&log);
    return rc;
}

static int cut_xplane(struct az_cut *job)
{
    bool json = false, whole = true;
    int rc = find_form(job, &json);
    if (rc == 0 && !json)
        rc = cut_in_passes(job, &whole);
    return rc == 0 && whole ? cut_whole(job, json) : rc;
}

/* ---- recognizing ---- */

static bool plane_name(struct az_sv name)
{
    return az_sv_starts(name, AZ_SV("/device:")) || az_sv_starts(name, AZ_SV("/host:")) ||
           az_sv_starts(name, AZ_SV("#Chip")) || az_sv_is(name, "Task Environment");
}

/* The first plane's name; the head may end inside the plane. */
static bool begins_with_plane(struct az_sv head)
{
    struct az_protobuf m = az_protobuf_of(head);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v, length;
    if (az_protobuf_varint(&m, &v) != 0 || v != (1 << 3 | AZ_PROTOBUF_BYTES) ||
        az_protobuf_varint(&m, &length) != 0)
        return false;
    if (length < (uint64_t)(m.end - m.p))
        m.end = m.p + length;
    while (az_protobuf_next(&m, &f, &wire, &v, &b) > 0) {
        if (f == 2 && wire == AZ_PROTOBUF_BYTES)
            return plane_name(b);
        if (f == 0 || f > 6)
            return false;
    }
    return false;
}

static int probe(struct az_sv head, struct az_sv path)
{
    path = az_path_unpacked(path);
    if (head.n == 0 || az_sv_ends(path, AZ_SV(".hlo_proto.pb")))
        return 0;
    if (begins_with_plane(head) || az_xplane_json_probe(head))
        return 90;
    return az_sv_ends(path, AZ_SV(".xplane.pb")) ? 70 : 0;
}

/* host.xplane.pb.gz, host.trace.json.gz -> host */
static struct az_sv file_stem(struct az_sv path)
{
    static const char *const ends[] = { ".gz", ".zst", ".pb", ".xplane", ".json", ".trace" };
    path = az_path_base(path);
    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        if (path.n > strlen(ends[i]) && az_sv_ends(path, az_sv_str(ends[i])))
            path.n -= strlen(ends[i]);
    return path;
}

const struct az_format az_format_xplane = {
    .name = "xplane",
    .tool = AZ_TOOL_TRACELENS,
    .record_host = "record Python calls (python_tracer_level=1) to find the host work",
    .help =
        "XPlane profile of JAX or TensorFlow on GPU or TPU (.xplane.pb, .trace.json), also gzip",
    .files_are_ranks = true,
    .probe = probe,
    .parse = parse,
    .cut = cut_xplane,
    .cut_extra = is_json_name,
    .stem = file_stem,
    .run_folder = "plugins/profile/*",
    .run_files = "*.xplane.pb",
    .twin = ".trace.json.gz",
    .copy = "perfetto_trace.json.gz",
};
