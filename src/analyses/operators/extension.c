#include "analyses/operators/extension.h"

#include "analyses/operators/metrics.h"
#include "analyses/registry_list.h"
#include "extend/extend.h"

static int keep_categories(struct az_framework *f, struct az_arena *a, const struct az_extend *e)
{
    const struct az_extend_categories *c = az_extend_categories_of(e);
    f->extra = az_arena_array(a, c->n + 1, sizeof *f->extra);
    if (!f->extra)
        return az_arena_error(a);
    for (size_t i = 0; i < c->n; i++)
        f->extra[f->n_extra++] =
            (struct az_op_category){ .name = c->v[i].op,
                                     .category = c->v[i].category,
                                     .has_model = az_extend_has_model(e, c->v[i].op) };
    return 0;
}

/* A script's failure is reported at the end of the report, once; what is left is a failure of the
 * program's own. */
static void keep_message(struct az_job *job, struct az_framework *f, const struct az_diag *messages,
                         int *rc)
{
    if (*rc != AZ_ECONFIG)
        return;
    f->extension_why = messages->list.n ? az_arena_dup(job->arena, messages->list.v[0].text)
                                        : AZ_SV("extension_file failed");
    *rc = f->extension_why.p ? 0 : az_arena_error(job->arena);
}

struct az_extend *az_framework_extend_open(struct az_job *job, struct az_framework *f, int *rc)
{
    struct az_extend *e = NULL;
    *rc = 0;
    if (job->opts->extension_file.n == 0)
        return NULL;
    const char *path = az_arena_str(job->arena, job->opts->extension_file);
    if (!path) {
        *rc = az_arena_error(job->arena);
        return NULL;
    }
    struct az_diag messages;
    az_diag_init(&messages);
    *rc = az_extend_open(&e, path, job->arena, job->mem, &messages);
    keep_message(job, f, &messages, rc);
    az_diag_release(&messages);
    if (e && *rc == 0 && (*rc = keep_categories(f, job->arena, e)) != 0) {
        az_extend_close(e);
        e = NULL;
    }
    return e;
}

int az_framework_extend_run(struct az_job *job, struct az_framework *f, struct az_extend *e)
{
    int rc;
    struct az_framework_metrics *m = az_framework_metrics_get(job, f, &rc);
    struct az_diag messages;
    az_diag_init(&messages);
    if (rc == 0)
        rc = az_framework_metrics_extend(m, e, &messages);
    int own = rc;
    keep_message(job, f, &messages, &own);
    az_diag_release(&messages);
    az_extend_close(e);
    return own ? own : rc;
}

/* Reports that the script's part is missing: the input then counts as reported in part. */
static int run_extension(struct az_job *job)
{
    int rc;
    struct az_framework *f = az_framework_get(job, &rc);
    return rc || f->extension_why.n == 0
               ? rc
               : az_diag_fail(job->diag, AZ_ECONFIG, AZ_NOWHERE, "%.*s", AZ_SVF(f->extension_why));
}

const struct az_analysis az_analysis_fw_extension = {
    .name = "extension",
    .help = "user-defined categories and models (extension_file)",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .run = run_extension,
};
