/* Contract of an analysis: from sealed traces to tables. */
#ifndef AZ_ANALYSES_ANALYSIS_H
#define AZ_ANALYSES_ANALYSIS_H

#include "facts/job.h"

struct az_analysis {
    const char *name; /* "kern_sum" */
    const char *help;
    unsigned needs; /* AZ_CAP_* all of which some trace must have */
    unsigned any;   /* and at least one of these; 0: none asked */
    const char
        *tables[4]; /* ids; none of them wanted (tables/views.h): not run. None: always run */
    int (*run)(struct az_job *job)
        AZ_MUST_USE; /* emits its tables; 0 also when there is nothing to say */
};

#endif
