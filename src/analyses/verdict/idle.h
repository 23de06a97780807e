/* Between the parts of the rule `idle`: the cause of a gap, groups of gaps, findings. */
#ifndef AZ_ANALYSES_VERDICT_IDLE_H
#define AZ_ANALYSES_VERDICT_IDLE_H

#include "analyses/verdict/host.h"
#include "facts/idle.h"
#include "facts/trust.h"

/* ---- the cause of one gap (docs/verdict.md 3.1) ---- */
struct az_verdict_judge {
    struct az_verdict *v;
    struct az_verdict_host *h; /* NULL: no calls are recorded */
    const struct az_trust *trust;
    int64_t device_gap, spacing; /* ticks: thresholds */
    int64_t doubtful;            /* ticks: causes of shorter gaps are unknown */
    /* name id of a copy -> 1: no, 2: moves managed memory, 3: to the host; 0: unread */
    uint8_t *migrates;
    struct az_rule_list copy_rules;
};
struct az_verdict_why {  /* name ids, AZ_NO_ID for none */
    enum az_cause cause; /* AZ_CAUSE_NONE: work of the gap is not recorded */
    uint32_t call, range, frame, op;
    uint32_t place;    /* range or frame, whichever is the inner one */
    bool place_frame;  /* it is the frame, */
    bool in_op;        /* and the operator runs in it */
    bool waits_stream; /* dependency: the work before ran on another stream */
    bool host_access;  /* page fault: the pages move to the host */
    bool first_use;    /* it loads code, or is in the first call of its name */
    bool launches;     /* the place launches the work before and after the gap */
};
int az_verdict_judge_make(struct az_verdict_judge *j, struct az_verdict *v,
                          struct az_verdict_host *h) AZ_MUST_USE;
void az_verdict_judge_gap(struct az_verdict_judge *j, const struct az_idle_gap *gap, int64_t from,
                          int64_t to, struct az_verdict_why *why);
/* Does a device operation (az_op word) move pages of managed memory? */
bool az_verdict_migrates(struct az_verdict_judge *j, uint32_t op);

/* ---- groups ---- */
/* Of a cause whose gaps are one group, whatever their length and place. */
static inline bool az_verdict_is_whole(enum az_cause c)
{
    return c == AZ_CAUSE_LAUNCH_BOUND || c == AZ_CAUSE_DEVICE_GAP || c == AZ_CAUSE_GRAPH_GAP;
}
struct az_verdict_groups;
struct az_verdict_groups *az_verdict_groups_new(struct az_verdict *v); /* NULL: no memory */
void az_verdict_groups_free(struct az_verdict_groups *g);
/* next: name id of the operation after the gap; start: of the gap. */
int az_verdict_groups_add(struct az_verdict_groups *g, const struct az_verdict_why *why,
                          uint32_t slot, uint32_t next, int64_t start, int64_t length) AZ_MUST_USE;
/* Fills v->part->idles: most time first, the smaller ones summed by cause. device: of each slot. */
int az_verdict_groups_finish(struct az_verdict_groups *g,
                             const struct az_device_slots *slots) AZ_MUST_USE;

/* ---- region_causes.c: what table `regions` has of the gaps ---- */
struct az_region_causes;
/* *out NULL: no region has idle time; the others accept that. az_region_causes_close in any case.
 */
int az_region_causes_open(struct az_region_causes **out, struct az_verdict *v,
                          size_t slots) AZ_MUST_USE;
void az_region_causes_close(struct az_region_causes *c);
/* Gaps of a slot by end, ticks. */
int az_region_causes_add(struct az_region_causes *c, uint32_t slot, enum az_cause cause,
                         int64_t start, int64_t end) AZ_MUST_USE;
/* When all gaps are added: the cause of each region, for the next. */
int az_region_causes_finish(struct az_region_causes *c) AZ_MUST_USE;
/* The table whose cells are stored, to fill in; NULL: it has none, or is not there. */
struct az_table *az_verdict_stored_table(const struct az_document *d, const char *id);
/* Fills in the column of the table, if the document has it; of a job with one trace. */
int az_region_causes_put(struct az_job *job) AZ_MUST_USE;

/* ---- gap_causes.c: what table `idle_gaps` has of the longest gaps ---- */
struct az_gap_causes;
/* *out NULL: there is no such table; the others accept that. */
int az_gap_causes_open(struct az_gap_causes **out, struct az_verdict *v) AZ_MUST_USE;
void az_gap_causes_add(struct az_gap_causes *c, const struct az_verdict_judge *j, int64_t device,
                       const struct az_idle_gap *gap, const struct az_verdict_why *why);
/* When all gaps are added, for the next. */
int az_gap_causes_finish(struct az_gap_causes *c, struct az_job *job) AZ_MUST_USE;
/* Fills in the columns of the table, if the document has it; of a job with one trace. */
int az_gap_causes_put(struct az_job *job) AZ_MUST_USE;

/* ---- findings from v->part->idles ---- */
int az_verdict_idle_findings(struct az_verdict *v) AZ_MUST_USE;

#endif
