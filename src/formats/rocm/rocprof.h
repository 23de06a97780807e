/* Private to rocprof*.c, rocpd.c and pftrace*.c: AMD profiles being read into one model, whatever
 * their container (docs/formats-rocprof.md). */
#ifndef AZ_FORMATS_ROCM_ROCPROF_H
#define AZ_FORMATS_ROCM_ROCPROF_H

#include "formats/format.h"
#include "formats/shared/shown_names.h"
#include "model/dispatch.h"

#define ROC_LANE_CACHE 256

struct az_rocprof {
    struct az_parse *job;
    struct az_trace *t;
    struct az_dispatches *d;
    struct az_arena scratch;
    bool full_names; /* option kernel_names: full */
    uint32_t proc;   /* of the process being read: 1, 2, ... */
    int64_t pid;
    uint64_t negative; /* events that end before they start */
    uint64_t unnamed;  /* kernels without a symbol */
    struct az_shown_names shown;
    struct {
        uint64_t key[4];
        uint32_t lane, proc;
        bool used;
    } lanes[ROC_LANE_CACHE];
    struct az_map sum_of;     /* name -> row of the trace's kernel sums */
    struct az_sv window;      /* CSV: the file that has the spans of the window; empty: none yet */
    uint32_t set;             /* CSV: number of the first process of the files of one prefix */
    struct az_map process_of; /* pid, set -> number of its process; by az_rocprof_select */
    struct az_rocprof_pending *pending;
    size_t n_pending, cap_pending;
    bool counted;     /* pending dispatches become kernels */
    bool any_counted; /* the last one: */
    uint32_t counted_proc;
    uint64_t counted_dispatch;
};

/* Is there an event of this kind, also one that a cut has not stored? */
bool az_rocprof_has(const struct az_rocprof *r, enum az_kind kind);
/* Is `analyzer cut` reading a file whose dispatches are known from their counters only? */
bool az_rocprof_is_counted_cut(const struct az_rocprof *r);

/* Opens a trace for reading; after it az_rocprof_release in any case. */
int az_rocprof_init(struct az_rocprof *r, struct az_parse *job) AZ_MUST_USE;
void az_rocprof_release(struct az_rocprof *r);
/* Begins a process; init and fini may be set later in d->processes. */
int az_rocprof_process(struct az_rocprof *r, int64_t pid, int64_t init, int64_t fini) AZ_MUST_USE;
/* The process of this number, or a new one; the first (of a set of CSV files) without a number gets
 * it. 0: the first. */
int az_rocprof_select(struct az_rocprof *r, int64_t pid) AZ_MUST_USE;
static inline struct az_process *az_rocprof_current(struct az_rocprof *r)
{
    return &r->d->processes.v[r->proc - 1];
}
/* A GPU or CPU of the process. name, cus, bytes describe it in `devices`. */
int az_rocprof_agent(struct az_rocprof *r, int64_t index, bool gpu, struct az_sv name, int64_t cus,
                     int64_t bytes) AZ_MUST_USE;

/* Lane of a thread of the process. */
int az_rocprof_host_lane(struct az_rocprof *r, int64_t thread, uint32_t *out) AZ_MUST_USE;

struct az_rocprof_kernel {
    int64_t start, end, thread, agent, queue, stream; /* agent: index */
    uint64_t corr, dispatch;
    uint32_t name; /* AZ_NO_ID: from the shape's whole name */
    struct az_dispatch_shape shape;
};
int az_rocprof_kernel(struct az_rocprof *r, const struct az_rocprof_kernel *k) AZ_MUST_USE;
/* The same with k->name unchanged and a row of shapes that the caller owns. */
int az_rocprof_kernel_row(struct az_rocprof *r, const struct az_rocprof_kernel *k,
                          uint32_t shape) AZ_MUST_USE;
/* A dispatch known from its counters; becomes a kernel if the profile has no other dispatches of
 * the process. */
int az_rocprof_counted(struct az_rocprof *r, const struct az_rocprof_kernel *k) AZ_MUST_USE;
struct az_rocprof_pending {
    uint32_t proc, record; /* record: of `analyzer cut` */
    int64_t pid;
    struct az_rocprof_kernel k;
};

