/* The plan: one job per input of the config; what can be known before any work is found here. */
#include "driver/internal.h"

#include "base/utf8.h"

void az_plan_init(struct az_plan *p)
{
    *p = (struct az_plan){ 0 };
    az_arena_init(&p->arena, NULL);
    az_vec_init(&p->jobs, NULL);
}

void az_plan_release(struct az_plan *p)
{
    for (size_t i = 0; i < p->jobs.n; i++) {
        az_vec_release(&p->jobs.v[i].files);
        az_vec_release(&p->jobs.v[i].targets);
        az_diag_release(&p->jobs.v[i].diag);
    }
    az_vec_release(&p->jobs);
    if (p->spool.n)
        az_tmpdir_remove(p->spool.p);
    az_arena_release(&p->arena);
    *p = (struct az_plan){ 0 };
}

size_t az_plan_count(const struct az_plan *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->jobs.n; i++)
        n += !p->jobs.v[i].skip;
    return n;
}

int az_plan_names(struct az_arena *a, struct az_config_names *out)
{
    size_t formats = 0, reports = 0;
    const char **f, **r;

    for (const struct az_format *const *p = az_formats; *p; p++) {
        formats++;
        for (const char *const *alias = (*p)->aliases; alias && *alias; alias++)
            formats++;
    }
    while (az_reports[reports])
        reports++;
    f = az_arena_array(a, formats + 1, sizeof *f);
    r = az_arena_array(a, reports + 2, sizeof *r);
    if (!f || !r)
        return az_arena_error(a);
    *out = (struct az_config_names){ .formats = f, .reports = r };
    for (const struct az_format *const *p = az_formats; *p; p++) {
        *f++ = (*p)->name;
        for (const char *const *alias = (*p)->aliases; alias && *alias; alias++)
            *f++ = *alias;
    }
    *r++ = "text";
    for (size_t i = 0; i < reports; i++)
        *r++ = az_reports[i]->name;
    return AZ_OK;
}

/* Standard input can be read once only, by one input. */
static int check_stdin(const struct az_config *c, struct az_diag *diag)
{
    const struct az_input *first = NULL;

    for (size_t i = 0; i < c->inputs.n; i++) {
        const struct az_input *in = &c->inputs.v[i];
        for (size_t k = 0; k < in->files.n; k++) {
            if (!az_sv_is(in->files.v[k].path, "-"))
                continue;
            if (first)
                return az_diag_fail(diag, AZ_ECONFIG, in->where.file.n ? in->where : AZ_NOWHERE,
                                    "standard input '-' is given twice (it can be read once)");
            first = in;
        }
    }
    return AZ_OK;
}

static struct az_sv nearest_title(const struct az_plan *p, struct az_sv title)
{
    struct az_sv best = { "", 0 };
    unsigned best_d = (unsigned)(title.n / 3 + 2);

    for (size_t i = 0; i < p->jobs.n; i++) {
        unsigned d = az_sv_distance(title, p->jobs.v[i].input->title, best_d);
        if (d < best_d) {
            best_d = d;
            best = p->jobs.v[i].input->title;
        }
    }
    return best;
}

/* Marks the jobs that --only leaves out. */
static int choose_titles(struct az_plan *p, const struct az_vec_sv *only, struct az_diag *diag)
{
    int rc = AZ_OK;

    for (size_t i = 0; only->n > 0 && i < p->jobs.n; i++)
        p->jobs.v[i].skip = true;
    for (size_t k = 0; k < only->n; k++) {
        struct az_sv title = only->v[k], near;
        bool found = false;
        for (size_t i = 0; i < p->jobs.n; i++) {
            if (az_sv_eq(p->jobs.v[i].input->title, title)) {
                p->jobs.v[i].skip = false;
                found = true;
            }
        }
        if (found)
            continue;
        near = nearest_title(p, title);
        if (near.n)
            rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "no input has the title '%.*s' (did you mean '%.*s'?)",
                              AZ_SVF(title), AZ_SVF(near));
        else
            rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "no input has the title '%.*s' (--dry-run lists them)",
                              AZ_SVF(title));
    }
    return rc;
}

