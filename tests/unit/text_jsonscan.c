/* JSON scanner: primitives against their portable companions, documents, tolerances, truncation,
 * resynchronising. */
#include "text_json.h"

/* ---- primitives ---- */
static void fill_random(char *p, size_t n, const char *from, size_t kinds, uint64_t *s)
{
    for (size_t i = 0; i < n; i++)
        p[i] = test_random(s) % 4 ? 'x' : from[test_random(s) % kinds];
    memset(p + n, 0, 64);
}

static void primitives_agree(void **state)
{
    (void)state;
    static const char bytes[] = "\"\\{}[],: \n\t\r0129.-ez\0\x7f\x80\xff\xfb\xdb\xfd\xdd\x02\x1f!";
    char a[256 + 64];
    alignas(16) char b[64];
    uint64_t s = 42;
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + test_random(&s) % 200;
        fill_random(a, n, bytes, sizeof bytes - 1, &s);
        assert_ptr_equal(az_find_string_end(a), az_find_string_end_portable(a));
        assert_ptr_equal(az_find_token_end(a), az_find_token_end_portable(a));
        assert_ptr_equal(az_find_bracket(a), az_find_bracket_portable(a));
        struct az_block x = az_block_masks(a), y = az_block_portable(a);
        assert_true(x.quote == y.quote && x.backslash == y.backslash && x.bracket == y.bracket);
        size_t len = test_random(&s) % 33;
        uint32_t mask = len == 32 ? UINT32_MAX : ((uint32_t)1 << len) - 1;
        memcpy(b, a, 64);
        if (test_random(&s) % 2)
            b[test_random(&s) % 32] ^= 1;
        assert_int_equal(az_equal32(a, b, mask), memcmp(a, b, len) == 0);
        assert_int_equal(az_equal32_portable(a, b, mask), memcmp(a, b, len) == 0);
    }
}

static void every_byte_in_every_place(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        for (size_t at = 0; at < 70; at++) {
            char a[80 + 64];
            memset(a, 'x', 80);
            memset(a + 80, 0, 64);
            a[at] = (char)c;
            assert_ptr_equal(az_find_string_end(a), az_find_string_end_portable(a));
            assert_ptr_equal(az_find_token_end(a), az_find_token_end_portable(a));
            assert_ptr_equal(az_find_bracket(a), az_find_bracket_portable(a));
            struct az_block x = az_block_masks(a), y = az_block_portable(a);
            assert_true(x.quote == y.quote && x.backslash == y.backslash && x.bracket == y.bracket);
        }
    }
}

static void digits_agree(void **state)
{
    (void)state;
    char a[40 + 64];
    uint64_t s = 7, x, y;
    for (int round = 0; round < 50000; round++) {
        memset(a, 0, sizeof a);
        size_t n = test_random(&s) % 20;
        for (size_t i = 0; i < n; i++)
            a[i] = (char)('0' + test_random(&s) % 10);
        for (size_t i = n; i < 40; i++)
            a[i] = (char)test_random(&s);
        if (round % 5 == 0)
            a[n] = "/:.\xb5\xff"[test_random(&s) % 5];
        assert_int_equal(az_digits(a, &x), az_digits_portable(a, &y));
        assert_true(x == y);
    }
}

static void prefix_xor(void **state)
{
    (void)state;
    uint64_t s = 3;
    for (int round = 0; round < 1000; round++) {
        uint64_t q = test_random(&s) & test_random(&s), want = 0, parity = 0;
        for (int i = 0; i < 64; i++) {
            parity ^= q >> i & 1;
            want |= parity << i;
        }
        assert_true(az_prefix_xor(q) == want);
    }
}

/* ---- documents ---- */
#define BAD_START "rc -103 at 0: 0 records, 0 malformed, 0 skipped, first -1, end -\n"

static void plain_documents(void **state)
{
    (void)state;
    SAYS("{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1.5},{\"ph\":\"M\",\"pid\":-3}]}",
         "p|X|t|1500|\np|M|s|-3|\n2 records\n");
    SAYS(" [ {\"ph\" : \"X\"} , {\"ph\":\"Y\"} ] ", "p|X|\np|Y|\n2 records\n");
    SAYS("\xef\xbb\xbf[{\"ph\":\"X\"}]", "p|X|\n1 records\n");
    SAYS("\xef\xbb\xbf", "rc -7 at 3: 0 records, 0 malformed, 0 skipped, first -1, end -\n");
    SAYS("\xef\xbb[]", BAD_START);
    SAYS("\xef", BAD_START);
    SAYS("{\"traceEvents\":[]}", "0 records\n");
    SAYS("{}", "0 records\n");
    SAYS("[{},{ },{\n\t\"ph\":\r\"X\"\n}]", "\n\np|X|\n3 records\n");
}

