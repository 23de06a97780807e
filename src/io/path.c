/* Names: parts, joining, canonical form, stat, mkdir -p, and the sorted entries of a folder. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"
#include "io/fs_errors.h"
#include "io/names.h"
#include "io/oserror.h"

/* ---- parts ---- */

static size_t without_slashes(struct az_sv p, size_t n)
{
    while (n > 1 && p.p[n - 1] == '/')
        n--;
    return n;
}

struct az_sv az_path_base(struct az_sv path)
{
    path.n = without_slashes(path, path.n);
    size_t i = path.n;
    if (path.n == 1 && path.p[0] == '/')
        return path;
    while (i > 0 && path.p[i - 1] != '/')
        i--;
    return path.n ? az_sv_make(path.p + i, path.n - i) : path;
}

struct az_sv az_path_dir(struct az_sv path)
{
    size_t n = without_slashes(path, path.n);
    while (n > 0 && path.p[n - 1] != '/')
        n--;
    if (n == 0)
        return AZ_SV(".");
    return az_sv_make(path.p, without_slashes(path, n));
}

struct az_sv az_path_unpacked(struct az_sv path)
{
    static const char *const ends[] = { ".gz", ".zst" };
    for (size_t i = 0; i < AZ_LENGTH(ends); i++) {
        const struct az_sv end = az_sv_str(ends[i]);
        if (path.n > end.n && az_sv_ieq(az_sv_make(path.p + path.n - end.n, end.n), end))
            return az_sv_make(path.p, path.n - end.n);
    }
    return path;
}

struct az_sv az_path_stem(struct az_sv path)
{
    struct az_sv b = az_path_unpacked(az_path_base(path));
    size_t i = b.n;
    while (i > 0 && b.p[i - 1] != '.')
        i--;
    return i > 1 ? az_sv_make(b.p, i - 1) : b; /* a dot in front is no extension */
}

struct az_sv az_path_join(struct az_arena *a, struct az_sv dir, struct az_sv name)
{
    if (dir.n == 0 || (name.n && name.p[0] == '/'))
        return az_arena_dup(a, name);
    const char *slash = dir.p[dir.n - 1] == '/' ? "" : "/";
    return az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(dir), slash, AZ_SVF(name));
}

/* ---- canonical ---- */

/* Appends the components of `rest` to the absolute path in `out`, resolving "." and ".." by name.
 */
static int append_lexically(struct az_vec_char *out, struct az_sv rest)
{
    int r = 0;
    while (rest.n && r == 0) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != '/')
            n++;
        struct az_sv part = az_sv_make(rest.p, n);
        rest = az_sv_make(rest.p + n, rest.n - n);
        if (rest.n)
            rest = az_sv_make(rest.p + 1, rest.n - 1);
        if (az_sv_is(part, "..")) {
            while (out->n && out->v[--out->n] != '/')
                ;
        } else if (part.n && !az_sv_is(part, ".")) {
            r = az_text_append(out, AZ_SV("/"));
            r = r ? r : az_text_append(out, part);
        }
    }
    if (r == 0 && out->n == 0)
        r = az_text_append(out, AZ_SV("/"));
    return r;
}

int az_path_canonical(struct az_arena *a, const char *path, struct az_sv *out)
{
    char real[PATH_MAX];
    struct az_vec_char text;
    az_vec_init(&text, a->mem);
    int r = AZ_EIO;
    struct az_sv p = az_sv_str(path);
    /* The longest part that exists is resolved by the system, what is after it by name. */
    size_t n = p.n;
    char *head = az_arena_str(a, p);
    bool found = head && realpath(p.n ? head : ".", real);
    while (head && !found) {
        while (n > 0 && head[n - 1] == '/')
            n--;
        while (n > 0 && head[n - 1] != '/')
            n--;
        head[n] = '\0';
        found = realpath(n ? head : ".", real) != NULL;
        if (n == 0)
            break;
    }
    if (!head)
        r = az_arena_error(a);
    else if (found)
        r = az_text_append(&text, strcmp(real, "/") == 0 ? AZ_SV("") : az_sv_str(real));
    if (r == 0)
        r = append_lexically(&text, az_sv_make(p.p + n, p.n - n));
    *out = (struct az_sv){ "", 0 };
    if (r == 0) {
        *out = az_arena_dup(a, az_text_view(&text));
        r = out->p ? 0 : az_arena_error(a);
    }
    az_vec_release(&text);
    return r;
}

