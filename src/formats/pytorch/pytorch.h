/* PyTorch profiler traces (Kineto, Chrome trace JSON): what the files of this format share.
 *   pytorch.c        the document: top-level members, verdict
 *   pytorch_split.c  one large file on several threads
 *   pytorch_event.c  one event, as read
 *   pytorch_category.c  what an event is, by its category
 *   pytorch_add.c    an event into the model
 *   pytorch_join.c   joining the parts of a file
 *   pytorch_begin_end.c  spans that begin and end in two events
 *   pytorch_counter.c  counters: of kernels, and sampled
 *   pytorch_graph.c  nodes of graphs as the CUPTI monitor has them */
#ifndef AZ_FORMATS_PYTORCH_PYTORCH_H
#define AZ_FORMATS_PYTORCH_PYTORCH_H

#include "base/pipe.h"
#include "formats/format.h"
#include "model/optrace.h"
#include "text/jsonscan.h"

/* pid, tid or flow id: a number, or else text as written (quotes included). */
struct az_pytorch_id {
    bool number;
    int64_t v;
    struct az_sv raw;
};

/* Possible args of an event: numbers, then texts. */
enum az_pytorch_arg {
    AZ_PYTORCH_CORR,
    AZ_PYTORCH_EXT,
    AZ_PYTORCH_STREAM,
    AZ_PYTORCH_DEVICE,
    AZ_PYTORCH_SEQ,
    AZ_PYTORCH_FWD,
    AZ_PYTORCH_BYTES,
    AZ_PYTORCH_COLL_SEQ,
    AZ_PYTORCH_PEER,
    AZ_PYTORCH_WAIT_STREAM, /* of a synchronization */
    AZ_PYTORCH_WAIT_CORR,
    AZ_PYTORCH_GRAPH_NODE,
    AZ_PYTORCH_ORIGINAL,  /* stream that an event of a logical lane ran on */
    AZ_PYTORCH_ALLOCATED, /* in use after an allocation, of which device */
    AZ_PYTORCH_RESERVED,
    AZ_PYTORCH_MEMORY_DEVICE,
    AZ_PYTORCH_MEMORY_KIND, /* of the device; 0: the host */
    AZ_PYTORCH_SYCL_QUEUE,  /* of XPU, in place of a stream */
    AZ_PYTORCH_NUMBERS,
    AZ_PYTORCH_DIMS = AZ_PYTORCH_NUMBERS,
    AZ_PYTORCH_TYPES,
    AZ_PYTORCH_STRIDES,
    AZ_PYTORCH_CONCRETE,
    AZ_PYTORCH_GBPS, /* bandwidth of a copy */
    AZ_PYTORCH_GRID, /* how a kernel was launched */
    AZ_PYTORCH_BLOCK,
    AZ_PYTORCH_REGISTERS,
    AZ_PYTORCH_SHARED,
    AZ_PYTORCH_NAME,
    AZ_PYTORCH_LABELS,
    AZ_PYTORCH_KERNEL_FILE, /* may contain escapes, as may the next */
    AZ_PYTORCH_KERNEL,      /* what a call launches */
    AZ_PYTORCH_COPY_KIND,   /* of a copy without it in its name: HtoD; the memories below */
    AZ_PYTORCH_COPY_SRC,
    AZ_PYTORCH_COPY_DST,
    AZ_PYTORCH_L0_QUEUE,   /* the same, where it has no queue of SYCL: hexadecimal */
    AZ_PYTORCH_ANNOTATION, /* of a node of a graph */
    AZ_PYTORCH_MODULE,     /* the same, as a key of its own */
    AZ_PYTORCH_COLL, /* the first of those of a collective, in the order of struct az_coll_args */
    AZ_PYTORCH_ARGS = AZ_PYTORCH_COLL + 10
};
enum { AZ_PYTORCH_KNOWN = AZ_PYTORCH_GBPS - AZ_PYTORCH_DIMS };
#define AZ_PYTORCH_BIT(arg)   (UINT64_C(1) << (arg))
#define AZ_PYTORCH_COLL_GIVEN (AZ_PYTORCH_BIT(AZ_PYTORCH_ARGS) - AZ_PYTORCH_BIT(AZ_PYTORCH_COLL))
_Static_assert(AZ_PYTORCH_ARGS < 64, "az_pytorch_event.given has a bit for each");

