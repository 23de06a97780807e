/* One input from its files to its document: parse, seal, classify, analyze. */
#include "read/internal.h"

#include <inttypes.h>

#include "analyses/verdict/report.h"
#include "base/pool.h"
#include "document/evidence.h"
#include "document/name_words.h"
#include "document/tracks.h"
#include "facts/host_operators.h"
#include "facts/lazy_cache.h"
#include "io/digest.h"
#include "io/limits.h"
#include "io/path.h"
#include "io/source.h"
#include "model/trace.h"
#include "model/window.h"
#include "query/query.h"

void az_result_init(struct az_result *r, uint64_t memory_limit)
{
    *r = (struct az_result){ 0 };
    if (memory_limit == 0)
        memory_limit = az_memory_available() / 4 * 3;
    az_mem_init(&r->mem, memory_limit > SIZE_MAX ? SIZE_MAX : (size_t)memory_limit);
    az_arena_init(&r->arena, &r->mem);
    az_document_init(&r->doc, &r->arena);
}

void az_result_release(struct az_result *r)
{
    az_document_release(&r->doc);
    if (r->other)
        az_trace_release(r->other);
    for (size_t i = 0; i < r->n_digests; i++)
        az_digest_free(r->digests[i]);
    for (size_t i = 0; i < r->n_traces; i++)
        az_trace_release(&r->traces[i]);
    for (size_t i = 0; i < r->n_keeps; i++)
        az_arena_release(&r->keeps[i]);
    for (size_t i = 0; i < r->n_parts; i++)
        az_arena_release(&r->parts[i]);
    for (size_t i = 0; i < r->n_sides; i++)
        az_arena_release(&r->sides[i]);
    az_arena_release(&r->arena);
    *r = (struct az_result){ 0 };
}

static bool is_cancelled(void *ctx)
{
    return az_cancelled(((const struct az_input_run *)ctx)->job->cancel);
}

static struct az_where at_input(const struct az_input_run *o)
{
    if (o->at.n)
        return AZ_AT_FILE(o->at);
    return AZ_AT_FILE(o->job->input->files.n ? o->job->input->files.v[0].path
                                             : o->job->input->title);
}

int az_input_report_error(const struct az_input_run *o, int rc, size_t errors_before,
                          const char *what)
{
    if (rc == AZ_OK || rc == AZ_EINTR || o->diag->errors > errors_before)
        return rc;
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(o->diag, rc, at_input(o), &o->res->mem);
    return az_diag_fail(o->diag, rc, at_input(o), "%s failed: %s", what, az_err_text(rc));
}

/* Digests of files of the input; NULL for others. */
static struct az_digest *const *digests_of(const struct az_input_run *o,
                                           const struct az_file *files)
{
    const struct az_files *all = &o->job->files;
    const bool ours =
        (uintptr_t)files >= (uintptr_t)all->v && (uintptr_t)files < (uintptr_t)(all->v + all->n);
    return ours && o->res->digests ? o->res->digests + (files - all->v) : NULL;
}

size_t az_input_events(const struct az_trace *t)
{
    size_t events = 0;
    for (size_t k = 0; k < AZ_KIND_COUNT; k++)
        events += t->ev[k].n;
    return events;
}

bool az_input_is_large(const struct az_input_run *o, const struct az_trace *t)
{
    return o->threads > 1 && az_input_events(t) >= AZ_LEAST_EVENTS;
}

bool az_input_can_digest(struct az_sv path)
{
    return !az_sv_is(path, "-") && az_path_stat(path.p).kind == AZ_PATH_FILE;
}

/* The trace is sealed by one thread; another computes the rest of the files' digests meanwhile. */
struct sealing {
    struct az_trace *t;
    const struct az_parse *p;
    atomic_bool sealed;
    int rc;
};

static void seal_or_digest(void *ctx, unsigned i)
{
    struct sealing *s = ctx;
    if (i == 0) {
        s->rc = az_trace_finalize_on(s->t, s->p->threads);
        atomic_store(&s->sealed, true);
        return;
    }
    const struct az_sv path = s->p->files[i - 1].path;
    struct az_digest *d = az_parse_digest(s->p, i - 1);
    if (d && az_input_can_digest(path) && az_digest_finish(d, path.p, &s->sealed) != 0)
        return; /* the facts try it again, and report why not */
}

