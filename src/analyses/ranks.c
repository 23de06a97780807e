/* Ranks of a run. */
#include "analyses/ranks.h"

ptrdiff_t az_ranks_find(const struct az_ranks *r, int64_t rank)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (r->v[mid].rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < r->n && r->v[low].rank == rank ? (ptrdiff_t)low : -1;
}
