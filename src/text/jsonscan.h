/* Streaming JSON scanner: no tree, constant memory, for documents of any size whose bulk is one
 * array of records (objects).
 *
 * How it works
 *   One window contains the record being read, whole, with 64 zero bytes after the data as
 * sentinel. The caller's record function reads keys and values with the inline calls below straight
 * from the window. A call that reaches the end of the data returns AZ_JSON_MORE; the record
 * function returns that at once, the window is refilled (the unfinished record moved to the front,
 * the window doubled only if one record fills it) and the record function is called again from the
 * record's start. So a record function must have no effect until it has read its record to the end.
 * Three outcomes are distinguished: done, need more, malformed at an offset.
 *
 * Transition cache
 *   A writer nearly always puts the same bytes between two values (`, "pid": `). For each key, a
 * few entries {bytes, length, next key} are cached; a 32-byte compare after a value (and one of the
 * rest of a longer literal) lands on the next value with its key decoded. A hit is byte equality,
 * so the cache cannot change a result; white space may follow the literal and is skipped after a
 * hit too.
 *
 * Tolerance: control bytes in strings, bad escapes and bad UTF-8 are left to whoever reads the
 * string; NaN and Infinity are value kinds of their own. Brackets inside skipped values are
 * counted, not matched by kind. */
#ifndef AZ_TEXT_JSONSCAN_H
#define AZ_TEXT_JSONSCAN_H

#include <stdalign.h>

#include "base/diag.h"
#include "text/scanprim.h"

/* Outcomes; disjoint from enum az_err, so that one int carries either. */
enum az_j {
    AZ_JSON_OK = 0,
    AZ_JSON_END = -101,  /* the object or array ends here (its bracket is consumed) */
    AZ_JSON_MORE = -102, /* the window ends inside the record */
    AZ_JSON_BAD = -103,  /* malformed at s->p */
    AZ_JSON_LONG = -104, /* of the transition cache only */
    AZ_JSON_NONE =
        1 /* az_json_at_i64, az_json_at_decimal: a value was read, but it is no such number */
};

#define AZ_JSON_MAX_KEYS 96
#define AZ_JSON_WAYS     4
#define AZ_JSON_FIRST    AZ_JSON_MAX_KEYS /* index of the cache line after '{' */
#define AZ_JSON_LITERAL  52               /* bytes of a cached literal, at most */
#define AZ_JSON_UNKNOWN  0                /* key number of a key that is not in the set */

/* Keys of one kind of object, numbered 1..n in order, with the transition cache of that
 * object. One per thread. */
struct az_jkeys {
    const char *text[AZ_JSON_MAX_KEYS];
    uint8_t len[AZ_JSON_MAX_KEYS];
    uint8_t by_hash[256]; /* first key of a bucket */
    uint8_t chain[AZ_JSON_MAX_KEYS];
    unsigned n;
    struct az_jcache {
        alignas(16) char bytes[32]; /* so that they are compared where they are */
        char more[AZ_JSON_LITERAL - 32];
        uint32_t mask; /* bit i: byte i counts */
        uint8_t len;
        int16_t key; /* or AZ_JSON_END: the literal ends with the object's '}'; AZ_JSON_LONG: */
        int16_t long_key;                        /* it goes on in `more`, and this is its key */
    } cache[AZ_JSON_MAX_KEYS + 1][AZ_JSON_WAYS]; /* by previous key (0: unknown); the last one: from
                                              '{' to the first value */
    uint8_t victim[AZ_JSON_MAX_KEYS + 1];
};
/* keys: NULL-terminated, at most AZ_JSON_MAX_KEYS - 1, each at most 255 bytes, no escapes. */
void az_jkeys_init(struct az_jkeys *k, const char *const *keys);

struct az_jscan {
    const char *p;   /* cursor */
    const char *end; /* end of the data in the window; 64 zero bytes follow */
    char *window;
    size_t cap;
    int64_t base; /* offset in the document of window[0] */
    bool eof;     /* the source has no more */
    struct az_mem *mem;
    int (*fill)(void *ctx, void *buf, size_t n,
                size_t *got); /* 0 or an error; *got = 0 at the end */
    void *ctx;
    int error;          /* of fill, or of memory */
    size_t max_record;  /* a record may be this long (default 64 MiB; not below the window) */
    size_t first_key_n; /* first key of records, for resynchronising; 0: not known */
    int64_t number;     /* what slow calls leave next to their result */
    bool escaped;
    struct {
        uint64_t bytes, mask;
        unsigned n;
    } between;         /* what stood between the last two records, up to eight bytes */
    unsigned runaways; /* records so far that had no end within max_record or the document */
    char first_key_buf[64];
};

