/* Options by the rows of a command's table, with suggestions for what is not in it. */
#include "cmds/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "io/path.h"
#include "text/typo.h"

#define NO_COLOR      0xfffe
#define MESSAGE_BYTES 1024 /* of a message about the command line; the rest is truncated */

int az_usage_error(const struct az_cmd *cmd, const char *fmt, ...)
{
    const struct az_log log = { .level = AZ_LOG_QUIET };
    char text[MESSAGE_BYTES];
    va_list ap;

    fflush(stdout);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    az_log_line(&log, AZ_LOG_QUIET, "error: %s", text);
    if (cmd)
        az_log_line(&log, AZ_LOG_QUIET, "see 'analyzer help %s'", cmd->name);
    else
        az_log_line(&log, AZ_LOG_QUIET, "see 'analyzer help'");
    return AZ_EXIT_USAGE;
}

void az_print_name(struct az_sv name)
{
    struct az_vec_char shown;

    az_vec_init(&shown, NULL);
    if (name.n && az_utf8_visible(&shown, name) == 0)
        fwrite(shown.v, 1, shown.n, stdout);
    else /* without memory: what is plain ASCII of it */
        for (size_t i = 0; i < name.n; i++)
            putchar(name.p[i] < ' ' || name.p[i] > '~' ? '?' : name.p[i]);
    az_vec_release(&shown);
}

const char *az_nearest(const char *word, const char *const *names, size_t n)
{
    struct az_sv w = az_sv_str(word);
    unsigned best_d = az_typo_limit(w.n) + 1;
    const char *best = NULL;

    for (size_t i = 0; i < n; i++) { /* "exit" is the first word of "exit-status" */
        const struct az_sv name = az_sv_str(names[i]);
        if (w.n > 1 && w.n < name.n && az_sv_starts(name, w) && name.p[w.n] == '-')
            return names[i];
    }
    for (size_t i = 0; i < n; i++) {
        unsigned d = az_sv_distance(w, az_sv_str(names[i]), best_d);
        if (d < best_d) {
            best_d = d;
            best = names[i];
        }
    }
    for (size_t i = 0; !best && w.n > 1 && i < n; i++) /* the beginning of a longer one */
        if (az_sv_starts(az_sv_str(names[i]), w))
            best = names[i];
    return best;
}

/* --color alone is `always`, as in other programs; --no-color is `never`. */
static bool is_color(const struct az_cmd_opt *o) { return strcmp(o->name, "color") == 0; }

static int color_id(const struct az_cmd *cmd)
{
    for (size_t i = 0; i < cmd->n_opts; i++)
        if (is_color(&cmd->opts[i]))
            return cmd->opts[i].id;
    return ARG_ERROR;
}

/* The value of --color may be a word of its own, if that is no option and no file. */
static const char *color_value(const struct az_args *a)
{
    const char *next = optind < a->argc ? a->argv[optind] : NULL;

    if (!next || next[0] == '-' || az_path_stat(next).kind != AZ_PATH_MISSING)
        return "always";
    optind++;
    return next;
}

void az_args_init(struct az_args *a, const struct az_cmd *cmd, int argc, char **argv)
{
    size_t s = 0, n = 0;

    *a = (struct az_args){ .cmd = cmd, .argc = argc, .argv = argv };
    a->shorts[s++] = ':'; /* a missing argument is distinguished */
    for (size_t i = 0; i < cmd->n_opts && i < CMD_MAX_OPTS; i++) {
        const struct az_cmd_opt *o = &cmd->opts[i];
        if (o->id == OPT_KEY)
            continue;
        const int takes = is_color(o) ? optional_argument
                          : o->arg    ? required_argument
                                      : no_argument;
        a->longs[n++] = (struct option){ o->name, takes, NULL, o->id };
        if (is_color(o))
            a->longs[n++] = (struct option){ "no-color", no_argument, NULL, NO_COLOR };
        if (o->id >= 256)
            continue;
        a->shorts[s++] = (char)o->id;
        if (o->arg)
            a->shorts[s++] = ':';
    }
    if (az_flags_accepted(cmd))
        n += az_flags_add(cmd, a->longs + n, FLAGS_MAX);
    az_flags_respell(a->longs, argc, argv);
    optind = 0; /* resets the state of the C library, whatever was parsed before */
    opterr = 0;
}

