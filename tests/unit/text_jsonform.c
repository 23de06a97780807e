/* Records read by their form: the same values as by their keys, whatever differs from the record
 * that was learned from. */
#include "text_json.h"

#include <stdlib.h>

#include "text/json_template.h"

enum { A = 1, B, C, INNER };
static const char *const keys[] = { "a", "b", "c", "inner", "size", "flags", NULL };

struct record {
    int64_t a, c;
    uint64_t b;
    bool has_a;
};

struct reader {
    struct az_jkeys keys;
    struct az_jform form;
    struct record now;
    struct az_vec_char text;
    bool by_keys;
    size_t by_form; /* records */
};

static int number(struct reader *r, struct az_jscan *s, void *out, bool *has)
{
    int64_t v;
    bool missing;
    az_json_template_place(&r->form, s->p, (size_t)((char *)out - (char *)&r->now));
    const int rc = az_json_i64(s, &v, &missing);
    *has = rc == AZ_JSON_OK && !missing;
    v = *has ? v : 0;
    memcpy(out, &v, sizeof v);
    return rc;
}

static int members(struct reader *r, struct az_jscan *s)
{
    struct az_sv raw;
    bool has;
    int k = az_json_first_key(s, &r->keys);
    while (k >= 0) {
        int rc;
        if (k == A)
            rc = number(r, s, &r->now.a, &r->now.has_a);
        else if (k == B)
            rc = number(r, s, &r->now.b, &has);
        else if (k == C)
            rc = number(r, s, &r->now.c, &has);
        else if (k == INNER && *s->p == '{') {
            s->p++;
            r->now.c = 0;
            az_json_template_clear(&r->form, offsetof(struct record, c));
            rc = members(r, s);
        } else {
            az_json_template_place(&r->form, s->p, AZ_JSON_TEMPLATE_NOWHERE);
            rc = az_json_skip(s, &raw);
        }
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &r->keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static int read_record(void *ctx, struct az_jscan *s)
{
    struct reader *r = ctx;
    char line[128];
    if (r->by_keys || !az_json_template_read(&r->form, s, &r->now, sizeof r->now)) {
        const char *from = s->p;
        r->now = (struct record){ .c = -1 };
        if (!r->by_keys)
            az_json_template_begin(&r->form);
        const int rc = members(r, s);
        if (rc != AZ_JSON_OK)
            return rc;
        az_json_template_end(&r->form, from, s->p, &r->now, sizeof r->now);
    } else {
        r->by_form++;
    }
    const int n = snprintf(line, sizeof line, "%lld %llu %lld %d\n", (long long)r->now.a,
                           (unsigned long long)r->now.b, (long long)r->now.c, r->now.has_a);
    assert_int_equal(az_text_append(&r->text, az_sv_make(line, (size_t)n)), 0);
    return AZ_JSON_OK;
}

/* The values of a document's records, as text in r. */
static void read_document(struct reader *r, struct az_sv doc, size_t window, size_t step)
{
    struct bytes src = { .p = doc.p, .n = doc.n, .step = step };
    struct az_jscan scan;
    struct az_jarray array;
    az_jkeys_init(&r->keys, keys);
    az_vec_init(&r->text, NULL);
    assert_int_equal(az_jscan_init(&scan, bytes_fill, &src, window, NULL), 0);
    const int rc = az_jscan_records(&scan, read_record, r, false, &array);
    char tail[128];
    const int n =
        snprintf(tail, sizeof tail, "%d %llu %llu %d\n", rc, (unsigned long long)array.records,
                 (unsigned long long)array.malformed, array.truncated);
    assert_int_equal(az_text_append(&r->text, az_sv_make(tail, (size_t)n)), 0);
    az_jscan_release(&scan);
}

/* Both ways over a document; how many records were read by their form. */
static size_t same(struct az_sv doc, size_t window, size_t step)
{
    struct reader *k = calloc(1, sizeof *k), *f = calloc(1, sizeof *f);
    assert_true(k != NULL && f != NULL);
    k->by_keys = true;
    read_document(k, doc, (size_t)1 << 16, 0);
    read_document(f, doc, window, step);
    if (!az_sv_eq(az_text_view(&k->text), az_text_view(&f->text))) {
        print_error("%.*s\nby keys:\n%.*s\nby form:\n%.*s\n", AZ_SVF(doc),
                    AZ_SVF(az_text_view(&k->text)), AZ_SVF(az_text_view(&f->text)));
        fail();
    }
    const size_t by_form = f->by_form;
    az_vec_release(&k->text);
    az_vec_release(&f->text);
    free(k);
    free(f);
    return by_form;
}

#define SAME(doc) same(az_sv_make(doc, sizeof(doc) - 1), (size_t)1 << 16, 0)

static void learns_what_varies(void **state)
{
    (void)state;
    /* nothing varies */
    assert_int_equal(SAME("[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2},{\"a\":1,\"b\":2}]"), 2);
    /* the first teaches the text, the third that b varies */
    assert_int_equal(SAME("[{\"a\":1,\"b\":2},{\"a\":1,\"b\":3},{\"a\":1,\"b\":4},"
                          "{\"a\":1,\"b\":50}]"),
                     1);
    /* what nobody wants varies, too */
    assert_int_equal(SAME("[{\"a\":1,\"size\":2},{\"a\":1,\"size\":3},{\"a\":1,\"size\":4},"
                          "{\"a\":1,\"size\":50}]"),
                     1);
    assert_int_equal(SAME("[{\"a\":1,\"inner\":{\"b\":2}},{\"a\":1,\"inner\":{\"b\":3}},"
                          "{\"a\":1,\"inner\":{\"b\":4}},{\"a\":1,\"inner\":{\"b\":55}}]"),
                     1);
    /* an odd one does not replace it */
    assert_int_equal(SAME("[{\"a\":1},{\"a\":1},{\"c\":5},{\"a\":1},{\"c\":5},{\"a\":1}]"), 3);
}

static void other_numbers(void **state)
{
    (void)state;
    static const char *const third[] = { "-1",
                                         "01",
                                         "0",
                                         "1.5",
                                         "1e3",
                                         "\"7\"",
                                         "null",
                                         "true",
                                         "{}",
                                         "[1]",
                                         "",
                                         "9007199254740993",
                                         "99999999999999999999",
                                         "12345678901234567",
                                         "00" };
    for (size_t i = 0; i < AZ_LENGTH(third); i++) {
        char doc[256];
        for (int where = 0; where < 3; where++) {
            const char *v[3] = { "1", "2", "3" };
            v[where] = third[i];
            const int n = snprintf(doc, sizeof doc,
                                   "[{\"a\":%s,\"size\":5},{\"a\":%s,\"size\":6},{\"a\":%s,\"size\""
                                   ":7},{\"a\":8,\"size\":%s},{\"a\":9,\"size\":%s}]",
                                   v[0], v[1], v[2], v[where], v[0]);
            (void)same(az_sv_make(doc, (size_t)n), (size_t)1 << 16, 0);
        }
    }
    /* the same key twice, digits behind the number, more than numbers */
    (void)SAME("[{\"a\":1,\"a\":2},{\"a\":3,\"a\":4},{\"a\":5,\"a\":6},{\"a\":7,\"a\":8}]");
    (void)SAME("[{\"a\":1.0,\"b\":1},{\"a\":2.0,\"b\":2},{\"a\":3.0,\"b\":3},{\"a\":4.5,\"b\":4}]");
    (void)SAME("[{\"a\":7},{\"a\":8},{\"a\":0e5},{\"a\":3e5},{\"a\":3e5},{\"a\":3e5},{\"a\":3e5}]");
    (void)SAME("[{\"a\":7},{\"a\":8},{\"a\":2.5},{\"a\":3.5},{\"a\":3.5},{\"a\":3.5},{\"a\":3.5}]");
    (void)SAME("[{\"c\":2,\"inner\":{}},{\"c\":2,\"inner\":{}},{\"c\":0,\"inner\":{}},{\"c\":0,"
               "\"inner\":{}},"
               "{\"c\":7,\"inner\":{}},{\"c\":8,\"inner\":{}},{\"c\":9,\"inner\":{}}]");
    (void)SAME("[{\"a\":1e1},{\"a\":2e1},{\"a\":3e1},{\"a\":4e1}]");
    (void)SAME("[{\"flags\":\"x\",\"a\":1},{\"flags\":\"x\",\"a\":2},{\"flags\":\"x\",\"a\":3},"
               "{\"flags\":\"xy\",\"a\":4}]");
}

static size_t put(char *out, const char *text)
{
    const size_t n = strlen(text);
    memcpy(out, text, n);
    return n;
}

/* A record of one of some forms, now and then damaged. */
static size_t put_record(char *out, uint64_t *seed)
{
    static const char *const forms[] = { "\"a\":%llu,\"b\":%llu,\"c\":%llu",
                                         "\"size\":4, \"a\": %llu, \"inner\": {\"b\": %llu}, "
                                         "\"flags\": %llu",
                                         "\"a_long_key_that_nobody_asks_for_at_all\":7,\"b\":%llu,"
                                         "\"inner\":{\"a\":%llu,\"inner\":{\"c\":%llu}}" };
    char text[256];
    const size_t form = test_random(seed) % 16 ? 0 : test_random(seed) % 3;
    uint64_t v[3];
    for (int i = 0; i < 3; i++) { /* one number a statement: compilers order operands differently */
        v[i] = test_random(seed);
        v[i] >>= test_random(seed) % 16 ? 16 + test_random(seed) % 48 : 0;
    }
    int n = snprintf(text, sizeof text, "{%s}", forms[form]);
    char whole[256];
    text[n] = '\0';
    n = snprintf(whole, sizeof whole, text, (unsigned long long)v[0], (unsigned long long)v[1],
                 (unsigned long long)v[2]);
    if (test_random(seed) % 50 == 0) {
        const size_t at = 1 + test_random(seed) % (size_t)(n - 1);
        whole[at] = "\"x-0{}.,"[test_random(seed) % 8];
    }
    return put(out, whole);
}

static void random_records(void **state)
{
    (void)state;
    static char doc[1 << 16];
    size_t by_form = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15);
        size_t n = put(doc, "[");
        for (int i = 0; i < 200; i++) {
            n += put_record(doc + n, &s);
            n += put(doc + n, ",");
        }
        n += put(doc + n, "{}]");
        const size_t cut = seed % 4 ? n : test_random(&s) % n; /* also in the midst */
        by_form += same(az_sv_make(doc, cut), (size_t)1 << 16, 0);
        (void)same(az_sv_make(doc, cut), 64 + seed, seed % 3 ? 0 : seed % 37);
    }
    assert_true(by_form > (AZ_MOVES ? 15000 : 25000)); /* of 60,000; none over a buffer's end */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(learns_what_varies),
                                        cmocka_unit_test(other_numbers),
                                        cmocka_unit_test(random_records) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
