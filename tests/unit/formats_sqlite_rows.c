/* Rows in numbers, and rows by their number: those that SQLite gives, whatever the table looks like
 * and wherever its pages are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/shared/sqlite_rows.h"
#include "unit/database_file.h"

static char path[] = "/tmp/az_rows_XXXXXX";

static void make(const char *sql)
{
    sqlite3 *db;
    char *error = NULL;
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s in %.200s", error, sql);
    sqlite3_close(db);
}

static const char *const numbers[] = { "start", "none", "last", "id" };
static const struct az_sqlite_columns columns = { numbers, 4, "guid" };
enum { ALL = 15, N = 4 };

struct input {
    struct az_mem mem;
    struct az_diag diag;
    struct az_options opts;
    struct az_parse job;
    struct az_sqlite x;
};

static void open_input(struct input *f)
{
    static const struct az_sqlite_kind kind = { "a database", "write it again", .views = true };
    memset(f, 0, sizeof *f);
    az_mem_init(&f->mem, 0);
    az_diag_init(&f->diag);
    f->job = (struct az_parse){ .opts = &f->opts, .diag = &f->diag, .mem = &f->mem };
    assert_int_equal(az_sqlite_open(&f->x, &f->job, &kind, az_sv_str(path)), 0);
}

static void close_input(struct input *f)
{
    az_sqlite_close(&f->x);
    az_diag_release(&f->diag);
    assert_int_equal(f->mem.used, 0);
}

static uint64_t hash_of(uint64_t h, const struct az_sqlite_row *r)
{
    for (int k = 0; k < N; k++)
        h = (h ^ (uint64_t)r->v[k] ^ (r->null >> k & 1) ^ (r->odd >> k & 1) << 8) *
                UINT64_C(0x9e3779b97f4a7c15) +
            (h >> 29);
    for (size_t i = 0; i < r->text.n; i++)
        h = h * 31 + (unsigned char)r->text.p[i];
    return h;
}

struct seen {
    uint64_t hash, rows;
};

static int take(void *ctx, const struct az_sqlite_row *r)
{
    struct seen *s = ctx;
    s->hash = hash_of(s->hash, r);
    s->rows++;
    return 0;
}

/* The same by SQLite. */
static void select_row(sqlite3_stmt *st, struct az_sqlite_row *r)
{
    *r = (struct az_sqlite_row){ .null = 0 };
    for (int k = 0; k < N; k++) {
        r->v[k] = sqlite3_column_int64(st, k);
        r->null |= (uint32_t)(sqlite3_column_type(st, k) == SQLITE_NULL) << k;
        r->odd |= (uint32_t)(sqlite3_column_type(st, k) >= SQLITE_TEXT &&
                             sqlite3_column_type(st, k) < SQLITE_NULL)
                  << k;
    }
    const char *text = (const char *)sqlite3_column_text(st, N);
    r->text = az_sv_make(text ? text : "", text ? (size_t)sqlite3_column_bytes(st, N) : 0);
}

/* *plain: pages were read. */
static uint64_t check_rows(const char *what, const char *select, bool *plain)
{
    struct input f;
    struct seen a = { 0, 0 }, b = { 0, 0 };
    struct az_sqlite_table t;
    sqlite3_stmt *st = NULL;
    open_input(&f);
    const int rc = az_sqlite_table_rows(&f.x, "t", &columns, ALL, take, &a);
    *plain = az_sqlite_table_open(&t, &f.x, "t", &columns, ALL) && t.plain;
    assert_int_equal(sqlite3_prepare_v2(f.x.db, select, -1, &st, NULL), SQLITE_OK);
    int code;
    struct az_sqlite_row r;
    while ((code = sqlite3_step(st)) == SQLITE_ROW) {
        select_row(st, &r);
        (void)take(&b, &r);
    }
    (void)sqlite3_finalize(st);
    if ((rc == 0) != (code == SQLITE_DONE))
        fail_msg("%s: %d, SQLite %d", what, rc, code);
    if (rc == 0 && (a.rows != b.rows || a.hash != b.hash))
        fail_msg("%s: %d of %d rows", what, (int)a.rows, (int)b.rows);
    close_input(&f);
    return a.rows;
}