static const char *nearer(const char *word, const char *x, const char *y)
{
    const struct az_sv w = az_sv_str(word);
    const unsigned most = (unsigned)(w.n + 2);
    if (!x || !y)
        return x ? x : y;
    return az_sv_distance(w, az_sv_str(y), most) < az_sv_distance(w, az_sv_str(x), most) ? y : x;
}

/* Options that other tools have, with what is there instead. */
static const struct {
    const char *name, *instead;
} option_habits[] = {
    { "html", "--format html" },
    { "json", "--format json" },
    { "md", "--format md" },
    { "markdown", "--format md" },
    { "sqlite", "--format sqlite" },
    { "text", "--format text" },
    { "f", "--format NAME" },
    { "all", "-vv" },
    { "filter", "analyzer query FILE \"SELECT ...\"" },
    { "kernel", "analyzer query FILE \"SELECT ...\"" },
    { "limit", "analyzer query FILE \"SELECT ...\"" },
    { "sort", "analyzer query FILE \"SELECT ...\"" },
    { "top", "analyzer query FILE \"SELECT ...\"" },
};

/* Of commands that report inputs. */
static bool used_elsewhere(const struct az_cmd *cmd, const char *dashes, const char *name)
{
    if (cmd != &az_cmd_run)
        return false;
    for (size_t i = 0; i < AZ_LENGTH(option_habits); i++)
        if (strcmp(name, option_habits[i].name) == 0) {
            az_usage_error(cmd, "unknown option '%s%s'; use %s", dashes, name,
                           option_habits[i].instead);
            return true;
        }
    return false;
}

/* What getopt_long calls '?': an unknown letter (in optopt), a known option with an argument it
 * does not have (its id in optopt), or an unknown word (0 there). Only of the last two it is sure
 * that `word` is the culprit: the letter may stand inside a cluster. */
static int bad_option(const struct az_args *a, const char *word)
{
    const char *names[CMD_MAX_OPTS], *near;
    char plain[64];

    for (size_t i = 0; i < a->cmd->n_opts; i++) {
        names[i] = a->cmd->opts[i].name;
        if (optopt == a->cmd->opts[i].id) {
            az_usage_error(a->cmd, "unexpected value for option '--%s'", names[i]);
            return ARG_ERROR;
        }
    }
    if (optopt == NO_COLOR) {
        az_usage_error(a->cmd, "unexpected value for option '--no-color'");
        return ARG_ERROR;
    }
    if (optopt != 0) {
        const char letter[] = { (char)optopt, '\0' };
        if (!used_elsewhere(a->cmd, "-", letter))
            az_usage_error(a->cmd, "unknown option '-%c'", optopt);
        return ARG_ERROR;
    }
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (used_elsewhere(a->cmd, "--", plain))
        return ARG_ERROR;
    near = az_nearest(plain, names, a->cmd->n_opts);
    if (az_flags_accepted(a->cmd))
        near = nearer(plain, near, az_flag_nearest(plain));
    if (near)
        az_usage_error(a->cmd, "unknown option '--%s' (did you mean '--%s'?)", plain, near);
    else
        az_usage_error(a->cmd, "unknown option '--%s'", plain);
    return ARG_ERROR;
}

/* "-v" or "--verbose" of this command. */
static bool is_known_option(const struct az_args *a, const char *word)
{
    if (word[0] != '-' || !word[1])
        return false;
    if (word[1] != '-')
        return !word[2] && word[1] != ':' && strchr(a->shorts, word[1]);
    const size_t n = strcspn(word + 2, "=");
    for (const struct option *o = a->longs; o->name; o++)
        if (strlen(o->name) == n && strncmp(o->name, word + 2, n) == 0)
            return true;
    return false;
}

