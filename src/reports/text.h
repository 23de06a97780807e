/* The two parts of the text report. Private to the room. */
#ifndef AZ_REPORTS_TEXT_H
#define AZ_REPORTS_TEXT_H

#include "results/document.h"

/* Where text goes, and what it needs on the way. `error` keeps the first failure. */
struct az_textout {
    struct az_vec_char *out;
    struct az_arena *scratch;
    bool color;
    int error;
};
void az_textout_put(struct az_textout *o, struct az_sv s);
void az_textout_pad(struct az_textout *o, size_t columns);
/* One line with its newline; bad UTF-8 and control bytes but tab and newline are cleaned. */
void az_textout_line(struct az_textout *o, struct az_sv s);

/* Readable summary: tables of AZ_TABLE_SUMMARY; those of the classic block only where
 * `with_classic`. */
void az_text_summary(struct az_textout *o, const struct az_document *doc, bool with_classic);

/* The verdict of gates: the worst results, one line each; `all`: every one. */
void az_text_verdict(struct az_textout *o, const struct az_document *doc, bool all);

/* A table by its own form. */
void az_text_form(struct az_textout *o, const struct az_table *t);

#endif
