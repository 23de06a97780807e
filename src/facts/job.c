/* Places of shared facts, and rows of the two tables that every analysis may add to. */
#include "facts/job.h"

#include <math.h>

#include "base/pool.h"
#include "document/record.h"

struct slot {
    void *fact; /* first: the place that the maker has */
    const void *what;
    struct slot *next;
    const struct az_job *maker; /* the part that has it now; NULL: none */
    unsigned depth;             /* how often */
};

struct az_job_slots {
    struct slot *first;
    struct az_monitor *monitor; /* of a job in parts */
};

static struct slot *find_slot(struct az_job_slots *of, const void *what, struct az_arena *a)
{
    struct slot *s = of->first;
    while (s && s->what != what)
        s = s->next;
    if (!s && (s = az_arena_alloc(a, sizeof *s))) {
        *s = (struct slot){ .what = what, .next = of->first };
        of->first = s;
    }
    return s;
}

void **az_job_slot(struct az_job *job, const void *what)
{
    if (!job->slots && !(job->slots = az_arena_alloc(job->arena, sizeof *job->slots)))
        return NULL;
    struct az_monitor *const m = job->slots->monitor;
    if (m)
        az_monitor_enter(m);
    struct slot *s = find_slot(job->slots, what, job->arena);
    if (m) {
        while (s && s->maker && s->maker != job)
            az_monitor_wait(m);
        if (s) {
            s->maker = job;
            s->depth++;
        }
        az_monitor_leave(m);
    }
    return s ? &s->fact : NULL;
}

void az_job_leave(struct az_job *job, void **slot)
{
    if (!slot || !job->slots->monitor)
        return;
    struct slot *s = (struct slot *)(void *)slot;
    az_monitor_enter(job->slots->monitor);
    if (--s->depth == 0) {
        s->maker = NULL;
        az_monitor_notify(job->slots->monitor);
    }
    az_monitor_leave(job->slots->monitor);
}

int az_job_share(struct az_job *whole)
{
    if (!whole->slots)
        whole->slots = az_arena_alloc(whole->arena, sizeof *whole->slots);
    if (!whole->slots)
        return az_arena_error(whole->arena);
    whole->slots->monitor = az_monitor_new(whole->mem);
    return whole->slots->monitor ? 0 : az_mem_error(whole->mem);
}

void az_job_unshare(struct az_job *whole)
{
    az_monitor_free(whole->slots->monitor);
    whole->slots->monitor = NULL;
}

struct az_job az_job_part(const struct az_job *whole)
{
    struct az_job part = *whole;
    part.views = NULL;
    return part;
}

bool az_job_is_part(const struct az_job *job) { return job->slots && job->slots->monitor; }

void **az_job_view(struct az_job *job, const void *what)
{
    if (!az_job_is_part(job))
        return NULL;
    if (!job->views && !(job->views = az_arena_alloc(job->arena, sizeof *job->views)))
        return NULL;
    struct slot *s = find_slot(job->views, what, job->arena);
    return s ? &s->fact : NULL;
}

struct coverage_row {
    const char *item;
    double value;
    const char *unit;
    struct az_sv note, kind; /* kind: of dropped events */
};
static const struct az_record_column coverage_columns[] = {
    { "Item", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct coverage_row, item), .copy = true },
    { "Value", AZ_REAL, AZ_FIELD(struct coverage_row, value) },
    { "Unit", AZ_TEXT, AZ_FIELD(struct coverage_row, unit), .copy = true },
    { "Note", AZ_TEXT, AZ_FIELD(struct coverage_row, note), .copy = true },
    { "Kind", AZ_TEXT, AZ_FIELD(struct coverage_row, kind), .copy = true },
};

struct az_table *az_coverage_table(struct az_arena *arena)
{
    return AZ_RECORD_TABLE(arena, "coverage", "Data coverage", AZ_TABLE_LAST, coverage_columns);
}

#define ROW struct az_finding_row
static const struct az_record_column findings_columns[] = {
    { "Rule", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, rule) },
    { "Severity", AZ_TEXT, AZ_FIELD(ROW, severity) },
    { "Subject", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, subject) },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN(ROW, count) },
    { "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_KNOWN(ROW, ns) },
    { "Recoverable (ns)", AZ_INT, AZ_UNIT_NS, AZ_KNOWN(ROW, recoverable) },
    { "Share of the total (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, share) },
    { "Evidence", AZ_TEXT, AZ_KNOWN(ROW, evidence) },
    { "Evidence row", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(ROW, row) },
    { "Overlaps", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(ROW, overlaps) },
    { "Advice", AZ_TEXT, AZ_FIELD(ROW, advice) },
};

struct az_table *az_findings_table(struct az_arena *arena)
{
    return AZ_RECORD_TABLE(arena, "findings", "Findings", AZ_TABLE_SUMMARY, findings_columns);
}

static void put_coverage(struct az_job *job, const char *item, double value, const char *unit,
                         struct az_sv note, struct az_sv kind)
{
    az_put_row(job->coverage, &(struct coverage_row){ item, value, unit, note, kind });
}

void az_cover(struct az_job *job, const char *item, double value, const char *unit,
              struct az_sv note)
{
    put_coverage(job, item, value, unit, note, AZ_SV(""));
}

void az_cover_drop(struct az_job *job, const struct az_drop *d, struct az_sv note)
{
    const struct az_sv item = az_arena_printf(job->arena, "dropped: %.*s", AZ_SVF(d->reason));
    if (item.p)
        put_coverage(job, item.p, (double)d->count, "", note,
                     az_sv_str(az_drop_kind_text(d->kind)));
}

/* The text, as long-lived as the table. */
static struct az_sv kept_text(struct az_table *t, struct az_sv text)
{
    return text.n ? az_arena_dup(t->arena, text) : text;
}

void az_finding_put(struct az_job *job, const struct az_finding_row *f)
{
    struct az_table *t = job->findings;
    struct az_finding_row r = *f;
    if (!t)
        return;
    if (!f->lasting) {
        r.subject = kept_text(t, f->subject);
        r.evidence = kept_text(t, f->evidence);
        r.row = kept_text(t, f->row);
        r.overlaps = kept_text(t, f->overlaps);
        r.advice = kept_text(t, f->advice);
    }
    az_put_row(t, &r);
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

bool az_job_has_ranks(const void *job) { return ((const struct az_job *)job)->n_traces > 1; }

int az_job_add(struct az_job *job, struct az_table *t, int rc)
{
    if (rc == 0)
        return az_document_add(job->doc, t);
    az_table_free(t);
    return rc;
}