int az_path_absolute(struct az_arena *a, struct az_sv path, struct az_sv *out)
{
    char cwd[PATH_MAX];
    struct az_vec_char text;
    int r = 0;
    az_vec_init(&text, a->mem);
    if (!path.n || path.p[0] != '/') {
        if (!getcwd(cwd, sizeof cwd))
            r = AZ_EIO;
        else if (strcmp(cwd, "/") != 0)
            r = az_text_append(&text, az_sv_str(cwd));
    }
    if (r == 0)
        r = append_lexically(&text, path);
    if (r == 0) {
        *out = az_arena_dup(a, az_text_view(&text));
        r = out->p ? 0 : az_arena_error(a);
    }
    az_vec_release(&text);
    return r;
}

/* ---- stat, mkdir ---- */

struct az_path_info az_path_stat(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        az_fs_error_note(path, errno);
        return (struct az_path_info){ .kind = AZ_PATH_MISSING, .error = errno };
    }
    return (struct az_path_info){
        .kind = S_ISREG(st.st_mode)   ? AZ_PATH_FILE
                : S_ISDIR(st.st_mode) ? AZ_PATH_DIR
                                      : AZ_PATH_OTHER,
        .size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0,
        .mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
        .dev = (uint64_t)st.st_dev,
        .ino = (uint64_t)st.st_ino,
    };
}

bool az_path_is_unread(const struct az_path_info *info)
{
    return info->kind == AZ_PATH_MISSING && info->error != ENOENT && info->error != ENOTDIR &&
           info->error != ELOOP;
}

/* mkdir of one folder; one that is there already (or a link to one) is right. Returns errno. */
static int make_dir(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    int e = errno;
    if (az_path_stat(path).kind == AZ_PATH_DIR)
        return 0;
    return e;
}

int az_path_mkdirs(const char *path, struct az_diag *diag)
{
    char text[128];
    struct az_arena a;
    if (az_path_stat(path).kind == AZ_PATH_DIR)
        return 0;
    az_arena_init(&a, NULL);
    char *p = az_arena_str(&a, az_sv_str(path));
    int e = p ? 0 : ENOMEM;
    for (char *s = p; e == 0 && s && *s;) {
        while (*s == '/')
            s++;
        while (*s && *s != '/')
            s++;
        char keep = *s;
        *s = '\0';
        e = make_dir(p);
        *s = keep;
    }
    az_arena_release(&a);
    if (e == 0)
        return 0;
    if (e == EEXIST || e == ENOTDIR)
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)),
                       "cannot create this folder: a file is in its place; use another name");
    return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot create this folder: %s",
                   az_errno_text(e, text));
}

/* ---- sorted entries ---- */

void az_names_init(struct az_names *n, struct az_mem *mem)
{
    az_vec_init(&n->text, mem);
    az_vec_init(&n->at, mem);
}

void az_names_release(struct az_names *n)
{
    az_vec_release(&n->text);
    az_vec_release(&n->at);
}

static int by_name(const void *x, const void *y, void *text)
{
    return strcmp((const char *)text + *(const uint64_t *)x,
                  (const char *)text + *(const uint64_t *)y);
}

int az_names_push(struct az_names *n, const char *dir, bool hidden, size_t *from, size_t *to)
{
    int r = 0;
    *from = *to = n->at.n;
    DIR *d = opendir(*dir ? dir : ".");
    if (!d) {
        az_fs_error_note(*dir ? dir : ".", errno);
        return AZ_EIO;
    }
    const struct dirent *e;
    while (r == 0 && (errno = 0, e = readdir(d)) != NULL) {
        const char *name = e->d_name;
        if (name[0] == '.' && (!hidden || !name[1] || (name[1] == '.' && !name[2])))
            continue;
        uint64_t at = n->text.n;
        r = az_vec_push(&n->at, at);
        r = r ? r : az_text_append(&n->text, az_sv_make(name, strlen(name) + 1));
    }
    if (r == 0 && errno)
        r = AZ_EIO;
    int keep = errno;
    if (r == AZ_EIO)
        az_fs_error_note(*dir ? dir : ".", keep);
    (void)closedir(d);
    errno = keep;
    *to = n->at.n;
    if (r == 0)
        az_sort_cmp(n->at.v + *from, *to - *from, sizeof *n->at.v, by_name, n->text.v, n->at.mem);
    if (r)
        az_names_pop(n, *from);
    return r;
}

void az_names_pop(struct az_names *n, size_t from)
{
    if (from >= n->at.n)
        return;
    uint64_t low = n->at.v[from];
    for (size_t i = from; i < n->at.n; i++)
        low = n->at.v[i] < low ? n->at.v[i] : low;
    n->text.n = (size_t)low;
    n->at.n = from;
}

bool az_path_is_stream(struct az_sv path)
{
    return az_sv_is(path, "-") || (path.n && az_path_stat(path.p).kind == AZ_PATH_OTHER);
}
