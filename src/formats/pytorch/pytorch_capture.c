#include "formats/pytorch/pytorch_capture.h"

#include <inttypes.h>

#include "base/num.h"
#include "base/sort.h"
#include "io/path.h"

#define DETAILS       "execution_details.json"
#define DETAILS_BYTES ((size_t)16 << 20)

struct capture_file {
    struct az_sv path; /* NUL-terminated */
    struct az_pytorch_shape shape;
    int64_t rank; /* -1: unknown */
};
AZ_VEC(struct capture_file, capture_files);

struct folder {
    struct az_parse *job;
    struct az_arena arena;
    struct az_sv path;
    struct capture_files files;
    struct az_map listed; /* hash of a canonical path -> place in files */
};

/* ---- names ---- */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* The number after the last whole word `word` and one of "_", "-", "=" or nothing; -1: none. */
static int64_t number_after(struct az_sv text, const char *word)
{
    const size_t n = strlen(word);
    int64_t v;
    for (size_t i = text.n; i-- > 0;) {
        size_t at = i + n, end;
        if (at >= text.n || !az_sv_ieq(az_sv_make(text.p + i, n), az_sv_str(word)) ||
            (i > 0 && is_letter(text.p[i - 1])))
            continue;
        at += at < text.n && strchr("_-=", text.p[at]) != NULL;
        for (end = at; end < text.n && is_digit(text.p[end]);)
            end++;
        if (end > at && az_parse_i64(az_sv_make(text.p + at, end - at), &v) == 0)
            return v;
    }
    return -1;
}

static enum az_capture_mode mode_of(struct az_sv text)
{
    return az_sv_ifind(text, AZ_SV("piecewise")) >= 0 ? AZ_CAPTURE_PIECEWISE
           : az_sv_ifind(text, AZ_SV("full")) >= 0    ? AZ_CAPTURE_FULL
                                                      : AZ_CAPTURE_ANY;
}

struct az_pytorch_shape az_pytorch_shape_of(struct az_sv text)
{
    static const char *const words[] = { "capture", "bs", "batch_size", "batchsize", "batch" };
    struct az_pytorch_shape s = { .batch = -1, .mode = mode_of(text) };
    for (size_t i = 0; s.batch < 0 && i < AZ_LENGTH(words); i++)
        s.batch = number_after(text, words[i]);
    return s;
}

int64_t az_pytorch_rank_of(struct az_sv path)
{
    static const char *const words[] = { "rank", "tp", "dp" };
    int64_t rank = -1;
    for (size_t i = 0; rank < 0 && i < AZ_LENGTH(words); i++)
        rank = number_after(az_path_base(path), words[i]);
    for (size_t i = 0; rank < 0 && i < AZ_LENGTH(words); i++)
        rank = number_after(path, words[i]);
    return rank;
}

/* ---- what cannot be read ---- */
/* A capture that cannot be read is one less; the trace itself has nothing to do with it. */
static bool is_of_file(int rc)
{
    return rc == AZ_EIO || rc == AZ_EFORMAT || rc == AZ_EEMPTY || rc == AZ_ERANGE;
}

/* What was reported of a file of the folder; gives `messages` back. */
static void as_warnings(struct folder *f, struct az_diag *messages, int rc)
{
    for (size_t i = 0; i < messages->list.n; i++) {
        struct az_message *m = &messages->list.v[i];
        if (is_of_file(rc) && m->severity == AZ_ERROR)
            az_diag_add(f->job->diag, AZ_WARNING, AZ_NOWHERE, "%.*s", AZ_SVF(m->text));
        else
            az_diag_add(f->job->diag, m->severity, AZ_NOWHERE, "%.*s", AZ_SVF(m->text));
    }
    az_diag_release(messages);
}

/* Where its shape is known no larger capture replaces it: a root without launches. */
static int put_unread(struct folder *f, const struct capture_file *c)
{
    struct az_optrace *o = az_optrace(f->job->trace);
    o->grafted.unread++;
    if (c->shape.batch < 0)
        return 0;
    return az_vec_push(
        &o->captures.roots,
        ((struct az_capture_root){ .batch = c->shape.batch, .mode = (uint8_t)c->shape.mode }));
}

