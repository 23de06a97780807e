/* From launch call to kernel: time in the call, in the queue, in the kernel, by thread, device, call and kernel
 * (docs/formats-nsight.md 3.3). */
#include "analyses/list.h"
#include "facts/groups.h"
#include "facts/shared.h"

enum part { TOTAL, API, QUEUE, KERNEL, PARTS };

struct pair {              /* who launched what where */
    uint32_t call, kernel; /* rows of the first of them, for names and lanes */
};
AZ_VEC(struct pair, pairs);

struct work {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    const uint32_t *call_of; /* kernel -> call */
    struct pairs pairs;
    struct az_vec_u32 group; /* kernel -> pair; AZ_NO_ID: no call */
    struct az_table *out;
};

static struct az_table *new_table(struct az_job *job)
{
    static const char *const stat[] = { "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)" };
    struct az_table *t = az_table_new(job->arena, "kern_exec_sum", "Launch, queue and kernel time", 0);
    if (!t)
        return NULL;
    az_table_column(t, "PID", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "TID", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "DevId", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "API Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "QCount", AZ_INT, AZ_UNIT_COUNT, 0);
    for (const char *p = "TAQK"; *p; p++) {
        for (size_t i = 0; i < 5; i++) {
            struct az_sv name = az_arena_printf(job->arena, "%c%s", *p, stat[i]);
            az_table_columnsv(t, name, i == 2 || i == 3 ? AZ_INT : AZ_REAL, AZ_UNIT_NS,
                              i ? AZ_DETAIL : AZ_LOWER_BETTER);
        }
    }
    az_table_column(t, "Total (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    if (job->n_traces > 1)
        az_table_column(t, "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    return t;
}

/* False: this kernel has no such time (it started before its call returned, so it did not queue). */
static bool part_of(const struct work *w, enum part part, uint32_t kernel, int64_t *out)
{
    const struct az_events *k = &w->t->ev[AZ_KERNEL], *c = &w->t->ev[AZ_CALL];
    uint32_t call = w->call_of[kernel];
    switch (part) {
    case TOTAL:
        *out = (c->end[call] > k->end[kernel] ? c->end[call] : k->end[kernel]) - c->start[call];
        return true;
    case API:
        *out = c->end[call] - c->start[call];
        return true;
    case QUEUE:
        *out = k->start[kernel] - c->end[call];
        return *out >= 0;
    case KERNEL:
    case PARTS:
        break;
    }
    *out = k->end[kernel] - k->start[kernel];
    return true;
}

static size_t take(const struct work *w, struct az_groups *g, size_t group, enum part part)
{
    size_t n = 0;
    int64_t x;
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++) {
        if (part_of(w, part, g->item[i], &x))
            g->value[n++] = az_ns(w->t, x);
    }
    return n;
}

static void put_stats(struct az_table *t, int64_t *v, size_t n, int64_t *sum)
{
    struct az_stats st;
    az_stats_i64(v, n, &st);
    *sum = st.sum;
    if (n == 0) {
        for (int i = 0; i < 5; i++)
            az_put_empty(t);
        return;
    }
    az_put_f64(t, st.mean);
    az_put_f64(t, st.median);
    az_put_i64(t, st.min);
    az_put_i64(t, st.max);
    az_put_f64(t, n > 1 ? st.std : 0.0);
}

static void put_pair(struct work *w, struct az_groups *g, size_t i)
{
    const struct az_events *k = &w->t->ev[AZ_KERNEL], *c = &w->t->ev[AZ_CALL];
    const struct pair *p = &w->pairs.v[i];
    const struct az_lane *host = &w->t->lanes.v[c->lane[p->call]];
    int64_t sum, total = 0;
    az_put_i64(w->out, (int64_t)host->pid);
    az_put_i64(w->out, (int64_t)host->tid);
    az_put_i64(w->out, w->t->lanes.v[k->lane[p->kernel]].device);
    az_put_text(w->out, az_job_text(w->job, az_job_name(w->job, w->trace, c->name[p->call])));
    az_put_text(w->out, az_job_text(w->job, az_job_name(w->job, w->trace, k->name[p->kernel])));
    az_put_i64(w->out, (int64_t)(g->first[i + 1] - g->first[i]));
    az_put_i64(w->out, (int64_t)take(w, g, i, QUEUE));
    for (enum part part = TOTAL; part < PARTS; part++) {
        put_stats(w->out, g->value, take(w, g, i, part), &sum);
        if (part == TOTAL)
            total = sum;
    }
    az_put_i64(w->out, total);
    if (w->job->n_traces > 1)
        az_put_i64(w->out, az_job_rank(w->job, w->trace));
}

static int number_kernels(struct work *w)
{
    const struct az_events *k = &w->t->ev[AZ_KERNEL], *c = &w->t->ev[AZ_CALL];
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 256);
    if (rc == 0)
        rc = az_vec_reserve(&w->group, k->n);
    for (size_t i = 0; rc == 0 && i < k->n; i++) {
        uint32_t call = w->call_of[i], *number;
        bool added;
        if (call == AZ_NO_ROW) {
            rc = az_vec_push(&w->group, AZ_NO_ID);
            continue;
        }
        uint64_t where = (uint64_t)c->lane[call] << 32 | (uint32_t)w->t->lanes.v[k->lane[i]].device;
        uint64_t what = (uint64_t)c->name[call] << 32 | k->name[i];
        rc = az_map_put(&map, where, what, (uint32_t)w->pairs.n, &number, &added);
        if (rc == 0 && added)
            rc = az_vec_push(&w->pairs, ((struct pair){ call, (uint32_t)i }));
        if (rc == 0)
            rc = az_vec_push(&w->group, *number);
    }
    az_map_release(&map);
    return rc;
}

static int use_trace(struct work *w)
{
    struct az_groups g = { 0 };
    int rc;
    w->t = w->job->traces[w->trace];
    const struct az_link *link = az_job_link(w->job, w->trace, &rc);
    if (!link || !link->call[AZ_KERNEL])
        return rc;
    w->call_of = link->call[AZ_KERNEL];
    az_vec_reset(&w->pairs);
    az_vec_reset(&w->group);
    rc = number_kernels(w);
    if (rc == 0)
        rc = az_groups_make(&g, w->group.v, w->group.n, w->pairs.n, w->job->mem);
    for (size_t i = 0; rc == 0 && i < w->pairs.n; i++)
        put_pair(w, &g, i);
    az_groups_release(&g);
    return rc;
}

static int run(struct az_job *job)
{
    static const int order[] = { -28, 0, 1, 2, 3, 4 }; /* total falling, then the key */
    struct work w = { .job = job, .out = new_table(job) };
    int rc = w.out ? 0 : az_arena_error(job->arena);
    az_vec_init(&w.pairs, job->mem);
    az_vec_init(&w.group, job->mem);
    for (w.trace = 0; rc == 0 && w.trace < job->n_traces; w.trace++)
        rc = use_trace(&w);
    rc = az_job_emit(job, w.out, rc, order, 6);
    az_vec_release(&w.pairs);
    az_vec_release(&w.group);
    return rc;
}

const struct az_analysis az_analysis_kern_exec_sum = {
    .name = "kern_exec_sum",
    .tables = { "kern_exec_sum" },
    .help = "launch, queue and kernel time by thread, device, call and kernel",
    .needs = AZ_CAP_LAUNCHES | AZ_CAP_TIMELINE,
    .run = run,
};
