/* Sequences of names, each different one a number: paths in a tree. Private to the breakdowns of
 * ranks. */
#ifndef AZ_COMPAT_HTA_BREAKDOWN_TRIE_H
#define AZ_COMPAT_HTA_BREAKDOWN_TRIE_H

#include "base/intern.h"
#include "base/vec.h"

struct az_hta_trie {
    struct az_map child; /* (node, name) -> node */
    struct az_hta_trie_nodes {
        struct az_hta_trie_node {
            uint32_t parent, name, length; /* parent AZ_NO_ID: the first of a sequence */
        } * v;
        size_t n, cap;
        struct az_mem *mem;
    } nodes;
};
int az_hta_trie_init(struct az_hta_trie *t, struct az_mem *mem) AZ_MUST_USE;
void az_hta_trie_release(struct az_hta_trie *t);
/* *node (AZ_NO_ID: none yet) becomes the sequence with one more name. */
int az_hta_trie_add(struct az_hta_trie *t, uint32_t *node, uint32_t name) AZ_MUST_USE;
#define AZ_HTA_TRIE_SHOWN 256
/* The sequence after its first `skip` names, written with the separator; of a long one its first
 * `shown` (at most AZ_HTA_TRIE_SHOWN) and how many there are. In the arena; {NULL, 0} on failure.
 */
struct az_sv az_hta_trie_text(const struct az_hta_trie *t, uint32_t node,
                              const struct az_intern *names, size_t skip, size_t shown,
                              const char *separator, struct az_arena *a);

#endif
