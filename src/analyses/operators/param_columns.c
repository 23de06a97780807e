#include "analyses/operators/param_columns.h"

#include "analyses/operators/metrics.h"

void az_param_note(struct az_param_columns *c, const struct az_perf_param *p)
{
    unsigned k = 0;
    while (k < c->n && strcmp(c->name[k], p->name) != 0)
        k++;
    if (k == AZ_PARAM_COLUMNS)
        return;
    if (k == c->n) {
        c->name[c->n++] = p->name;
        c->kind[k] = p->kind;
    } else if (c->kind[k] == AZ_PARAM_NONE) {
        c->kind[k] = p->kind;
    } else if (p->kind != AZ_PARAM_NONE && p->kind != c->kind[k]) {
        c->kind[k] = AZ_PARAM_TEXT; /* of several kinds: as text */
    }
}

void az_param_columns_make(const struct az_param_columns *c, struct az_table *t)
{
    for (unsigned k = 0; k < c->n; k++) {
        enum az_cell_type type = c->kind[k] == AZ_PARAM_INT    ? AZ_INT
                                 : c->kind[k] == AZ_PARAM_REAL ? AZ_REAL
                                                               : AZ_TEXT;
        az_table_columnsv(t, az_arena_printf(t->arena, "param: %s", c->name[k]), type, AZ_UNIT_ID,
                          AZ_KEY | AZ_DETAIL);
    }
}

static void put_one(struct az_table *t, const struct az_perf_param *p, enum az_perf_kind kind)
{
    if (!p || p->kind == AZ_PARAM_NONE)
        az_put_empty(t);
    else if (kind == AZ_PARAM_INT &&
             !(fabs(p->number) < 9.2e18)) /* of no elements, or of sizes no memory has */
        az_put_empty(t);
    else if (kind == AZ_PARAM_INT)
        az_put_i64(t, (int64_t)p->number);
    else if (kind == AZ_PARAM_REAL)
        az_put_f64(t, p->number);
    else
        az_put_optional(t, az_framework_param_text(p, t->arena));
}

void az_param_put(const struct az_param_columns *c, struct az_table *t,
                  const struct az_perf_param *p, unsigned n)
{
    for (unsigned k = 0; k < c->n; k++) {
        const struct az_perf_param *own = NULL;
        for (unsigned i = 0; i < n; i++)
            if (strcmp(p[i].name, c->name[k]) == 0)
                own = &p[i];
        put_one(t, own, c->kind[k]);
    }
}
