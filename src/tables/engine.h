/* Tables by specification: a spec names where rows come from, the keys that distinguish rows, and
 * the metrics of each row; the engine groups, computes exact statistics, adds the columns, sorts,
 * fills shares and adds the table to the document. How to write one: docs/adding.md "Tables by
 * specification". */
#ifndef AZ_TABLES_ENGINE_H
#define AZ_TABLES_ENGINE_H

#include "facts/lazy_cache.h"

enum { AZ_SPEC_KINDS = 4, AZ_SPEC_COLUMNS = 48, AZ_SPEC_VALUES = 12, AZ_SPEC_CHARTS = 2 };

/* What is grouped: an event; a row of stored sums; or, of a list, whatever its maker sets. */
struct az_item {
    uint32_t trace, row;
    uint32_t kind;  /* enum az_kind; AZ_KIND_COUNT: no event */
    uint32_t other; /* what a list's maker needs; of a row of az_name_sums its style */
    uint32_t name;  /* number of its name (az_job_name) where it is no event */
};

/* Handed to every function of a spec. */
struct az_scope {
    struct az_job *job;
    void *ctx; /* of the caller of az_spec_make, or what the spec prepared */
};
static inline const struct az_trace *az_item_trace(const struct az_scope *r,
                                                   const struct az_item *i)
{
    return r->job->traces[i->trace];
}
static inline const struct az_events *az_item_events(const struct az_scope *r,
                                                     const struct az_item *i)
{
    return &az_item_trace(r, i)->ev[i->kind];
}
static inline const struct az_lane *az_item_lane(const struct az_scope *r, const struct az_item *i)
{
    return &az_item_trace(r, i)->lanes.v[az_item_events(r, i)->lane[i->row]];
}
/* Number of its name. */
static inline uint32_t az_item_name(const struct az_scope *r, const struct az_item *i)
{
    return i->kind < AZ_KIND_COUNT
               ? az_job_name(r->job, i->trace, az_item_events(r, i)->name[i->row])
               : i->name;
}

/* A function of a spec that is one expression over the scope `s` and the item `i`. */
#define AZ_OF_ITEM(type, name, value)                                                              \
    static type name(const struct az_scope *s, const struct az_item *i)                            \
    {                                                                                              \
        (void)s;                                                                                   \
        return value;                                                                              \
    }

#define AZ_UNKNOWN INT64_MIN /* of an item's value: not recorded; of a row: of one of its items */
#define AZ_ABSENT                                                                                  \
    (INT64_MIN + 1) /* of an item's value: it has none, and the row's metrics are of the others */

/* A key distinguishes rows, and writes the cell of a row by its first item. It has one of: */
struct az_key {
    enum az_cell_type type;
    enum az_unit unit;
    /* A number, which is the cell; AZ_UNKNOWN: an empty one. */
    int64_t (*integer)(const struct az_scope *, const struct az_item *);
    /* A name id of the item's trace; the cell is the name, empty for AZ_NO_ID. */
    uint32_t (*name)(const struct az_scope *, const struct az_item *);
    /* A text, as long-lived as the table. */
    struct az_sv (*text)(const struct az_scope *, const struct az_item *);
    /* Any number (false: the item is in no row), and the cell. */
    bool (*of)(const struct az_scope *, const struct az_item *, uint64_t *number);
    void (*put)(const struct az_scope *, const struct az_item *, struct az_table *);
    size_t (*below)(const struct az_scope *); /* all numbers are below this; NULL: any */
    /* It follows from the item's name: a text is requested once a name, and where all keys of a
     * table are such, an event's row is found once a name. */
    bool by_name;
};

struct az_figures { /* of one value over the items of one row, in the unit of the value */
    int64_t n;      /* items that have it; AZ_UNKNOWN */
    int64_t sum;    /* saturates; AZ_UNKNOWN */
    double min, max, mean, median, std, p95, p99, p25, p75;
};
struct az_group {
    struct az_item first;
    int64_t n; /* items; AZ_UNKNOWN */
    const struct az_figures *value;
    double percent; /* share of the first value */
};

enum az_figure {
    AZ_FIG_KEY,   /* the column is one of a key */
    AZ_FIG_COUNT, /* items that have the value */
    AZ_FIG_SUM,
    AZ_FIG_MEAN,
    AZ_FIG_MEDIAN,
    AZ_FIG_MIN,
    AZ_FIG_MAX,
    AZ_FIG_STD,            /* sample; none for one item */
    AZ_FIG_STD_ZERO,       /* sample; 0 for one item */
    AZ_FIG_STD_POPULATION, /* 0 for one item */
    AZ_FIG_P95,
    AZ_FIG_P99,
    AZ_FIG_P25,
    AZ_FIG_P75,
    AZ_FIG_SHARE, /* of the value's sum in the table's total: percent, or a part of 1 if the unit is
                     a ratio */
    AZ_FIG_CUMULATIVE, /* that, with the rows before */
    AZ_FIG_OWN         /* by `put` */
};

/* Type of a column of metrics: counts, and sums and extremes in the value's own unit, are integers.
 */
