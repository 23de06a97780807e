/* What a check of a folder skips: a file that is empty, truncated, garbage or not readable, a
 * pipe, a link to nothing, a folder of another profiler. Without a message it would seem to be
 * missing. */
#include "read/skipped_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/shared/unsupported_formats.h"
#include "io/oserror.h"
#include "io/path.h"
#include "io/source.h"
#include "read/internal.h"
#include "registry.h"

enum { MOST = 8, /* named, each with its reason */ HEAD = 65536 };

/* ".json", also of "trace.json.gz". */
static struct az_sv extension(struct az_sv path)
{
    const struct az_sv base = az_path_unpacked(az_path_base(path));

    for (size_t i = base.n; i > 1; i--)
        if (base.p[i - 1] == '.')
            return az_sv_make(base.p + i - 1, base.n - i + 1);
    return az_sv_make("", 0);
}

static bool among(const struct az_vec_sv *list, struct az_sv s)
{
    for (size_t i = 0; i < list->n; i++)
        if (az_sv_eq(list->v[i], s))
            return true;
    return false;
}

int az_passed_add_extension(struct az_vec_sv *known, struct az_sv path)
{
    const struct az_sv e = extension(path);
    return among(known, e) ? AZ_OK : az_vec_push(known, e);
}

/* How the files of profilers end, and what complete ones contain. LOOSE: much else ends so. */
static const struct {
    const char *ending;
    enum form { LOOSE, ONLY, JSON, TEXT, SQLITE } form;
} forms[] = {
    { ".json", JSON },  { ".csv", TEXT },      { ".sqlite", SQLITE },  { ".db", LOOSE },
    { ".db3", LOOSE },  { ".pftrace", ONLY },  { ".xplane.pb", ONLY }, { ".nsys-rep", ONLY },
    { ".qdrep", ONLY }, { ".perfetto", ONLY }, { ".ncu-rep", ONLY },
};

/* The row of a name; -1: profiles are not called so. */
static int row_of(struct az_sv path)
{
    path = az_path_unpacked(path);
    for (size_t i = 0; i < AZ_LENGTH(forms); i++)
        if (az_sv_ends(path, az_sv_str(forms[i].ending)))
            return (int)i;
    return -1;
}

static enum form form_of(struct az_sv path)
{
    const int row = row_of(path);
    return row < 0 ? LOOSE : forms[row].form;
}

/* Is a profile called so, in a folder with profiles of these extensions (NULL: with none)? */
static bool is_called(struct az_sv path, const struct az_vec_sv *known)
{
    return known ? form_of(path) != LOOSE || among(known, extension(path)) : row_of(path) >= 0;
}

/* Text, of whatever columns. */
static bool is_text(struct az_sv head)
{
    for (size_t i = 0; i < head.n; i++)
        if ((unsigned char)head.p[i] < ' ' && !memchr("\t\r\n\f", head.p[i], 4))
            return false;
    return true;
}

/* A small document that begins with a bracket ends with one. */
static bool is_json(struct az_sv head)
{
    const bool whole = head.n < HEAD;

    if (!is_text(head))
        return false;
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf")))
        head = az_sv_make(head.p + 3, head.n - 3);
    head = az_sv_trim(head);
    if (head.n == 0 || !strchr("{[\"/-0123456789tfn", head.p[0]))
        return false;
    return !whole || !strchr("{[", head.p[0]) || strchr("}]", head.p[head.n - 1]);
}

/* Is it whole and of its kind, if not a profile? */
static bool is_of_form(struct az_sv head, enum form form)
{
    switch (form) {
    case JSON:
        return is_json(head);
    case TEXT:
        return is_text(head);
    case SQLITE:
        return az_sv_starts(head, AZ_SV("SQLite format 3"));
    case ONLY:
        return false; /* nothing else is called so */
    default:
        return true;
    }
}

/* Of another profiler, or of more than one format? */
static bool is_claimed(struct az_sv head, struct az_sv path)
{
    bool any = az_foreign(head) != NULL;

    for (const struct az_format *const *f = az_formats; *f && !any; f++)
        any = (*f)->probe && (*f)->probe(head, path) > 0;
    return any;
}

/* Opens a file and reads its beginning. */
static int begin(struct az_source **src, const char *path, struct az_sv *head)
{
    const struct az_source_opts o = { .window = HEAD };
    int rc;

    *src = NULL;
    *head = AZ_SV("");
    rc = az_source_open(src, path, &o);
    return rc ? rc : az_source_peek(*src, HEAD, head);
}

/* Is there something to report of a file next to a profile: empty, truncated, garbage, not
 * readable? */
static bool is_odd(struct az_sv path)
{
    struct az_source *src;
    struct az_sv head;
    const int rc = begin(&src, path.p, &head);
    const bool odd = head.n == 0 || !is_of_form(head, form_of(path)) || is_claimed(head, path);
    az_source_close(src);
    return odd || rc;
}

static void report_skipped(struct az_diag *diag, struct az_sv path, const char *what)
{
    az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(path), "skipped: %s", what);
}

