/* Side tables of framework traces: unique argument sets, unique collective descriptions, compact
 * JSON text. */
#include "model/optrace.h"

#include "model/graph_capture_attach.h"
#include "model/link.h"
#include "model/treeedit.h"

/* Passes the tree to the hook, and builds it again if the hook requires changes. */
static int run_hook(struct az_trace *t, struct az_calltree *tree)
{
    struct az_optrace *o = t->ext;
    struct az_tree_edits edits;
    az_tree_edits_init(&edits, t->mem);
    int rc = t->hook.run(t, &edits, t->hook.ctx);
    if (rc == 0 && az_tree_edits_any(&edits)) {
        rc = az_tree_edits_apply(&edits, t, tree);
        az_calltree_release(tree);
        if (rc == 0)
            rc = az_calltree_build(tree, t, o->opts);
        if (rc == 0)
            az_tree_edits_number(t);
        else
            o->tree = NULL;
    }
    az_tree_edits_release(&edits);
    return rc;
}

/* Frees the ids that link events as early as possible: those of host events before the tree is
 * built, the others after. */
static void drop_ids(struct az_trace *t, bool linked)
{
    const struct az_optrace *o = t->ext;
    if (!linked) {
        az_trace_drop_columns(t, AZ_HOST_OP, AZ_COL_CORR | AZ_COL_NODE);
        if (!o->key_is_ext)
            az_trace_drop_columns(t, AZ_CALL, AZ_COL_NODE);
        return;
    }
    for (int k = 0; k < AZ_KIND_COUNT; k++) {
        const bool wanted =
            (k == AZ_CALL || k == AZ_SYNC) && (o->opts->launch_details || o->opts->critical_path);
        az_trace_drop_columns(t, (enum az_kind)k, wanted ? AZ_COL_NODE : AZ_COL_CORR | AZ_COL_NODE);
    }
}

/* Does every operator with a row have one of its own, and is there no other row? */
static int rows_are_own(struct az_mem *mem, const struct az_events *e, size_t rows, bool *own)
{
    const size_t bytes = rows / 8 + 1;
    uint8_t *seen = az_mem_alloc(mem, bytes);
    size_t n = 0;
    if (!seen)
        return az_mem_error(mem);
    memset(seen, 0, bytes);
    *own = true;
    for (size_t i = 0; *own && i < e->n; i++) {
        const uint32_t s = e->side[i];
        if (s == AZ_NO_ROW)
            continue;
        *own = !(seen[s / 8] >> s % 8 & 1);
        seen[s / 8] |= (uint8_t)(1u << s % 8);
        n++;
    }
    *own = *own && n == rows;
    az_mem_free(mem, seen, bytes);
    return 0;
}

/* Puts the rows of operators in the order of these, so that none needs a number; where half of them
 * have none, numbers are smaller than empty rows. */
static int order_ops(struct az_trace *t)
{
    struct az_optrace *o = t->ext;
    struct az_events *e = &t->ev[AZ_HOST_OP];
    bool own = false;
    if (!e->side || o->ops.n < e->n / 2 || o->ops.n > e->n)
        return 0;
    int rc = rows_are_own(t->mem, e, o->ops.n, &own);
    if (rc || !own)
        return rc;
    rc = az_vec_reserve(&o->ops, e->n - o->ops.n);
    for (size_t i = 0; rc == 0 && o->ops.n < e->n; i++)
        if (e->side[i] == AZ_NO_ROW) {
            e->side[i] = (uint32_t)o->ops.n;
            o->ops.v[o->ops.n++] = (struct az_op){ .args = AZ_NO_ROW, .seq = -1 };
        }
    if (rc)
        return rc;
    az_oplink_arrange(o->ops.v, e->side, e->n, sizeof *o->ops.v);
    az_trace_drop_columns(t, AZ_HOST_OP, AZ_COL_SIDE);
    az_vec_trim(&o->ops);
    o->ops_by_row = true;
    return 0;
}

/* May captures or a hook change the tree, once it is built? */
static bool may_change(const struct az_trace *t)
{
    const struct az_optrace *o = t->ext;
    return o->captures.roots.n ||
           (t->hook.run && (o->opts->enable_pseudo_ops || o->opts->extension_file.n));
}

