/* The cause of one gap of a device: the first that applies of the table in docs/verdict.md 3.1. */
#include "analyses/verdict/exposed.h"
#include "analyses/verdict/idle.h"
#include "base/num.h"

#define RULES    "trace_names.rules"
#define SOON     5   /* within this part of the gap */
#define SLACK_US 2   /* clocks of host and device agree to this */
#define START    50  /* calls, and a tenth of all: a program starts */
#define FAR      512 /* launches before the one that ends a gap, at most */

int az_verdict_judge_make(struct az_verdict_judge *j, struct az_verdict *v,
                          struct az_verdict_host *h)
{
    const double us = 1e3 * (double)v->t->ticks_per_ns;
    int rc;
    *j = (struct az_verdict_judge){ .v = v, .h = h, .trust = az_job_trust(v->job, v->trace, &rc) };
    if (!j->trust)
        return rc;
    j->device_gap = az_whole(v->job->opts->device_gap_us * us);
    j->spacing = az_whole(v->job->opts->launch_spacing_us * us);
    const enum az_check_status order = j->trust->check[AZ_CHECK_LAUNCH_ORDER].status;
    if (order == AZ_CHECK_WARN || order == AZ_CHECK_FAIL)
        j->doubtful = az_muldiv(j->trust->lead_median, 10, 1);
    j->migrates = az_arena_array(v->job->arena, v->t->names.text.n + 1, 1);
    if (!j->migrates)
        return az_arena_error(v->job->arena);
    return az_rules_read_group(RULES, "device_copy", v->job->arena, &j->copy_rules);
}

bool az_verdict_migrates(struct az_verdict_judge *j, uint32_t op)
{
    const struct az_trace *t = j->v->t;
    if (op == AZ_NO_ROW || az_op_kind(op) != AZ_MEMCPY)
        return false;
    const uint32_t name = t->ev[AZ_MEMCPY].name[az_op_row(op)];
    if (name == AZ_NO_ID)
        return false;
    if (!j->migrates[name]) {
        const struct az_sv text = az_trace_text(t, name);
        const bool moves = az_rules_class_of(&j->copy_rules, "device_copy", text).n > 0;
        j->migrates[name] = !moves ? 1 : az_verdict_is_to_host(text) ? 3 : 2;
    }
    return j->migrates[name] > 1;
}

/* A gap between two operations, and the calls that launched them; AZ_NO_ROW. */
struct between {
    const struct az_idle_gap *gap;
    uint32_t before, after;
};

/* ---- calls in the gap ---- */
struct calls {                          /* of one thread, what is in another call not counted */
    int64_t slow;                       /* ticks in slow calls, */
    int64_t launching;                  /* and in calls that launch and are not slow */
    int64_t share[AZ_VERDICT_CALLS];    /* ticks in slow calls of a class */
    uint32_t longest[AZ_VERDICT_CALLS]; /* row; of a class with a share */
    int64_t most[AZ_VERDICT_CALLS];     /* ticks in that one */
    /* The last call that waits, of those before the launch if there is one; AZ_NO_ROW. */
    uint32_t wait;
    int64_t first_wait; /* start of the first, if there is one */
    int64_t launch;     /* start of the launch that ends the gap */
};

static inline void count_call(struct az_verdict_host *h, struct calls *c, uint32_t row,
                              int64_t from, int64_t to)
{
    const struct az_events *e = h->calls.e;
    const int64_t lo = e->start[row] > from ? e->start[row] : from;
    const int64_t part = (e->end[row] < to ? e->end[row] : to) - lo;
    const enum az_verdict_call k = az_verdict_call_of(h, row);
    if (k == AZ_VERDICT_CALL_SYNC) {
        c->first_wait = c->wait == AZ_NO_ROW ? e->start[row] : c->first_wait;
        c->wait = c->wait == AZ_NO_ROW || e->start[row] < c->launch ? row : c->wait;
    }
    if (part <= 0)
        return;
    if (k != AZ_VERDICT_CALL_SYNC && k != AZ_VERDICT_CALL_ALLOCATE && !az_verdict_is_slow(h, row)) {
        c->launching += az_verdict_launches(k) ? part : 0;
        return;
    }
    c->launching +=
        k == AZ_VERDICT_CALL_LAUNCH || k == AZ_VERDICT_CALL_GRAPH || k == AZ_VERDICT_CALL_FILL
            ? part
            : 0;
    if (c->share[k] == 0 || part > c->most[k]) {
        c->most[k] = part;
        c->longest[k] = row;
    }
    c->share[k] += part;
    c->slow += part;
}

