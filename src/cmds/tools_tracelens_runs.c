/* The command lines of TraceLens over folders: the collectives of ranks, a run of Genesis
 * (docs/from-tracelens-programs.md). */
#include "cmds/tools.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "io/path.h"

enum {
    OPT_DIR = OPT_OF_TOOL,
    OPT_PATTERN,
    OPT_GLOB,
    OPT_WORLD,
    OPT_REGEX,
    OPT_METRICS,
    OPT_WORKERS
};

static const struct az_cmd_opt options[] = {
    { OPT_DIR, "trace_dir", "DIR", "folder with rank0_trace.json, rank1_trace.json, ..." },
    { OPT_PATTERN, "trace_pattern", "PATTERN", "file names with one * for the rank" },
    { OPT_GLOB, "trace_glob", "GLOB", "file names by a glob (*, ?, **)" },
    { OPT_WORLD, "world_size", "N", "number of ranks; missing ones are reported" },
    { OPT_REGEX, "rank_regex", "REGEX",
      "regular expression of the rank in file names, with a group (?P<rank>...)" },
    AZ_TOOL_KEY("output_xlsx_path"),
    AZ_TOOL_KEY("output_csvs_dir"),
    { OPT_IGNORED, "detailed_analysis", NULL, "ignored: every sheet is written" },
    { OPT_METRICS, "agg_metrics", "NAME...",
      "statistics of the summaries: mean, median, min, max, std (all but std)" },
    { OPT_IGNORED + 1, "use_multiprocessing", NULL, "ignored: ranks are read in parallel" },
    { OPT_WORKERS, "max_workers", "N", "ranks to read concurrently" },
    AZ_TOOL_KEY("gpus_per_node"),
    { OPT_IGNORED + 2, "all2allv_heatmap", NULL, "ignored: the heat map is always written" },
    AZ_TOOL_ROWS
};

struct search {
    struct az_tool_call *call;
    const char *dir, *pattern, *glob, *regex;
    int64_t world; /* 0: not set */
    struct az_sv metrics;
};

static int take_metric(struct search *s, struct az_tool_call *c, const char *value)
{
    static const char *const known[] = { "mean", "median", "min", "max", "std" };

    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (strcmp(value, known[i]) == 0) {
            s->metrics = az_arena_printf(&c->arena, "%.*s%s%s", AZ_SVF(s->metrics),
                                         s->metrics.n ? " " : "", value);
            return s->metrics.p ? az_run_set(&c->run, false, "collective_metrics", s->metrics.p)
                                : AZ_EXIT_INTERNAL;
        }
    return az_usage_error(c->cmd,
                          "unsupported --agg_metrics '%s'; use mean, median, min, max, std "
                          "(from-tracelens-programs.md of the documentation)",
                          value);
}

static int take_option(struct az_tool_call *c, int id, const char *value)
{
    struct search *s = c->own;

    switch (id) {
    case OPT_DIR:
        s->dir = value;
        return AZ_EXIT_OK;
    case OPT_PATTERN:
        s->pattern = value;
        return AZ_EXIT_OK;
    case OPT_GLOB:
        s->glob = value;
        return AZ_EXIT_OK;
    case OPT_REGEX:
        s->regex = value;
        return AZ_EXIT_OK;
    case OPT_WORLD:
        if (az_parse_i64(az_sv_str(value), &s->world) || s->world < 1)
            return az_usage_error(c->cmd, "invalid --world_size '%s'; use a number of ranks",
                                  value);
        return AZ_EXIT_OK;
    case OPT_METRICS:
        return take_metric(s, c, value);
    case OPT_WORKERS:
        return az_option_jobs(c->cmd, value, &c->run.jobs);
    default:
        return AZ_EXIT_OK;
    }
}

