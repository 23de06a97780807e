/* "Did you mean": the nearest known key or word. */
#include "config/private.h"
#include "text/typo.h"

static const char *place_text(unsigned one_place)
{
    switch (one_place) {
    case AZ_AT_TOP:
        return "the top level";
    case AZ_AT_INPUT:
        return "an input";
    case AZ_AT_ARGS:
        return "analysis_args";
    case AZ_AT_OPTIONS:
        return "options";
    case AZ_AT_THRESHOLDS:
        return "thresholds";
    case AZ_AT_OUTPUTS:
        return "outputs";
    case AZ_AT_CSV:
        return "nsys_csv_file_path";
    case AZ_AT_REPORT:
        return "nsys_report";
    case AZ_AT_COMPARE:
        return "compare";
    case AZ_AT_GATES:
        return "gates";
    case AZ_AT_RULE:
        return "gates.rules[]";
    case AZ_AT_HISTORY:
        return "history";
    default:
        return "";
    }
}

struct az_sv az_suggest_word(struct az_sv word, struct az_sv words)
{
    struct az_sv best = { "", 0 };
    unsigned limit = az_typo_limit(word.n);
    while (words.n > 0 && word.n < 200) {
        const char *bar = memchr(words.p, '|', words.n);
        size_t n = bar ? (size_t)(bar - words.p) : words.n;
        struct az_sv one = az_sv_make(words.p, n);
        unsigned d = az_sv_ieq(one, word) ? 0 : az_sv_distance(one, word, limit);
        if (d <= limit && d < (unsigned)one.n) {
            best = one;
            if (d == 0)
                break;
            limit = d - 1;
        }
        n += bar != NULL;
        words = az_sv_make(words.p + n, words.n - n);
    }
    return best;
}

struct az_sv az_suggest_name(struct az_sv word, const char *const *names, const char *more,
                             struct az_arena *a)
{
    struct az_vec_char words;
    struct az_sv hint;
    az_vec_init(&words, NULL);
    int rc = az_text_append(&words, az_sv_str(more));
    for (size_t i = 0; rc == 0 && names && names[i]; i++)
        rc = az_text_printf(&words, "|%s", names[i]);
    hint = rc == 0 ? az_suggest_word(word, az_text_view(&words)) : AZ_SV("");
    hint = hint.n ? az_arena_printf(a, " (did you mean '%.*s'?)", AZ_SVF(hint)) : AZ_SV("");
    az_vec_release(&words);
    return hint;
}

/* First place other than `places` where the key is known; 0. */
static unsigned other_place(struct az_sv key, unsigned places)
{
    for (unsigned p = AZ_AT_TOP; p <= AZ_AT_HISTORY; p <<= 1) {
        if (p == AZ_AT_RULE)
            continue; /* its keys are everyday words: name, key, min ... */
        if (!(p & places) && az_option_find(key, p))
            return p;
    }
    return 0;
}

struct az_sv az_suggest_key(struct az_sv key, unsigned places, struct az_arena *a)
{
    unsigned limit = az_typo_limit(key.n);
    const char *best = NULL;
    if (key.n > 200)
        return AZ_SV("");
    unsigned elsewhere = other_place(key, places);
    if (elsewhere)
        return az_arena_printf(a, " (it belongs in %s)", place_text(elsewhere));
    for (size_t i = 0; i < az_option_count; i++) {
        struct az_sv one = az_sv_str(az_option_table[i].key);
        if (!(az_option_table[i].places & places))
            continue;
        unsigned d = az_sv_ieq(one, key) ? 0 : az_sv_distance(one, key, limit);
        if (d <= limit && d < (unsigned)one.n) {
            best = az_option_table[i].key;
            if (d == 0)
                break;
            limit = d - 1;
        }
    }
    return best ? az_arena_printf(a, " (did you mean '%s'?)", best) : AZ_SV("");
}
