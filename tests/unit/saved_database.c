/* Databases of results read back: every type of a cell, what describes tables, and what is no such
 * database. */
#include "saved/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "unit/document_text.h"
#include "unit/io_temp.h"

#define HEAD                                                                                       \
    "CREATE TABLE meta(key TEXT,value TEXT);INSERT INTO meta VALUES('schema','s/1'),"              \
    "('title','The title'),('other','x'),('format','pytorch');"                                    \
    "CREATE TABLE tables(name TEXT,id TEXT,title TEXT);"                                           \
    "CREATE TABLE columns(table_name TEXT,header TEXT,type TEXT,unit TEXT,direction TEXT,"         \
    "\"key\" INTEGER);"
#define ONE                                                                                        \
    "INSERT INTO tables VALUES('t','one','First');"                                                \
    "INSERT INTO columns VALUES('t','Name','text','','none',1),('t','N','int','count','none',0),"  \
    "('t','Time','real','ms','lower',0),('t','Rate','real','%','higher',0),"                       \
    "('t','Flag','bool','','none',0);"                                                             \
    "CREATE TABLE t(a TEXT,b INTEGER,c REAL,d REAL,e INTEGER);"

static int load(const char *sql, struct az_document *doc, struct az_diag *diag)
{
    sqlite3 *db;
    char *error = NULL;
    const char *path = temp_path("r.db");
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return az_load_database(doc, path, diag);
}

static void cells_of_each_type(void **state)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    assert_int_equal(
        load(HEAD ONE "INSERT INTO t VALUES('a',1,1.5,50,1),('',-2,0,NULL,0),(NULL,NULL,NULL,2.5,"
                      "NULL),('caf\xc3\xa9',9223372036854775807,1e300,100,7);"
                      "INSERT INTO tables VALUES('odd \"name\"','two','Second');"
                      "INSERT INTO columns VALUES('odd \"name\"','x','int','','none',0);"
                      "CREATE TABLE \"odd \"\"name\"\"\"(x INTEGER);"
                      "INSERT INTO \"odd \"\"name\"\"\" VALUES(3),(2),(1);"
                      "INSERT INTO tables VALUES('empty','three','');"
                      "INSERT INTO columns VALUES('empty','y','text','','none',1);"
                      "CREATE TABLE empty(y TEXT);",
             &doc, &t_diag),
        0);
    assert_int_equal(t_diag.list.n, 0);
    assert_true(az_sv_is(doc.schema, "s/1") && az_sv_is(doc.title, "The title") &&
                az_sv_is(doc.format, "pytorch"));
    assert_int_equal(doc.tables.n, 3);
    table_is(doc.tables.v[0], "one: Name(t 1) N(i) Time(r ms 4) Rate(r % 2) Flag(b)\n"
                              " a 1 1.5 50 yes\n  -2 0 - no\n - - - 2.5 -\n"
                              " caf\xc3\xa9 9223372036854775807 1e+300 100 yes\n");
    table_is(doc.tables.v[1], "two: x(i)\n 3\n 2\n 1\n");
    table_is(doc.tables.v[2], "three: y(t 1)\n");
    assert_true(az_sv_is(doc.tables.v[0]->title, "First"));
    az_document_release(&doc);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

static void other_databases(void **state)
{
    static const struct {
        const char *sql, *message;
    } each[] = {
        { "CREATE TABLE x(a);", "is not a report database: no such table: meta; write it again" },
        { "CREATE TABLE meta(key TEXT,value TEXT);",
          "is not a report database: no such table: tables; write it again" },
        { HEAD "INSERT INTO tables VALUES('t','one','First');",
          "is not a report database: no such table: t; write it again" },
        { HEAD ONE "INSERT INTO tables VALUES('t','one','First');",
          "has a duplicate table 'one'; write it again" },
        { HEAD ONE "INSERT INTO columns VALUES('t','More','int','','none',0);",
          "table 't' has 5 columns, and 6 are described" },
        { HEAD ONE "UPDATE columns SET type='blob' WHERE header='N';",
          "table 't' has a column of an unknown type or unit 'count'" },
        { HEAD ONE "UPDATE columns SET unit='miles' WHERE header='N';",
          "table 't' has a column of an unknown type or unit 'miles'" },
        { HEAD "INSERT INTO tables VALUES('v','one','');CREATE VIEW v AS SELECT 1;",
          "is not a report database: access to view \"v\" prohibited; write it again" },
        { HEAD ONE "CREATE TABLE g(a,b AS (a+1));",
          "table 'g' has generated columns: not a report database; write it again" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct az_arena arena;
        struct az_document doc;
        struct az_diag diag;
        az_arena_init(&arena, NULL);
        az_document_init(&doc, &arena);
        az_diag_init(&diag);
        assert_int_equal(load(each[i].sql, &doc, &diag), AZ_EFORMAT);
        assert_int_equal(diag.list.n, 1);
        if (az_sv_find(diag.list.v[0].text, az_sv_str(each[i].message)) < 0)
            fail_msg("%.*s", AZ_SVF(diag.list.v[0].text));
        az_document_release(&doc);
        az_diag_release(&diag);
        az_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_each_type),
        cmocka_unit_test(other_databases),
    };
    return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
