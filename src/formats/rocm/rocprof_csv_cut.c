/* A window of a set of CSV files as a set (docs/regions.md 8): each file that was read without the
 * rows of which every event is outside, and a file with the spans of the window. */
#include <inttypes.h>

#include "base/num.h"
#include "base/sort.h"
#include "formats/rocm/rocprof_csv.h"
#include "formats/shared/cut_output.h"
#include "io/path.h"
#include "model/window.h"

struct dispatches { /* of a process, from the first to the last */
    uint64_t process, first, last;
};

struct output {
    struct az_cut_output file;
    bool last; /* the kernels of a set: readers take its other files for parts of these */
};

struct cutting {
    struct az_cut *job;
    const struct az_trace *t;
    const struct az_cut_log *log;
    AZ_VEC(struct dispatches, kept) kept; /* of the window's kernels; sorted, apart */
    size_t record, row;                   /* of the log, and in that record: of the next row */
    size_t run;                           /* of log->from: that of the record */
    struct az_arena arena;
    AZ_VEC(struct output, outputs) outputs; /* all are renamed at the end */
};

/* One file being copied. */
struct copying {
    struct cutting *c;
    struct az_rocprof_csv_file f; /* its columns */
    struct az_cut_output *out;
    bool same; /* was the dispatch before this one kept? */
    uint64_t dispatch;
};

static int by_first(const void *x, const void *y, void *ctx)
{
    const struct dispatches *a = x, *b = y;
    (void)ctx;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static int list_kernels(struct cutting *c)
{
    const struct az_events *e = &c->t->ev[AZ_KERNEL];
    const struct az_vec_u64 *ids = &c->log->ids;
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) {
        const uint64_t id = az_dispatch_of(c->t, i)->id;
        az_vec_add(&c->kept, ((struct dispatches){ c->t->lanes.v[e->lane[i]].proc, id, id }));
    }
    for (size_t i = 0; i + 2 < ids->n; i += 3)
        az_vec_add(&c->kept, ((struct dispatches){ ids->v[i], ids->v[i + 1], ids->v[i + 2] }));
    if (az_vec_error(&c->kept))
        return az_vec_error(&c->kept);
    az_sort_cmp(c->kept.v, c->kept.n, sizeof *c->kept.v, by_first, NULL, c->job->mem);
    for (size_t i = 0; i < c->kept.n; i++) {
        const struct dispatches x = c->kept.v[i];
        struct dispatches *last = n ? &c->kept.v[n - 1] : NULL;
        if (!last || last->process != x.process || last->last < x.first)
            c->kept.v[n++] = x;
        else
            last->last = x.last > last->last ? x.last : last->last;
    }
    c->kept.n = n;
    return AZ_OK;
}

static bool is_kernel_kept(const struct cutting *c, uint64_t process, uint64_t id)
{
    size_t lo = 0, hi = c->kept.n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const struct dispatches *x = &c->kept.v[mid];
        if (x->process < process || (x->process == process && x->last < id))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->kept.n && c->kept.v[lo].process == process && c->kept.v[lo].first <= id;
}

/* ---- rows ---- */

/* The row as it is in the file, but for its line end. */
static void put_row(struct copying *x)
{
    const struct az_csv_fields *row = &x->f.csv.row;
    if (row->n) {
        const struct az_csv_field *first = &row->v[0], *last = &row->v[row->n - 1];
        const char *from = first->raw.p - first->quoted, *to = last->raw.p + last->raw.n;
        to += last->quoted && *to == '"'; /* else there is text after the closing quote */
        az_cut_output_put(x->out, az_sv_make(from, (size_t)(to - from)));
    }
    az_cut_output_put(x->out, AZ_SV("\n"));
}

/* File and process of a record, searched in ascending order; 0: there is none. */
static uint64_t key_of(struct cutting *c, size_t record)
{
    const struct az_cut_log *log = c->log;
    if (record >= log->what.n)
        return 0;
    while (c->run + 1 < log->from.n && log->to.v[c->run + 1] <= record)
        c->run++;
    return log->from.v[c->run];
}

static void next_record(struct cutting *c)
{
    if (++c->row < az_cut_log_count(c->log, c->record))
        return;
    c->record++;
    c->row = 0;
}

static uint64_t dispatch_of(const struct copying *x)
{
    const int at = x->f.at[C_DISPATCH];
    uint64_t id = 0;
    return at >= 0 && (size_t)at < x->f.csv.row.n &&
                   az_parse_u64(az_sv_trim(x->f.csv.row.v[at].raw), &id) == 0
               ? id
               : 0;
}

/* A row with a counter of a dispatch: an event is made of the first one only, where no other file
 * has the dispatch. */
static bool is_counter_kept(struct copying *x, bool event, bool gone)
{
    const uint64_t id = dispatch_of(x), proc = key_of(x->c, x->c->record) >> 32;
    if (event || id != x->dispatch)
        x->same = event ? !gone : is_kernel_kept(x->c, proc, id);
    x->dispatch = id;
    return x->same;
}

static void take_row(struct copying *x)
{
    const struct az_cut_log *log = x->c->log;
    const bool gone = az_cut_log_is_gone(log, x->c->record),
               event = log->what.v[x->c->record] & AZ_RECORD_EVENT,
               kept = x->f.table == T_COUNTERS ? is_counter_kept(x, event, gone) : !gone;
    x->c->job->read++;
    x->c->job->kept += kept;
    if (kept)
        put_row(x);
}

