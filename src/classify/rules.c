#include "classify/rules.h"

#include "base/pool.h"

#include "base/data.h"

static enum az_rule_how how_of(struct az_sv text)
{
    static const struct {
        struct az_sv text;
        enum az_rule_how how;
    } hows[] = {
        { { "words", 5 }, AZ_RULE_WORDS },   { { "only", 4 }, AZ_RULE_ONLY },
        { { "begins", 6 }, AZ_RULE_BEGINS }, { { "contains", 8 }, AZ_RULE_CONTAINS },
        { { "is", 2 }, AZ_RULE_IS },         { { "has", 3 }, AZ_RULE_HAS },
        { { "glob", 4 }, AZ_RULE_GLOB },
    };
    for (size_t i = 0; i < AZ_LENGTH(hows); i++)
        if (az_sv_eq(text, hows[i].text))
            return hows[i].how;
    return AZ_RULE_UNKNOWN;
}

/* Splits off a line, with those that continue it. The marks between them stay: they match nothing.
 */
static struct az_sv next_line(struct az_sv *text)
{
    const char *from = text->p;
    struct az_sv line;
    do
        line = az_sv_cut(text, '\n');
    while (text->n && az_sv_ends(line, AZ_SV(" \\")));
    return az_sv_trim(az_sv_make(from, (size_t)(line.p - from) + line.n));
}

/* The cells after the group and the name; the family is read by its users: see family_of. */
static struct az_sv cut_cells(struct az_sv line, struct az_rule *r, struct az_sv *more)
{
    *r = (struct az_rule){ .group = az_sv_trim(az_sv_cut(&line, ';')),
                           .name = az_sv_trim(az_sv_cut(&line, ';')) };
    const struct az_sv family = az_sv_trim(az_sv_cut(&line, ';'));
    r->how = how_of(az_sv_trim(az_sv_cut(&line, ';')));
    r->one = az_sv_trim(az_sv_cut(&line, ';'));
    r->with = az_sv_trim(az_sv_cut(&line, ';'));
    r->without = az_sv_trim(az_sv_cut(&line, ';'));
    *more = line;
    return family;
}

/* Reads the family; false: there is no such one. */
static bool family_of(struct az_sv family, struct az_rule *r)
{
    return family.n == 0 || az_family_of(family, &r->family);
}

bool az_rules_next(struct az_sv *text, struct az_rule *r)
{
    while (text->n) {
        const struct az_sv line = next_line(text);
        struct az_sv more;
        if (line.n == 0 || *line.p == '#')
            continue;
        const bool known = family_of(cut_cells(line, r, &more), r);
        r->bad = r->how == AZ_RULE_UNKNOWN || r->one.n == 0 || more.n || !known;
        return true;
    }
    return false;
}

/* Does the text begin with the group? Decided before the line is split: a name is sought in rules
 * of one group only. A line that continues another begins with blanks. */
static bool of_group(struct az_sv line, struct az_sv group)
{
    if (line.n <= group.n || memcmp(line.p, group.p, group.n) != 0)
        return false;
    size_t i = group.n;
    while (i < line.n && line.p[i] == ' ')
        i++;
    return i < line.n && line.p[i] == ';';
}

/* A pattern `this!that` is found where `this` is not followed by `that`. */
static bool contains(struct az_sv name, struct az_sv pattern)
{
    struct az_sv unless = pattern, wanted = az_sv_cut(&unless, '!');
    for (;;) {
        const ptrdiff_t at = az_sv_ifind(name, wanted);
        if (at < 0)
            return false;
        const size_t end = (size_t)at + wanted.n;
        const struct az_sv rest = az_sv_make(name.p + end, name.n - end);
        if (unless.n == 0 || rest.n < unless.n || !az_sv_ieq(az_sv_make(rest.p, unless.n), unless))
            return true;
        name = rest;
    }
}

static bool pattern_matches(enum az_rule_how how, struct az_sv name, struct az_sv pattern)
{
    switch (how) {
    case AZ_RULE_BEGINS:
        return name.n >= pattern.n && az_sv_ieq(az_sv_make(name.p, pattern.n), pattern);
    case AZ_RULE_CONTAINS:
        return contains(name, pattern);
    case AZ_RULE_IS:
        return az_sv_eq(name, pattern);
    case AZ_RULE_HAS:
        return az_sv_find(name, pattern) >= 0;
    case AZ_RULE_GLOB:
        return az_sv_glob(pattern, name);
    default:
        return false;
    }
}

/* Most names are out after their first letter. */
static bool begins_otherwise(struct az_sv name, struct az_sv pattern)
{
    const char c = *pattern.p;
    return name.n && c != *name.p && c != '*' && c != '?' && c != '[';
}

static bool one_matches(enum az_rule_how how, struct az_sv name, struct az_sv pattern)
{
    return !(how == AZ_RULE_GLOB && begins_otherwise(name, pattern)) &&
           pattern_matches(how, name, pattern);
}