static void look_at_calls(struct az_verdict_host *h, uint32_t thread, int64_t from, int64_t to,
                          struct calls *c)
{
    const struct az_verdict_nest *n = &h->calls;
    const int64_t slack = (int64_t)SLACK_US * 1000 * h->t->ticks_per_ns;
    int64_t counted = INT64_MIN;
    c->slow = c->launching = 0;
    memset(c->share, 0, sizeof c->share);
    c->wait = AZ_NO_ROW;
    size_t i = az_verdict_first_place(n, thread, from - slack);
    for (const size_t end = n->first[thread + 1]; i < end; i++) {
        const uint32_t row = az_verdict_row(n, i);
        if (n->e->start[row] >= to)
            break;
        if (n->e->end[row] <= counted || n->e->end[row] < from - slack)
            continue;
        count_call(h, c, row, from, to);
        counted = n->e->end[row];
    }
}

static bool is_half(int64_t part, int64_t length) { return part >= length - part && part > 0; }

/* A cause by a call that fills at least half of the gap. */
static enum az_cause call_cause(const struct calls *c, int64_t length, uint32_t *call)
{
    static const struct {
        enum az_verdict_call call;
        enum az_cause cause;
    } of[] = { { AZ_VERDICT_CALL_PROFILER, AZ_CAUSE_PROFILER_OVERHEAD },
               { AZ_VERDICT_CALL_COPY, AZ_CAUSE_BLOCKING_COPY },
               { AZ_VERDICT_CALL_ASYNC_COPY, AZ_CAUSE_BLOCKING_COPY },
               { AZ_VERDICT_CALL_ALLOCATE, AZ_CAUSE_ALLOCATION },
               { AZ_VERDICT_CALL_OTHER, AZ_CAUSE_BLOCKING_CALL },
               { AZ_VERDICT_CALL_PREPARE, AZ_CAUSE_BLOCKING_CALL },
               { AZ_VERDICT_CALL_LOAD, AZ_CAUSE_MODULE_LOADING },
               { AZ_VERDICT_CALL_LAUNCH, AZ_CAUSE_MODULE_LOADING } };
    for (size_t i = 0; i < AZ_LENGTH(of) && is_half(c->slow, length); i++) {
        if (!is_half(c->share[of[i].call], length))
            continue;
        *call = c->longest[of[i].call];
        return of[i].cause;
    }
    return AZ_CAUSE_NONE;
}

/* ---- waits ---- */
/* A copy that ends with its own work on the device is a wait for it. */
static uint32_t own_copy(const struct az_verdict_host *h, const struct between *b)
{
    const uint32_t call = b->before;
    if (call == AZ_NO_ROW || h->t->ev[AZ_CALL].end[call] < b->gap->start)
        return AZ_NO_ROW;
    const enum az_verdict_call k = az_verdict_call_of(h, call);
    return k == AZ_VERDICT_CALL_COPY || k == AZ_VERDICT_CALL_ASYNC_COPY ? call : AZ_NO_ROW;
}

/* The call that waited and after which the launch of the next operation follows at once. */
static uint32_t waited_in(const struct az_verdict_judge *j, const struct calls *c,
                          const struct between *b, int64_t length)
{
    const struct az_verdict_host *h = j->h;
    const struct az_events *e = &h->t->ev[AZ_CALL];
    const int64_t most = length / SOON > j->spacing ? length / SOON : j->spacing;
    const uint32_t copy = own_copy(h, b), launch = b->after;
    if (c->wait != AZ_NO_ROW && is_half(c->share[AZ_VERDICT_CALL_SYNC], length))
        return c->wait;
    const uint32_t wait = c->wait != AZ_NO_ROW ? c->wait : copy;
    if (wait == AZ_NO_ROW || wait == launch || e->end[wait] > e->start[launch] ||
        e->start[launch] - e->end[wait] > most)
        return AZ_NO_ROW;
    const int64_t first = c->wait != AZ_NO_ROW ? c->first_wait : e->start[copy];
    const int64_t waits = e->end[wait] - (first > b->gap->start ? first : b->gap->start);
    if (c->wait != AZ_NO_ROW && waits > 0 && !is_half(c->share[AZ_VERDICT_CALL_SYNC], waits))
        return AZ_NO_ROW; /* short waits, with work of the host between them */
    return first - b->gap->start <= length / 2 ? wait : AZ_NO_ROW;
}

