#include "perf/fused_names.h"

#include <string.h>

#include "base/data.h"

/* Is it a line of the list? Its lines are in the order of their bytes. */
static bool is_listed(struct az_sv list, struct az_sv name)
{
    size_t lo = 0, hi = list.n; /* begins of lines; the whole list */

    while (lo < hi) {
        size_t from = lo + (hi - lo) / 2;
        while (from > lo && list.p[from - 1] != '\n')
            from--;
        const char *end = memchr(list.p + from, '\n', list.n - from);
        const size_t to = end ? (size_t)(end - list.p) : list.n;
        const int order = az_sv_cmp(name, az_sv_make(list.p + from, to - from));
        if (order == 0)
            return true;
        if (order < 0)
            hi = from;
        else
            lo = to + 1;
    }
    return false;
}

/* End of the word at `from`, after underscores in front of it. */
static size_t word_end(struct az_sv s, size_t from)
{
    while (from < s.n && s.p[from] == '_')
        from++;
    while (from < s.n && s.p[from] != '_')
        from++;
    return from;
}

/* End of the longest listed name at `from`; 0: none. */
static size_t listed_end(struct az_sv list, struct az_sv s, size_t from)
{
    size_t found = 0;

    for (size_t end = word_end(s, from); end <= s.n; end = word_end(s, end)) {
        if (is_listed(list, az_sv_make(s.p + from, end - from)))
            found = end;
        if (end == s.n)
            break;
    }
    return found;
}

/* End of a name that is not listed: the words before the next listed one. */
static size_t word_name_end(struct az_sv list, struct az_sv s, size_t from)
{
    size_t end = word_end(s, from);

    while (end < s.n && !listed_end(list, s, end + 1))
        end = word_end(s, end);
    return end;
}

void az_fused_names(struct az_sv kernel, struct az_vec_char *out)
{
    static const struct az_sv mark = { "_fused_", 7 };
    const struct az_sv list = az_data("fused_names.txt");
    const ptrdiff_t at = az_sv_find(kernel, mark);
    struct az_sv s = kernel;

    if (at < 0)
        return;
    s.p += (size_t)at + mark.n;
    s.n -= (size_t)at + mark.n;
    while (s.n && s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9')
        s.n--;
    if (!s.n || s.p[--s.n] != '_') /* a number ends the name */
        return;
    for (size_t from = 0; from < s.n;) {
        const size_t listed = listed_end(list, s, from);
        const size_t end = listed ? listed : word_name_end(list, s, from);
        az_text_add(out, from ? AZ_SV(", aten.") : AZ_SV("aten."));
        az_text_add(out, az_sv_make(s.p + from, end - from));
        from = end + 1;
    }
}
