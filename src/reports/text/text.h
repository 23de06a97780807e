/* The parts of the text report. Private to the room. */
#ifndef AZ_REPORTS_TEXT_TEXT_H
#define AZ_REPORTS_TEXT_TEXT_H

#include "document/document.h"
#include "document/summary_view.h"

/* Where text goes, and what it needs on the way. `error` is the first failure. */
struct az_textout {
    struct az_vec_char *out;
    struct az_arena *scratch;
    bool color;
    size_t columns;    /* of a line */
    int64_t origin_ns; /* of the document */
    int error;
};
void az_textout_put(struct az_textout *o, struct az_sv s);
void az_textout_pad(struct az_textout *o, size_t columns);
/* One line with its newline; bad UTF-8 and control bytes but tab and newline are cleaned. */
void az_textout_line(struct az_textout *o, struct az_sv s);
/* With an ANSI code, if there is one and colors are required. */
#define AZ_TEXT_BOLD   "1"
#define AZ_TEXT_DIM    "2"
#define AZ_TEXT_RED    "31"
#define AZ_TEXT_GREEN  "32"
#define AZ_TEXT_YELLOW "33"
void az_textout_colored(struct az_textout *o, const char *code, struct az_sv s);
/* Text broken at blanks to fit the width, after what the line has already (`used` columns); the
 * lines after the first are indented. A word longer than a line is truncated. */
void az_textout_wrapped(struct az_textout *o, struct az_sv s, size_t used, size_t indent);

/* Readable summary: the verdict, and the first screen or (text_full, or a document without a
 * screen) the tables of AZ_TABLE_SUMMARY; those of the classic block only where `with_classic`. */
void az_text_summary(struct az_textout *o, const struct az_document *doc, bool with_classic);
/* The verdict alone; nothing where there is none. */
void az_text_headline(struct az_textout *o, const struct az_document *doc);

/* A table as aligned columns: its first rows; part: as the first screen has it, else NULL. */
void az_text_table(struct az_textout *o, const struct az_table *t, size_t rows,
                   const struct az_screen_part *part);
/* Paths of regions, one row each: below the row that it is inside of, a path is an indent of two
 * blanks a row and the rest of its names. A text is empty without memory. */
void az_text_paths(struct az_textout *o, struct az_sv *path, size_t n);
/* The title of a table, and its id in parentheses: findings, commands and files name it by the id.
 */
void az_text_title(struct az_textout *o, struct az_sv title, struct az_sv id);
static inline struct az_sv az_text_title_of(const struct az_table *t)
{
    return t->title.n ? t->title : t->id;
}
/* "... 3 more rows"; nothing for 0. */
void az_text_more(struct az_textout *o, size_t rows);

/* A table of findings (columns `severity` and `rule`) as sentences: equal advice once. verdict:
 * table whose findings are not repeated; NULL: none. False: it is no such table. */
bool az_text_findings(struct az_textout *o, const struct az_table *t, size_t most,
                      const struct az_table *verdict);

/* The verdict of gates: the worst results, one line each; `all`: every one. */
void az_text_verdict(struct az_textout *o, const struct az_document *doc, bool all);

/* A table by its own form. */
void az_text_form(struct az_textout *o, const struct az_table *t);

#endif
