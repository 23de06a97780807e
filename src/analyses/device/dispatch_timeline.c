/* gpu_timeline, gpu_timeline_by_agent, comm_overlap: where device time goes (docs/formats-rocprof.md 6.1;
 * overlap by unions, 7.3). */
#include "analyses/device/dispatch.h"
#include "analyses/list.h"
#include "base/interval.h"

struct figures {
    int64_t kernel, memory, busy, first, last; /* ns; last < first: no event */
};

struct spans {
    struct az_spans kernel, memory, both;
};

static void spans_init(struct spans *s, struct az_mem *mem)
{
    az_vec_init(&s->kernel, mem);
    az_vec_init(&s->memory, mem);
    az_vec_init(&s->both, mem);
}

static void spans_release(struct spans *s)
{
    az_vec_release(&s->kernel);
    az_vec_release(&s->memory);
    az_vec_release(&s->both);
}

static int measure(struct spans *s, struct figures *f)
{
    *f = (struct figures){ .first = INT64_MAX, .last = INT64_MIN };
    int rc = az_spans_sort(&s->kernel);
    if (rc == 0)
        rc = az_spans_sort(&s->memory);
    if (rc)
        return rc;
    az_spans_union(&s->kernel);
    az_spans_union(&s->memory);
    rc = az_vec_reserve(&s->both, s->kernel.n + s->memory.n);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->kernel.n; i++)
        s->both.v[s->both.n++] = s->kernel.v[i];
    for (size_t i = 0; i < s->memory.n; i++)
        s->both.v[s->both.n++] = s->memory.v[i];
    rc = az_spans_sort(&s->both);
    az_spans_union(&s->both);
    f->kernel = az_spans_length(&s->kernel);
    f->memory = az_spans_length(&s->memory);
    f->busy = az_spans_length(&s->both);
    if (s->both.n) {
        f->first = s->both.v[0].start;
        f->last = s->both.v[s->both.n - 1].end;
    }
    return rc;
}

/* From the first start to the last end of the processes that say so; 0 where none does. */
static int64_t process_time(const struct az_job *job)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN, all;
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_dispatches *d = amd_has(job->traces[i]) ? az_dispatches(job->traces[i]) : NULL;
        for (size_t k = 0; d && k < d->processes.n; k++) {
            const struct az_process *p = &d->processes.v[k];
            if (p->init <= 0 || p->fini <= p->init)
                continue;
            lo = p->init < lo ? p->init : lo;
            hi = p->fini > hi ? p->fini : hi;
        }
    }
    return hi > lo && !__builtin_sub_overflow(hi, lo, &all) ? all : 0;
}

static int64_t total_time(const struct az_job *job, const struct figures *f)
{
    int64_t t = process_time(job);
    return t > 0 ? t : f->last > f->first ? f->last - f->first : 0;
}

static void mark(struct az_job *job, size_t trace, uint8_t ran[4096])
{
    const struct az_trace *t = job->traces[trace];
    memset(ran, 0, 4096);
    for (size_t k = 0; k < t->ev[AZ_KERNEL].n; k++) {
        int64_t agent = t->lanes.v[t->ev[AZ_KERNEL].lane[k]].device;
        if (agent >= 0 && agent < 4096)
            ran[agent] = 1;
    }
}

/* Whose a copy is: its destination's if that ran kernels, else its source's; the GPU's that took part where the source
 * is none. */
static int64_t owner(const struct az_trace *t, const uint8_t *ran, size_t copy)
{
    const struct az_events *e = &t->ev[AZ_MEMCPY];
    const struct az_lane *lane = &t->lanes.v[e->lane[copy]];
    const struct az_route *r = &az_dispatches(t)->routes.v[e->side[copy]];
    const struct az_agent *src = az_agent_find(az_dispatches(t), (uint32_t)lane->proc, r->src);
    /* numbers within a type ("CPU 0", "GPU 0") are those of two agents: the direction tells which is a host */
    const struct az_sv direction = az_trace_text(t, e->name[copy]);
    const bool to_host = az_sv_ends(direction, AZ_SV("_TO_HOST")),
               from_host = az_sv_find(direction, AZ_SV("_HOST_TO_")) >= 0;
    if (!to_host && r->dst >= 0 && r->dst < 4096 && ran[r->dst])
        return r->dst;
    return !from_host && r->src >= 0 && ((src && src->gpu) || (r->src < 4096 && ran[r->src])) ? r->src : lane->device;
}

