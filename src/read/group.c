/* `analyzer run PATH...`: paths become inputs. Files of one run belong together: the CSV reports of
 * one Nsight report (equal stem), the files of the ranks of one run (names that differ in digits
 * only), the files of its hosts (names that differ in the host only); each other file is an input.
 * 966 lines because all of these ways share the list of files found. */
#include "base/intern.h"
#include "base/sort.h"
#include "formats/shared/unsupported_formats.h"
#include "read/input_paths.h"
#include "read/part_file.h"
#include "read/rank_sessions.h"
#include "read/skipped_files.h"
#include "saved/load.h"

#include "io/path.h"

struct found {
    struct az_sv path;
    struct az_sv key;          /* equal format and key: one input; empty: alone */
    struct az_part_place part; /* its file empty: a trace */
    const struct az_format *format;
    bool unread;          /* the system does not show it */
    struct az_sv session; /* among the traces of its folder; empty: the only one */
    bool process;         /* one of the processes of a run */
    struct az_sv hosts;   /* of a process in a folder below: the folder of that */
    struct az_sv machine; /* the same: what recorded it; empty: unknown */
};
AZ_VEC(struct found, founds);

struct grouping {
    struct az_config *c;
    const struct az_format *wanted; /* format that --set sets for all inputs; NULL: by content */
    struct founds files;
    struct founds odd; /* of folders: not recognized, but with a rank in their name, which is the
                          key without it */
    struct az_diag *diag;
    struct az_diag silent;     /* why files of a folder are not profiles: not printed */
    struct az_sv folder;       /* being walked */
    struct az_vec_sv passed;   /* what is in it and of no format */
    struct az_vec_sv unplaced; /* the same, of folders without any profile */
    size_t in_folder;          /* its recognized files */
    bool below;                /* folders below the one that is given */
    enum {
        APART,
        LOOK, /* by name, and what is not recognized is reported */
        BY_NAME,
        WHOLE
    } ranks; /* files of formats whose ranks are reduced one by one: which are one run */
    struct az_rank_name name; /* but for APART */
};

/* The path with every run of digits of its last component as one `#`. */
static struct az_sv without_digits(struct az_arena *a, struct az_sv path)
{
    struct az_sv base = az_path_base(path);
    size_t head = (size_t)(base.p - path.p), n = head;
    char *text = az_arena_str(a, path);

    if (!text)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = head; i < path.n; i++) {
        bool digit = path.p[i] >= '0' && path.p[i] <= '9';
        if (digit && n > head && text[n - 1] == '#')
            continue;
        text[n++] = digit ? '#' : path.p[i];
    }
    return az_sv_make(text, n);
}

/* Is the file in a folder in which its profiler stores one run? The name of that folder, else the
 * empty view. */
static struct az_sv run_folder(struct az_arena *a, const struct az_format *f, struct az_sv path)
{
    struct az_sv whole = { "", 0 };
    const struct az_sv none = { "", 0 };
    const char *folder = f->run_folder ? az_arena_str(a, az_path_dir(path)) : NULL;
    const int rc = folder ? az_path_canonical(a, folder, &whole) : AZ_OK;
    if (rc == AZ_ENOMEM) /* files would fall apart into other inputs */
        a->failed = true;
    if (!folder || rc)
        return none;
    const struct az_sv tail = az_arena_printf(a, "*/%s", f->run_folder);
    return tail.p && az_sv_glob(tail, whole) ? whole : none;
}

static bool is_numbered(const struct az_format *f, struct az_sv path)
{
    const struct az_sv base = az_path_base(path),
                       head = f->numbered ? az_sv_str(f->numbered) : AZ_SV("");
    const ptrdiff_t at = head.n ? az_sv_find(base, head) : -1;
    if (at < 0 || (at > 0 && !strchr("_-.+ ", base.p[at - 1])))
        return false;
    const size_t from = (size_t)at + head.n;
    size_t i = from;
    while (i < base.n && base.p[i] >= '0' && base.p[i] <= '9')
        i++;
    return i > from && i < base.n && base.p[i] == '.';
}

/* Is this file of a folder what a profiler wrote of one process, with its number as the stem? */
static bool is_process(const struct az_format *f, struct az_sv path)
{
    const struct az_sv stem = f->processes ? f->stem(path) : AZ_SV("");
    for (size_t i = 0; i < stem.n; i++)
        if (stem.p[i] < '0' || stem.p[i] > '9')
            return false;
    return stem.n > 0;
}

static struct az_sv group_key(const struct grouping *g, const struct az_format *f,
                              struct az_sv path)
{
    struct az_arena *a = &g->c->arena;
    const struct az_sv run = run_folder(a, f, path);
    if (run.n)
        return run;
    if (f->ranks_reduced && g->ranks == WHOLE)
        return az_path_dir(path);
    if (f->ranks_reduced && (g->ranks == BY_NAME || g->ranks == LOOK))
        return az_group_without_rank(a, &g->name, path);
    if (f->one_file)
        return az_sv_make("", 0);
    if (f->files_are_ranks && (!f->is_rank || f->is_rank(path)))
        return is_numbered(f, path) ? AZ_SV("") : without_digits(a, path);
    if (f->files_are_hosts && g->c->one_run)
        return AZ_SV(".");
    if (f->files_are_hosts)
        return az_group_without_host(a, path);
    if (f->stem)
        return az_path_join(a, az_path_dir(path), f->stem(path));
    return (struct az_sv){ "", 0 };
}

