/* Rules of the operation report: fidelity, colors, categories, ranges, devices, bounds. With a
 * folder as argument: the same against its tables (fidelity.csv, color.csv, category.csv,
 * arch.csv, id_range.csv, format.csv, dtype_size.csv).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/op_report/opreport.h"
#include "base/num.h"
#include "text/csv.h"

#define SV(s) az_sv_str(s)

static const struct az_rule_list *tt_rules(void)
{
    static struct az_mem mem;
    static struct az_arena arena;
    static struct az_rule_list rules;
    if (!rules.v) {
        az_mem_init(&mem, 0);
        az_arena_init(&arena, &mem);
        assert_int_equal(az_op_report_rules(&arena, &rules), 0);
    }
    return &rules;
}

/* ---- one row with chosen figures ---- */
struct bench {
    struct az_mem mem;
    struct az_trace trace;
    struct az_options o;
    struct az_job job;
    struct az_op_report t;
    struct az_op_report_row row;
};

static void bench_open(struct bench *b)
{
    memset(b, 0, sizeof *b);
    az_mem_init(&b->mem, 0);
    assert_int_equal(az_trace_init(&b->trace, &b->mem), 0);
    assert_int_equal(az_opreport_init(&b->trace), 0);
    b->o.min_percentage = 0.5;
    b->o.op_to_op_gap_us = 6.5;
    b->o.low_cores = 10;
    b->o.bound_percent = 65;
    b->job = (struct az_job){ .arena = &b->trace.arena, .mem = &b->mem, .opts = &b->o };
    b->t = (struct az_op_report){
        .job = &b->job, .trace = &b->trace, .r = az_opreport(&b->trace), .o = &b->o, .workers = 64
    };
    b->t.rules = *tt_rules();
    az_vec_init(&b->t.sigs, &b->mem);
}

static void bench_close(struct bench *b)
{
    az_vec_release(&b->t.sigs);
    az_trace_release(&b->trace);
    assert_int_equal(b->mem.used, 0);
}

/* The colors of a row: 13 inks in the order of the printed columns. */
static void inks(struct bench *b, struct az_sv code, struct az_sv in0, struct az_sv in1,
                 struct az_sv out, struct az_sv fidelity, const struct az_op_report_figures *f,
                 uint8_t *ink)
{
    struct az_oprow r = { .device = 0 };
    struct az_op_report_sig s = { .flop = NAN };
    r.code = az_trace_name(&b->trace, code);
    b->t.codes = az_arena_array(&b->trace.arena, b->trace.names.text.n, sizeof *b->t.codes);
    s.code = r.code;
    s.kind = az_op_report_code(&b->t, r.code)->kind;
    s.rated = s.kind == TT_MATMUL || s.kind == TT_CONV;
    s.verdict = (uint8_t)az_fidelity_fit(in0, in1, out, az_fidelity_of(fidelity), &s.advice);
    b->t.r = az_opreport(&b->trace);
    az_opreport(&b->trace)->rows.n = 0;
    assert_int_equal(az_vec_push(&az_opreport(&b->trace)->rows, r), 0);
    b->t.sigs.n = 0;
    assert_int_equal(az_vec_push(&b->t.sigs, s), 0);
    az_op_report_row_inks(&b->t, &b->row, f, ink);
}

static const struct az_op_report_figures plain = { .time = 1,
                                                   .gap = 0,
                                                   .percent = 50,
                                                   .cores = 32,
                                                   .dram = NAN,
                                                   .dram_percent = NAN,
                                                   .tflops = NAN,
                                                   .flops_percent = NAN };

