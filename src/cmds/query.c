/* `analyzer query`: SQL over profiles. */
#include "cmds/run_args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/num.h"
#include "io/path.h"
#include "io/watchdog.h"
#include "run/session.h"

enum { OPT_ROWS = OPT_OWN, OPT_TIME, OPT_SQL_MEMORY };

static const struct az_cmd_opt options[] = {
    { 'f', "file", "FILE", "read statements from FILE; '-': standard input" },
    { OPT_FORMAT, "format", "FORMAT", "output format: text, csv or json (text)" },
    { OPT_ROWS, "max-rows", "N", "maximum number of rows of a result; 0: all (1,000,000)" },
    { OPT_TIME, "timeout", "SECONDS", "time limit per statement; 0: none (300)" },
    { OPT_SQL_MEMORY, "query-memory", "SIZE", "memory limit per statement, for example 512M (2G)" },
    AZ_ROWS_OF_QUESTIONS,
};

struct query_ctx {
    const struct az_cmd *cmd;
    struct az_run_args run;
    const char *file;
    enum az_query_form form;
    struct az_query_limits limits;
    struct az_diag diag;
    struct az_session session;
    struct az_query *query;
    struct az_query_printer *printer;
    bool hinted;      /* the note on shortened texts was printed */
    bool partial;     /* a result was truncated, or a statement failed while others did not */
    int stdout_errno; /* why standard output could not be written */
};

/* ---- statements ---- */

static int print_rows(void *ctx, struct az_sv text)
{
    struct query_ctx *a = ctx;

    errno = 0;
    if (fwrite(text.p, 1, text.n, stdout) == text.n)
        return AZ_OK;
    if (!a->stdout_errno)
        a->stdout_errno = errno ? errno : EIO;
    return AZ_EIO;
}

static void print_messages(struct query_ctx *a)
{
    az_diag_print(&a->diag, &a->run.run.log);
    az_diag_release(&a->diag);
    az_diag_init(&a->diag);
}

static void on_watch(void *ctx, int64_t ms)
{
    (void)ctx;
    if (ms)
        az_watchdog_start(ms, STDERR_FILENO,
                          AZ_SV("analyzer: error: statement exceeded the time limit inside one SQL "
                                "function; shorten its texts\n"),
                          AZ_EXIT_PARTIAL);
    else
        az_watchdog_stop();
}

static int run_sql(struct query_ctx *a, struct az_sv sql)
{
    struct az_query_sink sink = az_query_printer_sink(a->printer);
    int rc = AZ_OK, failed = AZ_OK;

    while (!rc && sql.n) {
        struct az_sv rest = AZ_SV("");
        bool cut = false;
        int64_t rows;
        rc = az_query_run(a->query, sql, &sink, &rest, &a->diag);
        fflush(stdout);
        rows = az_query_printer_rows(a->printer, &cut);
        if (!rc && cut)
            az_diag_add(&a->diag, AZ_WARNING, AZ_NOWHERE,
                        "result truncated after %lld rows; use --max-rows=0 for all",
                        (long long)rows);
        a->partial |= cut;
        if (!rc && !a->hinted && az_query_printer_shortened(a->printer)) {
            az_diag_add(&a->diag, AZ_HINT, AZ_NOWHERE,
                        "long texts are shortened to the terminal; --format=csv has them whole");
            a->hinted = true;
        }
        print_messages(a);
        sql = rest;
        failed = failed ? failed : rc;
    }
    return failed;
}

