/* Steps of two single runs: the scatter of their times, and the test by ranks, against numbers
 * made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/step_samples.h"

#define MOST 8

/* Steps of ranks, with these times in one part; the other parts are of no use. */
struct steps {
    size_t n;
    int64_t rank[MOST];
    double time[MOST];
};

static void fill(struct az_step_samples *out, const struct steps *s, size_t part)
{
    az_vec_init(out, NULL);
    for (size_t i = 0; i < s->n; i++) {
        struct az_step_sample x = { .rank = s->rank[i], .part = { 1e9, 1e9, 1e9, 1e9, 1e9 } };
        x.part[part] = s->time[i];
        assert_int_equal(az_vec_push(out, x), 0);
    }
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-5 * fabs(want)))
        fail_msg("%.9g, not %.9g", got, want);
}

static void scatter_within_ranks(void **state)
{
    /* of rank 3 the deviations are 2, 0, 2; of rank 1 they are 5, 5 */
    static const struct steps s = { 5, { 3, 1, 3, 3, 1 }, { 10, 100, 12, 14, 110 } };
    struct az_step_samples v;
    (void)state;
    for (size_t part = 0; part < AZ_STEP_PARTS; part++) {
        fill(&v, &s, part);
        near(az_step_samples_scatter(&v, part, 5), 1.2533 * 1.4826 * 2 / sqrt(5) / 14);
        assert_true(isnan(az_step_samples_scatter(&v, part, 6)));
        v.n = 1;
        assert_true(az_step_samples_scatter(&v, part, 1) == 0);
        v.n = 0;
        assert_true(isnan(az_step_samples_scatter(&v, part, 0)));
        v.v[0].part[part] = 0;
        v.n = 1;
        assert_true(isnan(az_step_samples_scatter(&v, part, 1))); /* of no time */
        az_vec_release(&v);
    }
}

static void two_runs(void **state)
{
    static const struct {
        struct steps a, b;
        size_t n_a, n_b;
        double effect, larger, smaller, floor;
    } each[] = {
        /* one rank: exact, 1 of 6 orders */
        { { 2, { 0, 0 }, { 1, 2 } }, { 2, { 0, 0 }, { 3, 4 } }, 2, 2, 1, 1. / 6, 1, 1. / 6 },
        /* two ranks of different speed, each step of b longer */
        { { 4, { 0, 1, 0, 1 }, { 1, 10, 2, 11 } },
          { 4, { 1, 0, 1, 0 }, { 12, 3, 13, 4 } },
          4,
          4,
          1,
          0.0501744,
          0.996915,
          1. / 36 },
        /* ties within the ranks */
        { { 4, { 0, 0, 1, 1 }, { 1, 1, 7, 7 } },
          { 4, { 0, 0, 1, 1 }, { 1, 2, 7, 8 } },
          4,
          4,
          0.5,
          0.239750,
          0.983053,
          1. / 36 },
        /* one rank of a has no steps in b: it is left out */
        { { 4, { 0, 0, 9, 9 }, { 1, 2, 50, 60 } },
          { 2, { 0, 0 }, { 3, 4 } },
          2,
          2,
          1,
          1. / 6,
          1,
          1. / 6 },
        /* no rank in common: all are one block */
        { { 2, { 0, 1 }, { 1, 2 } }, { 2, { 2, 3 }, { 3, 4 } }, 2, 2, 1, 1. / 6, 1, 1. / 6 },
        /* equal times say nothing */
        { { 4, { 0, 0, 1, 1 }, { 5, 5, 5, 5 } },
          { 4, { 0, 0, 1, 1 }, { 5, 5, 5, 5 } },
          4,
          4,
          0,
          1,
          1,
          1. / 36 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct az_step_samples a, b;
        struct az_steps_test t;
        int rc;
        fill(&a, &each[i].a, AZ_STEP_IDLE);
        fill(&b, &each[i].b, AZ_STEP_IDLE);
        assert_true(az_steps_differ(&a, &b, AZ_STEP_IDLE, &t, &rc));
        assert_int_equal(rc, 0);
        assert_int_equal(t.n_a, each[i].n_a);
        assert_int_equal(t.n_b, each[i].n_b);
        near(t.effect, each[i].effect);
        near(t.p_larger, each[i].larger);
        near(t.p_smaller, each[i].smaller);
        near(t.floor, each[i].floor);
        if (each[i].n_a == a.n) { /* the other way round */
            assert_true(az_steps_differ(&b, &a, AZ_STEP_IDLE, &t, &rc));
            near(t.effect, -each[i].effect);
            near(t.p_larger, each[i].smaller);
            near(t.p_smaller, each[i].larger);
        }
        b.n = 0;
        assert_false(az_steps_differ(&a, &b, AZ_STEP_IDLE, &t, &rc));
        assert_false(az_steps_differ(&b, &a, AZ_STEP_IDLE, &t, &rc));
        assert_int_equal(rc, 0);
        az_vec_release(&a);
        az_vec_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scatter_within_ranks),
        cmocka_unit_test(two_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
