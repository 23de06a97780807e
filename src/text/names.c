/* Names for readers. A name is shortened by its syntax only: no name is known here. */
#include "text/names.h"

#include "base/intern.h"
#include "base/utf8.h"

#define MARK "\xe2\x80\xa6" /* of what is skipped */

enum {
    MOST_NAMES = 512, /* of a column: more are shortened without comparing them */
    MOST_CUT = 32,    /* the same where words are compared */
    PLAIN_NAME = 8,   /* a shorter one means little without its arguments */
    MOST_TOKENS = 160 /* words of a generated name */
};

static bool is_word_char(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* ---- lists ---- */
static struct az_sv unquoted(struct az_sv s)
{
    s = az_sv_trim(s);
    if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
        s = az_sv_make(s.p + 1, s.n - 2);
    return s.n == 0 || az_sv_is(s, "null") ? AZ_SV("-") : s;
}

/* End of the element that begins at i: its comma at depth 0, or the end. */
static size_t element_end(struct az_sv s, size_t i)
{
    bool quoted = false;
    int depth = 0;

    for (; i < s.n; i++) {
        char c = s.p[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{'))
            depth++;
        else if (!quoted && (c == ']' || c == '}'))
            depth--;
        else if (!quoted && depth == 0 && c == ',')
            break;
    }
    return i < s.n ? i : s.n;
}

static bool is_list(struct az_sv s, char first)
{
    return s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']' && s.p[1] == first;
}

struct az_sv az_name_plain(struct az_arena *a, struct az_sv s)
{
    const bool words = is_list(s, '"'), lists = is_list(s, '[');
    struct az_sv out = AZ_SV(""), in;

    if (az_sv_is(s, "[]"))
        return AZ_SV("-");
    if (!words && !lists)
        return s;
    in = az_sv_make(s.p + 1, s.n - 2);
    for (size_t i = 0; i < in.n;) {
        size_t end = element_end(in, i);
        struct az_sv e = az_sv_trim(az_sv_make(in.p + i, end - i));
        i = end + 1;
        if (lists && az_sv_is(e, "[]"))
            continue;
        e = words ? unquoted(e) : e;
        out = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(out),
                              !out.n  ? ""
                              : words ? ", "
                                      : " ",
                              AZ_SVF(e));
    }
    return out.n ? out : AZ_SV("-");
}

/* ---- C++ names ---- */

/* Index after the bracket that closes the one at i; n if none does. `->` closes nothing. */
static size_t behind(struct az_sv s, size_t i)
{
    int depth = 0;

    for (; i < s.n; i++) {
        char c = s.p[i];
        depth += c == '<' || c == '(' || c == '{' || c == '[';
        if (c == ')' || c == '}' || c == ']' || (c == '>' && s.p[i - 1] != '-'))
            depth--;
        if (depth == 0)
            return i + 1;
    }
    return s.n;
}

/* Parts of a name at depth 0. */
struct parts {
    struct az_sv base, arguments; /* without the brackets */
    bool signature;               /* it has what only a name of C++ has */
};

static struct parts divide(struct az_sv s)
{
    struct parts p = { .base = s };
    size_t from = 0, i = 0, end = 0;
    struct az_sv arguments = AZ_SV("");

    if (az_sv_starts(s, AZ_SV("void "))) {
        p.signature = true;
        i = from = 5;
    }
    while (i < s.n) {
        char c = s.p[i];
        if (c == ':' && i + 1 < s.n && s.p[i + 1] == ':') {
            i += 2;
            from = i;
            end = 0;
        } else if ((c == '<' || c == '{') && i > from) {
            const size_t next = behind(s, i);
            end = end ? end : i;
            if (c == '<' && next > i + 1)
                arguments = az_sv_make(s.p + i + 1, next - i - 2);
            p.signature |= c == '<' && is_word_char(s.p[i - 1]);
            i = next;
        } else if (c == '(' || c == '{') {
            const size_t next = behind(s, i);
            if (i > from && !end)
                end = i;
            /* parameters: at the end of the name */
            p.signature |=
                i > 0 && (is_word_char(s.p[i - 1]) || s.p[i - 1] == '>') &&
                (next == s.n || az_sv_starts(az_sv_make(s.p + next, s.n - next), AZ_SV(" [")));
            i = next;
            if (i == s.n || s.p[i] != ':')
                break;
        } else {
            i++;
        }
    }
    p.base = s.n ? az_sv_make(s.p + from, (end ? end : s.n) - from) : s;
    p.arguments = arguments;
    return p;
}

/* Length of what a call operator adds to the name of its function at i: "operator()", or the
 * " const" after its parameters. 0: neither. */
static size_t call_operator(struct az_sv s, size_t i)
{
    const struct az_sv rest = az_sv_make(s.p + i, s.n - i), call = AZ_SV("operator()"),
                       constant = AZ_SV(" const");
    if (az_sv_starts(rest, call))
        return call.n;
    return i > 0 && s.p[i - 1] == ')' && az_sv_starts(rest, constant) ? constant.n : 0;
}

/* Does the blank at i divide two words, as in "unsigned int"? */
static bool between_words(struct az_sv s, size_t i)
{
    return s.p[i] == ' ' && i > 0 && i + 1 < s.n && is_word_char(s.p[i - 1]) &&
           is_word_char(s.p[i + 1]);
}

/* Template arguments without namespaces, parameters and blanks after commas:
 * "4, at::native::Gelu(at::Base&)" -> "4,Gelu". */
static struct az_sv simple(struct az_arena *a, struct az_sv s)
{
    char *p = az_arena_str(a, s);
    size_t n = 0, begin = 0, skip; /* begin: of the word being read, in the output */

    for (size_t i = 0; p && i < s.n;) {
        char c = s.p[i];
        if ((skip = call_operator(s, i)) > 0) {
            i += skip;
        } else if (c == ':' && i + 1 < s.n && s.p[i + 1] == ':') {
            if (s.n - i > 2 && (!is_word_char(s.p[i + 2]) || call_operator(s, i + 2)))
                ; /* "::{lambda": nothing more specific */
            else
                n = begin;
            i += 2;
        } else if (c == '(' || c == '{') {
            i = behind(s, i);
        } else if ((c == ' ' && !between_words(s, i)) || c == '&' || c == '*') {
            i++;
        } else {
            p[n++] = c;
            i++;
            if (!is_word_char(c))
                begin = n;
        }
    }
    return az_sv_make(p ? p : "", n);
}

static bool identifier(struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_word_char(s.p[i]))
            return false;
    return s.n > 0;
}

struct az_sv az_name_short(struct az_arena *a, struct az_sv s, bool arguments)
{
    const ptrdiff_t arrow = az_sv_find(s, AZ_SV("->"));
    struct parts p;

    if (arrow > 0 && identifier(az_sv_make(s.p, (size_t)arrow))) {
        const struct az_sv tail = AZ_SV(" (Synthetic Op)");
        struct az_sv inner = az_sv_make(s.p + arrow + 2, s.n - (size_t)arrow - 2);
        if (az_sv_ends(inner, tail))
            inner.n -= tail.n;
        return az_arena_printf(a, "%.*s (in %.*s)", AZ_SVF(az_name_short(a, inner, arguments)),
                               (int)arrow, s.p);
    }
    p = divide(s);
    if (!p.signature || !p.base.n)
        return s;
    if (!arguments || !p.arguments.n)
        return p.base;
    return az_arena_printf(a, "%.*s<%.*s>", AZ_SVF(p.base), AZ_SVF(simple(a, p.arguments)));
}

/* Names by their short forms, so that only similar ones are compared: of each form two
 * different names are enough. */
enum { CHAINS = 1024 };
struct short_forms {
    uint16_t first[CHAINS], next[MOST_NAMES]; /* + 1; 0: none */
};

static size_t chain_of(struct az_sv s) { return (size_t)(az_hash(s.p, s.n) % CHAINS); }

static void find_alike(struct short_forms *x, const struct az_sv *name, const struct az_sv *shown,
                       size_t n)
{
    memset(x, 0, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        uint16_t *first = &x->first[chain_of(shown[i])];
        unsigned others = 0;
        size_t k = *first;
        for (; k && others < 2; k = x->next[k - 1])
            if (az_sv_eq(shown[k - 1], shown[i])) {
                if (az_sv_eq(name[k - 1], name[i]))
                    break;
                others++;
            }
        if (k || others == 2)
            continue;
        x->next[i] = *first;
        *first = (uint16_t)(i + 1);
    }
}

/* Does another name have the same short form? */
static bool ambiguous(const struct short_forms *x, const struct az_sv *name,
                      const struct az_sv *shown, size_t i)
{
    for (size_t k = x->first[chain_of(shown[i])]; k; k = x->next[k - 1])
        if (az_sv_eq(shown[k - 1], shown[i]) && !az_sv_eq(name[k - 1], name[i]))
            return true;
    return false;
}

void az_names_shorten(struct az_arena *a, struct az_sv *name, size_t n)
{
    struct az_sv *shown = az_arena_array(a, n + 1, sizeof *shown),
                 *longer = az_arena_array(a, n + 1, sizeof *longer);
    struct short_forms x;

    if (!shown || !longer)
        return;
    for (size_t i = 0; i < n; i++) {
        shown[i] = az_name_short(a, name[i], false);
        if (shown[i].n < PLAIN_NAME)
            shown[i] = az_name_short(a, name[i], true);
    }
    for (int round = 0; round < 2 && n <= MOST_NAMES; round++) {
        find_alike(&x, name, shown, n);
        for (size_t i = 0; i < n; i++) {
            longer[i] = shown[i];
            if (ambiguous(&x, name, shown, i))
                longer[i] = round ? name[i] : az_name_short(a, name[i], true);
        }
        memcpy(shown, longer, n * sizeof *shown);
    }
    memcpy(name, shown, n * sizeof *shown);
}

/* ---- widths ---- */
/* The words of a name. */
struct words {
    struct az_sv *v;
    size_t n, has; /* has: without an empty one at the end */
};

/* Of all names; NULL without memory. */
static struct words *cut_all(struct az_arena *a, const struct az_sv *name, size_t n)
{
    struct words *w = az_arena_array(a, n + 1, sizeof *w);

    for (size_t i = 0; w && i < n; i++) {
        struct az_sv rest = name[i];
        size_t most = 1;
        for (size_t k = 0; k < rest.n; k++)
            most += rest.p[k] == '_';
        w[i].v = az_arena_array(a, most, sizeof *w[i].v);
        if (!w[i].v)
            return NULL;
        while (w[i].n < most)
            w[i].v[w[i].n++] = az_sv_cut(&rest, '_');
        w[i].has = most - (w[i].v[most - 1].n == 0);
    }
    return w;
}

/* Is it a word of the name? */
static bool has_word(const struct words *w, struct az_sv t)
{
    for (size_t i = 0; i < w->has; i++)
        if (w->v[i].n == t.n && az_sv_eq(w->v[i], t))
            return true;
    return false;
}

/* The word of a name that most of the other names (still[k]) do not have; 0: each has all. */
static size_t most_telling(const struct words *w, size_t n, size_t i, const bool *still)
{
    size_t best = 0, best_lack = 0;

    for (size_t at = 1; at < w[i].n; at++) {
        size_t lack = 0;
        for (size_t k = 0; k < n; k++)
            lack += still[k] && !has_word(&w[k], w[i].v[at]);
        if (lack > best_lack) {
            best_lack = lack;
            best = at;
        }
    }
    return best;
}

/* Width of the name with the remaining words. */
static size_t length_of(const struct words *w, const bool *keep)
{
    size_t bytes = 0;

    for (size_t at = 0; at < w->n; at++)
        bytes += keep[at] ? w->v[at].n + 1 : 0; /* with the `_` or the mark after it */
    return bytes - keep[w->n - 1];
}

/* Where there is room for more than what makes them differ: the words that come first. */
static void fill_up(const struct words *w, bool *keep, size_t width)
{
    for (size_t at = 1; at < w->n; at++) {
        if (keep[at])
            continue;
        keep[at] = true;
        if (length_of(w, keep) > width) {
            keep[at] = false;
            break;
        }
    }
}

/* The first word, and of the others those in which a generated name differs from those with the
 * same beginning: "sm90_xmma_gemm_bf16_tn_n_tile256x128x64_execute" ->
 * "sm90...tn...tile256x128x64", and more of the first ones as far as there is room. The name itself
 * if no other has its beginning, or its words are the same as another's. */
static struct az_sv telling(struct az_arena *a, const struct az_sv *name, const struct words *w,
                            size_t n, size_t i, size_t width)
{
    const size_t tokens = w[i].n;
    bool still[MOST_CUT] = { false }, keep[MOST_TOKENS] = { true };
    struct az_sv out = w[i].v[0];
    size_t others = 0;

    if (tokens < 3 || tokens > MOST_TOKENS)
        return name[i];
    for (size_t k = 0; k < n; k++) {
        still[k] = az_sv_eq(w[k].v[0], out) && !az_sv_eq(name[k], name[i]);
        others += still[k];
    }
    if (!others)
        return name[i];
    while (others) {
        const size_t at = most_telling(w, n, i, still);
        if (!at)
            return name[i];
        keep[at] = true;
        for (size_t k = 0; k < n; k++)
            if (still[k] && !has_word(&w[k], w[i].v[at])) {
                still[k] = false;
                others--;
            }
    }
    fill_up(&w[i], keep, width);
    for (size_t at = 1; at < tokens; at++)
        if (keep[at])
            out = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(out), keep[at - 1] ? "_" : MARK,
                                  AZ_SVF(w[i].v[at]));
    return keep[tokens - 1] ? out : az_arena_printf(a, "%.*s" MARK, AZ_SVF(out));
}