/* The ranks in a part file, each as its trace; parts of one folder are those of one run. */
static int add_parts(struct grouping *g, struct az_sv path)
{
    struct az_part_places all;
    int rc;

    az_vec_init(&all, NULL);
    rc = az_part_list(path.p, &g->c->arena, &all, g->diag);
    for (size_t i = 0; !rc && i < all.n; i++) {
        struct found f = { .path = all.v[i].path, .part = all.v[i] };
        f.format = all.v[i].format.n ? az_format_find(all.v[i].format) : NULL;
        f.key = az_arena_printf(&g->c->arena, "parts of %.*s", AZ_SVF(az_path_dir(path)));
        if (!f.format) /* a part that cannot be read: of the format of the others */
            f.format = g->files.n && g->files.v[g->files.n - 1].part.file.n
                           ? g->files.v[g->files.n - 1].format
                           : az_format_find(AZ_SV("pytorch"));
        rc = f.key.p ? az_vec_push(&g->files, f) : az_arena_error(&g->c->arena);
    }
    g->in_folder += all.n;
    az_vec_release(&all);
    return rc;
}

static int add_file(struct grouping *g, struct az_sv path, bool of_folder)
{
    struct found f = { .path = az_arena_dup(&g->c->arena, path), .key = { "", 0 } };

    if (!f.path.p)
        return az_arena_error(&g->c->arena);
    if (az_part_is(f.path.p))
        return add_parts(g, f.path);
    /* A stream is read when the plan is made, where its bytes are stored. What is not recognized
     * becomes an input that fails with the reason, next to the others. */
    if (!az_path_is_stream(f.path) && (of_folder || !g->wanted)) {
        const int rc = of_folder ? az_format_probe_found(f.path.p, &f.format, NULL, &g->silent)
                                 : az_format_probe(f.path.p, &f.format, NULL, &g->silent);
        if (rc == AZ_ENOMEM) /* or a profile would be skipped */
            return rc;
        if (rc)
            f.format = NULL;
    }
    if (of_folder && !f.format && g->ranks > LOOK) {
        f.key = az_group_without_rank(&g->c->arena, &g->name, f.path);
        return f.key.n ? az_vec_push(&g->odd, f) : AZ_OK;
    }
    if (of_folder && !f.format)
        return az_vec_push(&g->passed, f.path);
    if (of_folder && g->wanted && f.format != g->wanted)
        return AZ_OK;
    if (g->wanted)
        f.format = g->wanted;
    f.process = of_folder && f.format && is_process(f.format, f.path);
    if (f.process) { /* a set of tables and a document of one process have the same content */
        struct az_sv run = az_path_dir(f.path);
        if (g->below) { /* folders next to each other are its hosts */
            run = f.hosts = az_path_dir(run);
            const int rc =
                f.format->machine ? f.format->machine(f.path, &g->c->arena, &f.machine) : AZ_OK;
            if (rc)
                return rc;
        }
        f.key = az_arena_printf(&g->c->arena, "%.*s/#%s", AZ_SVF(run),
                                f.format->is_rank && f.format->is_rank(f.path) ? ".json" : "");
    }
    if (!f.process && f.format && !az_path_is_stream(f.path))
        f.key = group_key(g, f.format, f.path);
    if (g->c->arena.failed)
        return az_arena_error(&g->c->arena);
    g->in_folder += of_folder;
    return az_vec_push(&g->files, f);
}

/* What a folder names and the system does not show: one of the ranks by its name, else an input by
 * itself. It fails, the others go on. */
static int add_unread(struct grouping *g, struct az_sv path)
{
    struct found f = { .path = az_arena_dup(&g->c->arena, path), .unread = true };

    if (!f.path.p)
        return az_arena_error(&g->c->arena);
    g->in_folder++;
    if (g->ranks <= LOOK)
        return az_vec_push(&g->files, f);
    f.key = az_group_without_rank(&g->c->arena, &g->name, f.path);
    return az_vec_push(&g->odd, f);
}

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct grouping *g = ctx;

    (void)depth;
    if (az_cancelled(&g->c->cancel))
        return AZ_EINTR;
    if (info->kind == AZ_PATH_FILE)
        return add_file(g, az_sv_str(path), true);
    if (az_path_is_unread(info)) /* an input that fails, if it may be one */
        return az_skip_is_profile_name(az_sv_str(path)) ? add_unread(g, az_sv_str(path)) : AZ_OK;
    const bool folder = info->kind == AZ_PATH_DIR;
    if (!folder || az_foreign_folder(az_path_base(az_sv_str(path)))) {
        const struct az_sv kept = az_arena_dup(&g->c->arena, az_sv_str(path));
        const int rc = kept.p ? az_vec_push(&g->passed, kept) : az_arena_error(&g->c->arena);
        if (rc)
            return rc;
    }
    /* its own files only: folders below may be reports of ours */
    return folder && !az_sv_is(g->folder, path);
}

