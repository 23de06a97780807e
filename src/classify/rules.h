/* Rules of `configs/NAME.rules`: what a name is, by parts of it. One form of line for all of them:
 *
 *     GROUP ; CLASS ; FAMILY ; HOW ; one of these ; and one of these ; and none of these
 *
 * GROUP: the question of a rule; the first rule of a group that matches decides.
 * CLASS: the result. FAMILY: one of classify/family.h; empty: other. Patterns have blanks between
 * them; the last two cells may be missing. HOW a pattern is in a name:
 *     words     its words follow each other among those of the name (classify/word_match.h)
 *     only      the name is nothing but words of the first cell's patterns, numbers apart; the
 *               other cells: words
 *     begins    at its beginning, case ignored
 *     contains  anywhere, case ignored; `this!that`: `this` that is not followed by `that`
 *     is        as a whole
 *     has       anywhere
 *     glob      as a whole, by `*`, `?` and `[..]`
 * In kernel_classes.rules the `*` of a word stands for affixes only: its rules are read by
 * classify/kernels.c, the other files by the functions below. Lines that begin with `#` are
 * comments. A line that ends in a blank and `\` continues on the next, in the same cell.
 */
#ifndef AZ_CLASSIFY_RULES_H
#define AZ_CLASSIFY_RULES_H

#include "base/mem.h"
#include "classify/family.h"
#include "classify/word_match.h"

enum az_rule_how {
    AZ_RULE_UNKNOWN, /* never matches */
    AZ_RULE_WORDS,
    AZ_RULE_ONLY,
    AZ_RULE_BEGINS,
    AZ_RULE_CONTAINS,
    AZ_RULE_IS,
    AZ_RULE_HAS,
    AZ_RULE_GLOB
};

/* A pattern of the first cell of a rule in a list. */
struct az_rule_pattern {
    struct az_sv text;
    uint16_t pair[2]; /* hashes of pairs of letters that a name must have for it to match */
    bool paired;      /* false: no such pair is known, it may match any name */
};
/* One line, as views into the text. */
struct az_rule {
    struct az_sv group, name;
    enum az_family family;
    enum az_rule_how how;
    struct az_sv one, with, without;
    const struct az_rule_pattern *patterns; /* of a list, but not of AZ_RULE_ONLY: those of `one` */
    size_t n_patterns;
    bool bad; /* a cell cannot be read: an unknown family, an unknown HOW, no pattern */
};

/* Splits the next rule off the text. False at the end. */
bool az_rules_next(struct az_sv *text, struct az_rule *r);
/* Does it match? w: the words of the name. */
bool az_rule_matches(const struct az_rule *r, struct az_sv name, const struct az_words *w);
/* The first rule of a group of an embedded file that matches; false: none. What *r points to is
 * static. For one query per name and groups of some dozens of rules: the file is read again. */
bool az_rules_find(const char *file, const char *group, struct az_sv name, struct az_rule *r);
/* The rules of a file, read once in a process. */
struct az_rule_list {
    const struct az_rule *v;
    size_t n;
    bool one_group; /* all are of the group that they were read for */
};
/* AZ_ENOMEM, for which the arena fails, too. */
int az_rules_read(const char *file, struct az_arena *a, struct az_rule_list *out) AZ_MUST_USE;
/* The same of one group alone. */
int az_rules_read_group(const char *file, const char *group, struct az_arena *a,
                        struct az_rule_list *out) AZ_MUST_USE;
/* The place of the first rule of a group that matches; SIZE_MAX: none. */
size_t az_rules_first(const struct az_rule_list *l, const char *group, struct az_sv name);
/* Its class; empty: none. */
struct az_sv az_rules_class_of(const struct az_rule_list *l, const char *group, struct az_sv name);
/* The class alone; empty: no rule. */
struct az_sv az_rules_class(const char *file, const char *group, struct az_sv name);

#endif
