/* JSON scanner: keys, values, views over raw values. Windows and documents: jsonscan.c. */
#include "base/num.h"
#include "base/utf8.h"
#include "text/jsonscan.h"

static unsigned key_hash(const char *p, size_t n)
{
    if (n == 0)
        return 0;
    return ((unsigned)n * 31 + (unsigned char)p[0] * 7 + (unsigned char)p[n - 1] +
            (unsigned char)p[n / 2] * 3) &
           255;
}

void az_jkeys_init(struct az_jkeys *k, const char *const *keys)
{
    memset(k, 0, sizeof *k);
    for (unsigned i = 0; i <= AZ_JSON_MAX_KEYS; i++)
        for (unsigned w = 0; w < AZ_JSON_WAYS;
             w++) { /* an empty entry matches nothing: no text begins with this byte */
            k->cache[i][w].bytes[0] = (char)0xff;
            k->cache[i][w].mask = 1;
        }
    for (unsigned i = 0; keys[i] && i + 1 < AZ_JSON_MAX_KEYS; i++) {
        unsigned id = i + 1, h;
        k->text[id] = keys[i];
        k->len[id] = (uint8_t)strlen(keys[i]);
        h = key_hash(keys[i], k->len[id]);
        k->chain[id] = k->by_hash[h];
        k->by_hash[h] = (uint8_t)id;
        k->n = id;
    }
}

static unsigned key_find(const struct az_jkeys *k, const char *p, size_t n)
{
    for (unsigned id = k->by_hash[key_hash(p, n)]; id; id = k->chain[id])
        if (k->len[id] == n && memcmp(k->text[id], p, n) == 0)
            return id;
    return AZ_JSON_UNKNOWN;
}

/* A key written with escapes: compare what it means. */
static unsigned key_find_escaped(const struct az_jkeys *k, struct az_sv raw)
{
    struct az_arena a;
    az_arena_init(&a, NULL);
    struct az_sv text = az_json_unescape(&a, raw);
    unsigned id = key_find(k, text.p, text.n);
    az_arena_release(&a);
    return id;
}

/* Caches the literal [from, s->p) that led from key `prev` to `key`. */
static void remember(const struct az_jscan *s, struct az_jkeys *k, unsigned prev, const char *from,
                     int key)
{
    size_t n = (size_t)(s->p - from);
    if (key == AZ_JSON_UNKNOWN || n == 0 || n > AZ_JSON_LITERAL || memchr(from, 0, n))
        return;
    if (n > 32 && key <= 0) /* blanks before a bracket */
        return;
    struct az_jcache *c = &k->cache[prev][k->victim[prev]];
    k->victim[prev] = (uint8_t)((k->victim[prev] + 1) % AZ_JSON_WAYS);
    const size_t head = n < 32 ? n : 32;
    memcpy(c->bytes, from, head);
    memset(c->bytes + head, 0, 32 - head);
    memcpy(c->more, from + head, n - head);
    c->mask = head == 32 ? UINT32_MAX : ((uint32_t)1 << head) - 1;
    c->len = (uint8_t)n;
    c->key = (int16_t)(n > 32 ? AZ_JSON_LONG : key);
    c->long_key = (int16_t)key;
}

static int at_end(const struct az_jscan *s) { return s->p >= s->end ? AZ_JSON_MORE : AZ_JSON_BAD; }

int az_json_next_key_slow(struct az_jscan *s, struct az_jkeys *k, unsigned prev)
{
    const char *from = s->p;
    struct az_sv raw;
    bool escaped;
    az_json_space(s);
    if (*s->p == '}') {
        s->p++;
        remember(s, k, prev, from, AZ_JSON_END);
        return AZ_JSON_END;
    }
    if (prev != AZ_JSON_FIRST) {
        if (*s->p != ',')
            return at_end(s);
        s->p++;
        az_json_space(s);
    }
    int rc = az_json_string(s, &raw, &escaped);
    if (rc != AZ_JSON_OK)
        return rc;
    az_json_space(s);
    if (*s->p != ':')
        return at_end(s);
    s->p++;
    az_json_space(s);
    unsigned key = escaped ? key_find_escaped(k, raw) : key_find(k, raw.p, raw.n);
    remember(s, k, prev, from, (int)key);
    return (int)key;
}

