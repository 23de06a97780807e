/* Which writers an input has and where they write. */
#include "run/gates.h"
#include "run/internal.h"
#include "run/output_sources.h"

#include <string.h>

#include "base/intern.h"
#include "base/utf8.h"
#include "io/path.h"
#include "reports/list.h"
#include "saved/load.h"

#define NO_GATES   "format '%.*s' skipped, it requires gates; add \"gates\", or use `analyzer gate`"
#define NAME_BYTES 100 /* of a title in a file name; the rest of the 255 is for base and suffix */

struct az_sv az_name_safe(struct az_arena *a, struct az_sv title)
{
    struct az_sv clean = az_utf8_cut(az_utf8_clean(a, az_sv_trim(title)), NAME_BYTES);
    char *text = az_arena_str(a, clean);

    if (!text)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = 0; i < clean.n; i++) {
        unsigned char ch = (unsigned char)text[i];
        if (ch < 0x20 || ch == 0x7f || strchr("/\\:*?\"<>|", ch))
            text[i] = '_';
    }
    if (clean.n && text[0] == '.')
        text[0] = '_';
    return clean.n ? az_sv_make(text, clean.n) : AZ_SV("input");
}

/* Rules for one input: its own settings before those of the run. */
struct wanted {
    struct az_outputs o; /* borrowed views */
    bool text, defaults;
    const struct az_report *reports[16];
    size_t n;
    struct az_sv stem; /* folder/base_perf_report: of outputs without a name of their own */
};

struct naming {
    struct az_plan *p;
    const struct az_config *c;
    struct az_diag *diag;
    struct wanted *w; /* one a job */
    bool gates;       /* the writers of the step "gates" are being chosen */
};

/* Base name of an input's reports: its format's stem of the first file, "stdin" for standard input;
 * of several files that were found to be one input, its title: not that of a single rank. */
static struct az_sv report_base(const struct naming *n, const struct az_plan_job *job)
{
    struct az_sv path;

    if (n->c->look && job->input->files.n > 1 && job->input->title.n)
        return az_name_safe(&n->p->arena, job->input->title);

    if (job->input->files.n == 0)
        return AZ_SV("input");
    path = job->input->files.v[0].path;
    if (az_sv_is(path, "-"))
        return AZ_SV("stdin");
    return job->format && job->format->stem ? job->format->stem(path) : az_path_stem(path);
}

static struct az_sv either(struct az_sv own, struct az_sv run) { return own.n ? own : run; }

static int add_report(struct wanted *w, const struct az_report *r)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->reports[i] == r)
            return AZ_OK;
    if (!r || w->n == AZ_LENGTH(w->reports))
        return AZ_EINTERNAL;
    w->reports[w->n++] = r;
    return AZ_OK;
}

static int choose_writers(const struct naming *n, struct wanted *w, const struct az_outputs *own,
                          struct az_where at)
{
    int rc = AZ_OK;

    w->o =
        (struct az_outputs){ .dir = either(own->dir, n->c->outputs.dir),
                             .xlsx = either(own->xlsx, n->c->outputs.xlsx),
                             .csv_dir = either(own->csv_dir, n->c->outputs.csv_dir),
                             .csv_file = either(own->csv_file, n->c->outputs.csv_file),
                             .summary_file = either(own->summary_file, n->c->outputs.summary_file),
                             .formats = own->formats.n ? own->formats : n->c->outputs.formats };
    w->defaults = w->o.formats.n == 0;
    w->text = w->defaults;
    for (size_t k = 0; !rc && k < w->o.formats.n; k++) {
        struct az_sv name = w->o.formats.v[k];
        const struct az_report *r = az_report_find(name);
        if (az_sv_ieq(name, AZ_SV("text")))
            w->text = true;
        else if (r && r->verdict)
            rc = n->gates ? add_report(w, r) : AZ_OK; /* the step writes it, no input does */
        else if (r)
            rc = add_report(w, r);
        else
            rc = az_diag_fail(n->diag, AZ_ECONFIG, at, "unknown output format '%.*s'; use %.*s",
                              AZ_SVF(name), AZ_SVF(az_report_names(&n->p->arena)));
    }
    /* A named place requests its writer; the workbook is the default where none is named, except
     * without a configuration. */
    if (!rc && w->o.csv_dir.n)
        rc = add_report(w, az_report_find(AZ_SV("csv")));
    const bool named = w->o.csv_dir.n || w->o.csv_file.n;
    if (!rc && (w->o.xlsx.n || (w->defaults && !named && (!n->c->look || w->o.dir.n))))
        rc = add_report(w, az_report_find(AZ_SV("xlsx")));
    return rc;
}

