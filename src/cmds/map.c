/* `analyzer map` and `analyzer reduce`: a run in two steps, the first wherever its traces are. */
#include "cmds/run_args.h"

#include <string.h>

#include "base/num.h"
#include "io/path.h"
#include "run/map.h"

enum { OPT_LIST = OPT_OWN, OPT_TASK, OPT_TAG, OPT_FORCE, OPT_DRAW, OPT_PARTIAL, OPT_EXPECT };

/* ---- map ---- */

static const struct az_cmd_opt map_options[] = {
    { 'o', "output", "DIR", "folder of the part files; the default is parts" },
    { OPT_LIST, "files", "LIST", "a file that names traces, one a line" },
    { OPT_TASK, "task", "K/N",
      "only the K-th of N shares of the files, from 0; shares are of about the same size" },
    { OPT_TAG, "tag", "TEXT",
      "into the names of the parts: where traces of several machines have the same path" },
    { OPT_FORCE, "force", NULL, "read traces again that have a part of these options already" },
    { OPT_DRAW, "draw", NULL, "keep what the time line of an HTML report is drawn of" },
    { OPT_OPT, "opt", "KEY=VALUE", "set an option ('analyzer help config'); repeatable" },
    { OPT_SET, "set", "PATH=VALUE", "set any value of the configuration; repeatable" },
    { OPT_DRY_RUN, "dry-run", NULL, "print the traces that would be read, and stop" },
    { 'j', "jobs", "N", "traces read at the same time; 0: one a processor" },
    { 'q', "quiet", NULL, "errors only" },
    { 'v', "verbose", NULL, "notes, and how many parts were written" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_MEMORY, "memory-limit", "SIZE", "memory that it may use, as 2G" },
    { 'h', "help", NULL, "print this help" },
};

struct map {
    const struct az_cmd *cmd;
    struct az_run_args run;
    struct az_map_opts opts;
};

static int parse_task(struct map *m, const char *text)
{
    const char *slash = strchr(text, '/');
    if (!slash || az_parse_i64(az_sv_make(text, (size_t)(slash - text)), &m->opts.task) ||
        az_parse_i64(az_sv_str(slash + 1), &m->opts.tasks) || m->opts.tasks < 1 ||
        m->opts.tasks > 10000000 || m->opts.task < 0 || m->opts.task >= m->opts.tasks)
        return az_usage_error(m->cmd, "--task is K/N with K from 0 to N - 1, not '%s'", text);
    return AZ_EXIT_OK;
}

static int map_option(void *ctx, int id, const char *value)
{
    struct map *m = ctx;

    switch (id) {
    case 'o':
        m->opts.dir = value;
        return *value ? AZ_EXIT_OK : az_usage_error(m->cmd, "-o needs a name");
    case OPT_LIST:
        m->opts.list = value;
        return AZ_EXIT_OK;
    case OPT_TASK:
        return parse_task(m, value);
    case OPT_TAG:
        m->opts.tag = value;
        return AZ_EXIT_OK;
    case OPT_FORCE:
        m->opts.force = true;
        return AZ_EXIT_OK;
    case OPT_DRAW:
        m->opts.draw = true;
        return AZ_EXIT_OK;
    case OPT_DRY_RUN:
        m->opts.dry_run = true;
        return AZ_EXIT_OK;
    default:
        return az_run_option(m->cmd, &m->run, id, value);
    }
}

static int parse_map(struct map *m, struct az_args *a, bool *help)
{
    int rc = az_args_take(a, map_option, m, help);

    if (rc || *help)
        return rc;
    m->opts.path = (const char *const *)a->operands;
    m->opts.n = a->n_operands;
    if (!m->opts.n && !m->opts.list)
        return az_usage_error(m->cmd, "no traces: name files or folders, or --files LIST");
    return AZ_EXIT_OK;
}

/* A configuration of the command line's options alone. */
static int configure(struct az_run_args *r, struct az_config *c, struct az_plan *names_of)
{
    struct az_config_names names;
    struct az_diag diag;
    int rc;

    az_diag_init(&diag);
    rc = az_plan_names(&names_of->arena, &names);
    if (rc == 0)
        rc = az_config_quick(c, &r->over, &names, &diag);
    c->cancel = az_signals_install();
    if (r->jobs >= 0)
        c->jobs = r->jobs;
    if (r->memory_given)
        c->memory_limit = r->memory;
    az_run_fill_opts(r);
    az_diag_print(&diag, &r->run.log);
    az_diag_release(&diag);
    r->run.workers = (unsigned)c->jobs;
    r->run.memory_limit = c->memory_limit;
    return rc;
}

static int run_map(const struct az_cmd *cmd, int argc, char **argv)
{
    struct map m = { .cmd = cmd, .opts = { .dir = "parts" } };
    struct az_config config;
    struct az_plan names;
    struct az_args a;
    bool help;
    int rc;

    az_run_args_init(&m.run);
    az_args_init(&a, cmd, argc, argv);
    rc = parse_map(&m, &a, &help);
    if (!rc && !help) {
        az_plan_init(&names);
        rc = az_config_init(&config);
        rc = rc ? rc : configure(&m.run, &config, &names);
        rc = rc ? az_run_exit_status(rc) : az_map(&config, &m.opts, &m.run.run);
        az_config_release(&config);
        az_plan_release(&names);
    }
    az_run_args_release(&m.run);
    return rc;
}

