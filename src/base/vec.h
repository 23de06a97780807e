/* Growing arrays charged to a budget. A vector is declared per element type:
 *     AZ_VEC(struct az_range, az_ranges);
 *     -> struct az_ranges { struct az_range *v; size_t n, cap; struct az_mem *mem; }
 * and used with the macros below. Growth is by realloc (which remaps large blocks), factor 1.5, so
 * a column costs little more than its elements. */
#ifndef AZ_BASE_VEC_H
#define AZ_BASE_VEC_H

#include "base/mem.h"

#define AZ_VEC(T, name)                                                                            \
    struct name {                                                                                  \
        T *v;                                                                                      \
        size_t n, cap;                                                                             \
        struct az_mem *mem;                                                                        \
        bool failed; /* an az_vec_add found no memory */                                           \
    }

AZ_VEC(int64_t, az_vec_i64);
AZ_VEC(uint64_t, az_vec_u64);
AZ_VEC(uint32_t, az_vec_u32);
AZ_VEC(double, az_vec_f64);
AZ_VEC(uint8_t, az_vec_u8);
AZ_VEC(struct az_sv, az_vec_sv);
AZ_VEC(char, az_vec_char);

/* Makes room for `more` further elements: 0, AZ_ENOMEM or AZ_ELIMIT. */
int az_vec_grow_(void **v, size_t n, size_t *cap, size_t more, size_t elem,
                 struct az_mem *mem) AZ_MUST_USE;
static inline AZ_MUST_USE int az_vec_reserve_(void **v, size_t n, size_t *cap, size_t more,
                                              size_t elem, struct az_mem *mem)
{
    return more <= *cap - n ? 0 : az_vec_grow_(v, n, cap, more, elem, mem);
}
/* Room for one more, unless an earlier request failed. */
static inline bool az_vec_room_(void **v, size_t n, size_t *cap, size_t elem, struct az_mem *mem,
                                bool *failed)
{
    if (!*failed)
        *failed = az_vec_grow_(v, n, cap, 1, elem, mem) != 0;
    return !*failed;
}
/* Frees the memory after the last element. */
void az_vec_trim_(void **v, size_t n, size_t *cap, size_t elem, struct az_mem *mem);
/* Ends views into a vector that is reset, in a build that moves buffers. */
void *az_vec_renew_(void *v, size_t size);
void az_vec_release_(void **v, size_t *n, size_t *cap, size_t elem, struct az_mem *mem);

#define az_vec_init(vec, m) (*(vec) = (__typeof__(*(vec))){ .mem = (m) })
#define az_vec_release(vec)                                                                        \
    az_vec_release_((void **)&(vec)->v, &(vec)->n, &(vec)->cap, sizeof *(vec)->v, (vec)->mem)
#define az_vec_trim(vec)                                                                           \
    az_vec_trim_((void **)&(vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v, (vec)->mem)
#define az_vec_reserve(vec, more)                                                                  \
    az_vec_reserve_((void **)&(vec)->v, (vec)->n, &(vec)->cap, (more), sizeof *(vec)->v, (vec)->mem)
/* Appends x, or nothing without memory: the vector remembers that, and its owner checks
 * az_vec_error once, before it uses the elements. For a chain of additions. */
#define az_vec_add(vec, x)                                                                         \
    ((vec)->n < (vec)->cap || az_vec_room_((void **)&(vec)->v, (vec)->n, &(vec)->cap,              \
                                           sizeof *(vec)->v, (vec)->mem, &(vec)->failed)           \
         ? (void)((vec)->v[(vec)->n++] = (x))                                                      \
         : (void)0)
/* 0, or why an addition since az_vec_init failed. */
#define az_vec_error(vec) ((vec)->failed ? az_mem_error((vec)->mem) : 0)
/* Appends x: 0 or an error code, which must be checked. */
#define az_vec_push(vec, x)                                                                        \
    (((vec)->n < (vec)->cap || az_vec_reserve((vec), 1) == 0) ? ((vec)->v[(vec)->n++] = (x), 0)    \
                                                              : az_mem_error((vec)->mem))
#define az_vec_reset(vec)                                                                          \
    ((vec)->v = AZ_MOVES ? az_vec_renew_((vec)->v, (vec)->cap * sizeof *(vec)->v) : (vec)->v,      \
     (vec)->n = 0)

/* Append bytes, or formatted text, to a character vector (not NUL-terminated). After a failure
 * nothing is added, and az_vec_error is checked once, at the end. */
void az_text_add(struct az_vec_char *t, struct az_sv s);
void az_text_format(struct az_vec_char *t, const char *fmt, ...) AZ_PRINTF(2, 3);
/* The same, checked at once. */
int az_text_append(struct az_vec_char *t, struct az_sv s) AZ_MUST_USE;
int az_text_printf(struct az_vec_char *t, const char *fmt, ...) AZ_PRINTF(2, 3) AZ_MUST_USE;
static inline struct az_sv az_text_view(const struct az_vec_char *t)
{
    return az_sv_make(t->v, t->n);
}

#endif
