/* The rule `idle`: gaps of a device by what the host did (docs/verdict.md 3). */
#include "facts/idle.h"
#include "analyses/verdict/host.h"
#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"

#define KEPT     60   /* groups of a part; the smaller ones are one by cause */
#define RUN      8    /* gaps in a row that are bound by launching */
#define LOADS_US 400  /* from here a call that launches loads code */
#define LONG_US  1000 /* from here a gap is another thing than slow launching */

static const char *const cause_text[AZ_IDLE_CAUSES] = {
    [AZ_IDLE_UNKNOWN] = "launch not recorded",
    [AZ_IDLE_QUEUED] = "launched before",
    [AZ_IDLE_LAUNCHING] = "launching too slowly",
    [AZ_IDLE_HOST] = "other work of the host",
    [AZ_IDLE_SYNC] = "after a synchronous call",
    [AZ_IDLE_WAITING] = "in a synchronous call",
    [AZ_IDLE_COPYING] = "in a copy",
    [AZ_IDLE_ALLOCATING] = "allocating",
    [AZ_IDLE_COMPILING] = "compiling",
    [AZ_IDLE_LOADING] = "loading data",
    [AZ_IDLE_SAVING] = "saving",
    [AZ_IDLE_STEPS] = "between steps",
    [AZ_IDLE_UNRECORDED] = "unrecorded graph",
};
static const char *const advice[AZ_IDLE_CAUSES] = {
    [AZ_IDLE_UNKNOWN] = "record the calls of the host, too: they say why",
    [AZ_IDLE_QUEUED] = "look at what the device waits for: other streams, events, other devices",
    [AZ_IDLE_LAUNCHING] = "launch less: compile, fuse, batch more, or replay the step as a graph",
    [AZ_IDLE_HOST] = "find what the host does there (record stacks) and move it out of the step",
    [AZ_IDLE_SYNC] = "queue the next work before that call, and read results later",
    [AZ_IDLE_WAITING] = "avoid the call, or queue other work before it",
    [AZ_IDLE_COPYING] = "copy from pinned memory without blocking, ahead of the work that needs it",
    [AZ_IDLE_ALLOCATING] = "allocate before the steps, or through a caching allocator",
    [AZ_IDLE_COMPILING] = "compile and load before the steps, and keep what was compiled",
    [AZ_IDLE_LOADING] = "load and prepare data ahead, in other threads or processes",
    [AZ_IDLE_SAVING] = "save from another thread, or less often",
    [AZ_IDLE_STEPS] = "prepare the next step while the device computes",
    [AZ_IDLE_UNRECORDED] = "record the kernels of graphs",
};
static struct az_sv cause_name(enum az_vd_cause c) { return az_sv_str(cause_text[c]); }

struct group {
    struct az_vd_idle sum; /* texts are filled in at the end; times are ticks */
    uint32_t call, op, next;
};
AZ_VEC(struct group, groups);

struct tally {
    int64_t count, ticks;
};
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
    struct run run; /* launch_bound */
    struct tally bound, small;
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
static bool between_steps(const struct az_vd *v, const struct az_idle_gap *gap)
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
    if (az_vd_warming(w->v, gap->start))
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

