/* Which table proves a finding. A rule names the tables that may, the best first; a report has some
 * of them. */
#ifndef AZ_DOCUMENT_EVIDENCE_H
#define AZ_DOCUMENT_EVIDENCE_H

#include "document/document.h"

/* In each row of the tables `verdict` and `findings`, of the ids in column `evidence` (with one
 * space between them) only one is left: the first of a table of the document with a cell that is
 * the text of column `evidence row`, or begins with it; else the last that the document has (the
 * first, if no row is named); else none. A row that the remaining table does not have is removed.
 */
void az_evidence_settle(struct az_document *d);

#endif
