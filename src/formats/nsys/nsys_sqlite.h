/* Private to nsys_sqlite*.c and nsys_rep.c: one SQLite export being read (docs/formats-nsight.md
 * 3). */
#ifndef AZ_FORMATS_NSYS_NSYS_SQLITE_H
#define AZ_FORMATS_NSYS_NSYS_SQLITE_H

#include "formats/shared/sqlite_texts.h"

/* Profiler string id -> name id of the trace, filled as ids are met. */
struct az_nsys_names {
    struct az_vec_u32 dense; /* ids below NSYS_DENSE_IDS; AZ_NO_ID: not met yet */
    struct az_map sparse;    /* all others */
    bool cut_version; /* API names: without the suffix "_v3020" (docs/formats-nsight.md 3.3) */
};
#define NSYS_DENSE_IDS (1u << 20)

#define NSYS_LANE_CACHE 1024
struct az_nsys_lane_key {
    uint64_t proc, context, stream;
    int64_t device; /* -1: host, then `stream` is the globalTid */
};

struct az_nsys_row;
struct az_nsys_db {
    struct az_parse *job;
    struct az_trace *t;
    struct az_sv path;
    struct az_sqlite file;
    sqlite3 *db;                      /* of file */
    struct az_arena scratch;          /* texts of queries; freed at the end */
    struct az_vec_sv tables, columns; /* of the file, views too; of the table queried last */
    const char *columns_of;           /* that table; NULL: none yet */
    struct az_nsys_names names, api_names;
    sqlite3_stmt *string; /* value of one StringIds row; NULL: no such table, or all its rows are in
                             `names` already */
    struct az_texts texts;      /* the same rows, found without SQLite */
    uint32_t unknown;           /* name id of "[Unknown]"; AZ_NO_ID until it is needed */
    struct az_map thread_names; /* (globalTid, 0) -> name id */
    struct az_nsys_known_lane {
        struct az_nsys_lane_key key;
        uint32_t lane;
        bool used;
    } lanes[NSYS_LANE_CACHE];
    size_t last_lane; /* the place of the row before */
    bool one_process; /* device tables without globalPid: correlation ids are assumed to be unique
                         in the file */
    int64_t major, minor; /* schema version; 0: not stated (before 2023) */
    uint64_t rows, rows_total;
    uint64_t reported; /* bytes added to job->progress */
    bool partial;
    struct { /* the table being read */
        struct az_nsys_row *row;
        int (*fn)(struct az_nsys_db *x, const struct az_nsys_row *row, void *ctx);
        void *ctx;
        int error;
        uint64_t given;  /* rows that SQLite is to pass over */
        int64_t rowid;   /* of the row before */
        bool rowids;     /* they are the first value */
        bool disordered; /* they do not ascend */
    } scan;
};

/* Opens read-only and checks that it is an export; messages in the job's diag. AZ_EEMPTY, AZ_EIO,
 * AZ_EFORMAT, ... */
int az_nsys_db_open(struct az_nsys_db *x, struct az_parse *job, struct az_sv path) AZ_MUST_USE;
void az_nsys_db_close(struct az_nsys_db *x);
/* Quick check without messages: an SQLite file that opens and has known tables. */
bool az_nsys_db_usable(struct az_sv path);

bool az_nsys_has_table(struct az_nsys_db *x, const char *table); /* or view */
bool az_nsys_has_column(struct az_nsys_db *x, const char *table, const char *column);

/* Reading some columns of one table, row by row in file order. */
struct az_nsys_column {
    const char *column;
    bool required;
};
#define NSYS_MAX_WANT 20
struct az_nsys_row {
    sqlite3_value **value;            /* NULL: they are in `plain` */
    const struct az_pages_row *plain; /* whole numbers */
    int at[NSYS_MAX_WANT]; /* place of the i-th required column among the values; -1: the table does
                              not have it */
    uint64_t number;       /* 1, 2, ... */
};
typedef int (*nsys_row_fn)(struct az_nsys_db *x, const struct az_nsys_row *row, void *ctx);
/* Calls fn for every row; what it returns other than 0 stops and is returned. 0 also when there is
 * no such table, when a required column is missing and when a damaged page ends the table (the last
 * two with a warning and a count). */
int az_nsys_each(struct az_nsys_db *x, const char *table, const struct az_nsys_column *want,
                 size_t n, nsys_row_fn fn, void *ctx) AZ_MUST_USE;
/* The same for columns that are numbers, of large tables. */
int az_nsys_each_numbers(struct az_nsys_db *x, const char *table, const struct az_nsys_column *want,
                         size_t n, nsys_row_fn fn, void *ctx) AZ_MUST_USE;
/* Value of a required column in the current row: 0 for NULL and for a column that is absent. */
static inline int64_t az_nsys_i64(const struct az_nsys_row *r, int i)
{
    if (r->at[i] < 0)
        return 0;
    return r->value ? sqlite3_value_int64(r->value[r->at[i]]) : r->plain->value[r->at[i]];
}
static inline double az_nsys_f64(const struct az_nsys_row *r, int i)
{
    return r->at[i] >= 0 && r->value ? sqlite3_value_double(r->value[r->at[i]])
                                     : (double)az_nsys_i64(r, i);
}
static inline bool az_nsys_is_null(const struct az_nsys_row *r, int i)
{
    if (r->at[i] < 0)
        return true;
    return r->value ? sqlite3_value_type(r->value[r->at[i]]) == SQLITE_NULL
                    : (r->plain->null >> r->at[i] & 1) != 0;
}
/* Neither NULL nor text: columns of SQLite hold any type, whatever they are declared as. */
static inline bool az_nsys_is_number(const struct az_nsys_row *r, int i)
{
    if (r->at[i] < 0 || !r->value)
        return !az_nsys_is_null(r, i);
    const int type = sqlite3_value_type(r->value[r->at[i]]);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}
