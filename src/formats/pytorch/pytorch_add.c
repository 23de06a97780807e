/* An event of a PyTorch trace into the model (docs/formats-pytorch.md 1.3 to 1.5). */
#include "base/num.h"
#include "formats/pytorch/pytorch.h"

int az_pytorch_reader_init(struct az_pytorch_reader *r, struct az_trace *t,
                           const struct az_options *o)
{
    memset(r, 0, sizeof *r);
    r->trace = t;
    r->opts = o;
    r->keep_frames = o->include_call_stack || o->detect_recompute || o->group_by_parent_module;
    az_pytorch_event_keys(r);
    az_arena_init(&r->scratch, t->mem);
    az_vec_init(&r->other_cats, t->mem);
    az_vec_init(&r->meta, t->mem);
    az_vec_init(&r->long_frames, t->mem);
    for (size_t i = 0; i < AZ_LENGTH(r->slot); i++)
        r->slot[i].lane = AZ_NO_ROW;
    for (enum az_kind k = AZ_KERNEL; k <= AZ_MEMSET; k++)
        az_trace_columns(t, k, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID | AZ_COL_NODE);
    az_geometry_column(t);
    az_trace_columns(t, AZ_HOST_OP, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR | AZ_COL_UID | AZ_COL_NODE);
    az_trace_columns(t, AZ_FRAME, AZ_COL_UID);
    az_trace_columns(t, AZ_RANGE, AZ_COL_UID | AZ_COL_SIDE);
    az_trace_columns(t, AZ_GPU_RANGE, AZ_COL_UID);
    az_trace_columns(t, AZ_SYNC, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID);
    az_trace_columns(t, AZ_OVERHEAD, AZ_COL_UID);
    az_trace_columns(t, AZ_GAP_FRAME, 0);
    az_trace_columns(t, AZ_MODULE, 0);
    az_map_init(&r->lanes, t->mem, 64);
    return 0;
}

void az_pytorch_reader_captured(struct az_pytorch_reader *r)
{
    r->captured = true;
    az_trace_columns(r->trace, AZ_CALL, AZ_COL_CORR | AZ_COL_UID | AZ_COL_NODE | AZ_COL_SIDE);
}

void az_pytorch_reader_release(struct az_pytorch_reader *r)
{
    az_arena_release(&r->scratch);
    az_map_release(&r->lanes);
    az_vec_release(&r->other_cats);
    az_vec_release(&r->meta);
    az_vec_release(&r->long_frames);
    az_pytorch_begins_release(r);
}

/* ---- lanes ---- */
static int text_identity(struct az_pytorch_reader *r, struct az_sv raw, uint64_t *out)
{
    if (raw.n >= 2 && raw.p[0] == '"')
        raw = az_sv_make(raw.p + 1, raw.n - 2);
    *out = AZ_PYTORCH_IS_TEXT | az_trace_name(r->trace, raw);
    return r->trace->names.error;
}

static inline int identity(struct az_pytorch_reader *r, const struct az_pytorch_id *id,
                           uint64_t *out)
{
    *out = (uint64_t)id->v & ~AZ_PYTORCH_IS_TEXT;
    return id->number ? 0 : text_identity(r, id->raw, out);
}

int az_pytorch_identity(struct az_pytorch_reader *r, const struct az_pytorch_id *id, uint64_t *out)
{
    return identity(r, id, out);
}

/* The number of an identity without AZ_PYTORCH_IS_TEXT: 63 bits, of which the upper one is the
 * sign. */
static int64_t signed_number(uint64_t id)
{
    return id >> 62 ? -(int64_t)(AZ_PYTORCH_IS_TEXT - id) : (int64_t)id;
}

/* "stream 7" of old traces -> 7 */
static int64_t stream_number(const struct az_trace *t, uint64_t tid)
{
    if (!(tid >> 63))
        return signed_number(tid);
    struct az_sv text = az_trace_text(t, (uint32_t)tid);
    int64_t v;
    if (az_sv_starts(text, AZ_SV("stream ")) &&
        az_parse_i64(az_sv_make(text.p + 7, text.n - 7), &v) == 0)
        return v;
    return -1;
}

int az_pytorch_lane_find(struct az_pytorch_reader *r, uint64_t pid, uint64_t tid, bool device_side,
                         uint32_t **lane, bool *added)
{
    const uint64_t apart = device_side ? (uint64_t)1 << 62 : 0;
    return az_map_put(&r->lanes, pid, tid ^ apart, 0, lane, added);
}

