/* Numbers in human units, for sentences. Tables have raw numbers. */
#ifndef AZ_BASE_HUMAN_H
#define AZ_BASE_HUMAN_H

#include <stddef.h>
#include <stdint.h>

enum { AZ_HUMAN_MAX = 32 };

/* "0 ns", "640 ns", "30.5 us", "908.3 ms", "78.4 s", "12.3 min", "5.2 h": the unit in which the
 * number is between 1 and 1000 (below 1 us: whole ns), one decimal. Negative times have their sign.
 * Returns the length. */
size_t az_human_time(int64_t ns, char out[AZ_HUMAN_MAX]);
/* "17 B", "0.6 MB", "12.0 GB": powers of 1000, one decimal. Returns the length. */
size_t az_human_bytes(double bytes, char out[AZ_HUMAN_MAX]);
/* "181 TFLOP/s", "4.31 GFLOP/s": three digits. Returns the length. */
size_t az_human_flops(double per_second, char out[AZ_HUMAN_MAX]);
/* "4,315". Returns the length. */
size_t az_human_count(int64_t n, char out[AZ_HUMAN_MAX]);

#endif
