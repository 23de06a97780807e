/* Results read back: JSON exactly, CSV by types and names, hostile bytes with a message. */
#include "document/units.h"
#include "saved/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
    struct az_diag diag;
};

static void begin(struct fixture *f)
{
    az_mem_init(&f->mem, (size_t)64 << 20);
    az_arena_init(&f->arena, &f->mem);
    az_document_init(&f->doc, &f->arena);
    az_diag_init(&f->diag);
}

static void end(struct fixture *f)
{
    az_document_release(&f->doc);
    az_arena_release(&f->arena);
    az_diag_release(&f->diag);
    assert_int_equal(f->mem.used, 0);
}

static int load(struct fixture *f, const char *json)
{
    return az_load_json(&f->doc, az_sv_str(json), AZ_SV("r.json"), &f->diag);
}

static const char *first_message(const struct fixture *f)
{
    static char text[400];
    assert_true(f->diag.list.n > 0);
    snprintf(text, sizeof text, "%.*s", AZ_SVF(f->diag.list.v[0].text));
    return text;
}

#define HEAD "{\"schema\": \"analyzer-result/1\", \"title\": \"t\", \"tables\": ["

/* What the JSON writer says of a chart comes back. */
static void json_charts(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    assert_int_equal(
        load(
            &f, HEAD
            "{\"id\": \"a\", \"title\": \"A\", \"columns\": ["
            "{\"name\": \"k\", \"type\": \"text\", \"unit\": \"\", \"key\": true, \"direction\": "
            "\"none\"}],"
            "\"rows\": [[\"a\"]]}], \"charts\": [{\"kind\": \"stacked_bar\", \"table\": \"a\", "
            "\"x\": \"k\","
            "\"y\": [\"n\"], \"max_rows\": 3, \"parts\": [\"busy\", \"idle\"], \"stack\": \"rank\","
            "\"size\": \"time\"}]}"),
        0);
    assert_int_equal(f.doc.charts.n, 1);
    const struct az_chart *c = &f.doc.charts.v[0];
    assert_int_equal(c->kind, AZ_CHART_STACKED_BAR);
    assert_int_equal(c->n_parts, 2);
    assert_true(az_sv_is(c->parts[1], "idle"));
    assert_true(az_sv_is(c->stack, "rank") && az_sv_is(c->size, "time"));
    end(&f);
    begin(&f);
    assert_int_equal(load(&f, HEAD "], \"charts\": [{\"parts\": 7}]}"), AZ_EFORMAT);
    end(&f);
}

static void json_values(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    assert_int_equal(load(&f, HEAD "{\"id\": \"a\", \"title\": \"A\", \"columns\": ["
                                   "{\"name\": \"k\", \"type\": \"text\", \"unit\": \"\", \"key\": "
                                   "true, \"direction\": \"none\"},"
                                   "{\"name\": \"n\", \"type\": \"int\", \"unit\": \"count\", "
                                   "\"key\": false, \"direction\": \"none\"},"
                                   "{\"name\": \"x\", \"type\": \"real\", \"unit\": \"ms\", "
                                   "\"key\": false, \"direction\": \"lower\"},"
                                   "{\"name\": \"b\", \"type\": \"bool\", \"unit\": \"\", \"key\": "
                                   "false, \"direction\": \"none\"}],"
                                   "\"rows\": [[\"a\\\"\\u00b5\", 9223372036854775807, 0.1, true], "
                                   "[null, null, 5, null]]}]}"),
                     0);
    const struct az_table *t = az_document_table(&f.doc, "a");
    assert_non_null(t);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->columns.v[0].flags, AZ_KEY);
    assert_int_equal(t->columns.v[2].flags, AZ_LOWER_BETTER);
    assert_int_equal(t->columns.v[2].unit, AZ_UNIT_MS);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 0)), "a\"\xc2\xb5"));
    assert_true(az_table_at(t, 0, 1)->i == INT64_MAX);
    assert_true(az_table_at(t, 0, 2)->f == 0.1);
    assert_true(az_table_at(t, 0, 3)->b);
    assert_int_equal(az_table_at(t, 1, 2)->type,
                     AZ_REAL); /* an integer in a real column stays real */
    assert_int_equal(az_table_at(t, 1, 0)->type, AZ_EMPTY);
    end(&f);
}

