/* JSON scanner, arrays of records: truncation, malformed records, large records, limits, parts of a
 * file. */
#include "text_json.h"

static const char trace[] =
    "{\"schemaVersion\": 1, \"note\": \"{\\\"ph\\\":\", \"traceEvents\": [\n"
    "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\\\\\\\"b\", \"pid\": 1,\n    "
    "\"ts\": 12.345, \"dur\": 6,\n"
    "    \"args\": {\"inner\": [[1, 2], [\"}\"]], \"ph\": \"no\"}\n  },\n"
    "  {\"ph\": \"f\", \"id\": \"x\", \"ts\": 13},\n  {\"ph\": \"X\", \"name\": \"caf\xc3\xa9 "
    "\\u00e9\", \"args\": {}},\n"
    "  {\"ph\": \"M\"}\n], \"after\": {\"x\": [1]}}\n";

/* ---- truncation ---- */
static size_t complete_records(const char *doc, size_t n)
{
    static const char *const ends[] = { "\"no\"}\n  }", "\"ts\": 13}", "{}}", "\"M\"}" };
    size_t count = 0;
    const char *from = strstr(doc, "traceEvents\": [");
    for (size_t i = 0; i < 4; i++) {
        const char *e = strstr(from, ends[i]) + strlen(ends[i]);
        count += (size_t)(e - doc) <= n;
    }
    return count;
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    const size_t whole = sizeof trace - 1, array = (size_t)(strstr(trace, ": [\n") - trace) + 3,
                 close = (size_t)(strstr(trace, "], \"after") - trace);
    for (size_t n = 0; n <= whole; n++) {
        struct dump d = { 0 };
        dump_all_ways(&d, az_sv_make(trace, n));
        assert_int_equal(d.array.records, complete_records(trace, n));
        assert_int_equal(d.array.malformed, 0);
        assert_int_equal(d.array.truncated, n >= array && n <= close);
        if (d.array
                .truncated) { /* after the last complete record, at most a comma and blanks later */
            assert_true(d.array.end_offset <= (int64_t)n);
            for (int64_t i = d.array.end_offset; i < (int64_t)n && d.array.records == 4; i++)
                assert_true(trace[i] == ' ' || trace[i] == '\n');
        }
        const bool done = n > whole - 2;
        assert_int_equal(d.rc, n == 0                      ? AZ_EEMPTY
                               : done || d.array.truncated ? AZ_JSON_OK
                                                           : AZ_JSON_MORE);
        dump_release(&d);
    }
}

static void cut_strictly(void **state)
{
    (void)state;
    for (size_t n = 0; n <= sizeof trace - 1; n++) { /* strict or not, an end is an end */
        struct dump lax = { 0 }, strict = { .strict = true };
        dump_all_ways(&lax, az_sv_make(trace, n));
        dump_all_ways(&strict, az_sv_make(trace, n));
        assert_true(az_sv_eq(az_text_view(&lax.text), az_text_view(&strict.text)));
        dump_release(&lax);
        dump_release(&strict);
    }
}

/* ---- malformed records ---- */
static void left_out(const char *doc, const char *want, size_t malformed, int64_t first_bad)
{
    struct dump d = { 0 };
    dump_all_ways(&d, az_sv_str(doc));
    if (d.text.n < strlen(want) || memcmp(d.text.v, want, strlen(want)) != 0 ||
        d.array.malformed != malformed || d.array.first_bad != first_bad) {
        print_error("%s\n%.*s", doc, AZ_SVF(az_text_view(&d.text)));
        fail();
    }
    dump_release(&d);
    struct dump strict = { .strict = true };
    dump_all_ways(&strict, az_sv_str(doc));
    assert_int_equal(strict.rc, malformed ? AZ_JSON_BAD : AZ_JSON_OK);
    dump_release(&strict);
}

