/* XPlane profiles: what is read, how it is joined to the program, and what damage does. */
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include "model/xtrace.h"
#include "xplane_make.h"

static void parse_bytes(struct fixture *f, const void *p, size_t n, int want)
{
    fixture_add(f, fixture_write(f, "host.xplane.pb", p, n), "", false);
    assert_int_equal(fixture_parse(f, &az_format_xplane), want);
    if (want == 0)
        assert_int_equal(az_trace_finalize(&f->trace), 0);
}

/* dot.1: bf16[8,4] = bf16[8,16] x bf16[16,4] */
static struct pb *dot_module(void)
{
    struct pb *c = pb_new(), *s = pb_new(), *dims = pb_new(), *extra = pb_new();
    shape_of(s, 16, 2, (uint64_t[]){ 8, 16 });
    instruction(c, "a", "parameter", 1, s, NULL, 0, NULL);
    s->n = 0;
    shape_of(s, 16, 2, (uint64_t[]){ 16, 4 });
    instruction(c, "b", "parameter", 2, s, NULL, 0, NULL);
    s->n = 0;
    shape_of(s, 16, 2, (uint64_t[]){ 8, 4 });
    pb_data(dims, 1, "\1", 1);
    pb_data(dims, 2, "\0", 1);
    pb_msg(extra, 30, dims);
    instruction(c, "dot.1", "dot", 3, s, "\1\2", 2, extra);
    struct pb *proto = hlo_proto(c);
    free(c);
    free(s);
    free(dims);
    free(extra);
    return proto;
}

static struct pb *whole_space(void)
{
    struct pb *space = pb_new(), *proto = dot_module();
    add_plane(space, gpu_plane("/device:GPU:0", "wrapped_dot", "dot.1", 5000000, 1500000));
    add_plane(space, metadata_plane(proto));
    add_plane(space, host_plane(5000000));
    pb_text(space, 4, "machine");
    free(proto);
    return space;
}

static void a_profile(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = whole_space();
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    trace_is(&f.trace, "device pid 0 tid 7 device 0 context 0 proc 0 'Stream #7(Kernel)'\n"
                       "host pid 0 tid 18446744073709551360 proc 0 'python'\n"
                       "kernel 5000000 6500000 'wrapped_dot' @0 corr 11 op 'dot.1' of 'jit_f' 9 "
                       "scope '-' details '-' category '-' flops -1 bytes -1 hlo 0\n"
                       "memcpy 6500000 7000000 'MemcpyD2H' @0 corr 12 op '-' of '-' 0 (no program) "
                       "scope '-' details 'kind:D2H size:4096 dest:0' category '-' flops -1 bytes "
                       "-1 bytes 4096 gbps 0 op -1 src -1 dst -1\n"
                       "API call 3000000 3300000 'cuLaunchKernel' @1 corr 11 op 'dot.1' of 'jit_f' "
                       "9 scope '-' details '-' category '-' flops -1 bytes -1 hlo 0\n"
                       "range 5000000 5001000 'isinstance' @1\n"
                       "range 5000000 5003000 'isinstance' @1\n"
                       "plane GPU 0 '' '' units 0 clock 0 memory 0 0 peaks 0 0\n"
                       "hlo 9 'jit_f' 'dot.1' dot target '' scope '' source '' kind 1 = "
                       "bf16[8,4]{1,0}, bf16[8,16]{1,0}, bf16[16,4]{1,0}\n"
                       "host 'cuLaunchKernel' 1 300000 300000 300000\n"
                       "host 'isinstance' 2 4000 1000 3000\n"
                       "dropped 1 (0): derived lines of a GPU (duplicate events of its streams)\n"
                       "host name = machine\n"
                       "device GPU:0 = , 0 cores, 0 MHz, 0 B\n"
                       "read 6 kept 5\n");
    const struct az_trace *t = &f.trace;
    const struct az_xtrace *x = az_xtrace(t);
    assert_int_equal(t->ticks_per_ns, 1000);
    assert_int_equal(t->ev[AZ_KERNEL].n, 1);
    assert_int_equal(t->ev[AZ_KERNEL].start[0], 5000000);
    assert_int_equal(t->ev[AZ_KERNEL].end[0], 6500000);
    assert_int_equal(t->ev[AZ_KERNEL].corr[0], 11);
    assert_true(named(&f, t->ev[AZ_KERNEL].name[0], "wrapped_dot"));
    assert_int_equal(t->ev[AZ_MEMCPY].n, 1);
    assert_int_equal(t->copies.v[t->ev[AZ_MEMCPY].side[0]].bytes, 4096);
    assert_int_equal(t->ev[AZ_CALL].n, 1);
    assert_int_equal(t->ev[AZ_CALL].node[0], 1); /* device 0 */
    assert_int_equal(dropped(&f, "derived lines of a GPU (duplicate events of its streams)"), 1);
    assert_int_equal(x->host.n, 2);
    assert_int_equal(x->host.v[1].count, 2);
    assert_int_equal(x->host.v[1].ticks, 4000);
    assert_true(az_sv_is(x->host_name, "machine"));
    const struct az_xrow *row = az_xtrace_row_of(t, AZ_KERNEL, 0);
    assert_non_null(row);
    assert_int_equal(row->program, 9);
    assert_int_not_equal(row->hlo, AZ_NO_ROW);
    const struct az_hlo_op *op = &x->hlo.v[row->hlo];
    assert_int_equal(op->kind, AZ_HLO_GEMM);
    assert_true(az_sv_is(op->result.text, "bf16[8,4]{1,0}"));
    assert_int_equal(op->operands[0].bytes, 256);
    assert_int_equal(op->dots[0].lhs_contract.v[0], 1);
    assert_int_equal(op->dots[0].rhs_contract.v[0], 0);
    free(space);
    fixture_close(&f);
}

