/* Format "pftrace": the Perfetto output of rocprofv3, protobuf or JSON (docs/formats-rocprof.md 7).
 * What a slice stands for. */
#include "formats/rocm/pftrace.h"

#include <inttypes.h>

#include "base/num.h"
#include "formats/list.h"
#include "io/path.h"
#include "text/protowire.h"

/* ---- annotations ---- */

enum az_pftrace_key az_pftrace_key_of(struct az_sv name)
{
    static const struct {
        const char *name;
        enum az_pftrace_key key;
    } keys[] = {
        { "begin_ns", PF_BEGIN },
        { "end_ns", PF_END },
        { "delta_ns", PF_DELTA },
        { "tid", PF_TID },
        { "corr_id", PF_CORR },
        { "stream_ID", PF_STREAM },
        { "agent", PF_AGENT },
        { "src_agent", PF_SRC },
        { "dst_agent", PF_DST },
        { "copy_bytes", PF_BYTES },
        { "queue", PF_QUEUE },
        { "Scratch_Size", PF_SCRATCH },
        { "LDS_Block_Size", PF_LDS },
        { "VGPR_Count", PF_VGPR },
        { "Accum_VGPR_Count", PF_AGPR },
        { "SGPR_Count", PF_SGPR },
        { "workgroup_size", PF_BLOCK },
        { "grid_size", PF_GRID },
        { "kind", PF_IGNORED },
        { "operation", PF_OPERATION },
        { "ancestor_id", PF_IGNORED },
        { "agent_type", PF_IGNORED },
        { "kernel_id", PF_IGNORED },
        { "stack_id", PF_IGNORED },
        { "parent_stack_id", PF_IGNORED },
    };
    for (size_t i = 0; i < AZ_LENGTH(keys); i++)
        if (az_sv_ieq(name, az_sv_str(keys[i].name)))
            return keys[i].key;
    return PF_NONE;
}

void az_pftrace_slice_init(struct az_pftrace_slice *s)
{
    memset(s->has, 0, sizeof s->has);
    memset(s->number, 0, sizeof s->number);
    s->category = AZ_SV("");
    s->name = AZ_NO_ID;
    s->n_counters = 0;
    s->pid = s->thread = 0;
    s->has_thread = false;
    s->agent[0] = s->agent[1] = s->agent[2] = AZ_NO_AGENT;
}

static void add_counter(struct az_pftrace_slice *s, uint32_t name, const struct az_pftrace_value *v)
{
    double x = v->is_real ? v->f : (double)v->i;
    if (s->n_counters == PF_MAX_COUNTERS || (v->is_text && az_parse_f64(v->text, &x) != 0))
        return;
    s->counter[s->n_counters].name = name;
    s->counter[s->n_counters++].value = x;
}

void az_pftrace_annotate(struct az_pftrace_slice *s, enum az_pftrace_key key, uint32_t name,
                         const struct az_pftrace_value *v)
{
    int64_t i = v->is_real ? (v->f >= -9e18 && v->f <= 9e18 ? (int64_t)v->f : 0) : v->i;
    if (key == PF_NONE)
        add_counter(s, name, v);
    if (key == PF_NONE || key == PF_IGNORED)
        return;
    if (key >= PF_AGENT && key <= PF_DST) { /* "Agent-2", "GPU-0", "2", 2 */
        s->agent[key - PF_AGENT] = v->is_text                 ? az_rocprof_agent_number(v->text)
                                   : i >= 0 && i <= INT32_MAX ? (int32_t)i
                                                              : AZ_NO_AGENT;
        s->has[key] = true;
        return;
    }
    if (v->is_text && az_parse_i64(az_sv_trim(v->text), &i) != 0)
        return;
    s->number[key] = i;
    s->has[key] = true;
}

/* ---- into the model ---- */

static int add_kernel(struct az_pftrace *p, const struct az_pftrace_slice *s, int64_t start,
                      int64_t end)
{
    const int64_t *n = s->number;
    struct az_rocprof_kernel k = { .start = start,
                                   .end = end,
                                   .thread = n[PF_TID],
                                   .corr = (uint64_t)n[PF_CORR],
                                   .name = AZ_NO_ID,
                                   .agent = s->agent[0] == AZ_NO_AGENT ? 0 : s->agent[0],
                                   .stream = n[PF_STREAM],
                                   .queue = s->has[PF_QUEUE] ? az_add_sat(n[PF_QUEUE], 1) : 0 };
    k.shape = (struct az_dispatch_shape){ .whole = s->name,
                                          .grid = { az_rocprof_u32(n[PF_GRID]), 1, 1 },
                                          .block = { az_rocprof_u32(n[PF_BLOCK]), 1, 1 },
                                          .lds = az_rocprof_u32(n[PF_LDS]),
                                          .scratch = az_rocprof_u32(n[PF_SCRATCH]),
                                          .vgpr = az_rocprof_u32(n[PF_VGPR]),
                                          .agpr = az_rocprof_u32(n[PF_AGPR]),
                                          .sgpr = az_rocprof_u32(n[PF_SGPR]) };
    struct az_counter c = { .proc = p->r->proc, .dispatch = (uint64_t)n[PF_CORR] };
    int rc = az_rocprof_kernel(p->r, &k);
    if (rc == 0 && s->n_counters)
        rc = az_rocprof_kernel_name(p->r, s->name, &c.kernel);
    for (size_t i = 0; rc == 0 && i < s->n_counters; i++) {
        c.counter = s->counter[i].name;
        c.value = s->counter[i].value;
        rc = az_vec_push(&p->r->d->counters, c);
    }
    return rc;
}

