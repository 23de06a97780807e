/* The sentences of the verdict, from parts and findings made by hand: whole lines. */
#include <math.h>
#include <stdio.h>

#include "unit/analyses_parts.h"

#include "document/verdict_table.h"

static const int64_t three[] = { 8, 9, 11 };

struct given {
    const char *rule, *subject;
    int64_t gain;
    struct az_verdict_found f; /* the rest */
};

static void add_given(struct world *x, const struct given *g)
{
    struct az_verdict_found f = g->f;
    f.rule = az_verdict_rule_of(az_sv_str(g->rule));
    assert_non_null(f.rule);
    f.subject = az_sv_str(g->subject ? g->subject : "");
    f.gain = g->gain;
    f.faster = f.faster ? f.faster : -1;
    f.count = f.count ? f.count : 1;
    f.ns = f.ns ? f.ns : g->gain;
    f.advice = f.advice ? f.advice : f.rule->advice;
    assert_int_equal(az_vec_push(&x->found, f), 0);
}

static void print_lines(struct world *x)
{
    struct az_table *t = az_headline_table(x->f->job.arena);
    claims_of(x);
    assert_non_null(t);
    assert_int_equal(az_verdict_put_lines(&x->w, x->c, t), 0);
    assert_int_equal(az_table_finish(t), 0);
    for (size_t i = 0; i < t->rows; i++) {
        const struct az_line l = az_headline_line(t, i);
        assert_int_equal(az_text_printf(&said, "  %.*s%s%.*s\n", AZ_SVF(l.label),
                                        l.label.n ? " | " : "", AZ_SVF(l.text)),
                         0);
    }
    az_table_free(t);
}

/* Lines of findings in an account of 1 ms: 400 us computing, 200 communication, 100 copies. */
static void lines_of(struct fix *f, const char *title, const struct given *g, size_t n)
{
    struct world x;
    world_of(&x, f, 1, 400000, 200000, 100000);
    x.device[0][0].a.span = 1000000;
    x.device[0][0].a.communication = 300000;
    x.device[0][0].a.copy = 150000;
    for (size_t i = 0; i < n && g[i].rule; i++)
        add_given(&x, &g[i]);
    assert_int_equal(az_text_printf(&said, "%s\n", title), 0);
    struct az_table *t = az_headline_table(f->job.arena);
    claims_of(&x);
    assert_int_equal(az_verdict_put_lines(&x.w, x.c, t), 0);
    for (size_t i = 0; i < t->rows; i++) {
        const struct az_line l = az_headline_line(t, i);
        if (l.kind == AZ_LINE_FINDING || l.kind == AZ_LINE_NOTE)
            assert_int_equal(
                az_text_printf(&said, "  %.*s | %.*s\n", AZ_SVF(l.label), AZ_SVF(l.text)), 0);
    }
    az_table_free(t);
    az_vec_release(&x.found);
}

#define SV(t)                                                                                      \
    {                                                                                              \
        (char *)t, sizeof t - 1                                                                    \
    }

