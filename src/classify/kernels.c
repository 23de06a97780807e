#include "classify/name_classes.h"

#include "base/pool.h"

#include "base/data.h"
#include "classify/collectives.h"
#include "classify/rules.h"

#define FILE_NAME "kernel_classes.rules"
/* Buckets by the first two characters of a pattern; ANY: they are not known. */
enum { BUCKETS = 4096, ANY = BUCKETS, PATTERNS = 4096, BITS = 64 };

struct patterns { /* of one cell of a rule: numbers from..to */
    uint32_t from, to;
};
struct rule {
    struct az_rule text;
    struct patterns one, with, without;
};

/* The rules in order, and all their patterns of words, found by the beginning of a word: a name is
 * looked at word by word, whatever the number of rules. */
struct az_kernel_rules {
    struct az_arena arena;
    struct rule *rule;
    struct az_rule copies; /* names of copies of the runtime */
    struct az_kernel_class
        *v; /* others, one a rule, one a kind of collective; then all again, marked as copies */
    size_t n, classes;
    struct pattern {
        struct az_sv text;
        uint64_t letters; /* of its first word */
        uint32_t next;    /* of its bucket + 1; 0: none */
    } * pattern;
    size_t n_patterns;
    uint32_t bucket[BUCKETS + 1]; /* its first pattern + 1 */
    struct az_user_names user;
};

/* ---- reading ---- */
static size_t bucket_of(char a, char b) { return (size_t)(a & 63) << 6 | (size_t)(b & 63); }

/* Which characters a word has, as bits: what a word lacks cannot be in it. */
static uint64_t letters_of(struct az_sv word)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] != '*')
            bits |= UINT64_C(1) << (word.p[i] & 63);
    return bits;
}

static struct az_sv first_word(struct az_sv pattern)
{
    struct az_sv word = az_sv_cut(&pattern, '_');
    return word.n && *word.p == '^' ? az_sv_make(word.p + 1, word.n - 1) : word;
}

static size_t pattern_bucket(struct az_sv word)
{
    return word.n < 2 || word.p[0] == '*' || word.p[1] == '*' ? ANY
                                                              : bucket_of(word.p[0], word.p[1]);
}

static struct patterns index_cell(struct az_kernel_rules *r, struct az_sv cell)
{
    struct patterns p = { .from = (uint32_t)r->n_patterns };
    while (cell.n) {
        const struct az_sv pattern = az_sv_cut(&cell, ' ');
        if (pattern.n == 0 || r->n_patterns == PATTERNS)
            continue;
        const struct az_sv word = first_word(pattern);
        uint32_t *head = &r->bucket[pattern_bucket(word)];
        r->pattern[r->n_patterns] = (struct pattern){ pattern, letters_of(word), *head };
        *head = (uint32_t)++r->n_patterns;
    }
    p.to = (uint32_t)r->n_patterns;
    return p;
}

/* How many rules there may be at most. */
static size_t count_lines(void)
{
    struct az_sv text = az_data(FILE_NAME);
    size_t n = 0;
    for (; text.n; n++)
        (void)az_sv_cut(&text, '\n');
    return n;
}

static void read_file(struct az_kernel_rules *r)
{
    struct az_sv text = az_data(FILE_NAME);
    struct az_rule line;
    while (az_rules_next(&text, &line)) {
        if (az_sv_is(line.group, "runtime copy"))
            r->copies = line;
        if (!az_sv_is(line.group, "kernel"))
            continue;
        const bool words = line.how == AZ_RULE_WORDS, cells = words || line.how == AZ_RULE_ONLY;
        struct rule *to = &r->rule[r->n++];
        to->text = line;
        to->one = words ? index_cell(r, line.one) : to->one;
        to->with = cells ? index_cell(r, line.with) : to->with;
        to->without = cells ? index_cell(r, line.without) : to->without;
        r->v[r->n] = (struct az_kernel_class){ .name = line.name, .family = line.family };
    }
}

struct az_kernel_rules *az_kernel_rules_new(const struct az_user_names *user, struct az_mem *mem)
{
    struct az_kernel_rules *r = az_mem_alloc(mem, sizeof *r);
    if (!r)
        return NULL;
    memset(r, 0, sizeof *r);
    az_arena_init(&r->arena, mem);
    r->user = *user;
    const size_t rules = count_lines();
    r->v = az_arena_array(&r->arena, 2 * (1 + rules + AZ_COLL_KINDS), sizeof *r->v);
    r->pattern = az_arena_array(&r->arena, PATTERNS, sizeof *r->pattern);
    r->rule = az_arena_array(&r->arena, rules + 1, sizeof *r->rule);
    if (!r->arena.failed)
        read_file(r);
    if (r->arena.failed || r->n_patterns == PATTERNS) {
        az_kernel_rules_free(r, mem);
        return NULL;
    }
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
    return r;
}

