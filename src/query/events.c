/* Tables of events: one row per event, its columns those of the model. */
#include "facts/families.h"
#include "facts/nvtx_projection.h"
#include "model/dispatch.h"
#include "model/optrace.h"
#include "model/xtrace.h"
#include "query/columns.h"

void az_query_text(struct az_cell *out, struct az_sv s)
{
    if (s.n)
        *out = (struct az_cell){ .type = AZ_TEXT, .len = AZ_CELL_LENGTH(s.n), .s = s.p };
}
void az_query_int(struct az_cell *out, int64_t x)
{
    *out = (struct az_cell){ .type = AZ_INT, .i = x };
}
static void known(struct az_cell *out, int64_t x)
{
    if (x >= 0)
        az_query_int(out, x);
}
/* Id in another table; 0: none. */
static void put_id(struct az_cell *out, int64_t x)
{
    if (x > 0)
        az_query_int(out, x);
}

/* ---- what all have ---- */
void az_query_get_id(const struct az_query_row *r, struct az_cell *out)
{
    az_query_int(out, r->seg->first + (int64_t)r->row);
}
void az_query_get_input(const struct az_query_row *r, struct az_cell *out)
{
    az_query_text(out, az_facts_of_source(r->seg->tr->of)->inputs[r->seg->tr->input].title);
}
void az_query_get_rank(const struct az_query_row *r, struct az_cell *out)
{
    az_query_int(out, az_job_rank(r->seg->tr->job, r->seg->tr->index));
}
AZ_QUERY_GETTER(get_start, az_query_int, az_ns(r->seg->tr->t, r->seg->e->start[r->row]))
AZ_QUERY_GETTER(get_end, az_query_int, az_ns(r->seg->tr->t, r->seg->e->end[r->row]))
static void get_dur(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_events *e = r->seg->e;
    az_query_int(out, az_ns(r->seg->tr->t, e->end[r->row] - e->start[r->row]));
}
/* Operations of a compiled program may enclose others; kernels of other traces do not. */
static void get_self(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_query_trace *tr = r->seg->tr;
    int rc = 0;
    const int64_t *self = tr->t->caps & AZ_CAP_PROGRAMS && az_has_tpu(tr->t)
                              ? az_job_self_ticks(tr->job, tr->index, &rc)
                              : NULL;
    if (rc == 0 && self)
        az_query_int(out, az_ns(tr->t, self[r->row]));
    else
        get_dur(r, out);
}
static uint32_t name_of(const struct az_query_row *r) { return r->seg->e->name[r->row]; }
static int64_t lane_id(const struct az_query_row *r)
{
    int64_t before = 0; /* lanes are numbered through all traces, as the table `lanes` does */
    size_t n;
    const struct az_query_trace *all = az_facts_of_traces(r->seg->tr->of, &n);

    for (size_t i = 0; i < r->seg->tr->at; i++)
        before += (int64_t)all[i].t->lanes.n;
    return before + (int64_t)r->seg->e->lane[r->row] + 1;
}
AZ_QUERY_GETTER(get_lane, az_query_int, lane_id(r))
static void get_correlation(const struct az_query_row *r, struct az_cell *out)
{
    const uint64_t corr = r->seg->e->corr ? r->seg->e->corr[r->row] : 0;
    if (corr && corr <= INT64_MAX)
        az_query_int(out, (int64_t)corr);
}

