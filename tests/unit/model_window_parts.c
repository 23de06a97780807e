/* Windows of processes, of scopes of compiled programs, and what runs next to them: every edge. */
#include "unit/analyses_trace.h"

#include "model/window.h"
#include "model/xtrace.h"

/* Process 1 has [10, 20) and [30, 40), process 3 has [15, 35); others have no spans of their own.
 */
static struct az_span spans[] = { { 10, 20 }, { 30, 40 }, { 15, 35 } };
static uint64_t processes[] = { 1, 1, 3 };
static const struct az_window_parts of_processes = { { .v = spans, .n = 3 },
                                                     { .v = processes, .n = 3 } },
                                    of_all = { { .v = spans, .n = 2 }, { .v = NULL, .n = 0 } };

static void part_of_a_time(void **state)
{
    static const struct {
        uint64_t process;
        int64_t at;
        uint32_t own, all; /* numbers with parts of processes, and of all */
    } each[] = { { 1, 9, 0, 0 },  { 1, 10, 1, 1 }, { 1, 19, 1, 1 }, { 1, 20, 0, 0 },
                 { 1, 29, 0, 0 }, { 1, 30, 2, 2 }, { 1, 39, 2, 2 }, { 1, 40, 0, 0 },
                 { 3, 14, 0, 1 }, { 3, 15, 3, 1 }, { 3, 34, 3, 2 }, { 3, 35, 0, 2 },
                 { 0, 9, 0, 0 },  { 0, 10, 1, 1 }, { 0, 25, 3, 0 }, { 0, 40, 0, 0 },
                 { 2, 12, 1, 1 }, { 2, 25, 3, 0 }, { 2, 36, 2, 2 }, { 4, 39, 2, 2 },
                 { 4, 40, 0, 0 } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        assert_int_equal(az_window_part_at(&of_processes, each[i].process, each[i].at),
                         each[i].own);
        assert_int_equal(az_window_part_at(&of_all, each[i].process, each[i].at), each[i].all);
    }
}

static void parts_that_overlap(void **state)
{
    static const struct {
        uint64_t process;
        int64_t start, end;
        bool own, all;
    } each[] = {
        { 1, 0, 10, false, false },  { 1, 0, 11, true, true },    { 1, 19, 25, true, true },
        { 1, 20, 30, false, false }, { 1, 20, 31, true, true },   { 1, 39, 90, true, true },
        { 1, 40, 90, false, false }, { 1, 5, 50, true, true },    { 1, 10, 10, true, true },
        { 1, 19, 19, true, true },   { 1, 20, 20, false, false }, { 1, 9, 9, false, false },
        { 3, 10, 15, false, true },  { 3, 20, 30, true, false },  { 3, 35, 40, false, true },
        { 3, 34, 35, true, true },   { 3, 35, 35, false, true },  { 2, 20, 30, true, false },
        { 2, 0, 10, false, false },  { 2, 40, 50, false, false }, { 2, 25, 25, true, false },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        assert_int_equal(
            az_window_parts_touch(&of_processes, each[i].process, each[i].start, each[i].end),
            each[i].own);
        assert_int_equal(
            az_window_parts_touch(&of_all, each[i].process, each[i].start, each[i].end),
            each[i].all);
    }
}

struct made {
    struct az_mem mem;
    struct az_trace t;
};

static void begin(struct made *m)
{
    az_mem_init(&m->mem, 0);
    new_trace(&m->t, &m->mem);
}

static void end(struct made *m)
{
    az_trace_release(&m->t);
    assert_int_equal(m->mem.used, 0);
}

/* Does a window cut an event of the host? */
static void edges_that_cut(void **state)
{
    static const struct {
        int64_t start, end;
        bool cut;
    } each[] = { { 100, 200, false }, { 99, 150, true },  { 100, 201, true },
                 { 199, 200, false }, { 200, 210, true }, { 150, 150, false } };
    struct made m;
    (void)state;
    begin(&m);
    const uint32_t host = host_lane(&m.t, 1, 1);
    assert_false(az_window_cuts(&m.t, host, 0, 1000));
    assert_int_equal(az_vec_push(&m.t.recorded_window, ((struct az_span){ 100, 200 })), 0);
    assert_false(az_window_cuts(&m.t, host, 0, 1000)); /* not taken out yet */
    m.t.windowed = true;
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        assert_int_equal(az_window_cuts(&m.t, host, each[i].start, each[i].end), each[i].cut);
    end(&m);
}

