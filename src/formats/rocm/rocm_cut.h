/* Private to rocm_cut.c, rocpd_cut.c and rpd_cut.c: a window of a database of an AMD profiler as
 * one (docs/regions.md 8), by the rules of windows (model/window.h). Its tables are read several
 * times in numbers; what is stored is the ranges that choose the window, and a few bytes for each
 * call and operation. */
#ifndef AZ_FORMATS_ROCM_ROCM_CUT_H
#define AZ_FORMATS_ROCM_ROCM_CUT_H

#include "formats/rocm/rocpd.h"
#include "formats/shared/cut_calls.h"
#include "formats/shared/sqlite_cut.h"

enum az_rocm_kind {                   /* of an event, a bit each */
                    AZ_ROCM_NONE = 0, /* a row that a report counts as lost, or does not model */
                    AZ_ROCM_CALL = 1,
                    AZ_ROCM_RANGE = 2,
                    AZ_ROCM_HOST = 4, /* other events of the host */
                    AZ_ROCM_WORK = 8  /* of a device */
};
struct az_rocm_event {
    enum az_rocm_kind kind;
    uint32_t process, name; /* name: of a range, while the window is found */
    uint64_t corr;          /* 0: none */
    int64_t start, end, thread;
    int64_t event; /* its row of rocpd_event; INT64_MIN: none */
};

struct az_rocm_table {
    const char *name;
    int role;       /* the source's own */
    unsigned kinds; /* that its rows may be; 0: rows are kept by another rule */
    unsigned wants; /* columns, a bit each */
    size_t group;   /* the source's own */
};
AZ_VEC(struct az_rocm_table, az_rocm_tables);

struct az_rocm_cut;
typedef int (*az_rocm_event_fn)(struct az_rocm_cut *c, const struct az_rocm_event *e);

/* What differs between the two kinds of databases. */
struct az_rocm_source {
    int (*open)(struct az_rocm_cut *c); /* sets c->tables, c->columns and c->own */
    void (*close)(struct az_rocm_cut *c);
    /* Passes on the event of each set of tables that has the row. */
    int (*decode)(struct az_rocm_cut *c, const struct az_rocm_table *t,
                  const struct az_sqlite_row *row, az_rocm_event_fn fn);
    /* Once calls and work are known; NULL: nothing. */
    int (*settle)(struct az_rocm_cut *c);
    /* A row of a table without events: 1: kept; 0; or an error. */
    int (*keeps)(struct az_rocm_cut *c, const struct az_rocm_table *t,
                 const struct az_sqlite_row *row);
};
extern const struct az_rocm_source az_rocpd_cut_source, az_rpd_cut_source;

struct az_rocm_cut {
    struct az_cut *job;
    struct az_parse parse;
    struct az_file in;
    struct az_trace marks; /* ranges that choose the window, and how long the recording is */
    struct az_rocprof r;
    struct az_rocpd x; /* the input, as long as it is cut */
    struct az_rocpd_sets sets;
    struct az_arena arena;
    const struct az_rocm_source *source;
    void *own; /* the source's */
    struct az_rocm_tables tables;
    struct az_sqlite_columns columns;
    bool finding; /* the window: names of ranges and threads are read */
    const struct az_rocm_table *now;
    az_rocm_event_fn pass;
    struct az_vec_u8
        chosen; /* by name id: may a range of this name choose the window? 0: unknown */
    struct az_span recording; /* end < start: nothing */
    struct az_window_parts parts;
    struct az_spans work; /* merged: from the first start to the last end of the work of each */
    struct az_cut_calls calls;
    bool kept; /* the row that is written: all its events are */
};

/* All events of these kinds, in the order in which a report reads them. */
int az_rocm_each(struct az_rocm_cut *c, unsigned kinds, az_rocm_event_fn fn) AZ_MUST_USE;
bool az_rocm_is_inside(struct az_rocm_cut *c, const struct az_rocm_event *e);
/* Adds a table, if the database has it. AZ_EFORMAT: it is a view, whose rows are elsewhere. */
int az_rocm_add_table(struct az_rocm_cut *c, const struct az_rocm_table *t) AZ_MUST_USE;

#endif
