/* Analyses of compiled programs over traces made by hand. Times in picoseconds. */
#include "unit/analyses_job.h"

#include <stdio.h>

#include "document/flame.h"
#include "facts/families.h"
#include "model/xtrace.h"

#define US INT64_C(1000000)

static void compiled(struct az_trace *t, const char *host)
{
    assert_int_equal(az_xtrace_init(t), 0);
    t->caps = AZ_CAP_PROGRAMS;
    az_xtrace(t)->host_name = az_sv_str(host);
}

static uint32_t device_lane(struct az_trace *t, enum az_plane_kind kind, int64_t ordinal,
                            uint64_t line, enum az_xlane_role role)
{
    struct az_xtrace *x = az_xtrace(t);
    uint32_t p = 0, lane;
    while (p < x->planes.n && (x->planes.v[p].ordinal != ordinal || x->planes.v[p].kind != kind))
        p++;
    if (p == x->planes.n)
        assert_int_equal(
            az_vec_push(&x->planes, ((struct az_plane){ .kind = kind,
                                                        .ordinal = ordinal,
                                                        .vendor = AZ_SV("AMD"),
                                                        .type = AZ_SV(""),
                                                        .units = 304,
                                                        .peak_tflops = 100,
                                                        .memory_bytes = INT64_C(206141652992) })),
            0);
    const struct az_lane l = { .device_side = true,
                               .tid = line,
                               .device = ordinal,
                               .context = p,
                               .label = name_of(t, "line") };
    assert_int_equal(az_xtrace_lane(t, &l, role, &lane), 0);
    return lane;
}

/* Work of an operation of program 5; hlo: row of the instruction, AZ_NO_ROW for none. */
static void run_work(struct az_trace *t, enum az_kind kind, uint32_t lane, const char *name,
                     const char *op, uint32_t hlo, int64_t start, int64_t ticks)
{
    struct az_xrow row = { .program = 5,
                           .has_program = true,
                           .module = name_of(t, "jit_f"),
                           .op = op ? name_of(t, op) : AZ_NO_ID,
                           .scope = AZ_NO_ID,
                           .details = AZ_NO_ID,
                           .category = AZ_NO_ID,
                           .flops = -1,
                           .bytes = -1 };
    uint32_t index;
    assert_int_equal(az_xtrace_row(t, &row, &index), 0);
    az_xtrace(t)->rows.v[index].hlo = hlo;
    const struct az_event e = { .start = start,
                                .end = start + ticks,
                                .name = name_of(t, name),
                                .lane = lane,
                                .node = index + 1 };
    assert_int_equal(az_trace_add(t, kind, &e), 0);
}

static void run_kernel(struct az_trace *t, uint32_t lane, const char *name, const char *op,
                       uint32_t hlo, int64_t start, int64_t ticks)
{
    run_work(t, AZ_KERNEL, lane, name, op, hlo, start, ticks);
}

static const struct az_table *table_of(struct fix *f, const char *id)
{
    const struct az_table *t = az_document_table(&f->doc, id);
    if (!t)
        fail_msg("no table %s", id);
    return t;
}

static double figure(const struct az_table *t, size_t row, const char *column)
{
    const ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0 && row < t->rows);
    return az_cell_number(az_table_at(t, row, (size_t)c));
}

static bool text_is(const struct az_table *t, size_t row, const char *column, const char *text)
{
    const ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0 && row < t->rows);
    return az_sv_is(az_cell_text(az_table_at(t, row, (size_t)c)), text);
}

/* row of a table whose `column` is `text` */
static size_t row_where(const struct az_table *t, const char *column, const char *text)
{
    for (size_t r = 0; r < t->rows; r++)
        if (text_is(t, r, column, text))
            return r;
    fail_msg("no row with %s = %s", column, text);
    return 0;
}

#define near(a, b)                                                                                 \
    assert_true((a) > (b)-1e-9 * ((b) < 0 ? -(b) : (b)) - 1e-12 &&                                 \
                (a) < (b) + 1e-9 * ((b) < 0 ? -(b) : (b)) + 1e-12)

/* ---- collectives ---- */

static struct az_hlo_shape bytes_shape(int64_t bytes)
{
    return (struct az_hlo_shape){
        .text = AZ_SV("u8[]"), .type = AZ_SV("u8"), .bits = 8, .elements = bytes, .bytes = bytes
    };
}

