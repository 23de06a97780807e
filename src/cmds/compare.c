/* `analyzer compare A B [C ...]`: results side by side. Each is a profile, analyzed in memory, the
 * title of an input of
 * --config, a result JSON, a workbook, or a folder of one CSV file a table. */
#include "cmds/run_args.h"

#include <stdio.h>
#include <string.h>

#include "io/path.h"
#include "saved/load.h"

#define LISTED 4 /* inputs of a folder with too many */

enum {
    OPT_NAMES = OPT_OWN,
    OPT_SHEETS,
    OPT_BASELINE,
    OPT_NORMALIZE,
    OPT_TREE,
    OPT_ALL_SHEETS,
    OPT_BASIS
};

static const struct az_cmd_opt options[] = {
    { OPT_CONFIG, "config", "FILE",
      "configuration whose input titles can be used as operands; without operands, all of its "
      "inputs" },
    { OPT_NAMES, "names", "LIST", "comma-separated short names for the column headings" },
    { OPT_BASELINE, "baseline", "NAME",
      "baseline of the comparison: first, best, median, or a name (first)" },
    { OPT_SHEETS, "sheets", "LIST",
      "tables to compare: names, globs, or all, gpu_timeline, ops_summary, kernel_summary, "
      "ops_all, roofline" },
    { OPT_NORMALIZE, "normalize", NULL,
      "ignore template arguments, addresses, and numbers of generated kernels in kernel names" },
    { OPT_TREE, "tree", NULL, "add the call-tree difference of two PyTorch traces" },
    { OPT_BASIS, "basis", "BASIS", "step (if steps are known) or recording (whole recordings)" },
    { OPT_ALL_SHEETS, "all-sheets", NULL, "write a sheet for every table, not only the top 12" },
    { 'o', "output", "PATH", "output folder, or a file NAME.xlsx, .html, .json, .md or .sqlite" },
    { OPT_FORMAT, "format", "LIST", "output formats: text and those of 'analyzer list'" },
    { OPT_CSV_DIR, "csv-dir", "DIR", "write one CSV file per table of the comparison to DIR" },
    { OPT_XLSX, "xlsx", "FILE", "write the workbook of the comparison to FILE" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option for all inputs ('analyzer help config'); repeatable" },
    { OPT_SET, "set", "PATH=VALUE", "set any configuration value; repeatable" },
    { 'j', "jobs", "N", "inputs to analyze concurrently; 0: one per CPU" },
    { OPT_DRY_RUN, "dry-run", NULL, "print the files to be read and written, then exit" },
    { 'q', "quiet", NULL, "print errors only; no text report unless requested with --format" },
    { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { OPT_PROGRESS, "progress", "WHEN", "show progress on standard error: auto, always or never" },
    { OPT_STRICT, "strict", NULL, "treat warnings about an input as failures" },
    { OPT_MEMORY, "memory-limit", "SIZE",
      "memory limit for the data of an input, for example 2G; the program itself needs "
      "about 8 MB more" },
    AZ_ROWS_OF_WINDOWS,
    { 'h', "help", NULL, "print this help" },
};

/* Of TraceLens. */
static const struct az_cmd_opt tracelens_options[] = {
    { 'o', "output", "FILE", "workbook (comparison.xlsx)" },
    { OPT_CSV_DIR, "output_csvs_dir", "DIR", "write one CSV file per table to DIR, too" },
    { OPT_NAMES, "names", "TAG...", "short names for the column headings, one per report" },
    { OPT_SHEETS, "sheets", "NAME...",
      "all (default), or some of gpu_timeline, ops_summary, kernel_summary, ops_all, roofline" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option for all inputs ('analyzer help config'); repeatable" },
    { OPT_FORMAT, "format", "LIST", "additional output formats of 'analyzer list'" },
    { OPT_DRY_RUN, "dry-run", NULL, "print the files to be read and written, then exit" },
    { 'q', "quiet", NULL, "print errors only; no text report" },
    { 'v', "verbose", NULL, "print the main tables and notes; -vv: every table" },
    { 'h', "help", NULL, "print this help" },
};

struct compare_args {
    const struct az_cmd *cmd;
    struct az_run_args r;
    struct az_vec_sv names, sheets; /* views into argv */
    const char *baseline;
    bool normalize, tree, all_sheets;
    const char *basis; /* NULL: that of the configuration */
};

struct session {
    struct compare_args *c;
    struct az_config file, quick; /* of --config; of paths */
    struct az_plan plan;
    struct az_diag diag;
};

static int add_list(struct az_vec_sv *to, const char *list)
{
    struct az_sv rest = az_sv_str(list);

    while (rest.n) {
        struct az_sv one = az_sv_trim(az_sv_cut(&rest, ','));
        if (one.n && az_vec_push(to, one))
            return AZ_EXIT_INTERNAL;
    }
    return AZ_EXIT_OK;
}

static int take_option(void *ctx, int id, const char *value)
{
    struct compare_args *c = ctx;

    switch (id) {
    case OPT_NAMES:
        return add_list(&c->names, value);
    case OPT_SHEETS:
        return add_list(&c->sheets, value);
    case OPT_BASELINE:
        c->baseline = value;
        return AZ_EXIT_OK;
    case 'o':
        if (c->cmd != &az_cmd_tracelens_compare)
            return az_run_option(c->cmd, &c->r, id, value);
        c->r.xlsx = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(c->cmd, "missing file name for -o; use -o FILE");
    case OPT_NORMALIZE:
        c->normalize = true;
        return AZ_EXIT_OK;
    case OPT_TREE:
        c->tree = true;
        return AZ_EXIT_OK;
    case OPT_ALL_SHEETS:
        c->all_sheets = true;
        return AZ_EXIT_OK;
    case OPT_BASIS:
        if (strcmp(value, "step") != 0 && strcmp(value, "recording") != 0)
            return az_usage_error(c->cmd, "invalid --basis '%s'; use step or recording", value);
        c->basis = value;
        return AZ_EXIT_OK;
    default:
        return az_run_option(c->cmd, &c->r, id, value);
    }
}

/* ---- operands ---- */

static struct az_input *titled(struct az_config *c, struct az_sv title)
{
    for (size_t i = 0; i < c->inputs.n; i++)
        if (az_sv_eq(c->inputs.v[i].title, title))
            return &c->inputs.v[i];
    return NULL;
}

static struct az_sv path_of(const struct az_input *in);

/* Names the first of several inputs, which shows where to search for one. */
static int too_many(struct session *s, const char *path, size_t first)
{
    const struct az_inputs *in = &s->quick.inputs;
    struct az_sv list = AZ_SV("");

    for (size_t i = first; i < in->n && i < first + LISTED; i++)
        list = az_arena_printf(&s->quick.arena, "%.*s%s'%.*s'", AZ_SVF(list), list.n ? ", " : "",
                               AZ_SVF(path_of(&in->v[i])));
    return az_diag_fail(
        &s->diag, AZ_EUSAGE, AZ_NOWHERE,
        "'%s' contains %zu inputs: %.*s%s; name one of them, or use a configuration", path,
        in->n - first, AZ_SVF(list), in->n > first + LISTED ? ", ..." : "");
}

/* Are several files of its format the ranks of one run? */
static bool ranks_together(const struct az_input *in)
{
    const struct az_format *f = az_format_find(in->format);
    return f && f->ranks_reduced;
}

/* A folder as inputs are named by it: without slashes at the end, and "." as what it is. A glob is
 * the folder of what it found, which path_of takes then. */
static int folder_name(struct az_arena *a, const char *path, struct az_sv *out)
{
    struct az_sv p = az_sv_str(path);

    if (az_path_stat(path).kind != AZ_PATH_DIR)
        return AZ_OK;
    while (p.n > 1 && p.p[p.n - 1] == '/')
        p.n--;
    if (az_sv_is(az_path_base(p), ".") || az_sv_is(az_path_base(p), ".."))
        return az_path_absolute(a, p, out);
    *out = az_arena_dup(a, p);
    return out->p ? AZ_OK : az_arena_error(a);
}

/* One operand that is no title: exactly one input of s->quick, its last one. */
static int add_path(struct session *s, const char *path)
{
    size_t before = s->quick.inputs.n;
    int rc;

    if (s->c->r.config && az_path_stat(path).kind == AZ_PATH_MISSING && strcmp(path, "-") != 0)
        return az_diag_fail(
            &s->diag, AZ_EUSAGE, AZ_NOWHERE,
            "no input titled '%s' in %s, and no such file; list the titles with --dry-run", path,
            s->c->r.config);
    if (strcmp(path, "-") != 0 && az_saved_kind(path) != AZ_SAVED_NONE)
        return az_plan_saved(&s->quick, path);
    rc = az_plan_whole(&s->quick, path, &s->diag);
    if (!rc && s->quick.inputs.n != before + 1)
        rc = too_many(s, path, before);
    if (!rc)
        rc = folder_name(&s->quick.arena, path, &s->quick.inputs.v[before].search.base_dir);
    return rc;
}

static void release_inputs(struct az_inputs *list)
{
    for (size_t i = 0; i < list->n; i++) {
        az_vec_release(&list->v[i].files);
        az_options_release(&list->v[i].opts);
        az_vec_release(&list->v[i].outputs.formats);
    }
    az_vec_release(list);
}

/* A copy, as a title may be set twice. Texts are shared. */
static int copy_input(const struct az_input *from, struct az_inputs *to)
{
    struct az_input copy = *from;
    int rc = az_options_copy(&copy.opts, &from->opts);

    az_vec_init(&copy.files, NULL);
    az_vec_init(&copy.outputs.formats, NULL); /* nothing is written for it */
    for (size_t i = 0; !rc && i < from->files.n; i++)
        rc = az_vec_push(&copy.files, from->files.v[i]);
    if (!rc)
        rc = az_vec_push(to, copy);
    if (rc) {
        az_vec_release(&copy.files);
        az_options_release(&copy.opts);
    }
    return rc;
}

/* ---- names of paths: the base name without extension, with as many folders before it as
 * distinguish them; with it where folders do not ---- */

/* Several files, or ranks, are the folder that was named; ranks of a glob are that of their files.
 */
static struct az_sv path_of(const struct az_input *in)
{
    const struct az_sv path = in->files.n ? in->files.v[0].path : in->title;
    if ((in->is_run || in->files.n > 1) && in->search.base_dir.n)
        return in->search.base_dir;
    return in->is_run && in->files.n > 1 ? az_path_dir(path) : path;
}

/* Of a file: as its format names its reports; of a folder: its name. */
static struct az_sv stem_of(const struct az_input *in)
{
    const struct az_format *f = az_format_find(in->format);
    struct az_sv path = path_of(in);

    if (in->files.n > 1 && in->is_run) /* not NUL-terminated */
        return az_path_base(path);
    if (az_path_stat(path.p).kind == AZ_PATH_DIR)
        return az_path_base(path);
    if (az_sv_is(in->format, AZ_FORMAT_RESULT))
        return az_saved_name(path);
    return f && f->stem ? f->stem(path) : az_path_stem(path);
}

/* The last `parts` components of an input's path, without the extension of a file unless `whole`.
 */
static struct az_sv tail_of(struct az_arena *a, const struct az_input *in, size_t parts, bool whole)
{
    struct az_sv name = whole ? az_path_base(path_of(in)) : stem_of(in),
                 dir = az_path_dir(path_of(in));

    for (size_t i = 1; i < parts && !az_sv_is(dir, ".") && !az_sv_is(dir, "/"); i++) {
        name = az_arena_printf(a, "%.*s/%.*s", AZ_SVF(az_path_base(dir)), AZ_SVF(name));
        dir = az_path_dir(dir);
    }
    return name;
}

/* Do two different paths have the same name? */
static bool ambiguous(struct az_arena *a, const struct az_config *c, size_t parts, bool whole)
{
    for (size_t i = 0; i < c->inputs.n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct az_input *x = &c->inputs.v[i], *y = &c->inputs.v[k];
            if (!az_sv_eq(path_of(x), path_of(y)) &&
                az_sv_eq(tail_of(a, x, parts, whole), tail_of(a, y, parts, whole)))
                return true;
        }
    return false;
}

static void name_paths(struct az_config *c)
{
    size_t parts = 1;
    bool whole = false;

    while (parts < 16 && ambiguous(&c->arena, c, parts, whole)) {
        parts++;
        if (parts == 16 && !whole) { /* run.db and run.json of one folder */
            whole = true;
            parts = 1;
        }
    }
    for (size_t i = 0; i < c->inputs.n; i++) {
        struct az_input *in = &c->inputs.v[i];
        if (in->files.n && !az_sv_is(path_of(in), "-"))
            in->title = tail_of(&c->arena, in, parts, whole);
    }
}

/* One trace next to runs of several ranks: a run of one rank, with the same tables as they. */
static void make_runs(struct az_config *c)
{
    bool any = false;

    for (size_t i = 0; i < c->inputs.n; i++)
        any |= c->inputs.v[i].is_run;
    for (size_t i = 0; any && i < c->inputs.n; i++) {
        struct az_input *in = &c->inputs.v[i];
        in->is_run |= in->files.n == 1 && ranks_together(in);
    }
}

/* Puts the operands' inputs, in their order, into `to`; the rest of the configuration's inputs stay
 * out. All paths are known before the first is copied: titles that are equal are distinguished by
 * their paths. */
static int gather(struct session *s, const struct az_args *a, struct az_inputs *to)
{
    size_t *at = az_arena_array(&s->plan.arena, a->n_operands, sizeof *at);
    int rc = at ? AZ_OK : AZ_ENOMEM;

    for (size_t i = 0; !rc && i < a->n_operands; i++) {
        if (s->c->r.config && titled(&s->file, az_sv_str(a->operands[i])))
            continue;
        at[i] = s->quick.inputs.n; /* of the next one */
        rc = add_path(s, a->operands[i]);
    }
    make_runs(&s->quick);
    name_paths(&s->quick);
    for (size_t i = 0; !rc && i < a->n_operands; i++) {
        const struct az_input *in =
            s->c->r.config ? titled(&s->file, az_sv_str(a->operands[i])) : NULL;
        rc = copy_input(in ? in : &s->quick.inputs.v[at[i]], to);
    }
    return rc;
}

/* The configuration that is run: that of --config, else of the paths, with the operands as its
 * inputs. */
static int choose_inputs(struct session *s, const struct az_args *a, struct az_config *c)
{
    struct az_inputs chosen, old;
    int rc;

    az_vec_init(&chosen, NULL);
    rc = gather(s, a, &chosen);
    old = c->inputs;
    c->inputs = chosen;
    release_inputs(&old);
    az_vec_reset(&c->compare.inputs);
    return rc;
}

/* ---- settings ---- */

static int copy_list(struct az_vec_sv *to, const struct az_vec_sv *from)
{
    int rc = AZ_OK;

    if (from->n)
        az_vec_reset(to);
    for (size_t i = 0; !rc && i < from->n; i++)
        rc = az_vec_push(to, from->v[i]);
    return rc;
}

/* Where the comparison goes: as in the configuration's "compare", else text; what is requested
 * here beats both. */
static int set_outputs(const struct az_run_args *r, struct az_config *c, bool configured)
{
    struct az_outputs *o = &c->compare.outputs;
    bool has_output = r->xlsx || r->csv_dir || r->formats.n;
    int rc = AZ_OK;

    if (r->dir)
        o->dir = az_sv_str(r->dir);
    if (has_output) {
        o->xlsx = az_sv_str(r->xlsx);
        o->csv_dir = az_sv_str(r->csv_dir);
        rc = copy_list(&o->formats, &r->formats);
        if (!rc &&
            r->formats.n == 0) /* a place implies what is written there, and text goes with it */
            rc = az_vec_push(&o->formats, AZ_SV("text"));
    } else if (!configured && !r->dir) {
        az_vec_reset(&o->formats);
        rc = az_vec_push(&o->formats, AZ_SV("text"));
    }
    return rc;
}

static int apply(const struct compare_args *k, struct az_config *c)
{
    bool configured = k->r.config && c->compare.wanted;
    int rc = set_outputs(&k->r, c, configured);

    if (!configured) /* settings of its inputs' reports in the configuration are not for this one
                      */
        c->outputs.xlsx = c->outputs.csv_dir = AZ_SV("");
    c->compare.wanted = true;
    c->together = az_sv_str(k->r.together);
    c->side_by_side = false;
    c->no_reports = true;
    c->strict |= k->r.strict;
    c->compare.normalize |= k->normalize;
    c->compare.tree |= k->tree;
    c->compare.all_sheets |= k->all_sheets;
    if (k->basis)
        c->compare.basis = az_sv_str(k->basis);
    if (k->baseline)
        c->compare.baseline = az_sv_str(k->baseline);
    if (k->r.jobs >= 0)
        c->jobs = k->r.jobs;
    if (k->r.memory_given)
        c->memory_limit = k->r.memory;
    for (size_t i = 0; i < c->inputs.n; i++)
        c->inputs.v[i].opts.strict |= c->strict;
    if (!rc)
        rc = copy_list(&c->compare.names, &k->names);
    return rc ? rc : copy_list(&c->compare.tables, &k->sheets);
}

static int prepare(struct session *s, const struct az_args *a, struct az_config **chosen)
{
    struct az_config_names names;
    struct az_config *c = s->c->r.config ? &s->file : &s->quick;
    int rc = az_plan_names(&s->plan.arena, &names);

    if (!rc && s->c->r.config)
        rc = az_plan_config(&s->file, s->c->r.config, &s->c->r.over, &names, &s->diag);
    if (!rc && s->c->r.config)
        rc = az_plan_search(&s->file, &s->diag);
    if (!rc)
        rc = az_config_quick(&s->quick, &s->c->r.over, &names, &s->diag);
    s->file.cancel = s->quick.cancel = az_signals_install();
    if (!rc && a->n_operands)
        rc = choose_inputs(s, a, c);
    if (!rc)
        rc = apply(s->c, c);
    *chosen = c;
    return rc ? rc : az_plan_make(&s->plan, c, &s->diag);
}

static int compare(struct compare_args *k, const struct az_args *a)
{
    struct session s = { .c = k };
    struct az_config *c = NULL;
    int rc = az_config_init(&s.file), status;

    if (!rc)
        rc = az_config_init(&s.quick);
    if (rc)
        return AZ_EXIT_INTERNAL;
    az_plan_init(&s.plan);
    az_diag_init(&s.diag);
    rc = prepare(&s, a, &c);
    az_diag_print(&s.diag, &k->r.run.log);
    if (rc == AZ_EINTR)
        az_log_line(&k->r.run.log, AZ_LOG_QUIET, "interrupted; nothing was run");
    else if (rc && s.diag.errors == 0)
        az_log_line(&k->r.run.log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    status = az_run_exit_status(rc);
    if (!rc && k->r.dry_run) {
        status = az_run_print_plan(&s.plan, &k->r.run.log);
    } else if (!rc) {
        k->r.run.workers = (unsigned)c->jobs;
        k->r.run.memory_limit = c->memory_limit;
        k->r.run.strict = c->strict;
        az_sandbox_settle(&s.plan);
        status = az_run(&s.plan, &k->r.run);
    }
    az_plan_release(&s.plan);
    az_diag_release(&s.diag);
    az_config_release(&s.file);
    az_config_release(&s.quick);
    return status;
}

static int parse(struct compare_args *k, struct az_args *a, bool *help)
{
    int rc = az_args_parse(a, take_option, k, help);

    if (rc || *help)
        return rc;
    if (a->n_operands == 0 && !k->r.config)
        return az_usage_error(k->cmd, "nothing to compare; name two or more results");
    if (a->n_operands == 1)
        return az_usage_error(k->cmd, "only one result '%s'; name two or more", a->operands[0]);
    return AZ_EXIT_OK;
}

/* The defaults of TraceLens: a workbook always, every table. */
static int set_tracelens(struct compare_args *k)
{
    static char xlsx[] = "comparison.xlsx", all[] = "all";

    k->r.xlsx = k->r.xlsx ? k->r.xlsx : xlsx;
    k->all_sheets = true;
    if (k->sheets.n == 0 && az_vec_push(&k->sheets, az_sv_str(all)))
        return AZ_EXIT_INTERNAL;
    return az_run_set(&k->r, false, "sheets_as", "tracelens-compare");
}

static int run_compare(const struct az_cmd *cmd, int argc, char **argv)
{
    static const char *const lists[] = { "--names", "--sheets" };
    const bool tracelens = cmd == &az_cmd_tracelens_compare;
    struct compare_args k = { .cmd = cmd };
    struct az_arena arena;
    struct az_args a;
    bool help = false;
    int n = 0, rc = AZ_EXIT_OK;

    az_arena_init(&arena, NULL);
    az_run_args_init(&k.r);
    az_vec_init(&k.names, NULL);
    az_vec_init(&k.sheets, NULL);
    if (tracelens) {
        argv = az_args_part_lists(argc, argv, lists, AZ_LENGTH(lists), &n, &arena);
        argc = n;
    }
    rc = argv ? AZ_EXIT_OK : AZ_EXIT_INTERNAL;
    if (!rc) {
        az_args_init(&a, cmd, argc, argv);
        rc = parse(&k, &a, &help);
    }
    if (!rc && !help && tracelens)
        rc = set_tracelens(&k);
    if (!rc && !help) {
        az_run_fill_opts(&k.r);
        rc = compare(&k, &a);
    }
    az_run_args_release(&k.r);
    az_vec_release(&k.names);
    az_vec_release(&k.sheets);
    az_arena_release(&arena);
    return rc;
}

const struct az_cmd az_cmd_compare = {
    "compare",
    "A B [C ...]",
    "compare profiles, runs and saved results",
    "Operands: profiles, folders of ranks, titles of --config, result JSONs (--format json), "
    "workbooks, and folders of\nCSV tables (--csv-dir); also workbooks and CSV tables of other "
    "tools with the same columns. The first operand is the\nbaseline. Without -o, --format, --xlsx "
    "or --csv-dir only text is printed. The traces of a folder (or glob) are the\nranks of one "
    "run; a folder without traces is replaced by its only subfolder that has some.",
    options,
    AZ_LENGTH(options),
    run_compare
};

const struct az_cmd az_cmd_tracelens_compare = {
    "tracelens-compare",
    "A B [C ...]",
    "accept the command line of TraceLens_compare_perf_reports_pytorch",
    "Operands: workbooks, or folders of CSV files, of TraceLens or of this program; also what "
    "'analyzer compare' takes. The first\nis the baseline. Writes comparison.xlsx in the current "
    "folder unless -o is used. Differences: from-tracelens.md of the documentation.",
    tracelens_options,
    AZ_LENGTH(tracelens_options),
    run_compare
};
