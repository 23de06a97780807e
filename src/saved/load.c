/* What a saved result is, and reading it whole. */
#include "saved/load.h"

#include "document/table_kinds.h"
#include "io/path.h"

#define HEAD       4096  /* bytes that distinguish a result JSON from others */
#define PAGES      65536 /* in which the schema of a history is */
#define MAX_TABLES 4096

/* An object with a schema of ours; elsewhere the same words are somebody's text. */
static bool looks_like_json(struct az_sv head)
{
    const struct az_sv key = AZ_SV("\"schema\"");
    const struct az_sv text = az_sv_trim(head);
    const ptrdiff_t at = az_sv_find(text, key);

    if (!text.n || *text.p != '{' || at < 0)
        return false;
    struct az_sv value = az_sv_make(text.p + at + key.n, text.n - (size_t)at - key.n);
    value = az_sv_trim(value);
    if (!az_sv_starts(value, AZ_SV(":")))
        return false;
    value = az_sv_trim(az_sv_make(value.p + 1, value.n - 1));
    return az_sv_starts(value, AZ_SV("\"analyzer-result/")) ||
           az_sv_starts(value, AZ_SV("\"analyzer-comparison/"));
}

/* A zip file, with the name of a part that only workbooks have near its start, or a workbook's
 * name; an encrypted one, by its name alone, so that it is reported. */
static bool looks_like_book(const char *path, struct az_sv head)
{
    const bool named = az_sv_ends(az_sv_str(path), AZ_SV(".xlsx"));

    if (named && az_sv_starts(head, AZ_SV("\xd0\xcf\x11\xe0")))
        return true;
    if (named && az_sv_starts(head, AZ_SV("PK\003\004")))
        return true;
    return az_sv_starts(head, AZ_SV("PK\003\004")) &&
           (az_sv_find(head, AZ_SV("[Content_Types].xml")) >= 0 ||
            az_sv_find(head, AZ_SV("xl/")) >= 0);
}

static bool looks_like_database(struct az_sv head)
{
    static const char id[] = { 'A', 'Z', 'L', 'Y' }; /* AZ_DATABASE_ID */
    return head.n >= AZ_DATABASE_AT + sizeof id && memcmp(head.p, "SQLite format 3", 16) == 0 &&
           memcmp(head.p + AZ_DATABASE_AT, id, sizeof id) == 0;
}

static enum az_saved kind_of(const char *path, struct az_sv head)
{
    head.n = head.n < HEAD ? head.n : HEAD;
    return looks_like_json(head)         ? AZ_SAVED_JSON
           : looks_like_database(head)   ? AZ_SAVED_DATABASE
           : looks_like_book(path, head) ? AZ_SAVED_BOOK
                                         : AZ_SAVED_NONE;
}

static enum az_saved kind_of_file(const char *path)
{
    struct az_source_opts o = { .window = HEAD };
    enum az_saved kind = AZ_SAVED_NONE;
    struct az_sv head = { "", 0 };
    struct az_source *src = NULL;
    int rc = az_source_open(&src, path, &o);

    if (!rc)
        rc = az_source_peek(src, HEAD, &head);
    if (head.n)
        kind = kind_of(path, head);
    az_source_close(src);
    (void)rc; /* what cannot be opened is none */
    return kind;
}

static bool looks_like_history(struct az_sv head)
{
    return az_sv_starts(head, AZ_SV("SQLite format 3")) &&
           az_sv_find(head, AZ_SV("CREATE TABLE sample(run_id INTEGER REFERENCES run(id)")) >= 0;
}

struct az_sv az_saved_name(struct az_sv path)
{
    struct az_sv name = az_path_stem(path);
    const struct az_sv tail = AZ_SV(AZ_REPORT_SUFFIX);

    if (name.n > tail.n && az_sv_ends(name, tail))
        name.n -= tail.n;
    return name;
}

bool az_saved_is_history(const char *path)
{
    struct az_source_opts o = { .window = PAGES };
    struct az_sv head = { "", 0 };
    struct az_source *src = NULL;
    int rc = az_source_open(&src, path, &o);

    if (!rc)
        rc = az_source_peek(src, PAGES, &head);
    const bool is = !rc && looks_like_history(head);
    az_source_close(src);
    return is;
}

const char *az_saved_why_no_profile(const char *path, struct az_sv head)
{
    if (kind_of(path, head) != AZ_SAVED_NONE)
        return "is a result, not a profile; use analyzer compare";
    return looks_like_history(head) ? "is a history, not a profile; use analyzer history" : NULL;
}