/* The name of a file without the ending of copies in another form; empty: it has none. */
static struct az_sv untwinned(const struct az_format *f, struct az_sv path)
{
    const struct az_sv end = az_sv_str(f->twin ? f->twin : "");
    return end.n && az_path_base(path).n > end.n && az_sv_ends(path, end)
               ? az_sv_make(path.p, path.n - end.n)
               : AZ_SV("");
}

/* Does file i repeat another one of this format and folder? Files are sorted: those whose names
 * have a common beginning are next to it. */
static bool repeats(const struct found *v, size_t n, size_t i, const struct az_format *f)
{
    const struct az_sv name = untwinned(f, v[i].path);
    bool again = false;

    for (size_t k = i; name.n && k-- > 0 && az_sv_starts(v[k].path, name);)
        again |= v[k].format == f && !untwinned(f, v[k].path).n &&
                 az_sv_eq(f->stem(v[k].path), az_path_base(name));
    for (size_t k = i + 1; name.n && k < n && az_sv_starts(v[k].path, name); k++)
        again |= v[k].format == f && !untwinned(f, v[k].path).n &&
                 az_sv_eq(f->stem(v[k].path), az_path_base(name));
    return again;
}

/* Skips the files of this folder that have the content of others there in another form. */
static int drop_twins(struct grouping *g, size_t first)
{
    const size_t n = g->files.n - first;
    struct found *v = g->files.v + first;
    const struct az_format *f = NULL; /* one of a folder has such copies */
    size_t kept = 0, others = 0;

    for (size_t i = 0; i < n && !f; i++)
        f = v[i].format && v[i].format->twin ? v[i].format : NULL;
    bool *again = f ? az_arena_array(&g->c->arena, n, sizeof *again) : NULL;
    if (!again)
        return f ? az_arena_error(&g->c->arena) : AZ_OK;
    for (size_t i = 0; i < n; i++) {
        again[i] = f->copy && az_sv_is(az_path_base(v[i].path), f->copy);
        others += !again[i] && v[i].format == f;
    }
    for (size_t i = 0; i < n; i++)
        again[i] = again[i] ? others > 0 : repeats(v, n, i, f);
    for (size_t i = 0; i < n; i++)
        if (!again[i])
            v[kept++] = v[i];
    g->files.n = first + kept;
    return AZ_OK;
}

static struct az_sv without_ending(struct az_sv path)
{
    const struct az_sv base = az_path_base(path);
    size_t n = base.n;
    while (n > 0 && base.p[n - 1] != '.')
        n--;
    return az_sv_make(path.p, path.n - base.n + (n ? n - 1 : base.n));
}

/* Is it what the report is converted to: by its profiler, under its name, and not before it? */
static bool is_export(const struct found *x, const struct found *report)
{
    const struct az_format *f = report->format, *to = x->format;
    return to && !to->converts && to->numbered && f->numbered &&
           strcmp(to->numbered, f->numbered) == 0 &&
           az_sv_eq(without_ending(x->path), without_ending(report->path)) &&
           az_path_stat(x->path.p).mtime_ns >= az_path_stat(report->path.p).mtime_ns;
}

/* Skips the reports of this folder that have their export next to them. Files are sorted. */
static void drop_exported(struct grouping *g, size_t first)
{
    const size_t n = g->files.n - first;
    struct found *v = g->files.v + first;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        const bool report = v[i].format && v[i].format->converts;
        const struct az_sv stem = report ? without_ending(v[i].path) : AZ_SV("");
        bool exported = false;
        for (size_t k = i + 1; report && k < n && az_sv_starts(v[k].path, stem); k++)
            exported |= is_export(&v[k], &v[i]);
        for (size_t k = kept; report && k-- > 0 && az_sv_starts(v[k].path, stem);)
            exported |= is_export(&v[k], &v[i]);
        if (!exported)
            v[kept++] = v[i];
    }
    g->files.n = first + kept;
}

/* What is in this folder and is no profile, where its profiles show what one is called; of a folder
 * without any it is stored until it is clear that there are none at all. */
static int report_passed(struct grouping *g, size_t first)
{
    struct az_vec_sv known;
    int rc = AZ_OK;

    if (g->files.n == first) {
        for (size_t i = 0; !rc && i < g->passed.n; i++)
            rc = az_vec_push(&g->unplaced, g->passed.v[i]);
        g->passed.n = 0;
        return rc;
    }
    az_vec_init(&known, NULL);
    for (size_t i = first; !rc && i < g->files.n; i++)
        rc = az_passed_add_extension(&known, g->files.v[i].path);
    if (!rc)
        az_passed_report(&g->passed, &known, g->folder, g->diag);
    az_vec_release(&known);
    g->passed.n = 0;
    return rc;
}

