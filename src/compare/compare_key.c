/* Keys in one spelling, and names of kernels without what differs from build to build. */
#include "base/num.h"
#include "classify/rules.h"
#include "compare/compare.h"

/* ---- canonical text ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_joint(char c) { return c == ',' || c == '(' || c == ')' || c == '[' || c == ']'; }

/* Blanks next to brackets and commas dropped, others made one. */
static struct az_sv squeezed(struct az_arena *a, struct az_sv s)
{
    bool clean = true;
    for (size_t i = 0; i < s.n && clean; i++)
        clean = !is_blank(s.p[i]);
    if (clean)
        return s;
    char *out = az_arena_str(a, s);
    size_t n = 0;
    if (!out)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = 0; i < s.n; i++) {
        if (!is_blank(s.p[i])) {
            out[n++] = s.p[i];
            continue;
        }
        while (i + 1 < s.n && is_blank(s.p[i + 1]))
            i++;
        if (n && !is_joint(out[n - 1]) && i + 1 < s.n && !is_joint(s.p[i + 1]))
            out[n++] = ' ';
    }
    return az_sv_make(out, n);
}

/* ---- lists: Python's tuples and JSON's arrays are one spelling ---- */

static bool is_open(char c) { return c == '(' || c == '['; }
static bool is_close(char c) { return c == ')' || c == ']'; }

/* The whole is one list: its first bracket is closed by its last, not by one before. */
static bool is_list(struct az_sv s)
{
    size_t depth = 0;
    char quote = 0;

    if (s.n < 2 || !is_open(s.p[0]) || !is_close(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (is_open(c)) {
            depth++;
        } else if (is_close(c) && (depth == 0 || --depth == 0) && i + 1 < s.n) {
            return false;
        }
    }
    return depth == 0 && !quote;
}

/* A word of Python outside of quotes at s[i], and its length; NULL: none. */
static const char *word_at(struct az_sv s, size_t i, size_t *n)
{
    static const struct {
        const char *python, *json;
    } words[] = { { "None", "null" }, { "True", "true" }, { "False", "false" } };

    for (size_t k = 0; k < AZ_LENGTH(words); k++) {
        *n = strlen(words[k].python);
        const bool ends = i + *n < s.n && (s.p[i + *n] == ',' || is_close(s.p[i + *n]));
        if (ends && i > 0 && (is_open(s.p[i - 1]) || s.p[i - 1] == ',') &&
            memcmp(s.p + i, words[k].python, *n) == 0)
            return words[k].json;
    }
    return NULL;
}

/* One character outside of quotes; returns where it went on. */
static size_t list_char(struct az_sv s, size_t i, char *out, size_t *n)
{
    size_t len;
    const char *json = word_at(s, i, &len);

    if (json) {
        memcpy(out + *n, json, strlen(json));
        *n += strlen(json);
        return i + len;
    }
    if (is_close(s.p[i]) && *n && out[*n - 1] == ',') /* (1,) */
        (*n)--;
    out[(*n)++] = is_open(s.p[i]) ? '[' : is_close(s.p[i]) ? ']' : s.p[i];
    return i + 1;
}

/* (1, ('a',), None) -> [1,["a"],null]; blanks next to joints are gone already. */
static struct az_sv as_array(struct az_arena *a, struct az_sv s)
{
    char *out = az_arena_str(a, s), quote = 0;
    size_t n = 0;

    if (!out)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = 0; i < s.n;) {
        const char c = s.p[i];
        if (!quote && c != '\'' && c != '"') {
            i = list_char(s, i, out, &n);
            continue;
        }
        if (!quote || c == quote) {
            quote = quote ? 0 : c;
            out[n++] = '"';
        } else {
            out[n++] = c;
        }
        i++;
    }
    return az_sv_make(out, n);
}

