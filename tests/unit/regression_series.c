/* Figures by metric: identities of inputs, sheets and facts are compared whole. */
#include "regression/series.h"

#include "unit/document_env.h"

static struct az_series start(struct env *e)
{
    struct az_series s;
    assert_int_equal(az_series_init(&s, &e->arena), 0);
    return s;
}

/* A sheet is one of its input: the same name of another input is not it, nor another name of the
 * same one. A gate fails where a sheet of the baseline is missing. */
static void sheets_belong_to_inputs(void **state)
{
    struct az_series s = start(*state);
    assert_false(az_series_has_sheet(&s, AZ_SV("a"), AZ_SV("kernels")));
    assert_int_equal(az_series_sheet(&s, AZ_SV("a"), AZ_SV("kernels")), 0);
    assert_int_equal(az_series_sheet(&s, AZ_SV("b"), AZ_SV("copies")), 0);
    assert_int_equal(az_series_sheet(&s, AZ_SV("b"), AZ_SV("copies")), 0);
    assert_int_equal(s.sheets.n, 2);
    assert_true(az_series_has_sheet(&s, AZ_SV("a"), AZ_SV("kernels")));
    assert_true(az_series_has_sheet(&s, AZ_SV("b"), AZ_SV("copies")));
    assert_false(az_series_has_sheet(&s, AZ_SV("a"), AZ_SV("copies")));
    assert_false(az_series_has_sheet(&s, AZ_SV("b"), AZ_SV("kernels")));
    assert_false(az_series_has_sheet(&s, AZ_SV("c"), AZ_SV("kernels")));
    az_series_release(&s);
}

static void inputs_in_order_of_arrival(void **state)
{
    struct az_series s = start(*state);
    size_t at = 9;
    assert_false(az_series_has_input(&s, AZ_SV("a")));
    assert_int_equal(az_series_input(&s, AZ_SV("a"), &at), 0);
    assert_int_equal(at, 0);
    assert_int_equal(az_series_input(&s, AZ_SV("b"), &at), 0);
    assert_int_equal(at, 1);
    assert_int_equal(az_series_input(&s, AZ_SV("a"), &at), 0);
    assert_int_equal(at, 0);
    assert_int_equal(s.inputs.n, 2);
    assert_int_equal(s.runs.n, 2);
    assert_int_equal(s.runs.v[1], 0);
    assert_true(az_series_has_input(&s, AZ_SV("b")));
    assert_false(az_series_has_input(&s, AZ_SV("c")));
    az_series_release(&s);
}

/* Values of a fact that differ between runs are joined, so that they equal no other run's. */
static void facts_of_one_input(void **state)
{
    struct az_series s = start(*state);
    assert_int_equal(az_series_fact(&s, AZ_SV("a"), AZ_SV("device"), AZ_SV("x")), 0);
    assert_int_equal(az_series_fact(&s, AZ_SV("b"), AZ_SV("device"), AZ_SV("y")), 0);
    assert_int_equal(az_series_fact(&s, AZ_SV("a"), AZ_SV("ranks"), AZ_SV("8")), 0);
    assert_true(az_sv_is(az_series_get_fact(&s, AZ_SV("a"), "device"), "x"));
    assert_true(az_sv_is(az_series_get_fact(&s, AZ_SV("b"), "device"), "y"));
    assert_true(az_sv_is(az_series_get_fact(&s, AZ_SV("a"), "ranks"), "8"));
    assert_int_equal(az_series_get_fact(&s, AZ_SV("b"), "ranks").n, 0);
    assert_int_equal(az_series_fact(&s, AZ_SV("a"), AZ_SV("device"), AZ_SV("x")), 0);
    assert_true(az_sv_is(az_series_get_fact(&s, AZ_SV("a"), "device"), "x"));
    assert_int_equal(az_series_fact(&s, AZ_SV("a"), AZ_SV("device"), AZ_SV("z")), 0);
    const struct az_sv both = az_series_get_fact(&s, AZ_SV("a"), "device");
    assert_true(az_sv_find(both, AZ_SV("x")) >= 0 && az_sv_find(both, AZ_SV("z")) >= 0);
    az_series_release(&s);
}

/* What says something of the run, not of its time, is no figure, also where all tables are wanted.
 */
static void tables_about_the_run_are_left_out(void **state)
{
    static const char *const ids[] = { "facts", "kernels", "account", "coverage", "step_work" };
    struct env *e = *state;
    struct az_series s = start(e);
    struct az_selector all = { .table = AZ_SV("*"), .key = AZ_SV("*"), .column = AZ_SV("*") };
    for (size_t i = 0; i < AZ_LENGTH(ids); i++) {
        struct az_table *t = az_table_new(&e->arena, ids[i], "T", 0);
        az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        az_table_column(t, "Value", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
        az_put_text(t, AZ_SV("a"));
        az_put_i64(t, 1);
        assert_int_equal(az_document_add(&e->doc, t), 0);
    }
    assert_int_equal(az_series_add(&s, AZ_SV("in"), &e->doc, NULL, &all, 1), 0);
    for (size_t i = 0; i < AZ_LENGTH(ids); i++) {
        const bool taken = az_series_has_sheet(&s, AZ_SV("in"), az_sv_str(ids[i]));
        assert_int_equal(taken, strcmp(ids[i], "kernels") == 0);
    }
    az_series_release(&s);
}

static void keys_are_texts(void **state)
{
    struct env *e = *state;
    assert_true(
        az_sv_is(az_series_key_text(&e->arena, AZ_SV("{\"Name\":\"x\",\"rank\":\"3\"}")), "x | 3"));
    assert_true(az_sv_is(az_series_key_label(&e->arena, AZ_SV("{\"Name\":\"x\",\"rank\":\"3\"}")),
                         "x | rank 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sheets_belong_to_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(inputs_in_order_of_arrival, setup, teardown),
        cmocka_unit_test_setup_teardown(facts_of_one_input, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_are_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_about_the_run_are_left_out, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
