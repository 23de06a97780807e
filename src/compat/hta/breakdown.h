/* What the breakdowns of a rank share (docs/formulas-collectives.md 6): its device work in order of
 * start, the calls that launched it, streams, profiler steps and kinds by name. Made once a rank,
 * in job->arena, of a framework's trace by its call tree, of any other by correlation ids. All
 * times are ticks of the trace. */
#ifndef AZ_COMPAT_HTA_BREAKDOWN_H
#define AZ_COMPAT_HTA_BREAKDOWN_H

#include "analyses/ranks/ranks.h"
#include "base/num.h"
#include "base/time_units.h"
#include "document/record.h"
#include "model/optrace.h"

/* Kinds of device work, by configs/trace_names.rules. */
enum az_hta_type {
    AZ_HTA_COMPUTATION,
    AZ_HTA_COMMUNICATION,
    AZ_HTA_MEMORY,
    AZ_HTA_OTHER,
    AZ_HTA_TYPES
};
/* "COMPUTATION", ... */
struct az_sv az_hta_type_text(enum az_hta_type type);

/* What a host call does to a device's queue. */
enum az_hta_call {
    AZ_HTA_NO_CALL,
    AZ_HTA_LAUNCH,
    AZ_HTA_COPY,
    AZ_HTA_FILL,
    AZ_HTA_GRAPH,
    AZ_HTA_DEVICE_SYNC,
    AZ_HTA_STREAM_SYNC,
    AZ_HTA_EVENT_SYNC,
    AZ_HTA_STREAM_WAIT,
    AZ_HTA_EVENT_RECORD,
    AZ_HTA_BLOCKING_COPY,
    AZ_HTA_CALLS
};
struct az_sv az_hta_call_text(enum az_hta_call call);
static inline bool az_hta_enqueues(enum az_hta_call c)
{
    return c >= AZ_HTA_LAUNCH && c <= AZ_HTA_GRAPH;
}

struct az_hta_op { /* a kernel, copy or fill */
    int64_t start, end;
    uint32_t name, lane;
    uint32_t call; /* row of ev[AZ_CALL]; AZ_NO_ROW: not known */
    uint32_t row;  /* of its kind */
    uint8_t kind;  /* AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH */
    uint8_t type;  /* az_hta_type */
};

struct az_hta_stream {
    int64_t device, stream; /* -1: unknown */
    uint32_t first, n;      /* its run of by_stream */
};

struct az_hta_step {
    int64_t start, end, number;
};

struct az_hta {
    const struct az_trace *trace;
    const struct az_calltree *tree; /* NULL: no framework's trace */
    const struct az_options *opts;
    struct az_job *job;   /* of the rank */
    struct az_hta_op *op; /* what counts, by start (ties: copies after kernels, then file order) */
    size_t n;
    /* Launched in the last step, or of unknown launch where that step is dropped. */
    size_t left_out;
    int64_t cut;                  /* start of the step that is dropped; INT64_MAX: none */
    struct az_hta_stream *stream; /* by device, then stream */
    size_t n_streams;
    uint32_t *by_stream;      /* ops by stream, by start */
    struct az_hta_step *step; /* profiler steps that count, by start */
    size_t n_steps;
    int64_t first, last; /* of all that counts, host and device; first > last: nothing */
    uint8_t *call_class; /* name id -> az_hta_call + 1; 0: not looked up yet */
};
/* Of the job's only trace, made on first use. NULL on failure, the error is in *rc. */
struct az_hta *az_hta_get(struct az_job *job, int *rc);

/* What a call does, by its row. */
enum az_hta_call az_hta_call_of(struct az_hta *b, uint32_t row);
/* Class of a name in a group of configs/trace_names.rules; empty: no rule. Lives as long as the
 * program. */
struct az_sv az_hta_rule(const char *group, struct az_sv name);
/* Index of the step that holds a time (the last that begins no later), -1: none. */
ptrdiff_t az_hta_step_at(const struct az_hta *b, int64_t tick);
static inline int64_t az_hta_call_start(const struct az_hta *b, uint32_t row)
{
    return row == AZ_NO_ROW ? INT64_MIN : b->trace->ev[AZ_CALL].start[row];
}
/* Bytes and rate of a copy or fill; NULL: not recorded. */
static inline const struct az_copy *az_hta_copy(const struct az_hta *b, const struct az_hta_op *op)
{
    const struct az_events *e = &b->trace->ev[op->kind];
    return e->side && e->side[op->row] != AZ_NO_ROW ? &b->trace->copies.v[e->side[op->row]] : NULL;
}
static inline struct az_sv az_hta_text(const struct az_hta *b, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_SV("") : az_trace_text(b->trace, name);
}

