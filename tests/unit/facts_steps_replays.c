/* Steps of an operation report by the replays of a captured trace (docs/steps.md 2.5). */
#include "unit/facts_job.h"

#include <stdio.h>

#include "facts/steps.h"
#include "model/opreport.h"

enum { NOT_TIMED = 1, IMPOSSIBLE = 2, OTHER_FILE = 4 };

struct op {
    const char *replay; /* NULL ends a case; "" is an operation outside of replays */
    int64_t at;
    double kernel;
    int device, flags;
};

/* Times are in ns; ticks are half of one. */
static void add_op(struct fix *f, const struct op *o)
{
    struct az_trace *t = &f->t[0];
    const struct az_oprow r = { .start = INT64_MIN,
                                .at = o->at,
                                .first = -1,
                                .last = -1,
                                .call = -1,
                                .kernel = o->kernel,
                                .code = name_of(t, "Matmul"),
                                .replay = *o->replay ? name_of(t, o->replay) : AZ_NO_ID,
                                .device = o->device,
                                .sub = AZ_NO_ID,
                                .file = (o->flags & OTHER_FILE) != 0,
                                .kind = AZ_OPROW_DEVICE,
                                .timed = !(o->flags & NOT_TIMED),
                                .impossible = (o->flags & IMPOSSIBLE) != 0 };
    assert_int_equal(az_vec_push(&az_opreport(t)->rows, r), 0);
    if (az_oprow_counts(&r))
        add(t, AZ_KERNEL, "Matmul", stream_lane(t, 1, o->device, 7), 2 * o->at,
            2 * (o->at + (int64_t)o->kernel), 0);
}

static const char *steps_of(struct fix *f)
{
    static char text[1000];
    int rc;
    make_job(f, 1);
    const struct az_steps *s = az_job_steps(&f->job, 0, &rc);
    assert_non_null(s);
    int n = snprintf(text, sizeof text, "%.*s '%.*s'", AZ_SVF(az_sv_str(az_step_source_id(s->how))),
                     AZ_SVF(s->mark));
    for (size_t i = 0; i < s->n; i++) {
        const struct az_step *x = &s->v[i];
        n += snprintf(text + n, sizeof text - (size_t)n, " %.*s %ld-%ld (%ld-%ld) of %.*s",
                      AZ_SVF(x->name), (long)x->start, (long)x->end, (long)x->work_start,
                      (long)x->work_end, AZ_SVF(x->mark));
        assert_int_equal(x->number, i);
        assert_int_equal(x->mark_start, x->start);
        assert_int_equal(x->mark_end, x->end);
    }
    return text;
}

enum { MOST = 10 };
static const struct {
    struct op v[MOST];
    const char *want;
} cases[] = {
    { { { "a/1", 100, 10, 0, 0 }, { "a/1", 120, 10, 0, 0 }, { "a/2", 200, 30, 0, 0 } },
      "trace_replay 'a' replay 0 200-260 (200-260) of a/1 replay 1 400-460 (400-460) of a/2" },
    /* once is no repetition */
    { { { "a/1", 100, 10, 0, 0 }, { "b/1", 120, 10, 0, 0 }, { "", 200, 30, 0, 0 } }, "" },
    /* the trace with the most time of those that are replayed twice */
    { { { "b/1", 0, 900, 0, 0 },
        { "a/1", 1000, 5, 0, 0 },
        { "a/2", 1010, 5, 0, 0 },
        { "a/3", 1020, 5, 0, 0 },
        { "c/1", 1100, 10, 0, 0 },
        { "c/2", 1200, 10, 0, 0 } },
      "trace_replay 'c' replay 0 2200-2220 (2200-2220) of c/1 replay 1 2400-2420 (2400-2420) of "
      "c/2" },
    /* of as much time the first one */
    { { { "c/7", 0, 10, 0, 0 },
        { "a/1", 50, 10, 0, 0 },
        { "a/2", 100, 10, 0, 0 },
        { "c/8", 150, 10, 0, 0 } },
      "trace_replay 'c' replay 0 0-20 (0-20) of c/7 replay 1 300-320 (300-320) of c/8" },
    /* by time, in any order of the rows; a replay ends where the next one begins */
    { { { "a/2", 300, 10, 0, 0 },
        { "a/1", 100, 10, 0, 0 },
        { "a/1", 50, 10, 1, 0 },
        { "a/2", 105, 10, 1, 0 },
        { "a/3", 310, 10, 0, 0 } },
      "trace_replay 'a' replay 0 100-210 (100-220) of a/1 replay 1 210-620 (210-620) of a/2 "
      "replay 2 620-640 (620-640) of a/3" },
    /* what does not count, and another host */
    { { { "a/1", 100, 10, 0, 0 },
        { "a/1", 10, 500, 0, NOT_TIMED },
        { "a/2", 200, 10, 0, 0 },
        { "a/2", 20, 500, 0, IMPOSSIBLE },
        { "a/3", 300, 10, 4, OTHER_FILE } },
      "trace_replay 'a' replay 0 200-220 (200-220) of a/1 replay 1 400-420 (400-420) of a/2" },
    /* the id is what is before the last slash; without one it is empty */
    { { { "x/y/1", 100, 10, 0, 0 }, { "x/z/1", 200, 10, 0, 0 }, { "x/y/2", 300, 10, 0, 0 } },
      "trace_replay 'x/y' replay 0 200-220 (200-220) of x/y/1 replay 1 600-620 (600-620) of "
      "x/y/2" },
    { { { "7", 100, 10, 0, 0 }, { "/8", 200, 10, 0, 0 } },
      "trace_replay '' replay 0 200-220 (200-220) of 7 replay 1 400-420 (400-420) of /8" },
    /* parts of a nanosecond are rounded */
    { { { "a/1", 100, 10.4, 0, 0 }, { "a/2", 200, 10.6, 0, 0 } },
      "trace_replay 'a' replay 0 200-220 (200-220) of a/1 replay 1 400-422 (400-420) of a/2" },
};

static void replays_of_a_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        void *own;
        setup(&own);
        struct fix *f = own;
        assert_int_equal(az_opreport_init(&f->t[0]), 0);
        f->t[0].caps |= AZ_CAP_OPREPORT;
        f->t[0].ticks_per_ns = 2;
        f->opts.steps = AZ_SV("marks");
        for (size_t k = 0; k < MOST && cases[i].v[k].replay; k++)
            add_op(f, &cases[i].v[k]);
        assert_string_equal(steps_of(f), *cases[i].want ? cases[i].want : " ''");
        assert_int_equal(teardown(&own), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(replays_of_a_trace) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
