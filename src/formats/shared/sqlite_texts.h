/* The text of a row by its number, found in the pages of a table without SQLite's machine, which is
 * ten times slower for each of the names of a trace (docs/performance.md 3). Only what is plain is
 * found here; all else, a missing number included, is left to SQLite. */
#ifndef AZ_FORMATS_SHARED_SQLITE_TEXTS_H
#define AZ_FORMATS_SHARED_SQLITE_TEXTS_H

#include "formats/shared/sqlite_pages.h"

#define AZ_TEXTS_HELD ((size_t)2 << 20) /* bytes of cached pages, as many as SQLite's */
enum { AZ_TEXTS_SLOTS = 128 };

struct az_texts {
    struct az_pages p;
    unsigned place; /* of the text in a record */
    unsigned slots;
    uint64_t run; /* pages of a slot, which are read together */
    struct {
        unsigned char *bytes; /* NULL: never used */
        uint64_t first, n;    /* its pages; 0: none */
    } slot[AZ_TEXTS_SLOTS];
};
/* Can texts be found so: is `key` the number of the row, and `value` no computed column? The
 * connection has to be in a transaction. False: *t finds nothing. */
bool az_texts_open(struct az_texts *t, struct az_sqlite *x, const char *table, const char *key,
                   const char *value);
/* The text, valid until the next call. False: SQLite has to be queried. */
bool az_texts_get(struct az_texts *t, int64_t key, struct az_sv *text);
/* Also where nothing was opened, if *t is zero. */
void az_texts_close(struct az_texts *t);

#endif
