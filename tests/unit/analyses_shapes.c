/* What there is one of for each shape of an operator: findings too small for any list, which are
 * not stored, and lines by estimate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyses/operators/metrics.h"
#include "analyses/operators/unified.h"
#include "analyses/verdict/verdict.h"

static struct az_mem mem;

/* Of a span of 1,000,000 ns a list has savings from 500 ns on. */
static void sums_of_a_list(void **state)
{
    static const struct az_verdict_sum all[] = {
        { 9, 499 }, { 4, 300 }, { 7, 500 }, { 1, 600 }, { 4, 200 }, { 1, -1 }, { 2, 1 },
    };
    struct az_job job = { .mem = &mem };
    struct az_verdict_device device = { .a = { .span = 1000000, .idle = 1000000 } };
    struct az_verdict_part part = { .device_accounts = &device,
                                    .n_device_accounts = 1,
                                    .devices = 1 };
    const struct az_verdict v = { .job = &job, .part = &part };
    struct az_verdict_sums s;
    (void)state;
    az_vec_init(&s, &mem);
    for (size_t i = 0; i < AZ_LENGTH(all); i++)
        az_vec_add(&s, all[i]);
    az_verdict_sums_list(&v, &s);
    assert_int_equal(s.n, 2); /* by key; one without a saving has no sum */
    assert_int_equal(s.v[0].key, 4);
    assert_int_equal(s.v[0].gain, 500);
    assert_int_equal(s.v[1].key, 7);
    part.devices = 2; /* savings are means over devices */
    az_verdict_sums_list(&v, &s);
    assert_int_equal(s.n, 0);
    az_vec_release(&s);
    assert_int_equal(mem.used, 0);
}

/* Findings are added up first; then those of the list are stored. */
static void small_findings_are_not_stored(void **state)
{
    struct az_arena arena;
    struct az_job job = { .mem = &mem, .arena = &arena };
    struct az_verdict_part part = { .devices = 1 };
    struct az_verdict_sums s;
    struct az_verdict v = {
        .job = &job, .part = &part, .keep = &arena, .sums = &s, .summing = true
    };
    const struct az_verdict_found large = { .subject = AZ_SV("large"), .gain = 700 },
                                  small = { .subject = AZ_SV("small"), .gain = 7 };
    (void)state;
    az_arena_init(&arena, &mem);
    az_vec_init(&s, &mem);
    az_vec_init(&part.found, &mem);
    assert_int_equal(az_verdict_add(&v, "precision", &large), 0);
    assert_int_equal(az_verdict_add(&v, "precision", &small), 0);
    assert_int_equal(az_verdict_add(&v, "misaligned_shape", &small), 0);
    assert_int_equal(part.found.n, 0);
    assert_int_equal(s.n, 3); /* of equal subjects each rule has its own */
    assert_int_not_equal(s.v[1].key, s.v[2].key);
    s.n = 1;
    v.summing = false;
    assert_int_equal(az_verdict_add(&v, "precision", &small), 0);
    assert_int_equal(part.found.n, 0);
    assert_int_equal(az_verdict_add(&v, "precision", &large), 0);
    assert_int_equal(part.found.n, 1);
    assert_int_equal(part.found.v[0].gain, 700);
    az_vec_release(&part.found);
    az_vec_release(&s);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

static void chains_by_estimate(void **state)
{
    const struct az_unified_row forward = { .of = AZ_NO_ROW }, backward = { .of = 3 };
    const struct az_framework_estimate first = { .number = 1 }, far = { .number = 1000 };
    struct az_vec_u32 chains;
    (void)state;
    az_vec_init(&chains, &mem);
    uint32_t *at = az_unified_chain(&chains, &first, &forward);
    assert_non_null(at);
    assert_int_equal(*at, 0);
    *at = 5;
    at = az_unified_chain(&chains, &first, &backward);
    assert_int_equal(*at, 0);
    *at = 6;
    assert_int_equal(*az_unified_chain(&chains, &far, &backward), 0);
    assert_int_equal(*az_unified_chain(&chains, &first, &forward), 5);
    assert_int_equal(*az_unified_chain(&chains, &first, &backward), 6);
    az_vec_release(&chains);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_a_list),
        cmocka_unit_test(small_findings_are_not_stored),
        cmocka_unit_test(chains_by_estimate),
    };
    az_mem_init(&mem, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
