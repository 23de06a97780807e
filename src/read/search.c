/* `base_dir`: the runs below a folder. Each folder that holds matching files is a run
 * (docs/formulas-multirank.md 1), and becomes an input; with `each-step` each step in it does, as
 * do the steps among listed files. */
#include "base/sort.h"
#include "base/utf8.h"
#include "io/path.h"
#include "read/input_paths.h"
#include "read/part_file.h"
#include "read/rank_sessions.h"
#include "read/skipped_files.h"

#define NAME_MIDDLE "performance_report"
#define LONG_NUMBER 9 /* digits: a time, which differs between the ranks of one step */

struct trace_file {
    struct az_sv path;         /* as found: base_dir, then names; NUL-terminated */
    struct az_sv group;        /* absolute folder */
    struct az_sv step;         /* text around the rank; empty unless runs are parted by it */
    int64_t rank;              /* by name; -1: none */
    struct az_part_place part; /* its file empty: a trace */
};
AZ_VEC(struct trace_file, trace_files);

struct search {
    struct az_config *c;
    struct az_arena *a; /* the configuration's */
    const struct az_input *in;
    struct az_diag *diag;
    struct az_sv base; /* absolute */
    struct az_rank_name name;
    struct trace_files files;
    struct az_inputs *out;
    size_t other_gz;             /* files skipped: no trace, by their names */
    size_t documents;            /* the same: other JSON */
    size_t filtered, other_kind; /* the same: traces that a filter drops; of the other extension */
    struct az_sv first_gz;
};

static struct az_where place_of(const struct az_input *in)
{
    return in->where.file.n ? in->where : AZ_NOWHERE;
}

static bool each_step(const struct az_input *in)
{
    return az_sv_is(in->opts.duplicate_rank, "each-step");
}

/* ---- which files ---- */

static bool is_kind(struct az_sv path, struct az_sv ext)
{
    return (!az_sv_is(ext, "gz") && az_sv_ends(path, AZ_SV(".json"))) ||
           (!az_sv_is(ext, "json") && az_sv_ends(path, AZ_SV(".json.gz")));
}

/* Of `gz`, what is packed and no trace by its name. */
static void count_gz(struct search *s, struct az_sv path)
{
    if (az_sv_is(s->in->search.extension, "gz") && az_sv_ends(path, AZ_SV(".gz")) &&
        s->other_gz++ == 0)
        s->first_gz = az_arena_dup(s->a, path);
}

/* Is the filter a pattern with its number, as "rank_1"? Then that number, else -1. */
static int64_t filter_rank(const struct search *s, struct az_sv filter)
{
    struct az_rank_place at;
    return az_rank_name_find(&s->name, filter, &at) && at.start == 0 && at.end == filter.n ? at.rank
                                                                                           : -1;
}

static bool passes(const struct search *s, struct az_sv path, int64_t rank)
{
    for (size_t i = 0; i < s->in->search.n_filters; i++) {
        const struct az_sv f = s->in->search.filters[i];
        const int64_t wanted = s->in->search.filters_exact_rank ? filter_rank(s, f) : -1;
        if (wanted >= 0 ? wanted != rank : az_sv_find(path, f) < 0)
            return false;
    }
    return true;
}

/* The text around the rank, without folder, extensions and long numbers: "rank_0_step_8.json" ->
 * "step_8". */
static struct az_sv step_of(struct search *s, struct az_sv base, const struct az_rank_place *at)
{
    static const char *const ends[] = { ".gz", ".zst", ".json", ".trace", ".pt" };
    struct az_sv stem = base;
    char text[256] = "";
    size_t n = 0, digits = 0;
    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        if (az_sv_ends(stem, az_sv_str(ends[i])))
            stem.n -= strlen(ends[i]);
    for (size_t i = 0; i < stem.n && n < sizeof text - 1; i++) {
        if (i >= at->start && i < at->end)
            continue;
        digits = stem.p[i] >= '0' && stem.p[i] <= '9' ? digits + 1 : 0;
        text[n++] = stem.p[i];
        const bool last = i + 1 == stem.n || stem.p[i + 1] < '0' || stem.p[i + 1] > '9';
        if (digits >= LONG_NUMBER && last)
            n -= digits < n ? digits : n;
    }
    size_t from = 0;
    while (from < n && strchr("_-. ", text[from]))
        from++;
    while (n > from && strchr("_-. ", text[n - 1]))
        n--;
    return az_arena_dup(s->a, az_sv_make(text + from, n - from));
}