static int new_lane(struct az_pytorch_reader *r, const struct az_pytorch_event *e, uint64_t pid,
                    uint64_t tid, bool device_side, uint32_t *index)
{
    struct az_lane l = {
        .device_side = device_side, .pid = pid, .tid = tid, .device = -1, .label = AZ_NO_ID
    };
    l.proc = device_side ? 0 : pid;
    l.thread = device_side ? 0 : tid;
    if (device_side) {
        l.device = az_pytorch_number(e, AZ_PYTORCH_DEVICE,
                                     pid & AZ_PYTORCH_IS_TEXT ? -1 : signed_number(pid));
        int64_t stream = az_pytorch_has(e, AZ_PYTORCH_STREAM) ? e->number[AZ_PYTORCH_STREAM]
                                                              : az_pytorch_queue(e);
        if (stream < 0 && !az_pytorch_has(e, AZ_PYTORCH_STREAM))
            stream = stream_number(r->trace, tid);
        l.context = stream < 0 ? UINT64_MAX
                               : (uint64_t)stream; /* the stream number; tid stays the identity */
    }
    return az_trace_lane(r->trace, &l, index);
}

static struct az_pytorch_lane_slot *lane_slot(struct az_pytorch_reader *r, uint64_t pid,
                                              uint64_t tid, bool device_side)
{
    return &r->slot[(pid * 31 + tid * 7 + device_side) & 63];
}

static bool is_lane(const struct az_pytorch_lane_slot *s, uint64_t pid, uint64_t tid,
                    bool device_side)
{
    return s->lane != AZ_NO_ROW && s->pid == pid && s->tid == tid && s->device_side == device_side;
}

static bool has_queue(const struct az_pytorch_event *e)
{
    return (e->given &
            (AZ_PYTORCH_BIT(AZ_PYTORCH_SYCL_QUEUE) | AZ_PYTORCH_BIT(AZ_PYTORCH_L0_QUEUE))) != 0;
}

static int find_lane(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                     bool device_side, uint32_t *lane)
{
    uint64_t pid, tid;
    int rc = identity(r, &e->pid, &pid);
    if (rc == 0)
        rc = identity(r, &e->tid, &tid);
    if (rc)
        return rc;
    if (device_side && has_queue(e)) {
        const int64_t queue = az_pytorch_queue(e); /* whatever the tid is */
        tid = queue < 0 ? tid : (uint64_t)queue & ~AZ_PYTORCH_IS_TEXT;
    }
    struct az_pytorch_lane_slot *slot = lane_slot(r, pid, tid, device_side);
    if (is_lane(slot, pid, tid, device_side)) {
        *lane = slot->lane;
        return 0;
    }
    uint32_t *known;
    bool added;
    rc = az_pytorch_lane_find(r, pid, tid, device_side, &known, &added);
    if (rc == 0 && added)
        rc = new_lane(r, e, pid, tid, device_side, known);
    if (rc)
        return rc;
    *slot = (struct az_pytorch_lane_slot){
        .pid = pid, .tid = tid, .lane = *known, .device_side = device_side
    };
    *lane = *known;
    return 0;
}

/* Nearly all are numbers, and of a lane that is known. */
static inline int lane_of(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          bool device_side, uint32_t *lane)
{
    const uint64_t pid = (uint64_t)e->pid.v & ~AZ_PYTORCH_IS_TEXT,
                   tid = (uint64_t)e->tid.v & ~AZ_PYTORCH_IS_TEXT;
    const struct az_pytorch_lane_slot *slot = lane_slot(r, pid, tid, device_side);
    if (!e->pid.number || !e->tid.number || (device_side && has_queue(e)) ||
        !is_lane(slot, pid, tid, device_side))
        return find_lane(r, e, device_side, lane);
    *lane = slot->lane;
    return 0;
}

int az_pytorch_lane(struct az_pytorch_reader *r, const struct az_pytorch_event *e, bool device_side,
                    uint32_t *lane)
{
    return lane_of(r, e, device_side, lane);
}

