/* Rows of the CSV sets of AMD's profilers into the model, whole: every column of each table, in its
 * new and old spellings. */
#define _DEFAULT_SOURCE
#include "formats_nsys.h"
#include "unit/trace_text.h"

/* Parses a set of these files: name, text, ..., NULL; the first is named. */
static void set_is(const char *const *files, const char *want)
{
    struct fixture f;
    fixture_open(&f);
    for (size_t i = 0; files[i]; i += 2)
        (void)fixture_write(&f, files[i], files[i + 1], strlen(files[i + 1]));
    fixture_add(&f, fixture_path(&f, files[0]), NULL, false);
    assert_int_equal(fixture_parse(&f, &az_format_rocprof), 0);
    trace_is(&f.trace, want);
    fixture_close(&f);
}

static void kernels_copies_calls(void **state)
{
    (void)state;
    set_is(
        (const char *[]){
            "r_kernel_trace.csv",
            "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,"
            "Correlation_Id,Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,"
            "Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,"
            "Grid_Size_X,Grid_Size_Y,Grid_Size_Z\n"
            "KERNEL_DISPATCH,Agent 4,1,2,834,5,10,\"void add<float>(float*, "
            "int)\",77,100,150,512,8,24,4,16,64,2,3,1024,5,6\n"
            "KERNEL_DISPATCH,5,3,0,835,6,11,mul.kd,78,200,250,1,2,3,4,5,6,7,8,9,10,11\n"
            "KERNEL_DISPATCH,Agent 4,1,2,834,7,10,\"void add<float>(float*, "
            "int)\",0,160,160,512,8,24,4,16,64,2,3,1024,5,6\n",
            "r_memory_copy_trace.csv",
            "Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,"
            "Start_Timestamp,End_Timestamp\n"
            "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,3,Agent 0,Agent 4,8,1,9\n"
            "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_HOST,2,Agent 4,Agent 0,9,11,19\n"
            "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_DEVICE,2,Agent 5,Agent 4,10,21,29\n",
            "r_hip_api_trace.csv",
            "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
            "HIP_RUNTIME_API_EXT,hipLaunchKernel,99,834,77,80,90\n"
            "HIP_COMPILER_API_EXT,__hipPop,99,835,78,91,92\n",
            "r_marker_api_trace.csv",
            "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
            "MARKER_CORE_API,\"a, \"\"b\"\"\",99,834,79,70,95\n",
            "r_memory_allocation_trace.csv",
            "Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,"
            "End_Timestamp\n"
            "MEMORY_ALLOCATION,MEMORY_ALLOCATION_ALLOCATE,Agent 4,4096,0x7f00,12,30,40\n"
            "MEMORY_ALLOCATION,MEMORY_ALLOCATION_FREE,,0,0x7f00,13,50,60\n",
            NULL },
        "host pid 99 tid 834 proc 1\n"
        "host pid 99 tid 835 proc 1\n"
        "device pid 99 tid 1 device 4 context 2 proc 1\n"
        "device pid 99 tid 3 device 5 context 0 proc 1\n"
        "device pid 99 tid 0 device 4 context 3 proc 1\n"
        "device pid 99 tid 0 device 4 context 2 proc 1\n"
        "host pid 99 tid 0 proc 1\n"
        "kernel 100 150 'add' @2 corr 77 grid 16,3,2 block 64,2,3 registers 28 shared "
        "512+4294967295 id 5 thread 834 'void add<float>(float*, int)' grid 1024,5,6 block 64,2,3 "
        "lds 512 scratch 8 vgpr 24 agpr 4 sgpr 16\n"
        "kernel 200 250 'mul' @3 corr 78 grid 2,2,2 block 6,7,8 registers 7 shared 1+4294967295 id "
        "6 thread 835 'mul.kd' grid 9,10,11 block 6,7,8 lds 1 scratch 2 vgpr 3 agpr 4 sgpr 5\n"
        "kernel 160 160 'add' @2 grid 16,3,2 block 64,2,3 registers 28 shared 512+4294967295 id 7 "
        "thread 834 'void add<float>(float*, int)' grid 1024,5,6 block 64,2,3 lds 512 scratch 8 "
        "vgpr 24 agpr 4 sgpr 16\n"
        "memcpy 1 9 'MEMORY_COPY_HOST_TO_DEVICE' @4 corr 8 bytes -1 gbps 0 op -1 src -1 dst -1 "
        "route 0 4\n"
        "memcpy 11 19 'MEMORY_COPY_DEVICE_TO_HOST' @5 corr 9 bytes -1 gbps 0 op -1 src -1 dst -1 "
        "route 4 0\n"
        "memcpy 21 29 'MEMORY_COPY_DEVICE_TO_DEVICE' @5 corr 10 bytes -1 gbps 0 op -1 src -1 dst "
        "-1 route 5 4\n"
        "API call 80 90 'hipLaunchKernel' @0 corr 77 of HIP_RUNTIME_API_EXT\n"
        "API call 91 92 '__hipPop' @1 corr 78 of HIP_COMPILER_API_EXT\n"
        "range 70 95 'a, \"b\"' @0 corr 79 range 79 style 0\n"
        "allocation 30 40 'MEMORY_ALLOCATION_ALLOCATE' @6 corr 12 bytes 4096 address 7f00 agent 4\n"
        "allocation 50 60 'MEMORY_ALLOCATION_FREE' @6 corr 13 bytes 0 address 7f00 agent -\n"
        "process 99 0 0\n"
        "read 11 kept 11\n");
}

