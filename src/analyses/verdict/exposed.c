/* The rules `exposed_communication` and `exposed_copy`: what no computation hides, by what it is;
 * communication by kernel, kind of collective and group where they are recorded; copies in
 * copies.c. Each device by itself, in the scope of the account; time that two such events share
 * counts for the one that began first, so that the findings add up to the account. */
#include "analyses/verdict/exposed.h"
#include "analyses/collectives/collectives.h"
#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/lazy_cache.h"

#include <inttypes.h>
#include <math.h>

#define EQUAL   1.01 /* messages differ by at most this factor */
#define NOTHING 2000 /* part of the total below which nothing is reported */

struct sum { /* communication of one name and description */
    uint32_t name;
    uint32_t what; /* row of its collective's description; AZ_NO_ROW: none */
    int64_t count, ticks, exposed;
    struct az_verdict_lengths lengths;
    double bytes, least, most; /* in all; of one message, where they are known */
    int64_t message;           /* mean bytes, rounded so that equal programs have equal ones */
    int64_t groups;            /* process groups; 0: not recorded */
};
AZ_VEC(struct sum, sums);

/* What hides events: merged, and of it what ends after the current ones. */
struct cover {
    struct az_spans list;
    size_t at; /* place of the last event */
};
struct device {
    bool idle;                  /* has no part in the account */
    struct cover compute, both; /* computation; and communication with it */
    int64_t reach[AZ_PARTS];    /* up to where its events of a part are counted */
};
struct work {
    struct az_verdict *v;
    const struct az_counted *counted;
    struct az_devices_of dev;
    struct device *device; /* by slot */
    struct az_sweep ahead; /* gathers overlapping work, up to the end of the current event */
    enum az_kind kind;     /* of it rows row to to - 1 come next */
    size_t row, to;
    bool more;
    size_t other;      /* next of the trace's window_others */
    bool comm, copies; /* is there any */
    int64_t now;       /* start of the current event: they come by start */
    struct az_map index;
    struct sums sums;
    struct az_verdict_copy_sums copy_sums;
    size_t last_copies;            /* the one of copy_sums that the last copy is in */
    struct az_coll_reader *source; /* of descriptions of collectives; NULL: none are recorded */
    struct az_coll_part sources;
};

/* NULL: nothing is recorded of it. */
static const struct az_copy *copy_of(const struct az_trace *t, enum az_kind kind, uint32_t row)
{
    const struct az_events *e = &t->ev[kind];
    return (kind == AZ_MEMCPY || kind == AZ_MEMSET) && e->side && e->side[row] != AZ_NO_ROW
               ? &t->copies.v[e->side[row]]
               : NULL;
}

static int description(struct work *w, uint32_t op, uint32_t *what)
{
    struct az_coll_event e;
    if (!w->source || az_op_kind(op) != AZ_KERNEL)
        return 0;
    const int rc = az_coll_source_of(w->source, az_op_row(op), AZ_SV(""), &e);
    *what = e.what;
    return rc;
}

static int count(struct work *w, uint32_t op, int64_t ticks, int64_t exposed)
{
    const struct az_events *e = &w->v->t->ev[az_op_kind(op)];
    const uint32_t name = e->name[az_op_row(op)];
    uint32_t *at, what = AZ_NO_ROW;
    bool added;
    int rc = description(w, op, &what);
    if (rc == 0)
        rc = az_map_put(&w->index, (uint64_t)name << 32 | what, AZ_PART_COMM, (uint32_t)w->sums.n,
                        &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&w->sums, ((struct sum){ .name = name, .what = what }));
    if (rc)
        return rc;
    struct sum *s = &w->sums.v[*at];
    s->count++;
    s->ticks = az_add_sat(s->ticks, ticks);
    s->exposed += exposed;
    az_verdict_lengths_add(&s->lengths, e->end[az_op_row(op)] - e->start[az_op_row(op)]);
    return 0;
}

/* The sums of copies of a name and kind, with sizes or without, in last_copies; new ones begin as
 * `of`. */
