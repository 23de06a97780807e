/* Convolutions (docs/formulas-models.md 6). */
#include "perf/model.h"

AZ_PERF_MODEL_FILE(conv)

#define SPATIAL 3

struct conv {
    int nd; /* spatial dims */
    double stride[SPATIAL], pad[SPATIAL], dil[SPATIAL], out_pad[SPATIAL], groups;
    bool transposed;
    double x, w, w_inner, y, c_out; /* elements; w_inner: of w without its first dim */
};

static bool spread(const struct az_perf_arg *a, double absent, double *v, int nd)
{
    int n = a->value.n ? az_perf_model_list(a, v, SPATIAL) : 0;
    if (n == 0)
        v[0] = absent, n = 1;
    for (int i = n; n == 1 && i < nd; i++)
        v[i] = v[0];
    return n == 1 || n == nd;
}

static bool size_up(struct az_perf_model *r, struct conv *c, const struct az_perf_arg *x,
                    const struct az_perf_arg *w)
{
    if (x->nd < 3 || x->nd > 2 + SPATIAL || w->nd != x->nd)
        return az_perf_model_fail(r, "input and filter shapes do not match");
    c->x = x->elements;
    c->w = w->elements;
    c->w_inner = az_perf_model_dim(w, 0) > 0 ? w->elements / az_perf_model_dim(w, 0) : 0;
    c->c_out = c->transposed ? az_perf_model_dim(w, 1) * c->groups : az_perf_model_dim(w, 0);
    c->y = az_perf_model_dim(x, 0) * c->c_out;
    for (int i = 0; i < c->nd; i++) {
        double in = az_perf_model_dim(x, i + 2), k = az_perf_model_dim(w, i + 2),
               reach = c->dil[i] * (k - 1);
        if (c->stride[i] <= 0)
            return az_perf_model_fail(r, "stride is not positive");
        double out = c->transposed
                         ? (in - 1) * c->stride[i] - 2 * c->pad[i] + reach + c->out_pad[i] + 1
                         : floor((in + 2 * c->pad[i] - reach - 1) / c->stride[i]) + 1;
        if (out < 0)
            return az_perf_model_fail(r, "output size is 0");
        c->y *= out;
    }
    return true;
}

static void p_conv(struct az_perf_model *r, const struct conv *c, const struct az_perf_arg *x,
                   const struct az_perf_arg *w, bool bias)
{
    static const char *const names[] = { "", "conv1d", "conv2d", "conv3d" };
    az_perf_model_p_text(r, "convNd", az_sv_str(names[c->nd]));
    az_perf_model_p_json(r, "input_shape", x->dims);
    az_perf_model_p_json(r, "filter_shape", w->dims);
    az_perf_model_p_types(r, "dtype_input_weight", x, w, NULL);
    az_perf_model_p_json(r, "input_stride", x->strides);
    az_perf_model_p_json(r, "weight_stride", w->strides);
    az_perf_model_p_bool(r, "bias", bias);
    az_perf_model_p_list(r, "stride", c->stride, c->nd);
    az_perf_model_p_list(r, "padding", c->pad, c->nd);
    az_perf_model_p_list(r, "dilation", c->dil, c->nd);
    az_perf_model_p_bool(r, "transposed_conv", c->transposed);
    az_perf_model_p_list(r, "output_padding", c->out_pad, c->nd);
    az_perf_model_p_int(r, "groups", c->groups);
    az_perf_model_unit(r, "matrix", x->type);
}

/* The output is smaller where the stride is larger: one that is not recorded is assumed to be 1. */
static void note_stride(struct az_perf_model *r, const struct az_perf_arg *stride)
{
    if (!stride->value.n)
        r->out->assumed = true;
}

/* first: argument of the stride; the others follow. */
static bool geometry(struct az_perf_model *r, struct conv *c, const struct az_perf_arg *x,
                     int first)
{
    double g = 1;
    c->nd = x->nd - 2;
    if (c->nd < 1 || c->nd > SPATIAL)
        return az_perf_model_fail(r, "input does not have 1 to 3 spatial dimensions");
    c->transposed = az_perf_model_true(az_perf_model_arg(r, first + 3));
    if (!spread(az_perf_model_arg(r, first), 1, c->stride, c->nd) ||
        !spread(az_perf_model_arg(r, first + 1), 0, c->pad, c->nd) ||
        !spread(az_perf_model_arg(r, first + 2), 1, c->dil, c->nd) ||
        !spread(az_perf_model_arg(r, first + 4), 0, c->out_pad, c->nd))
        return az_perf_model_fail(r, "unsupported form of stride, padding or dilation");
    c->groups = az_perf_model_list(az_perf_model_arg(r, first + 5), &g, 1) == 1 ? g : 1;
    note_stride(r, az_perf_model_arg(r, first));
    return true;
}

