/* The library: reads profiles as the program does, and hands the tables of its report over as rows
 * of cells.
 *
 *     struct analyzer *a;
 *     if (analyzer_open(&a) == 0 && analyzer_add_path(a, "trace.json") == 0 &&
 * analyzer_analyse(a) == 0) for (size_t i = 0; i < analyzer_table_count(a, 0); i++) ...
 * analyzer_table_at(a, 0, i) ... analyzer_close(a);
 *
 * Nothing is written to standard output or standard error, no signal handler is installed, no
 * environment variable is read, and the process is never ended. What is wrong is a returned value
 * (enum analyzer_error) and a message.
 *
 * Threads: a handle is used by one thread at a time, except where a function permits more;
 * different handles are independent. After analyzer_analyse everything that is only read
 * (inputs, tables, messages, rows of a cursor of one's own) may be read by several threads at once.
 *
 * Ownership: pointers that a function returns belong to the handle and live until
 * analyzer_close; the cells of a row live until the next row. Texts that are handed in are
 * copied. All texts are UTF-8 and end in a NUL byte. */
#ifndef ANALYZER_H
#define ANALYZER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANALYZER_API __attribute__((visibility("default")))

/* What functions that can fail return: 0, or one of these, which are negative. */
enum analyzer_error {
    ANALYZER_OK = 0,
    ANALYZER_ENOMEM = -1,     /* out of memory */
    ANALYZER_ELIMIT = -2,     /* the memory limit of an input (memory_limit) is reached */
    ANALYZER_EIO = -3,        /* a file cannot be opened or read */
    ANALYZER_EFORMAT = -4,    /* bytes are not what the format requires */
    ANALYZER_EUSAGE = -5,     /* a call in the wrong order, or with a wrong argument */
    ANALYZER_ECONFIG = -6,    /* the configuration, or an option, is wrong */
    ANALYZER_EEMPTY = -7,     /* nothing in it: 0 bytes, or no accelerator activity */
    ANALYZER_ECANCELLED = -8, /* the callback of analyzer_on_cancel requested the end */
    ANALYZER_ECHILD = -9,     /* a program that an input needs (nsys) is missing, or failed */
    ANALYZER_ERANGE = -10,    /* a number or an offset does not fit */
    ANALYZER_EINTERNAL = -11  /* a fault of the library */
};

/* How much a message matters. */
enum analyzer_severity {
    ANALYZER_NOTE = 0,
    ANALYZER_WARNING = 1,
    ANALYZER_ERROR = 2,
    ANALYZER_HINT = 3
};

/* What a cell holds. */
enum analyzer_type {
    ANALYZER_EMPTY = 0, /* no value, also where a number could not be determined */
    ANALYZER_TEXT = 1,
    ANALYZER_INT = 2,
    ANALYZER_REAL = 3, /* finite */
    ANALYZER_BOOL = 4
};

/* One cell of a row. Numbers are in the unit of their column. */
struct analyzer_cell {
    int32_t type;    /* enum analyzer_type; of a cell that is not empty that of its column, or an
                        integer in one of reals */
    uint32_t length; /* bytes of the text without its NUL; 0 for others */
    union {
        int64_t integer;  /* ANALYZER_INT; ANALYZER_BOOL: 0 or 1 */
        double real;      /* ANALYZER_REAL */
        const char *text; /* ANALYZER_TEXT; until the next row is read */
    } value;
};

struct analyzer;       /* one analysis: what goes in, and what came out */
struct analyzer_table; /* a table of an input; belongs to the handle */
struct analyzer_rows;  /* a cursor over the rows of a table */

/* Version of the library, as "0.1.0". Static. */
ANALYZER_API const char *analyzer_version(void);
/* Short text of an error value ("out of memory"), never NULL. Static. */
ANALYZER_API const char *analyzer_error_text(int error);

/* ---- what goes in ---- */
/* Makes a handle. *out is NULL on failure. ENOMEM. */
ANALYZER_API int analyzer_open(struct analyzer **out);
/* Frees the handle and all that belongs to it; its cursors are to be closed before. NULL is fine.
 */
ANALYZER_API void analyzer_close(struct analyzer *a);
/* Takes the inputs from a configuration file, which is read by analyzer_analyse. A handle has
 * one configuration, or paths. The program's own steps in it (outputs, comparison, gates, history,
 * replay) are skipped. EUSAGE, ENOMEM. */
ANALYZER_API int analyzer_config_file(struct analyzer *a, const char *path);
/* The same from `size` bytes of text; its paths are relative to the current folder, and no globs.
 * EUSAGE, ENOMEM. */
