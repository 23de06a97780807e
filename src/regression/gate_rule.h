/* Settings of a gate: plain fields, filled from the option table (config/options.c), the only place
 * with keys, defaults and ranges. Texts are borrowed from the configuration. */
#ifndef AZ_REGRESSION_GATE_RULE_H
#define AZ_REGRESSION_GATE_RULE_H

#include <float.h>

#include "base/diag.h"

/* A real number that was not set. Finite, so that it passes through every comparison. */
#define AZ_GATE_UNSET DBL_MAX

struct az_gate_rule {
    struct az_sv name; /* made from table and column if not set */
    struct az_sv input, table, key,
        column;           /* globs; key "__geomean__": the sheet's geometric mean */
    struct az_sv better;  /* auto (the column's direction, else lower), lower, higher, equal */
    double abs, rel;      /* least worsening, metric's unit and fraction; strictly greater fails */
    struct az_sv combine; /* all, any */
    double max, min;      /* hard limits of the candidate; AZ_GATE_UNSET: none */
    double alpha;
    struct az_sv test; /* auto, none, mannwhitney, bootstrap */
    double effect;     /* least |Cliff's delta| where a test ran */
    double noise_k;
    double min_share; /* of the sheet's total in the baseline, fraction */
    struct az_sv on_new, on_removed, on_missing; /* info, warn, fail */
    struct az_sv severity;                       /* fail, warn */
    double budget; /* fraction: total worsening since the last accepted level; UNSET: rel */
    struct az_sv change_point; /* a level that changed by less than the limit: fail, warn, info */
    struct az_sv correct;      /* holm, none */
    struct az_sv samples;      /* runs, steps */
    int64_t warmup;            /* first steps skipped */
    double of_total; /* least worsening, fraction of the input's total (regression/key_figures.h);
                        0: none */
    bool built_in; /* it applies where no rules are set: metrics that it does not match are ignored,
                      unless on_missing is set */
    bool abs_given, rel_given;
    struct az_where where; /* in the configuration; nowhere for a rule of the command line */
};
AZ_VEC(struct az_gate_rule, az_gate_rules);

struct az_gates {
    struct az_sv baseline; /* a file, folder or glob of results, a title, or pinned:LABEL, last,
                              last-good, window:N */
    struct az_sv basis;    /* step, recording */
    struct az_gate_rules rules;
    bool given;
    struct az_where where;
};

struct az_history_opts {
    struct az_sv path; /* database; empty: none */
    bool store;        /* the run is added */
    double drift_rel;  /* fraction; 0: no drift rule */
    int64_t drift_days;
    int64_t accept_after; /* nights after which a worse level is the level; 0: never by itself */
    int64_t rows;         /* rows of a table that are stored */
    struct az_sv tables;  /* glob of tables that are stored besides those of rules */
    struct az_where where;
};

/* Fields without a configuration: as in the option table (a test compares the two).
 * Here, because the configuration is linked below this room. */
static inline void az_gate_rule_init(struct az_gate_rule *r)
{
    *r = (struct az_gate_rule){
        .name = AZ_SV(""),
        .input = AZ_SV("*"),
        .table = AZ_SV("*"),
        .key = AZ_SV("*"),
        .column = AZ_SV("*"),
        .better = AZ_SV("auto"),
        .abs = 0,
        .rel = 0.05,
        .combine = AZ_SV("all"),
        .max = AZ_GATE_UNSET,
        .min = AZ_GATE_UNSET,
        .alpha = 0.01,
        .test = AZ_SV("auto"),
        .effect = 0.3,
        .noise_k = 3,
        .min_share = 0.001,
        .on_new = AZ_SV("info"),
        .on_removed = AZ_SV("warn"),
        .on_missing = AZ_SV("fail"),
        .severity = AZ_SV("fail"),
        .change_point = AZ_SV("fail"),
        .budget = AZ_GATE_UNSET,
        .correct = AZ_SV("holm"),
        .samples = AZ_SV("runs"),
        .warmup = 1,
        .where = AZ_NOWHERE,
    };
}

#endif