static int find_copies(struct work *w, const struct az_verdict_copies *of)
{
    const uint32_t kinds = (uint32_t)(uint16_t)of->src << 16 | (uint32_t)(uint16_t)of->dst;
    uint32_t *at;
    bool added;
    if (w->last_copies < w->copy_sums.n) { /* mostly the same again */
        const struct az_verdict_copies *s = &w->copy_sums.v[w->last_copies];
        if (s->name == of->name && s->src == of->src && s->dst == of->dst && s->fill == of->fill &&
            s->sized == of->sized)
            return 0;
    }
    const int rc =
        az_map_put(&w->index, (uint64_t)of->name << 32 | kinds,
                   AZ_PART_COPY + of->fill + 2u * of->sized, (uint32_t)w->copy_sums.n, &at, &added);
    if (rc)
        return rc;
    w->last_copies = *at;
    return added ? az_vec_push(&w->copy_sums, *of) : 0;
}

static int count_copy(struct work *w, enum az_kind kind, uint32_t row, int64_t ticks,
                      int64_t exposed)
{
    const struct az_events *e = &w->v->t->ev[kind];
    const struct az_copy *c = copy_of(w->v->t, kind, row);
    const bool fill = kind == AZ_MEMSET, sized = c && c->bytes > 0;
    const int src = c && !fill ? c->src : -1, dst = c && !fill ? c->dst : -1;
    const int rc = find_copies(
        w, &(struct az_verdict_copies){
               .name = e->name[row], .src = src, .dst = dst, .fill = fill, .sized = sized });
    if (rc)
        return rc;
    struct az_verdict_copies *s = &w->copy_sums.v[w->last_copies];
    s->count++;
    s->ticks = az_add_sat(s->ticks, ticks);
    s->exposed += exposed;
    az_verdict_lengths_add(&s->lengths, e->end[row] - e->start[row]);
    if (az_trace_lane_kinds(w->v->t, e->lane[row]) & 1u << AZ_KERNEL)
        s->with_kernels += exposed;
    if (!sized)
        return 0;
    s->bytes += (double)c->bytes;
    if (s->smallest == 0 || c->bytes < s->smallest)
        s->smallest = c->bytes;
    s->largest = c->bytes > s->largest ? c->bytes : s->largest;
    return 0;
}

/* Length of [lo, hi] that the list does not cover. */
static int64_t uncovered(struct cover *c, int64_t lo, int64_t hi)
{
    const struct az_spans *s = &c->list;
    int64_t left = hi - lo;
    while (c->at < s->n && s->v[c->at].end <= lo)
        c->at++;
    for (size_t i = c->at; i < s->n && s->v[i].start < hi; i++) {
        const int64_t a = s->v[i].start > lo ? s->v[i].start : lo;
        const int64_t b = s->v[i].end < hi ? s->v[i].end : hi;
        left -= b > a ? b - a : 0;
    }
    return left;
}

/* Adds an event to what hides; they come by start. A list that is full drops what is over before it
 * grows. */
static int extend(struct cover *c, int64_t now, int64_t start, int64_t end)
{
    struct az_spans *s = &c->list;
    struct az_span *last = s->n ? &s->v[s->n - 1] : NULL;
    if (last && start <= last->end) {
        last->end = end > last->end ? end : last->end;
        return 0;
    }
    if (s->n == s->cap && s->n) {
        size_t over = 0;
        while (over < s->n && s->v[over].end <= now)
            over++;
        if (over >= s->n / 2) { /* else as much is moved as is won */
            memmove(s->v, s->v + over, (s->n - over) * sizeof *s->v);
            s->n -= over;
            c->at -= over < c->at ? over : c->at;
        }
    }
    return az_vec_push(s, ((struct az_span){ start, end }));
}

static int cover_span(struct work *w, uint32_t lane, enum az_part part, int64_t start, int64_t end)
{
    const uint32_t slot = w->dev.slot_of_lane.v[lane];
    int rc = 0;
    if (slot == AZ_NO_ID) /* of a device that does nothing in the window */
        return 0;
    struct device *d = &w->device[slot];
    if (w->comm && part == AZ_PART_COMPUTE)
        rc = extend(&d->compute, w->now, start, end);
    if (rc == 0 && w->copies && (part == AZ_PART_COMPUTE || part == AZ_PART_COMM))
        rc = extend(&d->both, w->now, start, end);
    return rc;
}

