#include "run/session.h"

#include <unistd.h>

#include "io/path.h"

static unsigned threads_of(const struct az_session *s)
{
    const long n = s->conf.jobs ? (long)s->conf.jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

/* A saved result, or a profile; ranks of one run are one input if they are all there is. */
static int add_path(struct az_session *s, const char *path, bool alone, struct az_diag *diag)
{
    if (strcmp(path, "-") != 0 && az_saved_kind(path) != AZ_SAVED_NONE)
        return az_plan_saved(&s->conf, path);
    return alone ? az_plan_runs(&s->conf, path, diag) : az_plan_paths(&s->conf, &path, 1, diag);
}

static int make_plan(struct az_session *s, const char *const *paths, size_t n,
                     const struct az_overrides *over, struct az_diag *diag)
{
    struct az_config_names names;
    int rc = az_plan_names(&s->plan.arena, &names);

    if (!rc)
        rc = az_config_quick(&s->conf, over, &names, diag);
    s->conf.cancel = az_signals_install();
    s->conf.no_reports = s->conf.takes_results = true;
    bool saved = false;
    for (size_t i = 0; i < n; i++)
        saved |= strcmp(paths[i], "-") != 0 && az_saved_kind(paths[i]) != AZ_SAVED_NONE;
    if (!rc && n > 1 && !saved) /* the files of one report are one input */
        rc = az_plan_paths(&s->conf, paths, n, diag);
    for (size_t i = 0; !rc && (n == 1 || saved) && i < n; i++)
        rc = add_path(s, paths[i], n == 1, diag);
    if (!rc)
        rc = az_plan_search(&s->conf, diag);
    return rc ? rc : az_plan_make(&s->plan, &s->conf, diag);
}

/* Newest time and size of all files of an input. */
static void stamp(const struct az_plan_job *job, int64_t *mtime_ns, int64_t *size)
{
    *mtime_ns = *size = 0;
    for (size_t i = 0; i < job->files.n; i++) {
        const struct az_path_info info = az_path_stat(job->files.v[i].path.p);
        if ((int64_t)info.mtime_ns > *mtime_ns)
            *mtime_ns = (int64_t)info.mtime_ns;
        *size += (int64_t)info.size;
    }
}

bool az_session_changed(const struct az_session *s, size_t input)
{
    int64_t mtime_ns, size;
    stamp(s->inputs[input].job, &mtime_ns, &size);
    return mtime_ns != s->inputs[input].mtime_ns || size != s->inputs[input].size;
}

/* Title of an input, with a number where one before has it too. */
static struct az_sv unique_title(struct az_session *s, struct az_sv title)
{
    struct az_sv out = az_arena_dup(&s->arena, title);

    for (size_t k = 2, i = 0; i < s->n; i++)
        if (az_sv_eq(s->inputs[i].title, out)) {
            out = az_arena_printf(&s->arena, "%.*s~%zu", AZ_SVF(title), k++);
            i = (size_t)-1; /* against all again */
        }
    return out;
}

static int read_input(struct az_session *s, struct az_plan_job *job)
{
    struct az_session_input *in = &s->inputs[s->n];

    in->job = job;
    in->title = unique_title(s, job->input->title);
    az_diag_init(&in->diag);
    az_diag_append(&in->diag, &job->diag);
    az_result_init(&in->res, s->conf.memory_limit);
    az_result_init(&in->report, s->conf.memory_limit);
    stamp(job, &in->mtime_ns, &in->size);
    in->error = az_read_one(job, threads_of(s), &in->res, &in->diag);
    in->views = az_arena_array(&s->arena, in->res.n_traces + 1, sizeof *in->views);
    for (size_t i = 0; in->views && i < in->res.n_traces; i++)
        in->views[i] = &in->res.traces[i];
    s->requested[s->n] =
        (struct az_query_input){ .title = in->title,
                                 .format = job->format ? az_sv_str(job->format->name)
                                                       : AZ_SV(AZ_FORMAT_RESULT),
                                 .traces = in->views,
                                 .n_traces = in->views ? in->res.n_traces : 0,
                                 .opts = &job->input->opts,
                                 .arena = &in->res.arena,
                                 .mem = &in->res.mem };
    s->n++;
    return in->title.p && in->views ? in->error : AZ_ENOMEM;
}

static const struct az_document *document(void *ctx, size_t input, int *rc)
{
    return az_session_document(ctx, input, rc);
}

int az_session_open(struct az_session *s, const char *const *paths, size_t n,
                    const struct az_overrides *over, az_on_plan *planned, void *ctx,
                    struct az_diag *diag)
{
    int rc, failed = AZ_OK;
    size_t good = 0;

    *s = (struct az_session){ 0 };
    az_arena_init(&s->arena, NULL);
    az_plan_init(&s->plan);
    rc = az_config_init(&s->conf);
    if (!rc)
        rc = make_plan(s, paths, n, over, diag);
    if (!rc && planned)
        planned(ctx, &s->plan);
    if (!rc) {
        s->inputs = az_arena_array(&s->arena, s->plan.jobs.n, sizeof *s->inputs);
        s->requested = az_arena_array(&s->arena, s->plan.jobs.n, sizeof *s->requested);
        rc = s->inputs && s->requested ? AZ_OK : AZ_ENOMEM;
    }
    s->opts.memory_limit = s->conf.memory_limit;
    for (size_t i = 0; !rc && i < s->plan.jobs.n; i++) {
        const int one = read_input(s, &s->plan.jobs.v[i]);
        rc = one == AZ_EINTR || one == AZ_ENOMEM ? one : AZ_OK;
        failed = failed ? failed : one;
        good += one == AZ_OK || s->inputs[i].res.n_traces > 0 || s->inputs[i].res.reportable;
    }
    s->source = (struct az_query_source){ s->requested, s->n, document, s };
    return rc ? rc : good ? AZ_OK : failed;
}

void az_session_close(struct az_session *s)
{
    for (size_t i = 0; i < s->n; i++) {
        az_result_release(&s->inputs[i].report);
        az_result_release(&s->inputs[i].res);
        az_diag_release(&s->inputs[i].diag);
    }
    az_plan_release(&s->plan);
    az_config_release(&s->conf);
    az_arena_release(&s->arena);
}

const struct az_document *az_session_document(struct az_session *s, size_t input, int *rc)
{
    struct az_session_input *in = &s->inputs[input];
    struct az_result *res = in->job->format && az_job_is_run(in->job) ? &in->report : &in->res;

    if (!in->requested && !in->job->saved)
        in->report_error =
            in->error && !in->res.n_traces
                ? in->error
                : az_analyze_input(in->job, &s->opts, threads_of(s), res, &in->diag, NULL);
    in->requested = true;
    *rc = in->report_error;
    return res->reportable ? &res->doc : NULL;
}
