/* Rotary embeddings, losses, state spaces, quantization and generated kernels
 * (docs/formulas-models.md 11).
 */
#include "base/num.h"
#include "perf/fused_names.h"
#include "perf/model.h"

AZ_PERF_MODEL_FILE(misc)

static bool rotated(struct az_perf_model *r, const struct az_dtype *t, double n)
{
    az_perf_model_p_int(r, "num_elements", n);
    az_perf_model_unit(r, "vector", t);
    return az_perf_model_done(r, 3 * n, 2 * n * t->bytes);
}

/* A=i (and B=i): elements that are turned. */
AZ_PERF_MODEL(rope)
{
    const struct az_perf_arg *a = az_perf_model_key(r, "A", 0), *b = az_perf_model_key(r, "B", -1);
    return az_perf_model_dims(a)
               ? rotated(r, a->type, a->elements + (az_perf_model_dims(b) ? b->elements : 0))
               : az_perf_model_fail(r, "no tensor");
}

/* Queries i1, keys i2 [tokens, heads * size]; head size in i3, rotated part by the table i4. */
AZ_PERF_MODEL(rope_rotary)
{
    const struct az_perf_arg *q = az_perf_model_arg(r, 1), *k = az_perf_model_arg(r, 2),
                             *table = az_perf_model_arg(r, 4);
    int64_t hs = 0;
    if (q->nd < 2)
        return az_perf_model_fail(r, "queries do not have 2 dimensions");
    double size = az_perf_model_int(az_perf_model_arg(r, 3), &hs) && hs > 0
                      ? (double)hs
                      : az_perf_model_dim(q, -1);
    double rot = table->nd >= 2 ? az_perf_model_dim(table, 1) : size,
           tokens = az_perf_model_dim(q, 0);
    if (size <= 0 || tokens <= 0)
        return az_perf_model_fail(r, "no elements");
    return rotated(r, q->type,
                   (q->elements + (az_perf_model_dims(k) ? k->elements : 0)) / size * rot);
}

/* q_nope i0 [T,QH,Dl], q_pe i1 [..,Dp], k_nope i2; heads=1: one key head, out=i and cache=i are the
 * types written. */
AZ_PERF_MODEL(rope_mla)
{
    const struct az_perf_arg *q = az_perf_model_arg(r, 0), *pe = az_perf_model_arg(r, 1),
                             *k = az_perf_model_arg(r, 2), *out = az_perf_model_operand(r, "out"),
                             *cache = az_perf_model_operand(r, "cache");
    if (q->nd < 3 || pe->nd < 2)
        return az_perf_model_fail(r, "queries do not have 3 dimensions");
    double t = az_perf_model_dim(q, 0), qh = az_perf_model_dim(q, 1), dl = az_perf_model_dim(q, 2),
           dp = az_perf_model_dim(pe, -1);
    double kh = az_perf_model_at(r, "heads", 0) ? az_perf_model_at(r, "heads", 1)
                : k->nd >= 3                    ? az_perf_model_dim(k, 1)
                                                : 1;
    az_perf_model_p_int(r, "num_elements", t * (qh + kh) * dp);
    az_perf_model_unit(r, "vector", q->type);
    return az_perf_model_done(r, 3 * t * (qh + kh) * dp,
                              t * (qh + kh) * (dl + dp) * q->type->bytes +
                                  t * qh * (dl + dp) * out->type->bytes +
                                  t * kh * (dl + dp) * cache->type->bytes);
}

AZ_PERF_MODEL(cross_entropy)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double v = az_perf_model_dim(x, -1);
    if (x->nd < 2 || v <= 0)
        return az_perf_model_fail(r, "logits do not have 2 dimensions");
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, 5 * x->elements, az_perf_model_size(x) + 12 * x->elements / v);
}

