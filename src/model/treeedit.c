#include "model/treeedit.h"

void az_tree_edits_init(struct az_tree_edits *e, struct az_mem *mem)
{
    az_vec_init(&e->renames, mem);
    az_vec_init(&e->inserts, mem);
    az_vec_init(&e->removed, mem);
}

void az_tree_edits_release(struct az_tree_edits *e)
{
    az_vec_release(&e->renames);
    az_vec_release(&e->inserts);
    az_vec_release(&e->removed);
}

void az_tree_edits_reset(struct az_tree_edits *e)
{
    az_vec_reset(&e->renames);
    az_vec_reset(&e->inserts);
    az_vec_reset(&e->removed);
}

static bool has_args(const struct az_op_args *a)
{
    return a->dims != AZ_NO_ID || a->types != AZ_NO_ID || a->strides != AZ_NO_ID ||
           a->concrete != AZ_NO_ID || a->facts != AZ_NO_ID;
}

/* Rows of arguments are unique (model/optrace.h); `known` has all that are there. */
static int args_row(struct az_optrace *o, struct az_map *known, const struct az_op_args *a,
                    uint32_t *row)
{
    uint32_t *value;
    bool added;
    const int rc = az_map_put(known, az_hash(a, sizeof *a), (uint64_t)a->dims << 32 | a->facts,
                              (uint32_t)o->args.n, &value, &added);
    if (rc)
        return rc;
    *row = *value;
    return added ? az_vec_push(&o->args, *a) : 0;
}

static int list_args(const struct az_optrace *o, struct az_map *known)
{
    uint32_t *value;
    bool added;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < o->args.n; i++)
        rc = az_map_put(known, az_hash(&o->args.v[i], sizeof *o->args.v),
                        (uint64_t)o->args.v[i].dims << 32 | o->args.v[i].facts, i, &value, &added);
    return rc;
}

/* The row of an inserted operator. It has the uid of the node it begins with, so that it comes
 * there in the order of the file; az_tree_edits_number assigns its own. */
static int event_of(const struct az_tree_insert *x, struct az_trace *t,
                    const struct az_calltree *tree, struct az_map *known, struct az_event *out)
{
    struct az_optrace *o = az_optrace(t);
    uint32_t row, made = AZ_NO_ROW;
    const struct az_events *of = &t->ev[az_node_kind(tree, x->first, &row)];
    int rc = 0;
    if (has_args(&x->args))
        rc = args_row(o, known, &x->args, &made);
    *out = (struct az_event){ .start = x->start,
                              .end = x->end,
                              .name = x->name,
                              .lane = of->lane[row],
                              .uid = of->uid[row] };
    return rc ? rc : az_optrace_op(o, made, -1, &out->side);
}

int az_tree_edits_apply(const struct az_tree_edits *e, struct az_trace *t,
                        const struct az_calltree *tree)
{
    struct az_optrace *o = az_optrace(t);
    const size_t n = t->ev[AZ_HOST_OP].n, rows = e->inserts.n;
    uint8_t *gone = az_mem_alloc(t->mem, n + 1);
    struct az_event *add = az_mem_alloc(t->mem, (rows + 1) * sizeof *add);
    struct az_map known;
    int rc = 0;
    az_map_init(&known, t->mem, rows ? o->args.n + 16 : 16);
    if (!gone || !add)
        rc = az_mem_error(t->mem);
    if (rc == 0 && rows)
        rc = list_args(o, &known);

    o->first_made = (uint32_t)o->ops.n;
    if (rc == 0) {
        memset(gone, 0, n + 1);
        for (size_t i = 0; i < e->removed.n; i++)
            gone[e->removed.v[i]] = 1;
        for (size_t i = 0; i < e->renames.n; i++)
            t->ev[AZ_HOST_OP].name[e->renames.v[i].op] = e->renames.v[i].name;
    }
    for (size_t i = 0; rc == 0 && i < rows; i++)
        rc = event_of(&e->inserts.v[i], t, tree, &known, &add[i]);
    if (rc == 0)
        rc = az_trace_replace(t, AZ_HOST_OP, gone, add, rows);
    az_map_release(&known);
    if (gone)
        az_mem_free(t->mem, gone, n + 1);
    if (add)
        az_mem_free(t->mem, add, (rows + 1) * sizeof *add);
    return rc;
}

void az_tree_edits_number(struct az_trace *t)
{
    struct az_optrace *o = az_optrace(t);
    struct az_events *e = &t->ev[AZ_HOST_OP];
    for (size_t i = 0; i < e->n; i++)
        if (e->side[i] != AZ_NO_ROW && e->side[i] >= o->first_made)
            e->uid[i] = (uint32_t)(o->n_events + (e->side[i] - o->first_made));
    o->n_events += o->ops.n - o->first_made;
}