/* Adds the events of a kind whose agent is the wanted one (NULL: all). */
static int gather(struct az_job *job, enum az_kind kind, const struct amd_gpu *only, const uint8_t *ran,
                  struct az_spans *out)
{
    int rc = 0;
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_trace *t = job->traces[i];
        const struct az_events *e = &t->ev[kind];
        if (!amd_has(t) || (only && only->trace != i))
            continue;
        for (size_t k = 0; rc == 0 && k < e->n; k++) {
            int64_t agent = t->lanes.v[e->lane[k]].device;
            if (only && kind == AZ_MEMCPY)
                agent = owner(t, ran, k);
            if (only && agent != only->agent)
                continue;
            rc = az_vec_push(out, ((struct az_span){ e->start[k], e->end[k] }));
        }
    }
    return rc;
}

static void rows(struct az_job *job, struct az_table *t, const struct figures *f, int64_t total,
                 const struct amd_gpu *lead)
{
    const struct {
        const char *name;
        int64_t ns;
    } r[] = { { "total_time", total },
              { "kernel", f->kernel },
              { "memory", f->memory },
              { "busy_time", f->busy },
              { "idle", total > f->busy ? total - f->busy : 0 } };
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        if (lead) {
            amd_put_rank(job, t, lead->trace);
            az_put_i64(t, lead->agent);
        }
        az_put_text(t, az_sv_str(r[i].name));
        az_put_f64(t, amd_ms(r[i].ns));
        az_put_f64(t, az_percent((double)r[i].ns, (double)total));
    }
}

static void columns(struct az_table *t)
{
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
}

static int whole(struct az_job *job, struct spans *s)
{
    struct az_table *t =
        az_table_new(job->arena, "gpu_timeline", "GPU time line", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    struct figures f;
    if (!t)
        return az_arena_error(job->arena);
    columns(t);
    int rc = gather(job, AZ_KERNEL, NULL, NULL, &s->kernel);
    if (rc == 0)
        rc = gather(job, AZ_MEMCPY, NULL, NULL, &s->memory);
    if (rc == 0)
        rc = measure(s, &f);
    if (rc == 0 && s->both.n)
        rows(job, t, &f, total_time(job, &f), NULL);
    return amd_emit(job, t, rc);
}

/* Agents that ran kernels, of each trace; and those that only took part in copies. Sorted by trace and index. */
static int agents(struct az_job *job, struct amd_gpus *g)
{
    uint8_t *ran = az_arena_alloc(job->arena, 4096);
    int rc = amd_gpus_make(job, g);
    if (rc == 0 && !ran)
        rc = az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_trace *t = job->traces[i];
        const struct az_events *e = &t->ev[AZ_MEMCPY];
        if (amd_has(t))
            mark(job, i, ran);
        for (size_t k = 0; rc == 0 && amd_has(t) && k < e->n; k++) {
            const int64_t agent = owner(t, ran, k);
            const struct az_agent *a = az_agent_find(az_dispatches(t), (uint32_t)t->lanes.v[e->lane[k]].proc, agent);
            if (agent >= 0 && (!a || a->gpu) && amd_gpu_of(g, i, agent) == SIZE_MAX)
                rc = az_vec_push(g, ((struct amd_gpu){ i, agent }));
        }
    }
    for (size_t i = 1; rc == 0 && i < g->n; i++) /* few */
        for (size_t k = i; k > 0 && (g->v[k].trace < g->v[k - 1].trace ||
                                     (g->v[k].trace == g->v[k - 1].trace && g->v[k].agent < g->v[k - 1].agent));
             k--) {
            struct amd_gpu swap = g->v[k];
            g->v[k] = g->v[k - 1];
            g->v[k - 1] = swap;
        }
    return rc;
}

