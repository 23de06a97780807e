/* Words for the verdict of a comparison: pairs of times in one unit, changes with their sign, names
 * cut to a readable length, and tags cut to the part in which they differ. */
#include <math.h>

#include "base/utf8.h"
#include "results/compare_causes.h"
#include "text/names.h"

#define NAME_LONG 60 /* columns of a name in a sentence */
#define TAG_LONG  20 /* a longer tag is cut where that leaves it unique */

struct unit {
    double ns;
    const char *text;
};

/* The unit in which the lesser of two times is at least 1, unless that makes the other very long.
 */
static struct unit unit_of(int64_t x, int64_t y)
{
    static const struct unit units[] = {
        { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }
    };
    double p = fabs((double)x), q = fabs((double)y), least = fmin(p, q), most = fmax(p, q);

    if (!(least > 0) || most > 10000 * least)
        least = most;
    for (size_t i = 0; i < AZ_LENGTH(units); i++)
        if (least >= units[i].ns * (units[i].ns >= 60e9 ? 10 : 1))
            return units[i];
    return (struct unit){ 1, "ns" };
}

/* Decimals that show the difference of two figures: three digits, more where it is small. */
static int decimals_of(double x, double y, struct unit u)
{
    const double least = fmin(fabs(x), fabs(y)) > 0 ? fmin(fabs(x), fabs(y)) : fmax(x, y);
    int n = u.ns <= 1 ? 0 : least < 10 ? 2 : 1;

    while (n > 0 && n < 6 && (x < y || x > y) && fabs(x - y) * pow(10, n) < 1)
        n++;
    return n;
}

static int decimals_at(double x, int n) { return fabs(x) > 0 ? n : 0; }

struct az_sv az_words_pair(struct az_arena *a, int64_t from, int64_t to, const char *between)
{
    const struct unit u = unit_of(from, to);
    const double x = (double)from / u.ns, y = (double)to / u.ns;
    const int n = decimals_of(x, y, u);

    return az_arena_printf(a, "%.*f %s %.*f %s", decimals_at(x, n), x, between, decimals_at(y, n),
                           y, u.text);
}

struct az_sv az_words_change(struct az_arena *a, int64_t ns)
{
    const struct unit u = unit_of(ns, ns);

    if (ns == 0)
        return AZ_SV("unchanged");
    return az_arena_printf(a, "%+.*f %s", u.ns > 1 ? 1 : 0, (double)ns / u.ns, u.text);
}

struct az_sv az_words_time(struct az_arena *a, int64_t ns)
{
    const struct unit u = unit_of(ns, ns);

    return az_arena_printf(a, "%.*f %s", u.ns > 1 ? 1 : 0, (double)ns / u.ns, u.text);
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
    return az_arena_printf(a, "%.*s -> %.*s", AZ_SVF(s[0]), AZ_SVF(s[1]));
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
