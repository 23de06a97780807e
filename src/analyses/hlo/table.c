/* Columns and cells that the tables of compiled programs' traces share. */
#include <inttypes.h>

#include "analyses/hlo/hlo_events.h"
#include "base/num.h"
#include "base/time_units.h"
#include "document/record.h"

void az_hlo_device_column(struct az_hlo *h, struct az_table *t)
{
    az_table_column(t, "device", h->several ? AZ_TEXT : AZ_INT,
                    h->several ? AZ_UNIT_NONE : AZ_UNIT_ID, AZ_KEY);
}

void az_hlo_put_device(struct az_hlo *h, struct az_table *t, uint32_t device)
{
    if (h->several)
        az_put_text(t, h->devices.v[device].label);
    else
        az_put_i64(t, h->devices.v[device].ordinal);
}

static const struct az_record_column hlo_stat_columns[] = {
    { "count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "total_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "mean_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "median_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "std_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "min_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "max_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
};

void az_hlo_stat_columns(struct az_table *t)
{
    az_record_columns(t, hlo_stat_columns, AZ_LENGTH(hlo_stat_columns));
}

void az_hlo_put_stats(struct az_table *t, const struct az_stats *s)
{
    az_put_i64(t, (int64_t)s->n);
    az_put_f64(t, az_us_from_ps(s->sum));
    az_put_f64(t, s->mean / 1e6);
    az_put_f64(t, s->median / 1e6);
    az_put_f64(t, s->std / 1e6);
    az_put_f64(t, az_us_from_ps(s->min));
    az_put_f64(t, az_us_from_ps(s->max));
}

size_t az_hlo_devices_with_kernels(const struct az_hlo *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->devices.n; i++)
        n += h->devices.v[i].kernels && h->devices.v[i].kind == AZ_PLANE_GPU;
    return n;
}

/* A program's number is 64 bits; those of some devices use all of them. */
void az_hlo_put_program(struct az_table *t, const struct az_xrow *row)
{
    char number[AZ_NUM_MAX];
    if (!row || !row->has_program)
        az_put_empty(t);
    else if (row->program <= INT64_MAX) /* one for every event */
        az_put_copy(t, az_sv_make(number, az_format_i64((int64_t)row->program, number)));
    else
        az_put_text(t, az_arena_printf(t->arena, "%" PRIu64, row->program));
}
