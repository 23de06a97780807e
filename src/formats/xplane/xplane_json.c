/* XPlane: the same profile as the trace that the profiler writes for a viewer (`trace.json.gz`,
 * `perfetto_trace.json.gz`): docs/formats-xplane.md 12. Events are read as a stream; the names of
 * processes (planes) and threads (lines) come before them. */
#include <inttypes.h>

#include "base/num.h"
#include "formats/shared/cut_records.h"
#include "formats/shared/json_input.h"
#include "formats/xplane/xplane.h"
#include "text/jsonscan.h"

enum { K_PH = 1, K_PID, K_TID, K_TS, K_DUR, K_NAME, K_ARGS, K_CATEGORY };
static const char *const event_keys[] = { "ph",   "pid",  "tid", "ts", "dur",
                                          "name", "args", "cat", NULL };

enum {
    A_NAME = 1, /* of a process, of a thread; of an event its scope */
    A_CORRELATION,
    A_DEVICE,
    A_STEP,
    A_PROGRAM,
    A_MODULE,
    A_OP,
    A_KERNEL_DETAILS,
    A_COPY_DETAILS,
    A_SET_DETAILS,
    A_SET_DETAILS_OLD,
    A_CATEGORY,
    A_FLOPS,
    A_BYTES,
    A_TF_OP,
    A_LONG_NAME,
    ARGS
};
static const char *const arg_keys[] = { "name",
                                        "correlation_id",
                                        "device_id",
                                        "step_num",
                                        "program_id",
                                        "hlo_module",
                                        "hlo_op",
                                        "kernel_details",
                                        "memcpy_details",
                                        "memset_details",
                                        "Memset_details",
                                        "hlo_category",
                                        "flops",
                                        "bytes_accessed",
                                        "tf_op",
                                        "long_name",
                                        NULL };

enum plane_side { OTHER_SIDE, GPU_SIDE, TPU_SIDE, HOST_SIDE };
struct process {
    struct az_sv name;
    enum plane_side side;
    uint32_t plane;            /* of a device */
    bool has_ops, has_modules; /* of a TPU: lines of these names */
    bool bare;                 /* reported: its program runs are its work */
};
AZ_VEC(struct process, processes);

enum line_use { UNDECIDED, SKIPPED, WORK, RANGES, PROGRAMS, ASYNC, HOST };
struct thread {
    struct az_xplane_line line;
    uint32_t process;
    uint8_t use, role;
    int64_t lane[2];     /* -1: not made; the second: programs that stand for operations */
    int64_t time, until; /* of events of other devices, where they overlap once */
    uint64_t events;
    struct az_xplane_host_line host; /* of a host */
};
AZ_VEC(struct thread, threads);

struct input {
    struct az_xplane *r;
    struct az_source *src;
    struct az_jscan scan;
    struct az_jkeys keys, args;
    struct az_jarray array;
    struct az_arena scratch;
    struct az_map process_of, thread_of; /* by pid; by pid and tid */
    struct processes processes;
    struct threads threads;
    struct az_vec_u32 meta_of[2]; /* name id -> row of metas; AZ_NO_ID; of devices, of hosts */
    uint64_t spans, unnamed;      /* events with a duration; of processes without a name */
    bool source_bad, seen;
    bool window_seen; /* the first counts: a cut of a cut has both, its own before */
    /* the event being read, raw */
    struct az_sv ph, name, category, arg[ARGS];
    int64_t pid, tid, ts, dur;
    bool has_ts;
};

/* ---- values ---- */

static bool is_quoted(struct az_sv raw) { return raw.n >= 2 && raw.p[0] == '"'; }

/* Text of a value, a number as it is written. */
static struct az_sv plain(struct input *in, struct az_sv raw)
{
    return is_quoted(raw) ? az_json_unescape(&in->scratch, az_sv_make(raw.p + 1, raw.n - 2)) : raw;
}

static uint32_t name_id(struct input *in, int arg)
{
    const struct az_sv text = plain(in, in->arg[arg]);
    return text.n ? az_trace_name(in->r->t, text) : AZ_NO_ID;
}

static bool whole(struct input *in, int arg, int64_t *v)
{
    return az_parse_i64(plain(in, in->arg[arg]), v) == 0;
}

