/* CSV sets of rocprofv3, old and new (docs/formats-rocprof.md 3, 8). */
#define _DEFAULT_SOURCE
#include "formats_nsys.h"

#include <math.h>

#include "model/dispatch.h"

#define PARSE(f) fixture_parse((f), &az_format_rocprof)

static const char kernels_head[] = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\","
                                   "\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\","
                                   "\"Correlation_Id\","
                                   "\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\","
                                   "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\","
                                   "\"SGPR_Count\","
                                   "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\","
                                   "\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n";

static void put(struct fixture *f, const char *name, const char *text)
{
    (void)fixture_write(f, name, text, strlen(text));
}

static void give(struct fixture *f, const char *name)
{
    fixture_add(f, fixture_path(f, name), NULL, false);
}

static const struct az_events *kernels(const struct fixture *f) { return &f->trace.ev[AZ_KERNEL]; }

static void set_by_one_member(void **state)
{
    struct fixture f;
    char text[2048];
    (void)state;
    fixture_open(&f);
    (void)snprintf(text, sizeof text,
                   "%s\"KERNEL_DISPATCH\",\"Agent 4\",1,2,834,5,10,\"void add<float>(float*, "
                   "int)\",77,100,150,512,8,24,4,16,64,1,1,1024,2,1\n",
                   kernels_head);
    put(&f, "run_kernel_trace.csv", text);
    put(&f, "run_memory_copy_trace.csv",
        "Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_"
        "Timestamp,End_Timestamp\n"
        "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,0,Agent 0,Agent 4,8,1,9\n");
    put(&f, "run_hip_api_trace.csv",
        "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\nHIP_"
        "RUNTIME_API_EXT,"
        "hipLaunchKernel,99,834,77,80,90\n");
    put(&f, "run_marker_api_trace.csv",
        "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\nMARKER_"
        "CORE_API,\"a, "
        "\"\"b\"\"\",99,834,78,70,95\n");
    put(&f, "run_kernel_stats.csv",
        "Name,Calls,TotalDurationNs,AverageNs,Percentage\nx,1,2,2,100\n");
    put(&f, "other_kernel_trace.csv", text);
    give(&f, "run_memory_copy_trace.csv"); /* any member names the set */
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 1); /* neither the other set nor the sums */
    assert_int_equal(f.trace.kernel_sums.n, 0);
    assert_true(named(&f, kernels(&f)->name[0], "add"));
    const struct az_lane *lane = &f.trace.lanes.v[kernels(&f)->lane[0]];
    assert_int_equal(lane->device, 4);
    assert_int_equal(lane->context, 2);
    assert_int_equal(lane->pid, 99); /* from the calls, which are read first */
    const struct az_dispatch_shape *s = &az_dispatches(&f.trace)->shapes.v[0];
    assert_int_equal(s->lds, 512);
    assert_int_equal(s->agpr, 4);
    assert_int_equal(s->grid[1], 2);
    assert_int_equal(f.trace.copies.v[0].bytes, -1); /* the CSV does not say */
    assert_true(named(&f, f.trace.ev[AZ_RANGE].name[0], "a, \"b\""));
    assert_int_equal(f.trace.ev[AZ_CALL].n, 1);
    fixture_close(&f);
}

/* All members by a glob are one set, read once; two prefixes are two processes. */
static void several_sets(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    put(&f, "a_kernel_trace.csv", "Kernel_Name,Start_Timestamp,End_Timestamp\nf,1,2\n");
    put(&f, "a_hip_api_trace.csv",
        "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\nHIP_"
        "API,hipX,1,1,1,1,2\n");
    put(&f, "b_kernel_trace.csv", "Kernel_Name,Start_Timestamp,End_Timestamp\ng,3,4\n");
    give(&f, "a_hip_api_trace.csv");
    give(&f, "a_kernel_trace.csv");
    give(&f, "b_kernel_trace.csv");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 2);
    assert_int_equal(f.trace.ev[AZ_CALL].n, 1);
    assert_int_equal(az_dispatches(&f.trace)->processes.n, 2);
    fixture_close(&f);
}

/* BOM, CRLF, quoted commas, an extra Guid column, other capitals, bare agents, old columns, missing
 * columns. */
