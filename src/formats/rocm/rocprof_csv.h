/* Private to rocprof_csv*.c: one CSV file of rocprof being read (docs/formats-rocprof.md 3). */
#ifndef AZ_FORMATS_ROCM_ROCPROF_CSV_H
#define AZ_FORMATS_ROCM_ROCPROF_CSV_H

#include "formats/rocm/rocprof.h"
#include "text/csv.h"

/* Name and header of the file of a set that has the spans of its window; a span of one process has
 * its number. */
#define AZ_ROCPROF_WINDOW        "analyzer_window"
#define AZ_ROCPROF_WINDOW_HEADER "\"Window_Start\",\"Window_End\",\"Process_Id\"\n"
/* Name of the window's file of a set with this prefix, or of a file without one; empty on failure.
 */
struct az_sv az_rocprof_csv_window_path(struct az_arena *a, struct az_sv path);

enum az_col {
    C_KERNEL,
    C_START,
    C_END,
    C_AGENT,
    C_QUEUE,
    C_STREAM,
    C_THREAD,
    C_DISPATCH,
    C_CORR,
    C_LDS,
    C_LDS_OLD,
    C_SCRATCH,
    C_SCRATCH_OLD,
    C_VGPR,
    C_AGPR,
    C_SGPR,
    C_BLOCK_X,
    C_BLOCK_Y,
    C_BLOCK_Z,
    C_GRID_X,
    C_GRID_Y,
    C_GRID_Z,
    C_GRID,
    C_BLOCK,
    C_DIRECTION,
    C_SRC,
    C_DST,
    C_OPERATION,
    C_BYTES,
    C_ADDRESS,
    C_DOMAIN,
    C_FUNCTION,
    C_PID,
    C_COUNTER,
    C_COUNTER_VALUE,
    C_NODE,
    C_LOGICAL,
    C_TYPE,
    C_NAME,
    C_PRODUCT,
    C_CUS,
    C_CALLS,
    C_TOTAL,
    C_AVERAGE,
    C_MIN,
    C_MAX,
    C_STD,
    C_SAMPLE,
    C_GPU, /* of rocprof before version 3 */
    C_WINDOW_START,
    C_WINDOW_END,
    COLS
};

/* The content of a file, by its columns; the first line of this list whose columns are all there.
 */
enum az_rocprof_csv_table {
    T_COUNTERS,
    T_KERNELS,
    T_COPIES,
    T_ALLOCS,
    T_CALLS,
    T_AGENTS,
    T_SUMS,
    T_SAMPLES,
    T_WINDOW, /* of `analyzer cut` */
    TABLES
};

struct az_rocprof_csv_file {
    struct az_rocprof *r;
    struct az_sv path;
    struct az_csv csv;
    int at[COLS];
    enum az_rocprof_csv_table table;
    struct az_sv domain; /* of a table of sums that are no kernels; empty: kernels */
    uint64_t bad;        /* rows skipped */
    int64_t first_bad;   /* line */
    size_t width;        /* titles */
    struct az_rocprof_csv_counter {
        int at;
        uint32_t name;
    } * counters; /* of rocprof before version 3: a column each */
    size_t n_counters;
    uint64_t short_rows; /* rows with fewer fields */
    int64_t short_line;  /* of the last row if it is one, else 0 */
    struct {             /* the cell met last, and what it became */
        struct az_sv text;
        uint32_t id;
    } name[2];
};

/* A kernel table of rocprof before version 3? */
static inline bool az_rocprof_csv_legacy(const int at[COLS])
{
    return at[C_GPU] >= 0 && at[C_KERNEL] >= 0;
}

/* Records of `analyzer cut`, in runs: `from` is the file (a name id) and the process. */
static inline uint64_t az_rocprof_csv_log_key(uint32_t path, uint32_t proc)
{
    return (uint64_t)proc << 32 | path;
}
/* The columns of the row that was read last: f->at, f->width, f->table. */
void az_rocprof_csv_titles(struct az_rocprof_csv_file *f);

/* Begins the process of the current row, where the rows of a table are of several. */
int az_rocprof_csv_select(struct az_rocprof_csv_file *f) AZ_MUST_USE;
/* The current row into the model: 0, 1 for a row that cannot be used, or an error. */
int az_rocprof_csv_add_row(struct az_rocprof_csv_file *f) AZ_MUST_USE;

#endif