/* ---- the trace for a viewer ---- */

#define NAME_OF(pid, name)                                                                         \
    "{\"ph\":\"M\",\"pid\":" #pid ",\"name\":\"process_name\",\"args\":{\"name\":\"" name "\"}},"
#define LINE_OF(pid, tid, name)                                                                    \
    "{\"ph\":\"M\",\"pid\":" #pid ",\"tid\":" #tid                                                 \
    ",\"name\":\"thread_name\",\"args\":{\"name\":\"" name "\"}},"
#define SPAN(pid, tid, ts, dur, rest)                                                              \
    "{\"ph\":\"X\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur "," rest "},"

static void parse_viewer(struct fixture *f, const char *events, int want)
{
    const struct az_sv text =
        az_arena_printf(&f->arena,
                        "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},"
                        "\"traceEvents\":[%s{}]}",
                        events);
    assert_true(az_format_xplane.probe(text, AZ_SV("x.json")) == 90);
    parse_bytes(f, text.p, text.n, want);
}

static void viewer_of_a_gpu(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    parse_viewer(
        &f,
        NAME_OF(1, "/device:GPU:0") LINE_OF(1, 14, "Stream #14(Compute)") LINE_OF(
            1, 15, "XLA Ops") NAME_OF(701, "/host:CPU") LINE_OF(701, 3, "python3")
            NAME_OF(9, "/device:CUSTOM:x") LINE_OF(9, 1, "Ops") LINE_OF(9, 2, "Steps") SPAN(
                1, 14, 10.5, 2.25,
                "\"name\":\"dot\",\"args\":{\"correlation_id\":\"7\",\"hlo_op\":\"dot.1\",\"name\":"
                "\"jit(f)/dot\","
                "\"hlo_module\":\"jit_f\",\"kernel_details\":\"grid:2,1,1 block:64,1,1\"}")
                SPAN(1, 14, 20, 1e-06,
                     "\"name\":\"short\",\"args\":{\"long_name\":\"shorter_kernel\"}")
                    SPAN(
                        1, 14, 30.000001, 1,
                        "\"name\":\"MemcpyH2D\",\"args\":{\"memcpy_details\":\"size:4096 dest:0\"}")
                        SPAN(1, 15, 10.5, 2.25, "\"name\":\"dot.1\"") SPAN(1, 14, 1, -3,
                                                                           "\"name\":\"backwards\"")
                            SPAN(701, 3, 9, 1,
                                 "\"name\":\"launch\",\"args\":{\"correlation_id\":\"7\",\"device_"
                                 "id\":\"0\"}")
                                SPAN(701, 3, 1, 90,
                                     "\"name\":\"train\",\"args\":{\"step_num\":\"4\"}")
                                    SPAN(701, 3, 2, 3, "\"name\":\"$x.py:1 f\"")
                                        SPAN(701, 3, 5, 3, "\"name\":\"$x.py:1 f\"")
                                            SPAN(9, 1, 1, 5, "\"name\":\"a\"")
                                                SPAN(9, 1, 2, 8, "\"name\":\"b\"")
                                                    SPAN(9, 2, 1, 50, "\"name\":\"0\"")
                                                        SPAN(55, 1, 1, 5, "\"name\":\"nobody\""),
        0);
    const struct az_trace *t = &f.trace;
    const struct az_xtrace *x = az_xtrace(t);
    const struct az_events *k = &t->ev[AZ_KERNEL];
    assert_int_equal(k->n, 2);
    assert_int_equal(k->start[0], 10500000);
    assert_int_equal(k->end[0], 12750000);
    assert_int_equal(k->corr[0], 7);
    assert_int_equal(k->end[1], k->start[1]); /* 1 ps is none */
    assert_true(named(&f, k->name[1], "shorter_kernel"));
    const struct az_xrow *row = az_xtrace_row_of(t, AZ_KERNEL, 0);
    assert_non_null(row);
    assert_true(named(&f, row->op, "dot.1"));
    assert_true(named(&f, row->module, "jit_f"));
    assert_true(named(&f, row->scope, "jit(f)/dot"));
    assert_false(row->has_program);
    assert_int_equal(t->ev[AZ_MEMCPY].start[0], 30000001);
    assert_int_equal(t->copies.v[t->ev[AZ_MEMCPY].side[0]].bytes, 4096);
    assert_int_equal(t->ev[AZ_CALL].n, 1);
    assert_int_equal(t->ev[AZ_CALL].node[0], 1);
    assert_int_equal(x->steps.n, 1);
    assert_int_equal(x->steps.v[0].number, 4);
    assert_int_equal(x->host.n, 3);
    assert_int_equal(x->host.v[2].count, 2);
    assert_int_equal(x->host.v[2].ticks, 6000000);
    assert_int_equal(dropped(&f, "derived lines of a GPU (duplicate events of its streams)"), 1);
    assert_int_equal(dropped(&f, "events with invalid timestamps"), 1);
    assert_int_equal(dropped(&f, "events before the name of their process"), 1);
    assert_true(az_sv_is(x->host_name, "host"));
    fixture_close(&f);
}