static void spellings(void **state)
{
    static const struct {
        const char *text, *name;
        unsigned lds, vgpr, grid;
        int64_t agent;
    } cases[] = {
        { "\xef\xbb\xbfKernel_Name,Start_Timestamp,End_Timestamp\r\n\"void f<a, b>(int, "
          "int)\",10,20\r\n",
          "f", 0, 0, 0, 0 },
        { "\"GUID\",\"kernel_name\",\"START_TIMESTAMP\",\"end_timestamp\",\"Lds_Block_Size\","
          "\"Vgpr_Count\",\"Agent_"
          "Id\"\n\"0-1\",\"g.kd\",10,20,1024,96,\"GPU 1\"\n",
          "g", 1024, 96, 0, 1 },
        { "Kind,Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp,Private_Segment_Size,Group_"
          "Segment_Size,Grid_Size_"
          "X\nKERNEL_DISPATCH,3,h,10,20,0,777,64\n",
          "h", 777, 0, 64, 3 },
        { "End_Timestamp,Start_Timestamp,Kernel_Name\n20,10,noyau_\xc3\xa9t\xc3\xa9",
          "noyau_\xc3\xa9t\xc3\xa9", 0, 0, 0, 0 }, /* no newline at the end */
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        fixture_open(&f);
        fixture_text(&f, NULL, cases[i].text);
        assert_int_equal(PARSE(&f), 0);
        assert_int_equal(kernels(&f)->n, 1);
        assert_int_equal(kernels(&f)->start[0], 10);
        assert_int_equal(kernels(&f)->end[0], 20);
        assert_true(named(&f, kernels(&f)->name[0], cases[i].name));
        const struct az_dispatch_shape *s = &az_dispatches(&f.trace)->shapes.v[0];
        assert_int_equal(s->lds, cases[i].lds);
        assert_int_equal(s->vgpr, cases[i].vgpr);
        assert_int_equal(s->grid[0], cases[i].grid);
        assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[0]].device, cases[i].agent);
        fixture_close(&f);
    }
}

static void missing_mandatory(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_text(&f, NULL, "Kernel_Name,Start_Timestamp\nf,1\n");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "f0.csv:1: missing column 'End_Timestamp'"));
    fixture_close(&f);
}

static void bad_rows(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 "Kernel_Name,Start_Timestamp,End_Timestamp\nf,1,2\nf,x,2\n\nf,5\nf,9,4\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(said(&f, AZ_WARNING, "f0.csv:3: 2 invalid row(s) skipped"));
    assert_int_equal(dropped(&f, "events with invalid timestamps"), 1);
    assert_int_equal(dropped(&f, "invalid rows"), 2);
    fixture_close(&f);
    fixture_open(&f);
    f.opts.strict = true;
    fixture_text(&f, NULL, "Kernel_Name,Start_Timestamp,End_Timestamp\nf,x,2\n");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    fixture_close(&f);
    fixture_open(&f);
    fixture_text(&f, NULL, "Kernel_Name,Start_Timestamp,End_Timestamp\nf,1,2\n\"cut off,3,4\n");
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "unterminated quote"));
    fixture_close(&f);
}

/* A plain file that ends inside its last row, in columns that are not needed: told, as more is
 * missing than they. Where every row is shorter than the titles that is how the file is. */
static void cut_in_the_last_row(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_text(
        &f, NULL,
        "Kernel_Name,Start_Timestamp,End_Timestamp,Grid_Size_X,Grid_Size_Y\nf,1,2,64,1\nf,3,4,6");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 2);
    assert_true(said(&f, AZ_WARNING, "f0.csv:3: the last row has fewer fields"));
    assert_int_equal(dropped(&f, "file truncated (rows after the end are unknown)"), 1);
    fixture_close(&f);
    fixture_open(&f);
    fixture_text(
        &f, NULL,
        "Kernel_Name,Start_Timestamp,End_Timestamp,Grid_Size_X,Grid_Size_Y\nf,1,2,64\nf,3,4,64\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.diag.warnings, 0);
    fixture_close(&f);
}

/* As in the other formats: what comes before the cut is kept, and the cut is reported; strict
 * refuses it. */
