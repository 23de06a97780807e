#include "classify/patterns.h"

#include "base/swar.h"

static size_t pair_of(char a, char b) { return (size_t)(a & 63) << 6 | (size_t)(b & 63); }
static size_t three_of(const char *p)
{
    return (pair_of(p[0], p[1]) * 37 + (size_t)(p[2] & 63)) % AZ_PATTERN_PAIRS;
}

int az_patterns_init(struct az_pattern_index *x, struct az_arena *a)
{
    memset(x, 0, sizeof *x);
    x->v = az_arena_room(a, AZ_PATTERNS * sizeof *x->v); /* of which mostly a tenth is used */
    return x->v ? 0 : az_arena_error(a);
}

static struct az_sv first_word(struct az_sv pattern)
{
    const struct az_sv word = az_sv_cut(&pattern, '_');
    return word.n && *word.p == '^' ? az_sv_make(word.p + 1, word.n - 1) : word;
}

/* The first eight letters of a word, and which of the bytes are letters. */
static uint64_t eight_letters(struct az_sv letters, uint64_t *mask)
{
    char eight[8] = { 0 }, have[8] = { 0 };
    const size_t n = letters.n < 8 ? letters.n : 8;
    if (n)
        memcpy(eight, letters.p, n);
    memset(have, 0xff, n);
    *mask = az_eight(have);
    return az_eight(eight);
}

/* Those of the second word, which is nothing but its letters or begins with them. */
static uint64_t second_letters(struct az_sv pattern, uint64_t *mask)
{
    (void)az_sv_cut(&pattern, '_');
    const struct az_sv word = az_sv_cut(&pattern, '_');
    const bool tail = word.n > 1 && word.p[word.n - 1] == '*';
    const bool plain = word.n && *word.p != '*';
    return eight_letters(az_sv_make(word.p, plain ? word.n - tail : 0), mask);
}

static void add_pattern(struct az_pattern_index *x, struct az_sv pattern, size_t rule)
{
    const struct az_sv word = first_word(pattern);
    const bool head = word.n > 1 && *word.p == '*', tail = word.n > 1 && word.p[word.n - 1] == '*';
    const size_t stars = (size_t)head + tail + (word.n == 1 && *word.p == '*');
    /* "*" and "**" have no letters */
    const struct az_sv letters = az_sv_make(word.p + head, word.n > stars ? word.n - stars : 0);
    uint16_t *first = &x->other;
    if (letters.n == 1 && !stars)
        first = &x->head[pair_of(letters.p[0], 0)];
    else if (letters.n > 2 && !head)
        first = &x->three[three_of(letters.p)];
    else if (letters.n > 1)
        first = &(head ? x->inner : x->head)[pair_of(letters.p[0], letters.p[1])];
    uint64_t mask, second_mask;
    const uint64_t eight = eight_letters(letters, &mask);
    const uint64_t second = second_letters(pattern, &second_mask);
    x->v[x->n] = (struct az_pattern){ .first = eight,
                                      .mask = mask,
                                      .second = second,
                                      .second_mask = second_mask,
                                      .letters = letters,
                                      .text = pattern,
                                      .rule = (uint16_t)rule,
                                      .next = *first,
                                      .tail = tail,
                                      .alone = word.n == pattern.n };
    *first = (uint16_t)++x->n;
}

struct az_pattern_cell az_patterns_add(struct az_pattern_index *x, struct az_sv cell, size_t rule)
{
    struct az_pattern_cell c = { .from = (uint32_t)x->n };
    x->full |= rule > AZ_PATTERN_RULES;
    while (cell.n) {
        const struct az_sv pattern = az_sv_cut(&cell, ' ');
        x->full |= x->n + 1 == AZ_PATTERNS;
        if (pattern.n && !x->full)
            add_pattern(x, pattern, rule);
    }
    c.to = (uint32_t)x->n;
    return c;
}

static void take_hits(const struct az_pattern_index *x, size_t at, struct az_pattern_hits *hits)
{
    const uint32_t rule = x->v[at].rule;
    hits->pattern[at / 64] |= UINT64_C(1) << at % 64;
    if (rule < AZ_PATTERN_RULES)
        hits->rule[rule / 64] |= UINT64_C(1) << rule % 64;
}

/* Patterns whose first word a word is; the rest of them is yet to be examined. */
struct first_words {
    const struct az_pattern_index *x;
    const struct az_words *w;
    struct az_pattern_hits *hits;
    size_t i;                    /* the word */
    struct az_pattern_word *few; /* the first of them; NULL: not requested */
    size_t n;
};

static void take_rest(const struct first_words *f, size_t at)
{
    const struct az_pattern *p = &f->x->v[at];
    if (p->second_mask && (f->i + 1 >= f->w->n ||
                           (az_eight(az_word(f->w, f->i + 1).p) & p->second_mask) != p->second))
        return;
    if (p->alone || az_words_at(f->w, f->i, p->text))
        take_hits(f->x, at, f->hits);
}