/* Work outside the window that runs next to it, up to a time. */
static int hide_others_until(struct work *w, int64_t until)
{
    const struct az_other_works *others = &w->v->t->window_others;
    int rc = 0;
    for (; rc == 0 && w->other < others->n && others->v[w->other].start <= until; w->other++) {
        const struct az_other_work *x = &others->v[w->other];
        rc = cover_span(w, x->lane,
                        az_part_of(w->v->job, w->v->trace, (enum az_kind)x->kind, x->name),
                        x->start, x->end);
    }
    return rc;
}

static inline int hide_others(struct work *w, int64_t until)
{
    return w->other < w->v->t->window_others.n ? hide_others_until(w, until) : 0;
}

/* What hides, by device, of all that starts before `hi`. */
static int gather(struct work *w, int64_t hi)
{
    int rc = 0;
    while (rc == 0 && w->more) {
        const struct az_events *e = &w->v->t->ev[w->kind];
        const uint8_t *skip = w->counted->skip[w->kind];
        size_t row = w->row;
        for (; rc == 0 && row < w->to && e->start[row] < hi; row++) {
            if (skip && skip[row])
                continue;
            rc = hide_others(w, e->start[row]);
            if (rc == 0)
                rc = cover_span(w, e->lane[row],
                                az_part_of(w->v->job, w->v->trace, w->kind, e->name[row]),
                                e->start[row], e->end[row]);
        }
        w->row = row;
        if (row < w->to)
            break;
        w->more = az_sweep_rows(&w->ahead, &w->kind, &w->row, &w->to);
    }
    return rc ? rc : hide_others(w, hi - 1);
}

/* Communication against computation, copies against both; clipped to the scope. */
static int judge_one(struct work *w, enum az_kind kind, uint32_t row, enum az_part part)
{
    const struct az_events *e = &w->v->t->ev[kind];
    const struct az_span *scope = &w->v->accounts->window;
    struct device *d = &w->device[w->dev.slot_of_lane.v[e->lane[row]]];
    const int64_t start = e->start[row] > scope->start ? e->start[row] : scope->start,
                  end = e->end[row] < scope->end ? e->end[row] : scope->end,
                  lo = start > d->reach[part] ? start : d->reach[part];
    if (start >= end || d->idle)
        return 0;
    w->now = e->start[row];
    int rc = gather(w, end);
    const int64_t exposed =
        end > lo && rc == 0 ? uncovered(part == AZ_PART_COMM ? &d->compute : &d->both, lo, end) : 0;
    if (rc == 0)
        rc = part == AZ_PART_COMM ? count(w, az_op_word(kind, row), end - start, exposed)
                                  : count_copy(w, kind, row, end - start, exposed);
    d->reach[part] = end > d->reach[part] ? end : d->reach[part];
    return rc;
}

static int judge(struct work *w)
{
    struct az_sweep s = { .t = w->v->t };
    enum az_kind kind;
    size_t row, to;
    int rc = 0;
    w->ahead = s;
    w->more = az_sweep_rows(&w->ahead, &w->kind, &w->row, &w->to);
    while (rc == 0 && az_sweep_rows(&s, &kind, &row, &to)) {
        const uint32_t *name = w->v->t->ev[kind].name;
        const uint8_t *skip = w->counted->skip[kind];
        for (; rc == 0 && row < to; row++) {
            if (skip && skip[row])
                continue;
            const enum az_part part = az_part_of(w->v->job, w->v->trace, kind, name[row]);
            if (part == AZ_PART_COMM || part == AZ_PART_COPY)
                rc = judge_one(w, kind, (uint32_t)row, part);
        }
    }
    return rc;
}

/* ---- collectives ---- */
static const struct az_coll_what *what_of(const struct work *w, const struct sum *s)
{
    return s->what == AZ_NO_ROW ? NULL : &w->sources.what[s->what];
}

static struct az_sv kind_of(const struct az_coll_what *w)
{
    return w->kind == AZ_COLL_UNKNOWN ? w->name : az_sv_str(az_coll_kind_text(w->kind));
}

