/* Who the others wait for, as findings: a rank, a set of ranks, a slow process group, the schedule
 * of a pipeline. docs/formulas-collectives.md 3.2, rates: docs/stragglers.md. */
#ifndef AZ_ANALYSES_COLLECTIVES_WAITING_H
#define AZ_ANALYSES_COLLECTIVES_WAITING_H

#include "analyses/collectives/straggler_attrib.h"

enum az_coll_late_kind {
    AZ_LATE_RANKS,
    AZ_LATE_DEVICE,
    AZ_LATE_GROUP,
    AZ_LATE_PIPELINE,
    AZ_LATE_ABSENT
};
struct az_coll_late {
    enum az_coll_late_kind kind;
    const uint32_t *member; /* indices into the run's ranks, ascending */
    size_t n;
    struct az_sv subject;
    struct az_sv group;  /* host, or ranks of a process group "3,11"; empty */
    int64_t groups;      /* of a slow group: it and its peers; 0 */
    int64_t count;       /* collectives */
    int64_t each;        /* ns a step; of a slow group a collective */
    int64_t step;        /* of ranks: ns that a step would shrink by */
    int64_t saving;      /* ns that a rank's time would shrink by, over the whole run */
    struct az_sv detail; /* with its own comma */
};
AZ_VEC(struct az_coll_late, az_coll_late_list);

/* Stages of a pipeline, by the ranks that send to each other. */
struct az_coll_stages {
    uint32_t *of; /* by rank index; AZ_NO_ROW: in no pipeline */
    uint32_t n;   /* 0: there is no pipeline */
    double micro; /* batches that pass through it in a step; NaN: not known */
};

struct az_coll_waits {
    const struct az_coll_run *c;
    bool judged;                   /* there were steps enough for verdicts on ranks */
    struct az_coll_late_list late; /* most saving first */
    struct az_coll_stages stages;
};
/* Of the run that was analyzed; NULL: none was. Lives as long as the document. */
const struct az_coll_waits *az_coll_waits_of(struct az_job *job);

/* Makes them from the verdicts on single ranks, which change where a set of ranks is late
 * together. */
int az_coll_waiting(struct az_coll_run *c, const struct az_coll_blame *m,
                    struct az_coll_verdict *verdict) AZ_MUST_USE;
/* sibling_groups.c, absent.c, pipeline.c: append what they find. */
int az_coll_absent(struct az_coll_run *c, struct az_coll_waits *w) AZ_MUST_USE;
int az_coll_slow_groups(struct az_coll_run *c, struct az_coll_waits *w) AZ_MUST_USE;
int az_coll_pipeline(struct az_coll_run *c, const struct az_coll_blame *m,
                     struct az_coll_waits *w) AZ_MUST_USE;

#endif
