/* tree_postprocess(tree): the tree as a table of functions. Nodes are numbers that start at 1, as
 * Lua's lists do. */
#include "extend/internal.h"

struct handle {
    const struct az_extend_tree *t;
    size_t edits;
    struct az_vec_u32 nodes; /* scratch of insert */
};

static struct handle *handle_of(lua_State *l) { return lua_touserdata(l, lua_upvalueindex(1)); }

/* Argument `at` as a node; raises. */
static uint32_t node_at(lua_State *l, int at)
{
    const lua_Integer n = luaL_checkinteger(l, at);
    if (n < 1 || n > (lua_Integer)handle_of(l)->t->n)
        luaL_argerror(l, at, "not a node of the tree");
    return (uint32_t)(n - 1);
}

static struct az_sv text_at(lua_State *l, int at)
{
    size_t n;
    const char *p = luaL_checklstring(l, at, &n);
    return az_sv_make(p, n);
}

static void push_node(lua_State *l, uint32_t node) { lua_pushinteger(l, (lua_Integer)node + 1); }

/* tree.find(part [, kind]): nodes whose name contains the text, in order. */
static int tree_find(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const struct az_sv part = text_at(l, 1);
    const char *kind = luaL_optstring(l, 2, "op");
    lua_Integer found = 0;
    lua_newtable(l);
    for (uint32_t n = 0; n < t->n; n++) {
        if (n % 1000 == 0)
            az_extend_spend(l, 1000);
        if (strcmp(t->kind(t->ctx, n), kind) != 0 || az_sv_find(t->name(t->ctx, n), part) < 0)
            continue;
        push_node(l, n);
        lua_seti(l, -2, ++found);
    }
    return 1;
}

static int tree_name(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    az_extend_push(l, t->name(t->ctx, node_at(l, 1)));
    return 1;
}

static int tree_kind(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    lua_pushstring(l, t->kind(t->ctx, node_at(l, 1)));
    return 1;
}

static int tree_parent(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const uint32_t up = t->parent(t->ctx, node_at(l, 1));
    if (up == AZ_EXTEND_NO_NODE)
        lua_pushnil(l);
    else
        push_node(l, up);
    return 1;
}

static int tree_children(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const uint32_t node = node_at(l, 1);
    lua_Integer n = 0;
    lua_newtable(l);
    for (uint32_t c = t->child(t->ctx, node, AZ_EXTEND_NO_NODE); c != AZ_EXTEND_NO_NODE;
         c = t->child(t->ctx, node, c)) {
        az_extend_spend(l, 1);
        push_node(l, c);
        lua_seti(l, -2, ++n);
    }
    return 1;
}

static int tree_span(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    int64_t start, end;
    t->span(t->ctx, node_at(l, 1), &start, &end);
    lua_pushinteger(l, start);
    lua_pushinteger(l, end);
    return 2;
}

