#include "facts/devices.h"

#include "base/sort.h"

static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };

static int compare_slots(const void *pa, const void *pb, void *ctx)
{
    const struct az_device_slot *a = pa, *b = pb;
    (void)ctx;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->proc < b->proc ? -1 : a->proc > b->proc;
}

static bool same_slot(const struct az_device_slot *s, const struct az_lane *l,
                      enum az_devices_by by)
{
    return s->device == l->device && (by == AZ_BY_DEVICE || s->proc == l->proc);
}

/* Marks in used[] the lanes that hold device operations. */
static void mark_lanes(const struct az_trace *t, uint32_t *used)
{
    for (size_t k = 0; k < 4; k++) {
        const struct az_events *e = &t->ev[kinds[k]];
        for (size_t i = 0; i < e->n; i++)
            used[e->lane[i]] = 0;
    }
}

int az_devices_make(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by,
                    struct az_mem *mem)
{
    az_vec_init(&d->slot_of_lane, mem);
    az_vec_init(&d->slots, mem);
    int rc = az_vec_reserve(&d->slot_of_lane, t->lanes.n + 1);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < t->lanes.n; i++)
        d->slot_of_lane.v[i] = AZ_NO_ID;
    d->slot_of_lane.n = t->lanes.n;
    mark_lanes(t, d->slot_of_lane.v);
    for (size_t i = 0; i < t->lanes.n; i++) { /* few devices: a list will do */
        const struct az_lane *l = &t->lanes.v[i];
        size_t k = 0;
        if (d->slot_of_lane.v[i] == AZ_NO_ID)
            continue;
        while (k < d->slots.n && !same_slot(&d->slots.v[k], l, by))
            k++;
        if (k < d->slots.n)
            continue;
        rc = az_vec_push(&d->slots, ((struct az_device_slot){ l->device, l->pid,
                                                              by == AZ_BY_PROCESS ? l->proc : 0 }));
        if (rc != 0)
            return rc;
    }
    rc = az_sort_cmp(d->slots.v, d->slots.n, sizeof *d->slots.v, compare_slots, NULL, mem);
    for (size_t i = 0; rc == 0 && i < t->lanes.n; i++) {
        uint32_t k = 0;
        if (d->slot_of_lane.v[i] == AZ_NO_ID)
            continue;
        while (!same_slot(&d->slots.v[k], &t->lanes.v[i], by))
            k++;
        d->slot_of_lane.v[i] = k;
    }
    return rc;
}

void az_devices_release(struct az_devices_of *d)
{
    az_vec_release(&d->slot_of_lane);
    az_vec_release(&d->slots);
}

bool az_sweep_next(struct az_sweep *s, uint32_t *op)
{
    int best = -1;
    int64_t start = 0;
    for (int k = 0; k < 4; k++) {
        const struct az_events *e = &s->t->ev[kinds[k]];
        if (s->at[k] < e->n && (best < 0 || e->start[s->at[k]] < start)) {
            best = k;
            start = e->start[s->at[k]];
        }
    }
    if (best < 0)
        return false;
    *op = (uint32_t)best << 30 | (uint32_t)s->at[best]++;
    return true;
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
