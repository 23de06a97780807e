/* UTF-8 without trust. Widths and case are those of libutf8proc; decoding is our own, as invalid
 * bytes are shown, not rejected. */
#include "base/utf8.h"

#include <utf8proc.h>

#include "base/swar.h"

/* ---- decoding ---- */

enum { REPLACEMENT = 0xfffd };

/* The second byte's range depends on the first: this excludes overlong forms, surrogates and what
 * is above U+10FFFF (Unicode, table 3-7). Returns the number of bytes after the first, 0 for a bad
 * first byte. */
static unsigned lead_byte(unsigned char c, unsigned char *lo, unsigned char *hi)
{
    *lo = 0x80;
    *hi = 0xbf;
    if (c >= 0xc2 && c <= 0xdf)
        return 1;
    if (c >= 0xe0 && c <= 0xef) {
        *lo = c == 0xe0 ? 0xa0 : 0x80;
        *hi = c == 0xed ? 0x9f : 0xbf;
        return 2;
    }
    if (c >= 0xf0 && c <= 0xf4) {
        *lo = c == 0xf0 ? 0x90 : 0x80;
        *hi = c == 0xf4 ? 0x8f : 0xbf;
        return 3;
    }
    return 0;
}

/* The code point at *i, which moves after it; false for a bad sequence (*i after its maximal
 * prefix). */
static bool decode(struct az_sv s, size_t *i, uint32_t *cp)
{
    const unsigned char c = (unsigned char)s.p[(*i)++];
    *cp = c;
    if (c < 0x80)
        return true;
    unsigned char lo, hi;
    const unsigned more = lead_byte(c, &lo, &hi);
    *cp = c & (0x3fu >> more);
    for (unsigned k = 0; k < more; k++) {
        const unsigned char next = *i < s.n ? (unsigned char)s.p[*i] : 0;
        if (next < lo || next > hi)
            return false;
        *cp = *cp << 6 | (next & 0x3f);
        (*i)++;
        lo = 0x80;
        hi = 0xbf;
    }
    return more > 0;
}

static size_t encode(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    const size_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (cp & 0x3f));
        cp >>= 6;
    }
    out[0] = (char)((0xf00 >> n & 0xff) | cp);
    return n;
}

uint32_t az_utf8_next(struct az_sv s, size_t *i)
{
    uint32_t cp;
    return decode(s, i, &cp) ? cp : REPLACEMENT;
}

bool az_utf8_valid(struct az_sv s)
{
    uint32_t cp;
    for (size_t i = 0; i < s.n;) {
        if ((unsigned char)s.p[i] < 0x80)
            i++;
        else if (!decode(s, &i, &cp))
            return false;
    }
    return true;
}

/* ---- cleaning ---- */

static bool is_control(uint32_t cp) { return cp < 0x20 || (cp >= 0x7f && cp < 0xa0); }

