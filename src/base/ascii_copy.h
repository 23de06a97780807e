/* Copies of text that needs no care, as nearly all does: checked while it is copied. */
#ifndef AZ_BASE_ASCII_COPY_H
#define AZ_BASE_ASCII_COPY_H

#include "base/sv.h"

/* Copies a text that is printable ASCII without the characters a and b, with up to 16 bytes of room
 * after it; false: it is none, and there may be anything in `to`. */
bool az_copy_plain(struct az_sv text, char a, char b, char *to);

#endif