static void resynchronises(void **state)
{
    (void)state;
    /* an unescaped quote, a missing colon, comma and value, a stray bracket */
    left_out("[{\"ph\":1},{\"ph\":\"a\"b\"},{\"ph\":3}]", "p|1|\np|3|\n", 1, 19);
    left_out("[{\"ph\":1},{\"ph\" 2},{\"ph\":3}]", "p|1|\np|3|\n", 1, 16);
    left_out("[{\"ph\":1},{\"ph\":2 \"ts\":1},{\"ph\":3}]", "p|1|\np|3|\n", 1, 18);
    left_out("[{\"ph\":1},{\"ph\":},{\"ph\":3}]", "p|1|\np|3|\n", 1, 16);
    left_out("[{\"ph\":1},{\"ph\":2]},{ \"ph\" :3}]", "p|1|\np|3|\n", 1, 17);
    /* the first record is the bad one; the only one */
    left_out("[{\"ph\":x},{\"ph\":2},{\"ph\":3}]", "p|2|\np|3|\n", 1, 7);
    left_out("[{\"ph\":x}]", "rc 0", 1, 7);
    left_out("[{x},{\"ts\":2}]", "t|2000|\n", 1, 2);
    /* a record that begins with another key is skipped with the bad one before it */
    left_out("[{\"ph\":1},{\"ph\":y},{\"cat\":2},{\"ph\":3}]", "p|1|\np|3|\n", 1, 16);
    /* two in a row */
    left_out("[{\"ph\":1},{\"ph\":y},{\"ph\":z},{\"ph\":3}]", "p|1|\np|3|\n", 2, 16);
    /* things that are no records stand between them: allowed; garbage is not */
    left_out("[1,\"{\",[{\"ph\":0}],null,{\"ph\":1},{\"ph\":2}]", "p|1|\np|2|\n", 0, -1);
    left_out("[{\"ph\":1},garbage,{\"ph\":2}]", "p|1|\np|2|\n", 1, 10);
    left_out("[garbage,{\"ph\":2}]", "p|2|\n", 1, 1);
    left_out("[{\"ph\":1}},{\"ph\":2}]", "p|1|\np|2|\n", 1, 9);
    /* commas too many or too few are taken */
    left_out("[{\"ph\":1},,{\"ph\":2}{\"ph\":3},]", "p|1|\np|2|\np|3|\n", 0, -1);
    /* what looks like a record inside a string does not: its quotes are escaped */
    left_out("[{\"ph\":1},{\"ph\":y,\"name\":\"{\\\"ph\\\":7}\"},{\"ph\":3}]", "p|1|\np|3|\n", 1,
             16);
}

/* What stands between records is known after the first two, and may change. */
static void between_records(void **state)
{
    (void)state;
    left_out(
        "[{\"ph\":1},\n  {\"ph\":2},\n  {\"ph\":3} ,{\"ph\":4},\n  \n{\"ph\":5}\n  {\"ph\":6},,"
        "{\"ph\":7},\n  ,{\"ph\":8},\n  {\"ph\":9}\n,\n{\"ph\":10}\n,\n{\"ph\":11}\n,\n]",
        "p|1|\np|2|\np|3|\np|4|\np|5|\np|6|\np|7|\np|8|\np|9|\np|10|\np|11|\n", 0, -1);
    left_out("[{\"ph\":1},\t{\"ph\":2},\t7,\t{\"ph\":3},\tx,\t{\"ph\":4}]",
             "p|1|\np|2|\np|3|\np|4|\n", 1, 34);
}

