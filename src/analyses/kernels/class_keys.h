/* Keys for kernel_to_class_map: the parts of a kernel's name that distinguish it from others. */
#ifndef AZ_ANALYSES_KERNELS_CLASS_KEYS_H
#define AZ_ANALYSES_KERNELS_CLASS_KEYS_H

#include "base/intern.h"
#include "classify/kernels.h"
#include "classify/rules.h"

struct az_class_keys {
    struct az_intern words;  /* of all names */
    struct az_vec_u32 count; /* word -> names that have it */
    struct az_intern ids;    /* identifiers of all names */
    /* Identifier -> class of the names that have it; empty: of several. */
    struct az_vec_sv class_of;
    struct az_vec_u8 common;   /* word -> 1 no, 2 yes; 0: not decided yet */
    struct az_rule_list rules; /* words that are common whatever the names are */
    uint64_t *pairs; /* of the first words: which pairs of bytes are in them, a bit for a 64th of
                        all pairs */
    size_t n_pairs;
    uint32_t names;
    struct az_vec_sv all, all_class; /* the names, and their classes */
    const struct az_kernel_rules *classes;
    struct az_intern beginnings; /* of identifiers, that were examined ... */
    struct az_vec_u8 serves;     /* ... and whether they are keys */
    bool starved;                /* there was no memory to look further */
};
/* classes: of the names that are added; outlive k. */
int az_class_keys_init(struct az_class_keys *k, const struct az_kernel_rules *classes,
                       struct az_arena *arena, struct az_mem *mem) AZ_MUST_USE;
void az_class_keys_release(struct az_class_keys *k);
/* Counts the words of one name of a class; each name once. */
int az_class_keys_add(struct az_class_keys *k, struct az_sv name,
                      struct az_sv class_name) AZ_MUST_USE;
/* An identifier of the name: its own (the last one before template arguments and parameters),
 * unless most names that were counted hold all of its words kernels of several classes have it, or
 * it is too general ("Kernel"); then the next one that does better; at last the whole name. Of a
 * long one (generated kernels: Cijk_..., igemm_fwd_...) the shortest beginning of whole words that
 * identifies the class by itself and that no name of another class holds. View into the name. */
struct az_sv az_class_key(struct az_class_keys *k, struct az_sv name);

#endif
