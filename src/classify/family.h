/* Families: what work a kernel, an operator or an HLO operation does for the model. One list for
 * all formats; the finer classes of configs/kernel_classes.rules map to it by that file's column.
 */
#ifndef AZ_CLASSIFY_FAMILY_H
#define AZ_CLASSIFY_FAMILY_H

#include "base/sv.h"

enum az_family {
    AZ_FAMILY_OTHER,
    AZ_FAMILY_GEMM,
    AZ_FAMILY_ATTENTION,
    AZ_FAMILY_CONV,
    AZ_FAMILY_MOE,
    AZ_FAMILY_COMMUNICATION,
    AZ_FAMILY_NORM,
    AZ_FAMILY_SOFTMAX,
    AZ_FAMILY_LOSS,
    AZ_FAMILY_ELEMENTWISE,
    AZ_FAMILY_REDUCE,
    AZ_FAMILY_COPY,
    AZ_FAMILY_INDEX,
    AZ_FAMILY_KV_CACHE,
    AZ_FAMILY_ROPE,
    AZ_FAMILY_OPTIMIZER,
    AZ_FAMILY_SORT,
    AZ_FAMILY_RANDOM,
    AZ_FAMILY_QUANTIZE,
    AZ_FAMILY_FILL,
    AZ_FAMILY_POOL,
    AZ_FAMILY_FFT,
    AZ_FAMILY_SSM,
    AZ_FAMILY_SPARSE,
    AZ_FAMILIES
};
/* "gemm", ...; static text. */
struct az_sv az_family_text(enum az_family f);
/* False: no family of that name. */
bool az_family_of(struct az_sv text, enum az_family *out);

#endif
