#include "analyses/rules.h"

/* Cuts off what stands before the separator; the rest behind it, or nothing. */
static struct az_sv cut(struct az_sv *rest, char separator)
{
    const char *s = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    struct az_sv head = az_sv_make(rest->p, s ? (size_t)(s - rest->p) : rest->n);
    size_t used = head.n + (s ? 1 : 0);
    *rest = az_sv_make(rest->p + used, rest->n - used);
    return head;
}

bool az_rules_next(struct az_sv *text, struct az_sv cell[AZ_RULE_CELLS])
{
    while (text->n) {
        struct az_sv line = az_sv_trim(cut(text, '\n'));
        if (line.n == 0 || *line.p == '#')
            continue;
        for (size_t i = 0; i < AZ_RULE_CELLS; i++)
            cell[i] = az_sv_trim(cut(&line, ';'));
        return true;
    }
    return false;
}
