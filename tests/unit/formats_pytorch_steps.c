/* Steps of a serving engine in a PyTorch trace: which steps there are, and which events a trace of
 * some of them has, at every edge. */
#include "formats_nsys.h"

#include "formats/pytorch/pytorch_steps.h"
#include "io/source.h"

#define SPAN(cat, tid, ts, dur, args)                                                              \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"n\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts      \
    ",\"dur\":" #dur ",\"args\":{" args "}}"
#define STEP(name, tid, ts, dur)                                                                   \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid      \
    ",\"ts\":" #ts ",\"dur\":" #dur "}"
#define CORR(id) "\"correlation\":" #id

/* Steps by start: 0 is event 2, 1 event 3, 2 event 1, 3 event 4, 4 event 5. */
static const char *const events[] = {
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"p\"}}",
    STEP("execute_context_0(0)_generation_2(2)", 7, 200, 100),
    STEP("execute_context_1(8)_generation_0(0)", 7, 100, 100),
    STEP("execute_context_0(0)_generation_3(3)", 8, 150, 10),
    STEP("execute_context_0(0)_generation_4(4)", 7, 400, 200),
    STEP("execute_context_0(0)_generation_5(5)", 7, 450, 50),
    STEP("forward", 7, 10, 5),
    SPAN("cpu_op", 7, 99, 2, ""), /* begins before a step */
    SPAN("cpu_op", 7, 100, 1, ""),
    SPAN("cpu_op", 7, 199, 1, ""),
    SPAN("cpu_op", 7, 199, 2, ""), /* ends after it */
    SPAN("cpu_op", 7, 200, 0, ""), /* at the end of one, and the begin of the next */
    SPAN("cpu_op", 8, 150, 10, ""),
    SPAN("cpu_op", 8, 120, 10, ""), /* in time of the first, of another thread */
    SPAN("cpu_op", 7, 460, 10, ""), /* in two steps */
    SPAN("cpu_op", 7, 510, 10, ""), /* in the outer one only */
    SPAN("cpu_op", 7, 600, 1, ""),
    SPAN("cuda_runtime", 7, 110, 5, CORR(11)),
    SPAN("cuda_driver", 7, 111, 1, CORR(11)),
    SPAN("cuda_runtime", 7, 455, 5, CORR(12)),
    SPAN("cuda_runtime", 7, 50, 5, CORR(13)),
    SPAN("cuda_runtime", 7, 250, 5, CORR(14)),
    SPAN("kernel", 0, 900, 20, CORR(11)),
    SPAN("gpu_memcpy", 0, 880, 10, CORR(11)),
    SPAN("gpu_memset", 1, 950, 10, CORR(12)),
    SPAN("kernel", 1, 955, 10, CORR(13)),
    SPAN("gpu_user_annotation", 1, 970, 10, CORR(14)),
    SPAN("kernel", 1, 100, 10, ""), /* in time of a step, without a call */
    "{\"ph\":\"s\",\"id\":11,\"pid\":1,\"tid\":7,\"ts\":110,\"cat\":\"ac2g\",\"name\":\"ac2g\"}",
    "{\"ph\":\"f\",\"id\":11,\"pid\":0,\"tid\":0,\"ts\":900,\"cat\":\"ac2g\",\"name\":\"ac2g\"}",
    "{\"ph\":\"f\",\"id\":13,\"pid\":0,\"tid\":0,\"ts\":955,\"cat\":\"ac2g\",\"name\":\"ac2g\"}",
    "{\"ph\":\"f\",\"id\":\"11\",\"pid\":0,\"tid\":0,\"ts\":900,\"cat\":\"ac2g\",\"name\":\"x\"}",
    "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":7,\"ts\":120}",
};

