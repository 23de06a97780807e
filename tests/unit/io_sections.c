/* Structures as bytes, and files of sections: what is written is read back; every cut and every
 * changed byte is noticed, and none is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/struct_layout.h"
#include "io/sections.h"

struct leaf {
    int64_t n;
    struct az_sv text;
    bool flag;
};
struct whole {
    double x[2];
    const char *word;
    struct leaf one, *list, *none;
    size_t n_list, n_none;
    uint32_t place;
};
static const struct az_shape_field leaf_fields[] = { AZ_PLAIN(struct leaf, n),
                                                     AZ_TEXT_OF(struct leaf, text),
                                                     AZ_PLAIN(struct leaf, flag) };
static const struct az_shape leaf_shape = AZ_SHAPE(struct leaf, leaf_fields);
static bool valid(const void *of)
{
    const struct whole *w = of;
    return w->place < w->n_list;
}
static const struct az_shape_field whole_fields[] = {
    AZ_PLAINS(struct whole, x),
    AZ_WORD_OF(struct whole, word),
    AZ_NEST_OF(struct whole, one, leaf_shape),
    AZ_LIST_OF(struct whole, list, n_list, leaf_shape),
    AZ_LIST_OF(struct whole, none, n_none, leaf_shape),
    AZ_PLAIN(struct whole, place),
};
static const struct az_shape shape = AZ_SHAPE_IF(struct whole, whole_fields, valid);

static void written(struct az_vec_char *out, struct az_intern *texts, uint32_t place)
{
    struct leaf list[3] = { { 1, AZ_SV("a"), true },
                            { -2, { NULL, 0 }, false },
                            { 3, AZ_SV("a"), true } };
    const struct whole w = { .x = { 0.1, -0.0 },
                             .word = "kernel",
                             .one = { INT64_MIN, AZ_SV(""), true },
                             .list = list,
                             .n_list = 3,
                             .place = place };
    assert_int_equal(az_shape_write(&shape, &w, texts, out), 0);
}

static void reads_back(void **unused)
{
    (void)unused;
    struct az_arena a;
    struct az_intern texts;
    struct az_vec_char out;
    struct whole w = { .n_list = 0 };
    az_arena_init(&a, NULL);
    az_vec_init(&out, NULL);
    az_intern_init(&texts, &a, NULL);
    written(&out, &texts, 2);
    assert_int_equal(out.n % 8, 0);
    assert_int_equal(az_shape_read(&shape, &w, az_text_view(&out), texts.text.v, texts.text.n, &a),
                     0);
    assert_true(w.x[0] == 0.1 && w.n_list == 3 && !w.none && w.n_none == 0);
    assert_string_equal(w.word, "kernel");
    assert_true(w.one.n == INT64_MIN && w.one.text.p && w.one.text.n == 0);
    assert_true(az_sv_is(w.list[2].text, "a") && !w.list[1].text.p && w.list[1].n == -2);
    for (size_t n = 0; n < out.n; n++) { /* every cut */
        struct whole cut = { .n_list = 0 };
        assert_int_equal(
            az_shape_read(&shape, &cut, az_sv_make(out.v, n), texts.text.v, texts.text.n, &a),
            AZ_EFORMAT);
    }
    for (size_t i = 0; i < out.n; i++) { /* any byte: an answer, within what is there */
        const char was = out.v[i];
        struct whole other = { .n_list = 0 };
        out.v[i] = (char)(was ^ 0x7f);
        const int rc =
            az_shape_read(&shape, &other, az_text_view(&out), texts.text.v, texts.text.n, &a);
        assert_true(rc == 0 || rc == AZ_EFORMAT);
        out.v[i] = was;
    }
    const int64_t far[] = { AZ_SHAPE_I64_MOST, AZ_SHAPE_I64_MOST + 1, -AZ_SHAPE_I64_MOST - 1,
                            INT64_MAX };
    for (size_t i = 0; i < 4; i++) { /* times that cannot be added are damage */
        struct leaf x = { far[i], AZ_SV(""), true }, back = { .n = 0 };
        out.n = 0;
        assert_int_equal(az_shape_write(&leaf_shape, &x, &texts, &out), 0);
        assert_int_equal(
            az_shape_read(&leaf_shape, &back, az_text_view(&out), texts.text.v, texts.text.n, &a),
            i == 1 || i == 2 ? AZ_EFORMAT : 0);
    }
    out.n = 0;
    written(&out, &texts, 3); /* a place that is not there */
    struct whole bad = { .n_list = 0 };
    assert_int_equal(
        az_shape_read(&shape, &bad, az_text_view(&out), texts.text.v, texts.text.n, &a),
        AZ_EFORMAT);
    az_intern_release(&texts);
    az_vec_release(&out);
    az_arena_release(&a);
}

static void damage_is_noticed(void **unused)
{
    (void)unused;
    struct az_sections_out o;
    struct az_sections s;
    assert_int_equal(az_sections_begin(&o, 2, "1.2.3", 42, NULL), 0);
    assert_int_equal(az_sections_add(&o, "first", 7, AZ_SV("some bytes")), 0);
    assert_int_equal(az_sections_add(&o, "second", 8, AZ_SV("")), 0);
    assert_int_equal(az_sections_end(&o), 0);
    const struct az_sv image = az_text_view(&o.image);
    assert_null(az_sections_open(&s, image));
    assert_true(s.n == 2 && s.key == 42 && az_sections_length(image) == image.n);
    assert_string_equal(s.tool, "1.2.3");
    const struct az_section first = az_sections_at(&s, 0);
    assert_true(first.sound && first.layout == 7 && az_sv_is(first.bytes, "some bytes"));
    for (size_t n = 0; n < image.n; n++)
        assert_non_null(az_sections_open(&s, az_sv_make(image.p, n)));
    const size_t head = AZ_SECTIONS_HEAD + 2 * 64;
    for (size_t i = 0; i < head + 10; i++) {
        o.image.v[i] ^= 1;
        const bool whole = az_sections_open(&s, image) == NULL;
        assert_true(whole ? i >= head && !az_sections_at(&s, 0).sound : i < head);
        o.image.v[i] ^= 1;
    }
    az_sections_release(&o);
}

/* The names of the tool and of a section have the room that they have, and no more. */
static void longest_names(void **unused)
{
    static const char *const tool[] = { "", "1.2.3-rc1-12345", "1.2.3-rc1-123456" };
    static const char name[] = "a name of 24 characters!";
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        struct az_sections_out o;
        struct az_sections s;
        char text[AZ_SECTIONS_NAME] = "";
        memset(&s, 0, sizeof s);
        memcpy(text, name, i ? sizeof text - 1 : 0);
        assert_int_equal(az_sections_begin(&o, 2, tool[i], UINT64_MAX, NULL), 0);
        assert_int_equal(az_sections_add(&o, text, 7, AZ_SV("x")), 0);
        assert_int_equal(az_sections_add(&o, name, 7, AZ_SV("x")), AZ_EINTERNAL);
        assert_int_equal(az_sections_add(&o, "second", 8, AZ_SV("y")), 0);
        assert_int_equal(az_sections_end(&o), 0);
        assert_null(az_sections_open(&s, az_text_view(&o.image)));
        assert_int_equal(strnlen(s.tool, sizeof s.tool), i ? AZ_SECTIONS_TOOL - 1 : 0);
        assert_memory_equal(s.tool, tool[i], strlen(s.tool));
        assert_string_equal(az_sections_at(&s, 0).name, text);
        assert_string_equal(az_sections_at(&s, 1).name, "second");
        assert_true(s.key == UINT64_MAX && s.n == 2);
        az_sections_release(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(longest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
