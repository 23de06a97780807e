/* Columns that tables of collectives have in common. */
#ifndef AZ_ANALYSES_COLLECTIVES_COLUMNS_H
#define AZ_ANALYSES_COLLECTIVES_COLUMNS_H

#include "document/table.h"

/* Of a table that adds collectives up by rank, group, kind and size; rows are az_coll_row.
 * size_key: the group's size is of the key and nothing else. */
void az_coll_sum_columns(struct az_table *t, bool size_key, bool lists);

#endif