static int walk_folder(struct grouping *g, struct az_sv path)
{
    const struct az_walk w = { .follow_links = true, .visit = visit, .ctx = g };
    const size_t first = g->files.n;
    int rc;

    g->folder = path;
    rc = az_path_walk(path.p, &w, g->diag);
    if (!rc)
        rc = drop_twins(g, first);
    if (!rc)
        drop_exported(g, first);
    return rc ? rc : report_passed(g, first);
}

/* Runs below a folder that itself has none. */
static int walk_runs(struct grouping *g, struct az_sv path)
{
    int rc = AZ_OK;
    for (const struct az_format *const *f = az_formats; !rc && *f; f++) {
        struct az_vec_sv found;
        struct az_sv glob;
        if (!(*f)->run_folder)
            continue;
        glob = az_arena_printf(&g->c->arena, "%.*s/%s/", AZ_SVF(path), (*f)->run_folder);
        if (!glob.p)
            return az_arena_error(&g->c->arena);
        az_vec_init(&found, NULL);
        rc = az_path_glob(&g->c->arena, glob, &found);
        for (size_t i = 0; !rc && i < found.n; i++)
            rc = walk_folder(g, found.v[i]);
        az_vec_release(&found);
    }
    return rc;
}

bool az_folder_belongs(struct az_sv path)
{
    for (const struct az_format *const *f = az_formats; *f; f++)
        if ((*f)->companions && az_sv_is(az_path_base(path), (*f)->companions))
            return true;
    return false;
}

struct below {
    struct az_arena *a;
    const struct az_cancel *cancel;
    struct az_vec_sv folders;
};

static int visit_below(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct below *b = ctx;
    (void)depth;
    if (az_cancelled(b->cancel))
        return AZ_EINTR;
    if (info->kind != AZ_PATH_DIR)
        return AZ_OK;
    if (az_folder_belongs(az_sv_str(path)))
        return 1;
    const struct az_sv folder = az_arena_dup(b->a, az_sv_str(path));
    return folder.p ? az_vec_push(&b->folders, folder) : az_arena_error(b->a);
}

/* Every folder below one that itself has nothing: runs/step_120/rank_0.json. */
static int walk_below(struct grouping *g, struct az_sv path)
{
    struct below b = { .a = &g->c->arena, .cancel = &g->c->cancel };
    const struct az_walk w = { .follow_links = true, .visit = visit_below, .ctx = &b };
    int rc;

    az_vec_init(&b.folders, NULL);
    rc = az_path_walk(path.p, &w, g->diag);
    g->below = true;
    for (size_t i = 0; !rc && i < b.folders.n; i++)
        rc = walk_folder(g, b.folders.v[i]);
    g->below = false;
    az_vec_release(&b.folders);
    return rc;
}

static int add_folder(struct grouping *g, struct az_sv path)
{
    static const struct az_vec_sv none;
    int rc;

    g->in_folder = 0;
    rc = walk_folder(g, path);
    if (!rc && g->in_folder == 0)
        rc = walk_runs(g, path);
    if (!rc && g->in_folder == 0 && g->ranks != APART)
        rc = walk_below(g, path);
    const char *foreign = az_passed_foreign(path);
    if (!rc && g->in_folder == 0 && foreign)
        return az_diag_fail(g->diag, AZ_ECONFIG, AZ_AT_FILE(path), "%s", foreign);
    if (!rc)
        az_passed_report(&g->unplaced, g->in_folder ? &none : NULL, path, g->diag);
    g->unplaced.n = 0;
    if (!rc && g->in_folder == 0)
        return az_diag_fail(
            g->diag, AZ_ECONFIG, AZ_AT_FILE(path),
            "no profile of a supported format in this folder%s; see 'analyzer list'",
            g->ranks != APART ? " or below it" : "");
    return rc;
}

static int add_path(struct grouping *g, const char *path)
{
    struct az_sv p = az_sv_str(path);
    struct az_input_files matches;
    int rc = AZ_OK;

    if (!p.n)
        return az_diag_fail(g->diag, AZ_ECONFIG, AZ_NOWHERE, "empty path ''; name a file");
    if (az_sv_is(p, "-"))
        return add_file(g, p, false);
    switch (az_path_stat(path).kind) {
    case AZ_PATH_DIR:
        return add_folder(g, p);
    case AZ_PATH_FILE:
    case AZ_PATH_OTHER:
        return add_file(g, p, false);
    case AZ_PATH_MISSING:
        break;
    }
    if (!az_path_is_glob(p))
        return add_file(g, p, false); /* fails in its turn, the others go on */
    az_vec_init(&matches, NULL);
    rc = az_config_expand(g->c, (struct az_sv){ "", 0 }, p, (struct az_sv){ "", 0 }, false,
                          &matches, AZ_NOWHERE, g->diag);
    for (size_t i = 0; !rc && i < matches.n; i++)
        rc = az_path_stat(matches.v[i].path.p).kind == AZ_PATH_DIR
                 ? add_folder(g, matches.v[i].path)
                 : add_file(g, matches.v[i].path, false);
    az_vec_release(&matches);
    return rc;
}

