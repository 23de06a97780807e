/* `analyzer check-config FILE`: all that can be said about a configuration without analysing. */
#include "cmds/internal.h"

#include <stdio.h>

/* What is wrong with one input (a file that is not there yet) does not make the configuration
 * wrong. */
static void print_job(const struct az_plan_job *job, const struct az_log *log)
{
    for (size_t i = 0; i < job->diag.list.n; i++) {
        const struct az_message *m = &job->diag.list.v[i];
        az_log_line(log, AZ_LOG_NORMAL, "warning: '%.*s' would fail: %.*s",
                    AZ_SVF(job->input->title), AZ_SVF(m->text));
    }
}

static int check(const char *path, const struct az_log *log)
{
    struct az_config config;
    struct az_config_names names;
    struct az_overrides none;
    struct az_plan plan;
    struct az_diag diag;
    int rc = az_config_init(&config);

    if (rc)
        return rc;
    az_vec_init(&none, NULL);
    az_diag_init(&diag);
    az_plan_init(&plan);
    rc = az_plan_names(&plan.arena, &names);
    if (!rc)
        rc = az_config_load(&config, path, &none, &names, &diag);
    config.cancel = az_signals_install(); /* the plan may copy a pipe to a temporary folder */
    if (!rc)
        rc = az_plan_search(&config, &diag);
    if (!rc)
        rc = az_plan_make(&plan, &config, &diag);
    az_diag_print(&diag, log);
    for (size_t i = 0; !rc && i < plan.jobs.n; i++)
        print_job(&plan.jobs.v[i], log);
    if (!rc)
        az_print_name(az_sv_str(path));
    if (!rc)
        printf(": ok, %zu input%s\n", config.inputs.n, config.inputs.n == 1 ? "" : "s");
    az_plan_release(&plan);
    az_diag_release(&diag);
    az_config_release(&config);
    return rc;
}

static int run_check(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_log log = { .level = AZ_LOG_NORMAL };
    struct az_args a;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 1, 1, &rc))
        return rc;
    log.color = az_want_color(AZ_AUTO, 2);
    rc = check(a.operands[0], &log);
    if (rc == AZ_EINTR)
        return AZ_EXIT_INTERRUPTED;
    return rc ? AZ_EXIT_USAGE : AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_check_config = {
    "check-config", "FILE", "is this configuration right, do its files exist", NULL, options, 1,
    run_check
};