static void json_refused(void **state)
{
    static const struct {
        const char *json, *says;
    } cases[] = {
        { "", "no JSON object" },
        { "[]", "no JSON object" },
        { "{}", "no key 'schema'" },
        { "{\"schema\": 5}", "expected a string" },
        { "{\"schema\": \"analyzer-result/2\"}", "schema is not analyzer-result/1" },
        { "{\"schema\": \"analyzer-comparison/1\"}", "is a comparison" },
        { "{\"schema\": \"analyzer-result/1\", \"tables\": [", "truncated" },
        { HEAD "{\"id\": \"a\", \"columns\": []}]}", "without id or columns" },
        { HEAD "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"wood\"}]}]}",
          "unknown word '\"wood\"'" },
        { HEAD "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"int\", \"unit\": "
               "\"yd\"}]}]}",
          "unknown word" },
        { HEAD "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"int\"}], \"rows\": "
               "[[1.5]]}]}",
          "cell is not of its column's type: '1.5'" },
        { HEAD "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"int\"}], \"rows\": "
               "[[1, 2]]}]}",
          "more cells" },
        { HEAD
          "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"int\"}], \"rows\": [[]]}]}",
          "fewer cells" },
        { HEAD "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"int\"}]},"
               "{\"id\": \"a\", \"columns\": [{\"name\": \"k\", \"type\": \"int\"}]}]}",
          "duplicate table ID" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        begin(&f);
        assert_int_equal(load(&f, cases[i].json), AZ_EFORMAT);
        if (!strstr(first_message(&f), cases[i].says))
            fail_msg("case %zu: '%s' has no '%s'", i, first_message(&f), cases[i].says);
        end(&f);
    }
}

static int load_csv(struct fixture *f, const char *csv)
{
    struct az_csv_file file = { .name = AZ_SV("t.csv"), .bytes = az_sv_str(csv) };
    return az_load_csv(&f->doc, AZ_SV("t"), &file, &f->diag);
}

static void csv_types(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    assert_int_equal(load_csv(&f, "name,Count,time ms,flag,code,big,gap\n"
                                  "\"a, \"\"b\"\"\",3,1.5,True,007,12345678901234567890,\n"
                                  "None,-4,,False,1,2,\n"),
                     0);
    const struct az_table *t = az_document_table(&f.doc, "t");
    const enum az_cell_type types[] = {
        AZ_TEXT, AZ_INT, AZ_REAL, AZ_BOOL, AZ_TEXT, AZ_TEXT, AZ_TEXT
    };
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(t->columns.v[i].type, types[i]);
    assert_int_equal(t->columns.v[1].unit, AZ_UNIT_COUNT);
    assert_int_equal(t->columns.v[2].unit, AZ_UNIT_MS);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 0)), "a, \"b\""));
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 1, 0)), "None")); /* a text stays what it is */
    assert_int_equal(az_table_at(t, 1, 1)->i, -4);
    assert_int_equal(az_table_at(t, 1, 2)->type, AZ_EMPTY);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 5)),
                         "12345678901234567890")); /* no digit is lost */
    end(&f);
}

static void csv_edges(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f); /* nothing at all: an empty table */
    assert_int_equal(load_csv(&f, ""), 0);
    assert_int_equal(az_document_table(&f.doc, "t")->rows, 0);
    end(&f);
    begin(&f); /* a header only; its units say the types */
    assert_int_equal(load_csv(&f, "label,time (ms)\n"), 0);
    assert_int_equal(az_document_table(&f.doc, "t")->columns.v[1].type, AZ_REAL);
    assert_int_equal(az_document_table(&f.doc, "t")->columns.v[0].type, AZ_TEXT);
    end(&f);
    begin(&f); /* short rows are filled up, long ones are an error with their line */
    assert_int_equal(load_csv(&f, "a,b\n1\n1,2,3\n"), AZ_EFORMAT);
    assert_non_null(
        strstr(first_message(&f), "t.csv:3: row longer than the header: 3 fields for 2 columns"));
    end(&f);
    begin(&f);
    assert_int_equal(load_csv(&f, "a,b\n\"x,2\n"), AZ_EFORMAT);
    end(&f);
    begin(&f); /* a column without a name gets one */
    assert_int_equal(load_csv(&f, "a,\n1,2\n"), 0);
    assert_true(az_sv_is(az_document_table(&f.doc, "t")->columns.v[1].name, "column 2"));
    end(&f);
}

