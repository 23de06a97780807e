/* SQL over a made-up trace: values of columns, indexes, what is refused, limits, how results are
 * printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "query_source.h"

struct out {
    struct az_vec_char text;
};

static int put(void *ctx, struct az_sv text)
{
    struct out *o = ctx;
    return az_text_append(&o->text, text);
}

static struct az_query_limits none;
static size_t columns; /* of the terminal; 0: a pipe */

/* The result as CSV; what is wrong in *rc. */
static int run(struct az_query *q, const char *sql, enum az_query_form form, char *to, size_t room)
{
    struct az_query_printer *p;
    struct az_diag diag;
    struct out o;

    az_vec_init(&o.text, NULL);
    az_diag_init(&diag);
    assert_int_equal(az_query_printer_new(&p, form, put, &o), 0);
    az_query_printer_fit(p, columns);
    const struct az_query_sink sink = az_query_printer_sink(p);
    const int rc = az_query_run(q, az_sv_str(sql), &sink, NULL, &diag);
    snprintf(to, room, "%.*s", (int)o.text.n, o.text.v ? o.text.v : "");
    assert_true(rc == 0 || rc == AZ_EINTR || diag.errors > 0);
    az_query_printer_free(p);
    az_vec_release(&o.text);
    az_diag_release(&diag);
    return rc;
}

static void check(struct az_query *q, const char *sql, const char *want)
{
    char got[4096];
    const int rc = run(q, sql, AZ_QUERY_CSV, got, sizeof got);
    const char *body = strchr(got, '\n');

    assert_int_equal(rc, 0);
    assert_non_null(body);
    assert_string_equal(body + 1, want);
}

static struct az_query *opened(struct query_source *s)
{
    struct az_query *q;
    struct az_diag diag;

    query_source_init(s);
    az_diag_init(&diag);
    assert_int_equal(az_query_open(&q, &s->source, &none, &diag), 0);
    az_diag_release(&diag);
    return q;
}

/* Names are whole in a pipe and on a wide terminal; else the widest are shortened, the last column
 * and those of numbers not. */
static void fits_a_terminal(void **state)
{
#define LONG "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg"
#define SQL  "SELECT '" LONG "' AS a, 12345 AS n, '" LONG "' AS z"
    static const struct {
        size_t columns;
        const char *want;
    } cases[] = {
        { 0, LONG "  12345  " LONG "\n" },
        { 400, LONG "  12345  " LONG "\n" },
        { 119, LONG "  12345  " LONG "\n" },
        { 118, "aaaaaaaaaabbbbbbbbbbccccccccccdddd\xe2\x80\xa6"
               "ddddeeeeeeeeeeffffffffffgggggggggg  12345  " LONG "\n" },
        { 10, "aaaaaaaaaa\xe2\x80\xa6ggggggggg  12345  " LONG "\n" },
    };
    struct query_source s;
    struct az_query *q = opened(&s);
    char got[1024];

    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        columns = cases[i].columns;
        assert_int_equal(run(q, SQL, AZ_QUERY_TEXT, got, sizeof got), 0);
        const char *row = strchr(got, '\n');
        assert_non_null(row);
        assert_string_equal(row + 1, cases[i].want);
        assert_int_equal(run(q, SQL, AZ_QUERY_CSV, got, sizeof got), 0);
        assert_string_equal(got, "a,n,z\n" LONG ",12345," LONG "\n");
    }
    columns = 0;
    az_query_close(q);
    query_source_release(&s);
}

static void values(void **state)
{
    struct query_source s;
    struct az_query *q = opened(&s);
    (void)state;

    check(q, "SELECT count(*), min(id), max(id) FROM kernels", "24,1,24\n");
    check(q,
          "SELECT rank, start_ns, end_ns, dur_ns, name, device, stream, call, family, work FROM "
          "kernels WHERE id IN (1, 13)",
          "0,50,60,10,gemm_a,0,7,1,gemm,compute\n1,50,60,10,softmax_b,0,7,13,softmax,compute\n");
    check(q, "SELECT name, count(*) FROM kernels GROUP BY name ORDER BY name",
          "gemm_a,6\ngemm_c,6\nncclAllReduce,6\nsoftmax_b,6\n");
    check(q, "SELECT correlation, typeof(correlation) FROM kernels WHERE id IN (1, 14)",
          "1,integer\n2,integer\n");
    /* lanes are numbered through all traces */
    check(
        q,
        "SELECT 'kernel', rank, lane FROM kernels UNION SELECT 'call', rank, lane FROM calls UNION "
        "SELECT 'copy', rank, lane FROM copies",
        "call,0,1\ncall,1,3\ncopy,0,2\ncopy,1,4\nkernel,0,2\nkernel,1,4\n");
    check(q, "SELECT id FROM lanes ORDER BY id", "1\n2\n3\n4\n");
    check(q, "SELECT kind, bytes, source, destination FROM copies WHERE rank = 0",
          "copy,4096,pageable,device\n");
    check(q, "SELECT wait_ns, call_name, kernel FROM launches WHERE id = 2", "40,launch,2\n");
    check(q, "SELECT count(*), sum(dur_ns), min(cause) FROM gaps WHERE rank = 0",
          "12,1064,launch not recorded\n");
    az_query_close(q);
    query_source_release(&s);
}

