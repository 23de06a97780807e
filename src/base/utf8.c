/* UTF-8 without trust. The tables cover the scripts people write labels and kernel names in; a code
 * point they lack counts as one column and has no case. */
#include "base/utf8.h"

/* ---- decoding ---- */

enum { REPLACEMENT = 0xfffd };

/* The second byte's range depends on the first: this keeps out overlong forms, surrogates and what
 * is above U+10FFFF (Unicode, table 3-7). Returns the number of bytes after the first, 0 for a bad
 * first byte. */
static unsigned lead(unsigned char c, unsigned char *lo, unsigned char *hi)
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
    const unsigned more = lead(c, &lo, &hi);
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
 * NULL. out may be NULL. Returns the length; *same says that nothing changed. */
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
        err = az_text_append(t, AZ_SV("\\x3a")); /* a workflow would take the line for a command */
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
    /* A code point has at most four bytes, so its start is at most three before the cut. */
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

size_t az_utf8_units(struct az_sv s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;)
        n += az_utf8_next(s, &i) > 0xffff ? 2 : 1;
    return n;
}

struct az_sv az_utf8_cut_units(struct az_sv s, size_t units)
{
    size_t used = 0;
    for (size_t i = 0; i < s.n;) {
        const size_t at = i;
        used += az_utf8_next(s, &i) > 0xffff ? 2 : 1;
        if (used > units)
            return az_sv_make(s.p, at);
    }
    return s;
}

/* ---- width ---- */

struct range {
    uint32_t first, last;
};

static bool in_ranges(const struct range *r, size_t n, uint32_t cp)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (cp > r[mid].last)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && cp >= r[lo].first;
}

/* Marks that sit on the letter before them, and characters that only format. */
static const struct range zero_wide[] = {
    { 0x0300, 0x036f },   { 0x0483, 0x0489 },   { 0x0591, 0x05bd },   { 0x05bf, 0x05bf },
    { 0x05c1, 0x05c2 },   { 0x05c4, 0x05c5 },   { 0x05c7, 0x05c7 },   { 0x0610, 0x061a },
    { 0x064b, 0x065f },   { 0x0670, 0x0670 },   { 0x06d6, 0x06dc },   { 0x06df, 0x06e4 },
    { 0x06e7, 0x06e8 },   { 0x06ea, 0x06ed },   { 0x0711, 0x0711 },   { 0x0730, 0x074a },
    { 0x07a6, 0x07b0 },   { 0x07eb, 0x07f3 },   { 0x0816, 0x0819 },   { 0x08d3, 0x08e1 },
    { 0x08e3, 0x0902 },   { 0x093a, 0x093a },   { 0x093c, 0x093c },   { 0x0941, 0x0948 },
    { 0x094d, 0x094d },   { 0x0951, 0x0957 },   { 0x0962, 0x0963 },   { 0x0981, 0x0981 },
    { 0x09bc, 0x09bc },   { 0x09c1, 0x09c4 },   { 0x09cd, 0x09cd },   { 0x0a01, 0x0a02 },
    { 0x0a3c, 0x0a3c },   { 0x0a41, 0x0a51 },   { 0x0a70, 0x0a71 },   { 0x0a81, 0x0a82 },
    { 0x0abc, 0x0abc },   { 0x0ac1, 0x0ac8 },   { 0x0acd, 0x0acd },   { 0x0b01, 0x0b01 },
    { 0x0b3c, 0x0b3c },   { 0x0b3f, 0x0b3f },   { 0x0b41, 0x0b44 },   { 0x0b4d, 0x0b56 },
    { 0x0b82, 0x0b82 },   { 0x0bc0, 0x0bc0 },   { 0x0bcd, 0x0bcd },   { 0x0c00, 0x0c00 },
    { 0x0c3e, 0x0c40 },   { 0x0c46, 0x0c56 },   { 0x0cbc, 0x0cbc },   { 0x0ccc, 0x0ccd },
    { 0x0d00, 0x0d01 },   { 0x0d41, 0x0d44 },   { 0x0d4d, 0x0d4d },   { 0x0dca, 0x0dca },
    { 0x0dd2, 0x0dd6 },   { 0x0e31, 0x0e31 },   { 0x0e34, 0x0e3a },   { 0x0e47, 0x0e4e },
    { 0x0eb1, 0x0eb1 },   { 0x0eb4, 0x0ebc },   { 0x0ec8, 0x0ecd },   { 0x0f18, 0x0f19 },
    { 0x0f71, 0x0f7e },   { 0x0f80, 0x0f84 },   { 0x0f8d, 0x0fbc },   { 0x102d, 0x1030 },
    { 0x1032, 0x1037 },   { 0x1039, 0x103a },   { 0x1058, 0x1059 },   { 0x1160, 0x11ff },
    { 0x135d, 0x135f },   { 0x17b4, 0x17b5 },   { 0x17b7, 0x17bd },   { 0x17c6, 0x17c6 },
    { 0x17c9, 0x17d3 },   { 0x180b, 0x180d },   { 0x1ab0, 0x1aff },   { 0x1dc0, 0x1dff },
    { 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x2064 },   { 0x20d0, 0x20f0 },
    { 0x302a, 0x302d },   { 0x3099, 0x309a },   { 0xa66f, 0xa672 },   { 0xa674, 0xa67d },
    { 0xfb1e, 0xfb1e },   { 0xfe00, 0xfe0f },   { 0xfe20, 0xfe2f },   { 0xfeff, 0xfeff },
    { 0x1d167, 0x1d169 }, { 0x1f3fb, 0x1f3ff }, { 0xe0001, 0xe007f }, { 0xe0100, 0xe01ef },
};

