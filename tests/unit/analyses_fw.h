/* For the tests of framework traces: a trace written event by event, parsed by the format, and a
 * job around it. Times are microseconds. An event's UID is its place among all events written. */
#ifndef AZ_TESTS_ANALYSES_FW_H
#define AZ_TESTS_ANALYSES_FW_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyses/registry_list.h"
#include "base/num.h"
#include "config/config.h"
#include "formats/list.h"
#include "io/outfile.h"
#include "io/path.h"

struct fw_fix {
    struct az_mem mem;
    struct az_arena arena;
    struct az_trace trace;
    const struct az_trace *view;
    struct az_options opts;
    struct az_classifier classes;
    struct az_diag diag;
    struct az_document doc;
    struct az_job job;
    struct az_vec_char events;
    struct az_sv head; /* members before the events, with a comma after each */
    struct az_sv dir;
    bool ready;
};

static inline int fw_setup(void **state)
{
    struct fw_fix *f = calloc(1, sizeof *f);
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, &f->mem);
    az_diag_init(&f->diag);
    az_document_init(&f->doc, &f->arena);
    az_options_default(&f->opts, &f->mem);
    az_vec_init(&f->events, NULL);
    f->head = AZ_SV("\"schemaVersion\":1,");
    f->view = &f->trace;
    *state = f;
    return az_trace_init(&f->trace, &f->mem) ||
           az_tmpdir_make(&f->arena, "fw-test-", &f->dir, &f->diag);
}

static inline int fw_teardown(void **state)
{
    struct fw_fix *f = *state;
    az_table_free(f->job.coverage);
    az_table_free(f->job.findings);
    az_document_release(&f->doc);
    if (f->ready)
        az_classifier_release(&f->classes);
    az_options_release(&f->opts);
    az_trace_release(&f->trace);
    az_tmpdir_remove(f->dir.p);
    az_diag_release(&f->diag);
    az_vec_release(&f->events);
    az_arena_release(&f->arena);
    size_t left = f->mem.used;
    free(f);
    return left == 0 ? 0 : -1; /* what an analysis takes next to the arena must be given back */
}

/* ---- writing ---- */
static inline void raw(struct fw_fix *f, const char *json)
{
    assert_int_equal(az_text_printf(&f->events, "%s%s", f->events.n ? ",\n" : "", json), 0);
}

/* Category, process, thread, start, duration, name, members of args. */
static inline void span(struct fw_fix *f, const char *cat, int pid, int tid, double ts, double dur,
                        const char *name, const char *args)
{
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%."
                     "3f,\"dur\":%.3f,"
                     "\"args\":{%s}}",
                     cat, name, pid, tid, ts, dur, args);
    assert_in_range(n, 1, (int)sizeof text - 1);
    raw(f, text);
}

static inline void op(struct fw_fix *f, double ts, double dur, const char *name, const char *args)
{
    span(f, "cpu_op", 100, 1, ts, dur, name, args);
}

static inline void call(struct fw_fix *f, double ts, double dur, const char *name, int correlation)
{
    char args[64];
    snprintf(args, sizeof args, "\"correlation\":%d", correlation);
    span(f, "cuda_runtime", 100, 1, ts, dur, name, args);
}

static inline void device(struct fw_fix *f, const char *cat, int dev, int stream, double ts,
                          double dur, const char *name, int correlation, const char *more)
{
    char args[2048];
    snprintf(args, sizeof args, "\"device\":%d,\"stream\":%d,\"correlation\":%d%s%s", dev, stream,
             correlation, *more ? "," : "", more);
    span(f, cat, dev, stream, ts, dur, name, args);
}

static inline void kernel(struct fw_fix *f, int stream, double ts, double dur, const char *name,
                          int correlation)
{
    device(f, "kernel", 0, stream, ts, dur, name, correlation, "");
}

/* An operator of 10 us with one launch and its kernel on stream 7; three events. */
static inline void launch(struct fw_fix *f, double ts, const char *name, const char *args,
                          double kernel_ts, double kernel_dur, const char *kernel_name,
                          int correlation)
{
    op(f, ts, 10, name, args);
    call(f, ts + 1, 3, "cudaLaunchKernel", correlation);
    kernel(f, 7, kernel_ts, kernel_dur, kernel_name, correlation);
}

