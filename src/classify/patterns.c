#include "classify/patterns.h"

#include "base/eight.h"

static size_t pair_of(char a, char b) { return (size_t)(a & 63) << 6 | (size_t)(b & 63); }
static size_t three_of(const char *p)
{
    return (pair_of(p[0], p[1]) * 37 + (size_t)(p[2] & 63)) % AZ_PATTERN_PAIRS;
}

int az_patterns_init(struct az_pattern_index *x, struct az_arena *a)
{
    memset(x, 0, sizeof *x);
    x->v = az_arena_alloc(a, AZ_PATTERNS * sizeof *x->v);
    return x->v ? 0 : az_arena_error(a);
}

static struct az_sv first_word(struct az_sv pattern)
{
    const struct az_sv word = az_sv_cut(&pattern, '_');
    return word.n && *word.p == '^' ? az_sv_make(word.p + 1, word.n - 1) : word;
}

static void add(struct az_pattern_index *x, struct az_sv pattern, size_t rule)
{
    const struct az_sv word = first_word(pattern);
    const bool head = word.n > 1 && *word.p == '*', tail = word.n > 1 && word.p[word.n - 1] == '*';
    const size_t stars = (size_t)head + tail;
    /* "**" has no letters */
    const struct az_sv letters = az_sv_make(word.p + head, word.n > stars ? word.n - stars : 0);
    uint16_t *first = &x->other;
    if (letters.n == 1 && !stars)
        first = &x->head[pair_of(letters.p[0], 0)];
    else if (letters.n > 2 && !head)
        first = &x->three[three_of(letters.p)];
    else if (letters.n > 1)
        first = &(head ? x->inner : x->head)[pair_of(letters.p[0], letters.p[1])];
    char eight[8] = { 0 }, mask[8] = { 0 };
    memcpy(eight, letters.p, letters.n < 8 ? letters.n : 8);
    memset(mask, 0xff, letters.n < 8 ? letters.n : 8);
    x->v[x->n] = (struct az_pattern){ .first = az_eight(eight),
                                      .mask = az_eight(mask),
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
            add(x, pattern, rule);
    }
    c.to = (uint32_t)x->n;
    return c;
}

static void take(const struct az_pattern_index *x, size_t at, struct az_pattern_hits *hits)
{
    const uint32_t rule = x->v[at].rule;
    hits->pattern[at / 64] |= UINT64_C(1) << at % 64;
    if (rule < AZ_PATTERN_RULES)
        hits->rule[rule / 64] |= UINT64_C(1) << rule % 64;
}

/* Patterns whose letters may be at place `from` of word i. */
static void try_letters(const struct az_pattern_index *x, const struct az_words *w, size_t i,
                        size_t from, uint32_t at, struct az_pattern_hits *hits)
{
    const char *letters = az_word(w, i).p + from;
    const size_t n = az_word(w, i).n - from;
    const uint64_t eight = az_eight(letters);
    for (const struct az_pattern *p; at; at = p->next) {
        p = &x->v[at - 1];
        if ((eight & p->mask) != p->first || n < p->letters.n || (n > p->letters.n && !p->tail) ||
            (p->letters.n > 8 && memcmp(letters, p->letters.p, p->letters.n) != 0))
            continue;
        if (p->alone || az_words_at(w, i, p->text))
            take(x, at - 1, hits);
    }
}

static void try_other(const struct az_pattern_index *x, const struct az_words *w, size_t i,
                      struct az_pattern_hits *hits)
{
    for (uint32_t at = x->other; at; at = x->v[at - 1].next)
        if (az_words_at(w, i, x->v[at - 1].text))
            take(x, at - 1, hits);
}

void az_patterns_find(const struct az_pattern_index *x, const struct az_words *w,
                      struct az_pattern_hits *hits)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct az_sv word = az_word(w, i);
        try_letters(x, w, i, 0, x->head[pair_of(word.p[0], word.n > 1 ? word.p[1] : 0)], hits);
        if (word.n > 2)
            try_letters(x, w, i, 0, x->three[three_of(word.p)], hits);
        for (size_t k = 0; k + 1 < word.n; k++) {
            const size_t pair = pair_of(word.p[k], word.p[k + 1]);
            if (x->inner[pair])
                try_letters(x, w, i, k, x->inner[pair], hits);
        }
        try_other(x, w, i, hits);
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
