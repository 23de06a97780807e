/* Which traces of one folder are one run: a profiler that records several times, or stages apart,
 * writes the files of all of them into one folder. */
#ifndef AZ_READ_RANK_SESSIONS_H
#define AZ_READ_RANK_SESSIONS_H

#include "read/rank_name.h"

struct az_session_file {
    struct az_sv path;       /* borrowed, NUL-terminated */
    bool named;              /* its name has a rank: `at` is its place in the base name */
    struct az_rank_place at; /* not in the base name (that of its folder): 0, 0, 0 */
    int64_t rank;            /* by name, or -1; then as resolved, by the metadata if need be */
    /* Result. Empty: the folder is one session. "DECODE", "step_8", "1700000000000000000". */
    struct az_sv session;
    /* Its name without what differs between the ranks of one session; empty for all where the
     * metadata alone number them. */
    struct az_sv skeleton;
};

/* Parts files of one folder into sessions, in each of which a rank occurs once where the names
 * distinguish them: by a number or text of the name that varies among the files of a rank, then by
 * time. Errors of the arena. */
int az_rank_sessions_part(struct az_session_file *v, size_t n, struct az_arena *a) AZ_MUST_USE;

/* The rank that the metadata at the head of a PyTorch trace (distributedInfo) have, and the number
 * of ranks; -1: none, or the file cannot be read. */
int64_t az_rank_peek(const char *path, int64_t *world);

#endif
