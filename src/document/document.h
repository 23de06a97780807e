/* A document: all that is reported of one input (or of a comparison): tables in order, charts over
 * them, findings are a table like any other. Writers see this and nothing else. */
#ifndef AZ_DOCUMENT_DOCUMENT_H
#define AZ_DOCUMENT_DOCUMENT_H

#include "base/diag.h"
#include "document/rows.h"

enum az_chart_kind {
    AZ_CHART_STACKED_COLUMN, /* one stack per row; series = y columns */
    AZ_CHART_STACKED_BAR,
    AZ_CHART_PIE, /* share of one y column by x */
    AZ_CHART_BAR,
    AZ_CHART_COLUMN, /* histogram: x = bin start */
    AZ_CHART_LINE,
    AZ_CHART_SCATTER_LOG, /* both axes logarithmic; y[0] = points, further columns = lines (roofs)
                           */
    AZ_CHART_WATERFALL,   /* x = label, y[0] = signed change (of totals: the level), y[1] = boolean
                             column "total" */
    AZ_CHART_HEAT,  /* x = row label, y = numeric columns; colors diverge around the median of each
                       column */
    AZ_CHART_TREND, /* x = run label, y = value, median, low, high, y[4] = text column: non-empty
                       cells are marks */
    AZ_CHART_LIMITS /* x = label, y = change (positive: worse), low and high of its interval, limit
                       (all but the first may be skipped); then text columns: state ("fail", ...),
                       what label belongs to, the result in words. Cells may be empty */
};

struct az_chart {
    enum az_chart_kind kind;
    struct az_sv table; /* id of the table with the data */
    struct az_sv title, x_title, y_title;
    struct az_sv x; /* column names */
    struct az_vec_sv y;
    size_t max_rows; /* first rows only; 0: all (a writer may truncate and must report it) */
    /* What a writer may use if it can: */
    /* Values of x that add up to the whole, to be drawn as one stack; NULL: none. */
    const struct az_sv *parts;
    size_t n_parts;
    /* With parts: column with the names of several stacks; empty: there is one. */
    struct az_sv stack;
    struct az_sv size; /* scatter: column that the area of the dots shows; empty: none */
    bool small;        /* one of several of a kind, which are drawn side by side */
};
struct az_gate_verdict;
struct az_claims;
struct az_changes;
struct az_tracks;
struct az_flame;
struct az_owned;
struct az_schema_index;
AZ_VEC(struct az_chart, az_charts);
AZ_VEC(struct az_table *, az_table_list);

struct az_document {
    struct az_sv title; /* heading; empty: none (title null in a config) */
    bool no_heading;
    struct az_sv input;          /* path as given, for readers */
    struct az_sv format;         /* "nsys-sqlite" */
    struct az_table_list tables; /* in report order; coverage and facts last */
    struct az_charts charts;
    /* Classic text: lines before the heading (the iteration-count warning). */
    struct az_vec_sv preface;
    struct az_vec_sv epilogue; /* classic text: lines after the last table */
    bool classic;              /* has a classic block */
    /* What is drawn and no table reads (document/tracks.h, document/flame.h); NULL: nothing. They
     * are made where a report draws them (az_report.draws), and released with the document. */
    const struct az_tracks *tracks;
    const struct az_flame *flame;
    /* Tables of events for a database writer, made row by row; not among `tables`. NULL: none;
     * where a report needs them (az_report.events). */
    const struct az_table_list *events;
    struct az_owned *kept;               /* released with the document */
    const struct az_schema_index *names; /* of columns; made with the first table */
    struct az_arena *arena;
    struct az_mem *mem;
    /* how writers are to behave */
    bool text_full;      /* text: the main tables, not only the classic block or first screen */
    bool text_all;       /* text: with text_full, every table */
    bool verdict_first;  /* text: the verdict before the classic block */
    size_t text_rows;    /* rows a table in the text summary; 0: all */
    size_t text_columns; /* of a line of it */
    int64_t origin_ns; /* of the trace's first event: readers are shown starts after it; -1: none */
    size_t xlsx_rows;  /* 10,000; 0: all */
    size_t html_rows;  /* 1,000; 0: all */
    struct az_sv sheets_note; /* how to get the tables without a sheet; empty: all have one */
    struct az_sv schema;      /* result schema version */
    const struct az_changes *changes; /* of a comparison: one a variant; NULL: none */
    struct az_claims *claims;         /* the verdict as data (document/claims.h); NULL: none */
    /* Gates: what the writers of verdicts (JUnit, GitHub, ...) render; NULL: none. Borrowed. */
    const struct az_gate_verdict *verdict;
};

void az_document_init(struct az_document *d, struct az_arena *arena);
void az_document_release(struct az_document *d); /* frees the tables too */
/* Deep copy, texts too, into dst, which is initialized with an arena of its own and empty: it
 * outlives what src borrows from (traces, options). Equal texts of cells are stored once. On
 * failure dst has a part and can be released. */
int az_document_copy(struct az_document *dst, const struct az_document *src) AZ_MUST_USE;
/* The same of one table, after those that dst has; an empty one is skipped as by az_document_add.
 */
int az_document_copy_table(struct az_document *dst, const struct az_table *t) AZ_MUST_USE;
/* Takes ownership of the table (also when it fails: then it is freed). An empty table without
 * AZ_TABLE_KEEP_EMPTY is freed and skipped. Rows of a table that is made when it is read are stored
 * here if the table is a summary; those of charts by a writer. */
int az_document_add(struct az_document *d, struct az_table *t) AZ_MUST_USE;
int az_document_chart(struct az_document *d, struct az_chart c) AZ_MUST_USE;
/* What tables are made of (az_table_make): release(what) is called with the document, after its
 * tables; on failure at once. */
int az_document_own(struct az_document *d, void *what, void (*release)(void *what)) AZ_MUST_USE;
/* For analyses that run side by side: a document like `whole`, still empty, with an arena that
 * lives as long as the whole, and its tables moved to the whole, in order. Errors as
 * az_document_add; what was not moved is released. */
int az_document_part(struct az_document *whole, struct az_arena *arena,
                     struct az_document *part) AZ_MUST_USE;
int az_document_join(struct az_document *whole, struct az_document *part) AZ_MUST_USE;
bool az_document_has(const struct az_document *d, struct az_sv id);
struct az_table *az_document_table(const struct az_document *d, const char *id);
/* The rule by which xlsx names sheets: at most 31 characters, no []:*?/\, no apostrophe at the
 * ends, unique without case; used[] are names in use. In the arena. */
struct az_sv az_sheet_name(struct az_arena *a, struct az_sv id, const struct az_vec_sv *used);

#endif
