/* `analyzer reduce`: parts (and traces) of a run as one input; part files merged to one. */
#include "base/sort.h"
#include "io/outfile.h"
#include "io/sections.h"
#include "read/rank_name.h"
#include "run/map.h"

/* ---- a run ---- */

struct member {
    struct az_input_file file;
    struct az_sv format;
    int64_t rank; /* by its name; -1: none */
};
AZ_VEC(struct member, members);

struct run {
    struct az_config *c;
    struct members v;
    struct az_rank_name name;
    struct az_diag *diag;
};

static int add_member(struct run *r, struct member x)
{
    struct az_rank_place at;
    x.rank = az_rank_name_find(&r->name, az_path_base(x.file.path), &at) ? at.rank : -1;
    x.file.role = AZ_SV("");
    return az_vec_push(&r->v, x);
}

static int by_rank(const void *x, const void *y, void *ctx)
{
    const struct member *a = x, *b = y;
    (void)ctx;
    if (a->rank != b->rank) {
        if (a->rank < 0 || b->rank < 0)
            return a->rank < 0 ? 1 : -1;
        return a->rank < b->rank ? -1 : 1;
    }
    const int c = az_natural_cmp(a->file.path, b->file.path);
    if (c)
        return c;
    const int d = az_sv_cmp(a->file.part, b->file.part);
    return d ? d : a->file.at < b->file.at ? -1 : a->file.at > b->file.at;
}

/* The same file named twice. */
static void drop_repeats(struct members *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (i == 0 || by_rank(&v->v[n - 1], &v->v[i], NULL) != 0)
            v->v[n++] = v->v[i];
    v->n = n;
}

static int collect(struct run *r, const char *const *paths, size_t n)
{
    const struct az_map_opts find = { .path = paths, .n = n };
    struct az_part_places parts;
    struct az_map_files traces;
    int rc;

    az_vec_init(&parts, NULL);
    az_vec_init(&traces, NULL);
    rc = az_map_find(r->c, &find, &traces, &parts, r->diag);
    for (size_t i = 0; rc == 0 && i < parts.n; i++) {
        const struct az_part_place *p = &parts.v[i];
        rc = add_member(
            r, (struct member){
                   .file = { .path = p->path, .part = p->file, .at = p->at, .length = p->length },
                   .format = p->format });
    }
    for (size_t i = 0; rc == 0 && i < traces.n; i++)
        rc = add_member(r, (struct member){ .file = { .path = traces.v[i].path },
                                            .format = traces.v[i].format });
    az_vec_release(&traces);
    az_vec_release(&parts);
    return rc;
}

/* A damaged part is identified by its name only: "rank_3.json-12345678.part". */
static struct az_sv trace_base(const struct member *x)
{
    const struct az_sv base = az_path_base(x->file.path);
    const size_t behind = 9 + sizeof AZ_PART_ENDING - 1;
    return x->file.part.n && az_sv_eq(x->file.part, x->file.path) && base.n > behind
               ? az_sv_make(base.p, base.n - behind)
               : AZ_SV("");
}

/* Of the traces that are expected, those of which nothing is there. */
static int add_expected(struct run *r, const char *list)
{
    struct az_arena *a = &r->c->arena;
    const struct az_sv file = az_arena_dup(a, az_sv_str(list));
    struct az_vec_sv names;
    struct az_intern have;
    int rc = 0;
    az_intern_init(&have, a, NULL);

    az_vec_init(&names, NULL);
    for (size_t i = 0; rc == 0 && i < r->v.n; i++) {
        uint32_t id;
        const struct az_sv base = trace_base(&r->v.v[i]);
        rc = az_intern(&have, base.n ? base : r->v.v[i].file.path, &id);
    }
    if (rc == 0)
        rc = file.p ? az_part_list_file(list, a, &names, r->diag) : az_arena_error(a);
    for (size_t i = 0; rc == 0 && i < names.n; i++) {
        struct az_sv path;
        rc = az_path_absolute(a, names.v[i], &path);
        if (rc == 0 && az_intern_find(&have, path) == AZ_NO_ID &&
            az_intern_find(&have, az_path_base(path)) == AZ_NO_ID)
            rc = add_member(
                r, (struct member){ .file = { .path = path, .part = file }, .format = AZ_SV("") });
    }
    az_vec_release(&names);
    az_intern_release(&have);
    return rc;
}

static int one_format(struct run *r, struct az_sv *format)
{
    const struct az_sv *first = NULL;
    for (size_t i = 0; i < r->v.n; i++) {
        const struct az_sv own = r->v.v[i].format;
        if (own.n && first && !az_sv_eq(own, *first))
            return az_diag_fail(r->diag, AZ_EUSAGE, AZ_AT_FILE(r->v.v[i].file.path),
                                "is '%.*s', other ranks are '%.*s'; use one format per run",
                                AZ_SVF(own), AZ_SVF(*first));
        first = own.n && !first ? &r->v.v[i].format : first;
    }
    *format =
        first ? *first : AZ_SV("pytorch"); /* nothing of any can be read, which each reports */
    return AZ_OK;
}

/* Where the reports are: the folder that was named, or that of the first file. */
static int folder_of(struct az_arena *a, const char *path, struct az_sv *out)
{
    const struct az_sv p = az_sv_str(path);
    const bool folder = az_path_stat(path).kind == AZ_PATH_DIR;
    struct az_sv dir = folder ? p : az_path_dir(p);
    dir = az_arena_dup(a, dir);
    return dir.p ? az_path_absolute(a, dir, out) : az_arena_error(a);
}

