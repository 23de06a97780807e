/* The verdict of a report: the table `verdict`, first in a document, of three to eight lines with
 * what ran, where the time went, the estimated savings, and the state of the data. It is created in
 * one place per kind of document; writers only lay it out.
 *
 *   MI300X, 1 rank, 1 step of 908.3 ms (step ranges) (pytorch)                    AZ_LINE_WHAT
 *   GPU time  36.0% compute, ... 63.5% idle                                       AZ_LINE_TIME
 *   62.1%     GPU idle during a blocking copy: 4 gaps, in hipMemcpyWithStream     AZ_LINE_FINDING
 *   Data      4,315 device events, all linked; no data dropped                    AZ_LINE_TRUST
 *
 * Not to be confused with the verdict of gates (regression/verdict.h). */
#ifndef AZ_DOCUMENT_VERDICT_TABLE_H
#define AZ_DOCUMENT_VERDICT_TABLE_H

#include "document/document.h"

enum az_line_kind {
    AZ_LINE_WHAT,    /* the first; of a comparison: which side is faster, and by how much */
    AZ_LINE_TIME,    /* the account of time; of a comparison: its parts */
    AZ_LINE_FINDING, /* one each, most recoverable time first; of a comparison: a cause */
    AZ_LINE_NOTE,    /* "nothing above 1 % of the time stands out" */
    AZ_LINE_TRUST,
    AZ_LINES
};
struct az_line {
    enum az_line_kind kind;
    struct az_sv label;    /* "time", "-62.1 %", "trust"; empty for the first line */
    struct az_sv text;     /* without the evidence */
    struct az_sv rule;     /* of a finding: its name in the table `findings` */
    struct az_sv severity; /* "error", "warning", "info"; empty: none */
    struct az_sv evidence; /* id of the table that proves it; empty: none */
    struct az_sv row;      /* the row there */
    int64_t ns;            /* recoverable time, or the whole for AZ_LINE_WHAT; -1: none */
    bool change;           /* ns is a change, which may be of either sign, and -1 is one */
    double percent;        /* share of the whole; NaN: none */
};

/* The table without rows; NULL on failure (the arena has the reason). */
struct az_table *az_headline_table(struct az_arena *arena);
/* Adds a row. Texts are copied into the table's arena. */
void az_headline_put(struct az_table *t, const struct az_line *line);
/* Puts it before all other tables; takes ownership as az_document_add does. */
int az_headline_add(struct az_document *d, struct az_table *t) AZ_MUST_USE;

/* For writers: the verdict of a document, NULL if it has none, and its lines; texts are as
 * long-lived as the table. */
const struct az_table *az_headline_of(const struct az_document *d);
struct az_sv az_line_kind_text(enum az_line_kind k); /* "what", "time", ...; static */
struct az_line az_headline_line(const struct az_table *t, size_t row);

/* Is it proved by the same table as the line before, the steps of a comparison? It is named once.
 */
static inline bool az_headline_repeats(const struct az_line *before, const struct az_line *l)
{
    return az_sv_starts(l->evidence, AZ_SV("waterfall")) && az_sv_eq(before->evidence, l->evidence);
}

#endif
