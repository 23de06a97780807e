#include "formats/shared/shown_names.h"

#include "classify/name_heads.h"

void az_shown_names_init(struct az_shown_names *s, struct az_trace *t)
{
    *s = (struct az_shown_names){ .t = t };
    az_arena_init(&s->scratch, t->mem);
    az_vec_init(&s->of, t->mem);
    az_vec_init(&s->silent, t->mem);
}

void az_shown_names_release(struct az_shown_names *s)
{
    az_arena_release(&s->scratch);
    az_vec_release(&s->of);
    az_vec_release(&s->silent);
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

/* Does no rule match the short name? Checked once, as one may be short for many. */
static int is_silent(struct az_shown_names *s, uint32_t shorter, bool *silent)
{
    static const struct az_user_names nobody = { .map = NULL };
    int rc = 0;
    if (!s->rules && !(s->rules = az_kernel_rules_new(&nobody, s->t->mem)))
        return az_mem_error(s->t->mem);
    while (rc == 0 && s->silent.n <= shorter)
        rc = az_vec_push(&s->silent, 0);
    if (rc == 0 && s->silent.v[shorter] == 0)
        s->silent.v[shorter] =
            family_of(s, az_trace_text(s->t, shorter)) == AZ_FAMILY_OTHER ? 2 : 1;
    *silent = rc == 0 && s->silent.v[shorter] == 2;
    return rc;
}

/* The shortest form that identifies the whole name. NULL text: no memory. */
static struct az_sv telling(struct az_shown_names *s, struct az_sv whole, struct az_sv shorter)
{
    const enum az_family family = family_of(s, whole);
    if (family == AZ_FAMILY_OTHER)
        return shorter;
    const struct az_sv heads = az_kernel_name_heads(&s->scratch, whole, shorter);
    return !heads.p || family_of(s, heads) == family ? heads : whole;
}

int az_shown_name(struct az_shown_names *s, uint32_t whole, uint32_t shorter, uint32_t *name)
{
    const struct az_sv text = az_trace_text(s->t, whole);
    const uint32_t known = az_shown_name_known(s, whole);
    bool silent = false;
    *name = known == AZ_NO_ID ? shorter : known;
    if (known != AZ_NO_ID)
        return 0;
    int rc = 0;
    if (whole != shorter && az_sv_find(text, AZ_SV("<")) >= 0)
        rc = is_silent(s, shorter, &silent);
    if (rc || !silent) /* a meaningful short name stays, as in vendors' tools */
        return rc ? rc : az_shown_name_set(s, whole, shorter);
    const struct az_sv was = az_trace_text(s->t, shorter), form = telling(s, text, was);
    rc = form.p ? 0 : az_arena_error(&s->scratch);
    if (rc == 0 && !az_sv_eq(form, was)) {
        *name = az_trace_name(s->t, form);
        rc = s->t->names.error ? s->t->names.error : az_trace_full_name(s->t, *name, whole);
    }
    return rc ? rc : az_shown_name_set(s, whole, *name);
}
