/* Nsight SQLite exports: contents into the model, schema versions, the edges of
 * docs/formats-nsight.md 5. Databases are built here. */
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include <sqlite3.h>

#define PARSE(f) fixture_parse((f), &az_format_nsys_sqlite)

/* A process 0x10 on VM 1, and its main thread. */
#define PROC_A   281475245146112 /* 1 << 48 | 16 << 24 */
#define THREAD_A 281475245146128
#define PROC_B   281475261923328 /* 17 << 24 */
#define THREAD_B 281475261923345

#define KERNEL_TABLE                                                                               \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" INTEGER,deviceId "              \
    "INTEGER,contextId INTEGER,"                                                                   \
    "greenContextId INTEGER,streamId INTEGER,correlationId INTEGER,globalPid "                     \
    "INTEGER,demangledName INTEGER,"                                                               \
    "shortName INTEGER,mangledName INTEGER,gridX INTEGER,graphNodeId INTEGER);"
#define STRINGS                                                                                    \
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY,value TEXT NOT NULL);"                 \
    "INSERT INTO StringIds VALUES(0,'[Unknown]'),(1,'void "                                        \
    "gemm<\xc3\xa9>(int)'),(2,'gemm'),(3,'_Z4gemm'),"                                              \
    "(4,'cudaLaunchKernel_v7000'),(5,'cudaGraphLaunch_v10000'),(6,'cuLaunchKernelEx'),(7,'inner')" \
    ",(8,'TSL'),"                                                                                  \
    "(9,'main thread'),(10,'poll'),(11,'CUPTI buffers'),(5000000000,'far kernel');"
#define RUNTIME_TABLE                                                                              \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,\"end\" INTEGER,eventClass "           \
    "INTEGER,globalTid INTEGER,"                                                                   \
    "correlationId INTEGER,nameId INTEGER,returnValue INTEGER);"
#define NVTX_TABLE                                                                                 \
    "CREATE TABLE NVTX_EVENTS(start INTEGER,\"end\" INTEGER,eventType INTEGER,rangeId "            \
    "INTEGER,text TEXT,"                                                                           \
    "globalTid INTEGER,endGlobalTid INTEGER,textId INTEGER,domainId INTEGER);"
#define META(v, major, minor)                                                                      \
    "CREATE TABLE META_DATA_EXPORT(name TEXT,value TEXT);INSERT INTO META_DATA_EXPORT VALUES"      \
    "('EXPORT_PRODUCT_VERSION','2025.5.2.266'),('EXPORT_SCHEMA_VERSION','" v "'),"                 \
    "('EXPORT_SCHEMA_VERSION_MAJOR','" major "'),('EXPORT_SCHEMA_VERSION_MINOR','" minor "'),"     \
    "('EXPORT_PARAM_TIME_SHIFT','-12'),('EXPORT_PARAM_TIME_NORMALIZE','true');"

