/* Sorting against a naive stable sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sort.h"

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717);
}

/* perm is a permutation that sorts key, ties in index order. */
static void check_order(const int64_t *key, const uint32_t *perm, size_t n)
{
    struct az_vec_u8 seen;
    if (n == 0)
        return;
    az_vec_init(&seen, NULL);
    assert_int_equal(az_vec_reserve(&seen, n), 0);
    memset(seen.v, 0, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(perm[i] < n && !seen.v[perm[i]]);
        seen.v[perm[i]] = 1;
        if (i > 0) {
            const int64_t a = key[perm[i - 1]], b = key[perm[i]];
            assert_true(a < b || (a == b && perm[i - 1] < perm[i]));
        }
    }
    az_vec_release(&seen);
}

static void orders_keys(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 2, 3, 100, 2048, 2049, 30000 };
    static const uint64_t ranges[] = {
        1, 2, 2048, 2049, UINT64_C(1) << 22, UINT64_C(1) << 40, UINT64_MAX
    };
    uint64_t s = 5;
    struct az_mem m;
    struct az_vec_i64 key;
    struct az_vec_u32 perm;
    az_mem_init(&m, 0);
    az_vec_init(&key, &m);
    az_vec_init(&perm, &m);
    for (size_t i = 0; i < AZ_LENGTH(sizes); i++) {
        for (size_t r = 0; r < AZ_LENGTH(ranges); r++) {
            az_vec_reset(&key);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(az_vec_push(&key, (int64_t)(next_random(&s) % ranges[r]) - 7), 0);
            assert_int_equal(az_vec_reserve(&perm, sizes[i] + 1), 0);
            const size_t before = m.used;
            az_sort_order(key.v, key.n, perm.v, &m);
            assert_int_equal(m.used, before);
            check_order(key.v, perm.v, key.n);
        }
    }
    az_vec_release(&key);
    az_vec_release(&perm);
}

/* In order but for neighbors, a few keys far away, blocks that come late: up to where insertion
 * gives up. */
static void orders_what_is_nearly_in_order(void **state)
{
    (void)state;
    enum { N = 6000 };
    static int64_t key[N];
    static uint32_t perm[N];
    uint64_t s = 11;
    struct az_mem m;
    az_mem_init(&m, 0);
    for (unsigned far = 0; far < 400; far = far * 2 + 1) {
        for (unsigned block = 1; block <= N;
             block *= 7) { /* of keys that belong before the block ahead of them */
            for (size_t i = 0; i < N; i++)
                key[i] =
                    (int64_t)((i / block % 2 ? i - block : i + block) / 3 + next_random(&s) % 4);
            for (unsigned k = 0; k < far; k++)
                key[next_random(&s) % N] = (int64_t)(next_random(&s) % (N / 2));
            az_sort_order(key, N, perm, &m);
            check_order(key, perm, N);
        }
    }
    assert_int_equal(m.used, 0);
}

/* A few sorted runs, one after the other: of any lengths, with keys that are equal, with one that
 * belongs far ahead. */
static void orders_runs(void **state)
{
    (void)state;
    enum { N = 3000 };
    static int64_t key[N];
    static uint32_t perm[N];
    uint64_t s = 23;
    struct az_mem m;
    az_mem_init(&m, 0);
    for (size_t runs = 2; runs <= 20; runs++) {
        for (unsigned steps = 1; steps < 100; steps *= 7) {
            int64_t at = 0;
            for (size_t i = 0; i < N; i++) {
                if (i % (N / runs) == 0 || (runs % 5 == 0 && i == 10))
                    at = (int64_t)(next_random(&s) % 50) - 9;
                key[i] = at;
                at += (int64_t)(next_random(&s) % steps);
            }
            az_sort_order(key, N, perm, &m);
            check_order(key, perm, N);
        }
    }
    assert_int_equal(m.used, 0);
}