static int run_dot_command(struct query_ctx *a, struct az_sv line, bool *quit)
{
    struct az_sv rest = line;
    const struct az_sv word = az_sv_cut(&rest, ' '), what = az_sv_trim(rest);
    struct az_vec_char text;
    int rc = AZ_OK;

    az_vec_init(&text, NULL);
    if (az_sv_is(word, ".tables"))
        rc = run_sql(a, AZ_SV("SELECT name, kind, rows, title FROM tables"));
    else if (az_sv_is(word, ".schema"))
        rc = az_query_schema(a->query, what, &text);
    else if (az_sv_is(word, ".quit") || az_sv_is(word, ".exit"))
        *quit = true;
    else if (az_sv_is(word, ".help"))
        rc = az_text_append(
            &text, AZ_SV(".tables          list the tables\n.schema [TABLE]  columns, types, "
                         "units\n.quit            exit\nA statement ends with a semicolon.\n"));
    else
        rc = az_diag_fail(&a->diag, AZ_EUSAGE, AZ_NOWHERE,
                          "unknown command '%.*s'; use .tables, .schema, .help or .quit",
                          AZ_SVF(word));
    if (!rc && text.n)
        rc = print_rows(a, az_text_view(&text));
    az_vec_release(&text);
    print_messages(a);
    return rc;
}

/* Statements line by line; with a prompt an error does not end it. */
static int run_lines(struct query_ctx *a, FILE *from, bool prompt)
{
    struct az_vec_char pending;
    char line[4096];
    bool quit = false;
    int rc = AZ_OK, failed = AZ_OK;

    az_vec_init(&pending, NULL);
    while (!rc && !quit && !az_interrupted()) {
        if (prompt) {
            fputs(pending.n ? "  ...> " : "query> ", stdout);
            fflush(stdout);
        }
        if (!fgets(line, sizeof line, from))
            break;
        const struct az_sv text = az_sv_str(line), trimmed = az_sv_trim(text);
        if (pending.n == 0 && (!trimmed.n || trimmed.p[0] == '.')) {
            rc = trimmed.n ? run_dot_command(a, trimmed, &quit) : AZ_OK;
        } else {
            rc = az_text_append(&pending, text);
            if (!rc)
                rc = az_vec_push(&pending, '\0');
            if (!rc && az_query_complete(pending.v)) {
                rc = run_sql(a, az_sv_trim(az_sv_make(pending.v, pending.n - 1)));
                az_vec_reset(&pending);
            } else if (!rc) {
                pending.n--;
            }
        }
        if (prompt && rc != AZ_EINTR && rc != AZ_EIO) {
            failed = rc ? AZ_OK : failed;
            rc = AZ_OK;
        }
    }
    if (!rc && ferror(from) && !az_interrupted())
        rc = az_diag_fail(&a->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(a->file ? a->file : "-")),
                          "cannot read statements: %s", strerror(errno));
    if (!rc && pending.n && !az_interrupted()) /* the last needs no semicolon */
        rc = run_sql(a, az_sv_trim(az_text_view(&pending)));
    az_vec_release(&pending);
    return az_interrupted() ? AZ_EINTR : rc ? rc : failed;
}

static int run_file(struct query_ctx *a, const char *path)
{
    FILE *f;
    int rc;

    if (strcmp(path, "-") == 0)
        return run_lines(a, stdin, isatty(STDIN_FILENO));
    f = fopen(path, "r");
    if (!f)
        return az_diag_fail(&a->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot read: %s",
                            strerror(errno));
    rc = run_lines(a, f, false);
    fclose(f);
    return rc;
}

static int run_all(struct query_ctx *a, const char *sql)
{
    bool quit;

    if (a->file)
        return run_file(a, a->file);
    if (!sql)
        return run_file(a, "-");
    const struct az_sv text = az_sv_trim(az_sv_str(sql));
    return text.n && text.p[0] == '.' ? run_dot_command(a, text, &quit) : run_sql(a, text);
}

/* ---- from arguments to an exit status ---- */

/* The last operand is the statement, unless it names a file. */
static bool is_sql(const char *operand)
{
    return az_path_stat(operand).kind == AZ_PATH_MISSING &&
           (strchr(operand, ' ') || strchr(operand, '\n') || strncmp(operand, ".schema", 7) == 0 ||
            strcmp(operand, ".tables") == 0);
}

