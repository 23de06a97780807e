/* nsys stats CSV: every header form, units, sections, options, bad input
 * (docs/formats-nsight.md 1.1, 1.6, 2). */
#include "formats_nsys.h"

#include <math.h>

#define PARSE(f) fixture_parse((f), &az_format_nsys_csv)
#define TITLES                                                                                     \
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
#define MEM_TITLES                                                                                 \
    "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
#define PROJ_TITLES                                                                                \
    "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration "             \
    "(ns),Style,PID,TID,NumGPUOps,"                                                                \
    "Lvl,NumChild,RangeId,ParentId,RangeStack\n"

/* One kernel "gemm<a, b>" of 6000000 ns in 3 instances, whatever the titles. */
static void one_kernel(const char *text)
{
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum", text);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    const struct az_sum *s = &f.trace.kernel_sums.v[0];
    assert_true(named(&f, s->name, "gemm<a, b>"));
    assert_true(s->total == 6000000.0);
    assert_int_equal(s->total_ns, 6000000);
    assert_int_equal(s->count, 3);
    assert_int_equal(az_trace_facts(&f.trace), AZ_CAP_CLASSIC | AZ_CAP_KERNEL_SUMS);
    assert_false(f.trace.has_mem);
    assert_false(f.trace.has_nvtx);
    assert_int_equal(f.diag.errors + f.diag.warnings, 0);
    fixture_close(&f);
}

static void headers(void **state)
{
    (void)state;
    one_kernel("Time(%),Total Time "
               "(ns),Instances,Average,Minimum,Maximum,Name\n1.0,6000000,3,2,1,3,\"gemm<a, b>\"\n");
    one_kernel("Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name\n"
               "1.0,6000000,3,2,1,3,0.5,\"gemm<a, b>\"\n");
    one_kernel("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
               "(ns),GridXYZ,BlockXYZ,"
               "Name\n1.0,6000000,3,2,2,1,3,0.5,   1    1    1, 128    1    1,\"gemm<a, b>\"\n");
    one_kernel(TITLES "1.0,6000000,3,2,2,1,3,0.5,\"gemm<a, b>\"\n");
    one_kernel(
        "TIME (%),\"Total Time (ns)\",Instances,Name\n1.0,6000000,3,\"gemm<a, b>\"\n"); /* console
                                                                                           copies */
    one_kernel("\xef\xbb\xbf" TITLES "1.0,6000000,3,2,2,1,3,0.5,\"gemm<a, b>\"\r\n");
}

static void units(void **state)
{
    (void)state;
    one_kernel("Total Time (us),Instances,Name\n6000.000,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time (usec),Instances,Name\n6000,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time (\xce\xbcs),Instances,Name\n6000,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time (\xc2\xb5s),Instances,Name\n6000,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time (ms),Instances,Name\n6,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time (s),Instances,Name\n0.006,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time (sec),Instances,Name\n6.0e-3,3,\"gemm<a, b>\"\n");
    one_kernel("Total Time,Instances,Name\n6000000,3,\"gemm<a, b>\"\n");
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum", "Total Time (cycles),Instances,Name\n6,3,a\n");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "unknown unit of column 'Total Time (cycles)'"));
    fixture_close(&f);
}

static void values_and_preamble(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum",
                 "Generating SQLite file x.sqlite from x.nsys-rep\n\nProcessing [x.sqlite] with "
                 "[cuda_gpu_kern_sum.py]... \n" TITLES
                 "60.0,\"6,000,000\",\"1,003\",2.5,None,1,3,,\"a \"\"b\"\" \xc3\xa9\"\n"
                 "40.0,4000000,7.0,1,1,1,1,0.0,ncclDevKernel_AllReduce(x)\n"
                 "\nTotal Time (ns),Instances,Name\n1,1,later\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 2);
    const struct az_sum *s = f.trace.kernel_sums.v;
    assert_true(named(&f, s[0].name, "a \"b\" \xc3\xa9"));
    assert_int_equal(s[0].total_ns, 6000000);
    assert_int_equal(s[0].count, 1003);
    assert_true(s[0].avg == 2.5 && isnan(s[0].med) && isnan(s[0].std) && s[0].max == 3);
    assert_int_equal(s[1].count, 7);
    assert_int_equal(f.trace.kept, 2);
    assert_int_equal(f.progress > 0, 1);
    fixture_close(&f);
}

