/* Private parts of the commands: one row a command, one row an option; parsing and help are made
 * from the rows. */
#ifndef AZ_CMDS_INTERNAL_H
#define AZ_CMDS_INTERNAL_H

#include <getopt.h>

#include "cmds/cmds.h"
#include "run/run.h"

#define CMD_MAX_OPTS 48
#define FLAGS_MAX    400     /* keys of the option table that are long options, too */
#define OPT_KEY      0xfffd  /* id of a row that only names a key of the option table, for help */
#define OPT_FLAG     0x10000 /* id of a key of the option table: its place there is added */

struct az_cmd_opt {
    int id;           /* the letter, or from 256 on for options with a long name only */
    const char *name; /* without dashes */
    const char *arg;  /* name of its argument; NULL: none */
    const char *help;
};

struct az_cmd {
    const char *name;
    const char *args; /* operands, for the usage line */
    const char *help; /* one line */
    const char *more; /* paragraphs below the options; NULL: none */
    const struct az_cmd_opt *opts;
    size_t n_opts;
    int (*run)(const struct az_cmd *cmd, int argc,
               char **argv); /* argv[0] is not an operand; exit status */
};

extern const struct az_cmd az_cmd_run, az_cmd_init, az_cmd_probe, az_cmd_classify,
    az_cmd_check_config, az_cmd_schema, az_cmd_list, az_cmd_help, az_cmd_version;
extern const struct az_cmd az_cmd_multirank, az_cmd_replay, az_cmd_merge, az_cmd_cut,
    az_cmd_compare, az_cmd_gate, az_cmd_history, az_cmd_bisect, az_cmd_map, az_cmd_reduce,
    az_cmd_slurm, az_cmd_query, az_cmd_serve;
/* Command lines of other programs (tools.h). */
extern const struct az_cmd az_cmd_tracelens_pytorch, az_cmd_tracelens_inference,
    az_cmd_tracelens_rocprof, az_cmd_tracelens_jax, az_cmd_tracelens_hip_api,
    az_cmd_tracelens_hip_activity, az_cmd_tracelens_memory_copy, az_cmd_tracelens_multirank,
    az_cmd_tracelens_compare, az_cmd_tracelens_collectives, az_cmd_tracelens_genesis,
    az_cmd_tracelens_split, az_cmd_tt_perf_report, az_cmd_gpu_perf_analyzer;
extern const struct az_cmd *const az_cmd_table[]; /* NULL-terminated */

/* ---- args.c ---- */
enum { ARG_END = -1, ARG_ERROR = -2 };
struct az_args {
    const struct az_cmd *cmd;
    int argc;
    char **argv;
    struct option longs[CMD_MAX_OPTS + FLAGS_MAX + 2];
    char shorts[2 * CMD_MAX_OPTS + 2];
    const char *value; /* argument of the option returned last */
    char **operands;   /* after ARG_END */
    size_t n_operands;
};
void az_args_init(struct az_args *a, const struct az_cmd *cmd, int argc, char **argv);
/* Id of the next option, ARG_END, or ARG_ERROR (a message is printed: return AZ_EXIT_USAGE). */
int az_args_next(struct az_args *a);
/* Passes every option but --help to take. *help: it was printed, and nothing is left to do. Exit
 * status. */
int az_args_parse(struct az_args *a, int (*take)(void *ctx, int id, const char *value), void *ctx,
                  bool *help);
/* "-f a b" as "-f a -f b", which is what getopt accepts, for the options of a list: "-f",
 * "--filter". NULL: no memory. */
char **az_args_part_lists(int argc, char **argv, const char *const *options, size_t n_options,
                          int *n, struct az_arena *a);
/* For commands with no option but --help: true when the command is to return *rc. */
bool az_args_only_help(struct az_args *a, size_t min, size_t max, int *rc);
/* Prints "analyzer: error: ..." and where help is; returns AZ_EXIT_USAGE. */
int az_usage_error(const struct az_cmd *cmd, const char *fmt, ...) AZ_PRINTF(2, 3);
/* A usage error that lists the output formats (run.c). */
int az_unknown_format(const struct az_cmd *cmd, struct az_sv name);
/* A name of a file on standard output: what is no printable text in it becomes \xNN. */
void az_print_name(struct az_sv name);
/* The nearest of n names, if near enough to be meant; NULL. */
const char *az_nearest(const char *word, const char *const *names, size_t n);

/* ---- flags.c ---- */
/* Does the command accept keys of the option table (it has --opt)? */
bool az_flags_accepted(const struct az_cmd *cmd);
/* Appends them, but for those that are options of the command itself; how many. */
size_t az_flags_add(const struct az_cmd *cmd, struct option *to, size_t room);
/* The key that a row of OPT_KEY names, hyphens for underlines; NULL: none. */
const struct az_option *az_flag_named(const char *name);
/* The key of an id that az_args_next returned; NULL: an option of the command itself. */
const struct az_option *az_flag_option(int id);
/* One such option as --opt KEY=VALUE; value NULL: a boolean without a value. Exit status. */
int az_flag_set(struct az_overrides *to, int id, const char *value);
const char *az_flag_nearest(const char *word);
/* Long options as they are spelled in the list (hyphens, underlines), in place. */
void az_flags_respell(const struct option *longs, int argc, char **argv);

