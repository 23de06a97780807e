/* Reductions and normalizations (docs/formulas-models.md 9 and 10). */
#include "perf/model.h"

AZ_PERF_MODEL_FILE(norm)

/* Elements left after reducing the dimensions in argument `at`; all of them if it is empty. -1:
 * malformed. */
static double reduced(const struct az_perf_arg *x, const struct az_perf_arg *dims, bool *some)
{
    double v[AZ_PERF_DIMS], out = 1;
    bool gone[AZ_PERF_DIMS] = { false };
    int n = 0;
    if (dims->value.n && !az_sv_is(dims->value, "True") && !az_sv_is(dims->value, "False"))
        n = az_perf_model_list(dims, v, AZ_PERF_DIMS);
    *some = n > 0;
    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        int d = (int)(v[i] < 0 ? v[i] + x->nd : v[i]);
        if (d < 0 || d >= x->nd)
            return x->nd == 0 ? 1 : -1;
        gone[d] = true;
    }
    for (int i = 0; n > 0 && i < x->nd; i++)
        out *= gone[i] ? 1 : az_perf_model_dim(x, i);
    return out;
}

/* dims=i: where the dimensions stand; keep=1: as many results as elements (cumsum); index=1:
 * positions of 8 bytes too, where a dimension is an argument; out=BYTES; pair=1: with a second
 * tensor it works by element and reduces nothing: max(a, b).
 */
AZ_PERF_MODEL(reduce)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *other = az_perf_model_arg(r, 1);
    bool some = false;
    if (!az_perf_model_tensor(x))
        return az_perf_model_fail(r, "no tensor");
    const bool pair = az_perf_model_at(r, "pair", 0) && az_perf_model_tensor(other);
    double out = pair ? az_perf_model_broadcast(x, other)
                 : az_perf_model_at(r, "keep", 0)
                     ? x->elements
                     : reduced(x, az_perf_model_key(r, "dims", 1), &some),
           b = pair ? az_perf_model_promoted(x, other) : x->type->bytes;
    if (out < 0)
        return az_perf_model_fail(r, pair ? "operands do not broadcast"
                                          : "unsupported form of dimensions");
    if (az_perf_model_at(r, "out", -1) >= 0)
        b = az_perf_model_at(r, "out", -1);
    struct az_sv name = r->row->op;
    ptrdiff_t colon = az_sv_find(name, AZ_SV("::"));
    az_perf_model_p_int(r, "num_input_elems", x->elements);
    az_perf_model_p_int(r, "num_output_elems", out);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_p_text(r, "reduce_type",
                         az_perf_model_word(r, "type").n ? az_perf_model_word(r, "type")
                         : colon >= 0 ? az_sv_make(name.p + colon + 2, name.n - (size_t)colon - 2)
                                      : name);
    az_perf_model_unit(r, "vector", x->type);
    double extra = az_perf_model_at(r, "index", 0) && some ? 8 * out : 0;
    if (pair)
        return az_perf_model_done(r, out,
                                  az_perf_model_size(x) + az_perf_model_size(other) + out * b);
    r->out->bwd_flops = x->elements;
    r->out->bwd_bytes = out * b + az_perf_model_size(x);
    return az_perf_model_done(r, x->elements, az_perf_model_size(x) + out * b + extra);
}

struct norm {
    double e, c, b;
    bool training, affine, bias, mask0, mask1;
};

static void p_norm(struct az_perf_model *r, const struct norm *n, const struct az_perf_arg *x,
                   const struct az_perf_arg *mask)
{
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_p_json(r, "stride_input", x->strides);
    az_perf_model_p_json(r, "stride_output", AZ_SV(""));
    az_perf_model_p_int(r, "num_channels", n->c);
    az_perf_model_p_bool(r, "has_bias", n->bias);
    az_perf_model_p_bool(r, "is_affine", n->affine);
    az_perf_model_p_bool(r, "is_training", n->training);
    if (mask)
        az_perf_model_p_json(r, "output_mask", mask->value.n ? mask->value : AZ_SV("[true]"));
    az_perf_model_unit(r, "vector", x->type);
}

static double forward_flops(const struct norm *n)
{
    return 6 * n->c + 2 * n->e + (n->training ? 3 * n->e : 0);
}
static double forward_bytes(const struct norm *n)
{
    return 2 * n->e * n->b +
           n->c * n->b * (2 + n->affine + (n->affine && n->bias) + (n->training ? 2 : 0));
}
static double backward_flops(const struct norm *n)
{
    double e = n->c > 0 ? n->e / n->c : 0;
    return n->c * ((n->training ? 0 : 3) + 4 * e + (n->mask0 ? (n->training ? 5 * e : 0) : 2 * e));
}
static double backward_bytes(const struct norm *n)
{
    double x = n->e * n->b, c = n->c * n->b;
    return x + x * (n->mask0 && n->training ? 2 : 1) + (n->training ? c : 0) +
           (n->affine ? c + (n->training ? c * (n->bias ? 2 : 1) : 0) : 0);
}

