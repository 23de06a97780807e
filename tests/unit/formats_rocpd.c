/* rocpd databases: sets of tables, NULL ids, missing tables and columns, what is no rocpd
 * (docs/formats-rocprof.md 4, 8). */
#define _DEFAULT_SOURCE
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include <sqlite3.h>

#include "model/dispatch.h"

#define PARSE(f) fixture_parse((f), &az_format_rocpd)

/* A database of one kernel, copy, call, range, mark; S stands for the ending of its tables, G for
 * the guid column. */
static const char tables[] =
    "CREATE TABLE rocpd_stringS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',string TEXT);INSERT "
    "INTO "
    "rocpd_stringS(id,string) VALUES(1,'KERNEL_DISPATCH'),(2,'MEMORY_COPY_HOST_TO_DEVICE'),"
    "(3,'hipLaunchKernel'),(4,'HIP_RUNTIME_API_EXT'),(5,'pas "
    "\xc3\xa9t\xc3\xa9'),(6,'MARKER_CORE_RANGE_API'),(7,'mark');"
    "CREATE TABLE rocpd_info_processS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',pid INT,init "
    "INT,fini INT,command "
    "TEXT);INSERT INTO rocpd_info_processS(id,pid,init,fini,command) VALUES(1,77,10,9000,'./x');"
    "CREATE TABLE rocpd_info_threadS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',tid INT);INSERT "
    "INTO "
    "rocpd_info_threadS(id,tid) VALUES(3,5150);"
    "CREATE TABLE rocpd_info_agentS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',type "
    "TEXT,absolute_index "
    "INT,logical_index INT,name TEXT,product_name TEXT,extdata TEXT);"
    "INSERT INTO rocpd_info_agentS(id,type,absolute_index,logical_index,name,product_name,extdata) "
    "VALUES(0,'CPU',0,0,'c','C','{}'),(9,'GPU',4,2,'gfx','Acc','{\"cu_count\": 304}');"
    "CREATE TABLE rocpd_info_kernel_symbolS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT "
    "'G',kernel_name TEXT,display_name "
    "TEXT,sgpr_count INT,arch_vgpr_count INT,accum_vgpr_count INT,extdata TEXT);"
    "INSERT INTO rocpd_info_kernel_symbolS(id,kernel_name,display_name,arch_vgpr_count,extdata) "
    "VALUES(12,'_Z1f.kd','void f<int>(a, b)',32,'{\"truncated_kernel_name\": \"f\"}');"
    "CREATE TABLE rocpd_info_pmcS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',name TEXT,symbol "
    "TEXT);INSERT INTO "
    "rocpd_info_pmcS(id,name,symbol) VALUES(70,'Waves','SQ_WAVES');"
    "CREATE TABLE rocpd_eventS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',category_id "
    "INT,stack_id INT);INSERT INTO "
    "rocpd_eventS(id,category_id,stack_id) VALUES(1,1,500),(2,4,500),(3,6,501),(4,6,502);"
    "CREATE TABLE rocpd_kernel_dispatchS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',tid "
    "INT,agent_id INT,kernel_id "
    "INT,dispatch_id INT,queue_id INT,stream_id INT,start INT,\"end\" INT,"
    "private_segment_size INT,group_segment_size INT,workgroup_size_x INT,workgroup_size_y "
    "INT,workgroup_size_z "
    "INT,grid_size_x INT,grid_size_y INT,grid_size_z INT,event_id INT);"
    "INSERT INTO "
    "rocpd_kernel_dispatchS(tid,agent_id,kernel_id,dispatch_id,queue_id,stream_id,start,\"end\","
    "group_segment_size,"
    "grid_size_x,event_id) VALUES(3,9,12,1,2,6,100,200,256,64,1),"
    "(NULL,9,99,2,2,6,300,310,0,64,NULL);"
    "CREATE TABLE rocpd_pmc_eventS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',event_id "
    "INT,pmc_id INT,value "
    "REAL);INSERT INTO rocpd_pmc_eventS(event_id,pmc_id,value) "
    "VALUES(1,70,2.5),(1,70,4),(NULL,70,1);"
    "CREATE TABLE rocpd_memory_copyS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',start "
    "INT,\"end\" INT,name_id "
    "INT,src_agent_id INT,dst_agent_id INT,size INT,queue_id INT,stream_id INT,event_id INT);"
    "INSERT INTO rocpd_memory_copyS(start,\"end\",name_id,src_agent_id,dst_agent_id,size) "
    "VALUES(1,5,2,0,9,4096),(6,7,NULL,NULL,NULL,NULL),(8,9,NULL,9,9,1);"
    "CREATE TABLE rocpd_memory_allocateS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',tid "
    "INT,agent_id INT,type "
    "TEXT,level TEXT,start INT,\"end\" INT,address INT,size INT,event_id INT);"
    "INSERT INTO rocpd_memory_allocateS(type,level,start,\"end\",address,size,agent_id) "
    "VALUES('ALLOC','REAL',1,2,-256,64,9),('RECLAIM','SCRATCH',1,2,0,8,9),('FREE','VIRTUAL',3,4,0,"
    "0,NULL);"
    "CREATE TABLE rocpd_regionS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',tid INT,start "
    "INT,\"end\" INT,name_id "
    "INT,event_id INT);"
    "INSERT INTO rocpd_regionS(tid,start,\"end\",name_id,event_id) "
    "VALUES(3,80,90,3,2),(3,70,95,5,3),(3,20,21,3,NULL);"
    "CREATE TABLE rocpd_trackS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',name_id INT,tid "
    "INT);INSERT INTO "
    "rocpd_trackS(id,name_id,tid) VALUES(1,7,3);"
    "CREATE TABLE rocpd_sampleS(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'G',track_id "
    "INT,timestamp INT,event_id "
    "INT);INSERT INTO rocpd_sampleS(track_id,timestamp,event_id) VALUES(1,85,4);";

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    char *error = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* `tables` with its letters replaced. */
static void make(const char *path, const char *suffix, const char *guid)
{
    char sql[16384];
    size_t n = 0;
    for (const char *p = tables; *p; p++) {
        bool ending = *p == 'S' && p > tables && p[-1] >= 'a' && p[-1] <= 'z' && p[1] == '(';
        bool insert = *p == 'S' && p[-1] >= 'a' && p[-1] <= 'z' && p[1] == ' ';
        if (ending || insert)
            n += (size_t)snprintf(sql + n, sizeof sql - n, "%s", suffix);
        else if (*p == 'G' && p[-1] == '\'' && p[1] == '\'')
            n += (size_t)snprintf(sql + n, sizeof sql - n, "%s", guid);
        else
            sql[n++] = *p;
        assert_true(n < sizeof sql - 64);
    }
    sql[n] = 0;
    run_sql(path, sql);
}

