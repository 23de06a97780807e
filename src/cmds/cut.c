/* `analyzer cut`: a window of profiles as profiles of the same format. */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/format.h"
#include "io/outfile.h"
#include "io/path.h"
#include "model/window.h"
#include "read/input_paths.h"
#include "read/rank_name.h"
#include "registry.h"

enum { OPT_FROM = 256, OPT_TO, OPT_RANGE, OPT_STEPS, OPT_KEEP, OPT_RANKS, OPT_ANNOTATE };

struct input {
    struct az_sv path, name; /* name: in the folder of the output; NUL-terminated both */
    size_t run;              /* of a folder: its input; AZ_NO_RUN: named by itself */
    bool done;
};
#define AZ_NO_RUN SIZE_MAX
AZ_VEC(struct input, input_list);

struct cutting {
    const struct az_cmd *cmd;
    const char *out;
    const char *folder; /* that files are written into: `out`, or a temporary one; NULL: none yet */
    size_t written;     /* outputs */
    struct az_options opts;
    struct az_window window;
    unsigned keep;
    struct az_sv ranks;     /* "0,4-7"; empty: all */
    struct az_config found; /* files of the folders */
    struct az_arena arena;
    struct az_mem mem;
    struct az_diag diag;
    struct az_log log;
    bool quiet, annotate;
};

static int keep_list(struct cutting *c, const char *value)
{
    static const char *const words[] = { "kernels", "ops", "python" };
    struct az_sv rest = az_sv_str(value);
    c->keep = 0;
    while (rest.n) {
        const struct az_sv one = az_sv_trim(az_sv_cut(&rest, ','));
        size_t i = 0;
        while (i < AZ_LENGTH(words) && !az_sv_is(one, words[i]))
            i++;
        if (i == AZ_LENGTH(words))
            return az_usage_error(c->cmd, "invalid --keep '%.*s'; use kernels, ops, python",
                                  AZ_SVF(one));
        c->keep |= 1u << i;
    }
    return AZ_EXIT_OK;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct cutting *c = ctx;
    if (value && !*value)
        return az_usage_error(c->cmd, "empty option value");
    switch (id) {
    case 'o':
        c->out = value;
        return AZ_EXIT_OK;
    case OPT_FROM:
        c->opts.from = az_sv_str(value);
        return AZ_EXIT_OK;
    case OPT_TO:
        c->opts.to = az_sv_str(value);
        return AZ_EXIT_OK;
    case OPT_RANGE:
        c->opts.range = az_sv_str(value);
        return AZ_EXIT_OK;
    case OPT_STEPS:
        c->opts.steps = az_sv_str(value);
        return AZ_EXIT_OK;
    case OPT_KEEP:
        return keep_list(c, value);
    case OPT_RANKS:
        c->ranks = az_sv_str(value);
        return AZ_EXIT_OK;
    case OPT_ANNOTATE:
        c->annotate = true;
        return AZ_EXIT_OK;
    default:
        c->log.level = AZ_LOG_QUIET;
        c->quiet = true;
        return AZ_EXIT_OK;
    }
}

/* Is a rank in the list? `bad` is set where it is no list. */
static bool is_rank_chosen(struct az_sv list, int64_t rank, bool *bad)
{
    bool found = false;
    while (list.n) {
        int64_t first, last;
        if (!az_window_steps(az_sv_trim(az_sv_cut(&list, ',')), &first, &last))
            return *bad = true;
        found |= rank >= first && rank <= last;
    }
    return found;
}

static int check(struct cutting *c, const struct az_args *a)
{
    int64_t first, last;
    bool any, bad = false;
    (void)is_rank_chosen(c->ranks, 0, &bad);
    if (bad)
        return az_usage_error(c->cmd, "invalid --ranks '%.*s'; use ranks such as 0,4-7",
                              AZ_SVF(c->ranks));
    if (!c->out)
        return az_usage_error(c->cmd, "missing -o; name the output file, or a folder for several");
    if (!a->n_operands)
        return az_usage_error(c->cmd, "expected files or folders to cut");
    if (c->opts.steps.n && !az_window_steps(c->opts.steps, &first, &last))
        return az_usage_error(c->cmd,
                              "invalid --steps '%.*s'; use a number or a range such as 10-12",
                              AZ_SVF(c->opts.steps));
    const int rc = az_window_read(&c->opts, &c->window, &any, &c->diag);
    if (rc) {
        az_diag_print(&c->diag, &c->log);
        return AZ_EXIT_USAGE;
    }
    return any || c->keep != AZ_CUT_ALL || c->ranks.n || c->annotate
               ? AZ_EXIT_OK
               : az_usage_error(c->cmd, "missing window; use --steps, --range, --from, --to, "
                                        "--ranks, --keep or --annotate");
}

