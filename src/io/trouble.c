/* The first call that the system failed in, kept until the run ends. */
#include "io/trouble.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "io/oserror.h"

enum { LONGEST = 4096 };

static struct {
    atomic_int state; /* 0 none, 1 being written, 2 there */
    int error;
    char path[LONGEST];
} first;

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

void az_trouble(const char *path, int error)
{
    int none = 0;
    const int now = errno;

    if (is_answer(error) || !atomic_compare_exchange_strong(&first.state, &none, 1))
        return;
    first.error = error;
    (void)snprintf(first.path, sizeof first.path, "%s", path);
    atomic_store(&first.state, 2);
    errno = now;
}

bool az_trouble_say(void)
{
    const struct az_log log = { .level = AZ_LOG_QUIET };
    char text[128];

    if (atomic_load(&first.state) != 2)
        return false;
    az_log_line(&log, AZ_LOG_QUIET,
                "error: %s: cannot be looked at: %s (what it holds may be missing: run again)",
                first.path, az_errno_text(first.error, text));
    atomic_store(&first.state, 0);
    return true;
}