/* ---- files ---- */
static int add_file(struct folder *f, struct az_sv path, struct az_pytorch_shape shape)
{
    struct capture_file c = { .path = path, .shape = shape };
    uint32_t *place;
    bool added;
    if (!path.p)
        return az_arena_error(&f->arena);
    struct az_sv same = path; /* one file may have several names */
    if (az_path_canonical(&f->arena, path.p, &same) != 0)
        same = path;
    const int rc = az_map_put(&f->listed, az_hash(same.p, same.n), same.n, (uint32_t)f->files.n,
                              &place, &added);
    if (rc)
        return rc;
    if (!added) { /* one file of several shapes: its annotations distinguish them */
        struct az_pytorch_shape *old = &f->files.v[*place].shape;
        old->batch = old->batch == shape.batch ? shape.batch : -1;
        old->mode = old->mode == shape.mode ? shape.mode : AZ_CAPTURE_ANY;
        return 0;
    }
    if (az_sv_starts(path, f->path)) /* whose own name is not the file's */
        path = az_sv_make(path.p + f->path.n, path.n - f->path.n);
    c.rank = az_pytorch_rank_of(path);
    return az_vec_push(&f->files, c);
}

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct folder *f = ctx;
    const struct az_sv name = az_sv_str(path);
    (void)depth;
    if (info->kind != AZ_PATH_FILE || az_sv_is(az_path_base(name), DETAILS) ||
        (!az_sv_ends(name, AZ_SV(".json")) && !az_sv_ends(name, AZ_SV(".json.gz"))))
        return 0;
    return add_file(f, az_arena_dup(&f->arena, name), az_pytorch_shape_of(az_path_base(name)));
}

static struct az_sv unquoted(struct az_sv raw)
{
    return raw.n >= 2 && raw.p[0] == '"' ? az_sv_make(raw.p + 1, raw.n - 2) : raw;
}

/* A name of the list: of a file in the folder, also where the list was made elsewhere. */
static struct az_sv listed(struct folder *f, struct az_sv name)
{
    const struct az_sv path = az_path_join(&f->arena, f->path, name),
                       base = az_path_join(&f->arena, f->path, az_path_base(name));
    return path.p && base.p && az_path_stat(path.p).kind != AZ_PATH_FILE &&
                   az_path_stat(base.p).kind == AZ_PATH_FILE
               ? base
               : path;
}

static int no_list(struct folder *f, struct az_sv path)
{
    az_diag_add(f->job->diag, AZ_WARNING, AZ_AT_FILE(path),
                "no list of captures; using their names and annotations");
    return AZ_EFORMAT;
}

/* [{"file": ..., "batch_size": 32, "mode": "FULL"}, ...] */
static int read_details(struct folder *f, struct az_sv path, struct az_sv text)
{
    struct az_jview list, object;
    struct az_sv item, key, value;
    const size_t before = f->files.n;
    size_t items = 0;
    int rc = 0;
    if (!az_jview_array(&list, az_sv_trim(text)))
        return no_list(f, path);
    for (; rc == 0 && az_jview_next(&list, &item); items++) {
        struct az_pytorch_shape shape = { .batch = -1 };
        struct az_sv file = { "", 0 };
        if (!az_jview_object(&object, item))
            continue;
        while (az_jview_member(&object, &key, &value)) {
            if (az_sv_is(key, "file"))
                file = az_json_unescape(&f->arena, unquoted(value));
            else if (az_sv_is(key, "mode"))
                shape.mode = mode_of(unquoted(value));
            else if (az_sv_is(key, "batch_size") &&
                     az_parse_i64(unquoted(value), &shape.batch) != 0)
                shape.batch = -1;
        }
        rc = file.n ? add_file(f, listed(f, file), shape) : 0;
    }
    const bool whole = az_sv_is(az_sv_trim(list.rest), "]");
    return rc || (whole && (items == 0 || f->files.n > before)) ? rc : no_list(f, path);
}

