/* Private to io: inflating zstd frames, one after the other, as io/gzip.h does members of gzip; its
 * steps are the same. Without the library at build time there are none. */
#ifndef AZ_IO_ZSTD_INFLATE_H
#define AZ_IO_ZSTD_INFLATE_H

#include "io/gzip.h"

struct az_zstd;

/* Do the bytes begin as a frame, also one to skip? */
bool az_zstd_begins(struct az_sv v);
/* The window (128 MB at most) is charged to mem as it is needed. AZ_EINTERNAL: not built in. */
int az_zstd_new(struct az_zstd **z, struct az_mem *mem) AZ_MUST_USE;
void az_zstd_free(struct az_zstd *z);
void az_zstd_restart(struct az_zstd *z);
enum az_gzip_step az_zstd_inflate(struct az_zstd *z, struct az_sv in, size_t *used, char *out,
                                  size_t room, size_t *made) AZ_MUST_USE;

#endif
