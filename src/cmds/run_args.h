/* What commands that analyze inputs share (run.c): their options and the way from these to an exit
 * status. */
#ifndef AZ_CMDS_RUN_ARGS_H
#define AZ_CMDS_RUN_ARGS_H

#include "cmds/internal.h"

enum {
    OPT_CONFIG = 256,
    OPT_FORMAT,
    OPT_CSV_DIR,
    OPT_XLSX,
    OPT_OPT,
    OPT_COMPAT,
    OPT_SET,
    OPT_ONLY,
    OPT_DRY_RUN,
    OPT_COLOR,
    OPT_PROGRESS,
    OPT_STRICT,
    OPT_MEMORY,
    OPT_WARN_ONLY,
    OPT_VERSION,
    OPT_PROFILE,
    OPT_OWN /* ids from here on are a command's own */
};

/* The window: keys of the option table, named for help. */
#define AZ_ROWS_OF_WINDOWS                                                                         \
    { OPT_KEY, "range", NULL, "report ranges or modules of this name only ('forward*')" },         \
        { OPT_KEY, "steps", NULL,                                                                  \
          "report these steps only (12, 10-12); or auto, marks, pattern, none" },                  \
        { OPT_KEY, "from", NULL, "start of the window: 1.5s, 250ms, 50%, @RANGE" },                \
    {                                                                                              \
        OPT_KEY, "to", NULL, "end of the window, as --from"                                        \
    }

/* Options of the commands that query profiles. */
#define AZ_ROWS_OF_QUESTIONS                                                                       \
    { OPT_OPT, "opt", "KEY=VALUE",                                                                 \
      "set an option for all inputs ('analyzer help config'); repeatable" },                       \
        { OPT_COMPAT, "compat", "TOOLS",                                                           \
          "add tables specific to these tools: hta, nsys, tracelens, tt-perf-report, or all" },    \
        AZ_ROWS_OF_WINDOWS, { 'j', "jobs", "N", "threads that read an input; 0: one per CPU" },    \
        { 'q', "quiet", NULL, "print errors only" },                                               \
    {                                                                                              \
        'h', "help", NULL, "print this help"                                                       \
    }

AZ_VEC(const char *, az_run_paths);

struct az_run_args {
    struct az_run_paths paths; /* files and folders to check; operands are added by the command */
    bool writes;      /* of paths a workbook is written, too, where nothing else is requested */
    bool whole_reals; /* 5.0 is a whole number in a configuration */
    bool one_run;     /* files are the hosts of one run, whatever their names */
    bool looks;       /* inputs of add_inputs are checked, as paths are */
    const char *config, *xlsx, *csv_dir, *dir;
    const char *together;     /* -o FILE.xlsx, FILE.html, ...; NULL: not set */
    struct az_vec_sv formats; /* views into argv */
    struct az_overrides over;
    struct az_vec_sv only;
    struct az_run_opts run;
    int64_t jobs; /* -1: not set */
    uint64_t memory;
    int verbose;
    bool memory_given, dry_run, quiet, text_asked, strict, warn_only;
    /* Adds the inputs to a configuration without any, instead of --config or paths. NULL: these. */
    int (*add_inputs)(void *ctx, struct az_config *c, struct az_diag *diag);
    void *ctx;
};
void az_run_args_init(struct az_run_args *r);
void az_run_args_release(struct az_run_args *r);
/* Sets an option of all inputs; exit status. */
int az_run_set(struct az_run_args *r, bool path, const char *key, const char *value);
/* Handles one option; AZ_EXIT_OK, or AZ_EXIT_USAGE with a message. */
int az_run_option(const struct az_cmd *cmd, struct az_run_args *r, int id, const char *value);
/* Takes -o: a folder, or a file by whose ending the format is known. */
int az_run_output(const struct az_cmd *cmd, struct az_run_args *r, const char *path);
/* Single options, for commands with arguments of their own; AZ_EXIT_OK, or what to exit with (a
 * message is printed). option: --opt, else --set. */
int az_option_override(const struct az_cmd *cmd, struct az_overrides *to, bool option,
                       const char *text);
int az_option_when(const struct az_cmd *cmd, const char *name, const char *text, enum az_when *out);
int az_option_jobs(const struct az_cmd *cmd, const char *text, int64_t *out);
/* Levels, colors and text of r->run, from the options. */
void az_run_fill_opts(struct az_run_args *r);
/* --dry-run. */
int az_run_print_plan(const struct az_plan *plan, const struct az_log *log);
/* Exit status of an error before the run. */
int az_run_exit_status(int rc);
/* Configuration, plan and run (or the plan printed); the exit status. */
int az_run_inputs(struct az_run_args *r);

#endif