static void units_by_name(void **state)
{
    static const struct {
        const char *name;
        enum az_unit unit;
    } cases[] = {
        { "time ms", AZ_UNIT_MS },
        { "total_direct_kernel_time_ms", AZ_UNIT_MS },
        { "total_direct_kernel_time_sum", AZ_UNIT_US },
        { "Kernel duration (\xc2\xb5s)_sum", AZ_UNIT_US },
        { "Device Time Sum [\xce\xbcs]", AZ_UNIT_US },
        { "Total Time (ns)", AZ_UNIT_NS },
        { "TotalTime(ms)", AZ_UNIT_MS },
        { "total_us", AZ_UNIT_US },
        { "TAvg_ns", AZ_UNIT_NS },
        { "Percentage (%)", AZ_UNIT_PERCENT },
        { "percent", AZ_UNIT_PERCENT },
        { "TFLOPS/s_mean", AZ_UNIT_TFLOPS },
        { "Peak (TFLOP/s)", AZ_UNIT_TFLOPS },
        { "TB/s_max", AZ_UNIT_TBPS },
        { "FLOPS/Byte", AZ_UNIT_FLOP_PER_BYTE },
        { "Data Moved (MB)", AZ_UNIT_MB },
        { "In msg size (MB)_first", AZ_UNIT_MB },
        { "operation_count", AZ_UNIT_COUNT },
        { "statuses", AZ_UNIT_NONE },
        { "bonus", AZ_UNIT_NONE },
        { "", AZ_UNIT_NONE },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        if (az_unit_of_column(az_sv_str(cases[i].name), AZ_REAL) != cases[i].unit)
            fail_msg("'%s': %s", cases[i].name,
                     az_unit_text(az_unit_of_column(az_sv_str(cases[i].name), AZ_REAL)));
    assert_int_equal(az_unit_of_column(AZ_SV("total_us"), AZ_TEXT), AZ_UNIT_NONE);
    assert_int_equal(az_unit_of_column(AZ_SV("stream"), AZ_INT), AZ_UNIT_ID);

    enum az_unit unit; /* one spelling is written, that of older results is read, too */
    assert_string_equal(az_unit_text(AZ_UNIT_TFLOPS), "TFLOP/s");
    assert_true(az_unit_named(AZ_SV("TFLOPS/s"), &unit) && unit == AZ_UNIT_TFLOPS);
    assert_true(az_unit_named(AZ_SV("TFLOP/s"), &unit) && unit == AZ_UNIT_TFLOPS);
}

static void write_file(const char *path, const char *text)
{
    FILE *o = fopen(path, "wb");
    assert_non_null(o);
    assert_true(fwrite(text, 1, strlen(text), o) == strlen(text));
    assert_int_equal(fclose(o), 0);
}

static void kinds(void **state)
{
    char dir[] = "/tmp/az-load-XXXXXX", path[200], other[200];
    struct fixture f;
    bool partial;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/r.json", dir);
    write_file(path, "{\"schema\": \"analyzer-result/1\"}");
    assert_int_equal(az_saved_kind(path), AZ_SAVED_JSON);
    assert_int_equal(az_saved_kind(dir), AZ_SAVED_NONE); /* a folder without a table's file */
    unlink(path);
    write_file(path, "{\"schemaVersion\": 1, \"traceEvents\": []}");
    assert_int_equal(az_saved_kind(path), AZ_SAVED_NONE);
    unlink(path);
    snprintf(other, sizeof other, "%s/x.xlsx", dir);
    write_file(other, "PK\003\004............[Content_Types].xml");
    assert_int_equal(az_saved_kind(other), AZ_SAVED_BOOK);
    begin(&f);
    assert_int_equal(az_load_saved(&f.doc, AZ_SAVED_BOOK, other, &partial, &f.diag), AZ_EFORMAT);
    assert_non_null(strstr(first_message(&f), "incomplete zip file"));
    end(&f);
    unlink(other);
    snprintf(path, sizeof path, "%s/gpu_timeline.csv", dir);
    write_file(path, "type,time ms\nbusy_time,1\n");
    snprintf(other, sizeof other, "%s/zzz.csv", dir);
    write_file(other, "a\n1,2\n");
    assert_int_equal(az_saved_kind(dir), AZ_SAVED_TABLES);
    begin(&f); /* a damaged table does not take the others with it */
    assert_int_equal(az_load_saved(&f.doc, AZ_SAVED_TABLES, dir, &partial, &f.diag), AZ_EFORMAT);
    assert_true(partial);
    assert_non_null(az_document_table(&f.doc, "gpu_timeline"));
    assert_null(az_document_table(&f.doc, "zzz"));
    end(&f);
    unlink(path);
    unlink(other);
    rmdir(dir);
    assert_int_equal(az_saved_kind(dir), AZ_SAVED_NONE);
}

/* What is said where a profile is wanted. */
static void no_profiles(void **state)
{
    char database[AZ_DATABASE_AT + 8] = "SQLite format 3";
    char history[200] = "SQLite format 3";
    const char *table = "CREATE TABLE sample(run_id INTEGER REFERENCES run(id)";

    (void)state;
    assert_null(az_saved_why_no_profile("a", AZ_SV("{\"traceEvents\": []}")));
    assert_null(az_saved_why_no_profile(
        "a", AZ_SV("{\"note\": \"see \\\"analyzer-result/1\\\"\", \"traceEvents\": []}")));
    assert_null(az_saved_why_no_profile("a", az_sv_make(database, sizeof database)));
    memcpy(database + AZ_DATABASE_AT, "AZLY", 4);
    memcpy(history + 100, table, strlen(table));
    assert_non_null(
        strstr(az_saved_why_no_profile("a", az_sv_make(database, sizeof database)), "a result"));
    assert_non_null(strstr(
        az_saved_why_no_profile("a", AZ_SV("{\"schema\": \"analyzer-result/1\"}")), "a result"));
    assert_non_null(
        strstr(az_saved_why_no_profile("a", az_sv_make(history, sizeof history)), "a history"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_values),  cmocka_unit_test(json_charts),
        cmocka_unit_test(json_refused), cmocka_unit_test(csv_types),
        cmocka_unit_test(csv_edges),    cmocka_unit_test(units_by_name),
        cmocka_unit_test(kinds),        cmocka_unit_test(no_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
