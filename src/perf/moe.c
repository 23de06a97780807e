/* Mixtures of experts (docs/formulas-models.md 11.10). Experts in use are an expectation over
 * uniform routing. */
#include "perf/model.h"

AZ_PERF_MODEL_FILE(moe)

struct moe {
    double m, k, n, e, top; /* tokens, hidden, intermediate, experts, experts of a token */
    bool gated;
    double in, w, out; /* bytes per element */
};

static double active(const struct moe *x)
{
    return x->e > 0 ? x->e * (1 - pow((x->e - x->top) / x->e, x->m)) : 0;
}

static bool p_moe(struct az_perf_model *r, const struct moe *x)
{
    if (!(x->m >= 0 && x->k > 0 && x->n > 0 && x->e > 0 && x->top > 0 && x->top <= x->e))
        return az_perf_model_fail(r, "tokens, experts or top-k not recorded");
    az_perf_model_p_int(r, "num_tokens", x->m);
    az_perf_model_p_int(r, "hidden_dim", x->k);
    az_perf_model_p_int(r, "inter_dim", x->n);
    az_perf_model_p_int(r, "num_experts", x->e);
    az_perf_model_p_int(r, "topk", x->top);
    az_perf_model_p_bool(r, "gated", x->gated);
    r->out->assumed = true;
    return true;
}

static bool model_up(struct az_perf_model *r, const struct moe *x)
{
    double g = x->gated ? 2 : 1;
    return az_perf_model_done(r, 2 * x->m * x->k * x->n * x->top * g,
                              x->m * x->k * x->in + active(x) * g * x->k * x->n * x->w +
                                  x->m * x->n * x->top * x->out);
}

static bool model_down(struct az_perf_model *r, const struct moe *x)
{
    return az_perf_model_done(r, 2 * x->m * x->n * x->k * x->top,
                              x->m * x->n * x->top * x->in + active(x) * x->n * x->k * x->w +
                                  x->m * x->k * x->out);
}

/* w1 [E, N*g, K/p] and w2 [E, K, N/p]: packing p from the hidden size. */
static void by_weights(struct moe *x, const struct az_perf_arg *w1, const struct az_perf_arg *w2)
{
    double pack = az_perf_model_dim(w1, 2) > 0 ? x->k / az_perf_model_dim(w1, 2) : 1;
    x->e = az_perf_model_dim(w1, 0);
    x->n = az_perf_model_dim(w2, 2) * pack;
    x->gated = az_perf_model_dim(w1, 1) == 2 * x->n;
    x->w = w1->type->bytes / (pack > 0 ? pack : 1);
}

/* in=i w1=i w2=i; top=i: its second dimension, or topk=i: a number; out=i: the output, where it is
 * an argument (of another type: quantized tokens have wide results); prec=.. */
AZ_PERF_MODEL(moe_fused)
{
    const struct az_perf_arg *x = az_perf_model_operand(r, "in"),
                             *w1 = az_perf_model_operand(r, "w1"),
                             *w2 = az_perf_model_operand(r, "w2");
    const struct az_perf_arg *out = az_perf_model_key(r, "out", -1);
    struct moe m = { .m = az_perf_model_dim(x, 0),
                     .in = x->type->bytes,
                     .out = az_perf_model_dims(out) ? out->type->bytes : x->type->bytes };
    int64_t top = 0;
    if (x->nd < 2 || w1->nd != 3 || w2->nd != 3)
        return az_perf_model_fail(r, "unsupported shape of tokens or weights");
    m.k = az_perf_model_dim(w2, 1);
    by_weights(&m, w1, w2);
    m.top = az_perf_model_int(az_perf_model_key(r, "topk", -1), &top)
                ? (double)top
                : az_perf_model_dim(az_perf_model_key(r, "top", 3), 1);
    if (!p_moe(r, &m))
        return false;
    if (az_perf_model_word(r, "prec").n) {
        r->out->unit = "matrix";
        r->out->prec = az_perf_model_word(r, "prec");
    } else {
        az_perf_model_unit(r, "matrix", x->type);
    }
    double g = m.gated ? 2 : 1;
    return az_perf_model_done(
        r,
        2 * m.m * m.k * m.n * m.top * g + 2 * m.m * m.k * m.n * m.top + m.m * m.k * (2 * m.top - 1),
        m.m * m.k * m.in + active(&m) * m.n * m.k * m.w * (g + 1) + m.m * m.k * m.out);
}

