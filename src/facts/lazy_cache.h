/* What several analyses of one job need, computed once, on first use. All of it lives in job->arena
 * and ends with it.
 */
#ifndef AZ_FACTS_LAZY_CACHE_H
#define AZ_FACTS_LAZY_CACHE_H

#include "facts/job.h"
#include "facts/nvtx_projection.h"

/* Names across the traces of a job: the same text has one number in all of them. */
uint32_t az_job_name(struct az_job *job, size_t trace, uint32_t id); /* AZ_NO_ID for AZ_NO_ID */
size_t az_job_names(struct az_job *job);                             /* numbers are below this */
/* Text of a number, as long-lived as the document. */
struct az_sv az_job_text(struct az_job *job, uint32_t number);
/* Class of a kernel name by the user's map alone, for the classic block
 * (docs/formats-nsight.md 1.2). */
uint32_t az_job_class(struct az_job *job, uint32_t number);
/* The class in the user's map, nccl apart; empty: none. */
struct az_sv az_job_user_class(struct az_job *job, uint32_t number);
/* Class and family by the built-in rules; is it communication? */
const struct az_kernel_class *az_job_kernel(struct az_job *job, uint32_t number);
static inline bool az_job_is_comm(struct az_job *job, uint32_t number)
{
    return az_job_kernel(job, number)->family == AZ_FAMILY_COMMUNICATION;
}
/* Family of a name: a class of the user's map that is called as a family is one; else by the
 * built-in rules. */
enum az_family az_job_family(struct az_job *job, uint32_t number);
/* Class of a kernel's name for tables: of the user's map, else built-in. */
struct az_sv az_job_class_text(struct az_job *job, uint32_t number);

/* Per trace: links, launches, projection. NULL only on failure, the error is in *rc. */
const struct az_link *az_job_link(struct az_job *job, size_t trace, int *rc);
const struct az_launches *az_job_launches(struct az_job *job, size_t trace, int *rc);
const struct az_projection *az_job_projection(struct az_job *job, size_t trace, int *rc);

/* ---- projected ranges, from the file or computed ---- */
struct az_job_range {
    uint32_t name;      /* number; AZ_NO_ID: none */
    struct az_sv style; /* "PushPop", "StartEnd", or as in the file */
    int64_t start, duration, orig_start, orig_duration; /* ns; start INT64_MIN: absent */
    int64_t pid, tid, ops, level, children, id, parent; /* -1: none, absent */
    uint32_t row;                                       /* of ev[AZ_RANGE] or trace->proj */
};
/* Number of projected ranges of a trace; negative error code on failure. */
int64_t az_job_ranges(struct az_job *job, size_t trace);
/* The i-th in order of range id (file order where they are the file's); after az_job_ranges. */
struct az_job_range az_job_range_at(struct az_job *job, size_t trace, size_t i);

/* The iteration tag against the range names of each trace: exactly as passed, else with, else
 * without a leading colon.
 */
struct az_job_tag {
    struct az_sv text; /* the name that matched first; as passed if none did */
    int64_t count;     /* projected ranges of that name in all traces */
    int64_t duration;  /* their projected time, ns */
    bool given;
};
int az_job_tag(struct az_job *job, struct az_job_tag *out) AZ_MUST_USE;
/* Name id of the iteration's ranges in one trace; AZ_NO_ID: none there. After az_job_tag. */
uint32_t az_job_tag_name(struct az_job *job, size_t trace);

/* ---- sums by name ---- */
/* One row: a kernel, memory operation, call... Values in ns or bytes. */
struct az_name_sum {
    uint32_t name; /* number */
    unsigned style;
    int64_t count, total;           /* INT64_MIN: not in the file */
    double raw;                     /* total as the file has it, for the classic arithmetic */
    double avg, med, min, max, std; /* NaN: not known */
    double p95, p99;
};
struct az_name_sums {
    const struct az_name_sum *v;
    const struct az_sum *given; /* instead of `v`: rows of the only trace as in its file */
    size_t n;
    bool exact; /* from events: minimum and maximum are whole numbers */
};
/* A row of them, which may be made in `room`. */
const struct az_name_sum *az_name_sum_at(const struct az_name_sums *s, size_t i,
                                         struct az_name_sum *room);
/* Rows as in the file, in its order; from events: by total (largest first), count, name. */
int az_job_kernels(struct az_job *job, struct az_name_sums *out) AZ_MUST_USE;
int az_job_memops(struct az_job *job, struct az_name_sums *out) AZ_MUST_USE;
/* Sizes of memory operations that came summed; no rows where none did. */
int az_job_summed_sizes(struct az_job *job, struct az_name_sums *out) AZ_MUST_USE;

/* Sums of events by name (and range style) over all traces. */
enum az_sum_of { AZ_SUM_DURATION, AZ_SUM_BYTES, AZ_SUM_STYLE };
int az_job_sum(struct az_job *job, const enum az_kind *kinds, size_t n_kinds, enum az_sum_of what,
               struct az_name_sums *out) AZ_MUST_USE;

/* ---- small helps ---- */
/* Ticks as whole ns, to nearest. */
static inline int64_t az_ns(const struct az_trace *t, int64_t ticks)
{
    const int64_t d = t->ticks_per_ns;
    if (d == 1000) /* a division by a constant is a multiplication */
        return ticks >= 0 ? (ticks + 500) / 1000 : -((-ticks + 500) / 1000);
    return d <= 1 ? ticks : ticks >= 0 ? (ticks + d / 2) / d : -((-ticks + d / 2) / d);
}
/* Some trace of the job has all of these. */
bool az_job_has(const struct az_job *job, unsigned caps);
static inline double az_percent(double part, double whole)
{
    return whole == 0 ? 0.0 : part / whole * 100.0;
}
/* Number of a trace in a column "Rank": its rank, or its place in the input where it has none. */
static inline int64_t az_job_rank(const struct az_job *job, size_t trace)
{
    return job->traces[trace]->rank >= 0 ? job->traces[trace]->rank : (int64_t)trace;
}
/* Ends a table: sorted by n columns as by az_table_sort and added to the document; freed if rc or
 * the sorting is an error. The first error. */
int az_job_emit(struct az_job *job, struct az_table *t, int rc, const int *order,
                size_t n) AZ_MUST_USE;
/* A chart over a table with up to four y columns (NULL-terminated list). */
int az_job_chart(struct az_job *job, enum az_chart_kind kind, const char *table, const char *title,
                 const char *x, const char *const *y, const char *y_title) AZ_MUST_USE;
/* Chart of times by `type`, of which those of parts[] (static) add up to the whole; stacks named by
 * column `stack` (NULL: one stack). Nothing if the table was skipped, or for AZ_CHART_STACKED_BAR
 * if it has only one stack. */
int az_job_chart_parts(struct az_job *job, enum az_chart_kind kind, const char *table,
                       const char *title, const char *value, const char *stack,
                       const struct az_sv *parts, size_t n) AZ_MUST_USE;

#endif
