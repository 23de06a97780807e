/* `analyzer map` and `analyzer reduce`: a run in two steps, the first wherever its traces are. */
#include "cmds/run_args.h"

#include <string.h>

#include "base/num.h"
#include "io/path.h"
#include "run/map.h"

enum { OPT_LIST = OPT_OWN, OPT_TASK, OPT_TAG, OPT_FORCE, OPT_DRAW, OPT_PARTIAL, OPT_EXPECT };

/* ---- map ---- */

static const struct az_cmd_opt map_options[] = {
    { 'o', "output", "DIR", "folder of the part files (parts)" },
    { OPT_LIST, "files", "LIST", "file that lists traces, one per line" },
    { OPT_TASK, "task", "K/N",
      "read only the K-th (from 0) of N shares of the files, of about equal size" },
    { OPT_TAG, "tag", "TEXT",
      "add TAG to the part names, for machines whose traces have the same paths" },
    { OPT_FORCE, "force", NULL, "read traces again even if their part is up to date" },
    { OPT_DRAW, "draw", NULL, "store the data of the HTML timeline" },
    { OPT_OPT, "opt", "KEY=VALUE", "set an option ('analyzer help config'); repeatable" },
    { OPT_SET, "set", "PATH=VALUE", "set any configuration value; repeatable" },
    { OPT_DRY_RUN, "dry-run", NULL, "print the traces to be read, then exit" },
    { 'j', "jobs", "N", "traces to read concurrently; 0: one per CPU" },
    { 'q', "quiet", NULL, "print errors only" },
    { 'v', "verbose", NULL, "print notes about the traces, too" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_PROGRESS, "progress", "WHEN", "show progress on standard error: auto, always or never" },
    { OPT_MEMORY, "memory-limit", "SIZE", "memory limit for the data of a trace, for example 2G" },
    AZ_ROWS_OF_WINDOWS,
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
        return az_usage_error(m->cmd, "invalid --task '%s'; use K/N with K from 0 to N - 1", text);
    return AZ_EXIT_OK;
}

static int map_option(void *ctx, int id, const char *value)
{
    struct map *m = ctx;

    switch (id) {
    case 'o':
        m->opts.dir = value;
        return *value ? AZ_EXIT_OK : az_usage_error(m->cmd, "missing name for -o; use -o PATH");
    case OPT_LIST:
        m->opts.list = value;
        return *value ? AZ_EXIT_OK : az_usage_error(m->cmd, "missing file name for --files");
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
    int rc = az_args_parse(a, map_option, m, help);

    if (rc || *help)
        return rc;
    m->opts.path = (const char *const *)a->operands;
    m->opts.n = a->n_operands;
    if (!m->opts.n && !m->opts.list)
        return az_usage_error(m->cmd, "no traces; name files or folders, or use --files LIST");
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

static void on_plan(void *ctx, const struct az_plan *plan)
{
    const struct map *m = ctx;
    az_sandbox_settle_for(plan, &(struct az_sandbox_needs){ .write = { m->opts.dir } });
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
        rc = rc ? az_run_exit_status(rc) : az_map(&config, &m.opts, &m.run.run, on_plan, &m);
        az_config_release(&config);
        az_plan_release(&names);
    }
    az_run_args_release(&m.run);
    return rc;
}

const struct az_cmd az_cmd_map = {
    "map",
    "[PATH... | --files LIST]",
    "summarize each rank's trace to a part file",
    "Writes one small part file per trace; 'analyzer reduce' writes the report of all parts. "
    "Folders are searched\nrecursively. For a trace that cannot be read, the part records the "
    "error (exit status 3). A trace whose part is up to\ndate (newer, same bytes, same options) is "
    "skipped, so that an interrupted call can be repeated unchanged.",
    map_options,
    AZ_LENGTH(map_options),
    run_map
};

/* ---- reduce ---- */

static const struct az_cmd_opt reduce_options[] = {
    { 'o', "output", "PATH",
      "output folder or workbook (the folder of the parts); with --partial, the part file" },
    { OPT_PARTIAL, "partial", NULL,
      "merge the parts into one part file and exit, for example per node" },
    { OPT_EXPECT, "expect", "LIST",
      "file that lists the expected traces; report those without a part" },
    { OPT_FORMAT, "format", "LIST",
      "output formats (text,xlsx): text and those of 'analyzer list'" },
    { OPT_CSV_DIR, "csv-dir", "DIR", "write one CSV file per table to DIR" },
    { OPT_XLSX, "xlsx", "FILE", "write the workbook to FILE" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option ('analyzer help config'); repeatable; options of reading must be those of "
      "map" },
    { OPT_SET, "set", "PATH=VALUE", "set any configuration value; repeatable" },
    { OPT_COMPAT, "compat", "TOOLS",
      "add tables specific to these tools: hta, nsys, tracelens, tt-perf-report, or all" },
    { 'j', "jobs", "N", "ranks to read concurrently; 0: one per CPU" },
    { 'q', "quiet", NULL, "print errors only; no text report unless requested with --format" },
    { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_PROGRESS, "progress", "WHEN", "show progress on standard error: auto, always or never" },
    { OPT_STRICT, "strict", NULL, "treat warnings about a run as failures" },
    { OPT_MEMORY, "memory-limit", "SIZE", "memory limit for the data of a trace, for example 2G" },
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
        return *value ? AZ_EXIT_OK : az_usage_error(r->cmd, "missing file name for --expect");
    case 'o':
        r->out = value;
        return *value ? AZ_EXIT_OK : az_usage_error(r->cmd, "missing name for -o; use -o PATH");
    default:
        return az_run_option(r->cmd, &r->run, id, value);
    }
}

static int parse_reduce(struct reduce *r, struct az_args *a, bool *help)
{
    int rc = az_args_parse(a, reduce_option, r, help);

    if (rc || *help)
        return rc;
    r->path = (const char *const *)a->operands;
    r->n = a->n_operands;
    if (!r->n)
        return az_usage_error(r->cmd, "no parts; name a folder or files");
    if (r->partial && !r->out)
        return az_usage_error(r->cmd, "missing -o FILE for --partial; name the merged part file");
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
    if (!rc)
        az_sandbox_settle_for(NULL, &(struct az_sandbox_needs){
                                        .write = { r->out }, .read = r->path, .n_read = r->n });
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
    "report a run from the part files of its ranks",
    "Paths are part files, folders of parts, and traces of one run. The report is that of "
    "multirank on the traces. It lists\nparts that are damaged or were written with other options "
    "or by another version, and covers the remaining ranks.",
    reduce_options,
    AZ_LENGTH(reduce_options),
    run_reduce
};