/* Operations nest in control flow; without operations the runs of programs stand for them. */
static void viewer_of_a_tpu(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    parse_viewer(
        &f,
        NAME_OF(3, "/device:TPU:0") LINE_OF(3, 2, "XLA Modules") LINE_OF(3, 3, "XLA Ops") NAME_OF(
            4, "/device:TPU:1") LINE_OF(4, 2, "XLA Modules") LINE_OF(4, 5, "Other")
            SPAN(3, 2, 0, 90, "\"name\":\"jit_f(1)\"") SPAN(
                3, 3, 1, 80,
                "\"name\":\"while.1\",\"args\":{\"hlo_category\":\"while\",\"long_name\":\"%w\"}")
                SPAN(
                    3, 3, 2, 30,
                    "\"name\":\"%dot.5 = f32[2] dot()\",\"args\":{\"hlo_category\":\"convolution\","
                    "\"bytes_accessed\":\"640\",\"tf_op\":\"f/dot\"}")
                    SPAN(4, 2, 5, 70, "\"name\":\"jit_g(2)\"") SPAN(4, 5, 0, 70, "\"name\":\"x\""),
        0);
    const struct az_trace *t = &f.trace;
    const struct az_xrow *row = az_xtrace_row_of(t, AZ_KERNEL, 0);
    assert_int_equal(t->ev[AZ_KERNEL].n, 2);
    assert_int_equal(t->ev[AZ_GPU_RANGE].n, 3); /* two runs, one loop */
    assert_true(named(&f, t->ev[AZ_KERNEL].name[0], "dot.5"));
    assert_int_equal(row->bytes, 640);
    assert_true(named(&f, row->scope, "f/dot"));
    assert_true(named(&f, t->ev[AZ_KERNEL].name[1], "jit_g(2)"));
    assert_int_equal(dropped(&f, "lines of a TPU without operations"), 1);
    assert_true(said(&f, AZ_WARNING, "'/device:TPU:1' has no operations"));
    fixture_close(&f);
}

static void viewer_damage(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = { { "{\"a\":1}", "no 'traceEvents' in this JSON" },
                { "{\"a\":", "file truncated before its events" },
                { "{\"a\":!}", "malformed JSON" } };
    struct fixture f;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        fixture_open(&f);
        parse_bytes(&f, bad[i].text, strlen(bad[i].text), AZ_EFORMAT);
        assert_true(said(&f, AZ_ERROR, bad[i].message));
        fixture_close(&f);
    }
    assert_int_equal(
        az_format_xplane.probe(AZ_SV("{\"traceEvents\":[{\"name\":\"process_name\",\"args\":"
                                     "{\"name\":\"python\"},\"x\":\"/host:CPU\"}]}"),
                               AZ_SV("x.json")),
        0);
    static const char *const gaps[] = { "", " ", "\t", "\n", "\r\n \t" };
    for (size_t i = 0; i < AZ_LENGTH(gaps); i++) {
        char text[160];
        const int n = snprintf(text, sizeof text,
                               "{\"traceEvents\":%s[{\"name\":%s\"process_name\",\"args\"%s:"
                               "{\"name\"%s:%s\"/device:GPU:0\"}}]}",
                               gaps[i], gaps[i], gaps[i], gaps[i], gaps[i]);
        assert_int_equal(az_format_xplane.probe(az_sv_make(text, (size_t)n), AZ_SV("x.json")), 90);
    }
}

static void families_have_names(void **state)
{
    (void)state;
    assert_string_equal(az_hlo_family_text(AZ_HLO_COLL_NONE), "");
    assert_string_equal(az_hlo_family_text(AZ_HLO_COLL_BROADCAST), "collective-broadcast");
    assert_string_equal(az_hlo_family_text((enum az_hlo_family)(AZ_HLO_COLL_BROADCAST + 1)), "");
}

/* Times of the epoch would overflow in picoseconds: they count from the first line. */
static void epoch_times(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new();
    pb_text(plane, 2, "/device:GPU:0");
    line_head(line, 1, "Stream #1", UINT64_C(1770000000000000000));
    pb_text(line, 11, "shown"); /* for a line without a name */
    line_event(line, 1, 0, 5, NULL);
    pb_msg(plane, 3, line);
    line->n = 0;
    line_head(line, 2, "Stream #2", UINT64_C(1770000000000000007));
    line_event(line, 1, 1, 5, NULL);
    line_event(line, 1, 1, UINT64_MAX, NULL);                   /* -1: ends before it starts */
    line_event(line, 1, UINT64_C(0x7fffffffffffffff), 5, NULL); /* beyond 64 bits */
    line_event(line, 77, 1, 5, NULL);                           /* no such metadata */
    pb_msg(plane, 3, line);
    plane_meta(plane, 4, 1, "k", NULL);
    add_plane(space, plane);
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    trace_is(&f.trace, "device pid 0 tid 1 device 0 context 0 proc 0 'Stream #1'\n"
                       "device pid 0 tid 2 device 0 context 0 proc 0 'Stream #2'\n"
                       "kernel 0 5 'k' @0\n"
                       "kernel 7001 7006 'k' @1\n"
                       "plane GPU 0 '' '' units 0 clock 0 memory 0 0 peaks 0 0\n"
                       "dropped 1 (0): events whose metadata is missing\n"
                       "dropped 2 (0): events with invalid timestamps\n"
                       "device GPU:0 = , 0 cores, 0 MHz, 0 B\n"
                       "read 5 kept 2\n");
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 2);
    assert_int_equal(f.trace.ev[AZ_KERNEL].start[0], 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].start[1], 7001);
    assert_true(named(&f, f.trace.lanes.v[f.trace.ev[AZ_KERNEL].lane[0]].label, "Stream #1"));
    assert_int_equal(dropped(&f, "events with invalid timestamps"), 2);
    assert_int_equal(dropped(&f, "events whose metadata is missing"), 1);
    free(line);
    free(space);
    fixture_close(&f);
}

