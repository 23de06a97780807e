/* The plan: one job per input of the config; what can be known before any work is found here. */
#include "run/gates.h"
#include "run/internal.h"
#include "run/post_actions.h"

#include "base/utf8.h"
#include "compare/compare.h"
#include "read/rank_name.h"
#include "reports/list.h"

void az_plan_init(struct az_plan *p)
{
    *p = (struct az_plan){ 0 };
    az_arena_init(&p->arena, NULL);
    az_vec_init(&p->jobs, NULL);
    for (size_t i = 0; i < AZ_STEP_COUNT; i++)
        az_vec_init(&p->steps[i].targets, NULL);
}

void az_plan_release(struct az_plan *p)
{
    for (size_t i = 0; i < p->jobs.n; i++) {
        az_vec_release(&p->jobs.v[i].files);
        az_vec_release(&p->jobs.v[i].targets);
        az_diag_release(&p->jobs.v[i].diag);
    }
    az_vec_release(&p->jobs);
    for (size_t i = 0; i < AZ_STEP_COUNT; i++)
        az_vec_release(&p->steps[i].targets);
    if (p->spool.n)
        az_tmpdir_remove(p->spool.p);
    az_arena_release(&p->arena);
    *p = (struct az_plan){ 0 };
}

bool az_step_wanted(const struct az_config *c, enum az_step step)
{
    bool any = c->gates.given || c->history.path.n > 0;

    if (step != AZ_STEP_GATES)
        return step == AZ_STEP_COMPARE ? c->compare.wanted
                                       : c->side_by_side && c->inputs.n > 1 && !c->no_reports;
    for (size_t i = 0; i < c->outputs.formats.n; i++) /* has device time by class, too */
        any |= az_report_find(c->outputs.formats.v[i]) == &az_report_openmetrics;
    return any;
}

bool az_followup_wanted(const struct az_config *c)
{
    bool any = false;
    for (int i = 0; i < AZ_STEP_COUNT; i++)
        any |= az_step_wanted(c, (enum az_step)i);
    return any;
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
    f = az_arena_array(a, formats + 2, sizeof *f);
    r = az_arena_array(a, reports + 2, sizeof *r);
    if (!f || !r)
        return az_arena_error(a);
    *out = (struct az_config_names){ .formats = f, .reports = r };
    for (const struct az_format *const *p = az_formats; *p; p++) {
        *f++ = (*p)->name;
        for (const char *const *alias = (*p)->aliases; alias && *alias; alias++)
            *f++ = *alias;
    }
    *f++ = AZ_FORMAT_RESULT;
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
                                    "duplicate standard input '-'; use it once");
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
            rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE,
                              "no input has the title '%.*s' (did you mean '%.*s'?)", AZ_SVF(title),
                              AZ_SVF(near));
        else
            rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE,
                              "no input has the title '%.*s'; list them with --dry-run",
                              AZ_SVF(title));
    }
    return rc;
}

/* Can the word be a baseline: a rule, a name, or a title? */
static bool is_baseline(const struct az_plan *p, const struct az_compare_config *k)
{
    struct az_sv w = k->baseline;
    bool known = w.n == 0 || az_sv_is(w, "first") || az_sv_is(w, "best") || az_sv_is(w, "median");

    for (size_t i = 0; i < k->names.n; i++)
        known |= az_sv_eq(k->names.v[i], w);
    for (size_t i = 0; k->names.n == 0 && i < p->jobs.n; i++)
        known |= az_sv_eq(p->jobs.v[i].input->title, w);
    return known;
}

