#include "analyses/mr_text.h"

int az_mr_texts_init(struct az_mr_texts *t, struct az_arena *keep, struct az_mem *mem)
{
    return az_intern_init(&t->ids, keep, mem);
}

void az_mr_texts_release(struct az_mr_texts *t) { az_intern_release(&t->ids); }

int az_mr_texts_keep(const struct az_mr_texts *t, struct az_arena *keep, struct az_mr_kept *out)
{
    out->n = t->ids.text.n;
    out->v = az_mr_keep(keep, t->ids.text.v, out->n, sizeof *out->v);
    return out->v ? 0 : az_arena_error(keep);
}

void *az_mr_keep(struct az_arena *keep, const void *v, size_t n, size_t size)
{
    void *own = az_arena_array(keep, n + 1, size);
    if (own && n)
        memcpy(own, v, n * size);
    return own;
}
