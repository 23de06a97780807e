/* Tables read page by page: the rows that SQLite gives, in its order, whatever the file looks like;
 * and where pages are damaged, the same rows and the same words. Texts found by their key: those
 * that SQLite finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/nsys/nsys_sqlite.h"
#include "formats/shared/sqlite_append.h"
#include "unit/database_file.h"

static char path[] = "/tmp/az_pages_XXXXXX";

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

static const struct az_nsys_column want[] = {
    { "start", true }, { "end", true }, { "none", false }, { "last", false }
};

struct seen {
    uint64_t hash, rows, stop;
};

static int take(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct seen *s = ctx;
    (void)x;
    for (int i = 0; i < 4; i++)
        s->hash = (s->hash ^ (uint64_t)az_nsys_i64(r, i) ^ az_nsys_is_null(r, i)) *
                      UINT64_C(0x9e3779b97f4a7c15) +
                  (s->hash >> 29);
    s->rows++;
    return s->rows == s->stop ? AZ_EINTR : 0;
}

/* Reads table CUPTI_ACTIVITY_KIND_KERNEL in one of the two ways; what was said is added up. */
static int reads(bool numbers, uint64_t stop, struct seen *s)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts = { .with_header = true };
    struct az_parse job = { .opts = &opts, .trace = &trace, .diag = &diag, .mem = &mem };
    struct az_nsys_db x;
    *s = (struct seen){ .stop = stop };
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    assert_int_equal(az_trace_init(&trace, &mem), 0);
    int rc = az_nsys_db_open(&x, &job, az_sv_str(path));
    if (rc == 0)
        rc = (numbers ? az_nsys_each_numbers : az_nsys_each)(&x, "CUPTI_ACTIVITY_KIND_KERNEL", want,
                                                             4, take, s);
    az_nsys_db_close(&x);
    for (size_t i = 0; i < diag.list.n; i++)
        for (size_t k = 0; k < diag.list.v[i].text.n; k++)
            s->hash = s->hash * 31 + (unsigned char)diag.list.v[i].text.p[k];
    az_trace_release(&trace);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
    return rc;
}

static uint64_t same(const char *what, uint64_t stop)
{
    struct seen a, b;
    const int by_sqlite = reads(false, stop, &a), by_pages = reads(true, stop, &b);
    if (by_sqlite != by_pages || a.rows != b.rows || a.hash != b.hash)
        fail_msg("%s: SQLite %d, %llu rows; pages %d, %llu rows", what, by_sqlite,
                 (unsigned long long)a.rows, by_pages, (unsigned long long)b.rows);
    return a.rows;
}

static bool plain(void)
{
    static const char *const columns[] = { "start", "end" };
    struct az_diag diag;
    struct az_parse job = { .diag = &diag };
    struct az_nsys_db x;
    struct az_pages p;
    az_diag_init(&diag);
    assert_int_equal(az_nsys_db_open(&x, &job, az_sv_str(path)), 0);
    const bool is = az_pages_open(&p, &x.file, "CUPTI_ACTIVITY_KIND_KERNEL", columns, 2);
    az_nsys_db_close(&x);
    az_diag_release(&diag);
    return is;
}

#define TABLE "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL"
#define PLAIN TABLE "(a TEXT,start INTEGER,\"end\" INTEGER,b TEXT,last INTEGER);"
#define COUNT "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<"
#define FILL(rows, values)                                                                         \
    COUNT #rows ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT " values " FROM c;"
/* Numbers of every width and sign, and none. */
#define WIDTHS                                                                                     \
    "'x',(1<<(i%63))-i%3,CASE i%5 WHEN 0 THEN NULL WHEN 1 THEN -(1<<(i%64)) ELSE i END,"           \
    "hex(zeroblob(i%40)),i%4-1"

