/* Documents: order of tables, what is skipped; sheet names. */
#include "unit/document_env.h"

static struct az_table *one(struct env *e, const char *id, unsigned flags, int rows)
{
    struct az_table *t = az_table_new(&e->arena, id, id, flags);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    for (int i = 0; i < rows; i++)
        az_put_i64(t, i);
    return t;
}

static void last_tables_stay_last(void **state)
{
    struct env *e = *state;
    const char *want[] = { "a", "b", "coverage", "facts" };
    assert_int_equal(az_document_add(&e->doc, one(e, "a", 0, 1)), 0);
    assert_int_equal(az_document_add(&e->doc, one(e, "coverage", AZ_TABLE_LAST, 1)), 0);
    assert_int_equal(az_document_add(&e->doc, one(e, "facts", AZ_TABLE_LAST, 1)), 0);
    assert_int_equal(az_document_add(&e->doc, one(e, "b", 0, 1)), 0);
    assert_int_equal(e->doc.tables.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(az_sv_is(e->doc.tables.v[i]->id, want[i]));
    assert_ptr_equal(az_document_table(&e->doc, "b"), e->doc.tables.v[1]);
    assert_null(az_document_table(&e->doc, "c"));
}

static void empty_and_broken_tables(void **state)
{
    struct env *e = *state;
    assert_int_equal(az_document_add(&e->doc, one(e, "empty", 0, 0)), 0);
    assert_int_equal(e->doc.tables.n, 0);
    assert_int_equal(az_document_add(&e->doc, one(e, "kept", AZ_TABLE_KEEP_EMPTY, 0)), 0);
    assert_int_equal(e->doc.tables.n, 1);
    assert_int_equal(az_document_add(&e->doc, one(e, "kept", 0, 1)),
                     AZ_EINTERNAL); /* the same id twice */
    struct az_table *t = one(e, "broken", 0, 1);
    az_put_text(t, AZ_SV("no number"));
    assert_int_equal(az_document_add(&e->doc, t), AZ_EINTERNAL);
    assert_int_not_equal(az_document_add(&e->doc, NULL), 0);
    assert_int_equal(e->doc.tables.n, 1);
}

static void charts_are_taken_over(void **state)
{
    struct env *e = *state;
    struct az_chart c = { .kind = AZ_CHART_PIE, .table = AZ_SV("a"), .x = AZ_SV("n") };
    az_vec_init(&c.y, &e->mem);
    assert_int_equal(az_vec_push(&c.y, AZ_SV("n")), 0);
    assert_int_equal(az_document_chart(&e->doc, c), 0);
    assert_int_equal(e->doc.charts.n, 1);
}

static void sheet_names(void **state)
{
    struct env *e = *state;
    struct az_vec_sv used;
    static const struct {
        const char *id, *want;
    } cases[] = {
        { "kern_sum", "kern_sum" },
        { "Kern_Sum", "Kern_Sum~2" }, /* equal without case */
        { "kern_sum", "kern_sum~3" },
        { "a[b]:c*d?e/f\\g", "a_b__c_d_e_f_g" },
        { "'quoted'", "_quoted_" },
        { "it's", "it's" },
        { "", "sheet" },
        { "History", "history_" },
        { "nccl_implicit_sync_cat_detailed", "nccl_implicit_sync_cat_detailed" }, /* exactly 31 */
        { "nccl_implicit_sync_cat_detailed_more", "nccl_implicit_sync_cat_detail~2" },
        { "tab\there", "tab_here" },
        { "\xc3\x89tat", "\xc3\x89tat" },
        { "\xc3\xa9tat", "\xc3\xa9tat~2" }, /* E acute in lower case */
    };
    az_vec_init(&used, &e->mem);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_sv name = az_sheet_name(&e->arena, az_sv_str(cases[i].id), &used);
        if (!az_sv_is(name, cases[i].want))
            fail_msg("%s -> %.*s, not %s", cases[i].id, AZ_SVF(name), cases[i].want);
        assert_int_equal(az_vec_push(&used, name), 0);
    }
    /* characters beyond the first plane count twice: 15 rockets are 30 units */
    char rockets[20 * 4];
    for (size_t i = 0; i < 20; i++)
        memcpy(rockets + 4 * i, "\xf0\x9f\x9a\x80", 4);
    assert_int_equal(az_sheet_name(&e->arena, az_sv_make(rockets, sizeof rockets), &used).n, 60);
    az_vec_release(&used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(last_tables_stay_last, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_and_broken_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(charts_are_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(sheet_names, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