static double product(const struct conv *c)
{
    return 2 * c->w_inner * (c->transposed ? c->x : c->y);
}

AZ_PERF_MODEL(conv)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1);
    struct conv c;
    bool bias = az_perf_model_dims(az_perf_model_arg(r, 2));
    if (!geometry(r, &c, x, 3) || !size_up(r, &c, x, w))
        return false;
    p_conv(r, &c, x, w, bias);
    double b = x->type->bytes, part = (c.x + c.w + c.y) * b;
    r->out->bwd_flops = 2 * product(&c) + (bias ? c.y : 0);
    r->out->bwd_bytes = 2 * part + (bias ? (c.y + c.c_out) * b : 0);
    return az_perf_model_done(r, product(&c) + (bias ? c.y : 0), part + (bias ? c.c_out : 0) * b);
}

AZ_PERF_MODEL(conv_bwd)
{
    const struct az_perf_arg *y = az_perf_model_arg(r, 0), *x = az_perf_model_arg(r, 1),
                             *w = az_perf_model_arg(r, 2);
    struct conv c;
    double mask[3] = { 1, 1, 0 };
    if (!geometry(r, &c, x, 4) || !size_up(r, &c, x, w))
        return false;
    if (az_perf_model_arg(r, 10)->value.n &&
        az_perf_model_list(az_perf_model_arg(r, 10), mask, 3) != 3)
        return az_perf_model_fail(r, "unsupported form of output_mask");
    p_conv(r, &c, x, w, mask[2] != 0);
    double b = x->type->bytes, parts = (mask[0] != 0) + (mask[1] != 0);
    c.y = y->elements;
    return az_perf_model_done(r, parts * product(&c) + (mask[2] != 0 ? c.y : 0),
                              parts * (c.x + c.w + c.y) * b +
                                  (mask[2] != 0 ? (c.y + c.c_out) * b : 0));
}

/* Fused with a bias: one number for stride and one for padding. */
AZ_PERF_MODEL(conv_fused)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1);
    struct conv c = { .nd = x->nd - 2, .groups = 1, .dil = { 1, 1, 1 } };
    if (c.nd < 1 || c.nd > SPATIAL || !spread(az_perf_model_arg(r, 3), 1, c.stride, c.nd) ||
        !spread(az_perf_model_arg(r, 4), 0, c.pad, c.nd))
        return az_perf_model_fail(r, "unsupported form of stride or padding");
    if (!size_up(r, &c, x, w))
        return false;
    note_stride(r, az_perf_model_arg(r, 3));
    p_conv(r, &c, x, w, true);
    double b = x->type->bytes, part = (c.x + c.w + c.y) * b;
    r->out->bwd_flops = 2 * product(&c) + c.y;
    r->out->bwd_bytes = 2 * part + (c.y + c.c_out) * b;
    return az_perf_model_done(r, product(&c) + c.y, part + c.c_out * b);
}

/* HLO custom call: operands x, w and the output, in this order. */
AZ_PERF_MODEL(jax_conv)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0), *w = az_perf_model_arg(r, 1),
                             *y = az_perf_model_arg(r, 2);
    if (x->nd < 3 || w->nd != x->nd || y->nd != x->nd || az_perf_model_dim(w, 0) <= 0)
        return az_perf_model_fail(r, "operand shapes do not match");
    az_perf_model_unit(r, "matrix", x->type);
    az_perf_model_p_json(r, "input_shape", x->dims);
    az_perf_model_p_json(r, "filter_shape", w->dims);
    az_perf_model_p_json(r, "output_shape", y->dims);
    return az_perf_model_done(r, 2 * y->elements * w->elements / az_perf_model_dim(w, 0),
                              (x->elements + w->elements + y->elements) * x->type->bytes);
}