static int finalize_trace(const struct az_input_run *o, struct az_trace *t,
                          const struct az_parse *p)
{
    struct sealing s = { .t = t, .p = p };
    if (!p->digests || !az_input_is_large(o, t))
        return az_trace_finalize(t);
    atomic_init(&s.sealed, false);
    const int rc = az_pool_split(2, (unsigned)p->n_files + 1, seal_or_digest, &s);
    return rc ? rc : s.rc;
}

/* A script that could not be loaded while the trace was sealed, and can be now: its other parts
 * will not report that its changes to the tree are missing. */
static bool loads_now(const struct az_parse *p, struct az_diag *diag)
{
    struct az_diag silent;

    az_diag_init(&silent);
    const bool loads = az_framework_script_check(p->opts, &silent) == AZ_OK;
    az_diag_release(&silent);
    if (loads)
        (void)az_diag_fail(
            diag, AZ_ECONFIG, AZ_AT_FILE(p->opts->extension_file),
            "temporarily unreadable: its changes to the tree are missing; run again");
    return loads;
}

/* Lost events of a device: the tables are short of them. */
static void warn_lost(const struct az_input_run *o, const struct az_trace *t)
{
    for (size_t i = 0; i < t->drops.n; i++) {
        const struct az_drop *d = &t->drops.v[i];
        if (d->device)
            az_diag_add(o->diag, AZ_WARNING, AZ_AT_FILE(t->path),
                        "%" PRIu64 " GPU event%s dropped: %.*s", d->device,
                        d->device == 1 ? "" : "s", AZ_SVF(d->reason));
    }
}

int az_input_read(struct az_input_run *o, struct az_trace *t, const struct az_file *files, size_t n)
{
    struct az_parse p = { .files = files,
                          .n_files = n,
                          .opts = &o->job->input->opts,
                          .trace = t,
                          .diag = o->diag,
                          .mem = &o->res->mem,
                          .threads = o->threads,
                          .progress = o->progress,
                          .cancelled = is_cancelled,
                          .ctx = o,
                          .digests = o->digest ? &o->digest : digests_of(o, files) };
    size_t before = o->diag->errors;
    int rc;

    if (!t->path.n && n)
        t->path = files[0].path;
    struct az_hook_job hook = { .opts = p.opts, .diag = o->diag };
    t->hook = (struct az_trace_hook){ .run = az_trace_hook, .ctx = &hook };
    t->user_names =
        (struct az_user_names){ .collectives = p.opts->coll_patterns, .map = &p.opts->classes };
    struct az_window window;
    struct az_vec_i64 numbers;
    bool windowed;
    az_vec_init(&numbers, p.mem);
    rc = az_window_read(p.opts, &window, &windowed, o->diag);
    window.numbers = &numbers;
    t->window = windowed ? &window : NULL;
    if (!rc)
        rc = o->job->format->parse(&p);
    if (!rc && az_cancelled(o->job->cancel))
        rc = AZ_EINTR;
    if (!rc && !t->sealed)
        rc = finalize_trace(o, t, &p);
    t->window = NULL;
    if (!rc && windowed) /* it has to be in the trace */
        rc = az_window_check(o->diag, t->path, &window, t, (enum az_window_miss)t->window_miss);
    az_vec_release(&numbers);
    t->hook = (struct az_trace_hook){ 0 };
    if (!rc && !hook.loaded) {
        rc = az_framework_script_check(p.opts, o->diag);
        hook.failed =
            rc == AZ_ECONFIG ? rc : hook.failed; /* reported; the report is made without it */
        rc = rc == AZ_ECONFIG ? AZ_OK : rc;
    }
    if (!rc)
        warn_lost(o, t);
    if (!rc && hook.unloaded)
        hook.failed = loads_now(&p, o->diag) ? AZ_ECONFIG : hook.failed;
    o->hook_failed = hook.failed ? hook.failed : o->hook_failed;
    return az_input_report_error(o, rc, before, "reading");
}

static bool each_is_rank(const struct az_format *f, const struct az_files *files)
{
    bool all = f->files_are_ranks && files->n > 1;
    for (size_t i = 0; all && f->is_rank && i < files->n; i++)
        all = f->is_rank(files->v[i].path);
    return all;
}

/* Files from the i-th on that are one trace: all, or of the processes of several hosts, whose
 * clocks differ, those of its folder. */
