/* One input of the configuration: its format, files, options, and what its format cannot do
 * without. */
#include "config/private.h"

#include "base/utf8.h"
#include "io/path.h"
#include "model/window.h"

static bool is_csv(const struct az_input *in) { return az_sv_is(in->format, "csv"); }
static bool is_rep(const struct az_input *in) { return az_sv_is(in->format, "nsys-rep"); }

static const char *known_format(const struct az_loader *l, struct az_sv name)
{
    static const char *const own[] = { "auto", "csv", "nsys-rep" };
    for (size_t i = 0; i < AZ_LENGTH(own); i++) {
        if (az_sv_is(name, own[i]))
            return own[i];
    }
    for (size_t i = 0; l->names && l->names->formats && l->names->formats[i]; i++) {
        if (az_sv_is(name, l->names->formats[i]))
            return l->names->formats[i];
    }
    return NULL;
}

static void unknown_format(struct az_loader *l, const struct az_node *n)
{
    struct az_vec_char known;
    az_vec_init(&known, NULL);
    int rc = az_text_append(&known, AZ_SV("auto, csv, nsys-rep"));
    for (size_t i = 0; l->names && l->names->formats && l->names->formats[i] && rc == 0; i++) {
        const char *name = l->names->formats[i];
        if (strcmp(name, "auto") != 0 && strcmp(name, "csv") != 0 && strcmp(name, "nsys-rep") != 0)
            rc = az_text_printf(&known, ", %s", name);
    }
    if (rc < 0)
        l->fatal = rc;
    const struct az_sv near =
        az_suggest_name(n->text, l->names ? l->names->formats : NULL, "auto|csv|nsys-rep", l->a);
    az_load_error(l, n, "unsupported input format '%.*s'%.*s; use one of: %.*s",
                  AZ_SVF(az_utf8_cut(n->text, 80)), AZ_SVF(near), AZ_SVF(az_text_view(&known)));
    az_vec_release(&known);
}

/* Format as written, or from the keys of the files. False: unknown. */
static bool load_format(struct az_loader *l, const struct az_node *n, struct az_input *in)
{
    const struct az_node *f = az_node_get(n, "format");
    in->format = AZ_SV("auto");
    if (f && f->kind == AZ_NODE_TEXT) {
        struct az_sv lower = az_utf8_lower(l->a, f->text);
        const char *name = lower.p ? known_format(l, lower) : NULL;
        if (!name) {
            unknown_format(l, f);
            return false;
        }
        in->format = az_sv_str(name);
    }
    if (az_sv_is(in->format, "auto") && az_node_get(n, "nsys_csv_file_path"))
        in->format = AZ_SV("csv");
    else if (az_sv_is(in->format, "auto") && az_node_get(n, "nsys_report"))
        in->format = AZ_SV("nsys-rep");
    return true;
}

static void load_title(struct az_loader *l, const struct az_node *n, struct az_input *in)
{
    const struct az_node *t = az_node_get(n, "title");
    if (t && t->kind == AZ_NODE_NULL)
        in->no_heading = true;
    else if (t)
        in->title = t->text;
    if (!t || in->no_heading) {
        in->title = AZ_SV("");
        if (in->files.n > 0)
            in->title = az_arena_dup(l->a, az_path_stem(in->files.v[0].path));
    }
    if (!in->title.p)
        l->fatal = AZ_ENOMEM;
}

/* The key is there and its value was rejected already. */
static bool is_bad(const struct az_node *object, const char *key)
{
    return az_node_has(object, key) && !az_node_get(object, key);
}

/* One file of an Nsight CSV input. */
static bool csv_file(struct az_loader *l, const struct az_node *csv, const char *key,
                     struct az_input *in)
{
    bool optional = strcmp(key, "kernel_sum") != 0;
    size_t before = in->files.n;
    const struct az_node *n = az_node_get(csv, key);
    if (!az_paths_load(l, n, key, optional, &in->files))
        return false;
    if (in->files.n > before + 1)
        az_load_error(l, n, "'%.*s' matches %zu files, expected one; add an input for each",
                      AZ_SVF(n->text), in->files.n - before);
    else if (in->files.n == before && optional)
        az_load_warn(l, n, "no file matches '%.*s', optional file skipped", AZ_SVF(n->text));
    return true;
}

