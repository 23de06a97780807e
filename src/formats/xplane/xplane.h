/* XPlane profiles (.xplane.pb of JAX and TensorFlow): what the files of this format share. Field
 * numbers: docs/formats-xplane.md 1. */
#ifndef AZ_FORMATS_XPLANE_XPLANE_H
#define AZ_FORMATS_XPLANE_XPLANE_H

#include "classify/rule_cache.h"
#include "formats/format.h"
#include "io/source.h"
#include "model/xtrace.h"
#include "text/protowire.h"

/* From the ids of a plane's metadata to their rows: an array where the ids are small, else a map.
 */
struct az_xplane_ids {
    struct az_vec_u32 dense; /* id -> row; AZ_NO_ID */
    struct az_map sparse;
    bool is_sparse;
};

/* Stats that are read, by name. */
enum az_xplane_role {
    XP_NONE,
    XP_CORRELATION,
    XP_PROGRAM,
    XP_HLO_OP,
    XP_HLO_MODULE,
    XP_SCOPE,
    XP_KERNEL_DETAILS,
    XP_COPY_DETAILS,
    XP_DEVICE,
    XP_STEP,
    XP_CATEGORY,
    XP_FLOPS,
    XP_BYTES,
    XP_TF_OP,
    XP_HLO_PROTO,
    XP_VENDOR,
    XP_UNITS,
    XP_CLOCK,
    XP_MEMORY_BANDWIDTH,
    XP_MEMORY_SIZE,
    XP_DEVICE_TYPE,
    XP_PEAK_TFLOPS,
    XP_PEAK_HBM,
    XP_START_TIME,
    XP_STOP_TIME,
    XP_ROLES
};

struct az_xplane_stat_name { /* XStatMetadata */
    uint64_t id;
    struct az_sv name;
    uint32_t text; /* name id once it was a value; AZ_NO_ID */
    uint8_t role;
};
AZ_VEC(struct az_xplane_stat_name, az_xplane_stat_names);

struct az_xplane_defaults { /* stats of a metadata entry, which its events may overrule */
    struct az_xrow row;
    uint64_t correlation;
};

struct az_xplane_meta { /* XEventMetadata */
    uint64_t id;
    struct az_sv name, display, body;
    uint32_t text;                       /* name id; AZ_NO_ID before its first use */
    uint32_t row;                        /* TPU: row of the trace + 1; 0: not made */
    uint8_t kind;                        /* xplane_gpu.c; 0: not decided */
    bool has_defaults;                   /* xplane_gpu.c: `defaults` is decided */
    struct az_xplane_defaults *defaults; /* its values for all its events; NULL: nothing */
    /* host: */
    uint64_t count;
    int64_t ticks, min, max;
};
AZ_VEC(struct az_xplane_meta, az_xplane_metas);

struct az_xplane_value { /* XStat */
    uint8_t role;
    unsigned kind; /* field number of the value: 2 double, 3 uint64, 4 int64, 5 string, 6 bytes, 7
                      reference; 0 none */
    uint64_t number;
    struct az_sv bytes;
};

struct az_xplane_event { /* XEvent */
    uint64_t meta;
    int64_t offset, duration; /* ps */
    struct az_protobuf stats; /* cursor at its first stat; at the end where there is none */
    bool look;                /* some stat may be one that az_xplane.look chooses */
    bool odd;                 /* some stat is not in the usual form */
    const uint8_t *mark;      /* of the chosen ones in the usual form the last, and their number */
    unsigned marks;
};

/* Stats that an event of a name had, without its correlation: two pieces of the file, and the row
 * of the trace + 1 that they are (0: none). */
struct az_xplane_stats {
    const uint8_t *at[2];
    uint64_t meta;
    size_t n[2];
    uint32_t node;
    uint32_t name, geo; /* of a kernel: its name; AZ_NO_ID: it is none, or not known yet */
    uint32_t next;      /* what came after it in its line; AZ_NO_ROW: nothing yet */
};
AZ_VEC(struct az_xplane_stats, az_xplane_stats_vec);

struct az_xplane_line { /* XLine */
    struct az_sv name, display, body;
    int64_t id, timestamp_ns;
};

struct az_xplane_module { /* one entry of /host:metadata */
    uint64_t program;
    struct az_sv name, proto; /* proto.p NULL: none embedded */
};
AZ_VEC(struct az_xplane_module, az_xplane_modules);

