/* What was read and kept, and how much of it the other tables speak of: linked device time, time
 * without a class, time hidden in graphs. */
#include <inttypes.h>

#include "analyses/findings/findings.h"
#include "analyses/registry_list.h"
#include "base/num.h"

struct totals { /* ns over all traces */
    int64_t device, linked, graph;
    uint64_t unlinked_ops;
    bool links; /* some trace has calls to link to */
};

static int add_links(struct az_job *job, size_t trace, struct totals *sum)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    const struct az_trace *t = job->traces[trace];
    int rc;
    const struct az_link *link = az_job_link(job, trace, &rc);
    if (!link)
        return rc;
    int64_t ticks = 0;
    for (size_t k = 0; k < 4; k++) {
        const struct az_events *e = &t->ev[kinds[k]];
        for (size_t i = 0; i < e->n; i++) {
            bool linked = link->call[kinds[k]][i] != AZ_NO_ROW;
            ticks = az_add_sat(ticks, linked ? e->end[i] - e->start[i] : 0);
            sum->unlinked_ops += !linked;
        }
    }
    sum->linked = az_add_sat(sum->linked, az_ns(t, ticks));
    return 0;
}

static void cover_links(struct az_job *job, const struct totals *sum)
{
    struct az_arena *a = job->arena;
    double all = (double)sum->device;
    az_cover(job, "device time", all, "ns", AZ_SV("sum of kernels, copies, fills and graphs"));
    if (sum->links) {
        az_cover(job, "device time linked to calls", (double)sum->linked, "ns",
                 az_arena_printf(a, "%.2f%% of device time, by correlation ID",
                                 az_percent((double)sum->linked, all)));
        az_cover(job, "device time not linked", (double)(sum->device - sum->linked), "ns",
                 az_arena_printf(a, "%" PRIu64 " operations without a recorded call",
                                 sum->unlinked_ops));
    }
    az_cover(job, "graphs recorded as one event", az_percent((double)sum->graph, all), "%",
             AZ_SV("of device time; their kernels are not recorded"));
}

/* Share of kernel time that the class map leaves in `others`. Without a map it is that of the
 * built-in rules, and is reported only for formats whose users expect classes from a map alone. */
static int cover_classes(struct az_job *job)
{
    const bool mapped = job->classes->rules && job->classes->rules->n;
    bool has_classes = mapped;
    for (size_t i = 0; i < job->n_traces; i++)
        has_classes |= (job->traces[i]->caps & AZ_CAP_CLASSIC) != 0;
    if (!has_classes)
        return 0;
    struct az_name_sums sums;
    double all = 0, others = 0;
    int rc = az_job_kernels(job, &sums);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        struct az_name_sum room;
        const struct az_name_sum *s = az_name_sum_at(&sums, i, &room);
        all += s->raw;
        if (mapped ? az_job_class(job, s->name) == AZ_CLASS_OTHERS
                   : az_sv_is(az_job_class_text(job, s->name), "others"))
            others += s->raw;
    }
    if (rc == 0 && sums.n > 0)
        az_cover(job, "share of class others", az_percent(others, all), "%",
                 mapped ? AZ_SV("of kernel time; no class map rule matches")
                        : AZ_SV("of kernel time; no built-in rule matches, no class map set"));
    return rc;
}

/* Rows of the files: read, kept, and skipped by reason. */
static int cover_reading(struct az_job *job)
{
    struct az_drops reasons;
    uint64_t read = 0, kept = 0;
    int rc = 0;
    az_vec_init(&reasons, job->mem);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++) {
        const struct az_trace *t = job->traces[k];
        read += t->read;
        kept += t->kept;
        for (size_t i = 0; rc == 0 && i < t->drops.n; i++) {
            const struct az_drop *d = &t->drops.v[i];
            size_t r = 0;
            while (r < reasons.n &&
                   (reasons.v[r].kind != d->kind || !az_sv_eq(reasons.v[r].reason, d->reason)))
                r++;
            rc = r < reasons.n
                     ? 0
                     : az_vec_push(&reasons,
                                   ((struct az_drop){ .reason = d->reason, .kind = d->kind }));
            if (rc != 0)
                break;
            reasons.v[r].count += d->count;
            reasons.v[r].ticks = az_add_sat(reasons.v[r].ticks, az_ns(t, d->ticks));
        }
    }
    if (rc == 0) {
        az_cover(job, "events read", (double)read, "", AZ_SV("event and summary rows in the file"));
        az_cover(job, "events kept", (double)kept, "",
                 az_arena_printf(job->arena, "%.2f%% of events read",
                                 az_percent((double)kept, (double)read)));
    }
    for (size_t i = 0; rc == 0 && i < reasons.n; i++) {
        const struct az_drop *d = &reasons.v[i];
        az_cover_drop(job, d,
                      d->ticks > 0
                          ? az_arena_printf(job->arena, "%" PRId64 " ns in total", d->ticks)
                          : AZ_SV(""));
    }
    az_vec_release(&reasons);
    return rc;
}

static void cover_notes(struct az_job *job)
{
    for (size_t k = 0; k < job->n_traces; k++)
        for (size_t i = 0; i < job->traces[k]->notes.n; i++) {
            const struct az_note *n = &job->traces[k]->notes.v[i];
            const struct az_sv item = az_arena_printf(job->arena, "%.*s", AZ_SVF(n->item));
            if (item.p)
                az_cover(job, item.p, (double)n->count, "", n->text);
        }
}

static int run_coverage(struct az_job *job)
{
    struct totals sum = { 0 };
    bool timeline = false;
    int rc = cover_reading(job);
    cover_notes(job);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++) {
        const struct az_trace *t = job->traces[k];
        timeline = timeline || (t->caps & AZ_CAP_TIMELINE);
        sum.device = az_add_sat(sum.device, az_ns(t, az_device_ticks(t)));
        sum.graph = az_add_sat(sum.graph, az_ns(t, az_kind_ticks(t, AZ_GRAPH)));
        if (!(t->caps & AZ_CAP_CALLS))
            continue;
        sum.links = true;
        rc = add_links(job, k, &sum);
    }
    if (rc == 0 && timeline)
        cover_links(job, &sum);
    return rc == 0 ? cover_classes(job) : rc;
}

const struct az_analysis az_analysis_coverage = {
    .name = "coverage",
    .help = "share of time covered by the tables",
    .run = run_coverage,
};
