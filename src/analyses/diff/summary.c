/* The trace against another one (comparison_json_path): what they do another way, by call tree. */
#include "analyses/diff/tree.h"
#include "analyses/registry_list.h"

static int run_summary(struct az_job *job)
{
    struct az_diff d;
    if (!job->other || !(job->other->caps & AZ_CAP_CALLTREE))
        return 0;
    int rc = az_diff_make(&d, job->traces[0], job->other, job->arena, job->mem);
    if (rc == 0)
        rc = az_diff_tables(job, &d);
    az_diff_release(&d);
    return rc;
}

const struct az_analysis az_analysis_fw_diff = {
    .name = "diff_stats",
    .help = "call tree difference to another trace (comparison_json_path)",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .run = run_summary,
};
