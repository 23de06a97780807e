/* What the writers share: cleaned texts, headers with units, readable scales. */
#include "reports/shared/fields.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/swar.h"
#include "base/utf8.h"
#include "document/schema.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MANY 3 /* one in so many rows */

/* ---- texts ---- */

static bool plain_bytes(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c >= 0x7f || (c < 0x20 && c != '\t' && c != '\n'))
            return false;
    }
    return true;
}

static inline bool plain_eight(const char *p)
{
    const uint64_t x = az_eight(p);

    return ((x & AZ_EIGHT(0x80)) | az_eight_has(x, 0x7f) | az_eight_below(x, 0x20)) == 0 ||
           plain_bytes(p, 8);
}

#ifdef __SSE2__
static inline bool plain_sixteen(const char *p)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20)); /* not ASCII, too */
    const __m128i bad = _mm_or_si128(low, _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f)));

    return _mm_movemask_epi8(bad) == 0 || plain_bytes(p, 16);
}
#endif

/* Clean already? The usual case: printable ASCII, tab, newline. Others use the general case. */
static bool plain(struct az_sv s)
{
    size_t i = 0;

    if (s.n < 8)
        return plain_bytes(s.p, s.n);
#ifdef __SSE2__
    for (; i + 16 < s.n; i += 16)
        if (!plain_sixteen(s.p + i))
            return false;
#endif
    for (; i + 8 < s.n; i += 8)
        if (!plain_eight(s.p + i))
            return false;
    return plain_eight(s.p + s.n - 8);
}

/* U+FFFE and U+FFFF (EF BF BE, EF BF BF) are valid UTF-8 but no XML characters: made U+FFFD (EF BF
 * BD). */
static struct az_sv without_noncharacters(struct az_arena *a, struct az_sv s)
{
    ptrdiff_t first = az_sv_find(s, AZ_SV("\xef\xbf\xbe")),
              other = az_sv_find(s, AZ_SV("\xef\xbf\xbf"));

    if (first < 0 && other < 0)
        return s;
    char *p = az_arena_str(a, s);
    if (!p)
        return AZ_SV("");
    for (size_t i = 0; i + 2 < s.n; i++) {
        if (memcmp(p + i, "\xef\xbf\xbe", 3) == 0 || memcmp(p + i, "\xef\xbf\xbf", 3) == 0)
            p[i + 2] = (char)0xbd;
    }
    return az_sv_make(p, s.n);
}

struct az_sv az_field_text(struct az_arena *scratch, struct az_sv s)
{
    return plain(s) ? s : without_noncharacters(scratch, az_utf8_printable(scratch, s, "\t\n"));
}

struct az_sv az_field_line(struct az_arena *a, struct az_sv s)
{
    struct az_sv clean = az_field_text(a, s);

    if (!clean.n || (!memchr(clean.p, '\n', clean.n) && !memchr(clean.p, '\t', clean.n)))
        return clean;
    char *p = az_arena_str(a, clean);
    for (size_t i = 0; p && i < clean.n; i++) {
        if (p[i] == '\n' || p[i] == '\t')
            p[i] = ' ';
    }
    return az_sv_make(p ? p : "", p ? clean.n : 0);
}

static bool name_taken(struct az_sv name, const struct az_vec_sv *used)
{
    for (size_t i = 0; i < used->n; i++) {
        if (az_sv_ieq(name, used->v[i]))
            return true;
    }
    return false;
}

struct az_sv az_field_filename(struct az_arena *scratch, struct az_sv id,
                               const struct az_vec_sv *used)
{
    struct az_sv stem = az_utf8_cut(az_field_text(scratch, id), 200);
    char *p = az_arena_str(scratch, stem.n ? stem : AZ_SV("table"));

    if (!p)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = 0; p[i]; i++) {
        unsigned char c = (unsigned char)p[i];
        bool keep = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                    c >= 0x80 || strchr("_-", c) || (c == '.' && i > 0);
        if (!keep)
            p[i] = '_';
    }
    struct az_sv name = stem = az_sv_str(p);
    for (unsigned k = 2; name.p && name_taken(name, used); k++)
        name = az_arena_printf(scratch, "%.*s~%u", AZ_SVF(stem), k);
    return name;
}

/* ---- columns ---- */
ptrdiff_t az_field_column(const struct az_table *t, struct az_sv name)
{
    for (size_t c = 0; c < t->columns.n; c++) {
        if (az_sv_eq(t->columns.v[c].name, name))
            return (ptrdiff_t)c;
    }
    return -1;
}