/* tree.kernels(node): { {name=, ns=, call=}, ... } in the order of their launches. */
static int tree_kernels(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    uint32_t first;
    const uint32_t n = t->kernels(t->ctx, node_at(l, 1), &first);
    lua_newtable(l);
    for (uint32_t i = 0; i < n; i++) {
        const struct az_extend_kernel k = t->kernel(t->ctx, first + i);
        az_extend_spend(l, 1);
        lua_createtable(l, 0, 3);
        az_extend_push(l, k.name);
        lua_setfield(l, -2, "name");
        lua_pushinteger(l, k.ns);
        lua_setfield(l, -2, "ns");
        push_node(l, k.call);
        lua_setfield(l, -2, "call");
        lua_seti(l, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* tree.args(node): { dims=, types=, strides=, concrete= }, JSON texts. */
static int tree_args(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const struct az_extend_args a = t->args(t->ctx, node_at(l, 1));
    const struct az_sv text[] = { a.dims, a.types, a.strides, a.concrete };
    static const char *const key[] = { "dims", "types", "strides", "concrete" };
    lua_createtable(l, 0, 4);
    for (int i = 0; i < 4; i++) {
        if (text[i].n == 0)
            continue;
        az_extend_push(l, text[i]);
        lua_setfield(l, -2, key[i]);
    }
    return 1;
}

/* tree.sequence(node): the number that an operator and its backward operator share, or nil. */
static int tree_sequence(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const int64_t number = t->sequence(t->ctx, node_at(l, 1));
    if (number < 0)
        lua_pushnil(l);
    else
        lua_pushinteger(l, number);
    return 1;
}

/* tree.forward(node): the forward operator of a backward one, or of what is below that; nil. */
static int tree_forward(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const uint32_t node = t->forward(t->ctx, node_at(l, 1));
    if (node == AZ_EXTEND_NO_NODE)
        lua_pushnil(l);
    else
        push_node(l, node);
    return 1;
}

/* tree.backward(node): the backward operators of a forward one. */
static int tree_backward(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    const uint32_t node = node_at(l, 1);
    lua_Integer n = 0;
    lua_newtable(l);
    for (uint32_t b = t->backward(t->ctx, node, AZ_EXTEND_NO_NODE); b != AZ_EXTEND_NO_NODE;
         b = t->backward(t->ctx, node, b)) {
        az_extend_spend(l, 1);
        push_node(l, b);
        lua_seti(l, -2, ++n);
    }
    return 1;
}

/* Counts a change and reports what is wrong with it. */
static int changed(lua_State *l, const char *wrong)
{
    if (wrong)
        return luaL_error(l, "%s", wrong);
    if (++handle_of(l)->edits > AZ_EXTEND_EDITS)
        return luaL_error(l, "requests more than %d changes", AZ_EXTEND_EDITS);
    return 0;
}

static int tree_rename(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    return changed(l, t->rename(t->ctx, node_at(l, 1), text_at(l, 2)));
}

static int tree_remove(lua_State *l)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    return changed(l, t->remove(t->ctx, node_at(l, 1)));
}

/* Lines of the facts table at `at`; on the stack. Keys come in no order: they are listed sorted. */
static struct az_sv push_facts(lua_State *l, int at)
{
    size_t n;
    lua_newtable(l);
    const int lines = lua_gettop(l);
    lua_Integer count = 0;
    for (lua_pushnil(l); lua_next(l, at); lua_pop(l, 1)) {
        if (lua_type(l, -2) != LUA_TSTRING)
            luaL_error(l, "name of a fact is not a string");
        const char *value = luaL_tolstring(l, -1, NULL);
        lua_pushfstring(l, "%s=%s\n", lua_tostring(l, -3), value);
        lua_seti(l, lines, ++count);
        lua_pop(l, 1);
    }
    lua_getglobal(l, "table");
    lua_getfield(l, -1, "sort");
    lua_pushvalue(l, lines);
    lua_call(l, 1, 0);
    lua_getfield(l, -1, "concat");
    lua_pushvalue(l, lines);
    lua_call(l, 1, 1);
    const char *text = luaL_checklstring(l, -1, &n);
    return az_sv_make(text, n);
}

/* Options of insert at `at`: args_from = node, and texts that win over it. What it points to stays
 * on the stack. */
static struct az_extend_args options(lua_State *l, int at)
{
    const struct az_extend_tree *t = handle_of(l)->t;
    struct az_extend_args a = { { "", 0 }, { "", 0 }, { "", 0 }, { "", 0 }, { "", 0 } };
    struct az_sv *const text[] = { &a.dims, &a.types, &a.strides, &a.concrete };
    static const char *const key[] = { "dims", "types", "strides", "concrete" };
    if (lua_isnoneornil(l, at))
        return a;
    luaL_checktype(l, at, LUA_TTABLE);
    if (lua_getfield(l, at, "args_from") != LUA_TNIL)
        a = t->args(t->ctx, node_at(l, lua_gettop(l)));
    for (int i = 0; i < 4; i++)
        if (lua_getfield(l, at, key[i]) != LUA_TNIL)
            *text[i] = text_at(l, lua_gettop(l));
    if (lua_getfield(l, at, "facts") != LUA_TNIL) {
        luaL_checktype(l, -1, LUA_TTABLE);
        a.facts = push_facts(l, lua_gettop(l));
    }
    return a;
}

/* tree.insert(name, nodes [, options]): an operator around nodes that have one parent. */
static int tree_insert(lua_State *l)
{
    struct handle *h = handle_of(l);
    const struct az_sv name = text_at(l, 1);
    luaL_checktype(l, 2, LUA_TTABLE);
    const lua_Integer n = luaL_len(l, 2);
    const struct az_extend_args a = options(l, 3);
    if (n < 1 || n > (lua_Integer)h->t->n)
        return luaL_error(l, "insert '%s': no nodes", name.p);
    az_extend_spend(l, n);
    h->nodes.n = 0;
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(l, 2, i);
        if (az_vec_push(&h->nodes, node_at(l, lua_gettop(l))))
            return luaL_error(l, "out of memory");
        lua_pop(l, 1);
    }
    return changed(l, h->t->insert(h->t->ctx, name, h->nodes.v, h->nodes.n, &a));
}

/* Runs protected. Stack: handle. */
static int run_tree(lua_State *l)
{
    static const luaL_Reg functions[] = {
        { "find", tree_find },       { "name", tree_name },         { "kind", tree_kind },
        { "parent", tree_parent },   { "children", tree_children }, { "span", tree_span },
        { "kernels", tree_kernels }, { "args", tree_args },         { "rename", tree_rename },
        { "remove", tree_remove },   { "insert", tree_insert },     { "sequence", tree_sequence },
        { "forward", tree_forward }, { "backward", tree_backward }, { NULL, NULL }
    };
    const struct handle *h = lua_touserdata(l, 1);
    lua_getglobal(l, "tree_postprocess");
    luaL_newlibtable(l, functions);
    lua_pushvalue(l, 1);
    luaL_setfuncs(l, functions, 1);
    lua_pushinteger(l, (lua_Integer)h->t->n);
    lua_setfield(l, -2, "size");
    lua_call(l, 1, 0);
    return 0;
}

int az_extend_run_tree(struct az_extend *e, const struct az_extend_tree *t, struct az_diag *diag)
{
    struct handle h = { .t = t };
    az_vec_init(&h.nodes, e->mem);
    lua_pushcfunction(e->l, run_tree);
    lua_pushlightuserdata(e->l, &h);
    e->limit += (int64_t)AZ_EXTEND_NODE_INSTRUCTIONS * t->n;
    const int rc = az_extend_call(e, 1, 0, diag, AZ_SV(""));
    e->limit = AZ_EXTEND_INSTRUCTIONS;
    lua_settop(e->l, 0);
    az_vec_release(&h.nodes);
    return rc;
}
