/* Text of a configuration: what counts as JSON here, positions, repeated keys. */
#include "unit/config_test.h"

#define INPUT "{ \"path\": \"a.sqlite\", \"format\": \"nsys-sqlite\" }"

static void comments_and_trailing_commas(void **state)
{
    (void)state;
    expect_fine("// first\n{ /* x */ \"inputs\": [ " INPUT ", ], // last\n \"jobs\": 2, } // end",
                NULL);
    expect_fine("\xef\xbb\xbf{ \"inputs\": [ " INPUT " ] }\r\n\r\n/* end */\t", NULL);
    expect_fine("{ \"$schema\": \"schemas/config.schema.json\", \"inputs\": [ " INPUT " ] }", NULL);
}

static void bad_syntax(void **state)
{
    (void)state;
    expect_error("", "c.json:1: invalid syntax at column 1: empty file; add an object { ... }");
    expect_error(" // only this\n /* and this */\n",
                 "c.json:1: invalid syntax at column 1: empty file; add an object { ... }");
    expect_error("{ \"inputs\": [", "c.json:1: invalid syntax at column 14: unexpected end of "
                                    "file; close the open bracket, quote or comment");
    expect_error("{\n \"title\": \"abc\n}", "c.json:3: invalid syntax at column 2: unexpected end "
                                            "of file; close the open bracket, quote or comment");
    expect_error(
        "{\n  \"jobs\" 4 }",
        "c.json:2: invalid syntax at column 10: object property name separator ':' expected");
    expect_error("{ \"jobs\": 4 \n \"strict\": true }",
                 "c.json:2: invalid syntax at column 2: object value separator ',' expected");
    expect_error("{ \"title\": \"x\\cuda\" }",
                 "c.json:1: invalid syntax at column 15: invalid string sequence");
    expect_error("{ \"inputs\": [ 1 2 ] }",
                 "c.json:1: invalid syntax at column 17: array value separator ',' expected");
    expect_error("{ inputs: [] }",
                 "c.json:1: invalid syntax at column 3: quoted object property name expected");
}

static void text_after_the_end(void **state)
{
    (void)state;
    expect_error("{ \"inputs\": [ " INPUT " ] }}",
                 "c.json:1: invalid syntax at column 66: text after the end of the configuration; "
                 "check for an extra bracket");
    expect_error("{ \"inputs\": [ " INPUT " ] }\n\n x",
                 "c.json:3: invalid syntax at column 2: text after the end of the configuration; "
                 "check for an extra bracket");
    expect_error("{ \"inputs\": [ " INPUT " ] } /* open",
                 "c.json:1: invalid syntax at column 67: text after the end of the configuration; "
                 "check for an extra bracket");
}

static void bytes(void **state)
{
    (void)state;
    struct loaded l;
    static const char nul[] = "{ \"inputs\":\n \0 [] }";
    loaded_begin(&l);
    l.rc = az_config_load_memory(&l.c, az_sv_make(nul, sizeof nul - 1), "c.json", NULL, &test_names,
                                 &l.diag);
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 0, "c.json:2: invalid syntax at column 2: NUL byte; use a UTF-8 text file");
    loaded_end(&l);
    expect_error("{ \"inputs\": [],\n \"x\xff\": 1 }",
                 "c.json:2: invalid syntax at column 4: invalid UTF-8; save the file as UTF-8");
    expect_error("{ \"inputs\": [ { \"title\": \"a\\u0000b\" } ] }",
                 "c.json:1: invalid syntax at column 28: \\u0000 in a string");
    expect_error("{ \"a\\u0000\": 1 }",
                 "c.json:1: invalid syntax at column 5: \\u0000 in a string");
    /* a replacement character that is written is no error; nor is an escaped backslash before u0000
     */
    expect_fine("{ \"inputs\": [ " INPUT
                " ], \"labels\": { \"a\": \"\xef\xbf\xbd\", \"b\": \"\\\\u0000\" } }",
                NULL);
}

static void numbers(void **state)
{
    (void)state;
    expect_error("{ \"inputs\": [ " INPUT " ], \"jobs\": 01 }",
                 "c.json:1: /jobs: invalid JSON number '01'");
    expect_error("{ \"inputs\": [ " INPUT " ], \"jobs\": NaN }",
                 "c.json:1: /jobs: invalid JSON number 'NaN'");
    expect_error("{ \"inputs\": [ " INPUT " ], \"jobs\": -Infinity }",
                 "c.json:1: /jobs: invalid JSON number '-Infinity'");
    expect_error("{ \"inputs\": [ " INPUT " ], \"jobs\": 5. }",
                 "c.json:1: /jobs: invalid JSON number '5.'");
    expect_error("{ \"inputs\": [ " INPUT " ], \"jobs\": 1e }",
                 "c.json:1: /jobs: invalid JSON number '1e'");
    /* json-c makes these 2^64 - 1 and infinity without a word */
    expect_error("{ \"inputs\": [ " INPUT " ], \"jobs\": 99999999999999999999 }",
                 "c.json:1: /jobs: jobs must be at most 4096, not '99999999999999999999'");
    expect_error("{ \"inputs\": [ " INPUT " ], \"thresholds\": { \"gap_us\": 1e400 } }",
                 "c.json:1: /thresholds/gap_us: gap_us must be a number, 0 or more, not '1e400'");
}

