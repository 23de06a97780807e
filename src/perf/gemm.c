/* Matrix products (docs/formulas-models.md 5, 11.1, 11.13). */
#include "base/num.h"
#include "perf/model.h"

AZ_PERF_MODEL_FILE(gemm)

struct gemm {
    double b, m, n, k;
    double size_a, size_b, size_out; /* bytes per element */
    bool bias;
    double bias_bytes, extra; /* whole; scales and the like */
};

static bool finish(struct az_perf_model *r, const struct gemm *g)
{
    double flops = g->b * (2 * g->m * g->n * g->k + (g->bias ? g->m * g->n : 0));
    double bytes =
        g->b * (g->m * g->k * g->size_a + g->k * g->n * g->size_b + g->m * g->n * g->size_out);
    return az_perf_model_done(r, flops, bytes + (g->bias ? g->bias_bytes : 0) + g->extra);
}

static bool rocm_flags(struct az_sv name, bool *ta, bool *tb)
{
    for (size_t i = 0; i + 14 <= name.n; i++) { /* C???_A???_B??? */
        const char *p = name.p + i;
        bool form = p[0] == 'C' && p[4] == '_' && p[5] == 'A' && p[9] == '_' && p[10] == 'B';
        for (int k = 0; form && k < 14; k++)
            if (k != 0 && k != 4 && k != 5 && k != 9 && k != 10 && (p[k] < 'a' || p[k] > 'z'))
                form = false;
        if (!form)
            continue;
        struct az_sv a = az_sv_make(p + 6, 3), b = az_sv_make(p + 11, 3);
        if ((!az_sv_is(a, "ilk") && !az_sv_is(a, "lik")) ||
            (!az_sv_is(b, "ljk") && !az_sv_is(b, "jlk")))
            return false;
        *ta = az_sv_is(a, "lik");
        *tb = az_sv_is(b, "jlk");
        return true;
    }
    return false;
}

bool az_perf_transpose(struct az_sv kernel, bool *ta, bool *tb)
{
    if (rocm_flags(kernel, ta, tb))
        return true;
    if (!az_sv_starts(kernel, AZ_SV("nvjet")))
        return false;
    size_t from = kernel.n;
    while (from && kernel.p[from - 1] != '_')
        from--;
    for (size_t i = from; i < from + 2; i++)
        if (i >= kernel.n || (kernel.p[i] != 'T' && kernel.p[i] != 'N'))
            return false;
    *ta = kernel.p[from] == 'T';
    *tb = kernel.p[from + 1] == 'T';
    return true;
}

static void p_shape(struct az_perf_model *r, const struct gemm *g, const struct az_perf_arg *a,
                    const struct az_perf_arg *b, bool strides)
{
    bool ta, tb;
    az_perf_model_p_int(r, "B", g->b);
    az_perf_model_p_int(r, "M", g->m);
    az_perf_model_p_int(r, "N", g->n);
    az_perf_model_p_int(r, "K", g->k);
    az_perf_model_p_bool(r, "bias", g->bias);
    if (strides) {
        az_perf_model_p_json(r, "stride_A", a->strides);
        az_perf_model_p_json(r, "stride_B", b->strides);
    }
    az_perf_model_p_types(r, "dtype_A_B", a, b, NULL);
    for (size_t i = 0; i < r->call->n_kernels; i++)
        if (az_perf_transpose(r->call->kernels[i], &ta, &tb)) {
            az_perf_model_p_list(r, "transpose", (double[]){ ta, tb }, 2);
            r->param[r->out->n_params - 1].text =
                ta   ? (tb ? AZ_SV("[true,true]") : AZ_SV("[true,false]"))
                : tb ? AZ_SV("[false,true]")
                     : AZ_SV("[false,false]");
            break;
        }
}

/* Bytes of an element by the framework's ScalarType code; NaN unknown. */
static double scalar_type_bytes(int64_t code)
{
    static const double bytes[] = { 1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2 };
    if (code >= 23 && code <= 26)
        return 1;
    return code >= 0 && code < 16 ? bytes[code] : NAN;
}

/* out=BYTES, outarg=ARGUMENT (its type if known), outcode=ARGUMENT (ScalarType code); else wide: 2
 * for 1-byte operands.
 */