enum {
    AZ_XPLANE_PLANE_FIELD = 1,
    AZ_XPLANE_WINDOW_FIELD = 1000 /* no field of the profiler */
};

/* Bytes of the file, or a copy of some of them: what is read. */
struct az_xplane_block {
    const struct az_mapping *map; /* empty: the file is in memory */
    struct az_sv file;
    struct az_vec_char copy;
    const char *p, *limit; /* up to where may be read */
    uint64_t at;           /* place of p in the file */
};
void az_xplane_block_init(struct az_xplane_block *b, const struct az_mapping *map,
                          struct az_sv file, struct az_mem *mem);
/* Bytes of the file, as a copy if they are few: views end with the next call. */
struct az_sv az_xplane_load(struct az_xplane_block *b, struct az_sv bytes);
void az_xplane_unload(struct az_xplane_block *b);
void az_xplane_block_release(struct az_xplane_block *b);
/* Place in the file, of what is loaded. */
static inline uint64_t az_xplane_offset(const struct az_xplane_block *b, const void *p)
{
    return b->at + (uint64_t)((const char *)p - b->p);
}
/* The same, also of the file. */
uint64_t az_xplane_offset_of(const struct az_xplane_block *b, const void *p);
static inline bool az_xplane_is_copy(const struct az_xplane_block *b) { return b->p != b->file.p; }

/* A field of the file: a plane, a message of the profiler, the window of a cut. */
struct az_xplane_field {
    uint32_t number; /* 0: none of these */
    struct az_sv bytes;
    const char *tag; /* its first byte in the file */
};
AZ_VEC(struct az_xplane_field, az_xplane_fields);

struct az_xplane {
    struct az_parse *job;
    struct az_trace *t;
    struct az_xtrace *x;
    struct az_sv path, bytes;
    struct az_mapping map;          /* of the bytes; none: they are in memory */
    struct az_xplane_block block;   /* the plane being read */
    const uint8_t *used;            /* events before it, of the line being read, are read */
    const uint8_t *bad;             /* where the wire format is broken; NULL: nowhere yet */
    const char *what;               /* in what */
    struct az_xplane_fields fields; /* of the file, in its order */
    struct az_sv rest; /* of the plane that the file ends in; NULL: it ends after one */
    int64_t origin_ns; /* the smallest timestamp of a line of the file: times count from here */
    bool cut;          /* the last plane is not whole: what can be read of it is used */
    bool damaged;      /* the gzip stream broke off: the bytes are those before */
    struct az_xplane_passes *passes; /* xplane_passes.c; NULL: the file is read once */
    /* the plane being read */
    struct az_sv plane_name;
    struct az_xplane_metas metas;
    struct az_rule_cache events, host; /* groups of rules */
    struct az_xplane_stat_names stat_names;
    struct az_vec_sv lines, plane_stats;
    struct az_xplane_ids meta_ids, stat_ids;
    /* By id of a stat, of one or two bytes: events that have it are read (of a host: launches; of a
     * GPU: the correlation; of a TPU: its own row). */
    uint8_t look[1 << 14];
    struct az_xplane_stats_vec stats; /* by GPU events of the plane, with their hash and a count: */
    struct az_map stats_of;
    bool has_told;
    uint32_t stats_last; /* of them, by the last event of the line; AZ_NO_ROW: by none */
    uint32_t no_row;     /* row of events without stats of their own; AZ_NO_ROW: not made */
    struct az_xplane_modules modules;
    /* Name id of kernel_details -> number of its geometry; AZ_NO_ROW: not read yet. */
    struct az_vec_u32 geometry;
    bool of_device;                         /* the plane being read */
    uint64_t unknown_meta[2], bad_times[2]; /* of the host, of devices */
};