static struct az_sv title_of(const struct found *f)
{
    if (az_sv_is(f->path, "-"))
        return AZ_SV("stdin");
    return f->format && f->format->stem ? f->format->stem(f->path) : az_path_stem(f->path);
}

/* An empty or damaged file among the ranks of a run, by its name, is one of them: it fails, and is
 * not skipped. */
static int add_odd(struct grouping *g)
{
    const size_t n = g->files.n;
    struct az_sv *run =
        az_arena_array(&g->c->arena, n + 1, sizeof *run); /* of a file: its name without the rank */
    int rc = run ? AZ_OK : az_arena_error(&g->c->arena);

    for (size_t k = 0; !rc && g->odd.n && k < n; k++) {
        const struct found *like = &g->files.v[k];
        if (like->format && like->format->ranks_reduced && like->key.n)
            run[k] = az_group_without_rank(&g->c->arena, &g->name, like->path);
    }
    for (size_t i = 0; !rc && i < g->odd.n; i++) {
        struct found f = g->odd.v[i];
        for (size_t k = 0; k < n && !f.format; k++) {
            if (!f.key.n || !az_sv_eq(run[k], f.key))
                continue;
            f.format = g->files.v[k].format;
            f.key = g->files.v[k].key;
        }
        if (!f.format)
            f.key = AZ_SV("");
        if (f.format || f.unread)
            rc = az_vec_push(&g->files, f);
    }
    return rc;
}

/* The input of a file: that of an earlier one of the same format and key, else a new one. `ids`: of
 * the keys, `inputs`: id -> place in the configuration. */
static int input_of(struct grouping *g, const struct found *f, struct az_intern *ids,
                    struct az_vec_u32 *inputs, struct az_input **in)
{
    struct az_config *c = g->c;
    uint32_t id = AZ_NO_ID;
    int rc = AZ_OK;

    if (f->key.n) {
        struct az_sv key =
            az_arena_printf(&c->arena, "%s %.*s", f->format ? f->format->name : "", AZ_SVF(f->key));
        rc = key.p ? az_intern(ids, key, &id) : az_arena_error(&c->arena);
    }
    if (!rc && id < inputs->n) {
        *in = &c->inputs.v[inputs->v[id]];
        return AZ_OK;
    }
    if (!rc && f->key.n)
        rc = az_vec_push(inputs, (uint32_t)c->inputs.n);
    if (!rc)
        rc = az_config_add_input(c, in);
    if (rc)
        return rc;
    if (!(*in)->title.n) /* --set has none */
        (*in)->title = az_arena_dup(&c->arena, title_of(f));
    (*in)->format = f->format ? az_sv_str(f->format->name) : AZ_SV("auto");
    return AZ_OK;
}

static bool several_stems(const struct az_format *f, const struct az_input *in)
{
    const struct az_sv first = f->stem(in->files.v[0].path);
    for (size_t i = 1; i < in->files.n; i++)
        if (!az_sv_eq(f->stem(in->files.v[i].path), first))
            return true;
    return false;
}

/* Are the processes of a run those of several hosts? */
static bool several_folders(const struct az_input *in)
{
    const struct az_sv first = az_path_dir(in->files.v[0].path);
    for (size_t i = 1; i < in->files.n; i++)
        if (!az_sv_eq(az_path_dir(in->files.v[i].path), first))
            return true;
    return false;
}

static struct az_sv run_title(const struct grouping *g, const struct az_input *in)
{
    const struct az_sv path = in->files.v[0].path;
    const struct az_sv folder = az_path_dir(path);
    struct az_sv title =
        az_path_base(in->processes && several_folders(in) ? az_path_dir(folder) : folder);
    struct az_rank_place at;
    bool of_rank = false;
    /* of rank0/trace.json the folder above, if the path has it */
    if (az_rank_name_find_in(&g->name, path, &at, &of_rank) && of_rank) {
        const struct az_sv above = az_path_base(az_path_dir(az_path_dir(path)));
        title = above.n && !az_sv_is(above, ".") && !az_sv_is(above, "/") ? above : title;
    }
    for (size_t i = 0; i < g->files.n; i++)
        if (g->files.v[i].session.n && az_sv_eq(g->files.v[i].path, path))
            return az_arena_printf(&g->c->arena, "%.*s %.*s", AZ_SVF(title),
                                   AZ_SVF(g->files.v[i].session));
    return title;
}

/* Of hosts that one profiler session recorded into one folder: the folder; empty: it has no name.
 */
static struct az_sv session_title(const struct az_format *f, const struct az_input *in)
{
    const struct az_sv folder = az_path_base(az_path_dir(in->files.v[0].path));