/* One half of it: step=up|down, w1=i w2=i; choices=i: the output [M,k,N] (up); down reads tokens,
 * choices and N from i0. spec=weights: precision of the weights. */
AZ_PERF_MODEL(moe_stage)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w1 = az_perf_model_operand(r, "w1"),
                             *w2 = az_perf_model_operand(r, "w2"),
                             *c = az_perf_model_operand(r, "choices");
    bool is_up = az_perf_model_attr_is(r, "step", "up");
    if (w1->nd != 3 || w2->nd != 3 || x->nd < 2)
        return az_perf_model_fail(r, "unsupported shape of tokens or weights");
    struct moe m = { .m = az_perf_model_dim(x, 0),
                     .k = az_perf_model_dim(w2, 1),
                     .in = x->type->bytes };
    by_weights(&m, w1, w2);
    m.top = is_up ? az_perf_model_dim(c, 1) : az_perf_model_dim(x, 1);
    if (!is_up && x->nd == 2)
        m.top = az_perf_model_dim(c, 1);
    const struct az_perf_arg *out = az_perf_model_operand(r, "out");
    m.out = az_perf_model_dims(out) ? out->type->bytes : x->type->bytes;
    if (!p_moe(r, &m))
        return false;
    az_perf_model_unit(r, "matrix",
                       az_perf_model_attr_is(r, "spec", "weights") ? w1->type : x->type);
    r->out->fallback = az_sv_str(x->type->prec);
    return is_up ? model_up(r, &m) : model_down(r, &m);
}

/* Two kernels: up: M,K=i0, E=i1[0], k,N=i2; down: M,k,N=i0, E,K=i1. */
AZ_PERF_MODEL(moe_cktile)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1),
                             *y = az_perf_model_arg(r, 2);
    bool is_up = az_perf_model_attr_is(r, "step", "up");
    if (w->nd != 3 || (is_up ? x->nd != 2 || y->nd != 3 : x->nd != 3))
        return az_perf_model_fail(r, "unsupported shape of tokens or weights");
    struct moe m = { .m = az_perf_model_dim(x, 0),
                     .e = az_perf_model_dim(w, 0),
                     .in = x->type->bytes,
                     .out = y->nd ? y->type->bytes : x->type->bytes };
    m.k = is_up ? az_perf_model_dim(x, 1) : az_perf_model_dim(w, 1);
    m.top = az_perf_model_dim(is_up ? y : x, 1);
    m.n = az_perf_model_dim(is_up ? y : x, 2);
    double held = is_up ? m.k : m.n,
           pack = az_perf_model_dim(w, 2) > 0 ? held / az_perf_model_dim(w, 2) : 1;
    m.gated = is_up && az_perf_model_dim(w, 1) == 2 * m.n;
    m.w = w->type->bytes / (pack > 0 ? pack : 1);
    if (!p_moe(r, &m))
        return false;
    az_perf_model_unit(r, "matrix", x->type);
    return is_up ? model_up(r, &m) : model_down(r, &m);
}