static void gaps(void **state)
{
    static const struct {
        const char *title;
        struct given g[6];
    } cases[] = {
        { "one gap", { { "idle", NULL, 20000, { .median = 20000, .largest = 20000 } } } },
        { "two gaps",
          { { "idle", NULL, 20000, { .count = 2, .median = 9000, .largest = 11000 } } } },
        { "many even gaps",
          { { "idle", NULL, 20000, { .count = 10, .median = 2000, .largest = 3000 } } } },
        { "half in the longest one",
          { { "idle", NULL, 20000, { .count = 10, .median = 1000, .largest = 10000 } } } },
        { "more than half in the longest one",
          { { "idle", NULL, 20000, { .count = 10, .median = 1000, .largest = 10001 } } } },
        { "more than half in gaps longer than the median",
          { { "idle", NULL, 20000, { .count = 10, .median = 999, .largest = 5000 } } } },
        { "no median", { { "idle", NULL, 20000, { .count = 10 } } } },
        { "a device", { { "idle", NULL, 20000, { .has_device = true, .device = 3 } } } },
        { "a rank", { { "idle", NULL, 20000, { .has_rank = true, .rank = 5 } } } },
        { "ranks", { { "idle", NULL, 20000, { .n_ranks = 3, .ranks = three } } } },
        { "a subject", { { "idle", "between layers", 20000, { .cause = AZ_CAUSE_GRAPH_GAP } } } },
        { "of an operation report", { { "op_to_op_gaps", "x", 20000, { .count = 3 } } } },
        { "in a call",
          { { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_BLOCKING_CALL, .call = SV("cudaFree") } } } },
        { "half in a call",
          { { "idle", NULL, 20000, { .call = SV("cudaFree"), .in_place = { 10000 } } } } },
        { "less than half in a call",
          { { "idle", NULL, 20000, { .call = SV("cudaFree"), .in_place = { 9999 } } } } },
        { "a call and a frame",
          { { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_HOST_FRAME,
                .call = SV("cudaFree"),
                .frame = SV("a.py(3): f"),
                .in_place = { 20000, 18000 } } } } },
        { "mostly in a frame",
          { { "idle", NULL, 20000, { .frame = SV("a.py(3): f"), .in_place = { 0, 17999 } } } } },
        { "a frame of less than half, a range",
          { { "idle",
              NULL,
              20000,
              { .frame = SV("a.py(3): f"),
                .range = SV("forward"),
                .in_place = { 0, 9999, 10000 } } } } },
        { "a range that is the cause, and a frame",
          { { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_HOST_RANGE,
                .frame = SV("a.py(3): f"),
                .range = SV("forward"),
                .in_place = { 0, 20000, 10000 } } } } },
        { "a range that is the cause, and its operator",
          { { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_HOST_RANGE,
                .range = SV("forward"),
                .operation = SV("aten::item"),
                .in_place = { 0, 0, 20000, 18000 } } } } },
        { "a range that is the cause, and an operator in less",
          { { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_HOST_RANGE,
                .range = SV("forward"),
                .operation = SV("aten::item"),
                .in_place = { 0, 0, 20000, 17999 } } } } },
        { "a range that is an operator",
          { { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_HOST_RANGE,
                .range = SV("forward"),
                .operation = SV("forward"),
                .in_place = { 0, 0, 20000, 20000 } } } } },
        { "an operator",
          { { "idle",
              NULL,
              20000,
              { .operation = SV("aten::item"), .in_place = { 0, 0, 0, 10000 } } } } },
        { "an operator of less",
          { { "idle",
              NULL,
              20000,
              { .operation = SV("aten::item"), .in_place = { 0, 0, 0, 9999 } } } } },
        { "a long path",
          { { "idle",
              NULL,
              20000,
              { .frame = SV("/home/user/project/src/models/encoder/layers/attention.py(252): "
                            "forward") } } } },
        { "a long name",
          { { "idle",
              NULL,
              20000,
              { .frame = SV(
                    "a_function_with_a_name_that_is_longer_than_what_a_line_has_room_for") } } } },
        /* several findings of one cause */
        { "equal causes",
          { { "idle",
              NULL,
              50000,
              { .cause = AZ_CAUSE_ALLOCATION,
                .count = 2,
                .median = 20000,
                .largest = 30000,
                .call = SV("cudaMalloc") } },
            { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_ALLOCATION,
                .count = 4,
                .median = 5000,
                .largest = 6000,
                .call = SV("cudaFree") } } } },
        { "equal causes, nearly all in the first",
          { { "idle",
              NULL,
              90000,
              { .cause = AZ_CAUSE_ALLOCATION, .count = 2, .median = 20000, .largest = 30000 } },
            { "idle",
              NULL,
              10000,
              { .cause = AZ_CAUSE_ALLOCATION, .count = 4, .median = 5000, .largest = 6000 } } } },
        { "equal causes, not nearly all in the first",
          { { "idle", NULL, 90000, { .cause = AZ_CAUSE_ALLOCATION, .count = 1, .largest = 90000 } },
            { "idle",
              NULL,
              10001,
              { .cause = AZ_CAUSE_ALLOCATION, .count = 4, .median = 5000, .largest = 95000 } } } },
        { "equal causes in different code",
          { { "idle", NULL, 50000, { .cause = AZ_CAUSE_HOST_FRAME, .frame = SV("a.py(3): f") } },
            { "idle",
              NULL,
              40000,
              { .cause = AZ_CAUSE_HOST_FRAME, .frame = SV("a.py(9): g") } } } },
        { "ranges that differ in a number",
          { { "idle",
              NULL,
              50000,
              { .cause = AZ_CAUSE_HOST_RANGE,
                .range = SV("layer_3"),
                .largest = 50000,
                .in_place = { 0, 0, 40000 } } },
            { "idle",
              NULL,
              40000,
              { .cause = AZ_CAUSE_HOST_RANGE,
                .range = SV("layer_12"),
                .largest = 50000,
                .in_place = { 0, 0, 40000 } } } } },
        { "equal causes of other ranks",
          { { "idle", NULL, 50000, { .has_rank = true, .rank = 1 } },
            { "idle", NULL, 40000, { .has_rank = true, .rank = 2 } } } },
        { "equal causes of other subjects",
          { { "idle", "a", 50000, { 0 } }, { "idle", "b", 40000, { 0 } } } },
        { "first use of two causes",
          { { "idle",
              NULL,
              50000,
              { .cause = AZ_CAUSE_ALLOCATION,
                .first_use = true,
                .call = SV("cudaMalloc"),
                .in_place = { 50000 },
                .largest = 50000 } },
            { "idle",
              NULL,
              40000,
              { .cause = AZ_CAUSE_MODULE_LOADING,
                .first_use = true,
                .call = SV("cuModuleLoad"),
                .in_place = { 40000 },
                .largest = 40000 } } } },
        { "first use, half of it in calls",
          { { "idle",
              NULL,
              50000,
              { .cause = AZ_CAUSE_ALLOCATION,
                .first_use = true,
                .call = SV("cudaMalloc"),
                .in_place = { 45000 },
                .largest = 50000 } },
            { "idle",
              NULL,
              40000,
              { .cause = AZ_CAUSE_MODULE_LOADING, .first_use = true, .largest = 40000 } } } },
        { "first use, less of it in calls",
          { { "idle",
              NULL,
              50000,
              { .cause = AZ_CAUSE_ALLOCATION,
                .first_use = true,
                .call = SV("cudaMalloc"),
                .in_place = { 44999 },
                .largest = 50000 } },
            { "idle",
              NULL,
              40000,
              { .cause = AZ_CAUSE_MODULE_LOADING, .first_use = true, .largest = 40000 } } } },
        { "first use of one cause and later use of another",
          { { "idle", NULL, 50000, { .cause = AZ_CAUSE_ALLOCATION, .first_use = true } },
            { "idle", NULL, 40000, { .cause = AZ_CAUSE_MODULE_LOADING } } } },
        { "first use in four calls",
          { { "idle",
              NULL,
              50000,
              { .cause = AZ_CAUSE_ALLOCATION,
                .first_use = true,
                .call = SV("one"),
                .in_place = { 50000 },
                .largest = 50000 } },
            { "idle",
              NULL,
              40000,
              { .cause = AZ_CAUSE_MODULE_LOADING,
                .first_use = true,
                .call = SV("two"),
                .in_place = { 40000 },
                .largest = 40000 } },
            { "idle",
              NULL,
              30000,
              { .cause = AZ_CAUSE_MODULE_LOADING,
                .first_use = true,
                .call = SV("three"),
                .in_place = { 30000 },
                .largest = 30000 } },
            { "idle",
              NULL,
              20000,
              { .cause = AZ_CAUSE_BLOCKING_CALL,
                .first_use = true,
                .call = SV("four"),
                .in_place = { 20000 },
                .largest = 20000 } } } },
        { "no finding above 1%", { { "idle", NULL, 9999, { 0 } } } },
        { "one of 1%", { { "idle", NULL, 10000, { 0 } } } },
        { "no more than five lines",
          { { "idle", "a", 60000, { 0 } },
            { "idle", "b", 50000, { 0 } },
            { "idle", "c", 40000, { 0 } },
            { "idle", "d", 30000, { 0 } },
            { "idle", "e", 20000, { 0 } },
            { "idle", "f", 10000, { 0 } } } },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        lines_of(*state, cases[i].title, cases[i].g, 6);
    assert_string_equal(
        text_said(),
        "one gap\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us\n"
        "two gaps\n"
        "  2.0% | GPU idle: 2 gaps, median 9.0 us\n"
        "many even gaps\n"
        "  2.0% | GPU idle: 10 gaps, median 2.0 us\n"
        "half in the longest one\n"
        "  2.0% | GPU idle: 10 gaps, median 1.0 us\n"
        "more than half in the longest one\n"
        "  2.0% | GPU idle: 10 gaps, median 1.0 us, largest 10.0 us\n"
        "more than half in gaps longer than the median\n"
        "  2.0% | GPU idle: 10 gaps, median 999 ns, largest 5.0 us\n"
        "no median\n"
        "  2.0% | GPU idle: 10 gaps, mean 2.0 us\n"
        "a device\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, on device 3\n"
        "a rank\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, on rank 5\n"
        "ranks\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, on ranks 8, 9, 11\n"
        "a subject\n"
        "  2.0% | GPU idle between graph nodes: 1 gap of 20.0 us, between layers\n"
        "of an operation report\n"
        "  2.0% | device idle between operations: 3 gaps, mean 6.7 us, x. Capture a trace (metal "
        "trace) and replay it\n"
        "in a call\n"
        "  2.0% | GPU idle during a blocking call: 1 gap of 20.0 us, in cudaFree\n"
        "half in a call\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, in cudaFree\n"
        "less than half in a call\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us\n"
        "a call and a frame\n"
        "  2.0% | host-bound, GPU idle during Python code: 1 gap of 20.0 us, in cudaFree, a.py(3): "
        "f\n"
        "mostly in a frame\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, mostly in a.py(3): f\n"
        "a frame of less than half, a range\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, mostly in forward\n"
        "a range that is the cause, and a frame\n"
        "  2.0% | host-bound, GPU idle during a host range: 1 gap of 20.0 us, mostly in forward\n"
        "a range that is the cause, and its operator\n"
        "  2.0% | host-bound, GPU idle during a host range: 1 gap of 20.0 us, in forward "
        "(aten::item)\n"
        "a range that is the cause, and an operator in less\n"
        "  2.0% | host-bound, GPU idle during a host range: 1 gap of 20.0 us, in forward\n"
        "a range that is an operator\n"
        "  2.0% | host-bound, GPU idle during a host range: 1 gap of 20.0 us, in forward\n"
        "an operator\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, mostly in aten::item\n"
        "an operator of less\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us\n"
        "a long path\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, in "
        "project/src/models/encoder/layers/attention.py(252): forward\n"
        "a long name\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, in "
        "a_function_with_a_name_that_is_longer_than_what_a_line_has_r...\n"
        "equal causes\n"
        "  7.0% | GPU idle during memory allocation: 6 gaps, largest 30.0 us, in cudaMalloc\n"
        "equal causes, nearly all in the first\n"
        "  10.0% | GPU idle during memory allocation: 2 gaps, median 20.0 us, and 4 shorter\n"
        "equal causes, not nearly all in the first\n"
        "  10.0% | GPU idle during memory allocation: 5 gaps, largest 95.0 us\n"
        "equal causes in different code\n"
        "  5.0% | host-bound, GPU idle during Python code: 1 gap of 50.0 us, in a.py(3): f\n"
        "  4.0% | host-bound, GPU idle during Python code: 1 gap of 40.0 us, in a.py(9): g\n"
        "ranges that differ in a number\n"
        "  9.0% | host-bound, GPU idle during a host range: 2 gaps, largest 50.0 us, mostly in "
        "layer_*\n"
        "equal causes of other ranks\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us, on rank 1\n"
        "  4.0% | GPU idle: 1 gap of 40.0 us, on rank 2\n"
        "equal causes of other subjects\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us, a\n"
        "  4.0% | GPU idle: 1 gap of 40.0 us, b\n"
        "first use of two causes\n"
        "  9.0% | GPU idle during first use: 2 gaps, largest 50.0 us, in cudaMalloc, cuModuleLoad. "
        "Load modules before the first step: run warm-up steps, or load eagerly\n"
        "first use, half of it in calls\n"
        "  9.0% | GPU idle during first use: 2 gaps, largest 50.0 us, mostly in cudaMalloc. Load "
        "modules before the first step: run warm-up steps, or load eagerly\n"
        "first use, less of it in calls\n"
        "  9.0% | GPU idle during first use: 2 gaps, largest 50.0 us, partly in cudaMalloc. Load "
        "modules before the first step: run warm-up steps, or load eagerly\n"
        "first use of one cause and later use of another\n"
        "  5.0% | GPU idle during memory allocation: 1 gap of 50.0 us\n"
        "  4.0% | GPU idle during module loading: 1 gap of 40.0 us\n"
        "first use in four calls\n"
        "  14.0% | GPU idle during first use: 4 gaps, largest 50.0 us, mostly in one, two, three. "
        "Load modules before the first step: run warm-up steps, or load eagerly\n"
        "no finding above 1%\n"
        "   | no finding above 1%\n"
        "one of 1%\n"
        "  1.0% | GPU idle: 1 gap of 10.0 us\n"
        "no more than five lines\n"
        "  6.0% | GPU idle: 1 gap of 60.0 us, a\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us, b\n"
        "  4.0% | GPU idle: 1 gap of 40.0 us, c\n"
        "  3.0% | GPU idle: 1 gap of 30.0 us, d\n"
        "  2.0% | GPU idle: 1 gap of 20.0 us, e\n");
    az_vec_release(&said);
}

