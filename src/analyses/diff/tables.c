/* Tables of a merged call tree. */
#include "analyses/diff/tree.h"
#include "analyses/ops/framework.h"
#include "facts/groups.h"

static const char *const side_name[2] = { "trace1", "trace2" };

struct diff_row {     /* one device event of one side at a point of difference */
    uint32_t gpu, op; /* op: operator above it, AZ_NO_ROW */
    uint32_t at;      /* merged node; AZ_NO_ROW: above the roots */
    uint8_t side;
    int64_t busy; /* ticks */
};
AZ_VEC(struct diff_row, diff_rows);

struct work {
    struct az_job *job;
    const struct az_diff *d;
    struct diff_rows rows;
    struct az_vec_u32 gpu;
    struct az_spans spans;
};

static bool both(const struct az_diff_node *n)
{
    return n->node[0] != AZ_NO_ROW && n->node[1] != AZ_NO_ROW;
}

/* Device events in each other's place, of different names. */
static bool other_kernel(const struct work *w, const struct az_diff_node *n)
{
    return !az_sv_eq(az_diff_name(&w->d->side[0], n->node[0]),
                     az_diff_name(&w->d->side[1], n->node[1]));
}

/* The merged node itself, or the operator (frame) above a call: kernels are reported by the
 * operator. */
static uint32_t operator_at(const struct az_diff *d, uint32_t at)
{
    while (at != AZ_NO_ROW && d->nodes.v[at].node[0] >= d->side[0].tree->first_call &&
           d->nodes.v[at].node[0] < d->side[0].tree->first_frame)
        at = d->nodes.v[at].parent;
    return at;
}

/* Rows of one side below a merged node (AZ_NO_ROW: the roots) whose children first..end are looked
 * at. */
