#include "model/xrules.h"

#include "base/data.h"

/* Cuts the text up to the separator off `rest`; trimmed. */
static struct az_sv part(struct az_sv *rest, char separator) { return az_sv_trim(az_sv_cut(rest, separator)); }

static int read_row(struct az_sv line, struct az_xrule *r)
{
    static const char *const hows[] = { "begins", "contains", "is", "has" };
    r->group = part(&line, ';');
    r->name = part(&line, ';');
    const struct az_sv how = part(&line, ';');
    r->words = az_sv_trim(line);
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        if (az_sv_is(how, hows[i])) {
            r->how = (enum az_xrule_how)i;
            return r->words.n ? AZ_OK : AZ_EINTERNAL;
        }
    }
    return AZ_EINTERNAL;
}

int az_xrules_load(struct az_xrules *r, struct az_mem *mem)
{
    struct az_sv text = az_data("xla_events.rules");
    int rc = AZ_OK;
    az_vec_init(&r->rows, mem);
    while (rc == 0 && text.n) {
        const struct az_sv line = part(&text, '\n');
        struct az_xrule row;
        if (line.n == 0 || line.p[0] == '#')
            continue;
        rc = read_row(line, &row);
        if (rc == 0)
            rc = az_vec_push(&r->rows, row);
    }
    if (rc)
        az_xrules_release(r);
    return rc;
}

void az_xrules_release(struct az_xrules *r) { az_vec_release(&r->rows); }

static bool matches(enum az_xrule_how how, struct az_sv name, struct az_sv word)
{
    switch (how) {
    case AZ_XRULE_BEGINS:
        return name.n >= word.n && az_sv_ieq(az_sv_make(name.p, word.n), word);
    case AZ_XRULE_CONTAINS:
        return az_sv_ifind(name, word) >= 0;
    case AZ_XRULE_IS:
        return az_sv_eq(name, word);
    case AZ_XRULE_HAS:
        return az_sv_find(name, word) >= 0;
    }
    return false;
}

struct az_sv az_xrules_class(const struct az_xrules *r, const char *group, struct az_sv name)
{
    for (size_t i = 0; i < r->rows.n; i++) {
        const struct az_xrule *row = &r->rows.v[i];
        struct az_sv words = row->words;
        if (!az_sv_is(row->group, group))
            continue;
        while (words.n) {
            const struct az_sv word = part(&words, ' ');
            if (word.n && matches(row->how, name, word))
                return row->name;
        }
    }
    return (struct az_sv){ "", 0 };
}

struct az_sv az_xrules_category(const struct az_xrules *r, struct az_sv kernel, struct az_sv op)
{
    const struct az_sv by_name = az_xrules_class(r, "category", kernel);
    if (az_sv_starts(by_name, AZ_SV("FA ")))
        return by_name;
    const struct az_sv by_op = az_xrules_class(r, "category", op);
    return by_op.n ? by_op : by_name.n ? by_name : AZ_SV("Uncategorized Events/XLA");
}
