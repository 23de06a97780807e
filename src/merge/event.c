/* Checking, repair and rewriting one event. Only what is valid JSON may be copied: a viewer's
 * parser rejects the whole file for one control byte, and profilers do write them. */
#include "merge/event.h"

#include "base/num.h"
#include "base/utf8.h"
#include "text/scanprim.h"

#define DEPTH_MAX 64
#define SENTINEL  64

/* ---- strict JSON ---- */

struct check {
    const char *end;
    bool high; /* a byte beyond ASCII was seen: UTF-8 is checked once for the whole event */
    bool bad;
};

static const char *space(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    return p;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of the escape at p (after it the text goes on); 0: none that JSON has. */
static size_t escape_length(const char *p, const char *end)
{
    if (end - p < 2)
        return 0;
    if (p[1] == 'u')
        return end - p >= 6 && is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? 6 : 0;
    return p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

/* Flags of the bytes [p, q): vectorized by the compiler. */
static void look_at(struct check *c, const char *p, const char *q)
{
    unsigned char low = 0, high = 0;
    for (; p < q; p++) {
        low |= (unsigned char)*p < 0x20;
        high |= (unsigned char)*p;
    }
    c->bad |= low;
    c->high |= high >= 0x80;
}

/* p on the quote; after the closing one, or NULL. */
static const char *string(struct check *c, const char *p)
{
    for (p++;;) {
        const char *q = az_find_string_end(p);
        if (q >= c->end)
            return NULL;
        look_at(c, p, q);
        if (*q == '"')
            return c->bad ? NULL : q + 1;
        size_t n = *q == '\\' ? escape_length(q, c->end) : 0;
        if (n == 0)
            return NULL;
        p = q + n;
    }
}

static const char *digits(const char *p)
{
    const char *from = p;
    while (*p >= '0' && *p <= '9')
        p++;
    return p == from ? NULL : p;
}

static const char *number(const char *p)
{
    p += *p == '-';
    p = *p == '0' ? p + 1 : digits(p);
    if (p && *p == '.')
        p = digits(p + 1);
    if (p && (*p == 'e' || *p == 'E')) {
        p++;
        p = digits(p + (*p == '+' || *p == '-'));
    }
    return p;
}

static const char *skip_word(const char *p)
{
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < 3; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    return NULL;
}

static const char *value(struct check *c, const char *p, unsigned depth);

/* Key and colon of a member; *key without quotes. */
static const char *member_key(struct check *c, const char *p, struct az_sv *key)
{
    if (*p != '"')
        return NULL;
    const char *q = string(c, p);
    if (!q)
        return NULL;
    *key = az_sv_make(p + 1, (size_t)(q - p) - 2);
    q = space(q);
    return *q == ':' ? space(q + 1) : NULL;
}

/* Elements of an object or array, p after its bracket. */
static const char *elements(struct check *c, const char *p, char close, unsigned depth)
{
    struct az_sv key;
    p = space(p);
    if (*p == close)
        return p + 1;
    for (;;) {
        if (close == '}')
            p = member_key(c, p, &key);
        p = p ? value(c, p, depth + 1) : NULL;
        if (!p)
            return NULL;
        p = space(p);
        if (*p == close)
            return p + 1;
        if (*p != ',')
            return NULL;
        p = space(p + 1);
    }
}

static const char *value(struct check *c, const char *p, unsigned depth)
{
    if (p >= c->end || depth > DEPTH_MAX)
        return NULL;
    switch (*p) {
    case '"':
        return string(c, p);
    case '{':
        return elements(c, p + 1, '}', depth);
    case '[':
        return elements(c, p + 1, ']', depth);
    default:
        return *p == '-' || (*p >= '0' && *p <= '9') ? number(p) : skip_word(p);
    }
}

/* ---- events ---- */

static bool is_key(struct az_sv key, const char *s, size_t n)
{
    return key.n == n && memcmp(key.p, s, n) == 0;
}
#define IS(key, lit) is_key(key, lit, sizeof(lit) - 1)

static struct az_sv *argument(struct az_merge_event *e, struct az_sv key)
{
    return IS(key, "correlation")   ? &e->correlation
           : IS(key, "External id") ? &e->external
           : IS(key, "rank")        ? &e->rank
           : IS(key, "labels")      ? &e->labels
                                    : NULL;
}

static struct az_sv *field(struct az_merge_event *e, struct az_sv key)
{
    return IS(key, "pid")    ? &e->pid
           : IS(key, "id")   ? &e->id
           : IS(key, "cat")  ? &e->cat
           : IS(key, "name") ? &e->name
           : IS(key, "ph")   ? &e->ph
           : IS(key, "args") ? &e->args
                             : NULL;
}

/* Members of the event or of its args, p after the brace; *empty: there is none. */
static const char *members(struct check *c, struct az_merge_event *e, const char *p, bool args,
                           bool *empty)
{
    struct az_sv key, *out;
    p = space(p);
    *empty = *p == '}';
    if (*empty)
        return p + 1;
    for (;;) {
        const char *from = member_key(c, p, &key);
        if (!from)
            return NULL;
        out = args ? argument(e, key) : field(e, key);
        if (!args && out == &e->args && *from == '{') {
            e->rank = e->correlation = e->external = e->labels = (struct az_sv){ NULL, 0 };
            p = members(c, e, from + 1, true, &e->args_empty);
        } else {
            p = value(c, from, args ? 2 : 1);
        }
        if (!p)
            return NULL;
        if (out)
            *out = az_sv_make(from, (size_t)(p - from));
        p = space(p);
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return NULL;
        p = space(p + 1);
    }
}

bool az_merge_parse(struct az_sv text, struct az_merge_event *e)
{
    struct check c = { .end = text.p + text.n };
    *e = (struct az_merge_event){ .text = text };
    if (text.n < 2 || *text.p != '{')
        return false;
    const char *p = members(&c, e, text.p + 1, false, &e->empty);
    if (p != c.end || c.bad)
        return false;
    return !c.high || az_utf8_valid(text);
}

/* ---- repair ---- */

/* A byte or a code point of a string as JSON allows it. */
static void repair_char(struct az_sv text, size_t *i, struct az_vec_char *out)
{
    unsigned char b = (unsigned char)text.p[*i];
    size_t from = *i;
    if (b < 0x20) {
        ++*i;
        az_text_format(out, "\\u%04x", b);
        return;
    }
    if (b == '\\') {
        size_t n = escape_length(text.p + *i, text.p + text.n);
        *i += n ? n : 1;
        az_text_add(out, n ? az_sv_make(text.p + from, n) : AZ_SV("\\\\"));
        return;
    }
    uint32_t code = az_utf8_next(text, i);
    struct az_sv as_is = az_sv_make(text.p + from, *i - from);
    az_text_add(out, code == 0xfffd ? AZ_SV("\xef\xbf\xbd") : as_is);
}

/* A number that is not JSON, at p: its length; 0: none. */
static size_t nonfinite(struct az_sv rest)
{
    static const char *const words[] = { "-Infinity", "Infinity", "-infinity", "infinity", "-NaN",
                                         "NaN",       "-nan",     "nan",       "-inf",     "inf" };
    for (size_t i = 0; i < AZ_LENGTH(words); i++)
        if (az_sv_starts(rest, az_sv_str(words[i])))
            return strlen(words[i]);
    return 0;
}

int az_merge_repair(struct az_sv text, struct az_vec_char *out)
{
    static const char zeros[SENTINEL];
    bool quoted = false;
    az_vec_reset(out);
    for (size_t i = 0; i < text.n;) {
        struct az_sv rest = az_sv_make(text.p + i, text.n - i);
        size_t n = quoted ? 0 : nonfinite(rest);
        if (n) {
            az_text_add(out, AZ_SV("null"));
            i += n;
        } else if (*rest.p == '"' || !quoted) {
            quoted ^= *rest.p == '"';
            az_vec_add(out, *rest.p);
            i++;
        } else {
            repair_char(text, &i, out);
        }
    }
    az_text_add(out, az_sv_make(zeros, SENTINEL));
    if (!out->failed)
        out->n -= SENTINEL;
    return az_vec_error(out);
}

/* ---- values ---- */

struct az_sv az_merge_string(struct az_sv raw)
{
    return raw.n >= 2 && *raw.p == '"' ? az_sv_make(raw.p + 1, raw.n - 2) : (struct az_sv){ "", 0 };
}

int az_merge_digits(struct az_sv raw)
{
    size_t from = raw.n && *raw.p == '-';
    if (raw.n == from || raw.n > 4096)
        return -1;
    for (size_t i = from; i < raw.n; i++)
        if (raw.p[i] < '0' || raw.p[i] > '9')
            return -1;
    return raw.p[from] == '0' ? 0 : (int)(raw.n - from);
}

/* rank x 10^digits + v: the rank's digits before those of v. */
static void positive_id(struct az_sv raw, const struct az_merge_shift *s, struct az_vec_char *out)
{
    char rank[AZ_NUM_MAX];
    if (s->rank > 0)
        az_text_add(out, az_sv_make(rank, az_format_i64(s->rank, rank)));
    for (size_t i = raw.n; s->rank > 0 && i < s->digits; i++)
        az_vec_add(out, '0');
    az_text_add(out, raw);
}

/* rank x 10^digits - v, where it fits in 64 bits. */
static bool negative_id(struct az_sv raw, const struct az_merge_shift *s, int64_t *v)
{
    int64_t shift = s->rank;
    for (unsigned i = 0; i < s->digits; i++)
        if (__builtin_mul_overflow(shift, 10, &shift))
            return false;
    return az_parse_i64(raw, v) == 0 && !__builtin_add_overflow(shift, *v, v);
}

void az_merge_id(struct az_sv raw, const struct az_merge_shift *s, struct az_vec_char *out)
{
    int64_t v;
    const bool whole = az_merge_digits(raw) >= 0;
    const struct az_sv text = *raw.p == '"' ? az_merge_string(raw) : raw;
    if (whole && *raw.p != '-')
        positive_id(raw, s, out);
    else if (whole && s->rank == 0)
        az_text_add(out, raw);
    else if (whole && negative_id(raw, s, &v))
        az_text_format(out, "%lld", (long long)v);
    else
        az_text_format(out, "\"rank%lld:%.*s\"", (long long)s->rank, AZ_SVF(text));
}

/* ---- writing ---- */

struct edit {
    const char *at;
    size_t cut;      /* bytes of the old text that are replaced */
    struct az_sv id; /* an id is shifted, and this and the old text follow it; else: */
    struct az_sv before, after,
        tail; /* before, the rank, after, the old text, tail; no tail: the old text is gone */
};

static void add_id(struct edit *list, size_t *n, struct az_sv raw, struct az_sv raw_key)
{
    if (raw.n && *raw.p != 'n' && *raw.p != 't' && *raw.p != 'f' && *raw.p != '{' && *raw.p != '[')
        list[(*n)++] = (struct edit){ .at = raw.p, .cut = raw.n, .id = raw_key };
}

static struct edit rank_edit(const struct az_merge_event *e)
{
    const struct az_sv none = { "", 0 }, rank = AZ_SV("\"rank\": ");
    if (e->args.n && *e->args.p == '{' && e->rank.n)
        return (struct edit){ e->rank.p, e->rank.n, none, none, AZ_SV(", \"rank_raw\": "),
                              AZ_SV(" ") };
    if (e->args.n && *e->args.p == '{')
        return (
            struct edit){ e->args.p + 1, 0, none, rank, e->args_empty ? none : AZ_SV(", "), none };
    if (e->args.n && *e->args.p == 'n')
        return (struct edit){ e->args.p, e->args.n, none, AZ_SV("{\"rank\": "), AZ_SV("}"), none };
    if (e->args.n)
        return (struct edit){
            e->args.p, e->args.n, none, AZ_SV("{\"rank\": "), AZ_SV(", \"args_raw\": "), AZ_SV("}")
        };
    return (struct edit){ e->text.p + e->text.n - 1,
                          0,
                          none,
                          e->empty ? AZ_SV("\"args\": {\"rank\": ")
                                   : AZ_SV(", \"args\": {\"rank\": "),
                          AZ_SV("}"),
                          none };
}

static void apply(const struct edit *d, const struct az_merge_shift *s, struct az_vec_char *out)
{
    struct az_sv old = az_sv_make(d->at, d->cut);
    char rank[AZ_NUM_MAX];
    if (d->id.n) {
        az_merge_id(old, s, out);
        az_text_add(out, d->id);
        az_text_add(out, old);
        return;
    }
    az_text_add(out, d->before);
    az_text_add(out, az_sv_make(rank, az_format_i64(s->rank, rank)));
    az_text_add(out, d->after);
    if (d->tail.n) {
        az_text_add(out, old);
        az_text_add(out, d->tail);
    }
}

int az_merge_write(const struct az_merge_event *e, const struct az_merge_shift *s,
                   struct az_vec_char *out)
{
    struct edit list[4];
    size_t n = 0;
    const char *at = e->text.p;
    add_id(list, &n, e->pid, AZ_SV(", \"pid_raw\": "));
    add_id(list, &n, e->id, AZ_SV(", \"id_raw\": "));
    add_id(list, &n, s->external ? e->external : e->correlation,
           s->external ? AZ_SV(", \"External id_raw\": ") : AZ_SV(", \"correlation_raw\": "));
    list[n++] = rank_edit(e);
    for (size_t i = 1; i < n; i++) /* in the order of the text; they never overlap */
        for (size_t k = i; k > 0 && list[k].at < list[k - 1].at; k--) {
            struct edit x = list[k];
            list[k] = list[k - 1];
            list[k - 1] = x;
        }
    for (size_t i = 0; i < n; i++) {
        az_text_add(out, az_sv_make(at, (size_t)(list[i].at - at)));
        apply(&list[i], s, out);
        at = list[i].at + list[i].cut;
    }
    az_text_add(out, az_sv_make(at, (size_t)(e->text.p + e->text.n - at)));
    return az_vec_error(out);
}