static size_t files_of_trace(const struct az_input_run *o, size_t i)
{
    const struct az_files *files = &o->job->files;
    const struct az_sv folder = az_path_dir(files->v[i].path);
    size_t n = 1;
    while (i + n < files->n &&
           (!o->job->input->processes || az_sv_eq(az_path_dir(files->v[i + n].path), folder)))
        n++;
    return n;
}

/* One trace of all files, of each host, or one a file. A rank that cannot be read fails the input;
 * the others are still reported. */
static int read_traces(struct az_input_run *o)
{
    const struct az_files *files = &o->job->files;
    struct az_result *res = o->res;
    const bool apart =
        (each_is_rank(o->job->format, files) && !o->job->input->processes) || az_job_is_run(o->job);
    int rc, failed = AZ_OK;

    size_t n_traces = 0;
    for (size_t i = 0; i < files->n; i += apart ? 1 : files_of_trace(o, i))
        n_traces++;
    res->traces = az_arena_array(&res->arena, n_traces, sizeof *res->traces);
    if (!res->traces)
        return az_input_report_error(o, az_arena_error(&res->arena), o->diag->errors, "reading");
    for (size_t i = 0, n; i < files->n; i += n) {
        struct az_trace *t = &res->traces[res->n_traces];
        n = apart ? 1 : files_of_trace(o, i);
        rc = az_trace_init(t, &res->mem);
        if (rc)
            return az_input_report_error(o, rc, o->diag->errors, "reading");
        rc = az_input_read(o, t, &files->v[i], n);
        if (rc)
            az_trace_release(t);
        else
            o->caps |= res->traces[res->n_traces++].caps;
        if (rc == AZ_EINTR || rc == AZ_ENOMEM || rc == AZ_ELIMIT)
            return rc;
        if (rc)
            failed = rc;
    }
    return failed;
}

/* The trace that the input is compared with. The report is made without it if it cannot be read. */
static int read_other(struct az_input_run *o)
{
    const struct az_sv beside = o->job->beside;
    const struct az_file file = { .path = beside.n ? beside
                                                   : o->job->input->opts.comparison_json_path };
    const unsigned caps = o->caps;
    if (file.path.n == 0 || o->res->n_traces != 1 || !(caps & AZ_CAP_CALLTREE))
        return AZ_OK;
    struct az_trace *t = az_arena_alloc(&o->res->arena, sizeof *t);
    int rc = t ? az_trace_init(t, &o->res->mem) : az_arena_error(&o->res->arena);
    if (rc)
        return az_input_report_error(o, rc, o->diag->errors, "reading");
    rc = az_input_read(o, t, &file, 1);
    if (rc)
        az_trace_release(t);
    else
        o->res->other = t;
    return rc;
}

size_t az_input_draw(const struct az_plan_job *job)
{
    for (size_t i = 0; i < job->targets.n; i++)
        if (job->targets.v[i].report->draws)
            return AZ_TRACK_MARKS;
    return 0;
}

static int add_table(struct az_input_run *o, struct az_table *t)
{
    size_t before = o->diag->errors;
    int rc = t ? az_table_finish(t) : az_arena_error(&o->res->arena);

    if (rc)
        az_table_free(t);
    else
        rc = az_document_add(&o->res->doc, t);
    return az_input_report_error(o, rc, before, "reporting");
}

/* Start of the first event of one trace; of several each has its own clock. */
static int64_t origin_of(const struct az_result *res)
{
    const struct az_trace *t = res->traces;
    int64_t first = INT64_MAX;

    if (res->n_traces != 1)
        return -1;
    for (size_t k = 0; k < AZ_GAP_FRAME; k++)
        if (t->ev[k].n && t->ev[k].start[0] < first)
            first = t->ev[k].start[0];
    return first == INT64_MAX ? -1 : az_ns(t, first);
}

