/* What replays.c (which launches there are), graph_capture_choose.c (which capture, and how its
 * launches pair) and graph_capture_attach.c (adding captured operators) share. */
#ifndef AZ_MODEL_GRAPH_CAPTURE_INTERNAL_H
#define AZ_MODEL_GRAPH_CAPTURE_INTERNAL_H

#include "model/capture_match_check.h"
#include "model/graph_capture_attach.h"

/* The graph launches of a trace that have device events, and the steps of an inference engine that
 * they are in (docs/graphs.md 2): replays.c. */
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

AZ_VEC(struct az_event, az_added);

struct az_grafting {
    struct az_trace *t;
    struct az_calltree *c;
    struct az_optrace *o;
    struct az_replays replays;
    struct az_plausible plausible;
    bool has_full, has_parts; /* among the captures */
    size_t unknown;           /* captures whose batch is not known: the first ones */
    bool missing;             /* one of them, and more, are in a truncated file */
    struct az_vec_u8 learned; /* root -> rule by which its kernels were named, + 1; 0: they were */
    /* of one launch: device events, their keys and lanes, the launch of each */
    struct az_vec_u32 gpu, key, lane, launch_of;
    struct az_vec_u32 op_name;  /* by launch of a root: its innermost operator's */
    struct az_vec_u32 event_of; /* by launch: device event, AZ_NO_ROW */
    struct az_vec_u32 again;    /* replays to try again */
    size_t unnamed;             /* roots that do not name their kernels, and were not named */
    struct az_added add[3];     /* events to add, by graph_capture_attach.c's added_kinds */
    struct az_map row_of;       /* (batch, mode and rule) -> row of optrace.graft_rows */
};

int az_capture_attach_prepare(struct az_grafting *g) AZ_MUST_USE;
/* The root whose graph a launch replayed, and by which rule its launches pair with the device
 * events of g->gpu: g->launch_of. Rules: docs/graphs.md 2 and 3. */
/* Launches whose kernels a later launch of the graph may name: to be tried again then. */
bool az_capture_attach_may_learn(const struct az_grafting *g, enum az_pair_by by);
enum az_pair_by az_capture_attach_choose(struct az_grafting *g, const struct az_replay *r,
                                         size_t *root, int *rc);

#endif
