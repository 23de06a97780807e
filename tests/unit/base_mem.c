/* Budgets, checked sizes, arenas, vectors. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/human.h"
#include "base/vec.h"

static void budget_counts(void **state)
{
    (void)state;
    struct az_mem m;
    az_mem_init(&m, 100);
    char *a = az_mem_alloc(&m, 60);
    assert_non_null(a);
    assert_null(az_mem_alloc(&m, 41));
    assert_int_equal(az_mem_error(&m), AZ_ELIMIT);
    char *b = az_mem_alloc(&m, 40); /* up to the limit exactly */
    assert_non_null(b);
    assert_int_equal(m.used, 100);
    assert_null(az_mem_realloc(&m, b, 40, 41));
    memset(b, 'x', 40); /* still ours */
    b = az_mem_realloc(&m, b, 40, 10);
    assert_int_equal(m.used, 70);
    assert_int_equal(b[9], 'x');
    az_mem_free(&m, a, 60);
    az_mem_free(&m, b, 10);
    az_mem_free(&m, NULL, 0);
    assert_int_equal(m.used, 0);
    assert_int_equal(m.peak, 100);
}

static void budget_may_be_absent(void **state)
{
    (void)state;
    void *p = az_mem_alloc(NULL, 0);
    assert_non_null(p);
    p = az_mem_realloc(NULL, p, 0, 1000);
    assert_non_null(p);
    az_mem_free(NULL, p, 1000);
    assert_int_equal(az_mem_error(NULL), AZ_ENOMEM);
    struct az_mem m;
    az_mem_init(&m, 0);
    volatile size_t too_much = PTRDIFF_MAX;
#if !defined(__SANITIZE_ADDRESS__) &&                                                              \
    !defined(__SANITIZE_THREAD__) /* these stop at such a request */
    assert_null(az_mem_alloc(&m, too_much));
#endif
    (void)too_much;
    assert_int_equal(m.used, 0); /* the refusal is not charged */
    assert_int_equal(az_mem_error(&m), AZ_ENOMEM);
    m.used = SIZE_MAX - 5;
    assert_null(az_mem_alloc(&m, 100)); /* the sum must not wrap */
}

static void sizes_are_checked(void **state)
{
    (void)state;
    size_t r = 7;
    assert_true(az_size_mul(3, 4, &r));
    assert_int_equal(r, 12);
    assert_false(az_size_mul(SIZE_MAX / 2 + 1, 2, &r));
    assert_int_equal(r, 12);
    assert_true(az_size_add(SIZE_MAX - 1, 1, &r));
    assert_false(az_size_add(SIZE_MAX, 1, &r));
    assert_true(r == SIZE_MAX);
}

static void arena_aligns_and_zeroes(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    az_mem_init(&m, 0);
    az_arena_init(&a, &m);
    for (size_t i = 0; i < 5000; i++) {
        unsigned char *p = az_arena_alloc(&a, i % 97);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < i % 97; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, i % 97);
        (void)az_arena_dup(&a, AZ_SV("x")); /* makes the next start odd */
    }
    az_arena_reset(&a);
    unsigned char *p = az_arena_alloc(&a, 1000); /* used memory comes back zeroed */
    for (size_t k = 0; k < 1000; k++)
        assert_int_equal(p[k], 0);
    assert_true(m.used > 0);
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
    p = az_arena_alloc(&a, 1); /* usable again */
    assert_non_null(p);
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
}

static void arena_blocks(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    az_mem_init(&m, 0);
    az_arena_init(&a, &m);
    char *big = az_arena_alloc(&a, 5 << 20); /* a big first request: a block of its own */
    assert_non_null(big);
    assert_in_range(m.used, 5 << 20, (5 << 20) + 64);
    char *one = az_arena_alloc(&a, 16), *large = az_arena_alloc(&a, 2 << 20),
         *two = az_arena_alloc(&a, 16);
    assert_non_null(large);
    assert_in_range(two - one, 16, AZ_MOVES ? 48 : 16); /* the room left in the head stays in use */
    big[(5 << 20) - 1] = large[(2 << 20) - 1] = 1;
    az_arena_reset(&a);
    assert_true(m.used <= 1 << 20);
    for (size_t i = 0; i < 40; i++)
        assert_non_null(az_arena_alloc(&a, 100 * 1000));
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
}

