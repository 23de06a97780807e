/* What vsnprintf would write (but -0.0 is 0.0), for the formats that sentences and names are made
 * with, at a small part of its cost: a report has some thousand such texts. */
#ifndef AZ_BASE_PRINT_H
#define AZ_BASE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* The text's length, with its NUL in out[room]; -1: let vsnprintf do so, for another format, or
 * because it does not fit. *ap is used up. */
int az_print_plain(char *out, size_t room, const char *fmt, va_list *ap);

#endif
