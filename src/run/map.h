/* Part files of the ranks of a run: written by `analyzer map`, merged and reported by `analyzer
 * reduce`. */
#ifndef AZ_RUN_MAP_H
#define AZ_RUN_MAP_H

#include "read/map_run.h"
#include "run/run.h"

/* Writes a part for each trace; exit code: AZ_EXIT_PARTIAL if a trace could not be read (its part
 * has the error) or a part not be written. */
int az_map(struct az_config *c, const struct az_map_opts *m, const struct az_run_opts *opts,
           az_on_plan *planned, void *ctx);
/* Traces of the operands and the list, absolute, each once, with formats; sorted. */
struct az_map_file {
    struct az_sv path, format; /* format empty: not recognized */
    uint64_t size;
};
AZ_VEC(struct az_map_file, az_map_files);
/* parts: reads those, too; NULL: folders are searched without them. */
int az_map_find(struct az_config *c, const struct az_map_opts *m, struct az_map_files *out,
                struct az_part_places *parts, struct az_diag *diag) AZ_MUST_USE;
/* Lines of a file, appended, in the arena. */
int az_part_list_file(const char *path, struct az_arena *a, struct az_vec_sv *out,
                      struct az_diag *diag) AZ_MUST_USE;
/* ---- reduce.c ---- */
/* One input of the parts and traces that the paths name, as one run; expected: a file that names
 * the traces that there should be parts of, NULL: none. AZ_EUSAGE, AZ_EIO with a message. */
int az_plan_reduce(struct az_config *c, const char *const *paths, size_t n, const char *expected,
                   struct az_diag *diag) AZ_MUST_USE;
/* Merges the parts of such an input to one file. A part that is damaged, or not there, becomes one
 * with the error. Exit code. */
int az_parts_merge(struct az_config *c, const char *out, const struct az_log *log);

#endif