static void metadata_around_the_array(void **state)
{
    (void)state;
    SAYS("{\"a\":\"traceEvents\",\"b\":{\"traceEvents\":[{\"ph\":\"N\"}]},\"c\":[[],{},\"]}\\\"\"],"
         "\"d\":-1e5,"
         "\n\"traceEvents\"  :\n[{\"ph\":\"X\"}],"
         "\"after\":{\"x\":[1,2,{\"y\":null}]},\"z\":true}",
         "p|X|\n1 records\n");
    /* more blanks between key and colon than a small window holds */
    SAYS("{\"k\"                                                                                   "
         "    : 1, "
         "\"traceEvents\""
         "                                                                                         "
         "           \n :[]}",
         "0 records\n");
    SAYS("{\"a\" 1}", "rc -103 at 5: 0 records, 0 malformed, 0 skipped, first -1, end -\n");
    SAYS("{\"a\":1 \"b\":2}", "rc -103 at 7: 0 records, 0 malformed, 0 skipped, first -1, end -\n");
    SAYS("{\"a\":}", "rc -103 at 5: 0 records, 0 malformed, 0 skipped, first -1, end -\n");
    SAYS("{\"traceEvents\":[{\"ph\":\"X\"}],\"cut\":[1,2",
         "p|X|\nrc -102 at 38: 1 records, 0 malformed, 0 skipped, first -1, end 26\n");
}

static void keys(void **state)
{
    (void)state;
    /* escaped, unknown, empty and very long keys; the same key again; keys that only begin like a
     * known one */
    SAYS("[{\"\\u0070h\":\"X\",\"p\\u0068\":\"Y\",\"na\\/"
         "me\":1,\"\":2,\"phh\":3,\"p\":4,\"nam\":5}]",
         "p|X|p|Y|?|1|?|2|?|3|?|4|?|5|\n1 records\n");
    SAYS("[{"
         "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaa\":{\"ph\":"
         "\"in\"},\"ph\":\"X\"}]",
         "?|{\"ph\":\"in\"}|p|X|\n1 records\n");
    /* nested keys of the same names, and an inner object with keys of its own */
    SAYS("[{\"args\":{\"ph\":\"a\",\"inner\":{\"ph\":[{\"ph\":1}]},\"ts\":2},\"ph\":\"X\",\"name\":"
         "\"\\\"ph\\\":"
         "\\\"no\\\"\"}]",
         "a|p|a|i|{\"ph\":[{\"ph\":1}]}|t|2000|p|X|n|\"ph\":\"no\"|\n1 records\n");
}

/* The cache predicts what follows a key; other white space, other orders and the end must still be
 * read right. */
static void transitions(void **state)
{
    (void)state;
    SAYS("[{\"ph\":\"a\", \"ts\":1},{\"ph\":\"b\", \"ts\":  "
         "2},{\"ph\":\"c\",\"ts\":3},{\"ts\":4,\"ph\":\"d\"},{\"ph\":\"e\"},{\"ph\":\"f\", \"ts\" "
         ":5 },"
         "{\"ph\":\"g\", \"tsx\":6},{\"ph\":\"h\", \"dur\":7},{ \"ph\":\"i\", "
         "\"pid\":8},{\"ph\":\"j\",\n\n\"ts\":9}]",
         "p|a|t|1000|\np|b|t|2000|\np|c|t|3000|\nt|4000|p|d|\np|e|\np|f|t|5000|\np|g|?|6|\np|h|d|"
         "7000|\np|i|s|8|\np|j|"
         "t|9000|\n"
         "10 records\n");
}