/* ---- launching ---- */
/* No two launches in a row, from the last one before the gap to the one that ends it, are further
 * apart than the threshold, and the thread does not wait for the device in between. */
static bool launches_on(const struct az_verdict_judge *j, uint32_t thread, uint32_t launch,
                        int64_t gap_start)
{
    struct az_verdict_host *h = j->h;
    const struct az_verdict_nest *n = &h->calls;
    int64_t next = n->e->start[launch];
    size_t i = az_verdict_place_at(n, thread, next), steps = 0;
    for (; i > n->first[thread] && steps < FAR; i--, steps++) {
        const uint32_t row = az_verdict_row(n, i - 1);
        const int64_t start = n->e->start[row];
        const enum az_verdict_call call = az_verdict_call_of(h, row);
        if (next - start > j->spacing || call == AZ_VERDICT_CALL_SYNC)
            return false;
        if (n->e->end[row] >= n->e->end[launch] || !az_verdict_launches(call))
            continue; /* it, or what it is in */
        if (start <= gap_start)
            return true;
        next = start;
    }
    return false;
}

/* ---- places ---- */
static uint32_t name_of(const struct az_events *e, uint32_t row)
{
    return row == AZ_NO_ROW ? AZ_NO_ID : e->name[row];
}

static void set_place(struct az_verdict_host *h, const struct az_verdict_doing *d,
                      struct az_verdict_why *why)
{
    const struct az_events *ranges = &h->t->ev[AZ_RANGE], *frames = h->frames.e;
    const uint32_t frame = d->frame == AZ_NO_ROW ? AZ_NO_ROW : az_verdict_row(&h->frames, d->frame);
    why->range = d->range == AZ_NO_ROW || ranges->name[d->range] == AZ_NO_ID
                     ? AZ_NO_ID
                     : h->given[ranges->name[d->range]] - 1;
    why->frame = name_of(frames, frame);
    why->op = name_of(&h->t->ev[AZ_HOST_OP], d->op);
    why->place_frame =
        frame != AZ_NO_ROW && (d->range == AZ_NO_ROW ||
                               (d->own_frame && frames->start[frame] >= ranges->start[d->range]));
    why->place = why->place_frame ? why->frame : why->range;
    why->in_op = why->place_frame && d->op != AZ_NO_ROW &&
                 h->t->ev[AZ_HOST_OP].start[d->op] >= frames->start[frame];
}

/* A gap that the host decides, and the threads that decide it: the one that launches what follows,
 * and the main thread of its process if that is another one. */
enum { LAUNCHING, MAIN, THREADS };
struct host_gap {
    struct az_verdict_host *h;
    uint32_t launch;          /* row of the call */
    uint32_t thread[THREADS]; /* MAIN: AZ_NO_ROW for none */
    int64_t from, to;
    struct az_verdict_doing doing[THREADS]; /* over the whole gap, */
    bool known[THREADS];                    /* once it was needed */
    bool placed;                            /* so is the place in `why` */
    struct az_verdict_doing placed_in;
    struct az_verdict_why *why;
};

/* By its launch, on one thread. What is not known yet stays as it is. */
static void begin_gap(struct host_gap *g, struct az_verdict_host *h, uint32_t launch, int64_t from,
                      int64_t to)
{
    g->h = h;
    g->launch = launch;
    g->thread[LAUNCHING] = az_verdict_thread(h, launch);
    g->thread[MAIN] = AZ_NO_ROW;
    g->from = from;
    g->to = to;
    g->known[LAUNCHING] = g->known[MAIN] = g->placed = false;
}

static const struct az_verdict_doing *doing(struct host_gap *g, size_t i)
{
    if (!g->known[i])
        az_verdict_find_doing(g->h, g->thread[i], g->from, g->to, &g->doing[i]);
    g->known[i] = true;
    return &g->doing[i];
}

/* The thread that launches, else the main thread. */
static bool asks_main(const struct host_gap *g, const struct az_verdict_doing *d)
{
    return g->thread[MAIN] != AZ_NO_ROW && d->range == AZ_NO_ROW && d->frame == AZ_NO_ROW;
}

static bool contains(const struct az_events *e, uint32_t row, int64_t from, int64_t to)
{
    return row != AZ_NO_ROW && e->start[row] <= from && e->end[row] >= to;
}

