/* Temporary folders: private ones, and those that are renamed when they are complete. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "io/oserror.h"
#include "io/outfile.h"
#include "io/path.h"
#include "io/temp_registry.h"

int az_tmpdir_make(struct az_arena *a, const char *prefix, struct az_sv *dir, struct az_diag *diag)
{
    char text[128];
    const char *root = az_env("TMPDIR");
    if (!root || !*root)
        root = "/tmp";
    *dir = az_arena_printf(a, "%s/%s.XXXXXX", root, prefix);
    if (!dir->p)
        return IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(root)), a->mem);
    char *name = az_arena_str(a, *dir); /* writable for mkdtemp */
    if (!name)
        return IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(root)), a->mem);
    if (!mkdtemp(name))
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(root)),
                       "cannot create a temporary folder: %s; set TMPDIR to a writable folder",
                       az_errno_text(errno, text));
    *dir = az_sv_make(name, dir->n);
    if (az_temps_add(name, true) != 0) {
        (void)rmdir(name);
        return IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(root)), NULL);
    }
    return 0;
}

/* Removes the content of the folder `fd`, and closes it. Works by descriptors and O_NOFOLLOW, so no
 * link is ever followed. */
static void remove_below(int fd, unsigned depth)
{
    DIR *d =
        depth < 256 ? fdopendir(fd) : NULL; /* a descriptor a level; ours are never that deep */
    if (!d) {
        (void)close(fd);
        return;
    }
    const struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, e->d_name, 0) == 0)
            continue;
        int sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (sub >= 0) {
            remove_below(sub, depth + 1);
            (void)unlinkat(fd, e->d_name, AT_REMOVEDIR);
        }
    }
    (void)closedir(d);
}

static bool remove_all(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        remove_below(fd, 0);
    return rmdir(dir) == 0 || errno == ENOENT;
}

void az_tmpdir_remove(const char *dir)
{
    bool gone = remove_all(dir);
    if (!gone) /* a file server may fail once */
        gone = remove_all(dir);
    if (!gone)
        az_temps_left(dir, errno);
    (void)az_temps_forget(dir);
}

/* ---- folders of outputs ---- */

#define TRIES    100
#define BASE_MAX 180 /* bytes of the target's name used in the temporary one: NAME_MAX is 255 */

/* Creates the temporary folder, and remembers it: 0 or errno. */
static int create_next_to(struct az_arena *a, struct az_sv path, struct az_sv *tmp)
{
    const struct az_sv dir = az_path_dir(path);
    struct az_sv base = az_path_base(path);
    base.n = base.n > BASE_MAX ? BASE_MAX : base.n;
    for (int i = 0; i < TRIES; i++) {
        *tmp = az_arena_printf(a, "%.*s/.%.*s.%ld.%d.tmp", AZ_SVF(dir), AZ_SVF(base),
                               (long)getpid(), i);
        if (!tmp->p || az_temps_add(tmp->p, true) != 0)
            return ENOMEM;
        if (mkdir(tmp->p, 0777) == 0)
            return 0;
        const int e = errno;
        (void)az_temps_forget(tmp->p);
        if (e != EEXIST)
            return e;
    }
    return EEXIST;
}

int az_outdir_reserve(struct az_arena *a, const char *path, struct az_sv *tmp, struct az_diag *diag)
{
    char text[128];
    struct az_sv whole = az_sv_str(path);
    while (whole.n > 1 && whole.p[whole.n - 1] == '/')
        whole.n--;
    const char *parent = az_arena_str(a, az_path_dir(whole));
    if (!parent)
        return IO_NO_MEMORY(diag, AZ_AT_FILE(whole), a->mem);
    const int rc = az_path_mkdirs(parent, diag);
    if (rc)
        return rc;
    const int e = create_next_to(a, whole, tmp);
    return e == 0 ? AZ_OK
                  : IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(whole),
                            "cannot write: %s; choose another output folder (-o)",
                            az_errno_text(e, text));
}

int az_outdir_commit(const char *tmp, const char *path, struct az_diag *diag)
{
    char text[128];
    if (rename(tmp, path) != 0) {
        const int e = errno;
        az_tmpdir_remove(tmp);
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot write: %s",
                       az_errno_text(e, text));
    }
    (void)az_temps_forget(tmp);
    return AZ_OK;
}
