/* Options that mean nothing to the formats which were found: a user of several tools learns which
 * of them did nothing. What follows from the configuration alone is reported when it is read. */
#include "run/internal.h"

#include "io/path.h"

static const struct az_format *profile(const char *path)
{
    const struct az_format *f = NULL;
    struct az_diag mute;

    if (az_path_stat(path).kind != AZ_PATH_FILE)
        return NULL;
    az_diag_init(&mute);
    if (az_format_probe(path, &f, NULL, &mute) != 0)
        f = NULL;
    az_diag_release(&mute);
    return f;
}

int az_plan_config(struct az_config *c, const char *path, const struct az_overrides *over,
                   const struct az_config_names *names, struct az_diag *diag)
{
    const struct az_format *f;
    struct az_diag messages;
    int rc;

    az_diag_init(&messages);
    rc = az_config_load(c, path, over, names, &messages);
    f = rc == AZ_ECONFIG ? profile(path) : NULL;
    if (f)
        rc = az_diag_fail(diag, AZ_ECONFIG, AZ_AT_FILE(az_sv_str(path)),
                          "is a profile (%s), not a configuration; use analyzer run %s", f->name,
                          path);
    else
        az_diag_append(diag, &messages);
    az_diag_release(&messages);
    return rc;
}

static bool takes(const struct az_set_option *g, const struct az_plan_job *job)
{
    return az_formats_include(g->option->formats, az_sv_str(job->format->name));
}

/* Of an input whose format was not named. */
static void check_own(struct az_plan_job *job)
{
    if (!job->format || !job->input->found)
        return;
    for (const struct az_set_option *g = job->input->given; g; g = g->next)
        if (!takes(g, job))
            az_diag_add(&job->diag, AZ_WARNING, g->where, "'%s' has no effect on format '%s'",
                        g->option->key, job->format->name);
}

/* Of the whole run: one input that has it is enough. */
static void check_run(const struct az_plan *p, const struct az_set_option *g, struct az_diag *diag)
{
    const struct az_format *first = NULL;

    for (size_t i = 0; i < p->jobs.n; i++) {
        const struct az_plan_job *job = &p->jobs.v[i];
        if (!job->format || takes(g, job))
            return;
        first = first ? first : job->format;
    }
    if (first)
        az_diag_add(diag, AZ_WARNING, g->where, "'%s' has no effect on format '%s'%s",
                    g->option->key, first->name, p->jobs.n > 1 ? ", nor on the others" : "");
}

void az_set_options_check(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    for (size_t i = 0; i < p->jobs.n; i++)
        check_own(&p->jobs.v[i]);
    for (const struct az_set_option *g = c->given; g; g = g->next)
        check_run(p, g, diag);
}
