/* Sheet sets: the sheets of another program, each made from a table of ours, under its names, with
 * its columns, in its order, for scripts that read the files of that program. */
#ifndef AZ_TABLES_SHEET_SET_H
#define AZ_TABLES_SHEET_SET_H

#include "document/document.h"

struct az_sheet_column {
    const char *name; /* NULL: end of the list */
    const char *from; /* header of our column; NULL: the same */
    double per;       /* numbers are divided by this; 0: they stay */
    double plus;      /* and this is added to numbers */
    bool if_there;    /* omitted where our table lacks it; else its cells are empty */
};
struct az_sheet {
    const char *name;  /* of the sheet; of several tables with a `*` for what theirs is for; NULL:
                          the table's id */
    const char *table; /* id of our table, kind of several, or beginning of ids before a `*` */
    const struct az_sheet_column *columns; /* NULL: all of the table */
    const char *before;   /* headers, `|` between them, of which the first that is there, and those
                             after it, are not among all; NULL: none */
    const char *without;  /* headers that are not among all, `|` between them, or `*` and their end;
                             NULL: none */
    const char *measured; /* beginnings of headers, `|` between them, that end with `_` and a
                             statistic: only those that are requested are among all; NULL: none */
};
struct az_sheet_set {
    const char *name; /* of the program, as the option `sheets_as` has it */
    const struct az_sheet *sheets;
    size_t n;
    bool rest; /* our other tables follow */
};

/* The set of that name in a NULL-terminated list; NULL: none. */
const struct az_sheet_set *az_sheet_set_find(const struct az_sheet_set *const *list,
                                             struct az_sv name);
/* Is a sheet made from the tables of this id or kind? NULL: no set, none is. */
bool az_sheet_set_reads(const struct az_sheet_set *s, const char *table);
/* Fills `to`, which is initialized and empty, with the sheets. Their rows are read from `from`,
 * which outlives it, when they are written. statistics: those requested, blanks between them;
 * empty: all. */
int az_sheet_set_apply(const struct az_sheet_set *s, const struct az_document *from,
                       struct az_sv statistics, struct az_document *to) AZ_MUST_USE;

#endif