void az_kernel_rules_free(struct az_kernel_rules *r, struct az_mem *mem)
{
    if (!r)
        return;
    az_arena_release(&r->arena);
    az_mem_free(mem, r, sizeof *r);
}

/* ---- looking up ---- */
struct hits { /* which patterns are in a name */
    uint64_t bit[PATTERNS / BITS];
};

static void try_chain(const struct az_kernel_rules *r, const struct az_words *w, size_t i,
                      uint64_t letters, uint32_t at, struct hits *h)
{
    for (const struct pattern *p; at; at = p->next) {
        p = &r->pattern[at - 1];
        if ((p->letters & ~letters) == 0 && az_words_at(w, i, p->text))
            h->bit[(at - 1) / BITS] |= UINT64_C(1) << (at - 1) % BITS;
    }
}

static bool hit(const struct hits *h, struct patterns p)
{
    for (uint32_t k = p.from; k < p.to; k++)
        if (h->bit[k / BITS] >> k % BITS & 1)
            return true;
    return false;
}

static bool matches(const struct rule *r, struct az_sv name, const struct az_words *w,
                    const struct hits *h)
{
    if (r->text.how != AZ_RULE_WORDS && r->text.how != AZ_RULE_ONLY)
        return az_rule_matches(&r->text, name, w);
    if (r->text.how == AZ_RULE_WORDS && !hit(h, r->one))
        return false;
    if ((r->with.to > r->with.from && !hit(h, r->with)) || hit(h, r->without))
        return false;
    return r->text.how == AZ_RULE_WORDS || az_words_only(w, r->text.one);
}

/* Place in v of the class, copies of the runtime apart. */
static size_t place_of(const struct az_kernel_rules *r, struct az_sv name, const struct az_words *w)
{
    struct hits h = { .bit = { 0 } };
    struct az_sv given;
    if (az_coll_given(r->user.collectives, name, &given))
        return 1 + r->n + (size_t)az_coll_kind_of(given);
    const size_t mapped = r->user.map ? az_class_map_find(r->user.map, name) : SIZE_MAX;
    const bool comm = mapped != SIZE_MAX && az_sv_is(r->user.map->v[mapped].name, "nccl");
    for (size_t i = 0; i < w->n; i++) {
        const struct az_sv word = az_word(w, i);
        const uint64_t letters = letters_of(word);
        if (word.n > 1)
            try_chain(r, w, i, letters, r->bucket[bucket_of(word.p[0], word.p[1])], &h);
        try_chain(r, w, i, letters, r->bucket[ANY], &h);
    }
    for (size_t i = 0; i < r->n; i++)
        if ((!comm || r->rule[i].text.family == AZ_FAMILY_COMMUNICATION) &&
            matches(&r->rule[i], name, w, &h))
            return i + 1;
    return comm ? 1 + r->n + AZ_COLL_UNKNOWN : 0;
}

const struct az_kernel_class *az_kernel_class_of(const struct az_kernel_rules *r, struct az_sv name)
{
    struct az_words w;
    az_words_cut(name, &w);
    const size_t at = place_of(r, name, &w);
    return &r->v[at + (az_rule_matches(&r->copies, name, &w) ? r->classes : 0)];
}

/* ---- names with ids ---- */
struct naming {
    const struct az_kernel_rules *r;
    struct az_name_classes *c;
    const struct az_sv *text;
    const uint8_t *wanted;
};
enum { SHARE = 1 << 12 }; /* names that a thread takes at a time */

static void name_share(void *ctx, unsigned share)
{
    const struct naming *x = ctx;
    const size_t from = (size_t)share * SHARE,
                 to = x->c->ids - from > SHARE ? from + SHARE : x->c->ids;
    for (size_t i = from; i < to; i++)
        if (x->wanted[i])
            x->c->of[i] = (uint16_t)(az_kernel_class_of(x->r, x->text[i]) - x->r->v);
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
    const size_t n = 2 * r->classes;
    struct az_kernel_class *v = az_arena_array(arena, n, sizeof *v);
    c->v = v;
    c->ids = ids;
    c->of = az_arena_array(arena, ids + 1, sizeof *c->of);
    int rc = v && c->of ? 0 : az_arena_error(arena);
    if (rc == 0)
        memcpy(v, r->v, n * sizeof *v);
    struct naming x = { .r = r, .c = c, .text = text, .wanted = wanted };
    if (rc == 0)
        rc = az_pool_split(threads, (unsigned)((ids + SHARE - 1) / SHARE), name_share, &x);
    az_kernel_rules_free(r, mem);
    return rc;
}

const struct az_kernel_class *az_kernel_class_none(void)
{
    static const struct az_kernel_class none = { { "others", 6 }, AZ_FAMILY_OTHER, false };
    return &none;
}

const struct az_kernel_class *az_name_class(const struct az_name_classes *c, uint32_t id)
{
    return id < c->ids ? &c->v[c->of[id]] : az_kernel_class_none();
}