/* ---- side rows ---- */
int az_pytorch_name(struct az_pytorch_reader *r, struct az_sv raw, bool escaped, uint32_t *id)
{
    if (escaped) {
        raw = az_json_unescape(&r->scratch, raw);
        if (!raw.p)
            return az_arena_error(&r->scratch);
    }
    *id = az_trace_name(r->trace, raw);
    return r->trace->names.error;
}

/* Id of an argument of an operator; AZ_NO_ID if it is absent. */
static int arg_id(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                  enum az_pytorch_arg a, uint32_t *id)
{
    struct az_sv raw = az_pytorch_text(e, a);
    struct az_pytorch_known *known = raw.n ? e->known[a - AZ_PYTORCH_DIMS] : NULL;
    if (known && known->raw.p == raw.p) {
        *id = known->id;
        return 0;
    }
    int rc = az_optrace_text(r->trace, &raw, id);
    if (rc == 0 && known)
        *known = (struct az_pytorch_known){ raw, *id };
    return rc;
}

static int args_row(struct az_pytorch_reader *r, const struct az_pytorch_event *e, uint32_t *row)
{
    struct az_op_args a = { .facts = AZ_NO_ID };
    *row = AZ_NO_ROW;
    if (!(e->given & (AZ_PYTORCH_BIT(AZ_PYTORCH_DIMS) | AZ_PYTORCH_BIT(AZ_PYTORCH_TYPES) |
                      AZ_PYTORCH_BIT(AZ_PYTORCH_STRIDES) | AZ_PYTORCH_BIT(AZ_PYTORCH_CONCRETE))))
        return 0;
    int rc = arg_id(r, e, AZ_PYTORCH_DIMS, &a.dims);
    if (rc == 0)
        rc = arg_id(r, e, AZ_PYTORCH_TYPES, &a.types);
    if (rc == 0)
        rc = arg_id(r, e, AZ_PYTORCH_STRIDES, &a.strides);
    if (rc == 0)
        rc = arg_id(r, e, AZ_PYTORCH_CONCRETE, &a.concrete);
    return rc ? rc : az_optrace_args(r->trace, &a, row);
}

/* Where the code of its kernel is, of an operator that torch.compile made. */
static int file_row(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_op_file f = { .uid = r->uid };
    int rc = az_pytorch_name(r, az_pytorch_text(e, AZ_PYTORCH_KERNEL_FILE), true, &f.path);
    return rc ? rc : az_vec_push(&az_optrace(r->trace)->op_files, f);
}

static int operator_row(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                        uint32_t *side)
{
    struct az_optrace *o = az_optrace(r->trace);
    const int64_t seq = az_pytorch_number(e, AZ_PYTORCH_SEQ, -1);
    uint32_t args;
    *side = AZ_NO_ROW;
    int rc = args_row(r, e, &args);
    return rc || (args == AZ_NO_ROW && seq < 0) ? rc : az_optrace_op(o, args, seq, side);
}

static int collective_row(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          uint32_t *side)
{
    const int64_t seq = az_pytorch_number(e, AZ_PYTORCH_COLL_SEQ, -1),
                  peer = az_pytorch_number(e, AZ_PYTORCH_PEER, -1);
    uint32_t id[AZ_PYTORCH_ARGS - AZ_PYTORCH_COLL];
    *side = AZ_NO_ROW;
    if (!(e->given & AZ_PYTORCH_COLL_GIVEN) && seq < 0 && peer < 0)
        return 0;
    for (enum az_pytorch_arg i = AZ_PYTORCH_COLL; i < AZ_PYTORCH_ARGS; i++) {
        id[i - AZ_PYTORCH_COLL] =
            az_pytorch_has(e, i) ? az_trace_name(r->trace, az_pytorch_text(e, i)) : AZ_NO_ID;
    }
    struct az_coll_args a = { .name = id[0],
                              .in_nelems = id[1],
                              .out_nelems = id[2],
                              .group_size = id[3],
                              .dtype = id[4],
                              .in_split = id[5],
                              .out_split = id[6],
                              .pg_name = id[7],
                              .pg_desc = id[8],
                              .pg_ranks = id[9],
                              .seq = seq,
                              .peer = peer };
    return az_optrace_coll(r->trace, &a, side);
}

