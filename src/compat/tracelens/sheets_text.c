#include "compat/tracelens/sheets_text.h"

void az_tracelens_texts_init(struct az_tracelens_texts *t, struct az_job *job)
{
    az_intern_init(&t->ids, job->arena, job->mem);
}

void az_tracelens_texts_release(struct az_tracelens_texts *t) { az_intern_release(&t->ids); }

int az_tracelens_texts_intern(const struct az_tracelens_texts *t, struct az_job *job,
                              struct az_arena *keep, struct az_tracelens_stored_texts *out)
{
    if (t->ids.error)
        return t->ids.error;
    out->n = t->ids.text.n;
    out->v = az_arena_array(keep, out->n + 1, sizeof *out->v);
    if (!out->v)
        return az_arena_error(keep);
    for (size_t i = 0; i < out->n; i++) {
        out->v[i] = az_rank_text(job, keep, t->ids.text.v[i]);
        if (!out->v[i].p)
            return az_arena_error(keep);
    }
    return 0;
}

void *az_tracelens_copy_array(struct az_arena *keep, const void *v, size_t n, size_t size)
{
    void *own = az_arena_array(keep, n + 1, size);
    if (own && n)
        memcpy(own, v, n * size);
    return own;
}

static const struct az_shape_field kept_fields[] = { AZ_LIST_OF(struct az_tracelens_stored_texts, v,
                                                                n, az_shape_text) };
const struct az_shape az_tracelens_shape_texts =
    AZ_SHAPE(struct az_tracelens_stored_texts, kept_fields);