static void fill_document(struct az_input_run *o, const struct az_run_opts *opts)
{
    const struct az_input *in = o->job->input;
    struct az_document *doc = &o->res->doc;

    doc->title = in->title;
    doc->no_heading = in->no_heading;
    doc->input = in->files.n ? in->files.v[0].path : in->title;
    if (in->is_run && in->files.n)
        doc->input = az_path_dir(in->files.v[0].path);
    if (in->opts.no_paths)
        doc->input = az_path_base(doc->input);
    doc->format = az_sv_str(o->job->format->name);
    /* of configurations only: a file on the command line is always reported */
    doc->classic =
        (o->caps & AZ_CAP_CLASSIC) && o->job->format->text_classic && in->where.file.n > 0;
    doc->text_full = !opts->text_classic && (opts->text_full || in->opts.text_mode == AZ_TEXT_FULL);
    doc->text_all = doc->text_full && opts->text_all;
    doc->verdict_first = doc->text_full || (opts->terminal && in->opts.text_mode == AZ_TEXT_AUTO);
    doc->text_columns = az_text_columns();
    doc->origin_ns = origin_of(o->res);
    doc->text_rows = in->opts.top_rows > 0 ? (size_t)in->opts.top_rows : 0;
    doc->xlsx_rows = o->job->xlsx_rows;
    doc->html_rows = o->job->html_rows;
}

/* Events for the reports that have them as well. */
static int give_events(struct az_input_run *o, const struct az_job *job)
{
    bool wanted = false;

    for (size_t i = 0; i < o->job->targets.n; i++)
        wanted |= o->job->targets.v[i].report->events;
    if (!wanted || !job->opts->database_events || job->n_traces == 0)
        return AZ_OK;
    const struct az_query_input in = { .title = o->job->input->title,
                                       .format = az_sv_str(o->job->format->name),
                                       .traces = job->traces,
                                       .n_traces = job->n_traces,
                                       .opts = job->opts,
                                       .arena = &o->res->arena,
                                       .mem = &o->res->mem };
    return az_input_report_error(o, az_query_add_events(&o->res->doc, &in), o->diag->errors,
                                 "reporting");
}

static int report(struct az_input_run *o, struct az_job *job)
{
    int rc, failed;

    job->draw = az_input_draw(o->job);
    failed = az_input_analyse(o, job);
    if (failed == AZ_ENOMEM || failed == AZ_ELIMIT || failed == AZ_EINTR) {
        az_table_free(job->findings);
        az_table_free(job->coverage);
        return failed;
    }
    rc = az_input_report_error(o, az_verdict_report(job), o->diag->errors, "verdict");
    failed = failed ? failed : rc;
    rc = add_table(o, job->findings);
    if (rc) {
        az_table_free(job->coverage);
        return rc;
    }
    rc = add_table(o, job->coverage);
    if (!rc)
        rc = add_table(o, az_facts_table(o->job, o->res, o->ranks));
    if (!rc)
        rc = give_events(o, job);
    az_evidence_settle(&o->res->doc);
    if (!rc && o->res->arena.failed) /* a text that is in no table */
        rc = az_input_report_error(o, az_arena_error(&o->res->arena), o->diag->errors, "reporting");
    o->res->reportable = rc == AZ_OK;
    return rc ? rc : failed;
}

/* Is the report of a part of the recording? */
static bool has_window(const struct az_options *o)
{
    int64_t first, last;
    return o->from.n || o->to.n || o->range.n || az_window_steps(o->steps, &first, &last);
}

static bool has_events(const struct az_input_run *o)
{
    size_t n = 0;
    for (size_t i = 0; i < o->res->n_traces; i++)
        for (size_t k = 0; k < AZ_KIND_COUNT; k++)
            n += o->res->traces[i].ev[k].n;
    return n > 0;
}

static int empty_window(struct az_input_run *o)
{
    const struct az_options *opts = &o->job->input->opts;
    int64_t ns = 0;
    for (size_t i = 0; i < o->res->n_traces; i++) {
        const struct az_trace *t = &o->res->traces[i];
        const int64_t recorded = az_ns(t, t->recorded);
        ns = recorded > ns ? recorded : ns;
    }
    if ((opts->from.n || opts->to.n) && ns)
        return az_diag_fail(o->diag, AZ_EEMPTY, AZ_NOWHERE,
                            "%.*s: no device work in the window; the recording is %.*s long",
                            AZ_SVF(at_input(o).file), AZ_SVF(az_words_time(&o->res->arena, ns)));
    return az_diag_fail(o->diag, AZ_EEMPTY, AZ_NOWHERE,
                        "%.*s: no device work in the window; see tables 'steps' and 'regions' for "
                        "its times",
                        AZ_SVF(at_input(o).file));
}

/* A file that `analyzer cut` wrote. */
static int empty_cut(struct az_input_run *o)
{
    return az_diag_fail(o->diag, AZ_EEMPTY, AZ_NOWHERE,
                        "%.*s: no device work in the window that was cut; cut another window of "
                        "the recording",
                        AZ_SVF(at_input(o).file));
}

