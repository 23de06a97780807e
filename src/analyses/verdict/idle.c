/* The rule `idle`: gaps of a device by what the host did (docs/verdict.md 3.1). */
#include "facts/idle.h"
#include "analyses/verdict/idle.h"
#include "base/num.h"
#include "base/sort.h"

#define KEPT     60   /* groups of a part; the smaller ones are one by cause */
#define RUN      8    /* gaps in a row that are bound by launching */
#define LOADS_US 400  /* from here a call that launches loads code */
#define LONG_US  1000 /* from here a gap is another thing than slow launching */

struct group { /* an az_vd_idle with name ids instead of texts; times are ticks */
    enum az_vd_cause cause;
    uint32_t call, op, next;
    int64_t count, ticks, longest, start, steady, in_steps;
    double bytes;
};
AZ_VEC(struct group, groups);

/* Gaps of one device that follow each other with one operation between, in which the host was at
 * launching: its operations are shorter than their launches. */
struct run {
    uint32_t slot, after; /* of the last gap */
    int64_t count, ticks;
};

struct work {
    struct az_vd *v;
    struct az_vd_host h;
    bool has_host;
    struct az_map index;
    struct groups groups;
    uint32_t *last; /* name id -> the group of the last gap before it + 1; 0: none */
    struct run run; /* launch_bound */
    struct az_vd_tally bound, small;
    int64_t short_limit; /* ticks */
};

/* ---- one gap ---- */
struct why {
    enum az_vd_cause cause;
    uint32_t call, op; /* name ids */
};

static uint32_t call_name(const struct az_trace *t, uint32_t call)
{
    return call == AZ_NO_ROW ? AZ_NO_ID : t->ev[AZ_CALL].name[call];
}

/* Does the call block until its own work on the device is over? */
static bool blocks(struct az_vd_host *h, uint32_t call, const struct az_idle_gap *gap)
{
    const enum az_vd_call k = az_vd_call_of(h, call);
    return k == AZ_VD_CALL_SYNC || (k == AZ_VD_CALL_COPY && az_vd_launch(h, gap->before) == call);
}

/* share: its part of the gap. A launch that takes long with the device idle does something else
 * than to launch: the first one of a kernel loads its code. */
static enum az_vd_cause cause_of_call(struct az_vd_host *h, uint32_t call, int64_t share)
{
    static const enum az_vd_cause of[AZ_VD_CALLS] = {
        [AZ_VD_CALL_OTHER] = AZ_IDLE_HOST,        [AZ_VD_CALL_LAUNCH] = AZ_IDLE_LAUNCHING,
        [AZ_VD_CALL_SYNC] = AZ_IDLE_WAITING,      [AZ_VD_CALL_GRAPH] = AZ_IDLE_LAUNCHING,
        [AZ_VD_CALL_PREPARE] = AZ_IDLE_COMPILING, [AZ_VD_CALL_COPY] = AZ_IDLE_COPYING,
        [AZ_VD_CALL_FILL] = AZ_IDLE_LAUNCHING,    [AZ_VD_CALL_ALLOCATE] = AZ_IDLE_ALLOCATING,
        [AZ_VD_CALL_LOAD] = AZ_IDLE_COMPILING,
    };
    const enum az_vd_call k = az_vd_call_of(h, call);
    if (k == AZ_VD_CALL_LAUNCH && share >= (int64_t)LOADS_US * 1000 * h->t->ticks_per_ns)
        return AZ_IDLE_COMPILING;
    return of[k];
}

/* Does a step begin in the gap? */
static bool between_steps(struct az_vd *v, const struct az_idle_gap *gap)
{
    return v->steps.n > 1 && az_vd_step_at(v, gap->start) != az_vd_step_at(v, gap->end);
}

/* No call takes most of the gap: the operator that does, or the time between the calls. */
static struct why by_operator(struct work *w, const struct az_idle_gap *gap, uint32_t call)
{
    struct az_vd_host *h = &w->h;
    const int64_t launch = h->t->ev[AZ_CALL].start[call];
    const int64_t to = launch > gap->start && launch < gap->end ? launch : gap->end;
    const uint32_t doing = az_vd_doing(h, az_vd_thread(h, call), gap->start, to);
    const int64_t longest = (int64_t)LONG_US * 1000 * h->t->ticks_per_ns;
    const enum az_vd_cause said = az_vd_op_cause(h, doing);
    if (said != AZ_IDLE_UNKNOWN)
        return (struct why){ said, AZ_NO_ID, doing };
    if (gap->end - gap->start >= longest)
        return (struct why){ between_steps(w->v, gap) ? AZ_IDLE_STEPS : AZ_IDLE_HOST, AZ_NO_ID,
                             doing != AZ_NO_ID ? doing : az_vd_op_of(h, call) };
    return (struct why){ AZ_IDLE_LAUNCHING, call_name(h->t, call), az_vd_op_of(h, call) };
}

/* Was a graph launched of which no kernel is recorded, between the work before the gap and that
 * after it: its kernels ran in the gap. */