static uint64_t id_number(struct input *in, int arg)
{
    uint64_t v;
    return az_parse_u64(plain(in, in->arg[arg]), &v) == 0 ? v : 0;
}

/* The metadata of all events of a name, on devices or on the host. */
static int meta_of(struct input *in, struct az_sv name, bool host, struct az_xplane_meta **meta)
{
    struct az_vec_u32 *of = &in->meta_of[host];
    struct az_xplane_metas *metas = &in->r->metas;
    const uint32_t id = az_trace_name(in->r->t, name);
    int rc = in->r->t->names.error;
    while (rc == 0 && of->n <= id)
        rc = az_vec_push(of, AZ_NO_ID);
    if (rc == 0 && of->v[id] == AZ_NO_ID) {
        const struct az_xplane_meta row = {
            .name = az_trace_text(in->r->t, id), .text = id, .min = INT64_MAX, .max = INT64_MIN
        };
        of->v[id] = (uint32_t)metas->n;
        rc = az_vec_push(metas, row);
    }
    *meta = rc ? NULL : &metas->v[of->v[id]];
    return rc;
}

/* ---- names of processes and threads ---- */

static int find_thread(struct input *in, struct thread **thread)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&in->thread_of, (uint64_t)in->pid, (uint64_t)in->tid,
                        (uint32_t)in->threads.n, &at, &added);
    if (rc == 0 && added) {
        const struct thread fresh = {
            .line = { .name = { "", 0 }, .display = { "", 0 }, .body = { "", 0 }, .id = in->tid },
            .process = az_map_get(&in->process_of, (uint64_t)in->pid, 0),
            .lane = { -1, -1 },
            .until = INT64_MIN
        };
        rc = az_vec_push(&in->threads, fresh);
    }
    *thread = rc ? NULL : &in->threads.v[*at];
    return rc;
}

static int name_process(struct input *in, struct az_sv name)
{
    struct process p = { .name = az_arena_dup(&in->r->t->arena, name) };
    int64_t ordinal = 0;
    uint32_t *at;
    bool added;
    if (!p.name.p)
        return az_arena_error(&in->r->t->arena);
    int rc =
        az_map_put(&in->process_of, (uint64_t)in->pid, 0, (uint32_t)in->processes.n, &at, &added);
    if (rc || !added)
        return rc;
    p.side = az_xplane_ordinal(name, AZ_SV("/device:GPU:"), &ordinal)   ? GPU_SIDE
             : az_xplane_ordinal(name, AZ_SV("/device:TPU:"), &ordinal) ? TPU_SIDE
             : az_sv_starts(name, AZ_SV("/host:"))                      ? HOST_SIDE
                                                                        : OTHER_SIDE;
    if (p.side == GPU_SIDE || p.side == TPU_SIDE)
        rc = az_xplane_device(in->r, p.side == GPU_SIDE ? AZ_PLANE_GPU : AZ_PLANE_TPU, ordinal,
                              &p.plane);
    return rc ? rc : az_vec_push(&in->processes, p);
}

static int name_thread(struct input *in, struct az_sv name)
{
    struct thread *t;
    const int rc = find_thread(in, &t);
    if (rc || t->line.name.n)
        return rc;
    t->line.name = az_arena_dup(&in->r->t->arena, name);
    if (!t->line.name.p)
        return az_arena_error(&in->r->t->arena);
    if (t->process != AZ_NO_ID) {
        in->processes.v[t->process].has_ops |= az_sv_is(name, "XLA Ops");
        in->processes.v[t->process].has_modules |= az_sv_is(name, "XLA Modules");
    }
    return AZ_OK;
}

static int metadata(struct input *in)
{
    const bool process = az_sv_is(in->name, "process_name");
    if (!process && !az_sv_is(in->name, "thread_name"))
        return AZ_OK;
    const struct az_sv name = plain(in, in->arg[A_NAME]);
    if (!name.p)
        return az_arena_error(&in->scratch);
    return process ? name_process(in, name) : name_thread(in, name);
}

/* ---- lines ---- */

