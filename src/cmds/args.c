/* Options by the rows of a command's table, with suggestions for what is not in it. */
#include "cmds/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define MESSAGE_BYTES 1024 /* of a message about the command line; the rest is cut */

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
    az_vec_release(&shown);
}

const char *az_nearest(const char *word, const char *const *names, size_t n)
{
    struct az_sv w = az_sv_str(word);
    unsigned best_d = (unsigned)(w.n / 3 + 2);
    const char *best = NULL;

    for (size_t i = 0; i < n; i++) {
        unsigned d = az_sv_distance(w, az_sv_str(names[i]), best_d);
        if (d < best_d) {
            best_d = d;
            best = names[i];
        }
    }
    return best;
}

void az_args_init(struct az_args *a, const struct az_cmd *cmd, int argc, char **argv)
{
    size_t s = 0;

    *a = (struct az_args){ .cmd = cmd, .argc = argc, .argv = argv };
    a->shorts[s++] = ':'; /* a missing argument is distinguished */
    for (size_t i = 0; i < cmd->n_opts && i < CMD_MAX_OPTS; i++) {
        const struct az_cmd_opt *o = &cmd->opts[i];
        a->longs[i] =
            (struct option){ o->name, o->arg ? required_argument : no_argument, NULL, o->id };
        if (o->id >= 256)
            continue;
        a->shorts[s++] = (char)o->id;
        if (o->arg)
            a->shorts[s++] = ':';
    }
    optind = 1;
    opterr = 0;
}

/* What getopt_long calls '?': a letter it does not know (in optopt), a known option with an
 * argument it does not take (its id in optopt), or a word it does not know (0 there). Only of the
 * last two it is sure that `word` is the culprit: the letter may stand inside a cluster. */
static int bad_option(const struct az_args *a, const char *word)
{
    const char *names[CMD_MAX_OPTS], *near;
    char plain[64];

    for (size_t i = 0; i < a->cmd->n_opts; i++) {
        names[i] = a->cmd->opts[i].name;
        if (optopt == a->cmd->opts[i].id) {
            az_usage_error(a->cmd, "option '--%s' takes no value", names[i]);
            return ARG_ERROR;
        }
    }
    if (optopt != 0) {
        az_usage_error(a->cmd, "unknown option '-%c'", optopt);
        return ARG_ERROR;
    }
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    near = az_nearest(plain, names, a->cmd->n_opts);
    if (near)
        az_usage_error(a->cmd, "unknown option '--%s' (did you mean '--%s'?)", plain, near);
    else
        az_usage_error(a->cmd, "unknown option '--%s'", plain);
    return ARG_ERROR;
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
        az_usage_error(a->cmd, "option '%s' needs a value", a->argv[optind - 1]);
        return ARG_ERROR;
    case '?':
        return bad_option(a, a->argv[optind - 1]);
    default:
        a->value = optarg;
        return id;
    }
}

bool az_args_only_help(struct az_args *a, size_t min, size_t max, int *rc)
{
    int id = az_args_next(a);

    if (id == ARG_ERROR) {
        *rc = AZ_EXIT_USAGE;
        return true;
    }
    if (id != ARG_END) {
        az_print_command_help(a->cmd);
        *rc = AZ_EXIT_OK;
        return true;
    }
    if (a->n_operands < min)
        *rc = az_usage_error(a->cmd, "something is missing: analyzer %s %s", a->cmd->name,
                             a->cmd->args);
    else if (a->n_operands > max)
        *rc = az_usage_error(a->cmd, "'%s' does not take '%s'", a->cmd->name, a->operands[max]);
    else
        return false;
    return true;
}