/* Stored of a host event for the kernels that it launches (model/optrace.h). */
static int collective_source(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_coll_source s = { .uid = r->uid, .args = AZ_NO_ROW };
    int rc = collective_row(r, e, &s.coll);
    if (rc == 0 && e->name.n > 5 && memcmp(e->name.p, "nccl:", 5) == 0)
        rc = args_row(r, e, &s.args);
    if (rc || (s.coll == AZ_NO_ROW && s.args == AZ_NO_ROW))
        return rc;
    return az_vec_push(&az_optrace(r->trace)->coll_sources, s);
}

static int copy_name(struct az_pytorch_reader *r, const struct az_pytorch_event *e, uint32_t *name)
{
    const struct az_sv text = az_pytorch_copy_text(&r->scratch, e);
    if (text.p)
        *name = az_trace_name(r->trace, text);
    return r->scratch.failed ? az_arena_error(&r->scratch) : r->trace->names.error;
}

static int copy_row(struct az_pytorch_reader *r, const struct az_pytorch_event *e, uint32_t *side)
{
    struct az_copy c = {
        .bytes = az_pytorch_number(e, AZ_PYTORCH_BYTES, -1), .op = -1, .src = -1, .dst = -1
    };
    if (az_pytorch_has(e, AZ_PYTORCH_GBPS) &&
        az_parse_f64(az_pytorch_text(e, AZ_PYTORCH_GBPS), &c.gbps) != 0)
        c.gbps = 0;
    *side = (uint32_t)r->trace->copies.n;
    return az_vec_push(&r->trace->copies, c);
}

static int sync_row(struct az_pytorch_reader *r, const struct az_pytorch_event *e, uint32_t *side)
{
    struct az_optrace *o = az_optrace(r->trace);
    const int64_t stream = az_pytorch_number(e, AZ_PYTORCH_WAIT_STREAM, -1),
                  corr = az_pytorch_number(e, AZ_PYTORCH_WAIT_CORR, -1);
    if (stream < 0 && corr <= 0)
        return 0;
    *side = (uint32_t)o->syncs.n;
    return az_vec_push(&o->syncs, ((struct az_sync){ stream, corr > 0 ? (uint64_t)corr : 0 }));
}

/* ---- categories ---- */

static int other_category(struct az_pytorch_reader *r, struct az_sv cat)
{
    const uint32_t id = az_trace_name(r->trace, cat);
    for (size_t i = 0; i < r->other_cats.n; i++) {
        if (r->other_cats.v[i] >> 32 == id) {
            r->other_cats.v[i]++;
            return 0;
        }
    }
    if (r->other_cats.n == AZ_PYTORCH_CATEGORIES) {
        r->more_cats++;
        return 0;
    }
    return az_vec_push(&r->other_cats, (uint64_t)id << 32 | 1);
}

/* ---- spans ---- */
void az_pytorch_launch_key(struct az_pytorch_reader *r, bool ext)
{
    struct az_optrace *o = az_optrace(r->trace);
    if (!r->launch_seen)
        o->key_is_ext = ext;
    else if (!ext && !az_sv_is(r->opts->link_by, "flow"))
        o->key_is_ext = false;
    r->launch_seen = true;
}

/* Columns of an event of this kind beyond its times: its side row, and marks of the trace. */
static int details(struct az_pytorch_reader *r, const struct az_pytorch_event *e, enum az_kind kind,
                   struct az_event *v)
{
    struct az_optrace *o = az_optrace(r->trace);
    int rc;
    switch (kind) {
    case AZ_HOST_OP:
        o->has_ops = true;
        v->corr = (uint64_t)az_pytorch_number(e, AZ_PYTORCH_EXT, 0);
        if ((e->given & AZ_PYTORCH_COLL_GIVEN) ||
            az_pytorch_number(e, AZ_PYTORCH_COLL_SEQ, -1) >= 0) {
            rc = collective_source(r, e);
            if (rc)
                return rc;
        }
        if (az_pytorch_text(e, AZ_PYTORCH_KERNEL_FILE).n) {
            rc = file_row(r, e);
            if (rc)
                return rc;
        }
        return operator_row(r, e, &v->side);
    case AZ_RANGE:
        return e->name.n > 5 && e->name.p[0] == 'n' ? collective_source(r, e) : 0;
    case AZ_CALL:
        if ((!r->launch_seen || (o->key_is_ext && az_pytorch_has(e, AZ_PYTORCH_CORR))) &&
            az_sv_ifind(e->name, AZ_SV("launch")) >= 0)
            az_pytorch_launch_key(r, !az_pytorch_has(e, AZ_PYTORCH_CORR));
        if (r->captured && az_pytorch_text(e, AZ_PYTORCH_KERNEL).n) {
            rc = az_pytorch_name(r, az_pytorch_text(e, AZ_PYTORCH_KERNEL), true, &v->side);
            if (rc)
                return rc;
        }
        return az_sv_ends(e->cat, AZ_SV("_driver")) ? az_optrace_driver(r->trace, v->name) : 0;
    case AZ_KERNEL:
        rc = az_pytorch_graph_node(r, e);
        if (rc)
            return rc;
        if (az_geometry_read(r->trace)) {
            rc = az_pytorch_geometry(r, e, &v->geo);
            if (rc)
                return rc;
        }
        return collective_row(r, e, &v->side);
    case AZ_MEMCPY:
    case AZ_MEMSET:
        rc = az_pytorch_graph_node(r, e);
        if (rc == 0)
            rc = copy_name(r, e, &v->name);
        return rc ? rc : copy_row(r, e, &v->side);
    case AZ_SYNC:
        return sync_row(r, e, &v->side);
    default:
        return 0;
    }
}