/* Names of the formats that can be cut, for a message. */
static struct az_sv names_of_formats(struct az_arena *a)
{
    struct az_sv list = AZ_SV("");
    for (const struct az_format *const *f = az_formats; *f && list.p; f++)
        if ((*f)->cut)
            list = az_arena_printf(a, "%.*s%s%s", AZ_SVF(list), list.n ? ", " : "", (*f)->name);
    return list;
}

static bool is_same(const char *a, const char *b)
{
    const struct az_path_info x = az_path_stat(a), y = az_path_stat(b);
    return x.kind == AZ_PATH_FILE && y.kind == AZ_PATH_FILE && x.dev == y.dev && x.ino == y.ino;
}

static int cut_file(struct cutting *c, const struct az_format *f, const struct az_files *files,
                    const char *out)
{
    const char *in = files->v[0].path.p;
    struct az_vec_i64 numbers;
    struct az_window window = c->window;
    struct az_cut cut = { .in = files->v[0].path,
                          .files = files->v,
                          .n_files = files->n,
                          .out = out,
                          .window = &window,
                          .keep = c->keep,
                          .opts = &c->opts,
                          .diag = &c->diag,
                          .mem = &c->mem,
                          .cancelled = az_interrupted };
    struct az_vec_char events;
    int rc = AZ_OK;
    az_vec_init(&events, NULL);
    az_vec_init(&numbers, &c->mem);
    window.numbers = &numbers;
    if (!f->cut) {
        const struct az_sv names = names_of_formats(&c->arena);
        rc = az_diag_fail(&c->diag, AZ_EUSAGE, AZ_AT_FILE(cut.in),
                          "format '%s' cannot be cut; formats that can: %.*s", f->name,
                          AZ_SVF(names));
    }
    if (rc == 0 && is_same(in, out))
        rc = az_diag_fail(&c->diag, AZ_EUSAGE, AZ_AT_FILE(cut.in),
                          "the output is an input; name another file");
    if (rc == 0 && c->annotate && !(f->cut_extra && f->cut_extra(cut.in)))
        rc = az_diag_fail(
            &c->diag, AZ_EUSAGE, AZ_AT_FILE(cut.in),
            "--annotate is for traces that viewers open, of PyTorch and trace.json of JAX; "
            "use a window without it, and '--format html' for findings");
    if (rc == 0 && c->annotate)
        rc = az_cut_annotations(in, f, &c->opts, &c->diag, &events);
    cut.extra = az_text_view(&events);
    if (rc == 0)
        rc = f->cut(&cut);
    az_vec_release(&events);
    az_vec_release(&numbers);
    c->written += rc == 0;
    if (rc == 0 && !c->quiet) {
        const bool moved = c->folder && c->folder != c->out; /* to its name at the end */
        printf("%s%s: %llu of %llu events\n", moved ? c->out : "",
               moved ? out + strlen(c->folder) : out, (unsigned long long)cut.kept,
               (unsigned long long)cut.read);
    }
    return rc;
}

int az_cut_exit_status(int rc)
{
    return rc == 0                                 ? AZ_EXIT_OK
           : rc == AZ_EUSAGE                       ? AZ_EXIT_USAGE
           : rc == AZ_EINTR                        ? AZ_EXIT_INTERRUPTED
           : rc == AZ_EINTERNAL || rc == AZ_ENOMEM ? AZ_EXIT_INTERNAL
                                                   : AZ_EXIT_PARTIAL;
}

/* ---- files and ranks ---- */

static int add_input(struct cutting *c, struct input_list *l, struct az_sv path, struct az_sv name,
                     size_t run)
{
    const struct input x = { .path = az_arena_dup(&c->arena, path),
                             .name = az_arena_dup(&c->arena, name),
                             .run = run };
    return x.path.p && x.name.p ? az_vec_push(l, x) : az_arena_error(&c->arena);
}

/* The profiles of a folder, under their names in it. */
static int add_folder(struct cutting *c, struct input_list *l, const char *folder)
{
    const size_t from = c->found.inputs.n;
    struct az_sv base = az_sv_str(folder);
    int rc = az_plan_runs(&c->found, folder, &c->diag);
    while (base.n > 1 && base.p[base.n - 1] == '/')
        base.n--;
    for (size_t i = from; rc == 0 && i < c->found.inputs.n; i++) {
        const struct az_input_files *files = &c->found.inputs.v[i].files;
        for (size_t k = 0; rc == 0 && k < files->n; k++) {
            struct az_sv path = files->v[k].path, name = path;
            if (az_sv_starts(name, base))
                name = az_sv_make(name.p + base.n, name.n - base.n);
            while (name.n && name.p[0] == '/')
                name = az_sv_make(name.p + 1, name.n - 1);
            rc = add_input(c, l, path, name, i);
        }
    }
    return rc;
}