    return !f || !f->run_folder || az_sv_is(folder, ".") || az_sv_is(folder, "/") ? AZ_SV("")
                                                                                  : folder;
}

static bool has_machine(const struct grouping *g, const struct az_input *in)
{
    for (size_t i = 0; i < g->files.n; i++)
        if (az_sv_eq(g->files.v[i].path, in->files.v[0].path))
            return g->files.v[i].machine.n > 0;
    return false;
}

/* An input of several files: the title of a run, and a note of what was put together. */
static void name_input(const struct grouping *g, struct az_input *in)
{
    const struct az_format *f = az_format_find(in->format);

    if (in->files.n < 2)
        return;
    const struct az_sv hosts = f && f->files_are_hosts
                                   ? az_group_hosts_title(&g->c->arena, in->files.v[0].path)
                                   : AZ_SV("");
    in->is_run |= g->ranks != APART && f && f->ranks_reduced;
    if (in->is_run || (in->processes && (several_stems(f, in) || several_folders(in))))
        in->title = run_title(g, in);
    else if (session_title(f, in).n)
        in->title = session_title(f, in);
    else if (hosts.n)
        in->title = hosts;
    az_diag_add(g->diag, AZ_NOTE, AZ_NOWHERE,
                "%zu files form one input '%.*s'%s; use a configuration to separate them",
                in->files.n, AZ_SVF(in->title),
                in->processes && several_folders(in) && !has_machine(g, in)
                    ? ", each folder as a host, as its files do not name theirs"
                    : "");
}

static bool is_of_folder(const struct found *f, struct az_sv hosts, struct az_sv machine)
{
    return f->hosts.n && az_sv_eq(f->hosts, hosts) && az_sv_eq(f->machine, machine);
}

/* Was one machine recorded into several folders? Then these are no hosts. */
static bool has_equal_machines(const struct grouping *g, struct az_sv hosts)
{
    for (size_t i = 0; i < g->files.n; i++) {
        const struct found *a = &g->files.v[i];
        if (!a->machine.n || !az_sv_eq(a->hosts, hosts))
            continue;
        for (size_t k = i + 1; k < g->files.n; k++)
            if (is_of_folder(&g->files.v[k], hosts, a->machine) &&
                !az_sv_eq(az_path_dir(g->files.v[k].path), az_path_dir(a->path)))
                return true;
    }
    return false;
}

/* Folders next to each other whose files are of one machine are runs, and no hosts of one. */
static int separate_runs(struct grouping *g)
{
    struct az_sv hosts = AZ_SV("");
    bool equal = false;
    for (size_t i = 0; i < g->files.n; i++) {
        struct found *f = &g->files.v[i];
        if (!f->hosts.n)
            continue;
        if (!az_sv_eq(f->hosts, hosts)) { /* files of a folder follow each other */
            hosts = f->hosts;
            equal = has_equal_machines(g, hosts);
        }
        if (equal)
            f->key = az_arena_printf(&g->c->arena, "%.*s/#%s", AZ_SVF(az_path_dir(f->path)),
                                     az_sv_ends(f->key, AZ_SV(".json")) ? ".json" : "");
    }
    return g->c->arena.failed ? az_arena_error(&g->c->arena) : AZ_OK;
}

static int add_inputs(struct grouping *g)
{
    struct az_config *c = g->c;
    struct az_vec_u32 inputs;
    struct az_intern ids;
    const size_t before = c->inputs.n;
    int rc = 0;
    az_intern_init(&ids, &c->arena, NULL);

    az_vec_init(&inputs, NULL);
    for (size_t i = 0; !rc && i < g->files.n; i++) {
        const struct found *f = &g->files.v[i];
        struct az_input *in = NULL;
        rc = input_of(g, f, &ids, &inputs, &in);
        if (!rc)
            rc = az_vec_push(&in->files, ((struct az_input_file){ .path = f->path,
                                                                  .role = { "", 0 },
                                                                  .part = f->part.file,
                                                                  .at = f->part.at,
                                                                  .length = f->part.length }));
        if (!rc && f->part.file.n)
            in->is_run = in->parts = true;
        if (!rc)
            in->processes |= f->process;
    }
    for (size_t i = before; !rc && i < c->inputs.n; i++)
        name_input(g, &c->inputs.v[i]);
    az_vec_release(&inputs);
    az_intern_release(&ids);
    return rc;
}

/* Is the input what its folder has? */
static bool names_folder(const struct az_input *in)
{
    return in->is_run || (in->files.n > 1 && session_title(az_format_find(in->format), in).n > 0);
}