static uint64_t next_of(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Numbers that ascend, and some anywhere. */
static uint64_t check_lookups(const char *what, const char *select, int64_t most, bool damaged,
                              bool whole)
{
    struct input f;
    struct az_sqlite_lookup l;
    sqlite3_stmt *st = NULL;
    char sql[200];
    uint64_t seed = 3, found = 0, none = 0;
    open_input(&f);
    (void)snprintf(sql, sizeof sql, "%s WHERE id=?1", select);
    assert_int_equal(az_sqlite_lookup_open(&l, &f.x, "t", "id", &columns), 0);
    assert_int_equal(sqlite3_prepare_v2(f.x.db, sql, -1, &st, NULL), SQLITE_OK);
    for (int64_t i = -3; i < most; i++) {
        const int64_t id = i % 5 ? i : (int64_t)(next_of(&seed) % (uint64_t)(most + 9));
        struct az_sqlite_row a, b;
        const int rc = az_sqlite_lookup_find(&l, id, &a);
        sqlite3_reset(st);
        sqlite3_bind_int64(st, 1, id);
        const int code = sqlite3_step(st);
        if (rc < 0 && code != SQLITE_ROW && code != SQLITE_DONE) /* damaged */
            continue;
        if (code == SQLITE_ROW)
            select_row(st, &b);
        const bool equal =
            code == SQLITE_ROW ? rc == 1 && hash_of(0, &a) == hash_of(0, &b) : rc == 0;
        /* a number that is damaged may lead SQLite elsewhere */
        const bool same =
            equal || (damaged && rc == 1 && a.v[3] == id && a.v[0] == id * id && a.v[2] == id);
        if (!same)
            fail_msg("%s: row %d: %d, SQLite %d", what, (int)id, rc, code);
        found += rc == 1;
        none += rc != 1;
    }
    /* SQLite is asked for what pages do not have */
    const int asked = sqlite3_stmt_status(l.st, SQLITE_STMTSTATUS_RUN, 0);
    if (whole && (uint64_t)asked > none)
        fail_msg("%s: SQLite read %d rows", what, asked - (int)none);
    (void)sqlite3_finalize(st);
    az_sqlite_lookup_close(&l);
    close_input(&f);
    return found;
}

#define PLAIN                                                                                      \
    "CREATE TABLE t(id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,guid TEXT DEFAULT 'g' NOT "      \
    "NULL,start BIGINT,last INTEGER,rest TEXT);"
#define FILL(rows, values)                                                                         \
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<" #rows                  \
    ") INSERT INTO t(id,guid,start,last,rest) SELECT " values " FROM c;"
#define SELECT "SELECT start,NULL,last,id,guid FROM t"

