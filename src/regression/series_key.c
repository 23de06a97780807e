/* Keys of metrics as text: what globs match, and what readers see. */
#include "document/name_words.h"
#include "regression/series.h"
#include "text/jsonscan.h"

#define STEPS "{\"#\":\"steps\""

bool az_series_is_steps(struct az_sv key) { return az_sv_starts(key, AZ_SV(STEPS)); }

static bool has_letter(struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
            (unsigned char)s.p[i] >= 0x80)
            return true;
    return false;
}

/* named: before values without a name. */
static struct az_sv key_words(struct az_arena *a, struct az_sv key, bool named)
{
    struct az_jview v;
    struct az_sv name, value, number = AZ_SV(""), out = AZ_SV("");
    bool first = true;

    if (!az_jview_object(&v, key))
        return key;
    while (az_jview_member(&v, &name, &value)) {
        struct az_sv raw =
            value.n >= 2 && value.p[0] == '"' ? az_sv_make(value.p + 1, value.n - 2) : value;
        struct az_sv text = az_json_unescape(a, raw);
        const bool own =
            az_sv_is(name, "#") && first; /* the program's: number among equals, or steps */
        if (own && !az_sv_is(text, "steps"))
            number = text;
        if (!own && named && text.n && !has_letter(text))
            text = az_arena_printf(a, "%.*s %.*s", AZ_SVF(az_json_unescape(a, name)), AZ_SVF(text));
        if (!own)
            out = out.n ? az_arena_printf(a, "%.*s | %.*s", AZ_SVF(out), AZ_SVF(text)) : text;
        first = false;
    }
    if (number.n)
        out = az_arena_printf(a, "%.*s%s#%.*s", AZ_SVF(out), out.n ? " " : "", AZ_SVF(number));
    return out;
}

struct az_sv az_series_key_text(struct az_arena *a, struct az_sv key)
{
    return key_words(a, key, false);
}
struct az_sv az_series_key_label(struct az_arena *a, struct az_sv key)
{
    return key_words(a, key, true);
}

static bool is_word(struct az_sv s)
{
    return s.n && s.p[0] != '[' && s.p[0] != '{' && s.p[0] != '(' && has_letter(s);
}

struct az_sv az_series_key_short(struct az_arena *a, struct az_sv text)
{
    struct az_sv rest = text, out = AZ_SV("");
    ptrdiff_t at;

    if (az_sv_find(text, AZ_SV(" | ")) < 0)
        return az_words_name(a, text);
    while (rest.n) {
        at = az_sv_find(rest, AZ_SV(" | "));
        const size_t n = at < 0 ? rest.n : (size_t)at;
        const struct az_sv part = az_sv_make(rest.p, n);
        if (is_word(part))
            out = out.n ? az_arena_printf(a, "%.*s | %.*s", AZ_SVF(out), AZ_SVF(part)) : part;
        rest = at < 0 ? AZ_SV("") : az_sv_make(rest.p + n + 3, rest.n - n - 3);
    }
    return az_words_name(a, out.n ? out : text);
}
