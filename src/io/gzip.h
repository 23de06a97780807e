/* Private to io: inflating one gzip member after the other, by ISA-L or zlib after one face. The
 * caller (source.c) handles bytes between members and the end of the input, so both back ends
 * produce the same messages.
 */
#ifndef AZ_IO_GZIP_H
#define AZ_IO_GZIP_H

#include "base/mem.h"
#include "io/source.h"

struct az_gzip;

enum az_gzip_step {
    AZ_GZIP_GOING,      /* input used up, or output full */
    AZ_GZIP_MEMBER_END, /* header, data and checksum of one member are complete and right */
    AZ_GZIP_BAD_HEADER,
    AZ_GZIP_BAD_DATA,
    AZ_GZIP_BAD_SUM,
    AZ_GZIP_NO_MEMORY
};

/* The state (40 to 90 KB) is charged to mem. AZ_EINTERNAL if `which` is not built in. */
int az_gzip_new(struct az_gzip **g, enum az_inflater which, struct az_mem *mem) AZ_MUST_USE;
void az_gzip_free(struct az_gzip *g);
/* Makes ready for the header of the next member. */
void az_gzip_restart(struct az_gzip *g);
/* One step: *used bytes of `in` were consumed, *made bytes were put into out (also before an
 * error). GOING with nothing used and nothing made: there is nothing to be had without more input.
 */
enum az_gzip_step az_gzip_inflate(struct az_gzip *g, struct az_sv in, size_t *used, char *out,
                                  size_t room, size_t *made) AZ_MUST_USE;

#endif