/* Opens over a fill function (a byte source, a range of a file). `window`: bytes, 0 for 256 KiB.
 * AZ_ENOMEM, AZ_ELIMIT.
 */
int az_jscan_init(struct az_jscan *s, int (*fill)(void *, void *, size_t, size_t *), void *ctx,
                  size_t window, struct az_mem *mem) AZ_MUST_USE;
void az_jscan_release(struct az_jscan *s);
/* Offset of the cursor in the document. */
static inline int64_t az_jscan_offset(const struct az_jscan *s)
{
    return s->base + (s->p - s->window);
}

/* ---- document level: these refill by themselves ---- */
/* Skips white space (and a BOM at the start); the next byte, 0 at the end of the document, negative
 * az_err. */
int az_jscan_peek(struct az_jscan *s) AZ_MUST_USE;
/* Consumes one expected byte (after white space): AZ_JSON_OK, AZ_JSON_BAD, AZ_JSON_MORE at the end,
 * or an az_err. */
int az_jscan_byte(struct az_jscan *s, char c) AZ_MUST_USE;
/* In an object whose '{' is consumed: next member. AZ_JSON_OK and *key (raw, lives until the next
 * call on s), cursor on its value; AZ_JSON_END after '}'. Handles the comma. *first must be true
 * for the first member and is cleared. */
int az_jscan_member(struct az_jscan *s, bool *first, struct az_sv *key) AZ_MUST_USE;
/* The whole next value as raw text in the window (lives until the next call). At most max_record
 * bytes. */
int az_jscan_value(struct az_jscan *s, struct az_sv *raw) AZ_MUST_USE;
/* Skips the next value, whatever its size, in constant memory. */
int az_jscan_skip_value(struct az_jscan *s) AZ_MUST_USE;

/* What became of an array of records. */
struct az_jarray {
    uint64_t records;   /* for which the function returned AZ_JSON_OK */
    uint64_t malformed; /* places skipped by resynchronising */
    uint64_t skipped_bytes;
    int64_t first_bad;  /* offset of the first malformed byte; -1: none */
    bool truncated;     /* the document ended inside the array */
    int64_t end_offset; /* where reading stopped (end of the last complete record if truncated) */
};
/* Reads `[ {..}, {..} ]` (cursor on '['): calls record(ctx, s) with the cursor after each '{'; it
 * reads up to and including the matching '}' and returns AZ_JSON_OK, or AZ_JSON_MORE / AZ_JSON_BAD
 * as the calls below returned them, or an az_err to stop. Elements that are no objects are skipped.
 * A malformed record is skipped: the scan goes on at the next place that can be the start of a
 * record (its first key that of the first record read); strict: AZ_JSON_BAD at once. Records that
 * do not end within max_record or the document are skipped so, too, up to 64 of them (each costs a
 * window): then reading stops, as if truncated. AZ_JSON_OK also when truncated (see out). Other:
 * az_err. */
int az_jscan_records(struct az_jscan *s, int (*record)(void *ctx, struct az_jscan *s), void *ctx,
                     bool strict, struct az_jarray *out) AZ_MUST_USE;

/* Reads records from the cursor (after a '{' or between records) up to the first record that starts
 * at or after document offset `stop`: for one part of a split file. The cursor is left on that
 * record's '{' (offset in out->end_offset) or the array's ']'. */
int az_jscan_records_until(struct az_jscan *s, int64_t stop,
                           int (*record)(void *ctx, struct az_jscan *s), void *ctx, bool strict,
                           struct az_jarray *out) AZ_MUST_USE;

/* Sets the key by which a record's start is recognized, where no good record was seen by this
 * scanner (a part of a split file). */
void az_jscan_hint(struct az_jscan *s, struct az_sv first_key);
static inline struct az_sv az_jscan_first_key(const struct az_jscan *s)
{
    return az_sv_make(s->first_key_buf, s->first_key_n);
}
/* Moves the cursor to the next place from here that can be a record's start (`{ "first_key"
 * :`). Bytes of that form cannot be inside a JSON string. AZ_JSON_OK, AZ_JSON_END at the end of the
 * document, or an az_err. */
int az_jscan_resync(struct az_jscan *s) AZ_MUST_USE;

/* ---- record level: inline, never refill ----
 * Each call has two forms. az_json_X(s, ...) reads at s->p. az_json_at_X(s, &p, ...) reads at a
 * cursor that the record function has in a local variable, begun with s->p and put back there
 * before it returns: as every byte's place follows from the value before it, a cursor that stays in
 * a register is worth a fifth of the time. */
