/* Windows: what the options say, and which events are inside. */
#include "unit/analyses_trace.h"

#include "model/dispatch.h"
#include "model/window.h"

struct state {
    struct az_mem mem;
    struct az_trace t;
    struct az_options o;
    struct az_diag diag;
};

static int setup(void **state)
{
    struct state *s = calloc(1, sizeof *s);
    az_mem_init(&s->mem, 0);
    az_diag_init(&s->diag);
    new_trace(&s->t, &s->mem);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct state *s = *state;
    az_trace_release(&s->t);
    az_diag_release(&s->diag);
    const size_t left = s->mem.used;
    free(s);
    return left == 0 ? 0 : -1;
}

/* Ends that are none, and windows in which nothing can be. */
static void ends(void **state)
{
    static const char *const good[] = { "", "1.5s", "0%", "100%", "@step" }, *const bad[] = {
        "5x", "@", "101%", "-1%", "%", "-1s", "soon"
    };
    static const struct {
        const char *from, *to;
        bool empty;
    } windows[] = { { "2s", "1s", true },     { "1s", "1s", true },   { "1s", "2s", false },
                    { "60%", "40%", true },   { "5%", "5%", true },   { "40%", "60%", false },
                    { "60%", "1s", false },   { "2s", "", false },    { "", "1s", false },
                    { "2s", "@step", false }, { "soon", "1s", false } };
    struct az_window_end end;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(good); i++)
        assert_true(az_window_end(az_sv_str(good[i]), &end));
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        assert_false(az_window_end(az_sv_str(bad[i]), &end));
    for (size_t i = 0; i < AZ_LENGTH(windows); i++)
        assert_int_equal(az_window_is_empty(az_sv_str(windows[i].from), az_sv_str(windows[i].to)),
                         windows[i].empty);
}

static void times(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = { { "1.5s", 1500000000 }, { "250ms", 250000000 }, { "10us", 10000 },
                 { "5 ns", 5 },          { "2", 2000000000 },    { "0", 0 } };
    static const char *const bad[] = { "", "x", "-1s", "1h", "ms", "1e40s" };
    int64_t ns, first, last;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(good); i++) {
        assert_true(az_window_time(az_sv_str(good[i].text), &ns));
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        assert_false(az_window_time(az_sv_str(bad[i]), &ns));
    assert_true(az_window_steps(AZ_SV("12"), &first, &last) && first == 12 && last == 12);
    assert_true(az_window_steps(AZ_SV("10-12"), &first, &last) && first == 10 && last == 12);
    assert_false(az_window_steps(AZ_SV("12-10"), &first, &last));
    assert_false(az_window_steps(AZ_SV("auto"), &first, &last));
    assert_false(az_window_steps(AZ_SV("-3"), &first, &last));
}

/* step 0 [0, 100), step 1 [100, 200); a launch in each, whose kernels run at 150 and 400, and a
 * kernel without call at 120. */
static void fill(struct state *s)
{
    struct az_trace *t = &s->t;
    const uint32_t host = host_lane(t, 1, 1), stream = stream_lane(t, 1, 0, 7);
    add_range(t, "step 0", host, 0, 100, 0, 0, false);
    add_range(t, "step 1", host, 100, 200, 1, 0, false);
    add_range(t, "all", host, 0, 1000, 2, 0, false);
    add(t, AZ_CALL, "cudaLaunchKernel", host, 90, 105, 1);
    add(t, AZ_CALL, "cudaLaunchKernel", host, 110, 115, 2);
    add(t, AZ_KERNEL, "first", stream, 150, 160, 1);
    add(t, AZ_KERNEL, "second", stream, 400, 500, 2);
    add(t, AZ_KERNEL, "alone", stream, 120, 130, 0);
}

static void seal(struct state *s, enum az_window_miss want)
{
    struct az_window w;
    bool any;
    assert_int_equal(az_window_read(&s->o, &w, &any, &s->diag), 0);
    s->t.window = any ? &w : NULL;
    assert_int_equal(az_trace_finalize(&s->t), 0);
    assert_int_equal(s->t.window_miss, want);
    assert_int_equal(s->t.windowed, any && want == AZ_WINDOW_FOUND);
}

static void read_options(struct state *s, const char *from, const char *to, const char *range,
                         const char *steps)
{
    s->o = (struct az_options){ .from = az_sv_str(from),
                                .to = az_sv_str(to),
                                .range = az_sv_str(range),
                                .steps = az_sv_str(steps) };
}

