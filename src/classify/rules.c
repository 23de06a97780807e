#include "classify/rules.h"

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

/* Cuts a line off, with those that continue it. The marks between them stay: they match nothing. */
static struct az_sv next_line(struct az_sv *text)
{
    const char *from = text->p;
    struct az_sv line;
    do
        line = az_sv_cut(text, '\n');
    while (text->n && az_sv_ends(line, AZ_SV(" \\")));
    return az_sv_trim(az_sv_make(from, (size_t)(line.p - from) + line.n));
}

/* The cells after the group and the name; the family is read by who wants it: see family_of. */
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

/* Does the text begin with the group? Decided before the line is cut: a name is sought in rules of
 * one group only. A line that continues another begins with blanks. */
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

static bool any(const struct az_rule *r, struct az_sv name, const struct az_words *w,
                struct az_sv patterns)
{
    if (r->how == AZ_RULE_WORDS || r->how == AZ_RULE_ONLY)
        return az_words_any(w, patterns);
    while (patterns.n) {
        const struct az_sv pattern = az_sv_cut(&patterns, ' ');
        if (pattern.n && !(r->how == AZ_RULE_GLOB && begins_otherwise(name, pattern)) &&
            pattern_matches(r->how, name, pattern))
            return true;
    }
    return false;
}

bool az_rule_matches(const struct az_rule *r, struct az_sv name, const struct az_words *w)
{
    if (r->with.n && !any(r, name, w, r->with))
        return false;
    if (r->how == AZ_RULE_ONLY ? !az_words_only(w, r->one) : !any(r, name, w, r->one))
        return false;
    return r->without.n == 0 || !any(r, name, w, r->without);
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

int az_rules_read(const char *file, struct az_arena *a, struct az_rule_list *out)
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
        out->n++;
    return 0;
}

int az_rules_read_group(const char *file, const char *group, struct az_arena *a,
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
            if (pass)
                (void)family_of(cut_cells(line, &v[n], &more), &v[n]);
            n++;
        }
        if (pass == 0 && !(v = az_arena_array(a, n + 1, sizeof *v)))
            return az_arena_error(a);
        *out = (struct az_rule_list){ .v = v, .n = n };
    }
    return 0;
}

size_t az_rules_first(const struct az_rule_list *l, const char *group, struct az_sv name)
{
    struct az_words w;
    bool cut = false;
    for (size_t i = 0; i < l->n; i++) {
        const struct az_rule *r = &l->v[i];
        if (!az_sv_is(r->group, group))
            continue;
        if (!cut && (r->how == AZ_RULE_WORDS || r->how == AZ_RULE_ONLY)) {
            az_words_cut(name, &w);
            cut = true;
        }
        if (az_rule_matches(r, name, &w))
            return i;
    }
    return SIZE_MAX;
}

struct az_sv az_rules_class_of(const struct az_rule_list *l, const char *group, struct az_sv name)
{
    const size_t i = az_rules_first(l, group, name);
    return i == SIZE_MAX ? AZ_SV("") : l->v[i].name;
}