static uint32_t add_collective(struct az_trace *t, enum az_hlo_family family, int64_t in,
                               int64_t out, struct az_hlo_dims *groups, size_t n)
{
    struct az_hlo_shape *operand = az_arena_alloc(&t->arena, sizeof *operand);
    *operand = bytes_shape(in);
    const struct az_hlo_op op = { .program = 5,
                                  .module = AZ_SV("jit_f"),
                                  .name = AZ_SV("coll.1"),
                                  .opcode = AZ_SV("c"),
                                  .kind = AZ_HLO_COLLECTIVE,
                                  .family = family,
                                  .result = bytes_shape(out),
                                  .operands = operand,
                                  .n_operands = 1,
                                  .groups = groups,
                                  .n_groups = n };
    assert_int_equal(az_vec_push(&az_xtrace(t)->hlo, op), 0);
    return (uint32_t)az_xtrace(t)->hlo.n - 1;
}

/* Two hosts of two devices; groups {0, 1} and {2, 3}: the time of an instance is that of the
 * fastest member, the message of an all-gather the gathered result. */
static void collectives_by_group(void **state)
{
    struct fix *f = *state;
    static const int64_t dur[2][2] = { { 400, 500 }, { 800, 250 } },
                         start[2][2] = { { 10, 35 }, { 7, 0 } };
    for (int h = 0; h < 2; h++) {
        struct az_trace *t = &f->t[h];
        struct az_hlo_dims *groups = az_arena_array(&f->arena, 2, sizeof *groups);
        static int64_t members[4] = { 0, 1, 2, 3 };
        groups[0] = (struct az_hlo_dims){ 2, members };
        groups[1] = (struct az_hlo_dims){ 2, members + 2 };
        compiled(t, h ? "beta" : "alpha");
        const uint32_t op = add_collective(t, AZ_HLO_COLL_ALL_GATHER, 1 << 20, 1 << 21, groups, 2);
        for (int d = 0; d < 2; d++) { /* what the library fills before it is no occurrence */
            const uint32_t lane = device_lane(t, AZ_PLANE_GPU, d, 1, AZ_XLANE_WORK);
            run_kernel(t, lane, "__amd_rocclr_fillBufferAligned.kd", "coll.1", op, 0, US);
            run_kernel(t, lane, "ncclDevKernel", "coll.1", op, start[h][d] * US, dur[h][d] * US);
        }
    }
    make_job(f, 2);
    assert_int_equal(az_analysis_hlo_coll.run(&f->job), 0);
    const struct az_table *t = table_of(f, "collectives");
    assert_int_equal(t->rows, 2);
    assert_true(text_is(t, 0, "collective_name", "all-gather"));
    assert_true(text_is(t, 0, "collective_id", "coll.1_0"));
    near(figure(t, 0, "group_size"), 2);
    near(figure(t, 0, "data_bytes"), 1 << 20);
    near(figure(t, 0, "message_bytes"), 1 << 21);
    near(figure(t, 0, "min_dur_us"), 400);
    near(figure(t, 0, "max_dur_us"), 500);
    near(figure(t, 0, "start_skew_us"), 25);
    near(figure(t, 0, "alg_bw_GBps"), 2097152.0 / 400e-6 / 1e9);
    near(figure(t, 0, "bus_bw_GBps"), 2097152.0 / 400e-6 / 1e9 / 2);
    near(figure(t, 1, "min_dur_us"), 250);
    near(figure(t, 1, "start_skew_us"), 7);
    const struct az_table *s = table_of(f, "collectives_by_type");
    near(figure(s, 0, "count"), 2);
    near(figure(s, 0, "total_us"), 650);
    near(figure(s, 0, "dur_us_p25"), 287.5);
}

/* Two processes on one host, each with a device 0, have labels of their own. */
static void processes_on_one_host(void **state)
{
    struct fix *f = *state;
    for (int h = 0; h < 2; h++) {
        compiled(&f->t[h], "node");
        run_kernel(&f->t[h], device_lane(&f->t[h], AZ_PLANE_GPU, 0, 1, AZ_XLANE_WORK), "k", NULL,
                   AZ_NO_ROW, 0, US);
    }
    make_job(f, 2);
    assert_int_equal(az_analysis_hlo_timeline.run(&f->job), 0);
    const struct az_table *t = table_of(f, "gpu_timeline");
    assert_true(text_is(t, 0, "device", "node/GPU:0"));
    assert_true(text_is(t, t->rows / 2 - 1, "device", "node/GPU:0"));
    assert_true(text_is(t, t->rows / 2, "device", "node#2/GPU:0"));
}

