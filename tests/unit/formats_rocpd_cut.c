/* A cut of a database of an AMD profiler has the rows of its window, whatever set of tables they
 * are in and however these are declared; rows that are no events of a report, and those of other
 * tables, stay. */
#include "unit/formats_cut_checks.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

/* Letters that are replaced: @ the ending of tables, $ the guid, # the type of numbers. */
static const char rocpd[] =
    "CREATE TABLE \"rocpd_string@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',string TEXT "
    "UNIQUE);INSERT INTO \"rocpd_string@\"(id,string) VALUES(1,'KERNEL_DISPATCH'),(2,"
    "'HIP_RUNTIME_API_EXT'),(3,'MARKER_CORE_RANGE_API'),(4,'hipLaunchKernel'),(5,'all'),(6,"
    "'before'),(7,'inside'),(8,'after'),(9,'edge'),(10,'mark');"
    "CREATE TABLE \"rocpd_info_thread@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',tid #);"
    "INSERT INTO \"rocpd_info_thread@\"(id,tid) VALUES(1,77);"
    "CREATE TABLE \"rocpd_event@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',category_id "
    "#,stack_id #);INSERT INTO \"rocpd_event@\"(id,category_id,stack_id) VALUES(11,1,1),(12,1,2),"
    "(13,1,3),(14,1,4),(15,1,5),(16,1,NULL),(21,2,1),(22,2,2),(23,2,3),(24,2,4),(25,2,5),(30,3,30),"
    "(26,2,77);"
    "CREATE TABLE \"rocpd_kernel_dispatch@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',tid "
    "#,agent_id #,kernel_id #,dispatch_id #,queue_id #,stream_id #,start #,\"end\" #,event_id #);"
    "INSERT INTO \"rocpd_kernel_dispatch@\"(id,dispatch_id,start,\"end\",event_id) VALUES(1,1,96,"
    "99,11),(2,2,300,310,12),(3,3,220,230,13),(4,4,305,320,14),(5,5,311,330,15),(6,6,150,160,16),"
    "(7,7,NULL,400,11),(8,8,410,405,11),(9,9,150,151,NULL),(10,10,400,401,999);"
    "CREATE TABLE \"rocpd_pmc_event@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',event_id "
    "#,pmc_id #,value REAL);INSERT INTO \"rocpd_pmc_event@\"(id,event_id) VALUES(1,15),(2,12),(3,"
    "NULL),(4,999),(5,14),(6,13),(7,12),(8,77);"
    "CREATE TABLE \"rocpd_memory_copy@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',start "
    "#,\"end\" #,name_id #,event_id #);INSERT INTO "
    "\"rocpd_memory_copy@\"(id,start,\"end\",event_id) "
    "VALUES(1,140,150,NULL),(2,400,410,NULL),(3,NULL,5,NULL),(4,'x',5,NULL),(5,120,110,NULL),(6,"
    "240,250,22);"
    "CREATE TABLE \"rocpd_memory_allocate@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',tid "
    "#,type TEXT,level TEXT,start #,\"end\" #);INSERT INTO \"rocpd_memory_allocate@\"(id,tid,start,"
    "\"end\") VALUES(1,1,90,101),(2,1,200,220),(3,1,190,180);"
    "CREATE TABLE \"rocpd_region@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',tid #,start "
    "#,\"end\" #,name_id #,event_id #);INSERT INTO \"rocpd_region@\"(id,tid,start,\"end\",name_id,"
    "event_id) VALUES(1,1,90,95,4,21),(2,1,100,105,4,22),(3,1,199,210,4,23),(4,1,200,205,4,24),(5,"
    "1,206,209,4,25),(6,1,0,1000,5,30),(7,1,50,100,6,30),(8,1,150,160,7,30),(9,1,200,300,8,30),("
    "10,1,199,300,9,30),(11,1,150,300,NULL,NULL),(12,1,50,150,4,NULL),(13,1,130,120,9,30);"
    "CREATE TABLE \"rocpd_track@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',name_id #,tid #);"
    "INSERT INTO \"rocpd_track@\"(id,name_id,tid) VALUES(1,10,1);"
    "CREATE TABLE \"rocpd_sample@\"(id INTEGER PRIMARY KEY,guid TEXT DEFAULT '$',track_id "
    "#,timestamp #,event_id #);INSERT INTO \"rocpd_sample@\"(id,track_id,timestamp,event_id) VALUES"
    "(1,1,180,30),(2,1,220,30),(3,1,180,26),(4,9,NULL,30),(5,NULL,220,NULL);";