static void write_events(struct fixture *f, const char *const *list, size_t n)
{
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    assert_int_equal(az_text_printf(&text,
                                    "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}],\n"
                                    "\"traceEvents\": [\n"),
                     0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(az_text_printf(&text, "%s%s", i ? ",\n" : "", list[i]), 0);
    assert_int_equal(az_text_printf(&text, "\n], \"traceName\": \"t.json\"}\n"), 0);
    (void)fixture_write(f, "t.json", text.v, text.n);
    az_vec_release(&text);
}

static struct az_pytorch_steps *open_steps(struct fixture *f)
{
    struct az_pytorch_steps *s;
    const struct az_pytorch_steps_opts o = {
        .path = fixture_path(f, "t.json"), .opts = &f->opts, .mem = &f->mem, .diag = &f->diag
    };
    assert_int_equal(az_pytorch_steps_open(&s, &o), 0);
    return s;
}

/* The steps make a trace of these events, -1 the end, and have these sums. */
static void writes(struct fixture *f, const struct az_pytorch_steps *s, const size_t *step,
                   size_t n, const int *want, struct az_pytorch_steps_sum sum)
{
    struct az_pytorch_steps_sum got;
    struct az_vec_char text;
    struct az_source *src;
    struct az_source_opts o = { .diag = &f->diag };
    struct az_sv all;
    const char *path = fixture_path(f, "out.json.gz");
    uint64_t count = 0;

    assert_int_equal(az_pytorch_steps_write(s, step, n, path, &got), 0);
    assert_int_equal(az_source_open(&src, path, &o), 0);
    assert_int_equal(az_source_all(src, &f->arena, 0, &all), 0);
    az_vec_init(&text, NULL);
    assert_int_equal(az_text_printf(&text, "{\n\"schemaVersion\": 1,\n\"deviceProperties\": "
                                           "[{\"id\": 0}],\n\"traceName\": \"t.json\",\n"
                                           "\"traceEvents\": ["),
                     0);
    for (; want[count] >= 0; count++)
        assert_int_equal(az_text_printf(&text, "%s\n%s", count ? "," : "", events[want[count]]), 0);
    assert_int_equal(az_text_printf(&text, "\n]\n}\n"), 0);
    if (all.n != text.n || memcmp(all.p, text.v, text.n) != 0)
        fail_msg("%.*s\nwanted:\n%.*s", AZ_SVF(all), (int)text.n, text.v);
    assert_int_equal(got.events, count);
    assert_int_equal(got.device_events, sum.device_events);
    assert_int_equal(got.device_span, sum.device_span);
    assert_int_equal(got.device_time, sum.device_time);
    az_vec_release(&text);
    az_source_close(src);
}

static void finds_steps_by_start(void **state)
{
    static const struct {
        int64_t start, end, requests, prompts;
        bool same_thread; /* as the first */
    } want[] = { { 100000, 200000, 1, 1, true },
                 { 150000, 160000, 3, 0, false },
                 { 200000, 300000, 2, 0, true },
                 { 400000, 600000, 4, 0, true },
                 { 450000, 500000, 5, 0, true } };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    write_events(&f, events, AZ_LENGTH(events));
    struct az_pytorch_steps *s = open_steps(&f);
    const struct az_pytorch_step_list *list = az_pytorch_steps_of(s);
    assert_int_equal(list->n, AZ_LENGTH(want));
    for (size_t i = 0; i < list->n; i++) {
        const struct az_pytorch_step *x = &list->v[i];
        assert_int_equal(x->start, want[i].start);
        assert_int_equal(x->end, want[i].end);
        assert_int_equal(az_engine_requests(&x->counts), want[i].requests);
        assert_int_equal(x->counts.context_requests, want[i].prompts);
        assert_true(x->named);
        assert_int_equal(x->tid == list->v[0].tid, want[i].same_thread);
        assert_int_equal(x->pid, list->v[0].pid);
    }
    assert_true(az_sv_is(list->v[4].name, "execute_context_0(0)_generation_5(5)"));
    az_pytorch_steps_close(s);
    fixture_close(&f);
}

static void writes_events_of_steps(void **state)
{
    static const size_t steps[] = { 0, 1, 2, 3, 4 }, twice[] = { 4, 3, 4 };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    write_events(&f, events, AZ_LENGTH(events));
    struct az_pytorch_steps *s = open_steps(&f);
    assert_int_equal(az_pytorch_steps_read(s, 0, 5), 0);
    writes(&f, s, steps, 0, (const int[]){ 0, -1 }, (struct az_pytorch_steps_sum){ 0 });
    writes(&f, s, steps, 1, (const int[]){ 0, 2, 8, 9, 11, 17, 18, 22, 23, 28, 29, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 2, .device_span = 40000, .device_time = 30000 });
    writes(&f, s, steps + 1, 1, (const int[]){ 0, 3, 12, -1 }, (struct az_pytorch_steps_sum){ 0 });
    writes(&f, s, steps + 2, 1, (const int[]){ 0, 1, 11, 21, 26, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 1, .device_span = 10000, .device_time = 10000 });
    writes(&f, s, steps + 3, 1, (const int[]){ 0, 4, 5, 14, 15, 19, 24, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 1, .device_span = 10000, .device_time = 10000 });
    writes(&f, s, steps + 4, 1, (const int[]){ 0, 5, 14, 19, 24, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 1, .device_span = 10000, .device_time = 10000 });
    /* each event once; sums are those of each step */
    writes(&f, s, twice, 2, (const int[]){ 0, 4, 5, 14, 15, 19, 24, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 2, .device_span = 20000, .device_time = 20000 });
    writes(&f, s, steps, 3,
           (const int[]){ 0, 1, 2, 3, 8, 9, 11, 12, 17, 18, 21, 22, 23, 26, 28, 29, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 3, .device_span = 50000, .device_time = 40000 });
    az_pytorch_steps_close(s);
    fixture_close(&f);
}

/* Only events of the steps that are read are there. */
static void reads_a_part(void **state)
{
    static const size_t steps[] = { 0, 1, 2, 3, 4 };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    write_events(&f, events, AZ_LENGTH(events));
    struct az_pytorch_steps *s = open_steps(&f);
    assert_int_equal(az_pytorch_steps_read(s, 2, 4), 0);
    writes(&f, s, steps, 5, (const int[]){ 0, 1, 4, 5, 11, 14, 15, 19, 21, 24, 26, -1 },
           (struct az_pytorch_steps_sum){
               .device_events = 2, .device_span = 20000, .device_time = 20000 });
    az_pytorch_steps_close(s);
    fixture_close(&f);
}

/* Annotations of the best grammar that occurs are steps, wherever they are in the file. */
static void best_grammar_wins(void **state)
{
#define DETAILED "execute_9_context_1(sq8sk8sqsq64sqsk64)_generation_1(sq1sk5sqsq1sqsk5)"
    static const char *const list[] = {
        STEP("execute_context_1(8)_generation_0(0)", 7, 100, 10), STEP(DETAILED, 7, 300, 10),
        STEP("execute_context_1(8)_generation_0(0)", 7, 400, 10), STEP(DETAILED, 7, 200, 10),
        "{\"ph\":\"B\",\"cat\":\"user_annotation\",\"name\":\"" DETAILED
        "\",\"pid\":1,\"tid\":7,\"ts\":500}"
    };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    write_events(&f, list, AZ_LENGTH(list));
    struct az_pytorch_steps *s = open_steps(&f);
    const struct az_pytorch_step_list *found = az_pytorch_steps_of(s);
    assert_int_equal(found->n, 2);
    assert_int_equal(found->v[0].start, 200000);
    assert_int_equal(found->v[1].start, 300000);
    az_pytorch_steps_close(s);
    fixture_close(&f);
}

static void file_without_steps(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    write_events(&f, events + 6, 4);
    struct az_pytorch_steps *s = open_steps(&f);
    assert_int_equal(az_pytorch_steps_of(s)->n, 0);
    az_pytorch_steps_close(s);
    const struct az_pytorch_steps_opts o = {
        .path = fixture_path(&f, "none.json"), .opts = &f.opts, .mem = &f.mem, .diag = &f.diag
    };
    assert_true(az_pytorch_steps_open(&s, &o) < 0);
    assert_null(s);
    az_pytorch_steps_close(NULL);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_steps_by_start), cmocka_unit_test(writes_events_of_steps),
        cmocka_unit_test(reads_a_part),         cmocka_unit_test(best_grammar_wins),
        cmocka_unit_test(file_without_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
