/* What gates found: one result per rule and metric, counts, and the verdict over all. Made by
 * gate.c; writers only read.
 */
#ifndef AZ_REGRESSION_VERDICT_H
#define AZ_REGRESSION_VERDICT_H

#include "document/change.h"
#include "document/step_samples.h"
#include "regression/gate_rule.h"
#include "stats/baseline_stats.h"

enum az_gate_status {
    AZ_GATE_PASS,
    AZ_GATE_FAIL,
    AZ_GATE_WARN,     /* would fail, but its rule only warns */
    AZ_GATE_UNSTABLE, /* beyond the threshold, but not distinguished from noise */
    AZ_GATE_OUTLIER,  /* beyond the threshold and the noise for this night alone, as happens now and
                         then: to be run again */
    AZ_GATE_IMPROVED,
    AZ_GATE_NEW,     /* only in the candidate */
    AZ_GATE_REMOVED, /* only in the baseline */
    AZ_GATE_SKIP,    /* too small a share, or too few runs for the test requested */
    AZ_GATE_ERROR,   /* a value is missing on one side */
    AZ_GATE_INCONCLUSIVE,
    AZ_GATE_STATUSES
};
const char *az_gate_status_text(enum az_gate_status s); /* "pass", "fail", ... */

/* What a result means for the verdict. */
enum az_gate_level { AZ_LEVEL_INFO, AZ_LEVEL_WARN, AZ_LEVEL_INCONCLUSIVE, AZ_LEVEL_FAIL };

struct az_gate_side {
    size_t n;
    double center, mad; /* median of three or more runs, else mean; NaN: no value */
    const double *values;
};

/* The earlier nights of a metric (stats/baseline_stats.h); parts are parts of its level.
 */
struct az_gate_course {
    bool known;
    enum az_baseline_kind kind;
    int side;                /* +1 worse, -1 better */
    size_t runs, held;       /* runs of the level; nights since the step, this one included */
    const size_t *level_run; /* of each of these runs its index in the past, oldest first */
    struct az_sv since;      /* first run of a step: "run 41 of 2026-01-31"; "this run" */
    struct az_sv commits;    /* "a1b2..c3d4" of the step; empty: not known */
    double before, level;    /* of a step */
    bool gradual;            /* a slope rather than a step: since, held and rise are of it */
    double rise;             /* part, of a slope */
    bool lasts;              /* the night before failed, and nothing shows that its level ended */
    double total;            /* part, to the worse, since the accepted level; 0: nothing is sure */
    double noise;            /* part: one standard deviation of a night */
    double newest;           /* so, of this night by its steps */
    bool within;             /* it is that within the runs */
    double correlation;      /* of a night with the next */
    double drift;            /* part, to the worse, over the window; NaN: none */
    struct az_sv drifts_at;  /* first run of that window */
    double least, least_run; /* parts that one night, and five, would show; NaN: not known */
};

/* What the limit that decided is a limit of. */
enum az_gate_limit_of {
    AZ_LIMIT_OF_CHANGE, /* of this night */
    AZ_LIMIT_OF_STEPS,  /* a level that changed by less, and stayed */
    AZ_LIMIT_OF_BUDGET, /* what was lost since the accepted level */
    AZ_LIMIT_OF_DRIFT,
    AZ_LIMIT_NOT_REACHED /* the metric fails for the nights before */
};

struct az_gate_limit {
    enum az_gate_limit_of of;
    double rel, abs; /* NaN: none */
};

