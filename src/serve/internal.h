/* Parts of the server. Private. */
#ifndef AZ_SERVE_INTERNAL_H
#define AZ_SERVE_INTERNAL_H

#include "serve/serve.h"
#include "text/jsonw.h"

/* ---- json.c ---- */
/* Is it one JSON value as RFC 8259 has it, valid UTF-8, at most 64 levels deep? */
bool az_rpc_valid(struct az_sv text);
/* Raw value of a member of an object; p is NULL: it has none. Of several the last. */
struct az_sv az_rpc_member(struct az_sv object, const char *key);
/* A string as text in the arena; false: it is none. */
bool az_rpc_text(struct az_arena *a, struct az_sv raw, struct az_sv *to);
bool az_rpc_is_object(struct az_sv raw);

/* One response in progress. */
struct az_call {
    struct az_server *s;
    struct az_sv args;        /* object; p NULL: none */
    struct az_arena *a;       /* of this message */
    struct az_jsonw *w;       /* the response's object, open */
    struct az_vec_char *text; /* what w writes to */
    size_t begin;             /* of the response in text */
    struct az_diag *diag;     /* what is wrong */
    size_t before;            /* bytes of the text when rows began */
};
struct az_serve_tool {
    const char *name, *help;
    const char *schema;            /* of its arguments, JSON */
    int (*run)(struct az_call *c); /* writes members; not 0: an error, reported in diag */
};
extern const struct az_serve_tool az_serve_tools[];
extern const size_t az_serve_n_tools;

/* ---- server.c ---- */
struct az_query *az_server_query(struct az_server *s);
const struct az_query_source *az_server_source(const struct az_server *s);
const struct az_server_limits *az_server_limits(const struct az_server *s);
bool az_server_changed(const struct az_server *s, size_t input);
int az_server_reload(struct az_server *s, struct az_diag *diag);
/* Longest event of a table of facts, ns; computed once. */
int64_t az_server_longest(struct az_server *s, const char *table);
void az_server_set_longest(struct az_server *s, const char *table, int64_t ns);

/* ---- answer.c ---- */
/* Arguments: false and a message in the diag if there is one of another type. */
bool az_call_text(struct az_call *c, const char *name, struct az_sv *to);   /* empty: not set */
bool az_call_number(struct az_call *c, const char *name, int64_t *to);      /* unchanged: not set */
int az_call_wrong(struct az_call *c, const char *fmt, ...) AZ_PRINTF(2, 3); /* AZ_EUSAGE */
/* Runs a statement and writes members: columns, rows, cut, and next_offset where there are more
 * rows. Rows before `offset` are skipped; at most `limit` rows (the server's limit where it is
 * less). */
int az_call_rows(struct az_call *c, struct az_sv sql, int64_t offset, int64_t limit);
/* The same as a member `key` that is an object of its own. */
int az_call_part(struct az_call *c, const char *key, struct az_sv sql, int64_t limit);
/* Events of one name in groups; *any: there is one. */
int az_call_groups(struct az_call *c, const char *key, const struct az_query_grouping *of,
                   int64_t limit, bool *any);
/* One whole number of a statement of one row; INT64_MIN: none. */
int az_call_one(struct az_call *c, struct az_sv sql, int64_t *to);
/* Text with quotes for SQL: 'a''b', "a""b". */
int az_sql_text(struct az_vec_char *sql, struct az_sv s) AZ_MUST_USE;
int az_sql_name(struct az_vec_char *sql, struct az_sv s) AZ_MUST_USE;
/* Rows of a table of a document, as az_call_rows has them. */
int az_call_table(struct az_call *c, const struct az_table *t, int64_t limit);
/* Input by its title, or the only one; a message where there is none. */
int az_call_input(struct az_call *c, const char *name, size_t *input);

/* ---- compare.c ---- */
int az_tool_compare(struct az_call *c);
int az_tool_gate(struct az_call *c);

#endif
