/* Private to this room: the commands of a folder, and what the tools print. */
#ifndef AZ_REPLAY_PARTS_H
#define AZ_REPLAY_PARTS_H

#include "replay/replay.h"
#include "text/jsonw.h"

enum az_parts_group { GEMM, CONV, GROUPS };
extern const char *const az_replay_group[GROUPS];   /* gemm, conv */
extern const char *const az_replay_program[GROUPS]; /* hipblaslt-bench, MIOpenDriver */
extern const char *const az_replay_stem[GROUPS]; /* of log files: hipblaslt-bench, miopen-driver */

/* ---- ir.c: an operator's call as the framework's own replay files have it ---- */
/* Writes the value of "replay_ir": an object, or null if there is no schema for the operator or an
 * argument cannot be made again (then false). */
bool az_replay_ir(struct az_jsonw *w, const struct az_perf_call *c);
/* Is there a schema for the operator? Only such operators are run by replay_torch.py, which has the
 * same list: other names of a folder that is not trusted could call anything. */
bool az_replay_known(struct az_sv op);

/* ---- commands.c: what a log holds ---- */
struct az_command {
    struct az_sv text;       /* one line, after the edits */
    const char *const *argv; /* NULL-terminated; NULL if the line is rejected */
    const char *why;         /* of a rejected line */
    struct az_sv culprit;    /* its word */
};
AZ_VEC(struct az_command, az_commands);
/* The commands in a log, edited to be timed (docs/formulas-multirank.md 5.3): lines of the group's
 * own program, equal ones once. The same for recorded logs and derived commands: an edit that is
 * already there changes nothing. Texts in the arena. */
int az_commands_read(enum az_parts_group g, struct az_sv log, struct az_arena *a,
                     struct az_commands *out) AZ_MUST_USE;

/* ---- output.c: what the tools print ---- */
struct az_bench_result {
    double us, gflops, gbps; /* NaN: not printed */
    struct az_sv solution;   /* views into the text */
};
/* False if no time can be found. */
bool az_bench_parse(enum az_parts_group g, struct az_sv text, struct az_bench_result *r);
/* The last line `{"index": i, "mean_us": x}`. */
bool az_torch_parse(struct az_sv text, int64_t index, double *mean_us);

/* ---- load.c: the folder ---- */
struct az_replay_entry {
    enum az_parts_group group;
    int64_t no;        /* of the row in its group */
    int64_t index;     /* in replay.json; -1: not in it */
    struct az_sv name; /* operator; empty */
    int64_t count;     /* of the profile; -1 unknown */
    double profile_us; /* mean of the profile; NaN unknown */
    bool torch;        /* can be run by replay_torch.py */
    bool refused;      /* requires an operator that is not run */
    const char *log;   /* path; NULL: none */
};
AZ_VEC(struct az_replay_entry, az_replay_entries);
/* Entries of replay.json with their logs; without that file the logs alone. Sorted by group and
 * number. `*json`: path of replay.json, NULL. Texts in the arena. */
int az_replay_load(const char *dir, struct az_arena *a, struct az_replay_entries *out,
                   const char **json, struct az_diag *diag) AZ_MUST_USE;
/* The same from the text of replay.json: for tests. `file` names it in messages. */
int az_replay_load_json(struct az_sv text, const char *file, struct az_arena *a,
                        struct az_replay_entries *out, struct az_diag *diag) AZ_MUST_USE;

#endif
