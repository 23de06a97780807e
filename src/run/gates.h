/* The step "gates" of a run: rules compared with a baseline, the verdict reported, the run stored
 * in the history. */
#ifndef AZ_RUN_GATES_H
#define AZ_RUN_GATES_H

#include "regression/gate.h"
#include "regression/history.h"
#include "run/baseline_load.h"
#include "run/post_actions.h"

/* run_group of an input that came alone on the command line of `gate`. */
#define AZ_GATE_ALONE "\001alone"

/* One document that gates are about: of an input of the run, or saved. */
struct az_gate_doc {
    struct az_sv title, group; /* metrics are pooled under the group */
    struct az_document *doc;
    const struct az_labels *labels; /* NULL: none */
    bool baseline;
    bool for_all; /* a baseline that stands for every input of the candidate */
};

struct az_gate_step {
    struct az_followup *f;
    struct az_diag *diag;
    const struct az_config *c;
    struct az_gate_doc *docs;
    size_t n_docs;
    struct az_saved_list files; /* gates.baseline, where it is a path */
    int files_error;            /* it could not be read: reported already */
    struct az_arena arena;
    struct az_mem mem;
    struct az_selector *want;
    size_t n_want;
    struct az_series cand, base;
    struct az_metric_past past; /* earlier nights */
    struct az_history_run run;  /* what this run is */
    struct az_gate_verdict verdict;
    int history_error; /* it could not be read: nothing is stored, and the step has failed */
};

/* ---- gates.c ---- */
/* What can be checked before anything is run: AZ_ECONFIG for a label 'created' or a
 * SOURCE_DATE_EPOCH that is no time. Labels are checked where no gate uses them, too. */
int az_labels_check(const struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
int az_gates_check(struct az_diag *diag) AZ_MUST_USE;
/* Is gates.baseline a file that is missing? (gate_baseline.c) */
bool az_gates_lack_baseline(const struct az_config *c);
int az_step_gates(struct az_followup *f, struct az_diag *diag) AZ_MUST_USE;

/* ---- gate_baseline.c ---- */
/* Fills s->docs from the inputs of the run and the saved results of the plan, and s->files. */
int az_gate_collect_docs(struct az_gate_step *s) AZ_MUST_USE;
/* Inputs that could not be read claim nothing: a change of theirs is not comparable. */
int az_gate_collect_unreadable(struct az_gate_step *s) AZ_MUST_USE;
/* Fills s->base, s->past; in->base stays NULL and in->no_base is the reason where there is none. */
int az_gate_find_baseline(struct az_gate_step *s, struct az_gate_in *in) AZ_MUST_USE;
/* What this run is: labels, device, time. */
int az_gate_describe_run(struct az_gate_step *s) AZ_MUST_USE;

/* ---- gate_metrics.c ---- */
/* Adds the tables of key metrics to the documents, where rules use them. */
int az_gate_add_metrics(struct az_gate_step *s) AZ_MUST_USE;
/* Input of the candidate that a baseline of this title is for: the one of the title, else the only
 * one there is (alone: the title need not match). */
struct az_sv az_gate_input_of(const struct az_gate_step *s, struct az_sv title, bool alone);

/* ---- gate_figures.c ---- */
/* Times of the candidate as tables for dashboards, bounded by classes and ranks: class_time (Input,
 * Class, Rank, Time (s)), timeline_time (Input, Part, Rank, Time (s)), wait_time (Input, Rank, Time
 * (s)). Rank: a number, "all" together, or "mean" of a rank. A table that would be very long is
 * truncated, with a warning. 0 or an error. */
int az_gate_figures(struct az_gate_step *s, struct az_document *doc) AZ_MUST_USE;

/* ---- gate_bisect.c ---- */
#define AZ_BISECT_GOOD "good"
#define AZ_BISECT_BAD  "bad"
#define AZ_BISECT_NEW  "new"
/* Reports whether the group "new" is like the good or the bad one, or that noise prevents a
 * decision and how many repetitions would be enough. Sets f->gate_failed (bad), f->failed (not
 * known). */
int az_gate_bisect(struct az_gate_step *s) AZ_MUST_USE;

/* ---- gate_calibrate.c ---- */
/* Prints limits that repeated runs of one thing stay within, as a block of a configuration. */
int az_gate_calibrate(struct az_gate_step *s) AZ_MUST_USE;

#endif