static sqlite3 *db_open(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static void db_run(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s in: %.200s", error, sql);
}

/* Writes the database and makes it the fixture's file. */
static const char *db_make(struct fixture *f, const char *sql)
{
    const char *path = fixture_path(f, "x.sqlite");
    sqlite3 *db = db_open(path);
    db_run(db, sql);
    sqlite3_close(db);
    fixture_add(f, path, NULL, false);
    return path;
}

static void start(struct fixture *f, const char *sql)
{
    fixture_open(f);
    (void)db_make(f, sql);
}

static const struct az_lane *lane_of(const struct fixture *f, enum az_kind k, size_t i)
{
    return &f->trace.lanes.v[f->trace.ev[k].lane[i]];
}

static void device_events(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, STRINGS META("3.24.0", "3", "24") KERNEL_TABLE RUNTIME_TABLE
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
          "(50,90,1,2,0,7,77,281475245146112,1,2,3,1,NULL),"
          "(100,140,0,1,0,13,77,281475261923328,1,2,3,1,8589934593)," /* same correlation id, other
                                                                         process; graph node */
          "(90,95,0,1,0,13,NULL,281475261923328,999,2,3,1,NULL),"     /* no correlation; name not in
                                                                         StringIds */
          "(200,190,0,1,0,13,5,281475261923328,1,2,3,1,NULL),"        /* ends before it starts */
          "(300,310,0,1,0,13,6,281475261923328,5000000000,2,3,1,NULL);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER,\"end\" INTEGER,deviceId "
          "INTEGER,contextId INTEGER,"
          "streamId INTEGER,correlationId INTEGER,globalPid INTEGER,bytes INTEGER,copyKind "
          "INTEGER,srcKind INTEGER,"
          "dstKind INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,2,0,1,7,8,281475245146112,4096,1,1,2),"
          "(3,4,0,1,7,9,281475245146112,NULL,8,NULL,2),(5,6,0,1,7,9,281475245146112,1,42,NULL,2);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER,\"end\" INTEGER,deviceId "
          "INTEGER,contextId INTEGER,"
          "streamId INTEGER,correlationId INTEGER,globalPid INTEGER,value INTEGER,bytes "
          "INTEGER,memKind INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(7,9,0,1,7,10,281475245146112,0,65536,2);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER,\"end\" INTEGER,deviceId "
          "INTEGER,contextId "
          "INTEGER,streamId INTEGER,correlationId INTEGER,globalPid INTEGER,graphId "
          "INTEGER,graphExecId INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(10,20,0,1,7,11,281475245146112,3,4);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER,\"end\" INTEGER,deviceId "
          "INTEGER,contextId "
          "INTEGER,streamId INTEGER,correlationId INTEGER,globalPid INTEGER,deprecatedSyncType "
          "INTEGER,syncType "
          "INTEGER,eventId INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION "
          "VALUES(10,20,0,1,4294967295,11,281475245146112,NULL,4,0);");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace,
             "device pid 16 tid 7 device 1 context 2 proc 281475245146112\n"
             "device pid 17 tid 13 device 0 context 1 proc 281475261923328\n"
             "device pid 16 tid 7 device 0 context 1 proc 281475245146112\n"
             "device pid 16 tid 4294967295 device 0 context 1 proc 281475245146112\n"
             "kernel 50 90 'void gemm<é>(int)' @0 corr 77\n"
             "kernel 100 140 'void gemm<é>(int)' @1 corr 77 node 8589934593\n"
             "kernel 90 95 '[Unknown]' @1\n"
             "kernel 300 310 'far kernel' @1 corr 6\n"
             "memcpy 1 2 '[CUDA memcpy HtoD]' @2 corr 8 bytes 4096 gbps 0 op 1 src 1 dst 2\n"
             "memcpy 3 4 '[CUDA memcpy DtoD]' @2 corr 9 bytes -1 gbps 0 op 8 src -1 dst 2\n"
             "memcpy 5 6 '[CUDA kind 42]' @2 corr 9 bytes 1 gbps 0 op 42 src -1 dst 2\n"
             "memset 7 9 '[CUDA memset]' @2 corr 10 bytes 65536 gbps 0 op -1 src -1 dst 2\n"
             "graph launch 10 20 '[CUDA graph 3]' @2 corr 11\n"
             "sync 10 20 'Context sync' @3 corr 11\n"
             "device 0 '' 0 0\n"
             "device 1 '' 0 0\n"
             "dropped 1 (0): events with invalid timestamps\n"
             "nsys version = 2025.5.2.266\n"
             "nsys export schema = 3.24.0\n"
             "time shift (ns) = -12\n"
             "times normalized = true\n"
             "read 11 kept 10\n");
    const struct az_trace *t = &f.trace;
    const struct az_events *k = &t->ev[AZ_KERNEL];
    assert_int_equal(k->n, 4);
    assert_int_equal(dropped(&f, "events with invalid timestamps"), 1);
    assert_true(k->start[0] == 50 && k->end[0] == 90);
    assert_true(named(&f, k->name[0], "void gemm<\xc3\xa9>(int)"));
    assert_true(named(&f, k->name[2], "[Unknown]"));
    assert_true(named(&f, k->name[3], "far kernel"));
    assert_int_equal(k->corr[0], 77);
    assert_int_equal(k->corr[2], 0);
    assert_int_equal(k->node[0], 0);
    assert_int_equal(k->node[1], 8589934593);
    const struct az_lane *l = lane_of(&f, AZ_KERNEL, 0);
    assert_true(l->device_side && l->device == 1 && l->context == 2 && l->tid == 7 && l->pid == 16);
    assert_int_equal(l->proc, PROC_A);
    assert_int_equal(lane_of(&f, AZ_KERNEL, 1)->proc, PROC_B);
    const struct az_events *c = &t->ev[AZ_MEMCPY];
    assert_true(
        named(&f, c->name[0], "[CUDA memcpy HtoD]")); /* no ENUM table: the names of that time */
    assert_true(named(&f, c->name[1], "[CUDA memcpy DtoD]"));
    assert_true(named(&f, c->name[2], "[CUDA kind 42]"));
    const struct az_copy *side = t->copies.v;
    assert_true(side[0].bytes == 4096 && side[0].op == 1 && side[0].src == 1 && side[0].dst == 2);
    assert_true(side[1].bytes == -1 && side[1].src == -1);
    assert_true(named(&f, t->ev[AZ_MEMSET].name[0], "[CUDA memset]"));
    assert_int_equal(t->copies.v[t->ev[AZ_MEMSET].side[0]].bytes, 65536);
    assert_true(named(&f, t->ev[AZ_GRAPH].name[0], "[CUDA graph 3]"));
    assert_true(named(&f, t->ev[AZ_SYNC].name[0], "Context sync"));
    assert_int_equal(lane_of(&f, AZ_SYNC, 0)->tid, 4294967295);
    assert_int_equal(az_trace_facts(t),
                     AZ_CAP_CLASSIC | AZ_CAP_KERNEL_SUMS | AZ_CAP_TIMELINE | AZ_CAP_MEM);
    assert_true(t->has_mem && !t->has_nvtx);
    assert_int_equal(t->read, 11);
    assert_int_equal(t->kept, 10);
    assert_true(fact_is(&f, "nsys version", "2025.5.2.266") &&
                fact_is(&f, "nsys export schema", "3.24.0"));
    assert_true(fact_is(&f, "time shift (ns)", "-12") && fact_is(&f, "times normalized", "true"));
    assert_int_equal(az_trace_finalize(&f.trace), 0);
    fixture_close(&f);
}