struct az_rocprof_copy {
    int64_t start, end, queue, stream, bytes; /* bytes -1: not recorded */
    int32_t src, dst;                         /* agent indexes, AZ_NO_AGENT */
    uint64_t corr;
    uint32_t name;
};
int az_rocprof_copy(struct az_rocprof *r, const struct az_rocprof_copy *c) AZ_MUST_USE;
/* Lane of a copy: on its destination if that is a GPU (where the agent is not known: unless
 * `direction` ends in TO_HOST), else on its source. */
int az_rocprof_copy_lane(struct az_rocprof *r, const struct az_rocprof_copy *c,
                         struct az_sv direction, uint32_t *out) AZ_MUST_USE;

struct az_rocprof_span { /* on the host */
    int64_t start, end, thread;
    uint64_t corr;
    uint32_t name, domain; /* name ids */
    uint32_t uid;          /* of a call: row of d->call_notes, where those are stored */
};
int az_rocprof_call(struct az_rocprof *r, const struct az_rocprof_span *s) AZ_MUST_USE;
int az_rocprof_range(struct az_rocprof *r, const struct az_rocprof_span *s) AZ_MUST_USE;

struct az_rocprof_alloc {
    struct az_rocprof_span at;
    struct az_alloc what;
};
int az_rocprof_alloc(struct az_rocprof *r, const struct az_rocprof_alloc *a) AZ_MUST_USE;

/* The names of a kernel symbol; any may be empty. */
struct az_rocprof_symbol_names {
    struct az_sv mangled, formatted, demangled, truncated;
};
/* Whole name, and the name to show (docs/formats-rocprof.md 2.3); both empty if no name serves.
 * Views into `n`. */
void az_rocprof_choose_names(const struct az_rocprof *r, const struct az_rocprof_symbol_names *n,
                             struct az_sv *whole, struct az_sv *shown);
/* az_shown_name, or the name of the option kernel_names. */
int az_rocprof_shown_name(struct az_rocprof *r, uint32_t whole, uint32_t shorter,
                          uint32_t *name) AZ_MUST_USE;
/* Name to show for a whole kernel name, by the option kernel_names. */
int az_rocprof_kernel_name(struct az_rocprof *r, uint32_t whole, uint32_t *name) AZ_MUST_USE;
/* "unknown_kernel_<id>" */
uint32_t az_rocprof_unknown_kernel(struct az_rocprof *r, uint64_t id);
/* Whole name without the mark of a kernel descriptor: " [clone .kd]", ".kd". */
struct az_sv az_rocprof_formatted(struct az_sv whole);
static inline uint32_t az_rocprof_u32(int64_t x)
{
    return x < 0 ? 0 : x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}
/* Digits of "Agent 4", "GPU-0", "4" -> 4; AZ_NO_AGENT where there are none. */
int32_t az_rocprof_agent_number(struct az_sv text);
/* Direction of a copy without its label: from the kinds of its agents. */
const char *az_rocprof_direction(const struct az_rocprof *r, int32_t src, int32_t dst);

/* Capabilities, counts and warnings; when all processes are read. */
int az_rocprof_finish(struct az_rocprof *r) AZ_MUST_USE;
/* The message that goes with a memory error, and rc. */
int az_rocprof_error(struct az_rocprof *r, int rc, struct az_sv path) AZ_MUST_USE;

/* The parts of the format "rocprof". */
int az_rocprof_read_json_file(struct az_rocprof *r, struct az_sv path) AZ_MUST_USE;
int az_rocprof_read_csv_set(struct az_rocprof *r, const struct az_file *files,
                            size_t n) AZ_MUST_USE;
/* The window of a set of CSV files as a set, of which the job's file is any one. */
struct az_cut_log;
int az_rocprof_csv_write_cut(struct az_cut *job, const struct az_trace *t,
                             const struct az_cut_log *log) AZ_MUST_USE;
/* How sure is it that the head is a CSV of rocprofv3; and is it a table of sums ("..._stats.csv")?
 */
int az_rocprof_csv_probe(struct az_sv head, bool *sums);
/* Base name without ".gz", ".csv" and the name of the domain ("_kernel_trace"); false: no such
 * ending. */
bool az_rocprof_csv_prefix(struct az_sv path, struct az_sv *prefix);

#endif