static int add_side(struct work *w, uint32_t at, uint32_t first, uint32_t end, int side)
{
    const struct az_diff *d = w->d;
    const struct az_diff_side *s = &d->side[side];
    int rc = 0;
    az_vec_reset(&w->gpu);
    for (uint32_t c = first; rc == 0 && c < end; c = d->nodes.v[c].end) {
        const struct az_diff_node *n = &d->nodes.v[c];
        const bool events = both(n) && n->node[side] >= s->n_host && other_kernel(w, n);
        if (n->node[side] != AZ_NO_ROW && (events || !both(n)) && az_diff_on_path(s, n->node[side]))
            rc = az_diff_events(s, n->node[side], &w->gpu);
    }
    az_vec_reset(&w->spans);
    for (size_t i = 0; rc == 0 && i < w->gpu.n; i++) {
        const struct az_event e = az_gpu_event(s->tree, w->gpu.v[i]);
        rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    if (rc == 0)
        rc = az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    const int64_t busy = az_spans_length(&w->spans);
    for (size_t i = 0; rc == 0 && i < w->gpu.n; i++) {
        const uint32_t call = s->tree->gpu_node[w->gpu.v[i]];
        rc = az_vec_push(&w->rows, ((struct diff_row){
                                       .gpu = w->gpu.v[i],
                                       .op = call == AZ_NO_ROW ? call : az_node_op(s->tree, call),
                                       .at = operator_at(d, at),
                                       .side = (uint8_t)side,
                                       .busy = busy }));
    }
    return rc;
}

static int collect(struct work *w)
{
    const struct az_diff_nodes *n = &w->d->nodes;
    int rc = 0;
    for (int side = 0; rc == 0 && side < 2; side++)
        rc = add_side(w, AZ_NO_ROW, 0, (uint32_t)n->n, side);
    for (uint32_t i = 0; rc == 0 && i < n->n; i++)
        for (int side = 0; rc == 0 && side < 2 && both(&n->v[i]); side++)
            rc = add_side(w, i, i + 1, n->v[i].end, side);
    return rc;
}

/* ---- cells ---- */

static struct az_sv text_of(const struct az_diff_side *s, uint32_t id)
{
    return id == AZ_NO_ID ? AZ_SV("") : az_trace_text(s->trace, id);
}

static const struct az_op_args *args_of(const struct az_diff_side *s, uint32_t op)
{
    const uint32_t side = op == AZ_NO_ROW ? op : s->trace->ev[AZ_HOST_OP].side[op];
    const struct az_optrace *o = az_optrace(s->trace);
    return side == AZ_NO_ROW || o->ops.v[side].args == AZ_NO_ROW ? NULL
                                                                 : &o->args.v[o->ops.v[side].args];
}

static double us_of(const struct az_diff_side *s, int64_t ticks) { return az_us(s->trace, ticks); }

static struct az_sv gpu_name(const struct az_diff_side *s, uint32_t gpu)
{
    return az_diff_name(s, s->n_host + gpu);
}

/* Name of a merged node: `a | b` where the sides differ. Line numbers are skipped. */
static struct az_sv merged_name(struct work *w, uint32_t at)
{
    struct az_sv name[2] = { { "", 0 }, { "", 0 } };
    if (at == AZ_NO_ROW)
        return name[0];
    const struct az_diff_node *n = &w->d->nodes.v[at];
    for (int k = 0; k < 2; k++)
        if (n->node[k] != AZ_NO_ROW &&
            az_diff_normal(w->job->arena, az_diff_name(&w->d->side[k], n->node[k]), false,
                           &name[k]))
            return name[0];
    if (name[1].n == 0 || az_sv_eq(name[0], name[1]))
        return name[0];
    if (name[0].n == 0)
        return name[1];
    return az_arena_printf(w->job->arena, "%.*s | %.*s", AZ_SVF(name[0]), AZ_SVF(name[1]));
}

/* Modules above an operator, outermost first: interpreter frames `nn.Module: X`, where the trace
 * has them. */
static struct az_sv modules(struct work *w, const struct az_diff_side *s, uint32_t op,
                            struct az_sv *parent)
{
    struct az_sv stack = { "", 0 };
    *parent = AZ_SV("root");
    for (uint32_t up = op; up != AZ_NO_ROW; up = s->tree->parent[up]) {
        const struct az_sv name = up < s->tree->first_frame ? AZ_SV("") : az_node_name(s->tree, up);
        if (!az_sv_starts(name, AZ_SV("nn.Module: ")))
            continue;
        const struct az_sv module = az_sv_make(name.p + 11, name.n - 11);
        if (stack.n == 0)
            *parent = module;
        stack = stack.n
                    ? az_arena_printf(w->job->arena, "%.*s => %.*s", AZ_SVF(module), AZ_SVF(stack))
                    : module;
    }
    return stack.n ? stack : AZ_SV("root");
}

static void put_op(struct work *w, struct az_table *t, const struct diff_row *r)
{
    const struct az_diff_side *s = &w->d->side[r->side];
    az_put_given(t, r->op == AZ_NO_ROW ? AZ_SV("") : az_node_name(s->tree, r->op));
    if (r->op == AZ_NO_ROW)
        az_put_empty(t);
    else
        az_put_i64(t, s->trace->ev[AZ_HOST_OP].uid[r->op]);
    az_put_text(t, az_sv_str(side_name[r->side]));
}

static void put_args(struct work *w, struct az_table *t, const struct diff_row *r)
{
    const struct az_diff_side *s = &w->d->side[r->side];
    const struct az_op_args *a = args_of(s, r->op);
    az_put_given(t, a ? text_of(s, a->dims) : AZ_SV(""));
    az_put_given(t, a ? text_of(s, a->strides) : AZ_SV(""));
    az_put_given(t, a ? text_of(s, a->types) : AZ_SV(""));
    az_put_given(t, a ? text_of(s, a->concrete) : AZ_SV(""));
}

static void arg_columns(struct az_table *t)
{
    static const char *const name[] = { "Input Dims", "Input Strides", "Input type",
                                        "Concrete Inputs" };
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, name[i], AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
}

/* ---- diff_stats ---- */

static int stats_table(struct work *w)
{
    struct az_table *t = az_table_new(w->job->arena, "diff_stats",
                                      "Device events that the traces do another way", 0);
    if (!t)
        return az_arena_error(w->job->arena);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "cpu_op_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "cpu_op_uid", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    arg_columns(t);
    az_table_column(t, "kernel_time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "busy_time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "lowest_common_ancestor_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "lowest_common_ancestor_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "gpu_op_uid", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "nn_module_stack", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "nn_module_parent", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    for (size_t i = 0; i < w->rows.n; i++) {
        const struct diff_row *r = &w->rows.v[i];
        const struct az_diff_side *s = &w->d->side[r->side];
        const struct az_event e = az_gpu_event(s->tree, r->gpu);
        struct az_sv parent, stack = modules(w, s, r->op, &parent);
        az_put_text(t, gpu_name(s, r->gpu));
        put_op(w, t, r);
        put_args(w, t, r);
        az_put_f64(t, us_of(s, e.end - e.start));
        az_put_f64(t, us_of(s, r->busy));
        az_put_given(t, merged_name(w, r->at));
        if (r->at == AZ_NO_ROW)
            az_put_empty(t);
        else
            az_put_i64(t, r->at);
        az_put_i64(t, e.uid);
        az_put_text(t, stack);
        az_put_text(t, parent);
    }
    return az_fw_emit(w->job, t, 0);
}

/* Groups rows by a key of two words each. of[row]: group; *n groups. */
static int group_rows(struct work *w,
                      void (*key)(struct work *, const struct diff_row *, uint64_t k[2]),
                      uint32_t *of, size_t *n)
{
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 256);
    *n = 0;
    for (size_t i = 0; rc == 0 && i < w->rows.n; i++) {
        uint64_t k[2];
        uint32_t *at;
        bool added;
        key(w, &w->rows.v[i], k);
        rc = az_map_put(&map, k[0], k[1], (uint32_t)*n, &at, &added);
        if (rc == 0) {
            of[i] = *at;
            *n += added;
        }
    }
    az_map_release(&map);
    return rc;
}

/* All that is shown of a row but the event's own time. */
static void same_call(struct work *w, const struct diff_row *r, uint64_t k[2])
{
    const uint32_t kernel = az_gpu_event(w->d->side[r->side].tree, r->gpu).name;
    const uint64_t rest[] = { (uint64_t)r->busy, r->at };
    k[0] = (uint64_t)kernel << 32 | r->op;
    k[1] = az_hash(rest, sizeof rest) << 1 | r->side;
}

static int summary_table(struct work *w)
{
    struct az_arena *a = w->job->arena;
    struct az_table *t = az_table_new(a, "diff_stats_unique_args_summary",
                                      "The same, by operator and arguments", AZ_TABLE_SUMMARY);
    uint32_t *of = az_arena_array(a, w->rows.n + 1, sizeof *of);
    struct az_groups g = { 0 };
    size_t n = 0;
    int rc = t && of ? group_rows(w, same_call, of, &n) : az_arena_error(a);
    if (rc == 0)
        rc = az_groups_make(&g, of, w->rows.n, n, w->job->mem);
    if (!t)
        return rc;
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "operation_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "cpu_op_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "cpu_op_uid", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    arg_columns(t);
    az_table_column(t, "busy_time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "lowest_common_ancestor_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "nn_module_stack", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "nn_module_parent", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "kernel_time_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    for (size_t k = 0; rc == 0 && k < n; k++) {
        const uint32_t *item = g.item + g.first[k];
        const size_t count = g.first[k + 1] - g.first[k];
        const struct diff_row *r = &w->rows.v[item[0]];
        const struct az_diff_side *s = &w->d->side[r->side];
        struct az_sv parent, stack = modules(w, s, r->op, &parent);
        int64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            const struct az_event e = az_gpu_event(s->tree, w->rows.v[item[i]].gpu);
            sum += e.end - e.start;
        }
        az_put_text(t, gpu_name(s, r->gpu));
        az_put_i64(t, (int64_t)count);
        put_op(w, t, r);
        put_args(w, t, r);
        az_put_f64(t, us_of(s, r->busy));
        az_put_given(t, merged_name(w, r->at));
        az_put_text(t, stack);
        az_put_text(t, parent);
        az_put_f64(t, us_of(s, sum) / (double)count);
        az_put_f64(t, us_of(s, sum));
    }
    az_groups_release(&g);
    if (rc == 0) {
        const int sum = (int)az_table_find(t, "kernel_time_sum");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum) }, 1);
    }
    return az_fw_emit(w->job, t, rc);
}

