/* `analyzer check-config FILE`: all that can be checked of a configuration without analyzing. */
#include "cmds/internal.h"

#include <stdio.h>

#include "analyses/tree_hooks/tree_hook.h"
#include "run/gates.h"

/* Messages about one input before it is read: a file that is missing, an option that means
 * nothing to its format. */
static void print_job(const struct az_plan_job *job, const struct az_log *log)
{
    for (size_t i = 0; i < job->diag.list.n; i++) {
        const struct az_message *m = &job->diag.list.v[i];
        if (m->severity == AZ_ERROR)
            az_log_line(log, AZ_LOG_QUIET, "error: input '%.*s' would fail: %.*s",
                        AZ_SVF(job->input->title), AZ_SVF(m->text));
        else if (m->severity == AZ_WARNING)
            az_log_line(log, AZ_LOG_NORMAL, "warning: %.*s", AZ_SVF(m->text));
    }
}

/* A script of the user's is loaded as a run would. */
static bool script_fails(const struct az_plan_job *job, const struct az_log *log)
{
    struct az_diag messages;

    if (!job->format)
        return false;
    az_diag_init(&messages);
    const bool fails = az_framework_script_check(&job->input->opts, &messages) != AZ_OK;
    for (size_t i = 0; i < messages.list.n; i++)
        az_log_line(log, AZ_LOG_QUIET, "error: script of input '%.*s' skipped: %.*s",
                    AZ_SVF(job->input->title), AZ_SVF(messages.list.v[i].text));
    az_diag_release(&messages);
    return fails;
}

/* Without its baseline a gate is inconclusive. */
static bool baseline_missing(const struct az_config *c, const struct az_log *log)
{
    const bool missing = az_gates_lack_baseline(c);

    if (missing)
        az_log_line(log, AZ_LOG_QUIET,
                    "error: gates would be inconclusive: baseline '%.*s': no such file or folder",
                    AZ_SVF(c->gates.baseline));
    return missing;
}

static int check(const char *path, const struct az_log *log, bool *would_fail)
{
    struct az_config config;
    struct az_config_names names;
    struct az_overrides none;
    struct az_plan plan;
    struct az_diag diag;
    size_t fail = 0;
    int rc = az_config_init(&config);

    if (rc)
        return rc;
    az_vec_init(&none, NULL);
    az_diag_init(&diag);
    az_plan_init(&plan);
    rc = az_plan_names(&plan.arena, &names);
    if (!rc)
        rc = az_plan_config(&config, path, &none, &names, &diag);
    config.cancel = az_signals_install(); /* the plan may copy a pipe to a temporary folder */
    if (!rc)
        rc = az_plan_search(&config, &diag);
    if (!rc)
        rc = az_plan_make(&plan, &config, &diag);
    az_diag_print(&diag, log);
    if (rc && rc != AZ_EINTR && diag.errors == 0)
        az_log_line(log, AZ_LOG_QUIET, "error: %s: %s", path, az_err_text(rc));
    for (size_t i = 0; !rc && i < plan.jobs.n; i++)
        print_job(&plan.jobs.v[i], log);
    for (size_t i = 0; !rc && i < plan.jobs.n; i++)
        fail += (script_fails(&plan.jobs.v[i], log) || plan.jobs.v[i].error != AZ_OK) &&
                !plan.jobs.v[i].there;
    const bool lacks = !rc && baseline_missing(&config, log);
    if (!rc)
        az_print_name(az_sv_str(path));
    if (!rc && fail)
        printf(": %zu of %zu input%s would fail\n", fail, config.inputs.n,
               config.inputs.n == 1 ? "" : "s");
    else if (lacks)
        printf(": no baseline\n");
    else if (!rc)
        printf(": ok, %zu input%s\n", config.inputs.n, config.inputs.n == 1 ? "" : "s");
    az_plan_release(&plan);
    az_diag_release(&diag);
    az_config_release(&config);
    *would_fail = fail > 0 || lacks;
    return rc;
}

static int run_check(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_log log = { .level = AZ_LOG_NORMAL };
    struct az_args a;
    bool would_fail = false;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 1, 1, &rc))
        return rc;
    log.color = az_use_color(AZ_AUTO, 2);
    rc = check(a.operands[0], &log, &would_fail);
    if (rc == AZ_EINTR)
        return AZ_EXIT_INTERRUPTED;
    return rc == AZ_ENOMEM ? AZ_EXIT_INTERNAL
           : rc            ? AZ_EXIT_USAGE
           : would_fail    ? AZ_EXIT_PARTIAL
                           : AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_check_config = {
    "check-config",
    "FILE",
    "validate a configuration and check that its files exist",
    "Exit status: 2 if the configuration is invalid, 3 if some inputs or the gates would "
    "fail\nfor a missing file (the same as for a run).",
    options,
    1,
    run_check
};
