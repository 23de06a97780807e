/* The only caller of malloc: budgeted memory, checked sizes, arenas. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined __GLIBC__ || defined AZ_MOVE_BUFFERS
#include <malloc.h>
#endif

#ifdef AZ_MOVE_BUFFERS
#include <sanitizer/asan_interface.h>
#endif

#include "base/print.h"

/* ---- buffers that move ---- */

#ifdef AZ_MOVE_BUFFERS
enum { OVERWRITTEN = 0xd7 };

static void free_block(void *p)
{
    memset(p, OVERWRITTEN,
           malloc_usable_size(p)); /* a moved buffer may be smaller than what is charged for it */
    free(p);
}

static void *move_block(void *p, size_t keep, size_t size)
{
    void *q = malloc(size ? size : 1);
    if (q == NULL || p == NULL)
        return q;
    const size_t have = malloc_usable_size(p);
    keep = keep < size ? keep : size;
    memcpy(q, p, keep < have ? keep : have);
    free_block(p);
    return q;
}

void *az_mem_move(void *p, size_t keep, size_t size)
{
    return p ? move_block(p, keep, size) : NULL;
}
#else
static void free_block(void *p) { free(p); }

static void *move_block(void *p, size_t keep, size_t size)
{
    (void)keep;
    return realloc(p, size ? size : 1);
}

void *az_mem_move(void *p, size_t keep, size_t size)
{
    (void)keep;
    (void)size;
    return p;
}
#endif

/* ---- budget ---- */

void az_mem_init(struct az_mem *m, size_t limit)
{
    atomic_init(&m->used, 0);
    atomic_init(&m->peak, 0);
    atomic_init(&m->limited, false);
    m->limit = limit;
    m->apart = false;
}

/* The counters are only sums: no other memory is published through them, so relaxed order is
 * enough. */
