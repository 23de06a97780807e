/* api_summary, api_kernel_summary: calls by name; a launching call, its wait and its kernel
 * (docs/formats-rocprof.md 7.3 B). */
#include "analyses/device/dispatch.h"
#include "analyses/list.h"
#include "facts/groups.h"
#include "classify/rules.h"

/* ---- calls by domain and name ---- */

static int summary_rows(struct az_job *job, const struct amd_list *l, struct az_table *t, struct az_vec_u32 *first,
                        uint32_t *of)
{
    struct az_groups g;
    double all = 0;
    int rc = az_groups_make(&g, of, l->n, first->n, job->mem);
    for (size_t i = 0; i < l->n; i++)
        all += (double)l->length[i];
    for (size_t k = 0; rc == 0 && k < first->n; k++) {
        struct az_stats s;
        size_t item = first->v[k];
        const struct az_trace *tr = amd_trace(job, l, item);
        az_stats_i64(g.value, az_groups_take(&g, k, l->length), &s);
        az_put_copy(t, az_trace_text(tr, tr->ev[AZ_CALL].side[l->row[item]]));
        az_put_text(t, az_job_text(job, l->name[item]));
        az_put_i64(t, (int64_t)s.n);
        az_put_f64(t, amd_us(s.sum));
        az_put_f64(t, az_percent((double)s.sum, all));
        az_put_f64(t, s.mean / 1e3);
        az_put_f64(t, s.median / 1e3);
        az_put_f64(t, amd_us(s.min));
        az_put_f64(t, amd_us(s.max));
        if (s.n < 2)
            az_put_empty(t);
        else
            az_put_f64(t, s.std / 1e3);
    }
    az_groups_release(&g);
    return rc;
}

static int api_summary(struct az_job *job, const struct amd_list *l)
{
    static const char *const times[] = { "Mean (µs)", "Median (µs)", "Min (µs)", "Max (µs)", "Std (µs)" };
    struct az_table *t = az_table_new(job->arena, "api_summary", "API calls by domain", AZ_TABLE_SUMMARY);
    uint32_t *of = az_arena_array(job->arena, l->n + 1, sizeof *of);
    struct az_vec_u32 first;
    struct az_map map;
    if (!t || !of)
        return az_arena_error(job->arena);
    az_table_column(t, "domain", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Total (µs)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (size_t i = 0; i < 5; i++)
        az_table_column(t, times[i], AZ_REAL, AZ_UNIT_US, i ? AZ_DETAIL : AZ_LOWER_BETTER);
    az_vec_init(&first, job->mem);
    int rc = az_map_init(&map, job->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < l->n; i++) {
        const struct az_trace *tr = amd_trace(job, l, i);
        uint32_t domain = az_job_name(job, l->trace[i], tr->ev[AZ_CALL].side[l->row[i]]), *at;
        bool added;
        rc = az_map_put(&map, domain, l->name[i], (uint32_t)first.n, &at, &added);
        if (rc == 0)
            of[i] = *at;
        if (rc == 0 && added)
            rc = az_vec_push(&first, i);
    }
    if (rc == 0)
        rc = summary_rows(job, l, t, &first, of);
    az_map_release(&map);
    az_vec_release(&first);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -4, 0, 1 }, 3);
    return amd_emit(job, t, rc);
}

/* ---- launch latency ---- */

struct pair {                 /* a call and one operation that it launched */
    uint32_t trace, call, op; /* op: az_op word */
    uint32_t group;
};
AZ_VEC(struct pair, pairs);