/* Channels: channel=1 dimension 1 of x, else the product of the shape at shape=i. */
static double channels(const struct az_perf_model *r, const struct az_perf_arg *x)
{
    double v[AZ_PERF_DIMS], c = 1;
    int at = az_perf_model_at(r, "shape", -1), n;
    if (at < 0)
        return az_perf_model_dim(x, 1);
    if (az_perf_model_arg(r, at)->value.n == 0 &&
        az_perf_model_dims(az_perf_model_key(r, "weight", -1))) /* no concrete values recorded */
        return az_perf_model_key(r, "weight", -1)->elements;
    n = az_perf_model_list(az_perf_model_arg(r, at), v, AZ_PERF_DIMS);
    for (int i = 0; i < n; i++)
        c *= v[i];
    return n > 0 ? c : 0;
}

/* train=i flag, train=always, train=never. */
static bool training(const struct az_perf_model *r)
{
    int at = az_perf_model_at(r, "train", -1);
    return at >= 0 ? az_perf_model_true(az_perf_model_arg(r, at))
                   : az_perf_model_attr_is(r, "train", "always");
}

/* in=i shape=i weight=i bias=i|always train=.. */
AZ_PERF_MODEL(norm)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0);
    struct norm n = { .e = x->elements,
                      .b = x->type->bytes,
                      .c = channels(r, x),
                      .training = training(r),
                      .mask0 = true,
                      .mask1 = true };
    if (!az_perf_model_dims(x) || n.c <= 0)
        return az_perf_model_fail(r, "input or normalized shape is missing");
    n.affine = az_perf_model_dims(az_perf_model_operand(r, "weight"));
    n.bias = az_perf_model_attr_is(r, "bias", "always") ||
             az_perf_model_dims(az_perf_model_operand(r, "bias"));
    p_norm(r, &n, x, NULL);
    r->out->bwd_flops = backward_flops(&n);
    r->out->bwd_bytes = backward_bytes(&n);
    return az_perf_model_done(r, forward_flops(&n), forward_bytes(&n));
}

/* mask=i [dX, dW, dB]: which gradients; affine=mask: by it, else weight=i. */
AZ_PERF_MODEL(norm_bwd)
{
    const struct az_perf_arg *x = az_perf_model_operand(r, "in"),
                             *m = az_perf_model_key(r, "mask", -1);
    struct norm n = { .e = x->elements,
                      .b = x->type->bytes,
                      .c = channels(r, x),
                      .training = training(r),
                      .mask0 = true,
                      .mask1 = true };
    double mask[3] = { 1, 1, 1 };
    if (!az_perf_model_dims(x) || n.c <= 0)
        return az_perf_model_fail(r, "input or normalized shape is missing");
    if (m->value.n && az_perf_model_list(m, mask, 3) < 2)
        return az_perf_model_fail(r, "unsupported form of output_mask");
    n.bias = mask[2] != 0;
    if (az_perf_model_attr_is(r, "affine", "mask")) {
        n.affine = mask[1] != 0;
        n.mask0 = mask[0] != 0;
    } else {
        n.affine = az_perf_model_dims(az_perf_model_key(r, "weight", 2));
        n.bias = true;
    }
    p_norm(r, &n, x, m);
    return az_perf_model_done(r, backward_flops(&n), backward_bytes(&n));
}

AZ_PERF_MODEL(fused_rms)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    struct norm n = { .e = x->elements,
                      .b = x->type->bytes,
                      .c = channels(r, x),
                      .affine = az_perf_model_dims(az_perf_model_arg(r, 2)) };
    if (!az_perf_model_dims(x) || n.c <= 0)
        return az_perf_model_fail(r, "input or normalized shape is missing");
    p_norm(r, &n, x, NULL);
    r->out->bwd_flops =
        (n.affine ? n.e : 0) + n.e + 6 * n.e + (n.affine ? n.e + (n.e / n.c > 1 ? n.e : 0) : 0);
    r->out->bwd_bytes = 3 * n.e * n.b + (n.affine ? 2 * n.c * n.b : 0);
    return az_perf_model_done(r, n.e / n.c * (2 * n.c + 2) + n.e * (n.affine ? 2 : 1),
                              2 * n.e * n.b + (n.affine ? n.c * n.b : 0));
}