static void colours(void **state)
{
    (void)state;
    struct bench b;
    uint8_t ink[64];
    struct az_op_report_figures f = plain;
    bench_open(&b);
    inks(&b, SV("LayerNorm"), SV(""), SV(""), SV(""), SV(""), &f, ink);
    assert_int_equal(ink[3], AZ_INK_CYAN);
    assert_int_equal(ink[7], AZ_INK_NONE);
    f.cores = 9;
    f.gap = 6.6;
    f.bound = TT_DRAM;
    inks(&b, SV("Matmul"), SV("BFLOAT16"), SV("BFLOAT16"), SV("BFLOAT16"), SV("HiFi2"), &f, ink);
    assert_int_equal(ink[2], AZ_INK_GREEN);
    assert_int_equal(ink[3], AZ_INK_MAGENTA);
    assert_int_equal(ink[6], AZ_INK_RED);
    assert_int_equal(ink[7], AZ_INK_RED);
    assert_int_equal(ink[9], AZ_INK_GREEN);
    assert_int_equal(ink[12], AZ_INK_CYAN); /* too low */
    f.bound = TT_SLOW;
    f.cores = 64;
    f.dram_percent = f.flops_percent = 30; /* a tie goes to FLOPs */
    inks(&b, SV("Matmul"), SV("BFLOAT8_B"), SV("BFLOAT8_B"), SV("BFLOAT16"), SV("HiFi4"), &f, ink);
    assert_int_equal(ink[7], AZ_INK_GREEN);
    assert_int_equal(ink[8], AZ_INK_NONE);
    assert_int_equal(ink[10], AZ_INK_YELLOW);
    assert_int_equal(ink[12], AZ_INK_RED); /* too high */
    b.t.workers = 110;                     /* 64 cores are not the whole grid here */
    inks(&b, SV("Matmul"), SV("BFLOAT8_B"), SV("BFLOAT8_B"), SV("BFLOAT16"), SV("HiFi4"), &f, ink);
    assert_int_equal(ink[7], AZ_INK_NONE);
    f.percent = 0.4;
    inks(&b, SV("Matmul"), SV("BFLOAT8_B"), SV("BFLOAT8_B"), SV("BFLOAT16"), SV("HiFi4"), &f, ink);
    for (int i = 0; i < 13; i++)
        assert_int_equal(ink[i], AZ_INK_GREY);
    f.bound = TT_ON_HOST; /* host rows are never gray */
    inks(&b, SV("(torch) add"), SV(""), SV(""), SV(""), SV(""), &f, ink);
    assert_int_equal(ink[2], AZ_INK_RED);
    bench_close(&b);
}

static enum az_fit fit(const char *a, const char *w, const char *o, const char *f)
{
    const char *advice;
    return az_fidelity_fit(SV(a), SV(w), SV(o), az_fidelity_of(SV(f)), &advice);
}

static void fidelity(void **state)
{
    (void)state;
    static const struct {
        const char *in0, *in1, *out;
        enum az_fit hifi4, hifi3, hifi2, lofi;
    } rows[] = {
        { "BFLOAT16", "BFLOAT8_B", "FLOAT32", AZ_FIT_SUFFICIENT, AZ_FIT_TOO_LOW, AZ_FIT_TOO_LOW,
          AZ_FIT_TOO_LOW },
        { "BFLOAT16", "BFLOAT4_B", "BFLOAT4_B", AZ_FIT_TOO_HIGH, AZ_FIT_TOO_HIGH, AZ_FIT_SUFFICIENT,
          AZ_FIT_TOO_LOW },
        { "FLOAT32", "FLOAT32", "BFLOAT8_B", AZ_FIT_TOO_HIGH, AZ_FIT_TOO_HIGH, AZ_FIT_SUFFICIENT,
          AZ_FIT_TOO_LOW },
        { "BFLOAT8_B", "BFLOAT16", "BFLOAT4_B", AZ_FIT_TOO_HIGH, AZ_FIT_TOO_HIGH, AZ_FIT_SUFFICIENT,
          AZ_FIT_TOO_LOW },
        { "BFLOAT4_B", "BFLOAT4_B", "BFLOAT16", AZ_FIT_TOO_HIGH, AZ_FIT_TOO_HIGH, AZ_FIT_TOO_HIGH,
          AZ_FIT_SUFFICIENT },
        { "UINT16", "NEW_TYPE", "BFLOAT16", AZ_FIT_NOT_APPLICABLE, AZ_FIT_NOT_APPLICABLE,
          AZ_FIT_NOT_APPLICABLE, AZ_FIT_NOT_APPLICABLE },
        { "NEW_TYPE", "BFLOAT16", "BFLOAT16", AZ_FIT_UNKNOWN, AZ_FIT_UNKNOWN, AZ_FIT_UNKNOWN,
          AZ_FIT_UNKNOWN },
    };
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        assert_int_equal(fit(rows[i].in0, rows[i].in1, rows[i].out, "HiFi4"), rows[i].hifi4);
        assert_int_equal(fit(rows[i].in0, rows[i].in1, rows[i].out, "HiFi3"), rows[i].hifi3);
        assert_int_equal(fit(rows[i].in0, rows[i].in1, rows[i].out, "HiFi2"), rows[i].hifi2);
        assert_int_equal(fit(rows[i].in0, rows[i].in1, rows[i].out, "LoFi"), rows[i].lofi);
    }
    assert_int_equal(fit("BFLOAT16", "BFLOAT16", "BFLOAT16", ""), AZ_FIT_UNKNOWN);
    assert_int_equal(fit("BFLOAT16", "BFLOAT16", "BFLOAT16", "HiFi5"), AZ_FIT_UNKNOWN);
}

