/* A document as a database: names of tables are unique whatever their ids are, rows are there. */
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
    assert_int_equal(value_of(db, "SELECT count(*) FROM tables"), 8);
    sqlite3_close(db);
    sample_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_unique) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
