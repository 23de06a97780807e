/* Which metrics rules apply to. */
#include "regression/gate.h"

static bool by_steps(const struct az_gate_rule *r) { return az_sv_is(r->samples, "steps"); }

bool az_gate_is_geomean(const struct az_gate_rule *r) { return az_sv_is(r->key, AZ_GATE_GEOMEAN); }

bool az_gate_applies(const struct az_gate_rule *r, const struct az_metric *m)
{
    return m->steps == by_steps(r) && az_sv_glob(r->column, m->name) &&
           az_sv_glob(r->table, m->sheet) && az_sv_glob(r->input, m->input) &&
           (az_gate_is_geomean(r) || az_sv_glob(r->key, m->key_text));
}

static bool same_selector(const struct az_selector *x, const struct az_selector *y)
{
    return az_sv_eq(x->table, y->table) && az_sv_eq(x->key, y->key) &&
           az_sv_eq(x->column, y->column) && x->steps == y->steps && x->warmup == y->warmup;
}

struct az_selector *az_gate_selectors(const struct az_gate_rule *rules, size_t n_rules,
                                      struct az_arena *a, size_t *n)
{
    struct az_selector *s = az_arena_array(a, n_rules, sizeof *s);
    *n = 0;
    for (size_t i = 0; s && i < n_rules; i++) {
        const struct az_gate_rule *r = &rules[i];
        struct az_selector x = { .table = r->table,
                                 .key = az_gate_is_geomean(r) ? AZ_SV("*") : r->key,
                                 .column = r->column,
                                 .steps = by_steps(r),
                                 .warmup = by_steps(r) ? r->warmup : 0 };
        size_t k = 0;
        /* a column named by a glob means metrics with a direction; one named in full is meant as it
         * is */
        x.directed = memchr(x.column.p, '*', x.column.n) || memchr(x.column.p, '?', x.column.n);
        while (k < *n && !same_selector(&s[k], &x))
            k++;
        if (k == *n)
            s[(*n)++] = x;
    }
    return s;
}
