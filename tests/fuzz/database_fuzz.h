/* What the harnesses of SQLite formats share next to format_fuzz.h: a good database, damaged by the
 * input. */
#ifndef AZ_TESTS_DATABASE_FUZZ_H
#define AZ_TESTS_DATABASE_FUZZ_H

#include <sqlite3.h>
#include <string.h>

#include "format_fuzz.h"

/* The database that the statements `good` make, as bytes, made once; belongs to SQLite's allocator.
 */
static inline unsigned char *fuzz_good_bytes(const char *good, sqlite3_int64 *n)
{
    static unsigned char *bytes;
    static sqlite3_int64 size;
    if (!bytes) {
        sqlite3 *db;
        if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
            sqlite3_exec(db, good, NULL, NULL, NULL) != SQLITE_OK)
            abort();
        bytes = sqlite3_serialize(db, "main", &size, 0);
        if (!bytes)
            abort();
        (void)sqlite3_close(db);
    }
    *n = size;
    return bytes;
}

/* Bytes that begin with the SQLite magic as they are; all else is a list of edits of the good
 * database. */
static inline void fuzz_database(int fd, const char *good, const uint8_t *data, size_t size)
{
    if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0) {
        if (write(fd, data, size) != (ssize_t)size)
            abort();
        return;
    }
    sqlite3_int64 n;
    const unsigned char *from = fuzz_good_bytes(good, &n);
    if (write(fd, from, (size_t)n) != (ssize_t)n)
        abort();
    for (size_t i = 0; i + 3 <= size; i += 3) { /* 16-bit place in the file, byte */
        off_t at = (off_t)((size_t)(data[i] | data[i + 1] << 8) % (size_t)n);
        if (at >= 16 && pwrite(fd, data + i + 2, 1, at) != 1)
            abort();
    }
    if (size % 3 == 1 && ftruncate(fd, (off_t)(n * data[size - 1] / 256)) != 0)
        abort();
}

#endif