static void orders_extremes(void **state)
{
    (void)state;
    const int64_t key[] = { INT64_MAX, 0, INT64_MIN, -1, INT64_MAX, INT64_MIN, 1 };
    const uint32_t want[] = { 2, 5, 3, 1, 6, 0, 4 };
    uint32_t perm[7];
    az_sort_order(key, 7, perm, NULL);
    assert_memory_equal(perm, want, sizeof want);
    /* a middle digit that all keys share is skipped */
    const int64_t gap[] = { INT64_C(5) << 44 | 3, 2, INT64_C(5) << 44, 1 };
    const uint32_t gap_want[] = { 3, 1, 2, 0 };
    az_sort_order(gap, 4, perm, NULL);
    assert_memory_equal(perm, gap_want, sizeof gap_want);
}

static void orders_by_several_keys(void **state)
{
    (void)state;
    enum { N = 5000 };
    static int64_t major[N], minor[N];
    static uint32_t perm[N];
    uint64_t s = 11;
    for (uint32_t i = 0; i < N; i++) {
        major[i] = (int64_t)(next_random(&s) % 10);
        minor[i] = (int64_t)(next_random(&s) % 100) - 50;
        perm[i] = i;
    }
    az_sort_by(minor, perm, N, NULL);
    az_sort_by(major, perm, N, NULL);
    for (size_t i = 1; i < N; i++) {
        const uint32_t a = perm[i - 1], b = perm[i];
        assert_true(major[a] < major[b] || (major[a] == major[b] && minor[a] < minor[b]) ||
                    (major[a] == major[b] && minor[a] == minor[b] && a < b));
    }
}

/* A budget that has no room for scratch: the order is the same. */
static void orders_without_memory(void **state)
{
    (void)state;
    enum { N = 3000 };
    static int64_t key[N];
    static uint32_t perm[N];
    struct az_mem m;
    uint64_t s = 29;
    az_mem_init(&m, 100);
    for (size_t n = 0; n <= N; n += n < 70 ? 1 : 977) {
        for (size_t runs = 1; runs <= 2; runs++) {
            for (size_t i = 0; i < n; i++)
                key[i] = runs == 1 ? (int64_t)(next_random(&s) % (n / 2 + 1)) - 3
                                   : (int64_t)(i % (n / 2 + 1));
            az_sort_order(key, n, perm, &m);
            check_order(key, perm, n);
        }
    }
    assert_int_equal(m.used, 0);
}

struct item {
    int key, place;
    char pad[5];
};