/* East Asian wide and full-width characters, and emoji that are wide by default. */
static const struct range double_wide[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
    { 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },
    { 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },
    { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },   { 0x26ce, 0x26ce },
    { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },
    { 0x26fa, 0x26fa },   { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },
    { 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x274e, 0x274e },   { 0x2753, 0x2755 },
    { 0x2757, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },
    { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },   { 0x2e80, 0x303e },
    { 0x3041, 0x3247 },   { 0x3250, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97f },
    { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6f },
    { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x16fe0, 0x18cff }, { 0x1b000, 0x1b2ff },
    { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a },
    { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 },
    { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 },
    { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d },
    { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 }, { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 },
    { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc },
    { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6df }, { 0x1f6eb, 0x1f6ef }, { 0x1f6f4, 0x1f6ff },
    { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff },
    { 0x1fa70, 0x1faff }, { 0x20000, 0x2fffd }, { 0x30000, 0x3fffd },
};

static size_t width_of(uint32_t cp)
{
    if (cp < 0x300)
        return !is_control(cp);
    if (in_ranges(zero_wide, AZ_LENGTH(zero_wide), cp))
        return 0;
    return cp >= 0x1100 && in_ranges(double_wide, AZ_LENGTH(double_wide), cp) ? 2 : 1;
}

size_t az_utf8_width(struct az_sv s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;)
        n += width_of(az_utf8_next(s, &i));
    return n;
}

/* ---- lower case ---- */

/* Upper-case letters first, first + step, ... last, each `delta` before its lower case. Sorted; a
 * simple mapping of the Unicode character database, version 14. */
struct casing {
    uint16_t first, last;
    uint8_t step;
    int16_t delta;
};
static const struct casing casings[] = {
    { 0x0041, 0x005a, 1, 32 },    { 0x00c0, 0x00d6, 1, 32 },    { 0x00d8, 0x00de, 1, 32 },
    { 0x0100, 0x012e, 2, 1 },     { 0x0130, 0x0130, 1, -199 },  { 0x0132, 0x0136, 2, 1 },
    { 0x0139, 0x0147, 2, 1 },     { 0x014a, 0x0176, 2, 1 },     { 0x0178, 0x0178, 1, -121 },
    { 0x0179, 0x017d, 2, 1 },     { 0x01cd, 0x01db, 2, 1 },     { 0x01de, 0x01ee, 2, 1 },
    { 0x01f8, 0x021e, 2, 1 },     { 0x0222, 0x0232, 2, 1 },     { 0x0246, 0x024e, 2, 1 },
    { 0x0370, 0x0372, 2, 1 },     { 0x0376, 0x0376, 1, 1 },     { 0x037f, 0x037f, 1, 116 },
    { 0x0386, 0x0386, 1, 38 },    { 0x0388, 0x038a, 1, 37 },    { 0x038c, 0x038c, 1, 64 },
    { 0x038e, 0x038f, 1, 63 },    { 0x0391, 0x03a1, 1, 32 },    { 0x03a3, 0x03ab, 1, 32 },
    { 0x03cf, 0x03cf, 1, 8 },     { 0x03d8, 0x03ee, 2, 1 },     { 0x0400, 0x040f, 1, 80 },
    { 0x0410, 0x042f, 1, 32 },    { 0x0460, 0x0480, 2, 1 },     { 0x048a, 0x04be, 2, 1 },
    { 0x04c0, 0x04c0, 1, 15 },    { 0x04c1, 0x04cd, 2, 1 },     { 0x04d0, 0x052e, 2, 1 },
    { 0x0531, 0x0556, 1, 48 },    { 0x10a0, 0x10c5, 1, 7264 },  { 0x1c90, 0x1cba, 1, -3008 },
    { 0x1e00, 0x1e94, 2, 1 },     { 0x1e9e, 0x1e9e, 1, -7615 }, { 0x1ea0, 0x1efe, 2, 1 },
    { 0x1f08, 0x1f0f, 1, -8 },    { 0x1f18, 0x1f1d, 1, -8 },    { 0x1f28, 0x1f2f, 1, -8 },
    { 0x1f38, 0x1f3f, 1, -8 },    { 0x1f48, 0x1f4d, 1, -8 },    { 0x1f59, 0x1f5f, 2, -8 },
    { 0x1f68, 0x1f6f, 1, -8 },    { 0x2126, 0x2126, 1, -7517 }, { 0x212a, 0x212a, 1, -8383 },
    { 0x212b, 0x212b, 1, -8262 }, { 0x2160, 0x216f, 1, 16 },    { 0x24b6, 0x24cf, 1, 26 },
    { 0x2c00, 0x2c2f, 1, 48 },    { 0x2c80, 0x2ce2, 2, 1 },     { 0xa640, 0xa66c, 2, 1 },
    { 0xff21, 0xff3a, 1, 32 },
};

static uint32_t lower_of(uint32_t cp)
{
    size_t lo = 0, hi = AZ_LENGTH(casings);
    const size_t n = hi;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (cp > casings[mid].last)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == n || cp < casings[lo].first || (cp - casings[lo].first) % casings[lo].step != 0)
        return cp;
    return (uint32_t)((int32_t)cp + casings[lo].delta);
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
