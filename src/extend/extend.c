#include "extend/internal.h"

#include <stdlib.h>
#include <time.h>

#define STEP 1000 /* instructions between two checks of the budget */
/* The cost of a call in addition to its instructions, since some of them (comparing texts, a list
 * of a million arguments) are long: the largest text, bytes of memory that count as an instruction,
 * and seconds of the processor as a last resort, far from where the other limits end a script. */
#define TEXT_MAX      ((size_t)1 << 20)
#define BYTES_AT_ONCE 16
#define SECONDS_MAX   30
#define TOO_LONG      "took more than %d million instructions"
_Static_assert(AZ_EXTEND_INSTRUCTIONS == 20000000, "the message has this number");

static void *allocate(void *ctx, void *p, size_t old, size_t size)
{
    struct az_extend *e = ctx;
    const bool text = !p && old == LUA_TSTRING;
    old = p ? old : 0; /* for a new block this is a kind of object */
    if (size == 0) {
        if (p)
            az_mem_free(e->mem, p, old);
        e->used -= old;
        return NULL;
    }
    if (size > old) { /* a function cannot raise from here: no memory, and the reason is stored */
        e->left -= (int64_t)((size - old) / BYTES_AT_ONCE);
        e->text_too_long |= text && size > TEXT_MAX;
        e->out_of_memory |= e->used + (size - old) > AZ_EXTEND_MEMORY;
        if (e->text_too_long || e->out_of_memory || e->left < 0)
            return NULL;
    }
    void *q = p ? az_mem_realloc(e->mem, p, old, size) : az_mem_alloc(e->mem, size);
    if (q)
        e->used = e->used - old + size;
    else
        e->out_of_budget = true;
    return q;
}

/* The extension of a state. */
static struct az_extend *extension_of(lua_State *l)
{
    return *(struct az_extend **)lua_getextraspace(l);
}

void az_extend_spend(lua_State *l, int64_t instructions)
{
    struct az_extend *e = extension_of(l);
    e->left -= instructions;
    if (e->left < 0)
        luaL_error(l, TOO_LONG, (int)(e->limit / 1000000));
}

static int64_t cpu_seconds(void)
{
    struct timespec t = { .tv_sec = 0 };
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec;
}

static void count(lua_State *l, lua_Debug *unused)
{
    (void)unused;
    az_extend_spend(l, STEP);
    if (cpu_seconds() - extension_of(l)->begun > SECONDS_MAX)
        luaL_error(l, "took more than %d seconds", SECONDS_MAX);
}

/* What a protected call left on the stack, as a message. */
static int complain(struct az_extend *e, struct az_diag *diag, const char *op, size_t op_length)
{
    const char *text = lua_type(e->l, -1) == LUA_TSTRING ? lua_tostring(e->l, -1) : NULL;
    char too_long[64];
    (void)snprintf(too_long, sizeof too_long, TOO_LONG, (int)(e->limit / 1000000));
    if (e->out_of_memory)
        text = "took more than 64 MiB of memory";
    else if (e->text_too_long)
        text = "created a string of more than 1 MiB";
    else if (e->left < 0)
        text = too_long;
    else if (e->out_of_budget)
        text = "out of memory";
    else if (!text)
        text = "raised an error that is not a string";
    bool placed = strncmp(text, e->file, strlen(e->file)) == 0;
    const char *colon = placed ? "" : ": ";
    if (op)
        return az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE,
                            "%s%s%s, for operator '%.*s'; the extension is disabled",
                            placed ? "" : e->file, colon, text, (int)op_length, op);
    return az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE, "%s%s%s; the extension is disabled",
                        placed ? "" : e->file, colon, text);
}

int az_extend_call(struct az_extend *e, int args, int results, struct az_diag *diag,
                   struct az_sv op)
{
    e->left = e->limit;
    e->out_of_memory = e->out_of_budget = e->text_too_long = false;
    e->begun = cpu_seconds();
    if (lua_pcall(e->l, args, results, 0) == LUA_OK)
        return 0;
    return complain(e, diag, op.n ? op.p : NULL, op.n);
}

