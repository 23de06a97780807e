/* Tracy operation CSV (ops_perf_results_*.csv): its columns, and a row of it. Private to the
 * format. Rules: docs/formats-tracy.md 1, 2. */
#ifndef AZ_FORMATS_TRACY_TRACY_CSV_H
#define AZ_FORMATS_TRACY_TRACY_CSV_H

#include "formats/format.h"
#include "model/opreport.h"
#include "model/window.h"
#include "text/csv.h"

enum az_tracy_col {
    TC_CODE,
    TC_TYPE,
    TC_CALL,
    TC_DEVICE,
    TC_ARCH,
    TC_ATTRIBUTES,
    TC_FIDELITY,
    TC_CORES,
    TC_WORKERS,
    TC_START,
    TC_HOST_DURATION,
    TC_GAP,
    TC_FIRST_CYCLE, /* of the firmware, by the clock of the device */
    TC_LAST_CYCLE,
    TC_FIRMWARE,
    TC_KERNEL,
    TC_PM_IDEAL,
    TC_PM_COMPUTE,
    TC_PM_MEMORY,
    TC_PM_FPU,
    TC_NOC,
    TC_DRAM,
    TC_ETH,
    TC_TRACE,
    TC_REPLAY,
    TC_SUB_DEVICE,
    TC_CACHE_HIT,
    TC_PLAIN, /* this many by their own name; then of each tensor W, Z, Y, X, datatype, memory */
    TC_COUNT = TC_PLAIN + AZ_TENSORS * 6
};

/* Attributes that were parsed, by hash of their text. */
struct az_tracy_attributes {
    struct az_map map;
    struct az_opargs_rows rows; /* only the fields that come from attributes are set */
};

/* Where a file of a window is. */
struct az_tracy_window {
    size_t rows;
    int64_t place; /* of the next step without a number */
    int64_t first, last;
    bool inside, timed, any; /* any: a row of the file is in the window */
};
struct az_tracy_copy; /* rows that `analyzer cut` writes */

struct az_tracy_file {
    struct az_parse *job;
    struct az_opreport *report;
    struct az_csv csv;
    struct az_sv path;
    size_t index, width;     /* of the file; fields of the header */
    int at[TC_COUNT];        /* column or -1 */
    int device_at[TC_COUNT]; /* the same of other titles that some columns have */
    bool device_side;   /* of the device's side alone: names are blank where the runtime has none */
    bool kernel_cycles; /* cycles are those of the kernel, not of the firmware */
    bool padded;        /* some shape column ends in _PAD[LOGICAL] */
    int64_t max_device; /* -1: none */
    int64_t last_start; /* of the row before, for rows without */
    size_t rows;        /* data rows so far, the current one included */
    bool told_arch;
    uint64_t bad_budgets; /* worker counts that are none */
    uint64_t bad_cells;   /* numbers that are none */
    int64_t bad_line;
    struct az_sv bad_column;
    uint64_t short_rows, nameless, long_rows, outside; /* outside: of a window */
    int64_t short_line, last_line; /* the first row with missing fields, the last row */
    bool call_differs, call_seen;  /* a call count whose low ten bits are not the device */
    struct az_tracy_attributes *attributes;
    struct az_tracy_window window;
    struct az_window chosen;    /* that of the trace, with times for parts of this file */
    bool times_only;            /* rows have their host times read, for such parts */
    struct az_tracy_copy *copy; /* NULL: rows are read only */
};

/* Title of a column, and of a tensor's: "INPUT_0_Y_PAD[LOGICAL]" or "INPUT_0_Y". */
const char *az_tracy_title(enum az_tracy_col c);
/* The stored number of a shape cell: "32[19]" -> 32, "7.0" -> 7; -1 for blank; AZ_EFORMAT. */
int az_tracy_dim(struct az_sv cell, int64_t *out) AZ_MUST_USE;
/* The attributes of an operation, parsed into the fields of `a` that come from them; texts are
 * interned in t. */
void az_tracy_attributes(struct az_trace *t, struct az_sv text, struct az_opargs *a);
/* The current row of the file into the report. */
int az_tracy_row(struct az_tracy_file *f) AZ_MUST_USE;
/* When the host called the operation of the current row; INT64_MIN: unknown. */
int64_t az_tracy_row_start(struct az_tracy_file *f);
/* Is the current row in a window of the trace? */
bool az_tracy_row_is_inside(struct az_tracy_file *f);
/* tracy_window.c: does a window choose rows at all? It has no ends that are ranges. */
bool az_tracy_window_chooses(const struct az_window *w);
/* Does a window end at a part of the recording, for which the times of all rows are needed? */
bool az_tracy_window_needs_times(const struct az_window *w);
/* Parts of the recording become times; s is of all rows of the file. */
void az_tracy_window_set_parts(struct az_window *w, const struct az_tracy_window *s);
/* A row begins then; INT64_MIN: it has no time. */
void az_tracy_window_time(struct az_tracy_window *s, int64_t start);
/* The next row of a file. start: INT64_MIN where there is none. */
bool az_tracy_window_row(struct az_tracy_window *s, const struct az_window *w, bool signpost,
                         struct az_sv name, int64_t start);
/* A remark above the header: the rows are a window. */
#define AZ_TRACY_WINDOW_REMARK "# analyzerWindow"
/* Copies the row of the file as it is written. */
void az_tracy_copy_row(struct az_tracy_copy *c, const struct az_csv *csv, bool kept);
int az_tracy_cut(struct az_cut *job,
                 int (*parse)(struct az_parse *, struct az_tracy_copy *)) AZ_MUST_USE;
/* When all files are read: where the device operations are on the timeline, which have impossible
 * times, and the others as kernels of the trace. */
int az_tracy_time_line(struct az_parse *job) AZ_MUST_USE;

#endif