/* What an event says, but for its correlation, wherever that is. */
static void say(struct pb *stats, int place, uint64_t correlation, uint64_t program)
{
    enum { CORR = 300 }; /* an id of two bytes */
    stats->n = 0;
    if (place == 0)
        event_number(stats, 4, CORR, 3, correlation);
    event_number(stats, 4, ST_PROGRAM, 3, program);
    if (place == 1)
        event_number(stats, 4, CORR, 3, correlation);
    event_text(stats, 4, ST_OP, "op.1", 4);
    if (place == 2 || place == 4)
        event_number(stats, 4, CORR, 3, correlation);
    if (place == 4) /* twice: the last one counts */
        event_number(stats, 4, CORR, 3, correlation + 1);
}

/* Stats that were read before are not read again: each event still has its own correlation and
 * program. */
static void stats_that_come_again(void **state)
{
    enum { EVENTS = 60 };
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new(), *stats = pb_new();
    pb_text(plane, 2, "/device:GPU:0");
    plane_meta(plane, 4, 1, "k", NULL);
    plane_meta(plane, 5, 300, "correlation_id", NULL);
    plane_meta(plane, 5, ST_PROGRAM, "program_id", NULL);
    plane_meta(plane, 5, ST_OP, "hlo_op", NULL);
    line_head(line, 1, "Stream #1", 0);
    for (unsigned i = 0; i < EVENTS; i++) {
        say(stats, (int)i % 5, 1000 + i, 7 + i / 5 % 2);
        line_event(line, 1, 10 * i, 5, stats);
    }
    pb_msg(plane, 3, line);
    add_plane(space, plane);
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    const struct az_events *ev = &f.trace.ev[AZ_KERNEL];
    assert_int_equal(ev->n, EVENTS);
    assert_int_equal(az_xtrace(&f.trace)->rows.n, 2); /* programs */
    for (unsigned i = 0; i < EVENTS; i++) {
        const unsigned place = i % 5;
        assert_int_equal(ev->corr[i], place == 3 ? 0 : 1000 + i + (place == 4));
        assert_int_equal(az_xtrace_row_of(&f.trace, AZ_KERNEL, i)->program, 7 + i / 5 % 2);
    }
    free(stats);
    free(line);
    free(space);
    fixture_close(&f);
}

/* What follows is foretold by what came before: not where the name is another one, or another thing
 * is said, or a number comes after the stats, or the line ends. */
static void what_follows_is_another(void **state)
{
    enum { EVENTS = 240 };
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new(), *stats = pb_new();
    pb_text(plane, 2, "/device:GPU:0");
    plane_meta(plane, 4, 1, "first", NULL);
    plane_meta(plane, 4, 2, "second", NULL);
    plane_meta(plane, 4, 3, "MemcpyD2H", NULL);
    plane_meta(plane, 5, 300, "correlation_id", NULL);
    plane_meta(plane, 5, ST_PROGRAM, "program_id", NULL);
    plane_meta(plane, 5, ST_OP, "hlo_op", NULL);
    for (unsigned i = 0; i < EVENTS; i++) {
        const unsigned meta = i % 7 == 6 ? 3 : 1 + (i % 3 == 0);
        const uint64_t correlation = i % 11 ? UINT64_C(1) << (i % 60) : 0;
        struct pb *e = pb_new();
        if (i % 100 == 0) {
            line->n = 0;
            line_head(line, 1 + i / 100, "Stream #1", 0);
        }
        say(stats, correlation ? 1 : 3, correlation, 7 + (i % 4 == 3));
        pb_num(e, 1, meta);
        pb_num(e, 2, 1000 * i);
        if (i % 13)
            pb_num(e, 3, 5);
        pb_raw(e, stats->b, stats->n);
        if (i % 13 == 0)
            pb_num(e, 3, 6);
        pb_msg(line, 4, e);
        free(e);
        if (i % 100 == 99 || i == EVENTS - 1)
            pb_msg(plane, 3, line);
    }
    add_plane(space, plane);
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    size_t at[2] = { 0 };
    for (unsigned i = 0; i < EVENTS; i++) {
        const bool copy = i % 7 == 6;
        const enum az_kind kind = copy ? AZ_MEMCPY : AZ_KERNEL;
        const struct az_events *ev = &f.trace.ev[kind];
        const size_t k = at[copy]++;
        assert_int_equal(ev->start[k], 1000 * i);
        assert_int_equal(ev->end[k] - ev->start[k], i % 13 ? 5 : 6);
        assert_int_equal(ev->corr[k], i % 11 ? UINT64_C(1) << (i % 60) : 0);
        assert_true(named(&f, ev->name[k], copy ? "MemcpyD2H" : i % 3 ? "first" : "second"));
        assert_int_equal(az_xtrace_row_of(&f.trace, kind, k)->program, 7 + (i % 4 == 3));
        assert_int_equal(f.trace.lanes.v[ev->lane[k]].tid, 1 + i / 100);
    }
    assert_int_equal(at[0], f.trace.ev[AZ_KERNEL].n);
    free(stats);
    free(line);
    free(space);
    fixture_close(&f);
}

/* A line whose number is written after its events. */
static void fields_of_a_line_in_any_order(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new();
    pb_text(plane, 2, "/device:GPU:0");
    pb_num(line, 3, 1000);
    pb_text(line, 2, "Stream #5");
    line_event(line, 1, 0, 5, NULL);
    pb_num(line, 1, 5);
    pb_msg(plane, 3, line);
    plane_meta(plane, 4, 1, "k", NULL);
    add_plane(space, plane);
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_int_equal(f.trace.lanes.v[f.trace.ev[AZ_KERNEL].lane[0]].tid, 5);
    free(line);
    free(space);
    fixture_close(&f);
}

