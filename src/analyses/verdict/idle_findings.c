/* Findings of the rule `idle` and the table `idle_causes` (docs/verdict.md 3.1). */
#include "analyses/verdict/idle.h"
#include "document/record.h"
#include "model/xtrace.h"

#define RULES    "trace_names.rules"
#define FINDINGS 40
#define OVERHEAD 1000000 /* ns: a longer operator does work of its own */
#define MANY     100     /* short gaps without a place: overhead of every launch */

/* ---- advice ---- */
static bool has_stacks(const struct az_trace *t)
{
    for (size_t i = 0; i < t->facts.n; i++)
        if (az_sv_is(t->facts.v[i].key, "with_stack") && !az_sv_is(t->facts.v[i].value, "0") &&
            !az_sv_is(t->facts.v[i].value, "false"))
            return true;
    if (t->caps & AZ_CAP_PROGRAMS)
        for (size_t i = 0; i < az_xtrace(t)->host.n; i++)
            if (az_sv_starts(az_trace_text(t, az_xtrace(t)->host.v[i].name), AZ_SV("$")))
                return true;
    return t->ev[AZ_FRAME].n || t->ev[AZ_GAP_FRAME].n;
}

/* Are gaps in it overhead of launches? Short ones are; of a framework, which does the same in every
 * step, several long ones are, too. */
static bool is_launching(struct az_verdict *v, const struct az_verdict_idle *s, struct az_sv name,
                         bool brief)
{
    if (name.n == 0 || (s->count < 2 && !brief))
        return false;
    if (!v->models.v && az_rules_read_group(RULES, "host_range", v->keep, &v->models) != 0)
        return false; /* no memory: v->keep has the error */
    const struct az_sv is = az_rules_class_of(&v->models, "host_range", name);
    return is.n && (brief || !az_sv_is(is, "model"));
}

/* A call of the operating system that reads, or waits for another thread, has a remedy of its own;
 * AZ_ADVICE_NONE: it is none of these. */
static enum az_advice system_advice(const struct az_verdict *v, struct az_sv call)
{
    const struct az_sv is = call.n ? az_rules_class(RULES, "system_call", call) : AZ_SV("");
    return az_sv_is(is, "read")                        ? AZ_ADVICE_PREFETCH_DATA
           : az_sv_is(is, "wait") && !has_stacks(v->t) ? AZ_ADVICE_RECORD_STACKS
                                                       : AZ_ADVICE_NONE;
}

static enum az_advice host_advice(struct az_verdict *v, const struct az_verdict_idle *s)
{
    const bool brief = s->median > 0 && s->median < OVERHEAD;
    const enum az_advice system =
        2 * s->in_place[AZ_PLACE_CALL] >= s->ns ? system_advice(v, s->call) : AZ_ADVICE_NONE;
    if (system != AZ_ADVICE_NONE)
        return system;
    /* an operator launches what comes next: short gaps are its overhead; so are those of code that
     * launches before and after them */
    if (((s->op.n || 2 * s->across > s->ns) && brief) || is_launching(v, s, s->frame, brief) ||
        (s->cause == AZ_CAUSE_HOST_RANGE && is_launching(v, s, s->range, brief)))
        return AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD;
    if (s->range.n || s->frame.n)
        return AZ_ADVICE_MOVE_HOST_WORK;
    if (s->count >= MANY && brief)
        return AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD;
    if (!has_stacks(v->t))
        return AZ_ADVICE_RECORD_STACKS;
    return brief ? AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD : AZ_ADVICE_NONE;
}

/* Names of copies have source and destination ("Memcpy HtoD (Pageable -> Device)"), or rows do. */
static bool is_pageable(const struct az_verdict *v, struct az_sv next)
{
    const struct az_events *e = &v->t->ev[AZ_MEMCPY];
    if (az_sv_ifind(next, AZ_SV("pageable")) >= 0)
        return true;
    const uint32_t name = az_intern_find(&v->t->names, next);
    for (size_t i = 0; e->side && i < e->n; i++) {
        if (e->name[i] != name || e->side[i] == AZ_NO_ROW)
            continue;
        const struct az_copy *c = &v->t->copies.v[e->side[i]];
        if (c->src == 0 || c->dst == 0)
            return true;
    }
    return false;
}

