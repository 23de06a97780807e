/* gpu_timeline: where the time of each GPU goes, and the mean over the devices
 * (docs/formats-xplane.md 6). Exact in picoseconds. */
#include "analyses/timeline.h"
#include "analyses/compiled/compiled.h"
#include "analyses/list.h"
#include "base/num.h"
#include "facts/shared.h"

static int gather(struct az_hx *h, uint32_t device, struct az_busy *b)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    const size_t trace = h->devices.v[device].trace;
    int rc = AZ_OK;
    az_busy_reset(b);
    for (size_t k = 0; k < 3; k++) {
        const struct az_events *ev = &h->tr[trace].t->ev[kinds[k]];
        for (size_t i = 0; rc == 0 && i < ev->n; i++) {
            const struct az_hx_event e = { trace, i, kinds[k] };
            if (az_hx_device_of(h, &e) != device)
                continue;
            const enum az_part part = kinds[k] != AZ_KERNEL  ? AZ_PART_COPY
                                      : az_hx_is_comm(h, &e) ? AZ_PART_COMM
                                                             : AZ_PART_COMPUTE;
            rc = az_busy_add(b, part, ev->start[i], ev->end[i]);
        }
    }
    return rc ? rc : az_busy_close(b);
}

static void put(struct az_table *t, const char *name, double ps, double total)
{
    az_put_text(t, az_sv_str(name));
    az_put_f64(t, ps / 1e9);
    az_put_f64(t, total > 0 ? ps / total * 100 : 0);
}

static void check(struct az_hx *h, const struct az_account *a)
{
    const int64_t rest = a->total - (a->compute + a->exposed_comm + a->exposed_copies + a->idle);
    if (rest)
        az_cover(h->job,
                 "gpu_timeline: total - (computation + exposed_comm + exposed_memcpy + idle)",
                 (double)rest, "ps", AZ_SV("must be 0: a defect of this program"));
}

/* Over the devices. */
struct sums {
    struct az_timeline_row row[AZ_TIMELINE_ROWS];
    int64_t total;
    size_t rows, n;
};

static int by_device(struct az_hx *h, struct az_busy *b, bool split, int64_t micro,
                     struct sums *sum)
{
    struct az_table *t = az_table_new(h->job->arena, "gpu_timeline", "GPU time line",
                                      AZ_TABLE_SUMMARY | AZ_TABLE_SHORT);
    int rc = t ? AZ_OK : az_arena_error(h->job->arena);
    if (!t)
        return rc;
    az_hx_device_column(h, t);
    az_timeline_columns(t, "time_ms");
    for (uint32_t d = 0; rc == 0 && d < h->devices.n; d++) {
        struct az_timeline_row row[AZ_TIMELINE_ROWS];
        struct az_account a;
        if (h->devices.v[d].kind != AZ_PLANE_GPU)
            continue;
        rc = gather(h, d, b);
        if (rc)
            break;
        az_account_of(b, NULL, micro, &a);
        check(h, &a);
        sum->rows = az_timeline_rows(&a, split, row);
        for (size_t i = 0; i < sum->rows; i++) {
            az_hx_put_device(h, t, d);
            put(t, row[i].type, (double)row[i].ticks, (double)a.total);
            sum->row[i].type = row[i].type;
            sum->row[i].ticks = az_add_sat(sum->row[i].ticks, row[i].ticks);
        }
        sum->total = az_add_sat(sum->total, a.total);
        sum->n++;
    }
    return az_job_add(h->job, t, rc);
}

/* Means over the devices that have events; shares of the mean total. */
static int averages(struct az_hx *h, const struct sums *sum)
{
    struct az_table *t =
        az_table_new(h->job->arena, "gpu_events_averages", "GPU time line, mean of the devices",
                     h->devices.n > 1 ? AZ_TABLE_SUMMARY | AZ_TABLE_SHORT : 0);
    az_timeline_columns(t, "time_ms");
    for (size_t i = 0; sum->n && i < sum->rows; i++)
        put(t, sum->row[i].type, (double)sum->row[i].ticks / (double)sum->n,
            (double)sum->total / (double)sum->n);
    return az_job_add(h->job, t, AZ_OK);
}

static int charts(struct az_job *job)
{
    int rc = az_timeline_chart(job, AZ_CHART_BAR, "gpu_events_averages",
                               "GPU time line, mean of the devices", "time_ms", NULL);
    if (rc == 0)
        rc = az_timeline_chart(job, AZ_CHART_STACKED_BAR, "gpu_timeline", "GPU time line by device",
                               "time_ms", "device");
    return rc;
}

static int run(struct az_job *job)
{
    const bool split = job->opts->micro_idle_us != AZ_UNSET_I64;
    struct sums sum = { .n = 0 };
    struct az_busy b;
    struct az_hx h;
    int rc = az_hx_open(&h, job);
    az_busy_init(&b, job->mem);
    if (rc == 0 && az_hx_has(&h, AZ_PLANE_GPU)) {
        rc = by_device(&h, &b, split, split ? az_muldiv(job->opts->micro_idle_us, 1000000, 1) : 0,
                       &sum);
        if (rc == 0)
            rc = averages(&h, &sum);
        if (rc == 0)
            rc = charts(job);
    }
    az_busy_release(&b);
    return az_hx_close(&h, rc);
}

const struct az_analysis az_analysis_hlo_timeline = {
    .name = "hlo_timeline",
    .help = "device time of GPUs by computation, communication, copies and idle, and its mean",
    .needs = AZ_CAP_PROGRAMS,
    .run = run,
};