/* x [B,C,L], w [C,k], bias i2. */
AZ_PERF_MODEL(causal_conv1d)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1),
                             *bias = az_perf_model_arg(r, 2);
    if (x->nd != 3 || w->nd != 2)
        return az_perf_model_fail(r, "unsupported shape of input or filter");
    double c = az_perf_model_dim(x, 1), k = az_perf_model_dim(w, 1);
    az_perf_model_p_json(r, "input_shape", x->dims);
    az_perf_model_p_json(r, "filter_shape", w->dims);
    az_perf_model_unit(r, "matrix", x->type);
    return az_perf_model_done(r, 2 * x->elements * k,
                              (2 * x->elements + c * k + (az_perf_model_dims(bias) ? c : 0)) *
                                  x->type->bytes);
}

/* Selective state space: zxbcdt i0 [B,T,D], filter i1 [CC,k], dt_bias i3 [H]; chunk conc 6, head
 * size conc 15, groups conc 16. */
AZ_PERF_MODEL(mamba)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1),
                             *dt = az_perf_model_arg(r, 3);
    double chunk = 128, p = 64, g = 1, v;
    if (x->nd != 3 || w->nd != 2 || dt->nd != 1)
        return az_perf_model_fail(r, "unsupported argument shapes");
    if (az_perf_model_list(az_perf_model_arg(r, 6), &v, 1) == 1)
        chunk = v;
    if (az_perf_model_list(az_perf_model_arg(r, 15), &v, 1) == 1)
        p = v;
    if (az_perf_model_list(az_perf_model_arg(r, 16), &v, 1) == 1)
        g = v;
    double b = az_perf_model_dim(x, 0), t = az_perf_model_dim(x, 1), d = az_perf_model_dim(x, 2),
           cc = az_perf_model_dim(w, 0), k = az_perf_model_dim(w, 1), h = az_perf_model_dim(dt, 0);
    double n = (d - 2 * h * p - h) / (2 * g);
    if (n <= 0 || n != floor(n))
        return az_perf_model_fail(r, "state size is not an integer");
    az_perf_model_p_json(r, "input_shape", x->dims);
    az_perf_model_p_int(r, "d_state", n);
    az_perf_model_p_int(r, "chunk", chunk);
    az_perf_model_unit(r, "matrix", x->type);
    r->out->bwd_flops = 2 * b * cc * t * k + 2 * b * g * t * chunk * n + 2 * b * h * t * chunk * p +
                        4 * b * h * t * n * p;
    r->out->bwd_bytes =
        (b * t * d + cc * k + cc + b * t * h * p) * x->type->bytes +
        h * (az_perf_model_arg(r, 3)->type->bytes + az_perf_model_arg(r, 4)->type->bytes +
             az_perf_model_arg(r, 5)->type->bytes);
    return az_perf_model_done(r, r->out->bwd_flops, r->out->bwd_bytes);
}

static bool quantised(struct az_perf_model *r, const struct az_perf_arg *x, double flops,
                      double bytes)
{
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, flops, bytes);
}

/* out i0, in i1, scales i2; 2.59375 operations an element (measured). */
AZ_PERF_MODEL(quant)
{
    const struct az_perf_arg *out = az_perf_model_arg(r, 0), *x = az_perf_model_arg(r, 1),
                             *scale = az_perf_model_arg(r, 2);
    if (!az_perf_model_dims(out) || !az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor");
    return quantised(r, x, 2.59375 * out->elements,
                     az_perf_model_size(out) + az_perf_model_size(x) + az_perf_model_size(scale));
}

AZ_PERF_MODEL(group_quant)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    int64_t g = 128;
    if (x->nd < 2)
        return az_perf_model_fail(r, "input does not have 2 dimensions");
    if (!az_perf_model_int(az_perf_model_arg(r, 1), &g) || g <= 0)
        g = 128;
    double n = az_perf_model_dim(x, -1), m = n > 0 ? x->elements / n : 0;
    return quantised(r, x, 6 * x->elements,
                     az_perf_model_size(x) + x->elements + 4 * m * ceil(n / (double)g));
}

AZ_PERF_MODEL(quant_fp8)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    return az_perf_model_dims(x) ? quantised(r, x, x->elements, az_perf_model_size(x) + x->elements)
                                 : az_perf_model_fail(r, "no tensor");
}

