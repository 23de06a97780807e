/* Tracy operation CSV: header forms, kinds of rows, shapes, attributes, several files, damaged rows
 * (docs/formats-tracy.md 1, 2). */
#include "formats_nsys.h"

#include <math.h>

#include "formats/tracy/tracy_csv.h"

#define PARSE(f) fixture_parse((f), &az_format_tracy)
#define HEAD                                                                                       \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,HOST START "  \
    "TS,OP TO OP LATENCY "                                                                         \
    "[ns],DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns]"

static const struct az_oprow *row(struct fixture *f, size_t i)
{
    assert_true(i < az_opreport(&f->trace)->rows.n);
    return &az_opreport(&f->trace)->rows.v[i];
}
static const struct az_opargs *args(struct fixture *f, size_t i)
{
    return &az_opreport(&f->trace)->args.v[row(f, i)->args];
}
static bool is(struct fixture *f, uint32_t id, const char *text)
{
    return az_sv_is(az_trace_text(&f->trace, id), text);
}

static void kinds_and_values(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 HEAD
                 ",INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,INPUT_0_DATATYPE,INPUT_0_MEMORY,NEW\r\n"
                 "mark,signpost,,,,,,5,,,,,,,,,,x\r\n"
                 "Matmul,tt_dnn_device,2049,1,{'program_config': "
                 "'P(in0_block_w=4;out_subblock_h=2;out_subblock_w=1)'},HiFi2,64.0,10,-7,1500,1000."
                 "0,1,1,32.0,64,"
                 "BFLOAT16,DEV_0_DRAM_INTERLEAVED,x\r\n"
                 "(torch) add,python_fallback,9,,,,,20,,,,,,,,,,x\r\n"
                 "Matmul,tt_dnn_device,1025,1,{'program_config': "
                 "'P(in0_block_w=4;out_subblock_h=2;out_subblock_w=1)'},HiFi2,64,30,,,None,1,1,32,"
                 "64,BFLOAT16,DEV_"
                 "0_DRAM_INTERLEAVED,x\r\n");
    assert_int_equal(PARSE(&f), 0);
    const struct az_opreport *r = az_opreport(&f.trace);
    assert_int_equal(r->rows.n, 4);
    assert_int_equal(row(&f, 0)->kind, AZ_OPROW_SIGNPOST);
    assert_int_equal(row(&f, 0)->line, 2);
    assert_int_equal(row(&f, 2)->kind, AZ_OPROW_HOST);
    assert_int_equal(row(&f, 2)->device, -1);
    assert_true(row(&f, 1)->kernel == 1000 && row(&f, 1)->firmware == 1500 &&
                row(&f, 1)->gap == -7);
    assert_true(isnan(row(&f, 3)->kernel) && isnan(row(&f, 3)->gap));
    assert_int_equal(row(&f, 1)->cores, 64);
    assert_int_equal(row(&f, 1)->args, row(&f, 3)->args); /* equal arguments are one row */
    assert_int_equal(args(&f, 1)->block_w, 4);
    assert_int_equal(args(&f, 1)->subblock_h, 2);
    assert_int_equal(args(&f, 1)->t[AZ_IN0].dim[2], 32);
    assert_int_equal(args(&f, 1)->t[AZ_IN1].dim[0], -1);
    assert_true(is(&f, args(&f, 1)->fidelity, "HiFi2"));
    assert_true(r->call_has_device);
    assert_true(az_sv_is(r->version, "v1"));
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1); /* the other has no time */
    assert_true(row(&f, 1)->timed && !row(&f, 3)->timed && !row(&f, 1)->impossible);
    assert_int_equal(f.trace.ev[AZ_HOST_OP].n, 1);
    assert_int_equal(f.diag.errors, 0);
    assert_true(said(&f, AZ_WARNING, "1 device operation(s) without a duration"));
    fixture_close(&f);
}