static const char *begin(struct fixture *f)
{
    fixture_open(f);
    const char *path = fixture_path(f, "t_results.db");
    fixture_add(f, path, NULL, false);
    return path;
}

static void check_one(const struct fixture *f, size_t first)
{
    const struct az_trace *t = &f->trace;
    const struct az_dispatches *d = az_dispatches(t);
    const struct az_events *k = &t->ev[AZ_KERNEL];
    assert_true(named(f, k->name[first], "f"));
    assert_true(named(f, k->name[first + 1], "unknown_kernel_99"));
    assert_int_equal(k->corr[first], 500);
    assert_int_equal(k->corr[first + 1], 0); /* NULL event id: kept, unlinked */
    assert_int_equal(t->lanes.v[k->lane[first]].device, 2);
    assert_int_equal(t->lanes.v[k->lane[first]].pid, 77);
    const struct az_dispatch *row = &d->rows.v[k->side[first]];
    assert_int_equal(row->thread, 5150);
    assert_int_equal(d->shapes.v[row->shape].vgpr, 32);
    assert_int_equal(d->shapes.v[row->shape].lds, 256);
}

static void one_set(void **state)
{
    struct fixture f;
    (void)state;
    make(begin(&f), "_ab_12", "ab-12");
    assert_int_equal(PARSE(&f), 0);
    trace_is(
        &f.trace,
        "device pid 77 tid 2 device 2 context 6 proc 1\n"
        "device pid 77 tid 0 device 2 context 0 proc 1\n"
        "device pid 77 tid 0 device -1 context 0 proc 1\n"
        "host pid 77 tid 0 proc 1\n"
        "host pid 77 tid 5150 proc 1\n"
        "kernel 100 200 'f' @0 corr 500 id 1 thread 5150 'void f<int>(a, b)' grid 64,0,0 block "
        "0,0,0 lds 256 scratch 0 vgpr 32 agpr 0 sgpr 0\n"
        "kernel 300 310 'unknown_kernel_99' @0 id 2 thread 0 'unknown_kernel_99' grid 64,0,0 block "
        "0,0,0 lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "memcpy 1 5 'MEMORY_COPY_HOST_TO_DEVICE' @1 bytes 4096 gbps 0 op -1 src -1 dst -1 route 0 "
        "2\n"
        "memcpy 6 7 'MEMORY_COPY_NONE' @2 bytes -1 gbps 0 op -1 src -1 dst -1 route - -\n"
        "memcpy 8 9 'MEMORY_COPY_DEVICE_TO_DEVICE' @1 bytes 1 gbps 0 op -1 src -1 dst -1 route 2 "
        "2\n"
        "API call 80 90 'hipLaunchKernel' @4 corr 500 of HIP_RUNTIME_API_EXT\n"
        "API call 20 21 'hipLaunchKernel' @4 of UNKNOWN\n"
        "range 70 95 'pas été' @4 corr 501 range 501 style 0\n"
        "range 85 85 'mark' @4 corr 502 range 502 style 0\n"
        "allocation 1 2 'MEMORY_ALLOCATION_ALLOCATE' @3 bytes 64 address ffffffffffffff00 agent 2\n"
        "allocation 1 2 'SCRATCH_MEMORY_ASYNC_RECLAIM' @3 bytes 8 address 0 agent 2\n"
        "allocation 3 4 'MEMORY_ALLOCATION_VMEM_FREE' @3 bytes 0 address 0 agent -\n"
        "counter 1 1 'f' SQ_WAVES 2.5\n"
        "counter 1 1 'f' SQ_WAVES 4\n"
        "agent 1 0\n"
        "agent 1 2 gpu\n"
        "process 77 10 9000\n"
        "device 2 'Acc' 304 0\n"
        "dropped 1 (0): counters without a dispatch\n"
        "command = ./x\n"
        "read 12 kept 12\n");
    const struct az_trace *t = &f.trace;
    const struct az_dispatches *d = az_dispatches(t);
    assert_int_equal(t->ev[AZ_KERNEL].n, 2);
    check_one(&f, 0);
    assert_int_equal(t->ev[AZ_MEMCPY].n, 3);
    assert_true(named(&f, t->ev[AZ_MEMCPY].name[0], "MEMORY_COPY_HOST_TO_DEVICE"));
    assert_int_equal(t->copies.v[0].bytes, 4096);
    assert_int_equal(t->copies.v[1].bytes, -1);
    assert_int_equal(d->routes.v[1].src, AZ_NO_AGENT);
    assert_true(named(&f, t->ev[AZ_MEMCPY].name[2],
                      "MEMORY_COPY_DEVICE_TO_DEVICE")); /* without a label: from its agents */
    assert_int_equal(t->ev[AZ_CALL].n, 2);
    assert_true(named(&f, t->ev[AZ_CALL].side[0], "HIP_RUNTIME_API_EXT"));
    assert_true(named(&f, t->ev[AZ_CALL].side[1], "UNKNOWN")); /* NULL event */
    assert_int_equal(t->ev[AZ_RANGE].n, 2);
    assert_true(named(&f, t->ev[AZ_RANGE].name[0], "pas \xc3\xa9t\xc3\xa9"));
    assert_true(named(&f, t->ev[AZ_RANGE].name[1], "mark"));
    assert_int_equal(d->allocs.n, 3);
    assert_true(d->allocs.v[0].address == 0xffffffffffffff00u); /* signed in the file */
    assert_true(named(&f, t->ev[AZ_ALLOC].name[1], "SCRATCH_MEMORY_ASYNC_RECLAIM"));
    assert_true(named(&f, t->ev[AZ_ALLOC].name[2], "MEMORY_ALLOCATION_VMEM_FREE"));
    assert_int_equal(d->counters.n, 2);
    assert_true(named(&f, d->counters.v[0].counter, "SQ_WAVES"));
    assert_int_equal(dropped(&f, "counters without a dispatch"), 1);
    assert_int_equal(d->processes.v[0].fini, 9000);
    assert_int_equal(t->devices.v[0].sm_count, 304);
    fixture_close(&f);
}