/* Blocks double from 8 KB to 1 MB; a request above a quarter of the next has a block of its own. */
static void arena_grows(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    if (AZ_MOVES) /* the first block is smaller */
        return;
    az_mem_init(&m, 0);
    az_arena_init(&a, &m);
    size_t used = 0;
    for (size_t block = 8 * 1024; block <= 4096 * 1024; block *= 2) {
        const size_t own = block < 1024 * 1024 ? block : 1024 * 1024;
        assert_non_null(az_arena_alloc(&a, own / 4 + 1)); /* not in the head, nor a new one */
        used += own / 4 + 1 + 16;
        assert_int_equal(m.used, used);
        if (block == 8 * 1024) {
            az_arena_release(&a);
            used = 0;
        }
        assert_non_null(az_arena_alloc(&a, 16));
        used += own;
        assert_int_equal(m.used, used);
        while (m.used == used && a.end - a.at >= 16)
            assert_non_null(az_arena_alloc(&a, 16));
        assert_int_equal(m.used, used);
    }
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
    assert_non_null(az_arena_alloc(&a, 2048)); /* a quarter: part of a block */
    assert_int_equal(m.used, 8 * 1024);
    az_arena_release(&a);
    assert_non_null(az_arena_alloc(&a, 2049)); /* of its own; the next is not twice that */
    assert_non_null(az_arena_alloc(&a, 16));
    assert_int_equal(m.used, 2049 + 16 + 8 * 1024);
    az_arena_release(&a);
}

static void arena_fails_softly(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    az_mem_init(&m, 100 * 1024);
    az_arena_init(&a, &m);
    assert_non_null(az_arena_alloc(&a, 1000));
    assert_null(az_arena_alloc(&a, 100 * 1024));
    assert_true(a.failed);
    assert_int_equal(az_arena_error(&a), AZ_ELIMIT);
    assert_null(az_arena_array(&a, SIZE_MAX, 2));
    assert_non_null(az_arena_alloc(&a, 1000)); /* small ones go on */
    assert_null(az_arena_dup(&a, az_sv_make("", 1 << 20)).p);
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
}

static void arena_texts(void **state)
{
    (void)state;
    struct az_arena a;
    az_arena_init(&a, NULL);
    struct az_sv v = az_arena_dup(&a, AZ_SV("ab\0c"));
    assert_int_equal(v.n, 4);
    assert_memory_equal(v.p, "ab\0c", 5);
    v = az_arena_dup(&a, (struct az_sv){ NULL, 0 });
    assert_non_null(v.p);
    assert_int_equal(v.n, 0);
    assert_string_equal(az_arena_str(&a, AZ_SV("xyz")), "xyz");
    assert_string_equal(az_arena_str(&a, (struct az_sv){ NULL, 0 }), "");
    v = az_arena_printf(&a, "%s-%d", "k", 7);
    assert_string_equal(v.p, "k-7");
    assert_int_equal(v.n, 3);
    v = az_arena_printf(&a, "%s", "");
    assert_int_equal(v.n, 0);
    assert_non_null(v.p);
    for (int width = 1; width < 200000; width = width * 3 + 1) { /* over block ends */
        v = az_arena_printf(&a, "%*d", width, 5);
        assert_int_equal(v.n, width);
        assert_int_equal(v.p[v.n - 1], '5');
    }
    az_arena_release(&a);
    v = az_arena_printf(&a, "%d", 12); /* as the first request */
    assert_string_equal(v.p, "12");
    az_arena_release(&a);
}

static void vectors_grow(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_vec_i64 v;
    az_mem_init(&m, 0);
    az_vec_init(&v, &m);
    for (int64_t i = 0; i < 100000; i++)
        assert_int_equal(az_vec_push(&v, i * i), 0);
    for (int64_t i = 0; i < 100000; i++)
        assert_int_equal(v.v[i], i * i);
    assert_true(v.cap <= 150001);
    assert_int_equal(m.used, v.cap * sizeof(int64_t));
    az_vec_reset(&v);
    assert_int_equal(v.n, 0);
    assert_int_equal(az_vec_reserve(&v, 10), 0);
    az_vec_release(&v);
    assert_true(v.v == NULL && v.n == 0 && v.cap == 0);
    assert_int_equal(m.used, 0);
    assert_null(v.v);
}