/* One row of each dispatch: products of sizes, old names of columns. */
static void counters_of_dispatches(void **state)
{
    (void)state;
    set_is(
        (const char *[]){
            "r_counter_collection.csv",
            "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Id,"
            "Kernel_Name,Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
            "SGPR_Count,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
            "1,2,Agent 4,3,99,834,1024,10,add.kd,64,5,6,7,8,9,SQ_WAVES,2.5,100,150\n"
            "1,2,Agent 4,3,99,834,1024,10,add.kd,64,5,6,7,8,9,GRBM,4,100,150\n"
            "2,3,Agent 4,3,99,834,512,10,add.kd,32,5,6,7,8,9,SQ_WAVES,1,200,260\n",
            NULL },
        "device pid 99 tid 3 device 4 context 0 proc 1\n"
        "kernel 100 150 'add' @0 corr 1 grid 16,1,1 block 64,1,1 registers 15 shared 5+4294967295 "
        "id 2 thread 834 'add.kd' grid 1024,1,1 block 64,1,1 lds 5 scratch 6 vgpr 7 agpr 8 sgpr 9\n"
        "kernel 200 260 'add' @0 corr 2 grid 16,1,1 block 32,1,1 registers 15 shared 5+4294967295 "
        "id 3 thread 834 'add.kd' grid 512,1,1 block 32,1,1 lds 5 scratch 6 vgpr 7 agpr 8 sgpr 9\n"
        "counter 1 2 'add' SQ_WAVES 2.5\n"
        "counter 1 2 'add' GRBM 4\n"
        "counter 1 3 'add' SQ_WAVES 1\n"
        "process 99 0 0\n"
        "read 2 kept 2\n");
}

/* The tables of version 1 and 2. */
static void legacy_rows(void **state)
{
    (void)state;
    set_is(
        (const char *[]){
            "results.csv",
            "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"queue-index\",\"pid\",\"tid\","
            "\"grd\",\"wgr\",\"lds\",\"scr\",\"arch_vgpr\",\"accum_vgpr\",\"sgpr\",\"wave_size\","
            "\"sig\",\"obj\",\"DispatchNs\",\"BeginNs\",\"EndNs\",\"CompleteNs\",\"DurationNs\","
            "\"Waves\"\n"
            "0,\"void add<float>(float*) [clone .kd]\",1,2,0,77,78,1024,64,5,6,7,8,9,64,0x0,0x1,"
            "10,100,150,160,50,16\n"
            "1,\"mul.kd\",1,2,1,77,78,512,32,5,6,7,8,9,64,0x0,0x1,20,200,260,270,60,8\n",
            NULL },
        "device pid 77 tid 2 device 1 context 0 proc 1\n"
        "kernel 100 150 'add' @0 grid 16,1,1 block 64,1,1 registers 15 shared 5+4294967295 id 0 "
        "thread 78 'void add<float>(float*)' grid 1024,1,1 block 64,1,1 lds 5 scratch 6 vgpr 7 "
        "agpr 8 sgpr 9\n"
        "kernel 200 260 'mul' @0 grid 16,1,1 block 32,1,1 registers 15 shared 5+4294967295 id 1 "
        "thread 78 'mul' grid 512,1,1 block 32,1,1 lds 5 scratch 6 vgpr 7 agpr 8 sgpr 9\n"
        "counter 1 0 'add' Waves 16\n"
        "counter 1 1 'mul' Waves 8\n"
        "process 77 0 0\n"
        "read 2 kept 2\n");
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xa077574c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_copies_calls),
        cmocka_unit_test(counters_of_dispatches),
        cmocka_unit_test(legacy_rows),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
