/* One HLO instruction: what it computes and on what. Field numbers of hlo.proto:
 * docs/formats-xplane.md 4. */
#include <inttypes.h>

#include "formats/xplane/xplane.h"

enum {
    F_OPCODE = 2,
    F_SHAPE = 3,
    F_METADATA = 7,
    F_WINDOW = 15,
    F_CONV_DIMS = 16,
    F_TARGET = 28,
    F_DOT_DIMS = 30,
    F_OPERANDS = 36,
    F_CALLED = 38,
    F_CONFIG = 43,
    F_FEATURE_GROUPS = 50
};

struct parts { /* views into the instruction */
    struct az_sv opcode, shape, metadata, window, conv_dims, target, dot_dims, config;
    int64_t feature_groups;
};

const struct az_xplane_instr *az_xplane_instr_by_id(const struct az_xplane_hlo *h, uint64_t id)
{
    const uint32_t i = az_map_get(&h->by_id, id, 0);
    return i == AZ_NO_ID ? NULL : &h->instrs.v[i];
}

/* add_instruction has read the whole body: it is not damaged. */
static void read_parts(struct az_sv body, struct parts *p)
{
    struct az_protobuf m = az_protobuf_of(body);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v = 0;
    *p = (struct parts){ .feature_groups = 0 };
    while (az_protobuf_next(&m, &f, &wire, &v, &b) > 0) {
        struct az_sv *to = f == F_OPCODE      ? &p->opcode
                           : f == F_SHAPE     ? &p->shape
                           : f == F_METADATA  ? &p->metadata
                           : f == F_WINDOW    ? &p->window
                           : f == F_CONV_DIMS ? &p->conv_dims
                           : f == F_TARGET    ? &p->target
                           : f == F_DOT_DIMS  ? &p->dot_dims
                           : f == F_CONFIG    ? &p->config
                                              : NULL;
        if (to && wire == AZ_PROTOBUF_BYTES)
            *to = b;
        else if (f == F_FEATURE_GROUPS && wire == AZ_PROTOBUF_INT)
            p->feature_groups = (int64_t)v;
    }
}

static int shape_of(struct az_trace *t, struct az_sv bytes, struct az_hlo_shape *s)
{
    const struct az_protobuf top = { 0 };
    return az_xplane_shape(t, &top, bytes, s);
}

/* Shapes of the operands that the module has. */
static int operands(const struct az_xplane_hlo *h, struct az_sv body, struct az_hlo_shape **out,
                    size_t *n)
{
    struct az_hlo_dims ids;
    int rc = az_xplane_numbers(h->t, body, F_OPERANDS, &ids);
    if (rc)
        return rc;
    *n = 0;
    *out = az_arena_array(&h->t->arena, ids.n + 1, sizeof **out);
    if (!*out)
        return az_arena_error(&h->t->arena);
    for (size_t i = 0; rc == 0 && i < ids.n; i++) {
        const struct az_xplane_instr *operand = az_xplane_instr_by_id(h, (uint64_t)ids.v[i]);
        if (operand)
            rc = shape_of(h->t, az_protobuf_find(operand->body, F_SHAPE), &(*out)[(*n)++]);
    }
    return rc;
}

static int dot_dims(struct az_trace *t, struct az_sv message, struct az_hlo_dot *d)
{
    int rc = az_xplane_numbers(t, message, 1, &d->lhs_contract);
    if (rc == 0)
        rc = az_xplane_numbers(t, message, 2, &d->rhs_contract);
    if (rc == 0)
        rc = az_xplane_numbers(t, message, 3, &d->lhs_batch);
    return rc ? rc : az_xplane_numbers(t, message, 4, &d->rhs_batch);
}

