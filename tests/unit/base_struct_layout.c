/* Structures as bytes: the bytes of each kind of member, whole; every length, count and value that
 * does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/struct_layout.h"

static const int first = 1, second = 2;
static const char *name_of(const void *p) { return p == &first ? "first" : "second"; }
static const void *find_name(struct az_sv name)
{
    return az_sv_is(name, "first") ? &first : az_sv_is(name, "second") ? &second : NULL;
}
static const struct az_shape_names names = { name_of, find_name };

struct small {
    uint16_t x;
    bool flag;
};
static bool is_valid_small(const void *p) { return ((const struct small *)p)->x != 99; }
static const struct az_shape_field small_fields[] = { AZ_PLAIN(struct small, x),
                                                      AZ_PLAIN(struct small, flag) };
static const struct az_shape small_shape = AZ_SHAPE_IF(struct small, small_fields, is_valid_small);

struct all {
    uint8_t bytes[3];
    int64_t time;
    struct az_sv text;
    const char *word;
    const void *named;
    struct small pair[2];
    uint8_t n_bytes; /* of list and same */
    uint8_t *list, *same;
    size_t n_small;
    struct small *smalls;
    uint32_t n_more;
    int64_t *more; /* one more than n_more */
};
static const struct az_shape_field all_fields[] = {
    AZ_PLAINS(struct all, bytes),
    AZ_PLAIN(struct all, time),
    AZ_TEXT_OF(struct all, text),
    AZ_WORD_OF(struct all, word),
    AZ_NAMED_OF(struct all, named, names),
    AZ_NESTS_OF(struct all, pair, small_shape),
    AZ_LIST_OF(struct all, list, n_bytes, az_shape_u8),
    AZ_LIST_OF(struct all, same, n_bytes, az_shape_u8),
    AZ_LIST_OF(struct all, smalls, n_small, small_shape),
    AZ_LIST_MORE(struct all, more, n_more, az_shape_i64, 1),
};
static const struct az_shape all_shape = AZ_SHAPE(struct all, all_fields);

struct fixture {
    struct az_arena a;
    struct az_intern texts;
    struct az_vec_char out;
};

static void begin(struct fixture *f)
{
    az_arena_init(&f->a, NULL);
    az_intern_init(&f->texts, &f->a, NULL);
    az_vec_init(&f->out, NULL);
}

static void end(struct fixture *f)
{
    az_vec_release(&f->out);
    az_intern_release(&f->texts);
    az_arena_release(&f->a);
}

static int read_back(struct fixture *f, const struct az_shape *s, void *to)
{
    return az_shape_read(s, to, az_text_view(&f->out), f->texts.text.v, f->texts.text.n, &f->a);
}

static uint8_t list[] = { 7, 8 }, same[] = { 9, 10 };
static struct small smalls[] = { { 3, true }, { 4, false }, { 5, true } };
static int64_t more[] = { -1, 2, INT64_MAX };
static const struct all whole = {
    .bytes = { 1, 2, 3 },
    .time = -2,
    .text = AZ_SV("text"),
    .word = "word",
    .named = &second,
    .pair = { { 0x1234, true }, { 6, false } },
    .n_bytes = 2,
    .list = list,
    .same = same,
    .n_small = 3,
    .smalls = smalls,
    .n_more = 2,
    .more = more,
};
/* clang-format off */
static const unsigned char expected[] = {
    1, 2, 3, 0, 0, 0, 0, 0,
    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0, 0, 0, 0, 1, 0, 0, 0, /* text, word */
    2, 0, 0, 0, 0x34, 0x12, 1, 0, /* named, pair */
    6, 0, 0, 0, 0, 0, 0, 0,
    2, 0, 0, 0, 0, 0, 0, 0, /* list */
    7, 8, 0, 0, 0, 0, 0, 0,
    2, 0, 0, 0, 0, 0, 0, 0, /* same */
    9, 10, 0, 0, 0, 0, 0, 0,
    3, 0, 0, 0, 0, 0, 0, 0, /* smalls */
    3, 0, 1, 0, 4, 0, 0, 0,
    5, 0, 1, 0, 0, 0, 0, 0,
    2, 0, 0, 0, 0, 0, 0, 0, /* more */
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    2, 0, 0, 0, 0, 0, 0, 0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
};
/* clang-format on */

