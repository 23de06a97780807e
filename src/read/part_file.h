/* Part files: the reduced data of a rank (analyses/ranks/ranks.h), so that a run can be reported
 * where its traces are not. `analyzer map` writes one per rank, `analyzer reduce` and every command
 * that reads a run reads them in place of the traces; the report is the same, byte for byte.
 *
 * A part file is an image of sections (io/sections.h), or several images one after the other (a
 * folder of parts merged by `reduce --partial`, or by `cat`), each of one rank:
 *   source.texts, source
 *             whose part it is: absolute path, format and size of the trace, XXH3-128 of its bytes,
 *             the options that its reducing depended on; with texts of their own and first, so
 *             that they can be read from the beginning
 *   rank      the run's data about it: struct az_rank, messages, whether it failed and why: a
 *             trace that could not be read has a part with the error, and is named in the report
 *             as if it had been read there
 *   NAME      one per analysis: its part as az_rank_analysis.shape describes it. An analysis
 *             without results for the rank has none
 *   texts     (last) the dictionary of all other sections: u64 count, count + 1 u64 places in what
 *             follows, texts with a NUL after each
 *
 * Versions: the image has one (of io/sections.h); the layout of a section is a hash of the
 * description of its structs, so that a change of one needs no thought: a section of another layout
 * is a failure of that rank with a message (map it again), a section of an unknown name is skipped
 * with a warning.
 *
 * Key of the image: XXH3-64 of the options that matter to reducing (all that are not listed in
 * part_options.c as of finishing alone), of the class map, the rates of a device file and the
 * extension's source. Other options: a failure of that rank that names them.
 *
 * Integrity: each section has its checksum, and so has the head; a truncated or damaged image is a
 * failure of its rank and of no other. Writing: in memory first, then under a temporary name in the
 * same folder, then renamed: under its name a part is whole, or is the one that was there before.
 */
#ifndef AZ_READ_PART_FILE_H
#define AZ_READ_PART_FILE_H

#include "read/internal.h"

#define AZ_PART_ENDING ".part"

/* One rank in a part file, by its beginning. Texts in the caller's arena. */
struct az_part_place {
    struct az_sv path;   /* of the trace, absolute; damaged: of the part file */
    struct az_sv format; /* empty: not known */
    struct az_sv file;   /* the part file */
    uint64_t at, length; /* in it */
    uint64_t bytes;      /* of the trace */
    uint64_t key;
    char hex[AZ_DIGEST_HEX]; /* of the trace; empty: not taken */
    bool failed;             /* the trace could not be read, or the part cannot be */
};
AZ_VEC(struct az_part_place, az_part_places);

/* Does the file begin as a part? */
bool az_part_is(const char *path);
/* The ranks in a part file, appended; a damaged end is one, too. AZ_EIO with a message, AZ_ENOMEM.
 */
int az_part_list(const char *path, struct az_arena *a, struct az_part_places *out,
                 struct az_diag *diag) AZ_MUST_USE;

/* The image of a rank that was reduced, or failed; job: of its trace, NULL: not known. Appended. */
int az_part_image(const struct az_plan_job *job, const struct az_input_rank *x,
                  struct az_vec_char *out, struct az_mem *mem) AZ_MUST_USE;
/* Reads a rank from the part that the file names (az_file.part) instead of its trace: x as
 * az_rank_reduce would leave it. Messages of the trace's reader are repeated. The error that it
 * had, or why the part cannot be used. Parts go to `own`, arenas by analysis (NULL: to retain as
 * well); texts may be NULL. */
int az_part_rank(struct az_input_run *o, const struct az_file *f, struct az_arena *keep,
                 struct az_arena *own, struct az_intern *texts,
                 struct az_input_rank *x) AZ_MUST_USE;
/* The parts of analyses that retain theirs (az_rank_analysis.keeps_parts), where az_part_rank with
 * arenas by analysis has only checked them. part: by analysis; that of others is left as it is. The
 * texts are interned. An error is one of the whole run: the rank is in tables already. */
int az_part_again(struct az_input_run *o, const struct az_file *f, struct az_arena *own,
                  struct az_intern *texts, void **part) AZ_MUST_USE;

/* ---- part_options.c ---- */
/* Options that matter to reducing and are not their defaults, "key=value" each, in the arena. */
int az_part_options(const struct az_options *o, struct az_arena *a,
                    struct az_vec_sv *out) AZ_MUST_USE;
uint64_t az_part_key(const struct az_vec_sv *options);
/* Key of the options of an input. */
int az_part_job_key(const struct az_plan_job *job, uint64_t *key) AZ_MUST_USE;
/* Is the option's value other than its default? Its text in the arena; false for paths and what is
 * no plain value. */
bool az_option_changed(const struct az_option *o, const struct az_options *now,
                       const struct az_options *def, struct az_arena *a, struct az_sv *out);

/* ---- map_part.c ---- */
/* While ranks are read for their parts only (az_input_run.map). */
struct az_map_run;
/* A rank is reduced, or has failed with these messages: writes its part. May be called on any
 * thread. */
/* Marks of the timeline in its part: its share of a report of the ranks of its run. */
size_t az_map_draw(const struct az_map_run *m, const struct az_trace *t);
int az_map_done(struct az_map_run *m, struct az_input_run *o, size_t i, struct az_input_rank *x,
                struct az_arena *keep);

#endif