bool az_is_own_output(struct az_sv path)
{
    const struct az_sv base = az_path_base(path);
    if (!az_sv_ends(base, AZ_SV(".json")))
        return az_saved_kind(path.p) == AZ_SAVED_DATABASE || az_saved_is_history(path.p);
    if (az_sv_is(base, "replay.json") && az_sv_ends(az_path_dir(path), AZ_SV("_node_replay")))
        return true;
    return az_sv_is(base, "gates.json") || az_saved_kind(path.p) != AZ_SAVED_NONE;
}

/* A trace, in the folder it was found in: of a part that of the part file. */
static int take_trace(struct search *s, struct trace_file f, struct az_sv folder,
                      const struct az_rank_place *at)
{
    if (each_step(s->in) && f.rank >= 0)
        f.step = step_of(s, az_path_base(f.path), at);
    f.path = az_arena_dup(s->a, f.path);
    /* What is after base_dir in the folder's name. */
    struct az_sv tail = folder;
    const size_t skip = s->in->search.base_dir.n;
    tail = tail.n > skip ? az_sv_make(tail.p + skip, tail.n - skip) : AZ_SV("");
    while (tail.n && tail.p[0] == '/')
        tail = az_sv_make(tail.p + 1, tail.n - 1);
    f.group = tail.n ? az_path_join(s->a, s->base, tail) : s->base;
    if (!f.path.p || !f.group.p || !f.step.p)
        return az_arena_error(s->a);
    return az_vec_push(&s->files, f);
}

/* The ranks whose parts are in a file, as their traces. */
static int take_parts(struct search *s, struct az_sv path)
{
    struct az_part_places all;
    int rc;

    az_vec_init(&all, NULL);
    rc = az_part_list(path.p, s->a, &all, s->diag);
    for (size_t i = 0; rc == 0 && i < all.n; i++) {
        struct az_rank_place at = { 0, 0, 0, -1 };
        struct trace_file f = {
            .path = all.v[i].path, .step = AZ_SV(""), .rank = -1, .part = all.v[i]
        };
        if (az_rank_name_find(&s->name, az_path_base(f.path), &at))
            f.rank = at.rank;
        if (passes(s, f.path, f.rank))
            rc = take_trace(s, f, az_path_dir(path), &at);
    }
    az_vec_release(&all);
    return rc;
}

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct search *s = ctx;
    struct az_rank_place at = { 0, 0, 0, -1 };
    struct trace_file f = { .path = az_sv_str(path), .step = AZ_SV(""), .rank = -1 };

    if (az_cancelled(&s->c->cancel))
        return AZ_EINTR;
    if (info->kind == AZ_PATH_DIR)
        return az_folder_belongs(f.path);
    const bool unread = az_path_is_unread(info); /* a rank that fails */
    if (info->kind != AZ_PATH_FILE && !unread && is_kind(f.path, s->in->search.extension))
        az_passed_odd(path, info, s->diag);
    if (depth == 0 || (info->kind != AZ_PATH_FILE && !unread))
        return AZ_OK;
    if (az_sv_ends(f.path, AZ_SV(AZ_PART_ENDING)) && az_part_is(path))
        return take_parts(s, f.path);
    bool of_folder = false;
    if (az_rank_name_find_in(&s->name, f.path, &at, &of_folder))
        f.rank = at.rank;
    of_folder &= depth > 1;
    const bool wanted = is_kind(f.path, s->in->search.extension),
               passed = passes(s, f.path, f.rank);
    s->filtered += wanted && !passed;
    s->other_kind += !wanted && is_kind(f.path, AZ_SV("auto")) && !az_is_own_output(f.path);
    if (!wanted && passed)
        count_gz(s, f.path);
    if (!wanted || !passed || az_is_own_output(f.path))
        return AZ_OK;
    if (f.rank < 0 && az_passed_document(path, s->diag)) {
        s->documents++;
        return AZ_OK;
    }
    const struct az_sv folder = az_path_dir(f.path);
    return take_trace(s, f, of_folder ? az_path_dir(folder) : folder, &at);
}

