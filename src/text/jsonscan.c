/* JSON scanner: window, documents, arrays of records. Values: jsonvalue.c. */
#include "text/jsonscan.h"

#define SENTINEL     64
#define FEW          100 /* bytes per read in a build that moves buffers, or as many as stored */
#define RUNAWAYS_MAX 64  /* records without an end, after which reading stops */

int az_jscan_init(struct az_jscan *s, int (*fill)(void *, void *, size_t, size_t *), void *ctx,
                  size_t window, struct az_mem *mem)
{
    *s = (struct az_jscan){
        .cap = window ? window : (size_t)256 << 10, .mem = mem, .fill = fill, .ctx = ctx
    };
    s->max_record = (size_t)64 << 20;
    s->window = az_mem_alloc(mem, s->cap + SENTINEL);
    if (!s->window)
        return az_mem_error(mem);
    memset(s->window, 0, SENTINEL);
    s->p = s->end = s->window;
    return 0;
}

void az_jscan_release(struct az_jscan *s)
{
    if (s->window)
        az_mem_free(s->mem, s->window, s->cap + SENTINEL);
    *s = (struct az_jscan){ 0 };
}

/* Puts the window's n bytes into another block with room for `more`, in a build that moves buffers.
 */
static int move_window(struct az_jscan *s, size_t more)
{
    size_t at = (size_t)(s->p - s->window), n = (size_t)(s->end - s->window);
    char *w = az_mem_move(s->window, n + (more ? 0 : SENTINEL), n + more + SENTINEL);
    if (!w)
        return AZ_ENOMEM;
    s->window = w;
    s->p = w + at;
    s->end = w + n;
    return 0;
}

/* Invalidates views of earlier calls. */
static inline void end_views(struct az_jscan *s)
{
    if (AZ_MOVES)
        (void)move_window(s, 0);
}

static int grow_window(struct az_jscan *s)
{
    size_t at = (size_t)(s->p - s->window), n = (size_t)(s->end - s->window);
    size_t want = s->cap < s->max_record / 2 ? s->cap * 2 : s->max_record;
    if (s->cap >= s->max_record)
        return AZ_ERANGE;
    char *w = az_mem_realloc(s->mem, s->window, s->cap + SENTINEL, want + SENTINEL);
    if (!w)
        return az_mem_error(s->mem);
    s->window = w;
    s->cap = want;
    s->p = w + at;
    s->end = w + n;
    return 0;
}

/* Moves [s->p, end) to the front, and reads more after it: 1 more data, 0 end of the
 * document, negative error.
 */
static int refill(struct az_jscan *s)
{
    if (s->error)
        return s->error;
    if (s->eof)
        return 0;
    size_t kept = (size_t)(s->end - s->p), got = 0;
    memmove(s->window, s->p, kept);
    s->base += s->p - s->window;
    s->p = s->window;
    s->end = s->window + kept;
    if (kept == s->cap) {
        int rc = grow_window(s);
        if (rc == AZ_ERANGE)
            return rc; /* no error of the source: the caller may leave this record out */
        s->error = rc;
        if (rc)
            return rc;
    }
    size_t room = s->cap - kept;
    if (AZ_MOVES) {
        room = room < FEW ? room : kept < FEW ? FEW : kept < room ? kept : room;
        s->error = move_window(s, room);
        if (s->error)
            return s->error;
    }
    s->error = s->fill(s->ctx, s->window + kept, room, &got);
    s->eof = got == 0;
    s->end += got;
    memset(s->window + kept + got, 0, SENTINEL);
    return s->error ? s->error : got != 0;
}

/* At offset 0: 1 if a byte order mark was skipped, 0 if there is none. */
static int skip_bom(struct az_jscan *s)
{
    while (s->end - s->p < 3) {
        int rc = refill(s);
        if (rc <= 0)
            return rc;
    }
    if (memcmp(s->p, "\xef\xbb\xbf", 3) != 0)
        return 0;
    s->p += 3;
    return 1;
}

