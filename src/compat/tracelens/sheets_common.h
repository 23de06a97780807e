/* The sheets of a report over ranks (docs/formulas-multirank.md 2 to 4): what is kept of a rank for
 * all but the operator groups (sheets_ops.h), and the tables made of it. Times are ns. */
#ifndef AZ_COMPAT_TRACELENS_SHEETS_COMMON_H
#define AZ_COMPAT_TRACELENS_SHEETS_COMMON_H

#include "analyses/operators/framework.h"
#include "analyses/ranks/ranks.h"
#include "compat/tracelens/sheets_text.h"
#include "document/record.h"

/* Operators of one name that launched kernels, and of one class of the user's map. */
struct az_tracelens_launch {
    uint32_t name;   /* AZ_NO_ID: device work without an operator */
    uint32_t class;  /* of the job's classifier; AZ_CLASS_OTHERS: the map has no class */
    int64_t count;   /* operators that launched kernels (or copies and fills, launcher_events) but
                        communication */
    int64_t time;    /* of these, a union per operator */
    int64_t exposed; /* computation that began first where several run at once: adds up to the union
                        of all */
};
AZ_VEC(struct az_tracelens_launch, az_tracelens_launches);

/* Events of one name and category. */
struct az_tracelens_events {
    uint32_t name;
    uint32_t cat; /* device events: az_kind; calls: 1 the driver's, 0 the runtime's */
    int64_t count, sum, min, max;
};
AZ_VEC(struct az_tracelens_events, az_tracelens_event_rows);

enum az_tracelens_figure { /* rows of gpu_timelines, in order */
                           AZ_TRACELENS_COMPUTE,
                           AZ_TRACELENS_EXPOSED_COMM,
                           AZ_TRACELENS_EXPOSED_MEMCPY,
                           AZ_TRACELENS_BUSY,
                           AZ_TRACELENS_IDLE,
                           AZ_TRACELENS_TOTAL,
                           AZ_TRACELENS_COMM,
                           AZ_TRACELENS_MEMCPY,
                           AZ_TRACELENS_FIGURES
};

struct az_tracelens_part {
    bool tree; /* the trace has a call tree; without one there is the timeline only */
    struct az_tracelens_stored_texts texts;
    int64_t figure[AZ_TRACELENS_FIGURES];
    int64_t events, no_launch; /* device events; those whose launch the trace does not hold: they
                                * count in the metrics with include_unlinked_kernels */
    /* Of copies and fills that operators launched and kernel_launchers leaves out. */
    int64_t copies;
    const struct az_tracelens_launch *launch; /* in order of appearance */
    size_t n_launches;
    /* device events: all, with and without an External id; those of them that are short */
    int64_t linked, unlinked, short_linked, short_unlinked;
    const struct az_tracelens_events *unlinked_of, *calls;
    size_t n_unlinked, n_calls;
    /* Short kernels by operator: name, count; AZ_NO_ID: without one. */
    const struct az_tracelens_events *short_of;
    size_t n_short;
};

/* While a rank is reduced. */
struct az_tracelens_rank {
    struct az_job *job;
    struct az_arena *keep;
    struct az_framework *fw;
    struct az_tracelens_texts texts;
    struct az_tracelens_part *part;
};
int az_tracelens_reduce_launches(struct az_tracelens_rank *r) AZ_MUST_USE; /* sheets_launches.c */
int az_tracelens_reduce_events(struct az_tracelens_rank *r) AZ_MUST_USE;   /* sheets_events.c */

/* While the tables are made. */
struct az_tracelens_ranks {
    struct az_job *job;
    const struct az_ranks *ranks;
    const struct az_tracelens_part *const *part; /* by rank; NULL: none */
    size_t n; /* ranks with a part: what averages are divided by */
};
/* Ranks that have a part. */
static inline size_t az_tracelens_count(const struct az_ranks *ranks, void *const *parts)
{
    size_t n = 0;
    for (size_t i = 0; i < ranks->n; i++)
        n += parts[i] != NULL;
    return n;
}

/* Launches of all ranks by name and class, in order of appearance. */
struct az_tracelens_launch_sum {
    struct az_sv name; /* p NULL: no operator */
    struct az_tracelens_launch sum;
};
AZ_VEC(struct az_tracelens_launch_sum, az_tracelens_launch_sums);
/* Tables, each emitted. */
int az_tracelens_event_tables(const struct az_tracelens_ranks *m)
    AZ_MUST_USE; /* sheets_events_table.c */
int az_tracelens_breakdown(const struct az_tracelens_ranks *m,
                           const struct az_tracelens_launch_sums *s)
    AZ_MUST_USE; /* sheets_breakdown.c */

/* The columns of the rank at place i, of a record of all ranks: the number follows their names
 * ("count_r0"). */
static inline void az_tracelens_rank_columns(const struct az_tracelens_ranks *m, struct az_table *t,
                                             const struct az_record_column *c, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        az_record_column_nth(
            t, &c[k],
            az_arena_printf(m->job->arena, "%s%lld", c[k].name, (long long)m->ranks->v[i].rank), i);
}

#endif
