/* Copies, fills and calls that make the host wait. A call is asynchronous if its name contains
 * `Async`.
 */
#include <inttypes.h>

#include "analyses/findings/findings.h"
#include "base/num.h"
#include "facts/steps.h"

enum { PAGEABLE = 0, PINNED = 1, DEVICE = 2, MANAGED = 4 }; /* memory kinds of struct az_copy */
enum rule { NO_RULE, ASYNC_PAGEABLE, SYNC_COPY, SYNC_FILL };

struct hit {
    uint32_t op, call; /* names */
    enum rule rule;
    int64_t count, ticks;
};
AZ_VEC(struct hit, hits);

static const struct {
    const char *name, *severity, *advice;
} rules[] = {
    [NO_RULE] = { "", "", "" },
    [ASYNC_PAGEABLE] = { "memcpy_async", "warning",
                         "asynchronous copies of pageable memory are staged and block the host. "
                         "Use pinned memory." },
    [SYNC_COPY] = { "memcpy_sync", "warning",
                    "blocking copies. Use asynchronous copies and pinned memory." },
    [SYNC_FILL] = { "memset_sync", "warning", "blocking fills. Use asynchronous fills." },
};

static enum rule judge(enum az_kind kind, struct az_copy c, struct az_sv call)
{
    bool async = az_sv_ifind(call, AZ_SV("async")) >= 0;
    /* a launch of a graph holds copies and fills without being a call that waits for them */
    const char *kind_of_call = kind == AZ_MEMSET ? "memset" : "memcpy";
    const bool own_call = az_sv_ifind(call, az_sv_str(kind_of_call)) >= 0;
    if (kind == AZ_MEMSET) /* of device memory the call returns at once anyway */
        return own_call && !async && (c.dst < 0 || c.dst == PINNED || c.dst == MANAGED) ? SYNC_FILL
                                                                                        : NO_RULE;
    if (async)
        return c.src == PAGEABLE || c.dst == PAGEABLE ? ASYNC_PAGEABLE : NO_RULE;
    if (c.src == DEVICE && c.dst == DEVICE)
        return NO_RULE;
    return own_call ? SYNC_COPY : NO_RULE;
}

static int collect(struct az_job *job, size_t trace, enum az_kind kind, struct az_map *seen,
                   struct hits *hits)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *e = &t->ev[kind];
    int rc;
    const struct az_link *link = az_job_link(job, trace, &rc);
    if (!link || !link->call[kind])
        return rc;
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        uint32_t call = link->call[kind][i];
        struct az_copy c = { .bytes = -1, .op = -1, .src = -1, .dst = -1 };
        if (call == AZ_NO_ROW)
            continue;
        if (e->side && e->side[i] != AZ_NO_ROW)
            c = t->copies.v[e->side[i]];
        enum rule rule = judge(kind, c, az_trace_text(t, t->ev[AZ_CALL].name[call]));
        if (rule == NO_RULE)
            continue;
        struct hit fresh = { .op = e->name[i], .call = t->ev[AZ_CALL].name[call], .rule = rule };
        const uint32_t at =
            az_map_number(seen, (uint64_t)fresh.op << 32 | fresh.call, rule, hits->n);
        if (at == hits->n)
            az_vec_add(hits, fresh);
        rc = at < hits->n ? 0 : az_mem_error(hits->mem);
        if (rc)
            break;
        hits->v[at].count++;
        hits->v[at].ticks = az_add_sat(hits->v[at].ticks, e->end[i] - e->start[i]);
    }
    return rc;
}