/* Folder and base name of an input's reports: those of the named file, the named folder, else next
 * to its first file; what has no place in the file system is reported in the current folder. */
static int choose_stem(const struct naming *n, size_t i)
{
    struct az_plan_job *job = &n->p->jobs.v[i];
    struct az_arena *a = &n->p->arena;
    struct az_sv dir = n->w[i].o.dir, name = report_base(n, job), first;

    if (n->c->together.n) {
        dir = az_path_dir(n->c->together);
        name = az_path_stem(n->c->together);
        n->w[i].stem = az_sv_is(dir, ".") ? name : az_path_join(a, dir, name);
        return n->w[i].stem.p ? AZ_OK : az_arena_error(a);
    }
    if (!dir.n && job->input->files.n) {
        first = job->input->files.v[0].part.n ? job->input->files.v[0].part
                                              : job->input->files.v[0].path;
        dir = az_path_is_stream(first) ? AZ_SV(".") : az_path_dir(first);
    }
    name = job->input->stem.n ? job->input->stem
                              : az_arena_printf(a, "%.*s%s", AZ_SVF(name), AZ_REPORT_SUFFIX);
    n->w[i].stem = az_sv_is(dir, ".") ? name : az_path_join(a, dir, name);
    return n->w[i].stem.p ? AZ_OK : az_arena_error(a);
}

/* Marks the jobs whose stem another one has too. */
static int find_shared(const struct naming *n, bool *shared)
{
    struct az_intern stems;
    uint32_t *first = az_arena_array(&n->p->arena, n->p->jobs.n, sizeof *first);
    az_intern_init(&stems, &n->p->arena, NULL);
    int rc = first ? 0 : AZ_ENOMEM;

    if (rc)
        return rc;
    for (size_t i = 0; !rc && i < n->p->jobs.n; i++) {
        size_t known = stems.text.n;
        uint32_t id = 0;
        if (n->p->jobs.v[i].saved)
            continue; /* writes nothing */
        rc = az_intern(&stems, n->w[i].stem, &id);
        if (!rc && id == known)
            first[id] = (uint32_t)i;
        else if (!rc)
            shared[first[id]] = shared[i] = true;
    }
    az_intern_release(&stems);
    return rc;
}

/* A title made of a path ("a/trace.json") without the extension of its file. */
static struct az_sv title_without_extension(struct az_arena *a, const struct az_input *in)
{
    const struct az_sv base = in->files.n == 1 ? az_path_base(in->files.v[0].path) : AZ_SV("");
    const size_t kept = in->title.n - base.n;

    if (!base.n || !az_sv_ends(in->title, base))
        return in->title;
    return az_arena_printf(a, "%.*s%.*s", (int)kept, in->title.p, AZ_SVF(az_path_stem(base)));
}

/* Appends the title to the stem of the inputs that share one. */
static int append_titles(const struct naming *n, const bool *shared, bool whole)
{
    struct az_arena *a = &n->p->arena;
    int rc = 0;

    for (size_t i = 0; !rc && i < n->p->jobs.n; i++) {
        const struct az_input *in = n->p->jobs.v[i].input;
        struct az_sv title;
        if (!shared[i])
            continue;
        title = az_name_safe(a, whole ? in->title : title_without_extension(a, in));
        n->w[i].stem = az_arena_printf(a, "%.*s_%.*s", AZ_SVF(n->w[i].stem), AZ_SVF(title));
        if (!title.p || !n->w[i].stem.p)
            rc = az_arena_error(a);
    }
    return rc;
}

/* Inputs that would share a name get their title after it: without an extension where that is
 * enough ("a/trace.json", "b/trace.json"), else as it is ("trace.db", "trace.json"). */
static int part_stems(const struct naming *n)
{
    struct az_arena *a = &n->p->arena;
    const size_t jobs = n->p->jobs.n;
    bool *shared = az_arena_array(a, jobs, sizeof *shared),
         *still = az_arena_array(a, jobs, sizeof *still);
    struct az_sv *stem = az_arena_array(a, jobs, sizeof *stem);
    int rc = shared && still && stem ? find_shared(n, shared) : az_arena_error(a);

    for (size_t i = 0; !rc && i < jobs; i++)
        stem[i] = n->w[i].stem;
    if (!rc)
        rc = append_titles(n, shared, false);
    if (!rc)
        rc = find_shared(n, still);
    for (size_t i = 0; !rc && i < jobs; i++)
        if (still[i])
            n->w[i].stem = stem[i];
    return rc ? rc : append_titles(n, still, true);
}

