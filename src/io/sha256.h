/* SHA-256 and base64, for the policy that names the scripts of an HTML report by their digests. */
#ifndef AZ_IO_SHA256_H
#define AZ_IO_SHA256_H

#include <stdint.h>

#include "base/sv.h"

#define AZ_SHA256_BYTES 32
/* Digest of the whole view (FIPS 180-4, section 6.2). */
void az_sha256(struct az_sv data, uint8_t digest[AZ_SHA256_BYTES]);

/* Base64 of n bytes with padding (RFC 4648, section 4), NUL-terminated; out holds AZ_BASE64_SIZE(n)
 * bytes. Returns the length without the NUL. */
#define AZ_BASE64_SIZE(n) (((n) + 2) / 3 * 4 + 1)
size_t az_base64(const uint8_t *bytes, size_t n, char *out);

#endif
