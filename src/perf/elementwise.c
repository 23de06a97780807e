/* Work by element (docs/formulas-models.md 8 and the recommended models of section 12). */
#include "perf/model.h"

AZ_PERF_MODEL_FILE(elementwise)

double az_perf_model_broadcast(const struct az_perf_arg *a, const struct az_perf_arg *b)
{
    double n = 1;
    for (int i = 1; i <= a->nd || i <= b->nd; i++) {
        double x = i <= a->nd ? az_perf_model_dim(a, -i) : 1,
               y = i <= b->nd ? az_perf_model_dim(b, -i) : 1;
        if (x != y && x != 1 && y != 1)
            return -1;
        n *= x == 1 ? y : x;
    }
    return n;
}

double az_perf_model_promoted(const struct az_perf_arg *a, const struct az_perf_arg *b)
{
    if (!az_perf_model_tensor(a) || (!az_perf_model_dims(a) && az_perf_model_dims(b)))
        return b->type->bytes;
    if (!az_perf_model_tensor(b) || (!az_perf_model_dims(b) && az_perf_model_dims(a)))
        return a->type->bytes;
    return a->type->bytes > b->type->bytes || isnan(a->type->bytes) ? a->type->bytes
                                                                    : b->type->bytes;
}

/* The operand that defines the precision. */
static const struct az_dtype *leading(const struct az_perf_arg *a, const struct az_perf_arg *b)
{
    if (az_perf_model_dims(a) || !az_perf_model_dims(b)) {
        if (az_sv_is(a->type_name, "bool") && az_perf_model_tensor(b))
            return b->type;
        return az_perf_model_tensor(a) ? a->type : b->type;
    }
    return b->type;
}

/* in=i; flops=N a element; second=i: a tensor there is read too (exponent, limit); out=BYTES. */
AZ_PERF_MODEL(unary)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0),
                             *y = az_perf_model_key(r, "second", 1);
    bool second = az_perf_model_tensor(y) && az_perf_model_attr_is(r, "read", "second");
    double n = x->elements, out = x->type->bytes;
    if (!az_perf_model_tensor(x))
        return az_perf_model_fail(r, "no tensor");
    if (second && (n = az_perf_model_broadcast(x, y)) < 0)
        return az_perf_model_fail(r, "operands do not broadcast");
    if (second)
        out = az_perf_model_promoted(x, y);
    if (az_perf_model_at(r, "out", -1) >= 0)
        out = az_perf_model_at(r, "out", -1);
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, !second && az_perf_model_dims(y) ? y : NULL, NULL);
    az_perf_model_p_json(r, "stride_input", x->strides);
    az_perf_model_p_json(r, "stride_output",
                         !second && az_perf_model_dims(y) ? y->strides : AZ_SV(""));
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, n * az_perf_model_at(r, "flops", 1),
                              az_perf_model_size(x) + (second ? az_perf_model_size(y) : 0) +
                                  n * out);
}

/* A=i B=i; out=BYTES (1 for comparisons); inplace=1: the result has A's type; cplx=N: operations of
 * a complex element.
 */
AZ_PERF_MODEL(binary)
{
    const struct az_perf_arg *a = az_perf_model_key(r, "A", 0), *b = az_perf_model_key(r, "B", 1),
                             *c = az_perf_model_key(r, "C", -1),
                             *res = az_perf_model_key(r, "res", 2);
    double n = az_perf_model_broadcast(a, b), out = az_perf_model_promoted(a, b),
           flops = az_perf_model_at(r, "flops", 1);
    if (!az_perf_model_tensor(a) && !az_perf_model_tensor(b))
        return az_perf_model_fail(r, "no tensor");
    if (n < 0)
        return az_perf_model_fail(r, "operands do not broadcast");
    if (az_perf_model_dims(c) && c->elements > n)
        n = c->elements;
    if (az_perf_model_at(r, "inplace", 0))
        out = a->type->bytes;
    else if (az_perf_model_at(r, "out", -1) >= 0)
        out = az_perf_model_at(r, "out", -1);
    else if (az_perf_model_dims(res))
        out = res->type->bytes;
    if (leading(a, b)->complex && az_perf_model_at(r, "cplx", 0))
        flops = az_perf_model_at(r, "cplx", 1);
    az_perf_model_p_json(r, "shape_in1", a->dims);
    az_perf_model_p_json(r, "shape_in2", b->dims);
    az_perf_model_p_types(r, "dtype_in1_in2_out", a, b, az_perf_model_dims(res) ? res : NULL);
    az_perf_model_p_json(r, "stride_input1", a->strides);
    az_perf_model_p_json(r, "stride_input2", b->strides);
    az_perf_model_p_json(r, "stride_output", az_perf_model_dims(res) ? res->strides : AZ_SV(""));
    az_perf_model_unit(r, "vector", leading(a, b));
    return az_perf_model_done(r, n * flops,
                              az_perf_model_size(a) + az_perf_model_size(b) +
                                  az_perf_model_size(c) + n * out);
}

