/* Tables of a merged call tree. */
#include "analyses/diff/internal.h"
#include "analyses/operators/framework.h"
#include "document/record.h"
#include "facts/groups.h"
#include "facts/lazy_cache.h"

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
    struct az_diff_points points;
};

static bool has_both_sides(const struct az_diff_node *n)
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

/* Time in which some event of w->gpu runs, ticks. */
static int busy_of(struct work *w, const struct az_diff_side *s, int64_t *busy)
{
    int rc = 0;
    az_vec_reset(&w->spans);
    for (size_t i = 0; rc == 0 && i < w->gpu.n; i++) {
        const struct az_event e = az_gpu_event(s->tree, w->gpu.v[i]);
        rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    *busy = az_spans_length(&w->spans);
    return rc;
}

/* Rows of one side below a merged node (AZ_NO_ROW: the roots) whose children first..end are
 * examined. */
static int add_side(struct work *w, uint32_t at, uint32_t first, uint32_t end, int side)
{
    const struct az_diff *d = w->d;
    const struct az_diff_side *s = &d->side[side];
    int rc = 0;
    az_vec_reset(&w->gpu);
    for (uint32_t c = first; rc == 0 && c < end; c = d->nodes.v[c].end) {
        const struct az_diff_node *n = &d->nodes.v[c];
        const bool events = has_both_sides(n) && n->node[side] >= s->n_host && other_kernel(w, n);
        if (n->node[side] != AZ_NO_ROW && (events || !has_both_sides(n)) &&
            az_diff_on_path(s, n->node[side]))
            rc = az_diff_events(s, n->node[side], &w->gpu);
    }
    int64_t busy = 0;
    if (rc == 0)
        rc = busy_of(w, s, &busy);
    const uint32_t point =
        operator_at(d, at) == AZ_NO_ROW ? (uint32_t)d->nodes.n : operator_at(d, at);
    w->points.busy[side][point] = az_add_sat(w->points.busy[side][point], busy);
    for (size_t i = 0; rc == 0 && i < w->gpu.n; i++) {
        if (side == 0)
            w->points.of_gpu[w->gpu.v[i]] = point;
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
        for (int side = 0; rc == 0 && side < 2 && has_both_sides(&n->v[i]); side++)
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
    const uint32_t side = op == AZ_NO_ROW ? op : az_op_side(s->trace, op);
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

/* What is shown of a row, or of the first of a group of rows. */
struct event_row {
    const struct az_diff_side *side;
    const struct diff_row *row;
    const struct az_op_args *args; /* NULL: none */
    struct az_sv ancestor, stack, parent;
    int64_t n, ticks; /* events, and their time */
};
#define ROW struct event_row
static struct az_sv arg_of(const ROW *r, uint32_t id) { return text_of(r->side, id); }
AZ_TEXT_OF_RECORD(kernel_cell, ROW, gpu_name(r->side, r->row->gpu))
AZ_TEXT_OF_RECORD(op_cell, ROW,
                  r->row->op == AZ_NO_ROW ? AZ_SV("") : az_node_name(r->side->tree, r->row->op))
AZ_OF_RECORD(int64_t, op_uid, ROW,
             r->row->op == AZ_NO_ROW ? -1 : (int64_t)r->side->trace->ev[AZ_HOST_OP].uid[r->row->op])
AZ_TEXT_OF_RECORD(source_cell, ROW, az_sv_str(side_name[r->row->side]))
AZ_TEXT_OF_RECORD(dims_cell, ROW, r->args ? arg_of(r, r->args->dims) : AZ_SV(""))
AZ_TEXT_OF_RECORD(strides_cell, ROW, r->args ? arg_of(r, r->args->strides) : AZ_SV(""))
AZ_TEXT_OF_RECORD(types_cell, ROW, r->args ? arg_of(r, r->args->types) : AZ_SV(""))
AZ_TEXT_OF_RECORD(concrete_cell, ROW, r->args ? arg_of(r, r->args->concrete) : AZ_SV(""))
AZ_OF_RECORD(double, busy_us, ROW, us_of(r->side, r->row->busy))
AZ_OF_RECORD(double, sum_us, ROW, us_of(r->side, r->ticks))
AZ_OF_RECORD(double, mean_us, ROW, us_of(r->side, r->ticks) / (double)r->n)
AZ_OF_RECORD(int64_t, ancestor_id, ROW, r->row->at == AZ_NO_ROW ? -1 : (int64_t)r->row->at)
AZ_OF_RECORD(int64_t, kernel_uid, ROW, az_gpu_event(r->side->tree, r->row->gpu).uid)

/* The columns of an operator and its arguments. */
/* clang-format off */
#define OP_COLUMNS                                                                                 \
    { "cpu_op_name", AZ_TEXT, .flags = AZ_KEY, .text = op_cell, .known = true },                   \
    { "cpu_op_uid", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, .integer = op_uid, .known = true },             \
    { "source", AZ_TEXT, .flags = AZ_KEY, .text = source_cell },                                   \
    { "Input Dims", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = dims_cell, .known = true },      \
    { "Input Strides", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = strides_cell, .known = true },\
    { "Input type", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = types_cell, .known = true },     \
    { "Concrete Inputs", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = concrete_cell, .known = true }
#define ANCESTOR                                                                                   \
    { "lowest_common_ancestor_name", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, ancestor) }
#define MODULES                                                                                    \
    { "nn_module_stack", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, stack) },                      \
    { "nn_module_parent", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, parent) }