static bool load_csv(struct az_loader *l, const struct az_node *n, struct az_input *in,
                     bool *with_nvtx)
{
    const struct az_node *csv = az_node_get(n, "nsys_csv_file_path");
    if (!csv)
        return false;
    if (!csv_file(l, csv, "kernel_sum", in) && !is_bad(csv, "kernel_sum"))
        az_load_error(l, csv, "missing key 'kernel_sum' (the cuda_gpu_kern_sum CSV)");
    *with_nvtx = csv_file(l, csv, "nvtx_proj_trace", in);
    (void)csv_file(l, csv, "mem_time_sum", in);
    return true;
}

static bool load_report(struct az_loader *l, const struct az_node *n, struct az_input *in)
{
    const struct az_node *report = az_node_get(n, "nsys_report");
    if (!report)
        return false;
    if (!az_paths_load(l, az_node_get(report, "path"), "", false, &in->files) &&
        !is_bad(report, "path"))
        az_load_error(l, report, "missing key 'path' (the .nsys-rep file)");
    return true;
}

/* Without a configuration the files are the paths of the command line; --set may not name others.
 */
static void refuse_files(struct az_loader *l, const struct az_node *n)
{
    static const char *const keys[] = { "path", "paths", "nsys_csv_file_path", "nsys_report",
                                        "base_dir" };
    for (size_t i = 0; i < AZ_LENGTH(keys); i++) {
        const struct az_node *c = az_node_get(n, keys[i]);
        if (c)
            az_load_error(l, c, "'%s' cannot be set with paths; use a configuration", keys[i]);
    }
}

/* Runs are searched by the planner; here the folder is. */
static void load_search(struct az_loader *l, const struct az_node *n, struct az_input *in)
{
    static const char *const keys[] = {
        "path", "paths", "profile_json_path", "profile_path", "nsys_csv_file_path", "nsys_report"
    };
    for (size_t i = 0; i < AZ_LENGTH(keys); i++) {
        const struct az_node *c = az_node_get(n, keys[i]);
        if (c)
            az_load_error(l, c, "'%s' cannot be set with 'base_dir'; use two inputs", keys[i]);
    }
    if (!l->no_files)
        in->search.base_dir = az_path_lookup(l->a, l->base, in->search.base_dir);
    if (!in->search.base_dir.p)
        l->fatal = AZ_ENOMEM;
}

/* Keys of the search in base_dir. */
static void warn_no_search(struct az_loader *l, const struct az_node *n)
{
    static const char *const keys[] = { "extension", "filters", "filters_exact_rank", "overwrite" };
    for (size_t i = 0; i < AZ_LENGTH(keys); i++) {
        const struct az_node *c = az_node_get(n, keys[i]);
        if (c)
            az_load_warn(l, c, "'%s' has no effect without 'base_dir'", keys[i]);
    }
}

static void load_files(struct az_loader *l, const struct az_node *n, struct az_input *in,
                       bool *with_nvtx)
{
    const struct az_node *opt = az_node_get(n, "optional"),
                         *csv = az_node_get(n, "nsys_csv_file_path"),
                         *report = az_node_get(n, "nsys_report");
    bool optional = opt && az_sv_ieq(opt->text, AZ_SV("true")), any = false;
    warn_no_search(l, n);
    if (is_csv(in))
        any = load_csv(l, n, in, with_nvtx);
    else if (csv)
        az_load_warn(l, csv, "has no effect on format '%.*s'", AZ_SVF(in->format));
    if (is_rep(in))
        any = load_report(l, n, in);
    else if (report)
        az_load_warn(l, report, "has no effect on format '%.*s'", AZ_SVF(in->format));
    any |= az_paths_load(l, az_node_get(n, "path"), "", optional, &in->files);
    any |= az_paths_load(l, az_node_get(n, "paths"), "", optional, &in->files);
    any |= az_paths_load(l, az_node_get(n, "profile_json_path"), "", optional, &in->files);
    any |= az_paths_load(l, az_node_get(n, "profile_path"), "", optional, &in->files);
    if (any || az_node_has(n, "path") || az_node_has(n, "paths") ||
        az_node_has(n, "profile_json_path") || az_node_has(n, "profile_path"))
        return;
    if (is_csv(in) && !az_node_has(n, "nsys_csv_file_path"))
        az_load_error(l, n,
                      "missing key 'nsys_csv_file_path'; add it with kernel_sum, the CSV to read");
    else if (is_rep(in) && !az_node_has(n, "nsys_report"))
        az_load_error(l, n, "missing key 'nsys_report'; add it with path, the report to read");
    else if (!is_csv(in) && !is_rep(in))
        az_load_error(l, n, "missing key 'path'; add the files to read, or base_dir");
}

