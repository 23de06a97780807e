/* Tables of facts that are no events: steps, lanes, devices, ranks, arguments, counters, launches,
 * gaps. */
#include "base/sort.h"
#include "facts/devices.h"
#include "facts/idle.h"
#include "model/dispatch.h"
#include "model/optrace.h"
#include "model/xtrace.h"
#include "query/columns.h"

static const struct az_trace *trace_of(const struct az_query_row *r) { return r->seg->tr->t; }
static int64_t ns_of_ticks(const struct az_query_row *r, int64_t ticks)
{
    return az_ns(trace_of(r), ticks);
}
static void known(struct az_cell *out, int64_t x)
{
    if (x >= 0)
        az_query_int(out, x);
}

/* ---- steps ---- */
static int64_t count_steps(struct az_query_trace *tr, const void **own)
{
    const struct az_steps *s = az_query_steps_of(tr);
    *own = s;
    return s ? (int64_t)s->n : az_facts_of_error(tr->of);
}
static const struct az_step *step_of(const struct az_query_row *r)
{
    return &((const struct az_steps *)r->seg->own)->v[r->row];
}
AZ_QUERY_GETTER(step_number, az_query_int, step_of(r)->number)
AZ_QUERY_GETTER(step_name, az_query_text, step_of(r)->name)
AZ_QUERY_GETTER(step_mark, az_query_text, step_of(r)->mark)
static void step_how(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_steps *s = r->seg->own;
    az_query_text(out, az_sv_str(az_step_how_text(s->how)));
}
AZ_QUERY_GETTER(step_start, az_query_int, ns_of_ticks(r, step_of(r)->start))
AZ_QUERY_GETTER(step_end, az_query_int, ns_of_ticks(r, step_of(r)->end))
AZ_QUERY_GETTER(step_dur, az_query_int, ns_of_ticks(r, step_of(r)->end - step_of(r)->start))
AZ_QUERY_GETTER(step_mark_start, az_query_int, ns_of_ticks(r, step_of(r)->mark_start))
AZ_QUERY_GETTER(step_mark_end, az_query_int, ns_of_ticks(r, step_of(r)->mark_end))
AZ_QUERY_GETTER(step_length, az_query_int, ns_of_ticks(r, step_of(r)->length))
static void step_work_start(const struct az_query_row *r, struct az_cell *out)
{
    known(out, step_of(r)->work_end < 0 ? -1 : ns_of_ticks(r, step_of(r)->work_start));
}
static void step_work_end(const struct az_query_row *r, struct az_cell *out)
{
    known(out, step_of(r)->work_end < 0 ? -1 : ns_of_ticks(r, step_of(r)->work_end));
}
static void step_source(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_steps *s = r->seg->own;
    az_query_text(out, az_sv_str(az_step_source_id(s->how)));
}
static void step_excluded(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_steps *s = r->seg->own;
    az_query_int(out, r->row < s->excluded);
}

/* ---- lanes ---- */
static int64_t count_lanes(struct az_query_trace *tr, const void **own)
{
    *own = NULL;
    return (int64_t)tr->t->lanes.n;
}
static const struct az_lane *lane_of(const struct az_query_row *r)
{
    return &trace_of(r)->lanes.v[r->row];
}
AZ_QUERY_GETTER(lane_side, az_query_text, lane_of(r)->device_side ? AZ_SV("device") : AZ_SV("host"))
AZ_QUERY_GETTER(lane_device, known, lane_of(r)->device)
static void lane_stream(const struct az_query_row *r, struct az_cell *out)
{
    if (lane_of(r)->device_side)
        known(out, (int64_t)lane_of(r)->tid);
}
static void lane_thread(const struct az_query_row *r, struct az_cell *out)
{
    if (!lane_of(r)->device_side)
        known(out, (int64_t)lane_of(r)->tid);
}
static void lane_process(const struct az_query_row *r, struct az_cell *out)
{
    if (lane_of(r)->pid)
        known(out, (int64_t)lane_of(r)->pid);
}
static uint32_t lane_label(const struct az_query_row *r) { return lane_of(r)->label; }

