/* Columns that tables of collectives have in common. */
#ifndef AZ_ANALYSES_COLLECTIVES_COLUMNS_H
#define AZ_ANALYSES_COLLECTIVES_COLUMNS_H

#include "document/table.h"

/* Of a table that adds collectives up by rank, group, kind and size. size_flags: more flags of the
 * group's size. */
void az_coll_sum_columns(struct az_table *t, unsigned size_flags, bool lists);

#endif
