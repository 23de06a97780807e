/* PyTorch profiler traces (Kineto, Chrome trace JSON): what the files of this format share.
 *   pytorch.c        the document: top-level members, verdict
 *   pytorch_split.c  one large file on several threads
 *   pytorch_event.c  one event, as read
 *   pytorch_add.c    an event into the model; joining the parts of a file */
#ifndef AZ_FORMATS_PYTORCH_H
#define AZ_FORMATS_PYTORCH_H

#include "base/pipe.h"
#include "formats/format.h"
#include "model/optrace.h"
#include "text/jsonscan.h"

/* pid, tid or flow id: a number, or else text as written (quotes included). */
struct az_pt_id {
    bool number;
    int64_t v;
    struct az_sv raw;
};

enum { AZ_PT_COLL_TEXTS = 10 }; /* texts of a collective, in the order of struct az_coll_args */

/* One event as read; views live to the end of the record. */
struct az_pt_event {
    char ph;
    bool has_ts, has_dur, has_corr, has_ext, has_stream, has_device, has_coll, name_escaped, file_escaped;
    struct az_sv cat, name;
    struct az_pt_id pid, tid, id;
    int64_t ts, dur, corr, ext, bytes, seq, fwd, coll_seq, peer, stream, device;
    int64_t wait_stream, wait_corr; /* of a synchronisation; -1: not given */
    double gbps;                    /* bandwidth of a copy; 0: not given */
    struct az_sv dims, types, strides, concrete;
    struct az_sv arg_name, labels, kernel_file;
    struct az_sv counters;               /* the args as written, of cuda_profiler_range */
    struct az_sv coll[AZ_PT_COLL_TEXTS]; /* only if has_coll */
};

struct az_pt_meta { /* a metadata event, applied to lanes at the end */
    uint64_t pid, tid;
    uint32_t kind, text; /* kind: 0 process name, 1 label, 2 thread name */
};
AZ_VEC(struct az_pt_meta, az_pt_metas);

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
    uint32_t uid; /* index of the next event */
    bool keep_frames;
    uint64_t no_time, unknown_phase, frames, more_cats;
    struct az_vec_u64 other_cats; /* name id << 32 | count of categories left out */
    bool launch_seen;             /* the first launch call decides the link key */
    struct az_pt_metas meta;
};

int az_pt_reader_init(struct az_pt_reader *r, struct az_trace *t, const struct az_options *o) AZ_MUST_USE;
void az_pt_reader_release(struct az_pt_reader *r);
/* Chooses the keys and the columns of the reader's trace (pytorch_event.c). */
void az_pt_event_keys(struct az_pt_reader *r);
/* Record function of az_jscan_records; ctx is the reader. */
int az_pt_event(void *reader, struct az_jscan *s);
/* An event into the model. */
int az_pt_add(struct az_pt_reader *r, const struct az_pt_event *e) AZ_MUST_USE;
/* Appends what a reader of the next part of the same file read; the part can only be released afterwards. */
int az_pt_join(struct az_pt_reader *r, struct az_pt_reader *part) AZ_MUST_USE;
/* Applies metadata events and counts to the trace. */
int az_pt_finish(struct az_pt_reader *r) AZ_MUST_USE;

/* A document being read. */
struct az_pt_input {
    struct az_parse *job;
    struct az_source *src;
    struct az_pipe *pipe; /* reads src ahead on a thread of its own; NULL: src is read here */
    uint64_t told;        /* bytes the progress knows of */
    bool source_bad;      /* the stream broke off (gzip): what came before it is kept */
    bool seen_events;
    unsigned parts; /* joined to the first one */
    struct az_jarray array;
};
/* Fill function of az_jscan; ctx is the input. */
int az_pt_fill(void *input, void *buf, size_t n, size_t *got);

/* How a file is divided among threads; tests choose small figures. */
struct az_pt_tuning {
    int64_t split_min; /* bytes from which on an uncompressed file is split */
    size_t window;     /* of the scanner; 0: its default */
    unsigned *parts;   /* receives the number of parts joined to the first one; may be NULL */
};
int az_pt_parse(struct az_parse *job, const struct az_pt_tuning *tuning) AZ_MUST_USE;
/* The same from an open source, by one thread. Does not close it. */
int az_pt_parse_source(struct az_parse *job, struct az_source *src, size_t window) AZ_MUST_USE;
/* Reads the event array at the cursor of *s, of an uncompressed file, on the job's threads; *s and in->src are
 * afterwards those of the last part. Malformed events are left out (not for strict reading). The array is not to be
 * added up yet. */
int az_pt_split(struct az_pt_input *in, struct az_jscan *s, struct az_pt_reader *r, size_t window) AZ_MUST_USE;

#endif
