/* `analyzer init PATH...`: a configuration to begin with. */
#include "cmds/internal.h"

#include <stdio.h>

#include "document/claims.h"
#include "text/text_writer.h"

static void quoted(struct az_vec_char *out, const char *before, struct az_sv s, const char *behind)
{
    az_text_add(out, az_sv_str(before));
    az_text_quoted(out, s);
    az_text_add(out, az_sv_str(behind));
}

/* Files with roles (the CSVs of one Nsight report) are named by these, one file by its path. */
static void put_files(const struct az_input *in, struct az_vec_char *out)
{
    const bool roles = in->files.n && in->files.v[0].role.n;

    if (in->files.n == 1 && !roles) {
        quoted(out, "            \"path\": ", in->files.v[0].path, ",\n");
        return;
    }
    az_text_add(out, roles ? AZ_SV("            \"nsys_csv_file_path\": {\n")
                           : AZ_SV("            \"paths\": [\n"));
    for (size_t i = 0; i < in->files.n; i++) {
        if (roles)
            quoted(out, "                ", in->files.v[i].role, ": ");
        quoted(out, roles ? "" : "                ", in->files.v[i].path, ",\n");
    }
    az_text_add(out, roles ? AZ_SV("            },\n") : AZ_SV("            ],\n"));
}

/* What `probe` finds, as comments; an input that cannot be read has none, which the run reports. */
static int put_facts(struct az_plan_job *job, struct az_vec_char *out, int64_t *steps,
                     struct az_vec_char *how)
{
    struct az_run_opts opts = { .memory_limit = 0 };
    struct az_result res;
    struct az_diag silent;
    int rc = AZ_OK;

    az_diag_init(&silent);
    az_result_init(&res, opts.memory_limit);
    const int read = az_analyze_input(job, &opts, 1, &res, &silent, NULL);
    if (read == AZ_OK && res.reportable) {
        rc = az_preview_facts(job, &res, "            // ", out);
        *steps = res.doc.claims ? res.doc.claims->steps.count : 0;
        if (!rc && *steps)
            rc = az_text_printf(how, "steps found: %.*s", AZ_SVF(res.doc.claims->steps.source));
    }
    az_result_release(&res);
    az_diag_release(&silent);
    return rc ? rc : read == AZ_EINTR || read == AZ_ENOMEM ? read : AZ_OK;
}

static void put_arguments(int64_t steps, struct az_sv how, struct az_vec_char *out)
{
    if (steps)
        az_text_format(out,
                       "            \"analysis_args\": {\n"
                       "                \"num_of_iters\": %lld, // %.*s\n",
                       (long long)steps, AZ_SVF(how));
    else
        az_text_add(out, AZ_SV("            \"analysis_args\": {\n"
                               "                \"num_of_iters\": 1, // of the "
                               "recorded part\n"));
    az_text_add(out, AZ_SV("                \"num_of_gpus\": 1,\n"
                           "                // \"nvtx_tag_of_iter\": \"name of the "
                           "range around an iteration\",\n"
                           "            },\n"));
}

static int put_input(struct az_plan_job *job, struct az_vec_char *out)
{
    const bool classic = job->format && job->format->text_classic;
    const char *format = job->saved ? AZ_FORMAT_RESULT : job->format->name;
    struct az_vec_char how;
    int64_t steps = 0;
    int rc = AZ_OK;

    az_vec_init(&how, NULL);
    az_text_add(out, AZ_SV("        {\n"));
    if (job->format)
        rc = put_facts(job, out, &steps, &how);
    quoted(out, "            \"title\": ", job->input->title, ",\n");
    quoted(out, "            \"format\": ", az_sv_str(format), ",\n");
    put_files(job->input, out);
    if (classic)
        put_arguments(steps, az_text_view(&how), out);
    az_vec_release(&how);
    az_text_add(out, AZ_SV("        },\n"));
    return rc ? rc : az_vec_error(out);
}

/* Classes: all kernels of formats whose classes are the user's; of others, which have built-in
 * ones, as comments those that no rule names. */