static void every_kind(void **state)
{
    (void)state;
    struct fixture f;
    struct all back = { .n_bytes = 0 };
    begin(&f);
    assert_int_equal(az_shape_write(&all_shape, &whole, &f.texts, &f.out), 0);
    assert_int_equal(f.out.n, sizeof expected);
    assert_memory_equal(f.out.v, expected, sizeof expected);
    assert_int_equal(f.texts.text.n, 3);
    assert_true(az_sv_is(f.texts.text.v[2], "second"));
    assert_int_equal(read_back(&f, &all_shape, &back), 0);
    assert_memory_equal(back.bytes, whole.bytes, 3);
    assert_int_equal(back.time, -2);
    assert_true(az_sv_is(back.text, "text"));
    assert_string_equal(back.word, "word");
    assert_ptr_equal(back.named, &second);
    assert_int_equal(back.pair[0].x, 0x1234);
    assert_true(back.pair[0].flag);
    assert_int_equal(back.pair[1].x, 6);
    assert_int_equal(back.n_bytes, 2);
    assert_memory_equal(back.list, list, 2);
    assert_memory_equal(back.same, same, 2);
    assert_int_equal(back.n_small, 3);
    assert_int_equal(back.smalls[2].x, 5);
    assert_true(back.smalls[2].flag);
    assert_int_equal(back.n_more, 2);
    assert_memory_equal(back.more, more, sizeof more);
    end(&f);
}

/* Every shorter text is rejected, and one that is longer by a byte or by eight. */
static void lengths(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_int_equal(az_shape_write(&all_shape, &whole, &f.texts, &f.out), 0);
    const size_t n = f.out.n;
    for (size_t k = 0; k < n; k++) {
        struct all back = { .n_bytes = 0 };
        f.out.n = k;
        assert_int_equal(read_back(&f, &all_shape, &back), AZ_EFORMAT);
    }
    f.out.n = n;
    for (int i = 0; i < 8; i++) {
        struct all back = { .n_bytes = 0 };
        assert_int_equal(az_vec_push(&f.out, 0), 0);
        assert_int_equal(read_back(&f, &all_shape, &back), AZ_EFORMAT);
    }
    end(&f);
}

/* The last member ends at each place within eight bytes: what follows is zero up to the next eight.
 */
static void ends(void **state)
{
    (void)state;
    struct counted {
        uint32_t n;
        uint8_t *v;
    };
    static const struct az_shape_field fields[] = { AZ_LIST_OF(struct counted, v, n, az_shape_u8) };
    static const struct az_shape shape = AZ_SHAPE(struct counted, fields);
    uint8_t v[20];
    memset(v, 0xab, sizeof v);
    for (uint32_t n = 0; n <= sizeof v; n++) {
        struct fixture f;
        struct counted x = { n, v }, back = { 0, NULL };
        begin(&f);
        assert_int_equal(az_text_append(&f.out, AZ_SV("before..")), 0);
        assert_int_equal(az_shape_write(&shape, &x, &f.texts, &f.out), 0);
        const size_t whole_length = 8 + 8 + (n + 7) / 8 * 8;
        assert_int_equal(f.out.n, whole_length);
        for (size_t k = 16 + n; k < f.out.n; k++)
            assert_int_equal(f.out.v[k], 0);
        assert_int_equal(
            az_shape_read(&shape, &back, az_sv_make(f.out.v + 8, f.out.n - 8), NULL, 0, &f.a), 0);
        assert_int_equal(back.n, n);
        assert_memory_equal(back.v, v, n);
        assert_int_equal(
            az_shape_read(&shape, &back, az_sv_make(f.out.v + 8, f.out.n - 9), NULL, 0, &f.a),
            AZ_EFORMAT);
        end(&f);
    }
}

/* One byte of the whole is another. */
static int read_changed(size_t at, unsigned char value)
{
    struct fixture f;
    struct all back = { .n_bytes = 0 };
    begin(&f);
    assert_int_equal(az_shape_write(&all_shape, &whole, &f.texts, &f.out), 0);
    f.out.v[at] = (char)value;
    const int rc = read_back(&f, &all_shape, &back);
    end(&f);
    return rc;
}

