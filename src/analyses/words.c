#include "analyses/words.h"

#include <ctype.h>

static bool is_word(char c) { return isalnum((unsigned char)c) != 0; }

struct cutter {
    struct az_words *w;
    size_t at; /* end of the text so far */
    bool open; /* a word has begun */
};

static uint64_t initial(char c) { return (uint64_t)1 << (c & 63); }

static void end_word(struct cutter *c)
{
    if (c->open) {
        c->w->initials |= initial(c->w->text[c->w->from[c->w->n]]);
        c->w->to[c->w->n++] = (uint16_t)c->at;
    }
    c->open = false;
}

static bool full(const struct cutter *c) { return c->at == sizeof c->w->text || c->w->n == AZ_WORDS_MAX; }

/* The words of plain text. */
static void cut(struct cutter *c, struct az_sv s)
{
    for (size_t i = 0; i < s.n && !full(c); i++) {
        char ch = s.p[i];
        bool hump = c->open && isupper((unsigned char)ch) && !isupper((unsigned char)s.p[i - 1]);
        if (!is_word(ch) || hump)
            end_word(c);
        if (!is_word(ch) || full(c))
            continue;
        if (!c->open)
            c->w->from[c->w->n] = (uint16_t)c->at;
        c->open = true;
        c->w->text[c->at++] = (char)tolower((unsigned char)ch);
    }
    end_word(c);
}

/* Is the number at i a literal (Li128E, Lb1E, Lin1E) rather than the length of an identifier? */
static bool is_literal(struct az_sv s, size_t i)
{
    if (i >= 1 && s.p[i - 1] == 'n')
        i--;
    return i >= 2 && s.p[i - 2] == 'L' && islower((unsigned char)s.p[i - 1]);
}

/* The identifiers of an Itanium-mangled name: <length><identifier>. */
static void cut_mangled(struct cutter *c, struct az_sv s)
{
    for (size_t i = 2; i < s.n;) {
        size_t from = i, n = 0;
        for (; i < s.n && isdigit((unsigned char)s.p[i]); i++)
            n = n > s.n ? n : n * 10 + (size_t)(s.p[i] - '0');
        if (i == from)
            i++;
        else if (n > 0 && n <= s.n - i && !is_literal(s, from)) {
            cut(c, az_sv_make(s.p + i, n));
            i += n;
        }
    }
}

void az_words_cut(struct az_sv name, struct az_words *w)
{
    struct cutter c = { .w = w };
    w->n = 0;
    w->initials = 0;
    if (az_sv_starts(name, AZ_SV("_Z")))
        cut_mangled(&c, name);
    else
        cut(&c, name);
}

/* Does pattern word p match word i? */
static bool word_matches(const struct az_words *w, size_t i, struct az_sv p)
{
    struct az_sv have = az_sv_make(w->text + w->from[i], (size_t)(w->to[i] - w->from[i]));
    if (p.n && p.p[p.n - 1] == '*')
        return az_sv_starts(have, az_sv_make(p.p, p.n - 1));
    return az_sv_eq(have, p);
}

/* Pattern words joined by `_`, one after the other from word i on. */
static bool pattern_at(const struct az_words *w, size_t i, struct az_sv pattern)
{
    while (pattern.n) {
        const char *u = memchr(pattern.p, '_', pattern.n);
        struct az_sv p = az_sv_make(pattern.p, u ? (size_t)(u - pattern.p) : pattern.n);
        if (i >= w->n || !word_matches(w, i++, p))
            return false;
        size_t used = p.n + (u ? 1 : 0);
        pattern = az_sv_make(pattern.p + used, pattern.n - used);
    }
    return true;
}

static bool anywhere(const struct az_words *w, struct az_sv pattern)
{
    for (size_t i = 0; i < w->n; i++)
        if (pattern_at(w, i, pattern))
            return true;
    return false;
}

bool az_words_any(const struct az_words *w, struct az_sv list)
{
    const char *p = list.p, *end = list.p + list.n;
    while (p < end) {
        const char *from = p;
        while (p < end && *p != ' ')
            p++;
        if (p > from && (w->initials & initial(*from)) && anywhere(w, az_sv_make(from, (size_t)(p - from))))
            return true;
        while (p < end && *p == ' ')
            p++;
    }
    return false;
}
