/* Digest of a file. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cpu.h"
#include "io/digest.h"
#include "io/fs_errors.h"

#define CHUNK ((size_t)256 << 10)

struct az_digest {
    char room[sizeof(XXH3_state_t) + 64]; /* the state requires 64-byte alignment */
    struct az_mem *mem;
    uint64_t size;
    bool ended;
};

static XXH3_state_t *state_of(const struct az_digest *d)
{
    return (XXH3_state_t *)(((uintptr_t)d->room + 63) & ~(uintptr_t)63);
}

void az_digest_reset(struct az_digest *d)
{
    (void)XXH3_128bits_reset(state_of(d));
    d->size = 0;
    d->ended = false;
}

struct az_digest *az_digest_new(struct az_mem *mem)
{
    struct az_digest *d = az_mem_alloc(mem, sizeof *d);
    if (d) {
        d->mem = mem;
        az_digest_reset(d);
    }
    return d;
}

void az_digest_free(struct az_digest *d)
{
    if (d)
        az_mem_free(d->mem, d, sizeof *d);
}

void az_digest_update(struct az_digest *d, const void *bytes, size_t n)
{
#ifdef AZ_V3
    if (az_cpu_v3())
        az_digest_update_v3(state_of(d), bytes, n);
    else
#endif
        (void)XXH3_128bits_update(state_of(d), bytes, n);
    d->size += n;
}

void az_digest_end(struct az_digest *d) { d->ended = true; }

/* Digits and size; false unless the file was read from its first byte to its end. */
static bool digest_hex(const struct az_digest *d, char hex[AZ_DIGEST_HEX], uint64_t *size)
{
    XXH128_canonical_t c;
    hex[0] = '\0';
    *size = d->size;
    if (!d->ended)
        return false;
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(state_of(d)));
    for (size_t i = 0; i < sizeof c.digest; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", c.digest[i]);
    return true;
}

static int digest_fd(int fd, char *buf, struct az_digest *d, const atomic_bool *stop)
{
    while (!stop || !atomic_load_explicit(stop, memory_order_relaxed)) {
        ssize_t n = read(fd, buf, CHUNK);
        if (n == 0) {
            az_digest_end(d);
            return 0;
        }
        if (n > 0)
            az_digest_update(d, buf, (size_t)n);
        else if (errno != EINTR)
            return AZ_EIO;
    }
    return 0;
}

static int read_rest(struct az_digest *d, const char *path, const atomic_bool *stop)
{
    char *buf = az_mem_alloc(NULL, CHUNK);
    int r = buf ? AZ_EIO : AZ_ENOMEM, fd = buf ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd >= 0 && (d->size == 0 || lseek(fd, (off_t)d->size, SEEK_SET) >= 0))
        r = digest_fd(fd, buf, d, stop);
    int e = errno;
    if (r == AZ_EIO)
        az_fs_error_note(path, e);
    if (fd >= 0)
        (void)close(fd);
    az_mem_free(NULL, buf, CHUNK);
    errno = e; /* the caller's message needs it */
    return r;
}

int az_digest_finish(struct az_digest *d, const char *path, const atomic_bool *stop)
{
    return d->ended ? 0 : read_rest(d, path, stop);
}

int az_digest_rest(struct az_digest *d, const char *path, char hex[AZ_DIGEST_HEX], uint64_t *size)
{
    hex[0] = '\0';
    *size = 0;
    if (!d)
        return AZ_ENOMEM;
    int r = d->ended ? 0 : read_rest(d, path, NULL);
    if (r == 0)
        (void)digest_hex(d, hex, size);
    return r;
}

int az_file_digest(const char *path, char hex[AZ_DIGEST_HEX], uint64_t *size)
{
    struct az_digest *d = az_digest_new(NULL);
    int r = az_digest_rest(d, path, hex, size), e = errno;
    az_digest_free(d);
    errno = e;
    return r;
}

uint64_t az_checksum(const void *bytes, size_t n) { return XXH3_64bits(bytes, n); }
