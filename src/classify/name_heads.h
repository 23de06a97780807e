/* C++ names short enough to show, which distinguish kernels of one function template. */
#ifndef AZ_CLASSIFY_NAME_HEADS_H
#define AZ_CLASSIFY_NAME_HEADS_H

#include "base/mem.h"

/* A short name with the template arguments that it has in the whole name, each without scopes and
 * arguments of its own: "kentry" of "void ck_tile::kentry<2, ck_tile::GemmKernel<P, E>, A>(A)" is
 * "kentry<2, GemmKernel, A>". The short name as it is where it has none. NULL text: no memory. */
struct az_sv az_kernel_name_heads(struct az_arena *a, struct az_sv whole, struct az_sv shorter);

#endif