static void two_sets(void **state)
{
    struct fixture f;
    (void)state;
    const char *path = begin(&f);
    make(path, "_ab_12", "ab-12");
    make(path, "_cd_34", "cd-34");
    assert_int_equal(PARSE(&f), 0);
    trace_is(
        &f.trace,
        "device pid 77 tid 2 device 2 context 6 proc 1\n"
        "device pid 77 tid 0 device 2 context 0 proc 1\n"
        "device pid 77 tid 0 device -1 context 0 proc 1\n"
        "host pid 77 tid 0 proc 1\n"
        "host pid 77 tid 5150 proc 1\n"
        "device pid 77 tid 2 device 2 context 6 proc 2\n"
        "device pid 77 tid 0 device 2 context 0 proc 2\n"
        "device pid 77 tid 0 device -1 context 0 proc 2\n"
        "host pid 77 tid 0 proc 2\n"
        "host pid 77 tid 5150 proc 2\n"
        "kernel 100 200 'f' @0 corr 500 id 1 thread 5150 'void f<int>(a, b)' grid 64,0,0 block "
        "0,0,0 lds 256 scratch 0 vgpr 32 agpr 0 sgpr 0\n"
        "kernel 300 310 'unknown_kernel_99' @0 id 2 thread 0 'unknown_kernel_99' grid 64,0,0 block "
        "0,0,0 lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "kernel 100 200 'f' @5 corr 500 id 1 thread 5150 'void f<int>(a, b)' grid 64,0,0 block "
        "0,0,0 lds 256 scratch 0 vgpr 32 agpr 0 sgpr 0\n"
        "kernel 300 310 'unknown_kernel_99' @5 id 2 thread 0 'unknown_kernel_99' grid 64,0,0 block "
        "0,0,0 lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
        "memcpy 1 5 'MEMORY_COPY_HOST_TO_DEVICE' @1 bytes 4096 gbps 0 op -1 src -1 dst -1 route 0 "
        "2\n"
        "memcpy 6 7 'MEMORY_COPY_NONE' @2 bytes -1 gbps 0 op -1 src -1 dst -1 route - -\n"
        "memcpy 8 9 'MEMORY_COPY_DEVICE_TO_DEVICE' @1 bytes 1 gbps 0 op -1 src -1 dst -1 route 2 "
        "2\n"
        "memcpy 1 5 'MEMORY_COPY_HOST_TO_DEVICE' @6 bytes 4096 gbps 0 op -1 src -1 dst -1 route 0 "
        "2\n"
        "memcpy 6 7 'MEMORY_COPY_NONE' @7 bytes -1 gbps 0 op -1 src -1 dst -1 route - -\n"
        "memcpy 8 9 'MEMORY_COPY_DEVICE_TO_DEVICE' @6 bytes 1 gbps 0 op -1 src -1 dst -1 route 2 "
        "2\n"
        "API call 80 90 'hipLaunchKernel' @4 corr 500 of HIP_RUNTIME_API_EXT\n"
        "API call 20 21 'hipLaunchKernel' @4 of UNKNOWN\n"
        "API call 80 90 'hipLaunchKernel' @9 corr 500 of HIP_RUNTIME_API_EXT\n"
        "API call 20 21 'hipLaunchKernel' @9 of UNKNOWN\n"
        "range 70 95 'pas été' @4 corr 501 range 501 style 0\n"
        "range 85 85 'mark' @4 corr 502 range 502 style 0\n"
        "range 70 95 'pas été' @9 corr 501 range 501 style 0\n"
        "range 85 85 'mark' @9 corr 502 range 502 style 0\n"
        "allocation 1 2 'MEMORY_ALLOCATION_ALLOCATE' @3 bytes 64 address ffffffffffffff00 agent 2\n"
        "allocation 1 2 'SCRATCH_MEMORY_ASYNC_RECLAIM' @3 bytes 8 address 0 agent 2\n"
        "allocation 3 4 'MEMORY_ALLOCATION_VMEM_FREE' @3 bytes 0 address 0 agent -\n"
        "allocation 1 2 'MEMORY_ALLOCATION_ALLOCATE' @8 bytes 64 address ffffffffffffff00 agent 2\n"
        "allocation 1 2 'SCRATCH_MEMORY_ASYNC_RECLAIM' @8 bytes 8 address 0 agent 2\n"
        "allocation 3 4 'MEMORY_ALLOCATION_VMEM_FREE' @8 bytes 0 address 0 agent -\n"
        "counter 1 1 'f' SQ_WAVES 2.5\n"
        "counter 1 1 'f' SQ_WAVES 4\n"
        "counter 2 1 'f' SQ_WAVES 2.5\n"
        "counter 2 1 'f' SQ_WAVES 4\n"
        "agent 1 0\n"
        "agent 1 2 gpu\n"
        "agent 2 0\n"
        "agent 2 2 gpu\n"
        "process 77 10 9000\n"
        "process 77 10 9000\n"
        "device 2 'Acc' 304 0\n"
        "dropped 2 (0): counters without a dispatch\n"
        "command = ./x\n"
        "read 24 kept 24\n");
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 4);
    assert_int_equal(az_dispatches(&f.trace)->processes.n, 2);
    check_one(&f, 0);
    check_one(&f, 2);
    fixture_close(&f);
}

