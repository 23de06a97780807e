/* Packing by deflate, through ISA-L or zlib after one face. ISA-L packs rows and traces about five
 * times faster than zlib's quickest level, at a like size. Its bytes are the same on all processors
 * of a kind that count CRC32 in hardware (x86-64: SSE4.2, all since 2008); others get longer ones
 * of it (docs/outputs.md).
 */
#ifndef AZ_IO_GZIP_DEFLATE_H
#define AZ_IO_GZIP_DEFLATE_H

#include "base/mem.h"
#include "io/source.h"

struct az_deflate;

struct az_deflate_opts {
    enum az_inflater which; /* the library, as for inflating; zlib where there is no other */
    bool gzip;              /* with its header and its sum, else the bare stream */
    int zlib_level;
    bool (*write)(void *to, const char *p, size_t n); /* receives the output; false: it cannot */
    void *to;
};

/* AZ_ENOMEM, AZ_ELIMIT. */
int az_deflate_new(struct az_deflate **d, const struct az_deflate_opts *o,
                   struct az_mem *mem) AZ_MUST_USE;
/* A new stream of the same options, after the last one ended or was flushed, in the same memory. */
void az_deflate_restart(struct az_deflate *d, bool (*write)(void *to, const char *p, size_t n),
                        void *to);
/* The next bytes; `last`: the stream ends with them. False: packing or the receiver failed, now or
 * before. Equal calls produce equal bytes; the output depends on how the input is divided. */
bool az_deflate_add(struct az_deflate *d, const char *p, size_t n, bool last) AZ_MUST_USE;
/* CRC32 of n more bytes, as zip and gzip have it; 0 before the first. */
uint32_t az_deflate_sum(uint32_t sum, const char *p, size_t n);
/* All bytes so far go to the receiver, whole. What another stream has up to its end or a flush may
 * follow them: together they are one stream. */
bool az_deflate_flush(struct az_deflate *d) AZ_MUST_USE;
/* The sum of two texts one after the other from those of each; n: bytes of the second. */
uint32_t az_deflate_sum_join(uint32_t first, uint32_t second, uint64_t n);
void az_deflate_free(struct az_deflate *d); /* NULL is allowed */

#endif