static void padded_names_win(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 "INPUT_0_Y,INPUT_0_Y_PAD[LOGICAL],DEVICE ARCH,AVAILABLE WORKER CORE COUNT," HEAD
                 "\n"
                 "19,32[19],,0,A,tt_dnn_device,1,0,,,1,1,1,2,1\n"
                 ",64[33],blackhole,110,A,tt_dnn_device,1,0,,,1,1,1,2,1\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(args(&f, 0)->t[AZ_IN0].dim[2], 32);
    assert_int_equal(args(&f, 1)->t[AZ_IN0].dim[2], 64);
    assert_true(az_sv_is(az_opreport(&f.trace)->arch, "blackhole"));
    assert_int_equal(az_opreport(&f.trace)->workers, 110);
    assert_true(az_sv_is(az_opreport(&f.trace)->version, "v2.1"));
    fixture_close(&f);
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        int64_t want; /* -2: refused */
    } rows[] = { { "32[19]", 32 }, { "64", 64 },  { "7.0", 7 },   { "", -1 },
                 { " 8 ", 8 },     { "[3]", -2 }, { "32[", -2 },  { "x[1]", -2 },
                 { "1.5", -2 },    { "-4", -2 },  { "1e3", 1000 } };
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        int64_t v;
        int rc = az_tracy_dim(az_sv_str(rows[i].cell), &v);
        assert_int_equal(rc ? -2 : v, rows[i].want);
    }
}

static void attributes(void **state)
{
    (void)state;
    struct fixture f;
    struct az_opargs a = { .fidelity = 0 };
    fixture_open(&f);
    struct az_trace *t = &f.trace;
    az_tracy_attributes(
        t,
        AZ_SV("{'s': 'C(window_hw=(3;5); stride_hw=(2;2); padding=((1; 1); (1; 1)); "
              "dilation_hw=(1;1); x=0)'; 'm': "
              "'M(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;b=1)'; "
              "'p': 'P(per_core_out_matrix_height_ntile=48;act_block_h_ntiles=4)'; "
              "'enable_split_reader': 'false'}"),
        &a);
    assert_int_equal(a.window_h, 3);
    assert_int_equal(a.window_w, 5);
    assert_int_equal(a.out_height_tiles, 48);
    assert_int_equal(a.act_block_tiles, -1); /* not an integer up to the next ';' */
    assert_int_equal(a.split_reader, AZ_FLAG_FALSE);
    assert_int_equal(a.double_buffer, AZ_FLAG_ABSENT);
    assert_true(is(&f, a.halo_pad, "((1, 1), (1, 1))") && is(&f, a.halo_stride, "(2,2)") &&
                is(&f, a.halo_layout, "HEIGHT_SHARDED"));
    assert_int_equal(a.block_w, -1);
    az_tracy_attributes(
        t,
        AZ_SV("{'padding': 'padding=(1; 2); more; of; it'; 'program_config': "
              "'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=x;in0_"
              "block_w=8)'; 'num_links': '2'; "
              "'topology': 'Topology::Linear'; 'is_causal': 'true'; window_hw=(3)}"),
        &a);
    assert_true(is(&f, a.halo_pad, "(1, 2)")); /* does not swallow what follows */
    assert_int_equal(a.dram_sharded, 1);
    assert_int_equal(a.block_w, 8);
    assert_int_equal(a.num_links, 2);
    assert_int_equal(a.linear, AZ_FLAG_TRUE);
    assert_int_equal(a.causal, AZ_FLAG_TRUE);
    assert_int_equal(a.window_h, -1);
    az_tracy_attributes(t, AZ_SV(""), &a);
    assert_int_equal(a.halo_pad, AZ_NO_ID);
    fixture_close(&f);
}

static void several_files(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_add(&f,
                fixture_write(&f, "a.csv", HEAD "\nA,tt_dnn_device,1,1,,,1,1,1,2,1\n",
                              strlen(HEAD "\nA,tt_dnn_device,1,1,,,1,1,1,2,1\n")),
                NULL, false);
    fixture_add(
        &f,
        fixture_write(
            &f, "b.csv",
            HEAD "\nA,tt_dnn_device,1,0,,,1,1,1,2,1\nA,tt_dnn_device,1,1,,,1,1,1,2,1\n",
            strlen(HEAD "\nA,tt_dnn_device,1,0,,,1,1,1,2,1\nA,tt_dnn_device,1,1,,,1,1,1,2,1\n")),
        NULL, false);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(row(&f, 1)->device, 2);
    assert_int_equal(row(&f, 2)->device, 3);
    assert_int_equal(row(&f, 2)->line, 3);
    assert_int_equal(row(&f, 2)->file, 1);
    fixture_close(&f);
    fixture_open(&f);
    fixture_add(&f,
                fixture_write(&f, "a.csv", HEAD "\nA,tt_dnn_device,1,1,,,1,1,1,2,1\n",
                              strlen(HEAD "\nA,tt_dnn_device,1,1,,,1,1,1,2,1\n")),
                NULL, false);
    fixture_add(&f,
                fixture_write(&f, "c.csv", HEAD "\nA,tt_dnn_device,1,2,,,1,1,1,2,1\n",
                              strlen(HEAD "\nA,tt_dnn_device,1,2,,,1,1,1,2,1\n")),
                NULL, false);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_int_equal(f.diag.errors, 1);
    assert_true(said(&f, AZ_ERROR,
                     "c.csv: the highest DEVICE ID is 2, but an earlier file implies 1; check that "
                     "these are hosts of one run"));
    fixture_close(&f);
}

