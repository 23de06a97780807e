/* Private parts of this room. */
#ifndef AZ_EXTEND_INTERNAL_H
#define AZ_EXTEND_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>

#include "extend/extend.h"

struct az_extend {
    lua_State *l;
    struct az_mem *mem;
    size_t used;   /* bytes used by the script */
    int64_t left;  /* instructions */
    int64_t limit; /* of one call */
    const char *file;
    struct az_extend_categories categories;
    struct az_vec_sv models; /* operators */
    int64_t begun;           /* seconds of the thread when the call began */
    bool out_of_memory, out_of_budget, text_too_long, has_tree;
};
/* Calls what is on the stack under the limits; AZ_ECONFIG with a message. op: what it is about;
 * empty: nothing. */
int az_extend_call(struct az_extend *e, int args, int results, struct az_diag *diag,
                   struct az_sv op) AZ_MUST_USE;
/* Subtracts work done in C from the remaining instructions; raises when they are used up. */
void az_extend_spend(lua_State *l, int64_t instructions);
void az_extend_push(lua_State *l, struct az_sv s);
/* ---- libraries.c ---- */
/* Opens what a script may use. Runs protected; the stack above 1 is dropped. */
void az_extend_libraries(lua_State *l);

#endif
