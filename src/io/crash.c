/* What is removed when the program crashes, from a signal handler: calls that are safe there only,
 * and no lock, since the thread that crashed may own it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/outfile.h"
#include "io/temp_registry.h"

#ifdef SYS_getdents64
struct entry { /* as the kernel has it */
    uint64_t inode;
    int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

/* The folders of this program are flat. */
static void empty(int fd)
{
    _Alignas(uint64_t) char buf[4096];
    for (;;) {
        long n = syscall(SYS_getdents64, fd, buf, sizeof buf), removed = 0;
        if (n <= 0)
            return;
        for (long at = 0; at < n;) {
            const struct entry *e = (const void *)(buf + at);
            removed += unlinkat(fd, e->name, 0) == 0;
            at += e->size;
        }
        if (!removed || lseek(fd, 0, SEEK_SET) != 0)
            return;
    }
}
#else
static void empty(int fd) { (void)fd; }
#endif

static void remove_one(const char *path, bool is_dir)
{
    if (!is_dir) {
        (void)unlink(path);
        return;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        empty(fd);
        (void)close(fd);
    }
    (void)rmdir(path);
}

void az_out_crash(void) { az_temps_each(remove_one); }