/* "-b -v": an option in place of the value of another; "--baseline=-v" is a value. */
static bool is_option_instead(const struct az_args *a, int id)
{
    if (!optarg || optarg != a->argv[optind - 1] || !is_known_option(a, optarg))
        return false;
    for (const struct option *o = a->longs; o->name; o++) {
        if (o->val != id || o->has_arg != required_argument)
            continue;
        az_usage_error(a->cmd,
                       "missing value for option '--%s' before '%s'; use --%s=%s if it is one",
                       o->name, optarg, o->name, optarg);
        return true;
    }
    return false;
}

int az_args_next(struct az_args *a)
{
    int id = getopt_long(a->argc, a->argv, a->shorts, a->longs, NULL);

    switch (id) {
    case -1:
        a->operands = a->argv + optind;
        a->n_operands = (size_t)(a->argc - optind);
        return ARG_END;
    case ':':
        az_usage_error(a->cmd, "missing value for option '%s'", a->argv[optind - 1]);
        return ARG_ERROR;
    case '?':
        return bad_option(a, a->argv[optind - 1]);
    case NO_COLOR:
        a->value = "never";
        return color_id(a->cmd);
    default:
        if (is_option_instead(a, id))
            return ARG_ERROR;
        a->value = optarg;
        if (!optarg && id == color_id(a->cmd))
            a->value = color_value(a);
        return id;
    }
}

int az_args_parse(struct az_args *a, int (*take)(void *ctx, int id, const char *value), void *ctx,
                  bool *help)
{
    int id, rc = AZ_EXIT_OK;

    *help = false;
    while (rc == AZ_EXIT_OK && !*help && (id = az_args_next(a)) != ARG_END) {
        *help = id == 'h';
        if (*help)
            rc = az_print_command_help(a->cmd);
        else
            rc = id == ARG_ERROR ? AZ_EXIT_USAGE : take(ctx, id, a->value);
    }
    return rc;
}

/* Is the word one of the options, with a value in it or not? */
static const char *list_option(const char *word, const char *const *options, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(options[i]);
        if (strncmp(word, options[i], length) == 0 && (word[length] == '\0' || word[length] == '='))
            return options[i];
    }
    return NULL;
}

char **az_args_part_lists(int argc, char **argv, const char *const *options, size_t n_options,
                          int *n, struct az_arena *a)
{
    char **out = az_arena_array(a, 2 * (size_t)argc + 1, sizeof *out);
    const char *list = NULL; /* the last option is one of these */

    for (int i = 0; out && i < argc; i++) {
        const bool option = argv[i][0] == '-' && argv[i][1];
        if (list && !option)
            out[(*n)++] = az_arena_str(a, az_sv_str(list));
        out[(*n)++] = argv[i];
        if (option)
            list = list_option(argv[i], options, n_options);
        if (option && list && !strchr(argv[i], '=') && i + 1 < argc)
            out[(*n)++] = argv[++i]; /* its first value, whatever its form */
    }
    return out;
}

bool az_args_only_help(struct az_args *a, size_t min, size_t max, int *rc)
{
    int id = az_args_next(a);

    if (id == ARG_ERROR) {
        *rc = AZ_EXIT_USAGE;
        return true;
    }
    if (id != ARG_END) {
        *rc = az_print_command_help(a->cmd);
        return true;
    }
    if (a->n_operands < min)
        *rc = az_usage_error(a->cmd, "missing argument; usage: analyzer %s %s", a->cmd->name,
                             a->cmd->args);
    else if (a->n_operands > max)
        *rc = az_usage_error(a->cmd, "'%s': unexpected argument '%s'", a->cmd->name,
                             a->operands[max]);
    else
        return false;
    return true;
}