/* ---- by operator: what each trace spends where they differ ---- */

/* Operators of one name at nodes of one name; both sides together. */
static void same_operator(struct work *w, const struct diff_row *r, uint64_t k[2])
{
    const struct az_sv name = merged_name(w, r->at);
    k[0] = az_hash(name.p, name.n);
    k[1] = 0;
}

static int operator_table(struct work *w)
{
    struct az_arena *a = w->job->arena;
    struct az_table *t =
        az_table_new(a, "diff_by_op", "Where the traces differ, by operator", AZ_TABLE_SUMMARY);
    uint32_t *of = az_arena_array(a, w->rows.n + 1, sizeof *of);
    struct az_groups g = { 0 };
    size_t n = 0;
    int rc = t && of ? group_rows(w, same_operator, of, &n) : az_arena_error(a);
    if (rc == 0)
        rc = az_groups_make(&g, of, w->rows.n, n, w->job->mem);
    if (!t)
        return rc;
    az_table_column(t, "operator", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "kernels_trace1", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "kernels_trace2", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "time_us_trace1", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "time_us_trace2", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "diff_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "ratio", AZ_REAL, AZ_UNIT_RATIO, 0);
    for (size_t k = 0; rc == 0 && k < n; k++) {
        int64_t count[2] = { 0, 0 };
        double time[2] = { 0, 0 };
        int64_t ticks[2] = { 0, 0 };
        for (uint32_t i = g.first[k]; i < g.first[k + 1]; i++) {
            const struct diff_row *r = &w->rows.v[g.item[i]];
            const struct az_event e = az_gpu_event(w->d->side[r->side].tree, r->gpu);
            count[r->side]++;
            ticks[r->side] += e.end - e.start;
        }
        for (int s = 0; s < 2; s++)
            time[s] = us_of(&w->d->side[s], ticks[s]);
        az_put_given(t, merged_name(w, w->rows.v[g.item[g.first[k]]].at));
        az_put_i64(t, count[0]);
        az_put_i64(t, count[1]);
        az_put_f64(t, time[0]);
        az_put_f64(t, time[1]);
        az_put_f64(t, us_of(&w->d->side[0], ticks[1] - ticks[0])); /* both in ns */
        az_put_f64(t, ticks[0] ? time[1] / time[0] : 0.0 / 0.0);
    }
    az_groups_release(&g);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ AZ_DOWN(3), AZ_DOWN(4), AZ_UP(0) }, 3);
    return az_fw_emit(w->job, t, rc);
}

