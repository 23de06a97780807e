/* Interning: equal byte strings get the same dense id (0, 1, 2, ... in order of first appearance).
 * XXH3 + open addressing. */
#ifndef AZ_BASE_INTERN_H
#define AZ_BASE_INTERN_H

#include "base/vec.h"

#define AZ_NO_ID UINT32_MAX

struct az_intern {
    struct az_arena *arena; /* owns the bytes */
    struct az_vec_sv text;  /* id -> text (NUL-terminated in the arena) */
    struct az_vec_u32 hash; /* id -> low hash bits, so that growing needs no re-hash */
    uint32_t *slot;         /* power of two; id + 1, 0 empty */
    size_t mask;
    uint32_t recent[512]; /* id + 1 of texts met lately, by a few of their bytes: spares long names
                             the hash */
    struct az_mem *mem;
    int error; /* of an az_intern_id: the first one */
};

/* Cannot fail: without memory it is the first text that fails. */
void az_intern_init(struct az_intern *t, struct az_arena *arena, struct az_mem *mem);
void az_intern_release(struct az_intern *t);
/* Id of v, new or known. AZ_ENOMEM, AZ_ELIMIT, AZ_ERANGE (more than 2^32 - 2 strings). */
int az_intern(struct az_intern *t, struct az_sv v, uint32_t *id) AZ_MUST_USE;
/* The same; AZ_NO_ID without memory: the table remembers that in `error`, which its owner checks
 * once. After an error it adds nothing. */
uint32_t az_intern_id(struct az_intern *t, struct az_sv v);
/* Id of v or AZ_NO_ID; adds nothing. */
uint32_t az_intern_find(const struct az_intern *t, struct az_sv v);
/* Text of an id; the empty view for AZ_NO_ID or an id out of range. */
static inline struct az_sv az_intern_text(const struct az_intern *t, uint32_t id)
{
    return id < t->text.n ? t->text.v[id] : (struct az_sv){ "", 0 };
}
/* XXH3 of bytes, for hash tables elsewhere; never persisted. */
uint64_t az_hash(const void *p, size_t n);

/* ---- open-addressing map from a 64-bit key pair to a 32-bit value (correlation joins, row
 * grouping) ---- */
struct az_map {
    struct az_map_cell {
        uint64_t k0, k1;
        uint32_t value;
        uint32_t used;
    } * cell;
    size_t n, mask;
    struct az_mem *mem;
};
/* Cannot fail, like az_intern_init. */
void az_map_init(struct az_map *m, struct az_mem *mem, size_t expected);
void az_map_release(struct az_map *m);
/* Sets *value's address for the key, inserting `fresh` if absent; *added: inserted. The pointer
 * lives to the next insert. */
int az_map_put(struct az_map *m, uint64_t k0, uint64_t k1, uint32_t fresh, uint32_t **value,
               bool *added) AZ_MUST_USE;
/* Number of a key among `n` elements: its own, or n for a key that is new (the caller adds the
 * element); AZ_NO_ID without memory. So one check after the addition is enough: a number that is
 * not below the count of elements is an error. */
static inline uint32_t az_map_number(struct az_map *m, uint64_t k0, uint64_t k1, size_t n)
{
    uint32_t *value;
    bool added;
    return az_map_put(m, k0, k1, (uint32_t)n, &value, &added) ? AZ_NO_ID : *value;
}
/* Value or AZ_NO_ID. */
uint32_t az_map_get(const struct az_map *m, uint64_t k0, uint64_t k1);

#endif
