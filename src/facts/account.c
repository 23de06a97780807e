/* Parts, merged lists and the one measure of them. What is made of a trace is in accounts.c. */
#include "facts/account.h"

#include "base/sort.h"

enum { STRIDE = 64 }; /* spans from one sum of an index to the next */

void az_busy_init(struct az_busy *b, struct az_mem *mem)
{
    *b = (struct az_busy){ .events = 0 };
    for (int k = 0; k <= AZ_PARTS; k++)
        az_vec_init(&b->of[k], mem);
    az_vec_init(&b->joined, mem);
    az_vec_init(&b->part_sums, mem);
    az_vec_init(&b->busy_sums, mem);
}

void az_busy_reset(struct az_busy *b)
{
    for (int k = 0; k <= AZ_PARTS; k++)
        az_vec_reset(&b->of[k]);
    az_vec_reset(&b->joined);
    az_vec_reset(&b->part_sums);
    az_vec_reset(&b->busy_sums);
    b->all = (struct az_spans){ .n = 0 };
    b->events = 0;
    b->unsorted = false;
}

void az_busy_release(struct az_busy *b)
{
    for (int k = 0; k <= AZ_PARTS; k++)
        az_vec_release(&b->of[k]);
    az_vec_release(&b->joined);
    az_vec_release(&b->part_sums);
    az_vec_release(&b->busy_sums);
    b->all = (struct az_spans){ .n = 0 };
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
    b->events++;
    return extend(b, &b->of[part], start, end);
}

static int merge(struct az_spans *s)
{
    az_spans_sort(s);
    az_spans_union(s);
    return 0;
}

/* Which of several lists goes on first, and when the next other one does. */
struct front {
    int which; /* -1: none */
    int64_t at, other;
};

static void note_event(struct front *f, int which, int64_t at)
{
    const bool first = f->which < 0 || at < f->at;
    const int64_t later = f->which < 0 ? INT64_MAX : first ? f->at : at;
    f->other = later < f->other ? later : f->other;
    f->at = first ? at : f->at;
    f->which = first ? which : f->which;
}

/* The parts, each by start, as one list. */
static int join_parts(struct az_busy *b)
{
    size_t at[AZ_PARTS + 1] = { 0 };
    int rc = 0;
    while (rc == 0) {
        struct front f = { -1, 0, INT64_MAX };
        for (int k = 0; k <= AZ_PARTS; k++)
            if (at[k] < b->of[k].n)
                note_event(&f, k, b->of[k].v[at[k]].start);
        if (f.which < 0)
            break;
        const struct az_spans *s = &b->of[f.which];
        do {
            rc = extend(b, &b->joined, s->v[at[f.which]].start, s->v[at[f.which]].end);
            at[f.which]++;
        } while (rc == 0 && at[f.which] < s->n && s->v[at[f.which]].start <= f.other);
    }
    return rc;
}

int az_busy_close(struct az_busy *b)
{
    int rc = 0, parts = 0, part = 0;
    for (int k = 0; rc == 0 && b->unsorted && k <= AZ_PARTS; k++)
        rc = merge(&b->of[k]);
    if (rc)
        return rc;
    b->unsorted = false;
    for (int k = 0; k <= AZ_PARTS; k++) {
        parts += b->of[k].n > 0;
        part = b->of[k].n ? k : part;
    }
    az_vec_reset(&b->joined);
    if (parts > 1)
        rc = join_parts(b);
    b->all = parts > 1 ? b->joined : b->of[part];
    return rc;
}

static int64_t clamp_time(int64_t t, int64_t lo, int64_t hi)
{
    return t < lo ? lo : t > hi ? hi : t;
}

/* Start or end of a span, within the window. */
static int64_t clamped_edge(const struct az_span *s, bool end, int64_t lo, int64_t hi)
{
    return clamp_time(end ? s->end : s->start, lo, hi);
}

/* One set alone, as of most programs. */
static int64_t length(const struct az_spans *s, int64_t lo, int64_t hi)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += clamp_time(s->v[i].end, lo, hi) - clamp_time(s->v[i].start, lo, hi);
    return sum;
}