static void labels_from_the_file(void **state)
{
    (void)state;
    struct fixture f;
    start(
        &f, STRINGS
        "CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER,name TEXT,label TEXT);"
        "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES(1,'HTOD','Host-zu-Geraet'),(42,'NEW','New-kind');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER,\"end\" INTEGER,copyKind INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,2,1),(2,3,42),(3,4,2);");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace,
             "device pid 0 tid 0 device 0 context 0 proc 0\n"
             "memcpy 1 2 '[CUDA memcpy Host-zu-Geraet]' @0 bytes -1 gbps 0 op 1 src -1 dst -1\n"
             "memcpy 2 3 '[CUDA memcpy New-kind]' @0 bytes -1 gbps 0 op 42 src -1 dst -1\n"
             "memcpy 3 4 '[CUDA memcpy Device-to-Host]' @0 bytes -1 gbps 0 op 2 src -1 dst -1\n"
             "device 0 '' 0 0\n"
             "read 3 kept 3\n");
    const struct az_events *c = &f.trace.ev[AZ_MEMCPY];
    assert_true(named(&f, c->name[0], "[CUDA memcpy Host-zu-Geraet]"));
    assert_true(named(&f, c->name[1], "[CUDA memcpy New-kind]"));
    assert_true(named(&f, c->name[2], "[CUDA memcpy Device-to-Host]"));
    assert_int_equal(f.trace.copies.v[0].bytes, -1);
    fixture_close(&f);
}

static void kernel_name_forms(void **state)
{
    (void)state;
    static const struct {
        const char *form, *name;
    } forms[] = { { "", "void gemm<\xc3\xa9>(int)" },
                  { "demangled", "void gemm<\xc3\xa9>(int)" },
                  { "short", "gemm" },
                  { "mangled", "_Z4gemm" } };
    for (size_t i = 0; i < 4; i++) {
        struct fixture f;
        start(&f, STRINGS KERNEL_TABLE
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,2,0,1,0,7,1,0,1,2,3,1,NULL);");
        f.opts.kernel_names = az_sv_str(forms[i].form);
        assert_int_equal(PARSE(&f), 0);
        assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[0], forms[i].name));
        fixture_close(&f);
    }
    struct fixture f; /* exports of 2021 have no mangled names */
    start(&f, STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" "
                      "INTEGER,demangledName INTEGER);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,2,1);");
    f.opts.kernel_names = AZ_SV("mangled");
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "no column 'mangledName': 'demangledName' is used"));
    assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[0], "void gemm<\xc3\xa9>(int)"));
    fixture_close(&f);
}

static void host_events(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, STRINGS RUNTIME_TABLE
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
          "VALUES(1,5,0,281475245146128,77,4,0),(6,9,0,281475245146128,78,5,0),"
          "(10,11,0,281475261923345,77,6,0);"
          "CREATE TABLE ThreadNames(nameId INTEGER,priority INTEGER,globalTid INTEGER);"
          "INSERT INTO ThreadNames VALUES(9,10,281475245146128);"
          "CREATE TABLE OSRT_API(start INTEGER,\"end\" INTEGER,eventClass INTEGER,globalTid "
          "INTEGER,nameId INTEGER);"
          "INSERT INTO OSRT_API VALUES(1,2,27,281475245146128,10),(1,2,31,281475245146128,10);"
          "CREATE TABLE PROFILER_OVERHEAD(start INTEGER,\"end\" INTEGER,globalTid INTEGER,nameId "
          "INTEGER);"
          "INSERT INTO PROFILER_OVERHEAD VALUES(1,2,281475245146128,11);");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace,
             "host pid 16 tid 16 proc 281475245146112 thread 281475245146128 'main thread'\n"
             "host pid 17 tid 17 proc 281475261923328 thread 281475261923345\n"
             "API call 1 5 'cudaLaunchKernel' @0 corr 77\n"
             "API call 6 9 'cudaGraphLaunch_v10000' @0 corr 78\n"
             "API call 10 11 'cuLaunchKernelEx' @1 corr 77\n"
             "OS call 1 2 'poll' @0\n"
             "overhead 1 2 'CUPTI buffers' @0\n"
             "dropped 1 (0): operating system event other than a call\n"
             "read 6 kept 5\n");
    const struct az_trace *t = &f.trace;
    const struct az_events *c = &t->ev[AZ_CALL];
    assert_int_equal(c->n, 3);
    assert_true(named(&f, c->name[0], "cudaLaunchKernel"));
    assert_true(
        named(&f, c->name[1],
              "cudaGraphLaunch_v10000")); /* a longer suffix stays, as in the profiler's reports */
    assert_true(named(&f, c->name[2], "cuLaunchKernelEx"));
    const struct az_lane *l = lane_of(&f, AZ_CALL, 0);
    assert_true(!l->device_side && l->pid == 16 && l->tid == 16 && l->device == -1);
    assert_true(l->proc == PROC_A && l->thread == THREAD_A);
    assert_true(named(&f, l->label, "main thread"));
    assert_true(lane_of(&f, AZ_CALL, 2)->thread == THREAD_B &&
                lane_of(&f, AZ_CALL, 2)->label == AZ_NO_ID);
    assert_int_equal(t->ev[AZ_OSRT].n, 1);
    assert_int_equal(dropped(&f, "operating system event other than a call"), 1);
    assert_true(named(&f, t->ev[AZ_OVERHEAD].name[0], "CUPTI buffers"));
    assert_int_equal(az_trace_facts(t), AZ_CAP_CLASSIC | AZ_CAP_CALLS | AZ_CAP_OSRT);
    assert_false(
        az_trace_has_activity(t)); /* the driver then says that no device work was recorded */
    fixture_close(&f);
}

