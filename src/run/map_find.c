/* The traces that `analyzer map` is to read: operands, folders below them, lists. */
#include "base/sort.h"
#include "io/sections.h"
#include "read/rank_name.h"
#include "read/skipped_files.h"
#include "run/map.h"

struct finding {
    struct az_config *c;
    struct az_map_files *out;
    struct az_part_places *parts; /* NULL: not requested */
    struct az_map_files odd;      /* of folders: not recognized */
    struct az_diag *diag;
    struct az_diag mute;
};

/* Can a file of this format be a rank? The others are parts of one trace. */
static bool has_ranks(const struct az_format *f, struct az_sv path)
{
    return f->ranks_reduced || f->files_are_hosts || f->one_file ||
           (f->files_are_ranks && (!f->is_rank || f->is_rank(path)));
}

static int add_file(struct finding *f, struct az_sv path, bool of_folder)
{
    struct az_arena *a = &f->c->arena;
    const struct az_format *format = NULL;
    struct az_map_file x = { .format = AZ_SV("") };
    int rc = az_path_absolute(a, path, &x.path);

    if (rc)
        return rc;
    if (f->parts && az_part_is(x.path.p))
        return az_part_list(x.path.p, a, f->parts, f->diag);
    if (f->parts && az_sv_ends(x.path, AZ_SV(AZ_PART_ENDING))) /* not even its beginning is one */
        return az_vec_push(f->parts,
                           ((struct az_part_place){ .path = x.path,
                                                    .format = AZ_SV(""),
                                                    .file = x.path,
                                                    .length = az_path_stat(x.path.p).size + 1,
                                                    .failed = true }));
    if (of_folder && (az_part_is(x.path.p) || az_saved_kind(x.path.p) != AZ_SAVED_NONE))
        return AZ_OK;
    x.size = az_path_stat(x.path.p).size;
    if (!az_sv_is(f->c->quick.format, "auto"))
        x.format = f->c->quick.format;
    else {
        rc = of_folder ? az_format_probe_found(x.path.p, &format, NULL, &f->mute)
                       : az_format_probe(x.path.p, &format, NULL, &f->mute);
        if (rc == AZ_ENOMEM) /* or a rank would be skipped */
            return rc;
        if (rc == AZ_OK)
            x.format = az_sv_str(format->name);
    }
    if (format && !has_ranks(format, x.path)) {
        if (of_folder)
            return AZ_OK;
        return az_diag_fail(f->diag, AZ_EUSAGE, AZ_AT_FILE(x.path),
                            "format '%s' has no ranks: several files are one trace", format->name);
    }
    return az_vec_push(of_folder && !x.format.n ? &f->odd : f->out, x);
}

/* How files end that can be ranks (has_ranks). */
static bool is_called_rank(struct az_sv path)
{
    static const char *const ends[] = { ".json",   ".json.gz",  ".pftrace",  ".pftrace.gz",
                                        ".sqlite", ".nsys-rep", ".xplane.pb" };
    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        if (az_sv_ends(path, az_sv_str(ends[i])))
            return true;
    return false;
}

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct finding *f = ctx;
    (void)depth;
    if (az_cancelled(&f->c->cancel))
        return AZ_EINTR;
    if (info->kind == AZ_PATH_DIR)
        return az_folder_belongs(az_sv_str(path));
    if (az_path_is_unread(info) && is_called_rank(az_sv_str(path))) /* a rank that fails */
        return add_file(f, az_sv_str(path), false);
    if (info->kind != AZ_PATH_FILE && is_called_rank(az_sv_str(path)))
        az_passed_odd(path, info, f->diag);
    return info->kind == AZ_PATH_FILE ? add_file(f, az_sv_str(path), true) : AZ_OK;
}

static int add_path(struct finding *f, struct az_sv path)
{
    const struct az_walk w = { .follow_links = true, .visit = visit, .ctx = f };
    struct az_vec_sv found;
    int rc;

    if (az_path_stat(path.p).kind == AZ_PATH_DIR)
        return az_path_walk(path.p, &w, f->diag);
    if (az_path_stat(path.p).kind != AZ_PATH_MISSING || !az_path_is_glob(path))
        return add_file(
            f, path,
            false); /* one that is missing fails as a rank, and has a part with that error */
    az_vec_init(&found, NULL);
    rc = az_path_glob(&f->c->arena, path, &found);
    if (rc == 0 && found.n == 0)
        rc = az_diag_fail(f->diag, AZ_EUSAGE, AZ_AT_FILE(path), "no file matches");
    for (size_t i = 0; rc == 0 && i < found.n; i++)
        rc = add_path(f, found.v[i]);
    az_vec_release(&found);
    return rc;
}

