/* Facts about a file before there is a configuration. */
#include "cmds/internal.h"
#include "cmds/wrap.h"

#include <stdio.h>

#include "base/human.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/claims.h"
#include "document/schema.h"
#include "document/verdict_table.h"

enum {
    MOST_READ = 4, /* inputs of a folder; of more paths as many */
    LABEL = 10     /* columns before the text of a line */
};

int az_preview_begin(struct az_preview *l, const char *const *paths, size_t n)
{
    struct az_config_names names;
    struct az_overrides none;
    int rc = az_config_init(&l->conf);

    az_vec_init(&none, NULL);
    az_diag_init(&l->diag);
    az_plan_init(&l->plan);
    if (!rc)
        rc = az_plan_names(&l->plan.arena, &names);
    if (!rc)
        rc = az_config_quick(&l->conf, &none, &names, &l->diag);
    l->conf.cancel = az_signals_install(); /* from here on there may be temporary files */
    l->conf.look = l->conf.no_reports = true;
    if (!rc) /* ranks of one run are one input, the CSVs of one report, too */
        rc = n == 1 ? az_plan_runs(&l->conf, paths[0], &l->diag)
                    : az_plan_paths(&l->conf, paths, n, &l->diag);
    if (!rc)
        rc = az_plan_search(&l->conf, &l->diag);
    return rc ? rc : az_plan_make(&l->plan, &l->conf, &l->diag);
}

void az_preview_end(struct az_preview *l)
{
    az_plan_release(&l->plan);
    az_diag_release(&l->diag);
    az_config_release(&l->conf);
}

struct facts {
    struct az_vec_char *out;
    const char *prefix;
    struct az_arena a;
    int error;
};

/* Texts are of the file, and may contain anything. */
static void print_line(struct facts *f, const char *label, struct az_sv text)
{
    if (!text.n || f->error)
        return;
    text = az_utf8_printable(&f->a, text, "");
    const struct az_sv line = az_arena_printf(&f->a, "%s%-9s %.*s", f->prefix, label, AZ_SVF(text));
    const bool is_comment = strspn(f->prefix, " ") < strlen(f->prefix); /* each line is one */
    f->error = line.p ? az_utf8_wrap(f->out, line, strlen(f->prefix) + LABEL,
                                     is_comment ? SIZE_MAX : az_wrap_width())
                      : az_arena_error(&f->a);
}

/* Value of a fact; empty: not in the file. */
static struct az_sv fact_of(const struct az_document *d, const char *key)
{
    return az_fact_text(d, "facts", key, "Value");
}

/* "2 x NVIDIA H100": devices that the file names, equal ones together. */
static struct az_sv devices(const struct az_document *d, struct az_arena *a)
{
    const struct az_table *t = az_document_table(d, "facts");
    struct az_sv out = AZ_SV("");

    for (size_t r = 0; t && r < t->rows; r++) {
        const struct az_sv key = az_cell_text(az_table_at(t, r, 0)),
                           name = az_cell_text(az_table_at(t, r, 1));
        size_t n = 0;
        if (!az_sv_starts(key, AZ_SV("device ")) || (out.n && az_sv_find(out, name) >= 0))
            continue;
        for (size_t k = r; k < t->rows; k++)
            n += az_sv_starts(az_cell_text(az_table_at(t, k, 0)), AZ_SV("device ")) &&
                 az_sv_eq(az_cell_text(az_table_at(t, k, 1)), name);
        out =
            az_arena_printf(a, "%.*s%s%zu x %.*s", AZ_SVF(out), out.n ? ", " : "", n, AZ_SVF(name));
    }
    return out.n ? out : fact_of(d, "devices");
}

static struct az_sv ranks(const struct az_result *res, struct az_arena *a)
{
    const struct az_sv n = fact_of(&res->doc, "ranks"), world = fact_of(&res->doc, "world size");

    if (n.n && world.n)
        return az_arena_printf(a, "%.*s of %.*s", AZ_SVF(n), AZ_SVF(world));
    if (n.n)
        return n;
    if (res->n_traces != 1 || res->traces[0].rank < 0)
        return AZ_SV("");
    if (res->traces[0].world_size <= 0)
        return az_arena_printf(a, "rank %lld", (long long)res->traces[0].rank);
    return az_arena_printf(a, "rank %lld of %lld; other ranks are in separate files",
                           (long long)res->traces[0].rank, (long long)res->traces[0].world_size);
}