/* ---- xplane_plane.c ---- */
/* Marks the place and returns AZ_EFORMAT. */
int az_xplane_bad(struct az_xplane *r, const uint8_t *at, const char *what) AZ_MUST_USE;
/* Reads names and metadata of a plane; lines and stats are stored as views. */
int az_xplane_plane(struct az_xplane *r, struct az_sv plane) AZ_MUST_USE;
int az_xplane_line(struct az_xplane *r, struct az_sv line, struct az_xplane_line *out) AZ_MUST_USE;
/* Bytes of the file that are read stay in memory until there are so many. */
#define AZ_XPLANE_USED ((ptrdiff_t)4 << 20)
void az_xplane_used(struct az_xplane *r, const uint8_t *to);
/* The same of planes, up to `to` since *used. */
static inline void az_xplane_passed(struct az_xplane *r, const char **used, const char *to)
{
    if (to - *used <= AZ_XPLANE_USED)
        return;
    az_map_used(&r->map, *used, to);
    *used = to;
}
/* ---- xplane_event.c ---- */
/* Next event of a line body: 1, 0, error. */
int az_xplane_next_event(struct az_xplane *r, struct az_protobuf *line,
                         struct az_xplane_event *e) AZ_MUST_USE;
/* The same in two steps: the numbers that the event begins with (`stats` is set to the bytes after
 * them), then its stats. */
int az_xplane_event_numbers(struct az_xplane *r, struct az_protobuf *line,
                            struct az_xplane_event *e) AZ_MUST_USE;
int az_xplane_event_stats(struct az_xplane *r, struct az_xplane_event *e) AZ_MUST_USE;
/* The id of a stat at p, of one or two bytes, of which there are `n`; how many it has, 0: it is
 * longer. */
static inline unsigned az_xplane_short_id(const uint8_t *p, ptrdiff_t n, unsigned *id)
{
    *id = p[0];
    if (p[0] < 0x80)
        return 1;
    if (n < 2 || p[1] >= 0x80)
        return 0;
    *id = (p[0] & 0x7fu) | (unsigned)p[1] << 7;
    return 2;
}
/* Can eight bytes be read at every place up to there? */
static inline bool az_xplane_wide(const struct az_xplane *r, const uint8_t *end)
{
    return (const uint8_t *)r->block.limit - end >= 8;
}
/* A number, or a reference to a text, as profilers write nearly all stats: short, the id first,
 * nothing after it. False for any other form, which is read field by field. Sets no role. */
static inline bool az_xplane_short_stat(const struct az_xplane *r, struct az_protobuf *m,
                                        uint32_t field, unsigned *id, struct az_xplane_value *out)
{
    enum {
        UNSIGNED = 3 << 3 | AZ_PROTOBUF_INT,
        SIGNED = 4 << 3 | AZ_PROTOBUF_INT,
        TEXT = 7 << 3 | AZ_PROTOBUF_INT
    };
    const uint8_t *p = m->p;
    if (m->end - p < 6 || p[0] != (field << 3 | AZ_PROTOBUF_BYTES) || p[1] < 4 || p[1] >= 0x80 ||
        p[1] > m->end - p - 2 || p[2] != (1 << 3 | AZ_PROTOBUF_INT))
        return false;
    const uint8_t *tag = p + 3 + az_xplane_short_id(p + 3, p[1] - 2, id);
    if (tag == p + 3 || (*tag != UNSIGNED && *tag != SIGNED && *tag != TEXT))
        return false;
    struct az_protobuf value = { tag + 1, p + 2 + p[1], 0 };
    const unsigned n =
        az_xplane_wide(r, value.end) ? az_protobuf_varint_word(value.p, &out->number) : 0;
    if ((n == 0 || value.p + n != value.end) &&
        (az_protobuf_varint(&value, &out->number) || value.p != value.end))
        return false;
    out->kind = *tag >> 3;
    out->bytes = (struct az_sv){ "", 0 };
    m->p = p + 2 + p[1];
    return true;
}
/* Next stat of an event, of a metadata entry or of a plane (`field`: its number there). */
int az_xplane_next_stat(struct az_xplane *r, struct az_protobuf *m, uint32_t field,
                        struct az_xplane_value *v) AZ_MUST_USE;