/* ---- on the device ---- */
AZ_QUERY_GETTER(get_device, known, az_query_lane(r)->device)
static void get_stream(const struct az_query_row *r, struct az_cell *out)
{
    const uint64_t stream = az_query_lane(r)->tid;
    if (stream <= INT64_MAX)
        az_query_int(out, (int64_t)stream);
}
static void get_call(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t call = az_query_call_of(r->seg->tr, r->seg->kind, r->row);
    if (call != AZ_NO_ROW)
        put_id(out, az_query_id_of(r->seg->tr, &az_query_calls, AZ_CALL, call));
}
static void get_op(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t op = az_query_op_of(r->seg->tr, r->seg->kind, r->row);
    if (op != AZ_NO_ROW)
        put_id(out, az_query_id_of(r->seg->tr, &az_query_ops, AZ_HOST_OP, op));
}
/* The framework's operator that launched it, or the operation of the program that it runs. */
static uint32_t op_name(const struct az_query_row *r)
{
    const struct az_trace *t = r->seg->tr->t;

    if (t->caps & AZ_CAP_PROGRAMS) {
        const struct az_xrow *x = az_xtrace_row_of(t, r->seg->kind, r->row);
        return x ? x->op : AZ_NO_ID;
    }
    const uint32_t op = az_query_op_of(r->seg->tr, r->seg->kind, r->row);
    return op == AZ_NO_ROW ? AZ_NO_ID : t->ev[AZ_HOST_OP].name[op];
}
static uint32_t scope(const struct az_query_row *r)
{
    const struct az_trace *t = r->seg->tr->t;
    const struct az_xrow *x =
        t->caps & AZ_CAP_PROGRAMS ? az_xtrace_row_of(t, r->seg->kind, r->row) : NULL;
    return x ? x->scope : AZ_NO_ID;
}
static void get_step(const struct az_query_row *r, struct az_cell *out)
{
    const bool host = r->seg->kind != AZ_KERNEL && r->seg->kind != AZ_MEMCPY &&
                      r->seg->kind != AZ_MEMSET && r->seg->kind != AZ_GRAPH;
    const struct az_step *s = az_query_step_at(r->seg->tr, r->seg->e->start[r->row], host);
    if (s)
        az_query_int(out, s->number);
}

/* ---- kernels ---- */
AZ_QUERY_GETTER(get_class, az_query_text, az_trace_class(r->seg->tr->t, name_of(r))->name)
AZ_QUERY_GETTER(get_family, az_query_text,
                az_family_text(az_trace_class(r->seg->tr->t, name_of(r))->family))
static void get_work(const struct az_query_row *r, struct az_cell *out)
{
    static const struct az_sv text[] = { { "compute", 7 }, { "communication", 13 }, { "copy", 4 } };
    az_query_text(out, text[az_trace_work(r->seg->tr->t, r->seg->kind, name_of(r))]);
}
/* Grid and block: of a geometry, or of a dispatch, whose grid is in work-items. */
static bool shape(const struct az_query_row *r, uint32_t grid[3], uint32_t block[3])
{
    const struct az_trace *t = r->seg->tr->t;
    const struct az_geometry *g = az_geometry_of(t, r->row);

    if (g) {
        memcpy(grid, g->grid, sizeof g->grid);
        memcpy(block, g->block, sizeof g->block);
        return true;
    }
    if (!(t->caps & AZ_CAP_DISPATCHES) || !t->ev[AZ_KERNEL].side ||
        t->ev[AZ_KERNEL].side[r->row] == AZ_NO_ROW)
        return false;
    const struct az_dispatch_shape *s =
        &az_dispatches(t)->shapes.v[az_dispatch_of(t, r->row)->shape];
    for (size_t i = 0; i < 3; i++) {
        block[i] = s->block[i];
        grid[i] = s->block[i] ? (s->grid[i] + s->block[i] - 1) / s->block[i] : 0;
    }
    return block[0] > 0;
}
#define AZ_QUERY_SHAPE(what, n)                                                                    \
    static void get_##what##_##n(const struct az_query_row *r, struct az_cell *out)                \
    {                                                                                              \
        uint32_t grid[3], block[3];                                                                \
        if (shape(r, grid, block))                                                                 \
            az_query_int(out, (int64_t)what[n]);                                                   \
    }