/* clang-format on */

static ROW event_row(struct work *w, const struct diff_row *d)
{
    const struct az_diff_side *s = &w->d->side[d->side];
    ROW r = { .side = s, .row = d, .args = args_of(s, d->op), .ancestor = merged_name(w, d->at) };
    r.stack = modules(w, s, d->op, &r.parent);
    return r;
}

static int64_t ticks_of(const struct work *w, const struct diff_row *r)
{
    const struct az_event e = az_gpu_event(w->d->side[r->side].tree, r->gpu);
    return e.end - e.start;
}

/* ---- diff_stats ---- */

static const struct az_record_column stats_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, .text = kernel_cell },
    OP_COLUMNS,
    { "kernel_time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = sum_us },
    { "busy_time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = busy_us },
    ANCESTOR,
    { "lowest_common_ancestor_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, .integer = ancestor_id,
      .known = true },
    { "gpu_op_uid", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, .integer = kernel_uid },
    MODULES,
};

static int stats_table(struct work *w)
{
    struct az_table *t =
        AZ_RECORD_TABLE(w->job->arena, "diff_stats", "Device event differences", 0, stats_columns);
    for (size_t i = 0; t && i < w->rows.n; i++) {
        ROW r = event_row(w, &w->rows.v[i]);
        r.n = 1;
        r.ticks = ticks_of(w, r.row);
        az_put_row(t, &r);
    }
    return az_job_add(w->job, t, 0);
}

/* All that is shown of a row but the event's own time. */
static int same_call(void *ctx, size_t i, uint64_t key[2])
{
    const struct work *w = ctx;
    const struct diff_row *r = &w->rows.v[i];
    const uint32_t kernel = az_gpu_event(w->d->side[r->side].tree, r->gpu).name;
    const uint64_t rest[] = { (uint64_t)r->busy, r->at };
    key[0] = (uint64_t)kernel << 32 | r->op;
    key[1] = az_hash(rest, sizeof rest) << 1 | r->side;
    return 1;
}

static void put_call(struct work *w, struct az_table *t, const struct az_groups *g, size_t group)
{
    size_t n;
    const uint32_t *item = az_groups_items(g, group, &n);
    ROW r = event_row(w, &w->rows.v[item[0]]);
    r.n = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        r.ticks += ticks_of(w, &w->rows.v[item[i]]);
    az_put_row(t, &r);
}

/* Where the traces differ, by operator: what each spends there; operators of one name at nodes of
 * one name, both sides together. */
static int same_operator(void *ctx, size_t i, uint64_t key[2])
{
    struct work *w = ctx;
    const struct az_sv name = merged_name(w, w->rows.v[i].at);
    key[0] = az_hash(name.p, name.n);
    key[1] = 0;
    return 1;
}

struct operator_row {
    struct az_sv name;
    int64_t kernels[2];
    double us[2], diff_us, ratio;
};

static void put_operator(struct work *w, struct az_table *t, const struct az_groups *g,
                         size_t group)
{
    int64_t count[2] = { 0, 0 }, ticks[2] = { 0, 0 };
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++) {
        const struct diff_row *r = &w->rows.v[g->item[i]];
        count[r->side]++;
        ticks[r->side] += ticks_of(w, r);
    }
    struct operator_row r = {
        .name = merged_name(w, w->rows.v[az_groups_first(g, group)].at),
        .kernels = { count[0], count[1] },
        .us = { us_of(&w->d->side[0], ticks[0]), us_of(&w->d->side[1], ticks[1]) },
        .diff_us = us_of(&w->d->side[0], ticks[1] - ticks[0]), /* both in ns */
    };
    r.ratio = ticks[0] ? r.us[1] / r.us[0] : 0.0 / 0.0;
    az_put_row(t, &r);
}

