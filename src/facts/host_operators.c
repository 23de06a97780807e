/* Self time of host operators: see the header. One pass in order of start, with a stack for each
 * thread. */
#include "facts/host_operators.h"

#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "classify/rules.h"
#include "classify/steps.h"
#include "facts/lazy_cache.h"
#include "model/dispatch.h"

struct open_op {
    int64_t end, covered; /* its end; up to where the operators inside it were counted */
    uint32_t name;
};
AZ_VEC(struct open_op, open_ops);

struct totals { /* of a name, ticks */
    int64_t total, self;
    uint64_t count, threads;
    uint32_t last_lane; /* + 1 */
    bool read, mark;
};

struct sweep {
    const struct az_trace *t;
    enum az_kind kind;
    struct totals *of;      /* by name id */
    struct open_ops *stack; /* by lane */
    struct az_map pairs;    /* (name, lane) seen */
    bool *lane_seen;
    int64_t threads;
};

/* A thread more for this name? */
static int count_thread(struct sweep *s, uint32_t name, uint32_t lane)
{
    struct totals *x = &s->of[name];
    uint32_t *at;
    bool added = false;
    if (x->last_lane == lane + 1)
        return AZ_OK;
    x->last_lane = lane + 1;
    const int rc = az_map_put(&s->pairs, name, lane, 0, &at, &added);
    x->threads += added;
    s->threads += !s->lane_seen[lane];
    s->lane_seen[lane] = true;
    return rc;
}

static int take_operator(struct sweep *s, int64_t start, int64_t end, uint32_t name, uint32_t lane)
{
    struct open_ops *stack = &s->stack[lane];
    struct totals *x = &s->of[name];
    while (stack->n && stack->v[stack->n - 1].end <= start)
        stack->n--;
    if (stack->n) {
        struct open_op *p = &stack->v[stack->n - 1];
        const int64_t from = start > p->covered ? start : p->covered,
                      to = end < p->end ? end : p->end;
        if (to > from) {
            s->of[p->name].self -= to - from;
            p->covered = to;
        }
    }
    x->count++;
    x->total = az_add_sat(x->total, end - start);
    x->self = az_add_sat(x->self, end - start);
    const int rc = count_thread(s, name, lane);
    return rc ? rc
              : az_vec_push(stack,
                            ((struct open_op){ .end = end, .covered = start, .name = name }));
}

static bool is_mark(struct sweep *s, uint32_t name)
{
    struct totals *x = &s->of[name];
    struct az_sv stem;
    int64_t number;
    if (!x->read) {
        x->read = true;
        x->mark = az_step_mark_of(az_trace_text(s->t, name), &stem, &number) == AZ_MARK_PROFILER;
    }
    return x->mark;
}

/* Events in order of start; of those that start together on a thread the longest first, as it
 * contains the others. */
static int sweep_all(struct sweep *s)
{
    const struct az_events *e = &s->t->ev[s->kind];
    struct az_vec_u32 group;
    int rc = AZ_OK;
    az_vec_init(&group, NULL);
    for (size_t i = 0, k; rc == 0 && i < e->n; i = k) {
        group.n = 0;
        for (k = i; rc == 0 && k < e->n && e->start[k] == e->start[i]; k++) {
            size_t at = group.n;
            if (e->name[k] == AZ_NO_ID || is_mark(s, e->name[k]))
                continue;
            rc = az_vec_push(&group, (uint32_t)k);
            for (; rc == 0 && at > 0 && e->end[group.v[at - 1]] < e->end[k]; at--)
                group.v[at] = group.v[at - 1];
            if (rc == 0)
                group.v[at] = (uint32_t)k;
        }
        for (size_t g = 0; rc == 0 && g < group.n; g++) {
            const uint32_t row = group.v[g];
            rc = take_operator(s, e->start[row], e->end[row], e->name[row], e->lane[row]);
        }
    }
    az_vec_release(&group);
    return rc;
}

static int by_self(const void *x, const void *y, void *ctx)
{
    const struct az_host_op_row *a = x, *b = y;
    (void)ctx;
    if (a->self_ns != b->self_ns)
        return a->self_ns > b->self_ns ? -1 : 1;
    return az_sv_cmp(a->name, b->name);
}

