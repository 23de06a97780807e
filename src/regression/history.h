/* The history: an SQLite database of runs, their samples by metric and their verdicts
 * (docs/formulas-compare.md 6). WAL, one transaction a run, busy timeout 10 s, foreign keys on:
 * writers may work at the same time, and a killed one leaves no half run. */
#ifndef AZ_REGRESSION_HISTORY_H
#define AZ_REGRESSION_HISTORY_H

#include "regression/history_series.h"
#include "regression/series.h"
#include "regression/verdict.h"

#define AZ_HISTORY_VERSION 4
/* Fact of an input for which a run is no baseline; its value is the reason (az_change_reason_id).
 */
#define AZ_HISTORY_NO_EVIDENCE "not comparable"
#define AZ_HISTORY_LEVEL       "level" /* baseline: the accepted level of each metric */

struct az_history;
enum az_history_mode { AZ_HISTORY_READ, AZ_HISTORY_WRITE };

struct az_history_run {
    int64_t id;
    struct az_sv created; /* 2026-01-31T02:00:00Z */
    struct az_sv label, commit, branch, host, device, stack, config_hash;
    struct az_sv pins; /* labels pinned to it, blanks between them */
    bool good;         /* to be stored: not marked bad; of a list: as AZ_HISTORY_DB_GOOD */
    int64_t metrics;   /* metrics of it */
    int64_t failed;    /* of them, those that failed */
    int64_t outliers;  /* of them, those that are outliers: to be run again; -1: none */
};
AZ_VEC(struct az_history_run, az_history_runs);

/* Opens a database; for writing it is made where it is missing, and brought to this version.
 * Read-only opening changes nothing, also in a folder that cannot be written. AZ_EIO (not there, no
 * right, locked), AZ_EFORMAT (no database, another program's, a newer version, damaged), AZ_EEMPTY
 * (for reading: another writer is just making it), with a message. */
int az_history_open(struct az_history **h, const char *path, enum az_history_mode mode,
                    struct az_diag *diag) AZ_MUST_USE;
/* Messages from now on go there. */
void az_history_messages(struct az_history *h, struct az_diag *diag);
void az_history_close(struct az_history *h); /* NULL is fine */

/* ---- history_write.c ---- */
/* Adds a run with its metrics, facts and verdict (NULL: none), in one transaction; *id is its
 * number. */
int az_history_add(struct az_history *h, const struct az_history_run *run,
                   const struct az_series *s, const struct az_gate_verdict *v,
                   int64_t *id) AZ_MUST_USE;
/* Marks a run good or bad, pins a label to it (the label leaves another run), retains the newest
 * `keep` runs and those pinned. AZ_EUSAGE with a message: no such run. */
int az_history_mark(struct az_history *h, int64_t id, bool good) AZ_MUST_USE;
/* Accepts what changed in a metric up to this run: its level is what others are compared with.
 * metric: as `trend` accepts it; empty: all. */
int az_history_accept(struct az_history *h, int64_t id, struct az_sv figure,
                      struct az_sv reason) AZ_MUST_USE;
/* Replaces the verdicts of a run; it is good again unless a user marked it otherwise. */
int az_history_judge(struct az_history *h, int64_t id, const struct az_gate_verdict *v) AZ_MUST_USE;
int az_history_pin(struct az_history *h, int64_t id, struct az_sv label) AZ_MUST_USE;
int az_history_prune(struct az_history *h, int64_t keep, int64_t *removed) AZ_MUST_USE;

/* ---- history_read.c ---- */
/* Runs, newest first; texts in the arena. most 0: all. */
int az_history_list(struct az_history *h, int64_t most, struct az_arena *a,
                    struct az_history_runs *out) AZ_MUST_USE;
