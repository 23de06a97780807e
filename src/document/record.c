#include "document/record.h"

#include "base/intern.h"

void az_record_columns(struct az_table *t, const struct az_record_column *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        az_table_column(t, c[i].name, c[i].type, c[i].unit, c[i].flags);
}

struct az_table *az_record_table(struct az_arena *arena, const char *id, const char *title,
                                 unsigned flags, const struct az_record_column *c, size_t n)
{
    struct az_table *t = az_table_new(arena, id, title, flags);
    az_record_columns(t, c, n);
    return t;
}

static double per_unit(const struct az_record_column *c)
{
    if (c->per != 0)
        return c->per;
    switch (c->unit) {
    case AZ_UNIT_US:
        return 1e3;
    case AZ_UNIT_MS:
        return 1e6;
    case AZ_UNIT_S:
        return 1e9;
    default:
        return 1;
    }
}

static void put_integer(struct az_table *t, const struct az_record_column *c, int64_t x,
                        bool unknown)
{
    if (c->known && unknown)
        az_put_empty(t);
    else if (c->type == AZ_REAL)
        az_put_f64(t, (double)x / per_unit(c));
    else
        az_put_i64(t, x);
}

static void put_text(struct az_table *t, const struct az_record_column *c, struct az_sv x)
{
    if (c->known)
        az_put_given(t, x);
    else
        az_put_text(t, x);
}

static void put_field(struct az_table *t, const struct az_record_column *c, const void *field)
{
    switch (c->kind) {
    case AZ_FIELD_NONE:
        break;
    case AZ_FIELD_I64:
        put_integer(t, c, *(const int64_t *)field, *(const int64_t *)field < 0);
        break;
    case AZ_FIELD_I32:
        put_integer(t, c, *(const int32_t *)field, *(const int32_t *)field < 0);
        break;
    case AZ_FIELD_U32:
        put_integer(t, c, *(const uint32_t *)field, *(const uint32_t *)field == AZ_NO_ID);
        break;
    case AZ_FIELD_F64:
        az_put_f64(t, c->per != 0 ? *(const double *)field / c->per : *(const double *)field);
        break;
    case AZ_FIELD_BOOL:
        az_put_bool(t, *(const bool *)field);
        break;
    case AZ_FIELD_TEXT:
        put_text(t, c, *(const struct az_sv *)field);
        break;
    case AZ_FIELD_WORD:
        put_text(t, c, az_sv_str(*(const char *const *)field));
        break;
    }
}

void az_put_fields(struct az_table *t, const struct az_record_column *c, size_t n, size_t from,
                   const void *record)
{
    const char *bytes = record;
    for (size_t i = t ? t->at - from : n; i < n && !t->error && c[i].kind != AZ_FIELD_NONE; i++)
        put_field(t, &c[i], bytes + c[i].at);
}

void az_put_records(struct az_table *t, const struct az_record_column *c, size_t n_columns,
                    const void *records, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        az_put_fields(t, c, n_columns, 0, (const char *)records + i * size);
}
