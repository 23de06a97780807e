#include "reports/shared/chart_rows.h"

static bool has_chart(const struct az_document *d, const struct az_table *t)
{
    for (size_t i = 0; i < d->charts.n; i++)
        if (az_sv_eq(d->charts.v[i].table, t->id))
            return true;
    return false;
}

int az_charts_store_rows(const struct az_document *d)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < d->tables.n; i++) {
        struct az_table *t = d->tables.v[i];
        rc = t->make && has_chart(d, t) ? az_table_store_rows(t, t->rows) : 0;
    }
    return rc;
}
