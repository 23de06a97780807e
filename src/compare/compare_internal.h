/* Parts of the comparison. Private to compare*.c and side_by_side.c. */
#ifndef AZ_COMPARE_COMPARE_INTERNAL_H
#define AZ_COMPARE_COMPARE_INTERNAL_H

#include "base/intern.h"
#include "compare/compare.h"
#include "document/schema.h"
#include "document/table_kinds.h"

/* One key column of a joined table, or one figure. */
struct az_joined_column {
    struct az_sv name, stem, title; /* as in the first table that has it */
    ptrdiff_t at[AZ_COMPARE_MAX];   /* column in each input's table; -1: it has none */
    double scale[AZ_COMPARE_MAX];   /* of a metric: factor to the baseline's unit */
    enum az_unit unit;              /* of the baseline's column */
    enum az_cell_type
        type;       /* of a metric: AZ_INT if all sides are whole and of one unit, else AZ_REAL */
    unsigned flags; /* direction */
};

/* A row in all inputs. */
struct az_joined_row {
    struct az_sv *key;            /* as printed, one a key column; NULL view: empty */
    const struct az_cell **cells; /* one an input: its row; NULL: has none */
    struct az_sv *
        partner; /* one an input: of a row that may only be renamed, the other's first key; empty */
};

struct az_joined {
    struct az_sv id, title;
    /* By which the tables of all inputs are one; id is what the first of them calls it. */
    struct az_sv name;
    const struct az_compare_spec *spec;
    const struct az_table *table[AZ_COMPARE_MAX]; /* NULL: the input has none */
    struct az_joined_column *keys, *values;
    size_t n_keys, n_values;
    struct az_joined_row *rows; /* baseline order, then the others by size */
    size_t n_rows;
    const char *left_out; /* why the tables are not compared; NULL: they are */
    /* A key that is skipped: each input has one value, and not the same; empty: none. */
    struct az_sv lone;
    size_t merged; /* rows that had an equal key before them and were added up or numbered */
};

struct az_comparison {
    struct az_document *doc;
    struct az_arena *a;
    const struct az_compare_input *in;
    struct az_sv shown[AZ_COMPARE_MAX]; /* tags for sentences and titles: long ones are truncated */
    size_t n, base;                     /* inputs that can be read; which of them is the baseline */
    const struct az_compare_opts *opts;
    struct az_diag *diag;
    struct az_joined *tables;
    size_t n_tables;
    bool by_other; /* kernel names do not pair the work: their tables are not in the text */
};

/* Is the input compared with the baseline in this table? */
static inline bool az_is_variant(const struct az_comparison *c, const struct az_joined *j,
                                 size_t input)
{
    return input != c->base && j->table[input];
}

enum az_row_status { ROW_NONE, ROW_SAME, ROW_CHANGED, ROW_NEW, ROW_REMOVED };

/* ---- compare_columns.c ---- */
/* Keys and metrics of the tables of one id; n_keys 0: they cannot be compared. */
int az_join_columns(struct az_comparison *c, struct az_joined *j) AZ_MUST_USE;

/* ---- compare_join.c ---- */
/* Joins the tables j->table[] (all of one id); j->n_keys 0 afterwards: they cannot be compared. */
int az_join(struct az_comparison *c, struct az_joined *j) AZ_MUST_USE;

/* ---- compare_row.c ---- */
/* A metric of a row, in the baseline's unit; false: empty or not there. */
bool az_row_value(const struct az_joined *j, const struct az_joined_row *r, size_t value,
                  size_t input, double *out);
/* The same as the whole number it is; false where the column is not whole. */
bool az_row_whole(const struct az_joined *j, const struct az_joined_row *r, size_t value,
                  size_t input, int64_t *out);
enum az_row_status az_row_status(const struct az_comparison *c, const struct az_joined *j,
                                 const struct az_joined_row *r, size_t variant);
/* Is it the row that stands for the whole, next to its parts? */
bool az_row_is_whole(const struct az_joined *j, const struct az_joined_row *r);
/* The whole that shares are of: the row the spec names, else the sum of the first metric; NaN where
 * rows are metrics of several kinds. */
double az_join_total(const struct az_joined *j, size_t input);
/* Marks pairs of removed and new rows that may be one row under another name. */
int az_join_renamed(struct az_comparison *c, struct az_joined *j, size_t variant) AZ_MUST_USE;

/* ---- compare_table.c ---- */
int az_joined_tables(struct az_comparison *c, const struct az_joined *j) AZ_MUST_USE;
/* Its short form for text, if the specification has one. */
int az_joined_text(struct az_comparison *c, const struct az_joined *j) AZ_MUST_USE;
/* What readers call the metric, without its unit: "Kernel time". */
struct az_sv az_joined_metric(const struct az_joined_column *value);
/* "x" for one variant, "x__TAG" where there are several. */
struct az_sv az_variant_name(const struct az_comparison *c, const char *name, size_t variant);

/* ---- compare_summary.c ---- */
int az_compare_summary(struct az_comparison *c) AZ_MUST_USE;
int az_compare_facts(struct az_comparison *c) AZ_MUST_USE;
/* Is the table, or are its rows, on some sides only? */
bool az_joined_one_sided(const struct az_comparison *c, const struct az_joined *j);
/* ---- compare_sheets.c ---- */
/* Marks the tables that have no sheet in a workbook (AZ_TABLE_NO_SHEET), unless the options request
 * all. */
int az_compare_sheets(struct az_comparison *c) AZ_MUST_USE;
/* Geometric mean of variant over baseline, weighted by the baseline's share; NaN without a row in
 * both. */
double az_join_geomean(const struct az_comparison *c, const struct az_joined *j, size_t variant);

#endif
