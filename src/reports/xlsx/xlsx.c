/* Workbook report: `summary` first (xlsx_summary.c: verdict, list of sheets, charts, tables), then
 * one sheet per table in the document's order, which has coverage and facts last. The traps of the
 * library are in xlsx_wrap.c, what is truncated in xlsx_plan.c. */
#include "reports/xlsx/xlsx_lib.h"
#include <stdio.h>

#include "base/num.h"
#include "base/utf8.h"
#include "reports/report.h"
#include "reports/shared/chart_rows.h"
#include "reports/shared/fields.h"
#include "reports/xlsx/xlsx.h"

#define WIDTH_ROWS    1000 /* rows checked for the column widths */
#define WIDTH_COLUMNS 256  /* with a width of their own */
#define WIDTH_MIN     7
#define WIDTH_MAX     59  /* and one for the edges */
#define WIDTH_FILTER  3   /* room for the filter's button in a header */
#define PAGE_WIDTH    140 /* characters across A4, landscape */
#define PRINT_LEAST   55  /* percent: smaller print cannot be read */
#define FROZEN_MOST   2   /* key columns that stay in view */
/* Cells of a document from which rows go to files at once (3 MB in all, whatever their number), but
 * not with more than so many sheets, each of which would need an open file; and cells from which a
 * part may pass 4 GiB. */
#define CONSTANT_FROM 100000
#define CONSTANT_MAX  200
#define ZIP64_FROM    (10u << 20)

/* Columns a number needs in its format: digits, separators, sign. */
static size_t number_width(const struct az_cell *c, enum az_xlsx_style style)
{
    char buf[AZ_FIELD_MAX];
    int decimals = az_xlsx_decimals(style);

    if (c->type == AZ_BOOL)
        return 5;
    if (decimals < 0) {
        size_t n = az_cell_exact(c, buf).n;
        return n < 12 ? n : 12; /* general format shortens to its column */
    }
    const size_t whole = az_xlsx_whole_width(az_cell_number(c), decimals),
                 n = whole + (decimals ? (size_t)decimals + 1 : 0);
    bool separated = style != AZ_STYLE_ID && style != AZ_STYLE_PERCENT && style != AZ_STYLE_RATIO &&
                     style != AZ_STYLE_FRACTION;
    return n + (separated ? (whole - 1) / 3 : 0);
}

static size_t cell_width(const struct az_cell *cell, const struct az_column *c)
{
    if (cell->type == AZ_TEXT) /* counting a very long text is no use */
        return cell->len > 4 * WIDTH_MAX ? WIDTH_MAX : az_utf8_width(az_cell_text(cell));
    return cell->type == AZ_EMPTY ? 0 : number_width(cell, az_xlsx_style_of(c));
}

/* ---- conditional formats ---- */

/* Bars of the plain kind: those of 2010 need an extension that readers of the file warn about. */
static void data_bar(struct lxw_worksheet *ws, const struct az_xlsx_part *p, size_t col)
{
    lxw_conditional_format f = {
        .type = LXW_CONDITIONAL_DATA_BAR,
        .bar_color = 0x9DC3E6,
        .min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER,
    };

    const bool fraction = az_field_is_fraction(&p->t->columns.v[col]);
    if (fraction || p->t->columns.v[col].unit == AZ_UNIT_PERCENT) { /* a full bar is the whole */
        f.max_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
        f.max_value = fraction ? 1 : 100;
    }
    worksheet_conditional_format_range(ws, 1, (lxw_col_t)col, (lxw_row_t)p->rows, (lxw_col_t)col,
                                       &f);
}

static void severity(struct az_xlsx *x, struct lxw_worksheet *ws, const struct az_xlsx_part *p,
                     size_t col)
{
    static const struct {
        const char *value;
        enum az_xlsx_style style;
    } rules[] = { { "\"error\"", AZ_STYLE_RED },
                  { "\"warning\"", AZ_STYLE_YELLOW },
                  { "\"info\"", AZ_STYLE_BLUE } };

    for (size_t i = 0; i < AZ_LENGTH(rules); i++) {
        lxw_conditional_format f = {
            .type = LXW_CONDITIONAL_TYPE_CELL,
            .criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO,
            .value_string = (char *)rules[i].value, /* the library copies it */
            .format = az_xlsx_style(x, rules[i].style),
        };
        worksheet_conditional_format_range(ws, 1, (lxw_col_t)col, (lxw_row_t)p->rows,
                                           (lxw_col_t)col, &f);
    }
}

