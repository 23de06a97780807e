/* Columns of integers packed by their range: values of any width come back, and what a file claims
 * is checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyses/collectives/collectives.h"

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
    struct az_arena scratch; /* a check needs no copy of the values */
    az_arena_init(&scratch, NULL);
    assert_int_equal(az_shape_check(&az_packed_shape, &back, az_text_view(&out), NULL, 0, &scratch),
                     0);
    assert_true((const char *)back.v >= out.v && (const char *)back.v < out.v + out.n);
    assert_null(scratch.head);
    assert_true(az_packed_is(&back, 4, -1, 1000));
    for (size_t n = 0; n < out.n; n++)
        assert_int_not_equal(
            az_shape_check(&az_packed_shape, &back, az_sv_make(out.v, n), NULL, 0, &scratch), 0);
    az_arena_release(&scratch);
    az_intern_release(&texts);
    az_vec_release(&out);
    az_arena_release(&a);
}

/* ---- the part of a rank ---- */
struct part_of {
    struct az_arena a;
    struct az_coll_part p;
};

/* Two collectives and a kernel next to them; `late`: when the first one begins, `lead`: the time
 * from its launch. */
static void make_part(struct part_of *x, int64_t late, int64_t length, int64_t lead)
{
    static struct az_coll_what what = { .size = 2, .peer = -1, .source = "kernel" };
    static struct az_coll_lane_of lane = { 7, 0 };
    static struct az_coll_step steps[] = { { 0, 100, 1 }, { 100, 200, 2 } };
    static struct az_coll_busy busy;
    static const int64_t device = 0;
    const struct az_coll_busy_span span[] = { { 20, 0 }, { 0, 10 } };
    const struct az_coll_event e[] = {
        { late, late + length, late - lead, 1, 0, 0 },
        { late, late + length, late - lead, 2, 0, 0 },
    };
    az_arena_init(&x->a, NULL);
    x->p = (struct az_coll_part){ .what = &what,
                                  .n_what = 1,
                                  .lane = &lane,
                                  .n_lanes = 1,
                                  .compute = &busy,
                                  .n_devices = 1,
                                  .device_id = &device,
                                  .steps = steps,
                                  .n_steps = 2,
                                  .busy = 40,
                                  .overlap = 10,
                                  .span = 200 };
    assert_int_equal(az_coll_busy_set(&busy, span, 1, &x->a, NULL), 0);
    assert_int_equal(az_coll_part_set_events(&x->p, e, 2, &x->a, NULL), 0);
}

/* Is it read back from its bytes? */
static bool is_read(struct part_of *x)
{
    struct az_coll_part back = { 0 };
    struct az_vec_char out;
    struct az_intern texts;
    az_vec_init(&out, NULL);
    az_intern_init(&texts, &x->a, NULL);
    assert_int_equal(az_shape_write(&az_coll_part_shape, &x->p, &texts, &out), 0);
    const int rc = az_shape_read(&az_coll_part_shape, &back, az_text_view(&out), texts.text.v,
                                 texts.text.n, &x->a);
    assert_true(rc == 0 || rc == AZ_EFORMAT);
    az_intern_release(&texts);
    az_vec_release(&out);
    return rc == 0;
}

#define MOST AZ_SHAPE_I64_MOST

/* Lengths and steps of a hostile file are added to those of other ranks: a negative one, or what
 * stands for an unknown time, is a damaged part. */
static void sums_that_would_overflow(void **unused)
{
    (void)unused;
    struct part_of x;
    struct az_coll_step bad[] = { { 0, 100, 1 }, { 100, 200, 2 } };
    make_part(&x, 10, 20, 5);
    assert_true(is_read(&x));
    int64_t *const length[] = { &x.p.busy, &x.p.overlap, &x.p.span };
    for (size_t i = 0; i < AZ_LENGTH(length); i++) {
        const int64_t was = *length[i], wrong[] = { -1, INT64_MIN, INT64_MAX };
        for (size_t k = 0; k < AZ_LENGTH(wrong); k++) {
            *length[i] = wrong[k];
            assert_false(is_read(&x));
        }
        *length[i] = was;
    }
    x.p.steps = bad;
    assert_true(is_read(&x));
    int64_t *const moment[] = { &bad[0].start, &bad[1].end, &bad[1].number };
    for (size_t i = 0; i < AZ_LENGTH(moment); i++) {
        const int64_t was = *moment[i], wrong[] = { INT64_MIN, INT64_MAX, -MOST - 1 };
        for (size_t k = 0; k < AZ_LENGTH(wrong); k++) {
            *moment[i] = wrong[k];
            assert_false(is_read(&x));
        }
        *moment[i] = was;
    }
    assert_true(is_read(&x));
    az_arena_release(&x.a);
}

/* Ends and launches are within the range of times, too, though starts, lengths and times from the
 * launch are each. */
static void times_of_events_are_checked(void **unused)
{
    (void)unused;
    static const struct {
        int64_t late, length, lead;
        bool ok;
    } cases[] = { { MOST - 10, 10, 0, true },          { MOST - 10, 11, 0, false },
                  { MOST / 2 - 1, MOST / 2, 0, true }, { MOST / 2 + 1, MOST / 2, 0, false },
                  { MOST / 2, MOST / 4, MOST, true },  { -MOST + 10, 5, 10, true },
                  { -MOST + 10, 5, 11, false },        { 0, 2 * MOST, 0, false },
                  { 0, 5, 2 * MOST, false },           { -MOST, 2 * MOST, 0, true },
                  { 10, 5, -MOST + 10, true },         { 11, 5, -MOST + 10, false } };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct part_of x;
        make_part(&x, cases[i].late, cases[i].length, cases[i].lead);
        assert_int_equal(is_read(&x), cases[i].ok);
        az_arena_release(&x.a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back),
                                        cmocka_unit_test(of_few_values),
                                        cmocka_unit_test(set_one_by_one),
                                        cmocka_unit_test(checked),
                                        cmocka_unit_test(as_bytes),
                                        cmocka_unit_test(sums_that_would_overflow),
                                        cmocka_unit_test(times_of_events_are_checked) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
