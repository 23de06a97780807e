/* Parts of the workbook writer. Private to the room. The library's types are only named here, so
 * that xlsxwriter.h stays in the .c files. */
#ifndef AZ_REPORTS_XLSX_XLSX_H
#define AZ_REPORTS_XLSX_XLSX_H

#include "base/num.h"
#include "document/document.h"
#include "document/rows.h"

struct lxw_workbook;
struct lxw_worksheet;
struct lxw_format;
struct az_deflate;

#define AZ_XLSX_ROWS    1048576 /* rows of a sheet, its header included */
#define AZ_XLSX_COLUMNS 16384
#define AZ_XLSX_CELL    32767 /* UTF-16 units of a cell */

/* ---- xlsx_style.c: cell formats, made when first requested ---- */
enum az_xlsx_style {
    AZ_STYLE_PLAIN,
    AZ_STYLE_HEADER,
    AZ_STYLE_TITLE,
    AZ_STYLE_HEADING,
    AZ_STYLE_HEADING_RIGHT,
    AZ_STYLE_INDENTED,
    AZ_STYLE_LABEL,
    AZ_STYLE_LINK,
    AZ_STYLE_ENTRY, /* link of a list */
    AZ_STYLE_BAD,   /* label of a line of the verdict, by its severity */
    AZ_STYLE_WARN,
    AZ_STYLE_GRAY,
    AZ_STYLE_WHOLE, /* #,##0 */
    AZ_STYLE_FIXED2,
    AZ_STYLE_FIXED3,
    AZ_STYLE_FIXED6,   /* seconds: kernels are microseconds long */
    AZ_STYLE_PERCENT,  /* 0.00 */
    AZ_STYLE_RATIO,    /* 0.000 */
    AZ_STYLE_ID,       /* 0 */
    AZ_STYLE_FRACTION, /* 0.0%: 0 to 1 */
    AZ_STYLE_RED,
    AZ_STYLE_YELLOW,
    AZ_STYLE_BLUE,
    AZ_STYLE_GREEN,
    AZ_STYLE_COUNT
};

/* Rows of a sheet that the library does not write, packed: in memory, then in a file of their own.
 */
struct az_xlsx_piece {
    unsigned sheet; /* 1, 2, ... */
    struct az_vec_char packed;
    struct az_sv path; /* of the file; empty: all are in memory */
    uint64_t size;     /* of their text, and its sum */
    uint32_t sum;
};
AZ_VEC(struct az_xlsx_piece, az_xlsx_pieces);

struct az_xlsx_part;
/* Shortened names along the axes of charts (xlsx_labels.c). */
struct az_xlsx_labels {
    struct lxw_worksheet *sheet; /* the summary; NULL: there are none */
    size_t n;                    /* columns used; the last one is of: */
    const struct az_xlsx_part *part;
    size_t of, rows;
};

/* ---- xlsx_wrap.c: the library without its traps ---- */
struct az_xlsx {
    struct lxw_workbook *book;
    struct lxw_format *style[AZ_STYLE_COUNT];
    struct az_arena *scratch;
    struct az_diag *diag;
    struct az_mem *mem;
    unsigned threads;
    const char *path;              /* target */
    struct az_sv tmp_name, folder; /* name written to; private temporary folder */
    struct az_vec_sv names;        /* sheet names in use */
    struct az_vec_char text;       /* one cell, NUL-terminated */
    bool constant_memory, zip64;
    struct az_sv book_name;       /* what the library writes, into which the pieces are put */
    struct az_xlsx_pieces pieces; /* which are put into it */
    struct az_deflate *deflate;   /* of all of them, one after the other; NULL: there is none */
    struct az_vec_char row_text;  /* buffer of rows */
    struct az_xlsx_labels labels;
    unsigned cells; /* written, for the checks the memory */
    int error;      /* first failure */
    bool reported;  /* which was reported */
};

