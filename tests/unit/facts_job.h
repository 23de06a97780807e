/* A job around hand-made traces, for tests of facts, tables and analyses. */
#ifndef AZ_TESTS_FACTS_JOB_H
#define AZ_TESTS_FACTS_JOB_H

#include "unit/analyses_trace.h"

#include "facts/job.h"

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
        assert_int_equal(az_trace_finalize(&f->t[i]), 0);
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

#endif
