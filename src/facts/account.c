/* Parts, merged lists and the one measure of them. What is made of a trace is in accounts.c. */
#include "facts/account.h"

#include "model/optrace.h"

enum az_part az_part_of(struct az_job *job, size_t trace, enum az_kind kind, uint32_t name)
{
    const struct az_trace *t = job->traces[trace];
    if (kind == AZ_MEMSET && !(t->caps & AZ_CAP_CALLTREE))
        return AZ_PART_COPY;
    return (enum az_part)az_trace_work(t, kind, name);
}

void az_busy_init(struct az_busy *b, struct az_mem *mem)
{
    *b = (struct az_busy){ .events = 0 };
    for (int k = 0; k < AZ_PARTS; k++)
        az_vec_init(&b->of[k], mem);
    az_vec_init(&b->all, mem);
}

void az_busy_reset(struct az_busy *b)
{
    for (int k = 0; k < AZ_PARTS; k++)
        az_vec_reset(&b->of[k]);
    az_vec_reset(&b->all);
    b->events = 0;
    b->unsorted = false;
}

void az_busy_release(struct az_busy *b)
{
    for (int k = 0; k < AZ_PARTS; k++)
        az_vec_release(&b->of[k]);
    az_vec_release(&b->all);
}

static int extend(struct az_busy *b, struct az_spans *s, int64_t start, int64_t end)
{
    struct az_span *last = s->n ? &s->v[s->n - 1] : NULL;
    if (!last || start > last->end)
        return az_vec_push(s, ((struct az_span){ start, end }));
    if (start < last->start) { /* out of order: merged when all is there */
        b->unsorted = true;
        return az_vec_push(s, ((struct az_span){ start, end }));
    }
    last->end = end > last->end ? end : last->end;
    return 0;
}

int az_busy_add(struct az_busy *b, enum az_part part, int64_t start, int64_t end)
{
    int rc = extend(b, &b->all, start, end);
    b->events++;
    return rc || part >= AZ_PARTS ? rc : extend(b, &b->of[part], start, end);
}

static int merge(struct az_spans *s)
{
    int rc = az_spans_sort(s);
    if (rc == 0)
        az_spans_union(s);
    return rc;
}

int az_busy_close(struct az_busy *b)
{
    int rc = b->unsorted ? merge(&b->all) : 0;
    for (int k = 0; rc == 0 && b->unsorted && k < AZ_PARTS; k++)
        rc = merge(&b->of[k]);
    if (rc == 0)
        b->unsorted = false;
    return rc;
}

static int64_t cut(int64_t t, int64_t lo, int64_t hi) { return t < lo ? lo : t > hi ? hi : t; }

void az_account_sweep(const struct az_spans set[AZ_PARTS], int64_t lo, int64_t hi, int64_t sum[8])
{
    size_t at[AZ_PARTS] = { 0 };
    bool in[AZ_PARTS] = { false };
    unsigned bits = 0;
    int64_t from = 0;
    memset(sum, 0, 8 * sizeof *sum);
    for (;;) {
        int best = -1;
        int64_t next = 0;
        for (int k = 0; k < AZ_PARTS; k++) {
            if (at[k] == set[k].n)
                continue;
            const struct az_span *s = &set[k].v[at[k]];
            const int64_t t = cut(in[k] ? s->end : s->start, lo, hi);
            if (best < 0 || t < next) {
                best = k;
                next = t;
            }
        }
        if (best < 0)
            return;
        sum[bits] += bits ? next - from : 0;
        from = next;
        at[best] += in[best];
        in[best] = !in[best];
        bits ^= 1u << best;
    }
}

/* Busy time and the short gaps of the list of all work, as far as it is in the window. */
static void busy_of(const struct az_spans *all, const struct az_span *w, int64_t micro,
                    struct az_account *out)
{
    const struct az_span *before = NULL;
    for (size_t i = 0; i < all->n; i++) {
        const struct az_span *s = &all->v[i];
        if (w && (s->end <= w->start || s->start >= w->end)) /* only touches it */
            continue;
        const int64_t gap = before ? s->start - before->end : 0;
        out->busy +=
            w ? cut(s->end, w->start, w->end) - cut(s->start, w->start, w->end) : s->end - s->start;
        out->micro += before && gap < micro ? gap : 0;
        before = s;
    }
}

void az_account_of(const struct az_busy *b, const struct az_span *window, int64_t micro,
                   struct az_account *out)
{
    struct az_spans set[AZ_PARTS], all = b->all;
    *out = (struct az_account){ .events = b->events };
    if (all.n) {
        out->first = all.v[0].start;
        out->last = all.v[all.n - 1].end;
    }
    for (int k = 0; k < AZ_PARTS; k++)
        set[k] = window ? az_spans_window(&b->of[k], window->start, window->end) : b->of[k];
    if (window) {
        all = az_spans_window(&all, window->start, window->end);
        out->first = window->start;
        out->last = window->end;
    }
    az_account_sweep(set, window ? window->start : INT64_MIN, window ? window->end : INT64_MAX,
                     out->at_once);
    for (unsigned k = 1; k < 8; k++) {
        out->compute += k & 1u << AZ_PART_COMPUTE ? out->at_once[k] : 0;
        out->comm += k & 1u << AZ_PART_COMM ? out->at_once[k] : 0;
        out->copies += k & 1u << AZ_PART_COPY ? out->at_once[k] : 0;
    }
    out->exposed_comm =
        out->at_once[1u << AZ_PART_COMM] + out->at_once[1u << AZ_PART_COMM | 1u << AZ_PART_COPY];
    out->exposed_copies = out->at_once[1u << AZ_PART_COPY];
    busy_of(&all, window, micro, out);
    out->other = out->busy - (out->compute + out->exposed_comm + out->exposed_copies);
    out->total = out->last - out->first;
    out->idle = out->total - out->busy;
}

void az_account_extend(struct az_account *a, int64_t total)
{
    if (total <= 0)
        return;
    a->total = total;
    a->idle = total > a->busy ? total - a->busy : 0;
}