/* constant_memory: rows must be written in order, column widths before them. */
int az_xlsx_open(struct az_xlsx *x, const char *path, bool constant_memory, bool zip64,
                 struct az_arena *scratch, struct az_mem *mem, struct az_diag *diag) AZ_MUST_USE;
/* New sheet; its name is made valid and unique and returned in *name. NULL on failure (x->error is
 * set). */
struct lxw_worksheet *az_xlsx_sheet(struct az_xlsx *x, struct az_sv wanted, struct az_sv *name);
/* Cells. Texts are cleaned, truncated at AZ_XLSX_CELL, and never a formula; NaN and infinities,
 * empty texts and empty cells write nothing; integers beyond 2^53 are written as text, so that no
 * digit is lost. */
void az_xlsx_text(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col,
                  struct az_sv s, enum az_xlsx_style style);
void az_xlsx_number(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col, double v,
                    enum az_xlsx_style style);
void az_xlsx_cell(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col,
                  const struct az_cell *c, enum az_xlsx_style style);
/* A cell that leads to another sheet. */
void az_xlsx_link(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col,
                  struct az_sv sheet, struct az_sv shown, enum az_xlsx_style style);
/* A text as the library gets it: cleaned, escaped, truncated, NUL-terminated; until the next one.
 * NULL on failure. */
const char *az_xlsx_prepared(struct az_xlsx *x, struct az_sv s);
/* NUL-terminated cleaned text in the scratch arena, at most `units` UTF-16 units (titles of charts,
 * names). */
const char *az_xlsx_string(struct az_xlsx *x, struct az_sv s, size_t units);
/* Would az_xlsx_text have to truncate it? */
bool az_xlsx_too_long(struct az_sv s);
/* A temporary file cannot store its rows: the failure, in errno. */
void az_xlsx_lost(struct az_xlsx *x);
/* Writes the file and moves it to its name, or removes every trace of it. Always frees. Returns the
 * first error. */
int az_xlsx_close(struct az_xlsx *x) AZ_MUST_USE;

/* ---- xlsx_rows.c: rows of a sheet without the library ---- */
struct az_xlsx_col {          /* what is the same in all its cells */
    char head[12], style[24]; /* <c r="AB; " s="3" */
    uint8_t head_n, style_n;  /* 0: not known yet */
    struct lxw_format *format;
};
/* What a column had in the row before, which long tables repeat a lot. */
#define AZ_XLSX_REPEAT 96
struct az_xlsx_repeat {
    struct az_cell cell; /* AZ_EMPTY: nothing that can be copied */
    uint8_t n;
    char text[AZ_XLSX_REPEAT]; /* of its element, after the style */
};
struct az_xlsx_extent { /* of the cells; nothing: least > most */
    size_t row_least, row_most, col_least, col_most;
};
struct az_xlsx_rows {
    struct az_xlsx *x;
    struct lxw_worksheet *ws; /* NULL: of a segment */
    struct az_xlsx_extent extent;
    size_t columns;
    struct az_xlsx_col *col;
    struct az_xlsx_repeat *last; /* by column; NULL: of too many */
    void *file; /* FILE in the folder of the workbook; NULL: packed rows stay in memory */
    struct az_vec_char text; /* rows that are not packed yet */
    char row[8];             /* its number */
    uint8_t row_n;
};
/* From here on all rows of the sheet come by az_xlsx_row, in order, and none by the functions
 * above. Close also after a failure; errors are in x->error. */
int az_xlsx_rows_open(struct az_xlsx_rows *w, struct az_xlsx *x, struct lxw_worksheet *ws,
                      const enum az_xlsx_style *style, size_t columns) AZ_MUST_USE;
/* The cells as az_xlsx_cell writes them. */
void az_xlsx_row(struct az_xlsx_rows *w, size_t row, const struct az_cell *cells);
/* The first row: names of the columns, before all others. */
void az_xlsx_row_header(struct az_xlsx_rows *w, const struct az_column *columns);
void az_xlsx_rows_close(struct az_xlsx_rows *w);
/* Rows that were packed apart from those before them, and where their cells are. */
void az_xlsx_rows_append(struct az_xlsx_rows *w, const struct az_xlsx_piece *piece,
                         const struct az_xlsx_extent *extent);