/* ---- devices ---- */
struct devices {
    size_t n;
    struct az_device *v;
};
static struct az_device *find_device(struct devices *d, int64_t number)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].id == number)
            return &d->v[i];
    d->v[d->n] = (struct az_device){ .id = number };
    return &d->v[d->n++];
}
static int by_number(const void *a, const void *b, void *ctx)
{
    const struct az_device *x = a, *y = b;
    (void)ctx;
    return (x->id > y->id) - (x->id < y->id);
}
/* Those that the file names, and those that work was recorded on. */
static int64_t count_devices(struct az_query_trace *tr, const void **own)
{
    struct az_arena *a = tr->job->arena;
    const struct az_trace *t = tr->t;
    struct devices *d = az_arena_alloc(a, sizeof *d);
    struct az_device *v = az_arena_array(a, t->devices.n + t->lanes.n + 1, sizeof *v);

    if (!d || !v)
        return az_arena_error(a);
    d->v = v;
    for (size_t i = 0; i < t->devices.n; i++)
        *find_device(d, t->devices.v[i].id) = t->devices.v[i];
    for (size_t i = 0; i < t->lanes.n; i++) {
        const struct az_lane *l = &t->lanes.v[i];
        if (!l->device_side || l->device < 0)
            continue;
        struct az_device *x = find_device(d, l->device);
        if (!x->name.n && (t->caps & AZ_CAP_PROGRAMS) && l->context < az_xtrace(t)->planes.n)
            x->name = az_xtrace(t)->planes.v[l->context].type;
    }
    *own = d;
    az_sort_cmp(d->v, d->n, sizeof *d->v, by_number, NULL, tr->job->mem);
    return (int64_t)d->n;
}
static const struct az_device *device(const struct az_query_row *r)
{
    return &((const struct devices *)r->seg->own)->v[r->row];
}
AZ_QUERY_GETTER(device_number, az_query_int, device(r)->id)
AZ_QUERY_GETTER(device_name, az_query_text, device(r)->name)
static void device_units(const struct az_query_row *r, struct az_cell *out)
{
    if (device(r)->sm_count > 0)
        az_query_int(out, device(r)->sm_count);
}
static void device_memory(const struct az_query_row *r, struct az_cell *out)
{
    if (device(r)->memory_bytes > 0)
        az_query_int(out, device(r)->memory_bytes);
}

/* ---- ranks ---- */
static int64_t count_one(struct az_query_trace *tr, const void **own)
{
    (void)tr;
    *own = NULL;
    return 1;
}
AZ_QUERY_GETTER(rank_path, az_query_text, trace_of(r)->path)
AZ_QUERY_GETTER(rank_format, az_query_text,
                az_facts_of_source(r->seg->tr->of)->inputs[r->seg->tr->input].format)
static void rank_world(const struct az_query_row *r, struct az_cell *out)
{
    if (trace_of(r)->world_size > 0)
        az_query_int(out, trace_of(r)->world_size);
}
static void rank_base(const struct az_query_row *r, struct az_cell *out)
{
    if (trace_of(r)->base_ns)
        az_query_int(out, trace_of(r)->base_ns);
}
AZ_QUERY_GETTER(rank_events, az_query_int, (int64_t)trace_of(r)->kept)

/* ---- args ---- */
static int64_t count_args(struct az_query_trace *tr, const void **own)
{
    *own = NULL;
    return tr->t->caps & AZ_CAP_CALLTREE ? (int64_t)az_optrace(tr->t)->args.n : 0;
}
static const struct az_op_args *args_of(const struct az_query_row *r)
{
    return &az_optrace(trace_of(r))->args.v[r->row];
}
static uint32_t args_dims(const struct az_query_row *r) { return args_of(r)->dims; }
static uint32_t args_types(const struct az_query_row *r) { return args_of(r)->types; }
static uint32_t args_strides(const struct az_query_row *r) { return args_of(r)->strides; }
static uint32_t args_concrete(const struct az_query_row *r) { return args_of(r)->concrete; }

