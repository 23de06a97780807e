/* `analyzer run` and `analyzer --config=FILE`: from options to a plan to an exit status. */
#include "cmds/run_args.h"
#include "cmds/watch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "io/path.h"
#include "text/typo.h"

enum { OPT_WATCH = OPT_OWN, OPT_BASELINE };

static const struct az_cmd_opt options[] = {
    { OPT_CONFIG, "config", "FILE",
      "analyze the inputs of this configuration; '-': standard input" },
    { 'o', "output", "PATH",
      "output folder, or for the only input a file NAME.xlsx, .html, .json, .md or .sqlite" },
    { OPT_FORMAT, "format", "LIST", "output formats: text and those of 'analyzer list'" },
    { OPT_CSV_DIR, "csv-dir", "DIR",
      "write one CSV file per table to DIR (several inputs: DIR/<title>) instead of a workbook" },
    { OPT_XLSX, "xlsx", "FILE", "write the workbook of the only input to FILE" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option for all inputs ('analyzer help config'); repeatable" },
    { OPT_COMPAT, "compat", "TOOLS",
      "add tables specific to these tools: hta, nsys, tracelens, tt-perf-report, or all" },
    AZ_ROWS_OF_WINDOWS,
    { OPT_SET, "set", "PATH=VALUE",
      "set any configuration value, for example inputs.0.title=x (inputs.*: every input); "
      "repeatable" },
    { 'j', "jobs", "N", "inputs to analyze concurrently; 0: one per CPU" },
    { OPT_ONLY, "only", "TITLE", "analyze only the input with this title; repeatable" },
    { OPT_DRY_RUN, "dry-run", NULL, "print the files to be read and written, then exit" },
    { 'q', "quiet", NULL, "print errors only; no text report unless requested with --format" },
    { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_PROGRESS, "progress", "WHEN", "show progress on standard error: auto, always or never" },
    { OPT_STRICT, "strict", NULL, "treat warnings about an input as failures" },
    { OPT_MEMORY, "memory-limit", "SIZE",
      "memory limit for the data of an input, for example 2G; the program itself needs "
      "about 8 MB more" },
    { OPT_PROFILE, "profile_json_path", "FILE", "the same as PATH" },
    { OPT_PROFILE, "profile_path", "FILE", "the same as PATH" },
    { OPT_WATCH, "watch", "DIR",
      "print a line for each new profile in DIR until interrupted; with --baseline its gate" },
    { OPT_BASELINE, "baseline", "RESULT", "with --watch: result or profile to compare with" },
    { OPT_WARN_ONLY, "warn-only", NULL, "do not change the exit status when a gate fails" },
    { 'h', "help", NULL, "print this help" },
    { OPT_VERSION, "version", NULL, "print the version and build configuration" },
};

int az_option_override(const struct az_cmd *cmd, struct az_overrides *to, bool option,
                       const char *text)
{
    const char *eq = strchr(text, '=');
    struct az_override o = { .kind = AZ_SET_PATH };
    const struct az_option *known = option ? az_flag_named(text) : NULL;

    if (!eq && known && known->type == AZ_OPT_BOOL)
        eq = "=true";
    if (!eq || eq == text)
        return az_usage_error(cmd, "'%s' is not of the form %s=VALUE", text,
                              option ? "KEY" : "PATH");
    if (option)
        o.kind = AZ_SET_OPTION;
    o.key = known ? az_sv_str(known->key) : az_sv_make(text, strcspn(text, "="));
    o.value = az_sv_str(eq + 1);
    return az_vec_push(to, o) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

/* Of "htlm": "html"; NULL. */
static const char *nearest_format(struct az_sv name)
{
    unsigned limit = az_typo_limit(name.n);
    const char *best = NULL;
    for (const struct az_report *const *r = az_reports; *r && limit; r++) {
        const unsigned d = az_sv_distance(name, az_sv_str((*r)->name), limit);
        if (d <= limit) {
            best = (*r)->name;
            limit = d - 1; /* known names are not misspelled */
        }
    }
    return best;
}

int az_unknown_format(const struct az_cmd *cmd, struct az_sv name)
{
    const char *near = nearest_format(name);
    struct az_arena a;
    int rc;

    if (near)
        return az_usage_error(cmd, "unknown output format '%.*s' (did you mean '%s'?)",
                              AZ_SVF(name), near);
    az_arena_init(&a, NULL);
    rc = az_usage_error(cmd, "unknown output format '%.*s'; use %.*s", AZ_SVF(name),
                        AZ_SVF(az_report_names(&a)));
    az_arena_release(&a);
    return rc;
}

static int add_formats(const struct az_cmd *cmd, struct az_run_args *r, const char *list)
{
    while (*list) {
        struct az_sv name = az_sv_trim(az_sv_make(list, strcspn(list, ",")));
        list += strcspn(list, ",");
        list += *list == ',';
        if (az_sv_ieq(name, AZ_SV("text")))
            r->text_asked = true;
        else if (!az_report_find(name))
            return az_unknown_format(cmd, name);
        if (az_vec_push(&r->formats, name))
            return AZ_EXIT_INTERNAL;
    }
    return r->formats.n ? AZ_EXIT_OK
                        : az_usage_error(cmd, "missing name for --format; see 'analyzer list'");
}

int az_option_when(const struct az_cmd *cmd, const char *name, const char *text, enum az_when *out)
{
    static const char *const names[] = { "auto", "always", "never" };
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (enum az_when)i;
            return AZ_EXIT_OK;
        }
    }
    return az_usage_error(cmd, "invalid --%s '%s'; use auto, always or never", name, text);
}

