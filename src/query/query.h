/* SQL over what was read: the events and facts of sealed traces, and the tables of reports, as
 * virtual tables of SQLite (docs/query.md). Nothing is copied: a row is made when a statement reads
 * it, a report when one of its tables is first named.
 *
 *     az_query_open(&q, &source, &limits, diag)      one database in memory, no file
 *     az_query_run(q, sql, &sink, &rest, diag)       one statement; rows go to the sink
 *     az_query_close(q)
 *
 * The same tables for every format: kernels, copies, graphs, ops, calls, ranges, ... (columns.h),
 * then each table of the report under its id, its columns under their canonical ids
 * (docs/columns.md); a report's table that is called as one of the former has `report_` before its
 * id. `tables` and `columns` list them all. With several inputs the rows of all are in one table,
 * with the column `input`.
 *
 * A statement can only read: an authorizer rejects everything but SELECT, `PRAGMA table_info` and
 * the functions of SQLite that touch no file. Time, rows, memory and the length of a statement are
 * limited; the caller can interrupt. One thread at a time. */
#ifndef AZ_QUERY_QUERY_H
#define AZ_QUERY_QUERY_H

#include "base/cancel.h"
#include "document/document.h"
#include "model/options.h"
#include "model/trace.h"

struct az_query_input {
    struct az_sv title;                   /* unique among the inputs */
    struct az_sv format;                  /* "pytorch" */
    const struct az_trace *const *traces; /* sealed; n_traces 0: a saved result has none */
    size_t n_traces;
    const struct az_options *opts;
    struct az_arena *arena; /* facts live here, charged to mem */
    struct az_mem *mem;
};
struct az_query_source { /* all of it is borrowed and outlives the query */
    const struct az_query_input *inputs;
    size_t n;
    /* The report of an input; called once, when a table of it is named. NULL: it cannot be made,
     * *rc is the reason and a message is in the diag of the source. */
    const struct az_document *(*document)(void *ctx, size_t input, int *rc);
    void *ctx;
};

struct az_query_limits {     /* 0: none */
    int64_t rows;            /* of one statement's result */
    int64_t ms;              /* of one statement */
    int64_t bytes;           /* memory of SQLite, of the whole process */
    int64_t length;          /* bytes of one statement; 0: 1,000,000 */
    struct az_cancel cancel; /* polled while a statement runs */
    /* Called with the milliseconds that the statement may still run where nothing polls, inside
     * one function of SQL, and with 0 when it has ended; NULL: never. */
    void (*watch)(void *ctx, int64_t ms);
    void *watch_ctx;
};

/* One column of a result. */
struct az_query_column {
    struct az_sv name; /* as the statement calls it */
};
/* Receives a result, row by row. Cells live until the next call; texts are as in the files (not
 * trusted UTF-8). An error ends the statement and is returned. */
struct az_query_sink {
    int (*begin)(void *ctx, const struct az_query_column *columns, size_t n);
    int (*row)(void *ctx, const struct az_cell *cells, size_t n);
    int (*end)(void *ctx, bool cut); /* cut: the limit of rows ended it */
    void *ctx;
};

struct az_query;
/* AZ_ENOMEM; AZ_EINTERNAL with a message. */
int az_query_open(struct az_query **out, const struct az_query_source *source,
                  const struct az_query_limits *limits, struct az_diag *diag) AZ_MUST_USE;
void az_query_close(struct az_query *q);
/* Runs the first statement of sql; *rest becomes what is after it (NULL: it must be the only one).
 * A text without a statement is 0 without a call of the sink.
 *   AZ_EUSAGE  the statement is wrong, or does more than read
 *   AZ_ELIMIT  a limit, which the message names
 *   AZ_EINTR   interrupted
 *   others     of the sink, or of making a report */
int az_query_run(struct az_query *q, struct az_sv sql, const struct az_query_sink *sink,
                 struct az_sv *rest, struct az_diag *diag) AZ_MUST_USE;
/* The events of one name of a table of facts, grouped by some of its columns: these, then n,
 * sum_ns, min_ns, max_ns and mean_ns; the longest sum first. The result of GROUP BY, at about a
 * tenth of its time. No row: the table has no such name. The limits are not checked. */
#define AZ_QUERY_GROUP_COLUMNS 8
struct az_query_grouping {
    const char *table; /* "kernels" */
    struct az_sv name;
    const char *by[AZ_QUERY_GROUP_COLUMNS];
    size_t n_by;
    bool known; /* leaves out events of which none of the columns has a value */
};
int az_query_groups(struct az_query *q, const struct az_query_grouping *of,
                    const struct az_query_sink *sink) AZ_MUST_USE;
/* Changes the limits from the next statement on. */
void az_query_limit(struct az_query *q, const struct az_query_limits *limits);

/* The tables as documents have them: of the facts, and with `reports` of the reports, too: `tables`
 * and `columns` (static ids), made once. Borrowed. NULL: *rc is the reason. */
const struct az_table *az_query_tables(struct az_query *q, bool reports, int *rc);
const struct az_table *az_query_columns(struct az_query *q, bool reports, int *rc);

/* Does the text end a statement (a semicolon outside of texts and comments)? */
bool az_query_complete(const char *sql);
/* The tables of facts with their columns, types, units and meanings, for readers; without inputs.
 */
int az_query_describe(struct az_vec_char *out) AZ_MUST_USE;
/* "CREATE TABLE kernels(...)" of every table whose name meets the glob, units and meanings as
 * comments; empty: all. */
int az_query_schema(struct az_query *q, struct az_sv glob, struct az_vec_char *out) AZ_MUST_USE;

/* ---- export_events.c ---- */
/* Adds the tables of facts of one input to a document as tables that are made row by row
 * (doc->events); the input's traces live as long as the document. */
int az_query_add_events(struct az_document *doc, const struct az_query_input *input) AZ_MUST_USE;

/* ---- print.c: results as text for readers, CSV or JSON ---- */
enum az_query_form { AZ_QUERY_TEXT, AZ_QUERY_CSV, AZ_QUERY_JSON };
/* Where printed text goes; an error ends the statement. */
typedef int az_query_out(void *ctx, struct az_sv text);
struct az_query_printer;
/* *out is NULL on failure. With JSON every statement is one document of a line per row. */
int az_query_printer_new(struct az_query_printer **out, enum az_query_form form, az_query_out *put,
                         void *ctx) AZ_MUST_USE;
void az_query_printer_free(struct az_query_printer *p);
/* Text for a terminal of so many columns: names are shortened until a row fits, except in the last
 * column. 0, as at first: nothing is shortened. */
void az_query_printer_fit(struct az_query_printer *p, size_t columns);
struct az_query_sink az_query_printer_sink(struct az_query_printer *p);
/* Rows of the result printed last, and whether they were truncated. */
int64_t az_query_printer_rows(const struct az_query_printer *p, bool *cut);
/* Was any text shortened, which only text for a terminal is? */
bool az_query_printer_shortened(const struct az_query_printer *p);

#endif
