/* What the analyses of framework traces share: operator categories, names of lanes, statistics in
 * microseconds. Rules: docs/formulas-pytorch.md 4 to 6. */
#ifndef AZ_ANALYSES_OPERATORS_FRAMEWORK_H
#define AZ_ANALYSES_OPERATORS_FRAMEWORK_H

#include "analyses/analysis.h"
#include "analyses/operators/text_set.h"
#include "base/interval.h"
#include "base/time_units.h"
#include "model/optrace.h"
#include "stats/stats.h"

/* One row of configs/op_categories.csv. */
struct az_op_category {
    struct az_sv name, category, family, bwd_category;
    bool has_model;
};

struct az_overlaps; /* analyses/operators/overlap.h */
struct az_framework_metrics;

struct az_framework {
    const struct az_trace *trace;
    const struct az_optrace *ops;
    const struct az_calltree *tree;
    const struct az_launchers *launchers;
    struct az_op_category *known; /* the data file */
    size_t n_known;
    uint16_t *known_op; /* name id of an operator -> index in `known` + 1; 0: not in it */
    struct az_sv category_text[64]; /* by category id */
    uint32_t n_categories;
    uint8_t *category;                /* launcher -> category id */
    struct az_rank_word *is_launcher; /* operators and calls */
    uint32_t *launcher_at;            /* by their rank: the launcher; NULL: it is the rank */
    uint32_t *lane_group; /* lane -> first lane of the same process name, label and thread name */
    uint8_t *gpu_class;   /* gpu number -> az_gpu_class */
    uint32_t *order;      /* gpu numbers by start */
    /* name id -> class; NULL: not computed yet */
    _Atomic(const struct az_sv *) *kernel_class;
    const struct az_classifier *classes;
    const struct az_options *opts;
    struct az_op_category *extra; /* of the user's script; they win over `known` */
    size_t n_extra;
    struct az_sv extension_why;           /* it failed: the message */
    struct az_framework_metrics *metrics; /* analyses/operators/metrics.h; made on first use */
    struct az_overlaps *overlaps;         /* made on first use */
    struct az_text_set
        *texts; /* lists of kernels (analyses/operators/details.h); made on first use */
    /* Host node -> 1 inside a recomputed region; NULL unless detect_recompute. */
    uint8_t *recompute;
    int64_t total, kernels; /* ticks: total time of the timeline; all kernel durations added */
};
/* Of the job's (only) trace, made on first use; in job->arena. NULL on failure, the error is in
 * *rc. */
struct az_framework *az_framework_get(struct az_job *job, int *rc);

/* Category of an operator by name, else by its first (earliest) kernel's name, else `other`
 * (docs/formulas-pytorch.md 6). View of static or arena text. */
struct az_sv az_framework_categorise(const struct az_framework *f, struct az_sv op,
                                     struct az_sv first_kernel);
static inline struct az_sv az_framework_category(const struct az_framework *f, uint32_t launcher)
{
    return f->category_text[f->category[launcher]];
}
/* Row of the data file for an operator (a host node below tree->first_call); NULL if its name is
 * not in it. */
const struct az_op_category *az_framework_known(const struct az_framework *f, uint32_t op);
/* Launcher of a node, AZ_NO_ROW if it launched nothing itself. */
static inline uint32_t az_framework_launcher_of(const struct az_framework *f, uint32_t node)
{
    if (node >= f->tree->first_frame || !az_rank_has(f->is_launcher, node))
        return AZ_NO_ROW;
    const size_t rank = az_rank(f->is_launcher, node);
    return f->launcher_at ? f->launcher_at[rank] : (uint32_t)rank;
}
/* Category of an operator: of its own launch if it is a launcher, else by its name alone. */
struct az_sv az_framework_op_category(const struct az_framework *f, uint32_t op);
/* Class of a kernel by its name id: the user's map, else the built-in rules
 * (analyses/operators/kernel_classes.c). */
struct az_sv az_framework_kernel_class(struct az_framework *f, uint32_t name);

/* Keeps the first rows of a sorted table where that option has their number (AZ_UNSET_I64: all);
 * what is skipped is reported in `coverage`. */
void az_framework_truncate(struct az_job *job, struct az_table *t, int64_t rows,
                           const char *option);

