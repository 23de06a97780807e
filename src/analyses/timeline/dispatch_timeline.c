/* gpu_timeline, gpu_timeline_by_agent, comm_overlap: device time with the row names of
 * docs/formats-rocprof.md 6.1, from the account of docs/account.md. */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "document/record.h"
#include "facts/account.h"
#include "facts/groups.h"

struct work {
    struct az_job *job;
    struct az_dispatch_gpus gpus;
    /* events of all traces with dispatches, one after another, by the GPU whose they are */
    struct az_groups kernels_of, copies_of;
    struct az_dispatch_list kernels, copies;
    struct az_busy busy;    /* as it is recorded: kernels are computation here, whatever they do */
    struct az_busy by_work; /* the same kernels by what they do */
    struct az_account all;  /* of all agents */
};

/* From the first start to the last end of the processes that have them; 0 where none does. */
static int64_t process_time(const struct az_job *job)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN, all;
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_dispatches *d =
            az_dispatch_has(job->traces[i]) ? az_dispatches(job->traces[i]) : NULL;
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

static void mark_agents(struct az_job *job, size_t trace, uint8_t ran[4096])
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
    /* numbers within a type ("CPU 0", "GPU 0") are those of two agents: by the direction one is
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

static int add_event(struct work *w, enum az_kind kind, size_t trace, uint32_t row)
{
    const struct az_events *e = &w->job->traces[trace]->ev[kind];
    return az_busy_add(&w->busy, kind == AZ_MEMCPY ? AZ_PART_COPY : AZ_PART_COMPUTE, e->start[row],
                       e->end[row]);
}

/* Adds the events of a kind of one GPU (SIZE_MAX: all). */
static int gather_kind(struct work *w, enum az_kind kind, size_t gpu)
{
    const struct az_dispatch_list *l = kind == AZ_MEMCPY ? &w->copies : &w->kernels;
    const struct az_groups *g = kind == AZ_MEMCPY ? &w->copies_of : &w->kernels_of;
    int rc = 0;
    if (gpu == SIZE_MAX)
        for (size_t i = 0; rc == 0 && i < l->n; i++)
            rc = add_event(w, kind, l->trace[i], l->row[i]);
    else
        for (uint32_t at = g->first[gpu]; rc == 0 && at < g->first[gpu + 1]; at++)
            rc = add_event(w, kind, l->trace[g->item[at]], l->row[g->item[at]]);
    return rc;
}

static int gather(struct work *w, size_t gpu)
{
    az_busy_reset(&w->busy);
    int rc = gather_kind(w, AZ_KERNEL, gpu);
    if (rc == 0)
        rc = gather_kind(w, AZ_MEMCPY, gpu);
    return rc ? rc : az_busy_close(&w->busy);
}

static enum az_part part_at(const struct work *w, uint32_t i)
{
    const size_t trace = w->kernels.trace[i];
    const struct az_events *e = &w->job->traces[trace]->ev[AZ_KERNEL];
    return az_part_of(w->job, trace, AZ_KERNEL, e->name[w->kernels.row[i]]);
}

/* Kernels of one GPU by what they do; *any: some communicate, otherwise they are not examined. */
static int gather_work(struct work *w, size_t gpu, bool *any)
{
    size_t n;
    const uint32_t *item = az_groups_items(&w->kernels_of, gpu, &n);
    int rc = 0;
    *any = false;
    az_busy_reset(&w->by_work);
    for (size_t i = 0; !*any && i < n; i++)
        *any = part_at(w, item[i]) == AZ_PART_COMM;
    for (size_t i = 0; rc == 0 && *any && i < n; i++) {
        const struct az_events *e = &w->job->traces[w->kernels.trace[item[i]]]->ev[AZ_KERNEL];
        const uint32_t row = w->kernels.row[item[i]];
        rc = az_busy_add(&w->by_work, part_at(w, item[i]), e->start[row], e->end[row]);
    }
    return rc ? rc : az_busy_close(&w->by_work);
}

struct time_row {
    int64_t rank, agent;
    const char *type;
    int64_t ns;
    double percent;
};
/* clang-format off */
#define TIME_COLUMNS                                                                               \
    { "type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct time_row, type) },                         \
    { "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct time_row, ns) },            \
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct time_row, percent) }
/* clang-format on */
static const struct az_record_column whole_columns[] = { TIME_COLUMNS };
static const struct az_record_column agent_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct time_row, rank),
      .when = az_job_has_ranks },
    { "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct time_row, agent) },
    TIME_COLUMNS,
};

