/* The graph launches of a trace that have device events, and the steps of an inference engine that
 * they are in (docs/graphs.md 2). */
#ifndef AZ_MODEL_REPLAYS_H
#define AZ_MODEL_REPLAYS_H

#include "model/optrace.h"

struct az_replay {
    uint32_t call;       /* row of AZ_CALL */
    uint32_t first, end; /* its run of tree.linked */
    uint32_t step;       /* row of AZ_RANGE: the step it is in; AZ_NO_ROW */
    uint32_t position;   /* of the step's launches */
    uint32_t of;         /* how many they are */
};
AZ_VEC(struct az_replay, az_replay_list);

struct az_replays {
    const struct az_trace *t;
    const struct az_calltree *c;
    struct az_replay_list all; /* in order of start */
    struct az_vec_u32 steps;   /* rows of AZ_RANGE that are steps, by start */
};
void az_replays_init(struct az_replays *g, const struct az_trace *t, const struct az_calltree *c);
void az_replays_release(struct az_replays *g);
int az_replays_list(struct az_replays *g) AZ_MUST_USE;
/* The batch of the step that a launch is in (az_step_batch); -1: not recorded. */
int64_t az_replay_batch(const struct az_replays *g, const struct az_replay *r, bool tokens);

#endif