static void damage(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 HEAD "\nA,tt_dnn_device,1,0,,,abc,1,1,2,1\nB,tt_dnn_device,1\n,tt_dnn_device,1,0,,"
                      ",1,1,1,2,1\nC,tt_"
                      "dnn_device,1,0,,,1,1,1,2,1,more\nD,tt_dnn");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_opreport(&f.trace)->rows.n, 2);
    assert_int_equal(row(&f, 0)->cores, -1);
    assert_int_equal(row(&f, 1)->line, 5);
    assert_int_equal(f.diag.warnings, 3); /* short rows, bad cell, long row */
    assert_int_equal(f.trace.drops.n, 2);
    fixture_close(&f);
    fixture_open(&f);
    f.opts.strict = true;
    fixture_text(&f, NULL, HEAD "\nA,tt_dnn_device,1\n");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    fixture_close(&f);
    fixture_open(&f);
    fixture_text(&f, NULL, "a,b\n1,2\n");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    fixture_close(&f);
    fixture_open(&f);
    fixture_text(&f, NULL, "");
    assert_int_equal(PARSE(&f), AZ_EEMPTY);
    fixture_close(&f);
}

/* The clock of the device, not that of the host, which calls ahead, says when an operation began.
 */
static void time_line(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 HEAD ",DEVICE FW START CYCLE,DEVICE FW END CYCLE\n"
                      "A,tt_dnn_device,1,0,,,1,100,0,1000,900,5000,7000\n"
                      "B,tt_dnn_device,2,0,,,1,110,50,1000,5000,7100,9100\n"
                      "C,tt_dnn_device,3,1,,,1,120,0,500,400,90000,91000\n"
                      "D,tt_dnn_device,4,0,,,1,130,0,500,400,9100,10100\n"
                      "E,tt_dnn_device,5,0,,,1,9000,0,,400,,\n");
    assert_int_equal(PARSE(&f), 0);
    static const int64_t start[] = { 100, 120, 2150, 2550 }, end[] = { 1000, 520, 2550, 2950 };
    const struct az_events *e = &f.trace.ev[AZ_KERNEL];
    assert_true(row(&f, 1)->impossible); /* longer than its firmware */
    assert_int_equal(e->n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(e->start[i], start[i]);
        assert_int_equal(e->end[i], end[i]);
    }
    fixture_close(&f);
}

/* A clock that goes back by hours, or ahead, began anew: the line goes on where the host called. */
static void clock_jumps(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 HEAD ",DEVICE FW START CYCLE,DEVICE FW END CYCLE\n"
                      "A,tt_dnn_device,1,0,,,1,100,0,1000,900,9000000005000,9000000007000\n"
                      "B,tt_dnn_device,2,0,,,1,2000,50,1000,900,5000,7000\n"
                      "C,tt_dnn_device,3,0,,,1,2100,50,1000,900,7100,9100\n"
                      "D,tt_dnn_device,4,0,,,1,2200,50,1000,900,99000000000000,99000000002000\n");
    assert_int_equal(PARSE(&f), 0);
    static const int64_t start[] = { 100, 2000, 3050, 3950 };
    const struct az_events *e = &f.trace.ev[AZ_KERNEL];
    assert_int_equal(e->n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(e->start[i], start[i]);
    assert_int_equal(f.diag.warnings, 1);
    fixture_close(&f);
}

#define OPS HEAD ",DEVICE FW START CYCLE,DEVICE FW END CYCLE,SUB DEVICE ID\n"
/* One operation: call, sub device, gap, duration, start of the firmware; 1 cycle a ns. */
#define OP(call, sub, gap, ns, from, to)                                                           \
    "A,tt_dnn_device," #call ",0,,,1,100," #gap "," #ns "," #ns "," #from "," #to "," #sub "\n"

static unsigned impossible_rows(const char *text)
{
    struct fixture f;
    unsigned bits = 0;
    fixture_open(&f);
    fixture_text(&f, NULL, text);
    assert_int_equal(PARSE(&f), 0);
    for (size_t i = 0; i < az_opreport(&f.trace)->rows.n; i++)
        bits |= (unsigned)row(&f, i)->impossible << i;
    fixture_close(&f);
    return bits;
}

