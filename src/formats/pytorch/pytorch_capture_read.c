#include "base/num.h"
#include "base/sort.h"
#include "formats/pytorch/pytorch_capture.h"
#include "model/graph_capture_attach.h"

struct reading {
    struct az_trace *to;
    const struct az_trace *from;
    const struct az_calltree *tree;
    struct az_captures *out;
    uint32_t *name;           /* id here -> in `to` + 1; 0: not yet */
    uint32_t *seen;           /* node -> the last capture with it, from 1 on */
    struct az_vec_u32 nodes;  /* of one capture, by preorder */
    struct az_vec_u32 shapes; /* rows of annotations with a shape, by start */
    uint32_t n;               /* captures */
};

/* ---- what a call launches ---- */
static struct az_sv name_of(const struct reading *r, enum az_kind k, size_t row)
{
    return az_trace_text(r->from, r->from->ev[k].name[row]);
}

/* The id in the trace that the capture belongs to. */
static uint32_t name_there(struct reading *r, uint32_t id)
{
    if (id == AZ_NO_ID)
        return AZ_NO_ID;
    if (!r->name[id])
        r->name[id] = az_trace_name(r->to, az_trace_text(r->from, id)) + 1;
    return r->name[id] - 1;
}

static bool contains_text(struct az_sv text, const char *part)
{
    return az_sv_ifind(text, az_sv_str(part)) >= 0;
}

/* What a call puts on the device; AZ_KIND_COUNT: nothing. */
static enum az_kind launches(const struct reading *r, size_t call)
{
    const struct az_sv name = name_of(r, AZ_CALL, call);
    if (r->from->ev[AZ_CALL].side[call] != AZ_NO_ROW)
        return AZ_KERNEL;
    if (contains_text(name, "memcpy"))
        return AZ_MEMCPY;
    if (contains_text(name, "memset"))
        return AZ_MEMSET;
    const bool kernel = contains_text(name, "launch") && contains_text(name, "kernel");
    return kernel && !contains_text(name, "params") ? AZ_KERNEL : AZ_KIND_COUNT;
}

/* The driver's call within the runtime's is the same launch. */
static bool is_inner(const struct reading *r, uint32_t call)
{
    const struct az_calltree *c = r->tree;
    const uint32_t up = c->parent[c->first_call + call];
    return up != AZ_NO_ROW && up >= c->first_call && up < c->first_captured &&
           launches(r, up - c->first_call) != AZ_KIND_COUNT;
}

static int add_launch(struct reading *r, uint32_t call)
{
    const uint32_t kernel = r->from->ev[AZ_CALL].side[call];
    const enum az_kind kind = launches(r, call);
    const uint32_t name = kernel == AZ_NO_ROW ? (uint32_t)AZ_KEY_KERNEL : name_there(r, kernel);
    const uint32_t key =
        az_pair_key(kind, kernel == AZ_NO_ROW ? AZ_SV("") : az_trace_text(r->from, kernel), name);
    return r->to->names.error ? r->to->names.error : az_vec_push(&r->out->launches, key);
}

/* ---- one capture ---- */
struct window {
    int64_t from, to; /* end of the begin call, start of the end call */
    uint32_t begin;   /* row of AZ_CALL */
};

/* The calls in it that launch, and all that is above them and began in it. */
static int take_launches(struct reading *r, const struct window *w, struct az_vec_u32 *calls)
{
    const struct az_events *e = &r->from->ev[AZ_CALL];
    int rc = 0;
    az_vec_reset(&r->nodes);
    az_vec_reset(calls);
    for (uint32_t i = w->begin + 1; rc == 0 && i < e->n && e->start[i] < w->to; i++) {
        if (e->start[i] < w->from || launches(r, i) == AZ_KIND_COUNT || is_inner(r, i))
            continue;
        rc = add_launch(r, i);
        if (rc == 0)
            rc = az_vec_push(calls, i);
        for (uint32_t n = r->tree->first_call + i, row;
             rc == 0 && n != AZ_NO_ROW && r->seen[n] != r->n; n = r->tree->parent[n]) {
            const enum az_kind k = az_node_kind(r->tree, n, &row);
            if (r->from->ev[k].start[row] < w->from)
                break;
            r->seen[n] = r->n;
            if (k != AZ_CALL || n == r->tree->first_call + i)
                rc = az_vec_push(&r->nodes, n);
        }
    }
    return rc;
}