int az_jscan_peek(struct az_jscan *s)
{
    end_views(s);
    for (;;) {
        az_json_space(s);
        if (s->p < s->end) {
            if ((unsigned char)*s->p == 0xef && az_jscan_offset(s) == 0) {
                int rc = skip_bom(s);
                if (rc < 0)
                    return rc;
                if (rc > 0)
                    continue;
            }
            return (unsigned char)*s->p
                       ? (unsigned char)*s->p
                       : 1; /* a zero byte is no end: some byte that fits nothing */
        }
        int rc = refill(s);
        if (rc <= 0)
            return rc;
    }
}

int az_jscan_byte(struct az_jscan *s, char c)
{
    int got = az_jscan_peek(s);
    if (got < 0)
        return got;
    if (got != (unsigned char)c)
        return got ? AZ_JSON_BAD : AZ_JSON_MORE;
    s->p++;
    return AZ_JSON_OK;
}

/* Runs a record-level call at the cursor until it needs no more; at the end of the document
 * `MORE` stays. */
static int whole_string(struct az_jscan *s, struct az_sv *raw)
{
    bool escaped;
    for (;;) {
        int rc = az_json_string(s, raw, &escaped);
        if (rc != AZ_JSON_MORE)
            return rc;
        rc = refill(s);
        if (rc < 0)
            return rc;
        if (rc == 0)
            return AZ_JSON_MORE;
    }
}

int az_jscan_member(struct az_jscan *s, bool *first, struct az_sv *key)
{
    int c = az_jscan_peek(s);
    if (c == ',' && !*first) {
        s->p++;
        c = az_jscan_peek(s);
    } else if (c != '}' && c > 0 && !*first) {
        return AZ_JSON_BAD;
    }
    if (c < 0)
        return c;
    if (c == '}') {
        s->p++;
        return AZ_JSON_END;
    }
    if (c == 0)
        return AZ_JSON_MORE;
    *first = false;
    for (;;) { /* key, blanks and colon in one window: a refill after the key would move it */
        int rc = whole_string(s, key);
        if (rc != AZ_JSON_OK)
            return rc;
        az_json_space(s);
        if (s->p < s->end)
            break;
        s->p = key->p - 1;
        rc = refill(s);
        if (rc <= 0)
            return rc < 0 ? rc : AZ_JSON_MORE;
    }
    if (*s->p != ':')
        return AZ_JSON_BAD;
    s->p++;
    return AZ_JSON_OK;
}

int az_jscan_value(struct az_jscan *s, struct az_sv *raw)
{
    int c = az_jscan_peek(s);
    if (c <= 0)
        return c < 0 ? c : AZ_JSON_MORE;
    for (;;) {
        const char *from = s->p;
        int rc = az_json_skip(s, raw);
        if (rc != AZ_JSON_MORE)
            return rc;
        s->p = from;
        rc = refill(s);
        if (rc < 0)
            return rc;
        if (rc == 0) { /* a number or word may end with the document */
            from = s->p;
            if (*from == '"' || *from == '{' || *from == '[')
                return AZ_JSON_MORE;
            *raw = az_sv_make(from, (size_t)(s->end - from));
            s->p = s->end;
            return AZ_JSON_OK;
        }
    }
}

/* One byte at a time, so that the value may be of any size. */
int az_jscan_skip_value(struct az_jscan *s)
{
    int c = az_jscan_peek(s);
    if (c <= 0)
        return c < 0 ? c : AZ_JSON_MORE;
    if (c != '"' && c != '{' && c != '[') {
        struct az_sv raw;
        return az_jscan_value(s, &raw);
    }
    size_t depth = 0;
    bool text = false, escape = false;
    for (;;) {
        for (; s->p < s->end; s->p++) {
            char x = *s->p;
            if (text) {
                text = escape || x != '"';
                escape = !escape && x == '\\';
                if (!text && depth == 0)
                    break;
            } else if (x == '"') {
                text = true;
            } else if (x == '{' || x == '[') {
                depth++;
            } else if (x == '}' || x == ']') {
                if (--depth == 0)
                    break;
            }
        }
        if (s->p < s->end) {
            s->p++;
            return AZ_JSON_OK;
        }
        int rc = refill(s);
        if (rc <= 0)
            return rc < 0 ? rc : AZ_JSON_MORE;
    }
}