ptrdiff_t az_field_level_column(const struct az_table *t)
{
    ptrdiff_t c = az_table_find_nocase(t, "total");

    return c >= 0 && t->columns.v[c].type == AZ_BOOL ? c : -1;
}

int az_field_worse(const struct az_table *t, size_t row, size_t col)
{
    unsigned flags = t->columns.v[col].flags;
    double x = az_cell_number(az_table_at(t, row, col));
    ptrdiff_t level = flags & AZ_CHANGE ? az_field_level_column(t) : -1;

    if (!(flags & AZ_CHANGE) || !(flags & (AZ_HIGHER_BETTER | AZ_LOWER_BETTER)) ||
        !(x > 0 || x < 0))
        return 0;
    if (level >= 0 && az_cell_number(az_table_at(t, row, (size_t)level)) == 1)
        return 0;
    return (x > 0) == ((flags & AZ_LOWER_BETTER) != 0) ? 1 : -1;
}

size_t az_field_choose(const struct az_table *t, size_t *col, size_t most)
{
    size_t keys = 0, n = 0;

    for (size_t c = 0; c < t->columns.n; c++)
        keys += (t->columns.v[c].flags & (AZ_KEY | AZ_DETAIL)) == AZ_KEY;
    size_t others = most > keys ? most - keys : 0;
    for (size_t c = 0; c < t->columns.n && n < most; c++) {
        unsigned flags = t->columns.v[c].flags;
        if ((flags & AZ_DETAIL) || (!(flags & AZ_KEY) && others == 0))
            continue;
        others -= !(flags & AZ_KEY);
        col[n++] = c;
    }
    return n;
}

/* ---- numbers ---- */
struct step {
    double from; /* smallest magnitude shown so */
    struct az_scale scale;
};

/* Largest step whose `from` the value reaches. Lists end at the step with from 0. */
static struct az_scale choose(const struct step *list, double largest)
{
    while (largest < list->from)
        list++;
    return list->scale;
}

/* Times below 10,000 of a unit stay in it, so that 4,321.123 ms has its microseconds. `in_ns`: ns
 * in one unit. */
static struct az_scale time_scale(double in_ns, enum az_unit unit, bool whole, double largest)
{
    const struct step list[] = {
        { 1e10, { 1e9 / in_ns, 3, "s" } },   { 1e6, { 1e6 / in_ns, 3, "ms" } },
        { 1e3, { 1e3 / in_ns, 3, "us" } },   { 1, { 1 / in_ns, 3, "ns" } },
        { 0, { 1, 3, az_unit_text(unit) } },
    };
    struct az_scale s = choose(list, largest * in_ns);
    if (s.divide == 1 && whole)
        s.decimals = 0; /* nothing to be seen after the point */
    return s;
}

static struct az_scale bytes_scale(bool whole, double largest)
{
    const struct step list[] = {
        { 1e10, { 1e9, 3, "GB" } },
        { 1e7, { 1e6, 3, "MB" } },
        { 1e4, { 1e3, 3, "KB" } },
        { 0, { 1, 0, "B" } },
    };
    struct az_scale s = choose(list, largest);
    if (s.divide == 1 && !whole)
        s.decimals = 1;
    return s;
}

struct az_scale az_field_scale_of(enum az_unit unit, enum az_cell_type type, double largest)
{
    bool whole = type == AZ_INT;
    struct az_scale as_is = { 1, whole ? 0 : 3, az_unit_text(unit) };

    switch (unit) {
    case AZ_UNIT_PS:
        return time_scale(1e-3, unit, whole, largest);
    case AZ_UNIT_NS:
        return time_scale(1, unit, whole, largest);
    case AZ_UNIT_BYTES:
        return bytes_scale(whole, largest);
    case AZ_UNIT_PERCENT:
        as_is.decimals = 2;
        return as_is;
    case AZ_UNIT_S: /* fractions of a second to the microsecond: kernels are that short */
        as_is.decimals = whole ? 0 : largest > 0 && largest < 1 ? 6 : 3;
        return as_is;
    case AZ_UNIT_NONE:
    case AZ_UNIT_ID:
    case AZ_UNIT_COUNT:
    case AZ_UNIT_FLOP:
        as_is.decimals = whole ? 0 : -1;
        return as_is;
    default: /* the file's own unit, as in its column */
        return as_is;
    }
}

