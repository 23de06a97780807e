/* See the header. */
#include "io/unpacked.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/oserror.h"
#include "io/outfile.h"
#include "io/path.h"

/* 0 or errno. */
static int write_all(int fd, struct az_sv bytes)
{
    while (bytes.n) {
        const ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0)
            bytes = az_sv_make(bytes.p + n, bytes.n - (size_t)n);
    }
    return 0;
}

/* What the source has, into the file; *error: an errno of that. */
static int unpack(struct az_source *src, const char *file, int *error)
{
    const int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
    struct az_sv chunk = AZ_SV("");
    int rc = AZ_OK;
    *error = fd < 0 ? errno : 0;
    while (rc == 0 && !*error) {
        rc = az_source_next(src, &chunk);
        if (rc || !chunk.n)
            break;
        *error = write_all(fd, chunk);
    }
    if (fd >= 0 && close(fd) != 0 && !*error)
        *error = errno;
    return rc;
}

int az_map_unpacked(struct az_mapping *m, struct az_source *src, const char *path,
                    struct az_mem *mem, struct az_diag *diag)
{
    struct az_arena a;
    struct az_sv file;
    char text[128];
    int error;
    az_arena_init(&a, mem);
    *m = (struct az_mapping){ .bytes = { "", 0 } };
    if (az_path_stat(path).kind == AZ_PATH_OTHER) /* its reader would see it opened and closed */
        return AZ_EUSAGE;
    int rc = az_outname_reserve(&a, path, &file, diag);
    if (rc == 0 && az_sv_is(file, path)) { /* a descriptor, which is written directly */
        rc = AZ_EUSAGE;
    } else if (rc == 0) {
        rc = unpack(src, file.p, &error);
        if (error)
            rc = IO_FAIL(
                diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)),
                "cannot write a temporary file next to it: %s%s", az_errno_text(error, text),
                error == ENOSPC ? "; free some space, or choose another output folder" : "");
        const int mapped = rc == 0 || rc == AZ_EFORMAT ? az_map_file(m, file.p, diag) : 0;
        rc = mapped ? mapped : rc;
        az_outname_discard(file.p);
    }
    az_arena_release(&a);
    return rc;
}
