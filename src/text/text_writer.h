/* A text made piece by piece that remembers its first error: nothing is added after one, and the
 * caller checks `error` once, at the end. Tables do the same (document/table.h); a writer of more
 * than three pieces should, too, instead of a check after each piece. */
#ifndef AZ_TEXT_TEXT_WRITER_H
#define AZ_TEXT_TEXT_WRITER_H

#include "base/vec.h"

struct az_text_writer {
    struct az_vec_char *to;
    int error; /* 0, or the first one */
};
void az_write_text(struct az_text_writer *w, struct az_sv s);
void az_write_quoted(struct az_text_writer *w, struct az_sv s); /* as a JSON string */
void az_write_number(struct az_text_writer *w, double x); /* as in JSON; NaN, infinity: null */
#define az_write_format(w, ...)                                                                    \
    ((void)((w)->error = (w)->error ? (w)->error : az_text_printf((w)->to, __VA_ARGS__)))

#endif