double az_field_largest(const struct az_table *t, size_t col, size_t rows)
{
    double largest = 0;

    for (size_t r = 0; r < rows && r < t->rows; r++) {
        double x = fabs(az_cell_number(az_table_at(t, r, col)));
        if (x > largest) /* false for NaN */
            largest = x;
    }
    return largest;
}

/* Three or four digits of the largest. */
static int few_decimals(double largest) { return largest >= 100 ? 1 : largest >= 10 ? 2 : 3; }

/* Times of inputs, which may differ by any factor: in a unit in which the least has digits. */
static struct az_scale of_least(const struct az_table *t, size_t col, size_t rows, double largest)
{
    double least = largest;

    for (size_t r = 0; r < rows && r < t->rows; r++) {
        const double x = az_cell_number(az_table_at(t, r, col));
        least = x > 0 && x < least ? x : least;
    }
    const bool seconds = least >= 1e9, micro = largest < 1e6 || least < 1e5;
    struct az_scale s = seconds ? (struct az_scale){ 1e9, 3, "s" }
                        : micro ? (struct az_scale){ 1e3, 3, "us" }
                                : (struct az_scale){ 1e6, 3, "ms" };
    s.decimals = few_decimals(least / s.divide);
    return s;
}

/* Columns whose scale does not depend on their unit, and tables with fixed units. */
static bool special_scale(const struct az_table *t, size_t col, size_t rows, struct az_scale *s)
{
    const struct az_column *c = &t->columns.v[col];
    const double largest = az_field_largest(t, col, rows);

    if (az_field_is_fraction(c))
        *s = (struct az_scale){ 0.01, 1, "%" };
    else if (c->unit == AZ_UNIT_NONE && az_sv_is(c->stem, "flops_per_s"))
        *s = (struct az_scale){ 1e12, few_decimals(largest / 1e12), "TFLOP/s" };
    else if ((t->flags & AZ_TABLE_BLOCKS) && c->unit == AZ_UNIT_NS && largest > 0)
        *s = of_least(t, col, rows, largest);
    else if ((t->flags & AZ_TABLE_ONE_UNIT) && az_unit_same_dimension(c->unit, AZ_UNIT_NS))
        *s = (struct az_scale){ 1, largest < 0.1 ? 5 : few_decimals(largest),
                                az_unit_text(c->unit) };
    else
        return false;
    return true;
}

struct az_scale az_field_scale(const struct az_table *t, size_t col, size_t rows)
{
    const struct az_column *c = &t->columns.v[col];
    struct az_scale s;

    return special_scale(t, col, rows, &s)
               ? s
               : az_field_scale_of(c->unit, c->type, az_field_largest(t, col, rows));
}

/* How many are there, and how many of them are below a limit? */
static size_t below(const struct az_table *t, size_t col, size_t rows, double limit, size_t *n)
{
    size_t less = 0;

    *n = 0;
    for (size_t r = 0; r < rows && r < t->rows; r++) {
        double x = fabs(az_cell_number(az_table_at(t, r, col)));
        *n += x > 0;
        less += x > 0 && x < limit;
    }
    return less;
}

/* Is the next unit the better one? Where most would be shown as 0 next to the largest, or many with
 * fewer than three digits, as long as the largest has not too many. */
static bool too_coarse(const struct az_table *t, size_t col, size_t rows, struct az_scale s,
                       double largest)
{
    const double least = s.decimals == 1 ? 10 : s.decimals == 2 ? 1 : 0.1; /* of three digits */
    size_t n;

    if (largest / s.divide < 10 && MANY * below(t, col, rows, least * s.divide, &n) >= n && n > 2)
        return true;
    return 2 * below(t, col, rows, s.divide / 200, &n) > n && n > 2;
}

static struct az_scale time_read(const struct az_table *t, size_t col, size_t rows, double in_ns,
                                 bool whole, double largest)
{
    const struct step list[] = {
        { 1e9, { 1e9 / in_ns, 3, "s" } },
        { 1e6, { 1e6 / in_ns, 3, "ms" } },
        { 1e3, { 1e3 / in_ns, 3, "us" } },
        { 0, { 1 / in_ns, 3, "ns" } },
    };
    struct az_scale s = choose(list, largest * in_ns);
    size_t n;

    if (largest <= 0) /* nothing to choose by */
        return az_field_scale_of(t->columns.v[col].unit, AZ_INT, 0);
    s.decimals = few_decimals(largest / s.divide);
    if (s.divide > list[3].scale.divide && too_coarse(t, col, rows, s, largest)) {
        s = choose(list, largest * in_ns / 1e3); /* digits for the small ones */
        s.decimals = below(t, col, rows, s.divide, &n)        ? 3
                     : below(t, col, rows, 10 * s.divide, &n) ? 2
                                                              : 1;
    }
    if (s.divide == 1 && whole)
        s.decimals = 0;
    return s;
}