/* A negative total would be taken off the sum of the others. */
static void negative_rows(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum",
                 TITLES "60,-600,2,1,1,1,1,0,a\n40,400,-1,1,1,1,1,0,b\n40,0,0,1,1,1,1,0,c\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_int_equal(dropped(&f, "negative time"), 1);
    assert_int_equal(dropped(&f, "negative count"), 1);
    assert_int_equal(f.diag.warnings, 2);
    fixture_close(&f);
}

static void defects(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum",
                 TITLES "1,x,3,1,1,1,1,0,bad_time\n1,5,x,1,1,1,1,0,bad_count\n1,5,3,1,1,1,1,0,\n"
                        "1,7,1,1,1,1,1,0,good\n1,99999999999999999999,1,1,1,1,1,0,big\n1,5,3\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_int_equal(f.trace.read, 6);
    assert_int_equal(dropped(&f, "missing or invalid time"), 1);
    assert_int_equal(dropped(&f, "time out of range"), 1);
    assert_int_equal(dropped(&f, "missing or invalid count"), 1);
    assert_int_equal(dropped(&f, "row without a name"), 1);
    assert_int_equal(dropped(&f, "too few fields; check whether the file is truncated"), 1);
    assert_true(said(&f, AZ_WARNING, "f0.csv:2: row skipped: missing or invalid time"));
    fixture_close(&f);

    fixture_open(&f); /* cut off inside a quoted name: the good rows stay */
    fixture_text(&f, "kernel_sum", TITLES "1,7,1,1,1,1,1,0,good\n1,7,1,1,1,1,1,0,\"cut");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_true(said(&f, AZ_WARNING, "f0.csv:3: unterminated quote"));
    fixture_close(&f);
}

/* As in the other formats: what comes before the cut is kept, and the cut is reported once; strict
 * refuses it. */
static void cut_gzip(void **state)
{
    static const char text[] = TITLES "1,7,1,1,1,1,1,0,good\n1,7,1,1,1,1,1,0,second\n";
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_cut_gzip(&f, "a_cuda_gpu_kern_sum.csv.gz", "kernel_sum", text, 4);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_int_equal(dropped(&f, "truncated row at the end of the file"), 1);
    assert_true(said(&f, AZ_WARNING, "truncated gzip stream"));
    assert_true(said(&f, AZ_WARNING, "truncated in this row"));
    assert_int_equal(f.diag.errors, 0);
    assert_int_equal(f.diag.warnings, 2);
    fixture_close(&f);
    fixture_open(&f); /* nothing of a report before the cut */
    fixture_cut_gzip(&f, "a_cuda_gpu_kern_sum.csv.gz", "kernel_sum", text, sizeof text - 10);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "file truncated before the rows of a report"));
    fixture_close(&f);
    fixture_open(&f);
    f.opts.strict = true;
    fixture_cut_gzip(&f, "a_cuda_gpu_kern_sum.csv.gz", "kernel_sum", text, 4);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "truncated gzip stream"));
    fixture_close(&f);
}

static void expect_failure(const char *role, const char *text, int code, const char *message)
{
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, role, text);
    assert_int_equal(PARSE(&f), code);
    assert_true(said(&f, AZ_ERROR, message));
    assert_int_equal(f.diag.errors, 1);
    fixture_close(&f);
}

static void failures(void **state)
{
    (void)state;
    expect_failure("kernel_sum", "", AZ_EEMPTY, "f0.csv: empty file");
    expect_failure(NULL, "", AZ_EEMPTY, "f0.csv: empty file");
    expect_failure("kernel_sum", "Total Time (ns),Calls,Name\n1,2,a\n", AZ_EFORMAT,
                   "f0.csv:1: missing column 'Instances' of the cuda_gpu_kern_sum report (columns: "
                   "Total Time (ns), Calls, Name)");
    expect_failure("kernel_sum", "hello\n\nworld\n", AZ_EFORMAT,
                   "no header line of a cuda_gpu_kern_sum report");
    expect_failure("nvtx_proj_trace", TITLES "1,1,1,1,1,1,1,1,a\n", AZ_EFORMAT,
                   "this is a cuda_gpu_kern_sum report without projected ranges");
    expect_failure(NULL,
                   "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,2,3,4,cudaLaunchKernel\n",
                   AZ_EFORMAT,
                   "this is a cuda_api_sum or osrt_sum report without kernel times; use "
                   "the cuda_gpu_kern_sum");
    expect_failure(NULL, "Time (%),Total Time (ns),Instances,Style,Range\n1,2,3,PushPop,a\n",
                   AZ_EFORMAT, "this is a nvtx_sum report");
    expect_failure("kernel_sum", "\"open", AZ_EFORMAT, "unterminated quote");
    struct fixture f;
    fixture_open(&f);
    fixture_add(&f, fixture_path(&f, "missing.csv"), "kernel_sum", false);
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "missing.csv"));
    fixture_close(&f);
}

