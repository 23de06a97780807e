/* CSV and JSON: exact contents, file names, schema, failed writes. */
#include <sys/stat.h>

#include "base/utf8.h"
#include "regression/verdict.h"
#include "reports/list.h"
#include "reports/shared/fields.h"
#include "unit/reports_common.h"

static struct az_table *small(struct az_arena *a, const char *id)
{
    struct az_table *t = az_table_new(a, id, "Small \"table\"", 0);
    az_table_column(t, "name, with comma", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, AZ_HIGHER_BETTER);
    az_table_column(t, "t (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "on", AZ_BOOL, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("a \"b\"\nc"));
    az_put_i64(t, INT64_MIN);
    az_put_f64(t, 0.1);
    az_put_bool(t, true);
    az_put_text(t, AZ_SV("x\xff\001y"));
    az_put_empty(t);
    az_put_f64(t, 1e300);
    az_put_bool(t, false);
    az_put_text(t, AZ_SV(""));
    az_put_i64(t, INT64_C(9007199254740993));
    az_put_f64(t, 0.0 / 0.0);
    az_put_empty(t);
    return t;
}

static void csv_is_exact(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    static const char want[] = "\"name, with comma\",n,t (ns),on\n"
                               "\"a \"\"b\"\"\nc\",-9223372036854775808,0.1,True\n"
                               "x\xef\xbf\xbd\xef\xbf\xbdy,,1e+300,False\n"
                               ",9007199254740993,,\n";
    sample_begin(&s);
    assert_int_equal(az_document_add(&s.doc, small(&s.arena, "small")), 0);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "new/csv"), &s.scratch, &s.diag),
                     0);
    char *got = read_file(sample_path(&s, "new/csv/small.csv"), &n);
    assert_string_equal(got, want);
    free(got);
    sample_end(&s);
}

/* Texts longer than what is gathered for the file, with quotes at every place of a piece. */
static void long_texts_are_exact(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    enum { LONG = 200 * 1024 };
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "long", "Long texts", 0);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    az_table_column(t, "text", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "m", AZ_INT, AZ_UNIT_COUNT, 0);
    char *text = az_arena_array(&s.arena, LONG, 1), *want = az_arena_array(&s.arena, 4 * LONG, 1),
         *to = want;
    assert_non_null(text);
    assert_non_null(want);
    for (size_t i = 0; i < LONG; i++)
        text[i] = i % 7 == 0 || i % (64 * 1024) < 3 ? '"' : (char)('a' + i % 26);
    to += sprintf(to, "n,text,m\n1,");
    for (int plain = 0; plain < 2; plain++) {
        char *own = az_arena_array(&s.arena, LONG, 1);
        assert_non_null(own);
        *to++ = '"';
        to -= plain;
        for (size_t i = 0; i < LONG; i++) {
            own[i] = plain ? 'x' : text[i];
            *to++ = own[i];
            if (own[i] == '"')
                *to++ = '"';
        }
        az_put_i64(t, 1 + plain);
        az_put_text(t, az_sv_make(own, LONG));
        az_put_i64(t, 3 + plain);
        to += plain ? sprintf(to, ",4\n") : sprintf(to, "\",3\n2,");
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "long/csv"), &s.scratch, &s.diag),
                     0);
    char *got = read_file(sample_path(&s, "long/csv/long.csv"), &n);
    assert_int_equal(n, to - want);
    assert_memory_equal(got, want, n);
    free(got);
    sample_end(&s);
}

/* A cell that equals the one above it, and one that only seems to: of another type, of a text that
 * lies where another one was, of texts that are written with other bytes. */
static void repeated_cells_are_exact(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    static const char want[] = "text,x\na,1\na,1\nb,1\n,1\n,\n,-0\n,0\na,0.1\na,0.1\n"
                               "\"a,b\",0.1\n\"a,b\",\n\"\"\"\"\"\",0.1\n\"\"\"\"\"\",0.1\n"
                               "\"\"\"a,b\"\"\",2\n\xef\xbf\xbd,2\n\xef\xbf\xbd,2\n"
                               "0123456789012345678901234567890123456789,2\n"
                               "0123456789012345678901234567890123456789,2\n"
                               "01234567890123456789012345678901234567890,2\n"
                               "01234567890123456789012345678901234567890,2\n";
    static const struct {
        const char *text;
        double x;
    } rows[] = { { "a", 1 },
                 { "a", 1 },
                 { "b", 1 },
                 { "", 1 },
                 { "", 0.0 / 0.0 },
                 { "", -0.0 },
                 { "", 0 },
                 { "a", 0.1 },
                 { "a", 0.1 },
                 { "a,b", 0.1 },
                 { "a,b", 0.0 / 0.0 },
                 { "\"\"", 0.1 },
                 { "\"\"", 0.1 },
                 { "\"a,b\"", 2 },
                 { "\001", 2 },
                 { "\xef\xbf\xbd", 2 },
                 { "0123456789012345678901234567890123456789", 2 },
                 { "0123456789012345678901234567890123456789", 2 },
                 { "01234567890123456789012345678901234567890", 2 },
                 { "01234567890123456789012345678901234567890", 2 } };
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "same", "Equal cells", 0);
    az_table_column(t, "text", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "x", AZ_REAL, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) { /* equal texts in different places */
        az_put_copy(t, az_sv_str(rows[i].text));
        az_put_f64(t, rows[i].x);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "same/csv"), &s.scratch, &s.diag),
                     0);
    char *got = read_file(sample_path(&s, "same/csv/same.csv"), &n);
    assert_string_equal(got, want);
    free(got);
    sample_end(&s);
}

