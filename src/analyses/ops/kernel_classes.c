/* Class of a kernel name: the user's map first, then the rules of configs/kernel_classes.rules. */
#include "analyses/ops/framework.h"
#include "analyses/rules.h"
#include "base/data.h"

struct az_sv az_kernel_class_builtin(struct az_sv name)
{
    struct az_words w;
    struct az_sv rules = az_data("kernel_classes.rules"), cell[AZ_RULE_CELLS];
    az_words_cut(name, &w);
    while (az_rules_next(&rules, cell))
        if (az_rule_matches(&w, cell[1], cell[2]))
            return cell[0];
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
