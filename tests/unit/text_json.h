/* What the tests of the JSON scanner share: a scanner over bytes in memory, and a dump of all it
 * says about them. */
#ifndef TESTS_TEXT_JSON_H
#define TESTS_TEXT_JSON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "text/jsonscan.h"

/* Bytes handed out at most `step` at once (0: as many as wanted); an error instead of the byte at
 * `fail_at`. */
struct bytes {
    const char *p;
    size_t n, at, step, fail_at;
};

static inline int bytes_fill(void *ctx, void *buf, size_t n, size_t *got)
{
    struct bytes *b = ctx;
    size_t k = b->n - b->at;
    *got = 0;
    if (b->fail_at && b->at >= b->fail_at)
        return AZ_EIO;
    if (k > n)
        k = n;
    if (b->step && k > b->step)
        k = b->step;
    if (b->fail_at && k > b->fail_at - b->at)
        k = b->fail_at - b->at;
    if (k)
        memcpy(buf, b->p + b->at, k);
    b->at += k;
    *got = k;
    return 0;
}

enum { K_PH = 1, K_CAT, K_NAME, K_TS, K_DUR, K_PID, K_ARGS, K_INNER };
static const char *const test_keys[] = { "ph",  "cat",  "name",  "ts", "dur",
                                         "pid", "args", "inner", NULL };

/* A scanner and what it said: one line a record, then a line about the array. */
struct dump {
    struct az_mem mem;
    struct az_arena arena;
    struct az_jscan scan;
    struct az_jkeys keys, inner;
    struct bytes src;
    struct az_vec_char text, line;
    struct az_jarray array;
    int rc;
    bool strict;
    size_t max_record;
};

static inline void dump_put(struct dump *d, struct az_sv v)
{
    assert_int_equal(az_text_append(&d->line, v), 0);
    assert_int_equal(az_text_append(&d->line, AZ_SV("|")), 0);
}

static inline int dump_value(struct dump *d, struct az_jscan *s, int key);