static int by_run(const void *x, const void *y, void *ctx)
{
    const struct trace_file *a = x, *b = y;
    int c = az_sv_cmp(a->group, b->group);
    (void)ctx;
    c = c ? c : az_natural_cmp(a->step, b->step);
    if (c || a->rank == b->rank)
        return c ? c : az_natural_cmp(a->path, b->path);
    if (a->rank < 0 || b->rank < 0) /* without a rank: last */
        return a->rank < 0 ? 1 : -1;
    return a->rank < b->rank ? -1 : 1;
}

/* ---- messages ---- */

static void warn_gz(const struct search *s)
{
    if (s->other_gz)
        az_diag_add(s->diag, AZ_WARNING, AZ_AT_FILE(s->first_gz),
                    "skipped%s: traces must be *.json.gz files",
                    s->other_gz > 1 ? ", and others" : "");
}

/* A filter "rank_1" also matches rank_10 to rank_19. */
static void warn_filters(const struct search *s)
{
    for (size_t i = 0; i < s->in->search.n_filters && !s->in->search.filters_exact_rank; i++) {
        const struct az_sv filter = s->in->search.filters[i];
        const int64_t wanted = filter_rank(s, filter);
        const struct trace_file *other = NULL;
        size_t n = 0;
        for (size_t k = 0; wanted >= 0 && k < s->files.n; k++) {
            const struct trace_file *f = &s->files.v[k];
            if (f->rank < 0 || f->rank == wanted)
                continue;
            other = other ? other : f;
            n++;
        }
        if (n)
            az_diag_add(s->diag, AZ_WARNING, AZ_AT_FILE(other->path),
                        "filter '%.*s' also matches %zu file(s) of other ranks, this one first; "
                        "use --exact-rank (filters_exact_rank) for rank %lld only",
                        AZ_SVF(filter), n, (long long)wanted);
    }
}

static struct az_sv joined_filters(const struct search *s, const char *between)
{
    struct az_sv text = AZ_SV("");
    for (size_t i = 0; i < s->in->search.n_filters; i++)
        text = az_arena_printf(s->a, "%.*s%s%.*s", AZ_SVF(text), i ? between : "",
                               AZ_SVF(s->in->search.filters[i]));
    return text;
}

/* ---- from files to inputs ---- */

/* <folder>_<filters>[_<step>]_performance_report; a filter may contain a '/', a file name not. */
static struct az_sv stem_of(const struct search *s, const struct trace_file *f)
{
    const struct az_sv base = az_path_base(f->group);
    struct az_sv text = az_sv_is(base, "/") ? AZ_SV("root") : base;
    for (size_t i = 0; i < s->in->search.n_filters; i++) {
        char *filter = az_arena_str(s->a, s->in->search.filters[i]);
        for (char *c = filter; c && *c; c++)
            *c = *c == '/' ? '_' : *c;
        if (!filter)
            return (struct az_sv){ NULL, 0 };
        text = az_arena_printf(s->a, "%.*s_%s", AZ_SVF(text), filter);
    }
    if (f->step.n)
        text = az_arena_printf(s->a, "%.*s_%.*s", AZ_SVF(text), AZ_SVF(f->step));
    return az_arena_printf(s->a, "%.*s_" NAME_MIDDLE, AZ_SVF(text));
}

