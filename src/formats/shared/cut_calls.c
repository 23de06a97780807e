/* Calls by their ids: see the header. */
#include "formats/shared/cut_calls.h"

#include "base/mem.h"

void az_cut_calls_init(struct az_cut_calls *c, struct az_mem *mem)
{
    *c = (struct az_cut_calls){ .last_page = AZ_NO_ID };
    az_map_init(&c->page_of, mem, 0);
    az_vec_init(&c->pages, mem);
    az_map_init(&c->twice, mem, 0);
    az_vec_init(&c->first, mem);
}

void az_cut_calls_release(struct az_cut_calls *c)
{
    az_map_release(&c->page_of);
    az_vec_release(&c->pages);
    az_map_release(&c->twice);
    az_vec_release(&c->first);
}

uint32_t *az_cut_calls_at(struct az_cut_calls *c, uint64_t process, uint64_t corr, bool make)
{
    const uint64_t key = corr / AZ_CUT_IDS;
    uint32_t *at;
    bool added = false;
    if (c->last_page == AZ_NO_ID || key != c->last_key || process != c->last_process) {
        uint32_t page = az_map_get(&c->page_of, process, key);
        if (page == AZ_NO_ID && !make)
            return NULL;
        if (page == AZ_NO_ID) {
            page = (uint32_t)c->pages.n;
            if (az_vec_push(&c->pages, (struct az_cut_ids){ 0 }) != 0 ||
                az_map_put(&c->page_of, process, key, page, &at, &added) != 0)
                return NULL;
        }
        c->last_page = page;
        c->last_key = key;
        c->last_process = process;
    }
    return &c->pages.v[c->last_page].part[corr % AZ_CUT_IDS];
}

int az_cut_calls_add(struct az_cut_calls *c, uint64_t process, uint64_t corr, uint32_t part)
{
    uint32_t *at, *known = az_cut_calls_at(c, process, corr, true);
    bool added;
    if (!known)
        return az_mem_error(c->pages.mem);
    if (!*known)
        *known = part + 1;
    if (*known == part + 1)
        return AZ_OK;
    const int rc = az_map_put(&c->twice, process, corr, (uint32_t)c->first.n, &at, &added);
    return rc || !added ? rc : az_vec_push(&c->first, INT64_MAX);
}

int az_cut_calls_again(struct az_cut_calls *c, uint64_t process, uint64_t corr, uint32_t part,
                       int64_t start)
{
    const uint32_t at = az_map_get(&c->twice, process, corr);
    if (at == AZ_NO_ID || start >= c->first.v[at])
        return AZ_OK;
    uint32_t *known = az_cut_calls_at(c, process, corr, true);
    if (!known)
        return az_mem_error(c->pages.mem);
    c->first.v[at] = start;
    *known = part + 1;
    return AZ_OK;
}