static void found(struct first_words *f, size_t at)
{
    if (f->few && f->n < AZ_PATTERN_FEW)
        f->few->at[f->n] = (uint16_t)at;
    f->n++;
    take_rest(f, at);
}

/* Patterns whose letters may be at place `from` of the word. */
static void try_letters(struct first_words *f, size_t from, uint32_t at)
{
    const struct az_sv word = az_word(f->w, f->i);
    const char *letters = word.p + from;
    const size_t n = word.n - from;
    const uint64_t eight = az_eight(letters);
    for (const struct az_pattern *p; at; at = p->next) {
        p = &f->x->v[at - 1];
        if ((eight & p->mask) != p->first || n < p->letters.n || (n > p->letters.n && !p->tail) ||
            (p->letters.n > 8 && memcmp(letters, p->letters.p, p->letters.n) != 0))
            continue;
        if ((from && !az_affixes_cover(&f->x->affixes, az_sv_make(word.p, from), true)) ||
            (n > p->letters.n &&
             !az_affixes_cover(&f->x->affixes, az_sv_make(letters + p->letters.n, n - p->letters.n),
                               false)))
            continue;
        found(f, at - 1);
    }
}

static void find_word(struct first_words *f)
{
    const struct az_pattern_index *x = f->x;
    const struct az_sv word = az_word(f->w, f->i);
    f->n = 0;
    try_letters(f, 0, x->head[pair_of(word.p[0], word.n > 1 ? word.p[1] : 0)]);
    if (word.n > 2)
        try_letters(f, 0, x->three[three_of(word.p)]);
    for (size_t k = 0; k + 1 < word.n; k++) {
        const size_t pair = pair_of(word.p[k], word.p[k + 1]);
        if (x->inner[pair])
            try_letters(f, k, x->inner[pair]);
    }
}

/* Patterns whose first word has no fixed letters. */
static void try_other(const struct first_words *f)
{
    for (uint32_t at = f->x->other; at; at = f->x->v[at - 1].next)
        if (az_words_at(f->w, f->i, f->x->v[at - 1].text))
            take_hits(f->x, at - 1, f->hits);
}

/* The letters of a word of at most 16, and 0 after them. */
static void letters_of(struct az_sv word, uint64_t key[2])
{
    key[0] = az_eight(word.p);
    key[1] = 0;
    if (word.n < 8)
        key[0] &= (UINT64_C(1) << word.n * 8) - 1;
    else if (word.n > 8)
        key[1] = az_eight(word.p + 8) & UINT64_MAX >> (16 - word.n) * 8;
}

/* The place of a word in the memo; *known: it is there. NULL: too long for it. */
static struct az_pattern_word *remembered(struct az_pattern_memo *memo, struct az_sv word,
                                          bool *known)
{
    uint64_t key[2];
    *known = false;
    if (!memo || word.n > sizeof key)
        return NULL;
    letters_of(word, key);
    const uint64_t hash = (key[0] ^ key[1] * 31) * UINT64_C(0x9e3779b97f4a7c15);
    struct az_pattern_word *at = &memo->v[hash >> 32 & (AZ_PATTERN_WORDS - 1)];
    *known = memcmp(at->letters, key, sizeof key) == 0;
    if (!*known)
        memcpy(at->letters, key, sizeof key);
    return at;
}

void az_patterns_find(const struct az_pattern_index *x, const struct az_words *w, bool scopes,
                      struct az_pattern_memo *memo, struct az_pattern_hits *hits)
{
    struct first_words f = { .x = x, .w = w, .hits = hits };
    for (; f.i < w->n; f.i++) {
        bool known;
        if ((w->scope[f.i] != 0) != scopes)
            continue;
        f.few = remembered(memo, az_word(w, f.i), &known);
        for (size_t k = 0; known && k < f.few->n; k++)
            take_rest(&f, f.few->at[k]);
        if (!known)
            find_word(&f);
        if (!known && f.few)
            f.few->n = (uint16_t)f.n;
        if (!known && f.n > AZ_PATTERN_FEW && f.few)
            f.few->letters[0] = '\0'; /* too many: it is no word */
        try_other(&f);
    }
}

bool az_patterns_hit(const struct az_pattern_hits *hits, struct az_pattern_cell cell)
{
    for (size_t i = cell.from / 64; i * 64 < cell.to; i++) {
        uint64_t bits = hits->pattern[i];
        if (i == cell.from / 64)
            bits &= UINT64_MAX << cell.from % 64;
        if (i == cell.to / 64)
            bits &= (UINT64_C(1) << cell.to % 64) - 1;
        if (bits)
            return true;
    }
    return false;
}