static void vectors_keep_what_they_have(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_vec_u32 v;
    az_mem_init(&m, 1000);
    az_vec_init(&v, &m);
    int err = 0;
    uint32_t n = 0;
    while ((err = az_vec_push(&v, n)) == 0)
        n++;
    assert_int_equal(err, AZ_ELIMIT);
    assert_int_equal(v.n, n);
    assert_int_equal(v.v[n - 1], n - 1);
    assert_int_not_equal(az_vec_reserve(&v, SIZE_MAX), 0);
    assert_int_not_equal(az_vec_reserve(&v, SIZE_MAX / 4), 0);
    assert_int_equal(v.n, n);
    az_vec_release(&v);
    assert_int_equal(m.used, 0);
}

static void vectors_remember_a_failure(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_vec_u32 v;
    az_mem_init(&m, 64);
    az_vec_init(&v, &m);
    for (uint32_t i = 0; i < 16; i++)
        az_vec_add(&v, i);
    assert_int_equal(v.n, 16);
    assert_int_equal(az_vec_error(&v), 0);
    az_vec_add(&v, 16);
    assert_int_equal(v.n, 16);
    assert_int_equal(az_vec_error(&v), AZ_ELIMIT);
    m.limit = 0; /* memory again: what is missing stays an error */
    az_vec_add(&v, 17);
    assert_int_equal(v.n, 16);
    assert_int_equal(az_vec_error(&v), AZ_ELIMIT);
    az_vec_release(&v);
    az_vec_init(&v, &m);
    assert_int_equal(az_vec_error(&v), 0);
}

static void texts_remember_a_failure(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_vec_char t;
    az_mem_init(&m, 16);
    az_vec_init(&t, &m);
    az_text_add(&t, AZ_SV("abc"));
    az_text_format(&t, "%d", 4);
    assert_true(az_sv_eq(az_text_view(&t), AZ_SV("abc4")));
    assert_int_equal(az_vec_error(&t), 0);
    az_text_format(&t, "%100d", 1);
    az_text_add(&t, AZ_SV("d")); /* there is room, but a hole before it */
    az_text_format(&t, "%d", 5);
    assert_true(az_sv_eq(az_text_view(&t), AZ_SV("abc4")));
    assert_int_equal(az_vec_error(&t), AZ_ELIMIT);
    az_vec_release(&t);
    az_vec_init(&t, &m);
    az_text_add(&t, AZ_SV("this is longer than the limit"));
    az_text_add(&t, AZ_SV("d"));
    assert_int_equal(t.n, 0);
    assert_int_equal(az_vec_error(&t), AZ_ELIMIT);
    az_vec_release(&t);
}

static void texts_append(void **state)
{
    (void)state;
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    assert_int_equal(az_text_append(&t, (struct az_sv){ NULL, 0 }), 0);
    assert_int_equal(az_text_append(&t, AZ_SV("a\0b")), 0);
    assert_int_equal(az_text_printf(&t, "[%d]", 42), 0);
    assert_true(az_sv_eq(az_text_view(&t), AZ_SV("a\0b[42]")));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(az_text_printf(&t, "%04d", i), 0);
    assert_int_equal(t.n, 7 + 4000);
    assert_memory_equal(t.v + 7 + 4 * 999, "0999", 4);
    assert_int_equal(az_text_printf(&t, "%s", ""), 0);
    az_vec_release(&t);
    struct az_mem m;
    az_mem_init(&m, 16);
    az_vec_init(&t, &m);
    assert_int_equal(az_text_printf(&t, "%100d", 1), AZ_ELIMIT);
    assert_int_equal(t.n, 0);
    az_vec_release(&t);
}

/* Only where readers are to be shown that keep views too long. */
static void buffers_move(void **state)
{
    (void)state;
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    assert_int_equal(az_text_append(&t, AZ_SV("abcdefgh")), 0);
    const uintptr_t at = (uintptr_t)t.v;
    char *p = az_mem_move(t.v, 3, AZ_MOVES ? 5 : t.cap);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p != at, AZ_MOVES);
    assert_memory_equal(p, "abc", 3);
    t.v = p;
    az_vec_reset(&t);
    assert_int_equal((uintptr_t)t.v != (uintptr_t)p, AZ_MOVES);
    assert_int_equal(t.n, 0);
    az_vec_release(&t);
    az_vec_reset(&t);
    assert_null(t.v);
}