#define AZ_JC                                                                                      \
    static inline                                                                                  \
        __attribute__((always_inline)) /* else the cursor has an address, and is in no register */
int az_json_next_key_slow(struct az_jscan *s, struct az_jkeys *k, unsigned prev);

static inline const char *az_json_at_space(const char *p)
{
    while ((unsigned char)*p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}
static inline void az_json_space(struct az_jscan *s) { s->p = az_json_at_space(s->p); }

/* Key number, AZ_JSON_END, or AZ_JSON_UNKNOWN for a miss. Never matches beyond the data: a literal
 * contains no zero byte. */
AZ_JC int az_json_at_cached(const char **at, const struct az_jcache *c)
{
#pragma GCC unroll 4
    for (int i = 0; i < AZ_JSON_WAYS; i++) {
        if (az_equal32(*at, c[i].bytes, c[i].mask)) {
            const char *p = *at + c[i].len;
            int key = c[i].key;
            if (key <= 0) {
                if (key == AZ_JSON_LONG) {
                    if (memcmp(*at + 32, c[i].more, c[i].len - 32u) != 0)
                        continue;
                    key = c[i].long_key;
                } else {
                    *at = p;
                    return key;
                }
            }
            if ((unsigned char)*p <= ' ')
                p = az_json_at_space(p);
            *at = p;
            return key;
        }
    }
    return AZ_JSON_UNKNOWN;
}

/* Next key after the value of key `prev` was consumed: key number (0 unknown), cursor on its value;
 * or AZ_JSON_END. */
AZ_JC int az_json_at_next_key(struct az_jscan *s, const char **at, struct az_jkeys *k, int prev)
{
    int key = az_json_at_cached(at, k->cache[prev]);
    if (key)
        return key;
    s->p = *at;
    key = az_json_next_key_slow(s, k, (unsigned)prev);
    *at = s->p;
    return key;
}
static inline int az_json_next_key(struct az_jscan *s, struct az_jkeys *k, int prev)
{
    return az_json_at_next_key(s, &s->p, k, prev);
}
/* First key of an object whose '{' is consumed; AZ_JSON_END for "{}". */
AZ_JC int az_json_at_first_key(struct az_jscan *s, const char **at, struct az_jkeys *k)
{
    return az_json_at_next_key(s, at, k, AZ_JSON_FIRST);
}
static inline int az_json_first_key(struct az_jscan *s, struct az_jkeys *k)
{
    return az_json_at_first_key(s, &s->p, k);
}

/* String at the cursor: raw text between the quotes (escapes as written). AZ_JSON_BAD if the value
 * is no string (cursor unmoved). */
int az_json_string_slow(struct az_jscan *s, const char *stop); /* leaves s->escaped */
AZ_JC int az_json_at_string(struct az_jscan *s, const char **at, struct az_sv *raw, bool *escaped)
{
    const char *p = *at;
    if (*p != '"')
        return p >= s->end ? AZ_JSON_MORE : AZ_JSON_BAD;
    const char *q = az_find_string_end(p + 1);
    *escaped = false;
    if (*q != '"') {
        s->p = p;
        int rc = az_json_string_slow(s, q);
        *escaped = s->escaped;
        *at = s->p;
        if (rc != AZ_JSON_OK)
            return rc;
        q = s->p - 1;
    }
    *raw = az_sv_make(p + 1, (size_t)(q - p - 1));
    *at = q + 1;
    return AZ_JSON_OK;
}
static inline int az_json_string(struct az_jscan *s, struct az_sv *raw, bool *escaped)
{
    return az_json_at_string(s, &s->p, raw, escaped);
}

enum az_jtype {
    AZ_JT_NULL,
    AZ_JT_TRUE,
    AZ_JT_FALSE,
    AZ_JT_NUMBER,
    AZ_JT_NONFINITE,
    AZ_JT_STRING,
    AZ_JT_OBJECT,
    AZ_JT_ARRAY
};
/* Kind of the value at the cursor, by its first byte; AZ_JSON_MORE or AZ_JSON_BAD. */
int az_json_type(const struct az_jscan *s);

/* Any value as raw text (a string with its quotes); the cursor after it. */
int az_json_skip_slow(struct az_jscan *s);
AZ_JC int az_json_at_skip(struct az_jscan *s, const char **at, struct az_sv *raw)
{
    const char *from = *at, *q = from;
    if ((unsigned)(*from - '0') <= 9) { /* a number; zero bytes after the data end it, too */
        q = az_find_token_end(from);
        if (q >= s->end)
            return AZ_JSON_MORE;
    } else if (*from == '"') {
        q = az_find_string_end(from + 1);
        q = *q == '"' ? q + 1 : from;
    } else if (*from == '[') { /* of numbers */
        q = az_find_bracket(from + 1);
        q = *q == ']' ? q + 1 : from;
    }
    if (q == from) {
        s->p = from;
        int rc = az_json_skip_slow(s);
        *at = q = s->p;
        if (rc != AZ_JSON_OK)
            return rc;
    }
    *raw = az_sv_make(from, (size_t)(q - from));
    *at = q;
    return AZ_JSON_OK;
}
static inline int az_json_skip(struct az_jscan *s, struct az_sv *raw)
{
    return az_json_at_skip(s, &s->p, raw);
}

int az_json_decimal_slow(struct az_jscan *s,
                         int scale10); /* leaves s->number; AZ_JSON_NONE as below */
AZ_JC int az_json_at_decimal_slow(struct az_jscan *s, const char **at, int scale10, int64_t *out)
{
    s->p = *at;
    int rc = az_json_decimal_slow(s, scale10);
    *at = s->p;
    *out = s->number;
    return rc;
}
/* May this byte follow a number, so that what was read is all of it? */
static inline bool az_json_ends_number(char c)
{
    static const bool ends[256] = {
        [','] = true, ['}'] = true, [']'] = true, ['\n'] = true, [' '] = true, ['\r'] = true
    };
    return ends[(unsigned char)c];
}
/* Decimal number times 10^scale10, exactly, half to even: "1419247333430.849" with 3 ->
 * 1419247333430849. Numbers inside quotes too. null, NaN, Infinity, text and numbers beyond 64
 * bits: AZ_JSON_NONE (the value is consumed). */
AZ_JC int az_json_at_decimal(struct az_jscan *s, const char **at, int scale10, int64_t *out)
{
    uint64_t v, frac = 0;
    unsigned n = az_digits(*at, &v), m = 0; /* at most 16 are read */
    const char *q = *at + n;
    if (n == 0 || n > 15 || (unsigned)scale10 > 15)
        return az_json_at_decimal_slow(s, at, scale10, out);
    if (*q == '.') {
        m = az_digits(++q, &frac);
        q += m;
    }
    if (m > (unsigned)scale10 || n + (unsigned)scale10 > 18 || !az_json_ends_number(*q))
        return az_json_at_decimal_slow(s, at, scale10, out);
    *out = (int64_t)(v * az_ten_to[scale10] + frac * az_ten_to[(unsigned)scale10 - m]);
    *at = q;
    return AZ_JSON_OK;
}
/* The same with *missing where the other form returns AZ_JSON_NONE. */
static inline int az_json_decimal(struct az_jscan *s, int scale10, int64_t *out, bool *missing)
{
    int rc = az_json_at_decimal(s, &s->p, scale10, out);
    *missing = rc == AZ_JSON_NONE;
    return rc == AZ_JSON_NONE ? AZ_JSON_OK : rc;
}
/* A whole number. */
AZ_JC int az_json_at_i64(struct az_jscan *s, const char **at, int64_t *out)
{
    uint64_t v;
    unsigned n = az_digits(*at, &v);
    if (n == 0 || n > 15 || !az_json_ends_number((*at)[n]))
        return az_json_at_decimal_slow(s, at, 0, out);
    *at += n;
    *out = (int64_t)v;
    return AZ_JSON_OK;
}
static inline int az_json_i64(struct az_jscan *s, int64_t *out, bool *missing)
{
    int rc = az_json_at_i64(s, &s->p, out);
    *missing = rc == AZ_JSON_NONE;
    return rc == AZ_JSON_NONE ? AZ_JSON_OK : rc;
}

/* Un-escapes raw string text: escapes, surrogate pairs (unpaired: U+FFFD), bad escapes stay as
 * written. In the arena; without an escape the view `raw` itself, which lives no longer than
 * before. */
struct az_sv az_json_unescape(struct az_arena *a, struct az_sv raw);
/* The text of a raw value, copied into the arena: a string without its quotes and escapes, any
 * other value as it is written. {NULL,0} without memory. */
struct az_sv az_json_text(struct az_arena *a, struct az_sv raw);

/* ---- small whole values (arguments, metadata) as raw text: a cursor over a view ---- */
struct az_jview {
    struct az_sv rest;
};
/* For `[a, b]` or `{"k": v}` in raw text: positions after the bracket. False if it is not that. */
bool az_jview_array(struct az_jview *v, struct az_sv raw);
bool az_jview_object(struct az_jview *v, struct az_sv raw);
/* Next element as raw text; false at the end or at malformed text. */
bool az_jview_next(struct az_jview *v, struct az_sv *value);
bool az_jview_member(struct az_jview *v, struct az_sv *key, struct az_sv *value);

#endif
