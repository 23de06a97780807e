/* --set PATH=VALUE: puts a value into the tree before it is validated, so that the same rules
 * apply. */
#include "config/private.h"

#include "base/num.h"

#define FROM_SET AZ_SV("--set")

struct steps {
    struct az_sv v[CONFIG_MAX_DEPTH];
    size_t n;
};

static void set_error(struct az_loader *l, const struct az_override *o, const char *what)
{
    az_diag_add(l->diag, AZ_ERROR, AZ_AT_FILE(FROM_SET),
                "%s '%.*s'; use inputs.0.title=x, inputs.*.title=x or /a/b=x", what,
                AZ_SVF(o->key));
}

/* "~1" and "~0" of a JSON pointer. */
static struct az_sv unescape(struct az_arena *a, struct az_sv step)
{
    char *out = az_arena_str(a, step);
    if (!out)
        return AZ_SV("");
    size_t n = 0;
    for (size_t i = 0; i < step.n; i++) {
        if (step.p[i] == '~' && i + 1 < step.n && (step.p[i + 1] == '0' || step.p[i + 1] == '1'))
            out[n++] = step.p[++i] == '0' ? '~' : '/';
        else
            out[n++] = step.p[i];
    }
    out[n] = '\0';
    return az_sv_make(out, n);
}

/* Splits "a.b.c", or "/a/b.c" as a JSON pointer. */
static bool split(struct az_loader *l, struct az_sv path, struct steps *steps)
{
    bool pointer = path.n && path.p[0] == '/';
    char sep = pointer ? '/' : '.';
    size_t i = pointer ? 1 : 0;
    for (;;) {
        size_t start = i;
        while (i < path.n && path.p[i] != sep)
            i++;
        struct az_sv step = az_sv_make(path.p + start, i - start);
        if (steps->n == CONFIG_MAX_DEPTH || (step.n == 0 && !pointer))
            return false;
        steps->v[steps->n++] = pointer ? unescape(l->a, step) : az_arena_dup(l->a, step);
        if (i == path.n)
            return true;
        i++;
    }
}

/* Values of the command line have no line; a string stays as typed. */
static void mark_typed(struct az_node *n)
{
    n->file = FROM_SET;
    n->line = n->column = 0;
    n->typed = true;
    for (struct az_node *c = n->first; c; c = c->next)
        mark_typed(c);
}

/* JSON if it reads as such, else the text itself. */
static void put_value(struct az_loader *l, struct az_node *at, struct az_sv value)
{
    struct az_node *n = NULL;
    struct az_sv text = az_arena_dup(l->a, value);
    int rc = text.p ? az_conf_parse(text, FROM_SET, l->a, NULL, &n) : AZ_ENOMEM;
    if (rc == AZ_ECONFIG) {
        n = az_node_new(l->a, AZ_NODE_TEXT);
        if (n)
            n->text = text;
        rc = n ? 0 : AZ_ENOMEM;
    }
    if (rc < 0) {
        l->fatal = rc;
        return;
    }
    mark_typed(n);
    az_node_replace(at, n);
}

static struct az_node *new_child(struct az_loader *l, struct az_node *parent, struct az_sv key)
{
    struct az_node *n = az_node_new(l->a, AZ_NODE_NULL);
    if (!n) {
        l->fatal = AZ_ENOMEM;
        return NULL;
    }
    n->key = key;
    n->file = FROM_SET;
    n->typed = true;
    az_node_append(parent, n);
    return n;
}

/* The child one step leads to, made if it may be; NULL with a message if there is none. */
static struct az_node *step_down(struct az_loader *l, struct az_node *at, struct az_sv step,
                                 const struct az_override *o)
{
    int64_t index = -1;
    bool number = az_parse_i64(step, &index) == 0 && index >= 0;
    if (at->kind == AZ_NODE_NULL && at->typed)
        at->kind = number ? AZ_NODE_ARRAY : AZ_NODE_OBJECT;
    if (at->kind == AZ_NODE_OBJECT) {
        struct az_node *c = az_node_find(at, step);
        return c ? c : new_child(l, at, step);
    }
    if (at->kind == AZ_NODE_ARRAY && number) {
        struct az_node *c = at->first;
        while (c && c->index < (size_t)index)
            c = c->next;
        if (c || (size_t)index == at->n)
            return c ? c : new_child(l, at, AZ_SV(""));
    }
    set_error(l, o,
              at->kind == AZ_NODE_ARRAY ? "no such element" : "no such key in the configuration");
    return NULL;
}

/* Depth is bounded by CONFIG_MAX_DEPTH. */
static void set_below(struct az_loader *l, struct az_node *at, const struct steps *steps, size_t k,
                      const struct az_override *o)
{
    if (k == steps->n) {
        put_value(l, at, o->value);
        return;
    }
    if (az_sv_is(steps->v[k], "*") && at->kind == AZ_NODE_ARRAY) {
        for (struct az_node *c = at->first; c && !l->fatal; c = c->next)
            set_below(l, c, steps, k + 1, o);
        return;
    }
    struct az_node *c = step_down(l, at, steps->v[k], o);
    if (c)
        set_below(l, c, steps, k + 1, o);
}

void az_override_paths(struct az_loader *l, struct az_node *root)
{
    for (size_t i = 0; l->over && i < l->over->n && !l->fatal; i++) {
        const struct az_override *o = &l->over->v[i];
        struct steps steps = { .n = 0 };
        if (o->kind != AZ_SET_PATH)
            continue;
        if (split(l, o->key, &steps))
            set_below(l, root, &steps, 0, o);
        else
            set_error(l, o, "invalid path");
    }
}
