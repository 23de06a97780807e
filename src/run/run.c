/* A plan on the pool. A worker processes an input from its files to its written outputs and frees
 * it; the calling thread prints messages and text strictly in config order, draws progress and
 * notices an interruption. */
#include "run/internal.h"
#include "run/post_actions.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/sort.h"
#include "io/fs_errors.h"
#include "io/limits.h"
#include "io/outfile.h"

#define TICK_MS 50
#define GRACE_NS                                                                                   \
    INT64_C(250000000) /* for workers to notice an interruption; then one hangs in a read */

enum phase { WAITING, RUNNING, FINISHED };

struct task {
    const struct az_plan_job *job;
    struct az_diag diag;
    struct az_vec_char text; /* the text report, printed in its turn */
    _Atomic int phase;
    _Atomic uint64_t read;
    _Atomic int64_t started_ns;
    int64_t took_ns;
    size_t peak;
    int error; /* of the input or one of its outputs */
    /* What is stored for the steps after the inputs; NULL: there are none. */
    struct az_outcome *outcome;
    bool reserved, printed;
};

struct crew {
    const struct az_plan *plan;
    const struct az_run_opts *opts;
    struct az_log log;
    struct task *tasks;
    size_t n;
    unsigned threads; /* a job may use itself */
    struct az_seats seats;
    bool color;
    bool texts_wait; /* texts of inputs wait for the side-by-side report, which comes before them */
    struct az_progress progress;
    struct az_progress_item *running; /* scratch of the tick */
    _Atomic uint64_t held;            /* predicted bytes of the running jobs */
    uint64_t budget, memory_limit;    /* of all jobs together; of one */
    int64_t interrupted_ns;
    size_t failed, complete;
    int stdout_errno;
    bool internal;
    struct az_outcome *outcomes; /* one a task, or NULL */
    bool follow_failed, gate_failed;
};

/* ---- on a worker ---- */

/* node_replay: the folder of benchmark commands. A run without such operations has none, which is
 * no failure. */
static int write_replay(struct task *t, struct az_result *res)
{
    const struct az_input *in = t->job->input;
    struct az_diag messages;
    int rc;

    if (!in->opts.node_replay || az_interrupted())
        return AZ_OK;
    az_diag_init(&messages);
    rc = az_outputs_replay(t->job, &res->doc, in->outputs.overwrite, &t->text, &messages);
    if (rc == AZ_EEMPTY) {
        az_diag_add(&t->diag, AZ_WARNING, AZ_AT_FILE(in->title),
                    "no GEMM or convolution to benchmark (node_replay)");
        rc = AZ_OK;
    } else {
        az_diag_append(&t->diag, &messages);
        if (rc && rc != AZ_EINTR && messages.errors == 0)
            az_diag_add(&t->diag, AZ_ERROR, AZ_AT_FILE(in->title), "node_replay: %s",
                        az_err_text(rc));
    }
    az_diag_release(&messages);
    return rc;
}