struct az_scale az_field_scale_read(const struct az_table *t, size_t col, size_t rows)
{
    const struct az_column *c = &t->columns.v[col];
    const double largest = az_field_largest(t, col, rows);
    struct az_scale s;

    if (special_scale(t, col, rows, &s))
        return s;
    s = az_field_scale_of(c->unit, c->type, largest);

    if (az_unit_same_dimension(c->unit, AZ_UNIT_NS))
        return time_read(t, col, rows, az_unit_base(c->unit) / az_unit_base(AZ_UNIT_NS),
                         c->type == AZ_INT, largest);
    if (c->unit == AZ_UNIT_PERCENT && largest >= 10)
        s.decimals = 1;
    return s;
}

struct az_scale az_field_scale_row(const struct az_table *t, size_t row, size_t col,
                                   struct az_scale s)
{
    const struct az_column *c = t->columns.v;
    const ptrdiff_t unit =
        s.decimals < 0 && c[col].type == AZ_REAL ? az_schema_find(t, AZ_SV("unit")) : -1;
    if (unit < 0 || c[unit].type != AZ_TEXT || !az_cell_text(az_table_at(t, row, (size_t)unit)).n)
        return s;
    for (size_t i = 0; i < t->columns.n && s.decimals < 0; i++) {
        const double x = az_cell_number(az_table_at(t, row, i));
        if (c[i].type == AZ_REAL && c[i].unit == c[col].unit && x > floor(x)) /* false for NaN */
            s.decimals = 3;
    }
    return s;
}

struct az_sv az_field_number(const struct az_cell *c, const struct az_column *col,
                             struct az_scale s, char *buf)
{
    if (c->type == AZ_EMPTY || c->type == AZ_TEXT)
        return AZ_SV("");
    if (c->type == AZ_BOOL)
        return c->b ? AZ_SV("yes") : AZ_SV("no");
    if (c->type == AZ_INT && s.divide == 1)
        return az_sv_make(buf, az_format_i64(c->i, buf));
    double x = az_cell_number(c) / s.divide;
    int decimals = s.decimals;
    if (decimals < 0)
        decimals = col->unit == AZ_UNIT_ID || x == floor(x) ? 0 : 3;
    int n;
    if (fabs(x) >= 1e15)
        n = snprintf(buf, AZ_FIELD_MAX, "%.6g", x);
    else
        n = snprintf(buf, AZ_FIELD_MAX, "%.*f", decimals, x);
    return az_sv_make(buf, (size_t)n);
}

