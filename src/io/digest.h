/* XXH3-128 of a file's bytes, in the canonical (big-endian) form that `xxhsum -H2` prints: what
 * `facts` distinguishes inputs by. */
#ifndef AZ_IO_DIGEST_H
#define AZ_IO_DIGEST_H

#include <stdatomic.h>

#include "base/mem.h"

#define AZ_DIGEST_HEX 33 /* digits and a NUL */

/* A digest computed while a source reads a file (az_source_opts.digest), so that it need not be
 * read twice. One reader at a time. */
struct az_digest;
struct az_digest *az_digest_new(struct az_mem *mem); /* NULL on failure */
void az_digest_free(struct az_digest *d);            /* NULL is fine */
void az_digest_reset(struct az_digest *d);
void az_digest_update(struct az_digest *d, const void *bytes, size_t n);
void az_digest_end(struct az_digest *d); /* the file ends here */

/* The same of a file of which d has the first bytes, or all: what d lacks is read here. NULL:
 * AZ_ENOMEM; AZ_EIO leaves errno; adds no message. */
int az_digest_rest(struct az_digest *d, const char *path, char hex[AZ_DIGEST_HEX],
                   uint64_t *size) AZ_MUST_USE;
/* Digests the rest of the file, concurrently with other work, until *stop, if not NULL, is set:
 * the rest can be digested later. Same errors. */
int az_digest_finish(struct az_digest *d, const char *path, const atomic_bool *stop) AZ_MUST_USE;
/* Of a whole file; same errors. */
int az_file_digest(const char *path, char hex[AZ_DIGEST_HEX], uint64_t *size) AZ_MUST_USE;
/* az_digest_update of an XXH3_state_t for processors with AVX2 (base/cpu.h). */
void az_digest_update_v3(void *state, const void *bytes, size_t n);
/* XXH3-64 of bytes, for checksums in files. */
uint64_t az_checksum(const void *bytes, size_t n);

#endif
