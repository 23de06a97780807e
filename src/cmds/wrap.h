/* Lines of commands that fit the terminal. */
#ifndef AZ_CMDS_WRAP_H
#define AZ_CMDS_WRAP_H

#include "base/vec.h"

/* Columns of a line: as reports have them where standard output is a terminal or COLUMNS is set;
 * else without an end, so that a line of a pipe is a whole one. */
size_t az_wrap_width(void);
/* Appends the line with its newline, as it is where it fits; else its first `indent` bytes (whole
 * code points), then the rest, broken as reports break prose (text/line_break.h) and continued
 * below itself. 0 or an error of memory. */
int az_wrap_line(struct az_vec_char *out, struct az_sv line, size_t indent,
                 size_t width) AZ_MUST_USE;

#endif