static void values(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        unsigned char value;
        int rc;
    } cases[] = {
        { 15, 0xe0, 0 },          /* -2^61 + a little */
        { 15, 0xdf, AZ_EFORMAT }, /* less */
        { 15, 0x20, AZ_EFORMAT }, /* more than 2^61 */
        { 15, 0x1f, 0 },
        { 16, 2, 0 },          /* another text */
        { 16, 3, AZ_EFORMAT }, /* none of that number */
        { 20, 3, AZ_EFORMAT },
        { 24, 0, AZ_EFORMAT }, /* not a name */
        { 30, 0, 0 },          /* a flag */
        { 30, 2, AZ_EFORMAT },
        { 28, 99, 0 },          /* 0x1263 */
        { 32, 99, AZ_EFORMAT }, /* 99 is not valid */
        { 40, 3, AZ_EFORMAT },  /* lists with one number have one length */
        { 40, 1, AZ_EFORMAT },
        { 56, 1, AZ_EFORMAT },
        { 41, 1, AZ_EFORMAT }, /* 258 does not fit a byte */
        { 76, 1, AZ_EFORMAT }, /* 2^32 elements in a few bytes */
        { 79, 0xff, AZ_EFORMAT },
        { 72, 2, AZ_EFORMAT }, /* and what follows is not read */
        { 72, 4, 0 },          /* in what was filled up */
        { 72, 5, AZ_EFORMAT },
        { 96, 1, AZ_EFORMAT },
        { 96, 3, AZ_EFORMAT },
        { 103, 0x7f, AZ_EFORMAT },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        if (read_changed(cases[i].at, cases[i].value) != cases[i].rc)
            fail_msg("byte %zu as %d", cases[i].at, cases[i].value);
}

static void ends_of_times(void **state)
{
    (void)state;
    static const struct az_shape_field fields[] = { AZ_PLAIN(struct all, time) };
    static const struct az_shape shape = AZ_SHAPE(struct all, fields);
    static const struct {
        int64_t time;
        int rc;
    } cases[] = {
        { 0, 0 },
        { AZ_SHAPE_I64_MOST, 0 },
        { AZ_SHAPE_I64_MOST + 1, AZ_EFORMAT },
        { -AZ_SHAPE_I64_MOST, 0 },
        { -AZ_SHAPE_I64_MOST - 1, AZ_EFORMAT },
        { INT64_MIN, 0 },
        { INT64_MIN + 1, AZ_EFORMAT },
        { INT64_MAX, 0 },
        { INT64_MAX - 1, AZ_EFORMAT },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        struct all x = { .time = cases[i].time }, back = { .time = 5 };
        begin(&f);
        assert_int_equal(az_shape_write(&shape, &x, &f.texts, &f.out), 0);
        assert_int_equal(read_back(&f, &shape, &back), cases[i].rc);
        assert_int_equal(back.time, cases[i].rc ? 0 : cases[i].time);
        end(&f);
    }
}

/* Of several, those before it are read; the one that is not valid is zero. */
static void one_of_several(void **state)
{
    (void)state;
    struct several {
        int64_t v[3];
    };
    static const struct az_shape_field fields[] = { AZ_PLAINS(struct several, v) };
    static const struct az_shape shape = AZ_SHAPE(struct several, fields);
    struct fixture f;
    const struct several x = { { 11, INT64_MIN + 1, 13 } };
    struct several back = { { 5, 6, 7 } };
    begin(&f);
    assert_int_equal(az_shape_write(&shape, &x, &f.texts, &f.out), 0);
    assert_int_equal(read_back(&f, &shape, &back), AZ_EFORMAT);
    assert_int_equal(back.v[0], 11);
    assert_int_equal(back.v[1], 0);
    assert_int_equal(back.v[2], 7);
    end(&f);
}

static void nothing(void **state)
{
    (void)state;
    struct fixture f;
    const struct all none = { .n_small = 5, .n_more = 7 };
    struct all back = { .list = list, .smalls = smalls, .more = more };
    static uint8_t few[1];
    begin(&f);
    assert_int_equal(az_shape_write(&all_shape, &none, &f.texts, &f.out), 0);
    assert_int_equal(f.texts.text.n, 0);
    assert_int_equal(f.out.n, 16 + 8 + 16 + 4 * 8);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal((unsigned char)f.out.v[16 + i], 0xff); /* no text, word, name */
    for (size_t i = 0; i < 32; i++)
        assert_int_equal((unsigned char)f.out.v[40 + i], 0xff);
    assert_int_equal(read_back(&f, &all_shape, &back), 0);
    assert_null(back.text.p);
    assert_null(back.word);
    assert_null(back.named);
    assert_null(back.list);
    assert_null(back.smalls);
    assert_null(back.more);
    /* an empty list is one */
    const struct all empty = { .list = few, .same = few, .smalls = smalls, .more = more };
    f.out.n = 0;
    assert_int_equal(az_shape_write(&all_shape, &empty, &f.texts, &f.out), 0);
    assert_int_equal(read_back(&f, &all_shape, &back), 0);
    assert_non_null(back.list);
    assert_int_equal(back.n_small, 0);
    assert_int_equal(back.n_more, 0);
    assert_int_equal(back.more[0], -1);
    end(&f);
}