int az_find_blocking_copies(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];
    struct az_map seen;
    struct hits hits;
    if (!(t->caps & AZ_CAP_CALLS))
        return 0;
    az_vec_init(&hits, job->mem);
    az_map_init(&seen, job->mem, 16);
    int rc = collect(job, trace, AZ_MEMCPY, &seen, &hits);
    if (rc == 0)
        rc = collect(job, trace, AZ_MEMSET, &seen, &hits);
    for (size_t i = 0; rc == 0 && i < hits.n; i++) {
        const struct hit *h = &hits.v[i];
        struct az_sv subject =
            az_arena_printf(job->arena, "%.*s by %.*s%.*s", AZ_SVF(az_trace_text(t, h->op)),
                            AZ_SVF(az_trace_text(t, h->call)), AZ_SVF(az_finding_rank(job, trace)));
        az_finding(job, rules[h->rule].name, rules[h->rule].severity, subject, h->count,
                   az_ns(t, h->ticks), az_sv_str(rules[h->rule].advice));
    }
    az_map_release(&seen);
    az_vec_release(&hits);
    return rc;
}

static bool waits(struct az_sv call) { return az_sv_ifind(call, AZ_SV("synchronize")) >= 0; }

struct calls {         /* of a trace by name: names are many, those of calls few */
    uint32_t *of_name; /* place in `hits` plus one */
    struct hits hits;
};

static int count_calls(struct calls *c, const struct az_events *e, size_t names)
{
    for (size_t i = 0; i < e->n; i++) {
        if (e->name[i] >= names)
            continue;
        uint32_t *at = &c->of_name[e->name[i]];
        if (*at == 0) {
            az_vec_add(&c->hits, (struct hit){ .call = e->name[i] });
            *at = (uint32_t)c->hits.n;
        }
        if (c->hits.failed)
            return az_vec_error(&c->hits);
        struct hit *h = &c->hits.v[*at - 1];
        h->count++;
        h->ticks = az_add_sat(h->ticks, e->end[i] - e->start[i]);
    }
    return 0;
}

/* Those that wait, in the order of names. */
static void put_calls(struct az_job *job, size_t trace, const struct calls *c, size_t steps)
{
    const struct az_trace *t = job->traces[trace];
    int64_t all = 0;
    for (size_t i = 0; i < c->hits.n; i++)
        if (waits(az_trace_text(t, c->hits.v[i].call)))
            all += c->hits.v[i].count;
    const struct az_sv advice =
        steps ? az_arena_printf(job->arena,
                                "synchronize at most once per step (%.3g calls per step in total)",
                                (double)all / (double)steps)
              : az_arena_printf(job->arena,
                                "synchronize at most once per step (%" PRId64 " calls in total)",
                                all);
    for (uint32_t id = 0; id < t->names.text.n && all > (int64_t)steps + 1; id++) {
        const struct az_sv name = az_trace_text(t, id);
        if (!c->of_name[id] || !waits(name))
            continue;
        const struct hit *h = &c->hits.v[c->of_name[id] - 1];
        const struct az_sv subject = az_arena_printf(job->arena, "%.*s%.*s", AZ_SVF(name),
                                                     AZ_SVF(az_finding_rank(job, trace)));
        az_finding(job, "api_sync", "info", subject, h->count, az_ns(t, h->ticks), advice);
    }
}

/* Device, context, stream and event synchronization by name, where there is more of it than steps
 * and one after them, which profilers add (a recording without steps is one). */
int az_find_blocking_calls(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *e = &t->ev[AZ_CALL];
    struct calls c = { .of_name = NULL };
    struct az_arena names;
    int rc;
    const struct az_steps *steps = e->n ? az_job_steps(job, trace, &rc) : NULL;
    if (!steps)
        return e->n ? rc : 0;
    az_vec_init(&c.hits, job->mem);
    az_arena_init(&names, job->mem);
    c.of_name = az_arena_array(&names, t->names.text.n + 1, sizeof *c.of_name);
    rc = c.of_name ? count_calls(&c, e, t->names.text.n) : az_arena_error(&names);
    if (rc == 0)
        put_calls(job, trace, &c, steps->n);
    az_vec_release(&c.hits);
    az_arena_release(&names);
    return rc;
}
