/* Verdict as JSON (schemas/verdict.schema.json): keys sorted, numbers with 17 significant digits;
 * what is not a number is null, with a note. */
#include <math.h>
#include <stdio.h>

#include "regression/verdict.h"
#include "reports/json_claims.h"
#include "reports/report.h"
#include "reports/shared/fields.h"
#include "text/jsonw.h"

#define VALUES_MOST 40

struct writer {
    struct az_jsonw w;
    struct az_arena *scratch;
};

static void put_text(struct writer *j, const char *key, struct az_sv s)
{
    az_jsonw_key(&j->w, key);
    az_jsonw_text(&j->w, az_field_text(j->scratch, s));
}

static void number(struct writer *j, double x)
{
    char buf[40];
    int n = isfinite(x) ? snprintf(buf, sizeof buf, "%.17g", x) : 0;
    az_jsonw_raw(&j->w, n > 0 ? az_sv_make(buf, (size_t)n) : AZ_SV("null"));
}

static void number_at(struct writer *j, const char *key, double x)
{
    az_jsonw_key(&j->w, key);
    number(j, x);
}

static void count(struct writer *j, const char *key, size_t n)
{
    az_jsonw_key(&j->w, key);
    az_jsonw_i64(&j->w, (int64_t)n);
}

static void put_run(struct writer *j, const char *key, struct az_sv id, struct az_sv label)
{
    az_jsonw_key(&j->w, key);
    az_jsonw_object(&j->w);
    put_text(j, "id", id);
    put_text(j, "label", label);
    az_jsonw_end_object(&j->w);
}

static void counts(struct writer *j, const struct az_gate_verdict *v)
{
    static const enum az_gate_status sorted[] = {
        AZ_GATE_ERROR, AZ_GATE_FAIL,     AZ_GATE_IMPROVED, AZ_GATE_INCONCLUSIVE,
        AZ_GATE_NEW,   AZ_GATE_OUTLIER,  AZ_GATE_PASS,     AZ_GATE_REMOVED,
        AZ_GATE_SKIP,  AZ_GATE_UNSTABLE, AZ_GATE_WARN
    };
    az_jsonw_key(&j->w, "counts");
    az_jsonw_object(&j->w);
    for (size_t i = 0; i < AZ_LENGTH(sorted); i++)
        count(j, az_gate_status_text(sorted[i]), v->count[sorted[i]]);
    az_jsonw_end_object(&j->w);
}

static void put_side(struct writer *j, const char *key, const struct az_gate_side *s)
{
    az_jsonw_key(&j->w, key);
    az_jsonw_object(&j->w);
    number_at(j, "mad", s->mad);
    number_at(j, "median", s->center);
    count(j, "n", s->n);
    az_jsonw_key(&j->w, "values");
    az_jsonw_array(&j->w);
    /* of a long history the newest ones: n and the median are of all */
    for (size_t i = s->n > VALUES_MOST ? s->n - VALUES_MOST : 0; i < s->n; i++)
        number(j, s->values[i]);
    az_jsonw_end_array(&j->w);
    az_jsonw_end_object(&j->w);
}

static void put_test(struct writer *j, const struct az_gate_result *x)
{
    az_jsonw_key(&j->w, "test");
    az_jsonw_object(&j->w);
    number_at(j, "U", x->u);
    number_at(j, "effect", x->effect);
    number_at(j, "high", x->high);
    number_at(j, "low", x->low);
    put_text(j, "name", az_sv_str(x->test));
    number_at(j, "p", x->p);
    az_jsonw_end_object(&j->w);
}

static void threshold(struct writer *j, const struct az_gate_result *x)
{
    az_jsonw_key(&j->w, "threshold");
    az_jsonw_object(&j->w);
    number_at(j, "abs", x->limit_abs);
    number_at(j, "max", x->max);
    number_at(j, "min", x->min);
    number_at(j, "rel", x->limit_rel);
    az_jsonw_end_object(&j->w);
}