static void cut_gzip(void **state)
{
    static const char text[] = "Kernel_Name,Start_Timestamp,End_Timestamp\nf,1,2\nf,3,44\n";
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_cut_gzip(&f, "x_kernel_trace.csv.gz", NULL, text, 2);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_int_equal(dropped(&f, "truncated row at the end of the file"), 1);
    assert_true(said(&f, AZ_WARNING, "truncated in this row"));
    assert_int_equal(f.diag.errors, 0);
    fixture_close(&f);
    fixture_open(&f);
    fixture_cut_gzip(&f, "x_kernel_trace.csv.gz", NULL, text, sizeof text - 10);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "file truncated in its header"));
    fixture_close(&f);
    fixture_open(&f);
    f.opts.strict = true;
    fixture_cut_gzip(&f, "x_kernel_trace.csv.gz", NULL, text, 2);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    fixture_close(&f);
}

static void counters(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 "Correlation_Id,Dispatch_Id,Agent_Id,Grid_Size,Kernel_Name,Workgroup_Size,Counter_"
                 "Name,Counter_Value,"
                 "Start_Timestamp,End_Timestamp\n"
                 "1,1,Agent 1,1048576,\"void k<float>(int, "
                 "int)\",64,SQ_WAVES,16384.000000,100,200\n1,1,Agent "
                 "1,1048576,\"void k<float>(int, int)\",64,HIT,5,100,200\n"
                 "2,2,Agent 1,1048576,\"void k<float>(int, int)\",64,SQ_WAVES,1e3,300,350\n");
    assert_int_equal(PARSE(&f), 0);
    const struct az_counters *c = &az_dispatches(&f.trace)->counters;
    assert_int_equal(c->n, 3);
    assert_true(c->v[0].value == 16384 && c->v[2].value == 1000);
    assert_true(named(&f, c->v[1].counter, "HIT"));
    assert_int_equal(kernels(&f)->n, 2); /* one a dispatch */
    assert_int_equal(az_dispatches(&f.trace)->shapes.v[0].grid[0], 1048576);
    fixture_close(&f);
    fixture_open(&f); /* the oldest: without times */
    fixture_text(&f, NULL,
                 "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n4,divide,SQ_WAVES,16384\n");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_dispatches(&f.trace)->counters.n, 1);
    assert_int_equal(kernels(&f)->n, 0);
    fixture_close(&f);
}

/* Two processes wrote one file: a dispatch of one is none of the other, though its id is. */
static void counters_of_processes(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_text(&f, NULL,
                 "Correlation_Id,Dispatch_Id,Agent_Id,Process_Id,Thread_Id,Kernel_Name,Counter_"
                 "Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
                 "1,1,Agent 1,70,7,k(int),SQ_WAVES,10,100,200\n"
                 "1,1,Agent 2,80,8,k(int),SQ_WAVES,20,110,220\n"
                 "2,2,Agent 1,70,7,k(int),SQ_WAVES,30,300,350\n"
                 "2,2,Agent 2,80,8,k(int),SQ_WAVES,40,310,370\n");
    assert_int_equal(PARSE(&f), 0);
    const struct az_dispatches *d = az_dispatches(&f.trace);
    assert_int_equal(d->processes.n, 2);
    assert_int_equal(d->processes.v[0].pid, 70);
    assert_int_equal(d->processes.v[1].pid, 80);
    assert_int_equal(kernels(&f)->n, 4);
    assert_int_equal(d->counters.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(d->counters.v[i].proc, 1 + i % 2);
    assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[1]].pid, 80);
    fixture_close(&f);
}