/* Metrics of the run or runs that a choice names, for a candidate like `like` (branch, host without
 * its number, device), earlier than like->created: last, last-good, level (the newest one, whose
 * values the gate replaces by those of the level), window:N, pinned:LABEL. A metric that failed is
 * omitted from last-good and window. Runs of another series than `cand` (az_history_find_series)
 * are skipped, unless pinned. *why is what is missing where there is none (then out is empty and
 * *found false). */
int az_history_baseline(struct az_history *h, struct az_sv choice,
                        const struct az_history_run *like, const struct az_series *cand,
                        struct az_series *out, bool *found, struct az_sv *why) AZ_MUST_USE;
/* Runs of the same branch and class of hosts before this one that are of another series: of
 * another device, driver, runtime, stack, or stored by a version that knew no steps. */
struct az_history_series {
    size_t same, others; /* their numbers */
    struct az_sv text;   /* "15 runs are of H100; this is the first of H200"; empty: same > 0, or
                            there are none */
    bool device;         /* the newest of the others is of another device */
    int64_t newest;      /* its number */
};
int az_history_find_series(struct az_history *h, const struct az_history_run *like,
                           const struct az_series *cand, struct az_history_series *out) AZ_MUST_USE;
/* Has the history fewer runs like this one, good or not, than the choice needs? Then nothing is
 * wrong where there is no baseline: these are the first nights. False for a pinned run. */
int az_history_is_young(struct az_history *h, struct az_sv choice,
                        const struct az_history_run *like, const struct az_series *cand,
                        bool *young) AZ_MUST_USE;
/* ---- history_past.c ---- */
/* What came before a run: the runs like it (branch, class of hosts, device) that are earlier by
 * their own time, oldest first, at most AZ_METRIC_PAST_RUNS, and of each metric one value a run.
 * Runs that a user marked bad, or whose ranks or class map differ from those of `cand`, are
 * skipped; *others is their number. id: number of the run itself; 0: it is not stored yet. */
int az_history_past(struct az_history *h, const struct az_history_run *like, int64_t id,
                    const struct az_series *cand, struct az_metric_past *out,
                    size_t *others) AZ_MUST_USE;
/* Names of the rows that a table of an input had in any run, sorted; in the arena. */
int az_history_names(struct az_history *h, struct az_sv input, struct az_sv sheet,
                     struct az_arena *arena, struct az_vec_sv *out) AZ_MUST_USE;
/* The run's metrics and facts, as they were stored. AZ_EUSAGE: no such run. */
int az_history_load(struct az_history *h, int64_t id, struct az_history_run *run,
                    struct az_series *out) AZ_MUST_USE;

/* ---- history_report.c: documents for the commands; doc is empty and initialized ---- */
int az_history_list_document(struct az_history *h, struct az_document *doc) AZ_MUST_USE;
/* One run: what it is, its verdicts, its figures. AZ_EUSAGE: no such run. */
int az_history_show_document(struct az_history *h, int64_t id, struct az_document *doc) AZ_MUST_USE;
/* Metrics whose "input / table / key / column" the key meets (part of it, or a glob for a part),
 * each a table and a trend chart; at most `most`. AZ_EUSAGE with a message: none. */
int az_history_trend_document(struct az_history *h, struct az_sv key, size_t most,
                              struct az_document *doc) AZ_MUST_USE;

/* ---- history_export.c ---- */
/* All samples and verdicts of the metrics that meet the key (empty: all), flat: a row each, oldest
 * run first. AZ_EUSAGE with a message: none meets it. */
int az_history_export_document(struct az_history *h, struct az_sv key,
                               struct az_document *doc) AZ_MUST_USE;

/* ---- times ---- */
/* "2026-01-31", "2026-01-31T02:00:00Z", "...+01:00", or seconds since 1970; false: none of these.
 */
bool az_history_time(struct az_sv text, int64_t *seconds);
/* 2026-01-31T02:00:00Z; in the arena. */
struct az_sv az_history_time_text(struct az_arena *a, int64_t seconds);

#endif
