/* Private to text: where the fields of a stretch of CSV end, found 64 bytes at a time. Only with
 * SSE2, which every x86-64 has; elsewhere csv.c splits byte by byte. */
#ifndef AZ_TEXT_CSV_INDEX_H
#define AZ_TEXT_CSV_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#define AZ_CSV_SIMD 1
#else
#define AZ_CSV_SIMD 0
#endif

#define AZ_CSV_CHUNK                                                                               \
    8192 /* bytes indexed at once: what the index points at stays in the first-level cache */
#define AZ_CSV_BLOCK 64

struct az_csv_index {
    size_t base;    /* offset in the window of the chunk's first byte */
    size_t scanned; /* offset up to which the window is indexed */
    size_t blocks;  /* of the chunk */
    size_t block;   /* the block being used up; `blocks` when none is left */
    uint64_t left;  /* its ends not yet used */
    /* Of each block: bit i: byte i is a separator or line end outside quotes. */
    uint64_t ends[AZ_CSV_CHUNK / AZ_CSV_BLOCK];

    uint64_t in_quote; /* all ones: byte `scanned` is inside quotes */
    uint64_t may_open; /* 1: a quote at `scanned` is the first byte of a field or doubles a closing
                          one */
    uint64_t was_closed; /* 1: the byte before `scanned` is a closing quote */
    bool doubled;        /* the chunk contains a doubled quote, */
    bool breaks;         /* a line break inside quotes, */
    bool irregular; /* a quote in the midst of a field: the ends stop before it, and so does the
                       indexing */
};

/* Starts at `at`, the first byte of a row. */
void az_csv_index_start(struct az_csv_index *x, size_t at);
/* Indexes the next chunk of bytes [scanned, end) of `w`, in place of the last one. Whole blocks
 * only, unless `last`: nothing follows `end`. 64 bytes after `end` must be readable. */
void az_csv_index_chunk(struct az_csv_index *x, const char *w, size_t end, bool last, char sep);

#endif