/* What the rows of an account are made of. rank, agent: -1: of all agents. */
struct agent_times {
    int64_t rank, agent, total, compute, copies, busy, idle;
};

static struct agent_times times_of(const struct az_account *a, int64_t rank, int64_t agent)
{
    return (struct agent_times){ rank, agent, a->total, a->compute, a->copies, a->busy, a->idle };
}

enum { ROWS = 5 }; /* of an account */

static void put_dispatch_timeline_rows(struct az_table *t, const struct agent_times *a, size_t row)
{
    const struct {
        const char *name;
        int64_t ns;
    } r[ROWS] = { { "total_time", a->total },
                  { "kernel", a->compute },
                  { "memory", a->copies },
                  { "busy_time", a->busy },
                  { "idle", a->idle } };
    for (; row < ROWS; row++)
        az_put_row(t, &(struct time_row){ a->rank, a->agent, r[row].name, r[row].ns,
                                          az_percent((double)r[row].ns, (double)a->total) });
}

static int whole(struct work *w)
{
    struct az_job *job = w->job;
    const char *title =
        process_time(job) > 0 ? "GPU timeline, whole run of the processes" : "GPU timeline";
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "gpu_timeline", title,
                                         AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY, whole_columns);
    int rc = gather(w, SIZE_MAX);
    if (rc == 0 && w->busy.events) {
        account(w, &w->all);
        const struct agent_times all = times_of(&w->all, -1, -1);
        put_dispatch_timeline_rows(t, &all, 0);
    }
    return az_job_add(job, t, rc);
}

/* Agents that ran kernels, of each trace; and those that only took part in copies. Sorted by trace
 * and index. of[]: whose each copy is. */
static int agents(struct work *w, int64_t *of)
{
    struct az_job *job = w->job;
    struct az_dispatch_gpus *g = &w->gpus;
    uint8_t *ran = az_arena_alloc(job->arena, 4096);
    int rc = ran ? 0 : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < w->copies.n; i++) {
        const struct az_trace *t = job->traces[w->copies.trace[i]];
        const uint32_t row = w->copies.row[i];
        if (i == 0 || w->copies.trace[i] != w->copies.trace[i - 1])
            mark_agents(job, w->copies.trace[i], ran);
        of[i] = owner(t, ran, row);
        const struct az_agent *a = az_agent_find(
            az_dispatches(t), (uint32_t)t->lanes.v[t->ev[AZ_MEMCPY].lane[row]].proc, of[i]);
        if (of[i] >= 0 && (!a || a->gpu))
            rc = az_dispatch_gpus_add(g, w->copies.trace[i], of[i]);
    }
    return rc ? rc : az_dispatch_gpus_sort(g, job->mem);
}

/* Kernels and copies by GPU. */
static int sort_events(struct work *w)
{
    struct az_mem *mem = w->job->mem;
    const size_t most = w->kernels.n > w->copies.n ? w->kernels.n : w->copies.n,
                 places = (most + 1) * sizeof(uint32_t),
                 owners = (w->copies.n + 1) * sizeof(int64_t);
    uint32_t *gpu = az_mem_alloc(mem, places);
    int64_t *of = az_mem_alloc(mem, owners);
    int rc = gpu && of ? agents(w, of) : az_mem_error(mem);
    for (size_t i = 0; rc == 0 && i < w->kernels.n; i++)
        gpu[i] = (uint32_t)az_dispatch_gpu_of(
            &w->gpus, w->kernels.trace[i],
            az_dispatch_lane(w->job, AZ_KERNEL, &w->kernels, i)->device);
    if (rc == 0)
        rc = az_groups_order(&w->kernels_of, gpu, w->kernels.n, w->gpus.list.n, mem);
    for (size_t i = 0; rc == 0 && i < w->copies.n; i++)
        gpu[i] = (uint32_t)az_dispatch_gpu_of(&w->gpus, w->copies.trace[i], of[i]);
    if (rc == 0)
        rc = az_groups_order(&w->copies_of, gpu, w->copies.n, w->gpus.list.n, mem);
    az_mem_free(mem, gpu, places);
    az_mem_free(mem, of, owners);
    return rc;
}

