/* The plan of a run: one job per input, formats recognised, output names chosen, collisions found
 * before any work. */
#ifndef AZ_DRIVER_PLAN_H
#define AZ_DRIVER_PLAN_H

#include "config/config.h"
#include "driver/saved.h"
#include "io/path.h"
#include "registry.h"
#include "saved/load.h"

#define AZ_FORMAT_RESULT "result" /* name of saved results among the formats of a configuration */

struct az_target { /* one output of one job */
    const struct az_report *report;
    struct az_sv path;  /* NUL-terminated */
    struct az_sv table; /* this one alone, as a CSV file; empty: the whole report */
};
AZ_VEC(struct az_target, az_targets);

struct az_plan_job {
    const struct az_input *input;
    const struct az_format
        *format; /* NULL: could not be recognised; the job fails with the message in diag */
    enum az_saved
        saved; /* a result of an earlier run, read back: format is NULL, nothing is written */
    struct az_files files; /* what is parsed: the input's files, a piped one replaced by its copy */
    struct az_targets targets; /* text is not among them */
    bool text;                 /* prints text to stdout */
    struct az_sv beside; /* a trace it is compared with (compare.tree): as comparison_json_path;
                            empty: none */
    bool families;       /* tables by family of operators, too: a report it is compared with may
                            have them */
    size_t xlsx_rows;    /* rows of a table in a workbook; 0: all */
    size_t html_rows;    /* the same of the HTML report */
    bool parts;          /* some of its files are read from parts: they are ranks */
    bool skip;           /* not chosen by --only */
    uint64_t bytes;      /* size of its files on disk */
    uint64_t cost;       /* predicted memory, for admission */
    struct az_diag diag; /* messages of this input, printed by the driver when its turn comes */
    int error;           /* AZ_OK, or why it cannot run */
    const struct az_cancel *cancel; /* of the config; NULL: it runs to its end */
    bool there;                     /* that is: a report of it is there already, and stays */
};
AZ_VEC(struct az_plan_job, az_plan_jobs);

/* What a step after the inputs prints and writes (driver/followup.h). */
enum az_step { AZ_STEP_SIDE_BY_SIDE, AZ_STEP_COMPARE, AZ_STEP_GATES, AZ_STEP_COUNT };
struct az_step_out {
    const char *what; /* "comparison", for messages */
    bool text;
    bool github; /* annotations on standard output */
    size_t xlsx_rows;
    struct az_targets targets;
};

struct az_plan {
    struct az_arena arena;
    const struct az_config *config; /* borrowed */
    struct az_plan_jobs jobs;
    struct az_step_out steps[AZ_STEP_COUNT];
    const struct az_saved_list
        *saved;     /* results of earlier runs that gates are about, too; NULL: none */
    bool calibrate; /* gates: limits from repeated runs instead of a verdict */
    const char
        *bisect; /* gates: which of the groups AZ_BISECT_GOOD and AZ_BISECT_BAD the others are
                    nearer to, by the figure of this name, instead of a verdict; NULL: no */
    struct az_sv spool; /* temporary folder that holds copies of piped inputs; empty: none */
    const struct az_path_info
        *input_files; /* all files of all inputs, as they were before the run */
    size_t n_input_files;
};

void az_plan_init(struct az_plan *p);
void az_plan_release(struct az_plan *p);
/* az_config_load; a profile in its place is named as such. */
int az_plan_config(struct az_config *c, const char *path, const struct az_overrides *over,
                   const struct az_config_names *names, struct az_diag *diag) AZ_MUST_USE;
/* Groups the paths of `analyzer run PATH...` into inputs of the config: several paths of one format
 * and one run (ranks, the CSV reports of one nsys report) form one input, else one each.
 * Directories are taken as their recognised files. AZ_ECONFIG for an empty path, or a folder or
 * glob with nothing in it; AZ_EINTR. */
int az_plan_paths(struct az_config *c, const char *const *paths, size_t n,
                  struct az_diag *diag) AZ_MUST_USE;
/* The same; the traces of a folder whose names differ in the rank (and in times) only are one run
 * (az_input.is_run), also of formats whose ranks are reduced one by one. */
int az_plan_look(struct az_config *c, const char *const *paths, size_t n,
                 struct az_diag *diag) AZ_MUST_USE;
/* The same of one path; files whose names differ in the rank (and in times) only are one run
 * (az_input.is_run), also of formats whose ranks are reduced one by one; a folder that holds none
 * is looked through with all folders below. */
int az_plan_runs(struct az_config *c, const char *path, struct az_diag *diag) AZ_MUST_USE;
/* The same of one path that is to be one thing: all files of a folder whose format has its ranks
 * reduced one by one are the ranks of one run, whatever they are called. More than one input is
 * added where the path is not one thing. */
int az_plan_whole(struct az_config *c, const char *path, struct az_diag *diag) AZ_MUST_USE;
/* Adds one input of a saved result (az_saved_kind). */
int az_plan_saved(struct az_config *c, const char *path) AZ_MUST_USE;
/* Is some file of this folder, not of those below it, a recognised profile? */
bool az_plan_holds_profile(const char *path);
/* Replaces each input that has a base_dir by one input a run found there (az_input.is_run), or by
 * one that fails with the reason; one whose listed files are to be parted by steps by one a step.
 * Before az_plan_make. AZ_ECONFIG: a bad rank pattern, one workbook for several runs; AZ_EINTR,
 * AZ_ENOMEM.
 */
int az_plan_search(struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
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
/* Are the job's files ranks that are reduced one by one? Its format is known. */
static inline bool az_job_is_run(const struct az_plan_job *job)
{
    return job->format &&
           (job->input->parts || job->parts ||
            (job->format->ranks_reduced && (job->files.n > 1 || job->input->is_run)));
}
/* Inputs of the plan that are not skipped. */
size_t az_plan_count(const struct az_plan *p);
/* Is the side-by-side report's baseline one of the inputs? Else AZ_ECONFIG. */
int az_plan_check_baseline(const struct az_plan *p, const struct az_config *c,
                           struct az_diag *diag) AZ_MUST_USE;

#endif