static void ranges(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "5", "1-2-3", "a-b", "5-a", "--5", "99999999999999999999-", "-1 2 3"
    };
    int64_t a, b;
    assert_true(az_op_report_id_range(SV("5-10"), &a, &b) && a == 5 && b == 10);
    assert_true(az_op_report_id_range(SV("31-"), &a, &b) && a == 31 && b == INT64_MAX);
    assert_true(az_op_report_id_range(SV(" - 12 "), &a, &b) && a == 0 && b == 12);
    assert_true(az_op_report_id_range(SV("1,000-2,000"), &a, &b) && a == 1000 && b == 2000);
    assert_true(az_op_report_id_range(SV("-"), &a, &b) && a == 0 && b == INT64_MAX);
    assert_true(az_op_report_id_range(SV("10-5"), &a, &b) && a == 10 && b == 5);
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        assert_false(az_op_report_id_range(SV(bad[i]), &a, &b));
}

static void categories(void **state)
{
    (void)state;
    assert_true(az_sv_is(az_op_report_category_of(tt_rules(), SV("Matmul")), "Compute"));
    assert_true(az_sv_is(az_op_report_category_of(tt_rules(), SV("HaloDeviceOperation")), "DM"));
    assert_true(az_sv_is(az_op_report_category_of(tt_rules(), SV("PadDeviceOperation")), "TM"));
    assert_true(az_sv_is(az_op_report_category_of(tt_rules(), SV("(torch)")), "Host"));
    assert_true(az_sv_is(az_op_report_category_of(tt_rules(), SV("AllGather")), "CCL"));
    assert_int_equal(az_op_report_category_of(tt_rules(), SV("TopK")).n, 0);
    assert_int_equal(az_op_report_category_of(tt_rules(), SV("MatmulOp")).n, 0);
    assert_int_equal(az_op_report_category_of(tt_rules(), SV("")).n, 0);
    assert_true(az_sv_is(az_op_report_first_word(SV("(torch) add 1")), "(torch)"));
    assert_int_equal(az_op_report_ink_of(tt_rules(), SV("x")), AZ_INK_WHITE);
}

static void devices(void **state)
{
    (void)state;
    struct az_tensix d;
    assert_true(az_tensix_find(SV("WORMHOLE_B0"), &d));
    assert_true(d.workers == 64 && d.dram == 288 && fabs(d.peak[AZ_HIFI4] * 72 - 74) < 1e-9 &&
                fabs(d.peak[AZ_HIFI3] / d.peak[AZ_HIFI4] - 4.0 / 3) < 1e-12);
    assert_true(az_tensix_find(SV("blackhole"), &d) && d.workers == 110 && d.dram_workers == 8 &&
                d.peak[AZ_LOFI] == 5.5296);
    assert_true(az_tensix_find(SV("P100a"), &d) && d.dram == 448 && d.dram_workers == 7);
    assert_true(az_tensix_find(SV("grayskull"), &d) && d.dram == 118.4);
    assert_false(az_tensix_find(SV("wormhole_b1"), &d));
    assert_false(az_tensix_find(SV(""), &d));
    assert_true(az_tensix_bytes(SV("BFLOAT4_B")) == 0.5 && az_tensix_bytes(SV("BOOL")) == 4 &&
                az_tensix_bytes(SV("UINT32")) == 4);
    assert_true(az_attention_flop(1, 2, 8, 16, 4, 4, false, 0) == 2.0 * 2 * 8 * 16 * 8);
    assert_true(az_attention_flop(1, 2, 8, 16, 4, 4, true, 4) == 2.0 * 2 * 8 * 4 * 8 / 2);
    assert_true(az_collective_bytes(800, 4, false) == 600 &&
                az_collective_bytes(800, 4, true) == 1200 && az_collective_bytes(8, 1, true) == 0);
}

