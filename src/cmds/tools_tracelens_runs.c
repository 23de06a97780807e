/* The command line of TraceLens over the collectives of ranks (docs/from-tracelens.md). */
#include "cmds/tools.h"

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
    { OPT_METRICS, "agg_metrics", "NAME...", "ignored: mean, median, min and max are written" },
    { OPT_IGNORED + 1, "use_multiprocessing", NULL, "ignored: ranks are read in parallel" },
    { OPT_WORKERS, "max_workers", "N", "ranks to read concurrently" },
    AZ_TOOL_KEY("gpus_per_node"),
    { OPT_IGNORED + 2, "all2allv_heatmap", NULL, "ignored: the heat map is always written" },
    AZ_TOOL_ROWS
};

struct search {
    struct az_tool_call *call;
    const char *dir, *pattern, *glob, *regex;
    int64_t world; /* 0: not given */
};

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
    "Differences: docs/from-tracelens.md.",
    options,
    AZ_LENGTH(options),
    run_collectives
};