static struct az_sv title_of(const struct search *s, const struct trace_file *f, bool many)
{
    struct az_sv title = az_path_base(f->group);
    if (f->step.n)
        title = az_arena_printf(s->a, "%.*s %.*s", AZ_SVF(title), AZ_SVF(f->step));
    if (!s->in->title.n)
        return title;
    return many ? az_arena_printf(s->a, "%.*s %.*s", AZ_SVF(s->in->title), AZ_SVF(title))
                : s->in->title;
}

static int add_run(const struct search *s, const struct trace_file *files, size_t n, bool many)
{
    int rc = az_config_copy_input(s->out, s->in);
    if (rc)
        return rc;
    struct az_input *run = &s->out->v[s->out->n - 1];
    run->is_run = true;
    run->group = files->group;
    run->stem = stem_of(s, files);
    run->title = title_of(s, files, many);
    if (files->part.file.n && !s->in->title.n && !files->step.n) /* that of the traces' folder */
        run->title = az_path_base(az_path_dir(files->path));
    if (az_sv_is(run->format, "auto"))
        run->format = AZ_SV("pytorch");
    if (az_sv_is(run->opts.coll_sheets, "auto")) /* its users expect the older names */
        run->opts.coll_sheets = AZ_SV("historic");
    if (!run->stem.p || !run->title.p)
        return az_arena_error(s->a);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_part_place *p = &files[i].part;
        run->parts |= p->file.n > 0;
        if (p->format.n)
            run->format = p->format;
        rc = az_vec_push(&run->files, ((struct az_input_file){ .path = files[i].path,
                                                               .role = { "", 0 },
                                                               .part = p->file,
                                                               .at = p->at,
                                                               .length = p->length }));
    }
    return rc;
}

/* First file of the run after the one that begins at i. */
static size_t run_end(const struct search *s, size_t i)
{
    size_t k = i + 1;
    while (k < s->files.n && az_sv_eq(s->files.v[k].group, s->files.v[i].group) &&
           az_sv_eq(s->files.v[k].step, s->files.v[i].step))
        k++;
    return k;
}

/* A run: files first to end. */
struct run_place {
    size_t first, end;
    uint64_t dev, ino;
    bool real, alias; /* found without a link; the same folder as another one */
};

static int place_run(const struct search *s, struct az_sv real_base, size_t i,
                     struct run_place *out)
{
    const struct az_sv group = s->files.v[i].group,
                       tail = az_sv_make(group.p + s->base.n, group.n - s->base.n);
    const struct az_path_info info = az_path_stat(group.p);
    struct az_sv real, want = az_arena_printf(s->a, "%.*s%.*s", AZ_SVF(real_base), AZ_SVF(tail));
    int rc = az_path_canonical(s->a, group.p, &real);
    if (rc == AZ_ENOMEM || !want.p)
        return AZ_ENOMEM;
    *out = (struct run_place){
        i, run_end(s, i), info.dev, info.ino, rc == 0 && az_sv_eq(real, want), false
    };
    return AZ_OK;
}

/* The same folder by the names of links: read under its own name, or else the first. */
static int place_runs(const struct search *s, struct run_place *runs, size_t n)
{
    struct az_sv real_base = s->base;
    size_t i = 0, k = 0;
    int rc = az_path_canonical(s->a, s->base.p, &real_base);
    if (rc && rc != AZ_ENOMEM)
        rc = AZ_OK;
    for (; rc == 0 && k < n; k++, i = runs[k - 1].end)
        rc = place_run(s, real_base, i, &runs[k]);
    for (i = 0; rc == 0 && i < n; i++)
        for (k = 0; k < n; k++) {
            const bool same =
                runs[k].dev == runs[i].dev && runs[k].ino == runs[i].ino &&
                !az_sv_eq(s->files.v[runs[k].first].group, s->files.v[runs[i].first].group);
            runs[i].alias |= same && !runs[i].real && (runs[k].real || k < i);
        }
    return rc;
}