/* An argument of operators (dims, types, strides, concrete inputs) as it was written before. Most
 * operators have been seen with the same arguments: equal bytes need not be scanned again, nor
 * interned. */
struct az_pytorch_known {
    struct az_sv raw; /* a whole array; the trace's own copy */
    uint32_t id;      /* of its compact form */
};

/* One event as read; views live to the end of the record. */
struct az_pytorch_event {
    char ph;
    bool has_ts, has_dur, name_escaped;
    uint64_t given; /* AZ_PYTORCH_BIT of the args that it has */
    struct az_sv cat, name;
    struct az_sv args; /* the whole object, as written */
    struct az_pytorch_id pid, tid, id;
    int64_t ts, dur;
    int64_t number[AZ_PYTORCH_NUMBERS]; /* the others are undefined */
    struct az_sv text[AZ_PYTORCH_ARGS - AZ_PYTORCH_NUMBERS];
    /* Of the first texts, where they are arrays. */
    struct az_pytorch_known *known[AZ_PYTORCH_KNOWN];
};
static inline bool az_pytorch_has(const struct az_pytorch_event *e, enum az_pytorch_arg a)
{
    return e->given & AZ_PYTORCH_BIT(a);
}
static inline int64_t az_pytorch_number(const struct az_pytorch_event *e, enum az_pytorch_arg a,
                                        int64_t none)
{
    return az_pytorch_has(e, a) ? e->number[a] : none;
}
static inline struct az_sv az_pytorch_text(const struct az_pytorch_event *e, enum az_pytorch_arg a)
{
    return az_pytorch_has(e, a) ? e->text[a - AZ_PYTORCH_NUMBERS] : az_sv_make(NULL, 0);
}

struct az_pytorch_meta { /* a metadata event, applied to lanes at the end */
    uint64_t pid, tid;
    uint32_t kind, text; /* kind: 0 process name, 1 label, 2 thread name */
};
AZ_VEC(struct az_pytorch_meta, az_pytorch_metas);

/* Reads events into a trace; one per part of a file. */
/* Events that are skipped for their phase. */
enum az_pytorch_phase {
    AZ_PYTORCH_INSTANTS_PH,
    AZ_PYTORCH_HALVES_PH,
    AZ_PYTORCH_ASYNC_PH,
    AZ_PYTORCH_ARROWS_PH,
    AZ_PYTORCH_UNKNOWN_PH,
    AZ_PYTORCH_PHASES
};

/* A Python frame of a trace whose frames are not stored (pytorch_frames.c). */
#define AZ_PYTORCH_LONG_FRAMES 256
struct az_pytorch_frame {
    int64_t start, end;
    uint64_t pid, tid;
    uint32_t uid;
    uint8_t n; /* of name */
    char name[99];
};
AZ_VEC(struct az_pytorch_frame, az_pytorch_frames);
struct az_pytorch_heap_item {
    int64_t length;
    uint32_t uid, at; /* at: place of the frame */
};

/* A span whose begin was read (pytorch_begin_end.c), and an end whose begin is in an earlier part.
 */
struct az_pytorch_begin {
    uint64_t pid, tid;
    uint32_t row, below; /* of the kind's events; below: the begin around it, AZ_NO_ROW for none */
    enum az_kind kind;   /* AZ_KIND_COUNT: of no device, only its end is awaited */
    bool closed, timed;  /* an end was read; it is not before the begin */
};
AZ_VEC(struct az_pytorch_begin, az_pytorch_begins);
struct az_pytorch_end {
    uint64_t pid, tid;
    int64_t ts;
};
AZ_VEC(struct az_pytorch_end, az_pytorch_ends);

