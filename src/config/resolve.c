/* The tree of a configuration into struct az_config, by the option table: unknown keys, types, run
 * defaults, inputs. */
#include "config/private.h"

/* Strings of a list, or one string; none may be empty. */
static void load_texts(struct az_loader *l, struct az_node *n, struct az_vec_sv *to)
{
    bool list = n && n->kind == AZ_NODE_ARRAY;
    if (list && n->n == 0)
        az_load_error(l, n, "empty list; remove the key, or name at least one");
    for (struct az_node *c = list ? n->first : n; c && !l->fatal; c = list ? c->next : NULL) {
        bool text = c->kind == AZ_NODE_TEXT || (c->typed && c->kind == AZ_NODE_NUMBER);
        if (!text || c->text.n == 0)
            az_load_error(l, c, "expected a non-empty string, not %s",
                          text ? "''" : az_node_kind_text(c->kind));
        else
            l->fatal = az_vec_push(to, c->text);
    }
}

static void load_compare(struct az_loader *l, struct az_node *root)
{
    struct az_node *n = az_node_get(root, "compare");
    struct az_compare_config *c = &l->c->compare;
    if (!n || l->fatal)
        return;
    c->wanted = true;
    az_apply_object(l, n, AZ_AT_COMPARE, &l->opts, &l->outputs);
    load_texts(l, az_node_get(n, "inputs"), &c->inputs);
    load_texts(l, az_node_get(n, "names"), &c->names);
    load_texts(l, az_node_get(n, "tables"), &c->tables);
    az_apply_object(l, az_node_get(n, "outputs"), AZ_AT_OUTPUTS, &l->opts, &c->outputs);
}

static void load_inputs(struct az_loader *l, struct az_node *root)
{
    struct az_node *inputs = az_node_get(root, "inputs");
    if (!inputs) {
        if (!az_node_has(root, "inputs"))
            az_load_error(l, root, "missing key 'inputs'; add an array with an object per input");
        return;
    }
    if (inputs->n > CONFIG_MAX_INPUTS) {
        az_load_error(l, inputs, "too many inputs: %zu (limit %d)", inputs->n, CONFIG_MAX_INPUTS);
        return;
    }
    size_t errors = l->diag->errors;
    for (struct az_node *n = inputs->first; n && !l->fatal; n = n->next)
        az_input_load(l, n);
    if (l->c->inputs.n == 0 && l->diag->errors == errors && !l->fatal)
        az_load_error(l, inputs, "no inputs; add at least one");
}

int az_config_resolve(struct az_loader *l, struct az_node *root)
{
    size_t errors = l->diag->errors;
    if (root->kind != AZ_NODE_OBJECT) {
        az_load_error(l, root, "a configuration must be an object { ... }, not %s",
                      az_node_kind_text(root->kind));
        return AZ_ECONFIG;
    }
    az_apply_object(l, root, AZ_AT_TOP, &l->opts, &l->outputs);
    az_apply_shared(l, root, &l->opts, &l->outputs);
    l->c->given = l->given;
    if (!l->fatal)
        l->fatal = az_outputs_copy(&l->c->outputs, &l->outputs);
    if (!l->fatal)
        load_inputs(l, root);
    load_compare(l, root);
    az_gates_load(l, root);
    if (l->fatal)
        return l->fatal;
    return l->diag->errors > errors ? AZ_ECONFIG : 0;
}
