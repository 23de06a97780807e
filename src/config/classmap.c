/* kernel_to_class_map (docs/formats-nsight.md 1.2) and labels. */
#include "config/private.h"

#include "base/utf8.h"

#define CONFLICTS_SHOWN 20

/* Rule with this lower-case key; NULL. */
static struct az_class_rule *find_rule(struct az_class_rules *rules, struct az_sv lower)
{
    for (size_t i = 0; i < rules->n; i++) {
        if (az_sv_eq(rules->v[i].lower, lower))
            return &rules->v[i];
    }
    return NULL;
}

/* A key equal to an earlier one but for case has the first position and the last value. */
static int add_rule(struct az_loader *l, const struct az_node *n, struct az_class_rules *out)
{
    struct az_class_rule rule = { .key = n->key, .lower = az_utf8_lower(l->a, n->key) };
    rule.name = az_utf8_lower(l->a, n->text);
    if (!rule.lower.p || !rule.name.p)
        return AZ_ENOMEM;
    if (az_sv_is(rule.name, "others"))
        az_load_error(l, n,
                      "Class name should not be \"other\" (key '%.*s'; that class contains all "
                      "unmatched kernels)",
                      AZ_SVF(n->key));
    struct az_class_rule *old = find_rule(out, rule.lower);
    if (!old)
        return az_vec_push(out, rule);
    az_load_warn(l, n, "keys '%.*s' and '%.*s' differ only in case; the last value is used",
                 AZ_SVF(old->key), AZ_SVF(n->key));
    old->name = rule.name;
    return 0;
}

/* No key may contain another: the class would depend on the order only. */
static void check_conflicts(struct az_loader *l, const struct az_node *map,
                            const struct az_class_rules *rules)
{
    size_t shown = 0;
    for (size_t i = 0; i < rules->n; i++) {
        for (size_t j = i + 1; j < rules->n && shown < CONFLICTS_SHOWN; j++) {
            struct az_sv a = rules->v[i].lower, b = rules->v[j].lower;
            if (a.n == b.n || (a.n > b.n ? az_sv_find(a, b) : az_sv_find(b, a)) < 0)
                continue; /* equal keys were joined before */
            shown++;
            az_load_error(l, az_node_find(map, rules->v[j].key),
                          "%.*s and %.*s should NOT be the substring of each other.",
                          AZ_SVF(rules->v[i].key), AZ_SVF(rules->v[j].key));
        }
    }
}

void az_classes_load(struct az_loader *l, const struct az_node *map, struct az_class_rules *out)
{
    int rc = 0;
    az_vec_reset(out);
    if (map->n > CLASS_MAX_RULES) {
        az_load_error(l, map, "too many keys: %zu (limit %d)", map->n, CLASS_MAX_RULES);
        return;
    }
    for (const struct az_node *n = map->first; n && rc == 0; n = n->next) {
        bool text = n->kind == AZ_NODE_TEXT ||
                    (n->typed && n->kind <= AZ_NODE_NUMBER && n->kind != AZ_NODE_NULL);
        if (!text)
            az_load_error(l, n, "the class of '%.*s' must be a string, not %s", AZ_SVF(n->key),
                          az_node_kind_text(n->kind));
        else if (n->key.n > CLASS_MAX_KEY)
            az_load_error(l, map, "key of %zu bytes is too long (limit %d)", n->key.n,
                          CLASS_MAX_KEY);
        else
            rc = add_rule(l, n, out);
    }
    if (rc < 0)
        l->fatal = rc;
    check_conflicts(l, map, out);
}

void az_labels_load(struct az_loader *l, const struct az_node *map, struct az_labels *out)
{
    if (map->n > CLASS_MAX_RULES) {
        az_load_error(l, map, "too many labels: %zu (limit %d)", map->n, CLASS_MAX_RULES);
        return;
    }
    for (const struct az_node *n = map->first; n && !l->fatal; n = n->next) {
        struct az_label label = { n->key, n->text };
        size_t i = 0;
        if (n->kind != AZ_NODE_TEXT && n->kind != AZ_NODE_NUMBER && n->kind != AZ_NODE_BOOL) {
            az_load_error(l, n, "label '%.*s' must be a string, a number or a boolean, not %s",
                          AZ_SVF(n->key), az_node_kind_text(n->kind));
            continue;
        }
        while (i < out->n && !az_sv_eq(out->v[i].key, n->key))
            i++;
        if (i < out->n)
            out->v[i].value = n->text;
        else
            l->fatal = az_vec_push(out, label);
    }
}