static void nights(struct writer *j, const struct az_gate_course *c)
{
    static const char *const kinds[] = { [AZ_BASELINE_SAME] = "same",
                                         [AZ_BASELINE_JUMP] = "jump",
                                         [AZ_BASELINE_OUTLIER] = "outlier",
                                         [AZ_BASELINE_STEP] = "step" };
    if (!c->known)
        return;
    az_jsonw_key(&j->w, "nights");
    az_jsonw_object(&j->w);
    put_text(j, "commits", c->commits);
    number_at(j, "correlation", c->correlation);
    number_at(j, "drift", c->drift);
    count(j, "held", c->held);
    put_text(j, "kind", c->gradual ? AZ_SV("gradual") : az_sv_str(kinds[c->kind]));
    number_at(j, "least", c->least);
    number_at(j, "least_run", c->least_run);
    number_at(j, "noise", c->noise);
    count(j, "runs", c->runs);
    put_text(j, "since", c->kind == AZ_BASELINE_SAME ? AZ_SV("") : c->since);
    number_at(j, "total", c->total);
    az_jsonw_end_object(&j->w);
}

static void result(struct writer *j, const struct az_gate_result *x)
{
    static const char *const levels[] = { "info", "warn", "inconclusive", "fail" };
    az_jsonw_compact(&j->w, true);
    az_jsonw_object(&j->w);
    put_side(j, "baseline", &x->base);
    put_side(j, "candidate", &x->cand);
    if (x->cause.n)
        put_text(j, "cause", x->cause);
    number_at(j, "delta", x->delta);
    put_text(j, "input", x->input);
    az_jsonw_key(&j->w, "key");
    if (x->key.n)
        az_jsonw_raw(&j->w, x->key);
    else
        az_jsonw_null(&j->w);
    put_text(j, "level", az_sv_str(levels[x->level]));
    put_text(j, "metric", x->metric);
    nights(j, &x->course);
    if (x->note.n)
        put_text(j, "note", x->note);
    else if (isnan(x->rel) && !isnan(x->delta))
        put_text(j, "note", AZ_SV("the baseline is 0: there is no relative change"));
    number_at(j, "rel", x->rel);
    put_text(j, "rule", x->rule_name);
    put_text(j, "sheet", x->sheet);
    put_text(j, "status", az_sv_str(az_gate_status_text(x->status)));
    put_test(j, x);
    put_text(j, "text", x->text);
    threshold(j, x);
    put_text(j, "unit", x->unit);
    az_jsonw_end_object(&j->w);
    az_jsonw_compact(&j->w, false);
}

static void verdict(struct writer *j, const struct az_gate_verdict *v)
{
    az_jsonw_object(&j->w);
    put_run(j, "baseline", v->base_id, v->base_label);
    put_run(j, "candidate", v->cand_id, v->cand_label);
    az_jsonw_key(&j->w, "changes");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < v->changes.n; i++)
        az_json_change(&j->w, &v->changes.v[i].change, j->scratch);
    az_jsonw_end_array(&j->w);
    counts(j, v);
    az_jsonw_key(&j->w, "results");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < v->results.n; i++)
        result(j, &v->results.v[i]);
    az_jsonw_end_array(&j->w);
    put_text(j, "schema", AZ_SV("analyzer.verdict/1"));
    put_text(j, "verdict", az_sv_str(az_gate_verdict_text(v)));
    az_jsonw_end_object(&j->w);
}

static int verdict_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                         struct az_diag *diag)
{
    struct az_outfile *f = NULL;
    struct writer j = { .scratch = scratch };
    struct az_where at = AZ_AT_FILE(az_sv_str(path));
    int rc;

    if (!doc->verdict)
        return az_diag_fail(diag, AZ_EUSAGE, at, "no verdict to write; add \"gates\"");
    rc = az_outfile_open(&f, path, diag);
    if (rc)
        return rc;
    az_jsonw_init(&j.w, f, NULL, 1);
    verdict(&j, doc->verdict);
    rc = az_jsonw_finish(&j.w);
    if (!rc && scratch->failed)
        rc = az_arena_error(scratch);
    if (!rc)
        return az_outfile_commit(f);
    az_outfile_abort(f);
    return az_diag_fail(diag, rc, at, "cannot write the verdict (%s)", az_err_text(rc));
}

const struct az_report az_report_verdict = {
    .name = "verdict",
    .extension = ".json",
    .help =
        "gates: the verdict as JSON (schemas/verdict.schema.json); the default of json for gates",
    .verdict = true,
    .write = verdict_write,
};