/* Each cause of idle time and of waiting, each advice. */
static void words(void **state)
{
    az_vec_init(&said, NULL);
    for (enum az_cause c = 0; c < AZ_CAUSES; c++) {
        char title[40];
        const struct given g[] = {
            { "idle", NULL, 50000, { .cause = c } },
            { "straggler", "rank 3 arrives late", 40000, { .cause = c, .call = SV("read") } },
        };
        snprintf(title, sizeof title, "cause %d", (int)c);
        lines_of(*state, title, g, 2);
    }
    for (enum az_advice a = 1; a < AZ_ADVICES; a++) {
        char title[40];
        const struct given g[] = {
            { "idle", NULL, 50000, { .advice = a } },
            { "idle", NULL, 40000, { .advice = a, .cause = AZ_CAUSE_DATA_LOADING } },
        };
        snprintf(title, sizeof title, "advice %d", (int)a);
        lines_of(*state, title, g, 2);
    }
    assert_string_equal(
        text_said(),
        "cause 0\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late. Find the cause of the delay there\n"
        "cause 1\n"
        "  5.0% | GPU idle during page faults: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during page faults in read. Find "
        "the cause of the delay there\n"
        "cause 2\n"
        "  5.0% | GPU idle, launch not recorded: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle, launch not recorded in read. "
        "Find the cause of the delay there\n"
        "cause 3\n"
        "  5.0% | GPU idle between graph nodes: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle between graph nodes in read. "
        "Find the cause of the delay there\n"
        "cause 4\n"
        "  5.0% | GPU idle between queued kernels: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle between queued kernels in read. "
        "Find the cause of the delay there\n"
        "cause 5\n"
        "  5.0% | GPU idle with work already queued: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle with work already queued in "
        "read. Find the cause of the delay there\n"
        "cause 6\n"
        "  5.0% | GPU idle during profiler overhead: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during profiler overhead in "
        "read. Find the cause of the delay there\n"
        "cause 7\n"
        "  5.0% | GPU idle during a blocking copy: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during a blocking copy in read. "
        "Find the cause of the delay there\n"
        "cause 8\n"
        "  5.0% | GPU idle during memory allocation: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during memory allocation in "
        "read. Find the cause of the delay there\n"
        "cause 9\n"
        "  5.0% | GPU idle during a blocking call: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during a blocking call in read. "
        "Find the cause of the delay there\n"
        "cause 10\n"
        "  5.0% | GPU idle during module loading: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during module loading in read. "
        "Find the cause of the delay there\n"
        "cause 11\n"
        "  5.0% | GPU idle during data loading: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during data loading in read. "
        "Find the cause of the delay there\n"
        "cause 12\n"
        "  5.0% | GPU idle during checkpointing: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during checkpointing in read. "
        "Find the cause of the delay there\n"
        "cause 13\n"
        "  5.0% | GPU idle during compilation: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during compilation in read. Find "
        "the cause of the delay there\n"
        "cause 14\n"
        "  5.0% | GPU idle after synchronization: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle after synchronization in read. "
        "Find the cause of the delay there\n"
        "cause 15\n"
        "  5.0% | launch-bound: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: launch-bound in read. Find the cause of "
        "the delay there\n"
        "cause 16\n"
        "  5.0% | host-bound, GPU idle during a host range: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during a host range in read. "
        "Find the cause of the delay there\n"
        "cause 17\n"
        "  5.0% | host-bound, GPU idle during Python code: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle during Python code in read. Find "
        "the cause of the delay there\n"
        "cause 18\n"
        "  5.0% | host-bound, GPU idle between host calls: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle between host calls in read. Find "
        "the cause of the delay there\n"
        "cause 19\n"
        "  5.0% | GPU idle, host calls not recorded: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: GPU idle, host calls not recorded in "
        "read. Find the cause of the delay there\n"
        "cause 20\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: slower kernels in read. Find the cause of "
        "the delay there\n"
        "cause 21\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us\n"
        "  4.0% | straggler: rank 3 arrives late; cause: more work in read. Find the cause of the "
        "delay there\n"
        "advice 1\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Start it earlier to overlap it with compute\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 2\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Reduce the message size or the number of "
        "collectives\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 3\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Find the cause of the delay there\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 4\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Balance the work across ranks\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 5\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Balance the work across devices\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 6\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Balance the pipeline stages\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 7\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Check the network links of that group\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 8\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Use more micro-batches or an interleaved schedule\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 9\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Reduce launch overhead: compile, fuse kernels, use "
        "graphs or larger batches\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 10\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Use graphs, or fuse small kernels\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 11\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Queue the next work before synchronizing; read "
        "results later\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 12\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Read ahead, on another thread\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 13\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Move this host work out of the step or to another "
        "thread\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 14\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Record stacks (with_stack=True) or ranges to find "
        "the host work\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 15\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Record host API calls to find the cause\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 16\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Record graph nodes (nsys: --cuda-graph-trace=node)\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 17\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Use pinned memory and asynchronous copies\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 18\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Copy on a separate stream, overlapped with compute\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 19\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Start copies earlier, on a stream without kernels, "
        "to overlap them with compute\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 20\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Keep the data on the device between steps\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 21\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Avoid device-to-device copies: write results in "
        "place\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 22\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Avoid fills: clear buffers inside the kernels that "
        "use them\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 23\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Prefetch managed memory or set memory advice\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 24\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Allocate before the first step, or use a caching "
        "allocator\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 25\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Load modules before the first step: run warm-up "
        "steps, or load eagerly\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 26\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Compile before the measured steps, and cache the "
        "result\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 27\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Write checkpoints asynchronously\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 28\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Check stream and event dependencies, and other "
        "processes on the device\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 29\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Check clocks, temperature, power limit, and other "
        "processes on the device\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 30\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Measure again with fewer profiler options\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 31\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Capture a trace (metal trace) and replay it\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 32\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Use more cores\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 33\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Shard the weights over DRAM banks\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 34\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Use a lower math fidelity\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 35\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Place input 0 in L1, with in0_block_w and an output "
        "subblock of 2 or more\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 36\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Place input 0 in L1 if it fits\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 37\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Set in0_block_w and an output subblock of 2 or more\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 38\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Exclude warm-up steps from profiling\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 39\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Compare slow and fast steps: input data, waiting, "
        "clocks, other processes\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 40\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Try another kernel, layout or data type\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 41\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Fuse or batch kernels that are too small for the "
        "device\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 42\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Launch more blocks: divide the work further, or run "
        "other kernels at the same time\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 43\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Pad dimensions to a multiple of 8 (16-bit), 16 "
        "(8-bit), or 4 (32-bit) elements\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 44\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Enable TF32, or compute in 16-bit precision\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 45\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Use a fused attention kernel\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 46\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Fuse small kernels, by a compiler or with fused "
        "operators\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n"
        "advice 47\n"
        "  5.0% | GPU idle: 1 gap of 50.0 us. Checkpoint fewer or cheaper modules where memory "
        "allows\n"
        "  4.0% | GPU idle during data loading: 1 gap of 40.0 us\n");
    az_vec_release(&said);
}

