#include "classify/name_classes.h"

#include "base/pool.h"

#include "base/data.h"
#include "classify/collectives.h"
#include "classify/name_normalize.h"
#include "classify/patterns.h"
#include "classify/rules.h"

#define FILE_NAME "kernel_classes.rules"

struct rule {
    struct az_rule text;
    struct az_pattern_cell with, without; /* of words */
    struct az_sv *parts;                  /* one of them in the name is the only condition; NULL */
    size_t n_parts;
};

/* The rules of the file in order, and all their patterns of words: made once in a process. */
struct compiled_rules {
    struct az_arena arena;
    struct rule *rule;
    struct az_rule copies;   /* names of copies of the runtime */
    uint64_t copies_with[4]; /* what they may begin with: one bit a character */
    /* Others, one a rule, one a kind of collective; then all again, marked as copies. */
    struct az_kernel_class *v;
    size_t n, classes;
    struct az_pattern_index patterns;
    struct az_pattern_hits always; /* rules that are tested for every name: not of words alone */
    bool forms;                    /* names of one form are of one class: no rule tests a number */
    bool context[AZ_FAMILIES];     /* families that a scope alone decides */
};

/* The same with the user's names. */
struct az_kernel_rules {
    const struct compiled_rules *c;
    struct az_user_names user;
    bool forms; /* nor does the user */
};

/* ---- reading ---- */
/* How many rules there may be at most. */
static size_t count_lines(void)
{
    struct az_sv text = az_data(FILE_NAME);
    size_t n = 0;
    for (; text.n; n++)
        (void)az_sv_cut(&text, '\n');
    return n;
}

/* Which characters a name begins with that one of these patterns matches as a whole. */
static void first_characters(struct az_sv globs, uint64_t *set)
{
    while (globs.n) {
        const struct az_sv glob = az_sv_cut(&globs, ' ');
        if (glob.n == 0)
            continue;
        if (*glob.p == '*' || *glob.p == '?' || *glob.p == '[')
            memset(set, 0xff, 4 * sizeof *set);
        set[(unsigned char)*glob.p / 64] |= UINT64_C(1) << (unsigned char)*glob.p % 64;
    }
}

static bool is_copy(const struct compiled_rules *r, struct az_sv name, const struct az_words *w)
{
    const unsigned char c = name.n ? (unsigned char)*name.p : 0;
    return (r->copies.how != AZ_RULE_GLOB || !name.n || r->copies_with[c / 64] >> c % 64 & 1) &&
           az_rule_matches(&r->copies, name, w);
}

/* Parts that a name has to contain, split once. */
static void cut_parts(struct az_arena *a, struct rule *r)
{
    struct az_sv rest = r->text.one;
    if (r->text.how != AZ_RULE_CONTAINS || r->text.with.n || r->text.without.n ||
        az_sv_find(rest, AZ_SV("!")) >= 0)
        return;
    r->parts = az_arena_array(a, rest.n, sizeof *r->parts);
    while (r->parts && rest.n) {
        const struct az_sv part = az_sv_cut(&rest, ' ');
        if (part.n)
            r->parts[r->n_parts++] = part;
    }
}

static void read_file(struct compiled_rules *r)
{
    struct az_sv text = az_data(FILE_NAME);
    struct az_rule line;
    while (az_rules_next(&text, &line)) {
        if (az_sv_is(line.group, "runtime copy")) {
            r->copies = line;
            first_characters(line.one, r->copies_with);
            r->forms = r->forms && az_forms_allow(&line);
        }
        if (az_sv_is(line.group, "affix"))
            r->patterns.full |= !az_affixes_add(&r->patterns.affixes, line.one);
        if (az_sv_is(line.group, "context"))
            r->context[line.family] = true;
        if (!az_sv_is(line.group, "kernel"))
            continue;
        const bool words = line.how == AZ_RULE_WORDS, cells = words || line.how == AZ_RULE_ONLY;
        struct rule *to = &r->rule[r->n];
        to->text = line;
        r->forms = r->forms && az_forms_allow(&line);
        cut_parts(&r->arena, to);
        if (words)
            (void)az_patterns_add(&r->patterns, line.one, r->n);
        else if (r->n < AZ_PATTERN_RULES)
            r->always.rule[r->n / 64] |= UINT64_C(1) << r->n % 64;
        if (cells) {
            to->with = az_patterns_add(&r->patterns, line.with, AZ_PATTERN_RULES);
            to->without = az_patterns_add(&r->patterns, line.without, AZ_PATTERN_RULES);
        }
        r->v[++r->n] = (struct az_kernel_class){ .name = line.name, .family = line.family };
    }
}

