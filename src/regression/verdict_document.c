/* A verdict as tables, for every writer of tables. */
#include <math.h>

#include "document/record.h"
#include "regression/verdict.h"

struct fact_row {
    struct az_sv fact, value;
};
static const struct az_record_column fact_columns[] = {
    { "Fact", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct fact_row, fact) },
    { "Value", AZ_TEXT, AZ_KNOWN(struct fact_row, value) },
};

static int add_summary(const struct az_gate_verdict *v, struct az_document *doc)
{
    struct az_table *t = AZ_RECORD_TABLE(doc->arena, "gate_summary", "Gates",
                                         AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY, fact_columns);
    az_put_row(t, &(struct fact_row){ AZ_SV("verdict"), az_sv_str(az_gate_verdict_text(v)) });
    az_put_row(t, &(struct fact_row){ AZ_SV("baseline"), v->base_label });
    az_put_row(t, &(struct fact_row){ AZ_SV("candidate"), v->cand_label });
    for (int s = 0; s < AZ_GATE_STATUSES; s++)
        az_put_row(t, &(struct fact_row){ az_sv_str(az_gate_status_text((enum az_gate_status)s)),
                                          az_arena_printf(doc->arena, "%zu", v->count[s]) });
    return az_document_add(doc, t);
}

#define ROW struct az_gate_result
AZ_TEXT_OF_RECORD(status, ROW, az_sv_str(az_gate_status_text(r->status)))
AZ_OF_RECORD(double, worse_percent, ROW, 100 * r->rel)
AZ_OF_RECORD(double, limit_percent, ROW,
             r->used.of == AZ_LIMIT_NOT_REACHED ? NAN : az_gate_limit_percent(r))
AZ_OF_RECORD(double, p_value, ROW, r->status == AZ_GATE_IMPROVED ? r->p_better : r->p)
static const struct az_record_column result_columns[] = {
    { "Status", AZ_TEXT, .text = status },
    { "Input", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, input) },
    { "Table", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, sheet) },
    { "Key", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, key_text) },
    { "Column", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, metric) },
    { "Rule", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, rule_name) },
    { "Unit", AZ_TEXT, AZ_KNOWN(ROW, unit) },
    { "Baseline", AZ_REAL, AZ_FIELD(ROW, base.center) },
    { "Candidate", AZ_REAL, AZ_FIELD(ROW, cand.center) },
    { "Worse by (%)", AZ_REAL, AZ_UNIT_PERCENT, .real = worse_percent },
    { "Limit (%)", AZ_REAL, AZ_UNIT_PERCENT, .real = limit_percent },
    { "p", AZ_REAL, .real = p_value },
    { "Effect", AZ_REAL, .flags = AZ_DETAIL, AZ_FIELD(ROW, effect) },
    { "Baseline Runs", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, base.n) },
    { "Candidate Runs", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, cand.n) },
    { "Why", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(ROW, text) },
};

static int add_results(const struct az_gate_verdict *v, struct az_document *doc)
{
    struct az_table *t =
        AZ_RECORD_TABLE(doc->arena, "gate_results", "Results of the gates, worst first",
                        AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY | AZ_TABLE_WHOLE, result_columns);
    AZ_PUT_ROWS(t, v->results.v, v->results.n);
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