/* No endings; and the rows of two databases in plain tables, distinguished by guid. */
static void plain_tables(void **state)
{
    struct fixture f;
    (void)state;
    make(begin(&f), "", "ab-12");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 2);
    check_one(&f, 0);
    fixture_close(&f);
    const char *path = begin(&f);
    make(path, "", "ab-12");
    run_sql(path,
            "INSERT INTO rocpd_kernel_dispatch(guid,agent_id,kernel_id,start,\"end\",event_id) "
            "VALUES('zz',1,12,1,2,1)");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 3);
    assert_int_equal(az_dispatches(&f.trace)->processes.n, 2);
    assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[2],
                      "unknown_kernel_12")); /* ids count within one guid only */
    assert_int_equal(f.trace.ev[AZ_KERNEL].corr[2], 0);
    fixture_close(&f);
}

static void missing_parts(void **state)
{
    struct fixture f;
    (void)state;
    const char *path = begin(&f);
    make(path, "_x", "x");
    run_sql(path, "DROP TABLE rocpd_event_x;DROP TABLE rocpd_region_x;DROP TABLE "
                  "rocpd_info_thread_x;DROP TABLE "
                  "rocpd_string_x;ALTER TABLE rocpd_kernel_dispatch_x DROP COLUMN stream_id;");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 2);
    assert_int_equal(f.trace.ev[AZ_KERNEL].corr[0], 0);
    assert_int_equal(f.trace.lanes.v[f.trace.ev[AZ_KERNEL].lane[0]].context, 0);
    fixture_close(&f);
    path = begin(&f);
    make(path, "_x", "x");
    run_sql(path, "UPDATE rocpd_kernel_dispatch_x SET start=NULL WHERE id=2;UPDATE "
                  "rocpd_memory_copy_x SET \"end\"='x';UPDATE rocpd_sample_x SET "
                  "timestamp='85 ns';DELETE FROM rocpd_info_process_x;");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_int_equal(f.trace.ev[AZ_MEMCPY].n, 0);
    assert_int_equal(dropped(&f, "rows without a start or an end"), 4);
    assert_int_equal(dropped(&f, "instant marks without a time"), 1);
    assert_int_equal(az_dispatches(&f.trace)->processes.v[0].fini, 0);
    fixture_close(&f);
}

