/* A cut of an Nsight SQLite export has the rows of its window, however the tables are stored: as
 * plain ones, with a key instead of row numbers, with computed columns, and with all that belongs
 * to a schema. */
#include "unit/formats_cut_checks.h"

#include <sqlite3.h>

#define STRINGS                                                                                    \
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY,value TEXT NOT NULL);"                 \
    "INSERT INTO StringIds VALUES(1,'k'),(2,'cudaLaunchKernel');"
#define KERNEL                                                                                     \
    "start INTEGER NOT NULL,\"end\" INTEGER,deviceId INTEGER,contextId INTEGER,streamId INTEGER,"  \
    "correlationId INTEGER,globalPid INTEGER,demangledName INTEGER,shortName INTEGER,gridX "       \
    "INTEGER"
#define CALL                                                                                       \
    "start INTEGER NOT NULL,\"end\" INTEGER,globalTid INTEGER,correlationId INTEGER,nameId "       \
    "INTEGER"
#define RANGE "start INTEGER NOT NULL,\"end\" INTEGER,eventType INTEGER,globalTid INTEGER,text TEXT"
#define ROWS                                                                                       \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,\"end\",deviceId,contextId,streamId,"            \
    "correlationId,globalPid,demangledName,shortName,gridX) VALUES(96,99,0,1,7,1,16777216,1,1,1)," \
    "(300,310,0,1,7,2,16777216,1,1,2),(220,230,0,1,7,3,16777216,1,1,3),"                           \
    "(305,320,0,1,8,4,16777216,1,1,4),(311,330,0,1,8,5,16777216,1,1,5),"                           \
    "(150,160,0,1,9,0,16777216,1,1,6),('x',500,0,1,7,0,16777216,1,1,7);"                           \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,\"end\",globalTid,correlationId,nameId) VALUES" \
    "(90,95,16777216,1,2),(100,105,16777216,2,2),(199,210,16777216,3,2),(200,205,16777216,4,2),"   \
    "(206,209,16777216,5,2);"                                                                      \
    "INSERT INTO NVTX_EVENTS(start,\"end\",eventType,globalTid,text) VALUES(0,1000,59,16777216,"   \
    "'all'),(50,100,59,16777216,'before'),(150,160,59,16777216,'inside'),(200,300,59,16777216,"    \
    "'after'),(199,300,59,16777216,'edge'),(10,NULL,59,16777216,'open');"

/* The columns of a query of the cut: values with "," and rows with " ". */
static void query_is(sqlite3 *db, const char *sql, const char *want)
{
    sqlite3_stmt *st;
    char text[512] = "";
    size_t n = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(st) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(st); i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                                  i   ? ","
                                  : n ? " "
                                      : "",
                                  sqlite3_column_type(st, i) == SQLITE_NULL
                                      ? "NULL"
                                      : (const char *)sqlite3_column_text(st, i));
    sqlite3_finalize(st);
    if (strcmp(text, want) != 0)
        fail_msg("%s: '%s', not '%s'", sql, text, want);
}