/* ---- device work next to that of the window, and records of a file that is cut ---- */

static void add_record(struct made *m, struct az_cut_log *log, enum az_kind kind, uint32_t lane,
                       int64_t start, int64_t end, uint64_t corr)
{
    assert_int_equal(az_cut_log_begin(log, 0, 0), 0);
    const struct az_event e = { .start = start,
                                .end = end,
                                .name = name_of(&m->t, "x"),
                                .lane = lane,
                                .side = AZ_NO_ROW,
                                .corr = corr,
                                .uid = az_cut_log_event(log) };
    assert_int_equal(az_trace_add(&m->t, kind, &e), 0);
}

/* The window is [100, 200), its work [150, 170) and [300, 400) of two streams. */
static void work_next_to_the_window(void **state)
{
    static const struct {
        int64_t start, end, call;
        bool kept; /* the work, and its call */
    } each[] = {
        { 150, 170, 110, true },                          /* of a call inside */
        { 300, 400, 120, true }, { 140, 150, 10, false }, /* ends where the work of the window
                                                             begins */
        { 140, 151, 11, true },  { 169, 180, 12, true },  { 399, 500, 14, true },
        { 400, 500, 15, false }, { 200, 250, 16, true }, /* between: all work of an instance is one
                                                            span */
        { 160, 160, 17, false },                         /* takes no time */
        { 0, 1000, 210, true },
    };
    static const struct az_span others[] = {
        { 150, 151 }, { 150, 400 }, { 169, 180 }, { 200, 250 }, { 399, 400 }
    };
    struct made m;
    struct az_cut_log log;
    struct az_window w = { .from = { .ns = 100, .percent = -1 },
                           .to = { .ns = 200, .percent = -1 },
                           .step = -1,
                           .last_step = -1 };
    (void)state;
    begin(&m);
    az_cut_log_init(&log, &m.mem);
    m.t.cut_log = &log;
    m.t.window = &w;
    m.t.ticks_per_ns = 1;
    az_trace_columns(&m.t, AZ_KERNEL, AZ_COL_CORR | AZ_COL_UID);
    az_trace_columns(&m.t, AZ_CALL, AZ_COL_CORR | AZ_COL_UID);
    const uint32_t host = host_lane(&m.t, 1, 1), stream = stream_lane(&m.t, 1, 0, 7);
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        add_record(&m, &log, AZ_KERNEL, stream, each[i].start, each[i].end, i + 1);
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        add_record(&m, &log, AZ_CALL, host, each[i].call, each[i].call + 1, i + 1);
    add_record(&m, &log, AZ_CALL, host, 0, 5, 0); /* without an id */
    assert_int_equal(az_trace_finalize(&m.t), 0);
    assert_int_equal(m.t.window_miss, AZ_WINDOW_FOUND);
    assert_int_equal(m.t.ev[AZ_KERNEL].n, 2);
    assert_int_equal(m.t.ev[AZ_CALL].n, 2);
    assert_int_equal(m.t.recorded, 1000);
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        assert_int_equal(az_cut_log_is_gone(&log, i), !each[i].kept);
        assert_int_equal(az_cut_log_is_gone(&log, AZ_LENGTH(each) + i), !each[i].kept);
    }
    assert_true(az_cut_log_is_gone(&log, 2 * AZ_LENGTH(each)));
    assert_int_equal(m.t.window_work.n, 1);
    assert_int_equal(m.t.window_work.v[0].start, 150);
    assert_int_equal(m.t.window_work.v[0].end, 400);
    assert_int_equal(m.t.window_others.n, AZ_LENGTH(others));
    for (size_t i = 0; i < AZ_LENGTH(others); i++) {
        assert_int_equal(m.t.window_others.v[i].start, others[i].start);
        assert_int_equal(m.t.window_others.v[i].end, others[i].end);
        assert_int_equal(m.t.window_others.v[i].kind, AZ_KERNEL);
        assert_int_equal(m.t.window_others.v[i].lane, stream);
    }
    az_cut_log_release(&log);
    end(&m);
}

/* A file that holds a window is cut to it, then to a part of it; work of others is clipped again.
 */
