/* XPlane: bytes of a file that is mapped, copied where they are few. To bring a page into memory
 * costs more than to copy it, and a file with many small planes is read several times. */
#include "formats/xplane/xplane.h"

#define COPIED_MOST ((size_t)1 << 20)
#define AFTER       8 /* bytes that can be read after the copy (az_xplane_wide) */

void az_xplane_block_init(struct az_xplane_block *b, const struct az_mapping *map,
                          struct az_sv file, struct az_mem *mem)
{
    az_vec_init(&b->copy, mem);
    b->map = map;
    b->file = file;
    az_xplane_unload(b);
}

void az_xplane_unload(struct az_xplane_block *b)
{
    b->p = b->file.p;
    b->limit = b->file.p + b->file.n;
    b->at = 0;
}

struct az_sv az_xplane_load(struct az_xplane_block *b, struct az_sv bytes)
{
    const uint64_t at = (uint64_t)(bytes.p - b->file.p);
    az_xplane_unload(b);
    az_vec_reset(&b->copy);
    if (!b->map->bytes.n || bytes.n > COPIED_MOST ||
        az_vec_reserve(&b->copy, bytes.n + AFTER) != 0 ||
        az_map_read(b->map, at, b->copy.v, bytes.n) != bytes.n)
        return bytes;
    memset(b->copy.v + bytes.n, 0, AFTER);
    b->p = b->copy.v;
    b->limit = b->p + bytes.n + AFTER;
    b->at = at;
    return az_sv_make(b->p, bytes.n);
}

uint64_t az_xplane_offset_of(const struct az_xplane_block *b, const void *p)
{
    const uintptr_t x = (uintptr_t)p, first = (uintptr_t)b->p;
    return x >= first && x <= (uintptr_t)b->limit ? b->at + (x - first)
                                                  : (uint64_t)((const char *)p - b->file.p);
}

void az_xplane_block_release(struct az_xplane_block *b) { az_vec_release(&b->copy); }