/* A column of a heat map: blue below its median, white there, red above. */
static void color_heat_map(struct lxw_worksheet *ws, const struct az_xlsx_part *p, size_t col)
{
    lxw_conditional_format f = {
        .type = LXW_CONDITIONAL_3_COLOR_SCALE,
        .min_color = 0x92C5DE,
        .mid_color = 0xFFFFFF,
        .max_color = 0xF4A582,
        .mid_rule_type = LXW_CONDITIONAL_RULE_TYPE_PERCENTILE,
        .mid_value = 50,
    };
    worksheet_conditional_format_range(ws, 1, (lxw_col_t)col, (lxw_row_t)p->rows, (lxw_col_t)col,
                                       &f);
}

static void heats(const struct az_document *doc, const struct az_xlsx_part *p)
{
    for (size_t i = 0; i < doc->charts.n; i++) {
        const struct az_chart *c = &doc->charts.v[i];
        if (c->kind != AZ_CHART_HEAT || !az_sv_eq(c->table, p->t->id))
            continue;
        for (size_t k = 0; k < c->y.n; k++) {
            ptrdiff_t col = az_field_column(p->t, c->y.v[k]);
            if (col >= 0 && (size_t)col < p->columns && p->t->columns.v[col].type != AZ_TEXT &&
                p->rows)
                color_heat_map(p->ws, p, (size_t)col);
        }
    }
}

/* The rule in a table with levels among its changes: those are neither. */
static void change_of_step(struct lxw_worksheet *ws, const struct az_xlsx_part *p, size_t col,
                           bool positive, struct lxw_format *format)
{
    char value[LXW_MAX_CELL_NAME_LENGTH], level[LXW_MAX_CELL_NAME_LENGTH], formula[128];

    lxw_rowcol_to_cell_abs(value, 1, (lxw_col_t)col, 0, 1);
    lxw_rowcol_to_cell_abs(level, 1, (lxw_col_t)az_field_level_column(p->t), 0, 1);
    snprintf(formula, sizeof formula, "=AND(%s%c0,NOT(%s))", value, positive ? '>' : '<', level);
    lxw_conditional_format f = { .type = LXW_CONDITIONAL_TYPE_FORMULA,
                                 .value_string = formula,
                                 .format = format };
    worksheet_conditional_format_range(ws, 1, (lxw_col_t)col, (lxw_row_t)p->rows, (lxw_col_t)col,
                                       &f);
}

/* Worse is red, better is green, by the direction of the column. */
static void change(struct az_xlsx *x, struct lxw_worksheet *ws, const struct az_xlsx_part *p,
                   size_t col)
{
    unsigned flags = p->t->columns.v[col].flags;
    bool higher = (flags & AZ_HIGHER_BETTER) != 0;

    if (!(flags & (AZ_HIGHER_BETTER | AZ_LOWER_BETTER)))
        return;
    bool levels =
        az_field_level_column(p->t) >= 0 && (size_t)az_field_level_column(p->t) < p->columns;
    for (int positive = 0; positive <= 1; positive++) {
        struct lxw_format *format =
            az_xlsx_style(x, (positive == 1) == higher ? AZ_STYLE_GREEN : AZ_STYLE_RED);
        if (levels) {
            change_of_step(ws, p, col, positive == 1, format);
            continue;
        }
        lxw_conditional_format f = {
            .type = LXW_CONDITIONAL_TYPE_CELL,
            .criteria = positive ? LXW_CONDITIONAL_CRITERIA_GREATER_THAN
                                 : LXW_CONDITIONAL_CRITERIA_LESS_THAN,
            .value = 0,
            .format = format,
        };
        worksheet_conditional_format_range(ws, 1, (lxw_col_t)col, (lxw_row_t)p->rows,
                                           (lxw_col_t)col, &f);
    }
}

/* ---- one table ---- */

static size_t bounded_width(size_t w)
{
    return w < WIDTH_MIN ? WIDTH_MIN : w > WIDTH_MAX ? WIDTH_MAX : w;
}

static bool is_hidden(const struct az_column *c) { return (c->flags & AZ_HIDDEN) != 0; }

/* Columns of the key before all others, which stay in view; none if little room would be left. */
static lxw_col_t keys_at_left(const struct az_xlsx_part *p)
{
    size_t n = 0;

    while (n < p->columns && (p->t->columns.v[n].flags & AZ_KEY))
        n++;
    return n <= FROZEN_MOST && n < p->columns ? (lxw_col_t)n : 0;
}

/* On paper a table is as wide as a page, unless it could not be read then: the columns go on
 * over further pages, each with the header and the keys. */
