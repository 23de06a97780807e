/* gates and history: rules of pass and fail, where the baseline comes from, where runs are stored.
 */
#include "config/private.h"

#include "base/num.h"
#include "io/path.h"
#include "regression/key_figures.h"

#define RULES_MAX 10000
#define REL_MOST  1 /* a limit above: most likely percent were meant */

/* "last", "pinned:x", ...: a run of the history, not a file or an input. */
static bool of_history(struct az_sv s)
{
    return az_sv_is(s, "last") || az_sv_is(s, "last-good") || az_sv_is(s, "level") ||
           az_sv_is(s, "window") || az_sv_starts(s, AZ_SV("pinned:")) ||
           az_sv_starts(s, AZ_SV("window:"));
}

static bool is_title(const struct az_loader *l, struct az_sv s)
{
    for (size_t i = 0; i < l->c->inputs.n; i++)
        if (az_sv_eq(l->c->inputs.v[i].title, s) || az_sv_eq(l->c->inputs.v[i].run_group, s))
            return true;
    return false;
}

static void check_baseline(struct az_loader *l, const struct az_node *n)
{
    struct az_gates *g = &l->c->gates;
    int64_t runs;

    if (az_sv_starts(g->baseline, AZ_SV("window:"))) {
        struct az_sv count = az_sv_make(g->baseline.p + 7, g->baseline.n - 7);
        if (az_parse_i64(count, &runs) || runs < 3 || runs > 10000)
            az_load_error(l, n,
                          "baseline '%.*s': invalid window; use a number of runs from 3 to 10000",
                          AZ_SVF(g->baseline));
    }
    if (az_sv_is(g->baseline, "pinned:"))
        az_load_error(l, n, "baseline 'pinned:' without a label; use pinned:LABEL");
    if (of_history(g->baseline) && l->c->history.path.n == 0)
        az_load_error(l, n, "baseline '%.*s' requires a history; set history.path",
                      AZ_SVF(g->baseline));
    else if (g->baseline.n && !of_history(g->baseline) && !is_title(l, g->baseline) && !l->no_files)
        g->baseline = az_path_lookup(l->a, l->base, g->baseline);
}

#define ALL_FIGURES "all metrics"

/* Limits of the rules used where none are set (docs/gates.md has their error rates). */
#define TOTAL_REL  0.03 /* of the whole: a slow-down of 5 % is found */
#define PART_REL   0.05
#define PART_LEAST 0.025 /* of the total: what is less is no cause of anything */

int az_config_default_gates(struct az_config *c)
{
    static const struct {
        struct az_sv name, table, on_missing, on_removed;
        double rel, of_total;
    } rules[] = {
        { AZ_SV("key metrics"), AZ_SV(AZ_KEY_FIGURES), AZ_SV("fail"), AZ_SV("warn"), TOTAL_REL, 0 },
        { AZ_SV("parts of the time"), AZ_SV(AZ_KEY_PARTS), AZ_SV("info"), AZ_SV("info"), PART_REL,
          PART_LEAST },
        { AZ_SV("memory"), AZ_SV(AZ_KEY_MEMORY), AZ_SV("info"), AZ_SV("info"), PART_REL, 0 },
    };
    int rc = 0;

    c->gates.given = true;
    if (c->gates.rules.n)
        return 0;
    for (size_t i = 0; !rc && i < AZ_LENGTH(rules); i++) {
        struct az_gate_rule r;
        az_gate_rule_init(&r);
        r.name = rules[i].name;
        r.table = rules[i].table;
        r.rel = rules[i].rel;
        r.of_total = rules[i].of_total;
        r.on_missing = rules[i].on_missing;
        r.on_removed = rules[i].on_removed;
        r.min_share = 0;
        r.built_in = true;
        rc = az_vec_push(&c->gates.rules, r);
    }
    return rc;
}

static struct az_sv rule_name(struct az_loader *l, const struct az_gate_rule *r)
{
    struct az_sv name = r->name;
    bool all = az_sv_is(r->key, "*");
    if (name.n == 0 && az_sv_is(r->table, "*") && az_sv_is(r->column, "*") && all)
        name = AZ_SV(ALL_FIGURES);
    else if (name.n == 0)
        name = az_arena_printf(l->a, "%.*s / %.*s%s%.*s", AZ_SVF(r->table), AZ_SVF(r->column),
                               all ? "" : " / ", AZ_SVF(all ? AZ_SV("") : r->key));
    return name;
}