/* The text has a backslash or a zero byte at `stop`. */
int az_json_string_slow(struct az_jscan *s, const char *stop)
{
    s->escaped = false;
    while (*stop != '"') {
        if (*stop == '\\') {
            s->escaped = true;
            stop++;
        }
        if (stop >= s->end)
            return AZ_JSON_MORE;
        stop = az_find_string_end(stop + 1);
    }
    if (stop >= s->end)
        return AZ_JSON_MORE;
    s->p = stop + 1;
    return AZ_JSON_OK;
}

int az_json_type(const struct az_jscan *s)
{
    switch (*s->p) {
    case '"':
        return AZ_JT_STRING;
    case '{':
        return AZ_JT_OBJECT;
    case '[':
        return AZ_JT_ARRAY;
    case 't':
        return AZ_JT_TRUE;
    case 'f':
        return AZ_JT_FALSE;
    case 'I':
    case 'i':
    case 'N':
        return AZ_JT_NONFINITE;
    case 'n':
        return s->p[1] == 'a'                       ? AZ_JT_NONFINITE
               : s->p[1] == 0 && s->p + 1 >= s->end ? AZ_JSON_MORE
                                                    : AZ_JT_NULL;
    case '-':
        if (s->p[1] == 0 && s->p + 1 >= s->end)
            return AZ_JSON_MORE;
        return s->p[1] == 'I' || s->p[1] == 'i' ? AZ_JT_NONFINITE : AZ_JT_NUMBER;
    default:
        return *s->p >= '0' && *s->p <= '9' ? AZ_JT_NUMBER : at_end(s);
    }
}

/* Bytes of one block, from its `from`-th, with the state of the nesting: true when the last bracket
 * closed, *p after it. */
static bool nested_bytes(const char **p, const char *stop, size_t *depth, bool *text, bool *escape)
{
    for (const char *q = *p; q < stop; q++) {
        char x = *q;
        if (*text) {
            *text = *escape || x != '"';
            *escape = !*escape && x == '\\';
        } else if (x == '"') {
            *text = true;
        } else if (x == '{' || x == '[') {
            ++*depth;
        } else if (x == '}' || x == ']') {
            if (--*depth == 0) {
                *p = q + 1;
                return true;
            }
        }
    }
    *p = stop;
    return false;
}

/* Cursor after the opening bracket: to after the matching one. 64 bytes at once: brackets outside
 * strings are counted, strings reported by the parity of quotes; a block with a backslash is read
 * byte by byte. */
static int skip_nested(struct az_jscan *s)
{
    const char *p = s->p;
    size_t depth = 1;
    bool text = false, escape = false;
    while (p < s->end) {
        struct az_block m = az_block_masks(p);
        if (m.backslash || escape) {
            const char *stop = s->end - p < 64 ? s->end : p + 64;
            if (nested_bytes(&p, stop, &depth, &text, &escape)) {
                s->p = p;
                return AZ_JSON_OK;
            }
            continue;
        }
        uint64_t inside = az_prefix_xor(m.quote) ^ (text ? UINT64_MAX : 0);
        for (uint64_t brackets = m.bracket & ~inside; brackets; brackets &= brackets - 1) {
            const char *at = p + __builtin_ctzll(brackets);
            if (*at == '[' || *at == '{') {
                depth++;
            } else if (--depth == 0) { /* brackets are before the sentinel, so this one is data */
                s->p = at + 1;
                return AZ_JSON_OK;
            }
        }
        text = inside >> 63;
        p += 64;
    }
    return AZ_JSON_MORE;
}

static inline int skip_token(struct az_jscan *s)
{
    const char *p = az_find_token_end(s->p);
    if (p >= s->end)
        return AZ_JSON_MORE;
    if (p == s->p)
        return AZ_JSON_BAD;
    s->p = p;
    return AZ_JSON_OK;
}

static bool word_is_value(struct az_sv t)
{
    static const char *const words[] = { "null",     "true",      "false", "NaN", "nan",
                                         "Infinity", "-Infinity", "inf",   "-inf" };
    if (t.p[0] >= '0' && t.p[0] <= '9')
        return true;
    if (t.p[0] == '-' && t.n > 1 && t.p[1] >= '0' && t.p[1] <= '9')
        return true;
    for (size_t i = 0; i < AZ_LENGTH(words); i++)
        if (az_sv_is(t, words[i]))
            return true;
    return false;
}

