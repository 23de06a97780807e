/* `analyzer bisect`: a step of `git bisect run` by the statistics of gates. */
#include "cmds/run_args.h"

#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "io/child.h"
#include "io/fs_errors.h"
#include "run/baseline_load.h"
#include "run/gates.h"

enum { OPT_GOOD = OPT_OWN, OPT_BAD, OPT_RESULT, OPT_REPEAT, OPT_FIGURE };
enum { EXIT_SKIP = 125, EXIT_STOP = 128 }; /* of git bisect run */

static const struct az_cmd_opt options[] = {
    { OPT_GOOD, "good", "RUN", "a profile or result of the good commit; repeatable" },
    { OPT_BAD, "bad", "RUN", "a profile or result of the bad commit; repeatable" },
    { OPT_RESULT, "result", "PATH",
      "output of COMMAND: a profile, a folder of profiles, or a result" },
    { OPT_REPEAT, "repeat", "N", "number of runs of COMMAND (3)" },
    { OPT_FIGURE, "figure", "NAME", "the key metric that regressed (total)" },
    { 'q', "quiet", NULL, "print neither text nor warnings" },
    { 'h', "help", NULL, "print this help" },
};

struct bisect {
    const struct az_cmd *cmd;
    struct az_vec_sv good, bad;
    const char *result, *figure;
    int64_t repeat;
    struct az_config config;
    struct az_plan plan;
    struct az_diag diag;
    struct az_saved_list saved;
    struct az_run_opts run;
    struct az_arena arena;
};

/* One run of a group: results as they are, profiles as inputs. */
static int add_run(struct bisect *b, const char *path, const char *group)
{
    const size_t saved = b->saved.n, inputs = b->config.inputs.n;
    int rc;

    if (az_saved_is(path)) {
        rc = az_saved_collect(path, &b->saved, &b->diag);
        for (size_t i = saved; i < b->saved.n; i++)
            b->saved.v[i]->title = az_sv_str(group);
        return rc;
    }
    rc = az_plan_runs(&b->config, path, &b->diag);
    for (size_t i = inputs; !rc && i < b->config.inputs.n; i++)
        b->config.inputs.v[i].run_group = az_sv_str(group);
    return rc;
}

/* Runs the command so many times; what each wrote is stored under a name of its own. */
static int measure(struct bisect *b, char **argv, bool *broken)
{
    const struct az_child_opts opts = { .output = NULL };
    int rc = AZ_OK;

    for (int64_t i = 1; !rc && i <= b->repeat; i++) {
        int status = 0;
        const char *own = az_arena_printf(&b->arena, "%s.run%lld", b->result, (long long)i).p;
        if (!own)
            return az_arena_error(&b->arena);
        rc = az_child_run((const char *const *)argv, &opts, &status, &b->diag);
        *broken = !rc && (status || access(b->result, F_OK) != 0);
        if (rc || *broken)
            break;
        if (rename(b->result, own))
            rc = az_diag_fail(&b->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(own)),
                              "cannot write; check whether it is an existing folder");
        if (!rc)
            rc = add_run(b, own, AZ_BISECT_NEW);
    }
    return rc;
}

static int prepare(struct bisect *b)
{
    struct az_config_names names;
    struct az_overrides none;
    int rc = az_plan_names(&b->plan.arena, &names);

    az_vec_init(&none, NULL);
    if (!rc)
        rc = az_config_quick(&b->config, &none, &names, &b->diag);
    az_vec_release(&none);
    b->config.cancel = az_signals_install();
    for (size_t i = 0; !rc && i < b->good.n; i++)
        rc = add_run(b, b->good.v[i].p, AZ_BISECT_GOOD);
    for (size_t i = 0; !rc && i < b->bad.n; i++)
        rc = add_run(b, b->bad.v[i].p, AZ_BISECT_BAD);
    return rc ? rc : az_config_default_gates(&b->config);
}