/* Would it equal another name if both were truncated? */
static bool taken(const struct az_sv *name, size_t n, size_t i, size_t width, struct az_arena *a)
{
    const struct az_sv cut = az_utf8_fit(a, name[i], width, true);

    for (size_t k = 0; k < n && cut.n < name[i].n; k++)
        if (!az_sv_eq(name[k], name[i]) && az_sv_eq(az_utf8_fit(a, name[k], width, true), cut))
            return true;
    return false;
}

static bool shown_alike(const struct az_sv *name, const struct az_sv *shown, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (az_sv_eq(shown[k], shown[i]) && !az_sv_eq(name[k], name[i]))
            return true;
    return false;
}

static size_t alike_up_to(struct az_sv a, struct az_sv b)
{
    size_t n = 0;

    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

/* Its beginning, and from the word on in which it differs from those that were truncated to the
 * same. */
static struct az_sv apart(struct az_arena *a, const struct az_sv *name, const struct az_sv *shown,
                          size_t n, size_t i, size_t width)
{
    size_t from = 0;

    for (size_t k = 0; k < n; k++) {
        const size_t same = alike_up_to(name[k], name[i]);
        if (az_sv_eq(shown[k], shown[i]) && same < name[i].n && same > from)
            from = same;
    }
    while (from && !strchr(" <>(),:_-/.", name[i].p[from - 1]))
        from--;
    if (from <= width / 2)
        return shown[i];
    const struct az_sv head = az_utf8_fit(a, name[i], width / 2, false);
    return az_utf8_fit(a,
                       az_arena_printf(a, "%.*s%.*s", AZ_SVF(head),
                                       AZ_SVF(az_sv_make(name[i].p + from, name[i].n - from))),
                       width, false);
}

void az_names_cut(struct az_arena *a, struct az_sv *name, size_t n, size_t width)
{
    struct az_sv *shown = az_arena_array(a, n + 1, sizeof *shown), cut[MOST_CUT];
    struct words *w = NULL; /* made when first needed */

    if (!shown)
        return;
    for (size_t i = 0; i < n; i++)
        shown[i] = az_utf8_fit(a, name[i], width, true);
    for (size_t i = 0; i < n && n <= MOST_CUT; i++)
        if ((az_utf8_width(name[i]) > 2 * width || taken(name, n, i, width, a)) &&
            (w || (w = cut_all(a, name, n))))
            shown[i] = az_utf8_fit(a, telling(a, name, w, n, i, width), width, true);
    for (size_t i = 0; i < n && n <= MOST_CUT; i++)
        cut[i] = shown_alike(name, shown, n, i) ? apart(a, name, shown, n, i, width) : shown[i];
    memcpy(name, n <= MOST_CUT ? cut : shown, n * sizeof *shown);
}