static double out_size(const struct az_perf_model *r, const struct az_perf_arg *a)
{
    int64_t code;
    int at = az_perf_model_at(r, "outarg", -1), fixed = az_perf_model_at(r, "out", -1),
        by_code = az_perf_model_at(r, "outcode", -1);
    if (at >= 0 && az_perf_model_dims(az_perf_model_arg(r, at)) &&
        !isnan(az_perf_model_arg(r, at)->type->bytes))
        return az_perf_model_arg(r, at)->type->bytes;
    if (by_code >= 0 && az_perf_model_int(az_perf_model_arg(r, by_code), &code))
        return scalar_type_bytes(code);
    if (fixed >= 0)
        return fixed;
    return a->type->bytes == 1 && by_code >= 0 ? 2 : a->type->bytes;
}

/* Bytes that a product of quantized matrices reads are fp8, whatever type they are stored in
 * (docs/formulas-models.md 4). */
static void quantised_unit(struct az_perf_model *r, const struct az_perf_arg *a)
{
    if (az_sv_ieq(a->type_name, AZ_SV("unsigned char")))
        az_perf_model_prec(r, "matrix", "fp8");
    else
        az_perf_model_unit(r, "matrix", a->type);
}

/* A=i [..,M,K], B=i [..,K,N] (layout=NT: [N,K]), C=i bias, beta=i; scales=i first of two; flat=1:
 * leading dims of A are rows, as they always are next to one matrix of weights. quantized=1: see
 * above. */
AZ_PERF_MODEL(mm)
{
    const struct az_perf_arg *a = az_perf_model_key(r, "A", 0), *b = az_perf_model_key(r, "B", 1),
                             *c = az_perf_model_key(r, "C", -1);
    bool nt = az_perf_model_attr_is(r, "layout", "NT"),
         flat = az_perf_model_at(r, "flat", 0) || (nt && b->nd == 2);
    const struct az_perf_arg *beta = az_perf_model_key(r, "beta", -1);
    double factor = 1;
    int scales = az_perf_model_at(r, "scales", -1);
    if (a->nd < 2 || b->nd < 2 || (!flat && a->nd > 3))
        return az_perf_model_fail(r, "operands are not matrices");
    struct gemm g = { .b = a->nd == 3 && !flat ? az_perf_model_dim(a, 0) : 1,
                      .k = az_perf_model_dim(a, -1) };
    g.m = flat && a->nd > 2 ? (g.k > 0 ? a->elements / g.k : 0) : az_perf_model_dim(a, -2);
    g.n = nt ? az_perf_model_dim(b, -2) : az_perf_model_dim(b, -1);
    if ((nt ? az_perf_model_dim(b, -1) : az_perf_model_dim(b, -2)) != g.k)
        return az_perf_model_fail(r, "inner dimensions differ");
    g.size_a = a->type->bytes;
    g.size_b = b->type->bytes;
    g.size_out = out_size(r, a);
    g.bias = az_perf_model_tensor(c) && !(az_perf_model_list(beta, &factor, 1) == 1 && factor == 0);
    g.bias_bytes = az_perf_model_size(c);
    if (scales >= 0)
        g.extra = az_perf_model_size(az_perf_model_arg(r, scales)) +
                  az_perf_model_size(az_perf_model_arg(r, scales + 1));
    if (scales >= 0 || az_perf_model_at(r, "quantised", 0))
        quantised_unit(r, a);
    else
        az_perf_model_unit(r, "matrix", a->type);
    p_shape(r, &g, a, b, !nt);
    return finish(r, &g);
}

