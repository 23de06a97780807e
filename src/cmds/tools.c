/* Command lines of the programs that users come from, whole: `analyzer tt-perf-report ...` takes
 * what `tt-perf-report ...` takes, and writes its files under its names. Their options are keys of
 * the option table; what is here is only what a key cannot say. */
#include "cmds/run_args.h"

#include <stdio.h>
#include <string.h>

#include "io/path.h"

enum { OPT_INPUT = OPT_OWN, OPT_WORDS, OPT_CSV_FILE, OPT_IGNORED };

#define KEY(name)                                                                                  \
    {                                                                                              \
        OPT_KEY, name, NULL, NULL                                                                  \
    }
#define ANALYZER_ROWS                                                                              \
    { OPT_OPT, "opt", "KEY=VALUE",                                                                 \
      "set any option of 'analyzer help config' (also --KEY=VALUE); repeatable" },                 \
        { OPT_COMPAT, "compat", "TOOLS", "add tables specific to other tools" },                   \
        { OPT_FORMAT, "format", "LIST", "additional output formats of 'analyzer list'" },          \
        { OPT_DRY_RUN, "dry-run", NULL, "print the files to be read and written, then exit" },     \
        { 'q', "quiet", NULL, "print errors only; no text report" },                               \
        { 'v', "verbose", NULL, "print the full text report and notes" },                          \
        { 'h', "help", NULL, "print this help" },

static const struct az_cmd_opt pytorch[] = {
    { OPT_INPUT, "profile_json_path", "FILE", "trace file (.json or .json.gz)" },
    KEY("output_xlsx_path"),
    KEY("output_csvs_dir"),
    KEY("include_unlinked_kernels"),
    KEY("micro_idle_thresh_us"),
    KEY("short_kernel_study"),
    KEY("short_kernel_threshold_us"),
    KEY("short_kernel_histogram_bins"),
    KEY("topk_short_kernels"),
    KEY("topk_ops"),
    KEY("topk_roofline_ops"),
    KEY("enable_kernel_summary"),
    KEY("disable_coll_analysis"),
    KEY("group_by_num_kernels"),
    KEY("group_by_parent_module"),
    KEY("include_first_occurrence_time"),
    KEY("include_overlap_info"),
    KEY("include_call_stack"),
    KEY("detect_recompute"),
    KEY("enable_pseudo_ops"),
    KEY("gpu_arch_json_path"),
    KEY("gpu_arch_platform"),
    KEY("comparison_json_path"),
    KEY("capture_folder"),
    KEY("extension_file"),
    KEY("inference_phase_analysis"),
    KEY("decode_threshold"),
    KEY("phase_detection_method"),
    { OPT_IGNORED, "enable-origami", NULL, "ignored: peak rates are those of data sheets" },
    { OPT_IGNORED + 1, "python_path", "FILE", "ignored: Python is not used" },
    { OPT_IGNORED + 2, "inductor_cache_dir", "DIR", "ignored: kernels are identified by name" },
    ANALYZER_ROWS
};

static const struct az_cmd_opt rocprof[] = {
    { OPT_INPUT, "profile_json_path", "FILE",
      "rocprofv3 output: _results.json, .db, .pftrace, or one of its CSV files" },
    KEY("output_xlsx_path"),
    KEY("output_csvs_dir"),
    KEY("disable_kernel_summary"),
    KEY("kernel_details"),
    KEY("topk_kernels"),
    KEY("short_kernel_study"),
    KEY("short_kernel_threshold_us"),
    KEY("short_kernel_histogram_bins"),
    ANALYZER_ROWS
};

static const struct az_cmd_opt jax[] = {
    { OPT_INPUT, "profile_path", "FILE", ".xplane.pb file of a host" },
    KEY("output_xlsx_path"),
    KEY("output_csvs_dir"),
    { OPT_WORDS, "kernel_metadata_keyword_filters", "WORD...",
      "only kernels whose HLO metadata contains one of these words" },
    KEY("gpu_arch_json_path"),
    KEY("gpu_arch_platform"),
    KEY("micro_idle_thresh_us"),
    { OPT_IGNORED, "enable-origami", NULL, "ignored: peak rates are those of data sheets" },
    ANALYZER_ROWS
};

