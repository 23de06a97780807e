/* Private to merging: what is known of a rank, and the reading of its file. */
#ifndef AZ_MERGE_PASS_H
#define AZ_MERGE_PASS_H

#include "base/intern.h"
#include "io/gzip_out.h"
#include "merge/event.h"
#include "merge/merge.h"

#define AZ_RANK_MAX INT64_C(999999999)

enum az_header { SCHEMA_VERSION, UNIT, BASE_TIME, DEVICES, HEADERS };
extern const char *const az_merge_header_key[HEADERS];

enum az_pass_kind { UNKNOWN, HOST, DEVICE };
struct az_merge_process {
    uint64_t events;         /* that are written, metadata not counted */
    enum az_pass_kind label; /* by process_labels */
    bool device;             /* has events of the device */
};
AZ_VEC(struct az_merge_process, az_merge_processes);

struct az_merge_rank {
    struct az_sv path;
    struct az_arena arena;
    struct az_diag diag;           /* of the first pass; printed in the order of the inputs */
    int rc;                        /* of the first pass */
    int64_t rank, named, recorded; /* which; by name; by distributedInfo; -1: unknown */
    bool usable, damaged;
    struct az_intern pids; /* raw value of pid -> index of its process */
    struct az_merge_processes processes;
    struct az_sv header[HEADERS];
    int ids, correlations, externals; /* digits of the largest one */
    bool launch_correlates, launches;
};

struct az_merge {
    const struct az_merge_opts *opts;
    struct az_merge_result *result;
    struct az_arena arena;
    struct az_merge_rank *
        *rank; /* in the order of the inputs, later of the ranks, those that cannot be used last */
    size_t n;
    struct az_gzfile *out;
    struct az_vec_char text;
    struct az_diag *diag;
    struct az_merge_shift shift;
    bool first_event;
};

static inline int az_merge_larger(int a, int b) { return a > b ? a : b; }

/* Reads a rank's file: not writing, it notes ids, processes and what is wrong (messages in the
 * rank's own diag); writing, its events go to m->out, shifted by m->shift. 0; AZ_EFORMAT: this rank
 * is skipped; other errors end the merge. */
int az_merge_read(struct az_merge *m, struct az_merge_rank *r, bool writing) AZ_MUST_USE;

#endif