/* Of a thread that the options min_tid and max_tid select? */
static bool thread_selected(const struct az_pftrace *p, const struct az_pftrace_slice *s)
{
    const struct az_options *o = p->r->job->opts;
    const int64_t id = s->has_thread ? s->thread : s->has[PF_TID] ? s->number[PF_TID] : -1;

    return id >= o->min_tid && id <= o->max_tid;
}

/* A call; with its stream and operation where hip_summary lists them. */
static int add_call(struct az_pftrace *p, const struct az_pftrace_slice *s,
                    struct az_rocprof_span *span)
{
    const struct az_call_note note = { s->number[PF_STREAM], s->number[PF_OPERATION] };

    if (az_sv_is(p->r->job->opts->hip_summary_group, "name"))
        return az_rocprof_call(p->r, span);
    span->uid = (uint32_t)p->r->d->call_notes.n;
    const int rc = az_vec_push(&p->r->d->call_notes, note);
    return rc ? rc : az_rocprof_call(p->r, span);
}

static int left_out(struct az_pftrace *p, struct az_sv category)
{
    const uint32_t id = az_trace_name(p->r->t, category);
    for (size_t i = 0; i < p->other.n; i++) {
        if (p->other.v[i] >> 32 == id) {
            p->other.v[i]++;
            return 0;
        }
    }
    return az_vec_push(&p->other, (uint64_t)id << 32 | 1);
}

int az_pftrace_add(struct az_pftrace *p, struct az_pftrace_slice *s)
{
    const int64_t *n = s->number;
    const bool copy = az_sv_is(s->category, "memory_copy"),
               call = az_sv_ends(s->category, AZ_SV("_api")),
               /* work of an agent under another name: gpu_activity */
        kernel = az_sv_is(s->category, "kernel_dispatch") || (!copy && !call && s->has[PF_AGENT]);
    int64_t start = n[PF_BEGIN], end = n[PF_END];
    if (!kernel && !copy && !call)
        return left_out(p, s->category.n ? s->category : AZ_SV("(none)"));
    if (!thread_selected(p, s)) {
        p->other_threads++;
        return 0;
    }
    if (!s->has[PF_END] && s->has[PF_DELTA] && !__builtin_add_overflow(start, n[PF_DELTA], &end))
        s->has[PF_END] = true;
    if (!s->has[PF_BEGIN] || !s->has[PF_END]) {
        p->no_time += call;
        p->no_device_time += !call;
        return 0;
    }
    int rc = az_rocprof_select(p->r, s->pid); /* of tracks without a process: the first */
    if (rc == 0 && s->name == AZ_NO_ID)
        s->name = az_trace_name(p->r->t, AZ_SV("(no name)"));
    if (rc)
        return rc;
    if (kernel)
        return add_kernel(p, s, start, end);
    if (copy) {
        struct az_rocprof_copy c = { .start = start,
                                     .end = end,
                                     .stream = n[PF_STREAM],
                                     .src = s->agent[1],
                                     .dst = s->agent[2],
                                     .bytes = s->has[PF_BYTES] ? n[PF_BYTES] : -1,
                                     .corr = (uint64_t)n[PF_CORR],
                                     .name = s->name };
        return az_rocprof_copy(p->r, &c);
    }
    struct az_rocprof_span span = { .start = start,
                                    .end = end,
                                    .thread = n[PF_TID],
                                    .corr = (uint64_t)n[PF_CORR],
                                    .name = s->name };
    span.domain = az_trace_name(p->r->t, s->category);
    return az_sv_is(s->category, "marker_api") ? az_rocprof_range(p->r, &span)
                                               : add_call(p, s, &span);
}

int az_pftrace_finish(struct az_pftrace *p)
{
    struct az_trace *t = p->r->t;
    if (p->no_time)
        az_trace_dropped(t, AZ_DROP_LOST, "slices without begin_ns or end_ns", p->no_time, 0);
    if (p->no_device_time)
        az_trace_lost(t, AZ_KERNEL, "slices of the device without begin_ns or end_ns",
                      p->no_device_time, 0);
    if (p->other_threads)
        az_trace_dropped(t, AZ_DROP_FILTERED, "slices of other threads (min_tid, max_tid)",
                         p->other_threads, 0);
    for (size_t i = 0; i < p->other.n; i++) {
        struct az_sv text = az_arena_printf(
            &t->arena, "category %.*s", AZ_SVF(az_trace_text(t, (uint32_t)(p->other.v[i] >> 32))));
        if (text.p)
            az_trace_dropped(t, AZ_DROP_NOT_MODELLED, text.p, (uint32_t)p->other.v[i], 0);
    }
    return 0;
}