void az_account_sweep(const struct az_spans set[AZ_PARTS], int64_t lo, int64_t hi, int64_t sum[8])
{
    size_t at[AZ_PARTS] = { 0 }, others = 0;
    bool in[AZ_PARTS] = { false };
    unsigned bits = 0;
    int64_t from = 0;
    memset(sum, 0, 8 * sizeof *sum);
    for (int k = 1; k < AZ_PARTS; k++)
        others += set[k].n;
    if (others == 0) {
        sum[1] = length(&set[0], lo, hi);
        return;
    }
    for (;;) {
        struct front f = { -1, 0, INT64_MAX };
        for (int k = 0; k < AZ_PARTS; k++)
            if (at[k] < set[k].n)
                note_event(&f, k, clamped_edge(&set[k].v[at[k]], in[k], lo, hi));
        const int best = f.which;
        int64_t next = f.at;
        if (best < 0)
            return;
        do { /* edges of one set are often in a row */
            sum[bits] += bits ? next - from : 0;
            from = next;
            at[best] += in[best];
            in[best] = !in[best];
            bits ^= 1u << best;
            if (at[best] == set[best].n)
                break;
            next = clamped_edge(&set[best].v[at[best]], in[best], lo, hi);
        } while (next <= f.other);
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
            w ? clamp_time(s->end, w->start, w->end) - clamp_time(s->start, w->start, w->end)
              : s->end - s->start;
        out->micro += before && gap < micro ? gap : 0;
        before = s;
    }
}

/* ---- windows ---- */
static void sweep_between(const struct az_busy *b, int64_t lo, int64_t hi, int64_t sum[8])
{
    struct az_spans set[AZ_PARTS];
    for (int k = 0; k < AZ_PARTS; k++)
        set[k] = az_spans_window(&b->of[k], lo, hi);
    az_account_sweep(set, lo, hi, sum);
}

static int by_time(const void *x, const void *y, void *ctx)
{
    const struct az_part_sums *a = x, *b = y;
    (void)ctx;
    return (a->at > b->at) - (a->at < b->at);
}

static int index_parts(struct az_busy *b)
{
    struct az_part_sums_list *l = &b->part_sums;
    int rc = 0;
    for (int k = 0; k < AZ_PARTS; k++)
        for (size_t i = STRIDE; rc == 0 && i < b->of[k].n; i += STRIDE)
            rc = az_vec_push(l, ((struct az_part_sums){ .at = b->of[k].v[i].start }));
    if (rc)
        return rc;
    az_sort_cmp(l->v, l->n, sizeof *l->v, by_time, NULL, l->mem);
    for (size_t i = 1; i < l->n; i++) {
        sweep_between(b, l->v[i - 1].at, l->v[i].at, l->v[i].at_once);
        for (int k = 0; k < 8; k++)
            l->v[i].at_once[k] += l->v[i - 1].at_once[k];
    }
    return 0;
}

static int64_t gap_before(const struct az_busy *b, size_t i)
{
    const int64_t gap = i ? b->all.v[i].start - b->all.v[i - 1].end : 0;
    return gap < b->micro ? gap : 0;
}

int az_busy_index(struct az_busy *b, int64_t micro)
{
    struct az_busy_sums sum = { 0 };
    int rc = index_parts(b);
    b->micro = micro;
    for (size_t i = 0; rc == 0 && i < b->all.n; i++) {
        if (i % STRIDE == 0)
            rc = az_vec_push(&b->busy_sums, sum);
        sum.busy += b->all.v[i].end - b->all.v[i].start;
        sum.micro += gap_before(b, i);
    }
    return rc;
}

/* Number of sums up to a time before t. */
static size_t sums_before(const struct az_busy *b, int64_t t)
{
    return AZ_LOWER_BY(b->part_sums.v, b->part_sums.n, at, t);
}

static void parts_between(const struct az_busy *b, int64_t lo, int64_t hi, int64_t sum[8])
{
    const size_t first = sums_before(b, lo), after = sums_before(b, hi);
    int64_t rest[8];
    if (after <= first) {
        sweep_between(b, lo, hi, sum);
        return;
    }
    const struct az_part_sums *x = &b->part_sums.v[first], *y = &b->part_sums.v[after - 1];
    sweep_between(b, lo, x->at, sum);
    sweep_between(b, y->at, hi, rest);
    for (int k = 0; k < 8; k++)
        sum[k] += y->at_once[k] - x->at_once[k] + rest[k];
}

static struct az_busy_sums sums_at(const struct az_busy *b, size_t n)
{
    struct az_busy_sums sum = { 0 };
    if (n == 0)
        return sum;
    size_t i = (n - 1) / STRIDE * STRIDE;
    for (sum = b->busy_sums.v[i / STRIDE]; i < n; i++) {
        sum.busy += b->all.v[i].end - b->all.v[i].start;
        sum.micro += gap_before(b, i);
    }
    return sum;
}

/* What busy_of adds up, of the spans near the window, by the index. */
static void busy_between(const struct az_busy *b, struct az_spans near, const struct az_span *w,
                         struct az_account *out)
{
    if (near.n && near.v[0].end <= w->start) { /* only touches it */
        near.v++;
        near.n--;
    }
    if (near.n && near.v[near.n - 1].start >= w->end)
        near.n--;
    if (near.n == 0)
        return;
    const size_t first = (size_t)(near.v - b->all.v), after = first + near.n;
    const struct az_span *x = &near.v[0], *y = &near.v[near.n - 1];
    const struct az_busy_sums before = sums_at(b, first), upto = sums_at(b, after);
    out->busy = upto.busy - before.busy;
    out->busy -=
        (x->start < w->start ? w->start - x->start : 0) + (y->end > w->end ? y->end - w->end : 0);
    out->micro = upto.micro - before.micro - gap_before(b, first);
}

