/* What the tables of facts are made of: a table is a list of segments (one trace's events of one
 * kind, or what a function counts for a trace), a column is a function from a row to a cell.
 * Private to the room, but for what writes events into a database.
 *
 * Ids: the rows of a table are numbered from 1 through all its segments, in the order of inputs,
 * traces and kinds; columns that lead to another table have its ids. */
#ifndef AZ_QUERY_COLUMNS_H
#define AZ_QUERY_COLUMNS_H

#include "base/intern.h"
#include "facts/steps.h"
#include "query/query.h"

struct az_facts_of; /* all tables of a query: tables.c */
struct az_query_table;

/* Facts of one trace, made when a column first needs them. */
struct az_query_trace {
    struct az_facts_of *of;
    size_t input, index; /* of the input; of the trace in it */
    size_t at;           /* of all traces of all inputs */
    const struct az_trace *t;
    struct az_job *job;
    /* private to facts.c: NULL until they are made */
    const struct az_link *link;
    const struct az_steps *steps;
    uint32_t *node[AZ_KIND_COUNT]; /* device event -> node of the call tree; AZ_NO_ROW */
    uint32_t *number;              /* name id -> number over all traces; NULL: the same */
    int64_t first[AZ_KIND_COUNT];  /* id of the first event; 0: not computed, -1: there is none */
};

struct az_query_seg {
    const struct az_query_table *table;
    struct az_query_trace *tr;
    enum az_kind kind;         /* AZ_KIND_COUNT: no events */
    const struct az_events *e; /* NULL: no events */
    int64_t first;             /* id of its first row */
    size_t n;
    const void *own; /* what `count` made */
};

struct az_query_row {
    struct az_query_seg *seg;
    size_t row; /* of the events, or of what `count` counted */
};

enum {
    AZ_QC_ID = 1,    /* the row's own number */
    AZ_QC_START = 2, /* rises with the row inside a segment */
    AZ_QC_INDEX = 4  /* an index of rows by this number is made when a statement can use it */
};
struct az_query_table_column {
    const char *name;
    enum az_cell_type type;
    enum az_unit unit;
    unsigned flags; /* AZ_QC_* */
    const char *help;
    void (*get)(const struct az_query_row *r, struct az_cell *out); /* leaves AZ_EMPTY: NULL */
    uint32_t (*name_of)(const struct az_query_row *r); /* instead: a name id of the trace */
};

/* The rows of a table's columns: a cell by a function; a name; a name that has an index. */
#define AZ_QUERY_COL(name, type, unit, flags, help, get)                                           \
    {                                                                                              \
        name, AZ_##type, AZ_UNIT_##unit, flags, help, get, NULL                                    \
    }
#define AZ_QUERY_NAME(name, help, of)                                                              \
    {                                                                                              \
        name, AZ_TEXT, AZ_UNIT_NONE, 0, help, NULL, of                                             \
    }
#define AZ_QUERY_KEYED(name, help, of)                                                             \
    {                                                                                              \
        name, AZ_TEXT, AZ_UNIT_NONE, AZ_QC_INDEX, help, NULL, of                                   \
    }
/* The function of a column whose cell is an expression over the row `r`. */
#define AZ_QUERY_GETTER(name, put, value)                                                          \
    static void name(const struct az_query_row *r, struct az_cell *out) { put(out, value); }

#define AZ_QUERY_KINDS 4
struct az_query_table {
    const char *name, *help;
    const struct az_query_table_column *columns;
    size_t n_columns;
    enum az_kind kinds[AZ_QUERY_KINDS]; /* a segment each */
    size_t n_kinds;                     /* 0: in `count` */
    /* Rows of a trace; *own is handed to the columns. Negative on failure. */
    int64_t (*count)(struct az_query_trace *tr, const void **own);
};

/* All tables, in the order in which they are listed. */
extern const struct az_query_table *const az_query_table_list[];
extern const size_t az_query_n_tables;
extern const struct az_query_table az_query_kernels, az_query_copies, az_query_graphs, az_query_ops,
    az_query_calls, az_query_os_calls, az_query_ranges, az_query_device_ranges, az_query_frames,
    az_query_syncs, az_query_overheads, az_query_allocs, az_query_captured;
extern const struct az_query_table az_query_steps, az_query_lanes, az_query_devices, az_query_ranks,
    az_query_args, az_query_counters, az_query_launches, az_query_gaps;