static void decide_gpu(struct thread *t)
{
    const struct az_sv name = t->line.name;
    const bool steps = az_sv_is(name, "Steps"), modules = az_sv_is(name, "XLA Modules");
    t->use = az_sv_starts(name, AZ_SV("Stream #")) ? WORK : steps || modules ? RANGES : SKIPPED;
    t->role = t->use == WORK ? AZ_XLANE_WORK : steps ? AZ_XLANE_STEPS : AZ_XLANE_MODULES;
}

static void decide_tpu(struct input *in, struct thread *t)
{
    struct process *p = &in->processes.v[t->process];
    const struct az_sv name = t->line.name;
    const bool modules = az_sv_is(name, "XLA Modules");
    t->use = az_sv_is(name, "XLA Ops")         ? WORK
             : az_sv_is(name, "Async XLA Ops") ? ASYNC
             : modules && !p->has_ops          ? PROGRAMS
             : modules                         ? RANGES
             : az_sv_is(name, "Steps")         ? RANGES
                                               : SKIPPED;
    t->role = t->use == WORK    ? AZ_XLANE_WORK
              : t->use == ASYNC ? AZ_XLANE_ASYNC
              : modules         ? AZ_XLANE_MODULES
                                : AZ_XLANE_STEPS;
    if (t->use == PROGRAMS && !p->bare)
        az_xplane_report_bare(in->r, p->name);
    p->bare |= t->use == PROGRAMS;
}

static void decide(struct input *in, struct thread *t)
{
    switch (in->processes.v[t->process].side) {
    case GPU_SIDE:
        decide_gpu(t);
        break;
    case TPU_SIDE:
        decide_tpu(in, t);
        break;
    case HOST_SIDE:
        t->use = HOST;
        break;
    default:
        t->use = SKIPPED;
        break;
    }
}

static int lane_of(struct input *in, struct thread *t, int which, enum az_xlane_role role,
                   uint32_t *lane)
{
    int rc = 0;
    if (t->lane[which] < 0) {
        rc = az_xplane_lane(in->r, &t->line, in->processes.v[t->process].plane, role, lane);
        t->lane[which] = rc ? -1 : (int64_t)*lane;
    }
    *lane = (uint32_t)t->lane[which];
    return rc;
}

/* ---- events ---- */

/* The stats of an event, as the row of its arguments. */
static int read_row(struct input *in, bool tpu, struct az_xrow *row)
{
    const int scope = tpu ? A_TF_OP : A_NAME;
    int64_t v;
    *row = (struct az_xrow){
        .op = AZ_NO_ID, .details = AZ_NO_ID, .category = AZ_NO_ID, .flops = -1, .bytes = -1
    };
    if (whole(in, A_PROGRAM, &v)) {
        row->program = (uint64_t)v;
        row->has_program = true;
    }
    row->module = name_id(in, A_MODULE);
    row->scope = name_id(in, scope);
    if (tpu) {
        (void)whole(in, A_FLOPS, &row->flops);
        (void)whole(in, A_BYTES, &row->bytes);
        row->category = name_id(in, A_CATEGORY);
    } else {
        for (int a = A_KERNEL_DETAILS; a <= A_SET_DETAILS_OLD; a++)
            if (in->arg[a].n)
                row->details = name_id(in, a);
        row->op = name_id(in, A_OP);
    }
    return in->scratch.failed ? az_arena_error(&in->scratch) : in->r->t->names.error;
}

static int add_gpu(struct input *in, struct az_event *e)
{
    struct az_xplane_meta *meta;
    struct az_xrow row;
    uint32_t index = 0;
    e->corr = id_number(in, A_CORRELATION);
    if (in->r->t->cut_log) /* of which only the time counts */
        return az_trace_add(in->r->t, AZ_KERNEL, e);
    const struct az_sv name = in->arg[A_LONG_NAME].n ? plain(in, in->arg[A_LONG_NAME]) : in->name;
    int rc = name.p ? meta_of(in, name, false, &meta) : az_arena_error(&in->scratch);
    if (rc == 0)
        rc = read_row(in, false, &row);
    if (rc)
        return rc;
    const bool says = az_xplane_has_metadata(&row);
    if (says)
        rc = az_xplane_row_of(in->r, meta, &row, &index);
    e->node = says ? (uint64_t)index + 1 : 0;
    return rc ? rc : az_xplane_add_work(in->r, meta, &row, e);
}

