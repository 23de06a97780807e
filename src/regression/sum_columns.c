/* Which columns are totals of a recording, by their names. */
#include "document/units.h"
#include "regression/series.h"

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

/* Between two letters a word ends where a capital follows a small one: "TimePerIter". */
static bool is_word_end(char before, char after)
{
    return !is_letter(before) || !is_letter(after) || (is_upper(after) && !is_upper(before));
}

static bool has_word(struct az_sv name, const char *word)
{
    const size_t n = strlen(word);
    for (size_t from = 0; from + n <= name.n; from++) {
        const struct az_sv rest = az_sv_make(name.p + from, name.n - from);
        const ptrdiff_t at = az_sv_ifind(rest, az_sv_str(word));
        if (at < 0)
            return false;
        from += (size_t)at;
        if ((from == 0 || is_word_end(name.p[from - 1], name.p[from])) &&
            (from + n == name.n || is_word_end(name.p[from + n - 1], name.p[from + n])))
            return true;
    }
    return false;
}

bool az_series_is_sum(const struct az_column *c)
{
    static const char *const of_one[] = { "avg",   "average", "mean",   "med",     "median",
                                          "min",   "minimum", "max",    "maximum", "std",
                                          "stdev", "stddev",  "share",  "per",     "rate",
                                          "p50",   "p90",     "p95",    "p99",     "first",
                                          "last",  "peak",    "percent" };
    static const char *const counts[] = { "count", "instances", "calls", "launches", "events" };
    const bool size = az_unit_same_dimension(c->unit, AZ_UNIT_NS) ||
                      az_unit_same_dimension(c->unit, AZ_UNIT_BYTES);
    bool sum = size;
    for (size_t i = 0; c->unit == AZ_UNIT_COUNT && i < AZ_LENGTH(counts); i++)
        sum |= az_sv_ifind(c->name, az_sv_str(counts[i])) >= 0;
    for (size_t i = 0; i < AZ_LENGTH(of_one); i++)
        sum &= !has_word(c->name, of_one[i]);
    return sum && az_sv_ifind(c->name, AZ_SV("%")) < 0;
}