static void run_job(void *ctx, size_t i, unsigned worker)
{
    struct crew *c = ctx;
    struct task *t = &c->tasks[i];
    uint64_t cost = t->job->cost;
    struct az_result res;
    int rc = AZ_OK;

    (void)worker;
    if (!t->reserved)
        atomic_fetch_add(&c->held, cost);
    atomic_store(&t->started_ns, az_now_ns());
    atomic_store(&t->phase, RUNNING);
    atomic_fetch_sub(&c->seats.free, 1);
    az_result_init(&res, c->memory_limit);
    t->error =
        az_analyze_input_of(t->job, c->opts, c->threads, &c->seats, &res, &t->diag, &t->read);
    if (res.reportable) {
        if (t->job->text && !c->opts->quiet)
            rc = az_text_write(&res.doc, &t->text, c->color);
        if (rc)
            az_diag_add(&t->diag, AZ_ERROR, AZ_AT_FILE(t->job->input->title), "text report: %s",
                        az_err_text(rc));
        t->error = t->error ? t->error : rc;
        rc = write_replay(t, &res); /* may add tables */
        t->error = t->error ? t->error : rc;
        rc = az_outputs_write(c->plan, t->job, &res, c->threads, &t->diag);
        t->error = t->error ? t->error : rc;
        if (t->error && t->error != AZ_EINTR && t->diag.errors == 0)
            az_diag_add(&t->diag, AZ_ERROR, AZ_AT_FILE(t->job->input->title), "%s",
                        az_err_text(t->error));
    }
    if (az_interrupted() && !t->error)
        t->error = AZ_EINTR;
    if (t->outcome && !az_interrupted())
        az_outcome_copy(t->outcome, t->job, &res, az_followup_whole(c->plan->config), t->error);
    if (t->outcome && t->outcome->error && !t->error) {
        t->error = t->outcome->error;
        az_diag_add(&t->diag, AZ_ERROR, AZ_AT_FILE(t->job->input->title),
                    "cannot store its results: %s", az_err_text(t->error));
    }
    t->peak = atomic_load(&res.mem.peak);
    az_result_release(&res);
    t->took_ns = az_now_ns() - atomic_load(&t->started_ns);
    atomic_store(&t->phase, FINISHED);
    atomic_fetch_sub(&c->held, cost);
    atomic_fetch_add(&c->seats.free, 1);
}

/* Called by the pool for one job at a time. The reservation is made here, so that jobs admitted at
 * the same moment see each other. */
static bool admit(void *ctx, size_t i, uint64_t in_use)
{
    struct crew *c = ctx;
    struct task *t = &c->tasks[i];
    uint64_t held = atomic_load(&c->held);

    (void)in_use;
    if (t->reserved)
        return true;
    if (held > 0 && (held >= c->budget || t->job->cost > c->budget - held))
        return false;
    atomic_fetch_add(&c->held, t->job->cost);
    t->reserved = true;
    return true;
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return az_interrupted();
}

/* ---- on the calling thread ---- */

void az_diag_print(const struct az_diag *d, const struct az_log *log)
{
    size_t errors = 0;
    for (size_t i = 0; i < d->list.n; i++) {
        const struct az_message *m = &d->list.v[i];
        switch (m->severity) {
        case AZ_ERROR:
            errors++;
            az_log_line(log, AZ_LOG_QUIET, "error: %.*s", AZ_SVF(m->text));
            az_fs_error_printed(m->text);
            break;
        case AZ_WARNING:
            az_log_line(log, AZ_LOG_NORMAL, "warning: %.*s", AZ_SVF(m->text));
            break;
        case AZ_HINT:
            az_log_line(log, AZ_LOG_NORMAL, "note: %.*s", AZ_SVF(m->text));
            break;
        case AZ_NOTE:
            az_log_line(log, AZ_LOG_VERBOSE, "note: %.*s", AZ_SVF(m->text));
            break;
        }
    }
    if (d->dropped)
        az_log_line(log, AZ_LOG_NORMAL, "warning: %zu more messages not shown", d->dropped);
    if (d->dropped && d->errors && !errors) /* not even a message could be stored */
        az_log_line(log, AZ_LOG_QUIET, "error: out of memory");
}

static void print_text(struct crew *c, const struct az_vec_char *text)
{
    az_progress_clear(&c->progress);
    if (c->stdout_errno)
        return;
    errno = 0;
    if ((text->n && fwrite(text->v, 1, text->n, stdout) != text->n) || fflush(stdout))
        c->stdout_errno = errno ? errno : EIO;
}

/* A reader that has seen enough (`| head`) is no failure: there is nobody to print for. */
static bool stdout_failed(const struct crew *c)
{
    return c->stdout_errno && c->stdout_errno != EPIPE;
}

static void print_text_of(struct crew *c, struct task *t)
{
    if (!c->opts->quiet)
        print_text(c, &t->text);
    az_vec_release(&t->text);
}

/* The texts that waited, in config order. */
static void print_held(struct crew *c)
{
    for (size_t i = 0; c->texts_wait && i < c->n; i++)
        if (c->tasks[i].printed)
            print_text_of(c, &c->tasks[i]);
    c->texts_wait = false;
}