/* Titles that several runs would have become their folders' names as found. */
static void part_titles(const struct search *s, size_t first)
{
    for (size_t i = first; i < s->out->n; i++) {
        const struct az_sv same = s->out->v[i].title;
        bool again = false;
        for (size_t k = i + 1; k < s->out->n; k++)
            again |= az_sv_eq(s->out->v[k].title, same);
        for (size_t k = i; again && k < s->out->n; k++)
            if (az_sv_eq(s->out->v[k].title, same))
                s->out->v[k].title = az_path_dir(s->out->v[k].files.v[0].path);
    }
}

/* The name for the outputs of one run is the folder of those of several. */
static void write_into_folder(const struct search *s, size_t first)
{
    if (az_sv_eq(s->c->together, s->in->outputs.xlsx))
        s->c->together = AZ_SV("");
    if (az_sv_eq(s->c->outputs.xlsx, s->in->outputs.xlsx))
        s->c->outputs.xlsx = AZ_SV("");
    for (size_t i = first; i < s->out->n; i++) {
        s->out->v[i].outputs.dir = s->out->v[i].outputs.xlsx;
        s->out->v[i].outputs.xlsx = AZ_SV("");
    }
}

static int add_runs(const struct search *s)
{
    const size_t first = s->out->n;
    size_t n = 0, many = 0;
    for (size_t i = 0; i < s->files.n; i = run_end(s, i))
        n++;
    struct run_place *runs = az_arena_array(s->a, n, sizeof *runs);
    int rc = runs ? place_runs(s, runs, n) : az_arena_error(s->a);
    for (size_t i = 0; rc == 0 && i < n; i++)
        many += !runs[i].alias;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct trace_file *f = &s->files.v[runs[i].first];
        if (runs[i].alias)
            az_diag_add(s->diag, AZ_NOTE, AZ_AT_FILE(f->group),
                        "duplicate name of a folder that is already read");
        else
            rc = add_run(s, f, runs[i].end - runs[i].first, many > 1);
    }
    part_titles(s, first);
    if (rc == 0 && many > 1 && s->in->outputs.xlsx.n &&
        !az_sv_ends(s->in->outputs.xlsx, AZ_SV(".xlsx"))) {
        write_into_folder(s, first);
        return AZ_OK;
    }
    if (rc == 0 && many > 1 && s->in->outputs.xlsx.n)
        return az_diag_fail(s->diag, AZ_ECONFIG, place_of(s->in),
                            "one workbook '%.*s' for %zu runs below '%.*s'; select one with a "
                            "filter, or omit the name",
                            AZ_SVF(s->in->outputs.xlsx), many, AZ_SVF(s->in->search.base_dir));
    return rc;
}

/* An input that fails with this in its turn, next to the others. */
static int add_trouble(const struct search *s, struct az_sv why)
{
    int rc = az_config_copy_input(s->out, s->in);
    if (rc)
        return rc;
    struct az_input *in = &s->out->v[s->out->n - 1];
    in->trouble = why;
    in->format = AZ_SV("pytorch");
    if (!in->title.n)
        in->title = s->in->search.base_dir;
    return why.p ? AZ_OK : az_arena_error(s->a);
}

static struct az_sv nothing_found(const struct search *s)
{
    const struct az_sv e = s->in->search.extension;
    const bool gz = az_sv_is(e, "gz");
    const char *what = az_sv_is(e, "auto") ? "*.json or *.json.gz" : gz ? "*.json.gz" : "*.json";
    const struct az_sv filters = joined_filters(s, "', '");
    if (s->filtered)
        return az_arena_printf(
            s->a,
            "none of %zu %s files below this folder has '%.*s' in its path; change the filters",
            s->filtered, what, AZ_SVF(filters));
    if (s->documents)
        return az_arena_printf(s->a, "no %s file below this folder is a trace", what);
    if (s->other_kind)
        return az_arena_printf(
            s->a, "no %s file below this folder, but %zu %s file%s (extension, -e: %s)", what,
            s->other_kind, gz ? "*.json" : "*.json.gz", s->other_kind == 1 ? "" : "s",
            gz ? "json" : "gz");
    return az_arena_printf(s->a, "no %s file below this folder%s", what,
                           az_sv_is(e, "auto") ? "" : " (extension: json, gz or auto)");
}

