/* Which results a path names, and reading them. */
#include "run/baseline_load.h"

#include <errno.h>
#include <string.h>

#include "document/table_kinds.h"
#include "io/path.h"

/* ---- what CSV tables do not contain ---- */

static unsigned direction_of(enum az_unit u)
{
    if (u >= AZ_UNIT_PS && u <= AZ_UNIT_S)
        return AZ_LOWER_BETTER;
    return u == AZ_UNIT_GBPS || u == AZ_UNIT_TBPS || u == AZ_UNIT_TFLOPS ? AZ_HIGHER_BETTER : 0;
}

/* Sets a flag on the columns of a list of ids ("a=b|c?|d*"); true if any is there. */
static bool flag_columns(struct az_table *t, const char *list, bool keys)
{
    struct az_sv rest = az_sv_str(list);
    bool any = false;

    while (rest.n) {
        struct az_sv one = az_sv_cut(&rest, '|');
        bool start = az_sv_ends(one, AZ_SV("*"));
        one.n -= one.n && (start || az_sv_ends(one, AZ_SV("?")));
        ptrdiff_t at = start ? -1 : az_compare_column(t, one);
        for (size_t c = 0; c < t->columns.n; c++) {
            struct az_column *col = &t->columns.v[c];
            if (start ? !az_sv_starts(col->stem, one) : (ptrdiff_t)c != at)
                continue;
            col->flags |= keys ? AZ_KEY : direction_of(col->unit);
            any = true;
        }
    }
    return any;
}

static void guess_columns(struct az_table *t)
{
    const struct az_compare_spec *spec = az_compare_spec_of(t->id, t);
    bool keys = spec->keys && flag_columns(t, spec->keys, true);
    bool values = spec->values && flag_columns(t, spec->values, false);

    for (size_t c = 0; c < t->columns.n; c++) {
        struct az_column *col = &t->columns.v[c];
        if (!keys && (col->type == AZ_TEXT || col->unit == AZ_UNIT_ID))
            col->flags |= AZ_KEY;
        if (!values && (col->type == AZ_INT || col->type == AZ_REAL))
            col->flags |= direction_of(col->unit);
    }
}

void az_saved_guess(struct az_document *doc)
{
    for (size_t i = 0; i < doc->tables.n; i++)
        guess_columns(doc->tables.v[i]);
}

/* ---- reading ---- */

static void free_doc(struct az_saved_doc *d)
{
    az_document_release(&d->doc);
    az_arena_release(&d->arena);
    az_mem_free(NULL, d, sizeof *d);
}

void az_saved_release(struct az_saved_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free_doc(l->v[i]);
    az_vec_release(l);
}

/* Of several inputs, or between results: no result of a run. */
static bool is_comparison(const struct az_document *doc)
{
    return az_sv_starts(doc->schema, AZ_SV("analyzer-comparison")) ||
           az_document_table(doc, "configurations");
}

static int read_one(const char *path, enum az_saved kind, struct az_saved_list *out,
                    struct az_diag *diag)
{
    struct az_saved_doc *d = az_mem_alloc(NULL, sizeof *d);
    bool partial = false;
    int rc;

    if (!d)
        return az_diag_memory(diag, AZ_ENOMEM, AZ_AT_FILE(az_sv_str(path)), NULL);
    *d = (struct az_saved_doc){ .mtime = az_path_stat(path).mtime_ns / 1000000000 };
    az_mem_init(&d->mem, 0);
    az_arena_init(&d->arena, &d->mem);
    az_document_init(&d->doc, &d->arena);
    d->path = az_arena_dup(&d->arena, az_sv_str(path));
    rc = az_load_saved(&d->doc, kind, path, &partial, diag);
    if (kind == AZ_SAVED_TABLES || kind == AZ_SAVED_BOOK)
        az_saved_guess(&d->doc);
    d->title = kind == AZ_SAVED_BOOK                        ? az_saved_name(d->path)
               : kind == AZ_SAVED_TABLES || !d->doc.title.n ? az_path_base(d->path)
                                                            : d->doc.title;
    if (!rc && is_comparison(&d->doc)) {
        free_doc(d);
        return AZ_OK;
    }
    if (!rc)
        rc = az_vec_push(out, d);
    if (rc)
        free_doc(d);
    return rc;
}

