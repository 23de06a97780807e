/* What the tests of the Nsight formats share: a job over files in a private folder. */
#ifndef TESTS_FORMATS_NSYS_H
#define TESTS_FORMATS_NSYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/list.h"
#include "io/outfile.h"
#include "unit/allocations.h"
#include "unit/formats_edits.h"
#include "unit/open_files.h"
#include "unit/trace_text.h"

#define MAX_FILES 4

struct fixture {
    struct az_mem mem;
    struct az_arena arena;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts;
    struct az_file files[MAX_FILES];
    size_t n_files;
    struct az_sv dir;
    _Atomic uint64_t progress;
    bool cancel;
    bool locked; /* another program writes the files: they are not edited */
    int open;    /* files, before */
};

static inline void fixture_open(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->open = open_files();
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, NULL);
    az_diag_init(&f->diag);
    assert_int_equal(az_trace_init(&f->trace, &f->mem), 0);
    assert_int_equal(az_tmpdir_make(&f->arena, "nsys-test-", &f->dir, &f->diag), 0);
    struct az_options *o = &f->opts;
    o->with_header = true;
    o->gpus = 1;
    o->min_tid = -1000000000;
    o->max_tid = 1000000000;
    o->hip_summary_group = AZ_SV("name");
    o->kernel_total_time_idx = o->kernel_instance_idx = o->kernel_name_idx = AZ_UNSET_I64;
    o->nvtx_tag_idx = o->nvtx_proj_duration_idx = AZ_UNSET_I64;
    o->mem_name_idx = o->mem_time_idx = o->mem_count_idx = AZ_UNSET_I64;
}

static inline void fixture_close(struct fixture *f)
{
    az_trace_release(&f->trace);
    assert_int_equal(f->mem.used, 0); /* everything charged was given back */
    assert_int_equal(open_files(), f->open);
    az_tmpdir_remove(f->dir.p);
    az_diag_release(&f->diag);
    az_arena_release(&f->arena);
}

static inline const char *fixture_path(struct fixture *f, const char *name)
{
    struct az_sv p = az_arena_printf(&f->arena, "%s/%s", f->dir.p, name);
    assert_non_null(p.p);
    return p.p;
}

static inline const char *fixture_write(struct fixture *f, const char *name, const char *bytes,
                                        size_t n)
{
    const char *path = fixture_path(f, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
    return path;
}

static inline void fixture_add(struct fixture *f, const char *path, const char *role, bool optional)
{
    assert_true(f->n_files < MAX_FILES);
    f->files[f->n_files++] = (struct az_file){ .path = az_sv_str(path),
                                               .role = az_sv_str(role ? role : ""),
                                               .optional = optional };
}

static inline void fixture_text(struct fixture *f, const char *role, const char *text)
{
    char name[32];
    (void)snprintf(name, sizeof name, "f%zu.csv", f->n_files);
    fixture_add(f, fixture_write(f, name, text, strlen(text)), role, false);
}

/* A stored gzip member whose last bytes are gone: `text` loses `missing` of them, and the checksum.
 */
static inline void fixture_cut_gzip(struct fixture *f, const char *name, const char *role,
                                    const char *text, size_t missing)
{
    unsigned char gz[4096] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1 };
    size_t n = strlen(text);
    assert_true(n <= sizeof gz - 15 && missing <= n);
    gz[11] = (unsigned char)n, gz[12] = (unsigned char)(n >> 8), gz[13] = (unsigned char)~n;
    gz[14] = (unsigned char)(~n >> 8);
    memcpy(gz + 15, text, n);
    fixture_add(f, fixture_write(f, name, (const char *)gz, 15 + n - missing), role, false);
}

static inline bool fixture_cancelled(void *ctx) { return ((struct fixture *)ctx)->cancel; }

#if defined AZ_ALLOCATIONS && !defined FIXTURE_PARSES_ONCE
/* Parses the files of the job again, where a request for memory fails; the trace as text, NULL if
 * that is an error. */