/* The sessions of one folder: files first to end. */
static int part_folder(struct search *s, size_t first, size_t end)
{
    struct az_session_file *v = az_arena_array(s->a, end - first, sizeof *v);
    int rc = v ? AZ_OK : az_arena_error(s->a);
    for (size_t i = first; rc == 0 && i < end; i++) {
        const struct trace_file *f = &s->files.v[i];
        struct az_session_file *x = &v[i - first];
        *x = (struct az_session_file){ .path = f->path, .rank = f->rank };
        x->named = az_rank_name_find(&s->name, az_path_base(f->path), &x->at);
        if (f->part.file.n) /* parts were made of one run */
            return AZ_OK;
    }
    if (rc == 0)
        rc = az_rank_sessions_part(v, end - first, s->a);
    for (size_t i = first; rc == 0 && i < end; i++) {
        s->files.v[i].step = v[i - first].session;
        s->files.v[i].rank = v[i - first].rank;
    }
    return rc;
}

static int find_sessions(struct search *s)
{
    int rc = AZ_OK;
    for (size_t i = 0, end; rc == 0 && i < s->files.n; i = end) {
        end = run_end(s, i);
        rc = part_folder(s, i, end);
    }
    az_sort_cmp(s->files.v, s->files.n, sizeof *s->files.v, by_run, NULL, NULL);
    return rc;
}

static int search_folder(struct search *s)
{
    const struct az_walk w = { .follow_links = true, .aliases = true, .visit = visit, .ctx = s };
    const struct az_sv dir = s->in->search.base_dir;
    struct az_diag unread;
    int rc;

    if (az_path_stat(dir.p).kind != AZ_PATH_DIR)
        return add_trouble(s, az_path_stat(dir.p).kind == AZ_PATH_MISSING
                                  ? AZ_SV("no such folder")
                                  : AZ_SV("is not a folder"));
    az_diag_init(&unread);
    rc = az_path_walk(dir.p, &w, &unread);
    if (rc == AZ_EIO || rc == AZ_ERANGE) { /* this search only */
        struct az_sv why =
            unread.list.n ? unread.list.v[unread.list.n - 1].text : az_sv_str(az_err_text(rc));
        if (az_sv_starts(why, dir) && why.n > dir.n + 2)
            why = az_sv_make(why.p + dir.n + 2, why.n - dir.n - 2); /* "NAME: " would be repeated */
        rc = add_trouble(s, az_arena_dup(s->a, why));
        az_diag_release(&unread);
        return rc;
    }
    az_diag_append(s->diag, &unread);
    az_diag_release(&unread);
    az_sort_cmp(s->files.v, s->files.n, sizeof *s->files.v, by_run, NULL, NULL);
    if (!rc && (az_sv_is(s->in->opts.duplicate_rank, "error") || !s->in->opts.duplicate_rank.n))
        rc = find_sessions(s);
    if (rc)
        return rc;
    warn_gz(s);
    warn_filters(s);
    return s->files.n ? add_runs(s) : add_trouble(s, nothing_found(s));
}

static int search_one(struct az_config *c, const struct az_input *in, struct az_inputs *out,
                      struct az_diag *diag)
{
    struct search s = { .c = c, .a = &c->arena, .in = in, .diag = diag, .out = out };
    int rc = az_rank_name_init(&s.name, in->opts.rank_pattern, s.a, place_of(in), diag);

    if (rc)
        return rc;
    az_vec_init(&s.files, NULL);
    rc = az_path_absolute(s.a, in->search.base_dir, &s.base);
    if (rc == AZ_EIO)
        rc = az_diag_fail(diag, AZ_ECONFIG, place_of(in), "the current folder was removed");
    if (!rc)
        rc = search_folder(&s);
    az_vec_release(&s.files);
    az_rank_name_release(&s.name);
    return rc;
}

