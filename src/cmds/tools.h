/* Command lines of the programs that users come from, whole: `analyzer tt-perf-report ...` has the
 * command line of `tt-perf-report ...`, and writes its files under its names. Their options are
 * keys of the option table; a tool has functions only for what a key cannot express. */
#ifndef AZ_CMDS_TOOLS_H
#define AZ_CMDS_TOOLS_H

#include "cmds/run_args.h"

/* Ids of rows; the ids of a tool's own options begin at OPT_OF_TOOL. */
enum {
    OPT_INPUT = OPT_OWN,
    OPT_WORDS,
    OPT_CSV_FILE,
    OPT_IGNORED, /* and the two after it: accepted, with a note */
    OPT_OF_TOOL = OPT_IGNORED + 4
};

#define AZ_TOOL_KEY(name)                                                                          \
    {                                                                                              \
        OPT_KEY, name, NULL, NULL                                                                  \
    }
#define AZ_TOOL_ROWS                                                                               \
    { OPT_OPT, "opt", "KEY=VALUE",                                                                 \
      "set any option of 'analyzer help config' (also --KEY=VALUE); repeatable" },                 \
        { OPT_COMPAT, "compat", "TOOLS", "add tables specific to other tools" },                   \
        { OPT_FORMAT, "format", "LIST", "additional output formats of 'analyzer list'" },          \
        { OPT_DRY_RUN, "dry-run", NULL, "print the files to be read and written, then exit" },     \
        { 'q', "quiet", NULL, "print errors only; no text report" },                               \
        { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },             \
        { 'h', "help", NULL, "print this help" },

struct az_tool_call {
    const struct az_cmd_tool *tool;
    const struct az_cmd *cmd;
    struct az_run_args run;
    struct az_arena arena;     /* names made for the run */
    struct az_vec_char words;  /* of OPT_WORDS: NUL-terminated, blanks between them */
    bool compat_given, output; /* output: a file or folder was named */
    int at_least;              /* exit status if the run's is 0 */
    void *own;                 /* of the tool */
};

struct az_cmd_tool {
    const struct az_cmd *cmd;
    const char *format; /* of its inputs; NULL: detected, or as in its configuration */
    const char *compat;
    const char *const *defaults; /* keys of options and values, in pairs, NULL-terminated */
    const char *input;           /* option that names the input; NULL: operands */
    bool writes;                 /* a workbook where no output is named */
    const char *ending; /* of that workbook's name, after the stem of the input; NULL: as run */
    const char *const *lists; /* options with several values, NULL-terminated; NULL: none */
    size_t own_size;          /* bytes of `own`, zero at first */
    /* Handles an option from OPT_OF_TOOL on; exit status. */
    int (*take)(struct az_tool_call *c, int id, const char *value);
    /* After all options, before the run: exit status. */
    int (*ready)(struct az_tool_call *c);
};
int az_tool_run(const struct az_cmd_tool *tool, int argc, char **argv);

#endif
