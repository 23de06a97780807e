/* Streaming JSON writer: keys in the order given, shortest exact numbers, UTF-8 cleaned. Writes to an az_outfile or a
 * character vector. */
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
};

void az_jsonw_init(struct az_jsonw *w, struct az_outfile *file, struct az_vec_char *text, int indent);
void az_jsonw_object(struct az_jsonw *w);
void az_jsonw_end_object(struct az_jsonw *w);
void az_jsonw_array(struct az_jsonw *w);
void az_jsonw_end_array(struct az_jsonw *w);
void az_jsonw_key(struct az_jsonw *w, const char *key);
void az_jsonw_keysv(struct az_jsonw *w, struct az_sv key);
void az_jsonw_text(struct az_jsonw *w, struct az_sv s);
void az_jsonw_i64(struct az_jsonw *w, int64_t x);
void az_jsonw_f64(struct az_jsonw *w, double x); /* NaN and infinities: null */
void az_jsonw_bool(struct az_jsonw *w, bool x);
void az_jsonw_null(struct az_jsonw *w);
/* Puts what follows on the line of its parent until the matching end (rows of tables). */
void az_jsonw_compact(struct az_jsonw *w, bool on);
int az_jsonw_finish(struct az_jsonw *w) AZ_MUST_USE;
/* JSON string literal with quotes, appended. */
int az_json_quote(struct az_vec_char *out, struct az_sv s) AZ_MUST_USE;

#endif
