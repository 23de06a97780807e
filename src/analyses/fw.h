/* What the analyses of framework traces share: operator categories, names of lanes, statistics in microseconds.
 * Rules: spec "PyTorch-profiler report", sections 4 to 6. */
#ifndef AZ_ANALYSES_FW_H
#define AZ_ANALYSES_FW_H

#include "analyses/analysis.h"
#include "base/interval.h"
#include "base/stats.h"
#include "model/optrace.h"

/* One row of configs/op_categories.csv. */
struct az_op_category {
    struct az_sv name, category, family, bwd_category;
    bool has_model;
};

struct az_fw {
    const struct az_trace *trace;
    const struct az_optrace *ops;
    const struct az_calltree *tree;
    const struct az_launchers *launchers;
    struct az_op_category *known; /* the data file */
    size_t n_known;
    struct az_sv category_text[64]; /* by category id */
    uint32_t n_categories;
    uint32_t *category;         /* launcher -> category id */
    uint32_t *by_node;          /* launchers ordered by their node */
    struct az_sv *kernel_class; /* name id -> class, decided on first use */
    const struct az_classifier *classes;
    uint8_t *recompute;     /* host node -> 1 inside a recomputed region; NULL unless detect_recompute */
    int64_t total, kernels; /* ticks: total time of the time line; all kernel durations added */
};
/* Of the job's (only) trace, made on first use; in job->arena. NULL on failure, *rc says why. */
struct az_fw *az_fw_get(struct az_job *job, int *rc);

/* Category of an operator by name, else by its first (earliest) kernel's name, else `other` (spec 6). View of static or
 * arena text. */
struct az_sv az_fw_categorise(const struct az_fw *f, struct az_sv op, struct az_sv first_kernel);
static inline struct az_sv az_fw_category(const struct az_fw *f, uint32_t launcher)
{
    return f->category_text[f->category[launcher]];
}
/* Launcher of a node, AZ_NO_ROW if it launched nothing itself. */
uint32_t az_fw_launcher_of(const struct az_fw *f, uint32_t node);
/* Class of a kernel by its name id: the user's map, else the built-in rules (analyses/fw_classes.c). */
struct az_sv az_fw_kernel_class(struct az_fw *f, uint32_t name);
/* By the rules of configs/kernel_classes.rules alone; "others" if none matches. */
struct az_sv az_kernel_class_builtin(struct az_sv name);
/* Adds the table to the document if rc is 0, else frees it; the error. */
int az_fw_emit(struct az_job *job, struct az_table *t, int rc) AZ_MUST_USE;
/* Is a device event part of a recomputed region; a launcher. False without detect_recompute. */
bool az_fw_gpu_recompute(const struct az_fw *f, uint32_t gpu);
bool az_fw_launcher_recompute(const struct az_fw *f, uint32_t launcher);

/* Text of a name id; `unknown` for AZ_NO_ID. */
static inline struct az_sv az_fw_text(const struct az_fw *f, uint32_t id, const char *unknown)
{
    return id == AZ_NO_ID ? az_sv_str(unknown) : az_trace_text(f->trace, id);
}
/* Ticks as microseconds and milliseconds. */
static inline double az_us(const struct az_trace *t, int64_t ticks)
{
    return (double)ticks / (1e3 * (double)t->ticks_per_ns);
}
static inline double az_ms(const struct az_trace *t, int64_t ticks)
{
    return (double)ticks / (1e6 * (double)t->ticks_per_ns);
}

/* Stream number of a device lane, -1 unknown. */
static inline int64_t az_lane_stream(const struct az_trace *t, uint32_t lane)
{
    uint64_t s = t->lanes.v[lane].context;
    return s == UINT64_MAX ? -1 : (int64_t)s;
}
/* Arguments of a launcher or host node; NULL if none were recorded. */
const struct az_op_args *az_fw_args(const struct az_fw *f, uint32_t node);
/* uid, start, end, lane of a host node. */
struct az_event az_fw_node(const struct az_fw *f, uint32_t node);

/* Sort keys of az_table_sort by column index. */
#define AZ_UP(column)   (column)
#define AZ_DOWN(column) (-(column) - 1)

/* Fills the percentage column (index `at`) with value / sum * 100, and at + 1 with its running sum; value: column
 * index. Rows in their final order. total: 0 takes the sum of the rows. */
void az_fw_shares(struct az_table *t, size_t value, size_t at, double total);

#endif
