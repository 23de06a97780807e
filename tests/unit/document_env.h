/* What tests of tables share: memory, an arena, a document; setup and teardown, which holds that
 * all memory is given back. */
#ifndef AZ_UNIT_DOCUMENT_ENV_H
#define AZ_UNIT_DOCUMENT_ENV_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/document.h"

struct env {
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
};

static int setup(void **state)
{
    static struct env e;
    az_mem_init(&e.mem, 0);
    az_arena_init(&e.arena, &e.mem);
    az_document_init(&e.doc, &e.arena);
    *state = &e;
    return 0;
}

static int teardown(void **state)
{
    struct env *e = *state;
    az_document_release(&e->doc);
    az_arena_release(&e->arena);
    return e->mem.used == 0 ? 0 : -1;
}

#endif
