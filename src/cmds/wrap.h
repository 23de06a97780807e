/* Lines of commands that fit the terminal. */
#ifndef AZ_CMDS_WRAP_H
#define AZ_CMDS_WRAP_H

#include "base/utf8.h"

/* Columns of a line: as reports have them where standard output is a terminal or COLUMNS is set;
 * else without an end, so that a line of a pipe is a whole one. */
size_t az_wrap_width(void);
/* Appends a page of help, of at most 80 columns for any terminal: paragraphs are filled, a row
 * goes on below its second column. 0 or an error of memory. */
int az_wrap_page(struct az_vec_char *out, struct az_sv text) AZ_MUST_USE;

#endif