/* The processes of a set are those of its own files, also where others have no number. */
static void counters_of_sets(void **state)
{
    static const char head[] = "Dispatch_Id,Agent_Id,Process_Id,Kernel_Name,Counter_Name,Counter_"
                               "Value,Start_Timestamp,End_Timestamp\n";
    char a[512], b[512];
    struct fixture f;
    (void)state;
    fixture_open(&f);
    (void)snprintf(a, sizeof a, "%s1,Agent 1,70,k(int),HIT,1,100,200\n", head);
    (void)snprintf(b, sizeof b, "%s1,Agent 1,80,k(int),HIT,2,300,400\n", head);
    put(&f, "70_counter_collection.csv", a);
    put(&f, "80_counter_collection.csv", b);
    put(&f, "80_memory_copy_trace.csv",
        "Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,End_"
        "Timestamp\nMEMORY_COPY_HOST_TO_DEVICE,Agent 0,Agent 1,8,500,600\n");
    give(&f, "70_counter_collection.csv");
    give(&f, "80_counter_collection.csv");
    assert_int_equal(PARSE(&f), 0);
    const struct az_dispatches *d = az_dispatches(&f.trace);
    assert_int_equal(d->processes.n, 2);
    assert_int_equal(d->processes.v[1].pid, 80);
    assert_int_equal(d->counters.v[0].proc, 1);
    assert_int_equal(d->counters.v[1].proc, 2);
    assert_int_equal(f.trace.lanes.v[f.trace.ev[AZ_MEMCPY].lane[0]].pid, 80);
    fixture_close(&f);
}

static void sums_only(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    put(&f, "r_kernel_stats.csv",
        "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\","
        "\"StdDev\"\n\"void "
        "f<1>()\",4,1000,250.0,100.0,100,400,1.0e+02\n");
    give(&f, "r_kernel_stats.csv");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_int_equal(f.trace.kernel_sums.v[0].total_ns, 1000);
    assert_true(named(&f, f.trace.kernel_sums.v[0].name, "f"));
    assert_false(az_trace_facts(&f.trace) & AZ_CAP_TIMELINE);
    assert_true(az_trace_facts(&f.trace) & AZ_CAP_KERNEL_SUMS);
    fixture_close(&f);
}

/* Sums of calls count where their trace is missing: alone, next to other files of the set, or
 * without a prefix. */
static void sums_of_calls(void **state)
{
    static const char stats[] =
        "Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev\n"
        "hipFree,4,1000,250.0,80.0,100,400,1.0e+02\nhipMalloc,1,250,250,20,250,250,0\n"
        "odd,0,0,0,0,0,0,0\n";
    static const char old_stats[] =
        "Name,Calls,TotalDurationNs,AverageNs,Percentage\nhsa_init,2,10,5,100\n";
    (void)state;
    for (int with = 0; with < 3;
         with++) { /* sums alone; a trace of the kernels; also one of the calls */
        struct fixture f;
        fixture_open(&f);
        put(&f, "r_hip_api_stats.csv", stats);
        put(&f, "r_hsa_api_stats.csv", old_stats);
        put(&f, "r_domain_stats.csv",
            "Name,Calls,TotalDurationNs,AverageNs,Percentage\nHIP_API,5,1250,250,100\n");
        if (with > 0)
            put(&f, "r_kernel_trace.csv", "Kernel_Name,Start_Timestamp,End_Timestamp\nf,1,2\n");
        if (with > 1)
            put(&f, "r_hip_api_trace.csv",
                "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_"
                "Timestamp\nHIP,a,1,1,1,1,2\n");
        give(&f, "r_hip_api_stats.csv");
        assert_int_equal(PARSE(&f), 0);
        const struct az_call_sums *c = &az_dispatches(&f.trace)->call_sums;
        assert_int_equal(c->n, with == 0 ? 4 : with == 1 ? 3 : 1);
        const struct az_call_sum *hsa = &c->v[with > 1 ? 0 : 2];
        assert_true(named(&f, hsa->domain, "HSA_API"));
        assert_true(isnan(hsa->sum.min) && isnan(hsa->sum.std));
        if (with < 2) {
            assert_true(named(&f, c->v[0].domain, "HIP_API"));
            assert_true(named(&f, c->v[0].sum.name, "hipFree"));
            assert_int_equal(c->v[0].sum.total_ns, 1000);
            assert_true(c->v[0].sum.std == 100);
        }
        if (with == 0)
            assert_true(named(&f, c->v[3].domain, "DOMAIN"));
        assert_int_equal(f.trace.kernel_sums.n, 0);
        fixture_close(&f);
    }
    struct fixture f;
    fixture_open(&f);
    put(&f, "hip_api_stats.csv", stats);
    give(&f, "hip_api_stats.csv");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_dispatches(&f.trace)->call_sums.n, 2);
    fixture_close(&f);
}