static bool hides_graph(const struct az_vd_host *h, const struct az_idle_gap *gap)
{
    const int64_t *start = h->t->ev[AZ_CALL].start;
    const uint32_t before = gap->before == AZ_NO_ROW ? AZ_NO_ROW : az_vd_launch(h, gap->before),
                   after = az_vd_launch(h, gap->after);
    int64_t from = gap->start, to = gap->end;
    if (before != AZ_NO_ROW && start[before] < from)
        from = start[before];
    if (after != AZ_NO_ROW && start[after] < to)
        to = start[after];
    return az_vd_bare(h, from, to);
}

static struct why judge(struct work *w, const struct az_idle_gap *gap)
{
    struct az_vd_host *h = &w->h;
    struct why none = { AZ_IDLE_UNKNOWN, AZ_NO_ID, AZ_NO_ID };
    if (!w->has_host)
        return none;
    if (h->n_bare && hides_graph(h, gap))
        return (struct why){ AZ_IDLE_UNRECORDED, AZ_NO_ID, AZ_NO_ID };
    const struct az_events *c = &h->t->ev[AZ_CALL];
    const uint32_t call = az_vd_launch(h, gap->after);
    int64_t share;
    if (call == AZ_NO_ROW)
        return none;
    if (c->end[call] <= gap->start)
        return (struct why){ AZ_IDLE_QUEUED, AZ_NO_ID, az_vd_op_of(h, call) };
    const uint32_t thread = az_vd_thread(h, call);
    const uint32_t longest = az_vd_busiest(h, thread, gap->start, gap->end, &share);
    const uint32_t at = az_vd_running(h, thread, gap->start);
    const int64_t length = gap->end - gap->start;
    if (longest != AZ_NO_ROW && 2 * share >= length &&
        !(longest == at && blocks(h, at, gap) && c->end[at] < gap->end))
        return (struct why){ cause_of_call(h, longest, share), call_name(h->t, longest),
                             az_vd_op_of(h, longest) };
    if (at != AZ_NO_ROW && at != call && blocks(h, at, gap))
        return (struct why){ AZ_IDLE_SYNC, call_name(h->t, at), az_vd_op_of(h, at) };
    return by_operator(w, gap, call);
}

static double bytes_of(const struct az_trace *t, uint32_t op)
{
    const struct az_events *e = &t->ev[AZ_MEMCPY];
    if (az_op_kind(op) != AZ_MEMCPY || !e->side || e->side[az_op_row(op)] == AZ_NO_ROW)
        return 0;
    const int64_t bytes = t->copies.v[e->side[az_op_row(op)]].bytes;
    return bytes > 0 ? (double)bytes : 0;
}

static void end_run(struct work *w)
{
    if (w->run.count >= RUN) {
        w->bound.count += w->run.count;
        w->bound.ticks += w->run.ticks;
    }
    w->run = (struct run){ 0 };
}

/* Rules that add up gaps of one kind. */
static void tally(struct work *w, const struct az_idle_gap *gap, enum az_vd_cause cause)
{
    const struct az_trace *t = w->v->t;
    const enum az_kind kind = az_op_kind(gap->after);
    const uint32_t row = az_op_row(gap->after);
    const int64_t length = gap->end - gap->start;
    if (!az_vd_in_scope(w->v, gap->start))
        return;
    if (kind == AZ_KERNEL && t->ev[kind].end[row] - t->ev[kind].start[row] < w->short_limit &&
        (cause == AZ_IDLE_LAUNCHING || cause == AZ_IDLE_QUEUED || cause == AZ_IDLE_UNKNOWN)) {
        w->small.count++;
        w->small.ticks += length;
    }
    if (w->run.count && (w->run.slot != gap->slot || w->run.after != gap->before))
        end_run(w);
    if (cause != AZ_IDLE_LAUNCHING) {
        end_run(w);
        return;
    }
    w->run.slot = gap->slot;
    w->run.after = gap->after;
    w->run.count++;
    w->run.ticks += length;
}

