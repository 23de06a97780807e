/* Private to the history: the handle and its statements. */
#ifndef AZ_REGRESSION_HISTORY_DB_H
#define AZ_REGRESSION_HISTORY_DB_H

#include <sqlite3.h>

#include "regression/history.h"

struct az_history {
    sqlite3 *db;
    struct az_arena arena; /* path, messages */
    struct az_sv path;
    struct az_diag *diag;
    int64_t version; /* of the schema as it is in the file */
};

/* Runs like one (?1 to ?3), the class of hosts: node17 -> node; and earlier than it by their own
 * time (?4, ?5: its number; 0: it is not stored yet). */
#define AZ_HISTORY_DB_SAME                                                                         \
    "branch=?1 AND rtrim(host,'0123456789')=rtrim(?2,'0123456789') AND device=?3"
#define AZ_HISTORY_DB_BEFORE "(created<?4 OR (created=?4 AND (?5=0 OR id<?5))) AND id<>?5"
/* Runs that were no evidence (not comparable, truncated, ...) are never a baseline. */
#define AZ_HISTORY_DB_EVIDENCE                                                                     \
    "NOT EXISTS(SELECT 1 FROM fact AS e WHERE e.run_id=run.id AND e.k='" AZ_HISTORY_NO_EVIDENCE "')"
/* A run is listed as good that was not marked bad, and of which no metric failed or is an outlier.
 */
#define AZ_HISTORY_DB_GOOD                                                                         \
    "(good AND NOT EXISTS(SELECT 1 FROM verdict AS b WHERE b.run_id=run.id AND b.status IN "       \
    "('fail','outlier')))"
void az_history_db_bind_like(sqlite3_stmt *st, const struct az_history_run *like, int64_t id);

/* ---- history_read.c ---- */
/* Of the runs of `p` the centers of all figures. */
int az_history_db_centers(struct az_history *h, struct az_metric_past *p) AZ_MUST_USE;
/* One run with its facts. */
int az_history_db_load(struct az_history *h, int64_t id, struct az_series *out) AZ_MUST_USE;

/* ---- history_claims.c ---- */
int az_history_db_put_claims(struct az_history *h, int64_t run,
                             const struct az_series *s) AZ_MUST_USE;
int az_history_db_load_claims(struct az_history *h, int64_t run, struct az_series *s) AZ_MUST_USE;
struct az_history_db_other {
    const char *what;     /* the fact by which a run is of another series; NULL: of none */
    struct az_sv was, is; /* "driver 12.4", "driver 12.6" */
};
int az_history_db_other_series(struct az_history *h, int64_t run, const struct az_series *cand,
                               struct az_history_db_other *out) AZ_MUST_USE;
int az_history_db_other_steps(struct az_history *h, int64_t run, const struct az_series *cand,
                              bool *other) AZ_MUST_USE;

/* Prepares; *st NULL and a message on failure. */
int az_history_db_prepare(struct az_history *h, const char *sql, sqlite3_stmt **st) AZ_MUST_USE;
/* Steps: 1 a row, 0 done, negative with a message. */
int az_history_db_step(struct az_history *h, sqlite3_stmt *st) AZ_MUST_USE;
int az_history_db_exec(struct az_history *h, const char *sql) AZ_MUST_USE;
/* The database is damaged: a message with what was found. AZ_EFORMAT. */
int az_history_db_damaged(struct az_history *h, const char *what) AZ_MUST_USE;
void az_history_db_bind_text(sqlite3_stmt *st, int at, struct az_sv s);
/* Text of a column, copied. */
struct az_sv az_history_db_text(sqlite3_stmt *st, int col, struct az_arena *a);
/* AZ_EUSAGE with a message if there is no run of that number. */
int az_history_db_need_run(struct az_history *h, int64_t id) AZ_MUST_USE;
/* "input / table / key / column". */
struct az_sv az_history_db_figure_text(struct az_arena *a, struct az_sv input, struct az_sv sheet,
                                       struct az_sv key, struct az_sv name);
/* A double of a column, NaN for NULL. */
double az_history_db_real(sqlite3_stmt *st, int col);

#endif