static void by_steps(void **state)
{
    struct state *s = *state;
    fill(s);
    read_options(s, "", "", "", "1");
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(s->t.ev[AZ_RANGE].n, 2);
    assert_int_equal(s->t.ev[AZ_CALL].n, 1);
    assert_int_equal(s->t.ev[AZ_KERNEL].n, 2); /* its own, and the one without a call */
    assert_true(az_sv_is(az_trace_text(&s->t, s->t.ev[AZ_KERNEL].name[1]), "second"));
    assert_int_equal(s->t.drops.n, 1);
    assert_int_equal(s->t.drops.v[0].kind, AZ_DROP_FILTERED);
    assert_int_equal(s->t.drops.v[0].ticks, 10);
}

/* The first call of an id counts, and a kernel goes with its call, whether ids are dense, far apart
 * or of two processes. */
static void ids_of_calls(void **state)
{
    static const uint64_t last[] = { 4, UINT64_MAX, 1 << 20 };
    struct state *s = *state;
    for (size_t i = 0; i < AZ_LENGTH(last); i++) {
        const uint32_t host = host_lane(&s->t, 1, 1), stream = stream_lane(&s->t, 1, 0, 7);
        add_range(&s->t, "part", host, 1000, 2000, 0, 0, false);
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, 10, 20, 3);
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, 1010, 1020, 3); /* its id again */
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, 1030, 1040, last[i]);
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, 2010, 2020, 2);
        add(&s->t, AZ_KERNEL, "before", stream, 1500, 1510, 3);
        add(&s->t, AZ_KERNEL, "inside", stream, 2500, 2510, last[i]);
        add(&s->t, AZ_KERNEL, "after", stream, 1600, 1610, 2);
        add(&s->t, AZ_KERNEL, "without call", stream, 1700, 1710, 1);
        if (i == 2) {
            const uint32_t other = host_lane(&s->t, 2, 1);
            s->t.lanes.v[other].proc = 2;
            add(&s->t, AZ_CALL, "cudaLaunchKernel", other, 2030, 2040, 1);
        }
        read_options(s, "", "", "part", "");
        seal(s, AZ_WINDOW_FOUND);
        assert_int_equal(s->t.ev[AZ_KERNEL].n, 2);
        assert_true(az_sv_is(az_trace_text(&s->t, s->t.ev[AZ_KERNEL].name[0]), "without call"));
        assert_true(az_sv_is(az_trace_text(&s->t, s->t.ev[AZ_KERNEL].name[1]), "inside"));
        az_trace_release(&s->t);
        new_trace(&s->t, &s->mem);
    }
}

static void by_range(void **state)
{
    struct state *s = *state;
    fill(s);
    read_options(s, "", "", "step ?", "auto");
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(s->t.ev[AZ_KERNEL].n, 3);
    assert_int_equal(s->t.window_work.n, 1); /* the instances touch: one part */
}

static void parts(void **state)
{
    struct state *s = *state;
    const uint32_t host = host_lane(&s->t, 1, 1), stream = stream_lane(&s->t, 1, 0, 7);
    for (int i = 0; i < 3; i++) {
        add_range(&s->t, "part", host, i * 1000, i * 1000 + 100, (uint64_t)i, 0, false);
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, i * 1000 + 10, i * 1000 + 20,
            (uint64_t)i + 1);
        add(&s->t, AZ_KERNEL, "gemm", stream, i * 1000 + 200, i * 1000 + 300, (uint64_t)i + 1);
    }
    read_options(s, "", "", "part", "");
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(s->t.window_work.n, 3);
    assert_int_equal(az_window_between(&s->t, 200, 2300), 1800);
    assert_int_equal(az_window_between(&s->t, 250, 1250), 900);
    assert_int_equal(az_window_between(&s->t, 300, 300), 0);
}

/* Steps that follow each other are one part, with what is between them; steps of the same numbers
 * later are another. */
static void runs_of_steps(void **state)
{
    static const char *const name[] = {
        "step 0", "step 1", "step 2", "step 3", "step 1", "step 3"
    };
    struct state *s = *state;
    const uint32_t host = host_lane(&s->t, 1, 1), stream = stream_lane(&s->t, 1, 0, 7);
    for (int i = 0; i < 6; i++) {
        const int64_t at = i * 1000;
        const uint64_t corr = 2 * (uint64_t)i + 1;
        add_range(&s->t, name[i], host, at, at + 500, (uint64_t)i, 0, false);
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, at + 10, at + 20, corr);
        add(&s->t, AZ_KERNEL, "inside", stream, at + 100, at + 200, corr);
        add(&s->t, AZ_CALL, "cudaLaunchKernel", host, at + 600, at + 610, corr + 1);
        add(&s->t, AZ_KERNEL, "between", stream, at + 700, at + 800, corr + 1);
    }
    read_options(s, "", "", "", "1-2");
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(s->t.recorded_window.n, 2);
    assert_int_equal(s->t.recorded_window.v[0].start, 1000);
    assert_int_equal(s->t.recorded_window.v[0].end, 2500);
    assert_int_equal(s->t.ev[AZ_KERNEL].n, 4);
    assert_int_equal(az_window_between(&s->t, 1200, 2100), 0);
}

