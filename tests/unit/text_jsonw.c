/* JSON writer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "text/jsonw.h"

static struct az_vec_char text;

static void expect(struct az_jsonw *w, const char *want)
{
    assert_int_equal(az_jsonw_finish(w), 0);
    assert_int_equal(az_text_append(&text, az_sv_make("", 1)), 0);
    assert_string_equal(text.v, want);
    az_vec_release(&text);
}

static void begin(struct az_jsonw *w, int indent)
{
    az_vec_init(&text, NULL);
    az_jsonw_init(w, NULL, &text, indent);
}

static void sample(struct az_jsonw *w)
{
    az_jsonw_object(w);
    az_jsonw_key(w, "a");
    az_jsonw_i64(w, -5);
    az_jsonw_key(w, "b");
    az_jsonw_array(w);
    az_jsonw_bool(w, true);
    az_jsonw_null(w);
    az_jsonw_object(w);
    az_jsonw_end_object(w);
    az_jsonw_array(w);
    az_jsonw_end_array(w);
    az_jsonw_end_array(w);
    az_jsonw_keysv(w, AZ_SV("c\"d"));
    az_jsonw_f64(w, 0.1);
    az_jsonw_end_object(w);
}

static void layout(void **state)
{
    (void)state;
    struct az_jsonw w;
    begin(&w, 0);
    sample(&w);
    expect(&w, "{\"a\":-5,\"b\":[true,null,{},[]],\"c\\\"d\":0.1}");
    begin(&w, 2);
    sample(&w);
    expect(&w, "{\n  \"a\": -5,\n  \"b\": [\n    true,\n    null,\n    {},\n    []\n  ],\n  "
               "\"c\\\"d\": 0.1\n}");
}

static void row(struct az_jsonw *w, int64_t a, int64_t b)
{
    az_jsonw_array(w);
    az_jsonw_i64(w, a);
    az_jsonw_object(w);
    az_jsonw_key(w, "b");
    az_jsonw_i64(w, b);
    az_jsonw_end_object(w);
    az_jsonw_end_array(w);
}

static void compact_rows(void **state)
{
    (void)state;
    struct az_jsonw w;
    begin(&w, 1);
    az_jsonw_object(&w);
    az_jsonw_key(&w, "rows");
    az_jsonw_array(&w);
    for (int i = 0; i < 2; i++) {
        az_jsonw_i64(&w, i);
        az_jsonw_compact(&w, true);
        row(&w, i, i + 1);
        az_jsonw_compact(&w, false);
    }
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "line");
    az_jsonw_array(&w);
    az_jsonw_compact(&w, true); /* first thing inside: this container's own values */
    az_jsonw_i64(&w, 1);
    row(&w, 2, 3);
    az_jsonw_compact(&w, false);
    az_jsonw_i64(&w, 4);
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "open");
    az_jsonw_array(&w);
    az_jsonw_i64(&w, 5);
    az_jsonw_end_array(&w);
    az_jsonw_end_object(&w);
    expect(&w, "{\n \"rows\": [\n  0,\n  [0, {\"b\": 1}],\n  1,\n  [1, {\"b\": 2}]\n ],\n "
               "\"line\": [1, [2, {\"b\": 3}], "
               "4],\n \"open\": [\n  5\n ]\n}");
}

static void numbers(void **state)
{
    (void)state;
    struct az_jsonw w;
    begin(&w, 0);
    az_jsonw_array(&w);
    az_jsonw_f64(&w, NAN);
    az_jsonw_f64(&w, INFINITY);
    az_jsonw_f64(&w, -0.5);
    az_jsonw_f64(&w, 3);
    az_jsonw_f64(&w, 1e300);
    az_jsonw_i64(&w, INT64_MIN);
    az_jsonw_i64(&w, INT64_MAX);
    az_jsonw_end_array(&w);
    assert_int_equal(az_jsonw_finish(&w), 0);
    assert_int_equal(az_text_append(&text, az_sv_make("", 1)), 0);
    char *p = text.v;
    assert_int_equal(strncmp(p, "[null,null,-0.5,3,1e", 20), 0);
    assert_non_null(strstr(p, "-9223372036854775808,9223372036854775807]"));
    az_vec_release(&text);
}

