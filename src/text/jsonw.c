/* JSON writer. */
#include "text/jsonw.h"

#include "base/ascii_copy.h"
#include "base/num.h"
#include "base/swar.h"
#include "base/utf8.h"

#define DEPTH_MAX 63       /* bits of the masks */
#define SHORT     250      /* bytes of a string that is written in one piece */
#define ROOM      (6 + 16) /* for what is around it; az_copy_plain writes past the end */

void az_jsonw_init(struct az_jsonw *w, struct az_outfile *file, struct az_vec_char *text,
                   int indent)
{
    *w = (struct az_jsonw){ .file = file, .text = text, .indent = indent };
}

static void fail_writer(struct az_jsonw *w, int code) { w->error = w->error ? w->error : code; }

static void put_bytes(struct az_jsonw *w, struct az_sv s)
{
    if (w->error || s.n == 0)
        return;
    if (w->file)
        az_outfile_puts(w->file, s);
    else
        w->error = az_text_append(w->text, s);
}

static bool in_object(const struct az_jsonw *w) { return w->is_object >> w->depth & 1; }
static bool one_line(const struct az_jsonw *w)
{
    return w->indent <= 0 || (w->on_one_line >> w->depth & 1);
}

/* A line of the depth, after a comma if there is one. */
static void new_line(struct az_jsonw *w, bool comma)
{
    static const char blanks[] = ",\n                                ";
    const size_t most = sizeof blanks - 3;
    size_t n = (size_t)w->depth * (size_t)w->indent, part = n < most ? n : most;
    put_bytes(w, az_sv_make(blanks + !comma, 1 + comma + part));
    for (n -= part; n > 0; n -= part) {
        part = n < most ? n : most;
        put_bytes(w, az_sv_make(blanks + 2, part));
    }
}

/* What goes between the previous item and the next one on its line; a new line is written. */
static struct az_sv separate(struct az_jsonw *w)
{
    const bool comma = w->need_comma;

    if (w->depth == 0 || one_line(w))
        return !comma ? AZ_SV("") : w->depth > 0 && w->indent > 0 ? AZ_SV(", ") : AZ_SV(",");
    new_line(w, comma);
    return AZ_SV("");
}

/* Before any value: what precedes it. */
static struct az_sv begin_value(struct az_jsonw *w)
{
    struct az_sv lead = AZ_SV("");

    if (w->depth == 0 && w->need_comma)
        fail_writer(w, AZ_EINTERNAL); /* a second document */
    if (w->depth > 0 && in_object(w) != w->after_key)
        fail_writer(w, AZ_EINTERNAL);
    if (!w->after_key)
        lead = separate(w);
    w->after_key = false;
    w->need_comma = true;
    return lead;
}

static void open_container(struct az_jsonw *w, bool object)
{
    bool line = w->compact || (w->depth > 0 && one_line(w));
    put_bytes(w, begin_value(w));
    if (w->depth == DEPTH_MAX) {
        fail_writer(w, AZ_EINTERNAL);
        return;
    }
    put_bytes(w, object ? AZ_SV("{") : AZ_SV("["));
    uint64_t bit = (uint64_t)1 << ++w->depth;
    w->is_object = object ? w->is_object | bit : w->is_object & ~bit;
    w->on_one_line = line ? w->on_one_line | bit : w->on_one_line & ~bit;
    w->need_comma = false;
}

static void close_container(struct az_jsonw *w, bool object)
{
    if (w->depth == 0 || in_object(w) != object || w->after_key) {
        fail_writer(w, AZ_EINTERNAL);
        return;
    }
    bool line = one_line(w);
    w->depth--;
    if (w->need_comma && !line)
        new_line(w, false);
    put_bytes(w, object ? AZ_SV("}") : AZ_SV("]"));
    w->need_comma = true;
}

void az_jsonw_object(struct az_jsonw *w) { open_container(w, true); }
void az_jsonw_end_object(struct az_jsonw *w) { close_container(w, true); }
void az_jsonw_array(struct az_jsonw *w) { open_container(w, false); }
void az_jsonw_end_array(struct az_jsonw *w) { close_container(w, false); }

void az_jsonw_compact(struct az_jsonw *w, bool on)
{
    w->compact = on;
    if (on && w->depth > 0 && !w->need_comma && !w->after_key)
        w->on_one_line |= (uint64_t)1 << w->depth;
}

/* ---- strings ---- */