/* Which kernels an operator uses in each trace. */
static int same_kernel(void *ctx, size_t i, uint64_t key[2])
{
    const struct work *w = ctx;
    const struct diff_row *r = &w->rows.v[i];
    const struct az_diff_side *s = &w->d->side[r->side];
    const struct az_sv op = r->op == AZ_NO_ROW ? AZ_SV("") : az_node_name(s->tree, r->op),
                       kernel = gpu_name(s, r->gpu);
    key[0] = az_hash(op.p, op.n) ^ r->side;
    key[1] = az_hash(kernel.p, kernel.n);
    return 1;
}

static void put_kernel(struct work *w, struct az_table *t, const struct az_groups *g, size_t group)
{
    const struct diff_row *d = &w->rows.v[az_groups_first(g, group)];
    az_put_row(t, &(ROW){ .side = &w->d->side[d->side], .row = d });
}

static const struct az_record_column operator_columns[] = {
    { "operator", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(struct operator_row, name), .sort = 3 },
    { "kernels_trace1", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct operator_row, kernels[0]) },
    { "kernels_trace2", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct operator_row, kernels[1]) },
    { "time_us_trace1", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct operator_row, us[0]), .sort = -1 },
    { "time_us_trace2", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct operator_row, us[1]), .sort = -2 },
    { "diff_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct operator_row, diff_us) },
    { "ratio", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(struct operator_row, ratio) },
};
static const struct az_record_column call_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, .text = kernel_cell },
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, n) },
    OP_COLUMNS,
    { "busy_time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = busy_us },
    ANCESTOR,
    MODULES,
    { "kernel_time_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = mean_us },
    { "kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = sum_us, .sort = -1 },
};
static const struct az_record_column kernel_columns[] = {
    { "cpu_op_name", AZ_TEXT, .flags = AZ_KEY, .text = op_cell, .known = true, .sort = 1 },
    { "source", AZ_TEXT, .flags = AZ_KEY, .text = source_cell, .sort = 2 },
    { "kernel", AZ_TEXT, .flags = AZ_KEY, .text = kernel_cell, .sort = 3 },
};

/* A table of the rows in groups. */
static int grouped(struct work *w, struct az_table *t, az_group_key *key,
                   void (*put)(struct work *w, struct az_table *t, const struct az_groups *g,
                               size_t group))
{
    struct az_groups g;
    int rc = az_groups_by(&g, w->rows.n, key, w, w->job->mem);
    for (size_t k = 0; rc == 0 && t && k < g.groups; k++)
        put(w, t, &g, k);
    az_groups_release(&g);
    return az_job_add(w->job, t, rc ? rc : az_record_sort(t));
}

static int operator_table(struct work *w)
{
    struct az_table *t = AZ_RECORD_TABLE(w->job->arena, "diff_by_op", "Differences by operator",
                                         AZ_TABLE_SUMMARY, operator_columns);
    return grouped(w, t, same_operator, put_operator);
}

static int summary_table(struct work *w)
{
    struct az_table *t =
        AZ_RECORD_TABLE(w->job->arena, "diff_stats_unique_args_summary",
                        "Differences by operator and arguments", AZ_TABLE_SUMMARY, call_columns);
    return grouped(w, t, same_call, put_call);
}

static int kernel_map(struct work *w)
{
    struct az_table *t = AZ_RECORD_TABLE(w->job->arena, "op_kernel_map",
                                         "Kernel differences by operator", 0, kernel_columns);
    return grouped(w, t, same_kernel, put_kernel);
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
                           has_both_sides(n)         ? ""
                           : n->node[0] != AZ_NO_ROW ? ">> trace1: "
                                                     : "<< trace2: ",
                           AZ_SVF(name));
}

static int64_t uid_of(const struct az_diff_side *s, uint32_t node)
{
    uint32_t row;
    if (node == AZ_NO_ROW)
        return INT64_MIN;
    if (node >= s->n_host)
        return az_gpu_event(s->tree, node - s->n_host).uid;
    return (int64_t)s->trace->ev[az_node_kind(s->tree, node, &row)].uid[row];
}

static int node_busy(struct work *w, const struct az_diff_side *s, uint32_t node, double *us)
{
    int64_t busy = 0;
    az_vec_reset(&w->gpu);
    int rc = node == AZ_NO_ROW ? 0 : az_diff_events(s, node, &w->gpu);
    if (rc == 0)
        rc = busy_of(w, s, &busy);
    *us = w->gpu.n ? us_of(s, busy) : 0.0 / 0.0;
    return rc;
}

struct node_row {
    uint32_t id, parent;
    struct az_sv drawn;
    const char *source;
    int64_t uid[2]; /* INT64_MIN: none */
    double us[2];   /* NaN: no device work */
};
static const struct az_record_column tree_columns[] = {
    { "id", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct node_row, id) },
    { "tree", AZ_TEXT, AZ_FIELD(struct node_row, drawn) },
    { "source", AZ_TEXT, AZ_FIELD(struct node_row, source) },
    { "parent", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN(struct node_row, parent) },
    { "uid_trace1", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(struct node_row, uid[0]) },
    { "uid_trace2", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(struct node_row, uid[1]) },
    { "busy_us_trace1", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct node_row, us[0]) },
    { "busy_us_trace2", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct node_row, us[1]) },
};