struct az_gate_result {
    const struct az_gate_rule *rule; /* NULL: no rule, the run as a whole */
    struct az_sv rule_name;
    struct az_sv input, sheet;
    struct az_sv key;      /* JSON object as text; empty: none */
    struct az_sv key_text; /* for readers */
    struct az_sv metric, unit;
    bool per_step;                     /* the values are those of one step */
    bool median;                       /* of the median one, rather than of the mean */
    const struct az_steps_test *steps; /* of a single pair of runs; NULL: none was made */
    double steps_noise; /* part: standard error of the difference by the steps of a single pair
                           of runs; 0: not known */
    double gap; /* of delta: idle time after the last event, which a single step does not have */
    struct az_gate_side base, cand;
    double delta, rel;           /* worsening; NaN: none. rel is NaN for a baseline of 0 */
    double limit_abs, limit_rel; /* NaN: hard limits only */
    struct az_gate_limit used;   /* of them, that which decided */
    double max, min;             /* NaN: none */
    const char *test;            /* "none", "mannwhitney", "bootstrap" */
    double u, p, effect;         /* NaN: no test; p after correction */
    double low, high;            /* bootstrap interval of candidate / baseline */
    double p_better;             /* of the other direction */
    enum az_gate_status status;
    enum az_gate_level level;
    struct az_sv note;    /* why, where the metrics do not show it */
    struct az_sv follows; /* the metric from whose failure this one follows; empty: none */
    bool same_cause;      /* so for the cause that both have */
    bool in_part;         /* that metric explains half of the change or less */
    bool made_up;         /* a part of the time that is worse, while the total is better */
    struct az_sv text;    /* one line that explains the result */
    struct az_sv change;  /* what it begins with: values, change, limit; empty: no values */
    double lost; /* seconds for times, else the worsening relative to the baseline; for the order */
    bool timed;
    bool drift;       /* of a slope over the last weeks: stored only where it has a value */
    double drift_rel; /* its limit */
    struct az_gate_course course;
    struct az_sv cause; /* class of the cause and its evidence, where it is known */
};
AZ_VEC(struct az_gate_result, az_gate_results);

/* The change of an input as a whole, and why it is not comparable, in words. */
struct az_gate_change {
    struct az_change change;
    struct az_sv text; /* "the candidate is truncated"; empty: comparable */
    bool evidence;     /* what was recorded is no evidence, whatever it is compared with */
};
AZ_VEC(struct az_gate_change, az_gate_changes);

enum az_gate_outcome { AZ_GATES_PASS, AZ_GATES_FAIL, AZ_GATES_INCONCLUSIVE };

struct az_gate_verdict {
    struct az_arena *arena;
    struct az_gate_results results; /* worst first, then by absolute loss */
    struct az_gate_changes changes; /* one of each input of the candidate */
    size_t count[AZ_GATE_STATUSES];
    size_t warnings; /* results that only warn */
    enum az_gate_outcome outcome;
    double can_see; /* of a first run: part of the total that the scatter of its steps would show;
                       0: not known */
    bool first;     /* the first run of a history: there was nothing to compare it with */
    struct az_sv series; /* "15 runs are of H100; this is the first of H200"; empty: it is not */
    bool no_rules;       /* none were set: a run without gates, which has no verdict */
    struct az_sv base_id, base_label, cand_id,
        cand_label;      /* of a history or by name; empty: none */
    struct az_sv config; /* file the rules are from; empty: none */
    int64_t created;     /* seconds since 1970 from labels or SOURCE_DATE_EPOCH; -1: not known */
};
/* Where a result is, as short as a line needs it: "gemm", "kern_sum / name / Total Time (ns)";
 * inputs: with the input before it. Empty for the run as a whole. */
struct az_sv az_gate_place(struct az_arena *a, const struct az_gate_result *x, bool inputs);
/* Seconds of a unit; 0: it is none of time. */
double az_gate_seconds(struct az_sv unit);
/* The one limit that counts, where a rule has two: in percent of the baseline (NaN: none, or of a
 * baseline of 0), and whether it is the absolute one. */
double az_gate_limit_percent(const struct az_gate_result *x);
bool az_gate_limit_is_absolute(const struct az_gate_result *x);
const char *
az_gate_verdict_text(const struct az_gate_verdict *v); /* "pass", "fail", "inconclusive" */
/* Storage of results and changes; the arena is the caller's. */
void az_gate_verdict_init(struct az_gate_verdict *v, struct az_arena *arena);
void az_gate_verdict_release(struct az_gate_verdict *v);

/* Tables of a verdict into an empty document: verdict, gate_summary, gate_changes (with a chart),
 * gate_results. The document borrows v, which must live as long. 0 or an error. */
int az_gate_verdict_document(const struct az_gate_verdict *v, struct az_document *doc) AZ_MUST_USE;
/* Its first table (verdict_headline.c): the result in a line, and a line for each failure. */
int az_gate_verdict_headline(const struct az_gate_verdict *v, struct az_document *doc) AZ_MUST_USE;
/* The part of it in verdict_changes.c: what failed, improved or came near its limit, with the
 * interval of the change (ratio of medians, resampled, at the rule's alpha) from four runs a side
 * on. Nothing where no metric has a limit. */
int az_gate_verdict_changes(const struct az_gate_verdict *v, struct az_document *doc) AZ_MUST_USE;

#endif
