/* The first screen of a report: of the document's tables one each for where the time goes, in the
 * families of work and in the names of the user, what uses the most of it, and how the ranks
 * differ; with the columns that a person reads first. All other tables are shown on request. */
#ifndef AZ_DOCUMENT_SUMMARY_VIEW_H
#define AZ_DOCUMENT_SUMMARY_VIEW_H

#include "document/document.h"

enum { AZ_SCREEN_PARTS = 5, AZ_SCREEN_COLUMNS = 10 };

struct az_screen_part {
    const struct az_table *table;
    size_t rows;                   /* at most so many are shown */
    size_t col[AZ_SCREEN_COLUMNS]; /* in the order in which they are shown, the dearest first */
    size_t n;                      /* 0: the table's own columns */
};
/* Parts in the order of the screen; 0 where the document has no such table (a list, a comparison
 * without a result). */
size_t az_screen_choose(const struct az_document *d, struct az_screen_part out[AZ_SCREEN_PARTS]);

#endif
