/* Which inputs an existing output was written for. */
#ifndef AZ_RUN_OUTPUT_SOURCES_H
#define AZ_RUN_OUTPUT_SOURCES_H

#include "read/input_job.h"

/* The inputs as one text: their absolute paths. Empty: a stream, which has no place. In the arena.
 */
struct az_sv az_source_of_files(struct az_arena *a, const struct az_input_files *files);
/* Such a text, or several, at a length that an attribute can have. */
struct az_sv az_source_short(struct az_arena *a, struct az_sv all);
/* The same without the names of files: as a number. */
struct az_sv az_source_hidden(struct az_arena *a, struct az_sv source);
/* The file, or folder, of a report under a name without extension. */
struct az_sv az_output_path(struct az_arena *a, struct az_sv stem, const struct az_report *r);
/* Adds "-2" or a higher number to the stem if one of the reports is there and was written for other
 * inputs, with a warning. */
int az_output_stem(struct az_arena *a, struct az_sv source, const struct az_report *const *reports,
                   size_t n, struct az_sv *stem, struct az_diag *diag) AZ_MUST_USE;
/* Records the inputs; where that is not possible nothing happens. */
void az_source_mark(struct az_sv path, struct az_sv source);

#endif