/* Number of different values of a table's column; 0: there is no such column. */
static size_t values(const struct az_document *d, const char *table, const char *stem)
{
    const struct az_table *t = az_document_table(d, table);
    const ptrdiff_t c = t ? az_schema_find(t, az_sv_str(stem)) : -1;
    size_t n = 0;
    char x[AZ_NUM_MAX], y[AZ_NUM_MAX];

    for (size_t r = 0; c >= 0 && !t->make && r < t->rows; r++) {
        size_t before = 0;
        while (before < r && !az_sv_eq(az_cell_exact(az_table_at(t, before, (size_t)c), x),
                                       az_cell_exact(az_table_at(t, r, (size_t)c), y)))
            before++;
        n += before == r;
    }
    return n;
}

static struct az_sv steps(const struct az_document *d, struct az_arena *a)
{
    static const char *const where[][2] = { { "gpu_timeline_by_step", "step" },
                                            { "device_iterations", "range_id" } };

    for (size_t i = 0; i < AZ_LENGTH(where); i++) {
        const size_t n = values(d, where[i][0], where[i][1]);
        if (n)
            return az_arena_printf(a, "%zu", n);
    }
    return AZ_SV("");
}

/* From the first to the last device event. */
static struct az_sv device_span(const struct az_document *d, struct az_arena *a)
{
    const struct az_table *t = az_document_table(d, "gpu_timeline");
    const ptrdiff_t type = t ? az_schema_find(t, AZ_SV("type")) : -1,
                    time = t ? az_schema_find(t, AZ_SV("time")) : -1;
    char text[AZ_HUMAN_MAX];

    for (size_t r = 0; type >= 0 && time >= 0 && r < t->rows; r++)
        if (az_sv_is(az_cell_text(az_table_at(t, r, (size_t)type)), "total_time")) {
            const double x = az_cell_number(az_table_at(t, r, (size_t)time)) *
                             az_unit_base(t->columns.v[time].unit) / az_unit_base(AZ_UNIT_NS);
            az_human_time((int64_t)x, text);
            return az_arena_printf(a, "%s from the first to the last device event", text);
        }
    return AZ_SV("");
}

/* Value of a row of the table of coverage; NAN: there is none. */
static double covered(const struct az_document *d, const char *item)
{
    const struct az_table *t = az_document_table(d, "coverage");
    const ptrdiff_t key = t ? az_schema_find(t, AZ_SV("item")) : -1,
                    value = t ? az_schema_find(t, AZ_SV("value")) : -1;

    for (size_t r = 0; key >= 0 && value >= 0 && r < t->rows; r++)
        if (az_sv_is(az_cell_text(az_table_at(t, r, (size_t)key)), item))
            return az_cell_number(az_table_at(t, r, (size_t)value));
    return NAN;
}

/* Graphs have the shapes of the traces of their captures. What is known by them is as in the
 * report; of no known share it is unknown. */
static struct az_sv shapes_text(const struct az_document *d, struct az_arena *a)
{
    const bool recorded = az_sv_is(fact_of(d, "record_shapes"), "1");
    if (!recorded && !(covered(d, "compute kernel time with FLOPs or bytes known") > 0) &&
        isnan(covered(d, "compute kernel time with FLOPs or bytes known, shapes recorded")))
        return AZ_SV("not recorded: no FLOPs (profile with record_shapes=True)");
    const char *where =
        !recorded && fact_of(d, "graph captures").n ? "in graph captures" : "recorded";
    const double share = d->claims ? d->claims->rates.flops_known_share : NAN;
    if (isnan(share))
        return az_sv_str(where);
    return az_arena_printf(a, "%s: FLOPs/bytes known for %.1f%% of compute kernel time", where,
                           100 * share);
}

int az_preview_facts(const struct az_plan_job *job, const struct az_result *res, const char *prefix,
                     struct az_vec_char *out)
{
    const struct az_document *d = &res->doc;
    const struct az_table *verdict = az_headline_of(d);
    const struct az_sv stacks = fact_of(d, "with_stack");
    struct facts f = { .out = out, .prefix = prefix };

