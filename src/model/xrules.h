/* Rules of configs/xla_events.rules: what the events of an XLA profile are, by name. */
#ifndef AZ_MODEL_XRULES_H
#define AZ_MODEL_XRULES_H

#include "base/vec.h"

enum az_xrule_how { AZ_XRULE_BEGINS, AZ_XRULE_CONTAINS, AZ_XRULE_IS, AZ_XRULE_HAS };

struct az_xrule {
    struct az_sv group, name;
    enum az_xrule_how how;
    struct az_sv words; /* separated by blanks */
};
AZ_VEC(struct az_xrule, az_xrule_rows);
struct az_xrules {
    struct az_xrule_rows rows;
};

/* The built-in rules. AZ_EINTERNAL for a row that cannot be read. */
int az_xrules_load(struct az_xrules *r, struct az_mem *mem) AZ_MUST_USE;
void az_xrules_release(struct az_xrules *r);
/* Class of a name in a group, the empty view if no rule matches. Lives as long as the program. */
struct az_sv az_xrules_class(const struct az_xrules *r, const char *group, struct az_sv name);
/* Category of a kernel by its name and its HLO operation (empty: none); "Uncategorized Events/XLA" without a rule. */
struct az_sv az_xrules_category(const struct az_xrules *r, struct az_sv kernel, struct az_sv op);

#endif