/* Literals between keys longer than what is compared at once, and than what is kept. */
static void long_literals(void **state)
{
    (void)state;
    for (int n = 0; n < 60; n++) {
        char doc[1000], *p = doc;
        p += sprintf(p, "[");
        for (int i = 0; i < 4; i++)
            p += sprintf(p, "%s{\"ph\":1,%*s\"ts\":2%*s}", i ? "," : "", n, "", n, "");
        p += sprintf(p, ",{\"ph\":1,%*s\"dur\":2},{\"ph\":1,%*s\"ts\":3}]", n, "", n, "");
        struct dump d = { 0 }, plain = { 0 };
        dump_all_ways(&d, az_sv_str(doc));
        dump_all_ways(&plain,
                      AZ_SV("[{\"ph\":1,\"ts\":2},{\"ph\":1,\"ts\":2},{\"ph\":1,\"ts\":2},"
                            "{\"ph\":1,\"ts\":2},{\"ph\":1,\"dur\":2},{\"ph\":1,\"ts\":3}]"));
        struct az_sv a = az_text_view(&d.text), b = az_text_view(&plain.text);
        for (int i = 0; i < 6; i++) /* a line a record; then offsets */
            assert_true(az_sv_eq(az_sv_cut(&a, '\n'), az_sv_cut(&b, '\n')));
        dump_release(&d);
        dump_release(&plain);
    }
}

static void swallowing_records(void **state)
{
    (void)state;
    /* an open bracket, and an open string whose end is the next quote */
    left_out("[{\"ph\":1},{\"ph\":[2,{\"x\":1},\n{\"ph\":3},{\"ph\":4}]", "p|1|\np|3|\np|4|\n", 1,
             10);
    left_out("[{\"ph\":1},{\"ph\":\"2},{\"ph\":3},{\"ph\":4}]", "p|1|\np|3|\np|4|\n", 1, 22);
    /* the last record is cut off, not malformed */
    left_out("[{\"ph\":1},{\"ph\":[2,", "p|1|\nrc 0", 0, -1);
    struct dump d = { 0 };
    char doc[20 * 200], *p = doc;
    p += sprintf(p, "[{\"ph\":0}");
    for (int i = 0; i < 200; i++) /* every one open: reading gives up, but ends */
        p += sprintf(p, ",{\"ph\":[%d", i);
    sprintf(p, ",{\"ph\":1}]");
    dump_all_ways(&d, az_sv_str(doc));
    assert_int_equal(d.rc, 0);
    assert_true(d.array.truncated);
    assert_int_equal(d.array.records, 1);
    assert_int_equal(d.array.malformed, 64);
    dump_release(&d);
}

/* ---- size ---- */
static void large_records(void **state)
{
    (void)state;
    static char doc[70000];
    for (size_t size = 50; size < 60000; size = size * 3 / 2) {
        struct dump d = { 0 };
        char *p = doc;
        p += sprintf(p, "[{\"ph\":1},{\"ph\":2,\"args\":{\"inner\":[\"");
        memset(p, 'y', size);
        p += size;
        p += sprintf(p, "\",[[]]]}},{\"ph\":3}]");
        dump_all_ways(&d, az_sv_make(doc, (size_t)(p - doc)));
        assert_int_equal(d.array.records, 3);
        assert_int_equal(d.rc, 0);
        dump_release(&d);
    }
}

static void records_over_the_limit(void **state)
{
    (void)state;
    static char doc[8000];
    char *p = doc;
    p += sprintf(p, "[{\"ph\":1},{\"ph\":\"");
    memset(p, 'y', 3000);
    p += 3000;
    p += sprintf(p, "\"},{\"ph\":3}]");
    static const size_t windows[] = { 64, 100, 511, 512 };
    for (size_t i = 0; i < 4; i++) {
        struct dump d = { .max_record = 512 };
        dump_run(&d, az_sv_make(doc, (size_t)(p - doc)), windows[i], 0);
        assert_int_equal(d.rc, 0);
        assert_int_equal(d.array.records, 2);
        assert_int_equal(d.array.malformed, 1);
        assert_true(d.scan.cap <= 512);
        dump_release(&d);
    }
    /* metadata of any size is skipped in constant memory; wanted whole it is too large */
    p = doc + sprintf(doc, "{\"big\":{\"x\":\"");
    memset(p, 'y', 3000);
    p += 3000;
    p += sprintf(p, "\"},\"traceEvents\":[{\"ph\":1}]}");
    struct dump d = { .max_record = 512 };
    dump_run(&d, az_sv_make(doc, (size_t)(p - doc)), 64, 0);
    assert_int_equal(d.rc, 0);
    assert_int_equal(d.array.records, 1);
    dump_release(&d);
}

