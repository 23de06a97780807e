/* XXH3-128 of a file, in the canonical (big-endian) form that `xxhsum -H2` prints. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "io/path.h"

#define CHUNK ((size_t)256 << 10)

static int digest_fd(int fd, char *buf, XXH3_state_t *state, uint64_t *size)
{
    for (;;) {
        ssize_t n = read(fd, buf, CHUNK);
        if (n == 0)
            return 0;
        if (n > 0) {
            *size += (uint64_t)n;
            (void)XXH3_128bits_update(state, buf, (size_t)n);
        } else if (errno != EINTR) {
            return AZ_EIO;
        }
    }
}

int az_file_digest(const char *path, char hex[33], uint64_t *size)
{
    XXH3_state_t state;
    int fd = -1, r = AZ_EIO;
    hex[0] = '\0';
    *size = 0;
    char *buf = az_mem_alloc(NULL, CHUNK);
    if (!buf)
        return AZ_ENOMEM;
    (void)XXH3_128bits_reset(&state);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        r = digest_fd(fd, buf, &state, size);
    if (r == 0) {
        XXH128_canonical_t c;
        XXH128_canonicalFromHash(&c, XXH3_128bits_digest(&state));
        for (size_t i = 0; i < sizeof c.digest; i++)
            (void)snprintf(hex + 2 * i, 3, "%02x", c.digest[i]);
    }
    int e = errno;
    if (fd >= 0)
        (void)close(fd);
    az_mem_free(NULL, buf, CHUNK);
    errno = e; /* the caller's message wants it */
    return r;
}
