/* Results of earlier runs (result JSONs, folders of CSV tables) into the history. */
#ifndef AZ_RUN_HISTORY_IMPORT_H
#define AZ_RUN_HISTORY_IMPORT_H

#include "regression/history.h"

struct az_import {
    const char *const *paths;
    size_t n;
    bool one_run; /* all paths are inputs of one run; else each path is a run */
    struct az_sv label, commit, branch, host, stack,
        created; /* win over labels of the results; empty: not set */
};

/* "commit=abc" into its field. AZ_EUSAGE: no such label. */
int az_import_label(struct az_import *im, struct az_sv text) AZ_MUST_USE;
/* Adds the runs; their numbers in ids, also of those before a failure. Without a recorded time of a
 * run it is the time of its file. */
int az_history_import(struct az_history *h, const struct az_import *im, struct az_vec_i64 *ids,
                      struct az_diag *diag) AZ_MUST_USE;

#endif