/* The reference's figures: 1,572,864 bytes a rank, 8 ranks, 412.785 us. */
static void the_reference_figures(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    compiled(t, "alpha");
    const uint32_t op = add_collective(t, AZ_HLO_COLL_ALL_GATHER, 1572864, 1572864 * 8, NULL, 0);
    for (int d = 0; d < 8; d++)
        run_kernel(t, device_lane(t, AZ_PLANE_GPU, d, 1, AZ_XLANE_WORK), "ncclDevKernel", "coll.1",
                   op, d * 40062143, 412785000 + (7 - d) * 20586571);
    make_job(f, 1);
    assert_int_equal(az_analysis_hlo_coll.run(&f->job), 0);
    const struct az_table *c = table_of(f, "collectives");
    near(figure(c, 0, "message_bytes"), 12582912);
    near(figure(c, 0, "min_dur_us"), 412.785);
    assert_true(figure(c, 0, "alg_bw_GBps") > 30.4829675 &&
                figure(c, 0, "alg_bw_GBps") < 30.4829685);
    assert_true(figure(c, 0, "bus_bw_GBps") > 26.6725965 &&
                figure(c, 0, "bus_bw_GBps") < 26.6725975);
}

/* all-reduce 2 (n - 1) / n of one rank's buffer; a group over two hosts has no skew; missing ranks
 * are reported. */
static void a_group_over_hosts(void **state)
{
    struct fix *f = *state;
    static int64_t members[4] = { 0, 1, 2, 9 };
    static struct az_hlo_dims group = { 4, members };
    for (int h = 0; h < 2; h++) {
        struct az_trace *t = &f->t[h];
        compiled(t, "");
        t->path = h ? AZ_SV("/x/b.xplane.pb") : AZ_SV("/x/a.xplane.pb");
        const uint32_t op = add_collective(t, AZ_HLO_COLL_ALL_REDUCE, 1000000, 1000000, &group, 1);
        for (int d = 0; d < 2 - h; d++)
            for (int k = 0; k < 2; k++)
                run_kernel(t, device_lane(t, AZ_PLANE_GPU, d, 1, AZ_XLANE_WORK), "rccl", "coll.1",
                           op, k * 100 * US, (10 + d + k) * US);
    }
    make_job(f, 2);
    assert_int_equal(az_analysis_hlo_coll.run(&f->job), 0);
    const struct az_table *t = table_of(f, "collectives");
    assert_int_equal(t->rows, 2);
    near(figure(t, 0, "ranks_seen"), 3);
    near(figure(t, 0, "group_size"), 4);
    assert_int_equal(az_table_at(t, 0, (size_t)az_table_find(t, "start_skew_us"))->type, AZ_EMPTY);
    near(figure(t, 0, "alg_bw_GBps"), 100);
    near(figure(t, 0, "bus_bw_GBps"), 150);
    assert_true(text_is(t, 1, "collective_id", "coll.1_1"));
    near(figure(t, 1, "min_dur_us"), 11);
    assert_int_equal(f->job.findings->rows, 1);
}

