/* Tables: what analyses make and reports print. Numbers stay raw; only writers format. */
#ifndef AZ_DOCUMENT_TABLE_H
#define AZ_DOCUMENT_TABLE_H

#include "base/vec.h"

enum az_unit {
    AZ_UNIT_NONE, /* text, flags */
    AZ_UNIT_ID,   /* a number that is a name (device, stream, id): not summed, not formatted with
                     separators */
    AZ_UNIT_COUNT,
    AZ_UNIT_PS,
    AZ_UNIT_NS,
    AZ_UNIT_US,
    AZ_UNIT_MS,
    AZ_UNIT_S,
    AZ_UNIT_BYTES,
    AZ_UNIT_KB,
    AZ_UNIT_MB,
    AZ_UNIT_GB,
    AZ_UNIT_PERCENT, /* 0..100 */
    AZ_UNIT_RATIO,
    AZ_UNIT_FLOP,
    AZ_UNIT_GFLOP,
    AZ_UNIT_GBPS,
    AZ_UNIT_TBPS,
    AZ_UNIT_TFLOPS,
    AZ_UNIT_FLOP_PER_BYTE,
    AZ_UNIT_PER_S
};
const char *az_unit_text(enum az_unit u); /* "ns", "%", ...; "" for none, id, count */
/* Factor to the base unit of its dimension (ns 1e-9 s ...), 1 where there is none; and whether two
 * units may be compared. */
double az_unit_base(enum az_unit u);
bool az_unit_same_dimension(enum az_unit a, enum az_unit b);

enum az_cell_type { AZ_EMPTY, AZ_TEXT, AZ_INT, AZ_REAL, AZ_BOOL };

/* Twelve bytes: there are more cells than of anything else. */
#define AZ_CELL_TEXT_MOST (UINT32_MAX >> 3)
#define AZ_CELL_LENGTH(n) ((uint32_t)(n)&AZ_CELL_TEXT_MOST) /* of one that is known to fit */
struct __attribute__((packed, aligned(4))) az_cell {
    enum az_cell_type type : 3;
    uint32_t len : 29; /* text length */
    union {
        int64_t i;
        double f;
        const char *s; /* in the table's arena or longer-lived */
        bool b;
    };
};

struct az_record_column;

enum {
    AZ_KEY = 1, /* part of the row's key in comparisons */
    AZ_HIGHER_BETTER = 2,
    AZ_LOWER_BETTER = 4, /* direction for gates; neither: informational */
    AZ_DETAIL = 8,       /* omitted from the text summary */
    AZ_SHARE = 16,       /* data bar in workbook and HTML */
    AZ_LEFT = 32,        /* text layout: number left-justified */
    AZ_HIDDEN = 64,      /* written, but folded away in workbooks */
    AZ_CHANGE = 128,     /* a signed change: by its direction worse is red and better is green */
    AZ_COMPARED = 256    /* what a comparison is about: text tables skip it after all others */
};

struct az_column {
    struct az_sv name; /* the header that files carry */
    /* Set by az_document_add (document/schema.h); before that empty. id: the stem, which is the
     * meaning, and its unit: "kernel_time_ns"; unique in a table. title: what readers are shown. */
    struct az_sv id, stem, title;
    enum az_cell_type type; /* of its cells; a cell may also be empty */
    enum az_unit unit;
    unsigned flags;
    /* text layout, used only if the table has one: printf-like width (negative: left) and decimals
     * of the cell, and width of the title; 0: from content */
    int width, decimals, title_width;
    const struct az_record_column *record; /* how its cells follow from a record (record.h) */
};
AZ_VEC(struct az_column, az_columns);
AZ_VEC(struct az_cell, az_cells);

/* Fixed text form of a table (the classic Nsight block): lines before the titles, lines after the
 * last row. Column widths are in the columns. `display` renames text cells for print only
 * ("...Device-to-Device" -> "D2D"). */
struct az_layout {
    struct az_vec_sv before, after; /* without newline; "" is an empty line */
    bool titles;                    /* print the title row */
    bool rows;                      /* print the rows */
    struct az_sv (*display)(struct az_sv cell);
};

enum az_table_flag {
    AZ_TABLE_CLASSIC = 1,     /* part of the classic text; printed by its layout */
    AZ_TABLE_SUMMARY = 2,     /* shown in the text summary (first `text_rows` rows) */
    AZ_TABLE_WHOLE = 4,       /* never truncated in a workbook */
    AZ_TABLE_LAST = 8,        /* coverage, facts: at the end of a workbook */
    AZ_TABLE_KEEP_EMPTY = 16, /* reported even without rows */
    AZ_TABLE_TEXT_ONLY = 32,  /* only in the text report */
    AZ_TABLE_SHORT = 64,      /* few rows by nature: shown whole in summaries */
    AZ_TABLE_NO_SHEET = 128,  /* has no sheet of its own in a workbook (document: sheets_note) */
    AZ_TABLE_FIRST = 256,     /* before the summary of a workbook, as a sheet named by its title */
    AZ_TABLE_BLOCKS =
        512, /* text: columns that do not fit go on in a block below, none is skipped */
    AZ_TABLE_ONE_UNIT = 1024 /* numbers are shown in the units of their columns, never in others */
};

