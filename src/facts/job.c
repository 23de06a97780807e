/* Places of shared facts, and rows of the two tables that every analysis may add to. */
#include "facts/job.h"

#include <math.h>

struct az_job_slot {
    const void *what;
    void *fact;
    struct az_job_slot *next;
};

void **az_job_slot(struct az_job *job, const void *what)
{
    struct az_job_slot *s = job->slots;

    while (s && s->what != what)
        s = s->next;
    if (!s && (s = az_arena_alloc(job->arena, sizeof *s))) {
        *s = (struct az_job_slot){ .what = what, .next = job->slots };
        job->slots = s;
    }
    return s ? &s->fact : NULL;
}

struct az_table *az_coverage_table(struct az_arena *arena)
{
    struct az_table *t =
        az_table_new(arena, "coverage", "What was read, kept, dropped and skipped", AZ_TABLE_LAST);
    if (!t)
        return NULL;
    az_table_column(t, "Item", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Value", AZ_REAL, AZ_UNIT_NONE, 0);
    az_table_column(t, "Unit", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Note", AZ_TEXT, AZ_UNIT_NONE, 0);
    return t;
}

struct az_table *az_findings_table(struct az_arena *arena)
{
    struct az_table *t =
        az_table_new(arena, "findings", "Findings, most recoverable time first", AZ_TABLE_SUMMARY);
    if (!t)
        return NULL;
    az_table_column(t, "Rule", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Severity", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Subject", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Recoverable (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Share of the total (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Evidence", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Evidence row", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Overlaps", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Advice", AZ_TEXT, AZ_UNIT_NONE, 0);
    return t;
}

void az_cover(struct az_job *job, const char *item, double value, const char *unit,
              struct az_sv note)
{
    if (!job->coverage)
        return;
    az_put_copy(job->coverage, az_sv_str(item));
    az_put_f64(job->coverage, value);
    az_put_copy(job->coverage, az_sv_str(unit));
    az_put_copy(job->coverage, note);
}

void az_finding_put(struct az_job *job, const struct az_finding_row *f)
{
    struct az_table *t = job->findings;
    if (!t)
        return;
    az_put_copy(t, az_sv_str(f->rule));
    az_put_copy(t, az_sv_str(f->severity));
    az_put_copy(t, f->subject);
    az_put_known(t, f->count);
    az_put_known(t, f->ns);
    az_put_known(t, f->recoverable);
    az_put_f64(t, f->share);
    az_put_given_copy(t, f->evidence);
    az_put_given_copy(t, f->row);
    az_put_given_copy(t, f->overlaps);
    az_put_copy(t, f->advice);
}

void az_finding(struct az_job *job, const char *rule, const char *severity, struct az_sv subject,
                int64_t count, int64_t ns, struct az_sv advice)
{
    const struct az_finding_row f = { .rule = rule,
                                      .severity = severity,
                                      .subject = subject,
                                      .count = count,
                                      .ns = ns,
                                      .recoverable = -1,
                                      .share = NAN,
                                      .evidence = AZ_SV(""),
                                      .row = AZ_SV(""),
                                      .overlaps = AZ_SV(""),
                                      .advice = advice };
    az_finding_put(job, &f);
}

int az_job_add(struct az_job *job, struct az_table *t, int rc)
{
    if (rc == 0)
        return az_document_add(job->doc, t);
    az_table_free(t);
    return rc;
}