/* Does the place launch what runs before the gap and after it? */
static void see_launches(uint32_t before, struct host_gap *g)
{
    struct az_verdict_host *h = g->h;
    const struct az_verdict_doing *d = &g->placed_in;
    const int64_t *start = h->t->ev[AZ_CALL].start;
    if (before == AZ_NO_ROW || start[before] > start[g->launch])
        return;
    g->why->launches =
        g->why->place_frame
            ? contains(h->frames.e, az_verdict_row(&h->frames, d->frame), start[before],
                       start[g->launch])
            : contains(&h->t->ev[AZ_RANGE], d->range, start[before], start[g->launch]);
}

static void set_place_of(struct host_gap *g, const struct az_verdict_doing *of_launching,
                         const struct az_verdict_doing *of_main)
{
    struct az_verdict_doing d = *of_launching;
    if (of_main) {
        d.range = of_main->range;
        d.frame = of_main->frame;
        d.own_frame = of_main->own_frame;
        d.op = d.op == AZ_NO_ROW ? of_main->op : d.op;
    }
    set_place(g->h, &d, g->why);
    g->placed_in = d;
}

static void place_gap(struct host_gap *g)
{
    if (g->placed)
        return;
    const struct az_verdict_doing *d = doing(g, LAUNCHING);
    set_place_of(g, d, asks_main(g, d) ? doing(g, MAIN) : NULL);
    g->placed = true;
}

/* While launches go on, the operator changes from one to the next: where no frame names the place,
 * it is what ran in the middle of the gap. */
static void place_launch_bound(struct host_gap *g)
{
    const int64_t middle = g->from + (g->to - g->from) / 2;
    if (az_verdict_nest_size(&g->h->frames, g->h->threads) > 0)
        place_gap(g);
    if (g->why->frame != AZ_NO_ID)
        return;
    struct az_verdict_doing d, of_main;
    az_verdict_find_doing(g->h, g->thread[LAUNCHING], middle, middle, &d);
    const bool main = asks_main(g, &d);
    if (main)
        az_verdict_find_doing(g->h, g->thread[MAIN], middle, middle, &of_main);
    set_place_of(g, &d, main ? &of_main : NULL);
}

/* The operator that waits, which may have begun long before the gap; not one that ends where the
 * wait begins. */
static void place_wait(struct host_gap *g, uint32_t wait)
{
    const struct az_events *calls = &g->h->t->ev[AZ_CALL];
    struct az_verdict_doing d;
    az_verdict_find_doing(g->h, az_verdict_thread(g->h, wait), calls->start[wait], calls->end[wait],
                          &d);
    g->why->op = name_of(&g->h->t->ev[AZ_HOST_OP], d.op);
}

/* ---- the device ---- */
/* Nodes of one graph launch, or the next replay was launched before the gap. */
static bool is_graph_gap(const struct az_verdict_host *h, const struct between *b)
{
    if (az_verdict_call_of(h, b->after) != AZ_VERDICT_CALL_GRAPH)
        return false;
    return b->before == b->after || h->t->ev[AZ_CALL].end[b->after] <= b->gap->start;
}

static uint32_t lane_of(const struct az_trace *t, uint32_t op)
{
    return t->ev[az_op_kind(op)].lane[az_op_row(op)];
}

/* Work ran in the gap that is not recorded. */
static bool is_unrecorded(struct az_verdict_judge *j, const struct between *b)
{
    struct az_verdict_host *h = j->h;
    const int64_t *start = h->t->ev[AZ_CALL].start;
    const struct az_idle_gap *gap = b->gap;
    const uint32_t before = b->before, after = b->after;
    const struct az_trust *r = j->trust;
    int64_t from = gap->start, to = gap->end;
    if ((r->n_early && az_trust_is_early(r, gap->after)) ||
        (r->n_lost && az_trust_gap_has_lost(r, h->t, from, to, before, after)) ||
        (r->n_bare && az_trust_gap_has_graph(r, h->t, from, to, before, after)))
        return true;
    if (h->n_bare == 0)
        return false;
    if (before != AZ_NO_ROW && start[before] < from)
        from = start[before];
    if (after != AZ_NO_ROW && start[after] < to)
        to = start[after];
    return az_verdict_bare(h, from, to);
}