/* ---- counters: of dispatches, or of ranges of kernels ---- */
static int64_t count_counters(struct az_query_trace *tr, const void **own)
{
    *own = NULL;
    if (tr->t->caps & AZ_CAP_DISPATCHES)
        return (int64_t)az_dispatches(tr->t)->counters.n;
    return tr->t->caps & AZ_CAP_CALLTREE ? (int64_t)az_optrace(tr->t)->counter_values.n : 0;
}
static const struct az_counter *counter(const struct az_query_row *r)
{
    return trace_of(r)->caps & AZ_CAP_DISPATCHES ? &az_dispatches(trace_of(r))->counters.v[r->row]
                                                 : NULL;
}
static const struct az_counter_range *counter_range(const struct az_query_row *r)
{
    const struct az_counter_ranges *all = &az_optrace(trace_of(r))->counters;

    for (size_t lo = 0, hi = all->n; lo < hi;) { /* their runs of values follow each other */
        const size_t mid = lo + (hi - lo) / 2;
        const struct az_counter_range *x = &all->v[mid];
        if (r->row < x->first)
            hi = mid;
        else if (r->row >= (size_t)x->first + x->n)
            lo = mid + 1;
        else
            return x;
    }
    return NULL;
}
static uint32_t counter_kernel(const struct az_query_row *r)
{
    const struct az_counter *c = counter(r);
    const struct az_counter_range *x = c ? NULL : counter_range(r);
    return c ? c->kernel : x ? x->name : AZ_NO_ID;
}
static uint32_t counter_name(const struct az_query_row *r)
{
    const struct az_counter *c = counter(r);
    return c ? c->counter : az_optrace(trace_of(r))->counter_values.v[r->row].name;
}
static void counter_value(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_counter *c = counter(r);
    *out = (struct az_cell){ .type = AZ_REAL,
                             .f = c ? c->value
                                    : az_optrace(trace_of(r))->counter_values.v[r->row].value };
}
static void counter_dispatch(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_counter *c = counter(r);
    if (c && c->dispatch <= INT64_MAX)
        az_query_int(out, (int64_t)c->dispatch);
}
static void counter_start(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_counter_range *x = counter(r) ? NULL : counter_range(r);
    if (x)
        az_query_int(out, ns_of_ticks(r, x->start));
}
static void counter_end(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_counter_range *x = counter(r) ? NULL : counter_range(r);
    if (x)
        az_query_int(out, ns_of_ticks(r, x->end));
}

/* ---- launches: device work with the call that launched it ---- */
static int64_t count_launches(struct az_query_trace *tr, const void **own)
{
    int rc = 0;

    if (!(tr->t->caps & AZ_CAP_LAUNCHES))
        return 0;
    const struct az_launches *l = az_job_launches(tr->job, tr->index, &rc);
    *own = l;
    return l ? (int64_t)l->op_first[l->n] : rc ? rc : AZ_ENOMEM;
}
static struct az_event launched(const struct az_query_row *r, enum az_kind *kind, size_t *row)
{
    const uint32_t op = ((const struct az_launches *)r->seg->own)->op[r->row];
    const struct az_events *e;

