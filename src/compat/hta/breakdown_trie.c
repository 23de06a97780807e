#include "compat/hta/breakdown_trie.h"

int az_hta_trie_init(struct az_hta_trie *t, struct az_mem *mem)
{
    az_vec_init(&t->nodes, mem);
    az_map_init(&t->child, mem, 256);
    return 0;
}

void az_hta_trie_release(struct az_hta_trie *t)
{
    az_map_release(&t->child);
    az_vec_release(&t->nodes);
}

int az_hta_trie_add(struct az_hta_trie *t, uint32_t *node, uint32_t name)
{
    uint32_t *next;
    bool added;
    int rc = t->nodes.n < AZ_NO_ID
                 ? az_map_put(&t->child, *node, name, (uint32_t)t->nodes.n, &next, &added)
                 : AZ_ERANGE;
    if (rc)
        return rc;
    if (added) {
        const uint32_t length = *node == AZ_NO_ID ? 1 : t->nodes.v[*node].length + 1;
        rc = az_vec_push(&t->nodes, ((struct az_hta_trie_node){ *node, name, length }));
    }
    *node = *next;
    return rc;
}

struct az_sv az_hta_trie_text(const struct az_hta_trie *t, uint32_t node,
                              const struct az_intern *names, size_t skip, size_t shown,
                              const char *separator, struct az_arena *a)
{
    const uint32_t length = node == AZ_NO_ID ? 0 : t->nodes.v[node].length;
    const size_t n = length > skip ? length - skip : 0;
    uint32_t id[AZ_HTA_TRIE_SHOWN];
    struct az_vec_char text;
    shown = shown < AZ_HTA_TRIE_SHOWN ? shown : AZ_HTA_TRIE_SHOWN;
    shown = n < shown ? n : shown;
    for (size_t at = length; node != AZ_NO_ID && at > skip; node = t->nodes.v[node].parent, at--)
        if (at - skip <= shown)
            id[at - skip - 1] = t->nodes.v[node].name;
    az_vec_init(&text, a->mem);
    for (size_t i = 0; i < shown; i++) {
        if (i)
            az_text_add(&text, az_sv_str(separator));
        az_text_add(&text, az_intern_text(names, id[i]));
    }
    if (shown < n)
        az_text_format(&text, "%s... (%zu in all)", separator, n);
    const struct az_sv out =
        text.failed ? (struct az_sv){ NULL, 0 } : az_arena_dup(a, az_text_view(&text));
    a->failed |= text.failed;
    az_vec_release(&text);
    return out;
}