static void print_task(struct crew *c, struct task *t)
{
    struct az_sv title = t->job->input->title;

    t->printed = true;
    az_diag_print(&t->job->diag, &c->log);
    az_diag_print(&t->diag, &c->log);
    if (t->error == AZ_EINTERNAL)
        c->internal = true;
    if (!t->error && c->opts->strict && t->diag.warnings + t->job->diag.warnings > 0) {
        t->error = AZ_EFORMAT;
        az_log_line(&c->log, AZ_LOG_QUIET, "error: '%.*s' has warnings (--strict)", AZ_SVF(title));
    }
    c->failed += t->error != AZ_OK;
    c->complete++;
    if (!c->texts_wait)
        print_text_of(c, t);
    az_log_line(&c->log, AZ_LOG_VERBOSE, "'%.*s': %.3f s, %.1f MB read, %.1f MB memory%s",
                AZ_SVF(title), (double)t->took_ns / 1e9, (double)atomic_load(&t->read) / 1e6,
                (double)t->peak / 1e6, t->error ? ", failed" : "");
}

static void job_done(void *ctx, size_t i, bool ran)
{
    struct crew *c = ctx;
    struct task *t = &c->tasks[i];

    if (ran && t->error != AZ_EINTR)
        print_task(c, t);
}

/* A worker that waits in a read (a pipe nobody writes to) cannot be stopped: after a while, what is
 * complete is printed and the process ends. */
static void give_up(struct crew *c)
{
    az_progress_clear(&c->progress);
    for (size_t i = 0; i < c->n; i++)
        if (atomic_load(&c->tasks[i].phase) == FINISHED && !c->tasks[i].printed &&
            c->tasks[i].error != AZ_EINTR)
            print_task(c, &c->tasks[i]);
    print_held(c);
    az_log_line(&c->log, AZ_LOG_QUIET, "interrupted: %zu of %zu inputs completed", c->complete,
                c->n);
    az_signals_quit();
}

static void check_deadlines(void *ctx)
{
    struct crew *c = ctx;
    size_t n = 0;

    if (az_interrupted()) {
        int64_t now = az_now_ns();
        if (!c->interrupted_ns)
            c->interrupted_ns = now;
        if (now - c->interrupted_ns > GRACE_NS)
            give_up(c);
        return;
    }
    if (!c->progress.on)
        return;
    c->progress.done = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct task *t = &c->tasks[i];
        int phase = atomic_load(&t->phase);
        c->progress.done += phase == FINISHED;
        if (phase == RUNNING)
            c->running[n++] =
                (struct az_progress_item){ .title = t->job->input->title,
                                           .bytes = t->job->bytes,
                                           .read = &t->read,
                                           .started_ns = atomic_load(&t->started_ns) };
    }
    az_progress_draw(&c->progress, c->running, n);
}

static int dearest_first(const void *x, const void *y, void *ctx)
{
    const struct task *tasks = ctx;
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    uint64_t ca = tasks[a].job->cost, cb = tasks[b].job->cost;
    return ca > cb ? -1 : ca < cb ? 1 : a < b ? -1 : a > b;
}

unsigned az_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

/* Steps of the configuration after the inputs. */
static void follow_up(struct crew *c)
{
    struct az_followup f = { .plan = c->plan,
                             .opts = c->opts,
                             .log = &c->log,
                             .outcomes = c->outcomes,
                             .n = c->n,
                             .color = c->color };

    if (!c->outcomes || az_interrupted())
        return;
    az_progress_clear(&c->progress);
    az_followup(&f);
    if (!c->opts->quiet)
        print_text(c, &f.before);
    print_held(c);
    if (!c->opts->quiet)
        print_text(c, &f.text);
    print_text(c, &f.annotations);
    c->internal |= f.internal;
    c->follow_failed = f.failed;
    c->gate_failed = f.gate_failed && !c->plan->config->warn_only;
    az_followup_release(&f);
}

