/* Databases of rocmProfileData into the model, whole: operations, calls, markers, streams, what is
 * missing (docs/formats-rocprof.md 4.1). */
#define _DEFAULT_SOURCE
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include <sqlite3.h>

#define COMMON                                                                                     \
    "CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY,tag TEXT,value TEXT);"                     \
    "CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY,string TEXT);"                               \
    "CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY,stream TEXT,size INTEGER);"         \
    "CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY,stream TEXT,gridX INTEGER,gridY " \
    "INTEGER,gridZ INTEGER,workgroupX INTEGER,workgroupY INTEGER,workgroupZ "                      \
    "INTEGER,groupSegmentSize INTEGER,privateSegmentSize INTEGER);"                                \
    "CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY,gpuId INTEGER,queueId INTEGER,start "            \
    "INTEGER,\"end\" INTEGER,description_id INTEGER,opType_id INTEGER);"                           \
    "CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY,api_id INTEGER,op_id INTEGER);"             \
    "CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY,value TEXT);"                               \
    "INSERT INTO rocpd_string VALUES(1,''),(2,'hipLaunchKernel'),(3,'hipExtLaunchKernel'),"        \
    "(4,'hipMemcpyAsync'),(5,'UserMarker'),(6,'aten::mm'),(7,'cuLaunchKernel'),"                   \
    "(8,'ApiTable::writeRows'),(9,'KernelExecution'),(10,'CopyHostToDevice'),"                     \
    "(11,'CopyDeviceToHost'),(12,'Barrier'),(13,'FillBuffer'),(14,'void add<float>(float*, "       \
    "int) [clone .kd]'),(15,'Task'),(16,'Memcpy'),(17,'DEVICE_TO_DEVICE'),(18,'hip'),"             \
    "(19,'step one'),(20,'MemcpyPeerToPeer'),(21,'Marker'),(22,'CopyAny'),(23,'HostToHost'),"      \
    "(24,'hipHccModuleLaunchKernel'),(25,'rocblas_gemm'),(26,'roctx');"
#define API3                                                                                       \
    "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY,pid INTEGER,tid INTEGER,start INTEGER,\"end\" " \
    "INTEGER,apiName_id INTEGER,args_id INTEGER,domain_id INTEGER);"                               \
    "CREATE TABLE rocpd_ustring(id INTEGER PRIMARY KEY,string TEXT);"                              \
    "INSERT INTO rocpd_metadata VALUES(1,'schema_version','3'),(2,'other','4');"                   \
    "INSERT INTO rocpd_ustring VALUES(1,''),(2,'forward');"
#define API2                                                                                       \
    "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY,pid INTEGER,tid INTEGER,start INTEGER,\"end\" " \
    "INTEGER,apiName_id INTEGER,args_id INTEGER);"                                                 \
    "INSERT INTO rocpd_metadata VALUES(1,'schema_version','2');"

static void database_is(const char *sql, const char *want)
{
    struct fixture f;
    sqlite3 *db;
    char *error = NULL;
    fixture_open(&f);
    const char *path = fixture_path(&f, "t.rpd");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    fixture_add(&f, path, NULL, false);
    assert_int_equal(fixture_parse(&f, &az_format_rocpd), 0);
    trace_is(&f.trace, want);
    fixture_close(&f);
}