/* Communication under computation. */
struct overlap_row {
    int64_t rank, agent;
    const struct az_account *a;
};
#define ROW struct overlap_row
AZ_OF_RECORD(int64_t, hidden, ROW, r->a->comm - r->a->exposed_comm)
AZ_OF_RECORD(double, hidden_percent, ROW, az_percent((double)hidden(r), (double)r->a->comm))
static const struct az_record_column overlap_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
    { "agent", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, agent) },
    { "communication ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_VIA(ROW, a, comm) },
    { "overlapped ms", AZ_REAL, AZ_UNIT_MS, .integer = hidden },
    { "exposed ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_VIA(ROW, a, exposed_comm) },
    { "overlapped percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, .real = hidden_percent },
    { "computation ms", AZ_REAL, AZ_UNIT_MS, AZ_VIA(ROW, a, compute) },
};

static size_t events_of(const struct work *w, size_t gpu)
{
    size_t kernels, copies;
    az_groups_items(&w->kernels_of, gpu, &kernels);
    az_groups_items(&w->copies_of, gpu, &copies);
    return kernels + copies;
}

/* The table by agent. Of many agents its rows are made when they are read (document/rows.h). */
struct agent_rows {
    size_t n;
    struct agent_times v[];
};

static void make_agent(const void *of, size_t row, struct az_table *t)
{
    const struct agent_rows *x = of;
    put_dispatch_timeline_rows(t, &x->v[row / ROWS], row % ROWS);
}

static void put_agents(const struct agent_rows *x, struct az_table *t)
{
    enum { MANY = 1000 };
    bool several = false;
    for (size_t i = 1; i < x->n; i++)
        several |= x->v[i].agent != x->v[0].agent;
    if (x->n >= MANY && several)
        az_table_make(t, x->n * ROWS, make_agent, x);
    for (size_t i = 0; (x->n < MANY || !several) && i < x->n; i++)
        put_dispatch_timeline_rows(t, &x->v[i], 0);
}

static int list_agents(struct work *w, struct agent_rows **out, struct az_table *overlap)
{
    int rc = sort_events(w);
    struct agent_rows *x =
        az_arena_room(w->job->arena, sizeof *x + w->gpus.list.n * sizeof x->v[0]);
    *out = x;
    if (!x)
        return az_arena_error(w->job->arena);
    x->n = 0;
    for (size_t i = 0; rc == 0 && i < w->gpus.list.n; i++) {
        const struct az_dispatch_gpu *g = &w->gpus.list.v[i];
        struct az_account a = w->all;
        bool any;
        if (events_of(w, i) == 0)
            continue;
        if (events_of(w, i) < w->kernels.n + w->copies.n) { /* else it is the only one */
            rc = gather(w, i);
            account(w, &a);
        }
        x->v[x->n++] = times_of(&a, az_job_rank(w->job, g->trace), g->agent);
        if (rc == 0)
            rc = gather_work(w, i, &any);
        if (rc || !any)
            continue;
        az_account_of(&w->by_work, NULL, 0, &a);
        az_put_row(overlap, &(struct overlap_row){ az_job_rank(w->job, g->trace), g->agent, &a });
    }
    return rc;
}

static int by_agent(struct work *w)
{
    struct az_job *job = w->job;
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "gpu_timeline_by_agent",
                                            "GPU timeline by agent", 0, agent_columns, job);
    struct az_table *o = AZ_RECORD_TABLE_OF(
        job->arena, "comm_overlap", "Communication overlap by agent", 0, overlap_columns, job);
    struct agent_rows *x;
    int rc = list_agents(w, &x, o);
    if (rc == 0)
        put_agents(x, t);
    rc = az_job_add(job, t, rc);
    return az_job_add(job, o, rc);
}

static int run_dispatch_timeline(struct az_job *job)
{
    static const struct az_sv parts[] = { { "busy_time", 9 } };
    struct work w = { .job = job };
    az_busy_init(&w.busy, job->mem);
    az_busy_init(&w.by_work, job->mem);
    int rc = az_dispatch_gpus_make(job, &w.gpus);
    if (rc == 0)
        rc = az_dispatch_list_make(job, AZ_KERNEL, &w.kernels);
    if (rc == 0)
        rc = az_dispatch_list_make(job, AZ_MEMCPY, &w.copies);
    if (rc == 0)
        rc = whole(&w);
    if (rc == 0)
        rc = by_agent(&w);
    az_busy_release(&w.busy);
    az_busy_release(&w.by_work);
    az_groups_release(&w.kernels_of);
    az_groups_release(&w.copies_of);
    az_dispatch_list_release(&w.kernels);
    az_dispatch_list_release(&w.copies);
    az_dispatch_gpus_release(&w.gpus);
    /* Idle time of these tables is that of the whole file, before the first kernel, too: the
     * account of the verdict is about less. */
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_agent",
                                "Busy time by agent", "time ms", "agent", parts, 1);
    return rc;
}

const struct az_analysis az_analysis_amd_timeline = {
    .name = "dispatch_timeline",
    .help = "device time by kernels, copies, idle: total and per agent; communication overlap",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_dispatch_timeline,
};
