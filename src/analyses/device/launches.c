/* From launch call to kernel: time in the call, in the queue, in the kernel, by thread, device,
 * call and kernel (docs/formats-nsight.md 3.3). */
#include "analyses/list.h"
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

static int64_t whole_time(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *k = az_item_events(r, i), *c = calls_of(r, i);
    const uint32_t call = call_of(r, i);
    const int64_t end = c->end[call] > k->end[i->row] ? c->end[call] : k->end[i->row];
    return az_ns(az_item_trace(r, i), end - c->start[call]);
}

static int64_t api_time(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *c = calls_of(r, i);
    const uint32_t call = call_of(r, i);
    return az_ns(az_item_trace(r, i), c->end[call] - c->start[call]);
}

/* A kernel that started before its call returned did not queue. */
static int64_t queue_time(const struct az_scope *r, const struct az_item *i)
{
    const int64_t wait = az_item_events(r, i)->start[i->row] - calls_of(r, i)->end[call_of(r, i)];
    return wait >= 0 ? az_ns(az_item_trace(r, i), wait) : AZ_ABSENT;
}

static int64_t kernel_time(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *k = az_item_events(r, i);
    return az_ns(az_item_trace(r, i), k->end[i->row] - k->start[i->row]);
}

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
    .values = { { whole_time }, { api_time }, { queue_time }, { kernel_time } },
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

static int run(struct az_job *job)
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
    .run = run,
};
