#include "facts/devices.h"

#include "base/intern.h"
#include "base/sort.h"

static int compare_slots(const void *pa, const void *pb, void *ctx)
{
    const struct az_device_slot *a = pa, *b = pb;
    (void)ctx;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->proc < b->proc ? -1 : a->proc > b->proc;
}

static uint64_t process_of(const struct az_lane *l, enum az_devices_by by)
{
    return by == AZ_BY_PROCESS ? l->proc : 0;
}

/* Number of a lane's slot in the map; it is added where it is not there yet. */
static int slot_at(struct az_map *m, const struct az_lane *l, enum az_devices_by by, size_t fresh,
                   uint32_t **at, bool *added)
{
    return az_map_put(m, (uint64_t)l->device, process_of(l, by), (uint32_t)fresh, at, added);
}

static int find_slots(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by,
                      struct az_map *m)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->lanes.n; i++) {
        const struct az_lane *l = &t->lanes.v[i];
        uint32_t *at;
        bool added = false;
        if (d->slot_of_lane.v[i] == AZ_NO_ID)
            continue;
        rc = slot_at(m, l, by, d->slots.n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(&d->slots,
                             ((struct az_device_slot){ l->device, l->pid, process_of(l, by) }));
    }
    return rc;
}

/* Lanes with work outside the window only are of their device where it has a slot. */
static void find_others(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by,
                        const struct az_map *m)
{
    for (size_t i = 0; i < t->window_others.n; i++) {
        const uint32_t lane = t->window_others.v[i].lane;
        const struct az_lane *l = &t->lanes.v[lane];
        if (d->slot_of_lane.v[lane] == AZ_NO_ID)
            d->slot_of_lane.v[lane] = az_map_get(m, (uint64_t)l->device, process_of(l, by));
    }
}

int az_devices_make(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by,
                    struct az_mem *mem)
{
    struct az_map m;
    az_vec_init(&d->slot_of_lane, mem);
    az_vec_init(&d->slots, mem);
    int rc = az_vec_reserve(&d->slot_of_lane, t->lanes.n + 1);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < t->lanes.n; i++)
        d->slot_of_lane.v[i] = az_trace_lane_kinds(t, i) ? 0 : AZ_NO_ID;
    d->slot_of_lane.n = t->lanes.n;
    az_map_init(&m, mem, 16);
    rc = find_slots(d, t, by, &m);
    az_sort_cmp(d->slots.v, d->slots.n, sizeof *d->slots.v, compare_slots, NULL, mem);
    for (size_t k = 0; rc == 0 && k < d->slots.n; k++) { /* their places have changed */
        uint32_t *at;
        bool added;
        rc = az_map_put(&m, (uint64_t)d->slots.v[k].device, d->slots.v[k].proc, 0, &at, &added);
        if (rc == 0)
            *at = (uint32_t)k;
    }
    for (size_t i = 0; rc == 0 && i < t->lanes.n; i++) {
        uint32_t *at;
        bool added;
        if (d->slot_of_lane.v[i] == AZ_NO_ID)
            continue;
        rc = slot_at(&m, &t->lanes.v[i], by, 0, &at, &added);
        if (rc == 0)
            d->slot_of_lane.v[i] = *at;
    }
    if (rc == 0)
        find_others(d, t, by, &m);
    az_map_release(&m);
    return rc;
}

void az_devices_release(struct az_devices_of *d)
{
    az_vec_release(&d->slot_of_lane);
    az_vec_release(&d->slots);
}

struct az_spans az_spans_window(const struct az_spans *s, int64_t lo, int64_t hi)
{
    size_t a = 0, b = s->n, first;
    while (a < b) { /* first that ends at or after lo */
        size_t mid = a + (b - a) / 2;
        if (s->v[mid].end < lo)
            a = mid + 1;
        else
            b = mid;
    }
    first = a;
    b = s->n;
    while (a < b) { /* first that starts after hi */
        size_t mid = a + (b - a) / 2;
        if (s->v[mid].start <= hi)
            a = mid + 1;
        else
            b = mid;
    }
    return (struct az_spans){ .v = s->v ? s->v + first : NULL, .n = a - first };
}
