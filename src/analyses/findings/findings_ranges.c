/* The iteration tag against what is in the file, and device work that no range covers. */
#include <inttypes.h>

#include "analyses/findings/findings.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/regions.h"

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
/* As the table of regions counts it: threads that work for another one, such as those of autograd,
 * are in its ranges. */
int az_find_outside_ranges(struct az_job *job, size_t trace)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    const struct az_trace *t = job->traces[trace];
    int64_t count = 0;
    int rc;
    if (!(t->caps & AZ_CAP_RANGES) || !(t->caps & AZ_CAP_CALLS))
        return 0;
    const struct az_regions *r = az_job_regions(job, trace, &rc);
    if (!r || r->n == 0)
        return rc;
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++)
        for (size_t i = 0; i < t->ev[kinds[k]].n; i++)
            count += !r->of[kinds[k]] || r->of[kinds[k]][i] == AZ_NO_ID;
    if (count == 0)
        return 0;
    struct az_sv subject =
        az_arena_printf(job->arena, "operations outside all ranges%.*s: %.1f%% of device time",
                        AZ_SVF(az_finding_rank(job, trace)),
                        az_percent((double)r->outside.device, (double)r->total.device));
    az_finding(job, "outside_ranges", "info", subject, count, az_ns(t, r->outside.device),
               AZ_SV("launched outside all host ranges or by unrecorded calls: in no region"));
    return 0;
}