AZ_QUERY_SHAPE(grid, 0)
AZ_QUERY_SHAPE(grid, 1)
AZ_QUERY_SHAPE(grid, 2)
AZ_QUERY_SHAPE(block, 0)
AZ_QUERY_SHAPE(block, 1)
AZ_QUERY_SHAPE(block, 2)
static void get_registers(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_geometry *g = az_geometry_of(r->seg->tr->t, r->row);
    if (g && g->registers)
        az_query_int(out, g->registers);
}
static void get_shared(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_geometry *g = az_geometry_of(r->seg->tr->t, r->row);
    if (g)
        known(out, az_geometry_shared(g));
}
/* The collective of a kernel in the trace. */
static const struct az_coll_args *collective_of(const struct az_query_row *r)
{
    const struct az_trace *t = r->seg->tr->t;
    const struct az_events *e = r->seg->e;
    if (!(t->caps & AZ_CAP_CALLTREE) || !e->side || e->side[r->row] == AZ_NO_ROW)
        return NULL;
    return &az_optrace(t)->colls.v[e->side[r->row]];
}
static uint32_t collective(const struct az_query_row *r)
{
    const struct az_coll_args *c = collective_of(r);
    return c ? c->name : AZ_NO_ID;
}
static uint32_t group(const struct az_query_row *r)
{
    const struct az_coll_args *c = collective_of(r);
    return c ? c->pg_name : AZ_NO_ID;
}
static uint32_t coll_type(const struct az_query_row *r)
{
    const struct az_coll_args *c = collective_of(r);
    return c ? c->dtype : AZ_NO_ID;
}
static uint32_t coll_in(const struct az_query_row *r)
{
    const struct az_coll_args *c = collective_of(r);
    return c ? c->in_nelems : AZ_NO_ID;
}

/* ---- copies ---- */
static const struct az_copy *copy_of(const struct az_query_row *r)
{
    const struct az_events *e = r->seg->e;
    return e->side && e->side[r->row] != AZ_NO_ROW ? &r->seg->tr->t->copies.v[e->side[r->row]]
                                                   : NULL;
}
AZ_QUERY_GETTER(get_copy_kind, az_query_text,
                r->seg->kind == AZ_MEMSET ? AZ_SV("fill") : AZ_SV("copy"))
static void get_bytes(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_copy *c = copy_of(r);
    if (c)
        known(out, c->bytes);
}
static void get_rate(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_copy *c = copy_of(r);
    const struct az_events *e = r->seg->e;
    const int64_t ns = az_ns(r->seg->tr->t, e->end[r->row] - e->start[r->row]);

    if (c && (c->gbps > 0 || (c->bytes > 0 && ns > 0)))
        *out = (struct az_cell){ .type = AZ_REAL,
                                 .f = c->gbps > 0 ? c->gbps : (double)c->bytes / (double)ns };
}
static void memory(struct az_cell *out, int16_t kind)
{
    static const struct az_sv text[] = {
        { "pageable", 8 }, { "pinned", 6 }, { "device", 6 }, { "array", 5 }, { "managed", 7 }
    };
    if (kind >= 0 && (size_t)kind < AZ_LENGTH(text))
        az_query_text(out, text[kind]);
}
static void get_src(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_copy *c = copy_of(r);
    if (c)
        memory(out, c->src);
}
static void get_dst(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_copy *c = copy_of(r);
    if (c)
        memory(out, c->dst);
}