int az_option_jobs(const struct az_cmd *cmd, const char *text, int64_t *out)
{
    if (az_parse_i64(az_sv_str(text), out) || *out < 0 || *out > 4096)
        return az_usage_error(cmd, "invalid -j '%s'; use a number from 0 to 4096", text);
    return AZ_EXIT_OK;
}

static int parse_memory(const struct az_cmd *cmd, struct az_run_args *r, const char *text)
{
    r->memory_given = true;
    if (az_parse_size(az_sv_str(text), &r->memory))
        return az_usage_error(cmd, "invalid --memory-limit '%s'; use a size such as 512M or 2G",
                              text);
    return AZ_EXIT_OK;
}

/* The output format that a name ends in, of those that write one file; NULL: none. */
static const char *format_of_name(struct az_sv name)
{
    static const char *const endings[] = { "html", "json", "md", "sqlite" };

    for (size_t i = 0; i < AZ_LENGTH(endings); i++) {
        const size_t n = strlen(endings[i]);
        if (az_sv_ends(name, az_sv_str(endings[i])) && name.n > n && name.p[name.n - n - 1] == '.')
            return endings[i];
    }
    return NULL;
}

/* The ending of a name that is one of files, but of no format that writes one; empty: none. */
static struct az_sv ending_of_file(struct az_sv name)
{
    static const char *const endings[] = { "pdf", "txt",  "csv",     "tsv",  "xls", "htm", "png",
                                           "svg", "docx", "parquet", "yaml", "yml", "db",  "xml" };

    for (size_t i = 0; i < AZ_LENGTH(endings); i++) {
        const size_t n = strlen(endings[i]);
        if (az_sv_ends(name, az_sv_str(endings[i])) && name.n > n && name.p[name.n - n - 1] == '.')
            return az_sv_str(endings[i]);
    }
    return AZ_SV("");
}

int az_run_output(const struct az_cmd *cmd, struct az_run_args *r, const char *path)
{
    struct az_sv p = az_sv_str(path);
    const char *format = format_of_name(p);

    if (!p.n)
        return az_usage_error(cmd, "missing name for -o; use -o PATH");
    if (format && az_path_stat(path).kind != AZ_PATH_DIR) {
        r->together = path;
        return add_formats(cmd, r, format);
    }
    const struct az_sv ending = ending_of_file(p);
    if (ending.n && az_path_stat(path).kind != AZ_PATH_DIR)
        return az_report_find(ending)
                   ? az_usage_error(cmd,
                                    "-o '%s': format '%s' is a folder of files; use "
                                    "--csv-dir=DIR",
                                    path, ending.p)
                   : az_usage_error(cmd,
                                    "-o '%s': no format of a file ends in .%s; use a name in "
                                    ".xlsx, .html, .json, .md or .sqlite, or a folder",
                                    path, ending.p);
    if (az_sv_ends(p, AZ_SV(".xlsx")))
        r->xlsx = r->together = path;
    else
        r->dir = path;
    return AZ_EXIT_OK;
}

