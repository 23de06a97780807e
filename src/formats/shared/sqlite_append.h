/* Tables of a database file filled with rows of another one as they are stored: bytes of records
 * are copied, and pages are built from their leaves, which costs a fraction of what SQLite's
 * machine needs for a row (docs/regions.md 8). SQLite makes the file first, with its schema and
 * empty tables; nobody else may have it open while it is filled. */
#ifndef AZ_FORMATS_SHARED_SQLITE_APPEND_H
#define AZ_FORMATS_SHARED_SQLITE_APPEND_H

#include "formats/shared/sqlite_pages.h"

struct az_append;

/* Opens a file whose pages have `page_size` bytes, all of them usable. NULL: errno, or no memory
 * (errno 0). */
struct az_append *az_append_open(const char *path, uint32_t page_size, struct az_mem *mem);
/* One table after the other, each of them empty: its first page, and its rows in ascending order
 * from pages of the same size and encoding. */
void az_append_begin(struct az_append *w, uint32_t root);
/* 0; 1: only SQLite can read the rest of the row, which is not appended. AZ_EFORMAT: records, or
 * all rows together, are longer than their file, as it is damaged: tables share pages. All tables
 * have to be of one file. */
int az_append_row(struct az_append *w, const struct az_pages *from,
                  const struct az_pages_row *row) AZ_MUST_USE;
void az_append_end(struct az_append *w);
/* Frees w. The first error: AZ_EIO with errno, AZ_EFORMAT, AZ_ENOMEM, AZ_ELIMIT. */
int az_append_close(struct az_append *w) AZ_MUST_USE;

#endif
