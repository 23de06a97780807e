/* Classes of kernel names and NCCL collectives. */
#include "classify/classmap.h"

#include "base/swar.h"
#include "base/utf8.h"

#define NO_CLASS UINT32_MAX

/* Id of the class called `name`, added if new. */
static int class_id(struct az_classifier *c, struct az_sv name, uint32_t *id)
{
    for (size_t i = 0; i < c->names.n; i++) {
        if (az_sv_eq(c->names.v[i], name)) {
            *id = (uint32_t)i;
            return 0;
        }
    }
    *id = (uint32_t)c->names.n;
    return az_vec_push(&c->names, name);
}

int az_classifier_init(struct az_classifier *c, const struct az_class_rules *rules,
                       struct az_arena *arena)
{
    *c = (struct az_classifier){ .rules = rules, .arena = arena };
    az_vec_init(&c->names, arena->mem);
    az_vec_init(&c->rule_class, arena->mem);
    uint32_t id;
    int err = class_id(c, AZ_SV("others"), &id);
    for (size_t i = 0; i < rules->n && err == 0; i++) {
        id = NO_CLASS; /* nccl: its place is after all others */
        if (!az_sv_is(rules->v[i].name, "nccl"))
            err = class_id(c, rules->v[i].name, &id);
        if (err == 0)
            err = az_vec_push(&c->rule_class, id);
    }
    if (err == 0)
        err = class_id(c, AZ_SV("nccl"), &c->nccl);
    if (err != 0) {
        az_classifier_release(c);
        return err;
    }
    for (size_t i = 0; i < rules->n; i++) {
        if (c->rule_class.v[i] == NO_CLASS)
            c->rule_class.v[i] = c->nccl;
    }
    return 0;
}

void az_classifier_release(struct az_classifier *c)
{
    az_vec_release(&c->names);
    az_vec_release(&c->rule_class);
}

static bool is_ascii(struct az_sv s)
{
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8)
        if (az_eight(s.p + i) & AZ_EIGHT(0x80))
            return false;
    for (; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    return true;
}

size_t az_class_map_find(const struct az_class_rules *map, struct az_sv name)
{
    for (size_t i = 0; i < map->n; i++)
        if (az_sv_ifind(name, map->v[i].lower) >= 0)
            return i;
    return SIZE_MAX;
}

static uint32_t class_of(const struct az_classifier *c, struct az_sv kernel)
{
    if (az_sv_ifind(kernel, AZ_SV("nccl")) >= 0)
        return c->nccl;
    const size_t i = az_class_map_find(c->rules, kernel);
    return i == SIZE_MAX ? AZ_CLASS_OTHERS : c->rule_class.v[i];
}

uint32_t az_classify(const struct az_classifier *c, struct az_sv kernel)
{
    struct az_arena scratch; /* several threads use one classifier */

    /* An ASCII name, the usual case, needs no lower-case copy: the search ignores ASCII case. Nor
     * does "nccl": no other letter's lower case is one of its. */
    if (c->rules->n == 0 || is_ascii(kernel))
        return class_of(c, kernel);
    az_arena_init(&scratch, c->arena->mem);
    const struct az_sv low = az_utf8_lower(&scratch, kernel);
    const uint32_t found = class_of(c, low.p ? low : kernel);
    az_arena_release(&scratch);
    return found;
}

/* ---- NCCL collectives ---- */

/* Letters of an identifier; bytes of UTF-8 count as letters. */
static bool is_word(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
           ch == '_' || (unsigned char)ch >= 0x80;
}

/* The identifier around offset `at`. */
static struct az_sv identifier_at(struct az_sv s, size_t at)
{
    size_t first = at, end = at;
    while (first > 0 && is_word(s.p[first - 1]))
        first--;
    while (end < s.n && is_word(s.p[end]))
        end++;
    return az_sv_make(s.p + first, end - first);
}

/* The text between the first and the second `_` (or the end); false without a `_`. */
static bool second_field(struct az_sv s, struct az_sv *out)
{
    const ptrdiff_t first = az_sv_find(s, AZ_SV("_"));
    if (first < 0)
        return false;
    const struct az_sv rest = az_sv_make(s.p + first + 1, s.n - (size_t)first - 1);
    const ptrdiff_t second = az_sv_find(rest, AZ_SV("_"));
    *out = az_sv_make(rest.p, second < 0 ? rest.n : (size_t)second);
    return true;
}

/* Longest first; among equals the leftmost in the name wins. compound: only names that are not also
 * words of other work. */
static struct az_sv collective_in(struct az_sv word, bool compound)
{
    static const struct az_sv known[] = {
        { "ReduceScatter", 13 }, { "AllReduce", 9 }, { "AllGather", 9 }, { "AllToAll", 8 },
        { "SendRecv", 8 },       { "Broadcast", 9 }, { "Scatter", 7 },   { "Generic", 7 },
        { "Reduce", 6 },         { "Gather", 6 },    { "Send", 4 },      { "Recv", 4 },
    };
    enum { COMPOUND = 5 };
    struct az_sv best = { NULL, 0 };
    ptrdiff_t best_at = 0;
    for (size_t i = 0; i < (compound ? COMPOUND : AZ_LENGTH(known)); i++) {
        if (best.p != NULL && known[i].n < best.n)
            continue;
        const ptrdiff_t at = az_sv_ifind(word, known[i]);
        if (at >= 0 && (best.p == NULL || known[i].n > best.n || at < best_at)) {
            best = known[i];
            best_at = at;
        }
    }
    return best;
}

struct az_sv az_nccl_operation(struct az_sv kernel, bool compat)
{
    struct az_sv field;
    if (compat && second_field(kernel, &field))
        return field;
    /* A kernel can be in class nccl by the user's map alone; then the name as a whole replaces the
     * identifier, and `reduce`, `scatter` and the like are work within one device. */
    const ptrdiff_t at = az_sv_ifind(kernel, AZ_SV("nccl"));
    const struct az_sv word = at >= 0 ? identifier_at(kernel, (size_t)at) : kernel;
    const struct az_sv found = collective_in(word, at < 0);
    if (found.p != NULL)
        return found;
    return second_field(word, &field) && field.n > 0 ? field : word;
}
