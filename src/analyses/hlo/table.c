/* Columns and cells that the tables of compiled programs' traces share. */
#include <inttypes.h>

#include "analyses/hlo/hlo_events.h"
#include "base/num.h"

bool az_hlo_several(const void *h) { return ((const struct az_hlo *)h)->several; }
bool az_hlo_single(const void *h) { return !az_hlo_several(h); }

void az_hlo_put_device(struct az_hlo *h, struct az_table *t, uint32_t device)
{
    if (h->several)
        az_put_text(t, h->devices.v[device].label);
    else
        az_put_i64(t, h->devices.v[device].ordinal);
}

struct az_hlo_row az_hlo_row_of(const struct az_hlo *h, const struct az_hlo_event *e)
{
    return (struct az_hlo_row){ &h->devices.v[az_hlo_device_of(h, e)], h->tr[e->trace].t,
                                az_hlo_row(h, e) };
}

size_t az_hlo_devices_with_kernels(const struct az_hlo *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->devices.n; i++)
        n += h->devices.v[i].kernels && h->devices.v[i].kind == AZ_PLANE_GPU;
    return n;
}

/* A program's number is 64 bits; those of some devices use all of them. */
struct az_sv az_hlo_program(const struct az_xrow *row, struct az_arena *texts)
{
    char number[AZ_NUM_MAX];
    if (!row || !row->has_program)
        return AZ_SV("");
    if (row->program <= INT64_MAX) /* one for every event */
        return az_arena_dup(texts,
                            az_sv_make(number, az_format_i64((int64_t)row->program, number)));
    return az_arena_printf(texts, "%" PRIu64, row->program);
}

struct az_sv az_hlo_cell_program(const void *record, struct az_arena *texts)
{
    return az_hlo_program(((const struct az_hlo_row *)record)->row, texts);
}

#define TEXT_OF_ROW(name, field)                                                                   \
    struct az_sv name(const void *record, struct az_arena *texts)                                  \
    {                                                                                              \
        const struct az_hlo_row *r = record;                                                       \
        (void)texts;                                                                               \
        return az_trace_text(r->trace, r->row ? r->row->field : AZ_NO_ID);                         \
    }
TEXT_OF_ROW(az_hlo_cell_module, module)
TEXT_OF_ROW(az_hlo_cell_op, op)
TEXT_OF_ROW(az_hlo_cell_category, category)
TEXT_OF_ROW(az_hlo_cell_scope, scope)
TEXT_OF_ROW(az_hlo_cell_details, details)
