/* Results of earlier runs as lists of documents: for baselines, for `gate`, for the history. */
#ifndef AZ_RUN_BASELINE_LOAD_H
#define AZ_RUN_BASELINE_LOAD_H

#include "saved/load.h"

struct az_saved_doc {
    struct az_document doc;
    struct az_arena arena;
    struct az_mem mem;
    struct az_sv title;  /* of the result, else the name of its folder */
    struct az_sv path;   /* NUL-terminated */
    int64_t mtime;       /* of the file, seconds since 1970 */
    bool baseline, only; /* for gates: it is one; and the only one of its operand */
};
AZ_VEC(struct az_saved_doc *, az_saved_list);

/* Does the path name saved results: a result JSON, a folder of CSV tables, a folder of these, or a
 * glob? */
bool az_saved_is(const char *path);
/* Adds the results that a path names, in order of their names; of a folder with both, the JSON
 * files. AZ_EFORMAT and others with a message. */
int az_saved_collect(const char *path, struct az_saved_list *out, struct az_diag *diag) AZ_MUST_USE;
/* Keys and directions of the columns of CSV tables, which do not have them. Not twice. */
void az_saved_guess(struct az_document *doc);
void az_saved_release(struct az_saved_list *l); /* frees all */

#endif
