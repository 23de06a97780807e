/* The configuration: JSON with comments and trailing commas, validated against the option table
 * (options.c), resolved into plain structures. json-c is used in this folder only. */
#ifndef AZ_CONFIG_CONFIG_H
#define AZ_CONFIG_CONFIG_H

#include "base/cancel.h"
#include "base/diag.h"
#include "model/options.h"
#include "regression/gate_rule.h"
#include "text/jsonw.h"

/* What is written where; of the run, overridden by an input's own. Empty views: not set. */
struct az_outputs {
    struct az_sv dir; /* outputs.dir, -o DIR */
    /* --xlsx FILE, -o FILE.xlsx, options.output_xlsx_path: the workbook of one input. */
    struct az_sv xlsx;
    struct az_sv csv_dir;  /* --csv-dir, options.output_csvs_dir */
    struct az_sv csv_file; /* options.csv: the operations alone; the stacked summary next to it */
    struct az_sv summary_file; /* options.summary_file: the stacked summary, without its ending */
    struct az_vec_sv formats;  /* writer names; empty: the default (text and xlsx; CSV only when
                                  csv_dir alone is set) */
    int64_t xlsx_rows;         /* 10000; 0: all */
    int64_t html_rows;         /* 1000; 0: all */
    bool overwrite;            /* of a search for runs: replace reports that are there already */
};

/* A value that was set, for checks when the format is known: newest first, in the
 * config's arena. */
struct az_set_option {
    const struct az_option *option;
    struct az_where where;
    struct az_sv text; /* as written; empty: no plain value */
    const struct az_set_option *next;
};

/* Where the runs of an input are searched (driver: az_plan_search). */
struct az_search {
    struct az_sv base_dir;       /* NUL-terminated; empty: the input names its files */
    struct az_sv extension;      /* json | gz | auto */
    const struct az_sv *filters; /* in the config's arena, in their order */
    size_t n_filters;
    bool filters_exact_rank;
};

struct az_input_file {
    /* Resolved (next to the config first, then the current directory), NUL-terminated. */
    struct az_sv path;
    struct az_sv role; /* "kernel_sum", "nvtx_proj_trace", "mem_time_sum"; empty */
    bool optional;
    struct az_sv part; /* as az_file.part */
    uint64_t at, length;
};
AZ_VEC(struct az_input_file, az_input_files);

struct az_input {
    struct az_sv title;     /* heading and name; made from the file name if the config has none */
    bool no_heading;        /* "title": null */
    struct az_sv run_group; /* inputs with one are repeated runs of the same thing; empty: none */
    bool baseline;          /* of the gates: set on the command line */
    struct az_sv format;    /* as in the registry, lower case; "auto" */
    struct az_input_files files; /* globs expanded, sorted */
    struct az_options opts;
    struct az_outputs outputs;
    struct az_where where; /* of the input in the config, for messages */
    struct az_search search;
    const struct az_set_option *given; /* options of its own */
    bool found; /* its format is not named: options were not compared with it */
    /* What a search made of it: the files of one run in rank order. */
    bool is_run;          /* its files are ranks, even if there is one only */
    bool processes;       /* its files are the processes of one run: one trace */
    bool parts;           /* its ranks are reduced one by one whatever their format is */
    struct az_sv group;   /* absolute folder of the run; empty: not from a search */
    struct az_sv stem;    /* name of its reports, without folder and extension */
    struct az_sv trouble; /* why there is nothing to read; empty: none */
};
AZ_VEC(struct az_input, az_inputs);

/* "compare": what is done with the results of several inputs. */
struct az_compare_config {
    bool wanted;             /* the key is there */
    struct az_vec_sv inputs; /* titles, in order; empty: all inputs */
    struct az_vec_sv names;  /* names in column headings; empty: the titles */
    struct az_vec_sv tables; /* table names or globs; empty: all */
    struct az_sv baseline;   /* first, best, median, or a name; empty: first */
    bool normalize;     /* kernel names without template arguments, addresses, numbers of generated
                           kernels */
    bool tree;          /* of two traces also the difference by call tree */
    bool all_sheets;    /* the workbook has a sheet for every table */
    struct az_sv basis; /* step, recording */
    struct az_outputs outputs; /* what is not set: as the run's */
};

