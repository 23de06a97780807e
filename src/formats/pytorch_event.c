/* One event of a PyTorch trace into the model (spec: PyTorch-profiler report, 1.3 to 1.5). */
#include "base/num.h"
#include "formats/pytorch.h"

enum { K_PH = 1, K_CAT, K_NAME, K_PID, K_TID, K_TS, K_DUR, K_ARGS, K_ID, K_BP, K_S };
static const char *const event_keys[] = { "ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "s", NULL };

enum {
    A_CORR = 1, A_EXT, A_STREAM, A_DEVICE, A_DIMS, A_TYPES, A_STRIDES, A_CONCRETE, A_SEQ, A_FWD, A_BYTES,
    A_COLL, A_IN_N, A_OUT_N, A_GROUP, A_DTYPE, A_IN_SPLIT, A_OUT_SPLIT, A_PG_NAME, A_PG_DESC, A_PG_RANKS, A_COLL_SEQ,
    A_NAME, A_LABELS, A_FIRST_IGNORED
};
/* Keys behind `labels` are not wanted; they are listed so that the scanner predicts what follows them. */
static const char *const arg_keys[] = {
    "correlation", "External id", "stream", "device", "Input Dims", "Input type", "Input Strides", "Concrete Inputs",
    "Sequence number", "Fwd thread id", "bytes", "Collective name", "In msg nelems", "Out msg nelems", "Group size",
    "dtype", "In split size", "Out split size", "Process Group Name", "Process Group Description",
    "Process Group Ranks", "Seq", "name", "labels", "Record function id", "Ev Idx", "finished", "cbid", "cid", "queued",
    "context", "registers per thread", "shared memory", "blocks per SM", "warps per SM", "grid", "block",
    "est. achieved occupancy %", "Python id", "Python parent id", "Python module id", "kind", "kernel",
    "memory bandwidth (GB/s)", "sort_index", "scope", "src", "dst", "ptr", "Addr", "Bytes", "Device Id", "Device Type",
    "Total Allocated", "Total Reserved", "graph node id", "graph id", "priority", "Comms Id", "kernel_name", "kernel_file",
    "kernel_hash", "kernel_backend", "kernel_kwargs", "num_warps", "num_stages", NULL
};

/* One event as read; views live to the end of the record. */
struct event {
    char ph;
    bool has_ts, has_dur, has_corr, has_ext;
    struct az_sv cat, name, pid, tid, id;
    bool name_escaped;
    int64_t ts, dur, corr, ext, bytes, seq, fwd, coll_seq, stream, device;
    bool has_stream, has_device;
    struct az_sv dims, types, strides, concrete;
    struct az_sv coll[10]; /* A_COLL .. A_PG_RANKS */
    struct az_sv arg_name, labels;
};

int az_pt_reader_init(struct az_pt_reader *r, struct az_trace *t, const struct az_options *o)
{
    memset(r, 0, sizeof *r);
    r->trace = t;
    r->opts = o;
    r->keep_frames = o->include_call_stack || o->detect_recompute;
    az_jkeys_init(&r->event_keys, event_keys);
    az_jkeys_init(&r->arg_keys, arg_keys);
    az_arena_init(&r->scratch, t->mem);
    az_vec_init(&r->other_cats, t->mem);
    for (size_t i = 0; i < sizeof r->slot / sizeof *r->slot; i++)
        r->slot[i].lane = AZ_NO_ROW;
    for (enum az_kind k = AZ_KERNEL; k <= AZ_MEMSET; k++)
        az_trace_columns(t, k, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID | AZ_COL_NODE);
    az_trace_columns(t, AZ_HOST_OP, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR | AZ_COL_UID | AZ_COL_NODE);
    az_trace_columns(t, AZ_FRAME, AZ_COL_UID);
    az_trace_columns(t, AZ_RANGE, AZ_COL_UID | AZ_COL_SIDE);
    az_trace_columns(t, AZ_GPU_RANGE, AZ_COL_UID);
    az_trace_columns(t, AZ_SYNC, AZ_COL_CORR | AZ_COL_UID);
    az_trace_columns(t, AZ_OVERHEAD, AZ_COL_UID);
    return az_map_init(&r->lanes, t->mem, 64);
}

void az_pt_reader_release(struct az_pt_reader *r)
{
    az_arena_release(&r->scratch);
    az_map_release(&r->lanes);
    az_vec_release(&r->other_cats);
    az_mem_free(r->trace->mem, r->meta, r->cap_meta * sizeof *r->meta);
}

static int text_value(struct az_jscan *s, struct az_sv *out, bool *escaped)
{
    int rc = az_j_string(s, out, escaped);
    if (rc != AZ_J_BAD)
        return rc;
    *escaped = false;
    return az_j_skip(s, out);
}

/* A number that may be absent or beyond 64 bits. */
static int number(struct az_jscan *s, int64_t *out, bool *has)
{
    bool missing;
    int rc = az_j_decimal(s, 0, out, &missing);
    *has = rc == AZ_J_OK && !missing;
    return rc;
}

static int read_args(struct az_pt_reader *r, struct az_jscan *s, struct event *e)
{
    struct az_sv raw;
    bool flag;
    int rc;
    if (*s->p != '{')
        return az_j_skip(s, &raw);
    s->p++;
    int k = az_j_first_key(s, &r->arg_keys);
    while (k >= 0) {
        switch (k) {
        case A_CORR: rc = number(s, &e->corr, &e->has_corr); break;
        case A_EXT: rc = number(s, &e->ext, &e->has_ext); break;
        case A_STREAM: rc = number(s, &e->stream, &e->has_stream); break;
        case A_DEVICE: rc = number(s, &e->device, &e->has_device); break;
        case A_SEQ:
            rc = number(s, &e->seq, &flag);
            e->seq = flag ? e->seq : -1;
            break;
        case A_FWD: rc = number(s, &e->fwd, &flag); break;
        case A_BYTES:
            rc = number(s, &e->bytes, &flag);
            e->bytes = flag ? e->bytes : -1;
            break;
        case A_COLL_SEQ:
            rc = number(s, &e->coll_seq, &flag);
            e->coll_seq = flag ? e->coll_seq : -1;
            break;
        case A_DIMS: rc = az_j_skip(s, &e->dims); break;
        case A_TYPES: rc = az_j_skip(s, &e->types); break;
        case A_STRIDES: rc = az_j_skip(s, &e->strides); break;
        case A_CONCRETE: rc = az_j_skip(s, &e->concrete); break;
        case A_NAME: rc = text_value(s, &e->arg_name, &flag); break;
        case A_LABELS: rc = text_value(s, &e->labels, &flag); break;
        default:
            rc = k >= A_COLL && k <= A_PG_RANKS ? text_value(s, &e->coll[k - A_COLL], &flag) : az_j_skip(s, &raw);
        }
        if (rc != AZ_J_OK)
            return rc;
        k = az_j_next_key(s, &r->arg_keys, k);
    }
    return k == AZ_J_END ? AZ_J_OK : k;
}

static int read_event(struct az_pt_reader *r, struct az_jscan *s, struct event *e)
{
    struct az_sv raw;
    bool flag, missing;
    int rc, k = az_j_first_key(s, &r->event_keys);
    while (k >= 0) {
        switch (k) {
        case K_PH:
            rc = text_value(s, &raw, &flag);
            e->ph = rc == AZ_J_OK && raw.n == 1 ? *raw.p : 0;
            break;
        case K_CAT: rc = text_value(s, &e->cat, &flag); break;
        case K_NAME: rc = text_value(s, &e->name, &e->name_escaped); break;
        case K_PID: rc = az_j_skip(s, &e->pid); break;
        case K_TID: rc = az_j_skip(s, &e->tid); break;
        case K_ID: rc = az_j_skip(s, &e->id); break;
        case K_TS:
            rc = az_j_decimal(s, 3, &e->ts, &missing);
            e->has_ts = !missing;
            break;
        case K_DUR:
            rc = az_j_decimal(s, 3, &e->dur, &missing);
            e->has_dur = !missing;
            break;
        case K_ARGS: rc = read_args(r, s, e); break;
        default: rc = az_j_skip(s, &raw);
        }
        if (rc != AZ_J_OK)
            return rc;
        k = az_j_next_key(s, &r->event_keys, k);
    }
    return k == AZ_J_END ? AZ_J_OK : k;
}

/* pid and tid may be numbers or text: numbers stand for themselves, text for its name id with the top bit set. */
static int identity(struct az_pt_reader *r, struct az_sv raw, uint64_t *out)
{
    int64_t v;
    uint32_t id;
    if (raw.n && (raw.p[0] == '-' || (raw.p[0] >= '0' && raw.p[0] <= '9')) && az_parse_i64(raw, &v) == 0) {
        *out = (uint64_t)v & (UINT64_MAX >> 1);
        return 0;
    }
    if (raw.n >= 2 && raw.p[0] == '"')
        raw = az_sv_make(raw.p + 1, raw.n - 2);
    int rc = az_trace_name(r->trace, raw, &id);
    *out = (uint64_t)1 << 63 | id;
    return rc;
}

/* "stream 7" of old traces -> 7 */
static int64_t stream_number(const struct az_trace *t, uint64_t tid)
{
    if (!(tid >> 63))
        return (int64_t)tid;
    struct az_sv text = az_trace_text(t, (uint32_t)tid);
    int64_t v;
    if (az_sv_starts(text, AZ_SV("stream ")) && az_parse_i64(az_sv_make(text.p + 7, text.n - 7), &v) == 0)
        return v;
    return -1;
}

static int lane_of(struct az_pt_reader *r, const struct event *e, bool device_side, uint32_t *lane)
{
    uint64_t pid, tid;
    int rc = identity(r, e->pid, &pid);
    if (rc == 0)
        rc = identity(r, e->tid, &tid);
    if (rc)
        return rc;
    struct az_pt_lane_slot *slot = &r->slot[(pid * 31 + tid * 7 + device_side) & 63];
    if (slot->lane != AZ_NO_ROW && slot->pid == pid && slot->tid == tid && slot->device_side == device_side) {
        *lane = slot->lane;
        return 0;
    }
    uint32_t *known;
    bool added;
    rc = az_map_put(&r->lanes, pid, device_side ? ~tid : tid, 0, &known, &added);
    if (rc)
        return rc;
    if (added) {
        struct az_lane l = { .device_side = device_side, .pid = pid, .tid = tid, .device = -1, .label = AZ_NO_ID };
        l.proc = device_side ? 0 : pid;
        l.thread = device_side ? 0 : tid;
        if (device_side) {
            l.device = e->has_device ? e->device : pid >> 63 ? -1 : (int64_t)pid;
            int64_t stream = e->has_stream ? e->stream : stream_number(r->trace, tid);
            l.context = stream < 0 ? UINT64_MAX : (uint64_t)stream; /* the stream number; tid stays the identity */
        }
        rc = az_trace_lane(r->trace, &l, known);
        if (rc)
            return rc;
    }
    *slot = (struct az_pt_lane_slot){ .pid = pid, .tid = tid, .lane = *known, .device_side = device_side };
    *lane = *known;
    return 0;
}

static int name_id(struct az_pt_reader *r, struct az_sv raw, bool escaped, uint32_t *id)
{
    if (escaped) {
        raw = az_json_unescape(&r->scratch, raw);
        if (!raw.p)
            return az_arena_error(&r->scratch);
    }
    return az_trace_name(r->trace, raw, id);
}

static int operator_row(struct az_pt_reader *r, const struct event *e, uint32_t *side)
{
    struct az_optrace *o = az_optrace(r->trace);
    struct az_op op = { .args = AZ_NO_ROW, .seq = e->seq, .fwd_thread = (uint32_t)e->fwd };
    *side = AZ_NO_ROW;
    if (e->dims.n || e->types.n || e->strides.n || e->concrete.n) {
        struct az_op_args a;
        int rc = az_optrace_text(r->trace, e->dims, &a.dims);
        if (rc == 0)
            rc = az_optrace_text(r->trace, e->types, &a.types);
        if (rc == 0)
            rc = az_optrace_text(r->trace, e->strides, &a.strides);
        if (rc == 0)
            rc = az_optrace_text(r->trace, e->concrete, &a.concrete);
        if (rc == 0)
            rc = az_optrace_args(r->trace, &a, &op.args);
        if (rc)
            return rc;
    }
    if (op.args == AZ_NO_ROW && op.seq < 0)
        return 0;
    *side = (uint32_t)o->ops.n;
    return az_vec_push(&o->ops, op);
}

static int collective_row(struct az_pt_reader *r, const struct event *e, uint32_t *side)
{
    bool any = e->coll_seq >= 0;
    uint32_t id[10];
    *side = AZ_NO_ROW;
    for (int i = 0; i < 10; i++) {
        any = any || e->coll[i].n;
        id[i] = AZ_NO_ID;
        int rc = e->coll[i].p ? az_trace_name(r->trace, e->coll[i], &id[i]) : 0;
        if (rc)
            return rc;
    }
    if (!any)
        return 0;
    struct az_coll_args a = { .name = id[0], .in_nelems = id[1], .out_nelems = id[2], .group_size = id[3], .dtype = id[4],
                              .in_split = id[5], .out_split = id[6], .pg_name = id[7], .pg_desc = id[8], .pg_ranks = id[9],
                              .seq = e->coll_seq };
    return az_optrace_coll(r->trace, &a, side);
}

/* ---- categories ---- */
static const struct {
    const char *cat;
    enum az_kind kind;
} categories[] = {
    { "cpu_op", AZ_HOST_OP },          { "Operator", AZ_HOST_OP },
    { "cuda_runtime", AZ_CALL },       { "cuda_driver", AZ_CALL },
    { "Runtime", AZ_CALL },            { "kernel", AZ_KERNEL },
    { "Kernel", AZ_KERNEL },           { "gpu_memcpy", AZ_MEMCPY },
    { "Memcpy", AZ_MEMCPY },           { "gpu_memset", AZ_MEMSET },
    { "Memset", AZ_MEMSET },           { "python_function", AZ_FRAME },
    { "user_annotation", AZ_RANGE },   { "gpu_user_annotation", AZ_GPU_RANGE },
    { "cuda_sync", AZ_SYNC },          { "overhead", AZ_OVERHEAD },
};

static int other_category(struct az_pt_reader *r, struct az_sv cat)
{
    uint32_t id;
    int rc = az_trace_name(r->trace, cat, &id);
    if (rc)
        return rc;
    for (size_t i = 0; i < r->other_cats.n; i++) {
        if (r->other_cats.v[i] >> 32 == id) {
            r->other_cats.v[i]++;
            return 0;
        }
    }
    return az_vec_push(&r->other_cats, (uint64_t)id << 32 | 1);
}

static bool name_has_launch(struct az_sv name) { return az_sv_ifind(name, AZ_SV("launch")) >= 0; }

static int add_span(struct az_pt_reader *r, const struct event *e)
{
    enum az_kind kind = AZ_KIND_COUNT;
    for (size_t i = 0; i < sizeof categories / sizeof *categories && kind == AZ_KIND_COUNT; i++)
        if (az_sv_is(e->cat, categories[i].cat))
            kind = categories[i].kind;
    if (kind == AZ_KIND_COUNT)
        return other_category(r, e->cat);
    if (!e->has_ts || !e->has_dur || e->dur < 0) {
        r->no_time++;
        return 0;
    }
    if (kind == AZ_FRAME && !r->keep_frames) {
        az_trace_dropped(r->trace, "python frames (kept only for call stacks and recompute detection)", 1, 0);
        return 0;
    }
    struct az_trace *t = r->trace;
    bool gpu = kind == AZ_KERNEL || kind == AZ_MEMCPY || kind == AZ_MEMSET;
    struct az_event v = { .start = e->ts, .side = AZ_NO_ROW, .uid = r->uid };
    if (__builtin_add_overflow(e->ts, e->dur, &v.end)) {
        r->no_time++;
        return 0;
    }
    int rc = lane_of(r, e, gpu || kind == AZ_GPU_RANGE || kind == AZ_SYNC, &v.lane);
    if (rc == 0)
        rc = name_id(r, e->name, e->name_escaped, &v.name);
    if (rc)
        return rc;
    v.corr = e->has_corr ? (uint64_t)e->corr : 0;
    v.node = e->has_ext ? (uint64_t)e->ext + 1 : 0;
    struct az_optrace *o = az_optrace(t);
    switch (kind) {
    case AZ_HOST_OP:
        o->has_ops = true;
        v.corr = e->has_ext ? (uint64_t)e->ext : 0;
        rc = operator_row(r, e, &v.side);
        break;
    case AZ_CALL:
        if (!r->launch_seen && name_has_launch(e->name)) {
            r->launch_seen = true;
            o->key_is_ext = !e->has_corr;
        }
        break;
    case AZ_KERNEL: rc = collective_row(r, e, &v.side); break;
    case AZ_MEMCPY:
    case AZ_MEMSET: {
        struct az_copy c = { .bytes = e->bytes, .op = -1, .src = -1, .dst = -1 };
        v.side = (uint32_t)t->copies.n;
        rc = az_vec_push(&t->copies, c);
        break;
    }
    default: break;
    }
    if (rc)
        return rc;
    t->kept++;
    return az_trace_add(t, kind, &v);
}

/* ---- flows and metadata ---- */
static int add_flow(struct az_pt_reader *r, const struct event *e)
{
    struct az_optrace *o = az_optrace(r->trace);
    int64_t id;
    struct az_sv raw = e->id;
    if (raw.n >= 2 && raw.p[0] == '"')
        raw = az_sv_make(raw.p + 1, raw.n - 2);
    if (az_parse_i64(raw, &id) != 0)
        return 0;
    if (az_sv_is(e->cat, "fwdbwd")) {
        struct az_fwdbwd f = { .id = (uint64_t)id, .at = e->ts, .start = e->ph == 's' };
        int rc = lane_of(r, e, false, &f.lane);
        return rc ? rc : az_vec_push(&o->fwdbwd, f);
    }
    if (!az_sv_is(e->cat, "ac2g") && !az_sv_is(e->cat, "async_cpu_to_gpu") && !az_sv_is(e->cat, "async"))
        return 0;
    o->has_flows = true;
    if (!az_sv_is(r->opts->link_by, "flow"))
        return 0;
    struct az_flow f = { .id = (uint64_t)id, .lane = AZ_NO_ROW };
    if (e->ph != 's') {
        /* The arrow ends on the lane of the same pid and tid, device or host: whichever exists is found when linking. */
        int rc = lane_of(r, e, true, &f.lane);
        if (rc)
            return rc;
    }
    return az_vec_push(&o->flows, f);
}

static int add_metadata(struct az_pt_reader *r, const struct event *e)
{
    struct az_pt_meta m = { .kind = UINT32_MAX };
    struct az_sv text = e->arg_name;
    if (az_sv_is(e->name, "process_name"))
        m.kind = 0;
    else if (az_sv_is(e->name, "process_labels"))
        m.kind = 1, text = e->labels;
    else if (az_sv_is(e->name, "thread_name"))
        m.kind = 2;
    if (m.kind == UINT32_MAX)
        return 0;
    int rc = identity(r, e->pid, &m.pid);
    if (rc == 0)
        rc = identity(r, e->tid, &m.tid);
    if (rc == 0)
        rc = az_trace_name(r->trace, az_json_unescape(&r->scratch, text), &m.text);
    if (rc)
        return rc;
    if (r->n_meta == r->cap_meta) {
        size_t cap = r->cap_meta ? r->cap_meta * 2 : 64;
        void *p = az_mem_realloc(r->trace->mem, r->meta, r->cap_meta * sizeof *r->meta, cap * sizeof *r->meta);
        if (!p)
            return az_mem_error(r->trace->mem);
        r->meta = p;
        r->cap_meta = cap;
    }
    r->meta[r->n_meta++] = m;
    return 0;
}

int az_pt_event(void *reader, struct az_jscan *s)
{
    struct az_pt_reader *r = reader;
    struct event e = { .seq = -1, .coll_seq = -1, .bytes = -1 };
    int rc = read_event(r, s, &e);
    if (rc != AZ_J_OK)
        return rc;
    r->trace->read++;
    switch (e.ph) {
    case 'X': rc = add_span(r, &e); break;
    case 's':
    case 'f':
    case 't': rc = add_flow(r, &e); break;
    case 'M': rc = add_metadata(r, &e); break;
    case 'i':
    case 'I':
    case 'C':
    case 'B':
    case 'E': break;
    default: r->unknown_phase++;
    }
    r->uid++;
    if (r->scratch.head)
        az_arena_reset(&r->scratch);
    return rc;
}

static uint32_t meta_text(const struct az_pt_reader *r, uint64_t pid, uint64_t tid, bool any_tid, uint32_t kind)
{
    for (size_t i = r->n_meta; i-- > 0;) /* the last one wins */
        if (r->meta[i].kind == kind && r->meta[i].pid == pid && (any_tid || r->meta[i].tid == tid))
            return r->meta[i].text;
    return AZ_NO_ID;
}

int az_pt_finish(struct az_pt_reader *r)
{
    struct az_trace *t = r->trace;
    struct az_optrace *o = az_optrace(t);
    for (size_t i = 0; i < t->lanes.n; i++) {
        const struct az_lane *l = &t->lanes.v[i];
        struct az_lane_names n = { .process_name = meta_text(r, l->pid, 0, false, 0),
                                   .process_label = meta_text(r, l->pid, 0, false, 1),
                                   .thread_name = meta_text(r, l->pid, l->tid, false, 2) };
        int rc = az_vec_push(&o->lane_names, n);
        if (rc)
            return rc;
    }
    o->n_events = r->uid;
    if (r->no_time)
        az_trace_dropped(t, "spans without a start or a duration", r->no_time, 0);
    if (r->unknown_phase)
        az_trace_dropped(t, "events of unknown phase", r->unknown_phase, 0);
    for (size_t i = 0; i < r->other_cats.n; i++) {
        struct az_sv cat = az_trace_text(t, (uint32_t)(r->other_cats.v[i] >> 32));
        struct az_sv text = az_arena_printf(&t->arena, "category %.*s", AZ_SVF(cat));
        if (text.p)
            az_trace_dropped(t, text.p, (uint32_t)r->other_cats.v[i], 0);
    }
    return 0;
}