static void files(void **state)
{
    static const struct {
        const char *what, *sql;
        bool plain;
        uint64_t rows;
    } c[] = {
        { "no rows", PLAIN, true, 0 },
        { "numbers of every width", PLAIN FILL(3000, WIDTHS), true, 3000 },
        { "the last number alone changes its width", PLAIN FILL(2000, "'x',i%100,7,'b',i%4-1"),
          true, 2000 },
        { "pages of 512", "PRAGMA page_size=512;" PLAIN FILL(3000, WIDTHS), true, 3000 },
        { "pages of 65536", "PRAGMA page_size=65536;" PLAIN FILL(9000, WIDTHS), true, 9000 },
        { "rows gone and pages free",
          PLAIN FILL(5000, WIDTHS) "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid%7<5;", true,
          1428 },
        { "ids far apart and below zero",
          PLAIN "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(rowid,start,\"end\",last) VALUES"
                "(-9223372036854775808,1,2,3),(9223372036854775807,4,5,6),(-5,7,8,9),(0,1,1,1);",
          true, 4 },
        { "records on several pages", PLAIN FILL(300, "'x',i,i+1,hex(zeroblob(i*90)),i"), true,
          300 },
        { "a text before the numbers that fills pages",
          PLAIN FILL(300, "hex(zeroblob(i*90)),i,i+1,'',i"), true, 300 },
        { "a real and a text among the numbers",
          PLAIN FILL(300, "'',CASE i WHEN 120 THEN 1.5 WHEN 200 THEN 'no' ELSE i END,i,'',i"), true,
          300 },
        { "a column added later",
          TABLE "(start INTEGER,\"end\" INTEGER);" FILL(
              100, "i,i") "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN last INTEGER "
                          "DEFAULT 77;" FILL(100, "i,i,i"),
          true, 200 },
        { "a key",
          TABLE "(start INTEGER PRIMARY KEY,\"end\" INTEGER,last INTEGER);" FILL(100, "i,i,i"),
          true, 100 },
        { "a key that is no row number",
          TABLE "(start INTEGER PRIMARY KEY DESC,\"end\" INTEGER,last INTEGER);" FILL(100, "i,i,i"),
          true, 100 },
        { "a key of another type",
          TABLE "(start BIGINT PRIMARY KEY,\"end\" INTEGER,last INTEGER);" FILL(100, "i,i,i"),
          false, 100 },
        { "a key of two columns",
          TABLE "(start INTEGER,\"end\" INTEGER,last INTEGER,PRIMARY KEY(start,last));" FILL(
              100, "i,i,i"),
          false, 100 },
        { "another name of the type",
          TABLE "(start BIGINT,\"end\" bigint,last INTEGER);" FILL(
              3000, "(1<<(i%63))-i%3,CASE i WHEN 50 THEN 1.5 ELSE -i END,i"),
          true, 3000 },
        { "reals", TABLE "(start REAL,\"end\" INTEGER,last INTEGER);" FILL(100, "i,i,i"), false,
          100 },
        { "without ids",
          TABLE "(start INTEGER,\"end\" INTEGER,last INTEGER,k PRIMARY KEY) WITHOUT "
                "ROWID;" FILL(100, "i,i,i,i"),
          true, 100 },
        { "computed columns",
          TABLE
          "(k INTEGER,x INTEGER AS (k*2),start INTEGER,\"end\" INTEGER,last INTEGER);" COUNT
          "50) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(k,start,\"end\",last) SELECT i,i,i,i FROM c;",
          false, 50 },
        { "a log", "PRAGMA journal_mode=WAL;" PLAIN FILL(100, WIDTHS), false, 100 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        make(c[i].sql);
        if (plain() != c[i].plain)
            fail_msg("%s: read page by page: %d", c[i].what, !c[i].plain);
        assert_int_equal(same(c[i].what, 0), c[i].rows);
        assert_int_equal(same(c[i].what, (c[i].rows + 1) / 2), (c[i].rows + 1) / 2);
    }
}

/* Two tables that grow side by side: their pages alternate. */
static void side_by_side(void **state)
{
    sqlite3 *db;
    (void)state;
    make(PLAIN "CREATE TABLE other(x);");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    (void)sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (int i = 0; i < 200; i++)
        assert_int_equal(sqlite3_exec(db,
                                      FILL(90, WIDTHS) "INSERT INTO other VALUES(zeroblob(9000))",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
    (void)sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(same("side by side", 0), 18000);
}

static unsigned char *load(size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    (void)fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    unsigned char *bytes = malloc(*n);
    assert_non_null(bytes);
    rewind(f);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    (void)fclose(f);
    return bytes;
}

static void store(const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    (void)fclose(f);
}

static void damage(void **state)
{
    uint64_t seed = 5, rows = 0;
    size_t n;
    (void)state;
    make("PRAGMA page_size=512;" PLAIN FILL(400, WIDTHS));
    unsigned char *whole = load(&n), *bytes = malloc(n);
    assert_non_null(bytes);
    for (int round = 0; round < 600; round++) {
        char what[80];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const size_t page = 1 + (size_t)(seed >> 20) % (n / 512 - 1), /* the schema stays */
            at = page * 512 + (size_t)(seed >> 40) % (round % 2 ? 16 : 512);
        memcpy(bytes, whole, n);
        bytes[at] = (unsigned char)(seed >> 33);
        const size_t left = round % 10 ? n : n - (size_t)(seed >> 45) % (n - 1024);
        store(bytes, left);
        (void)snprintf(what, sizeof what, "byte %zu is %u, %zu of %zu", at, bytes[at], left, n);
        rows += same(what, 0);
    }
    assert_true(rows > 100000);
    free(bytes);
    free(whole);
}

/* ---- rows copied as they are stored ---- */

static char copy_path[] = "/tmp/az_pages_copy_XXXXXX";

static int64_t number_from(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s in %s", sqlite3_errmsg(db), sql);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const int64_t v = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return v;
}

/* The same schema without rows. Returns the first page of the table. */
static uint32_t make_empty(sqlite3 *input)
{
    sqlite3 *db;
    sqlite3_stmt *st = NULL;
    char sql[80];
    (void)unlink(copy_path);
    assert_int_equal(sqlite3_open(copy_path, &db), SQLITE_OK);
    (void)snprintf(sql, sizeof sql, "PRAGMA page_size=%lld",
                   (long long)number_from(input, "PRAGMA page_size"));
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(input, "SELECT sql FROM sqlite_master", -1, &st, NULL),
                     SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW)
        assert_int_equal(
            sqlite3_exec(db, (const char *)sqlite3_column_text(st, 0), NULL, NULL, NULL),
            SQLITE_OK);
    (void)sqlite3_finalize(st);
    const int64_t root = number_from(
        db, "SELECT rootpage FROM sqlite_master WHERE name='CUPTI_ACTIVITY_KIND_KERNEL'");
    sqlite3_close(db);
    return (uint32_t)root;
}

struct copying {
    struct az_pages pages;
    struct az_append *to;
};

static int append_one(void *ctx, const struct az_pages_row *row)
{
    struct copying *c = ctx;
    return az_append_row(c->to, &c->pages, row);
}

static void check_copy(const char *what, uint64_t rows)
{
    static const char both[] =
        "SELECT count(*) FROM (SELECT rowid,* FROM main.CUPTI_ACTIVITY_KIND_KERNEL INTERSECT "
        "SELECT rowid,* FROM i.CUPTI_ACTIVITY_KIND_KERNEL)";
    sqlite3 *db;
    char sql[80];
    assert_int_equal(sqlite3_open(copy_path, &db), SQLITE_OK);
    (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS i", path);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    if (number_from(db, "SELECT integrity_check='ok' FROM pragma_integrity_check") != 1)
        fail_msg("%s: the copy is damaged", what);
    if (number_from(db, both) != (int64_t)rows)
        fail_msg("%s: the rows of the copy differ", what);
    /* SQLite can go on with it */
    assert_int_equal(sqlite3_exec(db,
                                  "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid%3=0; INSERT "
                                  "INTO CUPTI_ACTIVITY_KIND_KERNEL(start) VALUES(1); VACUUM main",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

static void copies(void **state)
{
    static const struct {
        const char *sql;
        uint64_t rows;
    } c[] = {
        { PLAIN, 0 },
        { PLAIN FILL(1, WIDTHS), 1 },
        { PLAIN FILL(3000, WIDTHS), 3000 },
        { "PRAGMA page_size=512;" PLAIN FILL(60000, "'x',i,i,'',i"), 60000 },
        { "PRAGMA page_size=65536;" PLAIN FILL(9000, WIDTHS), 9000 },
        { PLAIN "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(rowid,start) VALUES"
                "(-9223372036854775807,1),(9223372036854775806,4),(-5,7),(0,1);",
          4 },
        { PLAIN FILL(300, "'x',i,i+1,hex(zeroblob(i*90)),i"), 300 },
        { "PRAGMA page_size=512;" PLAIN FILL(300, "hex(zeroblob(i*90)),i,i+1,'',1.5"), 300 },
        { TABLE "(start INTEGER PRIMARY KEY,x);" FILL(900, "i*7,'b'||i"), 900 },
        { TABLE "(start);" FILL(9000, "NULL"), 9000 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct az_mem mem;
        struct az_diag diag;
        struct az_parse job = { .diag = &diag, .mem = &mem };
        struct az_nsys_db x;
        struct copying copying;
        uint64_t given;
        make(c[i].sql);
        az_mem_init(&mem, 0);
        az_diag_init(&diag);
        assert_int_equal(az_nsys_db_open(&x, &job, az_sv_str(path)), 0);
        const uint32_t root = make_empty(x.db);
        assert_true(az_pages_open(&copying.pages, &x.file, "CUPTI_ACTIVITY_KIND_KERNEL", NULL, 0));
        copying.to = az_append_open(copy_path, copying.pages.page_size, &mem);
        assert_non_null(copying.to);
        az_append_begin(copying.to, root);
        if (az_pages_read(&copying.pages, append_one, &copying, &given) != 0)
            fail_msg("%s: not read after %llu rows", c[i].sql, (unsigned long long)given);
        az_append_end(copying.to);
        assert_int_equal(az_append_close(copying.to), 0);
        assert_int_equal(given, c[i].rows);
        az_nsys_db_close(&x);
        az_diag_release(&diag);
        assert_int_equal(mem.used, 0);
        check_copy(c[i].sql, c[i].rows);
    }
}

/* ---- texts by their key ---- */

static uint64_t next_of(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 24;
}

/* Asks for keys in both ways: what pages give is what SQLite gives. The number found in pages; -1:
 * the table is not looked at. */
static long finds(const char *what, int keys)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_parse job = { .diag = &diag, .mem = &mem };
    struct az_sqlite x;
    struct az_texts t = { .slots = 0 };
    sqlite3_stmt *st = NULL;
    uint64_t seed = 11;
    long found = 0;
    static const struct az_sqlite_kind kind = { "a database", "again", .views = true };
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    if (az_sqlite_open(&x, &job, &kind, az_sv_str(path)) != 0 ||
        sqlite3_prepare_v2(x.db, "SELECT value FROM StringIds WHERE id=?1", -1, &st, NULL) !=
            SQLITE_OK ||
        !az_texts_open(&t, &x, "StringIds", "id", "value"))
        found = -1;
    for (int i = 0; st && i < 3 * keys; i++) {
        const int64_t key = i < keys ? i - 3 : (int64_t)(next_of(&seed) % (unsigned)(keys + 9)) - 5;
        struct az_sv text = { NULL, 0 };
        if (!az_texts_get(&t, key, &text))
            continue;
        found++;
        (void)sqlite3_reset(st);
        (void)sqlite3_bind_int64(st, 1, key);
        if (sqlite3_step(st) != SQLITE_ROW || sqlite3_column_type(st, 0) != SQLITE_TEXT ||
            (size_t)sqlite3_column_bytes(st, 0) != text.n ||
            (text.n && memcmp(sqlite3_column_text(st, 0), text.p, text.n) != 0))
            fail_msg("%s: another text of %lld", what, (long long)key);
    }
    (void)sqlite3_finalize(st);
    az_texts_close(&t);
    az_sqlite_close(&x);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
    return found;
}

#define NAMES "CREATE TABLE StringIds(id INTEGER PRIMARY KEY,value TEXT);"
#define NAME(rows, key, value)                                                                     \
    COUNT #rows ") INSERT INTO StringIds(id,value) SELECT " key "," value " FROM c;"

static void texts(void **state)
{
    static const struct {
        const char *what, *sql;
        long found; /* -1: not to be looked at */
    } c[] = {
        { "no rows", NAMES, 0 },
        { "one page", NAMES NAME(20, "i", "'name '||i"), 20 + 20 },
        { "many pages", NAMES NAME(3000, "i", "'name '||i*i||hex(zeroblob(i%90))"), 3000 },
        { "small pages", "PRAGMA page_size=512;" NAMES NAME(3000, "i", "'n'||i*i"), 3000 },
        { "large pages", "PRAGMA page_size=65536;" NAMES NAME(3000, "i", "'n'||i*i"), 3000 },
        { "keys below zero, gaps", NAMES NAME(900, "i*3-60", "'n'||i"), 300 },
        { "no text, a number, bytes, a text over several pages",
          NAMES NAME(900, "i",
                     "CASE i%5 WHEN 0 THEN NULL WHEN 1 THEN CAST(i AS BLOB) WHEN 2 THEN "
                     "hex(zeroblob(2100)) ELSE 'n'||i END"),
          360 },
        { "further columns",
          "CREATE TABLE StringIds(a TEXT,value TEXT,id INTEGER PRIMARY KEY,b REAL);" NAME(900, "i",
                                                                                          "'n'||i"),
          900 },
        { "a column added later",
          "CREATE TABLE StringIds(id INTEGER PRIMARY KEY,a);INSERT INTO StringIds VALUES(1,2);"
          "ALTER TABLE StringIds ADD COLUMN value TEXT DEFAULT 'x';" NAME(50, "i+1", "'n'||i"),
          50 },
        { "a key that is a type of its own",
          "CREATE TABLE StringIds(id INT PRIMARY KEY,value TEXT);" NAME(90, "i+7", "'n'||i"), -1 },
        { "a key that is sorted the other way",
          "CREATE TABLE StringIds(id INTEGER PRIMARY KEY DESC,value TEXT);" NAME(90, "i+7",
                                                                                 "'n'||i"),
          -1 },
        { "a key of two columns",
          "CREATE TABLE StringIds(id INTEGER,k,value TEXT,PRIMARY KEY(id,k));" NAME(90, "i+7",
                                                                                    "'n'||i"),
          -1 },
        { "without row numbers",
          "CREATE TABLE StringIds(id INTEGER PRIMARY KEY,value TEXT) WITHOUT ROWID;" NAME(90, "i+7",
                                                                                          "'n'||i"),
          -1 },
        { "a computed text",
          "CREATE TABLE StringIds(id INTEGER PRIMARY KEY,v,value TEXT AS (v||'x'));"
          "INSERT INTO StringIds(id,v) VALUES(1,2);",
          -1 },
        { "texts of two bytes a letter",
          "PRAGMA encoding='UTF-16le';" NAMES NAME(90, "i", "'n'||i"), -1 },
        { "a log", "PRAGMA journal_mode=WAL;" NAMES NAME(90, "i", "'n'||i"), -1 },
        { "a view",
          "CREATE TABLE t(id INTEGER PRIMARY KEY,value TEXT);CREATE VIEW StringIds AS SELECT * "
          "FROM t;",
          -1 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        make(c[i].sql);
        const long found = finds(c[i].what, 3003);
        if (c[i].found < 0 ? found >= 0 : found < c[i].found)
            fail_msg("%s: %ld found in pages", c[i].what, found);
    }
}

static void damaged_texts(void **state)
{
    uint64_t seed = 7;
    long found = 0;
    size_t n;
    (void)state;
    make("PRAGMA page_size=512;" NAMES NAME(400, "i", "'name '||i*i||hex(zeroblob(i%40))"));
    unsigned char *whole = load(&n), *bytes = malloc(n);
    assert_non_null(bytes);
    for (int round = 0; round < 600; round++) {
        char what[80];
        memcpy(bytes, whole, n);
        for (int k = 0; k <= round % 7; k++) {
            const size_t page = 1 + next_of(&seed) % (n / 512 - 1),
                         at = page * 512 + next_of(&seed) % (round % 2 ? 24 : 512);
            bytes[at] = (unsigned char)next_of(&seed);
        }
        const size_t left = round % 10 ? n : n - next_of(&seed) % (n - 1024);
        store(bytes, left);
        (void)snprintf(what, sizeof what, "round %d, %zu of %zu", round, left, n);
        const long here = finds(what, 403);
        found += here > 0 ? here : 0;
    }
    assert_true(found > 200000);
    free(bytes);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(files),  cmocka_unit_test(side_by_side),
                                        cmocka_unit_test(damage), cmocka_unit_test(copies),
                                        cmocka_unit_test(texts),  cmocka_unit_test(damaged_texts) };
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    (void)close(fd);
    const int copy = mkstemp(copy_path);
    if (copy < 0)
        return 1;
    (void)close(copy);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_database(path);
    remove_database(copy_path);
    return failed;
}