/* Of a rank by the name of the file or its folder, else by its place. */
static int keep_ranks(struct cutting *c, struct input_list *l)
{
    struct az_rank_name name;
    bool bad = false;
    size_t n = 0;
    int rc =
        c->ranks.n ? az_rank_name_init(&name, AZ_SV(""), &c->arena, AZ_NOWHERE, &c->diag) : AZ_OK;
    if (rc || !c->ranks.n)
        return rc;
    for (size_t i = 0; i < l->n; i++) {
        struct az_rank_place place;
        bool folder;
        const int64_t rank =
            az_rank_name_find_in(&name, l->v[i].path, &place, &folder) ? place.rank : (int64_t)i;
        if (is_rank_chosen(c->ranks, rank, &bad))
            l->v[n++] = l->v[i];
    }
    az_rank_name_release(&name);
    l->n = n;
    return n ? AZ_OK
             : az_diag_fail(&c->diag, AZ_EUSAGE, AZ_NOWHERE,
                            "no file of ranks '%.*s'; ranks are those of the file names",
                            AZ_SVF(c->ranks));
}

static int list_inputs(struct cutting *c, const struct az_args *a, struct input_list *l)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < a->n_operands; i++) {
        const struct az_sv path = az_sv_str(a->operands[i]);
        rc = az_path_stat(a->operands[i]).kind == AZ_PATH_DIR
                 ? add_folder(c, l, a->operands[i])
                 : add_input(c, l, path, az_path_base(path), AZ_NO_RUN);
    }
    return rc ? rc : keep_ranks(c, l);
}

/* A folder that does not exist is written under a temporary name, and appears when it is whole. */
static int open_folder(struct cutting *c)
{
    struct az_sv tmp;
    if (c->folder)
        return AZ_OK;
    if (az_path_stat(c->out).kind != AZ_PATH_MISSING) {
        c->folder = c->out;
        return AZ_OK;
    }
    const int rc = az_outdir_reserve(&c->arena, c->out, &tmp, &c->diag);
    c->folder = rc ? NULL : tmp.p;
    return rc;
}

static int close_folder(struct cutting *c, bool complete)
{
    if (!c->folder || c->folder == c->out)
        return AZ_OK;
    if (complete && c->written)
        return az_outdir_commit(c->folder, c->out, &c->diag);
    az_tmpdir_remove(c->folder);
    return AZ_OK;
}

/* Where a file of several goes, or the folder of a set; NULL on failure. */
static const char *output_of(struct cutting *c, const struct input *x, bool set)
{
    if (open_folder(c) != 0)
        return NULL;
    const struct az_sv path = az_arena_printf(&c->arena, "%s/%.*s", c->folder, AZ_SVF(x->name)),
                       folder = az_path_dir(path);
    const char *dir = az_arena_str(&c->arena, folder);
    if (!path.p || !dir || az_path_mkdirs(dir, &c->diag) != 0)
        return NULL;
    return set ? dir : path.p;
}

/* Files of one trace: those of a run in one folder, else those with the name of the set. */
static bool is_of_set(const struct az_format *f, const struct input *a, const struct input *b)
{
    if (a->run != b->run || !az_sv_eq(az_path_dir(a->path), az_path_dir(b->path)))
        return false;
    return a->run != AZ_NO_RUN || az_sv_eq(f->stem(a->path), f->stem(b->path));
}

/* The file, and those that are cut together with it. */
static int take_set(const struct az_format *f, struct input_list *l, size_t first, bool set,
                    struct az_files *files)
{
    int rc = AZ_OK;
    az_vec_reset(files);
    for (size_t i = first; rc == 0 && i < l->n; i++) {
        struct input *x = &l->v[i];
        if (i != first &&
            (!set || x->done || !f->cuts_sets(x->path) || !is_of_set(f, &l->v[first], x)))
            continue;
        x->done = true;
        rc = az_vec_push(files, (struct az_file){ .path = x->path });
    }
    return rc;
}