/* ---- which kernels an operator uses in each trace ---- */

static void same_kernel(struct work *w, const struct diff_row *r, uint64_t k[2])
{
    const struct az_diff_side *s = &w->d->side[r->side];
    const struct az_sv op = r->op == AZ_NO_ROW ? AZ_SV("") : az_node_name(s->tree, r->op),
                       kernel = gpu_name(s, r->gpu);
    k[0] = az_hash(op.p, op.n) ^ r->side;
    k[1] = az_hash(kernel.p, kernel.n);
}

static int kernel_map(struct work *w)
{
    struct az_arena *a = w->job->arena;
    struct az_table *t =
        az_table_new(a, "op_kernel_map", "Kernels of operators where the traces differ", 0);
    uint32_t *of = az_arena_array(a, w->rows.n + 1, sizeof *of);
    size_t n = 0, seen = 0;
    int rc = t && of ? group_rows(w, same_kernel, of, &n) : az_arena_error(a);
    if (!t)
        return rc;
    az_table_column(t, "cpu_op_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "source", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "kernel", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; rc == 0 && i < w->rows.n; i++) {
        const struct diff_row *r = &w->rows.v[i];
        const struct az_diff_side *s = &w->d->side[r->side];
        if (of[i] != seen) /* groups are numbered as they appear */
            continue;
        seen++;
        az_put_given(t, r->op == AZ_NO_ROW ? AZ_SV("") : az_node_name(s->tree, r->op));
        az_put_text(t, az_sv_str(side_name[r->side]));
        az_put_text(t, gpu_name(s, r->gpu));
    }
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ AZ_UP(0), AZ_UP(1), AZ_UP(2) }, 3);
    return az_fw_emit(w->job, t, rc);
}

/* ---- the tree itself ---- */

#define DRAWN 64 /* levels that are drawn; deeper ones are only named */

