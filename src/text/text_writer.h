/* JSON values in a text made piece by piece (az_text_add, base/vec.h): nothing is added after a
 * failure, and the caller checks az_vec_error once, at the end. Tables do the same
 * (document/table.h). */
#ifndef AZ_TEXT_TEXT_WRITER_H
#define AZ_TEXT_TEXT_WRITER_H

#include "base/vec.h"

void az_text_quoted(struct az_vec_char *to, struct az_sv s); /* as a JSON string */
void az_text_number(struct az_vec_char *to, double x);       /* as in JSON; NaN, infinity: null */

#endif