/* Operations that lie under others of their sub device for most of their time. */
static void impossible_times(void **state)
{
    (void)state;
    /* by its gap: more than 1 ms and more than half of its duration */
    assert_int_equal(impossible_rows(OPS OP(1, , 0, 1000000, 0, 1000000)
                                         OP(2, , -2000000, 3000000, 2000000, 5000000)
                                             OP(3, , -1000000, 3000000, 6000000, 9000000)),
                     2);
    /* two sub devices at the same time, the gap is to the other one */
    assert_int_equal(impossible_rows(OPS OP(1, 0, 0, 5000000, 0, 5000000)
                                         OP(2, 1, -4900000, 5000000, 100000, 5100000)),
                     0);
    /* the same on one */
    assert_int_equal(impossible_rows(OPS OP(1, 0, 0, 5000000, 0, 5000000)
                                         OP(2, 0, -4900000, 5000000, 100000, 5100000)),
                     3);
    /* a short one under a long one that is impossible is good */
    assert_int_equal(impossible_rows(OPS OP(1, 0, 0, 5000, 9000000, 9005000)
                                         OP(2, 0, 100, 5000, 9005100, 9010100)
                                             OP(3, 0, -9000000, 9010000, 100000, 9110100)),
                     4);
    /* the same in another order: their ends count, not the lines */
    assert_int_equal(impossible_rows(OPS OP(3, 0, 0, 9010000, 100000, 9110100) OP(
                         1, 0, 0, 5000, 9000000, 9005000) OP(2, 0, 100, 5000, 9005100, 9010100)),
                     1);
}

/* Without cycles, sub devices run at the same time by their gaps. */
static void sub_devices_by_gaps(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 OPS "A,tt_dnn_device,1,0,,,1,100,0,100000,100000,,,0\n"
                     "A,tt_dnn_device,2,0,,,1,100,-99000,90000,90000,,,1\n"
                     "A,tt_dnn_device,3,0,,,1,100,-500000,1000,1000,,,0\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(row(&f, 1)->at - row(&f, 0)->at, 1000);
    /* a gap that is longer than the operation before is none */
    assert_int_equal(row(&f, 2)->at - row(&f, 0)->at, 100000);
    fixture_close(&f);
}

#define DEVICE_HEAD                                                                                \
    "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE ARCH,"        \
    "OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT,DEVICE KERNEL DURATION [ns],"                  \
    "DEVICE KERNEL START CYCLE,DEVICE KERNEL END CYCLE,OP TO OP LATENCY [ns]\n"

/* A report of the device's side: other titles, cycles of the kernel, no type of operation. */
static void device_side(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 DEVICE_HEAD "1024,,,0,blackhole,Matmul,64,110,10000,1350000,1363500,0\n"
                             "2048,3,1,0,blackhole,,64,110,5000,1364175,1370925,500\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_opreport(&f.trace)->rows.n, 2);
    assert_int_equal(row(&f, 1)->kind, AZ_OPROW_DEVICE);
    assert_int_equal(row(&f, 1)->at - row(&f, 0)->at, 10500);
    assert_true(az_sv_is(az_trace_text(&f.trace, row(&f, 1)->code), "(unnamed)"));
    assert_true(row(&f, 0)->replay == AZ_NO_ID && row(&f, 1)->replay != AZ_NO_ID);
    fixture_close(&f);
    assert_int_equal(az_format_tracy.probe(AZ_SV(DEVICE_HEAD), AZ_SV("x")), 90);
}

/* Remarks above the header, with commas and quotes in them; below it '#' begins a name. */
static void remarks_above(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 "# two \"real\" rows, of a run of today\n#\n" OPS
                 "#A,tt_dnn_device,1,0,,,1,100,0,100000,100000,,,0\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_opreport(&f.trace)->rows.n, 1);
    assert_true(az_sv_is(az_trace_text(&f.trace, row(&f, 0)->code), "#A"));
    fixture_close(&f);
    assert_int_equal(az_format_tracy.probe(AZ_SV("# 1\r\n# 2\r\n" HEAD "\n"), AZ_SV("x")), 95);
    assert_int_equal(az_format_tracy.probe(AZ_SV("# OP CODE,OP TYPE"), AZ_SV("x")), 0);
    assert_int_equal(az_format_tracy.probe(AZ_SV("# OP CODE,OP TYPE\nName,Time\n"), AZ_SV("x")), 0);
}

