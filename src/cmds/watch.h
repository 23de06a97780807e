/* Watching a folder for new profiles. */
#ifndef AZ_CMDS_WATCH_H
#define AZ_CMDS_WATCH_H

#include "cmds/internal.h"

/* Prints a line for each profile written into the folder, or below it, until interrupted: name,
 * verdict, and with a baseline (NULL: none) the result of its gate. Exit status: AZ_EXIT_GATE if a
 * gate failed or a profile could not be read. */
int az_watch(const char *dir, const char *baseline, const struct az_log *log);

#endif