/* "1x2x2": the sizes of the window. */
static int window(struct az_trace *t, struct az_sv message, struct az_hlo_op *op)
{
    struct az_protobuf m = az_protobuf_of(message);
    struct az_sv b = { NULL, 0 }, text = { "", 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int rc;
    for (size_t n = 0; (rc = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0 && n < 32;) {
        struct az_hlo_dims size;
        if (f != 1 || wire != AZ_PROTOBUF_BYTES)
            continue;
        rc = az_xplane_numbers(t, b, 1, &size);
        if (rc)
            return rc;
        text = az_arena_printf(&t->arena, "%.*s%s%" PRId64, AZ_SVF(text), n++ ? "x" : "",
                               size.n ? size.v[0] : 0);
        if (!text.p)
            return az_arena_error(&t->arena);
    }
    op->window = text;
    return rc < 0 ? rc : AZ_OK;
}

static int convolution(struct az_trace *t, const struct parts *p, struct az_hlo_op *op)
{
    struct az_hlo_dims feature;
    int rc = az_xplane_numbers(t, p->conv_dims, 4, &feature);
    op->kind = AZ_HLO_CONV;
    op->conv = az_sv_find(op->target, AZ_SV("BackwardInput")) >= 0    ? AZ_CONV_BACKWARD_INPUT
               : az_sv_find(op->target, AZ_SV("BackwardFilter")) >= 0 ? AZ_CONV_BACKWARD_FILTER
                                                                      : AZ_CONV_FORWARD;
    op->conv_groups = p->feature_groups > 0 ? p->feature_groups : 1;
    op->output_feature = feature.n ? feature.v[0] : 0;
    return rc ? rc : window(t, p->window, op);
}

/* One product of the instruction itself. */
static int own_dot(struct az_trace *t, struct az_sv dims, struct az_hlo_op *op)
{
    op->dots = az_arena_alloc(&t->arena, sizeof *op->dots);
    if (!op->dots)
        return az_arena_error(&t->arena);
    op->kind = AZ_HLO_GEMM;
    if (op->n_operands >= 2) {
        op->n_dots = 1;
        op->dots[0].lhs = &op->operands[0];
        op->dots[0].rhs = &op->operands[1];
    }
    return dot_dims(t, dims, op->dots);
}

static const struct az_xplane_computation *computation(const struct az_xplane_hlo *h, uint64_t id)
{
    for (size_t i = 0; i < h->computations.n; i++)
        if (h->computations.v[i].id == id)
            return &h->computations.v[i];
    return NULL;
}

static int fused_dot(const struct az_xplane_hlo *h, const struct az_xplane_instr *i,
                     const struct parts *p, struct az_hlo_dot *d)
{
    struct az_hlo_shape *shapes;
    size_t n;
    int rc = operands(h, i->body, &shapes, &n);
    if (rc || n < 2)
        return rc;
    d->lhs = &shapes[0];
    d->rhs = &shapes[1];
    return dot_dims(h->t, p->dot_dims, d);
}

/* Products in the computation that a fusion calls. */
static int fusion(const struct az_xplane_hlo *h, struct az_sv body, struct az_hlo_op *op)
{
    struct az_hlo_dims called;
    int rc = az_xplane_numbers(h->t, body, F_CALLED, &called);
    const struct az_xplane_computation *c =
        rc == 0 && called.n ? computation(h, (uint64_t)called.v[0]) : NULL;
    for (int pass = 0; rc == 0 && c && pass < 2; pass++) { /* count, then read */
        size_t n = 0;
        for (size_t i = c->first; rc == 0 && i < c->first + c->n; i++) {
            struct parts p;
            if (!az_sv_is(az_protobuf_find(h->instrs.v[i].body, F_OPCODE), "dot"))
                continue;
            read_parts(h->instrs.v[i].body, &p);
            if (pass == 1)
                rc = fused_dot(h, &h->instrs.v[i], &p, &op->dots[n]);
            n++;
        }
        if (n == 0 || rc)
            break;
        op->n_dots = n;
        op->kind = AZ_HLO_GEMM_FUSION;
        if (pass == 0 && !(op->dots = az_arena_array(&h->t->arena, n, sizeof *op->dots)))
            rc = az_arena_error(&h->t->arena);
    }
    return rc;
}

static int custom_call(const struct az_xplane_hlo *h, const struct parts *p, struct az_hlo_op *op)
{
    const bool backward = az_sv_find(op->target, AZ_SV("backward")) >= 0;
    if (az_sv_find(op->target, AZ_SV("cublas")) >= 0 ||
        az_sv_find(op->target, AZ_SV("matmul")) >= 0) {
        const int rc = own_dot(h->t, p->dot_dims, op);
        return rc ? rc : az_xplane_gemm_config(h->t, p->config, op, op->dots);
    }
    if (az_sv_find(op->target, AZ_SV("cudnn$conv")) >= 0)
        return convolution(h->t, p, op);
    if (az_sv_find(op->target, AZ_SV("te_fused_attn")) >= 0) {
        op->kind = backward ? AZ_HLO_ATTENTION_BWD : AZ_HLO_ATTENTION_FWD;
        return az_xplane_attention_config(h->t, p->config, op);
    }
    return AZ_OK;
}

/* By opcode, or by name where an asynchronous wrapper hides it (`reduce-scatter-start` is an
 * async-start). */
static enum az_hlo_family family_of(const struct az_hlo_op *op, bool *start)
{
    const struct az_sv text = az_sv_starts(op->opcode, AZ_SV("async-")) ? op->name : op->opcode;
    *start = az_sv_find(text, AZ_SV("-start")) >= 0 || az_sv_is(op->opcode, "async-start");
    for (enum az_hlo_family f = AZ_HLO_COLL_ALL_REDUCE; f <= AZ_HLO_COLL_BROADCAST; f++)
        if (az_sv_starts(text, az_sv_str(az_hlo_family_text(f))))
            return f;
    return AZ_HLO_COLL_NONE;
}

static int source_of(struct az_trace *t, struct az_sv metadata, struct az_hlo_op *op)
{
    const struct az_sv file = az_protobuf_find(metadata, 3);
    struct az_hlo_dims line;
    int rc = az_xplane_numbers(t, metadata, 4, &line);
    op->scope = az_arena_dup(&t->arena, az_protobuf_find(metadata, 2));
    op->source = (struct az_sv){ "", 0 };
    if (rc == 0 && file.n)
        op->source =
            az_arena_printf(&t->arena, "%.*s:%" PRId64, AZ_SVF(file), line.n ? line.v[0] : 0);
    return rc ? rc : op->scope.p && op->source.p ? AZ_OK : az_arena_error(&t->arena);
}

/* The step that began what `body`, a `-done`, ends; `body` itself for anything else. */
static struct az_sv begun_by(const struct az_xplane_hlo *h, struct az_sv body)
{
    struct az_hlo_dims ids;
    const int rc = az_xplane_numbers(h->t, body, F_OPERANDS, &ids);
    const struct az_xplane_instr *i =
        rc == 0 && ids.n ? az_xplane_instr_by_id(h, (uint64_t)ids.v[0]) : NULL;
    return i && az_sv_ends(az_protobuf_find(i->body, F_OPCODE), AZ_SV("-start")) ? i->body : body;
}

/* What a generic async-start wraps: the first instruction of the computation it calls that is of
 * the family; `body` itself where there is none. */
static int wrapped_in(const struct az_xplane_hlo *h, struct az_sv *body, const struct az_hlo_op *op)
{
    const struct az_sv family = az_sv_str(az_hlo_family_text(op->family));
    struct az_hlo_dims called;
    const int rc = az_xplane_numbers(h->t, *body, F_CALLED, &called);
    const struct az_xplane_computation *c =
        rc == 0 && called.n ? computation(h, (uint64_t)called.v[0]) : NULL;
    for (size_t i = c ? c->first : 0; c && i < c->first + c->n; i++) {
        if (az_sv_starts(az_protobuf_find(h->instrs.v[i].body, F_OPCODE), family)) {
            *body = h->instrs.v[i].body;
            break;
        }
    }
    return rc;
}

/* An asynchronous collective is several instructions: operands and result are those of its start,
 * its groups are recorded there, or in the instruction inside. */
static int collective(const struct az_xplane_hlo *h, struct az_sv body, struct az_hlo_op *op)
{
    int rc = AZ_OK;
    if (az_sv_ends(op->opcode, AZ_SV("-done"))) {
        const struct az_sv start = begun_by(h, body);
        if (start.p != body.p) {
            body = start;
            op->start = true;
            rc = shape_of(h->t, az_protobuf_find(body, F_SHAPE), &op->result);
            if (rc == 0)
                rc = operands(h, body, &op->operands, &op->n_operands);
        }
    }
    if (rc == 0 && az_sv_starts(az_protobuf_find(body, F_OPCODE), AZ_SV("async-")))
        rc = wrapped_in(h, &body, op);
    return rc ? rc : az_xplane_collective(h->t, body, op);
}

static int compute(const struct az_xplane_hlo *h, struct az_sv body, const struct parts *p,
                   struct az_hlo_op *op)
{
    op->family = family_of(op, &op->start);
    if (op->family != AZ_HLO_COLL_NONE)
        return collective(h, body, op);
    if (az_sv_is(op->opcode, "custom-call"))
        return custom_call(h, p, op);
    if (az_sv_is(op->opcode, "fusion"))
        return fusion(h, body, op);
    if (az_sv_is(op->opcode, "dot"))
        return own_dot(h->t, p->dot_dims, op);
    if (az_sv_is(op->opcode, "convolution"))
        return convolution(h->t, p, op);
    return AZ_OK;
}

int az_xplane_decode(const struct az_xplane_hlo *h, const struct az_xplane_instr *i,
                     struct az_hlo_op *op)
{
    struct az_trace *t = h->t;
    struct parts p;
    read_parts(i->body, &p);
    op->opcode = az_arena_dup(&t->arena, p.opcode);
    op->target = az_arena_dup(&t->arena, p.target);
    op->epilogue = AZ_SV("DEFAULT");
    if (!op->opcode.p || !op->target.p)
        return az_arena_error(&t->arena);
    int rc = source_of(t, p.metadata, op);
    if (rc == 0)
        rc = shape_of(t, p.shape, &op->result);
    if (rc == 0)
        rc = operands(h, i->body, &op->operands, &op->n_operands);
    return rc ? rc : compute(h, i->body, &p, op);
}