/* A slow launch is overhead of launches, what no system call is is work of the host. */
static enum az_advice blocking_advice(const struct az_verdict *v, struct az_sv call)
{
    const enum az_advice system = system_advice(v, call);
    return az_sv_is(az_rules_class(RULES, "host_call", call), "launch")
               ? AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD
           : system != AZ_ADVICE_NONE ? system
                                      : AZ_ADVICE_MOVE_HOST_WORK;
}

static enum az_advice advice_of(struct az_verdict *v, const struct az_verdict_idle *s)
{
    static const enum az_advice of[AZ_CAUSES] = {
        [AZ_CAUSE_PAGE_FAULT] = AZ_ADVICE_PREFETCH_MANAGED_MEMORY,
        [AZ_CAUSE_GRAPH_GAP] = AZ_ADVICE_FUSE_KERNELS,
        [AZ_CAUSE_DEVICE_GAP] = AZ_ADVICE_USE_GRAPHS,
        [AZ_CAUSE_DEPENDENCY] = AZ_ADVICE_CHECK_DEPENDENCIES,
        [AZ_CAUSE_PROFILER_OVERHEAD] = AZ_ADVICE_RERUN_WITHOUT_PROFILER,
        [AZ_CAUSE_ALLOCATION] = AZ_ADVICE_PREALLOCATE,
        [AZ_CAUSE_MODULE_LOADING] = AZ_ADVICE_PRELOAD_MODULES,
        [AZ_CAUSE_DATA_LOADING] = AZ_ADVICE_PREFETCH_DATA,
        [AZ_CAUSE_CHECKPOINT] = AZ_ADVICE_ASYNC_CHECKPOINT,
        [AZ_CAUSE_COMPILATION] = AZ_ADVICE_COMPILE_AHEAD,
        [AZ_CAUSE_SYNCHRONIZATION] = AZ_ADVICE_DEFER_SYNC,
        [AZ_CAUSE_LAUNCH_BOUND] = AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD,
        [AZ_CAUSE_UNKNOWN_HOST] = AZ_ADVICE_RECORD_HOST_CALLS,
    };
    switch (s->cause) {
    case AZ_CAUSE_UNKNOWN: /* where calls are recorded it is but those that are missing */
        return v->t->ev[AZ_CALL].n ? AZ_ADVICE_NONE : AZ_ADVICE_RECORD_HOST_CALLS;
    case AZ_CAUSE_BLOCKING_COPY:
        return is_pageable(v, s->next) ? AZ_ADVICE_PIN_MEMORY : AZ_ADVICE_DEFER_SYNC;
    case AZ_CAUSE_BLOCKING_CALL:
        return blocking_advice(v, s->call);
    case AZ_CAUSE_HOST_RANGE:
    case AZ_CAUSE_HOST_FRAME:
    case AZ_CAUSE_HOST_COMPUTE:
        return host_advice(v, s);
    default:
        return of[s->cause];
    }
}

/* What the fields of the claim do not contain. */
static struct az_sv subject(const struct az_verdict_idle *s)
{
    if (2 * s->across < s->ns)
        return AZ_SV("");
    return s->cause == AZ_CAUSE_DEPENDENCY   ? AZ_SV("after work on another stream")
           : s->cause == AZ_CAUSE_PAGE_FAULT ? AZ_SV("while the host accesses managed memory")
                                             : AZ_SV("");
}

int az_verdict_idle_findings(struct az_verdict *v)
{
    const struct az_verdict_idles *in = &v->part->idles;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < in->n && i < FINDINGS; i++) {
        const struct az_verdict_idle *s = &in->v[i];
        if (s->cause == AZ_CAUSE_NONE)
            continue;
        struct az_verdict_found f = { .subject = subject(s),
                                      .detail = AZ_SV(""),
                                      .row = az_sv_str(az_cause_id(s->cause)),
                                      .call = s->call,
                                      .range = s->range,
                                      .frame = s->frame,
                                      .operation = s->op,
                                      .cause = s->cause,
                                      .advice = advice_of(v, s),
                                      .has_device = s->device != AZ_NO_RANK,
                                      .device = s->device != AZ_NO_RANK ? s->device : 0,
                                      .median = s->median,
                                      .largest = s->longest,
                                      .first_use = 2 * s->first_use >= s->ns,
                                      .count = s->count,
                                      .ns = s->ns,
                                      .gain = s->ns };
        memcpy(f.in_place, s->in_place, sizeof f.in_place);
        rc = az_verdict_add(v, "idle", &f);
    }
    return rc;
}