/* ---- the format ---- */

/* A field of a packet that others (XPlane) do not have. */
static bool packet_sign(uint32_t field, unsigned wire)
{
    return (field == 10 && wire == AZ_PROTOBUF_INT) ||
           (wire == AZ_PROTOBUF_BYTES && (field == 60 || field == 50 || field == 11));
}

/* Packets one after another, some with such a field. The head may end inside a packet, even the
 * first one (a large compressed one): what is there of it counts. */
static bool is_wire(struct az_sv head)
{
    struct az_protobuf m = az_protobuf_of(head), packet;
    uint32_t field;
    unsigned wire;
    uint64_t tag, length, value;
    struct az_sv bytes = AZ_SV("");
    bool seen = false, cut = false;
    for (int i = 0; i < 64 && !cut && az_protobuf_varint(&m, &tag) == 0; i++) {
        int rc;
        if (tag != (1 << 3 | AZ_PROTOBUF_BYTES))
            return false;
        if (az_protobuf_varint(&m, &length) != 0)
            break;
        cut = length > (uint64_t)(m.end - m.p);
        packet = az_protobuf_of(
            az_sv_make((const char *)m.p, cut ? (size_t)(m.end - m.p) : (size_t)length));
        m.p = packet.end;
        while ((rc = az_protobuf_next(&packet, &field, &wire, &value, &bytes)) > 0)
            seen |= packet_sign(field, wire);
        if (rc < 0 && !cut)
            return false;
        seen |= rc < 0 && head.n >= 4096 && packet_sign(field, wire);
    }
    return seen;
}

static bool is_json(struct az_sv head)
{
    static const char *const signs[] = { "\"kernel_dispatch\"", "\"memory_copy\"",
                                         "\"hip_api\"",         "\"hsa_api\"",
                                         "\"marker_api\"",      "\"gpu_activity\"" };
    if (az_sv_find(head, AZ_SV("\"traceEvents\"")) < 0)
        return false;
    const bool rocprof = az_sv_find(head, AZ_SV("\"begin_ns\"")) >= 0 &&
                         (az_sv_find(head, AZ_SV("\"corr_id\"")) >= 0 ||
                          az_sv_find(head, AZ_SV("\"gpu_activity\"")) >= 0);
    for (size_t i = 0; i < AZ_LENGTH(signs); i++)
        if (rocprof && az_sv_find(head, az_sv_str(signs[i])) >= 0)
            return true;
    return false;
}

static int probe(struct az_sv head, struct az_sv path)
{
    (void)path;
    if (head.n && head.p[0] == 0x0a && is_wire(head))
        return 90;
    return is_json(head) ? 92 : 0;
}

static int starts_with_brace(struct az_parse *job, struct az_sv path, bool *json)
{
    struct az_source_opts so = { .mem = job->mem,
                                 .window = 4096 }; /* the reader reports what is broken */
    struct az_source *src = NULL;
    struct az_sv head = AZ_SV("");
    *json = false;
    if (az_sv_is(path, "-") || az_source_open(&src, path.p, &so) != 0)
        return 0;
    if (az_source_peek(src, 1, &head) == 0)
        *json = head.n && head.p[0] == '{';
    az_source_close(src);
    return 0;
}

static int parse(struct az_parse *job)
{
    struct az_rocprof r;
    size_t errors = job->diag->errors;
    struct az_pftrace p = { .r = &r };
    int rc = az_rocprof_init(&r, job);
    az_vec_init(&p.other, job->mem);
    if (rc == 0 && !az_sv_is(job->opts->hip_summary_group, "name"))
        az_trace_columns(r.t, AZ_CALL, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID);
    for (size_t i = 0; rc == 0 && i < job->n_files; i++) {
        bool json;
        p.path = job->files[i].path;
        rc = starts_with_brace(job, p.path, &json);
        if (rc == 0)
            rc = json ? az_pftrace_json_file(&p) : az_pftrace_wire_file(&p);
    }
    if (rc == 0)
        rc = az_pftrace_finish(&p);
    if (rc == 0)
        rc = az_rocprof_finish(&r);
    if (rc && job->diag->errors == errors)
        rc = az_rocprof_error(&r, rc, job->files[0].path);
    az_vec_release(&p.other);
    az_rocprof_release(&r);
    return rc;
}

static struct az_sv file_stem(struct az_sv path)
{
    static const char *const ends[] = { "_results", "_pftrace" };
    struct az_sv s = az_path_stem(path);
    for (size_t i = 0; i < 2; i++)
        if (s.n > strlen(ends[i]) && az_sv_ends(s, az_sv_str(ends[i])))
            s.n -= strlen(ends[i]);
    return s;
}

const struct az_format az_format_pftrace = {
    .name = "pftrace",
    .tool = AZ_TOOL_TRACELENS,
    .record_host = "add ROCTx ranges around the host work (recorded by --marker-trace)",
    .help = "AMD rocprofv3: Perfetto trace (.pftrace), also as JSON written by traceconv",
    .files_are_ranks = true,
    .probe = probe,
    .parse = parse,
    .stem = file_stem,
};