static int put_classes(const struct az_args *a, bool classic, struct az_vec_char *out)
{
    struct az_vec_char map;

    if (classic)
        return az_class_map(a, "    ", false, out) == AZ_EXIT_OK ? AZ_OK : AZ_EINTERNAL;
    az_vec_init(&map, NULL);
    if (az_class_map(a, "    // ", true, &map) == AZ_EXIT_OK && map.n) {
        az_text_add(out, AZ_SV("    // kernels that no built-in rule names: remove the "
                               "slashes and correct the classes\n"));
        az_text_add(out, az_text_view(&map));
    }
    az_vec_release(&map);
    return az_vec_error(out);
}

static int put_config(struct az_preview *l, const struct az_args *a, struct az_vec_char *out)
{
    bool classic = false;
    size_t n = 0;
    int rc = AZ_OK;

    az_text_add(out, AZ_SV("// List all keys: analyzer help config. Validate: analyzer "
                           "check-config FILE.\n{\n    \"inputs\": [\n"));

    for (size_t i = 0; !rc && i < l->plan.jobs.n; i++) {
        struct az_plan_job *job = &l->plan.jobs.v[i];
        if (job->error || (!job->format && !job->saved))
            continue;
        classic |= job->format && job->format->text_classic;
        rc = put_input(job, out);
        n++;
    }
    az_text_add(out, AZ_SV("    ],\n"));
    if (!rc && n)
        rc = put_classes(a, classic, out);
    if (classic) /* else one screen */
        az_text_add(out, AZ_SV("    \"text\": \"full\", // the verdict and all tables\n"));
    az_text_add(out,
                AZ_SV("    \"outputs\": {\n        \"dir\": \"reports\",\n"
                      "        \"formats\": [\"text\", \"xlsx\", \"html\"],\n    },\n"
                      "    // pass or fail: analyzer gate --config=FILE\n"
                      "    // \"gates\": { \"baseline\": \"earlier_perf_report.json\" },\n}\n"));
    return rc ? rc : out->failed ? az_vec_error(out) : n ? AZ_OK : AZ_EEMPTY;
}

int az_init_print(const struct az_args *a)
{
    const struct az_log log = { .level = AZ_LOG_NORMAL, .color = az_use_color(AZ_AUTO, 2) };
    struct az_vec_char out;
    struct az_preview l;
    int rc = az_preview_begin(&l, (const char *const *)a->operands, a->n_operands);

    az_vec_init(&out, NULL);
    az_diag_print(&l.diag, &log);
    for (size_t i = 0; !rc && i < l.plan.jobs.n; i++)
        az_diag_print(&l.plan.jobs.v[i].diag, &log);
    if (!rc)
        az_sandbox_settle_for(&l.plan,
                              &(struct az_sandbox_needs){ .no_reports = true,
                                                          .read = (const char *const *)a->operands,
                                                          .n_read = a->n_operands });
    if (!rc)
        rc = put_config(&l, a, &out);
    if (!rc && out.n)
        fwrite(out.v, 1, out.n, stdout);
    else if (rc == AZ_EEMPTY)
        az_log_line(&log, AZ_LOG_QUIET,
                    "error: no profile of a supported format; see 'analyzer list'");
    else if (rc == AZ_ENOMEM)
        az_log_line(&log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    az_preview_end(&l);
    az_vec_release(&out);
    return rc == AZ_EINTR    ? AZ_EXIT_INTERRUPTED
           : rc == AZ_ENOMEM ? AZ_EXIT_INTERNAL
           : rc              ? AZ_EXIT_PARTIAL
                             : AZ_EXIT_OK;
}

static int run_init(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_args a;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    return az_args_only_help(&a, 1, SIZE_MAX, &rc) ? rc : az_init_print(&a);
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_init = {
    "init",
    "PATH...",
    "generate a starter configuration",
    "Prints the configuration: analyzer init FILE > config.json. Relative paths of inputs are "
    "looked up in the folder of the\nconfiguration, then in the current folder; reports are "
    "written to 'reports' in the current folder.",
    options,
    1,
    run_init
};