static void file_names_are_safe_and_unique(void **state)
{
    (void)state;
    struct sample s;
    static const struct {
        const char *id, *file;
    } cases[] = {
        { "kern_sum", "kern_sum.csv" },
        { "KERN_SUM", "KERN_SUM~2.csv" },
        { "../escape", "_._escape.csv" },
        { "a/b:c*?", "a_b_c__.csv" },
        { ".hidden", "_hidden.csv" },
        { "\xc3\x89tat", "\xc3\x89tat.csv" },
        { "", "table.csv" },
    };
    sample_begin(&s);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_int_equal(az_document_add(&s.doc, small(&s.arena, cases[i].id)), 0);
    struct az_table *hidden = sample_kernels(&s.arena, "only_text", 1, AZ_TABLE_TEXT_ONLY);
    assert_int_equal(az_document_add(&s.doc, hidden), 0);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "csv"), &s.scratch, &s.diag), 0);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        const char *path = sample_path(&s, az_arena_printf(&s.arena, "csv/%s", cases[i].file).p);
        if (access(path, R_OK) != 0)
            fail_msg("'%s' is not in %s", cases[i].id, cases[i].file);
    }
    assert_int_not_equal(access(sample_path(&s, "csv/only_text.csv"), F_OK), 0);
    sample_end(&s);
}

/* A folder used before: what this run does not write is reported, never removed; other folders are
 * nobody's business. */
static void tables_left_in_a_reused_folder(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    assert_int_equal(az_path_mkdirs(sample_path(&s, "csv/below.csv"), &s.diag), 0);
    FILE *f = fopen(sample_path(&s, "csv/old.csv"), "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(az_document_add(&s.doc, small(&s.arena, "small")), 0);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "csv"), &s.scratch, &s.diag), 0);
    assert_int_equal(s.diag.warnings, 0); /* no table replaced: old.csv is something else */
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "csv"), &s.scratch, &s.diag), 0);
    assert_int_equal(s.diag.warnings, 1);
    assert_non_null(
        strstr(s.diag.list.v[0].text.p,
               "1 CSV file(s) in this folder are not of this run, the first 'old.csv'"));
    assert_int_equal(access(sample_path(&s, "csv/old.csv"), F_OK), 0);
    assert_int_equal(remove(sample_path(&s, "csv/old.csv")), 0);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "csv"), &s.scratch, &s.diag), 0);
    assert_int_equal(s.diag.warnings, 1);
    sample_end(&s);
}

/* A result of a gate has the line that explains it, and what it is about. */
static void gates_have_their_texts(void **state)
{
    (void)state;
    struct sample s;
    struct az_gate_verdict v;
    size_t n;
    sample_begin(&s);
    az_gate_verdict_init(&v, &s.arena);
    const struct az_gate_result x = { .rule_name = AZ_SV("speed"),
                                      .input = AZ_SV("train"),
                                      .sheet = AZ_SV("kern_sum"),
                                      .metric = AZ_SV("Total Time (ns)"),
                                      .unit = AZ_SV("ns"),
                                      .test = "none",
                                      .text = AZ_SV("train is slower"),
                                      .note = AZ_SV("one run"),
                                      .cause = AZ_SV("clock: lower") };
    assert_int_equal(az_vec_push(&v.results, x), 0);
    s.doc.verdict = &v;
    assert_int_equal(
        az_report_verdict.write(&s.doc, sample_path(&s, "v.json"), &s.scratch, &s.diag), 0);
    char *got = read_file(sample_path(&s, "v.json"), &n);
    static const char *const members[] = { "\"rule\": \"speed\"",
                                           "\"input\": \"train\"",
                                           "\"sheet\": \"kern_sum\"",
                                           "\"metric\": \"Total Time (ns)\"",
                                           "\"unit\": \"ns\"",
                                           "\"text\": \"train is slower\"",
                                           "\"note\": \"one run\"",
                                           "\"cause\": \"clock: lower\"",
                                           "\"key\": null" };
    for (size_t i = 0; i < AZ_LENGTH(members); i++)
        if (!strstr(got, members[i]))
            fail_msg("no %s in %s", members[i], got);
    free(got);
    s.doc.verdict = NULL;
    az_gate_verdict_release(&v);
    sample_end(&s);
}

