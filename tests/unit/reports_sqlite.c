/* A document as a database: names of tables are unique whatever their ids are, rows are there. */
#include <math.h>
#include <sqlite3.h>

#include "reports/list.h"
#include "unit/reports_common.h"

static void add(struct sample *s, const char *id, int64_t value)
{
    struct az_table *t = az_table_new(&s->arena, id, id, 0);
    az_table_column(t, "value", AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_i64(t, value);
    assert_int_equal(az_document_add(&s->doc, t), 0);
}

/* The only value of a query. */
static int64_t value_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

static void names_are_unique(void **state)
{
    (void)state;
    struct sample s;
    sqlite3 *db = NULL;
    sample_begin(&s);
    add(&s, "kernels", 1);
    add(&s, "Kernels", 2); /* SQLite compares names without case */
    add(&s, "KERNELS", 3);
    add(&s, "kernels_2", 4);
    add(&s, "meta", 5); /* tables that every database has */
    add(&s, "tables", 6);
    add(&s, "sqlite_stat1", 7); /* reserved */
    add(&s, "last", 8);
    add(&s, "SQLITE_stat1", 9);
    assert_int_equal(
        az_report_sqlite.write(&s.doc, sample_path(&s, "r.sqlite"), &s.scratch, &s.diag), 0);
    assert_int_equal(sqlite3_open(sample_path(&s, "r.sqlite"), &db), SQLITE_OK);
    assert_int_equal(value_of(db, "SELECT * FROM kernels"), 1);
    assert_int_equal(value_of(db, "SELECT * FROM kernels_2"), 2);
    assert_int_equal(value_of(db, "SELECT * FROM kernels_3"), 3);
    assert_int_equal(value_of(db, "SELECT * FROM kernels_2_2"), 4);
    assert_int_equal(value_of(db, "SELECT * FROM meta_2"), 5);
    assert_int_equal(value_of(db, "SELECT * FROM tables_2"), 6);
    assert_int_equal(value_of(db, "SELECT * FROM table_sqlite_stat1"), 7);
    assert_int_equal(value_of(db, "SELECT * FROM last"), 8);
    assert_int_equal(value_of(db, "SELECT * FROM table_SQLITE_stat1_2"), 9);
    assert_int_equal(value_of(db, "SELECT count(*) FROM tables"), 9);
    sqlite3_close(db);
    sample_end(&s);
}

/* Thousands of names that differ in case only: one look each, not one for each pair. */
static void equal_names_are_numbered(void **state)
{
    (void)state;
    enum { TABLES = 4096 };
    struct sample s;
    sqlite3 *db = NULL;
    char name[13];
    sample_begin(&s);
    for (int i = 0; i < TABLES; i++) {
        for (int bit = 0; bit < 12; bit++)
            name[bit] = i >> bit & 1 ? 'A' : 'a';
        name[12] = 0;
        add(&s, az_arena_dup(&s.arena, az_sv_str(name)).p, i);
    }
    assert_int_equal(
        az_report_sqlite.write(&s.doc, sample_path(&s, "r.sqlite"), &s.scratch, &s.diag), 0);
    assert_int_equal(sqlite3_open(sample_path(&s, "r.sqlite"), &db), SQLITE_OK);
    assert_int_equal(value_of(db, "SELECT * FROM aaaaaaaaaaaa"), 0);
    assert_int_equal(value_of(db, "SELECT * FROM aaaaaaaaaaaa_2"), 1);
    assert_int_equal(value_of(db, "SELECT * FROM aaaaaaaaaaaa_4096"), TABLES - 1);
    sqlite3_close(db);
    sample_end(&s);
}

static void names_are_quoted(void **state)
{
    (void)state;
    struct sample s;
    sqlite3 *db = NULL;
    sample_begin(&s);
    add(&s, "a \"quoted\" name\"", 5);
    assert_int_equal(
        az_report_sqlite.write(&s.doc, sample_path(&s, "r.sqlite"), &s.scratch, &s.diag), 0);
    assert_int_equal(sqlite3_open(sample_path(&s, "r.sqlite"), &db), SQLITE_OK);
    assert_int_equal(value_of(db, "SELECT * FROM \"a \"\"quoted\"\" name\"\"\""), 5);
    sqlite3_close(db);
    sample_end(&s);
}

/* Rows by their keys, of a table that has enough of them for an index; names are no UTF-8. */
static void keys_have_an_index(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    struct sample s;
    sqlite3 *db = NULL;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "t", 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "share", AZ_REAL, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    for (int i = 0; i < ROWS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%d", i % 3 ? 'n' : '\xff', i * 7 % 50);
        az_put_copy(t, az_sv_str(name));
        az_put_f64(t, i % 13 ? i * 3 % 7 - 3.5 : NAN); /* which is NULL there */
        if (i % 11)
            az_put_i64(t, i % 5 - 2);
        else
            az_put_empty(t);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    assert_int_equal(
        az_report_sqlite.write(&s.doc, sample_path(&s, "r.sqlite"), &s.scratch, &s.diag), 0);
    assert_int_equal(sqlite3_open(sample_path(&s, "r.sqlite"), &db), SQLITE_OK);
    assert_int_equal(value_of(db, "SELECT count(*) FROM pragma_integrity_check "
                                  "WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(value_of(db, "SELECT count(*) FROM t INDEXED BY t_by_key "
                                  "WHERE name = 'n7' AND share = -0.5"),
                     value_of(db, "SELECT count(*) FROM t NOT INDEXED "
                                  "WHERE name = 'n7' AND share = -0.5"));
    assert_true(value_of(db, "SELECT count(*) FROM t WHERE name = 'n7'") > 0);
    assert_int_equal(value_of(db, "SELECT count(*) FROM t WHERE share IS NULL"), ROWS / 13 + 1);
    sqlite3_close(db);
    sample_end(&s);
}

/* SQLite ignores case in names of columns; nobody could read such a file. */
static void equal_columns_are_refused(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "t", 0);
    az_table_column(t, "value", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "other", AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_i64(t, 1);
    az_put_i64(t, 2);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    t->columns.v[0].id = AZ_SV("value");
    t->columns.v[1].id = AZ_SV("VALUE");
    assert_int_not_equal(
        az_report_sqlite.write(&s.doc, sample_path(&s, "r.sqlite"), &s.scratch, &s.diag), 0);
    assert_int_equal(s.diag.errors, 1);
    const char *message = az_arena_str(&s.scratch, s.diag.list.v[0].text);
    assert_non_null(strstr(message, "duplicate column 'VALUE'"));
    assert_int_equal(az_path_stat(sample_path(&s, "r.sqlite")).kind, AZ_PATH_MISSING);
    sample_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_unique),
                                        cmocka_unit_test(equal_names_are_numbered),
                                        cmocka_unit_test(names_are_quoted),
                                        cmocka_unit_test(keys_have_an_index),
                                        cmocka_unit_test(equal_columns_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