/* Rows to the end of the file, or to the row after the last one that was read. */
static int copy_rows(struct copying *x)
{
    struct cutting *c = x->c;
    const uint32_t file = (uint32_t)key_of(c, c->record); /* with rows of several processes */
    int more = az_csv_next(&x->f.csv);
    if (more <= 0)
        return more < 0 ? more : AZ_EFORMAT;
    az_rocprof_csv_titles(&x->f);
    put_row(x);
    for (next_record(c); c->record < c->log->what.n && (uint32_t)key_of(c, c->record) == file;
         next_record(c)) {
        if (c->job->read % 65536 == 0 && c->job->cancelled && c->job->cancelled())
            return AZ_EINTR;
        do
            more = az_csv_next(&x->f.csv);
        while (more > 0 && x->f.csv.blank);
        if (more <= 0)
            return more < 0 ? more : AZ_EFORMAT;
        take_row(x);
    }
    return AZ_OK;
}

/* ---- files ---- */

static bool is_same(const char *a, const char *b)
{
    const struct az_path_info x = az_path_stat(a), y = az_path_stat(b);
    return x.kind == AZ_PATH_FILE && y.kind == AZ_PATH_FILE && x.dev == y.dev && x.ino == y.ino;
}

static int open_next(struct cutting *c, struct az_sv in, struct az_cut_output **out)
{
    const struct az_sv base = az_path_base(in),
                       path = az_arena_printf(&c->arena, "%s/%.*s", c->job->out, AZ_SVF(base));
    const struct output none = { .last = false };
    if (!path.p)
        return az_arena_error(&c->arena);
    if (is_same(in.p, path.p))
        return az_diag_fail(c->job->diag, AZ_EUSAGE, AZ_AT_FILE(in),
                            "the output is an input; name another folder");
    const int rc = az_vec_push(&c->outputs, none);
    if (rc)
        return rc;
    *out = &c->outputs.v[c->outputs.n - 1].file;
    return az_cut_output_open(*out, path.p, c->job->mem, c->job->diag);
}

static int copy_file(struct cutting *c)
{
    const struct az_sv path = az_trace_text(c->t, (uint32_t)key_of(c, c->record));
    const struct az_source_opts so = { .mem = c->job->mem,
                                       .diag = c->job->diag,
                                       .keeps_parts = true };
    struct copying x = { .c = c, .dispatch = UINT64_MAX };
    struct az_source *src = NULL;
    const char *in = az_arena_str(&c->arena, path);
    int rc = in ? open_next(c, az_sv_str(in), &x.out) : az_arena_error(&c->arena);
    if (rc == 0)
        rc = az_source_open(&src, in, &so);
    if (rc == 0) {
        rc = az_csv_init(&x.f.csv, src, ',', c->job->mem);
        if (rc == 0)
            rc = copy_rows(&x);
        az_csv_release(&x.f.csv);
    }
    az_source_close(src);
    if (rc == 0)
        rc = az_cut_output_finish(x.out);
    if (rc == 0)
        c->outputs.v[c->outputs.n - 1].last = x.f.table == T_KERNELS;
    if (rc == AZ_EFORMAT)
        rc = az_diag_fail(c->job->diag, rc, AZ_AT_FILE(path), "changed while it was read");
    return rc;
}

/* Next to the files of each set, or to a file without one: all spans. */
static int put_window(struct cutting *c, struct az_sv file, struct az_sv *last)
{
    const struct az_trace *t = c->t;
    const struct az_sv path = az_rocprof_csv_window_path(&c->arena, file);
    struct az_cut_output *out = NULL;
    if (!path.p)
        return az_arena_error(&c->arena);
    if (last->p && az_sv_eq(*last, path))
        return AZ_OK;
    *last = path;
    int rc = open_next(c, path, &out);
    if (rc)
        return rc;
    az_cut_output_put(out, AZ_SV(AZ_ROCPROF_WINDOW_HEADER));
    for (size_t i = 0; i < t->recorded_window.n; i++) {
        const struct az_span *s = &t->recorded_window.v[i];
        struct az_sv row = az_arena_printf(&c->arena, "%" PRId64 ",%" PRId64 ",", s->start, s->end);
        if (row.p && t->window_process.n)
            row = az_arena_printf(&c->arena, "%.*s%" PRIu64, AZ_SVF(row), t->window_process.v[i]);
        if (!row.p)
            return az_arena_error(&c->arena);
        az_cut_output_put(out, row);
        az_cut_output_put(out, AZ_SV("\n"));
    }
    return az_cut_output_finish(out);
}

static int copy_set(struct cutting *c)
{
    struct az_sv last = { NULL, 0 };
    int rc = AZ_OK;
    while (rc == 0 && c->record < c->log->what.n) {
        const struct az_sv path = az_trace_text(c->t, (uint32_t)key_of(c, c->record));
        rc = copy_file(c);
        if (rc == 0)
            rc = put_window(c, path, &last);
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->outputs.n; i++)
            if (c->outputs.v[i].last == (pass == 1))
                rc = az_cut_output_close(&c->outputs.v[i].file, rc);
    return rc;
}

int az_rocprof_csv_write_cut(struct az_cut *job, const struct az_trace *t,
                             const struct az_cut_log *log)
{
    struct cutting c = { .job = job, .t = t, .log = log };
    az_arena_init(&c.arena, job->mem);
    az_vec_init(&c.outputs, job->mem);
    az_vec_init(&c.kept, job->mem);
    int rc = list_kernels(&c);
    if (rc == 0)
        rc = copy_set(&c);
    az_vec_release(&c.kept);
    az_vec_release(&c.outputs);
    az_arena_release(&c.arena);
    return rc;
}
