/* Matrix products again as `hipblaslt-bench` runs them (docs/formulas-multirank.md 5.3, 5.5), and
 * what is common to both tools. */
#include "perf/replay.h"

#include "base/num.h"
#include "perf/replay_parts.h"

static bool number(const struct az_perf_arg *a, double absent, double *v)
{
    *v = absent;
    return a->value.n == 0 || az_sv_is(a->value, "None") || az_perf_model_list(a, v, 1) == 1;
}

/* ---- types ---- */

static const struct lib_type {
    const char *name, *lib, *compute;
    bool uncertain; /* the library's word for it differs between versions */
} lib_types[] = {
    { "float", "f32_r", "f32_r", false },
    { "double", "f64_r", "f64_r", false },
    { "c10::Half", "f16_r", "f32_r", false },
    { "c10::BFloat16", "bf16_r", "f32_r", false },
    { "signed char", "i8_r", "i32_r", false },
    { "c10::Float8_e4m3fn", "f8_r", "f32_r", true },
    { "c10::Float8_e5m2", "bf8_r", "f32_r", true },
    { "c10::Float8_e4m3fnuz", "f8_fnuz_r", "f32_r", true },
    { "c10::Float8_e5m2fnuz", "bf8_fnuz_r", "f32_r", true },
};

static const struct lib_type *type_of(struct az_sv name)
{
    for (size_t i = 0; i < AZ_LENGTH(lib_types); i++)
        if (az_sv_ieq(name, az_sv_str(lib_types[i].name)))
            return &lib_types[i];
    return NULL;
}

/* The framework's ScalarType codes, where a call names its result type. */
static const char *type_of_code(int64_t code)
{
    switch (code) {
    case 5:
        return "f16_r";
    case 6:
        return "f32_r";
    case 15:
        return "bf16_r";
    case 23:
        return "bf8_r";
    case 24:
        return "f8_r";
    case 25:
        return "bf8_fnuz_r";
    case 26:
        return "f8_fnuz_r";
    default:
        return NULL;
    }
}

/* ---- matrix products ---- */

static const struct gemm_op {
    const char *name;
    int a, b, bias, beta; /* arguments; alpha is after beta; -1: none */
    bool batched, scaled;
} gemm_ops[] = {
    { "aten::mm", 0, 1, -1, -1, false, false },       { "aten::addmm", 1, 2, 0, 3, false, false },
    { "aten::bmm", 0, 1, -1, -1, true, false },       { "aten::baddbmm", 1, 2, 0, 3, true, false },
    { "aten::_scaled_mm", 0, 1, 4, -1, false, true },
};

struct side { /* one operand as the library sees it: column-major */
    const struct lib_type *type;
    int64_t ld, stride;
    char trans;
};

struct product {
    const struct gemm_op *op;
    int64_t m, n, k, batch;
    struct side a, b;
    const char *d_type, *bias_type;
    double alpha, beta;
    bool bias_vector;
};

static int64_t at_least_1(int64_t x) { return x > 1 ? x : 1; }

/* Row-major X[r,c] for a column-major library: N as it is, T turned, else the framework makes a
 * contiguous copy. */
static void plain_side(const struct az_perf_arg *x, const int64_t *s, struct side *out,
                       unsigned *notes)
{
    int64_t r = x->dim[0], c = x->dim[1];
    bool contiguous = (c == 1 || s[1] == 1) && (r == 1 || s[0] == c);
    *out = (struct side){ .type = out->type, .trans = 'N' };
    if (contiguous || (s[1] == 1 && s[0] >= at_least_1(c))) {
        out->ld = at_least_1(s[0]);
    } else if (s[0] == 1 && s[1] >= at_least_1(r)) {
        out->trans = 'T';
        out->ld = s[1];
    } else {
        out->ld = c;
        *notes |= AZ_REPLAY_COPIED;
    }
}

/* X[batch,..] as the library's operand of first x second elements; swapped: the library computes
 * the transposed product. */
