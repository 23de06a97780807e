/* Low use, long gaps, graphs that hide kernels, streams that mix compute and communication, exposed
 * communication. */
#include <inttypes.h>

#include "analyses/findings/findings.h"
#include "analyses/timeline/utilization.h"
#include "base/human.h"
#include "base/num.h"

#define EXPOSED_NCCL_PERCENT 2.0 /* of the window: below it is noise (docs/formats-nsight.md 6) */

struct low_use {
    struct az_job *job;
    size_t trace;
};

static int find_low_use(void *ctx, const struct az_device_use *u)
{
    const struct low_use *x = ctx;
    int64_t idle = 0, chunks = 0, all = 0;

    for (size_t k = 0; k < u->chunks.n; k++) {
        const struct az_util_chunk *c = &u->chunks.v[k];
        all += c->chunks;
        chunks += c->low ? c->chunks : 0;
        idle += c->low ? c->length - c->busy : 0;
    }
    if (chunks == 0)
        return 0;
    char slice[AZ_HUMAN_MAX];
    az_human_time(az_ns(x->job->traces[x->trace], u->length / (all ? all : 1)), slice);
    struct az_sv subject = az_arena_printf(x->job->arena,
                                           "device %" PRId64 "%.*s: %" PRId64 " of %" PRId64
                                           " slices of %s under %g%% busy, %.1f%% busy overall",
                                           u->device, AZ_SVF(az_finding_rank(x->job, x->trace)),
                                           chunks, all, slice, x->job->opts->low_util_percent,
                                           az_percent((double)u->busy, (double)u->length));
    az_finding(x->job, "low_utilization", "info", subject, chunks,
               az_ns(x->job->traces[x->trace], idle),
               AZ_SV("idle time in these slices: see table idle_causes"));
    return 0;
}

int az_find_low_use(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];

    if (!(t->caps & AZ_CAP_TIMELINE) || t->caps & AZ_CAP_OPREPORT) /* its account is another */
        return 0;
    return az_utilization_each(job, trace, find_low_use,
                               &(struct low_use){ .job = job, .trace = trace });
}

int az_find_graphs(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];
    int64_t ticks = az_kind_ticks(t, AZ_GRAPH);
    if (t->ev[AZ_GRAPH].n == 0)
        return 0;
    struct az_sv subject = az_arena_printf(job->arena, "graph launches%.*s: %.1f%% of device time",
                                           AZ_SVF(az_finding_rank(job, trace)),
                                           az_percent((double)ticks, (double)az_device_ticks(t)));
    az_finding(job, "graph_hidden", "error", subject, (int64_t)t->ev[AZ_GRAPH].n, az_ns(t, ticks),
               AZ_SV("graphs recorded as one event, kernels are in no table. Record graph nodes."));
    return 0;
}

/* ---- streams ---- */
struct stream_use {
    int64_t nccl, compute; /* ticks */
    int64_t kernels;
};

int az_find_mixed_streams(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *e = &t->ev[AZ_KERNEL];
    size_t bytes = (t->lanes.n + 1) * sizeof(struct stream_use);
    /* operations of a report have one queue by nature */
    if (e->n == 0 || (t->caps & AZ_CAP_OPREPORT) ||
        !az_name_classes_have(&t->classes, AZ_FAMILY_COMMUNICATION))
        return 0;
    struct stream_use *use = az_mem_alloc(job->mem, bytes);
    if (!use)
        return az_mem_error(job->mem);
    memset(use, 0, bytes);
    for (size_t i = 0; i < e->n; i++) {
        struct stream_use *u = &use[e->lane[i]];
        bool nccl = az_trace_is_comm(t, e->name[i]);
        int64_t *sum = nccl ? &u->nccl : &u->compute;
        *sum = az_add_sat(*sum, e->end[i] - e->start[i]);
        u->kernels += nccl;
    }
    for (size_t i = 0; i < t->lanes.n; i++) {
        const struct az_lane *l = &t->lanes.v[i];
        if (use[i].nccl == 0 || use[i].compute == 0)
            continue;
        struct az_sv subject =
            az_arena_printf(job->arena, "device %" PRId64 ", stream %" PRIu64 "%.*s", l->device,
                            l->tid, AZ_SVF(az_finding_rank(job, trace)));
        az_finding(job, "mixed_stream", "warning", subject, use[i].kernels, az_ns(t, use[i].nccl),
                   AZ_SV("communication and compute share a stream and cannot overlap. Use a "
                         "separate stream for communication."));
    }
    az_mem_free(job->mem, use, bytes);
    return 0;
}