/* What is before the group of the rank: "rank[-_]?". */
static struct az_sv rank_prefix(struct az_arena *a, const char *regex)
{
    const struct az_sv all = az_sv_str(regex);
    const ptrdiff_t at = az_sv_find(all, AZ_SV("(?P<rank>"));

    return az_arena_printf(a, "re:%.*s", (int)(at < 0 ? (ptrdiff_t)all.n : at), all.p);
}

/* Files of the input: those of each rank, or all that match. */
static int add_files(struct search *s, struct az_config *c, struct az_input *in,
                     struct az_diag *diag)
{
    const char *star = s->pattern ? strchr(s->pattern, '*') : NULL;
    const struct az_sv none = AZ_SV("");
    int rc = AZ_OK;

    if (!star || !s->world) {
        const struct az_sv path =
            s->dir ? az_arena_printf(&c->arena, "%s/rank*_trace.json*", s->dir)
                   : az_arena_dup(&c->arena, az_sv_str(s->pattern ? s->pattern : s->glob));
        return path.p ? az_config_expand(c, none, path, none, true, &in->files, AZ_NOWHERE, diag)
                      : az_arena_error(&c->arena);
    }
    for (int64_t rank = 0; !rc && rank < s->world; rank++) {
        const struct az_sv path = az_arena_printf(&c->arena, "%.*s%lld%s", (int)(star - s->pattern),
                                                  s->pattern, (long long)rank, star + 1);
        rc = path.p ? az_config_expand(c, none, path, none, true, &in->files, AZ_NOWHERE, diag)
                    : az_arena_error(&c->arena);
    }
    return rc;
}

/* In the folder of the traces where no output is named. */
static int name_report(struct search *s, struct az_config *c, const struct az_input *in)
{
    const struct az_sv dir = az_path_dir(in->files.v[0].path);
    const struct az_sv name = az_path_join(&c->arena, dir, AZ_SV("nccl_analysis_report.xlsx"));

    if (!s->call->output)
        s->call->run.xlsx = s->call->run.together = name.p;
    return name.p ? AZ_OK : az_arena_error(&c->arena);
}

static int add_search(void *ctx, struct az_config *c, struct az_diag *diag)
{
    struct search *s = ctx;
    struct az_input *in = NULL;
    int rc = az_config_add_input(c, &in);

    rc = rc ? rc : add_files(s, c, in, diag);
    if (rc)
        return rc;
    if (in->files.n == 0)
        return az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "no traces '%s'; check the name",
                            s->dir       ? s->dir
                            : s->pattern ? s->pattern
                                         : s->glob);
    if (s->world && (int64_t)in->files.n < s->world) {
        az_diag_add(diag, AZ_ERROR, AZ_NOWHERE, "%zu of %lld ranks found; the others are missing",
                    in->files.n, (long long)s->world);
        s->call->at_least = AZ_EXIT_PARTIAL;
    }
    in->is_run = true;
    in->format = AZ_SV("pytorch");
    in->title = az_path_base(az_path_dir(in->files.v[0].path));
    if (s->regex)
        in->opts.rank_pattern = rank_prefix(&c->arena, s->regex);
    return name_report(s, c, in);
}

static int ready(struct az_tool_call *c)
{
    struct search *s = c->own;
    const int given = (s->dir != NULL) + (s->pattern != NULL) + (s->glob != NULL);

    s->call = c;
    c->run.add_inputs = add_search;
    c->run.ctx = s;
    if (given == 1)
        return AZ_EXIT_OK;
    return az_usage_error(c->cmd, given
                                      ? "several of --trace_dir, --trace_pattern and --trace_glob; "
                                        "use one"
                                      : "no input; use --trace_dir, --trace_pattern or "
                                        "--trace_glob");
}

