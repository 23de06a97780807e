/* Columns of integers packed by their range: values of any width come back, and what a file claims
 * is checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyses/collectives/packed.h"

static int64_t widths(size_t i, unsigned bits)
{
    const uint64_t x = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(bits ? x >> (64 - bits) : 0);
}

static void comes_back(void **unused)
{
    (void)unused;
    int64_t v[300];
    struct az_arena a;
    az_arena_init(&a, NULL);
    for (unsigned bits = 0; bits <= 64; bits++)
        for (int shift = 0; shift < 3; shift++) {
            struct az_packed p;
            for (size_t i = 0; i < 300; i++)
                v[i] = (int64_t)((uint64_t)widths(i, bits) - (uint64_t)shift * 1000);
            assert_int_equal(az_packed_make(&p, v, 300, false, &a), 0);
            assert_true(p.bits <= bits || (bits > 57 && p.bits == 64));
            for (size_t i = 0; i < 300; i++)
                assert_true(az_packed_at(&p, i) == v[i]);
            assert_true(az_packed_is(&p, 300, INT64_MIN, INT64_MAX));
        }
    az_arena_release(&a);
}

static void of_few_values(void **unused)
{
    (void)unused;
    struct az_packed p;
    struct az_arena a;
    const int64_t far[] = { INT64_MIN, INT64_MAX, 0 }, one = -7;
    az_arena_init(&a, NULL);
    assert_int_equal(az_packed_make(&p, far, 3, false, &a), 0);
    assert_int_equal(p.bits, 64);
    assert_true(az_packed_at(&p, 0) == INT64_MIN && az_packed_at(&p, 1) == INT64_MAX);
    assert_int_equal(az_packed_make(&p, &one, 1, false, &a), 0);
    assert_int_equal(p.bits, 0); /* all are the least */
    assert_int_equal(az_packed_at(&p, 0), -7);
    assert_int_equal(az_packed_make(&p, NULL, 0, true, &a), 0);
    assert_true(az_packed_is(&p, 0, 5, 4));
    az_arena_release(&a);
}

static void set_one_by_one(void **unused)
{
    (void)unused;
    struct az_packed p;
    struct az_arena a;
    az_arena_init(&a, NULL);
    assert_int_equal(az_packed_room(&p, 100, 99, &a), 0);
    assert_int_equal(p.bits, 7);
    for (size_t i = 0; i < 100; i += 3)
        az_packed_set(&p, i, 99 - i);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(az_packed_raw(&p, i), i % 3 ? 0 : 99 - i);
    az_arena_release(&a);
}

/* A hostile file: a count that its bytes do not have, values out of range. */
static void checked(void **unused)
{
    (void)unused;
    struct az_packed p, bad;
    struct az_arena a;
    const int64_t v[] = { 10, 12, 17 };
    az_arena_init(&a, NULL);
    assert_int_equal(az_packed_make(&p, v, 3, true, &a), 0);
    assert_int_equal(p.bits, AZ_PACKED_BYTE);
    assert_true(az_packed_is(&p, 3, 10, 17)); /* the mask goes farther than the values */
    assert_false(az_packed_is(&p, 3, 10, 16));
    assert_false(az_packed_is(&p, 3, 11, 17));
    assert_false(az_packed_is(&p, 4, 10, 17));
    assert_false(az_packed_is(&p, 2, 10, 17));
    assert_false(az_packed_is(&p, SIZE_MAX, 10, 17));
    bad = p;
    bad.bits = 60;
    assert_false(az_packed_is(&bad, 3, 10, 17));
    bad = p;
    bad.mask = 15;
    assert_false(az_packed_is(&bad, 3, 10, 17));
    bad = p;
    bad.v = NULL;
    assert_false(az_packed_is(&bad, 3, 10, 17));
    az_arena_release(&a);
}

static void as_bytes(void **unused)
{
    (void)unused;
    struct az_packed p, back = { 0 };
    struct az_arena a;
    struct az_vec_char out;
    struct az_intern texts;
    const int64_t v[] = { 1000, -1, 0, 77 };
    az_arena_init(&a, NULL);
    az_vec_init(&out, NULL);
    az_intern_init(&texts, &a, NULL);
    assert_int_equal(az_packed_make(&p, v, 4, false, &a), 0);
    assert_int_equal(az_shape_write(&az_packed_shape, &p, &texts, &out), 0);
    assert_int_equal(az_shape_read(&az_packed_shape, &back, az_text_view(&out), NULL, 0, &a), 0);
    assert_true(az_packed_is(&back, 4, -1, 1000));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(az_packed_at(&back, i), v[i]);
    for (size_t n = 0; n < out.n; n++) { /* truncated anywhere */
        back = (struct az_packed){ 0 };
        assert_int_not_equal(
            az_shape_read(&az_packed_shape, &back, az_sv_make(out.v, n), NULL, 0, &a), 0);
    }
    az_intern_release(&texts);
    az_vec_release(&out);
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back),
                                        cmocka_unit_test(of_few_values),
                                        cmocka_unit_test(set_one_by_one), cmocka_unit_test(checked),
                                        cmocka_unit_test(as_bytes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