/* The CSV files of a folder; `names` gets their paths. */
static int csv_files(struct az_arena *a, const char *folder, struct az_vec_sv *names)
{
    struct az_sv glob = az_arena_printf(a, "%s/*.csv", folder);
    size_t n = strlen(folder);

    /* a folder's own name may contain characters of globs */
    if (glob.p && az_path_is_glob(az_sv_make(folder, n))) {
        char *p = az_arena_alloc(a, 4 * n + 8);
        size_t at = 0;
        for (size_t i = 0; p && i < n; i++) {
            bool special = strchr("*?[", folder[i]) != NULL;
            if (special)
                p[at++] = '[';
            p[at++] = folder[i];
            if (special)
                p[at++] = ']';
        }
        if (p)
            memcpy(p + at, "/*.csv", 7);
        glob = p ? az_sv_str(p) : (struct az_sv){ NULL, 0 };
    }
    return glob.p ? az_path_glob(a, glob, names) : az_arena_error(a);
}

static enum az_saved kind_of_folder(const char *path)
{
    enum az_saved kind = AZ_SAVED_NONE;
    struct az_vec_sv names;
    struct az_arena a;
    int rc;

    az_arena_init(&a, NULL);
    az_vec_init(&names, NULL);
    rc = csv_files(&a, path, &names);
    for (size_t i = 0; !rc && i < names.n && kind == AZ_SAVED_NONE; i++)
        if (az_compare_has_spec(az_path_stem(names.v[i])))
            kind = AZ_SAVED_TABLES;
    az_vec_release(&names);
    az_arena_release(&a);
    return kind;
}

enum az_saved az_saved_kind(const char *path)
{
    switch (az_path_stat(path).kind) {
    case AZ_PATH_FILE:
        return kind_of_file(path);
    case AZ_PATH_DIR:
        return kind_of_folder(path);
    case AZ_PATH_MISSING:
    case AZ_PATH_OTHER:
        break;
    }
    return AZ_SAVED_NONE;
}

static int load_folder(struct az_document *doc, const char *path, bool *partial,
                       struct az_diag *diag)
{
    struct az_vec_sv names;
    int rc, failed = AZ_OK;

    az_vec_init(&names, doc->mem);
    rc = csv_files(doc->arena, path, &names);
    if (!rc && names.n > MAX_TABLES)
        rc = az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(az_sv_str(path)),
                          "%zu CSV files are not a result of one run", names.n);
    for (size_t i = 0; !rc && i < names.n; i++) {
        struct az_csv_file f = { .name = names.v[i] };
        int one = az_load_csv(doc, az_path_stem(names.v[i]), &f, diag);
        failed = one ? one : failed;
        if (one == AZ_ENOMEM || one == AZ_ELIMIT)
            rc = one;
    }
    az_vec_release(&names);
    *partial = !rc && doc->tables.n > 0;
    if (!rc && !failed && doc->tables.n == 0)
        failed = az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(az_sv_str(path)), "contains no table");
    return rc ? rc : failed;
}

static int load_file(struct az_document *doc, const char *path, struct az_diag *diag,
                     int (*load)(struct az_document *doc, struct az_sv bytes, struct az_sv name,
                                 struct az_diag *diag))
{
    struct az_source_opts o = { .mem = doc->mem, .diag = diag };
    struct az_sv bytes = { "", 0 };
    struct az_source *src = NULL;
    size_t before = diag->errors;
    int rc = az_source_open(&src, path, &o);

    if (!rc)
        rc = az_source_all(src, doc->arena, 0, &bytes);
    if (rc && diag->errors == before)
        rc = rc == AZ_ENOMEM || rc == AZ_ELIMIT
                 ? az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), doc->mem)
                 : az_diag_fail(diag, rc, AZ_AT_FILE(az_sv_str(path)), "cannot read: %s",
                                az_err_text(rc));
    if (!rc)
        rc = load(doc, bytes, az_sv_str(path), diag);
    az_source_close(src);
    return rc;
}

int az_load_saved(struct az_document *doc, enum az_saved kind, const char *path, bool *partial,
                  struct az_diag *diag)
{
    int rc;

    *partial = false;
    doc->input = az_arena_dup(doc->arena, az_sv_str(path));
    switch (kind) {
    case AZ_SAVED_JSON:
        return load_file(doc, path, diag, az_load_json);
    case AZ_SAVED_TABLES:
        rc = load_folder(doc, path, partial, diag);
        doc->format = AZ_SV("tables");
        return rc;
    case AZ_SAVED_DATABASE:
        return az_load_database(doc, path, diag);
    case AZ_SAVED_BOOK:
        rc = load_file(doc, path, diag, az_load_xlsx);
        *partial = rc && doc->tables.n > 0;
        doc->format = AZ_SV("workbook");
        return rc;
    case AZ_SAVED_NONE:
        break;
    }
    return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(az_sv_str(path)), "not an analyzer result");
}