/* ---- metrics ---- */
/* Columns of describe() for a list: ticks or plain numbers. */
struct az_hta_stats {
    size_t n;
    double sum, mean, std, min, q25, q50, q75, max; /* NaN where undefined; std: sample */
};
/* Reorders v. */
void az_hta_describe_i64(int64_t *v, size_t n, struct az_hta_stats *out);
void az_hta_describe_f64(double *v, size_t n, struct az_hta_stats *out);
/* clang-format off */
/* Columns of records that have a `rank` (struct az_rank): it; its ticks; the columns of describe(). */
#define AZ_HTA_RANK(record) { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(record, rank, rank) }
#define AZ_HTA_TICKS(record) AZ_TICKS(record, rank, ticks_per_ns)
#define AZ_HTA_STATS(record, stats, unit, ...)                                                     \
    { "count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_VIA(record, stats, n) },                               \
    { "mean", AZ_REAL, unit, 0, AZ_VIA(record, stats, mean), __VA_ARGS__ },                        \
    { "std", AZ_REAL, unit, 0, AZ_VIA(record, stats, std), __VA_ARGS__ },                          \
    { "min", AZ_REAL, unit, 0, AZ_VIA(record, stats, min), __VA_ARGS__ },                          \
    { "25%", AZ_REAL, unit, 0, AZ_VIA(record, stats, q25), __VA_ARGS__ },                          \
    { "50%", AZ_REAL, unit, 0, AZ_VIA(record, stats, q50), __VA_ARGS__ },                          \
    { "75%", AZ_REAL, unit, 0, AZ_VIA(record, stats, q75), __VA_ARGS__ },                          \
    { "max", AZ_REAL, unit, 0, AZ_VIA(record, stats, max), __VA_ARGS__ }
/* clang-format on */

extern const struct az_shape az_hta_shape_stats;

/* Ticks of a rank as microseconds; what to divide by. */
static inline double az_hta_scale(const struct az_rank *r) { return 1e3 * (double)r->ticks_per_ns; }
static inline double az_hta_us(const struct az_rank *r, int64_t ticks)
{
    return az_us_from_ticks(ticks, r->ticks_per_ns);
}
/* 100 a / b; NaN for b = 0. */
double az_hta_percent(double a, double b);
/* Text kept with a part; an empty view stays one. On failure keep->failed is set. */
static inline struct az_sv az_hta_copy_text(const struct az_hta *b, struct az_arena *keep,
                                            struct az_sv s)
{
    const struct az_sv kept = s.n ? az_rank_text(b->job, keep, s) : AZ_SV("");
    keep->failed |= kept.p == NULL;
    return kept;
}

/* ---- names with their durations, the small ones as `others` (breakdown_stats.c) ---- */
struct az_hta_name {
    struct az_sv name;
    size_t n;
    int64_t sum, min, max; /* ticks */
    double std;            /* sample, 0 for one */
};
struct az_hta_names {
    struct az_hta_name *v; /* by sum, largest first; then by name; `others` last */
    size_t n;
};
/* Groups durations by name id of the rank's trace; texts are copied into keep. Reorders duration
 * and name. Of more than opts->breakdown_kernels names, those whose running sum is above the
 * opts->breakdown_ratio quantile of the running sums, or after that many, are `others`; its metrics
 * are those of all its events (docs/formulas-collectives.md 6). */
int az_hta_group_names(struct az_hta *b, struct az_mem *mem, const uint32_t *name,
                       const int64_t *duration, size_t n, struct az_arena *keep,
                       struct az_hta_names *out) AZ_MUST_USE;
extern const struct az_shape az_hta_shape_names;
/* A row about one of them; its columns up to the mean. */
struct az_hta_name_row {
    const struct az_rank *rank;
    const struct az_hta_name *name;
    struct az_sv of; /* kind, side */
};
double az_hta_name_mean(const void *row); /* ticks */
/* clang-format off */
#define AZ_HTA_NAME_US(header, flag, field)                                                        \
    { header, AZ_REAL, AZ_UNIT_US, flag, AZ_VIA(struct az_hta_name_row, name, field),              \
      AZ_HTA_TICKS(struct az_hta_name_row) }
#define AZ_HTA_NAME_COLUMNS                                                                        \
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(struct az_hta_name_row, name, name) },              \
    AZ_HTA_NAME_US("sum (us)", AZ_LOWER_BETTER, sum),                                              \
    AZ_HTA_NAME_US("max (us)", 0, max),                                                            \
    AZ_HTA_NAME_US("min (us)", 0, min),                                                            \
    AZ_HTA_NAME_US("stddev", 0, std),                                                              \
    { "mean (us)", AZ_REAL, AZ_UNIT_US, 0, .real = az_hta_name_mean,                               \
      AZ_HTA_TICKS(struct az_hta_name_row) }
/* clang-format on */

#endif
