/* `analyzer replay`: measures the operators of a report again, from a folder of benchmark commands.
 */
#include "cmds/run_args.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "io/path.h"
#include "replay/replay.h"

enum { OPT_EMIT = OPT_OWN, OPT_RULE, OPT_SHARE, OPT_FORCE, OPT_TIMEOUT, OPT_NO_TORCH };

struct replay {
    const struct az_cmd *cmd;
    const char *emit, *dir, *csv_dir, *xlsx;
    struct az_replay_opts emission;
    struct az_replay_run_opts run;
    struct az_vec_sv formats; /* views into argv */
    bool text, quiet;
    struct az_log log;
};

/* ---- writing the folder ---- */

/* What cannot be printed is reported when the program ends. */
static void print(const struct az_vec_char *text)
{
    if (text->n)
        fwrite(text->v, 1, text->n, stdout);
    fflush(stdout);
}

static int emit_document(struct replay *r, const struct az_document *doc, struct az_diag *diag)
{
    struct az_replay_counts n;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    int rc = az_replay_emit(doc, r->emit, &r->emission, &text, &n, diag);
    if (!rc)
        rc = az_text_printf(&text, "%zu of %zu rows selected, %zu command%s in %s\n", n.kept,
                            n.rows, n.commands, n.commands == 1 ? "" : "s", r->emit);
    if (!rc && !r->quiet)
        print(&text);
    az_vec_release(&text);
    return rc;
}

static int emit_job(struct replay *r, const struct az_plan_job *job, struct az_diag *diag)
{
    const struct az_run_opts opts = { .memory_limit = 0 };
    struct az_result res;
    struct az_document doc;
    az_result_init(&res, 0);
    int rc = az_analyze_input(job, &opts, 1, &res, diag, NULL);
    if (!res.reportable && rc) {
        az_result_release(&res);
        return rc;
    }
    az_document_init(&doc, &res.arena);
    rc = az_replay_tables(&res.doc, &doc, diag);
    if (!rc)
        rc = emit_document(r, &doc, diag);
    az_document_release(&doc);
    az_result_release(&res);
    return rc;
}

static int write_commands(struct replay *r, const struct az_args *a, struct az_diag *diag,
                          bool *usage)
{
    struct az_config conf;
    struct az_config_names names;
    struct az_overrides none;
    struct az_plan plan;
    int rc = az_config_init(&conf);
    if (rc)
        return rc;
    az_vec_init(&none, NULL);
    az_plan_init(&plan);
    *usage = true;
    rc = az_plan_names(&plan.arena, &names);
    if (!rc)
        rc = az_config_quick(&conf, &none, &names, diag);
    conf.cancel = az_signals_install();
    if (!rc)
        rc = az_plan_paths(&conf, (const char *const *)a->operands, a->n_operands, diag);
    if (!rc)
        rc = az_plan_make(&plan, &conf, diag);
    if (!rc && plan.jobs.n != 1)
        rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE,
                          "%zu inputs, but --emit requires one; name the files of one input",
                          plan.jobs.n);
    if (!rc) {
        *usage = false;
        rc = plan.jobs.v[0].error;
        if (!rc)
            az_sandbox_settle_for(
                &plan, &(struct az_sandbox_needs){ .write = { r->emit }, .no_reports = true });
        if (!rc)
            rc = emit_job(r, &plan.jobs.v[0], diag);
        az_diag_print(&plan.jobs.v[0].diag, &r->log);
    }
    az_plan_release(&plan);
    az_config_release(&conf);
    return rc;
}

/* ---- running ---- */

static bool cancelled(void *ctx)
{
    (void)ctx;
    return az_interrupted();
}

static void progress(void *ctx, const char *what)
{
    const struct replay *r = ctx;
    az_log_line(&r->log, AZ_LOG_VERBOSE, "%s", what ? what : "");
}

static int write_one(struct replay *r, const struct az_document *doc, const char *format,
                     const char *path, struct az_diag *diag)
{
    const struct az_report *report = az_report_find(az_sv_str(format));
    struct az_arena scratch;
    az_arena_init(&scratch, NULL);
    int rc = report ? report->write(doc, path, &scratch, diag) : AZ_EINTERNAL;
    az_arena_release(&scratch);
    if (!rc)
        az_log_line(&r->log, AZ_LOG_VERBOSE, "wrote %s", path);
    return rc;
}

static int write_reports(struct replay *r, struct az_document *doc, const char *dir,
                         struct az_diag *diag)
{
    int failed = 0;
    if (r->csv_dir)
        failed |= write_one(r, doc, "csv", r->csv_dir, diag);
    if (r->xlsx)
        failed |= write_one(r, doc, "xlsx", r->xlsx, diag);
    for (size_t i = 0; i < r->formats.n; i++) {
        const struct az_report *report = az_report_find(r->formats.v[i]);
        struct az_sv path = az_arena_printf(doc->arena, "%s/replay_report%s", r->dir ? r->dir : dir,
                                            report ? report->extension : "");
        if (report && path.p)
            failed |= write_one(r, doc, report->name, path.p, diag);
    }
    return failed;
}