static bool p_resized(struct az_perf_model *r, const struct az_perf_arg *x, const double *dims,
                      int n)
{
    double out = 1;
    for (int i = 0; i < n; i++)
        out *= dims[i];
    if (out < 0)
        return az_perf_model_fail(r, "output size is 0");
    az_perf_model_p_list(r, "op_shape", dims, n);
    az_perf_model_p_json(r, "input_shape", x->dims);
    az_perf_model_p_list(r, "output_shape", dims, n);
    az_perf_model_p_json(r, "stride_input", x->strides);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, out, (x->elements + out) * x->type->bytes);
}

/* Pads [l0,r0,l1,r1,..] of the innermost dimension first. */
AZ_PERF_MODEL(pad)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double pad[2 * AZ_PERF_DIMS], dims[AZ_PERF_DIMS];
    int n = az_perf_model_list(az_perf_model_arg(r, 1), pad, 2 * AZ_PERF_DIMS);
    if (n < 2 || n % 2 || n / 2 > x->nd)
        return az_perf_model_fail(r, "unsupported form of padding");
    for (int i = 0; i < x->nd; i++)
        dims[i] = az_perf_model_dim(x, i);
    for (int i = 0; i < n / 2; i++)
        dims[x->nd - 1 - i] += pad[2 * i] + pad[2 * i + 1];
    return p_resized(r, x, dims, x->nd);
}

/* Output size, else factors. */
AZ_PERF_MODEL(upsample)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    double v[AZ_PERF_DIMS], dims[AZ_PERF_DIMS];
    int n = az_perf_model_list(az_perf_model_arg(r, 1), v, AZ_PERF_DIMS);
    bool factor = n < 1;
    if (factor)
        n = az_perf_model_list(az_perf_model_arg(r, 2), v, AZ_PERF_DIMS);
    if (n < 1 || n > x->nd)
        return az_perf_model_fail(r, "neither output size nor factors recorded");
    for (int i = 0; i < x->nd; i++)
        dims[i] = az_perf_model_dim(x, i);
    for (int i = 0; i < n; i++)
        dims[x->nd - n + i] = factor ? floor(dims[x->nd - n + i] * v[i]) : v[i];
    if (factor)
        az_perf_model_p_list(r, "scale_factors", v, n);
    return p_resized(r, x, dims, x->nd);
}

/* Activation of one half times the other: out=i [..,D], in=i [..,2D]; flops=N an output element. */
AZ_PERF_MODEL(gated)
{
    const struct az_perf_arg *out = az_perf_model_key(r, "out", 0),
                             *x = az_perf_model_key(r, "in", 1);
    if (!az_perf_model_dims(out) || !az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", out->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, out, NULL);
    az_perf_model_p_json(r, "stride_input", x->strides);
    az_perf_model_p_json(r, "stride_output", out->strides);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, out->elements * az_perf_model_number(r, "flops"),
                              2 * out->elements * x->type->bytes +
                                  out->elements * out->type->bytes);
}

/* flops=N an element over as many tensors as tensors=N, the last one written; in=i first. */
AZ_PERF_MODEL(softmax)
{
    const struct az_perf_arg *x = az_perf_model_key(r, "in", 0);
    if (!az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    r->out->bwd_flops = 4 * x->elements;
    r->out->bwd_bytes = 3 * az_perf_model_size(x);
    if (az_perf_model_attr_is(r, "kind", "bwd"))
        r->out->bwd_flops = r->out->bwd_bytes = NAN;
    return az_perf_model_done(r, x->elements * az_perf_model_at(r, "flops", 5),
                              az_perf_model_at(r, "tensors", 2) * az_perf_model_size(x));
}

/* Result and a mask of one byte. */
AZ_PERF_MODEL(dropout)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    if (!az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_p_json(r, "op_shape", x->dims);
    az_perf_model_p_types(r, "dtype_in_out", x, NULL, NULL);
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, x->elements, 2 * az_perf_model_size(x) + x->elements);
}

/* Logits i1 and noise i2 [T,V]; one index of 4 bytes a row. */
AZ_PERF_MODEL(sample)
{
    const struct az_perf_arg *logits = az_perf_model_arg(r, 1), *noise = az_perf_model_arg(r, 2);
    if (logits->nd != 2)
        return az_perf_model_fail(r, "logits do not have 2 dimensions");
    az_perf_model_p_json(r, "op_shape", logits->dims);
    az_perf_model_unit(r, "vector", logits->type);
    return az_perf_model_done(r, 2 * logits->elements,
                              logits->elements * (logits->type->bytes + noise->type->bytes) +
                                  4 * az_perf_model_dim(logits, 0));
}

/* Two operands of one shape, one operation an element (LigerSiLUMul). */
AZ_PERF_MODEL(fused_pair) { return az_perf_model_binary(r); }
