/* From launch call to kernel: time in the call, in the queue, in the kernel, by thread, device,
 * call and kernel (docs/formats-nsight.md 3.3). */
#include "analyses/registry_list.h"
#include "facts/groups.h"
#include "tables/keys.h"

/* The context of the functions below: trace -> kernel -> the row of its call; NULL: no kernel of
 * the trace has one. */
static uint32_t call_of(const struct az_scope *r, const struct az_item *i)
{
    const uint32_t *const *calls = r->ctx;
    return calls[i->trace] ? calls[i->trace][i->row] : AZ_NO_ROW;
}

static bool was_launched(const struct az_scope *r, const struct az_item *i)
{
    return call_of(r, i) != AZ_NO_ROW;
}

static const struct az_events *calls_of(const struct az_scope *r, const struct az_item *i)
{
    return &az_item_trace(r, i)->ev[AZ_CALL];
}

static const struct az_lane *host_of(const struct az_scope *r, const struct az_item *i)
{
    return &az_item_trace(r, i)->lanes.v[calls_of(r, i)->lane[call_of(r, i)]];
}

/* ---- times of a launch ---- */
struct launch {
    int64_t called, returned, start, end; /* of the call, of the kernel; ticks */
};

static int64_t whole_time(struct launch l)
{
    return (l.returned > l.end ? l.returned : l.end) - l.called;
}
static int64_t api_time(struct launch l) { return l.returned - l.called; }
static int64_t kernel_time(struct launch l) { return l.end - l.start; }
/* A kernel that started before its call returned did not queue. */
static int64_t queue_time(struct launch l)
{
    return l.start >= l.returned ? l.start - l.returned : AZ_ABSENT;
}

static inline void times(const struct az_scope *r, const struct az_item *from, size_t n,
                         int64_t (*time)(struct launch), int64_t *list)
{
    const struct az_trace *t = az_item_trace(r, from);
    const struct az_events *k = az_item_events(r, from), *c = &t->ev[AZ_CALL];
    const uint32_t *const *calls = r->ctx, *call = calls[from->trace];
    const bool ns = t->ticks_per_ns <= 1;
    for (size_t i = 0, row = from->row; call && i < n; i++, row++) {
        if (call[row] == AZ_NO_ROW)
            continue; /* in no row of the table */
        const int64_t x = time(
            (struct launch){ c->start[call[row]], c->end[call[row]], k->start[row], k->end[row] });
        list[i] = ns || x == AZ_ABSENT ? x : az_ns(t, x);
    }
}

#define TIMES(name, time)                                                                          \
    static void name(const struct az_scope *r, const struct az_item *from, size_t n, int64_t *to)  \
    {                                                                                              \
        times(r, from, n, time, to);                                                               \
    }
TIMES(whole_times, whole_time)
TIMES(api_times, api_time)
TIMES(queue_times, queue_time)
TIMES(kernel_times, kernel_time)

/* ---- keys ---- */
static int64_t lane_of(const struct az_scope *r, const struct az_item *i)
{
    return calls_of(r, i)->lane[call_of(r, i)];
}
static int64_t process_of(const struct az_scope *r, const struct az_item *i)
{
    return (int64_t)host_of(r, i)->pid;
}
static int64_t thread_of(const struct az_scope *r, const struct az_item *i)
{
    return (int64_t)host_of(r, i)->tid;
}
static uint32_t name_of(const struct az_scope *r, const struct az_item *i)
{
    return calls_of(r, i)->name[call_of(r, i)];
}

static const struct az_key lane = { AZ_INT, AZ_UNIT_ID, .integer = lane_of };
static const struct az_key process = { AZ_INT, AZ_UNIT_ID, .integer = process_of };
static const struct az_key thread = { AZ_INT, AZ_UNIT_ID, .integer = thread_of };
static const struct az_key call = { AZ_TEXT, .name = name_of };

/* ---- similar launches: keys follow from lanes and names of call and kernel ---- */
static int number(const struct az_scope *r, uint32_t trace, enum az_kind kind, uint32_t *list,
                  size_t *n)
{
    const struct az_trace *t = r->job->traces[trace];
    const struct az_events *k = &t->ev[kind], *c = &t->ev[AZ_CALL];
    const uint32_t *const *calls = r->ctx, *launch = calls[trace];
    struct az_recent_keys recent = { 0 };
    struct az_grouper by;
    int rc = az_grouper_init(&by, r->job->mem, 2, 0);
    for (size_t i = 0; rc == 0 && i < k->n; i++) {
        const uint32_t row = launch ? launch[i] : AZ_NO_ROW;
        list[i] = AZ_NO_ID;
        if (row == AZ_NO_ROW)
            continue;
        const uint64_t key[2] = { (uint64_t)c->lane[row] << 32 | c->name[row],
                                  (uint64_t)k->lane[i] << 32 | k->name[i] };
        rc = az_grouper_recall(&by, &recent, key, &list[i]);
    }
    *n = by.n;
    az_grouper_release(&by);
    return rc;
}

#define NS(header, what, n, flag) AZ_FIGURE(header, what, n, AZ_UNIT_NS, flag)
#define FIVE(w, n)                                                                                 \
    NS(w "Avg (ns)", AZ_FIG_MEAN, n, AZ_LOWER_BETTER),                                             \
        NS(w "Med (ns)", AZ_FIG_MEDIAN, n, AZ_DETAIL), NS(w "Min (ns)", AZ_FIG_MIN, n, AZ_DETAIL), \
        NS(w "Max (ns)", AZ_FIG_MAX, n, AZ_DETAIL),                                                \
        NS(w "StdDev (ns)", AZ_FIG_STD_ZERO, n, AZ_DETAIL)
static const struct az_table_spec launch_times = {
    "kern_exec_sum",
    "Launch, queue and kernel time",
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .keep = was_launched,
    .number = number,
    .values = { { .all = whole_times },
                { .all = api_times },
                { .all = queue_times },
                { .all = kernel_times } },
    .columns = { { NULL, &lane },
                 { "PID", &process, .follows = true, .sort = 2 },
                 { "TID", &thread, .follows = true, .sort = 3 },
                 { "DevId", &az_key_device, .flags = AZ_KEY, .sort = 4 },
                 { "API Name", &call, .flags = AZ_KEY, .sort = 5 },
                 { "Kernel Name", &az_key_name, .flags = AZ_KEY, .sort = 6 },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "QCount", .figure = AZ_FIG_COUNT, .value = 2 },
                 FIVE("T", 0),
                 FIVE("A", 1),
                 FIVE("Q", 2),
                 FIVE("K", 3),
                 { "Total (ns)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .flags = AZ_LOWER_BETTER,
                   .sort = -1 },
                 { "Rank", &az_key_rank, .flags = AZ_KEY, .when = az_when_ranks } },
};

static int run_launches(struct az_job *job)
{
    const uint32_t **calls = az_arena_array(job->arena, job->n_traces, sizeof *calls);
    int rc = calls ? 0 : az_arena_error(job->arena);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++) {
        const struct az_link *link = az_job_link(job, k, &rc);
        calls[k] = link ? link->call[AZ_KERNEL] : NULL;
    }
    return rc ? rc : az_spec_make(job, &launch_times, calls, NULL);
}

const struct az_analysis az_analysis_kern_exec_sum = {
    .name = "kern_exec_sum",
    .tables = { "kern_exec_sum" },
    .help = "launch, queue and kernel time by thread, device, call and kernel",
    .needs = AZ_CAP_LAUNCHES | AZ_CAP_TIMELINE,
    .run = run_launches,
};
