/* Figures by metric: identities of inputs, sheets and facts are compared whole. */
#include "regression/series.h"

#include "unit/document_env.h"

static struct az_series start(struct env *e)
{
    struct az_series s;
    assert_int_equal(az_series_init(&s, &e->arena), 0);
    return s;
}

/* Totals of a recording are divided by its steps, values of one event or iteration are not. */
static void sums_by_their_names(void **state)
{
    static const struct {
        const char *name;
        enum az_unit unit;
        bool sum;
    } cases[] = { { "TotalTime(ms)", AZ_UNIT_MS, true },
                  { "TimePerIter(ms)", AZ_UNIT_MS, false },
                  { "Time per device (us)", AZ_UNIT_US, false },
                  { "AvgTime(us)", AZ_UNIT_US, false },
                  { "Upper (us)", AZ_UNIT_US, true },
                  { "Instances", AZ_UNIT_COUNT, true },
                  { "InstancePerIter", AZ_UNIT_COUNT, false },
                  { "Time (%)", AZ_UNIT_PERCENT, false } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        const struct az_column c = { .name = az_sv_str(cases[i].name), .unit = cases[i].unit };
        assert_int_equal(az_series_is_sum(&c), cases[i].sum);
    }
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

/* ---- metrics of a document, whole ---- */

static struct az_table *kernels(struct env *e, const char *id)
{
    return az_table_new(&e->arena, id, "T", 0);
}

/* Tables with no key, one, two, equal keys, steps, without marks, and of unlike sizes. */
static void add_tables(struct env *e)
{
    static const char *const names[] = { "b", "a", "b", "b" };
    struct az_table *t = kernels(e, "two_keys");
    az_table_column(t, "Stream", AZ_INT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Mean (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Total (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Rate", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    for (int i = 0; i < 4; i++) {
        az_put_i64(t, i < 3 ? 7 : 8);
        az_put_text(t, az_sv_str(names[i]));
        az_put_f64(t, 1.5 * i);
        az_put_i64(t, 10 + i);
        if (i == 1)
            az_put_empty(t);
        else
            az_put_f64(t, 2 * i);
        az_put_i64(t, i);
    }
    assert_int_equal(az_document_add(&e->doc, t), 0);
    t = kernels(e, "no_key");
    az_table_column(t, "Time (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    for (int i = 0; i < 3; i++)
        az_put_f64(t, i - 1);
    assert_int_equal(az_document_add(&e->doc, t), 0);
    t = kernels(e, "unmarked");
    az_table_column(t, "kind \"x\"", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_NONE, 0);
    for (int i = 0; i < 2; i++) {
        az_put_text(t, i ? AZ_SV("a \\ \t") : AZ_SV("\xc3\xa9"));
        az_put_i64(t, i);
    }
    assert_int_equal(az_document_add(&e->doc, t), 0);
    t = kernels(e, "by_step");
    az_table_column(t, "step", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    for (int i = 0; i < 6; i++) {
        az_put_i64(t, i / 2);
        az_put_text(t, az_sv_str(names[i % 2]));
        az_put_i64(t, 100 * i);
    }
    assert_int_equal(az_document_add(&e->doc, t), 0);
    t = kernels(e, "nothing");
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_put_text(t, AZ_SV("zero"));
    az_put_i64(t, 0);
    assert_int_equal(az_document_add(&e->doc, t), 0);
}

static void print_series(const struct az_series *s, struct az_vec_char *to)
{
    for (size_t i = 0; i < s->metrics.n; i++) {
        const struct az_metric *m = &s->metrics.v[i];
        assert_int_equal(
            az_text_printf(to, "%.*s %.*s %.*s = %.*s: %.*s (%.*s) %u%s%s %.3g:", AZ_SVF(m->input),
                           AZ_SVF(m->sheet), AZ_SVF(m->key), AZ_SVF(m->key_text), AZ_SVF(m->name),
                           AZ_SVF(m->unit), m->better, m->steps ? " steps" : "",
                           m->per_step ? " per step" : "", m->share),
            0);
        for (size_t k = 0; k < m->values.n; k++)
            assert_int_equal(az_text_printf(to, " %g/%u", m->values.v[k], m->reps.v[k]), 0);
        assert_int_equal(az_text_printf(to, "\n"), 0);
    }
}

static void metrics_of_a_document(void **state)
{
    static const struct {
        const char *table, *key, *column;
        bool steps, directed;
        int64_t warmup;
        size_t rows;
    } cases[] = {
        { "*", "*", "*", 0, 0, 0, 0 },
        { "*", "*", "*", 0, 1, 0, 0 },
        { "two_keys", "*", "*", 0, 1, 0, 1 },
        { "two_keys", "*", "*", 0, 1, 0, 4 },
        { "two_keys", "b*", "Total (ns)", 0, 0, 0, 0 },
        { "two_keys", "* | 7", "Count", 0, 0, 0, 0 },
        { "two_keys", "none", "*", 0, 0, 0, 0 },
        { "none", "*", "*", 0, 0, 0, 0 },
        { "by_step", "*", "*", 1, 0, 0, 0 },
        { "by_step", "*", "*", 1, 0, 1, 0 },
        { "by_step", "*", "*", 1, 0, 3, 0 },
        { "no_key", "*", "*", 0, 0, 0, 2 },
    };
    struct env *e = *state;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    add_tables(e);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_series s = start(e);
        const struct az_selector want = { .table = az_sv_str(cases[i].table),
                                          .key = az_sv_str(cases[i].key),
                                          .column = az_sv_str(cases[i].column),
                                          .steps = cases[i].steps,
                                          .directed = cases[i].directed,
                                          .warmup = cases[i].warmup,
                                          .rows = cases[i].rows };
        assert_int_equal(az_series_add(&s, AZ_SV("in"), &e->doc, NULL, &want, 1), 0);
        if (i == 4) /* a second run of the same input */
            assert_int_equal(az_series_add(&s, AZ_SV("in"), &e->doc, NULL, &want, 1), 0);
        assert_int_equal(az_text_printf(&text, "%zu: %zu sheets\n", i, s.sheets.n), 0);
        print_series(&s, &text);
        az_series_release(&s);
    }
    az_vec_add(&text, 0);
    assert_string_equal(
        text.v,
        "0: 5 sheets\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Mean (ns) (ns) 4 0.217: 0/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Total (ns) (ns) 4 0.217: 10/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Rate (GB/s) 2 0.217: 0/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Count (count) 0 0.217: 0/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Mean (ns) (ns) 4 0.239: 1.5/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Total (ns) (ns) 4 0.239: 11/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Rate (GB/s) 2 0.239: nan/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Count (count) 0 0.239: 1/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Mean (ns) (ns) 4 "
        "0.261: 3/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Total (ns) (ns) 4 "
        "0.261: 12/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Rate (GB/s) 2 "
        "0.261: 4/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Count (count) 0 "
        "0.261: 2/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Mean (ns) (ns) 4 0.283: 4.5/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Total (ns) (ns) 4 0.283: 13/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Rate (GB/s) 2 0.283: 6/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Count (count) 0 0.283: 3/0\n"
        "in no_key {\"#\":\"1\"} = #1: Time (us) (us) 4 0.5: -1/0\n"
        "in no_key {\"#\":\"2\"} = #2: Time (us) (us) 4 0: 0/0\n"
        "in no_key {\"#\":\"3\"} = #3: Time (us) (us) 4 0.5: 1/0\n"
        "in unmarked {\"kind \\\"x\\\"\":\"\xc3\xa9\"} = \xc3\xa9: n () 0 nan: 0/0\n"
        "in unmarked {\"kind \\\"x\\\"\":\"a \\\\ \\t\"} = a \\ \t: n () 0 nan: 1/0\n"
        "in by_step {\"Name\":\"b\",\"step\":\"0\"} = b | 0: Time (ns) (ns) 4 0: 0/0\n"
        "in by_step {\"Name\":\"a\",\"step\":\"0\"} = a | 0: Time (ns) (ns) 4 0.0667: 100/0\n"
        "in by_step {\"Name\":\"b\",\"step\":\"1\"} = b | 1: Time (ns) (ns) 4 0.133: 200/0\n"
        "in by_step {\"Name\":\"a\",\"step\":\"1\"} = a | 1: Time (ns) (ns) 4 0.2: 300/0\n"
        "in by_step {\"Name\":\"b\",\"step\":\"2\"} = b | 2: Time (ns) (ns) 4 0.267: 400/0\n"
        "in by_step {\"Name\":\"a\",\"step\":\"2\"} = a | 2: Time (ns) (ns) 4 0.333: 500/0\n"
        "in nothing {\"Name\":\"zero\"} = zero: Time (ns) (ns) 4 nan: 0/0\n"
        "1: 5 sheets\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Mean (ns) (ns) 4 0.217: 0/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Total (ns) (ns) 4 0.217: 10/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Rate (GB/s) 2 0.217: 0/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Mean (ns) (ns) 4 0.239: 1.5/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Total (ns) (ns) 4 0.239: 11/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Rate (GB/s) 2 0.239: nan/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Mean (ns) (ns) 4 "
        "0.261: 3/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Total (ns) (ns) 4 "
        "0.261: 12/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Rate (GB/s) 2 "
        "0.261: 4/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Mean (ns) (ns) 4 0.283: 4.5/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Total (ns) (ns) 4 0.283: 13/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Rate (GB/s) 2 0.283: 6/0\n"
        "in no_key {\"#\":\"1\"} = #1: Time (us) (us) 4 0.5: -1/0\n"
        "in no_key {\"#\":\"2\"} = #2: Time (us) (us) 4 0: 0/0\n"
        "in no_key {\"#\":\"3\"} = #3: Time (us) (us) 4 0.5: 1/0\n"
        "in by_step {\"Name\":\"b\",\"step\":\"0\"} = b | 0: Time (ns) (ns) 4 0: 0/0\n"
        "in by_step {\"Name\":\"a\",\"step\":\"0\"} = a | 0: Time (ns) (ns) 4 0.0667: 100/0\n"
        "in by_step {\"Name\":\"b\",\"step\":\"1\"} = b | 1: Time (ns) (ns) 4 0.133: 200/0\n"
        "in by_step {\"Name\":\"a\",\"step\":\"1\"} = a | 1: Time (ns) (ns) 4 0.2: 300/0\n"
        "in by_step {\"Name\":\"b\",\"step\":\"2\"} = b | 2: Time (ns) (ns) 4 0.267: 400/0\n"
        "in by_step {\"Name\":\"a\",\"step\":\"2\"} = a | 2: Time (ns) (ns) 4 0.333: 500/0\n"
        "in nothing {\"Name\":\"zero\"} = zero: Time (ns) (ns) 4 nan: 0/0\n"
        "2: 1 sheets\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Mean (ns) (ns) 4 0.217: 0/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Total (ns) (ns) 4 0.217: 10/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Rate (GB/s) 2 0.217: 0/0\n"
        "3: 1 sheets\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Mean (ns) (ns) 4 0.217: 0/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Total (ns) (ns) 4 0.217: 10/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Rate (GB/s) 2 0.217: 0/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Mean (ns) (ns) 4 0.239: 1.5/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Total (ns) (ns) 4 0.239: 11/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Rate (GB/s) 2 0.239: nan/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Mean (ns) (ns) 4 "
        "0.261: 3/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Total (ns) (ns) 4 "
        "0.261: 12/0\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Rate (GB/s) 2 "
        "0.261: 4/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Mean (ns) (ns) 4 0.283: 4.5/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Total (ns) (ns) 4 0.283: 13/0\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Rate (GB/s) 2 0.283: 6/0\n"
        "4: 1 sheets\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Total (ns) (ns) 4 0.217: 10/0 "
        "10/1\n"
        "in two_keys {\"#\":\"2\",\"Name\":\"b\",\"Stream\":\"7\"} = b | 7 #2: Total (ns) (ns) 4 "
        "0.261: 12/0 12/1\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"8\"} = b | 8: Total (ns) (ns) 4 0.283: 13/0 "
        "13/1\n"
        "5: 1 sheets\n"
        "in two_keys {\"Name\":\"b\",\"Stream\":\"7\"} = b | 7: Count (count) 0 0.217: 0/0\n"
        "in two_keys {\"Name\":\"a\",\"Stream\":\"7\"} = a | 7: Count (count) 0 0.239: 1/0\n"
        "6: 1 sheets\n"
        "7: 0 sheets\n"
        "8: 1 sheets\n"
        "in by_step {\"#\":\"steps\",\"Name\":\"b\"} = b: Time (ns) (ns) 4 steps 0: 0/0 200/0 "
        "400/0\n"
        "in by_step {\"#\":\"steps\",\"Name\":\"a\"} = a: Time (ns) (ns) 4 steps 0.0667: 100/0 "
        "300/0 500/0\n"
        "9: 1 sheets\n"
        "in by_step {\"#\":\"steps\",\"Name\":\"b\"} = b: Time (ns) (ns) 4 steps 0.133: 200/0 "
        "400/0\n"
        "in by_step {\"#\":\"steps\",\"Name\":\"a\"} = a: Time (ns) (ns) 4 steps 0.2: 300/0 500/0\n"
        "10: 1 sheets\n"
        "11: 1 sheets\n"
        "in no_key {\"#\":\"1\"} = #1: Time (us) (us) 4 0.5: -1/0\n"
        "in no_key {\"#\":\"2\"} = #2: Time (us) (us) 4 0: 0/0\n");
    az_vec_release(&text);
}

/* Shares of what a history has: by a total of time, else by a time that is better lower. */
static void shares_without_a_document(void **state)
{
    static const struct {
        const char *sheet, *key, *name, *unit;
        unsigned better;
        double value[2];
        bool steps;
    } rows[] = {
        { "a", "x", "Mean", "ns", AZ_LOWER_BETTER, { 1, 1 }, 0 },
        { "a", "x", "Total", "ns", AZ_LOWER_BETTER, { 30, 30 }, 0 },
        { "a", "y", "Mean", "ns", AZ_LOWER_BETTER, { 9, 9 }, 0 },
        { "a", "y", "Total", "ns", AZ_LOWER_BETTER, { 10, 50 }, 0 },
        { "a", "z", "Mean", "ns", AZ_LOWER_BETTER, { 9, 9 }, 0 },
        { "b", "x", "Rate", "GB/s", AZ_HIGHER_BETTER, { 1, 1 }, 0 },
        { "b", "x", "Time", "ms", AZ_LOWER_BETTER, { 3, 3 }, 0 },
        { "b", "y", "Time", "ms", AZ_LOWER_BETTER, { 1, 1 }, 0 },
        { "c", "x", "Time", "ps", AZ_HIGHER_BETTER, { 1, 1 }, 0 },
        { "d", "x", "Sum of it", "s", AZ_LOWER_BETTER, { 1, 1 }, 1 },
        { "d", "x", "Time", "us", AZ_LOWER_BETTER, { 1, 1 }, 0 },
        { "d", "y", "Time", "us", AZ_LOWER_BETTER, { -3, -3 }, 0 },
        { "e", "x", "Total", "count", AZ_LOWER_BETTER, { 1, 1 }, 0 },
        { "f", "x", "Total", "ns", AZ_LOWER_BETTER, { 0, 0 }, 0 },
    };
    struct env *e = *state;
    struct az_series s = start(e);
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        const struct az_metric m = { .input = AZ_SV("in"),
                                     .sheet = az_sv_str(rows[i].sheet),
                                     .key = az_sv_str(rows[i].key),
                                     .key_text = az_sv_str(rows[i].key),
                                     .name = az_sv_str(rows[i].name),
                                     .unit = az_sv_str(rows[i].unit),
                                     .better = rows[i].better,
                                     .steps = rows[i].steps };
        size_t at;
        assert_int_equal(az_series_metric(&s, &m, &at), 0);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(az_series_value(&s, at, rows[i].value[k], k), 0);
    }
    assert_int_equal(az_series_shares(&s), 0);
    print_series(&s, &text);
    az_vec_add(&text, 0);
    assert_string_equal(text.v, "in a x = x: Mean (ns) 4 0.75: 1/0 1/1\n"
                                "in a x = x: Total (ns) 4 0.75: 30/0 30/1\n"
                                "in a y = y: Mean (ns) 4 0.25: 9/0 9/1\n"
                                "in a y = y: Total (ns) 4 0.25: 10/0 50/1\n"
                                "in a z = z: Mean (ns) 4 0: 9/0 9/1\n"
                                "in b x = x: Rate (GB/s) 2 0.75: 1/0 1/1\n"
                                "in b x = x: Time (ms) 4 0.75: 3/0 3/1\n"
                                "in b y = y: Time (ms) 4 0.25: 1/0 1/1\n"
                                "in c x = x: Time (ps) 2 0: 1/0 1/1\n"
                                "in d x = x: Sum of it (s) 4 steps 0: 1/0 1/1\n"
                                "in d x = x: Time (us) 4 0.25: 1/0 1/1\n"
                                "in d y = y: Time (us) 4 0.75: -3/0 -3/1\n"
                                "in e x = x: Total (count) 4 0: 1/0 1/1\n"
                                "in f x = x: Total (ns) 4 0: 0/0 0/1\n");
    az_vec_release(&text);
    az_series_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_their_names),
        cmocka_unit_test_setup_teardown(sheets_belong_to_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(inputs_in_order_of_arrival, setup, teardown),
        cmocka_unit_test_setup_teardown(facts_of_one_input, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_are_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(metrics_of_a_document, setup, teardown),
        cmocka_unit_test_setup_teardown(shares_without_a_document, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_about_the_run_are_left_out, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