/* matmul as a leaf: leading dims broadcast. */
AZ_PERF_MODEL(matmul)
{
    const struct az_perf_arg *a = az_perf_model_arg(r, 0), *b = az_perf_model_arg(r, 1);
    if (a->nd < 2 || b->nd < 2)
        return az_perf_model_fail(r, "operands are not matrices");
    struct gemm g = { .b = 1,
                      .m = az_perf_model_dim(a, -2),
                      .k = az_perf_model_dim(a, -1),
                      .n = az_perf_model_dim(b, -1) };
    for (int i = 3; i <= a->nd || i <= b->nd; i++) {
        double x = i <= a->nd ? az_perf_model_dim(a, -i) : 1,
               y = i <= b->nd ? az_perf_model_dim(b, -i) : 1;
        if (x != y && x != 1 && y != 1)
            return az_perf_model_fail(r, "leading dimensions do not broadcast");
        g.b *= x > y ? x : y;
    }
    if (az_perf_model_dim(b, -2) != g.k)
        return az_perf_model_fail(r, "inner dimensions differ");
    az_perf_model_unit(r, "matrix", a->type);
    p_shape(r, &g, a, b, true);
    return az_perf_model_done(r, 2 * g.b * g.m * g.n * g.k,
                              az_perf_model_size(a) + az_perf_model_size(b) +
                                  g.b * g.m * g.n * a->type->bytes);
}

/* Transformer Engine: column-major operands with flags. */
AZ_PERF_MODEL(te_gemm)
{
    const struct az_perf_arg *a = az_perf_model_arg(r, 0), *b = az_perf_model_arg(r, 5),
                             *bias = az_perf_model_arg(r, 18);
    if (a->nd != 2 || b->nd != 2)
        return az_perf_model_fail(r, "operands are not matrices");
    bool ta = az_perf_model_true(az_perf_model_arg(r, 4)),
         tb = az_perf_model_true(az_perf_model_arg(r, 9));
    struct gemm g = { .b = 1,
                      .m = az_perf_model_dim(a, ta ? 0 : 1),
                      .k = az_perf_model_dim(a, ta ? 1 : 0),
                      .n = az_perf_model_dim(b, tb ? 1 : 0),
                      .size_a = a->type->bytes,
                      .size_b = b->type->bytes,
                      .size_out = az_perf_model_arg(r, 10)->type->bytes,
                      .bias = az_perf_model_arg(r, 14)->value.n > 0,
                      .bias_bytes = az_perf_model_size(bias) };
    quantised_unit(r, a);
    p_shape(r, &g, a, b, true);
    return finish(r, &g);
}

/* A=i B=i with transpose flags at flags=i.. (A, B, C), or none: [M,K] and [N,K]. pack=2: two values
 * a byte along K, scales=i,j by 32. */
AZ_PERF_MODEL(gemm_flags)
{
    const struct az_perf_arg *a = az_perf_model_operand(r, "A"), *b = az_perf_model_operand(r, "B"),
                             *sa = az_perf_model_key(r, "scaleA", -1),
                             *sb = az_perf_model_key(r, "scaleB", -1);
    int flags = az_perf_model_at(r, "flags", -1);
    double pack = az_perf_model_at(r, "pack", 1);
    if (a->nd != 2 || b->nd != 2)
        return az_perf_model_fail(r, "operands are not matrices");
    bool ta = false, tb = true;
    if (flags >= 0) {
        ta = az_perf_model_true(az_perf_model_arg(r, flags));
        tb = az_perf_model_true(az_perf_model_arg(r, flags + 1));
        if (az_perf_model_true(az_perf_model_arg(r, flags + 2))) { /* C transposed: C^T = B^T A^T */
            const struct az_perf_arg *t = a, *ts = sa;
            bool f = ta;
            a = b, b = t, sa = sb, sb = ts;
            ta = !tb, tb = !f;
        }
    }
    struct gemm g = { .b = 1,
                      .m = az_perf_model_dim(a, ta ? 1 : 0),
                      .k = pack * az_perf_model_dim(a, ta ? 0 : 1),
                      .n = az_perf_model_dim(b, tb ? 0 : 1),
                      .size_a = a->type->bytes / pack,
                      .size_b = b->type->bytes / pack,
                      .size_out = a->type->bytes == 1 ? 2 : a->type->bytes };
    if (pack > 1) {
        double s = isnan(sa->type->bytes) || !az_perf_model_tensor(sa) ? 1 : sa->type->bytes;
        g.extra = (g.m + g.n) * ceil(g.k / 32) * s;
        r->out->fallback = AZ_SV("bf16");
        az_perf_model_prec(r, "matrix", "fp4");
    } else {
        quantised_unit(r, a);
    }
    p_shape(r, &g, a, b, false);
    return finish(r, &g);
}