static void not_rocpd(void **state)
{
    struct fixture f;
    (void)state;
    run_sql(begin(&f), "CREATE TABLE compute_kernel(id INT)");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "database of rocprof-compute"));
    fixture_close(&f);
    run_sql(begin(&f), "CREATE TABLE cats(id INT)");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(
        said(&f, AZ_ERROR, "no table 'rocpd_kernel_dispatch...' or 'rocpd_op' (tables: cats)"));
    fixture_close(&f);
    (void)begin(&f);
    (void)fixture_write(&f, "t_results.db", "text of some length", 19);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "not an SQLite database"));
    fixture_close(&f);
}

/* A writer that holds the lock; and changes that are only in the log. */
static void locked_and_wal(void **state)
{
    struct fixture f;
    sqlite3 *db;
    (void)state;
    const char *path = begin(&f);
    make(path, "_x", "x");
    f.locked = true;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "database locked"));
    sqlite3_close(db);
    fixture_close(&f);

    path = begin(&f);
    make(path, "_x", "x");
    f.locked = true;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            db,
            "PRAGMA journal_mode=WAL;PRAGMA wal_autocheckpoint=0;INSERT INTO "
            "rocpd_kernel_dispatch_x(agent_id,kernel_id,start,\"end\") VALUES(9,12,400,500)",
            NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 3); /* the log is read, too */
    sqlite3_close(db);
    fixture_close(&f);
}