/* The layout depends on names, kinds, widths, numbers and what follows, and stays the same between
 * versions. */
static void layouts(void **state)
{
    (void)state;
    static const struct az_shape_field fields[] = { AZ_PLAIN(struct small, x) };
    struct az_shape_field other = fields[0];
    struct az_shape s = { "s", 8, &other, 1, NULL };
    const uint64_t whole_layout = az_shape_layout(&s);
    assert_true(az_shape_layout(&all_shape) == az_shape_layout(&all_shape));
    assert_int_equal(az_shape_layout(&az_shape_u8), UINT64_C(0xe1edd1c61027072b));
    s.name = "t";
    assert_true(az_shape_layout(&s) != whole_layout);
    s.name = "s";
    s.n = 0;
    assert_true(az_shape_layout(&s) != whole_layout);
    s.n = 1;
    other.name = "y";
    assert_true(az_shape_layout(&s) != whole_layout);
    other.name = "a name of more than eight bytes";
    const uint64_t named = az_shape_layout(&s);
    other.name = "a name of more than eight words";
    assert_true(az_shape_layout(&s) != named);
    other = fields[0];
    other.kind = AZ_SHAPE_I64;
    assert_true(az_shape_layout(&s) != whole_layout);
    other = fields[0];
    other.width++;
    assert_true(az_shape_layout(&s) != whole_layout);
    other = fields[0];
    other.count++;
    assert_true(az_shape_layout(&s) != whole_layout);
    other = fields[0];
    other.more++;
    assert_true(az_shape_layout(&s) != whole_layout);
    other = fields[0];
    other.of = &small_shape;
    assert_true(az_shape_layout(&s) != whole_layout);
    struct az_shape_field two[] = { fields[0], fields[0] };
    s.field = two;
    s.n = 2;
    const uint64_t of_two = az_shape_layout(&s);
    two[1].name = "z";
    assert_true(az_shape_layout(&s) != of_two);
    s.field = &other;
    s.n = 1;
    other = fields[0];
    other.at++;
    s.size++;
    assert_true(az_shape_layout(&s) == whole_layout);
}

/* Whatever limit there is: the bytes are whole, or it is an error. */
static void without_memory(void **state)
{
    (void)state;
    struct fixture f;
    struct az_mem m;
    int written = 0, read = 0;
    begin(&f);
    assert_int_equal(az_shape_write(&all_shape, &whole, &f.texts, &f.out), 0);
    for (size_t limit = 1; limit < 20000; limit += limit < 200 ? 1 : 97) {
        struct az_vec_char out;
        struct az_arena small;
        struct all back = { .n_bytes = 0 };
        az_mem_init(&m, limit);
        az_vec_init(&out, &m);
        int rc = az_shape_write(&all_shape, &whole, &f.texts, &out);
        assert_int_equal(rc, out.n == sizeof expected ? 0 : AZ_ELIMIT);
        written += rc == 0;
        az_vec_release(&out);
        az_arena_init(&small, &m);
        rc = az_shape_read(&all_shape, &back, az_text_view(&f.out), f.texts.text.v, f.texts.text.n,
                           &small);
        assert_int_equal(rc, back.more ? 0 : AZ_ELIMIT);
        read += rc == 0;
        az_arena_release(&small);
        assert_int_equal(m.used, 0);
    }
    assert_in_range(written, 1, 300);
    assert_in_range(read, 1, 300);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),     cmocka_unit_test(lengths),
        cmocka_unit_test(ends),           cmocka_unit_test(values),
        cmocka_unit_test(ends_of_times),  cmocka_unit_test(nothing),
        cmocka_unit_test(one_of_several), cmocka_unit_test(layouts),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
