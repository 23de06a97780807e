#include "classify/words.h"

/* Of ASCII, without a call a letter. */
static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_capital(char c) { return (unsigned char)(c - 'A') < 26; }
static bool is_small(char c) { return (unsigned char)(c - 'a') < 26; }
static bool is_word(char c) { return is_small((char)(c | 0x20)) || is_digit(c); }

struct cutter {
    struct az_words *w;
    size_t at; /* end of the text so far */
    bool open; /* a word has begun */
};

static void end_word(struct cutter *c)
{
    if (c->open)
        c->w->to[c->w->n++] = (uint16_t)c->at;
    c->open = false;
}

static bool full(const struct cutter *c)
{
    return c->at == AZ_WORDS_BYTES || c->w->n == AZ_WORDS_MAX;
}

/* Letters and digits, capitals as small letters; 0: no part of a word. */
static const char word_letter[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
    ['7'] = '7', ['8'] = '8', ['9'] = '9', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
    ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k',
    ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r',
    ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y',
    ['z'] = 'z', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f',
    ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm',
    ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't',
    ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
};

/* The words of plain text that all fit, which nearly every name does. */
static void cut_all(struct cutter *c, struct az_sv s)
{
    struct az_words *const w = c->w;
    const char *p = s.p, *const end = s.p + s.n;
    size_t at = c->at, words = w->n;
    while (p < end) {
        char letter = word_letter[(unsigned char)*p];
        if (!letter) {
            p++;
            continue;
        }
        w->from[words] = (uint16_t)at;
        do {
            w->text[at++] = letter;
            if (++p == end)
                break;
            letter = word_letter[(unsigned char)*p];
        } while (letter && (letter == *p || is_capital(p[-1]))); /* no capital after a small one */
        w->to[words++] = (uint16_t)at;
    }
    c->at = at;
    w->n = words;
}

/* The words of plain text. */
static void cut(struct cutter *c, struct az_sv s)
{
    if (s.n <= AZ_WORDS_BYTES - c->at && s.n <= AZ_WORDS_MAX - c->w->n) {
        cut_all(c, s);
        return;
    }
    for (size_t i = 0; i < s.n && !full(c); i++) {
        char ch = s.p[i];
        bool hump = c->open && is_capital(ch) && !is_capital(s.p[i - 1]);
        if (!is_word(ch) || hump)
            end_word(c);
        if (!is_word(ch) || full(c))
            continue;
        if (!c->open)
            c->w->from[c->w->n] = (uint16_t)c->at;
        c->open = true;
        c->w->text[c->at++] = is_capital(ch) ? (char)(ch | 0x20) : ch;
    }
    end_word(c);
}

/* Is the number at i a literal (Li128E, Lb1E, Lin1E) rather than the length of an identifier? */
static bool is_literal(struct az_sv s, size_t i)
{
    if (i >= 1 && s.p[i - 1] == 'n')
        i--;
    return i >= 2 && s.p[i - 2] == 'L' && is_small(s.p[i - 1]);
}

/* The identifiers of an Itanium-mangled name: <length><identifier>. */
static void cut_mangled(struct cutter *c, struct az_sv s)
{
    for (size_t i = 2; i < s.n;) {
        size_t from = i, n = 0;
        for (; i < s.n && is_digit(s.p[i]); i++)
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
    if (az_sv_starts(name, AZ_SV("_Z")))
        cut_mangled(&c, name);
    else
        cut(&c, name);
    memset(w->text + c.at, 0, 16); /* what is read with the last letters */
}

/* Does pattern word p match a word of the name? */
static bool word_matches(struct az_sv have, struct az_sv p)
{
    const bool head = p.n > 1 && *p.p == '*', tail = p.n && p.p[p.n - 1] == '*';
    const struct az_sv part = az_sv_make(p.p + head, p.n - head - tail);
    if (head && tail)
        return az_sv_find(have, part) >= 0;
    return head ? az_sv_ends(have, part) : tail ? az_sv_starts(have, part) : az_sv_eq(have, p);
}

size_t az_words_at(const struct az_words *w, size_t i, struct az_sv pattern)
{
    size_t taken = 0;
    if (pattern.n && *pattern.p == '^') {
        if (i != 0)
            return 0;
        pattern = az_sv_make(pattern.p + 1, pattern.n - 1);
    }
    while (pattern.n) {
        const struct az_sv p = az_sv_cut(&pattern, '_');
        if (i + taken >= w->n || !word_matches(az_word(w, i + taken), p))
            return 0;
        taken++;
    }
    return taken;
}

bool az_words_any(const struct az_words *w, struct az_sv patterns)
{
    while (patterns.n) {
        const struct az_sv pattern = az_sv_cut(&patterns, ' ');
        for (size_t i = 0; pattern.n && i < w->n; i++)
            if (az_words_at(w, i, pattern))
                return true;
    }
    return false;
}

static bool is_number(struct az_sv word)
{
    for (size_t i = 0; i < word.n; i++)
        if (!is_digit(word.p[i]))
            return false;
    return true;
}

/* The most words that any of the patterns takes from word i on. */
static size_t longest_at(const struct az_words *w, size_t i, struct az_sv patterns)
{
    size_t most = 0;
    while (patterns.n) {
        const struct az_sv pattern = az_sv_cut(&patterns, ' ');
        const size_t n = pattern.n ? az_words_at(w, i, pattern) : 0;
        most = n > most ? n : most;
    }
    return most;
}

bool az_words_only(const struct az_words *w, struct az_sv patterns)
{
    for (size_t i = 0; i < w->n;) {
        const size_t n = is_number(az_word(w, i)) ? 1 : longest_at(w, i, patterns);
        if (n == 0)
            return false;
        i += n;
    }
    return w->n > 0;
}
