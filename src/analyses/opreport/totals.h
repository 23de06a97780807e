/* What a report of operations says of the time of its device, for the verdict. */
#ifndef AZ_ANALYSES_OPREPORT_TOTALS_H
#define AZ_ANALYSES_OPREPORT_TOTALS_H

#include "facts/job.h"

struct az_opr_totals {
    int64_t time, gap; /* ns: of kernels; before operations, but for those that run first */
    int64_t comm;      /* ns: of `time`, in operations that communicate */
    int64_t first;     /* ns: before the first run of an operation, which compiles it */
    int64_t suspect;   /* ns: of operations with impossible times, which count nowhere else */
    int64_t rows, firsts, suspects; /* operations; first runs with such a gap; impossible ones */
    int64_t gaps;       /* impossible ones, which are not counted; but not those of first runs */
    struct az_sv after; /* the signpost before which operations do not count; empty: all count */
};
/* Filled by the analysis `operations`; rows 0: it has not run. NULL on failure, which the arena
 * remembers. */
struct az_opr_totals *az_opr_totals_of(struct az_job *job);

#endif