static void recognised(void **state)
{
    (void)state;
    assert_int_equal(az_format_tracy.probe(AZ_SV(HEAD "\n"), AZ_SV("x")), 95);
    assert_int_equal(az_format_tracy.probe(AZ_SV("a,\"OP TYPE\",\"OP CODE\"\r\n"), AZ_SV("x")), 60);
    assert_int_equal(az_format_tracy.probe(AZ_SV("Name,Time\nOP CODE,OP TYPE\n"), AZ_SV("x")), 0);
    assert_int_equal(az_format_tracy.probe(AZ_SV(""), AZ_SV("x")), 0);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xcaf636fa);
}

/* Rows of parts of a recording: by host times from the first to the last row of each file. */
static void parts_of_a_recording(void **state)
{
    (void)state;
    static const char *const rows[] = { "a,tt_dnn_device,1024,0,,,1,%s,,2,1\n",
                                        "b,tt_dnn_device,2048,0,,,1,%s,,2,1\n",
                                        "c,tt_dnn_device,3072,0,,,1,%s,,2,1\n" };
    static const struct {
        const char *at[3];
        double from, to;
        const char *kept;
    } cases[] = {
        { { "100", "104", "109" }, 40, -1, "bc" },
        { { "100", "104", "109" }, 50, -1, "c" },
        { { "100", "104", "109" }, -1, 40, "a" },
        { { "100", "104", "109" }, -1, 50, "ab" },
        { { "100", "104", "109" }, 0, 100, "abc" },
        { { "100", "104", "109" }, 90, 100, "c" },
        { { "100", "104", "109" }, 10, 40, "" },
        { { "100", "", "109" }, 0, 50, "ab" },
        { { "", "", "" }, 0, 100, "" },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        char text[512], kept[4] = "";
        struct az_window w = { .from = { .ns = AZ_UNSET_I64, .percent = cases[i].from },
                               .to = { .ns = AZ_UNSET_I64, .percent = cases[i].to },
                               .step = -1 };
        size_t n = (size_t)snprintf(text, sizeof text, "%s\n", HEAD);
        for (size_t k = 0; k < 3; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, rows[k], cases[i].at[k]);
        fixture_open(&f);
        fixture_text(&f, NULL, text);
        f.trace.window = &w;
        assert_int_equal(PARSE(&f), 0);
        for (size_t k = 0; k < az_opreport(&f.trace)->rows.n; k++)
            kept[k] = az_trace_text(&f.trace, row(&f, k)->code).p[0];
        assert_string_equal(kept, cases[i].kept);
        assert_int_equal(f.trace.windowed, cases[i].kept[0] != '\0');
        assert_int_equal(f.trace.recorded, cases[i].at[0][0] ? 9 : 0);
        assert_int_equal(f.diag.list.n, 0);
        fixture_close(&f);
    }
}

/* What is wrong with a file is reported once. */
static void parts_of_damaged_files(void **state)
{
    (void)state;
    struct az_window w = { .from = { .ns = AZ_UNSET_I64, .percent = 50 },
                           .to = { .ns = AZ_UNSET_I64, .percent = -1 },
                           .step = -1 };
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 HEAD "\na,tt_dnn_device,1024,0,,,1,100,,2,1\n"
                      "b,tt_dnn_device,2048,0,,,1,200,,2,1\nc,tt_dnn\n");
    f.trace.window = &w;
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_opreport(&f.trace)->rows.n, 1);
    assert_int_equal(f.trace.read, 3);
    assert_int_equal(f.diag.warnings, 1);
    fixture_close(&f);

    fixture_open(&f);
    fixture_text(&f, NULL, "");
    f.trace.window = &w;
    assert_int_equal(PARSE(&f), AZ_EEMPTY);
    assert_int_equal(f.diag.errors, 1);
    fixture_close(&f);

    fixture_open(&f);
    fixture_text(&f, NULL, HEAD "\na,tt_dnn_device,1024,0,,,1,100,,2,1\n");
    f.trace.window = &w;
    f.cancel = true;
    assert_int_equal(PARSE(&f), AZ_EINTR);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_values),
        cmocka_unit_test(padded_names_win),
        cmocka_unit_test(shapes),
        cmocka_unit_test(attributes),
        cmocka_unit_test(several_files),
        cmocka_unit_test(damage),
        cmocka_unit_test(time_line),
        cmocka_unit_test(clock_jumps),
        cmocka_unit_test(impossible_times),
        cmocka_unit_test(device_side),
        cmocka_unit_test(sub_devices_by_gaps),
        cmocka_unit_test(remarks_above),
        cmocka_unit_test(recognised),
        cmocka_unit_test(edited),
        cmocka_unit_test(parts_of_a_recording),
        cmocka_unit_test(parts_of_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