static int tree_table(struct work *w)
{
    struct az_table *t =
        AZ_RECORD_TABLE(w->job->arena, "merged_tree", "Merged call tree", 0, tree_columns);
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && t && i < w->d->nodes.n; i++) {
        const struct az_diff_node *n = &w->d->nodes.v[i];
        const int only = n->node[0] == AZ_NO_ROW;
        const struct az_sv name =
            has_both_sides(n) ? merged_name(w, i) : az_diff_name(&w->d->side[only], n->node[only]);
        struct node_row r = { .id = i,
                              .parent = n->parent,
                              .drawn = drawn(w, i, name),
                              .source = has_both_sides(n) ? "combined" : side_name[only] };
        for (int k = 0; rc == 0 && k < 2; k++) {
            r.uid[k] = uid_of(&w->d->side[k], n->node[k]);
            rc = node_busy(w, &w->d->side[k], n->node[k], &r.us[k]);
        }
        az_put_row(t, &r);
    }
    return az_job_add(w->job, t, rc);
}

/* ---- names alone, without the tree ---- */

struct count {
    const char *kind, *change;
    struct az_sv name;
    int64_t n[2], ticks[2], more;
    double us[2], diff_us;
};
AZ_VEC(struct count, counts);

static int count_names(struct work *w, bool kernels, struct counts *out)
{
    struct az_grouper by;
    const size_t before = out->n; /* kernels and operators of one name are two rows */
    int rc = az_grouper_init(&by, w->job->mem, 2, 0);
    for (int k = 0; rc == 0 && k < 2; k++) {
        const struct az_diff_side *s = &w->d->side[k];
        const uint32_t n = kernels ? s->tree->n_gpu : s->tree->first_call;
        for (uint32_t i = 0; rc == 0 && i < n; i++) {
            const struct az_events *ops = &s->trace->ev[AZ_HOST_OP];
            const struct az_sv name = kernels ? gpu_name(s, i) : az_node_name(s->tree, i);
            const struct az_event e =
                kernels ? az_gpu_event(s->tree, i)
                        : (struct az_event){ .start = ops->start[i], .end = ops->end[i] };
            const uint64_t key[] = { az_hash(name.p, name.n), name.n };
            uint32_t at;
            rc = az_grouper_find(&by, key, &at);
            if (rc == 0 && before + by.n > out->n)
                rc = az_vec_push(
                    out, ((struct count){ .kind = kernels ? "kernel" : "operator", .name = name }));
            if (rc == 0) {
                out->v[before + at].n[k]++;
                out->v[before + at].ticks[k] += e.end - e.start;
            }
        }
    }
    az_grouper_release(&by);
    return rc;
}