static void bounds(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    assert_int_equal(az_op_report_bound(&b.t, 65, 65, false), TT_BOTH);
    assert_int_equal(az_op_report_bound(&b.t, 65, 64.999, false), TT_DRAM);
    assert_int_equal(az_op_report_bound(&b.t, 64.999, 65, false), TT_FLOP);
    assert_int_equal(az_op_report_bound(&b.t, 1, 1, false), TT_SLOW);
    assert_int_equal(az_op_report_bound(&b.t, NAN, 90, true), TT_FLOP); /* all in L1 */
    assert_int_equal(az_op_report_bound(&b.t, NAN, 9, true), TT_SLOW);
    assert_int_equal(az_op_report_bound(&b.t, NAN, 90, false), TT_NO_BOUND);
    assert_int_equal(az_op_report_bound(&b.t, 70, NAN, false), TT_DRAM); /* unknown fidelity */
    assert_int_equal(az_op_report_bound(&b.t, 60, NAN, false), TT_NO_BOUND);
    b.t.first = true;
    assert_int_equal(az_op_report_bound(&b.t, NAN, 90, true), TT_NO_BOUND);
    bench_close(&b);
}

static void numbers(void **state)
{
    (void)state;
    char buf[AZ_FORM_NUMBER];
    static const struct {
        double v;
        int decimals;
        bool separators;
        const char *want;
    } rows[] = { { 0.5, 0, true, "0" },          { 1.5, 0, true, "2" },
                 { 2.5, 0, true, "2" },          { -0.4, 0, true, "-0" },
                 { 999.5, 0, true, "1,000" },    { 1234567.891, 1, true, "1,234,567.9" },
                 { -1234.5, 0, true, "-1,234" }, { 123456, 0, false, "123456" },
                 { -123, 0, true, "-123" } };
    for (size_t i = 0; i < AZ_LENGTH(rows); i++)
        assert_true(az_sv_is(az_form_number(rows[i].v, rows[i].decimals, rows[i].separators, buf),
                             rows[i].want));
}

/* ---- merge of devices ---- */
struct call {
    const char *name;
    int64_t call; /* operation number */
    int32_t device;
    double kernel;
};

static void merge(struct bench *b, const struct call *calls, size_t n, bool by_call,
                  struct az_op_report_rows *out)
{
    struct az_opreport *r = az_opreport(&b->trace);
    uint32_t window[16];
    assert_true(n <= 16);
    for (size_t i = 0; i < n; i++) {
        struct az_oprow row = { .call = calls[i].call * 1024 + calls[i].device,
                                .device = calls[i].device,
                                .kernel = calls[i].kernel,
                                .gap = NAN };
        row.kind = calls[i].device < 0 ? AZ_OPROW_SIGNPOST : AZ_OPROW_DEVICE;
        row.code = az_trace_name(&b->trace, SV(calls[i].name));
        assert_int_equal(az_vec_push(&r->rows, row), 0);
        window[i] = (uint32_t)i;
    }
    assert_int_equal(az_vec_push(&r->files, SV("x")), 0);
    r->devices = 2;
    r->call_has_device = by_call;
    b->t.codes = az_arena_array(&b->trace.arena, b->trace.names.text.n, sizeof *b->t.codes);
    az_vec_init(out, &b->mem);
    assert_int_equal(az_op_report_merge(&b->t, window, n, out, &b->t.merge), 0);
}

static void merged_by_call_count(void **state)
{
    (void)state;
    struct bench b;
    struct az_op_report_rows out;
    /* call 2 is only on device 1 and has the name of call 3; calls 5 and 6 are replayed */
    static const struct call calls[] = {
        { "A", 1, 0, 10 },  { "A", 1, 1, 12 }, { "B", 2, 1, 7 },         { "go", 0, -1, NAN },
        { "B", 3, 0, 3 },   { "B", 3, 1, 2 },  { "C", 5, 0, 1 },         { "D", 6, 0, 1 },
        { "C", 5, 1, NAN }, { "D", 6, 1, 2 },  { "C", 5, 0, 4 },         { "D", 6, 0, 4 },
        { "C", 5, 1, 3 },   { "D", 6, 1, 9 },  { "AllGather", 9, 0, 2 }, { "AllGather", 9, 1, 4 }
    };
    static const struct {
        uint32_t row;
        double kernel;
    } want[] = { { 1, 12 }, { 2, 7 },  { 3, NAN }, { 4, 3 }, { 6, 1 },
                 { 9, 2 },  { 10, 4 }, { 13, 9 },  { 14, 3 } };
    bench_open(&b);
    merge(&b, calls, 16, true, &out);
    assert_int_equal(out.n, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(out.v[i].row, want[i].row);
        assert_true(isnan(want[i].kernel) ? isnan(out.v[i].kernel)
                                          : out.v[i].kernel == want[i].kernel);
    }
    assert_true(b.t.merge.by_call);
    assert_int_equal(b.t.merge.blocks, 8);
    assert_int_equal(b.t.merge.incomplete, 1);
    assert_int_equal(b.t.merge.first_block, 1);
    az_vec_release(&out);
    bench_close(&b);
}

