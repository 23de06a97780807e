/* Metrics of one or several runs by metric: the input of gates and of the history. A metric is
 * one column of one row of one table of one input; the runs of a group each add a value to it. */
#ifndef AZ_REGRESSION_SERIES_H
#define AZ_REGRESSION_SERIES_H

#include "base/intern.h"
#include "document/change.h"
#include "document/step_samples.h"

/* Stem of a column with the relative scatter of each value of its row (a standard
 * error), without being a figure. */
#define AZ_SERIES_SCATTER "scatter"

struct az_metric {
    struct az_sv input, sheet;
    struct az_sv key; /* canonical JSON: {"Name":"x","Range":"y"}, keys sorted, no blanks */
    /* The key's values, " | " between them: what globs match and readers see. */
    struct az_sv key_text;
    struct az_sv name; /* column */
    struct az_sv unit; /* "ns", "count", ...; "" unknown */
    unsigned better;   /* AZ_LOWER_BETTER, AZ_HIGHER_BETTER or 0 */
    bool steps;        /* values are the steps inside runs */
    bool per_step;     /* sums of a run, divided by its steps */
    bool median;       /* of the median step instead */
    double within;     /* standard error of a value by the spread within its run, part of the value;
                          0: not known */
    double spread;     /* of a history: logarithms of what a single step scatters by, summed over */
    size_t spread_runs;       /* so many runs */
    double share;             /* of the sheet's total in the first run; NaN: the sheet has none */
    struct az_vec_f64 values; /* NaN: an empty cell */
    struct az_vec_u32 reps;   /* run of each value, from 0 */
    struct az_vec_u32 failed; /* of a history: runs in which it failed, ascending */
};
AZ_VEC(struct az_metric, az_metrics);

/* What must be equal for two results to be compared. */
struct az_series_fact {
    struct az_sv input, name, value; /* "device", "ranks", "class map" */
};
AZ_VEC(struct az_series_fact, az_series_facts);

/* A table that a selector requested and the input had. */
struct az_series_sheet {
    struct az_sv input, sheet;
};
AZ_VEC(struct az_series_sheet, az_series_sheets);

/* What each run of an input claims (document/change.h): by it runs are found comparable. */
struct az_series_claims {
    struct az_sv input;
    uint32_t rep;
    bool claimed;    /* its tables have claims; false: of an older version, or of another program */
    bool unreadable; /* there are no tables: the input could not be read */
    struct az_change_side side;
    struct az_step_samples steps; /* none of a run of a history */
};
AZ_VEC(struct az_series_claims, az_series_claims_list);

struct az_series {
    struct az_arena *arena;
    struct az_metrics metrics;
    struct az_intern ids; /* metric identity -> index in metrics */
    struct az_series_facts facts;
    struct az_series_sheets sheets;
    struct az_vec_sv inputs;             /* in order of arrival */
    struct az_vec_u32 runs;              /* of each input: documents added */
    struct az_series_claims_list claims; /* of inputs that could not be read, too */
    bool by_recording; /* sums stay those of the recording whatever its steps (--basis recording) */
    struct az_sv id, label; /* of the run, for readers; empty: none */
};

/* Which metrics are taken. Globs; no selectors: everything with a direction. */
struct az_selector {
    struct az_sv table, key, column;
    bool steps; /* rows are steps: the step column leaves the key, all rows of a key are values of
                   one metric */
    int64_t warmup;
    size_t rows;   /* first rows of a table only; 0: all */
    bool directed; /* only columns with a direction */
};

int az_series_init(struct az_series *s, struct az_arena *arena) AZ_MUST_USE;
void az_series_release(struct az_series *s);
/* Adds the metrics of a document as one more run of `input`, sums per step where its steps are
 * known (docs/gates.md). Texts are copied. `like`: a document
 * of the same kind whose columns have keys, units and directions, where `doc` was read from CSV and
 * has none; may be NULL. 0, AZ_ENOMEM, AZ_ELIMIT. */
int az_series_add(struct az_series *s, struct az_sv input, const struct az_document *doc,
                  const struct az_document *like, const struct az_selector *want,
                  size_t n_want) AZ_MUST_USE;
/* Adds what a run claims; texts are copied, step samples stay the caller's. */
int az_series_claim(struct az_series *s, const struct az_series_claims *c) AZ_MUST_USE;
/* The claims of an input's first run, or NULL. */
const struct az_series_claims *az_series_claims_of(const struct az_series *s, struct az_sv input);
/* Metric of that identity, made if missing; its index in *at. */
int az_series_metric(struct az_series *s, const struct az_metric *m, size_t *at) AZ_MUST_USE;
int az_series_value(struct az_series *s, size_t at, double value, uint32_t rep) AZ_MUST_USE;
int az_series_fact(struct az_series *s, struct az_sv input, struct az_sv name,
                   struct az_sv value) AZ_MUST_USE;
int az_series_sheet(struct az_series *s, struct az_sv input, struct az_sv sheet) AZ_MUST_USE;
/* Index of an input, added if missing. */
int az_series_input(struct az_series *s, struct az_sv input, size_t *at) AZ_MUST_USE;
/* The metric equal to m in everything but its values, or NULL. */
const struct az_metric *az_series_find(const struct az_series *s, const struct az_metric *m);
bool az_series_has_sheet(const struct az_series *s, struct az_sv input, struct az_sv sheet);
bool az_series_has_input(const struct az_series *s, struct az_sv input);
/* The column by which rows are big or small: a total of time, else a time that is better lower; -1:
 * none. */
ptrdiff_t az_series_weight(const struct az_table *t);
/* Is a column a total of the recording, which is as long as the recording? Not what is of one event
 * (averages, extremes) or of one iteration, nor a part or a rate. */
bool az_series_is_sum(const struct az_column *c);
/* Text of a canonical key, and whether its values are steps. */
struct az_sv az_series_key_text(struct az_arena *a, struct az_sv key);
/* The same for readers only: values without a letter have their column before them, "rank 3". */
struct az_sv az_series_key_label(struct az_arena *a, struct az_sv key);
/* As short as a line needs it: without parts that are numbers or lists where others have words, and
 * without the middle of long ones. */
struct az_sv az_series_key_short(struct az_arena *a, struct az_sv key_text);
bool az_series_is_steps(struct az_sv key);
/* Shares of rows from the metrics themselves (a series that was read from a history): by a total of
 * time, else a time.
 */
int az_series_shares(struct az_series *s) AZ_MUST_USE;
/* Facts of one name of one input, all values of its runs joined; empty: not recorded. */
struct az_sv az_series_get_fact(const struct az_series *s, struct az_sv input, const char *name);

#endif