static void set_print(const struct az_xlsx_part *p, size_t width)
{
    const lxw_col_t keys = keys_at_left(p);

    worksheet_set_landscape(p->ws);
    worksheet_repeat_rows(p->ws, 0, 0);
    worksheet_print_area(p->ws, 0, 0, (lxw_row_t)p->rows,
                         (lxw_col_t)(p->columns - 1)); /* not what flows over */
    if (width * PRINT_LEAST <= PAGE_WIDTH * 100) {
        worksheet_fit_to_pages(p->ws, 1, 0);
        return;
    }
    worksheet_set_print_scale(p->ws, PRINT_LEAST);
    if (keys)
        worksheet_repeat_columns(p->ws, 0, (lxw_col_t)(keys - 1));
}

static void set_columns(struct az_xlsx *x, const struct az_xlsx_part *p, struct az_rows *rows)
{
    const struct az_column *columns = p->t->columns.v;
    size_t *widest = az_arena_array(x->scratch, p->columns, sizeof *widest);
    const struct az_cell *cells;

    if (!widest)
        return; /* the arena remembers */
    for (size_t c = 0; c < p->columns; c++)
        widest[c] = az_utf8_width(az_field_text(x->scratch, columns[c].name)) + WIDTH_FILTER;
    for (size_t r = 0; r < p->rows && r < WIDTH_ROWS && (cells = az_rows_at(rows, p->first + r));
         r++) {
        for (size_t c = 0; c < p->columns; c++) {
            const size_t w = widest[c] < WIDTH_MAX ? cell_width(&cells[c], &columns[c]) : 0;
            widest[c] = w > widest[c] ? w : widest[c];
        }
    }
    /* Neighbors of one width are one element of the file. A table may have a column for each rank:
     * those share the width of the widest. */
    size_t shared = 0;
    for (size_t c = WIDTH_COLUMNS; c < p->columns; c++)
        shared = widest[c] > shared ? widest[c] : shared;
    for (size_t c = WIDTH_COLUMNS; c < p->columns; c++)
        widest[c] = shared;
    size_t printed = 0;
    for (size_t c = 0, end; c < p->columns; c = end) {
        const size_t w = bounded_width(widest[c]);
        lxw_row_col_options o = { .hidden = is_hidden(&columns[c]) };
        end = c + 1;
        while (end < p->columns && bounded_width(widest[end]) == w &&
               is_hidden(&columns[end]) == is_hidden(&columns[c]))
            end++;
        worksheet_set_column_opt(p->ws, (lxw_col_t)c, (lxw_col_t)(end - 1), (double)w + 1, NULL,
                                 &o);
        printed += o.hidden ? 0 : (w + 1) * (end - c);
    }
    set_print(p, printed);
}

static void dress(struct az_xlsx *x, const struct az_xlsx_part *p)
{
    struct lxw_worksheet *ws = p->ws;

    worksheet_freeze_panes(ws, 1, keys_at_left(p));
    worksheet_autofilter(ws, 0, 0, (lxw_row_t)p->rows, (lxw_col_t)(p->columns - 1));
    for (size_t c = 0; c < p->columns && p->rows; c++) {
        const struct az_column *col = &p->t->columns.v[c];
        if (col->flags & AZ_SHARE)
            data_bar(ws, p, c);
        if (col->flags & AZ_CHANGE)
            change(x, ws, p, c);
        if (col->type == AZ_TEXT && az_sv_ieq(col->name, AZ_SV("severity")))
            severity(x, ws, p, c);
    }
}

/* Texts after a number have a distance from it. */
static enum az_xlsx_style cell_style(const struct az_column *c, size_t at)
{
    return c->type == AZ_TEXT && at > 0 ? AZ_STYLE_INDENTED : az_xlsx_style_of(c);
}

/* Rows that charts draw are written by the library, which copies their cells into the charts, for
 * readers that compute none. */
static size_t drawn_rows(const struct az_document *doc, const struct az_xlsx_part *p)
{
    size_t most = 0;

    for (size_t i = 0; i < doc->charts.n; i++) {
        const size_t rows = az_xlsx_drawn(&doc->charts.v[i], p);
        most = rows > most ? rows : most;
    }
    return most;
}

/* Of thousands of columns, a header through the library takes more time than the rows; of some it
 * stays in the strings that sheets share. Charts copy the names of their columns. */
static bool is_wide(const struct az_document *doc, const struct az_xlsx_part *p)
{
    for (size_t i = 0; i < doc->charts.n; i++)
        if (az_sv_eq(doc->charts.v[i].table, p->t->id))
            return false;
    return p->columns > WIDTH_COLUMNS;
}

