/* Interning and the open-addressing map. */
#include "base/intern.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t az_hash(const void *p, size_t n) { return XXH3_64bits(n ? p : "", n); }

enum { FIRST_SLOTS = 256 };

/* ---- strings ---- */

static uint32_t *new_slots(struct az_mem *mem, size_t n)
{
    uint32_t *s = NULL;
    size_t bytes;
    if (az_size_mul(n, sizeof *s, &bytes))
        s = az_mem_alloc(mem, bytes);
    return s ? memset(s, 0, bytes) : NULL;
}

static const uint32_t no_slots[1]; /* of a table without memory: the first text has to grow it */

void az_intern_init(struct az_intern *t, struct az_arena *arena, struct az_mem *mem)
{
    *t = (struct az_intern){ .arena = arena, .mem = mem };
    az_vec_init(&t->text, mem);
    az_vec_init(&t->hash, mem);
    t->slot = new_slots(mem, FIRST_SLOTS);
    if (t->slot)
        t->mask = FIRST_SLOTS - 1;
    else
        t->slot = (uint32_t *)no_slots;
}

void az_intern_release(struct az_intern *t)
{
    az_vec_release(&t->text);
    az_vec_release(&t->hash);
    if (t->mask)
        az_mem_free(t->mem, t->slot, (t->mask + 1) * sizeof *t->slot);
    t->slot = NULL;
    t->mask = 0;
}

/* The slot of v, or the empty one where it belongs. There is always an empty one. */
static size_t find_slot(const struct az_intern *t, struct az_sv v, uint32_t hash)
{
    for (size_t i = hash & t->mask;; i = (i + 1) & t->mask) {
        const uint32_t id = t->slot[i] - 1;
        if (t->slot[i] == 0 || (t->hash.v[id] == hash && az_sv_eq(t->text.v[id], v)))
            return i;
    }
}

static int grow_slots(struct az_intern *t)
{
    const size_t mask = t->mask * 2 + 1;
    uint32_t *slot = new_slots(t->mem, mask + 1);
    if (slot == NULL)
        return az_mem_error(t->mem);
    for (size_t id = 0; id < t->hash.n; id++) {
        size_t i = t->hash.v[id] & mask;
        while (slot[i] != 0)
            i = (i + 1) & mask;
        slot[i] = (uint32_t)id + 1;
    }
    if (t->mask)
        az_mem_free(t->mem, t->slot, (t->mask + 1) * sizeof *t->slot);
    t->slot = slot;
    t->mask = mask;
    return 0;
}

/* Place of a text among the recent ones, by its ends and its middle; NULL if it is too short to
 * gain by that. */
static uint32_t *recent_place(struct az_intern *t, struct az_sv v)
{
    uint64_t first, middle, last;
    if (v.n < sizeof first)
        return NULL;
    memcpy(&first, v.p, sizeof first);
    memcpy(&middle, v.p + (v.n - sizeof middle) / 2, sizeof middle);
    memcpy(&last, v.p + v.n - sizeof last, sizeof last);
    const uint64_t h =
        first * UINT64_C(0x9e3779b97f4a7c15) ^ middle * UINT64_C(0xff51afd7ed558ccd) ^ (last + v.n);
    return &t->recent[h * UINT64_C(0xc4ceb9fe1a85ec53) >> 55];
}

static int intern(struct az_intern *t, struct az_sv v, uint32_t *id)
{
    const uint32_t hash = (uint32_t)az_hash(v.p, v.n);
    size_t i = find_slot(t, v, hash);
    if (t->slot[i] != 0) {
        *id = t->slot[i] - 1;
        return 0;
    }
    int err = 0;
    if (t->text.n >= AZ_NO_ID - 1)
        return AZ_ERANGE;
    if ((t->text.n + 1) * 2 > t->mask + 1) {
        if ((err = grow_slots(t)) != 0)
            return err;
        i = find_slot(t, v, hash);
    }
    if ((err = az_vec_reserve(&t->text, 1)) != 0 || (err = az_vec_reserve(&t->hash, 1)) != 0)
        return err;
    const struct az_sv own = az_arena_dup(t->arena, v);
    if (own.p == NULL)
        return az_arena_error(t->arena);
    t->text.v[t->text.n++] = own;
    t->hash.v[t->hash.n++] = hash;
    t->slot[i] = (uint32_t)t->text.n;
    *id = (uint32_t)t->text.n - 1;
    return 0;
}