/* AZ_EFORMAT, AZ_EIO: the list cannot be read, which was reported. */
static int list_by_details(struct folder *f, struct az_sv details)
{
    struct az_diag messages;
    az_diag_init(&messages);
    const struct az_source_opts so = { .mem = f->job->mem, .diag = &messages };
    struct az_source *src;
    struct az_sv text;
    int rc = az_source_open(&src, details.p, &so);
    if (rc == 0) {
        rc = az_source_all(src, &f->arena, DETAILS_BYTES, &text);
        az_source_close(src);
    }
    as_warnings(f, &messages, rc);
    return rc ? rc : read_details(f, details, text);
}

static int list_files(struct folder *f)
{
    const struct az_sv details = az_path_join(&f->arena, f->path, AZ_SV(DETAILS));
    if (!details.p)
        return az_arena_error(&f->arena);
    if (az_path_stat(details.p).kind == AZ_PATH_FILE) {
        const int rc = list_by_details(f, details);
        if (!is_of_file(rc))
            return rc;
    }
    return az_path_walk(f->path.p,
                        &(struct az_walk){ .follow_links = true, .visit = visit, .ctx = f },
                        f->job->diag);
}

/* The rank that the name of the trace's folder has; -1: none. */
static int64_t rank_of_folder(struct folder *f)
{
    struct az_sv path = f->job->files[0].path;
    if (az_path_absolute(&f->arena, path, &path) != 0)
        return -1;
    return az_pytorch_rank_of(az_path_base(az_path_dir(path)));
}

/* One folder for all ranks has files of each: those of this one, else of the lowest. */
static void keep_rank(struct folder *f)
{
    const struct az_trace *t = f->job->trace;
    int64_t best = -1, mine = t->rank;
    if (mine < 0)
        mine = az_pytorch_rank_of(az_path_base(f->job->files[0].path));
    if (mine < 0)
        mine = rank_of_folder(f);
    size_t n = 0;
    for (size_t i = 0; i < f->files.n; i++) {
        const int64_t r = f->files.v[i].rank;
        if (r >= 0 && (best < 0 || r == mine || (best != mine && r < best)))
            best = r;
    }
    if (best >= 0 && mine >= 0 && best != mine)
        az_diag_add(f->job->diag, AZ_NOTE, AZ_AT_FILE(f->path),
                    "no graph captures of rank %" PRId64 ": those of rank %" PRId64 " are used",
                    mine, best);
    for (size_t i = 0; i < f->files.n; i++)
        if (f->files.v[i].rank < 0 || f->files.v[i].rank == best)
            f->files.v[n++] = f->files.v[i];
    f->files.n = n;
}

/* ---- reading ---- */
static int read_file(struct folder *f, const struct capture_file *c, size_t *found, bool *truncated)
{
    const struct az_file file = { .path = c->path };
    const struct az_pytorch_tuning tuning = { .split_min = INT64_MAX,
                                              .captured = true,
                                              .truncated = truncated };
    struct az_trace t;
    struct az_parse job = *f->job;
    struct az_diag messages;
    *found = 0;
    *truncated = false;
    int rc = az_trace_init(&t, f->job->mem);
    if (rc)
        return rc;
    az_diag_init(&messages);
    job.diag = &messages;
    t.path = c->path;
    job.files = &file;
    job.n_files = 1;
    job.trace = &t;
    job.progress = NULL;
    job.digests = NULL;
    rc = az_pytorch_parse(&job, &tuning);
    if (rc == 0)
        rc = az_trace_finalize(&t);
    if (rc == 0)
        rc = az_pytorch_capture_read(f->job->trace, &t, c->shape, found);
    az_trace_release(&t);
    as_warnings(f, &messages, rc);
    return rc;
}

