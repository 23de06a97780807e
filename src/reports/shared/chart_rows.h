/* Rows that charts draw, for writers that draw them. */
#ifndef AZ_REPORTS_SHARED_CHART_ROWS_H
#define AZ_REPORTS_SHARED_CHART_ROWS_H

#include "document/document.h"

/* Stores the rows of tables with charts that are made when they are read (document/rows.h), before
 * a writer begins. 0 or an error. */
int az_charts_store_rows(const struct az_document *d) AZ_MUST_USE;

#endif
