/* Interval sets against a naive oracle on a short time axis. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/interval.h"

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717);
}

static void push(struct az_spans *s, int64_t start, int64_t end)
{
    assert_int_equal(az_vec_push(s, ((struct az_span){ start, end })), 0);
}

static void is(const struct az_spans *s, size_t n, const int64_t *want)
{
    assert_int_equal(s->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s->v[i].start, want[2 * i]);
        assert_int_equal(s->v[i].end, want[2 * i + 1]);
    }
}
#define IS(s, ...)                                                                                 \
    do {                                                                                           \
        const int64_t want_[] = { __VA_ARGS__ };                                                   \
        is((s), AZ_LENGTH(want_) / 2, want_);                                                      \
    } while (0)

static int by_start_end(const void *a, const void *b)
{
    const struct az_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void sorts_like_qsort(void **state)
{
    (void)state;
    uint64_t s = 3;
    static const size_t sizes[] = { 0, 1, 2, 3, 255, 256, 257, 1000, 20000 };
    /* ranges of starts: all equal, few, 11 bits, 22 bits, all of int64 */
    static const uint64_t ranges[] = { 1, 5, 2048, 4000000, UINT64_MAX };
    struct az_spans a, b;
    az_vec_init(&a, NULL);
    az_vec_init(&b, NULL);
    for (size_t i = 0; i < AZ_LENGTH(sizes); i++) {
        for (size_t r = 0; r < AZ_LENGTH(ranges); r++) {
            az_vec_reset(&a);
            az_vec_reset(&b);
            for (size_t k = 0; k < sizes[i]; k++) {
                const int64_t start = (int64_t)(next_random(&s) % ranges[r]) - 1000;
                const int64_t end = start > INT64_MAX - 5000
                                        ? INT64_MAX
                                        : start + (int64_t)(next_random(&s) % 5000);
                push(&a, start, end);
                push(&b, start, end);
            }
            az_spans_sort(&a);
            if (b.n)
                qsort(b.v, b.n, sizeof *b.v, by_start_end);
            for (size_t k = 0; k < b.n; k++)
                assert_memory_equal(&a.v[k], &b.v[k], sizeof *b.v);
            az_spans_sort(&a); /* sorted already */
        }
    }
    az_vec_release(&a);
    az_vec_release(&b);
}

static void sorts_without_memory(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_spans a;
    az_mem_init(&m, 40000);
    az_vec_init(&a, &m);
    assert_int_equal(az_vec_reserve(&a, 2000), 0);
    for (int64_t i = 0; i < 2000; i++)
        push(&a, -i / 2, 1 - i % 2);
    az_spans_sort(&a);
    for (int64_t i = 0; i < 2000; i++) {
        assert_int_equal(a.v[i].start, -((1999 - i) / 2));
        assert_int_equal(a.v[i].end, i % 2);
    }
    az_vec_release(&a);
    assert_int_equal(m.used, 0);
}

static void unites(void **state)
{
    (void)state;
    struct az_spans a;
    az_vec_init(&a, NULL);
    az_spans_union(&a);
    assert_int_equal(a.n, 0);
    push(&a, 0, 5);
    push(&a, 2, 3);
    push(&a, 5, 7); /* touches */
    push(&a, 8, 8); /* empty, alone */
    push(&a, 9, 9);
    push(&a, 9, 12);
    az_spans_union(&a);
    IS(&a, 0, 7, 8, 8, 9, 12);
    assert_int_equal(az_spans_length(&a), 10);
    az_vec_reset(&a);
    push(&a, INT64_MIN, INT64_MAX);
    assert_int_equal(az_spans_length(&a), INT64_MAX); /* saturates */
    az_vec_release(&a);
}

static void subtracts_at_edges(void **state)
{
    (void)state;
    struct az_spans a, b, out;
    az_vec_init(&a, NULL);
    az_vec_init(&b, NULL);
    az_vec_init(&out, NULL);
    push(&a, 0, 10);
    push(&b, 5, 5); /* an empty span takes nothing */
    assert_int_equal(az_spans_subtract(&a, &b, &out), 0);
    IS(&out, 0, 10);
    az_vec_reset(&b);
    push(&b, -5, 0); /* only touches */
    push(&b, 3, 4);
    push(&b, 10, 20);
    assert_int_equal(az_spans_subtract(&a, &b, &out), 0);
    IS(&out, 0, 3, 4, 10);
    az_vec_reset(&a);
    push(&a, 3, 3);   /* empty, at the edge: stays */
    push(&a, 12, 12); /* empty, inside: goes */
    push(&a, 25, 25);
    assert_int_equal(az_spans_subtract(&a, &b, &out), 0);
    IS(&out, 3, 3, 25, 25);
    az_vec_reset(&a);
    push(&a, 0, 4);
    push(&a, 6, 11);
    push(&a, 12, 30);
    az_vec_reset(&b);
    push(&b, 3, 15); /* one span of b over several of a */
    assert_int_equal(az_spans_subtract(&a, &b, &out), 0);
    IS(&out, 0, 3, 15, 30);
    az_vec_reset(&b);
    assert_int_equal(az_spans_subtract(&a, &b, &out), 0);
    IS(&out, 0, 4, 6, 11, 12, 30);
    assert_int_equal(az_spans_subtract(&b, &a, &out), 0);
    assert_int_equal(out.n, 0);
    az_vec_release(&a);
    az_vec_release(&b);
    az_vec_release(&out);
}