/* ---- columns that several tables have (events.c) ---- */
void az_query_text(struct az_cell *out, struct az_sv s); /* empty: NULL */
void az_query_int(struct az_cell *out, int64_t x);
void az_query_get_id(const struct az_query_row *r, struct az_cell *out);
void az_query_get_input(const struct az_query_row *r, struct az_cell *out);
void az_query_get_rank(const struct az_query_row *r, struct az_cell *out);
/* Lane of an event. */
static inline const struct az_lane *az_query_lane(const struct az_query_row *r)
{
    return &r->seg->tr->t->lanes.v[r->seg->e->lane[r->row]];
}

/* ---- facts.c ---- */
/* Row of AZ_CALL that launched a device event; AZ_NO_ROW: none. */
uint32_t az_query_call_of(struct az_query_trace *tr, enum az_kind k, size_t row);
/* Row of AZ_HOST_OP at or above the launch of a device event. */
uint32_t az_query_op_of(struct az_query_trace *tr, enum az_kind k, size_t row);
/* Steps of the trace; NULL: an error, which the query remembers. */
const struct az_steps *az_query_steps_of(struct az_query_trace *tr);
/* Step that begins last at or before a time and has not ended; NULL: none. host: by the marks. */
const struct az_step *az_query_step_at(struct az_query_trace *tr, int64_t ticks, bool host);
/* Remembers an error; statements end with it. */
void az_query_fail(struct az_query_trace *tr, int rc);

/* ---- tables.c ---- */
/* The tables of all inputs; *out is NULL on failure. */
int az_facts_of_new(struct az_facts_of **out, const struct az_query_source *source) AZ_MUST_USE;
/* Called with true before rows are made, which may be longer than the limit of a statement, and
 * with false after that. */
void az_facts_of_on_work(struct az_facts_of *f, void (*work)(void *ctx, bool begins), void *ctx);
void az_facts_of_free(struct az_facts_of *f);
/* First error of a fact that a column requested; 0. */
int az_facts_of_error(const struct az_facts_of *f);
void az_facts_of_fail(struct az_facts_of *f, int rc);
const struct az_query_source *az_facts_of_source(const struct az_facts_of *f);
struct az_query_trace *az_facts_of_traces(struct az_facts_of *f, size_t *n);

/* A table with its rows and indexes, made when it is first requested. NULL on failure. */
struct az_query_rows;
struct az_query_rows *az_query_rows_of(struct az_facts_of *f, size_t table, int *rc);
size_t az_query_rows_n(const struct az_query_rows *r);
/* The row of a position, 0 to n - 1; *seg_hint is a number that speeds the next call up. */
void az_query_rows_at(const struct az_query_rows *r, size_t position, size_t *seg_hint,
                      struct az_query_row *out);
/* Requests the memory of a row that is read soon: rows in another order than their own are anywhere
 * in the columns. */
void az_query_rows_prefetch(const struct az_query_rows *r, size_t position, size_t seg_hint);
/* Id of a row of the events of a trace in the table of that kind; 0: it has none. */
int64_t az_query_id_of(struct az_query_trace *tr, const struct az_query_table *t, enum az_kind k,
                       size_t row);
/* Cell of a column. */
void az_query_cell(const struct az_query_row *r, const struct az_query_table_column *c,
                   struct az_cell *out);

/* Positions by the values of a column, in rising order, those without a value first. NULL: the
 * column needs none (positions are in order). */
struct az_query_index {
    const uint32_t *order; /* NULL: the position itself */
    size_t n;
};
int az_query_index_of(struct az_query_rows *r, size_t column,
                      struct az_query_index *out) AZ_MUST_USE;
/* Sorts positions by columns, the first of which decides; equal rows keep their order. NULL comes
 * first, texts are by bytes. */
struct az_query_by {
    size_t column; /* az_query_can_order */
    bool desc;
};
bool az_query_can_order(const struct az_query_table_column *c);
int az_query_sort_rows(struct az_query_rows *r, const struct az_query_by *by, size_t n_by,
                       uint32_t *position, size_t n) AZ_MUST_USE;
/* First place of the index whose number (az_query_key) is not less. */
size_t az_query_index_find(const struct az_query_rows *r, size_t column,
                           const struct az_query_index *index, int64_t key);
/* The number that a column is ordered by: of names their place in the order of all texts;
 * INT64_MIN: none. */
int64_t az_query_key(const struct az_query_rows *r, size_t column, const struct az_query_row *row);
/* Place of a text among the names: the first that is not less; *equal: it is there. */
int az_query_name_place(struct az_facts_of *f, struct az_sv text, int64_t *place,
                        bool *equal) AZ_MUST_USE;
/* Names over all traces: the number of one by its id in a trace, and the texts by number. */
uint32_t az_query_name_number(struct az_query_trace *tr, uint32_t id);
int az_query_names(struct az_facts_of *f, const struct az_sv **texts, size_t *n) AZ_MUST_USE;

#endif
