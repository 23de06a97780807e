/* The iteration tag against what is in the file, and device work that no range covers. */
#include <inttypes.h>

#include "analyses/findings/findings.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/threads.h"

#define SUGGESTIONS 5

struct name_count {
    uint32_t name;
    int64_t count;
};

static int more_frequent(const void *pa, const void *pb, void *ctx)
{
    const struct name_count *a = pa, *b = pb;
    struct az_job *job = ctx;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return az_sv_cmp(az_job_text(job, a->name), az_job_text(job, b->name));
}

static int count_names(struct az_job *job, struct name_count *count)
{
    for (size_t k = 0; k < job->n_traces; k++) {
        int64_t n = az_job_ranges(job, k);
        if (n < 0)
            return (int)n;
        for (int64_t i = 0; i < n; i++) {
            struct az_job_range r = az_job_range_at(job, k, (size_t)i);
            if (r.name != AZ_NO_ID)
                count[r.name].count++;
        }
    }
    return 0;
}

/* "'a' (12), 'b' (3)": the names of most projected ranges. */
static int frequent_names(struct az_job *job, struct az_sv *out)
{
    size_t n = az_job_names(job), bytes = (n + 1) * sizeof(struct name_count), used = 0;
    struct name_count *count = az_mem_alloc(job->mem, bytes);
    *out = AZ_SV("");
    if (!count)
        return az_mem_error(job->mem);
    for (size_t i = 0; i < n; i++)
        count[i] = (struct name_count){ (uint32_t)i, 0 };
    int rc = count_names(job, count);
    for (size_t i = 0; i < n; i++) {
        if (count[i].count > 0)
            count[used++] = count[i];
    }
    if (rc == 0)
        az_sort_cmp(count, used, sizeof *count, more_frequent, job, job->mem);
    for (size_t i = 0; rc == 0 && i < used && i < SUGGESTIONS; i++)
        *out =
            az_arena_printf(job->arena, "%.*s%s'%.*s' (%" PRId64 ")", AZ_SVF(*out), i ? ", " : "",
                            AZ_SVF(az_job_text(job, count[i].name)), count[i].count);
    az_mem_free(job->mem, count, bytes);
    return rc;
}

static int no_match(struct az_job *job, const struct az_job_tag *tag)
{
    struct az_sv names;
    int rc = frequent_names(job, &names);
    struct az_where at = AZ_AT_FILE(job->traces[0]->path);
    if (rc != 0)
        return rc;
    struct az_sv advice =
        names.n ? az_arena_printf(job->arena, "most frequent range names: %.*s", AZ_SVF(names))
                : AZ_SV("no range in the file launched device work");
    az_diag_add(job->diag, AZ_WARNING, at, "no range with device work is named '%.*s' (%.*s)",
                AZ_SVF(tag->text), AZ_SVF(advice));
    az_finding(job, "tag_no_match", "warning", tag->text, 0, -1, advice);
    return 0;
}

int az_find_tag_trouble(struct az_job *job)
{
    struct az_job_tag tag;
    int64_t iters = job->opts->iters, gpus = job->opts->gpus > 0 ? job->opts->gpus : 1;
    bool ranges = false;
    for (size_t k = 0; k < job->n_traces; k++)
        ranges = ranges || job->traces[k]->has_nvtx || (job->traces[k]->caps & AZ_CAP_PROJ);
    int rc = ranges ? az_job_tag(job, &tag) : 0;
    if (rc != 0 || !ranges || !tag.given)
        return rc;
    if (tag.count == 0)
        return no_match(job, &tag);
    if (!az_sv_eq(tag.text, job->opts->nvtx_tag))
        az_cover(job, "iteration tag matched", (double)tag.count, "", tag.text);
    if (iters <= 0 || tag.count == iters || tag.count == iters * gpus)
        return 0;
    struct az_sv advice =
        az_arena_printf(job->arena,
                        "%" PRId64 " ranges, but num_of_iters %" PRId64 " x num_of_gpus %" PRId64
                        ": values per iteration are off by that factor",
                        tag.count, iters, gpus);
    az_finding(job, "iteration_count", "warning", tag.text, tag.count, -1, advice);
    return 0;
}

/* ---- work outside every range ---- */
/* Marks the calls that are in some range of their thread: among the ranges that start no later, one
 * ends no sooner. Both lists are in start order, so one running maximum of ends per thread does. */
static int covered_calls(const struct az_trace *t, struct az_arena *room, struct az_mem *mem,
                         uint8_t *covered)
{
    const struct az_events *r = &t->ev[AZ_RANGE], *c = &t->ev[AZ_CALL];
    size_t n, next = 0;
    int rc;
    const uint32_t *thread = az_threads_of_lanes(t, room, mem, &n, &rc);
    int64_t *reach = rc ? NULL : az_arena_array(room, n + 1, sizeof *reach);
    if (!reach)
        return rc ? rc : az_arena_error(room);
    for (size_t i = 0; i < n; i++)
        reach[i] = INT64_MIN;
    for (size_t i = 0; i < c->n; i++) {
        for (; next < r->n && r->start[next] <= c->start[i]; next++) {
            const struct az_range *side = az_range_side(t, next);
            const uint32_t of = thread[r->lane[next]];
            if (!(side && side->crosses) && r->end[next] > reach[of])
                reach[of] = r->end[next];
        }
        covered[i] = reach[thread[c->lane[i]]] >= c->end[i];
    }
    return 0;
}

/* Takes operations that a range accounts for off the count and the time. */
static int take_covered(struct az_job *job, size_t trace, struct az_arena *room, int64_t *count,
                        int64_t *ticks)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    const struct az_trace *t = job->traces[trace];
    const size_t calls = t->ev[AZ_CALL].n;
    int rc;
    const struct az_link *link = az_job_link(job, trace, &rc);
    uint8_t *covered = rc ? NULL : az_arena_array(room, calls + 1, 1);
    if (!covered)
        return rc ? rc : az_arena_error(room);
    rc = covered_calls(t, room, job->mem, covered);
    for (size_t k = 0; rc == 0 && k < AZ_LENGTH(kinds); k++) {
        const struct az_events *e = &t->ev[kinds[k]];
        const uint32_t *call = link->call[kinds[k]];
        for (size_t i = 0; call && i < e->n; i++) {
            if (call[i] == AZ_NO_ROW || !covered[call[i]])
                continue;
            *ticks = az_add_sat(*ticks, e->start[i] - e->end[i]);
            --*count;
        }
    }
    return rc;
}

int az_find_outside_ranges(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];
    int64_t count =
        (int64_t)(t->ev[AZ_KERNEL].n + t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n + t->ev[AZ_GRAPH].n);
    int64_t ticks = az_device_ticks(t), all = ticks;
    int rc;
    if (!(t->caps & AZ_CAP_RANGES) || !(t->caps & AZ_CAP_CALLS) || count == 0)
        return 0;
    struct az_arena room;
    az_arena_init(&room, job->mem);
    rc = take_covered(job, trace, &room, &count, &ticks);
    az_arena_release(&room);
    if (rc != 0 || count == 0)
        return rc;
    struct az_sv subject = az_arena_printf(
        job->arena, "operations outside all ranges%.*s: %.1f%% of device time",
        AZ_SVF(az_finding_rank(job, trace)), az_percent((double)ticks, (double)all));
    az_finding(job, "outside_ranges", "info", subject, count, az_ns(t, ticks),
               AZ_SV("launched outside all host ranges or by unrecorded calls: in no range table"));
    return 0;
}
