/* Checks of a cut: its events are those of the whole file read with the same window, and where one
 * request for memory fails, each once, it ends with an error and leaves no file, or it is the cut
 * without the failure. */
#ifndef TESTS_FORMATS_CUT_CHECKS_H
#define TESTS_FORMATS_CUT_CHECKS_H

#include "unit/formats_nsys.h"

#include "model/window.h"

int fsync(int fd) /* takes most of the time of a cut that writes little */
{
    (void)fd;
    return 0;
}

struct cut_file {
    const struct az_format *format;
    const char *path;
    const char *name; /* of the cut */
};

static struct az_window window_of(double from, double to)
{
    return (struct az_window){ .from = { .ns = AZ_UNSET_I64, .percent = from },
                               .to = { .ns = AZ_UNSET_I64, .percent = to },
                               .step = -1,
                               .last_step = -1 };
}

/* ---- the same events ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each event a line, in the order of the lines: rows and lanes may have other numbers. */
static char *events_of(const struct az_trace *t)
{
    char *text = NULL, *lines = NULL;
    size_t n = 0, n_lines = 0, size = 0;
    FILE *o = open_memstream(&text, &n);
    assert_non_null(o);
    for (unsigned k = 0; k < AZ_KIND_COUNT; k++)
        for (size_t i = 0; i < t->ev[k].n; i++, n_lines++) {
            const struct az_events *e = &t->ev[k];
            fprintf(o, "%s %" PRId64 " %" PRId64 " '%.*s' corr %" PRIu64 " ",
                    az_kind_text((enum az_kind)k), e->start[i] + t->base_ns * t->ticks_per_ns,
                    e->end[i] + t->base_ns * t->ticks_per_ns, AZ_SVF(text_name(t, e->name[i])),
                    e->corr ? e->corr[i] : 0);
            put_lane(o, t, &t->lanes.v[e->lane[i]]);
        }
    assert_int_equal(fclose(o), 0);
    char **line = malloc((n_lines + 1) * sizeof *line);
    assert_non_null(line);
    n_lines = 0;
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
        line[n_lines++] = at;
    qsort(line, n_lines, sizeof *line, by_text);
    o = open_memstream(&lines, &size);
    for (size_t i = 0; i < n_lines; i++)
        fprintf(o, "%s\n", line[i]);
    assert_int_equal(fclose(o), 0);
    free(line);
    free(text);
    return lines;
}

/* NULL: the window has no events. */
static char *read_events(struct fixture *f, const struct az_format *format, const char *path,
                         const struct az_window *w)
{
    struct az_trace t;
    const struct az_file file = { .path = az_sv_str(path) };
    struct az_parse job = { .files = &file,
                            .n_files = 1,
                            .opts = &f->opts,
                            .trace = &t,
                            .diag = &f->diag,
                            .mem = &f->mem,
                            .threads = 1 };
    assert_int_equal(az_trace_init(&t, &f->mem), 0);
    t.window = w;
    int rc = format->parse(&job);
    if (rc == 0)
        rc = az_trace_finalize(&t);
    assert_true(rc == 0 || rc == AZ_EEMPTY);
    char *text = rc ? NULL : events_of(&t);
    az_trace_release(&t);
    return text;
}

static int cut_to(struct fixture *f, const struct cut_file *x, const char *out,
                  const struct az_window *w, struct az_cut *cut)
{
    const struct az_file file = { .path = az_sv_str(x->path) };
    *cut = (struct az_cut){ .in = file.path,
                            .files = &file,
                            .n_files = 1,
                            .out = out,
                            .window = w,
                            .keep = AZ_CUT_ALL,
                            .opts = &f->opts,
                            .diag = &f->diag,
                            .mem = &f->mem };
    return x->format->cut(cut);
}

/* From the first line that differs. */
static void print_difference(const char *part, const char *whole)
{
    size_t at = 0, line = 0;
    if (!part || !whole) {
        print_error("no events of the %s\n", part ? "whole" : "cut");
        return;
    }
    for (; part[at] && part[at] == whole[at]; at++)
        line = part[at] == '\n' ? at + 1 : line;
    print_error("the cut has\n%.200s\n--- and not\n%.200s\n---\n", part + line, whole + line);
}