int az_xplane_stat(struct az_xplane *r, struct az_sv stat, struct az_xplane_value *v) AZ_MUST_USE;
struct az_sv az_xplane_text(const struct az_xplane *r, const struct az_xplane_value *v);
/* Name id of a text value; AZ_NO_ID for a number. */
uint32_t az_xplane_name(struct az_xplane *r, const struct az_xplane_value *v);
/* A number as a whole one; -1 for a double that does not fit. */
static inline int64_t az_xplane_whole(const struct az_xplane_value *v)
{
    const double d = v->kind == 2 ? az_protobuf_double(v->number) : 0;
    return v->kind != 2 ? (int64_t)v->number : d >= -9e18 && d <= 9e18 ? (int64_t)d : -1;
}
static inline double az_xplane_real(const struct az_xplane_value *v)
{
    return v->kind == 2   ? az_protobuf_double(v->number)
           : v->kind == 4 ? (double)(int64_t)v->number
                          : (double)v->number;
}
/* Start and end in ticks from the origin; false where they do not fit, or the event ends before it
 * starts. */
bool az_xplane_times(struct az_xplane *r, const struct az_xplane_line *l,
                     const struct az_xplane_event *e, int64_t *start, int64_t *end);
uint32_t az_xplane_find_sparse(const struct az_xplane_ids *ids, uint64_t id);
static inline uint32_t az_xplane_find(const struct az_xplane_ids *ids, uint64_t id)
{
    return id < ids->dense.n ? ids->dense.v[id]
           : ids->is_sparse  ? az_xplane_find_sparse(ids, id)
                             : AZ_NO_ID;
}
/* The metadata of an event; NULL (and counted) where the plane has none of that id. */
static inline struct az_xplane_meta *az_xplane_meta_of(struct az_xplane *r,
                                                       const struct az_xplane_event *e)
{
    const uint32_t i = az_xplane_find(&r->meta_ids, e->meta);
    if (i != AZ_NO_ID)
        return &r->metas.v[i];
    r->unknown_meta[r->of_device]++;
    return NULL;
}
uint32_t az_xplane_meta_name(struct az_xplane *r, struct az_xplane_meta *m);
int az_xplane_lane(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane,
                   enum az_xlane_role role, uint32_t *lane) AZ_MUST_USE;
void az_xplane_plane_release(struct az_xplane *r);
void az_xplane_plane_init(struct az_xplane *r);

/* ---- xplane_dedup.c: repeated stats of the events of a GPU ---- */
/* Where the stats of this event of a name are, or are to be put (*added); it is the last of its
 * line then. */
int az_xplane_dedup_stats(struct az_xplane *r, const struct az_xplane_event *x, uint32_t *index,
                          bool *added) AZ_MUST_USE;
/* Are the stats of an event, of which the numbers were read, those that came the last time after
 * those of the event before it? NULL: they have to be read. */
const struct az_xplane_stats *
az_xplane_dedup_next(struct az_xplane *r, const struct az_xplane_event *x, uint64_t *correlation);
/* Are there so many that they are no repetition? */
bool az_xplane_dedup_full(const struct az_xplane *r);

/* ---- xplane.c ---- */
/* The next field of a file: 1, 0, AZ_EFORMAT. */
int az_xplane_next_field(struct az_protobuf *m, struct az_xplane_field *out) AZ_MUST_USE;
/* The lines of a plane into the trace. */
int az_xplane_read_plane(struct az_xplane *r, struct az_sv bytes) AZ_MUST_USE;
/* Applies a function to every plane of r->fields; with `say`, also messages of the file. */
int az_xplane_each_plane(struct az_xplane *r, int (*each)(struct az_xplane *, struct az_sv),
                         bool say) AZ_MUST_USE;
#define AZ_XPLANE_CUT "file truncated (events after the end are unknown)"
/* "/device:GPU:7" -> 7. False for variants such as " SparseCore". */
bool az_xplane_ordinal(struct az_sv name, struct az_sv prefix, int64_t *ordinal);
/* The device of the plane just read; planes of one name are one device (files put together have
 * several). */
int az_xplane_device(struct az_xplane *r, enum az_plane_kind kind, int64_t ordinal,
                     uint32_t *index) AZ_MUST_USE;
/* Facts, lost events and messages, once all is read. */
int az_xplane_finish(struct az_xplane *r) AZ_MUST_USE;

/* ---- xplane_cut.c: a window of a profile ---- */
struct az_cut_log;
int az_xplane_write_cut(struct az_cut *job, const struct az_trace *t,
                        struct az_cut_log *log) AZ_MUST_USE;
/* The window of a file that was cut, and where its times count from; after r->origin_ns is set, by
 * r->fields. */
int az_xplane_read_window(struct az_xplane *r) AZ_MUST_USE;

