/* `analyzer multirank`: the runs of many ranks below a folder, with the letters that users of such
 * a script expect. */
#include "cmds/run_args.h"

#include <stdio.h>
#include <string.h>

#include "io/path.h"

enum { OPT_ALL_RANKS = OPT_OWN, OPT_EXACT_RANK, OPT_DUPLICATE, OPT_FORCE };

static const struct az_cmd_opt options[] = {
    { 'b', "base-dir", "DIR",
      "search this folder recursively for traces; each session in a folder is a run" },
    { 'p', "rank-pattern", "TEXT",
      "text before the rank in file names, or re: and a regular expression" },
    { 'e', "extension", "EXT", "file extension: json, gz (*.json.gz), or auto for both (default)" },
    { 'f', "filter", "TEXT...",
      "only files whose path contains every one of these texts, for example rank_0 step_8" },
    { OPT_ALL_RANKS, "all-ranks", NULL, "every rank of every run (default without -f)" },
    { OPT_EXACT_RANK, "exact-rank", NULL,
      "match ranks exactly: rank_1 does not match ranks 10 to 19" },
    { OPT_DUPLICATE, "duplicate-rank", "WHAT",
      "several files of one rank in a session: error (default), first, last, or each-step (one run "
      "per step)" },
    { 'a', "all-kernels", NULL, "add a table of every kernel per rank" },
    { 'r', "node-replay", NULL,
      "write benchmark commands of the most expensive GEMMs and convolutions" },
    { 'o', "output", "PATH",
      "output folder (the folder of the run), or for one run a file NAME.xlsx, .html, .json, .md "
      "or .sqlite, with other outputs next to it" },
    { OPT_FORCE, "force", NULL, "overwrite existing reports instead of skipping the run" },
    { 'd', "dry-run", NULL, "print each run and its files, then exit" },
    { OPT_FORMAT, "format", "LIST",
      "output formats (text, and a workbook if a report is written): text and those of 'analyzer "
      "list'" },
    { OPT_CSV_DIR, "csv-dir", "DIR",
      "write one CSV file per table to DIR; several runs: to DIR/<folder>" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option for all runs ('analyzer help config'); repeatable" },
    { OPT_COMPAT, "compat", "TOOLS",
      "add tables specific to these tools: hta, nsys, tracelens, tt-perf-report, or all" },
    { 'j', "jobs", "N", "ranks to read concurrently; 0: one per CPU" },
    { 'q', "quiet", NULL, "print errors only; no text report unless requested with --format" },
    { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_PROGRESS, "progress", "WHEN", "show progress on standard error: auto, always or never" },
    { OPT_STRICT, "strict", NULL, "treat warnings about a run as failures" },
    { OPT_MEMORY, "memory-limit", "SIZE", "memory limit for the data of a run, for example 2G" },
    AZ_ROWS_OF_WINDOWS,
    { 'h', "help", NULL, "print this help" },
};

/* Of the script: its defaults are those of TraceLens. */
static const struct az_cmd_opt script_options[] = {
    { 'b', "base-dir", "DIR", "search this folder recursively for traces" },
    { 'p', "rank-pattern", "TEXT", "text before the rank in file names (rank_)" },
    { 'e', "extension", "EXT", "file extension: json (default), gz (*.json.gz), or auto for both" },
    { 'f', "filter", "TEXT...",
      "only files whose path contains every one of these texts (rank_0)" },
    { 'a', "all-kernels", NULL, "add a sheet of every kernel per rank" },
    { 'r', "node-replay", NULL,
      "run the most expensive GEMMs and convolutions again, and add their times" },
    { 'o', "output", "FILE", "workbook of one run; .xlsx is added to a name without it" },
    { 'd', "dry-run", NULL, "print each run and its files, then exit" },
    { OPT_FORCE, "force", NULL, "overwrite existing reports instead of skipping the run" },
    { OPT_FORMAT, "format", "LIST", "additional output formats of 'analyzer list'" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option for all runs ('analyzer help config'); repeatable" },
    { OPT_COMPAT, "compat", "TOOLS", "add tables specific to other tools" },
    { 'q', "quiet", NULL, "print errors only; no text report" },
    { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },
    { 'h', "help", NULL, "print this help" },
};

struct multirank {
    const struct az_cmd *cmd;
    struct az_arena *arena;
    struct az_run_args run;
    const char *base, *output, *pattern, *extension, *duplicate;
    struct az_vec_sv filters; /* views into argv */
    bool all_ranks, exact, force, all_kernels, node_replay;
    bool script; /* with the defaults of TraceLens */
    bool makes;  /* an option sets what to read or to make: not only text */
};

static int set_text(struct az_sv *to, struct az_arena *a, const char *from)
{
    *to = az_arena_dup(a, az_sv_str(from));
    return to->p ? AZ_OK : az_arena_error(a);
}

static int add_search(void *ctx, struct az_config *c, struct az_diag *diag)
{
    (void)diag;
    const struct multirank *m = ctx;
    struct az_input *in = NULL;
    int rc = az_config_add_input(c, &in);

    if (rc)
        return rc;
    struct az_sv *filters = az_arena_array(&c->arena, m->filters.n + 1, sizeof *filters);
    if (!filters)
        return az_arena_error(&c->arena);
    in->search.filters = filters;
    for (size_t i = 0; i < m->filters.n; i++)
        filters[in->search.n_filters++] = m->filters.v[i];
    in->search.filters_exact_rank = m->exact;
    in->search.extension = az_sv_str(m->extension);
    in->opts.duplicate_rank = az_sv_str(m->duplicate);
    in->opts.all_kernels |= m->all_kernels;
    in->opts.node_replay |= m->node_replay;
    c->outputs.overwrite |= m->force;
    in->outputs.overwrite |= m->force;
    rc = set_text(&in->search.base_dir, &c->arena, m->base);
    if (!rc && m->pattern)
        rc = set_text(&in->opts.rank_pattern, &c->arena, *m->pattern ? m->pattern : "re:");
    return rc;
}

static int one_of(const struct az_cmd *cmd, const char *option, const char *value,
                  const char *const *words, size_t n, const char **out)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], value) == 0) {
            *out = words[i];
            return AZ_EXIT_OK;
        }
    }
    const char *near = az_nearest(value, words, n);
    if (near)
        return az_usage_error(cmd, "invalid %s '%s' (did you mean '%s'?)", option, value, near);
    char list[200] = "";
    for (size_t i = 0, at = 0; i < n && at < sizeof list; i++) {
        const int more = snprintf(list + at, sizeof list - at, "%s%s",
                                  i == 0       ? ""
                                  : i + 1 == n ? " or "
                                               : ", ",
                                  words[i]);
        at += more > 0 ? (size_t)more : 0;
    }
    return az_usage_error(cmd, "invalid %s '%s'; use %s", option, value, list);
}

