#include "analyses/operators/text_set.h"

#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

struct az_text_set_entry {
    struct az_sv text;
    uint64_t hash;
};

#define PAGE_BITS 6
#define LONG      ((size_t)64 * 1024) /* bytes from which on a text is not copied */

void az_text_set_init(struct az_text_set *s, struct az_arena *arena)
{
    *s = (struct az_text_set){ .arena = arena };
}

static struct az_text_set_entry *entry_at(const struct az_text_set *s, size_t i)
{
    return &s->page[i >> PAGE_BITS][i & ((1u << PAGE_BITS) - 1)];
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t *slot_of(const struct az_text_set *s, struct az_sv v, uint64_t hash)
{
    size_t i = hash & s->mask;
    for (; s->slot[i]; i = (i + 1) & s->mask) {
        const struct az_text_set_entry *e = entry_at(s, s->slot[i] - 1);
        if (e->hash == hash && az_sv_eq(e->text, v))
            break;
    }
    return &s->slot[i];
}

static bool grow_slots(struct az_text_set *s)
{
    const size_t mask = s->slot ? s->mask * 2 + 1 : 127;
    uint32_t *slot = az_arena_array(s->arena, mask + 1, sizeof *slot);
    struct az_text_set_entry **page =
        az_arena_array(s->arena, (mask >> PAGE_BITS) + 1, sizeof(struct az_text_set_entry *));
    if (!slot || !page)
        return false;
    for (size_t i = 0; i << PAGE_BITS < s->n; i++)
        page[i] = s->page[i];
    for (size_t i = 0; i < s->n; i++) {
        size_t at = page[i >> PAGE_BITS][i & ((1u << PAGE_BITS) - 1)].hash & mask;
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = (uint32_t)i + 1;
    }
    s->slot = slot;
    s->page = page;
    s->mask = mask;
    return true;
}

static struct az_sv adopt(struct az_text_set *s, struct az_vec_char *text)
{
    if (az_text_append(text, az_sv_make("", 1))) /* its NUL */
        return (struct az_sv){ NULL, 0 };
    az_vec_trim(text);
    const struct az_sv own = az_sv_make(text->v + AZ_ARENA_HEAD, text->n - AZ_ARENA_HEAD - 1);
    az_arena_adopt(s->arena, text->v, text->cap);
    az_vec_init(text, text->mem);
    return own;
}

/* A text of the set: the known one that equals v, or as `own` has it. */
static struct az_sv keep_text(struct az_text_set *s, struct az_sv v, struct az_vec_char *own)
{
    const struct az_sv none = { NULL, 0 };
    const uint64_t hash = az_hash(v.p, v.n);
    uint32_t *slot = s->slot ? slot_of(s, v, hash) : NULL;
    if (slot && *slot)
        return entry_at(s, *slot - 1)->text;
    if (!slot || s->n * 2 > s->mask) {
        if (!grow_slots(s))
            return none;
        slot = slot_of(s, v, hash);
    }
    struct az_text_set_entry **page = &s->page[s->n >> PAGE_BITS];
    if (!*page)
        *page = az_arena_array(s->arena, 1u << PAGE_BITS, sizeof **page);
    const struct az_sv text = own ? adopt(s, own) : az_arena_dup(s->arena, v);
    if (!*page || !text.p)
        return none;
    *entry_at(s, s->n) = (struct az_text_set_entry){ text, hash };
    *slot = (uint32_t)++s->n;
    return text;
}

struct az_sv az_text_set_add(struct az_text_set *s, struct az_sv v)
{
    return keep_text(s, v, NULL);
}

void az_text_set_begin(struct az_vec_char *text)
{
    static const char head[AZ_ARENA_HEAD];
    az_vec_reset(text);
    az_text_add(text, az_sv_make(head, sizeof head));
}

struct az_sv az_text_set_end(struct az_text_set *s, struct az_vec_char *text)
{
    const struct az_sv v = az_sv_make(text->v + AZ_ARENA_HEAD, text->n - AZ_ARENA_HEAD);
    return keep_text(s, v, v.n >= LONG && text->mem == s->arena->mem ? text : NULL);
}
