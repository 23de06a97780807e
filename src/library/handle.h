/* The handle of the library and what its parts share. Private to the room. */
#ifndef AZ_LIBRARY_HANDLE_H
#define AZ_LIBRARY_HANDLE_H

#include "analyzer.h"

#include "run/run.h"

struct az_library_query; /* query.c */

struct analyzer_table {
    const struct az_table *t;
    const char *id, *title;
    const char **names; /* of its columns */
};

struct library_input {
    struct az_result res;
    const char *title, *format;
    int error;
    struct analyzer_table *tables;
    size_t n_tables;
};

struct library_message {
    const char *text;
    enum az_severity severity;
    int64_t input;
};
AZ_VEC(struct library_message, library_messages);
AZ_VEC(const char *, library_paths);

struct analyzer {
    struct az_arena arena;
    struct az_overrides over;
    struct library_paths paths;
    const char *file;    /* configuration; NULL: none */
    struct az_sv config; /* its text; p is NULL: none */
    struct az_config conf;
    struct az_plan plan;
    struct az_diag diag;
    struct library_input *inputs;
    size_t n_inputs; /* whose result is there */
    struct library_messages messages;
    struct az_library_query *query; /* NULL: no statement yet */
    int (*is_requested)(void *context);
    void *context;
    bool done;
    _Atomic uint64_t before, now,
        all; /* bytes: of the inputs that are done, of the one at hand, of all on disk */
};

/* ---- library.c ---- */
/* Threads of one analysis. */
unsigned az_library_threads(const struct analyzer *a);
/* Adds the messages of a diag to those of the handle; input -1: of none. */
int az_library_messages(struct analyzer *a, const struct az_diag *d, int64_t input) AZ_MUST_USE;
/* Describes the tables of the input's document. */
int az_library_tables(struct analyzer *a, struct library_input *in) AZ_MUST_USE;
/* NULL: there is none. */
const struct library_input *az_library_input(const struct analyzer *a, size_t i);
/* A text as reports have it: invalid UTF-8 and control bytes are replaced. NULL: no memory. */
const char *az_library_text(struct az_arena *a, struct az_sv s);

/* ---- query.c ---- */
void az_library_query_close(struct analyzer *a);

/* ---- columns.c: a set of columns, filled row by row ---- */
int az_columns_new(struct analyzer_columns **out, size_t n) AZ_MUST_USE;
/* Name and unit of a column, copied. declared: its type where it has no values; AZ_EMPTY: unknown.
 */
int az_columns_name(struct analyzer_columns *c, size_t i, struct az_sv name, const char *unit,
                    enum az_cell_type declared) AZ_MUST_USE;
/* One row, one cell per column. */
int az_columns_row(struct analyzer_columns *c, const struct az_cell *cells) AZ_MUST_USE;
/* After the last row: types, validity, offsets. */
int az_columns_finish(struct analyzer_columns *c) AZ_MUST_USE;
/* One more owner; analyzer_columns_close removes one. */
void az_columns_share(struct analyzer_columns *c);

#endif
