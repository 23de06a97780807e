/* Columns that tables of collectives have in common. */
#ifndef AZ_ANALYSES_COLLECTIVES_COLUMNS_H
#define AZ_ANALYSES_COLLECTIVES_COLUMNS_H

#include "document/table.h"

/* A table that adds collectives up by rank, group, kind and size; rows are az_coll_row. lists: with
 * the ranks of groups. NULL: out of memory. */
struct az_table *az_coll_sum_table(struct az_arena *arena, const char *id, const char *title,
                                   unsigned flags, bool lists);

#endif