/* Message: damaged, nothing was written. */
int az_xplane_cut_damaged(struct az_cut *job) AZ_MUST_USE;

/* ---- xplane_passes.c: the file read several times, so that nothing of its events is stored ----
 */
struct az_xplane_host_line;
/* Fields of events of a line that follow each other: what is known of all. */
struct az_xplane_chunk {
    uint64_t from, to;          /* bytes of the file */
    struct az_span all;         /* the first start, the last end */
    struct az_span work;        /* of device work */
    int64_t last;               /* the last start */
    int64_t runs;               /* az_xplane_host_line.runs at its end */
    uint32_t events;            /* in the file */
    uint32_t records;           /* those that were read: some lines are read twice */
    uint32_t n_work, inside;    /* of them: device work, and of that in the window */
    uint32_t bits;              /* of the first event, where they are decided one by one */
    uint8_t flags, disposition; /* AZ_XPLANE_KEPT to AZ_XPLANE_MIXED */
};
AZ_VEC(struct az_xplane_chunk, az_xplane_chunks);
enum { AZ_XPLANE_KEPT, AZ_XPLANE_GONE, AZ_XPLANE_MIXED };
/* Cuts the file that is mapped, or in memory, after r->origin_ns is set. */
int az_xplane_cut_space(struct az_xplane *r, struct az_cut *job) AZ_MUST_USE;
/* The file into the output: chunks by their disposition, the events of mixed ones by their bits. */
int az_xplane_write_chunks(struct az_cut *job, struct az_xplane *r,
                           const struct az_xplane_chunks *chunks,
                           const struct az_vec_u8 *bits) AZ_MUST_USE;
/* The next event to read of this pass, from the beginning of one on. */
const uint8_t *az_xplane_pass_over(struct az_xplane_passes *p, const uint8_t *at);
/* An event is read. */
int az_xplane_pass_event(struct az_xplane_passes *p, const uint8_t *tag,
                         const uint8_t *end) AZ_MUST_USE;
/* It is in sums only. */
void az_xplane_pass_sum(struct az_xplane_passes *p, int64_t start, int64_t end);
/* A line of a host begins; NULL: none is read. */
void az_xplane_pass_thread(struct az_xplane_passes *p, struct az_xplane_host_line *h);
/* The chunk that begins with this byte of the file, or the next one; chunks->n. */
size_t az_xplane_chunk_at(const struct az_xplane_chunks *chunks, uint64_t from);

/* ---- xplane_json.c: the same profile as a trace for a viewer ---- */
bool az_xplane_json_probe(struct az_sv head);
/* Reads all of the source, r->path. Messages in the diag. */
int az_xplane_json(struct az_xplane *r, struct az_source *src) AZ_MUST_USE;

/* ---- xplane_gpu.c, xplane_tpu.c, xplane_host.c: the lines of the plane just read ---- */
int az_xplane_gpu(struct az_xplane *r, uint32_t plane) AZ_MUST_USE;
int az_xplane_tpu(struct az_xplane *r, uint32_t plane) AZ_MUST_USE;
int az_xplane_host(struct az_xplane *r) AZ_MUST_USE;
/* Adds an event (lane and times are set) whose metadata is known. */
typedef int az_xplane_event_fn(struct az_xplane *r, struct az_xplane_meta *m,
                               struct az_xplane_event *x, struct az_event *e);
/* Passes the events of a line to `take`, in a lane of that role; those without metadata or times
 * that fit are skipped.
 */
int az_xplane_events(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane,
                     enum az_xlane_role role, az_xplane_event_fn *take) AZ_MUST_USE;
/* Stores a derived line as ranges. */
int az_xplane_ranges(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane,
                     enum az_xlane_role role) AZ_MUST_USE;
/* Counts the events of a line that is skipped. */
int az_xplane_skip_line(struct az_xplane *r, const struct az_xplane_line *l,
                        const char *reason) AZ_MUST_USE;

/* Work of a GPU: a kernel, a copy or a memset by its name; e->node is set. */
int az_xplane_add_work(struct az_xplane *r, struct az_xplane_meta *m, const struct az_xrow *row,
                       struct az_event *e) AZ_MUST_USE;