/* The cut [100 ns, 200 ns) of a database, opened. */
static sqlite3 *cut_of(struct fixture *f, const char *sql)
{
    sqlite3 *db;
    char *error = NULL;
    const char *in = fixture_path(f, "in.sqlite"), *out = fixture_path(f, "out.sqlite");
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
    assert_int_equal(sqlite3_open(in, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    if (az_format_nsys_sqlite.cut(&cut) != 0)
        fail_msg("%.*s", AZ_SVF(f->diag.list.v[0].text));
    assert_int_equal(cut.read, 18); /* one without a start, which is not in the window */
    assert_int_equal(cut.kept, 11);
    assert_int_equal(sqlite3_open(out, &db), SQLITE_OK);
    query_is(db, "PRAGMA integrity_check", "ok");
    query_is(db, "SELECT gridX,start,\"end\",streamId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY 1",
             "2,300,310,7 3,220,230,7 4,305,320,8 6,150,160,9");
    query_is(db, "SELECT correlationId,start,nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY 1",
             "2,100,2 3,199,2 4,200,2");
    query_is(db, "SELECT text,\"end\" FROM NVTX_EVENTS ORDER BY 1",
             "all,1000 edge,300 inside,160 open,NULL");
    query_is(db, "SELECT id,value FROM StringIds ORDER BY 1", "1,k 2,cudaLaunchKernel");
    return db;
}

/* Other windows, and without memory; the fixture is closed. */
static void other_cuts(struct fixture *f, sqlite3 *db)
{
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    cut_is_sound(f, &(struct cut_file){ &az_format_nsys_sqlite, fixture_path(f, "in.sqlite"),
                                        "cut.sqlite" });
}

static void plain_tables(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    sqlite3 *db = cut_of(&f, STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" KERNEL
                                     ");CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(" CALL
                                     ");CREATE TABLE NVTX_EVENTS(" RANGE ");" ROWS);
    query_is(db, "SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY 1", "2 3 4 6");
    other_cuts(&f, db);
}

static void tables_with_a_key(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    sqlite3 *db =
        cut_of(&f, STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" KERNEL
                           ",PRIMARY KEY(start)) WITHOUT ROWID;CREATE TABLE "
                           "CUPTI_ACTIVITY_KIND_RUNTIME(" CALL
                           ",PRIMARY KEY(start,correlationId)) WITHOUT ROWID;CREATE TABLE "
                           "NVTX_EVENTS(text TEXT PRIMARY KEY,start INTEGER NOT NULL,\"end\" "
                           "INTEGER,eventType INTEGER,globalTid INTEGER) WITHOUT ROWID;" ROWS);
    other_cuts(&f, db);
}

/* Computed columns, unique ones, indexes, views, triggers, numbers that continue, names with
 * quotes. */
static void whole_schema(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f);
    sqlite3 *db =
        cut_of(&f, STRINGS
               "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" KERNEL
               ",length AS (\"end\"-start));CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(" CALL
               ",UNIQUE(correlationId));CREATE TABLE NVTX_EVENTS(" RANGE ");" ROWS
               "CREATE TABLE \"odd \"\"name\"\"\"(\"a \"\"b\"\"\" TEXT,rowid INTEGER,c AS (1));"
               "INSERT INTO \"odd \"\"name\"\"\"(\"a \"\"b\"\"\",rowid) VALUES('x',9),(NULL,8);"
               "CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT,v REAL);"
               "INSERT INTO counted VALUES(3,1.5),(7,NULL);DELETE FROM counted WHERE id=7;"
               "CREATE INDEX by_start ON CUPTI_ACTIVITY_KIND_RUNTIME(start);"
               "CREATE VIEW names AS SELECT value FROM StringIds;"
               "CREATE TRIGGER stop BEFORE DELETE ON StringIds BEGIN SELECT RAISE(ABORT,'no'); "
               "END;");
    query_is(db, "SELECT length,rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY 2",
             "10,2 10,3 15,4 10,6");
    query_is(db, "SELECT rowid FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY 1", "2 3 4");
    query_is(db, "SELECT \"a \"\"b\"\"\",rowid,c FROM \"odd \"\"name\"\"\"", "x,9,1 NULL,8,1");
    query_is(db, "SELECT id,v FROM counted", "3,1.5");
    query_is(db, "SELECT name,seq FROM sqlite_sequence", "counted,7");
    query_is(db, "SELECT value FROM names", "k cudaLaunchKernel");
    query_is(db, "SELECT type,name,tbl_name FROM sqlite_master WHERE type<>'table' AND sql<>''",
             "index,by_start,CUPTI_ACTIVITY_KIND_RUNTIME view,names,names "
             "trigger,stop,StringIds");
    assert_int_equal(sqlite3_exec(db, "DELETE FROM StringIds", NULL, NULL, NULL),
                     SQLITE_CONSTRAINT);
    query_is(db,
             "SELECT start FROM CUPTI_ACTIVITY_KIND_RUNTIME INDEXED BY by_start WHERE start>100",
             "199 200");
    other_cuts(&f, db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_tables),
        cmocka_unit_test(tables_with_a_key),
        cmocka_unit_test(whole_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