struct az_pytorch_reader {
    /* Takes each event instead of az_pytorch_add; NULL: that. */
    int (*take)(struct az_pytorch_reader *r, const struct az_pytorch_event *e);
    struct az_trace *trace;
    const struct az_options *opts;
    struct az_jkeys event_keys, arg_keys;
    uint8_t arg_of[AZ_JSON_MAX_KEYS]; /* of a key of arguments: enum az_pytorch_arg */
    struct az_arena scratch;          /* of one event */
    struct az_map lanes;              /* (pid, tid) -> lane, device lanes apart */
    struct az_pytorch_lane_slot {     /* the lanes used last */
        uint64_t pid, tid;
        uint32_t lane; /* AZ_NO_ROW: empty */
        bool device_side;
    } slot[64];
    struct az_pytorch_known known[1024]; /* by a hash of operator, argument and first bytes */
    uint32_t uid;                        /* index of the next event */
    bool keep_frames;
    struct az_pytorch_frames long_frames; /* the longest ones, if frames are not stored */
    struct az_pytorch_heap_item heap[AZ_PYTORCH_LONG_FRAMES]; /* of them, the shortest first */
    int64_t long_enough;              /* a frame that is not longer is none of them; 0: any is */
    bool captured;                    /* of a graph capture: calls have their kernel as side */
    uint64_t no_time, no_device_time; /* spans without times: of the host, of the device */
    uint64_t duplicate_keys;          /* events with a key twice: the last value counts */
    struct az_pytorch_begins begins;
    struct az_pytorch_ends ends; /* without a begin */
    struct az_map innermost;     /* (pid, tid) -> the begin that ends next */
    bool has_innermost;
    uint64_t no_value, frames, more_cats; /* no_value: samples of no number, or no time */
    uint64_t phase[AZ_PYTORCH_PHASES];
    struct az_vec_u64 other_cats; /* name id << 32 | count of categories skipped */
    bool launch_seen;             /* a launch call has decided the link key */
    struct az_pytorch_metas meta;
};

/* Stores a frame if it is one of the longest. */
int az_pytorch_frame_add(struct az_pytorch_reader *r, const struct az_pytorch_frame *f) AZ_MUST_USE;
int az_pytorch_frame_long(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          uint64_t pid, uint64_t tid) AZ_MUST_USE;
/* The longest ones into the trace, by start. */
int az_pytorch_frames_finish(struct az_pytorch_reader *r) AZ_MUST_USE;
int az_pytorch_reader_init(struct az_pytorch_reader *r, struct az_trace *t,
                           const struct az_options *o) AZ_MUST_USE;
void az_pytorch_reader_release(struct az_pytorch_reader *r);
/* Calls have the name of the kernel that they launch: AZ_COL_SIDE is its id, AZ_NO_ROW for none. */
void az_pytorch_reader_captured(struct az_pytorch_reader *r);
/* Chooses the keys and the columns of the reader's trace (pytorch_event.c). */
void az_pytorch_event_keys(struct az_pytorch_reader *r);
/* The argument of that key; AZ_PYTORCH_ARGS: none that is required. */
unsigned az_pytorch_arg_of(struct az_sv key);
/* Record functions of az_jscan_records, equal in all but the processors that they are compiled for
 * (base/cpu.h); ctx is the reader. */