#define SAME(fmt, ...)                                                                             \
    do {                                                                                           \
        char want[400];                                                                            \
        snprintf(want, sizeof want, fmt, __VA_ARGS__);                                             \
        assert_string_equal(az_arena_printf(&a, fmt, __VA_ARGS__).p, want);                        \
    } while (0)

/* The formats that are printed without printf, and what must be left to it. */
static void arena_texts_are_those_of_printf(void **state)
{
    struct az_arena a;
    uint64_t x = 88172645463325252;
    (void)state;
    az_arena_init(&a, NULL);
    (void)az_arena_printf(&a, "first");
    SAME("%s|%.*s|%.*s|%c|%d|%d%%", "ab", 2, "xyz", 9, "xyz", 'q', INT_MIN, INT_MAX);
    SAME("%" PRId64 " %" PRIu64 " %zu %u", INT64_MIN, UINT64_MAX, SIZE_MAX, UINT_MAX);
    SAME("%5d|%-3s|%x|%g|%.3g|%lld", 7, "a", 255, 0.1, 12345.6, -3ll);
    SAME("%lld|%llu|%ld|%lu", LLONG_MIN, ULLONG_MAX, LONG_MIN, ULONG_MAX);
    SAME("%.*s|%.0s", -1, "all of it", "none");
    SAME("%.1f %.1f %.1f %.0f %.0f %.2f %.1f", 0.25, 0.35, 0.05, 0.5, 1.5, 2.675, -1.25);
    SAME("%.1f %.1f %.1f", (double)NAN, (double)INFINITY, 1e300);
    SAME("%.1f %.0f %.2f", 999.95, 1e8, 99.995);
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const double d = (double)(x >> 20) / (double)(INT64_C(1) << (x % 45));
        SAME("-%.1f %% of %.*f", d, (int)(x % 3), d);
        SAME("%.1f %.2f", (double)(x % 100000) / 20, (double)(x % 100000) / 200);
    }
    az_arena_release(&a);
}

/* Times are rounded as printf rounds them. */
static void times_round_as_printf(void **state)
{
    uint64_t x = 2463534242;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char got[AZ_HUMAN_MAX], want[AZ_HUMAN_MAX];
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const int64_t ns = (int64_t)(x % 999000) + 1000;
        az_human_time(ns, got);
        snprintf(want, sizeof want, "%.1f us", (double)ns / 1e3);
        if (ns < 999950)
            assert_string_equal(got, want);
        az_human_time(ns * 1000 + (int64_t)(x >> 60), got);
        snprintf(want, sizeof want, "%.1f ms", (double)(ns * 1000 + (int64_t)(x >> 60)) / 1e6);
        if (ns < 999950)
            assert_string_equal(got, want);
    }
}

static long mapped_pages(void)
{
    long pages = -1;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld", &pages) != 1)
        pages = -1;
    if (f)
        fclose(f);
    return pages;
}

/* Asking takes nothing, and what cannot be had is refused. */
static void room_is_asked_for(void **state)
{
    (void)state;
    const size_t size = (size_t)64 << 20;
    assert_true(az_mem_room(size));
    const long before = mapped_pages();
    for (int i = 0; i < 10; i++)
        assert_true(az_mem_room(size));
    if (before >= 0)
        assert_true(mapped_pages() - before < (long)(size / 4096));
    assert_false(az_mem_room(SIZE_MAX / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_counts),
        cmocka_unit_test(budget_may_be_absent),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(arena_aligns_and_zeroes),
        cmocka_unit_test(arena_blocks),
        cmocka_unit_test(arena_grows),
        cmocka_unit_test(arena_fails_softly),
        cmocka_unit_test(room_is_asked_for),
        cmocka_unit_test(arena_texts),
        cmocka_unit_test(arena_texts_are_those_of_printf),
        cmocka_unit_test(times_round_as_printf),
        cmocka_unit_test(vectors_grow),
        cmocka_unit_test(vectors_keep_what_they_have),
        cmocka_unit_test(vectors_remember_a_failure),
        cmocka_unit_test(texts_append),
        cmocka_unit_test(texts_remember_a_failure),
        cmocka_unit_test(buffers_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