int az_json_skip_slow(struct az_jscan *s)
{
    const char *from = s->p;
    struct az_sv text;
    bool escaped;
    int rc;
    if (*from == '"') {
        rc = az_json_string(s, &text, &escaped);
    } else if (*from == '{' || *from == '[') {
        s->p++;
        rc = skip_nested(s);
        if (rc != AZ_JSON_OK)
            s->p = from;
    } else {
        rc = skip_token(s);
        if (rc == AZ_JSON_OK && (unsigned)(*from - '0') > 9 &&
            !word_is_value(az_sv_make(from, (size_t)(s->p - from)))) {
            s->p = from;
            rc = AZ_JSON_BAD;
        }
    }
    return rc;
}

/* Numbers of 16 to 19 digits with nothing to round, such as times in microseconds since 1970: every
 * event of some writers has one. False: use the general case. */
static bool long_decimal(const char **at, int scale10, int64_t *out)
{
    enum { MOST = 9 };
    uint64_t v, more = 0, frac = 0;
    unsigned n, m = 0;
    const char *q = *at;

    if ((unsigned)scale10 > MOST || az_digits(q, &v) != 16)
        return false;
    n = az_digits(q += 16, &more);
    q += n;
    if (n <= 3 && *q == '.') {
        m = az_digits(++q, &frac);
        q += m;
    }
    if (n > 3 || m > (unsigned)scale10 || !az_json_ends_number(*q))
        return false;
    v = v * az_ten_to[n] + more; /* below 10^19, which is below 2^64 */
    frac *= az_ten_to[(unsigned)scale10 - m];
    if (v > ((uint64_t)INT64_MAX - frac) / az_ten_to[scale10])
        return false;
    *out = (int64_t)(v * az_ten_to[scale10] + frac);
    *at = q;
    return true;
}

int az_json_decimal_slow(struct az_jscan *s, int scale10)
{
    struct az_sv raw;
    if (long_decimal(&s->p, scale10, &s->number))
        return AZ_JSON_OK;
    int rc = az_json_skip(s, &raw);
    if (rc != AZ_JSON_OK)
        return rc;
    if (raw.n >= 2 && raw.p[0] == '"')
        raw = az_sv_make(raw.p + 1, raw.n - 2);
    return az_parse_decimal(raw, scale10, &s->number) == 0 ? AZ_JSON_OK : AZ_JSON_NONE;
}

/* ---- text ---- */
static int hex_digits(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (d < 0)
            return -1;
        v = v << 4 | d;
    }
    return v;
}

