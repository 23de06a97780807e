/* How tables of results are compared: one row per kind of table. Key and value columns are named by
 * their canonical ids or stems (document/schema.h), so one row serves the tables of every format.
 */
#ifndef AZ_DOCUMENT_TABLE_KINDS_H
#define AZ_DOCUMENT_TABLE_KINDS_H

#include "document/table.h"

enum az_spec_flag {
    AZ_SPEC_SPLIT =
        1, /* three tables a variant: in both, only in the baseline, only in the variant */
    AZ_SPEC_TEXT = 2,     /* shown in the text report */
    AZ_SPEC_ALL = 4,      /* text shows all rows in their order, not the biggest changes first */
    AZ_SPEC_NUMBER = 8,   /* rows of equal keys are paired by their order; else they are added up */
    AZ_SPEC_SKIP = 16,    /* not compared: one row per event, or facts about a run */
    AZ_SPEC_FAMILY = 64,  /* a family of operations: arguments of calls are hidden in workbooks */
    AZ_SPEC_RENAME = 128, /* rows may be renamed although no key but the name distinguishes them */
    AZ_SPEC_TREE = 256,   /* part of a call-tree difference: with opts.tree moved as it is */
    AZ_SPEC_MIXED = 1024  /* rows nest or are metrics of several kinds: there is no total */
};

/* Lists are divided by '|'; ids of which the first that a table has counts, by '='. */
struct az_compare_spec {
    const char *sheets; /* globs of table ids */
    /* Header of a column that the table must have, the mark of a layout; NULL: none. */
    const char *with;
    /* Columns of the key; `x?`: only where all tables have it; `x*`: all columns of this start that
     * all tables have. */
    const char *keys;
    /* Metrics compared, the first is what rows are sorted by. NULL: the columns with a direction.
     */
    const char *values;
    const char *drop; /* headers of columns skipped; `x+`: of the variants only */
    const char *why;  /* with AZ_SPEC_SKIP: why the table is skipped */
    const char *
        total; /* value of the last key column whose row is the whole; NULL: the whole is the sum */
    unsigned flags;
};

/* How a table is compared; never NULL (by its columns' flags, if nothing is known of it). has():
 * does the table have a column of that name? */
const struct az_compare_spec *az_compare_spec_of(struct az_sv id, const struct az_table *t);
/* Is there a row for exactly this table (not by a glob)? Such a CSV file is a table of a result. */
bool az_compare_has_spec(struct az_sv id);
/* Is the table part of a call-tree difference (AZ_SPEC_TREE)? */
bool az_compare_of_tree(struct az_sv id);
/* The name under which a table is known here: names of other tools become ours ("ops_unique_args"
 * -> "ops_all"). */
struct az_sv az_compare_alias(struct az_sv id);
/* The group of tables a word of users stands for ("roofline", "ops_all"); NULL: none. A list of
 * globs, '|' between. */
const char *az_compare_group(struct az_sv word);

/* First of the ids or stems of one metric ("a=b") that the table has, or -1. */
ptrdiff_t az_compare_column(const struct az_table *t, struct az_sv ids);
/* The column of another table's header, or -1. */
ptrdiff_t az_compare_like(const struct az_table *t, const struct az_column *column);

#endif
