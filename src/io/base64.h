/* Base64, for the policy that names the scripts of an HTML report by their digests. */
#ifndef AZ_IO_BASE64_H
#define AZ_IO_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Base64 of n bytes with padding (RFC 4648, section 4), NUL-terminated; out holds AZ_BASE64_SIZE(n)
 * bytes. Returns the length without the NUL. */
#define AZ_BASE64_SIZE(n) (((n) + 2) / 3 * 4 + 1)
size_t az_base64(const uint8_t *bytes, size_t n, char *out);

#endif
