/* Host ranges projected onto the device: which operations were launched inside a range, and from
 * when to when they ran (docs/formats-nsight.md 2.3 and 3.4). A call belongs to a range of its own
 * thread that contains it wholly, both ends inclusive. */
#ifndef AZ_FACTS_NVTX_PROJECTION_H
#define AZ_FACTS_NVTX_PROJECTION_H

#include "model/link.h"

/* A device operation in one word: two bits of kind, 30 of row. */
enum { AZ_OP_KERNEL, AZ_OP_MEMCPY, AZ_OP_MEMSET, AZ_OP_GRAPH };
#define AZ_OP_ROWS (1u << 30)
static inline uint32_t az_op_word(unsigned code, size_t row)
{
    return (uint32_t)code << 30 | (uint32_t)row;
}
static inline unsigned az_op_code(uint32_t op) { return op >> 30; }
static inline uint32_t az_op_row(uint32_t op) { return op & (AZ_OP_ROWS - 1); }
static inline enum az_kind az_op_kind(uint32_t op)
{
    return (enum az_kind)az_op_code(op); /* AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH */
}
_Static_assert((int)AZ_KERNEL == AZ_OP_KERNEL && (int)AZ_MEMCPY == AZ_OP_MEMCPY &&
                   (int)AZ_MEMSET == AZ_OP_MEMSET && (int)AZ_GRAPH == AZ_OP_GRAPH,
               "kinds of device operations begin the kinds");

/* The calls that launched device work, by thread, then start. All in the arena. */
struct az_launches {
    uint32_t *thread_of_lane; /* lane -> thread number; lanes of one thread share it */
    size_t n_threads;
    uint32_t *first; /* thread -> its first launch; n_threads + 1 entries */
    size_t n;
    uint32_t *call;     /* launch -> row of ev[AZ_CALL] */
    uint32_t *op_first; /* launch -> first of its operations in op; n + 1 entries */
    uint32_t *op;       /* kernels, copies, fills, graph rows */
};

/* Per row of ev[AZ_RANGE]; all in the arena. */
struct az_projection {
    size_t n_ranges;
    uint32_t *parent; /* enclosing range of the thread with the least slack; AZ_NO_ROW: none, or not
                         projectable */
    uint32_t *level;
    uint32_t *ops; /* launching calls inside (distinct correlation ids), graph rows not counted; 0:
                      no row */
    uint32_t *children;   /* children that themselves have a row */
    int64_t *start, *end; /* ticks: first start and last end of its kernels, copies and fills */
    uint32_t *order;      /* rows with ops > 0, by range id */
    size_t n;             /* of order */
};

/* AZ_ENOMEM, AZ_ELIMIT, AZ_ERANGE (2^30 operations of one kind). Scratch is charged to mem and
 * freed. */
int az_launches_make(struct az_launches *l, const struct az_trace *t, const struct az_link *link,
                     struct az_arena *arena, struct az_mem *mem) AZ_MUST_USE;
int az_project(struct az_projection *p, const struct az_trace *t, const struct az_launches *l,
               struct az_arena *arena, struct az_mem *mem) AZ_MUST_USE;
/* First launch of the thread of `lane` that starts at or after `start`; *stop is one past the
 * thread's last. */
size_t az_launch_from(const struct az_launches *l, const struct az_trace *t, uint32_t lane,
                      int64_t start, size_t *stop);
/* Id of a range as the profiler has it (its row in the file where it has none). */
uint64_t az_range_id(const struct az_trace *t, size_t row);
static inline const struct az_range *az_range_side(const struct az_trace *t, size_t row)
{
    const struct az_events *e = &t->ev[AZ_RANGE];
    return e->side && e->side[row] != AZ_NO_ROW ? &t->ranges.v[e->side[row]] : NULL;
}

#endif
