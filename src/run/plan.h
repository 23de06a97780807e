/* The plan of a run: one job per input, formats recognized, output names chosen, collisions found
 * before any work. */
#ifndef AZ_RUN_PLAN_H
#define AZ_RUN_PLAN_H

#include "read/input_job.h"
#include "read/input_paths.h"
#include "run/baseline_load.h"

/* What a step after the inputs prints and writes (run/post_actions.h). */
enum az_step { AZ_STEP_SIDE_BY_SIDE, AZ_STEP_COMPARE, AZ_STEP_GATES, AZ_STEP_COUNT };
struct az_step_out {
    const char *what; /* "comparison", for messages */
    bool text;
    bool github; /* annotations on standard output */
    size_t xlsx_rows;
    struct az_targets targets;
    struct az_sv source; /* the inputs, recorded with outputs; empty: none */
};

struct az_plan {
    struct az_arena arena;
    const struct az_config *config; /* borrowed */
    struct az_plan_jobs jobs;
    struct az_step_out steps[AZ_STEP_COUNT];
    /* Results of earlier runs that gates are about, too; NULL: none. */
    const struct az_saved_list *saved;
    bool calibrate; /* gates: limits from repeated runs instead of a verdict */
    const char
        *bisect; /* gates: which of the groups AZ_BISECT_GOOD and AZ_BISECT_BAD the others are
                    nearer to, by the metric of this name, instead of a verdict; NULL: no */
    struct az_sv spool; /* temporary folder with copies of piped inputs; empty: none */
    /* All files of all inputs, as they were before the run. */
    const struct az_path_info *input_files;
    size_t n_input_files;
};

void az_plan_init(struct az_plan *p);
void az_plan_release(struct az_plan *p);
/* az_config_load; a profile in its place is named as such. */
int az_plan_config(struct az_config *c, const char *path, const struct az_overrides *over,
                   const struct az_config_names *names, struct az_diag *diag) AZ_MUST_USE;
/* Resolves formats, names outputs. AZ_ECONFIG: two inputs map to one output, or an output is an
 * input. What is wrong with one input only is in its job (error, diag). Inputs that c->only leaves
 * out are marked `skip` and write nothing, but count for the names of the others; AZ_EUSAGE (with
 * the nearest title) if one of its titles has no input. AZ_EINTR if interrupted while a pipe was
 * copied. */
int az_plan_make(struct az_plan *p, const struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
/* The plan as text, for --dry-run. */
int az_plan_print(const struct az_plan *p, struct az_vec_char *out) AZ_MUST_USE;
/* Names of all formats (with aliases) and reports for the config loader, in the arena. */
int az_plan_names(struct az_arena *a, struct az_config_names *out) AZ_MUST_USE;
/* Inputs of the plan that are not skipped. */
size_t az_plan_count(const struct az_plan *p);
/* Is the side-by-side report's baseline one of the inputs? Else AZ_ECONFIG. */
int az_plan_check_baseline(const struct az_plan *p, const struct az_config *c,
                           struct az_diag *diag) AZ_MUST_USE;

#endif
