/* What is made of the results of handles: the verdict as JSON, report files, comparisons. */
#include "compare/compare.h"
#include "document/ranks_timeline.h"
#include "library/handle.h"
#include "reports/json_verdict.h"

int analyzer_verdict(struct analyzer *a, size_t input, const char **json)
{
    const struct library_input *in = az_library_input(a, input);
    struct az_vec_char text;
    int rc;

    if (json)
        *json = NULL;
    if (!in || !json || !in->res.reportable)
        return ANALYZER_EUSAGE;
    az_vec_init(&text, NULL);
    rc = az_json_verdict(&in->res.doc, &a->arena, &text);
    if (!rc)
        *json = az_arena_str(&a->arena, az_text_view(&text));
    az_vec_release(&text);
    return rc ? rc : *json ? ANALYZER_OK : ANALYZER_ENOMEM;
}

/* ---- report files ---- */

static int write_document(const struct az_report *report, const struct az_document *doc,
                          const char *path, struct az_diag *diag)
{
    struct az_arena scratch;
    int rc;

    az_arena_init(&scratch, NULL);
    rc = report->write(doc, path, &scratch, diag);
    az_arena_release(&scratch);
    return rc;
}

/* A report that draws needs more than the tables: the input is read again for it. */
static int write_drawn(const struct analyzer *a, size_t input, const struct az_report *report,
                       const char *path, struct az_diag *diag)
{
    const struct az_run_opts opts = { .memory_limit = a->conf.memory_limit };
    struct az_target target = { .report = report, .path = az_sv_str(path) };
    struct az_plan_job job = a->plan.jobs.v[input];
    struct az_result res;
    int rc;

    job.targets = (struct az_targets){ .v = &target, .n = 1 };
    az_result_init(&res, a->conf.memory_limit);
    rc = az_analyze_input(&job, &opts, az_library_threads(a), &res, diag, NULL);
    if (res.reportable)
        rc = write_document(report, &res.doc, path, diag);
    az_result_release(&res);
    return rc;
}

int analyzer_report(struct analyzer *a, size_t input, const char *format, const char *path)
{
    const struct library_input *in = az_library_input(a, input);
    const struct az_report *report = format ? az_report_find(az_sv_str(format)) : NULL;
    struct az_diag diag;
    int rc, noted;

    if (!in || !path || !*path || !in->res.reportable)
        return ANALYZER_EUSAGE;
    az_diag_init(&diag);
    if (!report || report->verdict)
        rc = az_diag_fail(&diag, AZ_EUSAGE, AZ_NOWHERE,
                          "unknown output format '%s'; use a format of 'analyzer list'",
                          format ? format : "");
    else if ((report->draws || report->events) && input < a->plan.jobs.n &&
             a->plan.jobs.v[input].format)
        rc = write_drawn(a, input, report, path, &diag);
    else
        rc = write_document(report, &in->res.doc, path, &diag);
    noted = az_library_messages(a, &diag, (int64_t)input);
    az_diag_release(&diag);
    return rc ? rc : noted;
}

/* ---- comparison ---- */

static int compare_documents(struct analyzer *to, const struct library_input *const in[2],
                             struct az_diag *diag)
{
    struct az_document doc;
    struct az_arena arena;
    struct az_compare_input sides[2];
    struct az_sv tags[2];
    int rc;

    az_arena_init(&arena, NULL);
    az_document_init(&doc, &arena);
    for (size_t i = 0; i < 2; i++)
        tags[i] = az_sv_str(in[i]->title);
    rc = az_compare_unique(&arena, tags, 2);
    for (size_t i = 0; i < 2; i++)
        sides[i] = (struct az_compare_input){ .doc = az_ranks_timeline(&arena, &in[i]->res.doc),
                                              .tag = tags[i],
                                              .title = tags[i] };
    if (!rc && (!sides[0].doc || !sides[1].doc))
        rc = AZ_ENOMEM;
    const struct az_compare_opts opts = { .baseline = AZ_SV("first") };
    if (!rc)
        rc = az_compare(&doc, sides, 2, &opts, diag);
    if (!rc || doc.tables.n) { /* what could be compared is there */
        const int copied = az_document_copy(&to->inputs[0].res.doc, &doc);
        rc = rc ? rc : copied;
    }
    az_document_release(&doc);
    az_arena_release(&arena);
    return rc;
}

/* A handle with one input, which is the comparison. */
static int open_result(struct analyzer **out)
{
    struct analyzer *a;
    int rc = analyzer_open(out);

    if (rc)
        return rc;
    a = *out;
    a->done = true;
    a->inputs = az_arena_array(&a->arena, 1, sizeof *a->inputs);
    if (!a->inputs)
        return AZ_ENOMEM;
    a->inputs[0] = (struct library_input){ .title = "comparison", .format = "comparison" };
    az_result_init(&a->inputs[0].res, 0);
    a->n_inputs = 1;
    return AZ_OK;
}

int analyzer_compare(const struct analyzer *baseline, size_t input,
                     const struct analyzer *candidate, size_t other, struct analyzer **out)
{
    const struct library_input *in[] = { az_library_input(baseline, input),
                                         az_library_input(candidate, other) };
    struct az_diag diag;
    int rc, noted;

    if (out)
        *out = NULL;
    if (!out || !in[0] || !in[1] || !in[0]->res.reportable || !in[1]->res.reportable)
        return ANALYZER_EUSAGE;
    rc = open_result(out);
    if (!rc) {
        az_diag_init(&diag);
        rc = compare_documents(*out, in, &diag);
        noted = az_library_messages(*out, &diag, 0);
        az_diag_release(&diag);
        (*out)->inputs[0].error = rc;
        (*out)->inputs[0].res.reportable = (*out)->inputs[0].res.doc.tables.n > 0;
        noted = noted ? noted : az_library_tables(*out, &(*out)->inputs[0]);
        rc = noted ? noted : (*out)->inputs[0].res.reportable ? AZ_OK : rc;
    }
    if (rc) {
        analyzer_close(*out);
        *out = NULL;
    }
    return rc;
}