#define GAP_FRAME_US 10 /* a shorter one covers no gap of the device that is worth a frame */

/* Name and times alone: one that can cover idle time of the device, or the call of a module. */
static int add_bare_frame(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          enum az_kind kind)
{
    struct az_event v = { .start = e->ts, .end = e->ts + e->dur, .side = AZ_NO_ROW };
    int rc = lane_of(r, e, false, &v.lane);
    if (rc == 0)
        rc = az_pytorch_name(r, e->name, e->name_escaped, &v.name);
    return rc ? rc : az_trace_add(r->trace, kind, &v);
}

/* Of frames that are not stored the longest locate a loop, and those that are not short explain
 * idle time of the device. */
static int skip_frame(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    uint64_t pid, tid;
    r->frames++;
    if (e->dur < GAP_FRAME_US * (int64_t)1000 * r->trace->ticks_per_ns)
        return 0;
    int rc = add_bare_frame(r, e, AZ_GAP_FRAME);
    if (rc || e->dur <= r->long_enough)
        return rc;
    rc = identity(r, &e->pid, &pid);
    if (rc == 0)
        rc = identity(r, &e->tid, &tid);
    return rc ? rc : az_pytorch_frame_long(r, e, pid, tid);
}

static int add_span(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    enum az_kind kind = az_pytorch_kind_of(e->cat);
    struct az_event v = { .start = e->ts, .side = AZ_NO_ROW, .uid = r->uid };
    if (kind == AZ_KIND_COUNT)
        return az_sv_is(e->cat, "cuda_profiler_range") ? az_pytorch_add_counters(r, e)
               : az_pytorch_is_graph_pass(e->cat)      ? az_pytorch_graph_pass(r, e)
                                                       : other_category(r, e->cat);
    if (!e->has_ts || !e->has_dur || e->dur < 0 || __builtin_add_overflow(e->ts, e->dur, &v.end)) {
        const bool device = kind == AZ_KERNEL || kind == AZ_MEMCPY || kind == AZ_MEMSET;
        const bool impossible = device && e->has_ts && e->has_dur;
        r->no_time += !device;
        r->no_device_time += device && !impossible;
        if (impossible)
            az_trace_impossible(r->trace, kind, e->ts, e->ts);
        return 0;
    }
    if (kind == AZ_FRAME && az_sv_starts(e->name, AZ_SV("nn.Module: "))) {
        const int added = add_bare_frame(r, e, AZ_MODULE);
        if (added)
            return added;
    }
    if (kind == AZ_FRAME && !r->keep_frames)
        return skip_frame(r, e);
    bool gpu = kind == AZ_KERNEL || kind == AZ_MEMCPY || kind == AZ_MEMSET;
    int rc = lane_of(r, e, gpu || kind == AZ_GPU_RANGE || kind == AZ_SYNC, &v.lane);
    if (rc == 0)
        rc = az_pytorch_name(r, e->name, e->name_escaped, &v.name);
    v.corr = (uint64_t)az_pytorch_number(e, AZ_PYTORCH_CORR, 0);
    v.node = az_pytorch_has(e, AZ_PYTORCH_EXT) ? (uint64_t)e->number[AZ_PYTORCH_EXT] + 1 : 0;
    if (rc == 0)
        rc = details(r, e, kind, &v);
    if (rc)
        return rc;
    r->trace->kept++;
    return az_trace_add(r->trace, kind, &v);
}

