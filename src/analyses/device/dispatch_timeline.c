/* gpu_timeline, gpu_timeline_by_agent, comm_overlap: where device time goes in the words of
 * docs/formats-rocprof.md 6.1, of the account of docs/account.md. */
#include "analyses/device/dispatch.h"
#include "analyses/list.h"
#include "facts/account.h"

struct work {
    struct az_job *job;
    struct az_busy busy;    /* as it is recorded: kernels are computation here, whatever they do */
    struct az_busy kernels; /* the same kernels by what they do */
};

/* From the first start to the last end of the processes that say so; 0 where none does. */
static int64_t process_time(const struct az_job *job)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN, all;
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_dispatches *d =
            az_disp_has(job->traces[i]) ? az_dispatches(job->traces[i]) : NULL;
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

/* Without process times, from the first start to the last end. */
static void account(const struct work *w, struct az_account *a)
{
    az_account_of(&w->busy, NULL, 0, a);
    az_account_extend(a, process_time(w->job));
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

/* Whose a copy is: its destination's if that ran kernels, else its source's; the GPU's that took
 * part where the source is none. */
static int64_t owner(const struct az_trace *t, const uint8_t *ran, size_t copy)
{
    const struct az_events *e = &t->ev[AZ_MEMCPY];
    const struct az_lane *lane = &t->lanes.v[e->lane[copy]];
    const struct az_route *r = &az_dispatches(t)->routes.v[e->side[copy]];
    const struct az_agent *src = az_agent_find(az_dispatches(t), (uint32_t)lane->proc, r->src);
    /* numbers within a type ("CPU 0", "GPU 0") are those of two agents: the direction says which is
     * a host */
    const struct az_sv direction = az_trace_text(t, e->name[copy]);
    const bool to_host = az_sv_ends(direction, AZ_SV("_TO_HOST")),
               from_host = az_sv_find(direction, AZ_SV("_HOST_TO_")) >= 0;
    if (!to_host && r->dst >= 0 && r->dst < 4096 && ran[r->dst])
        return r->dst;
    return !from_host && r->src >= 0 && ((src && src->gpu) || (r->src < 4096 && ran[r->src]))
               ? r->src
               : lane->device;
}

/* Adds the events of a kind whose agent is the wanted one (NULL: all). */
static int gather_kind(struct work *w, enum az_kind kind, const struct az_disp_gpu *only,
                       const uint8_t *ran)
{
    int rc = 0;
    for (size_t i = 0; i < w->job->n_traces; i++) {
        const struct az_trace *t = w->job->traces[i];
        const struct az_events *e = &t->ev[kind];
        if (!az_disp_has(t) || (only && only->trace != i))
            continue;
        for (size_t k = 0; rc == 0 && k < e->n; k++) {
            int64_t agent = t->lanes.v[e->lane[k]].device;
            if (only && kind == AZ_MEMCPY)
                agent = owner(t, ran, k);
            if (only && agent != only->agent)
                continue;
            rc = az_busy_add(&w->busy, kind == AZ_MEMCPY ? AZ_PART_COPY : AZ_PART_COMPUTE,
                             e->start[k], e->end[k]);
            if (rc == 0 && kind == AZ_KERNEL)
                rc = az_busy_add(&w->kernels, az_part_of(w->job, i, kind, e->name[k]), e->start[k],
                                 e->end[k]);
        }
    }
    return rc;
}

static int gather(struct work *w, const struct az_disp_gpu *only, const uint8_t *ran)
{
    az_busy_reset(&w->busy);
    az_busy_reset(&w->kernels);
    int rc = gather_kind(w, AZ_KERNEL, only, ran);
    if (rc == 0)
        rc = gather_kind(w, AZ_MEMCPY, only, ran);
    if (rc == 0)
        rc = az_busy_close(&w->kernels);
    return rc ? rc : az_busy_close(&w->busy);
}

static void rows(struct az_job *job, struct az_table *t, const struct az_account *a,
                 const struct az_disp_gpu *lead)
{
    const struct {
        const char *name;
        int64_t ns;
    } r[] = { { "total_time", a->total },
              { "kernel", a->compute },
              { "memory", a->copies },
              { "busy_time", a->busy },
              { "idle", a->idle } };
    for (size_t i = 0; i < AZ_LENGTH(r); i++) {
        if (lead) {
            az_disp_put_rank(job, t, lead->trace);
            az_put_i64(t, lead->agent);
        }
        az_put_text(t, az_sv_str(r[i].name));
        az_put_f64(t, az_disp_ms(r[i].ns));
        az_put_f64(t, az_percent((double)r[i].ns, (double)a->total));
    }
}

static void columns(struct az_table *t)
{
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
}

static int whole(struct work *w)
{
    struct az_job *job = w->job;
    struct az_table *t = az_table_new(job->arena, "gpu_timeline", "GPU time line",
                                      AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    struct az_account a;
    columns(t);
    int rc = gather(w, NULL, NULL);
    if (rc == 0 && w->busy.events) {
        account(w, &a);
        rows(job, t, &a, NULL);
    }
    return az_job_add(job, t, rc);
}

/* Agents that ran kernels, of each trace; and those that only took part in copies. Sorted by trace
 * and index. */
static int agents(struct az_job *job, struct az_disp_gpus *g)
{
    uint8_t *ran = az_arena_alloc(job->arena, 4096);
    int rc = az_disp_gpus_make(job, g);
    if (rc == 0 && !ran)
        rc = az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_trace *t = job->traces[i];
        const struct az_events *e = &t->ev[AZ_MEMCPY];
        if (az_disp_has(t))
            mark(job, i, ran);
        for (size_t k = 0; rc == 0 && az_disp_has(t) && k < e->n; k++) {
            const int64_t agent = owner(t, ran, k);
            const struct az_agent *a =
                az_agent_find(az_dispatches(t), (uint32_t)t->lanes.v[e->lane[k]].proc, agent);
            if (agent >= 0 && (!a || a->gpu) && az_disp_gpu_of(g, i, agent) == SIZE_MAX)
                rc = az_vec_push(g, ((struct az_disp_gpu){ i, agent }));
        }
    }
    for (size_t i = 1; rc == 0 && i < g->n; i++) /* few */
        for (size_t k = i;
             k > 0 && (g->v[k].trace < g->v[k - 1].trace ||
                       (g->v[k].trace == g->v[k - 1].trace && g->v[k].agent < g->v[k - 1].agent));
             k--) {
            struct az_disp_gpu swap = g->v[k];
            g->v[k] = g->v[k - 1];
            g->v[k - 1] = swap;
        }
    return rc;
}

/* Communication under computation. */
static void overlap_row(struct az_job *job, struct az_table *t, const struct az_disp_gpu *g,
                        const struct az_account *a)
{
    const int64_t hidden = a->comm - a->exposed_comm;
    az_disp_put_rank(job, t, g->trace);
    az_put_i64(t, g->agent);
    az_put_f64(t, az_disp_ms(a->comm));
    az_put_f64(t, az_disp_ms(hidden));
    az_put_f64(t, az_disp_ms(a->exposed_comm));
    az_put_f64(t, az_percent((double)hidden, (double)a->comm));
    az_put_f64(t, az_disp_ms(a->compute));
}

static struct az_table *overlap_table(struct az_job *job)
{
    struct az_table *t =
        az_table_new(job->arena, "comm_overlap", "Communication under computation, by agent", 0);
    if (!t)
        return NULL;
    az_disp_rank_column(job, t);
    az_table_column(t, "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "communication ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "overlapped ms", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "exposed ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "overlapped percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "computation ms", AZ_REAL, AZ_UNIT_MS, 0);
    return t;
}

static int agent_rows(struct work *w, const struct az_disp_gpus *g, struct az_table *line,
                      struct az_table *overlap)
{
    uint8_t *ran = az_arena_alloc(w->job->arena, 4096);
    int rc = ran ? 0 : az_arena_error(w->job->arena);
    for (size_t i = 0; rc == 0 && i < g->n; i++) {
        struct az_account a;
        mark(w->job, g->v[i].trace, ran);
        rc = gather(w, &g->v[i], ran);
        if (rc || w->busy.events == 0)
            continue;
        account(w, &a);
        rows(w->job, line, &a, &g->v[i]);
        az_account_of(&w->kernels, NULL, 0, &a);
        if (w->kernels.of[AZ_PART_COMM].n)
            overlap_row(w->job, overlap, &g->v[i], &a);
    }
    return rc;
}

static int by_agent(struct work *w)
{
    struct az_job *job = w->job;
    struct az_table *t =
        az_table_new(job->arena, "gpu_timeline_by_agent", "GPU time line by agent", 0);
    struct az_table *o = t ? overlap_table(job) : NULL;
    struct az_disp_gpus g;
    if (!o) {
        az_table_free(t);
        return az_arena_error(job->arena);
    }
    az_disp_rank_column(job, t);
    az_table_column(t, "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    columns(t);
    int rc = agents(job, &g);
    if (rc == 0)
        rc = agent_rows(w, &g, t, o);
    az_vec_release(&g);
    rc = az_job_add(job, t, rc);
    return az_job_add(job, o, rc);
}

static int run(struct az_job *job)
{
    static const struct az_sv parts[] = { { "busy_time", 9 }, { "idle", 4 } };
    struct work w = { .job = job };
    az_busy_init(&w.busy, job->mem);
    az_busy_init(&w.kernels, job->mem);
    int rc = whole(&w);
    if (rc == 0)
        rc = by_agent(&w);
    az_busy_release(&w.busy);
    az_busy_release(&w.kernels);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_BAR, "gpu_timeline", "GPU time line", "time ms", NULL,
                                parts, 2);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_agent",
                                "GPU time line by agent", "time ms", "agent", parts, 2);
    return rc;
}

const struct az_analysis az_analysis_amd_timeline = {
    .name = "dispatch_timeline",
    .help = "device time by kernels, copies and idle: all agents and each; communication under "
            "computation",
    .needs = AZ_CAP_DISPATCHES,
    .run = run,
};