/* ---- rules over tables made before ---- */
struct by_device {
    int64_t device, rank, count, part, whole;
};
AZ_VEC(struct by_device, device_sums);

/* Sums columns of a table by its Device (and Rank) column. whole may be NULL. */
static int sum_devices(struct az_job *job, const char *table, const char *part, const char *whole,
                       struct device_sums *out)
{
    const struct az_table *t = az_document_table(job->doc, table);
    if (!t)
        return 0;
    ptrdiff_t device = az_table_find(t, "Device"), rank = az_table_find(t, "Rank"),
              p = az_table_find(t, part);
    ptrdiff_t w = whole ? az_table_find(t, whole) : -1;
    if (device < 0 || p < 0)
        return AZ_EINTERNAL;
    for (size_t i = 0; i < t->rows; i++) {
        int64_t d = az_table_at(t, i, (size_t)device)->i,
                r = rank >= 0 ? az_table_at(t, i, (size_t)rank)->i : -1;
        size_t k = 0;
        while (k < out->n && (out->v[k].device != d || out->v[k].rank != r))
            k++;
        int rc = k < out->n ? 0 : az_vec_push(out, ((struct by_device){ .device = d, .rank = r }));
        if (rc != 0)
            return rc;
        out->v[k].count++;
        out->v[k].part = az_add_sat(out->v[k].part, az_table_at(t, i, (size_t)p)->i);
        out->v[k].whole = az_add_sat(out->v[k].whole, w >= 0 ? az_table_at(t, i, (size_t)w)->i : 0);
    }
    return 0;
}

static struct az_sv device_text(struct az_job *job, const struct by_device *d)
{
    if (d->rank < 0)
        return az_arena_printf(job->arena, "device %" PRId64, d->device);
    return az_arena_printf(job->arena, "device %" PRId64 " (rank %" PRId64 ")", d->device, d->rank);
}

int az_find_long_gaps(struct az_job *job)
{
    struct device_sums sums;
    char least[AZ_HUMAN_MAX];
    az_vec_init(&sums, job->mem);
    int rc = sum_devices(job, "gpu_gaps", "Duration (ns)", NULL, &sums);
    az_human_time(az_whole(job->opts->gap_threshold_us * 1e3), least);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        struct az_sv advice =
            az_arena_printf(job->arena, "device idle for %s or longer at a time", least);
        az_finding(job, "gpu_gaps", "warning", device_text(job, &sums.v[i]), sums.v[i].count,
                   sums.v[i].part, advice);
    }
    az_vec_release(&sums);
    return rc;
}

int az_find_exposed_nccl(struct az_job *job)
{
    struct device_sums sums;
    az_vec_init(&sums, job->mem);
    int rc = sum_devices(job, "device_iterations", "Exposed NCCL (ns)", "Window (ns)", &sums);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        double share = az_percent((double)sums.v[i].part, (double)sums.v[i].whole);
        if (share <= EXPOSED_NCCL_PERCENT)
            continue;
        struct az_sv subject = az_arena_printf(job->arena, "%.*s: %.1f%% of step time",
                                               AZ_SVF(device_text(job, &sums.v[i])), share);
        az_finding(
            job, "exposed_nccl", "warning", subject, sums.v[i].count, sums.v[i].part,
            AZ_SV(
                "exposed communication, including waits for late ranks. Overlap it with compute."));
    }
    az_vec_release(&sums);
    return rc;
}