static struct az_sv target_path(const struct naming *n, size_t i, const struct az_report *r)
{
    const struct wanted *w = &n->w[i];
    struct az_arena *a = &n->p->arena;

    if (az_sv_is(AZ_SV("xlsx"), r->name) && w->o.xlsx.n)
        return az_arena_dup(a, w->o.xlsx);
    if (az_sv_is(AZ_SV("csv"), r->name) && w->o.csv_dir.n) {
        bool of_run = az_sv_eq(w->o.csv_dir, n->c->outputs.csv_dir);
        if (!of_run || n->c->inputs.n < 2)
            return az_arena_dup(a, w->o.csv_dir);
        return az_path_join(a, w->o.csv_dir, az_name_safe(a, n->p->jobs.v[i].input->title));
    }
    return az_output_path(a, w->stem, r);
}

static int add_targets(const struct naming *n, size_t i)
{
    struct az_plan_job *job = &n->p->jobs.v[i];
    const struct az_outputs *run = &n->c->outputs;
    int rc = AZ_OK;

    job->text = n->w[i].text;
    job->xlsx_rows =
        (size_t)(job->input->outputs.xlsx_rows < 0 ? 0 : job->input->outputs.xlsx_rows);
    job->html_rows =
        (size_t)(job->input->outputs.html_rows < 0 ? 0 : job->input->outputs.html_rows);
    if (run->xlsx.n && az_sv_eq(run->xlsx, n->w[i].o.xlsx) && az_plan_count(n->p) > 1)
        return az_diag_fail(n->diag, AZ_ECONFIG, AZ_NOWHERE,
                            "one workbook '%.*s' for %zu inputs; name an output folder instead",
                            AZ_SVF(run->xlsx), az_plan_count(n->p));
    job->source = az_source_of_files(&n->p->arena, &job->input->files);
    if (job->input->opts.no_paths)
        job->source = az_source_hidden(&n->p->arena, job->source);
    if (!job->input->group.n && !n->c->together.n) /* what a search finds keeps its name */
        rc = az_output_stem(&n->p->arena, job->source, n->w[i].reports, n->w[i].n, &n->w[i].stem,
                            n->diag);
    for (size_t k = 0; !rc && k < n->w[i].n; k++) {
        struct az_target t = { .report = n->w[i].reports[k] };
        t.path = target_path(n, i, t.report);
        rc = t.path.p ? az_vec_push(&job->targets, t) : az_arena_error(&n->p->arena);
    }
    return rc ? rc : az_outputs_tables(n->p, job, &n->w[i].o, n->diag);
}

/* ---- the steps after the inputs ---- */

/* Where a step writes: what names one input's workbook or folder is not for it. */
static struct az_sv step_path(const struct naming *n, const struct wanted *w,
                              const struct az_outputs *own, const char *name,
                              const struct az_report *r)
{
    struct az_arena *a = &n->p->arena;

    if (az_sv_is(AZ_SV("xlsx"), r->name) && own->xlsx.n)
        return az_arena_dup(a, own->xlsx);
    if (az_sv_is(AZ_SV("csv"), r->name) && own->csv_dir.n)
        return az_arena_dup(a, own->csv_dir);
    if (az_sv_is(AZ_SV("csv"), r->name) && w->o.csv_dir.n)
        return az_path_join(a, w->o.csv_dir, az_sv_str(name));
    return az_output_path(a, w->stem, r);
}

/* Of gates, JSON is the verdict, and annotations belong on standard output. */
static const struct az_report *step_report(const struct naming *n, const struct az_report *r,
                                           struct az_step_out *out)
{
    if (!n->gates)
        return r;
    if (!n->c->gates.given) /* there is no verdict */
        return r == &az_report_openmetrics ? r : NULL;
    if (r == &az_report_github) {
        out->github = true;
        return NULL;
    }
    return r == &az_report_json ? &az_report_verdict : r;
}

static bool has_report(const struct az_step_out *out, const struct az_report *r)
{
    for (size_t i = 0; i < out->targets.n; i++)
        if (out->targets.v[i].report == r)
            return true;
    return false;
}