/* Turns the direction of what follows: a line then reads as something else than it is. */
static bool turns_around(uint32_t cp)
{
    return (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

/* Writes s with U+FFFD for bad sequences, and for control characters outside `keep` if keep is not
 * NULL. out may be NULL. Returns the length; *same: nothing changed. */
static size_t clean(struct az_sv s, const char *keep, char *out, bool *same)
{
    size_t n = 0;
    *same = true;
    for (size_t i = 0; i < s.n;) {
        const size_t from = i;
        uint32_t cp;
        bool good = decode(s, &i, &cp);
        if (good && keep != NULL && (is_control(cp) || turns_around(cp)))
            good = cp > 0 && cp < 0x80 && strchr(keep, (int)cp) != NULL;
        char bytes[4];
        const size_t len = good ? i - from : encode(REPLACEMENT, bytes);
        if (out != NULL)
            memcpy(out + n, good ? s.p + from : bytes, len);
        n += len;
        *same = *same && good;
    }
    return n;
}

static struct az_sv cleaned(struct az_arena *a, struct az_sv s, const char *keep)
{
    bool same;
    const size_t n = clean(s, keep, NULL, &same);
    if (same)
        return s;
    char *out = az_arena_alloc(a, n + 1);
    if (out == NULL)
        return (struct az_sv){ NULL, 0 };
    clean(s, keep, out, &same);
    return az_sv_make(out, n);
}

struct az_sv az_utf8_clean(struct az_arena *a, struct az_sv s) { return cleaned(a, s, NULL); }

struct az_sv az_utf8_printable(struct az_arena *a, struct az_sv s, const char *keep)
{
    return cleaned(a, s, keep ? keep : "");
}

int az_utf8_visible(struct az_vec_char *t, struct az_sv s)
{
    int err = 0;
    size_t i = 0;
    if (az_sv_starts(s, AZ_SV("::")) && (t->n == 0 || t->v[t->n - 1] == '\n')) {
        err = az_text_append(t, AZ_SV("\\x3a")); /* a workflow would read the line as a command */
        i = 1;
    }
    while (i < s.n && err == 0) {
        const size_t from = i;
        uint32_t cp;
        if (decode(s, &i, &cp) && !is_control(cp) && !turns_around(cp)) {
            err = az_text_append(t, az_sv_make(s.p + from, i - from));
            continue;
        }
        for (size_t k = from; k < i && err == 0; k++)
            err = az_text_printf(t, "\\x%02x", (unsigned char)s.p[k]);
    }
    return err;
}

struct az_sv az_utf8_one_line(struct az_arena *a, struct az_sv s)
{
    char *out = az_arena_alloc(a, s.n + 1);
    if (out == NULL)
        return (struct az_sv){ NULL, 0 };
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!memchr(" \t\r\n", s.p[i], 4))
            out[n++] = s.p[i];
        else if (n > 0 && out[n - 1] != ' ')
            out[n++] = ' ';
    return az_sv_make(out, n > 0 && out[n - 1] == ' ' ? n - 1 : n);
}

size_t az_utf8_count(struct az_sv s)
{
    size_t n = 0;
    uint32_t cp;
    for (size_t i = 0; i < s.n; n++)
        (void)decode(s, &i, &cp);
    return n;
}

struct az_sv az_utf8_cut(struct az_sv s, size_t bytes)
{
    if (s.n <= bytes)
        return s;
    /* A code point has at most four bytes, so its start is at most three before the end. */
    for (size_t back = 1; back <= 3 && back <= bytes; back++) {
        size_t i = bytes - back;
        uint32_t cp;
        if (((unsigned char)s.p[i] & 0xc0) == 0x80)
            continue;
        const size_t start = i;
        if (decode(s, &i, &cp) && i > bytes)
            bytes = start;
        break;
    }
    return az_sv_make(s.p, bytes);
}

/* The first byte from i on that is not in a group of eight printable ASCII characters, which nearly
 * all texts consist of: each is one unit, and one column wide. */
static size_t after_printable(struct az_sv s, size_t i)
{
    for (; s.n - i >= 8; i += 8) {
        const uint64_t x = az_eight(s.p + i);
        if ((x & AZ_EIGHT(0x80)) | az_eight_below(x, 0x20) | az_eight_has(x, 0x7f))
            break;
    }
    return i;
}

size_t az_utf8_units(struct az_sv s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        const size_t from = i;
        i = after_printable(s, i);
        n += i - from;
        if (i < s.n)
            n += az_utf8_next(s, &i) > 0xffff ? 2 : 1;
    }
    return n;
}

struct az_sv az_utf8_cut_units(struct az_sv s, size_t units)
{
    size_t used = 0;
    if (s.n <= units) /* no unit is less than a byte */
        return s;
    for (size_t i = 0; i < s.n;) {
        const size_t at = i;
        used += az_utf8_next(s, &i) > 0xffff ? 2 : 1;
        if (used > units)
            return az_sv_make(s.p, at);
    }
    return s;
}

/* ---- width ---- */

/* From the tables of Unicode; a code point that they do not have yet is one column wide, as
 * terminals show a box for it. */
static size_t width_of(uint32_t cp)
{
    if (cp < 0x300)
        return !is_control(cp);
    const utf8proc_int32_t c = (utf8proc_int32_t)cp;
    const utf8proc_property_t *p = utf8proc_get_property(c);
    if (p->category == UTF8PROC_CATEGORY_CN)
        return p->charwidth ? p->charwidth : 1;
    if (p->category == UTF8PROC_CATEGORY_SK && p->boundclass == UTF8PROC_BOUNDCLASS_EXTEND)
        return 0; /* a skin tone: part of the sign before it */
    return p->charwidth;
}

size_t az_utf8_width(struct az_sv s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        const size_t from = i;
        i = after_printable(s, i);
        n += i - from;
        if (i < s.n)
            n += width_of(az_utf8_next(s, &i));
    }
    return n;
}

/* ---- lower case ---- */

static uint32_t lower_of(uint32_t cp)
{
    if (cp < 0x80)
        return cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)cp);
}

/* Writes the lower case of s, or only measures it where out is NULL. */
static size_t lower(struct az_sv s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        const size_t from = i;
        uint32_t cp;
        const bool good = decode(s, &i, &cp);
        char bytes[4];
        const size_t len = good ? encode(lower_of(cp), bytes) : i - from;
        if (out != NULL)
            memcpy(out + n, good ? bytes : s.p + from, len);
        n += len;
    }
    return n;
}

