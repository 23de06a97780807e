/* A job around hand-made traces. */
#ifndef AZ_TESTS_ANALYSES_JOB_H
#define AZ_TESTS_ANALYSES_JOB_H

#include "unit/facts_job.h"

#include "analyses/registry_list.h"

/* Runs an analysis, or all tables of a list of specifications. */
static inline int run_all(struct az_job *job, const struct az_analysis *a)
{
    struct az_entry e = az_entries_of((const struct az_analysis *const[]){ a, NULL });
    int rc = 0;
    while (rc == 0 && az_entry_next(&e))
        rc = az_entry_run(&e, job);
    return rc;
}

/* Makes the table of a specification. */
static inline int run_table(struct az_job *job, const char *id)
{
    struct az_entry e = az_entries_of(
        (const struct az_analysis *const[]){ &az_analysis_sums, &az_analysis_kernels, NULL });
    while (az_entry_next(&e))
        if (strcmp(e.name, id) == 0)
            return az_entry_run(&e, job);
    fail_msg("no specification %s", id);
    return AZ_EINTERNAL;
}

static inline const struct az_cell *cell(const struct az_table *t, size_t row, const char *column)
{
    ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0);
    assert_true(row < t->rows);
    return az_table_at(t, row, (size_t)c);
}

static inline double number(const struct fix *f, const char *table, size_t row, const char *column)
{
    const struct az_table *t = az_document_table(&f->doc, table);
    assert_non_null(t);
    return az_cell_number(cell(t, row, column));
}

static inline void is_text(const struct az_table *t, size_t row, const char *column,
                           const char *text)
{
    struct az_sv got = az_cell_text(cell(t, row, column));
    assert_int_equal(got.n, strlen(text));
    assert_memory_equal(got.p, text, got.n);
}

/* Row of the finding of that rule whose subject begins so; -1. */
static inline int finding(const struct fix *f, const char *rule_name, const char *subject)
{
    const struct az_table *t = f->job.findings;
    for (size_t i = 0; i < t->rows; i++) {
        if (az_sv_is(az_cell_text(cell(t, i, "Rule")), rule_name) &&
            az_sv_starts(az_cell_text(cell(t, i, "Subject")), az_sv_str(subject)))
            return (int)i;
    }
    return -1;
}

static inline double found(const struct fix *f, const char *rule_name, const char *subject,
                           const char *column)
{
    int i = finding(f, rule_name, subject);
    assert_true(i >= 0);
    return az_cell_number(cell(f->job.findings, (size_t)i, column));
}

#endif