    *kind = az_op_kind(op);
    *row = az_op_row(op);
    e = &trace_of(r)->ev[*kind];
    return (struct az_event){
        .start = e->start[*row], .end = e->end[*row], .name = e->name[*row], .lane = e->lane[*row]
    };
}
static uint32_t launching(const struct az_query_row *r)
{
    enum az_kind kind;
    size_t row;

    launched(r, &kind, &row);
    return az_query_call_of(r->seg->tr, kind, row);
}
static void launch_call(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = launching(r);
    if (call != AZ_NO_ROW)
        az_query_int(out, az_query_id_of(r->seg->tr, &az_query_calls, AZ_CALL, call));
}
static uint32_t launch_call_name(const struct az_query_row *r)
{
    const uint32_t call = launching(r);
    return call == AZ_NO_ROW ? AZ_NO_ID : trace_of(r)->ev[AZ_CALL].name[call];
}
static void launch_call_start(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = launching(r);
    if (call != AZ_NO_ROW)
        az_query_int(out, ns_of_ticks(r, trace_of(r)->ev[AZ_CALL].start[call]));
}
static void launch_call_end(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = launching(r);
    if (call != AZ_NO_ROW)
        az_query_int(out, ns_of_ticks(r, trace_of(r)->ev[AZ_CALL].end[call]));
}
static void launch_thread(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = launching(r);
    if (call != AZ_NO_ROW)
        known(out, (int64_t)trace_of(r)->lanes.v[trace_of(r)->ev[AZ_CALL].lane[call]].tid);
}
static void launch_id(const struct az_query_row *r, struct az_cell *out, enum az_kind a,
                      enum az_kind b, const struct az_query_table *t)
{
    enum az_kind kind;
    size_t row;

    launched(r, &kind, &row);
    if (kind == a || kind == b)
        az_query_int(out, az_query_id_of(r->seg->tr, t, kind, row));
}
static void launch_kernel(const struct az_query_row *r, struct az_cell *out)
{
    launch_id(r, out, AZ_KERNEL, AZ_KERNEL, &az_query_kernels);
}
static void launch_copy(const struct az_query_row *r, struct az_cell *out)
{
    launch_id(r, out, AZ_MEMCPY, AZ_MEMSET, &az_query_copies);
}
static void launch_graph(const struct az_query_row *r, struct az_cell *out)
{
    launch_id(r, out, AZ_GRAPH, AZ_GRAPH, &az_query_graphs);
}
static uint32_t launch_name(const struct az_query_row *r)
{
    enum az_kind kind;
    size_t row;
    return launched(r, &kind, &row).name;
}
static void launch_device(const struct az_query_row *r, struct az_cell *out)
{
    enum az_kind kind;
    size_t row;
    known(out, trace_of(r)->lanes.v[launched(r, &kind, &row).lane].device);
}
static void launch_stream(const struct az_query_row *r, struct az_cell *out)
{
    enum az_kind kind;
    size_t row;
    known(out, (int64_t)trace_of(r)->lanes.v[launched(r, &kind, &row).lane].tid);
}
static void launch_start(const struct az_query_row *r, struct az_cell *out)
{
    enum az_kind kind;
    size_t row;
    az_query_int(out, ns_of_ticks(r, launched(r, &kind, &row).start));
}
static void launch_end(const struct az_query_row *r, struct az_cell *out)
{
    enum az_kind kind;
    size_t row;
    az_query_int(out, ns_of_ticks(r, launched(r, &kind, &row).end));
}
/* From the end of the call to the start of the work; 0 where it began before the call returned. */
static void launch_wait(const struct az_query_row *r, struct az_cell *out)
{
    enum az_kind kind;
    size_t row;
    const struct az_event e = launched(r, &kind, &row);
    const uint32_t call = az_query_call_of(r->seg->tr, kind, row);

    if (call == AZ_NO_ROW)
        return;
    const int64_t wait = e.start - trace_of(r)->ev[AZ_CALL].end[call];
    az_query_int(out, ns_of_ticks(r, wait > 0 ? wait : 0));
}