/* ---- other phases ---- */
static const struct {
    const char *letters, *reason;
} phases[AZ_PYTORCH_PHASES] = {
    [AZ_PYTORCH_INSTANTS_PH] = { "iIR", "events without a length (phases i, I and R)" },
    [AZ_PYTORCH_HALVES_PH] = { "BE", "begins and ends of spans written apart (phases B and E)" },
    [AZ_PYTORCH_ASYNC_PH] = { "bneSTpF", "asynchronous spans (phases b, n, e, S, T, p and F)" },
    [AZ_PYTORCH_ARROWS_PH] = { "stf", "flow arrows not used (phases s, t and f)" },
    [AZ_PYTORCH_UNKNOWN_PH] = { "", "events of unknown phase" },
};

static int left_out(struct az_pytorch_reader *r, char ph)
{
    unsigned k = ph == 's' || ph == 'f' ? AZ_PYTORCH_ARROWS_PH : 0; /* most of them */
    while (k < AZ_PYTORCH_UNKNOWN_PH && (ph == 0 || !strchr(phases[k].letters, ph)))
        k++;
    r->phase[k]++;
    return 0;
}

/* ---- flows and metadata ---- */
static bool flow_id(const struct az_pytorch_id *id, int64_t *v)
{
    *v = id->v;
    return id->number || (id->raw.n >= 2 && id->raw.p[0] == '"' &&
                          az_parse_i64(az_sv_make(id->raw.p + 1, id->raw.n - 2), v) == 0);
}

static int add_flow(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_optrace *o = az_optrace(r->trace);
    int64_t id;
    if (!flow_id(&e->id, &id))
        return left_out(r, e->ph);
    if (az_sv_is(e->cat, "fwdbwd")) {
        struct az_fwdbwd f = { .id = (uint64_t)id, .at = e->ts, .start = e->ph == 's' };
        int rc = az_pytorch_lane(r, e, false, &f.lane);
        return rc ? rc : az_vec_push(&o->fwdbwd, f);
    }
    if (!az_sv_is(e->cat, "ac2g") && !az_sv_is(e->cat, "async_cpu_to_gpu") &&
        !az_sv_is(e->cat, "async"))
        return left_out(r, e->ph);
    if (id >= AZ_PYTORCH_NODE_ARROWS)
        return az_pytorch_graph_wait(r, e, id);
    o->has_flows = true;
    if (!az_sv_is(r->opts->link_by, "flow"))
        return left_out(r, e->ph);
    struct az_flow f = { .id = (uint64_t)id, .lane = AZ_NO_ROW };
    /* The arrow ends on the lane of the same pid and tid, device or host: whichever exists is found
     * when linking. */
    int rc = e->ph == 's' ? 0 : az_pytorch_lane(r, e, true, &f.lane);
    return rc ? rc : az_vec_push(&o->flows, f);
}

static int add_metadata(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    static const char *const kinds[] = { "process_name", "process_labels", "thread_name" };
    struct az_pytorch_meta m = { .kind = 0 };
    while (m.kind < 3 && !az_sv_is(e->name, kinds[m.kind]))
        m.kind++;
    if (m.kind == 3)
        return 0;
    struct az_sv text = az_json_unescape(
        &r->scratch, az_pytorch_text(e, m.kind == 1 ? AZ_PYTORCH_LABELS : AZ_PYTORCH_NAME));
    int rc = r->scratch.failed ? az_arena_error(&r->scratch) : identity(r, &e->pid, &m.pid);
    if (rc == 0)
        rc = identity(r, &e->tid, &m.tid);
    m.text = az_trace_name(r->trace, text);
    return rc ? rc : az_vec_push(&r->meta, m);
}

static int add_instant(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    bool taken = false;
    const int rc = az_sv_is(e->name, "[memory]") ? az_pytorch_add_memory(r, e, &taken) : 0;
    return rc || taken ? rc : left_out(r, e->ph);
}