/* known: name id of a call -> 1 no, 2 yes; 0: not looked up yet */
static bool is_launch(const struct az_trace *t, uint32_t name, uint8_t *known)
{
    if (name == AZ_NO_ID)
        return false;
    if (!known[name])
        known[name] = az_rules_class("amd_categories.rules", "call", az_trace_text(t, name)).n ? 2 : 1;
    return known[name] == 2;
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(struct az_sv name, struct az_sv word)
{
    for (size_t i = 0; word.n && i + word.n <= name.n; i++) {
        if (memcmp(name.p + i, word.p, word.n) != 0)
            continue;
        bool before = i > 0 && word_char(name.p[i - 1]), behind = i + word.n < name.n && word_char(name.p[i + word.n]);
        if (!before && !behind)
            return true;
    }
    return false;
}

static bool excluded(const struct az_job *job, struct az_sv name)
{
    struct az_sv rest = job->opts->exclude_kernels;
    while (rest.n) {
        const char *blank = memchr(rest.p, ' ', rest.n);
        size_t n = blank ? (size_t)(blank - rest.p) : rest.n;
        if (has_word(name, az_sv_make(rest.p, n)))
            return true;
        n += blank != NULL;
        rest = az_sv_make(rest.p + n, rest.n - n);
    }
    return false;
}

/* Whole name of an operation: of a kernel with its parameters. */
static struct az_sv op_name(const struct az_trace *t, uint32_t op)
{
    uint32_t row = az_op_row(op);
    if (az_op_code(op) == AZ_OP_KERNEL)
        return az_trace_text(t, amd_shape(t, row)->whole);
    return az_trace_text(t, t->ev[az_op_kind(op)].name[row]);
}

static int trace_pairs(struct az_job *job, size_t trace, struct pairs *out)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *calls = &t->ev[AZ_CALL];
    int rc = 0;
    const struct az_launches *l = az_job_launches(job, trace, &rc);
    uint8_t *known = az_arena_array(job->arena, t->names.text.n + 1, 1);
    if (!l || !known)
        return l ? az_arena_error(job->arena) : rc;
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        uint32_t call = l->call[i];
        struct az_sv domain = az_trace_text(t, calls->side[call]);
        if (!az_sv_ieq(az_sv_make(domain.p, domain.n < 3 ? domain.n : 3), AZ_SV("hip")) ||
            !is_launch(t, calls->name[call], known))
            continue;
        uint32_t best = AZ_NO_ROW;
        int64_t start = 0;
        for (uint32_t k = l->op_first[i]; rc == 0 && k < l->op_first[i + 1]; k++) {
            int64_t at = t->ev[az_op_kind(l->op[k])].start[az_op_row(l->op[k])];
            if (excluded(job, op_name(t, l->op[k])))
                continue;
            if (job->opts->allow_multi_kernel_per_api)
                rc = az_vec_push(out, ((struct pair){ (uint32_t)trace, call, l->op[k], 0 }));
            else if (best == AZ_NO_ROW || at < start) {
                best = l->op[k];
                start = at;
            }
        }
        if (rc == 0 && best != AZ_NO_ROW)
            rc = az_vec_push(out, ((struct pair){ (uint32_t)trace, call, best, 0 }));
    }
    return rc;
}

static int group_pairs(struct az_job *job, struct pairs *p, struct az_vec_u32 *first)
{
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < p->n; i++) {
        struct pair *q = &p->v[i];
        const struct az_trace *t = job->traces[q->trace];
        const struct az_lane *host = &t->lanes.v[t->ev[AZ_CALL].lane[q->call]],
                             *gpu = &t->lanes.v[t->ev[az_op_kind(q->op)].lane[az_op_row(q->op)]];
        uint32_t name = az_op_code(q->op) == AZ_OP_KERNEL ? amd_shape(t, az_op_row(q->op))->whole
                                                          : t->ev[az_op_kind(q->op)].name[az_op_row(q->op)];
        const uint64_t key[] = { q->trace, host->proc, host->tid, (uint64_t)gpu->device };
        uint32_t *at;
        bool added;
        rc = az_map_put(&map, az_hash(key, sizeof key), (uint64_t)t->ev[AZ_CALL].name[q->call] << 32 | name,
                        (uint32_t)first->n, &at, &added);
        if (rc == 0)
            q->group = *at;
        if (rc == 0 && added)
            rc = az_vec_push(first, i);
    }
    az_map_release(&map);
    return rc;
}

static void put_five(struct az_table *t, struct az_groups *g, size_t group, const int64_t *value)
{
    struct az_stats s;
    size_t n = az_groups_take(g, group, value);
    az_stats_i64(g->value, n, &s);
    az_put_f64(t, s.mean);
    az_put_f64(t, s.median);
    az_put_i64(t, s.min);
    az_put_i64(t, s.max);
    az_put_f64(t, n < 2 ? 0.0 : s.std * __builtin_sqrt((double)(n - 1) / (double)n)); /* population */
}

struct times { /* ns, per pair */
    int64_t *t, *a, *q, *k;
    uint32_t *group;
};

static void times_release(struct az_job *job, struct times *x, size_t n)
{
    int64_t *columns[] = { x->t, x->a, x->q, x->k };
    for (size_t c = 0; c < 4; c++)
        az_mem_free(job->mem, columns[c], columns[c] ? (n + 1) * sizeof(int64_t) : 0);
    az_mem_free(job->mem, x->group, x->group ? (n + 1) * sizeof *x->group : 0);
}

static int measure(struct az_job *job, const struct pairs *p, struct times *x)
{
    int64_t **columns[] = { &x->t, &x->a, &x->q, &x->k };
    for (size_t c = 0; c < 4; c++)
        if (!(*columns[c] = az_mem_alloc(job->mem, (p->n + 1) * sizeof(int64_t))))
            return az_mem_error(job->mem);
    x->group = az_mem_alloc(job->mem, (p->n + 1) * sizeof *x->group);
    if (!x->group)
        return az_mem_error(job->mem);
    for (size_t i = 0; i < p->n; i++) {
        const struct az_trace *t = job->traces[p->v[i].trace];
        const struct az_events *calls = &t->ev[AZ_CALL], *ops = &t->ev[az_op_kind(p->v[i].op)];
        uint32_t call = p->v[i].call, row = az_op_row(p->v[i].op);
        int64_t wait = ops->start[row] - calls->end[call];
        x->a[i] = az_ns(t, calls->end[call] - calls->start[call]);
        x->q[i] = wait > 0 ? az_ns(t, wait) : 0;
        x->k[i] = az_ns(t, ops->end[row] - ops->start[row]);
        x->t[i] = x->a[i] + x->q[i] + x->k[i];
        x->group[i] = p->v[i].group;
    }
    return 0;
}

