/* `analyzer gate`: pass or fail, of a configuration or of results given by path. */
#include "cmds/run_args.h"

#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "run/gates.h"

enum { OPT_CALIBRATE = OPT_OWN, OPT_BASIS };

static const struct az_cmd_opt options[] = {
    { OPT_CONFIG, "config", "FILE",
      "read inputs, gates and history from this configuration; '-': standard input" },
    { 'b', "baseline", "PATH", "additional run of the baseline; repeatable" },
    { 'r', "rule", "KEY=VALUE,...",
      "add a rule such as table=kern_sum,column=Total*,rel=0.02; repeatable (see gates.rules in "
      "'analyzer help config')" },
    { OPT_CALIBRATE, "calibrate", NULL,
      "print gates for a configuration with the limits that these repeated runs meet" },
    { OPT_BASIS, "basis", "BASIS", "step (if steps are known) or recording (whole recordings)" },
    { 'o', "output", "DIR", "output folder" },
    { OPT_FORMAT, "format", "LIST",
      "additional output formats: verdict (or json), junit, github, github-comment, openmetrics, "
      "csv, ..." },
    { OPT_OPT, "opt", "KEY=VALUE", "set an option for all inputs; repeatable" },
    { OPT_SET, "set", "PATH=VALUE", "set any configuration value; repeatable" },
    { 'j', "jobs", "N", "inputs to analyze concurrently; 0: one per CPU" },
    { OPT_WARN_ONLY, "warn-only", NULL, "do not change the exit status when a gate fails" },
    { 'q', "quiet", NULL, "print neither text nor warnings" },
    { 'v', "verbose", NULL, "print every result" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    AZ_ROWS_OF_WINDOWS,
    { 'h', "help", NULL, "print this help" },
};

struct gate_args {
    const struct az_cmd *cmd;
    const char *config, *dir;
    struct az_vec_sv formats, base;
    struct az_overrides over;
    struct az_vec_char rules; /* JSON array in the making */
    bool calibrate, warn_only, text;
    int64_t jobs;
    struct az_run_opts run;
    char **operands;
    size_t n;
};

struct session {
    struct gate_args *g;
    struct az_config config;
    struct az_plan plan;
    struct az_diag diag;
    struct az_saved_list saved;
    bool unreadable; /* one of them */
};

/* ---- options ---- */

/* "table=x,rel=0.1" -> {"table":"x","rel":0.1}, after the rules before it. */
static int add_rule(struct gate_args *g, const char *text)
{
    struct az_sv rest = az_sv_str(text);
    int rc = az_text_append(&g->rules, g->rules.n ? AZ_SV(",{") : AZ_SV("[{"));
    bool first = true;

    while (!rc && rest.n) {
        struct az_sv value = az_sv_cut(&rest, ','), key;
        double number;
        if (!memchr(value.p, '=', value.n))
            return az_usage_error(g->cmd, "--rule '%s': invalid '%.*s'; use KEY=VALUE", text,
                                  AZ_SVF(value));
        key = az_sv_trim(az_sv_cut(&value, '='));
        rc = first ? 0 : az_text_append(&g->rules, AZ_SV(","));
        if (!rc)
            rc = az_json_quote(&g->rules, key);
        if (!rc)
            rc = az_text_append(&g->rules, AZ_SV(":"));
        if (!rc)
            rc = az_parse_f64(value, &number) == 0 ? az_text_append(&g->rules, value)
                                                   : az_json_quote(&g->rules, value);
        first = false;
    }
    if (!rc)
        rc = az_text_append(&g->rules, AZ_SV("}"));
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static int add_formats(struct gate_args *g, const char *list)
{
    struct az_sv rest = az_sv_str(list);
    while (rest.n) {
        struct az_sv name = az_sv_trim(az_sv_cut(&rest, ','));
        bool text = az_sv_ieq(name, AZ_SV("text"));
        if (!text && !az_report_find(name))
            return az_unknown_format(g->cmd, name);
        if (az_vec_push(&g->formats, name))
            return AZ_EXIT_INTERNAL;
    }
    return AZ_EXIT_OK;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct gate_args *g = ctx;

    if (az_flag_option(id))
        return az_flag_set(&g->over, id, value);
    switch (id) {
    case OPT_CONFIG:
        g->config = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(g->cmd, "missing file name for --config; use --config=FILE");
    case 'b':
        return az_vec_push(&g->base, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case 'r':
        return add_rule(g, value);
    case OPT_BASIS:
        return az_vec_push(&g->over, ((struct az_override){ .kind = AZ_SET_PATH,
                                                            .key = AZ_SV("gates.basis"),
                                                            .value = az_sv_str(value) }))
                   ? AZ_EXIT_INTERNAL
                   : AZ_EXIT_OK;
    case OPT_CALIBRATE:
        g->calibrate = true;
        return AZ_EXIT_OK;
    case 'o':
        g->dir = value;
        return *value ? AZ_EXIT_OK : az_usage_error(g->cmd, "missing name for -o; use -o PATH");
    case OPT_FORMAT:
        return add_formats(g, value);
    case OPT_OPT:
    case OPT_SET:
        return az_option_override(g->cmd, &g->over, id == OPT_OPT, value);
    case 'j':
        return az_option_jobs(g->cmd, value, &g->jobs);
    case OPT_WARN_ONLY:
        g->warn_only = true;
        return AZ_EXIT_OK;
    case 'q':
        g->run.quiet = true;
        g->run.log.level = AZ_LOG_QUIET;
        return AZ_EXIT_OK;
    case 'v':
        g->run.text_full = true;
        g->run.log.level = AZ_LOG_VERBOSE;
        return AZ_EXIT_OK;
    default:
        return az_option_when(g->cmd, "color", value, &g->run.color);
    }
}

static int check_operands(const struct gate_args *g)
{
    if (g->config && g->n)
        return az_usage_error(g->cmd, "unexpected path '%s' with --config; use one of them",
                              g->operands[0]);
    if (g->config && g->base.n)
        return az_usage_error(g->cmd,
                              "--baseline requires paths; set gates.baseline in the configuration");
    if (g->config || g->calibrate)
        return g->config || g->n ? AZ_EXIT_OK
                                 : az_usage_error(g->cmd, "missing runs for --calibrate");
    if (g->n + g->base.n < 2 || (g->n < 2 && !g->base.n))
        return az_usage_error(
            g->cmd,
            "missing inputs; use --config=FILE, or name a baseline and at least one candidate");
    if (g->dir && g->formats.n == 0)
        return az_usage_error(g->cmd, "-o requires --format, for example --format verdict");
    return AZ_EXIT_OK;
}

/* ---- operands ---- */

/* Several inputs of one folder are distinguished by their names in it, whatever the folder is
 * called. */
static struct az_sv name_below(const struct az_input *in, const char *folder)
{
    struct az_sv path = in->files.n ? in->files.v[0].path : in->title, dir = az_sv_str(folder);
    if (!az_sv_starts(path, dir))
        return az_path_base(path);
    path = az_sv_make(path.p + dir.n, path.n - dir.n);
    while (path.n && *path.p == '/')
        path = az_sv_make(path.p + 1, path.n - 1);
    return path;
}

/* Saved results, or inputs of the configuration; what comes alone is one of several runs of the
 * same thing. */
static int add_operand(struct session *s, const char *path, bool baseline)
{
    size_t saved = s->saved.n, inputs = s->config.inputs.n;
    int rc;

    if (az_saved_is(path)) {
        rc = az_saved_collect(path, &s->saved, &s->diag);
        for (size_t i = saved; !rc && i < s->saved.n; i++) {
            s->saved.v[i]->baseline = baseline;
            s->saved.v[i]->only = s->saved.n == saved + 1;
        }
        s->unreadable |= rc != AZ_OK;
        if (!rc && az_path_stat(path).kind == AZ_PATH_DIR && az_saved_kind(path) == AZ_SAVED_NONE &&
            az_plan_has_profile(path))
            az_diag_add(&s->diag, AZ_HINT, AZ_AT_FILE(az_sv_str(path)),
                        "contains results and profiles, reading the results; use a glob to read "
                        "the profiles");
        return rc;
    }
    rc = az_plan_runs(&s->config, path, &s->diag);
    for (size_t i = inputs; !rc && i < s->config.inputs.n; i++) {
        struct az_input *in = &s->config.inputs.v[i];
        in->baseline = baseline;
        in->run_group =
            s->config.inputs.n == inputs + 1 ? AZ_SV(AZ_GATE_ALONE) : name_below(in, path);
    }
    return rc;
}

static int add_operands(struct session *s)
{
    struct gate_args *g = s->g;
    /* the first operand is the baseline, unless --baseline names one */
    size_t first = g->calibrate || g->base.n ? 0 : 1;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < g->base.n; i++)
        rc = add_operand(s, g->base.v[i].p, true);
    for (size_t i = 0; !rc && i < g->n; i++)
        rc = add_operand(s, g->operands[i], i < first);
    return rc;
}

/* ---- session ---- */

static int set_outputs(struct session *s)
{
    struct az_config *c = &s->config;
    int rc = AZ_OK;

    /* quietly, too, it writes what it is requested only */
    c->look = s->g->run.quiet && !s->g->config && !s->g->dir && s->g->formats.n == 0;
    if (s->g->dir)
        c->outputs.dir = az_sv_str(s->g->dir);
    if (s->g->formats.n) {
        az_vec_reset(&c->outputs.formats);
        for (size_t i = 0; !rc && i < s->g->formats.n; i++)
            rc = az_vec_push(&c->outputs.formats, s->g->formats.v[i]);
    }
    if (!rc && (s->g->formats.n || c->outputs.formats.n == 0) && !s->g->run.quiet)
        rc = az_vec_push(&c->outputs.formats, AZ_SV("text"));
    return rc;
}

/* Only gates print and write. */
static void silence_inputs(struct az_plan *p)
{
    for (size_t i = 0; i < p->jobs.n; i++) {
        az_vec_reset(&p->jobs.v[i].targets);
        p->jobs.v[i].text = false;
    }
}

static int prepare(struct session *s)
{
    struct gate_args *g = s->g;
    struct az_config_names names;
    int rc = az_plan_names(&s->plan.arena, &names);

    if (!rc && g->rules.n) {
        struct az_override o = { .kind = AZ_SET_PATH, .key = AZ_SV("gates.rules") };
        rc = az_text_append(&g->rules, AZ_SV("]"));
        o.value = az_text_view(&g->rules);
        if (!rc)
            rc = az_vec_push(&g->over, o);
    }
    if (!rc)
        rc = g->config ? az_plan_config(&s->config, g->config, &g->over, &names, &s->diag)
                       : az_config_quick(&s->config, &g->over, &names, &s->diag);
    s->config.cancel = az_signals_install();
    if (!rc && g->config && !s->config.gates.given && !g->calibrate)
        rc = az_diag_fail(
            &s->diag, AZ_ECONFIG, AZ_AT_FILE(s->config.path),
            "no \"gates\" in this configuration; add \"gates\": {} for the key metrics");
    if (!rc)
        rc = g->config ? az_plan_search(&s->config, &s->diag) : add_operands(s);
    if (!rc && !s->config.gates.given)
        rc = az_config_default_gates(&s->config);
    if (!rc)
        rc = set_outputs(s);
    s->config.warn_only |= g->warn_only;
    s->config.no_reports = true; /* a name that two inputs would share does not matter */
    s->plan.saved = &s->saved;
    if (!rc)
        rc = az_plan_make(&s->plan, &s->config, &s->diag);
    s->plan.calibrate = g->calibrate;
    silence_inputs(&s->plan);
    return rc;
}

static int run_session(struct gate_args *g)
{
    struct session s = { .g = g };
    int status, rc = az_config_init(&s.config);

    if (rc)
        return AZ_EXIT_INTERNAL;
    az_plan_init(&s.plan);
    az_diag_init(&s.diag);
    az_vec_init(&s.saved, NULL);
    rc = prepare(&s);
    az_diag_print(&s.diag, &g->run.log);
    if (rc && s.diag.errors == 0)
        az_log_line(&g->run.log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    status = s.unreadable && rc != AZ_ENOMEM && rc != AZ_EINTERNAL ? AZ_EXIT_PARTIAL
                                                                   : az_run_exit_status(rc);
    if (!rc) {
        g->run.workers = (unsigned)(g->jobs >= 0 ? g->jobs : s.config.jobs);
        g->run.memory_limit = s.config.memory_limit;
        g->run.strict = s.config.strict;
        az_sandbox_settle(&s.plan);
        status = az_run(&s.plan, &g->run);
    }
    az_saved_release(&s.saved);
    az_plan_release(&s.plan);
    az_diag_release(&s.diag);
    az_config_release(&s.config);
    return status;
}

static int run_gate(const struct az_cmd *cmd, int argc, char **argv)
{
    struct gate_args g = { .cmd = cmd, .jobs = -1 };
    struct az_args a;
    bool help;
    int rc;

    az_vec_init(&g.formats, NULL);
    az_vec_init(&g.base, NULL);
    az_vec_init(&g.over, NULL);
    az_vec_init(&g.rules, NULL);
    az_args_init(&a, cmd, argc, argv);
    rc = az_args_parse(&a, one_option, &g, &help);
    g.operands = a.operands;
    g.n = a.n_operands;
    g.run.log.color = az_use_color(g.run.color, STDERR_FILENO);
    if (rc == AZ_EXIT_OK && !help)
        rc = check_operands(&g);
    if (rc == AZ_EXIT_OK && !help)
        rc = run_session(&g);
    az_vec_release(&g.formats);
    az_vec_release(&g.base);
    az_vec_release(&g.over);
    az_vec_release(&g.rules);
    return rc;
}

const struct az_cmd az_cmd_gate = {
    "gate",
    "--config=FILE | BASE CAND... | --calibrate RUN...",
    "compare runs with a baseline: pass or fail",
    "BASE and CAND are profiles, result JSONs, workbooks, folders of CSV tables, or folders of "
    "these; files of a folder whose\nnames differ only in the rank are one run. Several CAND, and "
    "BASE with --baseline, are repeated runs: with four or more\nper side, a significance test "
    "distinguishes a change from noise. Without --rule, the key metrics are compared: "
    "total,\nbusy, median step, idle, exposed communication, exposed copies, kernel families.",
    options,
    AZ_LENGTH(options),
    run_gate
};
