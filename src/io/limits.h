/* Resources of this process. */
#ifndef AZ_IO_LIMITS_H
#define AZ_IO_LIMITS_H

#include <stdint.h>

/* Bytes of memory: of the machine, or less where a control group (v1 or v2; also one above it) or
 * RLIMIT_AS. */
uint64_t az_memory_available(void);
/* The same with the groups as files below `root` instead of /sys/fs/cgroup, as /proc/self/cgroup
 * names them in `groups`. For tests. */
uint64_t az_memory_of_groups(const char *groups, const char *root);

#endif