static const struct az_cmd_opt tt[] = {
    KEY("start-signpost"),
    KEY("end-signpost"),
    KEY("signpost"),
    KEY("ignore-signposts"),
    KEY("print-signposts"),
    KEY("min-percentage"),
    KEY("id-range"),
    KEY("arch"),
    KEY("active-experts"),
    { OPT_COLOR, "color", "WHEN", "color the output; --no-color: do not" },
    { OPT_CSV_FILE, "csv", "FILE",
      "write operations to a CSV file instead of text, and the stacked summary to "
      "NAME_stacked.csv" },
    KEY("no-advice"),
    KEY("tracing-mode"),
    KEY("raw-op-codes"),
    KEY("no-host-ops"),
    KEY("no-summary"),
    KEY("no-stacked-report"),
    KEY("group-by"),
    KEY("no-stack-by-in0"),
    KEY("summary-file"),
    KEY("stacked-csv"),
    KEY("no-merge-devices"),
    { OPT_IGNORED, "classic-colors", NULL, "ignored: the chart of --format html has one palette" },
    ANALYZER_ROWS
};

static const struct az_cmd_opt nsight[] = {
    { OPT_CONFIG, "config", "FILE", "configuration file of GPU-Perf-Analyzer" }, ANALYZER_ROWS
};

struct tool {
    const struct az_cmd *cmd;
    const char *format; /* of its inputs; NULL: as its configuration says */
    const char *compat;
    const char *input; /* option that names the input; NULL: operands */
    bool writes;       /* a workbook where no output is named */
};

static const struct tool tools[] = {
    { &az_cmd_tracelens_pytorch, "pytorch", "tracelens", "profile_json_path", true },
    { &az_cmd_tracelens_rocprof, NULL, "tracelens", "profile_json_path", true },
    { &az_cmd_tracelens_jax, "xplane", "tracelens", "profile_path", true },
    { &az_cmd_tt_perf_report, "tracy", "tt-perf-report", NULL, false },
    { &az_cmd_gpu_perf_analyzer, NULL, NULL, "config", false },
};

struct call {
    const struct tool *tool;
    const struct az_cmd *cmd;
    struct az_run_args run;
    struct az_vec_char words; /* NUL-terminated, blanks between them */
    bool compat_given;
};

static void ignored(const struct az_cmd *cmd, int id)
{
    const struct az_log log = { .level = AZ_LOG_NORMAL };

    for (size_t i = 0; i < cmd->n_opts; i++)
        if (cmd->opts[i].id == id)
            az_log_line(&log, AZ_LOG_NORMAL, "note: --%s: %s", cmd->opts[i].name,
                        cmd->opts[i].help);
}

