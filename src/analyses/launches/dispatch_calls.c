/* api_summary, api_kernel_summary: calls by name; a launching call, its wait and its kernel
 * (docs/formats-rocprof.md 7.3 B). */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "classify/rules.h"
#include "tables/keys.h"

#include <regex.h>

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

static struct az_item call_item(size_t trace, uint32_t call, uint32_t op)
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

/* What the pairs omit: whole words, or what fits an expression instead. */
struct exclusion {
    const struct az_job *job;
    bool by_pattern;
    regex_t pattern; /* if by_pattern */
};

/* "(?:", which groups without a number in other dialects, is a group. */
static char *plain_groups(struct az_arena *a, struct az_sv pattern)
{
    char *out = az_arena_str(a, pattern);
    size_t n = 0;

    for (size_t i = 0; out && i < pattern.n; i++) {
        out[n++] = pattern.p[i];
        if (pattern.p[i] == '(' &&
            az_sv_starts(az_sv_make(pattern.p + i, pattern.n - i), AZ_SV("(?:")))
            i += 2;
    }
    if (out)
        out[n] = '\0';
    return out;
}

static int exclusion_init(struct exclusion *x, const struct az_job *job)
{
    const struct az_sv given = job->opts->exclude_kernel_regex;

    *x = (struct exclusion){ .job = job };
    if (given.n == 0)
        return 0;
    const char *text = plain_groups(job->arena, given);
    if (!text)
        return az_arena_error(job->arena);
    x->by_pattern = regcomp(&x->pattern, text, REG_EXTENDED | REG_NOSUB) == 0;
    if (!x->by_pattern)
        return az_diag_fail(
            job->diag, AZ_ECONFIG, AZ_NOWHERE,
            "invalid exclude_kernel_regex '%.*s'; use a POSIX extended regular expression",
            AZ_SVF(given));
    return 0;
}

static void exclusion_release(struct exclusion *x)
{
    if (x->by_pattern)
        regfree(&x->pattern);
}

static bool is_excluded(const struct exclusion *x, struct az_sv name)
{
    const char *text = x->by_pattern ? az_arena_str(x->job->arena, name) : NULL;

    return text ? regexec(&x->pattern, text, 0, NULL, 0) == 0 : has_excluded(x->job, name);
}

/* known: as that of is_launch, of names of operations. */
static bool excluded(const struct exclusion *x, const struct az_trace *t, uint32_t name,
                     uint8_t *known)
{
    if (name == AZ_NO_ID)
        return is_excluded(x, az_trace_text(t, name));
    if (!known[name])
        known[name] = is_excluded(x, az_trace_text(t, name)) ? 2 : 1;
    return known[name] == 2;
}

/* Id of the whole name of an operation: of a kernel with its parameters. */
static uint32_t op_name(const struct az_trace *t, uint32_t op)
{
    const uint32_t row = az_op_row(op);
    return az_op_code(op) == AZ_OP_KERNEL ? az_dispatch_list_shape(t, row)->whole
                                          : t->ev[az_op_kind(op)].name[row];
}

static bool is_hip(const struct az_trace *t, uint32_t call)
{
    const struct az_sv domain = az_trace_text(t, t->ev[AZ_CALL].side[call]);

    return az_sv_ieq(az_sv_make(domain.p, domain.n < 3 ? domain.n : 3), AZ_SV("hip"));
}

/* What a trace's calls are looked up in; *_known: by name id, as is_launch has it. */
struct pairing {
    const struct exclusion *x;
    const struct az_trace *t;
    size_t trace;
    uint8_t *call_known, *op_known;
};

/* Pairs of one call with the operations from `first` to `end`. */
static int call_pairs(const struct pairing *p, uint32_t call, const uint32_t *first,
                      const uint32_t *end, struct pairs *out)
{
    const bool all = p->x->job->opts->allow_multi_kernel_per_api;
    uint32_t best = AZ_NO_ROW;
    int64_t start = 0;
    int rc = 0;

    for (const uint32_t *op = first; rc == 0 && op < end; op++) {
        const int64_t at = p->t->ev[az_op_kind(*op)].start[az_op_row(*op)];
        if (excluded(p->x, p->t, op_name(p->t, *op), p->op_known))
            continue;
        if (all)
            rc = az_vec_push(out, call_item(p->trace, call, *op));
        if (best == AZ_NO_ROW || at < start) {
            best = *op;
            start = at;
        }
    }
    if (rc == 0 && !all && best != AZ_NO_ROW)
        rc = az_vec_push(out, call_item(p->trace, call, best));
    if (rc == 0 && best == AZ_NO_ROW && p->x->job->opts->include_nonlaunch_apis)
        rc = az_vec_push(out, call_item(p->trace, call, AZ_NO_ROW));
    return rc;
}

