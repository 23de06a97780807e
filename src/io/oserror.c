/* Words of errno. In a file of its own, because _GNU_SOURCE (child.c) changes strerror_r. */
#include "io/oserror.h"

#include <stdio.h>
#include <string.h>

const char *az_errno_text(int e, char buf[128])
{
    if (strerror_r(e, buf, 128) != 0)
        (void)snprintf(buf, 128, "error %d", e);
    return buf;
}