static void header_only(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum", TITLES);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 0);
    assert_false(az_trace_has_activity(&f.trace));
    fixture_close(&f);
}

static void all_three(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum", TITLES "1,10,1,1,1,1,1,0,k\n");
    fixture_text(&f, "nvtx_proj_trace",
                 PROJ_TITLES ",5,900,None,None,,,,7,,,,,\n"
                             "\"TSL:#a,b#\",-5,100,1,90,PushPop,12,13,9,0,2,1,None,:1\n"
                             ":inner,20,30,21,25,StartEnd,12,13,4,1,0,2,1,:1:2\n");
    fixture_text(
        &f, "mem_time_sum",
        MEM_TITLES
        "1,20,2,1,1,1,1,0,[CUDA memcpy Device-to-Device]\n1,5,1,1,1,1,1,0,[CUDA memset]\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.proj.n, 2);
    const struct az_proj *p = f.trace.proj.v;
    assert_true(named(&f, p[0].name, "TSL:#a,b#") && named(&f, p[1].name, ":inner"));
    assert_int_equal(p[0].start, -5);
    assert_int_equal(p[0].duration, 100);
    assert_int_equal(p[0].gpu_ops, 9);
    assert_int_equal(p[0].parent_id, -1);
    assert_int_equal(p[1].parent_id, 1);
    assert_true(named(&f, p[1].style, "StartEnd") && named(&f, p[1].stack, ":1:2"));
    assert_int_equal(dropped(&f, "projection row without a name"), 1);
    assert_int_equal(f.trace.mem_sums.n, 2);
    assert_true(f.trace.has_mem && f.trace.has_nvtx);
    assert_int_equal(az_trace_facts(&f.trace),
                     AZ_CAP_CLASSIC | AZ_CAP_KERNEL_SUMS | AZ_CAP_MEM | AZ_CAP_PROJ);
    assert_int_equal(f.diag.warnings, 0);
    fixture_close(&f);
}

static void optional_files(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    fixture_text(&f, "kernel_sum", TITLES "1,10,1,1,1,1,1,0,k\n");
    fixture_add(&f, fixture_path(&f, "none.csv"), "nvtx_proj_trace", true);
    fixture_text(&f, "mem_time_sum", "Total Time (ns),What\n1,2\n");
    f.files[2].optional = true;
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.diag.errors, 0);
    assert_true(said(&f, AZ_WARNING, "none.csv"));
    assert_true(said(&f, AZ_WARNING, "; optional file skipped"));
    assert_false(f.trace.has_mem || f.trace.has_nvtx);
    fixture_close(&f);
}

