/* `analyzer map`: each trace to its part file. */
#include "run/map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sort.h"
#include "document/tracks.h"
#include "io/outfile.h"
#include "run/internal.h"

#define METER_NS 100000000 /* between two checks the progress */

/* ---- shares ---- */

struct sized {
    uint64_t size;
    size_t at;
};

static int larger_first(const void *x, const void *y, void *ctx)
{
    const struct sized *a = x, *b = y;
    (void)ctx;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Shares as a heap by (bytes, number): the least is first. */
struct share {
    uint64_t bytes;
    uint32_t number;
};

static bool is_lighter(const struct share *a, const struct share *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->number < b->number;
}

static void sift_down(struct share *heap, size_t n)
{
    for (size_t i = 0, k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && is_lighter(&heap[k + 1], &heap[k]);
        if (!is_lighter(&heap[k], &heap[i]))
            return;
        const struct share s = heap[i];
        heap[i] = heap[k];
        heap[k] = s;
    }
}

/* Which files a share has: by size, the largest first to the share with the least; the same for
 * every caller. share[i]: of size[i]. */
static int map_shares(const uint64_t *size, size_t n, size_t shares, uint32_t *share)
{
    struct az_arena a;
    int rc;

    az_arena_init(&a, NULL);
    struct sized *v = az_arena_array(&a, n, sizeof *v);
    struct share *heap = az_arena_array(&a, shares, sizeof *heap);
    rc = v && heap ? AZ_OK : az_arena_error(&a);
    for (size_t i = 0; rc == 0 && i < n; i++)
        v[i] = (struct sized){ size[i], i };
    for (size_t i = 0; rc == 0 && i < shares; i++)
        heap[i] = (struct share){ 0, (uint32_t)i };
    if (rc == 0)
        az_sort_cmp(v, n, sizeof *v, larger_first, NULL, NULL);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        share[v[i].at] = heap[0].number;
        heap[0].bytes += v[i].size + 1; /* + 1: of empty files, too, each gets some */
        sift_down(heap, shares);
    }
    az_arena_release(&a);
    return rc;
}

/* ---- the parts of one job ---- */

/* Is there a part of this trace, as it is, with these options? */
static bool there(const struct az_map_opts *m, const struct az_file *f, uint64_t key)
{
    struct az_part_places p;
    struct az_arena a;
    struct az_diag mute;
    char hex[AZ_DIGEST_HEX];
    uint64_t size;
    bool same = false;

    az_arena_init(&a, NULL);
    az_diag_init(&mute);
    az_vec_init(&p, NULL);
    const struct az_sv path = az_map_part_name(m, f->path, &a);
    const struct az_path_info part = az_path_stat(path.p ? path.p : ""),
                              trace = az_path_stat(f->path.p);
    if (part.kind == AZ_PATH_FILE && part.mtime_ns > trace.mtime_ns &&
        az_part_list(path.p, &a, &p, &mute) == 0 && p.n == 1)
        same = !p.v[0].failed && p.v[0].key == key && p.v[0].bytes == trace.size &&
               az_file_digest(f->path.p, hex, &size) == 0 && strcmp(hex, p.v[0].hex) == 0;
    az_vec_release(&p);
    az_diag_release(&mute);
    az_arena_release(&a);
    return same;
}

/* Leaves out what has its part. */
static int skip_done(const struct az_map_opts *m, struct az_plan_job *job, size_t *skipped)
{
    size_t n = 0;
    uint64_t key;
    const int rc = az_part_job_key(job, &key);
    for (size_t i = 0; rc == 0 && i < job->files.n; i++) {
        if (m->force || !there(m, &job->files.v[i], key))
            job->files.v[n++] = job->files.v[i];
        else
            ++*skipped;
    }
    job->files.n = rc ? job->files.n : n;
    return rc;
}

/* The progress line, drawn by a thread of its own while traces are read: nothing else is printed
 * then. */
struct meter {
    struct az_progress line;
    struct az_map_run *run;
    size_t skipped;
    uint64_t bytes; /* of all traces */
    _Atomic uint64_t read;
    int64_t started_ns;
    atomic_bool stop;
    pthread_t thread;
    bool running;
};