static void batched_side(const struct az_perf_arg *x, const int64_t *s, bool swapped, int64_t first,
                         int64_t second, struct side *out, unsigned *notes)
{
    int64_t fast = swapped ? s[2] : s[1], lead = swapped ? s[1] : s[2];
    *out = (struct side){ .type = out->type, .trans = 'N', .stride = s[0] };
    if (fast == 1 && lead >= at_least_1(first)) {
        out->ld = lead;
    } else if (lead == 1 && fast >= at_least_1(second)) {
        out->trans = 'T';
        out->ld = fast;
    } else {
        out->trans = swapped ? 'N' : 'T';
        out->ld = x->dim[2];
        out->stride = x->dim[1] * x->dim[2];
        *notes |= AZ_REPLAY_COPIED;
    }
}

static const char *shape_product(const struct az_perf_arg *a, const struct az_perf_arg *b,
                                 struct product *p, unsigned *notes)
{
    int64_t sa[AZ_PERF_DIMS], sb[AZ_PERF_DIMS];
    int nd = p->op->batched ? 3 : 2;
    if (a->nd != nd || b->nd != nd)
        return p->op->batched ? "operands are not batched matrices" : "operands are not matrices";
    int64_t rows = a->dim[nd - 2], inner = a->dim[nd - 1], cols = b->dim[nd - 1];
    if (b->dim[nd - 2] != inner || (nd == 3 && a->dim[0] != b->dim[0]))
        return "operand shapes do not match";
    if (a->elements < 1 || b->elements < 1 || a->elements > EXACT_MAX || b->elements > EXACT_MAX ||
        (double)rows * (double)cols > EXACT_MAX)
        return "size is 0 or too large";
    if (!az_rp_strides(a, sa, notes) || !az_rp_strides(b, sb, notes))
        return "invalid strides";
    p->batch = nd == 3 ? a->dim[0] : 1;
    p->k = inner;
    bool swapped = nd == 2 || cols != 1; /* a single column is computed as it stands */
    p->m = swapped ? cols : rows;
    p->n = swapped ? rows : cols;
    p->a.type = type_of((swapped ? b : a)->type_name);
    p->b.type = type_of((swapped ? a : b)->type_name);
    if (nd == 2) {
        plain_side(b, sb, &p->a, notes);
        plain_side(a, sa, &p->b, notes);
    } else {
        batched_side(swapped ? b : a, swapped ? sb : sa, swapped, p->m, p->k, &p->a, notes);
        batched_side(swapped ? a : b, swapped ? sa : sb, swapped, p->k, p->n, &p->b, notes);
    }
    if (!p->a.type || !p->b.type)
        return "data type not supported by the benchmark";
    *notes |= p->a.type->uncertain || p->b.type->uncertain ? AZ_REPLAY_UNCERTAIN : 0;
    return NULL;
}

static const char *add_bias(const struct az_perf_model *r, struct product *p, unsigned *notes)
{
    const struct az_perf_arg *bias = az_perf_model_arg(r, p->op->bias);
    double beta = 1;
    p->alpha = 1;
    p->bias_type = p->a.type->compute;
    p->d_type = az_sv_is(az_sv_str(p->a.type->lib), "i8_r") ? "i32_r" : p->a.type->lib;
    if (p->op->scaled) {
        int64_t code;
        const char *named =
            az_perf_model_int(az_perf_model_arg(r, 6), &code) ? type_of_code(code) : NULL;
        p->d_type = named ? named : p->d_type;
    }
    if (p->op->bias < 0)
        return NULL;
    if (p->op->beta >= 0 && (!number(az_perf_model_arg(r, p->op->beta), 1, &beta) ||
                             !number(az_perf_model_arg(r, p->op->beta + 1), 1, &p->alpha)))
        return "invalid alpha or beta";
    if (bias->nd == 1 && beta == 1 && !p->op->batched) {
        p->bias_vector = true;
        p->bias_type = p->d_type;
    } else if (!p->op->scaled) {
        p->beta = beta;
        *notes |= beta != 0 ? AZ_REPLAY_UNCERTAIN : 0;
    }
    return NULL;
}

