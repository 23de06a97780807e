/* gates and history in a configuration. */
#include "unit/config_test.h"

#define INPUT                                                                                      \
    "{ \"inputs\": [ { \"path\": \"x.sqlite\", \"title\": \"a\", \"run_group\": \"g\" } ], "

static void defaults_agree(void **state)
{
    struct az_gate_rule own;
    struct loaded l;
    (void)state;
    az_gate_rule_init(&own);
    load(&l, INPUT "\"gates\": { \"rules\": [ {} ] } }");
    assert_int_equal(l.rc, 0);
    assert_true(l.c.gates.given);
    assert_int_equal(l.c.gates.rules.n, 1);
    assert_int_equal(l.c.gates.baseline.n, 0);
    /* every key of a rule: the table's default is the field's */
    for (size_t i = 0; i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        if (o->owner != AZ_OWN_RULE || strcmp(o->key, "name") == 0)
            continue;
        const char *field = (const char *)&own + o->offset;
        if (o->type == AZ_OPT_REAL) {
            double x;
            memcpy(&x, field, sizeof x);
            assert_true(o->fallback ? x == strtod(o->fallback, NULL) : x == AZ_GATE_UNSET);
        } else if (o->type == AZ_OPT_INT) {
            int64_t x;
            memcpy(&x, field, sizeof x);
            assert_int_equal(x, strtoll(o->fallback, NULL, 10));
        } else {
            struct az_sv x;
            memcpy(&x, field, sizeof x);
            expect_text(x, o->fallback);
        }
    }
    expect_text(l.c.inputs.v[0].run_group, "g");
    loaded_end(&l);
}

static void rules(void **state)
{
    struct loaded l;
    (void)state;
    load(&l, INPUT "\"gates\": [ { \"sheet\": \"t*\", \"column\": \"Total\", \"abs\": 2, \"max\": "
                   "1e3, \"test\": \"none\" },\n"
                   "{ \"table\": \"t*\", \"column\": \"Total\" }, { \"key\": \"k\", \"rel\": 0, "
                   "\"min\": null } ] }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.gates.rules.n, 3);
    const struct az_gate_rule *r = l.c.gates.rules.v;
    expect_text(r[0].table, "t*");
    expect_text(r[0].name, "t* / Total");
    expect_text(r[1].name, "t* / Total #2");
    expect_text(r[2].name, "* / * / k");
    assert_true(r[0].abs == 2 && r[0].abs_given && !r[0].rel_given && r[0].max == 1e3 &&
                r[0].min == AZ_GATE_UNSET);
    assert_true(r[2].rel == 0 && r[2].rel_given && r[2].min == AZ_GATE_UNSET);
    expect_text(r[0].test, "none");
    assert_int_equal(r[1].where.line, 2);
    loaded_end(&l);
}

static void no_rules_are_the_key_figures(void **state)
{
    struct loaded l;
    (void)state;
    load(&l, INPUT "\"gates\": {} }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.gates.rules.n, 3);
    const struct az_gate_rule *r = l.c.gates.rules.v;
    expect_text(r[0].table, "key_figures");
    expect_text(r[1].table, "key_parts");
    expect_text(r[2].table, "key_memory");
    assert_true(r[0].rel < 0.05 && r[0].built_in && r[1].of_total > 0);
    loaded_end(&l);
    load(&l, INPUT "\"labels\": {} }");
    assert_false(l.c.gates.given);
    loaded_end(&l);
}

static void history(void **state)
{
    struct loaded l;
    (void)state;
    load(&l, INPUT "\"history\": { \"path\": \"h.db\", \"labels\": { \"commit\": \"c\" }, "
                   "\"drift_rel\": 0 }, \"gates\": {} }");
    assert_int_equal(l.rc, 0);
    expect_text(l.c.history.path, "h.db");
    expect_text(l.c.gates.baseline, "level"); /* where there is a history */
    assert_true(l.c.history.store && l.c.history.drift_rel == 0 && l.c.history.drift_days == 30);
    expect_text(l.c.history_labels.v[0].value, "c");
    loaded_end(&l);
}

static void errors(void **state)
{
    (void)state;
    expect_error(INPUT "\"history\": {} }", "c.json:1: /history: missing key 'path'; set the "
                                            "database of the history (created if missing)");
    expect_error(INPUT "\"gates\": 5 }", "c.json:1: /gates: gates must be an object, not a number");
    expect_error(INPUT
                 "\"gates\": { \"baseline\": \"pinned:\" }, \"history\": { \"path\": \"h\" } }",
                 "c.json:1: /gates/baseline: baseline 'pinned:' without a label; use pinned:LABEL");
    expect_error(INPUT
                 "\"gates\": { \"baseline\": \"window:x\" }, \"history\": { \"path\": \"h\" } }",
                 "c.json:1: /gates/baseline: baseline 'window:x': invalid window; use a number of "
                 "runs from 3 to 10000");
    expect_error(INPUT "\"gates\": [ { \"severity\": \"fial\" } ] }",
                 "c.json:1: /gates/0/severity: severity must be one of fail, warn, not the string "
                 "'fial' (did you mean "
                 "'fail'?)");
    expect_error(INPUT "\"gates\": [ { \"max\": \"x\" } ] }",
                 "c.json:1: /gates/0/max: max must be a number, not the string 'x'");
    expect_error(INPUT "\"thresholds\": { \"rules\": [] } }",
                 "c.json:1: /thresholds/rules: unknown key 'rules' (it belongs in gates)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_agree),
        cmocka_unit_test(rules),
        cmocka_unit_test(no_rules_are_the_key_figures),
        cmocka_unit_test(history),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