/* The lines of the verdict with raw numbers; the table stays among the tables. */
static void json_has_the_verdict(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    sample_verdict(&s.doc, &s.arena);
    assert_int_equal(az_report_json.write(&s.doc, sample_path(&s, "r.json"), &s.scratch, &s.diag),
                     0);
    char *got = read_file(sample_path(&s, "r.json"), &n);
    assert_non_null(strstr(
        got, "{\"kind\": \"finding\", \"label\": \"-62.1 %\", \"text\": \"idle: 4 gaps of "
             "141 ms\", \"rule\": \"idle\", \"severity\": \"warning\", \"evidence\": "
             "\"kernels\", \"row\": \"host in hipMemcpyWithStream\", \"time_ns\": 564000000, "
             "\"share_percent\": 62.1}"));
    assert_non_null(strstr(got, "{\"kind\": \"time\", \"label\": \"time\", \"text\": \"36.5 % "
                                "computing, 0.0 % waiting for communication, 63.5 % idle\"}"));
    assert_non_null(strstr(got, "\"id\": \"verdict\""));
    free(got);
    const char *python = python_with("jsonschema");
    char command[1024];
    snprintf(
        command, sizeof command,
        "%s -c \"import json,jsonschema,sys; jsonschema.validate(json.load(open(sys.argv[1])), "
        "json.load(open(sys.argv[2])))\" %s/r.json %s/schemas/result.schema.json",
        python ? python : "false", s.dir.p, root_dir());
    if (python)
        assert_int_equal(system(command), 0);
    sample_end(&s);
}

static void json_is_exact(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    assert_int_equal(az_document_add(&s.doc, small(&s.arena, "small")), 0);
    assert_int_equal(az_vec_push(&s.doc.preface, AZ_SV("[Warning]: something")), 0);
    assert_int_equal(az_report_json.write(&s.doc, sample_path(&s, "r.json"), &s.scratch, &s.diag),
                     0);
    char *got = read_file(sample_path(&s, "r.json"), &n);
    assert_non_null(strstr(got, "\"schema\": \"analyzer-result/1\""));
    assert_non_null(strstr(got, "-9223372036854775808"));
    assert_non_null(strstr(got, "9007199254740993"));
    assert_non_null(strstr(got, "\"[Warning]: something\""));
    assert_int_equal(got[n - 1], '\n');
    free(got);

    const char *python = python_with("jsonschema");
    char command[2048];
    if (python) {
        snprintf(
            command, sizeof command,
            "%s -c \"import json,jsonschema,sys; d=json.load(open(sys.argv[1])); "
            "s=json.load(open(sys.argv[2])); "
            "jsonschema.Draft7Validator.check_schema(s); jsonschema.validate(d,s); "
            "t=d['tables'][0]; "
            "sys.exit(not (t['rows'][0]==['a \\\"b\\\"\\nc',-2**63,0.1,True] and "
            "t['rows'][2][0]=='' and "
            "t['rows'][2][1:]==[2**53+1,None,None] and "
            "{k: v for k, v in t['columns'][2].items() if k not in ('id', 'title')}=={'name':'t "
            "(ns)','type':'real','unit':'ns','key':False,'direction':'lower'} and "
            "d['title']=='Sample \\u20ac run'))\" %s/r.json %s/schemas/result.schema.json",
            python, s.dir.p, root_dir());
        assert_int_equal(system(command), 0);
    }
    sample_end(&s);
}

static void no_title_is_null(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    s.doc.title = AZ_SV("");
    s.doc.no_heading = true;
    assert_int_equal(az_report_json.write(&s.doc, sample_path(&s, "r.json"), &s.scratch, &s.diag),
                     0);
    char *got = read_file(sample_path(&s, "r.json"), &n);
    assert_non_null(strstr(got, "\"title\": null"));
    free(got);
    sample_end(&s);
}

static void full_devices_are_errors(void **state)
{
    (void)state;
    struct sample s;
    if (access("/dev/full", W_OK) != 0)
        skip();
    sample_fill(&s, 1000);
    assert_int_equal(az_report_json.write(&s.doc, "/dev/full", &s.scratch, &s.diag), AZ_EIO);
    assert_int_equal(s.diag.errors, 1);
    sample_end(&s);
}

/* The quick test for clean texts against the slow way, with every byte at every place. */
static void cleaning_of_every_byte(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_arena a;
    az_mem_init(&mem, 0);
    az_arena_init(&a, &mem);
    for (size_t n = 1; n < 25; n++) {
        for (size_t k = 0; k < n * 256; k++) {
            char text[25];
            memset(text, 'x', n);
            text[k / 256] = (char)(k % 256);
            struct az_sv want = az_utf8_printable(&a, az_sv_make(text, n), "\t\n"),
                         got = az_field_text(&a, az_sv_make(text, n));
            assert_true(az_sv_eq(got, want));
        }
    }
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleaning_of_every_byte),
        cmocka_unit_test(csv_is_exact),
        cmocka_unit_test(repeated_cells_are_exact),
        cmocka_unit_test(long_texts_are_exact),
        cmocka_unit_test(file_names_are_safe_and_unique),
        cmocka_unit_test(tables_left_in_a_reused_folder),
        cmocka_unit_test(json_is_exact),
        cmocka_unit_test(json_has_the_verdict),
        cmocka_unit_test(gates_have_their_texts),
        cmocka_unit_test(no_title_is_null),
        cmocka_unit_test(full_devices_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