/* Reads the tables; runs protected. Stack: arena. */
static int read_tables(lua_State *l)
{
    struct az_extend *e = extension_of(l);
    struct az_arena *a = lua_touserdata(l, 1);
    e->has_tree = lua_getglobal(l, "tree_postprocess") != LUA_TNIL;
    if (e->has_tree && !lua_isfunction(l, -1))
        return luaL_error(l, "tree_postprocess is not a function");
    lua_settop(l, 1);
    size_t names = 0;
    if (lua_getglobal(l, "categories") != LUA_TNIL) {
        luaL_argcheck(l, lua_istable(l, -1), 1, "categories is not a table");
        for (lua_pushnil(l); lua_next(l, -2); lua_pop(l, 1)) {
            if (lua_type(l, -2) != LUA_TSTRING || !lua_istable(l, -1))
                return luaL_error(l, "categories must map a category to a list of operators");
            if (++names > AZ_EXTEND_CATEGORIES)
                return luaL_error(l, "more than %d categories", AZ_EXTEND_CATEGORIES);
            struct az_sv category = az_arena_dup(a, az_sv_str(lua_tostring(l, -2)));
            lua_Integer n = luaL_len(l, -1);
            for (lua_Integer i = 1; i <= n; i++) {
                if (lua_geti(l, -1, i) != LUA_TSTRING)
                    return luaL_error(l, "category '%s': operator %d is not a string", category.p,
                                      (int)i);
                struct az_extend_category c = { az_arena_dup(a, az_sv_str(lua_tostring(l, -1))),
                                                category };
                if (!c.op.p || !category.p || az_vec_push(&e->categories, c))
                    return luaL_error(l, "out of memory");
                lua_pop(l, 1);
            }
        }
    }
    lua_settop(l, 1);
    if (lua_getglobal(l, "perf_models") == LUA_TNIL)
        return 0;
    if (!lua_istable(l, -1))
        return luaL_error(l, "perf_models is not a table");
    for (lua_pushnil(l); lua_next(l, -2); lua_pop(l, 1)) {
        if (lua_type(l, -2) != LUA_TSTRING || !lua_isfunction(l, -1))
            return luaL_error(l, "perf_models must map an operator to a function");
        struct az_sv op = az_arena_dup(a, az_sv_str(lua_tostring(l, -2)));
        if (!op.p || az_vec_push(&e->models, op))
            return luaL_error(l, "out of memory");
    }
    return 0;
}

static int order(const void *x, const void *y)
{
    const struct az_extend_category *a = x, *b = y;
    int c = az_sv_cmp(a->op, b->op);
    return c ? c : az_sv_cmp(a->category, b->category);
}

struct script {
    const char *path;
    struct az_sv text; /* p NULL: the file */
};

/* Runs protected. Stack: struct script; result: the script as a function. */
static int load_extend(lua_State *l)
{
    const struct script *s = lua_touserdata(l, 1);
    az_extend_libraries(l);
    const char *name = lua_pushfstring(l, "=%s", s->path);
    const int rc = s->text.p ? luaL_loadbufferx(l, s->text.p, s->text.n, name, "t")
                             : luaL_loadfilex(l, s->path, "t");
    if (rc != LUA_OK)
        return lua_error(l);
    return 1;
}

static int run_script(struct az_extend *e, const struct script *script, struct az_arena *a,
                      struct az_diag *diag)
{
    lua_State *l = e->l;
    lua_sethook(l, count, LUA_MASKCOUNT, STEP);
    lua_pushcfunction(l, load_extend);
    lua_pushlightuserdata(l, (void *)(uintptr_t)script);
    int rc = az_extend_call(e, 1, 1, diag, AZ_SV(""));
    if (rc == 0)
        rc = az_extend_call(e, 0, 0, diag, AZ_SV(""));
    if (rc)
        return rc;
    lua_pushcfunction(l, read_tables);
    lua_pushlightuserdata(l, a);
    rc = az_extend_call(e, 1, 0, diag, AZ_SV(""));
    if (rc == 0 && e->categories.n) /* a table has no order of its own */
        qsort(e->categories.v, e->categories.n, sizeof *e->categories.v, order);
    return rc;
}

static int open_script(struct az_extend **out, const struct script *s, struct az_arena *a,
                       struct az_mem *mem, struct az_diag *diag)
{
    struct az_extend *e = az_arena_alloc(a, sizeof *e);
    *out = NULL;
    if (!e)
        return az_arena_error(a);
    *e = (struct az_extend){
        .mem = mem, .left = AZ_EXTEND_INSTRUCTIONS, .limit = AZ_EXTEND_INSTRUCTIONS, .file = s->path
    };
    az_vec_init(&e->categories, mem);
    az_vec_init(&e->models, mem);
    e->l = lua_newstate(allocate, e);
    if (!e->l)
        return az_mem_error(mem);
    *(struct az_extend **)lua_getextraspace(e->l) = e;
    if (AZ_MOVES) /* texts without references are freed soon */
        lua_gc(e->l, LUA_GCINC, 10, 400, 0);
    int rc = run_script(e, s, a, diag);
    if (rc) {
        az_extend_close(e);
        return rc;
    }
    *out = e;
    return 0;
}

int az_extend_open(struct az_extend **out, const char *path, struct az_arena *a, struct az_mem *mem,
                   struct az_diag *diag)
{
    const struct script s = { .path = path };
    return open_script(out, &s, a, mem, diag);
}

int az_extend_open_text(struct az_extend **out, const char *name, struct az_sv text,
                        struct az_arena *a, struct az_mem *mem, struct az_diag *diag)
{
    const struct script s = { .path = name, .text = text };
    return open_script(out, &s, a, mem, diag);
}