/* As for a profile: a folder, or the name of a file; of the script always a workbook's. */
static int set_output(struct multirank *m, const char *path)
{
    if (m->script && !az_sv_ends(az_sv_str(path), AZ_SV(".xlsx"))) {
        const struct az_sv with = az_arena_printf(m->arena, "%s.xlsx", path);
        m->run.xlsx = m->run.together = with.p;
        return with.p ? AZ_EXIT_OK : AZ_EXIT_INTERNAL;
    }
    return az_run_output(m->cmd, &m->run, path);
}

/* The letters with which users of the script choose what to read and make: it writes a workbook. */
static bool is_letter(int id)
{
    return id == 'p' || id == 'e' || id == 'f' || id == 'a' || id == 'r' || id == OPT_FORCE;
}

static int own_option(void *ctx, int id, const char *value)
{
    struct multirank *m = ctx;
    static const char *const extensions[] = { "json", "gz", "auto" };
    static const char *const rules[] = { "error", "first", "last", "each-step" };

    m->makes |= is_letter(id);
    switch (id) {
    case 'b':
        m->base = value;
        return *value ? AZ_EXIT_OK : az_usage_error(m->cmd, "missing folder for -b");
    case 'p':
        m->pattern = value;
        return AZ_EXIT_OK;
    case 'e':
        return one_of(m->cmd, "-e", value, extensions, 3, &m->extension);
    case 'f':
        return az_vec_push(&m->filters, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_DUPLICATE:
        return one_of(m->cmd, "--duplicate-rank", value, rules, 4, &m->duplicate);
    case OPT_ALL_RANKS:
        m->all_ranks = true;
        return AZ_EXIT_OK;
    case OPT_EXACT_RANK:
        m->exact = true;
        return AZ_EXIT_OK;
    case OPT_FORCE:
        m->force = true;
        return AZ_EXIT_OK;
    case 'a':
        m->all_kernels = true;
        return AZ_EXIT_OK;
    case 'r':
        m->node_replay = true;
        return AZ_EXIT_OK;
    case 'd':
        return az_run_option(m->cmd, &m->run, OPT_DRY_RUN, value);
    case 'o':
        m->output = value; /* what it names depends on the other options */
        return *value ? AZ_EXIT_OK : az_usage_error(m->cmd, "missing name for -o; use -o PATH");
    default:
        return az_run_option(m->cmd, &m->run, id, value);
    }
}

/* An input that cannot be read, as in other commands. A folder that could not be checked is
 * reported at the end (az_fs_error_print). */
static int missing_base(const char *base, const struct az_path_info *info)
{
    const struct az_log log = { .level = AZ_LOG_QUIET };

    if (!az_path_is_unread(info))
        az_log_line(&log, AZ_LOG_QUIET, "error: %s: no such folder", base);
    return AZ_EXIT_PARTIAL;
}

static int parse(struct multirank *m, struct az_args *a, bool *help)
{
    int rc = az_args_parse(a, own_option, m, help);

    if (rc || *help)
        return rc;
    if (!m->base && !m->script && a->n_operands == 1) /* as other commands */
        m->base = a->operands[0];
    else if (a->n_operands)
        return az_usage_error(m->cmd,
                              "unexpected argument '%s'; use -b for the folder, -f for filters",
                              a->operands[a->n_operands > 1]);
    if (!m->base)
        return az_usage_error(m->cmd, "missing folder; use -b DIR");
    const struct az_path_info info = az_path_stat(m->base);
    if (info.kind == AZ_PATH_MISSING)
        return missing_base(m->base, &info);
    if (m->all_ranks && m->filters.n)
        return az_usage_error(m->cmd, "conflicting options --all-ranks and -f; use one of them");
    if (m->script && m->filters.n == 0 && az_vec_push(&m->filters, AZ_SV("rank_0")))
        return AZ_EXIT_INTERNAL;
    return m->output ? set_output(m, m->output) : AZ_EXIT_OK;
}

/* The defaults of TraceLens, before the options. */
static int set_script(struct multirank *m)
{
    static const char *const set[] = { "compat",     "tracelens",
                                       "sheets_as",  "tracelens-multirank",
                                       "run_replay", "true" };
    int rc = az_run_set(&m->run, true, "side_by_side", "false");

    for (size_t i = 0; !rc && i < AZ_LENGTH(set); i += 2)
        rc = az_run_set(&m->run, false, set[i], set[i + 1]);
    m->extension = "json";
    m->pattern = "rank_";
    m->makes = true;
    return rc;
}

static int run_multirank(const struct az_cmd *cmd, int argc, char **argv)
{
    struct multirank m = { .cmd = cmd,
                           .extension = "auto",
                           .duplicate = "error",
                           .script = cmd == &az_cmd_tracelens_multirank };
    static const char *const lists[] = { "-f", "--filter" };
    struct az_arena arena;
    struct az_args a;
    bool help = false;
    int n = 0, rc = AZ_EXIT_INTERNAL;

    az_arena_init(&arena, NULL);
    m.arena = &arena;
    az_vec_init(&m.filters, NULL);
    az_run_args_init(&m.run);
    m.run.add_inputs = add_search;
    m.run.ctx = &m;
    char **parted = az_args_part_lists(argc, argv, lists, AZ_LENGTH(lists), &n, &arena);
    if (parted) {
        az_args_init(&a, cmd, n, parted);
        rc = m.script ? set_script(&m) : AZ_EXIT_OK;
        rc = rc ? rc : parse(&m, &a, &help);
    }
    m.run.looks = !m.makes;
    if (!rc && !help)
        rc = az_run_inputs(&m.run);
    az_run_args_release(&m.run);
    az_vec_release(&m.filters);
    az_arena_release(&arena);
    return rc;
}

const struct az_cmd az_cmd_multirank = {
    "multirank",
    "DIR | -b DIR",
    "report all ranks of each PyTorch run below a folder",
    "With a folder only, prints text and writes nothing. With -o, --format, --csv-dir, or an "
    "option that selects or adds data\n(-p, -e, -f, -a, -r, --force), each run is written to its "
    "folder "
    "as <folder>_<filters>_performance_report.xlsx.\nThe rank of a file is that of its metadata, "
    "or the number after rank, TP, worker or profile in its name. Files of\nother sessions (step, "
    "stage or time in their names) are separate runs. Ranks that cannot be read are listed; "
    "the\nremaining ranks are reported.\nIn a configuration: base_dir and the keys next to it.",
    options,
    AZ_LENGTH(options),
    run_multirank
};

const struct az_cmd az_cmd_tracelens_multirank = {
    "tracelens-multirank",
    "-b DIR",
    "accept the command line of generate_perf_report.py of TraceLens (custom_workflows)",
    "Writes <folder>_<filters>_performance_report.xlsx in the folder of each run. Without -f only "
    "rank 0 is read; '-f rank_'\nreads all ranks. Differences: from-tracelens.md of the "
    "documentation.",
    script_options,
    AZ_LENGTH(script_options),
    run_multirank
};