static void add_computation(struct pb *module, const struct pb *instructions, uint64_t id)
{
    struct pb *c = pb_new();
    pb_raw(c, instructions->b, instructions->n);
    pb_num(c, 5, id);
    pb_msg(module, 3, c);
    free(c);
}

/* bf16[64] = reduce-scatter(bf16[128]) over {0, 2} and {1, 3}, as the compiler writes it: an
 * async-start that calls a computation with the instruction inside, which alone knows the groups.
 */
static struct pb *wrapped_collective(void)
{
    struct pb *in = pb_new(), *out = pb_new(), *both = pb_new(), *extra = pb_new(), *c = pb_new(),
              *inner = pb_new();
    struct pb *module = pb_new(), *proto = pb_new(), *group = pb_new();
    shape_of(in, 16, 1, (uint64_t[]){ 128 });
    shape_of(out, 16, 1, (uint64_t[]){ 64 });
    pb_num(both, 2, 13);
    pb_msg(both, 4, in);
    pb_msg(both, 4, out);
    pb_data(group, 1, "\0\2", 2);
    pb_msg(extra, 49, group);
    group->n = 0;
    pb_data(group, 1, "\1\3", 2);
    pb_msg(extra, 49, group);
    instruction(inner, "p.1", "parameter", 7, in, NULL, 0, NULL);
    instruction(inner, "reduce-scatter.9", "reduce-scatter", 8, out, "\7", 1, extra);
    extra->n = 0;
    pb_num(extra, 38, 77);
    instruction(c, "a", "parameter", 1, in, NULL, 0, NULL);
    instruction(c, "reduce-scatter-start", "async-start", 2, both, "\1", 1, extra);
    instruction(c, "reduce-scatter-done", "async-done", 3, out, "\2", 1, NULL);
    pb_text(module, 1, "jit_f");
    add_computation(module, inner, 77);
    add_computation(module, c, 5);
    pb_msg(proto, 1, module);
    struct pb *const used[] = { in, out, both, extra, c, inner, module, group };
    for (size_t i = 0; i < AZ_LENGTH(used); i++)
        free(used[i]);
    return proto;
}

static void groups_of_a_wrapped_collective(void **state)
{
    static const char *const names[] = { "reduce-scatter-start", "reduce-scatter-done",
                                         "reduce-scatter.3" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        struct fixture f;
        struct pb *space = pb_new(), *proto = wrapped_collective();
        add_plane(space, gpu_plane("/device:GPU:0", "ncclDevKernel", names[i], 5000000, 10));
        add_plane(space, metadata_plane(proto));
        fixture_open(&f);
        parse_bytes(&f, space->b, space->n, 0);
        const struct az_xrow *row = az_xtrace_row_of(&f.trace, AZ_KERNEL, 0);
        assert_int_not_equal(row->hlo, AZ_NO_ROW);
        const struct az_hlo_op *op = &az_xtrace(&f.trace)->hlo.v[row->hlo];
        assert_int_equal(op->family, AZ_HLO_COLL_REDUCE_SCATTER);
        assert_true(op->start);
        assert_int_equal(op->n_operands, 1);
        assert_int_equal(op->operands[0].bytes, 256);
        assert_int_equal(op->n_groups, 2);
        assert_int_equal(op->groups[1].n, 2);
        assert_int_equal(op->groups[1].v[1], 3);
        free(proto);
        free(space);
        fixture_close(&f);
    }
}

/* What a metadata entry says holds for its events, unless one says something else of itself: on
 * GPUs and TPU cores. */
static void stats_of_the_metadata(void **state)
{
    (void)state;
    for (int tpu = 0; tpu < 2; tpu++) {
        struct fixture f;
        struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new(), *of_meta = pb_new(),
                  *own = pb_new();
        pb_text(plane, 2, tpu ? "/device:TPU:0" : "/device:GPU:0");
        line_head(line, 7, tpu ? "XLA Ops" : "Stream #7(Kernel)", 1000);
        line_event(line, 1, 0, 5, NULL);
        event_number(own, 4, ST_PROGRAM, 4, 10);
        line_event(line, 1, 10, 5, own);
        pb_msg(plane, 3, line);
        event_number(of_meta, 5, ST_PROGRAM, 4, 9);
        event_number(of_meta, 5, ST_CORR, 3, 77);
        event_text(of_meta, 5, ST_OP, "dot.1", 5);
        event_text(of_meta, 5, ST_MODULE, "jit_f", 5);
        plane_meta(plane, 4, 1, "dot.1", of_meta);
        stat_names(plane);
        add_plane(space, plane);
        fixture_open(&f);
        parse_bytes(&f, space->b, space->n, 0);
        assert_int_equal(f.trace.ev[AZ_KERNEL].n, 2);
        for (uint32_t i = 0; i < 2; i++) {
            const struct az_xrow *row = az_xtrace_row_of(&f.trace, AZ_KERNEL, i);
            assert_non_null(row);
            assert_int_equal(row->program, 9 + i);
            assert_true(named(&f, row->op, "dot.1"));
            assert_true(named(&f, row->module, "jit_f"));
            if (!tpu)
                assert_int_equal(f.trace.ev[AZ_KERNEL].corr[i], 77);
        }
        struct pb *const used[] = { space, line, of_meta, own };
        for (size_t k = 0; k < AZ_LENGTH(used); k++)
            free(used[k]);
        fixture_close(&f);
    }
}