int az_part_list_file(const char *path, struct az_arena *a, struct az_vec_sv *out,
                      struct az_diag *diag)
{
    struct az_vec_char text;
    int rc;
    az_vec_init(&text, NULL);
    rc = az_sections_read(path, 0, UINT64_MAX, &text, diag);
    struct az_sv rest = az_text_view(&text);
    while (rc == 0 && rest.n) {
        const struct az_sv line = az_sv_trim(az_sv_cut(&rest, '\n'));
        const struct az_sv own = line.n ? az_arena_dup(a, line) : line;
        if (line.n)
            rc = own.p ? az_vec_push(out, own) : az_arena_error(a);
    }
    az_vec_release(&text);
    return rc;
}

static int by_path(const void *x, const void *y, void *ctx)
{
    (void)ctx;
    return az_natural_cmp(((const struct az_map_file *)x)->path,
                          ((const struct az_map_file *)y)->path);
}

/* A file in whose name digits differ only from that of one that was recognized is one of its ranks:
 * it fails, and is not skipped. */
static int add_odd(struct finding *f)
{
    struct az_arena *a = &f->c->arena;
    struct az_rank_name name;
    const size_t n = f->out->n;
    int rc = az_rank_name_init(&name, f->c->quick.opts.rank_pattern, a, AZ_NOWHERE, f->diag);

    if (rc || !f->odd.n || !n) {
        if (!rc)
            az_rank_name_release(&name);
        return rc;
    }
    struct az_sv *like = az_arena_array(a, n, sizeof *like);
    for (size_t k = 0; like && k < n; k++)
        like[k] = az_group_without_rank(a, &name, f->out->v[k].path);
    for (size_t i = 0; like && rc == 0 && i < f->odd.n; i++) {
        const struct az_sv own = az_group_without_rank(a, &name, f->odd.v[i].path);
        size_t k = 0;
        while (k < n && !(own.n && az_sv_eq(own, like[k])))
            k++;
        if (k == n)
            continue;
        f->odd.v[i].format = f->out->v[k].format;
        rc = az_vec_push(f->out, f->odd.v[i]);
    }
    az_rank_name_release(&name);
    return like ? rc : az_arena_error(a);
}

/* What was named and is not recognized: of the format of the others, else by its name. */
static void guess_formats(struct az_map_files *v)
{
    struct az_sv format = AZ_SV("pytorch");
    for (size_t i = v->n; i-- > 0;)
        format = v->v[i].format.n ? v->v[i].format : format;
    for (size_t i = 0; i < v->n; i++)
        if (!v->v[i].format.n)
            v->v[i].format = format;
}

int az_map_find(struct az_config *c, const struct az_map_opts *m, struct az_map_files *out,
                struct az_part_places *parts, struct az_diag *diag)
{
    struct finding f = { .c = c, .out = out, .parts = parts, .diag = diag };
    struct az_vec_sv listed;
    size_t n = 0;
    int rc = AZ_OK;

    az_diag_init(&f.mute);
    az_vec_init(&f.odd, NULL);
    az_vec_init(&listed, NULL);
    for (size_t i = 0; rc == 0 && i < m->n; i++)
        rc = add_path(&f, az_sv_str(m->path[i]));
    if (rc == 0 && m->list)
        rc = az_part_list_file(m->list, &c->arena, &listed, diag);
    for (size_t i = 0; rc == 0 && i < listed.n; i++)
        rc = add_file(&f, listed.v[i], false);
    if (rc == 0)
        rc = add_odd(&f);
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_path, NULL, NULL);
    for (size_t i = 0; rc == 0 && i < out->n; i++)
        if (i == 0 || !az_sv_eq(out->v[i].path, out->v[n - 1].path))
            out->v[n++] = out->v[i];
    out->n = rc ? out->n : n;
    if (rc == 0 && n == 0 && !parts)
        rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "no trace of a supported format");
    guess_formats(out);
    az_vec_release(&listed);
    az_vec_release(&f.odd);
    az_diag_release(&f.mute);
    return rc;
}