void az_jscan_hint(struct az_jscan *s, struct az_sv first_key)
{
    size_t n = first_key.n < sizeof s->first_key_buf ? first_key.n : 0;
    memcpy(s->first_key_buf, n ? first_key.p : "", n);
    s->first_key_n = n;
}

/* Does `{ "first_key" :` start at p? 1 yes, 0 no, -1 the window ends first. */
static int looks_like_record(const struct az_jscan *s, const char *p)
{
    const char *q = p + 1;
    while (*q == ' ' || *q == '\n' || *q == '\r' || *q == '\t')
        q++;
    if (q + s->first_key_n + 2 >= s->end)
        return -1;
    if (s->first_key_n == 0)
        return *q == '"'; /* nothing known yet */
    if (*q != '"' || memcmp(q + 1, s->first_key_buf, s->first_key_n) != 0 ||
        q[s->first_key_n + 1] != '"')
        return 0;
    q += s->first_key_n + 2;
    while (*q == ' ' || *q == '\n' || *q == '\r' || *q == '\t')
        q++;
    return q >= s->end ? -1 : *q == ':';
}

int az_jscan_resync(struct az_jscan *s)
{
    for (;;) {
        const char *p = s->p < s->end ? memchr(s->p, '{', (size_t)(s->end - s->p)) : NULL;
        int hit = p ? looks_like_record(s, p) : -1;
        if (hit > 0) {
            s->p = p;
            return AZ_JSON_OK;
        }
        if (hit == 0) {
            s->p = p + 1;
            continue;
        }
        s->p = p ? p : s->end;
        int rc = refill(s);
        if (rc == AZ_ERANGE) { /* a bracket and a window of blanks */
            s->p++;
        } else if (rc <= 0) {
            s->p = s->end;
            return rc < 0 ? rc : AZ_JSON_END;
        }
    }
}

/* Notes the first key of the first record that has one, by which a record's start is recognized
 * later. */
static void learn_first_key(struct az_jscan *s, const char *record)
{
    const char *q = record + 1;
    if (s->first_key_n || *record != '{')
        return;
    while (*q == ' ' || *q == '\n' || *q == '\r' || *q == '\t')
        q++;
    if (*q != '"')
        return;
    const char *e = az_find_string_end(q + 1);
    if (*e == '"' && e < s->end)
        az_jscan_hint(s, az_sv_make(q + 1, (size_t)(e - q - 1)));
}

/* A record failed at s->p: note it and find the next. AZ_JSON_OK to go on, else what the caller
 * returns. */
static int leave_out(struct az_jscan *s, int64_t start, bool strict, struct az_jarray *out)
{
    int64_t bad = az_jscan_offset(s);
    out->malformed++;
    if (out->first_bad < 0)
        out->first_bad = bad;
    out->end_offset = start;
    if (strict)
        return AZ_JSON_BAD;
    const char *record = s->window + (start - s->base); /* still in the window */
    learn_first_key(s, record);
    s->p = record + 1;
    int rc = az_jscan_resync(s);
    out->skipped_bytes += (uint64_t)(az_jscan_offset(s) - start);
    if (rc == AZ_JSON_END)
        out->truncated = true;
    return rc;
}

/* The document ends inside the record at s->p: truncated there, unless an open string or bracket
 * swallowed what follows.
 */
static int cut_off(struct az_jscan *s, int64_t start, bool strict, struct az_jarray *out)
{
    learn_first_key(s, s->p);
    out->end_offset = start;
    s->p++;
    int rc = az_jscan_resync(s);
    if (rc != AZ_JSON_OK) {
        out->truncated = rc == AZ_JSON_END;
        return rc;
    }
    out->malformed++;
    out->first_bad = out->first_bad < 0 ? start : out->first_bad;
    out->skipped_bytes += (uint64_t)(az_jscan_offset(s) - start);
    return strict ? AZ_JSON_BAD : AZ_JSON_OK;
}