/* Equal titles are distinguished by the whole file name, then by the folder. */
static int part_titles(struct az_config *c, struct az_sv (*longer)(struct az_sv path))
{
    struct az_vec_u32 count;
    struct az_intern ids;
    uint32_t id;
    int rc = 0;
    az_intern_init(&ids, &c->arena, NULL);

    az_vec_init(&count, NULL);
    for (size_t i = 0; !rc && i < c->inputs.n; i++) {
        rc = az_intern(&ids, c->inputs.v[i].title, &id);
        if (!rc && id == count.n)
            rc = az_vec_push(&count, 0);
        if (!rc)
            count.v[id]++;
    }
    for (size_t i = 0; !rc && i < c->inputs.n; i++) {
        struct az_input *in = &c->inputs.v[i];
        const struct az_sv path = in->files.n ? in->files.v[0].path : in->title;
        if (count.v[az_intern_find(&ids, in->title)] > 1)
            in->title = longer(names_folder(in) ? az_path_dir(path) : path);
    }
    az_vec_release(&count);
    az_intern_release(&ids);
    return rc;
}

static struct az_sv whole_path(struct az_sv path) { return path; }

/* The same file twice on the command line (also through a folder or a glob) is one input. */
static int drop_repeats(struct founds *f, struct az_arena *a)
{
    struct az_intern paths;
    size_t n = 0;
    int rc = 0;
    az_intern_init(&paths, a, NULL);

    for (size_t i = 0; !rc && i < f->n; i++) {
        const size_t before = paths.text.n;
        uint32_t id = AZ_NO_ID;
        struct az_sv key = f->v[i].path;
        if (f->v[i].part.file.n)
            key = az_arena_printf(a, "%.*s\n%llu", AZ_SVF(f->v[i].part.file),
                                  (unsigned long long)f->v[i].part.at);
        rc = key.p ? az_intern(&paths, key, &id) : az_arena_error(a);
        if (id == before || az_sv_is(f->v[i].path, "-"))
            f->v[n++] = f->v[i];
    }
    f->n = n;
    az_intern_release(&paths);
    return rc;
}

static int by_folder(const void *x, const void *y, void *ctx)
{
    const struct grouping *g = ctx;
    const uint32_t *a = x, *b = y;
    const int c = az_sv_cmp(az_path_dir(g->files.v[*a].path), az_path_dir(g->files.v[*b].path));
    return c ? c : *a < *b ? -1 : *a > *b;
}

/* The traces of one folder: those of one session are one input. A file without a rank is one by
 * itself, and so are files whose ranks would be there twice. */
static int part_folder(struct grouping *g, const uint32_t *which, size_t n)
{
    struct az_arena *a = &g->c->arena;
    struct az_session_file *v = az_arena_array(a, n, sizeof *v);
    int rc = v ? AZ_OK : az_arena_error(a);
    for (size_t i = 0; !rc && i < n; i++) {
        struct az_session_file *x = &v[i];
        *x = (struct az_session_file){ .path = g->files.v[which[i]].path, .rank = -1 };
        x->named = az_rank_name_find(&g->name, az_path_base(x->path), &x->at);
        x->rank = x->named ? x->at.rank : -1;
    }
    if (!rc)
        rc = az_rank_sessions_part(v, n, a);
    for (size_t i = 0; !rc && i < n; i++) {
        bool again = v[i].rank < 0;
        for (size_t k = 0; k < n && !again; k++)
            again = k != i && v[k].rank == v[i].rank && az_sv_eq(v[k].session, v[i].session) &&
                    az_sv_eq(v[k].skeleton, v[i].skeleton);
        g->files.v[which[i]].session = v[i].session;
        g->files.v[which[i]].key =
            again ? AZ_SV("")
                  : az_arena_printf(a, "%.*s\n%.*s\n%.*s", AZ_SVF(az_path_dir(v[i].path)),
                                    AZ_SVF(v[i].session), AZ_SVF(v[i].skeleton));
    }
    return rc ? rc : a->failed ? az_arena_error(a) : AZ_OK;
}

/* The only trace of a folder whose name is that of a rank, `rank3/trace.json`: those of equal names
 * in such folders next to each other are one run. */
static int part_rank_folder(struct grouping *g, struct found *f)
{
    struct az_arena *a = &g->c->arena;
    struct az_rank_place at;
    bool folder = false;
    if (!az_rank_name_find_in(&g->name, f->path, &at, &folder) || !folder)
        return AZ_OK;
    const struct az_sv dir = az_path_dir(f->path), parent = az_path_dir(dir),
                       name = az_path_base(dir);
    f->key =
        az_arena_printf(a, "%.*s\n%.*s#%.*s\n%.*s", AZ_SVF(parent), (int)at.digits, name.p,
                        (int)(name.n - at.end), name.p + at.end, AZ_SVF(az_path_base(f->path)));
    return f->key.p ? AZ_OK : az_arena_error(a);
}

