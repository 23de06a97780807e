/* Private to rocprof_json*.c: one results.json being read (docs/formats-rocprof.md 2). Numbers of
 * records that name something (kernel ids, operations, counters) are stored as they are until the
 * process is read to its end and then replaced, so that the order of its members does not matter.
 */
#ifndef AZ_FORMATS_ROCM_ROCPROF_JSON_H
#define AZ_FORMATS_ROCM_ROCPROF_JSON_H

#include "formats/rocm/rocprof.h"
#include "text/json_template.h"
#include "text/jsonscan.h"

struct az_rocprof_json_symbol {
    struct az_sv whole,
        shown; /* in the process's arena; shown: by the option kernel_names. Empty: no symbol */
    bool known;
    int64_t vgpr, agpr, sgpr;
    uint32_t whole_id, shown_id; /* name ids, AZ_NO_ID until needed */
};
AZ_VEC(struct az_rocprof_json_symbol, az_rocprof_json_symbols);

struct az_rocprof_json_counter {
    uint64_t id;
    uint32_t name; /* name id; AZ_NO_ID: not defined */
};
AZ_VEC(struct az_rocprof_json_counter, az_rocprof_json_counters);

struct az_rocprof_json_kind { /* of buffer records */
    struct az_sv name;
    size_t first, n; /* of `operations` */
};
AZ_VEC(struct az_rocprof_json_kind, az_rocprof_json_kinds);

enum az_rocprof_json_array {
    RJ_KERNELS,
    RJ_COPIES,
    RJ_ALLOCS,
    RJ_SCRATCH,
    RJ_CALLS,
    RJ_MARKERS,
    RJ_COUNTERS
};

/* Small objects that are written again and again, such as {"handle": 7} and {"x": 64, "y": 1, "z":
 * 1}: equal bytes have equal values. */
enum { RJ_SEEN = 32 };
struct az_rocprof_json_object {
    alignas(16) char text[32];
    uint32_t mask; /* bit i: byte i counts; 0: empty */
    uint8_t len;
    int64_t v[3];
};

struct az_rocprof_json {
    struct az_rocprof *r;
    struct az_source *src;
    struct az_jscan scan;
    struct az_sv path;
    bool source_bad, tool_seen;
    bool window_seen; /* the first counts: a cut of a cut has both, its own before */
    struct az_jarray total;
    struct az_jkeys record_keys, dispatch_keys, handle_keys, corr_keys, xyz_keys, symbol_keys,
        marker_keys;
    struct az_rocprof_json_object seen_handle[RJ_SEEN], seen_xyz[RJ_SEEN];
    struct az_jform form;             /* of records */
    const void *now;                  /* the record being read */
    enum az_rocprof_json_array array; /* whose records are being read */
    uint64_t no_time, no_device_time;
    /* of the process being read */
    struct az_arena arena;
    struct az_map kernel_of; /* kernel id -> number in `symbols` */
    struct az_rocprof_json_symbols symbols;
    struct az_map agent_of; /* handle -> logical index */
    /* Late_agents: what the numbers of agents in the records stand for. */
    struct az_vec_u64 handles;
    struct az_map counter_of; /* id -> number in `counter_names` */
    struct az_rocprof_json_counters counter_names;
    struct az_map marker_of; /* correlation id -> name id of the text */
    struct az_rocprof_json_kinds kinds;
    struct az_vec_sv operations;
    /* Only `shapes` and `shape_of`: `whole` is a number in `symbols`. */
    struct az_dispatches shapes;
    size_t first_event[AZ_KIND_COUNT], first_row, first_counter, first_pending, first_alloc,
        first_lane;
    bool said_process, said_agents; /* metadata and agents were read */
    bool late_process,
        late_agents; /* records came before them: put right at the end of the process */
};

/* Record functions of az_jscan_records; ctx is the rj. */
int az_rocprof_json_record(void *ctx, struct az_jscan *s);
int az_rocprof_json_symbol(void *ctx, struct az_jscan *s);
int az_rocprof_json_marker(void *ctx, struct az_jscan *s);
void az_rocprof_json_record_keys_init(struct az_rocprof_json *j);
void az_rocprof_json_symbol_keys_init(struct az_rocprof_json *j);
/* Numbers inside records: as the scanner reads them; absent or no number is 0 and *has false. The
 * unsigned ones go up to 2^64 - 1: handles and ids are opaque. */
int az_rocprof_json_number(struct az_jscan *s, int64_t *out, bool *has);
int az_rocprof_json_unsigned(struct az_jscan *s, uint64_t *out);
/* Number of a kernel id, new or known. */
int az_rocprof_json_kernel_number(struct az_rocprof_json *j, uint64_t id,
                                  uint32_t *number) AZ_MUST_USE;
int az_rocprof_json_counter_number(struct az_rocprof_json *j, uint64_t id,
                                   uint32_t *number) AZ_MUST_USE;
/* Logical index of an agent's handle; the handle itself where the file does not list it, -1 where
 * that is no small number. */
int64_t az_rocprof_json_agent_index(const struct az_rocprof_json *j, uint64_t agent);

/* Members of a process that are read as a whole. */
int az_rocprof_json_metadata(struct az_rocprof_json *j, struct az_sv raw) AZ_MUST_USE;
int az_rocprof_json_agents(struct az_rocprof_json *j, struct az_sv raw) AZ_MUST_USE;
int az_rocprof_json_counter_list(struct az_rocprof_json *j, struct az_sv raw) AZ_MUST_USE;
int az_rocprof_json_operations(struct az_rocprof_json *j, struct az_sv raw) AZ_MUST_USE;

int az_rocprof_json_process_begin(struct az_rocprof_json *j) AZ_MUST_USE;
/* Replaces numbers by names; then the process's own memory is freed. */
int az_rocprof_json_process_end(struct az_rocprof_json *j) AZ_MUST_USE;
void az_rocprof_json_process_release(struct az_rocprof_json *j);

#endif
