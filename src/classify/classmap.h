/* The user's map of kernel names to classes, on top of the built-in rules: its classes, NCCL,
 * `others` (docs/formats-nsight.md 1.2, 1.4). */
#ifndef AZ_CLASSIFY_CLASSMAP_H
#define AZ_CLASSIFY_CLASSMAP_H

#include "base/vec.h"

struct az_class_rule {
    struct az_sv key;   /* as written */
    struct az_sv lower; /* key in lower case: what is searched */
    struct az_sv name;  /* class in lower case */
};
AZ_VEC(struct az_class_rule, az_class_rules);

#define AZ_CLASS_OTHERS                                                                            \
    0 /* class ids: 0 others, then the map's classes in order of first appearance, then nccl */

struct az_classifier {
    struct az_vec_sv names;       /* class id -> name */
    struct az_vec_u32 rule_class; /* rule -> class id */
    const struct az_class_rules *rules;
    uint32_t nccl; /* class id of nccl; the user's own class of that name if there is one */
    struct az_arena *arena;
};
/* First rule of the map whose key is in the name, any case; SIZE_MAX: none. Names that are not
 * ASCII: ASCII letters alone are compared without case. */
size_t az_class_map_find(const struct az_class_rules *map, struct az_sv name);
int az_classifier_init(struct az_classifier *c, const struct az_class_rules *rules,
                       struct az_arena *arena) AZ_MUST_USE;
void az_classifier_release(struct az_classifier *c);
/* Class of one kernel name: contains "nccl" (any case) -> nccl, else the first rule contained, else
 * others. */
uint32_t az_classify(const struct az_classifier *c, struct az_sv kernel);
/* Collective of an NCCL kernel name (docs/formats-nsight.md 1.4). compat: the reference's second
 * `_` field. View into the name or a constant. */
struct az_sv az_nccl_operation(struct az_sv kernel, bool compat);

#endif
