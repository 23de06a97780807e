#include "analyses/words.h"

#include <ctype.h>


static bool is_word(char c) { return isalnum((unsigned char)c) != 0; }

/* Cuts a name into lower-case words. Names longer than the buffer are classified by their beginning. */
void az_words_cut(struct az_sv name, struct az_words *w)
{
    size_t at = 0;
    w->n = 0;
    bool open = false;
    for (size_t i = 0; i < name.n && at < sizeof w->text && w->n < AZ_WORDS_MAX; i++) {
        char c = name.p[i];
        bool hump = open && isupper((unsigned char)c) && !isupper((unsigned char)name.p[i - 1]);
        if (open && (!is_word(c) || hump)) {
            w->to[w->n++] = (uint16_t)at;
            open = false;
        }
        if (!is_word(c) || w->n == AZ_WORDS_MAX)
            continue;
        if (!open)
            w->from[w->n] = (uint16_t)at;
        open = true;
        w->text[at++] = (char)tolower((unsigned char)c);
    }
    if (open && w->n < AZ_WORDS_MAX)
        w->to[w->n++] = (uint16_t)at;
}

/* Does pattern word p match word i? */
static bool word_matches(const struct az_words *w, size_t i, struct az_sv p)
{
    struct az_sv have = az_sv_make(w->text + w->from[i], (size_t)(w->to[i] - w->from[i]));
    if (p.n && p.p[p.n - 1] == '*')
        return az_sv_starts(have, az_sv_make(p.p, p.n - 1));
    return az_sv_eq(have, p);
}

/* Pattern words joined by `_`, one after the other from word i on. */
static bool pattern_at(const struct az_words *w, size_t i, struct az_sv pattern)
{
    while (pattern.n) {
        const char *u = memchr(pattern.p, '_', pattern.n);
        struct az_sv p = az_sv_make(pattern.p, u ? (size_t)(u - pattern.p) : pattern.n);
        if (i >= w->n || !word_matches(w, i++, p))
            return false;
        size_t used = p.n + (u ? 1 : 0);
        pattern = az_sv_make(pattern.p + used, pattern.n - used);
    }
    return true;
}

/* Any of the patterns (separated by blanks) anywhere in the name. */
bool az_words_any(const struct az_words *w, struct az_sv list)
{
    while ((list = az_sv_trim(list)).n) {
        const char *b = memchr(list.p, ' ', list.n);
        struct az_sv p = az_sv_make(list.p, b ? (size_t)(b - list.p) : list.n);
        for (size_t i = 0; i < w->n; i++)
            if (pattern_at(w, i, p))
                return true;
        list = az_sv_make(list.p + p.n, list.n - p.n);
    }
    return false;
}