/* ---- timeline ---- */
static void time_line(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    compiled(t, "alpha");
    const uint32_t a = device_lane(t, AZ_PLANE_GPU, 2, 1, AZ_XLANE_WORK),
                   b = device_lane(t, AZ_PLANE_GPU, 2, 2, AZ_XLANE_WORK);
    run_kernel(t, a, "k", "fusion", AZ_NO_ROW, 0, 10 * US);
    run_kernel(t, b, "ncclX", NULL, AZ_NO_ROW, 5 * US, 10 * US);  /* 5 hidden, 5 exposed */
    run_kernel(t, a, "k", "fusion", AZ_NO_ROW, 30 * US, 10 * US); /* 15 idle before */
    struct az_event copy = {
        .start = 12 * US, .end = 16 * US, .name = name_of(t, "Memcpy"), .lane = a, .side = AZ_NO_ROW
    };
    assert_int_equal(az_trace_add(t, AZ_MEMCPY, &copy),
                     0); /* 3 hidden by communication, 1 exposed */
    make_job(f, 1);
    f->opts.micro_idle_us = AZ_UNSET_I64;
    assert_int_equal(az_analysis_hlo_timeline.run(&f->job), 0);
    const struct az_table *g = table_of(f, "gpu_timeline");
    near(figure(g, 0, "device"), 2);
    near(figure(g, row_where(g, "type", "computation_time"), "time_ms"), 0.020);
    near(figure(g, row_where(g, "type", "exposed_comm_time"), "time_ms"), 0.005);
    near(figure(g, row_where(g, "type", "exposed_memcpy_time"), "time_ms"), 0.001);
    near(figure(g, row_where(g, "type", "idle_time"), "time_ms"), 0.014);
    near(figure(g, row_where(g, "type", "total_time"), "time_ms"), 0.040);
    near(figure(g, row_where(g, "type", "total_comm_time"), "time_ms"), 0.010);
    near(figure(g, row_where(g, "type", "computation_time"), "percent"), 50);
}

/* ---- work ---- */

/* Two kernels an execution, the longer one counts executions; the first of a third is missing. */
/* Of a product, on the last of so many hosts; the others have a kernel of it, whose instruction was
 * not recorded. */
static const struct az_table *product_on(struct fix *f, size_t hosts)
{
    struct az_trace *t = &f->t[hosts - 1];
    compiled(t, "alpha");
    static int64_t dims[2][2] = { { 256, 512 }, { 512, 128 } }, zero[1] = { 0 }, one[1] = { 1 };
    static struct az_hlo_shape operand[2];
    static struct az_hlo_dot dot;
    for (int i = 0; i < 2; i++)
        operand[i] = (struct az_hlo_shape){ .text = AZ_SV("bf16[..]"),
                                            .type = AZ_SV("bf16"),
                                            .bits = 16,
                                            .n_dims = 2,
                                            .dims = dims[i],
                                            .elements = dims[i][0] * dims[i][1],
                                            .bytes = dims[i][0] * dims[i][1] * 2 };
    dot = (struct az_hlo_dot){ &operand[0], &operand[1], { 1, one },
                               { 1, zero }, { 0, NULL }, { 0, NULL } };
    const struct az_hlo_op op = { .program = 5,
                                  .name = AZ_SV("custom-call.1"),
                                  .opcode = AZ_SV("custom-call"),
                                  .target = AZ_SV("__cublas$gemm"),
                                  .kind = AZ_HLO_GEMM,
                                  .result = bytes_shape(65536),
                                  .operands = operand,
                                  .n_operands = 2,
                                  .dots = &dot,
                                  .n_dots = 1,
                                  .epilogue = AZ_SV("DEFAULT") };
    assert_int_equal(az_vec_push(&az_xtrace(t)->hlo, op), 0);
    const uint32_t lane = device_lane(t, AZ_PLANE_GPU, 0, 1, AZ_XLANE_WORK);
    for (int k = 0; k < 3; k++) {
        if (k < 2)
            run_kernel(t, lane, "fill", "custom-call.1", 0, k * 100 * US, 2 * US);
        run_kernel(t, lane, "Cijk", "custom-call.1", 0, (k * 100 + 10) * US, 8 * US);
    }
    if (hosts > 1) {
        compiled(&f->t[0], "beta");
        run_kernel(&f->t[0], device_lane(&f->t[0], AZ_PLANE_GPU, 0, 1, AZ_XLANE_WORK), "fill",
                   "custom-call.1", AZ_NO_ROW, 0, US);
    }
    make_job(f, hosts);
    assert_int_equal(az_analysis_hlo_perf.run(&f->job), 0);
    const struct az_table *p = table_of(f, "hlo_op_perf");
    assert_int_equal(p->rows, 1);
    return p;
}

static void instruction_of_another_host(void **state)
{
    const struct az_table *p = product_on(*state, 2);
    near(figure(p, 0, "kernel_count"), 6);
    near(figure(p, 0, "flops_per_execution"), 2.0 * 256 * 128 * 512);
}

