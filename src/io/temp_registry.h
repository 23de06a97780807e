/* Private to io: the list of temporary files and folders that exist now, so that an interrupted run
 * leaves none. The one mutable global of the room; it lives in outfile.c under its lock. */
#ifndef AZ_IO_TEMP_REGISTRY_H
#define AZ_IO_TEMP_REGISTRY_H

#include "base/mem.h"

/* Remembers a path (copied). AZ_ENOMEM. */
int az_temps_add(const char *path, bool is_dir) AZ_MUST_USE;
/* Forgets it; false if it is not (or no longer) in the list: then it is not ours to remove. */
bool az_temps_forget(const char *path);
/* Removes a temporary file; one that stays is named on standard error. */
void az_temps_unlink(const char *path);
/* Reports that a temporary file or folder stays, because of errno. */
void az_temps_left(const char *path, int error);
/* Each of them, without the lock: for a signal handler. */
void az_temps_each(void (*f)(const char *path, bool is_dir));

#endif