static void damaged(void **state)
{
    (void)state;
    for (size_t cut = 2; cut < 8; cut++) {
        struct fixture f;
        const char *path = begin(&f);
        make(path, "_x", "x");
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(truncate(path, st.st_size * (off_t)cut / 8), 0);
        int rc = PARSE(&f);
        assert_true(rc == 0 || f.diag.errors > 0); /* never silent */
        assert_true(rc != 0 || f.diag.warnings > 0);
        fixture_close(&f);
    }
}

static long page_of(const char *path, const char *table)
{
    sqlite3 *db;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_master WHERE name=?1", -1, &st, NULL),
        SQLITE_OK);
    (void)sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const long page = (long)sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return page;
}

/* Zeros over the records of a table, or over the end of a text. */
static void zeroed_pages(void **state)
{
    static const struct {
        const char *table;
        int from, bytes; /* of the page */
    } c[] = { { "rocpd_kernel_dispatch_x", 2048, 2048 },
              { "rocpd_region_x", 2048, 2048 },
              { "rocpd_event_x", 2048, 2048 },
              { "rocpd_info_kernel_symbol_x", 2048, 2048 },
              { "rocpd_string_x", 4056, 40 } };
    (void)state;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        struct fixture f;
        const char *path = begin(&f);
        make(path, "_x", "x");
        FILE *out = fopen(path, "r+b");
        assert_non_null(out);
        const long page = page_of(path, c[k].table);
        assert_int_equal(fseek(out, (page - 1) * 4096 + c[k].from, SEEK_SET), 0);
        for (int i = 0; i < c[k].bytes; i++)
            assert_int_equal(fputc(0, out), 0);
        assert_int_equal(fclose(out), 0);
        const int rc = PARSE(&f);
        if (rc == 0 && !said(&f, AZ_WARNING, "the database is damaged"))
            fail_msg("%s", c[k].table);
        fixture_close(&f);
    }
}

/* The middle page of the dispatches is overwritten: the rows from there on are counted. */
static void lost_rows_are_counted(void **state)
{
    (void)state;
    struct fixture f;
    unsigned char root[4096];
    const char *path = begin(&f);
    make(path, "_x", "x");
    run_sql(path, "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                  "INSERT INTO rocpd_kernel_dispatch_x(agent_id,kernel_id,start,\"end\") "
                  "SELECT 9,12,1000 * i,1000 * i + 500 FROM n");
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (page_of(path, "rocpd_kernel_dispatch_x") - 1) * 4096, SEEK_SET),
                     0);
    assert_int_equal(fread(root, 1, sizeof root, file), sizeof root);
    assert_int_equal(root[0], 5); /* it has pages below it */
    const int at = 12 + (root[3] << 8 | root[4]) / 2 * 2, cell = root[at] << 8 | root[at + 1];
    const long page =
        root[cell] << 24 | root[cell + 1] << 16 | root[cell + 2] << 8 | root[cell + 3];
    assert_int_equal(fseek(file, (page - 1) * 4096, SEEK_SET), 0);
    assert_int_equal(fwrite("\xff\xff\xff\xff\xff\xff\xff\xff", 1, 8, file), 8);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(PARSE(&f), 0);
    const size_t read = f.trace.ev[AZ_KERNEL].n;
    assert_true(read > 500 && read < 1500);
    /* and three counters, whose dispatches are looked up */
    assert_int_equal(dropped(&f, "rows of a damaged table"), 2000 - read + 3);
    char message[100];
    snprintf(message, sizeof message, "is damaged after %zu rows: %zu rows lost", read,
             2000 - read);
    assert_true(said(&f, AZ_WARNING, message));
    fixture_close(&f);
}