int az_plan_make(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    int rc = check_stdin(c, diag);

    if (!rc)
        rc = az_vec_reserve(&p->jobs, c->inputs.n);
    for (size_t i = 0; !rc && i < c->inputs.n; i++) {
        struct az_plan_job *job = &p->jobs.v[p->jobs.n++];
        *job = (struct az_plan_job){ .input = &c->inputs.v[i] };
        az_vec_init(&job->files, NULL);
        az_vec_init(&job->targets, NULL);
        az_diag_init(&job->diag);
        rc = az_inputs_resolve(p, job);
    }
    if (!rc)
        rc = choose_titles(p, &c->only, diag);
    if (!rc)
        rc = az_outputs_plan(p, c, diag);
    if (rc == AZ_ENOMEM)
        az_diag_add(diag, AZ_ERROR, AZ_NOWHERE, "out of memory while planning");
    return rc;
}

/* A name on one line, control bytes made visible, between other text. */
static int print_name(struct az_vec_char *out, const char *before, struct az_sv name)
{
    int rc = az_text_append(out, az_sv_str(before));
    return rc ? rc : az_utf8_visible(out, name);
}

/* A run that a search found. */
static int print_run(const struct az_plan_job *job, struct az_vec_char *out)
{
    const struct az_input *in = job->input;
    const struct az_search *s = &in->search;
    int rc = print_name(out, "run ", in->title);

    rc = rc ? rc : print_name(out, "\n  parent folder: ", in->group);
    for (size_t i = 0; !rc && i < job->targets.n; i++) {
        const struct az_target *t = &job->targets.v[i];
        rc = print_name(out, "\n  writes: ", az_path_base(t->path));
        if (!rc)
            rc = az_text_printf(out, "%s (%s)", t->report->extension[0] ? "" : "/", t->report->name);
    }
    rc = rc ? rc : az_text_append(out, AZ_SV("\n  filters:"));
    for (size_t i = 0; !rc && i < s->n_filters; i++)
        rc = print_name(out, " ", s->filters[i]);
    if (!rc)
        rc = az_text_printf(out, "%s\n", s->n_filters ? "" : " none");
    rc = rc ? rc : print_name(out, "  rank pattern: ", in->opts.rank_pattern);
    if (!rc)
        rc = az_text_printf(out, "\n  files: %zu\n", in->files.n);
    for (size_t i = 0; !rc && i < in->files.n; i++) {
        rc = print_name(out, "    ", in->files.v[i].path);
        rc = rc ? rc : az_text_append(out, AZ_SV("\n"));
    }
    return rc ? rc : az_text_append(out, AZ_SV("end of run\n"));
}

static int print_job(const struct az_plan_job *job, struct az_vec_char *out)
{
    const struct az_input *in = job->input;
    if (in->trouble.n)
        return AZ_OK; /* nothing is read */
    if (in->group.n)
        return print_run(job, out);
    int rc = print_name(out, "", in->title);

    if (!rc)
        rc = az_text_printf(out, " (%s)\n", job->format ? job->format->name : "unknown format");
    for (size_t i = 0; !rc && i < in->files.n; i++) {
        const struct az_input_file *f = &in->files.v[i];
        rc = print_name(out, "  reads  ", f->path);
        if (!rc)
            rc = az_text_printf(out, "%s%.*s%s\n", f->role.n ? " as " : "", AZ_SVF(f->role),
                                f->optional ? " (optional)" : "");
    }
    for (size_t i = 0; !rc && i < job->targets.n; i++) {
        const struct az_target *t = &job->targets.v[i];
        rc = print_name(out, "  writes ", t->path);
        if (!rc)
            rc = az_text_printf(out, "%s (%s)\n", t->report->extension[0] ? "" : "/", t->report->name);
    }
    if (!rc && job->text)
        rc = az_text_append(out, AZ_SV("  prints text\n"));
    return rc;
}

int az_plan_print(const struct az_plan *p, struct az_vec_char *out)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < p->jobs.n; i++)
        if (!p->jobs.v[i].skip)
            rc = print_job(&p->jobs.v[i], out);
    return rc;
}
