/* The parts of a query: the database in memory and its two kinds of virtual tables. Private. */
#ifndef AZ_QUERY_INTERNAL_H
#define AZ_QUERY_INTERNAL_H

#include <sqlite3.h>

#include "query/columns.h"

/* ---- vtab.c: tables of facts ---- */
struct az_query_module {
    struct az_facts_of *facts;
    size_t table;    /* of az_query_table_list */
    bool *declaring; /* set while a table is declared, which is no write */
};
/* Adds it to the database under its name; m is borrowed. A code of SQLite. */
int az_query_vtab_add(sqlite3 *db, const struct az_query_module *m);
/* "CREATE TABLE x(...)" with the type of each column. */
struct az_query_declared {
    struct az_sv name;
    enum az_cell_type type;
    bool always; /* is never NULL, so that min() checks one row */
};
int az_query_declare(sqlite3 *db, const struct az_query_declared *columns, size_t n,
                     bool *declaring);
void az_query_result(sqlite3_context *ctx, const struct az_cell *c);

/* ---- functions.c ---- */
/* Functions of text whose time is linear, in place of SQLite's. A code of SQLite. */
int az_query_functions_add(sqlite3 *db);

/* ---- remedy.c ---- */
/* What to do about a statement that SQLite rejects with this message: the nearest table or column,
 * or the columns of the tables that the statement names. */
struct az_sv az_query_remedy(struct az_query *q, struct az_sv message, struct az_sv sql);
/* Memory that lives as long as the query (db.c). */
struct az_arena *az_query_arena(struct az_query *q);

/* ---- groups.c: az_query_groups ---- */
int az_query_group_list(struct az_facts_of *f, const struct az_query_grouping *of,
                        const struct az_query_sink *sink) AZ_MUST_USE;

/* ---- report_vtab.c: tables of documents ---- */
struct az_query_part { /* of one input */
    const struct az_table *table;
    size_t input;
    const ptrdiff_t *at; /* column of the whole -> of the part; -1: it has none */
};
struct az_query_report {
    struct az_sv name; /* as SQL calls it */
    const struct az_query_source *source;
    bool has_input; /* the first column is that of the input */
    const struct az_column *columns;
    size_t n_columns; /* without that of the input */
    const struct az_query_part *parts;
    size_t n_parts, n;
    bool *declaring;
};
int az_query_report_add(sqlite3 *db, const struct az_query_report *r);
/* The tables of all documents; those of one id are one. In the arena. docs[i] NULL: none. */
int az_query_reports_make(struct az_arena *a, const struct az_query_source *source,
                          const struct az_document *const *docs, bool *declaring,
                          struct az_query_report **out, size_t *n) AZ_MUST_USE;

#endif
