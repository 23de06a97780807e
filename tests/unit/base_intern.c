/* Interning and the map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/intern.h"

static void ids_are_dense_and_stable(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    struct az_intern t;
    az_mem_init(&m, 0);
    az_arena_init(&a, &m);
    az_intern_init(&t, &a, &m);
    char text[40];
    enum { N = 20000 };
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t id;
            int n = snprintf(text, sizeof text, "kernel_%u<%u>", i % 7, i);
            assert_int_equal(az_intern(&t, az_sv_make(text, (size_t)n), &id), 0);
            assert_int_equal(id, i);
        }
    }
    assert_int_equal(t.text.n, N);
    assert_true(az_sv_is(az_intern_text(&t, 12345), "kernel_4<12345>"));
    assert_int_equal(az_intern_text(&t, 12345).p[az_intern_text(&t, 12345).n], '\0');
    assert_int_equal(az_intern_find(&t, AZ_SV("kernel_4<12345>")), 12345);
    assert_int_equal(az_intern_find(&t, AZ_SV("kernel")), AZ_NO_ID);
    assert_int_equal(az_intern_text(&t, AZ_NO_ID).n, 0);
    assert_int_equal(az_intern_text(&t, N).n, 0);
    az_intern_release(&t);
    assert_int_equal(az_intern_find(&t, AZ_SV("kernel")), AZ_NO_ID);
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
}

/* Long texts that differ in one byte, wherever it stands, and come in turns. */
static void texts_alike(void **state)
{
    (void)state;
    struct az_arena a;
    struct az_intern t;
    az_arena_init(&a, NULL);
    az_intern_init(&t, &a, NULL);
    enum { N = 90 };
    char text[N];
    for (int round = 0; round < 3; round++) {
        uint32_t id;
        for (uint32_t n = 7; n <= N; n++) { /* of every length, then with one other byte */
            memset(text, 'x', n);
            assert_int_equal(az_intern(&t, az_sv_make(text, n), &id), 0);
            assert_int_equal(id, n - 7);
        }
        for (uint32_t i = 0; i < N; i++) {
            text[i] = 'y';
            assert_int_equal(az_intern(&t, az_sv_make(text, N), &id), 0);
            assert_int_equal(id, N - 6 + i);
            text[i] = 'x';
        }
    }
    az_intern_release(&t);
    az_arena_release(&a);
}

static void odd_strings(void **state)
{
    (void)state;
    struct az_arena a;
    struct az_intern t;
    az_arena_init(&a, NULL);
    az_intern_init(&t, &a, NULL);
    uint32_t empty, null, zero, zeros, high;
    assert_int_equal(az_intern(&t, AZ_SV(""), &empty), 0);
    assert_int_equal(az_intern(&t, (struct az_sv){ NULL, 0 }, &null), 0);
    assert_int_equal(az_intern(&t, AZ_SV("\0"), &zero), 0);
    assert_int_equal(az_intern(&t, AZ_SV("\0\0"), &zeros), 0);
    assert_int_equal(az_intern(&t, AZ_SV("\xff\xfe"), &high), 0);
    assert_int_equal(empty, 0);
    assert_int_equal(null, 0);
    assert_int_equal(zero, 1);
    assert_int_equal(zeros, 2);
    assert_int_equal(high, 3);
    assert_int_equal(az_hash(NULL, 0), az_hash("x", 0));
    az_intern_release(&t);
    az_arena_release(&a);
}

static void limit_leaves_the_table_whole(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    struct az_intern t;
    az_mem_init(&m, 200 * 1024);
    az_arena_init(&a, &m);
    az_intern_init(&t, &a, &m);
    char text[32];
    uint32_t n = 0, id;
    int err;
    for (;; n++) {
        int len = snprintf(text, sizeof text, "name number %u", n);
        if ((err = az_intern(&t, az_sv_make(text, (size_t)len), &id)) != 0)
            break;
    }
    assert_int_equal(err, AZ_ELIMIT);
    assert_true(n > 1000);
    assert_int_equal(t.text.n, n);
    assert_int_equal(t.hash.n, n);
    for (uint32_t i = 0; i < n; i++) {
        int len = snprintf(text, sizeof text, "name number %u", i);
        assert_int_equal(az_intern_find(&t, az_sv_make(text, (size_t)len)), i);
    }
    az_intern_release(&t);
    az_arena_release(&a);
    assert_int_equal(m.used, 0);
    az_mem_init(&m, 10);
    az_intern_init(&t, &a, &m);
    assert_int_equal(az_intern_find(&t, AZ_SV("x")), AZ_NO_ID);
    assert_int_equal(az_intern(&t, AZ_SV("x"), &id), AZ_ELIMIT);
    az_intern_release(&t);
}

