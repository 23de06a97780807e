/* Files of a folder that are no profiles: what could be one is named, with the reason. */
#ifndef AZ_READ_SKIPPED_FILES_H
#define AZ_READ_SKIPPED_FILES_H

#include "base/diag.h"
#include "io/path.h"

/* Adds the extension of a profile to those that profiles of a folder have. */
int az_passed_add_extension(struct az_vec_sv *known, struct az_sv path) AZ_MUST_USE;
/* Warns of what was skipped. Next to profiles, whose extensions are `known`: files named like one
 * that are empty, truncated, garbage, not readable or of another profiler. Without any (known is
 * NULL): all that is called like one. Folders of other profilers, what is no file; nothing that
 * this program wrote. */
void az_passed_report(const struct az_vec_sv *paths, const struct az_vec_sv *known,
                      struct az_sv folder, struct az_diag *diag);
/* Is a profile of any format called so, and little else? */
bool az_skip_is_profile_name(struct az_sv path);
/* Is this whole JSON that nowhere speaks of events, a configuration or a tokenizer? Then warns. */
bool az_passed_document(const char *path, struct az_diag *diag);
/* Something that the caller would have read and that is no file nor folder: warns that it is
 * skipped; that it could not be read is an error. */
void az_passed_odd(const char *path, const struct az_path_info *info, struct az_diag *diag);
/* What the folder is, if another profiler calls it or what is in it so; NULL: nothing known. */
const char *az_passed_foreign(struct az_sv folder);

#endif