static int run_collectives(const struct az_cmd *cmd, int argc, char **argv)
{
    static const char *const defaults[] = { "sheets_as", "tracelens-collectives",
                                            "collective_sheets", "current", NULL };
    static const char *const lists[] = { "--agg_metrics", NULL };
    const struct az_cmd_tool tool = { .cmd = cmd,
                                      .compat = "tracelens",
                                      .defaults = defaults,
                                      .input = "trace_glob",
                                      .lists = lists,
                                      .own_size = sizeof(struct search),
                                      .take = take_option,
                                      .ready = ready };
    return az_tool_run(&tool, argc, argv);
}

const struct az_cmd az_cmd_tracelens_collectives = {
    "tracelens-collectives",
    "--trace_dir DIR",
    "accept the command line of TraceLens_generate_multi_rank_collective_report_pytorch",
    "By default the workbook is nccl_analysis_report.xlsx in the folder of the traces. "
    "Differences: from-tracelens.md of the documentation.",
    options,
    AZ_LENGTH(options),
    run_collectives
};

/* ---- genesis ---- */

enum { OPT_CAPTURE = OPT_OF_TOOL, OPT_RESULTS, OPT_SHORT };

static const struct az_cmd_opt genesis_options[] = {
    { OPT_CAPTURE, "capture-dir", "DIR", "folder of a run, with the output of rocprofv3" },
    { OPT_CAPTURE, "combined-run-dir", "DIR", "the same as capture-dir" },
    { OPT_RESULTS, "output-dir", "DIR", "output folder (analysis_output)" },
    { OPT_IGNORED, "include-api", NULL, "ignored: calls are always included" },
    AZ_TOOL_KEY("kernel-details"),
    { OPT_SHORT, "no-short-kernel-study", NULL, "omit the sheets of short kernels" },
    { OPT_IGNORED + 1, "traceconv", "PATH", "ignored: .pftrace files are read directly" },
    AZ_TOOL_KEY("steady-state-gap-ms"),
    AZ_TOOL_KEY("steady-state-fallback-s"),
    { OPT_IGNORED + 2, "keep-work", NULL, "ignored: there are no intermediate files" },
    AZ_TOOL_ROWS
};

struct capture {
    struct az_tool_call *call;
    const char *dir, *results;
};

static int take_genesis(struct az_tool_call *c, int id, const char *value)
{
    struct capture *g = c->own;

    if (id == OPT_CAPTURE)
        g->dir = value;
    else if (id == OPT_RESULTS)
        g->results = value;
    else
        return az_run_set(&c->run, false, "short_kernel_study", "false");
    return *value ? AZ_EXIT_OK : az_usage_error(c->cmd, "missing folder name");
}

/* Is there a file of this name? */
static bool has_file(struct az_arena *a, const char *dir, const char *name)
{
    struct az_vec_sv found;
    const struct az_sv path = az_arena_printf(a, "%s/%s", dir, name);

    az_vec_init(&found, NULL);
    const bool any = path.p && az_path_glob(a, path, &found) == AZ_OK && found.n > 0;
    az_vec_release(&found);
    return any;
}

/* The kernel trace, with the other CSV files of the same run; else the results as JSON; else the
 * Perfetto trace: the first that is there, below kernel_trace/ if there is such a folder. The
 * Perfetto trace comes first where the CSV files have no calls. */
static int add_capture(void *ctx, struct az_config *c, struct az_diag *diag)
{
    static const char *const names[] = { "*_results.pftrace", "*_trace.csv", "*_results.json",
                                         "*_results.pftrace" };
    struct capture *g = ctx;
    struct az_input *in = NULL;
    const struct az_sv none = AZ_SV("");
    const struct az_sv below = az_arena_printf(&c->arena, "%s/kernel_trace", g->dir);
    const char *dir = below.p && az_path_stat(below.p).kind == AZ_PATH_DIR ? below.p : g->dir;
    size_t i =
        has_file(&c->arena, dir, "*_trace.csv") && !has_file(&c->arena, dir, "*_hip_api_trace.csv")
            ? 0
            : 1;
    int rc = az_config_add_input(c, &in);

    for (; !rc && in->files.n == 0 && i < AZ_LENGTH(names); i++) {
        const struct az_sv path = az_arena_printf(&c->arena, "%s/%s", dir, names[i]);
        rc = path.p ? az_config_expand(c, none, path, none, true, &in->files, AZ_NOWHERE, diag)
                    : az_arena_error(&c->arena);
    }
    if (!rc && in->files.n == 0)
        rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE,
                          "no output of rocprofv3 in '%s'; check the name", g->dir);
    for (size_t k = 0; !rc && k < in->files.n; k++)
        in->files.v[k].optional = false; /* they are there */
    if (!rc)
        in->title = az_path_base(az_sv_str(g->dir));
    return rc;
}