/* ---- on the host ---- */
static void get_pid(const struct az_query_row *r, struct az_cell *out)
{
    const uint64_t x = az_query_lane(r)->pid;
    if (x && x <= INT64_MAX)
        az_query_int(out, (int64_t)x);
}
static uint32_t op_side(const struct az_query_row *r)
{
    const struct az_trace *t = r->seg->tr->t;
    return (t->caps & AZ_CAP_CALLTREE) && r->seg->e == &t->ev[AZ_HOST_OP]
               ? az_op_side(t, (uint32_t)r->row)
               : AZ_NO_ROW;
}
static void get_args(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t side = op_side(r);
    int64_t before = 0;
    size_t n;
    const struct az_query_trace *all = az_facts_of_traces(r->seg->tr->of, &n);

    if (side == AZ_NO_ROW)
        return;
    const uint32_t args = az_optrace(r->seg->tr->t)->ops.v[side].args;
    if (args == AZ_NO_ROW)
        return;
    for (size_t i = 0; i < r->seg->tr->at; i++)
        if (all[i].t->caps & AZ_CAP_CALLTREE)
            before += (int64_t)az_optrace(all[i].t)->args.n;
    az_query_int(out, before + (int64_t)args + 1);
}
static void get_seq(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t side = op_side(r);
    if (side != AZ_NO_ROW)
        known(out, az_op_seq(az_optrace(r->seg->tr->t), side));
}
/* Node of the call tree of a host event; AZ_NO_ROW: there is no tree. */
static uint32_t node_of(const struct az_query_row *r)
{
    const struct az_trace *t = r->seg->tr->t;
    const struct az_calltree *c = t->caps & AZ_CAP_CALLTREE ? az_tree(t) : NULL;

    if (!c)
        return AZ_NO_ROW;
    const uint32_t row = (uint32_t)r->row;
    return r->seg->kind == AZ_HOST_OP ? row
           : r->seg->kind == AZ_CALL  ? c->first_call + row
           : r->seg->kind == AZ_FRAME ? c->first_frame + row
                                      : AZ_NO_ROW;
}
/* Id of the nearest node above of a kind. */
static void above(const struct az_query_row *r, struct az_cell *out, enum az_kind kind,
                  const struct az_query_table *table)
{
    const uint32_t node = node_of(r);
    const struct az_calltree *c = node == AZ_NO_ROW ? NULL : az_tree(r->seg->tr->t);
    uint32_t row;

    for (uint32_t n = c && node < c->n ? c->parent[node] : AZ_NO_ROW; n != AZ_NO_ROW;
         n = c->parent[n])
        if (az_node_kind(c, n, &row) == kind) {
            put_id(out, az_query_id_of(r->seg->tr, table, kind, row));
            return;
        }
}
static void get_above_op(const struct az_query_row *r, struct az_cell *out)
{
    above(r, out, AZ_HOST_OP, &az_query_ops);
}
static void get_above_frame(const struct az_query_row *r, struct az_cell *out)
{
    above(r, out, AZ_FRAME, &az_query_frames);
}
static void get_kernel_time(const struct az_query_row *r, struct az_cell *out)
{
    const uint32_t node = node_of(r);
    const struct az_calltree *c = node == AZ_NO_ROW ? NULL : az_tree(r->seg->tr->t);
    uint32_t at, stop;
    int64_t ticks = 0;

    if (!c || node >= c->n)
        return;
    az_node_gpu(c, node, &at, &stop);
    for (; at < stop; at++) {
        const struct az_event e = az_gpu_event(c, c->linked[at]);
        ticks += e.end - e.start;
    }
    az_query_int(out, az_ns(r->seg->tr->t, ticks));
}
static void get_range_id(const struct az_query_row *r, struct az_cell *out)
{
    const uint64_t x = az_range_id(r->seg->tr->t, r->row);
    if (x <= INT64_MAX)
        az_query_int(out, (int64_t)x);
}
static void get_style(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_range *s = az_range_side(r->seg->tr->t, r->row);
    if (s)
        az_query_text(out, s->style ? AZ_SV("start/end") : AZ_SV("push/pop"));
}

/* ---- memory ---- */
static const struct az_alloc *alloc_of(const struct az_query_row *r)
{
    const struct az_trace *t = r->seg->tr->t;
    const struct az_events *e = r->seg->e;
    if (!(t->caps & AZ_CAP_DISPATCHES) || !e->side || e->side[r->row] == AZ_NO_ROW)
        return NULL;
    return &az_dispatches(t)->allocs.v[e->side[r->row]];
}
static void get_alloc_bytes(const struct az_query_row *r, struct az_cell *out)
{
    const struct az_alloc *a = alloc_of(r);
    if (a)
        known(out, a->bytes);
}

/* ---- the tables ---- */
/* clang-format off */
#define COMMON \
    AZ_QUERY_COL("id", INT, ID, AZ_QC_ID, "row number", az_query_get_id), \
    AZ_QUERY_COL("input", TEXT, NONE, 0, "title of the input", az_query_get_input), \
    AZ_QUERY_COL("rank", INT, ID, 0, "rank, or index of the trace in its input", az_query_get_rank), \
    AZ_QUERY_COL("start_ns", INT, NS, AZ_QC_START, "start time, on the clock of the trace", get_start), \
    AZ_QUERY_COL("end_ns", INT, NS, 0, "end time", get_end), \
    AZ_QUERY_COL("dur_ns", INT, NS, 0, "duration", get_dur), \
    AZ_QUERY_KEYED("name", "name", name_of)