/* Does no setting of the user test a number? */
static bool user_forms(const struct az_user_names *user)
{
    bool all = az_forms_allow_part(user->collectives);
    for (size_t i = 0; all && user->map && i < user->map->n; i++)
        all = az_forms_allow_part(user->map->v[i].lower);
    return all;
}

static void name_classes(struct compiled_rules *r)
{
    r->classes = 1 + r->n + AZ_COLL_KINDS;
    r->v[0] = (struct az_kernel_class){ .name = AZ_SV("others"), .family = AZ_FAMILY_OTHER };
    for (int k = 0; k < AZ_COLL_KINDS; k++)
        r->v[1 + r->n + (size_t)k] =
            (struct az_kernel_class){ .name = az_coll_class((enum az_coll_kind)k),
                                      .family = AZ_FAMILY_COMMUNICATION };
    for (size_t i = 0; i < r->classes; i++) {
        r->v[r->classes + i] = r->v[i];
        r->v[r->classes + i].copies = true;
    }
}

static const void *compile(const char *file, const char *part)
{
    struct compiled_rules *r = az_mem_alloc(NULL, sizeof *r);
    (void)file;
    (void)part;
    if (!r)
        return NULL;
    memset(r, 0, sizeof *r);
    az_arena_init(&r->arena, NULL);
    r->forms = true;
    const size_t rules = count_lines();
    r->v = az_arena_array(&r->arena, 2 * (1 + rules + AZ_COLL_KINDS), sizeof *r->v);
    r->rule = az_arena_array(&r->arena, rules + 1, sizeof *r->rule);
    if (az_patterns_init(&r->patterns, &r->arena) == 0 && !r->arena.failed)
        read_file(r);
    if (r->arena.failed || r->patterns.full || r->n > AZ_PATTERN_RULES) {
        az_arena_release(&r->arena);
        az_mem_free(NULL, r, sizeof *r);
        return NULL;
    }
    name_classes(r);
    return r;
}

struct az_kernel_rules *az_kernel_rules_new(const struct az_user_names *user, struct az_mem *mem)
{
    const struct compiled_rules *c = az_shared(FILE_NAME, "compiled", compile);
    struct az_kernel_rules *r = c ? az_mem_alloc(mem, sizeof *r) : NULL;
    if (r)
        *r = (struct az_kernel_rules){ c, *user, c->forms && user_forms(user) };
    return r;
}

void az_kernel_rules_free(struct az_kernel_rules *r, struct az_mem *mem)
{
    if (r)
        az_mem_free(mem, r, sizeof *r);
}

/* ---- lookup ---- */
static bool matches(const struct rule *r, struct az_sv name, const struct az_words *w,
                    const struct az_pattern_hits *h)
{
    for (size_t i = 0; i < r->n_parts; i++)
        if (az_sv_ifind(name, r->parts[i]) >= 0)
            return true;
    if (r->parts)
        return false;
    if (r->text.how != AZ_RULE_WORDS && r->text.how != AZ_RULE_ONLY)
        return az_rule_matches(&r->text, name, w);
    if ((r->with.to > r->with.from && !az_patterns_hit(h, r->with)) ||
        az_patterns_hit(h, r->without))
        return false;
    return r->text.how == AZ_RULE_WORDS || az_words_only(w, r->text.one);
}

/* The first rule that matches, of those that may: their first cell does, or is none of words.
 * h: all patterns in the name. */
static size_t first_of(const struct compiled_rules *r, const uint64_t *may, struct az_sv name,
                       const struct az_words *w, const struct az_pattern_hits *h, bool comm)
{
    for (size_t k = 0; k * 64 < r->n; k++)
        for (uint64_t bits = may[k]; bits; bits &= bits - 1) {
            const size_t i = k * 64 + (size_t)__builtin_ctzll(bits);
            if ((!comm || r->rule[i].text.family == AZ_FAMILY_COMMUNICATION) &&
                matches(&r->rule[i], name, w, h))
                return i;
        }
    return SIZE_MAX;
}

/* Scopes name a library or a part of it: they decide where the function's own name and its template
 * arguments leave the family open, or where the library does that kind of work only. */
static size_t first_rule(const struct compiled_rules *r, struct az_sv name,
                         const struct az_words *w, struct az_pattern_memo *memo, bool comm)
{
    struct az_pattern_hits h = r->always;
    uint64_t own[AZ_PATTERN_RULES / 64];
    az_patterns_find(&r->patterns, w, false, memo, &h);
    memcpy(own, h.rule, sizeof own);
    az_patterns_find(&r->patterns, w, true, memo, &h);
    const size_t all = first_of(r, h.rule, name, w, &h, comm);
    if (all == SIZE_MAX || r->context[r->rule[all].text.family] ||
        memcmp(own, h.rule, sizeof own) == 0)
        return all;
    const size_t self = first_of(r, own, name, w, &h, comm);
    return self == SIZE_MAX ? all : self;
}