/* ---- gaps ---- */
struct gap {
    int64_t start, end, device;
    uint32_t before, after;
};
AZ_VEC(struct gap, gaps);
struct gathering {
    struct gaps list;
    struct az_devices_of dev;
};
static int one_gap(void *ctx, const struct az_idle_gap *g)
{
    struct gathering *x = ctx;
    return az_vec_push(&x->list, ((struct gap){ g->start, g->end, x->dev.slots.v[g->slot].device,
                                                g->before, g->after }));
}
static int64_t count_gaps(struct az_query_trace *tr, const void **own)
{
    struct gathering x;
    struct gap *kept = NULL;
    int rc = az_devices_make(&x.dev, tr->t, AZ_BY_DEVICE, tr->job->mem);

    az_vec_init(&x.list, tr->job->mem);
    if (rc == 0)
        rc = az_idle_gaps(tr->job, tr->index, one_gap, &x);
    if (rc == 0 && !(kept = az_arena_array(tr->job->arena, x.list.n + 1, sizeof *kept)))
        rc = az_arena_error(tr->job->arena);
    const int64_t n = (int64_t)x.list.n;
    if (rc == 0 && n)
        memcpy(kept, x.list.v, x.list.n * sizeof *kept);
    *own = kept;
    az_vec_release(&x.list);
    az_devices_release(&x.dev);
    return rc ? rc : n;
}
static const struct gap *gap_of(const struct az_query_row *r)
{
    return &((const struct gap *)r->seg->own)[r->row];
}
AZ_QUERY_GETTER(gap_device, known, gap_of(r)->device)
AZ_QUERY_GETTER(gap_start, az_query_int, ns_of_ticks(r, gap_of(r)->start))
AZ_QUERY_GETTER(gap_end, az_query_int, ns_of_ticks(r, gap_of(r)->end))
AZ_QUERY_GETTER(gap_dur, az_query_int, ns_of_ticks(r, gap_of(r)->end - gap_of(r)->start))
static uint32_t gap_before(const struct az_query_row *r)
{
    const uint32_t op = gap_of(r)->before;
    return trace_of(r)->ev[az_op_kind(op)].name[az_op_row(op)];
}
static uint32_t gap_after(const struct az_query_row *r)
{
    const uint32_t op = gap_of(r)->after;
    return trace_of(r)->ev[az_op_kind(op)].name[az_op_row(op)];
}
static uint32_t gap_call_row(const struct az_query_row *r)
{
    const uint32_t op = gap_of(r)->after;
    return az_query_call_of(r->seg->tr, az_op_kind(op), az_op_row(op));
}
static void gap_call(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = gap_call_row(r);
    if (call != AZ_NO_ROW)
        az_query_int(out, az_query_id_of(r->seg->tr, &az_query_calls, AZ_CALL, call));
}
/* Was the work after it launched before the device ran dry, inside the gap, or is it not known? */
static void gap_cause(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = gap_call_row(r);
    if (call == AZ_NO_ROW)
        az_query_text(out, AZ_SV("launch not recorded"));
    else if (trace_of(r)->ev[AZ_CALL].end[call] > gap_of(r)->start)
        az_query_text(out, AZ_SV("launched late"));
    else
        az_query_text(out, AZ_SV("launched before"));
}
static void gap_step(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_step *s = az_query_step_at(r->seg->tr, gap_of(r)->start, false);
    if (s)
        az_query_int(out, s->number);
}

/* ---- the tables ---- */
/* clang-format off */
#define COMMON \
    AZ_QUERY_COL("id", INT, ID, AZ_QC_ID, "row number", az_query_get_id), \
    AZ_QUERY_COL("input", TEXT, NONE, 0, "title of the input", az_query_get_input), \
    AZ_QUERY_COL("rank", INT, ID, 0, "rank, or index of the trace in its input", az_query_get_rank)

