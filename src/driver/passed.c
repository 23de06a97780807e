/* What a quick look at a folder passes over: a file that is empty, cut, garbage or not readable, a
 * pipe, a link to nothing, a folder of another profiler. Silence would take it for nothing. */
#include "driver/passed.h"

#include <string.h>

#include "driver/internal.h"
#include "formats/foreign.h"
#include "io/source.h"
#include "registry.h"

enum { MOST = 8, /* named, each with its reason */ HEAD = 4096 };

/* ".json", also of "trace.json.gz". */
static struct az_sv extension(struct az_sv path)
{
    struct az_sv base = az_path_base(path);

    if (az_sv_ends(base, AZ_SV(".gz")))
        base.n -= 3;
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

int az_passed_know(struct az_vec_sv *known, struct az_sv path)
{
    const struct az_sv e = extension(path);
    return among(known, e) ? AZ_OK : az_vec_push(known, e);
}

/* How the files of profilers end, and what those begin with that are whole. */
static const struct {
    const char *extension;
    enum { ANY, JSON, TEXT, SQLITE } form;
} forms[] = {
    { ".json", JSON },    { ".csv", TEXT },  { ".sqlite", SQLITE }, { ".db", SQLITE },
    { ".db3", SQLITE },   { ".pb", ANY },    { ".pftrace", ANY },   { ".nsys-rep", ANY },
    { ".perfetto", ANY }, { ".qdrep", ANY },
};

/* The row of a name; -1: profiles are not called so. */
static int form_of(struct az_sv path)
{
    for (size_t i = 0; i < AZ_LENGTH(forms); i++)
        if (az_sv_is(extension(path), forms[i].extension))
            return (int)i;
    return -1;
}

/* Two lines of text, each of several columns. */
static bool is_table(struct az_sv head)
{
    size_t columns[2] = { 0, 0 }, line = 0;

    for (size_t i = 0; i < head.n && line < 2; i++) {
        const char c = head.p[i];
        if ((unsigned char)c < ' ' && c != '\t' && c != '\r' && c != '\n')
            return false;
        columns[line] += c == ',' || c == ';' || c == '\t';
        line += c == '\n';
    }
    return columns[0] > 0 && columns[1] > 0;
}

/* Is it of its kind, if not a profile? */
static bool is_of_form(struct az_sv head, int row)
{
    switch (forms[row].form) {
    case JSON:
        head = az_sv_trim(head);
        return head.n && strchr("{[\"/\xef", head.p[0]) != NULL;
    case TEXT:
        return is_table(head);
    case SQLITE:
        return az_sv_starts(head, AZ_SV("SQLite format 3"));
    default:
        return false; /* nothing else is called so */
    }
}

static bool is_damaged(struct az_sv path, int row)
{
    const struct az_source_opts o = { .window = HEAD };
    struct az_source *src = NULL;
    struct az_sv head = { "", 0 };
    int rc = az_source_open(&src, path.p, &o);

    if (rc == AZ_OK)
        rc = az_source_peek(src, HEAD, &head);
    const bool damaged = (rc && head.n == 0) || !is_of_form(head, row);
    az_source_close(src);
    return damaged;
}

static void say(struct az_diag *diag, struct az_sv path, const char *what, const char *which)
{
    az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(path), "%s: %s is skipped", what, which);
}

static void report_file(struct az_diag *diag, struct az_sv path)
{
    const struct az_format *none;
    struct az_diag why;

    az_diag_init(&why);
    const int rc = az_format_probe(path.p, &none, NULL, &why);
    for (size_t i = 0; rc && i < why.list.n; i++)
        az_diag_add(diag, AZ_WARNING, AZ_NOWHERE, "%.*s: the file is skipped",
                    AZ_SVF(why.list.v[i].text));
    az_diag_release(&why);
}

void az_passed_odd(const char *path, const struct az_path_info *info, struct az_diag *diag)
{
    const struct az_sv p = az_sv_str(path);

    if (form_of(p) >= 0 && info->kind == AZ_PATH_OTHER)
        say(diag, p, "is a pipe, socket or device (name it itself to have it read)", "it");
    else if (form_of(p) >= 0 && info->kind == AZ_PATH_MISSING)
        say(diag, p, "is a link to what is not there", "it");
}

/* Is this to be named? Says it if `diag` is given. */
static bool report_one(struct az_sv path, const struct az_vec_sv *known, struct az_diag *diag)
{
    const char *foreign = az_foreign_folder(az_path_base(path));
    const int form = form_of(path);
    const struct az_path_info info = az_path_stat(path.p);
    const bool called = known && among(known, extension(path));

    if (info.kind == AZ_PATH_DIR && foreign && diag)
        say(diag, path, foreign, "the folder");
    if (info.kind == AZ_PATH_DIR)
        return foreign != NULL;
    if (info.kind != AZ_PATH_FILE && diag)
        az_passed_odd(path.p, &info, diag);
    if (info.kind != AZ_PATH_FILE)
        return form >= 0;
    if (az_is_own_output(path) || !(called || (form >= 0 && (!known || is_damaged(path, form)))))
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
                    "%zu more files with names of profiles are skipped: they are none", n - MOST);
}

struct look {
    const char *found;
};

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct look *l = ctx;

    (void)depth;
    if (info->kind == AZ_PATH_DIR && !l->found)
        l->found = az_foreign_folder(az_path_base(az_sv_str(path)));
    return 1; /* this folder only */
}

const char *az_passed_foreign(struct az_sv folder)
{
    struct look l = { NULL };
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
