/* An allocator whose n-th request fails, for tests that let each call fail once that leads to a
 * request. */
#ifndef AZ_UNIT_ALLOCATIONS_H
#define AZ_UNIT_ALLOCATIONS_H

#include <stdlib.h> /* defines __GLIBC__ */

/* Builds with a sanitizer have an allocator of their own. */
#if !defined AZ_SANITIZED && defined __GLIBC__
#define AZ_ALLOCATIONS 1
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

enum { CALLERS = 40, MOST_CALLS = 1 << 16, MOST_PLACES = 1 << 12 };
static atomic_long requests, fails_at, blocks; /* fails_at 0: none */
static atomic_bool counting, collecting;
static uintptr_t seen_callers[MOST_CALLS]; /* by address */
static long places[MOST_PLACES];
static size_t n_places;

static bool is_new_caller(void *of)
{
    const uintptr_t x = (uintptr_t)of >> 6; /* requests that are next to each other are alike */
    size_t k = x * 0x9e3779b97f4a7c15u >> 48 & (MOST_CALLS - 1);
    while (seen_callers[k] && seen_callers[k] != x)
        k = (k + 1) & (MOST_CALLS - 1);
    const bool added = seen_callers[k] == 0;
    seen_callers[k] = x;
    return added;
}

/* Requests so that each call on the way to one has failed once, whichever input it was for. */
static void keep_request(long call)
{
    void *at[CALLERS];
    bool added = false;
    atomic_store(&collecting, false); /* backtrace allocates */
    const int n = backtrace(at, CALLERS);
    for (int i = 2; i < n; i++)
        added |= is_new_caller(at[i]);
    if (added && n_places < MOST_PLACES)
        places[n_places++] = call;
    atomic_store(&collecting, true);
}

static bool request_refused(void)
{
    if (!atomic_load(&counting))
        return false;
    const long call = atomic_fetch_add(&requests, 1) + 1;
    if (atomic_load(&collecting))
        keep_request(call);
    if (call != atomic_load(&fails_at))
        return false;
    errno = ENOMEM;
    return true;
}

static void *counted_block(void *p)
{
    if (p)
        atomic_fetch_add(&blocks, 1);
    return p;
}

void *malloc(size_t n) { return request_refused() ? NULL : counted_block(__libc_malloc(n)); }
void *calloc(size_t n, size_t m)
{
    return request_refused() ? NULL : counted_block(__libc_calloc(n, m));
}
void *realloc(void *p, size_t n)
{
    if (n && request_refused())
        return NULL;
    return p ? __libc_realloc(p, n) : counted_block(__libc_realloc(p, n));
}
void free(void *p)
{
    if (p)
        atomic_fetch_sub(&blocks, 1);
    __libc_free(p);
}

/* Before the first request that counts: the first call of backtrace loads a library. */
static inline void allocations_init(void)
{
    void *any[4];
    (void)backtrace(any, 4);
}

#endif
#endif
