/* One analysis over traces made by hand, and a digest of its tables. */
#ifndef AZ_UNIT_REGISTRY_RUNS_H
#define AZ_UNIT_REGISTRY_RUNS_H

#include "registry.h"
#include "unit/facts_job.h"

struct subject {
    const struct az_trace *const *traces; /* two ranks; an analysis has the first alone */
    const struct az_options *opts;
    const struct az_entry *entry; /* or */
    const struct az_rank_analysis *ranks;
    bool each;
};

static inline int analyze(struct az_job *whole, const struct subject *s)
{
    static struct az_rank rank[2]; /* rows of tables may be made of the parts later */
    static void *part[2];
    static const struct az_ranks ranks = { .v = rank, .n = 2, .world_size = 2 };
    int rc = 0;
    if (s->entry)
        return az_entry_run(s->entry, whole);
    part[0] = part[1] = NULL;
    for (size_t i = 0; rc == 0 && i < 2; i++) {
        struct az_job job = *whole;
        job.traces = &s->traces[i];
        job.n_traces = 1;
        rank[i] =
            (struct az_rank){ .rank = (int64_t)i, .ticks_per_ns = s->traces[i]->ticks_per_ns };
        rc = az_rank_analysis_reduce(s->ranks, &job, whole->arena, &part[i]);
    }
    return rc || (!part[0] && !part[1]) ? rc
                                        : az_rank_analysis_finish(s->ranks, whole, &ranks, part);
}

static inline uint64_t add_text(uint64_t sum, struct az_sv text)
{
    return (sum ^ az_hash(text.p, text.n)) * 0x9e3779b97f4a7c15u + text.n;
}

static inline uint64_t add_table(uint64_t sum, struct az_table *t)
{
    char number[AZ_NUM_MAX];
    assert_int_equal(az_table_store_rows(t, t->rows), 0);
    sum = add_text(add_text(sum, t->id), t->title);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t c = 0; c < t->columns.n; c++)
            sum = add_text(sum, az_cell_exact(az_table_at(t, i, c), number));
    return sum;
}

static inline bool applies(const struct az_trace *t, unsigned needs, unsigned any)
{
    return (t->caps & needs) == needs && (!any || t->caps & any);
}

/* What is made on request only. */
static inline void add_requested(struct az_options *o)
{
    o->critical_path = o->launch_details = o->kernel_details = true;
    o->short_kernel_study = o->inference_phase_analysis = o->detect_recompute = true;
    o->include_call_stack = o->include_overlap_info = o->include_first_occurrence_time = true;
    o->group_by_parent_module = o->include_unlinked_kernels = true;
    o->micro_idle_us = 10;
    o->compat = AZ_TOOL_ALL;
}

#endif