/* ---- xlsx_segments.c ---- */
/* Rows from `from` on of a part: those of a large one in segments, on x->threads threads. */
void az_xlsx_part_rows(struct az_xlsx_rows *w, const struct az_xlsx_part *p, struct az_rows *rows,
                       const enum az_xlsx_style *style, size_t from);
/* xlsx_pack.c: the library's workbook with the rows in their sheets. False: errno may be the
 * reason. */
bool az_xlsx_pack(struct az_xlsx *x, const char *book, const char *to);
/* ---- xlsx_number.c ---- */
#define AZ_XLSX_REAL 352 /* of any double with up to 6 decimals */
/* As printf's "%.16G", which the library uses. */
size_t az_xlsx_number_text(double v, char out[AZ_NUM_MAX]);
/* Characters before the point, as "%.*f" writes it, its sign with them. */
size_t az_xlsx_whole_width(double v, int decimals);

/* ---- xlsx_style.c ---- */
struct lxw_format *az_xlsx_style(struct az_xlsx *x, enum az_xlsx_style s);
/* The one number format of a unit. */
enum az_xlsx_style az_xlsx_style_of(const struct az_column *c);
/* Number format of a style, NULL for the general one. */
const char *az_xlsx_number_format(enum az_xlsx_style s);
/* Decimals of a style; -1: as many as the number has. */
int az_xlsx_decimals(enum az_xlsx_style s);

/* ---- xlsx_plan.c: which rows go to which sheet, and what is skipped ---- */
struct az_xlsx_part { /* one sheet */
    const struct az_table *t;
    size_t first, rows, columns;
    unsigned number; /* 1, 2, ... within its table */
    struct az_sv name;
    struct lxw_worksheet *ws;
};
AZ_VEC(struct az_xlsx_part, az_xlsx_parts);
struct az_xlsx_plan {
    struct az_xlsx_parts parts;
    struct az_table *coverage; /* own table with what was truncated; NULL: nothing was truncated */
    size_t cells;
};
int az_xlsx_plan_make(struct az_xlsx_plan *p, const struct az_document *doc,
                      struct az_arena *scratch) AZ_MUST_USE;
void az_xlsx_plan_release(struct az_xlsx_plan *p);
/* First sheet of a table, NULL if it has none. */
const struct az_xlsx_part *az_xlsx_plan_find(const struct az_xlsx_plan *p, struct az_sv table);

/* ---- xlsx_summary.c, xlsx_charts.c, xlsx_labels.c ---- */
/* The sheet: title, verdict, then the list of sheets with the charts to its right, then the
 * tables. */
void az_xlsx_summary(struct az_xlsx *x, struct lxw_worksheet *ws, const struct az_document *doc,
                     const struct az_xlsx_plan *plan);
struct lxw_chart;
struct lxw_chart_series;
/* Categories of a series of so many rows: shortened copies of the column's texts. False: they are
 * short enough, or cannot be written. */
bool az_xlsx_labels(struct az_xlsx *x, struct lxw_chart *chart, struct lxw_chart_series *s,
                    const struct az_xlsx_part *p, size_t col, size_t rows);
#define AZ_XLSX_DRAWN 1000 /* rows that a chart draws, up to which it has a copy of their cells */
/* Rows of a sheet that a chart has a copy of; 0: none. */
size_t az_xlsx_drawn(const struct az_chart *c, const struct az_xlsx_part *p);
/* Is there a native chart for it? */
bool az_xlsx_draws(const struct az_chart *c);
/* All charts, from that row and so many pixels on to the right and down. Returns how many rows they
 * need. */
size_t az_xlsx_charts(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t left,
                      const struct az_document *doc, const struct az_xlsx_plan *plan);

#endif
