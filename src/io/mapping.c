/* Whole files mapped read-only. */
#define _DEFAULT_SOURCE /* madvise: posix_madvise does nothing with what is not needed */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/oserror.h"
#include "io/source.h"

static int map_fd(struct az_mapping *m, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return ESPIPE;
    if (st.st_size == 0)
        return 0; /* mmap rejects length 0; the empty view is right */
    if ((uint64_t)st.st_size > SIZE_MAX)
        return EFBIG;
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return errno;
    (void)posix_madvise(p, (size_t)st.st_size, POSIX_MADV_SEQUENTIAL);
    m->bytes = az_sv_make(p, (size_t)st.st_size);
    m->fd = fd;
    return 0;
}

int az_map_file(struct az_mapping *m, const char *path, struct az_diag *diag)
{
    char text[128];
    *m = (struct az_mapping){ .bytes = { "", 0 } };
    int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a pipe must not block here */
    int e = fd < 0 ? errno : map_fd(m, fd);
    if (fd >= 0 && !m->bytes.n)
        (void)close(fd);
    if (e == 0)
        return 0;
    return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot map: %s",
                   az_errno_text(e, text));
}

size_t az_map_read(const struct az_mapping *m, uint64_t at, void *to, size_t n)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t got = pread(m->fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

/* A page that is read brings those next to it: up to 2 MB, also of what was given up before. */
#define PAGES_AROUND ((uintptr_t)2 << 20)

void az_map_used(const struct az_mapping *m, const char *from, const char *to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)m->bytes.p,
                    end = (uintptr_t)to / page * page;
    uintptr_t begin = ((uintptr_t)from + page - 1) / page * page;
    begin = begin - first > PAGES_AROUND ? begin - PAGES_AROUND : first;
    if (m->bytes.n && (uintptr_t)from >= first && begin < end &&
        end <= (uintptr_t)(m->bytes.p + m->bytes.n))
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void az_unmap_file(struct az_mapping *m)
{
    if (m->bytes.n) {
        (void)munmap((void *)(uintptr_t)m->bytes.p, m->bytes.n);
        (void)close(m->fd);
    }
    m->bytes = (struct az_sv){ "", 0 };
}