/* Causes that do not depend on the host; AZ_CAUSES: the host decides. */
static enum az_cause device_cause(const struct az_verdict_judge *j, const struct between *b,
                                  int64_t length)
{
    const struct az_verdict_host *h = j->h;
    const struct az_idle_gap *gap = b->gap;
    if (b->after == AZ_NO_ROW || length < j->doubtful)
        return AZ_CAUSE_UNKNOWN;
    if (is_graph_gap(h, b))
        return AZ_CAUSE_GRAPH_GAP;
    const int64_t queued = gap->end - h->t->ev[AZ_CALL].end[b->after]; /* since it returned */
    /* long before the end of the gap: of another stream half, of one of its own nearly all of it */
    const bool waits =
        queued >= j->spacing &&
        (lane_of(h->t, gap->before) != lane_of(h->t, gap->after) ? 2 * queued > length
                                                                 : queued > length - length / 10);
    if (queued < length && !waits)
        return AZ_CAUSES;
    return length < j->device_gap ? AZ_CAUSE_DEVICE_GAP : AZ_CAUSE_DEPENDENCY;
}

/* ---- the host ---- */
/* The cause of a name over the gap. Loading, saving and compiling take longer than a launch:
 * shorter gaps are skipped; and while the thread launches all the time only what is innermost
 * counts.
 */
static enum az_cause named_cause(const struct az_verdict_judge *j, struct host_gap *g,
                                 bool launching)
{
    enum az_cause c = AZ_CAUSE_NONE;
    if (g->to - g->from < j->device_gap)
        return c;
    if (launching) {
        place_gap(g);
        c = az_verdict_cause_of_name(j->h, g->why->place);
        return c ? c : az_verdict_cause_of_name(j->h, g->why->op);
    }
    for (size_t i = 0; i < THREADS && !c; i++)
        if (g->thread[i] != AZ_NO_ROW)
            c = az_verdict_named_cause(j->h, doing(g, i), g->from, g->to);
    return c;
}

/* A launch of a kernel that was launched before: its code is loaded. */
static bool is_loaded(const struct az_verdict_host *h, uint32_t call)
{
    return call != AZ_NO_ROW && h->loaded && h->loaded[call];
}

/* AZ_CAUSES: the place decides. */
static enum az_cause host_cause(struct az_verdict_judge *j, const struct between *b,
                                struct host_gap *g, uint32_t *call)
{
    struct az_verdict_host *h = j->h;
    const int64_t from = g->from, to = g->to, length = to - from;
    struct calls c = { .launch = h->t->ev[AZ_CALL].start[g->launch] }, of_main = c;
    if (is_half(az_verdict_part_in(&h->profiler, from, to), length))
        return AZ_CAUSE_PROFILER_OVERHEAD;
    look_at_calls(h, g->thread[LAUNCHING], from, to, &c);
    enum az_cause by_call = call_cause(&c, length, call);
    if (by_call == AZ_CAUSE_MODULE_LOADING && is_loaded(h, *call))
        by_call = AZ_CAUSE_BLOCKING_CALL;
    const uint32_t wait = waited_in(j, &c, b, length);
    if (by_call && !(wait != AZ_NO_ROW && wait == *call)) /* its own copy: it waits for that */
        return by_call;
    if (g->thread[MAIN] != AZ_NO_ROW) {
        look_at_calls(h, g->thread[MAIN], from, to, &of_main);
        const enum az_cause of = call_cause(&of_main, length, call);
        if (of)
            return of == AZ_CAUSE_MODULE_LOADING && is_loaded(h, *call) ? AZ_CAUSE_BLOCKING_CALL
                                                                        : of;
    }
    if (is_half(az_verdict_part_in(&h->loads, from, to), length)) {
        *call = g->launch;
        return AZ_CAUSE_MODULE_LOADING;
    }
    const bool launching =
        is_half(c.launching, length) || launches_on(j, g->thread[LAUNCHING], g->launch, from);
    const enum az_cause named = named_cause(j, g, launching);
    if (named)
        return named;
    *call = wait;
    if (wait != AZ_NO_ROW)
        return AZ_CAUSE_SYNCHRONIZATION;
    return launching ? AZ_CAUSE_LAUNCH_BOUND : AZ_CAUSES;
}

static enum az_cause place_cause(const struct az_verdict_why *why)
{
    return why->place == AZ_NO_ID || why->in_op ? AZ_CAUSE_HOST_COMPUTE
           : why->place_frame                   ? AZ_CAUSE_HOST_FRAME
                                                : AZ_CAUSE_HOST_RANGE;
}

/* What fills the gap may be a call of the operating system on the thread that launches (others may
 * wait for it): it is the cause where no range and no frame names one. */
static void see_system_call(struct host_gap *g)
{
    if (g->h->t->ev[AZ_OSRT].n)
        g->why->call = az_verdict_system_call(g->h, g->thread[LAUNCHING], g->from, g->to);
    if (g->why->call != AZ_NO_ID && g->why->cause == AZ_CAUSE_HOST_COMPUTE)
        g->why->cause = AZ_CAUSE_BLOCKING_CALL;
}