/* By name, whether it is described, kind and size of the group. */
static int by_kind(const struct sum *x, const struct sum *y, const struct az_coll_what *p,
                   const struct az_coll_what *q)
{
    int c = (x->name > y->name) - (x->name < y->name);
    if (c == 0)
        c = (p != NULL) - (q != NULL);
    if (c || !p || !q)
        return c;
    c = az_sv_cmp(kind_of(p), kind_of(q));
    return c ? c : (p->size > q->size) - (p->size < q->size);
}

/* Kernels of one name, kind and group, whatever their size, are one. */
static int by_collective(const void *a, const void *b, void *ctx)
{
    const struct az_coll_what *p = what_of(ctx, a), *q = what_of(ctx, b);
    const int c = by_kind(a, b, p, q);
    return c || !p || !q ? c : az_sv_cmp(p->group, q->group);
}

/* Peer groups are one: of one kind, size and mean message. */
static int by_message(const void *a, const void *b, void *ctx)
{
    const struct sum *x = a, *y = b;
    const int c = by_kind(x, y, what_of(ctx, x), what_of(ctx, y));
    return c ? c : (x->message > y->message) - (x->message < y->message);
}

typedef int sum_order(const void *a, const void *b, void *ctx);

static void merge_sums(struct work *w, sum_order *order)
{
    size_t kept = 0;
    az_sort_cmp(w->sums.v, w->sums.n, sizeof *w->sums.v, order, w, w->v->job->mem);
    for (size_t i = 0; i < w->sums.n; i++) {
        const struct sum *s = &w->sums.v[i];
        struct sum *last = kept ? &w->sums.v[kept - 1] : NULL;
        if (!last || order(last, s, w) != 0) {
            w->sums.v[kept++] = *s;
            continue;
        }
        last->count += s->count;
        last->ticks = az_add_sat(last->ticks, s->ticks);
        last->exposed += s->exposed;
        az_verdict_lengths_join(&last->lengths, &s->lengths);
        last->bytes += s->bytes;
        last->least = s->least < last->least ? s->least : last->least;
        last->most = s->most > last->most ? s->most : last->most;
        last->groups += s->groups;
    }
    w->sums.n = kept;
}

/* Each rank passes on as much as it has: its messages are unrelated to the others'. */
static bool is_uneven(const struct az_coll_what *c)
{
    return c->kind == AZ_COLL_ALLTOALLV || (c->kind == AZ_COLL_ALLTOALL && c->in_split.n > 2);
}

static int join_sums(struct work *w)
{
    merge_sums(w, by_collective);
    for (size_t i = 0; i < w->sums.n; i++) {
        struct sum *s = &w->sums.v[i];
        const struct az_coll_what *c = what_of(w, s);
        s->groups = c && (c->group.n || c->ranks.n);
        s->message = c && is_uneven(c) ? 0 : az_coll_message(s->bytes, s->count);
    }
    merge_sums(w, by_message);
    return 0;
}

static void add_bytes(struct work *w)
{
    for (size_t i = 0; i < w->sums.n; i++) {
        struct sum *s = &w->sums.v[i];
        const struct az_coll_what *c = what_of(w, s);
        const double mb = c ? az_coll_mb(c, c->in > c->out ? c->in : c->out) : NAN;
        s->bytes += mb > 0 ? mb * 1048576 * (double)s->count : 0;
        s->least = s->most = mb > 0 ? mb : 0;
    }
}

/* "allreduce among 8, 8.4 MB each (ncclDevKernel_...)", of unlike sizes "mean 8.4 MB" */
static struct az_sv collective_text(struct az_verdict *v, const struct az_coll_what *c,
                                    const struct sum *s, struct az_sv kernel)
{
    struct az_arena *a = v->job->arena;
    char bytes[AZ_HUMAN_MAX];
    struct az_sv among = AZ_SV(""), message = AZ_SV("");
    az_human_bytes((double)s->message, bytes);
    if (c->size > 0)
        among = az_arena_printf(a, " among %" PRId64, c->size);
    if (s->message > 0)
        message = s->most > EQUAL * s->least ? az_arena_printf(a, ", mean %s", bytes)
                                             : az_arena_printf(a, ", %s each", bytes);
    return az_arena_printf(a, "%.*s%.*s%.*s (%.*s)", AZ_SVF(kind_of(c)), AZ_SVF(among),
                           AZ_SVF(message), AZ_SVF(kernel));
}

