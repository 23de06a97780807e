/* FLOPs and bytes of HLO operations, and how often they ran (docs/formats-xplane.md 7). */
#include "analyses/hlo/perf.h"

#include <inttypes.h>

#include "base/num.h"
#include "facts/groups.h"

static bool gemm_of(const struct az_hlo_dot *d, struct az_gemm *g)
{
    if (!d->lhs || !d->rhs)
        return false;
    const struct az_gemm_side lhs = { d->lhs->dims,   d->lhs_contract.v, d->lhs_batch.v,
                                      d->lhs->n_dims, d->lhs_contract.n, d->lhs_batch.n };
    const struct az_gemm_side rhs = { d->rhs->dims,   d->rhs_contract.v, d->rhs_batch.v,
                                      d->rhs->n_dims, d->rhs_contract.n, d->rhs_batch.n };
    return az_gemm_of(&lhs, &rhs, g);
}

static int64_t dot_flops(const struct az_hlo_op *op)
{
    int64_t sum = 0;
    for (size_t i = 0; i < op->n_dots; i++) {
        struct az_gemm g;
        if (!gemm_of(&op->dots[i], &g))
            return -1;
        sum = az_add_sat(sum, az_gemm_flops(&g));
    }
    return op->n_dots ? sum : -1;
}

/* The result itself where a tuple also holds workspace. */
static const struct az_hlo_shape *first_result(const struct az_hlo_op *op)
{
    return op->result.n_parts ? &op->result.parts[0] : &op->result;
}

static int64_t conv_flops(const struct az_hlo_op *op)
{
    const struct az_hlo_shape *out = first_result(op);
    if (op->n_operands < 2)
        return -1;
    const struct az_hlo_shape *y = op->conv == AZ_CONV_FORWARD          ? out
                                   : op->conv == AZ_CONV_BACKWARD_INPUT ? &op->operands[0]
                                                                        : &op->operands[1];
    const struct az_hlo_shape *w = op->conv == AZ_CONV_BACKWARD_FILTER ? out : &op->operands[1];
    if (op->output_feature < 0 || (uint64_t)op->output_feature >= w->n_dims)
        return -1;
    return az_conv_flops(y->elements, w->elements, w->dims[op->output_feature]);
}

static int64_t operand_bytes(const struct az_hlo_op *op, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < op->n_operands && i < n; i++)
        sum = az_add_sat(sum, op->operands[i].bytes);
    return sum;
}

/* Results without workspace, which libraries request as bytes. */
static int64_t result_bytes(const struct az_hlo_op *op)
{
    int64_t sum = 0;
    if (!op->result.n_parts)
        return op->result.bytes;
    for (size_t i = 0; i < op->result.n_parts; i++)
        if (i == 0 || !az_sv_is(op->result.parts[i].type, "u8"))
            sum = az_add_sat(sum, op->result.parts[i].bytes);
    return sum;
}

static void measure(struct az_hlo_work *w)
{
    const struct az_hlo_op *op = w->op;
    w->flops = w->bytes = -1;
    if (!op)
        return;
    switch (op->kind) {
    case AZ_HLO_GEMM: /* A, B, the result, and C where it is added */
        w->flops = dot_flops(op);
        w->bytes = az_add_sat(operand_bytes(op, op->beta != 0 ? 3 : 2), first_result(op)->bytes);
        break;
    case AZ_HLO_GEMM_FUSION:
        w->flops = dot_flops(op);
        w->bytes = az_add_sat(operand_bytes(op, SIZE_MAX), op->result.bytes);
        break;
    case AZ_HLO_CONV:
        w->flops = conv_flops(op);
        w->bytes = az_add_sat(operand_bytes(op, SIZE_MAX), result_bytes(op));
        break;
    case AZ_HLO_ATTENTION_FWD:
    case AZ_HLO_ATTENTION_BWD: {
        const struct az_attention a = { op->batch,  op->heads,  op->q_len,
                                        op->kv_len, op->qk_dim, op->v_dim };
        w->flops = az_attention_flops(&a, op->kind == AZ_HLO_ATTENTION_BWD);
        w->bytes = az_add_sat(operand_bytes(op, SIZE_MAX), result_bytes(op));
        break;
    }
    case AZ_HLO_COLLECTIVE:
        break; /* table collectives */
    case AZ_HLO_OTHER:
        w->bytes = az_add_sat(operand_bytes(op, SIZE_MAX), op->result.bytes);
        break;
    }
}