static void print_gemm(const struct product *p, struct az_vec_char *out)
{
    long long stride_d = p->batch > 1 ? (long long)(p->m * p->n) : 0;
    az_text_format(
        out,
        "hipblaslt-bench --api_method c -m %lld -n %lld -k %lld --lda %lld --ldb %lld --ldc %lld "
        "--ldd %lld --stride_a %lld --stride_b %lld --stride_c %lld --stride_d %lld --alpha %f "
        "--beta %f --transA %c --transB %c --batch_count %lld",
        (long long)p->m, (long long)p->n, (long long)p->k, (long long)p->a.ld, (long long)p->b.ld,
        (long long)p->m, (long long)p->m, (long long)p->a.stride, (long long)p->b.stride, stride_d,
        stride_d, p->alpha, p->beta, p->a.trans, p->b.trans, (long long)p->batch);
    if (p->op->scaled)
        az_text_add(out, AZ_SV(" --scaleA 1 --scaleB 1"));
    if (p->bias_vector)
        az_text_add(out, AZ_SV(" --bias_vector --bias_source d"));
    az_text_format(out,
                   " --a_type %s --b_type %s --c_type %s --d_type %s --scale_type %s "
                   "--bias_type %s "
                   "--compute_type %s",
                   p->a.type->lib, p->b.type->lib, p->d_type, p->d_type, p->a.type->compute,
                   p->bias_type, p->a.type->compute);
}

static int replay_gemm(const struct az_perf_model *r, enum az_replay_form form,
                       struct az_vec_char *out, unsigned *notes, const char **why)
{
    struct product p = { 0 };
    for (size_t i = 0; i < AZ_LENGTH(gemm_ops); i++)
        if (az_sv_is(r->call->op, gemm_ops[i].name))
            p.op = &gemm_ops[i];
    *why = "unsupported operator";
    if (!p.op)
        return AZ_EFORMAT;
    *why = shape_product(az_perf_model_arg(r, p.op->a), az_perf_model_arg(r, p.op->b), &p, notes);
    if (!*why)
        *why = add_bias(r, &p, notes);
    if (*why)
        return AZ_EFORMAT;
    print_gemm(&p, out);
    if (form == AZ_REPLAY_BENCH)
        az_text_add(
            out,
            AZ_SV(" --algo_method heuristic --requested_solution 1 --cold_iters 100 --iters 100"
                  " --rotating 512 --flush --initialization trig_float --use_gpu_timer"
                  " --print_kernel_info"));
    if (form == AZ_REPLAY_TUNE)
        az_text_add(
            out,
            AZ_SV(" --algo_method heuristic --requested_solution 200 --cold_iters 5 --iters 30"));
    return az_vec_error(out);
}

/* ---- both ---- */

enum az_replay_tool az_replay_tool(struct az_sv op)
{
    if (az_sv_is(op, "aten::convolution") || az_sv_is(op, "aten::convolution_backward"))
        return AZ_REPLAY_CONV;
    for (size_t i = 0; i < AZ_LENGTH(gemm_ops); i++)
        if (az_sv_is(op, gemm_ops[i].name))
            return AZ_REPLAY_GEMM;
    return AZ_REPLAY_NONE;
}

int az_replay_command(const struct az_perf_call *c, enum az_replay_form form,
                      struct az_vec_char *out, unsigned *notes, const char **why)
{
    const struct az_perf_model r = { .call = c };
    *notes = 0;
    *why = NULL;
    if (az_replay_tool(c->op) == AZ_REPLAY_CONV)
        return az_rp_conv(&r, form, out, notes, why);
    return replay_gemm(&r, form, out, notes, why);
}
