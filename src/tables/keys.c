#include "tables/keys.h"

static bool name_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    *number = az_item_name(r, i);
    return *number != AZ_NO_ID;
}

static void put_name(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, az_job_text(r->job, az_item_name(r, i)));
}

static size_t names(const struct az_scope *r) { return az_job_names(r->job); }

const struct az_key az_key_name = { AZ_TEXT,         AZ_UNIT_NONE,    .of = name_of,
                                    .put = put_name, .by_name = true, .below = names };

static struct az_sv class_of(const struct az_scope *r, const struct az_item *i)
{
    return az_job_class_text(r->job, az_item_name(r, i));
}

static struct az_sv family_of(const struct az_scope *r, const struct az_item *i)
{
    return az_family_text(az_job_family(r->job, az_item_name(r, i)));
}

const struct az_key az_key_family = { AZ_TEXT, .text = family_of, .by_name = true };
const struct az_key az_key_class = { AZ_TEXT, .text = class_of, .by_name = true };

static struct az_sv row_family_of(const struct az_scope *r, const struct az_item *i)
{
    (void)r;
    return az_family_text((enum az_family)i->other);
}

const struct az_key az_key_row_family = { AZ_TEXT, .text = row_family_of };

static struct az_sv style_of(const struct az_scope *r, const struct az_item *i)
{
    (void)r;
    return i->other ? AZ_SV("StartEnd") : AZ_SV("PushPop");
}

const struct az_key az_key_style = { AZ_TEXT, .text = style_of };

static bool trace_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    (void)r;
    *number = i->trace;
    return true;
}

static void put_rank(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_i64(t, az_job_rank(r->job, i->trace));
}

static int64_t device_of(const struct az_scope *r, const struct az_item *i)
{
    return az_item_lane(r, i)->device;
}

static int64_t thread_of(const struct az_scope *r, const struct az_item *i)
{
    return (int64_t)az_item_lane(r, i)->tid;
}

const struct az_key az_key_rank = { AZ_INT, AZ_UNIT_ID, .of = trace_of, .put = put_rank };
const struct az_key az_key_device = { AZ_INT, AZ_UNIT_ID, .integer = device_of };
const struct az_key az_key_stream = { AZ_INT, AZ_UNIT_ID, .integer = thread_of };
const struct az_key az_key_thread = { AZ_INT, AZ_UNIT_ID, .integer = thread_of };

bool az_when_ranks(const struct az_scope *r) { return r->job->n_traces > 1; }

int64_t az_value_bytes(const struct az_scope *r, const struct az_item *i)
{
    const uint32_t side =
        az_item_events(r, i)->side ? az_item_events(r, i)->side[i->row] : AZ_NO_ROW;
    const int64_t bytes = side == AZ_NO_ROW ? -1 : az_item_trace(r, i)->copies.v[side].bytes;
    return bytes < 0 ? AZ_UNKNOWN : bytes;
}

static bool bytes_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const int64_t bytes = az_value_bytes(r, i);
    *number = (uint64_t)bytes;
    return bytes != AZ_UNKNOWN;
}

static void put_bytes(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_i64(t, az_value_bytes(r, i));
}

const struct az_key az_key_bytes = { AZ_INT, AZ_UNIT_BYTES, .of = bytes_of, .put = put_bytes };