/* ---- values ---- */
static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ts;
    } cases[] = {
        { "0", "0" },
        { "1", "1000" },
        { "-1", "-1000" },
        { "1419247333430.849", "1419247333430849" },
        { "1419247333430.8495", "1419247333430850" },
        { "0.0005", "0" },
        { "0.0015", "2" },
        { "0.0025", "2" },
        { "0.00250001", "3" },
        { "1e3", "1000000" },
        { "1.5E+2", "150000" },
        { "2500e-3", "2500" },
        { "-0.0", "0" },
        { "9223372036854775.807", "9223372036854775807" },
        { "9223372036854775.808", "missing" },
        { "123456789012345.678", "123456789012345678" },
        { "999999999999999.999", "999999999999999999" },
        { "1234567890123456", "1234567890123456000" },
        { "12345678901234567", "missing" },
        { "18446744073709551616", "missing" },
        { "99999999999999999999999999999999", "missing" },
        { "1e400", "missing" },
        { "1e-400", "0" },
        { "null", "missing" },
        { "NaN", "missing" },
        { "nan", "missing" },
        { "Infinity", "missing" },
        { "-Infinity", "missing" },
        { "inf", "missing" },
        { "-inf", "missing" },
        { "true", "missing" },
        { "\"12.5\"", "12500" },
        { "\"x\"", "missing" },
        { "\"\"", "missing" },
        { "[1]", "missing" },
        { "{\"a\":1}", "missing" },
        { "00012", "12000" },
        { "0000000000000000000000001", "1000" },
        { "1.00000000000000000000000000000", "1000" },
        { "1.", "1000" },
        { "12345678.5", "12345678500" },
        { "1234567.25", "1234567250" },
    };
    static const char *const behind[] = { "", " ", "\n", "\r\n", "\t" };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        for (size_t k = 0; k < AZ_LENGTH(behind); k++) {
            struct dump d = { 0 };
            char doc[120], want[120];
            int n = snprintf(doc, sizeof doc, "[{\"ts\":%s%s},{\"ts\":%s%s,\"ph\":\"X\"}]",
                             cases[i].text, behind[k], cases[i].text, behind[k]);
            int m = snprintf(want, sizeof want, "t|%s|\nt|%s|p|X|\n2 records", cases[i].ts,
                             cases[i].ts);
            dump_all_ways(&d, az_sv_make(doc, (size_t)n));
            if (d.text.n < (size_t)m || memcmp(d.text.v, want, (size_t)m) != 0) {
                print_error("%s: %.*s", doc, AZ_SVF(az_text_view(&d.text)));
                fail();
            }
            dump_release(&d);
        }
    }
}

static void numbers_of_every_length(void **state)
{
    (void)state;
    uint64_t s = 99;
    for (int round = 0; round < 20000; round++) {
        char text[64 + 64] = { 0 };
        size_t n = 0, whole = 1 + test_random(&s) % 20, part = test_random(&s) % 8;
        if (test_random(&s) % 8 == 0)
            text[n++] = '-';
        for (size_t i = 0; i < whole; i++)
            text[n++] = (char)('0' + test_random(&s) % 10);
        if (part)
            text[n++] = '.';
        for (size_t i = 0; i < part; i++)
            text[n++] = (char)('0' + test_random(&s) % 10);
        int scale = (int)(test_random(&s) % 8);
        int64_t want = 0, got = 0;
        bool missing, wrong = az_parse_decimal(az_sv_make(text, n), scale, &want) != 0;
        text[n] = ",}] \n\r\t"[test_random(&s) % 7];
        struct az_jscan scan = { .p = text, .end = text + n + 1, .window = text };
        assert_int_equal(az_json_decimal(&scan, scale, &got, &missing), AZ_JSON_OK);
        assert_int_equal(missing, wrong);
        assert_true(wrong || got == want);
        assert_ptr_equal(scan.p, text + n);
    }
}

static void malformed_values(void **state)
{
    (void)state;
    static const char *const bad[] = { "nul", "tru", "yes", "-", "-x", "+1",   ".5", "Nan",
                                       "INF", "'a'", "",    ":", ";",  "\x01", "@" };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct dump d = { 0 };
        char doc[160];
        int n = snprintf(doc, sizeof doc,
                         "[{\"ph\":\"A\"},{\"ph\":\"B\",\"zz\":%s},{\"ph\":\"C\"}]", bad[i]);
        dump_all_ways(&d, az_sv_make(doc, (size_t)n));
        assert_int_equal(d.rc, 0);
        assert_int_equal(d.array.records, 2);
        assert_int_equal(d.array.malformed, 1);
        assert_int_equal(d.array.first_bad, 27 - 0);
        assert_memory_equal(d.text.v, "p|A|\np|C|\n", 10);
        dump_release(&d);
    }
}