static int by_preorder(const void *a, const void *b, void *ctx)
{
    const struct az_calltree *c = ctx;
    const uint32_t x = c->pre[*(const uint32_t *)a], y = c->pre[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static int coll_there(struct reading *r, uint32_t row, uint32_t *out)
{
    *out = AZ_NO_ROW;
    if (row == AZ_NO_ROW)
        return 0;
    struct az_coll_args a = az_optrace(r->from)->colls.v[row];
    uint32_t *const names[] = {
        &a.name,     &a.in_nelems, &a.out_nelems, &a.group_size, &a.dtype,
        &a.in_split, &a.out_split, &a.pg_name,    &a.pg_desc,    &a.pg_ranks
    };
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        *names[i] = name_there(r, *names[i]);
    return r->to->names.error ? r->to->names.error : az_optrace_coll(r->to, &a, out);
}

static int args_there(struct reading *r, uint32_t row, uint32_t *out)
{
    *out = AZ_NO_ROW;
    if (row == AZ_NO_ROW)
        return 0;
    struct az_op_args a = az_optrace(r->from)->args.v[row];
    uint32_t *const names[] = { &a.dims, &a.types, &a.strides, &a.concrete };
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        *names[i] = name_there(r, *names[i]);
    return r->to->names.error ? r->to->names.error : az_optrace_args(r->to, &a, out);
}

/* What an operator has beyond its name. */
static int add_details(struct reading *r, uint32_t op, struct az_captured_node *n)
{
    const struct az_optrace *o = az_optrace(r->from);
    const struct az_events *e = &r->from->ev[AZ_HOST_OP];
    const struct az_coll_source *source = az_optrace_coll_source(o, e->uid[op]);
    int rc = 0;
    n->file = name_there(r, az_optrace_op_file(o, e->uid[op]));
    if (source)
        rc = coll_there(r, source->coll, &n->coll);
    if (rc == 0 && source)
        rc = args_there(r, source->args, &n->args);
    const uint32_t side = az_op_side(r->from, op);
    if (rc || side == AZ_NO_ROW)
        return rc;
    uint32_t args;
    rc = args_there(r, o->ops.v[side].args, &args);
    return rc ? rc : az_optrace_op(az_optrace(r->to), args, az_op_seq(o, side), &n->side);
}

/* Nodes come in preorder: one ends where the first that is not below it begins. */
static int add_nodes(struct reading *r, const struct az_vec_u32 *calls,
                     struct az_capture_root *root)
{
    const struct az_calltree *c = r->tree;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->nodes.n; i++) {
        uint32_t row;
        const enum az_kind k = az_node_kind(c, r->nodes.v[i], &row);
        struct az_captured_node n = { .kind = k == AZ_CALL ? AZ_CAPTURED : (uint8_t)k,
                                      .side = AZ_NO_ROW,
                                      .coll = AZ_NO_ROW,
                                      .args = AZ_NO_ROW,
                                      .file = AZ_NO_ID };
        size_t end = i + 1, lo = 0;
        for (size_t hi = r->nodes.n; end < hi;) { /* first beyond the subtree */
            const size_t mid = end + (hi - end) / 2;
            if (c->pre[r->nodes.v[mid]] <= c->last[r->nodes.v[i]])
                end = mid + 1;
            else
                hi = mid;
        }
        n.last = (uint32_t)(end - 1);
        for (size_t hi = calls->n; k == AZ_CALL && lo < hi;) {
            const size_t mid = lo + (hi - lo) / 2;
            if (calls->v[mid] < row)
                lo = mid + 1;
            else
                hi = mid;
        }
        n.launch = (uint32_t)lo;
        n.name = name_there(r, r->from->ev[k].name[row]);
        rc = r->to->names.error;
        if (rc == 0 && k == AZ_HOST_OP)
            rc = add_details(r, row, &n);
        if (rc == 0)
            rc = az_vec_push(&r->out->nodes, n);
    }
    root->n_nodes = (uint32_t)r->nodes.n;
    root->n_launches = (uint32_t)calls->n;
    return rc;
}

/* The innermost annotation of a shape around a capture on its thread. */
static struct az_pytorch_shape shape_at(const struct reading *r, const struct window *w,
                                        struct az_pytorch_shape otherwise)
{
    const struct az_events *e = &r->from->ev[AZ_RANGE];
    const uint32_t lane = r->from->ev[AZ_CALL].lane[w->begin];
    for (size_t k = r->shapes.n; k-- > 0;) {
        const uint32_t i = r->shapes.v[k];
        if (e->start[i] > w->from || e->end[i] < w->to || e->lane[i] != lane)
            continue;
        const struct az_pytorch_shape s = az_pytorch_shape_of(az_trace_text(r->from, e->name[i]));
        return (struct az_pytorch_shape){ s.batch,
                                          s.mode == AZ_CAPTURE_ANY ? otherwise.mode : s.mode };
    }
    return otherwise;
}

static int list_shapes(struct reading *r)
{
    const struct az_events *e = &r->from->ev[AZ_RANGE];
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
        const struct az_sv text = az_trace_text(r->from, e->name[i]);
        if (az_sv_starts(text, AZ_SV("capture")) && az_pytorch_shape_of(text).batch >= 0)
            rc = az_vec_push(&r->shapes, i);
    }
    return rc;
}