/* Names distinguish the rules of a verdict: an equal one gets a number. */
static void name_rule(struct az_loader *l, struct az_gate_rule *r)
{
    struct az_sv stem = rule_name(l, r);
    const struct az_gate_rules *all = &l->c->gates.rules;
    r->name = stem;
    for (unsigned k = 2; r->name.p; k++) {
        size_t i = 0;
        while (i < all->n && !az_sv_eq(all->v[i].name, r->name))
            i++;
        if (i == all->n)
            return;
        r->name = az_arena_printf(l->a, "%.*s #%u", AZ_SVF(stem), k);
    }
    l->fatal = AZ_ENOMEM;
}

static void load_rule(struct az_loader *l, struct az_node *n)
{
    struct az_gate_rule r;
    az_gate_rule_init(&r);
    r.where = az_node_where(n, l->a);
    if (n->kind != AZ_NODE_OBJECT) {
        az_load_error(l, n, "a rule must be an object, not %s", az_node_kind_text(n->kind));
        return;
    }
    l->rule = &r;
    az_apply_object(l, n, AZ_AT_RULE, &l->opts, &l->outputs);
    l->rule = NULL;
    r.abs_given = az_node_get(n, "abs") != NULL;
    r.rel_given = az_node_get(n, "rel") != NULL;
    if (r.rel_given && r.rel > REL_MOST && r.rel < AZ_GATE_UNSET)
        az_load_warn(l, az_node_get(n, "rel"),
                     "rel %g allows a change of %g%%; rel is a fraction: for %g%% use %g", r.rel,
                     r.rel * 100, r.rel, r.rel / 100);
    if (r.max < r.min && r.max < AZ_GATE_UNSET && r.min < AZ_GATE_UNSET)
        az_load_error(l, n, "max is below min: every value would fail; swap them");
    name_rule(l, &r);
    if (!l->fatal)
        l->fatal = az_vec_push(&l->c->gates.rules, r);
}

static void load_history(struct az_loader *l, struct az_node *n)
{
    struct az_history_opts *h = &l->c->history;
    struct az_node *labels = az_node_get(n, "labels");

    h->where = az_node_where(n, l->a);
    az_apply_object(l, n, AZ_AT_HISTORY, &l->opts, &l->outputs);
    if (labels)
        az_labels_load(l, labels, &l->c->history_labels);
    if (h->path.n && !l->no_files && !az_sv_starts(h->path, AZ_SV("/")) &&
        az_path_stat(h->path.p).kind == AZ_PATH_MISSING)
        h->path = az_path_join(l->a, l->base,
                               h->path); /* made next to the configuration, wherever it is run */
    if (!az_node_has(n, "path"))
        az_load_error(l, n,
                      "missing key 'path'; set the database of the history (created if missing)");
}

void az_gates_load(struct az_loader *l, struct az_node *root)
{
    struct az_node *gates = az_node_get(root, "gates"), *history = az_node_get(root, "history"),
                   *rules = NULL;

    if (history && !l->fatal)
        load_history(l, history);
    if (!gates || l->fatal)
        return;
    l->c->gates.given = true;
    l->c->gates.where = az_node_where(gates, l->a);
    if (gates->kind == AZ_NODE_ARRAY) {
        rules = gates;
    } else {
        az_apply_object(l, gates, AZ_AT_GATES, &l->opts, &l->outputs);
        rules = az_node_get(gates, "rules");
    }
    if (rules && rules->n > RULES_MAX)
        az_load_error(l, rules, "too many rules: %zu (limit %d)", rules->n, RULES_MAX);
    for (struct az_node *n = rules && rules->n <= RULES_MAX ? rules->first : NULL; n && !l->fatal;
         n = n->next)
        load_rule(l, n);
    if (!l->fatal && l->c->gates.rules.n == 0 && !rules && !az_node_has(gates, "rules")) {
        l->fatal = az_config_default_gates(l->c);
    } else if (!l->fatal && rules && rules->n == 0) {
        az_load_error(l, rules, "no rules; remove the key to use the key metrics");
    }
    if (l->c->gates.baseline.n == 0 && l->c->history.path.n)
        l->c->gates.baseline = AZ_SV("level");
    check_baseline(l,
                   az_node_has(gates, "baseline") ? az_node_find(gates, AZ_SV("baseline")) : gates);
}
