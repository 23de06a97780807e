/* The way of a tool's command line to a run; tt-perf-report and GPU-Perf-Analyzer. TraceLens:
 * tools_tracelens.c. */
#include "cmds/tools.h"

#include <stdio.h>
#include <string.h>

#include "analyses/op_report/devices.h"
#include "io/path.h"

static void ignored(const struct az_cmd *cmd, int id)
{
    const struct az_log log = { .level = AZ_LOG_NORMAL };

    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == id)
            az_log_line(&log, AZ_LOG_NORMAL, "note: --%s: %s", cmd->opts[i].name,
                        cmd->opts[i].help);
}

static int add_word(struct az_tool_call *c, const char *word)
{
    int rc = c->words.n ? az_vec_push(&c->words, ' ') : AZ_OK;

    rc = rc ? rc : az_text_append(&c->words, az_sv_str(word));
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static bool names_output(int id)
{
    const struct az_option *o = az_flag_option(id);

    return o && (strcmp(o->key, "output_xlsx_path") == 0 || strcmp(o->key, "output_csvs_dir") == 0);
}

static int take_option(void *ctx, int id, const char *value)
{
    struct az_tool_call *c = ctx;

    c->output |= names_output(id);
    if (c->tool->take && id >= OPT_OF_TOOL && id < OPT_FLAG && id != OPT_KEY)
        return c->tool->take(c, id, value);
    switch (id) {
    case OPT_INPUT:
        return az_vec_push(&c->run.paths, value) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_IGNORED:
    case OPT_IGNORED + 1:
    case OPT_IGNORED + 2:
    case OPT_IGNORED + 3:
        ignored(c->cmd, id);
        return AZ_EXIT_OK;
    case OPT_WORDS:
        return add_word(c, value);
    case OPT_CSV_FILE:
        c->run.quiet = true;
        return az_run_set(&c->run, false, "csv", value);
    case OPT_COMPAT:
        c->compat_given = true;
        break;
    default:
        break;
    }
    return az_run_option(c->cmd, &c->run, id, value);
}

/* Words without an option: inputs, or more words of the option with several. */
static int operands(struct az_tool_call *c, const struct az_args *a)
{
    int rc = AZ_EXIT_OK;

    for (size_t i = 0; !rc && i < a->n_operands; i++) {
        if (c->words.n)
            rc = add_word(c, a->operands[i]);
        else if (!c->tool->input)
            rc = az_vec_push(&c->run.paths, a->operands[i]) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
        else
            rc = az_usage_error(c->cmd, "unexpected argument '%s'; name the input with --%s",
                                a->operands[i], c->tool->input);
    }
    if (!rc && !c->run.config && !c->run.add_inputs && !c->run.paths.n)
        rc = c->tool->input ? az_usage_error(c->cmd, "no input; use --%s", c->tool->input)
                            : az_usage_error(c->cmd, "no inputs; name CSV files");
    return rc;
}

/* The last value of an option; empty: none. */
static struct az_sv given(const struct az_tool_call *c, const char *key)
{
    struct az_sv value = AZ_SV("");
    for (size_t i = 0; i < c->run.over.n; i++)
        if (c->run.over.v[i].kind == AZ_SET_OPTION && az_sv_is(c->run.over.v[i].key, key))
            value = c->run.over.v[i].value;
    return value;
}

/* The workbook's name by the program's rule: the input's without .json, .json.gz ..., and more. */
static int name_workbook(struct az_tool_call *c)
{
    const struct az_sv path = az_sv_str(c->run.paths.n ? c->run.paths.v[0] : "report");
    const struct az_sv stem = az_path_stem(az_path_base(path));
    const struct az_sv name = az_arena_printf(&c->arena, "%.*s%s", AZ_SVF(stem), c->tool->ending);
    const struct az_sv whole = az_path_join(&c->arena, az_path_dir(path), name);

    c->run.xlsx = whole.p ? az_arena_str(&c->arena, whole) : NULL;
    c->run.together = c->run.together ? c->run.together : c->run.xlsx;
    return c->run.xlsx ? AZ_EXIT_OK : AZ_EXIT_INTERNAL;
}

static int set_tables(struct az_tool_call *c)
{
    const struct az_cmd_tool *t = c->tool;
    int rc = AZ_EXIT_OK;

    if (t->format)
        rc = az_run_set(&c->run, true, "inputs.*.format", t->format);
    if (!rc && t->compat && !c->compat_given)
        rc = az_run_set(&c->run, false, "compat", t->compat);
    return rc;
}

/* Formats that are requested replace outputs that are options: these are requested, too. */
static int keep_outputs(struct az_tool_call *c)
{
    const struct az_sv xlsx = given(c, "output_xlsx_path"), csv = given(c, "output_csvs_dir");

    if (!c->run.formats.n)
        return AZ_EXIT_OK;
    if (xlsx.n && !c->run.xlsx)
        c->run.xlsx = az_arena_str(&c->arena, xlsx);
    if (csv.n && !c->run.csv_dir)
        c->run.csv_dir = az_arena_str(&c->arena, csv);
    return (xlsx.n && !c->run.xlsx) || (csv.n && !c->run.csv_dir) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

/* The defaults of the other program. */
static int set_first(struct az_tool_call *c)
{
    int rc = AZ_EXIT_OK;

    for (const char *const *d = c->tool->defaults; !rc && d && *d; d += 2)
        rc = az_run_set(&c->run, false, d[0], d[1]);
    return rc;
}

/* Defaults of the other program. */
static int defaults(struct az_tool_call *c)
{
    static char text[] = "text";
    const struct az_cmd_tool *t = c->tool;
    int rc = set_tables(c);

    if (!rc && c->words.n)
        rc = az_vec_push(&c->words, '\0')
                 ? AZ_EXIT_INTERNAL
                 : az_run_set(&c->run, false, "kernel_metadata_keyword_filters", c->words.v);
    if (!rc)
        rc = keep_outputs(c);
    if (!rc && c->run.config && !c->run.formats.n)
        rc = az_run_option(c->cmd, &c->run, OPT_FORMAT, text);
    if (!rc) /* which have no such report */
        rc = az_run_set(&c->run, true, "side_by_side", "false");
    if (!rc && t->writes) /* their workbooks have every row */
        rc = az_run_set(&c->run, true, "outputs.xlsx_rows", "0");
    c->run.whole_reals = t->cmd == &az_cmd_gpu_perf_analyzer;
    if (!rc && t->ending && !c->output && !c->run.xlsx && !c->run.csv_dir)
        rc = name_workbook(c);
    c->run.run.text_classic = t->cmd == &az_cmd_gpu_perf_analyzer;
    c->run.writes = t->writes;
    return rc;
}

static int parse(struct az_tool_call *c, struct az_args *a, bool *help)
{
    int rc = az_args_parse(a, take_option, c, help);

    if (*help)
        return rc;
    if (!rc && c->tool->ready)
        rc = c->tool->ready(c);
    rc = rc ? rc : operands(c, a);
    return rc ? rc : defaults(c);
}

int az_tool_run(const struct az_cmd_tool *tool, int argc, char **argv)
{
    struct az_tool_call c = { .tool = tool, .cmd = tool->cmd };
    struct az_args a;
    bool help = false;
    int n = 0, rc = AZ_EXIT_OK;

    az_arena_init(&c.arena, NULL);
    az_vec_init(&c.words, NULL);
    az_run_args_init(&c.run);
    for (size_t lists = 0; tool->lists && !n && argv;) {
        while (tool->lists[lists])
            lists++;
        argv = az_args_part_lists(argc, argv, tool->lists, lists, &n, &c.arena);
        argc = n;
    }
    c.own = az_arena_array(&c.arena, 1, tool->own_size ? tool->own_size : 1);
    rc = c.own && argv ? set_first(&c) : AZ_EXIT_INTERNAL;
    if (!rc)
        az_args_init(&a, tool->cmd, argc, argv);
    rc = rc ? rc : parse(&c, &a, &help);
    if (!rc && !help)
        rc = az_run_inputs(&c.run);
    if (rc == AZ_EXIT_OK)
        rc = c.at_least;
    az_run_args_release(&c.run);
    az_vec_release(&c.words);
    az_arena_release(&c.arena);
    return rc;
}

static const struct az_cmd_opt tt[] = {
    AZ_TOOL_KEY("start-signpost"),
    AZ_TOOL_KEY("end-signpost"),
    AZ_TOOL_KEY("signpost"),
    AZ_TOOL_KEY("ignore-signposts"),
    AZ_TOOL_KEY("print-signposts"),
    AZ_TOOL_KEY("min-percentage"),
    AZ_TOOL_KEY("id-range"),
    AZ_TOOL_KEY("arch"),
    AZ_TOOL_KEY("active-experts"),
    { OPT_COLOR, "color", "WHEN", "color the output; --no-color: do not" },
    { OPT_CSV_FILE, "csv", "FILE",
      "write operations to a CSV file instead of text, and the stacked summary to "
      "NAME_stacked.csv" },
    AZ_TOOL_KEY("no-advice"),
    AZ_TOOL_KEY("tracing-mode"),
    AZ_TOOL_KEY("raw-op-codes"),
    AZ_TOOL_KEY("no-host-ops"),
    AZ_TOOL_KEY("no-summary"),
    AZ_TOOL_KEY("no-stacked-report"),
    AZ_TOOL_KEY("group-by"),
    AZ_TOOL_KEY("no-stack-by-in0"),
    AZ_TOOL_KEY("summary-file"),
    AZ_TOOL_KEY("stacked-csv"),
    AZ_TOOL_KEY("no-merge-devices"),
    { OPT_IGNORED, "classic-colors", NULL, "ignored: the chart of --format html has one palette" },
    AZ_TOOL_ROWS
};

static const struct az_cmd_opt nsight[] = {
    { OPT_CONFIG, "config", "FILE", "configuration file of GPU-Perf-Analyzer" }, AZ_TOOL_ROWS
};

static int check_arch(const struct az_tool_call *c)
{
    const struct az_sv arch = given(c, "arch");
    struct az_arena a;

    if (!arch.n || az_op_report_is_device(arch))
        return AZ_EXIT_OK;
    az_arena_init(&a, NULL);
    const int rc = az_usage_error(c->cmd, "unknown architecture '%.*s' (known: %.*s)", AZ_SVF(arch),
                                  AZ_SVF(az_op_report_device_names(&a)));
    az_arena_release(&a);
    return rc;
}

static int tt_ready(struct az_tool_call *c)
{
    if (az_sv_is(given(c, "active_experts"), "0"))
        return az_usage_error(c->cmd, "active-experts must be 1 or more, not '0'");
    c->run.one_run = true;
    return check_arch(c);
}

/* Which prints every operation, and begins at the first signpost with the text of the last one. */
static int run_tt(const struct az_cmd *cmd, int argc, char **argv)
{
    static const char *const defaults[] = { "text", "full", "last_signpost", "first", NULL };
    const struct az_cmd_tool tool = { .cmd = cmd,
                                      .format = "tracy",
                                      .compat = "tt-perf-report",
                                      .defaults = defaults,
                                      .ready = tt_ready };

    return az_tool_run(&tool, argc, argv);
}

static int run_nsight(const struct az_cmd *cmd, int argc, char **argv)
{
    const struct az_cmd_tool tool = { .cmd = cmd, .input = "config" };

    return az_tool_run(&tool, argc, argv);
}

const struct az_cmd az_cmd_tt_perf_report = {
    "tt-perf-report",
    "CSV...",
    "accept the command line of tt-perf-report",
    "The files of several hosts are one run. Differences: from-tt-perf-report.md of the "
    "documentation.",
    tt,
    AZ_LENGTH(tt),
    run_tt
};
const struct az_cmd az_cmd_gpu_perf_analyzer = {
    "gpu-perf-analyzer",
    "--config=FILE",
    "accept the command line of GPU-Perf-Analyzer",
    "Prints the text report and writes no files. Differences: from-gpu-perf-analyzer.md of the "
    "documentation.",
    nsight,
    AZ_LENGTH(nsight),
    run_nsight
};
