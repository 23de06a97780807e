/* The steps after the inputs of a run, in order. */
#include "run/post_actions.h"
#include "run/output_sources.h"

#include "compare/side_by_side.h"
#include "registry.h"
#include "run/gates.h"
#include "run/internal.h"
#include "tables/sheet_set.h"

static const struct step {
    const char *name;
    enum az_step step;
    int (*run)(struct az_followup *f, struct az_diag *diag);
} steps[] = {
    { "side by side", AZ_STEP_SIDE_BY_SIDE, az_step_side_by_side },
    { "comparison", AZ_STEP_COMPARE, az_step_compare },
    { "gates", AZ_STEP_GATES, az_step_gates },
};

bool az_followup_planned(const struct az_plan *p)
{
    const struct az_config *c = p->config;
    return c && (az_followup_whole(c) || p->steps[AZ_STEP_SIDE_BY_SIDE].what);
}

bool az_followup_whole(const struct az_config *c)
{
    return az_step_wanted(c, AZ_STEP_COMPARE) || az_step_wanted(c, AZ_STEP_GATES);
}

/* What a table of the side-by-side report is read from, and how the text is printed. */
static int keep_part(struct az_document *to, const struct az_document *from)
{
    int rc = AZ_OK;

    to->classic = from->classic;
    to->verdict_first = from->verdict_first;
    for (size_t i = 0; !rc && i < from->tables.n; i++)
        if (az_side_by_side_reads(from, from->tables.v[i]))
            rc = az_document_copy_table(to, from->tables.v[i]);
    return rc;
}

void az_outcome_copy(struct az_outcome *o, const struct az_plan_job *job,
                     const struct az_result *res, bool whole, int error)
{
    int rc = AZ_OK;

    *o = (struct az_outcome){ .job = job, .title = job->input->title, .error = error };
    az_mem_init(&o->mem, 0);
    az_arena_init(&o->arena, &o->mem);
    az_document_init(&o->doc, &o->arena);
    if (res->reportable)
        rc = whole ? az_document_copy(&o->doc, &res->doc) : keep_part(&o->doc, &res->doc);
    o->reportable = res->reportable && !rc;
    o->error = error ? error : rc;
}

void az_outcome_release(struct az_outcome *o)
{
    if (!o->job)
        return;
    az_document_release(&o->doc);
    az_arena_release(&o->arena);
    *o = (struct az_outcome){ .job = NULL };
}

/* Where all inputs have a classic block with the user's classes, scripts read standard output:
 * nothing is printed before the blocks but on request. */
static bool prints_side_by_side(const struct az_followup *f)
{
    bool classic = true;

    for (size_t i = 0; i < f->n; i++)
        if (f->outcomes[i].reportable &&
            (!f->outcomes[i].doc.classic || f->outcomes[i].doc.verdict_first ||
             f->outcomes[i].job->input->opts.classes.n == 0))
            classic = false;
    return !classic;
}

/* The comparison as it is, or as the sheets of another program. */
static int write_comparison(const struct az_followup *f, const struct az_target *t,
                            const struct az_document *doc, struct az_arena *scratch,
                            struct az_diag *diag)
{
    const struct az_sheet_set *set =
        f->plan->jobs.n ? az_sheet_set_find(az_sheet_sets, f->plan->jobs.v[0].input->opts.sheets_as)
                        : NULL;
    struct az_document sheets;
    struct az_arena arena;

    if (!set)
        return t->report->write(doc, t->path.p, scratch, diag);
    az_arena_init(&arena, doc->mem);
    az_document_init(&sheets, &arena);
    int rc = az_sheet_set_apply(set, doc, AZ_SV(""), &sheets);
    if (!rc)
        rc = t->report->write(&sheets, t->path.p, scratch, diag);
    az_document_release(&sheets);
    az_arena_release(&arena);
    return rc;
}

int az_followup_report(struct az_followup *f, enum az_step step, struct az_document *doc,
                       struct az_diag *diag)
{
    const struct az_step_out *out = &f->plan->steps[step];
    struct az_arena scratch;
    int rc, failed = AZ_OK;

    doc->xlsx_rows = out->xlsx_rows;
    doc->text_full = f->opts->text_full;
    doc->text_all = f->opts->text_all;
    doc->text_columns = az_text_columns();
    az_arena_init(&scratch, doc->mem);
    if (out->text && step == AZ_STEP_SIDE_BY_SIDE && prints_side_by_side(f))
        failed = az_text_write(doc, &f->before, f->color);
    else if (out->text && step != AZ_STEP_SIDE_BY_SIDE)
        failed = az_text_write(doc, &f->text, f->color);
    if (failed)
        az_diag_add(diag, AZ_ERROR, AZ_NOWHERE, "text report of the %s: %s", out->what,
                    az_err_text(failed));
    for (size_t i = 0; i < out->targets.n && !az_interrupted(); i++) {
        const struct az_target *t = &out->targets.v[i];
        size_t before = diag->errors;
        rc = az_outputs_guard(f->plan, t, doc, diag);
        if (!rc)
            rc = step == AZ_STEP_COMPARE ? write_comparison(f, t, doc, &scratch, diag)
                                         : t->report->write(doc, t->path.p, &scratch, diag);
        if (rc && rc != AZ_EINTR && diag->errors == before)
            az_diag_add(diag, AZ_ERROR, AZ_AT_FILE(t->path), "cannot write: %s", az_err_text(rc));
        if (!rc)
            az_source_mark(t->path, out->source);
        if (!rc)
            az_diag_add(diag, AZ_HINT, AZ_NOWHERE, "wrote %.*s%s", AZ_SVF(t->path),
                        t->report->extension[0] ? "" : "/");
        failed = failed ? failed : rc;
        az_arena_reset(&scratch);
    }
    az_arena_release(&scratch);
    return failed;
}

void az_followup(struct az_followup *f)
{
    const struct az_config *c = f->plan->config;

    az_vec_init(&f->before, NULL);
    az_vec_init(&f->text, NULL);
    az_vec_init(&f->annotations, NULL);
    for (size_t i = 0; i < AZ_LENGTH(steps) && !az_interrupted(); i++) {
        struct az_diag diag;
        int rc;
        if (!az_step_wanted(c, steps[i].step) || !f->plan->steps[steps[i].step].what)
            continue;
        az_diag_init(&diag);
        rc = steps[i].run(f, &diag);
        if (rc && rc != AZ_EINTR && diag.errors == 0)
            az_diag_add(&diag, AZ_ERROR, AZ_NOWHERE, "%s: %s", steps[i].name, az_err_text(rc));
        f->internal |= rc == AZ_EINTERNAL;
        f->failed |= rc != AZ_OK;
        az_diag_print(&diag, f->log);
        az_diag_release(&diag);
    }
}

void az_followup_release(struct az_followup *f)
{
    az_vec_release(&f->before);
    az_vec_release(&f->text);
    az_vec_release(&f->annotations);
}