static void clips(void **state)
{
    (void)state;
    struct az_spans a, out;
    az_vec_init(&a, NULL);
    az_vec_init(&out, NULL);
    push(&a, 0, 100);
    push(&a, 2, 5); /* need not be merged */
    push(&a, 5, 10);
    push(&a, 10, 10);
    push(&a, 12, 40);
    push(&a, 20, 25);
    push(&a, 21, 21);
    assert_int_equal(az_spans_clip(&a, 5, 20, &out), 0);
    IS(&out, 5, 20, 5, 10, 10, 10, 12, 20);
    assert_int_equal(az_spans_clip(&a, 200, 300, &out), 0);
    assert_int_equal(out.n, 0);
    az_vec_release(&a);
    az_vec_release(&out);
}

enum { AXIS = 200 };

/* Marks the unit cells a list covers. */
static void mark(const struct az_spans *s, char cell[AXIS])
{
    memset(cell, 0, AXIS);
    for (size_t i = 0; i < s->n; i++) {
        for (int64_t t = s->v[i].start; t < s->v[i].end; t++)
            cell[t] = 1;
    }
}

static void check_set(const struct az_spans *s, const char want[AXIS])
{
    char cell[AXIS];
    mark(s, cell);
    assert_memory_equal(cell, want, AXIS);
    for (size_t i = 0; i + 1 < s->n; i++)
        assert_true(s->v[i].end <= s->v[i + 1].start);
}

static void agrees_with_cells(void **state)
{
    (void)state;
    uint64_t s = 99;
    struct az_spans a, b, out;
    az_vec_init(&a, NULL);
    az_vec_init(&b, NULL);
    az_vec_init(&out, NULL);
    for (int round = 0; round < 5000; round++) {
        char ca[AXIS], cb[AXIS], want[AXIS];
        struct az_spans *const list[] = { &a, &b };
        for (size_t k = 0; k < 2; k++) {
            az_vec_reset(list[k]);
            for (uint64_t n = next_random(&s) % 12; n > 0; n--) {
                const int64_t start = (int64_t)(next_random(&s) % (AXIS - 20));
                push(list[k], start, start + (int64_t)(next_random(&s) % 20));
            }
            az_spans_sort(list[k]);
            mark(list[k], k ? cb : ca);
        }
        const int64_t lo = (int64_t)(next_random(&s) % AXIS),
                      hi = lo + (int64_t)(next_random(&s) % (AXIS - (uint64_t)lo));
        assert_int_equal(az_spans_clip(&a, lo, hi, &out), 0);
        az_spans_union(&out);
        for (int64_t t = 0; t < AXIS; t++)
            want[t] = ca[t] && t >= lo && t < hi;
        check_set(&out, want);
        az_spans_union(&a);
        az_spans_union(&b);
        check_set(&a, ca);
        int64_t common = 0, length = 0;
        for (size_t t = 0; t < AXIS; t++) {
            common += ca[t] && cb[t];
            length += ca[t];
        }
        assert_int_equal(az_spans_length(&a), length);
        assert_int_equal(az_spans_overlap(&a, &b), common);
        assert_int_equal(az_spans_overlap(&b, &a), common);
        assert_int_equal(az_spans_subtract(&a, &b, &out), 0);
        for (size_t t = 0; t < AXIS; t++)
            want[t] = ca[t] && !cb[t];
        check_set(&out, want);
        assert_int_equal(az_spans_intersect(&a, &b, &out), 0);
        for (size_t t = 0; t < AXIS; t++)
            want[t] = ca[t] && cb[t];
        check_set(&out, want);
    }
    az_vec_release(&a);
    az_vec_release(&b);
    az_vec_release(&out);
}