/* Its row and its name; a profile names an operation by its text ("%dot.1 = ...") where it has no
 * short name. */
static int describe_tpu(struct input *in, struct az_event *e)
{
    struct az_xrow row;
    uint32_t index = 0;
    int rc = read_row(in, true, &row);
    row.op =
        az_trace_name(in->r->t, in->arg[A_LONG_NAME].n ? in->name : az_xplane_short_name(in->name));
    if (rc == 0)
        rc = az_xtrace_row(in->r->t, &row, &index);
    e->node = (uint64_t)index + 1;
    e->name = row.op;
    return rc;
}

static int add_range(struct input *in, struct az_event *e)
{
    e->name = az_trace_name(in->r->t, in->name);
    return az_trace_add(in->r->t, AZ_GPU_RANGE, e);
}

/* A run of a program of a TPU whose operations were not recorded: a range, and its work. */
static int add_program(struct input *in, struct thread *t, struct az_event *e)
{
    struct az_event work = *e;
    int rc = add_range(in, e);
    if (rc == 0)
        rc = lane_of(in, t, 1, AZ_XLANE_WORK, &work.lane);
    if (rc == 0)
        rc = describe_tpu(in, &work);
    return rc ? rc : az_xplane_add_operation(in->r, &work);
}

static int add_device(struct input *in, struct thread *t, struct az_event *e)
{
    int rc = lane_of(in, t, 0, (enum az_xlane_role)t->role, &e->lane);
    if (rc)
        return rc;
    if (t->use == RANGES)
        return add_range(in, e);
    if (t->use == PROGRAMS)
        return add_program(in, t, e);
    if (in->processes.v[t->process].side == GPU_SIDE)
        return add_gpu(in, e);
    rc = describe_tpu(in, e);
    if (rc || t->use == ASYNC)
        return rc ? rc : az_trace_add(in->r->t, AZ_GPU_RANGE, e);
    return az_xplane_add_operation(in->r, e);
}

static int add_host(struct input *in, struct thread *t, struct az_event *e)
{
    struct az_xplane_host_stats s = { .correlation = id_number(in, A_CORRELATION), .step = -1 };
    struct az_xplane_meta *meta;
    int64_t device;
    if (whole(in, A_DEVICE, &device) && device >= 0)
        s.device = (uint64_t)device + 1;
    if (in->arg[A_STEP].n && !whole(in, A_STEP, &s.step))
        s.step = -1;
    const int rc = meta_of(in, in->name, true, &meta);
    if (!t->host.of)
        t->host = az_xplane_host_line(&t->line);
    t->host.of = &t->line; /* the list of threads may have moved */
    return rc ? rc : az_xplane_host_event(in->r, &t->host, meta, e, &s);
}

static int skip_event(struct input *in, struct thread *t, const struct az_event *e)
{
    const enum plane_side side = in->processes.v[t->process].side;
    const char *reason = side == GPU_SIDE   ? "derived lines of a GPU (duplicate events of its "
                                              "streams)"
                         : side == TPU_SIDE ? "lines of a TPU without operations"
                                            : "planes other than GPUs, TPU cores and hosts";
    az_trace_dropped(in->r->t, AZ_DROP_NOT_MODELLED, reason, 1, 0);
    t->events++;
    if (e->end > t->until) {
        t->time = az_add_sat(t->time, e->end - (e->start > t->until ? e->start : t->until));
        t->until = e->end;
    }
    return AZ_OK;
}

/* A duration of 0 is written as 1 ps. */
static bool times(struct input *in, bool device, struct az_event *e)
{
    const int64_t most = INT64_C(1) << 61, length = in->dur == 1 ? 0 : in->dur;
    e->start = in->ts;
    if (in->has_ts && length >= 0 && !__builtin_add_overflow(in->ts, length, &e->end) &&
        in->ts > -most && e->end < most)
        return true;
    in->r->bad_times[device]++;
    return false;
}