/* Calls that launched nothing, which the launches do not have. */
static int other_calls(const struct pairing *p, const struct az_launches *l, struct pairs *out)
{
    const size_t n = p->t->ev[AZ_CALL].n;
    uint8_t *has = az_arena_array(p->x->job->arena, n + 1, 1);
    int rc = has ? 0 : az_arena_error(p->x->job->arena);

    for (size_t i = 0; rc == 0 && i < l->n; i++)
        has[l->call[i]] = 1;
    for (uint32_t call = 0; rc == 0 && call < n; call++)
        if (!has[call] && is_hip(p->t, call))
            rc = az_vec_push(out, call_item(p->trace, call, AZ_NO_ROW));
    return rc;
}

static int trace_pairs(struct az_job *job, size_t trace, const struct exclusion *x,
                       struct pairs *out)
{
    const struct az_trace *t = job->traces[trace];
    int rc = 0;
    const struct az_launches *l = az_job_launches(job, trace, &rc);
    const struct pairing p = { .x = x,
                               .t = t,
                               .trace = trace,
                               .call_known = az_arena_array(job->arena, t->names.text.n + 1, 1),
                               .op_known = az_arena_array(job->arena, t->names.text.n + 1, 1) };
    if (!l || !p.call_known || !p.op_known)
        return l ? az_arena_error(job->arena) : rc;
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        const uint32_t call = l->call[i];
        if (is_hip(t, call) && (job->opts->include_nonlaunch_apis ||
                                is_launch(t, t->ev[AZ_CALL].name[call], p.call_known)))
            rc = call_pairs(&p, call, l->op + l->op_first[i], l->op + l->op_first[i + 1], out);
    }
    return rc == 0 && job->opts->include_nonlaunch_apis ? other_calls(&p, l, out) : rc;
}

/* Has the call an operation? */
static bool paired(const struct az_item *i) { return i->other != AZ_NO_ROW; }

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
    if (!paired(i))
        return 0;
    const int64_t wait =
        op_events(r, i)->start[az_op_row(i->other)] - az_item_events(r, i)->end[i->row];
    return wait > 0 ? az_ns(az_item_trace(r, i), wait) : 0;
}

static int64_t kernel_time(const struct az_scope *r, const struct az_item *i)
{
    if (!paired(i))
        return 0;
    const struct az_events *ops = op_events(r, i);
    const uint32_t row = az_op_row(i->other);
    return az_ns(az_item_trace(r, i), ops->end[row] - ops->start[row]);
}

static int64_t whole_time(const struct az_scope *r, const struct az_item *i)
{
    return paired(i) ? api_time(r, i) + queue_time(r, i) + kernel_time(r, i) : 0;
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
    *number = paired(i) ? (uint64_t)op_lane(r, i)->device : 0;
    return true;
}

static void put_device(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    if (!paired(i)) {
        az_put_i64(t, 0);
        return;
    }
    const size_t gpu = az_dispatch_gpu_of(r->ctx, i->trace, op_lane(r, i)->device);
    az_put_i64(t, gpu == SIZE_MAX ? op_lane(r, i)->device : (int64_t)gpu);
}

static uint32_t op_of(const struct az_scope *r, const struct az_item *i)
{
    return paired(i) ? op_name(az_item_trace(r, i), i->other) : AZ_NO_ID;
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
    struct exclusion x;
    int rc = exclusion_init(&x, job);
    if (rc)
        return rc;
    az_vec_init(&p, job->mem);
    rc = az_dispatch_gpus_make(job, &gpus);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (az_dispatch_has(job->traces[i]) && (job->traces[i]->caps & AZ_CAP_CALLS))
            rc = trace_pairs(job, i, &x, &p);
    if (rc == 0)
        rc = az_spec_make(job, &latency, &gpus, &(struct az_item_list){ p.v, p.n });
    exclusion_release(&x);
    az_vec_release(&p);
    az_dispatch_gpus_release(&gpus);
    return rc;
}

static int run_dispatch_calls(struct az_job *job)
{
    const int rc = az_spec_make(job, &api_summary, NULL, NULL);
    return rc ? rc : launch_latency(job);
}

const struct az_analysis az_analysis_amd_calls = {
    .name = "dispatch_calls",
    .help = "API calls by domain and name; API, queue, kernel time by launch",
    .needs = AZ_CAP_DISPATCHES | AZ_CAP_CALLS,
    .run = run_dispatch_calls,
};