/* in=i; half a byte an element and a scale of 1 byte every 32. */
AZ_PERF_MODEL(quant_mxfp4)
{
    const struct az_perf_arg *x = az_perf_model_operand(r, "in");
    double e = x->elements;
    return az_perf_model_dims(x)
               ? quantised(r, x, 2 * e, az_perf_model_size(x) + e / 2 + floor(e / 32))
               : az_perf_model_fail(r, "no tensor");
}

/* Along rows and along columns. */
AZ_PERF_MODEL(quant_mxfp4_dual)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double m = az_perf_model_dim(x, 0), n = az_perf_model_dim(x, 1);
    if (x->nd != 2)
        return az_perf_model_fail(r, "input does not have 2 dimensions");
    return quantised(r, x, m * n,
                     az_perf_model_size(x) + 2 * ceil(m * n / 2) + m * ceil(n / 32) +
                         n * ceil(m / 32));
}

/* ---- kernels generated by the compiler: triton_poi_fused_add_mul_4 ---- */
static double token_cost(struct az_sv t)
{
    static const struct {
        const char *name;
        double cost;
    } known[] = { { "add", 1 },     { "sub", 1 },  { "mul", 1 },        { "div", 1 }, { "relu", 1 },
                  { "abs", 1 },     { "neg", 1 },  { "mean", 1 },       { "sum", 1 }, { "ne", 1 },
                  { "eq", 1 },      { "lt", 1 },   { "gt", 1 },         { "pow", 2 }, { "sqrt", 2 },
                  { "rsqrt", 2 },   { "var", 2 },  { "reciprocal", 2 }, { "exp", 4 }, { "log", 4 },
                  { "sigmoid", 4 }, { "tanh", 4 }, { "silu", 4 },       { "gelu", 8 } };
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(t, known[i].name))
            return known[i].cost;
    return 0;
}

static double name_cost(struct az_sv op)
{
    double sum = 0;
    size_t from = sizeof "triton_poi_" - 1;
    while (from < op.n) {
        size_t end = from;
        while (end < op.n && op.p[end] != '_')
            end++;
        sum += token_cost(az_sv_make(op.p + from, end - from));
        from = end + 1;
    }
    return sum;
}

static void fused_ops(struct az_perf_model *r)
{
    struct az_vec_char names;
    az_vec_init(&names, NULL);
    az_fused_names(r->call->op, &names);
    if (az_vec_error(&names) == 0)
        az_perf_model_p_text(r, "fused_ops", az_arena_dup(r->arena, az_text_view(&names)));
    az_vec_release(&names);
}

AZ_PERF_MODEL(triton)
{
    bool pointwise = az_perf_model_attr_is(r, "kind", "poi");
    const struct az_perf_arg *first = NULL;
    double largest = 0, bytes = 0, product = 1, last = 1, before = 1;
    unsigned numels = 0;
    for (unsigned i = 0; i < r->call->n; i++) {
        const struct az_perf_arg *x = &r->call->arg[i];
        int64_t v;
        if (az_perf_model_tensor(x)) {
            first = first ? first : x;
            largest = fmax(largest, x->elements);
            bytes += az_perf_model_size(x);
        } else if (az_perf_model_int(x, &v) && v > 0) {
            product *= (double)v;
            before = last;
            last = (double)v;
            numels++;
        }
    }
    if (!first || !numels)
        return az_perf_model_fail(r, "neither tensors nor sizes recorded");
    double total = product <= largest ? product : pointwise ? last : last * before;
    fused_ops(r);
    az_perf_model_p_real(r, "xnumel", pointwise ? total : total / last);
    az_perf_model_p_real(r, "rnumel", pointwise ? 1 : last);
    az_perf_model_unit(r, "vector", first->type);
    return az_perf_model_done(r, total * name_cost(r->call->op),
                              bytes + (pointwise ? first->type->bytes * total : 0));
}