/* Not of az_nsys_each_numbers. Valid until fn returns; NULL is the empty view. */
struct az_sv az_nsys_text(const struct az_nsys_row *r, int i);
/* The same of bytes, whatever type the column has. */
struct az_sv az_nsys_blob(const struct az_nsys_row *r, int i);

/* Prepares the lookup of StringIds; once, before the first name. */
int az_nsys_strings_open(struct az_nsys_db *x) AZ_MUST_USE;
int az_nsys_name_fetch(struct az_nsys_db *x, struct az_nsys_names *names, int64_t string_id,
                       uint32_t *id) AZ_MUST_USE;
/* Name id of a string id; "[Unknown]" for one that is not in the table. */
static inline int az_nsys_name(struct az_nsys_db *x, struct az_nsys_names *names, int64_t string_id,
                               uint32_t *id)
{
    if ((uint64_t)string_id < names->dense.n && (*id = names->dense.v[string_id]) != AZ_NO_ID)
        return 0;
    return az_nsys_name_fetch(x, names, string_id, id);
}
/* Lanes. device: the stream of a process on a device; host: a thread. */
int az_nsys_device_lane(struct az_nsys_db *x, uint64_t global_pid, int64_t device, uint64_t context,
                        uint64_t stream, uint32_t *lane) AZ_MUST_USE;
int az_nsys_host_lane(struct az_nsys_db *x, uint64_t global_tid, uint32_t *lane) AZ_MUST_USE;
/* Does one of these columns of times, the start and the next one, have no number? Then the row is
 * counted as lost. */
bool az_nsys_without_time(struct az_nsys_db *x, const struct az_nsys_row *r, int start, int end,
                          enum az_kind kind);
/* Adds an event; one that ends before it starts is dropped and counted. */
int az_nsys_add(struct az_nsys_db *x, enum az_kind kind, const struct az_event *e) AZ_MUST_USE;

#define NSYS_PID(g)  ((uint64_t)(g) >> 24 & 0xffffff)
#define NSYS_TID(g)  ((uint64_t)(g)&0xffffff)
#define NSYS_PROC(g) ((uint64_t)(g) & ~(uint64_t)0xffffff) /* globalPid of a globalTid */

/* ---- payloads of NVTX ranges (nsys_sqlite_payload.c) ---- */
enum az_nsys_field { NSYS_COMM, NSYS_BYTES, NSYS_PEER, NSYS_RANKS, NSYS_RANK, NSYS_FIELDS };
struct az_nsys_payload { /* of one schema: where the required columns are */
    uint32_t at[NSYS_FIELDS];
    uint8_t size[NSYS_FIELDS]; /* 0: not there */
};
AZ_VEC(struct az_nsys_payload, az_nsys_payload_rows);
struct az_nsys_payloads {
    struct az_map of; /* (domain, schema) -> row */
    struct az_nsys_payload_rows rows;
};
int az_nsys_payloads_open(struct az_nsys_payloads *p, struct az_nsys_db *x) AZ_MUST_USE;
void az_nsys_payloads_close(struct az_nsys_payloads *p);
/* The payload of a range; false: nothing that is required. */
bool az_nsys_payload_read(const struct az_nsys_payloads *p, uint64_t domain, struct az_sv data,
                          struct az_comm_note *out);

/* The parts of an export. Each returns 0 also when its tables are absent. */
int az_nsys_read_meta(struct az_nsys_db *x)
    AZ_MUST_USE;                                   /* facts, version, diagnostics, thread names */
void az_nsys_find_processes(struct az_nsys_db *x); /* x->one_process */
int az_nsys_read_gpu(struct az_nsys_db *x)
    AZ_MUST_USE; /* kernels, copies, fills, graphs, synchronization */
int az_nsys_read_host(struct az_nsys_db *x)
    AZ_MUST_USE; /* API calls, OS calls, profiler overhead */
struct az_window;
/* Ranges; with a window only those whose name may choose it, which reads the table twice. */
int az_nsys_read_nvtx(struct az_nsys_db *x, const struct az_window *window) AZ_MUST_USE;
int az_nsys_read_nics(struct az_nsys_db *x) AZ_MUST_USE; /* of those: of network adapters */
int az_nsys_read_mpi(struct az_nsys_db *x) AZ_MUST_USE;  /* after those: calls of MPI as ranges */
int az_nsys_read_samples(struct az_nsys_db *x)
    AZ_MUST_USE; /* after the events: metrics of GPUs, memory in use */
int az_nsys_read_devices(struct az_nsys_db *x)
    AZ_MUST_USE; /* after the events: labels of the devices in use */

bool az_nsys_is_table(struct az_sv name);
/* Reads one export into job->trace, all but has_nvtx and has_mem. */
int az_nsys_sqlite_read(struct az_parse *job, struct az_sv path) AZ_MUST_USE;

/* Of an export that is a window of another one: its spans, in columns start and end. */
#define AZ_NSYS_WINDOW_TABLE "ANALYZER_WINDOW"
/* Its column with the end of ranges without one, where the file that was cut has such ranges. */
#define AZ_NSYS_OPEN_END "openEnd"
/* Of a window that was cut: that column's number; INT64_MIN: none is stated. */
int64_t az_nsys_open_end(struct az_nsys_db *x);
int az_nsys_cut(struct az_cut *cut) AZ_MUST_USE;

#endif
