/* Class of a kernel name: the user's map first, then the rules of configs/kernel_classes.rules. */
#include "analyses/fw.h"

#include "base/data.h"

#include <ctype.h>

#define MAX_WORDS 512

struct words {
    char text[4096];
    uint16_t from[MAX_WORDS], to[MAX_WORDS];
    size_t n;
};

static bool is_word(char c) { return isalnum((unsigned char)c) != 0; }

/* Cuts a name into lower-case words. Names longer than the buffer are classified by their beginning. */
static void cut(struct az_sv name, struct words *w)
{
    size_t at = 0;
    w->n = 0;
    bool open = false;
    for (size_t i = 0; i < name.n && at < sizeof w->text && w->n < MAX_WORDS; i++) {
        char c = name.p[i];
        bool hump = open && isupper((unsigned char)c) && !isupper((unsigned char)name.p[i - 1]);
        if (open && (!is_word(c) || hump)) {
            w->to[w->n++] = (uint16_t)at;
            open = false;
        }
        if (!is_word(c) || w->n == MAX_WORDS)
            continue;
        if (!open)
            w->from[w->n] = (uint16_t)at;
        open = true;
        w->text[at++] = (char)tolower((unsigned char)c);
    }
    if (open && w->n < MAX_WORDS)
        w->to[w->n++] = (uint16_t)at;
}

/* Does pattern word p match word i? */
static bool word_matches(const struct words *w, size_t i, struct az_sv p)
{
    struct az_sv have = az_sv_make(w->text + w->from[i], (size_t)(w->to[i] - w->from[i]));
    if (p.n && p.p[p.n - 1] == '*')
        return az_sv_starts(have, az_sv_make(p.p, p.n - 1));
    return az_sv_eq(have, p);
}

/* Pattern words joined by `_`, one after the other from word i on. */
static bool pattern_at(const struct words *w, size_t i, struct az_sv pattern)
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
static bool any_matches(const struct words *w, struct az_sv list)
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

static struct az_sv field(struct az_sv *line)
{
    const char *s = line->n ? memchr(line->p, ';', line->n) : NULL;
    struct az_sv f = az_sv_make(line->p, s ? (size_t)(s - line->p) : line->n);
    size_t used = f.n + (s ? 1 : 0);
    *line = az_sv_make(line->p + used, line->n - used);
    return az_sv_trim(f);
}

struct az_sv az_kernel_class_builtin(struct az_sv name)
{
    struct words w;
    cut(name, &w);
    struct az_sv rest = az_data("kernel_classes.rules");
    while (rest.n) {
        const char *nl = memchr(rest.p, '\n', rest.n);
        struct az_sv line = az_sv_make(rest.p, nl ? (size_t)(nl - rest.p) : rest.n);
        size_t used = line.n + (nl ? 1 : 0);
        rest = az_sv_make(rest.p + used, rest.n - used);
        if (line.n == 0 || *line.p == '#')
            continue;
        struct az_sv class_name = field(&line), one = field(&line), and_one = field(&line);
        if (any_matches(&w, one) && (and_one.n == 0 || any_matches(&w, and_one)))
            return class_name;
    }
    return AZ_SV("others");
}

struct az_sv az_fw_kernel_class(struct az_fw *f, uint32_t name)
{
    if (name == AZ_NO_ID)
        return AZ_SV("others");
    struct az_sv *known = &f->kernel_class[name];
    if (!known->p) {
        struct az_sv text = az_trace_text(f->trace, name);
        uint32_t user = f->classes->rules->n ? az_classify(f->classes, text) : AZ_CLASS_OTHERS;
        *known = user != AZ_CLASS_OTHERS && user != f->classes->nccl ? f->classes->names.v[user]
                                                                     : az_kernel_class_builtin(text);
    }
    return *known;
}
