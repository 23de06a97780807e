/* `analyzer serve`: profiles for editors and agents. */
#include "serve/serve.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cmds/run_args.h"
#include "io/fs_errors.h"
#include "run/session.h"

enum { OPT_SOCKET = OPT_OWN, OPT_BYTES, OPT_TIME };

static const struct az_cmd_opt options[] = {
    { OPT_SOCKET, "socket", "PATH",
      "listen on a Unix socket (owner only) instead of standard input" },
    { OPT_BYTES, "max-bytes", "SIZE", "approximate size limit of a response in bytes (64K)" },
    { OPT_TIME, "timeout", "SECONDS", "time limit per statement (30)" },
    AZ_ROWS_OF_QUESTIONS,
};

struct serving {
    const struct az_cmd *cmd;
    struct az_run_args run;
    const char *socket;
    const char *const *paths;
    size_t n;
    struct az_server_limits limits;
    struct az_session session;
    bool open;
};

static bool changed(void *ctx, size_t input)
{
    const struct serving *x = ctx;
    return az_session_changed(&x->session, input);
}

/* A filter stays: later plans are of the same inputs. */
static void on_plan(void *ctx, const struct az_plan *plan)
{
    const struct serving *x = ctx;
    if (!x->open)
        az_sandbox_settle_for(plan, &(struct az_sandbox_needs){ .write = { x->socket },
                                                                .read = x->paths,
                                                                .n_read = x->n,
                                                                .sockets = x->socket != NULL,
                                                                .replaced = true });
}

static int open_session(struct serving *x, struct az_diag *diag)
{
    const int rc = az_session_open(&x->session, x->paths, x->n, &x->run.over, on_plan, x, diag);

    x->open = true;
    for (size_t i = 0; i < x->session.n; i++)
        az_diag_append(diag, &x->session.inputs[i].diag);
    return rc;
}

static int reload(void *ctx, const struct az_query_source **source, struct az_diag *diag)
{
    struct serving *x = ctx;

    az_session_close(&x->session);
    const int rc = open_session(x, diag);
    *source = &x->session.source;
    return rc;
}

static int serve(struct serving *x, struct az_diag *diag)
{
    const struct az_server_inputs in = {
        .source = &x->session.source, .changed = changed, .reload = reload, .ctx = x
    };
    struct az_server *s = NULL;
    int rc = open_session(x, diag);

    az_diag_print(diag, &x->run.run.log);
    az_diag_release(diag);
    az_diag_init(diag);
    const bool lacking = !rc && az_fs_error_print(); /* now: a server ends in days */
    if (!rc)
        rc = az_server_new(&s, &in, &x->limits);
    const struct az_cancel stop = x->session.conf.cancel;
    if (!rc && x->socket)
        rc = az_serve_socket(s, x->socket, stop, diag);
    else if (!rc)
        rc = az_serve_lines(s, STDIN_FILENO, STDOUT_FILENO, stop);
    if (rc == AZ_EIO && !x->socket)
        (void)az_diag_fail(diag, rc, AZ_AT_FILE(AZ_SV("standard input and output")),
                           "cannot read or write a message: %s; check the client", strerror(errno));
    az_server_free(s);
    if (x->open)
        az_session_close(&x->session);
    az_diag_print(diag, &x->run.run.log);
    return !rc && lacking ? AZ_EIO : rc;
}

static int take_option(void *ctx, int id, const char *value)
{
    struct serving *x = ctx;
    uint64_t size;
    double seconds;

    switch (id) {
    case OPT_SOCKET:
        x->socket = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(x->cmd, "missing file name for --socket; use --socket=FILE");
    case OPT_BYTES:
        if (az_parse_size(az_sv_str(value), &size) || size < 1024 || size > 64u << 20)
            return az_usage_error(x->cmd, "invalid --max-bytes '%s'; use a size from 1K to 64M",
                                  value);
        x->limits.bytes = (int64_t)size;
        return AZ_EXIT_OK;
    case OPT_TIME:
        if (az_parse_f64(az_sv_str(value), &seconds) || seconds <= 0 || seconds > 1e6)
            return az_usage_error(x->cmd, "invalid --timeout '%s'; use a number of seconds", value);
        x->limits.ms = seconds < 0.001 ? 1 : (int64_t)(seconds * 1000);
        return AZ_EXIT_OK;
    default:
        return az_run_option(x->cmd, &x->run, id, value);
    }
}

/* SIGTERM ends a server cleanly. */
static int exit_status(int rc)
{
    switch (rc) {
    case AZ_OK:
    case AZ_EINTR:
        return AZ_EXIT_OK;
    case AZ_EUSAGE:
    case AZ_ECONFIG:
        return AZ_EXIT_USAGE;
    case AZ_ENOMEM:
    case AZ_EINTERNAL:
        return AZ_EXIT_INTERNAL;
    default:
        return AZ_EXIT_PARTIAL;
    }
}

static int run_serve(const struct az_cmd *cmd, int argc, char **argv)
{
    struct serving x = { .cmd = cmd };
    struct az_args args;
    struct az_diag diag;
    bool help;
    int rc;

    az_run_args_init(&x.run);
    az_diag_init(&diag);
    az_args_init(&args, cmd, argc, argv);
    rc = az_args_parse(&args, take_option, &x, &help);
    if (!rc && !help && args.n_operands == 0)
        rc = az_usage_error(cmd, "no inputs; name files or folders");
    if (!rc && !help) {
        x.paths = (const char *const *)args.operands;
        x.n = args.n_operands;
        az_run_fill_opts(&x.run);
        rc = exit_status(serve(&x, &diag));
    }
    az_diag_release(&diag);
    az_run_args_release(&x.run);
    return rc;
}

const struct az_cmd az_cmd_serve = {
    "serve",
    "PATH...",
    "MCP server for editors and agents (Model Context Protocol)",
    "Exchanges JSON-RPC 2.0 messages, one per line, on standard input and output: initialize, "
    "ping, tools/list, tools/call,\nresources/list, resources/read (query.md of the "
    "documentation). Inputs are "
    "read once. Terminates at end of input or on SIGTERM.",
    options,
    AZ_LENGTH(options),
    run_serve
};
