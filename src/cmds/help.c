/* Help: of the program, of a command (made from its rows), of the configuration (made from the
 * option table). */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>

#include "cmds/wrap.h"
#include "query/query.h"
#include "text/text_writer.h"

enum { OPT_MAN = 256, OPT_COMPLETION };

#define HELP_COLUMN    26
#define COMMAND_COLUMN 20 /* least width of a command's name in the list */
#define ACCEPT         "accept the command line of "

/* In the order of their groups. */
const struct az_cmd *const az_cmd_table[] = {
    &az_cmd_run,
    &az_cmd_multirank,
    &az_cmd_probe,
    &az_cmd_init,
    &az_cmd_classify,
    &az_cmd_check_config,
    &az_cmd_replay,
    &az_cmd_list,
    &az_cmd_schema,
    &az_cmd_help,
    &az_cmd_version,
    &az_cmd_compare,
    &az_cmd_gate,
    &az_cmd_history,
    &az_cmd_bisect,
    &az_cmd_query,
    &az_cmd_serve,
    &az_cmd_map,
    &az_cmd_reduce,
    &az_cmd_slurm,
    &az_cmd_merge,
    &az_cmd_cut,
    &az_cmd_tracelens_pytorch,
    &az_cmd_tracelens_inference,
    &az_cmd_tracelens_rocprof,
    &az_cmd_tracelens_jax,
    &az_cmd_tracelens_hip_api,
    &az_cmd_tracelens_hip_activity,
    &az_cmd_tracelens_memory_copy,
    &az_cmd_tracelens_genesis,
    &az_cmd_tracelens_split,
    &az_cmd_tracelens_multirank,
    &az_cmd_tracelens_collectives,
    &az_cmd_tracelens_compare,
    &az_cmd_tt_perf_report,
    &az_cmd_gpu_perf_analyzer,
    NULL,
};

/* Headings of the list, each before its first command. */
static const struct {
    const struct az_cmd *first;
    const char *title;
} groups[] = {
    { &az_cmd_run, "Analyze" },
    { &az_cmd_compare, "Compare and gate" },
    { &az_cmd_query, "Query and serve" },
    { &az_cmd_map, "Cluster" },
    { &az_cmd_tracelens_pytorch, "Command lines of other tools" },
};

const struct az_cmd *az_cmd_find(const char *name)
{
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return az_cmd_of_script(az_sv_str(name));
}

const char *az_cmd_nearest(const char *name)
{
    const char *names[AZ_LENGTH(az_cmd_table)];
    size_t n = 0;
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++)
        names[n++] = (*c)->name;
    return az_nearest(name, names, n);
}

/* Names of programs whose command lines are commands: installed under such a name, or with it as
 * the command, it is the program's. */
static const struct {
    const char *script;
    const struct az_cmd *cmd;
} scripts[] = {
    { "gpu-perf-analyzer", &az_cmd_gpu_perf_analyzer },
    { "tt-perf-report", &az_cmd_tt_perf_report },
    { "TraceLens_generate_perf_report_pytorch", &az_cmd_tracelens_pytorch },
    { "TraceLens_generate_perf_report_pytorch_inference", &az_cmd_tracelens_inference },
    { "TraceLens_generate_perf_report_rocprof", &az_cmd_tracelens_rocprof },
    { "TraceLens_generate_perf_report_jax", &az_cmd_tracelens_jax },
    { "TraceLens_generate_perf_report_pftrace_hip_api", &az_cmd_tracelens_hip_api },
    { "TraceLens_generate_perf_report_pftrace_hip_activity", &az_cmd_tracelens_hip_activity },
    { "TraceLens_generate_perf_report_pftrace_memory_copy", &az_cmd_tracelens_memory_copy },
    { "TraceLens_generate_perf_report_genesis", &az_cmd_tracelens_genesis },
    { "TraceLens_generate_multi_rank_collective_report_pytorch", &az_cmd_tracelens_collectives },
    { "TraceLens_compare_perf_reports_pytorch", &az_cmd_tracelens_compare },
    { "TraceLens_split_inference_trace", &az_cmd_tracelens_split },
};

const struct az_cmd *az_cmd_of_script(struct az_sv name)
{
    for (size_t i = 0; i < AZ_LENGTH(scripts); i++)
        if (az_sv_is(name, scripts[i].script))
            return scripts[i].cmd;
    return NULL;
}

static void put_row(struct az_vec_char *page, const char *left, const char *help)
{
    if (strlen(left) + 2 > HELP_COLUMN)
        az_text_format(page, "%s\n%*s%s\n", left, HELP_COLUMN, "", help);
    else
        az_text_format(page, "%-*s%s\n", HELP_COLUMN, left, help);
}

int az_print_page(const struct az_vec_char *page)
{
    struct az_vec_char lines;
    int rc = az_vec_error(page);

    az_vec_init(&lines, NULL);
    rc = rc ? rc : az_wrap_page(&lines, az_text_view(page));
    if (rc == AZ_OK && lines.n)
        fwrite(lines.v, 1, lines.n, stdout);
    az_vec_release(&lines);
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static bool begins_group(const struct az_cmd *cmd, const char **title)
{
    for (size_t i = 0; i < AZ_LENGTH(groups); i++) {
        if (groups[i].first != cmd)
            continue;
        *title = groups[i].title;
        return true;
    }
    return false;
}

/* Width of the names from this command to the end of its group. */
static int group_width(const struct az_cmd *const *c)
{
    const char *title;
    size_t n = COMMAND_COLUMN;

    do {
        if (strlen((*c)->name) + 2 > n)
            n = strlen((*c)->name) + 2;
        c++;
    } while (*c && !begins_group(*c, &title));
    return (int)n;
}

void az_print_usage(void)
{
    const char *title;
    int width = COMMAND_COLUMN;

    puts("usage: analyzer PATH... [options]           report a profile\n       analyzer "
         "--config=FILE [options]     analyze the inputs of a configuration\n       analyzer "
         "COMMAND ...");
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        if (begins_group(*c, &title)) {
            printf("\n%s\n", title);
            width = group_width(c);
        }
        const struct az_sv help = az_sv_str((*c)->help); /* the rest is in the group's line */
        printf("  %-*s%s\n", width, (*c)->name,
               help.p + (az_sv_starts(help, AZ_SV(ACCEPT)) ? sizeof ACCEPT - 1 : 0));
    }
    puts("\n'analyzer help COMMAND' lists options and examples, 'analyzer help topics' other "
         "topics.");
}