int az_pytorch_add(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    if (az_sv_is(e->cat, AZ_PYTORCH_ADDED))
        return AZ_OK;
    r->trace->read++;
    switch (e->ph) {
    case 'i':
        return add_instant(r, e);
    case 'X':
        return add_span(r, e);
    case 'C':
        return az_pytorch_add_samples(r, e);
    case 's':
    case 'f':
    case 't':
        return add_flow(r, e);
    case 'M':
        return add_metadata(r, e);
    case 'B':
        return az_pytorch_begin_span(r, e, add_span);
    case 'E':
        return az_pytorch_end_span(r, e);
    default:
        return left_out(r, e->ph);
    }
}

/* Names of one kind for all lanes; the last one wins. Those of a process apply to all its threads,
 * whatever thread they were written with. */
static int name_lanes(struct az_pytorch_reader *r, uint32_t kind)
{
    struct az_map map;
    const struct az_lanes *lanes = &r->trace->lanes;
    struct az_lane_name_rows *rows = &az_optrace(r->trace)->lane_names;
    int rc = 0;
    az_map_init(&map, r->trace->mem, 64);
    for (size_t i = 0; rc == 0 && i < r->meta.n; i++) {
        const struct az_pytorch_meta *m = &r->meta.v[i];
        uint32_t *text;
        bool added;
        if (m->kind != kind)
            continue;
        rc = az_map_put(&map, m->pid, kind == 2 ? m->tid : 0, m->text, &text, &added);
        if (rc == 0)
            *text = m->text;
    }
    for (size_t i = 0; rc == 0 && i < rows->n; i++) {
        const uint32_t text = az_map_get(&map, lanes->v[i].pid, kind == 2 ? lanes->v[i].tid : 0);
        uint32_t *const field[] = { &rows->v[i].process_name, &rows->v[i].process_label,
                                    &rows->v[i].thread_name };
        *field[kind] = text;
    }
    az_map_release(&map);
    return rc;
}

int az_pytorch_finish(struct az_pytorch_reader *r)
{
    struct az_trace *t = r->trace;
    struct az_optrace *o = az_optrace(t);
    int rc = az_vec_reserve(&o->lane_names, t->lanes.n);
    if (rc)
        return rc;
    o->lane_names.n = t->lanes.n;
    for (uint32_t kind = 0; rc == 0 && kind < 3; kind++)
        rc = name_lanes(r, kind);
    if (rc == 0)
        rc = az_pytorch_begins_finish(r);
    if (rc == 0)
        rc = az_pytorch_find_merged(r);
    if (rc)
        return rc;
    o->n_events = r->uid;
    if ((rc = az_pytorch_frames_finish(r)) != 0)
        return rc;
    if (r->frames)
        az_trace_dropped(t, AZ_DROP_NOT_MODELLED,
                         "python frames (used only for call stacks and recompute detection)",
                         r->frames, 0);
    if (r->no_time)
        az_trace_dropped(t, AZ_DROP_LOST, "spans without a start or a duration", r->no_time, 0);
    if (r->no_device_time)
        az_trace_lost(t, AZ_KERNEL, "spans of the device without a start or a duration",
                      r->no_device_time, 0);
    if (r->duplicate_keys)
        az_trace_note(t, "events with a duplicate key", r->duplicate_keys,
                      "the last value of the key counts");
    if (o->logical_lanes)
        az_trace_note(t, "device events on logical lanes", o->logical_lanes,
                      "tables by stream use the profiler's lanes, on which events do not overlap; "
                      "CUDA streams are in original_stream");
    if (r->no_value)
        az_trace_dropped(t, AZ_DROP_LOST,
                         "samples of counters without a number or a time (phase C)", r->no_value,
                         0);
    for (unsigned k = 0; k < AZ_PYTORCH_PHASES; k++)
        if (r->phase[k])
            az_trace_dropped(t, AZ_DROP_NOT_MODELLED, phases[k].reason, r->phase[k], 0);
    for (size_t i = 0; i < r->other_cats.n; i++) {
        struct az_sv cat = az_trace_text(t, (uint32_t)(r->other_cats.v[i] >> 32));
        struct az_sv text = cat.n ? az_arena_printf(&t->arena, "category %.*s", AZ_SVF(cat))
                                  : AZ_SV("category (none)");
        if (text.p)
            az_trace_dropped(t, AZ_DROP_NOT_MODELLED, text.p, (uint32_t)r->other_cats.v[i], 0);
    }
    if (r->more_cats)
        az_trace_dropped(t, AZ_DROP_NOT_MODELLED, "further categories", r->more_cats, 0);
    return 0;
}