static void memory_limit(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_jscan s;
    static char doc[5000] = "[{\"ph\":\"";
    struct bytes src = { .p = doc, .n = sizeof doc };
    memset(doc + 8, 'x', sizeof doc - 8);
    az_mem_init(&mem, 1000);
    assert_int_equal(az_jscan_init(&s, bytes_fill, &src, 2000, &mem), AZ_ELIMIT);
    assert_int_equal(mem.used, 0);
    struct dump d = { .array = { .first_bad = -1 } };
    az_jkeys_init(&d.keys, test_keys);
    az_mem_init(&mem, 1000);
    assert_int_equal(az_jscan_init(&s, bytes_fill, &src, 256, &mem), 0);
    az_vec_init(&d.line, NULL);
    assert_int_equal(az_jscan_records(&s, dump_record, &d, false, &d.array), AZ_ELIMIT);
    az_jscan_release(&s);
    assert_int_equal(mem.used, 0);
    az_vec_release(&d.line);
}

static void read_errors(void **state)
{
    (void)state;
    for (size_t at = 1; at < sizeof trace - 2; at++) {
        struct dump d = { 0 };
        d.src.fail_at = at;
        dump_run(&d, az_sv_make(trace, sizeof trace - 1), 64, 0);
        assert_int_equal(d.rc, AZ_EIO);
        dump_release(&d);
    }
}

static int stops_at_third(void *ctx, struct az_jscan *s)
{
    int *n = ctx;
    struct az_sv raw;
    s->p--;
    int rc = az_json_skip(s, &raw);
    return rc == AZ_JSON_OK && ++*n == 3 ? AZ_EINTR : rc;
}

static void errors_of_the_caller(void **state)
{
    (void)state;
    struct az_jscan s;
    struct az_jarray a;
    struct bytes src = { .p = "[{},{},{},{}]", .n = 13 };
    int n = 0;
    assert_int_equal(az_jscan_init(&s, bytes_fill, &src, 64, NULL), 0);
    assert_int_equal(az_jscan_records(&s, stops_at_third, &n, false, &a), AZ_EINTR);
    assert_int_equal(a.records, 2);
    az_jscan_release(&s);
}

/* ---- parts ---- */
struct part {
    int64_t start, end; /* of the records read */
    uint64_t records;
};

static struct part read_part(const char *doc, size_t n, size_t from, int64_t stop, size_t window)
{
    struct dump d = { .src = { .p = doc + from, .n = n - from } };
    az_jkeys_init(&d.keys, test_keys);
    az_jkeys_init(&d.inner, test_keys);
    az_vec_init(&d.line, NULL);
    az_vec_init(&d.text, NULL);
    az_arena_init(&d.arena, NULL);
    assert_int_equal(az_jscan_init(&d.scan, bytes_fill, &d.src, window, NULL), 0);
    d.scan.base = (int64_t)from;
    az_jscan_hint(&d.scan, AZ_SV("ph"));
    struct part p = { 0 };
    int rc = az_jscan_resync(&d.scan);
    assert_true(rc == AZ_JSON_OK || rc == AZ_JSON_END);
    p.start = p.end = az_jscan_offset(&d.scan);
    if (rc == AZ_JSON_OK) {
        assert_int_equal(az_jscan_records_until(&d.scan, stop, dump_record, &d, false, &d.array),
                         AZ_JSON_OK);
        p.end = d.array.end_offset;
        p.records = d.array.records;
    }
    az_jscan_release(&d.scan);
    az_vec_release(&d.line);
    az_vec_release(&d.text);
    az_arena_release(&d.arena);
    return p;
}