#define RANGES                                                                                     \
    NVTX_TABLE "INSERT INTO NVTX_EVENTS VALUES"                                                    \
               "(10,90,59,NULL,'step',281475245146128,NULL,NULL,1)," /* its domain is created      \
                                                                        later in the file */       \
               "(20,30,59,NULL,NULL,281475245146128,NULL,7,0)," /* by string id, default domain */ \
               "(20,30,60,5,'inner',281475245146128,NULL,NULL,NULL),"  /* same limits, same text,  \
                                                                          no domain id */          \
               "(40,NULL,59,NULL,'open',281475245146128,NULL,NULL,0)," /* never closed */          \
               "(50,55,60,6,'crossing',281475245146128,281475245146129,NULL,0),"                   \
               "(50,55,60,6,'same',281475245146128,281475245146128,NULL,0),"                       \
               "(60,NULL,34,NULL,'mark',281475245146128,NULL,NULL,0),"                             \
               "(8,NULL,75,NULL,NULL,281475245146128,NULL,8,1)," /* domain 1 of this process */    \
               "(70,75,59,NULL,'step',281475261923345,NULL,NULL,1)," /* the other process has no   \
                                                                        domain 1 */                \
               "(95,400,71,NULL,'last',281475261923345,NULL,NULL,0);"

static void ranges(void **state)
{
    (void)state;
    for (int newer = 0; newer < 2; newer++) {
        struct fixture f;
        if (newer)
            start(&f, STRINGS META("3.16.1", "3", "16") RANGES);
        else
            start(&f, STRINGS RANGES);
        f.opts.nvtx_tag = AZ_SV("TSL:step");
        assert_int_equal(PARSE(&f), 0);
        const struct az_trace *t = &f.trace;
        const struct az_events *r = &t->ev[AZ_RANGE];
        assert_int_equal(r->n, 8);
        assert_int_equal(dropped(&f, "annotation other than a range"), 1);
        static const char *const old[] = { "TSL:step", "inner", "inner", "open",
                                           "crossing", "same",  "step",  "last" };
        static const char *const now[] = { "TSL:step",  ":inner", ":inner", ":open",
                                           ":crossing", ":same",  ":step",  ":last" };
        static const uint64_t ids[] = { 1, 2, 3, 4, 5, 6, 9, 10 };
        for (size_t i = 0; i < 8; i++) {
            assert_true(named(&f, r->name[i], newer ? now[i] : old[i]));
            assert_int_equal(t->ranges.v[r->side[i]].id, ids[i]);
        }
        assert_int_equal(t->ranges.v[r->side[1]].style, 0);
        assert_int_equal(t->ranges.v[r->side[2]].style, 1);
        assert_int_equal(t->ranges.v[r->side[7]].style, 1);
        assert_true(t->ranges.v[r->side[3]].open && r->end[3] == 400);
        assert_true(t->ranges.v[r->side[4]].crosses && !t->ranges.v[r->side[5]].crosses);
        assert_int_equal(lane_of(&f, AZ_RANGE, 0)->thread, THREAD_A);
        assert_int_equal(az_trace_facts(t), AZ_CAP_CLASSIC | AZ_CAP_RANGES);
        assert_true(t->has_nvtx && !t->has_mem);
        fixture_close(&f);
    }
}

static void marks_only(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, STRINGS NVTX_TABLE
          "INSERT INTO NVTX_EVENTS VALUES(60,NULL,34,NULL,'mark',281475245146128,NULL,NULL,0);");
    f.opts.nvtx_tag = AZ_SV("mark");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace, "dropped 1 (0): annotation other than a range\n"
                       "read 1 kept 0\n");
    assert_int_equal(f.trace.ev[AZ_RANGE].n, 0);
    assert_false(f.trace.has_nvtx);
    assert_int_equal(az_trace_facts(&f.trace), AZ_CAP_CLASSIC);
    fixture_close(&f);
}

#define GPUS                                                                                       \
    "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER,id INTEGER,name TEXT,totalMemory INTEGER,smCount "  \
    "INTEGER,cuDevice "                                                                            \
    "INTEGER);"                                                                                    \
    "INSERT INTO TARGET_INFO_GPU "                                                                 \
    "VALUES(0,3,'A40',48,84,2),(0,2,'A40',48,84,3),(0,1,'A100',40,108,0),"                         \
    "(0,0,'H100',80,132,1);"
#define TWO_KERNELS                                                                                \
    KERNEL_TABLE "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "                                         \
                 "VALUES(1,2,1,1,0,7,1,281475245146112,1,2,3,1,NULL),"                             \
                 "(1,2,0,1,0,7,2,281475245146112,1,2,3,1,NULL);"