struct az_cmd_opt az_help_row(const struct az_cmd_opt *row)
{
    static const char *const args[] = {
        [AZ_OPT_INT] = "N",     [AZ_OPT_REAL] = "X",    [AZ_OPT_TEXT] = "TEXT",
        [AZ_OPT_PATH] = "PATH", [AZ_OPT_ENUM] = "WORD", [AZ_OPT_SET] = "LIST"
    };
    const struct az_option *o = row->id == OPT_KEY ? az_flag_named(row->name) : NULL;
    struct az_cmd_opt out = *row;

    if (!o)
        return out;
    out.arg = (size_t)o->type < AZ_LENGTH(args) ? args[o->type] : NULL;
    out.help = row->help ? row->help : o->help;
    return out;
}

/* The tables without their columns, which are a topic of their own: a page has one screen. */
static void put_sql_tables(struct az_vec_char *page)
{
    struct az_vec_char text;

    az_vec_init(&text, NULL);
    if (az_query_describe(&text) == 0) {
        struct az_sv rest = az_text_view(&text);
        while (rest.n) {
            const struct az_sv line = az_sv_cut(&rest, '\n');
            if (!az_sv_starts(line, AZ_SV("   ")))
                az_text_format(page, "%.*s\n", AZ_SVF(line));
        }
        az_text_format(page, "Columns: analyzer help sql\n");
    }
    az_vec_release(&text);
}

static void put_options(struct az_vec_char *page, const struct az_cmd *cmd)
{
    az_text_format(page, "\noptions:\n");
    for (size_t i = 0; i < cmd->n_opts; i++) {
        const struct az_cmd_opt key = az_help_row(&cmd->opts[i]), *o = &key;
        char left[64];
        if (o->id < 256)
            snprintf(left, sizeof left, "  -%c, --%s%s%s", o->id, o->name, o->arg ? "=" : "",
                     o->arg ? o->arg : "");
        else
            snprintf(left, sizeof left, "      --%s%s%s", o->name, o->arg ? "=" : "",
                     o->arg ? o->arg : "");
        put_row(page, left, o->help);
    }
}

int az_print_command_help(const struct az_cmd *cmd)
{
    const char *examples = az_cmd_examples(cmd);
    struct az_vec_char page;

    az_vec_init(&page, NULL);
    az_text_format(&page, "usage: analyzer %s %s%s\n%s\n", cmd->name, cmd->args,
                   cmd->n_opts > 1 && !strstr(cmd->args, "[options]") ? " [options]" : "",
                   cmd->help);
    put_options(&page, cmd);
    if (cmd->more)
        az_text_format(&page, "\n%s\n", cmd->more);
    if (cmd == &az_cmd_query)
        put_sql_tables(&page);
    if (examples)
        az_text_format(&page, "\nexamples:\n%s", examples);
    const int status = az_print_page(&page);
    az_vec_release(&page);
    return status;
}

static int run_help(const struct az_cmd *cmd, int argc, char **argv)
{
    const struct az_cmd *about;
    const char *near;
    struct az_args a;
    bool man = false;
    int id;

    az_args_init(&a, cmd, argc, argv);
    while ((id = az_args_next(&a)) != ARG_END) {
        if (id == ARG_ERROR)
            return AZ_EXIT_USAGE;
        if (id == OPT_COMPLETION)
            return az_print_completion(cmd, a.value);
        if (id == 'h')
            return az_print_command_help(cmd);
        man = true;
    }
    if (a.n_operands > 1)
        return az_usage_error(cmd, "unexpected argument '%s' for 'help'", a.operands[1]);
    if (a.n_operands == 0) {
        if (man)
            return az_print_man(NULL);
        az_print_usage();
        return AZ_EXIT_OK;
    }
    if (man && strcmp(a.operands[0], "config") == 0)
        return az_print_man("config");
    if (!man && az_topic_print(a.operands[0], &id))
        return id;
    about = az_cmd_find(a.operands[0]);
    if (about && man)
        return az_print_man(about->name);
    if (about)
        return az_print_command_help(about);
    if (az_cmd_instead(a.operands[0]))
        return az_usage_error(NULL, "no help topic '%s'; the command is '%s'", a.operands[0],
                              az_cmd_instead(a.operands[0]));
    near = az_topic_nearest(a.operands[0]);
    return near
               ? az_usage_error(NULL, "no help topic '%s' (did you mean '%s'?)", a.operands[0],
                                near)
               : az_usage_error(NULL, "no help topic '%s'; list topics with 'analyzer help topics'",
                                a.operands[0]);
}

static const struct az_cmd_opt options[] = {
    { OPT_MAN, "man", NULL, "print a manual page: analyzer help --man run | man -l -" },
    { OPT_COMPLETION, "completion", "SHELL", "print a completion script for bash, zsh or fish" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_help = {
    "help",  "[COMMAND|TOPIC]", "show help for a command or a topic",
    NULL,    options,           AZ_LENGTH(options),
    run_help
};
