/* What `make mutate` knows of coverage: every block of the program calls this function, which marks
 * the place it is called from in a file that all processes of a test share (MUTATE_COVER); nothing
 * without that variable. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __etext[] __attribute__((visibility("hidden")));
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static char *seen;
static size_t size;

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void)
{
    const size_t at = (size_t)((const char *)__builtin_return_address(0) - __ehdr_start);
    if (at < size) /* not after a tail call */
        seen[at] = 1;
}

__attribute__((constructor)) static void open_cover(void)
{
    const char *path = getenv("MUTATE_COVER");
    const size_t whole = (size_t)(__etext - __ehdr_start);
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;

    if (fd < 0)
        return;
    void *p = ftruncate(fd, (off_t)whole) == 0
                  ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                  : MAP_FAILED;
    close(fd);
    if (p == MAP_FAILED)
        return;
    seen = p;
    size = whole;
}
