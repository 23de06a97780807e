/* Work of the operations of compiled programs from their shapes. Pure functions; counts saturate at
 * INT64_MAX. Formulas: docs/formats-xplane.md 7 and 8, docs/formulas-models.md 11.13 (right forms).
 */
#ifndef AZ_PERF_HLO_H
#define AZ_PERF_HLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One matrix product. `lhs`, `rhs`: dimensions; `contract`, `batch`: indices into lhs; `rhs_*`:
 * into rhs. K = product of what is contracted, B of the batch, M and N of what remains of lhs and
 * rhs. False where an index is none of the dimensions. */
struct az_gemm {
    int64_t b, m, n, k;
};
struct az_gemm_side {
    const int64_t *dims, *contract, *batch;
    size_t n_dims, n_contract, n_batch;
};
bool az_gemm_of(const struct az_gemm_side *lhs, const struct az_gemm_side *rhs,
                struct az_gemm *out);
int64_t az_gemm_flops(const struct az_gemm *g); /* 2 B M N K */

/* Convolution: 2 * elements of the forward output * elements of the filter / its output features.
 * -1 without features.
 */
int64_t az_conv_flops(int64_t forward_output, int64_t filter, int64_t output_features);

/* Attention, dense (a causal mask is not halved): forward 2 B H Sq Skv (D + Dv), backward 2 B H Sq
 * Skv (3 D + 2 Dv). -1 where a dimension is unknown (negative). */
struct az_attention {
    int64_t batch, heads, q_len, kv_len, qk_dim, v_dim;
};
int64_t az_attention_flops(const struct az_attention *a, bool backward);

/* Bus bandwidth over algorithm bandwidth of a collective of n ranks: 2 (n - 1) / n all-reduce, (n -
 * 1) / n where each rank has a part, 1 else. */
enum az_bus { AZ_BUS_ALL_REDUCE, AZ_BUS_PART, AZ_BUS_ONE };
double az_bus_factor(enum az_bus kind, int64_t n);

#endif
