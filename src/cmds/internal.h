/* Private parts of the commands: one row a command, one row an option; parsing and help are made from the rows. */
#ifndef AZ_CMDS_INTERNAL_H
#define AZ_CMDS_INTERNAL_H

#include <getopt.h>

#include "cmds/cmds.h"
#include "driver/run.h"

#define CMD_MAX_OPTS 40

struct cmd_opt {
    int id;           /* the letter, or from 256 on for options with a long name only */
    const char *name; /* without dashes */
    const char *arg;  /* name of its argument; NULL: none */
    const char *help;
};

struct cmd {
    const char *name;
    const char *args; /* operands, for the usage line */
    const char *help; /* one line */
    const char *more; /* paragraphs below the options; NULL: none */
    const struct cmd_opt *opts;
    size_t n_opts;
    int (*run)(const struct cmd *cmd, int argc, char **argv); /* argv[0] is not an operand; exit status */
};

extern const struct cmd cmd_run, cmd_probe, cmd_classify, cmd_check_config, cmd_schema, cmd_list, cmd_help, cmd_version;
extern const struct cmd cmd_multirank, cmd_replay, cmd_merge;
extern const struct cmd *const cmd_table[]; /* NULL-terminated */

/* ---- args.c ---- */
enum { ARG_END = -1, ARG_ERROR = -2 };
struct args {
    const struct cmd *cmd;
    int argc;
    char **argv;
    struct option longs[CMD_MAX_OPTS + 1];
    char shorts[2 * CMD_MAX_OPTS + 2];
    const char *value; /* argument of the option returned last */
    char **operands;   /* after ARG_END */
    size_t n_operands;
};
void args_init(struct args *a, const struct cmd *cmd, int argc, char **argv);
/* Id of the next option, ARG_END, or ARG_ERROR (a message is printed: return AZ_EXIT_USAGE). */
int args_next(struct args *a);
/* For commands that know no option but --help: true when the command is to return *rc. */
bool args_only_help(struct args *a, size_t min, size_t max, int *rc);
/* Prints "analyzer: error: ..." and where help is; returns AZ_EXIT_USAGE. */
int usage_error(const struct cmd *cmd, const char *fmt, ...) AZ_PRINTF(2, 3);
/* The nearest of n names, if near enough to be meant; NULL. */
const char *nearest(const char *word, const char *const *names, size_t n);

/* ---- help.c ---- */
void print_usage(void);
void print_command_help(const struct cmd *cmd);
const struct cmd *cmd_find(const char *name);
/* "did you mean" for a word that is no command; NULL. */
const char *cmd_nearest(const char *name);

#endif