void az_hlo_op_work(const struct az_hlo_op *op, int64_t *flops, int64_t *bytes)
{
    struct az_hlo_work w = { .op = op };

    measure(&w);
    *flops = w.flops;
    *bytes = w.bytes;
}

bool az_hlo_op_gemm(const struct az_hlo_op *op, struct az_gemm *g)
{
    return op->n_dots > 0 && gemm_of(&op->dots[0], g);
}

struct az_sv az_hlo_work_kind(const struct az_hlo_op *op)
{
    switch (op->kind) {
    case AZ_HLO_GEMM:
        return AZ_SV("gemm");
    case AZ_HLO_GEMM_FUSION:
        return AZ_SV("gemm_fusion");
    case AZ_HLO_CONV:
        return AZ_SV("conv");
    case AZ_HLO_ATTENTION_FWD:
        return AZ_SV("attention_fwd");
    case AZ_HLO_ATTENTION_BWD:
        return AZ_SV("attention_bwd");
    case AZ_HLO_COLLECTIVE:
        return AZ_SV("collective");
    case AZ_HLO_OTHER:
        break;
    }
    return op->opcode;
}

static struct az_sv gemm_params(struct az_arena *a, const struct az_hlo_op *op)
{
    struct az_sv text = { "", 0 };
    for (size_t i = 0; i < op->n_dots && text.p; i++) {
        struct az_gemm g;
        if (!gemm_of(&op->dots[i], &g))
            return AZ_SV("");
        text = az_arena_printf(a, "%.*s%sB=%" PRId64 " M=%" PRId64 " N=%" PRId64 " K=%" PRId64,
                               AZ_SVF(text), i ? "; " : "", g.b, g.m, g.n, g.k);
    }
    if (op->kind == AZ_HLO_GEMM && op->n_dots && text.p)
        text = az_arena_printf(a, "%.*s dtype=%.*s beta=%g epilogue=%.*s", AZ_SVF(text),
                               AZ_SVF(op->operands[0].type), op->beta, AZ_SVF(op->epilogue));
    return text;
}

static struct az_sv attention_params(struct az_arena *a, const struct az_hlo_op *op)
{
    return az_arena_printf(a,
                           "B=%" PRId64 " H=%" PRId64 " Hkv=%" PRId64 " Sq=%" PRId64 " Skv=%" PRId64
                           " D=%" PRId64 " Dv=%" PRId64 " mask=%.*s layout=%.*s",
                           op->batch, op->heads, op->kv_heads, op->q_len, op->kv_len, op->qk_dim,
                           op->v_dim, AZ_SVF(op->mask), AZ_SVF(op->layout));
}

struct az_sv az_hlo_work_params(struct az_arena *a, const struct az_hlo_op *op)
{
    struct az_sv text = { "", 0 };
    if (op->kind == AZ_HLO_GEMM || op->kind == AZ_HLO_GEMM_FUSION)
        text = gemm_params(a, op);
    else if (op->kind == AZ_HLO_CONV)
        text = az_arena_printf(a, "groups=%" PRId64 " window=%.*s", op->conv_groups,
                               AZ_SVF(op->window));
    else if (op->kind == AZ_HLO_ATTENTION_FWD || op->kind == AZ_HLO_ATTENTION_BWD)
        text = attention_params(a, op);
    return text.p ? text : AZ_SV("");
}

/* ---- executions ---- */

/* Kernels of one operation and one name. */
struct part {
    struct az_hlo_event first;
    int64_t n, ticks;
};
AZ_VEC(struct part, parts);

