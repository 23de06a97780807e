/* System calls that failed during a search: a file that may be there, a folder's
 * names, the first bytes of what may be an input. "Is not there" and "permission denied" are
 * results on which a caller goes on; a failing disk or file server, or a lack of descriptors, is an
 * error: going on as if nothing were there would lose it in silence. Such calls are recorded here,
 * and checked at the end of the run (docs/faults-system.md "Calls that fail"). */
#ifndef AZ_IO_FS_ERRORS_H
#define AZ_IO_FS_ERRORS_H

#include "base/sv.h"

/* A call on `path` failed with this errno. Results are skipped; errno is left as it is. */
void az_fs_error_note(const char *path, int error);
/* An error that was just printed: what was noted of the file that it begins with is known by it. */
void az_fs_error_printed(struct az_sv message);
/* Prints the first of those that no error named to standard error, once; false where none was
 * noted.
 */
bool az_fs_error_print(void);

#endif
