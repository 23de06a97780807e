/* A job around hand-made traces. */
#ifndef AZ_TESTS_ANALYSES_JOB_H
#define AZ_TESTS_ANALYSES_JOB_H

#include "unit/analyses_trace.h"

#include "analyses/list.h"

struct fix {
    struct az_mem mem;
    struct az_arena arena;
    struct az_trace t[2];
    const struct az_trace *views[2];
    struct az_options opts;
    struct az_classifier classes;
    struct az_diag diag;
    struct az_document doc;
    struct az_job job;
};

static inline int setup(void **state)
{
    struct fix *f = calloc(1, sizeof *f);
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, &f->mem);
    az_diag_init(&f->diag);
    az_document_init(&f->doc, &f->arena);
    for (int i = 0; i < 2; i++) {
        new_trace(&f->t[i], &f->mem);
        f->views[i] = &f->t[i];
    }
    f->opts.gpus = 1;
    f->opts.util_chunks = 10;
    f->opts.low_util_percent = 50;
    f->opts.gap_threshold_us = 0;
    az_vec_init(&f->opts.classes, &f->mem);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fix *f = *state;
    az_table_free(f->job.coverage);
    az_table_free(f->job.findings);
    az_document_release(&f->doc);
    if (f->job.classes)
        az_classifier_release(&f->classes);
    az_vec_release(&f->opts.classes);
    for (int i = 0; i < 2; i++)
        az_trace_release(&f->t[i]);
    az_diag_release(&f->diag);
    az_arena_release(&f->arena);
    size_t left = f->mem.used;
    free(f);
    return left == 0 ? 0 : -1; /* what an analysis takes next to the arena must be given back */
}

static inline void rule(struct fix *f, const char *key, const char *class)
{
    struct az_class_rule r = { az_sv_str(key), az_sv_str(key), az_sv_str(class) };
    assert_int_equal(az_vec_push(&f->opts.classes, r), 0);
}

/* Seals and makes the job; after the traces and options are filled. */
static inline void make_job(struct fix *f, size_t n_traces)
{
    for (size_t i = 0; i < n_traces; i++)
        assert_int_equal(az_trace_seal(&f->t[i]), 0);
    assert_int_equal(az_classifier_init(&f->classes, &f->opts.classes, &f->arena), 0);
    f->job = (struct az_job){ .opts = &f->opts,
                              .traces = f->views,
                              .n_traces = n_traces,
                              .classes = &f->classes,
                              .arena = &f->arena,
                              .mem = &f->mem,
                              .diag = &f->diag,
                              .doc = &f->doc,
                              .coverage = az_coverage_table(&f->arena),
                              .findings = az_findings_table(&f->arena) };
}

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
