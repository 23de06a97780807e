/* gpu_timeline: where the time of each GPU goes, and the mean over the devices
 * (docs/formats-xplane.md 6). Exact in picoseconds. */
#include "analyses/timeline.h"
#include "analyses/hlo/hlo_events.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "facts/account.h"
#include "facts/devices.h"
#include "facts/nvtx_projection.h"

/* Adds the events of a trace to the accounts of its devices. */
static void add_events(const struct az_hlo *h, size_t trace, struct az_tally *of)
{
    const struct az_trace *t = h->tr[trace].t;
    struct az_sweep s = { .t = t };
    uint32_t op;
    while (az_sweep_next(&s, &op)) {
        const struct az_hlo_event e = { trace, az_op_row(op), az_op_kind(op) };
        const struct az_events *ev = &t->ev[e.kind];
        if (e.kind == AZ_GRAPH)
            continue;
        const enum az_part part = e.kind != AZ_KERNEL                    ? AZ_PART_COPY
                                  : az_trace_is_comm(t, ev->name[e.row]) ? AZ_PART_COMM
                                                                         : AZ_PART_COMPUTE;
        az_tally_add(&of[az_hlo_device_of(h, &e)], part, ev->start[e.row], ev->end[e.row]);
    }
}

/* The accounts of all devices; NULL on failure. */
static struct az_tally *tallies(struct az_hlo *h, int64_t micro)
{
    struct az_tally *of = az_arena_array(h->job->arena, h->devices.n + 1, sizeof *of);
    for (size_t d = 0; of && d < h->devices.n; d++)
        az_tally_init(&of[d], micro);
    for (size_t k = 0; of && k < h->n; k++)
        add_events(h, k, of);
    return of;
}

static void check(struct az_hlo *h, const struct az_account *a)
{
    const int64_t rest = a->total - (a->compute + a->exposed_comm + a->exposed_copies + a->idle);
    if (rest)
        az_cover(h->job,
                 "gpu_timeline: total - (computation + exposed_comm + exposed_memcpy + idle)",
                 (double)rest, "ps", AZ_SV("must be 0; report this as a bug"));
}

struct time_row {
    const struct az_hlo_device *device; /* NULL: of the mean */
    const char *type;
    double ps, percent;
};
#define ROW struct time_row
/* clang-format off */
#define TIME_COLUMNS                                                                               \
    { "type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, type) },                                     \
    { "time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, ps), .ps = true },            \
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) }
/* clang-format on */
static const struct az_record_column device_columns[] = {
    AZ_HLO_DEVICE_COLUMNS(ROW, device),
    TIME_COLUMNS,
};
static const struct az_record_column mean_columns[] = { TIME_COLUMNS };

static void put_time(struct az_table *t, const struct az_hlo_device *device, const char *type,
                     double ps, double total)
{
    az_put_row(t, &(ROW){ device, type, ps, total > 0 ? ps / total * 100 : 0 });
}

/* Over the devices. */
struct sums {
    struct az_timeline_row row[AZ_TIMELINE_ROWS];
    int64_t total;
    size_t rows, n;
};

static int by_device(struct az_hlo *h, bool split, int64_t micro, struct sums *sum)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(h->job->arena, "gpu_timeline", "GPU timeline",
                                            AZ_TABLE_SUMMARY | AZ_TABLE_SHORT, device_columns, h);
    const struct az_tally *of = t ? tallies(h, micro) : NULL;
    const int rc = of ? AZ_OK : az_arena_error(h->job->arena);
    if (!t)
        return rc;
    for (uint32_t d = 0; rc == 0 && d < h->devices.n; d++) {
        struct az_timeline_row row[AZ_TIMELINE_ROWS];
        struct az_account a;
        if (h->devices.v[d].kind != AZ_PLANE_GPU)
            continue;
        az_tally_account(&of[d], &a);
        check(h, &a);
        sum->rows = az_timeline_rows(&a, split, row);
        for (size_t i = 0; i < sum->rows; i++) {
            put_time(t, &h->devices.v[d], row[i].type, (double)row[i].ticks, (double)a.total);
            sum->row[i].type = row[i].type;
            sum->row[i].ticks = az_add_sat(sum->row[i].ticks, row[i].ticks);
        }
        sum->total = az_add_sat(sum->total, a.total);
        sum->n++;
    }
    return az_job_add(h->job, t, rc);
}

/* Means over the devices that have events; shares of the mean total. */
static int averages(struct az_hlo *h, const struct sums *sum)
{
    struct az_table *t =
        AZ_RECORD_TABLE(h->job->arena, "gpu_events_averages", "Mean GPU timeline",
                        h->devices.n > 1 ? AZ_TABLE_SUMMARY | AZ_TABLE_SHORT : 0, mean_columns);
    for (size_t i = 0; sum->n && i < sum->rows; i++)
        put_time(t, NULL, sum->row[i].type, (double)sum->row[i].ticks / (double)sum->n,
                 (double)sum->total / (double)sum->n);
    return az_job_add(h->job, t, AZ_OK);
}

static int charts(struct az_job *job)
{
    int rc = az_timeline_chart(job, AZ_CHART_BAR, "gpu_events_averages", "Mean GPU timeline",
                               "time_ms", NULL);
    if (rc == 0)
        rc = az_timeline_chart(job, AZ_CHART_STACKED_BAR, "gpu_timeline", "GPU timeline by device",
                               "time_ms", "device");
    return rc;
}

static int run_timeline(struct az_job *job)
{
    const bool split = job->opts->micro_idle_us != AZ_UNSET_I64;
    struct sums sum = { .n = 0 };
    struct az_hlo h;
    int rc = az_hlo_init(&h, job);
    if (rc == 0 && az_hlo_has(&h, AZ_PLANE_GPU)) {
        rc =
            by_device(&h, split, split ? az_muldiv(job->opts->micro_idle_us, 1000000, 1) : 0, &sum);
        if (rc == 0)
            rc = averages(&h, &sum);
        if (rc == 0)
            rc = charts(job);
    }
    return az_hlo_release(&h, rc);
}

const struct az_analysis az_analysis_hlo_timeline = {
    .name = "hlo_timeline",
    .help = "GPU time by compute, communication, copies, idle: mean and per device",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_timeline,
};