/* What an index gives is what a scan gives. */
static void indexes(void **state)
{
    static const char *const conditions[] = { "name = 'gemm_a'",
                                              "name > 'gemm_b'",
                                              "name BETWEEN 'gemm_b' AND 'softmax_b'",
                                              "name = 'no'",
                                              "name < ''",
                                              "name >= 'zzz'",
                                              "start_ns = 350",
                                              "start_ns > 350 AND start_ns <= 950",
                                              "start_ns < 350.5",
                                              "start_ns >= 350.5",
                                              "start_ns = '350'",
                                              "id = 24",
                                              "id > 3 AND id < 9",
                                              "id = 25",
                                              "id = -1",
                                              "id > 9e99",
                                              "call = 13",
                                              "call > 20",
                                              "name = NULL",
                                              "name LIKE '%MM%'",
                                              "name GLOB '*a'",
                                              "device = 0 AND name LIKE 'g%'",
                                              "name = x'41'",
                                              "id = 9223372036854775807",
                                              "start_ns > -9223372036854775808" };
    struct query_source s;
    struct az_query *q = opened(&s);
    char sql[512], one[4096], other[4096];
    (void)state;

    for (size_t i = 0; i < AZ_LENGTH(conditions); i++) {
        snprintf(sql, sizeof sql, "SELECT id FROM kernels WHERE %s ORDER BY +id", conditions[i]);
        assert_int_equal(run(q, sql, AZ_QUERY_CSV, one, sizeof one), 0);
        snprintf(sql, sizeof sql,
                 "SELECT id FROM (SELECT id, start_ns, name, call, device FROM kernels LIMIT -1 "
                 "OFFSET 0) WHERE %s ORDER BY id",
                 conditions[i]);
        assert_int_equal(run(q, sql, AZ_QUERY_CSV, other, sizeof other), 0);
        assert_string_equal(one, other);
    }
    check(q, "SELECT start_ns, rank FROM kernels ORDER BY start_ns DESC, rank LIMIT 3",
          "1150,0\n1150,1\n1050,0\n");
    check(q, "SELECT DISTINCT name FROM kernels ORDER BY name DESC",
          "softmax_b\nncclAllReduce\ngemm_c\ngemm_a\n");
    az_query_close(q);
    query_source_release(&s);
}

/* Rows in the order of columns without an index, and groups of them, as SQLite sorts them itself:
 * it knows no order of a query with an offset. */
static void orders(void **state)
{
    static const char *const by[] = {
        "lane",           "device, stream DESC",   "family DESC, name", "call DESC, name",
        "step, family",   "collective DESC, lane", "name, device DESC", "rank, class, stream",
        "op_name, scope", "self_ns DESC"
    };
    static const char *const groups[] = { "lane",          "device, stream",    "family",
                                          "name, step",    "class, rank, call", "collective",
                                          "scope, op_name" };
    static const char *const where[] = { "1", "device = 0 AND name LIKE 'g%'", "name > 'gemm_b'",
                                         "id = 24", "name = NULL" };
    struct query_source s;
    struct az_query *q = opened(&s);
    char sql[512], one[8192], other[8192];
    (void)state;

    for (size_t i = 0; i < AZ_LENGTH(by) * AZ_LENGTH(where); i++) {
        const char *const of[] = { "kernels", "(SELECT * FROM kernels LIMIT -1 OFFSET 0)" };
        char *const to[] = { one, other };
        for (size_t k = 0; k < 2; k++) {
            snprintf(sql, sizeof sql, "SELECT id, name, lane FROM %s WHERE %s ORDER BY %s, id",
                     of[k], where[i % AZ_LENGTH(where)], by[i / AZ_LENGTH(where)]);
            assert_int_equal(run(q, sql, AZ_QUERY_CSV, to[k], sizeof one), 0);
        }
        assert_string_equal(one, other);
        for (size_t k = 0; k < 2 && i < AZ_LENGTH(groups) * AZ_LENGTH(where); k++) {
            const char *g = groups[i / AZ_LENGTH(where)];
            snprintf(sql, sizeof sql,
                     "SELECT %s, count(*), sum(dur_ns), min(id) FROM %s WHERE %s GROUP BY %s", g,
                     of[k], where[i % AZ_LENGTH(where)], g);
            assert_int_equal(run(q, sql, AZ_QUERY_CSV, to[k], sizeof one), 0);
        }
        assert_string_equal(one, other);
    }
    az_query_close(q);
    query_source_release(&s);
}

