/* Reading configs/rank_groups.rules. */
#include "compat/tracelens/sheets_groups.h"

#include "base/data.h"
#include "classify/rules.h"

static struct az_sv kind_text(enum az_tracelens_kind kind)
{
    return kind == AZ_TRACELENS_SHEET ? AZ_SV("sheet") : AZ_SV("group");
}

/* Next line of that kind. */
static bool next_rule(struct az_sv *rules, struct az_sv kind, struct az_rule *r)
{
    while (az_rules_next(rules, r))
        if (az_sv_eq(r->group, kind))
            return true;
    return false;
}

size_t az_tracelens_names(enum az_tracelens_kind kind, struct az_sv name[AZ_TRACELENS_GROUPS])
{
    struct az_sv rules = az_data("rank_groups.rules");
    struct az_rule r;
    size_t n = 0;
    while (next_rule(&rules, kind_text(kind), &r))
        if (n < AZ_TRACELENS_GROUPS && (n == 0 || !az_sv_eq(name[n - 1], r.name)))
            name[n++] = r.name;
    return n;
}

/* Words of the lists of one name, or how many where `to` is NULL; the lists that they stand for
 * name no further lists. */
static size_t list_words(enum az_tracelens_kind kind, struct az_sv name, uint32_t in,
                         struct az_tracelens_word *to)
{
    struct az_sv rules = az_data("rank_groups.rules");
    struct az_rule r;
    size_t n = 0;
    while (next_rule(&rules, kind_text(kind), &r)) {
        if (!az_sv_eq(r.name, name))
            continue;
        while (r.one.n) {
            struct az_sv word = az_sv_cut(&r.one, ' ');
            if (word.n == 0 || (kind == AZ_TRACELENS_SHEET && *word.p == '@'))
                continue;
            if (*word.p == '@') {
                n += list_words(AZ_TRACELENS_SHEET, az_sv_make(word.p + 1, word.n - 1), in,
                                to ? to + n : NULL);
                continue;
            }
            const bool begins = word.p[word.n - 1] == '*';
            word.n -= begins;
            if (to)
                to[n] = (struct az_tracelens_word){ .text = word, .in = in, .begins = begins };
            n++;
        }
    }
    return n;
}

int az_tracelens_words(enum az_tracelens_kind kind, struct az_arena *a,
                       struct az_tracelens_words *out)
{
    struct az_sv name[AZ_TRACELENS_GROUPS];
    const size_t names = az_tracelens_names(kind, name);
    struct az_tracelens_word *v = NULL;
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills */
        size_t n = 0;
        for (size_t i = 0; i < names; i++)
            n += list_words(kind, name[i], UINT32_C(1) << i, v ? v + n : NULL);
        if (pass == 0 && !(v = az_arena_array(a, n + 1, sizeof *v)))
            return az_arena_error(a);
        *out = (struct az_tracelens_words){ .v = v, .n = n };
    }
    return 0;
}

uint32_t az_tracelens_sets(const struct az_tracelens_words *w, struct az_sv op)
{
    uint32_t sets = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].begins ? az_sv_starts(op, w->v[i].text) : az_sv_eq(op, w->v[i].text))
            sets |= w->v[i].in;
    return sets;
}

bool az_tracelens_moves(struct az_sv kernel)
{
    struct az_sv rules = az_data("rank_groups.rules");
    struct az_rule r;
    while (next_rule(&rules, AZ_SV("moves"), &r))
        while (r.one.n) {
            struct az_sv part = az_sv_cut(&r.one, ' ');
            if (part.n && az_sv_find(kernel, part) >= 0)
                return true;
        }
    return false;
}