static int cut_one(struct cutting *c, struct input_list *l, size_t i, bool into,
                   struct az_files *files)
{
    const struct az_format *f = NULL;
    if (az_path_is_stream(l->v[i].path))
        return az_diag_fail(&c->diag, AZ_EUSAGE, AZ_AT_FILE(l->v[i].path),
                            "a pipe or device cannot be cut, as it can be read only once; store "
                            "it in a file");
    int rc = az_format_probe(l->v[i].path.p, &f, NULL, &c->diag);
    if (rc)
        return rc;
    const bool set = f->cuts_sets && f->stem && f->cuts_sets(l->v[i].path);
    rc = take_set(f, l, i, set, files);
    if (rc)
        return rc;
    if (set && az_path_stat(c->out).kind == AZ_PATH_FILE)
        return az_diag_fail(&c->diag, AZ_EUSAGE, AZ_AT_FILE(l->v[i].path),
                            "the files of a set go into a folder; '%s' is a file", c->out);
    const char *out = into || set ? output_of(c, &l->v[i], set) : c->out;
    return out ? cut_file(c, f, files, out) : AZ_EIO;
}

/* One file to the output; several, or those of a folder, into a folder, under their names. */
static int cut_all(struct cutting *c, struct input_list *l, bool into)
{
    struct az_files files;
    int status = AZ_EXIT_OK;
    az_vec_init(&files, &c->mem);
    for (size_t i = 0; i < l->n && status != AZ_EXIT_INTERRUPTED; i++) {
        const size_t before = c->diag.errors;
        const int rc = l->v[i].done ? AZ_OK : cut_one(c, l, i, into, &files);
        if (rc && rc != AZ_EINTR && c->diag.errors == before)
            az_log_line(&c->log, AZ_LOG_QUIET, "error: %s: %s", l->v[i].path.p, az_err_text(rc));
        status = rc ? az_cut_exit_status(rc) : status;
    }
    az_vec_release(&files);
    const int rc = close_folder(c, status != AZ_EXIT_INTERRUPTED);
    return rc ? az_cut_exit_status(rc) : status;
}

static int session(struct cutting *c, const struct az_args *a)
{
    struct input_list list;
    az_signals_install();
    az_sandbox_settle_for(NULL, &(struct az_sandbox_needs){ .write = { c->out } });
    az_vec_init(&list, &c->mem);
    int rc = az_config_init(&c->found), status = az_cut_exit_status(rc);
    if (rc == 0) {
        rc = list_inputs(c, a, &list);
        const bool into = a->n_operands > 1 || az_path_stat(a->operands[0]).kind == AZ_PATH_DIR;
        status = rc ? az_cut_exit_status(rc) : cut_all(c, &list, into);
    }
    az_config_release(&c->found);
    az_vec_release(&list);
    az_diag_print(&c->diag, &c->log);
    if (status == AZ_EXIT_INTERRUPTED)
        az_log_line(&c->log, AZ_LOG_QUIET, "interrupted; nothing was written");
    return status;
}

static int run_cut(const struct az_cmd *cmd, int argc, char **argv)
{
    struct cutting c = { .cmd = cmd, .keep = AZ_CUT_ALL, .log = { .level = AZ_LOG_NORMAL } };
    struct az_args a;
    bool help;
    az_mem_init(&c.mem, 0);
    az_arena_init(&c.arena, NULL);
    az_diag_init(&c.diag);
    c.log.color = az_use_color(AZ_AUTO, STDERR_FILENO);
    az_args_init(&a, cmd, argc, argv);
    int rc = az_args_parse(&a, one_option, &c, &help);
    if (!rc && !help)
        rc = check(&c, &a);
    if (!rc && !help)
        rc = session(&c, &a);
    az_diag_release(&c.diag);
    az_arena_release(&c.arena);
    return rc;
}

static const struct az_cmd_opt options[] = {
    { 'o', "output", "PATH", "output file; a folder for several inputs, folders, CSV sets" },
    { OPT_RANGE, "range", "NAME", "ranges or modules of this name ('forward*')" },
    { OPT_STEPS, "steps", "N-M", "these steps (12, 10-12)" },
    { OPT_FROM, "from", "TIME", "start of the window: 1.5s, 250ms, 50%, @RANGE" },
    { OPT_TO, "to", "TIME", "end of the window, as --from" },
    { OPT_RANKS, "ranks", "LIST", "only files of these ranks (0,4-7), by their names" },
    { OPT_KEEP, "keep", "LIST",
      "of the window only kernels (with their calls), ops (operators), python (frames)" },
    { OPT_ANNOTATE, "annotate", NULL,
      "add findings, critical path, idle time and counters as events for viewers (JSON of PyTorch "
      "and JAX)" },
    { 'q', "quiet", NULL, "print errors only" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_cut = {
    "cut",
    "-o PATH FILE|FOLDER...",
    "write a window of profiles as profiles of their format",
    "Reports of the output are those of the input with the same window.",
    options,
    AZ_LENGTH(options),
    run_cut
};