static int add_word(struct call *c, const char *word)
{
    int rc = c->words.n ? az_vec_push(&c->words, ' ') : AZ_OK;

    rc = rc ? rc : az_text_append(&c->words, az_sv_str(word));
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static int take(void *ctx, int id, const char *value)
{
    struct call *c = ctx;

    switch (id) {
    case OPT_INPUT:
        return az_vec_push(&c->run.paths, value) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_IGNORED:
    case OPT_IGNORED + 1:
    case OPT_IGNORED + 2:
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

/* Words without an option: inputs, or more words of the option that takes several. */
static int operands(struct call *c, const struct az_args *a)
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
    if (!rc && !c->run.config && !c->run.paths.n)
        rc = c->tool->input ? az_usage_error(c->cmd, "no input; use --%s", c->tool->input)
                            : az_usage_error(c->cmd, "no inputs; name CSV files");
    return rc;
}

/* The last value that was given for an option; empty: none. */
static struct az_sv given(const struct call *c, const char *key)
{
    struct az_sv value = AZ_SV("");
    for (size_t i = 0; i < c->run.over.n; i++)
        if (c->run.over.v[i].kind == AZ_SET_OPTION && az_sv_is(c->run.over.v[i].key, key))
            value = c->run.over.v[i].value;
    return value;
}

/* Which prints every operation, and begins at the first signpost with the text of the last one. */
static int tt_defaults(struct call *c)
{
    int rc = az_run_set(&c->run, false, "text", "full");
    if (!rc && az_sv_is(given(c, "active_experts"), "0"))
        return az_usage_error(c->cmd, "active-experts must be 1 or more, not '0'");
    c->run.one_run = true;
    if (!rc && !given(c, "last_signpost").n)
        rc = az_run_set(&c->run, false, "last_signpost", "first");
    return rc;
}

/* Defaults of the other program. */
static int defaults(struct call *c)
{
    static char text[] = "text";
    const struct tool *t = c->tool;
    int rc = AZ_EXIT_OK;

    if (t->format)
        rc = az_run_set(&c->run, true, "inputs.*.format", t->format);
    if (!rc && t->compat && !c->compat_given)
        rc = az_run_set(&c->run, false, "compat", t->compat);
    if (!rc && c->words.n)
        rc = az_vec_push(&c->words, '\0')
                 ? AZ_EXIT_INTERNAL
                 : az_run_set(&c->run, false, "kernel_metadata_keyword_filters", c->words.v);
    if (!rc && c->run.config && !c->run.formats.n)
        rc = az_run_option(c->cmd, &c->run, OPT_FORMAT, text);
    if (!rc && t->cmd == &az_cmd_tt_perf_report)
        rc = tt_defaults(c);
    if (!rc) /* which have no such report */
        rc = az_run_set(&c->run, true, "side_by_side", "false");
    c->run.whole_reals = t->cmd == &az_cmd_gpu_perf_analyzer;
    c->run.run.text_classic = t->cmd == &az_cmd_gpu_perf_analyzer;
    c->run.writes = t->writes;
    return rc;
}

static int parse(struct call *c, struct az_args *a, bool *help)
{
    int rc = az_args_take(a, take, c, help);

    if (*help)
        return rc;
    rc = rc ? rc : operands(c, a);
    return rc ? rc : defaults(c);
}

static int run_tool(const struct az_cmd *cmd, int argc, char **argv)
{
    struct call c = { .cmd = cmd };
    struct az_args a;
    bool help;
    int rc;

    for (size_t i = 0; i < AZ_LENGTH(tools); i++)
        if (tools[i].cmd == cmd)
            c.tool = &tools[i];
    az_vec_init(&c.words, NULL);
    az_run_args_init(&c.run);
    az_args_init(&a, cmd, argc, argv);
    rc = parse(&c, &a, &help);
    if (!rc && !help)
        rc = az_run_inputs(&c.run);
    az_run_args_release(&c.run);
    az_vec_release(&c.words);
    return rc;
}

#define MORE_TRACELENS                                                                             \
    "By default the workbook is written next to the profile as "                                   \
    "NAME_perf_report.xlsx.\nDifferences: docs/from-tracelens.md."

const struct az_cmd az_cmd_tracelens_pytorch = {
    "tracelens-pytorch",
    "--profile_json_path FILE",
    "accept the command line of TraceLens_generate_perf_report_pytorch",
    MORE_TRACELENS,
    pytorch,
    AZ_LENGTH(pytorch),
    run_tool
};
const struct az_cmd az_cmd_tracelens_rocprof = {
    "tracelens-rocprof",
    "--profile_json_path FILE",
    "accept the command line of TraceLens_generate_perf_report_rocprof",
    MORE_TRACELENS,
    rocprof,
    AZ_LENGTH(rocprof),
    run_tool
};
const struct az_cmd az_cmd_tracelens_jax = {
    "tracelens-jax",
    "--profile_path FILE",
    "accept the command line of TraceLens_generate_perf_report_jax",
    MORE_TRACELENS,
    jax,
    AZ_LENGTH(jax),
    run_tool
};
const struct az_cmd az_cmd_tt_perf_report = {
    "tt-perf-report",
    "CSV...",
    "accept the command line of tt-perf-report",
    "The files of several hosts are one run. Differences: docs/from-tt-perf-report.md.",
    tt,
    AZ_LENGTH(tt),
    run_tool
};
const struct az_cmd az_cmd_gpu_perf_analyzer = {
    "gpu-perf-analyzer",
    "--config=FILE",
    "accept the command line of GPU-Perf-Analyzer",
    "Prints the text report and writes no files. Differences: docs/from-gpu-perf-analyzer.md.",
    nsight,
    AZ_LENGTH(nsight),
    run_tool
};