static inline char *fixture_again(const struct az_parse *job, const struct az_format *format,
                                  long fails, bool collect)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_trace t;
    struct az_parse again = *job;
    _Atomic uint64_t progress = 0;
    char *text = NULL;
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    again.trace = &t;
    again.diag = &diag;
    again.mem = &mem;
    again.progress = &progress;
    atomic_store(&requests, 0);
    atomic_store(&fails_at, fails);
    atomic_store(&collecting, collect);
    atomic_store(&counting, true);
    int rc = format->parse(&again);
    if (rc == 0)
        rc = az_trace_finalize(&t);
    atomic_store(&counting, false);
    atomic_store(&collecting, false);
    bool told = rc == AZ_ENOMEM;
    for (size_t i = 0; i < diag.list.n; i++)
        told |= az_sv_find(diag.list.v[i].text, AZ_SV("memory")) >= 0 ||
                /* SQLite confuses the two */
                az_sv_find(diag.list.v[i].text, AZ_SV("damaged database")) >= 0;
    for (size_t i = 0; rc && !told && i < diag.list.n; i++)
        fprintf(stderr, "request %ld fails: %.*s\n", fails, AZ_SVF(diag.list.v[i].text));
    assert_true(rc == 0 || told);
    if (rc == 0)
        text = trace_text(&t);
    az_trace_release(&t);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
    return text;
}

/* A request that fails is an error, or the trace is the same. */
static inline void fixture_without_memory(const struct az_parse *job,
                                          const struct az_format *format)
{
    size_t bad = 0;
    allocations_init();
    n_places = 0;
    char *whole = fixture_again(job, format, 0, true);
    assert_non_null(whole);
    /* SQLite confuses damage and memory: which rows are lost differs */
    const bool damaged = strstr(whole, "rows of a damaged table") != NULL;
    for (size_t i = 0; i < n_places; i++) {
        char *text = fixture_again(job, format, places[i], false);
        if (text && !damaged && strcmp(text, whole) != 0) {
            fprintf(stderr, "request %ld fails: the trace differs\n--- is:\n%s--- wanted:\n%s---\n",
                    places[i], text, whole);
            bad++;
        }
        free(text);
    }
    free(whole);
    assert_int_equal(bad, 0);
}
#endif

static inline int fixture_parse(struct fixture *f, const struct az_format *format)
{
    struct az_parse job = { .files = f->files,
                            .n_files = f->n_files,
                            .opts = &f->opts,
                            .trace = &f->trace,
                            .diag = &f->diag,
                            .mem = &f->mem,
                            .threads = 1,
                            .progress = &f->progress,
                            .cancelled = fixture_cancelled,
                            .ctx = f };
    const int rc = format->parse(&job);
#if !defined FIXTURE_PARSES_ONCE
    if (!f->cancel && !f->locked && f->mem.limit == 0)
        edits_of(&job, format, f->dir.p);
#endif
#if defined AZ_ALLOCATIONS && !defined FIXTURE_PARSES_ONCE
    if (rc == 0 && f->mem.limit == 0)
        fixture_without_memory(&job, format);
#endif
    return rc;
}

/* Is there a message of that severity that holds the text? */
static inline bool said(const struct fixture *f, enum az_severity severity, const char *text)
{
    for (size_t i = 0; i < f->diag.list.n; i++)
        if (f->diag.list.v[i].severity == severity &&
            az_sv_find(f->diag.list.v[i].text, az_sv_str(text)) >= 0)
            return true;
    for (size_t i = 0; i < f->diag.list.n; i++)
        fprintf(stderr, "  said (%d): %.*s\n", (int)f->diag.list.v[i].severity,
                AZ_SVF(f->diag.list.v[i].text));
    return false;
}

static inline bool named(const struct fixture *f, uint32_t id, const char *text)
{
    if (az_sv_is(az_trace_text(&f->trace, id), text))
        return true;
    fprintf(stderr, "  name is '%.*s', wanted '%s'\n", AZ_SVF(az_trace_text(&f->trace, id)), text);
    return false;
}

static inline uint64_t dropped(const struct fixture *f, const char *reason)
{
    for (size_t i = 0; i < f->trace.drops.n; i++)
        if (az_sv_is(f->trace.drops.v[i].reason, reason))
            return f->trace.drops.v[i].count;
    return 0;
}

static inline bool fact_is(const struct fixture *f, const char *key, const char *value)
{
    for (size_t i = 0; i < f->trace.facts.n; i++)
        if (az_sv_is(f->trace.facts.v[i].key, key))
            return az_sv_is(f->trace.facts.v[i].value, value);
    return false;
}

#endif
