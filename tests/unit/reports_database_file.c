/* Files of reports/shared/database_file.h are what SQLite reads: it checks all pages, and returns
 * every value. */
#include <math.h>
#include <sqlite3.h>

#include "reports/shared/database_file.h"
#include "unit/reports_common.h"

struct file {
    struct sample s;
    struct az_outfile *out;
    struct az_dbfile f;
    sqlite3 *db;
};

static void file_begin(struct file *x)
{
    *x = (struct file){ 0 };
    sample_begin(&x->s);
    assert_int_equal(az_outfile_open(&x->out, sample_path(&x->s, "f.sqlite"), &x->s.diag), 0);
    az_dbfile_init(&x->f, x->out, &x->s.mem);
}

static int64_t value_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

/* Ends the file and opens it; `integrity_check` finds nothing. */
static void file_open(struct file *x)
{
    sqlite3_stmt *st = NULL;

    assert_int_equal(az_dbfile_finish(&x->f, 77, 3), 0);
    assert_int_equal(az_outfile_commit(x->out), 0);
    az_dbfile_release(&x->f);
    assert_int_equal(sqlite3_open(sample_path(&x->s, "f.sqlite"), &x->db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(x->db, "PRAGMA integrity_check", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
    sqlite3_finalize(st);
    assert_int_equal(value_of(x->db, "PRAGMA application_id"), 77);
    assert_int_equal(value_of(x->db, "PRAGMA user_version"), 3);
}

static void file_end(struct file *x)
{
    sqlite3_close(x->db);
    sample_end(&x->s);
}

static void add_table(struct file *x, const char *name, const char *sql)
{
    const struct az_sv n = az_sv_str(name);
    const uint32_t root = az_dbfile_end(&x->f);
    az_dbfile_add(&x->f, (struct az_dbfile_entry){ "table", n, n, az_sv_str(sql), root });
}

static struct az_cell text(const char *p, size_t n)
{
    return (struct az_cell){ .type = AZ_TEXT, .len = (uint32_t)n, .s = p };
}

static struct az_cell whole(int64_t i) { return (struct az_cell){ .type = AZ_INT, .i = i }; }

static char letters[20000];

/* Rows of that many letters, from `least` on and `step` more each. */
static void check_lengths(size_t rows, size_t least, size_t step)
{
    struct file x;
    sqlite3_stmt *st = NULL;

    memset(letters, 'x', sizeof letters);
    file_begin(&x);
    az_dbfile_begin(&x.f, AZ_DBFILE_ROWS);
    for (size_t i = 0; i < rows; i++) {
        const struct az_cell row[] = { text(letters, least + i * step), whole((int64_t)i) };
        az_dbfile_row(&x.f, row, 2);
    }
    add_table(&x, "t", "CREATE TABLE t(a TEXT, b INTEGER)");
    file_open(&x);
    assert_int_equal(sqlite3_prepare_v2(x.db, "SELECT rowid, length(a), b FROM t", -1, &st, NULL),
                     SQLITE_OK);
    for (size_t i = 0; i < rows; i++) {
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int64(st, 0), i + 1);
        assert_int_equal(sqlite3_column_int64(st, 1), least + i * step);
        assert_int_equal(sqlite3_column_int64(st, 2), i);
    }
    assert_int_equal(sqlite3_step(st), SQLITE_DONE);
    sqlite3_finalize(st);
    file_end(&x);
}

static void rows_are_numbered(void **state)
{
    (void)state;
    check_lengths(0, 0, 0);
    check_lengths(1, 0, 0);
    check_lengths(40000, 10, 0); /* two levels */
    check_lengths(3000, 900, 0); /* three */
}

static void long_rows_overflow(void **state)
{
    (void)state;
    check_lengths(60, 4030, 1);  /* the longest that a page holds is among them */
    check_lengths(40, 4540, 1);  /* what stays in the page, from everything to the least */
    check_lengths(40, 8130, 1);  /* one page of overflow, or two */
    check_lengths(190, 10, 100); /* all kinds */
}

static void numbers_are_stored(void **state)
{
    (void)state;
    static const double reals[] = { 0, -0.0, 1, 2.5, -1e300, 5e-324, INFINITY };
    struct file x;
    sqlite3_stmt *st = NULL;
    int64_t all[200] = { 0, INT64_MIN, INT64_MAX };
    size_t n = 3;

    for (int bit = 0; bit < 63; bit++)
        for (int64_t d = -1; d < 2; d++)
            all[n++] = bit % 2 ? -((int64_t)1 << bit) + d : ((int64_t)1 << bit) + d;
    file_begin(&x);
    az_dbfile_begin(&x.f, AZ_DBFILE_ROWS);
    for (size_t i = 0; i < n; i++) {
        const struct az_cell row[] = { whole(all[i]),
                                       { .type = AZ_REAL, .f = reals[i % AZ_LENGTH(reals)] },
                                       { .type = AZ_BOOL, .b = i % 2 },
                                       { .type = AZ_EMPTY },
                                       { .type = AZ_REAL, .f = NAN },
                                       text("", 0) };
        az_dbfile_row(&x.f, row, AZ_LENGTH(row));
    }
    add_table(&x, "t", "CREATE TABLE t(a INTEGER, b REAL, c BOOLEAN, d, e REAL, f TEXT)");
    file_open(&x);
    assert_int_equal(sqlite3_prepare_v2(x.db, "SELECT * FROM t", -1, &st, NULL), SQLITE_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_true(sqlite3_column_int64(st, 0) == all[i]);
        assert_true(sqlite3_column_double(st, 1) == reals[i % AZ_LENGTH(reals)]);
        assert_int_equal(sqlite3_column_int64(st, 2), i % 2);
        assert_int_equal(sqlite3_column_type(st, 3), SQLITE_NULL);
        assert_int_equal(sqlite3_column_type(st, 4), SQLITE_NULL);
        assert_int_equal(sqlite3_column_type(st, 5), SQLITE_TEXT);
    }
    sqlite3_finalize(st);
    file_end(&x);
}

enum { KEY = 2000 };

/* A number with so many digits. */
static void put_key(char to[KEY], size_t number, int digits)
{
    to[digits] = '\0';
    for (int i = digits; i-- > 0; number /= 10)
        to[i] = (char)('0' + number % 10);
}

/* Keys of that many digits, and the number of the row. */
static void check_keys(size_t rows, int digits)
{
    struct file x;
    char key[KEY];

    file_begin(&x);
    az_dbfile_begin(&x.f, AZ_DBFILE_ROWS);
    for (size_t i = 0; i < rows; i++) {
        put_key(key, i / 2, digits);
        az_dbfile_row(&x.f, (struct az_cell[]){ text(key, (size_t)digits) }, 1);
    }
    add_table(&x, "t", "CREATE TABLE t(a TEXT)");
    az_dbfile_begin(&x.f, AZ_DBFILE_KEYS);
    for (size_t i = 0; i < rows; i++) {
        put_key(key, i / 2, digits);
        const struct az_cell cells[] = { text(key, (size_t)digits), whole((int64_t)i + 1) };
        az_dbfile_row(&x.f, cells, 2);
    }
    const uint32_t root = az_dbfile_end(&x.f);
    az_dbfile_add(&x.f, (struct az_dbfile_entry){ "index", AZ_SV("i"), AZ_SV("t"),
                                                  AZ_SV("CREATE INDEX i ON t(a)"), root });
    file_open(&x);
    for (size_t i = 0; i < rows; i += 1 + rows / 50) {
        char sql[KEY + 100];
        put_key(key, i / 2, digits);
        snprintf(sql, sizeof sql, "SELECT min(rowid) FROM t INDEXED BY i WHERE a = '%s'", key);
        assert_int_equal(value_of(x.db, sql), i / 2 * 2 + 1);
    }
    file_end(&x);
}

static void keys_are_found(void **state)
{
    (void)state;
    check_keys(0, 4);
    for (size_t n = 1; n < 40; n++)
        check_keys(n, 700); /* around the sizes at which a level is added */
    check_keys(20000, 5);
    check_keys(3000, 900); /* five levels */
    for (int digits = 985; digits < 1010; digits++)
        check_keys(30, digits); /* the longest that a page holds is among them */
    check_keys(50, 1900);
}

static void schemas_of_any_length(void **state)
{
    (void)state;
    for (size_t n = 3800; n < 4100; n += 3) {
        struct file x;
        char sql[5000];
        file_begin(&x);
        az_dbfile_begin(&x.f, AZ_DBFILE_ROWS);
        az_dbfile_row(&x.f, (struct az_cell[]){ whole(8) }, 1);
        snprintf(sql, sizeof sql, "CREATE TABLE t(a INTEGER /*%.*s*/)", (int)n, letters);
        add_table(&x, "t", sql);
        file_open(&x);
        assert_int_equal(value_of(x.db, "SELECT a FROM t"), 8);
        file_end(&x);
    }
}

static void many_tables(void **state)
{
    (void)state;
    enum { N = 2000 };
    static char names[N][16], sql[N][64];
    struct file x;

    file_begin(&x);
    for (size_t i = 0; i < N; i++) {
        az_dbfile_begin(&x.f, AZ_DBFILE_ROWS);
        az_dbfile_row(&x.f, (struct az_cell[]){ whole((int64_t)i) }, 1);
        snprintf(names[i], sizeof names[i], "t%zu", i);
        snprintf(sql[i], sizeof sql[i], "CREATE TABLE t%zu(a INTEGER)", i);
        add_table(&x, names[i], sql[i]);
    }
    file_open(&x);
    assert_int_equal(value_of(x.db, "SELECT a FROM t0"), 0);
    assert_int_equal(value_of(x.db, "SELECT a FROM t1999"), 1999);
    file_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_numbered),     cmocka_unit_test(long_rows_overflow),
        cmocka_unit_test(numbers_are_stored),    cmocka_unit_test(keys_are_found),
        cmocka_unit_test(schemas_of_any_length), cmocka_unit_test(many_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