static struct az_sv drawn(struct work *w, uint32_t id, struct az_sv name)
{
    const struct az_diff_nodes *nodes = &w->d->nodes;
    const struct az_diff_node *n = &nodes->v[id];
    const char *bars[DRAWN] = { NULL };
    char text[DRAWN * 8 + 32];
    size_t levels = 0, len = 0;
    for (uint32_t up = n->parent; up != AZ_NO_ROW && levels < DRAWN; up = nodes->v[up].parent)
        bars[levels++] = nodes->v[up].last_sibling ? "    " : "│   ";
    for (size_t k = levels; k > 0; k--) {
        memcpy(text + len, bars[k - 1], strlen(bars[k - 1]));
        len += strlen(bars[k - 1]);
    }
    text[len] = 0;
    return az_arena_printf(w->job->arena, "%s%s── %s%.*s", text, n->last_sibling ? "└" : "├",
                           both(n)                   ? ""
                           : n->node[0] != AZ_NO_ROW ? ">> trace1: "
                                                     : "<< trace2: ",
                           AZ_SVF(name));
}

static int tree_table(struct work *w)
{
    struct az_table *t = az_table_new(w->job->arena, "merged_tree", "Both call trees as one", 0);
    if (!t)
        return az_arena_error(w->job->arena);
    az_table_column(t, "id", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "tree", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "source", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "parent", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "uid_trace1", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "uid_trace2", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "busy_us_trace1", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "busy_us_trace2", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < w->d->nodes.n; i++) {
        const struct az_diff_node *n = &w->d->nodes.v[i];
        const int only = n->node[0] == AZ_NO_ROW;
        const struct az_sv name = both(n) ? merged_name(w, i)
                                          : az_diff_name(&w->d->side[only], n->node[only]),
                           line = drawn(w, i, name);
        az_put_i64(t, i);
        az_put_text(t, line);
        az_put_text(t, both(n) ? AZ_SV("combined") : az_sv_str(side_name[n->node[0] == AZ_NO_ROW]));
        if (n->parent == AZ_NO_ROW)
            az_put_empty(t);
        else
            az_put_i64(t, n->parent);
        for (int k = 0; k < 2; k++) {
            const struct az_diff_side *s = &w->d->side[k];
            uint32_t row;
            if (n->node[k] == AZ_NO_ROW)
                az_put_empty(t);
            else if (n->node[k] >= s->n_host)
                az_put_i64(t, az_gpu_event(s->tree, n->node[k] - s->n_host).uid);
            else
                az_put_i64(t, s->trace->ev[az_node_kind(s->tree, n->node[k], &row)].uid[row]);
        }
        for (int k = 0; rc == 0 && k < 2; k++) {
            const struct az_diff_side *s = &w->d->side[k];
            az_vec_reset(&w->gpu);
            az_vec_reset(&w->spans);
            rc = n->node[k] == AZ_NO_ROW ? 0 : az_diff_events(s, n->node[k], &w->gpu);
            for (size_t e = 0; rc == 0 && e < w->gpu.n; e++) {
                const struct az_event x = az_gpu_event(s->tree, w->gpu.v[e]);
                rc = az_vec_push(&w->spans, ((struct az_span){ x.start, x.end }));
            }
            if (rc == 0)
                rc = az_spans_sort(&w->spans);
            az_spans_union(&w->spans);
            if (w->gpu.n)
                az_put_f64(t, us_of(s, az_spans_length(&w->spans)));
            else
                az_put_empty(t);
        }
    }
    return az_fw_emit(w->job, t, rc);
}

/* ---- names alone, without the tree ---- */

struct count {
    struct az_sv name;
    int64_t n[2];
    int64_t ticks[2];
};
AZ_VEC(struct count, counts);