static void strings(void **state)
{
    (void)state;
    SAYS("[{\"name\":\"\"},{\"name\":\"\\\"\"},{\"name\":\"\\\\\"},{\"name\":\"a\\\\\\\"b\"},{"
         "\"name\":"
         "\"\\b\\f\\n\\r\\t\\/\"}]",
         "n||\nn|\"|\nn|\\|\nn|a\\\"b|\nn|\b\f\n\r\t/|\n5 records\n");
    /* raw control bytes and bytes that are no UTF-8: as they are */
    SAYS("[{\"name\":\"a\x01\x1f\tb\nc\"},{\"name\":\"\xff\xfe\xc3\"}]",
         "n|a\x01\x1f\tb\nc|\nn|\xff\xfe\xc3|\n2 records\n");
}

static void zero_bytes(void **state)
{
    (void)state;
    struct dump d = { 0 };
    static const char doc[] =
        "[{\"name\":\"z\0z\\\"\0\",\"args\":{\"inner\":[\"\0\",{\"\0\":\"\\\0\"}]}},{\"na\0me\":"
        "1},{\"name\":\0},{\"name\":2}]";
    dump_all_ways(&d, az_sv_make(doc, sizeof doc - 1));
    static const char want[] =
        "n|z\0z\"\0|a|i|[\"\0\",{\"\0\":\"\\\0\"}]|\n?|1|\nn|2|\nrc 0 at 0: 3 records, 1 malformed";
    assert_true(d.text.n > sizeof want - 1);
    assert_memory_equal(d.text.v, want, sizeof want - 1);
    dump_release(&d);
    /* between records and after the document */
    static const char between[] = "[{\"ph\":1},\0{\"ph\":2}]\0";
    struct dump e = { 0 };
    dump_all_ways(&e, az_sv_make(between, sizeof between - 1));
    assert_int_equal(e.array.records, 2);
    assert_int_equal(e.array.malformed, 1);
    dump_release(&e);
}

static void unescaping(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *text;
    } cases[] = {
        { "abc", "abc" },
        { "\\u0041", "A" },
        { "\\u00e9", "\xc3\xa9" },
        { "\\u20AC", "\xe2\x82\xac" },
        { "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
        { "\\ud83d", "\xef\xbf\xbd" },
        { "\\ude00", "\xef\xbf\xbd" },
        { "\\ud83dx", "\xef\xbf\xbdx" },
        { "\\ud83d\\u0041", "\xef\xbf\xbd"
                            "A" },
        { "\\u12", "\\u12" },
        { "\\u12g4", "\\u12g4" },
        { "\\x41", "\\x41" },
        { "\\", "\\" },
        { "a\\", "a\\" },
        { "\\q\\n", "\\q\n" },
        { "\\ud83d\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80" },
    };
    struct az_arena a;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_sv got = az_json_unescape(&a, az_sv_str(cases[i].raw));
        if (!az_sv_is(got, cases[i].text)) {
            print_error("%s -> %.*s\n", cases[i].raw, AZ_SVF(got));
            fail();
        }
    }
    struct az_sv zero = az_json_unescape(&a, AZ_SV("a\\u0000b"));
    assert_int_equal(zero.n, 3);
    assert_memory_equal(zero.p, "a\0b", 3);
    az_arena_release(&a);
}

/* What is kept does not are in the window. */
static void texts_to_keep(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *text;
    } cases[] = { { "\"abc\"", "abc" }, { "\"a\\n\"", "a\n" }, { "\"\"", "" },
                  { "12", "12" },       { "\"", "\"" },        { "", "" } };
    struct az_arena a;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        char window[16];
        const size_t n = strlen(cases[i].raw);
        memcpy(window, cases[i].raw, n);
        struct az_sv got = az_json_text(&a, az_sv_make(window, n));
        memset(window, '#', sizeof window);
        assert_true(az_sv_is(got, cases[i].text));
    }
    az_arena_release(&a);
}

static void types_of_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int type;
    } cases[] = { { "\"a\"", AZ_JT_STRING },   { "{", AZ_JT_OBJECT },
                  { "[", AZ_JT_ARRAY },        { "true", AZ_JT_TRUE },
                  { "false", AZ_JT_FALSE },    { "null", AZ_JT_NULL },
                  { "nan", AZ_JT_NONFINITE },  { "NaN", AZ_JT_NONFINITE },
                  { "-inf", AZ_JT_NONFINITE }, { "-Infinity", AZ_JT_NONFINITE },
                  { "-1", AZ_JT_NUMBER },      { "7", AZ_JT_NUMBER },
                  { "", AZ_JSON_MORE },        { "-", AZ_JSON_MORE },
                  { "n", AZ_JSON_MORE },       { "x", AZ_JSON_BAD },
                  { "}", AZ_JSON_BAD } };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        char text[80] = { 0 };
        memcpy(text, cases[i].text, strlen(cases[i].text));
        struct az_jscan s = { .p = text, .end = text + strlen(text), .window = text };
        assert_int_equal(az_json_type(&s), cases[i].type);
    }
}

