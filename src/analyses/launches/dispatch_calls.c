/* api_summary, api_kernel_summary: calls by name; a launching call, its wait and its kernel
 * (docs/formats-rocprof.md 7.3 B). */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "classify/rules.h"
#include "tables/keys.h"

/* ---- calls by domain and name ---- */

static uint32_t domain_of(const struct az_scope *r, const struct az_item *i)
{
    return az_item_events(r, i)->side[i->row];
}

static const struct az_key by_domain = { AZ_TEXT, .name = domain_of };

#define US(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_US, flag)
static const struct az_table_spec api_summary = {
    "api_summary",
    "API calls by domain",
    AZ_TABLE_SUMMARY,
    .needs = AZ_CAP_DISPATCHES,
    .n_kinds = 1,
    .kinds = { AZ_CALL },
    .columns = { { "domain", &by_domain, .flags = AZ_KEY, .sort = 2 },
                 { "name", &az_key_name, .flags = AZ_KEY, .sort = 3 },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "Total (µs)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER,
                   .sort = -1 },
                 { "Percentage (%)", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                   .flags = AZ_SHARE },
                 US("Mean (µs)", AZ_FIG_MEAN, AZ_LOWER_BETTER),
                 US("Median (µs)", AZ_FIG_MEDIAN, AZ_DETAIL),
                 US("Min (µs)", AZ_FIG_MIN, AZ_DETAIL),
                 US("Max (µs)", AZ_FIG_MAX, AZ_DETAIL),
                 US("Std (µs)", AZ_FIG_STD, AZ_DETAIL) },
};

/* ---- launch latency ---- */

/* A call and one operation that it launched: an item whose `other` is an az_op word. */
AZ_VEC(struct az_item, pairs);

static struct az_item pair(size_t trace, uint32_t call, uint32_t op)
{
    return (struct az_item){
        .trace = (uint32_t)trace, .row = call, .kind = AZ_CALL, .other = op, .name = AZ_NO_ID
    };
}

/* known: name id of a call -> 1 no, 2 yes; 0: not looked up yet */
static bool is_launch(const struct az_trace *t, uint32_t name, uint8_t *known)
{
    if (name == AZ_NO_ID)
        return false;
    if (!known[name])
        known[name] =
            az_rules_class("amd_categories.rules", "call", az_trace_text(t, name)).n ? 2 : 1;
    return known[name] == 2;
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(struct az_sv name, struct az_sv word)
{
    for (size_t i = 0; word.n && i + word.n <= name.n; i++) {
        const ptrdiff_t at = az_sv_find(az_sv_make(name.p + i, name.n - i), word);
        if (at < 0)
            return false;
        i += (size_t)at;
        bool before = i > 0 && word_char(name.p[i - 1]),
             behind = i + word.n < name.n && word_char(name.p[i + word.n]);
        if (!before && !behind)
            return true;
    }
    return false;
}

static bool has_excluded(const struct az_job *job, struct az_sv name)
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

/* known: as that of is_launch, of names of operations. */
static bool excluded(const struct az_job *job, const struct az_trace *t, uint32_t name,
                     uint8_t *known)
{
    if (name == AZ_NO_ID)
        return has_excluded(job, az_trace_text(t, name));
    if (!known[name])
        known[name] = has_excluded(job, az_trace_text(t, name)) ? 2 : 1;
    return known[name] == 2;
}

/* Id of the whole name of an operation: of a kernel with its parameters. */
static uint32_t op_name(const struct az_trace *t, uint32_t op)
{
    const uint32_t row = az_op_row(op);
    return az_op_code(op) == AZ_OP_KERNEL ? az_dispatch_list_shape(t, row)->whole
                                          : t->ev[az_op_kind(op)].name[row];
}

static int trace_pairs(struct az_job *job, size_t trace, struct pairs *out)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *calls = &t->ev[AZ_CALL];
    int rc = 0;
    const struct az_launches *l = az_job_launches(job, trace, &rc);
    uint8_t *known = az_arena_array(job->arena, t->names.text.n + 1, 1),
            *out_of = az_arena_array(job->arena, t->names.text.n + 1, 1);
    if (!l || !known || !out_of)
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
            if (excluded(job, t, op_name(t, l->op[k]), out_of))
                continue;
            if (job->opts->allow_multi_kernel_per_api)
                rc = az_vec_push(out, pair(trace, call, l->op[k]));
            else if (best == AZ_NO_ROW || at < start) {
                best = l->op[k];
                start = at;
            }
        }
        if (rc == 0 && best != AZ_NO_ROW)
            rc = az_vec_push(out, pair(trace, call, best));
    }
    return rc;
}

static const struct az_events *op_events(const struct az_scope *r, const struct az_item *i)
{
    return &az_item_trace(r, i)->ev[az_op_kind(i->other)];
}

