/* The span of a window that each call of a process begins in, by correlation id, for cuts that read
 * a file several times: four bytes for each id where ids follow each other. The first call of an id
 * counts. */
#ifndef AZ_FORMATS_SHARED_CUT_CALLS_H
#define AZ_FORMATS_SHARED_CUT_CALLS_H

#include "base/intern.h"
#include "base/vec.h"

enum { AZ_CUT_IDS = 64 };
struct az_cut_ids {
    uint32_t part[AZ_CUT_IDS]; /* that the first call begins in + 1; 1: outside; 0: no call */
};
#define AZ_CUT_NEXT_TO UINT32_C(0x80000000) /* its work runs next to that of the window */
AZ_VEC(struct az_cut_ids, az_cut_id_pages);

struct az_cut_calls {
    struct az_map page_of; /* pages of consecutive ids */
    struct az_cut_id_pages pages;
    uint64_t last_process, last_key; /* of the page that was used last */
    uint32_t last_page;
    struct az_map twice; /* ids of calls in different parts -> place in `first` */
    struct az_vec_i64 first;
};
void az_cut_calls_init(struct az_cut_calls *c, struct az_mem *mem);
void az_cut_calls_release(struct az_cut_calls *c);
/* A call, whose id is not 0, and the part that it begins in; 0: outside. */
int az_cut_calls_add(struct az_cut_calls *c, uint64_t process, uint64_t corr,
                     uint32_t part) AZ_MUST_USE;
/* Once all are added, and only if c->first.n: each call again, with its start. */
int az_cut_calls_again(struct az_cut_calls *c, uint64_t process, uint64_t corr, uint32_t part,
                       int64_t start) AZ_MUST_USE;
/* What is known of an id; NULL: nothing, or with `make` no memory. */
uint32_t *az_cut_calls_at(struct az_cut_calls *c, uint64_t process, uint64_t corr, bool make);
/* Does an id have a call? Then the part that it begins in, or 0. */
static inline bool az_cut_calls_part(struct az_cut_calls *c, uint64_t process, uint64_t corr,
                                     uint32_t *part)
{
    const uint32_t *call = corr ? az_cut_calls_at(c, process, corr, false) : NULL;
    if (!call || !*call)
        return false;
    *part = (*call & ~AZ_CUT_NEXT_TO) - 1;
    return true;
}

#endif
