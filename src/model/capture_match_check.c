#include "model/capture_match_check.h"

#include "classify/kernels.h"

#define IN_TEN 10 /* contradictions: at most one of so many that could be checked */

/* Of kernels whose work few operators do. */
static bool is_telling(enum az_family f)
{
    switch (f) {
    case AZ_FAMILY_GEMM:
    case AZ_FAMILY_ATTENTION:
    case AZ_FAMILY_CONV:
    case AZ_FAMILY_COMMUNICATION:
    case AZ_FAMILY_NORM:
    case AZ_FAMILY_SOFTMAX:
    case AZ_FAMILY_ROPE:
        return true;
    default:
        return false;
    }
}

/* Operators that are one kernel as a rule; attention, convolutions and mixtures of experts have
 * products, norms and sums of their own. */
static bool is_simple(enum az_family f)
{
    switch (f) {
    case AZ_FAMILY_GEMM:
    case AZ_FAMILY_NORM:
    case AZ_FAMILY_SOFTMAX:
    case AZ_FAMILY_ROPE:
    case AZ_FAMILY_ELEMENTWISE:
    case AZ_FAMILY_COPY:
    case AZ_FAMILY_FILL:
    case AZ_FAMILY_KV_CACHE:
        return true;
    default:
        return false;
    }
}

bool az_family_contradicts(enum az_family op, enum az_family kernel)
{
    if (op == kernel || op == AZ_FAMILY_OTHER || !is_telling(kernel))
        return false;
    if (op == AZ_FAMILY_COMMUNICATION) /* a norm may be fused with it */
        return kernel == AZ_FAMILY_GEMM || kernel == AZ_FAMILY_ATTENTION ||
               kernel == AZ_FAMILY_CONV || kernel == AZ_FAMILY_ROPE;
    return is_simple(op) || kernel == AZ_FAMILY_COMMUNICATION;
}

void az_plausible_init(struct az_plausible *p, const struct az_trace *t)
{
    *p = (struct az_plausible){ .t = t };
    az_vec_init(&p->family, t->mem);
    az_vec_init(&p->op_of, t->mem);
    az_vec_init(&p->is_op, t->mem);
}

void az_plausible_release(struct az_plausible *p)
{
    if (p->rules)
        az_kernel_rules_free(p->rules, p->t->mem);
    az_vec_release(&p->family);
    az_vec_release(&p->op_of);
    az_vec_release(&p->is_op);
}

/* Nothing is added to the names of the trace while launches are paired. */
static int prepare(struct az_plausible *p)
{
    const struct az_user_names nobody = { .collectives = { "", 0 } };
    const size_t names = p->t->names.text.n;
    if (p->rules)
        return 0;
    p->rules = az_kernel_rules_new(&nobody, p->t->mem);
    if (!p->rules)
        return az_mem_error(p->t->mem);
    int rc = az_vec_reserve(&p->family, names + 1);
    if (rc == 0)
        rc = az_vec_reserve(&p->is_op, names + 1);
    if (rc)
        return rc;
    memset(p->family.v, 0, names + 1);
    memset(p->is_op.v, 0, (names + 1) * sizeof *p->is_op.v);
    return 0;
}

static enum az_family family_of(struct az_plausible *p, uint32_t name)
{
    if (!p->family.v[name])
        p->family.v[name] =
            (uint8_t)(1 + az_kernel_class_of(p->rules, az_trace_text(p->t, name))->family);
    return (enum az_family)(p->family.v[name] - 1);
}

/* The innermost operator above each launch. Nodes come in preorder. */
static int list_ops(struct az_plausible *p, const struct az_captures *c, size_t root)
{
    const struct az_capture_root *x = &c->roots.v[root];
    const struct az_captured_node *node = c->nodes.v + x->first_node;
    int rc = az_vec_reserve(&p->op_of, x->n_launches);
    if (rc)
        return rc;
    memset(p->op_of.v, 0xff, x->n_launches * sizeof *p->op_of.v);
    for (uint32_t i = 0; i < x->n_nodes; i++) { /* inner ones come later and win */
        if (node[i].kind != AZ_HOST_OP || node[i].name >= p->t->names.text.n)
            continue;
        p->is_op.v[node[i].name] = (uint32_t)root + 1;
        for (uint32_t k = i + 1; k <= node[i].last; k++)
            if (node[k].kind == AZ_CAPTURED)
                p->op_of.v[node[k].launch] = i;
    }
    return 0;
}

int az_plausible_ops(struct az_plausible *p, const struct az_captures *c, size_t root)
{
    const int rc = prepare(p);
    return rc ? rc : list_ops(p, c, root);
}

int az_plausible_pairing(struct az_plausible *p, const struct az_captures *c, size_t root,
                         const uint32_t *name, const uint32_t *launch_of, size_t n,
                         enum az_likeness *out)
{
    size_t same = 0, unlike = 0;
    int rc = az_plausible_ops(p, c, root);
    const struct az_captured_node *node = c->nodes.v + c->roots.v[root].first_node;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const uint32_t op = launch_of[i] == AZ_NO_ROW ? AZ_NO_ROW : p->op_of.v[launch_of[i]];
        if (op == AZ_NO_ROW || name[i] >= p->t->names.text.n) /* copies and fills */
            continue;
        if (node[op].name == name[i]) {
            same++;
            continue;
        }
        if (p->is_op.v[name[i]] == root + 1) { /* that operator is elsewhere */
            unlike++;
            continue;
        }
        const enum az_family a = family_of(p, node[op].name), b = family_of(p, name[i]);
        same += a == b && a != AZ_FAMILY_OTHER;
        unlike += az_family_contradicts(a, b);
    }
    *out = unlike * IN_TEN > same + unlike ? AZ_UNLIKE : same ? AZ_ALIKE : AZ_CANNOT_SAY;
    return rc;
}