struct az_config {
    struct az_arena arena; /* owns all texts */
    struct az_sv path;     /* of the config; empty without a configuration */
    struct az_inputs inputs;
    const struct az_set_option *given; /* options of all inputs: of the top level, and --opt */
    struct az_outputs outputs;
    int64_t jobs;          /* workers; 0: number of processors */
    uint64_t memory_limit; /* bytes an input; 0: by the machine */
    bool strict, warn_only;
    struct az_compare_config compare;
    struct az_gates gates;
    struct az_history_opts history; /* path empty: none */
    struct az_labels history_labels;
    bool side_by_side;     /* with two inputs or more */
    struct az_sv baseline; /* of it: a title, "first"; empty: none */
    /* Checked while files are searched and inputs are analyzed: set by the caller. */
    struct az_cancel cancel;
    bool takes_results;    /* saved results are inputs, too: set by commands */
    bool no_reports;       /* inputs are analyzed for the steps after them only: set by commands */
    struct az_sv together; /* -o FILE.xlsx: all outputs have its folder and its name, each with its
                              own ending; empty: none; set by commands */
    bool whole_reals;      /* 5.0 is a whole number, as to other programs; set by commands */
    bool one_run;          /* files named together are the hosts of one run; set by commands */
    bool look;             /* files are checked: no workbook unless requested; set by commands */
    struct az_vec_sv only; /* titles of --only, borrowed; empty: all inputs */
    struct az_input quick; /* what az_config_add_input copies; set by az_config_quick */
};

/* Command line values that beat the file.
 * AZ_SET_PATH (--set): any value of the config, set before validation: "outputs.dir",
 * "inputs.0.title", "inputs.*.analysis_args.num_of_iters" (* = every element), or a JSON pointer as
 * messages print it, for keys that contain dots ("/kernel_to_class_map/a.b"). The value is JSON if
 * it parses as such, else a string. AZ_SET_OPTION (--opt): one option, threshold or analysis
 * argument of all inputs; beats everything else. */
struct az_override {
    enum { AZ_SET_PATH, AZ_SET_OPTION } kind;
    struct az_sv key, value;
    bool flag; /* of AZ_SET_OPTION: set by --KEY, for messages */
};
AZ_VEC(struct az_override, az_overrides);

/* The caller passes the names of formats (the registry is above this room).
 * NULL-terminated. */
struct az_config_names {
    const char *const *formats;
    const char *const *reports;
};

int az_config_init(struct az_config *c) AZ_MUST_USE;
void az_config_release(struct az_config *c);
/* Reads, validates and resolves. path "-": standard input. All problems found are in diag (not only
 * the first); AZ_ECONFIG if any is an error, also for no inputs. */
int az_config_load(struct az_config *c, const char *path, const struct az_overrides *over,
                   const struct az_config_names *names, struct az_diag *diag) AZ_MUST_USE;
/* The same from text in memory; `path` is for messages. No file is searched: paths and globs stay
 * as written. */
int az_config_load_memory(struct az_config *c, struct az_sv text, const char *path,
                          const struct az_overrides *over, const struct az_config_names *names,
                          struct az_diag *diag) AZ_MUST_USE;
/* An input for `analyzer run PATH...`: defaults plus overrides; files are added by the caller (the
 * planner). */
int az_config_quick(struct az_config *c, const struct az_overrides *over,
                    const struct az_config_names *names, struct az_diag *diag) AZ_MUST_USE;
/* Gates with the rules of the key metrics, where none are set. */
int az_config_default_gates(struct az_config *c) AZ_MUST_USE;
int az_config_add_input(struct az_config *c,
                        struct az_input **in) AZ_MUST_USE; /* copies the quick defaults */
/* Appends a copy of an input without its files to a list. */
int az_config_copy_input(struct az_inputs *list, const struct az_input *from) AZ_MUST_USE;
void az_input_release(struct az_input *in);
/* Expands one path or glob as a config would (base: folder of the config or empty); messages as in
 * az_config_load. */
