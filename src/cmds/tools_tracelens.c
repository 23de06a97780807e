/* The command lines of TraceLens (docs/from-tracelens.md). Those over results and ranks:
 * tools_tracelens_runs.c. */
#include "cmds/tools.h"

#include <string.h>

#include "base/num.h"
#include "io/path.h"

#define ORIGAMI                                                                                    \
    {                                                                                              \
        OPT_IGNORED, "enable-origami", NULL, "ignored: peak rates are those of data sheets"        \
    }
#define PROFILE                                                                                    \
    {                                                                                              \
        OPT_INPUT, "profile_json_path", "FILE", "trace file (.json or .json.gz)"                   \
    }
/* What the reports of one framework trace share. */
#define PYTORCH_ROWS                                                                               \
    PROFILE, AZ_TOOL_KEY("output_xlsx_path"), AZ_TOOL_KEY("output_csvs_dir"),                      \
        AZ_TOOL_KEY("include_unlinked_kernels"), AZ_TOOL_KEY("micro_idle_thresh_us"),              \
        AZ_TOOL_KEY("short_kernel_study"), AZ_TOOL_KEY("short_kernel_threshold_us"),               \
        AZ_TOOL_KEY("short_kernel_histogram_bins"), AZ_TOOL_KEY("topk_short_kernels"),             \
        AZ_TOOL_KEY("topk_ops"), AZ_TOOL_KEY("topk_roofline_ops"),                                 \
        AZ_TOOL_KEY("enable_kernel_summary"), AZ_TOOL_KEY("disable_coll_analysis"),                \
        AZ_TOOL_KEY("group_by_num_kernels"), AZ_TOOL_KEY("group_by_parent_module"),                \
        AZ_TOOL_KEY("include_overlap_info"), AZ_TOOL_KEY("include_call_stack"),                    \
        AZ_TOOL_KEY("enable_pseudo_ops"), AZ_TOOL_KEY("gpu_arch_json_path"),                       \
        AZ_TOOL_KEY("gpu_arch_platform"), AZ_TOOL_KEY("comparison_json_path"),                     \
        AZ_TOOL_KEY("capture_folder"), AZ_TOOL_KEY("extension_file"),                              \
        AZ_TOOL_KEY("inference_phase_analysis"), AZ_TOOL_KEY("decode_threshold"),                  \
        AZ_TOOL_KEY("phase_detection_method"), ORIGAMI,                                            \
        { OPT_IGNORED + 1, "python_path", "FILE", "ignored: Python is not used" },

static const struct az_cmd_opt pytorch[] = {
    PYTORCH_ROWS AZ_TOOL_KEY("include_first_occurrence_time"),
    AZ_TOOL_KEY("detect_recompute"),
    { OPT_IGNORED + 2, "inductor_cache_dir", "DIR", "ignored: kernels are identified by name" },
    AZ_TOOL_ROWS
};

static const struct az_cmd_opt inference[] = {
    PYTORCH_ROWS AZ_TOOL_KEY("comparison_capture_folder"), AZ_TOOL_ROWS
};

static const struct az_cmd_opt rocprof[] = {
    { OPT_INPUT, "profile_json_path", "FILE",
      "rocprofv3 output: _results.json, .db, .pftrace, or one of its CSV files" },
    AZ_TOOL_KEY("output_xlsx_path"),
    AZ_TOOL_KEY("output_csvs_dir"),
    AZ_TOOL_KEY("disable_kernel_summary"),
    AZ_TOOL_KEY("kernel_details"),
    AZ_TOOL_KEY("topk_kernels"),
    AZ_TOOL_KEY("short_kernel_study"),
    AZ_TOOL_KEY("short_kernel_threshold_us"),
    AZ_TOOL_KEY("short_kernel_histogram_bins"),
    AZ_TOOL_ROWS
};

static const struct az_cmd_opt jax[] = {
    { OPT_INPUT, "profile_path", "FILE", ".xplane.pb file of a host" },
    AZ_TOOL_KEY("output_xlsx_path"),
    AZ_TOOL_KEY("output_csvs_dir"),
    { OPT_WORDS, "kernel_metadata_keyword_filters", "WORD...",
      "only kernels whose HLO metadata contains one of these words" },
    AZ_TOOL_KEY("gpu_arch_json_path"),
    AZ_TOOL_KEY("gpu_arch_platform"),
    AZ_TOOL_KEY("micro_idle_thresh_us"),
    ORIGAMI,
    AZ_TOOL_ROWS
};