static void compare_counts(const struct work *w, struct count *x)
{
    x->more = x->n[1] - x->n[0];
    for (int k = 0; k < 2; k++)
        x->us[k] = us_of(&w->d->side[k], x->ticks[k]);
    x->diff_us = us_of(&w->d->side[0], x->ticks[1] - x->ticks[0]);
    x->change = x->n[0] == 0   ? "added"
                : x->n[1] == 0 ? "deleted"
                : x->more > 0  ? "increased"
                : x->more < 0  ? "decreased"
                               : "unchanged";
}

static const struct az_record_column name_columns[] = {
    { "kind", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct count, kind), .sort = 1 },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct count, name), .sort = 4 },
    { "count_trace1", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct count, n[0]) },
    { "count_trace2", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct count, n[1]) },
    { "diff_counts", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct count, more) },
    { "total_us_trace1", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct count, us[0]), .sort = -3 },
    { "total_us_trace2", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct count, us[1]), .sort = -2 },
    { "diff_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER, AZ_FIELD(struct count, diff_us) },
    { "change", AZ_TEXT, AZ_FIELD(struct count, change) },
};

/* Counts and times by name: what is new, gone, more, less. */
static int names_table(struct work *w)
{
    struct az_table *t = AZ_RECORD_TABLE(w->job->arena, "names_diff",
                                         "Operators and kernels by name", 0, name_columns);
    struct counts c;
    az_vec_init(&c, w->job->mem);
    int rc = count_names(w, true, &c);
    if (rc == 0)
        rc = count_names(w, false, &c);
    for (size_t i = 0; i < c.n; i++)
        compare_counts(w, &c.v[i]);
    if (rc == 0)
        AZ_PUT_ROWS(t, c.v, c.n);
    az_vec_release(&c);
    return az_job_add(w->job, t, rc ? rc : az_record_sort(t));
}

static void cover(struct work *w)
{
    size_t n[3] = { 0, 0, 0 };
    for (size_t i = 0; i < w->d->nodes.n; i++) {
        const struct az_diff_node *x = &w->d->nodes.v[i];
        n[has_both_sides(x) ? 0 : x->node[0] != AZ_NO_ROW ? 1 : 2]++;
    }
    az_cover(w->job, "merged tree: nodes in both traces", (double)n[0], "", AZ_SV(""));
    az_cover(w->job, "merged tree: nodes in trace1 only", (double)n[1], "", AZ_SV(""));
    az_cover(w->job, "merged tree: nodes in trace2 only", (double)n[2], "", AZ_SV(""));
    if (w->d->paired_by_order)
        az_cover(w->job, "merged tree: nodes with too many children to align",
                 (double)w->d->paired_by_order, "", AZ_SV("children matched by name and order"));
}

static struct az_sv point_name(void *ctx, uint32_t at) { return merged_name(ctx, at); }

static int make_points(struct work *w)
{
    struct az_arena *a = w->job->arena;
    const size_t gpu = w->d->side[0].tree->n_gpu + (size_t)1, n = w->d->nodes.n + 1;
    struct az_diff_points *p = &w->points;

    *p = (struct az_diff_points){ .d = w->d,
                                  .of_gpu = az_arena_array(a, gpu, sizeof *p->of_gpu),
                                  .busy = { az_arena_array(a, n, sizeof **p->busy),
                                            az_arena_array(a, n, sizeof **p->busy) },
                                  .last = az_arena_array(a, n, sizeof *p->last),
                                  .name = point_name,
                                  .ctx = w };
    if (!p->of_gpu || !p->busy[0] || !p->busy[1] || !p->last)
        return az_arena_error(a);
    memset(p->of_gpu, 0xff, gpu * sizeof *p->of_gpu);
    return 0;
}

int az_diff_tables(struct az_job *job, const struct az_diff *d)
{
    struct work w = { .job = job, .d = d };
    az_vec_init(&w.rows, job->mem);
    az_vec_init(&w.gpu, job->mem);
    az_vec_init(&w.spans, job->mem);
    int rc = make_points(&w);
    rc = rc ? rc : collect(&w);
    rc = rc ? rc : az_diff_unified(job, &w.points);
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
