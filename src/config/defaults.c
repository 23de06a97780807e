/* Options and outputs as plain values: defaults from the table, copies, release. */
#include "config/private.h"

#include "base/num.h"

static void default_number(const struct az_option *o, void *to)
{
    struct az_sv text = az_sv_str(o->fallback);
    int rc = 0;
    if (o->type == AZ_OPT_INT)
        rc = az_parse_i64(text, to);
    else
        rc = az_parse_f64(text, to);
    (void)rc; /* the table's own text; checked by a unit test */
}

/* Writes the default of one row of the table. Fields without one are 0, "", or AZ_UNSET_I64. */
static void default_one(const struct az_option *o, void *to)
{
    switch (o->type) {
    case AZ_OPT_BOOL:
        *(bool *)to = o->fallback && strcmp(o->fallback, "true") == 0;
        break;
    case AZ_OPT_INT:
        if (o->fallback)
            default_number(o, to);
        else if (!(o->owner == AZ_OWN_OPTIONS && o->offset == offsetof(struct az_options, iters)))
            *(int64_t *)to = AZ_UNSET_I64;
        break;
    case AZ_OPT_REAL:
        if (o->fallback)
            default_number(o, to);
        else
            *(double *)to = AZ_GATE_UNSET;
        break;
    case AZ_OPT_ENUM:
        if (!(o->owner == AZ_OWN_OPTIONS && o->offset == offsetof(struct az_options, text_mode)))
            *(struct az_sv *)to = az_sv_str(o->fallback);
        break;
    case AZ_OPT_TEXT:
    case AZ_OPT_PATH:
        *(struct az_sv *)to = o->fallback ? az_sv_str(o->fallback) : AZ_SV("");
        break;
    default: /* lists and sizes: empty and 0 as they are */
        break;
    }
}

static void default_all(enum az_opt_owner owner, char *base)
{
    for (size_t i = 0; i < az_option_count; i++) {
        if (az_option_table[i].owner == owner)
            default_one(&az_option_table[i], base + az_option_table[i].offset);
    }
}

/* Everything of the run but what is set by hand in az_config_init. */
void az_config_default(struct az_config *c) { default_all(AZ_OWN_CONFIG, (char *)c); }

void az_options_default(struct az_options *o, struct az_mem *mem)
{
    *o = (struct az_options){ .iters = 0 };
    az_vec_init(&o->classes, mem);
    az_vec_init(&o->labels, mem);
    default_all(AZ_OWN_OPTIONS, (char *)o);
}

void az_options_release(struct az_options *o)
{
    az_vec_release(&o->classes);
    az_vec_release(&o->labels);
}

int az_options_copy(struct az_options *to, const struct az_options *from)
{
    struct az_class_rules classes;
    struct az_labels labels;
    az_vec_init(&classes, from->classes.mem);
    az_vec_init(&labels, from->labels.mem);
    int rc = az_vec_reserve(&classes, from->classes.n);
    if (rc == 0)
        rc = az_vec_reserve(&labels, from->labels.n);
    if (rc < 0) {
        az_vec_release(&classes);
        az_vec_release(&labels);
        classes.n = labels.n = 0;
        *to = *from;
        to->classes = classes;
        to->labels = labels;
        return rc;
    }
    for (size_t i = 0; i < from->classes.n; i++)
        classes.v[classes.n++] = from->classes.v[i];
    for (size_t i = 0; i < from->labels.n; i++)
        labels.v[labels.n++] = from->labels.v[i];
    *to = *from;
    to->classes = classes;
    to->labels = labels;
    return 0;
}

void az_outputs_default(struct az_outputs *o)
{
    *o = (struct az_outputs){ .xlsx_rows = 0 };
    az_vec_init(&o->formats, NULL);
    default_all(AZ_OWN_OUTPUTS, (char *)o);
}

void az_search_default(struct az_search *s)
{
    *s = (struct az_search){ .filters_exact_rank = false };
    default_all(AZ_OWN_SEARCH, (char *)s);
}

int az_outputs_copy(struct az_outputs *to, const struct az_outputs *from)
{
    *to = *from;
    az_vec_init(&to->formats, from->formats.mem);
    int rc = az_vec_reserve(&to->formats, from->formats.n);
    for (size_t i = 0; rc == 0 && i < from->formats.n; i++)
        to->formats.v[to->formats.n++] = from->formats.v[i];
    return rc;
}

void az_outputs_release(struct az_outputs *o) { az_vec_release(&o->formats); }

int az_option_set(struct az_options *o, struct az_sv key, struct az_sv value, struct az_arena *a,
                  struct az_where at, struct az_diag *diag)
{
    struct az_store t = { .opts = o, .a = a, .diag = diag };
    return az_value_store_text(key, value, at, &t);
}