static int by_key(const void *a, const void *b, void *ctx)
{
    ++*(int *)ctx;
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

/* `mem`: a budget with room for scratch, or without. */
static void sort_items(struct az_mem *mem)
{
    uint64_t s = 17;
    for (size_t n = 0; n < 300; n++) {
        struct item v[300];
        long sum = 0, after = 0;
        int calls = 0;
        for (size_t i = 0; i < n; i++) {
            v[i] = (struct item){ .key = (int)(next_random(&s) % (n / 3 + 1)), .place = (int)i };
            memset(v[i].pad, v[i].key, sizeof v[i].pad);
            sum += v[i].key * 3 + v[i].place;
        }
        az_sort_cmp(v, n, sizeof *v, by_key, &calls, mem);
        for (size_t i = 0; i < n; i++) {
            after += v[i].key * 3 + v[i].place;
            assert_int_equal(v[i].pad[4], (char)v[i].key);
            if (i > 0)
                assert_true(v[i - 1].key < v[i].key ||
                            (v[i - 1].key == v[i].key && v[i - 1].place < v[i].place));
        }
        assert_int_equal(sum, after);
        assert_true(n < 2 || calls > 0);
    }
}

static void merge_sort_is_stable(void **state)
{
    (void)state;
    struct az_mem m;
    sort_items(NULL);
    az_mem_init(&m, 1);
    sort_items(&m);
    assert_int_equal(m.used, 0);
}

/* A list in order: each element is compared with the next, and nothing is moved or requested. */
static void list_in_order_is_only_read(void **state)
{
    struct item v[100] = { 0 };
    struct az_mem m;
    int calls = 0;
    (void)state;
    az_mem_init(&m, 0);
    for (int i = 0; i < 100; i++)
        v[i] = (struct item){ .key = i / 2, .place = i };
    az_sort_cmp(v, 100, sizeof *v, by_key, &calls, &m);
    assert_int_equal(calls, 99);
    assert_int_equal(m.peak, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(v[i].place, i);
}

/* ---- searching ---- */

enum { MOST = 9, VALUES = 5 };

struct record {
    char before;
    int64_t i64;
    uint32_t u32;
    double f64;
    uint64_t u64;
};

static int by_u32(const void *a, const void *b, void *ctx)
{
    const struct record *x = a, *y = b;
    (void)ctx;
    return (x->u32 > y->u32) - (x->u32 < y->u32);
}

/* Every sorted list of up to nine values of 0, 2, .. 8, each with values before the first, between
 * them, equal to some and after the last: counted one by one. */
static void bounds_of_lists(void **state)
{
    (void)state;
    for (unsigned list = 0; list < 1u << (MOST + VALUES); list++) {
        struct record r[MOST] = { 0 };
        int64_t plain[MOST];
        size_t n = 0;
        uint32_t value = 0;
        for (unsigned bit = 0; bit < MOST + VALUES && n < MOST && value < 2 * VALUES; bit++) {
            if (list >> bit & 1) { /* 1: one more of the value, 0: the next value */
                plain[n] = value;
                r[n++] = (struct record){ 'x', value, value, value, value };
            } else {
                value += 2;
            }
        }
        for (uint32_t x = 0; x <= 2 * VALUES; x++) {
            size_t less = 0, more = 0;
            for (size_t i = 0; i < n; i++) {
                less += plain[i] < x;
                more += plain[i] <= x;
            }
            assert_int_equal(AZ_LOWER(plain, n, x), less);
            assert_int_equal(AZ_UPPER(plain, n, x), more);
            assert_int_equal(AZ_LOWER_BY(r, n, i64, x), less);
            assert_int_equal(AZ_UPPER_BY(r, n, i64, x), more);
            assert_int_equal(AZ_LOWER_BY(r, n, u32, x), less);
            assert_int_equal(AZ_UPPER_BY(r, n, u32, x), more);
            assert_int_equal(AZ_LOWER_BY(r, n, u64, x), less);
            assert_int_equal(AZ_UPPER_BY(r, n, u64, x), more);
            assert_int_equal(AZ_LOWER_BY(r, n, f64, x), less);
            assert_int_equal(AZ_UPPER_BY(r, n, f64, x), more);
            const struct record key = { .u32 = x };
            assert_int_equal(az_lower_cmp(r, n, sizeof *r, &key, by_u32, NULL), less);
        }
    }
}

/* Nothing is read of an empty list; the least and greatest numbers are compared as their type is.
 */
static void bounds_of_extremes(void **state)
{
    (void)state;
    const int64_t signs[] = { INT64_MIN, -1, 0, 1, INT64_MAX };
    const uint64_t wide[] = { 0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
    const uint32_t rows[] = { 0, 1, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX };
    const struct record *none = NULL;
    assert_int_equal(AZ_LOWER((const int64_t *)NULL, 0, 5), 0);
    assert_int_equal(AZ_UPPER_BY(none, 0, u64, 5), 0);
    assert_int_equal(az_lower_cmp(NULL, 0, sizeof *none, none, by_u32, NULL), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(AZ_LOWER(signs, 5, signs[i]), i);
        assert_int_equal(AZ_UPPER(signs, 5, signs[i]), i + 1);
        assert_int_equal(AZ_LOWER(wide, 5, wide[i]), i);
        assert_int_equal(AZ_UPPER(wide, 5, wide[i]), i + 1);
        assert_int_equal(AZ_LOWER(rows, 5, rows[i]), i);
        assert_int_equal(AZ_UPPER(rows, 5, rows[i]), i + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_keys),
        cmocka_unit_test(orders_what_is_nearly_in_order),
        cmocka_unit_test(orders_runs),
        cmocka_unit_test(orders_extremes),
        cmocka_unit_test(orders_by_several_keys),
        cmocka_unit_test(orders_without_memory),
        cmocka_unit_test(merge_sort_is_stable),
        cmocka_unit_test(list_in_order_is_only_read),
        cmocka_unit_test(bounds_of_lists),
        cmocka_unit_test(bounds_of_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
