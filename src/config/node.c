/* The tree of a configuration: building, search, naming. */
#include "config/private.h"

#include "base/num.h"

struct az_node *az_node_new(struct az_arena *a, enum az_node_kind kind)
{
    struct az_node *n = az_arena_alloc(a, sizeof *n);
    if (n) {
        n->kind = kind;
        n->text = AZ_SV("");
    }
    return n;
}

void az_node_append(struct az_node *parent, struct az_node *child)
{
    child->parent = parent;
    child->index = parent->n++;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

void az_node_replace(struct az_node *old, const struct az_node *value)
{
    struct az_node keep = *old;
    *old = *value;
    old->key = keep.key;
    old->index = keep.index;
    old->parent = keep.parent;
    old->next = keep.next;
    for (struct az_node *c = old->first; c; c = c->next)
        c->parent = old;
}

struct az_node *az_node_find(const struct az_node *object, struct az_sv key)
{
    if (!object || object->kind != AZ_NODE_OBJECT)
        return NULL;
    for (struct az_node *c = object->first; c; c = c->next) {
        if (!c->bad && az_sv_eq(c->key, key))
            return c;
    }
    return NULL;
}

struct az_node *az_node_get(const struct az_node *object, const char *key)
{
    return az_node_find(object, az_sv_str(key));
}

bool az_node_has(const struct az_node *object, const char *key)
{
    for (const struct az_node *c = object ? object->first : NULL; c; c = c->next) {
        if (az_sv_is(c->key, key))
            return true;
    }
    return false;
}

/* Appends "/key" with ~ and / escaped as RFC 6901 requires. */
static int append_step(struct az_vec_char *out, const struct az_node *n)
{
    if (n->parent->kind == AZ_NODE_ARRAY)
        return az_text_printf(out, "/%zu", n->index);
    int rc = az_vec_push(out, '/');
    for (size_t i = 0; rc == 0 && i < n->key.n; i++) {
        char ch = n->key.p[i];
        if (ch == '~')
            rc = az_text_append(out, AZ_SV("~0"));
        else if (ch == '/')
            rc = az_text_append(out, AZ_SV("~1"));
        else
            rc = az_vec_push(out, ch);
    }
    return rc;
}

struct az_sv az_node_pointer(const struct az_node *n, struct az_arena *a)
{
    const struct az_node *chain[2 * CONFIG_MAX_DEPTH + 2];
    size_t depth = 0;
    for (; n && n->parent && depth < AZ_LENGTH(chain); n = n->parent)
        chain[depth++] = n;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    int rc = 0;
    while (rc == 0 && depth > 0)
        rc = append_step(&text, chain[--depth]);
    struct az_sv out = rc == 0 ? az_arena_dup(a, az_text_view(&text)) : AZ_SV("");
    az_vec_release(&text);
    return out;
}

struct az_where az_node_where(const struct az_node *n, struct az_arena *a)
{
    if (!n)
        return AZ_NOWHERE;
    return (struct az_where){
        .file = n->file, .line = n->line, .offset = -1, .pointer = az_node_pointer(n, a)
    };
}

const char *az_node_kind_text(enum az_node_kind kind)
{
    static const char *const text[] = { "null",     "a boolean", "a number",
                                        "a string", "an array",  "an object" };
    return text[kind];
}