static int print_text(const struct az_document *doc)
{
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    int rc = az_text_write(doc, &text, az_use_color(AZ_AUTO, STDOUT_FILENO));
    if (!rc)
        print(&text);
    az_vec_release(&text);
    return rc;
}

/* --dry-run: the commands, one a line. */
static int print_commands(const struct az_document *doc)
{
    struct az_vec_char text;
    int rc = 0;
    az_vec_init(&text, NULL);
    for (size_t i = 0; rc == 0 && i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        ptrdiff_t command = az_table_find(t, "command"), status = az_table_find(t, "status");
        for (size_t row = 0; rc == 0 && row < t->rows; row++) {
            struct az_sv c = az_cell_text(az_table_at(t, row, (size_t)command));
            struct az_sv s = az_cell_text(az_table_at(t, row, (size_t)status));
            struct az_sv title = t->columns.v[0].name, group = az_sv_cut(&title, ' ');
            rc = az_text_printf(&text, "%.*s %lld: %.*s\n", AZ_SVF(group),
                                (long long)az_table_at(t, row, 0)->i,
                                AZ_SVF(az_sv_is(s, "ok") ? c : s));
        }
    }
    if (!rc)
        print(&text);
    az_vec_release(&text);
    return rc;
}

static int run_folder(struct replay *r, const char *dir, struct az_diag *diag)
{
    struct az_arena arena;
    struct az_document doc;
    size_t failed = 0;
    az_arena_init(&arena, NULL);
    az_document_init(&doc, &arena);
    doc.title = az_sv_str(dir);
    doc.input = az_sv_str(dir);
    doc.format = AZ_SV("replay");
    doc.text_columns = az_text_columns();
    doc.text_full = doc.text_all = r->log.level >= AZ_LOG_VERBOSE;
    r->run.cancelled = cancelled;
    r->run.progress = progress;
    r->run.ctx = r;
    az_signals_install();
    if (r->run.dry_run) /* nothing is started */
        az_sandbox_settle_for(NULL, &(struct az_sandbox_needs){ .read = &dir, .n_read = 1 });
    int rc = az_replay_run(dir, &r->run, &doc, &failed, diag);
    if (!rc && r->run.dry_run)
        rc = print_commands(&doc);
    else if (!rc && r->text)
        rc = print_text(&doc);
    if (!rc && !r->run.dry_run)
        rc = write_reports(r, &doc, dir, diag);
    if (!rc && failed)
        rc = AZ_ECHILD; /* reported row by row */
    az_document_release(&doc);
    az_arena_release(&arena);
    return rc;
}

/* ---- options ---- */

static int add_formats(struct replay *r, const char *list)
{
    struct az_sv rest = az_sv_str(list);
    r->text = false;
    while (rest.n) {
        struct az_sv name = az_sv_trim(az_sv_cut(&rest, ','));
        if (az_sv_ieq(name, AZ_SV("text"))) {
            r->text = true;
        } else if (!az_report_find(name)) {
            return az_unknown_format(r->cmd, name);
        } else if (az_vec_push(&r->formats, name)) {
            return AZ_EXIT_INTERNAL;
        }
    }
    return AZ_EXIT_OK;
}

static int parse_rule(struct replay *r, const char *value)
{
    if (strcmp(value, "below") == 0)
        r->emission.rule = AZ_REPLAY_BELOW;
    else if (strcmp(value, "reach") == 0)
        r->emission.rule = AZ_REPLAY_REACH;
    else
        return az_usage_error(r->cmd, "invalid --rule '%s'; use below or reach", value);
    return AZ_EXIT_OK;
}