void az_extend_close(struct az_extend *e)
{
    if (!e)
        return;
    lua_close(e->l);
    az_vec_release(&e->categories);
    az_vec_release(&e->models);
}

const struct az_extend_categories *az_extend_categories_of(const struct az_extend *e)
{
    return &e->categories;
}

bool az_extend_has_tree(const struct az_extend *e) { return e->has_tree; }

bool az_extend_has_model(const struct az_extend *e, struct az_sv op)
{
    for (size_t i = 0; i < e->models.n; i++)
        if (az_sv_eq(e->models.v[i], op))
            return true;
    return false;
}

void az_extend_push(lua_State *l, struct az_sv s) { lua_pushlstring(l, s.p ? s.p : "", s.n); }

/* { {2, 3}, {} }, and lists of texts: one place an argument. */
static void push_arguments(lua_State *l, const struct az_perf_call *c)
{
    lua_createtable(l, (int)c->n, 0);
    lua_createtable(l, (int)c->n, 0);
    lua_createtable(l, (int)c->n, 0);
    for (unsigned i = 0; i < c->n; i++) {
        lua_createtable(l, c->arg[i].nd, 0);
        for (int d = 0; d < c->arg[i].nd; d++) {
            lua_pushinteger(l, c->arg[i].dim[d]);
            lua_seti(l, -2, d + 1);
        }
        lua_seti(l, -4, (lua_Integer)i + 1);
        az_extend_push(l, c->arg[i].type_name);
        lua_seti(l, -3, (lua_Integer)i + 1);
        az_extend_push(l, c->arg[i].value);
        lua_seti(l, -2, (lua_Integer)i + 1);
    }
    lua_setfield(l, -4, "concrete");
    lua_setfield(l, -3, "types");
    lua_setfield(l, -2, "dims");
}

/* Runs protected. Stack: call, result. */
static int run_model(lua_State *l)
{
    const struct az_perf_call *c = lua_touserdata(l, 1);
    struct az_perf *out = lua_touserdata(l, 2);
    lua_getglobal(l, "perf_models");
    az_extend_push(l, c->op);
    lua_gettable(l, -2);
    lua_createtable(l, 0, 5);
    az_extend_push(l, c->op);
    lua_setfield(l, -2, "name");
    push_arguments(l, c);
    lua_createtable(l, (int)c->n_kernels, 0);
    for (size_t i = 0; i < c->n_kernels; i++) {
        az_extend_push(l, c->kernels[i]);
        lua_seti(l, -2, (lua_Integer)i + 1);
    }
    lua_setfield(l, -2, "kernels");
    lua_call(l, 1, 4);
    static const char *const what[] = { "FLOPs", "bytes" };
    for (int i = 0; i < 2; i++) {
        int at = -4 + i;
        if (lua_isnil(l, at))
            continue;
        double v = lua_type(l, at) == LUA_TNUMBER ? lua_tonumber(l, at) : NAN;
        if (!(v >= 0) || isinf(v))
            return luaL_error(l, "returned %s '%s', expected a number of 0 or more", what[i],
                              luaL_tolstring(l, at, NULL));
        *(i ? &out->bytes : &out->flops) = v;
    }
    if (!lua_isnil(l, -2) && lua_type(l, -2) != LUA_TSTRING)
        return luaL_error(l, "returned a precision that is not a string");
    if (!lua_isnil(l, -1) && lua_type(l, -1) != LUA_TSTRING)
        return luaL_error(l, "returned a unit that is not a string");
    const char *prec = lua_tostring(l, -2),
               *unit = lua_isnil(l, -1) ? "matrix" : lua_tostring(l, -1);
    if (strcmp(unit, "matrix") != 0 && strcmp(unit, "vector") != 0)
        return luaL_error(l, "returned unit '%s', expected matrix or vector", unit);
    if (prec && strlen(prec) > 16)
        return luaL_error(l, "returned an invalid precision");
    out->unit = strcmp(unit, "vector") == 0 ? "vector" : "matrix";
    lua_settop(l, 2);
    lua_pushstring(l, prec ? prec : "");
    return 1;
}

int az_extend_model(struct az_extend *e, const struct az_perf_call *c, struct az_arena *a,
                    struct az_perf *out, struct az_diag *diag)
{
    *out = (struct az_perf){
        .flops = NAN, .bytes = NAN, .bwd_flops = NAN, .bwd_bytes = NAN, .unit = ""
    };
    lua_pushcfunction(e->l, run_model);
    lua_pushlightuserdata(e->l, (void *)(uintptr_t)c);
    lua_pushlightuserdata(e->l, out);
    int rc = az_extend_call(e, 2, 1, diag, c->op);
    if (rc == 0) {
        out->prec = az_arena_dup(a, az_sv_str(lua_tostring(e->l, -1)));
        if (isnan(out->flops) && isnan(out->bytes))
            out->why = "no estimate from the extension";
    }
    lua_settop(e->l, 0);
    return rc;
}
