/* Tables of records: every kind of field, units, empty cells, columns that the caller puts. */
#include "unit/document_env.h"

#include "base/intern.h"
#include "document/record.h"

struct rec {
    int64_t ns;
    uint32_t id;
    int32_t small;
    double x;
    bool yes;
    struct az_sv text;
    const char *word;
    int64_t pair[2];
};

static const struct az_record_column columns[] = {
    { "ns", AZ_INT, AZ_UNIT_NS, AZ_FIELD(struct rec, ns) },
    { "us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct rec, ns) },
    { "ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER, AZ_FIELD(struct rec, ns) },
    { "of_ps", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct rec, ns), .per = 1e6 },
    { "id", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY, AZ_KNOWN(struct rec, id) },
    { "small", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN(struct rec, small) },
    { "own", AZ_REAL, .unit = AZ_UNIT_RATIO },
    { "x", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(struct rec, x) },
    { "yes", AZ_BOOL, AZ_FIELD(struct rec, yes) },
    { "text", AZ_TEXT, AZ_KNOWN(struct rec, text) },
    { "word", AZ_TEXT, AZ_FIELD(struct rec, word) },
    { "second", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct rec, pair[1]) },
};

static void put_row(struct az_table *t, const struct rec *r)
{
    az_put_fields(t, columns, AZ_LENGTH(columns), 1, r);
    az_put_f64(t, 0.5);
    az_put_fields(t, columns, AZ_LENGTH(columns), 1, r);
}

static void fields_and_own_cells(void **state)
{
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "t", "T", AZ_TABLE_SUMMARY);
    az_table_column(t, "before", AZ_TEXT, AZ_UNIT_NONE, 0); /* not one of the record's */
    az_record_columns(t, columns, AZ_LENGTH(columns));
    az_put_text(t, AZ_SV("a"));
    put_row(t, &(struct rec){ 2500, 7, -1, 1.25, true, AZ_SV("text"), "word", { 1, 2 } });
    az_put_text(t, AZ_SV("b"));
    put_row(t, &(struct rec){ -1, AZ_NO_ID, 3, 0.0 / 0.0, false, AZ_SV(""), "", { 0, -4 } });
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->columns.v[3].flags, AZ_LOWER_BETTER);
    assert_int_equal(az_table_at(t, 0, 1)->i, 2500);
    assert_true(az_table_at(t, 0, 2)->f == 2.5);
    assert_true(az_table_at(t, 0, 3)->f == 0.0025);
    assert_true(az_table_at(t, 0, 4)->f == 0.0025);
    assert_int_equal(az_table_at(t, 0, 5)->i, 7);
    assert_int_equal(az_table_at(t, 0, 6)->type, AZ_EMPTY);
    assert_true(az_table_at(t, 0, 7)->f == 0.5);
    assert_true(az_table_at(t, 0, 8)->f == 1.25);
    assert_true(az_table_at(t, 0, 9)->b);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 10)), "text"));
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 11)), "word"));
    assert_int_equal(az_table_at(t, 0, 12)->i, 2);
    assert_int_equal(az_table_at(t, 1, 1)->i, -1); /* known to be: not marked as perhaps unknown */
    assert_int_equal(az_table_at(t, 1, 5)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 6)->i, 3);
    assert_int_equal(az_table_at(t, 1, 8)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 10)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 11)->type, AZ_TEXT);
    assert_int_equal(az_table_at(t, 1, 12)->i, -4);
    az_table_free(t);
}

static void whole_records(void **state)
{
    struct env *e = *state;
    static const struct az_record_column two[] = {
        { "word", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct rec, word) },
        { "ns", AZ_INT, AZ_UNIT_NS, AZ_KNOWN(struct rec, ns) },
    };
    const struct rec r[] = { { .word = "a", .ns = 1 }, { .word = "b", .ns = -1 } };
    struct az_table *t = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, two);
    AZ_PUT_RECORDS(t, two, r, 2);
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(t->rows, 2);
    assert_int_equal(az_table_at(t, 0, 1)->i, 1);
    assert_int_equal(az_table_at(t, 1, 1)->type, AZ_EMPTY);
    az_put_known(t, 0); /* a text is wanted */
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_and_own_cells, setup, teardown),
        cmocka_unit_test_setup_teardown(whole_records, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