static const struct az_query_table_column steps[] = { COMMON,
    AZ_QUERY_COL("step", INT, ID, 0, "number of the step", step_number),
    AZ_QUERY_COL("name", TEXT, NONE, 0, "name of the step", step_name),
    AZ_QUERY_COL("mark", TEXT, NONE, 0, "marker text in the file", step_mark),
    AZ_QUERY_COL("found_by", TEXT, NONE, 0, "how steps were found", step_how),
    AZ_QUERY_COL("start_ns", INT, NS, 0, "start of its device work", step_start),
    AZ_QUERY_COL("end_ns", INT, NS, 0, "end of it, or start of the next step", step_end),
    AZ_QUERY_COL("dur_ns", INT, NS, 0, "from start to end", step_dur),
    AZ_QUERY_COL("mark_start_ns", INT, NS, 0, "start of its mark on the host", step_mark_start),
    AZ_QUERY_COL("mark_end_ns", INT, NS, 0, "end of its mark", step_mark_end),
    AZ_QUERY_COL("work_start_ns", INT, NS, 0, "first start of the work launched in it", step_work_start),
    AZ_QUERY_COL("work_end_ns", INT, NS, 0, "last end of that work", step_work_end),
    AZ_QUERY_COL("length_ns", INT, NS, 0, "its mark or, if longer, to the next step's work", step_length),
    AZ_QUERY_COL("source", TEXT, NONE, 0, "ID of the kind of mark", step_source),
    AZ_QUERY_COL("excluded", INT, NONE, 0, "1: outside the account", step_excluded) };
static const struct az_query_table_column lanes[] = { COMMON,
    AZ_QUERY_COL("side", TEXT, NONE, 0, "host or device", lane_side),
    AZ_QUERY_COL("process", INT, ID, 0, "process", lane_process),
    AZ_QUERY_COL("thread", INT, ID, 0, "thread of the host", lane_thread),
    AZ_QUERY_COL("device", INT, ID, 0, "device number", lane_device),
    AZ_QUERY_COL("stream", INT, ID, 0, "stream, queue or line", lane_stream),
    AZ_QUERY_NAME("label", "name of the lane", lane_label) };
static const struct az_query_table_column devices[] = { COMMON,
    AZ_QUERY_COL("device", INT, ID, 0, "device number", device_number),
    AZ_QUERY_COL("name", TEXT, NONE, 0, "name, where recorded", device_name),
    AZ_QUERY_COL("units", INT, COUNT, 0, "multiprocessors, compute units", device_units),
    AZ_QUERY_COL("memory_bytes", INT, BYTES, 0, "memory", device_memory) };
static const struct az_query_table_column ranks[] = { COMMON,
    AZ_QUERY_COL("path", TEXT, NONE, 0, "file", rank_path),
    AZ_QUERY_COL("format", TEXT, NONE, 0, "format of the input", rank_format),
    AZ_QUERY_COL("world_size", INT, COUNT, 0, "ranks of the run, where recorded", rank_world),
    AZ_QUERY_COL("base_ns", INT, NS, 0, "time since 1970 at 0 ns, where recorded", rank_base),
    AZ_QUERY_COL("events", INT, COUNT, 0, "events read", rank_events) };
static const struct az_query_table_column args_columns[] = { COMMON,
    AZ_QUERY_NAME("shapes", "shapes of the inputs, JSON", args_dims),
    AZ_QUERY_NAME("types", "element types, JSON", args_types),
    AZ_QUERY_NAME("strides", "strides, JSON", args_strides),
    AZ_QUERY_NAME("concrete", "values of non-tensor inputs, JSON", args_concrete) };
static const struct az_query_table_column counters[] = { COMMON,
    AZ_QUERY_KEYED("name", "kernel, or range of kernels", counter_kernel),
    AZ_QUERY_KEYED("counter", "counter", counter_name),
    AZ_QUERY_COL("value", REAL, NONE, 0, "value, in the counter's own unit", counter_value),
    AZ_QUERY_COL("dispatch", INT, ID, AZ_QC_INDEX, "dispatch in its process, where the profiler numbers them", counter_dispatch),
    AZ_QUERY_COL("start_ns", INT, NS, 0, "start of the range", counter_start),
    AZ_QUERY_COL("end_ns", INT, NS, 0, "end of the range", counter_end) };
