/* Tables of operations in groups: a row a group and, with include_overlap_info, a companion whose
 * rows are parted further by what ran at the same time (docs/formulas-pytorch.md 5.4). */
#ifndef AZ_ANALYSES_OPERATORS_GROUP_H
#define AZ_ANALYSES_OPERATORS_GROUP_H

#include "analyses/operators/overlap.h"
#include "document/record.h"
#include "facts/groups.h"

struct az_op_groups;
/* Of one kind of operation (launchers, rows of the unified summary, events of a family); all get
 * `ctx` and the number of an operation. */
struct az_op_kind {
    az_group_key *key;
    struct az_gpu_run (*own)(const void *ctx, size_t i); /* its device events */
    uint64_t (*uid)(const void *ctx, size_t i);
    /* A new table, its columns made; they define the order of its rows. */
    struct az_table *(*open)(void *ctx, const struct az_op_groups *x);
    /* The cells of the row of a group. */
    int (*put)(void *ctx, struct az_op_groups *x, size_t group);
    const struct az_record_column *sum; /* of shares */
    const char *option;                 /* limit of the rows; NULL: none */
    int64_t most;
};

struct az_op_groups {
    struct az_job *job;
    struct az_framework *fw;
    const struct az_op_kind *kind;
    void *ctx;
    size_t n;            /* operations */
    const int64_t *time; /* of each, ticks */
    struct az_groups g;
    const struct az_groups *base;   /* groups of the plain table; NULL: this is it */
    struct az_overlap_ops *overlap; /* NULL: the plain table */
    struct az_framework_details details;
    struct az_table *t;
};

/* Makes the table and its companion; job, fw, kind, ctx, n and time are set. */
int az_op_tables(struct az_op_groups *x) AZ_MUST_USE;
/* For `open` and `put`: a column and its cell that only the companion has; the device events of a
 * group's operations, as text, with those of the companion after them. */
void az_op_overlap_column(const struct az_op_groups *x, struct az_table *t);
void az_op_put_overlap(const struct az_op_groups *x, size_t group);
int az_op_put_details(struct az_op_groups *x, size_t group) AZ_MUST_USE;

#endif