static void indexes(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f); /* no titles: by the classic positions */
    f.opts.with_header = false;
    fixture_text(&f, "kernel_sum", "1,10,2,1,1,1,1,0,first\n1,20,3,1,1,1,1,0,second\n");
    fixture_text(&f, "nvtx_proj_trace", "tag,1,55\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 2);
    assert_true(named(&f, f.trace.kernel_sums.v[0].name, "first"));
    assert_int_equal(f.trace.kernel_sums.v[1].count, 3);
    assert_int_equal(f.trace.proj.v[0].duration, 55);
    fixture_close(&f);

    fixture_open(&f); /* indexes win over the titles, one by one */
    f.opts.kernel_name_idx = 3;
    fixture_text(&f, "kernel_sum", "Total Time (us),Instances,Name,Alias\n1.5,2,real,other\n");
    assert_int_equal(PARSE(&f), 0);
    assert_true(named(&f, f.trace.kernel_sums.v[0].name, "other"));
    assert_int_equal(f.trace.kernel_sums.v[0].total_ns, 1500);
    fixture_close(&f);

    fixture_open(&f); /* all given: any title line will do */
    f.opts.kernel_total_time_idx = 0, f.opts.kernel_instance_idx = 1, f.opts.kernel_name_idx = 2;
    fixture_text(&f, "kernel_sum", "Zeit,Zahl,Wer\n15,2,k\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.v[0].total_ns, 15);
    fixture_close(&f);

    fixture_open(&f);
    f.opts.kernel_name_idx = 8;
    fixture_text(&f, "kernel_sum", "Total Time (ns),Instances,Name\n15,2,k\n");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "column index 8 is out of range: 3 columns"));
    fixture_close(&f);

    static const char *const columns[] = { "'Total Time", "'Instances'", "'Name'" };
    for (int i = 0; i < 3; i++) { /* no index at all */
        fixture_open(&f);
        *(int64_t *[]){ &f.opts.kernel_total_time_idx, &f.opts.kernel_instance_idx,
                        &f.opts.kernel_name_idx }[i] = INT64_C(1) << 40;
        fixture_text(&f, "kernel_sum", "Total Time (ns),Instances,Name\n15,2,k\n");
        assert_int_equal(PARSE(&f), AZ_EFORMAT);
        assert_true(said(&f, AZ_ERROR, columns[i]));
        fixture_close(&f);
    }
}