static bool matches_any(const struct az_rule *r, struct az_sv name, const struct az_words *w,
                        struct az_sv patterns)
{
    if (r->how == AZ_RULE_WORDS || r->how == AZ_RULE_ONLY)
        return az_words_any(w, patterns);
    while (patterns.n) {
        const struct az_sv pattern = az_sv_cut(&patterns, ' ');
        if (pattern.n && one_matches(r->how, name, pattern))
            return true;
    }
    return false;
}

bool az_rule_matches(const struct az_rule *r, struct az_sv name, const struct az_words *w)
{
    if (r->with.n && !matches_any(r, name, w, r->with))
        return false;
    if (r->how == AZ_RULE_ONLY ? !az_words_only(w, r->one) : !matches_any(r, name, w, r->one))
        return false;
    return r->without.n == 0 || !matches_any(r, name, w, r->without);
}

/* ---- pairs of letters: most names are out before any pattern is tried ---- */
enum { PAIRS = 1024 }; /* hashes of pairs */
struct pair_set {      /* of a name */
    uint64_t bits[PAIRS / 64];
};

static unsigned letter_of(char c) { return (unsigned char)az_word_letter[(unsigned char)c]; }

static unsigned pair_hash(unsigned a, unsigned b) { return (a << 5 ^ b) % PAIRS; }

static void pairs_of_name(struct az_sv name, struct pair_set *s)
{
    memset(s, 0, sizeof *s);
    if (name.n == 0)
        return;
    unsigned before = letter_of(name.p[0]);
    for (size_t i = 1; i < name.n; i++) {
        const unsigned letter = letter_of(name.p[i]), h = pair_hash(before, letter);
        s->bits[h >> 6] |= UINT64_C(1) << (h & 63);
        before = letter;
    }
}

static bool has_pair(const struct pair_set *s, uint16_t h)
{
    return s->bits[h >> 6] >> (h & 63) & 1;
}

/* The first and the last pair of the longest run of letters; false: the pattern has none. */
static bool pairs_of_pattern(struct az_sv pattern, uint16_t out[2])
{
    size_t best = 0, most = 0;
    const struct az_sv p = az_sv_cut(&pattern, '!'); /* what follows it is not in the name */
    for (size_t i = 0, run; i < p.n; i += run + 1) {
        const bool set = i > 0 && p.p[i - 1] == '['; /* one of its letters is in the name */
        for (run = 0; i + run < p.n && letter_of(p.p[i + run]) != 0; run++)
            ;
        if (run > most && !set) {
            best = i;
            most = run;
        }
    }
    if (most < 2)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const char *pair = p.p + best + (i ? most - 2 : 0);
        out[i] = (uint16_t)pair_hash(letter_of(pair[0]), letter_of(pair[1]));
    }
    return true;
}

/* The letters of a word of a pattern follow each other in a name that has the word. */
static int add_patterns(struct az_rule *r, struct az_arena *a)
{
    struct az_sv rest = r->one;
    size_t most = 1;
    if (r->how == AZ_RULE_ONLY || r->how == AZ_RULE_UNKNOWN)
        return 0;
    for (size_t i = 0; i < rest.n; i++)
        most += rest.p[i] == ' ';
    struct az_rule_pattern *v = az_arena_array(a, most, sizeof *v);
    if (!v)
        return az_arena_error(a);
    r->patterns = v;
    while (rest.n) {
        const struct az_sv text = az_sv_cut(&rest, ' ');
        if (text.n == 0 || *text.p == '\\') /* the mark of a line that continues */
            continue;
        v[r->n_patterns].text = text;
        v[r->n_patterns].paired = pairs_of_pattern(text, v[r->n_patterns].pair);
        r->n_patterns++;
    }
    return 0;
}

/* A name, and what is found out about it once. */
struct matched_name {
    struct az_sv name;
    struct pair_set pairs;
    struct az_words words;
    bool has_words; /* they are split */
};

static const struct az_words *words_of(struct matched_name *m)
{
    if (!m->has_words)
        az_words_cut(m->name, &m->words);
    m->has_words = true;
    return &m->words;
}

/* Of most names no pattern is tried: they have not its pairs of letters. */
static bool any_pattern(const struct az_rule *r, struct matched_name *m)
{
    for (size_t i = 0; i < r->n_patterns; i++) {
        const struct az_rule_pattern *p = &r->patterns[i];
        if (p->paired && !(has_pair(&m->pairs, p->pair[0]) && has_pair(&m->pairs, p->pair[1])))
            continue;
        if (r->how == AZ_RULE_WORDS ? az_words_any(words_of(m), p->text)
                                    : one_matches(r->how, m->name, p->text))
            return true;
    }
    return false;
}