AZ_PERF_MODEL(fused_rms_bwd)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 1), *m = az_perf_model_operand(r, "mask");
    struct norm n = { .e = x->elements,
                      .b = x->type->bytes,
                      .c = channels(r, x),
                      .affine = az_perf_model_dims(az_perf_model_arg(r, 4)) };
    double mask[3] = { 1, 1, 0 };
    if (!az_perf_model_dims(x) || n.c <= 0)
        return az_perf_model_fail(r, "input or normalized shape is missing");
    if (m->value.n && az_perf_model_list(m, mask, 3) < 2)
        return az_perf_model_fail(r, "unsupported form of output_mask");
    p_norm(r, &n, x, m);
    double flops = (n.affine ? n.e : 0) + n.e + (mask[0] != 0 ? 6 * n.e : 0);
    flops += mask[1] != 0 && n.affine ? n.e + (n.e / n.c > 1 ? n.e : 0) : 0;
    return az_perf_model_done(r, flops, 3 * n.e * n.b + (n.affine ? 2 * n.c * n.b : 0));
}

/* x [T,B,H], scale and shift [B,H]; mean and reciprocal deviation of 4 bytes a row. */
AZ_PERF_MODEL(ln_modulate)
{
    bool bwd = az_perf_model_attr_is(r, "kind", "bwd");
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0);
    if (x->nd != 3)
        return az_perf_model_fail(r, "input does not have 3 dimensions");
    double e = x->elements, b = x->type->bytes, t = az_perf_model_dim(x, 0),
           n = az_perf_model_dim(x, 1), h = az_perf_model_dim(x, 2);
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_p_int(r, "num_channels", h);
    az_perf_model_unit(r, "vector", x->type);
    if (bwd)
        return az_perf_model_done(r, 15 * e, 3 * e * b + 3 * n * h * b + 8 * t * n);
    r->out->bwd_flops = 15 * e;
    r->out->bwd_bytes = 3 * e * b + 3 * n * h * b + 8 * t * n;
    return az_perf_model_done(r, 12 * e, 2 * e * b + 2 * n * h * b + 8 * t * n);
}

/* Root mean square with what is fused to it. in=i weight=i add=1: residual added; quant=1: result
 * of 1 byte and scales of 4 bytes; group=i: length of a group of a scale; pad=i: rows are padded to
 * a multiple. */
AZ_PERF_MODEL(rms)
{
    const struct az_perf_arg *x = az_perf_model_operand(r, "in"),
                             *w = az_perf_model_operand(r, "weight");
    bool add = az_perf_model_at(r, "add", 0), quant = az_perf_model_at(r, "quant", 0);
    int pad = az_perf_model_at(r, "pad", -1), group = az_perf_model_at(r, "group", -1);
    int64_t g = 0;
    if (!az_perf_model_dims(x) || !az_perf_model_dims(w) || w->elements <= 0)
        return az_perf_model_fail(r, "input or weight is missing");
    double e = x->elements, n = w->elements, m = e / n, b = x->type->bytes;
    double flops = m * (2 * n + 2) + 2 * e + (add ? e : 0) + (quant ? 2 * e : 0), bytes = n * b;
    if (pad >= 0) { /* read input and residual, write the padded result and the residual */
        if (!az_perf_model_int(az_perf_model_arg(r, pad), &g) || g <= 0)
            g = 1;
        bytes += 2 * e * b + m * ceil(n / (double)g) * (double)g * b + e * b;
    } else if (quant) {
        double groups = group >= 0 && az_perf_model_int(az_perf_model_arg(r, group), &g) && g > 0
                            ? ceil(n / (double)g)
                            : 1;
        bytes += (add ? 3 : 1) * e * b + e + 4 * m * groups;
    } else {
        bytes += (add ? 4 : 2) * e * b;
    }
    struct norm p = { .c = n, .affine = true };
    p_norm(r, &p, x, NULL);
    return az_perf_model_done(r, flops, bytes);
}

/* Result of half a byte and a scale of 1 byte every 32; residual i6, second input i3 with its
 * weight i4. */
AZ_PERF_MODEL(rms_mxfp4)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1),
                             *x2 = az_perf_model_arg(r, 3), *w2 = az_perf_model_arg(r, 4),
                             *res = az_perf_model_arg(r, 6);
    if (!az_perf_model_dims(x) || !az_perf_model_dims(w) || w->elements <= 0)
        return az_perf_model_fail(r, "input or weight is missing");
    double e = x->elements, n = w->elements, b = x->type->bytes, base = e / n * (2 * n + 2) + 2 * e;
    double flops = base + 2 * e, bytes = e * b + n * b + e / 2 + floor(e / 32);
    if (res->nd == 2) {
        flops += e;
        bytes += 2 * e * b;
    }
    if (x2->nd == 2 && e > 0) {
        flops += base * x2->elements / e;
        bytes += 2 * az_perf_model_size(x2) + (az_perf_model_dims(w2) ? az_perf_model_size(w2) : 0);
    }
    struct norm p = { .c = n, .affine = true };
    p_norm(r, &p, x, NULL);
    return az_perf_model_done(r, flops, bytes);
}