/* One record with the cursor on its '{'. AZ_JSON_OK: go on; AZ_JSON_END: stop reading; else return
 * it. */
static int one_record(struct az_jscan *s, int (*record)(void *, struct az_jscan *), void *ctx,
                      bool strict, struct az_jarray *out)
{
    for (;;) {
        const char *from = s->p++;
        int rc = record(ctx, s);
        if (rc == AZ_JSON_OK) {
            if (s->first_key_n == 0)
                learn_first_key(s, from);
            out->records++;
            return AZ_JSON_OK;
        }
        int64_t start = s->base + (from - s->window);
        if (rc == AZ_JSON_BAD || rc == AZ_JSON_END)
            return leave_out(s, start, strict, out);
        if (rc != AZ_JSON_MORE)
            return rc;
        s->p = from;
        rc = refill(s);
        if (rc > 0)
            continue;
        if (rc < 0 && rc != AZ_ERANGE)
            return rc;
        if (++s->runaways > RUNAWAYS_MAX) { /* each costs a whole window */
            out->end_offset = start;
            return AZ_JSON_END;
        }
        return rc == 0 ? cut_off(s, start, strict, out) : leave_out(s, start, strict, out);
    }
}

/* Between records of one writer stand the same few bytes nearly always; the rest is left to
 * az_jscan_peek. */
static int next_record(struct az_jscan *s)
{
    end_views(s);
    const char *from = s->p;
    uint64_t bytes;
    memcpy(&bytes, from, sizeof bytes); /* zero bytes are after the data */
    const bool same = s->between.n && (bytes & s->between.mask) == s->between.bytes;
    if (same)
        s->p += s->between.n;
    az_json_space(s);
    if (*s->p == ',' && !same) {
        s->p++;
        az_json_space(s);
    }
    if (*s->p != '{')
        return az_jscan_peek(s);
    const size_t n = (size_t)(s->p - from);
    if (n != s->between.n && n > 0 && n < 8) {
        s->between.mask = 0;
        memset(&s->between.mask, 0xff, n);
        s->between.bytes = bytes & s->between.mask;
        s->between.n = (unsigned)n;
    }
    return '{';
}

int az_jscan_records_until(struct az_jscan *s, int64_t stop,
                           int (*record)(void *ctx, struct az_jscan *s), void *ctx, bool strict,
                           struct az_jarray *out)
{
    *out = (struct az_jarray){ .first_bad = -1 };
    for (;;) {
        int c = next_record(s);
        if (c < 0)
            return c;
        out->end_offset = az_jscan_offset(s);
        if (c == 0) {
            out->truncated = true;
            return AZ_JSON_OK;
        }
        if (c == ']' || (c == '{' && out->end_offset >= stop))
            return AZ_JSON_OK;
        int rc;
        if (c == '{') {
            rc = one_record(s, record, ctx, strict, out);
        } else if (c == ',') {
            s->p++;
            continue;
        } else {
            rc = az_jscan_skip_value(s);
            if (rc == AZ_JSON_BAD)
                rc = leave_out(s, out->end_offset, strict, out);
        }
        if (rc == AZ_JSON_END || rc == AZ_JSON_MORE) {
            out->truncated = true;
            return AZ_JSON_OK;
        }
        if (rc != AZ_JSON_OK)
            return rc;
    }
}

int az_jscan_records(struct az_jscan *s, int (*record)(void *ctx, struct az_jscan *s), void *ctx,
                     bool strict, struct az_jarray *out)
{
    *out = (struct az_jarray){ .first_bad = -1 };
    int rc = az_jscan_byte(s, '[');
    if (rc != AZ_JSON_OK)
        return rc;
    rc = az_jscan_records_until(s, INT64_MAX, record, ctx, strict, out);
    if (rc == AZ_JSON_OK && !out->truncated)
        s->p++; /* the array's ']' */
    return rc;
}