static int finalize_optrace(struct az_trace *t)
{
    struct az_optrace *o = t->ext;
    az_map_release(&o->arg_map);
    az_map_release(&o->coll_map);
    az_vec_release(&o->compact);
    az_vec_trim(&o->ops);
    az_vec_trim(&o->fwdbwd);
    az_vec_trim(&t->copies);
    drop_ids(t, false);
    struct az_calltree *tree = az_arena_alloc(&t->arena, sizeof *tree);
    struct az_launchers *launchers = az_arena_alloc(&t->arena, sizeof *launchers);
    if (!tree || !launchers)
        return az_arena_error(&t->arena);
    const bool changes = may_change(t); /* then it is linked again */
    int rc = az_calltree_link(tree, t, o->opts);
    if (rc)
        return rc;
    if (!changes) {
        drop_ids(t, true);
        rc = order_ops(t);
        if (rc) {
            az_calltree_release(tree);
            return rc;
        }
    }
    rc = az_calltree_nest(tree);
    if (rc)
        return rc;
    o->tree = tree;
    if (o->captures.roots.n)
        rc = az_graft(t, tree);
    if (rc == 0 && changes && t->hook.run)
        rc = run_hook(t, tree);
    if (rc)
        return rc;
    if (changes) {
        drop_ids(t, true);
        rc = order_ops(t);
        if (rc)
            return rc;
    }
    rc = az_launchers_build(launchers, tree);
    if (rc)
        return rc;
    o->launchers = launchers;
    return 0;
}

static void release(struct az_trace *t)
{
    struct az_optrace *o = t->ext;
    if (o->launchers)
        az_launchers_release(o->launchers);
    if (o->tree)
        az_calltree_release(o->tree);
    az_vec_release(&o->ops);
    az_vec_release(&o->long_seqs);
    az_vec_release(&o->args);
    az_vec_release(&o->colls);
    az_vec_release(&o->coll_sources);
    az_vec_release(&o->op_files);
    az_vec_release(&o->graph_nodes);
    az_vec_release(&o->graph_waits);
    az_vec_release(&o->graph_passes);
    az_vec_release(&o->graft_rows);
    az_vec_release(&o->grafts);
    az_captures_release(&o->captures);
    az_vec_release(&o->lane_names);
    az_vec_release(&o->lane_scopes);
    az_vec_release(&o->flows);
    az_vec_release(&o->fwdbwd);
    az_map_release(&o->driver_calls);
    az_vec_release(&o->counters);
    az_vec_release(&o->counter_values);
    az_vec_release(&o->syncs);
    az_vec_release(&o->same_ids);
    az_vec_release(&o->long_frames);
    az_map_release(&o->arg_map);
    az_map_release(&o->coll_map);
    az_vec_release(&o->compact);
    t->ext = NULL;
}

static const struct az_trace_ext ext_ops = { .caps = AZ_CAP_CALLTREE,
                                             .seal = finalize_optrace,
                                             .release = release };

int az_optrace_init(struct az_trace *t, const struct az_options *opts)
{
    struct az_optrace *o = az_arena_alloc(&t->arena, sizeof *o);
    if (!o)
        return az_arena_error(&t->arena);
    t->ext = o;
    t->ext_ops = &ext_ops;
    t->in_order = 1u << AZ_KERNEL | 1u << AZ_MEMCPY | 1u << AZ_MEMSET;
    az_vec_init(&o->ops, t->mem);
    az_vec_init(&o->long_seqs, t->mem);
    az_vec_init(&o->args, t->mem);
    az_vec_init(&o->colls, t->mem);
    az_vec_init(&o->coll_sources, t->mem);
    az_vec_init(&o->op_files, t->mem);
    az_vec_init(&o->graph_nodes, t->mem);
    az_vec_init(&o->graph_waits, t->mem);
    az_vec_init(&o->graph_passes, t->mem);
    az_vec_init(&o->graft_rows, t->mem);
    az_vec_init(&o->grafts, t->mem);
    az_vec_init(&o->captures.roots, t->mem);
    az_vec_init(&o->captures.nodes, t->mem);
    az_vec_init(&o->captures.launches, t->mem);
    az_trace_columns(t, AZ_CAPTURED, AZ_COL_UID | AZ_COL_NODE);
    az_vec_init(&o->lane_names, t->mem);
    az_vec_init(&o->lane_scopes, t->mem);
    az_vec_init(&o->flows, t->mem);
    az_vec_init(&o->fwdbwd, t->mem);
    az_vec_init(&o->counters, t->mem);
    az_vec_init(&o->counter_values, t->mem);
    az_vec_init(&o->syncs, t->mem);
    az_vec_init(&o->same_ids, t->mem);
    az_vec_init(&o->long_frames, t->mem);
    az_vec_init(&o->compact, t->mem);
    o->opts = opts;
    az_map_init(&o->arg_map, t->mem, 256);
    az_map_init(&o->coll_map, t->mem, 16);
    az_map_init(&o->driver_calls, t->mem, 16);
    return 0;
}

int az_optrace_driver(struct az_trace *t, uint32_t name)
{
    uint32_t *value;
    bool added;
    return az_map_put(&az_optrace(t)->driver_calls, name, 0, 1, &value, &added);
}

/* Drops white space outside strings; the result is at most as long. */
static size_t squeeze(char *out, struct az_sv raw)
{
    size_t n = 0;
    bool text = false, escape = false;
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.p[i];
        if (!text && (unsigned char)c <= ' ')
            continue;
        out[n++] = c;
        if (text) {
            text = escape || c != '"';
            escape = !escape && c == '\\';
        } else {
            text = c == '"';
        }
    }
    return n;
}

