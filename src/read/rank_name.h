/* The rank in a file's name. */
#ifndef AZ_READ_RANK_NAME_H
#define AZ_READ_RANK_NAME_H

#include <regex.h>

#include "base/diag.h"

#define AZ_RANK_MOST   ((INT64_C(1) << 20) - 1) /* greatest rank; what is beyond is no rank */
#define AZ_RANK_GROUPS 8

/* "rank_": that text, then a number. "re:X": a POSIX extended regular expression, then a number.
 * Empty: `rank`, `TP`, `worker` or `profile`, in capitals or not, with or without a separator, then
 * a number; `rank` wins. */
struct az_rank_name {
    bool regex;
    struct az_sv literal; /* borrowed */
    regex_t re;
    size_t group;
};
/* AZ_ECONFIG with a message for what is no regular expression. */
int az_rank_name_init(struct az_rank_name *r, struct az_sv pattern, struct az_arena *a,
                      struct az_where at, struct az_diag *diag) AZ_MUST_USE;
void az_rank_name_release(struct az_rank_name *r);

struct az_rank_place {
    size_t start, digits, end; /* of the pattern, of the number, after it */
    int64_t rank;
};
/* First match in a base name; false: none, or the number is beyond AZ_RANK_MOST. */
bool az_rank_name_find(const struct az_rank_name *r, struct az_sv base, struct az_rank_place *out);
/* The same of a path: in its base name, else as the whole name of its folder ("rank_3/trace.json";
 * *folder). */
bool az_rank_name_find_in(const struct az_rank_name *r, struct az_sv path,
                          struct az_rank_place *out, bool *folder);

/* The host in a base name such as "node1_4711.1767189312000.pt.trace.json" (host, process and time,
 * as the profiler's own handler names files); empty: none. A name with this rank
 * ("worker3_step_1.17..."; -1: any) is no host's. */
struct az_sv az_rank_host_in_name(struct az_sv base, int64_t rank);

/* Order of names in which numbers count as numbers (step_9 before step_10); equal only if the bytes
 * are. */
int az_natural_cmp(struct az_sv x, struct az_sv y);

#endif
