/* Resources of this process: physical memory, control groups, limits of the shell. */
#include "io/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_LENGTH = 4096, LINE_LENGTH = 4096 };

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The number in a file; UINT64_MAX for "max", or without one. */
static uint64_t number_in(const char *path)
{
    char text[32] = "", *end;
    FILE *f = fopen(path, "r");

    if (!f)
        return UINT64_MAX;
    size_t n = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[n] = 0;
    unsigned long long v = strtoull(text, &end, 10);
    return end == text ? UINT64_MAX : v;
}

/* The least of a group and of those above it. */
static uint64_t of_group(const char *root, char *group, const char *file)
{
    char path[PATH_LENGTH];
    uint64_t least = UINT64_MAX;

    for (;;) {
        if (snprintf(path, sizeof path, "%s%s/%s", root, group, file) < (int)sizeof path)
            least = smaller_of(least, number_in(path));
        char *last = strrchr(group, '/');
        if (!last)
            return least;
        *last = 0;
    }
}

/* Lines are "0::/group" (v2) and "4:memory:/group" (v1). */
uint64_t az_memory_of_groups(const char *groups, const char *root)
{
    char line[LINE_LENGTH], v1[PATH_LENGTH];
    uint64_t least = UINT64_MAX;
    FILE *f = fopen(groups, "r");

    if (!f)
        return least;
    (void)snprintf(v1, sizeof v1, "%s/memory", root);
    while (fgets(line, sizeof line, f)) {
        char *name = strchr(line, ':'), *group = name ? strchr(name + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        if (strcmp(name + 1, "") == 0)
            least = smaller_of(least, of_group(root, group, "memory.max"));
        else if (strcmp(name + 1, "memory") == 0)
            least = smaller_of(least, of_group(v1, group, "memory.limit_in_bytes"));
    }
    (void)fclose(f);
    return least;
}

uint64_t az_memory_available(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t given = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    struct rlimit space;

    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        given = smaller_of(given, space.rlim_cur);
    given = smaller_of(given, az_memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
    return given == UINT64_MAX ? UINT64_C(2) << 30 : given;
}