/* One grouped product over M*k rows: x i0, w i1 [E,N,K], y i3, choices i8 [M,k]. */
AZ_PERF_MODEL(moe_invoke)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1),
                             *y = az_perf_model_arg(r, 3), *c = az_perf_model_arg(r, 8);
    if (w->nd != 3 || c->nd != 2)
        return az_perf_model_fail(r, "unsupported shape of weights or top-k");
    struct moe m = { .m = az_perf_model_dim(c, 0),
                     .top = az_perf_model_dim(c, 1),
                     .e = az_perf_model_dim(w, 0),
                     .n = az_perf_model_dim(w, 1),
                     .k = az_perf_model_dim(w, 2) };
    double rows = m.m * m.top;
    if (!p_moe(r, &m))
        return false;
    az_perf_model_unit(r, "matrix", w->type);
    r->out->fallback = az_sv_str(x->type->prec);
    return az_perf_model_done(r, 2 * rows * m.n * m.k,
                              rows * m.k * x->type->bytes +
                                  active(&m) * m.n * m.k * w->type->bytes +
                                  rows * m.n * y->type->bytes);
}

static bool kernel_says(const struct az_perf_model *r, const char *text)
{
    return r->call->n_kernels && az_sv_ifind(r->call->kernels[0], az_sv_str(text)) >= 0;
}

/* Routed products of which only tokens [M,K] and router [M,E] are recorded: the intermediate size
 * is assumed to be the hidden one. */
AZ_PERF_MODEL(moe_ogs)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *router = az_perf_model_arg(r, 1);
    if (x->nd != 2 || router->nd < 2)
        return az_perf_model_fail(r, "unsupported shape of tokens or router");
    bool fp4 = kernel_says(r, "fp4"), fp8 = kernel_says(r, "fp8") || kernel_says(r, "e4m3");
    struct moe m = { .m = az_perf_model_dim(x, 0),
                     .k = az_perf_model_dim(x, 1),
                     .n = az_perf_model_dim(x, 1),
                     .e = az_perf_model_dim(router, 1),
                     .top = az_perf_model_fact(r, "MoE topk", az_perf_model_at(r, "topk", 0)),
                     .gated = az_perf_model_fact(r, "MoE GEMM gated", 1) != 0,
                     .in = x->type->bytes,
                     .out = x->type->bytes,
                     .w = fp4   ? 0.5
                          : fp8 ? 1
                                : x->type->bytes };
    if (!p_moe(r, &m))
        return false;
    az_perf_model_p_text(r, "input_dtype", x->type_name);
    az_perf_model_p_text(r, "weight_dtype", fp4 ? AZ_SV("FP4") : fp8 ? AZ_SV("FP8") : x->type_name);
    az_perf_model_prec(r, "matrix", fp4 ? "fp4" : fp8 ? "fp8" : x->type->prec);
    r->out->fallback = az_sv_str(x->type->prec);
    return az_perf_model_attr_is(r, "step", "down") ? model_down(r, &m) : model_up(r, &m);
}

/* 4-bit weights: up E=i1[0], N=i1[1]/2; down E=i2[0], N=2*i2[2]; choices i3 [M,k] where no fact has
 * k. */
AZ_PERF_MODEL(moe_gptq)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w1 = az_perf_model_arg(r, 1),
                             *w2 = az_perf_model_arg(r, 2);
    bool is_up = az_perf_model_attr_is(r, "step", "up");
    if (x->nd != 2 || w1->nd != 3 || w2->nd != 3)
        return az_perf_model_fail(r, "unsupported shape of tokens or weights");
    struct moe m = { .m = az_perf_model_dim(x, 0),
                     .k = az_perf_model_dim(x, 1),
                     .e = az_perf_model_dim(is_up ? w1 : w2, 0),
                     .n = is_up ? az_perf_model_dim(w1, 1) / 2 : 2 * az_perf_model_dim(w2, 2),
                     .top = az_perf_model_fact(r, "MoE topk",
                                               az_perf_model_dim(az_perf_model_arg(r, 3), 1)),
                     .gated = az_perf_model_fact(r, "MoE GEMM gated", 1) != 0,
                     .in = x->type->bytes,
                     .out = x->type->bytes,
                     .w = 0.5 };
    if (!p_moe(r, &m))
        return false;
    az_perf_model_unit(r, "matrix", x->type);
    return is_up ? model_up(r, &m) : model_down(r, &m);
}