static int one_gap(void *ctx, const struct az_idle_gap *gap)
{
    struct work *w = ctx;
    const struct az_trace *t = w->v->t;
    const struct why why = judge(w, gap);
    const uint32_t next = t->ev[az_op_kind(gap->after)].name[az_op_row(gap->after)];
    const int64_t length = gap->end - gap->start;
    uint32_t *at;
    bool added;
    int rc =
        az_map_put(&w->index, (uint64_t)why.call << 32 | why.op,
                   (uint64_t)next << 8 | (uint64_t)why.cause, (uint32_t)w->groups.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(
            &w->groups,
            ((struct group){
                .sum = { .cause = why.cause }, .call = why.call, .op = why.op, .next = next }));
    if (rc)
        return rc;
    tally(w, gap, why.cause);
    struct az_vd_idle *s = &w->groups.v[*at].sum;
    const bool steady = !az_vd_warming(w->v, gap->start);
    s->count++;
    s->ns += length;
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
    const struct group *a = x, *b = y;
    (void)ctx;
    if (a->sum.ns != b->sum.ns)
        return a->sum.ns > b->sum.ns ? -1 : 1;
    return a->sum.start < b->sum.start ? -1 : a->sum.start > b->sum.start;
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

static int keep_groups(struct work *w)
{
    struct az_vd_idles *out = &w->v->part->idles;
    int rc =
        az_sort_cmp(w->groups.v, w->groups.n, sizeof *w->groups.v, longer, NULL, w->v->job->mem);
    out->v = az_arena_array(w->v->keep, KEPT + AZ_IDLE_CAUSES, sizeof *out->v);
    if (rc == 0 && !out->v)
        rc = az_arena_error(w->v->keep);
    for (size_t i = 0; rc == 0 && i < w->groups.n; i++) {
        struct group *g = &w->groups.v[i];
        struct az_vd_idle s = g->sum;
        s.ns = az_vd_ns(w->v, s.ns);
        s.steady = az_vd_ns(w->v, s.steady);
        s.in_steps = az_vd_ns(w->v, s.in_steps);
        s.longest = az_vd_ns(w->v, s.longest);
        s.start = az_vd_ns(w->v, s.start);
        if (i >= KEPT) {
            fold(out, &s);
            continue;
        }
        s.call = text(w, g->call);
        s.op = text(w, g->op);
        s.next = text(w, g->next);
        out->v[out->n++] = s;
    }
    return rc ? rc : w->v->keep->failed ? az_arena_error(w->v->keep) : 0;
}

/* ---- findings ---- */
static bool by_call(enum az_vd_cause c)
{
    return c == AZ_IDLE_SYNC || c == AZ_IDLE_WAITING || c == AZ_IDLE_COPYING ||
           c == AZ_IDLE_ALLOCATING;
}

static struct az_sv subject(struct work *w, const struct az_vd_idle *s)
{
    struct az_arena *a = w->v->job->arena;
    const int n = (int)(s->call.n < 60 ? s->call.n : 60);
    const char *call = s->call.n ? s->call.p : "a call";
    const int cut = s->call.n ? n : (int)strlen(call);
    switch (s->cause) {
    case AZ_IDLE_SYNC:
        return az_arena_printf(a, "nothing was queued after %.*s", cut, call);
    case AZ_IDLE_WAITING:
    case AZ_IDLE_COPYING:
    case AZ_IDLE_ALLOCATING:
        return az_arena_printf(a, "host in %.*s", cut, call);
    case AZ_IDLE_QUEUED:
        return AZ_SV("work was launched in time, the device itself waited");
    case AZ_IDLE_LAUNCHING:
        return AZ_SV("the host launches too slowly");
    case AZ_IDLE_HOST:
        return AZ_SV("the host does other work and launches nothing");
    case AZ_IDLE_COMPILING:
        return AZ_SV("the host compiles or loads code");
    case AZ_IDLE_LOADING:
        return AZ_SV("the host loads data");
    case AZ_IDLE_SAVING:
        return AZ_SV("the host saves a checkpoint");
    case AZ_IDLE_STEPS:
        return AZ_SV("between steps");
    default:
        return w->has_host && w->v->t->ev[AZ_CALL].n ? AZ_SV("what the host did is not recorded")
                                                     : AZ_SV("no calls of the host are recorded");
    }
}

/* ", mostly in aten::to before Memcpy HtoD (0.6 MB)": what most of the time of one finding has in
 * common. */
static struct az_sv detail(struct work *w, const struct az_vd_idle *s, const struct az_vd_idle *of,
                           size_t n, int64_t all)
{
    struct az_arena *a = w->v->job->arena;
    struct az_sv out = AZ_SV("");
    int64_t op = 0, next = 0;
    char size[AZ_HUMAN_MAX];
    for (size_t i = 0; i < n; i++) {
        const bool same =
            of[i].cause == s->cause && (!by_call(s->cause) || az_sv_eq(of[i].call, s->call));
        op += same && az_sv_eq(of[i].op, s->op) ? of[i].steady : 0;
        next += same && az_sv_eq(of[i].next, s->next) ? of[i].steady : 0;
    }
    if (s->op.n && 2 * op >= all)
        out =
            az_arena_printf(a, "%s in %.*s%s", 10 * op < 9 * all ? ", mostly" : "",
                            (int)(s->op.n < 60 ? s->op.n : 60), s->op.p, s->op.n > 60 ? "..." : "");
    if (s->next.n && 2 * next >= all) {
        const struct az_sv name = s->bytes > 0 ? s->next : az_vd_short(s->next);
        out = az_arena_printf(a, "%.*s%s before %.*s%s", AZ_SVF(out),
                              s->cause == AZ_IDLE_UNKNOWN ? ", mostly" : "",
                              (int)(name.n < 60 ? name.n : 60), name.p, name.n > 60 ? "..." : "");
        az_human_bytes(s->bytes / (double)s->count, size);
        if (s->bytes > 0)
            out = az_arena_printf(a, "%.*s of %s", AZ_SVF(out), size);
    }
    return out;
}

/* A call that only waits, as against a copy. */
static bool is_sync(const struct work *w, struct az_sv call)
{
    return az_sv_is(az_vd_call_class(&w->h, call), "synchronise");
}

/* Groups of one cause (and call where that is what matters) are one finding. */
static int tell(struct work *w, size_t first, uint8_t *told)
{
    const struct az_vd_idles *in = &w->v->part->idles;
    const struct az_vd_idle *s = &in->v[first];
    struct az_vd_found f = { .gain = 0 };
    int64_t whole = 0, in_steps = 0;
    for (size_t i = first; i < in->n; i++) {
        const struct az_vd_idle *x = &in->v[i];
        if (told[i] || x->cause != s->cause || (by_call(s->cause) && !az_sv_eq(x->call, s->call)))
            continue;
        told[i] = 1;
        f.count += x->count;
        whole += x->ns;
        f.gain += x->steady;
        in_steps += x->in_steps;
    }
    f.ns = whole;
    f.subject = subject(w, s);
    f.detail = detail(w, s, in->v, in->n, f.gain);
    f.row = cause_name(s->cause);
    f.call = s->call;
    f.advice = az_sv_str(advice[s->cause]);
    if (s->cause == AZ_IDLE_UNRECORDED) /* the rule about graphs says it */
        return 0;
    int rc = az_vd_add(w->v, "idle", &f);
    if (rc || in_steps == 0 || s->cause != AZ_IDLE_SYNC || !is_sync(w, s->call))
        return rc;
    f.gain = in_steps;
    f.advice = AZ_SV(""); /* the rule's */
    f.subject = az_arena_printf(w->v->job->arena, "nothing is queued after %.*s inside a step",
                                AZ_SVF(s->call));
    return az_vd_add(w->v, "sync_in_step", &f);
}

static int tell_sums(struct work *w)
{
    struct az_vd *v = w->v;
    struct az_vd_found f = { .subject = AZ_SV("runs of kernels that are shorter than their launch"),
                             .detail = AZ_SV(""),
                             .row = cause_name(AZ_IDLE_LAUNCHING),
                             .count = w->bound.count,
                             .ns = az_vd_ns(v, w->bound.ticks),
                             .gain = az_vd_ns(v, w->bound.ticks) };
    int rc = f.count ? az_vd_add(v, "launch_bound", &f) : 0;
    f.subject = az_arena_printf(v->job->arena, "before kernels of less than %g us",
                                v->job->opts->short_kernel_us);
    f.row = AZ_SV("");
    f.count = w->small.count;
    f.ns = f.gain = az_vd_ns(v, w->small.ticks);
    return rc == 0 && f.count ? az_vd_add(v, "small_work", &f) : rc;
}

static int findings(struct work *w)
{
    const struct az_vd_idles *in = &w->v->part->idles;
    uint8_t *told = az_arena_array(w->v->job->arena, in->n + 1, 1);
    int rc = told ? 0 : az_arena_error(w->v->job->arena);
    for (size_t i = 0; rc == 0 && i < in->n; i++)
        if (!told[i])
            rc = tell(w, i, told);
    return rc;
}

int az_vd_find_idle(struct az_vd *v)
{
    struct work w = { .v = v, .has_host = v->t->ev[AZ_CALL].n > 0 };
    w.short_limit = az_muldiv(az_whole(v->job->opts->short_kernel_us * 1e3), v->t->ticks_per_ns, 1);
    az_vec_init(&w.groups, v->job->mem);
    int rc = az_map_init(&w.index, v->job->mem, 64);
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
        rc = findings(&w);
    if (rc == 0)
        rc = tell_sums(&w);
    az_map_release(&w.index);
    az_vec_release(&w.groups);
    if (w.has_host)
        az_vd_host_release(&w.h);
    return rc;
}

/* ---- table ---- */
int az_vd_idle_table(struct az_vd_whole *w)
{
    struct az_table *t = az_table_new(w->job->arena, "idle_causes",
                                      "Idle time of the device by what the host did", 0);
    const bool ranks = w->ranks != NULL && w->n > 1;
    if (!t)
        return az_arena_error(w->job->arena);
    if (ranks)
        az_table_column(t, "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "Cause", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Host call", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Host op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "After", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Gaps", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER);
    az_table_column(t, "Idle (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "In steady steps (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "Longest (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Start of the longest (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL);
    for (size_t k = 0; k < w->n; k++) {
        const struct az_vd_idles *in = &w->part[k]->idles;
        for (size_t i = 0; i < in->n; i++) {
            const struct az_vd_idle *s = &in->v[i];
            if (ranks)
                az_put_i64(t, w->rank[k]);
            az_put_text(t, cause_name(s->cause));
            az_put_given(t, s->call);
            az_put_given(t, s->op);
            az_put_given(t, s->next);
            az_put_i64(t, s->count);
            az_put_i64(t, s->ns);
            az_put_i64(t, s->steady);
            az_put_i64(t, s->longest);
            az_put_i64(t, s->start);
        }
    }
    return az_document_add(w->job->doc, t);
}