static void devices(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, STRINGS "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER,deviceId INTEGER,name TEXT);"
                      "INSERT INTO TARGET_INFO_GPU VALUES(0,1,'V100'),(0,0,'T4');" TWO_KERNELS);
    assert_int_equal(PARSE(&f), 0); /* old exports have no other id */
    assert_int_equal(f.trace.devices.n, 2);
    assert_true(az_sv_is(f.trace.devices.v[0].name, "T4"));
    assert_true(az_sv_is(f.trace.devices.v[1].name, "V100"));
    fixture_close(&f);
    start(&f, STRINGS GPUS TWO_KERNELS); /* as the profiler's own reports: by id */
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.devices.n, 2);
    assert_true(f.trace.devices.v[0].id == 0 && az_sv_is(f.trace.devices.v[0].name, "H100"));
    assert_true(az_sv_is(f.trace.devices.v[1].name, "A100") &&
                f.trace.devices.v[1].sm_count == 108);
    fixture_close(&f);

    fixture_open(&f); /* the process owns GPUs 2 and 3 as its CUDA devices 1 and 0: deviceId is the
                         CUDA number */
    (void)db_make(&f, STRINGS GPUS TWO_KERNELS
                  "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER,cudaId INTEGER,pid "
                  "INTEGER);INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(2,1,16),(3,0,16),(0,0,99);");
    assert_int_equal(PARSE(&f), 0);
    assert_true(az_sv_is(f.trace.devices.v[0].name, "A40") &&
                az_sv_is(f.trace.devices.v[1].name, "A40"));
    fixture_close(&f);

    start(&f, STRINGS GPUS); /* nothing ran: what the machine has */
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.devices.n, 4);
    assert_int_equal(f.trace.devices.v[3].id, 3);
    fixture_close(&f);
}

static void profiler_messages(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, STRINGS "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER,severity INTEGER,text TEXT);"
                      "INSERT INTO DIAGNOSTIC_EVENT VALUES(-5,1,'fine'),(-4,2,'events "
                      "were\r\n\tdropped\n'),(1,3,'b'),(1,3,'c'),"
                      "(1,3,'d'),(1,3,'e'),(1,3,'f'),(1,3,'g');");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace, "profiler warnings = 7\n"
                       "read 0 kept 0\n");
    assert_true(said(&f, AZ_WARNING, "profiler message: events were dropped"));
    assert_true(said(&f, AZ_WARNING, "2 further messages of the profiler"));
    assert_int_equal(f.diag.warnings, 6);
    assert_true(fact_is(&f, "profiler warnings", "7"));
    fixture_close(&f);

    /* each once, also where others are between them */
    start(&f, STRINGS "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER,severity INTEGER,text TEXT);"
                      "INSERT INTO DIAGNOSTIC_EVENT VALUES(1,2,'a'),(1,2,'b'),(1,2,'a'),"
                      "(1,2,'a'),(1,2,'c');");
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "profiler message, 3 times: a"));
    assert_int_equal(f.diag.warnings, 3);
    assert_true(fact_is(&f, "profiler warnings", "5"));
    fixture_close(&f);
}

static void old_versions(void **state)
{
    (void)state;
    struct fixture f; /* no table of versions: from the folder of the profiler */
    start(&f, STRINGS "CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT,value TEXT);INSERT INTO "
                      "TARGET_INFO_SYSTEM_ENV "
                      "VALUES('TargetInstallDir','/opt/nvidia/nsight-systems/2022.4.2/"
                      "target-linux-x64'),('Hostname','n1');");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace, "nsys version = 2022.4.2\n"
                       "host = n1\n"
                       "read 0 kept 0\n");
    assert_true(fact_is(&f, "nsys version", "2022.4.2") && fact_is(&f, "host", "n1"));
    fixture_close(&f);
    start(&f, STRINGS
          "CREATE TABLE EXPORT_META_DATA(name TEXT,value TEXT);INSERT INTO EXPORT_META_DATA "
          "VALUES('EXPORT_SCHEMA_VERSION','3.1.7'),('EXPORT_SCHEMA_VERSION_MAJOR','3');");
    assert_int_equal(PARSE(&f), 0);
    assert_true(fact_is(&f, "nsys export schema", "3.1.7"));
    fixture_close(&f);
    /* No process column: correlation ids are taken as unique in the file. */
    start(&f, STRINGS RUNTIME_TABLE
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,5,0,281475245146128,77,4,0);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" INTEGER,correlationId "
          "INTEGER,demangledName INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,2,77,1);");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(lane_of(&f, AZ_CALL, 0)->proc, lane_of(&f, AZ_KERNEL, 0)->proc);
    assert_int_equal(lane_of(&f, AZ_CALL, 0)->pid, 16);
    fixture_close(&f);
}