/* The group of gaps before an operation; mostly that of the last one before it. */
static int group_of(struct work *w, const struct why *why, uint32_t next, uint32_t *group)
{
    const bool named = next < w->v->t->names.text.n;
    const uint32_t last = named ? w->last[next] : 0;
    uint32_t *at;
    bool added;
    if (last) {
        const struct group *g = &w->groups.v[last - 1];
        *group = last - 1;
        if (g->call == why->call && g->op == why->op && g->cause == why->cause)
            return 0;
    }
    int rc =
        az_map_put(&w->index, (uint64_t)why->call << 32 | why->op,
                   (uint64_t)next << 8 | (uint64_t)why->cause, (uint32_t)w->groups.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(
            &w->groups, ((struct group){
                            .cause = why->cause, .call = why->call, .op = why->op, .next = next }));
    if (rc)
        return rc;
    *group = *at;
    if (named)
        w->last[next] = *at + 1;
    return 0;
}

static int one_gap(void *ctx, const struct az_idle_gap *gap)
{
    struct work *w = ctx;
    const struct az_trace *t = w->v->t;
    const struct why why = judge(w, gap);
    const uint32_t next = t->ev[az_op_kind(gap->after)].name[az_op_row(gap->after)];
    const int64_t length = gap->end - gap->start;
    uint32_t group;
    const int rc = group_of(w, &why, next, &group);
    if (rc)
        return rc;
    tally(w, gap, why.cause);
    struct group *s = &w->groups.v[group];
    const bool steady = az_vd_in_scope(w->v, gap->start);
    s->count++;
    s->ticks += length;
    s->steady += steady ? length : 0;
    s->in_steps += steady && az_vd_step_at(w->v, gap->start) >= 0 ? length : 0;
    s->bytes += bytes_of(t, gap->after);
    if (length > s->longest) {
        s->longest = length;
        s->start = gap->start;
    }
    return 0;
}

/* ---- groups ---- */
static int longer(const void *x, const void *y, void *ctx)
{
    const struct work *w = ctx;
    const struct group *a = &w->groups.v[*(const uint32_t *)x],
                       *b = &w->groups.v[*(const uint32_t *)y];
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static struct az_sv text(struct work *w, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_SV("") : az_vd_keep(w->v, az_trace_text(w->v->t, name));
}

/* Sums of the small groups of one cause, without their names. */
static void fold(struct az_vd_idles *out, const struct az_vd_idle *s)
{
    size_t i = KEPT;
    while (i < out->n && out->v[i].cause != s->cause)
        i++;
    if (i == out->n) {
        out->v[out->n++] = *s;
        return;
    }
    struct az_vd_idle *o = &out->v[i];
    o->count += s->count;
    o->ns += s->ns;
    o->steady += s->steady;
    o->in_steps += s->in_steps;
    o->bytes += s->bytes;
    if (s->longest > o->longest) {
        o->longest = s->longest;
        o->start = s->start;
    }
}

static void keep_group(struct work *w, const struct group *g, bool named)
{
    struct az_vd_idles *out = &w->v->part->idles;
    struct az_vd_idle s = { .cause = g->cause,
                            .count = g->count,
                            .ns = az_vd_ns(w->v, g->ticks),
                            .longest = az_vd_ns(w->v, g->longest),
                            .start = az_vd_ns(w->v, g->start),
                            .bytes = g->bytes,
                            .steady = az_vd_ns(w->v, g->steady),
                            .in_steps = az_vd_ns(w->v, g->in_steps) };
    if (!named) {
        fold(out, &s);
        return;
    }
    s.call = text(w, g->call);
    s.op = text(w, g->op);
    s.next = text(w, g->next);
    out->v[out->n++] = s;
}

static int keep_groups(struct work *w)
{
    struct az_vd_idles *out = &w->v->part->idles;
    const size_t n = w->groups.n, bytes = (n + 1) * sizeof(uint32_t);
    uint32_t *order = az_mem_alloc(w->v->job->mem, bytes);
    if (!order)
        return az_mem_error(w->v->job->mem);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    int rc = az_sort_cmp(order, n, sizeof *order, longer, w, w->v->job->mem);
    out->v = az_arena_array(w->v->keep, KEPT + AZ_IDLE_CAUSES, sizeof *out->v);
    if (rc == 0 && !out->v)
        rc = az_arena_error(w->v->keep);
    for (size_t i = 0; rc == 0 && i < n; i++)
        keep_group(w, &w->groups.v[order[i]], i < KEPT);
    az_mem_free(w->v->job->mem, order, bytes);
    return rc ? rc : w->v->keep->failed ? az_arena_error(w->v->keep) : 0;
}

int az_vd_find_idle(struct az_vd *v)
{
    struct work w = { .v = v, .has_host = v->t->ev[AZ_CALL].n > 0 };
    w.short_limit = az_muldiv(az_whole(v->job->opts->short_kernel_us * 1e3), v->t->ticks_per_ns, 1);
    az_vec_init(&w.groups, v->job->mem);
    const size_t bytes = (v->t->names.text.n + 1) * sizeof *w.last;
    int rc = az_map_init(&w.index, v->job->mem, 16);
    if (rc == 0 && !(w.last = az_mem_alloc(v->job->mem, bytes)))
        rc = az_mem_error(v->job->mem);
    if (rc == 0)
        memset(w.last, 0, bytes);
    if (rc == 0 && w.has_host)
        rc = az_vd_host_make(&w.h, v);
    v->part->graphs = w.h.n_graphs;
    v->part->bare = w.h.n_bare;
    if (rc == 0)
        rc = az_idle_gaps(v->job, v->trace, one_gap, &w);
    end_run(&w);
    if (rc == 0)
        rc = keep_groups(&w);
    if (rc == 0)
        rc = az_vd_idle_findings(&(struct az_vd_idle_sums){
            .v = v, .host = w.has_host ? &w.h : NULL, .bound = w.bound, .small = w.small });
    az_map_release(&w.index);
    az_vec_release(&w.groups);
    az_mem_free(v->job->mem, w.last, w.last ? bytes : 0);
    if (w.has_host)
        az_vd_host_release(&w.h);
    return rc;
}