#define ON_DEVICE \
    AZ_QUERY_COL("device", INT, ID, 0, "device number", get_device), \
    AZ_QUERY_COL("stream", INT, ID, 0, "stream or queue", get_stream), \
    AZ_QUERY_COL("lane", INT, ID, 0, "row of lanes", get_lane), \
    AZ_QUERY_COL("correlation", INT, ID, AZ_QC_INDEX, "correlation ID of its call, where recorded", get_correlation), \
    AZ_QUERY_COL("call", INT, ID, AZ_QC_INDEX, "row of calls that launched it", get_call), \
    AZ_QUERY_COL("op", INT, ID, AZ_QC_INDEX, "row of ops that launched it", get_op), \
    AZ_QUERY_KEYED("op_name", "operator that launched it, or operation of the program", op_name), \
    AZ_QUERY_KEYED("scope", "framework operation that the program's operation is of", scope), \
    AZ_QUERY_COL("step", INT, ID, 0, "step number at its start", get_step)
#define ON_HOST \
    AZ_QUERY_COL("process", INT, ID, 0, "process", get_pid), \
    AZ_QUERY_COL("thread", INT, ID, 0, "thread", get_stream), \
    AZ_QUERY_COL("lane", INT, ID, 0, "row of lanes", get_lane)

static const struct az_query_table_column kernels[] = { COMMON, ON_DEVICE,
    AZ_QUERY_COL("self_ns", INT, NS, 0, "duration without the enclosed operations", get_self),
    AZ_QUERY_COL("class", TEXT, NONE, 0, "class of the name", get_class),
    AZ_QUERY_COL("family", TEXT, NONE, 0, "family of the class: gemm, attention, communication ...", get_family),
    AZ_QUERY_COL("work", TEXT, NONE, 0, "compute, communication or copy", get_work),
    AZ_QUERY_COL("grid_x", INT, COUNT, 0, "blocks; where launches are recorded", get_grid_0),
    AZ_QUERY_COL("grid_y", INT, COUNT, 0, "blocks", get_grid_1),
    AZ_QUERY_COL("grid_z", INT, COUNT, 0, "blocks", get_grid_2),
    AZ_QUERY_COL("block_x", INT, COUNT, 0, "threads per block", get_block_0),
    AZ_QUERY_COL("block_y", INT, COUNT, 0, "threads", get_block_1),
    AZ_QUERY_COL("block_z", INT, COUNT, 0, "threads", get_block_2),
    AZ_QUERY_COL("registers", INT, COUNT, 0, "registers per thread", get_registers),
    AZ_QUERY_COL("shared_bytes", INT, BYTES, 0, "shared memory per block", get_shared),
    AZ_QUERY_NAME("collective", "type of collective, from the trace", collective),
    AZ_QUERY_NAME("process_group", "process group of the collective", group),
    AZ_QUERY_NAME("collective_type", "element type of the collective", coll_type),
    AZ_QUERY_NAME("collective_elements", "input elements", coll_in) };
static const struct az_query_table_column copies[] = { COMMON, ON_DEVICE,
    AZ_QUERY_COL("kind", TEXT, NONE, 0, "copy or fill", get_copy_kind),
    AZ_QUERY_COL("bytes", INT, BYTES, 0, "size", get_bytes),
    AZ_QUERY_COL("gb_per_s", REAL, GBPS, 0, "rate", get_rate),
    AZ_QUERY_COL("source", TEXT, NONE, 0, "memory it comes from, where recorded", get_src),
    AZ_QUERY_COL("destination", TEXT, NONE, 0, "memory it goes to", get_dst) };