static void odd_tables(void **state)
{
    (void)state;
    struct fixture f; /* StringIds without key, with a doubled id; a table without a needed
                         column */
    start(&f, "CREATE TABLE StringIds(id INTEGER,value TEXT);INSERT INTO StringIds "
              "VALUES(4,'cudaFree_v3020'),(1,'one'),"
              "(1,'two');CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" "
              "INTEGER,demangledName INTEGER);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,2,1);"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(begin INTEGER);INSERT INTO "
              "CUPTI_ACTIVITY_KIND_MEMSET "
              "VALUES(1);" RUNTIME_TABLE
              "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,5,0,281475245146128,77,4,0);");
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace, "device pid 0 tid 0 device 0 context 0 proc 0\n"
                       "host pid 16 tid 16 proc 0 thread 281475245146128\n"
                       "kernel 1 2 'one' @0\n"
                       "API call 1 5 'cudaFree' @1 corr 77\n"
                       "device 0 '' 0 0\n"
                       "dropped 1 (0): table without a required column\n"
                       "read 2 kept 2\n");
    assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[0], "one"));
    assert_true(named(&f, f.trace.ev[AZ_CALL].name[0], "cudaFree"));
    assert_true(
        said(&f, AZ_WARNING, "table 'CUPTI_ACTIVITY_KIND_MEMSET' skipped: missing column 'start'"));
    fixture_close(&f);
    start(&f, "CREATE TABLE k(start INTEGER,\"end\" INTEGER,demangledName INTEGER);"
              "INSERT INTO k VALUES(1,2,1);"
              "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM k;" RUNTIME_TABLE);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "view 'CUPTI_ACTIVITY_KIND_KERNEL' in place of a table"));
    fixture_close(&f);
    start(&f, TWO_KERNELS); /* no StringIds at all */
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "missing table 'StringIds'"));
    assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[0], "[Unknown]"));
    fixture_close(&f);
}

static void failures(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        int code;
        const char *message;
    } cases[] = {
        { "", 0, AZ_EEMPTY, "empty file" },
        { "Time (%)", 8, AZ_EFORMAT, "not an SQLite database" },
        { "\x1f\x8b\x08", 3, AZ_EFORMAT, "compressed database" },
        { "SQLite format 3\0broken header, long enough to be looked "
          "at........................................."
          "........................................................................................"
          "........",
          180, AZ_EFORMAT, "database" },
    };
    struct fixture f;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        fixture_open(&f);
        fixture_add(&f, fixture_write(&f, "x.sqlite", cases[i].bytes, cases[i].n), NULL, false);
        assert_int_equal(PARSE(&f), cases[i].code);
        assert_true(said(&f, AZ_ERROR, cases[i].message));
        fixture_close(&f);
    }
    start(&f, "CREATE TABLE rocpd_kernel(a);CREATE TABLE other(b);");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(
        said(&f, AZ_ERROR, "not an Nsight Systems export; its tables: other, rocpd_kernel"));
    fixture_close(&f);
    fixture_open(&f);
    fixture_add(&f, f.dir.p, NULL, false);
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "is a folder"));
    fixture_close(&f);
    fixture_open(&f);
    fixture_add(&f, fixture_path(&f, "none.sqlite"), NULL, false);
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "none.sqlite: no such file or folder"));
    fixture_close(&f);
    fixture_open(&f);
    fixture_add(&f, "-", NULL, false);
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "cannot read an SQLite database from standard input"));
    fixture_close(&f);
}

static void being_written(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    f.locked = true;
    const char *path = db_make(&f, STRINGS TWO_KERNELS);
    sqlite3 *writer = db_open(path);
    db_run(writer, "BEGIN EXCLUSIVE; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL");
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "database locked by another program"));
    sqlite3_close(writer);
    fixture_close(&f);

    fixture_open(&f); /* rows that are only in the -wal next to it are part of the database */
    f.locked = true;
    path = db_make(&f, STRINGS KERNEL_TABLE);
    writer = db_open(path);
    db_run(writer, "PRAGMA journal_mode=WAL; INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
                   "VALUES(1,2,1,1,0,7,1,0,1,2,3,1,NULL)");
    assert_int_equal(access(fixture_path(&f, "x.sqlite-wal"), F_OK), 0);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    sqlite3_close(writer);
    fixture_close(&f);
}

static void strange_paths(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    const char *path = fixture_path(&f, "a b?mode=memory#%41.sqlite");
    sqlite3 *db = db_open(path);
    db_run(db, STRINGS TWO_KERNELS);
    sqlite3_close(db);
    fixture_add(&f, path, NULL, false);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 2);
    fixture_close(&f);
}

/* Thousands of kernels, so that tables have many pages. */
static const char *db_big(struct fixture *f)
{
    return db_make(
        f, STRINGS KERNEL_TABLE
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000) INSERT INTO "
        "CUPTI_ACTIVITY_KIND_KERNEL SELECT i*10,i*10+5,i%2,1,0,7,i,281475245146112,1,2,3,1,NULL "
        "FROM n;" RUNTIME_TABLE
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,5,0,281475245146128,77,4,0);");
}

