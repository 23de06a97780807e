/* Private to the history: the handle and its statements. */
#ifndef AZ_RESULTS_HISTORY_DB_H
#define AZ_RESULTS_HISTORY_DB_H

#include <sqlite3.h>

#include "results/history.h"

struct az_history {
    sqlite3 *db;
    struct az_arena arena; /* path, messages */
    struct az_sv path;
    struct az_diag *diag;
    int64_t version; /* of the schema as it is in the file */
};

/* Prepares; *st NULL and a message on failure. */
int az_hist_prepare(struct az_history *h, const char *sql, sqlite3_stmt **st) AZ_MUST_USE;
/* Steps: 1 a row, 0 done, negative with a message. */
int az_hist_step(struct az_history *h, sqlite3_stmt *st) AZ_MUST_USE;
int az_hist_exec(struct az_history *h, const char *sql) AZ_MUST_USE;
/* Message for the last error of the database; an az_err. */
int az_hist_error(struct az_history *h);
void az_hist_bind_text(sqlite3_stmt *st, int at, struct az_sv s);
/* Text of a column, copied. */
struct az_sv az_hist_text(sqlite3_stmt *st, int col, struct az_arena *a);
/* AZ_EUSAGE with a message if there is no run of that number. */
int az_hist_need_run(struct az_history *h, int64_t id) AZ_MUST_USE;
/* "input / table / key / column", and does it meet what a user says: a part of it, a glob for a
 * part, or the key of the row; nothing meets all. */
struct az_sv az_hist_figure_text(struct az_arena *a, struct az_sv input, struct az_sv sheet,
                                 struct az_sv key, struct az_sv name);
bool az_hist_meets(struct az_sv key, struct az_sv text, struct az_sv of_row, struct az_arena *a);
/* A double of a column, NaN for NULL. */
double az_hist_real(sqlite3_stmt *st, int col);

#endif
