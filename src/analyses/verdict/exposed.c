/* The rules `exposed_communication` and `exposed_copy`: what no computation hides, by what it is.
 * Each device by itself; time that two such events share counts for the one that began first, so
 * that the findings add up to the account. */
#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/num.h"
#include "facts/shared.h"

#include <inttypes.h>

struct sum { /* of one name */
    uint32_t name;
    enum az_part part;
    int64_t count, ticks, exposed;
    double bytes;
};
AZ_VEC(struct sum, sums);

struct work {
    struct az_vd *v;
    const struct az_counted *counted;
    struct az_devices_of dev;
    struct az_spans cover; /* of one device: what hides */
    struct az_map index;
    struct sums sums;
};

static bool next(struct work *w, struct az_sweep *s, uint32_t *op)
{
    while (az_sweep_next(s, op)) {
        const uint8_t *skip = w->counted->skip[az_op_kind(*op)];
        if (!skip || !skip[az_op_row(*op)])
            return true;
    }
    return false;
}

static double bytes_of(const struct az_trace *t, uint32_t op)
{
    const enum az_kind kind = az_op_kind(op);
    const struct az_events *e = &t->ev[kind];
    if ((kind != AZ_MEMCPY && kind != AZ_MEMSET) || !e->side || e->side[az_op_row(op)] == AZ_NO_ROW)
        return 0;
    const int64_t bytes = t->copies.v[e->side[az_op_row(op)]].bytes;
    return bytes > 0 ? (double)bytes : 0;
}

static int count(struct work *w, uint32_t op, enum az_part part, int64_t exposed)
{
    const struct az_events *e = &w->v->t->ev[az_op_kind(op)];
    const uint32_t row = az_op_row(op);
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->index, e->name[row], part, (uint32_t)w->sums.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&w->sums, ((struct sum){ .name = e->name[row], .part = part }));
    if (rc)
        return rc;
    struct sum *s = &w->sums.v[*at];
    s->count++;
    s->ticks = az_add_sat(s->ticks, e->end[row] - e->start[row]);
    s->exposed += exposed;
    s->bytes += bytes_of(w->v->t, op);
    return 0;
}

/* Length of [lo, hi] that the merged list from *at on does not cover; *at moves on. */
static int64_t uncovered(const struct az_spans *cover, size_t *at, int64_t lo, int64_t hi)
{
    int64_t left = hi - lo;
    while (*at < cover->n && cover->v[*at].end <= lo)
        ++*at;
    for (size_t i = *at; i < cover->n && cover->v[i].start < hi; i++) {
        const int64_t a = cover->v[i].start > lo ? cover->v[i].start : lo;
        const int64_t b = cover->v[i].end < hi ? cover->v[i].end : hi;
        left -= b > a ? b - a : 0;
    }
    return left;
}

/* Events of one part on one device against `cover`, which they join. */
static int judge(struct work *w, uint32_t slot, enum az_part part)
{
    struct az_sweep s = { .t = w->v->t };
    int64_t reach = INT64_MIN;
    size_t at = 0;
    uint32_t op;
    int rc = 0;
    while (rc == 0 && next(w, &s, &op)) {
        const struct az_events *e = &w->v->t->ev[az_op_kind(op)];
        const uint32_t row = az_op_row(op);
        if (w->dev.slot_of_lane.v[e->lane[row]] != slot ||
            az_part_of(w->v->job, w->v->trace, az_op_kind(op), e->name[row]) != part)
            continue;
        const int64_t lo = e->start[row] > reach ? e->start[row] : reach, hi = e->end[row];
        rc = count(w, op, part, hi > lo ? uncovered(&w->cover, &at, lo, hi) : 0);
        reach = hi > reach ? hi : reach;
    }
    return rc;
}

static int cover_with(struct work *w, uint32_t slot, enum az_part part)
{
    struct az_sweep s = { .t = w->v->t };
    uint32_t op;
    int rc = 0;
    while (rc == 0 && next(w, &s, &op)) {
        const struct az_events *e = &w->v->t->ev[az_op_kind(op)];
        const uint32_t row = az_op_row(op);
        if (w->dev.slot_of_lane.v[e->lane[row]] == slot &&
            az_part_of(w->v->job, w->v->trace, az_op_kind(op), e->name[row]) == part)
            rc = az_vec_push(&w->cover, ((struct az_span){ e->start[row], e->end[row] }));
    }
    if (rc == 0)
        rc = az_spans_sort(&w->cover);
    az_spans_union(&w->cover);
    return rc;
}

static int one_device(struct work *w, uint32_t slot, const struct az_account *a)
{
    int rc = 0;
    if (a->comm == 0 && a->copies == 0)
        return 0;
    az_vec_reset(&w->cover);
    rc = cover_with(w, slot, AZ_PART_COMPUTE);
    if (rc == 0 && a->comm)
        rc = judge(w, slot, AZ_PART_COMM);
    if (rc == 0 && a->comm && a->copies)
        rc = cover_with(w, slot, AZ_PART_COMM);
    return rc == 0 && a->copies ? judge(w, slot, AZ_PART_COPY) : rc;
}

static int tell(struct work *w, const struct sum *s)
{
    struct az_vd *v = w->v;
    char bytes[AZ_HUMAN_MAX];
    const struct az_sv name = s->name == AZ_NO_ID ? AZ_SV("") : az_trace_text(v->t, s->name);
    struct az_vd_found f = { .subject = s->part == AZ_PART_COMM ? az_vd_short(name) : name,
                             .detail = AZ_SV(""),
                             .row = name,
                             .count = s->count,
                             .ns = az_vd_ns(v, s->ticks),
                             .gain = az_vd_ns(v, s->exposed) };
    az_human_bytes(s->bytes / (double)s->count, bytes);
    if (s->bytes > 0)
        f.detail = az_arena_printf(v->job->arena, " of %s at %.1f GB/s", bytes,
                                   s->ticks ? s->bytes / (double)az_vd_ns(v, s->ticks) : 0);
    return az_vd_add(v, s->part == AZ_PART_COMM ? "exposed_communication" : "exposed_copy", &f);
}

int az_vd_find_exposed(struct az_vd *v)
{
    struct work w = { .v = v };
    int rc;
    if (!v->accounts || v->accounts->all.comm + v->accounts->all.copies == 0)
        return 0;
    w.counted = az_job_counted(v->job, v->trace, &rc);
    if (!w.counted)
        return rc;
    az_vec_init(&w.cover, v->job->mem);
    az_vec_init(&w.sums, v->job->mem);
    rc = az_map_init(&w.index, v->job->mem, 16);
    if (rc == 0)
        rc = az_devices_make(&w.dev, v->t, AZ_BY_DEVICE, v->job->mem);
    for (size_t i = 0; rc == 0 && i < v->accounts->n_devices; i++)
        for (uint32_t k = 0; rc == 0 && k < w.dev.slots.n; k++)
            if (w.dev.slots.v[k].device == v->accounts->device[i].device)
                rc = one_device(&w, k, &v->accounts->device[i].a);
    for (size_t i = 0; rc == 0 && i < w.sums.n; i++)
        if (w.sums.v[i].exposed > 0)
            rc = tell(&w, &w.sums.v[i]);
    az_devices_release(&w.dev);
    az_map_release(&w.index);
    az_vec_release(&w.cover);
    az_vec_release(&w.sums);
    return rc;
}