bool az_xplane_has_metadata(const struct az_xrow *row);
/* The trace's row for the stats of an event of this name. */
int az_xplane_row_of(struct az_xplane *r, struct az_xplane_meta *m, const struct az_xrow *row,
                     uint32_t *index) AZ_MUST_USE;
/* An operation of a TPU core, or control flow, by its row (e->node). */
int az_xplane_add_operation(struct az_xplane *r, struct az_event *e) AZ_MUST_USE;
/* Control flow without an operation in it runs what was not recorded: it becomes an operation. Once
 * all events are there. */
int az_xplane_empty_containers(struct az_xplane *r) AZ_MUST_USE;
/* "%copy-start.1 = (f32[..." -> "copy-start.1" */
struct az_sv az_xplane_short_name(struct az_sv name);
void az_xplane_report_bare(struct az_xplane *r, struct az_sv plane);

struct az_xplane_host_stats {
    uint64_t correlation, device; /* device + 1; 0: none */
    int64_t step;                 /* -1: none */
};
struct az_xplane_host_line { /* a line of a host */
    const struct az_xplane_line *of;
    bool python;  /* a thread of Python, where programs annotate */
    int64_t lane; /* of the trace; -1 before its first stored event */
    int64_t runs; /* up to when the runtime works: names in it are its own */
};
struct az_xplane_host_line az_xplane_host_line(const struct az_xplane_line *l);
/* A host event with its times: added to the sums of its name, and stored where it launches work,
 * compiles, is a step, an annotation of the program or a long Python frame. */
int az_xplane_host_event(struct az_xplane *r, struct az_xplane_host_line *h,
                         struct az_xplane_meta *meta, struct az_event *e,
                         const struct az_xplane_host_stats *s) AZ_MUST_USE;
/* Sums of the plane's events to those of the trace, by name. */
int az_xplane_host_sums(struct az_xplane *r) AZ_MUST_USE;

/* ---- xplane_hlo.c ---- */
/* Entries of /host:metadata. */
int az_xplane_modules(struct az_xplane *r) AZ_MUST_USE;
/* Finds the instructions that rows of the trace belong to. */
int az_xplane_join(struct az_xplane *r) AZ_MUST_USE;
/* Removes kernels whose metadata contain none of the words of option
 * kernel_metadata_keyword_filters; counted.
 */
int az_xplane_filter(struct az_xplane *r) AZ_MUST_USE;

/* ---- xplane_instr.c ---- */
struct az_xplane_instr { /* of the module being read */
    uint64_t id;
    struct az_sv name, body;
};
AZ_VEC(struct az_xplane_instr, az_xplane_instrs);
struct az_xplane_computation {
    uint64_t id;
    size_t first, n; /* of its instructions */
};
AZ_VEC(struct az_xplane_computation, az_xplane_computations);
struct az_xplane_hlo {
    struct az_trace *t;
    struct az_xplane_instrs instrs;
    struct az_xplane_computations computations;
    struct az_map by_id, by_name; /* name: hash; clashes by comparing */
};
const struct az_xplane_instr *az_xplane_instr_by_id(const struct az_xplane_hlo *h, uint64_t id);
/* Everything the analyses need of one instruction. AZ_EFORMAT where its bytes are broken. */
int az_xplane_decode(const struct az_xplane_hlo *h, const struct az_xplane_instr *i,
                     struct az_hlo_op *op) AZ_MUST_USE;
/* ---- xplane_shape.c ---- */
int az_xplane_shape(struct az_trace *t, const struct az_protobuf *in, struct az_sv bytes,
                    struct az_hlo_shape *s) AZ_MUST_USE;
int az_xplane_numbers(struct az_trace *t, struct az_sv message, uint32_t field,
                      struct az_hlo_dims *out) AZ_MUST_USE;
/* ---- xplane_config.c: texts of an instruction ---- */
/* JSON of a library's matrix product, and MLIR attributes of fused attention. */
int az_xplane_gemm_config(struct az_trace *t, struct az_sv json, struct az_hlo_op *op,
                          struct az_hlo_dot *dot) AZ_MUST_USE;
int az_xplane_attention_config(struct az_trace *t, struct az_sv text,
                               struct az_hlo_op *op) AZ_MUST_USE;
/* ---- xplane_coll.c ---- */
int az_xplane_collective(struct az_trace *t, struct az_sv body, struct az_hlo_op *op) AZ_MUST_USE;

#endif