static void run_sql(const char *path, const char *sql, const char *suffix, const char *guid,
                    const char *type)
{
    char text[16384] = "";
    size_t n = 0;
    sqlite3 *db;
    char *error = NULL;
    for (const char *p = sql; *p; p++) {
        const char *with = *p == '@' ? suffix : *p == '$' ? guid : *p == '#' ? type : NULL;
        n += (size_t)snprintf(text + n, sizeof text - n, with ? "%s" : "%.1s", with ? with : p);
        assert_true(n < sizeof text - 64);
    }
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Ids of a table of the cut, with blanks between. */
static void ids_are(sqlite3 *db, const char *table, const char *suffix, const char *want)
{
    sqlite3_stmt *st;
    char sql[120], text[256] = "";
    size_t n = 0;
    (void)snprintf(sql, sizeof sql, "SELECT id FROM \"%s%s\" ORDER BY id", table, suffix);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(st) == SQLITE_ROW)
        n += (size_t)snprintf(text + n, sizeof text - n, n ? " %d" : "%d",
                              sqlite3_column_int(st, 0));
    sqlite3_finalize(st);
    if (strcmp(text, want) != 0)
        fail_msg("%s%s: '%s', not '%s'", table, suffix, text, want);
}

/* The cut [100 ns, 200 ns), opened. */
static sqlite3 *cut_of(struct fixture *f, const char *in, uint64_t read, uint64_t kept)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    const char *out = fixture_path(f, "out.db");
    const struct az_window w = { .from = { .ns = 100, .percent = -1 },
                                 .to = { .ns = 200, .percent = -1 },
                                 .step = -1,
                                 .last_step = -1 };
    struct az_cut cut = { .in = az_sv_str(in),
                          .out = out,
                          .window = &w,
                          .keep = AZ_CUT_ALL,
                          .opts = &f->opts,
                          .diag = &f->diag,
                          .mem = &f->mem };
    if (az_format_rocpd.cut(&cut) != 0)
        fail_msg("%.*s", AZ_SVF(f->diag.list.v[0].text));
    assert_int_equal(cut.read, read);
    assert_int_equal(cut.kept, kept);
    assert_int_equal(sqlite3_open(out, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT start,\"end\",process,(SELECT * FROM "
                                        "pragma_integrity_check) FROM ANALYZER_WINDOW",
                                        -1, &st, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(st, 0), 100);
    assert_int_equal(sqlite3_column_int(st, 1), 200);
    assert_int_equal(sqlite3_column_type(st, 2), SQLITE_NULL);
    assert_string_equal((const char *)sqlite3_column_text(st, 3), "ok");
    assert_int_equal(sqlite3_step(st), SQLITE_DONE);
    sqlite3_finalize(st);
    return db;
}

/* Other windows, and without memory; the fixture is closed. */
static void other_cuts(struct fixture *f, sqlite3 *db, const char *in)
{
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    cut_is_sound(f, &(struct cut_file){ &az_format_rocpd, in, "cut.db" });
}

enum { READ = 37, KEPT = 25 };

/* `also`: rows of the table of dispatches, regions and counters that belong to nothing. */
static void rows_are(sqlite3 *db, const char *suffix, const char *also)
{
    char dispatches[40], regions[40], counters[40];
    (void)snprintf(dispatches, sizeof dispatches, "2 3 4 6 7 8 9%s", also);
    (void)snprintf(regions, sizeof regions, "2 3 4 6 8 10 11 13%s", also);
    (void)snprintf(counters, sizeof counters, "2 3 5 6 7 8%s", also);
    ids_are(db, "rocpd_kernel_dispatch", suffix, dispatches);
    ids_are(db, "rocpd_memory_copy", suffix, "1 3 4 5 6");
    ids_are(db, "rocpd_memory_allocate", suffix, "1 3");
    ids_are(db, "rocpd_region", suffix, regions);
    ids_are(db, "rocpd_sample", suffix, "1 3 4");
    ids_are(db, "rocpd_pmc_event", suffix, counters);
    ids_are(db, "rocpd_event", suffix, "11 12 13 14 15 16 21 22 23 24 25 26 30");
    ids_are(db, "rocpd_string", suffix, "1 2 3 4 5 6 7 8 9 10");
}