static int make_rows(struct az_job *job, size_t trace, const struct sweep *s,
                     struct az_host_ops *out)
{
    const size_t names = s->t->names.text.n;
    size_t n = 0;
    for (size_t i = 0; i < names; i++)
        n += s->of[i].count > 0;
    struct az_host_op_row *row = az_arena_array(job->arena, n + 1, sizeof *row);
    if (!row)
        return az_arena_error(job->arena);
    for (uint32_t i = 0; i < names; i++) {
        const struct totals *x = &s->of[i];
        if (!x->count)
            continue;
        row[out->n++] =
            (struct az_host_op_row){ .name = az_job_text(job, az_job_name(job, trace, i)),
                                     .count = (int64_t)x->count,
                                     .total_ns = az_ns(s->t, x->total),
                                     .self_ns = az_ns(s->t, x->self),
                                     .threads = (int64_t)x->threads };
        out->operator_ns = az_add_sat(out->operator_ns, row[out->n - 1].self_ns);
    }
    out->row = row;
    out->threads = s->threads;
    az_sort_cmp(row, n, sizeof *row, by_self, NULL, job->mem);
    return 0;
}

static void *zeroed(struct az_mem *mem, size_t n, size_t size)
{
    void *p = az_mem_alloc(mem, (n + 1) * size);
    return p ? memset(p, 0, (n + 1) * size) : NULL;
}

static int make_sums(struct az_job *job, size_t trace, enum az_kind kind, struct az_host_ops *out)
{
    const struct az_trace *t = job->traces[trace];
    const size_t names = t->names.text.n, lanes = t->lanes.n;
    struct sweep s = { .t = t, .kind = kind };
    if (t->ev[kind].n == 0 || !(t->caps & AZ_CAP_CALLTREE))
        return AZ_OK;
    s.of = zeroed(job->mem, names, sizeof *s.of);
    s.stack = zeroed(job->mem, lanes, sizeof *s.stack);
    s.lane_seen = zeroed(job->mem, lanes, sizeof *s.lane_seen);
    az_map_init(&s.pairs, job->mem, 0);
    int rc = s.of && s.stack && s.lane_seen ? 0 : az_mem_error(job->mem);
    for (size_t i = 0; s.stack && i < lanes; i++)
        az_vec_init(&s.stack[i], job->mem);
    if (rc == 0)
        rc = sweep_all(&s);
    if (rc == 0)
        rc = make_rows(job, trace, &s, out);
    for (size_t i = 0; s.stack && i < lanes; i++)
        az_vec_release(&s.stack[i]);
    az_map_release(&s.pairs);
    az_mem_free(job->mem, s.of, (names + 1) * sizeof *s.of);
    az_mem_free(job->mem, s.stack, (lanes + 1) * sizeof *s.stack);
    az_mem_free(job->mem, s.lane_seen, (lanes + 1) * sizeof *s.lane_seen);
    return rc;
}

static const struct az_host_ops *cached_sums(struct az_job *job, size_t trace, enum az_kind kind,
                                             const char *what, int *rc)
{
    void **slot = az_job_slot(job, what);
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    void **of = slot ? *slot : NULL;
    *rc = of ? AZ_OK : az_arena_error(job->arena);
    if (of && !of[trace]) {
        struct az_host_ops *x = az_arena_alloc(job->arena, sizeof *x);
        *rc = x ? make_sums(job, trace, kind, x) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : x;
    }
    const struct az_host_ops *made = of ? of[trace] : NULL;
    az_job_leave(job, slot);
    return made;
}

const struct az_host_ops *az_job_host_ops(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    return cached_sums(job, trace, AZ_HOST_OP, &what, rc);
}

const struct az_host_ops *az_job_host_ranges(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    return cached_sums(job, trace, AZ_RANGE, &what, rc);
}

static bool is_launch(struct az_sv name)
{
    const struct az_sv c = az_rules_class("trace_names.rules", "call", name);
    return az_sv_is(c, "launch") || az_sv_is(c, "graph");
}

enum az_no_device az_trace_no_device(const struct az_trace *t)
{
    static const enum az_kind host[] = { AZ_HOST_OP, AZ_RANGE, AZ_FRAME, AZ_OSRT, AZ_CALL };
    const struct az_events *calls = &t->ev[AZ_CALL];
    uint32_t last[64]; /* names read last: calls have few */
    size_t n = 0;
    memset(last, 0xff, sizeof last);
    for (size_t i = 0; i < calls->n; i++) {
        uint32_t *seen = &last[calls->name[i] % AZ_LENGTH(last)];
        if (*seen != calls->name[i] && is_launch(az_trace_text(t, calls->name[i])))
            return AZ_NO_DEVICE_LAUNCHES;
        *seen = calls->name[i];
    }
    for (size_t k = 0; k < AZ_LENGTH(host); k++)
        n += t->ev[host[k]].n;
    if (n == 0 && (t->caps & AZ_CAP_DISPATCHES) && az_dispatches(t)->call_sums.n > 0)
        return AZ_NO_DEVICE_TOTALS;
    return n ? AZ_NO_DEVICE_HOST : AZ_NO_DEVICE_EMPTY;
}
