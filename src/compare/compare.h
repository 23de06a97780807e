/* Comparison of results: a baseline and its variants, table by table, into a document of its own.
 * Sees tables only, so it works for every format, and across formats where tables and columns
 * have one meaning. */
#ifndef AZ_COMPARE_COMPARE_H
#define AZ_COMPARE_COMPARE_H

#include "classify/classmap.h"
#include "document/change.h"
#include "document/document.h"

#define AZ_COMPARE_MAX 64 /* results at once */

struct az_compare_input {
    const struct az_document *doc; /* borrowed; NULL: this one could not be read and is skipped */
    struct az_sv tag;              /* name in column headings, `<tag>::<column>`; unique */
    struct az_sv title;            /* of the input, for readers */
    const struct az_class_rules *classes; /* the user's map of kernel names; NULL: not known */
};

struct az_compare_opts {
    struct az_sv baseline;      /* first, best, median, or a tag; empty: first */
    const struct az_sv *tables; /* ids, globs or groups (az_compare_group); n_tables 0: all */
    size_t n_tables;
    bool normalize; /* names of kernels are normalized before they are compared (az_compare_normal)
                     */
    bool tree; /* the baseline has its call-tree difference to the other input: its tables are moved
                */
    bool text_all;                /* text shows every table, not only the main ones */
    struct az_change_opts change; /* the basis */
    bool all_sheets;              /* a workbook has a sheet for every table, not twelve at most */
};

/* Fills doc, which is initialized and empty: compare_summary first, then what was compared, facts
 * that differ, the waterfall (it adds up exactly: whole nanoseconds), side by side, and every table
 * that two inputs have. 0; AZ_EEMPTY if fewer than two inputs can be read; AZ_EUSAGE for a baseline
 * that is none of them, or too many inputs; AZ_EFORMAT if a table requested by its name, or the
 * call-tree difference, is missing, or an input shares no table with the baseline (the rest is
 * there). Messages in diag. */
int az_compare(struct az_document *doc, const struct az_compare_input *in, size_t n,
               const struct az_compare_opts *opts, struct az_diag *diag) AZ_MUST_USE;

/* Makes tags unique: "x", "x~2". In the arena. */
int az_compare_unique(struct az_arena *a, struct az_sv *tags, size_t n) AZ_MUST_USE;

/* ---- keys, also for tests ---- */
/* Text of a cell as a key: numbers in one spelling (64 = 64.0), no blanks next to , ( ) [ ], lists
 * as JSON has them: Python's (1, 'a', None) is [1,"a",null]. {NULL, 0}: no memory. */
struct az_sv az_compare_key(struct az_arena *a, const struct az_cell *c);
/* A kernel's name without template arguments, hexadecimal addresses, and the numbers at the end of
 * generated names (configs/generated_names.rules). {NULL, 0}: no memory. */
struct az_sv az_compare_normal(struct az_arena *a, struct az_sv name);

#endif
