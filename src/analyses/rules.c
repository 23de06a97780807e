#include "analyses/rules.h"

bool az_rules_next(struct az_sv *text, struct az_sv cell[AZ_RULE_CELLS])
{
    while (text->n) {
        struct az_sv line = az_sv_trim(az_sv_cut(text, '\n'));
        if (line.n == 0 || *line.p == '#')
            continue;
        for (size_t i = 0; i < AZ_RULE_CELLS; i++)
            cell[i] = az_sv_trim(az_sv_cut(&line, ';'));
        return true;
    }
    return false;
}
