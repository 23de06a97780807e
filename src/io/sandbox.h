/* Taking away from this process what reading files never needs (docs/faults.md "Sandbox"). */
#ifndef AZ_IO_SANDBOX_H
#define AZ_IO_SANDBOX_H

#include <stdbool.h>

enum az_sandbox {
    AZ_SANDBOX_NETWORK, /* no socket but those of this machine, no look into other processes, no
                           change of the system */
    AZ_SANDBOX_CHILDREN /* after that: no socket at all, no new process and no other program */
};
/* Is there one on this system? */
bool az_sandbox_known(void);
/* For good, for this thread and those it makes: to be called while there is one. A second call
 * takes more away. What is taken away fails with EACCES. false: nothing was changed (an old
 * kernel). */
bool az_sandbox_enter(enum az_sandbox how);

#endif