static int parse_numbers(struct replay *r, int id, const char *value)
{
    int64_t seconds;
    if (id == OPT_SHARE) {
        if (az_parse_f64(az_sv_str(value), &r->emission.share) ||
            !(r->emission.share > 0 && r->emission.share <= 1))
            return az_usage_error(
                r->cmd, "invalid --share '%s'; use a number above 0 and at most 1", value);
        return AZ_EXIT_OK;
    }
    if (az_parse_i64(az_sv_str(value), &seconds) || seconds < 1 || seconds > 86400)
        return az_usage_error(
            r->cmd, "invalid --timeout '%s'; use a number of seconds from 1 to 86400", value);
    r->run.timeout_s = (unsigned)seconds;
    return AZ_EXIT_OK;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct replay *r = ctx;

    switch (id) {
    case OPT_EMIT:
        r->emit = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(r->cmd, "missing folder name for --emit; use --emit=DIR");
    case OPT_RULE:
        return parse_rule(r, value);
    case OPT_SHARE:
    case OPT_TIMEOUT:
        return parse_numbers(r, id, value);
    case OPT_FORCE:
        r->emission.force = true;
        return AZ_EXIT_OK;
    case OPT_NO_TORCH:
        r->run.no_torch = true;
        return AZ_EXIT_OK;
    case OPT_DRY_RUN:
        r->run.dry_run = true;
        return AZ_EXIT_OK;
    case OPT_FORMAT:
        return add_formats(r, value);
    case OPT_CSV_DIR:
        r->csv_dir = value;
        return AZ_EXIT_OK;
    case OPT_XLSX:
        r->xlsx = value;
        return AZ_EXIT_OK;
    case 'o':
        r->dir = value;
        return *value ? AZ_EXIT_OK : az_usage_error(r->cmd, "missing name for -o; use -o PATH");
    case 'q':
        r->log.level = AZ_LOG_QUIET;
        r->quiet = true;
        r->text = false;
        return AZ_EXIT_OK;
    default:
        r->log.level = AZ_LOG_VERBOSE;
        return AZ_EXIT_OK;
    }
}

static int status_of(int rc, bool usage)
{
    const int status = az_run_exit_status(rc);
    return status == AZ_EXIT_USAGE && rc != AZ_EUSAGE && !usage ? AZ_EXIT_PARTIAL : status;
}

static int session(struct replay *r, const struct az_args *a)
{
    struct az_diag diag;
    bool usage = false;
    az_diag_init(&diag);
    int rc = r->emit ? write_commands(r, a, &diag, &usage) : run_folder(r, a->operands[0], &diag);
    fflush(stdout);
    az_diag_print(&diag, &r->log);
    if (rc == AZ_EINTR)
        az_log_line(&r->log, AZ_LOG_QUIET, "interrupted");
    else if (rc && diag.errors == 0 && diag.warnings == 0)
        az_log_line(&r->log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    az_diag_release(&diag);
    return status_of(rc, usage);
}

static int run_replay(const struct az_cmd *cmd, int argc, char **argv)
{
    struct replay r = { .cmd = cmd, .text = true, .log = { .level = AZ_LOG_NORMAL } };
    struct az_args a;
    bool help;
    int rc;

    az_vec_init(&r.formats, NULL);
    az_args_init(&a, cmd, argc, argv);
    r.log.color = az_use_color(AZ_AUTO, STDERR_FILENO);
    rc = az_args_parse(&a, one_option, &r, &help);
    if (!rc && !help && a.n_operands == 0)
        rc = az_usage_error(cmd, r.emit ? "missing input for --emit; name the files of one input"
                                        : "missing folder; name the folder to replay");
    if (!rc && !help && !r.emit && a.n_operands > 1)
        rc = az_usage_error(cmd, "unexpected argument '%s'; name one folder to replay",
                            a.operands[1]);
    if (!rc && !help)
        rc = session(&r, &a);
    az_vec_release(&r.formats);
    return rc;
}

static const struct az_cmd_opt options[] = {
    { OPT_EMIT, "emit", "DIR",
      "write the replay folder DIR from the PyTorch trace PATH; do not run it" },
    { OPT_RULE, "rule", "RULE",
      "with --emit: select operators whose cumulative time share is below the limit (default), or "
      "the fewest that reach it" },
    { OPT_SHARE, "share", "X", "with --emit: limit of the cumulative share, as a fraction (0.99)" },
    { OPT_FORCE, "force", NULL, "with --emit: overwrite an existing replay in DIR" },
    { OPT_DRY_RUN, "dry-run", NULL, "list the commands to be run, then exit" },
    { OPT_TIMEOUT, "timeout", "SECONDS", "time limit per command (600)" },
    { OPT_NO_TORCH, "no-torch", NULL, "run benchmarks only; do not time operators with PyTorch" },
    { OPT_FORMAT, "format", "LIST", "output formats (text): text and those of 'analyzer list'" },
    { 'o', "output", "DIR", "output folder of replay_report.EXT (the replay folder)" },
    { OPT_CSV_DIR, "csv-dir", "DIR", "write one CSV file per table to DIR" },
    { OPT_XLSX, "xlsx", "FILE", "write a workbook to FILE" },
    { 'q', "quiet", NULL, "print errors only" },
    { 'v', "verbose", NULL, "print notes and each operator as it is run" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_replay = {
    "replay",
    "DIR | --emit=DIR PATH...",
    "benchmark GEMMs and convolutions in isolation",
    "DIR contains replay.json and the commands, or logs of the libraries (hipblaslt-bench-N.log, "
    "miopen-driver-N.log).\nOnly hipblaslt-bench, MIOpenDriver and python3 are run; their output "
    "is stored in *.out.",
    options,
    AZ_LENGTH(options),
    run_replay
};