/* Sizes of launches: HIP counts a grid in blocks, but for two kinds of calls. */
static void kernels_of_launches(void **state)
{
    (void)state;
    database_is(
        COMMON API3
        "INSERT INTO rocpd_api VALUES(1,41,42,10,20,2,1,18),(2,41,42,30,40,3,1,18),"
        "(3,43,44,50,60,24,1,18),(4,41,45,70,80,7,1,NULL),(5,41,42,90,95,2,1,1);"
        "INSERT INTO rocpd_kernelapi VALUES(1,'0x0',2,3,4,64,2,1,512,16),(2,'0x7f1',"
        "128,6,4,64,2,1,1,2),(3,'0x7f2',128,1,1,32,1,1,3,4),(4,'(nil)',1,1,1,8,1,1,5,6),"
        "(5,'0x7f1',4294967295,1,1,2,1,1,0,0);"
        "INSERT INTO rocpd_op VALUES(1,0,7,100,110,14,9),(2,1,0,120,130,14,9),"
        "(3,0,7,140,150,6,9),(4,0,7,160,170,1,15),(5,2,7,180,190,NULL,NULL),"
        "(6,0,7,200,210,14,9),(7,-1,7,220,230,14,9),(8,0,7,NULL,240,14,9),(9,0,7,250,'late',14,9),"
        "(10,0,7,260,270,1,13),(11,0,7,280,290,14,12),(12,0,7,280,290,14,21),"
        "(13,4294967296,7,300,310,14,9);"
        "INSERT INTO rocpd_api_ops VALUES(1,1,1),(2,2,2),(3,3,3),(4,4,4),(5,5,6),(6,1,6),"
        "(7,NULL,7),(8,2,NULL),(9,77,10);"
        "INSERT INTO rocpd_monitor VALUES(1,'1'),(2,'2');",
        "host pid 41 tid 42 proc 1\n"
        "host pid 43 tid 44 proc 2\n"
        "host pid 41 tid 45 proc 1\n"
        "device pid 41 tid 7 device 0 context 0 proc 1\n"
        "device pid 41 tid 0 device 1 context 1 proc 1\n"
        "device pid 43 tid 7 device 0 context 2 proc 2\n"
        "device pid 41 tid 7 device 2 context 0 proc 1\n"
        "device pid 41 tid 7 device 0 context 1 proc 1\n"
        "kernel 100 110 'add' @3 corr 1 grid 2,3,4 block 64,2,1 registers 0 shared 512+4294967295 "
        "id 1 thread 0 'void add<float>(float*, int)' grid 128,6,4 block 64,2,1 lds 512 scratch 16 "
        "vgpr 0 agpr 0 sgpr 0\n"
        "kernel 120 130 'add' @4 corr 2 grid 2,3,4 block 64,2,1 registers 0 shared 1+4294967295 id "
        "2 thread 0 'void add<float>(float*, int)' grid 128,6,4 block 64,2,1 lds 1 scratch 2 vgpr "
        "0 agpr 0 sgpr 0\n"
        "kernel 140 150 'mm' @5 corr 3 grid 4,1,1 block 32,1,1 registers 0 shared 3+4294967295 id "
        "3 thread 0 'aten::mm' grid 128,1,1 block 32,1,1 lds 3 scratch 4 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 160 170 'Task' @3 corr 4 grid 1,1,1 block 8,1,1 registers 0 shared 5+4294967295 id "
        "4 thread 0 'Task' grid 8,1,1 block 8,1,1 lds 5 scratch 6 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 180 190 'unknown' @6 id 5 thread 0 'unknown' grid 0,0,0 block 0,0,0 lds 0 scratch "
        "0 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 200 210 'add' @7 corr 5 grid 2147483648,1,1 block 2,1,1 registers 0 shared "
        "0+4294967295 id 6 thread 0 'void add<float>(float*, int)' grid 4294967295,1,1 block 2,1,1 "
        "lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 220 230 'add' @3 id 7 thread 0 'void add<float>(float*, int)' grid 0,0,0 block "
        "0,0,0 lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 260 270 'FillBuffer' @3 corr 77 id 10 thread 0 'FillBuffer' grid 0,0,0 block 0,0,0 "
        "lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 300 310 'add' @3 id 13 thread 0 'void add<float>(float*, int)' grid 0,0,0 block "
        "0,0,0 lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "API call 10 20 'hipLaunchKernel' @0 corr 1 of hip\n"
        "API call 30 40 'hipExtLaunchKernel' @0 corr 2 of hip\n"
        "API call 50 60 'hipHccModuleLaunchKernel' @1 corr 3 of hip\n"
        "API call 70 80 'cuLaunchKernel' @2 corr 4 of CUDA_API\n"
        "API call 90 95 'hipLaunchKernel' @0 corr 5 of HIP_API\n"
        "agent 1 0 gpu\n"
        "agent 1 1 gpu\n"
        "agent 2 0 gpu\n"
        "agent 1 2 gpu\n"
        "process 41 0 0\n"
        "process 43 0 0\n"
        "dropped 2 (0): events without timestamps\n"
        "dropped 2 (0): barriers of queues\n"
        "dropped 2 (0): samples of clocks and power\n"
        "schema_version = 3\n"
        "read 14 kept 14\n");
}