static void nesting(void **state)
{
    (void)state;
    char text[2 * 1000 + 40] = "{ \"inputs\": ";
    size_t n = strlen(text);
    memset(text + n, '[', 1000);
    memset(text + n + 1000, ']', 1000);
    memcpy(text + n + 2000, " }", 3);
    struct loaded l;
    load(&l, text);
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 0,
                   "c.json:1: invalid syntax at column 44: nested too deep; use at most 32 levels");
    loaded_end(&l);
}

static void repeated_keys(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "{ \"inputs\": [ " INPUT " ],\n \"kernel_to_class_map\": {\n  \"b\": \"one\",\n  "
             "\"a\": \"two\",\n  \"b\": \"three\" } }");
    assert_int_equal(l.rc, 0);
    expect_message(&l, 0,
                   "c.json:3: /kernel_to_class_map/b: duplicate key 'b', also in line 5; the last "
                   "value is used");
    const struct az_class_rules *r = &l.c.inputs.v[0].opts.classes;
    assert_int_equal(r->n, 2);
    expect_text(r->v[0].key, "b"); /* last value at the first place */
    expect_text(r->v[0].name, "three");
    expect_text(r->v[1].key, "a");
    loaded_end(&l);

    /* also for keys written with escapes, and for whole objects */
    load(&l,
         "{ \"inputs\": [ { } ],\n \"in\\u0070uts\": [ " INPUT " ],\n \"jobs\": 1, \"jobs\": 3 }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.diag.warnings, 2);
    expect_message(
        &l, 0, "c.json:1: /inputs: duplicate key 'inputs', also in line 2; the last value is used");
    assert_int_equal(l.c.jobs, 3);
    assert_int_equal(l.c.inputs.n, 1);
    expect_text(l.c.inputs.v[0].where.pointer, "/inputs/0");
    loaded_end(&l);
}

static void positions(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "{\n  \"inputs\": [\n    " INPUT
             ",\n    { \"path\": \"b\",\n      \"options\": { \"a/b~c\": 1 }\n    }\n  ]\n}");
    assert_int_equal(l.rc, AZ_ECONFIG);
    assert_int_equal(l.diag.errors, 1);
    expect_message(&l, 0, "c.json:5: /inputs/1/options/a~1b~0c: unknown key 'a/b~c'");
    assert_int_equal(l.c.inputs.v[0].where.line, 3);
    assert_int_equal(l.c.inputs.v[1].where.line, 4);
    expect_text(l.c.inputs.v[1].where.pointer, "/inputs/1");
    loaded_end(&l);
}

/* What is refused before it costs memory; commas in strings and comments do not count. */
static void too_many_values(void **state)
{
    (void)state;
    struct loaded l;
    const char head[] = "{ \"inputs\": [ " INPUT " ], \"labels\": { \"a\": \"";
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    assert_int_equal(az_text_append(&t, az_sv_str(head)), 0);
    for (int i = 0; i < 1200000; i++)
        assert_int_equal(az_text_append(&t, AZ_SV(",")), 0);
    assert_int_equal(az_text_append(&t, AZ_SV("\\\",\" } } // ,,,,,\n /* , */")), 0);
    loaded_begin(&l);
    assert_int_equal(
        az_config_load_memory(&l.c, az_text_view(&t), "c.json", NULL, &test_names, &l.diag), 0);
    assert_int_equal(l.diag.list.n, 0);
    loaded_end(&l);
    t.n = sizeof head - 2; /* without the quote the commas count */
    for (int i = 0; i < 1200000; i++)
        assert_int_equal(az_text_append(&t, AZ_SV(",")), 0);
    loaded_begin(&l);
    assert_int_equal(
        az_config_load_memory(&l.c, az_text_view(&t), "c.json", NULL, &test_names, &l.diag),
        AZ_ECONFIG);
    expect_message(&l, 0,
                   "c.json:1: invalid syntax at column 1: more than 1000000 values; check that the "
                   "file is a configuration");
    loaded_end(&l);
    az_vec_release(&t);
}

static void root_kind(void **state)
{
    (void)state;
    expect_error("[]", "c.json:1: a configuration must be an object { ... }, not an array");
    expect_error("\n null", "c.json:2: a configuration must be an object { ... }, not null");
    expect_error("7", "c.json:1: a configuration must be an object { ... }, not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_trailing_commas),
        cmocka_unit_test(bad_syntax),
        cmocka_unit_test(text_after_the_end),
        cmocka_unit_test(bytes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(nesting),
        cmocka_unit_test(repeated_keys),
        cmocka_unit_test(positions),
        cmocka_unit_test(too_many_values),
        cmocka_unit_test(root_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