static void sections(void **state)
{
    (void)state;
    static const char *const all =
        "Processing [x] with [cuda_api_sum.py]...\n"
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,2,3,4,cudaLaunchKernel\n\n"
        "Processing [x] with [cuda_gpu_kern_sum.py]...\n" TITLES "1,10,1,1,1,1,1,0,k\n\n"
        "SKIPPED: x does not contain NVTX data.\n\n" MEM_TITLES
        "1,20,2,1,1,1,1,0,[CUDA memset]\nProcessing [x] with [cuda_gpu_mem_size_sum.py]...\n"
        "Total (MB),Count,Avg (MB),Operation\n1.5,2,0.75,[CUDA memset]\n";
    struct fixture f;
    fixture_open(&f); /* without a role: all that is known */
    fixture_text(&f, NULL, all);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_int_equal(f.trace.mem_sums.n, 1);
    assert_int_equal(f.trace.mem_sizes.n, 1);
    assert_int_equal(f.trace.mem_sizes.v[0].total_ns, 1500000);
    assert_true(f.trace.mem_sizes.v[0].avg == 750000.0);
    assert_true(said(&f, AZ_NOTE, "cuda_api_sum or osrt_sum report not used"));
    fixture_close(&f);

    fixture_open(&f); /* with one: that section only */
    fixture_text(&f, "kernel_sum", all);
    fixture_text(&f, "mem_time_sum", all);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_int_equal(f.trace.mem_sums.n, 1);
    assert_int_equal(f.trace.mem_sizes.n, 0);
    fixture_close(&f);

    fixture_open(&f); /* another report that has the columns */
    fixture_text(&f, "kernel_sum", MEM_TITLES "1,20,2,1,1,1,1,0,[CUDA memset]\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_true(said(&f, AZ_WARNING, "looks like a cuda_gpu_mem_time_sum report"));
    fixture_close(&f);
}

static void gpu_trace(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    f.opts.kernel_geometry = true;
    fixture_text(&f, NULL,
                 "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
                 "(MB),DymSMem (MB),"
                 "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
                 "100,50,7,3,2,1,32,4,1,16,0.000,0.048,,,,,NVIDIA A100 (1),2,,13,\"k<a, b>\"\n"
                 "160,10,8,,,,,,,,,,0.004,1.0,Pinned,Device,NVIDIA A100 (0),1,,7,[CUDA memcpy "
                 "Host-to-Device]\n"
                 "180,5,9,,,,,,,,,,1.000,1.0,,Device,NVIDIA A100 (0),1,,7,[CUDA memset]\n"
                 "x,5,9,,,,,,,,,,1.000,1.0,,Device,NVIDIA A100 (0),1,,7,[CUDA memset]\n");
    assert_int_equal(PARSE(&f), 0);
    const struct az_trace *t = &f.trace;
    assert_int_equal(t->ev[AZ_KERNEL].n, 1);
    assert_int_equal(t->ev[AZ_MEMCPY].n, 1);
    assert_int_equal(t->ev[AZ_MEMSET].n, 1);
    assert_int_equal(t->ev[AZ_KERNEL].end[0], 150);
    assert_int_equal(t->ev[AZ_KERNEL].corr[0], 7);
    const struct az_geometry *g = az_geometry_of(t, 0);
    assert_true(g && g->grid[0] == 3 && g->grid[1] == 2 && g->block[0] == 32 && g->block[1] == 4 &&
                g->registers == 16 && g->static_shared == 0 && g->dynamic_shared == 48000);
    const struct az_lane *lane = &t->lanes.v[t->ev[AZ_KERNEL].lane[0]];
    assert_true(lane->device_side && lane->device == 1 && lane->tid == 13 && lane->context == 2);
    const struct az_copy *c = &t->copies.v[t->ev[AZ_MEMCPY].side[0]];
    assert_true(c->bytes == 4000 && c->src == 1 && c->dst == 2);
    assert_int_equal(t->devices.n, 2);
    assert_true(az_sv_is(t->devices.v[0].name, "NVIDIA A100"));
    assert_int_equal(az_trace_facts(t), AZ_CAP_CLASSIC | AZ_CAP_KERNEL_SUMS | AZ_CAP_TIMELINE |
                                            AZ_CAP_MEM | AZ_CAP_GEOMETRY);
    assert_true(t->has_mem);
    assert_int_equal(dropped(&f, "missing or invalid start"), 1);
    fixture_close(&f);
}

static void probing(void **state)
{
    (void)state;
    int (*probe)(struct az_sv, struct az_sv) = az_format_nsys_csv.probe;
    assert_int_equal(probe(AZ_SV(TITLES), AZ_SV("x")), 95);
    assert_int_equal(probe(AZ_SV("\xef\xbb\xbf" PROJ_TITLES), AZ_SV("x")), 95);
    assert_int_equal(probe(AZ_SV("Processing\r\n\r\n" MEM_TITLES), AZ_SV("x")), 85);
    assert_int_equal(
        probe(AZ_SV("\"Time (%)\",\"Total Time (ns)\",\"Instances\",\"Name\"\n"), AZ_SV("x")), 95);
    assert_int_equal(probe(AZ_SV("Name,Calls\n1,2\n"), AZ_SV("x.csv")), 0);
    assert_int_equal(probe(AZ_SV(""), AZ_SV("x.csv")), 0);
    assert_int_equal(probe(AZ_SV(",,,\n\",\""), AZ_SV("x.csv")), 0);
    struct az_sv (*stem)(struct az_sv) = az_format_nsys_csv.stem;
    assert_true(az_sv_is(stem(AZ_SV("a/b/run1_cuda_gpu_kern_sum.csv")), "run1"));
    assert_true(az_sv_is(stem(AZ_SV("run1_gpukernsum.csv.gz")), "run1"));
    assert_true(az_sv_is(stem(AZ_SV("run.1.csv")), "run.1"));
    assert_true(az_sv_is(stem(AZ_SV("_gpukernsum.csv")), "_gpukernsum"));
}

static void cancel_and_limit(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    char *text = malloc(3u << 20);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "%s", TITLES);
    for (int i = 0; i < 70000; i++)
        n += (size_t)sprintf(text + n, "1,10,1,1,1,1,1,0,kernel_%d\n", i);
    fixture_add(&f, fixture_write(&f, "big.csv", text, n), "kernel_sum", false);
    f.cancel = true;
    assert_int_equal(PARSE(&f), AZ_EINTR);
    fixture_close(&f);

    fixture_open(&f);
    fixture_add(&f, fixture_write(&f, "big.csv", text, n), "kernel_sum", false);
    f.mem.limit = 2u << 20;
    assert_int_equal(PARSE(&f), AZ_ELIMIT);
    assert_int_equal(f.diag.errors, 1);
    fixture_close(&f);
    free(text);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0x482daa31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers),
        cmocka_unit_test(units),
        cmocka_unit_test(values_and_preamble),
        cmocka_unit_test(defects),
        cmocka_unit_test(negative_rows),
        cmocka_unit_test(cut_gzip),
        cmocka_unit_test(failures),
        cmocka_unit_test(header_only),
        cmocka_unit_test(all_three),
        cmocka_unit_test(optional_files),
        cmocka_unit_test(indexes),
        cmocka_unit_test(sections),
        cmocka_unit_test(gpu_trace),
        cmocka_unit_test(probing),
        cmocka_unit_test(cancel_and_limit),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