/* ---- headers ---- */
static bool alnum(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* Where `unit` is in the name as a word of its own, or -1. Long units ("GFLOP") are found inside
 * words too. */
static ptrdiff_t find_unit(struct az_sv name, struct az_sv unit)
{
    for (size_t i = 0; unit.n && i + unit.n <= name.n; i++) {
        if (memcmp(name.p + i, unit.p, unit.n) != 0)
            continue;
        bool begins = i == 0 || !alnum(name.p[i - 1]);
        bool ends = i + unit.n == name.n || !alnum(name.p[i + unit.n]);
        if (unit.n >= 4 || (begins && ends))
            return (ptrdiff_t)i;
    }
    return -1;
}

struct az_sv az_field_header(struct az_arena *scratch, const struct az_column *c, const char *shown)
{
    struct az_sv name = az_field_text(scratch, c->name), unit = az_sv_str(az_unit_text(c->unit));

    if (!*shown)
        return name;
    ptrdiff_t at = find_unit(name, unit);
    if (at < 0 && (c->unit == AZ_UNIT_US || c->unit == AZ_UNIT_TFLOPS ||
                   c->unit == AZ_UNIT_MB)) {                /* as other tools write it */
        unit = c->unit == AZ_UNIT_US   ? AZ_SV("\xc2\xb5s") /* micro sign */
               : c->unit == AZ_UNIT_MB ? AZ_SV("MB")
                                       : AZ_SV("TFLOPS/s");
        at = find_unit(name, unit);
    }
    if (at < 0)
        return az_arena_printf(scratch, "%.*s (%s)", AZ_SVF(name), shown);
    if (strcmp(shown, az_unit_text(c->unit)) == 0)
        return name; /* its own spelling stays */
    struct az_sv head = az_sv_make(name.p, (size_t)at);
    struct az_sv tail = az_sv_make(name.p + (size_t)at + unit.n, name.n - (size_t)at - unit.n);
    return az_arena_printf(scratch, "%.*s%s%.*s", AZ_SVF(head), shown, AZ_SVF(tail));
}

/* What a share is of, by what the table measures; NULL: it is in its title. */
static const char *share_of(const struct az_table *t)
{
    static const char *const operators[] = {
        "unified_perf_summary",    "ops_summary",     "ops_all",
        "ops_summary_by_category", "ops_unique_args", "kernel_launchers"
    };
    if (az_sv_is(t->id, "time_by_family")) /* copies are device work, too */
        return "device time";
    if (az_sv_is(t->id, "regions_by_family"))
        return "region";
    for (size_t i = 0; i < AZ_LENGTH(operators); i++) /* collectives have no operator */
        if (az_sv_is(t->id, operators[i]))
            return "operator time";
    return az_schema_find(t, AZ_SV("kernel_time")) >= 0 ? "kernel time"
           : az_schema_find(t, AZ_SV("time")) >= 0      ? "time"
                                                        : NULL;
}

struct az_sv az_field_title(struct az_arena *scratch, const struct az_table *t, size_t col,
                            const char *shown)
{
    const struct az_column *c = &t->columns.v[col];
    const bool share = c->unit == AZ_UNIT_PERCENT && az_sv_is(c->stem, "share");
    const char *of = share ? share_of(t) : NULL;
    struct az_column titled = *c;

    if (of)
        return az_arena_printf(scratch, "%% of %s", of);
    if (c->title.n)
        titled.name = c->title;
    return az_field_header(scratch, &titled, shown);
}

struct az_scale az_field_start_scale(const struct az_table *t, size_t col, size_t rows,
                                     int64_t origin_ns)
{
    int64_t largest = 0;

    for (size_t r = 0; r < rows; r++) {
        const struct az_cell *c = az_table_at(t, r, col);
        if (c->type == AZ_INT && c->i - origin_ns > largest)
            largest = c->i - origin_ns;
    }
    return az_field_scale_of(AZ_UNIT_NS, AZ_INT, (double)largest);
}

struct az_sv az_field_title_after(struct az_arena *scratch, const struct az_table *t, size_t col,
                                  const char *shown, int64_t origin_ns)
{
    const struct az_sv title = az_field_title(scratch, t, col, shown), unit = AZ_SV(" (");
    const ptrdiff_t at = az_sv_find(title, unit);

    if (!az_field_is_start(&t->columns.v[col], origin_ns) || at < 0)
        return title;
    return az_arena_printf(scratch, "%.*s after first event%.*s", (int)at, title.p,
                           (int)(title.n - (size_t)at), title.p + at);
}

struct az_sv az_field_axis(struct az_arena *scratch, struct az_sv title)
{
    const ptrdiff_t comma = az_sv_find(title, AZ_SV(","));
    const struct az_sv unit = comma < 0 ? title : az_sv_make(title.p, (size_t)comma),
                       rest = az_sv_make(title.p + unit.n, title.n - unit.n);
    enum az_unit u;

    if (!title.n || !az_unit_named(unit, &u))
        return title;
    const char *word = az_unit_same_dimension(u, AZ_UNIT_NS)      ? "Time"
                       : az_unit_same_dimension(u, AZ_UNIT_BYTES) ? "Size"
                       : u == AZ_UNIT_PERCENT                     ? "Share"
                                                                  : NULL;
    return word ? az_arena_printf(scratch, "%s%.*s (%.*s)", word, AZ_SVF(rest), AZ_SVF(unit))
                : title;
}

int az_field_markdown(struct az_vec_char *out, struct az_sv s, struct az_arena *a)
{
    struct az_sv line = az_field_line(a, s);
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < line.n; i++) {
        char c = line.p[i];
        if (c == '<')
            rc = az_text_append(out, AZ_SV("&lt;"));
        else if (c == '>')
            rc = az_text_append(out, AZ_SV("&gt;"));
        else if (c == '&')
            rc = az_text_append(out, AZ_SV("&amp;"));
        else if (strchr("|\\`*_[]@#", c) && c)
            rc = az_text_printf(out, "\\%c", c);
        else
            rc = az_vec_push(out, c);
    }
    return rc;
}