static void window_of_a_window(void **state)
{
    struct made m;
    struct az_window w = { .from = { .ns = 50, .percent = -1 },
                           .to = { .ns = AZ_UNSET_I64, .percent = -1 },
                           .step = -1,
                           .last_step = -1 };
    (void)state;
    begin(&m);
    m.t.ticks_per_ns = 1;
    m.t.window = &w;
    const uint32_t host = host_lane(&m.t, 1, 1), stream = stream_lane(&m.t, 1, 0, 7);
    assert_int_equal(az_vec_push(&m.t.recorded_window, ((struct az_span){ 100, 200 })), 0);
    add(&m.t, AZ_CALL, "c", host, 100, 101, 1);
    add(&m.t, AZ_CALL, "c", host, 150, 151, 2);
    add(&m.t, AZ_CALL, "c", host, 200, 201, 3);
    add(&m.t, AZ_KERNEL, "k", stream, 110, 120, 1);
    add(&m.t, AZ_KERNEL, "k", stream, 160, 180, 2);
    add(&m.t, AZ_KERNEL, "k", stream, 170, 300, 3);
    assert_int_equal(az_trace_finalize(&m.t), 0);
    assert_int_equal(m.t.ev[AZ_KERNEL].n, 1);
    assert_int_equal(m.t.ev[AZ_KERNEL].start[0], 160);
    assert_int_equal(m.t.recorded_window.n, 1);
    assert_int_equal(m.t.recorded_window.v[0].start, 150);
    assert_int_equal(m.t.recorded_window.v[0].end, 200); /* its own end */
    assert_int_equal(m.t.window_others.n, 1);
    assert_int_equal(m.t.window_others.v[0].start, 170);
    assert_int_equal(m.t.window_others.v[0].end, 180);
    end(&m);
}

/* Windows of a file that holds [100, 200) of process 1 and [300, 400) of process 2, or of all:
 * times count from its first start to its last end, and what is between its parts is in none. */
static void windows_of_a_cut(void **state)
{
    static const struct {
        bool of_processes;
        struct az_window_end from, to;
        int64_t step;
        size_t n;
        struct az_span spans[2];
        uint64_t process[2]; /* 0: none */
    } each[] = {
        { false,
          { 50, -1, { 0 } },
          { AZ_UNSET_I64, -1, { 0 } },
          -1,
          2,
          { { 150, 200 }, { 300, 400 } },
          { 0 } },
        { false,
          { AZ_UNSET_I64, 50, { 0 } },
          { AZ_UNSET_I64, 75, { 0 } },
          -1,
          1,
          { { 300, 325 } },
          { 0 } },
        { false, { 100, -1, { 0 } }, { 150, -1, { 0 } }, -1, 1, { { 200, 200 } }, { 0 } },
        { false,
          { AZ_UNSET_I64, -1, { 0 } },
          { AZ_UNSET_I64, -1, { 0 } },
          7,
          1,
          { { 120, 200 } },
          { 0 } },
        { true,
          { 50, -1, { 0 } },
          { 250, -1, { 0 } },
          -1,
          2,
          { { 150, 200 }, { 300, 350 } },
          { 1, 2 } },
        { true, { 0, -1, { 0 } }, { 100, -1, { 0 } }, -1, 1, { { 100, 200 } }, { 1 } },
        { true, { 250, -1, { 0 } }, { AZ_UNSET_I64, -1, { 0 } }, -1, 1, { { 350, 400 } }, { 2 } },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct made m;
        struct az_window_parts out;
        enum az_window_miss miss;
        const struct az_window w = {
            .from = each[i].from, .to = each[i].to, .step = each[i].step, .last_step = each[i].step
        };
        begin(&m);
        m.t.ticks_per_ns = 1;
        az_window_parts_init(&out, &m.mem);
        const uint32_t host = host_lane(&m.t, 9, 1);
        add(&m.t, AZ_OVERHEAD, "whole", host, 0, 1000, 0);
        add(&m.t, AZ_RANGE, "step 7", host, 120, 250, 0);
        assert_int_equal(az_trace_finalize(&m.t), 0);
        az_vec_add(&m.t.recorded_window, ((struct az_span){ 100, 200 }));
        az_vec_add(&m.t.recorded_window, ((struct az_span){ 300, 400 }));
        for (uint64_t p = 1; each[i].of_processes && p <= 2; p++)
            az_vec_add(&m.t.window_process, p);
        assert_int_equal(az_window_spans(&m.t, &w, &out, &miss), 0);
        assert_int_equal(miss, AZ_WINDOW_FOUND);
        assert_int_equal(out.spans.n, each[i].n);
        assert_int_equal(out.process.n, each[i].process[0] ? each[i].n : 0);
        for (size_t k = 0; k < out.spans.n; k++) {
            assert_int_equal(out.spans.v[k].start, each[i].spans[k].start);
            assert_int_equal(out.spans.v[k].end, each[i].spans[k].end);
        }
        for (size_t k = 0; k < out.process.n; k++)
            assert_int_equal(out.process.v[k], each[i].process[k]);
        az_window_parts_release(&out);
        end(&m);
    }
}

