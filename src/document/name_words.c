/* Text for the verdict of a comparison: pairs of times in one unit, changes with their sign, names
 * truncated to a readable length, and tags reduced to the part in which they differ. */
#include <math.h>

#include "base/human.h"
#include "base/utf8.h"
#include "document/name_words.h"
#include "text/names.h"

#define NAME_LONG 60 /* columns of a name in a sentence */
#define TAG_LONG  20 /* a longer tag is truncated where that leaves it unique */

struct unit {
    double ns;
    const char *text;
};

/* Digits of a number in a sentence, and most of those of two that are to differ. */
enum { DIGITS = 3, MOST_DIGITS = 6 };

static struct unit unit_of(double ns)
{
    static const struct unit units[] = {
        { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }
    };
    const double size = fabs(ns) * 1.0005; /* 999.6 us are 1.00 ms */

    for (size_t i = 0; i < AZ_LENGTH(units); i++)
        if (size >= units[i].ns * (units[i].ns >= 60e9 ? 10 : 1))
            return units[i];
    return (struct unit){ 1, "ns" };
}

/* Decimals of a number of that many digits, of nanoseconds none. */
static int decimals_of(double x, struct unit u, int digits)
{
    int n = digits - 1;

    if (u.ns <= 1 || !(fabs(x) > 0))
        return 0;
    for (double most = 10; n > 0 && fabs(x) >= most - 0.5 * pow(10, -n); most *= 10)
        n--;
    return n;
}

static struct az_sv number_text(struct az_arena *a, int64_t ns, struct unit u, int digits)
{
    const double x = (double)ns / u.ns;
    return az_arena_printf(a, "%.*f", decimals_of(x, u, digits), x);
}

struct az_sv az_words_pair(struct az_arena *a, int64_t from, int64_t to, const char *between)
{
    const struct unit u = unit_of((double)(from ? from : to)),
                      v = unit_of((double)(to ? to : from));
    const bool one = u.text == v.text;
    struct az_sv x, y;
    int digits = DIGITS;

    do {
        x = number_text(a, from, u, digits);
        y = number_text(a, to, v, digits);
    } while (one && from != to && az_sv_eq(x, y) && ++digits <= MOST_DIGITS);
    return az_arena_printf(a, "%.*s%s%s %s %.*s %s", AZ_SVF(x), one ? "" : " ", one ? "" : u.text,
                           between, AZ_SVF(y), v.text);
}

struct az_sv az_words_change(struct az_arena *a, int64_t ns)
{
    if (ns == 0)
        return AZ_SV("unchanged");
    return az_arena_printf(a, "%s%.*s", ns > 0 ? "+" : "", AZ_SVF(az_words_time(a, ns)));
}

struct az_sv az_words_time(struct az_arena *a, int64_t ns)
{
    const struct unit u = unit_of((double)ns);

    return az_arena_printf(a, "%.*s %s", AZ_SVF(number_text(a, ns, u, DIGITS)), u.text);
}

struct az_sv az_words_factor(struct az_arena *a, double factor)
{
    char text[AZ_HUMAN_MAX];
    double unit = 1;

    if (factor < 99.95)
        return az_arena_printf(a, "%.1fx", factor);
    while (factor / unit >= 999.5)
        unit *= 10;
    (void)az_human_count((int64_t)(round(factor / unit) * unit), text);
    return az_arena_printf(a, "%sx", text);
}

struct az_sv az_words_name(struct az_arena *a, struct az_sv name)
{
    return az_utf8_fit(a, az_name_short(a, name, true), NAME_LONG, true);
}

struct az_sv az_words_renamed(struct az_arena *a, const struct az_sv name[2])
{
    struct az_sv s[2] = { name[0], name[1] };

    az_names_shorten(a, s, 2);
    az_names_cut(a, s, 2, NAME_LONG / 2);
    return az_arena_printf(a, "%.*s replaced by %.*s", AZ_SVF(s[0]), AZ_SVF(s[1]));
}

void az_words_names_cut(struct az_arena *a, struct az_sv *name, size_t n)
{
    az_names_cut(a, name, n, NAME_LONG);
}

/* ---- tags ---- */

static bool parts_words(char c) { return c == '_' || c == '-' || c == '.' || c == '/' || c == ' '; }

static size_t common_start(const struct az_sv *s, size_t n)
{
    size_t k = 0;

    for (;; k++) {
        for (size_t i = 0; i < n; i++)
            if (k >= s[i].n || s[i].p[k] != s[0].p[k])
                goto done;
    }
done: /* back to the start of a word */
    while (k > 0 && !parts_words(s[0].p[k - 1]))
        k--;
    return k;
}

static size_t common_end(const struct az_sv *s, size_t n, size_t start)
{
    size_t k = 0;

    for (;; k++) {
        for (size_t i = 0; i < n; i++)
            if (k + start >= s[i].n || s[i].p[s[i].n - 1 - k] != s[0].p[s[0].n - 1 - k])
                goto done;
    }
done:
    while (k > 0 && !parts_words(s[0].p[s[0].n - k]))
        k--;
    return k;
}

void az_words_tags(struct az_sv *tags, size_t n)
{
    bool is_long = false;
    size_t start, end;

    for (size_t i = 0; i < n; i++)
        is_long |= tags[i].n > TAG_LONG;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (i != k && az_sv_starts(tags[i], tags[k]))
                return; /* what one has more would be all that is left */
    if (!is_long || n < 2)
        return;
    start = common_start(tags, n);
    end = common_end(tags, n, start);
    for (size_t i = 0; i < n; i++)
        if (tags[i].n <= start + end)
            return; /* nothing of it would be left */
    for (size_t i = 0; i < n; i++) {
        tags[i] = az_sv_make(tags[i].p + start, tags[i].n - start - end);
        while (tags[i].n > 1 && parts_words(tags[i].p[tags[i].n - 1]))
            tags[i].n--;
    }
}