struct az_form;
struct az_table;
/* Puts the cells of one row (az_put_*) into `into`. Texts it makes go into into->arena. */
typedef void az_row_maker(const void *of, size_t row, struct az_table *into);

struct az_table {
    struct az_sv id;    /* "kern_sum": file and sheet name */
    struct az_sv title; /* for readers */
    struct az_sv note;  /* what is to be known about its metrics, for readers; empty: nothing */
    /* Of a table that the input names: what tables/views.c calls it; else empty. */
    struct az_sv kind;
    unsigned flags;
    struct az_columns columns;
    /* Row-major, rows * columns.n; of a made table (document/rows.h) the stored rows. */
    struct az_cells cells;
    size_t rows;
    az_row_maker *make;       /* NULL: all rows are stored */
    const void *of;           /* for make; lives as long as the table's document */
    struct az_layout *layout; /* NULL: none */
    struct az_form *form;     /* its own text form (document/text_table_spec.h); NULL: none */
    size_t at;                /* next cell of the row being written */
    struct az_arena *arena;   /* texts, layout */
    struct az_mem *mem;
    int error; /* first failure while building; az_table_finish returns it */
};

/* The table lives in the arena; cells are charged to its budget. NULL: out of memory, which the
 * functions below accept and ignore, so that it is checked once, by az_document_add. */
struct az_table *az_table_new(struct az_arena *arena, const char *id, const char *title,
                              unsigned flags);
void az_table_free(
    struct az_table *t); /* releases the vectors (the arena owns the rest); NULL is fine */
/* Adds a column; before the first row. */
void az_table_column(struct az_table *t, const char *name, enum az_cell_type type,
                     enum az_unit unit, unsigned flags);
void az_table_columnsv(struct az_table *t, struct az_sv name, enum az_cell_type type,
                       enum az_unit unit, unsigned flags);
/* Text layout of the column added last. */
void az_table_width(struct az_table *t, int title_width, int width, int decimals);
/* Cells of the current row, left to right; a full row ends itself. Texts are not copied: they
 * must live as long as the table (az_put_copy copies into the arena). NaN and infinity become
 * empty. */
void az_put_text(struct az_table *t, struct az_sv s);
void az_put_copy(struct az_table *t, struct az_sv s);
/* The same, an empty cell for an empty text. */
void az_put_optional(struct az_table *t, struct az_sv s);
void az_put_optional_copy(struct az_table *t, struct az_sv s);
void az_put_i64(struct az_table *t, int64_t x);
void az_put_known(struct az_table *t, int64_t x); /* an empty cell for a negative number */
void az_put_f64(struct az_table *t, double x);
void az_put_bool(struct az_table *t, bool x);
void az_put_empty(struct az_table *t);
/* Room for so many rows, after the last column: a table of known size then uses no more memory than
 * its cells. */
void az_table_reserve(struct az_table *t, size_t rows);
/* 0 or the first error; AZ_EINTERNAL if a row is incomplete. */
int az_table_finish(struct az_table *t) AZ_MUST_USE;
struct az_layout *az_table_layout(struct az_table *t); /* made if missing; NULL on failure */

/* Cell of a stored row. */
static inline const struct az_cell *az_table_at(const struct az_table *t, size_t row, size_t col)
{
    return &t->cells.v[row * t->columns.n + col];
}
static inline struct az_sv az_cell_text(const struct az_cell *c)
{
    return c->type == AZ_TEXT ? az_sv_make(c->s, c->len) : (struct az_sv){ "", 0 };
}
/* Number of a cell (INT, REAL, BOOL), NaN otherwise. */
double az_cell_number(const struct az_cell *c);
/* Exact text of a cell as CSV and JSON have it: integers, shortest doubles, True/False, "" for
 * empty. Text cells as they are. buf: at least AZ_NUM_MAX bytes. */
struct az_sv az_cell_exact(const struct az_cell *c, char *buf);
/* ---- word_match.c: types, units and directions as files have them, and back ---- */
const char *az_cell_type_text(enum az_cell_type t);             /* "text", "int", ... */
bool az_cell_type_named(struct az_sv w, enum az_cell_type *to); /* false: no such word */
const char *az_unit_name(enum az_unit u); /* az_unit_text, and "id", "count", "ratio" */
bool az_unit_named(struct az_sv w, enum az_unit *to);
const char *az_direction_text(unsigned flags); /* "higher", "lower", "none" */
unsigned az_direction_named(struct az_sv w);   /* AZ_HIGHER_BETTER, AZ_LOWER_BETTER or 0 */

/* Index of the column of that name or -1. */
ptrdiff_t az_table_find(const struct az_table *t, const char *name);
ptrdiff_t az_table_find_nocase(const struct az_table *t, const char *name); /* in any case */
/* Sorts stored rows: keys are columns; negative number of (column + 1): descending. Stable;
 * texts bytewise; empty last. */
int az_table_sort(struct az_table *t, const int *keys, size_t n) AZ_MUST_USE;
/* Adds the rows of a table of equal columns, both stored; its texts must live as long. Errors are
 * the table's. */
void az_table_append(struct az_table *t, const struct az_table *from);
/* Truncates the table to n rows. */
void az_table_truncate(struct az_table *t, size_t n);

#endif