static int add_span(struct input *in)
{
    struct az_event e = { .side = AZ_NO_ROW };
    struct thread *t;
    int rc = find_thread(in, &t);
    if (rc)
        return rc;
    in->spans++;
    in->r->t->read++;
    if (t->process == AZ_NO_ID) {
        in->unnamed++;
        return AZ_OK;
    }
    if (t->use == UNDECIDED)
        decide(in, t);
    if (!times(in, t->use != HOST, &e))
        return AZ_OK;
    if (t->use == HOST)
        return add_host(in, t, &e);
    if (t->use == SKIPPED)
        return skip_event(in, t, &e);
    rc = add_device(in, t, &e);
    in->r->t->kept += rc == 0;
    return rc;
}

/* ---- the document ---- */

static int read_args(struct input *in, struct az_jscan *s)
{
    struct az_sv raw;
    if (az_json_type(s) != AZ_JT_OBJECT)
        return az_json_skip(s, &raw);
    s->p++;
    int rc, k = az_json_first_key(s, &in->args);
    while (k >= 0) {
        rc = az_json_skip(s, &raw);
        if (rc != AZ_JSON_OK)
            return rc;
        in->arg[k] = k == AZ_JSON_UNKNOWN ? AZ_SV("") : raw;
        k = az_json_next_key(s, &in->args, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static int field(struct input *in, struct az_jscan *s, int k)
{
    struct az_sv raw;
    bool missing = false;
    int rc;
    switch (k) {
    case K_PH:
        return az_json_skip(s, &in->ph);
    case K_CATEGORY:
        return az_json_skip(s, &in->category);
    case K_NAME:
        return az_json_skip(s, &in->name);
    case K_PID:
        return az_json_i64(s, &in->pid, &missing);
    case K_TID:
        return az_json_i64(s, &in->tid, &missing);
    case K_TS:
        rc = az_json_decimal(s, 6, &in->ts, &missing);
        in->has_ts = !missing;
        return rc;
    case K_DUR:
        rc = az_json_decimal(s, 6, &in->dur, &missing);
        in->dur = missing ? -1 : in->dur;
        return rc;
    case K_ARGS:
        return read_args(in, s);
    default:
        return az_json_skip(s, &raw);
    }
}

/* One element of traceEvents; times in microseconds, with as many digits as a picosecond needs. */
static int read_event(void *ctx, struct az_jscan *s)
{
    struct input *in = ctx;
    int rc, k = az_json_first_key(s, &in->keys);
    in->ph = in->name = in->category = AZ_SV("");
    for (int i = 0; i < ARGS; i++)
        in->arg[i] = AZ_SV("");
    in->pid = in->tid = in->ts = in->dur = 0;
    in->has_ts = false;
    while (k >= 0) {
        rc = field(in, s, k);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &in->keys, k);
    }
    if (k != AZ_JSON_END)
        return k;
    az_arena_reset(&in->scratch);
    if (az_sv_is(in->category, "\"" AZ_CUT_ADDED "\"")) {
        if (in->r->t->cut_log)
            (void)az_cut_log_event(in->r->t->cut_log); /* which is in no window */
        return AZ_JSON_OK;
    }
    in->name = plain(in, in->name);
    if (!in->name.p)
        return az_arena_error(&in->scratch);
    return az_sv_is(in->ph, "\"M\"")   ? metadata(in)
           : az_sv_is(in->ph, "\"X\"") ? add_span(in)
                                       : AZ_OK;
}

static int event(void *ctx, struct az_jscan *s)
{
    struct input *in = ctx;
    return az_cut_json_record(in->r->t->cut_log, s, read_event, in);
}

static int read_more(void *ctx, void *buf, size_t n, size_t *got)
{
    struct input *in = ctx;
    return az_json_input_read(in->r->job, in->src, &in->source_bad, buf, n, got);
}

/* Is a window found in a file of which a cut finds its own? It is read again, as a whole. */
static bool is_window_itself(const struct input *in)
{
    const struct az_trace *t = in->r->t;
    return t->cut_log && t->cut_log->record && t->recorded_window.n;
}

/* What `analyzer cut` kept. */
static int recorded_window(struct input *in)
{
    struct az_sv raw;
    int rc = az_jscan_value(&in->scan, &raw);
    const bool again = in->window_seen;
    in->window_seen = true;
    rc = rc != AZ_JSON_OK || again ? rc : az_cut_spans_read(in->r->t, raw);
    in->seen |= is_window_itself(in);
    return rc;
}

static int document(struct input *in)
{
    struct az_jscan *s = &in->scan;
    struct az_sv key;
    bool first = true;
    int rc = az_jscan_byte(s, '{');
    while (rc == AZ_JSON_OK && !in->array.truncated && !is_window_itself(in)) {
        rc = az_jscan_member(s, &first, &key);
        if (rc != AZ_JSON_OK)
            break;
        const bool events = az_sv_is(key, "traceEvents") && az_jscan_peek(s) == '[';
        in->seen |= events;
        if (events)
            rc = az_jscan_records(s, event, in, in->r->job->opts->strict, &in->array);
        else
            rc = az_sv_is(key, AZ_CUT_KEY) ? recorded_window(in) : az_jscan_skip_value(s);
    }
    return rc == AZ_JSON_END ? AZ_JSON_OK : rc;
}

/* The writer keeps the first events by time where there are more than a viewer can show. */
static void report_limit(struct input *in)
{
    static const uint64_t limits[] = { 1000000, 5000000 };
    for (size_t i = 0; i < AZ_LENGTH(limits); i++) {
        if (in->spans != limits[i])
            continue;
        az_diag_add(in->r->job->diag, AZ_WARNING, AZ_AT_FILE(in->r->path),
                    "limited by the profiler to its first %" PRIu64 " events, later ones are "
                    "missing; use the .xplane.pb file of the same run",
                    limits[i]);
        az_trace_truncated(in->r->t, "file limited to its first events (later ones are unknown)");
    }
}

/* Device planes that are in no account; of their lines the longest counts, one of operations where
 * there is one. */
static void report_skipped(struct input *in)
{
    for (size_t p = 0; p < in->processes.n; p++) {
        const struct process *of = &in->processes.v[p];
        int64_t time[2] = { 0, 0 };
        uint64_t events[2] = { 0, 0 };
        if (of->side != OTHER_SIDE || !az_sv_starts(of->name, AZ_SV("/device:")))
            continue;
        for (size_t i = 0; i < in->threads.n; i++) {
            const struct thread *t = &in->threads.v[i];
            const bool ops = az_sv_ends(t->line.name, AZ_SV("Ops"));
            if (t->process != p)
                continue;
            time[ops] = t->time > time[ops] ? t->time : time[ops];
            events[ops] += t->events;
        }
        const bool ops = events[1] > 0;
        if (events[ops])
            az_trace_skipped_work(in->r->t, of->name, events[ops], time[ops]);
    }
}

static void report_loss(struct input *in)
{
    const struct az_jarray *a = &in->array;
    if (a->malformed) {
        az_diag_add(in->r->job->diag, AZ_WARNING, AZ_AT_OFFSET(in->r->path, a->first_bad),
                    "malformed JSON at %" PRIu64 " place(s), %" PRIu64 " bytes skipped, %" PRIu64
                    " events read",
                    a->malformed, a->skipped_bytes, a->records);
        az_trace_dropped(in->r->t, AZ_DROP_LOST, "malformed events", a->malformed, 0);
    }
    if (in->unnamed) {
        az_diag_add(in->r->job->diag, AZ_WARNING, AZ_AT_FILE(in->r->path),
                    "%" PRIu64 " events before the name of their process, skipped", in->unnamed);
        az_trace_lost(in->r->t, AZ_CALL, "events before the name of their process", in->unnamed, 0);
    }
    report_limit(in);
    report_skipped(in);
    az_trace_note(in->r->t, "trace for a viewer", in->spans,
                  "no programs, device properties or asynchronous operations: the .xplane.pb file "
                  "of the same run has them");
}

static int verdict(struct input *in, int rc)
{
    struct az_parse *job = in->r->job;
    const struct az_where here = AZ_AT_OFFSET(in->r->path, az_jscan_offset(&in->scan));
    const struct az_jarray *a = &in->array;
    const bool cut = a->truncated || rc == AZ_JSON_MORE || in->source_bad;
    if (rc == AZ_ERANGE)
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "one JSON value is larger than %zu MiB",
                            in->scan.max_record >> 20);
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(job->diag, rc, AZ_AT_FILE(in->r->path), job->mem);
    if (rc < 0 && rc > AZ_JSON_END)
        return rc;
    if (!in->seen)
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s",
                            cut                ? "file truncated before its events"
                            : rc == AZ_JSON_OK ? "no 'traceEvents' in this JSON; check that it is "
                                                 "a profile"
                                               : "malformed JSON");
    if (job->opts->strict && (cut || rc == AZ_JSON_BAD || a->malformed))
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s after %" PRIu64 " events",
                            cut ? "truncated" : "malformed JSON", a->records);
    if (cut || rc == AZ_JSON_BAD) {
        az_diag_add(job->diag, AZ_WARNING, here,
                    "%s: %" PRIu64 " complete events read, the rest is missing; check whether the "
                    "profiler was stopped while writing",
                    cut ? "truncated" : "malformed JSON", a->records);
        az_trace_truncated(in->r->t, AZ_XPLANE_CUT);
    }
    report_loss(in);
    return AZ_OK;
}