typedef int az_pytorch_record(void *reader, struct az_jscan *s);
az_pytorch_record az_pytorch_event_any, az_pytorch_event_v3;
az_pytorch_record *az_pytorch_event_reader(void); /* that for this processor */
/* AZ_KIND_COUNT: none that is known. */
enum az_kind az_pytorch_kind_of(struct az_sv cat);
/* XPU has queues in place of streams: of SYCL, or of Level Zero ("0x55d0"); -1: none. */
int64_t az_pytorch_queue(const struct az_pytorch_event *e);
/* Grid, block, registers and shared memory of a kernel: their row in the trace. */
int az_pytorch_geometry(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                        uint32_t *row) AZ_MUST_USE;
/* The name of a copy that its profiler (the CUPTI monitor) just calls "Memcpy", by its arguments,
 * in the words of the others: "Memcpy HtoD (Pageable -> Device)". {NULL, 0}: it has a name, or
 * memory ended. */
struct az_sv az_pytorch_copy_text(struct az_arena *a, const struct az_pytorch_event *e);
/* Hardware counters over a kernel (cuda_profiler_range): every number of the args is one. A span of
 * times that do not fit is counted. */
int az_pytorch_add_counters(struct az_pytorch_reader *r,
                            const struct az_pytorch_event *e) AZ_MUST_USE;
/* A sample of a counter (phase C): every number of the args is one. */
int az_pytorch_add_samples(struct az_pytorch_reader *r,
                           const struct az_pytorch_event *e) AZ_MUST_USE;
/* An instant `[memory]`. *taken: memory that a device has in use. */
int az_pytorch_add_memory(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          bool *taken) AZ_MUST_USE;
/* Nodes of graphs (pytorch_graph.c): the node of a device event; an arrow between nodes
 * (ids from AZ_PYTORCH_NODE_ARROWS on); a node that is no device work. */
#define AZ_PYTORCH_NODE_ARROWS (INT64_C(1) << 40)
int az_pytorch_graph_node(struct az_pytorch_reader *r,
                          const struct az_pytorch_event *e) AZ_MUST_USE;
int az_pytorch_graph_wait(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          int64_t id) AZ_MUST_USE;
bool az_pytorch_is_graph_pass(struct az_sv cat);
int az_pytorch_graph_pass(struct az_pytorch_reader *r,
                          const struct az_pytorch_event *e) AZ_MUST_USE;
/* The lane of an event's pid and tid, on the device or the host. */
int az_pytorch_lane(struct az_pytorch_reader *r, const struct az_pytorch_event *e, bool device_side,
                    uint32_t *lane) AZ_MUST_USE;
/* Id of a text as written in the file; escaped: it may contain escapes. */
int az_pytorch_name(struct az_pytorch_reader *r, struct az_sv raw, bool escaped,
                    uint32_t *id) AZ_MUST_USE;
/* Spans in two events, phases B and E (pytorch_begin_end.c). A begin of the device is added by
 * `add` as a span of no length, which gets its end later. */
int az_pytorch_begin_span(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          int (*add)(struct az_pytorch_reader *r,
                                     const struct az_pytorch_event *e)) AZ_MUST_USE;
int az_pytorch_end_span(struct az_pytorch_reader *r, const struct az_pytorch_event *e) AZ_MUST_USE;
/* What a part left open, after its events were appended: `rows` of each kind were there before,
 * name[] are its texts. */
int az_pytorch_begins_join(struct az_pytorch_reader *r, const struct az_pytorch_reader *part,
                           const uint32_t *name, const size_t *rows) AZ_MUST_USE;
/* Begins without an end are lost. */
int az_pytorch_begins_finish(struct az_pytorch_reader *r) AZ_MUST_USE;
void az_pytorch_begins_release(struct az_pytorch_reader *r);
/* pid and tid may be numbers or text: numbers stand for themselves, text for its name id with this
 * bit set. */
#define AZ_PYTORCH_IS_TEXT    (UINT64_C(1) << 63)
#define AZ_PYTORCH_CATEGORIES 256 /* unknown ones listed one by one; files have a handful */
/* pid or tid as a number: of texts the id of their name. Of a part, as the whole has it. */
int az_pytorch_identity(struct az_pytorch_reader *r, const struct az_pytorch_id *id,
                        uint64_t *out) AZ_MUST_USE;