static int finish(struct crew *c)
{
    az_progress_clear(&c->progress);
    if (stdout_failed(c))
        az_log_line(&c->log, AZ_LOG_QUIET, "error: standard output: %s", strerror(c->stdout_errno));
    if (az_interrupted()) {
        az_out_cleanup();
        az_log_line(&c->log, AZ_LOG_QUIET, "interrupted: %zu of %zu inputs completed", c->complete,
                    c->n);
        return AZ_EXIT_INTERRUPTED;
    }
    if (c->failed && c->n > 1)
        az_log_line(&c->log, AZ_LOG_NORMAL, "%zu of %zu inputs failed", c->failed, c->n);
    if (c->internal)
        return AZ_EXIT_INTERNAL;
    if (c->gate_failed)
        return AZ_EXIT_GATE;
    return c->failed || c->follow_failed || stdout_failed(c) ? AZ_EXIT_PARTIAL : AZ_EXIT_OK;
}

static int run_crew(struct crew *c, struct az_arena *a)
{
    struct az_pool_ops ops = { .run = run_job,
                               .done = job_done,
                               .tick = check_deadlines,
                               .admit = admit,
                               .cancelled = cancelled,
                               .tick_ms = TICK_MS };
    unsigned workers = c->opts->workers ? c->opts->workers : az_processors();
    size_t *order = az_arena_array(a, c->n, sizeof *order);

    if (!order)
        return AZ_ENOMEM;
    if (c->n == 0)
        return AZ_OK;
    for (size_t i = 0; i < c->n; i++)
        order[i] = i;
    az_sort_cmp(order, c->n, sizeof *order, dearest_first, c->tasks, NULL);
    c->threads = c->n < workers ? workers / (unsigned)c->n : 1;
    c->seats.all = workers;
    atomic_store(&c->seats.free, (int)workers);
    return az_pool_run(c->n, workers, order, NULL, &ops, c);
}

int az_run(const struct az_plan *plan, const struct az_run_opts *opts)
{
    const uint64_t given = az_memory_available();
    struct crew c = {
        .plan = plan,
        .opts = opts,
        .log = opts->log,
        .budget = given / 2,
        .memory_limit = opts->memory_limit ? opts->memory_limit : given / 4 * 3,
    };
    size_t total = az_plan_count(plan);
    struct az_arena a;
    int rc;

    az_arena_init(&a, NULL);
    az_progress_init(&c.progress, opts->progress, total);
    c.log.before = az_progress_clear;
    c.log.ctx = &c.progress;
    c.color = az_use_color(opts->color, STDOUT_FILENO);
    c.tasks = az_arena_array(&a, total, sizeof *c.tasks);
    c.running = az_arena_array(&a, total, sizeof *c.running);
    c.texts_wait = plan->steps[AZ_STEP_SIDE_BY_SIDE].text;
    if (az_followup_planned(plan))
        c.outcomes = az_arena_array(&a, total, sizeof *c.outcomes);
    rc = c.tasks && c.running ? AZ_OK : AZ_ENOMEM;
    for (size_t i = 0; !rc && i < plan->jobs.n; i++) {
        if (plan->jobs.v[i].skip)
            continue;
        c.tasks[c.n].job = &plan->jobs.v[i];
        c.tasks[c.n].outcome = c.outcomes ? &c.outcomes[c.n] : NULL;
        az_diag_init(&c.tasks[c.n].diag);
        az_vec_init(&c.tasks[c.n].text, NULL);
        c.n++;
    }
    if (!rc)
        rc = run_crew(&c, &a);
    if (rc)
        az_log_line(&c.log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    if (!rc)
        follow_up(&c);
    print_held(&c);
    rc = rc ? AZ_EXIT_INTERNAL : finish(&c);
    for (size_t i = 0; i < c.n; i++) {
        if (c.outcomes)
            az_outcome_release(&c.outcomes[i]);
        az_diag_release(&c.tasks[i].diag);
        az_vec_release(&c.tasks[i].text);
    }
    az_arena_release(&a);
    return rc;
}