static int add_window(struct reading *r, const struct window *w, struct az_pytorch_shape shape,
                      struct az_vec_u32 *calls)
{
    const struct az_pytorch_shape s = shape_at(r, w, shape);
    struct az_capture_root root = { .batch = s.batch,
                                    .mode = (uint8_t)s.mode,
                                    .first_node = (uint32_t)r->out->nodes.n,
                                    .first_launch = (uint32_t)r->out->launches.n };
    r->n++;
    int rc = take_launches(r, w, calls);
    if (rc == 0 && r->nodes.n)
        az_sort_cmp(r->nodes.v, r->nodes.n, sizeof *r->nodes.v, by_preorder,
                    (void *)(uintptr_t)r->tree, r->to->mem);
    if (rc == 0)
        rc = add_nodes(r, calls, &root);
    return rc || root.n_launches == 0 ? rc : az_vec_push(&r->out->roots, root);
}

/* Each capture: from a call *StreamBeginCapture to the next *StreamEndCapture, of its thread if
 * there is one. */
static int find_windows(struct reading *r, struct az_pytorch_shape shape)
{
    const struct az_events *e = &r->from->ev[AZ_CALL];
    struct az_vec_u32 calls;
    int rc = 0;
    az_vec_init(&calls, r->to->mem);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
        if (!contains_text(name_of(r, AZ_CALL, i), "streambegincapture"))
            continue;
        uint32_t end = AZ_NO_ROW;
        for (uint32_t k = i + 1; k < e->n; k++) {
            const struct az_sv name = name_of(r, AZ_CALL, k);
            if (e->lane[k] == e->lane[i] && contains_text(name, "streambegincapture"))
                break;
            if (!contains_text(name, "streamendcapture") ||
                (end != AZ_NO_ROW && e->lane[k] != e->lane[i]))
                continue;
            end = k;
            if (e->lane[k] == e->lane[i])
                break;
        }
        if (end != AZ_NO_ROW)
            rc = add_window(r,
                            &(struct window){ .from = e->end[i], .to = e->start[end], .begin = i },
                            shape, &calls);
    }
    az_vec_release(&calls);
    return rc;
}

int az_pytorch_capture_read(struct az_trace *to, const struct az_trace *capture,
                            struct az_pytorch_shape shape, size_t *found)
{
    struct reading r = {
        .to = to, .from = capture, .tree = az_tree(capture), .out = &az_optrace(to)->captures
    };
    const size_t before = r.out->roots.n, names = (capture->names.text.n + 1) * sizeof *r.name,
                 nodes = ((size_t)r.tree->n + 1) * sizeof *r.seen;
    int rc = 0;
    az_vec_init(&r.nodes, to->mem);
    az_vec_init(&r.shapes, to->mem);
    r.name = az_mem_alloc(to->mem, names);
    r.seen = az_mem_alloc(to->mem, nodes);
    if (!r.name || !r.seen)
        rc = az_mem_error(to->mem);
    if (rc == 0) {
        memset(r.name, 0, names);
        memset(r.seen, 0, nodes);
        rc = list_shapes(&r);
    }
    if (rc == 0)
        rc = find_windows(&r, shape);
    if (r.name)
        az_mem_free(to->mem, r.name, names);
    if (r.seen)
        az_mem_free(to->mem, r.seen, nodes);
    az_vec_release(&r.nodes);
    az_vec_release(&r.shapes);
    *found = r.out->roots.n - before;
    return rc;
}