static inline int dump_members(struct dump *d, struct az_jscan *s, struct az_jkeys *keys)
{
    int k = az_json_first_key(s, keys);
    while (k >= 0) {
        int rc = dump_value(d, s, k);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, keys, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static inline int dump_text(struct dump *d, struct az_jscan *s)
{
    struct az_sv raw;
    bool escaped;
    int rc = az_json_string(s, &raw, &escaped);
    if (rc == AZ_JSON_BAD)
        rc = az_json_skip(s, &raw);
    else if (rc == AZ_JSON_OK && escaped)
        raw = az_json_unescape(&d->arena, raw);
    if (rc == AZ_JSON_OK)
        dump_put(d, raw);
    return rc;
}

static inline int dump_number(struct dump *d, struct az_jscan *s, int scale)
{
    char text[40] = "missing";
    int64_t v;
    bool missing;
    int rc = az_json_decimal(s, scale, &v, &missing);
    if (rc == AZ_JSON_OK && !missing)
        (void)snprintf(text, sizeof text, "%lld", (long long)v);
    if (rc == AZ_JSON_OK)
        dump_put(d, az_sv_str(text));
    return rc;
}

static inline int dump_value(struct dump *d, struct az_jscan *s, int key)
{
    struct az_sv raw;
    int rc;
    (void)dump_put(d, az_sv_make(&"?pcntdsai"[key], 1));
    switch (key) {
    case K_PH:
    case K_CAT:
    case K_NAME:
        return dump_text(d, s);
    case K_TS:
    case K_DUR:
        return dump_number(d, s, 3);
    case K_PID:
        return dump_number(d, s, 0);
    case K_ARGS:
        if (*s->p == '{') {
            s->p++;
            return dump_members(d, s, &d->inner);
        } /* fall through */
    default:
        rc = az_json_skip(s, &raw);
        if (rc == AZ_JSON_OK)
            dump_put(d, raw);
        return rc;
    }
}

static inline int dump_record(void *ctx, struct az_jscan *s)
{
    struct dump *d = ctx;
    az_vec_reset(&d->line);
    int rc = dump_members(d, s, &d->keys);
    if (rc == AZ_JSON_OK) {
        assert_int_equal(az_text_append(&d->text, az_text_view(&d->line)), 0);
        assert_int_equal(az_text_append(&d->text, AZ_SV("\n")), 0);
    }
    az_arena_reset(&d->arena);
    return rc;
}

/* Reads a document as a trace reader does: `traceEvents` as records, other members skipped; or a
 * bare array. */
static inline int dump_document(struct dump *d)
{
    struct az_jscan *s = &d->scan;
    struct az_sv key;
    bool first = true;
    int c = az_jscan_peek(s);
    if (c <= 0)
        return c < 0 ? c : AZ_EEMPTY;
    if (c == '[')
        return az_jscan_records(s, dump_record, d, d->strict, &d->array);
    int rc = az_jscan_byte(s, '{');
    while (rc == AZ_JSON_OK && !d->array.truncated) {
        rc = az_jscan_member(s, &first, &key);
        if (rc == AZ_JSON_OK && az_sv_is(key, "traceEvents"))
            rc = az_jscan_records(s, dump_record, d, d->strict, &d->array);
        else if (rc == AZ_JSON_OK)
            rc = az_jscan_skip_value(s);
    }
    return rc == AZ_JSON_END ? AZ_JSON_OK : rc;
}

static inline void dump_run(struct dump *d, struct az_sv doc, size_t window, size_t step)
{
    const struct bytes src = { .p = doc.p, .n = doc.n, .step = step, .fail_at = d->src.fail_at };
    d->src = src;
    az_mem_init(&d->mem, 0);
    az_arena_init(&d->arena, NULL);
    az_vec_init(&d->text, NULL);
    az_vec_init(&d->line, NULL);
    az_jkeys_init(&d->keys, test_keys);
    az_jkeys_init(&d->inner, test_keys);
    d->array = (struct az_jarray){ .first_bad = -1 };
    assert_int_equal(az_jscan_init(&d->scan, bytes_fill, &d->src, window, &d->mem), 0);
    if (d->max_record)
        d->scan.max_record = d->max_record;
    d->rc = dump_document(d);
    char tail[200], end[32] = "-";
    const struct az_jarray *a = &d->array;
    if (a->end_offset)
        (void)snprintf(end, sizeof end, "%lld", (long long)a->end_offset);
    if (d->rc == AZ_JSON_OK && !a->malformed && !a->truncated)
        (void)snprintf(tail, sizeof tail, "%llu records\n", (unsigned long long)a->records);
    else
        (void)snprintf(
            tail, sizeof tail,
            "rc %d at %lld: %llu records, %llu malformed, %llu skipped, first %lld%s, end %s\n",
            d->rc, (long long)(d->rc == AZ_JSON_OK ? 0 : az_jscan_offset(&d->scan)),
            (unsigned long long)a->records, (unsigned long long)a->malformed,
            (unsigned long long)a->skipped_bytes, (long long)a->first_bad,
            a->truncated ? ", truncated" : "", end);
    assert_int_equal(az_text_append(&d->text, az_sv_str(tail)), 0);
}

static inline void dump_release(struct dump *d)
{
    az_jscan_release(&d->scan);
    assert_int_equal(d->mem.used, 0);
    az_arena_release(&d->arena);
    az_vec_release(&d->text);
    az_vec_release(&d->line);
}

/* The document in a large window and in small ones, whole and drop by drop: always the same. Leaves
 * the first dump in *d. */
static inline void dump_all_ways(struct dump *d, struct az_sv doc)
{
    static const struct {
        size_t window, step;
    } ways[] = { { 64, 0 },   { 65, 1 },  { 71, 0 },   { 96, 7 },
                 { 128, 33 }, { 200, 0 }, { 255, 64 }, { 300, 0 } };
    dump_run(d, doc, (size_t)1 << 16, 0);
    for (size_t i = 0; i < AZ_LENGTH(ways); i++) {
        struct dump other = { .strict = d->strict, .max_record = d->max_record };
        dump_run(&other, doc, ways[i].window, ways[i].step);
        if (!az_sv_eq(az_text_view(&d->text), az_text_view(&other.text))) {
            print_error("window %zu, step %zu:\n%.*s\nlarge window:\n%.*s\nof:\n%.*s\n",
                        ways[i].window, ways[i].step, AZ_SVF(az_text_view(&other.text)),
                        AZ_SVF(az_text_view(&d->text)), AZ_SVF(doc));
            fail();
        }
        dump_release(&other);
    }
}

/* Asserts the dump of a document, read all ways. */
static inline void says(const char *doc, size_t n, const char *want)
{
    struct dump d = { 0 };
    dump_all_ways(&d, az_sv_make(doc, n));
    assert_int_equal(az_text_append(&d.text, az_sv_make("", 1)), 0);
    assert_string_equal(d.text.v, want);
    dump_release(&d);
}
#define SAYS(doc, want) says(doc, sizeof(doc) - 1, want)

static inline uint64_t test_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

#endif
