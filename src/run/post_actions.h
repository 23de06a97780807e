/* What a run does with the results of all its inputs once they are there: set them side by side,
 * compare them, test them by gates, store them. A list of steps (post_actions.c); each sees the
 * documents of the inputs, prints text, writes its outputs. */
#ifndef AZ_RUN_POST_ACTIONS_H
#define AZ_RUN_POST_ACTIONS_H

#include "run/run.h"

/* What is stored of one input, in config order. */
struct az_outcome {
    const struct az_plan_job *job;
    struct az_sv title; /* of the input */
    int error; /* AZ_OK, or why the input counts as failed; it may be reportable nevertheless */
    bool reportable; /* doc is there */
    struct az_document doc;
    struct az_arena arena;
    struct az_mem mem;
};

struct az_followup {
    const struct az_plan *plan;
    const struct az_run_opts *opts;
    const struct az_log *log;
    struct az_outcome *outcomes;
    size_t n;
    bool color;
    struct az_vec_char before; /* text of the side-by-side report: is printed before the inputs' */
    struct az_vec_char text;   /* what the other steps print, in their order */
    /* For the service that runs the job: also where no text is requested. */
    struct az_vec_char annotations;
    /* set by the steps */
    bool failed;      /* something could not be done or decided: exit status 3 */
    bool gate_failed; /* exit status 1, which beats 3 */
    bool internal;    /* exit status 4 */
};

/* Does the configuration have this step? (plan.c) */
bool az_step_wanted(const struct az_config *c, enum az_step step);
/* Any of them? Else no document is stored. (plan.c) */
bool az_followup_wanted(const struct az_config *c);
/* The same of a plan, of which --only may leave a single input. */
bool az_followup_planned(const struct az_plan *p);
/* Do the steps need whole documents, or only the tables of the side-by-side report? */
bool az_followup_whole(const struct az_config *c);
/* Copies the document of an input that has been run: all of it, or the tables that the side-by-side
 * report reads. On failure nothing is stored; error is the reason. */
void az_outcome_copy(struct az_outcome *o, const struct az_plan_job *job,
                     const struct az_result *res, bool whole, int error);
void az_outcome_release(struct az_outcome *o);
/* All steps in the configuration. Text is in f->before and f->text; messages went
 * through the log. */
void az_followup(struct az_followup *f);
void az_followup_release(struct az_followup *f);

/* ---- for the steps ---- */
/* Renders the document of a step: its text (if the step prints any) after f->text, that of the
 * side-by-side report after f->before; its outputs as planned. Messages are added to diag. 0 or the
 * first error. */
int az_followup_report(struct az_followup *f, enum az_step step, struct az_document *doc,
                       struct az_diag *diag) AZ_MUST_USE;
/* A step: 0, or an error that had its message in diag (AZ_EINTERNAL sets f->internal, others
 * f->failed). */
int az_step_compare(struct az_followup *f, struct az_diag *diag) AZ_MUST_USE;
int az_step_side_by_side(struct az_followup *f, struct az_diag *diag) AZ_MUST_USE;

#endif