/* Kernels of one short name whose numbers, added up, are beyond 64 bits. */
static void sums_beyond_64_bits(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    put(&f, "r_kernel_stats.csv",
        "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\","
        "\"StdDev\"\n\"void "
        "f<1>()\",9223372036854775807,9223372036854775807,1.0,50.0,1,1,0\n\"void "
        "f<2>()\",9223372036854775807,9223372036854775807,1.0,50.0,1,1,0\n");
    give(&f, "r_kernel_stats.csv");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.kernel_sums.n, 1);
    assert_true(f.trace.kernel_sums.v[0].count == INT64_MAX &&
                f.trace.kernel_sums.v[0].total_ns == INT64_MAX);
    assert_true(f.trace.kernel_sums.v[0].avg == 1);
    fixture_close(&f);
}

static void agents_and_allocations(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    put(&f, "r_agent_info.csv",
        "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cu_Count\",\"Name\",\"Product_Name\"\n0,"
        "0,\"CPU\",64,\"c\","
        "\"C\"\n5,1,\"GPU\",304,\"gfx\",\"Acc\"\n");
    put(&f, "r_memory_allocation_trace.csv",
        "Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_"
        "Timestamp\nMEMORY_"
        "ALLOCATION,MEMORY_ALLOCATION_ALLOCATE,Agent 1,1024,0xfffffffb26354000,1,5,9\n");
    put(&f, "r_scratch_memory_trace.csv",
        "Kind,Operation,Agent_Id,Queue_Id,Thread_Id,Alloc_Flags,Start_Timestamp,End_"
        "Timestamp\nSCRATCH_MEMORY,SCRATCH_"
        "MEMORY_ALLOC,Agent 1,1,7,0,1,2\n");
    put(&f, "r_kernel_trace.csv", "Kernel_Name,Start_Timestamp,End_Timestamp\nf,1,2\n");
    give(&f, "r_kernel_trace.csv");
    assert_int_equal(PARSE(&f), 0);
    const struct az_dispatches *d = az_dispatches(&f.trace);
    assert_int_equal(d->agents.n, 2);
    assert_true(az_agent_find(d, 1, 1)->gpu);
    assert_int_equal(f.trace.devices.v[0].sm_count, 304);
    assert_int_equal(d->allocs.n, 2);
    assert_true(d->allocs.v[0].address == 0xfffffffb26354000u);
    assert_int_equal(d->allocs.v[0].bytes, 1024);
    fixture_close(&f);
}

static void probing(void **state)
{
    static const struct {
        const char *head;
        bool ours;
    } cases[] = { { "\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n",
                    true },
                  { "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
                    "\"Start_Timestamp\",\"End_"
                    "Timestamp\"\r\n",
                    true },
                  { "Name,Calls,TotalDurationNs,AverageNs,Percentage\n", true },
                  { "\xef\xbb\xbf\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"", true },
                  { "Time (%),Total Time (ns),Instances,Avg (ns),Name\n", false },
                  { "name,start,end\n", false },
                  { "", false } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_int_equal(az_format_rocprof.probe(az_sv_str(cases[i].head), AZ_SV("x.csv")) > 50,
                         cases[i].ours);
    assert_int_equal(az_format_nsys_csv.probe(az_sv_str(cases[0].head), AZ_SV("x.csv")), 0);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0x0e46d935);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_by_one_member),
        cmocka_unit_test(several_sets),
        cmocka_unit_test(spellings),
        cmocka_unit_test(missing_mandatory),
        cmocka_unit_test(bad_rows),
        cmocka_unit_test(cut_gzip),
        cmocka_unit_test(cut_in_the_last_row),
        cmocka_unit_test(counters),
        cmocka_unit_test(counters_of_processes),
        cmocka_unit_test(counters_of_sets),
        cmocka_unit_test(sums_only),
        cmocka_unit_test(sums_of_calls),
        cmocka_unit_test(sums_beyond_64_bits),
        cmocka_unit_test(agents_and_allocations),
        cmocka_unit_test(probing),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