/* What "compare" names must be there. */
static int check_compare(const struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    const struct az_compare_config *k = &c->compare;
    struct az_where at = c->path.n ? AZ_AT_FILE(c->path) : AZ_NOWHERE;
    size_t n = k->inputs.n ? k->inputs.n : p->jobs.n;
    int rc = AZ_OK;

    for (size_t i = 0; i < k->inputs.n; i++) {
        bool found = false;
        for (size_t j = 0; j < p->jobs.n; j++)
            found |= az_sv_eq(p->jobs.v[j].input->title, k->inputs.v[i]);
        struct az_sv near = nearest_title(p, k->inputs.v[i]);
        if (!found)
            rc =
                az_diag_fail(diag, AZ_ECONFIG, at, "compare: no input has the title '%.*s'%s%.*s%s",
                             AZ_SVF(k->inputs.v[i]), near.n ? " (did you mean '" : "", AZ_SVF(near),
                             near.n ? "'?)" : "");
    }
    if (!rc && n < 2)
        rc = az_diag_fail(diag, AZ_ECONFIG, at, "compare: %zu input%s (two or more are compared)",
                          n, n == 1 ? "" : "s");
    if (!rc && n > AZ_COMPARE_MAX)
        rc = az_diag_fail(diag, AZ_ECONFIG, at, "compare: %zu inputs (at most %d are compared)", n,
                          AZ_COMPARE_MAX);
    if (!rc && !is_baseline(p, k))
        rc = az_diag_fail(
            diag, AZ_ECONFIG, at,
            "compare: baseline '%.*s' is none of the inputs (first, best, median, or a name)",
            AZ_SVF(k->baseline));
    if (!rc && k->names.n && k->names.n != n)
        rc = az_diag_fail(diag, AZ_ECONFIG, at, "compare: %zu names for %zu inputs", k->names.n, n);
    return rc;
}

/* i-th input of the comparison, which check_compare has seen. */
static struct az_plan_job *compared(struct az_plan *p, const struct az_compare_config *k, size_t i)
{
    for (size_t j = 0; k->inputs.n && j < p->jobs.n; j++)
        if (az_sv_eq(p->jobs.v[j].input->title, k->inputs.v[i]))
            return &p->jobs.v[j];
    return &p->jobs.v[i];
}

/* Is it one trace of a format that has the option `o`? What is wrong with the input itself is
 * reported in its turn. */
static int check_tree(const struct az_plan_job *job, const struct az_option *o, struct az_where at,
                      struct az_diag *diag)
{
    const struct az_sv title = job->input->title;
    const char *const why = "the call-tree difference needs two PyTorch traces";

    if (job->error)
        return AZ_OK;
    if (!job->format || !az_sv_is(az_sv_str(o->formats), job->format->name))
        return az_diag_fail(diag, AZ_ECONFIG, at, "compare: '%.*s' is a %s: %s", AZ_SVF(title),
                            job->format ? job->format->name : "saved result", why);
    if (job->files.n != 1)
        return az_diag_fail(diag, AZ_ECONFIG, at,
                            "compare: '%.*s' is a run of %zu files: %s, one file each",
                            AZ_SVF(title), job->files.n, why);
    if (az_path_is_stream(job->files.v[0].path))
        return az_diag_fail(
            diag, AZ_ECONFIG, at,
            "compare: '%.*s' can be read only once; name a file for the call-tree difference",
            AZ_SVF(title));
    if (job->input->opts.comparison_json_path.n)
        return az_diag_fail(diag, AZ_ECONFIG, at,
                            "compare: '%.*s' has a comparison_json_path, and the call-tree "
                            "difference is enabled; use one of them",
                            AZ_SVF(title));
    return AZ_OK;
}

/* "tree": the other input's trace is read next to the baseline's. */
static int plan_tree(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    const struct az_compare_config *k = &c->compare;
    const struct az_option *o = az_option_find(AZ_SV("comparison_json_path"), AZ_AT_OPTIONS);
    const struct az_where at = c->path.n ? AZ_AT_FILE(c->path) : AZ_NOWHERE;
    const size_t n = k->inputs.n ? k->inputs.n : p->jobs.n;
    struct az_plan_job *job[2];
    size_t base = 2;
    int rc = o ? AZ_OK : AZ_EINTERNAL;

    if (n != 2)
        return az_diag_fail(diag, AZ_ECONFIG, at,
                            "compare: the call-tree difference requires two inputs, not %zu", n);
    for (size_t i = 0; i < 2; i++) {
        job[i] = compared(p, k, i);
        if (base == 2 && az_sv_eq(k->names.n ? k->names.v[i] : job[i]->input->title, k->baseline))
            base = i;
    }
    if (base == 2 && (az_sv_is(k->baseline, "best") || az_sv_is(k->baseline, "median")))
        return az_diag_fail(diag, AZ_ECONFIG, at,
                            "compare: baseline '%.*s' is not supported with the call-tree "
                            "difference; name an input",
                            AZ_SVF(k->baseline));
    base = base == 2 ? 0 : base;
    for (size_t i = 0; !rc && i < 2; i++)
        rc = job[i]->skip ? AZ_OK : check_tree(job[i], o, at, diag);
    if (rc || job[0]->skip || job[1]->skip || job[0]->error || job[1]->error)
        return rc;
    job[base]->beside = job[!base]->files.v[0].path;
    job[base]->cost += job[!base]->cost;
    return AZ_OK;
}