#define PFTRACE_ROWS                                                                               \
    { OPT_INPUT, "trace_path", "FILE", "rocprofv3 trace: .pftrace, .json or .json.gz" },           \
        AZ_TOOL_KEY("output_xlsx_path"), AZ_TOOL_KEY("output_csvs_dir"),                           \
        { OPT_IGNORED, "traceconv", "PATH", "ignored: .pftrace files are read directly" },

static const struct az_cmd_opt hip_api[] = { PFTRACE_ROWS AZ_TOOL_KEY("exclude_kernel_regex"),
                                             AZ_TOOL_KEY("allow_multi_kernel_per_api"),
                                             AZ_TOOL_KEY("include_nonlaunch_apis"), AZ_TOOL_ROWS };

enum { OPT_MARKDOWN = OPT_OF_TOOL, OPT_MARKDOWN_PATH, OPT_ROWS };
static const struct az_cmd_opt hip_activity[] = {
    PFTRACE_ROWS{ OPT_MARKDOWN_PATH, "output_md_path", "FILE",
                  "write the tables as Markdown to FILE, too" },
    { OPT_MARKDOWN, "write_md", NULL,
      "write the tables as Markdown, NAME_report.md next to the trace" },
    AZ_TOOL_KEY("merge_kernels"),
    AZ_TOOL_KEY("min_tid"),
    AZ_TOOL_KEY("max_tid"),
    AZ_TOOL_KEY("min_event_ns"),
    AZ_TOOL_KEY("no_kernel_summary"),
    AZ_TOOL_KEY("kernel_summary_include_rccl"),
    AZ_TOOL_KEY("kernel_summary_baseline"),
    AZ_TOOL_KEY("kernel_summary_group"),
    AZ_TOOL_KEY("no_hip_summary"),
    AZ_TOOL_KEY("hip_summary_group"),
    AZ_TOOL_KEY("top_xla"),
    { OPT_ROWS, "kernel_summary_top", "N", "rows per table in Markdown and text (200)" },
    { OPT_ROWS, "hip_summary_top", "N", "the same as kernel_summary_top" },
    AZ_TOOL_ROWS
};

static const struct az_cmd_opt memory_copy[] = { PFTRACE_ROWS AZ_TOOL_ROWS };

/* ---- what a key cannot express ---- */

static int take_activity(struct az_tool_call *c, int id, const char *value)
{
    static char md[] = "md";

    if (id == OPT_ROWS)
        return az_run_set(&c->run, false, "top_rows", value);
    if (id == OPT_MARKDOWN) {
        *(bool *)c->own = true;
        return az_run_option(c->cmd, &c->run, OPT_FORMAT, md);
    }
    c->run.together = value;
    return *value
               ? az_run_option(c->cmd, &c->run, OPT_FORMAT, md)
               : az_usage_error(
                     c->cmd, "missing file name for --output_md_path; use --output_md_path=FILE");
}

/* Without a name Markdown is next to the trace. */
static int ready_activity(struct az_tool_call *c)
{
    const struct az_sv path = az_sv_str(c->run.paths.n ? c->run.paths.v[0] : "trace");
    const struct az_sv stem = az_path_stem(az_path_base(path));
    const struct az_sv name = az_arena_printf(&c->arena, "%.*s_report.md", AZ_SVF(stem)),
                       whole = az_path_join(&c->arena, az_path_dir(path), name);

    if (!*(const bool *)c->own || c->run.together)
        return AZ_EXIT_OK;
    c->run.together = whole.p ? az_arena_str(&c->arena, whole) : NULL;
    return c->run.together ? AZ_EXIT_OK : AZ_EXIT_INTERNAL;
}

static int ready_inference(struct az_tool_call *c)
{
    bool folder = false, trace = false;

    for (size_t i = 0; i < c->run.over.n; i++) {
        folder |= az_sv_is(c->run.over.v[i].key, "comparison_capture_folder");
        trace |= az_sv_is(c->run.over.v[i].key, "comparison_json_path");
    }
    return folder && !trace ? az_usage_error(c->cmd, "--comparison_capture_folder requires "
                                                     "--comparison_json_path")
                            : AZ_EXIT_OK;
}

