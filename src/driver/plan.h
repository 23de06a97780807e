/* The plan of a run: one job per input, formats recognised, output names chosen, collisions found before any work. */
#ifndef AZ_DRIVER_PLAN_H
#define AZ_DRIVER_PLAN_H

#include "config/config.h"
#include "registry.h"

struct az_target { /* one output of one job */
    const struct az_report *report;
    struct az_sv path; /* NUL-terminated */
};
AZ_VEC(struct az_target, az_targets);

struct az_plan_job {
    const struct az_input *input;
    const struct az_format *format; /* NULL: could not be recognised; the job fails with the message in diag */
    struct az_files files;
    struct az_targets targets; /* text is not among them */
    bool text;                 /* prints text to stdout */
    uint64_t bytes;            /* size of its files on disk */
    uint64_t cost;             /* predicted memory, for admission */
    struct az_diag diag;       /* messages of this input, printed by the driver when its turn comes */
    int error;                 /* AZ_OK, or why it cannot run */
};
AZ_VEC(struct az_plan_job, az_plan_jobs);

struct az_plan {
    struct az_arena arena;
    struct az_plan_jobs jobs;
};

/* Groups the paths of `analyzer run PATH...` into inputs of the config: several paths of one format and one run (hosts,
 * ranks, the CSV reports of one nsys report) form one input, else one each. Directories are taken as their files. */
int az_plan_paths(struct az_config *c, const char *const *paths, size_t n, struct az_diag *diag) AZ_MUST_USE;
/* Resolves formats, names outputs. AZ_ECONFIG: two inputs map to one output, or an output is an input. */
int az_plan_make(struct az_plan *p, const struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
void az_plan_release(struct az_plan *p);
/* Names of all formats and reports for the config loader. */
struct az_config_names az_plan_names(void);

#endif