/* Packed 4-bit weights [N,K/2]; halfA=1: A is packed too. 2-byte output, scales skipped. */
AZ_PERF_MODEL(gemm_halves)
{
    const struct az_perf_arg *a = az_perf_model_arg(r, 0), *b = az_perf_model_arg(r, 1);
    bool half = az_perf_model_at(r, "halfA", 0);
    if (a->nd < 2 || a->nd > 3 || b->nd != a->nd)
        return az_perf_model_fail(r, "operands are not matrices");
    struct gemm g = { .b = a->nd == 3 ? az_perf_model_dim(a, 0) : 1,
                      .m = az_perf_model_dim(a, -2),
                      .k = az_perf_model_dim(a, -1) * (half ? 2 : 1),
                      .n = az_perf_model_dim(b, -2),
                      .size_a = half ? 0.5 : a->type->bytes,
                      .size_b = 0.5,
                      .size_out = 2 };
    r->out->fallback = half || !*a->type->prec ? AZ_SV("bf16") : az_sv_str(a->type->prec);
    az_perf_model_prec(r, "matrix", "fp4");
    p_shape(r, &g, a, b, false);
    return finish(r, &g);
}

AZ_PERF_MODEL(gemm_dynamic_quant)
{
    const struct az_perf_arg *m[2] = { NULL, NULL };
    unsigned found = 0, i = 0;
    for (; i < r->call->n && found < 2; i++)
        if (r->call->arg[i].nd == 2)
            m[found++] = &r->call->arg[i];
    if (found < 2)
        return az_perf_model_fail(r, "operands are not matrices");
    struct gemm g = { .b = 1,
                      .m = az_perf_model_dim(m[0], 0),
                      .k = az_perf_model_dim(m[0], 1),
                      .n = az_perf_model_dim(m[1], 0),
                      .size_a = m[0]->type->bytes,
                      .size_out = m[0]->type->bytes };
    g.extra = az_perf_model_size(m[1]); /* packed weights as they are in memory */
    for (; i < r->call->n; i++)
        if (r->call->arg[i].nd == 2) { /* scales */
            g.extra += az_perf_model_size(&r->call->arg[i]);
            break;
        }
    r->out->fallback = az_sv_str(m[0]->type->prec);
    az_perf_model_prec(r, "matrix", "fp4");
    p_shape(r, &g, m[0], m[1], false);
    return finish(r, &g);
}

AZ_PERF_MODEL(batched_gemm)
{
    const struct az_perf_arg *a = az_perf_model_arg(r, 0), *b = az_perf_model_arg(r, 1);
    if (a->nd != 3 || b->nd != 3)
        return az_perf_model_fail(r, "operands are not batched matrices");
    struct gemm g = { .b = az_perf_model_dim(b, 0),
                      .n = az_perf_model_dim(b, 1),
                      .k = az_perf_model_dim(b, 2),
                      .size_a = a->type->bytes,
                      .size_b = b->type->bytes,
                      .size_out = 2 };
    g.m = az_perf_model_dim(a, az_perf_model_dim(a, 0) == g.b ? 1 : 0);
    quantised_unit(r, b);
    p_shape(r, &g, a, b, false);
    return finish(r, &g);
}

AZ_PERF_MODEL(jax_gemm)
{
    const struct az_dtype *t = az_perf_model_arg(r, 0)->type;
    struct gemm g = { .b = az_perf_model_fact(r, "Batch", NAN),
                      .m = az_perf_model_fact(r, "M", NAN),
                      .n = az_perf_model_fact(r, "N", NAN),
                      .k = az_perf_model_fact(r, "K", NAN),
                      .size_a = t->bytes,
                      .size_b = t->bytes,
                      .size_out = t->bytes,
                      .bias = az_perf_model_fact(r, "Beta", 0) != 0 };
    g.bias_bytes = g.b * g.n * t->bytes;
    if (isnan(g.b * g.m * g.n * g.k))
        return az_perf_model_fail(r, "no dimensions recorded");
    az_perf_model_unit(r, "matrix", t);
    p_shape(r, &g, az_perf_model_arg(r, 0), az_perf_model_arg(r, 1), false);
    return finish(r, &g);
}