static void report_file(struct az_diag *diag, struct az_sv path)
{
    const struct az_format *none;
    struct az_diag why;

    az_diag_init(&why);
    const int rc = az_format_probe_found(path.p, &none, NULL, &why);
    if (rc == AZ_OK)
        az_diag_add(diag, AZ_ERROR, AZ_AT_FILE(path),
                    "file skipped: not readable during the search; run again");
    for (size_t i = 0; rc && i < why.list.n; i++)
        az_diag_add(diag, AZ_WARNING, AZ_NOWHERE, "file skipped: %.*s", AZ_SVF(why.list.v[i].text));
    az_diag_release(&why);
}

void az_passed_odd(const char *path, const struct az_path_info *info, struct az_diag *diag)
{
    const struct az_sv p = az_sv_str(path);
    struct stat st;
    char text[128];

    if (info->kind == AZ_PATH_OTHER)
        report_skipped(diag, p, "pipe, socket or device; name it as an operand to read it");
    else if (info->kind != AZ_PATH_MISSING)
        return;
    else if (info->error == ENOENT && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        report_skipped(diag, p, "broken link");
    else
        az_diag_add(diag, az_path_is_unread(info) ? AZ_ERROR : AZ_WARNING, AZ_AT_FILE(p),
                    "cannot read: %s", az_errno_text(info->error, text));
}

/* Is there a text in what is left of a file? True, too, where it cannot be read. */
static bool mentions(struct az_source *src, struct az_sv what)
{
    struct az_sv chunk = { "", 0 };
    char edge[64] = ""; /* the end of a chunk, then the beginning of the next */
    size_t n = 0;
    int rc;

    while ((rc = az_source_next(src, &chunk)) == AZ_OK && chunk.n) {
        const size_t most = what.n - 1, more = chunk.n < most ? chunk.n : most;
        memcpy(edge + n, chunk.p, more);
        if (az_sv_find(az_sv_make(edge, n + more), what) >= 0 || az_sv_find(chunk, what) >= 0)
            return true;
        const struct az_sv last =
            chunk.n < most ? az_sv_make(edge, n + more) : az_sv_make(chunk.p, chunk.n);
        n = last.n < most ? last.n : most;
        memmove(edge, last.p + last.n - n, n);
    }
    return rc != AZ_OK;
}

bool az_passed_document(const char *path, struct az_diag *diag)
{
    const struct az_sv p = az_sv_str(path);
    struct az_source *src;
    struct az_sv head;

    if (form_of(p) != JSON)
        return false;
    const int rc = begin(&src, path, &head);
    const bool is = rc == AZ_OK && is_json(head) && !is_claimed(head, p) &&
                    !mentions(src, AZ_SV("\"traceEvents\""));
    az_source_close(src);
    if (is)
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(p),
                    "skipped: no 'traceEvents' in this JSON, and no rank in its name");
    return is;
}

bool az_skip_is_profile_name(struct az_sv path) { return form_of(path) != LOOSE; }

/* Whatever it is called: rows of something. */
static bool is_database(struct az_sv path)
{
    struct az_source *src;
    struct az_sv head;
    const int rc = begin(&src, path.p, &head);
    const bool is = rc == AZ_OK && az_sv_starts(head, AZ_SV("SQLite format 3"));
    az_source_close(src);
    return is;
}

/* Is this to be named? Reports it if `diag` is not NULL. */
static bool report_one(struct az_sv path, const struct az_vec_sv *known, struct az_diag *diag)
{
    const char *foreign = az_foreign_folder(az_path_base(path));
    const struct az_path_info info = az_path_stat(path.p);

    if (info.kind == AZ_PATH_DIR && foreign && diag)
        report_skipped(diag, path, foreign);
    if (info.kind == AZ_PATH_DIR)
        return foreign != NULL;
    if (!is_called(path, known) && !(row_of(path) >= 0 && is_database(path)))
        return false;
    if (info.kind != AZ_PATH_FILE && diag)
        az_passed_odd(path.p, &info, diag);
    if (info.kind != AZ_PATH_FILE)
        return true;
    if (az_is_own_output(path) || (known && !is_odd(path)))
        return false;
    if (diag)
        report_file(diag, path);
    return true;
}

void az_passed_report(const struct az_vec_sv *paths, const struct az_vec_sv *known,
                      struct az_sv folder, struct az_diag *diag)
{
    size_t n = 0;

    for (size_t i = 0; i < paths->n; i++)
        n += report_one(paths->v[i], known, n < MOST ? diag : NULL);
    if (n > MOST)
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(folder),
                    "%zu more files named like profiles skipped: not profiles", n - MOST);
}

struct search {
    const char *found;
};

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct search *l = ctx;

    (void)depth;
    if (info->kind == AZ_PATH_DIR && !l->found)
        l->found = az_foreign_folder(az_path_base(az_sv_str(path)));
    return 1; /* this folder only */
}

const char *az_passed_foreign(struct az_sv folder)
{
    struct search l = { NULL };
    const struct az_walk w = { .visit = visit, .ctx = &l };
    struct az_diag silent;
    struct az_arena a;
    struct az_sv whole = { "", 0 };

    az_arena_init(&a, NULL);
    az_diag_init(&silent);
    if (az_path_absolute(&a, folder, &whole) == AZ_OK)
        l.found = az_foreign_folder(az_path_base(whole));
    if (!l.found && az_path_walk(folder.p, &w, &silent) != AZ_OK)
        l.found = NULL;
    az_diag_release(&silent);
    az_arena_release(&a);
    return l.found;
}