/* Id of the text without its blanks. */
static int compact_text(struct az_trace *t, struct az_sv raw, uint32_t *id)
{
    char small[512];
    char *buf = raw.n <= sizeof small ? small : az_mem_alloc(t->mem, raw.n);
    if (!buf)
        return az_mem_error(t->mem);
    *id = az_trace_name(t, az_sv_make(buf, squeeze(buf, raw)));
    if (buf != small)
        az_mem_free(t->mem, buf, raw.n);
    return t->names.error;
}

int az_optrace_text(struct az_trace *t, struct az_sv *raw, uint32_t *id)
{
    struct az_optrace *o = t->ext;
    int rc;
    *id = AZ_NO_ID;
    if (raw->n == 0)
        return 0;
    /* The text as written is interned too, so that its compact form is made once. */
    const uint32_t written = az_trace_name(t, *raw);
    if (t->names.error)
        return t->names.error;
    *raw = az_trace_text(t, written);
    if (written >= o->compact.n) {
        const size_t more = (size_t)written + 1 - o->compact.n;
        rc = az_vec_reserve(&o->compact, more);
        if (rc)
            return rc;
        memset(o->compact.v + o->compact.n, 0, more * sizeof *o->compact.v);
        o->compact.n += more;
    }
    if (o->compact.v[written] == 0) {
        rc = compact_text(t, *raw, id);
        if (rc == 0)
            o->compact.v[written] = *id + 1;
        return rc;
    }
    *id = o->compact.v[written] - 1;
    return 0;
}

int az_optrace_args(struct az_trace *t, const struct az_op_args *a, uint32_t *row)
{
    struct az_optrace *o = t->ext;
    uint32_t *value;
    bool added;
    int rc =
        az_map_put(&o->arg_map, (uint64_t)a->dims << 32 | a->types,
                   (uint64_t)a->strides << 32 | a->concrete, (uint32_t)o->args.n, &value, &added);
    if (rc)
        return rc;
    *row = *value;
    return added ? az_vec_push(&o->args, *a) : 0;
}

int az_optrace_op(struct az_optrace *o, uint32_t args, int64_t seq, uint32_t *side)
{
    struct az_op op = { .args = args, .seq = (int32_t)seq };
    if (seq < -1 || seq > INT32_MAX) {
        if (o->long_seqs.n >= INT32_MAX - 1)
            return AZ_ERANGE;
        op.seq = -2 - (int32_t)o->long_seqs.n;
        const int rc = az_vec_push(&o->long_seqs, seq);
        if (rc)
            return rc;
    }
    *side = (uint32_t)o->ops.n;
    return az_vec_push(&o->ops, op);
}

int az_optrace_coll(struct az_trace *t, const struct az_coll_args *a, uint32_t *row)
{
    struct az_optrace *o = t->ext;
    if (a->seq >= 0) { /* a sequence number makes the row unique */
        *row = (uint32_t)o->colls.n;
        return az_vec_push(&o->colls, *a);
    }
    uint32_t *value;
    bool added;
    int rc =
        az_map_put(&o->coll_map, az_hash(a, sizeof *a), az_hash(&a->dtype, sizeof a->dtype * 6),
                   (uint32_t)o->colls.n, &value, &added);
    if (rc)
        return rc;
    *row = *value;
    return added ? az_vec_push(&o->colls, *a) : 0;
}

/* The row of that uid; NULL: none. Rows are sorted by it, which is their first field. */
static const void *row_of_uid(const void *rows, size_t n, size_t size, uint32_t uid)
{
    size_t low = 0, high = n;
    uint32_t at;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        memcpy(&at, (const char *)rows + mid * size, sizeof at);
        if (at < uid)
            low = mid + 1;
        else if (at > uid)
            high = mid;
        else
            return (const char *)rows + mid * size;
    }
    return NULL;
}
#define ROW_OF_UID(list, uid) row_of_uid((list).v, (list).n, sizeof *(list).v, uid)

const struct az_coll_source *az_optrace_coll_source(const struct az_optrace *o, uint32_t uid)
{
    return ROW_OF_UID(o->coll_sources, uid);
}

uint32_t az_optrace_op_file(const struct az_optrace *o, uint32_t uid)
{
    const struct az_op_file *f = ROW_OF_UID(o->op_files, uid);
    return f ? f->path : AZ_NO_ID;
}

uint64_t az_optrace_graph_node(const struct az_optrace *o, uint32_t uid)
{
    const struct az_graph_node *n = ROW_OF_UID(o->graph_nodes, uid);
    return n ? n->id : 0;
}

uint32_t az_optrace_graph_module(const struct az_optrace *o, uint32_t uid)
{
    const struct az_graph_node *n = ROW_OF_UID(o->graph_nodes, uid);
    return n ? n->module : AZ_NO_ID;
}