static void latency_columns(struct az_job *job, struct az_table *t)
{
    static const char *const what[] = { "T", "A", "Q", "K" };
    static const char *const figure[] = { "Avg", "Med", "Min", "Max", "StdDev" };
    amd_rank_column(job, t);
    az_table_column(t, "PID", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "TID", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "DevId", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "QCount", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    for (size_t w = 0; w < 4; w++)
        for (size_t f = 0; f < 5; f++) {
            struct az_sv name = az_arena_printf(job->arena, "%s%s_ns", what[w], figure[f]);
            bool whole = f == 2 || f == 3;
            az_table_columnsv(t, name, whole ? AZ_INT : AZ_REAL, AZ_UNIT_NS, f == 0 ? AZ_LOWER_BETTER : AZ_DETAIL);
        }
    az_table_column(t, "API Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
}

static int latency_rows(struct az_job *job, struct az_table *t, const struct pairs *p, const struct az_vec_u32 *first)
{
    struct times x = { .t = NULL };
    struct az_groups g;
    struct amd_gpus gpus;
    int rc = amd_gpus_make(job, &gpus), made = -1;
    if (rc == 0)
        rc = measure(job, p, &x);
    if (rc == 0)
        rc = made = az_groups_make(&g, x.group, p->n, first->n, job->mem);
    for (size_t k = 0; rc == 0 && k < first->n; k++) {
        const struct pair *q = &p->v[first->v[k]];
        const struct az_trace *tr = job->traces[q->trace];
        const struct az_lane *host = &tr->lanes.v[tr->ev[AZ_CALL].lane[q->call]],
                             *dev = &tr->lanes.v[tr->ev[az_op_kind(q->op)].lane[az_op_row(q->op)]];
        size_t gpu = amd_gpu_of(&gpus, q->trace, dev->device), n = az_groups_take(&g, k, x.q);
        int64_t waited = 0;
        for (size_t i = 0; i < n; i++)
            waited += g.value[i] > 0;
        amd_put_rank(job, t, q->trace);
        az_put_i64(t, (int64_t)host->pid);
        az_put_i64(t, (int64_t)host->tid);
        az_put_i64(t, gpu == SIZE_MAX ? dev->device : (int64_t)gpu);
        az_put_i64(t, (int64_t)n);
        az_put_i64(t, waited);
        put_five(t, &g, k, x.t);
        put_five(t, &g, k, x.a);
        put_five(t, &g, k, x.q);
        put_five(t, &g, k, x.k);
        az_put_copy(t, az_trace_text(tr, tr->ev[AZ_CALL].name[q->call]));
        az_put_copy(t, op_name(tr, q->op));
    }
    if (made == 0)
        az_groups_release(&g);
    az_vec_release(&gpus);
    times_release(job, &x, p->n);
    return rc;
}

static int launch_latency(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "api_kernel_summary",
                                      "Launches: API (A), queue (Q) and kernel (K) time, T = A + Q + K", 0);
    struct pairs p;
    struct az_vec_u32 first;
    if (!t)
        return az_arena_error(job->arena);
    latency_columns(job, t);
    az_vec_init(&p, job->mem);
    az_vec_init(&first, job->mem);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (amd_has(job->traces[i]) && (job->traces[i]->caps & AZ_CAP_CALLS))
            rc = trace_pairs(job, i, &p);
    if (rc == 0)
        rc = group_pairs(job, &p, &first);
    if (rc == 0)
        rc = latency_rows(job, t, &p, &first);
    az_vec_release(&p);
    az_vec_release(&first);
    int api = (int)az_table_find(t, "API Name"), pid = (int)az_table_find(t, "PID");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ 0, pid, pid + 1, pid + 2, api, api + 1 }, 6);
    return amd_emit(job, t, rc);
}

static int run(struct az_job *job)
{
    struct amd_list l;
    int rc = amd_list_make(job, AZ_CALL, &l);
    if (rc == 0)
        rc = api_summary(job, &l);
    amd_list_release(&l);
    return rc ? rc : launch_latency(job);
}

const struct az_analysis az_analysis_amd_calls = {
    .name = "dispatch_calls",
    .help = "API calls by domain and name; API, queue and kernel time of launches",
    .needs = AZ_CAP_DISPATCHES | AZ_CAP_CALLS,
    .run = run,
};