static void tables(void **state)
{
    enum { WHOLE = 6 }; /* the first cases: every row is found in pages */
    static const struct {
        const char *what, *sql, *select;
        bool plain;
        uint64_t rows, found;
    } c[] = {
        { "no rows", PLAIN, SELECT, true, 0, 0 },
        { "one page", PLAIN FILL(9, "i,'g',i*i,-i,'x'"), SELECT, true, 9, 9 },
        { "many pages", PLAIN FILL(3000, "i,'g'||i%7,(1<<(i%63))-i%3,NULL,hex(zeroblob(i%40))"),
          SELECT, true, 3000, 3000 },
        { "small pages",
          "PRAGMA page_size=512;" PLAIN FILL(3000,
                                             "i,'g',CASE i%3 WHEN 0 THEN NULL ELSE i END,i,''"),
          SELECT, true, 3000, 3000 },
        { "gaps", PLAIN FILL(900, "i*3,'g',i,i%2,'x'"), SELECT, true, 900, 300 },
        { "records on several pages", PLAIN FILL(300, "i,'g',i,i,hex(zeroblob(i*90))"), SELECT,
          true, 300, 300 },
        { "numbers after what fills a page",
          "CREATE TABLE t(id INTEGER PRIMARY KEY,rest TEXT,guid TEXT,start INTEGER,last "
          "INTEGER);" FILL(300, "i,'g',i,i,hex(zeroblob(i*90))"),
          SELECT, true, 300, 300 },
        { "other types",
          PLAIN FILL(300, "i,CASE i WHEN 90 THEN x'00ff' ELSE 'g' END,"
                          "CASE i WHEN 120 THEN 1.5 WHEN 200 THEN 'no' ELSE i END,i,''"),
          SELECT, true, 300, 300 },
        { "columns without a type",
          "CREATE TABLE t(id INTEGER PRIMARY KEY,guid,start,last,rest);" FILL(90, "i,'g',i,'7',1"),
          SELECT, false, 90, 90 },
        { "names in other letters",
          "CREATE TABLE t(ID INTEGER PRIMARY KEY,guid TEXT,Start INTEGER,last INTEGER,rest);" FILL(
              90, "i,'g',i,i,1"),
          SELECT, false, 90, 90 },
        { "no text",
          "CREATE TABLE t(id INTEGER PRIMARY KEY,start INTEGER,last INTEGER);INSERT INTO t "
          "VALUES(1,2,3),(2,3,NULL);",
          "SELECT start,NULL,last,id,NULL FROM t", true, 2, 2 },
        { "texts of two bytes a letter",
          "PRAGMA encoding='UTF-16le';" PLAIN FILL(90, "i,'g'||i,i,i,''"), SELECT, false, 90, 90 },
        { "a key that is no row number",
          "CREATE TABLE t(id INT PRIMARY KEY,guid TEXT,start INTEGER,last INTEGER,rest);" FILL(
              90, "91-i,'g',i,i,1"),
          SELECT, false, 90, 90 },
        { "a key that is sorted the other way",
          "CREATE TABLE t(id INTEGER PRIMARY KEY DESC,guid TEXT,start INTEGER,last "
          "INTEGER,rest);" FILL(90, "91-i,'g',i,i,1"),
          SELECT, true, 90, 90 },
        { "a log", "PRAGMA journal_mode=WAL;" PLAIN FILL(90, "i,'g',i,i,''"), SELECT, false, 90,
          90 },
        { "a view",
          "CREATE TABLE u(id INTEGER PRIMARY KEY,guid TEXT,start INTEGER,last INTEGER,rest);"
          "INSERT INTO u VALUES(1,'g',2,3,4);CREATE VIEW t AS SELECT * FROM u;",
          SELECT, false, 1, 1 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        bool plain;
        make(c[i].sql);
        assert_int_equal(check_rows(c[i].what, c[i].select, &plain), c[i].rows);
        if (plain != c[i].plain)
            fail_msg("%s: read page by page: %d", c[i].what, plain);
        /* of each five numbers one is anywhere */
        const uint64_t found = check_lookups(
            c[i].what, c[i].select, c[i].rows > 90 ? (int64_t)c[i].rows : 100, false, i < WHOLE);
        if (found < c[i].found - c[i].found / 4 - (c[i].found > 0 && c[i].found < 9))
            fail_msg("%s: %d found", c[i].what, (int)found);
    }
}

static void no_table(void **state)
{
    struct input f;
    struct az_sqlite_lookup l;
    struct az_sqlite_row r;
    struct seen s = { 0, 0 };
    (void)state;
    make("CREATE TABLE u(x);");
    open_input(&f);
    assert_int_equal(az_sqlite_table_rows(&f.x, "t", &columns, ALL, take, &s), 0);
    assert_int_equal(s.rows, 0);
    assert_int_equal(az_sqlite_lookup_open(&l, &f.x, "t", "id", &columns), 0);
    assert_int_equal(az_sqlite_lookup_find(&l, 1, &r), 0);
    az_sqlite_lookup_close(&l);
    close_input(&f);
}

/* Damage that SQLite reports is an error or is passed over, and never another row. */
static void damage(void **state)
{
    uint64_t seed = 9, found = 0;
    size_t n;
    (void)state;
    make("PRAGMA page_size=512;" PLAIN FILL(400, "i,'g'||i%3,i*i,i,hex(zeroblob(i%40))"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    (void)fseek(file, 0, SEEK_END);
    n = (size_t)ftell(file);
    unsigned char *whole = malloc(n), *bytes = malloc(n);
    assert_true(whole && bytes);
    rewind(file);
    assert_int_equal(fread(whole, 1, n, file), n);
    (void)fclose(file);
    for (int round = 0; round < 500; round++) {
        char what[60];
        const size_t page = 4 + next_of(&seed) % (n / 512 - 4), /* the schema stays */
            at = page * 512 + next_of(&seed) % (round % 2 ? 24 : 512);
        memcpy(bytes, whole, n);
        bytes[at] = (unsigned char)next_of(&seed);
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, n, file), n);
        (void)fclose(file);
        (void)snprintf(what, sizeof what, "byte %zu is %u", at, bytes[at]);
        found += check_lookups(what, SELECT, 403, true, false);
    }
    assert_true(found > 150000);
    free(whole);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tables), cmocka_unit_test(no_table),
                                        cmocka_unit_test(damage) };
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    (void)close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_database(path);
    return failed;
}