const struct az_cmd az_cmd_map = {
    "map",
    "[PATH... | --files LIST]",
    "read the traces of ranks, wherever they are, and keep what a report of all needs of each",
    "Each trace becomes one small part file; 'analyzer reduce' makes the report of the parts. A "
    "folder is looked through\n"
    "with all below it. A trace that cannot be read has a part that says so (exit status 3). A "
    "trace whose part is newer,\n"
    "of the same bytes and options is not read again, so that a call that was stopped is repeated "
    "as it was.",
    map_options,
    AZ_LENGTH(map_options),
    run_map
};

/* ---- reduce ---- */

static const struct az_cmd_opt reduce_options[] = {
    { 'o', "output", "PATH",
      "folder for the outputs, or the workbook; the default is the folder of the parts. With "
      "--partial the part file" },
    { OPT_PARTIAL, "partial", NULL,
      "merge the parts to one part file and stop: of a node, before all are gathered" },
    { OPT_EXPECT, "expect", "LIST",
      "a file that names the traces there should be parts of: what is missing is named" },
    { OPT_FORMAT, "format", "LIST",
      "outputs instead of the default (text,xlsx): text and the formats of 'analyzer list'" },
    { OPT_CSV_DIR, "csv-dir", "DIR", "one CSV file a table in DIR" },
    { OPT_XLSX, "xlsx", "FILE", "the workbook" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option ('analyzer help config'); repeatable. What matters to reading must be as it "
      "was for map" },
    { OPT_SET, "set", "PATH=VALUE", "set any value of the configuration; repeatable" },
    { OPT_COMPAT, "compat", "TOOLS",
      "show the tables, too, that only these tools name: hta, nsys, tracelens, tt-perf-report, or "
      "all" },
    { 'j', "jobs", "N", "ranks read at the same time; 0: one a processor" },
    { 'q', "quiet", NULL, "errors only: no warnings, and no text report unless --format names it" },
    { 'v', "verbose", NULL, "everything in the text report, and notes; twice: more" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_PROGRESS, "progress", "WHEN", "progress line on standard error: auto, always or never" },
    { OPT_STRICT, "strict", NULL, "a run with a warning counts as failed" },
    { OPT_MEMORY, "memory-limit", "SIZE", "memory that it may use, as 2G" },
    { 'h', "help", NULL, "print this help" },
};

struct reduce {
    const struct az_cmd *cmd;
    struct az_run_args run;
    const char *const *path;
    size_t n;
    const char *expect, *out;
    bool partial;
};

static int add_run(void *ctx, struct az_config *c, struct az_diag *diag)
{
    const struct reduce *r = ctx;
    return az_plan_reduce(c, r->path, r->n, r->expect, diag);
}

static int reduce_option(void *ctx, int id, const char *value)
{
    struct reduce *r = ctx;

    switch (id) {
    case OPT_PARTIAL:
        r->partial = true;
        return AZ_EXIT_OK;
    case OPT_EXPECT:
        r->expect = value;
        return AZ_EXIT_OK;
    case 'o':
        r->out = value;
        return *value ? AZ_EXIT_OK : az_usage_error(r->cmd, "-o needs a name");
    default:
        return az_run_option(r->cmd, &r->run, id, value);
    }
}

static int parse_reduce(struct reduce *r, struct az_args *a, bool *help)
{
    int rc = az_args_take(a, reduce_option, r, help);

    if (rc || *help)
        return rc;
    r->path = (const char *const *)a->operands;
    r->n = a->n_operands;
    if (!r->n)
        return az_usage_error(r->cmd, "no parts: name their folder, or files");
    if (r->partial && !r->out)
        return az_usage_error(r->cmd, "--partial needs -o FILE: the merged part file");
    if (!r->partial && r->out)
        rc = az_run_option(r->cmd, &r->run, 'o', r->out);
    return rc;
}

static int merge(struct reduce *r)
{
    struct az_config config;
    struct az_plan names;
    struct az_diag diag;
    int rc = az_config_init(&config);

    az_plan_init(&names);
    az_diag_init(&diag);
    rc = rc ? rc : configure(&r->run, &config, &names);
    rc = rc ? rc : az_plan_reduce(&config, r->path, r->n, r->expect, &diag);
    az_diag_print(&diag, &r->run.run.log);
    rc = rc ? az_run_exit_status(rc) : az_parts_merge(&config, r->out, &r->run.run.log);
    az_diag_release(&diag);
    az_config_release(&config);
    az_plan_release(&names);
    return rc;
}

static int run_reduce(const struct az_cmd *cmd, int argc, char **argv)
{
    struct reduce r = { .cmd = cmd };
    struct az_args a;
    bool help;
    int rc;

    az_run_args_init(&r.run);
    r.run.add_inputs = add_run;
    r.run.ctx = &r;
    az_args_init(&a, cmd, argc, argv);
    rc = parse_reduce(&r, &a, &help);
    if (!rc && !help)
        rc = r.partial ? merge(&r) : az_run_inputs(&r.run);
    az_run_args_release(&r.run);
    return rc;
}

const struct az_cmd az_cmd_reduce = {
    "reduce",
    "PATH...",
    "the report of a run from the parts of its ranks: that of multirank on the traces",
    "Paths are folders of parts, part files and traces; all are one run. A part that is damaged, "
    "was made with other\n"
    "options or by another version is named in the report, and the other ranks are reported.",
    reduce_options,
    AZ_LENGTH(reduce_options),
    run_reduce
};