static bool charge(struct az_mem *m, size_t size)
{
    if (m == NULL || size == 0)
        return true;
    const size_t limit = m->limit ? m->limit : SIZE_MAX;
    size_t used = atomic_load_explicit(&m->used, memory_order_relaxed);
    do {
        if (size > limit || used > limit - size) {
            atomic_store_explicit(&m->limited, true, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&m->used, &used, used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    used += size;
    size_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);
    while (used > peak && !atomic_compare_exchange_weak_explicit(
                              &m->peak, &peak, used, memory_order_relaxed, memory_order_relaxed)) {
    }
    return true;
}

static void discharge(struct az_mem *m, size_t size)
{
    if (m != NULL && size != 0)
        atomic_fetch_sub_explicit(&m->used, size, memory_order_relaxed);
}

void *az_mem_alloc(struct az_mem *m, size_t size)
{
    if (!charge(m, size))
        return NULL;
    void *p = malloc(size ? size : 1);
    if (p == NULL)
        discharge(m, size);
    return p;
}

void *az_mem_realloc(struct az_mem *m, void *p, size_t old_size, size_t new_size)
{
    if (new_size > old_size && !charge(m, new_size - old_size))
        return NULL;
    void *q = move_block(p, old_size, new_size);
    if (q == NULL) {
        if (new_size > old_size)
            discharge(m, new_size - old_size);
        return NULL;
    }
    if (new_size < old_size)
        discharge(m, old_size - new_size);
    return q;
}

void az_mem_free(struct az_mem *m, void *p, size_t size)
{
    if (p == NULL)
        return;
    free_block(p);
    discharge(m, size);
}

/* From that size on blocks are mapped one by one: what is freed returns to the system at once, and
 * growing moves nothing. The library would raise it with each larger block that is freed, up to 32
 * MiB, and retain the holes between columns (docs/performance.md 8). */
enum { APART = 512 * 1024 };

void az_mem_trim(void)
{
#if defined __GLIBC__ && !defined AZ_SANITIZED /* tests call this from threads first */
    (void)mallopt(M_MMAP_THRESHOLD, APART);
    malloc_trim(0);
#endif
}

void az_mem_one_heap(void)
{
#if defined __GLIBC__ && !defined AZ_SANITIZED
    enum { KEPT = 512 * 1024 }; /* at the top, rather than returned and requested again */
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

bool az_mem_room(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return false;
    (void)munmap(p, size);
    return true;
}

int az_mem_error(const struct az_mem *m)
{
    return m != NULL && atomic_load_explicit(&m->limited, memory_order_relaxed) ? AZ_ELIMIT
                                                                                : AZ_ENOMEM;
}

bool az_size_mul(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool az_size_add(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

/* ---- arena ---- */

/* The first block is small: of a thousand inputs each leaves an arena with a few tables. */
enum { ARENA_ALIGN = 16, ARENA_FIRST = AZ_MOVES ? 2048 : 8 * 1024, ARENA_MOST = 1024 * 1024 };

struct az_arena_block {
    struct az_arena_block *next;
    size_t size; /* bytes charged, this header included */
};
/* Space in front of the first object, so that it has malloc's alignment. */
enum { ARENA_HEAD = (sizeof(struct az_arena_block) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN };

/* An address sanitizer sees blocks, not the objects of an arena: what is not allocated is poisoned,
 * and so is a gap after each object, so that an access past its end is an error. */
#ifdef AZ_MOVE_BUFFERS
enum { ARENA_LEAST = 8 }; /* the sanitizer marks units of 8 bytes */
static size_t gap_after(size_t size) { return 16 + (-size & (ARENA_LEAST - 1)); }
static void poison(const void *p, size_t size) { __asan_poison_memory_region(p, size); }
static void unpoison(const void *p, size_t size) { __asan_unpoison_memory_region(p, size); }
#else
enum { ARENA_LEAST = 1 };
static size_t gap_after(size_t size) { return 0 * size; }
static void poison(const void *p, size_t size) { (void)p, (void)size; }
static void unpoison(const void *p, size_t size) { (void)p, (void)size; }
#endif

static void poison_rest(const struct az_arena *a)
{
    if (a->at)
        poison(a->at, (size_t)(a->end - a->at));
}

void az_arena_init(struct az_arena *a, struct az_mem *mem) { *a = (struct az_arena){ .mem = mem }; }

static void free_blocks(struct az_arena *a, struct az_arena_block *b)
{
    while (b != NULL) {
        struct az_arena_block *next = b->next;
        unpoison(b, b->size);
        az_mem_free(a->mem, b, b->size);
        b = next;
    }
}

void az_arena_release(struct az_arena *a)
{
    free_blocks(a, a->head);
    az_arena_init(a, a->mem);
}

void az_arena_reset(struct az_arena *a)
{
    struct az_arena_block *keep = a->head;
    if (AZ_MOVES || keep == NULL || keep->size > ARENA_MOST) {
        az_arena_release(a);
        return;
    }
    free_blocks(a, keep->next);
    keep->next = NULL;
    a->at = (char *)keep + ARENA_HEAD;
    a->end = (char *)keep + keep->size;
    a->failed = false;
    poison_rest(a);
}

static char *new_block(struct az_arena *a, size_t size)
{
    size_t whole;
    struct az_arena_block *b = NULL;
    if (az_size_add(size, ARENA_HEAD, &whole))
        b = az_mem_alloc(a->mem, whole);
    if (b == NULL)
        return NULL;
    b->size = whole;
    /* After the head, so that the room left in the head stays in use. */
    b->next = a->head ? a->head->next : NULL;
    *(a->head ? &a->head->next : &a->head) = b;
    return (char *)b + ARENA_HEAD;
}

/* A request that does not fit the head: a big one gets its own block, others start a new head. */
static char *arena_alloc_slow(struct az_arena *a, size_t size)
{
    size_t block = a->head ? a->head->size * 2 : ARENA_FIRST;
    if (block < ARENA_FIRST)
        block = ARENA_FIRST;
    if (block > ARENA_MOST)
        block = ARENA_MOST;
    if (size > block / 4 || (a->mem && a->mem->apart))
        return new_block(a, size); /* as a first block it is full: at == end == NULL */
    struct az_arena_block *b = az_mem_alloc(a->mem, block);
    if (b == NULL)
        return NULL;
    b->size = block;
    b->next = a->head;
    a->head = b;
    a->at = (char *)b + ARENA_HEAD + size;
    a->end = (char *)b + block;
    poison_rest(a);
    a->at += gap_after(size);
    return (char *)b + ARENA_HEAD;
}

/* Not zeroed. align is a power of two up to ARENA_ALIGN. */
static char *alloc_slow(struct az_arena *a, size_t size, size_t align)
{
    if (align < ARENA_LEAST)
        align = ARENA_LEAST;
    if (a->at != NULL) {
        const size_t skip = (size_t)(-(uintptr_t)a->at & (align - 1));
        const size_t room = (size_t)(a->end - a->at);
        const size_t gap = gap_after(size);
        if (skip + gap <= room && size <= room - skip - gap) {
            char *fit = a->at + skip;
            unpoison(fit, size);
            a->at = fit + size + gap;
            return fit;
        }
    }
    char *p = arena_alloc_slow(a, size);
    if (p == NULL)
        a->failed = true;
    return p;
}

void *az_arena_alloc(struct az_arena *a, size_t size)
{
    char *p = alloc_slow(a, size, ARENA_ALIGN);
    return p ? memset(p, 0, size) : NULL;
}

void *az_arena_room(struct az_arena *a, size_t size) { return alloc_slow(a, size, ARENA_ALIGN); }

void *az_arena_array(struct az_arena *a, size_t n, size_t size)
{
    size_t whole;
    if (!az_size_mul(n, size, &whole)) {
        a->failed = true;
        return NULL;
    }
    return az_arena_alloc(a, whole);
}

struct az_sv az_arena_dup(struct az_arena *a, struct az_sv v)
{
    if (v.n == 0)
        return AZ_SV("");
    char *p = v.n < SIZE_MAX ? alloc_slow(a, v.n + 1, 1) : NULL;
    if (p == NULL)
        return (struct az_sv){ NULL, 0 };
    memcpy(p, v.p, v.n);
    p[v.n] = '\0';
    return az_sv_make(p, v.n);
}

_Static_assert(ARENA_HEAD <= AZ_ARENA_HEAD, "the head fits");

void az_arena_adopt(struct az_arena *a, void *p, size_t size)
{
    struct az_arena_block *b = p;
    b->size = size;
    b->next = a->head ? a->head->next : NULL;
    *(a->head ? &a->head->next : &a->head) = b;
}

char *az_arena_str(struct az_arena *a, struct az_sv v)
{
    char *p = v.n < SIZE_MAX ? alloc_slow(a, v.n + 1, 1) : NULL;
    if (p == NULL)
        return NULL;
    if (v.n)
        memcpy(p, v.p, v.n);
    p[v.n] = '\0';
    return p;
}

struct az_sv az_arena_printf(struct az_arena *a, const char *fmt, ...)
{
    va_list ap;
    const size_t left = a->at ? (size_t)(a->end - a->at) : 0;
    const size_t room = left > gap_after(1) ? left - gap_after(1) : 0;
    unpoison(a->at, room);
    va_start(ap, fmt);
    int n = room ? az_print_plain(a->at, room, fmt, &ap) : -1;
    va_end(ap);
    if (n < 0) {
        va_start(ap, fmt);
        n = vsnprintf(room ? a->at : NULL, room, fmt, ap);
        va_end(ap);
    }
    poison_rest(a);
    if (n < 0) {
        a->failed = true;
        return (struct az_sv){ NULL, 0 };
    }
    const size_t need = (size_t)n + 1;
    char *p = alloc_slow(a, need, 1);
    if (p == NULL)
        return (struct az_sv){ NULL, 0 };
    if (need > room) { /* the first try was truncated */
        va_start(ap, fmt);
        vsnprintf(p, need, fmt, ap);
        va_end(ap);
    }
    return az_sv_make(p, (size_t)n);
}