/* Times of the parts, from those of their combinations. */
static void add_parts(const int64_t at_once[8], struct az_account *out)
{
    for (unsigned k = 1; k < 8; k++) {
        out->compute += k & 1u << AZ_PART_COMPUTE ? at_once[k] : 0;
        out->comm += k & 1u << AZ_PART_COMM ? at_once[k] : 0;
        out->copies += k & 1u << AZ_PART_COPY ? at_once[k] : 0;
    }
    out->exposed_comm =
        at_once[1u << AZ_PART_COMM] + at_once[1u << AZ_PART_COMM | 1u << AZ_PART_COPY];
    out->exposed_copies = at_once[1u << AZ_PART_COPY];
}

void az_account_of(const struct az_busy *b, const struct az_span *window, int64_t micro,
                   struct az_account *out)
{
    int64_t at_once[8];
    az_account_with_parts(b, window, micro, out, at_once);
}

void az_account_with_parts(const struct az_busy *b, const struct az_span *window, int64_t micro,
                           struct az_account *out, int64_t at_once[8])
{
    struct az_spans all = b->all;
    memset(at_once, 0, 8 * sizeof *at_once);
    *out = (struct az_account){ .events = b->events };
    if (window) {
        all = az_spans_window(&all, window->start, window->end);
        out->first = window->start;
        out->last = window->end;
        parts_between(b, window->start, window->end, at_once);
    } else {
        out->first = all.n ? all.v[0].start : 0;
        out->last = all.n ? all.v[all.n - 1].end : 0;
        az_account_sweep(b->of, INT64_MIN, INT64_MAX, at_once);
    }
    add_parts(at_once, out);
    if (micro == 0 && b->joined.n == 0 && b->of[AZ_PART_NONE].n == 0)
        out->busy = out->compute + out->comm + out->copies; /* of one part alone */
    else if (window && b->busy_sums.n && b->micro == micro && window->start <= window->end)
        busy_between(b, all, window, out);
    else
        busy_of(&all, window, micro, out);
    out->other = out->busy - (out->compute + out->exposed_comm + out->exposed_copies);
    out->total = out->last - out->first;
    out->idle = out->total - out->busy;
}

/* ---- without lists ---- */
void az_tally_init(struct az_tally *t, int64_t micro)
{
    *t = (struct az_tally){ .alone = -1, .limit = micro };
    for (int k = 0; k <= AZ_PARTS; k++)
        t->end[k] = INT64_MIN;
}

/* Adds up to a time that is not after the last end. */
static void advance(struct az_tally *t, int64_t to)
{
    while (t->now < to) {
        unsigned bits = 0;
        int64_t until = to;
        for (unsigned k = 0; k <= AZ_PARTS; k++)
            if (t->end[k] > t->now) {
                bits |= 1u << k;
                until = t->end[k] < until ? t->end[k] : until;
            }
        if (bits > 1u << AZ_PARTS) /* next to others it does not count */
            bits &= (1u << AZ_PARTS) - 1;
        t->at_once[bits] += until - t->now;
        t->now = until;
    }
}

/* The first event, or one that begins while more than one part may go on. */
void az_tally_change(struct az_tally *t, enum az_part part, int64_t start, int64_t end)
{
    if (t->events == 0)
        t->first = t->now = t->last = start;
    const int64_t to = start < t->last ? start : t->last;
    if (t->alone < 0) {
        advance(t, to);
    } else {
        t->at_once[1u << t->alone] += to - t->now;
        t->now = to;
    }
    t->alone = start >= t->last || t->alone == (int)part ? (int)part : -1;
    if (start > t->last) {
        const int64_t gap = start - t->last;
        t->micro += gap < t->limit ? gap : 0;
        t->now = start;
    }
    t->end[part] = end > t->end[part] ? end : t->end[part];
    t->last = end > t->last ? end : t->last;
}

void az_tally_account(const struct az_tally *t, struct az_account *out)
{
    struct az_tally all = *t;
    *out = (struct az_account){ .events = t->events, .first = t->first, .last = t->last };
    advance(&all, all.last);
    add_parts(all.at_once, out);
    out->micro = all.micro;
    out->other = all.at_once[1u << AZ_PARTS];
    out->busy = out->compute + out->exposed_comm + out->exposed_copies + out->other;
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
