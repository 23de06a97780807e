/* Numbers in the units that a person reads. */
#include "base/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"

static size_t put_tenths(int64_t tenths, const char *unit, char out[AZ_HUMAN_MAX])
{
    char digits[24], *at = digits + sizeof digits;
    size_t n = 0;
    *--at = (char)('0' + tenths % 10);
    *--at = '.';
    tenths /= 10;
    do
        *--at = (char)('0' + tenths % 10);
    while (tenths /= 10);
    while (at < digits + sizeof digits)
        out[n++] = *at++;
    for (out[n++] = ' '; *unit && n + 1 < AZ_HUMAN_MAX; unit++)
        out[n++] = *unit;
    out[n] = 0;
    return n;
}

/* printf rounds what is exactly between two tenths to the even one, and so must this: it leaves
 * those, and what is too large, to printf. */
static size_t one_decimal(double x, const char *unit, char out[AZ_HUMAN_MAX])
{
    const double tenths = x * 10;
    const int64_t whole = tenths > -1e9 && tenths < 1e9 ? (int64_t)tenths : INT64_MAX;
    const double rest = tenths - (double)whole; /* of a tenth, of the sign of x */
    if (x > 0 && whole < INT64_MAX && fabs(rest - 0.5) > 1e-6)
        return put_tenths(whole + (rest > 0.5), unit, out);
    return (size_t)snprintf(out, AZ_HUMAN_MAX, "%.1f %s", x, unit);
}

size_t az_human_time(int64_t ns, char out[AZ_HUMAN_MAX])
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = { { 3600e9, "h" }, { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
    double x = (double)ns, size = x < 0 ? -x : x;

    /* 99.95 s is "100.0 s", but 999.96 us rounds up to the next unit; minutes begin at 120 s,
     * below they are seconds */
    for (size_t i = 0; i < AZ_LENGTH(units); i++) {
        double from = units[i].ns >= 60e9 ? 2 * units[i].ns : units[i].ns;

        if (size >= from * 0.99995)
            return one_decimal(x / units[i].ns, units[i].unit, out);
    }
    return (size_t)snprintf(out, AZ_HUMAN_MAX, "%" PRId64 " ns", ns);
}

size_t az_human_bytes(double bytes, char out[AZ_HUMAN_MAX])
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
    size_t i = 0;

    while (i + 1 < AZ_LENGTH(units) && bytes >= 999.95) {
        bytes /= 1000;
        i++;
    }
    return i ? one_decimal(bytes, units[i], out)
             : (size_t)snprintf(out, AZ_HUMAN_MAX, "%.0f B", bytes);
}

size_t az_human_flops(double per_second, char out[AZ_HUMAN_MAX])
{
    static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
    size_t i = 0;

    while (i + 1 < AZ_LENGTH(units) && per_second >= 999.5) {
        per_second /= 1000;
        i++;
    }
    return (size_t)snprintf(out, AZ_HUMAN_MAX, "%.3g %sFLOP/s", per_second, units[i]);
}

size_t az_human_count(int64_t n, char out[AZ_HUMAN_MAX])
{
    char digits[AZ_HUMAN_MAX];
    size_t len = 0, at = 0;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

    do
        digits[len++] = (char)('0' + rest % 10); /* the last one first */
    while (rest /= 10);
    if (n < 0)
        out[at++] = '-';
    while (len) {
        out[at++] = digits[--len];
        if (len && len % 3 == 0)
            out[at++] = ',';
    }
    out[at] = 0;
    return at;
}