static const struct az_query_table_column launches[] = { COMMON,
    AZ_QUERY_COL("call", INT, ID, AZ_QC_INDEX, "row of calls", launch_call),
    AZ_QUERY_KEYED("call_name", "name of the call", launch_call_name),
    AZ_QUERY_COL("call_start_ns", INT, NS, AZ_QC_INDEX, "start time of the call", launch_call_start),
    AZ_QUERY_COL("call_end_ns", INT, NS, 0, "end time of the call", launch_call_end),
    AZ_QUERY_COL("thread", INT, ID, 0, "thread of the call", launch_thread),
    AZ_QUERY_COL("kernel", INT, ID, AZ_QC_INDEX, "row of kernels, if it launched a kernel", launch_kernel),
    AZ_QUERY_COL("copy", INT, ID, AZ_QC_INDEX, "row of copies, if it launched a copy or fill", launch_copy),
    AZ_QUERY_COL("graph", INT, ID, AZ_QC_INDEX, "row of graphs, if it launched a graph", launch_graph),
    AZ_QUERY_KEYED("name", "name of the device work", launch_name),
    AZ_QUERY_COL("device", INT, ID, 0, "device number", launch_device),
    AZ_QUERY_COL("stream", INT, ID, 0, "stream or queue", launch_stream),
    AZ_QUERY_COL("start_ns", INT, NS, AZ_QC_INDEX, "start time of the work", launch_start),
    AZ_QUERY_COL("end_ns", INT, NS, 0, "end time", launch_end),
    AZ_QUERY_COL("wait_ns", INT, NS, 0, "from the return of the call to the start of the work", launch_wait) };
static const struct az_query_table_column gaps_columns[] = { COMMON,
    AZ_QUERY_COL("device", INT, ID, 0, "device number", gap_device),
    AZ_QUERY_COL("start_ns", INT, NS, 0, "end of the work before", gap_start),
    AZ_QUERY_COL("end_ns", INT, NS, 0, "start of the work after", gap_end),
    AZ_QUERY_COL("dur_ns", INT, NS, 0, "idle time of the device", gap_dur),
    AZ_QUERY_NAME("before", "name of the work before", gap_before),
    AZ_QUERY_NAME("after", "name of the work after", gap_after),
    AZ_QUERY_COL("call", INT, ID, 0, "row of calls that launched the work after", gap_call),
    AZ_QUERY_COL("cause", TEXT, NONE, 0, "launched late, launched before, launch not recorded", gap_cause),
    AZ_QUERY_COL("step", INT, ID, 0, "step number at its start", gap_step) };

#define TABLE(name, columns, help, count) \
    const struct az_query_table az_query_##name = { #name, help, columns, AZ_LENGTH(columns), { 0 }, 0, count }
TABLE(steps, steps, "iterations", count_steps);
TABLE(lanes, lanes, "host threads, streams and queues of devices", count_lanes);
TABLE(devices, devices, "devices of each trace", count_devices);
TABLE(ranks, ranks, "traces: a rank or a file each", count_one);
TABLE(args, args_columns, "arguments of operators, each set once", count_args);
TABLE(counters, counters, "hardware counters of kernels", count_counters);
TABLE(launches, launches, "device work with the call that launched it", count_launches);
TABLE(gaps, gaps_columns, "idle gaps of devices", count_gaps);

const struct az_query_table *const az_query_table_list[] = {
    &az_query_kernels, &az_query_copies, &az_query_graphs, &az_query_ops, &az_query_calls, &az_query_os_calls, &az_query_ranges,
    &az_query_device_ranges, &az_query_frames, &az_query_syncs, &az_query_overheads, &az_query_allocs, &az_query_captured,
    &az_query_counters, &az_query_launches, &az_query_gaps, &az_query_steps, &az_query_lanes, &az_query_devices, &az_query_ranks, &az_query_args };
const size_t az_query_n_tables = AZ_LENGTH(az_query_table_list);
/* clang-format on */