static void merged_by_name_in_block_order(void **state)
{
    (void)state;
    struct bench b;
    struct az_op_report_rows out;
    /* the file has device after device */
    static const struct call calls[] = {
        { "A", 1, 0, 1 }, { "B", 2, 0, NAN }, { "C", 3, 0, 5 }, { "A", 1, 1, 1 }, { "C", 3, 1, 6 }
    };
    bench_open(&b);
    merge(&b, calls, 5, false, &out);
    assert_int_equal(out.n, 3);
    assert_int_equal(out.v[0].row, 0); /* a tie goes to the lowest device */
    assert_int_equal(out.v[1].row, 1);
    assert_true(isnan(out.v[1].kernel));
    assert_int_equal(out.v[2].row, 4);
    assert_int_equal(b.t.merge.incomplete, 1);
    az_vec_release(&out);
    bench_close(&b);
}

/* ---- against tables in a folder ---- */
struct sheet {
    struct az_mem mem;
    struct az_arena arena;
    struct az_source *src;
    struct az_csv csv;
    const char *name;
    size_t rows, wrong;
};

static bool sheet_open(struct sheet *s, const char *folder, const char *name)
{
    char path[4096];
    struct az_source_opts so = { .mem = NULL };
    memset(s, 0, sizeof *s);
    s->name = name;
    az_arena_init(&s->arena, NULL);
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    return az_source_open(&s->src, path, &so) == 0 &&
           az_csv_init(&s->csv, s->src, ',', NULL) == 0 && az_csv_next(&s->csv) == 1;
}

static bool sheet_next(struct sheet *s) { return az_csv_next(&s->csv) == 1; }
static struct az_sv at(struct sheet *s, size_t i)
{
    return i < s->csv.row.n ? az_csv_text(&s->arena, &s->csv.row.v[i]) : SV("");
}
static double real_at(struct sheet *s, size_t i)
{
    double v;
    return az_parse_f64(at(s, i), &v) == 0 ? v : NAN;
}

static void hold(struct sheet *s, bool good)
{
    s->rows++;
    if (!good && s->wrong++ < 5)
        fprintf(stderr, "%s: line %lld\n", s->name, (long long)s->csv.line);
}

static int sheet_close(struct sheet *s)
{
    bool good = s->rows > 0 && s->wrong == 0;
    printf("%s %s (%zu rows)\n", good ? "ok  " : "FAIL", s->name, s->rows);
    az_csv_release(&s->csv);
    az_source_close(s->src);
    az_arena_release(&s->arena);
    return !good;
}

static int sheet_fidelity(const char *folder)
{
    struct sheet s;
    if (!sheet_open(&s, folder, "fidelity"))
        return sheet_close(&s);
    while (sheet_next(&s)) {
        const char *advice;
        enum az_fit v =
            az_fidelity_fit(at(&s, 0), at(&s, 1), at(&s, 2), az_fidelity_of(at(&s, 3)), &advice);
        struct az_sv want = at(&s, 4);
        const char *got = v == AZ_FIT_TOO_LOW          ? "too_low"
                          : v == AZ_FIT_TOO_HIGH       ? "too_high"
                          : v == AZ_FIT_NOT_APPLICABLE ? "not_applicable"
                                                       : az_fit_text(v);
        bool texts = v < AZ_FIT_SUFFICIENT || (at(&s, 5).n > 0) == (advice != NULL);
        /* what aborts there is judged here */
        hold(&s, az_sv_is(want, "ABORT") ? v >= AZ_FIT_SUFFICIENT : az_sv_is(want, got) && texts);
    }
    return sheet_close(&s);
}

