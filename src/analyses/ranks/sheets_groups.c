/* Reading configs/rank_groups.rules. */
#include "analyses/ranks/sheets_groups.h"

#include "base/data.h"
#include "classify/rules.h"

static struct az_sv kind_text(enum az_mr_kind kind)
{
    return kind == AZ_MR_SHEET ? AZ_SV("sheet") : AZ_SV("group");
}

/* Next line of that kind. */
static bool next(struct az_sv *rules, struct az_sv kind, struct az_rule *r)
{
    while (az_rules_next(rules, r))
        if (az_sv_eq(r->group, kind))
            return true;
    return false;
}

size_t az_mr_names(enum az_mr_kind kind, struct az_sv name[AZ_MR_GROUPS])
{
    struct az_sv rules = az_data("rank_groups.rules");
    struct az_rule r;
    size_t n = 0;
    while (next(&rules, kind_text(kind), &r))
        if (n < AZ_MR_GROUPS && (n == 0 || !az_sv_eq(name[n - 1], r.name)))
            name[n++] = r.name;
    return n;
}

/* One word of a list; the lists that it stands for do not name further lists. */
static bool matches(struct az_sv word, struct az_sv op)
{
    if (word.n && word.p[word.n - 1] == '*')
        return az_sv_starts(op, az_sv_make(word.p, word.n - 1));
    if (word.n && *word.p == '@')
        return az_mr_holds(AZ_MR_SHEET, az_sv_make(word.p + 1, word.n - 1), op);
    return word.n && az_sv_eq(word, op);
}

bool az_mr_holds(enum az_mr_kind kind, struct az_sv name, struct az_sv op)
{
    struct az_sv rules = az_data("rank_groups.rules");
    struct az_rule r;
    while (next(&rules, kind_text(kind), &r)) {
        if (!az_sv_eq(r.name, name))
            continue;
        while (r.one.n) {
            struct az_sv word = az_sv_cut(&r.one, ' ');
            if (kind == AZ_MR_SHEET && word.n && *word.p == '@')
                continue;
            if (matches(word, op))
                return true;
        }
    }
    return false;
}

bool az_mr_moves(struct az_sv kernel)
{
    struct az_sv rules = az_data("rank_groups.rules");
    struct az_rule r;
    while (next(&rules, AZ_SV("moves"), &r))
        while (r.one.n) {
            struct az_sv part = az_sv_cut(&r.one, ' ');
            if (part.n && az_sv_find(kernel, part) >= 0)
                return true;
        }
    return false;
}