/* Members of a folder by a glob below it. */
static int members(struct az_arena *a, const char *dir, const char *pattern,
                   struct az_vec_sv *names)
{
    struct az_vec_char glob;
    int rc = AZ_OK;

    az_vec_init(&glob, NULL);
    for (const char *p = dir; !rc && *p; p++) /* a folder's name may contain glob characters */
        rc = strchr("*?[", *p) ? az_text_printf(&glob, "[%c]", *p) : az_vec_push(&glob, *p);
    if (!rc)
        rc = az_text_append(&glob, az_sv_str(pattern));
    if (!rc)
        rc = az_path_glob(a, az_text_view(&glob), names);
    az_vec_release(&glob);
    return rc;
}

static int read_kind(const struct az_vec_sv *names, enum az_saved kind, struct az_saved_list *out,
                     struct az_diag *diag)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < names->n; i++)
        if (az_saved_kind(names->v[i].p) == kind)
            rc = read_one(names->v[i].p, kind, out, diag);
    return rc;
}

static int read_folder(struct az_arena *a, const char *path, struct az_saved_list *out,
                       struct az_diag *diag)
{
    struct az_vec_sv names;
    size_t before = out->n;
    int rc;

    az_vec_init(&names, NULL);
    rc = members(a, path, "/*.json", &names);
    if (!rc)
        rc = read_kind(&names, AZ_SAVED_JSON, out, diag);
    az_vec_reset(&names);
    if (!rc && out->n == before)
        rc = members(a, path, "/*/", &names);
    if (!rc && out->n == before) {
        for (size_t i = 0; i < names.n; i++) { /* "dir/name/": the name without its slash */
            struct az_sv s = names.v[i];
            while (s.n > 1 && s.p[s.n - 1] == '/')
                s.n--;
            names.v[i] = az_arena_dup(a, s);
        }
        rc = a->failed ? az_arena_error(a) : read_kind(&names, AZ_SAVED_TABLES, out, diag);
    }
    az_vec_release(&names);
    return rc;
}

static int read_path(struct az_arena *a, const char *path, struct az_saved_list *out,
                     struct az_diag *diag)
{
    enum az_saved kind = az_saved_kind(path);
    struct az_path_info info = az_path_stat(path);

    if (info.kind == AZ_PATH_MISSING && errno != ENOENT)
        return az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot read: %s",
                            strerror(errno));
    if (info.kind == AZ_PATH_MISSING)
        return az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "no such file or folder");
    if (kind == AZ_SAVED_NONE && info.kind == AZ_PATH_DIR)
        return read_folder(a, path, out, diag);
    if (kind == AZ_SAVED_NONE)
        return AZ_OK;
    return read_one(path, kind, out, diag);
}

bool az_saved_is(const char *path)
{
    struct az_saved_list l;
    struct az_diag diag;
    bool is = az_saved_kind(path) != AZ_SAVED_NONE;

    if (is || az_path_stat(path).kind != AZ_PATH_DIR)
        return is;
    az_diag_init(&diag); /* a folder of results: by reading it, which a gate does anyway */
    az_vec_init(&l, NULL);
    is = az_saved_collect(path, &l, &diag) == AZ_OK;
    az_saved_release(&l);
    az_diag_release(&diag);
    return is;
}

int az_saved_collect(const char *path, struct az_saved_list *out, struct az_diag *diag)
{
    struct az_vec_sv names;
    struct az_arena a;
    size_t before = out->n;
    int rc = AZ_OK;

    az_arena_init(&a, NULL);
    az_vec_init(&names, NULL);
    if (az_path_is_glob(az_sv_str(path)) && az_path_stat(path).kind == AZ_PATH_MISSING)
        rc = az_path_glob(&a, az_sv_str(path), &names);
    else
        rc = az_vec_push(&names, az_arena_dup(&a, az_sv_str(path)));
    for (size_t i = 0; !rc && i < names.n; i++)
        rc = names.v[i].p ? read_path(&a, names.v[i].p, out, diag) : AZ_ENOMEM;
    if (!rc && out->n == before)
        rc = az_diag_fail(
            diag, AZ_EFORMAT, AZ_AT_FILE(az_sv_str(path)),
            "contains no result; use a result JSON, a folder of CSV tables, or a folder of these");
    az_vec_release(&names);
    az_arena_release(&a);
    return rc;
}
