/* Who may end work before it is done: a predicate that long work evaluates repeatedly, from any of
 * its threads. */
#ifndef AZ_BASE_CANCEL_H
#define AZ_BASE_CANCEL_H

#include <stdbool.h>
#include <stddef.h>

struct az_cancel {
    bool (*is_requested)(void *ctx); /* is it to end? From any thread, quick; NULL: never */
    void *ctx;
};
static inline bool az_cancelled(const struct az_cancel *c)
{
    return c && c->is_requested && c->is_requested(c->ctx);
}

#endif