static int count_names(struct work *w, bool kernels, struct counts *out)
{
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 256);
    for (int k = 0; rc == 0 && k < 2; k++) {
        const struct az_diff_side *s = &w->d->side[k];
        const uint32_t n = kernels ? s->tree->n_gpu : s->tree->first_call;
        for (uint32_t i = 0; rc == 0 && i < n; i++) {
            const struct az_events *ops = &s->trace->ev[AZ_HOST_OP];
            const struct az_sv name = kernels ? gpu_name(s, i) : az_node_name(s->tree, i);
            const struct az_event e =
                kernels ? az_gpu_event(s->tree, i)
                        : (struct az_event){ .start = ops->start[i], .end = ops->end[i] };
            uint32_t *at;
            bool added;
            rc = az_map_put(&map, az_hash(name.p, name.n), name.n, (uint32_t)out->n, &at, &added);
            const uint32_t where = rc ? 0 : *at;
            if (rc == 0 && added)
                rc = az_vec_push(out, ((struct count){ .name = name }));
            if (rc == 0) {
                out->v[where].n[k]++;
                out->v[where].ticks[k] += e.end - e.start;
            }
        }
    }
    az_map_release(&map);
    return rc;
}

static void put_counts(struct work *w, struct az_table *t, const struct counts *c, const char *kind)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct count *x = &c->v[i];
        const double us[2] = { us_of(&w->d->side[0], x->ticks[0]),
                               us_of(&w->d->side[1], x->ticks[1]) };
        const int64_t more = x->n[1] - x->n[0];
        az_put_text(t, az_sv_str(kind));
        az_put_text(t, x->name);
        az_put_i64(t, x->n[0]);
        az_put_i64(t, x->n[1]);
        az_put_i64(t, more);
        az_put_f64(t, us[0]);
        az_put_f64(t, us[1]);
        az_put_f64(t, us_of(&w->d->side[0], x->ticks[1] - x->ticks[0]));
        az_put_text(t, x->n[0] == 0   ? AZ_SV("added")
                       : x->n[1] == 0 ? AZ_SV("deleted")
                       : more > 0     ? AZ_SV("increased")
                       : more < 0     ? AZ_SV("decreased")
                                      : AZ_SV("unchanged"));
    }
}

/* Counts and times by name: what is new, gone, more, less. */
static int names_table(struct work *w)
{
    struct az_table *t =
        az_table_new(w->job->arena, "names_diff", "Operators and kernels by name", 0);
    struct counts c;
    int rc = t ? 0 : az_arena_error(w->job->arena);
    if (rc)
        return rc;
    az_table_column(t, "kind", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "count_trace1", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "count_trace2", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "diff_counts", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_us_trace1", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "total_us_trace2", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "diff_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "change", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (int kernels = 1; rc == 0 && kernels >= 0; kernels--) {
        az_vec_init(&c, w->job->mem);
        rc = count_names(w, kernels, &c);
        if (rc == 0)
            put_counts(w, t, &c, kernels ? "kernel" : "operator");
        az_vec_release(&c);
    }
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ AZ_UP(0), AZ_DOWN(6), AZ_DOWN(5), AZ_UP(1) }, 4);
    return az_fw_emit(w->job, t, rc);
}

static void cover(struct work *w)
{
    size_t n[3] = { 0, 0, 0 };
    for (size_t i = 0; i < w->d->nodes.n; i++) {
        const struct az_diff_node *x = &w->d->nodes.v[i];
        n[both(x) ? 0 : x->node[0] != AZ_NO_ROW ? 1 : 2]++;
    }
    az_cover(w->job, "merged tree: nodes of both traces", (double)n[0], "", AZ_SV(""));
    az_cover(w->job, "merged tree: nodes of trace1 only", (double)n[1], "", AZ_SV(""));
    az_cover(w->job, "merged tree: nodes of trace2 only", (double)n[2], "", AZ_SV(""));
    if (w->d->paired_by_order)
        az_cover(w->job, "merged tree: nodes with too many children to align",
                 (double)w->d->paired_by_order, "",
                 AZ_SV("their children are paired by name and order"));
}

int az_diff_tables(struct az_job *job, const struct az_diff *d)
{
    struct work w = { .job = job, .d = d };
    az_vec_init(&w.rows, job->mem);
    az_vec_init(&w.gpu, job->mem);
    az_vec_init(&w.spans, job->mem);
    int rc = collect(&w);
    int (*const tables[])(struct work *) = { operator_table, summary_table, stats_table,
                                             kernel_map,     names_table,   tree_table };
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(tables); i++)
        rc = tables[i](&w);
    if (rc == 0)
        cover(&w);
    az_vec_release(&w.rows);
    az_vec_release(&w.gpu);
    az_vec_release(&w.spans);
    return rc;
}