static const struct az_lane *op_lane(const struct az_scope *r, const struct az_item *i)
{
    return &az_item_trace(r, i)->lanes.v[op_events(r, i)->lane[az_op_row(i->other)]];
}

/* A pair's times, ns */
static int64_t api_time(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *calls = az_item_events(r, i);
    return az_ns(az_item_trace(r, i), calls->end[i->row] - calls->start[i->row]);
}

static int64_t queue_time(const struct az_scope *r, const struct az_item *i)
{
    const int64_t wait =
        op_events(r, i)->start[az_op_row(i->other)] - az_item_events(r, i)->end[i->row];
    return wait > 0 ? az_ns(az_item_trace(r, i), wait) : 0;
}

static int64_t kernel_time(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *ops = op_events(r, i);
    const uint32_t row = az_op_row(i->other);
    return az_ns(az_item_trace(r, i), ops->end[row] - ops->start[row]);
}

static int64_t whole_time(const struct az_scope *r, const struct az_item *i)
{
    return api_time(r, i) + queue_time(r, i) + kernel_time(r, i);
}

static int64_t waited(const struct az_scope *r, const struct az_item *i)
{
    return queue_time(r, i) > 0;
}

static bool process_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    *number = az_item_lane(r, i)->proc;
    return true;
}

static void put_process(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_i64(t, (int64_t)az_item_lane(r, i)->pid);
}

static bool device_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    *number = (uint64_t)op_lane(r, i)->device;
    return true;
}

static void put_device(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    const size_t gpu = az_dispatch_gpu_of(r->ctx, i->trace, op_lane(r, i)->device);
    az_put_i64(t, gpu == SIZE_MAX ? op_lane(r, i)->device : (int64_t)gpu);
}

static uint32_t op_of(const struct az_scope *r, const struct az_item *i)
{
    return op_name(az_item_trace(r, i), i->other);
}

static const struct az_key process = { AZ_INT, AZ_UNIT_ID, .of = process_of, .put = put_process };
static const struct az_key device = { AZ_INT, AZ_UNIT_ID, .of = device_of, .put = put_device };
static const struct az_key op = { AZ_TEXT, .name = op_of };

#define NS(header, what, n, flag) AZ_FIGURE(header, what, n, AZ_UNIT_NS, flag)
#define FIVE(w, n)                                                                                 \
    NS(w "Avg_ns", AZ_FIG_MEAN, n, AZ_LOWER_BETTER), NS(w "Med_ns", AZ_FIG_MEDIAN, n, AZ_DETAIL),  \
        NS(w "Min_ns", AZ_FIG_MIN, n, AZ_DETAIL), NS(w "Max_ns", AZ_FIG_MAX, n, AZ_DETAIL),        \
        NS(w "StdDev_ns", AZ_FIG_STD_POPULATION, n, AZ_DETAIL)
static const struct az_table_spec latency = {
    "api_kernel_summary",
    "API, queue and kernel time",
    .values = { { whole_time }, { api_time }, { queue_time }, { kernel_time }, { waited } },
    .columns = { { "rank", &az_key_rank, .flags = AZ_KEY, .when = az_when_ranks, .sort = 1 },
                 { "PID", &process, .flags = AZ_KEY, .sort = 2 },
                 { "TID", &az_key_thread, .flags = AZ_KEY, .sort = 3 },
                 { "DevId", &device, .flags = AZ_KEY, .sort = 4 },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "QCount", .figure = AZ_FIG_SUM, .value = 4, .unit = AZ_UNIT_COUNT,
                   .flags = AZ_DETAIL },
                 FIVE("T", 0),
                 FIVE("A", 1),
                 FIVE("Q", 2),
                 FIVE("K", 3),
                 { "API Name", &az_key_name, .flags = AZ_KEY, .sort = 5 },
                 { "Kernel Name", &op, .flags = AZ_KEY, .sort = 6 } },
};

static int launch_latency(struct az_job *job)
{
    struct pairs p;
    struct az_dispatch_gpus gpus;
    az_vec_init(&p, job->mem);
    int rc = az_dispatch_gpus_make(job, &gpus);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (az_dispatch_has(job->traces[i]) && (job->traces[i]->caps & AZ_CAP_CALLS))
            rc = trace_pairs(job, i, &p);
    if (rc == 0)
        rc = az_spec_make(job, &latency, &gpus, &(struct az_item_list){ p.v, p.n });
    az_vec_release(&p);
    az_dispatch_gpus_release(&gpus);
    return rc;
}

static int run(struct az_job *job)
{
    const int rc = az_spec_make(job, &api_summary, NULL, NULL);
    return rc ? rc : launch_latency(job);
}

const struct az_analysis az_analysis_amd_calls = {
    .name = "dispatch_calls",
    .help = "API calls by domain and name; API, queue, kernel time by launch",
    .needs = AZ_CAP_DISPATCHES | AZ_CAP_CALLS,
    .run = run,
};
