#include "analyses/collectives/columns.h"
#include "document/record.h"

static const struct az_record_column coll_sum_columns[] = {
    { "dtype", AZ_TEXT, .flags = AZ_KEY },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_KEY | AZ_DETAIL },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_KEY | AZ_DETAIL },
    { "In split size", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL },
    { "Out split size", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL },
    { "stream", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY | AZ_DETAIL },
    { "In msg size (MB)_first", AZ_REAL, .unit = AZ_UNIT_MB },
    { "Out msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, .flags = AZ_DETAIL },
    { "dur_sum", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "dur_mean", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "dur_std", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "dur_min", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "dur_max", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "operation_count", AZ_INT, .unit = AZ_UNIT_COUNT },
};

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
    az_record_columns(t, coll_sum_columns, AZ_LENGTH(coll_sum_columns));
}
