/* Inside config/ only: the tree a configuration is read into, and the steps that work on it.
 * Order of work: json.c (text -> tree, with scan.c for positions), override.c (--set), expand.c
 * (${VAR}), resolve.c, input.c and apply.c (tree -> struct az_config, by the option table). */
#ifndef AZ_CONFIG_PRIVATE_H
#define AZ_CONFIG_PRIVATE_H

#include "config/config.h"

#define CONFIG_MAX_BYTES ((size_t)64 << 20)
#define CONFIG_MAX_DEPTH                                                                           \
    32 /* nested arrays and objects; also bounds every recursion in this folder */
#define CONFIG_MAX_VALUES 1000000 /* json-c needs up to 900 bytes for a value of two */
#define CONFIG_MAX_INPUTS 100000
#define CLASS_MAX_RULES   5000 /* all pairs of keys are compared */
#define CLASS_MAX_KEY     1024 /* bytes */

enum az_node_kind {
    AZ_NODE_NULL,
    AZ_NODE_BOOL,
    AZ_NODE_NUMBER,
    AZ_NODE_TEXT,
    AZ_NODE_ARRAY,
    AZ_NODE_OBJECT
};

/* One value of the configuration with its place. Lives in the config's arena. */
struct az_node {
    enum az_node_kind kind;
    struct az_sv key;     /* decoded, of a member of an object */
    size_t index;         /* of an element of an array */
    struct az_sv text;    /* TEXT: decoded, NUL-terminated; NUMBER, BOOL, NULL: as written */
    struct az_sv file;    /* "" for none; "--set" for a value of the command line */
    int64_t line, column; /* of the key, or of an element; 1-based, 0: none */
    struct az_node *parent, *first, *last, *next;
    size_t n;   /* children */
    bool typed; /* set on the command line: a string stays as typed even if it reads as a number */
    bool bad;   /* an error was reported: not read any further */
};

/* ---- node.c ---- */
struct az_node *az_node_new(struct az_arena *a, enum az_node_kind kind); /* NULL: out of memory */
void az_node_append(struct az_node *parent, struct az_node *child);
/* Puts `value` where `old` is, keeping old's key and place in the list; children of value are
 * adopted. */
void az_node_replace(struct az_node *old, const struct az_node *value);
/* Child by key, not marked bad; NULL. */
struct az_node *az_node_get(const struct az_node *object, const char *key);
struct az_node *az_node_find(const struct az_node *object, struct az_sv key);
/* Is the key there, good or bad? */
bool az_node_has(const struct az_node *object, const char *key);
/* "/inputs/0/title"; "" for the root. */
struct az_sv az_node_pointer(const struct az_node *n, struct az_arena *a);
struct az_where az_node_where(const struct az_node *n, struct az_arena *a);
/* "a string", "an object" ... */
const char *az_node_kind_text(enum az_node_kind kind);

/* ---- json.c, scan.c ---- */
/* Text (NUL-terminated in memory, text.p[text.n] == 0) into a tree. Errors are in diag with line
 * and column: bad syntax, duplicate keys (a warning), NUL bytes, invalid UTF-8, nesting, numbers
 * that JSON does not have. `diag` NULL: only the code. AZ_ECONFIG, AZ_ENOMEM. */
int az_conf_parse(struct az_sv text, struct az_sv file, struct az_arena *a, struct az_diag *diag,
                  struct az_node **root) AZ_MUST_USE;
/* Positions, keys and raw tokens of a text that json-c accepted; *end: offset after the root value.
 */
int az_conf_scan(struct az_sv text, struct az_sv file, struct az_arena *a, struct az_diag *diag,
                 struct az_node **root, size_t *end) AZ_MUST_USE;
/* Offset after white space and comments from `at`; text.n at the end. */
size_t az_conf_blank(struct az_sv text, size_t at);
/* About how many values a text has (brackets and commas outside strings and comments): to reject
 * before reading. */
size_t az_conf_count(struct az_sv text);
/* Decodes the quoted token of a string with backslashes, through json-c. NULL view: not
 * possible. */
struct az_sv az_conf_decode(struct az_sv token, struct az_arena *a);
void az_conf_place(struct az_sv text, size_t offset, int64_t *line, int64_t *column);

