/* The timeline of several ranks by metric, for comparisons: reports have it by rank. */
#ifndef AZ_DOCUMENT_RANKS_TIMELINE_H
#define AZ_DOCUMENT_RANKS_TIMELINE_H

#include "document/document.h"

/* The document with the table `gpu_timelines` (mean, deviation, least and most of the ranks), made
 * of `gpu_timelines_by_rank`, where it has only that one: then a copy in the arena that shares all
 * other tables and is not released; else the document itself. NULL: out of memory. */
const struct az_document *az_ranks_timeline(struct az_arena *a, const struct az_document *d);
/* The same, added to the document. */
int az_ranks_timeline_add(struct az_document *d) AZ_MUST_USE;

#endif