static void views(void **state)
{
    (void)state;
    struct az_jview v;
    struct az_sv key, value;
    assert_true(az_jview_array(&v, AZ_SV(" [ 1, \"a,]\" ,{\"k\":[2,3]}, [] ,null] ")));
    static const char *const want[] = { "1", "\"a,]\"", "{\"k\":[2,3]}", "[]", "null" };
    for (size_t i = 0; i < 5; i++) {
        assert_true(az_jview_next(&v, &value));
        assert_true(az_sv_is(value, want[i]));
    }
    assert_false(az_jview_next(&v, &value));
    assert_true(az_jview_object(&v, AZ_SV("{\"a\" : 1 , \"b}\":{\"c\":\"\\\"\"}}")));
    assert_true(az_jview_member(&v, &key, &value) && az_sv_is(key, "a") && az_sv_is(value, "1"));
    assert_true(az_jview_member(&v, &key, &value) && az_sv_is(key, "b}") &&
                az_sv_is(value, "{\"c\":\"\\\"\"}"));
    assert_false(az_jview_member(&v, &key, &value));
    assert_false(az_jview_array(&v, AZ_SV("{}")));
    assert_false(az_jview_object(&v, AZ_SV("[]")));
    assert_false(az_jview_array(&v, AZ_SV("")));
    assert_true(az_jview_object(&v, AZ_SV("{1:2}")));
    assert_false(az_jview_member(&v, &key, &value));
    assert_true(az_jview_object(&v, AZ_SV("{\"a\" 2}")));
    assert_false(az_jview_member(&v, &key, &value));
    assert_true(az_jview_array(&v, AZ_SV("[[1, [2]")));
    assert_false(az_jview_next(&v, &value));
    assert_true(az_jview_array(&v, AZ_SV("[\"open")));
    assert_false(az_jview_next(&v, &value));
}

/* Values of several blocks: brackets and quotes in texts, backslashes in some, any place of the
 * end. */
static void views_of_long_values(void **state)
{
    static const char *const part[] = { "{\"k\": [1, 2", "]}", "\"a ]}[{ b\"", "[",  "]",
                                        "{\"deep\": {",  "}}", "\"\\\"]\"",    ", ", "12345.5" };
    static const int opens[] = { 2, -2, 0, 1, -1, 2, -2, 0, 0, 0 };
    uint64_t seed = 12345;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char text[1024] = "[ [";
        size_t n = strlen(text);
        int depth = 1;
        const size_t length = (size_t)(seed >> 40) % 400;
        while (n < length || depth > 0) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t p = (size_t)(seed >> 33) % AZ_LENGTH(part);
            p = n >= length ? 4 : p == 7 && round % 2 ? 8 : p;
            if (n < length && depth + opens[p] < 1)
                continue;
            depth += opens[p];
            n += (size_t)sprintf(text + n, "%s", part[p]);
        }
        const size_t end = n;
        sprintf(text + n, ", {\"last\": 7}]");
        struct az_jview v;
        struct az_sv value;
        assert_true(az_jview_array(&v, az_sv_str(text)));
        assert_true(az_jview_next(&v, &value));
        assert_int_equal(value.n, end - 2);
        assert_true(az_jview_next(&v, &value));
        assert_true(az_sv_is(value, "{\"last\": 7}"));
        assert_true(az_jview_array(&v, az_sv_make(text, end - 1))); /* cut off */
        assert_false(az_jview_next(&v, &value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_agree),
        cmocka_unit_test(every_byte_in_every_place),
        cmocka_unit_test(digits_agree),
        cmocka_unit_test(prefix_xor),
        cmocka_unit_test(plain_documents),
        cmocka_unit_test(metadata_around_the_array),
        cmocka_unit_test(keys),
        cmocka_unit_test(transitions),
        cmocka_unit_test(numbers),
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(malformed_values),
        cmocka_unit_test(strings),
        cmocka_unit_test(zero_bytes),
        cmocka_unit_test(unescaping),
        cmocka_unit_test(texts_to_keep),
        cmocka_unit_test(types_of_values),
        cmocka_unit_test(views),
        cmocka_unit_test(views_of_long_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