int az_intern(struct az_intern *t, struct az_sv v, uint32_t *id)
{
    uint32_t *recent = recent_place(t, v);
    if (recent && *recent && az_sv_eq(t->text.v[*recent - 1], v)) {
        *id = *recent - 1;
        return 0;
    }
    int err = intern(t, v, id);
    if (err == 0 && recent)
        *recent = *id + 1;
    return err;
}

uint32_t az_intern_id(struct az_intern *t, struct az_sv v)
{
    uint32_t id = AZ_NO_ID;
    if (t->error == 0)
        t->error = az_intern(t, v, &id);
    return t->error ? AZ_NO_ID : id;
}

uint32_t az_intern_find(const struct az_intern *t, struct az_sv v)
{
    if (t->slot == NULL)
        return AZ_NO_ID;
    const size_t i = find_slot(t, v, (uint32_t)az_hash(v.p, v.n));
    return t->slot[i] ? t->slot[i] - 1 : AZ_NO_ID;
}

/* ---- map ---- */

/* Finalizer of MurmurHash3 over both halves: cheap, and every input bit reaches the low bits that
 * choose the cell. */
static uint64_t mix_halves(uint64_t k0, uint64_t k1)
{
    uint64_t h = k0 * UINT64_C(0x9e3779b97f4a7c15) ^ (k1 + UINT64_C(0x9e3779b97f4a7c15));
    h = (h ^ (h >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ (h >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ (h >> 33);
}

static struct az_map_cell *new_cells(struct az_mem *mem, size_t n)
{
    struct az_map_cell *c = NULL;
    size_t bytes;
    if (az_size_mul(n, sizeof *c, &bytes))
        c = az_mem_alloc(mem, bytes);
    return c ? memset(c, 0, bytes) : NULL;
}

static const struct az_map_cell no_cells[1]; /* of a map without memory, like no_slots */

void az_map_init(struct az_map *m, struct az_mem *mem, size_t expected)
{
    *m = (struct az_map){ .mem = mem };
    size_t cells = 16;
    while (cells / 3 * 2 < expected && cells <= SIZE_MAX / 4)
        cells *= 2;
    m->cell = new_cells(mem, cells);
    if (m->cell)
        m->mask = cells - 1;
    else
        m->cell = (struct az_map_cell *)no_cells;
}

void az_map_release(struct az_map *m)
{
    if (m->mask)
        az_mem_free(m->mem, m->cell, (m->mask + 1) * sizeof *m->cell);
    m->cell = NULL;
    m->n = m->mask = 0;
}

static struct az_map_cell *find_cell(const struct az_map *m, uint64_t k0, uint64_t k1)
{
    for (size_t i = (size_t)mix_halves(k0, k1) & m->mask;; i = (i + 1) & m->mask) {
        struct az_map_cell *c = &m->cell[i];
        if (!c->used || (c->k0 == k0 && c->k1 == k1))
            return c;
    }
}

static int grow_cells(struct az_map *m)
{
    struct az_map old = *m;
    m->mask = old.mask * 2 + 1;
    m->cell = new_cells(m->mem, m->mask + 1);
    if (m->cell == NULL) {
        *m = old;
        return az_mem_error(m->mem);
    }
    for (size_t i = 0; i <= old.mask; i++) {
        if (old.cell[i].used)
            *find_cell(m, old.cell[i].k0, old.cell[i].k1) = old.cell[i];
    }
    az_map_release(&old);
    return 0;
}

int az_map_put(struct az_map *m, uint64_t k0, uint64_t k1, uint32_t fresh, uint32_t **value,
               bool *added)
{
    struct az_map_cell *c = find_cell(m, k0, k1);
    *added = !c->used;
    if (!c->used) {
        if (m->n + 1 > (m->mask + 1) / 3 * 2) {
            int err = grow_cells(m);
            if (err)
                return err;
            c = find_cell(m, k0, k1);
        }
        *c = (struct az_map_cell){ .k0 = k0, .k1 = k1, .value = fresh, .used = 1 };
        m->n++;
    }
    *value = &c->value;
    return 0;
}

uint32_t az_map_get(const struct az_map *m, uint64_t k0, uint64_t k1)
{
    if (m->cell == NULL)
        return AZ_NO_ID;
    const struct az_map_cell *c = find_cell(m, k0, k1);
    return c->used ? c->value : AZ_NO_ID;
}
