/* What a script may call. A C function is one instruction to the counting hook, whatever it does:
 * functions whose work grows with their arguments are called through a counter that subtracts the
 * work from the remaining instructions, before it is done (docs/extension.md). */
#include "extend/internal.h"

#include <lualib.h>

#define BYTES_AT_ONCE 16 /* bytes moved or compared that count as an instruction */

enum work {
    TEXT,   /* length of the texts among the arguments */
    TABLE,  /* length of the table */
    REPEAT, /* rep(text, n) */
    RANGE2, /* (list, from, to) */
    RANGE3, /* (list, text, from, to) */
    MOVE    /* (list, from, to, at) */
};

static const struct counted {
    const char *library, *name;
    enum work work;
} counted[] = {
    { LUA_STRLIBNAME, "byte", TEXT },     { LUA_STRLIBNAME, "format", TEXT },
    { LUA_STRLIBNAME, "lower", TEXT },    { LUA_STRLIBNAME, "pack", TEXT },
    { LUA_STRLIBNAME, "packsize", TEXT }, { LUA_STRLIBNAME, "rep", REPEAT },
    { LUA_STRLIBNAME, "reverse", TEXT },  { LUA_STRLIBNAME, "sub", TEXT },
    { LUA_STRLIBNAME, "unpack", TEXT },   { LUA_STRLIBNAME, "upper", TEXT },
    { LUA_TABLIBNAME, "concat", RANGE3 }, { LUA_TABLIBNAME, "insert", TABLE },
    { LUA_TABLIBNAME, "move", MOVE },     { LUA_TABLIBNAME, "remove", TABLE },
    { LUA_TABLIBNAME, "unpack", RANGE2 }, { LUA_UTF8LIBNAME, "codepoint", TEXT },
    { LUA_UTF8LIBNAME, "len", TEXT },     { LUA_UTF8LIBNAME, "offset", TEXT },
};

static int64_t length(lua_State *l, int at)
{
    return lua_istable(l, at) || lua_type(l, at) == LUA_TSTRING ? (int64_t)lua_rawlen(l, at) : 0;
}

static int64_t texts(lua_State *l)
{
    int64_t n = 0;
    for (int i = lua_gettop(l); i > 0; i--)
        n += lua_type(l, i) == LUA_TSTRING ? length(l, i) : 0;
    return n / BYTES_AT_ONCE;
}

/* Steps of from..to, which a script may choose to be any numbers. */
static int64_t range(lua_State *l, int from, int to)
{
    const int64_t a = luaL_optinteger(l, from, 1), b = luaL_optinteger(l, to, length(l, 1));
    int64_t n;
    if (b < a)
        return 0;
    return __builtin_sub_overflow(b, a, &n) ? INT64_MAX : n;
}

static int64_t work_of(lua_State *l, enum work w)
{
    switch (w) {
    case TEXT:
        return texts(l);
    case TABLE:
        return length(l, 1);
    case REPEAT: /* the bytes are counted where they are allocated: here are the empty ones */
        return luaL_optinteger(l, 2, 0) / BYTES_AT_ONCE;
    case RANGE2:
        return range(l, 2, 3);
    case RANGE3:
        return range(l, 3, 4);
    case MOVE:
        return range(l, 2, 3);
    }
    return 0;
}

/* Upvalues: the function, its kind of work. */
static int call_counted(lua_State *l)
{
    const int64_t work = work_of(l, (enum work)lua_tointeger(l, lua_upvalueindex(2)));
    if (work > 0)
        az_extend_spend(l, work);
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, LUA_MULTRET);
    return lua_gettop(l);
}

/* string.find(text, part): plain, 1-based, or nil. */
static int plain_find(lua_State *l)
{
    size_t n, m;
    const char *s = luaL_checklstring(l, 1, &n), *part = luaL_checklstring(l, 2, &m);
    az_extend_spend(l, (int64_t)(n / BYTES_AT_ONCE));
    ptrdiff_t at = az_sv_find(az_sv_make(s, n), az_sv_make(part, m));
    if (at < 0)
        return lua_pushnil(l), 1;
    lua_pushinteger(l, (lua_Integer)at + 1);
    lua_pushinteger(l, (lua_Integer)at + (lua_Integer)m);
    return 2;
}

/* a < b, one step and the bytes of both. Upvalue: the script's own comparison, or nil. */
static int less_counted(lua_State *l)
{
    az_extend_spend(l, 1 + texts(l));
    if (lua_isnil(l, lua_upvalueindex(1))) {
        lua_pushboolean(l, lua_compare(l, 1, 2, LUA_OPLT));
        return 1;
    }
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, 1);
    return 1;
}

/* table.sort(list [, comparison]): every comparison counts. Upvalue: the function. */
static int sort_list(lua_State *l)
{
    luaL_checktype(l, 1, LUA_TTABLE);
    if (!lua_isnoneornil(l, 2))
        luaL_checktype(l, 2, LUA_TFUNCTION);
    lua_settop(l, 2);
    lua_pushcclosure(l, less_counted, 1);
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_call(l, 2, 0);
    return 0;
}

static void remove_names(lua_State *l, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lua_pushnil(l);
        lua_setfield(l, -2, names[i]);
    }
    lua_pop(l, 1);
}

/* Libraries without files, processes, code from text or a way to catch the limits. */
void az_extend_libraries(lua_State *l)
{
    static const luaL_Reg libraries[] = { { LUA_GNAME, luaopen_base },
                                          { LUA_TABLIBNAME, luaopen_table },
                                          { LUA_STRLIBNAME, luaopen_string },
                                          { LUA_MATHLIBNAME, luaopen_math },
                                          { LUA_UTF8LIBNAME, luaopen_utf8 } };
    static const char *const gone[] = { "dofile",  "loadfile",    "load",   "print",
                                        "warn",    "pcall",       "xpcall", "collectgarbage",
                                        "require", "setmetatable" };
    /* string.dump returns code; the pattern functions search without counting instructions */
    static const char *const text[] = { "dump", "gsub", "gmatch", "match" };
    for (size_t i = 0; i < AZ_LENGTH(libraries); i++) {
        luaL_requiref(l, libraries[i].name, libraries[i].func, 1);
        lua_pop(l, 1);
    }
    lua_pushglobaltable(l);
    remove_names(l, gone, AZ_LENGTH(gone));
    lua_getglobal(l, LUA_STRLIBNAME);
    remove_names(l, text, AZ_LENGTH(text));
    for (size_t i = 0; i < AZ_LENGTH(counted); i++) {
        lua_getglobal(l, counted[i].library);
        lua_getfield(l, -1, counted[i].name);
        lua_pushinteger(l, counted[i].work);
        lua_pushcclosure(l, call_counted, 2);
        lua_setfield(l, -2, counted[i].name);
        lua_pop(l, 1);
    }
    lua_getglobal(l, LUA_STRLIBNAME);
    lua_pushcfunction(l, plain_find);
    lua_setfield(l, -2, "find");
    lua_getglobal(l, LUA_TABLIBNAME);
    lua_getfield(l, -1, "sort");
    lua_pushcclosure(l, sort_list, 1);
    lua_setfield(l, -2, "sort");
    lua_pushliteral(l, ""); /* what all texts share is not the script's to change */
    if (lua_getmetatable(l, -1)) {
        lua_pushboolean(l, false);
        lua_setfield(l, -2, "__metatable");
    }
    lua_settop(l, 1);
}
