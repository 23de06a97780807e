/* Numbers as an SQLite file has them: sqlite.org/fileformat2.html. Private to the files that read
 * pages of a database themselves. */
#ifndef AZ_FORMATS_SHARED_SQLITE_BYTES_H
#define AZ_FORMATS_SHARED_SQLITE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AZ_PAGE_LEAF = 13,       /* kind of a page of rows */
    AZ_PAGE_INNER = 5,       /* of one that names others */
    AZ_PAGE_LEAF_HEADER = 8, /* bytes, then two a row */
    AZ_PAGE_INNER_HEADER = 12,
    AZ_PAGE_DEPTH = 20 /* of a tree, as SQLite limits it */
};

static inline unsigned az_two(const unsigned char *p) { return (unsigned)p[0] << 8 | p[1]; }
static inline uint32_t az_four(const unsigned char *p)
{
    return (uint32_t)az_two(p) << 16 | az_two(p + 2);
}
static inline uint64_t az_eight(const unsigned char *p)
{
    return (uint64_t)az_four(p) << 32 | az_four(p + 4);
}

/* How many cells a page may have, as SQLite has it: none is shorter than six bytes. */
static inline unsigned az_page_most_cells(uint32_t page_size) { return (page_size - 8) / 6; }

/* A number of 1 to 9 bytes, 7 bits in each but the ninth; *at moves after it. */
static inline bool az_varint(const unsigned char **at, const unsigned char *end, uint64_t *v)
{
    const unsigned char *p = *at;
    if (p < end && *p < 0x80) {
        *v = *p;
        *at = p + 1;
        return true;
    }
    uint64_t x = 0;
    for (int i = 0; i < 9 && p < end; i++, p++) {
        if (i == 8 || *p < 0x80) {
            *v = i == 8 ? x << 8 | *p : x << 7 | *p;
            *at = p + 1;
            return true;
        }
        x = x << 7 | (*p & 0x7f);
    }
    return false;
}

/* Bytes of a value of a record by its type; numbers have no more than eight. */
static inline uint64_t az_size_of_type(uint64_t type)
{
    static const uint8_t fixed[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
    return type < 12 ? fixed[type] : (type - 12) / 2;
}

#endif
