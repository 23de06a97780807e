/* Contract of a report writer: a document into a file. Never sees a trace. */
#ifndef AZ_REPORTS_REPORT_H
#define AZ_REPORTS_REPORT_H

#include "document/document.h"

struct az_report {
    const char *name;      /* "xlsx" */
    const char *extension; /* ".xlsx"; "" for a directory of files */
    const char *help;
    bool draws;   /* shows what is drawn and no table reads (doc->tracks, doc->flame) */
    bool events;  /* has the events as well, if they are requested (doc->events) */
    bool verdict; /* renders the verdict of gates (doc->verdict) and nothing else: not written for
                     an input */
    /* Writes to `path` (a file; for csv a directory) through io/outfile. Messages in diag; 0 or an
     * error. The document is only read, except that texts may be cleaned into `scratch`. */
    int (*write)(const struct az_document *doc, const char *path, struct az_arena *scratch,
                 struct az_diag *diag) AZ_MUST_USE;
    /* The same bytes on several threads; NULL: it has only `write`. */
    int (*write_on)(const struct az_document *doc, const char *path, unsigned threads,
                    struct az_arena *scratch, struct az_diag *diag) AZ_MUST_USE;
};

/* One table alone as a CSV file; AZ_EEMPTY without a message if the document has none of that id.
 */
int az_csv_write_table(const struct az_document *doc, struct az_sv table, const char *path,
                       bool crlf, struct az_arena *scratch, struct az_diag *diag) AZ_MUST_USE;
/* A verdict as Markdown for a pull request or a step summary, below 60 KB. */
int az_gate_verdict_markdown(const struct az_document *doc, struct az_vec_char *out) AZ_MUST_USE;
/* GitHub annotations, as az_report_github writes them to a file. */
int az_gate_verdict_github(const struct az_document *doc, struct az_vec_char *out) AZ_MUST_USE;

/* The version of the workbook library that the program was built with. */
const char *az_xlsx_version(void);

/* Text goes to a buffer that the run prints in config order. `color`: ANSI colors. */
int az_text_write(const struct az_document *doc, struct az_vec_char *out, bool color) AZ_MUST_USE;

#endif