/* Keys that a classic input cannot do without, wherever they may have been set. */
static void check_required(struct az_loader *l, const struct az_node *n, const struct az_input *in,
                           bool with_nvtx)
{
    const struct az_node *args = az_node_get(n, "analysis_args"), *at = args ? args : n;
    const char *where = args ? "" : " in analysis_args";
    if (!is_csv(in) && !is_rep(in))
        return;
    if (in->opts.iters == 0 && !is_bad(args, "num_of_iters"))
        az_load_error(
            l, at,
            "missing key 'num_of_iters'%s; set the number of iterations in the profile, 1 or more",
            where);
    if (in->opts.nvtx_tag.n > 0)
        return;
    const char *source = is_csv(in) && with_nvtx            ? "nvtx_proj_trace"
                         : is_rep(in) && in->opts.with_nvtx ? "with_nvtx"
                                                            : NULL;
    const struct az_node *tag = az_node_get(args, "nvtx_tag_of_iter");
    if (source && !is_bad(args, "nvtx_tag_of_iter"))
        az_load_error(l, tag ? tag : at,
                      "missing key 'nvtx_tag_of_iter'%s (input '%.*s' sets %s); set the name of "
                      "the range around one iteration",
                      where, AZ_SVF(in->title), source);
}

/* A place for outputs set by --opt is one of the run: several inputs part it among themselves. */
static void apply_run_outputs(struct az_loader *l, const struct az_override *o, struct az_store t)
{
    const struct az_option *row = az_option_find(o->key, AZ_AT_OPTIONS);
    struct az_diag mute;
    if (!row || row->owner != AZ_OWN_OUTPUTS)
        return;
    az_diag_init(&mute); /* reported for the input already */
    t.outputs = &l->c->outputs;
    t.diag = &mute;
    int rc = az_value_store_text(o->key, o->value, AZ_AT_FILE(AZ_SV("--opt")), &t);
    if (rc < 0 && rc != AZ_ECONFIG)
        l->fatal = rc;
    az_diag_release(&mute);
}

/* An option of the command line is one of all inputs. */
static void note_option(struct az_loader *l, const struct az_override *o, struct az_where at)
{
    struct az_set_option *g = az_arena_array(l->a, 1, sizeof *g);
    if (!g) {
        l->fatal = AZ_ENOMEM;
        return;
    }
    *g = (struct az_set_option){ .option = az_option_find(o->key, AZ_AT_OPTIONS | AZ_AT_THRESHOLDS |
                                                                      AZ_AT_ARGS),
                                 .where = at,
                                 .next = l->c->given };
    l->c->given = g;
}

/* Scripts of other tools are Python; what these hooks do is a few lines of Lua. */
static void check_script(struct az_loader *l, const struct az_node *n, const struct az_input *in)
{
    const struct az_node *own = az_node_get(n, "extension_file");
    if (az_sv_ends(in->opts.extension_file, AZ_SV(".py")) && !l->python_reported)
        az_load_error(l, own ? own : n,
                      "extension_file '%.*s' is Python; port it to Lua (see from-tracelens.md of "
                      "the documentation)",
                      AZ_SVF(in->opts.extension_file));
    l->python_reported |= az_sv_ends(in->opts.extension_file, AZ_SV(".py"));
}

/* Ends of the configuration and of the command line, together, once for all inputs. */
static void check_window(struct az_loader *l, const struct az_input *in)
{
    if (az_window_is_empty(in->opts.from, in->opts.to) && !l->window_reported)
        az_diag_add(l->diag, AZ_ERROR, AZ_NOWHERE, AZ_WINDOW_EMPTY_TEXT, AZ_SVF(in->opts.from),
                    AZ_SVF(in->opts.to));
    l->window_reported |= az_window_is_empty(in->opts.from, in->opts.to);
}