static int by_agent(struct az_job *job, struct spans *s)
{
    struct az_table *t = az_table_new(job->arena, "gpu_timeline_by_agent", "GPU time line by agent", 0);
    struct amd_gpus g;
    uint8_t *ran = az_arena_alloc(job->arena, 4096);
    if (!t || !ran)
        return az_arena_error(job->arena);
    amd_rank_column(job, t);
    az_table_column(t, "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    columns(t);
    int rc = agents(job, &g);
    for (size_t i = 0; rc == 0 && i < g.n; i++) {
        struct figures f;
        az_vec_reset(&s->kernel);
        az_vec_reset(&s->memory);
        az_vec_reset(&s->both);
        mark(job, g.v[i].trace, ran);
        rc = gather(job, AZ_KERNEL, &g.v[i], ran, &s->kernel);
        if (rc == 0)
            rc = gather(job, AZ_MEMCPY, &g.v[i], ran, &s->memory);
        if (rc == 0)
            rc = measure(s, &f);
        if (rc == 0 && s->both.n) /* without process times an agent's own first start to its last end */
            rows(job, t, &f, total_time(job, &f), &g.v[i]);
    }
    az_vec_release(&g);
    return amd_emit(job, t, rc);
}

/* ---- communication under computation ---- */

static int overlap_row(struct az_job *job, struct az_table *t, const struct amd_gpu *g, const uint8_t *is_comm)
{
    const struct az_trace *tr = job->traces[g->trace];
    const struct az_events *e = &tr->ev[AZ_KERNEL];
    struct az_spans comm, compute;
    int rc = 0;
    az_vec_init(&comm, job->mem);
    az_vec_init(&compute, job->mem);
    for (size_t k = 0; rc == 0 && k < e->n; k++) {
        if (tr->lanes.v[e->lane[k]].device != g->agent)
            continue;
        struct az_span s = { e->start[k], e->end[k] };
        rc = is_comm[az_job_name(job, g->trace, e->name[k])] == 2 ? az_vec_push(&comm, s) : az_vec_push(&compute, s);
    }
    az_spans_union(&comm); /* rows are sorted by start */
    az_spans_union(&compute);
    int64_t all = az_spans_length(&comm), hidden = az_spans_overlap(&comm, &compute);
    if (rc == 0 && comm.n) {
        amd_put_rank(job, t, g->trace);
        az_put_i64(t, g->agent);
        az_put_f64(t, amd_ms(all));
        az_put_f64(t, amd_ms(hidden));
        az_put_f64(t, amd_ms(all - hidden));
        az_put_f64(t, az_percent((double)hidden, (double)all));
        az_put_f64(t, amd_ms(az_spans_length(&compute)));
    }
    az_vec_release(&comm);
    az_vec_release(&compute);
    return rc;
}

static int overlap(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "comm_overlap", "Communication under computation, by agent", 0);
    struct amd_gpus g;
    uint8_t *is_comm = az_arena_array(job->arena, az_job_names(job) + 1, 1); /* 0 not asked, 1 no, 2 yes */
    if (!t || !is_comm)
        return az_arena_error(job->arena);
    amd_rank_column(job, t);
    az_table_column(t, "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "communication ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "overlapped ms", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "exposed ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "overlapped percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "computation ms", AZ_REAL, AZ_UNIT_MS, 0);
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_events *e = &job->traces[i]->ev[AZ_KERNEL];
        for (size_t k = 0; amd_has(job->traces[i]) && k < e->n; k++) {
            uint32_t n = az_job_name(job, i, e->name[k]);
            if (!is_comm[n])
                is_comm[n] = az_job_is_comm(job, n) ? 2 : 1;
        }
    }
    int rc = agents(job, &g);
    for (size_t i = 0; rc == 0 && i < g.n; i++)
        rc = overlap_row(job, t, &g.v[i], is_comm);
    az_vec_release(&g);
    return amd_emit(job, t, rc);
}

static int run(struct az_job *job)
{
    static const struct az_sv parts[] = { { "busy_time", 9 }, { "idle", 4 } };
    struct spans s;
    spans_init(&s, job->mem);
    int rc = whole(job, &s);
    if (rc == 0)
        rc = by_agent(job, &s);
    if (rc == 0)
        rc = overlap(job);
    spans_release(&s);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_BAR, "gpu_timeline", "GPU time line", "time ms", NULL, parts, 2);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_agent", "GPU time line by agent", "time ms",
                                "agent", parts, 2);
    return rc;
}

const struct az_analysis az_analysis_amd_timeline = {
    .name = "dispatch_timeline",
    .help = "device time by kernels, copies and idle: all agents and each; communication under computation",
    .needs = AZ_CAP_DISPATCHES,
    .run = run,
};