/* Wherever a file is cut into two parts, the first ends where the second begins and none is lost or
 * read twice. */
static void parts_meet(void **state)
{
    (void)state;
    const size_t n = sizeof trace - 1;
    const size_t first = (size_t)(strstr(trace, "  {\n    \"ph\"") - trace),
                 close = (size_t)(strstr(trace, "], \"after") - trace);
    static const size_t windows[] = { 64, 90, 4096 };
    for (size_t cut = first + 3; cut < close; cut++) {
        for (size_t w = 0; w < 3; w++) {
            struct part a = read_part(trace, n, first, (int64_t)cut, windows[w]);
            struct part b = read_part(trace, n, cut, INT64_MAX, windows[w]);
            if (trace[a.end] == ']') { /* no record begins after the cut */
                assert_int_equal(a.records, 4);
                assert_int_equal(b.records, 0);
                continue;
            }
            assert_int_equal(a.end, b.start);
            assert_int_equal(a.records + b.records, 4);
            assert_int_equal(trace[b.end], ']');
        }
    }
}

/* A nested object that begins like a record: a part that starts there is found out, for the part
 * before ends elsewhere.
 */
static void wrong_starts_are_seen(void **state)
{
    (void)state;
    static const char doc[] = "[{\"ph\":1},{\"ph\":2,\"args\":[{\"ph\":7}]},{\"ph\":3}]";
    const size_t n = sizeof doc - 1;
    size_t wrong = 0;
    for (size_t cut = 2; cut < n; cut++) {
        struct part a = read_part(doc, n, 1, (int64_t)cut, 64),
                    b = read_part(doc, n, cut, INT64_MAX, 64);
        const size_t nested = (size_t)(strstr(doc, "{\"ph\":7") - doc);
        if (b.start == (int64_t)nested) {
            assert_true(a.end != b.start);
            wrong++;
        } else if (doc[a.end] != ']') {
            assert_int_equal(a.end, b.start);
        }
    }
    assert_true(wrong > 0);
}

static void hints(void **state)
{
    (void)state;
    struct az_jscan s;
    struct bytes src = { .p = "xx{\"a\":1} {\"b\" :2}", .n = 18 };
    assert_int_equal(az_jscan_init(&s, bytes_fill, &src, 64, NULL), 0);
    az_jscan_hint(&s, AZ_SV("b"));
    assert_int_equal(az_jscan_resync(&s), AZ_JSON_OK);
    assert_int_equal(az_jscan_offset(&s), 10);
    s.p++;
    assert_int_equal(az_jscan_resync(&s), AZ_JSON_END);
    assert_int_equal(az_jscan_offset(&s), 18);
    az_jscan_release(&s);
    char blanks[400];
    memset(blanks, ' ', sizeof blanks);
    blanks[0] = '{';
    memcpy(blanks + 380, "{\"b\":1}", 7);
    struct bytes wide = { .p = blanks, .n = sizeof blanks };
    assert_int_equal(az_jscan_init(&s, bytes_fill, &wide, 64, NULL), 0);
    s.max_record = 128; /* blanks over the largest window are no record's start */
    az_jscan_hint(&s, AZ_SV("b"));
    assert_int_equal(az_jscan_resync(&s), AZ_JSON_OK);
    assert_int_equal(az_jscan_offset(&s), 380);
    az_jscan_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_at_every_byte),     cmocka_unit_test(cut_strictly),
        cmocka_unit_test(resynchronises),        cmocka_unit_test(between_records),
        cmocka_unit_test(long_literals),         cmocka_unit_test(swallowing_records),
        cmocka_unit_test(large_records),         cmocka_unit_test(records_over_the_limit),
        cmocka_unit_test(memory_limit),          cmocka_unit_test(read_errors),
        cmocka_unit_test(errors_of_the_caller),  cmocka_unit_test(parts_meet),
        cmocka_unit_test(wrong_starts_are_seen), cmocka_unit_test(hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