/* --opt values: the last word. Messages come once, not for each input. */
static void apply_opts(struct az_loader *l, struct az_input *in)
{
    struct az_diag mute;
    az_diag_init(&mute);
    struct az_store t = { .opts = &in->opts,
                          .outputs = &in->outputs,
                          .a = l->a,
                          .names = l->names,
                          .diag = l->opts_checked ? &mute : l->diag };
    for (size_t i = 0; l->over && i < l->over->n && !l->fatal; i++) {
        const struct az_override *o = &l->over->v[i];
        if (o->kind != AZ_SET_OPTION)
            continue;
        const struct az_where at = o->flag ? AZ_NOWHERE : AZ_AT_FILE(AZ_SV("--opt"));
        t.flag = o->flag;
        int rc = az_value_store_text(o->key, o->value, at, &t);
        if (rc < 0 && rc != AZ_ECONFIG)
            l->fatal = rc;
        else
            apply_run_outputs(l, o, t);
        if (rc == 0 && !l->opts_checked)
            note_option(l, o, at);
    }
    l->opts_checked = true;
    az_diag_release(&mute);
}

static int input_init(struct az_loader *l, const struct az_node *n, struct az_input *in)
{
    *in = (struct az_input){ .format = AZ_SV("auto"), .where = az_node_where(n, l->a) };
    az_search_default(&in->search);
    az_vec_init(&in->files, NULL);
    az_vec_init(&in->outputs.formats, NULL);
    int rc = az_options_copy(&in->opts, &l->opts);
    if (rc == 0)
        rc = az_outputs_copy(&in->outputs, &l->outputs);
    return rc;
}

/* Reads the keys of one input; the files and checks of its format only if the format is known. */
static void load_keys(struct az_loader *l, struct az_node *n, struct az_input *in)
{
    bool with_nvtx = false;
    bool known = load_format(l, n, in);
    l->format = known ? in->format : AZ_SV("");
    l->search = &in->search;
    l->given = NULL;
    az_apply_object(l, n, AZ_AT_INPUT, &in->opts, &in->outputs);
    az_apply_object(l, az_node_get(n, "analysis_args"), AZ_AT_ARGS, &in->opts, &in->outputs);
    az_apply_object(l, az_node_get(n, "nsys_csv_file_path"), AZ_AT_CSV, &in->opts, &in->outputs);
    az_apply_object(l, az_node_get(n, "nsys_report"), AZ_AT_REPORT, &in->opts, &in->outputs);
    az_apply_shared(l, n, &in->opts, &in->outputs);
    in->given = l->given;
    in->found = az_sv_is(in->format, "auto");
    apply_opts(l, in);
    check_script(l, n, in);
    check_window(l, in);
    az_arch_load(l, &in->opts);
    l->format = AZ_SV("");
    l->search = NULL;
    in->opts.strict |= l->c->strict;
    if (l->quick)
        refuse_files(l, n);
    else if (in->search.base_dir.n)
        load_search(l, n, in);
    else if (known)
        load_files(l, n, in, &with_nvtx);
    load_title(l, n, in);
    if (az_node_get(n, "run_group"))
        in->run_group = az_node_get(n, "run_group")->text;
    if (known && !l->quick)
        check_required(l, n, in, with_nvtx);
}

void az_input_load(struct az_loader *l, struct az_node *n)
{
    struct az_input in;
    if (n->kind != AZ_NODE_OBJECT) {
        az_load_error(l, n, "an input must be an object, not %s", az_node_kind_text(n->kind));
        return;
    }
    size_t errors = l->diag->errors;
    int rc = input_init(l, n, &in);
    if (rc == 0)
        load_keys(l, n, &in);
    if (rc == 0 && in.files.n == 0 && !in.search.base_dir.n && !l->quick &&
        l->diag->errors == errors) {
        az_load_warn(l, n, "no file matches, input skipped");
        az_input_release(&in);
        return;
    }
    if (rc == 0)
        rc = az_vec_push(&l->c->inputs, in);
    if (rc < 0) {
        l->fatal = rc;
        az_input_release(&in);
    }
}

void az_input_release(struct az_input *in)
{
    az_vec_release(&in->files);
    az_options_release(&in->opts);
    az_outputs_release(&in->outputs);
}