static int make_input(struct run *r, const char *path)
{
    struct az_arena *a = &r->c->arena;
    struct az_input *in = NULL;
    int rc = az_config_add_input(r->c, &in);

    if (rc == 0)
        rc = one_format(r, &in->format);
    if (rc == 0)
        rc = folder_of(a, path, &in->group);
    if (rc)
        return rc;
    in->is_run = in->parts = true;
    in->outputs.overwrite = true;
    in->outputs.dir = in->group;
    if (!in->title.n)
        in->title = az_path_base(az_path_dir(r->v.v[0].file.path));
    if (az_sv_is(in->opts.coll_sheets, "auto")) /* as the ranks of a search are reported */
        in->opts.coll_sheets = AZ_SV("historic");
    in->stem = az_arena_printf(a, "%.*s_performance_report", AZ_SVF(in->title));
    for (size_t i = 0; rc == 0 && i < r->v.n; i++)
        rc = az_vec_push(&in->files, r->v.v[i].file);
    return rc ? rc : in->stem.p ? AZ_OK : az_arena_error(a);
}

int az_plan_reduce(struct az_config *c, const char *const *paths, size_t n, const char *expected,
                   struct az_diag *diag)
{
    struct run r = { .c = c, .diag = diag };
    int rc = az_rank_name_init(&r.name, c->quick.opts.rank_pattern, &c->arena, AZ_NOWHERE, diag);
    if (rc)
        return rc;
    az_vec_init(&r.v, NULL);
    rc = collect(&r, paths, n);
    if (rc == 0 && expected)
        rc = add_expected(&r, expected);
    if (rc == 0 && r.v.n == 0)
        rc = az_diag_fail(diag, AZ_EUSAGE, AZ_AT_FILE(az_sv_str(paths[0])),
                          "contains neither parts nor traces; write parts with analyzer map");
    az_sort_cmp(r.v.v, r.v.n, sizeof *r.v.v, by_rank, NULL, NULL);
    if (rc == 0) {
        drop_repeats(&r.v);
        rc = make_input(&r, paths[0]);
    }
    az_vec_release(&r.v);
    az_rank_name_release(&r.name);
    return rc;
}

/* ---- one file of several ---- */

/* A part with the reason why there is none. */
static int failure(struct az_outfile *out, struct az_sv path, const char *why)
{
    struct az_vec_char image;
    struct az_arena a;
    az_arena_init(&a, NULL);
    az_vec_init(&image, NULL);
    const struct az_sv text = az_arena_printf(&a, "%.*s: %s", AZ_SVF(path), why);
    struct az_message m = { AZ_ERROR, text };
    const struct az_input_rank x = { .about = { .rank = -1, .path = path, .world_size = -1 },
                                     .by_name = -1,
                                     .state = AZ_RANK_FAILED,
                                     .error = AZ_EFORMAT,
                                     .messages = &m,
                                     .n_messages = 1,
                                     .errors = 1 };
    const int rc = text.p ? az_part_image(NULL, &x, &image, NULL) : AZ_ENOMEM;
    if (rc == 0)
        az_outfile_write(out, image.v, image.n);
    az_vec_release(&image);
    az_arena_release(&a);
    return rc;
}

static const char *look_through(struct az_sv image)
{
    struct az_sections s;
    const char *why = az_sections_open(&s, image);
    for (size_t i = 0; !why && i < s.n; i++)
        why = az_sections_at(&s, i).sound ? NULL : "is damaged";
    return why;
}

static int merge_one(struct az_outfile *out, const struct az_input_file *f, size_t *bad,
                     struct az_diag *diag)
{
    struct az_vec_char image;
    const char *why;
    int rc = AZ_OK;

    if (!f->length) {
        ++*bad;
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(f->path), "has no part");
        return failure(out, f->path, "has no part; check whether its task was stopped, and map it");
    }
    az_vec_init(&image, NULL);
    rc = az_sections_read(f->part.p, f->at, f->length, &image, diag);
    why = rc ? "cannot be read" : look_through(az_text_view(&image));
    if (why && rc != AZ_ENOMEM) {
        ++*bad;
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(f->part), "the part %s (map it again)", why);
        struct az_arena a;
        az_arena_init(&a, NULL);
        const struct az_sv words = az_arena_printf(&a, "the part %s (map it again)", why);
        rc = words.p ? failure(out, f->path, words.p) : AZ_ENOMEM;
        az_arena_release(&a);
    } else if (rc == 0) {
        az_outfile_write(out, image.v, image.n);
    }
    az_vec_release(&image);
    return rc;
}

int az_parts_merge(struct az_config *c, const char *out, const struct az_log *log)
{
    const struct az_input *in = &c->inputs.v[0];
    struct az_diag diag;
    struct az_outfile *f = NULL;
    size_t bad = 0;
    int rc;

    az_diag_init(&diag);
    rc = az_outfile_open(&f, out, &diag);
    for (size_t i = 0; rc == 0 && i < in->files.n; i++) {
        if (!in->files.v[i].part.n)
            rc = az_diag_fail(&diag, AZ_EUSAGE, AZ_AT_FILE(in->files.v[i].path),
                              "is a trace, not a part; map it first");
        else
            rc = merge_one(f, &in->files.v[i], &bad, &diag);
    }
    if (rc == 0)
        rc = az_outfile_commit(f);
    else if (f)
        az_outfile_abort(f);
    az_diag_print(&diag, log);
    const bool printed = diag.errors > 0;
    az_diag_release(&diag);
    if (rc && !printed)
        az_log_line(log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    return rc == AZ_ENOMEM   ? AZ_EXIT_INTERNAL
           : rc == AZ_EUSAGE ? AZ_EXIT_USAGE
           : rc || bad       ? AZ_EXIT_PARTIAL
                             : AZ_EXIT_OK;
}
