/* What is said of the gaps of a device: findings of the rules `idle`, `sync_in_step`,
 * `launch_bound` and `small_work`, and the table `idle_causes` (docs/verdict.md 3.1, 3.4). */
#include "analyses/verdict/idle.h"
#include "base/human.h"
#include "base/num.h"

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
static const enum az_advice advice[AZ_IDLE_CAUSES] = {
    [AZ_IDLE_UNKNOWN] = AZ_ADVICE_RECORD_HOST_CALLS,
    [AZ_IDLE_QUEUED] = AZ_ADVICE_CHECK_DEPENDENCIES,
    [AZ_IDLE_LAUNCHING] = AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD,
    [AZ_IDLE_HOST] = AZ_ADVICE_MOVE_HOST_WORK,
    [AZ_IDLE_SYNC] = AZ_ADVICE_DEFER_SYNC,
    [AZ_IDLE_WAITING] = AZ_ADVICE_DEFER_SYNC,
    [AZ_IDLE_COPYING] = AZ_ADVICE_PIN_MEMORY,
    [AZ_IDLE_ALLOCATING] = AZ_ADVICE_PREALLOCATE,
    [AZ_IDLE_COMPILING] = AZ_ADVICE_COMPILE_AHEAD,
    [AZ_IDLE_LOADING] = AZ_ADVICE_PREFETCH_DATA,
    [AZ_IDLE_SAVING] = AZ_ADVICE_ASYNC_CHECKPOINT,
    [AZ_IDLE_STEPS] = AZ_ADVICE_MOVE_HOST_WORK,
    [AZ_IDLE_UNRECORDED] = AZ_ADVICE_RECORD_GRAPH_NODES,
};
static struct az_sv cause_name(enum az_vd_cause c) { return az_sv_str(cause_text[c]); }

/* ---- findings ---- */
static bool by_call(enum az_vd_cause c)
{
    return c == AZ_IDLE_SYNC || c == AZ_IDLE_WAITING || c == AZ_IDLE_COPYING ||
           c == AZ_IDLE_ALLOCATING;
}

static struct az_sv subject(struct az_vd_idle_sums *w, const struct az_vd_idle *s)
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
        return w->host && w->v->t->ev[AZ_CALL].n ? AZ_SV("what the host did is not recorded")
                                                 : AZ_SV("no calls of the host are recorded");
    }
}

/* ", mostly in aten::to before Memcpy HtoD (0.6 MB)": what most of the time of one finding has in
 * common. */
static struct az_sv detail(struct az_vd_idle_sums *w, const struct az_vd_idle *s,
                           const struct az_vd_idle *of, size_t n, int64_t all)
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
    if (s->op.n && 2 * op >= all && s->cause != AZ_IDLE_STEPS) /* which is in no step */
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
static bool is_sync(const struct az_vd_idle_sums *w, struct az_sv call)
{
    return az_sv_is(az_vd_call_class(w->host, call), "synchronise");
}

/* Groups of one cause (and call where that is what matters) are one finding. */
static int tell(struct az_vd_idle_sums *w, size_t first, uint8_t *told)
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
    f.advice = advice[s->cause];
    if (s->cause == AZ_IDLE_UNRECORDED) /* the rule about graphs says it */
        return 0;
    int rc = az_vd_add(w->v, "idle", &f);
    if (rc || in_steps == 0 || s->cause != AZ_IDLE_SYNC || !is_sync(w, s->call))
        return rc;
    f.gain = in_steps;
    f.advice = AZ_ADVICE_NONE; /* the rule's */
    f.subject = az_arena_printf(w->v->job->arena, "nothing is queued after %.*s inside a step",
                                AZ_SVF(s->call));
    return az_vd_add(w->v, "sync_in_step", &f);
}

static int tell_sums(struct az_vd_idle_sums *w)
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

int az_vd_idle_findings(struct az_vd_idle_sums *w)
{
    const struct az_vd_idles *in = &w->v->part->idles;
    uint8_t *told = az_arena_array(w->v->job->arena, in->n + 1, 1);
    int rc = told ? 0 : az_arena_error(w->v->job->arena);
    for (size_t i = 0; rc == 0 && i < in->n; i++)
        if (!told[i])
            rc = tell(w, i, told);
    return rc == 0 ? tell_sums(w) : rc;
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
    size_t rows = 0;
    for (size_t k = 0; k < w->n; k++)
        rows += w->part[k]->idles.n;
    az_table_reserve(t, rows);
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
