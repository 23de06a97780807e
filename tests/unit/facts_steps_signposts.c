/* Steps of an operation report by signposts: whether the last signpost begins one
 * (docs/steps.md 2.4). */
#include "unit/allocations.h"
#include "unit/facts_job.h"

#include <stdio.h>

#include "facts/steps.h"
#include "model/opreport.h"

enum { EVERY = 1000, FIRST = 1000, OPERATION = 50 };

static void add_row(struct fix *f, enum az_opkind kind, const char *code, int64_t at)
{
    struct az_trace *t = &f->t[0];
    const struct az_oprow r = { .start = at,
                                .at = at,
                                .first = -1,
                                .last = -1,
                                .call = -1,
                                .kernel = OPERATION,
                                .code = name_of(t, code),
                                .replay = AZ_NO_ID,
                                .device = 0,
                                .sub = AZ_NO_ID,
                                .kind = kind,
                                .timed = kind == AZ_OPROW_DEVICE };
    assert_int_equal(az_vec_push(&az_opreport(t)->rows, r), 0);
    if (kind == AZ_OPROW_DEVICE)
        add(t, AZ_KERNEL, code, stream_lane(t, 1, 0, 7), at, at + OPERATION, 0);
}

/* Of a signpost "iteration N" each; operations[i] are after it. */
static const struct az_steps *steps_of(struct fix *f, const int *operations, bool windowed)
{
    int rc;
    for (int i = 0; operations[i] >= 0; i++) {
        char text[32];
        snprintf(text, sizeof text, "iteration %d", i);
        add_row(f, AZ_OPROW_SIGNPOST, text, FIRST + i * EVERY);
        for (int k = 0; k < operations[i]; k++)
            add_row(f, AZ_OPROW_DEVICE, "Matmul", FIRST + i * EVERY + (k + 1) * 100);
    }
    f->t[0].windowed = windowed;
    make_job(f, 1);
    const struct az_steps *s = az_job_steps(&f->job, 0, &rc);
    assert_non_null(s);
    return s;
}

static void the_last_signpost_begins_a_step_like_the_others(void **state)
{
    (void)state;
    static const struct {
        int operations[5];
        bool windowed;
        size_t want;
    } cases[] = {
        { { 2, 2, 2, -1 }, false, 3 },
        { { 2, 2, 1, -1 }, false, 2 }, /* the recording ends in it */
        { { 2, 2, 3, -1 }, false, 2 }, /* something else follows */
        { { 2, 2, 1, -1 }, true, 3 },  /* the user's window ends in it */
        { { 2, 1, 2, 1, -1 }, false, 4 },
        { { 2, 2, 0, -1 }, true, 2 }, /* nothing is after it */
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        void *own;
        setup(&own);
        struct fix *f = own;
        assert_int_equal(az_opreport_init(&f->t[0]), 0);
        f->t[0].caps |= AZ_CAP_OPREPORT;
        f->opts.steps = AZ_SV("marks");
        const struct az_steps *s = steps_of(f, cases[i].operations, cases[i].windowed);
        assert_int_equal(s->how, AZ_STEPS_SIGNPOSTS);
        assert_int_equal(s->n, cases[i].want);
        for (size_t k = 0; k < s->n; k++) {
            const int64_t first = FIRST + (int64_t)k * EVERY;
            assert_int_equal(s->v[k].start, first + 100);
            assert_int_equal(s->v[k].end, first + 100 * cases[i].operations[k] + OPERATION);
        }
        assert_int_equal(teardown(&own), 0);
    }
}

/* Texts without a step name: the one that comes most often, of equals the first, and none that
 * comes once. After each "a" are nine operations and after any other one, so that the time between
 * an "a" and what follows is most of the device time. */
static void the_most_frequent_signpost_begins_steps(void **state)
{
    (void)state;
    static const struct {
        const char *texts; /* of signposts, a letter each */
        size_t want;
    } cases[] = {
        { "a", 0 },        { "ab", 0 },       { "aaaaaaaa", 7 }, /* the last one has no end */
        { "abababab", 4 }, { "babababa", 0 }, { "abbabbabb", 0 }, { "aabaabaab", 6 },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        void *own;
        int rc;
        setup(&own);
        struct fix *f = own;
        assert_int_equal(az_opreport_init(&f->t[0]), 0);
        f->t[0].caps |= AZ_CAP_OPREPORT;
        f->opts.steps = AZ_SV("marks");
        for (int k = 0; cases[i].texts[k]; k++) {
            const char text[] = { cases[i].texts[k], 0 };
            add_row(f, AZ_OPROW_SIGNPOST, text, FIRST + k * EVERY);
            for (int n = 0; n < (text[0] == 'a' ? 9 : 1); n++)
                add_row(f, AZ_OPROW_DEVICE, "Matmul", FIRST + k * EVERY + (n + 1) * 100);
        }
        make_job(f, 1);
        const struct az_steps *s = az_job_steps(&f->job, 0, &rc);
        assert_non_null(s);
        assert_int_equal(s->n, cases[i].want);
        assert_int_equal(s->how, s->n ? AZ_STEPS_SIGNPOSTS : AZ_STEPS_NONE);
        for (size_t k = 0; k < s->n; k++)
            assert_true(az_sv_is(s->v[k].mark, "a"));
        assert_int_equal(teardown(&own), 0);
    }
}

#ifdef AZ_ALLOCATIONS
/* Each request fails once: the steps are those of a run without the failure, or there is an error.
 */
static void steps_without_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (long fails = 1; failed; fails++) {
        void *own;
        int rc = 0;
        setup(&own);
        struct fix *f = own;
        assert_int_equal(az_opreport_init(&f->t[0]), 0);
        f->t[0].caps |= AZ_CAP_OPREPORT;
        f->opts.steps = AZ_SV("marks");
        for (int k = 0; k < 8; k++) {
            add_row(f, AZ_OPROW_SIGNPOST, k % 2 ? "b" : "a", FIRST + k * EVERY);
            for (int n = 0; n < (k % 2 ? 1 : 9); n++)
                add_row(f, AZ_OPROW_DEVICE, "Matmul", FIRST + k * EVERY + (n + 1) * 100);
        }
        make_job(f, 1);
        atomic_store(&requests, 0);
        atomic_store(&fails_at, fails);
        atomic_store(&counting, true);
        const struct az_steps *s = az_job_steps(&f->job, 0, &rc);
        atomic_store(&counting, false);
        failed = atomic_load(&requests) >= fails;
        assert_int_equal(rc, s ? 0 : AZ_ENOMEM);
        assert_true(s || failed);
        assert_int_equal(s ? s->n : 4, 4);
        assert_int_equal(teardown(&own), 0);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_signpost_begins_a_step_like_the_others),
        cmocka_unit_test(the_most_frequent_signpost_begins_steps),
#ifdef AZ_ALLOCATIONS
        cmocka_unit_test(steps_without_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