static bool matches(const struct az_rule *r, struct matched_name *m)
{
    if (r->how == AZ_RULE_ONLY)
        return az_rule_matches(r, m->name, words_of(m));
    if (!any_pattern(r, m)) /* the first cell */
        return false;
    return (r->with.n == 0 || matches_any(r, m->name, &m->words, r->with)) &&
           (r->without.n == 0 || !matches_any(r, m->name, &m->words, r->without));
}

bool az_rules_find(const char *file, const char *group, struct az_sv name, struct az_rule *r)
{
    struct az_sv text = az_data(file), more;
    const struct az_sv wanted = az_sv_str(group);
    struct az_words w;
    bool cut = false;
    while (text.n) {
        if (!of_group(text, wanted)) {
            (void)az_sv_cut(&text, '\n');
            continue;
        }
        const struct az_sv family = cut_cells(next_line(&text), r, &more);
        if (!cut && (r->how == AZ_RULE_WORDS || r->how == AZ_RULE_ONLY)) {
            az_words_cut(name, &w);
            cut = true;
        }
        if (az_rule_matches(r, name, &w))
            return family_of(family, r);
    }
    return false;
}

struct az_sv az_rules_class(const char *file, const char *group, struct az_sv name)
{
    struct az_rule r;
    return az_rules_find(file, group, name, &r) ? r.name : AZ_SV("");
}

static int read_all(const char *file, struct az_arena *a, struct az_rule_list *out)
{
    const struct az_sv whole = az_data(file);
    struct az_sv text = whole;
    size_t lines = 1;
    for (size_t i = 0; i < whole.n; i++)
        lines += whole.p[i] == '\n';
    struct az_rule *v = az_arena_array(a, lines, sizeof *v);
    *out = (struct az_rule_list){ .v = v };
    if (!v)
        return az_arena_error(a);
    while (az_rules_next(&text, &v[out->n]))
        if (add_patterns(&v[out->n++], a) != 0)
            return az_arena_error(a);
    return 0;
}

static int read_group(const char *file, const char *group, struct az_arena *a,
                      struct az_rule_list *out)
{
    const struct az_sv wanted = az_sv_str(group);
    struct az_rule *v = NULL;
    struct az_sv begin = az_data(file); /* of the first rule, when it is known */
    *out = (struct az_rule_list){ 0 };
    for (int pass = 0; pass < 2; pass++) { /* counts, then reads */
        struct az_sv text = begin, more;
        size_t n = 0;
        while (text.n && (pass == 0 || n < out->n)) {
            if (!of_group(text, wanted)) {
                (void)az_sv_cut(&text, '\n');
                continue;
            }
            if (n == 0)
                begin = text;
            const struct az_sv line = next_line(&text);
            if (pass) {
                (void)family_of(cut_cells(line, &v[n], &more), &v[n]);
                if (add_patterns(&v[n], a) != 0)
                    return az_arena_error(a);
            }
            n++;
        }
        if (pass == 0 && !(v = az_arena_array(a, n + 1, sizeof *v)))
            return az_arena_error(a);
        *out = (struct az_rule_list){ .v = v, .n = n, .one_group = true };
    }
    return 0;
}

/* The rules of a group, or of all of them, in memory of the process: the list and its arena are one
 * block, so that all of it can be found from the list. */
struct kept_list {
    struct az_rule_list list;
    struct az_arena arena;
};

static const void *make_list(const char *file, const char *group)
{
    struct kept_list *k = az_mem_alloc(NULL, sizeof *k);
    if (!k)
        return NULL;
    *k = (struct kept_list){ .list = { 0 } };
    az_arena_init(&k->arena, NULL);
    if ((*group ? read_group(file, group, &k->arena, &k->list)
                : read_all(file, &k->arena, &k->list)) == 0)
        return &k->list;
    az_arena_release(&k->arena);
    az_mem_free(NULL, k, sizeof *k);
    return NULL;
}

int az_rules_read(const char *file, struct az_arena *a, struct az_rule_list *out)
{
    return az_rules_read_group(file, "", a, out);
}

int az_rules_read_group(const char *file, const char *group, struct az_arena *a,
                        struct az_rule_list *out)
{
    const struct az_rule_list *l = az_shared(file, group, make_list);
    *out = l ? *l : (struct az_rule_list){ 0 };
    a->failed = a->failed || !l;
    return l ? 0 : AZ_ENOMEM;
}

size_t az_rules_first(const struct az_rule_list *l, const char *group, struct az_sv name)
{
    const struct az_sv wanted = az_sv_str(group);
    struct matched_name m;
    m.name = name;
    m.has_words = false;
    pairs_of_name(name, &m.pairs);
    for (size_t i = 0; i < l->n; i++)
        if ((l->one_group || az_sv_eq(l->v[i].group, wanted)) && matches(&l->v[i], &m))
            return i;
    return SIZE_MAX;
}

struct az_sv az_rules_class_of(const struct az_rule_list *l, const char *group, struct az_sv name)
{
    const size_t i = az_rules_first(l, group, name);
    return i == SIZE_MAX ? AZ_SV("") : l->v[i].name;
}
