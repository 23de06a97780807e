/* The rank in a file's name: the first place where the pattern is followed by a number. */
#include "read/rank_name.h"

#include "base/num.h"
#include "base/utf8.h"
#include "io/path.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The regular expression of `re:X`: X between the bounds. \d is accepted, because other tools have
 * it. */
static char *expression(struct az_arena *a, struct az_sv pattern, const char *before,
                        const char *behind)
{
    struct az_vec_char text;
    char *out = NULL;
    az_vec_init(&text, NULL);
    int rc = az_text_append(&text, az_sv_str(before));
    for (size_t i = 0; rc == 0 && i < pattern.n; i++) {
        const bool escape = pattern.p[i] == '\\' && i + 1 < pattern.n;
        if (escape && pattern.p[i + 1] == 'd')
            rc = az_text_append(&text, AZ_SV("[0-9]"));
        else
            rc = az_text_append(&text, az_sv_make(pattern.p + i, escape ? 2 : 1));
        i += escape;
    }
    rc = rc ? rc : az_text_append(&text, az_sv_str(behind));
    if (rc == 0)
        out = az_arena_str(a, az_text_view(&text));
    az_vec_release(&text);
    return out;
}

int az_rank_name_init(struct az_rank_name *r, struct az_sv pattern, struct az_arena *a,
                      struct az_where at, struct az_diag *diag)
{
    *r = (struct az_rank_name){ .literal = pattern };
    if (!az_sv_starts(pattern, AZ_SV("re:")))
        return AZ_OK;
    struct az_sv x = az_sv_make(pattern.p + 3, pattern.n - 3);
    /* By itself it must be right: with what is put around it, "[" would be. */
    char *own = expression(a, x, "", ""), *text = expression(a, x, "(", ")([0-9]+)");
    char why[128];
    if (!text || !own)
        return az_arena_error(a);
    if (az_sv_find(x, AZ_SV("(?")) >= 0) /* read as something else, and would match nothing */
        return az_diag_fail(diag, AZ_ECONFIG, at,
                            "rank pattern '%.*s': groups such as '(?' are not supported; remove "
                            "the group (the rank is the number after the pattern)",
                            AZ_SVF(az_utf8_cut(x, 80)));
    int rc = regcomp(&r->re, own, REG_EXTENDED);
    if (rc == 0) {
        regfree(&r->re);
        rc = regcomp(&r->re, text, REG_EXTENDED);
    }
    if (rc == REG_ESPACE)
        return AZ_ENOMEM;
    if (rc) {
        regerror(rc, &r->re, why, sizeof why);
        return az_diag_fail(diag, AZ_ECONFIG, at,
                            "rank pattern '%.*s' is not a regular expression: %s",
                            AZ_SVF(az_utf8_cut(x, 80)), why);
    }
    r->regex = true;
    /* The number is the last group but for those of the pattern, which are inside the first. */
    r->group = r->re.re_nsub;
    if (r->group > AZ_RANK_GROUPS) {
        az_rank_name_release(r);
        return az_diag_fail(diag, AZ_ECONFIG, at, "rank pattern '%.*s' has more than %d groups",
                            AZ_SVF(az_utf8_cut(x, 80)), AZ_RANK_GROUPS - 2);
    }
    return AZ_OK;
}

void az_rank_name_release(struct az_rank_name *r)
{
    if (r->regex)
        regfree(&r->re);
    r->regex = false;
}

static bool find_regex(const struct az_rank_name *r, struct az_sv base, struct az_rank_place *out)
{
    regmatch_t m[AZ_RANK_GROUPS + 1];
    char small[256];
    if (base.n >= sizeof small) /* file names are at most 255 bytes */
        return false;
    memcpy(small, base.p, base.n);
    small[base.n] = '\0';
    /* It needs memory of its own and returns "no match" (glibc) where there is none: called twice,
     * so that a moment without memory does not turn a rank into a plain file. */
    int rc = regexec(&r->re, small, AZ_RANK_GROUPS + 1, m, 0);
    if (rc)
        rc = regexec(&r->re, small, AZ_RANK_GROUPS + 1, m, 0);
    if (rc)
        return false;
    *out = (struct az_rank_place){ (size_t)m[0].rm_so, (size_t)m[r->group].rm_so,
                                   (size_t)m[r->group].rm_eo, 0 };
    return true;
}

static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* Does the name go on here with the word (in capitals or not), at most one separator, and a number
 * short enough for a rank? */
static bool rank_at(struct az_sv base, size_t i, struct az_sv word, struct az_rank_place *out)
{
    enum { LONGEST = 7 }; /* digits of AZ_RANK_MOST; what is longer is a time */
    size_t at = i + word.n;
    if (at >= base.n || !az_sv_ieq(az_sv_make(base.p + i, word.n), word))
        return false;
    at += base.p[at] && strchr("-_./[= ", base.p[at]);
    size_t end = at;
    while (end < base.n && is_digit(base.p[end]))
        end++;
    *out = (struct az_rank_place){ i, at, end, 0 };
    return end > at && end - at <= LONGEST;
}

/* A rank in one dimension of the parallelism or on one host is none of the run: `tp_rank_1`,
 * `local_rank0`. */
