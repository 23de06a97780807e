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
/* From now on files are made, changed and removed beneath these folders (or are these files) only;
 * paths that do not exist are skipped. As az_sandbox_enter. */
bool az_sandbox_writes(const char *const *paths, size_t n);
/* For good, for this thread and those it makes: to be called while there is one. A second call
 * forbids more. What is forbidden fails with EACCES. false: nothing was changed (an old kernel). */
bool az_sandbox_enter(enum az_sandbox how);

#endif
