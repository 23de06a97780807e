/* Where prose is broken to fit a width. */
#ifndef AZ_TEXT_LINE_BREAK_H
#define AZ_TEXT_LINE_BREAK_H

#include "base/sv.h"

/* Bytes of the text that fit `columns`: up to the last blanks that do, else to the first, else all
 * of it; no blank is at the end. A number stays with its unit. */
size_t az_line_break(struct az_sv s, size_t columns);

#endif