/* ---- the loader's state ---- */
struct az_loader {
    struct az_config *c;
    struct az_arena *a; /* the config's */
    const struct az_config_names *names;
    const struct az_overrides *over;
    struct az_diag *diag;
    struct az_sv base;        /* folder of the config; empty: current directory only */
    bool no_files;            /* the disk is not read */
    bool quick;               /* no files and no required arguments: a template for PATH... */
    bool opts_checked;        /* --opt errors were reported once */
    bool python_reported;     /* that extensions are no Python */
    bool window_reported;     /* that a window is empty */
    struct az_sv format;      /* of the input at hand; empty at the top level */
    struct az_search *search; /* of the input at hand; NULL at the top level */
    const struct az_set_option *given; /* of the input at hand, or of the top level */
    struct az_options opts;            /* run defaults */
    struct az_outputs outputs;
    struct az_gate_rule *rule;                      /* being read; NULL: none */
    struct az_sv arch_path, arch_rows, arch_device; /* the last gpu_arch_json_path that was read */
    int fatal;                                      /* AZ_ENOMEM */
};
void az_load_error(struct az_loader *l, const struct az_node *at, const char *fmt, ...)
    AZ_PRINTF(3, 4);
void az_load_warn(struct az_loader *l, const struct az_node *at, const char *fmt, ...)
    AZ_PRINTF(3, 4);

/* ---- override.c, expand.c ---- */
void az_override_paths(struct az_loader *l, struct az_node *root);
void az_expand_all(struct az_loader *l, struct az_node *root);

/* ---- value.c: one value into its field ---- */
struct az_store {
    struct az_options *opts;
    struct az_outputs *outputs;
    struct az_config *config;
    struct az_search *search; /* of the input at hand; NULL: none */
    struct az_gate_rule *rule;
    struct az_arena *a;
    const struct az_config_names *names; /* of reports; NULL: none known */
    struct az_diag *diag;
    const struct az_where *at; /* place for messages; NULL: the node's */
    bool whole_reals;          /* 5.0 is a whole number */
    bool flag;                 /* set by --KEY, which messages name */
};
/* Checks type, range and values, then stores. A message was reported if it is AZ_ECONFIG. */
int az_value_store(const struct az_option *o, const struct az_node *n,
                   const struct az_store *t) AZ_MUST_USE;
/* From command line text; messages as above. */
int az_value_store_text(struct az_sv key, struct az_sv value, struct az_where at,
                        const struct az_store *t) AZ_MUST_USE;
/* "1 or more", "0 to 100"; "" without a range. */
struct az_sv az_value_range(const struct az_option *o, struct az_arena *a);
void az_config_default(struct az_config *c);
void az_outputs_default(struct az_outputs *o);
void az_search_default(struct az_search *s);
int az_outputs_copy(struct az_outputs *to, const struct az_outputs *from) AZ_MUST_USE;
void az_outputs_release(struct az_outputs *o);

/* ---- suggest.c ---- */
/* " (did you mean 'x'?)", " (it belongs in 'options')", or "". */
struct az_sv az_suggest_key(struct az_sv key, unsigned places, struct az_arena *a);
/* " (did you mean 'x'?)" for a name of a NULL-terminated list, or of `more` ("a|b"); "". */
struct az_sv az_suggest_name(struct az_sv word, const char *const *names, const char *more,
                             struct az_arena *a);
/* Nearest of words separated by '|'; empty view if none is near. */
struct az_sv az_suggest_word(struct az_sv word, struct az_sv words);

/* ---- classmap.c ---- */
void az_classes_load(struct az_loader *l, const struct az_node *map, struct az_class_rules *out);
void az_labels_load(struct az_loader *l, const struct az_node *map, struct az_labels *out);

/* ---- arch.c ---- */
/* Reads opts->gpu_arch_json_path into arch_rows and arch_device; errors are of the configuration.
 */
void az_arch_load(struct az_loader *l, struct az_options *opts);

/* ---- resolve.c ---- */
int az_config_resolve(struct az_loader *l, struct az_node *root) AZ_MUST_USE;

/* ---- apply.c ---- */
/* Stores the values of an object (NULL: nothing) that is at `place`; reports keys the table does
 * not have there and invalid values, and marks them bad. */
void az_apply_object(struct az_loader *l, struct az_node *object, unsigned place,
                     struct az_options *opts, struct az_outputs *outputs);
/* What may stand both at the top and in an input: options, thresholds, outputs, labels, class map,
 * extension_file. */
void az_apply_shared(struct az_loader *l, struct az_node *object, struct az_options *opts,
                     struct az_outputs *outputs);

/* ---- input.c ---- */
/* Adds one input to the config. */
void az_input_load(struct az_loader *l, struct az_node *n);

/* ---- gates.c ---- */
/* gates and history; after the inputs, whose titles a baseline may name. */
void az_gates_load(struct az_loader *l, struct az_node *root);

/* ---- paths.c ---- */
/* Files of a path, a glob or a list of these. False: not set (absent, null, or "" where optional).
 */
bool az_paths_load(struct az_loader *l, const struct az_node *n, const char *role, bool optional,
                   struct az_input_files *out);
/* A single file as config and user mean it: next to the config, else as written. {NULL, 0} without
 * memory. */
struct az_sv az_path_lookup(struct az_arena *a, struct az_sv base, struct az_sv path);

#endif
