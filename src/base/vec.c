/* Growing arrays. */
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/print.h"

#define DOUBLED                                                                                    \
    (512 * 1024) /* bytes from which on a block grows without being copied (base/mem.c) */

int az_vec_grow_(void **v, size_t n, size_t *cap, size_t more, size_t elem, struct az_mem *mem)
{
    size_t need, bytes;
    if (!az_size_add(n, more, &need))
        return AZ_ENOMEM;
    if (need <= *cap)
        return 0;
    size_t want;
    if (!az_size_add(*cap, *cap < DOUBLED / elem ? *cap : *cap / 2, &want) || want < need)
        want = need;
    if (want < 8)
        want = 8;
    if (AZ_MOVES && need <= 64)
        want = need; /* pointers to elements do not live either */
    if (!az_size_mul(want, elem, &bytes))
        return AZ_ENOMEM;
    void *p = az_mem_realloc(mem, *v, *cap * elem, bytes);
    if (p == NULL)
        return az_mem_error(mem);
    *v = p;
    *cap = want;
    return 0;
}

void az_vec_trim_(void **v, size_t n, size_t *cap, size_t elem, struct az_mem *mem)
{
    void *p = n > 0 && n < *cap ? az_mem_realloc(mem, *v, *cap * elem, n * elem) : NULL;
    if (p != NULL) {
        *v = p;
        *cap = n;
    }
}

void *az_vec_renew_(void *v, size_t size)
{
    void *p = size <= AZ_MOVED_MOST ? az_mem_move(v, 0, size) : NULL;
    return p ? p : v;
}

void az_vec_release_(void **v, size_t *n, size_t *cap, size_t elem, struct az_mem *mem)
{
    az_mem_free(mem, *v, *cap * elem);
    *v = NULL;
    *n = *cap = 0;
}

void az_text_add(struct az_vec_char *t, struct az_sv s)
{
    if (!t->failed)
        t->failed = az_text_append(t, s) != 0;
}

int az_text_append(struct az_vec_char *t, struct az_sv s)
{
    int err = az_vec_reserve(t, s.n);
    if (err == 0 && s.n > 0) {
        memcpy(t->v + t->n, s.p, s.n);
        t->n += s.n;
    }
    return err;
}

static int append_format(struct az_vec_char *t, const char *fmt, va_list *args)
{
    va_list ap;
    const size_t room = t->cap - t->n;
    va_copy(ap, *args);
    int n = room ? az_print_plain(t->v + t->n, room, fmt, &ap) : -1;
    va_end(ap);
    if (n < 0) {
        va_copy(ap, *args);
        n = vsnprintf(room ? t->v + t->n : NULL, room, fmt, ap);
        va_end(ap);
    }
    if (n < 0)
        return AZ_EINTERNAL;
    if ((size_t)n >= room) { /* make room for the whole text and the NUL of vsnprintf */
        int err = az_vec_reserve(t, (size_t)n + 1);
        if (err)
            return err;
        va_copy(ap, *args);
        vsnprintf(t->v + t->n, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    t->n += (size_t)n;
    return 0;
}

int az_text_printf(struct az_vec_char *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int err = append_format(t, fmt, &ap);
    va_end(ap);
    return err;
}

void az_text_format(struct az_vec_char *t, const char *fmt, ...)
{
    va_list ap;
    if (t->failed)
        return;
    va_start(ap, fmt);
    t->failed = append_format(t, fmt, &ap) != 0;
    va_end(ap);
}