/* Reports of TraceLens, and older ones of ours, have a sheet for each family of operators. */
static void plan_families(struct az_plan *p)
{
    bool any = false;

    for (size_t i = 0; i < p->jobs.n; i++)
        any |= p->jobs.v[i].saved != AZ_SAVED_NONE;
    for (size_t i = 0; i < p->jobs.n; i++)
        p->jobs.v[i].families = any;
}

/* Values that only some inputs use, but none may get wrong. */
static int check_values(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    int rc = az_labels_check(c, diag);

    for (size_t i = 0; !rc && i < c->inputs.n; i++) {
        const struct az_input *in = &c->inputs.v[i];
        struct az_rank_name name;
        if (!in->opts.rank_pattern.n)
            continue;
        rc = az_rank_name_init(&name, in->opts.rank_pattern, &p->arena,
                               in->where.file.n ? in->where : AZ_NOWHERE, diag);
        if (!rc)
            az_rank_name_release(&name);
    }
    return rc;
}

int az_plan_make(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    int rc = check_stdin(c, diag);

    p->config = c;
    if (!rc)
        rc = check_values(p, c, diag);
    if (!rc)
        rc = az_vec_reserve(&p->jobs, c->inputs.n);
    for (size_t i = 0; !rc && i < c->inputs.n; i++) {
        struct az_plan_job *job = &p->jobs.v[p->jobs.n++];
        *job = (struct az_plan_job){ .input = &c->inputs.v[i], .cancel = &c->cancel };
        az_vec_init(&job->files, NULL);
        az_vec_init(&job->targets, NULL);
        az_diag_init(&job->diag);
        rc = az_inputs_resolve(p, job);
    }
    if (!rc)
        az_set_options_check(p, c, diag);
    if (!rc)
        rc = choose_titles(p, &c->only, diag);
    if (!rc && c->compare.wanted)
        rc = check_compare(p, c, diag);
    if (!rc && c->compare.wanted)
        plan_families(p);
    if (!rc && c->compare.wanted && c->compare.tree)
        rc = plan_tree(p, c, diag);
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
static int print_run(struct az_arena *a, const struct az_plan_job *job, struct az_vec_char *out)
{
    const struct az_input *in = job->input;
    const struct az_search *s = &in->search;
    int rc = print_name(out, "run ", in->title);

    rc = rc ? rc : print_name(out, "\n  parent folder: ", in->group);
    for (size_t i = 0; !rc && i < job->targets.n; i++) {
        const struct az_target *t = &job->targets.v[i];
        rc = print_name(out, "\n  writes: ", az_path_base(t->path));
        if (!rc)
            rc =
                az_text_printf(out, "%s (%s)", t->report->extension[0] ? "" : "/", t->report->name);
    }
    if (!rc && job->targets.n == 0 && in->stem.n) { /* a look: how its workbook would be called */
        rc = print_name(out, "\n  writes: nothing (requested by an option: ", in->stem);
        rc = rc ? rc : az_text_append(out, AZ_SV(".xlsx)"));
    }
    const struct az_sv replay = in->opts.node_replay ? az_outputs_replay_folder(a, job) : AZ_SV("");
    if (!rc && replay.n) {
        rc = print_name(out, "\n  writes: ", az_path_base(replay));
        rc = rc ? rc : az_text_append(out, AZ_SV("/ (commands of node_replay)"));
    }
    if (!rc && job->there)
        rc = az_text_append(out, AZ_SV("\n  skipped: a report exists (overwrite it with --force)"));
    rc = rc ? rc : az_text_append(out, AZ_SV("\n  filters:"));
    for (size_t i = 0; !rc && i < s->n_filters; i++)
        rc = print_name(out, " ", s->filters[i]);
    if (!rc)
        rc = az_text_printf(out, "%s\n", s->n_filters ? "" : " none");
    rc = rc ? rc
            : print_name(out, "  rank pattern: ",
                         in->opts.rank_pattern.n ? in->opts.rank_pattern
                                                 : AZ_SV("rank, TP, worker or profile"));
    if (!rc)
        rc = az_text_printf(out, "\n  files: %zu\n", in->files.n);
    for (size_t i = 0; !rc && i < in->files.n; i++) {
        rc = print_name(out, "    ", in->files.v[i].path);
        rc = rc ? rc : az_text_append(out, AZ_SV("\n"));
    }
    return rc ? rc : az_text_append(out, AZ_SV("end of run\n"));
}

static int print_targets(const struct az_targets *targets, bool text, struct az_vec_char *out)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < targets->n; i++) {
        const struct az_target *t = &targets->v[i];
        rc = print_name(out, "  writes ", t->path);
        if (!rc)
            rc = az_text_printf(out, "%s (%s)\n", t->report->extension[0] || t->table.n ? "" : "/",
                                t->report->name);
    }
    if (!rc && text)
        rc = az_text_append(out, AZ_SV("  prints text\n"));
    return rc;
}

