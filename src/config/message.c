/* Messages about a place in a configuration. */
#include "config/private.h"

#include <stdarg.h>
#include <stdio.h>

static void load_message(struct az_loader *l, enum az_severity s, const struct az_node *at,
                         const char *fmt, va_list ap)
{
    struct az_vec_char text;
    va_list again;
    va_copy(again, ap);
    az_vec_init(&text, NULL);
    int n = vsnprintf(NULL, 0, fmt, ap);
    int rc = n < 0 ? AZ_EINTERNAL : az_vec_reserve(&text, (size_t)n + 1);
    if (rc == 0) {
        vsnprintf(text.v, (size_t)n + 1, fmt, again);
        az_diag_add(l->diag, s, az_node_where(at, l->a), "%s", text.v);
    } else {
        l->fatal = AZ_ENOMEM;
    }
    az_vec_release(&text);
    va_end(again);
}

void az_load_error(struct az_loader *l, const struct az_node *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    load_message(l, AZ_ERROR, at, fmt, ap);
    va_end(ap);
}

void az_load_warn(struct az_loader *l, const struct az_node *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    load_message(l, AZ_WARNING, at, fmt, ap);
    va_end(ap);
}