static void names(void **state)
{
    const struct az_window w = { .range = AZ_SV("fwd*") };
    (void)state;
    assert_true(az_window_names(&w, AZ_SV(":fwd 1")) && az_window_names(&w, AZ_SV("fwd")));
    const struct az_window path = { .range = AZ_SV("step * / a / b*") };
    assert_true(az_window_names(&path, AZ_SV("b 1")) &&
                az_window_names(&path, AZ_SV("step 1 / a / b")));
    assert_false(az_window_names(&path, AZ_SV("a")) || az_window_names(&path, AZ_SV("step 1")));
    assert_false(az_window_names(&w, AZ_SV("::fwd")) || az_window_names(&w, AZ_SV("x:fwd")));
}

static void by_time(void **state)
{
    struct state *s = *state;
    fill(s);
    read_options(s, "100ns", "@step*", "", "");
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(s->t.ev[AZ_CALL].n, 1);
    assert_int_equal(s->t.ev[AZ_KERNEL].n, 2);
}

static void by_parts(void **state)
{
    struct state *s = *state;
    fill(s);
    read_options(s, "10.5%", "100%", "", ""); /* of 1000: from 105 on */
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(s->t.ev[AZ_CALL].n, 1);
    assert_int_equal(s->t.ev[AZ_KERNEL].n, 2);
}

/* Counters go with their dispatch. */
static void counters(void **state)
{
    struct state *s = *state;
    struct az_trace *t = &s->t;
    const uint32_t host = host_lane(t, 1, 1), stream = stream_lane(t, 1, 0, 7);
    assert_int_equal(az_dispatches_init(t), 0);
    struct az_dispatches *d = az_dispatches(t);
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t at = i * 100;
        const struct az_event e = { .start = at + 50,
                                    .end = at + 60,
                                    .name = name_of(t, "gemm"),
                                    .lane = stream,
                                    .side = i,
                                    .corr = i + 1 };
        add(t, AZ_CALL, "hipLaunchKernel", host, at, at + 5, i + 1);
        assert_int_equal(az_vec_push(&d->rows, ((struct az_dispatch){ .id = 10 + i })), 0);
        assert_int_equal(az_trace_add(t, AZ_KERNEL, &e), 0);
        assert_int_equal(
            az_vec_push(&d->counters, ((struct az_counter){ .proc = 1 << 24, .dispatch = 10 + i })),
            0);
    }
    read_options(s, "100ns", "150ns", "", "");
    seal(s, AZ_WINDOW_FOUND);
    assert_int_equal(t->ev[AZ_KERNEL].n, 1);
    assert_int_equal(d->counters.n, 1);
    assert_int_equal(d->counters.v[0].dispatch, 11);
}

static void misses(void **state)
{
    static const struct {
        const char *range, *steps, *from;
        enum az_window_miss miss;
    } each[] = { { "none", "", "", AZ_WINDOW_NO_RANGE },
                 { "", "9", "", AZ_WINDOW_NO_STEP },
                 { "", "", "@none", AZ_WINDOW_NO_RANGE } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        void *own = NULL;
        setup(&own);
        fill(own);
        read_options(own, each[i].from, "", each[i].range, each[i].steps);
        seal(own, each[i].miss);
        assert_int_equal(((struct state *)own)->t.ev[AZ_KERNEL].n, 3);
        assert_int_equal(teardown(&own), 0);
    }
    void *own = NULL;
    setup(&own);
    struct state *s = own;
    add(&s->t, AZ_KERNEL, "gemm", stream_lane(&s->t, 1, 0, 7), 1, 2, 0);
    read_options(s, "", "", "", "1");
    seal(s, AZ_WINDOW_NO_MARKS);
    assert_int_equal(teardown(&own), 0);
}

