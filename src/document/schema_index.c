/* The index of schema_index.h, made from the rules. */
#include "document/schema_index.h"

static size_t chain_of(struct az_sv text)
{
    uint32_t h = 0;

    for (size_t i = 0; i < text.n; i++)
        h = h * 31 + (unsigned char)text.p[i];
    return (h ^ h >> 9) % AZ_SCHEMA_CHAINS;
}

const struct az_schema_meaning *az_schema_meaning(const struct az_schema_index *x,
                                                  struct az_sv text)
{
    const struct az_schema_meaning *m = x->chain[chain_of(text)];

    while (m && !az_sv_eq(m->text, text))
        m = m->next;
    return m;
}

/* The meaning of a text, a new one if it had none; NULL: out of memory. */
static struct az_schema_meaning *meaning(struct az_schema_index *x, struct az_sv text)
{
    struct az_schema_meaning **at = &x->chain[chain_of(text)];

    for (struct az_schema_meaning *m = *at; m; m = m->next)
        if (az_sv_eq(m->text, text))
            return m;
    struct az_schema_meaning *m = az_arena_alloc(x->arena, sizeof *m);
    if (m) {
        *m = (struct az_schema_meaning){ .text = text, .next = *at };
        *at = m;
    }
    return m;
}

/* Every core of a rule's list; the empty one is first in its lists. */
static bool add_cores(struct az_schema_index *x, const char *list, size_t rule)
{
    for (const char *p = list, *end; p; p = *end ? end + 1 : NULL) {
        for (end = p; *end && *end != '|';)
            end++;
        struct az_schema_meaning *m = meaning(x, az_sv_make(p, (size_t)(end - p)));
        if (!m || rule >= AZ_SCHEMA_MASKS * 64)
            return false;
        m->rules[rule / 64] |= (uint64_t)1 << rule % 64;
    }
    return true;
}

static bool add_words(struct az_schema_index *x)
{
    struct az_schema_meaning *m;

    for (const struct az_schema_word *w = az_schema_words; w->text; w++) {
        if (!(m = meaning(x, az_sv_str(w->text))))
            return false;
        m->word = m->word ? m->word : w->words;
    }
    for (const struct az_schema_summary *s = az_schema_summaries; s->text; s++) {
        if (!(m = meaning(x, az_sv_str(s->text))))
            return false;
        m->summary = m->summary ? m->summary : s->canonical;
    }
    for (size_t k = 0; az_schema_acronyms[k]; k++) {
        if (!(m = meaning(x, az_sv_str(az_schema_acronyms[k]))))
            return false;
        m->acronym = true;
    }
    return true;
}

static void find_rows(struct az_schema_index *x)
{
    size_t end = 0;

    while (az_schema_units[end].text)
        end++;
    memset(x->unit_row, (int)end, sizeof x->unit_row);
    for (size_t k = end; k-- > 0;)
        x->unit_row[az_schema_units[k].unit] = (uint8_t)k;
    for (const struct az_schema_word *w = az_schema_phrases; w->text; w++) {
        const unsigned char c = (unsigned char)*w->text;
        const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        x->begins_phrase[c] = true;
        x->begins_phrase[letter ? c ^ 0x20 : c] = true;
    }
}

struct az_schema_index *az_schema_index_new(struct az_arena *a)
{
    struct az_schema_index *x = az_arena_alloc(a, sizeof *x);

    if (!x)
        return NULL;
    *x = (struct az_schema_index){ .arena = a };
    find_rows(x);
    for (size_t i = 0; az_schema_rules[i].stem; i++)
        if (!add_cores(x, az_schema_rules[i].cores, i))
            return NULL;
    return add_words(x) ? x : NULL;
}
