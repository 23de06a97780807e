/* Paths of a command line, and folders of a configuration, as inputs: which files are one run. */
#ifndef AZ_READ_INPUT_PATHS_H
#define AZ_READ_INPUT_PATHS_H

#include "config/config.h"

/* Groups the paths of `analyzer run PATH...` into inputs of the config: several paths of one format
 * and one run (ranks, the CSV reports of one nsys report) form one input, else one each.
 * Directories stand for their recognized files. AZ_ECONFIG for an empty path, or a folder or
 * glob with nothing in it; AZ_EINTR. */
int az_plan_paths(struct az_config *c, const char *const *paths, size_t n,
                  struct az_diag *diag) AZ_MUST_USE;
/* The same; the traces of a folder whose names differ in the rank (and in times) only are one run
 * (az_input.is_run), also of formats whose ranks are reduced one by one. */
int az_plan_runs_of(struct az_config *c, const char *const *paths, size_t n,
                    struct az_diag *diag) AZ_MUST_USE;
/* The same of one path; files whose names differ in the rank (and in times) only are one run
 * (az_input.is_run), also of formats whose ranks are reduced one by one; a folder without any is
 * searched with all folders below. */
int az_plan_runs(struct az_config *c, const char *path, struct az_diag *diag) AZ_MUST_USE;
/* The same of one path that is to be one thing: all files of a folder whose format has its ranks
 * reduced one by one are the ranks of one run, whatever they are called. More than one input is
 * added where the path is not one thing. */
int az_plan_whole(struct az_config *c, const char *path, struct az_diag *diag) AZ_MUST_USE;
/* Adds one input of a saved result (az_saved_kind). */
int az_plan_saved(struct az_config *c, const char *path) AZ_MUST_USE;
/* Is some file of this folder, not of those below it, a recognized profile? */
bool az_plan_has_profile(const char *path);
/* Replaces each input that has a base_dir by one input a run found there (az_input.is_run), or by
 * one that fails with the reason; one whose listed files are to be parted by steps by one a step.
 * Before az_plan_make. AZ_ECONFIG: a bad rank pattern, one workbook for several runs; AZ_EINTR,
 * AZ_ENOMEM.
 */
int az_plan_search(struct az_config *c, struct az_diag *diag) AZ_MUST_USE;
#endif