static int print_job(struct az_arena *a, const struct az_plan_job *job, struct az_vec_char *out)
{
    const struct az_input *in = job->input;
    if (in->trouble.n)
        return AZ_OK; /* nothing is read */
    if (in->group.n)
        return print_run(a, job, out);
    int rc = print_name(out, "", in->title);

    if (!rc)
        rc = az_text_printf(out, " (%s)\n",
                            job->format  ? job->format->name
                            : job->saved ? "saved result"
                                         : "unknown format");
    for (size_t i = 0; !rc && i < in->files.n; i++) {
        const struct az_input_file *f = &in->files.v[i];
        rc = print_name(out, "  reads  ", f->path);
        if (!rc)
            rc = az_text_printf(out, "%s%.*s%s\n", f->role.n ? " as " : "", AZ_SVF(f->role),
                                f->optional ? " (optional)" : "");
    }
    const struct az_sv replay = in->opts.node_replay ? az_outputs_replay_folder(a, job) : AZ_SV("");
    if (!rc && replay.n)
        rc = print_name(out, "  writes ", replay);
    if (!rc && replay.n)
        rc = az_text_append(out, AZ_SV("/ (commands of node_replay)\n"));
    return rc ? rc : print_targets(&job->targets, job->text, out);
}

int az_plan_print(const struct az_plan *p, struct az_vec_char *out)
{
    struct az_arena scratch;
    int rc = AZ_OK;
    az_arena_init(&scratch, NULL);
    for (size_t i = 0; !rc && i < p->jobs.n; i++)
        if (!p->jobs.v[i].skip)
            rc = print_job(&scratch, &p->jobs.v[i], out);
    az_arena_release(&scratch);
    for (size_t i = 0; !rc && i < AZ_STEP_COUNT; i++) {
        const struct az_step_out *s = &p->steps[i];
        if (s->what && (s->text || s->github || s->targets.n))
            rc = az_text_printf(out, "%s (%s the inputs)\n", s->what,
                                i == AZ_STEP_SIDE_BY_SIDE && s->text ? "before" : "after");
        if (!rc && s->what)
            rc = print_targets(&s->targets, s->text, out);
    }
    return rc;
}

int az_plan_check_baseline(const struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    bool found = !c->baseline.n || az_sv_is(c->baseline, "first");

    for (size_t i = 0; i < p->jobs.n; i++)
        found |= az_sv_eq(p->jobs.v[i].input->title, c->baseline);
    return found ? AZ_OK
                 : az_diag_fail(diag, AZ_ECONFIG, c->path.n ? AZ_AT_FILE(c->path) : AZ_NOWHERE,
                                "baseline: no input has the title '%.*s'", AZ_SVF(c->baseline));
}