/* The direction of a copy, by its type, else by its description; sizes by its call. */
static void copies(void **state)
{
    (void)state;
    database_is(COMMON API3
                "INSERT INTO rocpd_api VALUES(1,41,42,10,20,4,1,18),(2,41,42,30,40,4,1,18),"
                "(3,41,42,50,60,4,1,18);"
                "INSERT INTO rocpd_copyapi VALUES(1,'0x0',4096),(2,'0x1',NULL),(3,'0x1','x');"
                "INSERT INTO rocpd_op VALUES(1,0,1,100,110,1,10),(2,1,1,120,130,1,11),"
                "(3,2,1,140,150,17,16),(4,0,1,160,170,1,20),(5,0,1,180,190,23,22),"
                "(6,3,1,200,210,1,22);"
                "INSERT INTO rocpd_api_ops VALUES(1,1,1),(2,2,2),(3,3,3);",
                "host pid 41 tid 42 proc 1\n"
                "device pid 41 tid 1 device 0 context 0 proc 1\n"
                "device pid 41 tid 1 device 1 context 1 proc 1\n"
                "device pid 41 tid 1 device 2 context 1 proc 1\n"
                "device pid 41 tid 1 device -1 context 0 proc 1\n"
                "device pid 41 tid 1 device 3 context 0 proc 1\n"
                "memcpy 100 110 'MEMORY_COPY_HOST_TO_DEVICE' @1 corr 1 bytes 4096 gbps 0 op -1 src "
                "-1 dst -1 route - 0\n"
                "memcpy 120 130 'MEMORY_COPY_DEVICE_TO_HOST' @2 corr 2 bytes -1 gbps 0 op -1 src "
                "-1 dst -1 route 1 -\n"
                "memcpy 140 150 'MEMORY_COPY_DEVICE_TO_DEVICE' @3 corr 3 bytes -1 gbps 0 op -1 src "
                "-1 dst -1 route 2 2\n"
                "memcpy 160 170 'MEMORY_COPY_DEVICE_TO_DEVICE' @1 bytes -1 gbps 0 op -1 src -1 dst "
                "-1 route 0 0\n"
                "memcpy 180 190 'MEMORY_COPY_HOST_TO_HOST' @4 bytes -1 gbps 0 op -1 src -1 dst -1 "
                "route - -\n"
                "memcpy 200 210 'CopyAny' @5 bytes -1 gbps 0 op -1 src -1 dst -1 route 3 3\n"
                "API call 10 20 'hipMemcpyAsync' @0 corr 1 of hip\n"
                "API call 30 40 'hipMemcpyAsync' @0 corr 2 of hip\n"
                "API call 50 60 'hipMemcpyAsync' @0 corr 3 of hip\n"
                "agent 1 0 gpu\n"
                "agent 1 1 gpu\n"
                "agent 1 2 gpu\n"
                "agent 1 3 gpu\n"
                "process 41 0 0\n"
                "schema_version = 3\n"
                "read 9 kept 9\n");
}