/* A word that may be the name of a table, and is none of a file. */
static bool is_table(const char *operand)
{
    return az_path_stat(operand).kind == AZ_PATH_MISSING &&
           operand[strspn(operand, "abcdefghijklmnopqrstuvwxyz_0123456789")] == '\0';
}

/* Inputs first, then the statement; AZ_EXIT_OK, or the status after a message. */
static int check_order(const struct az_args *args)
{
    for (size_t i = 0; i + 1 < args->n_operands; i++)
        if (is_sql(args->operands[i]))
            return strcmp(args->operands[i], ".schema") == 0 && is_table(args->operands[i + 1])
                       ? az_usage_error(args->cmd,
                                        "'.schema' without its table; quote them: '.schema %s'",
                                        args->operands[i + 1])
                       : az_usage_error(args->cmd,
                                        "statement '%s' before '%s'; name the files first",
                                        args->operands[i], args->operands[i + 1]);
    const char *last = args->n_operands > 1 ? args->operands[args->n_operands - 1] : ".";

    if (is_table(last))
        return az_usage_error(args->cmd,
                              "'%s' is neither a file nor a statement; of a table, use "
                              "'SELECT * FROM %s'",
                              last, last);
    return AZ_EXIT_OK;
}

/* A reader that has seen enough (`| head`) is no failure. */
static bool is_broken_pipe(const struct query_ctx *a) { return a->stdout_errno == EPIPE; }

static int exit_status(const struct query_ctx *a, int rc)
{
    bool failed = a->partial && !is_broken_pipe(a);

    if (rc == AZ_EIO && is_broken_pipe(a))
        rc = AZ_OK;
    for (size_t i = 0; i < a->session.n; i++)
        failed |= a->session.inputs[i].error != AZ_OK || a->session.inputs[i].diag.errors > 0;
    if (rc == AZ_EUSAGE || rc == AZ_ECONFIG)
        return AZ_EXIT_USAGE;
    if (rc == AZ_EINTR || rc == AZ_ENOMEM || rc == AZ_EINTERNAL)
        return az_run_exit_status(rc);
    return rc || failed ? AZ_EXIT_PARTIAL : AZ_EXIT_OK;
}

static void on_plan(void *ctx, const struct az_plan *plan)
{
    const struct query_ctx *a = ctx;
    az_sandbox_settle_for(
        plan, &(struct az_sandbox_needs){ .read = &a->file, .n_read = a->file != NULL });
}

