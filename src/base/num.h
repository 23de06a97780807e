/* Numbers as text, exactly. */
#ifndef AZ_BASE_NUM_H
#define AZ_BASE_NUM_H

#include <math.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sv.h"

/* Whole view is an optional sign and digits: 0, else AZ_EFORMAT or AZ_ERANGE. */
int az_parse_i64(struct az_sv s, int64_t *out) AZ_MUST_USE;
int az_parse_u64(struct az_sv s, uint64_t *out) AZ_MUST_USE;
/* Whole view is a decimal floating number (correctly rounded; no hex, no "inf"/"nan", locale
 * independent). */
int az_parse_f64(struct az_sv s, double *out) AZ_MUST_USE;
/* Decimal text times 10^scale10 as an integer, digits beyond rounded half to even: "12.3456"
 * scale10 3 -> 12346. Exponents are accepted. AZ_EFORMAT, AZ_ERANGE. */
int az_parse_decimal(struct az_sv s, int scale10, int64_t *out) AZ_MUST_USE;
/* Byte size "64M", "1.5G", "4096" (K M G T = powers of 1024, optional iB/B). */
int az_parse_size(struct az_sv s, uint64_t *out) AZ_MUST_USE;

/* 10 to the power of its index. */
extern const uint64_t az_ten_to[20];

#define AZ_NUM_MAX 40 /* more than the longest number: some more bytes are written than it has */
/* Shortest decimal text that reads back as the same double; no exponent for 1e-5 <= |x| < 1e16,
 * integers without ".0"; NaN and infinities become "". Returns the length; not NUL-terminated
 * beyond it is NUL. */
size_t az_format_f64(double x, char out[AZ_NUM_MAX]);
size_t az_format_i64(int64_t x, char out[AZ_NUM_MAX]);

/* a * b / c in 128 bits, rounded toward zero; saturates. c > 0. */
int64_t az_muldiv(int64_t a, int64_t b, int64_t c);
/* a / b as the double nearest to it, also where a is beyond 2^53 (ns since 1970 as microseconds). b
 * > 0. */
static inline double az_quotient(int64_t a, int64_t b)
{
    const int64_t exact = INT64_C(1) << 53, whole = a / b, rest = a % b;
    return -exact <= a && a <= exact ? (double)a / (double)b
                                     : (double)whole + (double)rest / (double)b;
}
/* The whole part of a number that may be anything: beyond the range its end, 0 for NaN. */
int64_t az_whole(double x);
/* a + b, saturating. */
static inline int64_t az_add_sat(int64_t a, int64_t b)
{
    int64_t r;
    if (!__builtin_add_overflow(a, b, &r))
        return r;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

/* llround(x), without a call where x is well inside the range of the result: adding the largest
 * number below one half moves halves away from zero and nothing else across. */
static inline int64_t az_llround(double x)
{
    return x > -4e18 && x < 4e18
               ? (int64_t)(x + (x < 0 ? -0.49999999999999994 : 0.49999999999999994))
               : (int64_t)llround(x);
}

#endif