static int check_activity(struct az_input_run *o)
{
    bool any = o->ranks->active, capture = false, launches = false, totals = false, cut = false;
    for (size_t i = 0; i < o->res->n_traces; i++) {
        const enum az_no_device is = az_trace_no_device(&o->res->traces[i]);
        any |= az_trace_has_activity(&o->res->traces[i]) || is == AZ_NO_DEVICE_HOST;
        cut |= o->res->traces[i].windowed;
        launches |= is == AZ_NO_DEVICE_LAUNCHES;
        totals |= is == AZ_NO_DEVICE_TOTALS;
        any |= o->res->traces[i].proj.n > 0; /* from the file: what the device did in a range */
        /* what is captured for a graph does not run */
        capture |= az_trace_has_call(&o->res->traces[i], AZ_SV("streambegincapture"));
    }
    if (any)
        return AZ_OK;
    if ((has_window(&o->job->input->opts) || cut) && !has_events(o))
        o->res->reportable = false; /* the message is all there is */
    if (has_window(&o->job->input->opts))
        return empty_window(o);
    if (cut)
        return empty_cut(o);
    return az_diag_fail(
        o->diag, AZ_EEMPTY, AZ_NOWHERE,
        capture ? "%.*s: no device work: trace of a graph capture; use the trace of the run, with "
                  "captures in capture_traces/ or capture_folder"
        : launches ? "%.*s: launches but no device events recorded; enable device recording in the "
                     "profiler"
        : totals
            ? "%.*s: totals of calls or copies without kernels; analyze the file of the kernels "
              "(NAME_kernel_trace.csv, NAME_kernel_stats.csv or results.csv)"
            : "%.*s: no device work recorded; check that the program uses the device and that the "
              "profiler records it",
        AZ_SVF(at_input(o).file));
}

/* Without them (no memory) files are read again for the facts. */
static void make_digests(struct az_result *res, size_t n)
{
    res->digests = az_arena_array(&res->arena, n, sizeof(struct az_digest *));
    for (size_t i = 0; res->digests && i < n; i++, res->n_digests++)
        if (!(res->digests[i] = az_digest_new(&res->mem)))
            return;
}

/* A result of an earlier run: its document is there, nothing is analyzed. */
static int read_saved(struct az_input_run *o)
{
    const struct az_input *in = o->job->input;
    bool partial = false;
    int rc = az_load_saved(&o->res->doc, o->job->saved, in->files.v[0].path.p, &partial, o->diag);

    if (!o->res->doc.title.n)
        o->res->doc.title = in->title;
    o->res->reportable = rc == AZ_OK || partial;
    return rc;
}

/* Ranks without a file: the devices of one recording. A compiled program's trace has
 * its own tables. */
static bool several_devices(const struct az_result *res)
{
    const struct az_trace *t = res->traces;
    const struct az_lane *first = NULL;
    bool several = false;
    for (size_t i = 0; res->n_traces == 1 && i < t->lanes.n; i++) {
        const struct az_lane *l = &t->lanes.v[i];
        several |= l->device_side && first && first->device != l->device;
        first = l->device_side && !first ? l : first;
    }
    return several && t->world_size <= 0 && !(t->caps & AZ_CAP_PROGRAMS);
}

/* The traces of the input and the one it is compared with, unless az_read_one has read them. */
static int read_or_kept(struct az_input_run *o)
{
    int rc = o->res->read ? AZ_OK : read_traces(o);

    for (size_t i = 0; i < o->res->n_traces; i++)
        o->caps |= o->res->traces[i].caps;
    if (!rc && !o->res->read)
        rc = read_other(o);
    return rc;
}

int az_read_one(const struct az_plan_job *job, unsigned threads, struct az_result *res,
                struct az_diag *diag)
{
    struct az_input_run o = {
        .job = job, .res = res, .diag = diag, .threads = threads ? threads : 1
    };

    if (job->error)
        return job->error;
    if (job->saved)
        return read_saved(&o);
    if (!az_job_is_run(job))
        make_digests(res, job->files.n);
    const int rc = read_or_kept(&o);
    res->read = res->n_traces > 0;
    return rc;
}

