#include "perf/hlo.h"

/* Of non-negative numbers. */
static int64_t mul_sat(int64_t a, int64_t b)
{
    int64_t x;
    return __builtin_mul_overflow(a, b, &x) ? INT64_MAX : x;
}

static bool is_in_list(const int64_t *list, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == (int64_t)i)
            return true;
    return false;
}

static bool product(const struct az_gemm_side *s, const int64_t *list, size_t n, int64_t *out)
{
    *out = 1;
    for (size_t k = 0; k < n; k++) {
        if (list[k] < 0 || (uint64_t)list[k] >= s->n_dims)
            return false;
        *out = mul_sat(*out, s->dims[list[k]]);
    }
    return true;
}

static int64_t rest_product(const struct az_gemm_side *s)
{
    int64_t x = 1;
    for (size_t i = 0; i < s->n_dims; i++)
        if (!is_in_list(s->contract, s->n_contract, i) && !is_in_list(s->batch, s->n_batch, i))
            x = mul_sat(x, s->dims[i]);
    return x;
}

bool az_gemm_of(const struct az_gemm_side *lhs, const struct az_gemm_side *rhs, struct az_gemm *out)
{
    int64_t rhs_k, rhs_b;
    if (!product(lhs, lhs->contract, lhs->n_contract, &out->k) ||
        !product(lhs, lhs->batch, lhs->n_batch, &out->b) ||
        !product(rhs, rhs->contract, rhs->n_contract, &rhs_k) ||
        !product(rhs, rhs->batch, rhs->n_batch, &rhs_b))
        return false;
    out->m = rest_product(lhs);
    out->n = rest_product(rhs);
    return rhs_k == out->k && rhs_b == out->b;
}

int64_t az_gemm_flops(const struct az_gemm *g)
{
    return mul_sat(mul_sat(2, g->b), mul_sat(g->m, mul_sat(g->n, g->k)));
}

int64_t az_conv_flops(int64_t forward_output, int64_t filter, int64_t output_features)
{
    if (output_features <= 0)
        return -1;
    return mul_sat(2, mul_sat(forward_output, filter / output_features));
}

int64_t az_attention_flops(const struct az_attention *a, bool backward)
{
    if (a->batch < 0 || a->heads < 0 || a->q_len < 0 || a->kv_len < 0 || a->qk_dim < 0 ||
        a->v_dim < 0)
        return -1;
    const int64_t pairs = mul_sat(mul_sat(a->batch, a->heads), mul_sat(a->q_len, a->kv_len));
    const int64_t qk = mul_sat(backward ? 3 : 1, a->qk_dim),
                  v = mul_sat(backward ? 2 : 1, a->v_dim);
    int64_t sum;
    if (__builtin_add_overflow(qk, v, &sum))
        sum = INT64_MAX;
    return mul_sat(2, mul_sat(pairs, sum));
}

double az_bus_factor(enum az_bus kind, int64_t n)
{
    if (kind == AZ_BUS_ONE || n < 1)
        return 1;
    const double part = (double)(n - 1) / (double)n;
    return kind == AZ_BUS_ALL_REDUCE ? 2 * part : part;
}
