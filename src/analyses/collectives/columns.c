#include "analyses/collectives/columns.h"

void az_coll_sum_columns(struct az_table *t, unsigned size_flags, bool lists)
{
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "Process Group Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (lists)
        az_table_column(t, "Process Group Ranks", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    else
        az_table_column(t, "group_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "Collective name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | size_flags);
    az_table_column(t, "dtype", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "In split size", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Out split size", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "In msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, 0);
    az_table_column(t, "Out msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL);
    az_table_column(t, "dur_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "dur_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "dur_std", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "dur_min", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "dur_max", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "operation_count", AZ_INT, AZ_UNIT_COUNT, 0);
}
