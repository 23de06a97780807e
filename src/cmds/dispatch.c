/* argv to command. `analyzer --config=FILE` is `analyzer run --config=FILE`, and `analyzer FILE...`
 * is `analyzer run FILE...`. */
#include "cmds/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/fs_errors.h"
#include "io/path.h"

/* Programs whose users may search for them here, with what is there instead. */
static const struct {
    const char *name, *instead;
} elsewhere[] = {
    { "generate_perf_report_jax_analysis", "use 'analyzer run'" },
    { "compare_traces_jax_llama", "use 'analyzer compare'" },
    { "match_inference_trace_blocks", "use 'analyzer compare --tree'" },
    { "batched_replay", "use 'analyzer replay'" },
    { "run_perf_model", "use 'analyzer run'" },
    { "microbench", "use 'analyzer replay'" },
};

/* Words that other tools have for what is done here otherwise. */
static const struct {
    const char *name, *instead;
} habits[] = {
    { "analyse", "analyzer FILE" },
    { "analyze", "analyzer FILE" },
    { "profile", "analyzer FILE" },
    { "report", "analyzer FILE" },
    { "show", "analyzer FILE" },
    { "stat", "analyzer FILE" },
    { "stats", "analyzer FILE" },
    { "summarize", "analyzer FILE" },
    { "summary", "analyzer FILE" },
    { "top", "analyzer FILE" },
    { "browse", "analyzer FILE --format html" },
    { "html", "analyzer FILE --format html" },
    { "open", "analyzer FILE --format html" },
    { "timeline", "analyzer FILE --format html" },
    { "view", "analyzer FILE --format html" },
    { "convert", "analyzer FILE --format json,sqlite -o DIR" },
    { "export", "analyzer FILE --format json,sqlite -o DIR" },
    { "diff", "analyzer compare BASELINE CANDIDATE" },
    { "check", "analyzer gate BASELINE CANDIDATE" },
    { "info", "analyzer probe FILE" },
    { "select", "analyzer query FILE \"SELECT ...\"" },
    { "sql", "analyzer query FILE \"SELECT ...\"" },
};

const char *az_cmd_instead(const char *word)
{
    for (size_t i = 0; i < AZ_LENGTH(habits); i++)
        if (strcmp(word, habits[i].name) == 0)
            return habits[i].instead;
    return NULL;
}

static int unknown_command(const char *word)
{
    static const char prefix[] = "TraceLens_";
    const char *script = strncmp(word, prefix, sizeof prefix - 1) ? word : word + sizeof prefix - 1;

    for (size_t i = 0; i < AZ_LENGTH(elsewhere); i++)
        if (strcmp(script, elsewhere[i].name) == 0)
            return az_usage_error(
                NULL, "'%s' is not available; %s (from-tracelens-programs.md of the documentation)",
                word, elsewhere[i].instead);
    const char *near = az_cmd_nearest(word), *instead = az_cmd_instead(word);

    if (!*word)
        return az_usage_error(NULL, "empty path ''; name a file");
    if (instead)
        return az_usage_error(NULL, "unknown command '%s'; use '%s'", word, instead);
    if (near)
        return az_usage_error(NULL, "unknown command '%s' (did you mean '%s'?)", word, near);
    for (size_t i = 0; i < az_cmd_run.n_opts; i++)
        if (strcmp(word, az_cmd_run.opts[i].name) == 0)
            return az_usage_error(NULL,
                                  "unknown command '%s'; it is an option: 'analyzer --%s%s%s'",
                                  word, word, az_cmd_run.opts[i].arg ? "=" : "",
                                  az_cmd_run.opts[i].arg ? az_cmd_run.opts[i].arg : "");
    return az_usage_error(NULL, "unknown command '%s'", word);
}

static int dispatch(int argc, char **argv)
{
    const struct az_cmd *cmd;
    const struct az_sv name = argc > 0 ? az_path_base(az_sv_str(argv[0])) : AZ_SV("");

    cmd = az_cmd_of_script(name);
    if (cmd) /* installed in place of that program */
        return cmd->run(cmd, argc, argv);
    if (argc < 2) {
        az_usage_error(NULL, "missing argument; use 'analyzer FILE' for a profile or "
                             "--config=FILE for a configuration");
        return AZ_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        az_print_usage();
        return AZ_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0)
        return az_cmd_version.run(&az_cmd_version, 1, argv);
    if (argv[1][0] == '-')
        return az_cmd_run.run(&az_cmd_run, argc, argv);
    cmd = az_cmd_find(argv[1]);
    if (cmd)
        return cmd->run(cmd, argc - 1, argv + 1);
    /* what is there, but cannot be reached, and names of files, have a message as an input */
    if (az_path_stat(argv[1]).kind != AZ_PATH_MISSING || (errno != ENOENT && errno != ENOTDIR) ||
        strpbrk(argv[1], "./*"))
        return az_cmd_run.run(&az_cmd_run, argc, argv);
    return unknown_command(argv[1]);
}

/* A descriptor 0, 1 or 2 that is closed would go to the next file opened, and text meant for
 * standard output would be written into a report. It is replaced by /dev/null, opened the wrong way
 * round, so that using it still fails. */
static void occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return; /* without /dev/null there is no replacement */
}

/* Has the reader of standard output (`| head`) seen enough? */
static bool is_broken_pipe(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Unreported errors: a run that found nothing where the search failed is not complete. */
static int said_all(int rc)
{
    if ((rc != AZ_EXIT_OK && rc != AZ_EXIT_GATE && rc != AZ_EXIT_PARTIAL) || !az_fs_error_print())
        return rc;
    return rc == AZ_EXIT_OK ? AZ_EXIT_PARTIAL : rc;
}

int az_command(int argc, char **argv) { return dispatch(argc, argv); }

int az_main(int argc, char **argv)
{
    const struct az_log log = { .level = AZ_LOG_QUIET };
    bool failed, gone;
    int rc;

    occupy_standard_streams();
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that goes, or a file that may not grow, is an */
    (void)signal(SIGXFSZ, SIG_IGN); /* error of writing, in every command */
    az_sandbox_begin(&argc, argv);
    rc = dispatch(argc, argv);
    rc = said_all(rc);
    if (rc == AZ_EXIT_INTERNAL) /* with or without a word before */
        az_log_line(&log, AZ_LOG_QUIET,
                    "error: terminated early: out of memory, or an internal error");

    errno = 0;
    failed = ferror(stdout) != 0; /* when a full buffer was written; the reason is gone */
    gone = is_broken_pipe();
    if ((fclose(stdout) != 0 || failed) && !gone && (rc == AZ_EXIT_OK || rc == AZ_EXIT_GATE)) {
        fprintf(stderr, "analyzer: error: standard output: %s\n",
                errno ? strerror(errno) : "incomplete write");
        rc = rc == AZ_EXIT_OK ? AZ_EXIT_PARTIAL : rc;
    }
    return rc;
}