/* Pages are moved when they are touched: no call launches that. Long after other work it is what
 * the host did before it touched them. */
static bool judge_migration(struct az_verdict_judge *j, const struct az_idle_gap *gap, int64_t from,
                            int64_t to, struct az_verdict_why *why)
{
    if (!az_verdict_migrates(j, gap->after))
        return false;
    const uint32_t before = j->h ? az_verdict_launch(j->h, gap->before) : AZ_NO_ROW;
    why->cause = AZ_CAUSE_PAGE_FAULT;
    why->host_access = j->migrates[j->v->t->ev[AZ_MEMCPY].name[az_op_row(gap->after)]] == 3;
    if (az_verdict_migrates(j, gap->before) || to - from <= j->spacing)
        return true;
    why->cause = AZ_CAUSE_UNKNOWN_HOST;
    if (before == AZ_NO_ROW)
        return true;
    struct host_gap g;
    begin_gap(&g, j->h, before, from, to);
    g.why = why;
    place_gap(&g);
    why->cause = place_cause(why);
    return true;
}

/* Row of the first call of a name that a call has. */
static uint32_t first_row(struct az_verdict_host *h, uint32_t name)
{
    const struct az_events *c = &h->t->ev[AZ_CALL];
    uint32_t row = 0;
    if (name == AZ_NO_ID)
        return AZ_NO_ROW;
    while (!h->first_of[name] && c->name[row] != name) /* by start */
        row++;
    if (!h->first_of[name])
        h->first_of[name] = row + 1;
    return h->first_of[name] - 1;
}

/* The first call of a name that allocates or blocks, while the program starts. */
static bool is_first(struct az_verdict_host *h, enum az_cause cause, uint32_t call)
{
    const struct az_events *e = &h->t->ev[AZ_CALL];
    return (cause == AZ_CAUSE_ALLOCATION || cause == AZ_CAUSE_BLOCKING_CALL) && call != AZ_NO_ROW &&
           call < START + e->n / 10 && first_row(h, name_of(e, call)) == call;
}

static void judge_host_gap(struct az_verdict_judge *j, const struct between *b, struct host_gap *g)
{
    uint32_t call = AZ_NO_ROW;
    enum az_cause cause = host_cause(j, b, g, &call);
    if (cause == AZ_CAUSE_LAUNCH_BOUND)
        place_launch_bound(g);
    else
        place_gap(g);
    if (cause == AZ_CAUSE_SYNCHRONIZATION)
        place_wait(g, call);
    g->why->cause = cause == AZ_CAUSES ? place_cause(g->why) : cause;
    if (cause == AZ_CAUSES && g->why->place != AZ_NO_ID)
        see_launches(b->before, g);
    g->why->call = name_of(&j->h->t->ev[AZ_CALL], call);
    if (cause == AZ_CAUSES)
        see_system_call(g);
    g->why->first_use = cause == AZ_CAUSE_MODULE_LOADING || is_first(j->h, cause, call);
}

void az_verdict_judge_gap(struct az_verdict_judge *j, const struct az_idle_gap *gap, int64_t from,
                          int64_t to, struct az_verdict_why *why)
{
    struct az_verdict_host *h = j->h;
    *why = (struct az_verdict_why){ .cause = AZ_CAUSE_UNKNOWN,
                                    .call = AZ_NO_ID,
                                    .range = AZ_NO_ID,
                                    .frame = AZ_NO_ID,
                                    .op = AZ_NO_ID,
                                    .place = AZ_NO_ID };
    if (judge_migration(j, gap, from, to, why) || !h)
        return;
    const struct between b = { gap, az_verdict_launch(h, gap->before),
                               az_verdict_launch(h, gap->after) };
    if (is_unrecorded(j, &b)) {
        why->cause = AZ_CAUSE_NONE;
        return;
    }
    why->cause = device_cause(j, &b, to - from);
    if (why->cause == AZ_CAUSE_DEPENDENCY)
        why->waits_stream = lane_of(h->t, gap->before) != lane_of(h->t, gap->after);
    if (why->cause != AZ_CAUSES)
        return;
    struct host_gap g;
    begin_gap(&g, h, b.after, from, to);
    if (h->main[g.thread[LAUNCHING]] != g.thread[LAUNCHING])
        g.thread[MAIN] = h->main[g.thread[LAUNCHING]];
    g.why = why;
    judge_host_gap(j, &b, &g);
}
