/* Which tables a report shows by default. One question has one table: where several tables have its
 * answer, the first in the list of views that the document has is shown. What only another
 * tool's vocabulary adds comes on request (the option `compat`); a table of the tool that the users
 * of a format expect is that format's default. */
#ifndef AZ_TABLES_VIEWS_H
#define AZ_TABLES_VIEWS_H

#include "document/document.h"
#include "model/options.h"

struct az_sheet_set;
struct az_view_choice {
    unsigned compat; /* tools requested */
    unsigned native; /* tool of the format's users; 0: none */
    bool class_map;  /* the user has classes of kernels of his own */
    bool classic;    /* the report has the classic Nsight block */
    bool families;   /* it is compared with one that may have tables by family of operators */
    const struct az_sheet_set *sheets; /* tables from which sheets are made are shown; NULL: none */
    bool causes; /* the verdict, made last, adds `idle_causes` where there are gaps */
};
/* Would the table be shown next to those that the document has? For an analysis that would make it
 * for nothing. */
bool az_views_wanted(const struct az_document *d, const char *table, struct az_view_choice c);
/* Frees the rows of large tables that will not be shown whatever else comes, of a document that
 * grows; the tables stay, empty, for az_views_select. */
void az_views_prune(struct az_document *d, struct az_view_choice c);
/* Removes the tables that are not shown from a complete document. *withheld: their ids as text, "a,
 * b", in the document's arena; empty: none. */
int az_views_select(struct az_document *d, struct az_view_choice c,
                    struct az_sv *withheld) AZ_MUST_USE;
/* Adds tables of a complete document once more under the names they have in the tools requested
 * (aliases.c). */
int az_views_alias(struct az_document *d, unsigned compat) AZ_MUST_USE;

#endif