static void draw_progress(struct meter *t)
{
    const struct az_progress_item all = {
        .title = AZ_SV("traces"), .bytes = t->bytes, .read = &t->read, .started_ns = t->started_ns
    };

    t->line.done = t->skipped + atomic_load(&t->run->written) + atomic_load(&t->run->failed);
    az_progress_draw(&t->line, &all, 1);
}

static void *draw_until_stop(void *ctx)
{
    struct meter *t = ctx;
    const struct timespec pause = { .tv_nsec = METER_NS };

    while (!atomic_load(&t->stop)) {
        draw_progress(t);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void start_meter(struct meter *t)
{
    atomic_store(&t->stop, false);
    t->running = t->line.on && pthread_create(&t->thread, NULL, draw_until_stop, t) == 0;
}

static void stop_meter(struct meter *t)
{
    atomic_store(&t->stop, true);
    if (t->running)
        pthread_join(t->thread, NULL);
    t->running = false;
    az_progress_clear(&t->line);
}

static int map_job(struct az_map_run *m, struct az_plan_job *job, const struct az_run_opts *opts,
                   struct az_seats *seats, struct meter *meter)
{
    struct az_result res;
    struct az_diag diag;
    struct az_input_run o = { .job = job,
                              .res = &res,
                              .diag = &diag,
                              .threads = seats->all,
                              .seats = seats,
                              .map = m,
                              .progress = &meter->read };
    int rc;

    az_result_init(&res, opts->memory_limit);
    az_diag_init(&diag);
    const size_t n = job->files.n;
    struct az_input_rank *ranks = az_arena_array(&res.arena, n, sizeof *ranks);
    m->messages = az_arena_array(&res.arena, n, sizeof *m->messages);
    m->error = az_arena_array(&res.arena, n, sizeof *m->error);
    rc = ranks && m->messages && m->error ? AZ_OK : az_arena_error(&res.arena);
    for (size_t i = 0; rc == 0 && i < n; i++)
        az_diag_init(&m->messages[i]);
    const bool made = rc == 0;
    if (rc == 0)
        rc = az_ranks_names(&o, ranks);
    if (rc == 0) {
        start_meter(meter);
        rc = az_ranks_read(&o, ranks);
        stop_meter(meter);
    }
    az_diag_print(&diag, &opts->log);
    for (size_t i = 0; made && i < n; i++) {
        az_diag_print(&m->messages[i], &opts->log);
        az_diag_release(&m->messages[i]);
    }
    az_diag_release(&diag);
    az_result_release(&res);
    return rc;
}

/* ---- all ---- */

/* An input a format, of the files of our share. */
static int add_inputs(struct az_config *c, const struct az_map_files *files, const uint32_t *share,
                      uint32_t ours)
{
    int rc = AZ_OK;
    const size_t first = c->inputs.n;
    for (size_t i = 0; rc == 0 && i < files->n; i++) {
        struct az_input *in = NULL;
        if (share && share[i] != ours)
            continue;
        for (size_t k = first; k < c->inputs.n; k++)
            if (az_sv_eq(c->inputs.v[k].format, files->v[i].format))
                in = &c->inputs.v[k];
        if (!in) {
            rc = az_config_add_input(c, &in);
            if (rc)
                break;
            in->title = in->format = files->v[i].format;
            in->is_run = in->parts = true;
        }
        rc = az_vec_push(&in->files,
                         ((struct az_input_file){
                             .path = files->v[i].path, .role = { "", 0 }, .part = { "", 0 } }));
    }
    return rc;
}

static int choose(struct az_config *c, const struct az_map_opts *m, struct az_diag *diag)
{
    struct az_map_files files;
    int rc;

    az_vec_init(&files, NULL);
    rc = az_map_find(c, m, &files, NULL, diag);
    uint64_t *size = az_arena_array(&c->arena, files.n, sizeof *size);
    uint32_t *share = az_arena_array(&c->arena, files.n, sizeof *share);
    if (rc == 0 && !(size && share))
        rc = az_arena_error(&c->arena);
    for (size_t i = 0; rc == 0 && i < files.n; i++)
        size[i] = files.v[i].size;
    if (rc == 0 && m->tasks)
        rc = map_shares(size, files.n, (size_t)m->tasks, share);
    if (rc == 0)
        rc = add_inputs(c, &files, m->tasks ? share : NULL, (uint32_t)m->task);
    az_vec_release(&files);
    return rc;
}

static void print_dry(const struct az_plan *p)
{
    for (size_t i = 0; i < p->jobs.n; i++)
        for (size_t k = 0; k < p->jobs.v[i].files.n; k++)
            (void)(fwrite(p->jobs.v[i].files.v[k].path.p, 1, p->jobs.v[i].files.v[k].path.n,
                          stdout) &&
                   fputc('\n', stdout));
}

/* "wrote parts/: 2 parts, 1 up to date". */
static void note_written(const struct az_map_run *m, size_t skipped, const struct az_run_opts *opts)
{
    const size_t n = atomic_load(&m->written), failed = atomic_load(&m->failed);
    char done[48] = "", bad[48] = "";

    if (skipped)
        snprintf(done, sizeof done, ", %zu up to date", skipped);
    if (failed)
        snprintf(bad, sizeof bad, ", %zu failed", failed);
    az_log_line(&opts->log, AZ_LOG_NORMAL, "note: wrote %s/: %zu part%s%s%s", m->opts->dir, n,
                n == 1 ? "" : "s", done, bad);
}

static int map_all(struct az_map_run *m, struct az_plan *p, const struct az_run_opts *opts)
{
    const unsigned all = opts->workers ? opts->workers : az_processors();
    struct az_seats seats = { .free = (int)all - 1, .all = all };
    struct meter meter = { .run = m, .started_ns = az_now_ns() };
    size_t skipped = 0, total = 0;
    int rc = AZ_OK;

    for (size_t i = 0; i < p->jobs.n; i++) {
        total += p->jobs.v[i].files.n;
        meter.bytes += p->jobs.v[i].bytes;
    }
    az_progress_init(&meter.line, opts->progress, total);
    for (size_t i = 0; rc == 0 && i < p->jobs.n; i++) {
        struct az_plan_job *job = &p->jobs.v[i];
        az_diag_print(&job->diag, &opts->log);
        if (job->error) {
            atomic_fetch_add(&m->failed, job->files.n);
            continue;
        }
        rc = skip_done(m->opts, job, &skipped);
        meter.skipped = skipped;
        if (rc == 0 && job->files.n)
            rc = map_job(m, job, opts, &seats, &meter);
    }
    if (rc == 0)
        note_written(m, skipped, opts);
    return rc;
}

int az_map(struct az_config *c, const struct az_map_opts *m, const struct az_run_opts *opts,
           az_on_plan *planned, void *ctx)
{
    struct az_map_run run = { .opts = m };
    struct az_plan plan;
    struct az_diag diag;
    int rc;

    az_plan_init(&plan);
    az_diag_init(&diag);
    c->no_reports = true;
    rc = choose(c, m, &diag);
    if (rc == 0 && !m->dry_run)
        rc = az_path_mkdirs(m->dir, &diag);
    if (rc == 0)
        rc = az_plan_make(&plan, c, &diag);
    az_diag_print(&diag, &opts->log);
    if (rc == 0 && m->dry_run)
        print_dry(&plan);
    else if (rc == 0) {
        planned(ctx, &plan);
        rc = map_all(&run, &plan, opts);
    }
    if (rc && !diag.errors && rc != AZ_EINTR)
        az_log_line(&opts->log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    az_plan_release(&plan);
    az_diag_release(&diag);
    if (rc == AZ_EINTR || az_cancelled(&c->cancel)) {
        az_out_cleanup();
        return AZ_EXIT_INTERRUPTED;
    }
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTERNAL)
        return AZ_EXIT_INTERNAL;
    if (rc)
        return rc == AZ_EIO ? AZ_EXIT_PARTIAL : AZ_EXIT_USAGE;
    return atomic_load(&run.failed) ? AZ_EXIT_PARTIAL : AZ_EXIT_OK;
}