/* Does a device event count: linked to its launch, or include_unlinked_kernels. */
static inline bool az_framework_counts(const struct az_framework *f, uint32_t gpu)
{
    return f->tree->gpu_call[gpu] != AZ_NO_ROW || az_tables_count_unlinked(f->opts);
}
static inline bool az_framework_is_comm(const struct az_framework *f, uint32_t gpu)
{
    return f->gpu_class[gpu] == AZ_WORK_COMM;
}
/* Is a host node, a device event part of a recomputed region. False without detect_recompute. */
static inline bool az_framework_recompute(const struct az_framework *f, uint32_t node)
{
    return f->recompute && f->recompute[node];
}
/* Calls that launched a graph (not those within another), and how many of them have no device
 * event: what those graphs did was not recorded, and the device looks idle meanwhile. In
 * quality.c, as are the rows about it. */
struct az_framework_graphs {
    uint64_t launches, bare;
    uint64_t steps, bare_steps; /* marks of steps that hold such calls */
};
int az_framework_graphs_count(struct az_job *job, const struct az_framework *f,
                              struct az_framework_graphs *g) AZ_MUST_USE;
void az_framework_graphs_cover(struct az_job *job, struct az_framework_graphs g);
/* Rows of coverage: by which rule kernels of graphs were paired with their captures, and why others
 * were not. The ticks are of any length, the same for all. */
void az_framework_captures_cover(struct az_job *job, const struct az_capture_attach_sums *s);
bool az_framework_gpu_recompute(const struct az_framework *f, uint32_t gpu);
/* The column is_recompute, if requested, and its cell. */
void az_framework_recompute_column(const struct az_framework *f, struct az_table *t);
void az_framework_put_recompute(const struct az_framework *f, struct az_table *t, bool is);

/* Text of a name id; `unknown` for AZ_NO_ID. */
static inline struct az_sv az_framework_text(const struct az_framework *f, uint32_t id,
                                             const char *unknown)
{
    return id == AZ_NO_ID ? az_sv_str(unknown) : az_trace_text(f->trace, id);
}
/* Ticks as microseconds and milliseconds. */
static inline double az_us(const struct az_trace *t, int64_t ticks)
{
    return az_us_from_ticks(ticks, t->ticks_per_ns);
}
static inline double az_ms(const struct az_trace *t, int64_t ticks)
{
    return az_ms_from_ticks(ticks, t->ticks_per_ns);
}

/* Stream number of a device lane, -1 unknown. */
static inline int64_t az_lane_stream(const struct az_trace *t, uint32_t lane)
{
    uint64_t s = t->lanes.v[lane].context;
    return s == UINT64_MAX ? -1 : (int64_t)s;
}
/* Arguments of a launcher or host node; NULL if none were recorded. */
const struct az_op_args *az_framework_args(const struct az_framework *f, uint32_t node);
/* uid, start, end, name, lane of a host node. */
static inline struct az_event az_framework_node(const struct az_framework *f, uint32_t node)
{
    uint32_t row;
    const struct az_events *e = &f->trace->ev[az_node_kind(f->tree, node, &row)];
    return (struct az_event){ .start = e->start[row],
                              .end = e->end[row],
                              .name = e->name[row],
                              .lane = e->lane[row],
                              .uid = e->uid[row],
                              .corr = e->corr ? e->corr[row] : 0 };
}

/* A table that begins with the nine columns by which operations are distinguished (name, category,
 * lane, arguments), and their cells. NULL: out of memory. */
struct az_table *az_framework_key_table(struct az_arena *a, const char *id, const char *title,
                                        unsigned flags);
void az_framework_put_keys(const struct az_framework *f, struct az_table *t, struct az_sv name,
                           struct az_sv category, uint32_t node);
/* A text cell, empty for the empty view; text of a name id, empty for AZ_NO_ID. */
void az_framework_put_id(const struct az_framework *f, struct az_table *t, uint32_t id);

/* Sort keys of az_table_sort by column index. */
#define AZ_UP(column)   (column)
#define AZ_DOWN(column) (-(column)-1)

/* The columns "Percentage (%)" and "Cumulative Percentage (%)"; their cells are put empty and
 * filled by az_framework_shares.
 */
void az_framework_share_columns(struct az_table *t);
void az_framework_put_share(struct az_table *t);
/* Fills the percentage column with value / sum of values * 100, and the cumulative one with its
 * running sum. value: column index. Rows in their final order. */
void az_framework_shares(struct az_table *t, int value);

#endif