/* Place in v of the class, copies of the runtime apart. */
static size_t place_of(const struct az_kernel_rules *r, struct az_sv name, const struct az_words *w,
                       struct az_pattern_memo *memo)
{
    struct az_sv given;
    if (az_coll_match_pattern(r->user.collectives, name, &given))
        return 1 + r->c->n + (size_t)az_coll_kind_of(given);
    const size_t mapped = r->user.map ? az_class_map_find(r->user.map, name) : SIZE_MAX;
    const bool comm = mapped != SIZE_MAX && az_sv_is(r->user.map->v[mapped].name, "nccl");
    const size_t i = first_rule(r->c, name, w, memo, comm);
    return i != SIZE_MAX ? i + 1 : comm ? 1 + r->c->n + AZ_COLL_UNKNOWN : 0;
}

static const struct az_kernel_class *class_of(const struct az_kernel_rules *r, struct az_sv name,
                                              struct az_pattern_memo *memo)
{
    struct az_words w;
    az_words_cut_function(name, &w);
    w.affixes = &r->c->patterns.affixes;
    const size_t at = place_of(r, name, &w, memo);
    return &r->c->v[at + (is_copy(r->c, name, &w) ? r->c->classes : 0)];
}

const struct az_kernel_class *az_kernel_class_of(const struct az_kernel_rules *r, struct az_sv name)
{
    return class_of(r, name, NULL);
}

/* ---- names with ids ---- */
struct naming {
    const struct az_kernel_rules *r;
    struct az_name_classes *c;
    const struct az_sv *text;
    const uint8_t *wanted;
};
enum { SHARE = 1 << 12 }; /* names that a thread classifies at a time */

/* What is remembered from name to name. */
struct memory {
    struct az_pattern_memo words;
    struct az_forms forms;
};

static uint16_t class_number(const struct az_kernel_rules *r, struct az_sv name, struct memory *m)
{
    bool known = false;
    struct az_form_place *place = r->forms ? az_forms_find(&m->forms, name, &known) : NULL;
    if (known)
        return place->value;
    const uint16_t class = (uint16_t)(class_of(r, name, &m->words) - r->c->v);
    if (place)
        place->value = class;
    return class;
}

static void name_share(void *ctx, unsigned share)
{
    const struct naming *x = ctx;
    const size_t from = (size_t)share * SHARE,
                 to = x->c->ids - from > SHARE ? from + SHARE : x->c->ids;
    struct memory memory;
    memset(&memory.words, 0, sizeof memory.words);
    az_forms_init(&memory.forms);
    for (size_t i = from; i < to; i++)
        if (x->wanted[i])
            x->c->of[i] = class_number(x->r, x->text[i], &memory);
}

int az_name_classes_make(struct az_name_classes *c, const struct az_sv *text, const uint8_t *wanted,
                         size_t ids, const struct az_user_names *user, struct az_arena *arena,
                         struct az_mem *mem)
{
    return az_name_classes_make_on(c, text, wanted, ids, user, arena, mem, 1);
}

int az_name_classes_make_on(struct az_name_classes *c, const struct az_sv *text,
                            const uint8_t *wanted, size_t ids, const struct az_user_names *user,
                            struct az_arena *arena, struct az_mem *mem, unsigned threads)
{
    struct az_kernel_rules *r = az_kernel_rules_new(user, mem);
    if (!r)
        return az_mem_error(mem);
    const size_t n = 2 * r->c->classes;
    struct az_kernel_class *v = az_arena_array(arena, n, sizeof *v);
    c->v = v;
    c->ids = ids;
    c->of = az_arena_array(arena, ids + 1, sizeof *c->of);
    int rc = v && c->of ? 0 : az_arena_error(arena);
    if (rc == 0)
        memcpy(v, r->c->v, n * sizeof *v);
    struct naming x = { .r = r, .c = c, .text = text, .wanted = wanted };
    if (rc == 0)
        rc = az_pool_split(threads, (unsigned)((ids + SHARE - 1) / SHARE), name_share, &x);
    az_kernel_rules_free(r, mem);
    return rc;
}

bool az_name_classes_have(const struct az_name_classes *c, enum az_family family)
{
    for (size_t i = 0; i < c->ids; i++)
        if (c->v[c->of[i]].family == family)
            return true;
    return false;
}

const struct az_kernel_class *az_kernel_class_none(void)
{
    static const struct az_kernel_class none = { { "others", 6 }, AZ_FAMILY_OTHER, false };
    return &none;
}
