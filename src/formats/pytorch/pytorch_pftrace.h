/* Private to pytorch_pftrace*.c: the native Perfetto output of the PyTorch profiler, brought into
 * the events that its JSON has (docs/formats-pytorch.md 1.8).
 *   pytorch_pftrace.c        the format; slices paired, links and waits by event ids
 *   pytorch_pftrace_wire.c   packets: interned texts, tracks, state for later packets
 *   pytorch_pftrace_event.c  one message as an event: slices, render stages, counters
 *   pytorch_pftrace_args.c   arguments: debug annotations, extra data, launches */
#ifndef AZ_FORMATS_PYTORCH_PYTORCH_PFTRACE_H
#define AZ_FORMATS_PYTORCH_PYTORCH_PFTRACE_H

#include "formats/pytorch/pytorch.h"
#include "formats/shared/perfetto.h"

/* Kinds of interned texts, by their field in InternedData. */
enum {
    PTP_CATEGORY = 1,
    PTP_NAME = 2,
    PTP_ANNOTATION = 3,
    PTP_GPU = 24, /* queues and stages */
    PTP_STRING = 29,
    PTP_COUNTERS = 47,
    PTP_KERNEL = 1000,
    PTP_KERNEL_ARG = 1001
};

struct az_pytorch_pftrace_track {
    uint64_t pid, tid;
};
AZ_VEC(struct az_pytorch_pftrace_track, az_pytorch_pftrace_tracks);

/* The beginning or the end of a slice. Ends have no message. */
struct az_pytorch_pftrace_slice {
    int64_t at;
    uint64_t track; /* uuid */
    struct az_sv message;
    uint32_t generation;
    bool end;
};
AZ_VEC(struct az_pytorch_pftrace_slice, az_pytorch_pftrace_slices);

struct az_pytorch_pftrace_gpu { /* an event of a device */
    uint64_t id;                /* its event id; 0: none */
    uint64_t corr;
    int64_t start, end;
    uint32_t lane;
};
AZ_VEC(struct az_pytorch_pftrace_gpu, az_pytorch_pftrace_gpus);

struct az_pytorch_pftrace_wait {
    uint64_t before; /* event id */
    uint32_t after;  /* index of az_pytorch_pftrace_gpu */
};
AZ_VEC(struct az_pytorch_pftrace_wait, az_pytorch_pftrace_waits);

struct az_pytorch_pftrace {
    struct az_parse *job;
    struct az_perfetto file;
    struct az_pytorch_reader reader;
    struct az_arena kept;     /* messages of slices */
    struct az_map interned;   /* (iid, generation and kind) -> name id */
    struct az_map track_of;   /* uuid -> index */
    struct az_map counter_of; /* (descriptor, generation; counter) -> name id */
    struct az_map event_of;   /* event id -> index of az_pytorch_pftrace_gpu */
    struct az_pytorch_pftrace_tracks tracks;
    struct az_pytorch_pftrace_slices slices;
    struct az_pytorch_pftrace_gpus gpus;
    struct az_pytorch_pftrace_waits waits;
    uint32_t generation; /* of the interned texts: the writer may begin again */
    int64_t base;        /* ns since 1970 of the recording's start */
    bool based;
    uint64_t unresolved, clamped, open, without_begin;
};

/* Id of an interned text; AZ_NO_ID. */
uint32_t az_pytorch_pftrace_text(struct az_pytorch_pftrace *p, unsigned kind, uint32_t generation,
                                 uint64_t iid);
/* Reads the file. */
int az_pytorch_pftrace_packets(struct az_pytorch_pftrace *p) AZ_MUST_USE;

/* ---- messages ---- */
void az_pytorch_pftrace_event_init(struct az_pytorch_event *e);
/* A slice whose end is known. */
int az_pytorch_pftrace_span(struct az_pytorch_pftrace *p, const struct az_pytorch_pftrace_slice *s,
                            int64_t end) AZ_MUST_USE;
int az_pytorch_pftrace_render_stage(struct az_pytorch_pftrace *p, struct az_sv message,
                                    int64_t at) AZ_MUST_USE;
int az_pytorch_pftrace_counter(struct az_pytorch_pftrace *p, struct az_sv message,
                               int64_t at) AZ_MUST_USE;

/* ---- arguments: texts live in the reader's scratch ---- */
/* Argument `key` of an event, of a number or a text; unused keys are skipped. */
void az_pytorch_pftrace_arg_number(struct az_pytorch_event *e, struct az_sv key, int64_t v);
int az_pytorch_pftrace_arg_text(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                                struct az_sv key, struct az_sv text) AZ_MUST_USE;
int az_pytorch_pftrace_annotation(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                                  const struct az_protobuf *m, struct az_sv message,
                                  uint32_t generation) AZ_MUST_USE;
/* {name 1, value 2}: of a render stage. */
int az_pytorch_pftrace_extra(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                             const struct az_protobuf *m, struct az_sv message) AZ_MUST_USE;
/* Grid, block and arguments of a kernel. */
int az_pytorch_pftrace_launch(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                              const struct az_protobuf *m, struct az_sv message) AZ_MUST_USE;

#endif