static const struct az_query_table_column graphs[] = { COMMON, ON_DEVICE };
static const struct az_query_table_column ops[] = { COMMON, ON_HOST,
    AZ_QUERY_COL("step", INT, ID, 0, "step number at its start", get_step),
    AZ_QUERY_COL("parent", INT, ID, AZ_QC_INDEX, "row of ops above it", get_above_op),
    AZ_QUERY_COL("frame", INT, ID, AZ_QC_INDEX, "row of frames above it", get_above_frame),
    AZ_QUERY_COL("args", INT, ID, AZ_QC_INDEX, "row of args", get_args),
    AZ_QUERY_COL("sequence", INT, ID, AZ_QC_INDEX, "sequence number, which joins forward and backward", get_seq),
    AZ_QUERY_COL("device_ns", INT, NS, 0, "time of the device work launched by it and its descendants", get_kernel_time) };
static const struct az_query_table_column calls[] = { COMMON, ON_HOST,
    AZ_QUERY_COL("correlation", INT, ID, AZ_QC_INDEX, "correlation ID of device work", get_correlation),
    AZ_QUERY_COL("step", INT, ID, 0, "step number at its start", get_step),
    AZ_QUERY_COL("op", INT, ID, AZ_QC_INDEX, "row of ops above it", get_above_op) };
static const struct az_query_table_column os_calls[] = { COMMON, ON_HOST };
static const struct az_query_table_column ranges[] = { COMMON, ON_HOST,
    AZ_QUERY_COL("range_id", INT, ID, AZ_QC_INDEX, "ID assigned by the profiler", get_range_id),
    AZ_QUERY_COL("style", TEXT, NONE, 0, "push/pop or start/end", get_style) };
static const struct az_query_table_column device_ranges[] = { COMMON,
    AZ_QUERY_COL("device", INT, ID, 0, "device number", get_device),
    AZ_QUERY_COL("stream", INT, ID, 0, "stream or line", get_stream),
    AZ_QUERY_COL("lane", INT, ID, 0, "row of lanes", get_lane) };
static const struct az_query_table_column frames[] = { COMMON, ON_HOST,
    AZ_QUERY_COL("parent", INT, ID, AZ_QC_INDEX, "row of frames above it", get_above_frame) };
static const struct az_query_table_column syncs[] = { COMMON,
    AZ_QUERY_COL("device", INT, ID, 0, "device number", get_device),
    AZ_QUERY_COL("stream", INT, ID, 0, "stream", get_stream),
    AZ_QUERY_COL("lane", INT, ID, 0, "row of lanes", get_lane),
    AZ_QUERY_COL("correlation", INT, ID, AZ_QC_INDEX, "correlation ID of its call", get_correlation),
    AZ_QUERY_COL("call", INT, ID, AZ_QC_INDEX, "row of its call in calls", get_call) };
static const struct az_query_table_column allocs[] = { COMMON, ON_HOST,
    AZ_QUERY_COL("bytes", INT, BYTES, 0, "size; 0 for frees", get_alloc_bytes) };

#define TABLE(name, columns, help, ...) \
    const struct az_query_table az_query_##name = { #name, help, columns, AZ_LENGTH(columns), { __VA_ARGS__ }, \
        sizeof (enum az_kind[]){ __VA_ARGS__ } / sizeof(enum az_kind), NULL }
TABLE(kernels, kernels, "kernels and operations of devices", AZ_KERNEL);
TABLE(copies, copies, "copies and fills of memory on devices", AZ_MEMCPY, AZ_MEMSET);
TABLE(graphs, graphs, "graph launches without individual kernel records", AZ_GRAPH);
TABLE(ops, ops, "operators of the framework", AZ_HOST_OP);
TABLE(calls, calls, "calls of the runtime or driver", AZ_CALL);
TABLE(os_calls, os_calls, "calls of the operating system", AZ_OSRT);
TABLE(ranges, ranges, "ranges and annotations of the host", AZ_RANGE);
TABLE(device_ranges, device_ranges, "annotations on the device, runs of programs, control flow of TPUs", AZ_GPU_RANGE);
TABLE(frames, frames, "frames of the interpreter, where stacks are recorded", AZ_FRAME);
TABLE(syncs, syncs, "device synchronizations", AZ_SYNC);
TABLE(overheads, os_calls, "profiler overhead", AZ_OVERHEAD);
TABLE(allocs, allocs, "allocations and frees", AZ_ALLOC);
TABLE(captured, os_calls, "calls during graph capture", AZ_CAPTURED);
/* clang-format on */