/* How many windows have other events in the cut. */
static size_t cut_differences(struct fixture *f, const struct cut_file *x)
{
    const char *out = fixture_path(f, x->name);
    struct az_cut cut;
    size_t bad = 0;
    for (int from = 0; from < 100; from += 30)
        for (int to = from + 15; to < 120; to += 40) {
            const struct az_window w = window_of(from, to < 100 ? to : 100);
            char *whole = read_events(f, x->format, x->path, &w);
            const int rc = cut_to(f, x, out, &w, &cut);
            char *part = rc ? NULL : read_events(f, x->format, out, NULL);
            if (!whole != !part || (part && strcmp(whole, part) != 0)) {
                print_error("%s, %d%% to %d%%: ", x->path, from, to);
                print_difference(part, whole);
                bad++;
            }
            free(whole);
            free(part);
        }
    return bad;
}

/* ---- without memory ---- */

#ifdef AZ_ALLOCATIONS
/* Of a file; 0: there is none. */
static uint64_t content_of(const char *path)
{
    struct edited e = { .bytes = NULL };
    (void)snprintf(e.path, sizeof e.path, "%s", path);
    if (!edits_load(&e))
        return 0;
    const uint64_t sum = az_hash(e.bytes, e.n);
    free(e.bytes);
    return sum | 1;
}

struct cut_result {
    int rc;
    bool reported; /* as a lack of memory */
    uint64_t file;
    long left; /* blocks */
};

static struct cut_result cut_once(struct fixture *f, const struct cut_file *x, const char *out,
                                  long fails)
{
    const struct az_window w = window_of(20, 60);
    struct cut_result r = { .rc = 0 };
    struct az_cut cut;
    struct az_diag diag = f->diag;
    az_diag_init(&f->diag);
    remove(out);
    atomic_store(&requests, 0);
    atomic_store(&fails_at, fails);
    const long before = atomic_load(&blocks);
    atomic_store(&counting, true);
    r.rc = cut_to(f, x, out, &w, &cut);
    atomic_store(&counting, false);
    r.reported = r.rc == AZ_ENOMEM;
    for (size_t i = 0; i < f->diag.list.n; i++)
        r.reported |= az_sv_find(f->diag.list.v[i].text, AZ_SV("memory")) >= 0 ||
                      /* SQLite confuses the two */
                      az_sv_find(f->diag.list.v[i].text, AZ_SV("SQL logic error")) >= 0;
    for (size_t i = 0; r.rc && !r.reported && i < f->diag.list.n; i++)
        print_error("%.*s\n", AZ_SVF(f->diag.list.v[i].text));
    az_diag_release(&f->diag);
    r.left = atomic_load(&blocks) - before;
    r.file = content_of(out);
    f->diag = diag;
    return r;
}

static size_t cut_faults(struct fixture *f, const struct cut_file *x)
{
    const char *out = fixture_path(f, x->name);
    const size_t used = f->mem.used;
    size_t bad = 0;
    (void)cut_once(f, x, out, 0); /* what is made once is made */
    n_places = 0;
    atomic_store(&collecting, true);
    const struct cut_result whole = cut_once(f, x, out, 0);
    atomic_store(&collecting, false);
    assert_int_equal(whole.rc, 0);
    assert_int_equal(whole.left, 0);
    assert_true(whole.file);
    for (size_t i = 0; i < n_places; i++) {
        const struct cut_result r = cut_once(f, x, out, places[i]);
        const bool good = r.rc ? r.reported && !r.file : r.file == whole.file;
        if (good && r.left == 0 && f->mem.used == used)
            continue;
        print_error("%s: request %ld: code %d, reported %d, file %s, blocks left %ld\n", x->path,
                    places[i], r.rc, r.reported,
                    !r.file                ? "missing"
                    : r.file == whole.file ? "equal"
                                           : "different",
                    r.left);
        bad++;
    }
    return bad;
}
#else
static size_t cut_faults(struct fixture *f, const struct cut_file *x)
{
    (void)f;
    (void)x;
    return 0;
}
#endif

/* Of a file; the fixture is closed. */
static void cut_is_sound(struct fixture *f, const struct cut_file *x)
{
    size_t bad = cut_differences(f, x);
#ifdef AZ_ALLOCATIONS
    allocations_init();
#endif
    bad += cut_faults(f, x);
    fixture_close(f);
    assert_int_equal(bad, 0);
}

#endif
