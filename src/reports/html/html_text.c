/* Escapes and numbers of the HTML report. */
#include "reports/html/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "io/outfile.h"

void az_html_put(struct az_html *h, struct az_sv markup) { az_outfile_puts(h->f, markup); }

void az_html_putf(struct az_html *h, const char *format, ...)
{
    char text[512]; /* markup with numbers only: texts go through az_html_text */
    va_list args;

    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        h->error = h->error ? h->error : AZ_EINTERNAL;
    else
        az_outfile_write(h->f, text, (size_t)n);
}

static struct az_sv escape_of(char c)
{
    switch (c) {
    case '&':
        return AZ_SV("&amp;");
    case '<':
        return AZ_SV("&lt;");
    case '>':
        return AZ_SV("&gt;");
    case '"':
        return AZ_SV("&quot;");
    default:
        return AZ_SV("&#39;");
    }
}

/* Escaped characters are before 64: a bit each. */
static bool is_escaped(char c)
{
    const uint64_t set = UINT64_C(1) << '&' | UINT64_C(1) << '<' | UINT64_C(1) << '>' |
                         UINT64_C(1) << '"' | UINT64_C(1) << '\'';
    return (unsigned char)c < 64 && (set >> (unsigned char)c & 1);
}

static void escaped(struct az_html *h, struct az_sv s)
{
    size_t from = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (!is_escaped(s.p[i]))
            continue;
        az_outfile_write(h->f, s.p + from, i - from);
        az_outfile_puts(h->f, escape_of(s.p[i]));
        from = i + 1;
    }
    if (from < s.n)
        az_outfile_write(h->f, s.p + from, s.n - from);
}

void az_html_text(struct az_html *h, struct az_sv s) { escaped(h, az_field_text(h->scratch, s)); }
void az_html_line(struct az_html *h, struct az_sv s) { escaped(h, az_field_line(h->scratch, s)); }

/* `<` is only found in strings of JSON, where it may be written as an escape; so may the two line
 * separators (E2 80 A8 and A9), which end a line in old scripts. */
void az_html_json(struct az_html *h, struct az_sv s)
{
    size_t from = 0;

    for (size_t i = 0; i < s.n; i++) {
        bool separator = i + 2 < s.n && memcmp(s.p + i, "\xe2\x80", 2) == 0 &&
                         (s.p[i + 2] == '\xa8' || s.p[i + 2] == '\xa9');
        if (s.p[i] != '<' && !separator)
            continue;
        az_outfile_write(h->f, s.p + from, i - from);
        az_outfile_puts(h->f, az_sv_str(!separator             ? "\\u003c"
                                        : s.p[i + 2] == '\xa8' ? "\\u2028"
                                                               : "\\u2029"));
        from = i + (separator ? 3 : 1);
        i = from - 1;
    }
    if (from < s.n)
        az_outfile_write(h->f, s.p + from, s.n - from);
}

/* ---- numbers ---- */

/* Thousands separators into the digits before the point, in place; texts with an exponent stay. */
static size_t separate(char *p, size_t n)
{
    size_t begin = p[0] == '-', digits = 0;

    while (begin + digits < n && p[begin + digits] >= '0' && p[begin + digits] <= '9')
        digits++;
    if (digits == 0 || memchr(p, 'e', n))
        return n;
    for (size_t left = digits; left > 3; left -= 3) {
        size_t at = begin + left - 3;
        memmove(p + at + 1, p + at, n - at);
        p[at] = ',';
        n++;
    }
    return n;
}

/* Numbers that are names (ids, sizes of launches) are no quantities. */
static bool separated(const struct az_column *col)
{
    return col->unit != AZ_UNIT_ID && !(col->unit == AZ_UNIT_NONE && col->type == AZ_INT);
}

struct az_sv az_html_number(const struct az_cell *c, const struct az_column *col, struct az_scale s,
                            char *buf)
{
    struct az_sv n = az_field_number(c, col, s, buf);

    if (n.p != buf || n.n > 40 || !separated(col)) /* yes, no, nothing */
        return n;
    return az_sv_make(buf, separate(buf, n.n));
}

struct az_scale az_html_scale(enum az_unit unit, enum az_cell_type type, double largest)
{
    static const struct az_scale units[] = {
        { 1e9, 3, "s" }, { 1e6, 3, "ms" }, { 1e3, 3, "us" }, { 1, 3, "ns" }
    };
    const double ratio = az_unit_base(unit) / az_unit_base(AZ_UNIT_NS),
                 in_ns = ratio < 1 ? ratio : round(ratio);

    if (!az_unit_same_dimension(unit, AZ_UNIT_NS) || !(largest > 0))
        return az_field_scale_of(unit, type, largest);
    for (size_t i = 0; i < AZ_LENGTH(units); i++)
        if (largest * in_ns >= units[i].divide)
            return (struct az_scale){ units[i].divide / in_ns, units[i].decimals, units[i].unit };
    return az_field_scale_of(unit, type, largest);
}

struct az_sv az_html_without_unit(struct az_html *h, struct az_sv title, const char *unit)
{
    struct az_sv tail = az_arena_printf(h->scratch, "(%s)", unit);

    if (*unit && az_sv_ends(title, tail) && title.n > tail.n)
        return az_sv_trim(az_sv_make(title.p, title.n - tail.n));
    return title;
}

const char *az_html_unit_gap(const char *unit)
{
    return *unit && strcmp(unit, "%") != 0 ? "\xc2\xa0" : "";
}

struct az_sv az_html_value(double v, enum az_unit unit, enum az_cell_type type, char *buf)
{
    struct az_scale s = az_html_scale(unit, type, fabs(v));
    double x = v / s.divide, size = fabs(x);
    bool whole = type == AZ_INT && s.divide == 1;
    int decimals = whole || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size == 0 ? 2 : 3;
    if (unit == AZ_UNIT_PERCENT && size >= 1) /* as in the tables */
        decimals = 1;
    int n = snprintf(buf, AZ_FIELD_MAX / 2, size >= 1e15 ? "%.*g" : "%.*f",
                     size >= 1e15 ? 4 : decimals, x);
    size_t length = separate(buf, (size_t)n);

    n = snprintf(buf + length, AZ_FIELD_MAX - length, "%s%s", az_html_unit_gap(s.unit), s.unit);
    return az_sv_make(buf, length + (size_t)n);
}