static void put_escape(struct az_jsonw *w, unsigned char c)
{
    static const char letters[] = "btn?fr"; /* 8, 9, 10, (11), 12, 13 */
    static const char digits[] = "0123456789abcdef";
    char buf[] = { '\\', 'u', '0', '0', digits[c >> 4], digits[c & 15] };
    size_t n = sizeof buf;

    if (c == '"' || c == '\\')
        buf[1] = (char)c;
    else if (c >= 8 && c <= 13 && c != 11)
        buf[1] = letters[c - 8];
    if (buf[1] != 'u')
        n = 2;
    put_bytes(w, az_sv_make(buf, n));
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/* Are these eight? */
static bool are_plain(uint64_t x)
{
    return ((x & AZ_EIGHT(0x80)) | az_eight_below(x, 0x20) | az_eight_has(x, '"') |
            az_eight_has(x, '\\') | az_eight_has(x, 0x7f)) == 0;
}

static void put_string(struct az_jsonw *w, struct az_sv s)
{
    put_bytes(w, AZ_SV("\""));
    for (size_t i = 0; i < s.n;) {
        size_t from = i;
        while (i + 8 <= s.n && are_plain(az_eight(s.p + i)))
            i += 8;
        while (i < s.n && is_plain((unsigned char)s.p[i]))
            i++;
        put_bytes(w, az_sv_make(s.p + from, i - from));
        if (i == s.n)
            break;
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x80) {
            put_escape(w, c);
            i++;
            continue;
        }
        from = i;
        uint32_t point = az_utf8_next(s, &i);
        put_bytes(w, point == 0xfffd ? AZ_SV("\xef\xbf\xbd") : az_sv_make(s.p + from, i - from));
    }
    put_bytes(w, AZ_SV("\""));
}

/* A string, what precedes it and what follows it, at most two bytes each: in one piece if it is
 * short. */
static void put_quoted(struct az_jsonw *w, struct az_sv lead, struct az_sv s, struct az_sv tail)
{
    char copy[SHORT + ROOM];
    char *line = w->file && !w->error ? az_outfile_room(w->file, SHORT + ROOM) : copy;

    if (s.n > SHORT || !az_copy_plain(s, '"', '\\', line + lead.n + 1)) {
        put_bytes(w, lead);
        put_string(w, s);
        put_bytes(w, tail);
        return;
    }
    memcpy(line, lead.p, lead.n);
    line[lead.n] = line[lead.n + 1 + s.n] = '"';
    memcpy(line + lead.n + s.n + 2, tail.p, tail.n);
    if (line == copy)
        put_bytes(w, az_sv_make(line, lead.n + s.n + 2 + tail.n));
    else
        az_outfile_used(w->file, lead.n + s.n + 2 + tail.n);
}

int az_json_quote(struct az_vec_char *out, struct az_sv s)
{
    struct az_jsonw w;
    const int rc = az_vec_reserve(out, s.n + 2 + 16);
    if (rc)
        return rc;
    char *const to = out->v + out->n;
    if (az_copy_plain(s, '"', '\\', to + 1)) {
        to[0] = to[s.n + 1] = '"';
        out->n += s.n + 2;
        return 0;
    }
    az_jsonw_init(&w, NULL, out, 0);
    put_string(&w, s);
    return w.error;
}

void az_jsonw_keysv(struct az_jsonw *w, struct az_sv key)
{
    if (w->depth == 0 || !in_object(w) || w->after_key)
        fail_writer(w, AZ_EINTERNAL);
    put_quoted(w, separate(w), key, w->indent > 0 ? AZ_SV(": ") : AZ_SV(":"));
    w->after_key = true;
    w->need_comma = true;
}

void az_jsonw_key(struct az_jsonw *w, const char *key) { az_jsonw_keysv(w, az_sv_str(key)); }

/* ---- values ---- */

static void put_value(struct az_jsonw *w, struct az_sv s)
{
    put_bytes(w, begin_value(w));
    put_bytes(w, s);
}

void az_jsonw_text(struct az_jsonw *w, struct az_sv s)
{
    put_quoted(w, begin_value(w), s, AZ_SV(""));
}

void az_jsonw_i64(struct az_jsonw *w, int64_t x)
{
    char buf[AZ_NUM_MAX];
    put_value(w, az_sv_make(buf, az_format_i64(x, buf)));
}

void az_jsonw_f64(struct az_jsonw *w, double x)
{
    char buf[AZ_NUM_MAX];
    size_t n = az_format_f64(x, buf); /* 0 for NaN and infinities, which JSON lacks */
    put_value(w, n ? az_sv_make(buf, n) : AZ_SV("null"));
}

void az_jsonw_raw(struct az_jsonw *w, struct az_sv value) { put_value(w, value); }

void az_jsonw_bool(struct az_jsonw *w, bool x) { put_value(w, x ? AZ_SV("true") : AZ_SV("false")); }
void az_jsonw_null(struct az_jsonw *w) { put_value(w, AZ_SV("null")); }

int az_jsonw_finish(struct az_jsonw *w)
{
    if (w->depth != 0 || w->after_key)
        fail_writer(w, AZ_EINTERNAL);
    if (w->file)
        put_bytes(w, AZ_SV("\n"));
    return w->error;
}