static int put_sum(struct work *w, const struct sum *s)
{
    struct az_verdict *v = w->v;
    const struct az_sv name = s->name == AZ_NO_ID ? AZ_SV("") : az_trace_text(v->t, s->name);
    const struct az_coll_what *c = what_of(w, s);
    struct az_verdict_found f = { .subject = az_verdict_short(name),
                                  .detail = AZ_SV(""),
                                  .row = name,
                                  .groups = s->groups > 1 ? s->groups : 0,
                                  .coll_kind = c ? (int64_t)c->kind : 0,
                                  .members = c && c->size > 0 ? c->size : 0,
                                  .bytes = s->message,
                                  .count = s->count,
                                  .smallest = az_verdict_ns(v, s->lengths.least),
                                  .largest = az_verdict_ns(v, s->lengths.most),
                                  .ns = az_verdict_ns(v, s->ticks),
                                  .gain = az_verdict_ns(v, s->exposed) };
    if (c && c->name.n && (c->size > 0 || c->group.n))
        f.subject = collective_text(v, c, s, f.subject);
    return az_verdict_add(v, "exposed_communication", &f);
}

static bool is_idle(const struct work *w, int64_t device)
{
    const struct az_accounts *a = w->v->accounts;
    const size_t i = az_accounts_device(a, device);
    return i < a->n_devices && a->idle[i];
}

static int devices(struct work *w)
{
    const size_t n = w->dev.slots.n;
    w->device = az_arena_array(w->v->job->arena, n + 1, sizeof *w->device);
    if (!w->device)
        return az_arena_error(w->v->job->arena);
    for (size_t k = 0; k < n; k++) {
        w->device[k].idle = is_idle(w, w->dev.slots.v[k].device);
        az_vec_init(&w->device[k].compute.list, w->v->job->mem);
        az_vec_init(&w->device[k].both.list, w->v->job->mem);
        w->device[k].reach[AZ_PART_COMM] = w->device[k].reach[AZ_PART_COPY] = INT64_MIN;
    }
    const int rc = judge(w);
    for (size_t k = 0; k < n; k++) {
        az_vec_release(&w->device[k].compute.list);
        az_vec_release(&w->device[k].both.list);
    }
    return rc;
}

static int find_exposed(struct work *w)
{
    struct az_verdict *v = w->v;
    az_map_init(&w->index, v->job->mem, 16);
    int rc = az_devices_make(&w->dev, v->t, AZ_BY_DEVICE, v->job->mem);
    /* the source reads the job's first trace */
    if (rc == 0 && v->t == v->job->traces[0] && v->t->caps & AZ_CAP_CALLTREE)
        rc = az_coll_source_open(&w->source, v->job, v->job->arena);
    if (rc == 0)
        rc = devices(w);
    const int closed = az_coll_source_close(w->source, &w->sources);
    rc = rc ? rc : closed;
    if (rc == 0) {
        add_bytes(w);
        rc = join_sums(w);
    }
    for (size_t i = 0; rc == 0 && i < w->sums.n; i++)
        if (w->sums.v[i].exposed > 0)
            rc = put_sum(w, &w->sums.v[i]);
    return rc ? rc : az_verdict_find_copies(v, w->counted, &w->copy_sums);
}

int az_verdict_find_exposed(struct az_verdict *v)
{
    struct work w = { .v = v };
    int rc;
    int64_t any = 0, all = 0;
    for (size_t i = 0; v->accounts && i < v->accounts->n_devices; i++) {
        const struct az_account a = az_account_in_scope(v->accounts, i);
        any += a.comm + a.copies;
        all += a.total;
    }
    if (any <= all / NOTHING)
        return 0;
    w.comm = v->accounts->all.comm > 0;
    w.copies = v->accounts->all.copies > 0;
    w.counted = az_job_counted(v->job, v->trace, AZ_ALL_WORK, &rc);
    if (!w.counted)
        return rc;
    az_vec_init(&w.sums, v->job->mem);
    az_vec_init(&w.copy_sums, v->job->mem);
    rc = find_exposed(&w);
    az_devices_release(&w.dev);
    az_map_release(&w.index);
    az_vec_release(&w.sums);
    az_vec_release(&w.copy_sums);
    return rc;
}