uint64_t az_pytorch_joined_identity(const uint32_t *name, uint64_t id);
/* The place of the lane with these identities; added: it has none yet. */
int az_pytorch_lane_find(struct az_pytorch_reader *r, uint64_t pid, uint64_t tid, bool device_side,
                         uint32_t **lane, bool *added) AZ_MUST_USE;
/* The next launch call of the file links by External id, or by correlation. For the other tool's
 * rule (flow) the first one decides for all; else External id, which several launches share, is
 * used only where no launch has a correlation: a call as cudaLaunchHostFunc may have none. */
void az_pytorch_launch_key(struct az_pytorch_reader *r, bool ext);
/* An event into the model. */
int az_pytorch_add(struct az_pytorch_reader *r, const struct az_pytorch_event *e) AZ_MUST_USE;
/* Appends what a reader of the next part of the same file read; the part can only be released
 * afterwards. */
int az_pytorch_join(struct az_pytorch_reader *r, struct az_pytorch_reader *part) AZ_MUST_USE;
/* Applies metadata events and counts to the trace. */
int az_pytorch_finish(struct az_pytorch_reader *r) AZ_MUST_USE;
/* pytorch_merged.c: are there several ranks in the file? Then optrace.lane_scopes numbers their
 * lanes by rank, and equal device numbers of two ranks are made different. */
int az_pytorch_find_merged(struct az_pytorch_reader *r) AZ_MUST_USE;

/* A document being read. */
struct az_pytorch_input {
    struct az_parse *job;
    struct az_source *src;
    struct az_pipe *pipe;  /* reads src ahead on a thread of its own; NULL: src is read here */
    uint64_t reported;     /* bytes counted in the progress */
    struct az_trace *room; /* that gets room for what is to come; NULL: none */
    uint64_t share;        /* bytes of src that are read here, where that is a part of it; 0 */
    bool source_bad;       /* the stream broke off (gzip): what came before it is used */
    bool seen_events;
    unsigned parts; /* joined to the first one */
    struct az_jarray array;
};
/* Fill function of az_jscan; ctx is the input. */
int az_pytorch_fill(void *input, void *buf, size_t n, size_t *got);

/* How a file is divided among threads; tests choose small values. */
struct az_pytorch_tuning {
    int64_t split_min; /* bytes from which on an uncompressed file is split */
    size_t window;     /* of the scanner; 0: its default */
    bool captured;     /* the reader's */
    unsigned *parts;   /* receives the number of parts joined to the first one; may be NULL */
    bool *truncated;   /* receives whether the file breaks off; may be NULL */
};
int az_pytorch_parse(struct az_parse *job, const struct az_pytorch_tuning *tuning) AZ_MUST_USE;
/* The same from an open source, by one thread. Does not close it. */
int az_pytorch_parse_source(struct az_parse *job, struct az_source *src, size_t window) AZ_MUST_USE;
/* Top-level member of a trace that is a window of another one: its spans. */
#define AZ_PYTORCH_WINDOW_KEY "analyzerWindow"
/* Category of the events that `analyzer cut --annotate` adds for viewers; they are never read. */
#define AZ_PYTORCH_ADDED "analyzer" /* formats/shared/cut_records.h */
/* Writes the events of a window (pytorch_cut.c). */
int az_pytorch_cut(struct az_cut *cut) AZ_MUST_USE;
/* Reads the event array at the cursor of *s, of an uncompressed file, on the job's threads; *s and
 * in->src are afterwards those of the last part. Malformed events are skipped (not for strict
 * reading). The array is not to be added up yet. */
int az_pytorch_split(struct az_pytorch_input *in, struct az_jscan *s, struct az_pytorch_reader *r,
                     size_t window) AZ_MUST_USE;

#endif
