/* Contract of an analysis: from sealed traces to tables. */
#ifndef AZ_ANALYSES_ANALYSIS_H
#define AZ_ANALYSES_ANALYSIS_H

#include "tables/engine.h"

/* An analysis, or a list of tables that are nothing but specifications: each of them is listed, run
 * and skipped by itself, under its own name. */
struct az_analysis {
    const char *name; /* "kern_sum" */
    const char *help;
    unsigned needs;        /* AZ_CAP_* all of which some trace must have */
    unsigned any;          /* and at least one of these; 0: none required */
    const char *tables[4]; /* ids; not run if none of them is requested (tables/views.h). None:
                              always run */
    int (*run)(struct az_job *job) AZ_MUST_USE; /* emits its tables; 0 also without any */
    const struct az_table_spec *specs; /* instead of all that; ended by one without an id */
    /* Where analyses run side by side (read/make_tables.c): */
    bool after;    /* begins when those before it are done: it omits what their tables contain */
    bool alone;    /* runs by itself, when what those before it made is joined: it checks tables,
                      changes what is shared, or needs them most of the time */
    unsigned part; /* of a report's time, in percent, about: the dearest begin first */
};

/* One of what is run, in report order. */
struct az_entry {
    const char *name, *help;
    unsigned needs, any;
    const char *const *tables; /* n_tables ids */
    size_t n_tables;
    bool after, alone;
    unsigned part;
    /* private: where the list is, and which of its specs */
    const struct az_analysis *const *at;
    const struct az_table_spec *spec;
    bool started;
};
/* Before the first of a NULL-terminated list. */
static inline struct az_entry az_entries_of(const struct az_analysis *const *list)
{
    return (struct az_entry){ .at = list };
}
/* The next one; false: there is none. */
bool az_entry_next(struct az_entry *s);
/* Its error, or that of a request of the job's arena that failed anywhere in it. */
int az_entry_run(const struct az_entry *s, struct az_job *job) AZ_MUST_USE;

#endif