static void executions(void **state)
{
    struct fix *f = *state;
    const struct az_table *p = product_on(f, 1);
    near(figure(p, 0, "kernel_count"), 5);
    near(figure(p, 0, "executions"), 3);
    near(figure(p, 0, "us_per_execution"), 28.0 / 3);
    near(figure(p, 0, "flops_per_execution"), 2.0 * 256 * 128 * 512);
    near(figure(p, 0, "bytes_per_execution"), 256 * 512 * 2 + 512 * 128 * 2 + 65536);
    assert_true(
        text_is(p, 0, "params", "B=1 M=256 N=128 K=512 dtype=bf16 beta=0 epilogue=DEFAULT"));
    const struct az_table *r = table_of(f, "hlo_roofline");
    assert_true(text_is(r, 0, "device_name", "MI300X"));
    assert_true(text_is(r, 0, "compute_spec", "matrix_bf16"));
    near(figure(r, 0, "roofline_us"), 458752 / 5300e9 * 1e6);
    az_document_release(&f->doc);
    az_document_init(&f->doc, f->job.arena);
    f->opts.device_peaks = AZ_SV("mem_bw_gbps=1000 matrix_bf16=1"); /* the user's own rates win */
    assert_int_equal(az_analysis_hlo_perf.run(&f->job), 0);
    r = table_of(f, "hlo_roofline");
    assert_true(text_is(r, 0, "bound", "COMPUTE_BOUND"));
    near(figure(r, 0, "roofline_us"), 2.0 * 256 * 128 * 512 / 1e12 * 1e6);
    az_document_release(&f->doc);
    az_document_init(&f->doc, f->job.arena);
    f->opts.device_peaks = AZ_SV("speed=9");
    assert_int_equal(az_analysis_hlo_perf.run(&f->job), AZ_ECONFIG);
}

/* ---- TPU ---- */
static void operation_of(struct az_trace *t, enum az_kind kind, uint32_t lane, const char *op,
                         const char *category, int64_t flops, int64_t start, int64_t ticks)
{
    struct az_xrow row = { .program = UINT64_C(12190760917235803885),
                           .has_program = true,
                           .module = AZ_NO_ID,
                           .op = name_of(t, op),
                           .scope = AZ_NO_ID,
                           .details = AZ_NO_ID,
                           .category = name_of(t, category),
                           .flops = flops,
                           .bytes = -1 };
    uint32_t index;
    assert_int_equal(az_xtrace_row(t, &row, &index), 0);
    const struct az_event e = {
        .start = start, .end = start + ticks, .name = row.op, .lane = lane, .node = index + 1
    };
    assert_int_equal(az_trace_add(t, kind, &e), 0);
}

static void operation(struct az_trace *t, uint32_t lane, const char *op, const char *category,
                      int64_t flops, int64_t start, int64_t ticks)
{
    operation_of(t, AZ_KERNEL, lane, op, category, flops, start, ticks);
}

static void self_time(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    compiled(t, "alpha");
    const uint32_t l = device_lane(t, AZ_PLANE_TPU, 0, 3, AZ_XLANE_WORK);
    operation(t, l, "inner", "loop fusion", 1000, 10 * US, 30 * US); /* starts with its parent */
    operation(t, l, "outer", "while", 0, 10 * US, 100 * US);
    operation(t, l, "call", "call", 0, 50 * US, 40 * US);
    operation(t, l, "inner", "loop fusion", 1000, 60 * US, 20 * US); /* in call, in outer */
    operation(t, l, "sum", "all-reduce", 0, 110 * US, 5 * US);       /* begins where outer ends */
    make_job(f, 1);
    assert_int_equal(az_analysis_hlo_tpu.run(&f->job), 0);
    const struct az_table *o = table_of(f, "tpu_op_summary");
    assert_int_equal(o->rows, 4);
    near(figure(o, row_where(o, "op", "outer"), "total_us"), 100);
    near(figure(o, row_where(o, "op", "outer"), "self_us"), 30);
    near(figure(o, row_where(o, "op", "call"), "self_us"), 20);
    near(figure(o, row_where(o, "op", "inner"), "self_us"), 50);
    near(figure(o, row_where(o, "op", "sum"), "self_us"), 5);
    assert_int_equal(o->note.n, 0); /* operations in operations: work, all of it */
    near(figure(o, row_where(o, "op", "inner"), "tflops_per_s"), 2 * 1000 / 50e6);
    near(figure(o, row_where(o, "op", "inner"), "percent_of_peak_flops"), 2 * 1000 / 50e6);
    assert_true(text_is(o, 0, "program_id", "12190760917235803885"));
    const struct az_table *g = table_of(f, "tpu_timeline");
    near(figure(g, row_where(g, "type", "communication_time"), "time_ms"), 0.005);
    near(figure(g, row_where(g, "type", "total_time"), "time_ms"), 0.105);
    near(figure(g, row_where(g, "type", "idle_time"), "time_ms"), 0);
    struct az_name_sums s;
    assert_int_equal(az_job_families(&f->job, &s), 0); /* by time without what is inside */
    assert_int_equal(s.n, 3);
    assert_int_equal(s.v[0].style, AZ_FAMILY_OTHER); /* as much as the next, first in the list */
    assert_int_equal(s.v[0].total, 50000);
    assert_int_equal(s.v[1].style, AZ_FAMILY_ELEMENTWISE);
    assert_int_equal(s.v[1].total, 50000);
    assert_int_equal(s.v[2].style, AZ_FAMILY_COMMUNICATION);
    assert_int_equal(s.v[2].total, 5000);
}

