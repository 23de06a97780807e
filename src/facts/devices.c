#include "facts/devices.h"

#include "base/sort.h"

struct order {
    const struct az_trace *t;
    enum az_devices_by by;
};

static uint64_t process_of(const struct az_lane *l, enum az_devices_by by)
{
    return by == AZ_BY_PROCESS ? l->proc : 0;
}

static int compare(const struct az_lane *l, enum az_devices_by by, int64_t device, uint64_t proc)
{
    const uint64_t own = process_of(l, by);
    if (l->device != device)
        return l->device < device ? -1 : 1;
    return own < proc ? -1 : own > proc;
}

static int compare_lanes(const void *pa, const void *pb, void *ctx)
{
    const struct order *o = ctx;
    const struct az_lane *b = &o->t->lanes.v[*(const uint32_t *)pb];
    return compare(&o->t->lanes.v[*(const uint32_t *)pa], o->by, b->device, process_of(b, o->by));
}

/* Slots of lanes that are in the order of these; the first lane of each has its process id. */
static int number_slots(struct az_devices_of *d, struct order *o, const uint32_t *lane, size_t n)
{
    size_t slots = 0;
    for (size_t i = 0; i < n; i++)
        slots += i == 0 || compare_lanes(&lane[i - 1], &lane[i], o) != 0;
    const int rc = az_vec_reserve(&d->slots, slots);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_lane *l = &o->t->lanes.v[lane[i]];
        if (i == 0 || compare_lanes(&lane[i - 1], &lane[i], o) != 0)
            d->slots.v[d->slots.n++] =
                (struct az_device_slot){ l->device, l->pid, process_of(l, o->by) };
        d->slot_of_lane.v[lane[i]] = (uint32_t)d->slots.n - 1;
    }
    return rc;
}

static uint32_t find_slot(const struct az_devices_of *d, const struct az_lane *l,
                          enum az_devices_by by)
{
    size_t first = 0, end = d->slots.n;
    while (first < end) {
        const size_t mid = first + (end - first) / 2;
        const int way = compare(l, by, d->slots.v[mid].device, d->slots.v[mid].proc);
        if (way == 0)
            return (uint32_t)mid;
        if (way < 0)
            end = mid;
        else
            first = mid + 1;
    }
    return AZ_NO_ID;
}

/* Lanes with work outside the window only are of their device where it has a slot. */
static void find_others(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by)
{
    for (size_t i = 0; i < t->window_others.n; i++) {
        const uint32_t lane = t->window_others.v[i].lane;
        if (d->slot_of_lane.v[lane] == AZ_NO_ID)
            d->slot_of_lane.v[lane] = find_slot(d, &t->lanes.v[lane], by);
    }
}

/* Of many devices a sort needs less memory than a map. */
int az_devices_make(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by,
                    struct az_mem *mem)
{
    struct order o = { t, by };
    struct az_vec_u32 lanes;
    az_vec_init(&d->slot_of_lane, mem);
    az_vec_init(&d->slots, mem);
    az_vec_init(&lanes, mem);
    int rc = az_vec_reserve(&d->slot_of_lane, t->lanes.n + 1);
    if (rc == 0)
        rc = az_vec_reserve(&lanes, t->lanes.n + 1);
    for (uint32_t i = 0; rc == 0 && i < t->lanes.n; i++) {
        d->slot_of_lane.v[d->slot_of_lane.n++] = AZ_NO_ID;
        if (az_trace_lane_kinds(t, i))
            lanes.v[lanes.n++] = i;
    }
    az_sort_cmp(lanes.v, lanes.n, sizeof *lanes.v, compare_lanes, &o, mem);
    if (rc == 0)
        rc = number_slots(d, &o, lanes.v, lanes.n);
    az_vec_release(&lanes);
    if (rc == 0)
        find_others(d, t, by);
    return rc;
}

void az_devices_release(struct az_devices_of *d)
{
    az_vec_release(&d->slot_of_lane);
    az_vec_release(&d->slots);
}

struct az_spans az_spans_window(const struct az_spans *s, int64_t lo, int64_t hi)
{
    const size_t first = AZ_LOWER_BY(s->v, s->n, end, lo);
    const struct az_span *v = s->v ? s->v + first : NULL;
    return (struct az_spans){ .v = s->v ? s->v + first : NULL,
                              .n = AZ_UPPER_BY(v, s->n - first, start, hi) };
}