static void probing(void **state)
{
    (void)state;
    assert_true(
        az_format_rocpd.probe(az_sv_make("SQLite format 3\0 ... CREATE TABLE rocpd_string", 46),
                              AZ_SV("a")) > 90);
    assert_int_equal(
        az_format_rocpd.probe(az_sv_make("SQLite format 3\0 CUPTI_ACTIVITY_KIND_KERNEL", 43),
                              AZ_SV("a.sqlite")),
        0);
    assert_true(
        az_format_rocpd.probe(az_sv_make("SQLite format 3\0", 16), AZ_SV("1_results.db")) >
        az_format_nsys_sqlite.probe(az_sv_make("SQLite format 3\0", 16), AZ_SV("1_results.db")));
    assert_true(az_sv_is(az_format_rocpd.stem(AZ_SV("d/7_results.db")), "7"));
}

/* The machine of a recording: name and id of the first node; nothing where one of them is missing.
 */
static void machine_of_a_recording(void **state)
{
    static const struct {
        const char *sql, *machine;
    } of[] = {
        { "CREATE TABLE other(id INT)", "" },
        { "CREATE TABLE rocpd_info_node(hostname TEXT,machine_id TEXT)", "" },
        { "CREATE TABLE rocpd_info_node(hostname TEXT,machine_id TEXT);"
          "INSERT INTO rocpd_info_node VALUES('box','4711'),('other','1')",
          "box 4711" },
        { "CREATE TABLE rocpd_info_node(hostname TEXT,machine_id TEXT);"
          "INSERT INTO rocpd_info_node VALUES('box',NULL)",
          "" },
        { "CREATE TABLE rocpd_info_node(hostname TEXT,machine_id TEXT);"
          "INSERT INTO rocpd_info_node VALUES('','4711')",
          "" },
        { "CREATE TABLE rocpd_info_node_b(hostname TEXT,machine_id TEXT);"
          "CREATE TABLE rocpd_info_node_a(hostname TEXT,machine_id TEXT);"
          "CREATE TABLE rocpd_info_nodf(hostname TEXT,machine_id TEXT);"
          "CREATE TABLE rocpd_info_nod(hostname TEXT,machine_id TEXT);"
          "INSERT INTO rocpd_info_node_a VALUES('a','1');"
          "INSERT INTO rocpd_info_node_b VALUES('b','2');"
          "INSERT INTO rocpd_info_nodf VALUES('f','3');INSERT INTO rocpd_info_nod VALUES('d','4')",
          "a 1" },
        { "CREATE TABLE rocpd_info_node(machine_id TEXT);"
          "INSERT INTO rocpd_info_node VALUES('4711')",
          "" },
    };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        char name[16];
        struct az_sv machine = { NULL, 0 };
        snprintf(name, sizeof name, "node%zu.db", i);
        const char *path = fixture_path(&f, name);
        run_sql(path, of[i].sql);
        assert_int_equal(az_format_rocpd.machine(az_sv_str(path), &f.arena, &machine), 0);
        if (!az_sv_is(machine, of[i].machine))
            fail_msg("%zu: '%.*s', not '%s'", i, AZ_SVF(machine), of[i].machine);
    }
    fixture_close(&f);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0x47fb74c8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_set),
        cmocka_unit_test(two_sets),
        cmocka_unit_test(plain_tables),
        cmocka_unit_test(missing_parts),
        cmocka_unit_test(not_rocpd),
        cmocka_unit_test(locked_and_wal),
        cmocka_unit_test(damaged),
        cmocka_unit_test(zeroed_pages),
        cmocka_unit_test(lost_rows_are_counted),
        cmocka_unit_test(probing),
        cmocka_unit_test(machine_of_a_recording),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