/* A marker is a range with its text; a function of the program, too; else calls of domains. */
static void calls_and_markers(void **state)
{
    (void)state;
    database_is(COMMON API3
                "INSERT INTO rocpd_api VALUES(1,41,42,10,90,5,2,5),(2,41,42,20,30,5,1,5),"
                "(3,41,42,25,25,5,2,5),(4,41,42,40,50,6,1,18),(5,41,42,41,42,8,1,NULL),"
                "(6,41,42,43,44,2,1,NULL),(7,41,42,45,46,7,1,NULL),(8,41,42,47,48,25,1,NULL),"
                "(9,41,42,49,50,1,1,18),(10,41,42,NULL,50,2,1,18),(11,41,42,51,NULL,2,1,18),"
                "(12,41,42,52,53,26,1,18),(13,41,42,54,55,999,1,NULL);",
                "host pid 41 tid 42 proc 1\n"
                "API call 41 42 'ApiTable::writeRows' @0 corr 5 of RPD\n"
                "API call 43 44 'hipLaunchKernel' @0 corr 6 of HIP_API\n"
                "API call 45 46 'cuLaunchKernel' @0 corr 7 of CUDA_API\n"
                "API call 47 48 'rocblas_gemm' @0 corr 8 of RPD\n"
                "API call 49 50 'unknown' @0 corr 9 of hip\n"
                "API call 52 53 'roctx' @0 corr 12 of hip\n"
                "API call 54 55 'unknown' @0 corr 13 of RPD\n"
                "range 10 90 'forward' @0 corr 1 range 1 style 0\n"
                "range 20 30 'UserMarker' @0 corr 2 range 2 style 0\n"
                "range 25 25 'forward' @0 corr 3 range 3 style 0\n"
                "range 40 50 'aten::mm' @0 corr 4 range 4 style 0\n"
                "process 41 0 0\n"
                "dropped 2 (0): events without timestamps\n"
                "schema_version = 3\n"
                "read 11 kept 11\n");
    /* without domains, and texts of markers among the strings */
    database_is(COMMON API2 "INSERT INTO rocpd_api VALUES(1,41,42,10,90,5,19),(2,41,42,40,50,2,1);",
                "host pid 41 tid 42 proc 1\n"
                "API call 40 50 'hipLaunchKernel' @0 corr 2 of HIP_API\n"
                "range 10 90 'step one' @0 corr 1 range 1 style 0\n"
                "process 41 0 0\n"
                "schema_version = 2\n"
                "read 2 kept 2\n");
}

/* The names of copies show who counted work-items. */
static void grids_in_work_items(void **state)
{
    (void)state;
    database_is(COMMON API2 "INSERT INTO rocpd_string VALUES(30,'MEMORY_COPY_HOST_TO_DEVICE');"
                            "INSERT INTO rocpd_api VALUES(1,41,42,10,20,2,1);"
                            "INSERT INTO rocpd_kernelapi VALUES(1,'0x0',128,2,1,64,2,1,0,0);"
                            "INSERT INTO rocpd_op VALUES(1,0,7,100,110,14,9),(2,0,7,120,130,1,30);"
                            "INSERT INTO rocpd_api_ops VALUES(1,1,1);",
                "host pid 41 tid 42 proc 1\n"
                "device pid 41 tid 7 device 0 context 0 proc 1\n"
                "kernel 100 110 'add' @1 corr 1 grid 2,1,1 block 64,2,1 registers 0 shared "
                "0+4294967295 id 1 thread 0 'void add<float>(float*, int)' grid 128,2,1 block "
                "64,2,1 lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
                "memcpy 120 130 'MEMORY_COPY_HOST_TO_DEVICE' @1 bytes -1 gbps 0 op -1 src -1 dst "
                "-1 route - 0\n"
                "API call 10 20 'hipLaunchKernel' @0 corr 1 of HIP_API\n"
                "agent 1 0 gpu\n"
                "process 41 0 0\n"
                "schema_version = 2\n"
                "read 3 kept 3\n");
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xa687b036);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_launches),
        cmocka_unit_test(copies),
        cmocka_unit_test(calls_and_markers),
        cmocka_unit_test(grids_in_work_items),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