static int judge(struct bisect *b)
{
    int rc = AZ_OK;

    b->config.no_reports = true;
    if (!b->run.quiet)
        rc = az_vec_push(&b->config.outputs.formats, AZ_SV("text"));
    if (!rc)
        rc = az_plan_make(&b->plan, &b->config, &b->diag);
    b->plan.saved = &b->saved;
    b->plan.bisect = b->figure;
    for (size_t i = 0; i < b->plan.jobs.n; i++) {
        az_vec_reset(&b->plan.jobs.v[i].targets);
        b->plan.jobs.v[i].text = false;
    }
    if (rc)
        return rc;
    az_sandbox_settle(&b->plan);
    const int status = az_run(&b->plan, &b->run);
    return status == AZ_EXIT_OK || status == 1 ? status
           : status == AZ_EXIT_PARTIAL         ? EXIT_SKIP
                                               : EXIT_STOP;
}

static int session(struct bisect *b, char **argv)
{
    bool broken = false;
    int status = EXIT_STOP, rc = az_config_init(&b->config);

    if (rc)
        return EXIT_STOP;
    az_plan_init(&b->plan);
    az_vec_init(&b->saved, NULL);
    rc = prepare(b);
    if (!rc)
        rc = measure(b, argv, &broken);
    if (!rc && broken) {
        az_log_line(&b->run.log, AZ_LOG_NORMAL,
                    "commit skipped: the command failed or did not write '%s'", b->result);
        status = EXIT_SKIP;
    } else if (!rc) {
        status = judge(b);
    }
    az_diag_print(&b->diag, &b->run.log);
    az_saved_release(&b->saved);
    az_plan_release(&b->plan);
    az_config_release(&b->config);
    return status;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct bisect *b = ctx;

    switch (id) {
    case OPT_GOOD:
        return az_vec_push(&b->good, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_BAD:
        return az_vec_push(&b->bad, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case OPT_RESULT:
        b->result = value;
        return AZ_EXIT_OK;
    case OPT_FIGURE:
        b->figure = value;
        return AZ_EXIT_OK;
    case OPT_REPEAT:
        if (az_parse_i64(az_sv_str(value), &b->repeat) == 0 && b->repeat >= 1 && b->repeat <= 1000)
            return AZ_EXIT_OK;
        return az_usage_error(b->cmd, "invalid --repeat '%s'; use a number from 1 to 1000", value);
    default:
        b->run.quiet = true;
        b->run.log.level = AZ_LOG_QUIET;
        return AZ_EXIT_OK;
    }
}

/* A failed system call is no evidence about a commit either. */
static int said_whole(int rc) { return rc <= 1 && az_fs_error_print() ? EXIT_SKIP : rc; }

static int run_bisect(const struct az_cmd *cmd, int argc, char **argv)
{
    struct bisect b = { .cmd = cmd, .repeat = 3, .figure = "total" };
    struct az_args a;
    bool help;
    int rc;

    az_vec_init(&b.good, NULL);
    az_vec_init(&b.bad, NULL);
    az_diag_init(&b.diag);
    az_arena_init(&b.arena, NULL);
    az_args_init(&a, cmd, argc, argv);
    rc = az_args_parse(&a, one_option, &b, &help);
    if (rc == AZ_EXIT_OK && !help && (!b.good.n || !b.bad.n || !b.result || !a.n_operands))
        rc = az_usage_error(cmd, "missing arguments; use --good, --bad, --result, and after -- the "
                                 "command that measures a commit");
    if (rc != AZ_EXIT_OK)
        rc = EXIT_STOP; /* a mistake ends the search, it is no evidence about a commit */
    else if (!help)
        rc = said_whole(session(&b, a.operands));
    az_vec_release(&b.good);
    az_vec_release(&b.bad);
    az_diag_release(&b.diag);
    az_arena_release(&b.arena);
    return rc;
}

const struct az_cmd az_cmd_bisect = {
    "bisect",
    "--good RUN --bad RUN --result PATH -- COMMAND...",
    "measure a commit and classify it as good or bad (for git bisect run)",
    "Runs COMMAND --repeat times and saves its output PATH as PATH.run1, PATH.run2, ... Exit "
    "status 0: like the good\nruns; 1: like the bad runs; 125: too noisy to decide (prints the "
    "number of repetitions required), or the command\nfailed; 128: usage error. Example: git "
    "bisect start BAD GOOD && git bisect run analyzer bisect --good g.json --bad b.json\n--result "
    "out.json -- sh bench.sh",
    options,
    AZ_LENGTH(options),
    run_bisect
};
