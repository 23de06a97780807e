/* Lists of ranks as profilers write them ("[0, 1, 2, 3]"), packed where they are a sequence: the
 * part of each rank holds the lists of its groups, so that without it the parts of n ranks would
 * hold n times n numbers. */
#ifndef AZ_ANALYSES_COLLECTIVES_RANK_LIST_H
#define AZ_ANALYSES_COLLECTIVES_RANK_LIST_H

#include "base/mem.h"

#define AZ_RANK_LIST_PACKED 96 /* bytes of a packed list at most */
/* Packs a list of numbers with equal distances into `out`; false: it is none, or too short to
 * pack. */
bool az_rank_list_pack(struct az_sv text, char out[AZ_RANK_LIST_PACKED], struct az_sv *packed);
/* The list as it was written, in the arena; a text that is not packed as it is. Empty view without
 * address: no memory. */
struct az_sv az_rank_list_text(struct az_arena *a, struct az_sv packed);

#endif
