/* PyTorch profiler traces (Kineto, Chrome trace JSON): what the two files of this format share. */
#ifndef AZ_FORMATS_PYTORCH_H
#define AZ_FORMATS_PYTORCH_H

#include "formats/format.h"
#include "model/optrace.h"
#include "text/jsonscan.h"

/* Reads events into a trace; one per part of a file. */
struct az_pt_reader {
    struct az_trace *trace;
    const struct az_options *opts;
    struct az_jkeys event_keys, arg_keys;
    struct az_arena scratch; /* of one event */
    struct az_map lanes;     /* (pid, tid) -> lane, device lanes apart */
    struct az_pt_lane_slot { /* the lanes used last */
        uint64_t pid, tid;
        uint32_t lane; /* AZ_NO_ROW: empty */
        bool device_side;
    } slot[64];
    uint32_t uid;      /* index of the next event */
    bool keep_frames;
    int64_t stop_uid;
    uint64_t no_time, unknown_phase;
    struct az_vec_u64 other_cats; /* name id << 32 | count of categories left out */
    bool launch_seen;             /* the first launch call decides the link key */
    bool op_order_seen;
    /* metadata events, applied to lanes at the end: pid, tid, kind (0 process name, 1 label, 2 thread name), text id */
    struct az_pt_meta {
        uint64_t pid, tid;
        uint32_t kind, text;
    } *meta;
    size_t n_meta, cap_meta;
};

int az_pt_reader_init(struct az_pt_reader *r, struct az_trace *t, const struct az_options *o) AZ_MUST_USE;
void az_pt_reader_release(struct az_pt_reader *r);
/* Record function of az_jscan_records; ctx is the reader. */
int az_pt_event(void *reader, struct az_jscan *s);
/* Applies metadata events and counts to the trace. */
int az_pt_finish(struct az_pt_reader *r) AZ_MUST_USE;

#endif