struct az_sv az_utf8_lower(struct az_arena *a, struct az_sv s)
{
    const size_t n = lower(s, NULL);
    char *out = az_arena_alloc(a, n + 1);
    if (out == NULL)
        return (struct az_sv){ NULL, 0 };
    lower(s, out);
    return az_sv_make(out, n);
}

/* Width of the code point at *i, which is advanced. */
static size_t step_code_point(struct az_sv s, size_t *i)
{
    size_t from = *i;

    az_utf8_next(s, i);
    return az_utf8_width(az_sv_make(s.p + from, *i - from));
}

enum { MOST_PROSE = 160 }; /* bytes of a text that is shortened by words */

/* Where the head of a text ends and its tail begins if inner words are omitted, with as many
 * columns as fit into `room`. Columns used. */
static size_t fit_words(struct az_sv s, size_t room, size_t *head, size_t *tail)
{
    size_t best = 0;

    for (size_t i = 1; i < s.n && s.n <= MOST_PROSE; i++) {
        const size_t used = s.p[i] == ' ' ? az_utf8_width(az_sv_make(s.p, i)) : room + 1;
        if (used > room)
            continue;
        size_t from = s.n, ends = 0;
        for (size_t k = s.n; k > i + 1 && used + ends <= room; k--) {
            ends = az_utf8_width(az_sv_make(s.p + k - 1, s.n - k + 1));
            if (s.p[k - 2] == ' ' && used + ends <= room)
                from = k - 1;
        }
        ends = az_utf8_width(az_sv_make(s.p + from, s.n - from));
        if (used + ends > best || (used + ends == best && ends > 0)) {
            best = used + ends;
            *head = i;
            *tail = from;
        }
    }
    return best;
}

struct az_sv az_utf8_fit(struct az_arena *a, struct az_sv s, size_t width, bool middle)
{
    size_t total = az_utf8_width(s);

    if (total <= width || width < 2)
        return s;
    size_t room = width - 1; /* one column for the mark */
    size_t before = 0, after = 0;
    if (middle && 3 * fit_words(s, room, &before, &after) >= 2 * room)
        return az_arena_printf(a, "%.*s\xe2\x80\xa6%.*s", AZ_SVF(az_sv_make(s.p, before)),
                               AZ_SVF(az_sv_make(s.p + after, s.n - after)));
    size_t tail_room = middle ? room / 3 : 0, head_room = room - tail_room;
    size_t head = 0, at = 0, used = 0;
    while (at < s.n) {
        size_t next = at, w = step_code_point(s, &next);
        if (used + w > head_room)
            break;
        used += w;
        at = head = next;
    }
    size_t tail = at;
    for (size_t left = total - used; tail < s.n && left > tail_room;)
        left -= step_code_point(s, &tail);
    return az_arena_printf(a, "%.*s\xe2\x80\xa6%.*s", AZ_SVF(az_sv_make(s.p, head)),
                           AZ_SVF(az_sv_make(s.p + tail, s.n - tail)));
}

size_t az_utf8_break(struct az_sv s, size_t columns)
{
    size_t end = 0, used = 0;

    if (az_utf8_width(s) <= columns)
        return s.n;
    for (size_t i = 0; i < s.n; i++) {
        used += ((unsigned char)s.p[i] & 0xc0) != 0x80; /* code points: near enough for prose */
        /* a number stays with its unit */
        const bool within =
            i > 0 && i + 1 < s.n && s.p[i - 1] >= '0' && s.p[i - 1] <= '9' && s.p[i + 1] != '(';
        const bool first = s.p[i] == ' ' && i > 0 && s.p[i - 1] != ' '; /* of a run of blanks */
        if (first && !within && (end == 0 || used <= columns + 1))
            end = i;
    }
    return end ? end : s.n;
}

int az_utf8_wrap(struct az_vec_char *out, struct az_sv line, size_t indent, size_t width)
{
    const bool fits = az_utf8_width(line) <= width;
    const struct az_sv head = fits ? line : az_utf8_cut(line, indent);

    az_text_add(out, head);
    for (struct az_sv rest = az_sv_make(line.p + head.n, line.n - head.n); rest.n;) {
        const size_t end = az_utf8_break(rest, width > indent ? width - indent : 1);
        az_text_add(out, az_sv_make(rest.p, end));
        rest = az_sv_trim(az_sv_make(rest.p + end, rest.n - end));
        if (rest.n)
            az_text_format(out, "\n%*s", (int)indent, "");
        if (az_sv_starts(rest, AZ_SV("::"))) { /* no command of a workflow, as az_utf8_visible */
            az_text_add(out, AZ_SV("\\x3a"));
            rest = az_sv_make(rest.p + 1, rest.n - 1);
        }
    }
    az_text_add(out, AZ_SV("\n"));
    return az_vec_error(out);
}