int az_config_expand(struct az_config *c, struct az_sv base, struct az_sv path, struct az_sv role,
                     bool optional, struct az_input_files *out, struct az_where at,
                     struct az_diag *diag) AZ_MUST_USE;

/* ---- the option table ---- */
enum az_opt_type {
    AZ_OPT_BOOL,
    AZ_OPT_INT,
    AZ_OPT_REAL,
    AZ_OPT_TEXT,
    AZ_OPT_PATH,
    AZ_OPT_ENUM,
    AZ_OPT_LIST,
    AZ_OPT_MAP,
    AZ_OPT_OBJECT,
    AZ_OPT_SIZE, /* bytes: a number or "64M" */
    AZ_OPT_SET /* words of `values`, a list or divided by commas: bit i for word i, into an unsigned
                */
};
/* Which struct a value is stored in: struct az_options, az_outputs, az_config, az_search,
 * az_gate_rule; or none, resolve.c and input.c read it. */
enum az_opt_owner {
    AZ_OWN_OPTIONS,
    AZ_OWN_OUTPUTS,
    AZ_OWN_CONFIG,
    AZ_OWN_SEARCH,
    AZ_OWN_RULE,
    AZ_OWN_LOADER
};
enum az_opt_place {                  /* where the key may stand */
                    AZ_AT_TOP = 1,   /* top level of the config */
                    AZ_AT_INPUT = 2, /* inputs[] */
                    AZ_AT_ARGS = 4,  /* inputs[].analysis_args */
                    AZ_AT_OPTIONS =
                        8, /* inputs[].options, "options" at the top as run default; and --opt */
                    AZ_AT_THRESHOLDS = 16, /* thresholds, both places; and --opt */
                    AZ_AT_OUTPUTS = 32,
                    AZ_AT_CSV = 64,      /* inputs[].nsys_csv_file_path */
                    AZ_AT_REPORT = 128,  /* inputs[].nsys_report */
                    AZ_AT_COMPARE = 256, /* compare */
                    AZ_AT_GATES = 512,   /* gates */
                    AZ_AT_RULE = 1024,   /* gates.rules[] */
                    AZ_AT_HISTORY = 2048 /* history */
};
struct az_option {
    const char *key;
    unsigned places;
    enum az_opt_type type;
    enum az_opt_owner owner;
    size_t offset;        /* into the owner; 0 with AZ_OWN_LOADER */
    double min, max;      /* of numbers and list lengths; min > max: no range */
    const char *values;   /* enum, set: "a|b|c" */
    const char *fallback; /* default as text; NULL: none */
    const char *formats;  /* "nsys" ... which inputs it is for; "" all */
    const char *help;     /* one line, for help, src/docs and schema */
    const char *since;
};
extern const struct az_option az_option_table[];
extern const size_t az_option_count;
/* Does an option for `formats` ("nsys pytorch"; "": all) mean something to this format? */
bool az_formats_include(const char *formats, struct az_sv format);
const struct az_option *az_option_find(struct az_sv key, unsigned places);
/* Sets one option from text; the message names the key, the range, and the nearest known key.
 * AZ_ECONFIG. */
int az_option_set(struct az_options *o, struct az_sv key, struct az_sv value, struct az_arena *a,
                  struct az_where at, struct az_diag *diag) AZ_MUST_USE;
void az_options_default(struct az_options *o, struct az_mem *mem);
void az_options_release(struct az_options *o);
/* Deep enough copy: vectors are copied, texts shared. */
int az_options_copy(struct az_options *to, const struct az_options *from) AZ_MUST_USE;
/* JSON Schema (draft 7) of the whole configuration, generated from the table. */
int az_config_schema(struct az_jsonw *w, const struct az_config_names *names) AZ_MUST_USE;
/* Text for `analyzer help config`: one block a place, key, type, range, default, help. */
int az_config_help(struct az_vec_char *out) AZ_MUST_USE;

#endif