static void reports(void **state)
{
    struct query_source s;
    struct az_query *q = opened(&s);
    char text[4096];
    (void)state;

    check(q, "SELECT 1", "1\n");
    assert_int_equal(s.reports, 0);
    check(q, "SELECT input, rule, bad FROM findings WHERE bad",
          "made up,\"a 'rule' \"\"of\"\" \xc3\xa9\",1\n");
    check(q, "SELECT count(*) FROM findings JOIN tables ON name = 'findings'", "3\n");
    assert_int_equal(s.reports, 1);
    check(q, "SELECT type FROM columns WHERE table_name = 'findings' AND name LIKE 'bad'",
          "boolean\n");
    assert_int_equal(
        run(q, "SELECT 1 AS a, 'x\"' AS b, NULL AS c, 2.5 AS d", AZ_QUERY_JSON, text, sizeof text),
        0);
    assert_string_equal(text, "{\"columns\":[\"a\",\"b\",\"c\",\"d\"],\"rows\":[\n[1,\"x\\\"\","
                              "null,2.5]\n],\"cut\":false}\n");
    assert_int_equal(run(q, "SELECT 'long name' AS a, 12 AS b UNION ALL SELECT 'x', 3",
                         AZ_QUERY_TEXT, text, sizeof text),
                     0);
    assert_string_equal(text, "a           b\nlong name  12\nx           3\n");
    az_query_close(q);
    s.no_report = true;
    query_source_release(&s);
}

static void refused(void **state)
{
    static const char *const sql[] = { "DELETE FROM kernels",
                                       "CREATE TABLE t(x)",
                                       "ATTACH 'x' AS y",
                                       "PRAGMA journal_mode",
                                       "VACUUM INTO 'x'",
                                       "SELECT load_extension('x')",
                                       "BEGIN",
                                       "nonsense",
                                       "SELECT 1; SELECT 2",
                                       "SELECT nothing FROM kernels" };
    struct query_source s;
    struct az_query *q = opened(&s);
    char text[4096];
    (void)state;

    for (size_t i = 0; i < AZ_LENGTH(sql); i++)
        assert_int_equal(run(q, sql[i], AZ_QUERY_CSV, text, sizeof text), AZ_EUSAGE);
    assert_int_equal(run(q, "-- nothing", AZ_QUERY_CSV, text, sizeof text), 0);
    az_query_close(q);
    query_source_release(&s);
}

static bool now(void *ctx)
{
    (void)ctx;
    return true;
}

/* The time left is at most the limit, and 3 s for a statement that ends by itself. */
static void watched(void *ctx, int64_t ms)
{
    int64_t *last = ctx;
    assert_true(ms == 0 || (ms > 600000 - 60000 && ms <= 600000 + 3000));
    last[ms != 0] = ms;
    last[0] = ms ? last[0] : 1;
}

static void limits(void **state)
{
    static const char endless[] =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    struct query_source s;
    struct az_query *q = opened(&s);
    char text[4096];
    (void)state;

    az_query_limit(q, &(struct az_query_limits){ .rows = 2 });
    check(q, "SELECT id FROM kernels", "1\n2\n");
    az_query_limit(q, &(struct az_query_limits){ .ms = 50 });
    assert_int_equal(run(q, endless, AZ_QUERY_CSV, text, sizeof text), AZ_ELIMIT);
    az_query_limit(q, &(struct az_query_limits){ .length = 10 });
    assert_int_equal(run(q, "SELECT 1 AS too_long", AZ_QUERY_CSV, text, sizeof text), AZ_ELIMIT);
    az_query_limit(q, &(struct az_query_limits){ .cancel = { now, NULL } });
    assert_int_equal(run(q, endless, AZ_QUERY_CSV, text, sizeof text), AZ_EINTR);
    az_query_limit(q, &(struct az_query_limits){ .bytes = 1 << 20 });
    assert_int_equal(run(q,
                         "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT "
                         "500000) SELECT count(*) FROM (SELECT x FROM c ORDER BY -x LIMIT 500000)",
                         AZ_QUERY_CSV, text, sizeof text),
                     AZ_ELIMIT);
    int64_t last[2] = { 0, 0 };
    az_query_limit(q,
                   &(struct az_query_limits){ .ms = 600000, .watch = watched, .watch_ctx = last });
    check(q, "SELECT count(*) FROM kernels", "24\n");
    assert_true(last[0] == 1 && last[1] > 0);
    az_query_limit(q, &none);
    check(q, "SELECT count(*) FROM kernels", "24\n");
    az_query_close(q);
    query_source_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values), cmocka_unit_test(fits_a_terminal), cmocka_unit_test(indexes),
        cmocka_unit_test(orders), cmocka_unit_test(reports),         cmocka_unit_test(refused),
        cmocka_unit_test(limits)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