static bool is_partial(struct az_sv base, size_t i)
{
    static const char *const of[] = { "local", "node", "tp", "pp", "dp", "ep", "cp", "sp" };
    while (i > 0 && (base.p[i - 1] == '_' || base.p[i - 1] == '-'))
        i--;
    for (size_t k = 0; k < AZ_LENGTH(of); k++) {
        const struct az_sv word = az_sv_str(of[k]);
        if (i >= word.n && az_sv_ieq(az_sv_make(base.p + i - word.n, word.n), word) &&
            (i == word.n || !is_letter(base.p[i - word.n - 1])))
            return true;
    }
    return false;
}

/* Without a pattern: what profilers, frameworks and their users write. A word counts wherever it
 * is, the short one where no longer word ends in it; `rank` wins over the others. Not by regexec,
 * which reports no match when memory is short. */
static bool find_any(struct az_sv base, struct az_rank_place *out)
{
    static const char *const words[] = { "rank", "tp", "worker", "profile" };
    struct az_rank_place at;
    bool partial = false;

    for (size_t k = 0; k < AZ_LENGTH(words) && !partial; k++) {
        const struct az_sv word = az_sv_str(words[k]);
        for (size_t i = 0; i < base.n; i++) {
            const bool inside = i > 0 && word.n == 2 && is_letter(base.p[i - 1]);
            if (inside || !rank_at(base, i, word, &at))
                continue;
            const bool part = k == 0 && is_partial(base, i);
            if (!part || !partial)
                *out = at;
            if (!part)
                return true;
            partial = true;
        }
    }
    return partial;
}

static bool find_literal(const struct az_rank_name *r, struct az_sv base, struct az_rank_place *out)
{
    const struct az_sv p = r->literal;
    for (size_t i = 0; i + p.n < base.n; i++) {
        if (memcmp(base.p + i, p.p, p.n) != 0 || !is_digit(base.p[i + p.n]))
            continue;
        *out = (struct az_rank_place){ i, i + p.n, i + p.n, 0 };
        while (out->end < base.n && is_digit(base.p[out->end]))
            out->end++;
        return true;
    }
    return false;
}

bool az_rank_name_find(const struct az_rank_name *r, struct az_sv base, struct az_rank_place *out)
{
    if (!(r->regex       ? find_regex(r, base, out)
          : r->literal.n ? find_literal(r, base, out)
                         : find_any(base, out)))
        return false;
    return az_parse_i64(az_sv_make(base.p + out->digits, out->end - out->digits), &out->rank) ==
               0 &&
           out->rank <= AZ_RANK_MOST;
}

bool az_rank_name_find_in(const struct az_rank_name *r, struct az_sv path,
                          struct az_rank_place *out, bool *folder)
{
    const struct az_sv parent = az_path_base(az_path_dir(path));
    *folder = false;
    if (az_rank_name_find(r, az_path_base(path), out))
        return true;
    *folder = az_rank_name_find(r, parent, out) && out->start == 0 &&
              (out->end == parent.n || (out->end + 1 == parent.n && parent.p[out->end] == ']'));
    return *folder;
}

static bool all_digits(struct az_sv text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_digit(text.p[i]))
            return false;
    return text.n > 0;
}

static ptrdiff_t last_index(struct az_sv text, char c)
{
    size_t i = text.n;
    while (i > 0 && text.p[i - 1] != c)
        i--;
    return (ptrdiff_t)i - 1;
}

struct az_sv az_rank_host_in_name(struct az_sv x, int64_t rank)
{
    const ptrdiff_t end = az_sv_find(x, AZ_SV(".pt.trace.json"));
    struct az_rank_name name;
    struct az_rank_place at = { 0 };
    struct az_arena a;
    x = az_sv_make(x.p, end > 0 ? (size_t)end : 0);
    const ptrdiff_t dot = last_index(x, '.');
    const struct az_sv before = az_sv_make(x.p, dot > 0 ? (size_t)dot : 0);
    const ptrdiff_t line = last_index(before, '_');
    if (line <= 0 || !all_digits(az_sv_make(x.p + dot + 1, x.n - (size_t)dot - 1)) ||
        !all_digits(az_sv_make(x.p + line + 1, (size_t)(dot - line) - 1)))
        return AZ_SV("");
    x.n = (size_t)line;
    az_arena_init(&a, NULL);
    bool found = true;
    if (az_rank_name_init(&name, AZ_SV(""), &a, AZ_NOWHERE, NULL) == AZ_OK) {
        found = az_rank_name_find(&name, x, &at) && (rank < 0 || at.rank == rank);
        az_rank_name_release(&name);
    }
    az_arena_release(&a);
    return found ? AZ_SV("") : x;
}

int az_natural_cmp(struct az_sv x, struct az_sv y)
{
    size_t i = 0, j = 0;
    while (i < x.n && j < y.n) {
        if (!is_digit(x.p[i]) || !is_digit(y.p[j])) {
            if (x.p[i] != y.p[j])
                return (unsigned char)x.p[i] < (unsigned char)y.p[j] ? -1 : 1;
            i++, j++;
            continue;
        }
        while (i < x.n && x.p[i] == '0')
            i++;
        while (j < y.n && y.p[j] == '0')
            j++;
        size_t a = i, b = j;
        while (a < x.n && is_digit(x.p[a]))
            a++;
        while (b < y.n && is_digit(y.p[b]))
            b++;
        const int c = a - i != b - j ? (a - i < b - j ? -1 : 1) : memcmp(x.p + i, y.p + j, a - i);
        if (c)
            return c < 0 ? -1 : 1;
        i = a, j = b;
    }
    if (i < x.n || j < y.n)
        return i < x.n ? 1 : -1;
    return az_sv_cmp(x, y); /* 01 and 1 */
}
