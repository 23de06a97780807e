/* Texts of one rank's part: ids while it is made, then copied out of the trace, so that a part
 * needs nothing of it. */
#ifndef AZ_COMPAT_TRACELENS_SHEETS_TEXT_H
#define AZ_COMPAT_TRACELENS_SHEETS_TEXT_H

#include "analyses/ranks/ranks.h"

/* While a part is made. */
struct az_tracelens_texts {
    struct az_intern ids; /* bytes in the job's arena */
};
void az_tracelens_texts_init(struct az_tracelens_texts *t, struct az_job *job);
void az_tracelens_texts_release(struct az_tracelens_texts *t);
/* Without memory AZ_NO_ID, and az_tracelens_texts_intern fails. */
static inline uint32_t az_tracelens_text(struct az_tracelens_texts *t, struct az_sv s)
{
    return az_intern_id(&t->ids, s);
}

/* As it is kept: id -> text. */
struct az_tracelens_stored_texts {
    struct az_sv *v;
    size_t n;
};
extern const struct az_shape az_tracelens_shape_texts;
int az_tracelens_texts_intern(const struct az_tracelens_texts *t, struct az_job *job,
                              struct az_arena *keep,
                              struct az_tracelens_stored_texts *out) AZ_MUST_USE;
/* Text of an id, empty for AZ_NO_ID. */
static inline struct az_sv az_tracelens_get(const struct az_tracelens_stored_texts *k, uint32_t id)
{
    return id < k->n ? k->v[id] : az_sv_make("", 0);
}

/* A vector's elements in the arena; NULL on failure, valid for none. */
void *az_tracelens_copy_array(struct az_arena *keep, const void *v, size_t n,
                              size_t size) AZ_MUST_USE;

#endif