/* How more of the host is recorded, by what these traces lack; NULL: not known. */
static const char *record_host(const struct az_format *f, const struct az_result *res)
{
    size_t operators = 0;
    for (size_t i = 0; i < res->n_traces; i++)
        operators += res->traces[i].ev[AZ_HOST_OP].n;
    if (f && f->record_operators && res->n_traces && operators == 0)
        return f->record_operators;
    return f ? f->record_host : NULL;
}

/* With the tables of what was read and of findings. */
static int report_whole(struct az_input_run *o, struct az_job *work, const struct az_run_opts *opts)
{
    work->coverage = az_coverage_table(work->arena);
    work->findings = az_findings_table(work->arena);
    fill_document(o, opts);
    if (work->coverage && work->findings)
        return report(o, work);
    az_table_free(work->coverage);
    az_table_free(work->findings);
    return az_input_report_error(o, az_arena_error(work->arena), o->diag->errors, "reporting");
}

static int run_one_of(const struct az_plan_job *job, const struct az_run_opts *opts,
                      unsigned threads, struct az_seats *seats, struct az_result *res,
                      struct az_diag *diag, _Atomic uint64_t *progress)
{
    struct az_input_run o = { .job = job,
                              .res = res,
                              .diag = diag,
                              .threads = threads ? threads : 1,
                              .progress = progress,
                              .seats = seats };
    struct az_job work = { .opts = &job->input->opts,
                           .arena = &res->arena,
                           .mem = &res->mem,
                           .diag = diag,
                           .doc = &res->doc,
                           .lasting = true }; /* az_result_release */
    struct az_classifier classes;
    struct az_rank_run ranks;
    const struct az_trace **views;
    int rc, failed;

    if (job->error)
        return job->error;
    if (job->saved)
        return read_saved(&o);
    const bool reduced = az_job_is_run(job);
    if (!reduced && !res->read)
        make_digests(res, job->files.n);
    az_ranks_init(&ranks, &o);
    failed = reduced ? az_ranks_reduce(&ranks) : read_or_kept(&o);
    const bool all = res->n_traces > 1 || az_sv_is(job->input->opts.rank_tables, "always");
    o.devices_only = !reduced && !all && several_devices(res);
    if (!reduced && (all || o.devices_only) && failed != AZ_EINTR && failed != AZ_ENOMEM &&
        failed != AZ_ELIMIT) {
        rc = az_ranks_of_traces(&ranks);
        failed = failed ? failed : rc;
    }
    if ((reduced ? ranks.set.n : res->n_traces) == 0 || failed == AZ_EINTR || failed == AZ_ENOMEM ||
        failed == AZ_ELIMIT)
        return failed;
    views = az_arena_array(&res->arena, res->n_traces + 1, sizeof *views);
    rc = views ? az_classifier_init(&classes, &job->input->opts.classes, &res->arena)
               : az_arena_error(&res->arena);
    if (rc)
        return az_input_report_error(&o, rc, diag->errors, "classifying");
    for (size_t i = 0; i < res->n_traces; i++)
        views[i] = &res->traces[i];
    work.record_host = record_host(job->format, res);
    work.traces = views;
    work.n_traces = res->n_traces;
    work.other = res->other;
    work.classes = &classes;
    rc = report_whole(&o, &work, opts);
    az_classifier_release(&classes);
    if (!rc)
        rc = failed ? failed : o.hook_failed;
    return rc ? rc : check_activity(&o);
}

int az_analyze_input_of(const struct az_plan_job *job, const struct az_run_opts *opts,
                        unsigned threads, struct az_seats *seats, struct az_result *res,
                        struct az_diag *diag, _Atomic uint64_t *progress)
{
    const size_t errors = diag->errors;
    const int rc = run_one_of(job, opts, threads, seats, res, diag, progress);

    if (rc && rc != AZ_EINTR && diag->errors == errors && !job->error)
        az_diag_add(diag, AZ_ERROR, AZ_AT_FILE(job->input->title), "%s", az_err_text(rc));
    return rc;
}

int az_analyze_input(const struct az_plan_job *job, const struct az_run_opts *opts,
                     unsigned threads, struct az_result *res, struct az_diag *diag,
                     _Atomic uint64_t *progress)
{
    struct az_seats own = { .free = threads ? (int)threads - 1 : 0, .all = threads ? threads : 1 };
    return az_analyze_input_of(job, opts, threads, &own, res, diag, progress);
}