/* ---- classify.c ---- */
/* The class map of the operands' kernels as a member of a configuration; exit status. unnamed: only
 * kernels that no built-in rule names; nothing if there are none. */
int az_class_map(const struct az_args *a, const char *indent, bool unnamed,
                 struct az_vec_char *out);

/* ---- cut_annotate.c ---- */
/* Events for viewers of Chrome traces about a window of a file: findings, critical path, idle time,
 * counters; objects with commas between. */
int az_cut_annotations(const char *path, const struct az_format *f, const struct az_options *window,
                       struct az_diag *diag, struct az_vec_char *out) AZ_MUST_USE;

/* ---- look.c ---- */
/* Paths as `run` accepts them, planned, nothing written. Messages are in the diag. */
struct az_preview {
    struct az_config conf;
    struct az_plan plan;
    struct az_diag diag;
};
int az_preview_begin(struct az_preview *l, const char *const *paths, size_t n);
void az_preview_end(struct az_preview *l);
/* What an analyzed input holds, a line each after the prefix: devices, ranks, steps, span, ... */
int az_preview_facts(const struct az_plan_job *job, const struct az_result *res, const char *prefix,
                     struct az_vec_char *out) AZ_MUST_USE;
/* Reads the inputs of a path and prints their content, a few indented lines each; exit status. */
int az_preview_describe(const char *const *paths, size_t n, const struct az_log *log);
/* Are some of the paths one input: ranks of one run, the CSVs of one report? */
bool az_preview_joins(const char *const *paths, size_t n);

/* ---- init.c ---- */
/* Prints a configuration for the operands; exit status. */
int az_init_print(const struct az_args *a);

/* ---- sandbox.c ---- */
/* Removes --no-sandbox from the words; without it the network is closed (io/sandbox.h). */
void az_sandbox_begin(int *argc, char **argv);
/* After the plan, before its inputs are read: other programs are forbidden, if no input needs one.
 * NULL: there are no such inputs. */
void az_sandbox_settle(const struct az_plan *plan);
/* The same for commands that write to these paths, too, or to none; files and folders, which need
 * not exist. What is read is restricted to the inputs of the plan, the paths of its options, and
 * `read`; without a plan to the latter, if there are any. sockets: those of this machine stay. */
struct az_sandbox_needs {
    const char *write[4]; /* NULL: no more */
    const char *const *read;
    size_t n_read;
    bool sockets;
    bool no_reports; /* nothing of what the plan would write */
    bool replaced;   /* files of `read` may be replaced by new ones, which are read then */
};
void az_sandbox_settle_for(const struct az_plan *plan, const struct az_sandbox_needs *needs);
/* The same where each operand has a plan of its own: if there is one operand only. */
void az_sandbox_settle_alone(const struct az_plan *plan);

/* ---- man.c, completion.c: what packages install, made from the same rows ---- */
/* The manual page of a command, of `config` (about: "config"), or of the program (NULL). */
int az_print_man(const char *about);
/* Completion for bash, zsh or fish; AZ_EXIT_USAGE for another. */
int az_print_completion(const struct az_cmd *cmd, const char *shell);

/* ---- list.c ---- */
/* Appends the plug points, or one part of them, in lines of that width. AZ_EUSAGE: no such part. */
int az_list_put(struct az_vec_char *out, const char *part, size_t columns);

/* ---- help.c ---- */
/* A row that names a key of the option table (OPT_KEY) has the table's text. */
struct az_cmd_opt az_help_row(const struct az_cmd_opt *row);
void az_print_usage(void);
int az_print_command_help(const struct az_cmd *cmd);
/* Prints a text within the width of help (cmds/wrap.h). Both return an exit status. */
int az_print_page(const struct az_vec_char *page);
const struct az_cmd *az_cmd_find(const char *name);
/* The command with the command line of this program; NULL: none. */
const struct az_cmd *az_cmd_of_script(struct az_sv name);

/* ---- help_topics.c ---- */
/* Prints the topic of that name, *rc is the exit status; false: there is none. */
bool az_topic_print(const char *name, int *rc);
/* The nearest name of a topic or a command; NULL. */
const char *az_topic_nearest(const char *name);
/* Name and help of topic i; NULL after the last. */
const char *az_topic_at(size_t i, const char **help);

/* ---- help_examples.c ---- */
/* Command lines of a command, one per line; NULL: none. */
const char *az_cmd_examples(const struct az_cmd *cmd);

/* "did you mean" for a word that is no command; NULL. */
const char *az_cmd_nearest(const char *name);

/* ---- dispatch.c ---- */
/* The command line for what other tools call by this word; NULL: none. */
const char *az_cmd_instead(const char *word);

/* ---- cut.c ---- */
/* Exit status of commands that write files out of profiles. */
int az_cut_exit_status(int rc);

#endif