static int run_statement(struct query_ctx *a, struct az_args *args)
{
    const bool sql =
        !a->file && args->n_operands > 1 && is_sql(args->operands[args->n_operands - 1]);
    const size_t n = args->n_operands - (sql ? 1 : 0);
    int rc = az_session_open(&a->session, (const char *const *)args->operands, n, &a->run.over,
                             on_plan, a, &a->diag);

    if (!rc) {
        a->limits.cancel = a->session.conf.cancel;
        rc = az_query_open(&a->query, &a->session.source, &a->limits, &a->diag);
    }
    if (!rc)
        rc = az_query_printer_new(&a->printer, a->form, print_rows, a);
    if (!rc && isatty(STDOUT_FILENO))
        az_query_printer_fit(a->printer, az_env_width(STDOUT_FILENO));
    if (!rc)
        rc = run_all(a, sql ? args->operands[args->n_operands - 1] : NULL);
    const size_t errors = a->diag.errors;
    print_messages(a);
    for (size_t i = 0; i < a->session.n; i++)
        az_diag_print(&a->session.inputs[i].diag, &a->run.run.log);
    if (rc == AZ_EINTR)
        az_log_line(&a->run.run.log, AZ_LOG_QUIET, "interrupted");
    else if (a->stdout_errno && !is_broken_pipe(a))
        az_log_line(&a->run.run.log, AZ_LOG_QUIET, "error: standard output: %s",
                    strerror(a->stdout_errno));
    else if (rc == AZ_ENOMEM || (rc == AZ_EIO && !errors && a->query && !a->stdout_errno))
        az_log_line(&a->run.run.log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    rc = exit_status(a, rc);
    az_query_printer_free(a->printer);
    az_query_close(a->query);
    az_session_close(&a->session);
    return rc;
}

static int seconds(const struct az_cmd *cmd, const char *text, int64_t *ms)
{
    double x;
    if (az_parse_f64(az_sv_str(text), &x) || x < 0 || x > 1e9)
        return az_usage_error(cmd, "invalid --timeout '%s'; use a number of seconds", text);
    *ms = x > 0 && x < 0.001 ? 1 : (int64_t)(x * 1000);
    return AZ_EXIT_OK;
}

static int take_option(void *ctx, int id, const char *value)
{
    struct query_ctx *a = ctx;
    const struct az_cmd *cmd = a->cmd;
    uint64_t size;

    switch (id) {
    case 'f':
        a->file = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(cmd, "missing file name for --file; use --file=FILE");
    case OPT_FORMAT:
        a->form = strcmp(value, "csv") == 0    ? AZ_QUERY_CSV
                  : strcmp(value, "json") == 0 ? AZ_QUERY_JSON
                                               : AZ_QUERY_TEXT;
        if (a->form == AZ_QUERY_TEXT && strcmp(value, "text") != 0)
            return az_usage_error(cmd, "invalid --format '%s'; use text, csv or json", value);
        return AZ_EXIT_OK;
    case OPT_ROWS:
        if (az_parse_i64(az_sv_str(value), &a->limits.rows) || a->limits.rows < 0)
            return az_usage_error(cmd, "invalid --max-rows '%s'; use a number", value);
        return AZ_EXIT_OK;
    case OPT_TIME:
        return seconds(cmd, value, &a->limits.ms);
    case OPT_SQL_MEMORY:
        if (az_parse_size(az_sv_str(value), &size) || size > INT64_MAX)
            return az_usage_error(cmd, "invalid --query-memory '%s'; use a size such as 512M or 2G",
                                  value);
        a->limits.bytes = (int64_t)size;
        return AZ_EXIT_OK;
    default:
        return az_run_option(cmd, &a->run, id, value);
    }
}

static int run_query(const struct az_cmd *cmd, int argc, char **argv)
{
    struct query_ctx a = {
        .cmd = cmd,
        .limits = { .rows = 1000000, .ms = 300000, .bytes = (int64_t)2 << 30, .watch = on_watch }
    };
    struct az_args args;
    bool help;
    int rc;

    az_run_args_init(&a.run);
    az_diag_init(&a.diag);
    az_args_init(&args, cmd, argc, argv);
    rc = az_args_parse(&args, take_option, &a, &help);
    if (!rc && !help && args.n_operands == 0)
        rc = az_usage_error(cmd, "no inputs; name files or folders, then the statement");
    if (!rc && !help && args.n_operands == 1 && is_sql(args.operands[0]))
        rc = az_usage_error(cmd, "no file or folder before the statement '%s'", args.operands[0]);
    if (!rc && !help && !a.file)
        rc = check_order(&args);
    if (!rc && !help) {
        az_run_fill_opts(&a.run);
        rc = run_statement(&a, &args);
    }
    az_diag_release(&a.diag);
    az_run_args_release(&a.run);
    return rc;
}

const struct az_cmd az_cmd_query = {
    "query",
    "PATH... [\"SQL\"]",
    "run SQL over profiles: events, facts and report tables",
    "The last operand is the statement unless it is a file; without a statement, statements are "
    "read from standard input,\nwith a prompt on a terminal (.tables, .schema [TABLE], .quit). "
    "Statements are read-only. The fact tables below are the\nsame for every format; every report "
    "table can be queried by its ID (query.md of the documentation):",
    options,
    AZ_LENGTH(options),
    run_query
};
