/* Recorded arguments: four parallel JSON lists, read without a tree. */
#include <stdlib.h>

#include "base/num.h"
#include "perf/model.h"

static void space(struct az_sv *s)
{
    while (s->n && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
        *s = az_sv_make(s->p + 1, s->n - 1);
}

/* End of the JSON value at the start of s: its length, 0 if there is none. */
static size_t value_length(struct az_sv s)
{
    unsigned depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"' && (quoted = false, depth == 0))
                return i + 1;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            if (depth == 0)
                return i;
            if (--depth == 0)
                return i + 1;
        } else if (c == ',' && depth == 0) {
            return i;
        }
    }
    return depth || quoted ? 0 : s.n;
}

/* Reader of one list. */
struct list {
    struct az_sv rest;
    bool bad, first;
};

static bool open_list(struct list *l, struct az_sv text)
{
    text = az_sv_trim(text);
    *l = (struct list){ .first = true };
    if (text.n < 2 || text.p[0] != '[' || text.p[text.n - 1] != ']')
        return false;
    l->rest = az_sv_make(text.p + 1, text.n - 2);
    return true;
}

static bool next_value(struct list *l, struct az_sv *value)
{
    space(&l->rest);
    if (l->rest.n == 0 || l->bad)
        return false;
    if (!l->first) {
        if (*l->rest.p != ',')
            return l->bad = true, false;
        l->rest = az_sv_make(l->rest.p + 1, l->rest.n - 1);
        space(&l->rest);
    }
    l->first = false;
    size_t n = value_length(l->rest);
    if (n == 0)
        return l->bad = true, false;
    *value = az_sv_trim(az_sv_make(l->rest.p, n));
    l->rest = az_sv_make(l->rest.p + n, l->rest.n - n);
    return true;
}

/* A number of a list or a concrete value: True and False too. */
static bool number(struct az_sv s, double *v)
{
    if (az_sv_is(s, "True") || az_sv_is(s, "true"))
        return *v = 1, true;
    if (az_sv_is(s, "False") || az_sv_is(s, "false"))
        return *v = 0, true;
    if (s.n && s.p[s.n - 1] == '.') /* a real number as the framework prints it: `2.` */
        s.n--;
    return az_parse_f64(s, v) == 0;
}

/* Dims of one tensor, or of a list of tensors, which has lists as elements; of an element (inner)
 * only numbers, so that the depth of a hostile text does not matter. */
static bool dims_of(struct az_perf_arg *a, struct az_sv text, bool inner)
{
    struct list l;
    struct az_sv e;
    a->nd = 0;
    a->elements = 1;
    if (!open_list(&l, text))
        return false;
    while (next_value(&l, &e)) {
        int64_t v;
        if (e.p[0] == '[') {
            struct az_perf_arg one = { 0 };
            if (inner || a->nd || !dims_of(&one, e, true))
                return false;
            a->elements = (a->list ? a->elements : 0) + one.elements;
            a->list = true;
            a->count++;
            continue;
        }
        if (a->list || a->nd == AZ_PERF_DIMS || az_parse_i64(e, &v) || v < 0)
            return false;
        a->dim[a->nd++] = v;
        a->elements *= (double)v;
    }
    return !l.bad;
}

bool az_perf_list_item(const struct az_perf_arg *a, unsigned i, struct az_perf_arg *out)
{
    struct list l;
    struct az_sv e;
    bool found = a->list && open_list(&l, a->dims);
    for (unsigned k = 0; found && k <= i; k++)
        found = next_value(&l, &e);
    *out = (struct az_perf_arg){ .type = a->type, .type_name = a->type_name };
    return found && dims_of(out, e, true);
}

static struct az_sv unquoted(struct az_sv s)
{
    return s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"' ? az_sv_make(s.p + 1, s.n - 2) : s;
}

enum part { DIMS, TYPES, STRIDES, CONCRETE };
static bool put_part(struct az_perf_arg *a, enum part part, struct az_sv v)
{
    switch (part) {
    case DIMS:
        a->dims = v;
        return dims_of(a, v, false);
    case TYPES:
        if (v.p[0] != '"')
            return false;
        a->type_name = unquoted(v);
        a->type = az_dtype_find(a->type_name);
        return true;
    case STRIDES:
        a->strides = v;
        return v.p[0] == '[';
    case CONCRETE:
        a->value = unquoted(v);
        return true;
    }
    return false;
}

bool az_perf_parse(struct az_perf_call *c, struct az_sv dims, struct az_sv types,
                   struct az_sv strides, struct az_sv concrete)
{
    const struct az_sv text[] = { dims, types, strides, concrete };
    const struct az_perf_arg none = { .elements = 1, .type = az_dtype_find(AZ_SV("")) };
    c->n = 0;
    for (int part = DIMS; part <= CONCRETE; part++) {
        struct list l;
        struct az_sv v;
        unsigned i = 0;
        if (text[part].n == 0)
            continue;
        if (!open_list(&l, text[part]))
            return false;
        for (; next_value(&l, &v); i++) {
            if (i == c->n && i < AZ_PERF_ARGS)
                c->arg[c->n++] = none;
            if (i < AZ_PERF_ARGS && (v.n == 0 || !put_part(&c->arg[i], (enum part)part, v)))
                return false;
        }
        if (l.bad)
            return false;
    }
    for (unsigned i = 0; i < c->n;
         i++) { /* dims without a type (not recorded): a tensor of unknown elements */
        if (c->arg[i].type_name.n == 0 && types.n == 0 && c->arg[i].nd)
            c->arg[i].type = az_dtype_find(AZ_SV("?"));
        if (c->arg[i].list && c->arg[i].type->tensor && az_sv_is(c->arg[i].type_name, "TensorList"))
            c->arg[i].type = az_dtype_find(AZ_SV("?"));
    }
    return true;
}

const struct az_perf_arg *az_perf_model_arg(const struct az_perf_model *r, int i)
{
    static const struct az_dtype none_type = { "", 0, "", false, false };
    static const struct az_perf_arg none = { .elements = 1, .type = &none_type };
    return i >= 0 && (unsigned)i < r->call->n ? &r->call->arg[i] : &none;
}

bool az_perf_model_int(const struct az_perf_arg *a, int64_t *v)
{
    return az_parse_i64(a->value, v) == 0;
}

bool az_perf_model_true(const struct az_perf_arg *a)
{
    double v;
    return number(a->value, &v) && v != 0;
}

int az_perf_model_list(const struct az_perf_arg *a, double *v, int max)
{
    struct list l;
    struct az_sv e;
    int n = 0;
    if (!open_list(&l, a->value))
        return max > 0 && number(a->value, v) ? 1 : -1;
    while (next_value(&l, &e)) {
        if (n == max || !number(e, &v[n]))
            return -1;
        n++;
    }
    return l.bad ? -1 : n;
}

double az_perf_model_fact(const struct az_perf_model *r, const char *name, double absent)
{
    double v;
    for (size_t i = 0; i < r->call->n_facts; i++)
        if (az_sv_is(r->call->fact[i].name, name) && number(r->call->fact[i].value, &v))
            return v;
    return absent;
}
