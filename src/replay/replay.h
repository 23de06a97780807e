/* Measuring operators of a report again with the libraries' own benchmarks and with PyTorch
 * (docs/formulas-multirank.md 5). Two halves that meet in a folder: az_replay_emit writes it from a
 * report's tables, on any machine; az_replay_run runs what is in it where the tools are. */
#ifndef AZ_REPLAY_REPLAY_H
#define AZ_REPLAY_REPLAY_H

#include "document/document.h"
#include "perf/replay.h"

/* ---- writing the folder ---- */

enum az_replay_rule {
    AZ_REPLAY_BELOW, /* rows whose cumulative share is below the limit; all of them if the first row
                        reaches it */
    AZ_REPLAY_REACH  /* the fewest rows that reach the limit */
};
struct az_replay_opts {
    enum az_replay_rule rule;
    double share; /* 0 to 1; 0: 0.99 */
    bool force;   /* replace what an earlier emission left; recorded logs, too */
};
/* Rows that the rule keeps: a prefix, since the table is sorted by time. `cumulative`: shares from
 * 0 to 1. */
size_t az_replay_select(const double *cumulative, size_t n, enum az_replay_rule rule, double share);

struct az_replay_counts {
    size_t rows, kept, commands; /* of both groups */
};
/* Writes into `dir` (made if missing) what the tables `gemm` and `conv` of the document (columns of
 * docs/formulas-multirank.md 3.2)
 * need to be measured again: `hipblaslt-bench-N.log` and `miopen-driver-N.log` (the command as it
 * is to be run), `gemm-N.hipblaslt.sh`, `gemm-N.tuning.sh`, `conv-N.miopen.sh`, `replay.json` and
 * `replay_torch.py`; N counts the kept rows of a group from 0. The kept rows are appended to
 * `text`, for readers. Warnings name rows without a command. AZ_EEMPTY: neither table, or no row;
 * AZ_EUSAGE: the folder holds a replay already; AZ_EIO. */
int az_replay_emit(const struct az_document *doc, const char *dir, const struct az_replay_opts *o,
                   struct az_vec_char *text, struct az_replay_counts *counts,
                   struct az_diag *diag) AZ_MUST_USE;

/* Adds to `out` the tables `gemm` and `conv` that az_replay_emit requires, from the
 * `unified_perf_summary` of a single report: rows of one operator and one set of arguments are one
 * row, longest first. AZ_EEMPTY: there is no such table, or no row of these operators. */
int az_replay_tables(const struct az_document *report, struct az_document *out,
                     struct az_diag *diag) AZ_MUST_USE;

/* ---- running what is in it ---- */

struct az_replay_run_opts {
    unsigned timeout_s;           /* of one command; 0: 600 */
    bool no_torch;                /* benchmarks only */
    bool dry_run;                 /* prints what would be run, runs nothing */
    bool (*cancelled)(void *ctx); /* polled; NULL: never */
    void *ctx;
    void (*progress)(void *ctx, const char *what); /* before each command; NULL */
};
/* Runs the commands of `dir` and adds the tables `gemm_node_replay` and `conv_node_replay` to the
 * document. Both streams of a command go to `<log's stem>.out` in the folder. Only
 * `hipblaslt-bench` and `MIOpenDriver`, found on PATH, are run, with arguments that can name no
 * file; and python3 with this program's own copy of replay_torch.py. *failed: rows without a
 * benchmark time. AZ_EIO, AZ_EEMPTY (nothing to run), AZ_EFORMAT (replay.json), AZ_EINTR. */
int az_replay_run(const char *dir, const struct az_replay_run_opts *o, struct az_document *doc,
                  size_t *failed, struct az_diag *diag) AZ_MUST_USE;

#endif