static size_t put_utf8(char *o, uint32_t c)
{
    if (c < 0x80) {
        o[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        o[0] = (char)(0xc0 | c >> 6);
        o[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        o[0] = (char)(0xe0 | c >> 12);
        o[1] = (char)(0x80 | (c >> 6 & 63));
        o[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    o[0] = (char)(0xf0 | c >> 18);
    o[1] = (char)(0x80 | (c >> 12 & 63));
    o[2] = (char)(0x80 | (c >> 6 & 63));
    o[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* \uXXXX at p (after the 'u', n bytes left): code point and bytes used, 0 if it is no such escape.
 */
static size_t unicode_escape(const char *p, size_t n, uint32_t *code)
{
    int hi = n >= 4 ? hex_digits(p) : -1;
    if (hi < 0)
        return 0;
    *code = (uint32_t)hi;
    if (hi < 0xd800 || hi > 0xdfff)
        return 4;
    *code = 0xfffd;
    if (hi > 0xdbff || n < 10 || p[4] != '\\' || p[5] != 'u')
        return 4;
    int lo = hex_digits(p + 6);
    if (lo < 0xdc00 || lo > 0xdfff)
        return 4;
    *code = 0x10000 + (((uint32_t)hi - 0xd800) << 10) + ((uint32_t)lo - 0xdc00);
    return 10;
}

struct az_sv az_json_unescape(struct az_arena *a, struct az_sv raw)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (raw.n == 0 || !memchr(raw.p, '\\', raw.n))
        return raw;
    char *out = az_arena_alloc(
        a,
        raw.n + 4); /* an escape is never shorter than what it stands for, but U+FFFD is 3 for 6 */
    size_t n = 0;
    if (!out)
        return az_sv_make(NULL, 0);
    for (size_t i = 0; i < raw.n;) {
        char c = raw.p[i++];
        if (c != '\\' || i == raw.n) {
            out[n++] = c;
            continue;
        }
        const char *hit = raw.p[i] ? strchr(from, raw.p[i]) : NULL;
        uint32_t code;
        size_t used = raw.p[i] == 'u' ? unicode_escape(raw.p + i + 1, raw.n - i - 1, &code) : 0;
        if (hit) {
            out[n++] = to[hit - from];
            i++;
        } else if (used) {
            n += put_utf8(out + n, code);
            i += used + 1;
        } else {
            out[n++] = c; /* a bad escape stays as it is written */
        }
    }
    return az_sv_make(out, n);
}

struct az_sv az_json_text(struct az_arena *a, struct az_sv raw)
{
    const bool string = raw.n >= 2 && raw.p[0] == '"';
    if (string)
        raw = az_sv_make(raw.p + 1, raw.n - 2);
    if (!string || !raw.n || !memchr(raw.p, '\\', raw.n))
        return az_arena_dup(a, raw);
    return az_json_unescape(a, raw);
}

/* ---- views ---- */
static struct az_sv after_space(struct az_sv v)
{
    while (v.n && (*v.p == ' ' || *v.p == '\n' || *v.p == '\r' || *v.p == '\t')) {
        v.p++;
        v.n--;
    }
    return v;
}

static bool open_with(struct az_jview *v, struct az_sv raw, char bracket)
{
    raw = after_space(raw);
    if (raw.n < 2 || *raw.p != bracket)
        return false;
    v->rest = az_sv_make(raw.p + 1, raw.n - 1);
    return true;
}
bool az_jview_array(struct az_jview *v, struct az_sv raw) { return open_with(v, raw, '['); }
bool az_jview_object(struct az_jview *v, struct az_sv raw) { return open_with(v, raw, '{'); }

/* Bytes of a value in brackets that are whole blocks of 64 before its end, before a backslash and
 * before the end of t; with the state after them. */
static size_t whole_blocks(struct az_sv t, size_t *depth, bool *text)
{
    size_t i = 0;
    for (; t.n - i >= 64; i += 64) {
        const struct az_block m = az_block_masks(t.p + i);
        const uint64_t inside = az_prefix_xor(m.quote) ^ (*text ? UINT64_MAX : 0);
        size_t d = *depth;
        if (m.backslash)
            return i;
        for (uint64_t brackets = m.bracket & ~inside; brackets; brackets &= brackets - 1) {
            const char c = t.p[i + (size_t)__builtin_ctzll(brackets)];
            d += c == '[' || c == '{' ? 1 : SIZE_MAX;
            if (d == 0)
                return i;
        }
        *depth = d;
        *text = inside >> 63;
    }
    return i;
}

/* Length of the value at the start of t, 0 if it is malformed or truncated. */
static size_t value_length(struct az_sv t)
{
    size_t depth = 0, i = 0;
    bool text = false;
    if (t.n && (*t.p == '{' || *t.p == '['))
        i = whole_blocks(t, &depth, &text);
    for (; i < t.n; i++) {
        char c = t.p[i];
        if (text) {
            if (c == '\\')
                i++;
            else if (c == '"')
                text = false;
            if (!text && depth == 0)
                return i + 1;
        } else if (c == '"') {
            text = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return i;
            if (--depth == 0)
                return i + 1;
        } else if (depth == 0 && (c == ',' || c == ':' || (unsigned char)c <= ' ')) {
            return i;
        }
    }
    return text || depth ? 0 : i;
}

bool az_jview_next(struct az_jview *v, struct az_sv *value)
{
    struct az_sv t = after_space(v->rest);
    if (t.n && *t.p == ',')
        t = after_space(az_sv_make(t.p + 1, t.n - 1));
    size_t n = t.n && *t.p != ']' && *t.p != '}' ? value_length(t) : 0;
    if (n == 0)
        return false;
    *value = az_sv_make(t.p, n);
    v->rest = az_sv_make(t.p + n, t.n - n);
    return true;
}

bool az_jview_member(struct az_jview *v, struct az_sv *key, struct az_sv *value)
{
    struct az_sv k;
    if (!az_jview_next(v, &k) || k.n < 2 || *k.p != '"')
        return false;
    struct az_sv t = after_space(v->rest);
    if (t.n == 0 || *t.p != ':')
        return false;
    v->rest = az_sv_make(t.p + 1, t.n - 1);
    *key = az_sv_make(k.p + 1, k.n - 2);
    return az_jview_next(v, value);
}
