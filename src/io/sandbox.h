/* Taking away from this process what reading files never needs (docs/faults.md "Sandbox"). */
#ifndef AZ_IO_SANDBOX_H
#define AZ_IO_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

enum az_sandbox {
    AZ_SANDBOX_NETWORK,  /* no socket but those of this machine, no access to other processes, no
                            change of the system */
    AZ_SANDBOX_PROGRAMS, /* after that: no new process and no other program */
    AZ_SANDBOX_CHILDREN  /* the same, and no socket at all */
};
/* What this kernel has, of what this program is compiled with. */
enum { AZ_SANDBOX_HAS_SECCOMP = 1, AZ_SANDBOX_HAS_LANDLOCK = 2 };
unsigned az_sandbox_has(void);
/* A folder with all beneath it, or a file, and what is allowed of it. */
enum { AZ_SANDBOX_READ = 1, AZ_SANDBOX_WRITE = 2 };
struct az_sandbox_path {
    const char *path;
    unsigned how;
};
/* From now on files are read (how: AZ_SANDBOX_READ), and made, changed and removed
 * (AZ_SANDBOX_WRITE) only where these paths allow it; those that do not exist are skipped. What the
 * C library reads of the system may always be read. As az_sandbox_enter. */
bool az_sandbox_files(const struct az_sandbox_path *paths, size_t n, unsigned how);
/* For good, for this thread and those it makes: to be called while there is one. A second call
 * forbids more. What is forbidden fails with EACCES. false: nothing was changed (an old kernel). */
bool az_sandbox_enter(enum az_sandbox how);

#endif