/* Versions of a profiler name copies differently ("[X memcpy HtoD]", "[X memcpy Host-to-Device]"):
 * what a name in brackets means is its key. {NULL, 0}: it is no name of a copy. */
static struct az_sv copy_meaning(struct az_arena *a, struct az_sv name)
{
    if (name.n < 3 || name.p[0] != '[' || name.p[name.n - 1] != ']')
        return (struct az_sv){ NULL, 0 };
    const struct az_sv way = az_rules_class("copies.rules", "way", name),
                       memory = az_rules_class("copies.rules", "memory", name);
    if (way.n == 0)
        return (struct az_sv){ NULL, 0 };
    return az_arena_printf(a, "[copy %.*s%s%.*s]", AZ_SVF(way), memory.n ? ", " : "",
                           AZ_SVF(memory));
}

struct az_sv az_compare_key(struct az_arena *a, const struct az_cell *c)
{
    char buf[AZ_NUM_MAX];
    double x;

    if (c->type == AZ_TEXT) {
        struct az_sv s = az_sv_trim(az_cell_text(c));
        /* a column of numbers may be text elsewhere; long texts are none, names like 007 stay */
        if (s.n && s.n <= 24 && s.p[0] >= '-' && s.p[0] <= '9' && az_parse_f64(s, &x) == 0 &&
            !(s.n > 1 && s.p[0] == '0' && s.p[1] != '.'))
            return az_arena_dup(a, az_sv_make(buf, az_format_f64(x, buf)));
        const struct az_sv copy = copy_meaning(a, s);
        if (copy.p)
            return copy;
        s = squeezed(a, s);
        return s.p && is_list(s) ? as_array(a, s) : s;
    }
    if (c->type == AZ_EMPTY)
        return AZ_SV("");
    return az_arena_dup(a, az_cell_exact(c, buf));
}

/* ---- names ---- */

/* Template arguments: from a `<` after a letter to its `>`; not the operators. */
static size_t strip_templates(char *p, size_t n)
{
    size_t out = 0, depth = 0;
    long balance = 0;

    for (size_t i = 0; i < n; i++)
        balance += (p[i] == '<') - (p[i] == '>' && (i == 0 || p[i - 1] != '-'));
    if (balance != 0) /* truncated, or operators: better as it is */
        return n;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '<')
            depth++;
        else if (p[i] == '>' && depth && p[i - 1] != '-')
            depth--;
        else if (!depth)
            p[out++] = p[i];
    }
    return out;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t strip_addresses(char *p, size_t n)
{
    size_t out = 0;

    for (size_t i = 0; i < n; i++) {
        if (p[i] == '0' && i + 2 < n && p[i + 1] == 'x' && is_hex(p[i + 2])) {
            i += 2;
            while (i + 1 < n && is_hex(p[i + 1]))
                i++;
            continue;
        }
        p[out++] = p[i];
    }
    return out;
}

static bool is_generated(struct az_sv name)
{
    return az_rules_class("generated_names.rules", "name", name).n > 0;
}

/* "_12", ".3", "_4_5" at the end. */
static size_t strip_numbers(const char *p, size_t n)
{
    for (;;) {
        size_t i = n;
        while (i > 0 && is_digit(p[i - 1]))
            i--;
        if (i == n || i < 2 || (p[i - 1] != '_' && p[i - 1] != '.'))
            return n;
        n = i - 1;
    }
}

struct az_sv az_compare_normal(struct az_arena *a, struct az_sv name)
{
    char *p = az_arena_str(a, az_sv_trim(name));
    size_t n = p ? strlen(p) : 0;

    if (!p)
        return (struct az_sv){ NULL, 0 };
    n = strip_templates(p, n);
    n = strip_addresses(p, n);
    if (is_generated(az_sv_make(p, n)))
        n = strip_numbers(p, n);
    struct az_sv s = az_sv_trim(az_sv_make(p, n));
    return s.n ? s : name; /* nothing would be left: the name as it is */
}
