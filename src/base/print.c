/* Texts of the usual formats, without vsnprintf. */
#include "base/print.h"

#include <limits.h>
#include <stdint.h>

#include "base/sv.h"

/* Puts the digits of a number before `end`; returns where they begin. */
static char *digits_before(char *end, uint64_t n)
{
    do
        *--end = (char)('0' + n % 10);
    while (n /= 10);
    return end;
}

/* A number in fixed notation with at most two decimals, before `end`; NULL: not so simple. printf
 * rounds what is exactly between two of them to the even one: such numbers are left to it. */
static char *fixed_before(char *end, double x, int decimals)
{
    static const int scale[] = { 1, 10, 100 };
    if (!(x >= 0 && x < 1e9) || decimals < 0 || decimals > 2)
        return NULL;
    const double scaled = x * scale[decimals];
    uint64_t n = (uint64_t)scaled;
    const double rest = scaled - (double)n;
    if (rest > 0.499999 && rest < 0.500001)
        return NULL;
    n += rest > 0.5;
    if (decimals == 0)
        return digits_before(end, n);
    for (int i = 0; i < decimals; i++, n /= 10)
        *--end = (char)('0' + n % 10);
    *--end = '.';
    return digits_before(end, n);
}

/* The next argument of a format as text, where it is one of %s, %.*s, %c, %%, %.1f, %.*f, and %d,
 * %u, %zu and the like without width or flags; false: another one. `end`: of room for a number. */
static bool plain_argument(const char **fmt, va_list *ap, char *end, struct az_sv *text)
{
    const char *f = *fmt + 1;
    int precision = -1;
    if (f[0] == '.' && f[1] == '*') {
        precision = va_arg(*ap, int);
        f += 2;
    } else if (f[0] == '.' && f[1] >= '0' && f[1] <= '2' && f[2] == 'f') {
        precision = f[1] - '0';
        f += 2;
    }
    if (precision != -1 && *f != 's' && *f != 'f')
        return false;
    const bool wide = *f == 'l' || *f == 'z';
    f += wide;
    f += sizeof(long long) == sizeof(long) && f[-1] == 'l' && *f == 'l';
    *fmt = f + 1;
    if (*f == 's' && !wide) {
        const char *s = va_arg(*ap, const char *);
        if (s == NULL && precision != 0)
            return false;
        *text = az_sv_make(s, precision < 0 ? strlen(s) : strnlen(s, (size_t)precision));
    } else if ((*f == 'c' || *f == '%') && !wide) {
        end[-1] = *f == 'c' ? (char)va_arg(*ap, int) : '%';
        *text = az_sv_make(end - 1, 1);
    } else if (*f == 'f' && !wide && precision >= 0) {
        const char *at = fixed_before(end, va_arg(*ap, double), precision);
        if (!at)
            return false;
        *text = az_sv_make(at, (size_t)(end - at));
    } else if (*f == 'u' || (*f == 'd' && f[-1] != 'z')) {
        const int64_t d = *f == 'u' ? 0 : wide ? va_arg(*ap, long) : va_arg(*ap, int);
        uint64_t n = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
        if (*f == 'u')
            n = wide ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned);
        char *at = digits_before(end, n);
        if (d < 0)
            *--at = '-';
        *text = az_sv_make(at, (size_t)(end - at));
    } else {
        return false;
    }
    return true;
}

int az_print_plain(char *out, size_t room, const char *fmt, va_list *ap)
{
    char room_of_number[32];
    size_t n = 0;
    while (*fmt) {
        const char *next = strchr(fmt, '%');
        next = next ? next : fmt + strlen(fmt);
        struct az_sv text = az_sv_make(fmt, (size_t)(next - fmt));
        if (text.n == 0 &&
            !plain_argument(&next, ap, room_of_number + sizeof room_of_number, &text))
            return -1;
        if (text.n >= room - n)
            return -1;
        if (text.n)
            memcpy(out + n, text.p, text.n);
        n += text.n;
        fmt = next;
    }
    out[n] = '\0';
    return n <= INT_MAX ? (int)n : -1;
}
