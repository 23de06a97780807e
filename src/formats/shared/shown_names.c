#include "formats/shared/shown_names.h"

#include "classify/name_heads.h"

void az_shown_names_init(struct az_shown_names *s, struct az_trace *t)
{
    *s = (struct az_shown_names){ .t = t };
    az_arena_init(&s->scratch, t->mem);
    az_vec_init(&s->of, t->mem);
    az_vec_init(&s->kind, t->mem);
}

void az_shown_names_release(struct az_shown_names *s)
{
    az_arena_release(&s->scratch);
    az_vec_release(&s->of);
    az_vec_release(&s->kind);
    az_kernel_rules_free(s->rules, s->t->mem);
}

int az_shown_name_set(struct az_shown_names *s, uint32_t whole, uint32_t name)
{
    int rc = s->t->names.error; /* `whole` may be the name that is missing */
    while (rc == 0 && s->of.n <= whole)
        rc = az_vec_push(&s->of, AZ_NO_ID);
    if (rc == 0)
        s->of.v[whole] = name;
    return rc;
}

static enum az_family family_of(const struct az_shown_names *s, struct az_sv name)
{
    return az_kernel_class_of(s->rules, name)->family;
}

/* Short names by their rules: some rule of classes matches, none does, or it is a launcher. Each is
 * checked once, as one may be short for many. */
enum { UNCHECKED, MATCHED, SILENT, LAUNCHER };

static int check_short(struct az_shown_names *s, uint32_t shorter, uint8_t *kind)
{
    static const struct az_user_names nobody = { .map = NULL };
    int rc = 0;
    if (!s->rules && !(s->rules = az_kernel_rules_new(&nobody, s->t->mem)))
        return az_mem_error(s->t->mem);
    if (!s->launchers.v)
        rc = az_rules_read_group("trace_names.rules", "launcher", &s->scratch, &s->launchers);
    while (rc == 0 && s->kind.n <= shorter)
        rc = az_vec_push(&s->kind, UNCHECKED);
    if (rc == 0 && s->kind.v[shorter] == UNCHECKED) {
        const struct az_sv text = az_trace_text(s->t, shorter);
        s->kind.v[shorter] = family_of(s, text) != AZ_FAMILY_OTHER                  ? MATCHED
                             : az_rules_class_of(&s->launchers, "launcher", text).n ? LAUNCHER
                                                                                    : SILENT;
    }
    *kind = rc == 0 ? s->kind.v[shorter] : UNCHECKED;
    return rc;
}

/* The shortest form that identifies the whole name: of a launcher the function it runs is in the
 * arguments. NULL text: no memory. */
static struct az_sv telling(struct az_shown_names *s, struct az_sv whole, struct az_sv shorter,
                            uint8_t kind)
{
    const enum az_family family = family_of(s, whole);
    if (kind == LAUNCHER)
        return whole;
    if (family == AZ_FAMILY_OTHER)
        return shorter;
    const struct az_sv heads = az_kernel_name_heads(&s->scratch, whole, shorter);
    return !heads.p || family_of(s, heads) == family ? heads : whole;
}

int az_shown_name(struct az_shown_names *s, uint32_t whole, uint32_t shorter, uint32_t *name)
{
    const struct az_sv text = az_trace_text(s->t, whole), was = az_trace_text(s->t, shorter);
    const uint32_t known = az_shown_name_known(s, whole);
    uint8_t kind = UNCHECKED;
    *name = known == AZ_NO_ID ? shorter : known;
    if (known != AZ_NO_ID)
        return 0;
    int rc = 0;
    if (whole != shorter && az_sv_find(text, AZ_SV("<")) >= 0)
        rc = check_short(s, shorter, &kind);
    if (rc || kind < SILENT) /* a meaningful short name stays, as in vendors' tools */
        return rc ? rc : az_shown_name_set(s, whole, shorter);
    const struct az_sv form = telling(s, text, was, kind);
    rc = form.p ? 0 : az_arena_error(&s->scratch);
    if (rc == 0 && !az_sv_eq(form, was)) {
        *name = az_trace_name(s->t, form);
        rc = s->t->names.error ? s->t->names.error : az_trace_full_name(s->t, *name, whole);
    }
    return rc ? rc : az_shown_name_set(s, whole, *name);
}
