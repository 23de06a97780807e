/* The operators of the sheets and groups of a report over ranks: configs/rank_groups.rules. */
#ifndef AZ_COMPAT_TRACELENS_SHEETS_GROUPS_H
#define AZ_COMPAT_TRACELENS_SHEETS_GROUPS_H

#include "base/mem.h"
#include "base/vec.h"

#define AZ_TRACELENS_GROUPS 32 /* of one kind, at most */

enum az_tracelens_kind { AZ_TRACELENS_SHEET, AZ_TRACELENS_GROUP };

/* Names of the sheets or groups, in the order of the file; returns how many. Views of static text.
 */
size_t az_tracelens_names(enum az_tracelens_kind kind, struct az_sv name[AZ_TRACELENS_GROUPS]);
/* What the sheets or groups hold, read once for questions about many operators. */
struct az_tracelens_word {
    struct az_sv text; /* static */
    uint32_t in;       /* bits of the sheets or groups, in the order of their names */
    bool begins;       /* a beginning of names, else a whole one */
};
struct az_tracelens_words {
    const struct az_tracelens_word *v;
    size_t n;
};
/* AZ_ENOMEM. */
int az_tracelens_words(enum az_tracelens_kind kind, struct az_arena *a,
                       struct az_tracelens_words *out) AZ_MUST_USE;
/* The sheets or groups that an operator is in, a bit each. */
uint32_t az_tracelens_sets(const struct az_tracelens_words *w, struct az_sv op);
/* Does a kernel only move data? */
bool az_tracelens_moves(struct az_sv kernel);

#endif