static void tables(void **state)
{
    static const struct {
        const char *suffix, *guid, *type, *more;
    } c[] = {
        { "_x", "x", "BIGINT", "" },
        { "_x", "x", "INTEGER", "PRAGMA page_size=512;" },
        { "_x", "x", "", "" },
        { "_x", "x", "REAL", "" },
        { "_x", "x", "BIGINT", "PRAGMA journal_mode=WAL;" },
        { "_x", "x", "BIGINT", "PRAGMA encoding='UTF-16le';" },
        { "_x", "x", "BIGINT", "CREATE VIEW analyzer_window AS SELECT 1 AS x;" },
        { "", "x-1", "BIGINT", "" },
        { "", "x-1", "", "" },
        { "", "", "BIGINT", "" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct fixture f;
        fixture_open(&f);
        const char *in = fixture_path(&f, "in.db");
        run_sql(in, c[i].more, "", "", "");
        run_sql(in, rocpd, c[i].suffix, c[i].guid, c[i].type);
        sqlite3 *db = cut_of(&f, in, READ, KEPT);
        rows_are(db, c[i].suffix, "");
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
        fixture_close(&f);
    }
}

/* Two sets of tables, and rows of a third one in tables of a guid. */
static void sets(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    const char *in = fixture_path(&f, "in.db");
    run_sql(in, rocpd, "_x", "x", "BIGINT");
    run_sql(in, rocpd, "_y", "y", "");
    sqlite3 *db = cut_of(&f, in, 2 * READ, 2 * KEPT);
    rows_are(db, "_x", "");
    rows_are(db, "_y", "");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    fixture_close(&f);

    fixture_open(&f);
    in = fixture_path(&f, "in.db");
    run_sql(in, rocpd, "", "x", "BIGINT");
    run_sql(in,
            "INSERT INTO rocpd_region(id,guid,tid,start,\"end\",event_id) "
            "VALUES(99,'other',1,5000,5010,21);INSERT INTO rocpd_kernel_dispatch(id,guid,start,"
            "\"end\",event_id) VALUES(99,'a b',5000,5010,21);INSERT INTO rocpd_pmc_event(id,guid,"
            "event_id) VALUES(99,'other',15);",
            "", "", "");
    db = cut_of(&f, in, READ, KEPT);
    rows_are(db, "", " 99");
    other_cuts(&f, db, in);
}

/* By the name of a range; and a window of a window, which is the same. */
static void windows(void **state)
{
    static const char *const ends[] = { "in.db", "out.db", "again.db" };
    const struct az_window inside = { .from = { .ns = AZ_UNSET_I64, .percent = -1 },
                                      .to = { .ns = AZ_UNSET_I64, .percent = -1 },
                                      .range = AZ_SV("ins*"),
                                      .step = -1,
                                      .last_step = -1 };
    struct fixture f;
    sqlite3 *db;
    (void)state;
    fixture_open(&f);
    run_sql(fixture_path(&f, "in.db"), rocpd, "_x", "x", "BIGINT");
    for (int i = 0; i < 2; i++) {
        const char *in = fixture_path(&f, ends[i]), *out = fixture_path(&f, ends[i + 1]);
        struct az_cut cut = { .in = az_sv_str(in),
                              .out = out,
                              .window = &inside,
                              .keep = AZ_CUT_ALL,
                              .opts = &f.opts,
                              .diag = &f.diag,
                              .mem = &f.mem };
        assert_int_equal(az_format_rocpd.cut(&cut), 0);
        assert_int_equal(sqlite3_open(out, &db), SQLITE_OK);
        ids_are(db, "rocpd_kernel_dispatch", "_x", "6 7 8 9");
        ids_are(db, "rocpd_memory_copy", "_x", "3 4 5");
        ids_are(db, "rocpd_region", "_x", "6 8 11");
        ids_are(db, "rocpd_sample", "_x", "4");
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
    }
    fixture_close(&f);
}

/* Correlation ids are those of a process. */
static void processes(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    const char *in = fixture_path(&f, "in.db");
    run_sql(in, rocpd, "", "x", "BIGINT");
    run_sql(in,
            "INSERT INTO rocpd_event VALUES(112,'y',1,2),(113,'y',1,1),(122,'y',2,1);"
            "INSERT INTO rocpd_region(id,guid,tid,start,\"end\",event_id) "
            "VALUES(50,'y',1,110,120,122);"
            "INSERT INTO rocpd_kernel_dispatch(id,guid,start,\"end\",event_id) "
            "VALUES(50,'y',320,330,112),(51,'y',160,170,113),(52,'y',340,350,12);",
            "", "", "");
    sqlite3 *db = cut_of(&f, in, READ + 4, KEPT + 2);
    ids_are(db, "rocpd_region", "", "2 3 4 6 8 10 11 13 50");
    ids_are(db, "rocpd_kernel_dispatch", "", "2 3 4 6 7 8 9 51");
    other_cuts(&f, db, in);
}

/* Steps of the thread that marks most of them, whichever begins first. */
static void steps_of_a_thread(void **state)
{
    const struct az_window second = { .from = { .ns = AZ_UNSET_I64, .percent = -1 },
                                      .to = { .ns = AZ_UNSET_I64, .percent = -1 },
                                      .step = 1,
                                      .last_step = 1 };
    struct fixture f;
    sqlite3 *db;
    (void)state;
    fixture_open(&f);
    const char *in = fixture_path(&f, "in.db"), *out = fixture_path(&f, "out.db");
    run_sql(in, rocpd, "", "x", "BIGINT");
    run_sql(in,
            "INSERT INTO rocpd_string(id,string) VALUES(20,'step 0'),(21,'step 1'),(22,'step 2');"
            "INSERT INTO rocpd_info_thread(id,tid) VALUES(2,88);"
            "INSERT INTO rocpd_region(id,tid,start,\"end\",name_id,event_id) VALUES"
            "(60,1,960,1070,20,30),(61,1,1070,1165,21,30),(62,2,1000,1100,20,30),"
            "(63,2,1100,1200,21,30),(64,2,1200,1300,22,30);"
            "INSERT INTO rocpd_kernel_dispatch(id,start,\"end\",event_id) VALUES"
            "(60,1080,1085,NULL),(61,1110,1115,NULL),(62,1180,1185,NULL),(63,1210,1215,NULL);",
            "", "", "");
    struct az_cut cut = { .in = az_sv_str(in),
                          .out = out,
                          .window = &second,
                          .keep = AZ_CUT_ALL,
                          .opts = &f.opts,
                          .diag = &f.diag,
                          .mem = &f.mem };
    assert_int_equal(az_format_rocpd.cut(&cut), 0);
    assert_int_equal(sqlite3_open(out, &db), SQLITE_OK);
    ids_are(db, "rocpd_kernel_dispatch", "", "7 8 61 62");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    fixture_close(&f);
}

static const char rpd[] =
    "CREATE TABLE rocpd_string(id integer PRIMARY KEY,string varchar(4096));INSERT INTO "
    "rocpd_string VALUES(1,''),(2,'hipLaunchKernel'),(3,'UserMarker'),(4,'KernelExecution'),(5,"
    "'Barrier'),(6,'gemm'),(7,'inside'),(8,'forward');"
    "CREATE TABLE rocpd_api(id # PRIMARY KEY,pid #,tid #,start #,\"end\" #,apiName_id #,args_id #);"
    "INSERT INTO rocpd_api VALUES(1,7,7,90,95,2,1),(2,7,7,100,105,2,1),(3,7,7,199,210,2,1),(4,7,7,"
    "200,205,2,1),(5,7,7,206,209,2,1),(6,7,7,0,1000,3,8),(7,7,7,50,100,3,1),(8,7,7,150,160,3,7),(9,"
    "7,7,50,150,8,1),(10,7,7,'x',1,2,1),(11,8,8,50,150,2,1),(12,8,8,150,140,2,1);"
    "CREATE TABLE rocpd_op(id # PRIMARY KEY,gpuId #,queueId #,start #,\"end\" #,description_id "
    "#,opType_id #);INSERT INTO rocpd_op VALUES(1,0,0,96,99,6,4),(2,0,0,300,310,6,4),(3,0,0,220,"
    "230,6,4),(4,0,0,305,320,6,4),(5,0,0,311,330,6,4),(6,0,0,150,160,6,4),(7,0,0,NULL,1,6,4),(8,0,"
    "0,500,490,6,4),(9,0,0,500,510,6,5),(10,0,0,500,510,6,4),(11,0,0,160,170,6,4),(12,0,0,340,350,"
    "6,4);"
    "CREATE TABLE rocpd_api_ops(id # PRIMARY KEY,api_id #,op_id #);INSERT INTO rocpd_api_ops "
    "VALUES(1,1,1),(2,2,2),(3,3,3),(4,4,4),(5,5,5),(6,2,5),(7,NULL,6),(8,99,10),(9,12,11),(10,1,"
    "12);";

static void operations(void **state)
{
    static const char *const types[] = { "integer", "bigint", "" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(types); i++) {
        struct fixture f;
        fixture_open(&f);
        const char *in = fixture_path(&f, "in.rpd");
        run_sql(in, rpd, "", "", types[i]);
        sqlite3 *db = cut_of(&f, in, 24, 16);
        ids_are(db, "rocpd_api", "", "2 3 4 6 8 9 10 12");
        ids_are(db, "rocpd_op", "", "2 3 4 6 7 8 9 11");
        ids_are(db, "rocpd_api_ops", "", "1 2 3 4 5 6 7 8 9 10");
        ids_are(db, "rocpd_string", "", "1 2 3 4 5 6 7 8");
        if (i == 0) {
            other_cuts(&f, db, in);
            continue;
        }
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
        fixture_close(&f);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *sql, *text;
    } c[] = {
        { "ALTER TABLE rocpd_region_x RENAME TO r;CREATE VIEW rocpd_region_x AS SELECT * FROM r;",
          "'rocpd_region_x' is a view, whose rows cannot be cut; cut the database that has its "
          "table" },
        { "DELETE FROM rocpd_kernel_dispatch_x;DELETE FROM rocpd_region_x;DELETE FROM "
          "rocpd_memory_copy_x;DELETE FROM rocpd_sample_x;DELETE FROM rocpd_memory_allocate_x;",
          "no events recorded; check that the program uses the device and that the profiler "
          "records it" },
    };
    const struct az_window w = { .from = { .ns = 100, .percent = -1 },
                                 .to = { .ns = AZ_UNSET_I64, .percent = -1 },
                                 .step = -1,
                                 .last_step = -1 };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct fixture f;
        fixture_open(&f);
        const char *in = fixture_path(&f, "in.db"), *out = fixture_path(&f, "out.db");
        run_sql(in, rocpd, "_x", "x", "BIGINT");
        run_sql(in, c[i].sql, "", "", "");
        struct az_cut cut = { .in = az_sv_str(in),
                              .out = out,
                              .window = &w,
                              .keep = AZ_CUT_ALL,
                              .opts = &f.opts,
                              .diag = &f.diag,
                              .mem = &f.mem };
        assert_true(az_format_rocpd.cut(&cut) != 0);
        const struct az_sv said = f.diag.list.v[f.diag.list.n - 1].text;
        if (!az_sv_ends(said, az_sv_str(c[i].text)))
            fail_msg("'%.*s'", AZ_SVF(said));
        assert_int_not_equal(access(out, F_OK), 0);
        fixture_close(&f);
    }
}