/* Process 100 is "python" (CPU), its thread 1 "thread 1 (python)": three events. */
static inline void names(struct fw_fix *f)
{
    raw(f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":100,\"tid\":0,\"ts\":0,\"args\":{"
           "\"name\":\"python\"}}");
    raw(f, "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":100,\"tid\":0,\"ts\":0,\"args\":{"
           "\"labels\":\"CPU\"}}");
    raw(f, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":1,\"ts\":0,"
           "\"args\":{\"name\":\"thread 1 (python)\"}}");
}

static inline void option(struct fw_fix *f, const char *key, const char *value)
{
    assert_int_equal(
        az_option_set(&f->opts, az_sv_str(key), az_sv_str(value), &f->arena, AZ_NOWHERE, &f->diag),
        0);
}

/* ---- running ---- */
/* Parses what was written and makes the job. */
static inline void ready(struct fw_fix *f)
{
    struct az_sv path = az_path_join(&f->arena, f->dir, AZ_SV("trace.json"));
    FILE *out = fopen(path.p, "wb");
    assert_non_null(out);
    fprintf(out, "{%.*s\"traceEvents\":[%.*s]}", AZ_SVF(f->head), AZ_SVF(az_text_view(&f->events)));
    assert_int_equal(fclose(out), 0);
    struct az_file file = { .path = path };
    struct az_parse p = { .files = &file,
                          .n_files = 1,
                          .opts = &f->opts,
                          .trace = &f->trace,
                          .diag = &f->diag,
                          .mem = &f->mem,
                          .threads = 1 };
    f->trace.user_names =
        (struct az_user_names){ .collectives = f->opts.coll_patterns, .map = &f->opts.classes };
    assert_int_equal(az_format_pytorch.parse(&p), 0);
    assert_int_equal(az_trace_finalize(&f->trace), 0);
    assert_int_equal(az_classifier_init(&f->classes, &f->opts.classes, &f->arena), 0);
    f->ready = true;
    f->job = (struct az_job){ .opts = &f->opts,
                              .traces = &f->view,
                              .n_traces = 1,
                              .classes = &f->classes,
                              .arena = &f->arena,
                              .mem = &f->mem,
                              .diag = &f->diag,
                              .doc = &f->doc,
                              .coverage = az_coverage_table(&f->arena),
                              .findings = az_findings_table(&f->arena) };
}

static inline void run(struct fw_fix *f, const struct az_analysis *a)
{
    if (!f->ready)
        ready(f);
    assert_int_equal(a->run(&f->job), 0);
}

/* ---- looking ---- */
static inline const struct az_table *table(const struct fw_fix *f, const char *id)
{
    struct az_table *t = az_document_table(&f->doc, id);
    assert_non_null(t);
    assert_int_equal(az_table_store_rows(t, t->rows), 0);
    return t;
}
static inline bool has_table(const struct fw_fix *f, const char *id)
{
    return az_document_table(&f->doc, id) != NULL;
}

static inline const struct az_cell *cell(const struct az_table *t, size_t row, const char *column)
{
    ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0);
    assert_true(row < t->rows);
    return az_table_at(t, row, (size_t)c);
}

static inline double num(const struct fw_fix *f, const char *id, size_t row, const char *column)
{
    return az_cell_number(cell(table(f, id), row, column));
}

#define near(got, want)                                                                            \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= 1e-12 * (1 + fabs(want_))))                                    \
            fail_msg("%s: got %.17g, want %.17g", #got, got_, want_);                              \
    } while (0)

static inline void is(const struct fw_fix *f, const char *id, size_t row, const char *column,
                      const char *want)
{
    struct az_sv got = az_cell_text(cell(table(f, id), row, column));
    if (!az_sv_is(got, want))
        fail_msg("%s row %zu, %s: got '%.*s', want '%s'", id, row, column, AZ_SVF(got), want);
}

/* Row whose text in that column is so; fails if there is none. */
static inline size_t row_of(const struct az_table *t, const char *column, const char *text)
{
    for (size_t i = 0; i < t->rows; i++)
        if (az_sv_is(az_cell_text(cell(t, i, column)), text))
            return i;
    fail_msg("no row with %s = %s in %.*s", column, text, AZ_SVF(t->id));
    return 0;
}

/* Milliseconds of a row of a timeline. */
static inline double ms(const struct fw_fix *f, const char *type)
{
    const struct az_table *t = table(f, "gpu_timeline");
    return az_cell_number(cell(t, row_of(t, "type", type), "time ms"));
}

/* Value of a coverage item. */
static inline double covered(const struct fw_fix *f, const char *item)
{
    return az_cell_number(cell(f->job.coverage, row_of(f->job.coverage, "Item", item), "Value"));
}

#endif
