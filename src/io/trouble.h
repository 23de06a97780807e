/* What the system failed in while something was looked for: a file that may be there, a folder's
 * names, the first bytes of what may be an input. "Is not there" and "may not be seen" are answers
 * on which a caller goes on; a disk or a file server that fails, or a want of descriptors, is none:
 * going on as if nothing were there would lose it in silence. Such calls are noted here, and who
 * ends the run asks (docs/faults.md "Calls that fail"). */
#ifndef AZ_IO_TROUBLE_H
#define AZ_IO_TROUBLE_H

#include <stdbool.h>

/* A call on `path` failed with this errno. Answers are passed over; errno is left as it is. */
void az_trouble(const char *path, int error);
/* Says the first of them on standard error, once; false where there was none. */
bool az_trouble_say(void);

#endif