/* A pipe is neither removed nor replaced. */
static void pipes(void **state)
{
    struct fixture f;
    struct stat info;
    const struct az_window w = { .from = { .ns = 100, .percent = -1 },
                                 .to = { .ns = 200, .percent = -1 },
                                 .step = -1 };
    (void)state;
    fixture_open(&f);
    const char *in = fixture_path(&f, "in.db"), *out = fixture_path(&f, "pipe");
    run_sql(in, rocpd, "_x", "x", "BIGINT");
    assert_int_equal(mkfifo(out, 0600), 0);
    const int reader = open(out, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    struct az_cut cut = { .in = az_sv_str(in),
                          .out = out,
                          .window = &w,
                          .keep = AZ_CUT_ALL,
                          .opts = &f.opts,
                          .diag = &f.diag,
                          .mem = &f.mem };
    assert_int_equal(az_format_rocpd.cut(&cut), AZ_EUSAGE);
    assert_true(az_sv_ends(f.diag.list.v[f.diag.list.n - 1].text,
                           AZ_SV("a database cannot be written to a pipe or device; name a file")));
    assert_int_equal(lstat(out, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    assert_int_equal(close(reader), 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tables),
                                        cmocka_unit_test(sets),
                                        cmocka_unit_test(windows),
                                        cmocka_unit_test(processes),
                                        cmocka_unit_test(steps_of_a_thread),
                                        cmocka_unit_test(operations),
                                        cmocka_unit_test(refusals),
                                        cmocka_unit_test(pipes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