static void map_keeps_pairs(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_map m;
    az_mem_init(&mem, 0);
    az_map_init(&m, &mem, 0);
    uint32_t *value;
    bool added;
    enum { N = 30000 };
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(az_map_put(&m, i << 24, i % 3, (uint32_t)i, &value, &added), 0);
        assert_true(added);
        assert_int_equal(*value, i);
    }
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(az_map_get(&m, i << 24, i % 3), i);
        assert_int_equal(az_map_get(&m, i << 24, i % 3 + 1), AZ_NO_ID);
    }
    assert_int_equal(az_map_put(&m, 0, 0, 77, &value, &added), 0); /* the zero key is a key */
    assert_false(added);
    assert_int_equal(*value, 0);
    *value = 78;
    assert_int_equal(az_map_get(&m, 0, 0), 78);
    assert_int_equal(m.n, N);
    az_map_release(&m);
    assert_int_equal(az_map_get(&m, 0, 0), AZ_NO_ID);
    assert_int_equal(mem.used, 0);
}

static void map_sizes(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_map m;
    az_mem_init(&mem, 0);
    az_map_init(&m, &mem, 1000);
    const size_t before = mem.used;
    uint32_t *value;
    bool added;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(az_map_put(&m, i, ~i, 1, &value, &added), 0);
    assert_int_equal(mem.used, before); /* what was expected fits without growing */
    az_map_release(&m);
    az_mem_init(&mem, 1000);
    az_map_init(&m, &mem, SIZE_MAX / 64); /* more than there is: begins without any */
    assert_int_equal(az_map_get(&m, 0, 0), AZ_NO_ID);
    assert_int_equal(az_map_put(&m, 0, 0, 5, &value, &added), 0);
    assert_int_equal(az_map_get(&m, 0, 0), 5);
    az_map_release(&m);
    az_map_init(&m, &mem, 0);
    int err = 0;
    uint64_t n = 0;
    while ((err = az_map_put(&m, n, 0, (uint32_t)n, &value, &added)) == 0)
        n++;
    assert_int_equal(err, AZ_ELIMIT);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(az_map_get(&m, i, 0), i);
    assert_int_equal(az_map_get(&m, n, 0), AZ_NO_ID);
    az_map_release(&m);
    assert_int_equal(mem.used, 0);
}

static void a_table_remembers_a_failure(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena a;
    struct az_intern t;
    az_mem_init(&m, 20000);
    az_arena_init(&a, &m);
    az_intern_init(&t, &a, &m);
    char text[32];
    uint32_t n = 0, id;
    for (;; n++) {
        const int len = snprintf(text, sizeof text, "name of number %u", n);
        if ((id = az_intern_id(&t, az_sv_make(text, (size_t)len))) == AZ_NO_ID)
            break;
        assert_int_equal(id, n);
    }
    assert_true(n > 0);
    assert_int_equal(t.error, AZ_ELIMIT);
    m.limit = 0;
    assert_int_equal(az_intern_id(&t, AZ_SV("another")), AZ_NO_ID);
    assert_int_equal(t.text.n, n);
    az_intern_release(&t);
    az_arena_release(&a);
}

static void keys_are_numbered(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_map map;
    az_mem_init(&m, 4096);
    az_map_init(&map, &m, 0);
    assert_int_equal(az_map_number(&map, 5, 1, 0), 0);
    assert_int_equal(az_map_number(&map, 5, 2, 1), 1);
    assert_int_equal(az_map_number(&map, 5, 1, 2), 0);
    uint32_t n = 2;
    while (az_map_number(&map, n, 0, n) == n)
        n++;
    assert_int_equal(az_map_number(&map, n, 0, n), AZ_NO_ID);
    assert_int_equal(az_map_number(&map, 5, 2, n), 1);
    az_map_release(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_dense_and_stable),
        cmocka_unit_test(texts_alike),
        cmocka_unit_test(odd_strings),
        cmocka_unit_test(limit_leaves_the_table_whole),
        cmocka_unit_test(map_keeps_pairs),
        cmocka_unit_test(map_sizes),
        cmocka_unit_test(a_table_remembers_a_failure),
        cmocka_unit_test(keys_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
