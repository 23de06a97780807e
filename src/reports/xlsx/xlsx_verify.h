/* Is a finished workbook whole? Private to the room. */
#ifndef AZ_REPORTS_XLSX_XLSX_VERIFY_H
#define AZ_REPORTS_XLSX_XLSX_VERIFY_H

#include "base/mem.h"

/* Reads a zip file back: every part inflates with the right checksum and is one balanced XML
 * document. AZ_EFORMAT or AZ_EIO: *damage is what is wrong (constant text). */
int az_xlsx_verify(const char *path, struct az_mem *mem, const char **damage) AZ_MUST_USE;

#endif