/* What control flow lasts without its operations is in no account: the tables state it. */
static void control_flow(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    compiled(t, "alpha");
    const uint32_t l = device_lane(t, AZ_PLANE_TPU, 0, 3, AZ_XLANE_WORK);
    operation_of(t, AZ_GPU_RANGE, l, "outer", "while", 0, 10 * US, 100 * US);
    operation(t, l, "inner", "loop fusion", 1000, 20 * US, 30 * US);
    operation(t, l, "inner", "loop fusion", 1000, 80 * US, 30 * US);
    make_job(f, 1);
    assert_int_equal(az_analysis_hlo_tpu.run(&f->job), 0);
    const struct az_table *o = table_of(f, "tpu_op_summary"),
                          *c = table_of(f, "tpu_category_summary"),
                          *g = table_of(f, "tpu_timeline");
    near(figure(o, row_where(o, "op", "outer"), "self_us"), 40);
    near(figure(o, row_where(o, "op", "inner"), "self_us"), 60);
    near(figure(g, row_where(g, "type", "busy_time"), "time_ms"), 0.060);
    near(figure(g, row_where(g, "type", "idle_time"), "time_ms"), 0.030);
    assert_true(az_sv_is(o->note, "Control flow (while, call, conditional): 40.0 us between the "
                                  "operations in it, counted as idle."));
    assert_true(az_sv_eq(c->note, o->note));
}

/* Families of operations of a TPU: by category; where that leaves it open, by the framework's path;
 * else by name. */
static void families(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_name_sums s;
    static const struct {
        const char *op, *category, *scope;
        enum az_family family;
    } ops[] = { { "fusion.1", "convolution fusion", "jit(f)/dot_general", AZ_FAMILY_GEMM },
                { "fusion.2", "convolution fusion", "jit(f)/conv_general_dilated", AZ_FAMILY_CONV },
                { "fusion.3", "loop fusion", "jit(f)/dot_general", AZ_FAMILY_ELEMENTWISE },
                { "softmax.4", "custom-call", "jit(f)/pallas_call", AZ_FAMILY_SOFTMAX },
                { "call.5", "custom-call", "jit(f)/flash_attention/call", AZ_FAMILY_ATTENTION },
                { "x.6", "all-gather fusion", "", AZ_FAMILY_COMMUNICATION },
                { "x.7", "copy-done", "", AZ_FAMILY_COPY },
                { "x.8", "data formatting", "", AZ_FAMILY_COPY },
                { "x.9", "while", "", AZ_FAMILY_OTHER } };
    int rc;
    compiled(t, "alpha");
    const uint32_t l = device_lane(t, AZ_PLANE_TPU, 0, 3, AZ_XLANE_WORK);
    for (size_t i = 0; i < AZ_LENGTH(ops); i++) {
        operation(t, l, ops[i].op, ops[i].category, 0, (int64_t)i * US, US);
        az_xtrace(t)->rows.v[i].scope = *ops[i].scope ? name_of(t, ops[i].scope) : AZ_NO_ID;
    }
    make_job(f, 1);
    const struct az_row_work *w = az_job_row_work(&f->job, 0, &rc);
    assert_non_null(w);
    for (size_t i = 0; i < AZ_LENGTH(ops); i++) {
        assert_int_equal(w[i].family, w[i].known ? ops[i].family : AZ_FAMILY_OTHER);
        assert_int_equal(w[i].part, i == 5   ? AZ_PART_COMM
                                    : i == 6 ? AZ_PART_COPY
                                             : AZ_PART_COMPUTE);
    }
    assert_int_equal(az_job_families(&f->job, &s), 0);
    assert_int_equal(s.n, 8); /* copy twice; softmax by its name */
    assert_int_equal(s.v[0].style, AZ_FAMILY_COPY);
    assert_int_equal(s.v[0].total, 2000);
    for (size_t i = 0; i < AZ_LENGTH(ops); i++) {
        size_t k = 0;
        while (k < s.n && s.v[k].style != ops[i].family)
            k++;
        assert_true(k < s.n);
    }
}