/* Steps of a window that the trace does not have are counted, and the others named. */
static void missing_steps(void **state)
{
    static const struct {
        const char *steps, *text;
        uint64_t missing;
    } each[] = {
        { "1-2", "x: missing step '2' of '1-2'; the trace has 2 steps, 0-1", 1 },
        { "0-3", "x: missing 2 of 4 steps '0-3'; the trace has 2 steps, 0-1", 2 },
        { "0-9223372036854775807",
          "x: missing 9223372036854775806 of 9223372036854775808 steps '0-9223372036854775807'; "
          "the trace has 2 steps, 0-1",
          INT64_MAX - 1 },
        { "0-1", NULL, 0 },
        { "7", "x: no step '7'; the trace has 2 steps, 0-1", 0 },
        { "7-8", "x: no steps '7-8'; the trace has 2 steps, 0-1", 0 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        void *own = NULL;
        struct az_window w;
        struct az_vec_i64 numbers;
        bool any;
        setup(&own);
        struct state *s = own;
        fill(s);
        read_options(s, "", "", "", each[i].steps);
        assert_int_equal(az_window_read(&s->o, &w, &any, &s->diag), 0);
        az_vec_init(&numbers, &s->mem);
        w.numbers = &numbers;
        s->t.window = &w;
        assert_int_equal(az_trace_finalize(&s->t), 0);
        const int rc =
            az_window_check(&s->diag, AZ_SV("x"), &w, &s->t, (enum az_window_miss)s->t.window_miss);
        assert_int_equal(rc, i < 4 ? AZ_OK : AZ_EEMPTY);
        assert_int_equal(s->diag.list.n, each[i].text != NULL);
        if (each[i].text)
            assert_string_equal(s->diag.list.v[0].text.p, each[i].text);
        assert_int_equal(s->t.notes.n, each[i].missing != 0);
        if (each[i].missing)
            assert_true(s->t.notes.v[0].count == each[i].missing);
        az_vec_release(&numbers);
        assert_int_equal(teardown(&own), 0);
    }
}

static void invalid(void **state)
{
    struct state *s = *state;
    struct az_window w;
    bool any;
    read_options(s, "2s", "1s", "", "");
    assert_int_equal(az_window_read(&s->o, &w, &any, &s->diag), AZ_ECONFIG);
    read_options(s, "60%", "50%", "", "");
    assert_int_equal(az_window_read(&s->o, &w, &any, &s->diag), AZ_ECONFIG);
    read_options(s, "soon", "", "", "");
    assert_int_equal(az_window_read(&s->o, &w, &any, &s->diag), AZ_ECONFIG);
    read_options(s, "", "", "", "marks");
    assert_int_equal(az_window_read(&s->o, &w, &any, &s->diag), 0);
    assert_false(any);
}

/* Each record has its bytes; of runs of records with one origin the first record counts. */
static void records_of_a_file(void **state)
{
    struct state *s = *state;
    struct az_cut_log log;
    for (int runs = 0; runs < 2; runs++) {
        az_cut_log_init(&log, &s->mem);
        assert_int_equal(az_cut_log_event(&log), 0);
        log.runs = runs;
        assert_int_equal(az_cut_log_begin(&log, 10, 20), 0);
        assert_int_equal(az_cut_log_event(&log), 1);
        assert_int_equal(az_cut_log_begin(&log, 10, 30), 0);
        assert_int_equal(az_cut_log_event(&log), 2);
        log.what.v[1] |= AZ_RECORD_KEPT;
        assert_int_equal(az_cut_log_begin(&log, 40, 50), 0);
        assert_int_equal(log.now, 3);
        assert_int_equal(log.what.n, 3);
        assert_int_equal(log.from.n, runs ? 2 : 3);
        assert_int_equal(log.to.n, runs ? 2 : 3);
        assert_int_equal(log.from.v[1], runs ? 40 : 10);
        assert_int_equal(log.to.v[0], runs ? 0 : 20);
        assert_int_equal(log.to.v[1], runs ? 2 : 30);
        assert_true(az_cut_log_is_gone(&log, 0));
        assert_false(az_cut_log_is_gone(&log, 1)); /* an event of it is inside */
        assert_false(az_cut_log_is_gone(&log, 2)); /* it has no event */
        if (!runs) {
            az_cut_log_end(&log, 60);
            assert_int_equal(log.to.v[2], 60);
            assert_int_equal(log.now, 0);
        }
        assert_true(s->mem.used > 0);
        az_cut_log_release(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),
        cmocka_unit_test(times),
        cmocka_unit_test_setup_teardown(by_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(ids_of_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(by_range, setup, teardown),
        cmocka_unit_test_setup_teardown(parts, setup, teardown),
        cmocka_unit_test_setup_teardown(runs_of_steps, setup, teardown),
        cmocka_unit_test(names),
        cmocka_unit_test_setup_teardown(by_time, setup, teardown),
        cmocka_unit_test_setup_teardown(by_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(counters, setup, teardown),
        cmocka_unit_test(misses),
        cmocka_unit_test(missing_steps),
        cmocka_unit_test_setup_teardown(invalid, setup, teardown),
        cmocka_unit_test_setup_teardown(records_of_a_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