static int sheet_colour(const char *folder)
{
    static const size_t printed[] = { 2, 3, 7, 8, 9, 10, 11, 12, 6 };
    static const char *const bounds_text[] = { "", "DRAM", "FLOP", "BOTH", "SLOW", "HOST" };
    struct sheet s;
    struct bench b;
    if (!sheet_open(&s, folder, "colour"))
        return sheet_close(&s);
    bench_open(&b);
    while (sheet_next(&s)) {
        uint8_t ink[64];
        struct az_op_report_figures f = plain;
        f.percent = real_at(&s, 0);
        f.cores = real_at(&s, 3);
        f.dram_percent = real_at(&s, 4);
        f.flops_percent = real_at(&s, 5);
        f.gap = real_at(&s, 6);
        for (size_t i = 0; i < 6; i++)
            if (az_sv_is(at(&s, 2), bounds_text[i]))
                f.bound = (enum az_op_report_bound)i;
        inks(&b, at(&s, 1), at(&s, 8), at(&s, 9), at(&s, 10), az_op_report_first_word(at(&s, 7)),
             &f, ink);
        bool good = true;
        for (size_t i = 0; i < 9; i++) {
            struct az_sv want = az_sv_trim(at(&s, 11 + i));
            good &= ink[printed[i]] == (az_sv_is(want, "-") ? AZ_INK_NONE : az_ink_of(want));
        }
        hold(&s, good);
    }
    bench_close(&b);
    return sheet_close(&s);
}

static int sheet_small(const char *folder)
{
    struct sheet s;
    int bad = 0;
    if (sheet_open(&s, folder, "category"))
        while (sheet_next(&s)) {
            struct az_sv c =
                az_op_report_category_of(tt_rules(), az_op_report_first_word(at(&s, 0)));
            const struct az_sv want = at(&s, 1); /* of an older version: it had no CCL, and fewer */
            hold(&s, az_sv_eq(c.n ? c : SV("Other"), want) || az_sv_is(want, "Other") ||
                         (az_sv_is(want, "DM") && (az_sv_is(c, "TM") || az_sv_is(c, "CCL"))));
        }
    bad += sheet_close(&s);
    if (sheet_open(&s, folder, "arch"))
        while (sheet_next(&s)) {
            struct az_tensix d;
            hold(&s, az_tensix_find(at(&s, 0), &d) && /* 110 of a Blackhole's 130 are offered */
                         (double)d.workers == (real_at(&s, 1) == 130 ? 110 : real_at(&s, 1)) &&
                         d.dram == real_at(&s, 2) && d.peak[AZ_HIFI4] == real_at(&s, 3) &&
                         d.peak[AZ_HIFI2] == real_at(&s, 4) && d.peak[AZ_LOFI] == real_at(&s, 5));
        }
    bad += sheet_close(&s);
    if (sheet_open(&s, folder, "dtype_size"))
        while (sheet_next(&s))
            hold(&s, az_tensix_bytes(at(&s, 0)) == real_at(&s, 1));
    bad += sheet_close(&s);
    if (sheet_open(&s, folder, "id_range"))
        while (sheet_next(&s)) {
            int64_t a, b;
            bool good = az_op_report_id_range(at(&s, 0), &a, &b);
            double x = real_at(&s, 1), y = real_at(&s, 2);
            hold(&s, good == (at(&s, 3).n == 0) &&
                         (!good || ((isnan(x) ? a == 0 : (double)a == x) &&
                                    (isnan(y) ? b == INT64_MAX : (double)b == y))));
        }
    return bad + sheet_close(&s);
}

static int sheet_format(const char *folder)
{
    struct sheet s;
    char buf[AZ_FORM_NUMBER];
    if (sheet_open(&s, folder, "format"))
        while (sheet_next(&s)) {
            double v = real_at(&s, 0);
            struct az_sv unit = at(&s, 1);
            if (isnan(v)) /* texts and blanks are cells of other types here */
                continue;
            struct az_sv n = az_form_number(v, (int)real_at(&s, 2), true, buf);
            hold(&s, az_sv_eq(az_arena_printf(&s.arena, "%.*s%s%.*s", AZ_SVF(n), unit.n ? " " : "",
                                              AZ_SVF(unit)),
                              at(&s, 3)));
        }
    return sheet_close(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours),
        cmocka_unit_test(fidelity),
        cmocka_unit_test(ranges),
        cmocka_unit_test(categories),
        cmocka_unit_test(devices),
        cmocka_unit_test(bounds),
        cmocka_unit_test(numbers),
        cmocka_unit_test(merged_by_call_count),
        cmocka_unit_test(merged_by_name_in_block_order),
    };
    if (argc == 2)
        return (sheet_fidelity(argv[1]) + sheet_colour(argv[1]) + sheet_small(argv[1]) +
                sheet_format(argv[1])) != 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