/* Lists of X [M,K] and W [K,N] or [N,K], a pair a group: the sums of their products. */
static bool grouped_pairs(struct az_perf_model *r, const struct az_perf_arg *x,
                          const struct az_perf_arg *w)
{
    double flops = 0, in = 0, weights = 0, out = 0, rows = 0;
    for (unsigned i = 0; i < x->count; i++) {
        struct az_perf_arg a, b;
        if (!az_perf_list_item(x, i, &a) || !az_perf_list_item(w, i, &b) || a.nd != 2 ||
            b.nd != 2 || (b.dim[0] != a.dim[1] && b.dim[1] != a.dim[1]))
            return az_perf_model_fail(r, "operands are not pairs of matrices");
        const double m = (double)a.dim[0], k = (double)a.dim[1],
                     n = (double)(b.dim[0] == a.dim[1] ? b.dim[1] : b.dim[0]);
        flops += 2 * m * k * n;
        in += m * k;
        weights += k * n;
        out += m * n;
        rows += m;
    }
    az_perf_model_unit(r, "matrix", x->type);
    az_perf_model_p_int(r, "G", x->count);
    az_perf_model_p_int(r, "M", rows);
    az_perf_model_p_types(r, "dtype_A_B", x, w, NULL);
    r->out->bwd_flops = 2 * flops;
    r->out->bwd_bytes = 2 * (in + weights) * x->type->bytes + 2 * out * w->type->bytes;
    return az_perf_model_done(r, flops, (in + weights) * x->type->bytes + out * w->type->bytes);
}

/* X [M,K] and weights of all groups [G,K,N] or [G,N,K]; or lists of pairs. */
AZ_PERF_MODEL(grouped_gemm)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "A", 0), *w = az_perf_model_key(r, "B", 1);
    if (x->list && w->list && x->count == w->count)
        return grouped_pairs(r, x, w);
    if (x->nd != 2 || w->nd != 3)
        return az_perf_model_fail(r, "operands are not groups of matrices");
    double m = az_perf_model_dim(x, 0), k = az_perf_model_dim(x, 1), g = az_perf_model_dim(w, 0), n;
    if (az_perf_model_dim(w, 1) == k)
        n = az_perf_model_dim(w, 2);
    else if (az_perf_model_dim(w, 2) == k)
        n = az_perf_model_dim(w, 1);
    else
        return az_perf_model_fail(r, "inner dimensions differ");
    az_perf_model_unit(r, "matrix", x->type);
    az_perf_model_p_int(r, "G", g);
    az_perf_model_p_int(r, "M", m);
    az_perf_model_p_int(r, "N", n);
    az_perf_model_p_int(r, "K", k);
    az_perf_model_p_types(r, "dtype_A_B", x, w, NULL);
    r->out->bwd_flops = 4 * m * k * n; /* dX and dW: one product each */
    r->out->bwd_bytes = 2 * (m * k + g * k * n) * x->type->bytes + 2 * m * n * w->type->bytes;
    return az_perf_model_done(r, 2 * m * k * n,
                              (m * k + g * k * n) * x->type->bytes + m * n * w->type->bytes);
}

/* dW = X^T dY by group; groups=i: their lengths. */
AZ_PERF_MODEL(grouped_gemm_variable_k)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *y = az_perf_model_arg(r, 1),
                             *groups = az_perf_model_operand(r, "groups");
    if (x->nd != 2 || y->nd != 2 || az_perf_model_dim(x, 0) != az_perf_model_dim(y, 0))
        return az_perf_model_fail(r, "operands are not groups of matrices");
    double m = az_perf_model_dim(x, 0), k = az_perf_model_dim(x, 1), n = az_perf_model_dim(y, 1),
           g = groups->nd ? az_perf_model_dim(groups, 0) : 1;
    az_perf_model_unit(r, "matrix", x->type);
    az_perf_model_p_int(r, "G", g);
    az_perf_model_p_int(r, "M", m);
    az_perf_model_p_int(r, "N", n);
    az_perf_model_p_int(r, "K", k);
    az_perf_model_p_types(r, "dtype_A_B", x, y, NULL);
    return az_perf_model_done(r, 2 * m * k * n,
                              (m * k + m * n) * x->type->bytes + g * k * n * y->type->bytes);
}