static void damaged(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f); /* cut off */
    const char *path = db_big(&f);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size / 2), 0);
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "shorter than its header specifies"));
    assert_true(said(&f, AZ_WARNING, "table 'CUPTI_ACTIVITY_KIND_KERNEL' is damaged after"));
    assert_true(f.trace.ev[AZ_KERNEL].n > 5000 && f.trace.ev[AZ_KERNEL].n < 15000);
    assert_true(dropped(&f, "rows of a damaged table") > 5000); /* those that pages before name */
    assert_true(dropped(&f, "rows of a damaged table") + f.trace.ev[AZ_KERNEL].n <= 20000);
    assert_true(f.trace.truncated);
    assert_true(fact_is(&f, "partial", "yes: the database is damaged"));
    fixture_close(&f);

    fixture_open(&f); /* pages overwritten in the middle */
    path = db_big(&f);
    FILE *out = fopen(path, "r+b");
    assert_non_null(out);
    assert_int_equal(fseek(out, st.st_size / 8192 * 4096, SEEK_SET), 0);
    for (int i = 0; i < 8192; i++)
        assert_int_equal(fputc(0xee, out), 0xee);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "table 'CUPTI_ACTIVITY_KIND_KERNEL' is damaged after"));
    assert_true(f.trace.ev[AZ_KERNEL].n > 19500 && f.trace.ev[AZ_KERNEL].n < 20000);
    assert_int_equal(dropped(&f, "rows of a damaged table") + f.trace.ev[AZ_KERNEL].n, 20000);
    assert_false(f.trace.truncated);
    assert_int_equal(f.trace.ev[AZ_CALL].n, 1); /* the other tables are read */
    fixture_close(&f);
}

/* Zeros over the second half of a page, where the records are: SQLite reads rows without values and
 * says nothing. */
static void zeroed_pages(void **state)
{
    (void)state;
    for (long page = 4; page <= 132; page += 16) {
        struct fixture f;
        fixture_open(&f);
        const char *path = db_big(&f);
        FILE *out = fopen(path, "r+b");
        assert_non_null(out);
        assert_int_equal(fseek(out, page * 4096 + 2048, SEEK_SET), 0);
        for (int i = 0; i < 2048; i++)
            assert_int_equal(fputc(0, out), 0);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(PARSE(&f), 0);
        assert_true(said(&f, AZ_WARNING, "the database is damaged"));
        assert_true(f.trace.drops.n > 0);
        assert_true(fact_is(&f, "partial", "yes: the database is damaged"));
        fixture_close(&f);
    }
}

/* A page that has one row less than it names: SQLite reads the others and reports nothing. */
static void pages_with_too_few_rows(void **state)
{
    (void)state;
    for (long page = 4; page <= 132; page += 16) {
        struct fixture f;
        unsigned char head[8];
        fixture_open(&f);
        const char *path = db_big(&f);
        FILE *out = fopen(path, "r+b");
        assert_non_null(out);
        assert_int_equal(fseek(out, page * 4096, SEEK_SET), 0);
        assert_int_equal(fread(head, 1, sizeof head, out), sizeof head);
        assert_int_equal(head[0], 13); /* rows */
        assert_int_equal(fseek(out, page * 4096 + 4, SEEK_SET), 0);
        assert_int_equal(fputc(head[4] - 1, out), head[4] - 1);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(PARSE(&f), 0);
        assert_true(said(&f, AZ_WARNING, "the database is damaged"));
        assert_true(f.trace.drops.n > 0);
        fixture_close(&f);
    }
}

/* The same in a table with texts, which SQLite reads: a page of rows, and one that names pages. */
static void texts_with_too_few_rows(void **state)
{
    (void)state;
    unsigned whole = 0, seen = 0;
    for (long page = 4; page < 60; page++) {
        struct fixture f;
        unsigned char head[8];
        fixture_open(&f);
        const char *path =
            db_make(&f, STRINGS KERNEL_TABLE
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,\"end\",deviceId) VALUES(1,2,0);"
                    "CREATE TABLE NVTX_EVENTS(start INTEGER,\"end\" INTEGER,eventType INTEGER,"
                    "globalTid INTEGER,text TEXT);"
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000) "
                    "INSERT INTO NVTX_EVENTS SELECT i*10,i*10+5,59,281475245146112,"
                    "printf('step %d of a range',i) FROM n;");
        FILE *out = fopen(path, "r+b");
        assert_non_null(out);
        assert_int_equal(fseek(out, page * 4096, SEEK_SET), 0);
        const bool is_page = fread(head, 1, sizeof head, out) == sizeof head &&
                             (head[0] == 13 || head[0] == 5) && head[4] > 2;
        if (is_page && page % 9 != 0) {
            assert_int_equal(fseek(out, page * 4096 + 4, SEEK_SET), 0);
            assert_int_equal(fputc(head[4] - 1, out), head[4] - 1);
        }
        assert_int_equal(fclose(out), 0);
        assert_int_equal(PARSE(&f), 0);
        assert_int_equal(said(&f, AZ_WARNING, "damaged"), is_page && page % 9 != 0);
        seen += is_page && page % 9 != 0;
        whole += f.trace.ev[AZ_RANGE].n == 3000;
        fixture_close(&f);
    }
    assert_true(seen > 20 && whole > 0 && whole < 56);
}

/* Rows that SQLite alone can read are no damage. */
static void odd_rows_are_no_damage(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    (void)db_make(&f, STRINGS KERNEL_TABLE
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,\"end\",deviceId) "
                  "VALUES(1,2,0),(NULL,NULL,NULL),('abc',9,0),(10,20.5,0),(30,40,0);");
    assert_int_equal(PARSE(&f), 0);
    assert_false(said(&f, AZ_WARNING, "the database is damaged"));
    fixture_close(&f);
}

