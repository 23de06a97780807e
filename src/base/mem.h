/* Memory with a budget. Every large thing of one input (arena blocks, vectors) is charged to one
 * `az_mem`, so that
 * `--memory-limit` ends that input with AZ_ELIMIT and nothing else. The only file that calls malloc
 * is mem.c. */
#ifndef AZ_BASE_MEM_H
#define AZ_BASE_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sv.h"

struct az_mem {
    _Atomic size_t used;  /* bytes charged now; threads of one input may share the budget */
    _Atomic size_t peak;  /* largest `used` so far */
    size_t limit;         /* 0: none */
    _Atomic bool limited; /* a request failed because of `limit` (distinguishes AZ_ELIMIT from
                             AZ_ENOMEM) */
    bool apart; /* arenas have a block for each request: tests, in which each of them fails */
};

void az_mem_init(struct az_mem *m, size_t limit);
/* NULL on failure; `az_mem_error` returns the reason. `m` may be NULL: no budget. Memory is not
 * zeroed. */
void *az_mem_alloc(struct az_mem *m, size_t size) AZ_MUST_USE;
void *az_mem_realloc(struct az_mem *m, void *p, size_t old_size, size_t new_size) AZ_MUST_USE;
void az_mem_free(struct az_mem *m, void *p, size_t size);
/* A build with AZ_MOVE_BUFFERS shows views that outlive their buffer: readers use small buffers and
 * move them at every call that may end the life of a view, and all freed memory is overwritten.
 * Results are the same. */
#ifdef AZ_MOVE_BUFFERS
#define AZ_MOVES true
#else
#define AZ_MOVES false
#endif
#define AZ_MOVED_MOST                                                                              \
    ((size_t)4096) /* of a vector that is reset: a larger one stays where it is, for time */
/* In such a build: a new block of `size` bytes with the first `keep` bytes of p, which is
 * overwritten and freed; NULL without memory (p stays). It is charged as p was. In any other build:
 * p, untouched. */
void *az_mem_move(void *p, size_t keep, size_t size) AZ_MUST_USE;
/* Could so many bytes be had now? For what comes before a library that does not survive a malloc
 * that fails: other threads may allocate in between, so request more than is needed. */
bool az_mem_room(size_t size);
/* Returns free memory of all threads to the system: the allocator retains what the largest input so
 * far needed. Costs the page faults of what is needed again; after something large that is over.
 * The first call of a program must come before it has threads: with another allocator (a
 * sanitizer's, or a preloaded one) it sets up the system's own, which uses no lock for that. */
void az_mem_trim(void);
/* Declares that from now on one thread at a time allocates much, before the others begin: all use
 * one heap, which grows in larger steps than those that threads have of their own, and whose pages
 * are there already. For programs, as it is for good. */
void az_mem_one_heap(void);
/* AZ_ELIMIT if the budget is exceeded, else AZ_ENOMEM. */
int az_mem_error(const struct az_mem *m);

/* Checked size arithmetic: false on overflow (then *out is untouched). */
bool az_size_mul(size_t a, size_t b, size_t *out) AZ_MUST_USE;
bool az_size_add(size_t a, size_t b, size_t *out) AZ_MUST_USE;

/* ---- arena: many small objects, freed in one call ---- */
struct az_arena_block;
struct az_arena {
    struct az_mem *mem; /* may be NULL */
    struct az_arena_block *head;
    char *at, *end;
    bool failed; /* a request failed once: callers may check at the end instead of at each call */
};

void az_arena_init(struct az_arena *a, struct az_mem *mem);
void az_arena_release(struct az_arena *a);
/* Frees all blocks but one. */
void az_arena_reset(struct az_arena *a);
/* Aligned to 16; zeroed; NULL on failure (and `failed` is set). size 0 gives a valid pointer. */
void *az_arena_alloc(struct az_arena *a, size_t size) AZ_MUST_USE;
/* The same, not zeroed. */
void *az_arena_room(struct az_arena *a, size_t size) AZ_MUST_USE;
/* n objects of `size`, overflow checked. */
void *az_arena_array(struct az_arena *a, size_t n, size_t size) AZ_MUST_USE;
/* Copy with a NUL after it (not counted); {NULL,0} on failure, a valid "" for the empty view. */
struct az_sv az_arena_dup(struct az_arena *a, struct az_sv v);
/* NUL-terminated copy; NULL on failure. */
char *az_arena_str(struct az_arena *a, struct az_sv v) AZ_MUST_USE;
/* Formatted text in the arena; {NULL,0} on failure. */
struct az_sv az_arena_printf(struct az_arena *a, const char *fmt, ...) AZ_PRINTF(2, 3);
static inline int az_arena_error(const struct az_arena *a) { return az_mem_error(a->mem); }

/* ---- large texts become part of an arena without a copy ---- */
/* Bytes at the start of such a block that the arena needs for itself. */
#define AZ_ARENA_HEAD 32

/* The arena owns p from now on, `size` bytes of az_mem_alloc or az_mem_realloc with the arena's
 * budget, and overwrites its first AZ_ARENA_HEAD bytes. */
void az_arena_adopt(struct az_arena *a, void *p, size_t size);

#endif
