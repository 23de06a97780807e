/* A verdict as tables, for every writer of tables. */
#include <math.h>

#include "document/record.h"
#include "regression/verdict.h"

static int add_summary(const struct az_gate_verdict *v, struct az_document *doc)
{
    struct az_table *t =
        az_table_new(doc->arena, "gate_summary", "Gates", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    if (!t)
        return az_arena_error(doc->arena);
    az_table_column(t, "Fact", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Value", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("verdict"));
    az_put_text(t, az_sv_str(az_gate_verdict_text(v)));
    az_put_text(t, AZ_SV("baseline"));
    az_put_given(t, v->base_label);
    az_put_text(t, AZ_SV("candidate"));
    az_put_given(t, v->cand_label);
    for (int s = 0; s < AZ_GATE_STATUSES; s++) {
        az_put_text(t, az_sv_str(az_gate_status_text((enum az_gate_status)s)));
        az_put_text(t, az_arena_printf(doc->arena, "%zu", v->count[s]));
    }
    return az_document_add(doc, t);
}

static const struct az_record_column gate_results_columns[] = {
    { "Unit", .type = AZ_TEXT },
    { "Baseline", .type = AZ_REAL },
    { "Candidate", .type = AZ_REAL },
    { "Worse by (%)", AZ_REAL, .unit = AZ_UNIT_PERCENT },
    { "Limit (%)", AZ_REAL, .unit = AZ_UNIT_PERCENT },
    { "p", .type = AZ_REAL },
    { "Effect", AZ_REAL, .flags = AZ_DETAIL },
    { "Baseline Runs", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "Candidate Runs", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "Why", AZ_TEXT, .flags = AZ_DETAIL },
};

static int add_results(const struct az_gate_verdict *v, struct az_document *doc)
{
    static const char *const texts[] = { "Status", "Input", "Table", "Key", "Column", "Rule" };
    struct az_table *t =
        az_table_new(doc->arena, "gate_results", "Results of the gates, worst first",
                     AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY | AZ_TABLE_WHOLE);
    if (!t)
        return az_arena_error(doc->arena);
    for (size_t i = 0; i < 6; i++)
        az_table_column(t, texts[i], AZ_TEXT, AZ_UNIT_NONE, i ? AZ_KEY : 0);
    az_record_columns(t, gate_results_columns, AZ_LENGTH(gate_results_columns));
    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        az_put_text(t, az_sv_str(az_gate_status_text(x->status)));
        az_put_given(t, x->input);
        az_put_given(t, x->sheet);
        az_put_given(t, x->key_text);
        az_put_given(t, x->metric);
        az_put_given(t, x->rule_name);
        az_put_given(t, x->unit);
        az_put_f64(t, x->base.center);
        az_put_f64(t, x->cand.center);
        az_put_f64(t, 100 * x->rel);
        az_put_f64(t, 100 * x->limit_rel);
        az_put_f64(t, x->status == AZ_GATE_IMPROVED ? x->p_better : x->p);
        az_put_f64(t, x->effect);
        az_put_i64(t, (int64_t)x->base.n);
        az_put_i64(t, (int64_t)x->cand.n);
        az_put_given(t, x->text);
    }
    return az_document_add(doc, t);
}

int az_gate_verdict_document(const struct az_gate_verdict *v, struct az_document *doc)
{
    doc->title = AZ_SV("Gates");
    doc->format = AZ_SV("gates");
    doc->verdict = v;
    int rc = az_gate_verdict_headline(v, doc);
    if (!rc)
        rc = add_summary(v, doc);
    if (!rc)
        rc = az_gate_verdict_changes(v, doc);
    return rc ? rc : add_results(v, doc);
}