int64_t az_verdict_edges(const struct az_verdict_part *p)
{
    int64_t left = p->operations || p->n_device_accounts < 2 ? 0 : p->idle;
    for (size_t i = 0; i < p->idles.n; i++)
        left -= p->idles.v[i].ns;
    return left > (int64_t)p->devices ? left : 0; /* less is rounding */
}

/* ---- table ---- */
struct cause_row {
    int64_t rank;
    const struct az_verdict_idle *of;
};
struct cause_columns {
    bool ranks, devices;
};
static bool with_ranks(const void *of) { return ((const struct cause_columns *)of)->ranks; }
static bool with_devices(const void *of) { return ((const struct cause_columns *)of)->devices; }
static struct az_sv cause_of(const void *row, struct az_arena *texts)
{
    const enum az_cause of = ((const struct cause_row *)row)->of->cause;
    const char *cause = of == AZ_CAUSES ? "no_work" : az_cause_id(of);
    (void)texts;
    return cause ? az_sv_str(cause) : AZ_SV("unrecorded_work");
}
#define ROW struct cause_row
AZ_OF_RECORD(int64_t, median_of, ROW, r->of->median > 0 ? r->of->median : INT64_MIN)
AZ_OF_RECORD(int64_t, count_of, ROW, r->of->count > 0 ? r->of->count : INT64_MIN)
AZ_OF_RECORD(int64_t, longest_of, ROW, r->of->count > 0 ? r->of->longest : INT64_MIN)
AZ_OF_RECORD(int64_t, start_of, ROW, r->of->count > 0 ? r->of->start : INT64_MIN)
static const struct az_record_column columns[] = {
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = with_ranks },
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, device), .when = with_devices },
    { "Cause", AZ_TEXT, .flags = AZ_KEY, .text = cause_of },
    { "Range", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, of, range) },
    { "Frame", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, of, frame) },
    { "Host call", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, of, call) },
    { "Host op", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, of, op) },
    { "After", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, of, next) },
    { "Gaps", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, .integer = count_of },
    { "Idle (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_VIA(ROW, of, ns) },
    { "Median (ns)", AZ_INT, AZ_UNIT_NS, .integer = median_of },
    { "Longest (ns)", AZ_INT, AZ_UNIT_NS, .integer = longest_of },
    { "Start of the longest (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, .integer = start_of },
};

int az_verdict_idle_table(struct az_verdict_whole *w)
{
    struct cause_columns of = { .ranks = w->ranks != NULL && w->n > 1 };
    size_t rows = 0;
    for (size_t k = 0; k < w->n; k++) {
        rows += w->part[k]->idles.n;
        for (size_t i = 0; i < w->part[k]->idles.n; i++)
            of.devices |= w->part[k]->idles.v[i].device != AZ_NO_RANK;
    }
    struct az_table *t =
        AZ_RECORD_TABLE_OF(w->job->arena, "idle_causes", "Idle time by cause", 0, columns, &of);
    if (!t)
        return az_arena_error(w->job->arena);
    az_table_reserve(t, rows);
    for (size_t k = 0; k < w->n; k++) {
        const struct az_verdict_idle edges = { .cause = AZ_CAUSES,
                                               .device = AZ_NO_RANK,
                                               .ns = az_verdict_edges(w->part[k]) };
        for (size_t i = 0; i < w->part[k]->idles.n; i++)
            az_put_row(t, &(ROW){ of.ranks ? w->rank[k] : -1, &w->part[k]->idles.v[i] });
        if (edges.ns > 0)
            az_put_row(t, &(ROW){ of.ranks ? w->rank[k] : -1, &edges });
    }
    return az_document_add(w->job->doc, t);
}