/* Rows without the library, see xlsx_rows.c. */
static void rows_at_once(struct az_xlsx *x, const struct az_xlsx_part *p, struct az_rows *rows,
                         size_t from, bool header)
{
    struct az_xlsx_rows w;
    enum az_xlsx_style *style = az_arena_array(x->scratch, p->columns + 1, sizeof *style);

    if (!style)
        return; /* the arena remembers */
    for (size_t c = 0; c < p->columns; c++)
        style[c] = cell_style(&p->t->columns.v[c], c);
    if (az_xlsx_rows_open(&w, x, p->ws, style, p->columns))
        return;
    if (header)
        az_xlsx_row_header(&w, p->t->columns.v);
    az_xlsx_part_rows(&w, p, rows, style, from);
    az_xlsx_rows_close(&w);
}

static void sheet(struct az_xlsx *x, const struct az_document *doc, const struct az_xlsx_part *p)
{
    const struct az_column *columns = p->t->columns.v;
    const size_t drawn = x->constant_memory ? 0 : drawn_rows(doc, p);
    const bool wide = is_wide(doc, p);
    struct az_rows rows;
    const struct az_cell *cells;

    az_rows_open(&rows, p->t, x->scratch->mem);
    set_columns(x, p, &rows);
    dress(x, p);
    for (size_t c = 0; c < p->columns && !wide; c++)
        az_xlsx_text(x, p->ws, 0, c, columns[c].name, AZ_STYLE_HEADER);
    for (size_t r = 0; r < drawn && !x->error && (cells = az_rows_at(&rows, p->first + r)); r++) {
        for (size_t c = 0; c < p->columns; c++)
            az_xlsx_cell(x, p->ws, r + 1, c, &cells[c], cell_style(&columns[c], c));
    }
    if ((wide || drawn < p->rows) && !x->error)
        rows_at_once(x, p, &rows, drawn, wide);
    x->error = x->error ? x->error : az_rows_error(&rows);
    az_rows_close(&rows);
}

/* Sheets in order: summary, then the parts. The second sheet of a table is "name (2)". */
static struct lxw_worksheet *make_sheets(struct az_xlsx *x, struct az_xlsx_plan *plan)
{
    struct az_sv name;
    struct lxw_worksheet *summary = NULL;

    for (size_t i = 0; i < plan->parts.n && !x->error; i++) {
        struct az_xlsx_part *p = &plan->parts.v[i];
        if (p->t->flags & AZ_TABLE_FIRST)
            p->ws = az_xlsx_sheet(x, az_field_text(x->scratch, p->t->title), &p->name);
    }
    if (!x->error)
        summary = az_xlsx_sheet(x, AZ_SV("summary"), &name);
    for (size_t i = 0; i < plan->parts.n && !x->error; i++) {
        struct az_xlsx_part *p = &plan->parts.v[i];
        struct az_sv wanted = az_field_text(x->scratch, p->t->id);
        if (p->ws)
            continue;
        if (p->number > 1) {
            struct az_sv mark = az_arena_printf(x->scratch, " (%u)", p->number);
            const char *stem = az_xlsx_string(x, wanted, 31 - mark.n);
            wanted = az_arena_printf(x->scratch, "%s%.*s", stem, AZ_SVF(mark));
        }
        p->ws = az_xlsx_sheet(x, wanted, &p->name);
    }
    return x->error ? NULL : summary;
}

static int xlsx_write_on(const struct az_document *doc, const char *path, unsigned threads,
                         struct az_arena *scratch, struct az_diag *diag)
{
    struct az_xlsx_plan plan;
    struct az_xlsx x;
    int rc = az_xlsx_plan_make(&plan, doc, scratch);

    if (rc == 0)
        rc = az_charts_store_rows(doc);
    if (rc) {
        az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), doc->mem);
        goto out;
    }
    bool constant = plan.cells > CONSTANT_FROM && plan.parts.n < CONSTANT_MAX;
    rc = az_xlsx_open(&x, path, constant, plan.cells > ZIP64_FROM, scratch, doc->mem, diag);
    if (rc)
        goto out;
    x.threads = threads;
    struct lxw_worksheet *summary = make_sheets(&x, &plan);
    if (summary)
        az_xlsx_summary(&x, summary, doc, &plan);
    for (size_t i = 0; i < plan.parts.n && !x.error; i++) {
        sheet(&x, doc, &plan.parts.v[i]);
        heats(doc, &plan.parts.v[i]);
    }
    rc = az_xlsx_close(&x);
out:
    az_xlsx_plan_release(&plan);
    return rc;
}

static int xlsx_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                      struct az_diag *diag)
{
    return xlsx_write_on(doc, path, 1, scratch, diag);
}

const struct az_report az_report_xlsx = {
    .name = "xlsx",
    .extension = ".xlsx",
    .help = "one workbook: a summary with charts, a sheet per table",
    .write = xlsx_write,
    .write_on = xlsx_write_on,
};
