/* Any bytes as a JSON document with an array of records: in windows of several sizes, whole or drop
 * by drop, the scanner must say the same of them. The first byte chooses strictness and the limit
 * of a record. Every value is read as text, number or raw by its key. Build with clang
 * -fsanitize=fuzzer,address,undefined, or with driver.c. */
#include <stdio.h>
#include <stdlib.h>

#include "text/jsonscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { K_PH = 1, K_NAME, K_TS, K_PID, K_ARGS };
static const char *const keys[] = { "ph", "name", "ts", "pid", "args", "a", "", NULL };

struct outcome {
    uint64_t hash;
    struct az_jarray array;
    int64_t offset;
    int code;
};

struct run {
    const uint8_t *data;
    size_t n, at, step;
    struct az_jkeys keys, inner;
    struct az_arena arena;
    uint64_t record; /* hash of the record being read */
    struct outcome out;
    bool strict;
};

static void mix(uint64_t *hash, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ b[i]) * 1099511628211u;
    *hash = (*hash ^ n) * 1099511628211u;
}

static void mix_number(uint64_t *hash, int64_t x) { mix(hash, &x, sizeof x); }

static int fill(void *ctx, void *buf, size_t n, size_t *got)
{
    struct run *r = ctx;
    size_t k = r->n - r->at;
    k = k < n ? k : n;
    k = r->step && r->step < k ? r->step : k;
    if (k)
        memcpy(buf, r->data + r->at, k);
    r->at += k;
    *got = k;
    return 0;
}

/* A raw value once more through the views. */
static void look_into(uint64_t *hash, struct az_sv raw, int depth)
{
    struct az_jview v;
    struct az_sv key, value;
    if (depth > 20)
        return;
    if (az_jview_array(&v, raw)) {
        while (az_jview_next(&v, &value))
            look_into(hash, value, depth + 1);
    } else if (az_jview_object(&v, raw)) {
        while (az_jview_member(&v, &key, &value)) {
            mix(hash, key.p, key.n);
            look_into(hash, value, depth + 1);
        }
    }
    mix(hash, raw.p, raw.n);
}

static int members(struct run *r, struct az_jscan *s, struct az_jkeys *k);

static int value(struct run *r, struct az_jscan *s, int key)
{
    struct az_sv raw = { "", 0 };
    bool flag = false;
    int64_t v = 0;
    int rc;
    mix_number(&r->record, key);
    if (key == K_ARGS && *s->p == '{') {
        s->p++;
        return members(r, s, &r->inner);
    }
    if (key == K_TS || key == K_PID) {
        rc = key == K_TS ? az_json_decimal(s, 3, &v, &flag) : az_json_i64(s, &v, &flag);
        if (rc == AZ_JSON_OK)
            mix_number(&r->record, flag ? -1 : v);
        return rc;
    }
    rc = key == K_PH || key == K_NAME ? az_json_string(s, &raw, &flag) : AZ_JSON_BAD;
    if (rc == AZ_JSON_OK)
        raw = az_json_unescape(&r->arena, raw);
    else if (rc == AZ_JSON_BAD)
        rc = az_json_skip(s, &raw);
    if (rc == AZ_JSON_OK)
        look_into(&r->record, raw, 0);
    return rc;
}

static int members(struct run *r, struct az_jscan *s, struct az_jkeys *k)
{
    int key = az_json_first_key(s, k);
    while (key >= 0) {
        int rc = value(r, s, key);
        if (rc != AZ_JSON_OK)
            return rc;
        key = az_json_next_key(s, k, key);
    }
    return key == AZ_JSON_END ? AZ_JSON_OK : key;
}

static int record(void *ctx, struct az_jscan *s)
{
    struct run *r = ctx;
    r->record = r->out.hash;
    int rc = members(r, s, &r->keys);
    if (rc == AZ_JSON_OK)
        r->out.hash = r->record;
    az_arena_reset(&r->arena);
    return rc;
}

static int document(struct run *r, struct az_jscan *s)
{
    struct az_sv key;
    bool first = true;
    int c = az_jscan_peek(s);
    if (c == '[')
        return az_jscan_records(s, record, r, r->strict, &r->out.array);
    int rc = az_jscan_byte(s, '{');
    while (rc == AZ_JSON_OK && !r->out.array.truncated) {
        rc = az_jscan_member(s, &first, &key);
        if (rc != AZ_JSON_OK)
            break;
        mix(&r->out.hash, key.p, key.n);
        if (az_sv_is(key, "r")) {
            rc = az_jscan_records(s, record, r, r->strict, &r->out.array);
        } else if (key.n & 1) {
            rc = az_jscan_value(s, &key);
            if (rc == AZ_JSON_OK)
                mix(&r->out.hash, key.p, key.n);
        } else {
            rc = az_jscan_skip_value(s);
        }
    }
    return rc;
}

static struct outcome read_all(const uint8_t *data, size_t n, size_t window, size_t step,
                               unsigned mode)
{
    static struct run r; /* large */
    struct az_jscan s;
    r = (struct run){ .data = data, .n = n, .step = step, .strict = mode & 1 };
    r.out.hash = 1469598103934665603u;
    r.out.array.first_bad = -1;
    az_jkeys_init(&r.keys, keys);
    az_jkeys_init(&r.inner, keys);
    az_arena_init(&r.arena, NULL);
    if (az_jscan_init(&s, fill, &r, window, NULL) != 0)
        abort();
    if (mode & 2)
        s.max_record = 512;
    r.out.code = document(&r, &s);
    r.out.offset = az_jscan_offset(&s);
    az_jscan_release(&s);
    az_arena_release(&r.arena);
    return r.out;
}

static bool same(const struct outcome *x, const struct outcome *y)
{
    const struct az_jarray *a = &x->array, *b = &y->array;
    return x->hash == y->hash && x->code == y->code && x->offset == y->offset &&
           a->records == b->records && a->malformed == b->malformed &&
           a->skipped_bytes == b->skipped_bytes && a->first_bad == b->first_bad &&
           a->truncated == b->truncated && a->end_offset == b->end_offset;
}

static void show(const char *what, const struct outcome *o)
{
    fprintf(stderr,
            "%s: code %d at %lld, hash %llx, %llu records, %llu malformed, %llu skipped, first "
            "%lld, end %lld, cut %d\n",
            what, o->code, (long long)o->offset, (unsigned long long)o->hash,
            (unsigned long long)o->array.records, (unsigned long long)o->array.malformed,
            (unsigned long long)o->array.skipped_bytes, (long long)o->array.first_bad,
            (long long)o->array.end_offset, o->array.truncated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        size_t window, step;
    } ways[] = { { 64, 0 }, { 65, 1 }, { 100, 7 }, { 511, 0 } };
    if (size == 0)
        return 0;
    const unsigned mode = data[0] & 3;
    struct outcome first = read_all(data + 1, size - 1, 512, 0, mode);
    if (first.code > 0)
        abort();
    for (size_t i = 0; i < AZ_LENGTH(ways); i++) {
        struct outcome o = read_all(data + 1, size - 1, ways[i].window, ways[i].step, mode);
        if (!same(&first, &o)) {
            show("window 512", &first);
            fprintf(stderr, "window %zu, step %zu\n", ways[i].window, ways[i].step);
            show("is not", &o);
            abort();
        }
    }
    return 0;
}
