/* The first system calls that failed, stored until the run ends. */
#include "io/fs_errors.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "io/oserror.h"

enum { LONGEST = 4096, MOST = 16 };

static struct {
    atomic_int state; /* 0 none, 1 being written, 2 there, 3 there and reported */
    int error;
    char path[LONGEST];
} all[MOST]; /* in order; the last one is never reported: others were after it */

/* Nothing is there, or it is not for us, or it is of another kind. */
static bool is_answer(int error)
{
    switch (error) {
    case 0:
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EACCES:
    case EPERM:
    case EINVAL:
    case ENXIO:
    case ENODEV:
    case ESPIPE:
    case EOVERFLOW:
        return true;
    default:
        return false;
    }
}

void az_fs_error_note(const char *path, int error)
{
    const int now = errno;

    for (int i = 0; i < MOST && !is_answer(error); i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&all[i].state, &none, 1)) {
            all[i].error = error;
            (void)snprintf(all[i].path, sizeof all[i].path, "%s", path);
            atomic_store(&all[i].state, 2);
            break;
        }
        if (none >= 2 && strcmp(all[i].path, path) == 0)
            break;
    }
    errno = now;
}

static bool begins_with(struct az_sv message, struct az_sv path)
{
    return az_sv_starts(message, path) && message.n > path.n && message.p[path.n] == ':';
}

void az_fs_error_printed(struct az_sv message)
{
    char cwd[LONGEST] = "";

    if (atomic_load(&all[0].state) == 0) /* as always: in order */
        return;
    if (getcwd(cwd, sizeof cwd - 1))
        (void)strcat(cwd, "/");
    for (int i = 0; i < MOST - 1; i++) {
        int there = 2;
        if (atomic_load(&all[i].state) != there)
            continue;
        const struct az_sv path = az_sv_str(all[i].path);
        const size_t skip = *cwd && az_sv_starts(path, az_sv_str(cwd)) ? strlen(cwd) : 0;
        if (begins_with(message, path) ||
            begins_with(message, az_sv_make(path.p + skip, path.n - skip)))
            (void)atomic_compare_exchange_strong(&all[i].state, &there, 3);
    }
}

bool az_fs_error_print(void)
{
    const struct az_log log = { .level = AZ_LOG_QUIET };
    bool any = false, printed = false;
    char text[128];

    for (int i = 0; i < MOST && atomic_load(&all[i].state); i++) { /* taken in order */
        if (atomic_load(&all[i].state) == 2 && !printed) {
            az_log_line(&log, AZ_LOG_QUIET,
                        "error: %s: cannot read: %s; its contents may be missing: run again",
                        all[i].path, az_errno_text(all[i].error, text));
            printed = true;
        }
        any |= atomic_load(&all[i].state) >= 2;
        if (atomic_load(&all[i].state) >= 2)
            atomic_store(&all[i].state, 0);
    }
    return any;
}