/* ---- listed files ---- */

/* The files of `paths` as runs of a step each: by the text around the rank, else by their folder.
 */
static int part_files(struct search *s)
{
    const struct az_input_files *listed = &s->in->files;
    int rc = az_rank_name_init(&s->name, s->in->opts.rank_pattern, s->a, place_of(s->in), s->diag);
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < listed->n; i++) {
        struct trace_file f = {
            .path = listed->v[i].path, .group = AZ_SV(""), .step = AZ_SV(""), .rank = -1
        };
        const struct az_sv base = az_path_base(f.path);
        struct az_rank_place at;
        if (az_rank_name_find(&s->name, base, &at)) {
            f.rank = at.rank;
            f.step = step_of(s, base, &at);
        }
        if (!f.step.n)
            f.step = az_path_base(az_path_dir(f.path));
        rc = f.step.p ? az_vec_push(&s->files, f) : az_arena_error(s->a);
    }
    az_rank_name_release(&s->name);
    az_sort_cmp(s->files.v, s->files.n, sizeof *s->files.v, by_run, NULL, NULL);
    return rc;
}

static int add_step(const struct search *s, size_t from, size_t end)
{
    int rc = az_config_copy_input(s->out, s->in);
    if (rc)
        return rc;
    struct az_input *run = &s->out->v[s->out->n - 1];
    const bool many = end - from < s->files.n;
    run->is_run = true;
    const struct az_sv step = s->files.v[from].step, title = s->in->title;
    if (many && az_sv_starts(az_path_base(s->in->files.v[0].path), title)) /* not set */
        run->title = step;
    else if (many)
        run->title = az_arena_printf(s->a, "%.*s %.*s", AZ_SVF(title), AZ_SVF(step));
    for (size_t i = from; rc == 0 && i < end; i++)
        rc = az_vec_push(&run->files,
                         ((struct az_input_file){ .path = s->files.v[i].path, .role = { "", 0 } }));
    return rc ? rc : run->title.p ? AZ_OK : az_arena_error(s->a);
}

static int part_steps(struct az_config *c, const struct az_input *in, struct az_inputs *out,
                      struct az_diag *diag)
{
    struct search s = { .c = c, .a = &c->arena, .in = in, .diag = diag, .out = out };
    az_vec_init(&s.files, NULL);
    int rc = part_files(&s);
    for (size_t i = 0; rc == 0 && i < s.files.n; i = run_end(&s, i))
        rc = add_step(&s, i, run_end(&s, i));
    if (rc == 0 && s.files.n && run_end(&s, 0) < s.files.n && in->outputs.xlsx.n)
        rc = az_diag_fail(diag, AZ_ECONFIG, place_of(in),
                          "one workbook '%.*s' for several steps; omit the name",
                          AZ_SVF(in->outputs.xlsx));
    az_vec_release(&s.files);
    return rc;
}

int az_plan_search(struct az_config *c, struct az_diag *diag)
{
    struct az_inputs out;
    size_t done = 0;
    int rc = AZ_OK;

    az_vec_init(&out, NULL);
    for (; !rc && done < c->inputs.n; done++) {
        struct az_input *in = &c->inputs.v[done];
        const bool search = in->search.base_dir.n && !in->is_run;
        if (!search && (!each_step(in) || in->files.n < 2 || in->is_run)) {
            rc = az_vec_push(&out, *in);
            if (rc)
                break; /* still in the old list */
            continue;
        }
        rc = search ? search_one(c, in, &out, diag) : part_steps(c, in, &out, diag);
        az_input_release(in);
    }
    for (; done < c->inputs.n; done++)
        az_input_release(&c->inputs.v[done]);
    az_vec_release(&c->inputs);
    c->inputs = out;
    if (rc == AZ_ENOMEM)
        az_diag_add(diag, AZ_ERROR, AZ_NOWHERE, "out of memory while searching for traces");
    return rc;
}
