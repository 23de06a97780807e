/* Findings of ranks that are one: the same meaning, and no name of one rank only. */
#include "unit/analyses_parts.h"

static struct az_verdict_found gap(enum az_cause cause, const char *operation)
{
    return (struct az_verdict_found){
        .rule = az_verdict_rule_of(AZ_SV("idle")),
        .frame = AZ_SV("train.py(30): step"),
        .operation = az_sv_str(operation),
        .cause = cause,
        .advice = AZ_ADVICE_MOVE_HOST_WORK,
        .count = 1,
        .ns = 100,
        .gain = 100,
        .median = 100,
        .in_place = { [AZ_PLACE_FRAME] = 100, [AZ_PLACE_OPERATOR] = 80 },
    };
}

/* Gaps of three ranks: findings that they make, and the operator of the first. */
static size_t merged(struct fix *f, enum az_cause cause, const char *const operation[3],
                     struct az_sv *first)
{
    struct world x;
    struct az_verdict_founds out;
    world_of(&x, f, 3, 500, 0, 0);
    az_vec_init(&out, NULL);
    for (size_t k = 0; k < 3; k++) {
        az_vec_init(&x.part[k].found, NULL);
        assert_int_equal(az_vec_push(&x.part[k].found, gap(cause, operation[k])), 0);
    }
    assert_int_equal(az_verdict_merge(&x.w, &out), 0);
    const size_t n = out.n;
    *first = out.v[0].operation;
    for (size_t k = 0; k < 3; k++)
        az_vec_release(&x.part[k].found);
    az_vec_release(&out);
    az_vec_release(&x.found);
    return n;
}

/* The operator is the cause: each one is a finding. */
static void operators(void **state)
{
    static const char *const of[3] = { "aten::sort", "aten::sort", "aten::index" };
    struct az_sv first;
    assert_int_equal(merged(*state, AZ_CAUSE_HOST_COMPUTE, of, &first), 2);
}

/* Python code is the cause: one finding, with an operator that has half of its time or none. */
static void code(void **state)
{
    static const char *const most[3] = { "aten::sort", "aten::sort", "aten::index" },
                             *const few[3] = { "aten::sort", "aten::add", "aten::index" };
    struct az_sv first;
    assert_int_equal(merged(*state, AZ_CAUSE_HOST_FRAME, most, &first), 1);
    assert_true(az_sv_is(first, "aten::sort"));
    assert_int_equal(merged(*state, AZ_CAUSE_HOST_FRAME, few, &first), 1);
    assert_true(az_sv_is(first, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(operators, setup, teardown),
        cmocka_unit_test_setup_teardown(code, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
