#include "classify/word_match.h"

/* Of ASCII, without a call a letter. */
static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_small(char c) { return (unsigned char)(c - 'a') < 26; }

struct cutter {
    struct az_words *w;
    size_t at;     /* end of the text so far */
    bool function; /* without its parameters */
};

const char az_word_letter[256] = {
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

/* Does a word begin at this capital, which is not the first letter of its word? After a small
 * letter it does; after a capital or a digit if it is the first of a word in small letters
 * (RMSNorm: rms norm; A2ADispatch: a2a dispatch; Conv2DKernel: conv2d kernel). */
static bool is_hump(const char *p, const char *end)
{
    return is_small(p[-1]) || (p + 1 < end && is_small(p[1]));
}

static void mark_scope(struct az_words *w, size_t from, size_t to)
{
    if (to > from)
        memset(w->scope + from, 1, to - from);
}

/* Brackets that are open, and the first word of what may be the parameters of a function: they are
 * in parentheses at the end, outside of all others. */
struct brackets {
    size_t depth, parameters;
};

static void take_bracket(struct brackets *b, char ch, size_t words)
{
    if (ch == '(' && b->depth == 0)
        b->parameters = words;
    if (ch == '<' || ch == '(' || ch == '{')
        b->depth++;
    else if ((ch == '>' || ch == ')' || ch == '}') && b->depth)
        b->depth--;
    else if (ch == ':' && b->depth == 0) /* a scope: (anonymous namespace)::f, f(int)::g */
        b->parameters = 0;
}

/* The words of plain text, as far as they fit: two characters make at most one word. */
static void split_words(struct cutter *c, struct az_sv s)
{
    struct az_words *const w = c->w;
    size_t at = c->at, words = w->n, identifier = words; /* its first word */
    const size_t room = AZ_WORDS_BYTES - at, fit = 2 * (AZ_WORDS_MAX - words);
    const size_t n = room < fit ? room : fit;
    const char *p = s.p, *const end = s.p + (s.n < n ? s.n : n);
    struct brackets b = { 0, 0 };
    while (p < end) {
        char letter = az_word_letter[(unsigned char)*p];
        if (!letter) {
            const char ch = *p++;
            if (ch == '_' || ch == ' ' || ch == ',')
                identifier = ch == '_' ? identifier : words;
            else {
                if (ch == ':' && p < end && *p == ':')
                    mark_scope(w, identifier, words);
                identifier = words;
                take_bracket(&b, ch, words);
            }
            continue;
        }
        w->from[words] = (uint16_t)at;
        w->scope[words] = 0;
        do {
            w->text[at++] = letter;
            if (++p == end)
                break;
            letter = az_word_letter[(unsigned char)*p];
        } while (letter && (letter == *p || !is_hump(p, end)));
        w->to[words++] = (uint16_t)at;
    }
    c->at = at;
    if (c->function && b.depth == 0 && b.parameters)
        words = b.parameters;
    w->n = words < AZ_WORDS_MAX ? words : AZ_WORDS_MAX;
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
            const size_t first = c->w->n;
            split_words(c, az_sv_make(s.p + i, n));
            i += n;
            if (i < s.n && is_digit(s.p[i])) /* the next one is inside it */
                mark_scope(c->w, first, c->w->n);
        }
    }
}

static void cut_name(struct az_sv name, struct az_words *w, bool function)
{
    struct cutter c = { .w = w, .function = function };
    w->n = 0;
    w->affixes = NULL;
    if (az_sv_starts(name, AZ_SV("_Z")))
        cut_mangled(&c, name);
    else
        split_words(&c, name);
    memset(w->text + c.at, 0, 16); /* what is read with the last letters */
}

void az_words_cut(struct az_sv name, struct az_words *w) { cut_name(name, w, false); }
void az_words_cut_function(struct az_sv name, struct az_words *w) { cut_name(name, w, true); }

/* ---- affixes ---- */
static size_t affix_place(const struct az_affixes *a, struct az_sv word)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < word.n; i++)
        hash = hash * 31 + (unsigned char)word.p[i];
    size_t at = hash % AZ_AFFIXES;
    while (a->v[at].n && !az_sv_eq(a->v[at], word))
        at = (at + 1) % AZ_AFFIXES;
    return at;
}

bool az_affixes_add(struct az_affixes *a, struct az_sv words)
{
    while (words.n) {
        const struct az_sv word = az_sv_cut(&words, ' ');
        if (word.n == 0 || *word.p == '\\' || *word.p == '\n')
            continue;
        if (word.n > AZ_AFFIX_LETTERS || a->n == AZ_AFFIXES / 2)
            return false;
        struct az_sv *to = &a->v[affix_place(a, word)];
        a->n += to->n == 0;
        *to = word;
    }
    return true;
}

/* The `x` of a size: conv3x3. */
static bool is_times(struct az_sv text)
{
    return text.n > 1 && *text.p == 'x' && is_digit(text.p[1]);
}

/* One letter is an affix at the outer end of its word only (sgemm, gemvn): some of them would spell
 * any word. */
static bool cover(const struct az_affixes *a, struct az_sv text, bool before, bool first)
{
    const char *from = text.p;
    while (text.n && (is_digit(*text.p) || is_times(text)))
        text = az_sv_make(text.p + 1, text.n - 1);
    const bool outer = before ? first && text.p == from : true;
    const size_t most = text.n < AZ_AFFIX_LETTERS ? text.n : AZ_AFFIX_LETTERS;
    for (size_t n = most; n > 0; n--)
        if ((n > 1 || (outer && (before || text.n == 1))) &&
            a->v[affix_place(a, az_sv_make(text.p, n))].n &&
            cover(a, az_sv_make(text.p + n, text.n - n), before, false))
            return true;
    return text.n == 0;
}

bool az_affixes_cover(const struct az_affixes *a, struct az_sv text, bool before)
{
    return text.n == 0 || cover(a, text, before, true);
}

/* ---- patterns ---- */
/* Is `part` in the word, with nothing but affixes around it? */
static bool holds(const struct az_affixes *a, struct az_sv have, struct az_sv part, bool head,
                  bool tail)
{
    for (size_t i = 0; i + part.n <= have.n && (head || i == 0); i++)
        if (memcmp(have.p + i, part.p, part.n) == 0 && (tail || i + part.n == have.n) &&
            az_affixes_cover(a, az_sv_make(have.p, i), true) &&
            az_affixes_cover(a, az_sv_make(have.p + i + part.n, have.n - i - part.n), false))
            return true;
    return false;
}

/* Does pattern word p match a word of the name? */
static bool word_matches(const struct az_affixes *a, struct az_sv have, struct az_sv p)
{
    const bool head = p.n > 1 && *p.p == '*', tail = p.n && p.p[p.n - 1] == '*';
    const struct az_sv part = az_sv_make(p.p + head, p.n - head - tail);
    if (a && part.n && (head || tail))
        return holds(a, have, part, head, tail);
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
        if (i + taken >= w->n || !word_matches(w->affixes, az_word(w, i + taken), p))
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

/* The most words that any of the patterns matches from word i on. */
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
