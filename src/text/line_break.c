#include "text/line_break.h"

#include "base/utf8.h"

size_t az_line_break(struct az_sv s, size_t columns)
{
    size_t end = 0, used = 0;

    if (az_utf8_width(s) <= columns)
        return s.n;
    for (size_t i = 0; i < s.n; i++) {
        used += ((unsigned char)s.p[i] & 0xc0) != 0x80; /* code points: near enough for prose */
        /* a number stays with its unit */
        const bool within =
            i > 0 && i + 1 < s.n && s.p[i - 1] >= '0' && s.p[i - 1] <= '9' && s.p[i + 1] != '(';
        const bool first = s.p[i] == ' ' && i > 0 && s.p[i - 1] != ' '; /* of a run of blanks */
        if (first && !within && (end == 0 || used <= columns + 1))
            end = i;
    }
    return end ? end : s.n;
}