ANALYZER_API int analyzer_config_text(struct analyzer *a, const char *text, size_t size);
/* Adds a file, folder or glob, as operands of `analyzer run`: files that belong together become one
 * input. A saved result (JSON, workbook, database, folder of CSV files) is an input, too. EUSAGE,
 * ENOMEM. */
ANALYZER_API int analyzer_add_path(struct analyzer *a, const char *path);
/* Sets an option of all inputs, as --opt KEY=VALUE (num_of_iters, "5"). Whether key and value are
 * good is reported by analyzer_analyse (ECONFIG). EUSAGE, ENOMEM. */
ANALYZER_API int analyzer_set_option(struct analyzer *a, const char *key, const char *value);
/* Sets any value of the configuration, as --set PATH=VALUE ("memory_limit", "2G"; "jobs": threads,
 * 0 is one a processor). As analyzer_set_option. */
ANALYZER_API int analyzer_set_value(struct analyzer *a, const char *path, const char *value);
/* `asked` is called again and again while analyzer_analyse works, from any of its threads; once
 * it returns other than 0 the work ends with ECANCELLED. It must be quick and must not call this
 * library. NULL: never. Before analyzer_analyse.
 */
ANALYZER_API void analyzer_on_cancel(struct analyzer *a, int (*asked)(void *context),
                                     void *context);

/* ---- the work ---- */
/* Reads and analyses all inputs; once a handle. Inputs are independent: the first error is
 * returned, and the tables of the others, and what could be made of the one that failed, are there
 * all the same. Errors: any. */
ANALYZER_API int analyzer_analyse(struct analyzer *a);
/* Bytes of the inputs that have been read so far, and of all inputs on disk (0: not known yet);
 * what is compressed counts as it is on disk. From any thread, also during analyzer_analyse.
 * Either pointer may be NULL. */
ANALYZER_API void analyzer_progress(const struct analyzer *a, uint64_t *done, uint64_t *all);

/* ---- messages: in the order of the inputs ---- */
ANALYZER_API size_t analyzer_message_count(const struct analyzer *a);
/* "FILE:line: what happened 'subject' (what to do)"; NULL after the last. */
ANALYZER_API const char *analyzer_message_text(const struct analyzer *a, size_t i);
/* enum analyzer_severity; EUSAGE after the last. */
ANALYZER_API int analyzer_message_severity(const struct analyzer *a, size_t i);
/* Index of the input that it is about; -1: of none, or after the last. */
ANALYZER_API int64_t analyzer_message_input(const struct analyzer *a, size_t i);

/* ---- inputs: 0 before analyzer_analyse. Of an input or a table that does not exist the
 * result is NULL, 0 or EUSAGE.
 * ---- */
ANALYZER_API size_t analyzer_input_count(const struct analyzer *a);
/* Its title in the configuration, or made from its file name. */
ANALYZER_API const char *analyzer_input_title(const struct analyzer *a, size_t input);
/* Name of its format ("pytorch"); "" if it was not recognized. */
ANALYZER_API const char *analyzer_input_format(const struct analyzer *a, size_t input);
/* 0, or why it has failed. */
ANALYZER_API int analyzer_input_error(const struct analyzer *a, size_t input);

/* ---- tables: those of the reports in the CSV format, in their order ---- */
ANALYZER_API size_t analyzer_table_count(const struct analyzer *a, size_t input);
ANALYZER_API const struct analyzer_table *analyzer_table_at(const struct analyzer *a, size_t input,
                                                            size_t i);
/* By its id; NULL: the input has no such table. */
ANALYZER_API const struct analyzer_table *analyzer_table_find(const struct analyzer *a,
                                                              size_t input, const char *id);
/* Its id ("kern_sum"), which is also the name of its CSV file. */
ANALYZER_API const char *analyzer_table_id(const struct analyzer_table *t);
/* Its title, for readers. */
ANALYZER_API const char *analyzer_table_title(const struct analyzer_table *t);
ANALYZER_API size_t analyzer_table_columns(const struct analyzer_table *t);
ANALYZER_API size_t analyzer_table_rows(const struct analyzer_table *t);
/* Header of a column, as in the CSV file. NULL after the last. */
ANALYZER_API const char *analyzer_column_name(const struct analyzer_table *t, size_t column);
/* Unit of its numbers: ps ns us ms s, B KB MB GB, %, FLOP GFLOP, GB/s TB/s, TFLOP/s, FLOP/B, 1/s;
 * "" for texts, counts, ratios and numbers that are names. NULL after the last. */