/* Links by flow arrows, as there: traces of AMD devices have correlation ids that repeat. */
#define FLOW "link_by", "flow"
static const char *const by_flow[] = { FLOW, NULL };
static const char *const as_inference[] = {
    FLOW, "sheets_as", "tracelens-inference", "disable_coll_analysis", "true", NULL
};
static const char *const as_jax[] = { "sheets_as", "tracelens-jax", NULL };
static const char *const as_hip_api[] = { "sheets_as", "tracelens-pftrace-hip-api", NULL };
static const char *const as_hip_activity[] = {
    "sheets_as", "tracelens-pftrace-hip-activity", "min_event_ns", "5000", "top_rows", "200", NULL
};
static const char *const as_memory_copy[] = { "sheets_as", "tracelens-pftrace-memory-copy", NULL };

#define PFTRACE(of, name, ...)                                                                     \
    {                                                                                              \
        .cmd = &az_cmd_tracelens_##of, .compat = "tracelens", .defaults = as_##of,                 \
        .input = "trace_path", .writes = true, .ending = "_pftrace_" name "_report.xlsx",          \
        __VA_ARGS__                                                                                \
    }
static const struct az_cmd_tool tools[] = {
    { .cmd = &az_cmd_tracelens_pytorch,
      .format = "pytorch",
      .compat = "tracelens",
      .defaults = by_flow,
      .input = "profile_json_path",
      .writes = true },
    { .cmd = &az_cmd_tracelens_inference,
      .format = "pytorch",
      .compat = "tracelens",
      .defaults = as_inference,
      .input = "profile_json_path",
      .writes = true,
      .ready = ready_inference },
    { .cmd = &az_cmd_tracelens_rocprof,
      .compat = "tracelens",
      .input = "profile_json_path",
      .writes = true },
    { .cmd = &az_cmd_tracelens_jax,
      .format = "xplane",
      .compat = "tracelens",
      .defaults = as_jax,
      .input = "profile_path",
      .writes = true },
    PFTRACE(hip_api, "hip_api", .take = NULL),
    PFTRACE(hip_activity, "activity", .take = take_activity, .ready = ready_activity,
            .own_size = sizeof(bool)),
    PFTRACE(memory_copy, "memory_copy", .take = NULL),
};

static int run_tool(const struct az_cmd *cmd, int argc, char **argv)
{
    const struct az_cmd_tool *tool = tools;

    while (tool->cmd != cmd)
        tool++;
    return az_tool_run(tool, argc, argv);
}

#define NEXT_TO_PROFILE                                                                            \
    "By default the workbook is written next to the profile as NAME_perf_report.xlsx.\n"
#define DIFFERENCES "Differences: from-tracelens.md of the documentation."

#define COMMAND(of, here, script, arguments, rows, more_text)                                      \
    const struct az_cmd az_cmd_tracelens_##of = {                                                  \
        .name = "tracelens-" here,                                                                 \
        .args = arguments,                                                                         \
        .help = "accept the command line of TraceLens_generate_perf_report_" script,               \
        .more = more_text DIFFERENCES,                                                             \
        .opts = rows,                                                                              \
        .n_opts = AZ_LENGTH(rows),                                                                 \
        .run = run_tool,                                                                           \
    }
COMMAND(pytorch, "pytorch", "pytorch", "--profile_json_path FILE", pytorch, NEXT_TO_PROFILE);
COMMAND(inference, "inference", "pytorch_inference", "--profile_json_path FILE", inference,
        NEXT_TO_PROFILE);
COMMAND(rocprof, "rocprof", "rocprof", "--profile_json_path FILE", rocprof, NEXT_TO_PROFILE);
COMMAND(jax, "jax", "jax", "--profile_path FILE", jax, NEXT_TO_PROFILE);
#define NEXT_TO_TRACE(name)                                                                        \
    "By default the workbook is written next to the trace as NAME_pftrace_" name "_report.xlsx.\n"
COMMAND(hip_api, "pftrace-hip-api", "pftrace_hip_api", "--trace_path FILE", hip_api,
        NEXT_TO_TRACE("hip_api"));
COMMAND(hip_activity, "pftrace-hip-activity", "pftrace_hip_activity", "--trace_path FILE",
        hip_activity, NEXT_TO_TRACE("activity"));
COMMAND(memory_copy, "pftrace-memory-copy", "pftrace_memory_copy", "--trace_path FILE", memory_copy,
        NEXT_TO_TRACE("memory_copy"));