/* 1.05 times the wall time that the run printed, for the window without a gap. */
static int wall_time(struct az_tool_call *c, const char *dir)
{
    char line[512];
    double seconds = 0;
    const struct az_sv path = az_arena_printf(&c->arena, "%s/run.log", dir);
    FILE *f = path.p ? fopen(path.p, "r") : NULL;

    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "wall_time=");
        const size_t n = at ? strspn(at + 10, "0123456789.") : 0;
        double x;
        if (n && az_parse_f64(az_sv_make(at + 10, n), &x) == 0)
            seconds = 1.05 * x;
    }
    if (f)
        (void)fclose(f);
    if (seconds <= 0)
        return AZ_EXIT_OK;
    /* before the options of the command line */
    const struct az_override o = { .kind = AZ_SET_OPTION,
                                   .key = AZ_SV("steady_state_fallback_s"),
                                   .value = az_arena_printf(&c->arena, "%.6f", seconds) };
    for (size_t i = 0; i < c->run.over.n; i++)
        if (az_sv_eq(c->run.over.v[i].key, o.key))
            return AZ_EXIT_OK;
    return az_vec_push(&c->run.over, o) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

/* A workbook, and a summary as Markdown. */
static int name_genesis(struct az_tool_call *c, const char *dir)
{
    static char md[] = "md";
    const struct az_sv name = az_arena_printf(&c->arena, "%s/genesis_perf_report.xlsx", dir),
                       summary = az_arena_printf(&c->arena, "%s/genesis_summary.md", dir);

    c->run.xlsx = name.p;
    c->run.together = summary.p;
    return name.p && summary.p ? az_run_option(c->cmd, &c->run, OPT_FORMAT, md) : AZ_EXIT_INTERNAL;
}

static int ready_genesis(struct az_tool_call *c)
{
    struct capture *g = c->own;
    int rc = AZ_EXIT_OK;

    if (!g->dir)
        return az_usage_error(c->cmd, "no input; use --capture-dir");
    c->run.add_inputs = add_capture;
    c->run.ctx = g;
    if (!c->output)
        rc = name_genesis(c, g->results ? g->results : "analysis_output");
    return rc ? rc : wall_time(c, g->dir);
}

static int run_genesis(const struct az_cmd *cmd, int argc, char **argv)
{
    static const char *const defaults[] = { "sheets_as", "tracelens-genesis", "short_kernel_study",
                                            "true", NULL };
    const struct az_cmd_tool tool = { .cmd = cmd,
                                      .compat = "tracelens",
                                      .defaults = defaults,
                                      .input = "capture-dir",
                                      .own_size = sizeof(struct capture),
                                      .take = take_genesis,
                                      .ready = ready_genesis };
    return az_tool_run(&tool, argc, argv);
}

const struct az_cmd az_cmd_tracelens_genesis = {
    "tracelens-genesis",
    "--capture-dir DIR",
    "accept the command line of TraceLens_generate_perf_report_genesis",
    "Writes genesis_perf_report.xlsx and genesis_summary.md. Differences: "
    "from-tracelens-programs.md of the documentation.",
    genesis_options,
    AZ_LENGTH(genesis_options),
    run_genesis
};