static int take_file(struct folder *f, const struct capture_file *c)
{
    size_t found = 0;
    bool truncated;
    if (az_path_stat(c->path.p).kind != AZ_PATH_FILE) { /* listed only */
        az_diag_add(f->job->diag, AZ_WARNING, AZ_AT_FILE(c->path),
                    "missing graph capture; kernels of its graphs remain graph launches");
        return put_unread(f, c);
    }
    const int rc = read_file(f, c, &found, &truncated);
    if (is_of_file(rc))
        return put_unread(f, c);
    if (rc || (found && (!truncated || c->shape.batch >= 0)))
        return rc;
    if (found) /* the shapes of the rest are unknown */
        return az_vec_push(&az_optrace(f->job->trace)->captures.roots,
                           ((struct az_capture_root){ .batch = -1 }));
    az_diag_add(f->job->diag, AZ_WARNING, AZ_AT_FILE(c->path),
                "no graph capture in this trace, skipped");
    return put_unread(f, c);
}

static int by_shape(const void *a, const void *b, void *ctx)
{
    const struct az_capture_root *x = a, *y = b;
    (void)ctx;
    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    return x->mode < y->mode ? -1 : x->mode > y->mode;
}

static int read_folder(struct folder *f)
{
    struct az_capture_roots *roots = &az_optrace(f->job->trace)->captures.roots;
    int rc = list_files(f);
    if (rc)
        return rc;
    keep_rank(f);
    for (size_t i = 0; rc == 0 && i < f->files.n; i++)
        rc = take_file(f, &f->files.v[i]);
    size_t usable = 0;
    for (size_t i = 0; i < roots->n; i++)
        usable += roots->v[i].n_launches > 0;
    if (rc == 0 && usable == 0)
        az_diag_add(f->job->diag, AZ_WARNING, AZ_AT_FILE(f->path),
                    "no graph capture in this folder; kernels of graphs remain graph launches");
    else if (rc == 0) /* two reports of a trace differ by it */
        az_trace_fact(
            f->job->trace, "graph captures",
            az_arena_printf(&f->job->trace->arena, "%zu of %zu files", usable, f->files.n));
    az_sort_cmp(roots->v, roots->n, sizeof *roots->v, by_shape, NULL, f->job->mem);
    return rc;
}

/* The folder next to the trace; of a trace in a folder of its rank also the one next to that. */
static struct az_sv find_folder(struct folder *f)
{
    const struct az_sv dir = az_path_dir(f->job->files[0].path),
                       path = az_path_join(&f->arena, dir, AZ_SV(AZ_PYTORCH_CAPTURE_FOLDER));
    if (!path.p || az_path_stat(path.p).kind == AZ_PATH_DIR || rank_of_folder(f) < 0)
        return path;
    return az_path_join(&f->arena, az_sv_is(dir, ".") ? AZ_SV("..") : az_path_dir(dir),
                        AZ_SV(AZ_PYTORCH_CAPTURE_FOLDER));
}

/* The folder that is named for this trace; empty: none. A second trace has its own. */
static struct az_sv named_folder(const struct az_parse *job)
{
    const struct az_sv other = job->opts->comparison_json_path;

    return other.n && az_sv_eq(job->files[0].path, other) ? job->opts->comparison_capture_folder
                                                          : job->opts->capture_folder;
}

static int read_captures(struct folder *f)
{
    struct az_parse *job = f->job;
    const bool named = named_folder(job).n > 0;
    f->path = named ? az_arena_dup(&f->arena, named_folder(job)) : find_folder(f);
    if (!f->path.p)
        return az_arena_error(&f->arena);
    const enum az_path_kind kind = az_path_stat(f->path.p).kind;
    if (kind == AZ_PATH_DIR)
        return read_folder(f);
    return named ? az_diag_fail(job->diag, AZ_EIO, AZ_AT_FILE(f->path),
                                "%s; name the folder with the traces of the graph captures "
                                "(capture_folder)",
                                kind == AZ_PATH_MISSING ? "no such folder" : "is not a folder")
                 : 0;
}

int az_pytorch_captures(struct az_parse *job)
{
    struct folder f = { .job = job };
    if (!az_trace_has_call(job->trace, AZ_SV("graphlaunch")))
        return 0;
    az_arena_init(&f.arena, job->mem);
    az_vec_init(&f.files, job->mem);
    az_map_init(&f.listed, job->mem, 64);
    int rc = read_captures(&f);
    az_map_release(&f.listed);
    az_vec_release(&f.files);
    az_arena_release(&f.arena);
    return rc;
}