/* A TPU profile without operations has a timeline nevertheless: of its programs. */
static void programs_stand_for_operations(void **state)
{
    (void)state;
    for (int with = 0; with < 3;
         with++) { /* no line of operations, an empty one, one with an operation */
        struct fixture f;
        struct pb *space = pb_new(), *plane = pb_new(), *programs = pb_new(), *ops = pb_new();
        pb_text(plane, 2, "/device:TPU:0");
        line_head(programs, 1, "XLA Modules", 1000);
        line_event(programs, 1, 0, 5000, NULL);
        line_event(programs, 1, 9000, 6000, NULL);
        pb_msg(plane, 3, programs);
        line_head(ops, 2, "XLA Ops", 1000);
        if (with == 2)
            line_event(ops, 2, 100, 700, NULL);
        if (with)
            pb_msg(plane, 3, ops);
        plane_meta(plane, 4, 1, "jit_f(15)", NULL);
        plane_meta(plane, 4, 2, "%dot.1 = f32[8] dot(a, b)", NULL);
        add_plane(space, plane);
        fixture_open(&f);
        parse_bytes(&f, space->b, space->n, 0);
        const struct az_events *k = &f.trace.ev[AZ_KERNEL];
        assert_int_equal(f.trace.ev[AZ_GPU_RANGE].n, 2);
        assert_int_equal(k->n, with == 2 ? 1 : 2);
        assert_int_equal(f.trace.kept, with == 2 ? 3 : 2); /* a run counts once */
        assert_int_equal(f.diag.warnings, with == 2 ? 0 : 1);
        assert_true(named(&f, k->name[0], with == 2 ? "dot.1" : "jit_f(15)"));
        assert_int_equal(k->end[k->n - 1] - k->start[k->n - 1], with == 2 ? 700 : 6000);
        free(space);
        free(programs);
        free(ops);
        fixture_close(&f);
    }
}

/* Control flow is no work, what it encloses is: by category where there is one. */
static void control_flow_is_no_kernel(void **state)
{
    (void)state;
    static const char *const name[] = { "%while.12 = (s32[]) while(x)", "%call.3 = f32[8] call(x)",
                                        "%custom-call.3 = f32[8] custom-call(x)",
                                        "%while_fusion = f32[8] fusion(x)",
                                        "%dot.1 = f32[8] dot(a)" };
    struct fixture f;
    struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new();
    pb_text(plane, 2, "/device:TPU:0");
    line_head(line, 1, "XLA Ops", 1000);
    for (unsigned i = 0; i < AZ_LENGTH(name); i++) {
        line_event(line, i + 1, 0, 5000, NULL);
        plane_meta(plane, 4, i + 1, name[i], NULL);
    }
    pb_msg(plane, 3, line);
    add_plane(space, plane);
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    trace_is(&f.trace, "device pid 0 tid 1 device 0 context 0 proc 0 'XLA Ops'\n"
                       "kernel 0 5000 'custom-call.3' @0 op 'custom-call.3' of '-' 0 (no program) "
                       "scope '-' details '-' category '-' flops -1 bytes -1\n"
                       "kernel 0 5000 'while_fusion' @0 op 'while_fusion' of '-' 0 (no program) "
                       "scope '-' details '-' category '-' flops -1 bytes -1\n"
                       "kernel 0 5000 'dot.1' @0 op 'dot.1' of '-' 0 (no program) scope '-' "
                       "details '-' category '-' flops -1 bytes -1\n"
                       "GPU range 0 5000 'while.12' @0 op 'while.12' of '-' 0 (no program) scope "
                       "'-' details '-' category '-' flops -1 bytes -1\n"
                       "GPU range 0 5000 'call.3' @0 op 'call.3' of '-' 0 (no program) scope '-' "
                       "details '-' category '-' flops -1 bytes -1\n"
                       "plane TPU 0 '' '' units 0 clock 0 memory 0 0 peaks 0 0\n"
                       "device TPU:0 = , 0 TFLOP/s, 0 GB/s\n"
                       "read 5 kept 5\n");
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 3);
    assert_int_equal(f.trace.ev[AZ_GPU_RANGE].n, 2);
    free(space);
    free(line);
    fixture_close(&f);
}

/* A loop without an operation in it runs what was not recorded: it is work, as long as it lasts. */
static void control_flow_without_operations(void **state)
{
    (void)state;
    static const char *const name[] = { "%while.12 = (s32[]) while(x)", "%dot.1 = f32[8] dot(a)" };
    struct fixture f;
    struct pb *space = pb_new(), *plane = pb_new(), *line = pb_new();
    pb_text(plane, 2, "/device:TPU:0");
    line_head(line, 1, "XLA Ops", 1000);
    line_event(line, 1, 0, 5000, NULL); /* runs the operation after it */
    line_event(line, 2, 4999, 1, NULL);
    line_event(line, 1, 5000, 3000, NULL);
    line_event(line, 2, 8000, 500, NULL); /* begins where the second loop ends */
    for (unsigned i = 0; i < AZ_LENGTH(name); i++)
        plane_meta(plane, 4, i + 1, name[i], NULL);
    pb_msg(plane, 3, line);
    add_plane(space, plane);
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    const struct az_events *k = &f.trace.ev[AZ_KERNEL], *loops = &f.trace.ev[AZ_GPU_RANGE];
    assert_int_equal(loops->n, 1);
    assert_int_equal(loops->end[0] - loops->start[0], 5000);
    assert_int_equal(k->n, 3);
    assert_true(named(&f, k->name[1], "while.12"));
    assert_int_equal(k->start[1], k->start[0] + 1);
    assert_int_equal(k->end[1] - k->start[1], 3000);
    assert_int_equal(f.trace.kept, 4);
    free(space);
    free(line);
    fixture_close(&f);
}

