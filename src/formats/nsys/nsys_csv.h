/* Private to nsys_csv*.c: titles of `nsys stats` CSV reports (docs/formats-nsight.md 2). */
#ifndef AZ_FORMATS_NSYS_NSYS_CSV_H
#define AZ_FORMATS_NSYS_NSYS_CSV_H

#include "formats/format.h"
#include "text/csv.h"

/* Columns by normalized title: lower case, without the unit in parentheses, without blanks. */
enum az_nsys_col {
    NC_TOTAL_TIME,
    NC_TOTAL,
    NC_INSTANCES,
    NC_COUNT,
    NC_CALLS,
    NC_KERN_INST,
    NC_AVG,
    NC_MED,
    NC_MIN,
    NC_MAX,
    NC_STD,
    NC_NAME,
    NC_OPERATION,
    NC_RANGE,
    NC_NVTX_RANGE,
    NC_KERNEL_NAME,
    NC_CATEGORY,
    NC_PROJ_START,
    NC_PROJ_DURATION,
    NC_ORIG_START,
    NC_ORIG_DURATION,
    NC_STYLE,
    NC_PID,
    NC_TID,
    NC_GPU_OPS,
    NC_LEVEL,
    NC_CHILDREN,
    NC_RANGE_ID,
    NC_PARENT_ID,
    NC_RANGE_STACK,
    NC_TOTAL_PROJ,
    NC_START,
    NC_DURATION,
    NC_DUR_CHILD,
    NC_CORR,
    NC_DEVICE,
    NC_CONTEXT,
    NC_STREAM,
    NC_BYTES,
    NC_SRC_KIND,
    NC_DST_KIND,
    NC_Q_COUNT,
    NC_RESULT,
    NC_GRID_X,
    NC_GRID_Y,
    NC_GRID_Z,
    NC_BLOCK_X,
    NC_BLOCK_Y,
    NC_BLOCK_Z,
    NC_REGISTERS,
    NC_STATIC_SHARED,
    NC_DYNAMIC_SHARED,
    NC_N
};

/* Reports distinguished by their titles. */
enum az_nsys_report {
    NR_NONE,
    NR_KERNEL_SUM, /* read, from here */
    NR_MEM_TIME,
    NR_MEM_SIZE,
    NR_PROJ_TRACE,
    NR_GPU_TRACE,
    NR_API_SUM, /* recognized only, from here */
    NR_API_TRACE,
    NR_NVTX_SUM,
    NR_PROJ_SUM,
    NR_NVTX_KERN_SUM,
    NR_PUSHPOP,
    NR_KERN_EXEC,
    NR_GPU_SUM
};

#define NSYS_MAX_TITLES   64
#define NSYS_UNIT_NONE    1 /* no unit in the title: ns, bytes, plain numbers */
#define NSYS_UNIT_STRANGE 0 /* a unit in parentheses that is not known, or % */

struct az_nsys_head {
    size_t n;                      /* titles in the line */
    size_t known;                  /* how many of them are known titles */
    int at[NC_N];                  /* index of the column, -1: absent; the first of equal titles */
    int64_t unit[NSYS_MAX_TITLES]; /* ns or bytes per unit of each column */
};

/* Starts an empty head; az_nsys_head_add is called with the titles from left to right. */
void az_nsys_head_init(struct az_nsys_head *h);
void az_nsys_head_add(struct az_nsys_head *h, struct az_sv title);
enum az_nsys_report az_nsys_head_report(const struct az_nsys_head *h);
const char *az_nsys_report_name(enum az_nsys_report r); /* "cuda_gpu_kern_sum" */
/* Title of a column as current releases write it, for messages. */
const char *az_nsys_col_title(enum az_nsys_col c);
/* First of the columns in a -1-terminated list that the head has; -1. */
int az_nsys_head_first(const struct az_nsys_head *h, const enum az_nsys_col *list, size_t n);

/* One file being read. */
struct az_nsys_csv_file {
    struct az_parse *job;
    struct az_diag *diag; /* of this file */
    const struct az_file *file;
    struct az_csv csv;
    struct az_nsys_head head;
    enum az_nsys_report report; /* of the section being read; NR_NONE between sections */
    bool trust_indexes;         /* the file has no header: columns by position only */
    int time, count,
        name; /* columns in use: total time or projected duration; instances; name. -1: none */
    size_t complaints;    /* rows complained about so far */
    bool short_last;      /* the last row has too few fields */
    int64_t value;        /* of the row's time or size */
    int value_rc;         /* what reading it returned */
    uint64_t memory_rows; /* cuda_gpu_trace: copies and fills */
};

/* Chooses time, count and name of the section from header and options. 0, or AZ_EFORMAT with a
 * message that names the missing column and the titles seen. */
int az_nsys_csv_pick(struct az_nsys_csv_file *f) AZ_MUST_USE;
/* Adds one row to the trace. 0 added or skipped and counted, 1 the row is no data row (the
 * section ends), negative: error. */
int az_nsys_csv_row(struct az_nsys_csv_file *f) AZ_MUST_USE;
/* A row of cuda_gpu_trace (nsys_csv_trace.c). */
int az_nsys_csv_gpu_row(struct az_nsys_csv_file *f) AZ_MUST_USE;
/* A warning for the current row (the first few of a file) and a count in trace->drops. Returns 0.
 */
int az_nsys_csv_skip(struct az_nsys_csv_file *f, const char *reason);
/* Text of a column of the current row; empty if the column or the value is missing. */
struct az_sv az_nsys_csv_text(const struct az_nsys_csv_file *f, int column);
/* Time or size of a column in ns or bytes: 0, 1 missing, negative not a number. */
int az_nsys_csv_value(const struct az_nsys_csv_file *f, int column, int64_t *out) AZ_MUST_USE;

#endif