static int find_sessions(struct grouping *g)
{
    struct az_vec_u32 all;
    int rc = AZ_OK;

    az_vec_init(&all, NULL);
    for (size_t i = 0; !rc && i < g->files.n; i++) {
        const struct found *f = &g->files.v[i];
        if (f->format && f->format->ranks_reduced && !f->part.file.n && !az_path_is_stream(f->path))
            rc = az_vec_push(&all, (uint32_t)i);
    }
    if (!rc)
        az_sort_cmp(all.v, all.n, sizeof *all.v, by_folder, g, NULL);
    for (size_t i = 0, k; !rc && i < all.n; i = k) {
        const struct az_sv dir = az_path_dir(g->files.v[all.v[i]].path);
        for (k = i + 1; k < all.n && az_sv_eq(az_path_dir(g->files.v[all.v[k]].path), dir);)
            k++;
        rc = part_folder(g, all.v + i, k - i);
        if (!rc && k - i == 1)
            rc = part_rank_folder(g, &g->files.v[all.v[i]]);
    }
    az_vec_release(&all);
    return rc;
}

static int plan_groups(struct grouping *g, const char *const *paths, size_t n)
{
    struct az_config *c = g->c;
    int rc = AZ_OK;

    az_vec_init(&g->files, NULL);
    az_vec_init(&g->passed, NULL);
    az_vec_init(&g->unplaced, NULL);
    az_vec_init(&g->odd, NULL);
    az_diag_init(&g->silent);
    if (g->ranks != APART)
        rc =
            az_rank_name_init(&g->name, c->quick.opts.rank_pattern, &c->arena, AZ_NOWHERE, g->diag);
    const bool named = g->ranks != APART && !rc;
    if (!az_sv_is(c->quick.format, "auto"))
        g->wanted = az_format_find(c->quick.format);
    for (size_t i = 0; !rc && i < n; i++)
        rc = az_cancelled(&c->cancel) ? AZ_EINTR : add_path(g, paths[i]);
    if (!rc && (g->ranks == LOOK || g->ranks == BY_NAME))
        rc = find_sessions(g);
    if (!rc)
        rc = add_odd(g);
    if (!rc)
        rc = drop_repeats(&g->files, &c->arena);
    if (!rc)
        rc = separate_runs(g);
    if (!rc)
        rc = add_inputs(g);
    if (!rc)
        rc = part_titles(c, az_path_base);
    if (!rc)
        rc = part_titles(c, whole_path);
    if (!rc && g->ranks == APART)
        rc = az_group_hint(g->c, g->diag);
    if (!rc && g->ranks == LOOK && !c->quick.opts.rank_pattern.n)
        rc = az_group_pattern_hint(g->c, &g->name, g->diag);
    if (named)
        az_rank_name_release(&g->name);
    az_diag_release(&g->silent);
    az_vec_release(&g->odd);
    az_vec_release(&g->files);
    az_vec_release(&g->passed);
    az_vec_release(&g->unplaced);
    return rc;
}

int az_plan_saved(struct az_config *c, const char *path)
{
    struct az_sv p = az_arena_dup(&c->arena, az_sv_str(path));
    struct az_input *in = NULL;
    int rc = p.p ? az_config_add_input(c, &in) : AZ_ENOMEM;

    if (rc)
        return rc;
    while (p.n > 1 && p.p[p.n - 1] == '/')
        p.n--;
    in->title = az_path_stat(path).kind == AZ_PATH_DIR ? az_path_base(p) : az_saved_name(p);
    in->format = AZ_SV(AZ_FORMAT_RESULT);
    in->files.mem = NULL;
    return az_vec_push(&in->files, ((struct az_input_file){ .path = az_arena_dup(&c->arena, p),
                                                            .role = { "", 0 } }));
}

int az_plan_paths(struct az_config *c, const char *const *paths, size_t n, struct az_diag *diag)
{
    struct grouping g = { .c = c, .diag = diag };
    return plan_groups(&g, paths, n);
}

int az_plan_runs_of(struct az_config *c, const char *const *paths, size_t n, struct az_diag *diag)
{
    struct grouping g = { .c = c, .diag = diag, .ranks = LOOK };
    return plan_groups(&g, paths, n);
}

static int visit_first(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct grouping *g = ctx;
    const struct az_format *f = NULL;

    (void)depth;
    if (info->kind != AZ_PATH_FILE)
        return info->kind == AZ_PATH_DIR;
    if (az_format_probe(path, &f, NULL, &g->silent) == 0 && f)
        g->in_folder++;
    return g->in_folder ? AZ_EINTR : AZ_OK;
}

bool az_plan_has_profile(const char *path)
{
    struct grouping g = { .c = NULL };
    const struct az_walk w = { .follow_links = true, .visit = visit_first, .ctx = &g };
    struct az_diag diag;

    az_diag_init(&diag);
    az_diag_init(&g.silent);
    const int rc = az_path_walk(path, &w, &diag);
    az_diag_release(&g.silent);
    az_diag_release(&diag);
    return rc == AZ_EINTR && g.in_folder;
}

int az_plan_runs(struct az_config *c, const char *path, struct az_diag *diag)
{
    struct grouping g = { .c = c, .diag = diag, .ranks = BY_NAME };
    return plan_groups(&g, &path, 1);
}

int az_plan_whole(struct az_config *c, const char *path, struct az_diag *diag)
{
    struct grouping g = { .c = c, .diag = diag, .ranks = WHOLE };
    return plan_groups(&g, &path, 1);
}
