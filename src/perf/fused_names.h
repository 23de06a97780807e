/* The operators that a kernel of torch.compile fuses, from its name:
 * triton_red_fused__to_copy_mul_native_layer_norm_4 fuses _to_copy, mul and native_layer_norm. */
#ifndef AZ_PERF_FUSED_NAMES_H
#define AZ_PERF_FUSED_NAMES_H

#include "base/vec.h"

/* Appends the operators, "aten.mul, aten.silu"; nothing for a name of another form. Of the names in
 * configs/fused_names.txt the longest one counts; words between two of them are one name. */
void az_fused_names(struct az_sv kernel, struct az_vec_char *out);

#endif
