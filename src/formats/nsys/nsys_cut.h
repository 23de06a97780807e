/* Private to nsys_cut*.c: one SQLite export of which a window is written (docs/regions.md 8). */
#ifndef AZ_FORMATS_NSYS_NSYS_CUT_H
#define AZ_FORMATS_NSYS_NSYS_CUT_H

#include "formats/nsys/nsys_sqlite.h"
#include "formats/shared/cut_calls.h"
#include "formats/shared/sqlite_cut.h"
#include "model/window.h"

/* By which rule rows of a table are kept. */
enum az_nsys_rule {
    NSYS_ALL,   /* 0: without times */
    NSYS_CALLS, /* API calls: where they begin, and those of work next to the window's */
    NSYS_WORK,  /* of a device: where its call begins, and what runs next to the window's */
    NSYS_SYNCS, /* the same without work next to it */
    NSYS_NVTX,  /* ranges that overlap; other rows name domains and categories */
    NSYS_TIMED  /* overlap */
};

/* Columns that a rule needs, as far as the table has them. */
enum { NSYS_CUT_START, NSYS_CUT_END, NSYS_CUT_CORR, NSYS_CUT_PID, NSYS_CUT_TID, NSYS_CUT_TYPE };
#define NSYS_CUT_COLUMNS 6

struct az_nsys_cutting {
    struct az_cut *job;
    struct az_parse parse;
    struct az_file file;
    struct az_trace marks; /* ranges that choose the window, and how long the recording is */
    struct az_nsys_db x;   /* the input, as long as it is cut */
    struct az_arena arena;
    struct az_window_parts parts;
    struct az_spans work; /* merged: from the first start to the last end of the work of each */
    struct az_cut_calls calls;
    struct az_span
        ranges; /* from the first start to the last end of NVTX ranges; end < start: none */
    int64_t open_from, open_end; /* the first start of those without an end, and their end: the
                                    latest time of any */
    bool open;                   /* there are some */
};

#endif