/* A path without the slashes in parentheses and without empty parts, each part followed by one. */
static void path_parts(const char *scope, char *out)
{
    size_t depth = 0;
    char last = '/';
    for (; *scope; scope++) {
        depth += *scope == '(';
        depth -= *scope == ')' && depth;
        const char c = *scope == '/' && depth ? '|' : *scope;
        if (c != '/' || last != '/')
            *out++ = last = c;
    }
    if (last != '/')
        *out++ = '/';
    *out = 0;
}

/* The same of a node of the tree: the names from the root to it. */
static void node_parts(const struct az_flame *flame, uint32_t node, char *out)
{
    *out = 0;
    if (node == 0)
        return;
    node_parts(flame, flame->nodes.v[node].parent, out);
    const struct az_sv name = az_intern_text(&flame->names, flame->nodes.v[node].name);
    out += strlen(out);
    for (size_t i = 0; i < name.n; i++)
        *out++ = name.p[i] == '/' ? '|' : name.p[i];
    *out++ = '/';
    *out = 0;
}

/* Each kernel and copy is below the parts of its scope, whatever that is made of. */
static void scopes_are_drawn(void **state)
{
    enum { EVENTS = 150 };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    char want[EVENTS][40], got[400];
    uint32_t seed = 7;
    size_t found = 0;
    compiled(t, "alpha");
    const uint32_t lane = device_lane(t, AZ_PLANE_GPU, 0, 7, AZ_XLANE_WORK);
    for (int i = 0; i < EVENTS; i++) {
        char scope[12] = "", name[16];
        for (int k = 0; k < i % 10; k++) {
            seed = seed * 1664525u + 1013904223u;
            scope[k] = "ab//()"[(seed >> 16) % 6];
        }
        snprintf(name, sizeof name, "work_%d", i);
        run_work(t, i % 7 ? AZ_KERNEL : AZ_MEMCPY, lane, name, name, AZ_NO_ROW, i * 10 * US,
                 5 * US);
        if (i % 10)
            az_xtrace(t)->rows.v[i].scope = name_of(t, scope);
        path_parts(i % 10 ? scope : "(no scope)", want[i]);
    }
    make_job(f, 1);
    f->job.draw = 100;
    assert_int_equal(az_analysis_flame.run(&f->job), 0);
    const struct az_flame *flame = f->doc.flame;
    assert_non_null(flame);
    for (uint32_t i = 1; i < flame->nodes.n; i++) {
        const struct az_sv name = az_intern_text(&flame->names, flame->nodes.v[i].name);
        if (!az_sv_starts(name, AZ_SV("work_")))
            continue;
        node_parts(flame, flame->nodes.v[i].parent, got);
        assert_string_equal(got, want[atoi(name.p + 5)]);
        found++;
    }
    assert_int_equal(found, EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(collectives_by_group, setup, teardown),
        cmocka_unit_test_setup_teardown(processes_on_one_host, setup, teardown),
        cmocka_unit_test_setup_teardown(the_reference_figures, setup, teardown),
        cmocka_unit_test_setup_teardown(a_group_over_hosts, setup, teardown),
        cmocka_unit_test_setup_teardown(time_line, setup, teardown),
        cmocka_unit_test_setup_teardown(executions, setup, teardown),
        cmocka_unit_test_setup_teardown(instruction_of_another_host, setup, teardown),
        cmocka_unit_test_setup_teardown(self_time, setup, teardown),
        cmocka_unit_test_setup_teardown(control_flow, setup, teardown),
        cmocka_unit_test_setup_teardown(families, setup, teardown),
        cmocka_unit_test_setup_teardown(scopes_are_drawn, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