/* Kernels whose metadata hold no word that was asked for are taken out and counted; copies stay. */
static void kernels_by_metadata(void **state)
{
    static const struct {
        const char *words;
        size_t kernels;
    } cases[] = { { "remat  while", 1 }, { "model.py:12", 1 }, { " ", 1 }, { "checkpoint", 0 } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        struct pb *space = pb_new(), *c = pb_new(), *shape = pb_new(), *extra = pb_new(),
                  *meta = pb_new();
        shape_of(shape, 16, 1, (uint64_t[]){ 8 });
        pb_text(meta, 2, "jit(f)/remat/dot_general");
        pb_text(meta, 3, "model.py");
        pb_num(meta, 4, 12);
        pb_msg(extra, 7, meta);
        instruction(c, "dot.1", "custom-call", 3, shape, NULL, 0, extra);
        struct pb *proto = hlo_proto(c);
        add_plane(space, gpu_plane("/device:GPU:0", "k", "dot.1", 5000000, 10));
        add_plane(space, metadata_plane(proto));
        fixture_open(&f);
        f.opts.keyword_filters = az_sv_str(cases[i].words);
        parse_bytes(&f, space->b, space->n, 0);
        assert_int_equal(f.trace.ev[AZ_KERNEL].n, cases[i].kernels);
        assert_int_equal(f.trace.ev[AZ_MEMCPY].n, 1);
        assert_int_equal(dropped(&f, "kernels excluded by kernel_metadata_keyword_filters"),
                         1 - cases[i].kernels);
        struct pb *const used[] = { space, c, shape, extra, meta, proto };
        for (size_t k = 0; k < AZ_LENGTH(used); k++)
            free(used[k]);
        fixture_close(&f);
    }
}

static void without_its_program_the_events_stand(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new();
    add_plane(space, gpu_plane("/device:GPU:3", "k", "dot.1", 0, 10));
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    trace_is(&f.trace, "device pid 0 tid 7 device 3 context 0 proc 0 'Stream #7(Kernel)'\n"
                       "kernel 0 10 'k' @0 corr 11 op 'dot.1' of 'jit_f' 9 scope '-' details '-' "
                       "category '-' flops -1 bytes -1\n"
                       "memcpy 10 500010 'MemcpyD2H' @0 corr 12 op '-' of '-' 0 (no program) scope "
                       "'-' details 'kind:D2H size:4096 dest:0' category '-' flops -1 bytes -1 "
                       "bytes 4096 gbps 0 op -1 src -1 dst -1\n"
                       "plane GPU 3 '' '' units 0 clock 0 memory 0 0 peaks 0 0\n"
                       "dropped 1 (0): derived lines of a GPU (duplicate events of its streams)\n"
                       "device GPU:3 = , 0 cores, 0 MHz, 0 B\n"
                       "read 3 kept 2\n");
    assert_int_equal(az_xtrace_row_of(&f.trace, AZ_KERNEL, 0)->hlo, AZ_NO_ROW);
    assert_int_equal(az_xtrace(&f.trace)->planes.v[0].ordinal, 3);
    free(space);
    fixture_close(&f);
}

static void a_sidecar_stands_in(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *proto = dot_module();
    add_plane(space, gpu_plane("/device:GPU:0", "k", "dot.1", 0, 10));
    fixture_open(&f);
    (void)fixture_write(&f, "jit_f(9).hlo_proto.pb", proto->b, proto->n);
    parse_bytes(&f, space->b, space->n, 0);
    trace_is(&f.trace, "device pid 0 tid 7 device 0 context 0 proc 0 'Stream #7(Kernel)'\n"
                       "kernel 0 10 'k' @0 corr 11 op 'dot.1' of 'jit_f' 9 scope '-' details '-' "
                       "category '-' flops -1 bytes -1 hlo 0\n"
                       "memcpy 10 500010 'MemcpyD2H' @0 corr 12 op '-' of '-' 0 (no program) scope "
                       "'-' details 'kind:D2H size:4096 dest:0' category '-' flops -1 bytes -1 "
                       "bytes 4096 gbps 0 op -1 src -1 dst -1\n"
                       "plane GPU 0 '' '' units 0 clock 0 memory 0 0 peaks 0 0\n"
                       "hlo 9 'jit_f' 'dot.1' dot target '' scope '' source '' kind 1 = "
                       "bf16[8,4]{1,0}, bf16[8,16]{1,0}, bf16[16,4]{1,0}\n"
                       "dropped 1 (0): derived lines of a GPU (duplicate events of its streams)\n"
                       "device GPU:0 = , 0 cores, 0 MHz, 0 B\n"
                       "read 3 kept 2\n");
    assert_int_not_equal(az_xtrace_row_of(&f.trace, AZ_KERNEL, 0)->hlo, AZ_NO_ROW);
    free(space);
    free(proto);
    fixture_close(&f);
}

static void a_damaged_program_is_a_warning(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *proto = pb_new();
    pb_raw(proto, "\x0a\x05\x1a\x7f\x01\x02\x03", 7);
    add_plane(space, gpu_plane("/device:GPU:0", "k", "dot.1", 0, 10));
    add_plane(space, metadata_plane(proto));
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    assert_true(said(&f, AZ_WARNING, "'jit_f' (9) in this file is damaged"));
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    free(space);
    free(proto);
    fixture_close(&f);
}

/* A shape within a shape within a shape ... */
static void nesting_has_a_limit(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *shape = pb_new(), *outer = pb_new(), *c = pb_new(), *space = pb_new();
    pb_num(shape, 2, 11);
    for (int i = 0; i < 200; i++) {
        outer->n = 0;
        pb_num(outer, 2, 13);
        pb_msg(outer, 4, shape);
        struct pb *swap = shape;
        shape = outer;
        outer = swap;
    }
    instruction(c, "dot.1", "custom-call", 1, shape, NULL, 0, NULL);
    struct pb *proto = hlo_proto(c);
    add_plane(space, gpu_plane("/device:GPU:0", "k", "dot.1", 0, 10));
    add_plane(space, metadata_plane(proto));
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    assert_true(said(&f, AZ_WARNING, "is damaged"));
    free(shape);
    free(outer);
    free(c);
    free(proto);
    free(space);
    fixture_close(&f);
}