/* Calls, their lengths, what of them is exposed, and whose they are. */
static void calls(void **state)
{
    static const struct {
        const char *title;
        struct given g[4];
    } cases[] = {
        { "one call", { { "roofline_headroom", "gemm", 50000, { .ns = 60000 } } } },
        { "two calls", { { "roofline_headroom", "gemm", 50000, { .count = 2, .ns = 60000 } } } },
        { "like lengths",
          { { "roofline_headroom",
              "gemm",
              50000,
              { .count = 2, .ns = 60000, .smallest = 3001, .largest = 30000 } } } },
        { "unlike lengths",
          { { "roofline_headroom",
              "gemm",
              50000,
              { .count = 2, .ns = 60000, .smallest = 3000, .largest = 30000 } } } },
        { "of the peak",
          { { "roofline_headroom",
              "gemm",
              50000,
              { .reached = 31.5, .detail = SV(" of the bf16 peak") } } } },
        { "groups",
          { { "exposed_communication", "AllReduce", 50000, { .groups = 2, .ns = 50000 } } } },
        { "exposed whole", { { "exposed_communication", "AllReduce", 50000, { .ns = 50000 } } } },
        { "exposed 99.5%", { { "exposed_communication", "AllReduce", 49750, { .ns = 50000 } } } },
        { "exposed 99.4%", { { "exposed_communication", "AllReduce", 49700, { .ns = 50000 } } } },
        { "exposed 10%", { { "exposed_communication", "AllReduce", 20000, { .ns = 200000 } } } },
        { "exposed 9.9%", { { "exposed_communication", "AllReduce", 19800, { .ns = 200000 } } } },
        { "a rank",
          { { "exposed_copy", "HtoD", 20000, { .has_rank = true, .rank = 2, .ns = 20000 } } } },
        { "compute to overlap with",
          { { "exposed_communication", "AllReduce", 200000, { .ns = 200000 } } } },
        { "equal advice once",
          { { "exposed_communication", "AllReduce", 100000, { .ns = 100000 } },
            { "exposed_communication", "AllGather", 80000, { .ns = 80000 } } } },
        { "copies of three kinds",
          { { "exposed_copy", "HtoD", 40000, { .advice = AZ_ADVICE_PIN_MEMORY, .faster = 30000 } },
            { "exposed_copy", "DtoH", 30000, { .advice = AZ_ADVICE_OVERLAP_COPIES } },
            { "exposed_copy",
              "managed",
              20000,
              { .advice = AZ_ADVICE_PREFETCH_MANAGED_MEMORY } } } },
        { "warm-up",
          { { "warm_up",
              "first step 3x the median; exclude it",
              900000,
              { .outside_scope = true } } } },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        lines_of(*state, cases[i].title, cases[i].g, 4);
    assert_string_equal(
        text_said(),
        "one call\n"
        "  5.0% | below roofline: gemm, 60.0 us. Try another kernel, layout or data type\n"
        "two calls\n"
        "  5.0% | below roofline: gemm, 2 calls, mean 30.0 us. Try another kernel, layout or data "
        "type\n"
        "like lengths\n"
        "  5.0% | below roofline: gemm, 2 calls, mean 30.0 us. Try another kernel, layout or data "
        "type\n"
        "unlike lengths\n"
        "  5.0% | below roofline: gemm, 2 calls of 3.0 us to 30.0 us, mean 30.0 us. Try another "
        "kernel, layout or data type\n"
        "of the peak\n"
        "  5.0% | below roofline: gemm at 32% of the bf16 peak, 50.0 us. Try another kernel, "
        "layout or data type\n"
        "groups\n"
        "  5.0% | exposed communication: AllReduce in 2 groups, 50.0 us. Start it earlier to "
        "overlap it with compute\n"
        "exposed whole\n"
        "  5.0% | exposed communication: AllReduce, 50.0 us. Start it earlier to overlap it with "
        "compute\n"
        "exposed 99.5%\n"
        "  5.0% | exposed communication: AllReduce, 50.0 us. Start it earlier to overlap it with "
        "compute\n"
        "exposed 99.4%\n"
        "  5.0% | exposed communication: AllReduce, 50.0 us, 99% not overlapped. Start it earlier "
        "to overlap it with compute\n"
        "exposed 10%\n"
        "  2.0% | exposed communication: AllReduce, 200.0 us, 10% not overlapped. Start it earlier "
        "to overlap it with compute\n"
        "exposed 9.9%\n"
        "  2.0% | exposed communication: AllReduce, 200.0 us, 9.9% not overlapped. Start it "
        "earlier to overlap it with compute\n"
        "a rank\n"
        "  2.0% | exposed copies: HtoD, 20.0 us, on rank 2. Copy on a separate stream, overlapped "
        "with compute\n"
        "compute to overlap with\n"
        "  20.0% | exposed communication: AllReduce, 200.0 us. Start it earlier to overlap it with "
        "compute\n"
        "equal advice once\n"
        "  10.0% | exposed communication: AllReduce, 100.0 us. Start it earlier to overlap it with "
        "compute\n"
        "  8.0% | exposed communication: AllGather, 80.0 us\n"
        "copies of three kinds\n"
        "  4.0% | exposed copies: HtoD, 40.0 us. Use pinned memory and asynchronous copies\n"
        "  3.0% | exposed copies: DtoH, 30.0 us. Start copies earlier, on a stream without "
        "kernels, to overlap them with compute\n"
        "  2.0% | exposed copies: managed, 20.0 us; whole copy time, link rate unknown. Prefetch "
        "managed memory or set memory advice\n"
        "warm-up\n"
        "   | no finding above 1%\n"
        "  Warm-up | first step 3x the median; exclude it. Exclude warm-up steps from profiling\n");
    az_vec_release(&said);
}

/* What compute can overlap with: copies and communication of 30% each, with so much compute. */
static void little_compute(void **state)
{
    static const struct {
        int64_t computing, comm, copy, communication, copies, faster;
        enum az_advice advice;
    } cases[] = {
        { 600, 300, 0, 300, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 299, 300, 0, 300, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 60, 300, 0, 300, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 59, 300, 0, 300, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 0, 300, 0, 300, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 200, 300, 0, 440, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 200, 300, 0, 441, 0, 0, AZ_ADVICE_OVERLAP_COMMUNICATION },
        { 200, 0, 300, 0, 440, 0, AZ_ADVICE_OVERLAP_COPIES },
        { 200, 0, 300, 0, 441, 0, AZ_ADVICE_SEPARATE_STREAM },
        { 200, 0, 300, 0, 500, 0, AZ_ADVICE_SEPARATE_STREAM },
        { 200, 100, 300, 100, 550, 0, AZ_ADVICE_SEPARATE_STREAM },
        { 5, 0, 99, 0, 99, 0, AZ_ADVICE_OVERLAP_COPIES },
        { 5, 0, 100, 0, 100, 0, AZ_ADVICE_OVERLAP_COPIES },
        { 10, 0, 100, 0, 100, 0, AZ_ADVICE_OVERLAP_COPIES },
        { 100, 0, 300, 0, 300, 150, AZ_ADVICE_PIN_MEMORY },
        { 0, 0, 300, 0, 300, 150, AZ_ADVICE_PIN_MEMORY },
        { 0, 0, 300, 0, 300, 5, AZ_ADVICE_PIN_MEMORY },
        { 0, 0, 300, 0, 300, -1, AZ_ADVICE_PIN_MEMORY },
        { 100, 0, 300, 0, 300, -1, AZ_ADVICE_PREFETCH_MANAGED_MEMORY },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        for (size_t devices = 1; devices <= 2; devices++) {
            struct world x;
            world_of(&x, *state, devices, 0, 0, 0);
            for (size_t k = 0; k < devices; k++) /* the second device only computes */
                x.device[k][0].a =
                    (struct az_claim_account){ .span = 1000,
                                               .computing = k ? 900 : cases[i].computing,
                                               .exposed_communication = k ? 0 : cases[i].comm,
                                               .exposed_copy = k ? 0 : cases[i].copy,
                                               .communication = k ? 0 : cases[i].communication,
                                               .copy = k ? 0 : cases[i].copies };
            x.w.devices = devices;
            const bool copy = cases[i].copy > 0;
            const int64_t all = copy ? cases[i].copy : cases[i].comm;
            const struct given g = {
                copy ? "exposed_copy" : "exposed_communication",
                copy ? "HtoD" : "AllReduce",
                all,
                { .ns = all, .faster = cases[i].faster, .advice = cases[i].advice }
            };
            add_given(&x, &g);
            assert_int_equal(az_text_printf(&said, "%zu, %zu devices\n", i, devices), 0);
            print_lines(&x);
            az_vec_release(&x.found);
        }
    assert_string_equal(
        text_said(),
        "0, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 60.0% compute, 30.0% exposed communication, 0.0% exposed copies, 10.0% idle\n"
        "  30.0% | exposed communication: AllReduce, 300 ns. Start it earlier to overlap it with "
        "compute\n"
        "  Data | no device events to check\n"
        "0, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 75.0% compute, 15.0% exposed communication, 0.0% exposed copies, 10.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed communication: AllReduce, 300 ns. Start it earlier to overlap it with "
        "compute\n"
        "  Data | no device events to check\n"
        "1, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 29.9% compute, 30.0% exposed communication, 0.0% exposed copies, 40.1% idle\n"
        "  29.9% | exposed communication: AllReduce, 300 ns, 30.0% of the time; compute can "
        "overlap at most 29.9%. Start it earlier to overlap it with compute\n"
        "  Data | no device events to check\n"
        "1, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 60.0% compute, 15.0% exposed communication, 0.0% exposed copies, 25.0% idle; "
        "mean of 2 devices\n"
        "  14.9% | exposed communication: AllReduce, 300 ns. Start it earlier to overlap it with "
        "compute\n"
        "  Data | no device events to check\n"
        "2, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 6.0% compute, 30.0% exposed communication, 0.0% exposed copies, 64.0% idle\n"
        "  6.0% | exposed communication: AllReduce, 300 ns, 30.0% of the time; compute can overlap "
        "at most 6.0%. Start it earlier to overlap it with compute\n"
        "  Data | no device events to check\n"
        "2, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 48.0% compute, 15.0% exposed communication, 0.0% exposed copies, 37.0% idle; "
        "mean of 2 devices\n"
        "  3.0% | exposed communication: AllReduce, 300 ns, 15.0% of the time; compute can overlap "
        "at most 3.0%. Start it earlier to overlap it with compute\n"
        "  Data | no device events to check\n"
        "3, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 5.9% compute, 30.0% exposed communication, 0.0% exposed copies, 64.1% idle\n"
        "  30.0% | exposed communication: AllReduce, 300 ns; compute can overlap at most 5.9%. "
        "Reduce the message size or the number of collectives; analyze all ranks together to find "
        "a late one\n"
        "  Data | no device events to check\n"
        "3, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 48.0% compute, 15.0% exposed communication, 0.0% exposed copies, 37.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed communication: AllReduce, 300 ns; compute can overlap at most 2.9%. "
        "Reduce the message size or the number of collectives\n"
        "  Data | no device events to check\n"
        "4, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 0.0% compute, 30.0% exposed communication, 0.0% exposed copies, 70.0% idle\n"
        "  30.0% | exposed communication: AllReduce, 300 ns; no compute to overlap with. Reduce "
        "the message size or the number of collectives; analyze all ranks together to find a late "
        "one\n"
        "  Data | no device events to check\n"
        "4, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.0% compute, 15.0% exposed communication, 0.0% exposed copies, 40.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed communication: AllReduce, 300 ns; no compute to overlap with. Reduce "
        "the message size or the number of collectives\n"
        "  Data | no device events to check\n"
        "5, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 20.0% compute, 30.0% exposed communication, 0.0% exposed copies, 50.0% idle\n"
        "  6.0% | exposed communication: AllReduce, 300 ns, 30.0% of the time; compute can overlap "
        "at most 6.0%. Start it earlier to overlap it with compute\n"
        "  Data | no device events to check\n"
        "5, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 55.0% compute, 15.0% exposed communication, 0.0% exposed copies, 30.0% idle; "
        "mean of 2 devices\n"
        "  3.0% | exposed communication: AllReduce, 300 ns, 15.0% of the time; compute can overlap "
        "at most 3.0%. Start it earlier to overlap it with compute\n"
        "  Data | no device events to check\n"
        "6, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 20.0% compute, 30.0% exposed communication, 0.0% exposed copies, 50.0% idle\n"
        "  30.0% | exposed communication: AllReduce, 300 ns; compute can overlap at most 5.9%. "
        "Reduce the message size or the number of collectives; analyze all ranks together to find "
        "a late one\n"
        "  Data | no device events to check\n"
        "6, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 55.0% compute, 15.0% exposed communication, 0.0% exposed copies, 30.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed communication: AllReduce, 300 ns; compute can overlap at most 2.9%. "
        "Reduce the message size or the number of collectives\n"
        "  Data | no device events to check\n"
        "7, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 20.0% compute, 0.0% exposed communication, 30.0% exposed copies, 50.0% idle\n"
        "  6.0% | exposed copies: HtoD, 300 ns, 30.0% of the time; compute can overlap at most "
        "6.0%. Start copies earlier, on a stream without kernels, to overlap them with compute\n"
        "  Data | no device events to check\n"
        "7, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 55.0% compute, 0.0% exposed communication, 15.0% exposed copies, 30.0% idle; "
        "mean of 2 devices\n"
        "  3.0% | exposed copies: HtoD, 300 ns, 15.0% of the time; compute can overlap at most "
        "3.0%. Start copies earlier, on a stream without kernels, to overlap them with compute\n"
        "  Data | no device events to check\n"
        "8, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 20.0% compute, 0.0% exposed communication, 30.0% exposed copies, 50.0% idle\n"
        "  30.0% | exposed copies: HtoD, 300 ns; compute can overlap at most 5.9%. Copy less: keep "
        "data on the device\n"
        "  Data | no device events to check\n"
        "8, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 55.0% compute, 0.0% exposed communication, 15.0% exposed copies, 30.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed copies: HtoD, 300 ns; compute can overlap at most 2.9%. Copy less: keep "
        "data on the device\n"
        "  Data | no device events to check\n"
        "9, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 20.0% compute, 0.0% exposed communication, 30.0% exposed copies, 50.0% idle\n"
        "  30.0% | exposed copies: HtoD, 300 ns; no compute to overlap with. Copy less: keep data "
        "on the device\n"
        "  Data | no device events to check\n"
        "9, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 55.0% compute, 0.0% exposed communication, 15.0% exposed copies, 30.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed copies: HtoD, 300 ns; no compute to overlap with. Copy less: keep data "
        "on the device\n"
        "  Data | no device events to check\n"
        "10, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 20.0% compute, 10.0% exposed communication, 30.0% exposed copies, 40.0% "
        "idle\n"
        "  30.0% | exposed copies: HtoD, 300 ns; compute can overlap at most 5.0%. Copy less: keep "
        "data on the device\n"
        "  Data | no device events to check\n"
        "10, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 55.0% compute, 5.0% exposed communication, 15.0% exposed copies, 25.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed copies: HtoD, 300 ns; compute can overlap at most 2.5%. Copy less: keep "
        "data on the device\n"
        "  Data | no device events to check\n"
        "11, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 0.5% compute, 0.0% exposed communication, 9.9% exposed copies, 89.6% idle\n"
        "  0.5% | exposed copies: HtoD, 99 ns, 9.9% of the time; compute can overlap at most 0.5%\n"
        "  Data | no device events to check\n"
        "11, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.3% compute, 0.0% exposed communication, 5.0% exposed copies, 49.7% idle; "
        "mean of 2 devices\n"
        "  0.2% | exposed copies: HtoD, 99 ns, 4.9% of the time; compute can overlap at most 0.2%\n"
        "  Data | no device events to check\n"
        "12, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 0.5% compute, 0.0% exposed communication, 10.0% exposed copies, 89.5% idle\n"
        "  10.0% | exposed copies: HtoD, 100 ns; compute can overlap at most 0.5%. Copy less: keep "
        "data on the device\n"
        "  Data | no device events to check\n"
        "12, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.3% compute, 0.0% exposed communication, 5.0% exposed copies, 49.7% idle; "
        "mean of 2 devices\n"
        "  0.3% | exposed copies: HtoD, 100 ns, 5.0% of the time; compute can overlap at most "
        "0.3%\n"
        "  Data | no device events to check\n"
        "13, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 1.0% compute, 0.0% exposed communication, 10.0% exposed copies, 89.0% idle\n"
        "  10.0% | exposed copies: HtoD, 100 ns; compute can overlap at most 1.0%. Copy less: keep "
        "data on the device\n"
        "  Data | no device events to check\n"
        "13, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.5% compute, 0.0% exposed communication, 5.0% exposed copies, 49.5% idle; "
        "mean of 2 devices\n"
        "  0.5% | exposed copies: HtoD, 100 ns, 5.0% of the time; compute can overlap at most "
        "0.5%\n"
        "  Data | no device events to check\n"
        "14, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 10.0% compute, 0.0% exposed communication, 30.0% exposed copies, 60.0% idle\n"
        "  25.0% | exposed copies: HtoD, 300 ns, 30.0% of the time. Use pinned memory and "
        "asynchronous copies\n"
        "  Data | no device events to check\n"
        "14, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 50.0% compute, 0.0% exposed communication, 15.0% exposed copies, 35.0% idle; "
        "mean of 2 devices\n"
        "  12.5% | exposed copies: HtoD, 300 ns, 15.0% of the time. Use pinned memory and "
        "asynchronous copies\n"
        "  Data | no device events to check\n"
        "15, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 0.0% compute, 0.0% exposed communication, 30.0% exposed copies, 70.0% idle\n"
        "  15.0% | exposed copies: HtoD, 300 ns, 30.0% of the time. Use pinned memory and "
        "asynchronous copies\n"
        "  Data | no device events to check\n"
        "15, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.0% compute, 0.0% exposed communication, 15.0% exposed copies, 40.0% idle; "
        "mean of 2 devices\n"
        "  7.5% | exposed copies: HtoD, 300 ns, 15.0% of the time. Use pinned memory and "
        "asynchronous copies\n"
        "  Data | no device events to check\n"
        "16, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 0.0% compute, 0.0% exposed communication, 30.0% exposed copies, 70.0% idle\n"
        "  30.0% | exposed copies: HtoD, 300 ns; the rate of the link and overlap can save at most "
        "0.5%. Copy less: keep data on the device\n"
        "  Data | no device events to check\n"
        "16, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.0% compute, 0.0% exposed communication, 15.0% exposed copies, 40.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed copies: HtoD, 300 ns; the rate of the link and overlap can save at most "
        "0.2%. Copy less: keep data on the device\n"
        "  Data | no device events to check\n"
        "17, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 0.0% compute, 0.0% exposed communication, 30.0% exposed copies, 70.0% idle\n"
        "  30.0% | exposed copies: HtoD, 300 ns; whole copy time, link rate unknown. Use pinned "
        "memory and asynchronous copies\n"
        "  Data | no device events to check\n"
        "17, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 45.0% compute, 0.0% exposed communication, 15.0% exposed copies, 40.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed copies: HtoD, 300 ns; whole copy time, link rate unknown. Use pinned "
        "memory and asynchronous copies\n"
        "  Data | no device events to check\n"
        "18, 1 devices\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 10.0% compute, 0.0% exposed communication, 30.0% exposed copies, 60.0% idle\n"
        "  30.0% | exposed copies: HtoD, 300 ns; whole copy time, link rate unknown. Prefetch "
        "managed memory or set memory advice\n"
        "  Data | no device events to check\n"
        "18, 2 devices\n"
        "  2 devices, 1.0 us ()\n"
        "  GPU time | 50.0% compute, 0.0% exposed communication, 15.0% exposed copies, 35.0% idle; "
        "mean of 2 devices\n"
        "  15.0% | exposed copies: HtoD, 300 ns; whole copy time, link rate unknown. Prefetch "
        "managed memory or set memory advice\n"
        "  Data | no device events to check\n");
    az_vec_release(&said);
}

/* Equal findings of all devices of all ranks are one line. */
static void devices(void **state)
{
    static const struct {
        const char *title;
        int64_t gain[4];
        int64_t device[4];
        size_t devices;
    } cases[] = {
        { "both", { 50000, 40000 }, { 0, 1 }, 2 },
        { "one of two", { 50000 }, { 0 }, 2 },
        { "both, four times as much", { 60000, 15000 }, { 0, 1 }, 2 },
        { "both, more than four times as much", { 60001, 15000 }, { 0, 1 }, 2 },
        { "two of three", { 50000, 40000 }, { 0, 1 }, 3 },
        { "three", { 50000, 40000, 30000 }, { 2, 0, 1 }, 3 },
        { "the same one twice", { 50000, 40000 }, { 1, 1 }, 2 },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct world x;
        world_of(&x, *state, 1, 400000, 100000, 100000);
        for (size_t k = 0; k < cases[i].devices; k++) {
            x.device[0][k].a = x.device[0][0].a;
            x.device[0][k].a.span = 1000000;
        }
        x.part[0].n_device_accounts = cases[i].devices;
        for (size_t k = 0; k < 4 && cases[i].gain[k]; k++)
            add_given(&x, &(struct given){ "idle",
                                           NULL,
                                           cases[i].gain[k],
                                           { .cause = AZ_CAUSE_LAUNCH_BOUND,
                                             .count = 2,
                                             .largest = cases[i].gain[k] / 2,
                                             .has_device = true,
                                             .device = cases[i].device[k] } });
        assert_int_equal(az_text_printf(&said, "%s\n", cases[i].title), 0);
        print_lines(&x);
        az_vec_release(&x.found);
    }
    assert_string_equal(text_said(), "both\n"
                                     "  2 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  9.0% | launch-bound: 4 gaps, largest 25.0 us\n"
                                     "  Data | no device events to check\n"
                                     "one of two\n"
                                     "  2 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  5.0% | launch-bound: 2 gaps, mean 25.0 us, on device 0\n"
                                     "  Data | no device events to check\n"
                                     "both, four times as much\n"
                                     "  2 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  7.5% | launch-bound: 4 gaps, largest 30.0 us\n"
                                     "  Data | no device events to check\n"
                                     "both, more than four times as much\n"
                                     "  2 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  6.0% | launch-bound: 2 gaps, mean 30.0 us, on device 0\n"
                                     "  1.5% | launch-bound: 2 gaps, mean 7.5 us, on device 1\n"
                                     "  Data | no device events to check\n"
                                     "two of three\n"
                                     "  3 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  5.0% | launch-bound: 2 gaps, mean 25.0 us, on device 0\n"
                                     "  4.0% | launch-bound: 2 gaps, mean 20.0 us, on device 1\n"
                                     "  Data | no device events to check\n"
                                     "three\n"
                                     "  3 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  12.0% | launch-bound: 6 gaps, largest 25.0 us\n"
                                     "  Data | no device events to check\n"
                                     "the same one twice\n"
                                     "  2 devices, 1.0 ms ()\n"
                                     "  GPU time | 40.0% compute, 10.0% exposed communication, "
                                     "10.0% exposed copies, 40.0% idle\n"
                                     "  9.0% | launch-bound: 4 gaps, largest 25.0 us, on device 1\n"
                                     "  Data | no device events to check\n");
    az_vec_release(&said);
}

/* What ran: devices, ranks, steps; the account; what is around its scope. */
static void what_ran(void **state)
{
    az_vec_init(&said, NULL);
    for (int i = 0; i < 30; i++) {
        struct world x;
        struct az_verdict_part *p;
        world_of(&x, *state, 2, 0, 0, 0);
        p = &x.part[0];
        x.w.n = 1;
        x.device[0][0].a = (struct az_claim_account){ .span = 1000000,
                                                      .computing = 333333,
                                                      .exposed_communication = 333333,
                                                      .exposed_copy = 333333 };
        x.w.sum.device = i == 1 ? AZ_SV("") : AZ_SV("X1");
        if (i == 2 || i == 3)
            x.device[0][1] = x.device[0][0], p->n_device_accounts = 2;
        x.device[0][1].idle = i == 3;
        x.f->t[0].rank = i == 4 ? 2 : -1;
        x.f->t[0].world_size = i == 4 ? 8 : -1;
        if (i >= 5 && i <= 16) {
            static const char *const sources[] = {
                "profiler_step", "serving_mark",    "user_range",   "named_range",
                "signpost",      "step_annotation", "device_steps", "program_runs",
                "trace_replay",  "kernel_pattern",  "another",      "profiler_step"
            };
            p->steps = i == 16 ? 1 : 10;
            p->period = i == 16 ? -1 : 90000;
            p->scope = AZ_SCOPE_STEPS;
            p->source = az_sv_str(sources[i - 5]);
            p->first = AZ_SV("ProfilerStep#3");
            p->excluded = i == 6 ? AZ_SV("ProfilerStep#2") : AZ_SV("");
            x.w.sum.step_ns = 77000;
        }
        if (i >= 17 && i <= 20) { /* the mean is longer than the median by a third, or more */
            static const int64_t periods[] = { 75000, 74999, 75001, 40000 };
            p->steps = 10;
            p->period = periods[i - 17];
            p->scope = AZ_SCOPE_STEPS;
            p->source = AZ_SV("profiler_step");
        }
        if (i == 21 || i == 22) {
            p->scope = i == 21 ? AZ_SCOPE_STEPS : AZ_SCOPE_WINDOW;
            p->steps = i == 21 ? 3 : 0;
            p->period = 333333;
            p->source = AZ_SV("profiler_step");
            other_of(&x, 0, 0)->before =
                (struct az_claim_account){ .span = 10000, .exposed_copy = 6000 };
            other_of(&x, 0, 0)->after =
                (struct az_claim_account){ .span = 9999, .computing = 6000 };
        }
        if (i == 23) {
            other_of(&x, 0, 0)->before =
                (struct az_claim_account){ .span = 20000, .computing = 7000 };
            other_of(&x, 0, 0)->after = (struct az_claim_account){ .span = 40000,
                                                                   .computing = 13000,
                                                                   .exposed_communication = 13001 };
        }
        if (i == 24 || i == 25) {
            x.w.sum.repeats = 12;
            x.w.sum.repeat_ns = 5000;
            x.w.sum.repeats_inside = i == 24 ? AZ_SV("block") : AZ_SV("");
        }
        if (i == 26 || i == 27) {
            x.w.sum.captured = i == 26 ? 6 : 5;
            x.w.sum.calls = 10;
        }
        if (i == 28) {
            p->n_device_accounts = 0;
            x.w.sum.kernels = 70000;
            x.w.sum.names = 1;
            x.w.sum.families = AZ_SV("60.0% gemm");
        }
        if (i == 29) {
            p->n_device_accounts = 0;
            x.w.sum.operator_ns = 4000;
            x.w.sum.host_threads = 2;
        }
        assert_int_equal(az_text_printf(&said, "%d\n", i), 0);
        print_lines(&x);
    }
    assert_string_equal(
        text_said(),
        "0\n"
        "  X1, 1 rank, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "1\n"
        "  1 device, 1 rank, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "2\n"
        "  2 x X1, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "3\n"
        "  X1 + 1 idle, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "4\n"
        "  X1, rank 2 of 8, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "5\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "6\n"
        "  X1, 1 rank, 9 of 10 steps, 90.0 us apart (serving engine marks, ProfilerStep#2 excluded "
        "as "
        "warm-up), "
        "1.0 "
        "ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "7\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (configured range), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "8\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (step ranges), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "9\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (signposts), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "10\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (step annotations), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "11\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (device step line), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "12\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (program runs), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "13\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (trace replays), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "14\n"
        "  X1, 1 rank, 10 repeats, 90.0 us apart (repeating kernels, no step marks), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "15\n"
        "  X1, 1 rank, 10 steps, 90.0 us apart (another), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "16\n"
        "  X1, 1 rank, 1 step of 77.0 us (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "17\n"
        "  X1, 1 rank, 10 steps, 75.0 us apart (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "18\n"
        "  X1, 1 rank, 10 steps, median 75.0 us, mean 100.0 us (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "19\n"
        "  X1, 1 rank, 10 steps, 75.0 us apart (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "20\n"
        "  X1, 1 rank, 10 steps, median 40.0 us, mean 100.0 us (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "21\n"
        "  X1, 1 rank, 3 steps, 333.3 us apart (ProfilerStep), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  Outside | 10.0 us before the first step (60% copies)\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "  Tables | kernels, operators and regions of the whole recording, not only of the 3 "
        "steps\n"
        "22\n"
        "  X1, 1 rank, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  Outside | 10.0 us before the window (60% copies)\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "23\n"
        "  X1, 1 rank, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  Outside | 20.0 us before the first step (65% idle), 40.0 us after the last step (35% "
        "idle)\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "24\n"
        "  X1, 1 rank, 12 repeats of 5.0 us inside block (not steps), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "25\n"
        "  X1, 1 rank, 12 repeats of 5.0 us (not steps), 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "26\n"
        "  X1, 1 rank, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  graph capture: 6 of 10 launch calls captured, not run\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "27\n"
        "  X1, 1 rank, 1.0 ms ()\n"
        "  GPU time | 33.3% compute, 33.3% exposed communication, 33.3% exposed copies, 0.0% idle\n"
        "  no finding above 1%\n"
        "  Data | no device events to check\n"
        "28\n"
        "  X1, 70.0 us of kernels ()\n"
        "  Kernels | 60.0% gemm (totals of 1 kernel name; no individual kernels in the file)\n"
        "  Data | totals only, no events to check\n"
        "29\n"
        "  X1, no device activity recorded, 4.0 us in operators on 2 threads ()\n"
        "  Data | no device activity recorded\n");
    az_vec_release(&said);
}

/* Counts of a hostile part: twice the captured launches is no number any more. */
static void captured_beyond_numbers(void **state)
{
    struct world x;
    az_vec_init(&said, NULL);
    world_of(&x, *state, 1, 500, 0, 0);
    x.w.sum.captured = INT64_MAX;
    x.w.sum.calls = INT64_MAX;
    print_lines(&x);
    assert_non_null(strstr(text_said(), "graph capture: 9"));
    az_vec_release(&said);
}

/* Rates next to the account, and what is not trustworthy. */
static void rates_and_trust(void **state)
{
    static const struct {
        double flops, peak;
        int64_t rated;
    } rates[] = { { 5e9, 2e15, 100 }, { 5e9, 2e15, 99 },    { 5e9, 2e15, 98 }, { 5e9, 0, 100 },
                  { 5e9, 1e16, 100 }, { 4.9e9, 1e16, 100 }, { 0, 1, 100 } };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(rates); i++)
        for (size_t devices = 1; devices <= 2; devices++) {
            struct world x;
            world_of(&x, *state, 1, 400, 200, 100);
            x.w.sum.flops = rates[i].flops;
            x.w.sum.peak = rates[i].peak;
            x.w.sum.rated = rates[i].rated;
            x.w.sum.rateable = 100;
            x.w.sum.total = 1000000;
            x.w.sum.precision = AZ_SV("bf16");
            x.w.devices = devices;
            print_lines(&x);
        }
    for (int i = 0; i < AZ_CHECKS; i++)
        for (enum az_check_status s = AZ_CHECK_WARN; s <= AZ_CHECK_FAIL; s++) {
            struct world x;
            world_of(&x, *state, 1, 400, 200, 100);
            x.f->t[0].rank = 1;
            x.f->t[0].world_size = 2;
            x.part[0].steps = 3;
            x.part[0].period = 300;
            x.part[0].check[i] = (struct az_check_result){
                .status = s, .count = 1234, .of = 5000, .time_ns = 1500000
            };
            x.w.sum.flops = 5e9;
            x.w.sum.rated = x.w.sum.rateable = 100;
            x.w.sum.total = 1000000;
            assert_int_equal(az_text_printf(&said, "check %d %d\n", i, s), 0);
            print_lines(&x);
        }
    assert_string_equal(
        text_said(),
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s, MFU 0.2% of bf16 peak\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices; 5 TFLOP/s per device, MFU 0.2% of bf16 peak\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s, MFU 0.2% of bf16 peak\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 99.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices; 5 TFLOP/s per device, MFU 0.2% of bf16 peak\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 99.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s, MFU 0.2% of bf16 peak (FLOPs known for 98.0% of compute kernel time)\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 98.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices; 5 TFLOP/s per device, MFU 0.2% of bf16 peak (FLOPs known for "
        "98.0% of compute kernel time)\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 98.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices; 5 TFLOP/s per device\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s, MFU 0.1% of bf16 peak\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices; 5 TFLOP/s per device, MFU 0.1% of bf16 peak\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 4.9 TFLOP/s, MFU below 0.1%\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices; 4.9 TFLOP/s per device, MFU below 0.1%\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "  1 device, 1 rank, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; mean of 2 devices\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 0 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 kernel launches have no device event; FLOPs/bytes known for "
        "100.0% of compute kernel time\n"
        "check 0 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: 1,234 of 5,000 kernel launches have no device event)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | 1,234 of 5,000 kernel launches have no device event; FLOPs/bytes known for "
        "100.0% of compute kernel time\n"
        "check 1 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 device events not linked to a launch (1.5 ms); FLOPs/bytes known "
        "for 100.0% of compute kernel time\n"
        "check 1 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 device events not linked to a launch (1.5 ms); FLOPs/bytes known "
        "for 100.0% of compute kernel time\n"
        "check 2 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 device events with invalid timestamps excluded, their time is "
        "idle; FLOPs/bytes known "
        "for 100.0% of compute kernel time\n"
        "check 2 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: 1,234 of 5,000 device events with invalid timestamps excluded, their "
        "time is idle)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | 1,234 of 5,000 device events with invalid timestamps excluded, their time is "
        "idle; FLOPs/bytes known "
        "for 100.0% of compute kernel time\n"
        "check 3 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 device events overlap later ones of their stream, clipped by 1.5 ms; "
        "FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 3 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: 1,234 device events overlap later ones of their stream, clipped by 1.5 "
        "ms)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | 1,234 device events overlap later ones of their stream, clipped by 1.5 ms; "
        "FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 4 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 kernels start before their launch, by up to 1.5 ms; FLOPs/bytes "
        "known for 100.0% of compute kernel time\n"
        "check 4 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 kernels start before their launch, by up to 1.5 ms; FLOPs/bytes "
        "known for 100.0% of compute kernel time\n"
        "check 5 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 step marks without device work; FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 5 3\n"
        "  1 device, rank 1 of 2, 3 steps (), not trustworthy, 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 step marks without device work; FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 6 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 device tracks not in the account (1.5 ms); FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 6 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: 1,234 device tracks not in the account (1.5 ms))\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | 1,234 device tracks not in the account (1.5 ms); FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 7 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | input is truncated; FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 7 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: input is truncated)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | input is truncated; FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 8 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | ranks  are missing; FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 8 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | ranks  are missing; FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 9 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 launches share a correlation ID; FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 9 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 launches share a correlation ID; FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 10 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, at least 20.0% exposed communication, 10.0% exposed copies, "
        "30.0% idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 0.0% of kernel time in unclassified kernels; FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 10 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, at least 20.0% exposed communication, 10.0% exposed copies, "
        "30.0% idle (not trustworthy: 0.0% of kernel time in unclassified kernels)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | 0.0% of kernel time in unclassified kernels; FLOPs/bytes known for 100.0% of "
        "compute kernel time\n"
        "check 11 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 graph launches have no kernels recorded; FLOPs/bytes known for "
        "100.0% of compute kernel time\n"
        "check 11 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: 1,234 of 5,000 graph launches have no kernels recorded)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | 1,234 of 5,000 graph launches have no kernels recorded; FLOPs/bytes known for "
        "100.0% of compute kernel time\n"
        "check 12 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 12 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 13 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 kernels faster than the peak: check device, model or clock; "
        "FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 13 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle\n"
        "  no finding above 1%\n"
        "  Data | 1,234 of 5,000 kernels faster than the peak: check device, model or clock; "
        "FLOPs/bytes known for 100.0% of compute kernel time\n"
        "check 14 2\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% "
        "idle; 5 TFLOP/s\n"
        "  no finding above 1%\n"
        "  Data | work launched before the recording may have run for 1.5 ms; FLOPs/bytes known "
        "for 100.0% of compute kernel time\n"
        "check 14 3\n"
        "  1 device, rank 1 of 2, 3 steps, 300 ns apart (), 1.0 us ()\n"
        "  GPU time | 40.0% compute, 20.0% exposed communication, 10.0% exposed copies, 30.0% idle "
        "(not trustworthy: work launched before the recording may have run for 1.5 ms)\n"
        "  no finding: the account is not trustworthy\n"
        "  Data | work launched before the recording may have run for 1.5 ms; FLOPs/bytes known "
        "for 100.0% of compute kernel time\n");
    az_vec_release(&said);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(gaps),
        T(words),
        T(calls),
        T(little_compute),
        T(devices),
        T(what_ran),
        T(captured_beyond_numbers),
        T(rates_and_trust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