static int add_execution(struct az_hlo *h, struct az_grouper *of, const struct part *p,
                         struct az_hlo_works *out)
{
    const struct az_xrow *row = az_hlo_row(h, &p->first);
    const uint64_t key[] = { row->program, (uint64_t)az_hlo_id(h, p->first.trace, row->module)
                                                   << 32 |
                                               az_hlo_id(h, p->first.trace, row->op) };
    const struct az_hlo_op *op = az_hlo_event_op(h, &p->first);
    uint32_t at;
    int rc = az_grouper_find(of, key, &at);
    if (rc == 0 && of->n > out->n)
        rc = az_vec_push(out, ((struct az_hlo_work){ .first = p->first, .op = op, .most = -1 }));
    if (rc)
        return rc;
    struct az_hlo_work *w = &out->v[at];
    w->kernels += (uint64_t)p->n;
    w->ticks = az_add_sat(w->ticks, p->ticks);
    if (p->ticks > w->most) {
        w->most = p->ticks;
        w->executions = (uint64_t)p->n;
    }
    if (!w->op)
        w->op = op;
    return AZ_OK;
}

static int sum_set(struct az_hlo *h, struct az_grouper *by, size_t trace,
                   const struct az_hlo_set *set, struct parts *out)
{
    const struct az_hlo_event e = { trace, set->first, AZ_KERNEL };
    const struct az_xrow *row = az_hlo_row(h, &e);
    if (!row || row->op == AZ_NO_ID || !set->gpu)
        return 0;
    const uint64_t key[] = { row->program, az_hlo_id(h, trace, row->module),
                             az_hlo_id(h, trace, row->op), az_hlo_name(h, &e) };
    uint32_t at;
    int rc = az_grouper_find(by, key, &at);
    if (rc == 0 && by->n > out->n)
        rc = az_vec_push(out, ((struct part){ .first = e }));
    if (rc)
        return rc;
    out->v[at].n += set->n;
    out->v[at].ticks = az_add_sat(out->v[at].ticks, set->ticks);
    return 0;
}

/* The sets of trace k with what begins in the window. */
static int sum_window(struct az_hlo *h, struct az_grouper *by, size_t k,
                      const struct az_span *window, struct parts *out)
{
    const struct az_hlo_sets *all = h->tr[k].same_kernels;
    const struct az_events *ev = &h->tr[k].t->ev[AZ_KERNEL];
    struct az_hlo_set *v = az_arena_array(h->job->arena, all->n + 1, sizeof *v);
    int rc = v ? 0 : az_arena_error(h->job->arena);
    for (size_t i = 0; rc == 0 && i < all->n; i++) {
        v[i] = all->v[i];
        v[i].n = v[i].ticks = 0;
    }
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        struct az_hlo_set *s = &v[all->of[i]];
        const bool in = ev->start[i] >= window->start && ev->start[i] < window->end;
        s->n += in;
        s->ticks += in ? ev->end[i] - ev->start[i] : 0;
    }
    for (size_t i = 0; rc == 0 && i < all->n; i++)
        rc = v[i].n ? sum_set(h, by, k, &v[i], out) : 0;
    return rc;
}

int az_hlo_work(struct az_hlo *h, const struct az_span *window, struct az_hlo_works *out)
{
    struct az_grouper by, of = { 0 };
    struct parts p;
    az_vec_init(&p, h->job->mem);
    int rc = az_grouper_init(&by, h->job->mem, 4, 0);
    if (rc == 0)
        rc = az_grouper_init(&of, h->job->mem, 2, 0);
    if (rc == 0)
        rc = az_hlo_group_kernels(h);
    for (size_t k = 0; rc == 0 && window && k < h->n; k++)
        rc = sum_window(h, &by, k, window, &p);
    for (size_t k = 0; rc == 0 && !window && k < h->n; k++)
        for (size_t i = 0; rc == 0 && i < h->tr[k].same_kernels->n; i++)
            rc = sum_set(h, &by, k, &h->tr[k].same_kernels->v[i], &p);
    for (size_t i = 0; rc == 0 && i < p.n; i++)
        rc = add_execution(h, &of, &p.v[i], out);
    for (size_t i = 0; rc == 0 && i < out->n; i++)
        measure(&out->v[i]);
    az_vec_release(&p);
    az_grouper_release(&by);
    az_grouper_release(&of);
    return rc;
}