static void bad_text_and_unknown_fields_pass(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new();
    pb_num(space, 2000, 5);
    pb_text(space, 2001, "whatever");
    add_plane(space, gpu_plane("/device:GPU:0", "ker\xef\xbf\xbd\xff\x80nel", "dot.1", 0, 10));
    pb_text(space, 3, "\nevents were\nlost");
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, 0);
    assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[0], "ker\xef\xbf\xbd\xff\x80nel"));
    assert_true(said(&f, AZ_WARNING, "profiler message: warning: events were lost"));
    free(space);
    fixture_close(&f);
}

/* Every prefix: refused with the byte, or what is whole is kept and the cut is reported; never a
 * crash or silence. */
static void a_cut_at_any_byte(void **state)
{
    (void)state;
    struct pb *space = whole_space();
    const struct pb *gpu = gpu_plane("/device:GPU:0", "wrapped_dot", "dot.1", 5000000, 1500000);
    for (size_t n = 1; n < space->n; n += n < 64 ? 1 : 7) {
        struct fixture f;
        fixture_open(&f);
        fixture_add(&f, fixture_write(&f, "host.xplane.pb", space->b, n), "", false);
        const int rc = fixture_parse(&f, &az_format_xplane);
        if (n < gpu->n + 3) { /* not one whole plane */
            assert_int_equal(rc, AZ_EFORMAT);
            assert_true(said(&f, AZ_ERROR, "invalid XSpace protobuf"));
        } else {
            assert_int_equal(rc, 0);
            assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
            bool told = f.diag.warnings > 0;
            if (!told) /* exactly between two fields */
                assert_true(dropped(&f, "file truncated (events after the end are unknown)") == 0);
        }
        fixture_close(&f);
    }
    free((void *)(uintptr_t)gpu);
    free(space);
}

static void a_length_beyond_its_message(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = whole_space();
    const ptrdiff_t at = az_sv_find(az_sv_make(space->b, space->n), AZ_SV("Stream #7"));
    assert_true(at > 0);
    space->b[at - 1] = 0x7f; /* the length of the line's name */
    fixture_open(&f);
    parse_bytes(&f, space->b, space->n, AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "damaged at byte"));
    free(space);
    fixture_close(&f);
}

static void strict_refuses_a_cut(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = whole_space();
    fixture_open(&f);
    f.opts.strict = true;
    parse_bytes(&f, space->b, space->n - 20, AZ_EFORMAT);
    free(space);
    fixture_close(&f);
}

static void recognised_by_its_first_plane(void **state)
{
    (void)state;
    struct pb *space = whole_space(), *proto = dot_module();
    const struct az_sv whole = az_sv_make(space->b, space->n), head = az_sv_make(space->b, 40);
    assert_int_equal(az_format_xplane.probe(whole, AZ_SV("x")), 90);
    assert_int_equal(az_format_xplane.probe(head, AZ_SV("x.bin")), 90);
    assert_int_equal(az_format_xplane.probe(AZ_SV("garbage"), AZ_SV("host.xplane.pb.gz")), 70);
    assert_int_equal(az_format_xplane.probe(AZ_SV("garbage"), AZ_SV("host.pb")), 0);
    assert_int_equal(az_format_xplane.probe(AZ_SV("{\"traceEvents\": []}"), AZ_SV("x.json")), 0);
    assert_int_equal(
        az_format_xplane.probe(az_sv_make(proto->b, proto->n), AZ_SV("jit_f(9).hlo_proto.pb")), 0);
    assert_int_equal(az_format_xplane.probe(az_sv_make(proto->b, proto->n), AZ_SV("other.pb")), 0);
    assert_true(az_sv_is(az_format_xplane.stem(AZ_SV("a/host.xplane.pb.gz")), "host"));
    free(space);
    free(proto);
}

static void an_empty_file(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    parse_bytes(&f, "", 0, AZ_EEMPTY);
    assert_true(said(&f, AZ_ERROR, "empty file"));
    fixture_close(&f);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xaff8b6bc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile),
        cmocka_unit_test(viewer_of_a_gpu),
        cmocka_unit_test(viewer_of_a_tpu),
        cmocka_unit_test(viewer_damage),
        cmocka_unit_test(epoch_times),
        cmocka_unit_test(families_have_names),
        cmocka_unit_test(stats_that_come_again),
        cmocka_unit_test(what_follows_is_another),
        cmocka_unit_test(fields_of_a_line_in_any_order),
        cmocka_unit_test(groups_of_a_wrapped_collective),
        cmocka_unit_test(stats_of_the_metadata),
        cmocka_unit_test(programs_stand_for_operations),
        cmocka_unit_test(control_flow_is_no_kernel),
        cmocka_unit_test(control_flow_without_operations),
        cmocka_unit_test(kernels_by_metadata),
        cmocka_unit_test(without_its_program_the_events_stand),
        cmocka_unit_test(a_sidecar_stands_in),
        cmocka_unit_test(a_damaged_program_is_a_warning),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(bad_text_and_unknown_fields_pass),
        cmocka_unit_test(a_cut_at_any_byte),
        cmocka_unit_test(a_length_beyond_its_message),
        cmocka_unit_test(strict_refuses_a_cut),
        cmocka_unit_test(recognised_by_its_first_plane),
        cmocka_unit_test(an_empty_file),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