struct az_spec_column {
    const char *header;       /* NULL: a key without a column */
    const struct az_key *key; /* AZ_FIG_KEY */
    enum az_figure figure;
    unsigned value; /* which of the spec's */
    enum az_unit unit;
    unsigned flags;
    int sort;     /* 1: first criterion of the order, 2: second ...; negative: descending */
    bool follows; /* the key distinguishes no rows: it follows from the others */
    bool (*when)(const struct az_scope *);    /* NULL: always there */
    double (*whole)(const struct az_scope *); /* AZ_FIG_SHARE of this; NaN: empty cells */
    enum az_cell_type type;                   /* AZ_FIG_OWN, AZ_REAL if not set */
    void (*put)(const struct az_scope *, const struct az_group *,
                struct az_table *); /* AZ_FIG_OWN */
};

/* A column of a metric; the two of shares. */
#define AZ_FIGURE(header_, what, n, as, flag)                                                      \
    {                                                                                              \
        header_, .figure = what, .value = n, .unit = as, .flags = flag                             \
    }
#define AZ_SHARE_COLUMNS                                                                           \
    { "Percentage (%)", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE },      \
    {                                                                                              \
        "Cumulative Percentage (%)", .figure = AZ_FIG_CUMULATIVE, .unit = AZ_UNIT_PERCENT,         \
                                     .flags = AZ_DETAIL                                            \
    }

/* How shares are computed; they differ in the last digit only, and users compare files by it. */
enum az_shares {
    AZ_SHARES_EXACT,   /* of the exact sums */
    AZ_SHARES_CELLS,   /* of the column's cells, as a script over the file would */
    AZ_SHARES_PERCENTS /* the same; cumulative ones add up the percentages */
};

struct az_spec_chart {
    enum az_chart_kind kind;
    const char *title, *x, *y, *y_title; /* x, y: headers; title NULL: no chart */
};

struct az_table_spec {
    const char *id, *title;
    unsigned flags; /* AZ_TABLE_* */
    /* Of a table that is run by itself (analyses/analysis.h): its line in `analyzer list`, of which
     * facts some trace must have one, and whether the options request it. */
    const char *help;
    unsigned any;                                    /* AZ_CAP_*; 0: none required */
    bool (*is_requested)(const struct az_options *); /* NULL: always */
    /* Source, one of: events of `n_kinds` kinds of the traces that have `needs`; sums of a fact; or
     * the items of the caller of az_spec_make. */
    unsigned needs; /* AZ_CAP_* */
    /* Makes what its functions need, once for the table; NULL on failure, the error is in *rc. */
    void *(*prepare)(struct az_job *, int *rc);
    size_t n_kinds;
    enum az_kind kinds[AZ_SPEC_KINDS];
    int (*sums)(struct az_job *, struct az_name_sums *);
    /* Traces without such events: rows that came summed, each a row of the table or, with
     * merge_given, by the keys. */
    const struct az_sums *(*given)(const struct az_trace *);
    bool merge_given;
    bool (*keep)(const struct az_scope *, const struct az_item *); /* NULL: all */
    /* Of events and of a list's items: a small number from which all keys follow within a trace, so
     * that the row is found once a number. NULL: none is known. */
    uint32_t (*number_of)(const struct az_scope *, const struct az_item *);
    bool number_filters; /* `keep` follows from it, too */
    /* Such numbers of all events of a kind, by row, with number_filters; NULL: they are requested
     * one by one. */
    const uint32_t *(*number_rows)(const struct az_scope *, uint32_t trace, enum az_kind kind);
    /* Instead of all of these: puts such numbers, of 0 to *n - 1, of all events of a kind of a
     * trace into a list; AZ_NO_ID: the event is in no row. */
    int (*number)(const struct az_scope *, uint32_t trace, enum az_kind kind, uint32_t *list,
                  size_t *n);
    /* Values of an item, in ticks if `ticks`; none set: its duration. Of stored rows only that. Or
     * real ones, in the unit of their columns, NaN: it has none; they have no sum. */
    struct az_spec_value {
        int64_t (*of)(const struct az_scope *, const struct az_item *);
        bool ticks;
        double (*real)(const struct az_scope *, const struct az_item *);
        /* Of events, instead of `of`: those of n rows from one on. */
        void (*all)(const struct az_scope *, const struct az_item *from, size_t n, int64_t *list);
    } values[AZ_SPEC_VALUES];
    /* The first without header, key and metric ends them. */
    struct az_spec_column columns[AZ_SPEC_COLUMNS];
    /* How many things an item of a list stands for: its values are their sums, and columns may be
     * counts, sums and means. NULL: itself. */
    int64_t (*weight)(const struct az_scope *, const struct az_item *);
    enum az_shares shares;
    double (*whole)(const struct az_scope *); /* NULL: shares are parts of the table's total */
    size_t top;                               /* rows used; 0: all */
    /* The same by an option (AZ_UNSET_I64: all), reported in `coverage`. */
    int64_t (*option_top)(const struct az_options *);
    const char *option;
    struct az_spec_chart charts[AZ_SPEC_CHARTS];
};

struct az_item_list {
    const struct az_item *v; /* NULL: the items are numbers, 0 to n - 1, as row */
    size_t n;
};

/* Makes the table and adds it, with its charts, to the job's document. `list` is NULL unless the
 * spec has no source of its own. */
int az_spec_make(struct az_job *job, const struct az_table_spec *s, void *ctx,
                 const struct az_item_list *list) AZ_MUST_USE;

#endif