/* The inputs that a step compares, and a name that no report of others has. */
static int step_source(const struct naming *n, struct az_step_out *out, struct wanted *w)
{
    struct az_vec_char all;
    int rc = AZ_OK;

    az_vec_init(&all, NULL);
    for (size_t i = 0; !rc && i < n->p->jobs.n; i++) {
        const struct az_sv one = az_source_of_files(&n->p->arena, &n->p->jobs.v[i].input->files);
        if (i)
            rc = az_text_append(&all, AZ_SV("\n"));
        if (!rc)
            rc = az_text_append(&all, one);
    }
    out->source = az_arena_dup(&n->p->arena, az_source_short(&n->p->arena, az_text_view(&all)));
    az_vec_release(&all);
    if (rc || !out->source.p)
        return AZ_ENOMEM;
    return az_output_stem(&n->p->arena, out->source, w->reports, w->n, &w->stem, n->diag);
}

/* Folder and name of a step's outputs: those of the named file, the named folder, else the folder
 * of the first input. */
static struct az_sv step_stem(const struct naming *n, enum az_step step, struct az_sv dir,
                              struct az_sv name)
{
    struct az_arena *a = &n->p->arena;
    const struct az_sv together = n->c->together;
    struct az_sv first = { "", 0 };

    if (n->p->jobs.n && n->p->jobs.v[0].input->files.n)
        first = n->p->jobs.v[0].input->files.v[0].path;
    if (together.n) { /* a comparison is all there is; another step is next to its inputs */
        dir = az_path_dir(together);
        name = step == AZ_STEP_COMPARE
                   ? az_path_stem(together)
                   : az_arena_printf(a, "%.*s_%.*s", AZ_SVF(az_path_stem(together)), AZ_SVF(name));
    } else if (!dir.n) {
        dir = !first.n || az_path_is_stream(first) ? AZ_SV(".") : az_path_dir(first);
    }
    return az_sv_is(dir, ".") ? name : az_path_join(a, dir, name);
}

/* Outputs of a step: its own settings before those of the run. */
static int plan_step(const struct naming *n, enum az_step step, const char *what, const char *name,
                     const struct az_outputs *own)
{
    struct az_step_out *out = &n->p->steps[step];
    struct wanted w = { .n = 0 };
    int rc = choose_writers(n, &w, own, n->c->path.n ? AZ_AT_FILE(n->c->path) : AZ_NOWHERE);

    for (size_t k = 0; !rc && step == AZ_STEP_COMPARE && k < own->formats.n; k++) {
        const struct az_report *r = az_report_find(own->formats.v[k]);
        if (r && r->verdict)
            rc = az_diag_fail(n->diag, n->c->path.n ? AZ_ECONFIG : AZ_EUSAGE,
                              n->c->path.n ? AZ_AT_FILE(n->c->path) : AZ_NOWHERE,
                              "a comparison has no verdict for the format '%s'; use analyzer gate",
                              r->name);
    }
    w.stem = step_stem(n, step, w.o.dir, az_sv_str(name));
    out->what = what;
    out->text = w.text && (!n->gates || n->c->gates.given);
    out->xlsx_rows = own->xlsx_rows > 0 ? (size_t)own->xlsx_rows : 0;
    if (!rc && step != AZ_STEP_GATES) /* of a gate the last verdict counts */
        rc = step_source(n, out, &w);
    for (size_t k = 0; !rc && k < w.n; k++) {
        struct az_target t = { .report = step_report(n, w.reports[k], out) };
        if (!t.report || has_report(out, t.report))
            continue;
        t.path = step_path(n, &w, own, name, t.report);
        rc = t.path.p ? az_vec_push(&out->targets, t) : az_arena_error(&n->p->arena);
    }
    return rc;
}

static int plan_steps(const struct naming *n)
{
    struct az_outputs none = { .xlsx_rows = n->c->outputs.xlsx_rows };
    int rc = az_plan_check_baseline(n->p, n->c, n->diag);

    if (!rc && az_step_wanted(n->c, AZ_STEP_SIDE_BY_SIDE) && az_plan_count(n->p) > 1)
        rc = plan_step(n, AZ_STEP_SIDE_BY_SIDE, "side by side", "side_by_side", &none);
    if (!rc && n->c->compare.wanted)
        rc = plan_step(n, AZ_STEP_COMPARE, "comparison", "comparison", &n->c->compare.outputs);
    if (!rc && az_step_wanted(n->c, AZ_STEP_GATES)) {
        struct naming g = *n;
        g.gates = true;
        rc = az_gates_check(n->diag);
        if (!rc)
            rc = plan_step(&g, AZ_STEP_GATES, n->c->gates.given ? "gates" : "class times", "gates",
                           &none);
    }
    return rc;
}

