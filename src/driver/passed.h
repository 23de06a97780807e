/* What a folder holds that is no profile: what could be one is named, with the reason. */
#ifndef AZ_DRIVER_PASSED_H
#define AZ_DRIVER_PASSED_H

#include "base/diag.h"
#include "io/path.h"

/* Adds the extension of a profile to those that profiles of a folder have. */
int az_passed_know(struct az_vec_sv *known, struct az_sv path) AZ_MUST_USE;
/* Warns of what was passed over: what is called like a profile of the folder (its extension is
 * known; NULL: there is no profile, and every extension of one counts) and is none, what has the
 * extension of a profile and is damaged, what is no file, folders of other profilers. What is
 * called otherwise is of no interest, nor what this program wrote. */
void az_passed_report(const struct az_vec_sv *paths, const struct az_vec_sv *known,
                      struct az_sv folder, struct az_diag *diag);
/* Something with the name of a profile that is no file nor folder: warns that it is skipped. */
void az_passed_odd(const char *path, const struct az_path_info *info, struct az_diag *diag);
/* What the folder is, if another profiler calls it or what is in it so; NULL: nothing known. */
const char *az_passed_foreign(struct az_sv folder);

#endif
