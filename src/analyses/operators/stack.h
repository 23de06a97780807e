/* Call stacks of host nodes as text (docs/formulas-pytorch.md 8, include_call_stack). */
#ifndef AZ_ANALYSES_OPERATORS_STACK_H
#define AZ_ANALYSES_OPERATORS_STACK_H

#include "analyses/operators/framework.h"

/* The names around a node, outermost first, as a JSON list: frames that name a module, a namespace
 * or a path, and operators, numbers after `_` removed; then the kernel. gpu: that device event;
 * AZ_NO_ROW: all of the node's, where they have different ways the common beginning and then a list
 * for each way. In the arena; empty on failure. */
struct az_sv az_framework_call_stack(struct az_job *job, const struct az_framework *f,
                                     uint32_t node, uint32_t gpu);
/* The user's frame that called the operator: inward, a `.py` frame whose function carries the
 * operator's name, else outward the first `.py` frame that is no wrapper of the framework; "Not
 * found". */
struct az_sv az_framework_entry_point(const struct az_framework *f, uint32_t node);
/* Class of the innermost module around a node: `nn.Module: Linear_12` is "Linear"; "root" outside
 * of all. */
struct az_sv az_framework_parent_module(struct az_arena *a, const struct az_framework *f,
                                        uint32_t node);

/* The operator and the modules around it, innermost first, as a JSON list; names longer than 256
 * bytes end there, with "..". In the arena. */
struct az_sv az_framework_module_stack(struct az_job *job, const struct az_framework *f,
                                       uint32_t node);
/* The second entry of that list without `_` and numbers; "NA". */
struct az_sv az_framework_module_around(struct az_arena *a, const struct az_framework *f,
                                        uint32_t node);

#endif