int az_run_set(struct az_run_args *r, bool path, const char *key, const char *value)
{
    const struct az_override o = { .kind = path ? AZ_SET_PATH : AZ_SET_OPTION,
                                   .key = az_sv_str(key),
                                   .value = az_sv_str(value) };
    return az_vec_push(&r->over, o) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

int az_run_option(const struct az_cmd *cmd, struct az_run_args *r, int id, const char *value)
{
    if (az_flag_option(id))
        return az_flag_set(&r->over, id, value);
    switch (id) {
    case OPT_CONFIG:
        r->config = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(cmd, "missing file name for --config; use --config=FILE");
    case 'o':
        return az_run_output(cmd, r, value);
    case OPT_FORMAT:
        return add_formats(cmd, r, value);
    case OPT_CSV_DIR:
        r->csv_dir = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(cmd, "missing folder name for --csv-dir; use --csv-dir=DIR");
    case OPT_XLSX:
        r->xlsx = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(cmd, "missing file name for --xlsx; use --xlsx=FILE");
    case OPT_COMPAT:
        return az_run_set(r, false, "compat", value);
    case OPT_OPT:
    case OPT_SET:
        return az_option_override(cmd, &r->over, id == OPT_OPT, value);
    case 'j':
        return az_option_jobs(cmd, value, &r->jobs);
    case OPT_PROFILE:
        return az_vec_push(&r->paths, value) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_ONLY:
        return az_vec_push(&r->only, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_COLOR:
        return az_option_when(cmd, "color", value, &r->run.color);
    case OPT_PROGRESS:
        return az_option_when(cmd, "progress", value, &r->run.progress);
    case OPT_MEMORY:
        return parse_memory(cmd, r, value);
    case OPT_DRY_RUN:
        r->dry_run = true;
        return AZ_EXIT_OK;
    case 'q':
        r->quiet = true;
        return AZ_EXIT_OK;
    case 'v':
        r->verbose++;
        return AZ_EXIT_OK;
    case OPT_STRICT:
        r->strict = true;
        return AZ_EXIT_OK;
    default:
        r->warn_only = true;
        return AZ_EXIT_OK;
    }
}

void az_run_fill_opts(struct az_run_args *r)
{
    r->run.log.level = r->quiet         ? AZ_LOG_QUIET
                       : r->verbose > 1 ? AZ_LOG_DEBUG
                       : r->verbose     ? AZ_LOG_VERBOSE
                                        : AZ_LOG_NORMAL;
    r->run.log.color = az_use_color(r->run.color, STDERR_FILENO);
    r->run.text_full = r->verbose > 0;
    r->run.text_all = r->verbose > 1;
    r->run.terminal = !r->run.text_classic && isatty(STDOUT_FILENO);
    r->run.quiet = r->quiet && !r->text_asked;
    if (r->quiet && r->run.progress == AZ_AUTO)
        r->run.progress = AZ_NEVER;
}

static void set_outputs(const struct az_run_args *r, struct az_outputs *o)
{
    if (r->dir)
        o->dir = az_sv_str(r->dir);
    if (!r->xlsx && !r->csv_dir && !r->formats.n)
        return;
    /* What is requested here replaces what the configuration requests. */
    o->xlsx = az_sv_str(r->xlsx);
    o->csv_dir = az_sv_str(r->csv_dir);
    az_vec_reset(&o->formats);
}

/* The comparison's own outputs are replaced, too; it writes where the run does then, under its own
 * name. */
static void set_compare_outputs(const struct az_run_args *r, struct az_outputs *o)
{
    if (r->dir)
        o->dir = az_sv_str(r->dir);
    if (!r->xlsx && !r->csv_dir && !r->formats.n)
        return;
    o->xlsx = o->csv_dir = AZ_SV("");
    az_vec_reset(&o->formats);
}

static int apply(const struct az_run_args *r, struct az_config *c)
{
    int rc = AZ_OK;

    c->strict |= r->strict;
    c->warn_only |= r->warn_only;
    if (r->jobs >= 0)
        c->jobs = r->jobs;
    if (r->memory_given)
        c->memory_limit = r->memory;
    set_outputs(r, &c->outputs);
    set_compare_outputs(r, &c->compare.outputs);
    for (size_t i = 0; i < c->inputs.n; i++) {
        set_outputs(r, &c->inputs.v[i].outputs);
        c->inputs.v[i].opts.strict |= c->strict;
    }
    for (size_t i = 0; !rc && i < r->formats.n; i++)
        rc = az_vec_push(&c->outputs.formats, r->formats.v[i]);
    for (size_t i = 0; !rc && i < r->only.n; i++)
        rc = az_vec_push(&c->only, r->only.v[i]);
    return rc;
}

int az_run_print_plan(const struct az_plan *plan, const struct az_log *log)
{
    struct az_vec_char text;
    bool failed = false;
    int rc;

    az_vec_init(&text, NULL);
    rc = az_plan_print(plan, &text);
    if (!rc && text.n)
        fwrite(text.v, 1, text.n, stdout);
    az_vec_release(&text);
    fflush(stdout);
    for (size_t i = 0; i < plan->jobs.n; i++) {
        if (plan->jobs.v[i].skip ||
            plan->jobs.v[i].there) /* the plan reports the latter: nothing has failed */
            continue;
        az_diag_print(&plan->jobs.v[i].diag, log);
        failed |= plan->jobs.v[i].error != AZ_OK;
    }
    return rc ? AZ_EXIT_INTERNAL : failed ? AZ_EXIT_PARTIAL : AZ_EXIT_OK;
}

struct session {
    const struct az_run_args *r;
    struct az_config config;
    struct az_plan plan;
    struct az_diag diag;
};

/* Configuration and plan; AZ_ECONFIG, AZ_EUSAGE with what is wrong in the diag. */
static int prepare(struct session *s)
{
    struct az_config_names names;
    int rc = az_plan_names(&s->plan.arena, &names);

    if (rc)
        return rc;
    s->config.whole_reals = s->r->whole_reals;
    if (s->r->config)
        rc = az_plan_config(&s->config, s->r->config, &s->r->over, &names, &s->diag);
    else
        rc = az_config_quick(&s->config, &s->r->over, &names, &s->diag);
    s->config.cancel = az_signals_install(); /* not before: a configuration that is typed or piped
                                                in ends at once */
    s->config.one_run = s->r->one_run;
    if (!rc && s->r->add_inputs)
        rc = s->r->add_inputs(s->r->ctx, &s->config, &s->diag);
    else if (!rc && !s->r->config)
        rc = az_plan_runs_of(&s->config, s->r->paths.v, s->r->paths.n, &s->diag);
    if (!rc)
        rc = apply(s->r, &s->config);
    s->config.together = az_sv_str(s->r->together);
    s->config.look = !s->r->config && (s->r->looks || !s->r->add_inputs) && !s->r->writes;
    if (!rc)
        rc = az_plan_search(&s->config, &s->diag);
    return rc ? rc : az_plan_make(&s->plan, &s->config, &s->diag);
}

int az_run_exit_status(int rc)
{
    switch (rc) {
    case AZ_OK:
        return AZ_EXIT_OK;
    case AZ_EINTR:
        return AZ_EXIT_INTERRUPTED;
    case AZ_ENOMEM:
    case AZ_EINTERNAL:
        return AZ_EXIT_INTERNAL;
    default:
        return AZ_EXIT_USAGE;
    }
}

/* Is there one thread that does the work: requested, or for one small input? */
static bool one_thread(const struct az_plan *plan, int64_t jobs)
{
    const uint64_t small = UINT64_C(8) << 20; /* predicted: of 16 MB of JSON */
    size_t n = 0;
    uint64_t cost = 0;
    for (size_t i = 0; i < plan->jobs.n; i++)
        if (!plan->jobs.v[i].skip) {
            n++;
            cost += plan->jobs.v[i].cost;
        }
    return jobs == 1 || (n == 1 && cost < small);
}

int az_run_inputs(struct az_run_args *r)
{
    struct session s = { .r = r };
    int rc = az_config_init(&s.config), status;

    az_run_fill_opts(r);
    if (rc)
        return AZ_EXIT_INTERNAL;
    az_plan_init(&s.plan);
    az_diag_init(&s.diag);
    rc = prepare(&s);
    az_diag_print(&s.diag, &r->run.log);
    if (rc == AZ_EINTR)
        az_log_line(&r->run.log, AZ_LOG_QUIET, "interrupted; nothing was run");
    else if (rc && s.diag.errors == 0)
        az_log_line(&r->run.log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    status = az_run_exit_status(rc);
    if (!rc && r->dry_run) {
        status = az_run_print_plan(&s.plan, &r->run.log);
    } else if (!rc) {
        r->run.workers = (unsigned)s.config.jobs;
        r->run.memory_limit = s.config.memory_limit;
        r->run.strict = s.config.strict;
        az_sandbox_settle(&s.plan);
        if (one_thread(&s.plan, s.config.jobs))
            az_mem_one_heap();
        status = az_run(&s.plan, &r->run);
    }
    az_plan_release(&s.plan);
    az_diag_release(&s.diag);
    az_config_release(&s.config);
    return status;
}

struct watch_args {
    const char *dir, *baseline;
};

static int check_inputs(const struct az_cmd *cmd, const struct az_run_args *r,
                        const struct watch_args *w)
{
    if (w->baseline && !w->dir)
        return az_usage_error(cmd, "--baseline requires --watch; use 'analyzer gate BASE CAND'");
    if (w->dir && (r->config || r->paths.n))
        return az_usage_error(cmd, "unexpected input with --watch; use one of them");
    if (w->dir && (r->dir || r->xlsx || r->csv_dir))
        return az_usage_error(cmd, "--watch writes no reports; omit -o, --xlsx and --csv-dir");
    if (r->config && r->paths.n)
        return az_usage_error(cmd, "unexpected path '%s' with --config; use one of them",
                              r->paths.v[0]);
    if (!r->config && !r->paths.n && !w->dir)
        return az_usage_error(cmd, "no inputs; name files or folders, or use --config=FILE");
    return AZ_EXIT_OK;
}

static int parse(const struct az_cmd *cmd, struct az_args *a, struct az_run_args *r,
                 struct watch_args *w, bool *stop)
{
    int id, rc = AZ_EXIT_OK;

    *stop = true;
    while ((id = az_args_next(a)) != ARG_END) {
        if (id == ARG_ERROR)
            return AZ_EXIT_USAGE;
        if (id == 'h')
            return az_print_command_help(cmd);
        if (id == OPT_VERSION)
            return az_cmd_version.run(&az_cmd_version, 1, a->argv);
        if (id == OPT_WATCH)
            w->dir = a->value;
        else if (id == OPT_BASELINE)
            w->baseline = a->value;
        else
            rc = az_run_option(cmd, r, id, a->value);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < a->n_operands; i++)
        if (az_vec_push(&r->paths, a->operands[i]))
            return AZ_EXIT_INTERNAL;
    rc = check_inputs(cmd, r, w);
    *stop = rc != AZ_EXIT_OK;
    return rc;
}

void az_run_args_init(struct az_run_args *r)
{
    *r = (struct az_run_args){ .jobs = -1 };
    az_vec_init(&r->paths, NULL);
    az_vec_init(&r->formats, NULL);
    az_vec_init(&r->over, NULL);
    az_vec_init(&r->only, NULL);
}

void az_run_args_release(struct az_run_args *r)
{
    az_vec_release(&r->paths);
    az_vec_release(&r->formats);
    az_vec_release(&r->over);
    az_vec_release(&r->only);
}

static int run_run(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_run_args r;
    struct watch_args w = { .dir = NULL };
    struct az_args a;
    bool stop;
    int rc;

    az_run_args_init(&r);
    az_args_init(&a, cmd, argc, argv);
    rc = parse(cmd, &a, &r, &w, &stop);
    if (!stop && w.dir) {
        az_run_fill_opts(&r);
        rc = az_watch(w.dir, w.baseline, &r.run.log);
    } else if (!stop) {
        rc = az_run_inputs(&r);
    }
    az_run_args_release(&r);
    return rc;
}

const struct az_cmd az_cmd_run = {
    "run",
    "--config=FILE | PATH...",
    "analyze profiles, or the inputs of a configuration",
    "With paths, prints a report and writes no files unless -o, --format, --xlsx or --csv-dir is "
    "used. With a configuration,\nwrites a workbook per input, by default next to its first file "
    "as NAME_perf_report.xlsx.\nPaths are files, folders or globs; '-' is standard input. The CSV "
    "reports of one Nsight report, and the ranks of one\nrun in a folder (rank_0.json, "
    "rank_1.json), form one input.\nKeys of options, thresholds and analysis_args ('analyzer help "
    "config') are also command-line options: --topk_ops 10,\n--disable-kernel-summary, "
    "--id-range=5-10.",
    options,
    AZ_LENGTH(options),
    run_run
};