static void strings(void **state)
{
    (void)state;
    static const struct {
        struct az_sv in;
        const char *out;
    } t[] = {
        { { "", 0 }, "\"\"" },
        { { "plain", 5 }, "\"plain\"" },
        { { "q\"b\\s/", 6 }, "\"q\\\"b\\\\s/\"" },
        { { "\b\t\n\f\r\v\0\x1f\x7f", 9 }, "\"\\b\\t\\n\\f\\r\\u000b\\u0000\\u001f\\u007f\"" },
        { { "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9 },
          "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
        { { "a\xff"
            "b\xc3",
            4 },
          "\"a\xef\xbf\xbd"
          "b\xef\xbf\xbd\"" },
        { { "\xef\xbf\xbd", 3 }, "\"\xef\xbf\xbd\"" },
        { { "\xed\xa0\x80", 3 }, NULL }, /* a surrogate: whatever number of U+FFFD, but valid */
    };
    for (size_t i = 0; i < AZ_LENGTH(t); i++) {
        struct az_vec_char out;
        az_vec_init(&out, NULL);
        assert_int_equal(az_json_quote(&out, t[i].in), 0);
        assert_int_equal(az_text_append(&out, az_sv_make("", 1)), 0);
        if (t[i].out)
            assert_string_equal(out.v, t[i].out);
        else
            assert_null(strchr(out.v, '\xed'));
        az_vec_release(&out);
    }
}

/* Every byte at every place: as if each letter was quoted alone. */
static void strings_of_every_byte(void **state)
{
    struct az_vec_char out, want;
    (void)state;
    az_vec_init(&out, NULL);
    az_vec_init(&want, NULL);
    for (size_t n = 1; n < 20; n++)
        for (size_t k = 0; k < n * 256; k++) {
            char letters[20];
            memset(letters, 'x', n);
            letters[k / 256] = (char)(k % 256);
            az_vec_reset(&out);
            az_vec_reset(&want);
            assert_int_equal(az_text_append(&want, AZ_SV("\"")), 0);
            for (size_t i = 0; i < n; i++) {
                az_vec_reset(&out);
                assert_int_equal(az_json_quote(&out, az_sv_make(letters + i, 1)), 0);
                assert_int_equal(az_text_append(&want, az_sv_make(out.v + 1, out.n - 2)), 0);
            }
            assert_int_equal(az_text_append(&want, AZ_SV("\"")), 0);
            az_vec_reset(&out);
            assert_int_equal(az_json_quote(&out, az_sv_make(letters, n)), 0);
            assert_int_equal(out.n, want.n);
            assert_memory_equal(out.v, want.v, want.n);
        }
    az_vec_release(&out);
    az_vec_release(&want);
}

static int misuse(void (*use)(struct az_jsonw *))
{
    struct az_jsonw w;
    begin(&w, 2);
    use(&w);
    int r = az_jsonw_finish(&w);
    az_vec_release(&text);
    return r;
}

static void left_open(struct az_jsonw *w) { az_jsonw_object(w); }
static void no_key(struct az_jsonw *w)
{
    az_jsonw_object(w);
    az_jsonw_null(w);
    az_jsonw_end_object(w);
}
static void no_value(struct az_jsonw *w)
{
    az_jsonw_object(w);
    az_jsonw_key(w, "k");
    az_jsonw_end_object(w);
}
static void key_in_array(struct az_jsonw *w)
{
    az_jsonw_array(w);
    az_jsonw_key(w, "k");
    az_jsonw_null(w);
    az_jsonw_end_array(w);
}
static void wrong_end(struct az_jsonw *w)
{
    az_jsonw_array(w);
    az_jsonw_end_object(w);
}
static void too_many_ends(struct az_jsonw *w) { az_jsonw_end_array(w); }
static void two_values(struct az_jsonw *w)
{
    az_jsonw_null(w);
    az_jsonw_null(w);
}
static void too_deep(struct az_jsonw *w)
{
    for (int i = 0; i < 64; i++)
        az_jsonw_array(w);
    for (int i = 0; i < 64; i++)
        az_jsonw_end_array(w);
}
static void deep_enough(struct az_jsonw *w)
{
    for (int i = 0; i < 63; i++)
        az_jsonw_array(w);
    for (int i = 0; i < 63; i++)
        az_jsonw_end_array(w);
}

static void misuses(void **state)
{
    (void)state;
    assert_int_equal(misuse(left_open), AZ_EINTERNAL);
    assert_int_equal(misuse(no_key), AZ_EINTERNAL);
    assert_int_equal(misuse(no_value), AZ_EINTERNAL);
    assert_int_equal(misuse(key_in_array), AZ_EINTERNAL);
    assert_int_equal(misuse(wrong_end), AZ_EINTERNAL);
    assert_int_equal(misuse(too_many_ends), AZ_EINTERNAL);
    assert_int_equal(misuse(two_values), AZ_EINTERNAL);
    assert_int_equal(misuse(too_deep), AZ_EINTERNAL);
    assert_int_equal(misuse(deep_enough), 0);
}

static void to_file(void **state)
{
    (void)state;
    char name[] = "/tmp/az-jsonw-XXXXXX", buf[64] = { 0 };
    struct az_jsonw w;
    struct az_outfile *f;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(az_outfile_open(&f, name, NULL), 0);
    az_jsonw_init(&w, f, NULL, 0);
    az_jsonw_array(&w);
    az_jsonw_text(&w, AZ_SV("x"));
    az_jsonw_end_array(&w);
    assert_int_equal(az_jsonw_finish(&w), 0);
    assert_int_equal(az_outfile_commit(f), 0);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    assert_int_equal(fread(buf, 1, sizeof buf, in), 6);
    assert_string_equal(buf, "[\"x\"]\n");
    fclose(in);
    close(fd);
    remove(name);
}

/* Strings of up to 600 bytes, as keys and values, with and without a byte that is escaped: short
 * ones are written in one piece. */
static void strings_of_every_length(void **state)
{
    (void)state;
    for (size_t n = 0; n < 600; n++) {
        struct az_vec_char out;
        struct az_jsonw w;
        char in[600], want[3000];
        int at = 0;
        memset(in, 'a' + (char)(n % 26), sizeof in);
        if (n % 3 == 1)
            in[n * 7 % n] = '\n';
        az_vec_init(&out, NULL);
        az_jsonw_init(&w, NULL, &out, n % 2 ? 1 : 0);
        az_jsonw_object(&w);
        az_jsonw_compact(&w, true);
        for (int i = 0; i < 2; i++) {
            char quoted[700];
            size_t q = 0;
            for (size_t k = 0; k < n; k++) {
                if (in[k] == '\n')
                    quoted[q++] = '\\';
                quoted[q++] = in[k] == '\n' ? 'n' : in[k];
            }
            quoted[q] = '\0';
            az_jsonw_keysv(&w, az_sv_make(in, n));
            az_jsonw_text(&w, az_sv_make(in, n));
            at += snprintf(want + at, sizeof want - (size_t)at, "%s\"%s\"%s\"%s\"",
                           !i      ? ""
                           : n % 2 ? ", "
                                   : ",",
                           quoted, n % 2 ? ": " : ":", quoted);
            in[0] = n ? 'b' : in[0];
        }
        az_jsonw_end_object(&w);
        assert_int_equal(az_jsonw_finish(&w), 0);
        assert_int_equal(out.n, at + 2);
        assert_memory_equal(out.v + 1, want, at);
        az_vec_release(&out);
    }
}

/* Each line begins with as many blanks as its depth requires, however many. */
static void deep_lines(void **state)
{
    (void)state;
    static const int indents[] = { 1, 2, 31, 32, 33, 63, 64, 65, 97 };
    for (size_t k = 0; k < AZ_LENGTH(indents); k++) {
        struct az_jsonw w;
        struct az_vec_char want;
        enum { DEPTH = 9 };
        az_vec_init(&want, NULL);
        begin(&w, indents[k]);
        for (int d = 0; d < DEPTH; d++) {
            az_jsonw_array(&w);
            az_jsonw_i64(&w, d);
        }
        for (int d = 0; d < DEPTH; d++)
            assert_int_equal(az_text_printf(&want, "[\n%*s%d,\n%*s", (d + 1) * indents[k], "", d,
                                            (d + 1) * indents[k], ""),
                             0);
        want.n -= (size_t)(DEPTH * indents[k] + 2); /* the last array has no further one */
        for (int d = DEPTH; d-- > 0;) {
            az_jsonw_end_array(&w);
            assert_int_equal(az_text_printf(&want, "\n%*s]", d * indents[k], ""), 0);
        }
        assert_int_equal(az_vec_push(&want, 0), 0);
        expect(&w, want.v);
        az_vec_release(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),
        cmocka_unit_test(compact_rows),
        cmocka_unit_test(numbers),
        cmocka_unit_test(strings),
        cmocka_unit_test(strings_of_every_byte),
        cmocka_unit_test(strings_of_every_length),
        cmocka_unit_test(misuses),
        cmocka_unit_test(to_file),
        cmocka_unit_test(deep_lines),
    };
    return cmocka_run_group_tests_name("text_jsonw", tests, NULL, NULL);
}