static int read_events(struct input *in)
{
    struct az_mem *mem = in->r->job->mem;
    int rc = 0;
    az_map_init(&in->process_of, mem, 16);
    if (rc)
        return az_diag_memory(in->r->job->diag, rc, AZ_AT_FILE(in->r->path), mem);
    az_map_init(&in->thread_of, mem, 64);
    if (rc == 0) {
        rc = az_jscan_init(&in->scan, read_more, in, 0, mem);
        if (rc == 0) {
            rc = verdict(in, document(in));
            az_jscan_release(&in->scan);
        }
        az_map_release(&in->thread_of);
    }
    az_map_release(&in->process_of);
    if (rc == 0)
        rc = az_xplane_host_sums(in->r);
    if (rc == 0)
        rc = az_xplane_filter(in->r);
    return rc == AZ_ENOMEM || rc == AZ_ELIMIT
               ? az_diag_memory(in->r->job->diag, rc, AZ_AT_FILE(in->r->path), mem)
               : rc;
}

int az_xplane_json(struct az_xplane *r, struct az_source *src)
{
    struct az_mem *mem = r->job->mem;
    struct input *in = az_mem_alloc(mem, sizeof *in);
    if (!in)
        return az_diag_memory(r->job->diag, az_mem_error(mem), AZ_AT_FILE(r->path), mem);
    memset(in, 0, sizeof *in);
    in->r = r;
    in->src = src;
    in->array.first_bad = -1;
    az_jkeys_init(&in->keys, event_keys);
    az_jkeys_init(&in->args, arg_keys);
    az_arena_init(&in->scratch, mem);
    az_vec_init(&in->processes, mem);
    az_vec_init(&in->threads, mem);
    az_vec_init(&in->meta_of[0], mem);
    az_vec_init(&in->meta_of[1], mem);
    const int rc = read_events(in);
    az_vec_release(&in->meta_of[1]);
    az_vec_release(&in->meta_of[0]);
    az_vec_release(&in->threads);
    az_vec_release(&in->processes);
    az_arena_release(&in->scratch);
    az_mem_free(mem, in, sizeof *in);
    return rc;
}