    az_arena_init(&f.a, NULL);
    if (verdict && verdict->rows)
        print_line(&f, "what", az_headline_line(verdict, 0).text);
    print_line(&f, "devices", devices(d, &f.a));
    print_line(&f, "ranks", ranks(res, &f.a));
    print_line(&f, "steps", steps(d, &f.a));
    print_line(&f, "span", device_span(d, &f.a));
    if (job->format && strcmp(job->format->name, "pytorch") == 0) {
        print_line(&f, "shapes", shapes_text(d, &f.a));
        print_line(&f, "stacks",
                   az_sv_is(stacks, "1") ? AZ_SV("recorded")
                                         : AZ_SV("not recorded (profile with with_stack=True)"));
    }
    const int rc = f.error ? f.error : f.a.failed ? az_arena_error(&f.a) : AZ_OK;
    az_arena_release(&f.a);
    return rc;
}

static int describe(const struct az_plan_job *job, const struct az_result *res)
{
    struct az_vec_char text;
    int rc;

    az_vec_init(&text, NULL);
    rc = az_preview_facts(job, res, "  ", &text);
    if (!rc && text.n)
        fwrite(text.v, 1, text.n, stdout);
    az_vec_release(&text);
    return rc;
}

/* A file by its name as listed, several by their title. */
static void print_input(const struct az_plan_job *job)
{
    const struct az_input *in = job->input;
    const char *format = job->format ? job->format->name : "saved result";

    fputs("  input     ", stdout);
    az_print_name(in->files.n == 1 ? in->files.v[0].path : in->title);
    if (in->files.n == 1)
        printf(": %s\n", format);
    else
        printf(": %zu files, %s\n", in->files.n, format);
}

bool az_preview_joins(const char *const *paths, size_t n)
{
    struct az_preview l;
    const int rc = n > 1 ? az_preview_begin(&l, paths, n) : AZ_EUSAGE;
    bool joins = rc == AZ_OK && l.plan.jobs.n < n;

    for (size_t i = 0; joins && i < l.plan.jobs.n; i++)
        joins = l.plan.jobs.v[i].error == AZ_OK;
    if (n > 1)
        az_preview_end(&l);
    return joins;
}

int az_preview_describe(const char *const *paths, size_t n, const struct az_log *log)
{
    const size_t most = n > MOST_READ ? n : MOST_READ;
    struct az_preview l;
    int rc = az_preview_begin(&l, paths, n), failed = rc;

    if (rc)
        az_diag_print(&l.diag, log);
    if (rc && rc != AZ_EINTR && l.diag.errors == 0)
        az_log_line(log, AZ_LOG_QUIET, "error: %s: %s", paths[0], az_err_text(rc));
    if (!rc)
        az_sandbox_settle_alone(&l.plan);
    for (size_t i = 0; !rc && i < l.plan.jobs.n && !az_interrupted(); i++) {
        struct az_plan_job *job = &l.plan.jobs.v[i];
        struct az_run_opts opts = { .memory_limit = l.conf.memory_limit };
        struct az_result res;

        az_result_init(&res, opts.memory_limit);
        if (!job->error && i < most)
            job->error = az_analyze_input(job, &opts, 1, &res, &job->diag, NULL);
        if (l.plan.jobs.n > 1 || l.conf.inputs.v[i].files.n > 1) {
            print_input(job);
        }
        if (res.reportable) {
            const int status = describe(job, &res);
            job->error = job->error ? job->error : status;
        }
        fflush(stdout);
        if (job->error && job->error != AZ_EINTR && job->diag.errors == 0)
            az_diag_add(&job->diag, AZ_ERROR, AZ_AT_FILE(job->input->title), "%s",
                        az_err_text(job->error));
        az_diag_print(&job->diag, log);
        failed = failed ? failed : job->error;
        az_result_release(&res);
    }
    if (!rc && l.plan.jobs.n > most)
        printf("  ...       %zu more input%s skipped; probe them one by one\n",
               l.plan.jobs.n - most, l.plan.jobs.n == most + 1 ? "" : "s");
    az_preview_end(&l);
    return failed;
}
