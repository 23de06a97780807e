/* Gates: rules compared with the metrics of a baseline and of a candidate (docs/formulas-compare.md
 * 4). Sees series of numbers only, whatever they were read from. */
#ifndef AZ_REGRESSION_GATE_H
#define AZ_REGRESSION_GATE_H

#include "regression/history_series.h"
#include "regression/series.h"
#include "regression/verdict.h"

#define AZ_GATE_GEOMEAN    "__geomean__"
#define AZ_GATE_HARDWARE   "hardware: all kernels changed by the same ratio"
#define AZ_GATE_MORE_CALLS "method: all kernels run more often by the same ratio"
/* Standard errors within a run by which two single runs must differ, for nine in ten such changes
 * to be seen: sqrt 2 (4 + 1.28). */
#define AZ_GATE_SEEN 7.47

struct az_gate_in {
    const struct az_gate_rule *rules;
    size_t n_rules;
    const struct az_series *base; /* NULL: there is none */
    struct az_sv no_base;         /* why, and what to do */
    /* The run is the first of a series: "15 runs are of H100; ..."; empty: not. */
    struct az_sv series;
    bool first; /* there can be none: this is the first run of its kind in the history */
    const struct az_series *cand;
    const struct az_metric_past *past; /* earlier nights; NULL: none */
    bool by_level;            /* compared with the accepted level of each metric, not against
                                 the values of base */
    bool by_recording;        /* whole recordings are compared, whatever their steps */
    double drift_rel;         /* 0: no drift rule */
    int64_t drift_days, hold; /* hold: nights after which a worse level is accepted; 0: never */
};

/* Fills v (arena set by the caller; results are released with az_vec_release). Fails only for lack
 * of memory. */
int az_gate_run(const struct az_gate_in *in, struct az_gate_verdict *v) AZ_MUST_USE;

/* ---- rule_selectors.c ---- */
/* The selectors under which a document's metrics are gathered for these rules: n_rules of them, in
 * the arena, equal ones once; *n their number. NULL without memory. */
struct az_selector *az_gate_selectors(const struct az_gate_rule *rules, size_t n_rules,
                                      struct az_arena *a, size_t *n);

/* Does the rule apply to the metric? */
bool az_gate_applies(const struct az_gate_rule *r, const struct az_metric *m);
/* Is it one of the geometric mean of a table? */
bool az_gate_is_geomean(const struct az_gate_rule *r);

/* ---- gate_changes.c ---- */
/* Fills v->changes from the claims of both sides. */
int az_gate_compare_inputs(const struct az_gate_in *in, struct az_gate_verdict *v) AZ_MUST_USE;
const struct az_gate_change *az_gate_change_of(const struct az_gate_verdict *v, struct az_sv input);
/* Can the run be a baseline? Not one that was not comparable, unless for its device: that is the
 * first of a series of its own. */
bool az_gate_is_evidence(const struct az_gate_verdict *v);

/* ---- gate_causes.c ---- */
/* Failures of key metrics that follow from another become warnings, with that reason. */
int az_gate_causes(struct az_gate_verdict *v, struct az_arena *a) AZ_MUST_USE;

/* ---- gate_classes.c ---- */
/* Finds the class of the cause of each failed part of the time, after the others were tested. */
int az_gate_classes(const struct az_gate_in *in, struct az_gate_verdict *v,
                    struct az_arena *a) AZ_MUST_USE;
/* The cause of a failed part of the time that all kernels have in common: AZ_GATE_HARDWARE or
 * AZ_GATE_MORE_CALLS, static; NULL: none. */
const char *az_gate_common_cause(const struct az_gate_result *x);

/* ---- gate_decide.c: one metric ---- */
/* Metrics and test of one result from the two sides (either may be NULL); noise may be NULL.
 * Nothing is tested yet: p may still be corrected. */
int az_gate_measure(const struct az_gate_rule *r, const struct az_metric *base,
                    const struct az_metric *cand, struct az_gate_result *out) AZ_MUST_USE;
/* A key metric of a single pair of runs, tested by the steps within them; nothing where earlier
 * nights are known. */
int az_gate_by_steps(const struct az_series_claims *base, const struct az_series_claims *cand,
                     struct az_gate_result *x, struct az_arena *a) AZ_MUST_USE;
/* Status, level and text (gate_text.c). */
int az_gate_judge(struct az_gate_result *x, struct az_arena *a) AZ_MUST_USE;

/* ---- gate_text.c ---- */
/* Text of a result. */
int az_gate_explain(struct az_gate_result *x, struct az_arena *a) AZ_MUST_USE;
/* "since run 41 of 2026-01-31 (commits a1..b2), 3 runs" */
struct az_sv az_gate_since(const struct az_gate_course *c, struct az_arena *a);
/* A value of its metric, in a readable unit. */
struct az_sv az_gate_value_text(struct az_arena *a, const struct az_gate_result *x, double value);

/* ---- gate_history.c: earlier nights ---- */
/* Relations of all metrics that rules apply to. */
int az_gate_pool(const struct az_gate_in *in, struct az_baseline_others *out) AZ_MUST_USE;
/* The course of a metric under a rule; *level: the values of its accepted level, in the arena (n 0:
 * there is no earlier night). */
int az_gate_course(const struct az_gate_in *in, const struct az_baseline_others *pools,
                   const struct az_gate_rule *r, const struct az_metric *cand, struct az_arena *a,
                   struct az_gate_course *out, struct az_vec_f64 *level) AZ_MUST_USE;
/* The baseline of the verdict: the level that its first result was compared with. */
int az_gate_name_level(const struct az_gate_in *in, struct az_gate_verdict *v) AZ_MUST_USE;
/* A gradual change of several metrics of an input is one, since the earliest of their runs. */
void az_gate_align_starts(struct az_gate_verdict *v);
/* Most metrics off together in one night: the machine rather than a commit. */
void az_gate_together(struct az_gate_verdict *v);

#endif