/* ---- recognizing ---- */

/* Is `name` the beginning of the name of a process, in `"args":{"name":"/host:CPU"}`? */
static bool names_process(struct az_sv head, struct az_sv name)
{
    ptrdiff_t at;
    while ((at = az_sv_find(head, name)) >= 0) {
        size_t n = (size_t)at;
        while (n && memchr(" \t\n\r:", head.p[n - 1], 5))
            n--;
        if (n < (size_t)at && az_sv_ends(az_sv_make(head.p, n), AZ_SV("\"name\"")))
            return true;
        head = az_sv_make(head.p + at + name.n, head.n - (size_t)at - name.n);
    }
    return false;
}

bool az_xplane_json_probe(struct az_sv head)
{
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf")))
        head = az_sv_make(head.p + 3, head.n - 3);
    head = az_sv_trim(head);
    if (head.n == 0 || head.p[0] != '{' || az_sv_find(head, AZ_SV("\"traceEvents\"")) < 0 ||
        az_sv_find(head, AZ_SV("\"process_name\"")) < 0)
        return false;
    return names_process(head, AZ_SV("\"/host:CPU\"")) ||
           names_process(head, AZ_SV("\"/device:GPU:")) ||
           names_process(head, AZ_SV("\"/device:TPU:"));
}
