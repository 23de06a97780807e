/* Shared by the models; private to this room. */
#ifndef AZ_PERF_MODEL_H
#define AZ_PERF_MODEL_H

#include "perf/perf.h"

struct az_pm {
    const struct az_perf_call *call;
    const struct az_op_model *row;
    struct az_arena *arena;
    struct az_perf *out;
};
typedef bool (*az_pm_model)(struct az_pm *r);

/* Number after `key=` in the row's args. */
int az_pm_at(const struct az_pm *r, const char *key, int absent);
/* Text after `key=`; empty. */
struct az_sv az_pm_word(const struct az_pm *r, const char *key);
bool az_pm_says(const struct az_pm *r, const char *key, const char *value);
/* Argument i; beyond the recorded ones: an empty None. */
const struct az_perf_arg *az_pm_arg(const struct az_pm *r, int i);
static inline const struct az_perf_arg *az_pm_key(const struct az_pm *r, const char *key,
                                                  int absent)
{
    return az_pm_arg(r, az_pm_at(r, key, absent));
}
static inline double az_pm_dim(const struct az_perf_arg *a,
                               int i) /* negative: from the end; 0 if there is none */
{
    i = i < 0 ? a->nd + i : i;
    return i >= 0 && i < a->nd ? (double)a->dim[i] : 0.0;
}
static inline bool az_pm_dims(const struct az_perf_arg *a) { return a->nd > 0; }
/* A tensor, 0-dimensional ones too. */
static inline bool az_pm_tensor(const struct az_perf_arg *a)
{
    return a->type->tensor || a->nd > 0;
}
/* Bytes of all its elements. */
static inline double az_pm_size(const struct az_perf_arg *a)
{
    return az_pm_tensor(a) ? a->elements * a->type->bytes : 0.0;
}

/* Right-aligned broadcast of two shapes; elements of the result, -1: they do not broadcast. */
double az_pm_broadcast(const struct az_perf_arg *a, const struct az_perf_arg *b);
/* Bytes of an element of the result of two operands: the wider tensor; a number or a 0-dim operand
 * does not widen. */
double az_pm_promoted(const struct az_perf_arg *a, const struct az_perf_arg *b);

/* Concrete values of an argument. */
bool az_pm_int(const struct az_perf_arg *a, int64_t *v);
bool az_pm_true(const struct az_perf_arg *a); /* "True", or a number that is not 0 */
/* List `[1, 2]` (True and False are 1 and 0) or one number; number of elements, at most max; -1:
 * none or malformed. */
int az_pm_list(const struct az_perf_arg *a, double *v, int max);
/* Fact recorded next to the arguments; absent where there is none. */
double az_pm_fact(const struct az_pm *r, const char *name, double absent);

bool az_pm_fail(struct az_pm *r, const char *why); /* false */
/* Sets the result; true. */
bool az_pm_done(struct az_pm *r, double flops, double bytes);
/* Unit and precision by a type (its name for the peak); "" leaves the precision unknown. */
void az_pm_unit(struct az_pm *r, const char *unit, const struct az_dtype *t);
void az_pm_prec(struct az_pm *r, const char *unit, const char *prec);

void az_pm_p_int(struct az_pm *r, const char *name, double v);
void az_pm_p_real(struct az_pm *r, const char *name, double v);
void az_pm_p_bool(struct az_pm *r, const char *name, bool v);
void az_pm_p_text(struct az_pm *r, const char *name, struct az_sv v);
void az_pm_p_json(struct az_pm *r, const char *name, struct az_sv v); /* empty: None */
/* ["c10::BFloat16","float"]; a NULL argument is null. */
void az_pm_p_types(struct az_pm *r, const char *name, const struct az_perf_arg *a,
                   const struct az_perf_arg *b, const struct az_perf_arg *c);
/* [2,2] */
void az_pm_p_list(struct az_pm *r, const char *name, const double *v, int n);

/* The models, by file. */
/* clang-format off */
#define AZ_PM_GEMM(X)                                                                                                  \
    X(mm)                                                                                                              \
    X(te_gemm)                                                                                                         \
    X(gemm_flags)                                                                                                      \
    X(gemm_halves)                                                                                                     \
    X(gemm_dynamic_quant) X(batched_gemm) X(matmul) X(jax_gemm) X(grouped_gemm) X(grouped_gemm_variable_k)
#define AZ_PM_CONV(X)  X(conv) X(conv_bwd) X(conv_fused) X(jax_conv)
#define AZ_PM_SDPA(X)  X(sdpa) X(sdpa_varlen) X(evoformer)
#define AZ_PM_INFER(X) X(inference_attention) X(paged_decode) X(v4_decode) X(sparse_prefill) X(gdn)
#define AZ_PM_ELEM(X)  X(unary) X(binary) X(pad) X(upsample) X(gated) X(softmax) X(dropout) X(sample) X(fused_pair)
#define AZ_PM_MOVE(X)                                                                                                  \
    X(copy)                                                                                                            \
    X(cat)                                                                                                             \
    X(stack)                                                                                                           \
    X(fill)                                                                                                            \
    X(select)                                                                                                          \
    X(embedding) X(gather) X(move) X(scatter) X(pool) X(foreach) X(store_cache) X(comm) X(collective) X(operands)      \
        X(allreduce_rmsnorm) X(optimizer) X(table_lookup) X(scatter_add) X(pool_bwd) X(gradient_read)
#define AZ_PM_NORM(X) X(reduce) X(norm) X(norm_bwd) X(fused_rms) X(fused_rms_bwd) X(ln_modulate) X(rms) X(rms_mxfp4)
#define AZ_PM_MISC(X)                                                                                                  \
    X(rope)                                                                                                            \
    X(rope_rotary)                                                                                                     \
    X(rope_mla)                                                                                                        \
    X(cross_entropy)                                                                                                   \
    X(causal_conv1d) X(mamba) X(quant) X(group_quant) X(quant_fp8) X(quant_mxfp4) X(quant_mxfp4_dual) X(triton)
#define AZ_PM_MOE(X) X(moe_fused) X(moe_stage) X(moe_cktile) X(moe_invoke) X(moe_ogs) X(moe_gptq)
#define AZ_PM_ALL(X)                                                                                                   \
    AZ_PM_GEMM(X)                                                                                                      \
    AZ_PM_CONV(X) AZ_PM_SDPA(X) AZ_PM_INFER(X) AZ_PM_ELEM(X) AZ_PM_MOVE(X) AZ_PM_NORM(X) AZ_PM_MISC(X) AZ_PM_MOE(X)
/* clang-format on */
#define AZ_PM_DECLARE(name) bool az_pm_##name(struct az_pm *r);
AZ_PM_ALL(AZ_PM_DECLARE)

#endif
