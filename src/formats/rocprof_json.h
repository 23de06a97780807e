/* Private to rocprof_json*.c: one results.json being read (docs/formats-rocprof.md 2). Numbers of records
 * that name something (kernel ids, operations, counters) are kept as they are until the process is read to its end and
 * then replaced, so that the order of its members does not matter. */
#ifndef AZ_FORMATS_ROCPROF_JSON_H
#define AZ_FORMATS_ROCPROF_JSON_H

#include "formats/rocprof.h"
#include "text/jsonscan.h"

struct rj_symbol {
    struct az_sv whole, shown; /* in the process's arena; shown: by the option kernel_names. Empty: no symbol */
    bool known;
    int64_t vgpr, agpr, sgpr;
    uint32_t whole_id, shown_id; /* name ids, AZ_NO_ID until asked for */
};
AZ_VEC(struct rj_symbol, rj_symbols);

struct rj_counter {
    uint64_t id;
    uint32_t name; /* name id; AZ_NO_ID: not defined */
};
AZ_VEC(struct rj_counter, rj_counters);

struct rj_kind { /* of buffer records */
    struct az_sv name;
    size_t first, n; /* of `operations` */
};
AZ_VEC(struct rj_kind, rj_kinds);

enum rj_array { RJ_KERNELS, RJ_COPIES, RJ_ALLOCS, RJ_SCRATCH, RJ_CALLS, RJ_MARKERS, RJ_COUNTERS };

struct rj {
    struct roc *r;
    struct az_source *src;
    struct az_jscan scan;
    struct az_sv path;
    bool source_bad, tool_seen;
    struct az_jarray total;
    struct az_jkeys record_keys, dispatch_keys, handle_keys, corr_keys, xyz_keys, symbol_keys, marker_keys;
    enum rj_array array; /* whose records are being read */
    uint64_t no_time;
    /* of the process being read */
    struct az_arena arena;
    struct az_map kernel_of; /* kernel id -> number in `symbols` */
    struct rj_symbols symbols;
    struct az_map agent_of;    /* handle -> logical index */
    struct az_vec_u64 handles; /* late_agents: what the numbers of agents in the records stand for */
    struct az_map counter_of;  /* id -> number in `counter_names` */
    struct rj_counters counter_names;
    struct az_map marker_of; /* correlation id -> name id of the text */
    struct rj_kinds kinds;
    struct az_vec_sv operations;
    struct az_dispatches shapes; /* only `shapes` and `shape_of`: `whole` is a number in `symbols` */
    size_t first_event[AZ_KIND_COUNT], first_row, first_counter, first_pending, first_alloc, first_lane;
    bool said_process, said_agents; /* metadata and agents were read */
    bool late_process, late_agents; /* records came before them: put right at the end of the process */
};

/* Record functions of az_jscan_records; ctx is the rj. */
int rj_record(void *ctx, struct az_jscan *s);
int rj_symbol(void *ctx, struct az_jscan *s);
int rj_marker(void *ctx, struct az_jscan *s);
void rj_record_keys_init(struct rj *j);
void rj_symbol_keys_init(struct rj *j);
/* Numbers inside records: as the scanner reads them; absent or no number is 0 and *has false. The unsigned ones go up
 * to 2^64 - 1: handles and ids are opaque. */
int rj_number(struct az_jscan *s, int64_t *out, bool *has);
int rj_unsigned(struct az_jscan *s, uint64_t *out);
/* Number of a kernel id, new or known. */
int rj_kernel_number(struct rj *j, uint64_t id, uint32_t *number) AZ_MUST_USE;
int rj_counter_number(struct rj *j, uint64_t id, uint32_t *number) AZ_MUST_USE;
/* Logical index of an agent's handle; the handle itself where the file does not list it, -1 where that is no small
 * number. */
int64_t rj_agent_index(const struct rj *j, uint64_t agent);

/* Members of a process that are read as a whole. */
int rj_metadata(struct rj *j, struct az_sv raw) AZ_MUST_USE;
int rj_agents(struct rj *j, struct az_sv raw) AZ_MUST_USE;
int rj_counter_list(struct rj *j, struct az_sv raw) AZ_MUST_USE;
int rj_operations(struct rj *j, struct az_sv raw) AZ_MUST_USE;

int rj_process_begin(struct rj *j) AZ_MUST_USE;
/* Replaces numbers by names; then the process's own memory is given back. */
int rj_process_end(struct rj *j) AZ_MUST_USE;
void rj_process_release(struct rj *j);

#endif