/* Times without any event count in the window that the file holds; without one there is nothing to
 * count from. Times beyond all others are the last one. */
static void without_events(void **state)
{
    static const struct {
        int64_t ns;
        double percent;
        bool own;
        enum az_window_miss miss;
        int64_t start;
    } each[] = { { 10, -1, false, AZ_WINDOW_NO_EVENTS, 0 },
                 { AZ_UNSET_I64, 10, false, AZ_WINDOW_NO_EVENTS, 0 },
                 { 10, -1, true, AZ_WINDOW_FOUND, 110 },
                 { AZ_UNSET_I64, 10, true, AZ_WINDOW_FOUND, 120 },
                 { INT64_MAX - 1, -1, true, AZ_WINDOW_FOUND, INT64_MAX } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct made m;
        struct az_window_parts out;
        enum az_window_miss miss;
        const struct az_window w = { .from = { each[i].ns, each[i].percent, { 0 } },
                                     .to = { AZ_UNSET_I64, -1, { 0 } },
                                     .step = -1,
                                     .last_step = -1 };
        begin(&m);
        m.t.ticks_per_ns = 1000;
        if (each[i].own && each[i].ns == 10)
            m.t.ticks_per_ns = 1;
        az_window_parts_init(&out, &m.mem);
        if (each[i].own)
            az_vec_add(&m.t.recorded_window, ((struct az_span){ 100, 300 }));
        assert_int_equal(az_window_spans(&m.t, &w, &out, &miss), 0);
        assert_int_equal(miss, each[i].miss);
        if (miss == AZ_WINDOW_FOUND)
            assert_int_equal(out.spans.v[0].start, each[i].start);
        az_window_parts_release(&out);
        end(&m);
    }
}

/* ---- scopes ---- */

struct operation {
    const char *scope;     /* NULL: none */
    const char *hlo_scope; /* NULL: no instruction */
    const char *module;
};
static const struct operation operations[] = {
    { "jit(step)/transpose(jvp(attention))/dot", NULL, "jit_step" },
    { "jit(step)/mlp/relu", NULL, "jit_step" },
    { NULL, "jit(step)/norm/add", "jit_step" },
    { NULL, NULL, "jit_init" },
    { "while/body/a(b/c)/d", NULL, "jit_step" },
};

