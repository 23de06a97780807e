/* Texts of cells as shown to readers: lists as words, names of kernels by the part in which
 * they differ. Tables and files have the names of the trace. */
#ifndef AZ_TEXT_NAMES_H
#define AZ_TEXT_NAMES_H

#include "base/mem.h"
#include "base/sv.h"

/* A JSON list as words: ["GEMM"] -> GEMM, ["a","b"] -> a, b; a list of lists without the outer
 * brackets and without empty ones: [[64,128],[128],[]] -> [64,128] [128]. Other texts as they are.
 */
struct az_sv az_name_plain(struct az_arena *a, struct az_sv s);
/* A C++ name without result, namespaces, template arguments and parameters:
 * "void at::native::reduce_kernel<512, 1>(int)" -> "reduce_kernel"; with `arguments` the
 * template's, shortened in the same way. "call->kernel (Synthetic Op)" is the kernel "(in call)".
 * Other names (operators, generated names) as they are. */
struct az_sv az_name_short(struct az_arena *a, struct az_sv s, bool arguments);
/* Names of one column, each shortened as far as different names stay different; in place. */
void az_names_shorten(struct az_arena *a, struct az_sv *name, size_t n);
/* The same names truncated to a width: of generated names (words divided by `_`) common words are
 * dropped before those that differ. */
void az_names_cut(struct az_arena *a, struct az_sv *name, size_t n, size_t width);

#endif