ANALYZER_API const char *analyzer_column_unit(const struct analyzer_table *t, size_t column);
/* enum analyzer_type of its cells; EUSAGE after the last. */
ANALYZER_API int analyzer_column_type(const struct analyzer_table *t, size_t column);

/* ---- rows ---- */
/* Makes a cursor before the first row. It belongs to the caller (analyzer_rows_close); several
 * may be open on one table, also in several threads. *out is NULL on failure. EUSAGE (t is NULL),
 * ENOMEM. */
ANALYZER_API int analyzer_rows_open(const struct analyzer_table *t, struct analyzer_rows **out);
/* Cells of the next row, one a column, in *cells until the next call: 1; 0 after the last row,
 * where *cells is NULL; negative on failure (ENOMEM, ELIMIT). */
ANALYZER_API int analyzer_rows_next(struct analyzer_rows *r, const struct analyzer_cell **cells);
/* Frees the cursor. NULL is fine. */
ANALYZER_API void analyzer_rows_close(struct analyzer_rows *r);

/* ---- columns: a table, or the result of a statement, as arrays in the layout of Apache Arrow.
 * They belong to the caller (analyzer_columns_close) and outlive the handle. ---- */
struct analyzer_columns;
struct analyzer_column {
    const char *name, *unit; /* as analyzer_column_name and analyzer_column_unit; of a statement's
                                result the unit is "" */
    int32_t type;            /* ANALYZER_TEXT, ANALYZER_INT, ANALYZER_REAL or ANALYZER_BOOL */
    int32_t reserved;
    int64_t nulls;          /* rows without a value; they are 0, NaN or "" in `values` */
    const uint8_t *valid;   /* bit i % 8 of byte i / 8: row i has a value; NULL if nulls is 0 */
    const void *values;     /* int64_t, double, uint8_t (booleans), or the bytes of all texts */
    const int64_t *offsets; /* texts: row i is the bytes offsets[i] to offsets[i + 1]; else NULL */
};
/* Makes the columns of a table. *out is NULL on failure. EUSAGE (t is NULL), ENOMEM, ELIMIT. */
ANALYZER_API int analyzer_columns_open(const struct analyzer_table *t,
                                       struct analyzer_columns **out);
ANALYZER_API size_t analyzer_columns_count(const struct analyzer_columns *c);
ANALYZER_API size_t analyzer_columns_rows(const struct analyzer_columns *c);
/* Describes a column; its pointers live as long as the columns. EUSAGE. */
ANALYZER_API int analyzer_columns_at(const struct analyzer_columns *c, size_t i,
                                     struct analyzer_column *out);
/* The same columns as a stream of one batch by the Arrow C stream interface, without copying; the
 * unit is metadata of a field. The stream owns a share of the columns: either may be closed first.
 * ENOMEM, EUSAGE. */
struct ArrowArrayStream;
ANALYZER_API int analyzer_columns_arrow(struct analyzer_columns *c, struct ArrowArrayStream *out);
/* Frees the columns. NULL is fine. */
ANALYZER_API void analyzer_columns_close(struct analyzer_columns *c);

/* ---- after the analysis ---- */
/* Runs one read-only SQL statement over the inputs, as `analyzer query` does: events, and the
 * tables of reports by their ids. The first one reads the events of all inputs. At most 1,000,000
 * rows, 300 s, 2 GiB. *out is NULL on failure; what is wrong is a message. EUSAGE: an invalid
 * statement; ELIMIT; ENOMEM. By one thread at a time. */
ANALYZER_API int analyzer_query(struct analyzer *a, const char *sql, struct analyzer_columns **out);
/* The verdict of an input as {"verdict": {...}}, the object of schemas/result.schema.json. Of the
 * handle. EUSAGE, ENOMEM. By one thread at a time. */
ANALYZER_API int analyzer_verdict(struct analyzer *a, size_t input, const char **json);
/* Writes a report of an input: "html", "xlsx", "json", "csv" (a folder), ... as `analyzer list` has
 * them. For reports that draw (html), or have events (sqlite), the input is read again. EIO,
 * EUSAGE, ENOMEM; messages. By one thread at a time. */
ANALYZER_API int analyzer_report(struct analyzer *a, size_t input, const char *format,
                                 const char *path);
/* Compares an input of one handle with one of another, or the same, handle: *out is a handle whose
 * only input is the comparison ("compare_summary", "top_changes", ...); it borrows nothing. *out is
 * NULL on failure. EUSAGE, EEMPTY, ENOMEM. */
ANALYZER_API int analyzer_compare(const struct analyzer *baseline, size_t input,
                                  const struct analyzer *candidate, size_t other,
                                  struct analyzer **out);

#ifdef __cplusplus
}
#endif

#endif