/* Bits of the operations that a pattern matches. */
static unsigned matched(const char *pattern)
{
    struct made m;
    struct az_window w = { .range = az_sv_str(pattern), .step = -1, .last_step = -1 };
    unsigned bits = 0;
    w.from = w.to = (struct az_window_end){ .ns = AZ_UNSET_I64, .percent = -1 };
    begin(&m);
    assert_int_equal(az_xtrace_init(&m.t), 0);
    az_trace_columns(&m.t, AZ_KERNEL, AZ_COL_CORR | AZ_COL_NODE);
    struct az_xtrace *x = az_xtrace(&m.t);
    const uint32_t host = host_lane(&m.t, 1, 1), none = name_of(&m.t, "");
    struct az_lane l = { .device_side = true, .tid = 1, .proc = 1 << 24, .label = AZ_NO_ID };
    uint32_t lane;
    assert_int_equal(az_vec_push(&x->planes, ((struct az_plane){ .kind = AZ_PLANE_GPU })), 0);
    assert_int_equal(az_xtrace_lane(&m.t, &l, AZ_XLANE_WORK, &lane), 0);
    for (size_t i = 0; i < AZ_LENGTH(operations); i++) {
        const struct operation *o = &operations[i];
        struct az_xrow row = { .program = i,
                               .has_program = true,
                               .module = name_of(&m.t, o->module),
                               .op = AZ_NO_ID,
                               .scope = o->scope ? name_of(&m.t, o->scope) : none,
                               .details = AZ_NO_ID,
                               .category = AZ_NO_ID,
                               .flops = -1,
                               .bytes = -1 };
        uint32_t at;
        assert_int_equal(az_xtrace_row(&m.t, &row, &at), 0);
        x->rows.v[at].hlo = AZ_NO_ROW;
        if (o->hlo_scope) {
            x->rows.v[at].hlo = (uint32_t)x->hlo.n;
            assert_int_equal(
                az_vec_push(&x->hlo, ((struct az_hlo_op){ .scope = az_sv_str(o->hlo_scope) })), 0);
        }
        const struct az_event e = { .start = (int64_t)i * 100,
                                    .end = (int64_t)i * 100 + 10,
                                    .name = name_of(&m.t, "k"),
                                    .lane = lane,
                                    .corr = i + 1,
                                    .node = at + 1 };
        assert_int_equal(az_trace_add(&m.t, AZ_KERNEL, &e), 0);
        add(&m.t, AZ_CALL, "launch", host, (int64_t)i * 100 - 50, (int64_t)i * 100 - 40, i + 1);
    }
    add(&m.t, AZ_CALL, "other", host, 0, 1, 0);
    m.t.window = &w;
    assert_int_equal(az_trace_finalize(&m.t), 0);
    const bool found = m.t.window_miss == AZ_WINDOW_FOUND;
    assert_int_equal(m.t.windowed, found);
    const struct az_events *k = &m.t.ev[AZ_KERNEL], *c = &m.t.ev[AZ_CALL];
    for (size_t i = 0; i < k->n; i++)
        bits |= 1u << (k->start[i] / 100);
    if (found) { /* a launch goes with its kernel; calls without one stay */
        assert_int_equal(c->n, k->n + 1);
        assert_int_equal(m.t.window_work.n, k->n);
        for (size_t i = 0; i < k->n; i++) {
            assert_int_equal(m.t.window_work.v[i].start, k->start[i]);
            assert_int_equal(m.t.window_work.v[i].end, k->end[i]);
        }
        assert_int_equal(m.t.drops.n, k->n < AZ_LENGTH(operations));
        if (m.t.drops.n) {
            assert_int_equal(m.t.drops.v[0].count, 2 * (AZ_LENGTH(operations) - k->n));
            assert_int_equal(m.t.drops.v[0].ticks, 10 * (AZ_LENGTH(operations) - k->n));
        }
    }
    end(&m);
    return found ? bits : 0;
}

static void scopes_by_their_parts(void **state)
{
    static const struct {
        const char *pattern;
        unsigned operations;
    } each[] = {
        { "attention", 1 }, /* in parentheses of parentheses */
        { "transpose(jvp(attention))", 1 },
        { "dot", 1 },
        { "step", 1 | 2 | 4 },
        { "jit(step)", 1 | 2 | 4 },
        { "jit_step", 0 }, /* the program, only where there is no scope */
        { "jit_init", 8 },
        { "mlp", 2 },
        { "m*p", 2 },
        { "relu", 2 },
        { "norm", 4 },
        { "add", 4 },
        { "jit(step)/mlp/relu", 2 },
        { "jit(step) / mlp", 2 },
        { "a(b/c)", 16 }, /* a slash in parentheses parts nothing */
        { "b/c", 16 },
        { "c", 0 },
        { "d", 16 },
        { "while", 16 },
        { "jvp(attention)", 0 },
        { "ml", 0 },
        { "*", 31 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        if (matched(each[i].pattern) != each[i].operations)
            fail_msg("'%s': %u", each[i].pattern, matched(each[i].pattern));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_events),          cmocka_unit_test(part_of_a_time),
        cmocka_unit_test(parts_that_overlap),      cmocka_unit_test(edges_that_cut),
        cmocka_unit_test(work_next_to_the_window), cmocka_unit_test(window_of_a_window),
        cmocka_unit_test(windows_of_a_cut),        cmocka_unit_test(scopes_by_their_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