/* Unions of many ranges at once against each by itself. */
static void unions_of_ranges(void **state)
{
    (void)state;
    uint64_t s = 11;
    struct az_mem mem;
    struct az_spans one;
    az_mem_init(&mem, 0);
    az_vec_init(&one, &mem);
    for (int round = 0; round < 300; round++) {
        enum { MOST = 5000, RANGES = 60 };
        static struct az_span v[MOST];
        struct az_span_range range[RANGES];
        int64_t got[RANGES];
        const size_t n = next_random(&s) % (round < 280 ? 40 : MOST);
        const uint64_t width = 1 + next_random(&s) % (round % 2 ? 30 : 100000);
        for (size_t i = 0; i < n; i++) {
            const int64_t start = (int64_t)(next_random(&s) % width) - 50;
            v[i] = (struct az_span){ start, start + (int64_t)(next_random(&s) % width) };
        }
        for (size_t i = 0; i < RANGES; i++) {
            const uint32_t a = (uint32_t)(next_random(&s) % (n + 1)),
                           b = (uint32_t)(next_random(&s) % (n + 1));
            range[i] = (struct az_span_range){ a < b ? a : b, a < b ? b : a };
        }
        assert_int_equal(az_spans_unions(v, n, range, RANGES, got, &mem), 0);
        for (size_t i = 0; i < RANGES; i++) {
            az_vec_reset(&one);
            for (uint32_t k = range[i].first; k < range[i].end; k++)
                push(&one, v[k].start, v[k].end);
            az_spans_sort(&one);
            az_spans_union(&one);
            assert_int_equal(got[i], az_spans_length(&one));
        }
    }
    az_vec_release(&one);
    assert_int_equal(mem.used, 0);
}

/* Spans of a budget that has room for eight: the ninth is an error, never fewer spans. */
static void results_without_memory(void **state)
{
    (void)state;
    struct az_spans a, b, out;
    const struct az_spans none = { .n = 0 };
    struct az_mem mem;
    az_vec_init(&a, NULL);
    az_vec_init(&b, NULL);
    for (size_t n = 0; n <= 12; n++) {
        az_vec_reset(&a);
        az_vec_reset(&b);
        for (int64_t i = 0; i < (int64_t)n; i++) {
            push(&a, 10 * i, 10 * i + 6);
            push(&b, 10 * i + 3, 10 * i + 8);
        }
        for (int op = 0; op < 4; op++) {
            az_mem_init(&mem, 8 * sizeof *out.v);
            az_vec_init(&out, &mem);
            const int rc = op == 0   ? az_spans_intersect(&a, &b, &out)
                           : op == 1 ? az_spans_subtract(&a, &b, &out)
                           : op == 2 ? az_spans_subtract(&a, &none, &out)
                                     : az_spans_clip(&a, 0, 1000, &out);
            assert_int_equal(rc, n <= 8 ? 0 : AZ_ELIMIT);
            assert_int_equal(out.n, n <= 8 ? n : 8);
            az_vec_release(&out);
            assert_int_equal(mem.used, 0);
        }
    }
    az_vec_release(&a);
    az_vec_release(&b);
}

/* Ranges of no spans, or of more than there are, have no length. */
static void ranges_of_no_spans(void **state)
{
    (void)state;
    static const struct az_span v[] = { { 0, 10 }, { 20, 25 }, { 22, 30 } };
    static const struct {
        struct az_span_range range;
        int64_t length;
    } cases[] = {
        { { 0, 0 }, 0 },  { { 0, 1 }, 10 }, { { 0, 2 }, 15 }, { { 0, 3 }, 20 },
        { { 1, 3 }, 10 }, { { 2, 3 }, 8 },  { { 2, 1 }, 0 },  { { 2, 0 }, 0 },
        { { 3, 1 }, 0 },  { { 0, 4 }, 0 },  { { 3, 3 }, 0 },  { { 3, 4 }, 0 },
    };
    struct az_span_range range[AZ_LENGTH(cases)];
    int64_t got[AZ_LENGTH(cases)];
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        range[i] = cases[i].range;
        got[i] = -7;
    }
    assert_int_equal(az_spans_unions(v, 3, range, AZ_LENGTH(cases), got, NULL), 0);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_int_equal(got[i], cases[i].length);
    assert_int_equal(az_spans_unions(NULL, 0, range, AZ_LENGTH(cases), got, NULL), 0);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_int_equal(got[i], 0);
    assert_int_equal(az_spans_unions(NULL, UINT32_MAX / 2, range, 1, got, NULL), AZ_ERANGE);
    assert_int_equal(az_spans_unions(v, 3, NULL, UINT32_MAX, got, NULL), AZ_ERANGE);
    assert_int_equal(az_spans_unions(v, 3, NULL, 0, got, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_of_ranges),     cmocka_unit_test(sorts_like_qsort),
        cmocka_unit_test(sorts_without_memory), cmocka_unit_test(unites),
        cmocka_unit_test(subtracts_at_edges),   cmocka_unit_test(clips),
        cmocka_unit_test(agrees_with_cells),    cmocka_unit_test(results_without_memory),
        cmocka_unit_test(ranges_of_no_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
