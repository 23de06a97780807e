/* What the system failed in while something was looked for: a file that may be there, a folder's
 * names, the first bytes of what may be an input. "Is not there" and "may not be seen" are answers
 * on which a caller goes on; a disk or a file server that fails, or a want of descriptors, is none:
 * going on as if nothing were there would lose it in silence. Such calls are noted here, and who
 * ends the run asks (docs/faults-system.md "Calls that fail"). */
#ifndef AZ_IO_FS_ERRORS_H
#define AZ_IO_FS_ERRORS_H

#include "base/sv.h"

/* A call on `path` failed with this errno. Answers are skipped; errno is left as it is. */
void az_trouble(const char *path, int error);
/* An error that was just printed: what was noted of the file that it begins with is known by it. */
void az_trouble_told(struct az_sv message);
/* Says the first of those that no error named on standard error, once; false where none was noted.
 */
bool az_trouble_say(void);

#endif
