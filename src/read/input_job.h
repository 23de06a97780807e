/* One input of a run: its files, how they are read, and where its reports go. */
#ifndef AZ_READ_INPUT_JOB_H
#define AZ_READ_INPUT_JOB_H

#include "config/config.h"
#include "io/path.h"
#include "registry.h"
#include "saved/load.h"

#define AZ_FORMAT_RESULT "result" /* name of saved results among the formats of a configuration */

struct az_target { /* one output of one job */
    const struct az_report *report;
    struct az_sv path;  /* NUL-terminated */
    struct az_sv table; /* this one alone, as a CSV file; empty: the whole report */
    bool crlf;          /* its lines end in CR LF */
};
AZ_VEC(struct az_target, az_targets);

struct az_plan_job {
    const struct az_input *input;
    /* NULL: could not be recognized; the job fails with the message in diag. */
    const struct az_format *format;
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
    struct az_sv source; /* its inputs, recorded with outputs (run/output_sources.h); empty: none */
    bool skip;           /* not chosen by --only */
    uint64_t bytes;      /* size of its files on disk */
    uint64_t cost;       /* predicted memory, for admission */
    struct az_diag diag; /* messages of this input, printed by the driver when its turn comes */
    int error;           /* AZ_OK, or why it cannot run */
    const struct az_cancel *cancel; /* of the config; NULL: it runs to its end */
    bool there;                     /* that is: a report of it is there already, and stays */
};
AZ_VEC(struct az_plan_job, az_plan_jobs);

/* Are the job's files ranks that are reduced one by one? Its format is known. */
static inline bool az_job_is_run(const struct az_plan_job *job)
{
    return job->format &&
           (job->input->parts || job->parts ||
            (job->format->ranks_reduced && (job->files.n > 1 || job->input->is_run)));
}

#endif