/* Formats of a verdict where there are no gates: an empty one would read as "all passed". */
static int refuse_verdicts(const struct naming *n)
{
    const struct az_where at = n->c->path.n ? AZ_AT_FILE(n->c->path) : AZ_NOWHERE;
    size_t outputs = 0;
    struct az_sv last = { "", 0 };

    for (size_t i = 0; i < n->c->outputs.formats.n && !n->c->gates.given; i++) {
        const struct az_sv name = n->c->outputs.formats.v[i];
        const struct az_report *r = az_report_find(name);
        const bool verdict = r && r->verdict && r != &az_report_openmetrics;
        outputs += !verdict;
        if (verdict && last.n)
            az_diag_add(n->diag, AZ_WARNING, at, NO_GATES, AZ_SVF(last));
        last = verdict ? name : last;
    }
    outputs += n->c->outputs.csv_dir.n > 0 || n->c->outputs.xlsx.n > 0 ||
               n->c->history.path.n > 0 || n->p->calibrate;
    if (!last.n)
        return AZ_OK;
    az_diag_add(n->diag, outputs ? AZ_WARNING : AZ_ERROR, at, NO_GATES, AZ_SVF(last));
    return outputs ? AZ_OK : AZ_ECONFIG;
}

/* Which files the inputs are, for az_outputs_guard: decided before the run, so that a worker need
 * not check them. */
static int remember_inputs(struct az_plan *p)
{
    struct az_path_info *info;
    size_t n = 0;

    for (size_t i = 0; i < p->jobs.n; i++)
        n += p->jobs.v[i].input->files.n;
    info = az_arena_array(&p->arena, n, sizeof *info);
    if (!info)
        return az_arena_error(&p->arena);
    p->input_files = info;
    for (size_t i = 0; i < p->jobs.n; i++)
        for (size_t k = 0; k < p->jobs.v[i].input->files.n; k++)
            info[p->n_input_files++] = az_path_stat(p->jobs.v[i].input->files.v[k].path.p);
    return AZ_OK;
}

/* A run found by a search is not reported again over existing reports, unless requested. */
static void keep_existing(const struct naming *n)
{
    for (size_t i = 0; i < n->p->jobs.n; i++) {
        struct az_plan_job *job = &n->p->jobs.v[i];
        const bool replace = job->input->outputs.overwrite || n->c->outputs.overwrite;
        for (size_t k = 0; !job->error && job->input->group.n && !replace && k < job->targets.n;
             k++) {
            const struct az_target *t = &job->targets.v[k];
            job->there = t->report->extension[0] && az_path_stat(t->path.p).kind != AZ_PATH_MISSING;
            if (job->there)
                job->error = az_diag_fail(
                    &job->diag, AZ_EIO, AZ_AT_FILE(t->path),
                    "exists, run skipped; overwrite it with --force, or \"overwrite\": true");
        }
    }
}

int az_outputs_plan(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    struct naming n = { .p = p, .c = c, .diag = diag };
    int rc = AZ_OK;

    n.w = az_arena_array(&p->arena, p->jobs.n, sizeof *n.w);
    if (!n.w)
        return az_arena_error(&p->arena);
    for (size_t i = 0; !rc && i < p->jobs.n; i++) {
        if (!c->no_reports && !p->jobs.v[i].saved)
            rc = choose_writers(&n, &n.w[i], &p->jobs.v[i].input->outputs,
                                az_input_place(p->jobs.v[i].input));
        if (!rc)
            rc = choose_stem(&n, i);
    }
    if (!rc)
        rc = part_stems(&n);
    for (size_t i = 0; !rc && i < p->jobs.n; i++)
        if (!p->jobs.v[i].skip)
            rc = add_targets(&n, i);
    if (!rc)
        rc = refuse_verdicts(&n);
    if (!rc)
        rc = plan_steps(&n);
    if (!rc)
        rc = az_outputs_collide(p, c, diag);
    if (!rc)
        keep_existing(&n);
    if (!rc)
        rc = remember_inputs(p);
    return rc;
}