/* A row whose start or end is NULL or text is none from 0 on: it is counted, and is no event. */
static void rows_without_times(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, STRINGS META("3.24.0", "3", "24") KERNEL_TABLE RUNTIME_TABLE NVTX_TABLE
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,\"end\",deviceId,globalPid,demangledName) "
          "VALUES(1000,1010,0,16777216,1),(NULL,1020,0,16777216,1),(1030,NULL,0,16777216,1),"
          "(1040,1050.0,0,16777216,1),('abc',1060,0,16777216,1),(1070,'x',0,16777216,1),"
          "(1080,1090,0,16777216,1);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,\"end\",globalTid,nameId) "
          "VALUES(NULL,990,16777217,1),(980,990,16777217,1),('late',990,16777217,1);"
          "INSERT INTO NVTX_EVENTS(start,\"end\",eventType,text,globalTid) "
          "VALUES(NULL,995,59,'a',16777217),(985,'x',59,'b',16777217),(985,NULL,59,'c',16777217),"
          "(985,995,59,'d',16777217);");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 3);
    assert_int_equal(f.trace.ev[AZ_KERNEL].start[0], 1000);
    assert_int_equal(f.trace.ev[AZ_CALL].n, 1);
    assert_int_equal(f.trace.ev[AZ_RANGE].n, 2); /* one is open */
    assert_int_equal(dropped(&f, "rows without a start or an end"), 8);
    fixture_close(&f);
}

static void cancel_and_limit(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    (void)db_big(&f);
    f.cancel = true;
    assert_int_equal(PARSE(&f), AZ_EINTR);
    fixture_close(&f);
    fixture_open(&f);
    (void)db_big(&f);
    f.mem.limit = 300000;
    assert_int_equal(PARSE(&f), AZ_ELIMIT);
    assert_int_equal(f.diag.errors, 1);
    fixture_close(&f);
    fixture_open(&f);
    struct stat st;
    assert_int_equal(stat(db_big(&f), &st), 0);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.progress, st.st_size);
    fixture_close(&f);
}

static void probing(void **state)
{
    (void)state;
    int (*probe)(struct az_sv, struct az_sv) = az_format_nsys_sqlite.probe;
    static const char head[] = "SQLite format 3\0................CREATE TABLE StringIds(";
    static const char other[] = "SQLite format 3\0................CREATE TABLE people(";
    assert_int_equal(probe(az_sv_make(head, sizeof head), AZ_SV("x")), 95);
    assert_int_equal(probe(az_sv_make(other, sizeof other), AZ_SV("x.sqlite")), 40);
    assert_int_equal(probe(az_sv_make(other, sizeof other), AZ_SV("x.db")), 20);
    assert_int_equal(probe(AZ_SV("SQLite"), AZ_SV("x.sqlite")), 0);
}

#define METRICS                                                                                    \
    "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER,metricId INTEGER,metricName TEXT);"       \
    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(5,1,'SM'),(4,1,'SM'),(4,2,'DRAM');"                \
    "CREATE TABLE GPU_METRICS(timestamp INTEGER,typeId INTEGER,metricId INTEGER,value INTEGER);"

/* GPUs that were sampled are those with work: by their numbers, or in the same order. */
static void sampled_devices(void **state)
{
    static const struct {
        const char *rows;
        int64_t first, second;
    } c[] = {
        { "(10,1,1,40),(10,0,1,50)", 1, 0 }, /* the numbers of the devices with work */
        { "(10,5,1,40),(10,4,1,50)", 1, 0 }, /* others, as many */
        { "(10,4,1,40),(10,5,1,50)", 0, 1 },
        { "(10,1,1,40),(10,4,1,50)", 0, 1 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct fixture f;
        char sql[4000];
        (void)snprintf(sql, sizeof sql, "%sINSERT INTO GPU_METRICS VALUES%s;",
                       STRINGS METRICS TWO_KERNELS, c[i].rows);
        start(&f, sql);
        assert_int_equal(PARSE(&f), 0);
        const struct az_samples *s = &f.trace.samples;
        assert_int_equal(s->counters.n, 2);
        if (s->counters.v[0].device != c[i].first || s->counters.v[1].device != c[i].second)
            fail_msg("case %zu: %lld, %lld", i, (long long)s->counters.v[0].device,
                     (long long)s->counters.v[1].device);
        fixture_close(&f);
    }
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0x53f5adee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_events),
        cmocka_unit_test(labels_from_the_file),
        cmocka_unit_test(kernel_name_forms),
        cmocka_unit_test(host_events),
        cmocka_unit_test(ranges),
        cmocka_unit_test(marks_only),
        cmocka_unit_test(devices),
        cmocka_unit_test(sampled_devices),
        cmocka_unit_test(profiler_messages),
        cmocka_unit_test(old_versions),
        cmocka_unit_test(odd_tables),
        cmocka_unit_test(failures),
        cmocka_unit_test(being_written),
        cmocka_unit_test(strange_paths),
        cmocka_unit_test(damaged),
        cmocka_unit_test(zeroed_pages),
        cmocka_unit_test(pages_with_too_few_rows),
        cmocka_unit_test(texts_with_too_few_rows),
        cmocka_unit_test(odd_rows_are_no_damage),
        cmocka_unit_test(rows_without_times),
        cmocka_unit_test(cancel_and_limit),
        cmocka_unit_test(probing),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
