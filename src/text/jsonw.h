/* Streaming JSON writer: keys in the order of the calls, shortest exact numbers, UTF-8 cleaned.
 * Writes to an az_outfile or a character vector. */
#ifndef AZ_TEXT_JSONW_H
#define AZ_TEXT_JSONW_H

#include "base/vec.h"
#include "io/outfile.h"

struct az_jsonw {
    struct az_outfile *file; /* one of the two */
    struct az_vec_char *text;
    int indent; /* spaces a level; 0: one line */
    unsigned depth;
    bool need_comma, after_key;
    int error;
    bool compact;                    /* containers opened now go on one line */
    uint64_t is_object, on_one_line; /* of the open containers: bit d for depth d */
};

/* Misuse (a value without its key, an end that does not match, more than 63 levels) is AZ_EINTERNAL
 * at finish. With indent 0 there are no blanks at all; in indented files a compact container has
 * one after each comma and colon. */
void az_jsonw_init(struct az_jsonw *w, struct az_outfile *file, struct az_vec_char *text,
                   int indent);
void az_jsonw_object(struct az_jsonw *w);
void az_jsonw_end_object(struct az_jsonw *w);
void az_jsonw_array(struct az_jsonw *w);
void az_jsonw_end_array(struct az_jsonw *w);
void az_jsonw_key(struct az_jsonw *w, const char *key);
void az_jsonw_keysv(struct az_jsonw *w, struct az_sv key);
void az_jsonw_text(struct az_jsonw *w, struct az_sv s);
void az_jsonw_i64(struct az_jsonw *w, int64_t x);
void az_jsonw_f64(struct az_jsonw *w, double x); /* NaN and infinities: null */
/* A value that is JSON already: a number in another form, an object stored as text. Not checked. */
void az_jsonw_raw(struct az_jsonw *w, struct az_sv value);
void az_jsonw_bool(struct az_jsonw *w, bool x);
void az_jsonw_null(struct az_jsonw *w);
/* on: containers begun from now on are written on one line (rows of tables), until on = false.
 * Called as the first thing inside a container it puts that container's own values on its line as
 * well. */
void az_jsonw_compact(struct az_jsonw *w, bool on);
/* 0 or the first error. Ends a file with a line break (text gets none). Errors of the file itself
 * are commit's. */
int az_jsonw_finish(struct az_jsonw *w) AZ_MUST_USE;
/* JSON string literal with quotes, appended; bad UTF-8 becomes U+FFFD. */
int az_json_quote(struct az_vec_char *out, struct az_sv s) AZ_MUST_USE;

#endif
